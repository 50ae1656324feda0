/* SBI PMU calls made from numbers, on a fake hart and on the slow reference: random ones in
 * tests/property/pmu.c, the bytes of an input in tests/fuzz/fuzz_pmudiff.c. */
#ifndef HS_TESTS_PMU_STEPS_H
#define HS_TESTS_PMU_STEPS_H

#include "property/pmu_reference.h"

struct pmu_pair {
	uint32_t (*below)(void *numbers, uint32_t n); /* 0..n-1, n at least 1 */
	void *numbers;
	struct hs_pmu pmu;
	struct hs_pmu_hart hart;
	struct fake fake;
	struct ref ref;
	struct hs_pmu_ops ops;
};

/* What both answered. */
struct pmu_said {
	unsigned fid; /* 9: none of the functions */
	struct hs_sbiret ours, theirs;
};

/* Make a kind of hart and a hart; below and numbers are set. */
void pmu_pair_start(struct pmu_pair *t);

/* Something between calls: hardware counts or overflows, access to memory changes, a firmware event
 * happens, the hart is saved and restored, memory has other content. */
void pmu_pair_happen(struct pmu_pair *t);

/* A call.  @return  What differs after it: answers, counters, events or memory; NULL: nothing. */
const char *pmu_pair_call(struct pmu_pair *t, struct pmu_said *said);

#endif
