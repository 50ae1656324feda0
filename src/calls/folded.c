/* Folded stacks: the functions of a path, outermost first, and the instructions in its last one. */
#include <string.h>

#include "calls/exports_private.h"
#include "calls/scan.h"
#include "calls/tree.h"
#include "support/folded_name.h"

static enum hs_status begin(struct hs_export *x)
{
	const struct hs_stacks_options so = { .size = sizeof(so),
		                              .program = x->o.program,
		                              .programs = x->o.programs,
		                              .guest = x->o.guest };
	struct hs_call_tree *tree;
	const enum hs_status s = hs_call_tree_new(&so, &tree);

	if (s == HS_OK)
		x->own = tree;
	return s;
}

static enum hs_status items(struct hs_export *x, const struct hs_block *b, size_t n)
{
	return hs_call_tree_add(x->own, b, n);
}

/* Print the functions of the outermost @levels nodes of a path. */
static void print_path(struct hs_export *x, const struct hs_call_node *const *path, uint32_t levels)
{
	char number[32];

	for (uint32_t i = 0; i < levels; i++) {
		support_out_text(&x->out, i ? ";" : "");
		support_out_as(&x->out, support_folded_name,
		               exports_name(path[i]->name, path[i]->start, number));
	}
}

static enum hs_status scan(struct hs_export *x, const struct hs_call_scanner *k,
                           const struct hs_call_scan *scanned)
{
	return hs_call_tree_add_scan(x->own, k, scanned);
}

#define LEVELS 512u /* deeper ones count for the last of these */

static enum hs_status end(struct hs_export *x)
{
	const uint32_t most = x->o.depth && x->o.depth < LEVELS ? x->o.depth : LEVELS;
	const struct hs_call_node *path[LEVELS];
	struct hs_call_tree_result t;

	if (hs_call_tree_get_result(x->own, &t) != HS_OK)
		return HS_E_MEMORY;
	for (size_t i = 0; i < t.count; i++) {
		const struct hs_call_node *n = &t.nodes[i];
		const uint32_t levels = n->depth < most ? n->depth + 1 : most;

		if (n->depth < most)
			path[n->depth] = n;
		x->report.calls += n->calls;
		/* At the last level: with all that it called. */
		const uint64_t cost = n->depth + 1 < most    ? n->self
		                      : n->depth + 1 == most ? n->total
		                                             : 0;

		if (n->depth + 1 == most && most != x->o.depth)
			x->report.cut += n->total - n->self;
		if (!cost)
			continue;
		print_path(x, path, levels);
		support_out_print(&x->out, " %llu\n", (ull)cost);
	}
	x->report.instructions = t.instructions;
	x->report.unsure = t.unsure;
	x->report.forgotten = t.forgotten;
	x->report.full = t.full;
	return x->out.status;
}

static void free_tree(struct hs_export *x)
{
	hs_call_tree_free(x->own);
}

const struct exports_format exports_folded = {
	.begin = begin, .items = items, .scan = scan, .end = end, .free = free_tree
};
