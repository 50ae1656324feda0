/* The number of an ecall, which is in a7.  A flow has no registers; its instructions say what a7 is
 * where they put a constant there. */
#ifndef HS_PROGRAM_ECALL_H
#define HS_PROGRAM_ECALL_H

#include <hartscope/block.h>
#include <hartscope/image.h>

/* What is known of a7. */
struct program_a7 {
	enum { PROGRAM_A7_UNKNOWN, PROGRAM_A7_KNOWN, PROGRAM_A7_KEPT } is; /* kept: by a block */
	uint64_t value;
};

/* @bits: the first 32 of an instruction of @hwords half-words. */
bool program_is_ecall(uint32_t bits, unsigned hwords);

/* What an instruction does to a7. */
void program_follow_a7(struct program_a7 *a7, uint32_t bits, unsigned hwords, unsigned xlen);

/* What a block does to it. */
void program_follow_a7_block(struct program_a7 *a7, const struct hs_image *image,
                             const struct hs_block *b);

/* Is an ecall at @addr? */
bool program_ecall_at(const struct hs_image *image, uint64_t addr);

#endif
