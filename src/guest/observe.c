/* The code that ran, as evidence (evidence.h). */
#include <stdlib.h>
#include <string.h>

#include "core/search.h"
#include "guest/private.h"

#define PIECES_MAX (1u << 21) /* a hostile flow of ever new blocks does not take all memory */
#define PIECE_BYTES_MAX 4096u /* of a longer block only the start */
#define CHUNK_BYTES ((size_t)1 << 20)

struct guest_chunk {
	struct guest_chunk *next;
	size_t used;
	uint8_t bytes[CHUNK_BYTES];
};

/* A hart, and the code as it sees it. */
struct guest_hart {
	struct guest_hart *next;
	uint32_t number;
	bool has_context, call; /* the last block called */
	bool has_moment, asked; /* who runs, since the context or moment changed */
	uint64_t context, moment;
	struct hs_image image;  /* with changes; count 0: there are none */
	struct hs_section *sections;
	uint8_t *view;
};

/* ---- spaces ----------------------------------------------------------------------------- */

enum guest_class guest_class_of(uint8_t priv, uint64_t addr)
{
	switch (priv) {
	case HS_PRIV_U: return CLASS_USER;
	case HS_PRIV_S: return CLASS_KERNEL;
	case HS_PRIV_VU: return CLASS_GUEST_USER;
	case HS_PRIV_VS: return CLASS_GUEST_KERNEL;
	case HS_PRIV_M: case HS_PRIV_D: return CLASS_MACHINE;
	default: return addr >> 63 ? CLASS_KERNEL : CLASS_USER;
	}
}

static bool is_user(enum guest_class class)
{
	return class == CLASS_USER || class == CLASS_GUEST_USER;
}

static bool same_space(const void *item, const void *key)
{
	const struct guest_space *a = item, *b = key;

	return a->context == b->context && a->class == b->class && a->has_context == b->has_context;
}

static struct guest_space space_key(enum guest_class class, bool has_context, uint64_t context)
{
	const bool own = has_context && is_user(class);

	return (struct guest_space){ .context = own ? context : 0, .class = class,
		                     .has_context = own };
}

static uint32_t hash_of_space(const struct guest_space *key)
{
	return support_hash_of(key->context, 2 * key->class + key->has_context);
}

struct guest_space *guest_find_space(const struct guest_evidence *e, enum guest_class class,
                                     const struct hs_guest_at *at)
{
	const struct guest_space key = space_key(class, at->has_context, at->context);

	return support_hash_find(&e->spaces, hash_of_space(&key), same_space, &key);
}

/* 1 + the number of a space, a new one if there is none; 0 without memory. */
static uint32_t enter_space(struct guest_evidence *e, const struct guest_space *key)
{
	const uint32_t hash = hash_of_space(key);
	struct guest_space *s = support_hash_find(&e->spaces, hash, same_space, key);

	if (!s) {
		s = support_hash_add(&e->spaces, hash);
		if (s)
			*s = *key;
	}
	return s ? 1 + (uint32_t)(s - guest_space(e, 0)) : 0;
}

/* ---- harts ------------------------------------------------------------------------------ */

static enum hs_status select_hart(struct guest_evidence *e, uint32_t number)
{
	struct guest_hart *h = e->harts;

	while (h && h->number != number)
		h = h->next;
	if (!h) {
		h = calloc(1, sizeof(*h));
		if (!h)
			return HS_E_MEMORY;
		h->number = number;
		h->next = e->harts;
		e->harts = h;
	}
	e->hart = h;
	return HS_OK;
}

/* A copy of the code that the hart's changes can be written to. */
static enum hs_status copy_image(struct guest_hart *h, const struct hs_image *image)
{
	uint64_t size = 0;

	for (size_t i = 0; i < image->count; i++)
		size += image->sections[i].size;
	h->sections = calloc(image->count, sizeof(*h->sections));
	h->view = malloc(size);
	if (!h->sections || !h->view)
		return HS_E_MEMORY;
	h->image = *image;
	h->image.sections = h->sections;
	size = 0;
	for (size_t i = 0; i < image->count; i++) {
		h->sections[i] = image->sections[i];
		h->sections[i].bytes = h->view + size;
		memcpy(h->view + size, image->sections[i].bytes, image->sections[i].size);
		size += image->sections[i].size;
	}
	return HS_OK;
}

