#!/bin/bash
# What commands write with -j 1 they write with -j 2 to 8, byte for byte, also of damaged files: of
# recordings of several harts, and of their traces (design/pool).
#
#   jobs.sh [long]      long: all of these, and more to do
. "${HARTSCOPE_SOURCE:?the source folder}/tests/conformance/programs.sh"

rounds=400
jobs='2 8'
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
same 'list of a trace, JSON' list --json b.nt
same 'list of a trace, by address' list --format pc --from main --limit 3000 b.nt
same 'stat' stat --calls b.rec
same 'stat of a range' stat --calls --from 5000 --to 90000 b.nt
same 'calls' calls b.nt
same 'calls, functions, JSON' calls --flat --json b.nt
same 'calls of a range' calls --from 5000 --to 90000 b.nt
same 'pmu' pmu b.rec
same 'check of a recording and its flow' check b.rec b.flow
same 'check of a recording and its trace' check b.rec b.nt
same 'ctr' ctr b.rec
for format in perf-data brstack bolt profgen folded json; do
	same "ctr --export $format" ctr --export $format -o output b.rec
done
same 'ctr --export of a trace' ctr --export folded -o output b.nt
same 'decode' decode -o output b.nt
same 'stat --compare' stat --compare b.rec
same 'coverage' coverage b.nt
same 'coverage, all of it' coverage --json b.nt
[ -n "${HARTSCOPE_SANITIZED-}" ] || # what they map is more than any limit
	same 'coverage with a limit of memory' coverage --memory-limit 512M b.nt
cp b.nt bad.nt
printf 'damage\377\377' | dd of=bad.nt bs=1 seek=$(($(stat -c %s bad.nt) / 3)) conv=notrunc 2>out
cp b.nt.json bad.nt.json 2>>out
same 'coverage of a damaged trace' coverage --json --elf busy bad.nt
riscv64-linux-gnu-objcopy --only-keep-debug busy busy.debug &&
	riscv64-linux-gnu-objcopy --strip-debug busy none && cp none bare &&
	riscv64-linux-gnu-objcopy --add-gnu-debuglink=busy.debug bare || exit 1
same 'coverage, lines in another file' coverage --json --elf bare b.nt
grep -q '"line"' 1.all
report 'coverage, lines in another file: they are found' $? 1.all
same 'coverage without lines' coverage --json --elf none b.nt
same 'report' report b.nt
same 'report, HTML' report --html -o output b.nt
same 'traps' traps --json b.nt
same 'lint' lint --json b.nt
same 'diff' diff b.nt b.flow
for format in folded callgrind chrome speedscope perfetto sqlite; do
	same "export --format $format" export --format $format -o output b.nt
done
same 'export, some levels and a range' export --format chrome --depth 3 --from 5000 --to 90000 \
	-o output b.nt
for format in port-csv port-hex port-sv; do
	same "export --format $format" export --format $format --from 5000 --to 90000 \
		--set port.slots=2 --set port.idle=20 -o output b.nt
done
same 'export of a recording' export --format speedscope -o output b.rec

# A flow that cannot be written: the same bytes of it, and the same error.
"$HARTSCOPE" decode -q --hart 2 -o whole.flow b.nt
largest=$(find whole.flow -type f -printf '%s\n' | sort -n | tail -n 1)
for n in 1 4; do
	rm -rf small.flow
	(
		trap '' XFSZ
		ulimit -f $((largest / 2048)) # KiB
		"$HARTSCOPE" decode -q -j $n --hart 2 -o small.flow b.nt
	) >out 2>err
	[ $? = 2 ] && grep -q 'File too large' err
	report "decode -j $n: a file that cannot grow" $? err
	find small.flow* -type f -name '*.zst' | sort | xargs cksum >sums.$n 2>out
done
cmp sums.1 sums.4 >out 2>&1
report 'decode -j 4: all that fits is written' $? out

