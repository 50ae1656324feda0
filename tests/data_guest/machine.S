/* A program of tests/programs on a machine: vectors are on, and its ecall turns the machine off. */
	.globl machine
machine:
	la t0, off
	csrw mtvec, t0
	li t0, 0x600              # mstatus.VS
	csrs mstatus, t0
	j _start
	.align 2
off:
	li t0, 0x100000
	li t1, 0x5555
	sw t1, 0(t0)
1:	j 1b
