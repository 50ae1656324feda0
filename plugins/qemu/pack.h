/* Packed streams (HS_REC_WORD_OUTCOMES, ADR-0136): of nearly every run one bit is written, which of
 * the two successors it is that the run before has.
 *
 * A successor is certain while nothing needs to be looked at when the hart comes to it from that
 * run: of a machine no flag, no mode, no address.  What is not certain is marked, so that
 * pack_take() does not take it; in the words it is a bit as well. */
#ifndef PACK_H
#define PACK_H

#include "plugin.h"

#define PACK_UNCERTAIN 0x80000000u

/* Successors of a run, as keys: 1 + the number of a run; 0: none. */
struct pack_slot {
	uint32_t first, second; /* PACK_UNCERTAIN in addition */
};

/* What translated code gives its callback: a run's key, and how many instructions retire. */
static inline void *pack_argument(uint32_t id, uint32_t insns)
{
	return (void *)(uintptr_t)((uint64_t)insns << 32 | (id + 1));
}

static inline uint32_t pack_id(const void *argument)
{
	return (uint32_t)(uintptr_t)argument - 1;
}

static inline uint32_t pack_insns(const void *argument)
{
	return (uint32_t)((uint64_t)(uintptr_t)argument >> 32);
}

/* Hart @vcpu has a ring, or none any more. */
void pack_open(unsigned vcpu);
void pack_close(unsigned vcpu);
/* Write the word of bits, if there are any. */
void pack_flush(struct hs_wire_hart *h);
/* Write a run.  @certain: that it follows the run before.  Nothing follows it for certain. */
void pack_run(struct hs_wire_hart *h, uint32_t id, uint32_t insns, bool certain);
/* No successor is certain any more. */
void pack_doubt(struct hs_wire_hart *h);
/* The recorder wants to be able to begin here, before the next run: write HS_REC_ESCAPE_ANEW, after
 * which @events follow, and forget all successors.  pack_run() is next. */
void pack_anew(struct hs_wire_hart *h, unsigned events);

/* The last run, which is @id, has successors that may be certain. */
static inline void pack_after(struct hs_wire_hart *h, uint32_t id)
{
	h->slot = h->slots + (id + UINT64_C(1)) * sizeof(struct pack_slot);
}

/* Nothing follows the last run for certain. */
static inline void pack_stop(struct hs_wire_hart *h)
{
	h->last_run = hs_wire_last_run(h);
	h->slot = h->slots;
}

enum pack_way {
	PACK_TAKEN,
	PACK_FULL, /* pack_flush() first: a word that is full waits for the next run, since its
	            * last one may be the last before other words (plugin_ring_settle()) */
	PACK_OTHER /* it is not certain */
};

/* Write a run that is certain.  Which of the two it is is hard to predict, so that it must not be a
 * branch. */
static inline enum pack_way pack_take(struct hs_wire_hart *h, const void *argument)
{
	const struct pack_slot *slot = (const void *)(uintptr_t)h->slot;
	const uint32_t key = pack_id(argument) + 1;
	uint32_t first = slot->first == key, second = slot->second == key;

	__asm__("" : "+r"(first), "+r"(second));
	if (__builtin_expect((first | second) == 0, 0))
		return PACK_OTHER;
	if (__builtin_expect(h->outcomes >= HS_REC_OUTCOMES_FULL, 0))
		return PACK_FULL;
	__atomic_store_n(&h->outcomes, 2 * h->outcomes + second, __ATOMIC_RELEASE);
	h->instructions += pack_insns(argument);
	pack_after(h, key - 1);
	return PACK_TAKEN;
}

#endif
