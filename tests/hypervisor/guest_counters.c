/* What the guest's harts have: cycle, instret, and four counters that can overflow. */
#include "guest_counters.h"

#define GENERAL 0x78u /* counters 3 to 6 */

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

enum hs_status make_guest_pmu(struct hs_pmu *pmu, unsigned xlen, const struct hs_pmu_ops *backend)
{
	struct hs_pmu_ops ops = *backend;
	const struct hs_pmu_config config = {
		.size = sizeof(config), .xlen = (uint8_t)xlen, .sscofpmf = true,
		.smcntrpmf = true, .snapshot = true, .event_info = true,
		.hw_counters = sizeof(rows) / sizeof(rows[0]), .hw = rows,
		.event_rows = sizeof(events) / sizeof(events[0]),
		.events = events, .fw_events = 0x3fff, .fw_impl_events = 1, .ops = &ops,
	};

	ops.platform_event = platform_event;
	return hs_pmu_init(pmu, &config);
}
