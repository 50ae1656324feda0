/* How often each instruction ran, and which way its branches went: distinct blocks are cut into
 * instructions (code.h). */
#include <stdlib.h>
#include <string.h>

#include "counts/code.h"
#include "guest/guest.h"
#include "program/program.h"

void counts_code_start(struct counts_code *t, const struct hs_counts_options *o)
{
	*t = (struct counts_code){ .guest = o->guest,
		                   .function = o->function,
		                   .inlined = o->inlined };
	t->rows.item_size = sizeof(struct hs_counts_insn);
}

void counts_code_end(struct counts_code *t)
{
	support_hash_free(&t->rows);
}

/* ---- rows ------------------------------------------------------------------------- */

static bool same_insn(const void *item, const void *key)
{
	const struct hs_counts_insn *a = item, *b = key;

	return a->addr == b->addr && a->program == b->program && a->label == b->label &&
	       a->hwords == b->hwords && memcmp(a->bytes, b->bytes, 2u * b->hwords) == 0;
}

static void copy_bytes(const struct hs_image *image, uint64_t addr, uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t left;
		const uint8_t *p = hs_img_bytes(image, addr + i, &left);

		bytes[i] = p ? *p : 0;
	}
}

static void find_source(const struct counts_code *t, const struct hs_guest_at *at,
                        struct hs_counts_insn *r)
{
	struct hs_guest_line line = { .file = NULL };
	struct hs_place place = { .file = NULL };

	if (hs_program_is_as_in_file(r->program, r->addr, &at->code))
		hs_program_find_place(r->program, r->addr, &place);
	r->source = place.file;
	r->line = place.line;
	if (place.inlined_count)
		r->inlined = place.inlined[place.inlined_count - 1].function;
	if (place.file || !t->guest || !hs_guest_find_line(t->guest, at, r->addr, &line))
		return;
	r->source = line.file;
	r->line = line.line;
}

/* Is the instruction in an inlined copy of @name, or of what was inlined into that? */
static bool is_of_copy(const struct hs_guest_at *at, struct hs_program *p, uint64_t addr,
                       const char *name)
{
	const size_t n = strlen(name);
	struct hs_place place = { .file = NULL };

	if (hs_program_is_as_in_file(p, addr, &at->code))
		hs_program_find_place(p, addr, &place);
	for (size_t i = 0; i < place.inlined_count; i++) {
		const char *one = place.inlined[i].function;

		if (strncmp(one, name, n) == 0 && (one[n] == '\0' || one[n] == '('))
			return true;
	}
	return false;
}

static bool is_wanted(const struct counts_code *t, struct hs_program *p)
{
	const struct hs_guest_place *f = &t->place;
	const struct hs_program_function named = { f->function, f->start, f->size, f->symbol,
		                                   f->file };

	return !t->function || (f->function && hs_program_is_name(p, &named, t->function)) ||
	       (f->label && strcmp(f->label, t->function) == 0);
}

/* The row of the instruction at an address, a new one if there is none; NULL: it is not wanted, or
 * there is no memory. */
static struct hs_counts_insn *take_insn(struct counts_code *t, const struct hs_profile_block *b,
                                        uint64_t addr, const struct hs_insn *insn)
{
	struct hs_guest_at at = *b->at;
	struct hs_counts_insn key = { .addr = addr,
		                      .program = b->program,
		                      .hwords = insn->hwords,
		                      .kind = insn->kind,
		                      .target = insn->target,
		                      .has_target = insn->kind >= HS_INSN_BRANCH &&
		                                    insn->kind <= HS_INSN_CALL };

	at.code.p = hs_img_bytes(b->image, addr, &at.code.n);
	hs_guest_name(t->guest, b->program, &at, addr, &t->place);
	if (!is_wanted(t, b->program) &&
	    !(t->inlined && is_of_copy(&at, b->program, addr, t->function)))
		return NULL;
	copy_bytes(b->image, addr, key.bytes, 2u * insn->hwords);
	key.label = t->place.label;
	const uint32_t hash = support_hash_of(addr, (uintptr_t)b->program);
	struct hs_counts_insn *row = support_hash_find(&t->rows, hash, same_insn, &key);

	if (row)
		return row;
	key.symbol = t->place.symbol;
	key.file = t->place.file;
	key.own_file = t->place.own;
	key.start = t->place.start;
	find_source(t, &at, &key);
	row = support_hash_add(&t->rows, hash);
	t->failed |= !row;
	if (row)
		*row = key;
	return row;
}

void counts_code_add(void *table, const struct hs_profile_block *b)
{
	struct counts_code *t = table;
	const uint64_t end = hs_block_end(b->block);
	struct hs_insn insn;

	for (uint64_t at = b->block->iaddr; at < end; at += 2u * insn.hwords) {
		if (hs_img_insn(b->image, at, &insn) != HS_OK || 2u * insn.hwords > end - at)
			return;
		struct hs_counts_insn *r = take_insn(t, b, at, &insn);
		const bool last = at + 2u * insn.hwords == end;

		if (!r)
			continue;
		r->count += b->count;
		r->taken += last && b->block->itype == HS_ITYPE_TAKEN ? b->count : 0;
		r->not_taken += last && b->block->itype == HS_ITYPE_NOT_TAKEN ? b->count : 0;
	}
}

/* ---- the result ------------------------------------------------------------------- */

static int by_address(const void *a, const void *b)
{
	const struct hs_counts_insn *x = a, *y = b;

	if (x->program != y->program)
		return (uintptr_t)x->program < (uintptr_t)y->program ? -1 : 1;
	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return memcmp(x->bytes, y->bytes, sizeof(x->bytes));
}

const struct hs_counts_insn *counts_code_sort(struct counts_code *t, size_t *count)
{
	if (t->rows.count && !t->sorted)
		qsort(t->rows.items, t->rows.count, sizeof(struct hs_counts_insn), by_address);
	t->sorted = true;
	*count = t->rows.count;
	return t->rows.items;
}
