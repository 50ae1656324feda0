/* Packed streams (HS_REC_WORD_OUTCOMES, design/packed): of nearly every run one bit is written,
 * which of the two successors it is that the run before has.
 *
 * A successor is certain while nothing needs to be looked at when the hart comes to it from that
 * run: of a machine no flag, no mode, no address.  What is not certain is marked, so that
 * pack_take() does not take it; in the words it is a bit as well. */
#ifndef PACK_H
#define PACK_H

#include "plugin.h"

#define PACK_UNCERTAIN 0x80000000u
#define PACK_WIDE 0x40000000u

/* Of which harts runs may be wide: HS_REC_LOG_WIDE, HS_REC_LOG_WIDE_ALL.  0 where a callback of
 * each run has to know at once which of two it is. */
extern uint32_t pack_wide;

/* Successors of a run, as keys: 1 + the number of a run; 0: none.  Of a wide run: PACK_WIDE and
 * where they are, PACK_WIDE and how many. */
struct pack_slot {
	uint32_t first, second; /* PACK_UNCERTAIN in addition */
};

/* What stands for a successor in the words. */
struct pack_code {
	uint32_t code, bits;
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

/* Hart @vcpu has a ring, or none any more.  @hart: its number in the recording. */
void pack_open(unsigned vcpu, uint32_t hart);
void pack_close(unsigned vcpu);
/* Write the word of bits, if there are any. */
void pack_flush(struct hs_wire_hart *h);
/* Write a run.  @certain: that it follows the run before.  Nothing follows it for certain. */
void pack_run(struct hs_wire_hart *h, uint32_t id, uint32_t insns, bool certain);
/* The same; plugin_ring_turn() is next.  Returns whether other successors of the run before have
 * other codes than they had. */
bool pack_put(struct hs_wire_hart *h, uint32_t id, uint32_t insns, bool certain);
/* Write a run after a wide one.  False: it has no code, or no room. */
bool pack_take_wide(struct hs_wire_hart *h, const void *argument);
/* The code of the run with the key @key after the one with @last.  False: it has none. */
bool pack_find(const struct hs_wire_hart *h, uint32_t last, uint32_t key, struct pack_code *code);
/* No successor is certain any more. */
void pack_doubt(struct hs_wire_hart *h);
/* The recorder wants to be able to begin here, before the next run: write HS_REC_ESCAPE_ANEW, after
 * which @events follow, and forget all successors.  pack_run() is next. */
void pack_anew(struct hs_wire_hart *h, unsigned events);

#define PACK_MORE UINT64_C(7) /* bits of hs_wire_hart.slot: the last code's bits, less one */

/* The last run, which is @id, has successors that may be certain. */
static inline void pack_after(struct hs_wire_hart *h, uint32_t id)
{
	h->slot =
		(h->slots + (id + UINT64_C(1)) * sizeof(struct pack_slot)) | (h->slot & PACK_MORE);
}

/* Nothing follows the last run for certain. */
static inline void pack_stop(struct hs_wire_hart *h)
{
	h->last_run = hs_wire_last_run(h);
	h->slot = h->slots | (h->slot & PACK_MORE);
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
	const struct pack_slot *slot = (const void *)(uintptr_t)(h->slot & ~PACK_MORE);
	const uint32_t key = pack_id(argument) + 1;
	uint32_t first = slot->first == key, second = slot->second == key;

	__asm__("" : "+r"(first), "+r"(second));
	if (__builtin_expect((first | second) == 0, 0))
		return PACK_OTHER;
	if (__builtin_expect(h->outcomes >= HS_REC_OUTCOMES_FULL, 0))
		return PACK_FULL;
	__atomic_store_n(&h->outcomes, 2 * h->outcomes + second, __ATOMIC_RELEASE);
	h->instructions += pack_insns(argument);
	h->slot = h->slots + (uint64_t)key * sizeof(struct pack_slot);
	return PACK_TAKEN;
}

#endif
