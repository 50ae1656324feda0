#!/bin/sh
# N-Trace messages beyond the text: vendors' by their payload, and those of SiFive encoders by their
# fields; ITC text (design/nt-vendor).
. "$(dirname "$0")/lib.sh"
loop_bin

# By hand (MDO in bits 7:2, MSEO in bits 1:0):
#   ProgTraceSync SYNC 5 at 1000                 24 15 00 83
#   7: IDTAG 0, DQDATA "Hell"                    1c 01 20 54 18 6c b0 07
#   7: IDTAG 3, DQDATA "o"                       1c 0d bc 07
#   7: IDTAG 4, DQDATA "!"                       1c 11 87
#   34: CKSRC 14, CKDATA 3: 1006                 88 38 0f
#   35: CKSRC 10, CKDF 1, 900, 2, TSTAMP 77      8c 68 00 91 09 34 07
#   ProgTraceSync SYNC 15 at 1006                24 3d 0c 83
#   56: 66 bits                                  e0 c0 ec 34 bc 68 88 9c 54 d0 20 07
printf '\044\025\000\203\034\001\040\124\030\154\260\007\034\015\274\007\034\021\207' >s.nt
printf '\210\070\017\214\150\000\221\011\064\007\044\075\014\203' >>s.nt
printf '\340\300\354\064\274\150\210\234\124\320\040\007' >>s.nt

exits "dump" 0 "$HARTSCOPE" dump --dialect sifive --itc text s.nt
has "dump: data acquisition" 'DataAcquisition .*IDTAG=0 DQDATA=0x6c6c6548' out
has "dump: in-circuit trace" 'InCircuitTrace .*CKSRC=14 CKDF=0 CKDATA=0x3' out
has "dump: with a full address" \
	'InCircuitTraceSync .*CKSRC=10 CKDF=1 CKDATA=0x900 CKDATA1=0x2 TSTAMP=77' out
has "dump: the payload of a vendor" 'Vendor Defined .*payload=f0debc9a7856341200' out
is "dump: the text of channel 0" "Hello" "$(cat text)"
exits "dump --json" 0 "$HARTSCOPE" dump --dialect sifive --json s.nt
json "dump" out
has "dump --json: payload" '"payload_bits":66,"payload":"f0debc9a7856341200"' out
has "dump --json: fields" '"IDTAG":"3","DQDATA":"111"' out

exits "dump, rc7" 0 "$HARTSCOPE" dump s.nt
has "rc7: a reserved TCODE and its payload" 'Reserved .*payload=ce00' out
is "rc7: nothing else of it" 0 "$(grep -c CKSRC out)"

exits "list" 0 "$HARTSCOPE" list --dialect sifive --itc text1@1 --bin loop.bin@0x1000 s.nt
has "list: data acquisition" '; data acquisition: tag 0x0, data 0x6c6c6548' out
has "list: a watchpoint" '; in-circuit trace: watchpoint at 0x1006' out
has "list: an exception" '; in-circuit trace: exception at 0x1200' out
has "list: its cause" '; in-circuit trace: exception, data 0x2' out
has "list: its time" '; time 77' out
has "list: a sample" '; sync 15 (PC sample) at 0x1006' out
is "list: the text of channel 1" "!" "$(cat text1)"
exits "list --format json" 0 "$HARTSCOPE" list --format json --dialect sifive \
	--bin loop.bin@0x1000 s.nt
json "list" out
exits "stat" 0 "$HARTSCOPE" stat --dialect sifive --bin loop.bin@0x1000 s.nt
has "stat: data acquisition" '3 *15  DataAcquisition' out
has "stat: in-circuit trace" '1 *7  InCircuitTraceSync' out
exits "decode" 0 "$HARTSCOPE" decode -q --dialect sifive --bin loop.bin@0x1000 -o s.flow s.nt
exits "list of the flow" 0 "$HARTSCOPE" list --itc text2 s.flow
is "a flow has the text, too" "Hello" "$(cat text2)"


