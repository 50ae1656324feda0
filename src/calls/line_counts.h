/* What ran, for line_records.c. */
#ifndef HS_CALLS_LINE_COUNTS_H
#define HS_CALLS_LINE_COUNTS_H

#include "calls/line_format.h"

/* Two addresses: of blocks the first and the end; of calls the end of the instruction and what it
 * called. */
struct line_pair {
	uint64_t from, to;
	struct hs_program *program;
	uint64_t count;
	bool indirect; /* the call was through a register */
};

struct line_profile {
	const struct line_places *places;
	struct support_hash blocks, calls; /* of struct line_pair */
	struct support_hash records;       /* of struct line_record */
	struct line_pair call; /* of the last block, if it ended with one; else from is 0 */
};

/* The records of what was counted.  False: no memory. */
bool lines_make_records(struct line_profile *p, const struct program_select *select);

#endif
