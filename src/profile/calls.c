/* Counting calls: transfers by their two addresses, which are expanded to functions at the end. */
#include <stdlib.h>
#include <string.h>

#include <hartscope/calls.h>

#include "program/select.h"
#include "support/hash.h"

/* Distinct transfers held at once; then they are expanded and dropped (as in profile.c). */
#define TRANSFERS_MAX ((size_t)1 << 20)

enum way { WAY_NONE, WAY_CALL, WAY_RETURN, WAY_TRAP, WAYS };

/* An address in a program; as a function its name and start, NULL and 0 without a symbol. */
struct place {
	const void *of;
	uint64_t addr;
};

/* How often the flow went from one place to another.  Calls alone have a from. */
struct entry {
	struct place from, to;
	uint64_t count;
	uint64_t inferred;
	uint8_t way;
};

/* A hart on its way. */
struct lane {
	uint8_t itype;       /* of the last block */
	bool told;           /* a source was told */
	struct place source; /* the last instruction of the last block, or what was told */
	struct place target; /* the last target told */
};

struct hs_calls {
	struct program_select select;
	struct lane *lanes; /* by select.index */
	size_t lane_count;
	struct support_hash transfers, links; /* of struct entry: by address, by function */
	struct hs_calls_function *functions;
	struct hs_calls_edge *edges;
};

/* ---- tallies ---------------------------------------------------------------------- */

static bool same_place(const struct place *a, const struct place *b)
{
	return a->addr == b->addr && a->of == b->of;
}

static bool same_entry(const void *item, const void *key)
{
	const struct entry *a = item, *b = key;

	return a->way == b->way && same_place(&a->from, &b->from) && same_place(&a->to, &b->to);
}

static enum hs_status tally_add(struct support_hash *t, const struct entry *e)
{
	const uint32_t hash = support_hash_of(e->from.addr, e->to.addr ^ e->way);
	struct entry *found = support_hash_find(t, hash, same_entry, e);

	if (found) {
		found->count += e->count;
		found->inferred += e->inferred;
		return HS_OK;
	}
	found = support_hash_add(t, hash);
	if (!found)
		return HS_E_MEMORY;
	*found = *e;
	return HS_OK;
}

/* ---- from addresses to functions ---------------------------------------------------- */

static struct place function_of(const struct place *p)
{
	struct hs_program *program = (struct hs_program *)(uintptr_t)p->of;
	struct hs_program_function f = { 0 };

	if (program)
		hs_program_find_function(program, p->addr, &f);
	return (struct place){ f.name, f.start };
}

static enum hs_status expand(struct hs_calls *c)
{
	const struct entry *transfers = c->transfers.items;

	for (uint32_t i = 0; i < c->transfers.count; i++) {
		struct entry e = transfers[i];

		e.to = function_of(&e.to);
		if (e.way == WAY_CALL)
			e.from = function_of(&e.from);
		if (tally_add(&c->links, &e) != HS_OK)
			return HS_E_MEMORY;
	}
	support_hash_clear(&c->transfers);
	return HS_OK;
}

/* ---- blocks and events -------------------------------------------------------------- */

static enum way way_of(unsigned itype)
{
	static const uint8_t of[16] = {
		[HS_ITYPE_EXCEPTION] = WAY_TRAP, [HS_ITYPE_INTERRUPT] = WAY_TRAP, [HS_ITYPE_XRET] = WAY_RETURN,
		[HS_ITYPE_CALL_UNINF] = WAY_CALL, [HS_ITYPE_CALL_INF] = WAY_CALL, [HS_ITYPE_SWAP] = WAY_CALL,
		[HS_ITYPE_RETURN] = WAY_RETURN,
	};

	return (enum way)of[itype & 15];
}

/* The flow went on at @to. */
static enum hs_status count(struct hs_calls *c, unsigned itype, const struct place *from, const struct place *to,
                            bool inferred)
{
	struct entry e = { .to = *to, .count = 1, .way = (uint8_t)way_of(itype) };

	if (e.way == WAY_NONE)
		return HS_OK;
	if (e.way == WAY_CALL) {
		e.from = *from;
		e.inferred = inferred;
	}
	if (c->transfers.count >= TRANSFERS_MAX && expand(c) != HS_OK)
		return HS_E_MEMORY;
	return tally_add(&c->transfers, &e);
}

static enum hs_status take_block(struct hs_calls *c, const struct hs_block *b)
{
	struct lane *l = &c->lanes[c->select.index];
	const struct place here = { c->select.program, b->iaddr };

	if (way_of(l->itype) != WAY_NONE && count(c, l->itype, &l->source, &here, false) != HS_OK)
		return HS_E_MEMORY;
	l->itype = b->itype;
	l->source = (struct place){ here.of, hs_block_end(b) - 2u * (uint64_t)b->ilast };
	return HS_OK;
}

static enum hs_status take_target(struct hs_calls *c, const struct hs_block *b)
{
	struct lane *l = &c->lanes[c->select.index];
	const struct place here = { c->select.program, b->value };
	const struct place from = l->told ? l->source : l->target;
	const bool inferred = !l->told;

	l->target = here;
	l->told = false;
	return count(c, b->itype, &from, &here, inferred);
}

static enum hs_status select_hart(struct hs_calls *c, uint32_t hart)
{
	const enum hs_status s = program_select_hart(&c->select, hart);

	if (s != HS_OK || c->select.index < c->lane_count)
		return s;
	struct lane *more = realloc(c->lanes, c->select.harts.count * sizeof(*more));

	if (!more)
		return HS_E_MEMORY;
	c->lanes = more;
	while (c->lane_count < c->select.harts.count)
		c->lanes[c->lane_count++] = (struct lane){ .itype = HS_ITYPE_NONE };
	return HS_OK;
}

