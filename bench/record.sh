#!/bin/bash
# What recording costs: programs under plain QEMU and recorded, in turn, with one thread and with
# two, under each of several emulators.
#
#   bench/record.sh FOLDER [QEMU...]
#
# FOLDER is the build folder; QEMU: qemu-riscv64 by default.  Prints recorded / plain, the middle of
# five pairs, in CPU time of all processes and in wall-clock time.
set -eu -o pipefail
export LC_ALL=C HARTSCOPE_FORCE=1
cd "$(dirname "$0")/.."
build=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- qemu-riscv64
work=$build/bench-work
tool=$build/tools/hartscope/hartscope
rusage=$build/bench/bench-rusage
sqlite=better-sqlite3@11.8.1
. bench/common.sh
. bench/programs.sh
mkdir -p "$work"
ninja --quiet -C "$build" bench/bench-rusage tools/hartscope/hartscope

# of_threads NAME FILE OPTION...: the program of FILE, in two threads
of_threads()
{
	local name=$1 file=$2

	shift 2
	sed -E 's/^(\t?static )(uint32_t seed|struct words words|sqlite3 \*db)/\1_Thread_local \2/' \
		"$file" >"$work/$name.c"
	riscv64-linux-gnu-gcc -O2 -g -static -pthread -DTHREADS=2 -c bench/each_thread.c \
		-o "$work/each_thread.o"
	riscv64-linux-gnu-gcc -O2 -g -static -Dmain=work -I"$work" -c "$work/$name.c" \
		-o "$work/$name.o"
	riscv64-linux-gnu-gcc -static -pthread "$work/each_thread.o" "$work/$name.o" "$@" \
		-o "$work/$name"
}

# measure QEMU PROGRAM ARGUMENT
measure()
{
	forget plain recorded
	for _ in 1 2 3 4 5; do
		cost plain "$1" "$work/$2" "$3"
		cost recorded "$tool" record -q --qemu "$1" -o "$work/cost.rec" -- "$work/$2" "$3"
	done
	printf '%-26s %-18s %6s s %8s %8s\n' "$("$1" --version | sed -n '1s/ (.*//p')" "$2" \
		"$(best plain.cpu)" "$(ratio plain recorded cpu)" "$(ratio plain recorded wall)"
}

build_programs
of_threads sentences-threads examples/sort.c
[ ! -f "$work/sqlite3.c" ] || {
	riscv64-linux-gnu-gcc -O2 -g -DSQLITE_THREADSAFE=2 -DSQLITE_OMIT_LOAD_EXTENSION \
		-I"$work" -c "$work/sqlite3.c" -o "$work/sqlite3-threads.o"
	of_threads sqlite-threads bench/sqlite_driver.c "$work/sqlite3-threads.o" -lm
}
uptime
printf '%-26s %-18s %8s %8s %8s\n' emulator program 'plain CPU' CPU wall
for qemu; do
	measure "$qemu" sentences 360000
	measure "$qemu" sentences-threads 180000
	[ -f "$work/sqlite3.c" ] || continue
	measure "$qemu" sqlite 40000
	measure "$qemu" sqlite-threads 20000
done
