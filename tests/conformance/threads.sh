#!/bin/bash
# Several threads decode a trace as one does (ADR-0151), byte for byte: pieces of traces, whole and
# damaged, of both protocols and their options, and what commands print.
#
#   threads.sh PROGRAM [CASES]     tests/conformance/threads.c
. "${HARTSCOPE_SOURCE:?the source folder}/tests/conformance/trip.sh"
threads=$(realpath "$1")
cases=${2:-25}
cd "$work" || exit 1
for tool in riscv64-linux-gnu-gcc qemu-riscv64; do
	command -v $tool >/dev/null || { echo "1..0 # SKIP no $tool"; exit 77; }
done
riscv64-linux-gnu-gcc -O2 -static -o program "$HARTSCOPE_SOURCE/examples/sort.c" &&
	"$HARTSCOPE" record -q -o program.rec -- ./program >/dev/null 2>&1 || exit 1

# some PROTOCOL [SETTING...]: random pieces
some()
{
	local settings=() s protocol=$1

	shift
	for s; do
		settings+=(--set "$s")
	done
	"$HARTSCOPE" encode -q --protocol "$protocol" "${settings[@]}" -o trace program.rec \
		>out 2>&1 && "$threads" ./program trace "$cases" >out 2>&1
	verdict "$protocol${*:+ $*}: $cases pieces" $? out
}

some ntrace trTeInstSyncMode=messages trTeInstSyncMax=4
some ntrace trTeInstMode=btm trTeInstSyncMode=messages trTeInstSyncMax=4
some ntrace trTeInstSyncMode=messages trTeInstSyncMax=3 "${all_ntrace[@]}"
some ntrace
some etrace trTeInstSyncMode=packets resync-max=4
some etrace trTeInstSyncMode=packets resync-max=3 "${all_etrace[@]}"
some etrace

# What commands print, of the last trace.
for command in stat 'list --format pc --limit 3000000' 'check program.rec'; do
	# shellcheck disable=SC2086  # words
	"$HARTSCOPE" $command -j 1 --elf program trace >one 2>&1
	# shellcheck disable=SC2086
	"$HARTSCOPE" $command -j 4 --elf program trace >four 2>&1
	cmp one four >out 2>&1
	verdict "${command%% *}: -j 4 prints what -j 1 does" $? out
done
"$HARTSCOPE" decode -q -j 1 --elf program -o flow trace &&
	mv flow one.flow &&
	"$HARTSCOPE" decode -q -j 3 --elf program -o flow trace &&
	diff -r one.flow flow >out 2>&1
verdict 'decode: -j 3 writes the flow of -j 1' $? out
exit $status
