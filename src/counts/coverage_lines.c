/* Counts of lines by those of basic blocks, as gcov has them: a block counts at the line of each
 * file that has the greatest number in it; how often blocks of a line were entered from others,
 * and went round among themselves, is the line's count.  A line that is the greatest of no block
 * has the sum of its blocks.  While control is in a function that was inlined where a line calls
 * it, it has not left the line (design/coverage). */
#include <stdlib.h>

#include "counts/coverage_private.h"

/* A line in a block. */
struct use {
	uint32_t file, node;
	int line;
	bool greatest; /* of the block and file */
	bool lent;     /* what the line calls is in the block, and nothing of it */
};

struct uses {
	struct use *v;
	size_t n;
	uint32_t *nodes, *stack; /* of one line */
};

static int by_line(const void *a, const void *b)
{
	const struct use *x = a, *y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	return x->lent - y->lent;
}

/* Keep of the lines of a block, which are those from @first on, each once, in their order. */
static void keep_one(struct uses *u, size_t first)
{
	size_t n = first;

	if (u->n - first > 1)
		qsort(u->v + first, u->n - first, sizeof(*u->v), by_line);
	for (size_t i = first; i < u->n; i++)
		if (n == first || u->v[n - 1].file != u->v[i].file ||
		    u->v[n - 1].line != u->v[i].line)
			u->v[n++] = u->v[i];
	u->n = n;
	for (size_t i = first; i < n; i++)
		u->v[i].greatest = i + 1 == n || u->v[i + 1].file != u->v[i].file;
}

/* The lines that call what was inlined into a block; @call: of the first that is not before it,
 * which becomes that of the next block. */
static void collect_calls(struct uses *u, const struct coverage_graph *g, uint32_t node,
                          uint32_t *call)
{
	const struct coverage_node *n = &g->nodes[node];

	for (; *call < g->call_count && g->calls[*call].insn < n->first + n->n; ++*call)
		u->v[u->n++] = (struct use){ .file = g->calls[*call].file,
			                     .node = node,
			                     .line = g->calls[*call].line,
			                     .lent = true };
}

/* The lines of a block. */
static void collect_node(struct uses *u, const struct coverage_graph *g, uint32_t node)
{
	const struct coverage_node *n = &g->nodes[node];
	const size_t first = u->n;

	if (node == 0 && g->line) /* it begins where it is declared */
		u->v[u->n++] = (struct use){ .file = g->file, .node = node, .line = g->line };
	for (uint32_t i = n->first; i < n->first + n->n; i++) {
		const struct coverage_insn *insn = &g->insns[i];
		const struct use *before = u->n > first ? &u->v[u->n - 1] : NULL;

		if (!insn->line ||
		    (before && before->file == insn->file && before->line == insn->line))
			continue;
		u->v[u->n++] = (struct use){ .file = insn->file, .node = node, .line = insn->line };
	}
	keep_one(u, first);
}

/* The lines of all blocks, by line. */
static void collect(struct uses *u, const struct coverage_graph *g)
{
	for (uint32_t node = 0, call = 0; node < g->node_count; node++) {
		collect_node(u, g, node);
		collect_calls(u, g, node, &call);
	}
	if (u->n)
		qsort(u->v, u->n, sizeof(*u->v), by_line);
}

/* The count of a line by its blocks, which are @n of u->nodes.  Where it is not known from where
 * control came to what it calls, that is no execution of it. */
static uint64_t count_entered(struct coverage_graph *g, const struct uses *u, size_t n,
                              uint32_t mark)
{
	uint64_t count = 0;

	for (size_t i = 0; i < n; i++) {
		struct coverage_node *node = &g->nodes[u->nodes[i]];

		node->mark = mark;
		count += node->count - (node->lent ? node->entered : 0);
	}
	for (size_t i = 0; i < n; i++) {
		const struct coverage_node *node = &g->nodes[u->nodes[i]];

		for (uint32_t a = node->arcs; a < node->arcs + node->arc_count; a++)
			if (g->nodes[g->arcs[a].to].mark == mark)
				count -= g->arcs[a].count; /* not from elsewhere */
	}
	return count + coverage_circles(g, u->nodes, n, u->stack);
}

