#!/bin/bash
# Debian's Linux on the firmware of firmware/: it boots on QEMU's virt machine, runs programs and
# powers off.
#
#   linux.sh [long]    long is for scripts/soak.sh: both QEMUs, 1 and 4 harts, harts with less and
#                      with more than usual
set -u
cd "${HARTSCOPE_SOURCE:?}" || exit 1
build=${HARTSCOPE_BUILD:?}
form=${1-short}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

skip()
{
	echo "ok - Linux on the firmware # SKIP $1"
	exit 77
}

verdict()
{
	if [ "$2" -eq 0 ]; then
		echo "ok - $1"
	else
		echo "not ok - $1"
		tail -n 8 "$work/out" | sed 's/^/  /'
		status=1
	fi
}

# boot NAME HARTS CPU [ARGUMENT...]: to $work/out
boot()
{
	local name=$1 harts=$2 cpu=$3

	shift 3
	scripts/linux-guest.sh boot "$build" 120 "$work/guest" "${qemu[@]}" \
		-bios "$work/fw.elf" -smp "$harts" -cpu "$cpu" "$@" >"$work/out" 2>"$work/err" &&
		grep -q "^user space: $harts harts" "$work/out" &&
		grep -q 'reboot: Power down' "$work/out"
	verdict "$name, $harts harts, -cpu $cpu: boots, runs, powers off" $?
	grep -q 'nomap .*firmware@80000000' "$work/out"
	verdict "$name, $harts harts, -cpu $cpu: the firmware's memory is not mapped" $?
}

command -v riscv64-unknown-elf-gcc >/dev/null || skip 'no riscv64-unknown-elf-gcc'
timeout 200 scripts/linux-guest.sh fetch "$build" linux busybox-static >"$work/fetch" 2>&1 ||
	skip "$(tail -n 1 "$work/fetch")"
timeout 100 scripts/qemu-new.sh "$build" >"$work/fetch" 2>&1 || skip "$(tail -n 1 "$work/fetch")"
firmware/build.sh 64 "$work" || exit 1
scripts/linux-guest.sh initramfs "$build" "$work/guest" tests/linux_guest/init || exit 1

new=$build/qemu-new/usr
qemu=("$new/bin/qemu-system-riscv64" -L "$new/share/qemu")
if [ "$form" != long ]; then
	boot 'new QEMU' 1 rv64,sscofpmf=on
	exit $status
fi
for harts in 1 4; do
	boot 'new QEMU' $harts rv64,sscofpmf=on
	boot 'new QEMU' $harts max,sscofpmf=on,smstateen=on,smrnmi=on
	boot 'new QEMU' $harts rv64,zicntr=off,sstc=off
done
if command -v qemu-system-riscv64 >/dev/null; then
	qemu=(qemu-system-riscv64)
	for harts in 1 4; do
		boot 'installed QEMU' $harts rv64,sscofpmf=on
	done
fi
exit $status
