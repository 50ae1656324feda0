#!/bin/sh
# hartscope ctr --explain: a dump of each version; what is said follows from the register tables and
# rules of that version's text.
. "$(dirname "$0")/lib.sh"

cat >ratified <<'EOS'
# 1.0
mctrctl = 0x0000a01200000607   # bit 10 is RASEMU of 0.1.4
sctrctl = 0x0000a01200000003
vsctrctl: 0x2
sctrdepth = 6
sctrstatus = 0x8021
ctrsource[0] = 0x10571 ctrtarget[0] = 0x10730 ctrdata[0] = 0x00118009
ctrsource[1] = 1 ctrtarget[1] = 0x10730 ctrdata[1] = 0x9
ctrsource[2] = 0x2001 ctrtarget[2] = 0x2008 ctrdata[2] = 0xf0000014
ctrsource[3] = 0x3001 ctrtarget[3] = 0 ctrdata[3] = 2
ctrsource[4] = 0x4000 ctrtarget[4] = 0 ctrdata[4] = 7
ctrsource[5] = 0x4001 ctrtarget[5] = 0x5001 ctrdata[5] = 0xffff8005
ctrsource[200] = 5
mcause = 3
EOS
exits "1.0" 1 "$HARTSCOPE" ctr --explain ratified
cat >want <<'EOS'
CTR 1.0

mctrctl       0xa01200000607: records M, S, U; leaves out: exception, return, other direct jump; records not-taken branches too; external traps into M
sctrctl       0xa01200000003: records S, U; leaves out: exception, return, other direct jump; records not-taken branches too
vsctrctl      0x2: records VS
sctrstatus    0x8021: the next record goes to place 33
entry 0       direct call from 0x10570 to 0x10730, 17 cycles
entry 1       direct call from 0x0 to 0x10730, cycles not known
entry 2       not-taken branch from 0x2000 to 0x2008, cycles not known
entry 3       interrupt from 0x3000 to a mode that was not recorded, cycles not known
entry 4       not valid (V=0)
entry 5       taken branch from 0x4000 to 0x5000, mispredicted, 134201344 cycles
entry 200     transfer of type 0 from 0x4 to a mode that was not recorded, cycles not known

notes
  mcause: not a register of CTR
  mctrctl: MTE without STE: external traps from U into M need both
  entry 2: CC is 0xf000 but CCV=0: the count is not valid
  entry 5: CC is at its largest: there may have been more cycles
  entry 200: not all of ctrsource, ctrtarget and ctrdata are in the dump

misuse: no hart holds this
  sctrdepth: DEPTH 6 is reserved (0 to 4 are depths)
  mctrctl: bits 0x400 are not defined and read 0; RASEMU of 0.1.4 would be there
  sctrctl: a view of the machine's register, but not equal to it
  sctrstatus: bits 0x8000 are not defined and read 0; FROZEN and WRAP of 0.1.4 would be there
  entry 2: ctrdata: bits 0x10 are not defined and read 0
  entry 2: a not-taken branch leads to the next instruction
  entry 4: type 7 is reserved
EOS
is "1.0: in words" "$(cat want)" "$(cat out)"

cat >draft <<'EOS'
mctrcontrol = 0x50187 sctrcontrol = 0x10086
vsctrcontrol = 0x20001
mctrstatus = 0xc010
sctrstatus = 0x10
ctrsource[0] = 0x8000000000001001, ctrtarget[0] = 0, ctrdata[0] = 0x6
ctrsource[31] = 0x1001, ctrtarget[31] = 0x1002, ctrdata[31] = 0x100d
ctrsource[32] = 0x1001, ctrtarget[32] = 0x1002, ctrdata[32] = 0xd
EOS
exits "0.1.4" 1 "$HARTSCOPE" ctr --explain draft
cat >want <<'EOS'
CTR 0.1.4

mctrcontrol   0x50187: records M, S, U; external traps into M
sctrcontrol   0x10086: records S, U; 32 entries
vsctrcontrol  0x20001: no mode is recorded
sctrstatus    0x10: the next record goes to place 16
mctrstatus    0xc010: the next record goes to place 16; it has wrapped; frozen
entry 0       transfer of type 6 from 0x8000000000001000 to a mode that was not recorded, cycles not known
entry 31      return from 0x1000 to 0x1002, cycles not known
entry 32      return from 0x1000 to 0x1002, cycles not known

notes
  mctrcontrol: MTE and STE do nothing without ETEN
  mctrstatus: FROZEN: nothing is recorded until software clears it
  entry 0: type 6 is reserved (an external trap in the draft 0.1)

misuse: no hart holds this
  mctrcontrol: CLR reads 0
  mctrcontrol: DEPTH 0x5 is no depth (0, 1, 3, 7, 15)
  sctrcontrol: CLR reads 0
  sctrcontrol: a view of the machine's register, but not equal to it
  vsctrcontrol: bits 0x1 (M, MTE) read 0 outside of the machine's register
  vsctrcontrol: DEPTH 0x2 is no depth (0, 1, 3, 7, 15)
  mctrstatus: the same register as sctrstatus, but not equal to it
  entry 32: beyond the depth of 32: it reads 0
