#!/bin/bash
# decode(encode(recording)) = recording, block for block and trap for trap, for real programs under
# every option of N-Trace and E-Trace: alone, all together, in HTM and BTM, in each version.  Builds
# with sanitizers take a part of the largest program, and all options for one program only.
#
#   roundtrip.sh [long]      long: more than 10^9 instructions of the largest program, not 2 * 10^8
needs=qemu-riscv32
. "${HARTSCOPE_SOURCE:?the source folder}/tests/conformance/programs.sh"
HARTSCOPE_SANITIZED=${HARTSCOPE_SANITIZED:-0}
sentences=34000
[ "${1-}" != long ] || sentences=170000
((!HARTSCOPE_SANITIZED)) || sentences=1700

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

# trip NAME TEXT [--elf FILE] SETTINGS...: one way there and back, in $protocol
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
	rm -rf t.trace t.trace.json t.flow
	if "$HARTSCOPE" encode -q --protocol $protocol ${settings[@]+"${settings[@]}"} -o t.trace \
		"$name.rec" &&
	   "$HARTSCOPE" decode -q ${elf[@]+"${elf[@]}"} -o t.flow t.trace &&
	   "$HARTSCOPE" check "$name.rec" t.flow >out; then
		echo "ok - $name, $protocol, $text: $(cat out)"
	else
		echo "not ok - $name, $protocol, $text"
		head -n 5 out
		failed=1
	fi
}

options=(trTeInstEnSequentialJump=1 trTeInstImplicitReturnMode=full \
	trTeInstImplicitReturnMode=partial
	trTeInstEnRepeatedHistory=1 trTeInstEnAllJumps=1 trTeInstExtendAddrMSB=1 trTeContext=1 \
		trTsEnable=1
	repeatBranch=1 btypePlain=0 histAlways=1)
all=(trTeInstEnSequentialJump=1 trTeInstImplicitReturnMode=full trTeInstEnRepeatedHistory=1
	trTeInstEnAllJumps=1 trTeInstExtendAddrMSB=1 trTeContext=1 trTsEnable=1 repeatBranch=1
	trTeInstSyncMode=messages trTeInstSyncMax=6)

# Every way, for one program.
every_ntrace()
{
	local name=$1 o

	for mode in htm btm; do
		trip "$name" "$mode" trTeInstMode=$mode
		trip "$name" "$mode, synchronised by messages" trTeInstMode=$mode \
			trTeInstSyncMode=messages trTeInstSyncMax=2
		trip "$name" "$mode, synchronised by half-words" trTeInstMode=$mode \
			trTeInstSyncMode=halfwords trTeInstSyncMax=5
		trip "$name" "$mode, synchronised by bytes" trTeInstMode=$mode \
			trTeInstSyncMode=bytes trTeInstSyncMax=6
		trip "$name" "$mode, I-CNT of 6 bits" trTeInstMode=$mode icntBits=6
		trip "$name" "$mode, I-CNT of 8 bits, full by SYNC" trTeInstMode=$mode icntBits=8 \
			icntFull=sync histBits=5
		trip "$name" "$mode, all options" trTeInstMode=$mode "${all[@]}"
		trip "$name" "$mode, ratified, all options" trTeInstMode=$mode dialect=1.0 \
			"${all[@]}"
	done
	for o in "${options[@]}"; do
		trip "$name" "$o" "$o"
	done
}

# Both modes, and everything.
some_ntrace()
{
	trip "$1" htm trTeInstMode=htm
	trip "$1" btm trTeInstMode=btm
	trip "$1" "all options" "${all[@]}"
}

# Settings of E-Trace: a line for each, without version.
etrace_options()
{
	cat <<-'END'
		full-address=true
		implicit-return=true return_stack_size_p=2
		implicit-return=true return_stack_size_p=5
		implicit-return=true call_counter_size_p=1
		implicit-return=true call_counter_size_p=3
		implicit-return=true return_stack_size_p=3 iret_ext=1
		implicit-except=true
		si-jump=true sijump_p=1
		branch-prediction=true bpred_size_p=6
		jump-target-cache=true cache_size_p=5
		nocontext_p=0 context-precise=1
		nocontext_p=0 notime_p=0
		itype_width_p=3
		no-compress=1
		dialect=reference
		dialect=none iaddress_lsb_p=0
		trTeInstSyncMode=packets resync-max=0
		trTeInstSyncMode=halfwords resync-max=7
		trTeInstSyncMode=off
	END
}
together=(full-address=true implicit-return=true return_stack_size_p=4 implicit-except=true \
	si-jump=true sijump_p=1
	branch-prediction=true bpred_size_p=8 jump-target-cache=true cache_size_p=6 f0s_width_p=1 \
		nocontext_p=0 notime_p=0
	context-precise=1 trTeInstSyncMode=packets resync-max=3)

