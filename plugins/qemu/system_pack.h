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
static inline void pack_outcome(struct hs_wire_hart *h, uint32_t which)
{
	__atomic_store_n(&h->outcomes, 2 * h->outcomes + which, __ATOMIC_RELEASE);
}

/* The run with this key is the last one: its successors may be certain. */
static inline void pack_after(struct hs_wire_hart *h, uint32_t key)
{
	h->slot = h->slots + key * sizeof(struct pack_slot);
}

/* Nothing follows the last run for certain. */
static inline void pack_stop(struct hs_wire_hart *h)
{
	h->last_run = hs_wire_last_run(h);
	h->slot = h->slots;
}

static inline bool pack_is_full(const struct hs_wire_hart *h)
{
	return __builtin_expect(h->outcomes >= HS_REC_OUTCOMES_FULL, 0);
}

/* Write the word, if there is one. */
void pack_flush(struct hs_wire_hart *h);

void pack_vcpu(struct recorded_hart *s);
/* Write a run.  @certain: that it follows the run before. */
void pack_run(struct recorded_hart *s, const struct plugin_run *run, bool certain);
/* No successor is certain any more. */
void pack_doubt(struct recorded_hart *s);

/* @run, so many bytes after where it was translated, is the last one now; NULL: it is not known
 * which. */
static inline void system_hart_follow(struct recorded_hart *s, struct plugin_run *run,
                                      uint64_t moved)
{
	const bool plain = run != NULL && (run->flags & RUN_SLOW) == 0;

	s->last = run;
	s->moved = moved;
	s->falls = plain ? run->falls + moved : 1;
	s->leads = plain ? run->leads + moved : 1;
	if (plain && moved == 0 && run->id < HS_REC_PACKED_RUNS)
		pack_after(s->ring, run->id + 1);
	else
		pack_stop(s->ring);
}

/* The last one may be further than s->last by runs that were certain. */
static inline void system_hart_catch_up(struct recorded_hart *s)
{
	const uint32_t key = hs_wire_last_run(s->ring);

	if (s->last != NULL && s->last->id + 1 != key)
		system_hart_follow(s, plugin_log_at(key - 1), 0);
}

#endif
