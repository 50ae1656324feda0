/* How often control went round within some basic blocks.
 *
 * As long as there is a circle whose arcs all have counts left, the least of these is taken from
 * each and counted.  Each circle uses up an arc. */
#include "counts/coverage_private.h"

enum coverage_visit { VISIT_NEW, VISIT_OPEN, VISIT_DONE };

/* Take from the circle that @arc closes; the arcs that led to it are on @stack.  One that is all in
 * what a line calls is no execution of it: *sum stays. */
static void take_circle(struct coverage_graph *g, struct coverage_arc *arc, const uint32_t *stack,
                        uint32_t depth, uint64_t *sum)
{
	uint64_t least = arc->left;
	bool lent = g->nodes[arc->from].lent;

	for (uint32_t i = depth, node = arc->from; node != arc->to; node = g->arcs[stack[i]].from) {
		i--;
		least = g->arcs[stack[i]].left < least ? g->arcs[stack[i]].left : least;
		lent &= g->nodes[g->arcs[stack[i]].from].lent;
	}
	for (uint32_t i = depth, node = arc->from; node != arc->to; node = g->arcs[stack[i]].from)
		g->arcs[stack[--i]].left -= least;
	arc->left -= least;
	*sum += lent ? 0 : least;
}

/* Look for a circle from a node on, and add its count.  False: there is none. */
static bool find_circle(struct coverage_graph *g, uint32_t start, uint32_t *stack, uint64_t *sum)
{
	struct coverage_node *node = &g->nodes[start];
	uint32_t depth = 0;

	node->visit = VISIT_OPEN;
	for (;;) {
		if (node->tried == node->arc_count) {
			node->visit = VISIT_DONE;
			if (!depth)
				return false;
			node = &g->nodes[g->arcs[stack[--depth]].from];
			continue;
		}
		const uint32_t number = node->arcs + node->tried++;
		struct coverage_arc *arc = &g->arcs[number];
		struct coverage_node *to = &g->nodes[arc->to];

		if (!arc->left || to->mark != node->mark || to->visit == VISIT_DONE)
			continue;
		if (to->visit == VISIT_OPEN) {
			take_circle(g, arc, stack, depth, sum);
			return true;
		}
		to->visit = VISIT_OPEN;
		stack[depth++] = number;
		node = to;
	}
}

uint64_t coverage_circles(struct coverage_graph *g, const uint32_t *nodes, size_t n,
                          uint32_t *stack)
{
	uint64_t sum = 0;
	bool found;

	for (size_t i = 0; i < n; i++)
		for (uint32_t a = 0; a < g->nodes[nodes[i]].arc_count; a++) {
			struct coverage_arc *arc = &g->arcs[g->nodes[nodes[i]].arcs + a];

			arc->left = arc->count;
		}
	for (size_t start = 0; start < n; start += !found) {
		for (size_t i = 0; i < n; i++) {
			g->nodes[nodes[i]].tried = 0;
			g->nodes[nodes[i]].visit = VISIT_NEW;
		}
		found = find_circle(g, nodes[start], stack, &sum);
	}
	return sum;
}
