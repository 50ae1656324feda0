#!/bin/bash
# What hartscope report says is what a slow count over the lines of hartscope list has: of a
# recording, and of traces of both protocols.
needs=python3
. "${HARTSCOPE_SOURCE:?the source folder}/tests/conformance/programs.sh"
slow=$HARTSCOPE_SOURCE/tests/conformance/report.py

$gcc -g -O1 -fno-optimize-sibling-calls -static "$programs/report.c" -o report 2>out &&
	"$HARTSCOPE" record -q -o report.rec -- ./report >out 2>&1
report "a program was recorded" $? out
"$HARTSCOPE" list --json report.rec >list.json 2>err
for protocol in ntrace etrace; do
	"$HARTSCOPE" encode -q --protocol $protocol -o report.$protocol report.rec 2>out
	report "encoded as $protocol" $? out
done
for from in report.rec report.ntrace report.etrace; do
	"$HARTSCOPE" report -q --top 100000 --json --elf report $from >report.json 2>err &&
		python3 "$slow" list.json report.json >out 2>&1
	good=$?
	report "$from: $(tail -n 1 out)" $good out
done

# Recursion once: main has all calls of fib, fib itself 176 of 177.
"$HARTSCOPE" report --callers fib report.rec >out 2>&1
[ "$(awk '$NF == "fib" || $NF == "main" { print $(NF - 1), $NF }' out)" = '1 main
176 fib' ]
report "report --callers: a recursive function" $? out
"$HARTSCOPE" report --callees sum report.rec >out 2>&1
[ "$(awk '$NF == "next" { print $(NF - 1) }' out)" = 100 ]
report "report --callees" $? out
"$HARTSCOPE" report --callees nothing report.rec >out 2>&1
[ $? -eq 2 ] && grep -q "no function that ran has the name 'nothing'" out
report "report --callees of no function" $? out
exit $failed
