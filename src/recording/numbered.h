/* Blocks that a thread numbers, as the writer of a flow takes them (recording.h). */
#ifndef HS_RECORDING_NUMBERED_H
#define HS_RECORDING_NUMBERED_H

#include <hartscope/recording.h>

#include "recording/recent.h"
#include "support/hash.h"

#define NUMBERED_EVENT (UINT32_C(1) << 31) /* a word that stands for the next event */
#define NUMBERED_NONE UINT32_MAX
#define NUMBERED_PIECE 4096u
#define NUMBERED_PIECES 512u /* a block that has no number is as an event */

/* Only the thread that numbers uses @recent, @blocks and @count; it never moves a block that it put
 * into @pieces.  Only the writer's thread uses @written and @known. */
struct hs_rec_numbers {
	struct rec_recent *recent;
	struct support_hash blocks; /* of struct hs_block; a block's number is its item's */
	struct hs_block *pieces[NUMBERED_PIECES];
	/* The writer's number of each of @known blocks; NUMBERED_NONE: it has none. */
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
