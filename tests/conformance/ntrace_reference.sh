#!/bin/bash
# Streams of the N-Trace group's reference encoder decode to the PCs that it was given, and our
# encoder, given the same PCs in that dialect, writes the same bytes.  A capture from silicon
# decodes to the PCs that its hart executed.
# Third-party data: HARTSCOPE_VECTORS names the folder that holds ntrace-reference/.
set -u

tool=$HARTSCOPE
vectors=${HARTSCOPE_VECTORS:-}/ntrace-reference
sifive=${HARTSCOPE_VECTORS:-}/ntrace-sifive
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

if [ ! -d "$vectors" ]; then
	echo 'ok - streams of the reference encoder # SKIP HARTSCOPE_VECTORS names no folder with ntrace-reference/'
	exit 77
fi

fail()
{
	echo "not ok - $*"
	status=1
}

# What each configuration of the reference encoder is in our parameters: nobhm is BTM, csN a
# call stack of N, rptM the level of repeated history.
parameters()
{
	case $1 in
	nobhm) echo --set trTeInstMode=btm ;;
	cs0rpt2) echo --set trTeInstEnRepeatedHistory=1 ;;
	cs8rpt0) echo --set trTeInstImplicitReturnMode=full --set callStack=8 ;;
	cs8rpt2) echo --set trTeInstImplicitReturnMode=full --set callStack=8 --set \
		trTeInstEnRepeatedHistory=1 ;;
	esac
}

decode()
{
	local program=$1 configuration=$2 elf=$3 stream=$4

	"$tool" list --format pc --protocol ntrace --dialect reference --elf "$elf" "$stream" \
		>"$work/got"
	if cmp "$work/got" "$work/$program.pcs"; then
		echo "ok - decode $program $configuration: $(wc -l <"$work/got") PCs"
	else
		fail "decode $program $configuration: $(wc -l <"$work/got") PCs of $(wc -l <"$work/$program.pcs")"
		diff "$work/$program.pcs" "$work/got" | head -n 5
	fi
}

encode()
{
	local program=$1 configuration=$2 stream=$3

	# shellcheck disable=SC2046 # several words
	if "$tool" encode --protocol ntrace --dialect reference $(parameters "$configuration") \
		-q -o "$work/encoded" "$work/$program.rec" && cmp "$work/encoded" "$stream"; then
		echo "ok - encode $program $configuration: $(wc -c <"$work/encoded") bytes"
	else
		fail "encode $program $configuration"
	fi
}

for program in t1 median multiply towers; do
	list=$vectors/$program-pcseq.txt.xz
	elf=$vectors/$program.riscv
	[ -f "$list" ] || continue
	[ -f "$elf" ] || elf=$vectors/$program.elf
	xz -dc "$list" | sed 's/^0x//; s/,.*//' | tr '[:upper:]' '[:lower:]' >"$work/$program.pcs"
	xz -dc "$list" | "$tool" import -q --from pcs --elf "$elf" -o "$work/$program.rec" - ||
		fail "import $program"
	for configuration in nobhm cs0rpt0 cs0rpt2 cs8rpt0 cs8rpt2; do
		stream=$vectors/$program-$configuration-nex.bin
		[ -f "$stream" ] || continue
		decode "$program" "$configuration" "$elf" "$stream"
		encode "$program" "$configuration" "$stream"
	done
done

if [ -d "$sifive" ]; then
	xz -dc "$sifive/e31_hello.pcs.xz" >"$work/e31.pcs"
	"$tool" list --format pc --protocol ntrace --dialect sifive --elf "$sifive/e31_hello.elf" \
		"$sifive/e31_hello.rtd" >"$work/got"
	if cmp "$work/got" "$work/e31.pcs"; then
		echo "ok - decode e31_hello: $(wc -l <"$work/got") PCs"
	else
		fail "decode e31_hello: $(wc -l <"$work/got") PCs of $(wc -l <"$work/e31.pcs")"
	fi
fi
exit "$status"
