# Two processes at the same addresses, a kernel and a firmware, as views.sh has them.
	.globl user, handle_call, firmware
	.type user, @function
user:	li a0, 2
1:	addi a0, a0, -1
	ecall
	j 1b
	.size user, . - user
	.org 0x100
	.type handle_call, @function
handle_call:
	nop
	ecall
	nop
	sret
	.size handle_call, . - handle_call
	.org 0x200
	.type firmware, @function
firmware:
	nop
	mret
	.size firmware, . - firmware
