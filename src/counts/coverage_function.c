/* A function as basic blocks with counts.
 *
 * Counts of instructions and of branches are known.  What an arc has follows from them: that of a
 * branch, of a direct jump, and on to the next address.  What is left of a block's count came from
 * elsewhere: after a call from its return, where an exception lands from the calls that did not
 * return, else by an indirect jump or from outside. */
#include <stdlib.h>

#include "core/search.h"
#include "counts/coverage_private.h"
#include "program/program.h"

static bool is_call(unsigned kind)
{
	return kind == HS_INSN_CALL || kind == HS_INSN_CALL_IND || kind == HS_INSN_SWAP ||
	       kind == HS_INSN_TABLE_CALL;
}

static bool ends_block(unsigned kind)
{
	return kind != HS_INSN_LINEAR && kind != HS_INSN_ECALL && kind != HS_INSN_EBREAK;
}

static void read_insns(struct hs_program *program, const struct hs_image *image,
                       const struct hs_program_function *f, const struct coverage_counts *counts,
                       struct coverage_graph *g)
{
	const uint64_t end = f->start + f->size;
	size_t step = coverage_steps_before(counts, f->start);
	uint64_t addr = f->start;

	while (addr < end) {
		struct coverage_insn *i = &g->insns[g->insn_count];
		struct hs_insn insn = { .hwords = 1 };
		const bool known =
			hs_img_insn(image, addr, &insn) == HS_OK && 2u * insn.hwords <= end - addr;
		const uint64_t count = coverage_count_at(counts, addr, &step);
		const uint64_t next = step < counts->step_count ? counts->steps[step].addr : end;

		if (!known && next >= end)
			break;
		if (!known || (!count && next < addr + 2u * insn.hwords)) { /* it is data */
			addr = next;
			continue;
		}
		*i = (struct coverage_insn){ .addr = addr,
			                     .target = insn.target,
			                     .count = count,
			                     .hwords = insn.hwords,
			                     .kind = insn.kind };
		if (is_call(insn.kind) &&
		    !hs_program_find_landing(program, coverage_insn_end(i), &i->landing))
			i->landing = 0;
		g->insn_count++;
		addr += 2u * insn.hwords;
	}
}

/* The instruction at an address; COVERAGE_NONE: not of this function. */
static uint32_t insn_at(const struct coverage_graph *g, uint64_t addr)
{
	const uint32_t lo = base_count_leading(g->insn_count, i, g->insns[i].addr < addr);

	return lo < g->insn_count && g->insns[lo].addr == addr ? lo : COVERAGE_NONE;
}

static void find_leaders(struct coverage_graph *g)
{
	g->insns[0].leads = true;
	for (uint32_t i = 0; i < g->insn_count; i++) {
		const struct coverage_insn *insn = &g->insns[i];

		if (ends_block(insn->kind) && i + 1 < g->insn_count)
			g->insns[i + 1].leads = true;
		const uint32_t pad = insn->landing ? insn_at(g, insn->landing) : COVERAGE_NONE;

		if (pad != COVERAGE_NONE)
			g->insns[pad].leads = g->insns[pad].lands = true;
		if (insn->kind != HS_INSN_BRANCH && insn->kind != HS_INSN_JUMP)
			continue;
		const uint32_t to = insn_at(g, insn->target);

		if (to != COVERAGE_NONE)
			g->insns[to].leads = true;
	}
}

static void make_nodes(struct coverage_graph *g)
{
	for (uint32_t i = 0; i < g->insn_count; i++) {
		if (g->insns[i].leads)
			g->nodes[g->node_count++] = (struct coverage_node){
				.first = i,
				.count = g->insns[i].count,
				.entered = g->insns[i].count,
			};
		g->nodes[g->node_count - 1].n++;
	}
}

static uint32_t node_at(const struct coverage_graph *g, uint64_t addr)
{
	const uint32_t lo =
		base_count_leading(g->node_count, i, g->insns[g->nodes[i].first].addr < addr);

	return lo < g->node_count && g->insns[g->nodes[lo].first].addr == addr ? lo : COVERAGE_NONE;
}

static void add_arc(struct coverage_graph *g, uint32_t from, uint32_t to, uint64_t count)
{
	if (to >= g->node_count)
		return;
	struct coverage_node *n = &g->nodes[to];

	/* a signal may leave a branch in the middle: never more than came */
	count = count < n->entered ? count : n->entered;
	n->entered -= count;
	g->arcs[g->arc_count++] = (struct coverage_arc){ .from = from, .to = to, .count = count };
	g->nodes[from].arc_count++;
}

static void add_arcs(struct coverage_graph *g, const struct coverage_counts *counts)
{
	for (uint32_t i = 0; i < g->node_count; i++) {
		struct coverage_node *n = &g->nodes[i];
		const struct coverage_insn *last = &g->insns[n->first + n->n - 1];

		n->arcs = g->arc_count;
		if (last->kind == HS_INSN_BRANCH) {
			const struct coverage_end *e =
				coverage_end_at(counts, coverage_insn_end(last));

			add_arc(g, i, i + 1, e ? e->not_taken : 0);
			add_arc(g, i, node_at(g, last->target), e ? e->taken : 0);
		} else if (last->kind == HS_INSN_JUMP) {
			add_arc(g, i, node_at(g, last->target), last->count);
		} else if (!ends_block(last->kind)) {
			add_arc(g, i, i + 1, last->count);
		}
	}
}

/* How often the call at the end of a block returned: what came to the block after it, and from
 * nowhere else, unless exceptions land there. */
static uint64_t times_returned(const struct coverage_graph *g, uint32_t node)
{
	if (node + 1 >= g->node_count || g->insns[g->nodes[node + 1].first].lands)
		return 0;
	return g->nodes[node + 1].entered;
}

/* Calls returned, or an exception led to where theirs land. */
static void return_calls(struct coverage_graph *g)
{
	for (uint32_t i = 0; i < g->node_count; i++) {
		struct coverage_node *n = &g->nodes[i];
		const struct coverage_insn *last = &g->insns[n->first + n->n - 1];

		if (!is_call(last->kind))
			continue;
		const uint64_t returned = times_returned(g, i);

		n->arcs = g->arc_count;
		if (returned)
			add_arc(g, i, i + 1, returned);
		if (last->landing && returned < n->count)
			add_arc(g, i, node_at(g, last->landing), n->count - returned);
	}
}

bool coverage_graph_read(struct hs_program *program, const struct hs_image *image,
                         const struct hs_program_function *f, const struct coverage_counts *counts,
                         struct coverage_graph *g)
{
	const size_t room = (size_t)f->size / 2 + 1;

	*g = (struct coverage_graph){ .insns = calloc(room, sizeof(*g->insns)) };
	if (g->insns)
		read_insns(program, image, f, counts, g);
	return g->insns;
}

bool coverage_graph_link(struct coverage_graph *g, const struct coverage_counts *counts)
{
	const size_t room = (size_t)g->insn_count + 1;

	g->nodes = calloc(room, sizeof(*g->nodes));
	g->arcs = calloc(2 * room, sizeof(*g->arcs));
	if (!g->nodes || !g->arcs)
		return false;
	find_leaders(g);
	make_nodes(g);
	add_arcs(g, counts);
	return_calls(g);
	return true;
}

void coverage_graph_free(struct coverage_graph *g)
{
	free(g->insns);
	free(g->nodes);
	free(g->arcs);
	free(g->marks);
	free(g->calls);
}
