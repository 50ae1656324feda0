/* Tallies (tally.h): counting. */
#include <stdlib.h>
#include <string.h>

#include "counts/tally.h"
#include "program/select.h"

#define NONE UINT32_MAX

/* ---- the object ------------------------------------------------------------------- */

enum hs_status hs_tally_new(const struct hs_program_set *programs, struct hs_tally **tally)
{
	struct hs_tally *t = calloc(1, sizeof(*t));

	if (!t)
		return HS_E_MEMORY;
	t->programs = programs && programs->count ? programs : NULL;
	t->entries.item_size = sizeof(struct tally_entry);
	t->harts.item_size = sizeof(struct hs_tally_hart);
	t->last = NONE;
	if (!tally_hart(t, 0)) {
		hs_tally_free(t);
		return HS_E_MEMORY;
	}
	*tally = t;
	return HS_OK;
}

void hs_tally_free(struct hs_tally *t)
{
	if (!t)
		return;
	support_hash_free(&t->entries);
	support_hash_free(&t->harts);
	free(t->lanes);
	free(t);
}

static bool same_hart(const void *item, const void *key)
{
	return ((const struct hs_tally_hart *)item)->number == *(const uint32_t *)key;
}

struct hs_tally_hart *tally_hart(struct hs_tally *t, uint32_t number)
{
	const uint32_t hash = support_hash_of(number, 0);
	struct hs_tally_hart *known = support_hash_find(&t->harts, hash, same_hart, &number);

	if (known)
		return known;
	struct tally_lane *lanes = realloc(t->lanes, (t->harts.count + 1u) * sizeof(*lanes));

	if (!lanes)
		return NULL;
	t->lanes = lanes;
	lanes[t->harts.count] = (struct tally_lane){ .flags = 0 };
	known = support_hash_add(&t->harts, hash);
	if (known)
		known->number = number;
	return known;
}

static struct hs_tally_hart *current_hart(const struct hs_tally *t)
{
	return support_hash_item(&t->harts, t->hart);
}

/* ---- entries ---------------------------------------------------------------------- */

static bool same_key(const void *item, const void *key)
{
	return memcmp(&((const struct tally_entry *)item)->key, key, sizeof(struct tally_key)) == 0;
}

static uint32_t hash_of(const struct tally_key *k)
{
	return support_hash_of(k->address ^ k->from << 17,
	                       k->shape ^ k->context << 5 ^ (uint64_t)k->hart << 41 ^ k->flags);
}

static struct tally_entry *entry_of(const struct hs_tally *t, uint64_t number)
{
	return support_hash_item(&t->entries, (uint32_t)number);
}

enum hs_status tally_count(struct hs_tally *t, const struct tally_key *key, uint64_t times)
{
	const uint32_t hash = hash_of(key);
	struct tally_entry *e = support_hash_find(&t->entries, hash, same_key, key);

	if (!e) {
		e = support_hash_add(&t->entries, hash);
		if (!e)
			return HS_E_MEMORY;
		e->key = *key;
		e->next = NONE;
	}
	e->count += times;
	const uint32_t number = (uint32_t)(e - entry_of(t, 0));

	if (t->last != NONE)
		entry_of(t, t->last)->next = number;
	t->last = number;
	return HS_OK;
}

/* The same once, where what came last time after the last entry is tried first. */
static inline enum hs_status count_one(struct hs_tally *t, const struct tally_key *key)
{
	const uint64_t guess = t->last == NONE ? NONE : entry_of(t, t->last)->next;

	if (guess == NONE || !same_key(entry_of(t, guess), key))
		return tally_count(t, key, 1);
	entry_of(t, guess)->count++;
	t->last = (uint32_t)guess;
	return HS_OK;
}

/* ---- items ------------------------------------------------------------------------ */

/* The second word of an item, with what is kept of it. */
static uint64_t shape_of(const struct hs_block *item, struct hs_block kept)
{
	uint64_t words[2], mask[2];

	memcpy(words, item, sizeof(words));
	memcpy(mask, &kept, sizeof(mask));
	return words[1] & mask[1];
}

struct hs_block tally_item(const struct tally_key *key)
{
	const uint64_t words[2] = { key->address, key->shape };
	struct hs_block b;

	memcpy(&b, words, sizeof(b));
	return b;
}

/* Is where such a block leads counted as a call, a return or a trap? */
static bool is_transfer(unsigned itype)
{
	const unsigned transfers = 1u << HS_ITYPE_EXCEPTION | 1u << HS_ITYPE_INTERRUPT |
	                           1u << HS_ITYPE_XRET | 1u << HS_ITYPE_CALL_UNINF |
	                           1u << HS_ITYPE_CALL_INF | 1u << HS_ITYPE_SWAP |
	                           1u << HS_ITYPE_RETURN;

	return transfers >> (itype & 15u) & 1u;
}

/* Then does it matter where it came from? */
static bool is_call(unsigned itype)
{
	return itype == HS_ITYPE_CALL_UNINF || itype == HS_ITYPE_CALL_INF || itype == HS_ITYPE_SWAP;
}

