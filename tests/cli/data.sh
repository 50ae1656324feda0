#!/bin/sh
# Data accesses of a program: recorded, encoded as data trace, decoded, listed.  The addresses are
# those that nm has for the program's variables, the values those that its source stores.
. "$(dirname "$0")/lib.sh"
: "${HARTSCOPE_SOURCE:?the source folder}"
gcc=riscv64-linux-gnu-gcc
need $gcc riscv64-linux-gnu-nm qemu-riscv64
$gcc -O1 -static -nostdlib -ffreestanding -Wl,--no-relax -o data \
	"$HARTSCOPE_SOURCE/tests/programs/data.c" || { bad 'compiles'; exit 1; }

# at NAME [OFFSET]: the address of a variable
at() {
	printf '0x%x' $((0x$(riscv64-linux-gnu-nm data | sed -nE "s/ [A-Za-z] $1\$//p") + ${2:-0}))
}

# accesses SOURCE [LIST OPTION...]: what list shows next to instructions and as lines
accesses() {
	"$HARTSCOPE" list --elf data "$@" | sed -nE \
		's/.*# ((load|store|atomic|CSR|conditional).*)/\1/p; s/^; data: /stray /p'
}

{
	for i in 0 1 2 3 4 5 6 7; do echo "store $(at bytes $i) = 0x1$i"; done
	echo "store $(at half) = 0xbeef"
	echo "store $(at word) = 0xdeadbeef"
	echo "load $(at word) = 0xdeadbeef"
	echo "load $(at big) = 0x1122334455667788"
	echo "store $(at big) = 0x112233448bcbc967" # exclusive or of both
	echo "atomic add $(at amo) = 0x5, operand 0x7"
	echo "atomic swap $(at amo) = 0xc, operand 0x64"
	echo "load $(at amo) = 0x64"
	echo "store $(at amo) = 0x7"
	echo "load $(at word) = 0xdeadbeef"
} >want

exits 'record --data' 0 "$HARTSCOPE" record --data -o data.rec -- ./data
accesses data.rec >got
is 'addresses and values' "$(cat want)" "$(cat got)"
has 'the manifest says so' '"data": "values"' data.rec/manifest.json
exits 'record --data=addresses' 0 "$HARTSCOPE" record --data=addresses -o addresses.rec -- ./data
sed -E 's/( 0x[0-9a-f]+) = .*/\1/' want >want-addresses
accesses addresses.rec >got
is 'addresses' "$(cat want-addresses)" "$(cat got)"
exits 'record' 0 "$HARTSCOPE" record -o plain.rec -- ./data
is 'without --data there are none' '' "$(accesses plain.rec)"
exits 'the instructions are the same' 0 "$HARTSCOPE" check plain.rec data.rec
exits 'no such kind of data' 2 "$HARTSCOPE" record --data=registers -o x.rec -- ./data
has 'says which there are' 'values or addresses' err

# A store-conditional that failed is no store: the program's status has a bit for each that says so.
$gcc -O1 -static -nostdlib -ffreestanding -Wl,--no-relax -o conditional \
	"$HARTSCOPE_SOURCE/tests/programs/conditional.c" || { bad 'compiles'; exit 1; }
exits 'store-conditionals: those that fail' $((1 << 1 | 1 << 2 | 1 << 4)) \
	"$HARTSCOPE" record --data -o conditional.rec -- ./conditional
"$HARTSCOPE" list conditional.rec |
	sed -nE 's/.*  sc\.[^#]*# (store|conditional store failure)[^=]*(= (.*))?$/\1 \3/p' >got
is 'store-conditionals: what each did' "$(printf '%s\n' 'store 0x11' \
	'conditional store failure ' 'conditional store failure ' 'store 0x55' \
	'conditional store failure ' 'store 0x77' 'conditional store failure ')" "$(cat got)"

"$HARTSCOPE" stat data.rec >out
has 'stat: loads' '^loads  *4$' out
has 'stat: stores' '^stores  *12$' out
has 'stat: atomics' '^atomics  *2$' out

# Who wrote to a variable, and who was the last one before a place.
writes() {
	"$HARTSCOPE" list --elf data --writes-to "$@" |
		sed -nE 's/^ .*# ((store|atomic)[^#]*[^# ]) *(#.*)?$/\1/p'
}
grep -E '^(store|atomic)' want >want-writes
is 'writes to a variable' "$(grep "$(at amo)" want-writes)" "$(writes amo data.rec)"
is 'writes to a byte of an address' "$(grep "$(at word) =" want-writes)" \
	"$(writes "$(at word 2),1" data.rec)"
