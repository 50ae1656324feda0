#!/bin/bash
# Call stacks: what a flow has where a function is entered is what the program says of itself, for
# calls, tail calls, longjmp(), exceptions, signals, coroutines and threads, in builds of several
# kinds; also where the flow begins in the middle.
#
#   stacks.sh STACKS     the program of stacks.c
stacks=$(realpath "$1") || exit 1
needs='riscv64-linux-gnu-g++ python3'
. "${HARTSCOPE_SOURCE:?the source folder}/tests/conformance/programs.sh"
compare=$HARTSCOPE_SOURCE/tests/conformance/stacks.py
plain='-fno-inline -fno-ipa-cp -fno-ipa-sra'

# build NAME FLAG...: record it
build()
{
	local name=$1
	shift

	mkdir -p "$name" && cd "$name" || exit 1
	riscv64-linux-gnu-g++ -g -pthread -finstrument-functions "$@" "$programs/stacks.cc" \
		-o stacks 2>out && "$HARTSCOPE" record -q -o stacks.rec -- ./stacks >out 2>&1
	report "$name: a program of 3 threads was recorded" $? out
	cd "$work" || exit 1
}

# same NAME SKIPPED: without the first blocks each stack is the innermost part of the program's
same()
{
	"$stacks" "$1/stacks.rec" "$2" >stacks.out 2>err
	python3 "$compare" "$2" stacks.out "$1"/log.* >out 2>&1
	good=$?
	report "$1, $2 blocks left out: $(tr "\n" ";" <out | cut -c 1-160)" $good out
}

build O0-static -O0 -static
# shellcheck disable=SC2086
build O2 -O2 $plain
for name in O0-static O2; do
	same $name 0
	for view in calls 'report --top 100000'; do
		# shellcheck disable=SC2086
		"$HARTSCOPE" $view -q --json $name/stacks.rec >calls.json 2>err &&
			python3 "$HARTSCOPE_SOURCE/tests/conformance/calls.py" calls.json \
				$name/log.* >out 2>&1
		good=$?
		report "$name, $view: $(tail -n 1 out)" $good out
	done
done
# The library of a function is the one whose dynamic symbols have it.
for view in calls 'calls --flat' 'report --top 100000' 'pmu --top 100000' \
	'stat --calls --top 100000'; do
	# shellcheck disable=SC2086
	"$HARTSCOPE" $view -q --json O2/stacks.rec >view.json 2>err &&
		python3 "$HARTSCOPE_SOURCE/tests/conformance/libraries.py" view.json \
			/usr/riscv64-linux-gnu/lib O2/stacks >out 2>&1
	good=$?
	report "$view: $(tail -n 1 out)" $good out
done
for skip in 100000 250000 400000 620000; do
	same O2 $skip
done
exit $failed
