/* Numbering the blocks of a flow on the thread that made them (recording.h, ADR-0209). */
#include <stdlib.h>
#include <string.h>

#include "recording/numbered.h"

enum hs_status hs_rec_numbers_new(struct hs_rec_numbers **numbers)
{
	struct hs_rec_numbers *k = calloc(1, sizeof(*k));

	if (k == NULL)
		return HS_E_MEMORY;
	k->blocks.item_size = sizeof(struct hs_block);
	k->recent = rec_recent_new();
	if (k->recent == NULL) {
		free(k);
		return HS_E_MEMORY;
	}
	*numbers = k;
	return HS_OK;
}

void hs_rec_numbers_free(struct hs_rec_numbers *k)
{
	if (k == NULL)
		return;
	for (unsigned i = 0; i < NUMBERED_PIECES; i++)
		free(k->pieces[i]);
	support_hash_free(&k->blocks);
	free(k->recent);
	free(k->written);
	free(k);
}

void hs_rec_numbered_clear(struct hs_rec_numbered *p)
{
	p->count = p->event_count = 0;
}

void hs_rec_numbered_free(struct hs_rec_numbered *p)
{
	if (p == NULL)
		return;
	free(p->words);
	free(p->events);
	free(p);
}

/* Keep a block where the writer finds it.  NUMBERED_NONE: there is no room. */
static uint32_t add_block(struct hs_rec_numbers *k, const struct hs_block *b, uint32_t hash)
{
	const uint32_t number = k->blocks.count, piece = number / NUMBERED_PIECE;

	if (piece == NUMBERED_PIECES)
		return NUMBERED_NONE;
	if (k->pieces[piece] == NULL)
		k->pieces[piece] = malloc(NUMBERED_PIECE * sizeof(*b));
	struct hs_block *known = k->pieces[piece] ? support_hash_add(&k->blocks, hash) : NULL;

	if (known == NULL)
		return NUMBERED_NONE;
	*known = k->pieces[piece][number % NUMBERED_PIECE] = *b;
	return number;
}

static uint32_t number_of(struct hs_rec_numbers *k, const struct hs_block *b)
{
	const uint32_t hash = rec_hash_block(b);
	const struct hs_block *known = support_hash_find(&k->blocks, hash, rec_same_block, b);

	return known != NULL ? (uint32_t)(known - (const struct hs_block *)k->blocks.items)
	                     : add_block(k, b, hash);
}

/* Room for @n words more. */
static bool make_room(struct hs_rec_numbered *p, size_t n)
{
	const size_t cap = p->cap >= p->count + n ? p->cap : 2 * p->cap + n;
	uint32_t *more = cap == p->cap ? p->words : reallocarray(p->words, cap, sizeof(*more));

	if (more == NULL)
		return false;
	p->words = more;
	p->cap = cap;
	return true;
}

static bool add_event(struct hs_rec_numbered *p, const struct hs_block *b)
{
	if (p->event_count == p->event_cap) {
		const size_t cap = 2 * p->event_cap + 64;
		struct hs_block *more = reallocarray(p->events, cap, sizeof(*more));

		if (more == NULL)
			return false;
		p->events = more;
		p->event_cap = cap;
	}
	p->events[p->event_count++] = *b;
	p->words[p->count++] = NUMBERED_EVENT;
	return true;
}

/* One item that is not among the latest blocks. */
static bool add_item(struct hs_rec_numbers *k, struct hs_rec_numbered *p, const struct hs_block *b)
{
	const uint32_t number = b->kind == HS_KIND_BLOCK ? number_of(k, b) : NUMBERED_NONE;

	if (number == NUMBERED_NONE)
		return add_event(p, b);
	rec_recent_put(k->recent, b, number);
	p->words[p->count++] = number;
	return true;
}

enum hs_status hs_rec_number(struct hs_rec_numbers *k, struct hs_rec_numbered **piece,
                             const struct hs_block *blocks, size_t n)
{
	if (*piece == NULL)
		*piece = calloc(1, sizeof(**piece));
	if (*piece == NULL || !make_room(*piece, n))
		return HS_E_MEMORY;
	struct hs_rec_numbered *p = *piece;

	for (size_t i = 0; i < n;) {
		const size_t recent =
			rec_recent_find(k->recent, blocks + i, n - i, p->words + p->count);

		p->count += recent;
		i += recent;
		if (recent == 0 && !add_item(k, p, &blocks[i++]))
			return HS_E_MEMORY;
	}
	return HS_OK;
}
