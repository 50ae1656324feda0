/* A run of random cases: HARTSCOPE_SEED is the first one, HARTSCOPE_CASES how many.  Sanitizers,
 * which take four times as long, get a tenth of the cases. */
#ifndef TESTS_CAMPAIGN_H
#define TESTS_CAMPAIGN_H

#include "cases.h"

/* Run the cases; prints where it is, so that a failure shows its seed.  @return how many there
 * were. */
uint64_t campaign_run(uint64_t cases, void (*one_case)(uint64_t seed));

/* Teardown of a test: the last seed. */
int campaign_report(void **state);

/* Memory that the cases of a test share. */
struct campaign_shared {
	void **pointer;
	size_t size;
};

/* Setup and teardown of a test that has them as its state. */
int campaign_set_up(void **shared);
int campaign_tear_down(void **shared);

/* A test of random cases, which a call of campaign_run() runs. */
#define CAMPAIGN(function) TEST_WITH(function, NULL, campaign_report)

/* The same where they share what the pointer @t points to: all zero before it, freed after it. */
#define CAMPAIGN_WITH(function, t) \
	static const struct campaign_shared function##_shares = { (void **)&(t), sizeof *(t) }; \
	TEST_FULLY(function, #function, campaign_set_up, campaign_tear_down, &function##_shares)

#endif
