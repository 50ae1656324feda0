/* Virtual user under a guest that answers it: its transfers, RASEMU, filters and freeze, seen by VS. */
#include "guest.h"

	.globl main
main:
	mv s11, ra
	LET medeleg, 0x40050c        /* illegal, breakpoint, ecall of U and VS, virtual instruction */
	LET HEDELEG, 0x10c           /* and the guest's: illegal, breakpoint, ecall of VU */
	LET MCTRCTL, (CTL_M | CTL_S | CTL_U | CTL_STE | CTL_MTE)
	li s2, 0
1:	andi t0, s2, 3               /* VU, VS */
	andi t1, s2, 4               /* STE */
	slli t1, t1, 6
	or t0, t0, t1
	andi t1, s2, 8               /* RASEMU */
	slli t1, t1, 4
	or t0, t0, t1
	andi t1, s2, 16              /* BPFRZ */
	slli t1, t1, 7
	or s3, t0, t1
	call round
	addi s2, s2, 1
	li t0, 32
	bne s2, t0, 1b
#if __riscv_xlen == 64
	li s2, 1 << 32
2:	ori s3, s2, CTL_S | CTL_U
	call round
	slli s2, s2, 1
	bnez s2, 2b
#endif
	csrw MCTRCTL, zero
	jr s11

/* The guest sets CTR up, lets its user run, and looks. */
round:
	mv s10, ra
	GO VS
	csrw SCTRCTL, s3
	GO VU
	call mix
	ebreak                       /* to VS */
	.half 0x9002
	.word 0xffffffff
	ecall
	call fault                   /* to M */
	csrr t0, SCTRSTATUS          /* to HS: virtual instructions */
	SCTRCLR
	call mix
	GO VS
	csrr t0, SCTRSTATUS
	csrr t0, SCTRCTL
	csrw SCTRCTL, zero
	li a0, 17
	call dump
	csrw SCTRSTATUS, zero
	GO VU
	GO VS
	GO S
	csrr t0, SCTRSTATUS
	GO M
	csrr t0, VSCTRCTL
	li a0, 16
	call dump
	SCTRCLR
	jr s10

fault:
	li t0, 0x10
	lw t0, (t0)
	ret
