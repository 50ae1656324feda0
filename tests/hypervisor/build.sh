#!/bin/sh
# Build the hypervisor with a guest inside:  tests/hypervisor/build.sh XLEN GUEST MOVES OUTPUT
# GUEST: payload (of firmware/), a C file of this folder, or linux, which is loaded next to the
# hypervisor; MOVES: exits of the guest from one move
# to the other hart to the next.
set -eu
xlen=$1 guest=$2 moves=$3 output=$4
cd "$(dirname "$0")/../.."
cross=${CROSS:-riscv64-unknown-elf-}
abi=lp64
[ "$xlen" = 64 ] || abi=ilp32

compile()
{
	out=$1
	script=$2
	shift 2
	"${cross}gcc" -march="rv${xlen}imac_zicsr_zifencei" -mabi=$abi -mcmodel=medany -std=gnu17 \
		-O2 -g -Wall -Wextra -Werror -ffreestanding -fno-pic -fno-strict-aliasing \
		-msmall-data-limit=0 -nostdlib -static -Wl,--build-id=none \
		-Iinclude -Isrc -Ifirmware -Ifirmware/payload -T "$script" "$@" -o "$out"
}

loaded=0
files="firmware/payload/sbi.c tests/hypervisor/$guest.c"
case $guest in
linux) loaded=1 files= ;;
payload) files="firmware/payload/*.c" ;;
esac
if [ -n "$files" ]; then
	# shellcheck disable=SC2086 # a list of files
	compile "$output.guest" firmware/payload/payload.lds -DPAYLOAD_IN_GUEST=1 \
		firmware/payload/start.S $files
	"${cross}objcopy" -O binary "$output.guest" "$output.bin"
else
	: >"$output.bin"
fi
compile "$output" tests/hypervisor/hv.lds -DGUEST="\"$output.bin\"" -DGUEST_LOADED=$loaded \
	-DMOVES="$moves" \
	tests/hypervisor/entry.S tests/hypervisor/hv_*.c tests/hypervisor/guest_counters.c \
	firmware/payload/sbi.c firmware/mem.c src/pmu/*.c
