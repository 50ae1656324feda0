#!/bin/bash
# GNU objdump 2.40 for RISC-V: the address that it writes after "#" next to a load.
#
# Expected: the address of the access, as lui and the load make it; no comment where objdump cannot know
#           the register.
# Seen:     the register has the value of the last lui in the listing, whatever the code does between:
#           where a branch leads to the load from another lui, it is one address of two, and the
#           function after a "ret" is shown with what the function before it left in the register.
#           The next load from the same register has no comment.
# Exit status 0: as seen; 1: it changed.
set -eu
package=binutils-riscv64-linux-gnu=2.40-2
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
apt-get download -q "$package" >/dev/null 2>&1
dpkg-deb -x *.deb root
dpkg-deb -f *.deb Package Version
export LD_LIBRARY_PATH=$work/root/usr/lib/x86_64-linux-gnu PATH=$work/root/usr/bin:$PATH
cat >two.s <<'END'
	.globl _start
_start:	beqz a0, 1f
	lui a5, 0x12
	j 2f
1:	lui a5, 0x34
2:	lw a1, 4(a5)
	lw a2, 8(a5)
	lui a4, 0x56
	ret
other:	lw a0, 4(a4)
	ret
END
riscv64-linux-gnu-as -march=rv64i two.s -o two.o
riscv64-linux-gnu-ld -Ttext=0x10000 two.o -o two
riscv64-linux-gnu-objdump -d two | sed -n '/_start>:/,$p' >listing
cat listing
echo 'the first lw reads 0x12004 or 0x34004; other does not set a4'
[ "$(grep -P '\tlw\t' listing | sed -E 's/.*\tlw\t//; s/ <.*//')" = 'a1,4(a5) # 34004
a2,8(a5)
a0,4(a4) # 56004' ] || { echo 'it changed'; exit 1; }
