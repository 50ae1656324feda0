# fish completion for hartscope.  The tool itself says what fits: hartscope complete WORD...
function __hartscope_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l tool $words[1]
    for line in ($tool complete $words[2..-1] 2>/dev/null)
        if test "$line" = ":files"
            __fish_complete_path (commandline -ct)
        else
            echo $line
        end
    end
end
complete -c hartscope -f -a '(__hartscope_complete)'
