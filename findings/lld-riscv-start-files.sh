#!/bin/bash
# LLD 14 (Debian 12) and the start file of the C library for RISC-V.
#
# Expected: LLD links programs for RISC-V since LLVM 9, so that LLD of a release of Debian links a
#           program with the C library of that release.
# Seen:     the start file asks for alignment that a linker makes by relaxation (R_RISCV_ALIGN), as
#           GNU as writes it unless told otherwise.  LLD 14 has no relaxation and refuses: no
#           program links, whatever its own code is compiled with.  LLD 19 links it.
#
# Needs binutils-riscv64-linux-gnu.
# Exit status 0: as seen; 1: it changed.
set -eu
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
apt-get download -q lld-14=1:14.0.6-12 libllvm14=1:14.0.6-12 libc6-dev-riscv64-cross=2.36-8cross1 \
	lld-19=1:19.1.7-3~deb12u1 libllvm19=1:19.1.7-3~deb12u1 >/dev/null 2>&1
for deb in *.deb; do
	dpkg-deb -x "$deb" root
	dpkg-deb -f "$deb" Package Version
done
cat >main.s <<'END'
	.option norelax
	.globl main, __libc_start_main
main:
__libc_start_main:
	ret
END
start=root/usr/riscv64-linux-gnu/lib/crt1.o
command -v riscv64-linux-gnu-as >/dev/null || exit 2
riscv64-linux-gnu-as -mno-relax -o main.o main.s
# links VERSION: what the linker says of the start file and a main() without relaxation
links()
{
	if LD_LIBRARY_PATH=$(echo root/usr/lib/x86_64-linux-gnu) \
		"root/usr/lib/llvm-$1/bin/ld.lld" -o program "$start" main.o 2>err; then
		echo "LLD $1: linked"
	else
		echo "LLD $1: $(sed -n '1s/.*crt1.o:.*: relocation/relocation/p' err)"
	fi
}
{ links 14; links 19; } | tee said
[ "$(cat said)" = 'LLD 14: relocation R_RISCV_ALIGN requires unimplemented linker relaxation; recompile with -mno-relax
LLD 19: linked' ] || { cat err; echo 'it changed'; exit 1; }
