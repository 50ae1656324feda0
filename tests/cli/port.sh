#!/bin/sh
# import --from port, and encode --filter @FILE.
. "$(dirname "$0")/lib.sh"
loop_bin
loop_csv
"$HARTSCOPE" import -q --from csv --bin loop.bin@0x1000 -o csv.rec loop.csv
exits "rows of one block are rows of a port" 0 "$HARTSCOPE" import -q --from port --bin \
	loop.bin@0x1000 -o port.rec loop.csv
exits "and mean the same" 0 "$HARTSCOPE" check csv.rec port.rec

# Rows as stimuli for a bench: read again they are the same blocks, idle cycles or not.
# rows FORMAT NAME=VALUE...
rows() {
	format=$1
	shift
	"$HARTSCOPE" export -q --format "$format" $(printf ' --set port.%s' "$@") csv.rec
}
for port in 'slots=1' 'slots=8 idle=50 seed=7' 'form=insn slots=8' 'iretire_width=2 retires=1'; do
	# shellcheck disable=SC2086
	rows port-csv $port >rows.csv
	"$HARTSCOPE" import -q --from port --bin loop.bin@0x1000 -o rows.rec rows.csv
	exits "rows of $port mean the same" 0 "$HARTSCOPE" check csv.rec rows.rec
done
for seed in 1 1 2; do rows port-hex idle=50 seed=$seed | sha256sum; done |
	uniq -c | awk '{ print $1 }' | paste -sd ' ' >out
is "idle cycles by their seed" '2 1' "$(cat out)"
# By hand from block.h: li, addi and bnez are 3 half-words from 1000 on, taken: iretire 3, cause and
# tval 0, priv 3, iaddr 1000, itype 5, ilastsize 0, halted and reset 0.  180 bits are 45 digits.
"$HARTSCOPE" export -q --format port-hex csv.rec >rows.hex
is "a row as bits" 00c000000000000000000000001800000000000080028 "$(grep -v / rows.hex | sed -n 1p)"
has "its signals" '^//   \[64\] iaddr, slot 0$' rows.hex
"$HARTSCOPE" export -q --format port-sv csv.rec >rows.sv
is "as many rows as a package" "$(grep -vc / rows.hex)" "$(sed -n 's/.*ROWS = \(.*\);/\1/p' rows.sv)"
exits "a parameter that is none" 2 rows port-hex colour=1
has "by its name" 'port.colour=1: a port has no such parameter' err
exits "a width out of its range" 2 rows port-hex slots=9
exits "too idle" 2 rows port-hex idle=100

# The same program, two instructions a cycle, with their opcodes and a hole.
cat >insn.csv <<'EOS'
iretire_0,iaddr_0,instr_0,priv_0,iretire_1,iaddr_1,instr_1,priv_1
1,1000,4509,3,1,1002,157d,3
0,0,0,0,1,1004,fd7d,3
1,1002,157d,3,1,1004,fd7d,3
1,1006,8000ef,3,1,100e,8082,3
1,100a,150513,3,1,100e,8082,3
EOS
exits "instructions with their opcodes" 0 "$HARTSCOPE" import -q --from port --bin loop.bin@0x1000 \
	-o insn.rec insn.csv
is "their PCs" '1000 1002 1004 1002 1004 1006 100e 100a 100e' \
	"$("$HARTSCOPE" list --format pc insn.rec | tr '\n' ' ' | sed 's/ $//')"
# Without a program the opcodes are the code (design/port).
exits "opcodes are code" 0 "$HARTSCOPE" import -o code.rec --from port insn.csv
has "no gap" '^gaps  *0$' out
"$HARTSCOPE" list insn.rec >want
"$HARTSCOPE" list code.rec >out
is "the same list" "$(cat want)" "$(cat out)"
for p in ntrace etrace; do
	"$HARTSCOPE" encode -q --protocol $p -o code.$p code.rec
	exits "through $p" 0 "$HARTSCOPE" check --image code.rec code.rec code.$p
done
{ cat insn.csv; printf '1,100a,4505,3,1,100c,1571,3\n'; } >changes.csv
exits "another opcode than before" 0 "$HARTSCOPE" import -o changes.rec changes.csv
has "is a change of the code" '^code changes  *2$' out
"$HARTSCOPE" list changes.rec >out
has "from there on" '100a  4505  *li a0, 0x1' out
has "and what was before" '100a  00150513  *addi a0, a0, 0x1' out
# PULP: 16-bit instructions are written out as their 32-bit equals, c.li a0, 2 and c.addi a0, -1.
for row in '1 1000 200513' '1 1002 fff50513' '0 1004 150513'; do
	# shellcheck disable=SC2086
	printf 'valid=1 exception=0 interrupt=0 cause=0 tval=0 priv=7 %s=%s %s=%s %s=%s\n' \
		compressed ${row%% *} addr "$(echo "$row" | cut -d ' ' -f 2)" instr ${row##* }
done >pulp.txt
exits "opcodes of PULP" 0 "$HARTSCOPE" import -q -o pulp.rec pulp.txt
is "as they are in memory" '4509 157d 00150513' "$("$HARTSCOPE" list pulp.rec |
	sed -n 's/^ *0x100[0-9]  \([0-9a-f]*\) .*/\1/p' | tr '\n' ' ' | sed 's/ $//')"
