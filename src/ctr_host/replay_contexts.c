/* What the supervisor does with the records at a change of context (design/contexts). */
#include <stdlib.h>
#include <string.h>

#include "ctr_host/replay_private.h"

#define CONTEXTS_MAX 65536u

/* The records of a context that does not run. */
struct replay_context {
	uint64_t context;
	uint8_t wrptr;
	bool wrap, known; /* @known: of HS_KIND_CONTEXT; else before the first one */
	struct hs_ctr_entry entries[HS_CTR_ENTRIES]; /* at their physical places */
};

static struct replay_context *find_context(const struct replay_track *t, bool known,
                                           uint64_t number)
{
	for (size_t i = 0; i < t->context_count; i++)
		if (t->contexts[i]->known == known && t->contexts[i]->context == number)
			return t->contexts[i];
	return NULL;
}

static struct replay_context *add_context(struct replay_track *t, bool known, uint64_t number)
{
	struct replay_context **more, *c;

	if (t->context_count == CONTEXTS_MAX)
		return NULL;
	more = realloc(t->contexts, (t->context_count + 1) * sizeof(struct replay_context *));
	if (!more)
		return NULL;
	t->contexts = more;
	c = calloc(1, sizeof(*c));
	if (!c)
		return NULL;
	c->known = known;
	c->context = number;
	t->contexts[t->context_count++] = c;
	return c;
}

static struct replay_context *get_context(struct replay_track *t, bool known, uint64_t number)
{
	struct replay_context *c = find_context(t, known, number);

	return c ? c : add_context(t, known, number);
}

static void store_records(struct replay_context *to, const struct hs_ctr *c)
{
	memcpy(to->entries, c->entries, sizeof(c->entries));
	to->wrptr = c->wrptr;
	to->wrap = c->wrap;
}

static void load_records(struct hs_ctr *c, const struct replay_context *from)
{
	memcpy(c->entries, from->entries, sizeof(c->entries));
	c->wrptr = from->wrptr & (uint8_t)(hs_ctr_depth(c) - 1);
	c->wrap = from->wrap;
}

static void clear_records(struct hs_ctr *c)
{
	memset(c->entries, 0, sizeof(c->entries));
	c->wrptr = 0;
	c->wrap = false;
}

enum hs_status replay_switch(const struct hs_ctr_replay *r, struct replay_track *t)
{
	const struct hs_ctr_replay_hart *h = &t->hart;

	if (!t->switches)
		return HS_OK;
	t->switches = false;
	if (r->settings.contexts == HS_CTR_CONTEXTS_SWAP) {
		struct replay_context *from = get_context(t, t->had_context, t->from_context);
		const struct replay_context *to = get_context(t, h->has_context, h->context);

		if (!from || !to)
			return HS_E_MEMORY;
		store_records(from, &h->ctr);
		load_records(&t->hart.ctr, to);
	} else {
		clear_records(&t->hart.ctr);
	}
	hs_ctr_invalidate_cc(&t->hart.ctr);
	return HS_OK;
}

void replay_free_contexts(struct replay_track *t)
{
	for (size_t i = 0; i < t->context_count; i++)
		free(t->contexts[i]);
	free(t->contexts);
}