is 'the last write' "$(grep "$(at bytes 7)" want-writes)" "$(writes bytes --last 1 data.rec)"
last=$("$HARTSCOPE" list --writes-to amo data.rec | sed -n 's/.*# instruction //p' | tail -n 1)
is 'the last write before a place' "$(grep 'swap' want-writes)" \
	"$(writes amo --to "$last" --last 1 data.rec)"
exits 'nothing wrote there' 1 "$HARTSCOPE" list --writes-to 0x10 data.rec
has 'nothing wrote there: says so' 'nothing there wrote to 0x10$' err
exits 'no data' 1 "$HARTSCOPE" list --writes-to amo plain.rec
has 'no data: what helps' 'hartscope record --data' err
exits 'no such variable' 2 "$HARTSCOPE" list --writes-to nothing data.rec
has 'no such variable: says so' "no variable with a fixed address is called 'nothing'" err
# Who accesses memory how often: loads, stores, atomics, bytes.
row() { "$HARTSCOPE" report --by access "$@" | sed -nE 's/^ +([0-9]+.*_start)$/\1/p' | xargs; }
is 'accesses by function' '4 12 2 54 _start' "$(row data.rec)"
is 'accesses to a variable' '2 1 0 12 _start' "$(row --accesses-to word data.rec)"
exits 'accesses, json' 0 "$HARTSCOPE" report --by access --json data.rec
json 'accesses, json' out
exits 'accesses without data' 1 "$HARTSCOPE" report --by access plain.rec
has 'accesses without data: what helps' 'hartscope record --data' err
# A watchpoint, backwards: GDB stops where the value changed.
if command -v gdb-multiarch >/dev/null; then
	timeout 60 gdb-multiarch -nx -batch -x "$HARTSCOPE_SOURCE/scripts/gdb/hartscope.py" \
		-ex "target remote | $HARTSCOPE gdb -q - data.rec" -ex 'hartscope goto end' \
		-ex 'watch *(unsigned *) &amo' -ex reverse-continue -ex reverse-continue \
		-ex continue -ex 'print (unsigned) amo' ./data >out 2>&1 </dev/null
	is 'watch, backwards and forwards' '7 100 100 12 12 100' \
		"$(sed -nE 's/^(Old|New) value = //p' out | xargs)"
	has 'watch: the value there' '= 100$' out
	timeout 60 gdb-multiarch -nx -batch -x "$HARTSCOPE_SOURCE/scripts/gdb/hartscope.py" \
		-ex "target remote | $HARTSCOPE gdb -q - plain.rec" -ex 'watch *(unsigned *) &amo' ./data \
		>out 2>&1 </dev/null
	has 'watch without data: what helps' 'no data was recorded.*hartscope record --data' out
	if [ -z "${HARTSCOPE_SANITIZED-}" ]; then
		cat >often.c <<-EOS
			volatile unsigned often;
			int main(void)
			{
				for (unsigned i = 0; i < 4300000; i++)
					often = i;
			}
		EOS
		riscv64-linux-gnu-gcc -O1 -g -static often.c -o often
		"$HARTSCOPE" record -q --data -o often.rec ./often
		timeout 60 gdb-multiarch -nx -batch -iex 'set remotetimeout 60' \
			-ex "target remote | $HARTSCOPE gdb -q - often.rec" \
			-ex 'watch often' -ex continue ./often >out 2>&1 </dev/null
		has 'more accesses than are kept' '^hartscope: more than 4,194,304 accesses' out
		rm -rf often.rec
	fi
fi

# A trace has accesses only when it is asked for them.
for protocol in ntrace etrace; do
	for name in plain data; do
		"$HARTSCOPE" encode -q --protocol $protocol -o $name.$protocol $name.rec
	done
	is "$protocol: without data trace the bytes are the same" \
		"$(cksum <plain.$protocol)" "$(cksum <data.$protocol)"
done

