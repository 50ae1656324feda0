/* Virtual supervisor and user: the guest's view, its transfers, and each way out of it and back. */
#include "guest.h"

	.globl main
main:
	mv s11, ra
	LET medeleg, 0x40050c        /* illegal, breakpoint, ecall of U and VS, virtual instruction */
	call view
	call filters
	call ras
	call leave
	call freeze
	call interrupts
	jr s11

/* sctrctl is vsctrctl, and the entries are everybody's. */
view:
	mv s10, ra
	LET MCTRCTL, (CTL_M | CTL_S)
	GO VS
	li t0, -1
	csrw SCTRCTL, t0
	csrr t0, SCTRCTL
	csrr t0, SCTRSTATUS
	csrr t0, SCTRDEPTH           /* virtual instruction */
	csrr t0, VSCTRCTL
	csrr t0, VSISELECT
	csrr t0, VSIREG
	csrr t0, MCTRCTL
	csrw SCTRCTL, zero
	csrwi SCTRCTL, CTL_S
	call mix
	li t0, 0x203
	csrw SISELECT, t0
	csrr t0, SIREG
	csrw SIREG3, t0
	csrr t0, SIREG3
	csrw SCTRCTL, zero
	BACK
	csrr t0, MCTRCTL
	csrr t0, VSCTRCTL
	csrr t0, VSIREG
	csrr t0, VSIREG2
	csrr t0, VSIREG3
	GO S
	csrr t0, SCTRCTL
	csrr t0, VSCTRCTL
	csrwi VSCTRCTL, 1
	csrr t0, VSCTRCTL
	li t0, 0x201
	csrw VSISELECT, t0
	csrr t0, VSIREG
	csrr t0, VSIREG2
	csrr t0, VSIREG3
	csrw VSCTRCTL, zero
	csrw SCTRCTL, zero
	BACK
	csrw MCTRCTL, zero
	jr s10

filters:
	mv s10, ra
#if __riscv_xlen == 64
	li s2, 1 << 32
1:	ori t0, s2, CTL_S | CTL_U
	csrw VSCTRCTL, t0
	GO VS
	call mix
	ebreak
	GO VU
	call mix
	csrr t0, SCTRCTL             /* virtual instruction */
	ecall
	GO VS
	csrw SCTRCTL, zero
	li a0, 16
	call dump
	BACK
	slli s2, s2, 1
	bnez s2, 1b
#endif
	jr s10

ras:
	mv s10, ra
	LET VSCTRCTL, (CTL_S | CTL_RASEMU)
	csrwi MCTRCTL, CTL_S
	GO VS
	call mix
	ebreak
	call mix
	csrw SCTRCTL, zero
	li a0, 16
	call dump
	SCTRCLR
	li a0, 3
	call dump
	BACK
	csrw MCTRCTL, zero
	jr s10

/* Every enable of the four modes and the external bits, with the ways out: VS and VU to VS, HS and M. */
leave:
	mv s10, ra
	li s2, 0
1:	andi t0, s2, 7               /* U, S, M */
	andi t1, s2, 0x18            /* STE, MTE */
	slli t1, t1, 5
	or s3, t0, t1
	andi s4, s2, 0x60            /* vsctrctl.U, S */
	srli s4, s4, 5
	andi t1, s2, 0x80            /* vsctrctl.STE */
	slli t1, t1, 1
	or s4, s4, t1
	call ways
	addi s2, s2, 1
	li t0, 256
	bne s2, t0, 1b
	jr s10

.macro SHOW
	csrw MCTRCTL, zero
	csrr t0, VSCTRCTL
	csrw VSCTRCTL, zero
	li a0, 16
	call dump
	SCTRCLR
	csrw VSCTRCTL, s4
	csrw MCTRCTL, s3
.endm

