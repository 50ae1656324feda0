/* Programs without an operating system that use CTR in every mode.  They judge nothing: lock-step
 * does.
 *
 * t5, t6 and a7 belong to the trap handlers.  An ecall with a7 0 does nothing; GO asks for a mode.
 */
#ifndef GUEST_H
#define GUEST_H

/* CSRs that Debian's assembler has no names for, and those of H. */
#define SISELECT 0x150
#define SIREG 0x151
#define SIREG2 0x152
#define SIREG3 0x153
#define SIREG4 0x155
#define SIREG5 0x156
#define SIREG6 0x157
#define SCTRCTL 0x14e
#define SCTRSTATUS 0x14f
#define SCTRDEPTH 0x15f
#define VSISELECT 0x250
#define VSIREG 0x251
#define VSIREG2 0x252
#define VSIREG3 0x253
#define VSCTRCTL 0x24e
#define MCTRCTL 0x34e
#define VSTVEC 0x205
#define MSTATEEN0 0x30c
#define MSTATEEN0H 0x31c
#define HSTATUS 0x600
#define HEDELEG 0x602
#define HIDELEG 0x603
#define HVIP 0x645
#define HVIEN 0x608
#define HGATP 0x680
#define HSTATEEN0 0x60c
#define HSTATEEN0H 0x61c
#define MSTATUSH 0x310
#define MNEPC 0x741
#define MNSTATUS 0x744

/* Fields of the control registers. */
#define CTL_U 0x1
#define CTL_S 0x2
#define CTL_M 0x4
#define CTL_RASEMU 0x80
#define CTL_STE 0x100
#define CTL_MTE 0x200
#define CTL_BPFRZ 0x800
#define CTL_LCOFIFRZ 0x1000

#define U 0
#define S 1
#define M 3
#define VU 4
#define VS 5

#define GO_TO 0x100
#define QUIT_NOW 0x200
#define RAISE_VSSI (QUIT_NOW + 1) /* a7 at a load of nothing: M makes an interrupt pending */
#define RAISE_MIP (QUIT_NOW + 2)  /* those of s7, in mip */
#define RAISE_HVIP (QUIT_NOW + 3) /* those of s7, in hvip */

.macro GO mode
	li a7, GO_TO | \mode
	ecall
	li a7, 0
.endm

/* To M, where HS answers a guest's ecalls and M those of HS. */
.macro BACK
	GO S
	GO M
.endm

.macro QUIT
	li a7, QUIT_NOW
	ecall
.endm

.macro SCTRCLR
	.word 0x10400073
.endm

.macro MNRET
	.word 0x70200073
.endm

.macro LET csr, value
	li t0, \value
	csrw \csr, t0
.endm

#endif
