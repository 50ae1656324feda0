/* Blocks that a thread numbers in the order in which it meets them, for another one that looks them
 * up by their numbers meanwhile. */
#ifndef HS_SUPPORT_NUMBERS_H
#define HS_SUPPORT_NUMBERS_H

#include <hartscope/block.h>

#include "support/hash.h"
#include "support/recent.h"

#define SUPPORT_NUMBER_NONE UINT32_MAX
#define SUPPORT_NUMBERS_PIECE 4096u
#define SUPPORT_NUMBERS_PIECES 512u

/* Only the thread that numbers uses @recent and @blocks; it never moves a block that it put into
 * @pieces, so that a thread to which it gave a number finds the block there. */
struct support_numbers {
	struct support_recent *recent;
	struct support_hash blocks; /* of struct hs_block; a block's number is its item's */
	struct hs_block *pieces[SUPPORT_NUMBERS_PIECES];
};

/* False: no memory; then, too, it is to be ended. */
bool support_numbers_start(struct support_numbers *k);
void support_numbers_end(struct support_numbers *k);
/* The number of a block that is not among the recent ones, where it is from now on.
 * SUPPORT_NUMBER_NONE: there is no room for a new one. */
uint32_t support_numbers_find(struct support_numbers *k, const struct hs_block *b);

/* The block with a number. */
static inline const struct hs_block *support_numbers_block(const struct support_numbers *k,
                                                           uint32_t number)
{
	return &k->pieces[number / SUPPORT_NUMBERS_PIECE][number % SUPPORT_NUMBERS_PIECE];
}

#endif
