/* Counters of two bits, by address. */
#include "tacit/predictor.h"

#include "core/mem.h"

#define WEAKLY_NOT_TAKEN 1

void tacit_predictor_init(struct tacit_predictor *p, unsigned entries)
{
	p->entries = (uint16_t)entries;
	memset(p->counters, WEAKLY_NOT_TAKEN, sizeof p->counters);
}

/* (pc / 2) mod entries in 32 bits: firmware has no division of 64. */
static unsigned index_of(const struct tacit_predictor *p, uint64_t pc)
{
	const uint64_t half = pc >> 1;
	const uint32_t n = p->entries, turn = UINT32_MAX % n + 1;
	const uint32_t high = (uint32_t)(half >> 32) % n, low = (uint32_t)half % n;

	return (high * (turn % n) + low) % n;
}

bool tacit_predict(const struct tacit_predictor *p, uint64_t pc)
{
	return p->counters[index_of(p, pc)] > 1;
}

void tacit_learn(struct tacit_predictor *p, uint64_t pc, bool taken)
{
	uint8_t *counter = &p->counters[index_of(p, pc)];

	if (taken && *counter < 3)
		++*counter;
	else if (!taken && *counter > 0)
		--*counter;
}
