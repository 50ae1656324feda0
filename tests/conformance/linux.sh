#!/bin/bash
# Debian's Linux on the firmware of firmware/: it boots on QEMU's virt machine, and a program counts
# and samples with perf_event_open (tests/linux_guest).
#
#   linux.sh [long]    long is for scripts/soak/soak.sh: both QEMUs, 1 and 4 harts, harts with
#                      less and with more than usual, the recorder's numbers, Debian's OpenSBI
#                      as a comparison, Debian's perf
#
# QEMU gives an event to one programmable counter only, and under -icount, where instret is exact,
# it counts the instructions of all harts.  So the machine has one programmable counter and
# Smcntrpmf, with which cycle and instret have filters, too.
set -u
cd "${HARTSCOPE_SOURCE:?}" || exit 1
build=${HARTSCOPE_BUILD:?}
. tests/need.sh
form=${1-short}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

counting=rv64,sscofpmf=on,smcntrpmf=on,pmu-mask=0x8
icount=(-icount 'shift=0,sleep=off')
counts='modes group multiplexed illegal fences task cpus forks'

skip()
{
	echo "ok - Linux on the firmware # SKIP $1"
	exit 77
}

verdict()
{
	wanted "$1" || return 0
	if [ "$2" -eq 0 ]; then
		echo "ok - $1"
	else
		echo "not ok - $1"
		tail -n 8 "$work/out" "$work/err" | sed 's/^/  /'
		status=1
	fi
}

# samples: the row of samples, where overflows interrupt
samples()
{
	no_overflows "${qemu[0]}" || echo sample
}

# boot FIRMWARE HARTS CPU ROWS [ARGUMENT...]: to $work/out
boot()
{
	local firmware=$1 harts=$2 cpu=$3 rows=$4

	shift 4
	APPEND="-- $rows" scripts/guests/linux-guest.sh boot "$build" 400 "$work/initramfs" \
		"${qemu[@]}" -bios "$firmware" -smp "$harts" -cpu "$cpu" "$@" \
		>"$work/out" 2>"$work/err" &&
		grep -q "^user space: $harts harts" "$work/out" && grep -q '^# end' "$work/out" &&
		grep -q 'reboot: Power down' "$work/out"
}

# run FIRMWARE HARTS CPU ROWS [ARGUMENT...]: one verdict for the machine, and those of the rows
run()
{
	local name="$label, $2 harts, -cpu $3"

	boot "$@"
	verdict "$name: boots, ends its program, powers off" $?
	grep -q 'nomap .*firmware@80000000' "$work/out"
	verdict "$name: the firmware's memory is not mapped" $?
	[ -n "$4" ] || return
	[ -n "$(samples)" ] || echo "ok - $name: samples # SKIP LCOFIE is read-only 0"
	grep -q '^ok - ' "$work/out"
	verdict "$name: rows" $?
	sed -nE "s/^(ok|not ok) - /&$name: /p" "$work/out"
	! grep -q '^not ok' "$work/out" || status=1
}

# value NAME: a number that the guest printed
value()
{
	sed -n "s/^# $1 //p" "$work/out"
}

# between LOW VALUE HIGH
between()
{
	[ -n "$2" ] && [ "$1" -le "$2" ] && [ "$2" -le "$3" ]
}

# recorded: user instructions of one hart as Linux counted them, and as the recorder did.  Up to a
# thousandth ran before Linux was asked to count, or trapped, which QEMU counts.  Several harts are
# recorded in threads only, and counted exactly without them only.
recorded()
{
	local counted seen

	rm -rf "$work/rec"
	timeout 400 "$HARTSCOPE" record -q -o "$work/rec" -- "${qemu[@]}" -M virt -m 512M \
		-display none -serial stdio -monitor none -no-reboot \
		-kernel "$build/linux-guest/vmlinux" -initrd "$work/initramfs" \
		-append 'console=ttyS0 quiet panic=-1 -- all' -bios "$work/plain/fw.elf" \
		-smp 1 -cpu $counting "${icount[@]}" \
		</dev/null 2>"$work/err" | tr -d '\r' >"$work/out"
	counted=$(sed -n 's/^# user instructions //p' "$work/out")
	seen=$("$HARTSCOPE" pmu -q --top 1 "$work/rec" 2>>"$work/err" |
		sed -nE 's/^ *([0-9,]+) .* U$/\1/p' | tr -d ,)
	sed -nE "s/^(ok|not ok) - /&recorded, /p" "$work/out"
	! grep -q '^not ok' "$work/out" || status=1
	[ -n "$seen" ] && between $((seen - seen / 1000)) "$counted" $((seen + seen / 1000))
	verdict "recorded: $counted user instructions counted, $seen recorded" $?
}

