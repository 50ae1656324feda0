/* Traps that the firmware took and hands to the supervisor, or to the guest of one. */
#include "fw.h"

#define STATUS_SIE BIT(1)
#define STATUS_SPIE BIT(5)
#define STATUS_SPP BIT(8)
#define STATUS_MPIE BIT(7)
#define STATUS_MPP (BIT(11) | BIT(12))
#define MISA_H BIT(7)
#define VSSTATUS 0x200
#define VSTVEC 0x205
#define VSEPC 0x241
#define VSCAUSE 0x242
#define VSTVAL 0x243
#define HSTATUS 0x600
#define HEDELEG 0x602
#define HTVAL 0x643
#define HTINST 0x64a
#define MTINST 0x34a
#define MTVAL2 0x34b
#define HSTATUS_GVA BIT(6)
#define HSTATUS_SPV BIT(7)
#define HSTATUS_SPVP BIT(8)

#define get_csr(csr) ({ reg v_; __asm__ volatile("csrr %0, %1" : "=r"(v_) : "i"(csr)); v_; })
#define put_csr(csr, v) __asm__ volatile("csrw %0, %1" : : "i"(csr), "r"((reg)(v)))

/* GVA and MPV of mstatus, of mstatush on RV32: the bits above @n. */
#if __riscv_xlen == 64
#define VIRTUAL_STATUS csr_read(mstatus)
#define WITHOUT_MPV(status) ((status) & ~BIT(39))
#define GVA_LSB 38
#else
#define VIRTUAL_STATUS get_csr(0x310)
#define WITHOUT_MPV(status) (status)
#define GVA_LSB 6
#endif

static bool trapped_in_guest(void)
{
	return (csr_read(misa) & MISA_H) && VIRTUAL_STATUS >> (GVA_LSB + 1) & 1u;
}

/* Each mret leaves MPV 0, also one to M.  QEMU from 10.0.11 on lets nobody write it. */
static void clear_mpv(void)
{
	const reg epc = csr_read(mepc), status = csr_read(mstatus);
	reg next;

	csr_write(mstatus, (status & ~STATUS_MPIE) | STATUS_MPP);
	__asm__ volatile("la %0, 1f\n\tcsrw mepc, %0\n\tmret\n\t.balign 4\n1:" : "=&r"(next));
	csr_write(mepc, epc);
	csr_write(mstatus, WITHOUT_MPV(status));
}

/* What a trap to HS also writes, from V=1 and from V=0. */
static void leave_guest(bool from_guest, bool from_s)
{
	reg hstatus = get_csr(HSTATUS) & ~(HSTATUS_SPV | HSTATUS_GVA);

	if (VIRTUAL_STATUS >> GVA_LSB & 1u)
		hstatus |= HSTATUS_GVA;
	if (from_guest)
		hstatus = (hstatus & ~HSTATUS_SPVP) | HSTATUS_SPV | (from_s ? HSTATUS_SPVP : 0);
	put_csr(HSTATUS, hstatus);
	put_csr(HTVAL, get_csr(MTVAL2));
	put_csr(HTINST, get_csr(MTINST));
	if (from_guest)
		clear_mpv();
}

/* sstatus or vsstatus after a trap to it, from S or from U. */
static reg trapped_status(reg status, bool from_s)
{
	const reg cleared = status & ~(STATUS_SPP | STATUS_SPIE | STATUS_SIE);

	return cleared | (from_s ? STATUS_SPP : 0) | (status & STATUS_SIE ? STATUS_SPIE : 0);
}

/* As if the trap had gone to the supervisor (privileged architecture, 3.1.6.1 and 4.1.1), and from
 * a guest to VS where the hypervisor delegates it. */
void pass_on(reg cause)
{
	const reg status = csr_read(mstatus);
	const bool from_s = (status & STATUS_MPP) == BIT(11), from_guest = trapped_in_guest();

	csr_write(mstatus, (status & ~STATUS_MPP) | BIT(11));
	if (from_guest && get_csr(HEDELEG) >> cause & 1u) {
		put_csr(VSCAUSE, cause);
		put_csr(VSTVAL, csr_read(mtval));
		put_csr(VSEPC, csr_read(mepc));
		put_csr(VSSTATUS, trapped_status(get_csr(VSSTATUS), from_s));
		csr_write(mepc, get_csr(VSTVEC) & ~(reg)3);
		return;
	}
	if (csr_read(misa) & MISA_H)
		leave_guest(from_guest, from_s);
	csr_write(scause, cause);
	csr_write(stval, csr_read(mtval));
	csr_write(sepc, csr_read(mepc));
	csr_write(mstatus, trapped_status(csr_read(mstatus), from_s));
	csr_write(mepc, csr_read(stvec) & ~(reg)3);
}