# One trace to another (design/encode): what its flow encodes to.
# transcoded TEXT FROM PROTOCOL
transcoded()
{
	rm -rf its.flow its its.json
	"$HARTSCOPE" decode -q -o its.flow "$2" >out 2>&1
	same "$1" encode --protocol "$3" -o output "$2"
	"$HARTSCOPE" encode -q --protocol "$3" -o its its.flow >out 2>&1 &&
		cmp output its >why 2>&1
	report "$1: as of its flow" $? why
	: >why
}
"$HARTSCOPE" encode -q --protocol etrace -o b.et b.rec
transcoded 'N-Trace to E-Trace' b.nt etrace
"$HARTSCOPE" check output b.rec >out 2>&1
report 'N-Trace to E-Trace: as recorded' $? out
transcoded 'E-Trace to N-Trace' b.et ntrace
same 'list of an E-Trace' list --format pc b.et
same 'decode of an E-Trace' decode -o output b.et
same 'check of two traces' check b.nt b.et
grep -q '^equal: [1-9]' 1.all
report 'check of two traces: they are equal' $? 1.all
"$HARTSCOPE" encode -q --protocol etrace --filter iaddr=0x10000-0x10700 -o part.et b.rec
same 'check of two traces that differ' check b.nt part.et
grep -q '^different' 1.all
report 'check of two traces that differ: it says so' $? 1.all
"$HARTSCOPE" check --gaps b.nt b.et >out 2>&1
[ $? = 2 ] && grep -q 'both are traces' out
report 'check --gaps of two traces: refused' $? out
"$HARTSCOPE" encode -q --protocol ntrace --elf busy -o its b.rec >out 2>&1
[ $? = 2 ] && grep -q 'for a trace' out
report 'encode --elf of a recording: refused' $? out
"$HARTSCOPE" encode -q --protocol ntrace --set trTsEnable=1 -o its b.et >out 2>&1
[ $? = 2 ] && grep -q 'timestamps need' out
report 'encode of a trace with timestamps: refused' $? out
"$HARTSCOPE" decode -o - b.nt >out 2>&1
[ $? = 2 ] && grep -q 'take the trace itself' out
report 'decode to standard output: refused' $? out

# Each command takes a trace as it is, and leaves nothing but what it is asked for.
# takes COMMAND [OPTION...]: also from standard input, where that can be
takes()
{
	mkdir -p direct
	(cd direct && "$HARTSCOPE" "$@" ../b.nt) >out 2>err
	[ $? -le 1 ] && [ -s out ] && [ -z "$(ls direct)" ]
	report "$1: takes a trace" $? err
	rm -rf direct
}
takes list --limit 1000
takes list --json --limit 1000
takes stat
takes report
takes calls
takes pmu
takes ctr
takes ctr --export folded
takes check ../b.rec
takes check ../b.et
takes encode -q --protocol etrace -o - --elf ../busy
takes lint --max 3
takes dump
takes info
"$HARTSCOPE" index -q b.nt >out 2>&1 && [ -s b.nt.idx ]
report 'index: takes a trace' $? out
rm -f b.nt.idx
for command in 'list --limit 1000' stat calls pmu ctr 'lint --max 3' dump; do
	# shellcheck disable=SC2086  # words
	"$HARTSCOPE" $command --config b.nt.json --image b.rec - <b.nt >out 2>err
	[ $? -le 1 ] && [ -s out ]
	report "${command%% *}: takes a trace from standard input" $? err
done
for part in 1 2; do
	"$HARTSCOPE" stat --part $part/2 --work parts b.nt >out 2>&1
done
"$HARTSCOPE" merge stat --parts 2 --work parts b.nt >merged 2>err
"$HARTSCOPE" stat b.nt 2>err | cmp - merged >out 2>&1
report 'merge: takes a trace' $? out

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
same 'calls of a damaged trace' calls bad.nt
same 'report, HTML, of a damaged trace' report --html -o output bad.nt
same 'traps of a damaged trace' traps bad.nt
for format in callgrind perfetto; do
	same "export --format $format of a damaged trace" export --format $format -o output bad.nt
