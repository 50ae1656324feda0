#!/bin/bash
# Programs recorded by an emulator that scripts/guests/qemu-user.sh built, of which record finds
# both by itself: each instruction as in its own log, and there and back in both protocols, for
# RV64, RV32 and threads.  Another QEMU of PATH counts the same instructions.
#
#   emulator.sh [long]    long is for scripts/soak/soak.sh: all options of the protocols
set -u
. "${HARTSCOPE_SOURCE:?}/tests/conformance/trip.sh"
form=${1-short}
programs=$HARTSCOPE_SOURCE/tests/programs
gcc=riscv64-linux-gnu-gcc
need $gcc
# Two minutes where it is not there yet.
timeout 800 "$HARTSCOPE_SOURCE/scripts/guests/qemu-user.sh" >"$work/said" 2>&1 || {
	code=$?
	[ $code -eq 77 ] || cat "$work/said"
	echo "ok - QEMU 10 # SKIP $(tail -n 1 "$work/said")"
	[ $code -eq 77 ] && exit 77
	exit 1
}
bin=$(sed -n 's/^QEMU .* with plugins: \(.*\)\/qemu-riscv64, .*/\1/p' "$work/said")

# A PATH without its own emulators: record takes what was built.
mkdir "$work/path"
for tool in env setarch grep awk sed; do
	ln -s "$(command -v $tool)" "$work/path"
done
found()
{
	PATH=$work/path "$HARTSCOPE" record --check >"$work/out" 2>&1 &&
		grep -q "^programs of RV64 *$bin/qemu-riscv64, QEMU .* hartscope-qemu-[237].so" \
			"$work/out" &&
		grep -q "^programs of RV32 *$bin/qemu-riscv32, QEMU " "$work/out"
	code=$?
	verdict "record --check: $(head -n 1 "$work/said")" $code "$work/out"
}

# record NAME COMMAND...: complete, and there and back
record()
{
	local name=$1

	shift
	PATH=$work/path "$HARTSCOPE" record -q -o "$work/$name.rec" "$@" >"$work/out" 2>&1
	verdict "$name: exit status" $? "$work/out"
	complete "$name"
	if [ "$form" = long ]; then
		trip_all "$name"
	else
		trip "$name" ntrace "${all_ntrace[@]}"
		trip "$name" etrace "${all_etrace[@]}"
	fi
}

$gcc -O2 -static -o "$work/sort" "$HARTSCOPE_SOURCE/examples/sort.c" &&
	$gcc -O2 -static -pthread -o "$work/threads" "$programs/threads.c" &&
	$gcc -O2 -march=rv32imac -mabi=ilp32 -static -nostdlib -ffreestanding -o "$work/rv32" \
		"$programs/rv32.c" || exit 1
found
record sort -- "$work/sort"
record threads -- "$work/threads"
record rv32 --data -- "$work/rv32"

# Its own log.
PATH=$bin:$PATH "$HARTSCOPE_SOURCE/tests/conformance/qemu_exec.sh" >"$work/out" 2>&1
code=$?
grep '^not ok' "$work/out" >"$work/bad"
verdict "$(grep -c "^ok .*in QEMU's log" "$work/out") programs, instruction by instruction" $code \
	"$work/bad"

if command -v qemu-riscv32 >/dev/null &&
	"$HARTSCOPE" record -q --qemu "$(command -v qemu-riscv32)" -o "$work/other.rec" \
		-- "$work/rv32" >"$work/out" 2>&1; then
	for file in other rv32; do
		grep '"instructions"' "$work/$file.rec/manifest.json"
	done | uniq >"$work/out"
	[ "$(wc -l <"$work/out")" -eq 1 ]
	verdict "rv32: as many instructions as by that of PATH" $? "$work/out"
fi
exit "$status"
