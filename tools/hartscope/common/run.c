/* A run, counted (run.h). */
#include <stdlib.h>
#include <string.h>

#include "common/run.h"

static bool count_blocks(void *to, const struct hs_block *b, size_t n)
{
	struct run *r = to;

	return hs_profile_add(r->profile, b, n) == HS_OK &&
	       hs_call_tree_add(r->tree, b, n) == HS_OK &&
	       (!r->wants->also || r->wants->also(r->wants->also_to, b, n));
}

static bool start(struct run *r, const struct run_wants *wants)
{
	const struct hs_profile_options po = {
		.size = sizeof(po),
		.by = wants->by,
		.program = hs_source_program(r->source),
		.programs = hs_source_programs(r->source),
		.guest = hs_source_guest(r->source),
		.each = wants->insns ? insns_add : NULL,
		.each_to = wants->insns,
	};
	const struct hs_stacks_options so = { .size = sizeof(so),
		                              .program = po.program,
		                              .programs = po.programs,
		                              .guest = po.guest };

	if (wants->insns)
		wants->insns->guest = po.guest;
	if (hs_profile_open(&po, &r->profile) != HS_OK || hs_call_tree_new(&so, &r->tree) != HS_OK)
		return false;
	if (wants->call)
		hs_call_tree_set_each(r->tree, wants->call, wants->call_to);
	if (wants->event)
		hs_call_tree_set_event(r->tree, wants->event, wants->event_to);
	return true;
}

/* ---- functions -------------------------------------------------------------------------- */

/* Where a function is: of code without a symbol only its file is known. */
struct place {
	uint64_t start;
	const char *text;
};

static int by_place(struct place a, struct place b)
{
	const uintptr_t x = (uintptr_t)a.text, y = (uintptr_t)b.text;

	if (a.start != b.start)
		return a.start < b.start ? -1 : 1;
	return (x > y) - (x < y);
}

static struct place own_place(const struct run_function *f)
{
	return (struct place){ f->own->start, f->name ? f->name : f->own->file };
}

static int by_own_place(const void *a, const void *b)
{
	return by_place(own_place(a), own_place(b));
}

static int by_heat(const void *a, const void *b)
{
	const struct run_function *x = a, *y = b;

	if (x->self != y->self)
		return x->self > y->self ? -1 : 1;
	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	return x->name && y->name ? strcmp(x->name, y->name)
	                          : (x->name != NULL) - (y->name != NULL);
}

/* The row of a function that ran, of @n sorted ones; NULL: there is none. */
static struct run_function *find_row(struct run_function *rows, size_t n,
                                     const struct hs_call_function *f)
{
	const struct place place = { f->start, f->name ? f->name : f->file };
	size_t low = 0;

	while (low < n) {
		const size_t middle = low + (n - low) / 2;
		const int order = by_place(place, own_place(&rows[middle]));

		if (order == 0)
			return &rows[middle];
		if (order < 0)
			n = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

/* Rows of the functions by address, and of those that only calls have. */
static bool join_functions(struct run *r)
{
	const size_t own = r->counts.function_count, called = r->edges.function_count;
	struct run_function *rows = calloc(own + called + 1, sizeof(*rows));
	size_t n = own;

	if (!rows)
		return false;
	r->functions = rows;
	for (size_t i = 0; i < own; i++) {
		const struct hs_profile_function *f = &r->counts.functions[i];

		rows[i] =
			(struct run_function){ .own = f, .name = f->name, .self = f->instructions };
	}
	qsort(rows, own, sizeof(*rows), by_own_place);
	for (size_t i = 0; i < called; i++) {
		const struct hs_call_function *f = &r->edges.functions[i];
		struct run_function *row = find_row(rows, own, f);

		row = row ? row : &rows[n++];
		row->called = f;
		row->name = f->name;
		row->total = f->total;
		row->calls = f->calls;
		row->self_time = f->self_time;
		row->total_time = f->total_time;
	}
	for (size_t i = 0; i < n; i++) /* code that a function runs into belongs to no call */
		rows[i].total = rows[i].total < rows[i].self ? rows[i].self : rows[i].total;
	r->function_count = n;
	qsort(rows, n, sizeof(*rows), by_heat);
	return true;
}

static bool finish(struct run *r)
{
	hs_call_tree_end_calls(r->tree);
	if (hs_profile_get_result(r->profile, &r->counts) != HS_OK ||
	    hs_call_tree_get_result(r->tree, &r->calls) != HS_OK ||
	    hs_call_graph_new(&r->calls, &r->graph) != HS_OK)
		return false;
	hs_call_graph_get_result(r->graph, &r->edges);
	return join_functions(r);
}

bool run_count(struct run *r, struct hs_source *source, const struct run_wants *wants)
{
	const struct block_taker taker = { "counting", wants->quiet, count_blocks, r };

	*r = (struct run){ .source = source, .wants = wants };
	if (start(r, wants) && read_blocks(&taker, source, &r->damage) && finish(r) &&
	    (!wants->insns || !wants->insns->failed))
		return true;
	complain("out of memory");
	return false;
}

void run_close(struct run *r)
{
	free(r->functions);
	hs_call_graph_free(r->graph);
	hs_call_tree_free(r->tree);
	hs_profile_free(r->profile);
}

bool run_is_name(const struct run *r, const struct run_function *f, const char *name)
{
	const struct hs_program_function named = {
		.name = f->name,
		.start = f->own ? f->own->start : f->called->start,
		.symbol = f->own ? f->own->symbol : NULL,
	};

	return f->name && hs_program_is_name(hs_source_program(r->source), &named, name);
}
