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

# From a pipe, and over pins, where offsets are those of the bytes that were sent.
"$HARTSCOPE" dump --around "$third" --limit 1 - <t.nt >out
is '--around of a pipe' "$(sed -n 2,4p all)" "$(cat out)"
"$HARTSCOPE" encode -q --set trTeInstMode=btm --transport pins4 -o t.pins loop.rec
"$HARTSCOPE" dump --wire --json --transport pins4 t.pins >out
python3 "$read_again" ntrace t.nt <out >read 2>&1
is 'over pins: the bytes that were sent' 0 $?
exit $failed
