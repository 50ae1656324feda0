#!/bin/bash
# How a machine ends, and what of it was recorded: power-off, reboot and failure are normal ends
# with names, a guest that hangs is cut by a signal and says so, and a reset in between is in the
# stream.
# Each hart's count of instructions is that of an outside witness (count_insns.c), exactly.
#
# Argument: the witness.
what='ends of machines'
witness=$(realpath "${1:?the plugin that counts}")
. "${HARTSCOPE_SOURCE:?}/tests/conformance/system.sh"

# record SOURCE XLEN DEFINITIONS ARGUMENTS...: the guest of that source, to $work/rec
record()
{
	local source=$1 xlen=$2 definitions=$3 abi=lp64

	shift 3
	[ "$xlen" = 64 ] || abi=ilp32
	# shellcheck disable=SC2086
	riscv64-unknown-elf-gcc -march="rv${xlen}imac_zicsr" -mabi=$abi -nostdlib -static \
		-Wl,--build-id=none -Wl,-Ttext=0x80000000 $definitions \
		"tests/ends_guest/$source.S" -o "$work/guest.elf" || exit 1
	rm -rf "$work/rec" "$work/count"
	timeout --signal=TERM "${patience-60}" "$HARTSCOPE" record -q -o "$work/rec" -- \
		"$qemu/bin/qemu-system-riscv$xlen" -L "$qemu/share/qemu" -M virt -display none \
		-serial none -monitor none -audio none -bios none -kernel "$work/guest.elf" \
		-plugin "$witness,out=$work/count" "$@" </dev/null >"$work/log" 2>&1
	exit_status=$?
}

# starts STARTS END XLEN ARGUMENTS...: a guest that starts so many times, and ends so
starts()
{
	local definitions="-DSTARTS=$1 -DEND=$2" xlen=$3

	shift 3
	record ends "$xlen" "$definitions" "$@"
}

# member NAME TEXT: of the manifest
member()
{
	grep -qF "\"$1\": $2" "$work/rec/manifest.json"
	verdict "$name: $1 is $2" $? "$work/rec/manifest.json"
}

# counted: manifest, stat and the witness agree
counted()
{
	local have want

	sed -nE 's/.*"instructions": ([0-9]+).*/\1/p' "$work/rec/manifest.json" >"$work/have"
	cut -d ' ' -f 2 "$work/count" >"$work/want"
	cmp -s "$work/have" "$work/want" && [ -s "$work/want" ]
	good=$?
	verdict "$name: $(paste -sd ' ' "$work/have") instructions as the witness" \
		$good "$work/count"
	have=$("$HARTSCOPE" stat "$work/rec" 2>/dev/null | sed -n 's/^instructions *//p' | tr -d ,)
	want=$(($(paste -sd + "$work/have")))
	[ "$have" = "$want" ]
	verdict "$name: stat has $have" $?
}

# trips: in both protocols, equal and without a gap
trips()
{
	local protocol

	for protocol in ntrace etrace; do
		rm -rf "$work/trace"* "$work/flow"
		"$HARTSCOPE" encode -q --protocol $protocol -o "$work/trace" "$work/rec" &&
			"$HARTSCOPE" decode -q -o "$work/flow" "$work/trace" &&
			"$HARTSCOPE" check "$work/rec" "$work/flow" >"$work/out" 2>&1
		good=$?
		verdict "$name, $protocol: $(head -n 1 "$work/out")" $good "$work/out"
	done
}

# resets N: of each hart, in the stream and in the manifest
resets()
{
	local have

	have=$("$HARTSCOPE" list --hart 0 "$work/rec" |
		grep -c '^; sync 1 (exit from reset) at 0x1000$')
	[ "$have" = "$1" ]
	verdict "$name: $have resets in the stream" $?
	member resets "$1"
}

for xlen in 64 32; do
	name="rv$xlen, power-off after two resets"
	starts 3 0x5555 $xlen
	member end '"power-off"'
	member complete true
	resets 2
	counted
	trips
done

name='4 harts, power-off after two resets'
starts 3 0x5555 64 -smp 4
member end '"power-off"'
member complete true
resets 2
counted
trips

name='reset ends it'
starts 2 0x5555 64 -no-reboot
member end '"reboot"'
member complete true
resets 0
counted

name='power-off with a code'
starts 1 '(0x5555|7<<16)' 64
[ $exit_status -eq 7 ]
verdict "$name: exit status" $?
member end '"power-off 7"'
member complete true

name=failure
starts 1 '(0x3333|9<<16)' 64
[ $exit_status -eq 9 ]
verdict "$name: exit status" $?
member end '"panic 9"'
member complete true
counted

name='hangs'
patience=2
starts 1 0 64 -smp 2
patience=60
member end '"cut: the machine was stopped by a signal"'
member complete false
counted
[ "$("$HARTSCOPE" list "$work/rec" 2>/dev/null | grep -c 'may not have run')" = 0 ]
verdict "$name: it is known where the harts stood" $?

for xlen in 64 32; do
	name="rv$xlen, jumps through registers into the middle of the same code"
	record inside $xlen -DROUNDS=1001
	member complete true
	counted
	trips
done

# host: each call of the host is three instructions in the list
host()
{
	"$HARTSCOPE" list "$work/rec" 2>/dev/null |
		grep -oE ' (slli zero, zero, 0x1f|ebreak|srai zero, zero, 0x7)( .*)?$' >"$work/have"
	for _ in 1 2 3; do
		printf ' %s\n' 'slli zero, zero, 0x1f' ebreak 'srai zero, zero, 0x7'
	done | cmp - "$work/have" >"$work/out" 2>&1 && [ "$(grep -c called "$work/log")" -eq 3 ]
	verdict "$name: three calls in the list" $? "$work/have"
}

for xlen in 64 32; do
	name="rv$xlen, semihosting"
	record host $xlen "" -semihosting
	member complete true
	counted
	host
	trips
done

# Time that counts instructions: QEMU executes the harts in one thread and does not say where one
# stops, so that the last run of each start is open.  One hart: QEMU 10.0 takes several for one, and
# such a machine is refused.
name='icount'
starts 3 0x5555 64 -icount shift=0
member end '"power-off"'
member complete true
resets 2
trips

# User code of another XLEN than the machine's, with an instruction that is another one there.
name='XLEN 32 in user mode'
record narrow 64 ""
member complete false
grep -q 'user code with XLEN 32 has c.jal' "$work/log"
verdict "$name: it says why" $? "$work/log"

for single in '-icount shift=0' '-accel tcg,thread=single'; do
	name="$single"
	# shellcheck disable=SC2086
	starts 3 0x5555 64 -smp 2 $single
	[ $exit_status -eq 1 ] && grep -q 'with a thread for each only' "$work/log"
	verdict "$name: several harts are refused" $? "$work/log"
done
exit $status
