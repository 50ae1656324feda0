#!/bin/bash
# Measure recording, encoding and decoding on a large program and on examples/sort.c, lists, the CTR
# model, and the recording of a Linux boot; print figures with their ratios, and compare them with
# those of the last time.  docs/performance.md says how to read them.  Under 5 minutes on two idle
# cores; a slow machine fails nothing.
#
#   bench/bench.sh FOLDER [HISTORY]
#
# FOLDER is the build folder.  HISTORY has a JSON object in a line for each time (bench/history.py);
# by default it is bench-history.jsonl in FOLDER.  The program is SQLite where npm can fetch its
# source (bench/sqlite_driver.c), else a longer run of examples/sort.c.
set -eu -o pipefail
export HARTSCOPE_FORCE=1 # the same names for each kind of trace
cd "$(dirname "$0")/.."
export LC_ALL=C

build=$(cd "$1" && pwd)
history=${2:-$build/bench-history.jsonl}
work=$build/bench-work
tool=$build/tools/hartscope/hartscope
rusage=$build/bench/bench-rusage
sqlite=better-sqlite3@11.8.1 # an npm package that holds the SQLite amalgamation
. bench/common.sh
. bench/programs.sh

# ---- measuring -------------------------------------------------------------------

value()
{
	awk -v name="$1" '$1 == name { print $2 }' "$2"
}

# Plain and recorded, in turn: the recording of the last pair stays.
record_pairs()
{
	for _ in 1 2 3 4 5; do
		cost plain qemu-riscv64 "$work/program" "${rows[large]}"
		cost record "$tool" record -q -o "$work/large.rec" -- "$work/program" \
			"${rows[large]}"
	done
	cost record-small "$tool" record -q -o "$work/small.rec" -- "$work/program" "${rows[small]}"
	"$tool" record -q -o "$work/listed.rec" -- "$work/program" "${rows[listed]}" >/dev/null
	"$tool" record -q -o "$work/sort.rec" -- "$work/sentences" 36000 >/dev/null
}

# Files in, files out.
commands()
{
	local size format

	for size in small large; do
		cost encode-$size "$tool" encode -q --protocol ntrace -o "$work/$size.nt" \
			"$work/$size.rec"
		cost decode-$size "$tool" decode -q --elf "$work/program" -o "$work/$size.flow" \
			"$work/$size.nt"
	done
	"$tool" check -q "$work/large.rec" "$work/large.flow" >/dev/null ||
		say 'the decoded flow differs from the recording'
	cost stat-flow "$tool" stat --elf "$work/program" "$work/large.flow"
	cost stat-trace "$tool" stat --elf "$work/program" "$work/large.nt"
	for format in pc text json; do
		cost list-$format "$tool" list --format $format "$work/listed.rec"
	done
}

# codec NAME REC PROTOCOL [NAME=VALUE]...: what bench-codec prints are figures, by their names
codec()
{
	local mode=$1 rec=$2

	shift 2
	section "codec, $mode"
	"$build/bench/bench-codec" "$work/$rec.rec" "$@" >"$work/$mode.txt"
	while read -r key n; do
		figure "$mode.$key" "$n"
	done <"$work/$mode.txt"
}

returns='implicit-return=true return_stack_size_p=5'
prediction='branch-prediction=true bpred_size_p=10'
cache='jump-target-cache=true cache_size_p=7'
# Without a memo (all options) a decoder takes several times as long, and a fifth of the run says as
# much.
codecs()
{
	codec htm large ntrace trTeInstMode=htm
	codec btm large ntrace trTeInstMode=btm
	codec etrace large etrace
	# shellcheck disable=SC2086
	codec etrace-returns large etrace $returns
	codec htm-returns large ntrace trTeInstMode=htm trTeInstImplicitReturnMode=full
	# shellcheck disable=SC2086
	codec etrace-all small etrace f0s_width_p=1 sijump_p=1 si-jump=true $returns $prediction \
		$cache
	codec sort-htm sort ntrace trTeInstMode=htm
	codec sort-etrace sort etrace
	codec sort-times sort ntrace trTeInstMode=htm trTsEnable=1
	codec sort-returns-times sort ntrace trTeInstMode=htm trTsEnable=1 \
		trTeInstImplicitReturnMode=full
	# shellcheck disable=SC2086
	codec sort-prediction sort etrace $prediction
	# shellcheck disable=SC2086
	codec sort-cache sort etrace $cache
}

