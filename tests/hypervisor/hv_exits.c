/* Why the guest left: calls, interrupts of the host, counters, and faults that the guest is to
 * see. */
#include "guest_counters.h"
#include "hv.h"

#define CAUSE_ILLEGAL 2u
#define CAUSE_FETCH_ACCESS 1u
#define CAUSE_LOAD_MISALIGNED 4u
#define CAUSE_LOAD_ACCESS 5u
#define CAUSE_STORE_MISALIGNED 6u
#define CAUSE_STORE_ACCESS 7u
#define CAUSE_ECALL_VS 10u
#define CAUSE_FETCH_PAGE 20u
#define CAUSE_LOAD_PAGE 21u
#define CAUSE_VIRTUAL 22u
#define CAUSE_STORE_PAGE 23u

/* A trap to VS (privileged architecture, 4.1.1). */
static void inject(struct vcpu *v, reg cause, reg value)
{
	const reg status = get_csr(VSSTATUS);

	put_csr(VSCAUSE, cause);
	put_csr(VSTVAL, value);
	put_csr(VSEPC, v->pc);
	put_csr(VSSTATUS, (status & ~(STATUS_SPP | STATUS_SPIE | STATUS_SIE)) |
	        (v->supervisor ? STATUS_SPP : 0) | (status & STATUS_SIE ? STATUS_SPIE : 0));
	v->pc = get_csr(VSTVEC) & ~(reg)3;
	v->supervisor = true;
}

static void count_fault(struct vcpu *v, enum hs_pmu_firmware code, reg cause)
{
	hs_pmu_fw_event(&guest_pmu, &v->pmu, code, 1);
	inject(v, cause, csr_read(stval));
}

/* csrr of a counter that it may read; all else is illegal for the guest. */
static void virtual_instruction(struct vcpu *v)
{
	const uint32_t insn = (uint32_t)csr_read(stval);
	const bool csrr = (insn & 0xff07fu) == 0x2073u; /* csrrs with rs1 = x0 */
	reg value;

	if (!csrr || !read_counter_csr(v, insn >> 20, &value)) {
		inject(v, CAUSE_ILLEGAL, insn);
		return;
	}
	if (insn >> 7 & 31)
		v->x[insn >> 7 & 31] = value;
	v->pc += 4;
}

static void exception(struct vcpu *v, reg cause)
{
	switch (cause) {
	case CAUSE_ECALL_VS:
		v->pc += 4;
		guest_call(v);
		break;
	case CAUSE_VIRTUAL: virtual_instruction(v); break;
	case CAUSE_ILLEGAL: count_fault(v, HS_PMU_FW_ILLEGAL_INSN, cause); break;
	case CAUSE_LOAD_MISALIGNED: count_fault(v, HS_PMU_FW_MISALIGNED_LOAD, cause); break;
	case CAUSE_STORE_MISALIGNED: count_fault(v, HS_PMU_FW_MISALIGNED_STORE, cause); break;
	case CAUSE_LOAD_PAGE: count_fault(v, HS_PMU_FW_ACCESS_LOAD, CAUSE_LOAD_ACCESS); break;
	case CAUSE_STORE_PAGE: count_fault(v, HS_PMU_FW_ACCESS_STORE, CAUSE_STORE_ACCESS); break;
	case CAUSE_FETCH_PAGE: inject(v, CAUSE_FETCH_ACCESS, csr_read(stval)); break;
	case CAUSE_FETCH_ACCESS:
	case CAUSE_LOAD_ACCESS:
	case CAUSE_STORE_ACCESS: inject(v, cause, csr_read(stval)); break;
	default: panic("an exit that is not expected", cause);
	}
}

static void pause_counters(struct vcpu *v)
{
	hs_pmu_virtual_leave(&v->counters);
	hs_pmu_virtual_enter(&v->counters);
}

void handle_exit(struct vcpu *v)
{
	const reg cause = csr_read(scause);

	if (cause == (INTERRUPT | 13)) {
		csr_clear(sip, LCOFI);
		hs_pmu_virtual_enter(&v->counters); /* inside already: finds the overflow */
	} else if (cause == (INTERRUPT | 5)) {
		csr_clear(sie, STI);
		hs_pmu_platform_event(&guest_pmu, &v->pmu, TIMER_INTERRUPT, 1);
		set_csr(HVIP, HVIP_VSTIP);
	} else if (cause & INTERRUPT) {
		panic("an interrupt that is not expected", cause & ~INTERRUPT);
	} else {
		exception(v, cause);
	}
	if (v->exits % MOVES == 0)
		move_guest(v);
	else if (v->exits % 2)
		hs_pmu_virtual_enter(&v->counters); /* no exit needs it, and none is harmed */
	else
		pause_counters(v);
	deliver_overflow(v);
}
