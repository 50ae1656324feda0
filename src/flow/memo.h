/* Runs of messages that were decoded before: find one, copy its blocks, add one.
 *
 * A protocol's decoder says what decides where a message leads (struct hs_memo_key), and decodes
 * in its own way what is not found.
 */
#ifndef HS_FLOW_MEMO_H
#define HS_FLOW_MEMO_H

#include <hartscope/memo.h>

#include "flow/walk.h"
#include "image/word.h"

/* Most blocks of a run, and bytes of its messages. */
#define MEMO_BLOCKS 64u
#define MEMO_BYTES 16u

/* Blocks are copied in groups of so many, the last of which may write beyond the run. */
#define MEMO_GROUP 8u
#define MEMO_ROOM (MEMO_BLOCKS + MEMO_GROUP)

/* The state comes last in the sum: it waits for the run before. */
static inline uint32_t flow_memo_slot(const struct hs_memo *m, const struct hs_memo_key *k)
{
	const uint64_t bytes = k->bytes[0] * UINT64_C(0x9e3779b97f4a7c15) +
	                       k->bytes[1] * UINT64_C(0xc2b2ae3d27d4eb4f);
	const uint64_t mixed = (bytes ^ bytes >> 29) + (k->state ^ k->extra << 8);

	return (uint32_t)(mixed * UINT64_C(0xd6e8feb86659fd93) >> m->shift);
}

/* The run of a key; NULL: it is not known. */
static inline const struct hs_memo_run *flow_memo_find(const struct hs_memo *m,
                                                       const struct hs_memo_key *k)
{
	const struct hs_memo_run *r = &m->runs[flow_memo_slot(m, k)];
	const uint64_t differs = (r->key.bytes[0] ^ k->bytes[0]) | (r->key.bytes[1] ^ k->bytes[1]) |
	                         (r->key.state ^ k->state) | (r->key.extra ^ k->extra);

	return differs ? NULL : r;
}

/* Write the blocks of a run; @priv as in hs_walk.  There is MEMO_ROOM. */
static inline void flow_memo_put(const struct hs_memo *m, const struct hs_memo_run *r,
                                 uint64_t priv, struct flow_out *out)
{
	const struct hs_block *from = m->blocks + r->first;
	struct hs_block *p = out->p;
	unsigned left = r->blocks;

	out->p += left;
	for (;;) {
		for (unsigned i = 0; i < MEMO_GROUP; i++, from++)
			img_put_block(&p, from->iaddr, img_word(from) ^ priv);
		if (left <= MEMO_GROUP)
			return;
		left -= MEMO_GROUP;
	}
}

/* Are the runs those of this program as it is?  Else there are none from now on. */
void flow_memo_check(struct hs_memo *m, const struct hs_bb_table *t);

/* Add a run, of which everything but its blocks is given; these are @from[0..r->blocks), in the
 * privilege @priv.  One that was in its place is forgotten.  False: one of them is no block. */
bool flow_memo_add(struct hs_memo *m, const struct hs_memo_run *r, const struct hs_block *from,
                   uint64_t priv);

#endif
