#!/bin/sh
# E-Trace from the command line: parameters by name and from files, framings, programs in several
# pieces, damage.
. "$(dirname "$0")/lib.sh"
loop_bin

# Worked by hand (tests/vectors/etrace/packets.txt has the same packets): a start at 1000 in M, a
# branch taken and one not, the end at 1006.  Support 1f 00; start: 3, 0, branch 1, privilege 3 (2
# bits), address 0x800 (31 bits); format 1, branches 2, map 2, difference 3 (1006); support,
# disabled, ended_rep.
#   start   11 00 1 11 then 0x800 from bit 7: 73 00 04
#   branch  1 | 2 << 2 | 2 << 7 | 3 << 10: 09 0d
#   support 3 | 3 << 2 | 1 << 6: 4f 00
printf '\102\037\000\103\163\000\004\102\011\015\102\117\000' >loop.et
cat >hart.scf <<'EOS'
; what the hardware has
[Required Attributes]
iaddress_width_p = 32
iaddress_lsb_p=1   # half-words
privilege_width_p=2
[Other]
retires_p=1
EOS
echo 'ecause_width_p = 5' >run.ucf
given='--protocol etrace --dialect reference --config hart.scf --config run.ucf'

# shellcheck disable=SC2086
{
exits "list --format pc" 0 "$HARTSCOPE" list --format pc $given --bin loop.bin@0x1000 loop.et
is "from two --config files" "1000 1002 1004 1002 1004 1006" "$(tr '\n' ' ' <out | sed 's/ $//')"
exits "dump" 0 "$HARTSCOPE" dump $given loop.et
has "dump: the start" "^ *3 *4 *Synchronisation.*branch=1 privilege=3 address=0x800" out
has "dump: the branches" "Branch .*branches=2 branch_map=0x2 address=0x3 notify=0 updiscon=0 irreport=0" out
exits "dump --json" 0 "$HARTSCOPE" dump --json $given loop.et
json "dump" out
exits "stat" 0 "$HARTSCOPE" stat $given --bin loop.bin@0x1000 loop.et
has "stat: packets" "Support" out
}

# What nothing gave is said: hart.scf has the width of addresses, run.ucf that of causes.
# shellcheck disable=SC2086
{
exits "what dump assumes" 0 "$HARTSCOPE" dump $given loop.et
has "parameters that no file gave" '^; assumed: version=2.0 nocontext_p=1 notime_p=1$' out
exits "a width is given" 0 "$HARTSCOPE" dump --protocol etrace --dialect reference --set \
	iaddress_width_p=32 loop.et
is "it is not assumed" "" "$(grep "^; .*iaddress_width_p" out)"
exits "nothing is given" 0 "$HARTSCOPE" dump --json --protocol etrace --dialect reference loop.et
has "64 bits are assumed" '"assumed":"version=2.0 iaddress_width_p=64 iaddress_lsb_p=1' out
json "what dump assumes" out
}

# A trace that begins with a handler: 3, 1, branch 1, privilege 3 (2 bits), ecause 7 (5 bits),
# interrupt 1, thaddr 1, address 0x800: 77 | 7 << 7 | 3 << 12 | 0x800 << 14: f7 33 00 02
printf '\102\037\000\104\367\063\000\002\102\117\000' >handler.et
# shellcheck disable=SC2086
{
exits "an interrupt before the first instruction" 0 "$HARTSCOPE" list $given --bin loop.bin@0x1000 \
	handler.et
has "it is an interrupt" "trap: cause 7 .machine timer interrupt" out
exits "stat of it" 0 "$HARTSCOPE" stat $given --bin loop.bin@0x1000 handler.et
has "stat counts it" "^interrupts *1$" out
}