static enum hs_status change_code(struct guest_evidence *e, const struct hs_guest_code *code,
                                  uint32_t number)
{
	struct guest_hart *h = e->hart;
	struct hs_section to;
	size_t n;

	if (!code->image || !code->image->count || !code->version ||
	    code->version(code->from, number, &to) != HS_OK)
		return HS_OK;
	if (!h->image.count && copy_image(h, code->image) != HS_OK)
		return HS_E_MEMORY;
	const uint8_t *at = hs_img_bytes(&h->image, to.start, &n);

	if (at)
		memcpy(h->view + (at - h->view), to.bytes, n < to.size ? n : to.size);
	/* blocks that reach into its pages begin in them or in the one before */
	for (uint64_t page = (to.start >> 12) - 1; page <= (to.start + to.size) >> 12; page++)
		e->ages[page % SEEN_PAGES]++;
	return HS_OK;
}

/* ---- pieces ----------------------------------------------------------------------------- */

static const uint8_t *keep_bytes(struct guest_evidence *e, const uint8_t *bytes, size_t n)
{
	struct guest_chunk *c = e->chunks;

	if (!c || CHUNK_BYTES - c->used < n) {
		c = malloc(sizeof(*c));
		if (!c)
			return NULL;
		c->used = 0;
		c->next = e->chunks;
		e->chunks = c;
	}
	memcpy(c->bytes + c->used, bytes, n);
	c->used += n;
	return c->bytes + c->used - n;
}

static bool same_piece(const void *item, const void *key)
{
	const struct guest_piece *a = item, *b = key;

	return a->addr == b->addr && a->space == b->space && a->size == b->size &&
	       memcmp(a->bytes, b->bytes, a->size) == 0;
}

static enum hs_status add_piece(struct guest_evidence *e, const struct guest_piece *key)
{
	const uint32_t hash = support_hash_of(key->addr, (uint64_t)key->space << 32 | key->size);
	struct guest_piece *p = support_hash_find(&e->pieces, hash, same_piece, key);

	if (!p && e->pieces.count == PIECES_MAX) {
		e->full = true;
		return HS_OK;
	}
	if (!p) {
		const uint8_t *bytes = keep_bytes(e, key->bytes, key->size);

		p = bytes ? support_hash_add(&e->pieces, hash) : NULL;
		if (!p)
			return HS_E_MEMORY;
		*p = *key;
		p->bytes = bytes;
		p->seen = e->pieces.count;
	}
	p->called |= key->called;
	return HS_OK;
}

/* The code that the current context has. */
static const struct hs_image *image_of(const struct guest_evidence *e,
                                       const struct hs_guest_code *code)
{
	const struct hs_image_set *set = code->contexts;

	if (e->hart->image.count)
		return &e->hart->image;
	for (size_t i = 0; set && e->hart->has_context && i < set->count; i++)
		if (set->contexts[i] == e->hart->context)
			return &set->images[i];
	return code->image;
}

/* A block that was not seen lately. */
static enum hs_status see_block(struct guest_evidence *e, const struct hs_guest_code *code,
                                const struct hs_block *b, uint32_t space)
{
	const struct hs_image *image = image_of(e, code);
	size_t n = 0;
	const uint8_t *bytes = image ? hs_img_bytes(image, b->iaddr, &n) : NULL;
	const size_t size = b->iretire < PIECE_BYTES_MAX / 2 ? 2u * b->iretire : PIECE_BYTES_MAX;

	if (!bytes || !size)
		return HS_OK;
	return add_piece(e, &(struct guest_piece){ .addr = b->iaddr, .bytes = bytes, .space = space,
	                                           .size = (uint32_t)(n < size ? n : size),
	                                           .called = e->hart->call });
}

static enum hs_status take_block(struct guest_evidence *e, const struct hs_guest_code *code,
                                 const struct hs_block *b)
{
	struct guest_hart *h = e->hart;
	const struct guest_space key =
		space_key(guest_class_of(b->priv, b->iaddr), h->has_context, h->context);
	/* the space's number is looked up for blocks that are new only */
	const uint32_t shape = b->iretire << 4 | key.class << 1 | h->call;
	const uint32_t context = support_hash_of(key.context, key.has_context);
	struct guest_seen *slot =
		&e->seen[support_hash_of(b->iaddr, shape ^ (uint64_t)context << 20) % SEEN_SLOTS];
	const uint32_t age = e->ages[(b->iaddr >> 12) % SEEN_PAGES];
	enum hs_status status = HS_OK;

	if (slot->addr != b->iaddr || slot->shape != shape || slot->space != context ||
	    slot->age != age) {
		const uint32_t space = enter_space(e, &key);

		status = space ? see_block(e, code, b, space - 1) : HS_E_MEMORY;
		*slot = (struct guest_seen){ b->iaddr, context, shape, age };
	}
	h->call = b->itype == HS_ITYPE_CALL_INF || b->itype == HS_ITYPE_CALL_UNINF;
	return status;
}

