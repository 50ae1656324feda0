#!/bin/bash
# Coverage: lines and branches of programs are those of gcov, which counts in a build with
# --coverage, run once more; of traces what it is of recordings; lcov and genhtml read it.
needs='riscv64-linux-gnu-gcc riscv64-linux-gnu-gcov python3'
. "${HARTSCOPE_SOURCE:?the source folder}/tests/conformance/programs.sh"
compare=$HARTSCOPE_SOURCE/tests/conformance/coverage.py

# gcov NAME SOURCE [ARGUMENT...]: what gcov says, NAME.gcov
gcov()
{
	local name=$1 source=$2
	shift 2

	$cc -w -O0 -g --coverage -fprofile-update=atomic -static "$source" -o "$name.counts" &&
		qemu-riscv64 "./$name.counts" "$@" >/dev/null &&
		riscv64-linux-gnu-gcov -b -c --json-format -t "$name.counts-"*.gcda >"$name.gcov"
}

# of NAME SOURCE [ARGUMENT...]: is the coverage of a recording gcov's?
of()
{
	local name=$1 source=$2 good
	shift 2

	gcov "$name" "$source" "$@" >out 2>&1 &&
		$cc -w -O0 -g -static "$source" -o "$name" >out 2>&1 &&
		"$HARTSCOPE" record -q -o "$name.rec" -- "./$name" "$@" >out 2>&1 &&
		"$HARTSCOPE" coverage -q --format gcov-json -o "$name.json" "$name.rec" >out 2>&1 &&
		python3 "$compare" "$name.gcov" "$name.json" "$source" "$name" >out 2>&1
	good=$?
	report "$name: $(tail -n 1 out)" $good out
}

# from NAME PROTOCOL [SETTING...]: is that of a trace, with one thread and two, what it is of the
# recording?
from()
{
	local name=$1 protocol=$2 settings=() s good=0
	shift 2

	for s; do
		settings+=(--set "$s")
	done
	"$HARTSCOPE" encode -q --protocol "$protocol" "${settings[@]}" -o trace "$name.rec" \
		>out 2>&1 || good=1
	"$HARTSCOPE" coverage -q --json "$name.rec" >one.json 2>>out || good=1
	for s in 1 2; do
		"$HARTSCOPE" coverage -q -j $s --json --elf "$name" trace >two.json 2>>out &&
			cmp one.json two.json >>out 2>&1 || good=1
	done
	report "$name, a trace: $protocol $*" $good out
}

cc=riscv64-linux-gnu-gcc
of shapes "$programs/coverage.c"
of sort "$HARTSCOPE_SOURCE/examples/sort.c" 60
# The program of the recording once more, by another path: it is the same file.
mkdir by && "$HARTSCOPE" coverage -q --json sort.rec >one.json 2>out &&
	"$HARTSCOPE" coverage -q --json --elf by/../sort sort.rec >two.json 2>>out &&
	cmp one.json two.json >>out 2>&1
report "sort: the program by two paths counts once" $? out
if command -v riscv64-linux-gnu-g++ >/dev/null; then
	cc='riscv64-linux-gnu-g++ -pthread'
	of unwind "$programs/unwind.cc"
	from unwind ntrace
else
	echo 'ok - C++ # SKIP no riscv64-linux-gnu-g++'
fi
from shapes ntrace
from sort ntrace trTeInstMode=btm
from sort etrace
from sort etrace implicit-return=true return_stack_size_p=4

"$HARTSCOPE" coverage --show lines --source-path "$HARTSCOPE_SOURCE/tests/programs" \
	shapes.rec >out 2>&1 &&
	grep -q '^ *25: *[0-9]*:	if (a <= 0 || b <= 0 || c <= 0)' out &&
	grep -q '^ *#####: *[0-9]*:		return 3;' out &&
	grep -q 'branch at 0x[0-9a-f]*: taken 10, not taken 15' out
report 'the source with counts' $? out
"$HARTSCOPE" coverage --show branches shapes.rec >out 2>&1 &&
	grep -q ' both .* collatz ' out && grep -q ' never .* never ' out
report 'branches, seen both ways or not' $? out

if command -v genhtml >/dev/null; then
	"$HARTSCOPE" coverage --format lcov -o lcov.info sort.rec >out 2>&1 &&
		lcov --rc lcov_branch_coverage=1 --summary lcov.info >summary 2>&1 &&
		"$HARTSCOPE" coverage --json sort.rec >sort.out &&
		"$compare" lcov summary sort.out >out 2>&1
	good=$?
	report "lcov: $(tail -n 1 out)" $good out
	genhtml -q --branch-coverage -o html lcov.info >out 2>&1 &&
		grep -q 'taken 60 times' html/*/sort.c.gcov.html html/sort.c.gcov.html 2>>out
	report 'genhtml makes pages of it' $? out
	"$HARTSCOPE" export --format lcov -o export.info sort.rec >out 2>&1 &&
		cmp lcov.info export.info >>out 2>&1 &&
		"$HARTSCOPE" export -q --format gcov-json -o export.json sort.rec >>out 2>&1 &&
		cmp sort.json export.json >>out 2>&1
	report 'export writes the same' $? out
	"$HARTSCOPE" export -q --format cobertura -o sort.xml sort.rec >out 2>&1 &&
		python3 - lcov.info sort.xml >out 2>&1 <<'END'
"""Lines, counts and directions of branches of Cobertura's XML are those of lcov's tracefile."""
import sys
from collections import Counter
from xml.etree import ElementTree

lines, both, file = {}, Counter(), ""
for row in open(sys.argv[1]):
    kind, _, rest = row.rstrip("\n").partition(":")
    if kind == "SF":
        file = rest
    elif kind == "DA":
        lines[file, *map(int, rest.split(","))] = 1
    elif kind == "BRDA":
        line, _, _, count = rest.split(",")
        both[file, int(line)] += 1
        both[file, int(line), "seen"] += count not in ("-", "0")
top = ElementTree.parse(sys.argv[2]).getroot()
got, conditions = set(), Counter()
for c in top.iter("class"):
    for line in c.find("lines"):
        number = int(line.get("number"))
        got.add(("/" + c.get("filename"), number, int(line.get("hits"))))
        if line.get("branch") == "true":
            seen, all = line.get("condition-coverage").split("(")[1].rstrip(")").split("/")
            conditions["/" + c.get("filename"), number] += int(all)
            conditions["/" + c.get("filename"), number, "seen"] += int(seen)
assert got == set(lines), sorted(got ^ set(lines))[:5]
assert +conditions == +both, (conditions - both, both - conditions)
assert int(top.get("lines-valid")) == len(lines)
print(len(lines), "lines")
END
	good=$?
	report "cobertura: $(tail -n 1 out) as lcov has them" $good out
else
	echo 'ok - lcov and genhtml # SKIP no lcov'
fi
exit $failed
