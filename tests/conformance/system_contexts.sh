#!/bin/bash
# Contexts of a machine: address spaces of satp and vsatp, virtual machines of hgatp, mcontext; as
# events in the order of their changes, and the same after a trace with Ownership messages, or with
# contexts in packets.
what='contexts of machines'
. "${HARTSCOPE_SOURCE:?}/tests/conformance/system.sh"

# same TEXT WANT HAVE: two texts
same()
{
	if [ "$2" = "$3" ]; then
		echo "ok - $1"
	else
		echo "not ok - $1"
		diff <(echo "$2") <(echo "$3") | sed 's/^/  /'
		status=1
	fi
}

# record KIND [ROUNDS]: with contexts of that kind, to $work/KIND.rec
record()
{
	riscv64-unknown-elf-gcc -march=rv64imac_zicsr -mabi=lp64 -nostdlib -static \
		-Wl,--build-id=none -Wl,-Ttext=0x80000000 -DROUNDS="${2-1}" \
		tests/context_guest/context.S -o "$work/guest.elf" || exit 1
	rm -rf "$work/$1.rec"
	timeout 60 "$HARTSCOPE" record -q --context "$1" -o "$work/$1.rec" -- \
		"$qemu/bin/qemu-system-riscv64" -L "$qemu/share/qemu" -M virt -cpu max \
		-display none -serial none -monitor none -audio none -bios none \
		-kernel "$work/guest.elf" </dev/null >"$work/log" 2>&1
	same "$1: exit status" "${3-0}" $?
}

# events SOURCE: contexts, h those of virtual machines
events()
{
	"$HARTSCOPE" list "$1" |
		sed -nE 's/^; (h?)context 0x([0-9a-f]+), privilege (.)$/\1\2 \3/p' | paste -sd ,
}

# trip KIND PROTOCOL SETTING...: there and back
trip()
{
	local kind=$1 protocol=$2 s settings=()

	shift 2
	for s; do
		settings+=(--set "$s")
	done
	rm -rf "$work/trace"* "$work/flow"
	"$HARTSCOPE" encode -q --protocol "$protocol" "${settings[@]}" -o "$work/trace" \
		"$work/$kind.rec" && "$HARTSCOPE" decode -q -o "$work/flow" "$work/trace" &&
		"$HARTSCOPE" check "$work/$kind.rec" "$work/flow" >"$work/out" 2>&1
	good=$?
	same "$kind, $protocol: $(head -n 1 "$work/out")" 0 $good
}

# grep_events TEXT PATTERN: of the decoded flow
grep_events()
{
	events "$work/flow" >"$work/events"
	grep -qE "(^|,)$2" "$work/events"
	same "$1" 0 $?
	[ "$status" = 0 ] || cat "$work/events"
}

# runs KIND: how many different runs the recording has
runs()
{
	sed -n 's/.*"runs": \([0-9]*\),.*/\1/p' "$work/$1.rec/manifest.json"
}

# By hand, from the guest: value and mode.  A trap of a guest to M is in satp's own space again.
record satp
same 'satp: PPNs and VMIDs' \
	'80010 3,80011 1,h5 5,80012 5,80013 5,h0 3,80011 3,h6 5,80013 5,h0 3,80011 3' \
	"$(events "$work/satp.rec")"
trip satp ntrace trTeContext=1
grep_events 'satp, ntrace: Ownership, hcontext first' \
	'h5 5,80013 5,h0 3,80011 3,h6 5,80013 5,h0 3,80011 3$'
trip satp etrace nocontext_p=0 context_width_p=58
grep_events 'satp, etrace: the VMID at the top of the field' \
	'80011 [13],.*500000080013 5,.*80011 3,.*600000080013 5,.*80011 3$'
trip satp etrace nocontext_p=0 context_width_p=20
grep_events 'satp, etrace: a narrow field has no VMID' '80011 3,80013 5,80011 3$'
# As a perf.data: contexts are processes that switch.
for protocol in ntrace etrace; do
	set -- --set trTeContext=1
	[ $protocol = ntrace ] || set -- --set nocontext_p=0 --set context_width_p=58
	rm -rf "$work/perf.data"* "$work/flow"
	"$HARTSCOPE" encode -q --protocol $protocol "$@" --perf-data cpu -o "$work/perf.data" \
		"$work/satp.rec" && "$HARTSCOPE" decode -q -o "$work/flow" "$work/perf.data" &&
		"$HARTSCOPE" check "$work/satp.rec" "$work/flow" >"$work/out" 2>&1
	good=$?
	same "satp, $protocol, perf.data: $(head -n 1 "$work/out")" 0 $good
	"$HARTSCOPE" info "$work/perf.data" | grep -q '^ *[1-9][0-9]*  SWITCH_CPU_WIDE$'
	same "satp, $protocol: switches" 0 $?
done
record asid
same 'asid: ASIDs and VMIDs' '1 3,2 1,h5 5,3 5,4 5,h0 3,2 3,h6 5,4 5,h0 3,2 3' \
	"$(events "$work/asid.rec")"
record mcontext
same 'mcontext' \
	'80010 3,80011 1,h155 3,80011 3,80012 5,80013 5,80011 3,80013 5,80011 3,h0 3,80011 3' \
	"$(events "$work/mcontext.rec")"
record none
same 'none' '' "$(events "$work/none.rec")"
record scontext 1 1
grep -q 'no register for contexts of scontext' "$work/log"
same 'scontext: this QEMU has no such register, and says so' 0 $?

# Contexts come and go; what is new does not.
record satp 5
few=$(runs satp)
record satp 3000
[ $(($(runs satp) - few)) -le 2 ] # of the loop in which it waits to go off
good=$?
same "$(runs satp) runs after 3000 rounds, $few after 5" 0 $good
exit $status
