#!/bin/bash
# Measure recording, encoding and decoding on a large program, and the CTR model; write
# docs/performance.md.
#
#   bench/bench.sh FOLDER     the build folder
#
# The program is SQLite where npm can fetch its source (bench/sqlite_driver.c), else a longer run of
# examples/sort.c.  Times are the best of three.  Nothing else should run meanwhile.
set -eu -o pipefail
cd "$(dirname "$0")/.."
export LC_ALL=C
. bench/common.sh

build=$PWD/$1
work=$build/bench-work
tool=$build/tools/hartscope/hartscope
rusage=$build/bench/bench-rusage
sqlite=better-sqlite3@11.8.1 # an npm package that holds the SQLite amalgamation
out=docs/performance.md
declare -A rows

# Set by read in record and stream.
plain_large='' record_large='' encode_large='' decode_large=''
record_kib_small='' record_kib_large='' encode_kib_small='' encode_kib_large=''
decode_kib_small='' decode_kib_large=''

# ---- the program -----------------------------------------------------------------

fetch_sqlite()
{
	[ ! -f "$work/sqlite3.c" ] || return 0
	command -v npm >/dev/null || return 1
	(cd "$work" && npm pack --silent "$sqlite" >/dev/null && tar xzf better-sqlite3-*.tgz \
		--strip-components=3 package/deps/sqlite3/sqlite3.c package/deps/sqlite3/sqlite3.h)
}

build_program()
{
	if fetch_sqlite; then
		name='SQLite: inserts, an index, joins, sorting'
		rows=([small]=20000 [large]=100000)
		[ -x "$work/program" ] || riscv64-linux-gnu-gcc -O2 -g -static \
			-DSQLITE_THREADSAFE=0 \
			-DSQLITE_OMIT_LOAD_EXTENSION -I"$work" bench/sqlite_driver.c \
				"$work/sqlite3.c" -lm -o "$work/program"
	else
		say 'npm is not here or cannot fetch SQLite: measuring a longer examples/sort.c'
		name='examples/sort.c, 30 times as long'
		rows=([small]=72000 [large]=360000)
		riscv64-linux-gnu-gcc -O2 -g -static examples/sort.c -o "$work/program"
	fi
}

# ---- measuring -------------------------------------------------------------------

# cost COMMAND...: "seconds kibibytes", best time of three and largest memory
cost()
{
	local i

	for i in 1 2 3; do
		"$rusage" "$work/cost.$i" "$@" >/dev/null 2>"$work/stderr" || {
			cat "$work/stderr" >&2
			say "failed: $*"
			exit 1
		}
	done
	cat "$work"/cost.[123] | awk '
		NR == 1 || $1 < best { best = $1 }
		$4 > peak { peak = $4 }
		END { print best, peak }'
}

value()
{
	awk -v name="$1" '$1 == name { print $2 }' "$2"
}

record()
{
	read -r "plain_$1" _ < <(cost qemu-riscv64 "$work/program" "$2")
	read -r "record_$1" "record_kib_$1" < <(cost "$tool" record -o "$work/$1.rec" -- \
		"$work/program" "$2")
}

# Streams a person would run: files in, files out.
stream()
{
	read -r "encode_$1" "encode_kib_$1" < <(cost "$tool" encode --protocol ntrace -o \
		"$work/$1.nt" "$work/$1.rec")
	read -r "decode_$1" "decode_kib_$1" < <(cost "$tool" decode --elf "$work/program" -o \
		"$work/$1.flow" "$work/$1.nt")
}

