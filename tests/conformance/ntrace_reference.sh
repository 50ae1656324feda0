#!/bin/bash
# Streams of the N-Trace group's reference encoder decode to the PCs that it was given.
# Third-party data: HARTSCOPE_VECTORS names the folder that holds ntrace-reference/.
set -u

tool=$HARTSCOPE
vectors=${HARTSCOPE_VECTORS:-}/ntrace-reference
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

if [ ! -d "$vectors" ]; then
	echo 'ok - streams of the reference encoder # SKIP HARTSCOPE_VECTORS names no folder with ntrace-reference/'
	exit 77
fi

expected()
{
	xz -dc "$vectors/$1-pcseq.txt.xz" | sed 's/^0x//; s/,.*//' | tr '[:upper:]' '[:lower:]' >"$work/$1.pcs"
}

# nobhm is BTM, cs0rpt0 HTM without implicit return and repeats.
check()
{
	local program=$1 configuration=$2 elf=$vectors/$1.riscv

	[ -f "$elf" ] || elf=$vectors/$1.elf
	if "$tool" list --format pc --elf "$elf" "$vectors/$program-$configuration-nex.bin" >"$work/got" &&
	   cmp "$work/got" "$work/$program.pcs"; then
		echo "ok - $program $configuration: $(wc -l <"$work/got") PCs"
	else
		echo "not ok - $program $configuration: $(wc -l <"$work/got") PCs of $(wc -l <"$work/$program.pcs")"
		diff "$work/$program.pcs" "$work/got" | head -n 5
		status=1
	fi
}

for program in t1 median multiply towers; do
	[ -f "$vectors/$program-pcseq.txt.xz" ] || continue
	expected "$program"
	for configuration in nobhm cs0rpt0; do
		[ ! -f "$vectors/$program-$configuration-nex.bin" ] || check "$program" "$configuration"
	done
done
exit "$status"
