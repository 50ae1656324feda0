/* Contexts: two address spaces of a supervisor, and two virtual machines with two each.  What
 * record must say of each is in tests/conformance/system_contexts.sh.  The tables map memory to
 * itself; their addresses are their contexts. */
#define A 0x80010
#define B 0x80011
#define C 0x80012
#define D 0x80013
#define G 0x80014
#define LEAF ((0x80000 << 10) | 0xcf) /* a gigapage */
#define HSTATUS 0x600
#define HGATP 0x680
#define VSATP 0x280
#define MCONTEXT 0x7a8
#define SV39 (8 << 60)

.macro TABLE ppn, flags
	li t0, (\ppn << 12) + 8 * 2
	li t1, LEAF | \flags
	sd t1, 0(t0)
.endm

.macro LET csr, value
	li t0, \value
	csrw \csr, t0
.endm

/* Run the code at @label in S, or with hstatus.SPV in VS; it comes back with an ecall.  mret would
 * do by mstatus.MPV, which some QEMUs let nobody write. */
.macro RUN label, spv
	li t0, 0x100 /* SPP */
	csrs sstatus, t0
	LET HSTATUS, \spv
	la t0, \label
	csrw sepc, t0
	la t0, 1f
	csrw mtvec, t0
	sret
	.align 2
1:
.endm

	.globl _start
_start:
	LET pmpaddr0, -1
	LET pmpcfg0, 0x1f
	TABLE A, 0
	TABLE B, 0
	TABLE C, 0
	TABLE D, 0
	TABLE G, 0x10
	li s1, ROUNDS
again:
	LET satp, SV39 | 1 << 44 | A
	RUN supervisor, 0
	addi s1, s1, -1
	bnez s1, again
	LET MCONTEXT, 0x155
	LET HGATP, SV39 | 5 << 44 | G
	LET VSATP, SV39 | 3 << 44 | C
	RUN guest, 0x80
	LET HGATP, SV39 | 6 << 44 | G
	RUN guest, 0x80
	LET MCONTEXT, 0
	li t0, 0x100000
	li t1, 0x5555
	sw t1, 0(t0)
1:	wfi
	j 1b
supervisor:
	LET satp, SV39 | 2 << 44 | B
	sfence.vma
	ecall
guest: /* its satp is vsatp */
	LET satp, SV39 | 4 << 44 | D
	sfence.vma
	ecall
