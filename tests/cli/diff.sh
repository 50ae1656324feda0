#!/bin/sh
# diff: the example of its page, and two runs as recordings, flows and traces, by hand.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
if ! command -v riscv64-linux-gnu-gcc >/dev/null; then
	echo "skipped: no riscv64-linux-gnu-gcc"
	exit 77
fi
cp "$here/diff.S" .
build() { riscv64-linux-gnu-gcc -g -static -nostdlib -march=rv64gc "$@" diff.S || exit 1; }
build -Wl,-Ttext=0x10000 -o rounds
build -Wl,-Ttext=0x20000 -DSHIFTED -o shifted
"$HARTSCOPE" record -q -o two.rec ./rounds x || exit 1
"$HARTSCOPE" record -q -o three.rec ./rounds x y || exit 1
"$HARTSCOPE" record -q -o shifted.rec ./shifted x || exit 1

exits "two runs" 1 "$HARTSCOPE" diff two.rec three.rec
sed -n '/^    $ hartscope diff/,/^[^ ]/p' "$here/../../docs/cli/diff.md" | sed '1d;$d' |
	sed 's/^    //' | sed '$d' >page
is "two runs: as the page says" "$(cat page)" "$(cat out)"
exits "a run and itself" 0 "$HARTSCOPE" diff two.rec two.rec
has "a run and itself: nothing parts" '^harts that part  *0$' out
exits "the same code elsewhere" 0 "$HARTSCOPE" diff two.rec shifted.rec
exits "the first call" 1 "$HARTSCOPE" diff --from round@1 --to round@2 two.rec three.rec
has "the first call: instructions" '^instructions of B  *14$' out
exits "the other way round" 1 "$HARTSCOPE" diff three.rec two.rec
has "the other way round: A does not take it" '^A  *branch not taken$' out

# The same by traces of both protocols, and by a flow.
sed -e '/^hart /d' out >want
for protocol in ntrace etrace; do
	for run in two three; do
		"$HARTSCOPE" encode -q --protocol $protocol -o $run.$protocol $run.rec
	done
	exits "$protocol" 1 "$HARTSCOPE" diff --elf rounds three.$protocol two.$protocol
	is "$protocol: the same" "$(cat want)" "$(sed '/^hart /d' out)"
	exits "$protocol and a recording" 1 "$HARTSCOPE" diff --elf rounds three.$protocol two.rec
	is "$protocol and a recording: the same" "$(cat want)" "$(sed '/^hart /d' out)"
done
"$HARTSCOPE" decode -q --elf rounds -o three.flow three.ntrace
exits "a flow" 1 "$HARTSCOPE" diff three.flow two.rec
is "a flow: the same" "$(cat want)" "$(sed '/^hart /d' out)"

exits "--json" 1 "$HARTSCOPE" diff --json two.rec three.rec
json "--json" out
has "--json: where" '"last_function": "round"' out
parting() { # what of each place, on a line
	python3 -c "import json, sys
for p in json.load(sys.stdin)['parting']: print($1)" <out
}
# by hand: jal, slli, ret; and a round with mv, jal, its seven, addi, bnez
is "--json: instructions of each" "0 3 0 11" "$(parting 'p["only_a"], p["only_b"]' | xargs)"
is "--json: where they are together again" "round 0xe _start 0xc" \
	"$(parting 'p["together_function"], p["together_offset"]' | xargs)"
exits "--json --top 1" 1 "$HARTSCOPE" diff --json --top 1 two.rec three.rec
is "--json --top 1: one place" "0 3" "$(parting 'p["only_a"], p["only_b"]')"
has "--json --top 1: of two" '"places_parted": 2' out
exits "--top" 1 "$HARTSCOPE" diff --top 1 two.rec three.rec
has "--top: how many there are" '^functions differ  *3$' out
is "--top: one" 0 "$(grep -c 'special$' out)"
has "--top: how many places there are" '^differences  *2$' out
is "--top: the first place only" 0 "$(grep -c 'part later' out)"
# One of them ends where the other goes on.
"$HARTSCOPE" list --format pc three.rec | head -n 15 >short.pcs
"$HARTSCOPE" import -q --from pcs --elf rounds -o short.rec short.pcs
exits "one ends before" 1 "$HARTSCOPE" diff short.rec three.rec
is "one ends before: 25 of 40 are of the other" "0 25" \
	"$(sed -n 's/^only in [AB]  *//p' out | xargs)"
has "one ends before: not together again" '^together again  *not in 1048576 blocks$' out
exits "no such file" 2 "$HARTSCOPE" diff two.rec nothing.rec
exits "a range that one does not have" 1 "$HARTSCOPE" diff --from special two.rec three.rec
has "a range that one does not have: says so" "called 'special'" err
# They part before main: what runs there depends on the stack, and is left out unless asked for.
printf 'int main(int c, char **v)\n{\n\treturn c - c;\n}\n' >args.c
riscv64-linux-gnu-gcc -O1 -static -o args args.c && cp args args_of_a_long_name || exit 1
for name in args args_of_a_long_name; do
	"$HARTSCOPE" record -q -o $name.rec ./$name || exit 1
done
exits "other names" 0 "$HARTSCOPE" diff args.rec args_of_a_long_name.rec
has "other names: from main" '^compared from  *main$' out
exits "other names, from the start" 1 "$HARTSCOPE" diff --startup args.rec args_of_a_long_name.rec
is "other names, from the start: does not say from main" 0 "$(grep -c 'compared from' out)"
exits "other names, from a place" 0 "$HARTSCOPE" diff --from main args.rec args_of_a_long_name.rec
exits "without main" 1 "$HARTSCOPE" diff two.rec three.rec
is "without main: from the start" 0 "$(grep -c 'compared from' out)"
exits "only one has main" 1 "$HARTSCOPE" diff two.rec args.rec
is "only one has main: from the start" 0 "$(grep -c 'compared from' out)"
exits "--html without -o" 2 "$HARTSCOPE" diff --html two.rec three.rec
exits "--html" 0 "$HARTSCOPE" diff --html -o page.html two.rec three.rec
has "--html: both runs" '"title":"two.rec"' page.html
finish
