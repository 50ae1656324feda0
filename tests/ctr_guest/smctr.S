/* A hart with Smctr and without Ssctr: the bit CTR of mstateen0 and what it gates. */
#include "guest.h"

	.globl main
main:
	mv s11, ra
	LET medeleg, 0x4             /* illegal */
	csrr t0, MSTATEEN0
	csrw MSTATEEN0, zero
	csrr t0, MSTATEEN0
	GO S
	call use
	GO M
	LET MSTATEEN0, -1
#if __riscv_xlen == 32
	LET MSTATEEN0H, -1
	csrr t0, MSTATEEN0H
#endif
	csrr t0, MSTATEEN0
	GO S
	call use
	GO M
	call use
	jr s11

use:
	mv s10, ra
	csrwi SCTRCTL, CTL_S
	call mix
	csrr t0, SCTRCTL
	csrr t0, SCTRSTATUS
	csrr t0, SCTRDEPTH
	csrw SCTRCTL, zero
	LET SISELECT, 0x200
	csrr t0, SIREG
	csrr t0, SIREG2
	csrr t0, SIREG3
	SCTRCLR
	jr s10
