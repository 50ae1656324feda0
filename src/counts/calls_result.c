/* Counting calls: from transfers between addresses to functions and edges. */
#include <stdlib.h>
#include <string.h>

#include "counts/calls_private.h"

#include "support/order.h"

/* ---- links: transfers between functions ------------------------------------------- */

static struct calls_point function_of(const struct hs_calls *c, const struct calls_point *p)
{
	const struct hs_guest_at at = { .context = p->context,
		                        .has_context = p->has_context,
		                        .priv = p->priv };
	struct hs_program *program = (struct hs_program *)(uintptr_t)p->of;
	struct hs_guest_place place = { .label = NULL };

	if (program)
		hs_guest_name(c->guest, program, &at, p->addr, &place);
	return (struct calls_point){ .of = place.label,
		                     .addr = place.label ? place.start : 0,
		                     .file = place.file,
		                     .own_file = place.own };
}

enum hs_status profile_calls_link(struct hs_calls *c)
{
	const struct calls_transfer *transfers = c->transfers.items;

	for (uint32_t i = 0; i < c->transfers.count; i++) {
		struct calls_transfer link = transfers[i];

		link.to = function_of(c, &link.to);
		if (link.kind == TRANSFER_CALL)
			link.from = function_of(c, &link.from);
		if (profile_calls_add(&c->links, &link) != HS_OK)
			return HS_E_MEMORY;
	}
	support_hash_clear(&c->transfers);
	return HS_OK;
}

/* ---- orders ----------------------------------------------------------------------- */

static int by_start(const void *a, const void *b)
{
	const struct hs_calls_function *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->name != y->name)
		return support_text_order(x->name, y->name);
	return support_text_order(x->file, y->file);
}

static int most_called(const void *a, const void *b)
{
	const struct hs_calls_function *x = a, *y = b;

	if (x->calls != y->calls)
		return x->calls > y->calls ? -1 : 1;
	return by_start(a, b);
}

static int most_frequent(const void *a, const void *b)
{
	const struct hs_calls_edge *x = a, *y = b;

	if (x->calls != y->calls)
		return x->calls > y->calls ? -1 : 1;
	if (x->caller != y->caller)
		return x->caller < y->caller ? -1 : 1;
	return (x->callee > y->callee) - (x->callee < y->callee);
}

/* ---- functions -------------------------------------------------------------------- */

static struct hs_calls_function as_function(const struct calls_point *p)
{
	return (struct hs_calls_function){
		.name = p->of, .start = p->addr, .file = p->file, .own_file = p->own_file
	};
}

/* Every function of a link once, sorted by start. */
static size_t list_functions(const struct hs_calls *c, struct hs_calls_function *f)
{
	const struct calls_transfer *links = c->links.items;
	size_t n = 0, kept = 0;

	for (uint32_t i = 0; i < c->links.count; i++) {
		f[n++] = as_function(&links[i].to);
		if (links[i].kind == TRANSFER_CALL)
			f[n++] = as_function(&links[i].from);
	}
	qsort(f, n, sizeof(*f), by_start);
	for (size_t i = 0; i < n; i++)
		if (kept == 0 || by_start(&f[kept - 1], &f[i]) != 0)
			f[kept++] = f[i];
	return kept;
}

static struct hs_calls_function *find_function(struct hs_calls_function *f, size_t n,
                                               const struct calls_point *p)
{
	const struct hs_calls_function key = as_function(p);

	return bsearch(&key, f, n, sizeof(*f), by_start);
}

static void count_functions(const struct hs_calls *c, struct hs_calls_function *f,
                            struct hs_calls_result *r)
{
	const struct calls_transfer *links = c->links.items;

	for (uint32_t i = 0; i < c->links.count; i++) {
		struct hs_calls_function *to = find_function(f, r->function_count, &links[i].to);

		to->calls += links[i].kind == TRANSFER_CALL ? links[i].count : 0;
		to->returns += links[i].kind == TRANSFER_RETURN ? links[i].count : 0;
		to->traps += links[i].kind == TRANSFER_TRAP ? links[i].count : 0;
	}
	for (size_t i = 0; i < r->function_count; i++) {
		r->calls += f[i].calls;
		r->returns += f[i].returns;
		r->traps += f[i].traps;
	}
}

/* ---- edges ------------------------------------------------------------------------ */

/* Where a function of @f, the list by start, is in the list by calls. */
static size_t rank_of(const struct hs_calls *c, struct hs_calls_function *f, size_t n,
                      const struct calls_point *p)
{
	const struct hs_calls_function *ranked =
		bsearch(find_function(f, n, p), c->functions, n, sizeof(*f), most_called);

	return (size_t)(ranked - c->functions);
}

static void list_edges(struct hs_calls *c, struct hs_calls_function *f, struct hs_calls_result *r)
{
	const struct calls_transfer *links = c->links.items;
	const size_t n = r->function_count;

	for (uint32_t i = 0; i < c->links.count; i++) {
		const struct calls_transfer *l = &links[i];

		if (l->kind == TRANSFER_CALL)
			c->edges[r->edge_count++] =
				(struct hs_calls_edge){ rank_of(c, f, n, &l->from),
				                        rank_of(c, f, n, &l->to), l->count,
				                        l->inferred };
	}
	qsort(c->edges, r->edge_count, sizeof(*c->edges), most_frequent);
}

enum hs_status hs_calls_get_result(struct hs_calls *c, struct hs_calls_result *result)
{
	struct hs_calls_result r = { 0 };

	if (profile_calls_link(c) != HS_OK)
		return HS_E_MEMORY;
	const size_t links = c->links.count;
	struct hs_calls_function *f = calloc(2 * links + 1, sizeof(*f)); /* by start */

	free(c->functions);
	free(c->edges);
	c->functions = calloc(2 * links + 1, sizeof(*f));
	c->edges = calloc(links + 1, sizeof(*c->edges));
	if (f && c->functions && c->edges) {
		r.function_count = list_functions(c, f);
		count_functions(c, f, &r);
		memcpy(c->functions, f, r.function_count * sizeof(*f));
		qsort(c->functions, r.function_count, sizeof(*f), most_called);
		list_edges(c, f, &r);
		r.functions = c->functions;
		r.edges = c->edges;
		*result = r;
	}
	free(f);
	return r.functions ? HS_OK : HS_E_MEMORY;
}

/* ---- jumps ------------------------------------------------------------------------ */

static int by_ends(const void *a, const void *b)
{
	const struct hs_counts_jump *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return (x->to > y->to) - (x->to < y->to);
}

static int by_jump(const void *a, const void *b)
{
	const struct hs_counts_jump *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return (x->to > y->to) - (x->to < y->to);
}

struct hs_counts_jump *profile_calls_list_jumps(const struct hs_calls *c, size_t *count)
{
	const struct calls_transfer *transfers = c->transfers.items;
	const size_t all = c->transfers.count;
	struct hs_counts_jump *v = calloc(all + 1, sizeof(*v));
	size_t n = 0;

	if (!v)
		return NULL;
	for (size_t i = 0; i < all; i++)
		v[i] = (struct hs_counts_jump){ transfers[i].from.addr, transfers[i].to.addr,
			                        transfers[i].count };
	qsort(v, all, sizeof(*v), by_ends);
	for (size_t i = 0; i < all; i++) { /* one, in whatever program and context */
		if (n && by_ends(&v[n - 1], &v[i]) == 0)
			v[n - 1].count += v[i].count;
		else
			v[n++] = v[i];
	}
	qsort(v, n, sizeof(*v), by_jump);
	*count = n;
	return v;
}
