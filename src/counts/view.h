/* Views of counted blocks: a profile. */
#ifndef HS_COUNTS_VIEW_H
#define HS_COUNTS_VIEW_H

#include "counts/blocks.h"

struct hs_profile {
	struct counts_blocks *blocks; /* those of counts, or its own */
	struct counts_blocks own;
	struct hs_profile_group *groups, *harts; /* of the last result */
	struct support_hash functions;           /* of struct hs_profile_function */
	struct hs_profile_function *sorted;
	struct hs_profile_result totals; /* of the blocks that were taken; without functions */
	void (*each)(void *to, const struct hs_profile_block *block);
	void *each_to;
};

/* A profile of blocks that others count.  HS_OK or HS_E_MEMORY. */
enum hs_status counts_profile_new(struct counts_blocks *blocks, const struct hs_profile_options *o,
                                  struct hs_profile **profile);
/* Add all blocks that there are now, in any order, which changes theirs: they are dropped after
 * it.  HS_OK or HS_E_MEMORY. */
enum hs_status counts_profile_take(struct hs_profile *p);
/* The result of the blocks that were taken; the same with harts as groups.  HS_OK or
 * HS_E_MEMORY. */
enum hs_status counts_profile_get(struct hs_profile *p, struct hs_profile_result *result);
enum hs_status counts_profile_get_harts(struct hs_profile *p, struct hs_profile_result *result);

#endif
