#!/bin/sh
# stat --calls, and fast profiles of E-Trace.
. "$(dirname "$0")/lib.sh"
loop_bin
for pc in $loop_pcs; do echo "$pc"; done >loop.pcs
exits "import" 0 "$HARTSCOPE" import --quiet --from pcs --bin loop.bin@0x1000 -o loop.rec loop.pcs
# one jal that links (1006), one ret (100e)
exits "stat --calls" 0 "$HARTSCOPE" stat --calls loop.rec
has "one call" "^calls *1$" out
has "one return" "^returns *1$" out
has "no trap" "^traps *0$" out
has "instructions, too" "^instructions *8$" out
exits "stat without it" 0 "$HARTSCOPE" stat loop.rec
is "stat without it: no calls" 0 "$(grep -c '^calls' out)"
exits "stat --calls --json" 0 "$HARTSCOPE" stat --calls --json loop.rec
json "stat --calls" out

for mode in targets sources; do
	exits "encode, $mode" 0 "$HARTSCOPE" encode --quiet --protocol etrace --set \
		fast-profile=$mode -o $mode.te loop.rec
	exits "stat, $mode" 0 "$HARTSCOPE" stat $mode.te
	has "$mode: one call" "^calls *1$" out
	has "$mode: one return" "^returns *1$" out
	has "$mode: no instructions" "^instructions *0$" out
	exits "dump, $mode" 0 "$HARTSCOPE" dump $mode.te
	is "$mode: packets" "Synchronisation Target Target Support" \
		"$(awk '{print $3}' out | tr '\n' ' ' | sed 's/ $//')"
done
exits "list" 0 "$HARTSCOPE" list sources.te
has "where the call was" "from 0x1006" out
has "where it led" "call to 0x100e" out
has "where the return led" "return to 0x100a" out
exits "decode" 0 "$HARTSCOPE" decode --quiet -o sources.flow sources.te
exits "stat of what was decoded" 0 "$HARTSCOPE" stat sources.flow
has "stat of what was decoded: one call" "^calls *1$" out

exits "itrace_fast_p" 0 "$HARTSCOPE" encode --quiet --protocol etrace --set itrace_fast_p=1 -o \
	only.te loop.rec
is "itrace_fast_p: targets" "$(od -An -tx1 targets.te)" "$(od -An -tx1 only.te)"
exits "itrace_fast_p without a fast profile" 2 "$HARTSCOPE" encode --quiet --protocol etrace --set \
	itrace_fast_p=1 \
	--set fast-profile=off -o none.te loop.rec
exits "cycles of packets without packets" 2 "$HARTSCOPE" encode --quiet --protocol etrace --set \
	cycle-counts=packets \
	-o none.te loop.rec
exits "3 bits of itype" 2 "$HARTSCOPE" encode --quiet --protocol etrace --set fast-profile=targets \
	--set itype_width_p=3 \
	-o none.te loop.rec
finish
