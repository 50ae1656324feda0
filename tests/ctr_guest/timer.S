/* Timer interrupts come while mix runs, wherever they like: first in machine mode, then in supervisor
 * mode, to which machine mode hands them on as software interrupts. */
#include "guest.h"

#define MTIME 0x200bff8
#define MTIMECMP 0x2004000
#define TIMES 200
#define TICKS 500

	.globl main
main:
	la t0, on_timer
	csrw mtvec, t0
	la t0, on_software
	csrw stvec, t0
	LET mideleg, 2
	csrw mie, zero
	li t0, 0x82
	csrs mie, t0
	LET MCTRCTL, (CTL_M | CTL_S) /* on to the end, for who compares the records then */
	LET SCTRDEPTH, 4
	li s2, 0                     /* timer interrupts so far */
	li s3, 0                     /* software interrupts */
	call next_time
	csrsi mstatus, 8
1:	call mix
	li t0, TIMES
	blt s2, t0, 1b
	csrci mstatus, 8
	la t0, supervisor
	csrw mepc, t0
	li t0, 3 << 11
	csrc mstatus, t0
	li t0, 1 << 11
	csrs mstatus, t0
	csrsi mstatus, 2
	call next_time
	mret

supervisor:
	call mix
	wfi
	li t0, TIMES
	blt s3, t0, supervisor
	QUIT

	.balign 4
on_timer:
	csrr t5, mcause
	bgez t5, off
	addi s2, s2, 1
	csrr t5, mstatus
	srli t5, t5, 11
	andi t5, t5, 3
	addi t5, t5, -3
	beqz t5, 1f
	csrsi mip, 2                 /* the supervisor ran */
1:	csrw mscratch, t4
	mv t6, ra
	call next_time
	mv ra, t6
	csrr t4, mscratch
	mret
off:
	csrw mie, zero
	li t5, 0x100000
	li t6, 0x5555
	sw t6, (t5)
1:	wfi                          /* until the machine is off */
	bnez t6, 1b

	.balign 4
on_software:
	addi s3, s3, 1
	csrci sip, 2
	sret

next_time:
	li t5, MTIME
	lw t4, (t5)
	addi t4, t4, TICKS
	li t5, MTIMECMP
	sw zero, 4(t5)
	sw t4, (t5)
	ret
