/* Two runs after they parted: where both are next at the same code in the same frame. */
#include <stdlib.h>
#include <string.h>

#include "counts/runs.h"
#include "support/hash.h"

enum { ALIKE = 4 }; /* blocks in a row that make a place the same */

/* A row of ALIKE blocks, by what it is, and how many blocks before it. */
struct gram {
	uint64_t key, blocks;
};

/* One of the runs, read ahead.  Depths are of calls, from where they parted. */
struct scout {
	struct diff_run *run;
	size_t item;
	uint64_t blocks;
	int64_t depth, least;
	uint64_t keys[ALIKE]; /* of the last blocks, by their number */
	bool open[ALIKE];     /* they ran in a frame that was open where the runs parted */
	unsigned after_end;
	struct support_hash grams;
};

static bool same_gram(const void *item, const void *key)
{
	return ((const struct gram *)item)->key == *(const uint64_t *)key;
}

static uint64_t mix(uint64_t a, uint64_t b)
{
	a = (a ^ b) * UINT64_C(0x9e3779b97f4a7c15);
	return a ^ a >> 29;
}

/* What makes blocks the same: as for those that both have, and the frame. */
static uint64_t key_of(const struct scout *s, const struct hs_block *b)
{
	struct hs_guest_place name = { .label = NULL };
	uint64_t place = b->iaddr;

	diff_find_name(s->run, b->iaddr, b->priv, &name);
	if (name.label)
		place = mix(support_hash_text(name.label), name.offset);
	return mix(mix(place, (uint64_t)b->iretire << 8 | b->itype), (uint64_t)s->depth);
}

/* The next block of a run, or that it has ended.  False: there is nothing more of it. */
static bool scout_block(struct diff_pair *d, struct scout *s)
{
	const struct hs_block *b = diff_look_ahead(d, s->run, s->item);
	const unsigned at = s->blocks % ALIKE;

	while (b && b->kind != HS_KIND_BLOCK)
		b = diff_look_ahead(d, s->run, ++s->item);
	if (b) {
		s->item++;
		s->open[at] = s->depth <= s->least;
		s->least = s->open[at] ? s->depth : s->least;
		s->keys[at] = key_of(s, b);
		s->depth += diff_calls(b);
	} else if (++s->after_end < ALIKE) { /* that both end makes the blocks before it alike */
		s->open[at] = false;
		s->keys[at] = 1;
	} else {
		return false;
	}
	s->blocks++;
	return true;
}

/* The row that ends with the last block.  False: there is none of a frame that was open. */
static bool last_gram(const struct scout *s, uint64_t *key)
{
	*key = 0;
	for (unsigned i = 0; i < ALIKE; i++)
		*key = mix(*key, s->keys[(s->blocks + i) % ALIKE]);
	return s->blocks >= ALIKE && s->open[s->blocks % ALIKE];
}

/* Read a block of a run ahead; *blocks: how many each has before it, where the other one was there,
 * too. */
static bool scout(struct diff_pair *d, struct scout s[2], unsigned i, uint64_t blocks[2],
                  bool *more)
{
	uint64_t key;

	if (!scout_block(d, &s[i]))
		return false;
	*more = true;
	if (!last_gram(&s[i], &key))
		return false;
	const uint32_t hash = support_hash_of(key, 0);
	const struct gram *other = support_hash_find(&s[!i].grams, hash, same_gram, &key);

	if (other) {
		blocks[i] = s[i].blocks - ALIKE;
		blocks[!i] = other->blocks;
		return true;
	}
	if (!support_hash_find(&s[i].grams, hash, same_gram, &key)) {
		struct gram *own = support_hash_add(&s[i].grams, hash);

		if (own)
			*own = (struct gram){ key, s[i].blocks - ALIKE };
		else
			d->status = HS_E_MEMORY;
	}
	return false;
}

/* How many blocks each has before they come together; false: they do not. */
static bool find_together(struct diff_pair *d, uint64_t blocks[2])
{
	struct scout s[2];
	bool found = false, more = true;

	for (unsigned i = 0; i < 2; i++)
		s[i] = (struct scout){ .run = &d->run[i],
			               .depth = d->run[i].calls,
			               .grams = { .item_size = sizeof(struct gram) } };
	for (uint64_t n = 0; n < HS_DIFF_BLOCKS && more && !found && d->status == HS_OK; n++) {
		more = false;
		for (unsigned i = 0; i < 2 && !found; i++)
			found = scout(d, s, i, blocks, &more);
	}
	for (unsigned i = 0; i < 2; i++)
		support_hash_free(&s[i].grams);
	return found && d->status == HS_OK;
}

enum hs_status diff_find_together(struct diff_pair *d, struct hs_diff_together *out)
{
	uint64_t blocks[2] = { UINT64_MAX, UINT64_MAX };
	const struct hs_block *now = NULL;

	*out = (struct hs_diff_together){ .found = find_together(d, blocks) };
	for (unsigned i = 0; i < 2; i++) {
		struct diff_run *r = &d->run[i];

		for (uint64_t n = 0; n < blocks[i]; n++) {
			now = diff_peek(d, r);
			if (!now)
				break;
			r->own += diff_pass(d, r, now);
		}
		out->own[i] = r->own;
	}
	now = out->found ? diff_peek(d, &d->run[0]) : NULL;
	if (now)
		diff_find_place(&d->run[0], now->iaddr, now->priv, &out->place);
	return d->status;
}
