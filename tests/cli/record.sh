#!/bin/sh
# hartscope record: what passes through, what is cut, children, threads, changed code.
. "$(dirname "$0")/lib.sh"
: "${HARTSCOPE_SOURCE:?the source folder}"
programs=$HARTSCOPE_SOURCE/tests/programs
gcc=riscv64-linux-gnu-gcc
need $gcc qemu-riscv64
for name in sort threads fork forks selfmod echo spin ways wide; do
	$gcc -O2 -static -pthread -o $name "$programs/$name.c" || { bad "$name compiles"; exit 1; }
done
$gcc -O2 -o echo-dynamic "$programs/echo.c"

manifest() { # manifest TEXT PATTERN RECORDING
	has "$1" "$2" "$3/manifest.json"
}

pcs() { # pcs RECORDING: how many instructions can be read of it
	"$HARTSCOPE" list --format pc "$1" 2>/dev/null | wc -l
}

# Input, output, both channels, arguments with spaces, exit status; static and dynamic.
for name in echo echo-dynamic; do
	printf 'one\ntwo\n' | "$HARTSCOPE" record -o $name.rec -- ./$name 'a b' '' 5 >out 2>err
	is "$name: exit status" 5 $?
	is "$name: standard output" '[a b] [] [5] one two ' "$(tr '\n' ' ' <out)"
	is "$name: standard error" 'bytes: 8' "$(cat err)"
	manifest "$name: complete" '"complete": true' $name.rec
	manifest "$name: end" '"end": "exit 5"' $name.rec
	manifest "$name: the program's file is in the memory map" "\"path\": \"$dir/$name\"" \
		$name.rec
done
manifest 'echo-dynamic: so is the library' '"path": ".*/libc.so.6"' echo-dynamic.rec
json 'manifest' echo.rec/manifest.json

# A call of the host retires its ebreak, and is no trap.
$gcc -O2 -static -o host "$programs/host.c" && "$HARTSCOPE" record -o host.rec -- ./host >out 2>err
is 'semihosting: the host is called' 3 "$(cat out err | grep -c called)"
is 'semihosting: three instructions a call' "3 3 3" "$("$HARTSCOPE" list --function main host.rec |
	awk '/slli zero, zero, 0x1f$/ { a++ } / ebreak$/ { b++ } /srai zero, zero, 0x7$/ { c++ }
		END { print a, b, c }')"
is 'semihosting: its count is the list' "$(pcs host.rec)" "$(sed -nE \
	's/.*"instructions": ([0-9]+).*/\1/p' host.rec/manifest.json | tail -n 1)"

# It decodes without the original file.
before=$(pcs echo.rec)
rm echo
is 'the recording is enough without the program' "$before" "$(pcs echo.rec)"

# A recording is replaced; another directory is not.
exits 'a recording is replaced' 0 "$HARTSCOPE" record -o echo.rec -- ./sort
manifest 'by the new one' '"program": "./sort"' echo.rec
mkdir precious
: >precious/letter
exits 'another directory is refused' 126 "$HARTSCOPE" record -o precious -- ./sort
is 'and the program does not run' '' "$(cat out)"

# What cannot be recorded.
exits 'no program' 2 "$HARTSCOPE" record -o x.rec
exits 'unknown option' 2 "$HARTSCOPE" record --nonsense -- ./sort
exits 'a missing program' 126 "$HARTSCOPE" record -o x.rec -- ./missing
exits 'a program of this machine' 126 "$HARTSCOPE" record -o x.rec -- /bin/true
has 'says why' 'not a RISC-V program' err
exits 'a missing emulator' 126 "$HARTSCOPE" record --qemu /missing -o x.rec -- ./sort
exits 'a missing plugin' 126 env HARTSCOPE_PLUGIN=/missing "$HARTSCOPE" record -o x.rec -- ./sort
exits 'help' 0 "$HARTSCOPE" record --help
has 'help has an example' '^Example' out

# same ARGUMENT...: the stack and, of QEMU 10, all addresses are the same each time
same() {
	env -i HOME="$HOME" PATH="$PATH" setarch -R "$HARTSCOPE" "$@"
}

# Runs that are added up are those that --exact-faults writes one by one; also those of a program
# that dies, or stops being one that can be added up.
way() { # way NAME [OPTION]...: the addresses of a run and of its child
	same record -q "$@"
	for rec in ways.rec ways.rec/child-*; do
		[ ! -f $rec/manifest.json ] || "$HARTSCOPE" list --format pc $rec
	done
}
for how in exit shared clone fork raise fault; do
	way -o ways.rec -- ./ways 41 $how >added 2>/dev/null
	manifest "ways, $how: complete" '"complete": true' ways.rec
	way --exact-faults -o ways.rec -- ./ways 41 $how >written 2>/dev/null
	is "ways, $how: the same run" "$(cksum <written)" "$(cksum <added)"
