/* Basic-block vectors for SimPoint: a line for each interval, "T:BLOCK:INSTRUCTIONS :...".
 *
 * Blocks are numbered from 1 as they come; a number stands for an address, a length and a program.
 * Interval number k ends with the block that retires the flow's instruction k * interval, so that
 * ends do not drift; instructions of all harts count. */
#include <stdlib.h>

#include "calls/exports_private.h"
#include "support/grow.h"

#define INTERVAL UINT64_C(100000000)

struct key {
	uint64_t iaddr;
	const struct hs_program *program;
	uint32_t iretire;
};

struct counted {
	struct key key;
	uint64_t instructions; /* in this interval */
};

struct vectors {
	struct support_hash blocks; /* of struct counted */
	uint32_t *met;              /* those of this interval */
	size_t met_count, met_room;
	uint64_t interval, end; /* end: of this interval, in instructions of the flow */
};

static enum hs_status begin(struct hs_export *x)
{
	struct vectors *v = calloc(1, sizeof(*v));

	if (!v)
		return HS_E_MEMORY;
	v->blocks.item_size = sizeof(struct counted);
	v->interval = v->end = x->o.interval ? x->o.interval : INTERVAL;
	x->own = v;
	return HS_OK;
}

static void free_vectors(struct hs_export *x)
{
	struct vectors *v = x->own;

	support_hash_free(&v->blocks);
	free(v->met);
	free(v);
}

static int by_number(const void *a, const void *b)
{
	const uint32_t m = *(const uint32_t *)a, n = *(const uint32_t *)b;

	return (m > n) - (m < n);
}

static void print_interval(struct hs_export *x, struct vectors *v)
{
	qsort(v->met, v->met_count, sizeof(*v->met), by_number);
	support_out_text(&x->out, "T");
	for (size_t i = 0; i < v->met_count; i++) {
		struct counted *c = support_hash_item(&v->blocks, v->met[i]);

		support_out_print(&x->out, ":%u:%llu ", v->met[i] + 1, (ull)c->instructions);
		c->instructions = 0;
	}
	support_out_text(&x->out, "\n");
	v->met_count = 0;
}

static bool same_key(const void *item, const void *key)
{
	const struct key *a = &((const struct counted *)item)->key, *b = key;

	return a->iaddr == b->iaddr && a->program == b->program && a->iretire == b->iretire;
}

static struct counted *find_block(struct hs_export *x, struct vectors *v, const struct hs_block *b)
{
	const struct key key = { b->iaddr, x->select.program, b->iretire };
	const uint32_t hash = support_hash_of(key.iaddr, (uintptr_t)key.program + key.iretire);
	struct counted *c = support_hash_find(&v->blocks, hash, same_key, &key);

	if (c)
		return c;
	c = support_hash_add(&v->blocks, hash);
	if (c)
		c->key = key;
	return c;
}

static enum hs_status add_block(struct hs_export *x, const struct hs_block *b)
{
	struct vectors *v = x->own;
	uint32_t n;
	const enum hs_status s = program_count_block(&x->counts, &x->select, b, &n);
	struct counted *c = s == HS_OK && n ? find_block(x, v, b) : NULL;

	if (!c)
		return s == HS_OK && !n ? HS_OK : HS_E_MEMORY; /* code that is not known */
	if (!c->instructions) {
		if (!support_grow(&v->met, &v->met_room, v->met_count + 1, sizeof(*v->met)))
			return HS_E_MEMORY;
		v->met[v->met_count++] = (uint32_t)(c - (struct counted *)v->blocks.items);
	}
	c->instructions += n;
	x->report.instructions += n;
	if (x->report.instructions >= v->end) {
		print_interval(x, v);
		v->end = (x->report.instructions / v->interval + 1) * v->interval;
	}
	return HS_OK;
}

static enum hs_status add_item(struct hs_export *x, const struct hs_block *b)
{
	return b->kind == HS_KIND_BLOCK ? add_block(x, b) : program_select_event(&x->select, b);
}

static enum hs_status end(struct hs_export *x)
{
	struct vectors *v = x->own;

	if (v->met_count)
		print_interval(x, v);
	return x->out.status;
}

const struct exports_format exports_bbv = {
	.begin = begin, .item = add_item, .end = end, .free = free_vectors
};
