#!/bin/sh
# Trace control registers dumped from a device: explained, and as the parameters of a decode.
. "$(dirname "$0")/lib.sh"
loop_rec
program='--bin loop.bin@0x1000'

# trTeInstMode 3, trTeInstSyncMode 1 each 16 messages, SRC 5 in 4 bits, as a debugger prints them.
cat >board.regs <<-EOS
	# encoder of hart 5
	[encoder 0x10001000]
	0x10001000: 0x01010033
	0x10001004: 0x00010101
	trTeInstFeatures = 0x40050000   # SRC 5, 4 bits
	[ram 0x10003000]
	0x10003020 = 0x101
	myOwnRegister = 7
EOS

"$HARTSCOPE" encode --protocol ntrace --registers board.regs -o loop.nt loop.rec >out 2>err
has "encode takes them: BTM" '"trTeInstMode": "btm"' loop.nt.json
has "encode takes them: trTeSrcBits" '"trTeSrcBits": 4' loop.nt.json
has "encode takes them: trTeSrcID" '"trTeSrcID": 5' loop.nt.json
rm loop.nt.json

"$HARTSCOPE" list --format pc $program loop.nt >got 2>err
if [ "$(tr '\n' ' ' <got)" != "$loop_pcs " ]; then
	ok "without the registers it does not decode"
else
	bad "without the registers it does not decode"
fi
"$HARTSCOPE" list --format pc --registers board.regs $program loop.nt >got 2>err
is "list --registers" "$loop_pcs " "$(tr '\n' ' ' <got)"
has "it says which registers it used" \
	"trTeControl = 0x01010033, trTeImpl = .*, trTeInstFeatures = 0x40050000" err
has "it says what it passed over" "board.regs:8:.*1 such" err
"$HARTSCOPE" dump --registers board.regs loop.nt >out 2>err
has "dump --registers: SRC" "src 5 .*ProgTraceSync" out
"$HARTSCOPE" dump --registers board.regs --set trTeSrcBits=0 loop.nt >out 2>err
is "--set wins over --registers" 0 "$(grep -c 'src 5' out)"
exits "decode --registers" 0 "$HARTSCOPE" decode -q --registers board.regs $program -o loop.flow \
	loop.nt
exits "the flow is the recording" 0 "$HARTSCOPE" check loop.rec loop.flow
exits "stat --registers" 0 "$HARTSCOPE" stat --registers board.regs $program loop.nt

"$HARTSCOPE" info --registers board.regs >out
has "info: the protocol" "protocol *N-Trace" out
has "info: the version" "encoder at 0x10001000 has version 1.0 (0x00010101), .*supported" out
has "info: a field in words" "6:4 *trTeInstMode *3 *baseline" out
has "info: an address" "31:2 *trRamWPLow *0x00000040" out
has "info: the wrap bit" "trRamWrap *1 *wrapped" out
has "info: the clause" "trRamWPLow = 0x00000101 .*TCI 7" out
"$HARTSCOPE" info --json --registers board.regs >info.json
json "info" info.json
has "info: JSON" '"field": "trTeSrcID","value": "5",' info.json

# SiFive's registers of version 0 (HiFive Premier P550): two encoders, SRC of 2 bits, times of 40
# bits, a sink of words of 64 bits that wrapped.  Bits: teInstruction 7, teSyncMaxBTM 11.
cat >p550.regs <<-EOS
	[encoder0 0x100000]
	0x100000: 0x81bb0079
	0x100004: 0x02000100
	tsControl = 0x280f8041
	[encoder0 0x101000]   # hart 1
	teControl = 0x81bb0079
	teImpl = 0x12100100
	tsControl = 0x280f8041
	[funnel0 0x18000]
	tfImpl = 0x00010080
	teSinkBase = 0x90000000
	teSinkBaseHigh = 0x1
	teSinkLimit = 0x9000fff8
	teSinkWP = 0x90000101
	myOwn = 1
EOS
"$HARTSCOPE" info --json --registers p550.regs >out
json "SiFive's version 0" out
for want in '"encoders": 2' '"ram_start": "0x190000000"' '"ram_limit": "0x19000fffc"' \
	'"ram_wp": "0x190000100"' '"ram_wrapped": true' '"unknown": 1' \
	'"field": "trTeSrcBits","value": "2",' '"field": "trTeInstSyncMax","value": "12",' \
	'"field": "trTsWidth","value": "40",' \
	'"field": "trTeInstImplicitReturnMode","value": "1","word": "counting"' \
	"SiFive's of version 0"; do
	has "SiFive's version 0: $want" "$want" out
