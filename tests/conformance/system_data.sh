#!/bin/bash
# Data accesses of whole machines: a program of which each access is known by hand, with values,
# CSRs and a conditional store that fails; and there and back as E-Trace data trace.
what='data accesses of whole machines'
. "${HARTSCOPE_SOURCE:?}/tests/conformance/system.sh"

# same TEXT WANT HAVE: two files
same()
{
	diff "$2" "$3" >"$work/diff"
	verdict "$1" $? "$work/diff"
}

# accesses SOURCE: of the program; QEMU's own start code is before it, and after the trap the
# machine goes off at some time
accesses()
{
	"$HARTSCOPE" list --elf "$work/data" --limit 60 "$1" |
		sed -nE '/_start/,/^; trap/ s/.*# ((load|store|atomic|CSR|conditional).*)/\1/p'
}

# want ADDRESS TOP HANDLER: what the program does, by hand
want()
{
	cat <<-EOS
		store $1 = 0x11223344
		atomic add $1 = 0x11223344, operand 0x3
		atomic max $1 = 0x11223347, operand 0x3
		atomic AND $1 = 0x11223347, operand 0x3
		load $1 = 0x3
		store $1 = 0x3
		conditional store failure $1
		load $2 = 0x0
		CSR read-write 0x340 = 0x0, operand 0x11223344
		CSR read-set 0x340 = 0x11223344, operand 0x3
		CSR read-clear 0x340 = 0x11223347, operand 0x3
		CSR read-set 0xf14 = 0x0, operand 0x0
		CSR read-write 0x305 = 0x0, operand $3
	EOS
}

symbol()
{
	printf '0x%x' "0x$(riscv64-unknown-elf-nm "$work/data" | sed -nE "s/ [A-Za-z] $1\$//p")"
}

# trip TEXT WANT SETTING...
trip()
{
	local text=$1 expected=$2

	shift 2
	settings "$@"
	"$HARTSCOPE" encode -q --protocol etrace --set data-trace=1 "${settings[@]}" -o \
		"$work/trace" "$work/data.rec" &&
		"$HARTSCOPE" decode -q -o "$work/trace.flow" "$work/trace"
	accesses "$work/trace.flow" >"$work/have"
	same "$text, ${*}" "$expected" "$work/have"
}

for xlen in 64 32; do
	abi=lp64
	[ "$xlen" -eq 64 ] || abi=ilp32
	riscv64-unknown-elf-gcc -march=rv${xlen}ima_zicsr -mabi=$abi -nostdlib \
		-Wl,-Ttext=0x80000000 -Wl,-Tdata=0x80001000 -o "$work/data" \
		tests/data_guest/data.S || exit 1
	timeout 60 "$HARTSCOPE" record -q --data -o "$work/data.rec" -- \
		"$qemu/bin/qemu-system-riscv$xlen" -L "$qemu/share/qemu" -M virt \
		-bios "$work/data" -display none -serial none -monitor none -audio none \
		</dev/null >"$work/log" 2>&1
	want "$(symbol word)" 0x80001001 "$(symbol handler)" >"$work/want"
	accesses "$work/data.rec" >"$work/have"
	same "rv$xlen: each access of the program" "$work/want" "$work/have"
	# "operand: only if the CSR is not read-only" (ET CSR op_len field)
	sed -E 's/(0xf14 .*), operand 0x0/\1/' "$work/want" >"$work/want-packets"
	trip "rv$xlen: as data trace" "$work/want-packets" data-csr-width=$xlen data-sc-failures=1
	sed -E 's/( 0x[0-9a-f]+) = .*/\1/' "$work/want" >"$work/want-addresses"
	trip "rv$xlen: addresses" "$work/want-addresses" data-csr-width=$xlen trTeDataNoValue=1
done
exit $status
