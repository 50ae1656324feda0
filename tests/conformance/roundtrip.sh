#!/bin/bash
# decode(encode(recording)) = recording, block for block and trap for trap, for real programs under
# every option of N-Trace: alone, all together, in HTM and BTM.
set -u
: "${HARTSCOPE:?the path of the tool}" "${HARTSCOPE_SOURCE:?the source folder}"
programs=$HARTSCOPE_SOURCE/tests/programs
gcc=riscv64-linux-gnu-gcc
for tool in $gcc qemu-riscv64 qemu-riscv32; do
	command -v $tool >/dev/null || { echo "1..0 # SKIP no $tool"; exit 77; }
done
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT INT TERM
cd "$work" || exit 1
failed=0

# build NAME SOURCE FLAGS...
build()
{
	local out=$1 source=$2
	shift 2
	$gcc -O2 "$@" -o "$out" "$source" || { echo "not ok - $out: does not compile"; exit 1; }
}

# record NAME ARGS...
record()
{
	local name=$1
	shift
	"$HARTSCOPE" record -q -o "$name.rec" -- "./$name" "$@" >/dev/null 2>&1 </dev/null
	[ -f "$name.rec/manifest.json" ] || { echo "not ok - $name: no recording"; exit 1; }
}

# trip NAME TEXT [--elf FILE] SETTINGS...: one way there and back
trip()
{
	local name=$1 text=$2 elf=() settings=() s
	shift 2
	if [ "${1-}" = --elf ]; then
		elf=(--elf "$2")
		shift 2
	fi
	for s in "$@"; do
		settings+=(--set "$s")
	done
	rm -rf t.nt t.nt.json t.flow
	if "$HARTSCOPE" encode -q --protocol ntrace ${settings[@]+"${settings[@]}"} -o t.nt "$name.rec" &&
	   "$HARTSCOPE" decode -q ${elf[@]+"${elf[@]}"} -o t.flow t.nt &&
	   "$HARTSCOPE" check "$name.rec" t.flow >out; then
		echo "ok - $name, $text: $(cat out)"
	else
		echo "not ok - $name, $text"
		head -n 5 out
		failed=1
	fi
}

options=(trTeInstEnSequentialJump=1 trTeInstImplicitReturnMode=full trTeInstImplicitReturnMode=partial
	trTeInstEnRepeatedHistory=1 trTeInstEnAllJumps=1 trTeInstExtendAddrMSB=1 trTeContext=1 trTsEnable=1
	repeatBranch=1 btypePlain=0 histAlways=1)
all=(trTeInstEnSequentialJump=1 trTeInstImplicitReturnMode=full trTeInstEnRepeatedHistory=1
	trTeInstEnAllJumps=1 trTeInstExtendAddrMSB=1 trTeContext=1 trTsEnable=1 repeatBranch=1
	trTeInstSyncMode=messages trTeInstSyncMax=6)

# Every way, for one program.
every()
{
	local name=$1 o

	for mode in htm btm; do
		trip "$name" "$mode" trTeInstMode=$mode
		trip "$name" "$mode, synchronised by messages" trTeInstMode=$mode trTeInstSyncMode=messages trTeInstSyncMax=2
		trip "$name" "$mode, synchronised by half-words" trTeInstMode=$mode trTeInstSyncMode=halfwords trTeInstSyncMax=5
		trip "$name" "$mode, synchronised by bytes" trTeInstMode=$mode trTeInstSyncMode=bytes trTeInstSyncMax=6
		trip "$name" "$mode, I-CNT of 6 bits" trTeInstMode=$mode icntBits=6
		trip "$name" "$mode, I-CNT of 8 bits, full by SYNC" trTeInstMode=$mode icntBits=8 icntFull=sync histBits=5
		trip "$name" "$mode, all options" trTeInstMode=$mode "${all[@]}"
		trip "$name" "$mode, ratified, all options" trTeInstMode=$mode dialect=1.0 "${all[@]}"
	done
	for o in "${options[@]}"; do
		trip "$name" "$o" "$o"
	done
}

# Both modes, and everything.
some()
{
	trip "$1" htm trTeInstMode=htm
	trip "$1" btm trTeInstMode=btm
	trip "$1" "all options" "${all[@]}"
}

rv32='-march=rv32imac -mabi=ilp32 -static -nostdlib -ffreestanding'
build static "$programs/sort.c" -static
build dynamic "$programs/sort.c"
build threads "$programs/threads.c" -static -pthread
build signals "$programs/signals.c" -static
build faults "$programs/faults.c" -static
# shellcheck disable=SC2086
build rv32 "$programs/rv32.c" $rv32
build large "$HARTSCOPE_SOURCE/examples/sort.c" -g -static
record static
record dynamic
record threads
record signals 40
record faults
record rv32
record large 170000

every static
some dynamic
some signals
some faults
every rv32
trip rv32 "with the program alone" --elf rv32
trip static "with the program alone" --elf static

# Harts in one stream, split by SRC.
some threads
"$HARTSCOPE" encode -q --protocol ntrace -o threads.nt threads.rec
harts=$("$HARTSCOPE" info --json threads.rec | tr -d ' \n' | sed 's/.*"harts":\([0-9]*\).*/\1/')
for ((h = 0; h < harts; h++)); do
	"$HARTSCOPE" list --format pc --hart $h threads.rec >want
	"$HARTSCOPE" list --format pc --hart $h threads.nt >got
	if [ -s want ] && cmp -s want got; then
		echo "ok - threads, hart $h of $harts: $(wc -l <got) PCs"
	else
		echo "not ok - threads, hart $h of $harts"
		failed=1
	fi
done
[ "$harts" -ge 8 ] || { echo "not ok - threads: only $harts harts"; failed=1; }

# More than 10^9 instructions.
trip large htm --elf large
trip large btm --elf large trTeInstMode=btm
exit $failed
