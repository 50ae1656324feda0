/* Packed streams of a recorded machine (HS_REC_WORD_OUTCOMES, ADR-0136): of nearly every run one
 * bit is written, which of the two successors it is that the run before has.
 *
 * A successor is certain while nothing needs to be looked at when the hart comes to it from that
 * run: no flag, no mode, no address.  What is not certain is marked, so that the comparison in
 * system_record.c fails and the run is looked at; in the words it is a bit as well. */
#ifndef SYSTEM_PACK_H
#define SYSTEM_PACK_H

#include "system_hart.h"

#define PACK_UNCERTAIN 0x80000000u

/* Successors of a run, as keys: 1 + the number of a run; 0: none. */
struct pack_slot {
	uint32_t first, second; /* PACK_UNCERTAIN in addition */
};

/* What translated code gives its callback: a run's key, and how many instructions retire. */
static inline void *pack_argument(const struct plugin_run *run)
{
	return (void *)(uintptr_t)((uint64_t)run->insns << 32 | (run->id + 1));
}

static inline uint32_t pack_key(const void *argument)
{
	return (uint32_t)(uintptr_t)argument;
}

/* A run is a bit.  @which: of the successors.  A word that is full waits for the next run: its last
 * one may be the last before other words (plugin_ring_settle()). */
static inline void pack_outcome(struct hs_wire_hart *h, bool which)
{
	if (__builtin_expect(h->outcomes >= HS_REC_OUTCOMES_FULL, 0)) {
		plugin_push(h, HS_REC_WORD_OUTCOMES | h->outcomes);
		plugin_ring_await(h);
	}
	__atomic_store_n(&h->outcomes, 2 * h->outcomes + which, __ATOMIC_RELEASE);
}

void pack_vcpu(struct recorded_hart *s);
/* Write a run.  @certain: that it follows the run before. */
void pack_run(struct recorded_hart *s, const struct plugin_run *run, bool certain);
/* No successor is certain any more. */
void pack_doubt(struct recorded_hart *s);

#endif
