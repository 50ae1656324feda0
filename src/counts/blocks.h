/* How often each block ran, whose it was and which version of its code: what views are made of. */
#ifndef HS_COUNTS_BLOCKS_H
#define HS_COUNTS_BLOCKS_H

#include <string.h>

#include "counts/block_code.h"
#include "counts/counts.h"
#include "counts/owners.h"
#include "program/select.h"
#include "support/hash.h"

struct counted_block {
	uint64_t iaddr;
	uint64_t shape; /* what else distinguishes blocks: iretire, itype, priv, in their word */
	struct hs_program *program;
	uint64_t number; /* of its code (code_view.h) */
	uint64_t count;
	uint64_t owner;
	const struct block_code *code; /* NULL: as the program has it */
};

struct counts_recent;
struct hs_calls;

struct counts_blocks {
	struct program_select select;
	struct owners owners;
	struct support_hash table;     /* of struct counted_block */
	struct counts_recent *recent;  /* blocks of the current program and owners */
	uint32_t era;                  /* in which these are good */
	struct block_codes codes;      /* of blocks */
	struct hs_profile_result seen; /* of events: what a profile has of them */
	uint64_t doubts;               /* gaps before which instructions may not be true */
	struct hs_calls *calls;        /* get events, too; NULL */
	/* Takes all blocks when there are too many, so that a hostile stream of ever new ones does
	 * not take all memory; they are dropped then.  NULL: all are kept. */
	enum hs_status (*full)(void *to);
	void *full_to;
};

/* Start: HS_OK, or HS_E_MEMORY; then, too, it is to be ended. */
enum hs_status counts_blocks_start(struct counts_blocks *t, const struct hs_profile_options *o,
                                   bool harts);
void counts_blocks_end(struct counts_blocks *t);

/* Count items, each so often.  HS_OK or HS_E_MEMORY. */
enum hs_status counts_blocks_add(struct counts_blocks *t, const struct hs_block *items, size_t n,
                                 uint64_t often);
/* The same of one; 0: of an event only what it means to later blocks.  An event that changes the
 * context counts as so many switches to it. */
enum hs_status counts_blocks_add_item(struct counts_blocks *t, const struct hs_block *item,
                                      uint64_t times);

/* Does a gap put in doubt what is before it?  Not where an encoder reports a loss, or where the
 * trace ends (unproven.c). */
bool counts_gap_doubts(const struct hs_block *gap);

/* Forget all blocks. */
void counts_blocks_drop(struct counts_blocks *t);

/* A block, with the members that distinguish it. */
static inline struct hs_block counts_block_of(const struct counted_block *c)
{
	const uint64_t words[2] = { c->iaddr, c->shape };
	struct hs_block b;

	memcpy(&b, words, sizeof(b));
	return b;
}

/* Its code: @own has room for its section. */
struct hs_image counts_code_of(const struct counted_block *c, struct hs_section *own);

#endif
