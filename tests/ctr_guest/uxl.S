/* User modes with XLEN 32 on a hart with 64: code in the upper half of their 2^32 bytes, under each
 * setting of CTR; traps to every mode that handles them, and returns. */
#include "guest.h"

#define VSSTATUS 0x200

	.globl main
main:
	mv s11, ra
#if __riscv_xlen == 64
	li t1, 3 << 32               /* UXL from 2 (64) to 1 (32), at once: 3 is reserved */
	csrr t0, mstatus
	xor t0, t0, t1
	csrw mstatus, t0
	csrr t0, VSSTATUS
	xor t0, t0, t1
	csrw VSSTATUS, t0
	li s2, 0
1:	andi s3, s2, 7               /* U, S, M */
	andi t1, s2, 8
	slli t1, t1, 5               /* STE and MTE */
	slli t2, t1, 1
	or s3, s3, t1
	or s3, s3, t2
	andi t1, s2, 16
	slli t1, t1, 3               /* RASEMU */
	or s3, s3, t1
	andi s4, s3, (CTL_U | CTL_S | CTL_RASEMU | CTL_STE)
	csrw medeleg, zero
	csrw HEDELEG, zero
	call round                   /* to M */
	LET medeleg, 0x40050c
	call round                   /* to HS */
	li t0, 0x0c
	csrw HEDELEG, t0
	call round                   /* to VS */
	addi s2, s2, 1
	li t0, 32
	bne s2, t0, 1b
#endif
	jr s11

.macro SHOW
	csrw MCTRCTL, zero
	csrw VSCTRCTL, zero
	li a0, 16
	call dump
	SCTRCLR
.endm

.macro IN mode
	csrw VSCTRCTL, s4
	csrw MCTRCTL, s3
	GO \mode
	call narrow
	ebreak
	.half 0x9002
	.word 0xffffffff
	call fault
	BACK
	SHOW
.endm

round:
	mv s10, ra
	IN U
	IN VU
	jr s10

fault:
	li t0, 0x10
	lw t0, (t0)
	ret

/* Transfers of a mode with XLEN 32: mix, and c.jal, which XLEN 64 does not have. */
narrow:
	mv s9, ra
	call mix
	.half 0x2019                 /* c.jal to 1f */
	j 2f
	nop
1:	ret
2:	jr s9
