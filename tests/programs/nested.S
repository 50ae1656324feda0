/* Calls six deep, and no branch between their returns and a jump whose target is reported: with a
 * smaller return stack a decoder waits at a return for an address, takes that of the jump, and
 * nothing contradicts it. */
	.macro call_next name, next, save
\name:	mv \save, ra
	jal \next
	mv ra, \save
	ret
	.endm

	.globl _start
_start:
	li s0, 600
	lla s1, 2f
1:	jal first
	jr s1
2:	addi s0, s0, -1
	bnez s0, 1b
	li a7, 93
	li a0, 0
	ecall

	call_next first, second, s2
	call_next second, third, s3
	call_next third, fourth, s4
	call_next fourth, fifth, s5
	call_next fifth, sixth, s6
sixth:	ret
