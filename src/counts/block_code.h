/* The code of blocks where it is not what the program has: copies that are kept until the blocks
 * were counted. */
#ifndef HS_PROFILE_BLOCK_CODE_H
#define HS_PROFILE_BLOCK_CODE_H

#include <hartscope/image.h>

struct block_code {
	uint64_t size; /* less than the block's where the rest is not known */
	uint8_t bytes[];
};

struct code_chunk;

/* Zero is empty. */
struct block_codes {
	struct code_chunk *chunks;
	size_t bytes; /* of all chunks */
};

/* Copy the code at [@addr, @addr + @size) of @image.  NULL: no memory. */
const struct block_code *profile_code_copy(struct block_codes *codes, const struct hs_image *image,
                                           uint64_t addr, uint64_t size);

/* Is all of @code what @image has at @addr? */
bool profile_code_is_in(const struct block_code *code, const struct hs_image *image, uint64_t addr);

/* Order two codes; NULL comes first. */
int profile_code_compare(const struct block_code *a, const struct block_code *b);

void profile_codes_free(struct block_codes *codes);

#endif
