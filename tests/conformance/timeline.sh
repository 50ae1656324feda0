#!/bin/bash
# The timeline of report --html in headless Chromium, of a run with more calls than the page keeps.
needs='python3 chromium'
. "${HARTSCOPE_SOURCE:?the source folder}/tests/conformance/programs.sh"
check=$HARTSCOPE_SOURCE/tests/conformance/timeline.py

$gcc -g -O1 -static -pthread "$programs/timeline.c" -o timeline 2>out &&
	"$HARTSCOPE" record -q -o timeline.rec -- ./timeline >out 2>&1
report "a program was recorded" $? out
"$HARTSCOPE" report -q --html -o timeline.html timeline.rec 2>out &&
	"$HARTSCOPE" export -q --format speedscope -o timeline.json timeline.rec 2>out
report "a page and its calls were written" $? out
timeout 200 python3 "$check" timeline.html timeline.json timeline.rec >out 2>&1
good=$?
sed -n '/^not ok/p' out
report "$(grep -c '^ok' out) things in the browser" $good out

# Inlined functions, which debug information knows.
$gcc -g -O1 -static -pthread "$programs/inlines.c" -o inlines 2>out &&
	"$HARTSCOPE" record -q -o inlines.rec -- ./inlines >out 2>&1 &&
	"$HARTSCOPE" report -q --html -j 1 -o inlines.html inlines.rec 2>out &&
	"$HARTSCOPE" report -q --html -j 4 -o threads.html inlines.rec 2>out &&
	"$HARTSCOPE" export -q --format speedscope -o inlines.json inlines.rec 2>out
report "a page of a program with inlined functions" $? out
cmp inlines.html threads.html >out 2>&1
report "the page is the same of one thread and of four" $? out
timeout 200 python3 "${check%/*}/inlines.py" inlines.html inlines.json inlines.rec >out 2>&1
good=$?
sed -n '/^not ok/p' out
report "$(grep -c '^ok' out) things about inlined functions" $good out
exit $failed
