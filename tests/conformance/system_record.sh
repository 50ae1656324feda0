#!/bin/bash
# Whole machines under hartscope record: traps, interrupts and modes are in the recording as QEMU's
# own log of interrupts (-d int) has them, and a trace of it is decoded to the same blocks, traps
# and modes.  Builds with sanitizers take half the harts and the dialects of the specification.
what='recordings of whole machines'
harts=4 dialects='rc7 1.0 reference sifive'
[ -z "${HARTSCOPE_SANITIZED-}" ] || harts=2 dialects='rc7 1.0'
. "${HARTSCOPE_SOURCE:?}/tests/conformance/system.sh"

options=() # of record

# record NAME XLEN ARGUMENTS...: a machine, to $work/NAME.rec, and QEMU's log to $work/int
record()
{
	local name=$1 xlen=$2

	shift 2
	rm -f "$work/int"
	timeout 100 "$HARTSCOPE" record -q ${options[@]+"${options[@]}"} \
		-o "$work/$name.rec" -- \
		"$qemu/bin/qemu-system-riscv$xlen" -L "$qemu/share/qemu" \
		-M virt -display none -serial none -monitor none -audio none -d int -D "$work/int" \
			"$@" \
		</dev/null >"$work/log" 2>&1
	verdict "$name: recorded" $? "$work/log"
	grep -q '"complete": true, *$' "$work/$name.rec/manifest.json"
	verdict "$name: complete" $? "$work/$name.rec/manifest.json"
}

# same_traps NAME: cause and value of each trap of hart 0, as QEMU logged them.  The log has a
# guest's own interrupts with the hypervisor's numbers; vscause has one less (privileged manual,
# "vsip and vsie").
same_traps()
{
	local bad

	sed -nE 's/^riscv_cpu_do_interrupt: hart:0, async:(.), cause:0*([0-9a-f]+), epc.*tval:0x0*([0-9a-f]+), .*/\1 \2 \3/p' \
		"$work/int" >"$work/want"
	"$HARTSCOPE" list "$work/$1.rec" | sed -nE \
		's/^; trap: cause ([0-9]+)[ ,].*value 0x([0-9a-f]+)(,.*)?$/\1 \2/p' |
		while read -r cause value; do printf '%x %s\n' "$cause" "$value"; done >"$work/have"
	[ -s "$work/want" ] && [ "$(wc -l <"$work/want")" -eq "$(wc -l <"$work/have")" ] &&
		paste -d ' ' "$work/want" "$work/have" | awk '
			$3 != $5 || !($2 == $4 || ($1 == 1 && (($2 == "2" && $4 == "1") || ($2 == "6" && $4 == "5") ||
				($2 == "a" && $4 == "9")))) { print; bad = 1 }
			END { exit bad }' >"$work/diff"
	bad=$?
	verdict "$1: the $(wc -l <"$work/want") traps that QEMU logged" $bad "$work/diff"
}

# trip NAME PROTOCOL [SETTING...]: there and back
trip()
{
	local name=$1 protocol=$2 bad

	shift 2
	settings "$@"
	rm -rf "$work"/trace*
	"$HARTSCOPE" encode -q --protocol "$protocol" ${settings[@]+"${settings[@]}"} -o \
		"$work/trace" "$work/$name.rec" &&
		"$HARTSCOPE" decode -q -o "$work/trace.flow" "$work/trace" &&
		"$HARTSCOPE" check "$work/$name.rec" "$work/trace.flow" >"$work/out" 2>&1
	bad=$?
	verdict "$name, $protocol${*:+ $*}: $(head -n 1 "$work/out")" $bad "$work/out"
}

