#!/bin/sh
# Traces over pins, in value change dumps and in circular buffers: recording, encode, decode, check.
. "$(dirname "$0")/lib.sh"

# The program of lib.sh, its loop 400 times round: 400 messages in BTM.
loop_bin
{
	echo 'itype_0,cause,tval,priv,iaddr_0,context,ctype,iretire_0,ilastsize_0'
	echo '0,0,0,3,1000,0,0,1,0'
	i=0
	while [ $i -lt 400 ]; do
		printf '0,0,0,3,1002,0,0,1,0\n5,0,0,3,1004,0,0,1,0\n'
		i=$((i + 1))
	done
	printf '0,0,0,3,1002,0,0,1,0\n4,0,0,3,1004,0,0,1,0\n0,0,0,3,1006,0,0,1,1\n6,0,0,3,100e,0,0,1,0\n'
	echo '0,0,0,3,100a,0,0,1,1'
} >long.csv
"$HARTSCOPE" import --quiet --from csv --bin loop.bin@0x1000 -o long.rec long.csv
"$HARTSCOPE" list --format pc long.rec >pcs

for t in pins1 pins2 pins4 pins8 pins16 pins1-packed pins2-packed pins4-packed; do
	for idle in 0 1 3 8; do
		exits "encode to $t, idle $idle" 0 "$HARTSCOPE" encode --set trTeInstMode=btm \
			--transport $t --idle $idle -o $t.nt long.rec
		"$HARTSCOPE" decode --quiet -o $t.flow $t.nt 2>err
		exits "$t, idle $idle: the flow is the recording" 0 "$HARTSCOPE" check long.rec \
			$t.flow
	done
done
# Captures that begin anywhere: from the first synchronisation on, the same PCs.
for t in pins1 pins2 pins4 pins8 pins16; do
	"$HARTSCOPE" encode --quiet --set trTeInstMode=btm --set trTeInstSyncMode=bytes --set \
		trTeInstSyncMax=1 \
		--transport $t --idle 5 -o $t.nt long.rec
	for from in 102 444 1000; do
		tail -c +$((from + 1)) $t.nt >cut.nt
		cp $t.nt.json cut.nt.json
		"$HARTSCOPE" list --format pc cut.nt >out 2>err
		is "$t from byte $from on: the end of the flow" "$(tail -n "$(wc -l \
			<out)" pcs | cksum)" "$(cksum <out)"
		is "$t from byte $from on: more than nothing" yes "$([ "$(wc -l \
			<out)" -gt 50 ] && echo yes)"
		has "$t from byte $from on: aligned" "aligned at sample" err
	done
done
has "TRACE.json names the transport" '"transport": "pins4"' pins4.nt.json

# 16 bits of idle come first, then the messages, as on any pin (NT 3.3).
hop_bin
hop_trace
program='--bin hop.bin@0x100'
printf '\017\017\017\017\004\002\005\001\000\000\013\000\014\000\017\000\004\010\000\000\007\000' \
	>hop.pins
# shellcheck disable=SC2086
is "four pins, written by hand" "100 102 200" \
	"$("$HARTSCOPE" list $program --transport pins4 --format pc hop.pins 2>err | tr '\n' ' ' | sed 's/ $//')"
has "alignment is reported" "aligned at sample 4, bit 0: 22 samples of 4 bits, 3 passed over" err
# shellcheck disable=SC2086
"$HARTSCOPE" stat $program --transport pins4 --json hop.pins >out 2>err
json "stat of pins" out
has "stat: where it was aligned" '"aligned_at": *4' out
"$HARTSCOPE" dump --transport pins4 hop.pins 2>err | grep -c . >got
is "dump of pins" 3 "$(cat got)"
# A sample that no message begins with, and the same again.
{ cat hop.pins; printf '\005'; cat hop.pins; } >lost.pins
# shellcheck disable=SC2086
exits "alignment lost" 3 "$HARTSCOPE" list $program --transport pins4 --format pc lost.pins
has "alignment lost: where" "sample 22: no message has this here" err
is "alignment lost: found again" "100 102 200 100 102 200" "$(tr '\n' ' ' <out | sed 's/ $//')"
# shellcheck disable=SC2086
exits "the wrong number of pins" 3 "$HARTSCOPE" list $program --transport pins8 --format pc hop.pins
printf '\000\000\000\000\000\000' >zeros.pins
exits "no alignment" 3 "$HARTSCOPE" dump --transport pins2 zeros.pins
has "no alignment: why" "too little idle, or another number of pins" out

