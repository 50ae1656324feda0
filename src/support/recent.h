/* Blocks that came lately, in a table with one place for each, which is looked at before a hash
 * table: what is found there depends on the block only, so that the processor finds several at
 * once. */
#ifndef HS_SUPPORT_RECENT_H
#define HS_SUPPORT_RECENT_H

#include <stdlib.h>
#include <string.h>

#include <hartscope/block.h>

#include "support/hash.h"

#define SUPPORT_RECENT_BITS 14u

/* A block: its two words, as they are in memory. */
struct support_recent {
	uint64_t words[2]; /* of no block at first */
	uint32_t number;
};

/* NULL: no memory. */
static inline struct support_recent *support_recent_new(void)
{
	struct support_recent *r = malloc(sizeof(*r) << SUPPORT_RECENT_BITS);

	if (r != NULL)
		memset(r, 0xff, sizeof(*r) << SUPPORT_RECENT_BITS);
	return r;
}

/* The end of a table, which is one array. */
static inline struct support_recent *support_recent_end(struct support_recent *table)
{
	return table + ((size_t)1 << SUPPORT_RECENT_BITS);
}

static inline struct support_recent *support_recent_of(struct support_recent *table,
                                                       const uint64_t words[2])
{
	const uint64_t mixed =
		(words[0] ^ words[1] << 23 ^ words[1] >> 17) * UINT64_C(0x9e3779b97f4a7c15);

	return &table[mixed >> (64 - SUPPORT_RECENT_BITS)];
}

/* The numbers of blocks that came lately, as long as they did.  Returns how many. */
static inline size_t support_recent_find(struct support_recent *table, const struct hs_block *b,
                                         size_t n, uint32_t *to)
{
	size_t i;

	for (i = 0; i < n; i++) {
		uint64_t words[2];

		memcpy(words, &b[i], sizeof(words));
		const struct support_recent *r = support_recent_of(table, words);

		if ((r->words[0] ^ words[0]) | (r->words[1] ^ words[1]))
			break;
		to[i] = r->number;
	}
	return i;
}

static inline void support_recent_put(struct support_recent *table, const struct hs_block *b,
                                      uint32_t number)
{
	uint64_t words[2];

	memcpy(words, b, sizeof(words));
	*support_recent_of(table, words) =
		(struct support_recent){ { words[0], words[1] }, number };
}

/* ---- the hash table after it ------------------------------------------------------ */

static inline bool support_same_block(const void *known, const void *block)
{
	return memcmp(known, block, sizeof(struct hs_block)) == 0;
}

static inline uint32_t support_hash_block(const struct hs_block *b)
{
	uint64_t words[2];

	memcpy(words, b, sizeof(words));
	return support_hash_of(words[0], words[1]);
}

#endif
