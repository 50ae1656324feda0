/* Counts of a run (counts.h): the object, and what goes into it. */
#include <stdlib.h>

#include <hartscope/views.h>

#include "core/config.h"
#include "counts/counts.h"
#include "counts/private.h"
#include "source/source.h"
#include "support/grow.h"

/* ---- the object ------------------------------------------------------------------- */

/* All blocks go to the views that are made of them. */
static enum hs_status expand(void *counts)
{
	struct hs_counts *c = counts;
	enum hs_status s = c->coverage ? coverage_take(c->coverage, &c->blocks) : HS_OK;

	if (s == HS_OK && c->profile)
		s = counts_profile_take(c->profile);
	counts_blocks_drop(&c->blocks);
	return s;
}

static enum hs_status start_blocks(struct hs_counts *c)
{
	const bool code = counts_wants(c, HS_COUNTS_CODE);
	const struct hs_profile_options po = { .size = sizeof(po),
		                               .by = c->o.by,
		                               .program = c->o.program,
		                               .programs = c->o.programs,
		                               .guest = c->o.guest,
		                               .each = code ? counts_code_add : NULL,
		                               .each_to = &c->code };
	enum hs_status s = counts_blocks_start(&c->blocks, &po, counts_wants(c, HS_COUNTS_HARTS));

	c->has_blocks = true;
	c->blocks.full = expand;
	c->blocks.full_to = c;
	counts_code_start(&c->code, &c->o);
	if (s == HS_OK && counts_wants(c, COUNTS_PROFILED))
		s = counts_profile_new(&c->blocks, &po, &c->profile);
	if (s == HS_OK && counts_wants(c, HS_COUNTS_COVERAGE))
		s = hs_coverage_new(c->o.program, c->o.programs, &c->coverage);
	if (c->coverage)
		hs_coverage_set_threads(c->coverage, c->o.threads);
	return s;
}

static enum hs_status start_calls(const struct hs_counts *c, struct hs_calls **calls)
{
	const enum hs_status s = hs_calls_new(c->o.program, c->o.programs, calls);

	if (s == HS_OK)
		hs_calls_set_guest(*calls, c->o.guest);
	return s;
}

static enum hs_status start_traps(struct hs_counts *c)
{
	const struct hs_traps_options to = { .size = sizeof(to),
		                             .program = c->o.program,
		                             .programs = c->o.programs,
		                             .guest = c->o.guest,
		                             .each = c->o.trap,
		                             .each_to = c->o.trap_to,
		                             .end_signal = c->o.end_signal };

	return hs_traps_new(&to, &c->traps);
}

/* Keep a call until the tree is asked for. */
static void keep_call(void *counts, const struct hs_call *call)
{
	struct hs_counts *c = counts;

	if (c->o.call)
		c->o.call(c->o.call_to, call);
	c->kept.failed |= !support_grow(&c->kept.calls, &c->kept.room, c->kept.count + 1,
	                                sizeof(*c->kept.calls));
	if (!c->kept.failed)
		c->kept.calls[c->kept.count++] = *call;
}

static enum hs_status start_tree(struct hs_counts *c)
{
	const struct hs_stacks_options so = { .size = sizeof(so),
		                              .program = c->o.program,
		                              .programs = c->o.programs,
		                              .guest = c->o.guest };
	const enum hs_status s = hs_call_tree_new(&so, &c->tree);

	if (s == HS_OK && c->o.keep_calls)
		hs_call_tree_set_each(c->tree, keep_call, c);
	else if (s == HS_OK && c->o.call)
		hs_call_tree_set_each(c->tree, c->o.call, c->o.call_to);
	if (s == HS_OK && c->o.inlined_run)
		hs_call_tree_set_inlined(c->tree, c->o.inlined_run, c->o.inlined_run_to);
	if (s == HS_OK && c->o.event)
		hs_call_tree_set_event(c->tree, c->o.event, c->o.event_to);
	return s;
}

