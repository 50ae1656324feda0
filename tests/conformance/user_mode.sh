#!/bin/bash
# Programs of others in user mode: Debian's Python, Lua and SQLite with their libraries.  And code
# that comes and goes: a compiler that rewrites, maps and patches what it executes, libraries that
# are loaded where another one was, code of RV32 that is written again.  A trace of them decodes to
# what was recorded.
#
#   user_mode.sh [long]    long is for scripts/soak/soak.sh: more of the same, with all options
set -u
. "${HARTSCOPE_SOURCE:?}/tests/conformance/trip.sh"
form=${1-short}
programs=$HARTSCOPE_SOURCE/tests/programs
gcc=riscv64-linux-gnu-gcc
need $gcc qemu-riscv64 qemu-riscv32
build=$(cd "${HARTSCOPE_BUILD:?}" && pwd)
root=$build/linux-guest/root

# record NAME WANTED COMMAND...: its output has this
record()
{
	local name=$1 wanted=$2

	shift 2
	timeout 300 "$HARTSCOPE" record -q -o "$work/$name.rec" "$@" >"$work/out" 2>&1 &&
		grep -qE "$wanted" "$work/out"
	good=$?
	verdict "$name: $(tail -n 1 "$work/out")" $good "$work/out"
	complete "$name"
}

# changed NAME: did code change in that recording?
changed()
{
	"$HARTSCOPE" info "$work/$1.rec" >"$work/out"
	grep -q '^code changed  *yes' "$work/out"
	verdict "$1: code changed" $? "$work/out"
}

# library NAME FLAG...: it asks for the address at which the other one is, too
library()
{
	local name=$1

	shift
	$gcc -O2 -fPIC -shared -Wl,-Ttext-segment=0x60000000 "$@" -o "$work/$name" \
		"$programs/library.c" || exit 1
}

interpreters()
{
	local rounds=$1 out

	out=$(timeout 300 "$HARTSCOPE_SOURCE/scripts/guests/linux-guest.sh" fetch "$build" \
		python3.13-minimal+ lua5.4+ sqlite3+ 2>&1) || {
		echo "ok - Python, Lua and SQLite # SKIP $(tail -n 1 <<<"$out")"
		return
	}
	record python '[1-9]' --sysroot "$root" -- "$root/usr/bin/python3.13" -I -S \
		"$programs/interpreted.py" "$rounds"
	record lua 'as expected' --sysroot "$root" -- "$root/usr/bin/lua5.4" \
		"$programs/interpreted.lua" "$rounds"
	sed "s/@ROUNDS@/$rounds/" "$programs/interpreted.sql" >"$work/script.sql"
	record sqlite '[|]' --sysroot "$root" -- "$root/usr/bin/sqlite3" :memory: \
		".read $work/script.sql"
	for name in python lua sqlite; do
		if [ "$form" = long ]; then
			trip_all $name
		else
			trip $name ntrace
			trip $name etrace "${all_etrace[@]}"
		fi
	done
}

$gcc -O2 -static -pthread "$programs/rewrite.c" -o "$work/rewrite" || exit 1
$gcc -O2 "$programs/loads.c" -o "$work/loads" || exit 1
library first.so
library second.so -DSECOND
record rewrite 'sum' -- "$work/rewrite" $([ "$form" = long ] && echo 2000)
changed rewrite
trip_all rewrite
record loads 'before: [1-9]' -- "$work/loads" $([ "$form" = long ] && echo 2000 || echo 20) \
	"$work/first.so" "$work/second.so"
changed loads
trip_all loads
$gcc -O2 -march=rv32imac_zifencei -mabi=ilp32 -static -nostdlib -ffreestanding \
	"$programs/rv32_rewrite.c" -o "$work/rv32_rewrite" || exit 1
record rv32_rewrite 'sum' -- "$work/rv32_rewrite"
changed rv32_rewrite
trip_all rv32_rewrite
if [ "${HARTSCOPE_SANITIZED:-0}" = 0 ]; then
	interpreters $([ "$form" = long ] && echo 200 || echo 10)
else
	echo 'ok - Python, Lua and SQLite # SKIP too slow with sanitizers'
fi
exit $status
