/* Instructions that ran, one by one (counts.h). */
#ifndef HS_COUNTS_CODE_H
#define HS_COUNTS_CODE_H

#include "counts/counts.h"
#include "support/hash.h"

/* Zero but for the size of rows is empty. */
struct counts_code {
	struct support_hash rows;    /* of struct hs_counts_insn */
	struct hs_guest *guest;      /* or NULL */
	const char *function;        /* only its instructions; NULL: all */
	bool inlined;                /* and those of its inlined copies */
	struct hs_guest_place place; /* of the last row */
	bool failed;                 /* no memory */
	bool sorted;                 /* nothing can be added any more */
};

void counts_code_start(struct counts_code *t, const struct hs_counts_options *o);
void counts_code_end(struct counts_code *t);
/* Add a distinct block: struct hs_profile_options.each, with the table. */
void counts_code_add(void *table, const struct hs_profile_block *b);
/* All rows by address; the last call with the table. */
const struct hs_counts_insn *counts_code_sort(struct counts_code *t, size_t *count);

#endif
