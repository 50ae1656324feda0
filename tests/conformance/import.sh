#!/bin/sh
# The ingress rows and executions of the E-Trace reference flow: what the importers make of them,
# block by block, has exactly the PCs that came with them.
#
#   tests/conformance/import.sh IMPORT
set -u

import=$1
failed=0
vectors=${HARTSCOPE_VECTORS:-}/etrace-1.1

[ -d "$vectors" ] || { echo "1..0 # SKIP HARTSCOPE_VECTORS is not set"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

same() { # same NAME EXPECTED GOT
	if [ -s "$2" ] && cmp -s "$2" "$3"; then
		echo "ok - $1: $(wc -l <"$2") lines"
	else
		diff "$2" "$3" | sed 's/^/# /;5q'
		echo "not ok - $1"
		failed=1
	fi
}

# ADDRESS,INSN,PRIVILEGE columns as Spike's commit log has them: 4 or 8 digits of code, by its
# length.
as_log() {
	awk -F, 'NR > 1 {
		width = substr($3, length($3)) ~ /[37bf]/ ? 8 : 4
		while (length($2) < 16) $2 = "0" $2
		while (length($3) < width) $3 = "0" $3
		printf "core   0: %s 0x%s (0x%s)\n", $4, $2, $3
	}'
}

for t in median multiply towers vvadd; do
	elf=$vectors/elf/$t.riscv
	for set in itype3_basic itype3_debug; do
		rows=$vectors/$set/$t.encoder_input.gz
		zcat "$vectors/$set/$t.decoder.trace.gz" >"$work/want"
		zcat "$rows" | "$import" csv pc "$elf" >"$work/got"
		same "$t $set, rows alone" "$work/want" "$work/got"
		zcat "$rows" | "$import" csv-image pc "$elf" >"$work/got"
		same "$t $set, rows and program" "$work/want" "$work/got"
	done
	zcat "$rows" | "$import" csv-image blocks "$elf" >"$work/blocks"
	zcat "$vectors/$t.spike_pc_trace.gz" >"$work/trace"
	as_log <"$work/trace" >"$work/log"
	awk -F, 'NR > 1 { print $2 }' "$work/trace" >"$work/want"
	"$import" spike pc "$elf" <"$work/log" >"$work/got"
	same "$t as a commit log" "$work/want" "$work/got"
	"$import" spike blocks "$elf" <"$work/log" >"$work/got"
	same "$t, log and rows are the same blocks" "$work/got" "$work/blocks"
done
exit $failed