rm -rf "$work"/*.rec "$work"/*.flow
mkdir -p "$work"
say 'building the program'
build_program
ninja --quiet -C "$build" bench/bench-codec bench/bench-rusage bench/bench-ctr

for size in small large; do
	say "recording, $size"
	record $size "${rows[$size]}"
	say "encoding and decoding, $size"
	stream $size
done
say 'comparing the decoded flow with the recording'
"$tool" check "$work/large.rec" "$work/large.flow" >/dev/null
# codec NAME PROTOCOL [NAME=VALUE]...
codec()
{
	local mode=$1
	shift
	say "the codec alone, $mode"
	"$build/bench/bench-codec" "$work/large.rec" "$@" >"$work/$mode.txt"
}
returns='implicit-return=true return_stack_size_p=5'
prediction='branch-prediction=true bpred_size_p=10'
cache='jump-target-cache=true cache_size_p=7'
codec htm ntrace trTeInstMode=htm
codec btm ntrace trTeInstMode=btm
codec etrace etrace
# shellcheck disable=SC2086
codec etrace-returns etrace $returns
# shellcheck disable=SC2086
codec etrace-all etrace f0s_width_p=1 sijump_p=1 si-jump=true $returns $prediction $cache
"$build/bench/bench-codec" "$work/small.rec" ntrace >"$work/htm-small.txt"

say 'the CTR model'
for i in 1 2 3; do
	"$build/bench/bench-ctr" >"$work/ctr.$i"
done

# ---- the report ------------------------------------------------------------------

instructions=$(value instructions "$work/htm.txt")
instructions_small=$(value instructions "$work/htm-small.txt")

rate()
{
	calc %.0f "$instructions / $1 / 1e6"
}

mib()
{
	calc %.0f "$1 / 1024"
}

# mode_row FILE TEXT
mode_row()
{
	local file=$work/$1.txt

	printf '| %s | %s | %s | %s | %s | %s | %s | %s |\n' "$2" \
		"$(calc %.1f "$(value bytes "$file") / 1e6")" \
		"$(calc %.3f "8 * $(value bytes "$file") / $instructions")" \
		"$(rate "$(value encode_seconds "$file")")" "$(rate "$(value decode_seconds \
			"$file")")" "$(value walk_ns "$file")" "$(each_block "$file")" \
		"$(calc %.2f "$(value walk_ns "$file") / $(each_block "$file")")"
}

# each_block FILE: nanoseconds that decoding a block takes
each_block()
{
	calc %.2f "1e9 * $(value decode_seconds "$1") / $(value blocks "$1")"
}

share()
{
	printf '| %s | %s | %s |\n' "$1" "$(calc %.2f "$2")" "$(calc %.2f "1e9 * ($2) / \
		$instructions")"
}

# each FILE NAME: nanoseconds of encoding and decoding for each of that NAME
each()
{
	local file=$work/$1.txt n

	n=$(value "$2" "$file")
	printf '| %s, a %s | %s | %s |\n' "$1" "${2%s}" "$(calc %.1f "1e9 * $(value encode_seconds \
		"$file") / $n")" \
		"$(calc %.1f "1e9 * $(value decode_seconds "$file") / $n")"
}

etrace_# list_row FORMAT TEXT
list_row()
{
	local seconds

	read -r seconds _ < <(cost "$tool" list --format "$1" "$work/small.rec")
	printf '| %s | %s | %s |\n' "$2" "$seconds" \
		"$(calc %.0f "$instructions_small / $seconds / 1e6")"
}

list_report()
{
	cat <<-END

	## Lists, of a recording (hartscope list)

	Of $(calc %.2f "$instructions_small / 1e9") * 10^9 instructions, to /dev/null.

	| | seconds | million instructions a second |
	| --- | ---: | ---: |
	$(list_row pc 'addresses only')
	$(list_row text 'names, source and disassembly')
	$(list_row json 'JSON')

	The text of a block is made once and copied from then on (ADR-0150).
	END
}

report()
{
	cat <<-END

	## Where the time goes (E-Trace)

	| nanoseconds | encode | decode |
	| --- | ---: | ---: |
	$(each htm blocks)
	$(each htm messages)
	$(each etrace blocks)
	$(each etrace messages)
	$(each etrace-all blocks)
	$(each etrace-all messages)

	A packet is 5.5 bytes and reports 7 blocks. By a profile of samples (perf), half of the
	decoder's time is the walk, 37 % packets, the rest between them; of the encoder's, two
	thirds go to blocks, most of which only fill the branch map, and a third to packets.
	ADR-0023 has what made the difference to the first encoder. With implicit return or branch
	prediction the walk looks at each branch and call by itself.
	END
}

# ctr_ns NAME: nanoseconds a transfer of that line of bench-ctr
ctr_ns()
{
	sed -n "s/^ctr $1  *\([0-9.]*\) ns .*/\1/p" "$work"/ctr.[123] | sort -g | head -n 1
}

ctr_row()
{
	printf '| %s | %s | %s |\n' "$1" "$(ctr_ns "$1")" "$(calc %.0f "1e3 / $(ctr_ns "$1")")"
}

