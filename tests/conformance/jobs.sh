#!/bin/bash
# What commands write with -j 1 they write with -j 2 to 8, byte for byte, also of damaged files: of
# recordings of several harts, and of their traces (ADR-0178).
#
#   jobs.sh [long]      long: all of these, and more to do
. "${HARTSCOPE_SOURCE:?the source folder}/tests/conformance/programs.sh"

rounds=500
jobs='2 3 8'
if [ "${1-}" = long ]; then
	rounds=4000
	jobs='2 3 4 5 6 7 8'
elif [ -n "${HARTSCOPE_SANITIZED-}" ]; then
	rounds=150
	jobs='2 8'
fi
$gcc -O2 -g -static -pthread -o busy "$programs/busy.c" &&
	"$HARTSCOPE" record -q -o b.rec -- ./busy 4 $rounds >/dev/null || exit 1

# run N COMMAND OPTION...: with -j N; all that it wrote, to $N.all
run()
{
	local n=$1 command=$2

	shift 2
	rm -rf output*
	"$HARTSCOPE" "$command" -j "$n" "$@" >out 2>err
	echo $? >status
	cat status out err >"$n.all"
	find output* -type f 2>/dev/null | sort >files
	while read -r file; do
		cat "$file"
	done <files >>"$n.all"
}

# same TEXT COMMAND OPTION...: the results of all -j; those of -j 1 stay in 1.all
same()
{
	local text=$1 differs=0 n

	shift
	run 1 "$@"
	for n in $jobs; do
		run "$n" "$@"
		cmp 1.all "$n.all" >>why 2>&1 || differs=1
	done
	[ -s output ] || [ -s out ] || [ -d output ] || differs=1
	report "-j 1 to 8: $text" $differs why
	: >why
}

same 'encode, N-Trace' encode --protocol ntrace -o output b.rec
same 'encode, E-Trace with synchronisations' encode --protocol etrace \
	--set trTeInstSyncMode=packets --set resync-max=4 -o output b.rec
same 'encode, by time' encode --protocol ntrace --set trTsEnable=1 -o output b.rec
same 'encode, samples of pins' encode --protocol ntrace --transport pins4 -o output b.rec
same 'encode, frames' encode --protocol ntrace --transport tpiu -o output b.rec
same 'encode, a queue that is full' encode --protocol ntrace --queue 64 --drain 1 -o output b.rec
same 'encode, some instructions' encode --protocol ntrace --filter iaddr=0x10000-0x10700 -o output b.rec
same 'encode, perf.data' encode --protocol etrace --perf-data cpu -o output b.rec
"$HARTSCOPE" encode -q --protocol ntrace -o b.nt b.rec
"$HARTSCOPE" decode -q -o b.flow b.nt

same 'list' list b.rec
same 'list, JSON' list --json --limit 20000 b.rec
same 'list, PCs of one hart' list --format pc --hart 2 b.rec
same 'list of a trace' list b.nt
same 'list of a trace, by address' list --format pc --from main --limit 3000 b.nt
same 'stat' stat --calls b.rec
same 'calls' calls b.nt
same 'pmu' pmu b.rec
same 'check of a recording and its flow' check b.rec b.flow
same 'check of a recording and its trace' check b.rec b.nt
same 'ctr' ctr b.rec
for format in perf-data brstack bolt profgen folded json; do
	same "ctr --export $format" ctr --export $format -o output b.rec
done
same 'ctr --export of a trace' ctr --export folded -o output b.nt
same 'decode' decode -o output b.nt

# Damage: what is wrong is reported in the same order, and costs the same.
cp -r b.rec bad.rec
for stream in bad.rec/hart-1* bad.rec/hart-2*; do
	[ -s "$stream" ] || continue
	size=$(stat -c %s "$stream")
	printf 'xyz' | dd of="$stream" bs=1 seek=$((size / 2)) conv=notrunc 2>dd.err
done
same 'encode of a damaged recording' encode --protocol ntrace -o output bad.rec
grep -q . err
report 'the damage is reported' $? err
same 'list of a damaged recording' list --format pc bad.rec
same 'stat of a damaged recording' stat bad.rec
same 'check of a damaged recording' check bad.rec b.flow
cp b.nt bad.nt
cp b.nt.json bad.nt.json
for at in 1 2 3 4 5 6 7; do
	printf 'xyz' | dd of=bad.nt bs=1 seek=$((at * $(stat -c %s b.nt) / 8)) conv=notrunc 2>dd.err
done
for command in 'list' 'stat' 'ctr --export folded -o output' 'decode -o output'; do
	# shellcheck disable=SC2086  # words
	same "${command%% *} of a damaged trace" $command bad.nt
done
same 'check of a damaged trace' check b.rec bad.nt
exit $failed
