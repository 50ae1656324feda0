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

# The reference encoder's report of a program, of which not all streams are published: bytes and
# messages in each mode.  What it executed is a log of Spike, after five instructions of boot code.
sizes()
{
	local program=$1 log=$vectors/../etrace-1.1/$1.spike_pc_trace.gz
	local elf=$vectors/../etrace-1.1/elf/$1.riscv reports=$vectors/../ntrace-compression
	local mode=0 want got configuration

	[ -f "$log" ] && [ -f "$elf" ] && [ -d "$reports" ] || return
	gzip -dc "$log" | awk -F, 'NR > 6 { print $2 }' |
		"$tool" import -q --from pcs --elf "$elf" -o "$work/$program.rec" - ||
		fail "import $program"
	for configuration in nobhm cs0rpt0 cs0rpt2 cs8rpt0 cs8rpt2; do
		want=$(sed -n "s/^$program-report.txt:Stat: \(.* messages\), 0 error.*/\1/p" \
			"$reports/all$mode.txt")
		# shellcheck disable=SC2046 # several words
		"$tool" encode --protocol ntrace --dialect reference -q --force \
			$(parameters "$configuration") -o "$work/encoded" "$work/$program.rec"
		got="$(wc -c <"$work/encoded") bytes, $("$tool" dump --protocol ntrace --dialect \
			reference "$work/encoded" | wc -l) messages"
		if [ -n "$want" ] && [ "$got" = "$want" ]; then
			echo "ok - size of $program $configuration: $got"
		else
			fail "size of $program $configuration: $got, the report has $want"
		fi
		mode=$((mode + 1))
	done
}

for program in median multiply towers vvadd; do
	sizes "$program"
done

# Every address that a message of a capture gives, against a second reading of its bytes; those of
# the flow are among the PCs of the vendor's decoder, in order.
addresses()
{
	local name=$1 capture=$2 elf=$3

	python3 "${0%/*}/nexus_addresses.py" "$capture" >"$work/second"
	"$tool" dump --resolve --json --protocol ntrace --dialect sifive --elf "$elf" "$capture" |
		sed -n '/"[FU]-ADDR"/s/.*"destination":"0x\([0-9a-f]*\)".*/\1/p' >"$work/flow"
	"$tool" list --protocol ntrace --dialect sifive --elf "$elf" "$capture" |
		sed -n 's/^; in-circuit trace: .* \(at\|of\) 0x\([0-9a-f]*\)$/\2/p' >"$work/events"
	if sed -n 's/^flow //p' "$work/second" | cmp - "$work/flow" &&
		sed -n 's/^\(event [0-9]*\|called\) //p' "$work/second" | cmp - "$work/events" &&
		awk 'NR == FNR { want[++n] = $1; next } $1 == want[at + 1] { at++ }
			END { exit at != n }' "$work/flow" "$work/$name.pcs"; then
		echo "ok - addresses of $name: $(wc -l <"$work/flow"), $(wc -l <"$work/events") of events"
	else
		fail "addresses of $name"
	fi
}

for capture in "$sifive"/*.rtd; do
	name=$(basename "$capture" .rtd)
	[ -f "$sifive/$name.pcs.xz" ] && [ -f "$sifive/$name.elf" ] || continue
	xz -dc "$sifive/$name.pcs.xz" >"$work/$name.pcs"
	"$tool" list --format pc --protocol ntrace --dialect sifive --elf "$sifive/$name.elf" \
		"$capture" >"$work/got"
	if cmp "$work/got" "$work/$name.pcs"; then
		echo "ok - decode $name: $(wc -l <"$work/got") PCs"
	else
		fail "decode $name: $(wc -l <"$work/got") PCs of $(wc -l <"$work/$name.pcs")"
	fi
	addresses "$name" "$capture" "$sifive/$name.elf"
done
exit "$status"
