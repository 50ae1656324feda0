#!/bin/bash
# Debian's Linux, recorded as a whole machine: it patches its own text, its processes share
# addresses and pages, modules, libraries and compiled code come and go.  The recording is complete,
# and a trace of it in either protocol, with contexts, decodes to the same blocks and traps without
# an error.
#
#   linux_record.sh [long [HARTS]]    long is for scripts/soak/soak.sh: more of it, 1 and 4 harts,
#                                     every mode, with and without contexts
set -u
cd "${HARTSCOPE_SOURCE:?}" || exit 1
. tests/conformance/trip.sh
. tests/conformance/linux_guest.sh
build=$(cd "${HARTSCOPE_BUILD:?}" && pwd)
form=${1-short}
harts_of=${2-1 4}
ntrace=trTeContext=1
etrace='nocontext_p=0 context_width_p=44'

skip()
{
	echo "ok - recordings of Linux # SKIP $1"
	exit 77
}

# perf_trip NAME PROTOCOL SETTING...: as a perf.data, there and back
perf_trip()
{
	local name=$1 protocol=$2 s settings=()

	shift 2
	for s; do settings+=(--set "$s"); done
	rm -rf "$work/perf.data"* "$work/flow"
	"$HARTSCOPE" encode -q --protocol "$protocol" "${settings[@]}" --perf-data cpu \
		-o "$work/perf.data" "$work/$name.rec" 2>"$work/out" &&
		"$HARTSCOPE" decode -q -o "$work/flow" "$work/perf.data" 2>"$work/out" &&
		"$HARTSCOPE" check "$work/$name.rec" "$work/flow" >"$work/out" 2>&1
	good=$?
	verdict "$name, $protocol, perf.data: $(head -n 1 "$work/out")" $good "$work/out"
	rm -rf "$work/perf.data"* "$work/flow"
}

# counted NAME: the manifest has as many instructions as stat.  An outside witness (long form) also
# counts those that raised an exception, as far as they could be fetched.
counted()
{
	local have stat exceptions started

	have=$(($(sed -n 's/.*"instructions": //p' "$work/$1.rec/manifest.json" |
		tr -d , | paste -sd +)))
	"$HARTSCOPE" stat "$work/$1.rec" >"$work/stat" 2>&1
	stat=$(sed -n 's/^instructions *//p' "$work/stat" | tr -d ,)
	[ "$have" = "$stat" ]
	verdict "$1: $stat instructions by stat, $have in the manifest" $? "$work/stat"
	[ -e "$work/count" ] || return 0
	exceptions=$(sed -n 's/^exceptions *//p' "$work/stat" | tr -d ,)
	started=$(($(cut -d ' ' -f 2 "$work/count" | paste -sd +)))
	[ $((started - stat)) -ge 0 ] && [ $((started - stat)) -le "$exceptions" ]
	verdict "$1: the witness has $started" $? "$work/count"
}

options=() output=-o # of record

# record NAME HARTS ROUNDS...: to $work/NAME.rec
record()
{
	local name=$1 harts=$2

	shift 2
	guest_emulator "$work/recorded" "$HARTSCOPE" record -q ${options[@]+"${options[@]}"} \
		$output "$work/$name.rec" --
	APPEND="-- $*" scripts/guests/linux-guest.sh boot "$build" 400 "$work/initramfs" \
		"$work/recorded" -smp "$harts" >"$work/log" 2>&1
	grep -q '^last words$' "$work/log"
	verdict "$name: the guest ran to its end" $? "$work/log"
	complete "$name"
	grep -q '"end": "power-off"' "$work/$name.rec/manifest.json"
	verdict "$name: the machine went off" $? "$work/$name.rec/manifest.json"
	counted "$name"
	grep -q '"codeChanged"' "$work/$name.rec/manifest.json"
	verdict "$name: code changed while it ran" $? "$work/$name.rec/manifest.json"
	for wanted in 'before: [1-9]' 'loaded test_static_keys' '^awk ' 'busybox$'; do
		grep -q "$wanted" "$work/log"
		verdict "$name: \"$wanted\" on the console" $? "$work/log"
	done
}

[ "${HARTSCOPE_SANITIZED:-0}" = 0 ] || skip 'too slow with sanitizers'
out=$(guest_fetch) || skip "$out"
guest_archive || skip 'no guest'

if [ "$form" != long ]; then
	record linux 1 2
	trip linux ntrace $ntrace
	# shellcheck disable=SC2086
	trip linux etrace $etrace
	exit $status
fi
# The end of a boot in a small ring; a boot that is encoded while it runs.
for harts in $harts_of; do
	options=(--keep-last 1M)
	record "kept-$harts" "$harts" 2
	grep -q '"skipped": [1-9]' "$work/kept-$harts.rec/manifest.json"
	verdict "kept-$harts: it has no beginning" $?
	trip "kept-$harts" ntrace $ntrace
	# shellcheck disable=SC2086
	trip "kept-$harts" etrace $etrace
	options=(--encode ntrace --set "$ntrace" -o "$work/live") output=--recording
	record "live-$harts" "$harts" 2
	options=() output=-o
	"$HARTSCOPE" decode -q --image "$work/live-$harts.rec" -o "$work/flow" "$work/live" &&
		"$HARTSCOPE" check "$work/live-$harts.rec" "$work/flow" >"$work/out" 2>&1
	good=$?
	verdict "live-$harts: $(head -n 1 "$work/out")" $good "$work/out"
	[ "$harts" != 1 ] || {
		trip live-1 ntrace $ntrace
		cmp "$work/live" "$work/trace" >"$work/out" 2>&1 &&
			cmp "$work/live.code" "$work/trace.code" >"$work/out" 2>&1
		verdict 'live-1: the bytes of its recording' $? "$work/out"
	}
	rm -rf "$work"/{kept,live}-$harts.rec "$work"/live*
done
[ ! -e "$build/tests/conformance/count-insns.so" ] ||
	guest_arguments="-plugin $build/tests/conformance/count-insns.so,out=$work/count"
for harts in $harts_of; do
	record "linux-$harts" "$harts" 8 bpf
	trip_all "linux-$harts"
	perf_trip "linux-$harts" ntrace $ntrace
	# shellcheck disable=SC2086
	perf_trip "linux-$harts" etrace $etrace
	rm -rf "$work/linux-$harts.rec"
done
exit $status
