#!/bin/bash
# Programs that drive CTR themselves, recorded with data on QEMU 10's own CTR: each value that they
# read of its registers is the one that a replay of the recording has there.
set -u
registers=$(realpath "${1:?the program that compares registers}") || exit 1
cd "${HARTSCOPE_SOURCE:?}" || exit 1
: "${HARTSCOPE:?the path of the tool}"
build=${HARTSCOPE_BUILD:?}
qemu=$build/qemu-new/usr
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

skip()
{
	echo "ok - CTR by its replay # SKIP $1"
	exit 77
}

command -v riscv64-unknown-elf-gcc >/dev/null || skip 'no riscv64-unknown-elf-gcc'
timeout 100 scripts/guests/qemu-new.sh "$build" >"$work/fetch" 2>&1
[ -d "$qemu/bin" ] || skip "$(tail -n 1 "$work/fetch")"

for xlen in 64 32; do
	for program in m s; do
		tests/ctr_guest/build.sh $program $xlen "$work/$program.elf" || exit 1
		timeout 100 "$HARTSCOPE" record -q --data -o "$work/$program-$xlen.rec" -- \
			"$qemu/bin/qemu-system-riscv$xlen" -L "$qemu/share/qemu" -M virt \
			-display none -serial none -monitor none -audio none \
			-cpu max,smctr=on,ssctr=on -bios none -kernel "$work/$program.elf" \
			</dev/null >"$work/log" 2>&1 || cat "$work/log"
		if "$registers" "$work/$program-$xlen.rec" >"$work/out"; then
			echo "ok - $program, rv$xlen: $(tail -n 1 "$work/out") reads as the hart's"
		else
			echo "not ok - $program, rv$xlen"
			head -n 8 "$work/out"
			status=1
		fi
	done
done
exit $status
