#!/bin/bash
# Speedscope, in headless Chromium, shows of `export --format speedscope`, `chrome` and `pprof` what
# `hartscope report` has; and the first is as its schema says.
needs='python3 chromium'
. "${HARTSCOPE_SOURCE:?the source folder}/tests/conformance/programs.sh"

if [ -n "${HARTSCOPE_SANITIZED-}" ]; then # exports.sh writes the same file there
	echo 'ok - speedscope # SKIP it sees no sanitizers'
	exit 0
fi
read=$HARTSCOPE_SOURCE/tests/conformance/speedscope.py
build=${HARTSCOPE_BUILD:?the build folder}

"$HARTSCOPE_SOURCE/scripts/tests/speedscope.sh" "$build" >fetch 2>&1
got=$?
if [ $got -eq 77 ]; then
	echo "ok - speedscope # SKIP $(tail -n 1 fetch)"
	exit 0
fi
report 'speedscope was fetched' $got fetch
$gcc -g -O1 -fno-optimize-sibling-calls -static "$programs/report.c" -o report 2>out &&
	"$HARTSCOPE" record -q -o report.rec -- ./report >out 2>&1 &&
	"$HARTSCOPE" report -q --json --top 100000 report.rec >report.json 2>out
report 'a program was recorded' $? out
for format in speedscope chrome pprof; do # it reads all
	"$HARTSCOPE" export -q --format $format -o report.$format report.rec >out 2>&1 &&
		timeout 100 python3 "$read" "$build/speedscope/dist/release" report.$format \
			report.json >out 2>&1
	good=$?
	report "speedscope reads $format: $(tail -n 1 out)" $good out
done
if /usr/bin/python3 -c 'import jsonschema' 2>/dev/null; then
	/usr/bin/python3 - "$build/speedscope/dist/release/file-format-schema.json" \
		report.speedscope >out 2>&1 <<'END'
import json, sys, jsonschema
schema, file = (json.load(open(name)) for name in sys.argv[1:])
file["profiles"] = [dict(p, events=p["events"][:100] + p["events"][-100:])
                    for p in file["profiles"]]
jsonschema.validate(file, schema)
END
	report "its schema" $? out
else
	echo 'ok - its schema # SKIP no jsonschema'
fi
exit $failed