# What a simulator would write: data changes with each edge of the clock.
{
	printf '%s\n' '$timescale 1ns $end' '$scope module top $end' '$var wire 1 ! trc_clk $end' \
		'$var wire 4 " trc_data [3:0] $end' '$upscope $end' '$enddefinitions $end' \
		'#0' '$dumpvars' '0!' 'b1111 "' '$end'
	od -An -v -tu1 -w1 hop.pins | awk '{
		bits = ""; v = $1
		for (i = 0; i < 4; i++) { bits = v % 2 bits; v = int(v / 2) }
		printf "#%d\n%d!\nb%s \"\n", NR * 5, NR % 2, bits
	}'
} >hop.vcd
# shellcheck disable=SC2086
is "value change dump" "100 102 200" \
	"$("$HARTSCOPE" list $program --transport vcd --format pc hop.vcd 2>err | tr '\n' ' ' | sed 's/ $//')"
has "value change dump: its width" "22 samples of 4 bits" err
sed 's/trc_clk/ck/; s/trc_data \[3:0\]/d[3:0]/' hop.vcd >names.vcd
# shellcheck disable=SC2086
is "value change dump, other names" "100 102 200" \
	"$("$HARTSCOPE" list $program --transport vcd --vcd-clock top.ck --vcd-data d --format pc names.vcd 2>err |
		tr '\n' ' ' | sed 's/ $//')"
if fst hop.vcd hop.fst; then
	# shellcheck disable=SC2086
	exits "FST" 0 "$HARTSCOPE" list $program --transport vcd --format pc hop.fst
	is "FST: its flow" "100 102 200" "$(tr '\n' ' ' <out | sed 's/ $//')"
fi
# shellcheck disable=SC2086
exits "value change dump, no such signal" 3 "$HARTSCOPE" list $program --transport vcd names.vcd
has "value change dump, no such signal: which" "no signal is called trc_clk" err
# One that was written by hand begins with its first change: the clock has no initial value, and
# packets are found only where none of their zeros is lost (EE Synchronization).
"$HARTSCOPE" encode --quiet --protocol etrace --transport pins4 -o long-et.pins long.rec
{
	printf '%s\n' '$var wire 1 ! trc_clk $end' '$var wire 4 " trc_data [3:0] $end' \
		'$enddefinitions $end'
	od -An -v -tu1 -w1 long-et.pins | awk '{
		bits = ""; v = $1
		for (i = 0; i < 4; i++) { bits = v % 2 bits; v = int(v / 2) }
		printf "#%d\nb%s \"\n#%d\n%d!\n", NR * 10 - 5, bits, NR * 10, NR % 2
	}'
} >hand.vcd
is "value change dump by hand, E-Trace" "$(cksum <pcs)" \
	"$("$HARTSCOPE" list --image long.rec --protocol etrace --transport vcd --format pc \
		hand.vcd 2>err | cksum)"
has "value change dump by hand: all of it" "$(wc -c <long-et.pins) samples of 4 bits" err
head -n 60 hand.vcd >short.vcd
exits "no synchronisation sequence" 3 "$HARTSCOPE" dump --protocol etrace --transport vcd \
	short.vcd
has "no synchronisation sequence: why" "no whole synchronisation sequence" out
# shellcheck disable=SC2086
exits "not a value change dump" 3 "$HARTSCOPE" list $program --transport vcd hop.nt

# A RAM sink of 100 bytes after a long trace: byte n of the stream is at n modulo 100, so the file
# begins with the newest bytes, and the oldest one is at the write pointer.
"$HARTSCOPE" encode --quiet --set trTeInstMode=btm --set trTeInstSyncMode=bytes --set \
	trTeInstSyncMax=1 \
	-o long.nt long.rec
bytes=$(wc -c <long.nt)
pointer=$((bytes % 100))
{ tail -c $pointer long.nt; tail -c 100 long.nt | head -c $((100 - pointer)); } >ring.nt
cp long.nt.json ring.nt.json
"$HARTSCOPE" list --wrap $pointer --format pc ring.nt >out 2>err
has "circular buffer: where it begins" "begins at 0x$(printf %x $pointer)" err
is "circular buffer: the end of the flow" "$(tail -n "$(wc -l <out)" pcs | cksum)" "$(cksum <out)"
is "circular buffer: more than nothing" yes "$([ "$(wc -l <out)" -gt 50 ] && echo yes)"
is "circular buffer: its seam found" "$(cksum <out)" \
	"$("$HARTSCOPE" list --wrap find --format pc ring.nt 2>err | cksum)"
