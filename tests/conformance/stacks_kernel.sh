#!/bin/bash
# Call stacks of a kernel and its tasks: what a flow has where a function is entered is what the
# program says of itself, through traps into the kernel and back, faults in the middle of traps, and
# switches of tasks; of recordings and of a trace.  Of a flow that begins in the middle all that is
# said to be sure is right, also after switches to tasks that it has not seen.
#
#   stacks_kernel.sh STACKS     the program of stacks.c
stacks=$(realpath "$1") || exit 1
what='stacks of a kernel'
. "${HARTSCOPE_SOURCE:?}/tests/conformance/system.sh"

# say TEXT GOOD: a result, with what the last command printed
say()
{
	if [ "$2" -eq 0 ]; then
		echo "ok - $1"
	else
		echo "not ok - $1"
		head -n 10 "$work/out" | sed 's/^/  /'
		status=1
	fi
}

# record NAME FLAG...
record()
{
	riscv64-unknown-elf-gcc -g "${@:2}" -march=rv64imac_zicsr -mabi=lp64 -mcmodel=medany \
		-ffreestanding -nostdlib -static -fno-inline -fno-optimize-sibling-calls \
		-finstrument-functions -Wl,--no-relax -Wl,-Ttext=0x80000000 \
		-Wl,--build-id=none tests/programs/kernel.c -o "$work/$1.elf" 2>"$work/out" &&
		timeout 60 "$HARTSCOPE" record -q -o "$work/$1.rec" -- \
			"$qemu/bin/qemu-system-riscv64" -L "$qemu/share/qemu" -M virt -cpu max \
			-display none -serial "file:$work/$1.uart" -monitor none -audio none \
			-bios none -kernel "$work/$1.elf" </dev/null >"$work/out" 2>&1
	say "$1: a kernel with two tasks was recorded" $?
	sed 's/\b0*\([0-9a-f]\)/\1/g' "$work/$1.uart" >"$work/$1.log"
}

# same NAME SOURCE SKIPPED
same()
{
	"$stacks" "$2" "$3" >"$work/stacks" 2>"$work/out" &&
		python3 tests/conformance/stacks.py "$3" "$work/stacks" "$work/$1.log" >"$work/out"
	good=$?
	say "$1, ${2##*/}, $3 blocks left out: $(head -n 1 "$work/out")" $good
}

for level in O0 O1 O2; do
	record $level -$level
	same $level "$work/$level.rec" 0
	"$HARTSCOPE" calls -q --json "$work/$level.rec" >"$work/json" 2>"$work/out" &&
		python3 tests/conformance/calls.py "$work/json" "$work/$level.log" >"$work/out"
	good=$?
	say "$level, calls: $(tail -n 1 "$work/out")" $good
done
"$HARTSCOPE" encode -q --protocol etrace -o "$work/O2.et" "$work/O2.rec" >"$work/out" 2>&1
same O2 "$work/O2.et" 0
# Two tasks, and three: there a flow may have two of which one goes on, or is it the third?  At
# some of these places the flow begins with a function.
record three -O1 -DTASKS=3
for skip in 100 1000 5000 9700 20000 23000; do
	same O1 "$work/O1.rec" $skip
	same three "$work/three.rec" $skip
done
same O2 "$work/O2.et" 10000
exit $status
