#!/bin/bash
# GCC at -O2: the line table's marks of statements (is_stmt, "is_stmt 1" of .loc) may come before the
# branch that decides whether the statement runs.
#
# Expected: an address that is marked as the beginning of a statement executes when the statement does
#           (DWARF 5, 6.2.2: "a recommended breakpoint location").
# Seen:     in a loop that returns from its first condition, the mark of the second condition, and those
#           of the loop's step and test, are before the branch of the first one: a breakpoint there
#           stops once more than the statement runs, and who counts by marks counts one too many.
# Exit status 0: as seen; 1: it changed.
set -eu
package=cpp-12-riscv64-linux-gnu=12.2.0-13cross1
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
apt-get download -q "$package" >/dev/null 2>&1
dpkg-deb -x *.deb root
dpkg-deb -f *.deb Package Version
cat >check.c <<'END'
int check(const char *s, int n)
{
	for (int i = 0; i < n; i++) {
		if (!s[i])
			return i;
		if (s[i] == '#')
			return -3;
	}
	return n;
}
END
root/usr/lib/gcc-cross/riscv64-linux-gnu/12/cc1 -quiet -O2 -g -march=rv64gc -mabi=lp64d check.c -o check.s
# marks of lines 4 and 6, and branches, in their order; is_stmt is as it was where .loc does not say
awk 'BEGIN { mark = 1 } /^\t\.loc/ && /is_stmt/ { mark = /is_stmt 1/ }
	/^\t\.loc/ && mark && ($3 == 4 || $3 == 6) { print "line " $3 }
	/^\tb[a-z]+\t/ { print "  " $1, $NF }' check.s >seen
cat seen
awk '/line 4/ { four = 1; branch = 0 } /^  b/ { branch = 1 }
	/line 6/ && four { exit branch } END { if (!four) exit 2 }' seen &&
	grep -q 'line 6' seen || { echo 'it changed'; exit 1; }
