#!/bin/sh
# record --encode: the trace of a program that runs is that of its recording.
. "$(dirname "$0")/lib.sh"
: "${HARTSCOPE_SOURCE:?the source folder}"
gcc=riscv64-linux-gnu-gcc
need $gcc qemu-riscv64
for name in last signals faults selfmod jit rewrite fork; do
	$gcc -O2 -static -pthread -o $name "$HARTSCOPE_SOURCE/tests/programs/$name.c" || exit 1
done

protocols='ntrace etrace'
settings=

# same TEXT STATUS ARGUMENTS...: one run, recorded and encoded; its trace, and what is next to it,
# is what encode makes of the recording, for both protocols
same() {
	name=$1 status=$2
	shift 2
	for protocol in $protocols; do
		text="$name, $protocol"
		rm -rf live* both*
		exits "$text" "$status" "$HARTSCOPE" record -q --encode $protocol $settings \
			--recording both.rec -o live "$@"
		exits "$text: encode" 0 "$HARTSCOPE" encode -q --protocol $protocol $settings \
			-o both both.rec
		cmp -s live both && ok "$text: $(wc -c <live) bytes" || bad "$text: other bytes"
		[ ! -e both.code ] && [ ! -e live.code ] || cmp -s live.code both.code &&
			ok "$text: changes of the code" || bad "$text: other changes of the code"
	done
}

same 'a run' 0 -- ./last 100000
same 'a crash' 139 -- ./last 1000 fault
same 'signals' 0 -- ./signals 40
same 'faults that are handled' 0 --exact-faults -- ./faults
same 'code that changes' 0 -- ./selfmod
same 'code that is made' 0 -- ./jit
same 'from and to a mark' 0 --from main --to reached -- ./last 1000

# Times are those of a clock that counts cycles; TACIT has always some.
protocols=tacit
same 'times' 0 -- ./last 100000
same 'times, signals' 0 -- ./signals 40
same 'times, code that is made' 0 -- ./jit
protocols=ntrace settings='--set trTsEnable=1'
same 'times' 0 -- ./last 1000
exits 'times: decode' 0 "$HARTSCOPE" decode -q -o times.flow live
exits 'times: check' 0 "$HARTSCOPE" check both.rec times.flow

protocols=etrace settings='--set data-trace=1'
same 'accesses' 0 --data -- ./last 100

# Without a recording: the same program, the same bytes; the program's file is enough to decode.
"$HARTSCOPE" record -q -o alone.rec -- ./last 20000 >out
"$HARTSCOPE" encode -q --protocol ntrace -o want alone.rec
exits 'no recording' 0 "$HARTSCOPE" record -q --encode ntrace -o alone.nt -- ./last 20000
is 'no recording: output' walked "$(cat out)"
cmp -s want alone.nt && ok 'no recording: the same bytes' || bad 'no recording: other bytes'
is 'no recording: what there is' 'alone.nt alone.nt.code.rec alone.nt.json alone.rec' \
	"$(echo alone*)"
exits 'no recording: decode' 0 "$HARTSCOPE" decode -q --elf last -o alone.flow alone.nt
exits 'no recording: check' 0 "$HARTSCOPE" check alone.rec alone.flow

# by_source FILE: the messages of each source, in their order
by_source() {
	"$HARTSCOPE" dump "$1" | sed -n 's/^ *[0-9a-f]*  *[0-9]*  src/src/p' | sort -s -k 2,2n
}

# Several harts: each has the messages that encode makes of it; which come first may differ.
for program in './last 20000 exit 3' ./rewrite; do
	rm -rf live* both*
	exits "$program" 0 "$HARTSCOPE" record -q --encode ntrace --recording both.rec --harts 4 \
		-o live -- $program
	"$HARTSCOPE" encode -q --protocol ntrace -o both both.rec
	by_source both >want
	by_source live >have
	[ -s want ] && cmp -s want have && ok "$program: the messages of each hart" ||
		bad "$program: other messages"
	for protocol in ntrace etrace; do
		exits "$program, $protocol" 0 "$HARTSCOPE" record -q --encode $protocol \
			--recording both.rec --harts 4 -o live -- $program
		exits "$program, $protocol: decode" 0 "$HARTSCOPE" decode -q --image both.rec \
			-o live.flow live
		exits "$program, $protocol: check" 0 "$HARTSCOPE" check both.rec live.flow
	done
	for protocol in ntrace etrace; do # of one run
		"$HARTSCOPE" encode -q --protocol $protocol -o both.$protocol both.rec
	done
	exits "$program: two traces" 0 "$HARTSCOPE" check both.ntrace both.etrace
	exits "$program: a hart of two traces" 0 "$HARTSCOPE" check --hart 1 both.ntrace both.etrace
	is "$program: a hart of two traces: not hart 0" 0 "$(grep -c '^equal: 0 blocks' out)"
