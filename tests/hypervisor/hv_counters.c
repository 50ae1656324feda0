/* The guest's counters, on the virtual backend. */
#include "guest_counters.h"
#include "hv.h"

struct hs_pmu guest_pmu;

void open_counters(struct vcpu *v)
{
	if (make_guest_pmu(&guest_pmu, __riscv_xlen, hs_pmu_virtual_ops()) != HS_OK ||
	    hs_pmu_virtual_init(&v->counters, &guest_pmu, &guest_soft_memory, NULL, &host,
	                        v) != HS_OK)
		panic("the guest's counters cannot be made", 0);
	hs_pmu_hart_init(&guest_pmu, &v->pmu, &v->counters);
}

/* A virtual LCOFI, which the guest clears in its sip. */
void deliver_overflow(struct vcpu *v)
{
	if (v->counters.saved.lcofi)
		set_csr(HVIP, LCOFI);
	v->counters.saved.lcofi = false;
}

/* cycle to hpmcounter31, and their upper halves on RV32. */
bool read_counter_csr(struct vcpu *v, unsigned csr, reg *value)
{
	const unsigned n = csr & 31;
	const bool high = __riscv_xlen == 32 && csr >> 5 == 0xc80 >> 5;

	if ((csr >> 5 != 0xc00 >> 5 && !high) || !v->counters.saved.width[n])
		return false;
	*value = (reg)(hs_pmu_virtual_ops()->read(&v->counters, n) >> (high ? 32 : 0));
	return true;
}
