#!/bin/sh
# stat --compare: every row has the bytes of a trace with its parameters.
. "$(dirname "$0")/lib.sh"
loop_rec
exits "stat --compare" 0 "$HARTSCOPE" stat --compare loop.rec
has "eight instructions" "^instructions *8$" out
for row in BTM HTM 'BTM, all' 'HTM, all' 'HTM, implicit return, counting' 'HTM, repeated history' \
	2.0 '2.0, all' \
	'2.0, implicit return, stack' '2.0, implicit return, counter' '2.0, branch prediction' \
	'2.0, jump target cache' '2.0, sequential jumps' '2.0, full addresses' 0.026; do
	has "a row '$row'" "%  $row\$" out
done
exits "stat --compare --json" 0 "$HARTSCOPE" stat --compare --json loop.rec
json "stat --compare" out
sed -n 's/.*"protocol": "\([^"]*\)", *"bytes": \([0-9]*\),.*"settings": "\([^"]*\)".*/\1 \2 \3/p;
	s/.*"protocol": "\([^"]*\)","bytes": \([0-9]*\),.*"settings": "\([^"]*\)".*/\1 \2 \3/p' out >rows
is "rows of JSON" "$(grep -c '"settings"' out)" "$(grep -c . rows)"
while read -r protocol bytes settings; do
	set --
	for s in $settings; do
		set -- "$@" --set "$s"
	done
	"$HARTSCOPE" encode --quiet --protocol "$protocol" "$@" -o - loop.rec >row.out
	is "$protocol $settings" "$(wc -c <row.out)" "$bytes"
done <rows
exits "one protocol" 0 "$HARTSCOPE" stat --compare --protocol etrace loop.rec
is "one protocol: no other" 0 "$(grep -c 'BTM' out)"
exits "a parameter for all rows" 0 "$HARTSCOPE" stat --compare --protocol etrace --set \
	no-compress=1 loop.rec
plain=$("$HARTSCOPE" encode -q --protocol etrace --set no-compress=1 -o - loop.rec | wc -c)
has "a parameter for all rows: bytes" "^ *$plain .*%  2.0\$" out
exits "an unknown protocol" 2 "$HARTSCOPE" stat --compare --protocol none loop.rec
hop_bin
hop_trace
exits "of a trace" 2 "$HARTSCOPE" stat --compare --bin hop.bin@0x100 hop.nt
has "of a trace: what it needs" "recording" err
finish
