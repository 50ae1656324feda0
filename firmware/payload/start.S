/* The first instruction of each hart in the supervisor.  a0: hart, a1: device tree or opaque. */
#if __riscv_xlen == 64
#define STORE sd
#define WORD 8
#else
#define STORE sw
#define WORD 4
#endif
	.section .text.entry, "ax"
	.globl _start
_start:
	la t0, bss_start
	la t1, bss_end
1:	STORE zero, 0(t0)
	addi t0, t0, WORD
	bltu t0, t1, 1b
	la t2, first
	j 2f
	.globl start_hart
start_hart:
	la t2, next
2:	la sp, stacks
	addi t0, a0, 1
	slli t0, t0, 13
	add sp, sp, t0
	la t0, on_trap
	csrw stvec, t0
	jr t2
