/* The guest's counters: cycle, instret, and four that can overflow. */
#include "hv.h"

#define GENERAL 0x78u /* counters 3 to 6 */

struct hs_pmu guest_pmu;

static const struct hs_pmu_counter rows[] = {
	{ 0xc00, 64 }, { 0, 0 }, { 0xc02, 64 }, { 0xc03, 64 }, { 0xc04, 64 }, { 0xc05, 64 },
	{ 0xc06, 48 },
};
static const struct hs_pmu_event_row events[] = {
	{ HS_PMU_HW_CPU_CYCLES, HS_PMU_HW_CPU_CYCLES, GENERAL | 1, 0 },
	{ HS_PMU_HW_INSTRUCTIONS, HS_PMU_HW_INSTRUCTIONS, GENERAL | 4, 0 },
	/* QEMU's TLB misses: of loads, stores and fetches */
	{ 0x10019, 0x10019, GENERAL, 0 }, { 0x1001b, 0x1001b, GENERAL, 0 },
	{ 0x10021, 0x10021, GENERAL, 0 },
};

static bool platform_event(void *ctx, uint64_t event_data)
{
	(void)ctx;
	return event_data == SOFTWARE_INTERRUPT || event_data == TIMER_INTERRUPT;
}

void open_counters(struct vcpu *v)
{
	struct hs_pmu_ops ops = *hs_pmu_virtual_ops();
	const struct hs_pmu_config config = {
		.size = sizeof(config), .xlen = __riscv_xlen, .sscofpmf = true, .smcntrpmf = true,
		.snapshot = true, .event_info = true, .hw_counters = 7, .hw = rows,
		.event_rows = 5, .events = events, .fw_events = 0x3fff, .fw_impl_events = 1,
		.ops = &ops,
	};

	ops.platform_event = platform_event;
	if (hs_pmu_init(&guest_pmu, &config) != HS_OK ||
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

	if ((csr >> 5 != 0xc00 >> 5 && !high) || n >= 7 || !rows[n].width)
		return false;
	*value = (reg)(hs_pmu_virtual_ops()->read(&v->counters, n) >> (high ? 32 : 0));
	return true;
}