# profiles LANGUAGE COMMAND...: a profile of the large trace, block by block and counted
profiles()
{
	local language=$1

	shift
	section "profiles from $language"
	"$@" "$work/large.nt" "$work/program" >"$work/profiles-$language.txt" ||
		rm -f "$work/profiles-$language.txt"
}

# ---- the report ------------------------------------------------------------------

# recorded TEXT BASE NAME: figures and a row
recorded()
{
	figure "$3.cpu_s" "$(best "$3.cpu")"
	figure "$3.cpu_ratio" "$(ratio "$2" "$3" cpu)"
	figure "$3.wall_ratio" "$(ratio "$2" "$3" wall)"
	printf '| %s | %s | %s | %s | %s |\n' "$1" "$(best "$2.cpu")" "$(best "$3.cpu")" \
		"$(ratio "$2" "$3" cpu)" "$(ratio "$2" "$3" wall)"
}

# codec_row MODE TEXT: nanoseconds of a block, and ratios: how many times as fast as the bare walk
codec_row()
{
	local file=$work/$1.txt blocks walk encode decode

	blocks=$(value blocks "$file")
	walk=$(value walk_ns "$file")
	encode=$(calc %.2f "1e9 * $(value encode_seconds "$file") / $blocks")
	decode=$(calc %.2f "1e9 * $(value decode_seconds "$file") / $blocks")
	figure "$1.encode_ns" "$encode"
	figure "$1.decode_ns" "$decode"
	figure "$1.encode_ratio" "$(calc %.2f "$walk / $encode")"
	figure "$1.decode_ratio" "$(calc %.2f "$walk / $decode")"
	printf '| %s | %s | %s | %s | %s | %s | %s | %s |\n' "$2" \
		"$(calc %.3f "8 * $(value bytes "$file") / $(value instructions "$file")")" \
		"$(calc %.1f "$blocks / $(value messages "$file")")" "$walk" "$encode" \
		"$(calc %.2f "$walk / $encode")" "$decode" "$(calc %.2f "$walk / $decode")"
}

# count_row MODE TEXT: nanoseconds of a block, decoded, into a profile, and counted into one; ratios
count_row()
{
	local file=$work/$1.txt blocks what ns=()

	blocks=$(value blocks "$file")
	for what in decode profile count; do
		ns+=("$(calc %.2f "1e9 * $(value ${what}_seconds "$file") / $blocks")")
	done
	figure "$1.count_ns" "${ns[2]}"
	figure "$1.count_ratio" "$(calc %.2f "${ns[0]} / ${ns[2]}")"
	printf '| %s | %s | %s | %s | %s | %s |\n' "$2" "${ns[@]}" \
		"$(calc %.2f "${ns[0]} / ${ns[2]}")" "$(calc %.2f "${ns[1]} / ${ns[2]}")"
}

# command_row TEXT NAME INSTRUCTIONS [SMALL]: a command; its memory, and that of a smaller run
command_row()
{
	local seconds kib=- small=-

	seconds=$(best "$2.cpu")
	figure "$2.cpu_s" "$seconds"
	kib=$(calc %.0f "$(best "$2.kib") / 1024")
	[ -z "${4-}" ] || small=$(calc %.0f "$(best "$4.kib") / 1024")
	printf '| %s | %s | %s | %s | %s |\n' "$1" "$seconds" "$(calc %.0f "$3 / $seconds / 1e6")" \
		"$kib" "$small"
}

# profile_row LANGUAGE: seconds of both ways
profile_row()
{
	local file=$work/profiles-$1.txt loop count

	[ -s "$file" ] || return 0
	loop=$(value loop_seconds "$file")
	count=$(value count_seconds "$file")
	figure "profile-$1.count_s" "$count"
	figure "profile-$1.ratio" "$(calc %.2f "$loop / $count")"
	printf '| %s | %s | %s | %s |\n' "$1" "$loop" "$count" "$(calc %.2f "$loop / $count")"
}

# ctr_row NAME: nanoseconds a transfer, the least of three
ctr_row()
{
	local ns

	ns=$(sed -n "s/^ctr $1  *\([0-9.]*\) ns .*/\1/p" "$work"/ctr.[123] | sort -g | head -n 1)
	figure "ctr.$(printf '%s' "$1" | tr -c 'a-zA-Z0-9.' _)_ns" "$ns"
	printf '| %s | %s |\n' "$1" "$ns"
}

