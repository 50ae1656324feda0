/* A machine of XLEN 64 that executes one call, c.jal, in user mode with XLEN 32 (UXL), and ends.
 * With XLEN 64 the same bytes are c.addiw ra, 4. */
.globl _start
_start:
	la	t0, handler
	csrw	mtvec, t0
	li	t0, -1 /* all memory is the user's (PMP) */
	srli	t0, t0, 10
	csrw	pmpaddr0, t0
	li	t0, 31
	csrw	pmpcfg0, t0
	li	t0, 3 << 32 /* UXL: 1, in one write, as 0 and 3 are none; MPP: U */
	li	t1, 3 << 11
	or	t0, t0, t1
	not	t0, t0
	csrr	t1, mstatus
	and	t1, t1, t0
	li	t0, 1 << 32
	or	t1, t1, t0
	csrw	mstatus, t1
	la	t0, user
	csrw	mepc, t0
	mret
.align 2
handler:
	li	t0, 0x100000
	li	t1, 0x5555
	sw	t1, 0(t0)
	j	.
user:
	c.li	a0, 1
	.2byte	0x2091 /* c.jal, 68 bytes further; c.addiw ra, 4 */
	.zero	66
	ecall
