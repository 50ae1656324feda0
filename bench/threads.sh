#!/bin/bash
# Measure what threads gain and cost: commands with -j 1 and -j 2 on one trace, in turn.
#
#   bench/threads.sh FOLDER [THREADS [PROGRAM REC]]
#
# FOLDER is the build folder; by default 2 threads, and what `make bench` recorded: also its large
# recording, where the start would be much of a short run, and four harts made of the small one.
# Prints wall clock seconds, best of five each (of fewer, where they take more than 20 seconds), how
# many times as fast as with -j 1, how much more CPU time that takes, and the memory of both.  The
# machine must have as many idle cores: look at the load that it prints first.  With real-time
# priority (chrt -r 5 bench/threads.sh build) it need not be idle.  Some 15 minutes on two cores.
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

# least FILE: the smallest wall clock and CPU time, the largest memory, MiB
least()
{
	awk '{ cpu = $2 + $3
		if (NR == 1 || $1 < wall) wall = $1
		if (NR == 1 || cpu < least) least = cpu
		if ($4 > kib) kib = $4 }
		END { print wall, least, kib / 1024 }' "$1"
}

# measure TEXT COMMAND...: a row; the command with -j N after its first word
measure()
{
	local text=$1 command=$2 start=$SECONDS j

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
	printf '%s %s\n' "$(least "$work/threads.1")" "$(least "$work/threads.$threads")" |
		awk -v text="$text" '{
		printf "| %s | %.3f | %.3f | %.2f | %.0f | %.0f | %.0f |\n", text, $1, $4, $1 / $4,
			100 * ($5 - $2) / $2, $3, $6 }'
}

# What a trace of any length is asked for.  Its options are in the array trace.
commands()
{
	local text=$1 rec=$2

	measure "$text: decode, no flow" decode -q -o /dev/null "${trace[@]}"
	measure "$text: decode" decode -q -o "$work/threads.flow" "${trace[@]}"
	rm -rf "$work/threads.flow"
	measure "$text: stat" stat -q "${trace[@]}"
	measure "$text: coverage" coverage "${trace[@]}"
	measure "$text: check with its recording" check -q "$rec" "${trace[@]}"
	measure "$text: list --format pc" list --format pc "${trace[@]}"
	measure "$text: list" list "${trace[@]}"
	measure "$text: list --json" list --json "${trace[@]}"
}

# Of a trace of some 70 MB.
more_commands()
{
	local text=$1 file=${trace[-1]} format

	measure "$text: report" report "${trace[@]}"
	measure "$text: report --html" report --html -o "$work/threads.html" "${trace[@]}"
	measure "$text: calls" calls "${trace[@]}"
	measure "$text: lint" lint "$file"
	measure "$text: dump" dump "$file"
	for format in chrome speedscope callgrind folded; do
		measure "$text: export --format $format" export -q --format $format \
			-o "$work/threads.export" "${trace[@]}"
	done
	rm -f "$work"/threads.{html,export}
}

# Four harts, each of which ran what is in the trace.
four_harts()
{
	local protocol=$1 hart harts=()

	for hart in 1 2 3; do
		harts+=(--source "$work/threads.$protocol=hart=$hart")
	done
	"$tool" decode -q "${harts[@]}" -o "$work/threads.flow" "${trace[@]}"
	measure "$protocol: encode of four harts" encode -q --protocol "$protocol" \
		-o "$work/threads.harts" "$work/threads.flow"
	rm -rf "$work"/threads.harts* "$work/threads.flow"
}

printf 'Load before: %s.\n\n' "$(cut -d' ' -f1 /proc/loadavg)"
printf '| | -j 1, s | -j %s, s | times as fast | more CPU time, %% | MiB, -j 1 | -j %s |\n' \
	"$threads" "$threads"
printf '| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n'
for protocol in ntrace etrace; do
	"$tool" encode -q --protocol $protocol -o "$work/threads.$protocol" "$rec"
	trace=(--elf "$program" "$work/threads.$protocol")
	commands "$protocol" "$rec"
	more_commands "$protocol"
	four_harts "$protocol"
done
measure 'stat of a recording' stat -q "$rec"
measure 'stat --compare' stat --compare -q "$rec"
[ "$large" != "$rec" ] && [ -d "$large" ] || exit 0
for protocol in ntrace etrace; do
	"$tool" encode -q --protocol $protocol -o "$work/threads.large" "$large"
	trace=(--elf "$program" "$work/threads.large")
	commands "$protocol, large" "$large"
	rm -f "$work"/threads.large*
done