# The same by the registers of a RAM sink at 0x80000000, whose words are 4 bytes: 100 bytes, trace
# filled up with idle.
{ cat long.nt; printf '\377\377\377'; } | head -c $((bytes + 3 - (bytes + 3) % 4)) >words.nt
pointer=$(($(wc -c <words.nt) % 100))
{ tail -c $pointer words.nt; tail -c 100 words.nt | head -c $((100 - pointer)); } >sink.nt
cp long.nt.json sink.nt.json
cat >sink.regs <<-EOS
	[ram]
	trRamControl = 0x19
	trRamStartLow = 0x80000000
	trRamLimitLow = 0x80000060
	trRamWPLow = 0x$(printf %x $((0x80000001 + pointer)))
EOS
"$HARTSCOPE" list --wrap $pointer --format pc sink.nt >want 2>err
"$HARTSCOPE" list --registers sink.regs --format pc sink.nt >out 2>err
is "circular buffer: by its registers" "$(cksum <want)" "$(cksum <out)"
has "circular buffer: its registers are shown" \
	"RAM sink: 0x80000000 to 0x80000063, write pointer 0x$(printf %x $((0x80000000 + pointer))), wrapped" err
exits "registers of another RAM sink" 2 "$HARTSCOPE" list --registers sink.regs --format pc long.nt
has "registers of another RAM sink: why" "the RAM sink's buffer is from 0x80000000" err
exits "registers of another RAM sink, --wrap no" 0 "$HARTSCOPE" list --registers sink.regs --wrap no \
	--format pc long.nt
sed 's/0x19/0x1b/' sink.regs >busy.regs
"$HARTSCOPE" list --registers busy.regs --format pc sink.nt >out 2>err
has "a RAM sink at work" "warning: the RAM sink was at work" err
exits "a write pointer past the end" 2 "$HARTSCOPE" list --wrap 101 --format pc ring.nt
exits "a write pointer that is none" 2 "$HARTSCOPE" list --wrap here --format pc ring.nt
exits "a circular buffer of samples" 2 "$HARTSCOPE" list --wrap 4 --transport pins4 --format pc \
	ring.nt
exits "no such transport" 2 "$HARTSCOPE" dump --transport pins3 hop.nt
exits "encode to a transport that is not written" 2 "$HARTSCOPE" encode --transport vcd -o x.nt \
	long.rec

# Loops of 2 and 3 half-words, 300 times each: 781 bytes from the middle of the second on back into
# the first, whose seam is between two messages.  Only the program shows it (design/captures).
printf '\011\105\175\025\175\375\175\025\001\000\165\375\001\000' >two.bin
awk 'BEGIN {
	print "1000"
	for (i = 0; i < 300; i++) print "1002\n1004"
	for (i = 0; i < 300; i++) print "1006\n1008\n100a"
	print "100c" }' >two.pcs
"$HARTSCOPE" import -q --from pcs --bin two.bin@0x1000 -o two.rec two.pcs
"$HARTSCOPE" encode -q --protocol ntrace --set trTeInstMode=btm --set trTeInstSyncMode=messages \
	--set trTeInstSyncMax=0 -o two.nt two.rec
head -c 1251 two.nt >cut.nt
{ tail -c 470 cut.nt; tail -c 781 cut.nt | head -c 311; } >ring.nt
cp two.nt.json ring.nt.json
exits "circular buffer: by the program" 0 "$HARTSCOPE" list --wrap find --format pc ring.nt
has "circular buffer: by the program: what shows it" \
	'begins at 0x1f8 and ends at 0x19b (likely: messages contradict the program there)' err
n=$(wc -l <out)
has "circular buffer: by the program: the oldest" '^1002$' out
is "circular buffer: by the program: from the first loop on to the second" yes \
	"$([ "$n" -gt 800 ] && [ "$(tail -n 1 out)" = 100a ] && echo yes)"
is "circular buffer: by the program: one flow" "$(cksum <out)" \
	"$(tail -n +$((602 - $(grep -c '^100[24]$' out))) two.pcs | head -n "$n" | cksum)"

# E-Trace: a synchronisation sequence is N = 31 null packets and a null.alignment, 80, for neither
# timestamp nor whole bytes of srcID (EE Synchronization).  The loop 8000 times round, in a buffer
# of 600 bytes.
awk 'NR <= 2 || NR > 802 { print; next } { row[NR] = $0; printf "" }
	NR == 4 { for (i = 0; i < 8000; i++) print row[3] "\n" row[4] }' long.csv >longer.csv
