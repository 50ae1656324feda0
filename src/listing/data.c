/* Data accesses next to their instructions: they come in order, before the block of their
 * instruction, and each belongs to the next instruction of its hart that can have made it. */
#include <stdlib.h>
#include <string.h>

#include "core/access.h"
#include "listing/private.h"

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
	if (!hs_access_insn_makes_any(insn->bytes, insn->hwords))
		return NULL;
	for (size_t i = l->data_at; i < l->data_n; i++) {
		if (l->data[i].hart != l->select.hart)
			continue;
		if (!hs_access_insn_makes(insn->bytes, insn->hwords, &l->data[i].access))
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