# A trigger asked for a report of 1002: format 2, difference 1, notify, updiscon and irreport (33 to
# 35) as the address's last bit inverted, the rest repeats: 06 00 00 00 fe.  To 1006 are 2 then.
printf '\102\037\000\103\163\000\004\105\006\000\000\000\376\102\011\011\102\117\000' >notified.et
# shellcheck disable=SC2086
{
exits "a notification" 0 "$HARTSCOPE" list $given --bin loop.bin@0x1000 notified.et
has "a notification is listed" "sync 6 .* at 0x1002$" out
exits "a notification as JSON" 0 "$HARTSCOPE" list --json $given --bin loop.bin@0x1000 notified.et
has "a notification is in JSON" '"sync"' out
exits "stat of a notification" 0 "$HARTSCOPE" stat $given --bin loop.bin@0x1000 notified.et
has "stat counts it" "^notifications *1$" out
}

# Times of the encapsulation, one byte: header with extend, time, type 2 in 2 bits, payload from
# bit 2 on, in whole bytes (ET Packets), and 6 bits of padding (EE Packet Length):
#   support 1f << 2 | 2: 7e 00   start 040073 << 2 | 2: ce 01 10 00   support 4f << 2 | 2: 3e 01
printf '\202\005\176\000\204\006\316\001\020\000\202\011\076\001' >stamped.et
stamped='--protocol etrace --config hart.scf --config run.ucf --set trTsWidth=1'
# shellcheck disable=SC2086
{
exits "times of the encapsulation" 0 "$HARTSCOPE" list $stamped --bin loop.bin@0x1000 stamped.et
is "each is listed" "5 6 9" "$(sed -n 's/.*time \([0-9]*\)$/\1/p' out | tr '\n' ' ' | sed 's/ $//')"
exits "dump of times" 0 "$HARTSCOPE" dump $stamped stamped.et
has "dump: the time of a packet" "Synchronisation.*timestamp=6 .*address=0x800" out
}

# The registers of the same encoder (ET Example ipxact description), 32 bits each: ecause_width_p 5
# is 4 at bit 39; of the second, iaddress_width_p 32 is 31 at bit 0, itype_width_p 4 is 3 at bit 14,
# nocontext_p at bit 28, privilege_width_p 2 is 1 at bit 29.
exits "discovery registers" 0 "$HARTSCOPE" list --format pc --protocol etrace --dialect reference \
	--set discovery=0,0x200,0x3000c01f,0 --bin loop.bin@0x1000 loop.et
is "discovery registers" "1000 1002 1004 1002 1004 1006" "$(tr '\n' ' ' <out | sed 's/ $//')"
echo 'discovery = 0 0x200 0x3000c01f 0' >found.scf
exits "discovery registers in a file" 0 "$HARTSCOPE" dump --protocol etrace --dialect reference \
	--config found.scf loop.et
has "discovery registers in a file: the start" "branch=1 privilege=3 address=0x800" out
for wrong in 0 0,0x200,0x3000c01f,0,0 0,0x200,here,0 0,0x200,0x13000c01f,0 ''; do
	exits "discovery=$wrong" 2 "$HARTSCOPE" dump --protocol etrace --set "discovery=$wrong" \
		loop.et
done

# A layout that is in no dialect, from a file: a header of 7 bits of length and 1 of type, whose
# value 0 is instruction trace; 3 bits of encoder_mode; 7 of ioptions in an order of their own;
# zeros as padding, and bytes of them left out.  Worked by hand as above: full-address is bit 3 of
# ioptions.
#   support 3 | 3 << 2 | 1 << 4 | 1 << 13: 1f 20
#   start   as above: 73 00 04
#   branch  1 | 2 << 2 | 2 << 7 | 0x803 << 10: 09 0d 20
#   support the first with qual_status 1 at bit 8: 1f 21; then without ienable: 0f 20
cat >layout.scf <<'EOS'
iaddress_width_p = 32
privilege_width_p = 2
ecause_width_p = 5
full-address = true
layout.frame = header
layout.length_bits = 7
layout.type_bits = 1
layout.type_inst = 0
layout.mode_bits = 3
layout.padding = zero
layout.ioptions = implicit-return,unused,branch-prediction,full-address,si-jump,unused,unused
EOS
printf '\002\037\040\003\163\000\004\003\011\015\040\002\037\041\002\017\040' >layout.et
laid='--protocol etrace --config layout.scf'
# shellcheck disable=SC2086
{
exits "a layout from a file: list" 0 "$HARTSCOPE" list --format pc $laid --bin loop.bin@0x1000 \
	layout.et
is "a layout from a file" "1000 1002 1004 1002 1004 1006" "$(tr '\n' ' ' <out | sed 's/ $//')"
exits "a layout from a file: dump" 0 "$HARTSCOPE" dump $laid layout.et
has "ioptions in their order" "Support .*ienable=1 encoder_mode=0 qual_status=0 ioptions=0x8" out
exits "a layout from a file: decode" 0 "$HARTSCOPE" decode -q $laid --bin loop.bin@0x1000 \
	-o layout.flow layout.et
exits "a layout from a file: encode" 0 "$HARTSCOPE" encode -q $laid -o again.et layout.flow
is "the bytes that were decoded" "$(od -An -tx1 layout.et)" "$(od -An -tx1 again.et)"
}
# TRACE.json has the layout
exits "a layout next to the trace" 0 "$HARTSCOPE" decode -q --bin loop.bin@0x1000 -o next.flow \
	again.et
