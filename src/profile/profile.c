/* Counting blocks, then expanding them to instructions and functions. */
#include <stdlib.h>
#include <string.h>

#include <hartscope/profile.h>

#include "program/select.h"
#include "support/hash.h"

/* Distinct blocks held at once (48 bytes each); then they are expanded and dropped, so
 * that a hostile stream of ever new blocks does not take all memory. */
#define BLOCKS_MAX (1u << 20)

struct counted {
	uint64_t iaddr;
	struct hs_program *program;
	uint32_t iretire;
	uint64_t count;
};

struct hs_profile {
	struct program_select select;
	struct support_hash blocks;    /* of struct counted */
	struct support_hash functions; /* of struct hs_profile_function */
	struct hs_profile_function *sorted;
	struct hs_profile_totals totals;
};

enum hs_status hs_profile_new(struct hs_program *program, const struct hs_program_set *programs,
                              struct hs_profile **profile)
{
	struct hs_profile *p = calloc(1, sizeof(*p));

	if (!p)
		return HS_E_MEMORY;
	p->blocks.item_size = sizeof(struct counted);
	p->functions.item_size = sizeof(struct hs_profile_function);
	program_select_start(&p->select, program, programs);
	if (program_select_hart(&p->select, 0) != HS_OK) {
		hs_profile_free(p);
		return HS_E_MEMORY;
	}
	*profile = p;
	return HS_OK;
}

void hs_profile_free(struct hs_profile *p)
{
	if (!p)
		return;
	program_select_end(&p->select);
	support_hash_free(&p->blocks);
	support_hash_free(&p->functions);
	free(p->sorted);
	free(p);
}

/* ---- functions ---------------------------------------------------------------- */

static bool same_function(const void *item, const void *key)
{
	const struct hs_profile_function *a = item, *b = key;

	return a->start == b->start && a->name == b->name;
}

static enum hs_status count_function(struct hs_profile *p, const char *name, uint64_t start,
                                     uint64_t instructions, uint64_t entries)
{
	const struct hs_profile_function key = { .name = name, .start = start };
	const uint32_t hash = support_hash_of(start, name != NULL);
	struct hs_profile_function *f = support_hash_find(&p->functions, hash, same_function, &key);

	if (!f) {
		f = support_hash_add(&p->functions, hash);
		if (!f)
			return HS_E_MEMORY;
		*f = key;
	}
	f->instructions += instructions;
	f->entries += entries;
	return HS_OK;
}

/* ---- blocks ------------------------------------------------------------------- */

/* Instructions that begin in [addr, to) of a block that ends at @end; moves *addr past them.
 * It stops early where code is missing. */
static uint64_t instructions_in(const struct hs_image *image, uint64_t *addr, uint64_t to,
                                uint64_t end)
{
	uint64_t n = 0;

	while (*addr < to) {
		struct hs_insn insn;

		if (hs_img_insn(image, *addr, &insn) != HS_OK || 2u * insn.hwords > end - *addr)
			break;
		*addr += 2u * insn.hwords;
		n++;
	}
	return n;
}

/* A block is cut where the function changes: the end of one falls into the next. */
static enum hs_status expand(struct hs_profile *p, const struct counted *c)
{
	const struct hs_image *image = hs_program_image(c->program);
	const uint64_t end = c->iaddr + 2u * (uint64_t)c->iretire;
	uint64_t at = c->iaddr;

	while (at < end) {
		struct hs_program_function f;
		const uint64_t from = at;
		uint64_t to = end;

		if (hs_program_find_function(c->program, at, &f) && f.size - (at - f.start) < end - at)
			to = f.start + f.size;
		const uint64_t n = instructions_in(image, &at, to, end);

		p->totals.instructions += n * c->count;
		if (n && count_function(p, f.name, f.start, n * c->count,
		                        from == f.start && from == c->iaddr ? c->count : 0) != HS_OK)
			return HS_E_MEMORY;
		if (at < to) {
			p->totals.unmapped += c->count;
			break;
		}
	}
	return HS_OK;
}

static enum hs_status expand_all(struct hs_profile *p)
{
	const struct counted *blocks = p->blocks.items;

	for (uint32_t i = 0; i < p->blocks.count; i++)
		if (expand(p, &blocks[i]) != HS_OK)
			return HS_E_MEMORY;
	p->totals.distinct += p->blocks.count;
	support_hash_clear(&p->blocks);
	return HS_OK;
}

static bool same_block(const void *item, const void *key)
{
	const struct counted *a = item, *b = key;

	return a->iaddr == b->iaddr && a->iretire == b->iretire && a->program == b->program;
}

static enum hs_status count_block(struct hs_profile *p, const struct hs_block *b)
{
	const struct counted key = { b->iaddr, p->select.program, b->iretire, 1 };
	const uint32_t hash = support_hash_of(b->iaddr, b->iretire);

	p->totals.blocks++;
	p->totals.itypes[b->itype & 15u]++;
	p->totals.halfwords += b->iretire;
	if (!b->iretire)
		return HS_OK;
	struct counted *c = support_hash_find(&p->blocks, hash, same_block, &key);

	if (c) {
		c->count++;
		return HS_OK;
	}
	if (p->blocks.count == BLOCKS_MAX && expand_all(p) != HS_OK)
		return HS_E_MEMORY;
	c = support_hash_add(&p->blocks, hash);
	if (!c)
		return HS_E_MEMORY;
	*c = key;
	return HS_OK;
}

enum hs_status hs_profile_add(struct hs_profile *p, const struct hs_block *blocks, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (blocks[i].kind != HS_KIND_BLOCK)
			p->totals.events[blocks[i].kind & 15u]++;
		if ((blocks[i].kind == HS_KIND_BLOCK ? count_block(p, &blocks[i])
		                                     : program_select_event(&p->select, &blocks[i])) != HS_OK)
			return HS_E_MEMORY;
	}
	return HS_OK;
}

static int hottest_first(const void *a, const void *b)
{
	const struct hs_profile_function *x = a, *y = b;

	if (x->instructions != y->instructions)
		return x->instructions > y->instructions ? -1 : 1;
	return (x->start > y->start) - (x->start < y->start);
}

enum hs_status hs_profile_result(struct hs_profile *p, struct hs_profile_totals *totals,
                                 const struct hs_profile_function **functions, size_t *count)
{
	size_t n;

	if (expand_all(p) != HS_OK)
		return HS_E_MEMORY;
	n = p->functions.count;
	free(p->sorted);
	p->sorted = calloc(n + 1, sizeof(*p->sorted));
	if (!p->sorted)
		return HS_E_MEMORY;
	if (n)
		memcpy(p->sorted, p->functions.items, n * sizeof(*p->sorted));
	qsort(p->sorted, n, sizeof(*p->sorted), hottest_first);
	*totals = p->totals;
	*functions = p->sorted;
	*count = n;
	return HS_OK;
}
