#!/bin/bash
# Captures of CVA6 with rv_tracer list without an option, and what is listed is what their packets
# say: rv_tracer.py reads them a second time.
# Third-party data: HARTSCOPE_VECTORS names the folder that holds rv_tracer/.
set -u

vectors=${HARTSCOPE_VECTORS:-}/rv_tracer
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

if [ ! -d "$vectors" ]; then
	echo 'ok - captures of rv_tracer # SKIP HARTSCOPE_VECTORS names no folder with rv_tracer/'
	exit 77
fi

fail()
{
	echo "not ok - $*"
	status=1
}

# check CAPTURE ELF PCS: how many of them are listed
check()
{
	local capture=$1 elf=$2 want=$3

	riscv64-linux-gnu-objdump -d "$elf" >"$work/text"
	"$HARTSCOPE" list --format pc --elf "$elf" "$capture" >"$work/pcs" 2>"$work/errors"
	if grep -v 'read as --protocol etrace --set dialect=rv-tracer ' "$work/errors"; then
		fail "list ${elf##*/}: says something else than what it took"
	fi
	if python3 "${0%/*}/rv_tracer.py" "$work/text" "$capture" >"$work/second" &&
		cmp "$work/second" "$work/pcs" && [ "$(wc -l <"$work/pcs")" -eq "$want" ]; then
		echo "ok - ${elf##*/}: $want PCs, those of a second reading"
	else
		fail "${elf##*/}: $(wc -l <"$work/pcs") PCs, expected $want"
	fi
	"$HARTSCOPE" list --elf "$elf" "$capture" 2>/dev/null | grep '^; notif' &&
		fail "${elf##*/}: there are no notifications"
	# In memory that was not written, slots are 0; a part of one at the end is cut off.
	{ head -c 4000 /dev/zero && cat "$capture"; } >"$work/later"
	"$HARTSCOPE" list --format pc -q --protocol etrace --dialect rv-tracer --elf "$elf" \
		"$work/later" | cmp - "$work/pcs" || fail "${elf##*/}: slots of 0 before it"
	head -c 433 "$capture" >"$work/cut"
	"$HARTSCOPE" list --format pc --elf "$elf" "$work/cut" >"$work/some" 2>"$work/errors"
	cmp -n "$(wc -c <"$work/some")" "$work/some" "$work/pcs" &&
		grep -q 'truncated\|cut\|ends inside' "$work/errors" ||
		fail "${elf##*/}: cut inside a slot: $(cat "$work/errors")"
}

check "$vectors/l1_test/packets.bin" "$vectors/l1_test/l1.riscv" 329
check "$vectors/gpios_all/packets.bin" "$vectors/gpios_all/gpios_all.riscv" 11137

# With another program its form is still clear, and nothing else is claimed.
"$HARTSCOPE" identify --elf "$vectors/l1_test/l1.riscv" "$vectors/gpios_all/packets.bin" \
	>"$work/out" 2>"$work/errors"
if grep -q '^verdict *form' "$work/out" && grep -q 'settings *dialect=rv-tracer' "$work/out"; then
	echo 'ok - identify with another program: the form'
else
	fail "identify with another program: $(cat "$work/out")"
fi

# Nothing writes such packets: what is not known before a jump ends would have to be reported.
"$HARTSCOPE" decode -q -o "$work/flow" --elf "$vectors/l1_test/l1.riscv" \
	"$vectors/l1_test/packets.bin" 2>"$work/errors" || fail "decode: $(cat "$work/errors")"
if "$HARTSCOPE" encode --protocol etrace --set dialect=rv-tracer -o "$work/out" \
	"$work/flow" 2>"$work/errors" || ! grep -q 'rv-tracer' "$work/errors"; then
	fail "encode: $(cat "$work/errors")"
else
	echo 'ok - encode refuses the dialect by its name'
fi
exit "$status"
