#!/bin/bash
# lcov 1.16: functions whose names have commas, as demangled names of C++ have them.
#
# Expected: the name is the rest of the line after the line number (geninfo(1): "FN:<line number of
#           function start>,<function name>"), so that two instances of a template are two functions.
# Seen:     the name ends at its first comma.  map<int, char>, map<int, long> and map<int, bool> are one
#           function, "map<int", which ran as often as all of them: that one never ran is lost.  The form of lcov
#           2, "FN:<first line>,<last line>,<name>", is read as a function whose name is its last
#           line, and which never runs.  Nothing is said about either.
# Exit status 0: as seen; 1: it changed.
set -eu
package=lcov=1.16-1
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
apt-get download -q "$package" >/dev/null 2>&1
dpkg-deb -x lcov_*.deb root
dpkg-deb -f lcov_*.deb Package Version
cat >one.info <<'END'
TN:
SF:/src/m.cc
FN:1,map<int, char>::find()
FN:1,map<int, long>::find()
FN:1,map<int, bool>::find()
FN:9,12,end_line
FNDA:5,map<int, char>::find()
FNDA:2,map<int, long>::find()
FNDA:0,map<int, bool>::find()
FNDA:7,end_line
DA:1,5
end_of_record
END
root/usr/bin/lcov --add-tracefile one.info -o two.info >said 2>&1
grep -i 'warn\|error' said || true
grep '^FN' two.info | tee functions
[ "$(LC_ALL=C sort functions)" = 'FN:1,map<int
FN:9,12
FNDA:0,12
FNDA:7,end_line
FNDA:7,map<int
FNF:3
FNH:2' ] || { echo 'it changed'; exit 1; }
