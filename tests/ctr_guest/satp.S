/* Address spaces: the same addresses hold other code in each of two, which S, VS (with and without
 * a second stage) and their users run in turn; pages that are not there, and addresses that
 * cannot be. */
#include "guest.h"

#define WINDOW 0xc0000000 /* S's page, U's page, and one that is not there */
#define LEAF_S 0xcf       /* D A X W R V */
#define LEAF_U 0xdf       /* the same for U */
#define HFENCE_GVMA .word 0x62000073

#if __riscv_xlen == 64
#define MODE (8 << 60) /* Sv39, Sv39x4 */
#define ASID_SHIFT 44
#define HIGH 0xffffffff40000000 /* from the program to the same in the last 2^30 bytes */
#define PUT sd
#define ENTRY 8
#else
#define MODE (1 << 31) /* Sv32, Sv32x4 */
#define ASID_SHIFT 22
#define PUT sw
#define ENTRY 4
#endif

	.globl main
main:
	mv s11, ra
	la t0, on_trap
	csrw stvec, t0
	csrw 0x205, t0               /* vstvec */
	LET medeleg, 0x30b10c        /* illegal, breakpoint, U's ecall, page faults of each stage */
	LET HEDELEG, 0xb10c
	la a1, root_a
	la a2, below_a
	la a3, blob_a
	call map
	la a1, root_b
	la a2, below_b
	la a3, blob_b
	call map
	li s9, GO_TO | S
	call contexts
	li s9, GO_TO | VS
	call contexts
	call second_stage
	call contexts
	GO VS
	csrwi SCTRCTL, CTL_S
	li t0, 0x40000000            /* nothing for the second stage */
	jalr t0
	GO M
	csrw VSCTRCTL, zero
	li a0, 16
	call dump
	csrw HGATP, zero
	jr s11

/* t0 becomes the entry for the page at \page. */
.macro ENTRY_OF page, flags
	srli t0, \page, 12
	slli t0, t0, 10
	ori t0, t0, \flags
.endm

/* a1: a root; a2: the pages below it; a3: the code in the window. */
map:
	la t1, _start
#if __riscv_xlen == 64
	ENTRY_OF t1, LEAF_S
	sd t0, 2 * 8(a1)             /* 2^30 bytes where they are, and at the end */
	li t2, 511 * 8
	add t2, t2, a1
	sd t0, (t2)
	ENTRY_OF a2, 1
	sd t0, 3 * 8(a1)
	li t2, 4096
	add t2, t2, a2
	ENTRY_OF t2, 1
	sd t0, (a2)
	mv a2, t2
#else
	ENTRY_OF t1, LEAF_S
	li t2, 0x200 * 4
	add t2, t2, a1
	sw t0, (t2)                  /* 2^22 bytes where they are */
	ENTRY_OF a2, 1
	li t2, 0x300 * 4
	add t2, t2, a1
	sw t0, (t2)
#endif
	ENTRY_OF a3, LEAF_S
	PUT t0, (a2)
	ENTRY_OF a3, LEAF_U
	PUT t0, ENTRY(a2)
	ret

/* The guest's physical memory is where it is. */
second_stage:
	la a1, root_g
	la t1, _start
	ENTRY_OF t1, LEAF_U
#if __riscv_xlen == 64
	sd t0, 2 * 8(a1)
#else
	li t2, 0x200 * 4
	add t2, t2, a1
	sw t0, (t2)
#endif
	srli t0, a1, 12
	li t1, MODE
	or t0, t0, t1
	csrw HGATP, t0
	HFENCE_GVMA
	ret

/* Both address spaces in turn, under each setting, in the mode of s9. */
contexts:
	mv s10, ra
	li s2, 0
1:	mv a7, s9
	ecall
	li a7, 0
	andi t0, s2, 1
	la t1, root_a
	beqz t0, 2f
	la t1, root_b
2:	srli t1, t1, 12
	addi t0, t0, 1
	slli t0, t0, ASID_SHIFT
	or t1, t1, t0
	li t0, MODE
	or t1, t1, t0
	csrw satp, t1
	sfence.vma
	srli s3, s2, 1
	andi t0, s3, 4
	slli t0, t0, 5               /* RASEMU */
	andi s3, s3, 3               /* U, S */
	or s3, s3, t0
	csrw SCTRCTL, s3
	li t0, WINDOW
	li t4, 0
	jalr t0
	la s5, 3f
	li t0, WINDOW + 4096
	csrw sepc, t0
	li t0, 1 << 8
	csrc sstatus, t0
	li t4, 1
	sret
3:
#if __riscv_xlen == 64
	la t0, mix
	li t1, HIGH
	add t0, t0, t1
	jalr t0
#endif
	csrw SCTRCTL, zero
	GO M
	li a0, 16
	call dump
	SCTRCLR
	addi s2, s2, 1
	li t0, 16
	bne s2, t0, 1b
	csrw satp, zero
	csrw 0x280, zero             /* vsatp */
	sfence.vma
	jr s10

/* U's ecall ends its code; all else goes back to where it was called. */
	.balign 4
on_trap:
	csrr t5, scause
	li t6, 8
	bne t5, t6, 1f
	li t6, 1 << 8
	csrs sstatus, t6
	csrw sepc, s5
	sret
1:	csrw sepc, ra
	sret

	.balign 4096
blob_a:
	mv t3, ra
	call 2f
	li t0, WINDOW + 2 * 4096
	jalr t0                      /* a page that is not there */
#if __riscv_xlen == 64
	li t0, 1 << 39
	jalr t0                      /* not an address of Sv39 */
#endif
	jal 3f
	bnez t4, 1f
	jr t3
1:	ecall
2:	ebreak                       /* as if it were a return */
3:	li t0, WINDOW + 2 * 4096
	lw t0, (t0)

	.balign 4096
blob_b:
	j 2f
1:	ret
2:	mv t3, ra
	li t2, 3
3:	addi t2, t2, -1
	bnez t2, 3b
	la t0, 1b
	jalr t0
	call 4f
	beqz t4, 5f
	ecall
4:	.word 0xffffffff
5:	jr t3
	.balign 4096

	.bss
	.balign 16384
root_g:
	.space 16384
root_a:
	.space 4096
below_a:
	.space 8192
root_b:
	.space 4096
below_b:
	.space 8192
