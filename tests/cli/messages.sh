#!/bin/sh
# hartscope dump: which messages, their bytes, and where their fields are.
. "$(dirname "$0")/lib.sh"
read_again=$(dirname "$0")/messages.py

# The loop with eight rounds more, each of which is a message of branch trace.
loop_bin
loop_csv
for _ in 1 2 3 4 5 6 7 8; do
	printf '%s\n' 0,0,0,3,1002,0,0,1,0 5,0,0,3,1004,0,0,1,0
done >rounds
sed -i '2r rounds' loop.csv
"$HARTSCOPE" import --quiet --from csv --bin loop.bin@0x1000 -o loop.rec loop.csv

# Every field that has a place, read again by another program.
fields() {
	name=$1 protocol=$2 least=$3
	shift 3
	exits "$name: encode" 0 "$HARTSCOPE" encode -q --protocol "$protocol" "$@" -o t loop.rec
	exits "$name: dump" 0 "$HARTSCOPE" dump --wire --json t
	python3 "$read_again" "$protocol" t <out >read 2>&1
	is "$name: fields are where the dump says" 0 $?
	[ "$(tail -n 1 read)" -ge "$least" ] 2>err
	is "$name: at least $least fields" 0 $?
}
fields 'histories' ntrace 6
fields 'branches, SRC, times' ntrace 10 --set trTeInstMode=btm --set trTeSrcBits=5 \
	--set trTeSrcID=19 --set trTsEnable=1
fields 'packets' etrace 12
fields 'full addresses' etrace 12 --set full-address=1 --set no-compress=1
fields 'srcID and times' etrace 12 --set trTeSrcBits=11 --set trTeSrcID=1027 --set trTsWidth=5
fields 'encapsulation 1.0' etrace 12 --dialect encap1
fields 'Siemens messages' etrace 12 --dialect siemens
fields 'ESP32' etrace 12 --dialect esp32
fields 'packets of PULP' etrace 8 --dialect pulp
fields 'no framing' etrace 12 --dialect none
fields 'the draft, with a prefix' etrace 8 --set version=0.026 --set type-prefix=1

# By hand (NT 3.1): SYNC is in bits 2 to 5 of the second byte, I-CNT begins in bit 6 of it.
"$HARTSCOPE" encode -q --set trTeInstMode=btm -o t.nt loop.rec
"$HARTSCOPE" dump --wire --limit 1 t.nt >out
is 'a line of bytes' "          bytes  $(head -c 4 t.nt | od -An -tx1 | sed 's/^ //')" \
	"$(sed -n 2p out | cut -c 1-28)"
has 'a line of bits' '^          bits   SYNC 1.2+4, I-CNT 1.6+2, F-ADDR 2.2+12$' out

# Which messages: the same lines as of all.
"$HARTSCOPE" dump t.nt >all
is 'there are messages' 1 "$(($(wc -l <all) > 5))"
third=0x$(sed -n 3p all | cut -c 1-8 | tr -d ' ')
same() {
	name=$1 lines=$2
	shift 2
	exits "$name" 0 "$HARTSCOPE" dump "$@" t.nt
	is "$name: lines" "$(sed -n "$lines" all)" "$(cat out)"
}
same '--limit' 1,2p --limit 2
for command in dump list; do
	exits "$command --limit 0" 2 "$HARTSCOPE" $command --limit 0 t.nt
	has "$command --limit 0: says why" 'limit needs a number from 1 on' err
done
same '--at a first byte' 3p --at "$third"
same '--at a last byte' 2p --at $((third - 1))
same '--from' '3,$p' --from "$third"
same '--from inside one, --limit' 2,3p --from $((third - 1)) --limit 2
same '--around' 2,4p --around "$third" --limit 1
same '--around the first one' 1,3p --around 0 --limit 2
same '--around, more than there are' '1,$p' --around "$third"
exits '--at past the end' 3 "$HARTSCOPE" dump --at 100000 t.nt
has '--at past the end: says so' 'no message is at offset 0x186a0' err
exits '--at and --from' 2 "$HARTSCOPE" dump --at 1 --from 2 t.nt
has '--at and --from: says so' 'of --at, --from and --around one may be given' err

# What each message led to, by hand: the loop is taken nine times, and then the call is followed.
"$HARTSCOPE" dump --resolve t.nt >out
is '--resolve: a line each' "$(wc -l <all)" "$(grep -c '^          flow   ' out)"
is '--resolve: the messages are the same' "$(cat all)" "$(grep -v '^          flow' out)"
has '--resolve: where the trace begins' 'flow   at 0x1000; sync 5 (trace enabled) at 0x1000$' out
is '--resolve: the first branch' "$(sed -n 4p out)" \
	'          flow   0x1000 .. 0x1004 taken branch -> 0x1002, 1 block of 3 half-words'
is '--resolve: the second one' "$(sed -n 6p out)" \
	'          flow   0x1002 .. 0x1004 taken branch -> 0x1002, 1 block of 2 half-words'
has '--resolve: a return' 'flow   0x1002 .. 0x100e .* -> 0x100a, 3 blocks of 5 half-words$' out
"$HARTSCOPE" dump --resolve --around "$third" --limit 1 t.nt >near
is '--resolve --around' "$(sed -n 3,8p out)" "$(cat near)"
"$HARTSCOPE" dump --resolve --json t.nt >out
has '--resolve --json' '"flow":{"hart":0,"blocks":1,"halfwords":3,"first":"0x1000",' out
has '--resolve --json: the end' \
	'"source":"0x1004","itype":5,"end":"taken branch","destination":"0x1002","pc":"0x1002"}' out
exits '--resolve of a pipe' 2 "$HARTSCOPE" dump --resolve -
"$HARTSCOPE" encode -q --protocol etrace -o t.et loop.rec
"$HARTSCOPE" dump --resolve t.et >out
has '--resolve: before a synchronisation' 'flow   not known$' out
has '--resolve: the instruction that a packet names has retired' 'flow   at 0x1000 up to 0x1002' out
# All half-words of the recording, and what the decoder finds wrong.
"$HARTSCOPE" encode -q --set trTeInstMode=btm --set trTsEnable=1 --cycles-per load=2 -o ts.nt \
	loop.rec
"$HARTSCOPE" dump --resolve --json ts.nt >out
is '--resolve: half-words' 26 \
	"$(sed 's/.*"halfwords":\([0-9]*\).*/\1/' out | awk '{ n += $1 } END { print n }')"
has '--resolve: times' '"time":3' out
cp t.nt.json bad.nt.json
{ head -c $((third)) t.nt && printf '\014\007' && tail -c +$((third + 3)) t.nt; } >bad.nt
exits '--resolve: a count that the program contradicts' 3 "$HARTSCOPE" dump --resolve bad.nt
has '--resolve: says why' '^; offset 0x6: .*I-CNT' out

# From a pipe, and over pins, where offsets are those of the bytes that were sent.
"$HARTSCOPE" dump --around "$third" --limit 1 - <t.nt >out
is '--around of a pipe' "$(sed -n 2,4p all)" "$(cat out)"
"$HARTSCOPE" encode -q --set trTeInstMode=btm --transport pins4 -o t.pins loop.rec
"$HARTSCOPE" dump --wire --json --transport pins4 t.pins >out
python3 "$read_again" ntrace t.nt <out >read 2>&1
is 'over pins: the bytes that were sent' 0 $?
exit $failed
