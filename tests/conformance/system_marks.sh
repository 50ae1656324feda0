#!/bin/bash
# record --from and --to of a machine: the recording is the part of a whole one that the marks say,
# with traps and modes, and starts in the mode of that moment.  Time counts instructions, so that
# every run of the machine is the same.
what='marks of machines'
. "${HARTSCOPE_SOURCE:?}/tests/conformance/system.sh"

# record NAME MARKS...: to $work/NAME.rec
record()
{
	local name=$1

	shift
	rm -rf "$work/$name.rec"
	timeout 100 "$HARTSCOPE" record -q -o "$work/$name.rec" "$@" -- \
		"$qemu/bin/qemu-system-riscv64" -L "$qemu/share/qemu" -M virt -display none \
		-serial none -monitor none -audio none -icount shift=0 \
		-cpu max,smctr=on,ssctr=on -bios none -kernel "$work/guest.elf" \
		</dev/null >"$work/log" 2>&1
	verdict "$name: recorded" $? "$work/log"
	grep -q '"complete": true, *$' "$work/$name.rec/manifest.json"
	verdict "$name: complete" $? "$work/$name.rec/manifest.json"
}

# part NAME FROM TO MARKS...: recorded with MARKS it is lines FROM to TO - 1 of the whole
part()
{
	local name=$1 from=$2 to=$3 protocol

	shift 3
	record "$name" "$@"
	"$HARTSCOPE" list --format pc "$work/$name.rec" >"$work/have"
	sed -n "$from,$((to - 1))p" "$work/whole" >"$work/want"
	[ -s "$work/have" ] && cmp -s "$work/want" "$work/have"
	good=$?
	verdict "$name: $(wc -l <"$work/have") instructions" $good "$work/have"
	grep -q "\"instructions\": $(wc -l <"$work/want")" "$work/$name.rec/manifest.json"
	verdict "$name: the manifest's count" $? "$work/$name.rec/manifest.json"
	for protocol in ntrace etrace; do
		rm -rf "$work/trace"* "$work/flow"
		"$HARTSCOPE" encode -q --protocol $protocol -o "$work/trace" "$work/$name.rec" &&
			"$HARTSCOPE" decode -q -o "$work/flow" "$work/trace" &&
			"$HARTSCOPE" check "$work/$name.rec" "$work/flow" >"$work/out" 2>&1
		good=$?
		verdict "$name, $protocol: $(head -n 1 "$work/out")" $good "$work/out"
	done
}

# line ADDRESS N: the line of the whole where it comes the Nth time
line()
{
	grep -nx "$1" "$work/whole" | sed -n "$2p" | cut -d : -f 1
}

tests/ctr_guest/build.sh vs 64 "$work/guest.elf" || exit 1
record whole
"$HARTSCOPE" list --format pc "$work/whole.rec" >"$work/whole"
trap_entry=$(riscv64-unknown-elf-nm "$work/guest.elf" | sed -n 's/^0*\([0-9a-f]*\) . s_trap$/\1/p')
[ -n "$trap_entry" ] || exit 1
# N-Trace has no message for a trap of whose handler nothing ran: the end is later.
second=$(sed -n "$(($(line "$trap_entry" 1) + 1))p" "$work/whole")
part 'from an address to another' "$(line 80000000 1)" "$(line "$second" 5)" --from 0x80000000 \
	--to "0x$second#5"
part 'from a symbol' "$(line "$trap_entry" 3)" "$(line "$second" 39)" --from s_trap#3 \
	--to "0x$second#37"
"$HARTSCOPE" list "$work/from a symbol.rec" | sed -n 1,4p >"$work/out"
[ "$("$HARTSCOPE" pmu "$work/from a symbol.rec" | grep -cE '^ +[1-9][0-9,]* .* (S|VS|VU)$')" -ge 3 ]
verdict 'from a symbol: modes S, VS, VU' $? "$work/out"

# In a guest's user mode, and after an ecall that does not retire.
ecalls=$("$HARTSCOPE" list "$work/whole.rec" | grep -c '^; trap: cause 8 ')
[ "$ecalls" -gt 2 ]
verdict "$ecalls ecalls of VU" $?
record 'from an ecall' --from ecall:0x103
"$HARTSCOPE" list "$work/from an ecall.rec" | head -n 1 >"$work/out"
grep -q '^; trap: cause \(8\|9\|10\) ' "$work/out"
verdict "from an ecall: begins with its trap" $? "$work/out"
exit $status
