#!/bin/bash
# The CTR model in lock-step with QEMU 10's CTR: the programs of tests/ctr_guest in M, S, U, VS and
# VU, rv64 and rv32, with RNMIs, overflow interrupts, narrow user modes and address spaces.  Each
# value that they read, and each access that is refused, is compared; what differs has to be on the
# list of plugins/qemu/deviations.def, and only for the rules named here.
set -u
cd "${HARTSCOPE_SOURCE:?}" || exit 1
build=${HARTSCOPE_BUILD:?}
. tests/need.sh
: "${HARTSCOPE:?the path of the tool}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

skip()
{
	echo "ok - CTR in lock-step # SKIP $1"
	exit 77
}

# raise_nmi: commands of qtest that raise an RNMI for good, once the program writes to its UART
raise_nmi()
{
	for _ in $(seq 600); do
		[ -s "$work/serial" ] && break
		sleep 0.05
	done
	echo 'set_irq_in /machine/soc0/harts[0] riscv.cpu.rnmi 0 1'
}

# run NAME XLEN ARGUMENTS: report in $work/report
run()
{
	local qemu=$build/qemu-new/usr cpu=max,smctr=on,ssctr=on feed=: more=()

	rm -f "$work/serial"
	case $1 in
	smctr) cpu=max,smctr=on,ssctr=off ;;
	nmi)
		cpu=$cpu,smrnmi=on feed=raise_nmi
		more=(-qtest stdio -global
			driver=riscv.hart_array,property=rnmi-interrupt-vector,value=0x80010000)
		;;
	esac
	$feed | timeout 60 "$qemu/bin/qemu-system-riscv$2" -L "$qemu/share/qemu" -M virt \
		-cpu "$cpu" -bios none -display none -serial "file:$work/serial" -monitor none \
		-audio none -kernel "$work/$1-$2.elf" "${more[@]}" \
		-plugin "$plugin,lockstep=$work/report${3:+,$3}" >"$work/log" 2>&1
}

verdict()
{
	wanted "$1" || return 0
	if [ "$2" = yes ]; then
		echo "ok - $1"
	else
		echo "not ok - $1"
		head -n 8 "$work/report" | sed 's/^/  /'
		tail -n 3 "$work/log" | sed 's/^/  /'
		status=1
	fi
}

# judge NAME XLEN READS RULES: equal, with at least READS values compared, and differences for RULES
# alone
judge()
{
	local reads failures differences rules

	: >"$work/report"
	run "$1" "$2" "${5-}"
	read -r reads differences failures < <(sed -nE \
		's/^hart 0: checked ([0-9]+) reads and .* ([0-9]+) differences allowed, ([0-9]+) failures$/\1 \2 \3/p' "$work/report") || reads=0
	rules=$(sed -nE 's/^hart 0: [0-9]+ differences allowed by (.*)$/\1/p' "$work/report" |
		sort | tr '\n' ' ')
	if [ "${failures-}" = 0 ] && [ "$reads" -ge "$3" ] && [ "$rules" = "$4" ]; then
		verdict "$1, rv$2: checked $reads reads, $differences differences${rules:+ (allowed by ${rules% })}" yes
	else
		verdict "$1, rv$2: ${reads:-0} reads, ${failures:-no} failures, differences allowed by '${rules% }', '${4% }' expected" no
	fi
}

# strict NAME XLEN: without the list the same program has to fail
strict()
{
	local failures

	: >"$work/report"
	run "$1" "$2" strict=on
	failures=$(sed -nE 's/^hart 0: checked .* ([0-9]+) failures$/\1/p' "$work/report")
	verdict "$1, rv$2: ${failures:-no} failures where nothing is allowed" \
		"$([ "${failures:-0}" -gt 0 ] &&
		grep -q '^not equal: .* expected .* got ' "$work/report" && echo yes)"
}

# entries FILE: "index source target data" of each record, of a dump or of hartscope ctr --json
entries()
{
	sed -nE 's/^ctrsource\[([0-9]+)\] = 0x([0-9a-f]+), .* = 0x([0-9a-f]+), .* = 0x([0-9a-f]+)$/\1 \2 \3 \4/p' "$1" |
		while read -r index source target data; do
			printf '%s %x %s %s\n' "$index" $((0x$source & ~1)) "$target" "$data" \
				# V is bit 0
		done
	sed -nE 's/.*"index": ([0-9]+),"source": "0x([0-9a-f]+)".*"target": "0x([0-9a-f]+)".*"ctrdata": "0x([0-9a-f]+)".*/\1 \2 \3 \4/p' "$1"
}