"$HARTSCOPE" import --quiet --from csv --bin loop.bin@0x1000 -o longer.rec longer.csv
"$HARTSCOPE" list --format pc longer.rec >pcs
exits "encode with synchronisation sequences" 0 "$HARTSCOPE" encode -q --protocol etrace --set \
	async-freq=1 --set resync-max=0 -o long.et longer.rec
is "a sequence" yes "$(od -An -v -tx1 long.et | tr -d ' \n' |
	grep -q "$(printf '%062d' 0)80" && echo yes)"
is "sequences change nothing" "$(cksum <pcs)" "$("$HARTSCOPE" list --format pc long.et | cksum)"
size=600
bytes=$(wc -c <long.et)
pointer=$((bytes % size))
{ tail -c $pointer long.et; tail -c $size long.et | head -c $((size - pointer)); } >ring.et
cp long.et.json ring.et.json
exits "circular buffer of packets" 0 "$HARTSCOPE" list --wrap $pointer --format pc ring.et
is "circular buffer of packets: the end of the flow" "$(tail -n "$(wc -l <out)" pcs | cksum)" \
	"$(cksum <out)"
is "circular buffer of packets: more than nothing" yes "$([ "$(wc -l <out)" -gt 20 ] && echo yes)"
# The flow is as often stopped and started as it leaps, and its rounds differ: a ring of it, as its
# memory holds it.
awk '{ row[NR] = $0 }
	END {
		print row[1]
		for (i = 0; i < 300; i++) {
			print row[2]
			for (j = 0; j < i * 7 % 13; j++) print row[3] "\n" row[4]
			for (j = NR - 4; j <= NR; j++) print row[j]
		}
	}' long.csv >rounds.csv
"$HARTSCOPE" import --quiet --from csv --bin loop.bin@0x1000 -o rounds.rec rounds.csv
"$HARTSCOPE" list --format pc rounds.rec >pcs

# ring_of TRACE SIZE: the memory is ring.et, its write pointer $pointer
ring_of()
{
	bytes=$(wc -c <"$1")
	pointer=$((bytes % $2))
	{ tail -c $pointer "$1"; tail -c "$2" "$1" | head -c $(($2 - pointer)); } >ring.et
	cp "$1.json" ring.et.json
}

# within TEXT: out is a piece of the flow, without what is missing at its ends
within()
{
	is "$1" yes "$(tr '\n' ' ' <pcs | grep -qF -- "$(tr '\n' ' ' <out)" && echo yes)"
}

for how in "standard" "standard --set trTeSrcBits=3" "reference" "none"; do
	size=1204
	[ "$how" != reference ] || size=1300
	# shellcheck disable=SC2086
	"$HARTSCOPE" encode -q --protocol etrace --dialect $how --set resync-max=0 -o r.et \
		rounds.rec
	ring_of r.et $size
	exits "a ring of $how: by its write pointer" 0 "$HARTSCOPE" list --wrap $pointer \
		--format pc ring.et
	within "a ring of $how: its flow"
	lines=$(wc -l <out)
	exits "a ring of $how: its seam" 0 "$HARTSCOPE" list --wrap find --format pc ring.et
	within "a ring of $how: the same flow"
	has "a ring of $how: what was found" "(likely: messages do not continue there" err
	is "a ring of $how: most of it" yes \
		"$([ "$(wc -l <out)" -gt $((lines * 3 / 4)) ] && echo yes)"
done
"$HARTSCOPE" encode -q --protocol etrace --set resync-max=0 -o r.et rounds.rec
ring_of r.et 1204
"$HARTSCOPE" stat --wrap find --json ring.et >out 2>err
has "a ring: its seam is no proof" '"seam_certain": false' out
"$HARTSCOPE" encode -q --protocol etrace --dialect esp32 -o r.et rounds.rec
ring_of r.et 1204
exits "a ring of indexes: its seam" 0 "$HARTSCOPE" list --wrap find --format pc ring.et
within "a ring of indexes: the same flow"
has "a ring of indexes: what was found" "(certain: .*the indexes of packets go back there)" err
# The same by the registers of a RAM sink.
"$HARTSCOPE" encode -q --protocol etrace --set resync-max=0 -o r.et rounds.rec
{ cat r.et; printf '\0\0\0'; } | head -c $((($(wc -c <r.et) + 3) / 4 * 4)) >words.et
cp r.et.json words.et.json
ring_of words.et 1204
"$HARTSCOPE" list --wrap $pointer --format pc ring.et >want 2>err
cat >sink.regs <<-EOS
	[ram]
	trRamControl = 0x19
	trRamStartLow = 0x80000000
	trRamLimitLow = 0x$(printf %x $((0x80000000 + 1200)))
	trRamWPLow = 0x$(printf %x $((0x80000001 + pointer)))
