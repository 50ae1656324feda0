/* The resolver: which counters can monitor an event, and what mhpmevent is for it.
 *
 * counter_config_matching, event_get_info and hs_pmu_restore() all use it, so that they cannot
 * disagree about an event. */
#include "pmu/pmu.h"

#define CODE(event) ((event) & 0xffffu)
#define NOTHING (struct pmu_target){ 0, 0 }

/* Shift from a SET_*INH flag to its bit in mhpmevent. */
#define INHIBIT_SHIFT 55

static bool general_exists(uint32_t code)
{
	switch (code) {
#define HS_PMU_GENERAL(name, code) case code:
#include <hartscope/tables/perf.def>
		return true;
	default: return false;
	}
}

static bool cache_exists(uint32_t code)
{
	switch (code & ~7u) {
#define HS_PMU_CACHE(name, cache_id) case (cache_id) << 3:
#include <hartscope/tables/perf.def>
		break;
	default: return false;
	}
	switch (code & 6u) {
#define HS_PMU_CACHE_OP(name, op_id) case (op_id) << 1:
#include <hartscope/tables/perf.def>
		return true;
	default: return false;
	}
}

/* The event_idx itself may be the value of mhpmevent (raw events v2, note). */
static struct pmu_target resolve_listed(const struct hs_pmu *pmu, uint32_t event)
{
	for (uint32_t i = 0; i < pmu->config.event_rows; i++) {
		const struct hs_pmu_event_row *r = &pmu->config.events[i];

		if (event >= r->first && event <= r->last)
			return (struct pmu_target){ .counters = r->counters,
			                            .selector = r->selector ? r->selector : event };
	}
	return NOTHING;
}

/* Type 2 gives 48 bits and type 3 gives 56 of a 64-bit mhpmevent, both give 32 of a 32-bit one;
 * "the SBI implementation shall determine" the others: they are the row's. */
static struct pmu_target resolve_raw(const struct hs_pmu *pmu, uint64_t data, unsigned bits)
{
	const uint64_t given = pmu_bit(pmu->config.event_bits == 32 ? 32 : bits) - 1;

	if (data & ~given)
		return NOTHING;
	for (uint32_t i = 0; i < pmu->config.raw_rows; i++) {
		const struct hs_pmu_raw_row *r = &pmu->config.raws[i];

		if (((data ^ r->select) & r->mask & given) == 0)
			return (struct pmu_target){ r->counters, data | (r->select & ~given) };
	}
	return NOTHING;
}

static bool firmware_exists(const struct hs_pmu *pmu, void *ctx, uint32_t code, uint64_t data)
{
	if (code == HS_PMU_FW_PLATFORM)
		return pmu->ops.platform_event && pmu->ops.platform_event(ctx, data);
	if (data)
		return false;
	if (code >= HS_PMU_FW_IMPLEMENTATION)
		return code - HS_PMU_FW_IMPLEMENTATION < pmu->config.fw_impl_events;
	return code < 32 && pmu->config.fw_events >> code & 1u;
}

struct pmu_target pmu_resolve(const struct hs_pmu *pmu, void *ctx, uint64_t event_idx,
                              uint64_t data)
{
	const uint32_t event = (uint32_t)event_idx, code = CODE(event);

	if (event_idx >> 20)
		return NOTHING;
	switch (event >> 16) {
	case HS_PMU_TYPE_GENERAL:
		return !data && general_exists(code) ? resolve_listed(pmu, event) : NOTHING;
	case HS_PMU_TYPE_CACHE:
		return !data && cache_exists(code) ? resolve_listed(pmu, event) : NOTHING;
	case HS_PMU_TYPE_RAW: return code ? NOTHING : resolve_raw(pmu, data, 48);
	case HS_PMU_TYPE_RAW_V2: return code ? NOTHING : resolve_raw(pmu, data, 56);
	case HS_PMU_TYPE_FIRMWARE:
		if (!firmware_exists(pmu, ctx, code, data))
			return NOTHING;
		return (struct pmu_target){ .counters = pmu->firmware };
	default: return NOTHING;
	}
}

/* The configuration registers of cycle and instret have only filters. */
uint64_t pmu_selector(const struct hs_pmu *pmu, unsigned counter, uint64_t selector,
                      uint32_t inhibit)
{
	const unsigned n = pmu_csr_index(pmu, counter);
	uint64_t value = n < 3 ? 0 : selector;

	if (pmu->filters >> n & 1u)
		value |= (uint64_t)(inhibit | pmu->config.forced) << INHIBIT_SHIFT;
	return value;
}
