#!/bin/bash
# Coverage of optimised programs: lines, branches and functions of the 30 programs of
# tests/programs/covered are those of gcov at each level, but for the rules of docs/cli/coverage.md.
# Both are built and run once more for each level: with counters for gcov, without for us.
needs='riscv64-linux-gnu-g++ riscv64-linux-gnu-gcov riscv64-linux-gnu-objdump python3'
. "${HARTSCOPE_SOURCE:?the source folder}/tests/conformance/programs.sh"
covered=$programs/covered

# build FOLDER FLAG...: the programs as one, FOLDER/all
build()
{
	mkdir -p "$1" && cd "$1" || return 1
	shift
	riscv64-linux-gnu-gcc -w -g "$@" -c "$covered"/*.c &&
		riscv64-linux-gnu-g++ -w -g "$@" -c "$covered"/*.cc &&
		riscv64-linux-gnu-g++ -static "$@" *.o -o all
}

# gcov LEVEL: gcov's JSON, and what the programs print
gcov()
{
	(
		build "$1.counts" -"$1" --coverage && qemu-riscv64 ./all >"../$1.expected" &&
			riscv64-linux-gnu-gcov -b -c --json-format -t *.gcda >"../$1.gcov"
	)
}

compare()
{
	gcov "$1" && (build "$1" -"$1") &&
		"$HARTSCOPE" record -q -o "$1.rec" -- "$1/all" >"$1.printed" &&
		cmp "$1.expected" "$1.printed" &&
		"$HARTSCOPE" coverage -q --format gcov-json -o "$1.json" "$1.rec" &&
		python3 "$HARTSCOPE_SOURCE/tests/conformance/coverage_levels.py" "$covered" \
			"$1.gcov" "$1.json" "$1/all" "$1"
}

for level in O0 Og O1 O2 Os; do
	compare $level >out 2>&1
	good=$?
	report "-$level: $(tail -n 1 out)" $good out
	tail -n 2 out | sed -n 's/^by rule: /# /p'
done
exit $failed