# replay XLEN: a machine with timer interrupts is recorded and followed in lock-step at once.  The
# records at its end, replayed from the recording, from its trace and from the decoded trace, are
# the model's.
replay()
{
	local qemu=$build/qemu-new/usr file

	cp "$plugin" "$work/lockstep.so" # a plugin that is loaded twice has to be two files
	rm -rf "$work/dump" "$work/report" "$work"/t.*
	timeout 100 "$HARTSCOPE" record -q -o "$work/t.rec" -- "$qemu/bin/qemu-system-riscv$1" -L \
		"$qemu/share/qemu" -M virt \
		-cpu max,smctr=on,ssctr=on -bios none -display none -serial none -monitor none \
			-audio none \
		-kernel "$work/timer-$1.elf" -plugin \
			"$work/lockstep.so,lockstep=$work/report,dump=$work/dump" \
		</dev/null >"$work/log" 2>&1
	"$HARTSCOPE" encode -q --protocol ntrace --set trTeContext=1 -o "$work/t.nt" "$work/t.rec" \
		&&
		"$HARTSCOPE" decode -q -o "$work/t.flow" "$work/t.nt"
	entries "$work/dump" >"$work/want"
	for file in t.rec t.nt t.flow; do
		"$HARTSCOPE" ctr --ctr depth=256 --ctr mode=M --json "$work/$file" >"$work/json" \
			2>"$work/log"
		entries "$work/json" >"$work/have"
		verdict "timer, rv$1: the last $(wc -l <"$work/have") transfers replayed from ${file#t.} are those of the model" "$(
			[ "$(wc -l <"$work/want")" -eq 256 ] && diff "$work/want" "$work/have" >"$work/report" && echo yes)"
	done
	verdict "timer, rv$1: the dump of the model explained, without misuse" "$(
		"$HARTSCOPE" ctr --explain "$work/dump" >"$work/report" 2>"$work/log" && grep -q 'sctrdepth .*: 256 entries' "$work/report" &&
			echo yes)"
}

command -v riscv64-unknown-elf-gcc >/dev/null || skip 'no riscv64-unknown-elf-gcc'
timeout 100 scripts/guests/qemu-new.sh "$build" >"$work/fetch" 2>&1
[ -d "$build/qemu-new/usr/bin" ] || skip "$(tail -n 1 "$work/fetch")"
plugin=$(system_plugin "$build/plugins/qemu" "$build/qemu-new/usr/bin/qemu-system-riscv64") ||
	{ echo 'not ok - a plugin that QEMU loads'; exit 1; }

user_window='REG-20 '
! is_from 10.0.6 "$build/qemu-new/usr/bin/qemu-system-riscv64" || user_window=

for program in m s u vs vu access timer nmi lcofi uxl smctr satp; do
	tests/ctr_guest/build.sh "$program" 64 "$work/$program-64.elf" &&
		tests/ctr_guest/build.sh "$program" 32 "$work/$program-32.elf" || exit 1
done
judge m 64 8000 ''
judge m 32 7000 ''
judge s 64 3000 ''
judge s 32 800 ''
judge u 64 6000 ''
judge u 32 6000 ''
judge vs 64 50000 'EXT-01 PMT-12 '
judge vs 32 50000 'EXT-01 PMT-12 SE-12 '
judge vu 64 6000 'PMT-12 '
judge vu 32 1500 'PMT-12 '
judge access 64 900 "${user_window}SE-03 SE-08 SE-12 "
judge access 32 800 'SE-12 '
judge nmi 64 16000 'PMT-11 '
judge nmi 32 16000 'PMT-11 '
judge lcofi 64 8000 ''
judge lcofi 32 8000 ''
judge uxl 64 9600 'ENT-03 '
judge smctr 64 12 'SE-13 '
judge smctr 32 7 'SE-13 '
judge satp 64 2300 ''
judge satp 32 2300 ''
strict vs 64
strict access 64
replay 64
replay 32
exit $status
