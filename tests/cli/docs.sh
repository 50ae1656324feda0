#!/bin/sh
# Each page of docs/cli has the --help of its command, word for word, and the man page names it.
. "$(dirname "$0")/lib.sh"
docs=${HARTSCOPE_SOURCE:?}/docs

# Every command, and each man page that is made of these pages.
man=${HARTSCOPE_BUILD:?}/docs/man
"$HARTSCOPE" help >commands
for c in parameters $(sed -n 's/^  \([a-z]*\)  .*/\1/p' commands | grep -v '^version$\|^help$'); do
	"$HARTSCOPE" help "$c" --all >want
	sed -n '/^```text$/,/^```$/p' "$docs/cli/$c.md" | sed '1d;$d' >got
	is "docs/cli/$c.md has the text of help --all" "$(cat want)" "$(cat got)"
	is "docs/cli/$c.md: 80 columns" "" "$(awk 'length > 80' want)"
	has "docs/cli/README.md names $c" "($c.md)" "$docs/cli/README.md"
	page=$(echo "$man/hartscope-$c".[17])
	has "$c has a man page" "^\\.SH NAME" "$page"
	# Each option of --help is a row of it.
	sed -n 's/^  \(-., \|    \)\(--[a-z-]*\).*/\2/p' want | sort -u |
		while read -r option; do
			roff=$(echo "$option" | sed 's/-/\\-/g')
			grep -qF "fB$roff\\fR" "$page" || echo "$option"
		done >missing
	is "the man page of $c has its options" "" "$(cat missing)"
done
# The table of commands has the words of help.
awk '/^  [a-z]+ +/ && !/hartscope/ {
		if (row) print row
		name = $1; $1 = ""; row = name ":" $0; next }
	/^             / && row { $1 = $1; row = row " " $0; next }
	row { print row; row = "" }' commands | sort >want
sed -n 's/^| \[\([a-z]*\)\](.*) | \(.*\) |$/\1: \2/p' "$docs/cli/README.md" | sort >got
is "docs/cli/README.md: what help says" "$(cat want)" "$(cat got)"

if command -v groff >/dev/null; then
	for page in "$man"/*.[157] "$docs"/man/*.1; do
		groff -man -ww -Tutf8 -rLL=80n "$page" >text 2>err
		is "${page##*/}: groff has no warning" "" "$(cat err)"
	done
fi
exits "docs/trace-registers.md is made from the table" 0 \
	"$HARTSCOPE_SOURCE/scripts/trace-registers.py" --check
exits "docs/import.md is made from the table" 0 "$HARTSCOPE_SOURCE/scripts/log-formats.py" --check
exits "docs/port-signals.md is made from the tables" 0 "$HARTSCOPE_SOURCE/scripts/port-signals.py" \
	--check
finish
