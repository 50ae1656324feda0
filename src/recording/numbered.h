/* Blocks that a thread numbers, as the writer of a flow takes them (recording.h). */
#ifndef HS_RECORDING_NUMBERED_H
#define HS_RECORDING_NUMBERED_H

#include <hartscope/recording.h>

#include "support/numbers.h"

#define NUMBERED_EVENT (UINT32_C(1) << 31)   /* a word that stands for the next event */
#define NUMBERED_WRITTEN (UINT32_C(1) << 30) /* of a word that is the writer's own number */

/* The writer's number of each block, once it has one, goes back to the thread that numbers: its
 * recent blocks have that number then, and the writer only copies it (design/chunks). */
struct hs_rec_numbers {
	struct support_numbers all; /* a block that has no number is as an event */
	/* The writer's numbers, SUPPORT_NUMBER_NONE where it has none: in pieces as in @all, which
	 * the writer's thread makes.  Pointers and numbers are atomic. */
	uint32_t *written[SUPPORT_NUMBERS_PIECES];
	bool stale; /* atomic: the writer knows numbers of recent blocks */
};

static inline uint32_t numbered_written(const struct hs_rec_numbers *k, uint32_t number)
{
	const uint32_t *piece =
		__atomic_load_n(&k->written[number / SUPPORT_NUMBERS_PIECE], __ATOMIC_ACQUIRE);

	return piece == NULL
	               ? SUPPORT_NUMBER_NONE
	               : __atomic_load_n(&piece[number % SUPPORT_NUMBERS_PIECE], __ATOMIC_RELAXED);
}

/* The first words are numbers of blocks, the writer's with NUMBERED_WRITTEN, or
 * NUMBERED_EVENT. */
struct hs_rec_numbered {
	uint32_t *words;
	struct hs_block *events;
	size_t count, cap, event_count, event_cap;
};

#endif
