#!/bin/sh
# Stimuli of the only public implementation of the 0.026 draft: imported as cycles of the ingress port, they
# give exactly the instructions that its rows call retired, and the interrupt where its row has it.
set -u

vectors=${HARTSCOPE_VECTORS:-}/etrace-0.026
stimuli=$vectors/trdb_stimuli
failed=0

[ -f "$stimuli" ] || { echo "1..0 # SKIP HARTSCOPE_VECTORS is not set"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

verdict() { # verdict NAME: by the exit status of the command before
	if [ $? -eq 0 ]; then echo "ok - $1"; else echo "not ok - $1"; failed=1; fi
}

"$HARTSCOPE" import -q --from port --elf "$vectors/interrupt" -o "$work/s.rec" "$stimuli"
verdict "every row is legal"
sed -nE 's/^valid=1 exception=0.* addr=([0-9a-f]+) .*/\1/p' "$stimuli" >"$work/want"
"$HARTSCOPE" list --format pc "$work/s.rec" >"$work/got"
[ -s "$work/want" ] && cmp "$work/want" "$work/got"
verdict "$(wc -l <"$work/want") instructions, those of the rows"
"$HARTSCOPE" list "$work/s.rec" | grep -q '^; trap: cause 26, value 0x0$'
verdict "the interrupt"
exit $failed
