/* Traps to machine mode: ecalls, the two machine interrupts, time where the hart has none, and
 * faults that are counted and passed on. */
#include "fw.h"

#define INTERRUPT BIT(__riscv_xlen - 1)
#define CAUSE_ILLEGAL 2u
#define CAUSE_LOAD_MISALIGNED 4u
#define CAUSE_LOAD_ACCESS 5u
#define CAUSE_STORE_MISALIGNED 6u
#define CAUSE_STORE_ACCESS 7u
#define CAUSE_ECALL_S 9u
#define CSRR_TIME 0xc0102073u /* rd is clear */
#define CSRR_TIMEH 0xc8102073u
#define STATUS_MPP (BIT(11) | BIT(12))

/* A hart without Zicntr's time: csrr of time, and timeh on RV32, where the mode may read it. */
static bool read_time(struct frame *f)
{
	const uint32_t insn = (uint32_t)csr_read(mtval), kind = insn & 0xfffff07fu;
	const bool from_u = !(csr_read(mstatus) & STATUS_MPP);

	if ((kind != CSRR_TIME && (__riscv_xlen == 64 || kind != CSRR_TIMEH)) ||
	    (from_u && !(csr_read(scounteren) & BIT(1))))
		return false;
	const uint64_t now = get_time();

	f->x[insn >> 7 & 31] = (reg)(kind == CSRR_TIME ? now : now >> 32);
	csr_write(mepc, csr_read(mepc) + 4);
	return true;
}

static void count_fault(unsigned hart, reg cause, struct frame *f)
{
	switch (cause) {
	case CAUSE_ILLEGAL:
		fw_event(hart, HS_PMU_FW_ILLEGAL_INSN);
		if (read_time(f))
			return;
		break;
	case CAUSE_LOAD_MISALIGNED: fw_event(hart, HS_PMU_FW_MISALIGNED_LOAD); break;
	case CAUSE_LOAD_ACCESS: fw_event(hart, HS_PMU_FW_ACCESS_LOAD); break;
	case CAUSE_STORE_MISALIGNED: fw_event(hart, HS_PMU_FW_MISALIGNED_STORE); break;
	case CAUSE_STORE_ACCESS: fw_event(hart, HS_PMU_FW_ACCESS_STORE); break;
	default: break;
	}
	pass_on(cause);
}

static void handle_interrupt(unsigned hart, reg cause)
{
	if (cause == (INTERRUPT | 7)) {
		/* the timer: pending for the supervisor until that sets another time */
		fw_interrupt(hart, FW_TIMER_INTERRUPT);
		csr_clear(mie, MIP_MTIP);
		csr_set(mip, MIP_STIP);
	} else if (cause == (INTERRUPT | 3)) {
		fw_interrupt(hart, FW_SOFTWARE_INTERRUPT);
		clear_msip(hart);
		answer_asked(hart);
	} else {
		power_off(true);
	}
}

void trap(struct frame *f)
{
	const unsigned hart = (unsigned)csr_read(mhartid);
	const reg cause = csr_read(mcause);

	if (cause & INTERRUPT) {
		handle_interrupt(hart, cause);
	} else if (cause == CAUSE_ECALL_S) {
		csr_write(mepc, csr_read(mepc) + 4);
		const struct hs_sbiret r = sbi_call(hart, f);

		f->x[10] = (reg)r.error;
		f->x[11] = (reg)r.value;
	} else {
		count_fault(hart, cause, f);
	}
}
