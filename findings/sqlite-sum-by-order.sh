#!/bin/bash
# SQLite 3.40.1: sum() of integers of 64 bits.
#
# Expected: a sum does not depend on the order of the rows.  It is an error where the integers' sum does
#           not fit into 64 bits; with a REAL among the rows it is a REAL ("If any input to sum() is
#           neither an integer nor NULL, then sum() returns a floating-point value", "Built-in
#           Aggregate Functions").
# Seen:     it is an error where any sum on the way does not fit: the same three rows have a sum in one
#           order, and "integer overflow" in another.  A REAL helps only the rows after it: with one
#           among the rows, too, the order decides between a REAL and an error.
#           a + b of two columns is never an error: it becomes a REAL, without a word.
# Exit status 0: as seen; 1: it changed.
set -eu
packages='sqlite3=3.40.1-2+deb12u2 libsqlite3-0=3.40.1-2+deb12u2'
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
# shellcheck disable=SC2086  # a list
apt-get download -q $packages >/dev/null 2>&1
for package in *.deb; do
	dpkg-deb -x "$package" root
	dpkg-deb -f "$package" Package Version | xargs
done
export LD_LIBRARY_PATH=$work/root/usr/lib/x86_64-linux-gnu
ask()
{
	root/usr/bin/sqlite3 :memory: "$1" 2>&1 || true
}
for rows in '(9223372036854775807), (-5), (1)' '(9223372036854775807), (1), (-5)' \
	'(0.0), (9223372036854775807), (1)' '(9223372036854775807), (1), (0.0)'; do
	echo "$rows: $(ask "CREATE TABLE t(n); INSERT INTO t VALUES $rows;
		SELECT sum(n), typeof(sum(n)) FROM t")"
done | tee said
echo "a + b: $(ask 'SELECT 9223372036854775807 + 1')" | tee -a said
[ "$(sed 's/.*: //' said)" = '9223372036854775803|integer
stepping, integer overflow
9.22337203685478e+18|real
stepping, integer overflow
9.22337203685478e+18' ] || { echo 'it changed'; exit 1; }
