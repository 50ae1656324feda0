#!/bin/sh
# E-Trace 2.1: the standard support packet describes the stream, so that a capture decodes with
# nothing but its bytes and the program.
. "$(dirname "$0")/lib.sh"
loop_rec
loop_bin
program='--bin loop.bin@0x1000'

# The bytes by hand.  Encapsulation: length, then type 2 (2 bits).  Support, with the type: 2 |
# format 3 << 2 | subformat 3 << 4 | ienable 1 << 6 | encoder_mode 0 << 7 | qual_status 0 << 9 |
# sijump 0 | implicit_return 1 << 12 | branch_predictor 1 << 13 | jump_target_cache 1 << 14 |
# implicit_except, full_iaddress, resync_disabled, iret_ext 0 | time_width 3 << 19 |
# f0s_width 1 << 22 |
# return_stack_size 3 << 24 | call_counter_size 0 << 27 | bpred_size 7 << 31 | cache_size 5 << 34 |
# 7 bits of data trace 0: 44 bits, 001783 58707e.
sizes='--set version=2.1 --set implicit-return=true --set return_stack_size_p=3
	--set branch-prediction=true --set bpred_size_p=7 --set jump-target-cache=true
	--set cache_size_p=5 --set f0s_width_p=1 --set notime_p=0 --set time_width_p=48'
# shellcheck disable=SC2086
exits "encode" 0 "$HARTSCOPE" encode -q --protocol etrace $sizes -o loop.et loop.rec
mv loop.et capture
rm loop.et.json
is "the first packet" "06 7e 70 58 83 17" "$(od -An -tx1 -N6 capture | sed 's/^ //')"

# shellcheck disable=SC2086
{
exits "list" 0 "$HARTSCOPE" list --format pc $program capture
is "list with no other option" "$loop_pcs " "$(tr '\n' ' ' <out)"
exits "list on several cores" 0 "$HARTSCOPE" list -j 4 --format pc $program capture
is "the same" "$loop_pcs " "$(tr '\n' ' ' <out)"
exits "decode" 0 "$HARTSCOPE" decode -q $program -o loop.flow capture
exits "check" 0 "$HARTSCOPE" check loop.rec loop.flow
exits "dump" 0 "$HARTSCOPE" dump capture
has "sizes by name" 'stack_size=3 call_counter_size=0 bpred_size=7 cache_size=5 denable=0' out
exits "explain" 0 "$HARTSCOPE" explain $program capture 0x0
has "the clause" 'Standard Support Packet' out
exits "lint" 0 "$HARTSCOPE" lint $program capture
}
exits "info" 0 "$HARTSCOPE" info capture
has "info: the version" 'E-Trace 2.1' out
has "info: a size" 'bpred_size_p *7' out
exits "info --json" 0 "$HARTSCOPE" info --json capture
json "info --json" out
for said in version:2.1 time_width_p:48 f0s_width_p:1 bpred_size_p:7 cache_size_p:5 \
	return_stack_size_p:3 implicit-return:1 branch-prediction:1 jump-target-cache:1; do
	has "info --json: what the stream says, ${said%:*}" \
		"\"name\": *\"${said%:*}\", *\"value\": *\"${said#*:}\"" out
done
# shellcheck disable=SC2086
exits "identify" 0 "$HARTSCOPE" identify $program capture
has "identify: the version" 'version=2.1' out
has "identify: by what" 'standard support packet' out

# The same program as an ELF: nothing else is needed.
if command -v riscv64-linux-gnu-gcc >/dev/null; then
	printf '.globl _start\n_start: .incbin "loop.bin"\n' >loop.s
	riscv64-linux-gnu-gcc -nostdlib -static -Wl,-Ttext=0x1000 -o app loop.s || exit 1
	exits "list --elf" 0 "$HARTSCOPE" list --format pc --elf app capture
	is "list --elf: the instructions" "$loop_pcs " "$(tr '\n' ' ' <out)"
	has "list --elf: what it took from the stream" \
		'time_width_p=48.*f0s_width_p=1.*bpred_size_p=7.*cache_size_p=5' err
	exits "list --elf --json" 0 "$HARTSCOPE" list --json --elf app capture
	json "list --elf --json" out
	is "list --elf --json: the instructions" "$loop_pcs " \
		"$(sed -n 's/.*"pc":"0x\([0-9a-f]*\)".*/\1/p' out | tr '\n' ' ')"
