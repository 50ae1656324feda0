/* What the files of diff share. */
#ifndef HS_TOOLS_HARTSCOPE_COMMANDS_DIFF_H
#define HS_TOOLS_HARTSCOPE_COMMANDS_DIFF_H

#include "common/run.h"

/* One of the two runs. */
struct diff_side {
	const char *path;
	struct hs_source *source;
	struct run run;
	bool counted;
};

/* How many harts part, and in how many places. */
struct diff_parted {
	uint64_t harts, places;
};

/* diff_part.c: where the harts part, @top places of each.  False: a source cannot be read, which
 * was said. */
bool diff_parting(struct report *r, struct diff_side side[2], uint64_t top,
                  struct diff_parted *count);
/* diff_counts.c: the functions and branches that ran another number of times; *count: how many.
 * False: out of memory. */
enum diff_kind { DIFF_FUNCTIONS, DIFF_BRANCHES };
bool diff_counts(struct report *r, const struct diff_side side[2], enum diff_kind kind,
                 uint64_t top, uint64_t *count);

#endif