done
for command in 'list' 'stat' 'ctr --export folded -o output' 'decode -o output'; do
	# shellcheck disable=SC2086  # words
	same "${command%% *} of a damaged trace" $command bad.nt
done
same 'check of a damaged trace' check b.rec bad.nt
transcoded 'a damaged trace to E-Trace' bad.nt etrace

# The output comes in order while later parts are not even there: the writer waits for its start.
# The trace of builds with sanitizers is too short for that.
early()
{
	mkfifo pipe
	{
		cat b.nt
		for _ in $(seq 600); do
			[ ! -s first ] || break
			sleep 0.1
		done
		[ -s first ] && touch early
		tail -c +2 b.nt | head -c 1000
	} >pipe &
	"$HARTSCOPE" list -j 4 --format pc --config b.nt.json --image b.rec - <pipe 2>err |
		{ head -c 100 >first; cat >/dev/null; }
	wait
	[ -e early ]
	report 'list -j 4: the start is written before the end is there' $? err
}
[ -n "${HARTSCOPE_SANITIZED-}" ] || early

# How many threads there are while a command waits for its input.
# threads TEXT WANTED PREFIX... -- OPTION...
threads()
{
	local text=$1 wanted=$2 prefix=() count=0

	shift 2
	while [ "$1" != -- ]; do
		prefix+=("$1")
		shift
	done
	shift
	exec 7<>pipe # neither end waits; a thread reads more bytes than these at a time
	head -c 1000 b.nt >&7
	"${prefix[@]}" "$HARTSCOPE" list "$@" --format pc --config b.nt.json --image b.rec - \
		<pipe >out 2>err 7>&- &
	for _ in $(seq 1200); do
		count=$(awk '$1 == "Threads:" { print $2 }' /proc/$!/status)
		[ "$count" != "$wanted" ] || break
		sleep 0.05
	done
	exec 7>&-
	wait $!
	[ "$count" = "$wanted" ]
	report "$text: $wanted threads, not ${count:-none}" $? err
}
if [ -z "${HARTSCOPE_SANITIZED-}" ]; then
	rm -f pipe && mkfifo pipe
	first=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
	alone=$(taskset -c "$first" nproc) all=$(nproc)
	threads 'list of one core' "$alone" taskset -c "$first" --
	threads 'list -j 0 of one core' "$alone" taskset -c "$first" -- -j 0
	threads 'list' $((all < 64 ? all : 64)) --
	threads 'list -j 0' $((all < 64 ? all : 64)) -- -j 0
	threads 'list -j 3' 3 -- -j 3
fi

# Memory does not grow with the trace: four times as many bytes.
rusage=${HARTSCOPE_BUILD:?the build folder}/bench/bench-rusage
# flat TEXT COMMAND OPTION...: COMMAND of long.nt and of longer.nt, its largest resident set
flat()
{
	local text=$1 one four

	shift
	"$rusage" cost "$HARTSCOPE" "$@" long.nt >/dev/null 2>err
	one=$(cut -d' ' -f4 cost)
	"$rusage" cost "$HARTSCOPE" "$@" longer.nt >/dev/null 2>err
	four=$(cut -d' ' -f4 cost)
	[ "$four" -lt $((one + one / 4 + 4096)) ]
	report "$text: $one KiB, of four times the trace $four" $? err
}
if [ -z "${HARTSCOPE_SANITIZED-}" ]; then
	for _ in 1 2 3 4 5 6 7 8 9 10; do # more chunks than four threads have at once
		cat b.nt
	done >long.nt
	for _ in 1 2 3 4; do
		cat long.nt
	done >longer.nt
	for name in long longer; do
		cp b.nt.json $name.nt.json
	done
	flat 'decode -j 4' decode -q -j 4 -o memory.flow
	flat 'stat -j 4' stat -q -j 4
	flat 'list -j 4' list -j 4 --format pc
	flat 'export -j 4' export -q -j 4 --format chrome -o /dev/null
	flat 'encode -j 4 of a trace' encode -q -j 4 --protocol etrace -o memory.et
fi
exit $failed
