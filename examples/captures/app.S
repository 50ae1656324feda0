	.text
	.globl	_start, twice
_start:	li	a0, 30
	.option	norvc
again:	jal	twice
	.option	rvc
	addi	a0, a0, -1
	bnez	a0, again
	wfi
twice:	slli	a1, a0, 1
	ret
