/* Machine mode: depths, every filter, registers, entries, RASEMU, SCTRCLR, freeze, traps M to M. */
#include "guest.h"

	.globl main
main:
	mv s11, ra
	call registers
	call depths
	call filters
	call ras
	call entries
	call freeze
	call traps
	jr s11

/* Walking ones through what software can write. */
.macro WALK csr
	li t1, 1
1:	csrw \csr, t1
	csrr t0, \csr
	slli t1, t1, 1
	bnez t1, 1b
	li t1, -1
	csrw \csr, t1
	csrr t0, \csr
	csrw \csr, zero
	csrr t0, \csr
.endm

registers:
	WALK MCTRCTL
	WALK SCTRCTL
	WALK VSCTRCTL
	WALK SCTRSTATUS
	WALK SCTRDEPTH
	csrrsi t0, MCTRCTL, 6
	csrrci t0, MCTRCTL, 2
	csrrwi t0, SCTRCTL, 3
	csrr t0, MCTRCTL
	csrr t0, SCTRCTL
	csrw MCTRCTL, zero
	ret

depths:
	mv s10, ra
	li s2, 0
1:	csrw SCTRDEPTH, s2
	csrr t0, SCTRDEPTH
	li s3, 30
	csrwi MCTRCTL, CTL_M
2:	call mix
	addi s3, s3, -1
	bnez s3, 2b
	csrw MCTRCTL, zero
	li a0, 256
	call dump
	addi s2, s2, 1
	li t0, 8
	bne s2, t0, 1b
	csrw SCTRDEPTH, zero
	csrr t0, SCTRSTATUS
	li a0, 20
	call dump
	jr s10

filters:
	mv s10, ra
#if __riscv_xlen == 64
	li s2, 1 << 32
1:	ori t0, s2, CTL_M
	csrw MCTRCTL, t0
	call mix
	ecall
	ebreak
	call mix
	csrw MCTRCTL, zero
	li a0, 16
	call dump
	slli s2, s2, 1
	bnez s2, 1b
#endif
	jr s10

ras:
	mv s10, ra
	li t0, CTL_M | CTL_RASEMU
	csrw MCTRCTL, t0
	call mix
	ecall
	call deep
	csrw MCTRCTL, zero
	li a0, 16
	call dump
	SCTRCLR
	li a0, 16
	call dump
	jr s10

/* More frames than entries, read in their middle. */
deep:
	li s2, 20
	mv s5, ra
1:	la t1, 2f
	jalr ra, t1
2:	addi s2, s2, -1
	bnez s2, 1b
	mv s9, sp
	li a0, 16
	call dump
	li s2, 24
3:	la ra, 4f
	ret
4:	csrr t0, SCTRSTATUS
	addi s2, s2, -1
	bnez s2, 3b
	jr s5

/* Entries written and read; WRPTR chooses which. */
entries:
	mv s10, ra
	SCTRCLR
	li s2, 0
1:	csrw SCTRSTATUS, s2
	li t0, 0x200
	csrw SISELECT, t0
	li t0, 0x12345679
	add t0, t0, s2
	csrw SIREG, t0
	csrr t1, SIREG
	csrw SIREG2, t0
	csrr t1, SIREG2
	li t0, -1
	csrw SIREG3, t0
	csrr t1, SIREG3
	csrw SIREG4, t0
	csrr t1, SIREG4
	csrr t1, SIREG5
	csrr t1, SIREG6
	addi s2, s2, 5
	li t0, 300
	blt s2, t0, 1b
	csrwi MCTRCTL, CTL_M
	call mix
	csrw MCTRCTL, zero
	li a0, 18
	call dump
	li t0, 0x1ff
	csrw SISELECT, t0
	csrr t0, SISELECT
	li t0, 0x300
	csrw SISELECT, t0
	csrr t0, SIREG
	jr s10

freeze:
	mv s10, ra
	LET SCTRSTATUS, 0
	LET MCTRCTL, (CTL_M | CTL_BPFRZ)
	call mix
	ebreak
	call mix                     /* frozen: nothing of it */
	csrr t0, SCTRSTATUS
	li a0, 16
	call dump
	csrw SCTRSTATUS, zero
	LET MCTRCTL, (CTL_M | CTL_LCOFIFRZ)
	ebreak                       /* recorded */
	li t0, 1 << 13
	csrw mie, t0
	csrs mip, t0
	csrsi mstatus, 8             /* LCOFI comes here */
	nop
	csrci mstatus, 8
	csrw mie, zero
	csrr t0, SCTRSTATUS
	call mix
	csrw MCTRCTL, zero
	li a0, 16
	call dump
	csrw SCTRSTATUS, zero
	jr s10

traps:
	mv s10, ra
	SCTRCLR
	csrwi MCTRCTL, CTL_M
	ecall
	ebreak
	.word 0xffffffff
	.half 0x9002                 /* c.ebreak */
	csrw 0x5c0, zero             /* no such register */
	li t0, 8
	csrw mie, t0
	csrs mstatus, t0
	li t0, 0x2000000
	li t1, 1
	sw t1, (t0)                  /* a software interrupt comes soon */
1:	lw t1, (t0)
	bnez t1, 1b
	csrci mstatus, 8
	csrw mie, zero
	csrr t0, SCTRSTATUS
	csrw MCTRCTL, zero
	li a0, 16
	call dump
	jr s10
