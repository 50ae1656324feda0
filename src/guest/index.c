/* Finding code in files: an index of what ran, by its first bytes and its place in a page, which a
 * mapping keeps.  Files are read once, from end to end. */
#include <stdlib.h>
#include <string.h>

#include "guest/private.h"

#define KEY_BYTES 8u
#define PAGE_MASK 0xfffu

struct piece_index {
	uint32_t *slots; /* 1 + number of a piece; 0: free */
	uint32_t mask;
};

static uint64_t key_of(const uint8_t *bytes, uint64_t addr)
{
	uint64_t word;

	memcpy(&word, bytes, sizeof(word));
	return word ^ (addr & PAGE_MASK) << 48;
}

static uint32_t slot_of(uint64_t key)
{
	return support_hash_of(key, 0);
}

static bool same_key(const struct guest_piece *p, uint64_t key, const uint8_t *bytes)
{
	return key_of(p->bytes, p->addr) == key && memcmp(p->bytes, bytes, KEY_BYTES) == 0;
}

static void add_to_index(const struct guest_evidence *e, struct piece_index *x, uint32_t number)
{
	struct guest_piece *p = guest_piece(e, number);
	const uint64_t key = key_of(p->bytes, p->addr);
	uint32_t i = slot_of(key) & x->mask;

	while (x->slots[i] && !same_key(guest_piece(e, x->slots[i] - 1), key, p->bytes))
		i = (i + 1) & x->mask;
	p->next = x->slots[i];
	x->slots[i] = number + 1;
}

static enum hs_status make_index(const struct guest_evidence *e, struct piece_index *x)
{
	uint32_t slots = 1024;

	while (slots < 4 * e->pieces.count)
		slots *= 2;
	*x = (struct piece_index){ calloc(slots, sizeof(*x->slots)), slots - 1 };
	if (!x->slots)
		return HS_E_MEMORY;
	for (uint32_t i = 0; i < e->pieces.count; i++)
		if (guest_piece(e, i)->size >= KEY_BYTES)
			add_to_index(e, x, i);
	return HS_OK;
}

static bool same_candidate(const void *item, const void *key)
{
	const struct guest_mapping *a = item, *b = key;

	return a->bias == b->bias && a->object == b->object && a->space == b->space;
}

static enum hs_status vote(struct support_hash *candidates, const struct guest_mapping *key)
{
	const uint32_t hash =
		support_hash_of(key->bias, (uint64_t)key->object << 32 | key->space);
	struct guest_mapping *m = support_hash_find(candidates, hash, same_candidate, key);

	if (!m) {
		m = support_hash_add(candidates, hash);
		if (!m)
			return HS_E_MEMORY;
		*m = *key;
	}
	m->votes++;
	return HS_OK;
}

/* May the file's code run in a space? */
static bool may_run(const struct guest_object *o, const struct guest_space *s)
{
	return !o->kernel || (s->class != CLASS_USER && s->class != CLASS_GUEST_USER);
}

/* A segment whose bytes are looked up. */
struct lookup {
	const struct guest_evidence *e;
	const struct piece_index *x;
	const struct guest_object *o;
	const struct guest_segment *s;
	uint32_t object; /* number of o */
};

/* All pieces whose first bytes are those at @at of a segment. */
static enum hs_status vote_for(const struct lookup *l, uint64_t at,
                               struct support_hash *candidates)
{
	const struct guest_evidence *e = l->e;
	const struct piece_index *x = l->x;
	const struct guest_segment *s = l->s;
	const uint64_t key = key_of(s->bytes + at, s->start + at);
	enum hs_status status = HS_OK;
	uint32_t i = slot_of(key) & x->mask;

	while (x->slots[i] && !same_key(guest_piece(e, x->slots[i] - 1), key, s->bytes + at))
		i = (i + 1) & x->mask;
	for (uint32_t n = x->slots[i]; n && status == HS_OK;) {
		const struct guest_piece *p = guest_piece(e, n - 1);

		if (may_run(l->o, guest_space(e, p->space)))
			status = vote(candidates, &(struct guest_mapping){
							.bias = p->addr - (s->start + at),
							.object = l->object, .space = p->space });
		n = p->next;
	}
	return status;
}

enum hs_status guest_find_candidates(const struct guest_evidence *e, const struct guest_objects *o,
                                     struct support_hash *candidates)
{
	struct piece_index x;
	enum hs_status status = make_index(e, &x);

	for (uint32_t i = 0; i < o->count; i++)
		for (size_t k = 0; k < o->items[i].segment_count; k++) {
			const struct guest_segment *s = &o->items[i].segments[k];
			if (o->items[i].module) /* sections.c places it */
				break;
			const struct lookup l = { e, &x, &o->items[i], s, i };

			for (uint64_t at = s->start & 1; at + KEY_BYTES <= s->size; at += 2)
				if (status == HS_OK)
					status = vote_for(&l, at, candidates);
		}
	free(x.slots);
	return status;
}
