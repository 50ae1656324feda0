#!/bin/bash
# Vectors of the E-Trace group's reference flow (format 1.1.3) and of trdb (draft 0.026): streams
# decode to the PCs expected, packets have the fields expected and are written again as the same
# bytes, and our encoder, given the same retired instructions, writes the same bytes. Third-party
# data: HARTSCOPE_VECTORS names the folder that holds etrace-1.1/ and etrace-0.026/.
set -u

tool=$HARTSCOPE
helper=$1
vectors=${HARTSCOPE_VECTORS:-}/etrace-1.1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

if [ ! -d "$vectors" ]; then
	echo 'ok - vectors of the E-Trace reference flow # SKIP HARTSCOPE_VECTORS names no folder with etrace-1.1/'
	exit 77
fi

# The text of the verdict comes after the status: its own commands have one, too.
verdict()
{
	if [ "$1" -eq 0 ]; then
		echo "ok - $2"
	else
		echo "not ok - $2"
		status=1
	fi
}

one()
{
	local run=$1 program=$2 lsb=$3 full=$4 max=$5 at=$vectors/$1/$2

	"$tool" list --format pc --protocol etrace --set version=1.1 --dialect reference \
		--config "$vectors/$run/hardware_64.scf" --elf "$vectors/elf/$program.riscv" \
			"$at.te_inst_raw" >"$work/got"
	zcat "$at.decoder.trace.gz" | cmp - "$work/got"
	verdict $? "$run $program: $(wc -l <"$work/got") PCs"
	"$tool" lint --protocol etrace --set version=1.1 --dialect reference \
		--config "$vectors/$run/hardware_64.scf" --elf "$vectors/elf/$program.riscv" \
			"$at.te_inst_raw" >"$work/findings"
	verdict $? "$run $program: lint finds nothing"
	"$helper" packets "$lsb" "$full" "$at.te_inst" <"$at.te_inst_raw" >"$work/count"
	verdict $? "$run $program: $(cat "$work/count")"
	zcat "$at.encoder_input.gz" | "$helper" encode "$lsb" "$full" "$max" |
		cmp - "$at.te_inst_raw"
	verdict $? "$run $program: encoded, $(wc -c <"$at.te_inst_raw") bytes"
}

for program in towers median multiply vvadd; do
	one itype3_basic $program 1 0 0
	one itype3_debug $program 0 1 1
done

# The run-time file of the flow sets what the stream's support packet says, too.
"$tool" list --format pc --protocol etrace --set version=1.1 --dialect reference \
	--config "$vectors/itype3_debug/hardware_64.scf" --config \
		"$vectors/itype3_debug/vvadd.encoder.ucf" \
	--elf "$vectors/elf/vvadd.riscv" "$vectors/itype3_debug/vvadd.te_inst_raw" >"$work/got"
zcat "$vectors/itype3_debug/vvadd.decoder.trace.gz" | cmp - "$work/got"
verdict $? 'two --config files of the reference flow'

# The group's tests have these sizes. The stream does not use them; where packets report returns,
# irdepth has 7 + 1 + 9 bits.
sed 's/^\(call_counter_size_p\)=.*/\1=9/; s/^\(return_stack_size_p\)=.*/\1=7/' \
	"$vectors/itype3_debug/hardware_64.scf" >"$work/sizes.scf"
sizes=(--protocol etrace --set version=1.1 --dialect reference --config "$work/sizes.scf")
"$tool" list --format pc "${sizes[@]}" --config "$vectors/itype3_debug/vvadd.encoder.ucf" \
	--elf "$vectors/elf/vvadd.riscv" "$vectors/itype3_debug/vvadd.te_inst_raw" >"$work/got"
zcat "$vectors/itype3_debug/vvadd.decoder.trace.gz" | cmp - "$work/got"
verdict $? 'call_counter_size_p=9 and return_stack_size_p=7 in a file of the reference flow'

# Programs encoded with these sizes: with 4-bit itypes calls and returns are known. The boot code,
# below 0x80000000, is in no file.
sizes+=(--set itype_width_p=4 --set implicit-return=true)
for program in towers vvadd; do
	zcat "$vectors/$program.spike_pc_trace.gz" | sed -n 's/^1,\(8.......\),.*/\1/p' >"$work/pcs"
	"$tool" import --quiet --from pcs --elf "$vectors/elf/$program.riscv" \
		-o "$work/$program.rec" "$work/pcs" &&
		"$tool" list --format pc "$work/$program.rec" >"$work/want" &&
		"$tool" encode --quiet "${sizes[@]}" -o "$work/$program.et" "$work/$program.rec" &&
		[ -s "$work/want" ] &&
		"$tool" list --format pc "${sizes[@]}" --elf "$vectors/elf/$program.riscv" \
			"$work/$program.et" | cmp - "$work/want"
	verdict $? "$program encoded with these sizes: $(wc -l <"$work/want") PCs"
done

# trdb lists packets and, after each, the instructions that it covers.
draft=${HARTSCOPE_VECTORS:-}/etrace-0.026

two()
{
	local name=$1 full=$2 expected=$3

	"$tool" list --format pc --protocol etrace --dialect pulp --set full-address="$full" \
		--elf "$draft/interrupt" "$draft/interrupt.$name.pulp" >"$work/got"
	grep -P '^[0-9a-f]{8}\t' "$draft/$expected" | cut -f 1 | cmp - "$work/got"
	verdict $? "0.026 $name: $(wc -l <"$work/got") PCs"
	"$helper" trdb <"$draft/interrupt.$name.pulp" >"$work/got"
	awk '/^PACKET/ { on = 1; print; next } !/^    [a-z_]+ *:/ { on = 0 } on' \
		"$draft/$expected" | cmp - "$work/got"
	verdict $? "0.026 $name: $(grep -c PACKET "$work/got") packets"
	"$helper" pulp "$full" <"$draft/trdb_stimuli" | cmp - "$draft/interrupt.$name.pulp"
	verdict $? "0.026 $name: encoded, $(wc -c <"$draft/interrupt.$name.pulp") bytes"
}

two diff 0 trdb_diff_expected
two full 1 trdb_normal_expected
exit $status