static enum hs_status start_all(struct hs_counts *c)
{
	enum hs_status s = HS_OK;

	if (counts_wants(c, COUNTS_PROFILED | HS_COUNTS_COVERAGE))
		s = start_blocks(c);
	if (s == HS_OK && counts_wants(c, HS_COUNTS_PROFILE | HS_COUNTS_CALLS))
		s = start_calls(c, &c->calls);
	if (s == HS_OK && !counts_wants(c, HS_COUNTS_CALLS))
		c->blocks.calls = c->calls; /* the events of a fast profile count in any case */
	if (s == HS_OK && counts_wants(c, HS_COUNTS_JUMPS))
		s = start_calls(c, &c->jumps);
	if (s == HS_OK && c->jumps)
		profile_calls_set_jumps(c->jumps);
	if (s == HS_OK && counts_wants(c, HS_COUNTS_TRAPS))
		s = start_traps(c);
	if (s == HS_OK && counts_wants(c, HS_COUNTS_TREE))
		s = start_tree(c);
	return s;
}

/* The programs are those of the source, if there is one. */
static bool complete(struct hs_counts_options *o)
{
	if (o->source) {
		o->program = hs_source_program(o->source);
		o->programs = hs_source_programs(o->source);
		o->guest = hs_source_guest(o->source);
	}
	o->what = o->what || o->export_to ? o->what : HS_COUNTS_PROFILE;
	return o->program && o->by <= HS_PROFILE_BY_THREAD && o->what < 2 * HS_COUNTS_TREE;
}

enum hs_status hs_counts_new(const struct hs_counts_options *options, struct hs_counts **counts)
{
	struct hs_counts_options o;

	if (base_take_config(&o, sizeof(o), options) != HS_OK || !complete(&o))
		return HS_E_CONFIG;
	struct hs_counts *c = calloc(1, sizeof(*c));

	if (!c)
		return HS_E_MEMORY;
	c->o = o;
	const enum hs_status s = start_all(c);

	if (s == HS_OK)
		*counts = c;
	else
		hs_counts_free(c);
	return s;
}

void hs_counts_free(struct hs_counts *c)
{
	if (!c)
		return;
	hs_profile_free(c->profile);
	if (c->has_blocks)
		counts_blocks_end(&c->blocks);
	hs_calls_free(c->calls);
	hs_calls_free(c->jumps);
	hs_coverage_free(c->coverage);
	counts_code_end(&c->code);
	hs_traps_free(c->traps);
	hs_call_graph_free(c->graph);
	hs_call_tree_free(c->tree);
	free(c->targets);
	free(c->functions);
	free(c->kept.calls);
	free(c);
}

/* ---- counting --------------------------------------------------------------------- */

enum hs_status hs_counts_add(struct hs_counts *c, const struct hs_block *b, size_t n)
{
	enum hs_status s = c->has_blocks ? counts_blocks_add(&c->blocks, b, n, 1) : HS_OK;

	if (s == HS_OK && counts_wants(c, HS_COUNTS_CALLS))
		s = hs_calls_add(c->calls, b, n);
	if (s == HS_OK && c->jumps)
		s = hs_calls_add(c->jumps, b, n);
	if (s == HS_OK && c->tree)
		s = hs_call_tree_add(c->tree, b, n);
	if (s == HS_OK && c->traps)
		s = hs_traps_add(c->traps, b, n);
	if (s == HS_OK && c->o.export_to)
		s = hs_export_add(c->o.export_to, b, n);
	return s;
}

enum hs_status hs_counts_add_path(struct hs_counts *c, const struct hs_path_count *run)
{
	enum hs_status s = c->has_blocks
	                           ? counts_blocks_add(&c->blocks, run->blocks, run->n, run->times)
	                           : HS_OK;

