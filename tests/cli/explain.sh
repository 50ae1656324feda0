#!/bin/sh
# hartscope explain, and dump --resolve, of a program that ran.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"

# By hand (NT 7, 8): the trace of "hop", message by message.
hop_bin
hop_trace
explain() {
	exits "explain $*" 0 "$HARTSCOPE" explain --bin hop.bin@0x100 hop.nt "$@"
}
explain 0
has 'the fields' 'SYNC=5 I-CNT=0 F-ADDR=0x80$' out
has 'why the message' '^  ProgTraceSync  *trace starts here' out
has 'its reason' '^  SYNC=5  *trace was enabled, or enabled again (NT 8.5)$' out
has 'where the hart stands' '^  next instruction   0x100$' out
explain 5
has 'a byte inside of a message' '^       4   2  DirectBranch (NT 7.2)' out
has 'a branch' '^  DirectBranch  *branch trace (BTM): a direct conditional branch was' out
has 'its block' '^  0x100 .. 0x102  3 half-words, taken branch$' out
has 'its target' '^  next instruction   0x200$' out
explain 0x8
has 'the end' '^  EVCODE=0  *the hart entered debug mode (NT 7.12)$' out
is 'the end: 80 columns of why' '' "$(sed -n '/^why/,/^$/p' out | awk 'length > 80')"
explain --json 5
json 'explain' out
has 'as JSON: a rule' '{"field":"I-CNT","value":"3","clause":"NT 8.4.3","text":"half-words ' out
has 'as JSON: a block' '"blocks":\[{"start":"0x100","last":"0x102","halfwords":3,"itype":5}\]' out
exits 'past the end' 1 "$HARTSCOPE" explain --bin hop.bin@0x100 hop.nt 9
has 'past the end: says so' 'no message has the byte 0x9' err
exits 'no number' 2 "$HARTSCOPE" explain --bin hop.bin@0x100 hop.nt here
exits 'without a program' 2 "$HARTSCOPE" explain hop.nt 0
exits 'of a pipe' 2 "$HARTSCOPE" explain --bin hop.bin@0x100 - 0

# The rows that it came from, by hand: in cycle 1 both groups of the first block, 3 and 4 idle.
cat >rows.csv <<-EOS
	iretire_0,iaddr_0,itype_0,ilastsize_0,iretire_1,iaddr_1,itype_1,ilastsize_1,halted
	0,0,0,0,0,0,0,0,0
	1,100,0,0,2,102,5,1,0
	0,0,0,0,0,0,0,0,0
	0,0,0,0,0,0,0,0,0
	1,200,0,0,0,0,0,0,0
	0,0,0,0,0,0,0,0,1
EOS
explain --rows rows.csv 5
has 'rows: cycle and slot' '^      cycle 1, slot 0, to cycle 1, slot 1 (line 3)$' out
explain --rows rows.csv 8
has 'rows: of the next block' '^      cycle 4, slot 0 (line 6)$' out
explain --json --rows rows.csv 5
json 'explain' out
has 'rows: as JSON' '"firstRow":{"cycle":1,"slot":0,"line":3}' out
has 'rows: as JSON, the last one' '"lastRow":{"cycle":1,"slot":1,"line":3}}' out
sed 's/,102,/,104,/' rows.csv >other.csv
exits 'rows of something else' 1 "$HARTSCOPE" explain --rows other.csv --bin hop.bin@0x100 hop.nt 8
has 'rows of something else: where' 'other.csv:3: 0x104 retires in cycle 1, slot 1, where' err
has 'rows of something else: what the trace has' 'where the trace has 0x102' err
sed 4q rows.csv >cut.csv
exits 'rows that end' 1 "$HARTSCOPE" explain --rows cut.csv --bin hop.bin@0x100 hop.nt 8
has 'rows that end: where' 'cut.csv ends, and the trace goes on at 0x200' err
sed 's/1,100,0/1,101,0/' rows.csv >odd.csv
exits 'a row that breaks a rule' 3 "$HARTSCOPE" explain --rows odd.csv --bin hop.bin@0x100 hop.nt 8
has 'a row that breaks a rule: which' 'odd.csv:3: iaddr: .*(' err
exits 'no rows' 3 "$HARTSCOPE" explain --rows hop.nt --bin hop.bin@0x100 hop.nt 8
has 'no rows: what makes them' 'hop.nt:1: no row of an ingress port: .*--format port-csv' err
sed 2q rows.csv >idle.csv
exits 'only idle rows' 3 "$HARTSCOPE" explain --rows idle.csv --bin hop.bin@0x100 hop.nt 8
has 'only idle rows: says so' 'idle.csv has no row in which something retires' err
exits 'no file of rows' 2 "$HARTSCOPE" explain --rows none.csv --bin hop.bin@0x100 hop.nt 8

