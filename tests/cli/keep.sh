#!/bin/sh
# record --keep-last: what is kept is the end of the run, however it ends, and opens as any
# recording; and what a recording has that ends because its recorder or disk does.
. "$(dirname "$0")/lib.sh"
: "${HARTSCOPE_SOURCE:?the source folder}"
gcc=riscv64-linux-gnu-gcc
need $gcc qemu-riscv64
for name in last signals; do
	$gcc -O2 -static -pthread -o $name "$HARTSCOPE_SOURCE/tests/programs/$name.c" || exit 1
done
steps=1500000
reached=$(riscv64-linux-gnu-nm last | sed -n 's/^0*\([0-9a-f]*\) . reached$/\1/p')

until_said() { # until_said FILE TEXT
	for i in $(seq 600); do
		grep -q "$2" "$1" 2>/dev/null && return
		sleep 0.1
	done
	bad "no '$2' in $1"
}

# number NAME REC: of manifest.json, the first of that name; nothing: there is none
number() {
	sed -nE "s/.*\"$1\": ([0-9]+).*/\1/p" "$2/manifest.json" | head -n 1
}

"$HARTSCOPE" record -q -o full.rec -- ./last $steps >out
"$HARTSCOPE" list --format pc full.rec >full

# tail_of TEXT REC ALL: what REC has is the end of ALL, some but not all of it, and says so
tail_of() {
	"$HARTSCOPE" list --format pc "$2" >kept 2>err
	is "$1: it can be listed" 0 $?
	n=$(wc -l <kept)
	tail -n "$n" "$3" >want
	if cmp -s want kept && [ "$n" -gt 10000 ]; then
		ok "$1: the last $n of $(wc -l <"$3") instructions"
	else
		bad "$1: not the last $n of $(wc -l <"$3") instructions"
		diff want kept | head -n 6
	fi
	is "$1: count" "$n" "$(number instructions "$2")"
	is "$1: how many are missing" $(($(wc -l <"$3") - n)) "$(number skipped "$2")"
	"$HARTSCOPE" stat "$2" >out 2>err
	is "$1: stat agrees" 0 $?
}

# The program exits.  The ring is far smaller than the run.
exits 'exit' 0 "$HARTSCOPE" record -q --keep-last 1K -o exit.rec -- ./last $steps
is 'exit: output' walked "$(cat out)"
tail_of exit exit.rec full
manifest=exit.rec/manifest.json
has 'exit: complete' '"complete": true' $manifest
has 'exit: its size' '"keepLast": 1024' $manifest
has 'exit: version' '"version": 1,' $manifest
exits 'info' 0 "$HARTSCOPE" info exit.rec
has 'info: says it' '^instructions before its beginning  *[1-9]' out
"$HARTSCOPE" list --limit 3 exit.rec >out
has 'list: says it' "^; the recording begins here: $(number skipped exit.rec) instructions" out

# It encodes and decodes as any recording.
for protocol in ntrace etrace; do
	exits "encode, $protocol" 0 "$HARTSCOPE" encode -q --protocol $protocol -o exit.$protocol \
		exit.rec
	exits "decode, $protocol" 0 "$HARTSCOPE" decode -q -o exit.flow exit.$protocol
	exits "check, $protocol" 0 "$HARTSCOPE" check exit.rec exit.flow
done

# A ring that is larger than the run has all of it.
exits 'large ring' 0 "$HARTSCOPE" record -q --keep-last 1G -o large.rec -- ./last $steps
"$HARTSCOPE" list --format pc large.rec | cmp -s - full && ok 'large ring: all of it' ||
	bad 'large ring: all of it'
is 'large ring: nothing is missing' '' "$(number skipped large.rec)"

# The guest crashes.
"$HARTSCOPE" record -q -o fault-all.rec -- ./last $steps fault >out
"$HARTSCOPE" list --format pc fault-all.rec >fault
exits 'crash' 139 "$HARTSCOPE" record -q --keep-last 1K -o fault.rec -- ./last $steps fault
tail_of crash fault.rec fault
has 'crash: end' '"end": "signal 11[,"]' fault.rec/manifest.json

# All of a run that waits to be killed.
rm out
"$HARTSCOPE" record -q -o wait-all.rec -- ./last $steps wait >out 2>err &
recorder=$!
until_said out walked
sleep 0.3
kill -TERM $recorder
wait $recorder
"$HARTSCOPE" list --format pc wait-all.rec >wait 2>err
head -n "$(grep -nx "$reached" wait | head -n 1 | cut -d : -f 1)" wait | sed '$d' >mark

# A mark ends the recording, which is written while the program runs on.
rm out
"$HARTSCOPE" record -q --keep-last 1K --to reached -o mark.rec -- ./last $steps wait >out 2>err &
recorder=$!
until_said out walked
until_said mark.rec/manifest.json '"end": "mark"'
tail_of mark mark.rec mark
has 'mark: complete' '"complete": true' mark.rec/manifest.json
kill -TERM $recorder
wait $recorder
is 'mark: exit status' 143 $?
tail_of 'mark, when the program has ended' mark.rec mark

