#!/bin/bash
# The C++ header, by what the tool prints of the same recording, trace and damaged trace.
# It compiles as C++17 and C++20 without a warning.
needs='g++ python3'
. "${HARTSCOPE_SOURCE:?the source folder}/tests/conformance/programs.sh"

cxx=$work/cxx
for compiler in g++ clang++; do
	command -v $compiler >/dev/null || continue
	for standard in 17 20; do
		$compiler -std=c++$standard -O1 -Wall -Wextra -Wpedantic -Wshadow \
			-Werror -I"$HARTSCOPE_SOURCE/include" \
			"$HARTSCOPE_SOURCE/tests/languages/cxx.cc" -o "$cxx" \
			-L"$HARTSCOPE_BUILD" -lhartscope -Wl,-rpath,"$HARTSCOPE_BUILD" >out 2>&1
		report "$compiler, C++$standard" $? out
	done
done

$gcc -g -O1 -static "$programs/report.c" -o app 2>out &&
	"$HARTSCOPE" record -q -o app.rec -- ./app >out 2>&1 &&
	"$HARTSCOPE" encode -q -o app.nt app.rec
report "a program was recorded" $? out
for run in app.rec app.nt; do
	"$cxx" "$run" >have
	report "$run: read twice" $? have
	instructions=$("$HARTSCOPE" stat "$run" | sed -n 's/^instructions *//p' | tr -d ,)
	blocks=$("$HARTSCOPE" stat "$run" | sed -nE 's/^blocks +([0-9,]+)$/\1/p' | tr -d ,)
	[ "$(grep -cx "$blocks blocks, $instructions instructions, 0 damaged" have)" -eq 2 ]
	report "$run: $instructions instructions, as stat has them" $? have
	grep -qx "same - equal to itself: $instructions instructions" have
	report "$run: equal to itself" $? have
	"$HARTSCOPE" report --top 100000 --json "$run" | python3 -c 'import json, sys
for f in json.load(sys.stdin)["functions"]:
    print(f["name"], f["calls"], f["self"])' | sort >want
	grep -v 'blocks,\| - ' have | sort | uniq >named
	functions=$(wc -l <want)
	cmp -s want named
	report "$run: $functions functions, as report has them" $? named
	[ "$(grep -c '^ok - ' have)" -eq 3 ]
	report "$run: errors are thrown" $? have
done
size=$(stat -c %s app.nt)
{ head -c 2000 app.nt; printf '\377\377\377\377'; tail -c $((size - 2100)) app.nt; } >damaged.nt
"$cxx" damaged.nt app >have
grep -q ' [1-9][0-9]* damaged$' have
report "damage is kept" $? have
exit $failed
