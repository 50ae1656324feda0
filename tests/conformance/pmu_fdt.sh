#!/bin/bash
# The riscv,pmu node of QEMU's own device trees, as hs_pmu_fdt_read() has it and as another reading
# (pmu_fdt.py) has it; the events are those that QEMU counts.  Then with selectors and raw events.
#
#   pmu_fdt.sh PMU-FDT
set -u
read_tree=$(realpath "$1")
cd "${HARTSCOPE_SOURCE:?}" || exit 1
build=${HARTSCOPE_BUILD:?}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
ran=0

same()
{
	if cmp -s "$2" "$3"; then
		echo "ok - $1"
	else
		echo "not ok - $1"
		diff "$2" "$3" | sed 's/^/  /'
		status=1
	fi
}

# look LABEL QEMU FIRMWARE-FOLDER
look()
{
	if ! command -v "$2" >/dev/null; then
		echo "ok - the tree of $1 # SKIP no $2"
		return
	fi
	timeout 60 "$2" ${3:+-L "$3"} -M virt,dumpdtb="$work/tree" -bios none -nographic \
		>"$work/log" 2>&1
	"$read_tree" "$work/tree" >"$work/ours" || { cat "$work/ours"; status=1; }
	python3 tests/conformance/pmu_fdt.py "$work/tree" >"$work/theirs"
	same "the tree of $1: $(wc -l <"$work/theirs") rows, as another reading has them" \
		"$work/theirs" "$work/ours"
	cut -d' ' -f2 "$work/ours" >"$work/first"
	printf '%s\n' 1 2 10019 1001b 10021 >"$work/wanted" # cycles, instructions, TLB misses
	same "the tree of $1: the events that QEMU counts" "$work/wanted" "$work/first"
	ran=1
}

look 'installed QEMU, rv64' qemu-system-riscv64 ''
look 'installed QEMU, rv32' qemu-system-riscv32 ''
timeout 100 scripts/guests/qemu-new.sh "$build" >"$work/fetch" 2>&1
look 'QEMU 10, rv64' "$build/qemu-new/usr/bin/qemu-system-riscv64" "$build/qemu-new/usr/share/qemu"
[ $ran -eq 1 ] || exit 77

python3 tests/conformance/pmu_fdt.py "$work/tree" "$work/more"
"$read_tree" "$work/more" >"$work/ours"
grep -E '^(event 10019 10019 .* 1234567890|raw )' "$work/ours" |
	sed 's/ [0-9a-f]* 1234567890$/ 1234567890/' >"$work/found"
cat >"$work/wanted" <<'EOS'
event 10019 10019 1234567890
raw 2 ffffffffffffffff 7fff8
raw 100 3ffffffffffff00 8
EOS
same 'a tree with selectors and raw events' "$work/wanted" "$work/found"
head -c 1000 "$work/more" >"$work/short"
if "$read_tree" "$work/short" >"$work/ours" ||
	! grep -q 'longer than its memory at 4' "$work/ours"; then
	echo 'not ok - a tree that is cut is refused'
	status=1
else
	echo 'ok - a tree that is cut is refused'
fi
exit $status
