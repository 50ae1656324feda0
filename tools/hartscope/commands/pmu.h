/* What the files of `hartscope pmu` share: the events that a trace has, and samples of one. */
#ifndef PMU_H
#define PMU_H

#include <hartscope/pmu.h>

#include "common/tool.h"

#define PMU_EVENTS 8u

/** An event that blocks show. */
struct pmu_event {
	const char *key, *label;
	uint32_t event_idx; /* SBI's; a raw event's event_data is its number */
	uint64_t number;    /* for hs_pmu_soft_count() */
	unsigned ends;      /* of blocks that are this event, by itype; 0: instructions */
};

extern const struct pmu_event pmu_events[PMU_EVENTS];

/** Which events --event chooses; without it all but those that are the sum of others.  False,
 * after a complaint: there is no such event. */
bool pmu_choose_events(const struct option_list *names, bool chosen[PMU_EVENTS]);

/** How often an event happened, of what ran in a mode or in a function. */
uint64_t pmu_event_count(const struct pmu_event *event, uint64_t instructions,
                         const uint64_t ends[16]);

/** Configure logical counter @counter as a supervisor does, and start it at @value. */
bool pmu_start_event(const struct hs_pmu *pmu, struct hs_pmu_hart *hart, unsigned counter,
                     const struct pmu_event *event, uint64_t flags, uint64_t value);

/** Samples: each harts' counter overflows after @period of an event.  Without memory NULL. */
struct pmu_samples *pmu_samples_new(struct hs_source *source, const struct pmu_event *event,
                                    uint64_t period);
void pmu_samples_free(struct pmu_samples *s); /* NULL is allowed */

/** False: no memory. */
bool pmu_samples_add(struct pmu_samples *s, const struct hs_block *b, size_t n);

/** The instructions of the result are samples. */
enum hs_status pmu_samples_get(struct pmu_samples *s, struct hs_profile_result *result);

#endif