ctr_report()
{
	cat <<-END

	## CTR model, one core (bench/ctr.c)

	A transfer is a cycle count and hs_ctr_retire(), called one by one; 32 entries, every field.

	| | nanoseconds a transfer | million a second |
	| --- | ---: | ---: |
	$(sed -n 's/^ctr \(.*[^ ]\)  *[0-9.]* ns .*/\1/p' "$work/ctr.1" | while read -r which; do ctr_row "$which"; done)

	Where the time goes in 1.0, plain: $(ctr_ns '1.0, mode not enabled') ns for the loop, the two
	calls and the decision that nothing is to be done;
	$(calc %.2f "$(ctr_ns '1.0, plain') - $(ctr_ns '1.0, mode not enabled')") ns more for counting
	cycles, converting two addresses, coding CC, and writing the entry and WRPTR. What a control write decides is not asked again (ADR-0018 has the figures before that).
	END
}

report()
{
	local read_s encode_s decode_s

	read_s=$(value read_seconds "$work/htm.txt")
	encode_s=$(value encode_seconds "$work/htm.txt")
	decode_s=$(value decode_seconds "$work/htm.txt")
	cat <<-END
	# Performance

	Written by \`make bench\` on $(date +%Y-%m-%d): $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores, $(qemu-riscv64 --version | head -n 1).
	Program: $name; $(calc %.2f "$instructions / 1e9") * 10^9 instructions, $(calc %.1f "$instructions / $(value blocks "$work/htm.txt")") a block. Times are the best of three.

	## Recording

	| | seconds | of plain QEMU |
	| --- | ---: | ---: |
	| plain qemu-riscv64 | $plain_large | 1.00 |
	| \`hartscope record\` | $record_large | $(calc %.2f "$record_large / $plain_large") |

	The recording takes $(du -sm "$work/large.rec" | cut -f 1) MiB on disk, $(calc %.3f "8 * 1024 * $(du -sk "$work/large.rec" | cut -f 1) / $instructions") bits an instruction.

	## N-Trace and E-Trace, one core, in memory (bench/codec.c)

	Encode, decode: million instructions a second; the decoder writes every block. The bare walk
	(bench/walk.c) follows the table of basic blocks, one history bit a step, writes 16 bytes
	a block, and reads no messages; it is measured in the same run: walk and block are
	nanoseconds of a block.

	| protocol | trace, MB | bits/instruction | encode | decode | walk | block | ratio |
	| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
	$(mode_row htm 'N-Trace HTM')
	$(mode_row btm 'N-Trace BTM')
	$(mode_row etrace 'E-Trace 2.0, delta addresses')
	$(mode_row etrace-returns 'E-Trace, implicit return')
	$(mode_row etrace-all 'E-Trace, all options')

	## The commands, files in and out

	| | seconds | million instructions a second | peak MiB | peak MiB at $(calc %.1f "$instructions / $instructions_small") times fewer instructions |
	| --- | ---: | ---: | ---: | ---: |
	| record | $record_large | $(rate "$record_large") | $(mib "$record_kib_large") | $(mib "$record_kib_small") |
	| encode | $encode_large | $(rate "$encode_large") | $(mib "$encode_kib_large") | $(mib "$encode_kib_small") |
	| decode | $decode_large | $(rate "$decode_large") | $(mib "$decode_kib_large") | $(mib "$decode_kib_small") |

	Everything streams: memory does not grow with the length of a trace. The peak of \`record\` is that of its
	largest process, which is the emulator with the program in it.

	## Where the time goes (HTM)

	| | seconds | nanoseconds an instruction |
	| --- | ---: | ---: |
	$(share 'encode: reading and expanding the recording' "$read_s")
	$(share 'encode: the encoder' "$encode_s")
	$(share 'encode: the rest (start, writing the trace)' "$encode_large - $read_s - $encode_s")
	$(share 'decode: the decoder' "$decode_s")
	$(share 'decode: the rest (loading the ELF, writing the flow)' "$decode_large - $decode_s")
	END
	list_report
	etrace_report
	ctr_report
}

report >"$out.new"
mv "$out.new" "$out"
bench/linux.sh "$build" into "$out" || [ $? -eq 77 ]
say "wrote $out"
cat "$out"