# In-circuit trace (design/nt-vendor), each message against the address before it:
#   ProgTraceSync SYNC 5 at 1000                          24 15 00 83
#   35: CKSRC 0, CKDF 1: at 1006, code 2                  8c 40 0c 81 0b
#   34: CKSRC 0, CKDF 0: code 5                           88 00 17
#   34: CKSRC 12, CKDF 1: 1 2 3 4, 5 6 7 65535            88 70 04 00 80 00 00 30 00 00 11
#                                                         14 00 80 04 00 70 00 00 fc fc 3f
#   34: CKSRC 14: 1006 ^ 8 = 100e                         88 38 13
#   34: CKSRC 9, CKDF 1: 100e ^ 8 = 1006, calls 100e      88 64 11 13
#   34: CKSRC 10, CKDF 1: 100e ^ 4 = 100a, cause 3        88 68 09 0f
printf '\044\025\000\203\214\100\014\201\013\210\000\027' >events.nt
printf '\210\160\004\000\200\000\000\060\000\000\021' >>events.nt
printf '\024\000\200\004\000\160\000\000\374\374\077' >>events.nt
printf '\210\070\023\210\144\021\023\210\150\011\017' >>events.nt
cat >events.txt <<-EOS
	; in-circuit trace: control at 0x1006
	; in-circuit trace: control code 2 (trace on)
	; in-circuit trace: control code 5 (debug mode entered)
	; in-circuit trace: performance counters 1, 2, 3, 4
	; in-circuit trace: performance counters 5, 6, 7, 65535
	; in-circuit trace: watchpoint at 0x100e
	; in-circuit trace: call at 0x1006
	; in-circuit trace: call of 0x100e
	; in-circuit trace: exception at 0x100a
	; in-circuit trace: exception, data 0x3
EOS
circuits() { grep -o '; in-circuit trace: .*' out | cmp - events.txt && echo equal; }
exits "in-circuit trace" 0 "$HARTSCOPE" list --dialect sifive --bin loop.bin@0x1000 events.nt
is "in-circuit trace: every address and datum" equal "$(circuits)"
exits "decode of events" 0 "$HARTSCOPE" decode -q --dialect sifive --bin loop.bin@0x1000 \
	-o events.flow events.nt
exits "encode of events" 0 "$HARTSCOPE" encode -q --protocol ntrace --dialect sifive \
	-o again.nt events.flow
exits "the encoded events" 0 "$HARTSCOPE" list --dialect sifive --bin loop.bin@0x1000 again.nt
is "encoded again: every address and datum" equal "$(circuits)"
second() { python3 "$(dirname "$0")/../conformance/nexus_addresses.py" "$@"; }
second events.nt | sed -n 's/^\(event [0-9]*\|called\) /0x/p' >second
is "a second reading: every address" "$(grep -o '0x1...$' events.txt)" "$(cat second)"
second again.nt | sed -n 's/^\(event [0-9]*\|called\) /0x/p' | cmp - second
is "a second reading of what was encoded" 0 $?

# Fields of 48 bits, of which the short ones are not extended (design/nt-vendor):
#   ProgTraceSync SYNC 5 at ffffffff80001000: 0xffffc0000800   24 15 00 80 00 00 00 fc fc ff
#   IndirectBranch I-CNT 1: ^ 0x40                             10 11 83
#   ProgTraceCorrelation I-CNT 2                               84 00 0b
printf '\044\025\000\200\000\000\000\374\374\377\020\021\203\204\000\013' >high.nt
printf '\002\205' >high.bin
for i in 1 2 3 4 5 6 7 8 9; do
	printf '\001\000\001\000\001\000\001\000' >>high.bin
done
high() { "$HARTSCOPE" list --format pc --bin high.bin@0xffffffff80001000 "$@" high.nt >out 2>err; }
high --set addressBits=47
is "addressBits=47: status" 0 $?
is "addressBits=47: what ran" "ffffffff80001000 ffffffff80001040 ffffffff80001042" \
	"$(tr '\n' ' ' <out | sed 's/ $//')"
high --set addressBits=47 --set trTeInstExtendAddrMSB=1
is "addressBits=47 next to trTeInstExtendAddrMSB=1: what ran" \
	"ffffffff80001000 ffffffff80001040 ffffffff80001042" "$(tr '\n' ' ' <out | sed 's/ $//')"
high --set trTeInstExtendAddrMSB=1
is "trTeInstExtendAddrMSB=1: status" 3 $?
has "trTeInstExtendAddrMSB=1: the hint" \
	'^hartscope: hint: 1 of 1 addresses without code are in it with addressBits=47, or ' err
high
is "neither: status" 3 $?
has "neither: the hint" \
	'^hartscope: hint: 1 of 1 .* with trTeInstExtendAddrMSB=1 (.*), or addressBits=47: ' err
exits "encode with addressBits" 0 "$HARTSCOPE" decode -q --set addressBits=47 \
	--bin high.bin@0xffffffff80001000 -o high.flow high.nt
exits "encode with addressBits" 0 "$HARTSCOPE" encode -q --protocol ntrace --set trTeInstMode=btm \
	--set addressBits=48 --set stopEvcode=0 -o high2.nt high.flow
