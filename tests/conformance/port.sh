#!/bin/sh
# Stimuli of others, imported as cycles of the ingress port.  Those of the only public
# implementation of the 0.026 draft give exactly the instructions that its rows call retired, and,
# encoded, its bytes; the rows of the E-Trace reference flow give what the importer of single
# instructions makes of them.
set -u

vectors=${HARTSCOPE_VECTORS:-}/etrace-0.026
stimuli=$vectors/trdb_stimuli
failed=0

[ -f "$stimuli" ] || { echo "1..0 # SKIP HARTSCOPE_VECTORS is not set"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

verdict() { # verdict STATUS NAME: the name may run commands, which have a status of their own
	if [ "$1" -eq 0 ]; then echo "ok - $2"; else echo "not ok - $2"; failed=1; fi
}

"$HARTSCOPE" import -q --from port --elf "$vectors/interrupt" -o "$work/s.rec" "$stimuli"
verdict $? "every row is legal"
sed -nE 's/^valid=1 exception=0.* addr=([0-9a-f]+) .*/\1/p' "$stimuli" >"$work/want"
"$HARTSCOPE" list --format pc "$work/s.rec" >"$work/got"
[ -s "$work/want" ] && cmp "$work/want" "$work/got"
verdict $? "$(wc -l <"$work/want") instructions, those of the rows"
"$HARTSCOPE" list "$work/s.rec" | grep -q '^; trap: cause 26, value 0x0\(,.*\)\?$'
verdict $? "the interrupt"

# The rows continue after the last packet that trdb writes, and nothing ends its trace: ours is some
# bytes longer.
for full in 0 1; do
	[ $full = 1 ] && want=$vectors/interrupt.full.pulp || want=$vectors/interrupt.diff.pulp
	"$HARTSCOPE" encode -q --protocol etrace --set version=0.026 --dialect pulp --set \
		plain-loops=1 \
		--set trTeInstSyncMode=off --set full-address=$full -o "$work/s.et" "$work/s.rec"
	n=$(wc -c <"$want")
	[ "$n" -gt 100 ] && cmp -n "$n" "$want" "$work/s.et"
	verdict $? "encoded, $n bytes of ${want##*/}"
done

for rows in "$vectors"/../etrace-1.1/itype3_basic/*.encoder_input.gz; do
	name=${rows##*/} name=${name%.encoder_input.gz}
	elf=$vectors/../etrace-1.1/elf/$name.riscv
	zcat "$rows" >"$work/rows.csv"
	"$HARTSCOPE" import -q --from csv --elf "$elf" -o "$work/$name.csv.rec" "$work/rows.csv" &&
		"$HARTSCOPE" import -q --from port --elf "$elf" -o "$work/$name.port.rec" \
			"$work/rows.csv" &&
		"$HARTSCOPE" check -q "$work/$name.csv.rec" "$work/$name.port.rec" >/dev/null
	verdict $? "$name: $(wc -l <"$work/rows.csv") rows of the reference flow"
done
exit $failed
