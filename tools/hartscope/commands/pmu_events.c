/* The events that blocks show, by their own names and by SBI's. */
#include <string.h>
#include <strings.h>

#include "commands/pmu.h"

#define END(itype) (1u << HS_ITYPE_##itype)
#define RAW HS_PMU_EVENT(HS_PMU_TYPE_RAW, 0)
#define SUMS 1u /* pmu_events[SUMS] is the sum of others */

const struct pmu_event pmu_events[PMU_EVENTS] = {
	{ "instructions", "instructions", HS_PMU_HW_INSTRUCTIONS, HS_PMU_HW_INSTRUCTIONS, 0 },
	{ "branches", "branches", HS_PMU_HW_BRANCH_INSTRUCTIONS, HS_PMU_HW_BRANCH_INSTRUCTIONS,
	  END(TAKEN) | END(NOT_TAKEN) },
	{ "branches_taken", "branches taken", RAW, 0x101, END(TAKEN) },
	{ "branches_not_taken", "branches not taken", RAW, 0x102, END(NOT_TAKEN) },
	{ "calls", "calls", RAW, 0x103, END(CALL_UNINF) | END(CALL_INF) | END(SWAP) },
	{ "returns", "returns", RAW, 0x104, END(RETURN) | END(SWAP) }, /* a swap is both */
	{ "exceptions", "exceptions", RAW, 0x105, END(EXCEPTION) },
	{ "interrupts", "interrupts", RAW, 0x106, END(INTERRUPT) },
};

static bool is_event(const struct pmu_event *e, const char *name)
{
	if (!strcmp(name, e->key))
		return true;
	return e->event_idx != RAW && !strcasecmp(name, hs_pmu_event_name(e->event_idx));
}

bool pmu_choose_events(const struct option_list *names, bool chosen[PMU_EVENTS])
{
	for (unsigned e = 0; e < PMU_EVENTS; e++)
		chosen[e] = !names->count && e != SUMS;
	for (size_t i = 0; i < names->count; i++) {
		unsigned e = 0;

		while (e < PMU_EVENTS && !is_event(&pmu_events[e], names->at[i]))
			e++;
		if (e == PMU_EVENTS) {
			complain("a trace does not show event '%s'", names->at[i]);
			return false;
		}
		chosen[e] = true;
	}
	return true;
}

uint64_t pmu_event_count(const struct pmu_event *event, uint64_t instructions,
                         const uint64_t ends[16])
{
	uint64_t n = 0;

	if (!event->ends)
		return instructions;
	for (unsigned itype = 0; itype < 16; itype++)
		if (event->ends >> itype & 1)
			n += ends[itype];
	return n;
}

bool pmu_start_event(const struct hs_pmu *pmu, struct hs_pmu_hart *hart, unsigned counter,
                     const struct pmu_event *event, uint64_t flags, uint64_t value)
{
	const uint64_t config[HS_PMU_ARGS] = { counter, 1, flags, event->event_idx,
		                               event->event_idx == RAW ? event->number : 0 };
	const uint64_t start[HS_PMU_ARGS] = { counter, 1, HS_PMU_START_SET_INIT_VALUE, value };

	return hs_pmu_ecall(pmu, hart, HS_PMU_COUNTER_CONFIG_MATCHING, config).error ==
	       HS_SBI_SUCCESS &&
	       hs_pmu_ecall(pmu, hart, HS_PMU_COUNTER_START, start).error == HS_SBI_SUCCESS;
}
