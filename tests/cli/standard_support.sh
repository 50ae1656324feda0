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