static bool same_line(const void *item, const void *key)
{
	const struct hs_coverage_line *a = item, *b = key;

	return a->file == b->file && a->line == b->line;
}

bool coverage_add_line(struct hs_coverage *c, const struct hs_coverage_line *line)
{
	const uint32_t hash = support_hash_of(line->file, (uint64_t)line->line);
	struct hs_coverage_line *known = support_hash_find(&c->lines, hash, same_line, line);

	if (known) {
		known->count += line->count;
		known->partial |= line->partial;
		return true;
	}
	known = support_hash_add(&c->lines, hash);
	if (known)
		*known = *line;
	return known;
}

/* The blocks of a line, whose uses are @first to @end - 1, with those that are @lent to it or
 * without them. */
static size_t find_nodes(struct coverage_graph *g, const struct uses *u, size_t first, size_t end,
                         bool lent)
{
	size_t n = 0;

	for (size_t i = first; i < end; i++) {
		const struct use *use = &u->v[i];

		if ((!use->greatest && !(lent && use->lent)) || (n && u->nodes[n - 1] == use->node))
			continue;
		g->nodes[use->node].lent = !use->greatest;
		u->nodes[n++] = use->node;
	}
	return n;
}

/* An optimiser may move what a line calls to where control comes to it from elsewhere: it never
 * adds to the count. */
static uint64_t count_blocks(struct coverage_graph *g, const struct uses *u, size_t first,
                             size_t end)
{
	const size_t own = find_nodes(g, u, first, end, false);
	const uint64_t count = count_entered(g, u, own, (uint32_t)end);
	const size_t all = find_nodes(g, u, first, end, true);
	const uint64_t with = all > own ? count_entered(g, u, all, (uint32_t)end) : count;

	return with < count ? with : count;
}

/* Uses @first to @end - 1 are those of one line. */
static bool count_line(struct hs_coverage *c, struct coverage_graph *g, const struct uses *u,
                       size_t first, size_t end, size_t function)
{
	struct hs_coverage_line line = { .file = u->v[first].file,
		                         .line = u->v[first].line,
		                         .function = function };
	bool any = false, greatest = false;

	for (size_t i = first; i < end; i++) {
		const uint64_t count = g->nodes[u->v[i].node].count;

		if (u->v[i].lent)
			continue;
		any = true;
		greatest |= u->v[i].greatest;
		line.count += count;
		line.partial |= !count;
	}
	if (greatest)
		line.count = count_blocks(g, u, first, end);
	return !any || coverage_add_line(c, &line);
}

static bool count_lines(struct hs_coverage *c, struct coverage_graph *g, const struct uses *u,
                        size_t function)
{
	bool good = true;

	for (size_t i = 0, end; i < u->n && good; i = end) {
		for (end = i + 1;
		     end < u->n && u->v[end].file == u->v[i].file && u->v[end].line == u->v[i].line;
		     end++)
			;
		good = count_line(c, g, u, i, end, function);
	}
	return good;
}

bool coverage_add_lines(struct hs_coverage *c, struct coverage_graph *g, size_t function)
{
	struct uses u = { .v = calloc((size_t)g->insn_count + g->call_count + 2u, sizeof(*u.v)),
		          .nodes = calloc(g->node_count + 1u, sizeof(*u.nodes)),
		          .stack = calloc(g->node_count + 1u, sizeof(*u.stack)) };
	bool good = u.v && u.nodes && u.stack;

	if (good && g->marks) {
		good = coverage_add_statements(c, g, function);
	} else if (good) {
		collect(&u, g);
		good = count_lines(c, g, &u, function);
	}
	free(u.v);
	free(u.nodes);
	free(u.stack);
	return good;
}
