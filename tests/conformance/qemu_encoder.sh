#!/bin/bash
# Packets of the trace encoder proposed for QEMU (--dialect qemu), written by qemu_encoder.py from
# what that encoder does: they list without an option, what is listed ran, and what cannot be known
# is a gap.  The program's own run is QEMU's log of it.
set -u
cd "${HARTSCOPE_SOURCE:?}" || exit 1
: "${HARTSCOPE:?the path of the tool}"
here=$PWD/tests/conformance
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

for tool in riscv64-unknown-elf-gcc qemu-system-riscv64 python3; do
	command -v $tool >/dev/null && continue
	echo "ok - packets of QEMU # SKIP no $tool"
	exit 77
done

verdict()
{
	if [ "$1" -eq 0 ]; then
		echo "ok - $2"
	else
		echo "not ok - $2"
		head -5 "$work/errors"
		status=1
	fi
}

cd "$work" || exit 1
riscv64-unknown-elf-gcc -march=rv64imac_zicsr -mabi=lp64 -nostdlib -Ttext=0x80000000 -o arrivals \
	"$HARTSCOPE_SOURCE/tests/programs/arrivals.S" || exit 1
one=-singlestep # before QEMU 8.1
! qemu-system-riscv64 --help | grep -q one-insn-per-tb || one='-accel tcg,one-insn-per-tb=on'
# shellcheck disable=SC2086
timeout 60 qemu-system-riscv64 -M virt -bios none -display none -serial none -kernel arrivals \
	$one -d exec,int,nochain -D log || exit 1
riscv64-unknown-elf-objdump -d arrivals >text

# Instructions, traps, and the mode after them: M in the handler, U after an mret.  In true.pcs
# what trapped is missing, since it did not retire.  QEMU logs what it begins: twice where a pending
# interrupt makes it stop first.
awk '
function strip(s) { sub(/^0*/, "", s); return s }
FILENAME == "text" { if (/mret/) { sub(/:.*/, ""); gsub(/ /, ""); xret[$0] = 1 } next }
/^Trace/ {
	split($0, w, "/")
	pc = strip(w[2])
	if (pc == "80000000" && !began++) print "mode 3" >"events"
	if (!began || pc == last) next
	last = pc
	if (back) print "mode 0" >"events"
	if (held != "") print held >"true.pcs"
	print pc >"events"
	held = pc
	back = pc in xret
}
/cpu_do_interrupt/ {
	match($0, /async:[01]/); async = substr($0, RSTART + 6, 1)
	match($0, /cause:[0-9a-f]*/); cause = substr($0, RSTART + 6, RLENGTH - 6) + 0
	match($0, /epc:0x[0-9a-f]*/); epc = strip(substr($0, RSTART + 6, RLENGTH - 6))
	print "trap", cause, async, epc >"events"
	print "mode 3" >"events"
	if (held == epc) held = ""
}
END { if (held != "") print held >"true.pcs" }' text log

# runs FILE: a line for each run of PCs that a listing has without a gap between them
runs()
{
	"$HARTSCOPE" list --format json --elf arrivals "${@:2}" "$1" 2>errors |
		awk '/"event":"gap"/ { if (line) print line; line = ""; next }
			match($0, /"pc":"0x[0-9a-f]*/) {
				line = line " " substr($0, RSTART + 8, RLENGTH - 8) }
			END { if (line) print line }'
}

# Each run is a part of what ran, in the same order; the result is how many PCs they have.
parts()
{
	python3 -c '
import sys
true = " " + " ".join(open("true.pcs").read().split()) + " "
at = n = 0
for line in open(sys.argv[1]):
    at = true.index(line.rstrip() + " ", at)
    n += len(line.split())
    at += len(line.rstrip())
print(n)' "$1" 2>>errors
}

# The map is cleared: all but the interrupt, before which no packet has the branches, and what
# comes before the next address.
python3 "$here/qemu_encoder.py" --clears text events >clears.et
"$HARTSCOPE" list --elf arrivals clears.et >listing 2>errors
grep -q 'read as --protocol etrace --set dialect=qemu' errors
verdict $? 'the dialect is recognised'
runs clears.et >clears.runs
all=$(wc -l <true.pcs)
[ "$(parts clears.runs)" -ge $((all * 9 / 10)) ]
verdict $? "maps that are cleared: $(parts clears.runs) of $all PCs, and none else"
grep -q 'which way branches' errors && [ "$(wc -l <clears.runs)" -le 3 ]
verdict $? 'the interrupt is the gap'
grep -q 'environment call from U-mode' listing && grep -q 'illegal instruction' listing
verdict $? 'traps have their causes'

# The map is not cleared: less is known, and still nothing else.
python3 "$here/qemu_encoder.py" x text events >kept.et
runs kept.et >kept.runs
kept=$(parts kept.runs)
[ "${kept:-0}" -ge 40 ] && [ "$kept" -le "$(parts clears.runs)" ]
verdict $? "maps that are kept: $kept of $all PCs, and none else"

# The parameters of QEMU's CSV change nothing, and neither does padding to words as in its RAM sink.
{
	printf '.packet.srcid_bytes_p,0\n.packet.tstamp_bytes_p,0\n.packet.type_width_p,0\n'
	for row in bpred_size_p,5 cache_size_p,0 call_counter_size_p,1 context_width_p,0 \
		time_width_p,0 ecause_width_p,6 f0s_width_p,1 iaddress_lsb_p,0 iaddress_width_p,64 \
		nocontext_p,1 notime_p,1 privilege_width_p,3 return_stack_size_p,1 sijump_p,0 \
		impdef_width_p,0; do
		printf '.itrace.%s\n' "$row"
	done
} >itrace_params_qemu.csv
runs clears.et --protocol etrace --dialect qemu --set layout.kept_map=0 \
	--config itrace_params_qemu.csv | cmp - clears.runs
verdict $? 'its CSV as --config'
python3 -c '
import sys
b = open("clears.et", "rb").read()
while b:
    n = b[0] + 1
    sys.stdout.buffer.write(b[:n] + bytes(-n % 4))
    b = b[n:]' >padded.et
runs padded.et | cmp - clears.runs
verdict $? 'packets in whole words'
"$HARTSCOPE" lint --protocol etrace --dialect qemu clears.et >listing 2>errors
verdict $? 'lint has nothing to say'

# Our encoder writes such packets, too, and with maps that are cleared all comes back, the interrupt
# as well, before which it reports the branches.
timeout 60 qemu-system-riscv64 -M virt -bios none -display none -serial none -kernel arrivals \
	-d exec,int,nochain -D blocks || exit 1
spins=$(sed -n 's/^ *\([0-9a-f]*\):.*\tj\t.*/\1/p' text | tail -n 1) # until QEMU has ended
awk -v last="$spins/" 'index($0, last) { exit } /0080000000\// { begun = 1 } begun' blocks \
	>blocks.log
"$HARTSCOPE" import -q --elf arrivals -o arrivals.rec blocks.log 2>errors &&
	"$HARTSCOPE" encode -q --protocol etrace --dialect qemu --set layout.kept_map=0 -o own.et \
		arrivals.rec 2>errors && "$HARTSCOPE" check arrivals.rec own.et >listing 2>errors
verdict $? 'a round trip'
"$HARTSCOPE" lint own.et >listing 2>errors
verdict $? 'lint has nothing to say of that'
exit $status
