#!/bin/sh
# generate: each corner's trace hits its point, decodes to what was generated (fast profiles: to
# nothing else), and all together hit every point of the protocols that tests/data/unreached.txt
# does not explain.
. "$(dirname "$0")/lib.sh"
here=$HARTSCOPE_SOURCE/tests/cli

exits "generate" 0 "$HARTSCOPE" generate
has "lists corners" "^  ntrace-both-full  corner.icnt-and-hist-full" out
exits "generate --json" 0 "$HARTSCOPE" generate --json
json "generate --json" out
cp out list.json
exits "generate -o" 0 "$HARTSCOPE" generate -q -o corners
python3 -c 'import json
for c in json.load(open("list.json"))["corners"]:
    print(c["protocol"], c["name"])' >list
is "a recording of each" "$(grep -c . list)" \
	"$(find corners -maxdepth 1 -name '*.rec' | wc -l | tr -d ' ')"
mkdir coverage
while read -r protocol name; do
	set -- --protocol "$protocol" --config "corners/$name.txt"
	"$HARTSCOPE" encode -q "$@" -o trace "corners/$name.rec" || bad "$name: encode"
	"$HARTSCOPE" stat --coverage --json "$@" trace >"coverage/$name.json" || bad "$name: stat"
	"$HARTSCOPE" list --format pc "corners/$name.rec" 2>/dev/null | sort >want
	"$HARTSCOPE" list --format pc --image "corners/$name.rec" "$@" trace 2>err | sort >got
	if grep -q 'lost part of the trace' err || [ "${name#etrace-fast-}" != "$name" ]; then
		is "$name: nothing else than what was generated" "" "$(comm -13 want got)"
	else
		is "$name: what was generated" "$(cksum <want)" "$(cksum <got)"
	fi
done <list
python3 "$here/generate.py" list.json coverage "$HARTSCOPE_SOURCE/tests/data/unreached.txt" >out
while read -r line; do
	case $line in ok*) echo "$line" ;; *) bad "${line#FAIL - }" ;; esac
done <out

# Seeds: the same gives the same, another one another program of the same corner.
"$HARTSCOPE" generate -q --corner both-full --seed 5 -o first
"$HARTSCOPE" generate -q --corner both-full --seed 5 -o again
"$HARTSCOPE" generate -q --corner both-full --seed 6 -o other
for d in first again other; do
	"$HARTSCOPE" list --format pc "$d/ntrace-both-full.rec" >"$d.pcs"
	is "$d: one corner" 1 "$(find "$d" -name '*.txt' | wc -l | tr -d ' ')"
done
is "the same seed" "$(cksum <first.pcs)" "$(cksum <again.pcs)"
if cmp -s first.pcs other.pcs; then bad "another seed"; else ok "another seed"; fi
exits "one protocol" 0 "$HARTSCOPE" generate --protocol etrace
is "one protocol: no other" 0 "$(grep -c ' ntrace-' out)"

exits "no such corner" 2 "$HARTSCOPE" generate --corner nothing
is "one line" 1 "$(wc -l <err | tr -d ' ')"
exits "a seed that is no number" 2 "$HARTSCOPE" generate --seed many
exits "no such protocol" 2 "$HARTSCOPE" generate --protocol morse
exits "a folder in one that is not there" 2 "$HARTSCOPE" generate -o no/corners
finish
