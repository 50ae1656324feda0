#!/bin/sh
# --memory-limit and --time-limit: a command ends and says which, and leaves what was there.
. "$(dirname "$0")/lib.sh"
need riscv64-linux-gnu-gcc qemu-riscv64
riscv64-linux-gnu-gcc -g -O1 -static "$HARTSCOPE_SOURCE/examples/sort.c" -o sort || exit 1
echo 'int main(void) { for (;;); }' >spin.c
riscv64-linux-gnu-gcc -O0 -static spin.c -o spin || exit 1
"$HARTSCOPE" record -q -o sort.rec -- ./sort 20 >out 2>&1 || exit 1
"$HARTSCOPE" encode -q -o sort.nt sort.rec || exit 1

for wrong in 1 3M x -4M 99999999999G ''; do
	exits "--memory-limit '$wrong'" 2 "$HARTSCOPE" stat --memory-limit "$wrong" sort.rec
	has "--memory-limit '$wrong': says so" 'not a size from 4M on' err
done
# What a message may mean (design/resync).  ResourceFull RCODE 2 (NT 7.8) with HREPEAT 5000: 155000
# turns of beq a0,a1,0x100; a branch count of E-Trace of 20000.
printf '\143\000\265\000' >self.bin
printf '\044\025\000\013\154\310\374\374\374\374\375\040\070\007' >many.nt
awk 'BEGIN { print "itype_0,cause,tval,priv,iaddr_0,context,ctype,iretire_0,ilastsize_0"
	for (i = 0; i < 20000; i++) print "5,0,0,3,100,0,0,1,1" }' >self.csv
"$HARTSCOPE" import -q --from csv --bin self.bin@0x100 -o self.rec self.csv
"$HARTSCOPE" encode -q --protocol etrace --set branch-prediction=true --set bpred_size_p=4 \
	--set f0s_width_p=1 -o many.et self.rec
limited() { # limited TRACE NAME BLOCKS OPTION...
	trace=$1 name=$2 blocks=$3
	shift 3
	exits "$trace: as many blocks as it says" 0 "$HARTSCOPE" stat "$@" $trace
	has "$trace: $blocks" "^blocks *$blocks\$" out
	exits "$trace: --set $name=1k" 3 "$HARTSCOPE" stat "$@" --set $name=1k $trace
	has "$trace: --set $name=1k: says so" 'more blocks than a decoder takes from one' err
	has "$trace: --set $name=1k: none of what the count means" '^blocks *[01]$' out
	exits "$trace: --set $name=2^28+1" 2 "$HARTSCOPE" stat "$@" --set $name=268435457 $trace
}
limited many.nt messageBlocks 155,000 --protocol ntrace --set trTeInstMode=htm \
	--bin self.bin@0x100
limited many.et message-blocks 20,000

# The shell's limit of a file's size (in 512 bytes): an error, and neither a file nor a part of one.
# small TEXT OUTPUT COMMAND...
small() {
	text=$1 output=$2
	shift 2
	(ulimit -f 1 && exec "$HARTSCOPE" "$@" -o "$output") 2>err >/dev/null
	status=$?
	[ $status -gt 1 ] && [ $status -le 3 ] && ok "ulimit -f: $text" ||
		bad "ulimit -f: $text: exit status $status"
	has "ulimit -f: $text: says so" 'File too large' err
	is "ulimit -f: $text: nothing is left" '' "$(ls -d "$output"* 2>/dev/null)"
}
small 'a report' small.html report --html sort.rec
for format in callgrind sqlite chrome perfetto vcd port-csv; do
	small $format small.$format export --format $format sort.nt
done
small 'a trace' small.et encode --protocol etrace sort.rec
small 'a trace of samples' small.pins encode --transport pins4 sort.rec
small 'a flow' small.flow decode sort.nt
small 'ctr' small.ctr ctr --export json sort.rec
small 'coverage' small.lcov coverage --format lcov sort.rec