done
"$HARTSCOPE" encode -q --protocol ntrace --registers p550.regs -o p550.nt loop.rec
has "SiFive's version 0: dialect" '"dialect": "sifive"' p550.nt.json
has "SiFive's version 0: times" '"trTsWidth": 40' p550.nt.json
exits "SiFive's version 0 is not E-Trace" 2 "$HARTSCOPE" list --protocol etrace --registers \
	p550.regs $program loop.nt
has "SiFive's version 0 is not E-Trace: why" "SiFive's N-Trace" err
# Its layout, and that of SpacemiT's K3: what they encode they list.
for board in p550 k3; do
	exits "$board.layout: encode" 0 "$HARTSCOPE" encode -q --protocol ntrace --config \
		"$HARTSCOPE_SOURCE/layouts/$board.layout" -o $board.trace loop.rec
	rm -f $board.trace.json
	"$HARTSCOPE" list --format pc --config "$HARTSCOPE_SOURCE/layouts/$board.layout" $program \
		$board.trace >got 2>err
	is "$board.layout: list" "$loop_pcs " "$(tr '\n' ' ' <got)"
done
sed 's/0x02000100/0x02000101/' p550.regs >later.regs
exits "SiFive's registers of another version" 3 "$HARTSCOPE" info --registers later.regs
has "SiFive's registers of another version: why" "another version" err

echo 'trTeControl = 0x00000063' >etrace.regs
exits "registers of an E-Trace encoder" 2 "$HARTSCOPE" list --protocol ntrace --registers \
	etrace.regs $program loop.nt
has "registers of an E-Trace encoder: why" "etrace.regs.*trTeFormat" err
# The same as an E-Trace encoder: trTeFormat 0, trTeInstMode 7, synchronisation each 16 packets,
# trTeProtocolMajor 0; trTeInstNoAddrDiff, trTeInstEnImplicitReturn, SRC 5 in 4 bits (ET Control).
cat >etrace.regs <<-EOS
	trTeControl = 0x00010073
	trTeImpl = 0x00000101
	trTeInstFeatures = 0x40050009
	trTsControl = 0
EOS
"$HARTSCOPE" info --registers etrace.regs >out
has "info: E-Trace" "protocol *E-Trace" out
cat >ram.regs <<-EOS
	trRamStartLow = 0x80000000
	trRamLimitLow = 0x80000ffc
	trRamWPLow = 0x80000101
EOS
"$HARTSCOPE" info --json --registers ram.regs >out
json "info of a RAM sink" out
has "info of a RAM sink: the write pointer" '"ram_wp": "0x80000100"' out
has "info of a RAM sink: it wrapped" '"ram_wrapped": true' out
exits "encode takes E-Trace's" 0 "$HARTSCOPE" encode -q --protocol etrace --registers etrace.regs \
	--set return_stack_size_p=3 -o loop.et loop.rec
for name in '"full-address": "true"' '"implicit-return": "true"' '"trTeSrcBits": 4' \
	'"trTeSrcID": 5' \
	'"resync-max": 0'; do
	has "encode takes E-Trace's: $name" "$name" loop.et.json
done
rm loop.et.json
sed 's/0x00010073/0x00020073/' etrace.regs >cycles.regs
"$HARTSCOPE" encode -q --protocol etrace --registers cycles.regs --set return_stack_size_p=3 -o \
	cycles.et loop.rec
has "encode takes E-Trace's: cycles" '"trTeInstSyncMode": "cycles"' cycles.et.json
"$HARTSCOPE" list --format pc --protocol etrace --registers etrace.regs --set \
	return_stack_size_p=3 $program loop.et >got 2>err
is "list --registers of E-Trace" "$loop_pcs " "$(tr '\n' ' ' <got)"
exits "an option without its table" 2 "$HARTSCOPE" list --protocol etrace --registers etrace.regs \
	$program loop.et
# trTeProtocolMinor 1, in bits 23:20 of trTeImpl: 2.1 (errata.md, TCI-8).  The support packet then
# has a size of the stack.
sed 's/0x00000101/0x00100101/' etrace.regs >minor.regs
"$HARTSCOPE" encode -q --protocol etrace --registers minor.regs --set return_stack_size_p=3 -o \
	minor.et loop.rec
