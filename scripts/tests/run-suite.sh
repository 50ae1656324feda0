#!/bin/sh
# Run the meson tests of a build folder and print one "ok" or "not ok" line per check.
#
#   scripts/tests/run-suite.sh FOLDER [MESON TEST OPTION]...
#
# cmocka programs and shell tests print such lines themselves; they are taken from the log of meson
# and get the test's name in front.  Exit status 1 when a test failed.
set -eu

folder=$1
shift
log=$folder/meson-logs/testlog.json
rm -f "$log"
export ASAN_OPTIONS=detect_stack_use_after_return=1:abort_on_error=1:detect_leaks=1:max_allocation_size_mb=1024
export UBSAN_OPTIONS=halt_on_error=1:abort_on_error=1:print_stacktrace=1

status=0
# What meson prints is indented: check lines are taken from its log alone.
meson test -C "$folder" --no-rebuild "$@" >"$folder/meson-logs/console.txt" 2>&1 || status=$?
sed 's/^/  /' "$folder/meson-logs/console.txt"
if [ ! -s "$log" ]; then
	echo "not ok - meson test ran nothing in $folder"
	exit 1
fi
python3 "$(dirname "$0")/testlog.py" "$log" || status=1
exit "$status"
