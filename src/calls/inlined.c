/* Runs of instructions of inlined functions (inlined.h).  What a block has is found once. */
#include <stdlib.h>
#include <string.h>

#include "calls/inlined.h"
#include "program/block_count.h"
#include "program/line_at.h"
#include "support/grow.h"

#define RECENT_BITS 14u

/* ---- what a block has ------------------------------------------------------------------- */

static bool same_name(const void *item, const void *key)
{
	return strcmp(*(const char *const *)item, key) == 0;
}

/* Names that are equal become one.  NULL: no memory. */
static const char *one_of(struct calls_inlined *t, const char *name)
{
	const uint32_t hash = support_hash_text(name);
	const char **known = support_hash_find(&t->names, hash, same_name, name);

	if (known)
		return *known;
	known = support_hash_add(&t->names, hash);
	if (known)
		*known = name;
	return known ? *known : NULL;
}

/* An instruction of a block in @function, of its parts the next one. */
static enum hs_status add_part(struct calls_inlined *t, struct inlined_block *k,
                               const char *function)
{
	struct inlined_part *last = k->count ? &t->parts[k->first + k->count - 1] : NULL;

	if (last && last->function == function) {
		last->instructions++;
		return HS_OK;
	}
	if (!support_grow(&t->parts, &t->part_room, t->part_count + 1, sizeof(*t->parts)))
		return HS_E_MEMORY;
	t->parts[t->part_count++] = (struct inlined_part){ function, 1 };
	k->count++;
	return HS_OK;
}

/* The parts of a block whose code is that of the file. */
static enum hs_status find_parts(struct calls_inlined *t, const struct program_select *select,
                                 const struct hs_block *b, struct inlined_block *k)
{
	const struct hs_image *image = program_select_image(select);
	const uint64_t end = hs_block_end(b);
	enum hs_status s = HS_OK;
	struct hs_insn insn = { .hwords = 1 };
	bool any = false;

	k->first = (uint32_t)t->part_count;
	for (uint64_t at = b->iaddr; at < end && s == HS_OK; at += 2u * insn.hwords) {
		size_t n;
		const struct hs_program_inlined *v = program_inlined_at(select->program, at, &n);
		const char *name = n ? one_of(t, v[n - 1].function) : NULL;

		any |= n;
		s = n && !name ? HS_E_MEMORY : hs_img_insn(image, at, &insn);
		s = s == HS_OK ? add_part(t, k, name) : s;
	}
	if (!any) {
		t->part_count = k->first;
		k->count = 0;
	}
	return s;
}

static bool same_block(const void *item, const void *key)
{
	const struct inlined_block *a = item, *b = key;

	return a->iaddr == b->iaddr && a->iretire == b->iretire && a->number == b->number &&
	       a->program == b->program;
}

static enum hs_status find_block(struct calls_inlined *t, const struct program_select *select,
                                 const struct hs_block *b, struct inlined_block *k)
{
	*k = (struct inlined_block){ .program = select->program,
		                     .iaddr = b->iaddr,
		                     .iretire = b->iretire };
	if (program_select_number(select, b->iaddr, 2u * (uint64_t)b->iretire, &k->number) != HS_OK)
		return HS_E_MEMORY;
	const uint32_t hash = support_hash_of(k->iaddr ^ k->number << 40, k->iretire);
	const struct inlined_block *known = support_hash_find(&t->blocks, hash, same_block, k);

	if (known) {
		*k = *known;
		return HS_OK;
	}
	k->instructions = program_count_instructions(program_select_image(select), b);
	if (k->instructions && !k->number && find_parts(t, select, b, k) != HS_OK)
		return HS_E_MEMORY;
	struct inlined_block *kept = support_hash_add(&t->blocks, hash);

	if (!kept)
		return HS_E_MEMORY;
	*kept = *k;
	return HS_OK;
}

/* The same, from those of which each place has the last.  NULL: no memory. */
static const struct inlined_block *know_block(struct calls_inlined *t,
                                              const struct program_select *select,
                                              const struct hs_block *b)
{
	const uint64_t hash =
		(b->iaddr ^ (uint64_t)b->iretire << 40) * UINT64_C(0x9e3779b97f4a7c15);

	if (select->view)
		return find_block(t, select, b, &t->changed) == HS_OK ? &t->changed : NULL;
	if (!t->recent)
		t->recent = calloc((size_t)1 << RECENT_BITS, sizeof(*t->recent));
	if (!t->recent)
		return NULL;
	struct inlined_block *recent = &t->recent[hash >> (64 - RECENT_BITS)];

	if (recent->iaddr == b->iaddr && recent->iretire == b->iretire &&
	    recent->program == select->program)
		return recent;
	return find_block(t, select, b, recent) == HS_OK ? recent : NULL;
}

/* ---- runs --------------------------------------------------------------------------------- */

void calls_inlined_end(const struct calls_inlined *t, struct inlined_open *open)
{
	if (open->function)
		t->each(t->to, &(struct hs_inlined_run){ .start = open->start,
		                                         .end = open->end,
		                                         .function = open->function,
		                                         .depth = open->depth,
		                                         .hart = open->hart,
		                                         .mode = open->mode });
	open->function = NULL;
}

enum hs_status calls_inlined_block(struct calls_inlined *t, const struct program_select *select,
                                   const struct hs_block *b, struct inlined_open *open,
                                   uint64_t *at)
{
	const struct inlined_block *k = know_block(t, select, b);

	if (!k)
		return HS_E_MEMORY;
	if (!k->count) {
		calls_inlined_end(t, open);
		*at += k->instructions;
	}
	for (uint32_t i = 0; i < k->count; i++) {
		const struct inlined_part *p = &t->parts[k->first + i];

		if (p->function != open->function) {
			calls_inlined_end(t, open);
			open->function = p->function;
			open->start = *at;
			open->mode = b->priv;
		}
		*at += p->instructions;
		open->end = *at;
	}
	return HS_OK;
}

void calls_inlined_free(struct calls_inlined *t)
{
	free(t->recent);
	free(t->parts);
	support_hash_free(&t->blocks);
	support_hash_free(&t->names);
}
