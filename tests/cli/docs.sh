#!/bin/sh
# Each page of docs/cli has the --help of its command, word for word, and the man page names it.
. "$(dirname "$0")/lib.sh"
docs=${HARTSCOPE_SOURCE:?}/docs

for c in record encode decode dump lint list index stat report annotate traps calls \
	export pmu ctr check info identify registers import; do
	"$HARTSCOPE" $c --help >want
	sed -n '/^```text$/,/^```$/p' "$docs/cli/$c.md" | sed '1d;$d' >got
	is "docs/cli/$c.md has the text of --help" "$(cat want)" "$(cat got)"
	has "docs/cli/README.md names $c" "($c.md)" "$docs/cli/README.md"
	has "the man page names $c" "^.B hartscope $c\|^.B $c\$" "$docs/man/hartscope.1"
done
exits "docs/trace-registers.md is made from the table" 0 \
	"$HARTSCOPE_SOURCE/scripts/trace-registers.py" --check
exits "docs/import.md is made from the table" 0 "$HARTSCOPE_SOURCE/scripts/log-formats.py" --check
exits "docs/port-signals.md is made from the tables" 0 "$HARTSCOPE_SOURCE/scripts/port-signals.py" \
	--check
finish