for wrong in 0 x -1 1e12 ''; do
	exits "--time-limit '$wrong'" 2 "$HARTSCOPE" stat --time-limit "$wrong" sort.rec
	has "--time-limit '$wrong': says so" 'not a number of seconds' err
done

if [ -z "${HARTSCOPE_SANITIZED-}" ]; then # a sanitizer needs terabytes
	for command in list report calls traps 'export --format folded -o -'; do
		# shellcheck disable=SC2086  # words
		"$HARTSCOPE" $command sort.rec >want 2>err
		# shellcheck disable=SC2086
		exits "$command: enough memory" 0 "$HARTSCOPE" $command --memory-limit 1G sort.rec
		is "$command: the same" "$(cat want)" "$(cat out)"
		# shellcheck disable=SC2086
		"$HARTSCOPE" $command --memory-limit 4M sort.rec >out 2>err
		is "$command: too little memory" yes "$([ $? -gt 1 ] && echo yes)"
		has "$command: says which limit" '^hartscope: --memory-limit 4M was reached' err
	done
	# Counts need less; how much depends on the C library that the program was linked with.
	"$HARTSCOPE" stat sort.rec >want
	exits "stat: little memory is enough" 0 "$HARTSCOPE" stat --memory-limit 8M sort.rec
	is "stat: the same" "$(cat want)" "$(cat out)"
	if "$HARTSCOPE" annotate main --memory-limit 4M sort.rec >out 2>err; then
		has "annotate: too little memory for a disassembler" 'no disassembler' err
		has "annotate: too little memory for a disassembler: bytes" '\.insn 0x' out
	else
		has "annotate: says which limit" '^hartscope: --memory-limit 4M was reached' err
	fi
	echo old >old
	for command in 'export --format sqlite' 'report --html'; do
		# shellcheck disable=SC2086
		"$HARTSCOPE" $command --memory-limit 4M -o old sort.rec >out 2>err
		is "$command: the old file stays" old "$(cat old)"
	done
	exits "record: too little memory" 0 "$HARTSCOPE" record -q --memory-limit 8M \
		-o no.rec -- ./sort 5
	has "record: says why" '^hartscope record: .* cut: out of memory' err
	has "record: says which limit" '^hartscope: --memory-limit 8M was reached' err
	exits "record: the emulator has no limit" 0 "$HARTSCOPE" record -q --memory-limit 300M \
		-o yes.rec -- ./sort 5
fi

# LLVM's library is there, and there is no room for it.
if (ulimit -v 170000 && "$HARTSCOPE" version) >out 2>&1 &&
	! "$HARTSCOPE" list --limit 2 sort.rec 2>&1 | grep -q 'no disassembler'; then
	(ulimit -v 170000 && "$HARTSCOPE" list --limit 2 sort.rec) >out 2>err
	has "ulimit -v: no disassembler: why" "LLVM's library cannot be loaded: .*failed to map" err
	has "ulimit -v: instructions as bytes" '\.insn 0x' out
fi

mkfifo pipe
sleep 60 >pipe &
writer=$!
for command in lint dump list stat 'decode -o no.flow'; do
	# shellcheck disable=SC2086
	exits "$command: too little time" 143 "$HARTSCOPE" $command --time-limit 1 --elf sort \
		--protocol ntrace pipe
	has "$command: says so" '^hartscope: --time-limit: not done after 1 s' err
done
kill $writer
is "decode leaves nothing" "" "$(ls -d no.flow* 2>err)"
exits "enough time" 0 "$HARTSCOPE" stat --time-limit 600 sort.rec
exits "record: too little time" 143 "$HARTSCOPE" record -q --time-limit 1 -o spin.rec -- ./spin
has "record: says so" '^hartscope: --time-limit: not done after 1 s' err
exits "what was recorded until then" 3 "$HARTSCOPE" stat spin.rec
has "is read" '^instructions  *[1-9]' out
finish