done

# More threads than there is room for: said, and the program ends as it does.
for options in '--encode ntrace -o -' '--encode etrace -o /dev/stdout' '-o -'; do
	# shellcheck disable=SC2086
	exits "record $options" 2 "$HARTSCOPE" record -q $options -- ./last 20
	has "record $options: says so" "standard output is the program's" err
	is "record $options: nothing ran" '' "$(cat out; ls -d ./-* 2>/dev/null)"
done
exits 'too many harts' 126 "$HARTSCOPE" record -q --encode ntrace --harts 2 -o live -- \
	./last 1000 exit 3
is 'too many harts: output' walked "$(cat out)"
has 'too many harts: said' '2 harts are not in the trace, which has room for 2' err

# Children are not in the trace.
exits 'fork' 0 "$HARTSCOPE" record -q --encode ntrace -o live -- ./fork
is 'fork: output' "$(qemu-riscv64 ./fork)" "$(cat out)"

# The program waits for who reads the trace, and it is the same.
mkfifo slow
{ sleep 1; cat; } <slow >read &
exits 'a slow reader' 0 "$HARTSCOPE" record -q --encode ntrace -o slow -- ./last 300000
wait
"$HARTSCOPE" record -q --encode ntrace -o fast -- ./last 300000 >out
cmp -s read fast && ok 'a slow reader: the same bytes' || bad 'a slow reader: other bytes'

# QEMU is killed: what was executed until then.  The output of the run before is none of it.
rm out
"$HARTSCOPE" record -q --encode ntrace --recording both.rec -o live -- ./last 100000 wait >out \
	2>err &
recorder=$!
for i in $(seq 600); do
	grep -q walked out 2>/dev/null && break
	sleep 0.1
done
kill -KILL $(cat /proc/$recorder/task/$recorder/children)
wait $recorder
is 'killed: exit status' 137 $?
"$HARTSCOPE" encode -q --protocol ntrace -o both both.rec 2>err
cmp -s live both && ok 'killed: the same bytes' || bad 'killed: other bytes'

# Nothing is executed between the marks: an empty trace.
exits 'no mark' 0 "$HARTSCOPE" record -q --encode ntrace --from 0x2 -o empty -- ./last 10
is 'no mark: an empty trace' 0 "$(wc -c <empty)"
has 'no mark: said' 'from was not reached' err

# A program that writes over the recorder's memory spoils its trace, and nothing waits or fails.
$gcc -O1 -static -I "$HARTSCOPE_SOURCE/src" -o scribble \
	"$HARTSCOPE_SOURCE/tests/programs/scribble.c"
for what in p c e h t; do
	exits "scribble $what" 3 timeout -k 1 30 "$HARTSCOPE" record -q --encode ntrace \
		-o scribbled -- ./scribble $what
done

# What does not go together.
exits '--set without --encode' 2 "$HARTSCOPE" record --set trTeInstMode=btm -- ./last
exits '--encode and --keep-last' 2 "$HARTSCOPE" record --encode ntrace --keep-last 1M -- ./last
exits '--harts 0' 2 "$HARTSCOPE" record --encode ntrace --harts 0 -- ./last
exits 'no such protocol' 126 "$HARTSCOPE" record --encode ctr -o none -- ./last
exits 'no such parameter' 126 "$HARTSCOPE" record --encode ntrace --set x=1 -o none -- ./last
for options in 'ntrace --set trTsEnable=1' tacit; do
	# shellcheck disable=SC2086
	exits "times of harts, $options" 126 "$HARTSCOPE" record --encode $options --harts 2 \
		-o none -- ./last
	has "times of harts, $options: why" 'timestamps of several harts need a recording' err
done
is 'nothing is left' 'none*' "$(echo none*)"
exit $failed