# compare: the same on the OpenSBI of the kernel's suite; what differs is shown
compare()
{
	local opensbi=usr/lib/riscv64-linux-gnu/opensbi/generic/fw_dynamic.bin rows

	if ! timeout 200 scripts/guests/linux-guest.sh fetch "$build" opensbi \
		>"$work/err" 2>&1; then
		echo "ok - the same on OpenSBI # SKIP $(tail -n 1 "$work/err")"
		return
	fi
	for rows in "$counts $(samples)" all; do
		boot "$build/linux-guest/root/$opensbi" 4 $counting "$rows" "${icount[@]}"
		good=$?
		verdict "OpenSBI, 4 harts: $(grep -c '^ok' "$work/out") rows as on the firmware" \
			$good
		sed -n 's/^not ok/#   differs/p' "$work/out"
	done
}

# perf: Debian's perf stat and perf record in the guest
perf()
{
	if ! timeout 400 scripts/guests/linux-guest.sh fetch "$build" linux-perf+ \
		>"$work/err" 2>&1; then
		echo "ok - perf stat and perf record # SKIP $(tail -n 1 "$work/err")"
		return
	fi
	cp "$work/initramfs" "$work/plain.initramfs"
	scripts/guests/linux-guest.sh initramfs "$build" "$work/initramfs" \
		tests/linux_guest/perf_init bin/work="$work/init" \
		bin/perf="$build/linux-guest/root/usr/bin/perf" || exit 1
	boot "$work/plain/fw.elf" 1 $counting '' "${icount[@]}"
	good=$?
	mv "$work/plain.initramfs" "$work/initramfs"
	verdict 'perf: the guest ends its program and powers off' $good
	between 8000000 "$(value instructions:u)" 8200000
	good=$?
	verdict "perf stat: $(value instructions:u) user instructions of 8000000" $good
	between $(($(value instructions:u) + $(value instructions:k) - 100000)) "$(value cycles)" \
		$(($(value instructions:u) + $(value instructions:k) + 100000))
	good=$?
	verdict "perf stat: $(value cycles) cycles, $(value instructions:k) kernel instructions" $good
	[ -n "$(samples)" ] || { echo 'ok - perf record # SKIP LCOFIE is read-only 0'; return; }
	between 1800 "$(value samples)" 2200 && [ "$(value in-spin)" -ge 1790 ]
	good=$?
	verdict "perf record: $(value samples) samples of 2000, $(value in-spin) in the loop" $good
}

command -v riscv64-unknown-elf-gcc >/dev/null || skip 'no riscv64-unknown-elf-gcc'
command -v riscv64-linux-gnu-gcc >/dev/null || skip 'no riscv64-linux-gnu-gcc'
timeout 200 scripts/guests/linux-guest.sh fetch "$build" linux busybox-static >"$work/fetch" 2>&1 ||
	skip "$(tail -n 1 "$work/fetch")"
timeout 100 scripts/guests/qemu-new.sh "$build" >"$work/fetch" 2>&1 ||
	skip "$(tail -n 1 "$work/fetch")"
riscv64-linux-gnu-gcc -static -O2 -Wall -Wextra -Werror -std=gnu17 -D_GNU_SOURCE \
	tests/linux_guest/*.c -o "$work/init" || exit 1
scripts/guests/linux-guest.sh initramfs "$build" "$work/initramfs" "$work/init" || exit 1
firmware/build.sh 64 "$work/full" || exit 1
firmware/build.sh 64 "$work/plain" -DSNAPSHOT=false || exit 1

new=$build/qemu-new/usr
qemu=("$new/bin/qemu-system-riscv64" -L "$new/share/qemu")
label='QEMU 10'
if [ "$form" != long ]; then
	run "$work/plain/fw.elf" 1 $counting "$counts $(samples)" "${icount[@]}"
	exit $status
fi
for harts in 1 4; do
	run "$work/plain/fw.elf" $harts $counting "$counts $(samples)" "${icount[@]}"
	run "$work/full/fw.elf" $harts $counting "$counts" "${icount[@]}"
	run "$work/full/fw.elf" $harts max,sscofpmf=on,smstateen=on,smrnmi=on illegal
	run "$work/full/fw.elf" $harts rv64,zicntr=off,sstc=off ''
done
recorded
run "$work/plain/fw.elf" 4 rv64,sscofpmf=on all # each hart a thread of the host
compare
perf
if command -v qemu-system-riscv64 >/dev/null; then
	qemu=(qemu-system-riscv64)
	label=$(qemu-system-riscv64 --version | sed -nE '1s/.*version ([0-9.]+).*/QEMU \1/p')
	# no filters, and under -icount four harts stand still, on OpenSBI, too
	cpu=rv64,sscofpmf=on
	run "$work/plain/fw.elf" 1 $cpu "illegal $(samples)" "${icount[@]}"
	run "$work/plain/fw.elf" 4 $cpu 'illegal fences'
	run "$work/plain/fw.elf" 4 $cpu all
fi
exit $status