has "version=2.1 by registers" '"version": "2.1"' minor.et.json
rm minor.et.json
"$HARTSCOPE" list --format pc --registers minor.regs --set return_stack_size_p=3 $program minor.et \
	>got 2>err
is "version=2.1 by registers: list" "$loop_pcs " "$(tr '\n' ' ' <got)"
"$HARTSCOPE" dump --registers minor.regs --set return_stack_size_p=3 minor.et >out 2>err
has "version=2.1 by registers: dump" 'return_stack_size=3 call_counter_size=0' out
# trTeInstEnBranchPrediction and trTeInstEnJumpTargetCache, too (bits 4 and 5 of trTeInstFeatures):
# no register has the sizes, and none is to be given, as the support packet says them.
sed 's/0x40050009/0x40050039/' minor.regs >sizes.regs
exits "options of 2.1 by registers: encode" 0 "$HARTSCOPE" encode -q --registers sizes.regs \
	--set return_stack_size_p=3 --set bpred_size_p=5 --set cache_size_p=4 --set f0s_width_p=1 \
	-o sizes.et loop.rec
rm sizes.et.json
for command in "decode -q -o loop.flow" 'list --format pc' 'list --format pc -j 4' stat report \
	dump lint calls; do
	# shellcheck disable=SC2086
	exits "sizes that the trace says: $command" 0 "$HARTSCOPE" $command --registers sizes.regs \
		$(case $command in dump*) ;; *) echo "$program" ;; esac) sizes.et
	case $command in
	list*)
		is "sizes that the trace says: $command" "$loop_pcs " \
			"$(grep -v '^;' out | tr '\n' ' ')"
		;;
	dump) has "sizes that the trace says: dump" 'bpred_size=5 cache_size=4' out ;;
	esac
done
exits "sizes that the trace says: decode" 0 "$HARTSCOPE" check loop.rec loop.flow
# shellcheck disable=SC2086
exits "sizes that the trace says: check" 0 "$HARTSCOPE" check --registers sizes.regs $program \
	loop.rec sizes.et
# shellcheck disable=SC2086
exits "sizes that the trace says: explain" 0 "$HARTSCOPE" explain --registers sizes.regs $program \
	sizes.et 0x0
cp sizes.et other.et
# shellcheck disable=SC2086
exits "sizes that the trace says: two sources" 0 "$HARTSCOPE" decode -q $program --registers \
	sizes.regs --source other.et=registers=sizes.regs,hart=1 -o both.flow sizes.et
exits "sizes that the trace says: not of what is made" 2 "$HARTSCOPE" encode -q --registers \
	sizes.regs -o no.et loop.rec
has "sizes that the trace says: not of what is made: why" 'implicit-return=true (legal: false)' err
# Without the support packets, which are the first packet and the last: length in bits 4:0 of the
# header, then 4 bits of SRC.
support=$((1 + $(od -An -tu1 -N1 sizes.et) % 32))
tail -c +$((1 + support)) sizes.et | head -c $(($(wc -c <sizes.et) - 2 * support)) >cut.et
# shellcheck disable=SC2086
exits "sizes that the trace does not say" 2 "$HARTSCOPE" list --registers sizes.regs $program cut.et
has "sizes that the trace does not say: why" 'cut.et: .*implicit-return=true.*do not say more' err
# Data trace (ET Control): trTeDataControl with trTeDataImplemented; trTeDataNoValue is bit 16,
# trTeDataAddrCompress bits 19 and 18, of which E-Trace has 0 and 2, and 3 is its own.
for row in 0x00080001:0:false:false 0x00000001:0:false:true \
	0x000d0001:0:true:false 0x00040001:2:-:-; do
	{ cat etrace.regs; echo "trTeDataControl = ${row%%:*}"; } >data.regs
	IFS=: read -r value want no_value full <<-EOS
		$row
	EOS
	exits "trTeDataControl $value" "$want" "$HARTSCOPE" encode -q --protocol etrace --registers \
		data.regs --set return_stack_size_p=3 -o data.et loop.rec
	[ "$want" -eq 0 ] || continue
	has "trTeDataControl $value: data trace" '"data-trace": 1' data.et.json
	is "trTeDataControl $value: trTeDataNoValue" $no_value \
		"$(grep -q '"trTeDataNoValue": 1' data.et.json && echo true || echo false)"
	is "trTeDataControl $value: data-full-address" $full \
		"$(grep -q '"data-full-address": 1' data.et.json && echo true || echo false)"