every_etrace()
{
	local name=$1 version settings

	for version in 2.0 1.1; do
		trip "$name" "$version" version=$version
		while read -r settings; do
			# shellcheck disable=SC2086
			trip "$name" "$version, $settings" version=$version $settings
		done < <(etrace_options)
		trip "$name" "$version, all options" version=$version "${together[@]}"
		trip "$name" "$version, all options but one" version=$version "${together[@]}" \
			full-address=false iret_ext=1
	done
	some_etrace "$name"
}

some_etrace()
{
	trip "$1" 2.0 version=2.0
	trip "$1" "2.0, all options" version=2.0 "${together[@]}"
	trip "$1" "1.1, all options, call counter" version=1.1 "${together[@]}" \
		return_stack_size_p=0 call_counter_size_p=3
	trip "$1" 0.026 version=0.026
	trip "$1" "0.026, full addresses" version=0.026 full-address=true
}

rv32='-march=rv32imac -mabi=ilp32 -static -nostdlib -ffreestanding'
build static "$programs/sort.c" -static
build jit "$programs/jit.c" -static
build dynamic "$programs/sort.c"
build threads "$programs/threads.c" -static -pthread
build signals "$programs/signals.c" -static
build faults "$programs/faults.c" -static
# shellcheck disable=SC2086
build rv32 "$programs/rv32.c" $rv32
build large "$HARTSCOPE_SOURCE/examples/sort.c" -g -static
record static
record jit
record dynamic
record threads
record signals $((HARTSCOPE_SANITIZED ? 8 : 40))
record faults
record rv32
record large $sentences
cp large medium
record medium $((HARTSCOPE_SANITIZED ? 1700 : 17000))
most=every
((HARTSCOPE_SANITIZED)) && most=some

# signals_of ARGUMENT...: addresses of interrupted instructions, and handlers
signals_of()
{
	"$HARTSCOPE" traps -q --json "$@" 2>/dev/null | grep '"signal"' | grep -v 'systemCall\|"traps"' |
		sed 's/.*"target"/"target"/; s/"signal".*"handler"/"handler"/; s/,"value".*//; s/}.*//'
}

# same_signals PROTOCOL: a decoded trace has the signals of the recording as signals
same_signals()
{
	"$HARTSCOPE" encode -q --protocol "$1" -o signals.trace signals.rec &&
		signals_of signals.rec >signals.want &&
		signals_of --image signals.rec --elf signals signals.trace >signals.got &&
		[ -s signals.want ] && diff signals.want signals.got >out 2>&1
	verdict "$1: signals are signals in the trace, too" $? out
}

# counts TEXT WANT FILE: stat's instructions and the lines of a listing
counts()
{
	local got

	got="$("$HARTSCOPE" stat -q --json "$3" | sed -n 's/^ *"instructions": \([0-9]*\),/\1/p')
$("$HARTSCOPE" list --format pc "$3" | wc -l) $("$HARTSCOPE" list "$3" | grep -c '^ ')"
	if [ "$got" = "$2
$2 $2" ]; then
		echo "ok - $1: $2 instructions"
	else
		echo "not ok - $1: $2 instructions, not" $got
		failed=1
	fi
}

# Code that changes: everything counts the instructions that ran, as the recorder did.
counts_of_jit()
{
	local want

	want=$(sed -n 's/^ *"instructions": \([0-9]*\),*/\1/p' jit.rec/manifest.json)
	"$HARTSCOPE" encode -q --protocol "$1" -o jit.trace jit.rec
	rm -rf jit.flow
	"$HARTSCOPE" decode -q -o jit.flow jit.trace
	for file in jit.rec jit.trace jit.flow; do
		counts "counts of $file, $1" "$want" $file
	done
}

for protocol in ntrace etrace; do
	${most}_$protocol static
	${most}_$protocol jit
	counts_of_jit $protocol
	some_$protocol dynamic
	some_$protocol signals
	same_signals $protocol
	some_$protocol faults
	every_$protocol rv32
	trip rv32 "with the program alone" --elf rv32
	trip static "with the program alone" --elf static

	# Harts in one stream, split by SRC or srcID.
	some_$protocol threads
	"$HARTSCOPE" encode -q --protocol $protocol -o threads.trace threads.rec
	harts=$("$HARTSCOPE" info --json threads.rec | tr -d ' \n' |
		sed 's/.*"harts":\([0-9]*\).*/\1/')
	for ((h = 0; h < harts; h++)); do
		"$HARTSCOPE" list --format pc --hart $h threads.rec >want
		"$HARTSCOPE" list --format pc --hart $h threads.trace >got
		if [ -s want ] && cmp -s want got; then
			echo "ok - threads, $protocol, hart $h of $harts: $(wc -l <got) PCs"
		else
			echo "not ok - threads, $protocol, hart $h of $harts"
			failed=1
		fi
	done
	[ "$harts" -ge 8 ] || { echo "not ok - threads: only $harts harts"; failed=1; }
done

# The largest program; in BTM one of 10^8 instructions.
protocol=ntrace
trip large htm --elf large
trip medium btm --elf medium trTeInstMode=btm
protocol=etrace
trip large "2.0, all options" --elf large version=2.0 "${together[@]}"
exit $failed
