#!/bin/bash
# What QEMU itself says that it executed, one instruction at a time, against recordings.
#
#   tests/conformance/qemu_exec.sh
#
# QEMU's log (-one-insn-per-tb or, before 8.1, -singlestep; -d exec,nochain) has the address of
# every instruction that starts; a recording has those that retired.  They differ in the
# instructions that fault: each is followed by the handler of its signal.  Where two executions are
# never the same (timers, threads) every instruction has to be a possible successor of the one
# before it.
needs=qemu-riscv32
. "${HARTSCOPE_SOURCE:?the source folder}/tests/conformance/programs.sh"

# build NAME SOURCE FLAGS...
build() {
	out=$1 source=$2
	shift 2
	$gcc -O2 "$@" -o "$out" "$programs/$source.c" || { bad "$out: does not compile"; exit 1; }
}

# same COMMAND...: with the same environment and, of QEMU 10, the same addresses for every execution
same() {
	env -i HOME="$HOME" PATH="$PATH" HARTSCOPE_CACHE="${HARTSCOPE_CACHE-}" setarch -R "$@"
}

# record NAME OPTIONS...
record() {
	name=$1
	shift
	same "$HARTSCOPE" record -o "$name.rec" "$@" >"$name.out" 2>"$name.err"
}

# The same, in other pages: QEMU 10 maps them elsewhere where it has a plugin.
moved() {
	paste want got | awk '
		NF != 2 { exit 1 }
		{
			n = length($1) - 3; m = length($2) - 3
			a = substr($1, 1, n); b = substr($2, 1, m)
			if (substr($1, n + 1) != substr($2, m + 1)) exit 1
			if (!(a in to) && !(b in from)) { to[a] = b; from[b] = a }
			if (to[a] != b || from[b] != a) exit 1
		}'
}

# starts_of LOG: the addresses of the instructions that retired
starts_of() {
	awk '/^Trace/ { split($4, a, "/"); sub(/^0+/, "", a[2]); print a[2] }' "$1" |
		awk -v list="$handlers" '
			BEGIN { n = split(list, h, " "); while (n > 0) handler[h[n--]] = 1 }
			NR > 1 && !($1 in handler) { print previous }
			{ previous = $1 }
			END { print previous }'
}

# logged NAME: the log of the run that is recorded.  A dynamic loader does a little more or less
# where libraries are elsewhere.
logged() {
	QEMU_LOG=exec,nochain QEMU_LOG_FILENAME=log QEMU_ONE_INSN_PER_TB=1 setarch -R \
		"$HARTSCOPE" record -o "$1.rec" -- "./$1" >"$1.out" 2>"$1.err"
	starts_of log >want
	"$HARTSCOPE" list --format pc "$1.rec" >got 2>list.err
	cmp -s want got
}

# exact NAME QEMU...: the recording's PC list is QEMU's log, less instructions before a handler
exact() {
	name=$1
	shift
	one=-singlestep
	! "$1" --help | grep -q '^-one-insn-per-tb' || one=-one-insn-per-tb
	same "$@" $one -d exec,nochain -D log "./$name" >want.out 2>/dev/null
	want=$?
	record "$name" -- "./$name"
	is_status "$name" "$want" $?
	cmp -s want.out "$name.out" || bad "$name: another output"
	handlers=$(riscv64-linux-gnu-nm "$name" 2>/dev/null |
		awk '/ on_(segv|trap)$/ { sub(/^0+/, "", $1); printf "%s ", $1 }')
	starts_of log >want
	"$HARTSCOPE" list --format pc "$name.rec" >got 2>list.err
	if [ -s want ] && { cmp -s want got || moved || { [ $# -gt 1 ] && logged "$name"; }; }; then
		ok "$name: $(wc -l <got) instructions as in QEMU's log"
	else
		bad "$name: PC list"
		diff want got | head -5 | sed 's/^/# /'
		head -3 list.err
	fi
	count "$name" "$(wc -l <want)"
}

is_status() {
	if [ "$2" = "$3" ]; then ok "$1: exit status $2"; else bad "$1: exit status $3, not $2"; fi
}

# The manifest's own count, made while recording.
count() {
	if grep -q "\"instructions\": $2,\$" "$1.rec/manifest.json"; then
		ok "$1: manifest counts them"
	else
		bad "$1: manifest: $(grep instructions "$1.rec/manifest.json"), not $2"
	fi
}

# possible NAME HANDLER ARGUMENTS...
possible() {
	name=$1 handler=$2
	shift 2
	record "$name" -- "./$name" "$@" || bad "$name: exit status"
	address=$(riscv64-linux-gnu-nm "$name" |
		awk -v h="$handler" '$3 == h { sub(/^0+/, "", $1); print $1 }')
	riscv64-linux-gnu-objdump -d "$name" >disassembly
	"$HARTSCOPE" list --format pc "$name.rec" >got
	if awk -v handler="$address" -f "$HARTSCOPE_SOURCE/tests/conformance/successors.awk" \
		disassembly got >said; then
		ok "$name: $(tail -1 said)"
	else
		bad "$name: $(head -3 said)"
	fi
}

build sort sort -static
build sort-dynamic sort
build selfmod selfmod -static
build faults faults -static
build rv32 rv32 -march=rv32imac -mabi=ilp32 -static -nostdlib -ffreestanding
build signals signals -static
exact sort qemu-riscv64
exact sort-dynamic qemu-riscv64 -L /usr/riscv64-linux-gnu
exact selfmod qemu-riscv64
exact faults qemu-riscv64
exact rv32 qemu-riscv32
possible signals on_tick 20
exit $failed
