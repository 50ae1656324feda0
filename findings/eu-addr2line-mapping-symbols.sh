#!/bin/bash
# eu-addr2line (elfutils 0.188, libdwfl) on a RISC-V program: the name of a function in assembly.
#
# Expected: "_start", for each address from that label up to the next one.  GNU addr2line names it so,
#           and so does gdb, which says "_start + 4".
# Seen:     "_start" at its first address only; after it the name is "$x" with the whole ISA string,
#           of the mapping symbol that the assembler puts at the first instruction (RISC-V ELF
#           psABI, "Mapping Symbol"); nm, even with -a, does not list that symbol.  At a table
#           in the code the name is "$d".  Only labels without a size (.size) are concerned: a symbol
#           with a size comes first.
# Exit status 0: as seen; 1: it changed.
set -eu
packages='elfutils=0.188-2.1 libdw1=0.188-2.1 libelf1=0.188-2.1 libasm1=0.188-2.1
	binutils-riscv64-linux-gnu=2.40-2'
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
# shellcheck disable=SC2086  # a list
apt-get download -q $packages >/dev/null 2>&1
for package in *.deb; do
	dpkg-deb -x "$package" root
	dpkg-deb -f "$package" Package Version | xargs
done
export LD_LIBRARY_PATH=$work/root/usr/lib/x86_64-linux-gnu PATH=$work/root/usr/bin:$PATH
cat >start.s <<'END'
	.globl _start
_start:	nop
	nop
	j _start
	.dword 0x1234
	.dword 0x5678
	.type sized, @function
sized:	nop
	nop
	.size sized, . - sized
END
riscv64-linux-gnu-as -march=rv64i start.s -o start.o
riscv64-linux-gnu-ld -Ttext=0x10000 start.o -o start
for address in 0x10000 0x10004 0x10014 0x10020; do
	echo "$address: eu-addr2line $(eu-addr2line -f -e start $address | head -n 1)," \
		"GNU addr2line $(riscv64-linux-gnu-addr2line -f -e start $address | head -n 1)"
done | tee said
! riscv64-linux-gnu-nm -a start | grep ' \$[xd]'
sed -E 's/(\$x)rv64i[a-z0-9_]*/\1/' said >short
[ "$(cat short)" = '0x10000: eu-addr2line _start, GNU addr2line _start
0x10004: eu-addr2line $x, GNU addr2line _start
0x10014: eu-addr2line $d, GNU addr2line _start
0x10020: eu-addr2line sized, GNU addr2line sized' ] || { echo 'it changed'; exit 1; }
