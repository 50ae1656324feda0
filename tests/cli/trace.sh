#!/bin/sh
# A trace written by hand: decode, list, dump, stat; files, pipes, parameters, damage.
. "$(dirname "$0")/lib.sh"
hop_bin
hop_trace
program='--bin hop.bin@0x100'

# shellcheck disable=SC2086
tool() { c=$1; shift; "$HARTSCOPE" "$c" $program "$@"; }

is "list --format pc" "100 102 200" "$(tool list --format pc hop.nt | tr '\n' ' ' | sed 's/ $//')"
is "list reads standard input" "100 102 200" \
	"$(tool list --format pc - <hop.nt | tr '\n' ' ' | sed 's/ $//')"
mkfifo named
for pipe in /dev/stdin /dev/fd/3 named; do
	[ $pipe != named ] || cat hop.nt >named &
	is "list reads a pipe: $pipe" "100 102 200" \
		"$(cat hop.nt | tool list --format pc $pipe 3<&0 | tr '\n' ' ' | sed 's/ $//')"
done
mkfifo second
cat hop.nt >named &
cat hop.nt >second &
exits "two pipes" 2 "$HARTSCOPE" check $program named second
has "two pipes: says why not" "second: only one operand can be a pipe" err
cat hop.nt | tool list --last 1 - >out 2>err
has "a pipe that would be read twice" "read twice: put it in a file" err
is "list --from and --limit" "102" "$(tool list --format pc --from 1 --limit 1 hop.nt)"
tool list hop.nt >out 2>err
has "list: the branch was taken" "0x102.*taken -> 0x200" out
has "list: why the trace starts" "^; sync 5" out
has "list: why the trace stops" "^; .*EVCODE 0" out
is "list: no colours in a file" "" "$(tr -d '\011\012\040-\176' <out)"

cat >expected <<'EOS'
0 4 ProgTraceSync SYNC=5 I-CNT=0 F-ADDR=0x80
4 2 DirectBranch I-CNT=3
6 3 ProgTraceCorrelation EVCODE=0 CDF=0 I-CNT=1
EOS
"$HARTSCOPE" dump hop.nt | sed 's/ (NT [^)]*)//; s/  */ /g; s/^ //; s/ $//' >got
is "dump: offsets, lengths and fields" "$(cat expected)" "$(cat got)"
"$HARTSCOPE" dump - <hop.nt | sed 's/ (NT [^)]*)//; s/  */ /g; s/^ //; s/ $//' >got
is "dump reads standard input" "$(cat expected)" "$(cat got)"
"$HARTSCOPE" dump hop.nt >out
has "dump names the clause" "NT 7.5" out

# c.j 0 at 0x100; ProgTraceSync, then ProgTraceCorrelation with I-CNT=20000 (NT 7.12)
printf '\001\240' >spin.bin
printf '\044\025\000\013\204\000\200\340\023' >spin.nt
is "a last message that stands for 20000 blocks" 20000 \
	"$("$HARTSCOPE" list --format pc --bin spin.bin@0x100 spin.nt | grep -c '^100$')"

tool stat hop.nt >out
has "stat: instructions" "^instructions *3$" out
has "stat: bytes" "^bytes *9$" out
has "stat: bits an instruction, 72 / 3" "^bits/instruction *24.000" out

exits "decode" 0 "$HARTSCOPE" decode $program -o hop.flow hop.nt
has "decode: two blocks" "^blocks *2$" out
is "list of a flow" "100 102 200" \
	"$("$HARTSCOPE" list --format pc hop.flow | tr '\n' ' ' | sed 's/ $//')"
exits "decode of standard input" 0 sh -c "\"$HARTSCOPE\" decode $program -q -o in.flow - <hop.nt"
exits "both flows are the same" 0 "$HARTSCOPE" check hop.flow in.flow
has "check: counts" "^equal: 2 blocks, 3 instructions, 0 traps" out
exits "decode to standard output" 2 "$HARTSCOPE" decode $program -o - hop.nt

# 5000 c.nop at 0x100; ProgTraceSync, then ProgTraceCorrelation with I-CNT=5000: whatever the width
# of I-CNT, no block is lost
printf '\001\000%.0s' $(seq 5000) >nop.bin
printf '\044\025\000\013\204\000\040\070\007' >nop.nt
"$HARTSCOPE" decode --bin nop.bin@0x100 -q -o nop.flow nop.nt
narrow() # mode, bits
{
	"$HARTSCOPE" encode -q --set trTeInstMode="$1" --set icntBits="$2" -o narrow.nt nop.flow &&
		"$HARTSCOPE" decode -q --bin nop.bin@0x100 -o narrow.flow narrow.nt &&
		"$HARTSCOPE" check nop.flow narrow.flow
}
lost=
for bits in $(seq 4 22); do
	for mode in btm htm; do
		narrow $mode "$bits" >out 2>err || lost="$lost $mode-$bits"
	done
