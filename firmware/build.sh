#!/bin/sh
# Build the firmware and its payload, FOLDER/fw.elf and FOLDER/payload.elf:
#
#   firmware/build.sh XLEN FOLDER [FLAG...]     -DSNAPSHOT=false: without snapshots of counters
set -eu
xlen=$1
mkdir -p "$2"
folder=$(cd "$2" && pwd)
shift 2
cd "$(dirname "$0")/.."

cross=${CROSS:-riscv64-unknown-elf-}
abi=lp64
[ "$xlen" = 64 ] || abi=ilp32

compile()
{
	out=$1
	script=$2
	shift 2
	"${cross}gcc" -march=rv${xlen}imac_zicsr_zifencei -mabi=$abi -mcmodel=medany -std=gnu17 \
		-O2 -g -Wall -Wextra -Werror \
		-ffreestanding -fno-pic -fno-strict-aliasing -msmall-data-limit=0 -nostdlib \
			-static -Wl,--build-id=none \
		-Iinclude -Isrc -Ifirmware -T "$script" "$@" -o "$out"
}

compile "$folder/fw.elf" firmware/fw.lds "$@" firmware/*.S firmware/*.c src/pmu/*.c
compile "$folder/payload.elf" firmware/payload/payload.lds firmware/payload/*.S firmware/payload/*.c
