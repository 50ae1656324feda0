/* Instructions by address (insns.h). */
#include <stdlib.h>
#include <string.h>

#include "common/insns.h"

/* ---- the table -------------------------------------------------------------------------- */

static size_t slot_of(const struct insn_table *t, uint64_t addr)
{
	return (size_t)((addr >> 1) * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (t->slot_count - 1);
}

static void put_slot(struct insn_table *t, uint32_t row)
{
	size_t i = slot_of(t, t->rows[row].addr);

	while (t->slots[i])
		i = (i + 1) & (t->slot_count - 1);
	t->slots[i] = row + 1;
}

static bool make_room(struct insn_table *t)
{
	const size_t room = t->room ? 2 * t->room : 1024;

	if (t->count < t->room)
		return true;
	struct insn_row *rows = realloc(t->rows, room * sizeof(*rows));
	uint32_t *slots = rows ? calloc(2 * room, sizeof(*slots)) : NULL;

	if (rows)
		t->rows = rows;
	if (!slots)
		return false;
	free(t->slots);
	t->slots = slots;
	t->slot_count = 2 * room;
	t->room = room;
	for (size_t i = 0; i < t->count; i++)
		put_slot(t, (uint32_t)i);
	return true;
}

static struct insn_row *find_row(const struct insn_table *t, const struct insn_row *key)
{
	for (size_t i = slot_of(t, key->addr); t->slots[i]; i = (i + 1) & (t->slot_count - 1)) {
		struct insn_row *r = &t->rows[t->slots[i] - 1];

		if (r->addr == key->addr && r->program == key->program && r->label == key->label &&
		    r->hwords == key->hwords && memcmp(r->bytes, key->bytes, 2u * key->hwords) == 0)
			return r;
	}
	return NULL;
}

/* ---- instructions ----------------------------------------------------------------------- */

static void copy_bytes(const struct hs_image *image, uint64_t addr, uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t left;
		const uint8_t *p = hs_img_bytes(image, addr + i, &left);

		bytes[i] = p ? *p : 0;
	}
}

static void find_source(const struct insn_table *t, const struct hs_guest_at *at,
                        struct insn_row *r)
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

static bool is_wanted(const struct insn_table *t, struct hs_program *p)
{
	const struct hs_guest_place *f = &t->place;
	const struct hs_program_function named = { f->function, f->start, f->size, f->symbol,
		                                   f->file };

	return !t->function || (f->function && hs_program_is_name(p, &named, t->function)) ||
	       (f->label && strcmp(f->label, t->function) == 0);
}

/* The function at an address is not the one that is wanted; may its name be? */
static void guess_name(struct insn_table *t)
{
	if (!t->place.function || t->place.function == t->tried)
		return;
	t->tried = t->place.function;
	t->guess.wanted = t->function;
	guess_try(&t->guess, t->tried);
}

/* The instruction at an address, a new row where it is the first time; NULL: it is not wanted, or
 * there is no memory. */
static struct insn_row *take_insn(struct insn_table *t, const struct hs_profile_block *b,
                                  uint64_t addr, const struct hs_insn *insn)
{
	struct hs_guest_at at = *b->at;
	struct insn_row key = { .addr = addr,
		                .program = b->program,
		                .hwords = insn->hwords,
		                .kind = insn->kind,
		                .target = insn->target,
		                .has_target = insn->kind >= HS_INSN_BRANCH &&
		                              insn->kind <= HS_INSN_CALL };

	at.code.p = hs_img_bytes(b->image, addr, &at.code.n);
	hs_guest_name(t->guest, b->program, &at, addr, &t->place);
	if (!is_wanted(t, b->program)) {
		guess_name(t);
		return NULL;
	}
	copy_bytes(b->image, addr, key.bytes, 2u * insn->hwords);
	key.label = t->place.label;
	if (!make_room(t)) {
		t->failed = true;
		return NULL;
	}
	struct insn_row *known = find_row(t, &key);

	if (known)
		return known;
	key.symbol = t->place.symbol;
	key.file = t->place.file;
	key.own_file = t->place.own;
	key.start = t->place.start;
	find_source(t, &at, &key);
	t->rows[t->count] = key;
	put_slot(t, (uint32_t)t->count);
	return &t->rows[t->count++];
}

void insns_add(void *table, const struct hs_profile_block *b)
{
	struct insn_table *t = table;
	const uint64_t end = hs_block_end(b->block);
	struct hs_insn insn;

	for (uint64_t at = b->block->iaddr; at < end; at += 2u * insn.hwords) {
		if (hs_img_insn(b->image, at, &insn) != HS_OK || 2u * insn.hwords > end - at)
			return;
		struct insn_row *r = take_insn(t, b, at, &insn);
		const bool last = at + 2u * insn.hwords == end;

		if (!r)
			continue;
		r->count += b->count;
		r->taken += last && b->block->itype == HS_ITYPE_TAKEN ? b->count : 0;
		r->not_taken += last && b->block->itype == HS_ITYPE_NOT_TAKEN ? b->count : 0;
	}
}

static int by_address(const void *a, const void *b)
{
	const struct insn_row *x = a, *y = b;

	if (x->program != y->program)
		return (uintptr_t)x->program < (uintptr_t)y->program ? -1 : 1;
	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return memcmp(x->bytes, y->bytes, sizeof(x->bytes));
}

void insns_sort(struct insn_table *t)
{
	if (t->count)
		qsort(t->rows, t->count, sizeof(*t->rows), by_address);
}

void insns_free(struct insn_table *t)
{
	free(t->rows);
	free(t->slots);
}
