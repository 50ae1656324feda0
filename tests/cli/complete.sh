#!/bin/bash
# Completion: what the tool offers, and the functions of the shells with it.
. "$(dirname "$0")/lib.sh"
need bash
completions=${HARTSCOPE_SOURCE:?}/completions
mkdir bin files
ln -s "$HARTSCOPE" bin/hartscope
PATH=$dir/bin:$PATH
touch files/app.elf files/app.nt

one_line() { sort | tr '\n' ' ' | sed 's/ $//'; }

# offers TEXT WORDS WANTED: candidates for the last of the words, sorted
offers() {
	# shellcheck disable=SC2086
	is "$1" "$3" "$(eval "hartscope complete $2" 2>&1 | cut -f1 | one_line)"
}
offers "commands" "li" "lint list"
offers "options" "list --fo" "--format"
offers "values" "list --format ''" "json pc text"
offers "values in one word" "list --format=p" "--format=pc"
offers "parameters of the protocol" "encode --protocol etrace --set iaddress_" \
	"iaddress_lsb_p= iaddress_width_p="
offers "parameters of both" "list --set dia" "dialect= dialect="
offers "values of a parameter" "list --set trTeInstMode=" "trTeInstMode=btm trTeInstMode=htm"
offers "parameters of what record encodes" "record --encode ntrace --set histB" "histBits="
offers "formats to write" "export --format call" "callgrind"
offers "formats to read" "import --from spi" "spike"
offers "kinds of findings" "lint --protocol ntrace --ignore evcode-v" "evcode-vendor"
offers "cycles" "list --cycles-per fl" "float="
offers "files" "list --elf ''" ":files"
offers "operands" "list --elf a.elf ''" ":files"
offers "the program of record" "record -q -- ./a --fo" ":files"
offers "merge, then its command" "merge st" "stat"
offers "options of that" "merge stat --parts 4 --jo" "--jobs"
offers "help" "help para" "parameters"
offers "nothing" "list --limit ''" ""

# Values that are offered are those that the parser takes.
hop_bin
hop_trace
for row in 'list --format' 'report --by' 'stat --by' 'lint --severity' 'coverage --format' \
	'list --xlen'; do
	# shellcheck disable=SC2086
	for value in $(hartscope complete $row '' | cut -f1); do
		# shellcheck disable=SC2086
		hartscope $row "$value" --bin hop.bin@0x100 hop.nt >out 2>err
		is "$row $value is taken" yes "$([ $? -ne 2 ] && echo yes)"
	done
done

# ---- shells -------------------------------------------------------------------------------------

# bash_offers TEXT LINE WANTED: what the function makes of the line
bash_offers() {
	is "bash: $1" "$3" "$(cd files && bash --norc -c '
		. "$1/hartscope.bash"
		COMP_LINE=$2 COMP_POINT=${#2}
		# As readline has them: cut at blanks, "=" and ":".
		read -ra COMP_WORDS <<<"$(sed "s/[=:]/ & /g" <<<"$2")"
		case $2 in *[\ =:]) COMP_WORDS+=("") ;; esac
		COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
		_hartscope
		printf "%s\n" "${COMPREPLY[@]}"' _ "$completions" "$2" | one_line)"
}
bash_offers "a command" "hartscope deco" "decode"
bash_offers "an option" "hartscope list --form" "--format"
bash_offers "a value" "hartscope list --format " "json pc text"
bash_offers "a value after =" "hartscope list --format=p" "pc"
bash_offers "a parameter" "hartscope list --set trTeInstMo" "trTeInstMode="
bash_offers "its value" "hartscope list --set trTeInstMode=" "btm htm"
bash_offers "its value in one word" "hartscope list --set=trTeInstMode=h" "htm"
bash_offers "a file" "hartscope list --elf app.e" "app.elf"
bash_offers "an operand" "hartscope list --elf app.elf " "app.elf app.nt"

if command -v zsh >/dev/null; then
	# compadd and _files as they would be called; the function is run as zsh does.
	zsh_offers() {
		is "zsh: $1" "$3" "$(zsh -f -c '
			compadd() { while [[ $1 == -* ]]; do
				case $1 in
				-S|-d) shift ;;
				-a) shift; print -l -- ${(P)1}; return ;;
				esac; shift; done }
			_files() { print files }
			words=("${(@s: :)2}"); CURRENT=$#words
			. "$1/_hartscope"' _ "$completions" "$2" 2>&1 | one_line)"
	}
	zsh_offers "a command" "hartscope deco" "decode"
	zsh_offers "a value" "hartscope list --format " "json pc text"
	zsh_offers "a parameter" "hartscope list --set trTeInstMo" "trTeInstMode="
	zsh_offers "its value" "hartscope list --set trTeInstMode=" \
		"trTeInstMode=btm trTeInstMode=htm"
	zsh_offers "a file" "hartscope list --elf a" "files"
else
	echo "# SKIP no zsh"
fi
if command -v fish >/dev/null; then
	fish_offers() {
		is "fish: $1" "$3" "$(cd files && HOME=$dir fish --no-config -c '
			source $argv[1]/hartscope.fish
			complete -C $argv[2]' "$completions" "$2" 2>&1 | cut -f1 | one_line)"
	}
	fish_offers "a command" "hartscope deco" "decode"
	fish_offers "a value" "hartscope list --format " "json pc text"
	fish_offers "a parameter" "hartscope list --set trTeInstMo" "trTeInstMode="
	fish_offers "a file" "hartscope list --elf app.e" "app.elf"
else
	echo "# SKIP no fish"
fi
finish