# trip WANT SETTING...: there and back
trip() {
	expected=$1
	shift
	"$HARTSCOPE" encode -q --protocol etrace --set data-trace=1 $(printf -- '--set %s ' "$@") \
		-o trace data.rec
	"$HARTSCOPE" decode -q --elf data -o trace.flow trace
	exits "data trace, $*: instructions" 0 "$HARTSCOPE" check data.rec trace.flow
	is "data trace, $*: accesses in the flow" "$expected" "$(accesses trace.flow)"
	is "data trace, $*: accesses in the trace" "$expected" "$(accesses trace)"
}
trip "$(cat want)" doptions-width=0
is 'data trace: writes to a variable' "$(grep "$(at amo)" want-writes)" "$(writes amo trace)"
trip "$(cat want)" data-split=1 lrid_width_p=2
trip "$(cat want)" data-compression=xor data-narrow-diff=1
trip "$(cat want)" data-compression=difference data-full-address=1
trip "$(cat want-addresses)" trTeDataNoValue=1
trip "$(sed -E 's/^(load|atomic [a-z]+)/\1 request/' want-addresses)" \
	trTeDataNoValue=1 data-split=1 lrid_width_p=1 # which has no responses
trip "$(sed -E 's/(load|store|add|swap) 0x[0-9a-f]+/\1/' want)" trTeDataNoAddr=1
trip "$(cat want)" mmacas_ext=1
trip "$(cat want)" mmacas_ext=1 data-split=1 lrid_width_p=2
trip "$(cat want)" mmacas_ext=1 data-full-value=1
trip "$(cat want-addresses)" mmacas_ext=1 trTeDataNoValue=1 data-split=1 lrid_width_p=1 # unified
trip "$(sed -E 's/(load|store|add|swap) 0x[0-9a-f]+/\1/' want)" mmacas_ext=1 trTeDataNoAddr=1
trip "$(grep -E '^(load|store)' want)" mmacas_ext=1 dtype_width_p=2 # atomics have no packet

# filtered TEXT WANT OPTION...: the accesses of a trace with a filter, and all instructions.  Which
# instruction made an access that has others left out before it, list does not know.
filtered() {
	text=$1 expected=$2
	shift 2
	exits "$text" 0 "$HARTSCOPE" encode -q --protocol etrace --set data-trace=1 "$@" \
		-o trace data.rec
	is "$text: accesses" "$expected" "$(accesses trace | sed 's/^stray //')"
	exits "$text: instructions" 0 "$HARTSCOPE" check data.rec trace
}
filtered "filter by address" "$(grep "$(at word) =" want)" \
	--filter "daddr=$(at word)-$(at word 3)"
filtered "filter by type" "$(grep '^atomic' want)" --filter dtype=add,swap
filtered "filter by size, or by type" "$(grep -E "^load|$(at big) =" want)" --filter dsize=8 \
	--filter dtype=load
# trTeDataFilters: filter 2 takes stores (bit 1 of dtype) of 1 and 2 bytes (bits 0 and 1 of dsize)
# to comparator 1, daddr >= half.
cat >data.regs <<-EOS
	trTeDataControl = 0x00080003
	trTeDataFilters = 0x4
	trTeFilter2Control = 0x03000031
	trTeFilter2MatchData = 0x00030002
	trTeComp1Control = 0x53
	trTeComp1PMatchLow = $(at half)
	trTeComp1PMatchHigh = 0
EOS
awk -v half="$(at half)" '$1 == "store" && $4 ~ /^0x(1.|beef)$/ && $2 >= half' want >short-stores
filtered "filters of registers" "$(cat short-stores)" --registers data.regs
# The same filter as writes.
"$HARTSCOPE" registers --protocol etrace --set data-trace=1 \
	--filter "daddr>=$(at half)+dtype=store+dsize=1,2" -o written.regs
has "registers: trTeDataFilters" '^trTeDataFilters = 0x00000001' written.regs
has "registers: trTeFilter0MatchData" '^trTeFilter0MatchData = 0x00030002' written.regs
filtered "filters of writes" "$(cat short-stores)" --registers written.regs

# The same filter in a device: trTeDataTracing is written once the encoder is enabled.
{
	printf '[ram 0x1000]\ntrRamLimitLow = 0xffc\n[encoder 0x2000]\n'
	printf 'trTeFormat = 0\ntrTeInstMode = 7\n'
	cat data.regs
} >data.system
exits "a device" 0 "$HARTSCOPE" encode -q --system data.system -o board data.rec
is "a device: accesses" "$(cat short-stores)" \
	"$(accesses board/ram-0x1000.trace | sed 's/^stray //')"