EOS
"$HARTSCOPE" list --registers sink.regs --format pc ring.et >out 2>err
is "a ring of packets: by its registers" "$(cksum <want)" "$(cksum <out)"
within "a ring of packets: by its registers: its flow"
"$HARTSCOPE" encode -q --protocol etrace -o bare.et longer.rec
exits "bytes that no pins sent" 3 "$HARTSCOPE" list --transport pins4 --format pc long.et
has "bytes that no pins sent: why" "not known where messages begin" err
exits "pins of another framing" 2 "$HARTSCOPE" list --dialect reference --protocol etrace \
	--transport pins4 --format pc --bin loop.bin@0x1000 bare.et
has "pins of another framing: why" \
	"needs the standard encapsulation: .* dialect (legal: standard, atb, draft, encap1)" err
exits "packets without nulls to pins" 2 "$HARTSCOPE" encode --protocol etrace --dialect reference \
	--transport pins4 -o x.et longer.rec

# A PIB carries the encapsulation with null.idle and null.alignment (EE Synchronization): N, here
# 31, and 1 at the start, and a null.alignment after each packet.
loop_rec || exit 1
exits "packets to pins" 0 "$HARTSCOPE" encode -q --protocol etrace --transport pins8 -o x.et \
	loop.rec
"$HARTSCOPE" encode -q --protocol etrace -o raw.et loop.rec
is "packets to pins: 31 null.idle, null.alignment, the support packet, null.alignment" \
	"$(printf '%062d80' 0)027e0080" "$(od -An -tx1 -N36 x.et | tr -d ' \n')"
# shellcheck disable=SC2086
for pins in pins1 pins2 pins4 pins8 pins16 pins1-packed pins2-packed pins4-packed; do
	exits "packets over $pins" 0 "$HARTSCOPE" encode -q --protocol etrace --transport $pins \
		--set trTeSrcBits=13 --set trTsWidth=2 --idle 3 -o x.et loop.rec
	exits "packets from $pins" 0 "$HARTSCOPE" list --format pc --bin loop.bin@0x1000 x.et
	is "packets from $pins" "$(printf '%s\n' $loop_pcs)" "$(cat out)"
done
# Cut anywhere: nothing before the next synchronisation sequence, then every packet.
"$HARTSCOPE" encode -q --protocol etrace --set async-freq=1 --set trTeInstSyncMode=packets \
	--set resync-max=0 --transport pins1 -o x.et longer.rec
"$HARTSCOPE" list --format pc --bin loop.bin@0x1000 x.et >want
tail -c +1003 x.et >cut.et
cp x.et.json cut.et.json
"$HARTSCOPE" list --format pc --bin loop.bin@0x1000 cut.et >out 2>err
has "pins cut at a bit: where they are aligned" "pins1: aligned at sample [1-9]" err
is "pins cut at a bit: the end is the same" "$(tail -n 20 want)" "$(tail -n 20 out)"
# 100 samples lost in the middle: reported, and found again.
{ head -c 3000 x.et; tail -c +3101 x.et; } >cut.et
exits "samples lost" 3 "$HARTSCOPE" list --format pc --bin loop.bin@0x1000 cut.et
is "samples lost: the end is the same" "$(tail -n 20 want)" "$(tail -n 20 out)"
# No index, which is said, and why; the flow has one (design/ranges).
exits "no index of samples" 2 "$HARTSCOPE" index --bin loop.bin@0x1000 x.et
has "no index of samples: why" "no places to seek to (pins1): decode it" err
exits "the flow of samples" 0 "$HARTSCOPE" decode -q --bin loop.bin@0x1000 -o x.flow x.et
exits "an index of the flow" 0 "$HARTSCOPE" index -q x.flow
"$HARTSCOPE" encode -q --protocol ntrace -o ring.nt loop.rec
exits "no index of a ring" 2 "$HARTSCOPE" index --bin loop.bin@0x1000 --wrap 0 ring.nt
has "no index of a ring: why" "(it is a circular buffer)" err
exits "no index of standard input" 2 "$HARTSCOPE" index --bin loop.bin@0x1000 - <ring.nt
finish
