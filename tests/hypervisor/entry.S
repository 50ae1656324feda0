/* Entry of each hart, of the guest, and of traps. */
#if __riscv_xlen == 64
#define STORE sd
#define LOAD ld
#define WORD 8
#else
#define STORE sw
#define LOAD lw
#define WORD 4
#endif
#define PC (32 * WORD)
#define HOST_SP (33 * WORD)
#define CALLEE 1, 3, 4, 8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27
#define OTHERS 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, \
	25, 26, 27, 28, 29, 30, 31

	.section .text.entry, "ax"
	.globl _start
_start:                              /* a0: hart, a1: device tree */
	la t0, bss_start
	la t1, bss_end
1:	STORE zero, 0(t0)
	addi t0, t0, WORD
	bltu t0, t1, 1b
	la t2, first_hart
	j 2f
	.globl start_other
start_other:                         /* a0: hart */
	la t2, second_hart
2:	la sp, stacks
	addi t0, a0, 1
	slli t0, t0, 13
	add sp, sp, t0
	la t0, trap_entry
	csrw stvec, t0
	csrw sscratch, zero
	jr t2

/* enter_guest(v): run the guest until its next exit. */
	.globl enter_guest
enter_guest:
	addi sp, sp, -32 * WORD
	.irp r, CALLEE
	STORE x\r, \r * WORD(sp)
	.endr
	STORE sp, HOST_SP(a0)
	csrw sscratch, a0
	LOAD t0, PC(a0)
	csrw sepc, t0
	.irp r, OTHERS
	LOAD x\r, \r * WORD(a0)
	.endr
	LOAD a0, 10 * WORD(a0)
	sret

/* sscratch is 0 outside of the guest: a trap there ends everything. */
	.balign 4
trap_entry:
	csrrw a0, sscratch, a0
	beqz a0, 1f
	.irp r, OTHERS
	STORE x\r, \r * WORD(a0)
	.endr
	csrrw t0, sscratch, zero
	STORE t0, 10 * WORD(a0)
	csrr t0, sepc
	STORE t0, PC(a0)
	LOAD sp, HOST_SP(a0)
	.irp r, CALLEE
	LOAD x\r, \r * WORD(sp)
	.endr
	addi sp, sp, 32 * WORD
	ret
1:	la a0, trapped
	csrr a1, sepc
	j panic

#define FLOATS 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, \
	23, 24, 25, 26, 27, 28, 29, 30, 31

	.option push
	.option arch, +d
	.globl save_floats, load_floats
save_floats:
	.irp r, FLOATS
	fsd f\r, \r * 8(a0)
	.endr
	csrr t0, fcsr
	sw t0, 32 * 8(a0)
	ret
load_floats:
	.irp r, FLOATS
	fld f\r, \r * 8(a0)
	.endr
	lw t0, 32 * 8(a0)
	csrw fcsr, t0
	ret
	.option pop

	.section .rodata
trapped:
	.asciz "a trap of the hypervisor itself"

/* The guest's program and its end. */
	.section .guest, "a"
	.balign 16
	.globl guest_image, guest_image_end
guest_image:
	.incbin GUEST
guest_image_end:
