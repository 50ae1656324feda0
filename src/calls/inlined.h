/* What was inlined into the functions of a tree of calls (tree.h). */
#ifndef HS_CALLS_INLINED_H
#define HS_CALLS_INLINED_H

#include <hartscope/views.h>

#include "program/select.h"
#include "support/hash.h"

/* Instructions of a block that are one after the other in one function. */
struct inlined_part {
	const char *function; /* NULL: in the one that was not inlined */
	uint32_t instructions;
};

/* A block that has inlined functions, or none (count is 0). */
struct inlined_block {
	const struct hs_program *program;
	uint64_t iaddr, number; /* number: of its code (code_view.h) */
	uint32_t iretire, instructions, first, count;
};

/* What blocks have.  Zero but for @each and @to is empty. */
struct calls_inlined {
	hs_inlined_run_fn each;
	void *to;
	struct inlined_block *recent; /* by a hash of the block; without code that changed */
	struct inlined_block changed; /* the last one with code that did */
	struct inlined_part *parts;
	size_t part_count, part_room;
	struct support_hash blocks, names;
};

/* A run that is open, of a hart; function is NULL: none.  The rest is that of the next one. */
struct inlined_open {
	uint64_t start, end;
	const char *function;
	uint32_t depth, hart;
	uint8_t mode;
};

/* The hart retires @b, which executes now, after *at instructions, which it moves.
 * HS_OK or HS_E_MEMORY. */
enum hs_status calls_inlined_block(struct calls_inlined *t, const struct program_select *select,
                                   const struct hs_block *b, struct inlined_open *open,
                                   uint64_t *at);
/* An open run ends. */
void calls_inlined_end(const struct calls_inlined *t, struct inlined_open *open);
void calls_inlined_free(struct calls_inlined *t);

#endif
