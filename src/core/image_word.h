/* The second half of a struct hs_block as one word, so that a block is written with two stores. */
#ifndef HS_IMAGE_WORD_H
#define HS_IMAGE_WORD_H

#include <stddef.h>
#include <stdint.h>

#include <hartscope/block.h>

#include "core/mem.h"

#define IMG_WORD_BYTES 8u

_Static_assert(sizeof(struct hs_block) == 2 * IMG_WORD_BYTES, "a block is two words");
_Static_assert(offsetof(struct hs_block, iaddr) == 0, "its first word is the address");
_Static_assert(offsetof(struct hs_block, iretire) == 8, "the rest is the second word");
_Static_assert(offsetof(struct hs_block, ilast) == 12, "the rest is the second word");
_Static_assert(offsetof(struct hs_block, itype) == 13, "the rest is the second word");
_Static_assert(offsetof(struct hs_block, kind) == 15, "the rest is the second word");
_Static_assert(HS_ITYPE_NOT_TAKEN == (HS_ITYPE_TAKEN ^ 1), "they differ in one bit");

/* The lowest bit in the word of the member at @offset that has @bytes. */
static inline unsigned img_word_bit(size_t offset, size_t bytes)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	return 8u * (unsigned)(2 * IMG_WORD_BYTES - offset - bytes);
#else
	(void)bytes;
	return 8u * (unsigned)(offset - IMG_WORD_BYTES);
#endif
}

static inline uint64_t img_word(const struct hs_block *b)
{
	uint64_t word;

	memcpy(&word, (const uint8_t *)b + IMG_WORD_BYTES, sizeof word);
	return word;
}

/* The word of a block that ends with an entry whose hs_bb.word is @word.  @before: half-words of
 * the block before the entry.  @priv: XOR mask that replaces HS_PRIV_UNKNOWN.  @not_taken: its
 * branch is not taken. */
static inline uint64_t img_block_word(uint64_t word, uint32_t before, uint64_t priv, bool not_taken)
{
	const uint64_t retired = (uint64_t)before
	                         << img_word_bit(offsetof(struct hs_block, iretire), 4);
	const uint64_t other_way = (uint64_t)1 << img_word_bit(offsetof(struct hs_block, itype), 1);

	return (word + retired) ^ priv ^ (not_taken ? other_way : 0);
}

/* Write a block: its address and its word. */
static inline void img_put_block(struct hs_block **p, uint64_t iaddr, uint64_t word)
{
	memcpy(*p, &iaddr, sizeof iaddr);
	memcpy((uint8_t *)*p + IMG_WORD_BYTES, &word, sizeof word);
	++*p;
}

#endif