is "encode with addressBits: the same bytes" "$(od -An -tx1 high.nt)" "$(od -An -tx1 high2.nt)"
has "encode with addressBits: TRACE.json" '"addressBits": *48' high2.nt.json

# identify finds the width: 64 functions of seven instructions that end in c.jr a0, each 32 bytes
# after the one before, called one after the other.
i=0
: >many.bin
while [ $i -lt 64 ]; do
	printf '\001\000\001\000\001\000\001\000\001\000\001\000\002\205\001\000' >>many.bin
	printf '\001\000\001\000\001\000\001\000\001\000\001\000\001\000\001\000' >>many.bin
	i=$((i + 1))
done
awk 'BEGIN { for (k = 0; k < 300; k++)
	for (j = 0; j < 7; j++)
		printf "ffffffff8000%04x\n", 4096 + 32 * (k * k * 7 % 64) + 2 * j }' >many.pcs
many=many.bin@0xffffffff80001000
exits "many calls" 0 "$HARTSCOPE" import -q --from pcs --bin $many -o many.rec many.pcs
for set in addressBits=48:addressBits=47 addressBits=38:addressBits=38 \
	trTeInstExtendAddrMSB=1:trTeInstExtendAddrMSB=1; do
	"$HARTSCOPE" encode -q --force --protocol ntrace --set "${set%%:*}" -o many.nt many.rec
	rm -f many.nt.json
	case $set in addressBits=*)
		width=${set%%:*}
		second many.nt "${width#*=}" | awk '{ print $2 }' >second
		awk 'NR % 7 == 1' many.pcs | cmp - second
		is "${set%%:*}: a second reading of every address that was encoded" 0 $? ;;
	esac
	exits "identify, ${set%%:*}" 0 "$HARTSCOPE" identify --bin $many many.nt
	has "identify, ${set%%:*}: clear" '^verdict *clear' out
	has "identify, ${set%%:*}: the parameter" "--set ${set#*:} " out
done

# A longer one, synchronised each 64 messages: what spoils some addresses is named once.
"$HARTSCOPE" encode -q --force --protocol ntrace --set addressBits=48 \
	--set trTeInstSyncMode=messages --set trTeInstSyncMax=2 -o many.nt many.rec
rm -f many.nt.json
exits "stat of many, read wrongly" 3 "$HARTSCOPE" stat --set trTeInstExtendAddrMSB=1 \
	--bin $many many.nt
has "stat of many: one hint" '^hartscope: hint: \([0-9]*\) of \1 .* with addressBits=47, or ' err
is "stat of many: and no other" 1 "$(grep -c 'hint:' err)"

# What was there stays where the new text cannot be written.
(trap '' XFSZ; ulimit -f 0; "$HARTSCOPE" list --itc text2 s.flow >/dev/null 2>&1)
is "--itc on a full disk: an error" yes "$([ $? -ne 0 ] && echo yes || echo no)"
is "--itc on a full disk: the old text stays" "Hello" "$(cat text2)"
is "--itc on a full disk: nothing else is left" text2 "$(ls text2*)"

for wrong in text@32 text@x @1 text@; do
	exits "--itc $wrong" 2 "$HARTSCOPE" dump --dialect sifive --itc "$wrong" s.nt
done
exits "--itc into no folder" 2 "$HARTSCOPE" dump --dialect sifive --itc no/such/file s.nt

# BTM that reports the direct jump at 1006, too: DirectBranch, I-CNT 5, then 1 more (NT 7.2).
#   24 15 00 83  0c 17  84 00 07
printf '\044\025\000\203\014\027\204\000\007' >jumps.nt
exits "direct jumps" 3 "$HARTSCOPE" list --format pc --dialect sifive --bin loop.bin@0x1000 jumps.nt
has "direct jumps: the error says what to set" \
	'^hartscope: offset 0x4: a direct jump is reported like a branch: trTeInstEnAllJumps=1' err
exits "direct jumps, as it says" 0 "$HARTSCOPE" list --format pc --dialect sifive \
	--set trTeInstEnAllJumps=1 --bin loop.bin@0x1000 jumps.nt
is "direct jumps are followed" "1000 1002 1004 1006 100e" "$(tr '\n' ' ' <out | sed 's/ $//')"

# 72 bytes of a vendor (NT 3): the next message is read.
{
	printf '\044\025\000\203\340'
	head -c 70 /dev/zero
	printf '\007\204\000\013'
} >long.nt
exits "a long message of a vendor" 0 "$HARTSCOPE" list --format pc --bin loop.bin@0x1000 long.nt
is "what comes after it is decoded" "1000 1002" "$(tr '\n' ' ' <out | sed 's/ $//')"

exit $failed