# clean NAME PROTOCOL ARGUMENT...: lint, which knows the program, finds nothing above a note in what
# encode writes; an argument without dashes is a setting.  Exit status 3: the dialect has no message
# for some traps.
clean()
{
	local name=$1 protocol=$2 s arguments=()

	shift 2
	for s in "$@"; do
		[ "${s#--}" = "$s" ] && arguments+=(--set "$s") || arguments+=("$s")
	done
	rm -f "$work/clean"*
	"$HARTSCOPE" encode -q --protocol "$protocol" "${arguments[@]}" -o "$work/clean" \
		"$work/$name.rec" 2>"$work/out"
	case $? in
	0 | 3) ;;
	*)
		verdict "$name, $protocol $*: encode" 1 "$work/out"
		return
		;;
	esac
	"$HARTSCOPE" lint --severity warning "$work/clean" >"$work/out" 2>&1 &&
		grep -q "messages" "$work/out"
	verdict "$name, $protocol $*: lint" $? "$work/out"
}

# clean_all NAME: every dialect and mode of both protocols, a full queue, filters
clean_all()
{
	local name=$1 dialect mode version

	for dialect in $dialects; do
		for mode in btm htm; do
			clean "$name" ntrace dialect=$dialect trTeInstMode=$mode trTeContext=1 \
				trTsEnable=1 trTeInstImplicitReturnMode=full repeatBranch=1 \
				trTeInstEnRepeatedHistory=1
		done
		clean "$name" ntrace dialect=$dialect trTeContext=1 --queue=60 --drain=5
		clean "$name" ntrace dialect=$dialect --filter=priv=S
	done
	for version in 2.0 1.1 0.026; do
		clean "$name" etrace version=$version nocontext_p=0 notime_p=0
		clean "$name" etrace version=$version --filter=exception+priv=M
	done
	clean "$name" etrace --queue=60 --drain=5
	clean "$name" etrace dialect=atb implicit-except=1 si-jump=1 sijump_p=1 f0s_width_p=1 \
		implicit-return=1 return_stack_size_p=5 branch-prediction=1 bpred_size_p=10 \
		jump-target-cache=1 cache_size_p=7
}

# interrupts NAME: listed by their names
interrupts()
{
	local traps

	traps=$("$HARTSCOPE" list "$work/$1.rec" |
		grep -c '^; trap: cause 7 (machine timer interrupt)')
	[ "$traps" -ge 200 ]
	verdict "$1: machine timer interrupts" $?
}

# counted NAME XLEN: as many instructions as lock-step sees one by one, where time is theirs
# (-icount).  The machine goes off in the last run, of which the store, wfi and the branch are open
# (the note says so).
counted()
{
	local have want

	record "$1-icount" "$2" -icount shift=0 -cpu max,smctr=on,ssctr=on -bios none -kernel \
		"$work/$1.elf"
	timeout 60 "$qemu/bin/qemu-system-riscv$2" -L "$qemu/share/qemu" -M virt -display none \
		-serial none -monitor none \
		-audio none -icount shift=0 -cpu max,smctr=on,ssctr=on -bios none -kernel \
			"$work/$1.elf" \
		-plugin "$plugin,lockstep=$work/report" \
			</dev/null >"$work/log" 2>&1
	have=$(sed -nE 's/.*"instructions": ([0-9]+).*/\1/p' "$work/$1-icount.rec/manifest.json")
	want=$(sed -nE 's/^hart 0: ([0-9]+) instructions.*/\1/p' "$work/report")
	[ "${want:-0}" -gt 1000 ] && [ $((have - want)) -ge 0 ] && [ $((have - want)) -le 3 ] &&
		"$HARTSCOPE" list "$work/$1-icount.rec" | tail -n 1 |
			grep -q "may not have run to its end"
	verdict "$1-$2: $have instructions recorded, $want in lock-step" $? "$work/report"
}

