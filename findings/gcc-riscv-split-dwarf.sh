#!/bin/bash
# GCC 12.2.0 with binutils 2.40 for riscv64, -gsplit-dwarf (and GCC 14.2.0 with binutils 2.44).
#
# Expected: the .dwo says how long an inlined function is (DW_AT_high_pc, a length: DWARF 5, 2.17.2),
# as the same compiler writes it without -gsplit-dwarf.
# Seen: the length is 0, with -mno-relax too, and nothing is said.  It is a difference of two labels,
# which the assembler for RISC-V leaves to the linker by a pair of relocations; those are in the
# object, and objcopy, which takes the .dwo out of it, drops them.  Readers find no address in the
# inlined function.
#
# Installs nothing: packages go to a temporary folder.  Exits 0 while they behave so.
set -eu
gcc=12.2.0-13cross1 binutils=2.40-2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
packages="gcc-12-riscv64-linux-gnu=$gcc cpp-12-riscv64-linux-gnu=$gcc
	binutils-riscv64-linux-gnu=$binutils"
for library in libisl23 libmpc3 libmpfr6 libgmp10 libjansson4; do
	dpkg -s "$library" >/dev/null 2>&1 || packages="$packages $library"
done
# shellcheck disable=SC2086  # a list
apt-get download -q $packages >log 2>&1 || { cat log; echo 'SKIP: no such packages here'; exit 77; }
for file in *.deb; do
	dpkg-deb -x "$file" root
done
export LD_LIBRARY_PATH=$work/root/usr/lib/x86_64-linux-gnu PATH=$work/root/usr/bin:$PATH

cat >square.c <<'END'
volatile int seen;

static inline __attribute__((always_inline)) int square(int x)
{
	seen = x;
	return x * x;
}

int twice(int x)
{
	return 2 * square(x);
}
END
riscv64-linux-gnu-gcc-12 --version | head -n 1
riscv64-linux-gnu-as --version | head -n 1

# Lengths of what is inlined, as objdump reads them.
lengths()
{
	riscv64-linux-gnu-objdump --dwarf=info "$1" 2>/dev/null | awk '
		/DW_TAG/ { inlined = /DW_TAG_inlined_subroutine/ }
		inlined && /DW_AT_high_pc/ { print $NF }'
}
bad=0
for relax in relax no-relax; do
	riscv64-linux-gnu-gcc-12 -O1 -g -gsplit-dwarf -m$relax -c square.c -o split-$relax.o
	riscv64-linux-gnu-gcc-12 -O1 -g -m$relax -c square.c -o whole-$relax.o
	split=$(lengths split-$relax.dwo) whole=$(lengths whole-$relax.o)
	echo "-m$relax: length of the inlined function $whole, in the .dwo $split"
	[ "${split#0x}" = 0 ] && [ "${whole#0x}" != 0 ] && [ -n "$whole" ] || bad=1
done
[ "$bad" = 0 ] && echo 'as described' || echo 'this has changed'
exit "$bad"