exits "the same flow" 0 "$HARTSCOPE" check layout.flow next.flow
exits "what is only decoded" 2 "$HARTSCOPE" encode -q --protocol etrace --set layout.long_sign=1 \
	-o x.et layout.flow
has "what is only decoded: the legal value" 'layout.long_sign=1 (legal: 0)' err
for wrong in frame=encapsulation length_bits=0 type_bits=2 ioptions=si-jump,si-jump \
	ioptions=dialect,si-jump type_inst=2; do
	exits "layout.$wrong" 2 "$HARTSCOPE" dump --protocol etrace --config layout.scf --set \
		"layout.$wrong" layout.et
done
exits "an option that is none" 2 "$HARTSCOPE" dump --protocol etrace --set layout.ioptions=full \
	layout.et
has "an option that is none: which there are" "a list of .*full-address=6" err

loop_rec || exit 1
# What QEMU's model of a trace encoder writes; a value of 0 is what it lacks, but of three names.
printf '%s\n' .packet.srcid_bytes_p,1 .packet.tstamp_bytes_p,2 .packet.type_width_p,0 \
	.itrace.blocks_p,0 .itrace.bpred_size_p,5 .itrace.context_width_p,0 .itrace.f0s_width_p,1 \
	.itrace.iaddress_lsb_p,0 .itrace.iaddress_width_p,64 .itrace.itype_width_p,0 \
	.itrace.nocontext_p,1 .itrace.notime_p,1 .itrace.privilege_width_p,2 >params.csv
printf '%s\n' trTeSrcBits=8 trTsWidth=2 layout.type_bits=0 bpred_size_p=5 f0s_width_p=1 \
	iaddress_lsb_p=0 iaddress_width_p=64 privilege_width_p=2 >same.scf
for f in params.csv same.scf; do
	exits "$f: encode" 0 "$HARTSCOPE" encode -q --force --protocol etrace --config $f -o $f.et \
		loop.rec
done
is "rows of QEMU are these parameters" "$(od -An -tx1 same.scf.et)" "$(od -An -tx1 params.csv.et)"
echo .itrace.iaddress_widht_p,64 >typo.csv
exits "a row of no parameter" 2 "$HARTSCOPE" dump --protocol etrace --config typo.csv loop.et
has "a row of no parameter: where" "typo.csv:1: .*iaddress_widht_p.*iaddress_width_p" err

echo 'iaddress_widht_p = 32' >typo.scf
exits "a name that is none" 2 "$HARTSCOPE" dump --protocol etrace --config typo.scf loop.et
has "a name that is none: where, and which there are" \
	"typo.scf:1: .*iaddress_widht_p.*iaddress_width_p" err
echo 'just words' >words.scf
exits "a line that is no NAME = VALUE" 2 "$HARTSCOPE" dump --protocol etrace --config words.scf \
	loop.et
