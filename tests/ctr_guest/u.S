/* User mode under M and S: its transfers, what it may not read, and every way in and out. */
#include "guest.h"

	.globl main
main:
	mv s11, ra
	li s2, 0
1:	andi t0, s2, 7               /* U, S, M */
	andi t1, s2, 0x18            /* STE, MTE */
	slli t1, t1, 5
	or t0, t0, t1
	andi t1, s2, 0x20            /* RASEMU */
	slli t1, t1, 2
	or s3, t0, t1
	csrw medeleg, zero
	csrw MCTRCTL, s3
	call round
	csrr t0, SCTRSTATUS
	csrw MCTRCTL, zero
	li a0, 16
	call dump
	LET medeleg, 0x10c           /* and once more with S as the one that handles it */
	csrw MCTRCTL, s3
	call round
	csrw MCTRCTL, zero
	li a0, 16
	call dump
	SCTRCLR
	addi s2, s2, 1
	li t0, 64
	bne s2, t0, 1b
	jr s11

/* M, U, M; M, S, U and back. */
round:
	mv s10, ra
	csrr s9, medeleg
	GO U
	call mix
	ebreak
	csrr t0, SCTRSTATUS
	csrr t0, SCTRDEPTH
	csrr t0, SISELECT
	csrr t0, SIREG2
	SCTRCLR
	ecall
	bnez s9, 1f
	GO M
	GO S
	GO U
1:	call mix
	GO S
	call mix
	GO U
	ebreak
	GO S
	GO M
	jr s10
