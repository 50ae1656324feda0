#!/bin/bash
# Several threads decode a trace as one does (design/chunks), byte for byte: pieces of traces, whole
# and damaged, of both protocols and their options, and what commands print.  What commands count
# without blocks is what they count of blocks.
#
#   threads.sh THREADS PLACES [CASES]     programs of those names next to this file; by default 6
#
# With sanitizers a shorter program, and 2 cases.
. "${HARTSCOPE_SOURCE:?the source folder}/tests/conformance/trip.sh"
threads=$(realpath "$1")
places=$(realpath "$2")
cases=${3:-6}
sentences=12000
if [ -n "${HARTSCOPE_SANITIZED-}" ]; then
	cases=${3:-2}
	sentences=800
fi
cd "$work" || exit 1
need riscv64-linux-gnu-gcc qemu-riscv64
riscv64-linux-gnu-gcc -O2 -static -o program "$HARTSCOPE_SOURCE/examples/sort.c" &&
	"$HARTSCOPE" record -q -o program.rec -- ./program $sentences >/dev/null 2>&1 || exit 1

# Runs that are counted belong to a context: where it changes often and seldom.
"$threads" program.rec contexts.rec >out 2>&1
verdict 'a recording with contexts' $? out
recording=contexts.rec

# some PROTOCOL [SETTING...]: random pieces
some()
{
	local settings=() s protocol=$1

	shift
	for s; do
		settings+=(--set "$s")
	done
	"$HARTSCOPE" encode -q --protocol "$protocol" "${settings[@]}" -o trace "$recording" \
		>out 2>&1 && "$threads" ./program trace "$cases" >out 2>&1
	verdict "$protocol${*:+ $*}: $cases pieces" $? out
}

some ntrace trTeContext=1 trTeInstSyncMode=messages trTeInstSyncMax=4
some ntrace trTeContext=1 trTsEnable=1 trTeInstSyncMode=messages trTeInstSyncMax=4
some etrace nocontext_p=0 context_width_p=8 trTeInstSyncMode=packets resync-max=4
recording=program.rec
some ntrace trTeInstSyncMode=messages trTeInstSyncMax=4
some ntrace trTeInstMode=btm trTeInstSyncMode=messages trTeInstSyncMax=4
some ntrace trTeInstSyncMode=messages trTeInstSyncMax=3 "${all_ntrace[@]}"
some ntrace trTsEnable=1 trTeInstSyncMode=messages trTeInstSyncMax=4
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

# A recording with a clock: each instruction takes a cycle, with any number of threads.
for threads_of in 1 4; do
	"$HARTSCOPE" report -q -j $threads_of --cycles-per instruction=1 program.rec \
		>report.$threads_of 2>err
done
cmp report.1 report.4 >out 2>&1 &&
	[ "$(sed -n 's/^instructions *//p' report.1)" = "$(sed -n 's/^time *//p' report.1)" ]
verdict 'report --cycles-per: -j 4 prints what -j 1 does, a cycle for each instruction' $? out

# Synchronising packets between lui/auipc and jalr, and none at the target (strict=1): a decoder
# that begins at one does not know the target, which one that followed infers (design/et-returns).
# A linker that does not relax leaves such pairs for calls.
strict=(--set strict=1 --set sijump_p=1 --set trTeInstSyncMode=halfwords --set resync-max=4)
riscv64-linux-gnu-gcc -O2 -static -Wl,--no-relax -o pairs "$HARTSCOPE_SOURCE/examples/sort.c" &&
	"$HARTSCOPE" record -q -o pairs.rec -- ./pairs $((sentences / 8)) >/dev/null 2>&1
for pair in 0 1; do
	"$HARTSCOPE" encode -q --protocol etrace "${strict[@]}" --set si-jump=$pair -o pairs.$pair \
		pairs.rec && "$HARTSCOPE" list -j 1 --format pc --elf pairs pairs.$pair >pc.$pair
done >out 2>&1
[ -s pc.0 ] && cmp pc.0 pc.1 >>out 2>&1 && [ ! -s out ]
verdict 'pairs with a synchronisation between: the same path as with reported targets' $? out
"$threads" ./pairs pairs.1 "$cases" >out 2>&1
verdict "pairs with a synchronisation between: $cases pieces" $? out
"$HARTSCOPE" index -q --elf pairs pairs.1 >out 2>&1
for from in 1013 200003 900001; do
	"$HARTSCOPE" list --format pc --elf pairs --from $from --limit 400 pairs.1 >by_index 2>>out
	tail -n +$((from + 1)) pc.1 | head -400 | cmp - by_index >>out 2>&1
