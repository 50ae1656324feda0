/* Counting blocks, then expanding them to instructions and functions. */
#include <stdlib.h>
#include <string.h>

#include <hartscope/profile.h>

#include "program/select.h"

/* Distinct blocks held at once (32 bytes each); then they are expanded and dropped, so
 * that a hostile stream of ever new blocks does not take all memory. */
#define BLOCKS_MAX (1u << 21)

struct counted {
	uint64_t iaddr;
	struct hs_program *program;
	uint32_t iretire; /* 0: the slot is free */
	uint64_t count;
};

struct hs_profile {
	struct program_select select;
	struct counted *blocks;
	size_t used, slots; /* slots is a power of two */
	struct hs_profile_function *functions; /* a table by start while counting */
	size_t function_used, function_slots;
	struct hs_profile_function *sorted;
	struct hs_profile_totals totals;
};

static size_t hash_of(uint64_t a, uint64_t b, size_t slots)
{
	return (size_t)(((a ^ b << 40) * 0x9e3779b97f4a7c15ull) >> 32) & (slots - 1);
}

enum hs_status hs_profile_new(struct hs_program *program, const struct hs_program_set *programs,
                              struct hs_profile **profile)
{
	struct hs_profile *p = calloc(1, sizeof(*p));

	if (!p)
		return HS_E_MEMORY;
	p->slots = 1u << 12;
	p->function_slots = 1u << 10;
	p->blocks = calloc(p->slots, sizeof(*p->blocks));
	p->functions = calloc(p->function_slots, sizeof(*p->functions));
	if (!p->blocks || !p->functions ||
	    program_select_start(&p->select, program, programs) != HS_OK) {
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
	free(p->blocks);
	free(p->functions);
	free(p->sorted);
	free(p);
}

/* ---- functions ---------------------------------------------------------------- */

static bool free_function(const struct hs_profile_function *f)
{
	return !f->instructions && !f->entries;
}

static struct hs_profile_function *function_slot(struct hs_profile *p, const char *name,
                                                 uint64_t start)
{
	size_t i = hash_of(start, name != NULL, p->function_slots);

	while (!free_function(&p->functions[i]) &&
	       (p->functions[i].start != start || p->functions[i].name != name))
		i = (i + 1) & (p->function_slots - 1);
	return &p->functions[i];
}

static enum hs_status grow_functions(struct hs_profile *p)
{
	struct hs_profile_function *old = p->functions;
	const size_t slots = p->function_slots;

	p->functions = calloc(2 * slots, sizeof(*old));
	if (!p->functions) {
		p->functions = old;
		return HS_E_MEMORY;
	}
	p->function_slots = 2 * slots;
	for (size_t i = 0; i < slots; i++)
		if (!free_function(&old[i]))
			*function_slot(p, old[i].name, old[i].start) = old[i];
	free(old);
	return HS_OK;
}

static enum hs_status count_function(struct hs_profile *p, const char *name, uint64_t start,
                                     uint64_t instructions, uint64_t entries)
{
	if (2 * p->function_used >= p->function_slots && grow_functions(p) != HS_OK)
		return HS_E_MEMORY;
	struct hs_profile_function *f = function_slot(p, name, start);

	if (free_function(f))
		p->function_used++;
	f->name = name;
	f->start = start;
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
		uint64_t start = 0, size = 0, to = end;
		const uint64_t from = at;
		const char *name = NULL;

		if (hs_program_function(c->program, at, &start, &size, &name) &&
		    size - (at - start) < end - at)
			to = start + size;
		const uint64_t n = instructions_in(image, &at, to, end);

		p->totals.instructions += n * c->count;
		if (n && count_function(p, name, start, n * c->count,
		                        from == start && from == c->iaddr ? c->count : 0) != HS_OK)
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
	for (size_t i = 0; i < p->slots && p->used; i++) {
		if (!p->blocks[i].iretire)
			continue;
		if (expand(p, &p->blocks[i]) != HS_OK)
			return HS_E_MEMORY;
		p->blocks[i].iretire = 0;
		p->totals.distinct++;
		p->used--;
	}
	return HS_OK;
}

static struct counted *block_slot(struct hs_profile *p, const struct hs_program *program,
                                  uint64_t iaddr, uint32_t iretire)
{
	size_t i = hash_of(iaddr, iretire, p->slots);

	while (p->blocks[i].iretire &&
	       (p->blocks[i].iaddr != iaddr || p->blocks[i].iretire != iretire ||
	        p->blocks[i].program != program))
		i = (i + 1) & (p->slots - 1);
	return &p->blocks[i];
}

static enum hs_status grow_blocks(struct hs_profile *p)
{
	struct counted *old = p->blocks;
	const size_t slots = p->slots;

	if (slots >= BLOCKS_MAX)
		return expand_all(p);
	p->blocks = calloc(2 * slots, sizeof(*old));
	if (!p->blocks) {
		p->blocks = old;
		return HS_E_MEMORY;
	}
	p->slots = 2 * slots;
	for (size_t i = 0; i < slots; i++)
		if (old[i].iretire)
			*block_slot(p, old[i].program, old[i].iaddr, old[i].iretire) = old[i];
	free(old);
	return HS_OK;
}

static enum hs_status count_block(struct hs_profile *p, const struct hs_block *b)
{
	p->totals.blocks++;
	p->totals.itypes[b->itype & 15u]++;
	p->totals.halfwords += b->iretire;
	if (!b->iretire)
		return HS_OK;
	struct hs_program *program = p->select.program;
	struct counted *c = block_slot(p, program, b->iaddr, b->iretire);

	if (c->iretire) {
		c->count++;
		return HS_OK;
	}
	if (2 * (p->used + 1) > p->slots) {
		if (grow_blocks(p) != HS_OK)
			return HS_E_MEMORY;
		c = block_slot(p, program, b->iaddr, b->iretire);
	}
	*c = (struct counted){ b->iaddr, program, b->iretire, 1 };
	p->used++;
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
	size_t n = 0;

	if (expand_all(p) != HS_OK)
		return HS_E_MEMORY;
	free(p->sorted);
	p->sorted = calloc(p->function_used + 1, sizeof(*p->sorted));
	if (!p->sorted)
		return HS_E_MEMORY;
	for (size_t i = 0; i < p->function_slots; i++)
		if (!free_function(&p->functions[i]))
			p->sorted[n++] = p->functions[i];
	qsort(p->sorted, n, sizeof(*p->sorted), hottest_first);
	*totals = p->totals;
	*functions = p->sorted;
	*count = n;
	return HS_OK;
}
