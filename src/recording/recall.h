/* Stretches of a packed stream that are remembered: the blocks to which so many outcomes led from a
 * run, and the run they led to (design/packed).  What a stream says does not depend on it. */
#ifndef HS_RECORDING_RECALL_H
#define HS_RECORDING_RECALL_H

#include "recording/stream.h"

/* Room for blocks without which nothing is recalled. */
#define REC_RECALL_ROOM 16u

struct rec_recall;

/* Words were read.  Of so many that it is worth it stretches are remembered. */
void rec_recall_count(struct hs_rec_stream *s, size_t words);
/* Remember 2 to the power of @log stretches, and @room blocks of them, at least 16, from now on.
 * Nothing, where the stream is not packed, or there is no memory for it. */
void rec_recall_start(struct hs_rec_stream *s, uint32_t log, uint32_t room);
/* Are stretches remembered by now? */
bool rec_recall_is_worth_it(const struct hs_rec_stream *s);
/* Could the next outcomes be recalled? */
bool rec_recall_can(const struct hs_rec_stream *s);
/* Blocks of the next outcomes, as far as they can be, @cap at least REC_RECALL_ROOM; none, where
 * blocks are counted.  After that rec_recall_can() is false until more words are read, unless @cap
 * ended it. */
size_t rec_recall_blocks(struct hs_rec_stream *s, struct hs_block *out, size_t cap);
/* Give what was counted of stretches (counted.c). */
void rec_recall_give(struct hs_rec_stream *s);
void rec_recall_free(struct hs_rec_stream *s);

#endif
