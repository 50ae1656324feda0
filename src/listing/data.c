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

/* Loads store nothing, nor do those that failed. */
static bool writes(const struct hs_access *a)
{
	return hs_access_is_store(a->type) ||
	       (hs_access_is_atomic(a->type) && a->type != HS_ACCESS_CAS_FAILED &&
	        a->type != HS_ACCESS_SC_FAILED);
}

bool listing_data_is_wanted(const struct hs_listing *l, const struct hs_access *a)
{
	return writes(a) && (a->known & HS_ACCESS_HAS_ADDRESS) &&
	       (a->address - l->o.written < l->o.written_size ||
	        l->o.written - a->address < UINT64_C(1) << a->size);
}

/* One whose instruction is not known. */
static void list_stray(struct hs_listing *l, const struct hs_access *a)
{
	if (!l->format->stray || (l->o.written_size && !listing_data_is_wanted(l, a)))
		return;
	if (!l->o.written_size || l->seen++ >= l->o.skip)
		l->format->stray(l, a);
}

#define LISTED UINT32_MAX /* no hart: the access was listed */

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

	if (s == HS_OK && !l->o.function && (l->o.written_size || l->seen >= l->o.skip))
		list_stray(l, a);
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

static void show(struct hs_listing *l, size_t i)
{
	l->data.shown[l->data.shown_n++] = l->data.items[i].access;
}

/* ---- several of one instruction ------------------------------------------------------ */

/* Those of an instruction that makes several are set aside until it retires: others may come in
 * between, where it trapped and was resumed (RHTI Multi-memory-access Instructions). */
static bool is_set_aside(const struct hs_access *a)
{
	return a->type == HS_ACCESS_MULTI_LOAD || a->type == HS_ACCESS_MULTI_STORE;
}

/* Items that one instruction may have made. */
struct several {
	size_t item[LISTING_SHOWN];
	unsigned n;
};

/* Does @b go on where @a ended, up or down? */
static bool is_next(const struct several *s, const struct hs_listing *l, const struct hs_access *b)
{
	const struct hs_access *a = &l->data.items[s->item[s->n - 1]].access;
	const uint64_t step = b->address - a->address, size = UINT64_C(1) << a->size;

	if (!(a->known & b->known & HS_ACCESS_HAS_ADDRESS))
		return true;
	if (a->size != b->size || (step != size && step != -size))
		return false;
	return s->n < 2 || step == a->address - l->data.items[s->item[s->n - 2]].access.address;
}

/* One of several that the instruction makes? */
static bool makes_several(const struct listed_insn *insn, const struct hs_access *a)
{
	return is_set_aside(a) && hs_access_insn_makes(insn->bytes, insn->hwords, a);
}

/* The first run of @wanted accesses at addresses that follow each other: what is before it, of the
 * same instruction, trapped, and was repeated.  0: all up to another access. */
static void find_run(const struct hs_listing *l, const struct listed_insn *insn, unsigned wanted,
                     struct several *s)
{
	s->n = 0;
	for (size_t i = l->data.at; i < l->data.n && s->n < LISTING_SHOWN; i++) {
		const struct listed_data *d = &l->data.items[i];

		if (d->hart != l->select.hart)
			continue;
		if (!makes_several(insn, &d->access)) {
			if (!wanted && s->n)
				return;
			continue;
		}
		if (wanted && s->n && !is_next(s, l, &d->access))
			s->n = 0;
		s->item[s->n++] = i;
		if (s->n == wanted)
			return;
	}
	if (wanted) /* not all of them are known */
		s->n = 0;
}

/* Is it one of those in the run, made before the instruction trapped? */
static bool is_repeated(const struct hs_listing *l, const struct several *s,
                        const struct hs_access *a)
{
	for (unsigned i = 0; i < s->n; i++) {
		const struct hs_access *b = &l->data.items[s->item[i]].access;

		if (a->type == b->type && a->size == b->size && a->address == b->address &&
		    (a->known & HS_ACCESS_HAS_ADDRESS))
			return true;
	}
	return false;
}

static bool show_several(struct hs_listing *l, const struct listed_insn *insn)
{
	const unsigned wanted = hs_access_insn_count(insn->bytes, insn->hwords);
	struct several run;

	find_run(l, insn, wanted, &run);
	const size_t first = run.n ? run.item[0] : 0;

	for (size_t i = l->data.at; i < first && l->data.shown_n + run.n < LISTING_SHOWN; i++)
		if (l->data.items[i].hart == l->select.hart &&
		    is_repeated(l, &run, &l->data.items[i].access)) {
			show(l, i);
			l->data.items[i].hart = LISTED;
		}
	for (unsigned i = 0; i < run.n && l->data.shown_n < LISTING_SHOWN; i++) {
		show(l, run.item[i]);
		l->data.items[run.item[i]].hart = LISTED;
	}
	return run.n != 0;
}

/* Leave out what was listed. */
static void drop_listed(struct hs_listing *l)
{
	size_t n = l->data.at;

	for (size_t i = l->data.at; i < l->data.n; i++)
		if (l->data.items[i].hart != LISTED)
			l->data.items[n++] = l->data.items[i];
	l->data.n = n;
}

const struct hs_access *listing_data_of(struct hs_listing *l, const struct listed_insn *insn)
{
	l->data.shown_n = 0;
	if (!hs_access_insn_makes_any(insn->bytes, insn->hwords))
		return NULL;
	for (size_t i = l->data.at; i < l->data.n; i++) {
		const struct listed_data *d = &l->data.items[i];

		if (d->hart != l->select.hart)
			continue;
		if (is_set_aside(&d->access)) {
			if (!makes_several(insn, &d->access) || !show_several(l, insn))
				continue;
			drop_listed(l);
			return l->data.shown;
		}
		if (!hs_access_insn_makes(insn->bytes, insn->hwords, &d->access))
			return NULL;
		show(l, i);
		drop(l, i);
		return l->data.shown;
	}
	return NULL;
}

enum hs_status listing_data_flush(struct hs_listing *l)
{
	enum hs_status s = HS_OK;

	for (size_t i = l->data.at; i < l->data.n && s == HS_OK; i++) {
		s = listing_room(l, LINE_MAX_);
		if (s == HS_OK)
			list_stray(l, &l->data.items[i].access);
	}
	l->data.n = l->data.at = 0;
	return s;
}
