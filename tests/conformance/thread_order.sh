#!/bin/bash
# Threads on one axis by their system calls: of a relay it is known who ran when.
needs='python3 protoc chromium'
. "${HARTSCOPE_SOURCE:?the source folder}/tests/conformance/programs.sh"
check=$HARTSCOPE_SOURCE/tests/conformance/thread_order.py
compare=$HARTSCOPE_SOURCE/tests/conformance/exports.py

$gcc -g -O1 -static -pthread "$programs/relay.c" -o relay 2>out &&
	"$HARTSCOPE" record -q -o relay.rec -- ./relay >out 2>&1
report "a relay was recorded" $? out
"$HARTSCOPE" calls -q --json relay.rec >calls.json
for format in chrome perfetto ctf; do
	"$HARTSCOPE" export -q --format $format -o relay.$format relay.rec 2>out && [ ! -s out ]
	report "$format is written" $? out
done
python3 "$check" relay.chrome relay.rec >out 2>&1
report "chrome: threads are where they ran" $? out
traps=$("$HARTSCOPE" stat -q --traps --top 1000 --json relay.rec |
	python3 -c 'import json, sys
print(sum(int(t["traps"]) for t in json.load(sys.stdin)["traps_by_cause"]))')
protoc -I"$HARTSCOPE_SOURCE/tests/conformance" --decode=Trace perfetto.proto <relay.perfetto \
	>relay.text 2>out &&
	python3 "$compare" perfetto calls.json "relay.text,relay.chrome,$traps" >out 2>&1
report "perfetto has the same places" $? out
if command -v babeltrace2 >/dev/null; then
	babeltrace2 --clock-cycles relay.ctf >relay.events 2>out && [ ! -s out ] &&
		python3 "$compare" ctf calls.json "relay.events,relay.chrome,$traps" >out 2>&1
	report "ctf has the same places" $? out
else
	echo 'ok - the Common Trace Format # SKIP no babeltrace2'
fi
grep -aq 'placed by their system calls' relay.ctf/metadata
report "ctf says so" $?

# What has no system calls is not aligned, which is said.
"$HARTSCOPE" export --format chrome --from 0 --to 30000000 -o part.chrome relay.rec >out 2>&1 &&
	python3 "$check" --apart part.chrome >out 2>&1
report "a range: each begins at 0" $? out

"$HARTSCOPE" report -q --html -o relay.html relay.rec 2>out &&
	timeout 100 python3 "$check" --page relay.html >out 2>&1
good=$?
sed -n '/^not ok/p' out
report "page: $(grep -c '^ok' out) things in the browser" $good out
exit $failed
