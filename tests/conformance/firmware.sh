#!/bin/bash
# The firmware of firmware/ and its payload on QEMU's virt machine: rv64 and rv32, one and four
# harts, with and without Sscofpmf, on the installed QEMU and on the newer one that
# scripts/guests/qemu-new.sh fetches. The payload also runs on OpenSBI, as a comparison: there its
# answers are shown, not judged.
set -u
cd "${HARTSCOPE_SOURCE:?}" || exit 1
build=${HARTSCOPE_BUILD:?}
. tests/need.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
ran=0

if ! command -v riscv64-unknown-elf-gcc >/dev/null; then
	echo 'ok - firmware # SKIP no riscv64-unknown-elf-gcc'
	exit 77
fi

# run NAME HARTS FIRMWARE QEMU...: one machine; its lines go to $work/out.  The payload
# says where overflows cannot interrupt.
run()
{
	local harts=$2 firmware=$3 xlen result

	xlen=${1%% *}
	xlen=${xlen#rv}
	shift 3
	timeout 120 "$@" -M virt -smp "$harts" -m 128M -nographic -monitor none -bios "$firmware" \
		-kernel "$work/$xlen/payload.elf" </dev/null >"$work/out" 2>&1
	result=$?
	! grep -q 'SKIP LCOFIE' "$work/out" || no_overflows "$1" ||
		echo 'not ok - overflow: LCOFIE cannot be set' >>"$work/out"
	return $result
}

# judge NAME STATUS HARTS: the payload's own lines; each hart has to have spoken
judge()
{
	local name=$1 harts failed

	harts=$(sed -nE 's/^ok - hart ([0-9]+):.*/\1/p' "$work/out" | sort -u | wc -l)
	failed=$(grep -c '^not ok' "$work/out")
	[ "$3" -lt 4 ] || failed=$((failed + $(grep -c 'MISALIGNED_STORE # SKIP' "$work/out")))
	if [ "$2" -eq 0 ] && [ "$failed" -eq 0 ] && [ "$harts" -eq "$3" ] &&
		grep -q '^# [0-9]* passed, 0 failed' "$work/out"; then
		echo "ok - $name: $(grep -c '^ok' "$work/out") cases on $harts harts"
	else
		echo "not ok - $name: exit status $2, $failed failed, $harts of $3 harts"
		grep -A1 '^not ok' "$work/out" | head -n 20 | sed 's/^/  /'
		tail -n 2 "$work/out" | sed 's/^/  /'
		status=1
	fi
}

# machines LABEL PREFIX: all of them on one QEMU
machines()
{
	local label=$1 prefix=$2 xlen harts sscofpmf name qemu

	for xlen in 64 32; do
		qemu=${prefix}qemu-system-riscv$xlen
		if ! command -v "$qemu" >/dev/null; then
			echo "ok - rv$xlen on $label # SKIP no $qemu"
			continue
		fi
		for harts in 1 4; do
			for sscofpmf in true false; do
				name="rv$xlen, $harts harts, sscofpmf=$sscofpmf, QEMU $("$qemu" --version | sed -nE '1s/.*version ([0-9.]+).*/\1/p')"
				run "rv$xlen" "$harts" "$work/$xlen/fw.elf" "$qemu" ${prefix:+-L \
					"${prefix}../share/qemu"} -cpu "rv$xlen,sscofpmf=$sscofpmf"
				judge "$name" $? "$harts"
				ran=1
			done
		done
	done
}

# tree LABEL PREFIX: QEMU's own device tree, to which selectors and raw events are added
tree()
{
	local qemu xlen harts=2

	command -v "${2}qemu-system-riscv64" >/dev/null || return
	for xlen in 64 32; do
		qemu=${2}qemu-system-riscv$xlen
		command -v "$qemu" >/dev/null || continue
		timeout 60 "$qemu" ${2:+-L "${2}../share/qemu"} -M virt,dumpdtb="$work/tree" \
			-m 128M -smp $harts -cpu "rv$xlen,sscofpmf=true" -bios none -nographic \
			>"$work/log" 2>&1
		python3 tests/conformance/pmu_fdt.py "$work/tree" "$work/more" || status=1
		run "rv$xlen" $harts "$work/$xlen/fw.elf" "$qemu" ${2:+-L "${2}../share/qemu"} \
			-cpu "rv$xlen,sscofpmf=true" -dtb "$work/more"
		judge "rv$xlen, raw events, $1 QEMU" $? $harts
		if grep -q 'raw events # SKIP' "$work/out" ||
			! grep -q 'raw event: instructions' "$work/out"; then
			echo "not ok - rv$xlen, raw events, $1 QEMU: they were not tested"
			status=1
		fi
	done
	python3 tests/conformance/pmu_fdt.py "$work/tree" "$work/bad" bad || status=1
	run rv64 1 "$work/64/fw.elf" "${2}qemu-system-riscv64" ${2:+-L "${2}../share/qemu"} \
		-dtb "$work/bad"
	if grep -q 'selector 0, which is no event' "$work/out"; then
		echo "ok - a device tree with selector 0 is refused, $1 QEMU"
	else
		echo "not ok - a device tree with selector 0 is refused, $1 QEMU"
		status=1
	fi
}

# everything: a hart whose traps are fatal until the firmware says otherwise (Smdbltrp, Smrnmi), and
# that has whatever QEMU knows
everything()
{
	local new=$build/qemu-new/usr

	run 'rv64' 2 "$work/64/fw.elf" "$new/bin/qemu-system-riscv64" -L "$new/share/qemu" \
		-cpu max,sscofpmf=on,smstateen=on,smrnmi=on
	judge 'rv64, -cpu max' $? 2
}

# compare: the payload on the firmware that Debian has
compare()
{
	local opensbi=/usr/lib/riscv64-linux-gnu/opensbi/generic/fw_dynamic.bin

	if [ ! -f "$opensbi" ] || ! command -v qemu-system-riscv64 >/dev/null; then
		echo 'ok - the payload on OpenSBI # SKIP not installed'
		return
	fi
	run 'rv64' 1 "$opensbi" qemu-system-riscv64 -cpu rv64,sscofpmf=true
	if grep -q '^# [0-9]* passed' "$work/out"; then
		echo "ok - the payload reaches its end on OpenSBI:$(grep '^# [0-9]* passed' "$work/out" | tr -d '#')"
		grep '^not ok' "$work/out" | sed 's/^not ok/#   differs/'
	else
		echo 'not ok - the payload does not reach its end on OpenSBI'
		tail -n 3 "$work/out" | sed 's/^/  /'
		status=1
	fi
}

for xlen in 64 32; do
	firmware/build.sh $xlen "$work/$xlen" || exit 1
done
machines installed ''
tree installed ''
timeout 100 scripts/guests/qemu-new.sh "$build" >"$work/fetch" 2>&1
if [ -d "$build/qemu-new/usr/bin" ]; then
	machines new "$build/qemu-new/usr/bin/"
	tree new "$build/qemu-new/usr/bin/"
	everything
else
	echo "ok - QEMU 10 # SKIP $(tail -n 1 "$work/fetch")"
fi
compare
[ $ran -eq 1 ] || [ $status -ne 0 ] || exit 77
exit $status
