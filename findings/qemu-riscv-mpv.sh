#!/bin/bash
# QEMU 10.0.13 (Debian 13, qemu-system-riscv 1:10.0.13+ds-0+deb13u1), virt machine, rv64 with H and
# Sscofpmf, code in M-mode.
#
# Expected: mstatus.MPV can be written, so that mret enters a guest (privileged manual, "Machine
# Status Registers"); mie.LCOFIE can be written where there is Sscofpmf.
# Seen: both read 0 after they were set.  MPV: since 10.0.11, also in 11.1.3; only sret with
# hstatus.SPV, or a trap out of a guest, leads to V=1.  LCOFIE: 10.0.11 to 10.0.13, so that perf
# record takes no samples in a guest; 10.0.2 and 11.1.3 have it.
#
# Installs nothing: packages go to a temporary folder.  Exits 0 while QEMU behaves so.  Needs Debian
# 13.
set -eu
version=1:10.0.13+ds-0+deb13u1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
packages="qemu-system-riscv=$version"
for library in libcapstone5 libfdt1 libslirp0 libpixman-1-0 liburing2 libnuma1 libaio1t64 \
	libbpf1 libdw1t64 libpng16-16t64 libsasl2-2 libjpeg62-turbo libgnutls30t64 libvdeplug2t64; do
	dpkg -s "$library" >/dev/null 2>&1 || packages="$packages $library"
done
# shellcheck disable=SC2086  # a list
apt-get download -q $packages >log 2>&1 || { cat log; echo 'SKIP: no such packages here'; exit 77; }
for file in *.deb; do
	dpkg-deb -x "$file" root
done
export LD_LIBRARY_PATH=$work/root/usr/lib/x86_64-linux-gnu
qemu=root/usr/bin/qemu-system-riscv64

# The exit status has bit 2, MPV in bit 0, and LCOFIE in bit 1.
python3 - <<'END'
import struct
open('program', 'wb').write(b''.join(struct.pack('<I', i) for i in (
    0x00100293,  # li t0, 1
    0x02729293,  # slli t0, t0, 39: MPV
    0x3002a073,  # csrs mstatus, t0
    0x30002573,  # csrr a0, mstatus
    0x02755513,  # srli a0, a0, 39
    0x00157513,  # andi a0, a0, 1
    0x000022b7,  # lui t0, 2: LCOFIE
    0x3042a073,  # csrs mie, t0
    0x304025f3,  # csrr a1, mie
    0x00c5d593,  # srli a1, a1, 12
    0x0025f593,  # andi a1, a1, 2
    0x00b56533,  # or a0, a0, a1
    0x00456513,  # ori a0, a0, 4
    0x01051513,  # slli a0, a0, 16
    0x000032b7,  # lui t0, 3
    0x33328293,  # addi t0, t0, 0x333: end with the status above
    0x00556533,  # or a0, a0, t0
    0x001002b7,  # lui t0, 0x100: virt's test device
    0x00a2a023,  # sw a0, (t0)
    0x0000006f)))  # j .
END
$qemu --version | head -n 1
seen=0
timeout 60 $qemu -M virt -cpu rv64,h=true,sscofpmf=true -display none -monitor none -serial none \
	-bios none -device loader,file=program,addr=0x80000000 >log 2>&1 || seen=$?
[ "$seen" -ge 4 ] && [ "$seen" -le 7 ] || { cat log; echo "SKIP: it did not run ($seen)"; exit 77; }
echo "expected: MPV 1, LCOFIE 1; seen: MPV $((seen & 1)), LCOFIE $((seen >> 1 & 1))"
[ "$seen" = 4 ]