done
[ -s pairs.1.idx ] && [ -s by_index ] && [ ! -s out ]
verdict 'pairs with a synchronisation between: ranges by the index' $? out

# The checksum of TRACE.json is compared while a trace is read (design/whole-files), which is said
# once. other TEXT STATUS COUNT COMMAND...: its exit status, and in how many lines it says so
other()
{
	local text=$1 status=$2 count=$3 got
	shift 3
	"$HARTSCOPE" "$@" >/dev/null 2>err
	got=$?
	cp err out
	echo "exit status $got" >>out
	[ $got = "$status" ] && [ "$(grep -c 'trace.json says' err)" = "$count" ]
	verdict "$text" $? out
}

cp trace.json trace.good
for wrong in 's/"xxh64": "/&f/; s/\("f[0-9a-f]*\)[0-9a-f]"/\1"/' 's/"bytes": /&1/'; do
	sed "$wrong" trace.good >trace.json
	for j in 1 3; do
		for command in stat 'list --format pc' calls 'decode -q -o flow' \
			'check program.rec'; do
			# shellcheck disable=SC2086  # words
			other "${wrong:3:5}: $command -j $j" 3 1 $command -j $j --elf program trace
		done
	done
done
sed 's/"xxh64": "/&f/; s/\("f[0-9a-f]*\)[0-9a-f]"/\1"/' trace.good >trace.json
other 'another checksum: a part of the trace' 0 0 list --limit 3 --elf program trace
n=$("$HARTSCOPE" stat --json --elf program trace 2>/dev/null |
	sed -n 's/.*"instructions": *\([0-9]*\).*/\1/p' | head -n 1)
for j in 1 2 8; do # what is read is more than what is asked for
	for to in $((n / 2)) $((n - 100)); do
		other "another checksum: --to $to, -j $j" 0 0 calls --to $to -j $j --elf program \
			trace
	done
done
other 'another checksum: --from' 3 1 calls --from 1000 -j 2 --elf program trace
other 'another checksum: dump' 3 1 dump trace
cp trace.good trace.json

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
	cp "$1.idx" plain.idx
	printf x | dd of=plain.idx bs=1 seek=70 conv=notrunc 2>/dev/null
	"$HARTSCOPE" list --elf program --from $from --limit 400 plain >by_index 2>err
	[ -s one ] && cmp one by_index >out 2>&1 && grep -q 'plain.idx is not used' err
	verdict "$2: a damaged index is not used, which is said" $? out
	rm plain.idx
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

# Recordings and flows: at each place, and what list shows.
"$HARTSCOPE" decode -q --elf program -o trace.flow trace.nt &&
	"$places" program.rec trace.flow >out 2>&1
verdict 'recordings continue at their places' $? out

# same TEXT SOURCE OPTION...: list with an index of SOURCE, and without one
same()
{
	local text=$1 source=$2

	shift 2
	mv "$source.idx" idx
	"$HARTSCOPE" list "$@" "$source" >one 2>&1
	mv idx "$source.idx"
	"$HARTSCOPE" list "$@" "$source" >by_index 2>&1
	[ -s one ] && cmp one by_index >out 2>&1
	verdict "$text" $? out
}

for source in program.rec trace.flow; do
	"$HARTSCOPE" index -q $source >out 2>&1
	verdict "$source: it has an index" $? out
	last=$("$HARTSCOPE" index --json $source |
		sed -n 's/.*"instructions": *\([0-9]*\).*/\1/p')
	same "$source: --from" $source --from $((last * 9 / 10)) --limit 500
	same "$source: --last" $source --last 500
	same "$source: --around" $source --around $((last / 2))
done

# Times, of a trace that has them.
"$HARTSCOPE" encode -q --protocol ntrace --set trTsEnable=1 -o timed program.rec
"$HARTSCOPE" index -q --elf program timed >out 2>&1
verdict 'a trace with times: it has an index' $? out
last=$("$HARTSCOPE" list --elf program --last 3000 timed | sed -n 's/^; time \([0-9]*\).*/\1/p' |
	tail -n 1)
for part in 3 5 9; do
	same "a trace with times: --from time: $part tenths" timed --elf program \
		--from time:$((last * part / 10)) --limit 300
done
same 'a trace with times: --from and --to' timed --elf program --from time:$((last / 2)) \
	--to time:$((last / 2 + 2000))

