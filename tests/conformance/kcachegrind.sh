#!/bin/bash
# KCachegrind, on a screen that only exists in memory, shows of `export --format callgrind` what
# `hartscope report` has: the sum of all, functions, and what main called.
needs='kcachegrind Xvfb dbus-run-session riscv64-linux-gnu-g++'
. "${HARTSCOPE_SOURCE:?the source folder}/tests/conformance/programs.sh"
. "$HARTSCOPE_SOURCE/tests/screen.sh"

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
trap 'kill ${screen-} 2>/dev/null; wait; rm -rf "$work"' EXIT INT TERM
screen_start
report 'a screen' $? screen.log
# KCachegrind does not always make itself known to them on a busy machine (then it has no
# /org/a11y/atspi/cache, for as long as it runs): it is started again, and looked at later.
timeout 250 dbus-run-session -- sh -c '
	dbus-send --session --print-reply --dest=org.a11y.Bus /org/a11y/bus org.a11y.Bus.GetAddress
	for pause in 1 3 9 27 27; do
		kcachegrind callgrind.out & shown=$!
		sleep $pause
		/usr/bin/python3 "$0" report.json main.json; good=$?
		kill $shown
		wait $shown
		[ $good -ne 0 ] || break
	done
	exit $good' "$read" >out 2>&1
good=$?
if [ $good -eq 3 ]; then
	echo 'ok - KCachegrind # SKIP no screen reader sees its window'
	exit $failed
fi
said=$(sed -n 's/^ok - //p' out)
[ -n "$said" ]
report "KCachegrind: ${said:-its window}" $((good | $?)) out
[ -z "${HARTSCOPE_SHOTS-}" ] || cp Xvfb_screen0 "$HARTSCOPE_SHOTS/kcachegrind.xwd"
exit $failed
