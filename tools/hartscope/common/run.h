/* A run, counted: what report, annotate and their like show. */
#ifndef HS_TOOLS_HARTSCOPE_COMMON_RUN_H
#define HS_TOOLS_HARTSCOPE_COMMON_RUN_H

#include <hartscope/call_graph.h>
#include <hartscope/traps.h>

#include "common/insns.h"
#include "common/scans.h"

/* A function of a run: what ran in it by address, and what its calls did. */
struct run_function {
	const struct hs_profile_function *own; /* NULL: no instruction of it ran */
	const struct hs_call_function *called; /* NULL: no call led to it */
	const char *name;                      /* NULL: no symbol */
	uint64_t self, total, calls, self_time, total_time;
};

/* What is counted of a run. */
struct run_wants {
	uint8_t by; /* enum hs_profile_by */
	bool quiet;
	struct insn_table *insns; /* instructions by address, too; NULL */
	/* each call (hs_call_tree_set_each()); NULL */
	void (*call)(void *to, const struct hs_call *call);
	void *call_to;
	/* each time and gap (hs_call_tree_set_event()); NULL */
	hs_call_event_fn event;
	void *event_to;
	struct hs_traps *traps; /* these follow it, too; NULL */
};

#define RUN_THREADS 64

/* The run of a source. */
struct run {
	struct hs_source *source;
	const struct run_wants *wants; /* while it is counted */
	struct hs_profile *profile;    /* NULL: nothing is counted by address */
	struct hs_call_tree *tree;
	struct hs_call_graph *graph;
	struct hs_profile_result counts;
	struct hs_call_tree_result calls;
	struct hs_call_graph_result edges;
	struct run_function *functions; /* those with the most instructions first */
	size_t function_count;
	struct damage damage;
	struct scans scans; /* until the source is closed */
	/* of threads that gave something */
	struct hs_call_scanner *scanners[RUN_THREADS];
	unsigned scanner_count;
};

/* Count all of @source.  False: no memory, which is said.  Then, too, it is to be closed. */
bool run_count(struct run *r, struct hs_source *source, const struct run_wants *wants);
/* The same, but only the tree of its calls (r->tree).  @r lives until @source is closed. */
bool run_follow(struct run *r, struct hs_source *source, const struct run_wants *wants,
                struct damage *damage);
void run_close(struct run *r);

/* Is @name a name of the function: its own, its symbol, without parameters? */
bool run_is_name(const struct run *r, const struct run_function *f, const char *name);

#endif
