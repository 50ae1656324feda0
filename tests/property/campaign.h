/* A run of random cases: HARTSCOPE_SEED is the first one, HARTSCOPE_CASES how many.  Sanitizers,
 * which take four times as long, get a tenth of the cases. */
#ifndef TESTS_CAMPAIGN_H
#define TESTS_CAMPAIGN_H

#include <stdint.h>

/* Run the cases; prints where it is, so that a failure shows its seed.  @return how many there
 * were. */
uint64_t campaign_run(uint64_t cases, void (*one_case)(uint64_t seed));

/* Teardown of a test: the last seed. */
int campaign_report(void **state);

#endif