has "a line that is no NAME = VALUE: where" "words.scf:1" err
exits "a framing that is none" 2 "$HARTSCOPE" dump --protocol etrace --dialect carrier-pigeon \
	loop.et
has "a framing that is none: which there are" "standard.*reference.*pulp.*none.*draft" err
exits "filters by trap value without causes" 2 "$HARTSCOPE" dump --protocol etrace --set \
	filter_tval_p=1 \
	--set filter_excint_p=0 loop.et
exits "more retire than iretire can count" 2 "$HARTSCOPE" dump --protocol etrace --set retires_p=4 \
	loop.et
exits "no comparator" 2 "$HARTSCOPE" dump --protocol etrace --set comparators_p=0 loop.et
exits "an option without its table" 2 "$HARTSCOPE" dump --protocol etrace --set \
	branch-prediction=1 loop.et
exits "a vector of 65 bits" 2 "$HARTSCOPE" dump --protocol etrace --set mtvec=0x10000000000000000 \
	loop.et
has "a vector of 65 bits: how much there may be" "mtvec: 0 to 18446744073709551615" err

# The byte of the branch map becomes format 0: neither prediction nor cache is on.
printf '\102\037\000\103\163\000\004\102\010\005\103\163\000\004\102\117\000' >bad.et
# shellcheck disable=SC2086
exits "damage" 3 "$HARTSCOPE" list --format pc $given --bin loop.bin@0x1000 bad.et
has "damage: offset, bit and clause" "offset 0x7 bit .*ET " err
is "damage: what is before it is listed" "1000" "$(tr '\n' ' ' <out | sed 's/ $//')"
has "damage: one packet after it is not enough to be sure" "offset 0xa .*after-damage=soon" err
# shellcheck disable=SC2086
exits "damage, and trust" 3 "$HARTSCOPE" list --format pc $given --set after-damage=soon \
	--bin loop.bin@0x1000 bad.et
is "damage, and trust: what is past it is listed" "1000 1000" "$(tr '\n' ' ' <out | sed 's/ $//')"
# The flow leads from the packet after the damage to a second one: it is confirmed.
{ head -c 14 bad.et; printf '\102\011\015\103\163\000\004\102\117\000'; } >sure.et
# shellcheck disable=SC2086
exits "damage, confirmed" 3 "$HARTSCOPE" list --format pc $given --bin loop.bin@0x1000 sure.et
is "damage, confirmed: the rest is listed" "1000 1006 100e 1000" \
	"$(tr '\n' ' ' <out | sed 's/ $//')"
is "damage, confirmed: one error" 1 "$(grep -c offset err)"
# A packet of type 1, which no parameter names, between two that synchronise.
printf '\102\037\000\103\163\000\004\041\377\102\117\000' >other.et
# shellcheck disable=SC2086
exits "a packet of another type" 3 "$HARTSCOPE" list --format pc $given --bin loop.bin@0x1000 \
	other.et
has "a packet of another type: what to do" "offset 0x7 .*other-packets=skip" err
# shellcheck disable=SC2086
exits "a packet of another type, skipped" 0 "$HARTSCOPE" list --format pc $given \
	--set other-packets=skip --bin loop.bin@0x1000 other.et

# Addresses have the width of the recording's harts (ET Parameters and Discovery, iaddress_width_p),
# and the parameters say so.
printf 'itype_0,priv,iaddr_0,iretire_0,ilastsize_0\n0,3,80001000,1,1\n' >rows.csv
exits "import for RV32" 0 "$HARTSCOPE" import -q --from csv --xlen 32 -o rv32.rec rows.csv
exits "encode for RV32" 0 "$HARTSCOPE" encode -q --protocol etrace -o rv32.et rv32.rec
has "RV32: addresses of 32 bits" '"iaddress_width_p": 32' rv32.et.json
echo 'version = 1.1' >version.scf
exits "encode for RV32, a file of lines" 0 "$HARTSCOPE" encode -q --protocol etrace \
	--config version.scf -o rv32.et rv32.rec
has "RV32: addresses of 32 bits, where a file of lines has no width" '"iaddress_width_p": 32' \
	rv32.et.json
