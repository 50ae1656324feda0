/* Two runs of one program: a round for each argument and one for its name; the third is special. */
	.text
	.globl	_start
	.type	_start, @function
_start:
	ld	s0, 0(sp)
.Lnext:
	mv	a0, s0
	jal	ra, round
	addi	s0, s0, -1
	bnez	s0, .Lnext
	li	a7, 93
	li	a0, 0
	ecall
	.size	_start, . - _start

#ifdef SHIFTED
	.type	shift, @function
shift:
	ret
	.size	shift, . - shift
#endif

	.globl	round
	.type	round, @function
round:
	addi	sp, sp, -16
	sd	ra, 8(sp)
	li	t0, 3
	bne	a0, t0, .Lusual
	jal	ra, special
.Lusual:
	ld	ra, 8(sp)
	addi	sp, sp, 16
	ret
	.size	round, . - round

	.globl	special
	.type	special, @function
special:
	slli	a0, a0, 1
	ret
	.size	special, . - special
