/* Accesses of a machine: known values at known places.  What record --data must say of each is in
 * tests/conformance/system_data.sh.  Without compressed instructions. */
	.globl _start
_start:
	la t0, word
	li t1, 0x11223344
	sw t1, 0(t0)
	li t2, 3
	amoadd.w t3, t2, (t0)
	amomaxu.w t3, t2, (t0)
	amoand.w t3, t2, (t0)
	lr.w t4, (t0)
	sc.w t5, t2, (t0)
	sc.w t5, t2, (t0)         # has no reservation any more
	lbu t3, 1(t0)
	csrw mscratch, t1
	csrrsi t6, mscratch, 3
	csrrc t6, mscratch, t2
	csrr t6, mhartid
	la t0, handler
	csrw mtvec, t0
	csrw 0x7ff, t1            # no such CSR: it does not retire
handler:
	csrr t0, mcause
	li t1, 0x100000           # the machine goes off
	li t2, 0x5555
	sw t2, 0(t1)
1:	j 1b
	.data
	.align 3
word:	.dword 0
