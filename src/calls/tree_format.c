/* Formats of the tree of calls (tree_format.h). */
#include "calls/tree_format.h"

enum hs_status exports_tree_begin(struct hs_export *x)
{
	const struct hs_stacks_options so = { .size = sizeof(so),
		                              .program = x->o.program,
		                              .programs = x->o.programs,
		                              .guest = x->o.guest };
	struct hs_call_tree *tree;
	const enum hs_status s = hs_call_tree_new(&so, &tree);

	if (s == HS_OK)
		x->tree = tree;
	return s;
}

enum hs_status exports_tree_items(struct hs_export *x, const struct hs_block *b, size_t n)
{
	return hs_call_tree_add(x->tree, b, n);
}

enum hs_status exports_tree_scan(struct hs_export *x, const struct hs_call_scanner *k,
                                 const struct hs_call_scan *scanned)
{
	return hs_call_tree_add_scan(x->tree, k, scanned);
}

void exports_tree_free(struct hs_export *x)
{
	hs_call_tree_free(x->tree);
}

/* What a node at @levels counts: at the last level with all that it called. */
static void charge(struct exports_node *e, const struct hs_call_node *n, uint32_t most)
{
	const bool last = n->depth + 1 == most;

	e->instructions = last ? n->total : n->self;
	e->time = last ? n->total_time : n->self_time;
	e->calls = n->calls;
	e->levels = n->depth + 1;
}

enum hs_status exports_tree_end(struct hs_export *x,
                                enum hs_status (*each)(struct hs_export *x,
                                                       const struct exports_node *n))
{
	const uint32_t most =
		x->o.depth && x->o.depth < EXPORTS_TREE_LEVELS ? x->o.depth : EXPORTS_TREE_LEVELS;
	const struct hs_call_node *path[EXPORTS_TREE_LEVELS];
	struct exports_node e = { .path = path };
	struct hs_call_tree_result t;
	enum hs_status s = hs_call_tree_get_result(x->tree, &t);

	for (size_t i = 0; s == HS_OK && i < t.count; i++) {
		const struct hs_call_node *n = &t.nodes[i];

		x->report.calls += n->calls;
		if (n->depth >= most)
			continue;
		path[n->depth] = n;
		charge(&e, n, most);
		if (e.levels == most && most != x->o.depth)
			x->report.cut += n->total - n->self;
		s = each(x, &e);
	}
	if (s != HS_OK)
		return s;
	x->report.instructions = t.instructions;
	x->report.unsure = t.unsure;
	x->report.forgotten = t.forgotten;
	x->report.full = t.full;
	return x->out.status;
}