sed 's/^1,1006.*/1,1006,8000ef,3,2,100e,8082,3/' insn.csv >bad.csv
exits "an illegal cycle is told, the rest is kept" 3 "$HARTSCOPE" import --from port --bin \
	loop.bin@0x1000 -o bad.rec bad.csv
has "by its line" 'bad.csv: line 5' err

# Sideband and triggers: reported where they change, and what a filter does with them.
cat >side.csv <<'EOS'
iretire_0,iaddr_0,instr_0,priv_0,user,action
1,1000,4509,3,0,0
1,1002,157d,3,c0ffee,0
1,1004,fd7d,3,c0ffee,0
1,1002,157d,3,1,4
1,1004,fd7d,3,1,0
1,1006,8000ef,3,1,3
1,100e,8082,3,1,0
1,100a,150513,3,1,2
1,100e,8082,3,1,0
EOS
"$HARTSCOPE" import -q --from port --bin loop.bin@0x1000 -o side.rec side.csv
is "events of the sideband" '; user signals 63:0: 0xc0ffee|; user signals 63:0: 0x1|; trigger: single|; trigger: trace off|; trigger: trace on' \
	"$("$HARTSCOPE" list side.rec | grep '^;' | tr '\n' '|' | sed 's/|$//')"
"$HARTSCOPE" encode -q --protocol ntrace --filter user=0xc0ffee -o user.nt side.rec
is "a filter on user signals" '1002 1004' \
	"$("$HARTSCOPE" list --format pc --bin loop.bin@0x1000 user.nt | tr '\n' ' ' | sed 's/ $//')"
"$HARTSCOPE" encode -q --protocol etrace --filter 'iaddr>=0' -o trigger.et side.rec
is "trace off and on by triggers" '1000 1002 1004 1002 1004 1006 100a 100e' \
	"$("$HARTSCOPE" list --format pc --bin loop.bin@0x1000 trigger.et | tr '\n' ' ' | sed 's/ $//')"
"$HARTSCOPE" encode -q --protocol ntrace --filter 'iaddr>=0' -o trigger.nt side.rec
"$HARTSCOPE" dump trigger.nt >out
has "single: a synchronising message at its address" 'SYNC=6 .*F-ADDR=0x801' out
has "trace off" 'ProgTraceCorrelation .* EVCODE=4' out

cat >set-up <<'EOS'
; the loop alone
[filters]
comparator.1.function = gte
comparator.1.value = 0x1002
comparator.1.second.function = lt   # up to, without it
comparator.1.second.value = 0x1006
comparator.1.mode = both
filter.2.comparators = 1
filter.2.enable = 1
EOS
"$HARTSCOPE" encode -q --protocol ntrace --filter @set-up -o f.nt csv.rec
is "a set-up by name" '1002 1004 1002 1004' \
	"$("$HARTSCOPE" list --format pc --bin loop.bin@0x1000 f.nt | tr '\n' ' ' | sed 's/ $//')"
echo 'filter.0.colour = red' >>set-up
exits "a name that is none" 2 "$HARTSCOPE" encode --protocol ntrace --filter @set-up -o f.nt csv.rec
has "by its line" 'set-up: line 10: no filter has this name' err
exits "no such file" 2 "$HARTSCOPE" encode --protocol ntrace --filter @nowhere -o f.nt csv.rec

# 16 cycles after the first packet the branch that waits is reported, and the next instruction
# synchronises (ET Resynchronisation).
cat >time.csv <<'EOS'
itype_0,priv,iaddr_0,iretire_0,ilastsize_0,time
0,3,1000,1,0,1
0,3,1002,1,0,2
5,3,1004,1,0,3
0,3,1002,1,0,20
4,3,1004,1,0,21
9,3,1006,2,1,22
EOS
"$HARTSCOPE" import -q --from port --bin loop.bin@0x1000 -o time.rec time.csv
"$HARTSCOPE" encode -q --protocol etrace --dialect reference --set trTeInstSyncMode=cycles \
	--set resync-max=0 -o time.et time.rec
