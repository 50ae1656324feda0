# bash completion for hartscope.  The tool itself says what fits: hartscope complete WORD...
_hartscope()
{
	local line=${COMP_LINE:0:COMP_POINT} current=${COMP_WORDS[COMP_CWORD]} prefix
	local candidate words files=no
	read -ra words <<<"$line"
	case $line in *[[:space:]]) words+=('') ;; esac
	COMPREPLY=()
	# Bash completes what is after the last of its word breaks, '=' and ':'.
	prefix=${words[-1]}
	case $COMP_WORDBREAKS in
	*=*) prefix=${prefix%"${prefix##*[=:]}"} ;;
	*) prefix= ;;
	esac
	case $current in '=' | ':') current= ;; esac
	while IFS=$'\t' read -r candidate _; do
		case $candidate in
		:files) files=yes ;;
		*) COMPREPLY+=("${candidate#"$prefix"}") ;;
		esac
	done < <("${words[0]}" complete "${words[@]:1}" 2>/dev/null)
	case ${COMPREPLY[*]-} in *=) compopt -o nospace 2>/dev/null ;; esac
	if [ "$files" = yes ]; then
		compopt -o filenames 2>/dev/null
		while IFS= read -r candidate; do
			COMPREPLY+=("$candidate")
		done < <(compgen -f -- "$current")
	fi
}
complete -F _hartscope hartscope
