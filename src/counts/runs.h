/* A hart of two runs, and what is known of both while they are read. */
#ifndef HS_DIFF_RUNS_H
#define HS_DIFF_RUNS_H

#include <hartscope/compare.h>

#include "program/block_count.h"
#include "program/select.h"

/* One of the runs. */
struct diff_run {
	struct hs_source *source; /* NULL: it does not have the hart */
	struct program_select select;
	const struct hs_block *items;
	size_t n, next;
	struct hs_block *kept; /* NULL, or room for items that were read ahead */
	size_t room;
	struct hs_block before; /* the last block that was passed */
	bool began;
	/* since the runs parted */
	uint64_t own; /* instructions */
	int calls;    /* of the block in which they parted (diff_calls()) */
};

struct diff_pair {
	struct diff_run run[2];
	struct hs_stacks *stacks;      /* of the first run; NULL: it is not there */
	struct hs_stack_frame *frames; /* copies of those where the runs parted */
	size_t frame_room;
	struct program_counts counts;
	uint64_t blocks, instructions; /* that both have */
	enum hs_status status;
};

/* Compare a hart of two runs.
 * @source: of one hart each, or of all of a run that has only one, at their starts; kept.  NULL:
 * that run does not have the hart.  HS_OK or HS_E_MEMORY. */
enum hs_status diff_pair_new(struct hs_source *const source[2], struct diff_pair **pair);
void diff_pair_free(struct diff_pair *d); /* NULL is allowed */

/* Read both up to where they part; after diff_find_together() has found a place up to where they
 * part the next time.  HS_END: both have all of it. */
enum hs_status diff_find_parting(struct diff_pair *d, struct hs_diff_parting *out);
/* Read on after it to where both are together again, or to their ends. */
enum hs_status diff_find_together(struct diff_pair *d, struct hs_diff_together *out);

/* The next block; events before it are passed.  NULL: there are no more, or no memory. */
const struct hs_block *diff_peek(struct diff_pair *d, struct diff_run *r);

/* Pass a block, the next one of @r.  @return  Its instructions, as far as they are known. */
uint32_t diff_pass(struct diff_pair *d, struct diff_run *r, const struct hs_block *b);

/* The same without a count and stacks. */
static inline void diff_skip(struct diff_run *r, const struct hs_block *b)
{
	r->before = *b;
	r->began = true;
	r->next++;
}

/* Item @i after the next one; it is not passed.  NULL: there is none, or no memory. */
const struct hs_block *diff_look_ahead(struct diff_pair *d, struct diff_run *r, size_t i);

/* What the code at @addr is called, where the run is now. */
void diff_find_name(const struct diff_run *r, uint64_t addr, uint8_t priv,
                    struct hs_guest_place *name);
void diff_find_place(const struct diff_run *r, uint64_t addr, uint8_t priv,
                     struct hs_diff_place *p);

/* By how many calls a block goes deeper: -1, 0 or 1. */
static inline int diff_calls(const struct hs_block *b)
{
	if (b->itype == HS_ITYPE_RETURN)
		return -1;
	return b->itype == HS_ITYPE_CALL_UNINF || b->itype == HS_ITYPE_CALL_INF;
}

#endif
