/* ROUNDS rounds of branches by dice, which no reader foresees, so that a recording is large; each
 * hart throws its own, and hart 0 waits for the others and switches the machine off (virt's test
 * device).  Nothing traps and nothing looks at the time: with -icount all runs are the same but for
 * how often the jump at `off` runs before the machine is off. */
	.globl _start
_start:
	csrr s0, mhartid
	addi t0, s0, 1
	li s1, ROUNDS
	li s2, 1103515245
	li s3, 0
1:	mul t0, t0, s2
	addi t0, t0, 123
	srli t1, t0, 16
	andi t2, t1, 1
	beqz t2, 2f
	addi s3, s3, 1
2:	andi t2, t1, 2
	beqz t2, 3f
	addi s3, s3, 3
3:	andi t2, t1, 4
	beqz t2, 4f
	xor s3, s3, t1
4:	addi s1, s1, -1
	bnez s1, 1b
	li t1, 0x80100000
	li t2, 1
	bnez s0, 7f
	li t3, HARTS - 1
5:	lw t2, 0(t1)
	bltu t2, t3, 5b
	li t0, 0x100000
	li t1, 0x5555
	sw t1, 0(t0)
off:	j off
7:	amoadd.w zero, t2, (t1)
8:	wfi
	j 8b
