#!/bin/sh
# One log of qemu-system-riscv32 has the same address with 8 digits and with 16.
#
# Expected: the width of an address in a log is that of the hart, as in QEMU 7.2, so that the width
# shows whether a log is of RV32 or RV64.
# Seen (QEMU 10.0): lines of "-d in_asm" have 8 digits, lines of "-d exec" 16, of the same block.
# A reader that infers XLEN from the lines of "-d exec" reads RV32 as RV64, and c.jal as c.addiw.
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

# lui t0, 0x100; lui t1, 0x5; addi t1, t1, 0x555; sw t1, 0(t0), which ends the machine; j .
printf '\267\002\020\000\025\143\023\003\123\125\043\240\142\000\001\240' >"$work/program"
qemu()
{
	LD_LIBRARY_PATH=$folders timeout 60 "$work/root/usr/bin/qemu-system-riscv32" \
		-L "$work/root/usr/share/qemu" "$@"
}
echo "version:  $(qemu --version 2>/dev/null | head -n 1)"
qemu -M virt -bios none -display none -serial none -monitor none -kernel "$work/program" \
	-d in_asm,exec,nochain -D "$work/log" </dev/null >/dev/null 2>&1

code=$(sed -n 's/^0x\([0-9a-f]*80000000\):.*/\1/p' "$work/log" | head -n 1)
run=$(sed -n 's/^Trace 0: [^[]*\[[0-9a-f]*\/\([0-9a-f]*80000000\)\/.*/\1/p' "$work/log" | head -n 1)
echo "expected: one width of the address 0x80000000 of an RV32 machine in one log"
echo "in_asm:   $code, ${#code} digits"
echo "exec:     $run, ${#run} digits"
grep -m 1 '80000000:' "$work/log"
grep -m 1 '^Trace .*80000000/' "$work/log"
[ ${#code} -eq 8 ] && [ ${#run} -eq 16 ]
