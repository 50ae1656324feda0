/* Data accesses next to their instructions: they come in order, before the block of their
 * instruction, and each belongs to the next instruction of its hart that can have made it. */
#include <stdlib.h>
#include <string.h>

#include "listing/private.h"

/* What an instruction can access. */
enum access_class {
	CLASS_NONE, CLASS_LOAD, CLASS_STORE, CLASS_CONDITIONAL, CLASS_ATOMIC, CLASS_CSR
};

static enum access_class class_of_short(const uint8_t *bytes)
{
	const unsigned quadrant = bytes[0] & 3u, row = bytes[1] >> 5;

	if (quadrant == 1 || row == 0)
		return CLASS_NONE;
	if (row == 4) /* Zcb: c.lbu, c.lhu, c.lh, c.sb, c.sh */
		return quadrant == 2 ? CLASS_NONE : bytes[1] & 8 ? CLASS_STORE : CLASS_LOAD;
	return row < 4 ? CLASS_LOAD : CLASS_STORE;
}

static enum access_class class_of_amo(unsigned funct5)
{
	return funct5 == 2 ? CLASS_LOAD : funct5 == 3 ? CLASS_CONDITIONAL : CLASS_ATOMIC;
}

static enum access_class class_of(const struct listed_insn *i)
{
	const unsigned funct3 = i->bytes[1] >> 4 & 7u;

	if (i->hwords == 1)
		return class_of_short(i->bytes);
	switch (i->bytes[0] & 0x7fu) {
	case 0x03: case 0x07:
		return CLASS_LOAD;
	case 0x23: case 0x27:
		return CLASS_STORE;
	case 0x2f:
		return class_of_amo(i->bytes[3] >> 3);
	case 0x73:
		return funct3 & 3 ? CLASS_CSR : CLASS_NONE;
	default:
		return CLASS_NONE;
	}
}

static bool can_make(enum access_class class, const struct hs_access *a)
{
	switch (class) {
	case CLASS_LOAD:
		return a->type == HS_ACCESS_LOAD;
	case CLASS_STORE:
		return a->type == HS_ACCESS_STORE;
	case CLASS_CONDITIONAL:
		return a->type == HS_ACCESS_STORE || a->type == HS_ACCESS_SC_FAILED;
	case CLASS_ATOMIC:
		return hs_access_is_atomic(a->type) && a->type != HS_ACCESS_SC_FAILED;
	case CLASS_CSR:
		return hs_access_is_csr(a->type);
	default:
		return false;
	}
}

/* ---- the queue ---------------------------------------------------------------------- */

static enum hs_status grow(struct hs_listing *l)
{
	const size_t cap = l->data_cap ? 2 * l->data_cap : 64;
	struct listed_data *v = realloc(l->data, cap * sizeof(*v));

	if (!v)
		return HS_E_MEMORY;
	l->data = v;
	l->data_cap = cap;
	return HS_OK;
}

/* Join a response with its request.  One whose request was listed already is a line of its own. */
static enum hs_status add_response(struct hs_listing *l, const struct hs_access *a)
{
	for (size_t i = 0; i < l->data_n; i++) {
		struct hs_access *request = &l->data[i].access;

		if (l->data[i].hart != l->select.hart || request->id != a->id ||
		    request->phase != HS_ACCESS_REQUEST || request->type != a->type)
			continue;
		request->phase = HS_ACCESS_WHOLE;
		request->data = a->data;
		request->known |= a->known;
		return HS_OK;
	}
	const enum hs_status s = listing_room(l, LINE_MAX_);

	if (s == HS_OK && !l->o.function && l->seen >= l->o.skip)
		listing_format_of(l)->stray(l, a);
	return s;
}

enum hs_status listing_data_add(struct hs_listing *l, const struct hs_block *item)
{
	if (!hs_access_take(&l->access, item))
		return HS_OK;
	if (l->access.access.phase == HS_ACCESS_RESPONSE)
		return add_response(l, &l->access.access);
	if (l->data_n == l->data_cap && grow(l) != HS_OK)
		return HS_E_MEMORY;
	l->data[l->data_n++] = (struct listed_data){ l->access.access, l->select.hart };
	return HS_OK;
}

static void drop(struct hs_listing *l, size_t i)
{
	l->data_n--;
	memmove(&l->data[i], &l->data[i + 1], (l->data_n - i) * sizeof(*l->data));
}

const struct hs_access *listing_data_of(struct hs_listing *l, const struct listed_insn *insn)
{
	const enum access_class class = class_of(insn);

	if (class == CLASS_NONE)
		return NULL;
	for (size_t i = 0; i < l->data_n; i++) {
		if (l->data[i].hart != l->select.hart)
			continue;
		if (!can_make(class, &l->data[i].access))
			return NULL;
		l->shown = l->data[i].access;
		drop(l, i);
		return &l->shown;
	}
	return NULL;
}

enum hs_status listing_data_flush(struct hs_listing *l)
{
	const struct listing_format *f = listing_format_of(l);
	enum hs_status s = HS_OK;

	for (size_t i = 0; i < l->data_n && s == HS_OK; i++) {
		s = listing_room(l, LINE_MAX_);
		if (s == HS_OK && f->stray)
			f->stray(l, &l->data[i].access);
	}
	l->data_n = 0;
	return s;
}
