/* Numbers of blocks (numbers.h). */
#include <stdlib.h>

#include "support/numbers.h"

bool support_numbers_start(struct support_numbers *k)
{
	k->blocks.item_size = sizeof(struct hs_block);
	k->recent = support_recent_new();
	return k->recent != NULL;
}

void support_numbers_end(struct support_numbers *k)
{
	for (unsigned i = 0; i < SUPPORT_NUMBERS_PIECES; i++)
		free(k->pieces[i]);
	support_hash_free(&k->blocks);
	free(k->recent);
}

/* Keep a block where others find it. */
static uint32_t add_block(struct support_numbers *k, const struct hs_block *b, uint32_t hash)
{
	const uint32_t number = k->blocks.count, piece = number / SUPPORT_NUMBERS_PIECE;

	if (piece == SUPPORT_NUMBERS_PIECES)
		return SUPPORT_NUMBER_NONE;
	if (!k->pieces[piece])
		k->pieces[piece] = malloc(SUPPORT_NUMBERS_PIECE * sizeof(*b));
	struct hs_block *known = k->pieces[piece] ? support_hash_add(&k->blocks, hash) : NULL;

	if (!known)
		return SUPPORT_NUMBER_NONE;
	*known = k->pieces[piece][number % SUPPORT_NUMBERS_PIECE] = *b;
	return number;
}

uint32_t support_numbers_find(struct support_numbers *k, const struct hs_block *b)
{
	const uint32_t hash = support_hash_block(b);
	const struct hs_block *known = support_hash_find(&k->blocks, hash, support_same_block, b);
	const uint32_t number = known ? (uint32_t)(known - (const struct hs_block *)k->blocks.items)
	                              : add_block(k, b, hash);

	if (number != SUPPORT_NUMBER_NONE)
		support_recent_put(k->recent, b, number);
	return number;
}
