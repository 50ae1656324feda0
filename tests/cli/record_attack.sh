#!/bin/sh
# hartscope record: programs of many threads and processes, and a program that attacks its own
# recording.  HARTSCOPE_LONG=1: as many as docs/reliability.md says, and memory is looked at for
# HARTSCOPE_RECORD_MINUTES (4).
. "$(dirname "$0")/lib.sh"
: "${HARTSCOPE_SOURCE:?the source folder}"
gcc=riscv64-linux-gnu-gcc
need $gcc qemu-riscv64
for name in swarm assault hours versions; do
	$gcc -O1 -Wall -Werror -static -pthread -o $name \
		"$HARTSCOPE_SOURCE/tests/programs/$name.c" || exit 1
done
threads=300 forks=60 series=200 seconds=4 growth=16384 code=384
[ -z "${HARTSCOPE_SANITIZED-}" ] || code=1024
[ -z "${HARTSCOPE_LONG:-}" ] || {
	threads=10000 forks=1000 series=2000 growth=3072
	seconds=$((60 * ${HARTSCOPE_RECORD_MINUTES:-4}))
}

manifest() { # manifest TEXT PATTERN RECORDING
	has "$1" "$2" "$3/manifest.json"
}

swarm() { # swarm TEXT OUTPUT ARGUMENTS...: recorded, with few files; complete
	text=$1 said=$2
	shift 2
	rm -rf swarm.rec
	(ulimit -Sn 256 && exec "$HARTSCOPE" record -q -o swarm.rec -- ./swarm "$@") >out 2>err
	is "$text: exit status" 0 $?
	is "$text: output" "$said" "$(tr '\n' ';' <out)"
	manifest "$text: complete" '"complete": true' swarm.rec
}

complete() { # how many recordings of processes are
	find swarm.rec -name manifest.json -exec grep -l '"complete": true' {} + | wc -l
}

