#!/bin/bash
# dump and lint read a file in pieces, on several threads, and a pipe (lint: also with one thread)
# message by message: all of them show the same, also where bytes are damaged at the seams of pieces
# (design/pool).
. "${HARTSCOPE_SOURCE:?the source folder}/tests/conformance/programs.sh"
$gcc -O2 -static -pthread -o busy "$programs/busy.c" &&
	"$HARTSCOPE" record -q -o b.rec -- ./busy 4 100 >/dev/null || exit 1
$gcc -O2 -static -o sort "$HARTSCOPE_SOURCE/examples/sort.c" &&
	"$HARTSCOPE" record -q -o one.rec -- ./sort 100 >/dev/null || exit 1
piece=65536
several='1 2 8' # threads
[ -z "${HARTSCOPE_SANITIZED-}" ] || several=3

# alike TEXT FILE [OPTION...]: all numbers of threads and standard input, as text and as JSON
alike()
{
	local text=$1 file=$2 differs=0 shown j

	shift 2
	for shown in '' '--json --wire'; do
		# shellcheck disable=SC2086  # words
		cat "$file" | "$HARTSCOPE" dump $shown "$@" - >one 2>err.one
		echo $? >>one
		for j in $several; do
			# shellcheck disable=SC2086
			"$HARTSCOPE" dump -j $j $shown "$@" "$file" >all 2>err.all
			echo $? >>all
			cmp one all >>why 2>&1 || differs=1
			grep -c error err.one >count.one
			grep -c error err.all | cmp count.one - >>why 2>&1 || differs=1
		done
	done
	[ "$(wc -l <one)" -gt "${least:-1000}" ] || differs=1
	report "$text" $differs why
	: >why
}

# encode NAME OPTION...: a trace of more pieces than threads, without its parameters
encode()
{
	"$HARTSCOPE" encode -q --force -o its "${@:2}" "${recording:-b.rec}" >out 2>&1 ||
		report "encode $1" 1 out
	: >"$1"
	while [ "$(stat -c %s "$1")" -lt $((5 * piece)) ]; do
		cat its >>"$1"
	done
	rm -f its.json
}

# damage NAME: bytes around each seam of pieces, and at places that are none
damage()
{
	local at size

	cp "$1" bad
	size=$(stat -c %s bad)
	for ((at = piece - 2; at < size; at += piece / 2 + 1)); do
		printf 'x\377\002\000z' | dd of=bad bs=1 seek=$at conv=notrunc 2>>dd.err
	done
}

encode n --protocol ntrace
alike 'N-Trace' n
damage n
alike 'N-Trace, damaged' bad
for byte in '\000' '\002' '\003' '\377'; do
	head -c $((2 * piece)) /dev/zero | tr '\000' "$byte" | cat n - n >filled
	alike "N-Trace with $((2 * piece)) bytes of $byte" filled
done
head -c $((3 * piece + 7)) n >cut
alike 'N-Trace that is cut' cut
encode t --protocol ntrace --set trTsEnable=1 --set trTeInstMode=btm
alike 'N-Trace with times' t --set trTsEnable=1
encode e --protocol etrace
alike 'E-Trace' e --protocol etrace
damage e
alike 'E-Trace, damaged' bad --protocol etrace
encode o --protocol etrace --set implicit-return=1 --set trTeInstSyncMode=packets \
	--set resync-max=4 --set return_stack_size_p=4
sizes=(--set return_stack_size_p=4)
alike 'E-Trace whose packets say options' o --protocol etrace "${sizes[@]}"
cat o e o >mixed
alike 'E-Trace whose options change' mixed --protocol etrace "${sizes[@]}"
damage mixed
alike 'E-Trace whose options change, damaged' bad --protocol etrace "${sizes[@]}"
for dialect in reference pulp siemens esp32 none encap1; do
	recording=one.rec encode d --protocol etrace --dialect $dialect
	alike "E-Trace, $dialect" d --protocol etrace --dialect $dialect
done
least=0
head -c 1 n >cut
alike 'a byte' cut

# linted TEXT FILE [OPTION...]: all numbers of threads, text and JSON, with and without a program
linted()
{
	local text=$1 file=$2 differs=0 shown j

	shift 2
	for shown in '--elf busy' '--elf busy --json --max 100000' '--max 2 --severity warning'; do
		for j in 1 $several; do
			# shellcheck disable=SC2086  # words
			"$HARTSCOPE" lint -j $j $shown "$@" "$file" >found.$j 2>&1
			echo $? >>found.$j
			cmp found.1 found.$j >>why 2>&1 || differs=1
		done
	done
	grep -q ' messages: ' found.1 || differs=1
	report "lint, $text" $differs why
	: >why
}
piece=262144
encode n --protocol ntrace
linted 'N-Trace' n
damage n
linted 'N-Trace, damaged' bad
encode t --protocol ntrace --set trTsEnable=1 --set trTeContext=1 --set trTeInstMode=btm
linted 'N-Trace with times and contexts' t --set trTsEnable=1 --set trTeContext=1
head -c $((3 * piece)) /dev/zero | cat n - n >filled
linted 'N-Trace with bytes of 0' filled
encode e --protocol etrace
linted 'E-Trace' e --protocol etrace
damage e
linted 'E-Trace, damaged' bad --protocol etrace
encode o --protocol etrace --set implicit-return=1 --set trTeInstSyncMode=packets \
	--set resync-max=4 --set return_stack_size_p=4
linted 'E-Trace whose packets say options' o --protocol etrace "${sizes[@]}"
cat o e o >mixed
linted 'E-Trace whose options change' mixed --protocol etrace "${sizes[@]}"
: >empty
for j in 1 2 8; do
	"$HARTSCOPE" dump -j $j empty >empty.$j 2>&1
	echo $? >>empty.$j
done
grep -q 'is empty' empty.1 && cmp empty.1 empty.2 && cmp empty.1 empty.8
report 'no byte' $?
exit $failed
