/* Ends of a machine: hart 0 counts its starts in memory that a reset leaves alone, asks STARTS - 1
 * times for a reset, and then for END (virt's test device: 0x5555 power-off, 0x7777 reboot,
 * 0x3333 | code << 16 failure; anything else is nothing).  Other harts wait.  Nothing traps. */
	.globl _start
_start:
	csrr t0, mhartid
	bnez t0, wait
	li t1, 0x80100000
	lw t2, 0(t1)
	addi t2, t2, 1
	sw t2, 0(t1)
	li t0, 0x100000
	li t3, STARTS
	li t1, 0x7777
	bltu t2, t3, 1f
	li t1, END
1:	sw t1, 0(t0)
wait:
	wfi
	j wait