# alone NAME XLEN: a trace without a recording decodes to what another run has that was recorded, up
# to the store that switches the machine off: how long it waits after it is not the same each time
alone()
{
	local quit

	quit=$(riscv64-unknown-elf-nm "$work/$1.elf" |
		awk '$3 == "quit" { sub(/^0+/, "", $1); print $1 }')
	timeout 100 "$HARTSCOPE" record -q --encode ntrace --set trTeContext=1 \
		-o "$work/alone.nt" -- "$qemu/bin/qemu-system-riscv$2" -L "$qemu/share/qemu" \
		-M virt -display none -serial none -monitor none -audio none -icount shift=0 \
		-cpu max,smctr=on,ssctr=on -bios none -kernel "$work/$1.elf" \
		</dev/null >"$work/log" 2>&1 &&
		"$HARTSCOPE" decode -q -o "$work/alone.flow" "$work/alone.nt" >>"$work/log" 2>&1 &&
		"$HARTSCOPE" list --format pc "$work/alone.flow" |
			sed "/^$quit\$/q" >"$work/have" &&
		"$HARTSCOPE" list --format pc "$work/$1-icount.rec" |
			sed "/^$quit\$/q" >"$work/want" &&
		[ "$(tail -n 1 "$work/have")" = "$quit" ] &&
		cmp "$work/have" "$work/want" >>"$work/log" 2>&1
	verdict "$1-$2, a trace only: it decodes to what ran, up to its end" $? "$work/log"
}

# modes NAME MODES...: the recording has instructions in all of them, and the decoded trace has
# when they begin
modes()
{
	local name=$1 mode privilege bad=0

	shift
	"$HARTSCOPE" pmu "$work/$name.rec" >"$work/by-mode" 2>&1
	"$HARTSCOPE" list "$work/trace.flow" | grep '^; context' | sort | uniq -c >"$work/out"
	for mode in "$@"; do
		case $mode in U) privilege=0 ;; S) privilege=1 ;; M) privilege=3 ;; VU) \
			privilege=4 ;; VS) privilege=5 ;; esac
		grep -qE "^ +[1-9][0-9,]* .* $mode\$" "$work/by-mode" &&
			grep -q "privilege $privilege\$" "$work/out" || bad=1
	done
	verdict "$name: modes $*, in the trace too" $bad "$work/out"
}

# kept NAME: the ring was too small for the run, and the counts agree.  The plugin waits for the
# recorder when 2 MiB are not taken; a run of more begins a second segment however slow that is.
kept()
{
	local bad

	grep -q '"skipped": [1-9]' "$work/$1.rec/manifest.json" >"$work/out" &&
		"$HARTSCOPE" stat "$work/$1.rec" >"$work/out" 2>&1
	bad=$?
	verdict "$1: $(head -n 1 "$work/out")" $bad "$work/$1.rec/manifest.json"
}

# same_end NAME ALL ELF: what is kept is the end of the run, where time is the instructions' own,
# but for the jump that runs until the machine is off: that takes as long as it does
same_end()
{
	local bad off

	off=$(riscv64-unknown-elf-nm "$3" | awk '$3 == "off" { sub(/^0+/, "", $1); print $1 }')
	"$HARTSCOPE" list --format pc "$work/$1.rec" | grep -vx "$off" >"$work/have"
	"$HARTSCOPE" list --format pc "$work/$2.rec" | grep -vx "$off" |
		tail -n "$(wc -l <"$work/have")" | cmp - "$work/have" >"$work/out" 2>&1
	bad=$?
	verdict "$1: the last $(wc -l <"$work/have") instructions" $bad "$work/out"
}

# dice: a run that is larger than every buffer, and the same each time; of all harts and of one
dice()
{
	local bare=(-bios none -kernel) count

	for count in $harts 1; do
		riscv64-unknown-elf-gcc -march=rv64imac_zicsr -mabi=lp64 -nostdlib -static \
			-Wl,--build-id=none -Wl,-Ttext=0x80000000 \
			-DROUNDS=5000000 -DHARTS="$count" \
			tests/ends_guest/dice.S -o "$work/dice-$count.elf" || exit 1
	done
	options=(--keep-last 1K)
	record harts-kept 64 -smp $harts "${bare[@]}" "$work/dice-$harts.elf"
	kept harts-kept
	trip harts-kept ntrace trTeContext=1
	record one-kept 64 -icount shift=0 "${bare[@]}" "$work/dice-1.elf"
	kept one-kept
	options=()
	record one 64 -icount shift=0 "${bare[@]}" "$work/dice-1.elf"
	same_end one-kept one "$work/dice-1.elf"
}

