#!/bin/bash
# Several threads decode a trace as one does (ADR-0151), byte for byte: pieces of traces, whole and
# damaged, of both protocols and their options, and what commands print.
#
#   threads.sh PROGRAM [CASES]     tests/conformance/threads.c; by default 10
#
# With sanitizers a shorter program, and 4 cases.
. "${HARTSCOPE_SOURCE:?the source folder}/tests/conformance/trip.sh"
threads=$(realpath "$1")
cases=${2:-10}
sentences=12000
if [ -n "${HARTSCOPE_SANITIZED-}" ]; then
	cases=${2:-4}
	sentences=800
fi
cd "$work" || exit 1
for tool in riscv64-linux-gnu-gcc qemu-riscv64; do
	command -v $tool >/dev/null || { echo "1..0 # SKIP no $tool"; exit 77; }
done
riscv64-linux-gnu-gcc -O2 -static -o program "$HARTSCOPE_SOURCE/examples/sort.c" &&
	"$HARTSCOPE" record -q -o program.rec -- ./program $sentences >/dev/null 2>&1 || exit 1

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

# --from and --last by an index and without one, of the last trace and of one with damage.
# ranges NAME TEXT: random ranges
ranges()
{
	local n from differ=0

	rm -f "$1.idx"
	"$HARTSCOPE" index -q --elf program "$1" >/dev/null 2>&1
	[ -s "$1.idx" ]
	verdict "$2: it has an index" $?
	n=$("$HARTSCOPE" index --json --elf program "$1" 2>/dev/null |
		sed -n 's/.*"instructions": *\([0-9]*\).*/\1/p')
	for i in 1 2 3 4; do
		from=$(((i * 7919 + 13) * 104729 % n))
		"$HARTSCOPE" list --elf program --from $from --to $((from + 400)) "$1" \
			>by_index 2>/dev/null
		cp "$1" plain
		cp "$1.json" plain.json
		"$HARTSCOPE" list --elf program --from $from --limit 400 plain >one 2>/dev/null
		[ -s one ] && cmp one by_index >>out 2>&1 || differ=1
	done
	verdict "$2: ranges by the index" $differ out
	"$HARTSCOPE" list --elf program --last 500 "$1" >by_index 2>/dev/null
	"$HARTSCOPE" list --elf program --last 500 plain >one 2>/dev/null
	[ -s one ] && cmp one by_index >out 2>&1
	verdict "$2: --last" $? out
	cp trace.other plain.idx
	"$HARTSCOPE" list --elf program --from $from --limit 400 plain >one 2>/dev/null
	rm plain.idx
	"$HARTSCOPE" list --elf program --from $from --limit 400 plain >by_index 2>/dev/null
	[ -s one ] && cmp one by_index >out 2>&1
	verdict "$2: the index of another trace is not used" $? out
}

# damage FROM TO: some bytes are others
damage()
{
	local step

	step=$(($(stat -c %s "$1") * 3 / 20))
	cp "$1" "$2"
	cp "$1.json" "$2.json"
	for i in 1 2 3 4 5; do
		printf 'xyz' | dd of="$2" bs=1 seek=$((i * step)) conv=notrunc 2>/dev/null
	done
}

# short NAME: its first megabytes as NAME.short
short()
{
	head -c 2000000 "$1" >"$1.short"
	cp "$1.json" "$1.short.json"
}

"$HARTSCOPE" encode -q --protocol ntrace -o trace.nt program.rec
short trace
short trace.nt
"$HARTSCOPE" index -q --elf program trace.nt.short >/dev/null 2>&1
cp trace.nt.short.idx trace.other
ranges trace.short 'E-Trace'
damage trace.short bad.et
ranges bad.et 'E-Trace with damage'
cp trace.short.idx trace.other
ranges trace.nt.short 'N-Trace'
damage trace.nt.short bad.nt
ranges bad.nt 'N-Trace with damage'
exit $status
