#!/bin/bash
# What SBI PMU costs, in instructions (callgrind counts them, so every run gives the same): a table
# of each function; at most 20 for a firmware event that nobody counts; at most 16 KiB of text on
# rv64.
#
#   pmu_cost.sh BENCH-PMU
set -u
bench=$1
status=0
event_limit=20
text_limit=16384
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

verdict()
{
	if [ "$2" -le "$3" ]; then
		echo "ok - $1: $2, at most $3"
	else
		echo "not ok - $1: $2, more than $3"
		status=1
	fi
}

# Instructions of one call: prepare() makes three calls of its own, which do not count.
instructions()
{
	local inside=hs_pmu_ecall all before

	[ "$1" != fw_event ] || inside=hs_pmu_fw_event
	all=$(collected "$inside" "$1")
	before=$(collected "$inside" none)
	[ "$inside" = hs_pmu_ecall ] || before=0
	echo $(((all - before) / 1000))
}

collected()
{
	valgrind --tool=callgrind --callgrind-out-file=/dev/null --collect-atstart=no \
		--toggle-collect="$1" \
		"$bench" "$2" 2>&1 | sed -n 's/.*Collected : *\([0-9]*\).*/\1/p'
}

if command -v valgrind >/dev/null && ! grep -q __asan_init "$bench"; then
	for name in $("$bench" | grep -v none); do
		n=$(instructions "$name")
		if [ -z "$n" ] || [ "$n" -eq 0 ]; then
			echo "not ok - $name: nothing was counted"
			status=1
		elif [ "$name" = fw_event ]; then
			verdict 'instructions of a firmware event with nothing started' "$n" \
				$event_limit
		else
			echo "ok - $n instructions: $name"
		fi
	done
else
	echo 'ok - instructions # SKIP no valgrind, or a build with sanitizers'
fi

if command -v riscv64-unknown-elf-gcc >/dev/null; then
	cd "$HARTSCOPE_SOURCE" || exit 1
	for source in src/pmu/*.c; do
		riscv64-unknown-elf-gcc -march=rv64gc -mabi=lp64d -mcmodel=medany -std=gnu17 -O2 \
			-ffreestanding -Iinclude -Isrc \
			-c "$source" -o "$work/$(basename "$source" .c).o" || exit 1
	done
	riscv64-unknown-elf-ar rc "$work/pmu.a" "$work"/*.o
	verdict 'bytes of text on rv64' \
		"$(riscv64-unknown-elf-size -t "$work/pmu.a" | awk '/TOTALS/ { print $1 }')" \
		$text_limit
else
	echo 'ok - bytes of text on rv64 # SKIP no riscv64-unknown-elf-gcc'
fi
exit $status
