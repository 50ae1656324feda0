/* Blocks that a thread numbers, as the writer of a flow takes them (recording.h). */
#ifndef HS_RECORDING_NUMBERED_H
#define HS_RECORDING_NUMBERED_H

#include <hartscope/recording.h>

#include "support/numbers.h"

#define NUMBERED_EVENT (UINT32_C(1) << 31) /* a word that stands for the next event */

/* Only the writer's thread uses @written and @known. */
struct hs_rec_numbers {
	struct support_numbers all; /* a block that has no number is as an event */
	/* The writer's number of each of @known blocks; SUPPORT_NUMBER_NONE: it has none. */
	uint32_t *written;
	uint32_t known;
};

/* The first words are numbers of blocks or NUMBERED_EVENT. */
struct hs_rec_numbered {
	uint32_t *words;
	struct hs_block *events;
	size_t count, cap, event_count, event_cap;
};

#endif
