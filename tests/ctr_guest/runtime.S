/* Reset, trap handlers of M, HS and VS, and what every program calls: mix, dump. */
#include "guest.h"

	.section .text.entry, "ax"
	.globl _start
_start:
	la t0, m_trap
	csrw mtvec, t0
	la t0, s_trap
	csrw stvec, t0
	la t0, vs_trap
	csrw VSTVEC, t0
	li t0, -1
	csrw pmpaddr0, t0
	li t0, 0x1f
	csrw pmpcfg0, t0
	li t0, -1
	csrw MSTATEEN0, t0
	csrw HSTATEEN0, t0
#if __riscv_xlen == 32
	csrw MSTATEEN0H, t0
	csrw HSTATEEN0H, t0
#endif
	csrw medeleg, zero
	csrw mideleg, zero
	csrw HEDELEG, zero
	csrw HIDELEG, zero
	li a7, 0
	call main
	QUIT

	.text
/* The address in mepc, or sepc: that of a mode with XLEN 32 is sign-extended. */
.macro NARROW epc
	csrr t5, \epc
#if __riscv_xlen == 64
	slli t5, t5, 32
	srli t5, t5, 32
#endif
.endm

/* After the instruction at mepc, or sepc: 2 or 4 bytes. */
.macro SKIP epc, return
	NARROW \epc
	lhu t6, (t5)
	csrr t5, \epc
	andi t6, t6, 3
	addi t6, t6, -3
	addi t5, t5, 2
	bnez t6, 1f
	addi t5, t5, 2
1:	csrw \epc, t5
	\return
.endm

	.balign 4
m_trap:
	csrr t5, mcause
	bltz t5, m_interrupt
	addi t5, t5, -8
	li t6, 4
	bgeu t5, t6, m_fault
	beqz a7, m_skip
	li t5, QUIT_NOW
	beq a7, t5, quit
	NARROW mepc                  /* the mode that we go to may have XLEN 64 */
	csrw mepc, t5
	li t5, 3 << 11
	csrc mstatus, t5
	andi t6, a7, 3
	slli t6, t6, 11
	csrs mstatus, t6
#if __riscv_xlen == 64
	csrr t5, mstatus
	srli t5, t5, 39 - 2          /* MPV is bit 2 */
#else
	csrr t5, MSTATUSH
	srli t5, t5, 7 - 2
#endif
	xor t5, t5, a7
	andi t5, t5, 4
	beqz t5, m_skip              /* V is right, or */
	andi t5, a7, 2
	bnez t5, m_skip              /* it will be 0 in M */
	csrr t5, mepc                /* some QEMUs let nobody write MPV: sret, by HSTATUS.SPV */
	csrw sepc, t5
	li t5, 1 << 7
	csrc HSTATUS, t5
	andi t6, a7, 4
	slli t6, t6, 7 - 2
	csrs HSTATUS, t6
	li t5, 9 << 5                /* SPP, SPIE */
	csrr t6, sstatus
	csrc sstatus, t5
	andi t6, t6, 2
	slli t6, t6, 4
	csrs sstatus, t6             /* SPIE is SIE, which stays */
	andi t6, a7, 1
	slli t6, t6, 8
	csrs sstatus, t6
	SKIP sepc, sret
m_fault:
	li t5, RAISE_VSSI
	bne a7, t5, 1f
	li t5, 4
	csrs HVIP, t5
1:	li t5, RAISE_MIP
	bne a7, t5, 1f
	csrs mip, s7
1:	li t5, RAISE_HVIP
	bne a7, t5, m_skip
	csrs HVIP, s7
m_skip:
	SKIP mepc, mret
	.globl quit
quit:
	csrw mie, zero
	li t5, 0x100000
	li t6, 0x5555
	sw t6, (t5)
1:	wfi                          /* until the machine is off */
	bnez t6, 1b

m_interrupt:
	andi t5, t5, 63
	li t6, 3
	bne t5, t6, 1f
	li t6, 0x2000000
	sw zero, (t6)
	mret
1:	li t6, 1
	sll t6, t6, t5
	csrc mip, t6
	mret

	.balign 4
s_trap:
	csrr t5, scause
	bltz t5, s_interrupt
	beqz a7, s_skip
	li t6, 8
	beq t5, t6, s_go
	li t6, 10
	bne t5, t6, s_skip
s_go:
	NARROW sepc
	csrw sepc, t5
	li t5, 1 << 7
	csrc HSTATUS, t5
	andi t6, a7, 4
	beqz t6, 1f
	csrs HSTATUS, t5
1:	li t5, 1 << 8
	csrc sstatus, t5
	andi t6, a7, 1
	beqz t6, s_skip
	csrs sstatus, t5
s_skip:
	SKIP sepc, sret
s_interrupt:
	andi t5, t5, 63
	li t6, 1
	sll t6, t6, t5
	csrc sip, t6
	csrc HVIP, t6
	sret

	.balign 4
vs_trap:
	csrr t5, scause
	bltz t5, vs_interrupt
	beqz a7, vs_skip
	li t6, 8
	bne t5, t6, vs_skip
	li t5, 1 << 8
	csrc sstatus, t5
	andi t6, a7, 1
	beqz t6, vs_skip
	csrs sstatus, t5
vs_skip:
	SKIP sepc, sret
vs_interrupt:
	andi t5, t5, 63
	li t6, 1
	sll t6, t6, t5
	csrc sip, t6
	sret

/* Every type of transfer that needs no privilege; uses t0 to t4 and s1. */
	.globl mix
mix:
	mv s1, ra
	call leaf
	jal t0, through_t0
	la t1, leaf
	jalr ra, t1                  /* indirect call */
	la t1, 1f
	jr t1                        /* indirect jump */
	nop
1:	la t0, swap_to
	jalr ra, t0                  /* co-routine swap */
	j 2f
	nop
2:	li t2, 3
3:	addi t2, t2, -1
	bnez t2, 3b                  /* taken twice, then not */
	beqz t2, 4f
	nop
4:	bltu zero, t2, 5f            /* never */
	bge t2, zero, 5f
	nop
5:	la t1, through_t0
	jalr t0, t1                  /* indirect call that links t0 */
	la ra, 6f
	jalr t0, ra                  /* the other swap */
6:	la t1, 7f
	jalr t4, t1                  /* links to no link register */
7:	jal t4, 8f
	nop
8:	la t0, leaf
	jalr ra, 0(t0)
	.option push
	.option norvc
	j 9f
	nop
9:	call leaf
	la t1, 10f
	jalr zero, 0(t1)
10:	.option pop
	jr s1

	.balign 4
leaf:
	ret
	.balign 4
through_t0:
	jr t0
swap_to:
	jr ra

/* Read what there is: status, depth, control, a0 entries through sireg*.  Not from U and VU. */
	.globl dump
dump:
	csrr t0, SCTRSTATUS
	csrr t0, SCTRCTL
	li t1, 0x200
	add t2, t1, a0
1:	csrw SISELECT, t1
	csrr t0, SIREG
	csrr t0, SIREG2
	csrr t0, SIREG3
	addi t1, t1, 1
	bne t1, t2, 1b
	ret