for xlen in 64 32; do
	for program in timer vs m; do
		tests/ctr_guest/build.sh $program $xlen "$work/$program.elf" || exit 1
		record "$program-$xlen" $xlen -cpu max,smctr=on,ssctr=on -bios none -kernel \
			"$work/$program.elf"
		same_traps "$program-$xlen"
		[ $program != timer ] || interrupts "$program-$xlen"
		[ $program = timer ] || counted $program $xlen
		[ $program != vs ] || alone $program $xlen
		trip "$program-$xlen" ntrace trTeContext=1
		[ $program != timer ] || modes "$program-$xlen" M S
		[ $program != vs ] || modes "$program-$xlen" M S VS VU
		trip "$program-$xlen" ntrace trTeInstMode=btm trTeContext=1 \
			trTeInstImplicitReturnMode=full
	done
	trip "m-$xlen" etrace
	trip "timer-$xlen" etrace
	trip "timer-$xlen" etrace version=0.026
	trip "vs-$xlen" etrace implicit-return=1 return_stack_size_p=3
	trip "vs-$xlen" etrace version=0.026
	for dialect in reference pulp none; do # one hart
		clean "vs-$xlen" etrace dialect=$dialect
	done
done

firmware/build.sh 64 "$work/64" || exit 1
record firmware 64 -smp $harts -m 128M -bios "$work/64/fw.elf" -kernel "$work/64/payload.elf"
trip firmware ntrace trTeContext=1 trTeInstEnRepeatedHistory=1
trip firmware etrace branch-prediction=1 bpred_size_p=8
trip firmware etrace version=0.026
# harts of which one waits for the others report little that is new
record firmware-two 64 -smp 2 -m 128M -bios "$work/64/fw.elf" -kernel "$work/64/payload.elf"
clean_all firmware-two
options=(--keep-last 1K)
record firmware-kept 64 -smp $harts -m 128M -bios "$work/64/fw.elf" -kernel "$work/64/payload.elf"
trip firmware-kept ntrace trTeContext=1
trip firmware-kept etrace
options=()
dice
one_hart=(-icount shift=0 -m 128M -bios "$work/64/fw.elf" -kernel "$work/64/payload.elf")
timeout 100 "$HARTSCOPE" record -q --encode ntrace --set trTeContext=1 --recording "$work/live.rec" \
	-o "$work/live.nt" -- \
	"$qemu/bin/qemu-system-riscv64" -L "$qemu/share/qemu" -M virt -display none -serial none \
	-monitor none -audio none "${one_hart[@]}" </dev/null >"$work/log" 2>&1 &&
	"$HARTSCOPE" encode -q --protocol ntrace --set trTeContext=1 -o "$work/want.nt" \
		"$work/live.rec" && cmp "$work/want.nt" "$work/live.nt" >"$work/log" 2>&1
verdict 'firmware, encoded while it runs: the bytes of its recording' $? "$work/log"
opensbi=$qemu/share/qemu/opensbi-riscv64-generic-fw_dynamic.bin
[ ! -e "$opensbi" ] && opensbi=/usr/lib/riscv64-linux-gnu/opensbi/generic/fw_dynamic.bin
if [ -e "$opensbi" ]; then
	record opensbi 64 -smp 2 -m 128M -bios "$opensbi" -kernel "$work/64/payload.elf"
	trip opensbi ntrace trTeContext=1
	trip opensbi etrace
	clean opensbi ntrace dialect=1.0 trTeContext=1 trTeInstEnRepeatedHistory=1
	clean opensbi etrace
else
	echo 'ok - OpenSBI # SKIP not installed'
fi
exit $status
