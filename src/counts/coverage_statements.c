/* Counts of lines by the statements that begin on them, where the compiler marks these (is_stmt,
 * DWARF 5, 6.2.2): in optimised code, a line's instructions are anywhere, and its statements begin
 * where the program has them.  A line is executed when control comes from another one to a
 * statement of it, and when it goes round within the line, as in lines.c. */
#include <stdlib.h>

#include "counts/coverage_private.h"

/* A line in a block. */
struct use {
	uint32_t file, node;
	int line;
	uint32_t times;  /* how often control comes to it there; 0: the block goes on with it */
	uint64_t passed; /* how often its mark was passed, and it was not executed */
	bool first;      /* nothing is before it in the block */
	bool only;       /* and nothing after it */
};

struct uses {
	struct use *v;
	size_t n;
	size_t *begin;       /* by node: which of @v it begins with, until they are sorted */
	struct use *last;    /* by node: with what it ends */
	uint64_t *continued; /* by node: how often its first line went on from the block before */
	uint32_t *nodes, *stack;
};

static bool same_place(const struct use *a, const struct use *b)
{
	return a->file == b->file && a->line == b->line && a->line;
}

/* Does another execution of the line begin with @m, which follows @before on it?  A statement of
 * another function, which was inlined, may be there twice in a row. */
static bool is_again(const struct coverage_graph *g, const struct coverage_mark *m,
                     const struct coverage_mark *before)
{
	return m->column == before->column && m->column &&
	       (m->file != g->file || m->line < g->line);
}

static bool is_of(const struct coverage_insn *i, const struct use *use)
{
	return i->file == use->file && i->line == use->line;
}

/* Does a statement begin on the line of an instruction? */
static bool is_marked(const struct coverage_graph *g, const struct coverage_insn *i)
{
	for (uint32_t k = 0; k < g->mark_count; k++)
		if (g->marks[k].line == i->line && g->marks[k].file == i->file)
			return true;
	return false;
}

/* A mark may be before a branch of another line that decides about the statement, all of whose
 * instructions come after it: where the other way leads, it was not executed.  A branch of a line
 * without a mark may have been moved itself. */
static uint64_t count_passed(const struct coverage_graph *g, const struct coverage_node *n,
                             const struct use *use)
{
	const struct coverage_insn *insns = &g->insns[n->first];
	uint64_t executed = 0;
	bool after = false;

	if (!use->times || insns[n->n - 1].kind != HS_INSN_BRANCH)
		return 0;
	for (uint32_t i = 0; i < n->n; i++)
		if (is_of(&insns[i], use))
			return 0;
	for (uint32_t a = n->arcs; a < n->arcs + n->arc_count; a++) {
		if (!is_of(&g->insns[g->nodes[g->arcs[a].to].first], use))
			continue;
		executed += g->arcs[a].count;
		after = true;
	}
	return after && is_marked(g, &insns[n->n - 1]) ? n->count - executed : 0;
}

/* The lines of a block in their order; @mark: number of its first mark, which becomes that of the
 * next block. */
static void collect_node(struct uses *u, const struct coverage_graph *g, uint32_t node,
                         uint32_t *mark)
{
	const struct coverage_node *n = &g->nodes[node];
	const struct coverage_insn *begin = &g->insns[n->first];
	const size_t first = u->n;

	for (; *mark < g->mark_count && g->marks[*mark].insn < n->first + n->n; ++*mark) {
		const struct coverage_mark *m = &g->marks[*mark];
		struct use next = { .file = m->file, .node = node, .line = m->line, .times = 1 };

		if (u->n == first || !same_place(&u->v[u->n - 1], &next))
			u->v[u->n++] = next;
		else
			u->v[u->n - 1].times += is_again(g, m, m - 1);
	}
	if (u->n == first) /* what is left of a statement before it */
		u->v[u->n++] =
			(struct use){ .file = begin->file, .node = node, .line = begin->line };
	u->v[first].first = true;
	u->v[first].only = u->n == first + 1;
	u->v[u->n - 1].passed = count_passed(g, n, &u->v[u->n - 1]);
	u->last[node] = u->v[u->n - 1];
}

/* A block without statements that comes after another line than its own is no part of a line. */
static void leave_alone(struct uses *u, const struct coverage_arc *arc)
{
	struct use *begin = &u->v[u->begin[arc->to]];

	if (!begin->times && !same_place(&u->last[arc->from], begin))
		begin->line = u->last[arc->to].line = 0;
}

static void collect(struct uses *u, const struct coverage_graph *g)
{
	for (uint32_t node = 0, mark = 0; node < g->node_count; node++) {
		u->begin[node] = u->n;
		collect_node(u, g, node, &mark);
	}
	for (uint32_t a = 0; a < g->arc_count; a++)
		leave_alone(u, &g->arcs[a]);
	for (uint32_t a = 0; a < g->arc_count; a++) {
		const struct coverage_arc *arc = &g->arcs[a];

		if (same_place(&u->last[arc->from], &u->v[u->begin[arc->to]]))
			u->continued[arc->to] += arc->count;
	}
}

static int by_place(const void *a, const void *b)
{
	const struct use *x = a, *y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

/* Uses @first to @end - 1 are those of one line. */
static bool count_line(struct hs_coverage *c, struct coverage_graph *g, const struct uses *u,
                       size_t first, size_t end, size_t function)
{
	struct hs_coverage_line line = { .file = u->v[first].file,
		                         .line = u->v[first].line,
		                         .function = function };
	uint64_t passed = 0;
	size_t n = 0;
	bool begins = false;

	for (size_t i = first; i < end; i++) {
		const struct use *use = &u->v[i];
		struct coverage_node *node = &g->nodes[use->node];

		begins |= use->times != 0;
		passed += use->passed;
		line.count += use->times * node->count;
		line.partial |= use->times && !node->count;
		if (use->times && use->first)
			line.count -= u->continued[use->node];
		if (use->only) {
			node->mark = (uint32_t)end;
			u->nodes[n++] = use->node;
		}
	}
	line.count += coverage_circles(g, u->nodes, n, u->stack);
	line.count -= passed < line.count ? passed : line.count;
	return !begins || !line.line || coverage_add_line(c, &line);
}

static bool count_lines(struct hs_coverage *c, struct coverage_graph *g, struct uses *u,
                        size_t function)
{
	bool good = true;

	collect(u, g);
	qsort(u->v, u->n, sizeof(*u->v), by_place);
	for (size_t i = 0, end; i < u->n && good; i = end) {
		for (end = i + 1;
		     end < u->n && u->v[end].file == u->v[i].file && u->v[end].line == u->v[i].line;
		     end++)
			;
		good = count_line(c, g, u, i, end, function);
	}
	return good;
}

bool coverage_add_statements(struct hs_coverage *c, struct coverage_graph *g, size_t function)
{
	struct uses u = { .v = calloc((size_t)g->mark_count + g->node_count, sizeof(*u.v)),
		          .begin = calloc(g->node_count, sizeof(*u.begin)),
		          .last = calloc(g->node_count, sizeof(*u.last)),
		          .continued = calloc(g->node_count, sizeof(*u.continued)),
		          .nodes = calloc(g->node_count, sizeof(*u.nodes)),
		          .stack = calloc(g->node_count, sizeof(*u.stack)) };
	const bool good = u.v && u.begin && u.last && u.continued && u.nodes && u.stack &&
	                  count_lines(c, g, &u, function);

	free(u.v);
	free(u.begin);
	free(u.last);
	free(u.continued);
	free(u.nodes);
	free(u.stack);
	return good;
}
