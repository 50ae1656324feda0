#!/bin/sh
# Build a program of this folder:  tests/ctr_guest/build.sh NAME XLEN OUTPUT
set -eu
folder=$(dirname "$0")
abi=lp64
[ "$2" = 64 ] || abi=ilp32
"${CROSS:-riscv64-unknown-elf-}gcc" -march="rv$2imac_zicsr_zifencei" -mabi=$abi -nostdlib -static \
	-Wl,--build-id=none \
	-I"$folder" -T "$folder/guest.lds" "$folder/runtime.S" "$folder/$1.S" -o "$3"