#define SCONTEXT 2u /* FORMAT of a mode alone is 0, of a virtual machine 3 (NT Table 12) */

/* ---- items ------------------------------------------------------------------------------ */

static enum hs_status take_item(struct guest_evidence *e, const struct hs_guest_code *code,
                                const struct hs_block *b)
{
	switch (b->kind) {
	case HS_KIND_BLOCK: return take_block(e, code, b);
	case HS_KIND_HART: return select_hart(e, b->arg);
	case HS_KIND_TIME:
		e->hart->moment = b->value;
		e->hart->has_moment = true;
		e->hart->asked = false;
		return HS_OK;
	case HS_KIND_VERSION: return change_code(e, code, b->arg);
	case HS_KIND_CONTEXT:
		if (b->arg != SCONTEXT)
			return HS_OK;
		e->hart->context = b->value;
		e->hart->has_context = true;
		e->hart->asked = false;
		return HS_OK;
	case HS_KIND_GAP: case HS_KIND_TRAP: case HS_KIND_NOTE: case HS_KIND_STOP:
		e->hart->call = false;
		return HS_OK;
	default: return HS_OK;
	}
}

static enum hs_status start(struct guest_evidence *e)
{
	e->spaces.item_size = sizeof(struct guest_space);
	e->pieces.item_size = sizeof(struct guest_piece);
	e->seen = calloc(SEEN_SLOTS, sizeof(*e->seen));
	e->ages = calloc(SEEN_PAGES, sizeof(*e->ages));
	if (e->ages) /* not what an empty slot has */
		memset(e->ages, 1, SEEN_PAGES * sizeof(*e->ages));
	return e->seen && e->ages ? select_hart(e, 0) : HS_E_MEMORY;
}

/* Who runs in the context of a block of user mode, by the switches. */
static enum hs_status ask_who(struct hs_guest *g, const struct hs_block *b)
{
	struct guest_hart *h = g->evidence.hart;

	if (h->asked || !h->has_context || !h->has_moment ||
	    !is_user(guest_class_of(b->priv, b->iaddr)))
		return HS_OK;
	h->asked = true;
	return guest_vote_for(g, h->number, h->moment, h->context);
}

enum hs_status hs_guest_observe(struct hs_guest *g, const struct hs_guest_code *code,
                                const struct hs_block *items, size_t n)
{
	struct guest_evidence *e = &g->evidence;
	enum hs_status status = e->hart ? HS_OK : start(e);

	if (status == HS_OK)
		guest_settle_threads(g);
	for (size_t i = 0; i < n && status == HS_OK; i++) {
		status = take_item(e, code, &items[i]);
		if (status == HS_OK && g->threads.switch_count && items[i].kind == HS_KIND_BLOCK)
			status = ask_who(g, &items[i]);
	}
	return status;
}

/* ---- the result ------------------------------------------------------------------------- */

static int by_place(const void *a, const void *b)
{
	const struct guest_piece *x = a, *y = b;

	if (x->space != y->space)
		return x->space < y->space ? -1 : 1;
	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return (x->seen > y->seen) - (x->seen < y->seen);
}

void guest_sort_pieces(struct guest_evidence *e)
{
	const uint32_t n = e->pieces.count;

	if (n)
		qsort(e->pieces.items, n, sizeof(struct guest_piece), by_place);
	for (uint32_t i = 0; i < n; i++) {
		struct guest_space *s = guest_space(e, guest_piece(e, i)->space);

		if (!s->count++)
			s->first = i;
	}
}

uint32_t guest_first_piece(const struct guest_evidence *e, const struct guest_space *s,
                           uint64_t addr)
{
	return s->first + (uint32_t)base_count_leading(
				  s->count, i, guest_piece(e, s->first + (uint32_t)i)->addr < addr);
}

void guest_free_evidence(struct guest_evidence *e)
{
	while (e->harts) {
		struct guest_hart *h = e->harts;

		e->harts = h->next;
		free(h->sections);
		free(h->view);
		free(h);
	}
	while (e->chunks) {
		struct guest_chunk *c = e->chunks;

		e->chunks = c->next;
		free(c);
	}
	support_hash_free(&e->spaces);
	support_hash_free(&e->pieces);
	free(e->seen);
	free(e->ages);
}
