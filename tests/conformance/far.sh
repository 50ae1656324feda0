#!/bin/bash
# Any place of 10^10 instructions is reached in under 0.2 s of CPU time by an index: of a recording
# and of its trace, 1 GB, at ten places, which are the same in both.  For soak: minutes, 1.5 GB.
#
#   far.sh [long]       without long: of 10^8 instructions
. "${HARTSCOPE_SOURCE:?the source folder}/tests/conformance/programs.sh"
rusage=${HARTSCOPE_BUILD:?the build folder}/bench/bench-rusage

sentences=16400
all=100000000
if [ "${1-}" = long ]; then
	sentences=1640000
	all=10000000000
fi
$gcc -O2 -g -static -o sort "$HARTSCOPE_SOURCE/examples/sort.c" &&
	"$HARTSCOPE" record -q -o far.rec -- ./sort $sentences >/dev/null 2>err &&
	"$HARTSCOPE" encode -q --protocol ntrace -o far.nt far.rec 2>err &&
	"$HARTSCOPE" index -q far.rec 2>err
report "a recording of $all instructions has an index" $? err
count=$("$HARTSCOPE" index --json far.nt | sed -n 's/.*"instructions": *\([0-9]*\).*/\1/p')
[ "${count:-0}" -ge $all ]
report "the trace has $count instructions, and an index" $?
size=$(stat -c %s far.nt)
for k in 1 2 3 4 5 6 7 8 9 10; do
	from=$(((k * 7919 * 104729 * 31 + RANDOM * 32768 + RANDOM) % all))
	for source in far.rec far.nt; do
		"$rusage" cost "$HARTSCOPE" list --format pc --from $from --limit 20 $source \
			>$source.got 2>err
		took=$(awk '{ print $2 + $3 }' cost)
		awk '{ exit !($2 + $3 < 0.2) }' cost && [ -s $source.got ]
		report "$source from $from: $took s" $? err
	done
	cmp far.rec.got far.nt.got >out 2>&1
	report "from $from: the same instructions" $? out
done
echo "# the trace has $size bytes, its index $(stat -c %s far.nt.idx)"
exit $failed
