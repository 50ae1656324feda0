#!/bin/sh
# What an encoder says of itself: in a packet of the trace (0.026), in registers (ET Discovery).
. "$(dirname "$0")/lib.sh"
loop_rec || exit 1

draft='--protocol etrace --set version=0.026 --dialect draft'
sizes='--set iaddress_width_p=40 --set ecause_width_p=9 --set privilege_width_p=2
	--set context_width_p=11 --set nocontext_p=0'
# shellcheck disable=SC2086
{
exits "a discovery packet" 0 "$HARTSCOPE" encode -q $draft $sizes --set discovery-packet=1 \
	-o self.et loop.rec
rm self.et.json
"$HARTSCOPE" list --format pc loop.rec >want
exits "list from it" 0 "$HARTSCOPE" list --format pc $draft --bin loop.bin@0x1000 self.et
is "list from it" "$(cat want)" "$(cat out)"
is "nothing contradicts it" "" "$(cat err)"
"$HARTSCOPE" list --format pc $draft --bin loop.bin@0x1000 - <self.et >out
is "from standard input" "$(cat want)" "$(cat out)"
exits "decode from it" 0 "$HARTSCOPE" decode -q $draft --bin loop.bin@0x1000 -o self.flow self.et
exits "check from it" 0 "$HARTSCOPE" check $draft --bin loop.bin@0x1000 loop.rec self.et
exits "stat from it" 0 "$HARTSCOPE" stat $draft --bin loop.bin@0x1000 self.et
exits "lint from it" 0 "$HARTSCOPE" lint $draft --bin loop.bin@0x1000 self.et
exits "dump from it" 0 "$HARTSCOPE" dump $draft self.et
has "dump: addresses of 40 bits in units of 2" "Synchronisation.*address=0x800" out
has "dump: the record" "Discovery" out

# A setting that says otherwise holds, and a message names both.
exits "a setting contradicts" 3 "$HARTSCOPE" list $draft --set ecause_width_p=9 \
	--set privilege_width_p=4 --bin loop.bin@0x1000 self.et
has "a setting contradicts: both values" \
	"discovery at offset 0x0: privilege_width_p is 4 as given, the trace says 2" err
is "ecause_width_p is the same" "" "$(grep ecause_width_p err)"
exits "a setting that agrees" 0 "$HARTSCOPE" dump $draft --set privilege_width_p=2 self.et
is "a setting that agrees" "" "$(cat err)"

# Only 0.026 has the packet, and only widths that the record has room for.
exits "2.0 has no such packet" 2 "$HARTSCOPE" encode --protocol etrace --set discovery-packet=1 \
	-o no.et loop.rec
exits "context of 33 bits" 2 "$HARTSCOPE" encode $draft --set discovery-packet=1 \
	--set context_width_p=33 -o no.et loop.rec
exits "without a frame nothing says what is a message" 2 "$HARTSCOPE" encode --protocol etrace \
	--set version=0.026 --dialect none --set type-prefix=1 --set discovery-packet=1 \
	-o no.et loop.rec
}

# Worked by hand (PT 3.1.5, design/et-encoder): a header of 9 bytes; message type 0, 0x34 << 2,
# support type
# 1; from bit 12 on minor_revision 26, context_width_p 31 << 24, ecause_choice_p 5 << 29,
# ecause_width_p 4 << 32, iaddress_lsb_p 1 << 44, iaddress_width_p 31 << 46, nocontext_p 1 << 53,
# privilege_width_p 1 << 55, rv32 1 << 57.
# The tenth byte only repeats the sign.
exits "the bytes of the packet" 0 "$HARTSCOPE" encode -q --protocol etrace --set version=0.026 \
	--dialect draft --set iaddress_width_p=32 --set ecause_width_p=5 \
	--set privilege_width_p=2 --set filter_context_p=0 --set filter_privilege_p=0 \
	--set filter_tval_p=0 --set discovery-packet=1 -o bytes.et loop.rec
is "the bytes of the packet" "09d0a10100f04b007d2a" \
	"$(od -An -tx1 -N10 bytes.et | tr -d ' \n')"

# The registers of the encoder of etrace.sh, as a dump has them.
printf '\102\037\000\103\163\000\004\102\011\015\102\117\000' >loop.et
cat >dump.txt <<'EOS'
discovery_info_0 = 0x20000000000   # ecause_width_p 5
discovery_info_1: 0x3000c01f
EOS
exits "registers" 0 "$HARTSCOPE" list --format pc --protocol etrace --dialect reference \
	--registers dump.txt --bin loop.bin@0x1000 loop.et
is "registers" "1000 1002 1004 1002 1004 1006" "$(tr '\n' ' ' <out | sed 's/ $//')"
# What was looked for a discovery packet is still read by lint.
"$HARTSCOPE" encode -q --protocol etrace --dialect draft -o draft.et loop.rec
exits "lint of a draft trace" 0 "$HARTSCOPE" lint draft.et
has "lint of a draft trace: it read all of it" \
	"^$(wc -c <draft.et | tr -d ' ') bytes, [1-9][0-9]* messages: 0 errors" out
sed 1d dump.txt >half.txt
exits "half of the registers" 2 "$HARTSCOPE" dump --protocol etrace --registers half.txt loop.et
has "half of the registers: which is missing" "discovery_info_0 is missing" err
echo 'discovery_info_0 = 0x2z' >bad.txt
exits "registers that are no number" 3 "$HARTSCOPE" dump --protocol etrace --registers bad.txt \
	loop.et

exit $failed