printf '\044\025\000\013\014\013' >bad.nt
exits 'a message that the program contradicts' 3 "$HARTSCOPE" explain --bin hop.bin@0x100 bad.nt 4
has 'a contradiction' '^  contradiction      offset 0x4: ' out

# Each clause is one that the specification map has.
src=$here/../../src
python3 "$here/explain.py" clauses "$src/ntrace/nt_rules.def" "$src/etrace/et_rules.def" \
	"$here/../../docs/spec-map.md" >found
is 'the clauses of all rules' True "$(cat found)"

# What ran, by the recorder; then every kind of message that its traces have.
if ! command -v riscv64-linux-gnu-gcc >/dev/null; then
	echo 'ok - a program that ran # SKIP no riscv64-linux-gnu-gcc'
	finish
fi
riscv64-linux-gnu-gcc -g -static -nostdlib -march=rv64gc -o rounds "$here/diff.S" || exit 1
"$HARTSCOPE" record -q -o rounds.rec ./rounds || exit 1
"$HARTSCOPE" list --json rounds.rec >listed
# Its rows in two forms of the port, with idle cycles, and in one slot.
"$HARTSCOPE" export -q --format port-csv --set port.slots=3 --set port.idle=30 -o 1.csv rounds.rec
"$HARTSCOPE" export -q --format port-csv --set port.form=insn --set port.slots=2 -o 2.csv rounds.rec
"$HARTSCOPE" export -q --format port-csv -o 0.csv rounds.rec
is 'rows: the cause of an ecall (design/blocks)' 8 "$(sed -n '$s/^[0-9]*,\([0-9]*\),.*/\1/p' 0.csv)"
kinds=0
nth=0
whole() {
	name=$1
	shift
	exits "$name: encode" 0 "$HARTSCOPE" encode -q "$@" -o t rounds.rec
	exits "$name: dump --resolve" 0 "$HARTSCOPE" dump --resolve --json t
	is "$name: nothing else is said" '' "$(cat err)"
	python3 "$here/explain.py" flow out listed >read
	is "$name: what ran" all "$(cat read)"
	sed -n 's/^{"offset":\([0-9]*\).*"name":"\([^"]*\)".*/\1 \2/p' out | sort -u -k 2 >offsets
	while read -r offset message; do
		"$HARTSCOPE" explain t "$offset" >out 2>err
		is "$name: $message: exit status" 0 $?
		has "$name: $message" "^  $message  *[a-z]" out
		nth=$(((nth + 1) % 3))
		"$HARTSCOPE" explain --json --rows $nth.csv t "$offset" >out 2>err
		python3 "$here/explain.py" rows out $nth.csv >same 2>&1
		is "$name: $message: rows" same "$(cat same)"
	done <offsets
	kinds=$((kinds + $(grep -c . offsets)))
}
whole 'branches' --set trTeInstMode=btm --set trTeInstSyncMode=messages --set trTeInstSyncMax=0
whole 'histories' --set trTeInstMode=htm --set histBits=4 --set icntBits=5 \
	--set trTeInstSyncMode=messages --set trTeInstSyncMax=1 --set trTsEnable=1
whole 'repeated' --set trTeInstMode=htm --set histBits=4 --set trTeInstEnRepeatedHistory=1
whole 'repeated branches' --set trTeInstMode=btm --set repeatBranch=1 --set trTeContext=1
whole 'packets' --protocol etrace --set trTeInstSyncMode=packets --set resync-max=0
whole 'predicted' --protocol etrace --set f0s_width_p=1 --set bpred_size_p=4 \
	--set branch-prediction=1 --set cache_size_p=4 --set jump-target-cache=1
whole 'the draft' --protocol etrace --set version=0.026
is "kinds of messages ($kinds)" 1 $((kinds >= 20))
finish
