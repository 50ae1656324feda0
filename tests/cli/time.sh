#!/bin/sh
# Time of recordings that have none: a cycle for each instruction, or by kinds; in listings, and in
# the timestamps of both protocols.
. "$(dirname "$0")/lib.sh"
loop_rec

# block_times SOURCE [OPTION...]: "PC TIME" of each block's last instruction
block_times() {
	"$HARTSCOPE" list "$@" | sed -nE 's/^ +([0-9.]+)  +0x([0-9a-f]{4})  [0-9a-f]{4,}.*/\2 \1/p' |
		tr '\n' ' '
}

# 1000 1002 1004 taken; 1002 1004; 1006 jal; 100e ret; 100a, which is the last
is 'a cycle each' '1004 3 1004 5 1006 6 100e 7 100a 8 ' "$(block_times --time loop.rec)"
# 1 + 1 + 9; 1 + 1; 2; 5; 1
is 'by kind' '1004 11 1004 13 1006 15 100e 20 100a 21 ' \
	"$(block_times --cycles-per taken=9 --cycles-per jump=2 --cycles-per return=5 loop.rec)"
is 'all instructions' '1004 12 1004 20 1006 24 100e 28 100a 32 ' \
	"$(block_times --cycles-per instruction=4 loop.rec)"
is 'in seconds' \
	'1004 0.003000000 1004 0.005000000 1006 0.006000000 100e 0.007000000 100a 0.008000000 ' \
	"$(block_times --clock 1000 loop.rec)"
is 'in seconds of a third' '1004 1.000000000 1004 1.666666666 ' \
	"$(block_times --clock 3 --limit 5 loop.rec)"
is 'without --time there is none' '' "$(block_times loop.rec)"
"$HARTSCOPE" list --json --time loop.rec >out
json 'list --time' out
is 'JSON: time' '3 5 6 7 8 ' "$(sed -nE 's/.*"time":([0-9]+).*/\1/p' out | tr '\n' ' ')"
"$HARTSCOPE" list --json --clock 1000 loop.rec >out
json 'list --clock' out
has 'JSON: seconds' '"seconds":0.008000000}' out
for wrong in load=0 walk=1 load load=65536 =1; do
	exits "--cycles-per $wrong" 2 "$HARTSCOPE" list --cycles-per $wrong loop.rec
done
exits '--cycles-per trap=0' 0 "$HARTSCOPE" list --cycles-per trap=0 loop.rec

# N-Trace: TSTAMP of a synchronising message is the time, of others the difference (NT 8.7).  The
# trace starts before anything retired; ResourceFull and others are not in a loop that short.
"$HARTSCOPE" encode -q --protocol ntrace --set trTsEnable=1 -o loop.nt loop.rec
"$HARTSCOPE" dump loop.nt >out
sum=0
for t in $(sed -nE 's/.*TSTAMP=(0x)?([0-9]+).*/\2/p' out); do sum=$((sum + t)); done
is 'N-Trace: the timestamps add up to 8 cycles' 8 $sum
"$HARTSCOPE" encode -q --protocol ntrace --set trTsEnable=1 --cycles-per instruction=10 \
	-o slow.nt loop.rec
sum=0
for t in $("$HARTSCOPE" dump slow.nt | sed -nE 's/.*TSTAMP=([0-9]+).*/\1/p'); do
	sum=$((sum + t))
done
is 'N-Trace: ten cycles each' 80 $sum
# The times of a trace are those of its messages, after their blocks: taken branch to ret, the end.
is 'N-Trace: times of a listing' '; time 3 ; time 7 ; time 8 ' \
	"$("$HARTSCOPE" list --time --bin loop.bin@0x1000 loop.nt | grep '; time' | tr '\n' ' ')"
is 'N-Trace: in seconds' '; time 0.003000000 s ; time 0.007000000 s ; time 0.008000000 s ' \
	"$("$HARTSCOPE" list --clock 1000 --bin loop.bin@0x1000 loop.nt | grep '; time' |
		tr '\n' ' ')"