exits "a device: instructions" 0 "$HARTSCOPE" check data.rec board/ram-0x1000.trace
sed '/trTeDataFilters/d' data.system >all.system
exits "a device without filters" 0 "$HARTSCOPE" encode -q --system all.system -o all data.rec
exits "by its registers" 0 "$HARTSCOPE" decode -q --elf data --registers all/ram-0x1000.regs \
	-o all.flow all/ram-0x1000.trace
is "a device without filters: accesses" "$(cat want)" "$(accesses all.flow)"

# Counted by their names, and what cannot be sent is counted, too.
"$HARTSCOPE" encode --protocol etrace --set data-trace=1 -o trace data.rec >out
has 'encode counts packets' '^ *16  Load or store$' out
has 'and atomics' '^ *2  Atomic$' out
"$HARTSCOPE" stat --elf data trace >out
has 'stat counts packets' '^ *16  *[0-9]*  Load or store$' out
is 'and no others' 0 "$(grep -c Other out)"
for split in 0 1; do
	"$HARTSCOPE" encode -q --protocol etrace --set data-trace=1 --set data-split=$split \
		--set lrid_width_p=$((2 * split)) -o linted data.rec
	"$HARTSCOPE" lint --elf data linted >out
	is "lint, data-split=$split: data trace is no finding" ' 0 errors, 0 warnings, 0 notes' \
		"$(sed -n 's/^[1-9][0-9]* bytes, [1-9][0-9]* messages://p' out)"
done
"$HARTSCOPE" encode --protocol etrace --set data-trace=1 -o trace addresses.rec >out
has 'accesses without values have no packet with values' \
	'^ *18  (access that lacks what its packet carries)$' out

# Instructions that make several accesses, and compare-and-swaps, under an emulator that has them.
$gcc -nostdlib -static -march=rv64g -Wl,--no-relax -o several \
	"$HARTSCOPE_SOURCE/tests/programs/several.S" || { bad 'compiles'; exit 1; }
several() {
	printf '0x%x' $((0x$(riscv64-linux-gnu-nm several | sed -nE "s/ [A-Za-z] $1\$//p") + $2))
}
{
	for how in store load; do
		echo "multi-memory $how $(several top -8) = 0x22"
		echo "multi-memory $how $(several top -16) = 0x11"
	done
	echo "store $(several word 0) = 0x5"
	echo "atomic swap $(several word 0) = 0x5, operand 0x7"
	echo "compare and swap failure $(several word 0), operand 0x7"
	echo "atomic swap $(several word 0) = 0x7, operand 0x7"
	echo "compare and swap failure $(several word 0), operand 0xffffffff"
	echo "compare and swap failure $(several word 0), operand 0xffffffff"
	for how in load store; do
		echo "multi-memory $how $(several word 0) = 0x7"
		echo "multi-memory $how $(several word 4) = 0x0"
	done
} >want-several
cpu=rv64i,m=true,a=true,zicsr=true,zca=true,zcmp=true,zaamo=true,zacas=true,zve64x=true
record_several() {
	QEMU_CPU=$cpu "$HARTSCOPE" record -q --data "$@" -o several.rec -- ./several >out 2>err
}
built=${HARTSCOPE_CACHE:-${XDG_CACHE_HOME:-${HOME-}/.cache}/hartscope}/qemu-user
built=$(find "$built" -name qemu-riscv64 2>/dev/null | sort -V | tail -n 1)
if record_several || { [ -n "$built" ] && record_several --qemu "$built"; }; then
	of_several() {
		"$HARTSCOPE" list --elf several "$1" |
			grep -oE '# (load|store|multi|atomic|compare)[^#]*' |
			sed -E 's/^# //; s/ *$//'
	}
	of_several several.rec >got
	is 'several accesses, compare and swap' "$(cat want-several)" "$(cat got)"
	for split in 0 1; do
		"$HARTSCOPE" encode -q --protocol etrace --set data-trace=1 --set mmacas_ext=1 \
			--set data-split=$split --set lrid_width_p=$((2 * split)) \
			-o trace several.rec
		is "the same in a trace, data-split=$split" "$(cat want-several)" \
			"$(of_several trace)"
	done
else
	echo 'ok - several accesses, compare and swap # SKIP no emulator with Zcmp and Zacas'
fi
exit $failed
