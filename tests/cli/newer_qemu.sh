#!/bin/sh
# A test of recording programs again, under the emulator that scripts/guests/qemu-user.sh builds:
#
#   newer_qemu.sh TEST [ARGUMENT]...
#
# Where the emulator of PATH is as new, the test runs once only.
set -u
: "${HARTSCOPE_SOURCE:?the source folder}" "${HARTSCOPE:?the path of the tool}"
folder=$(mktemp -d)
timeout 800 "$HARTSCOPE_SOURCE/scripts/guests/qemu-user.sh" >"$folder/said" 2>&1
code=$?
said=$(tail -n 1 "$folder/said")
rm -rf "$folder"
[ $code -ne 77 ] || { echo "ok - ${1##*/}: another QEMU # SKIP $said"; exit 77; }
bin=$(echo "$said" | sed -n 's|^QEMU .* with plugins: \(.*\)/qemu-riscv64, .*|\1|p')
[ -n "$bin" ] || { echo "not ok - ${1##*/}: $said"; exit 1; }
! "$HARTSCOPE" record --check 2>&1 | grep -q "^programs of RV64 .*hartscope-qemu-[37]\.so" || {
	echo "ok - ${1##*/}: another QEMU # SKIP that of PATH is as new"
	exit 77
}
PATH=$bin:$PATH exec "$@"
