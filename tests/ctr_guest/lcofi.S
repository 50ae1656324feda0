/* Counter overflow interrupts with the hypervisor extension: to M, to HS, and virtual ones to VS,
 * under each setting of the freeze bits; and such that are pending and never taken. */
#include "guest.h"

#define LCOFI (1 << 13)

	.globl main
main:
	mv s11, ra
	li s7, LCOFI
	LET medeleg, 0x40050c        /* as in vs.S */
	li s2, 0
1:	andi t0, s2, 1               /* LCOFIFRZ of mctrctl and vsctrctl */
	slli t0, t0, 12
	andi t1, s2, 2
	slli t1, t1, 11
	andi t2, s2, 4               /* the modes, or none */
	sub t2, zero, t2
	andi t2, t2, 7
	andi t3, s2, 8               /* STE and MTE */
	slli t3, t3, 5
	slli t4, t3, 1
	or s3, t0, t2
	or s3, s3, t3
	or s3, s3, t4
	andi t2, t2, 3
	or s4, t1, t2
	or s4, s4, t3
	li s8, RAISE_MIP
	csrw mideleg, zero
	csrw mie, s7
	call round                   /* to M */
	csrw mideleg, s7
	call round                   /* to HS */
	csrw mie, zero
	csrw HVIEN, s7
	li s8, RAISE_HVIP
	call round                   /* to VS */
	call masked
	csrw HVIEN, zero
	addi s2, s2, 1
	li t0, 16
	bne s2, t0, 1b
	csrw HIDELEG, s7             /* this hart delegates none to VS: it reads as 0 */
	csrr t0, HIDELEG
	csrw HIDELEG, zero
	jr s11

.macro SHOW
	csrr t0, SCTRSTATUS
	csrw MCTRCTL, zero
	csrw VSCTRCTL, zero
	li a0, 16
	call dump
	csrw SCTRSTATUS, zero
	SCTRCLR
	csrw VSCTRCTL, s4
	csrw MCTRCTL, s3
.endm

/* From VS and from VU. */
round:
	mv s10, ra
	csrw VSCTRCTL, s4
	csrw MCTRCTL, s3
	GO VS
	csrw sie, s7                 /* of virtual interrupts; others are enabled by mie */
	csrsi sstatus, 2
	call mix
	call raise
	call mix
	csrci sstatus, 2
	BACK
	SHOW
	GO VU
	call mix
	call raise
	call mix
	BACK
	SHOW
	csrs HVIP, s7                /* pending before VU runs: taken right after mret */
	GO VU
	nop
	BACK
	SHOW
	csrc HVIP, s7
	csrw MCTRCTL, zero
	csrw VSCTRCTL, zero
	jr s10

/* Pending while interrupts are masked, seen and cleared by the guest: no trap, no freeze. */
masked:
	mv s10, ra
	csrw VSCTRCTL, s4
	csrw MCTRCTL, s3
	GO VS
	csrci sstatus, 2
	call mix
	call raise
	csrr t0, sip
	csrr t0, SCTRSTATUS
	csrc sip, s7
	csrsi sstatus, 2
	call mix
	csrci sstatus, 2
	csrw sie, zero
	BACK
	SHOW
	csrw MCTRCTL, zero
	csrw VSCTRCTL, zero
	jr s10

/* Have M make the interrupts of s7 pending as s8 says; they come before the next instruction. */
raise:
	mv s6, ra
	mv a7, s8
	lw zero, 0x10(zero)
	li a7, 0
	nop
	jr s6
