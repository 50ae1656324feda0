/* What the files of counts share. */
#ifndef HS_COUNTS_PRIVATE_H
#define HS_COUNTS_PRIVATE_H

#include <hartscope/counts.h>

#include "counts/calls_private.h"
#include "counts/code.h"
#include "counts/coverage_private.h"
#include "counts/traps.h"
#include "counts/view.h"

struct hs_counts {
	struct hs_counts_options o; /* with the programs and the guest of its source */
	struct counts_blocks blocks;
	bool has_blocks;
	/* views of blocks, and what is counted apart; those that are not wanted are NULL */
	struct hs_profile *profile;
	struct counts_code code;
	struct hs_coverage *coverage;
	struct hs_calls *calls, *jumps;
	struct hs_counts_jump *targets; /* of the last view, as what is after this */
	struct hs_traps *traps;
	struct hs_call_tree *tree;
	struct hs_call_tree_result paths;
	struct hs_call_graph *graph;
	struct hs_counts_function *functions;
	struct { /* with keep_calls */
		struct hs_call *calls;
		size_t count, room, placed; /* those that have the numbers of the view */
		bool failed;
	} kept;
};

/* What is made of a profile. */
#define COUNTS_PROFILED ((uint32_t)HS_COUNTS_PROFILE | HS_COUNTS_CODE | HS_COUNTS_HARTS)

static inline bool counts_wants(const struct hs_counts *c, uint32_t what)
{
	return c->o.what & what;
}

/* Does it need each block, in its order? */
static inline bool counts_is_ordered(const struct hs_counts *c)
{
	return counts_wants(c, (uint32_t)HS_COUNTS_TRAPS | HS_COUNTS_TREE) || c->o.export_to;
}

/* Does it need the block that comes next? */
static inline bool counts_is_linked(const struct hs_counts *c)
{
	return counts_wants(c, (uint32_t)HS_COUNTS_CALLS | HS_COUNTS_JUMPS);
}

/* Count an item so often, in any order: for what needs none.  0 times: of an event only what it
 * means to later blocks.  HS_OK or HS_E_MEMORY. */
enum hs_status counts_add_times(struct hs_counts *c, const struct hs_block *item, uint64_t times);

#endif
