/* What the formats of a coverage share. */
#ifndef HS_COUNTS_EXPORT_H
#define HS_COUNTS_EXPORT_H

#include <hartscope/counts.h>

#include "support/out.h"

/* What belongs to a file of a list that is sorted by files: the items @first to @end - 1. */
struct coverage_part {
	size_t first, end;
};

/* A function as gcov has it: all copies of it. */
struct coverage_merged {
	uint64_t entries;
	size_t blocks, blocks_executed;
	int last_line;
	bool whole; /* not only parts */
};

/* Function number @i with its copies, which are on its line.  False: one before had it, or only
 * parts of it are there. */
bool coverage_merge(const struct hs_coverage_result *r, struct coverage_part p, size_t i,
                    struct coverage_merged *m);
/* The name of a function without what the compiler adds for copies, as @write has it. */
void coverage_put_own(struct support_out *o, support_out_writer *write, const char *symbol);

/* cobertura.c */
void coverage_cobertura_begin(struct support_out *o, const struct hs_coverage_result *r);
void coverage_cobertura_file(struct support_out *o, const struct hs_coverage_result *r, size_t file,
                             const struct coverage_part *functions,
                             const struct coverage_part *branches);

#endif
