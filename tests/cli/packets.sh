#!/bin/sh
# hartscope check --packets: two traces message by message.
. "$(dirname "$0")/lib.sh"
hop_trace
exits 'equal traces' 0 "$HARTSCOPE" check --packets hop.nt hop.nt
is 'equal traces: counts' 'equal: 3 messages, 9 bytes' "$(cat out)"

# By hand (NT 7): ProgTraceSync, a DirectBranch of I-CNT 3, a ProgTraceCorrelation.
differs() {
	name=$1 offset=$2 first=$3 bytes=$4
	printf "$bytes" >other.nt
	exits "$name" 1 "$HARTSCOPE" check --packets hop.nt other.nt
	has "$name: what differs" "^first difference  *$first\$" out
	has "$name: where" "^offset in A  *$offset\$" out
	exits "$name: as JSON" 1 "$HARTSCOPE" check --packets --json hop.nt other.nt
	json "$name" out
}
differs 'another count' 0x4 'NT 6.2: I-CNT of DirectBranch is 3, B has 2' \
	'\044\025\000\013\014\013\204\000\007'
has 'another count: the field' '"field": "I-CNT","a": "3","b": "2","clause": "NT 6.2","same": false' out
has 'another count: what was equal' 'ProgTraceSync SYNC=5 I-CNT=0 F-ADDR=0x80' out
differs 'another message' 0x4 'NT 7.12: B sends ProgTraceCorrelation, A DirectBranch' \
	'\044\025\000\013\204\000\007'
differs 'another address' 0x0 'NT 8.1: F-ADDR of ProgTraceSync is 0x80, B has 0xc0' \
	'\044\025\000\017\014\017\204\000\007'
differs 'a time' 0x4 'NT 8.7: TSTAMP of DirectBranch is not there, B has 1' \
	'\044\025\000\013\014\015\007\204\000\007'
differs 'an end' 0x6 'NT 7.12: A sends ProgTraceCorrelation, and B ends' '\044\025\000\013\014\017'
differs 'a cut message' 0x6 'B cannot be read: offset 0x6: the stream ends inside a message' \
	'\044\025\000\013\014\017\204\000'

# Zeros in front of a value that has them already: other bytes of the same fields.
differs 'other bytes' 0x4 'NT 7.2: DirectBranch has the same fields in other bytes' \
	'\044\025\000\013\014\014\003\204\000\007'
printf '\377\044\025\000\013\377\377\014\017\204\000\007' >idle.nt
exits 'idle bytes are no messages' 0 "$HARTSCOPE" check --packets hop.nt idle.nt

# Both protocols, also where what one has is in none of the other's messages.
loop_rec
"$HARTSCOPE" encode -q --protocol etrace -o t.et loop.rec
"$HARTSCOPE" encode -q --protocol etrace --set full-address=1 -o full.et loop.rec
exits 'equal packets' 0 "$HARTSCOPE" check --packets t.et t.et
exits 'packets that differ' 1 "$HARTSCOPE" check --packets t.et full.et
has 'packets that differ: where' 'ET Format 3 subformat 3: ioptions of Support is 0x0, B has' out
exits 'packets that lead to the same' 0 "$HARTSCOPE" check t.et full.et
timed='encode -q --set trTsEnable=1 --cycles-per load=1'
"$HARTSCOPE" $timed --set trTeInstMode=btm -o a.nt loop.rec
"$HARTSCOPE" $timed --set trTeInstMode=htm -o b.nt loop.rec
exits '--resolve' 1 "$HARTSCOPE" check --packets --resolve a.nt b.nt
has '--resolve: the branch, by hand' '^instruction in A  *0x1004$' out
has '--resolve: where it leads' '^leads to in A  *0x1002$' out
has '--resolve: when' '^time in A  *3$' out
has '--resolve: in the other one' '^leads to in B  *0x100a$' out
exits '--resolve: as JSON' 1 "$HARTSCOPE" check --packets --resolve --json a.nt b.nt
json '--resolve' out
# The source of a message is compared, too (NT 6.1).
for id in 4 9; do
	"$HARTSCOPE" encode -q --set trTeSrcBits=4 --set trTeSrcID=$id -o $id.nt loop.rec
done
exits 'another source' 1 "$HARTSCOPE" check --packets 4.nt 9.nt
has 'another source: in a line' ': source of ProgTraceSync is 4, B has 9$' out
has 'another source: in its row' '^  source        4                   9   .*<- differs$' out
exits 'two protocols' 2 "$HARTSCOPE" check --packets t.et hop.nt
has 'two protocols: says so' 'A is etrace, B is ntrace' err
exits 'a recording' 2 "$HARTSCOPE" check --packets loop.rec t.et
exits 'with --gaps' 2 "$HARTSCOPE" check --packets --gaps t.et t.et
finish
