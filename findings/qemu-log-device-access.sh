#!/bin/sh
# "-d exec" of qemu-system-riscv64 logs a block that accesses a device twice, and neither line is
# the block that in_asm shows.
#
# Expected: each line "Trace" is a block that ran from its address to its end, as in QEMU 7.2, and
# "-d in_asm" has shown its code; lines of one address and equal code are one block that ran again.
# Seen (QEMU 10.0): the block is left at the access ("cpu_io_recompile: rewound execution of TB to"
# says where), translated anew with one instruction, and run; what follows is a third block, in the
# middle of the first.  The lowest nine bits of the last number in brackets are the most
# instructions that a block may have; 0: no limit.  A reader without them takes the code behind the
# access as run twice.
#
# Fetches qemu-system-riscv and what it needs from Debian's backports, pinned, into a temporary
# folder; nothing is installed.  Exits with 0 while QEMU does so, 1 when it does not, 77 where the
# packages cannot be had.
set -eu
version='1:10.0.2+ds-2+deb13u1~bpo12+1'

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$(dirname "$0")/../scripts/guests/apt-suite.sh"
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
suite_open "$work/apt" "$suite-backports $suite"
(
	cd "$work/apt/get"
	suite_apt download opensbi "qemu-system-riscv=$version" "qemu-system-common=$version" \
		"qemu-system-data=$version" >>"$work/apt/log" 2>&1
) || { echo "no qemu-system-riscv $version: this finding is of that version"; exit 77; }
# Libraries that this system lacks.
libraries=$(suite_libraries "$suite-backports" "qemu-system-riscv=$version")
# shellcheck disable=SC2086  # a list of packages
[ -z "$libraries" ] || (cd "$work/apt/get" && suite_apt download $libraries >>"$work/apt/log" 2>&1)
for package in "$work"/apt/get/*.deb; do
	dpkg-deb -x "$package" "$work/root"
done
folders=$(find "$work/root" -name '*.so.*' -path '*/lib/*' -printf '%h\n' | sort -u | paste -s -d :)

# lui t0, 0x2000; j .+4; then a block: sw zero, 0(t0), which is a register of the timer; nop;
# lui t0, 0x100; lui t1, 0x5; addi t1, t1, 0x555; sw t1, 0(t0), which ends the machine; j .
printf '\267\002\000\002\157\000\100\000\043\240\002\000\023\000\000\000' >"$work/program"
printf '\267\002\020\000\067\123\000\000\023\003\123\125\043\240\142\000\157\000\000\000' \
	>>"$work/program"
qemu()
{
	LD_LIBRARY_PATH=$folders timeout 60 "$work/root/usr/bin/qemu-system-riscv64" \
		-L "$work/root/usr/share/qemu" "$@"
}
echo "version:  $(qemu --version 2>/dev/null | head -n 1)"
qemu -M virt -bios none -display none -serial none -monitor none -kernel "$work/program" \
	-d exec,nochain -D "$work/log" </dev/null >/dev/null 2>&1

echo 'expected: one line "Trace" for the block at 0x80000008'
sed -n '/\/0000000080000008\//,/\/000000008000000c\//p' "$work/log"
set -- $(sed -n 's/^Trace 0: [^[]*\[[0-9a-f]*\/0*80000008\/[0-9a-f]*\/[0-9a-f]*\([0-9a-f]\{3\}\)\].*/\1/p' \
	"$work/log")
echo "seen:     $# lines; the last three digits of the flags: $*"
[ $# -eq 2 ] && [ $((0x$1 & 0x1ff)) -eq 0 ] && [ $((0x$2 & 0x1ff)) -eq 1 ] &&
	grep -q '^cpu_io_recompile: rewound .* 0*80000008$' "$work/log" &&
	grep -q '^Trace 0: .*/000000008000000c/' "$work/log"
