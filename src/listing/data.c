/* Data accesses next to their instructions: they come in order, before the block of their
 * instruction, and each belongs to the next instruction of its hart that can have made it. */
#include <stdlib.h>
#include <string.h>

#include "listing/private.h"

/* What an instruction can access. */
enum access_class {
	CLASS_NONE, CLASS_LOAD, CLASS_STORE, CLASS_CONDITIONAL, CLASS_ATOMIC, CLASS_CSR
};

struct ability {
	uint8_t class;
	uint8_t type;  /* enum hs_access_type of an atomic or a CSR access */
	int8_t size;   /* of a load or store; -1: not looked at */
	uint16_t csr;
};

static struct ability ability(enum access_class class, int size)
{
	return (struct ability){ .class = (uint8_t)class, .size = (int8_t)size };
}

static struct ability of_short(const uint8_t *bytes)
{
	const unsigned quadrant = bytes[0] & 3u, row = bytes[1] >> 5;

	if (quadrant == 1 || row == 0)
		return ability(CLASS_NONE, -1);
	if (row == 4) /* Zcb: c.lbu, c.lhu, c.lh, c.sb, c.sh */
		return ability(quadrant == 2 ? CLASS_NONE : bytes[1] & 8 ? CLASS_STORE : CLASS_LOAD,
		               -1);
	return ability(row < 4 ? CLASS_LOAD : CLASS_STORE, row % 4 == 2 ? 2 : -1);
}

/* ADD, SWAP and so on by funct5; Zacas has no type. */
static struct ability of_amo(unsigned funct5, int size)
{
	static const uint8_t types[8] = { HS_ACCESS_ADD, HS_ACCESS_XOR, HS_ACCESS_OR, HS_ACCESS_AND,
		HS_ACCESS_MIN, HS_ACCESS_MAX, HS_ACCESS_MIN, HS_ACCESS_MAX };
	struct ability a = ability(funct5 == 2   ? CLASS_LOAD
	                           : funct5 == 3 ? CLASS_CONDITIONAL
	                           : funct5 == 5 ? CLASS_NONE
	                                         : CLASS_ATOMIC, size);

	a.type = funct5 == 1 ? HS_ACCESS_SWAP : types[funct5 >> 2];
	return a;
}

static struct ability of_system(const uint8_t *bytes, unsigned funct3)
{
	struct ability a = ability(funct3 & 3 ? CLASS_CSR : CLASS_NONE, -1);

	a.type = (uint8_t)(HS_ACCESS_CSR_RW + (funct3 & 3) - 1);
	a.csr = (uint16_t)(bytes[2] >> 4 | bytes[3] << 4);
	return a;
}

static struct ability ability_of(const struct listed_insn *i)
{
	const unsigned funct3 = i->bytes[1] >> 4 & 7u;

	if (i->hwords == 1)
		return of_short(i->bytes);
	switch (i->bytes[0] & 0x7fu) {
	case 0x03:
		return ability(CLASS_LOAD, funct3 & 3);
	case 0x23:
		return ability(CLASS_STORE, funct3 & 3);
	case 0x07: /* vectors, too */
		return ability(CLASS_LOAD, -1);
	case 0x27:
		return ability(CLASS_STORE, -1);
	case 0x2f:
		return of_amo(i->bytes[3] >> 3, funct3 & 3);
	case 0x73:
		return of_system(i->bytes, funct3);
	default:
		return ability(CLASS_NONE, -1);
	}
}

static bool can_make(struct ability can, const struct hs_access *a)
{
	if (can.size >= 0 && a->size != can.size)
		return false;
	switch ((enum access_class)can.class) {
	case CLASS_LOAD:
		return a->type == HS_ACCESS_LOAD;
	case CLASS_STORE:
		return a->type == HS_ACCESS_STORE;
	case CLASS_CONDITIONAL:
		return a->type == HS_ACCESS_STORE || a->type == HS_ACCESS_SC_FAILED;
	case CLASS_ATOMIC:
		return a->type == can.type;
	case CLASS_CSR:
		return a->type == can.type &&
		       (!(a->known & HS_ACCESS_HAS_ADDRESS) || a->address == can.csr);
	default:
		return false;
	}
}

/* ---- the queue ---------------------------------------------------------------------- */

/* Most accesses that wait: some traces report accesses long before their instructions. */
#define DATA_MAX ((size_t)1 << 16)

/* Make room for one more, at the end. */
static enum hs_status grow(struct hs_listing *l)
{
	if (l->data_at > 0) {
		l->data_n -= l->data_at;
		memmove(l->data, l->data + l->data_at, l->data_n * sizeof(*l->data));
		l->data_at = 0;
	}
	if (l->data_n == DATA_MAX)
		return listing_data_flush(l);
	if (l->data_n < l->data_cap)
		return HS_OK;

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
	for (size_t i = l->data_at; i < l->data_n; i++) {
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
	if (i == l->data_at) {
		l->data_at++;
		return;
	}
	l->data_n--;
	memmove(&l->data[i], &l->data[i + 1], (l->data_n - i) * sizeof(*l->data));
}

const struct hs_access *listing_data_of(struct hs_listing *l, const struct listed_insn *insn)
{
	const struct ability can = ability_of(insn);

	if (can.class == CLASS_NONE)
		return NULL;
	for (size_t i = l->data_at; i < l->data_n; i++) {
		if (l->data[i].hart != l->select.hart)
			continue;
		if (!can_make(can, &l->data[i].access))
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

	for (size_t i = l->data_at; i < l->data_n && s == HS_OK; i++) {
		s = listing_room(l, LINE_MAX_);
		if (s == HS_OK && f->stray)
			f->stray(l, &l->data[i].access);
	}
	l->data_n = l->data_at = 0;
	return s;
}