ways:
	mv s9, ra
	li t0, 0x0c                  /* illegal and breakpoint to VS */
	csrw HEDELEG, t0
	csrw VSCTRCTL, s4
	csrw MCTRCTL, s3
	GO S
	GO VS
	ebreak                       /* VS to VS */
	csrr t0, SCTRDEPTH           /* VS to HS: a virtual instruction */
	ecall                        /* VS to HS */
	call fault                   /* VS to M */
	GO VU
	ebreak                       /* VU to VS */
	csrr t0, SCTRSTATUS          /* VU to HS */
	call fault                   /* VU to M */
	GO VS
	BACK
	SHOW
	GO VS
	ecall
	BACK
	SHOW
	GO VU
	ecall
	GO VS
	GO S
	GO VU
	ecall
	ebreak
	GO VS
	BACK
	SHOW
	csrw HEDELEG, zero           /* now they come to HS */
	GO VS
	ebreak
	GO VU
	ebreak
	csrr t0, 0x5c0
	GO VS
	BACK
	SHOW
	csrw MCTRCTL, zero
	csrw VSCTRCTL, zero
	jr s9

/* A load of nothing is M's. */
fault:
	li t0, 0x10
	lw t0, (t0)
	ret

freeze:
	mv s10, ra
	li t0, 0x08
	csrw HEDELEG, t0
	LET VSCTRCTL, (CTL_S | CTL_U | CTL_BPFRZ)
	GO VS
	call mix
	ebreak                       /* to VS: frozen */
	csrr t0, SCTRSTATUS
	call mix
	csrw SCTRSTATUS, zero
	BACK
	csrw HEDELEG, zero
	GO VS
	ebreak                       /* to HS: sctrctl decides */
	csrr t0, SCTRSTATUS
	BACK
	LET VSCTRCTL, (CTL_S | CTL_U)
	LET MCTRCTL, (CTL_S | CTL_BPFRZ)
	GO VU
	ebreak
	call mix
	GO VS
	csrr t0, SCTRSTATUS
	csrw SCTRSTATUS, zero
	csrw SCTRCTL, zero
	li a0, 16
	call dump
	BACK
	csrw MCTRCTL, zero
	jr s10

/* Interrupts: to M, to HS, and the guest's own. */
interrupts:
	mv s10, ra
	LET VSCTRCTL, (CTL_S | CTL_U)
	csrwi MCTRCTL, CTL_S | CTL_M
	li t0, 4                     /* VS software */
	csrw HIDELEG, t0
	GO VS
	li t0, 2
	csrw sie, t0
	csrs sstatus, t0
	call raise                   /* VS to VS */
	csrc sstatus, t0
	GO VU
	call raise                   /* VU to VS */
	call mix
	GO VS
	csrw SCTRCTL, zero
	li a0, 16
	call dump
	csrwi SCTRCTL, CTL_S | CTL_U
	BACK
	csrw HIDELEG, zero
	li t0, 4
	csrw mie, t0
	GO VS
	call raise                   /* VS to HS */
	GO VU
	call raise                   /* VU to HS */
	GO VS
	BACK
	csrw mie, zero
	li t0, 8
	csrw mie, t0
	GO VS
	li t0, 0x2000000
	li t1, 1
	sw t1, (t0)                  /* VS to M */
1:	lw t1, (t0)
	bnez t1, 1b
	GO VU
	li t0, 0x2000000
	li t1, 1
	sw t1, (t0)                  /* VU to M */
1:	lw t1, (t0)
	bnez t1, 1b
	GO VS
	BACK
	csrw mie, zero
	csrw MCTRCTL, zero
	csrw VSCTRCTL, zero
	li a0, 16
	call dump
	jr s10

/* Have M make the guest's software interrupt pending, and come back to where we were. */
raise:
	mv s6, ra
	li a7, RAISE_VSSI
	lw zero, 0x10(zero)          /* the handler of M looks at a7 */
	li a7, 0
	nop
	nop
	li t0, 2
	jr s6
