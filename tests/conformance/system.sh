# Shared by tests of whole machines: what they need, or a skip.  The caller has set what=TEXT.
# shellcheck shell=bash disable=SC2034
set -u
cd "${HARTSCOPE_SOURCE:?}" || exit 1
: "${HARTSCOPE:?the path of the tool}"
: "${what:?what is tested}"
build=${HARTSCOPE_BUILD:?}
qemu=$build/qemu-new/usr
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
. tests/conformance/verdict.sh

skip()
{
	echo "ok - $what # SKIP $1"
	exit 77
}

# settings NAME=VALUE...: as options of encode, in the array of that name
settings()
{
	local s

	settings=()
	for s in "$@"; do
		settings+=(--set "$s")
	done
}

command -v riscv64-unknown-elf-gcc >/dev/null || skip 'no riscv64-unknown-elf-gcc'
timeout 100 scripts/guests/qemu-new.sh "$build" >"$work/fetch" 2>&1
[ -d "$build/qemu-new/usr/bin" ] || skip "$(tail -n 1 "$work/fetch")"
. tests/need.sh
plugin=$(system_plugin "$build/plugins/qemu" "$qemu/bin/qemu-system-riscv64")
