#!/bin/bash
# QEMU's own logs (-d in_asm,exec,nochain,int), imported, against recordings of the same executions:
# equal instructions, with the code in the log and with the program, of a program and of a machine.
# Logs in the form that other simulators write now, from HARTSCOPE_VECTORS: their lines, counted by
# hand.
#
#   tests/conformance/logs.sh
needs='qemu-riscv32 qemu-system-riscv64'
. "${HARTSCOPE_SOURCE:?the source folder}/tests/conformance/programs.sh"

# What the command said, too.
bad() {
	echo "not ok - $1"
	head -8 said | sed 's/^/# /'
	failed=1
}

# equal TEXT REFERENCE SUBJECT
equal() {
	if "$HARTSCOPE" check "$2" "$3" >said 2>&1; then
		ok "$1: $(cat said)"
	else
		bad "$1"
	fi
}

# imported TEXT RECORDING ARGUMENT...   No error, no gap.
imported() {
	text=$1 rec=$2
	shift 2
	if "$HARTSCOPE" import -o "$rec" "$@" >said 2>&1 && grep -q '^gaps  *0$' said; then
		ok "$text"
	else
		bad "$text"
	fi
}

# of_today FILE INSTRUCTIONS TRAPS
of_today() {
	log=${HARTSCOPE_VECTORS:-}/logs-2026/$1
	[ -f "$log" ] || { echo "ok - $1 # SKIP HARTSCOPE_VECTORS has no logs-2026"; return; }
	imported "$1" "$1.rec" "$log"
	grep -q "^instructions  *$2\$" said && grep -q "^traps  *$3\$" said &&
		ok "$1: $2 instructions, $3 traps" || bad "$1: $2 instructions, $3 traps"
}

of_today cva6-rvfi-2026.dasm 5 2
of_today neorv32-2026.log 6 1
of_today sail-0.12.log 3 2

# trip NAME RECORDING: there and back
trip() {
	for p in ntrace etrace; do
		rm -rf flow
		"$HARTSCOPE" encode -q --protocol $p -o trace "$2" &&
			"$HARTSCOPE" decode -q --image "$2" -o flow trace
		equal "$1 through $p" "$2" flow
	done
}

# program NAME QEMU FLAGS...   QEMU 10 maps libraries and the stack anywhere, but not in addresses
# that are reserved.
program() {
	name=$1 qemu=$2 reserved=0x4000000000
	[ "$qemu" = qemu-riscv64 ] || reserved=0xf7000000
	shift 2
	riscv64-linux-gnu-gcc -O2 -static "$@" -o "$name" \
		"$programs/$name.c" || exit 1
	env -i HOME="$HOME" PATH="$PATH" QEMU_RESERVED_VA=$reserved setarch -R timeout 60 \
		"$HARTSCOPE" record -q -o "$name.rec" -- "./$name" >/dev/null
	env -i HOME="$HOME" PATH="$PATH" QEMU_RESERVED_VA=$reserved \
		setarch -R timeout -s KILL 60 \
		"$qemu" -d in_asm,exec,nochain -D "$name.log" \
		"./$name" >/dev/null
	imported "$name: a log with its code" "$name.code" "$name.log"
	equal "$name: as recorded" "$name.rec" "$name.code"
	trip "$name" "$name.code"
	[ "$name" != selfmod ] || return
	grep '^Trace' "$name.log" >"$name.exec"
	imported "$name: a log and the program" "$name.elf" --elf "$name" "$name.exec"
	equal "$name: as recorded, with the program" "$name.rec" "$name.elf"
}

program sort qemu-riscv64
program selfmod qemu-riscv64
program rv32 qemu-riscv32 -march=rv32imac -mabi=ilp32 -nostdlib -ffreestanding

# A machine: ecall, an illegal instruction, a load without memory, a timer's interrupts.  It ends in
# a loop that the log may hold any number of times.
cat >machine.S <<'EOS'
.globl _start
_start:
	la t0, trap
	csrw mtvec, t0
	ecall
	.word 0
	lw t3, 1(zero)
	li s0, 3
	li t0, 128
	csrs mie, t0
	csrsi mstatus, 8
	li t1, 0x2004000 /* mtimecmp of the CLINT */
	sd zero, 0(t1)
1:	bnez s0, 1b
	csrci mstatus, 8
	li t0, 0x100000 /* power off */
	li t1, 0x5555
	sw t1, 0(t0)
2:	j 2b
.align 2
trap:
	csrr t2, mcause
	bltz t2, 3f
	csrr t2, mepc
	addi t2, t2, 4
	csrw mepc, t2
	mret
3:	addi s0, s0, -1
	bnez s0, 4f
	csrw mie, zero
4:	mret
EOS
riscv64-linux-gnu-gcc -nostdlib -static -march=rv64imac_zicsr -mabi=lp64 -Wl,-Ttext=0x80000000 \
	-o machine machine.S || exit 1
# machine QEMU ARGUMENT...
machine() {
	qemu=$1
	shift
	timeout -s KILL 20 "$@" "$qemu/bin/qemu-system-riscv64" -L "$qemu/share/qemu" -M virt \
		-bios none -display none -serial none -monitor none -kernel machine \
		$more </dev/null >said 2>&1
}
more='-d in_asm,exec,nochain,int -D machine.log'
machine /usr
imported "machine" machine.rec machine.log
"$HARTSCOPE" list machine.rec >list 2>said
for cause in '11 (environment call from M-mode)' '2 (illegal instruction)' '5 (load access fault)' \
	'7 (machine timer interrupt)'; do
	grep -q "^; trap: cause $cause" list && ok "machine: $cause" || bad "machine: $cause"
done
sed -nE 's/^riscv_cpu_do_interrupt: .*epc:0x0*([0-9a-f]+), .*/\1/p' machine.log >want
[ -s want ] && [ "$(wc -l <want)" -eq "$(grep -c '^; trap' list)" ] && ok "machine: all of its traps" ||
	bad "machine: all of its traps"
trip machine machine.rec

# The same of QEMU 10, next to a recording, up to the loop at the end, which takes as long as it
# takes.  Recordings of machines have an ecall as its trap only.
new=${HARTSCOPE_BUILD:-}/qemu-new/usr
if [ -x "$new/bin/qemu-system-riscv64" ]; then
	machine "$new"
	imported "machine, QEMU 10" new.rec machine.log
	more=
	machine "$new" "$HARTSCOPE" record -q -o recorded.rec --
	ecall=$("$HARTSCOPE" list new.rec | sed -n 's/^ *0x\([0-9a-f]*\) .* ecall .*/\1/p')
	for rec in new recorded; do
		"$HARTSCOPE" list --format pc $rec.rec | sed "/^$ecall\$/d" | head -54 >$rec.pcs
	done
	[ "$(wc -l <new.pcs)" -eq 54 ] && cmp new.pcs recorded.pcs >said 2>&1 &&
		ok "machine, QEMU 10: as recorded, $(wc -l <new.pcs) instructions" ||
		bad "machine, QEMU 10: as recorded"
else
	echo "ok - machine, QEMU 10 # SKIP it was not fetched"
fi
exit $failed
