/* Folded stacks: the functions of a path, outermost first, and the instructions in its last one. */
#include "calls/tree_format.h"
#include "support/folded_name.h"

static enum hs_status print_path(struct hs_export *x, const struct exports_node *n)
{
	char number[32];

	for (uint32_t i = 0; n->instructions && i < n->levels; i++) {
		support_out_text(&x->out, i ? ";" : "");
		support_out_as(&x->out, support_folded_name,
		               exports_name(n->path[i]->name, n->path[i]->start, number));
	}
	if (n->instructions)
		support_out_print(&x->out, " %llu\n", (ull)n->instructions);
	return HS_OK;
}

static enum hs_status end(struct hs_export *x)
{
	return exports_tree_end(x, print_path);
}

const struct exports_format exports_folded = { .begin = exports_tree_begin,
	                                       .items = exports_tree_items,
	                                       .scan = exports_tree_scan,
	                                       .end = end,
	                                       .free = exports_tree_free };