/* The block is the one before the next. */
static void leave_block(struct tally_lane *l, const struct hs_block *b)
{
	l->flags &= (uint8_t) ~(TALLY_FROM | TALLY_FROM_CONTEXT);
	if (!is_transfer(b->itype))
		return;
	l->flags |= TALLY_FROM;
	l->from_itype = b->itype;
	l->from = l->from_context = 0;
	if (!is_call(b->itype))
		return;
	l->from = hs_block_end(b) - 2u * (uint64_t)b->ilast;
	l->from_context = l->context;
	l->flags |= l->flags & TALLY_CONTEXT ? TALLY_FROM_CONTEXT : 0;
}

static enum hs_status add_block(struct hs_tally *t, const struct hs_block *b)
{
	static const struct hs_block kept = { .iretire = UINT32_MAX, .itype = 15, .priv = 7 };
	struct hs_tally_hart *h = current_hart(t);
	struct tally_lane *l = &t->lanes[t->hart];
	struct tally_key k = { .address = b->iaddr,
		               .shape = shape_of(b, kept),
		               .hart = h->number,
		               .flags = l->flags,
		               .context = l->context };

	if (k.flags & TALLY_FROM) {
		k.from = l->from;
		k.from_context = l->from_context;
		k.from_itype = l->from_itype;
	}
	leave_block(l, b);
	h->items++;
	h->traps = 0;
	return count_one(t, &k);
}

static bool has_program(const struct hs_tally *t, uint64_t context)
{
	if (!t->programs)
		return true;
	for (size_t i = 0; i < t->programs->count; i++)
		if (t->programs->contexts[i] == context)
			return true;
	return false;
}

/* What an event means to the items after it. */
static enum hs_status follow_event(struct hs_tally *t, const struct hs_block *b)
{
	struct tally_lane *l = &t->lanes[t->hart];

	if (b->kind == HS_KIND_SOURCE || b->kind == HS_KIND_TARGET || b->kind == HS_KIND_VERSION)
		return HS_E_UNSUPPORTED;
	if (b->kind == HS_KIND_HART) {
		const struct hs_tally_hart *h = tally_hart(t, b->arg);

		if (!h)
			return HS_E_MEMORY;
		t->hart = (uint32_t)(h - (struct hs_tally_hart *)t->harts.items);
	} else if (b->kind == HS_KIND_CONTEXT && b->arg == PROGRAM_SCONTEXT) {
		l->context = b->value;
		l->flags |= TALLY_CONTEXT;
		return has_program(t, b->value) ? HS_OK : HS_E_UNSUPPORTED;
	} else if (hs_event_breaks(b)) {
		l->flags &= (uint8_t) ~(TALLY_FROM | TALLY_FROM_CONTEXT);
	}
	return HS_OK;
}

/* What matters of an event where it is counted. */
static struct hs_block kept_of(const struct hs_block *b)
{
	struct hs_block kept = { .itype = UINT8_MAX, .kind = UINT8_MAX };

	if (b->kind == HS_KIND_CONTEXT || b->kind == HS_KIND_HART || b->kind == HS_KIND_UNSEEN ||
	    b->kind == HS_KIND_NOTE || b->kind == HS_KIND_GAP)
		kept.arg = UINT32_MAX;
	if (b->kind == HS_KIND_DATA) {
		kept.arg = UINT32_MAX << 16; /* without the access's number */
		kept.ilast = UINT8_MAX;
	}
	return kept;
}

static enum hs_status add_event(struct hs_tally *t, const struct hs_block *b)
{
	struct hs_tally_hart *h = current_hart(t);
	const struct tally_lane *l = &t->lanes[t->hart];
	struct tally_key k = { .shape = shape_of(b, kept_of(b)), .hart = h->number };

	if (b->kind == HS_KIND_CONTEXT) {
		k.address = b->value;
		if (!(l->flags & TALLY_CONTEXT) || l->context != b->value)
			k.flags = TALLY_CHANGE;
	}
	h->traps = b->kind == HS_KIND_GAP ? 0 : h->traps + (b->kind == HS_KIND_TRAP);
	h->items += b->kind == HS_KIND_GAP;
	const enum hs_status s = count_one(t, &k);

	return s == HS_OK ? follow_event(t, b) : s;
}

enum hs_status hs_tally_add(struct hs_tally *t, const struct hs_block *items, size_t n)
{
	enum hs_status s = HS_OK;

	for (size_t i = 0; i < n && s == HS_OK; i++)
		s = items[i].kind == HS_KIND_BLOCK ? add_block(t, &items[i])
		                                   : add_event(t, &items[i]);
	return s;
}

enum hs_status hs_tally_lead(struct hs_tally *t, const struct hs_block *items, size_t n)
{
	enum hs_status s = HS_OK;

	for (size_t i = 0; i < n && s == HS_OK; i++) {
		if (items[i].kind == HS_KIND_BLOCK)
			leave_block(&t->lanes[t->hart], &items[i]);
		else
			s = follow_event(t, &items[i]);
	}
	return s;
}

const struct hs_tally_hart *hs_tally_harts(const struct hs_tally *t, size_t *count)
{
	*count = t->harts.count;
	return t->harts.items;
}

uint64_t hs_tally_count(const struct hs_tally *t, unsigned kind)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < t->entries.count; i++)
		if (tally_item(&entry_of(t, i)->key).kind == kind)
			n += entry_of(t, i)->count;
	return n;
}