EOS
is "0.1.4: in words" "$(cat want)" "$(cat out)"

# one TEXT STATUS PATTERN DUMP [ARGS...]: a line that the answer has
one() {
	text=$1 want=$2 pattern=$3
	printf '%s\n' "$4" >dump
	shift 4
	exits "$text" "$want" "$HARTSCOPE" ctr --explain dump "$@"
	has "$text: $pattern" "$pattern" out
}
good='ctrsource[0]=0x1001 ctrtarget[0]=0x2000'
one "nothing wrong" 0 '^entry 0 *return from 0x1000 to 0x2000' "mctrctl = 7 $good ctrdata[0]=13"
one "RV32: the upper half has the filters" 0 'leaves out: return' \
	'mctrcontrol = 7 mctrcontrolh = 0x2000'
one "a register of the other version" 1 \
	'mctrcontrol: a register of 0.1.4, which 1.0 does not have' 'mctrctl=7 mctrcontrol=7'
one "told that it is 0.1.4" 1 'sctrdepth: a register of 1.0' 'sctrdepth = 1' --ctr version=0.1.4
one "WRPTR out of range" 1 'sctrstatus: WRPTR 16 is out of range: there are 16 entries' \
	'sctrdepth=0 sctrstatus=16'
one "WRPTR in range" 0 'place 15' 'sctrdepth=0 sctrstatus=15'
one "no mode" 0 'no mode is enabled' 'mctrctl=0 sctrstatus=0'
one "the cycles of a zero exponent" 0 ', 4095 cycles' "$good ctrdata[0]=0x0fff800d"
one "and of the first" 0 ', 4096 cycles' "$good ctrdata[0]=0x1000800d"
one "custom bits of 0.1.4" 0 'return' "version = 0.1.4 $good ctrdata[0]=0x700d"
one "which 1.0 does not have" 1 'ctrdata: bits 0x7000' "version = 1.0 $good ctrdata[0]=0x700d"
one "a trap from a mode that is off" 0 'exception from a mode' \
	'ctrsource[0]=1 ctrtarget[0]=0x2000 ctrdata[0]=1'
one "a return to one" 0 'trap return from 0x1000 to a mode' \
	'ctrsource[0]=0x1001 ctrtarget[0]=0 ctrdata[0]=3'
one "from neither" 0 'both addresses are 0' 'ctrsource[0]=1 ctrtarget[0]=0 ctrdata[0]=1'
one "a jump to address 0" 0 'direct jump from 0x1000 to 0x0,' \
	'ctrsource[0]=0x1001 ctrtarget[0]=0 ctrdata[0]=11'
one "a return from address 0" 0 '^entry 0 *trap return from 0x0 to 0x2000' \
	'ctrsource[0]=1 ctrtarget[0]=0x2000 ctrdata[0]=3'
one "a trap return that was mispredicted" 0 'trap return from 0x1000 to 0x2000, mispredicted' \
	'ctrsource[0]=0x1001 ctrtarget[0]=0x2001 ctrdata[0]=3'
one "filters under RASEMU" 0 'filters have no effect' 'mctrctl = 0x0000200000000087'
one "a jump under RASEMU" 0 'entry 0: direct jump: RASEMU=1' "mctrctl = 0x87 $good ctrdata[0]=11"
one "a type that is filtered" 0 'entry 0: return: filtered now' \
	"mctrctl = 0x0000200000000007 $good ctrdata[0]=13"
one "RV32 addresses" 1 'more than 32 bits' \
	'xlen=32 ctrsource[0]=0x100001001 ctrtarget[0]=0x2000 ctrdata[0]=13'

exits "--json" 1 "$HARTSCOPE" ctr --json --explain draft
json "--json" out
has "--json: misuse" '"kind": "misuse","subject": "mctrcontrol","value": "0x50187","text": "CLR reads 0"' out
while IFS='|' read -r text dump; do
	printf '%s\n' "$dump" >bad
	exits "$text" 3 "$HARTSCOPE" ctr --explain bad
	is "$text: one line" 1 "$(wc -l <err | tr -d ' ')"
done <<'EOS'
a name without a value|mctrctl
a value that is no number|mctrctl = many
an entry that is none|ctrsource[256] = 1
a name that ends badly|ctrsource[1 = 1
nothing of CTR|mepc = 3
a version that is none|version = 2 mctrctl = 1
EOS
printf 'mctrctl = 1 \033[31mx = 2\n' >bad
exits "a name with an escape" 3 "$HARTSCOPE" ctr --explain bad
has "a name with an escape: not text" "line 1: not text" err
printf '\000 = 1\nmctrctl = 1\n' >bad
exits "a name of no letters" 3 "$HARTSCOPE" ctr --explain bad
exits "no such file" 2 "$HARTSCOPE" ctr --explain nothing-here
head -c 4000 /dev/urandom >noise
"$HARTSCOPE" ctr --explain noise >out 2>err
is "noise is no dump" 3 "$?"
finish