# Positions, against what a list of all PCs says.
"$HARTSCOPE" list --format pc --limit 3000000 program.rec >pcs
pc=$(sed -n 2000000p pcs)
nth=$(head -n 2000000 pcs | grep -cx "$pc")
"$HARTSCOPE" list --format pc --from "0x$pc@$nth" --limit 300 program.rec >got 2>out
sed -n 2000000,2000299p pcs | cmp - got >>out 2>&1
verdict 'a PC, the Nth time' $? out
"$HARTSCOPE" list --format pc --around "0x$pc@$nth" --limit 21 program.rec >got 2>out
sed -n 1999990,2000010p pcs | cmp - got >>out 2>&1
verdict '--around a PC' $? out
main=$(riscv64-linux-gnu-nm program | sed -n 's/^0*\([0-9a-f]*\) T main$/\1/p')
"$HARTSCOPE" list --format pc --from main --limit 50 program.rec >got 2>out
grep -nx -m 1 "$main" pcs | cut -d: -f1 >line
tail -n "+$(cat line)" pcs | head -n 50 | cmp - got >>out 2>&1
verdict 'a function' $? out
"$HARTSCOPE" list --from no_such_function program.rec >got 2>&1
[ $? = 1 ] && grep -q "no function that ran is called 'no_such_function'" got
verdict 'a function that is not known' $? got
"$HARTSCOPE" list --format pc --from byte:300000 --limit 1 --elf program trace.nt >one 2>&1 &&
	"$HARTSCOPE" index -q --elf program trace.nt &&
	"$HARTSCOPE" list --format pc --from byte:300000 --limit 1 --elf program trace.nt \
		>got 2>&1 && [ -s one ]
verdict 'a byte of a trace, by its index too' $? got
"$HARTSCOPE" list --around 5 --last 3 program.rec >got 2>&1
[ $? = 2 ] && "$HARTSCOPE" list --from time: program.rec >got 2>&1
[ $? = 2 ]
verdict 'positions that are none' $? got

# flow JOBS TRACE: decoded to the folder 'flow', what is said of it to flow.err
flow()
{
	"$HARTSCOPE" decode -j "$1" --elf program -o flow "$2" >flow.err 2>&1
	echo "status $?" >>flow.err
}
for name in bad.et bad.nt trace.nt; do
	flow 1 $name
	rm -rf one.flow
	mv flow one.flow && mv flow.err one.err
	for jobs in 2 3 8; do
		flow $jobs $name
		diff -r one.flow flow >out 2>&1 && diff one.err flow.err >>out
		verdict "$name: decode -j $jobs writes the flow of -j 1" $? out
	done
done

# What is counted of runs is what is counted of blocks (design/counting): those of a flow are all
# written. of_blocks FILE COMMAND: without what only a trace has
of_blocks()
{
	# shellcheck disable=SC2086  # words
	"$HARTSCOPE" $2 --top 1000 --elf program "$1" 2>/dev/null |
		sed '/^protocol/d; /^bytes /d; /^bits/d; /^messages by type/,/^$/d; /: unproven$/d'
}
for name in trace trace.nt bad.et bad.nt; do
	"$HARTSCOPE" decode -q --elf program -o flow "$name" >/dev/null 2>&1
	for command in stat 'stat --calls' pmu; do
		of_blocks "$name" "$command" >one
		of_blocks flow "$command" >four
		[ -s one ] && cmp one four >out 2>&1
		verdict "$name: $command counts what it does of the flow" $? out
	done
done
# Call stacks are followed by what threads scanned (design/scans).
"$HARTSCOPE" encode -q --protocol ntrace --set trTeContext=1 --set trTeInstSyncMode=messages \
	--set trTeInstSyncMax=4 -o contexts.nt contexts.rec
for name in trace.nt bad.et bad.nt contexts.nt; do
	for j in 1 3; do
		"$HARTSCOPE" report --json -j $j --top 1000 --elf program "$name" >by.$j 2>&1
	done
	[ -s by.1 ] && cmp by.1 by.3 >out 2>&1
	verdict "$name: report -j 3 prints what -j 1 does" $? out
done
for j in 1 3; do
	"$HARTSCOPE" diff -j $j --elf program trace trace.nt >by.$j 2>&1
done
grep -q '^harts that part *0$' by.1 && cmp by.1 by.3 >out 2>&1
verdict 'diff -j 3 of two traces: they do not part, as with -j 1' $? out
for j in 1 3; do
	"$HARTSCOPE" report -q --html -j $j -o page.$j --elf program timed
done
cmp page.1 page.3 >out 2>&1
verdict 'times: report --html -j 3 writes what -j 1 does' $? out
exit $status
