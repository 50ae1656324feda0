#!/bin/bash
# perf.data both ways: recordings as perf would have recorded them, in both protocols and each form,
# decode to what was recorded; Debian's perf reads the records that hartscope wrote.
. "${HARTSCOPE_SOURCE:?the source folder}/tests/conformance/programs.sh"

$gcc -O2 -static -pthread -o harts "$programs/harts.c" &&
	$gcc -O2 -static -o jit "$programs/jit.c" &&
	"$HARTSCOPE" record -q -o harts.rec -- ./harts >/dev/null &&
	"$HARTSCOPE" record -q -o jit.rec -- ./jit >/dev/null || exit 1

# encode NAME PROTOCOL WORDS SETTINGS...
encode()
{
	local name=$1 protocol=$2 words=$3 settings=() s

	shift 3
	for s in "$@"; do settings+=(--set "$s"); done
	rm -rf "$name".data* "$name.flow"
	"$HARTSCOPE" encode -q --protocol "$protocol" ${settings[@]+"${settings[@]}"} \
		--perf-data "$words" -o "$name.data" "$name.rec"
}

# trip NAME PROTOCOL WORDS SETTINGS...: there and back
trip()
{
	encode "$@" && "$HARTSCOPE" decode -q -o "$1.flow" "$1.data" &&
		"$HARTSCOPE" check "$1.rec" "$1.flow" >out &&
		"$HARTSCOPE" check "$1.rec" "$1.data" >>out
	good=$?
	report "$*: $(head -n 1 out)" $good
}