done
is "encode: every icntBits, no block is lost" "" "$lost"

echo '{"protocol": "ntrace", "set": {"trTeSrcBits": 4}}' >wrong.json
"$HARTSCOPE" dump --config wrong.json hop.nt >out 2>err
has "--config is used: there is SRC" " src " out
"$HARTSCOPE" dump --config wrong.json --set trTeSrcBits=0 hop.nt >out 2>err
is "--set wins over --config: no SRC" 0 "$(grep -c ' src ' out)"
cp wrong.json hop.nt.json
"$HARTSCOPE" dump hop.nt >out 2>err
has "TRACE.json is read by itself" " src " out
echo '[1' >hop.nt.json
exits "TRACE.json that is no JSON" 3 "$HARTSCOPE" list --format pc $program hop.nt
echo '{"recording": "gone.rec"}' >hop.nt.json
exits "a recording that is gone" 2 "$HARTSCOPE" list hop.nt
has "a recording that is gone: what to do" "gone.rec.*--elf" err
rm hop.nt.json

# The same trace twice, with a message of a reserved length of I-CNT between: 0x0c and then
# an I-CNT of 9, which ends at no branch.
{ head -c 4 hop.nt; printf '\014\047'; cat hop.nt; } >bad.nt
exits "damage" 3 "$HARTSCOPE" list --format pc $program bad.nt
is "damage: all that is readable was written" "100 102 200" \
	"$(tail -n 3 out | tr '\n' ' ' | sed 's/ $//')"
has "damage: the offset" "^hartscope: offset 0x4" err
exits "damage in decode" 3 "$HARTSCOPE" decode $program -o bad.flow bad.nt
has "damage in decode: the gap" "^gaps *1$" out
tool decode --json -o bad.flow bad.nt >out 2>err
json "damage in decode" out
has "damage in decode: why" '"error": "E_ICNT","reason": "icnt-not-at-branch","text": "offset 0x4' \
	out
"$HARTSCOPE" list bad.flow >out 2>err
has "the gap is in the flow" "^; gap" out
head -c 8 hop.nt >cut.nt
exits "cut inside a message" 3 "$HARTSCOPE" list --format pc $program cut.nt
is "cut inside a message: what came before" "100 102" \
	"$(head -n 2 out | tr '\n' ' ' | sed 's/ $//')"
exits "dump of a cut message" 3 "$HARTSCOPE" dump cut.nt

for c in list stat; do
	tool $c --json hop.nt >out
	json "$c" out
done
"$HARTSCOPE" dump --json hop.nt >out
json "dump" out
"$HARTSCOPE" dump --json cut.nt >out 2>err
json "dump of damage" out
: >empty.nt
"$HARTSCOPE" dump --json empty.nt >out
json "dump of nothing" out
tool list --json empty.nt >out
is "list of nothing" "" "$(cat out)"
tool decode --json -o j.flow hop.nt >out
json "decode" out
# Custom instruction XYZ at 0x104 (N-Trace 10.1): taken to 0x200, or not.
printf '\063\005\265\000\013\000\000\000\056\225\002\220' >xyz.bin
printf '\056\225\002\220' >xyz2.bin
printf '\044\025\000\013\020\101\000\033\204\100\005\007' >taken.nt
printf '\044\025\000\013\204\100\025\007' >not.nt
for t in taken not; do
	"$HARTSCOPE" list --format pc --custom 0x7f/0x0b --bin xyz.bin@0x100 --bin xyz2.bin@0x200 \
		$t.nt |
		tr '\n' ' ' >$t.pcs
done
is "custom branch taken" "100 104 200 " "$(cat taken.pcs)"
is "custom branch not taken" "100 104 108 " "$(cat not.pcs)"
exits "custom instruction without its match" 2 "$HARTSCOPE" list --custom 0x7f taken.nt
# A trap that is no ecall has no message in dialect reference (design/nt-dialects): what retired
# before it and what comes after it decode.
loop_bin
cat >trap.csv <<-EOS
	itype_0,cause,tval,priv,iaddr_0,context,ctype,iretire_0,ilastsize_0
	0,0,0,3,1000,0,0,1,0
	1,5,0,3,1002,0,0,1,0
	0,0,0,3,100a,0,0,1,1
EOS
exits "import of a trap" 0 "$HARTSCOPE" import -q --from csv --bin loop.bin@0x1000 \
	-o trap.rec trap.csv
exits "reference: a trap is refused" 3 "$HARTSCOPE" encode -q --protocol ntrace \
	--dialect reference -o trap.nt trap.rec
has "reference: which one" 'block at 0x1000: ' err
exits "reference: the rest decodes" 0 "$HARTSCOPE" list --format pc --bin loop.bin@0x1000 trap.nt
is "reference: nothing else is missing" "1000 1002 100a" "$(tr '\n' ' ' <out | sed 's/ $//')"

finish