done
# TCI 11.1 asks for mode 3 or 6, ET for 7, from 2.1 on for 6; 1 is of no text.
for mode in 3:0 6:0 7:0 1:2; do
	sed "s/0x00010073/0x000100${mode%:*}3/" etrace.regs >mode.regs
	exits "E-Trace with trTeInstMode ${mode%:*}" "${mode#*:}" "$HARTSCOPE" list --registers \
		mode.regs --set return_stack_size_p=3 $program loop.et
done
# Bits that TCI 1.0 reserves, such as trTeDisSelfHosted of a later text, change nothing (TCI 4.3).
for bit in 7 8 10 14 18 19 27 28 29 30 31; do
	sed "s/0x00010073/$(printf '0x%08x' $((0x00010073 | 1 << bit)))/" etrace.regs >bit.regs
	exits "trTeControl bit $bit" 0 "$HARTSCOPE" list --registers bit.regs \
		--set return_stack_size_p=3 $program loop.et
	is "trTeControl bit $bit: the same list" \
		"$("$HARTSCOPE" list --registers etrace.regs --set return_stack_size_p=3 $program \
			loop.et | cksum)" "$(cksum <out)"
done
exits "registers of an N-Trace encoder" 2 "$HARTSCOPE" list --protocol etrace --registers \
	board.regs $program loop.et
# trTeFormat decides the protocol where nothing else does.
"$HARTSCOPE" list --format pc --registers etrace.regs --set return_stack_size_p=3 $program loop.et \
	>got 2>err
is "list without --protocol: trTeFormat is 0" "$loop_pcs " "$(tr '\n' ' ' <got)"

# Versions (TCI 5): 0 is refused, and so is a future one; 1.2 and 1.15 are read with a warning.
for version in 0:before 2:future; do
	major=${version%:*}
	printf '[encoder 0x10001000]\ntrTeImpl = 0x0001010%s\n' "$major" >version.regs
	exits "version $major.0" 2 "$HARTSCOPE" list --registers version.regs $program loop.nt
	has "version $major.0: why" \
		"encoder at 0x10001000 has version $major.0 (0x0001010$major), .*${version#*:}" err
done
for version in 2:newer f:experimental; do
	{ cat board.regs; printf 'trTeImpl = 0x000101%s1\n' "${version%:*}"; } >version.regs
	"$HARTSCOPE" list --format pc --registers version.regs $program loop.nt >got 2>err
	is "version 1.${version%:*} is read" "$loop_pcs " "$(tr '\n' ' ' <got)"
	has "version 1.${version%:*}: a warning" "warning: encoder .*${version#*:}" err
done

echo 'trTeImpl = 0x00010101' >future.regs
exits "a version of E-Trace that is not known" 2 "$HARTSCOPE" list --protocol etrace --registers \
	future.regs $program loop.et
echo 'trTeControl 3' >broken.regs
exits "a line that is no register" 3 "$HARTSCOPE" info --registers broken.regs
has "a line that is no register: where" "broken.regs:1" err
head -c 1000 /dev/zero | tr '\0' '1' >long.regs
exits "a line without an end" 3 "$HARTSCOPE" info --registers long.regs
echo 'myOwnRegister = 7' >none.regs
exits "no register at all" 3 "$HARTSCOPE" info --registers none.regs
exits "no such file" 2 "$HARTSCOPE" info --registers gone.regs
exits "info of nothing" 2 "$HARTSCOPE" info

# Several encoders of one stream (NT 11.2): their IDs are shown, options of one hold for all.
cat >two.regs <<-EOS
	[encoder 0x10001000]
	trTeControl = 0x01010033
	trTeInstFeatures = 0x40050000
	[encoder 0x10002000]
	trTeControl = 0x01010063
	trTeInstFeatures = 0x40060008
EOS
"$HARTSCOPE" list --format pc --registers two.regs $program loop.nt >got 2>err
is "list --registers of two encoders" "$loop_pcs " "$(tr '\n' ' ' <got)"
has "list --registers of two encoders: their sources" "2 encoders, with trTeSrcID 5 6" err
sed 's/0x40060008/0x30060008/' two.regs >differ.regs
exits "encoders that differ in trTeSrcBits" 3 "$HARTSCOPE" list --registers differ.regs $program \
	loop.nt
has "encoders that differ in trTeSrcBits: why" "differ in trTeSrcBits" err
finish
