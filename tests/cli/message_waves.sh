#!/bin/sh
# export --format vcd and fst: messages as waves, as other programs read them.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
. "$here/../screen.sh"
loop_rec
btm='encode -q --set trTeInstMode=btm'
"$HARTSCOPE" $btm --set trTsEnable=1 --cycles-per load=2 -o t.nt loop.rec
exits 'as VCD' 0 "$HARTSCOPE" export --format vcd -o t.vcd t.nt
has 'as VCD: how many' 't.vcd: 4 messages$' err
exits 'as VCD: to standard output' 0 "$HARTSCOPE" export -q --format vcd t.nt
is 'as VCD: to standard output' "$(cat t.vcd)" "$(cat out)"

# By hand: an instruction is a cycle, so that the first branch retires in cycle 3.
at() { sed -n "/^#$1\$/,/^#/p" t.vcd; }
has 'the start' '^sSYNC=5_I-CNT=0_F-ADDR=0x800_TSTAMP=' t.vcd
at 3000 >now
has 'the start: its name' '^sProgTraceSync !a$' now
at 3001 >now # the same cycle
has 'a branch: its name' '^sDirectBranch !a$' now
has 'a branch: where it led' '^b1000000000010 !d$' now
has 'a branch: where it is' '^b1000000000100 !e$' now
is 'times do not go back' "$(grep '^#' t.vcd)" "$(grep '^#' t.vcd | sort -t '#' -k 2 -n -u)"
exits '--clock' 0 "$HARTSCOPE" export -q --format vcd --clock 500000000 -o twice.vcd t.nt
is '--clock: a cycle is two nanoseconds' \
	"$(sed -n 's/^#//p' t.vcd | awk '{ print 2 * $1 - $1 % 1000 }')" \
	"$(sed -n 's/^#//p' twice.vcd)"

# Without times, of both protocols, of two harts.
"$HARTSCOPE" encode -q --protocol etrace -o t.et loop.rec
exits 'without times' 0 "$HARTSCOPE" export --format vcd -o et.vcd t.et
has 'without times: says so' 't.et has no times: each message is a nanosecond' err
is 'without times: a unit each' "$("$HARTSCOPE" dump t.et | grep -c .)" "$(grep -c '^#' et.vcd)"
"$HARTSCOPE" $btm --set trTeSrcBits=4 --set trTeSrcID=9 -o src.nt loop.rec
exits 'a source' 0 "$HARTSCOPE" export -q --format vcd -o src.vcd src.nt
has 'a source: its scope' '^.scope module hart9 .end$' src.vcd

# What cannot be.
exits 'a recording' 2 "$HARTSCOPE" export --format vcd loop.rec
exits 'a part' 2 "$HARTSCOPE" export --format vcd --from 2 t.nt
exits 'FST without a file' 2 "$HARTSCOPE" export --format fst t.nt
head -c $(($(wc -c <t.nt) - 1)) t.nt >cut.nt && cp t.nt.json cut.nt.json
exits 'a trace that is cut' 3 "$HARTSCOPE" export -q --format vcd -o cut.vcd cut.nt
is 'a trace that is cut: one line' 1 "$(grep -c 'inside a message' err)"

# Another program reads the FST file, and gives the same changes.
if ! command -v fst2vcd >/dev/null; then
	echo 'ok - FST # SKIP no gtkwave'
	finish
fi
exits 'as FST' 0 "$HARTSCOPE" export -q --format fst -o t.fst t.nt
is 'as FST: nothing else is left' '' "$(ls t.fst.*  2>/dev/null)"
fst2vcd -f t.fst >back
is 'as FST: times' "$(grep '^#' t.vcd)" "$(grep '^#' back)"
is 'as FST: texts' "$(sed -n 's/^\(s.*\) ..*/\1/p' t.vcd | sort)" \
	"$(sed -n 's/^\(s.*\) ..*/\1/p' back | sort)"

# GTKWave, on a screen that only exists in memory.
if ! command -v Xvfb >/dev/null || [ -n "${HARTSCOPE_SANITIZED-}" ]; then
	echo 'ok - GTKWave # SKIP no Xvfb, or it sees no sanitizers'
	finish
fi
cat >show.tcl <<-'EOS'
	set seen [open seen w]
	set facs [list]
	set count [gtkwave::getNumFacs]
	for {set i 0} {$i < $count} {incr i} { lappend facs [gtkwave::getFacName $i] }
	puts $seen "signals [llength $facs]"
	gtkwave::addSignalsFromList $facs
	gtkwave::/Time/Zoom/Zoom_Full
	gtkwave::setMarker 3001
	foreach signal {message function address[63:0] source[63:0] fields} {
		puts $seen "$signal [gtkwave::getTraceValueAtMarkerFromName hartscope.hart0.$signal]"
	}
	close $seen
EOS
trap 'kill ${screen-} 2>/dev/null; wait; rm -rf "$dir"' EXIT INT TERM
exits 'a screen' 0 screen_start
for file in t.vcd t.fst; do
	rm -f seen
	HOME=$dir timeout 60 gtkwave -S show.tcl $file >viewer.log 2>&1 &
	viewer=$!
	for _ in $(seq 300); do
		! grep -q '^fields' seen 2>/dev/null || break
		sleep 0.1
	done
	if [ -n "${HARTSCOPE_SHOTS-}" ]; then
		sleep 2
		cp Xvfb_screen0 "$HARTSCOPE_SHOTS/gtkwave-${file#t.}.xwd"
	fi
	kill $viewer 2>/dev/null
	wait $viewer 2>/dev/null
	has "GTKWave, $file: signals" '^signals 7$' seen
	has "GTKWave, $file: message" '^message DirectBranch$' seen
	has "GTKWave, $file: address" '^address\[63:0\] 0*1002$' seen
	has "GTKWave, $file: source" '^source\[63:0\] 0*1004$' seen
	has "GTKWave, $file: fields" '^fields I-CNT=3_TSTAMP=' seen
done
finish