exits "encode for RV32, 40 bits" 0 "$HARTSCOPE" encode -q --protocol etrace \
	--set iaddress_width_p=40 -o rv32.et rv32.rec
has "RV32: addresses of 40 bits, as set" '"iaddress_width_p": 40' rv32.et.json

# What was a dialect's alone: the value of M-mode, 0.026 without te_support, boot code.
exits "M-mode is 7" 0 "$HARTSCOPE" encode -q --protocol etrace --set layout.machine=7 \
	--set privilege_width_p=3 -o seven.et loop.rec
exits "M-mode is 7: dump" 0 "$HARTSCOPE" dump seven.et
has "M-mode is 7: in packets" "Synchronisation .*privilege=7" out
exits "M-mode is 7: decode" 0 "$HARTSCOPE" check --bin loop.bin@0x1000 loop.rec seven.et
exits "M-mode is 2" 2 "$HARTSCOPE" dump --set layout.machine=2 seven.et
exits "0.026 without te_support" 0 "$HARTSCOPE" encode -q --protocol etrace --set version=0.026 \
	--set layout.support=0 -o silent.et loop.rec
exits "0.026 without te_support: dump" 0 "$HARTSCOPE" dump silent.et
is "0.026 without te_support: none" 0 "$(grep -c Support out)"
exits "0.026 without te_support: list" 0 "$HARTSCOPE" list --format pc --bin loop.bin@0x1000 \
	silent.et
is "0.026 without te_support: list" "$(printf '%s\n' $loop_pcs)" "$(cat out)"
# Format 3 subformat 0 at 1000, in Spike's boot code; then the end at 100c.
#   start as above; format 2: 2 | 6 << 2: 1a; support 4f 00
printf '\102\037\000\103\163\000\004\101\032\102\117\000' >boot.et
for choice in dialect spike; do
	exits "boot code: $choice" 0 "$HARTSCOPE" list --format pc --protocol etrace \
		--dialect reference --config hart.scf --config run.ucf \
		--set boot-code=$choice --bin loop.bin@0x8000 boot.et
	is "boot code: $choice" "1000 1004 1008 100c" "$(tr '\n' ' ' <out | sed 's/ $//')"
done
exits "no boot code" 3 "$HARTSCOPE" list --format pc --protocol etrace --dialect reference \
	--config hart.scf --config run.ucf --set boot-code=none --bin loop.bin@0x8000 boot.et

# Code whose addresses have their sign above 40 bits (design/et-layouts), by every command.
loop_csv
high=0xffffffff80001000
sed '1!s/,\(10..\),/,ffffffff8000\1,/' loop.csv >high.csv
exits "import of code at high addresses" 0 "$HARTSCOPE" import -q --from csv --bin loop.bin@$high \
	-o high.rec high.csv
exits "high addresses: encode" 0 "$HARTSCOPE" encode -q --protocol etrace \
	--set iaddress_width_p=40 -o high.et high.rec
exits "high addresses: list" 0 "$HARTSCOPE" list --format pc --bin loop.bin@$high high.et
is "high addresses: list" "$(for pc in $loop_pcs; do echo ffffffff8000$pc; done)" "$(cat out)"
exits "high addresses: decode" 0 "$HARTSCOPE" decode -q --bin loop.bin@$high -o high.flow high.et
exits "high addresses: check" 0 "$HARTSCOPE" check high.rec high.flow
exits "high addresses: check of the trace" 0 "$HARTSCOPE" check --bin loop.bin@$high high.rec \
	high.et
exits "high addresses: lint" 0 "$HARTSCOPE" lint --bin loop.bin@$high high.et

