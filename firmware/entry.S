/* Reset, traps, and entry to the supervisor.  a0: hart, a1: device tree, a2: fw_dynamic_info. */
#if __riscv_xlen == 64
#define STORE sd
#define LOAD ld
#define WORD 8
#else
#define STORE sw
#define LOAD lw
#define WORD 4
#endif
#define FRAME (32 * WORD)
#define STACK_SHIFT 13
#define HARTS 8

	.section .text.entry, "ax"
	.globl _start
_start:
	csrw mie, zero
	li t0, HARTS
	bgeu a0, t0, halt
	call stack_of
	la t0, lottery
	li t1, 1
	amoadd.w t1, t1, (t0)
	bnez t1, 2f
	la t0, bss_start
	la t1, bss_end
1:	STORE zero, 0(t0)
	addi t0, t0, WORD
	bltu t0, t1, 1b
	j boot
2:	la t0, boot_done
	lw t1, (t0)
	beqz t1, 2b
	fence
	j park

halt:
	wfi
	j halt

/* sp = the end of hart a0's stack; changes t0 */
stack_of:
	la sp, stacks
	addi t0, a0, 1
	slli t0, t0, STACK_SHIFT
	add sp, sp, t0
	ret

/* park_again(hart): wait for the next start with an empty stack */
	.globl park_again
park_again:
	call stack_of
	j park

/* enter(hart, opaque, address): go to the supervisor; mstatus is ready */
	.globl enter
enter:
	csrw mepc, a2
	call stack_of
	csrw mscratch, sp
	.irp r, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	li x\r, 0
	.endr
	mret

/* mscratch is the end of the stack in lower modes, and 0 in the firmware: a trap there stops the hart. */
	.balign 4
	.globl trap_entry
trap_entry:
	csrrw sp, mscratch, sp
	beqz sp, halt
	addi sp, sp, -FRAME
	.irp r, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	STORE x\r, \r * WORD(sp)
	.endr
	csrrw t0, mscratch, zero
	STORE t0, 2 * WORD(sp)
	mv a0, sp
	call trap
	LOAD t0, 2 * WORD(sp)
	addi t1, sp, FRAME
	csrw mscratch, t1
	STORE t0, 2 * WORD(sp)
	.irp r, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	LOAD x\r, \r * WORD(sp)
	.endr
	LOAD sp, 2 * WORD(sp)
	mret

/* While CSRs are probed: report the trap in x31 (t6) and continue after the instruction. */
	.balign 4
	.globl probe_entry
probe_entry:
	li t6, 1
	csrr t5, mepc
	addi t5, t5, 4
	csrw mepc, t5
	mret

	.data
	.balign 4
lottery:
	.word 0
	.globl boot_done
boot_done:
	.word 0
