/* Where jumps led whose target is not in the code, and how often. */
#ifndef HS_TOOLS_HARTSCOPE_COMMON_EDGES_H
#define HS_TOOLS_HARTSCOPE_COMMON_EDGES_H

#include "common/tool.h"

struct edge {
	uint64_t from, to, count; /* from: address of the jump; count 0: the slot is free */
};

/* Zero is empty. */
struct edge_table {
	struct edge *slots; /* by hash, until edges_sort() */
	size_t room, count;
	struct hs_block last; /* of the hart; with has_last */
	bool has_last;
};

/* Follow items.  False: no memory. */
bool edges_add(struct edge_table *t, const struct hs_block *b, size_t n);
/* By jump, the most frequent target first; afterwards nothing may be added. */
void edges_sort(struct edge_table *t);
/* The first one of a jump, of t->count sorted ones; NULL: there is none. */
const struct edge *edges_find(const struct edge_table *t, uint64_t from);
void edges_free(struct edge_table *t);

#endif