for protocol in ntrace etrace; do
	for words in cpu thread cpu,piece=1000 cpu,plain thread,noinfo cpu,type=8 \
		cpu,snapshot=4000,every=2000; do
		trip harts $protocol $words
		trip jit $protocol $words
	done
	trip harts $protocol cpu trTeSrcBits=4
	encode harts $protocol cpu
	"$HARTSCOPE" info --json harts.data | tr -d ' \n' >out
	[ "$(grep -o '"of":"cpu"' out | wc -l)" = 8 ]
	report "$protocol: a buffer for each of eight harts" $?
	for words in cpu thread; do
		encode harts $protocol $words
		"$HARTSCOPE" stat --by thread harts.data >out
		[ "$(grep -c 'harts (pid 1000, tid 100[0-7])$' out)" -ge 8 ]
		report "$protocol: $words: eight threads by name and number" $?
	done
	# What AUXTRACE_INFO says is enough for the parameters that differ from the defaults.
	rm harts.data.json
	"$HARTSCOPE" decode -q --elf harts -o harts.flow harts.data &&
		"$HARTSCOPE" check harts.rec harts.flow >out
	good=$?
	report "$protocol: protocol by trTeFormat: $(head -n 1 out)" $good
	# The program by what was mapped, without TRACE.json.
	mkdir -p root && rm -rf root/* && mkdir -p "root$work" && cp harts "root$work/harts"
	encode harts $protocol cpu
	rm harts.data.json
	mv harts harts.away
	"$HARTSCOPE" decode -q --sysroot root -o harts.flow harts.data &&
		"$HARTSCOPE" check harts.rec harts.flow >out
	good=$?
	report "$protocol: the program by MMAP2, --sysroot: $(head -n 1 out)" $good
	"$HARTSCOPE" decode -q -o harts.flow harts.data 2>err
	[ $? = 2 ] && grep -q -- --elf err
	report "$protocol: a program that is not there" $?
	mv harts.away harts
	# TEXT_POKE says what TRACE.code does: when code changed, by the time of what was stored.
	encode jit $protocol cpu
	rm jit.data.code
	"$HARTSCOPE" decode -q -o jit.flow jit.data && "$HARTSCOPE" check jit.rec jit.flow >out &&
		"$HARTSCOPE" check jit.rec jit.data >>out
	good=$?
	report "$protocol: code that changes, by TEXT_POKE: $(head -n 1 out)" $good
	[ "$("$HARTSCOPE" dump harts.data | grep -c '^; buffer of CPU')" = 8 ]
	report "$protocol: dump names the buffers" $?
done

# A file that was cut: what is before it, and where it ends.
encode harts ntrace cpu
head -c $(($(stat -c %s harts.data) * 9 / 10)) harts.data >cut.data
cp harts.data.json cut.data.json
"$HARTSCOPE" decode -q -o cut.flow cut.data 2>err
[ $? = 3 ] && grep -q 'cut.data: offset 0x[0-9a-f]*: the file ends inside' err
good=$?
report "a cut file: $(tail -n 1 err)" $good
"$HARTSCOPE" list --format pc --hart 0 harts.rec >want
"$HARTSCOPE" list --format pc --hart 0 cut.flow >got
[ -s got ] && head -c "$(stat -c %s got)" want | cmp -s - got
good=$?
report "a cut file: $(wc -l <got) instructions of hart 0 from before" $good

# Through a pipe, with the parameters of the file; a trace that is none is read as it comes.
encode harts ntrace cpu
# shellcheck disable=SC2002 # a pipe, not a file
cat harts.data | "$HARTSCOPE" decode -q --config harts.data.json --elf harts -o harts.flow - \
	2>err &&
	"$HARTSCOPE" check harts.rec harts.flow >out
good=$?
report "through standard input: $(head -n 1 out)" $good
"$HARTSCOPE" check --config harts.data.json --elf harts harts.rec - <harts.data >out
good=$?
report "a file as standard input: $(head -n 1 out)" $good
{ head -c 3 harts.data; sleep 0.1; tail -c +4 harts.data; } | "$HARTSCOPE" info - >out &&
	[ "$("$HARTSCOPE" info harts.data | tail -n +2)" = "$(tail -n +2 out)" ]
report 'through a pipe in two pieces: info' $?
"$HARTSCOPE" info <(cat harts.data) | grep -q '^buffers\|^RISC-V trace *yes'
report 'through a pipe with a name: info' $?
mkfifo harts.pipe
cat harts.data >harts.pipe &
timeout 20 "$HARTSCOPE" info harts.pipe | grep -q '^buffers\|^RISC-V trace *yes'
report 'through a FIFO: info' $?
"$HARTSCOPE" encode -q --protocol ntrace -o harts.nt harts.rec
"$HARTSCOPE" dump --protocol ntrace harts.nt >want
# shellcheck disable=SC2002
cat harts.nt | "$HARTSCOPE" dump --config harts.nt.json - | cmp -s - want
report 'another trace through standard input' $?

# The end of a circular buffer decodes to the end of the flow.
tail_of() # PROTOCOL SETTINGS...
{
	local protocol=$1

	shift
	for name in harts jit; do
		encode $name "$protocol" cpu,snapshot=3000 "$@"
		"$HARTSCOPE" decode -q -o $name.flow $name.data 2>err
		"$HARTSCOPE" list --format pc --hart 0 $name.rec >want
		"$HARTSCOPE" list --format pc --hart 0 $name.flow >got
		[ -s got ] && tail -n "$(wc -l <got)" want | cmp -s - got
		good=$?
		report "$protocol: $(wc -l <got) of $(wc -l <want) PCs of $name, a snapshot" $good
	done
}
tail_of ntrace trTeInstSyncMode=messages trTeInstSyncMax=1
tail_of etrace trTeInstSyncMode=packets resync-max=1 async-freq=1

if ! command -v perf >/dev/null; then
	echo "ok - perf # SKIP no perf (linux-perf)"
	exit $failed
fi
export HOME=$work

# As perf writes it to a pipe: attributes are records, and their bytes follow AUXTRACE records.
encode harts etrace cpu
perf inject -i harts.data -o - >piped.data 2>err &&
	[ "$(head -c 9 piped.data | tail -c 1)" = $'\020' ] &&
	"$HARTSCOPE" decode -q --elf harts -o harts.flow piped.data 2>err &&
	"$HARTSCOPE" check harts.rec harts.flow >out
good=$?
report "rewritten by perf for a pipe: $(head -n 1 out)" $good
# shellcheck disable=SC2002
cat piped.data | "$HARTSCOPE" check --elf harts harts.rec - >out 2>err
good=$?
report "the same through a pipe: $(head -n 1 out)" $good

# Records by type, as perf and as hartscope count them.  Debian 12's perf does not know the number
# of a RISC-V trace: the file has no AUXTRACE_INFO.
records()
{
	LC_ALL=C perf report -D --no-itrace -i "$1" 2>err | grep -ao ': PERF_RECORD_[A-Z0-9_]*' |
		sed 's/: PERF_RECORD_//' | sort | uniq -c | awk '{ print $1, $2 }'
}
for name in harts jit; do
	encode $name etrace cpu,noinfo
	records $name.data >got
	"$HARTSCOPE" info $name.data | sed '1,/^records by type/d' | sed 's/,//g' |
		awk 'NF { print $1, $2 }' | sort -k2 >want
	sort -k2 got | cmp -s - want
	good=$?
	report "perf report --dump-raw-trace: $name, $(awk '{ n += $1 } END { print n }' got)" \
		$good
	id=$(readelf -n $name | sed -n 's/.*Build ID: //p')
	[ -n "$id" ] && perf buildid-list -i $name.data | grep -q "^$id .*/$name$"
	report "perf buildid-list: $name" $?
done
perf script --no-itrace --show-mmap-events --show-task-events --show-text-poke-events \
	-i jit.data >out 2>err
grep -q "PERF_RECORD_COMM exec: jit:1000/1000" out
good=$?
report "perf script --show-task-events: $(grep -c 'COMM\|FORK\|EXIT' out)" $good
grep -q "PERF_RECORD_MMAP2 1000/1000: \[0x10000(.*r-xp .*/jit$" out
report "perf script --show-mmap-events" $?
"$HARTSCOPE" info jit.data | grep -q "^ *$(grep -c TEXT_POKE out)  TEXT_POKE$"
good=$?
report "perf script --show-text-poke-events: $(grep -c TEXT_POKE out)" $good
encode harts ntrace thread,noinfo
perf script --no-itrace --show-task-events -i harts.data >out 2>err
[ "$(grep -c 'PERF_RECORD_FORK(1000:100[1-7])' out)" = 7 ]
report "perf script: seven threads" $?
encode harts ntrace cpu
perf report -D -i harts.data 2>err | grep -q 'PERF_RECORD_AUXTRACE_INFO type: 7'
report "perf report --dump-raw-trace: AUXTRACE_INFO" $?
exit $failed
