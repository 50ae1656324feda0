/* Resumable non-maskable interrupts (Smrnmi): mnret to every mode, and RNMIs from every mode under
 * each setting of CTR.  After it wrote a byte to the UART it waits for an RNMI that stays: after
 * each mnret that is taken again, before an instruction of that mode. */
#include "guest.h"

#define SETTINGS 32
#define UART 0x10000000

	.globl main
main:
	mv s11, ra
	li t0, 8
	csrs MNSTATUS, t0            /* NMIE: from now on traps have their usual vectors */
	li s2, 0
1:	call setting
	call way
	addi s2, s2, 1
	li t0, SETTINGS * 5
	bne s2, t0, 1b
	li s2, 0
	li t0, UART
	sb t0, (t0)
2:	call mix                     /* until the RNMI */
	j 2b

/* s2 modulo 5 is a mode, s6 for mnstatus; s2 by 5 a setting, s3 for mctrctl, s4 for vsctrctl. */
setting:
	li t1, 5
	rem t0, s2, t1
	slli t0, t0, 2
	la t1, modes
	add t1, t1, t0
	lw s6, (t1)
	li t1, 5
	div t0, s2, t1
	andi s3, t0, 7               /* U, S, M */
	andi t1, t0, 8               /* MTE and STE */
	slli t1, t1, 5
	or s3, s3, t1
	slli t1, t1, 1
	or s3, s3, t1
	andi s4, s3, 0x103
	andi t0, t0, 16
	beqz t0, 1f
#if __riscv_xlen == 64
	li t1, 1 << 34 | 1 << 35     /* filters: INTRINH, TRETINH */
#else
	li t1, CTL_RASEMU
#endif
	or s3, s3, t1
	or s4, s4, t1
1:	ret

	.balign 4
modes:
	.word M << 11, S << 11, U << 11, S << 11 | 0x80, U << 11 | 0x80

/* mnret to the mode, its transfers, and back. */
way:
	mv s10, ra
	la t0, 1f
	csrw MNEPC, t0
	csrw MNSTATUS, s6
	csrw VSCTRCTL, s4
	csrw MCTRCTL, s3
	MNRET
1:	call mix
	GO M
	csrw MCTRCTL, zero
	csrw VSCTRCTL, zero
	li a0, 16
	call dump
	SCTRCLR
	jr s10

	.section .nmi, "ax"
	csrr t0, MCTRCTL
	csrw MCTRCTL, zero
	csrw VSCTRCTL, zero
	li a0, 16
	call dump
	SCTRCLR
	li t0, SETTINGS * 5
	beq s2, t0, quit
	call setting
	addi s2, s2, 1
	csrw MNSTATUS, s6
	csrw VSCTRCTL, s4
	csrw MCTRCTL, s3
	MNRET                        /* and here it is again */
