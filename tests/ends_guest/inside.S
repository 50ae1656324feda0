/* Pieces of code that end in a jump through a register, ROUNDS times each: in turn to their own
 * middle and to their start, at last to the next one.  Nothing traps; then the machine goes off.
 * The second one stores into its own page, after which QEMU leaves a run as it does after a jump
 * into it. */
	.globl _start

/* t0 = round 0: out; odd: middle; even: start */
.macro CHOOSE start, middle, out
	addi s0, s0, -1
	andi t1, s0, 1
	seqz t2, s0
	la t0, \start
	la t3, \middle
	la t4, \out
	sub t3, t3, t0
	sub t4, t4, t0
	neg t1, t1
	neg t2, t2
	and t1, t1, t3
	and t2, t2, t4
	add t0, t0, t1
	add t0, t0, t2
.endm

_start:
	csrr t0, mhartid
	bnez t0, wait
	li s0, ROUNDS
	j plain
	.align 3
plain:
	addi s1, s1, 1
plain_middle:
	CHOOSE plain, plain_middle, plain_out
	jr t0
plain_out:
	li s0, ROUNDS
	la s2, cell
	j stores
	.align 3
stores:
	sw s0, 0(s2)
	addi s1, s1, 1
stores_middle:
	CHOOSE stores, stores_middle, stores_out
	jalr t0
stores_out:
	li s0, ROUNDS
	j late
	.align 3
late: /* stores after the place to which it jumps, and before it */
	addi s1, s1, 1
	sw s0, 0(s2)
late_middle:
	CHOOSE late, late_middle, late_out
	sw s1, 0(s2)
	jr t0
late_out:
	li t0, 0x100000
	li t1, 0x5555
	sw t1, 0(t0)
wait:
	wfi
	j wait
cell:
	.word 0
