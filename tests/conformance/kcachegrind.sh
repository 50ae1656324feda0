#!/bin/bash
# KCachegrind, on a screen that only exists in memory, shows of `export --format callgrind` what
# `hartscope report` has: the sum of all, functions, and what main called.
needs='kcachegrind Xvfb dbus-run-session riscv64-linux-gnu-g++'
. "${HARTSCOPE_SOURCE:?the source folder}/tests/conformance/programs.sh"

if [ -n "${HARTSCOPE_SANITIZED-}" ]; then # exports.sh writes the same file there
	echo 'ok - KCachegrind # SKIP it sees no sanitizers'
	exit 0
fi
read=$HARTSCOPE_SOURCE/tests/conformance/kcachegrind.py

if ! /usr/bin/python3 -c 'import pyatspi' 2>/dev/null; then
	echo 'ok - KCachegrind # SKIP no pyatspi'
	exit 0
fi
riscv64-linux-gnu-g++ -g -pthread -static "$programs/unwind.cc" -o unwind >out 2>&1 &&
	"$HARTSCOPE" record -q -o unwind.rec -- ./unwind >out 2>&1 &&
	"$HARTSCOPE" export -q --format callgrind -o callgrind.out unwind.rec >out 2>&1 &&
	"$HARTSCOPE" report -q --json --top 100000 unwind.rec >report.json 2>out &&
	"$HARTSCOPE" report -q --json --callees main unwind.rec >main.json 2>out
report 'a program was recorded and exported' $? out

# What Qt writes is for screen readers; they find it by D-Bus.
mkdir -m 700 home run
export HOME=$work/home XDG_RUNTIME_DIR=$work/run QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1
Xvfb -displayfd 3 -screen 0 1280x800x24 -fbdir "$work" 3>display >screen.log 2>&1 &
screen=$!
trap 'kill $screen 2>/dev/null; wait; rm -rf "$work"' EXIT INT TERM
for ((i = 0; i < 100; i++)); do
	[ ! -s display ] || break
	sleep 0.1
done
DISPLAY=:$(cat display)
export DISPLAY
timeout 150 dbus-run-session -- sh -c 'kcachegrind callgrind.out & shown=$!
	/usr/bin/python3 "$0" report.json main.json; good=$?
	kill $shown; exit $good' "$read" >out 2>&1
good=$?
grep -q "^ok" out
report "KCachegrind: $(grep '^ok' out | cut -c 6-)" $((good | $?)) out
[ -z "${HARTSCOPE_SHOTS-}" ] || cp Xvfb_screen0 "$HARTSCOPE_SHOTS/kcachegrind.xwd"
exit $failed
