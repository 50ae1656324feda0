# Two modes, full branch maps, system calls, an illegal instruction, and an interrupt between
# branches, on the machine `virt`.  An ecall with a0 = 0 turns it off.
	.globl _start
_start:
	la t0, handler
	csrw mtvec, t0
	li t0, -1                 # PMP: everything is allowed
	csrw pmpaddr0, t0
	li t0, 0x1f
	csrw pmpcfg0, t0
	li t0, 8                  # mie.MSIE
	csrw mie, t0
	li t1, 3
1:	addi t1, t1, -1
	bnez t1, 1b
	la t0, user
	csrw mepc, t0
	li t0, 0x1800             # mstatus.MPP: U
	csrc mstatus, t0
	mret
user:
	li a0, 1
	li s0, 40
2:	andi t0, s0, 1
	beqz t0, 3f
	addi s1, s1, 1
3:	addi s0, s0, -1
	bnez s0, 2b
	call function
	ecall
	li s0, 4
	li s2, 2
	li s4, 1
	lui s3, 0x2000            # msip of hart 0
4:	bne s0, s2, 5f
	sw s4, (s3)
	nop
5:	addi s0, s0, -1
	bnez s0, 4b
	call function
	.4byte 0xc0001073         # unimp, not its 16-bit form
	la t0, function
	jalr t0
	li a0, 0
	ecall
function:
	ret
	.align 2
handler:
	csrr t2, mcause
	bltz t2, interrupt
	beqz a0, off
	csrr t3, mepc
	addi t3, t3, 4
	csrw mepc, t3
	mret
interrupt:
	sw zero, (s3)
	mret
off:
	li t0, 0x100000
	li t1, 0x5555
	sw t1, (t0)
	j .