else
	ok "list --elf # SKIP no riscv64-linux-gnu-gcc"
fi

# A stream of the same sizes, by hand, with each mode in use: a loop of 100 branches at 10004, a
# call of 1001c, whose return is inferred, and three jumps to 10024.  Type 2 in bits 1:0 of packets.
bytes()
{
	for byte in $(sed 's/#.*//'); do
		printf '%b' "\\0$(printf %o "0x$byte")"
	done
}
bytes >hand.bin <<-EOS
	13 05 40 06 13 05 f5 ff	# 10000 li a0, 100; 10004 addi a0, a0, -1
	e3 1e 05 fe ef 00 00 01	# 10008 bnez a0, 10004; 1000c jal ra, 1001c
	b7 07 01 00 93 87 47 02	# 10010 lui a5, 0x10; 10014 addi a5, a5, 0x24
	67 80 07 00 93 05 30 00	# 10018 jr a5; 1001c li a1, 3
	67 80 00 00 93 85 f5 ff	# 10020 ret; 10024 addi a1, a1, -1
	67 80 07 00	# 10028 jr a5
EOS
bytes >hand <<-EOS
	06 7e 70 5c 83 17 00	# support, as above with iret_ext: bit 18
	0b ce f1 6a e2 59 d1 48 00 00 02 00	# time 123456789abc, 0x8000 half-words
	02 06 00	# format 1, branches 0: 31, all taken
	03 a2 04 00	# format 0, subformat 0, branch_count 37, branch_fmt 0: 68 and a wrong one
	02 2a 01	# format 2: +0x24; irets 0
	03 52 02 00	# format 0, subformat 1, index 18: 0x10024 / 2 % 32
	03 52 02 00	# the same
	02 2a 00	# format 2: +4
	06 7e 72 5c 83 17 00	# support, qual_status 1
EOS
{
	echo 10000
	i=0
	while [ $((i += 1)) -le 100 ]; do echo 10004 10008; done
	echo 1000c 1001c 10020 10010 10014 10018 10024 10028 10024 10028 10024 10028
} | tr '\n' ' ' >want
exits "by hand" 0 "$HARTSCOPE" list --format pc --bin hand.bin@0x10000 hand
is "by hand: the instructions" "$(cat want)" "$(grep -v '^;' out | tr '\n' ' ')"
exits "by hand: info" 0 "$HARTSCOPE" info hand
has "by hand: irets" 'iret_ext *1' out

# Options that need no size.  Implicit exceptions have the bit of 2.0's full addresses, and the
# program shows which of them it is.
for option in full-address implicit-except; do
	"$HARTSCOPE" encode -q --protocol etrace --set version=2.1 --set $option=true \
		-o $option.et loop.rec
	mv $option.et $option
	# shellcheck disable=SC2086
	exits "$option" 0 "$HARTSCOPE" list --format pc $program $option
	is "$option: the instructions" "$loop_pcs " "$(grep -v '^;' out | tr '\n' ' ')"
done

# Another encoder's part follows in the same capture, with other sizes.
# shellcheck disable=SC2086
"$HARTSCOPE" encode -q --protocol etrace --set version=2.1 --set implicit-return=true \
	--set call_counter_size_p=2 --set iret_ext=1 --set branch-prediction=true \
	--set bpred_size_p=2 -o second.et loop.rec
cat capture second.et capture >three
# shellcheck disable=SC2086
exits "sizes that change" 0 "$HARTSCOPE" list --format pc $program three
is "three times" "$loop_pcs $loop_pcs $loop_pcs " "$(grep -v '^;' out | tr '\n' ' ')"

# Sizes without room, and fields out of range.
exits "an option without its size" 2 "$HARTSCOPE" encode -q --protocol etrace --set version=2.1 \
	--set branch-prediction=true --set bpred_size_p=8 -o x.et loop.rec
exit $failed
