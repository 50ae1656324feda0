/* Supervisor mode: its own view, filters, traps to itself and to M, external traps, S and U. */
#include "guest.h"

	.globl main
main:
	mv s11, ra
	LET medeleg, 0x10d           /* misaligned, illegal, breakpoint, ecall of U */
	LET mideleg, 0x2002          /* software, LCOFI */
	GO S
	call views
	call filters
	call ras
	call traps
	call freeze
	call external
	GO M
	csrw MCTRCTL, zero
	li a0, 16
	call dump
	jr s11

/* sctrctl is mctrctl without M and MTE. */
views:
	mv s10, ra
	GO M
	LET MCTRCTL, (CTL_M | CTL_MTE)
	GO S
	li t0, -1
	csrw SCTRCTL, t0
	csrr t0, SCTRCTL
	GO M
	csrr t0, MCTRCTL
	GO S
	csrw SCTRCTL, zero
	csrr t0, SCTRCTL
	GO M
	csrr t0, MCTRCTL
	csrw MCTRCTL, zero
	GO S
	li s2, 0
1:	csrw SCTRDEPTH, s2
	csrwi SCTRCTL, CTL_S
	call mix
	call mix
	csrw SCTRCTL, zero
	csrr t0, SCTRDEPTH
	li a0, 40
	call dump
	addi s2, s2, 1
	li t0, 6
	bne s2, t0, 1b
	csrw SCTRDEPTH, zero
	csrr t0, MCTRCTL             /* illegal here */
	jr s10

filters:
	mv s10, ra
#if __riscv_xlen == 64
	li s2, 1 << 32
1:	ori t0, s2, CTL_S | CTL_U
	csrw SCTRCTL, t0
	call mix
	ebreak
	GO M                         /* not enabled there */
	call mix
	GO S
	GO U
	call mix
	GO S
	csrw SCTRCTL, zero
	li a0, 16
	call dump
	slli s2, s2, 1
	bnez s2, 1b
#endif
	jr s10

ras:
	mv s10, ra
	li t0, CTL_S | CTL_RASEMU
	csrw SCTRCTL, t0
	call mix
	GO U
	call mix                     /* neither pushes nor pops */
	GO S
	ebreak
	csrw SCTRCTL, zero
	li a0, 16
	call dump
	SCTRCLR
	li a0, 2
	call dump
	jr s10

traps:
	mv s10, ra
	csrwi SCTRCTL, CTL_S | CTL_U
	ebreak
	.word 0xffffffff
	GO U
	ebreak
	.half 0x9002
	ecall
	csrr t0, SCTRCTL             /* illegal in U */
	csrr t0, SCTRSTATUS
	csrr t0, SIREG
	SCTRCLR
	call mix
	GO S
	li t0, 2
	csrw sie, t0
	csrs sip, t0
	csrs sstatus, t0             /* the interrupt comes here */
	nop
	csrc sstatus, t0
	csrs sip, t0
	GO U                         /* and here */
	nop
	GO S
	csrw sie, zero
	csrw SCTRCTL, zero
	li a0, 16
	call dump
	jr s10

freeze:
	mv s10, ra
	LET SCTRCTL, (CTL_S | CTL_U | CTL_BPFRZ)
	call mix
	ebreak
	csrr t0, SCTRSTATUS
	call mix
	csrw SCTRSTATUS, zero
	GO U
	ebreak
	call mix
	GO S
	csrr t0, SCTRSTATUS
	csrw SCTRSTATUS, zero
	LET SCTRCTL, (CTL_U | CTL_LCOFIFRZ)
	li t0, 1 << 13
	csrw sie, t0
	GO M
	li t0, 1 << 13
	csrs mip, t0
	GO S
	GO U
	call mix
	GO S
	csrr t0, SCTRSTATUS
	csrw sie, zero
	csrw SCTRSTATUS, zero
	csrw SCTRCTL, zero
	li a0, 16
	call dump
	jr s10

/* External traps: U to S, S to M, U to M, with and without the bits. */
external:
	mv s10, ra
	li s2, 0
1:	GO M
	andi t0, s2, 3               /* U, S */
	andi t1, s2, 12              /* STE, MTE */
	slli t1, t1, 6
	or t0, t0, t1
	csrw MCTRCTL, t0
	GO S
	call mix
	csrw 0x5c0, zero             /* S to S */
	GO U
	ebreak                       /* U to S */
	call leave                   /* U to M */
	GO S
	call mix
	GO M
	li t0, 0x200
	csrw SISELECT, t0
	csrr t0, SIREG
	csrw MCTRCTL, zero
	li a0, 16
	call dump
	GO S
	addi s2, s2, 1
	li t0, 16
	bne s2, t0, 1b
	jr s10

/* From U to M: an access that is not delegated (a load of nothing), then back. */
leave:
	li t0, 0x10
	lw t0, (t0)
	ret
