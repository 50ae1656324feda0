#!/bin/bash
# The rules of CONTRIBUTING.md that a script can see: length of functions and files, tabs, line ends,
# a first comment in each file.
set -u
cd "$(dirname "$0")/.." || exit 1

function_limit=80
file_limit=800
. scripts/verdict.sh

mapfile -t sources < <(find include src tools plugins tests bench examples firmware -name '*.[ch]' -o -name '*.def' | sort)

verdict "no function above $function_limit lines" "$(awk -v limit=$function_limit '
	FNR == 1 { open = 0 }
	/^\{/ { open = FNR }
	/^\}/ && open { if (FNR - open + 1 > limit) print FILENAME ":" open ": " FNR - open + 1 " lines"; open = 0 }
' "${sources[@]}")"

verdict "no file above $file_limit lines" "$(wc -l "${sources[@]}" |
	awk -v limit=$file_limit '$2 != "total" && $1 > limit { print $2 ": " $1 " lines" }')"

verdict 'tabs indent, and no line ends in space' "$(grep -nE '[[:space:]]$|^ +(if|for|while|do|switch|case|return|else)\b' \
	"${sources[@]}" | grep -vE ':[0-9]+: \* ' | head -n 10)"

verdict 'a comment begins each file' "$(for file in "${sources[@]}"; do
	head -n 1 "$file" | grep -q '^/\*' || echo "$file"
done)"
exit "$status"
