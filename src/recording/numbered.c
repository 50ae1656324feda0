/* Numbering the blocks of a flow on the thread that made them (recording.h, design/chunks). */
#include <stdlib.h>
#include <string.h>

#include "recording/numbered.h"
#include "recording/recording.h"
#include "support/grow.h"

enum hs_status hs_rec_numbers_new(struct hs_rec_numbers **numbers)
{
	struct hs_rec_numbers *k = calloc(1, sizeof(*k));

	if (k == NULL)
		return HS_E_MEMORY;
	if (!support_numbers_start(&k->all)) {
		hs_rec_numbers_free(k);
		return HS_E_MEMORY;
	}
	*numbers = k;
	return HS_OK;
}

void hs_rec_numbers_free(struct hs_rec_numbers *k)
{
	if (k == NULL)
		return;
	support_numbers_end(&k->all);
	for (unsigned i = 0; i < SUPPORT_NUMBERS_PIECES; i++)
		free(k->written[i]);
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

static bool add_event(struct hs_rec_numbered *p, const struct hs_block *b)
{
	if (!support_grow(&p->events, &p->event_cap, p->event_count + 1, sizeof(*p->events)))
		return false;
	p->events[p->event_count++] = *b;
	p->words[p->count++] = NUMBERED_EVENT;
	return true;
}

/* One item that is not among the latest blocks. */
static bool add_item(struct hs_rec_numbers *k, struct hs_rec_numbered *p, const struct hs_block *b)
{
	const uint32_t number =
		b->kind == HS_KIND_BLOCK ? support_numbers_find(&k->all, b) : SUPPORT_NUMBER_NONE;

	if (number == SUPPORT_NUMBER_NONE)
		return add_event(p, b);
	const uint32_t written = numbered_written(k, number);

	if (written != SUPPORT_NUMBER_NONE)
		support_recent_put(k->all.recent, b, written | NUMBERED_WRITTEN);
	p->words[p->count++] = written != SUPPORT_NUMBER_NONE ? written | NUMBERED_WRITTEN : number;
	return true;
}

/* Recent blocks get the writer's numbers. */
static void refresh(struct hs_rec_numbers *k)
{
	for (struct support_recent *r = k->all.recent; r != support_recent_end(k->all.recent);
	     r++) {
		const uint32_t written = r->number < NUMBERED_WRITTEN
		                                 ? numbered_written(k, r->number)
		                                 : SUPPORT_NUMBER_NONE;

		if (written != SUPPORT_NUMBER_NONE)
			r->number = written | NUMBERED_WRITTEN;
	}
}

enum hs_status hs_rec_number(struct hs_rec_numbers *k, struct hs_rec_numbered **piece,
                             const struct hs_block *blocks, size_t n)
{
	if (*piece == NULL)
		*piece = calloc(1, sizeof(**piece));
	struct hs_rec_numbered *p = *piece;

	if (p == NULL || !support_grow(&p->words, &p->cap, p->count + n, sizeof(*p->words)))
		return HS_E_MEMORY;

	if (p->count == 0 && __atomic_exchange_n(&k->stale, false, __ATOMIC_RELAXED))
		refresh(k);
	for (size_t i = 0; i < n;) {
		const size_t recent =
			support_recent_find(k->all.recent, blocks + i, n - i, p->words + p->count);

		p->count += recent;
		i += recent;
		if (recent == 0 && !add_item(k, p, &blocks[i++]))
			return HS_E_MEMORY;
	}
	return HS_OK;
}