	if (s == HS_OK && counts_wants(c, HS_COUNTS_CALLS))
		s = hs_calls_add_path(c->calls, run);
	if (s == HS_OK && c->jumps)
		s = hs_calls_add_path(c->jumps, run);
	return s;
}

enum hs_status counts_add_times(struct hs_counts *c, const struct hs_block *item, uint64_t times)
{
	return c->has_blocks ? counts_blocks_add_item(&c->blocks, item, times) : HS_OK;
}

/* ---- views ------------------------------------------------------------------------ */

/* A view of blocks is to be made.  HS_E_ARG: @what was not counted. */
static enum hs_status begin_view(struct hs_counts *c, uint32_t what)
{
	const enum hs_status s = counts_wants(c, what) ? expand(c) : HS_E_ARG;

	return s == HS_OK && c->code.failed ? HS_E_MEMORY : s;
}

enum hs_status hs_counts_get_profile(struct hs_counts *c, struct hs_profile_result *result)
{
	const enum hs_status s = begin_view(c, HS_COUNTS_PROFILE | HS_COUNTS_CODE);

	return s == HS_OK ? counts_profile_get(c->profile, result) : s;
}

enum hs_status hs_counts_get_harts(struct hs_counts *c, struct hs_profile_result *result)
{
	const enum hs_status s = begin_view(c, HS_COUNTS_HARTS);

	return s == HS_OK ? counts_profile_get_harts(c->profile, result) : s;
}

enum hs_status hs_counts_get_calls(struct hs_counts *c, struct hs_calls_result *result)
{
	return c->calls ? hs_calls_get_result(c->calls, result) : HS_E_ARG;
}

enum hs_status hs_counts_get_coverage(struct hs_counts *c, struct hs_coverage_result *result)
{
	const enum hs_status s = begin_view(c, HS_COUNTS_COVERAGE);

	return s == HS_OK ? hs_coverage_get_result(c->coverage, result) : s;
}

enum hs_status hs_counts_get_code(struct hs_counts *c, struct hs_counts_code *result)
{
	const enum hs_status s = begin_view(c, HS_COUNTS_CODE);

	if (s != HS_OK)
		return s;
	free(c->targets);
	*result = (struct hs_counts_code){ .jump_count = 0 };
	c->targets = c->jumps ? profile_calls_list_jumps(c->jumps, &result->jump_count) : NULL;
	result->jumps = c->targets;
	result->insns = counts_code_sort(&c->code, &result->insn_count);
	return c->targets || !c->jumps ? HS_OK : HS_E_MEMORY;
}

enum hs_status hs_counts_get_traps(struct hs_counts *c, struct hs_traps_result *result)
{
	return c->traps ? hs_traps_get_result(c->traps, result) : HS_E_ARG;
}

enum hs_status hs_counts_get_tree(struct hs_counts *c, struct hs_call_tree_result *result)
{
	if (!c->tree)
		return HS_E_ARG;
	hs_call_tree_end_calls(c->tree);
	const enum hs_status s = hs_call_tree_get_result(c->tree, result);

	if (s != HS_OK || c->kept.failed)
		return s == HS_OK ? HS_E_MEMORY : s;
	for (; c->kept.placed < c->kept.count; c->kept.placed++) {
		struct hs_call *call = &c->kept.calls[c->kept.placed];

		call->node = result->place[call->node];
	}
	result->calls = c->kept.calls;
	result->call_count = c->kept.count;
	return HS_OK;
}

enum hs_status hs_counts_get_graph(struct hs_counts *c, struct hs_call_graph_result *result)
{
	const enum hs_status s = hs_counts_get_tree(c, &c->paths);

	if (s != HS_OK)
		return s;
	hs_call_graph_free(c->graph);
	c->graph = NULL;
	if (hs_call_graph_new(&c->paths, &c->graph) != HS_OK)
		return HS_E_MEMORY;
	hs_call_graph_get_result(c->graph, result);
	return HS_OK;
}
