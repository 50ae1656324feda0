/* How many instructions a block has: a cache for those who count blocks one by one. */
#ifndef HS_PROGRAM_BLOCK_COUNT_H
#define HS_PROGRAM_BLOCK_COUNT_H

#include "program/select.h"

struct program_counted;

/* Zero is empty. */
struct program_counts {
	struct program_counted *slots; /* allocated when they are first needed */
};

/* *n: instructions of @b, which executes now; 0 where its code is not known.  HS_OK or
 * HS_E_MEMORY. */
enum hs_status program_count_block(struct program_counts *c, const struct program_select *select,
                                   const struct hs_block *b, uint32_t *n);
void program_counts_free(struct program_counts *c);

#endif
