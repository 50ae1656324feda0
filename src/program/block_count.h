/* How many instructions a block has: a cache for those who count blocks one by one. */
#ifndef HS_PROGRAM_BLOCK_COUNT_H
#define HS_PROGRAM_BLOCK_COUNT_H

#include "program/select.h"

struct program_counted {
	uint64_t iaddr, number; /* number: of its code (code_view.h) */
	const struct hs_program *program;
	uint32_t iretire, instructions;
};

/* Zero is empty. */
struct program_counts {
	struct program_counted *slots; /* allocated when they are first needed */
	unsigned shift;                /* there are 2^(64 - shift) */
	unsigned used;
};

/* Instructions of a block in @image; 0 where its code is not there. */
uint32_t program_count_instructions(const struct hs_image *image, const struct hs_block *b);

/* Where a block is in the cache. */
static inline struct program_counted *program_counts_slot(const struct program_counts *c,
                                                          uint64_t iaddr, uint32_t iretire,
                                                          uint64_t number)
{
	const uint64_t hash =
		(iaddr ^ (uint64_t)iretire << 40 ^ number << 20) * UINT64_C(0x9e3779b97f4a7c15);

	return &c->slots[hash >> c->shift];
}

/* The same as program_count_block(), where the cache need not have it. */
enum hs_status program_count_anew(struct program_counts *c, const struct program_select *select,
                                  const struct hs_block *b, uint32_t *n);

/* *n: instructions of @b, which executes now; 0 where its code is not known.  HS_OK or
 * HS_E_MEMORY. */
static inline enum hs_status program_count_block(struct program_counts *c,
                                                 const struct program_select *select,
                                                 const struct hs_block *b, uint32_t *n)
{
	if (c->slots && !select->view) {
		const struct program_counted *s = program_counts_slot(c, b->iaddr, b->iretire, 0);

		*n = s->instructions;
		if (s->iaddr == b->iaddr && s->iretire == b->iretire && !s->number &&
		    s->program == select->program)
			return HS_OK;
	}
	return program_count_anew(c, select, b, n);
}

void program_counts_free(struct program_counts *c);

#endif
