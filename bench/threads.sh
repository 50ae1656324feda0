#!/bin/bash
# Measure what threads gain and cost: commands with -j 1 and -j 2 on one trace, in turn.
#
#   bench/threads.sh FOLDER [THREADS [PROGRAM REC]]
#
# FOLDER is the build folder; by default 2 threads, and what `make bench` recorded: also its large
# recording, where the start would be much of a short run, and four harts made of the small one.
# Prints wall clock seconds, best of five each (of fewer, where these take more than 20 seconds), how
# many times as fast as with -j 1, and how much more CPU time that takes.  The machine must have as
# many idle cores: look at the load that it prints first.  With real-time priority (chrt -r 5
# bench/threads.sh build) it need not be idle.
set -eu -o pipefail
export HARTSCOPE_FORCE=1 # the same names for each kind of trace
cd "$(dirname "$0")/.."
export LC_ALL=C
build=$(cd "$1" && pwd)
threads=${2:-2}
work=$build/bench-work
tool=$build/tools/hartscope/hartscope
rusage=$build/bench/bench-rusage
. bench/common.sh
program=${3:-$work/program}
rec=${4:-$work/small.rec}
large=${4:-$work/large.rec}
mkdir -p "$work"
[ -d "$rec" ] || {
	say "there is no $rec: run make bench first, or give a program and its recording"
	exit 2
}
ninja --quiet -C "$build" bench/bench-rusage

# best FILE: the smallest wall clock, the smallest CPU time
best()
{
	awk '{ cpu = $2 + $3
		if (NR == 1 || $1 < wall) wall = $1
		if (NR == 1 || cpu < least) least = cpu }
		END { print wall, least }' "$1"
}

# measure TEXT COMMAND...: a row; the command with -j N after its first word
measure()
{
	local text=$1 command=$2 start=$SECONDS j one several

	shift 2
	rm -f "$work"/threads.[0-9]*
	for _ in 1 2 3 4 5; do
		for j in 1 "$threads"; do
			"$rusage" "$work/cost" "$tool" "$command" -j "$j" "$@" \
				>/dev/null 2>"$work/stderr" || {
				cat "$work/stderr" >&2
				return 1
			}
			cat "$work/cost" >>"$work/threads.$j"
		done
		[ $((SECONDS - start)) -lt 20 ] || break
	done
	one=$(best "$work/threads.1")
	several=$(best "$work/threads.$threads")
	printf '%s %s\n' "$one" "$several" | awk -v text="$text" '{
		printf "| %s | %.2f | %.2f | %.2f | %.0f |\n", text, $1, $3, $1 / $3,
			100 * ($4 - $2) / $2 }'
}

for protocol in ntrace etrace; do
	"$tool" encode -q --protocol $protocol -o "$work/threads.$protocol" "$rec"
done
printf 'Load before: %s.\n\n' "$(cut -d' ' -f1 /proc/loadavg)"
printf '| | -j 1, s | -j %s, s | times as fast | more CPU time, %% |\n' "$threads"
printf '| --- | ---: | ---: | ---: | ---: |\n'
for protocol in ntrace etrace; do
	trace=(--elf "$program" "$work/threads.$protocol")
	measure "$protocol: decode, no flow" decode -q -o /dev/null "${trace[@]}"
	measure "$protocol: decode" decode -q -o "$work/threads.flow" "${trace[@]}"
	measure "$protocol: stat" stat -q "${trace[@]}"
	measure "$protocol: list --format pc" list --format pc "${trace[@]}"
	measure "$protocol: list" list "${trace[@]}"
	measure "$protocol: check" check -q "$rec" "${trace[@]}"
	measure "$protocol: report" report "${trace[@]}"
	measure "$protocol: coverage" coverage "${trace[@]}"
	harts=()
	for hart in 1 2 3; do
		harts+=(--source "$work/threads.$protocol=hart=$hart")
	done
	"$tool" decode -q "${harts[@]}" -o "$work/threads.flow" "${trace[@]}"
	measure "$protocol: encode of four harts" encode -q --protocol $protocol \
		-o "$work/threads.harts" "$work/threads.flow"
	rm -f "$work"/threads.harts*
done
measure 'stat of a recording' stat -q "$rec"
measure 'stat --compare' stat --compare -q "$rec"
[ "$large" != "$rec" ] && [ -d "$large" ] || exit 0
for protocol in ntrace etrace; do
	"$tool" encode -q --protocol $protocol -o "$work/threads.large" "$large"
	trace=(--elf "$program" "$work/threads.large")
	measure "$protocol, large: decode, no flow" decode -q -o /dev/null "${trace[@]}"
	measure "$protocol, large: stat" stat -q "${trace[@]}"
	measure "$protocol, large: coverage" coverage "${trace[@]}"
	rm -f "$work"/threads.large*
done