swarm threads "$threads threads at once;" threads $threads
is 'threads: a hart each' $((threads + 1)) "$(ls swarm.rec | grep -c '^hart-')"
# Threads that rest cost little: their harts are not looked at ten times in a second.
rests() { # rests PROCESS: how often its threads went to sleep
	cat /proc/$1/task/*/status 2>&- | awk '/^voluntary/ { n += $2 } END { print n }'
}
(ulimit -Sn 256 && exec "$HARTSCOPE" record -q -o swarm.rec -- ./swarm threads 300 7) >out 2>err &
recorder=$!
for i in $(seq 300); do
	[ "$(ls /proc/$recorder/task | wc -l)" -le 300 ] || break
	sleep 0.1
done
sleep 0.5
from=$(date +%s%N) before=$(rests $recorder)
sleep 2
rate=$((($(rests $recorder) - before) * 1000000000 / ($(date +%s%N) - from)))
is "threads that rest: woken $rate times in a second, 300 of them" 1 $((rate > 100 && rate < 1200))
wait $recorder
is 'threads that rest: exit status' 0 $?
manifest 'threads that rest: complete' '"complete": true' swarm.rec
swarm series "$series threads, one after another;" series $series
is 'series: a hart each' $((series + 1)) "$(ls swarm.rec | grep -c '^hart-')"
# What is kept in memory has no file while the program runs.
(ulimit -n 128 && exec "$HARTSCOPE" record -q --keep-last 64K -o swarm.rec -- \
	./swarm series $series) >out 2>err
is 'series, kept: exit status' 0 $?
manifest 'series, kept: complete' '"complete": true' swarm.rec
is 'series, kept: a hart each' $((series + 1)) "$(ls swarm.rec | grep -c '^hart-')"
swarm forks "$forks children at once;" forks $forks
is 'forks: all complete' $((forks + 1)) "$(complete)"
swarm vfork 'vfork: 9;' vfork
is 'vfork: both complete' 2 "$(complete)"
# QEMU 7.2 makes no process that shares memory, but not signal handlers: it refuses.
swarm clone 'clone: 4, 0 in its parent;clone: Invalid argument;clone: 4, 0 in its parent;' clone
is 'clone: all complete' 3 "$(complete)"
swarm daemon '' daemon written
is 'daemon: it worked' daemon "$(cat written)"
is 'daemon: all complete' 3 "$(complete)"

# Its memory does not grow with the time: between the half and the end of a run, in KiB.  (What is
# free is kept by AddressSanitizer, up to 256 MB.)
resident() {
	awk '$1 == "RssAnon:" { print $2 }' /proc/$1/status
}
minute=$((seconds < 60 ? seconds : 60))
while read -r what most seconds how; do
	ASAN_OPTIONS="${ASAN_OPTIONS-}:quarantine_size_mb=1" \
		"$HARTSCOPE" record -q $how >out 2>err </dev/null &
	recorder=$!
	for part in half end; do
		for second in $(seq $((seconds / 2))); do
			sleep 1
			[ $((second % 60)) -ne 0 ] || echo "# $what: $(resident $recorder) KiB"
		done
		eval "$part=$(resident $recorder)"
	done
	is "memory, $what: $half KiB, at the end $end KiB" 1 $((end < half + most))
	kill $recorder
	wait $recorder
done <<-EOS
	toil 1024 $seconds -o long.rec -- ./swarm toil 100000000
	children $growth $((seconds < 120 ? seconds : 120)) -o long.rec -- ./swarm children 1000000
	kept 4096 $seconds --keep-last 1M -o long.rec -- ./hours 100000000
	code $code $minute -o long.rec -- ./hours 100000000 0 4
	signals,kept 1024 $minute --keep-last 64K -o long.rec -- ./hours 100000000 0 3
	EOS

# Children of a process whose log is not all in memory begin with it.
exits 'a long log' 0 "$HARTSCOPE" record -q -o log.rec -- ./hours 2500 0 46 70
last=$(ls -d log.rec/child-* | tail -n 1)
is "a long log: children, the last is $last" 1 $((${last##*-} > 1))
exits 'a long log: fsck' 0 "$HARTSCOPE" fsck log.rec
exits 'a long log: its last child' 0 "$HARTSCOPE" stat $last
# A run that has another one after it each time costs no more each time: 60,000 took minutes.
exits 'versions' 0 timeout 60 "$HARTSCOPE" record -q -o versions.rec -- ./versions 60000
exits 'versions: fsck' 0 "$HARTSCOPE" fsck versions.rec
is 'versions: each 2048th' 29 "$("$HARTSCOPE" list versions.rec | grep -c ' 7ff50513 ')"
# What is kept of many signals is as small on disk.
exits 'signals, kept' 0 "$HARTSCOPE" record -q --keep-last 64K -o log.rec -- ./hours 2000 0 3
is 'signals, kept: runs.zst' 1 $(($(wc -c <log.rec/runs.zst) < 500000))
exits 'signals, kept: stat' 0 "$HARTSCOPE" stat log.rec

# The program has no descriptor left for the memory of its next thread or child.
full() { # full WHAT SAID
	(ulimit -Sn 256 && exec "$HARTSCOPE" record -q -o full.rec -- ./swarm full $1) >out 2>err
	is "no descriptor for a $1: exit status" 0 $?
	has "no descriptor for a $1: said" "$2" err
	exits "no descriptor for a $1: stat" 3 "$HARTSCOPE" stat full.rec
}
full thread 'cut: a part could not be recorded'
full child 'incomplete: 1 forked child was not recorded'
has 'no descriptor for a child: stat says it' 'cut: 1 forked child was not recorded' err
exits 'no descriptor for a child: fsck' 3 "$HARTSCOPE" fsck full.rec
# A fork that failed made no child.
swarm unforked 'fork: Resource temporarily unavailable;' unforked
is 'unforked: nothing is missing' 0 "$(grep -c childrenNotRecorded swarm.rec/manifest.json)"

# A plugin that is not ours (design/rec-qemu): the program is not run, and nobody waits for ever.
emulator=$("$HARTSCOPE" record --check --json |
	sed -n 's/.*"name": "qemu-riscv64".*"path": "\([^"]*\)".*/\1/p')
printf '#!/bin/sh\n%s "$@"\n' "$emulator" >script
chmod +x script
wire=$(sed -n 's/^#define HS_WIRE_VERSION \([0-9]*\)u$/\1/p' \
	"$HARTSCOPE_SOURCE/src/recorder/wire.h")
old=$((wire - 1))
while read -r how qemu said; do
	[ "$qemu" != qemu-riscv64 ] || qemu=$emulator
	exits "plugin, $how, $qemu" 126 env OTHER_PLUGIN=$how \
		HARTSCOPE_PLUGIN="$OTHER_PLUGIN_FILE" \
		timeout 20 "$HARTSCOPE" record --qemu $qemu -o other.rec -- ./swarm threads 1
	has "plugin, $how, $qemu: said" "$said" err
	is "plugin, $how, $qemu: nothing ran, nothing is left" '' \
		"$(cat out; ls -d other.rec* 2>&-)"
done <<-EOS
	old qemu-riscv64 another version of Hartscope: it speaks version $old, and this one $wire
	old ./script another version of Hartscope: it speaks version $old, and this one $wire
	shorter qemu-riscv64 of another version of Hartscope
	silent qemu-riscv64 sent nothing for 2 s
	empty qemu-riscv64 shared no memory
	EOS

# Under QEMU a setuid program would run without the rights of its owner.
cp swarm rights
chmod u+s rights
exits 'setuid' 126 "$HARTSCOPE" record -o rights.rec -- ./rights vfork
has 'setuid: said' 'setuid or setgid, which has no effect under QEMU' err
is 'setuid: nothing is left' 'rights' "$(echo rights*)"

# assault HOW TEXT [STATUS]: what record says; the program ends with status 4, which is that of
# record unless something could not be written; what is next to it stays
echo victim >victim
mkdir elsewhere
assault() {
	rm -rf hit.rec moved
	exits "assault $1" ${3-4} timeout -k 1 60 \
		"$HARTSCOPE" record -o hit.rec -- ./assault $1 hit.rec
	[ -z "$2" ] || has "assault $1: said" "$2" err
	is "assault $1: what is next to it" victim "$(cat victim; ls elsewhere)"
}
assault r 'files of the recording were removed or replaced'
assault l 'files of the recording were removed or replaced'
assault d 'files of the recording were removed or replaced' 126 # manifest.json is a folder
assault M 'hit.rec: was moved or replaced while it was written'
# Bytes that it writes over are found by checksums.
for how in z w; do
	assault $how ''
	exits "assault $how: stat" 3 "$HARTSCOPE" stat hit.rec
done
for how in c s; do
	assault $how ''
	manifest "assault $how: complete" '"complete": true' hit.rec
done

# An older recording stays where the new one was attacked.
"$HARTSCOPE" record -q -o hit.rec -- ./swarm vfork >old
before=$(cat hit.rec/*.json hit.rec/*.zst | cksum)
for case in d:126 M:4; do
	how=${case%:*}
	exits "assault $how, older" ${case#*:} \
		"$HARTSCOPE" record -o hit.rec -- ./assault $how hit.rec.new
	is "assault $how: the older one" "$before" "$(cat hit.rec/*.json hit.rec/*.zst | cksum)"
	rm -rf hit.rec.new moved
done

# The recorder is killed: the program runs on, and what there is says that it is cut.
rm -rf hit.rec
"$HARTSCOPE" record -o hit.rec -- ./assault k hit.rec >out 2>err
is 'assault k: exit status' 137 $?
manifest 'assault k: cut' '"complete": false' hit.rec

# Its disk is full, for the manifest, too.
mkdir small
if mount -t tmpfs -o size=512k none small 2>/dev/null; then
	exits 'assault f' 126 timeout -k 1 60 "$HARTSCOPE" record -o small/rec -- \
		./assault f small/rec
	is 'assault f: said' 1 "$(grep -c 'No space left\|could not be written' err)"
	exits 'assault f: stat' 3 "$HARTSCOPE" stat small/rec
	umount small
else
	echo 'ok - full # SKIP cannot mount a small file system'
fi
exit $failed
