#!/bin/bash
# GNU addr2line 2.40, DWARF 5: the file that it prints for a function of a header.
#
# Expected: the file that the row of the line table has for the address, whatever the version of DWARF.
# Seen:     for the addresses of a function that is defined in a header, with its line in the header, the
#           name of the file that includes it, where GCC 12 wrote DWARF 5; with DWARF 4 the header.
#           objdump --dwarf=decodedline of the same binutils has the header for both, and so have gdb 13
#           and llvm-symbolizer 19: compared with addr2line alone, a right answer looks wrong.
# Exit status 0: as seen; 1: it changed.
set -eu
packages='binutils-x86-64-linux-gnu=2.40-2 libbinutils=2.40-2 libctf0=2.40-2 libgprofng0=2.40-2 cpp-12=12.2.0-14+deb12u1'
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
# shellcheck disable=SC2086  # a list
apt-get download -q $packages >/dev/null 2>&1
for package in *.deb; do
	dpkg-deb -x "$package" root
	dpkg-deb -f "$package" Package Version | xargs
done
export LD_LIBRARY_PATH=$work/root/usr/lib/x86_64-linux-gnu
bin=$work/root/usr/bin/x86_64-linux-gnu
printf 'static int of_header(int x)\n{\n\treturn x + 1;\n}\n' >h.h
printf '#include "h.h"\nint of_file(void)\n{\n\treturn of_header(-1);\n}\n' >m.c
for version in 4 5; do
	root/usr/lib/gcc/x86_64-linux-gnu/12/cc1 -quiet -O0 -gdwarf-$version m.c -o m.s
	"$bin-as" -o m.o m.s
	"$bin-addr2line" -e m.o -j .text 0 | sed 's,.*/,,' >said
	"$bin-objdump" --dwarf=decodedline m.o | awk '$3 == "0" { print $1 ":" $2; exit }' >rows
	echo "DWARF $version: addr2line $(cat said), the line table $(cat rows)"
	cat said rows
done | tee all
[ "$(grep -c '^h.h:2$' all)" = 3 ] && [ "$(grep -c '^m.c:2$' all)" = 1 ] || { echo 'it changed'; exit 1; }
