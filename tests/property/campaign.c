/* A run of random cases; see campaign.h. */
#include "property/campaign.h"

#include <stdio.h>
#include <stdlib.h>

static uint64_t current;

static uint64_t number(const char *name, uint64_t standard)
{
	const char *v = getenv(name);

	return v ? strtoull(v, NULL, 0) : standard;
}

uint64_t campaign_run(uint64_t cases, void (*one_case)(uint64_t seed))
{
	const uint64_t seed = number("HARTSCOPE_SEED", 1);

	cases = number("HARTSCOPE_CASES", getenv("HARTSCOPE_SANITIZED") ? cases / 10 : cases);
	for (uint64_t i = 0; i < cases; i++) {
		if (i % 10000 == 0)
			printf("# seeds %llu..\n", (unsigned long long)(seed + i));
		current = seed + i;
		one_case(current);
	}
	printf("# %llu cases\n", (unsigned long long)cases);
	return cases;
}

int campaign_report(void **state)
{
	(void)state;
	printf("# last seed %llu: HARTSCOPE_SEED=%llu HARTSCOPE_CASES=1 runs it alone\n",
	       (unsigned long long)current, (unsigned long long)current);
	return 0;
}

int campaign_set_up(void **shared)
{
	const struct campaign_shared *s = *shared;

	*s->pointer = calloc(1, s->size);
	return *s->pointer ? 0 : -1;
}

int campaign_tear_down(void **shared)
{
	const struct campaign_shared *s = *shared;

	free(*s->pointer);
	*s->pointer = NULL;
	return campaign_report(shared);
}
