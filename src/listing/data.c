/* Data accesses next to their instructions: they come in order, before the block of their
 * instruction, and each belongs to the next instruction of its hart that can have made it. */
#include <stdlib.h>
#include <string.h>

#include "core/access.h"
#include "listing/private.h"
#include "support/grow.h"

/* ---- the queue ---------------------------------------------------------------------- */

/* Most accesses that wait: some traces report accesses long before their instructions. */
#define DATA_MAX ((size_t)1 << 16)

/* Make room for one more, at the end. */
static enum hs_status grow(struct hs_listing *l)
{
	if (l->data.at > 0) {
		l->data.n -= l->data.at;
		memmove(l->data.items, l->data.items + l->data.at,
		        l->data.n * sizeof(*l->data.items));
		l->data.at = 0;
	}
	if (l->data.n == DATA_MAX)
		return listing_data_flush(l);
	return support_grow(&l->data.items, &l->data.cap, l->data.n + 1, sizeof(*l->data.items))
	               ? HS_OK
	               : HS_E_MEMORY;
}

/* Join a response with its request.  One whose request was listed already is a line of its own. */
static enum hs_status add_response(struct hs_listing *l, const struct hs_access *a)
{
	for (size_t i = l->data.at; i < l->data.n; i++) {
		struct hs_access *request = &l->data.items[i].access;

		if (l->data.items[i].hart != l->select.hart || request->id != a->id ||
		    request->phase != HS_ACCESS_REQUEST || request->type != a->type)
			continue;
		request->phase = HS_ACCESS_WHOLE;
		request->data = a->data;
		request->known |= a->known;
		return HS_OK;
	}
	const enum hs_status s = listing_room(l, LINE_MAX_);

	if (s == HS_OK && !l->o.function && l->seen >= l->o.skip)
		l->format->stray(l, a);
	return s;
}

enum hs_status listing_data_add(struct hs_listing *l, const struct hs_block *item)
{
	if (!hs_access_take(&l->data.reader, item))
		return HS_OK;
	if (l->data.reader.access.phase == HS_ACCESS_RESPONSE)
		return add_response(l, &l->data.reader.access);
	if (l->data.n == l->data.cap && grow(l) != HS_OK)
		return HS_E_MEMORY;
	l->data.items[l->data.n++] = (struct listed_data){ l->data.reader.access, l->select.hart };
	return HS_OK;
}

static void drop(struct hs_listing *l, size_t i)
{
	if (i == l->data.at) {
		l->data.at++;
		return;
	}
	l->data.n--;
	memmove(&l->data.items[i], &l->data.items[i + 1], (l->data.n - i) * sizeof(*l->data.items));
}

const struct hs_access *listing_data_of(struct hs_listing *l, const struct listed_insn *insn)
{
	if (!hs_access_insn_makes_any(insn->bytes, insn->hwords))
		return NULL;
	for (size_t i = l->data.at; i < l->data.n; i++) {
		if (l->data.items[i].hart != l->select.hart)
			continue;
		if (!hs_access_insn_makes(insn->bytes, insn->hwords, &l->data.items[i].access))
			return NULL;
		l->data.shown = l->data.items[i].access;
		drop(l, i);
		return &l->data.shown;
	}
	return NULL;
}

enum hs_status listing_data_flush(struct hs_listing *l)
{
	const struct listing_format *f = l->format;
	enum hs_status s = HS_OK;

	for (size_t i = l->data.at; i < l->data.n && s == HS_OK; i++) {
		s = listing_room(l, LINE_MAX_);
		if (s == HS_OK && f->stray)
			f->stray(l, &l->data.items[i].access);
	}
	l->data.n = l->data.at = 0;
	return s;
}
