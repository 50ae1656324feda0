/* Random SBI PMU calls on a fake hart and on the slow reference: after each call, both give the
 * same answer, and counters, events and memory are the same. */
#include "cases.h"

#include "property/campaign.h"
#include "property/pmu_steps.h"
#include "property/randprog.h"

#define CALLS 250 /* of one hart */

static struct pmu_pair t;
static uint64_t calls, answers[16][10];

static uint32_t below(void *numbers, uint32_t n)
{
	return rng_below(numbers, n);
}

static void one_call(void)
{
	struct pmu_said said;
	const char *what = pmu_pair_call(&t, &said);

	if (what)
		fail_msg("%s differs after %s: ours %lld %llx, the reference %lld %llx", what,
		         hs_pmu_function_name(said.fid), (long long)said.ours.error,
		         (unsigned long long)said.ours.value, (long long)said.theirs.error,
		         (unsigned long long)said.theirs.value);
	calls++;
	answers[said.fid][-said.theirs.error]++;
}

static void one_case(uint64_t seed)
{
	struct rng r = { seed * 0x9e3779b97f4a7c15u | 1 };

	t.below = below;
	t.numbers = &r;
	pmu_pair_start(&t);
	for (unsigned i = 0; i < CALLS; i++) {
		for (unsigned n = rng_below(&r, 3); n > 0; n--)
			pmu_pair_happen(&t);
		one_call();
	}
}

CAMPAIGN(as_the_text_says)
{
	campaign_run(4400, one_case); /* more than 10^6 calls */
	for (unsigned fid = 0; fid <= 9; fid++) {
		printf("# %s:", hs_pmu_function_name(fid));
		for (unsigned e = 0; e < 10; e++)
			if (answers[fid][e])
				printf(" %llu %s", (unsigned long long)answers[fid][e],
				       hs_sbi_error_name(-(int)e));
		printf("\n");
	}
	printf("# %llu calls\n", (unsigned long long)calls);
}