/* What follows does not follow on. */
static void forget(struct lane *l)
{
	l->itype = HS_ITYPE_NONE;
	l->told = false;
	l->target = (struct place){ NULL, 0 };
}

static enum hs_status take_event(struct hs_calls *c, const struct hs_block *b)
{
	struct lane *l = &c->lanes[c->select.index];

	switch (b->kind) {
	case HS_KIND_HART:
		return select_hart(c, b->arg);
	case HS_KIND_SYNC: /* a reset */
		if (b->itype == 1)
			forget(l);
		break;
	case HS_KIND_GAP:
	case HS_KIND_STOP:
		forget(l);
		break;
	case HS_KIND_SOURCE:
		l->source = (struct place){ c->select.program, b->value };
		l->told = true;
		break;
	case HS_KIND_TARGET:
		return take_target(c, b);
	default:
		break;
	}
	return program_select_event(&c->select, b);
}

enum hs_status hs_calls_add(struct hs_calls *c, const struct hs_block *blocks, size_t n)
{
	enum hs_status s = HS_OK;

	for (size_t i = 0; i < n && s == HS_OK; i++)
		s = blocks[i].kind == HS_KIND_BLOCK ? take_block(c, &blocks[i]) : take_event(c, &blocks[i]);
	return s;
}

enum hs_status hs_calls_new(struct hs_program *program, const struct hs_program_set *programs,
                            struct hs_calls **calls)
{
	struct hs_calls *c = calloc(1, sizeof(*c));

	if (!c)
		return HS_E_MEMORY;
	c->transfers.item_size = c->links.item_size = sizeof(struct entry);
	program_select_start(&c->select, program, programs);
	if (select_hart(c, 0) != HS_OK) {
		hs_calls_free(c);
		return HS_E_MEMORY;
	}
	*calls = c;
	return HS_OK;
}

void hs_calls_free(struct hs_calls *c)
{
	if (!c)
		return;
	program_select_end(&c->select);
	free(c->lanes);
	support_hash_free(&c->transfers);
	support_hash_free(&c->links);
	free(c->functions);
	free(c->edges);
	free(c);
}

/* ---- the result ----------------------------------------------------------------------- */

static int by_start(const void *a, const void *b)
{
	const struct hs_calls_function *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return ((uintptr_t)x->name > (uintptr_t)y->name) - ((uintptr_t)x->name < (uintptr_t)y->name);
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

static struct hs_calls_function as_function(const struct place *p)
{
	return (struct hs_calls_function){ .name = p->of, .start = p->addr };
}

/* Every function of a link once, sorted by start. */
static size_t list_functions(const struct hs_calls *c, struct hs_calls_function *f)
{
	size_t n = 0, kept = 0;

	for (uint32_t i = 0; i < c->links.count; i++) {
		const struct entry *e = support_hash_item(&c->links, i);

		f[n++] = as_function(&e->to);
		if (e->way == WAY_CALL)
			f[n++] = as_function(&e->from);
	}
	qsort(f, n, sizeof(*f), by_start);
	for (size_t i = 0; i < n; i++)
		if (kept == 0 || by_start(&f[kept - 1], &f[i]) != 0)
			f[kept++] = f[i];
	return kept;
}

static struct hs_calls_function *find(struct hs_calls_function *f, size_t n, const struct place *p)
{
	const struct hs_calls_function key = as_function(p);

	return bsearch(&key, f, n, sizeof(*f), by_start);
}

static void count_functions(const struct hs_calls *c, struct hs_calls_function *f, struct hs_calls_result *r)
{
	for (uint32_t i = 0; i < c->links.count; i++) {
		const struct entry *e = support_hash_item(&c->links, i);

		struct hs_calls_function *to = find(f, r->function_count, &e->to);

		to->calls += e->way == WAY_CALL ? e->count : 0;
		to->returns += e->way == WAY_RETURN ? e->count : 0;
		to->traps += e->way == WAY_TRAP ? e->count : 0;
	}
	for (size_t i = 0; i < r->function_count; i++) {
		r->calls += f[i].calls;
		r->returns += f[i].returns;
		r->traps += f[i].traps;
	}
}

/* Where a function is in the sorted list. */
static size_t rank_of(struct hs_calls *c, struct hs_calls_function *f, size_t n, const struct place *p)
{
	const struct hs_calls_function *sorted = bsearch(find(f, n, p), c->functions, n, sizeof(*f), most_called);

	return (size_t)(sorted - c->functions);
}

static void list_edges(struct hs_calls *c, struct hs_calls_function *f, struct hs_calls_result *r)
{
	for (uint32_t i = 0; i < c->links.count; i++) {
		const struct entry *e = support_hash_item(&c->links, i);

		if (e->way == WAY_CALL)
			c->edges[r->edge_count++] = (struct hs_calls_edge){
				rank_of(c, f, r->function_count, &e->from), rank_of(c, f, r->function_count, &e->to),
				e->count, e->inferred };
	}
	qsort(c->edges, r->edge_count, sizeof(*c->edges), most_frequent);
}

enum hs_status hs_calls_result(struct hs_calls *c, struct hs_calls_result *result)
{
	struct hs_calls_result r = { 0 };

	if (expand(c) != HS_OK)
		return HS_E_MEMORY;
	struct hs_calls_function *f = calloc(2 * c->links.count + 1, sizeof(*f));

	free(c->functions);
	free(c->edges);
	c->functions = calloc(2 * c->links.count + 1, sizeof(*f));
	c->edges = calloc(c->links.count + 1, sizeof(*c->edges));
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
