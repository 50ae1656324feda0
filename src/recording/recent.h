/* Blocks that came lately, in a table with one place for each, which is looked at before a hash
 * table: what is found there depends on the block only, so that the processor finds several at
 * once. */
#ifndef HS_RECORDING_RECENT_H
#define HS_RECORDING_RECENT_H

#include <stdlib.h>
#include <string.h>

#include <hartscope/block.h>

#include "support/hash.h"

#define REC_RECENT_BITS 14u

/* A block: its two words, as they are in memory. */
struct rec_recent {
	uint64_t words[2]; /* of no block at first */
	uint32_t number;
};

/* NULL: no memory. */
static inline struct rec_recent *rec_recent_new(void)
{
	struct rec_recent *r = malloc(sizeof(*r) << REC_RECENT_BITS);

	if (r != NULL)
		memset(r, 0xff, sizeof(*r) << REC_RECENT_BITS);
	return r;
}

static inline struct rec_recent *rec_recent_of(struct rec_recent *table, const uint64_t words[2])
{
	const uint64_t mixed =
		(words[0] ^ words[1] << 23 ^ words[1] >> 17) * UINT64_C(0x9e3779b97f4a7c15);

	return &table[mixed >> (64 - REC_RECENT_BITS)];
}

/* The numbers of blocks that came lately, as long as they did.  Returns how many. */
static inline size_t rec_recent_find(struct rec_recent *table, const struct hs_block *b, size_t n,
                                     uint32_t *to)
{
	size_t i;

	for (i = 0; i < n; i++) {
		uint64_t words[2];

		memcpy(words, &b[i], sizeof(words));
		const struct rec_recent *r = rec_recent_of(table, words);

		if ((r->words[0] ^ words[0]) | (r->words[1] ^ words[1]))
			break;
		to[i] = r->number;
	}
	return i;
}

static inline void rec_recent_put(struct rec_recent *table, const struct hs_block *b,
                                  uint32_t number)
{
	uint64_t words[2];

	memcpy(words, b, sizeof(words));
	*rec_recent_of(table, words) = (struct rec_recent){ { words[0], words[1] }, number };
}

/* ---- the hash table after it ------------------------------------------------------ */

static inline bool rec_same_block(const void *known, const void *block)
{
	return memcmp(known, block, sizeof(struct hs_block)) == 0;
}

static inline uint32_t rec_hash_block(const struct hs_block *b)
{
	uint64_t words[2];

	memcpy(words, b, sizeof(words));
	return support_hash_of(words[0], words[1]);
}

#endif
