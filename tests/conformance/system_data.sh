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
		sed -nE '/_start/,/^; trap/ {
			s/ *$//
			s/.*# ((load|store|atomic|CSR|conditional|compare).*)/\1/p
			s/.*# (multi[^#]*[^ #]) *# (multi[^#]*)/\1\n\2/p
		}'
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

# several ADDRESS TOP: what tests/programs/several.S does, by hand
several()
{
	local how

	for how in store load; do
		printf 'multi-memory %s 0x%x = 0x22\n' $how $(($2 - 8))
		printf 'multi-memory %s 0x%x = 0x11\n' $how $(($2 - 16))
	done
	cat <<-EOS
		store $1 = 0x5
		atomic swap $1 = 0x5, operand 0x7
		compare and swap failure $1, operand 0x7
		atomic swap $1 = 0x7, operand 0x7
		compare and swap failure $1, operand 0xffffffff
		compare and swap failure $1, operand 0xffffffff
	EOS
	for how in load store; do
		printf 'multi-memory %s %s = 0x7\n' $how "$1"
		printf 'multi-memory %s 0x%x = 0x0\n' $how $(($1 + 4))
	done
}

riscv64-unknown-elf-gcc -march=rv64ima_zicsr -mabi=lp64 -nostdlib -Wl,--no-relax \
	-Wl,-Ttext=0x80000000,-e,machine -o "$work/data" \
	tests/data_guest/machine.S tests/programs/several.S || exit 1
rm -rf "$work/data.rec"
timeout 60 "$HARTSCOPE" record -q --data -o "$work/data.rec" -- \
	"$qemu/bin/qemu-system-riscv64" -L "$qemu/share/qemu" -M virt -cpu \
	rv64i,m=true,a=true,f=true,d=true,v=true,zicsr=true,zca=true,zcmp=true,zacas=true \
	-bios "$work/data" -display none -serial none -monitor none -audio none \
	</dev/null >"$work/log" 2>&1
several "$(symbol word)" "$(symbol top)" >"$work/want"
accesses "$work/data.rec" >"$work/have"
same 'several accesses, compare and swap' "$work/want" "$work/have"
for split in 0 1; do
	trip 'several accesses, compare and swap' "$work/want" mmacas_ext=1 data-split=$split \
		lrid_width_p=$((2 * split))
done
exit $status