done

# A return to more places than have a code (HS_REC_WIDE_MOST), and faults right after it.
leaf=$(riscv64-linux-gnu-nm wide | sed -n 's/^0*\(.*\) t leaf$/\1/p')
for how in exit fault thread; do
	same record -q -o wide.rec -- ./wide 3000 $how
	"$HARTSCOPE" list --format pc wide.rec >added
	same record -q --exact-faults -o wide.rec -- ./wide 3000 $how
	"$HARTSCOPE" list --format pc wide.rec >written
	is "wide, $how: the same run" "$(cksum <written)" "$(cksum <added)"
	is "wide, $how: each call" 6000 "$(grep -c "$leaf\$" added)"
done

# Nine threads, three at a time: a hart each.
exits 'threads' 0 "$HARTSCOPE" record -o threads.rec -- ./threads
is 'a hart for each thread' 9 "$(ls threads.rec | grep -c '^hart-')"
manifest 'threads: complete' '"complete": true' threads.rec

# Children: exit 7, abort, one that forks again, exec.
exits 'fork' 0 "$HARTSCOPE" record -o fork.rec -- ./fork
is 'fork: what plain QEMU prints' "$(qemu-riscv64 ./fork)" "$(cat out)"
manifest 'child 1 returns' '"end": "exit 7"' fork.rec/child-1
manifest 'child 2 is cut by its signal' '"complete": false' fork.rec/child-2
manifest 'the child of child 3' '"end": "exit 7"' fork.rec/child-3/child-1
manifest 'child 4 executes another program' '"end": "exec /bin/true"' fork.rec/child-4
is 'the parent lists four' 4 "$(grep -c '"directory"' fork.rec/manifest.json)"
for child in child-1 child-3 child-3/child-1 child-4; do
	n=$(grep -o '"instructions": [0-9]*' fork.rec/$child/manifest.json | head -1)
	is "$child can be read" "\"instructions\": $(pcs fork.rec/$child)" "$n"
done

# Children that a process makes faster than they start: each has a recording, with its own end.
for turn in 1 2 3; do
	exits "forks, $turn" 0 "$HARTSCOPE" record -o forks.rec -- ./forks 12
	n=0
	for i in 0 1 2 3 4 5 6 7 8 9 10 11; do
		grep -q "\"end\": \"exit $i\"" forks.rec/child-$((i + 1))/manifest.json &&
			n=$((n + 1))
	done
	is "forks: a recording of each, $turn" 12 $n
done

# More threads and processes at once than a shell lets files be open; the program keeps its limit.
$gcc -O2 -static -pthread -o swarm "$programs/swarm.c"
few() { (ulimit -Sn 256 && "$HARTSCOPE" record -q -o swarm.rec -- ./swarm "$@"); }
exits 'many threads' 0 few threads 400
is 'many threads: output' '400 threads at once' "$(cat out)"
manifest 'many threads: complete' '"complete": true' swarm.rec
is 'many threads: a hart each' 401 "$(ls swarm.rec | grep -c '^hart-')"
exits 'many children' 0 few forks 120
is 'many children: output' '120 children at once' "$(cat out)"
is 'many children: all complete' 121 "$(grep -l '"complete": true' swarm.rec/manifest.json \
	swarm.rec/child-*/manifest.json | wc -l)"
exits 'many children: their limit' 0 few files
is 'many children: their limit, as it was' '256 files' "$(cat out)"

# An older recording stays until the new one is whole; other files in it stay as they are.
echo "of mine" >forks.rec/NOTES
before=$(cat forks.rec/*.json forks.rec/*.zst forks.rec/child-*/* | cksum)
exits "an emulator that is not there" 126 \
	"$HARTSCOPE" record --qemu ./none -o forks.rec -- ./forks 1
is "an emulator that is not there: the old recording" "$before" \
	"$(cat forks.rec/*.json forks.rec/*.zst forks.rec/child-*/* | cksum)"
exits "an emulator that is not there, no older recording" 126 \
	"$HARTSCOPE" record --qemu ./none -o fresh.rec -- ./forks 1
is "an emulator that is not there: nothing is left" "" "$(ls -d fresh.rec* 2>/dev/null)"
mkdir forks.rec.new
echo victim >victim
cp forks.rec/manifest.json forks.rec.new/
ln -s ../victim forks.rec.new/manifest.new
ln -s ../victim forks.rec.new/hart-0.zst
exits "again" 0 "$HARTSCOPE" record -o forks.rec -- ./forks 2
is "again: links are not followed" victim "$(cat victim)"
is "again: what is there" "NOTES child-1 child-2 hart-0.zst manifest.json runs.zst" \
	"$(ls forks.rec | tr '\n' ' ' | sed 's/ $//')"
