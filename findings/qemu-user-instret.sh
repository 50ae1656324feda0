#!/bin/bash
# QEMU 7.2 (Debian 12, qemu-user 1:7.2+dfsg-7+deb12u18+b3), qemu-riscv64: the CSR instret.
#
# Expected: rdinstret reads the number of instructions that retired (unprivileged manual, Zicntr): two
#           of them in a row differ by 1, and a program that counts a piece of code with them gets
#           the same number each time.
# Seen:     it reads a clock of the host: two in a row differ by thousands, and by another number in
#           each run, also with -singlestep.  No option makes it count instructions.
# Exit status 0: as seen; 1: it changed.
set -eu
version=1:7.2+dfsg-7+deb12u18+b3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
packages="qemu-user=$version"
for library in libcapstone4=4.0.2-5 liburing2=2.3-3 libnuma1=2.0.16-1 libglib2.0-0 libgnutls30; do
	dpkg -s "${library%%=*}" >/dev/null 2>&1 || packages="$packages $library"
done
# shellcheck disable=SC2086  # a list
apt-get download -q $packages >log 2>&1 || { cat log; echo 'SKIP: no such packages here'; exit 77; }
for file in *.deb; do
	dpkg-deb -x "$file" root
done
export LD_LIBRARY_PATH=$work/root/usr/lib/x86_64-linux-gnu:$work/root/lib/x86_64-linux-gnu

# Writes instret of the second rdinstret less that of the first, 8 bytes.
python3 - <<'END'
import struct
code = b''.join(struct.pack('<I', i) for i in (
    0xc0202473,  # rdinstret s0
    0xc02024f3,  # rdinstret s1
    0x408484b3,  # sub s1, s1, s0
    0xff010113,  # addi sp, sp, -16
    0x00913023,  # sd s1, 0(sp)
    0x00100513,  # li a0, 1
    0x00010593,  # mv a1, sp
    0x00800613,  # li a2, 8
    0x04000893,  # li a7, 64: write
    0x00000073,  # ecall
    0x05d00893,  # li a7, 93: exit
    0x00000513,  # li a0, 0
    0x00000073)) # ecall
head = b'\x7fELF\x02\x01\x01' + bytes(9) + struct.pack('<HHIQQQIHHHHHH', 2, 243, 1, 0x10078, 64, 0,
                                                        0, 64, 56, 1, 0, 0, 0)
load = struct.pack('<IIQQQQQQ', 1, 5, 0, 0x10000, 0x10000, 120 + len(code), 120 + len(code), 4096)
open('program', 'wb').write(head + load + code)
END
chmod +x program
seen()
{
	timeout 20 root/usr/bin/qemu-riscv64 "$@" ./program | od -An -tu8 | tr -d ' '
}
echo "qemu-user $version; instructions between two rdinstret, expected 1:"
for run in 1 2 3; do
	echo "run $run: $(seen)"
done | tee runs
echo "run 4 (-singlestep): $(seen -singlestep)" | tee -a runs
[ "$(sed 's/.*: //' runs | sort -u | wc -l)" -gt 1 ] &&
	[ "$(sed 's/.*: //' runs | sort -n | head -n 1)" -gt 20 ] || { echo 'it has changed'; exit 1; }
