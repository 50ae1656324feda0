/* Events that firmware counts.  Mostly no counter is started for them, and then they cost
 * little. */
#include "pmu/pmu.h"

static void count_event(const struct hs_pmu *pmu, struct hs_pmu_hart *hart, uint32_t event,
                        uint64_t data, uint64_t n)
{
	for (unsigned i = pmu->config.hw_counters; i < pmu->num_counters; i++) {
		struct hs_pmu_slot *slot = &hart->slot[i];

		if (hart->fw_started >> i & 1u && slot->event_idx == event &&
		    slot->event_data == data)
			slot->value = (slot->value + n) & pmu->fw_mask;
	}
}

void hs_pmu_fw_event(const struct hs_pmu *pmu, struct hs_pmu_hart *hart, unsigned code,
                     uint64_t n)
{
	if (hart->fw_started && code < HS_PMU_FW_PLATFORM)
		count_event(pmu, hart, HS_PMU_EVENT(HS_PMU_TYPE_FIRMWARE, code), 0, n);
}

void hs_pmu_platform_event(const struct hs_pmu *pmu, struct hs_pmu_hart *hart,
                           uint64_t event_data, uint64_t n)
{
	if (hart->fw_started)
		count_event(pmu, hart, HS_PMU_EVENT(HS_PMU_TYPE_FIRMWARE, HS_PMU_FW_PLATFORM),
		            event_data, n);
}