is "cycles of a port are counted for synchronisation" \
	'Support Synchronisation:0x800 Branch:0x2 Synchronisation:0x801 Branch:0x2 Support' \
	"$("$HARTSCOPE" dump time.et | sed 's/^ *[0-9a-f]* *[0-9]* *\([A-Za-z]*\) .*address=\([0-9a-fx]*\).*/\1:\2/
		s/^ *[0-9a-f]* *[0-9]* *\([A-Za-z]*\) .*/\1/' | tr '\n' ' ' | sed 's/ $//')"
# The hart waits between 1006 and 100e, in the function that was called, and a debugger halts it
# after 100a.
cat >state.csv <<'EOS'
itype_0,priv,iaddr_0,iretire_0,ilastsize_0,trcstate
0,3,1000,1,0,0
5,3,1002,2,0,0
4,3,1002,2,0,0
9,3,1006,2,1,0
0,0,0,0,0,3
0,0,0,0,0,3
13,3,100e,1,0,0
0,3,100a,2,1,0
0,0,0,0,0,1
13,3,100e,1,0,0
EOS
exits "rows with trcstate" 0 "$HARTSCOPE" import -q --from port --bin loop.bin@0x1000 -o state.rec \
	state.csv
"$HARTSCOPE" encode -q --protocol ntrace -o state.nt state.rec
is "a wait is EVCODE 1 and SYNC 9, debug mode EVCODE 0 and SYNC 3" \
	'SYNC=5 EVCODE=1 SYNC=9 EVCODE=0 SYNC=3 EVCODE=0' \
	"$("$HARTSCOPE" dump state.nt | grep -oE '\b(SYNC|EVCODE)=[0-9]' | paste -sd ' ')"
exits "through N-Trace" 0 "$HARTSCOPE" check --bin loop.bin@0x1000 state.rec state.nt
for run in csv state; do
	"$HARTSCOPE" report --json $run.rec | grep -o '"calls":[0-9]*' | head -1
done | uniq >calls
is "a wait cuts no call" 1 "$(grep -c . calls)"
for version in 2.0 2.1; do
	"$HARTSCOPE" encode -q --force --protocol etrace --set version=$version -o state.et \
		state.rec
	exits "through E-Trace $version" 0 "$HARTSCOPE" check --bin loop.bin@0x1000 state.rec \
		state.et
	exits "as the text has it" 0 "$HARTSCOPE" lint --bin loop.bin@0x1000 state.et
	"$HARTSCOPE" dump state.et | grep -c ' Support '
done >supports
is "a wait ends the trace of 2.0, and not that of 2.1" '4 3' \
	"$(grep '^[0-9]*$' supports | paste -sd ' ')"
grep -v '^[0-9]*$' supports
"$HARTSCOPE" export -q --format port-csv --set port.trcstate=1 state.rec >back.csv
is "and back to rows" '3 1' "$(cut -d , -f 8 back.csv | grep '[1-9]' | tr '\n' ' ' | sed 's/ $//')"

# The instruction form has no time; its rows are cycles (PT 3.1).  After 16 of them the branch that
# waits is reported, and the next instruction synchronises.  By hand from PT Tables 6.1, 6.3, 6.4:
# te_support; format 3 at 1000; format 1, 1 branch, taken, +4; format 3 at 1002; format 1, not
# taken, +6; te_support, ended_rep.
{
	printf 'iretire,iaddr,instr,priv\n1,1000,1,3\n1,1002,1,3\n1,1004,fe000fe3,3\n'
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do echo '0,0,0,0'; done
	printf '1,1002,1,3\n1,1004,fe000fe3,3\n1,1008,1,3\n'
} >cycles.csv
"$HARTSCOPE" import -q --from port-cycles --bin loop.bin@0x1000 -o cycles.rec cycles.csv
"$HARTSCOPE" encode -q --protocol etrace --set version=0.026 --dialect draft \
	--set context-mark=off --set notval_p=1 --set nocontext_p=1 \
	--set iaddress_width_p=32 --set privilege_width_p=2 \
	--set trTeInstSyncMode=cycles --set resync-max=0 -o cycles.et cycles.rec
is "rows of the instruction form are cycles: 0.026 resynchronises" \
	'02d01003ce001002160803ce021002160e03d08000' "$(od -An -v -tx1 cycles.et | tr -d ' \n')"
"$HARTSCOPE" encode -q --protocol etrace --set version=0.026 --dialect draft \
	--set fast-profile=off --set cycle-counts=retirements -o counts.et cycles.rec
is "cycles between retirements (PT 7.3)" '1 1 17 1 1' \
	"$("$HARTSCOPE" list counts.et --bin loop.bin@0x1000 |
		sed -n 's/^; \([0-9]*\) cycles .*/\1/p' | tr '\n' ' ' | sed 's/ $//')"
finish