is "again: nothing else" forks.rec "$(ls -d forks.rec*)"

# Two recorders, one directory: the second one is refused.
"$HARTSCOPE" record -q -o two.rec -- ./spin >spin.out 2>spin.err &
spinner=$!
for i in $(seq 300); do
	grep -q spinning spin.out && break
	sleep 0.2
done
exits "a second recorder" 126 "$HARTSCOPE" record -o two.rec -- ./forks 1
has "a second recorder: why" "two.rec: another process writes this recording" err
kill $spinner
wait $spinner
manifest "the first recorder goes on" '"end": "cut: signal 15"' two.rec
exits "and then the second one" 0 "$HARTSCOPE" record -o two.rec -- ./forks 1

# A program that writes over the recorder's memory spoils its recording, and nothing waits for it.
$gcc -O1 -static -I "$HARTSCOPE_SOURCE/src" -o scribble "$programs/scribble.c"
for what in p c e h t; do
	exits "scribble $what" 3 timeout -k 1 30 "$HARTSCOPE" record -o scribble.rec -- \
		./scribble $what
	case $what in # of others the recorder has its own
	[peh]) manifest "scribble $what: not complete" '"complete": false' scribble.rec ;;
	esac
done

# The same address with other bytes, twice.
exits 'selfmod' 0 "$HARTSCOPE" record -o selfmod.rec -- ./selfmod
is 'changed code is listed' 2 "$(sed -n '/codeChanged/,/^  \]/p' selfmod.rec/manifest.json | grep -c '"bytes"')"

# wait_recorded DIR: until something of the stream is on disk
wait_recorded() {
	for i in $(seq 300); do
		[ -s "$1/hart-0.zst" ] && return
		sleep 0.2
	done
}

# cut NAME KIND SIGNAL STATUS: who is killed, and by what
cut_case() {
	"$HARTSCOPE" record -o "$1.rec" -- ./spin >out 2>err &
	recorder=$!
	wait_recorded "$1.rec"
	program=$(cat /proc/$recorder/task/$recorder/children)
	case $2 in
	program) kill -"$3" $program ;;
	recorder) kill -"$3" $recorder ;;
	esac
	wait $recorder
	is "$1: exit status" "$4" $?
	manifest "$1: not complete" '"complete": false' "$1.rec"
	is "$1: output" spinning "$(cat out)"
	"$HARTSCOPE" stat "$1.rec" >said 2>err
	is "$1: stat says damaged" 3 $?
	has "$1: but there are instructions" '^instructions  *[0-9,]*,[0-9][0-9][0-9]$' said
}
cut_case program-killed program KILL 137
cut_case recorder-asked recorder TERM 143
cut_case recorder-killed recorder KILL 137
is 'the program goes on without its recorder' 1 "$(ls -d /proc/$program 2>/dev/null | wc -l)"
kill -KILL $program

# A full disk: the program does not notice.
mkdir small
if mount -t tmpfs -o size=512k none small 2>/dev/null; then
	exits 'disk full' 126 "$HARTSCOPE" record -o small/rec -- ./sort 16000
	is 'disk full: output' "$(./sort 16000 2>/dev/null || qemu-riscv64 ./sort 16000)" "$(cat out)"
	has 'disk full: said' \
		'small/rec: the recording ends early: cut: No space left on device' err
	manifest 'disk full: not complete' '"complete": false' small/rec
	n=$("$HARTSCOPE" list --format pc --limit 100001 small/rec 2>/dev/null | wc -l)
	is 'disk full: there are instructions' 1 "$((n > 100000))"
	umount small
else
	echo 'ok - disk full # SKIP cannot mount a small file system'
fi

# A program of threads that is killed: the last instruction of the one that did it, and the other
# one in spin() or in step(), which it calls: runs that were only added up.
$gcc -O1 -static -pthread -o killed_threads \
	"$HARTSCOPE_SOURCE/tests/programs/killed_threads.c" || bad 'compiles'
"$HARTSCOPE" record -q -o killed.rec -- ./killed_threads 2>err
is 'threads, killed: exit status' 137 $?
"$HARTSCOPE" list --hart 0 --last 3 killed.rec >out 2>err
has 'threads, killed: the call is the last of its hart' '  ecall' out
"$HARTSCOPE" list --hart 1 --last 200 killed.rec 2>err >out
is 'threads, killed: where the other one is' 1 \
	"$(grep -o '^[a-z]*+' out | tail -n 1 | grep -c '^\(step\|spin\)+$')"
exit $failed
