/* Functions of a run: what ran in each by address, next to what its calls did (counts.h). */
#include <stdlib.h>
#include <string.h>

#include "counts/private.h"

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

static struct place own_place(const struct hs_counts_function *f)
{
	return (struct place){ f->own->start, f->name ? f->name : f->own->file };
}

static int by_own_place(const void *a, const void *b)
{
	return by_place(own_place(a), own_place(b));
}

static int by_heat(const void *a, const void *b)
{
	const struct hs_counts_function *x = a, *y = b;

	if (x->self != y->self)
		return x->self > y->self ? -1 : 1;
	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	const bool named = x->name || y->name || !x->own || !y->own;
	const char *p = named ? x->name : x->own->file, *q = named ? y->name : y->own->file;

	return p && q ? strcmp(p, q) : (p != NULL) - (q != NULL);
}

/* The row of a function that ran, of @n sorted ones; NULL: there is none. */
static struct hs_counts_function *find_row(struct hs_counts_function *rows, size_t n,
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
static size_t fill_rows(const struct hs_profile_result *ran, const struct hs_call_graph_result *g,
                        struct hs_counts_function *rows)
{
	const size_t own = ran->function_count;
	size_t n = own;

	for (size_t i = 0; i < own; i++) {
		const struct hs_profile_function *f = &ran->functions[i];

		rows[i] = (struct hs_counts_function){ .own = f,
			                               .name = f->name,
			                               .self = f->instructions };
	}
	qsort(rows, own, sizeof(*rows), by_own_place);
	for (size_t i = 0; i < g->function_count; i++) {
		const struct hs_call_function *f = &g->functions[i];
		struct hs_counts_function *row = find_row(rows, own, f);

		row = row ? row : &rows[n++];
		row->called = f;
		row->name = f->name;
		row->total = f->total;
		row->calls = f->calls;
		row->self_time = f->self_time;
		row->total_time = f->total_time;
	}
	return n;
}

enum hs_status hs_counts_get_functions(struct hs_counts *c, struct hs_counts_functions *result)
{
	struct hs_counts_functions r = { .function_count = 0 };
	enum hs_status s = hs_counts_get_profile(c, &r.profile);

	if (s == HS_OK)
		s = hs_counts_get_graph(c, &r.graph);
	if (s != HS_OK)
		return s;
	r.tree = c->paths;
	free(c->functions);
	c->functions = calloc(r.profile.function_count + r.graph.function_count + 1,
	                      sizeof(*c->functions));
	if (!c->functions)
		return HS_E_MEMORY;
	struct hs_counts_function *rows = c->functions;
	const size_t n = fill_rows(&r.profile, &r.graph, rows);

	for (size_t i = 0; i < n; i++) /* code that a function runs into belongs to no call */
		rows[i].total = rows[i].total < rows[i].self ? rows[i].self : rows[i].total;
	qsort(rows, n, sizeof(*rows), by_heat);
	r.functions = rows;
	r.function_count = n;
	*result = r;
	return HS_OK;
}
