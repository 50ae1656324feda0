/* Do a kernel's symbols fit the code that ran?  A call leads to the start of a function, so nearly
 * all addresses that were called are symbols, or are symbols by a number of large pages more: the
 * kernel was moved when it started (KASLR), and before it switches translation on it executes at
 * physical addresses. */
#include <inttypes.h>
#include <stdlib.h>

#include "core/search.h"
#include "guest/private.h"

#define LARGE_PAGE UINT64_C(0x200000) /* 2 MiB; of Sv32 4 MiB, a multiple */
#define HALF_MIN 0x40000000u          /* a kernel's addresses and those of its modules */
#define CALLED_MIN 8u                 /* addresses; with fewer nothing is certain */
#define SAMPLE 1024u

struct slide {
	uint64_t bytes; /* what addresses less those of symbols are */
	uint64_t votes;
};

/* Addresses that were called. */
struct called {
	uint64_t *v;
	size_t n;
};

/* A symbol of code by its place in a large page. */
struct place {
	uint64_t offset, start;
};

static bool is_function(const struct guest_symbol *s)
{
	return s->name != NULL;
}

/* The lowest address that is the kernel's own and not a physical one. */
static uint64_t bottom_of(const struct guest_symbols *s)
{
	for (size_t i = 0; i < s->count; i++)
		if (is_function(&s->items[i]))
			return s->items[i].start & ~(uint64_t)(HALF_MIN - 1);
	return 0;
}

static bool starts_symbol(struct guest_symbols *s, uint64_t addr)
{
	const struct guest_symbol *found = guest_find_symbol(s, addr);

	return found && found->start == addr;
}

/* How many are symbols when they are moved by @slide. */
static size_t count_hits(struct guest_symbols *s, const struct called *c, uint64_t slide)
{
	size_t hits = 0;

	for (size_t i = 0; i < c->n; i++)
		hits += starts_symbol(s, c->v[i] - slide);
	return hits;
}

static bool is_fit(const struct called *c, size_t hits)
{
	return hits >= c->n - c->n / 4;
}

/* ---- the slide ------------------------------------------------------------------------------ */

static int by_offset(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return (x->offset > y->offset) - (x->offset < y->offset);
}

static bool same_slide(const void *item, const void *key)
{
	return ((const struct slide *)item)->bytes == *(const uint64_t *)key;
}

static enum hs_status vote(struct support_hash *slides, uint64_t bytes)
{
	const uint32_t hash = support_hash_of(bytes / LARGE_PAGE, 0);
	struct slide *s = support_hash_find(slides, hash, same_slide, &bytes);

	if (!s) {
		s = support_hash_add(slides, hash);
		if (!s)
			return HS_E_MEMORY;
		s->bytes = bytes;
	}
	s->votes++;
	return HS_OK;
}

/* All slides that make @addr a symbol. */
static enum hs_status vote_for(struct support_hash *slides, const struct place *v, size_t n,
                               uint64_t addr)
{
	const uint64_t offset = addr % LARGE_PAGE;
	enum hs_status status = HS_OK;
	size_t low = base_count_leading(n, i, v[i].offset < offset);

	for (; low < n && v[low].offset == offset && status == HS_OK; low++)
		status = vote(slides, addr - v[low].start);
	return status;
}

static size_t list_places(const struct guest_symbols *s, struct place *v)
{
	size_t n = 0;

	for (size_t i = 0; i < s->count; i++)
		if (is_function(&s->items[i]))
			v[n++] = (struct place){ s->items[i].start % LARGE_PAGE,
				                 s->items[i].start };
	if (n)
		qsort(v, n, sizeof(*v), by_offset);
	return n;
}

/* The slide with which most addresses are symbols. */
static enum hs_status find_slide(const struct guest_symbols *s, const struct called *c,
                                 uint64_t *slide)
{
	struct support_hash slides = { .item_size = sizeof(struct slide) };
	struct place *v = calloc(s->count + 1, sizeof(*v));
	const size_t n = v ? list_places(s, v) : 0, step = c->n / SAMPLE + 1;
	enum hs_status status = v ? HS_OK : HS_E_MEMORY;
	uint64_t most = 0;

	for (size_t i = 0; i < c->n && status == HS_OK; i += step)
		status = vote_for(&slides, v, n, c->v[i]);
	for (uint32_t i = 0; i < slides.count; i++) {
		const struct slide *one = support_hash_item(&slides, i);

		if (one->votes > most) {
			most = one->votes;
			*slide = one->bytes;
		}
	}
	support_hash_free(&slides);
	free(v);
	return status;
}

/* ---- a space of a kernel -------------------------------------------------------------------- */

/* The addresses called on one side of @bottom. */
static enum hs_status list_called(const struct guest_evidence *e, const struct guest_space *s,
                                  uint64_t bottom, bool above, struct called *c)
{
	*c = (struct called){ calloc((size_t)s->count + 1, sizeof(*c->v)), 0 };
	if (!c->v)
		return HS_E_MEMORY;
	for (uint32_t i = s->first; i < s->first + s->count; i++) {
		const struct guest_piece *p = guest_piece(e, i);

		if (p->called && (p->addr >= bottom) == above &&
		    (!c->n || c->v[c->n - 1] != p->addr))
			c->v[c->n++] = p->addr;
	}
	return HS_OK;
}

/* *fits: they do; with too few calls to know, as they are. */
static enum hs_status fit_part(struct hs_guest *g, const struct guest_space *s, bool above,
                               uint64_t *slide, bool *fits)
{
	struct called c;
	enum hs_status status =
		list_called(&g->evidence, s, bottom_of(&g->symbols), above, &c);
	const bool few = c.n < CALLED_MIN;

	*slide = 0;
	*fits = status == HS_OK && above &&
		(few || is_fit(&c, count_hits(&g->symbols, &c, 0)));
	if (status == HS_OK && !*fits && !few) {
		status = find_slide(&g->symbols, &c, slide);
		*fits = is_fit(&c, count_hits(&g->symbols, &c, *slide));
	}
	if (status == HS_OK && above && !*fits)
		status = guest_note(g, "the kernel's symbols are refused: of %zu addresses that "
		                    "were called %zu are functions by them, and no other place of "
		                    "the kernel fits better",
		                    c.n, count_hits(&g->symbols, &c, 0));
	free(c.v);
	return status;
}

enum hs_status guest_fit_symbols(struct hs_guest *g)
{
	enum hs_status status = HS_OK;

	for (uint32_t i = 0; i < g->evidence.spaces.count && status == HS_OK; i++) {
		struct guest_space *s = guest_space(&g->evidence, i);

		if ((s->class != CLASS_KERNEL && s->class != CLASS_GUEST_KERNEL) ||
		    !g->symbols.count)
			continue;
		status = fit_part(g, s, true, &s->slide, &s->fits);
		if (status == HS_OK && s->fits)
			status = fit_part(g, s, false, &s->low_slide, &s->low_fits);
	}
	g->bottom = bottom_of(&g->symbols);
	return status;
}
