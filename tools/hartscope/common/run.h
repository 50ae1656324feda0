/* A run, counted: what report, annotate and their like show. */
#ifndef HS_TOOLS_HARTSCOPE_COMMON_RUN_H
#define HS_TOOLS_HARTSCOPE_COMMON_RUN_H

#include "common/tool.h"

/* The run of a source. */
struct run {
	struct hs_source *source;
	struct hs_counts *all;
	struct hs_profile_result counts;
	struct hs_call_tree_result calls;
	struct hs_call_graph_result edges;
	const struct hs_counts_function *functions; /* those with the most instructions first */
	size_t function_count;
	struct hs_counts_code code; /* with HS_COUNTS_CODE */
	struct damage damage;
};

/* Count all of @source: functions, and what else @wants says (its source is set).  False: no
 * memory, which is said.  Then, too, it is to be closed. */
bool run_count(struct run *r, struct hs_source *source, const struct hs_counts_options *wants,
               bool quiet);
void run_close(struct run *r);

/* Is @name a name of the function: its own, its symbol, without parameters? */
bool run_is_name(const struct run *r, const struct hs_counts_function *f, const char *name);

#endif
