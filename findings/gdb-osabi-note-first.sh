#!/bin/bash
# GDB on RISC-V: the system that a remote target describes (<osabi>none</osabi>) is not used where the
# program has a note of its own (.note.ABI-tag: every program that links with glibc).
#
# Expected: the target description, which the stub sends when GDB connects, decides over the file;
#           and GDB asks a target that offers vCont;s for a step.
# Seen:     the note wins.  For GNU/Linux GDB steps by a breakpoint (Z0, vCont;c), at the place that it
#           works out from registers; those that are unavailable are 0 for it, so that a branch
#           that is taken (bnez) is stepped as one that is not.
# Exit status 0: as seen; 1: it changed.
set -eu
gdb=gdb-multiarch=13.1-3
binutils=binutils-riscv64-linux-gnu=2.40-2
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
apt-get download -q "$gdb" "$binutils" >/dev/null 2>&1
for package in *.deb; do dpkg-deb -x "$package" root; done
PATH=$work/root/usr/bin:$PATH
export LD_LIBRARY_PATH=$work/root/usr/lib/x86_64-linux-gnu
dpkg-deb -f gdb-multiarch_*.deb Package Version

program() # program NAME: with a note or without
{
	cat >"$1.s" <<'END'
	.globl _start
_start:	bnez a0, 1f
	nop
1:	j 1b
END
	[ "$1" = plain ] || cat >>"$1.s" <<'END'
	.section .note.ABI-tag,"a",@note
	.balign 4
	.word 4, 16, 1, 0x554e47, 0, 4, 15, 0
END
	riscv64-linux-gnu-as -march=rv64i -mno-relax "$1.s" -o "$1.o"
	riscv64-linux-gnu-ld -Ttext=0x10000 "$1.o" -o "$1"
}

cat >stub.py <<'END'
"""A target at _start with pc and zero, which writes down what GDB asks it to do."""
import sys

CODE = {}
xml = ('<?xml version="1.0"?><!DOCTYPE target SYSTEM "gdb-target.dtd"><target version="1.0">'
       '<architecture>riscv:rv64</architecture><osabi>none</osabi>'
       '<feature name="org.gnu.gdb.riscv.cpu">'
       + "".join('<reg name="%s" bitsize="64" type="%s"/>' % (n, t) for n, t in
                 [("x%d" % i if i else "zero", "int") for i in range(32)] + [("pc", "code_ptr")])
       + "</feature></target>")
pc, log = 0x10000, open(sys.argv[2], "w")
code = bytes.fromhex(sys.argv[1])


def answer(p):
    global pc
    if p.startswith("qSupported"):
        return "PacketSize=2000;qXfer:features:read+;swbreak+;vContSupported+"
    if p.startswith("qXfer:features"):
        start, size = (int(v, 16) for v in p.split(":")[-1].split(","))
        return ("m" if start + size < len(xml) else "l") + xml[start:start + size]
    if p == "?":
        return "T05thread:1;"
    if p == "g":
        return "00" * 8 + "xx" * 8 * 31 + pc.to_bytes(8, "little").hex()
    if p.startswith("m"):
        at, n = (int(v, 16) for v in p[1:].split(","))
        part = code[at - 0x10000:at - 0x10000 + n] if at >= 0x10000 else b""
        return part.hex() or "E01"
    if p[:2] in ("Z0", "z0") or p[0] == "H" or p == "qfThreadInfo":
        log.write(p + "\n") if p[:2] == "Z0" else None
        return "m1" if p[0] == "q" else "OK"
    if p == "qsThreadInfo":
        return "l"
    if p == "vCont?":
        return "vCont;c;C;s;S"
    if p.startswith("vCont;"):
        log.write(p + "\n")
        pc += 8  # the branch is taken
        return "T05thread:1;"
    return "OK" if p[0] in "Dk" else ""


stdin, stdout = sys.stdin.buffer, sys.stdout.buffer
while True:
    c = stdin.read(1)
    if not c:
        break
    if c != b"$":
        continue
    packet = b""
    while not packet.endswith(b"#"):
        packet += stdin.read(1)
    stdin.read(2)
    reply = answer(packet[:-1].decode()).encode()
    stdout.write(b"+$" + reply + b"#%02x" % (sum(reply) % 256))
    stdout.flush()
    log.flush()
    if packet[:1] in b"Dk":
        break
END

for name in plain noted; do
	program $name
	riscv64-linux-gnu-objcopy -O binary -j .text $name $name.bin
	timeout 60 gdb-multiarch --data-directory="$work/root/usr/share/gdb" -nx -batch \
		-ex "target remote | python3 stub.py $(od -An -v -tx1 $name.bin | tr -d ' \n') $name.log" \
		-ex stepi ./$name >$name.out 2>&1 || true
	echo "$name program: stepi sends $(tr '\n' ' ' <$name.log)"
done
grep -q '^vCont;s' plain.log && ! grep -q '^Z0' plain.log && grep -q '^Z0,10004' noted.log &&
	grep -q '^vCont;c' noted.log || { echo 'it changed'; exit 1; }