report()
{
	local all few

	all=$(value instructions "$work/htm.txt")
	few=$(calc %.0f "$all * ${rows[listed]} / ${rows[large]}")
	figure instructions "$all"
	cat <<-END
	$name; $(calc %.2f "$all / 1e9") * 10^9 instructions, $(calc %.1f \
		"$all / $(value blocks "$work/htm.txt")") a block.

	| recording | plain QEMU, CPU s | recorded | ratio | of the wall clock |
	| --- | ---: | ---: | ---: | ---: |
	$(recorded 'a program' plain record)

	| codec, ns a block | bits/instruction | blocks/message | walk | encode | walk/encode | decode | walk/decode |
	| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
	$(codec_row htm 'N-Trace HTM')
	$(codec_row btm 'N-Trace BTM')
	$(codec_row etrace 'E-Trace 2.0, delta addresses')
	$(codec_row htm-returns 'N-Trace HTM, implicit return')
	$(codec_row etrace-returns 'E-Trace, implicit return')
	$(codec_row etrace-all 'E-Trace, all options')
	$(codec_row sort-htm 'N-Trace HTM, examples/sort.c')
	$(codec_row sort-etrace 'E-Trace, examples/sort.c')
	$(codec_row sort-times 'N-Trace HTM, times, examples/sort.c')
	$(codec_row sort-returns-times 'the same, implicit return')
	$(codec_row sort-prediction 'E-Trace, branch prediction, examples/sort.c')
	$(codec_row sort-cache 'E-Trace, jump target cache, examples/sort.c')

	| counting, ns a block | decode | profile | counted | decode/counted | profile/counted |
	| --- | ---: | ---: | ---: | ---: | ---: |
	$(count_row htm 'N-Trace HTM')
	$(count_row btm 'N-Trace BTM')
	$(count_row etrace 'E-Trace 2.0, delta addresses')
	$(count_row htm-returns 'N-Trace HTM, implicit return')
	$(count_row etrace-returns 'E-Trace, implicit return')
	$(count_row sort-htm 'N-Trace HTM, examples/sort.c')
	$(count_row sort-etrace 'E-Trace, examples/sort.c')
	$(count_row sort-times 'N-Trace HTM, times, examples/sort.c')

	| command | CPU s | million instructions/s | peak MiB | of a smaller run |
	| --- | ---: | ---: | ---: | ---: |
	$(command_row record record "$all" record-small)
	$(command_row encode encode-large "$all" encode-small)
	$(command_row decode decode-large "$all" decode-small)
	$(command_row 'stat, of the flow' stat-flow "$all")
	$(command_row 'stat, of the trace' stat-trace "$all")
	$(command_row 'list --format pc' list-pc "$few")
	$(command_row list list-text "$few")
	$(command_row 'list --format json' list-json "$few")

	| profile of the trace, CPU s | block by block | counted | ratio |
	| --- | ---: | ---: | ---: |
	$(profile_row C++)
	$(profile_row Python)

	| CTR model (bench/ctr.c) | ns a transfer |
	| --- | ---: |
	$(sed -n 's/^ctr \(.*[^ ]\)  *[0-9.]* ns .*/\1/p' "$work/ctr.1" |
		while read -r which; do ctr_row "$which"; done)

	END
}

mkdir -p "$work"
rm -rf "$work"/*.rec "$work"/*.flow "$work/figures"
rm -f "$work"/profiles-*.txt
forget plain record record-small {encode,decode}-{small,large} list-{pc,text,json} \
	stat-{flow,trace}
read -r load _ </proc/loadavg
say "load average $load"
section 'building the programs'
build_programs
ninja --quiet -C "$build" bench/bench-codec bench/bench-rusage bench/bench-ctr
section recording
record_pairs
section 'encoding, decoding, listing'
commands
codecs
c++ -std=c++17 -O2 -Iinclude -o "$work/profiles" bench/profiles.cc -L"$build" -lhartscope \
	-Wl,-rpath,"$build" && profiles C++ "$work/profiles"
HARTSCOPE_LIBRARY=$build/libhartscope.so.0 PYTHONPATH=$build/python \
	profiles Python python3 bench/profiles.py
section 'the CTR model'
for i in 1 2 3; do
	"$build/bench/bench-ctr" >"$work/ctr.$i"
done
section
report
section Linux
bench/linux.sh "$build" short || say 'no Linux is measured'
section
printf '| measured | wall clock, s |\n| --- | ---: |\n%s| all | %s |\n\n' "$sections" "$SECONDS"
python3 bench/history.py "$history" "$work/figures" "$load" "$name"