# E-Trace: the time of the encapsulation, of payloads, and a synchronisation each 2^(n+4) cycles.
"$HARTSCOPE" encode -q --protocol etrace --set trTsWidth=2 -o loop.et loop.rec
"$HARTSCOPE" dump loop.et >out
has 'E-Trace: the last timestamp' 'timestamp=\(0x\)\{0,1\}8' out
"$HARTSCOPE" encode -q --protocol etrace --set notime_p=0 --set time_width_p=32 -o loop.et loop.rec
"$HARTSCOPE" dump loop.et >out
has 'E-Trace: time of payloads' ' time=' out
"$HARTSCOPE" encode --protocol etrace --set trTeInstSyncMode=cycles --set resync-max=0 \
	--cycles-per instruction=9 -o loop.et loop.rec >out
has 'E-Trace: synchronised by cycles' '^ *[2-9]  Synchronisation' out

# Times of which a trace has the low bits (design/times): never back, and the same as with all bits.
trace_times()
{
	"$HARTSCOPE" list --time --bin loop.bin@0x1000 "$1" | sed -n 's/^; time //p' | tr '\n' ' '
}
for ticks in 30 100 300 1000; do
	timed="--set version=2.1 --set notime_p=0 --set time_width_p=64"
	timed="$timed --cycles-per instruction=$ticks"
	# shellcheck disable=SC2086 # several words
	"$HARTSCOPE" encode -q --protocol etrace --set trTsWidth=1 $timed -o part.et loop.rec
	# shellcheck disable=SC2086 # several words
	"$HARTSCOPE" encode -q --protocol etrace --set trTsWidth=8 --set notime_p=1 \
		--cycles-per instruction=$ticks -o whole.et loop.rec
	is "E-Trace: a byte of each time, $ticks ticks" "$(trace_times whole.et)" \
		"$(trace_times part.et)"
	exits "E-Trace: lint of them" 0 "$HARTSCOPE" lint --config part.et.json part.et
	for what in list\ --time report calls 'export --format chrome --clock 1000000000 -o -' \
		'export --format perfetto --clock 1000000000 -o -' 'report --html -o -'; do
		for trace in part whole; do
			# shellcheck disable=SC2086 # several words
			"$HARTSCOPE" ${what%% *} -q ${what#"${what%% *}"} --bin loop.bin@0x1000 \
				$trace.et | sed "s/$trace\.et/trace.et/g" >$trace.out
		done
		is "E-Trace: $what, of a byte of each time, $ticks ticks" "$(cksum <whole.out)" \
			"$(cksum <part.out)"
	done
done
trace_times whole.et >out
has 'E-Trace: times there are' '[0-9]000 [0-9]000' out
narrow='--set trTsEnable=1 --set trTeInstMode=btm --set trTeInstSyncMode=cycles'
narrow="$narrow --set trTeInstSyncMax=0"
# shellcheck disable=SC2086 # several words
"$HARTSCOPE" encode -q --protocol ntrace $narrow --cycles-per instruction=12 -o whole.nt loop.rec
# shellcheck disable=SC2086 # several words
"$HARTSCOPE" encode -q --protocol ntrace $narrow --cycles-per instruction=12 --set trTsWidth=6 \
	-o part.nt loop.rec
is 'N-Trace: a counter of 6 bits' "$(trace_times whole.nt)" "$(trace_times part.nt)"
is 'N-Trace: it turned over' differ "$(cmp -s whole.nt part.nt && echo same || echo differ)"

# Encoders that ask for no time get none.
"$HARTSCOPE" encode -q --protocol ntrace -o plain.nt loop.rec
"$HARTSCOPE" encode -q --protocol ntrace --cycles-per load=5 -o cycles.nt loop.rec
is 'without timestamps the bytes are the same' "$(cksum <plain.nt)" "$(cksum <cycles.nt)"

# A recording that has times keeps them: what was decoded from a trace with timestamps.
"$HARTSCOPE" decode -q --bin loop.bin@0x1000 -o flow.rec slow.nt
is 'times of a trace' '; time 30 ; time 70 ; time 80 ' \
	"$("$HARTSCOPE" list --time flow.rec | grep '; time' | tr '\n' ' ')"
is 'and no others' '' "$(block_times --time flow.rec)"
finish
