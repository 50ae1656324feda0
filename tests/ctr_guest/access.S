/* State-enable bits against every register, from every mode: 54 (CTR) and 60 (CSRIND) of mstateen0 and
 * hstateen0, selectors in CTR's range and outside. */
#include "guest.h"

	.globl main
main:
	mv s11, ra
	csrwi MCTRCTL, CTL_S
	call mix
	li s2, 0
1:	li s3, 0x200
	call combination
	li s3, 0x2ff
	call combination
	li s3, 0x30
	call combination
	li s3, 0x300
	call combination
	addi s2, s2, 1
	li t0, 16
	bne s2, t0, 1b
	LET MSTATEEN0, -1
	LET HSTATEEN0, -1
	csrw MCTRCTL, zero
	li a0, 16
	call dump
	jr s11

/* s2: bits 0 and 1 for mstateen0, 2 and 3 for hstateen0.  The top half of the register. */
.macro GATES csr, csrh, shift
	srli t1, s2, \shift
	andi t0, t1, 1
	slli t0, t0, 22
	andi t1, t1, 2
	slli t1, t1, 27
	or t0, t0, t1
	li t1, 0x8000000
	or t0, t0, t1                /* and 59, which is neither */
	slli t0, t0, 1
	srli t0, t0, 1
#if __riscv_xlen == 64
	slli t0, t0, 32
	csrw \csr, t0
#else
	csrw \csrh, t0
#endif
.endm

combination:
	mv s10, ra
	LET MSTATEEN0, -1
	LET HSTATEEN0, -1
#if __riscv_xlen == 32
	LET MSTATEEN0H, -1
	LET HSTATEEN0H, -1
#endif
	csrw SISELECT, s3
	csrw VSISELECT, s3
	GATES HSTATEEN0, HSTATEEN0H, 2
	GATES MSTATEEN0, MSTATEEN0H, 0
	call all
	GO S
	call all
	GO U
	call all
	GO M
	GO VS
	call all
	GO M
	GO VU
	call all
	GO M
	jr s10

all:
	csrr t0, SCTRCTL
	csrr t0, SCTRSTATUS
	csrr t0, SCTRDEPTH
	csrr t0, VSCTRCTL
	csrr t0, MCTRCTL
	csrr t0, SISELECT
	csrr t0, SIREG
	csrr t0, SIREG2
	csrr t0, SIREG3
	csrr t0, SIREG4
	csrr t0, SIREG5
	csrr t0, SIREG6
	csrr t0, VSISELECT
	csrr t0, VSIREG
	csrr t0, VSIREG2
	csrr t0, VSIREG3
	csrw SCTRSTATUS, t0
	csrwi SIREG3, 5
	csrwi VSIREG3, 9
	csrsi VSCTRCTL, 1
	SCTRCLR
	ret