# The emulator is killed: the end is that of the run until then.
rm out
"$HARTSCOPE" record -q --keep-last 1K -o kill.rec -- ./last $steps wait >out 2>err &
recorder=$!
until_said out walked
kill -KILL $(cat /proc/$recorder/task/$recorder/children)
wait $recorder
is 'killed: exit status' 137 $?
has 'killed: end' '"end": "cut: signal 9"' kill.rec/manifest.json
"$HARTSCOPE" list --format pc kill.rec >kept 2>err
n=$(wc -l <kept)
head -n $(($(number skipped kill.rec) + n)) wait | tail -n "$n" | cmp -s - kept &&
	[ "$n" -gt 10000 ] && ok "killed: the last $n instructions" ||
	bad 'killed: other instructions'
skipped=$(number skipped kill.rec)
is 'killed: all until then' 1 $((n + skipped > $(wc -l <mark)))

# Threads: each hart has its end, which no other thread has part in.
exits threads 0 "$HARTSCOPE" record -q --keep-last 1K -o threads.rec -- ./last $steps exit 3
exits 'threads: stat agrees' 0 "$HARTSCOPE" stat threads.rec
has 'threads: all harts' '"number": 3' threads.rec/manifest.json
"$HARTSCOPE" record -q -o threads-all.rec -- ./last $steps exit 3 >out
for recording in threads threads-all; do
	"$HARTSCOPE" list --hart 0 --format pc $recording.rec | sed "/^$reached\$/q" >$recording
done
tail -n "$(wc -l <threads)" threads-all | cmp -s - threads && grep -qx "$reached" threads &&
	ok 'threads: the end of the first' ||
	bad 'threads: the end of the first'

is 'threads: nothing is kept of those that ended long before' 3 \
	"$(grep -c '"instructions": 0,' threads.rec/manifest.json)"

# Signals: where handlers returned to is counted from the beginning of what is kept.
exits signals 0 "$HARTSCOPE" record -q --keep-last 1K -o signals.rec -- ./signals
exits 'signals: stat agrees' 0 "$HARTSCOPE" stat signals.rec

for size in 0 12Q x 99999999999G; do
	exits "--keep-last $size" 2 "$HARTSCOPE" record --keep-last $size -- ./last
	has "--keep-last $size: says why" 'not a size such as 64M' err
done

# ---- what is not lost without a ring --------------------------------------------

# The emulator is killed while it waits for room in the ring: its recorder is stopped.  The runs
# for which there was no word are there.
ticks() {
	awk '{ print $14 + $15 }' "/proc/$1/stat"
}
"$HARTSCOPE" record -q -o room.rec -- ./last 100000000 >out 2>err &
recorder=$!
until [ -e room.rec/hart-0.zst ]; do
	sleep 0.1
done
kill -STOP $recorder
emulator=$(cat /proc/$recorder/task/$recorder/children)
emulator=${emulator% }
before=-1
for i in $(seq 100); do
	sleep 0.3
	now=$(ticks "$emulator")
	[ "$now" -ne "$before" ] || break
	before=$now
done
kill -KILL "$emulator"
kill -CONT $recorder
wait $recorder
is 'killed, no room: exit status' 137 $?
exits 'killed, no room: stat' 3 "$HARTSCOPE" stat room.rec
is 'killed, no room: instructions' "$(number instructions room.rec)" \
	"$(sed -n 's/^instructions *//p' out | head -n 1 | tr -d ,)"

# The recorder is killed while the program waits: what was executed 0.1 s before is there.
rm out
"$HARTSCOPE" record -q -o lost.rec -- ./last $steps wait >out 2>err &
recorder=$!
until_said out walked
sleep 0.5
program=$(cat /proc/$recorder/task/$recorder/children)
kill -KILL $recorder
wait $recorder
kill -KILL "$program"
"$HARTSCOPE" list --format pc lost.rec >kept 2>err
is 'recorder killed: at most 27 runs are lost' 1 $(($(wc -l <kept) + 500 > $(wc -l <wait)))
head -n "$(wc -l <kept)" wait | cmp -s - kept && ok 'recorder killed: what is there is right' ||
	bad 'recorder killed: other instructions'

# A full disk has what fits: frames get smaller.
mkdir small
for room in 64 416; do
	if ! mount -t tmpfs -o size=${room}k none small 2>/dev/null; then
		echo "ok - disk of $room KB # SKIP cannot mount a small file system"
		continue
	fi
	exits "disk of $room KB" 126 "$HARTSCOPE" record -q -o small/rec -- ./last 3000000
	has "disk of $room KB: said" 'No space left on device' err
	n=$("$HARTSCOPE" list --format pc --limit 1000000 small/rec 2>err | wc -l)
	free=$(df --output=avail -k small | tail -n 1)
	is "disk of $room KB: it is full" 1 $((free <= 8))
	is "disk of $room KB: there are instructions" 1 $((n > 1000 * room))
	umount small
done
exit $failed
