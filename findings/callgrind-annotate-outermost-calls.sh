#!/bin/bash
# callgrind_annotate --inclusive=yes: a function that is called, and is also the outermost one of a
# stack (the start of a thread, say), has only what its calls took.
#
# Expected: the inclusive cost of a function is at least its own cost, and has all that ran in it.
# Seen:     it is the sum of the calls= lines that lead to it; what ran in it without a caller is gone, and
#           the number may be below its own cost without --inclusive.  With recursion, where a file has
#           calls of a function by itself, it may be above the sum of the program.
# Exit status 0: as seen; 1: it changed.
set -eu
package=valgrind=1:3.19.0-1
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
apt-get download -q "$package" >/dev/null 2>&1
dpkg-deb -x *.deb root
dpkg-deb -f *.deb Package Version
cat >callgrind.out <<'END'
# callgrind format
version: 1
positions: line
events: Ir
summary: 30

fl=(1) a.c
fn=(1) main
1 10
cfi=(1)
cfn=(2) work
calls=1 5
2 5

fn=(2)
5 20
END
# work: 5 by the call, 15 in a thread that began with it
annotate() { root/usr/bin/callgrind_annotate --auto=no "$@" callgrind.out | sed -nE 's/^ *([0-9]+) .*a\.c:(work|main).*/\2 \1/p'; }
echo "own cost:  $(annotate | tr '\n' ' ')"
echo "inclusive: $(annotate --inclusive=yes | tr '\n' ' ')"
annotate | grep -qx 'work 20' && annotate --inclusive=yes | grep -qx 'work 5' || { echo 'it changed'; exit 1; }