if command -v riscv64-linux-gnu-gcc >/dev/null; then
	# Commands that know the program need no parameters for RV32.
	cat >rv32.s <<-EOS
		.globl _start
		_start: li a0,2
		1: addi a0,a0,-1
		bnez a0,1b
		.option norvc # binutils of Debian 13 compress a call
		jal 2f
		.option rvc
		addi a0,a0,1
		j .
		2: ret
	EOS
	riscv64-linux-gnu-gcc -march=rv32imac -mabi=ilp32 -nostdlib -static \
		-Wl,-Ttext=0x80001000 -o rv32 rv32.s || exit 1
	for pc in $loop_pcs; do echo 8000$pc; done >want
	exits "RV32: import" 0 "$HARTSCOPE" import -q --from pcs --elf rv32 -o rv32p.rec want
	exits "RV32: encode" 0 "$HARTSCOPE" encode -q --protocol etrace -o rv32p.et rv32p.rec
	rm rv32p.et.json
	rv32='--protocol etrace --elf rv32'
	# shellcheck disable=SC2086
	{
	exits "RV32: list" 0 "$HARTSCOPE" list --format pc $rv32 rv32p.et
	is "RV32: list" "$(cat want)" "$(cat out)"
	exits "RV32: decode" 0 "$HARTSCOPE" decode -q $rv32 -o rv32p.flow rv32p.et
	exits "RV32: check" 0 "$HARTSCOPE" check $rv32 rv32p.rec rv32p.et
	exits "RV32: lint" 0 "$HARTSCOPE" lint $rv32 rv32p.et
	exits "RV32: stat" 0 "$HARTSCOPE" stat $rv32 rv32p.et
	exits "RV32: dump" 0 "$HARTSCOPE" dump $rv32 rv32p.et
	has "RV32: dump of addresses of 32 bits" "Synchronisation.*address=0x40000800" out
	}

	# The draft without context marks: ended_ntr because of a trap, no jump leads there again.
	printf '.option rvc\n.globl _start\n_start: li a7,93\nbnez a0,1f\necall\n' >end.s
	printf '1: andi a0,a0,1\nbeqz a0,_start\nret\n' >>end.s
	riscv64-linux-gnu-gcc -nostdlib -static end.s -o end || exit 1
	"$HARTSCOPE" record -q -o end.rec -- ./end || exit 1
	for given in context-mark=off trTeInstSyncMode=packets; do
		exits "draft, $given" 0 "$HARTSCOPE" encode -q --force --protocol etrace \
			--set version=0.026 --set $given -o end.et end.rec
		exits "draft, $given: list" 0 "$HARTSCOPE" list --format pc --elf end end.et
		is "draft, $given: list" "$("$HARTSCOPE" list --format pc end.rec)" "$(cat out)"
	done

	# One file, mapped twice: the flow goes from one mapping to the other.
	printf '.option rvc\n.globl _start\n_start: c.nop\nc.jr a0\n' >twice.s
	riscv64-linux-gnu-gcc -nostdlib -static -Wl,-Ttext=0x10000 twice.s -o twice || exit 1
	printf '10000\n10002\n30000\n30002\n10000\n10002\n' >want
	exits "import of two mappings" 0 "$HARTSCOPE" import -q --from pcs --elf twice --elf \
		twice+0x20000 -o twice.rec want
	exits "encode" 0 "$HARTSCOPE" encode -q --protocol etrace -o twice.et twice.rec
	exits "list of two mappings" 0 "$HARTSCOPE" list --format pc --elf twice --elf \
		twice+0x20000 twice.et
	is "--elf FILE+OFFSET" "$(cat want)" "$(cat out)"
	exits "encode with a vector of 64 bits" 0 "$HARTSCOPE" encode -q --protocol etrace --set \
		implicit-except=1 \
		--set mtvec=0xffffffff80000101 -o twice.et twice.rec
	has "the vector stands beside the trace" '"mtvec": "0xffffffff80000101"' twice.et.json
	exits "and is read from there" 0 "$HARTSCOPE" list --format pc --elf twice --elf \
		twice+0x20000 twice.et
	is "list with a vector of 64 bits" "$(cat want)" "$(cat out)"
	cp twice twice+1
	exits "a name with a plus" 0 "$HARTSCOPE" info twice+1
else
	ok "--elf FILE+OFFSET # SKIP no riscv64-linux-gnu-gcc"
fi
exit "$failed"
