#!/bin/sh
# hartscope registers: parameters as writes, which other commands read as a dump.
. "$(dirname "$0")/lib.sh"
loop_rec
program='--bin loop.bin@0x1000'

parameters='--set trTeInstMode=btm --set trTeSrcBits=4 --set trTeSrcID=5'
# shellcheck disable=SC2086
exits "registers" 0 "$HARTSCOPE" registers $parameters -o board.regs
has "the mode and the format" "^trTeControl = 0x01810031" board.regs
has "SRC" "^trTeInstFeatures = 0x40050000" board.regs
has "what to wait for" "^trRamControl = 0x00000001  # activate; wait until & 0x1 reads 0x1" board.regs
is "the sink first, the encoder last" "[ram] [encoder]" "$(grep '^\[' board.regs | tr '\n' ' ' |
	sed 's/ $//')"
# What the encoder sends is what a decode with the writes reads.
for registers in "" "--registers board.regs"; do
	# shellcheck disable=SC2086
	"$HARTSCOPE" encode -q $registers $parameters -o loop.nt loop.rec
	rm loop.nt.json
	"$HARTSCOPE" list --format pc --registers board.regs $program loop.nt >got 2>err
	is "list with the writes: $registers" "$loop_pcs " "$(tr '\n' ' ' <got)"
done
# The trace of a TRACE.json, E-Trace, a filter.
"$HARTSCOPE" encode -q --protocol etrace --set full-address=true -o loop.et loop.rec
"$HARTSCOPE" registers --filter iaddr=0x1002-0x1005 --sink smem:0x80000000-0x8000fffc+funnel \
	loop.et >et.regs
has "TRACE.json: trTeInstNoAddrDiff" "^trTeInstFeatures = 0x00000001" et.regs
has "trRamStart" "^trRamStartLow = 0x80000000" et.regs
is "funnel" "[ram] [funnel] [encoder]" "$(grep '^\[' et.regs | tr '\n' ' ' | sed 's/ $//')"
"$HARTSCOPE" encode -q --registers et.regs -o f.et loop.rec 2>err
rm f.et.json
"$HARTSCOPE" list --format pc --registers et.regs --bin loop.bin@0x1000 f.et >got 2>err
"$HARTSCOPE" list --format pc loop.rec | awk '$1 "" >= "1002" && $1 "" <= "1005"' >want
is "the filter of the writes" "$(cat want)" "$(cat got)"
"$HARTSCOPE" registers --set repeatBranch=1 --sink pins4 --json >out
json "registers" out
has "JSON: what no register says" '"name": "repeatBranch","value": "1"' out
has "JSON: trPibMode 10" '"name": "trPibControl","offset": 0,"value": 163,"wait": 2' out
"$HARTSCOPE" registers --sink atb:0x12 >out
has "atb" "^trAtbBridgeControl = 0x00001203" out
"$HARTSCOPE" registers --sink none >out
is "no sink" "[encoder]" "$(grep '^\[' out)"
# Sequences of synchronisation are the sink's: trRamAsyncFreq and its like (EE Synchronization),
# which encode takes back.
for row in sram:trRamControl:0x00003003 pins4:trPibControl:0x000030a3 \
	atb:0x12:trAtbBridgeImpl:0x00003e01; do
	sink=${row%:*:*}
	line=${row#"$sink":}
	"$HARTSCOPE" registers --protocol etrace --set async-freq=3 --sink "$sink" -o sink.regs
	has "async-freq on $sink" "^${line%:*} = ${line#*:}" sink.regs
	"$HARTSCOPE" encode -q --registers sink.regs -o a.et loop.rec 2>err
	has "async-freq of $sink" '"async-freq": 3' a.et.json
done
"$HARTSCOPE" registers --protocol etrace --set async-freq=3 --sink none >out
has "async-freq without a sink" "no register says: async-freq = 3" out
for sink in disk pins3 pins4-packed atb:0 atb:0x70 smem:1-2 smem:8 smem:8-4; do
	exits "--sink $sink" 2 "$HARTSCOPE" registers --sink $sink
done
exits "trTeInstSyncMode has no bytes" 2 "$HARTSCOPE" registers --set trTeInstSyncMode=bytes
has "trTeInstSyncMode has no bytes: which" "trTeInstSyncMode" err
exits "registers have no time" 2 "$HARTSCOPE" registers --filter time=1-2
exits "0.026 has other registers" 2 "$HARTSCOPE" registers --protocol etrace --set version=0.026
exits "no such folder" 2 "$HARTSCOPE" registers -o no/such/file
finish
