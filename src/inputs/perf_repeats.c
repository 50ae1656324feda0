/* perf.data: AUX records that repeat the bytes of the one before (design/perf-data).
 *
 * A driver that copies the memory of its sink from the start at each stop stores what it stored
 * before once more: each record begins with all bytes of the one before.  When the memory wrapped,
 * all of it comes, the oldest byte first, and the record after it begins anew. */
#include <stdlib.h>
#include <string.h>

#include "core/search.h"
#include "inputs/perf_private.h"
#include "support/grow.h"

#define CERTAIN 32u     /* bytes that were repeated before a repetition is none by chance */
#define OVERLAP_MIN 64u /* the same of a memory that wrapped */
#define PAGE 4096u      /* a sink's memory is whole pages */
#define RING_MAX (1u << 22)

/* Bytes of a buffer that are left out. */
struct cut {
	uint64_t offset, size;
	const char *why; /* others are missing as well; NULL: none are */
};

struct cuts {
	struct cut *v;
	size_t n, room;
};

/* ---- bytes of a buffer ---------------------------------------------------------------- */

/* At most @want bytes at an offset of the buffer; 0: it does not have them. */
static size_t read_some(struct hs_perf *p, const struct perf_lane *l, uint64_t offset, uint8_t *out,
                        size_t want)
{
	const size_t low = base_count_leading(l->count, i, l->extents[i].offset <= offset);
	const struct perf_extent *e = low ? &l->extents[low - 1] : NULL;
	size_t n = 0;

	if (!e || offset - e->offset >= e->size)
		return 0;
	const uint64_t left = e->size - (offset - e->offset);

	if (perf_read_at(p, e->at + (offset - e->offset), out, left < want ? (size_t)left : want,
	                 &n, NULL) != HS_OK)
		return 0;
	return n;
}

static size_t read_all(struct hs_perf *p, const struct perf_lane *l, uint64_t offset, uint8_t *out,
                       size_t want)
{
	size_t n = 0, got = 1;

	for (; n < want && got; n += got)
		got = read_some(p, l, offset + n, out + n, want - n);
	return n;
}

static bool are_equal(struct hs_perf *p, const struct perf_lane *l, uint64_t a, uint64_t b,
                      uint64_t n)
{
	uint8_t x[PAGE], y[PAGE];

	for (uint64_t i = 0; i < n; i += PAGE) {
		const size_t want = n - i < PAGE ? (size_t)(n - i) : PAGE;

		if (read_all(p, l, a + i, x, want) != want ||
		    read_all(p, l, b + i, y, want) != want || memcmp(x, y, want) != 0)
			return false;
	}
	return true;
}

/* ---- the end of one that is the beginning of another ------------------------------------- */

/* How many of the last bytes of @text are the first ones of @word (Knuth, Morris, Pratt). */
static size_t match(const uint8_t *word, const uint8_t *text, size_t n, uint32_t *back)
{
	size_t k = 0;

	back[0] = 0;
	for (size_t i = 1; i < n; i++) {
		while (k && word[i] != word[k])
			k = back[k - 1];
		k += word[i] == word[k];
		back[i] = (uint32_t)k;
	}
	k = 0;
	for (size_t i = 0; i < n; i++) {
		while (k && (k == n || text[i] != word[k]))
			k = back[k - 1];
		k += text[i] == word[k];
	}
	return k;
}

static uint64_t find_overlap(struct hs_perf *p, const struct perf_lane *l, const struct perf_aux *a,
                             const struct perf_aux *b)
{
	const size_t n = (size_t)(a->size < b->size ? a->size : b->size);
	uint8_t *word = n > RING_MAX ? NULL : malloc(2 * n);
	uint32_t *back = word ? malloc(n * sizeof(*back)) : NULL;
	size_t k = 0;

	if (back && read_all(p, l, b->offset, word, n) == n &&
	    read_all(p, l, a->offset + a->size - n, word + n, n) == n)
		k = match(word, word + n, n, back);
	free(word);
	free(back);
	return k < OVERLAP_MIN ? 0 : k;
}

/* ---- two records ------------------------------------------------------------------------- */

enum pair {
	APART,   /* bytes between them are missing, or the kernel says that some may be */
	REPEATS, /* the second begins with all of the first */
	WRAPPED, /* the second is all of a memory that wrapped */
	ANEW,    /* the first was that */
	OTHER    /* none of this */
};

static bool is_ring(uint64_t size, uint64_t most)
{
	return size == most && size % PAGE == 0;
}

static enum pair judge(struct hs_perf *p, const struct perf_lane *l, const struct perf_aux *a,
                       const struct perf_aux *b, uint64_t most)
{
	if (b->offset != a->offset + a->size || a->flags || b->flags || !a->size || !b->size)
		return APART;
	if (b->size >= a->size && are_equal(p, l, a->offset, b->offset, a->size))
		return REPEATS;
	if (is_ring(b->size, most))
		return WRAPPED;
	return is_ring(a->size, most) ? ANEW : OTHER;
}

static uint64_t largest(const struct perf_aux *aux, size_t n)
{
	uint64_t most = 0;

	for (size_t i = 0; i < n; i++)
		most = aux[i].size > most ? aux[i].size : most;
	return most;
}

/* What the records repeat.  False: there is no memory. */
static bool find_cuts(struct hs_perf *p, const struct perf_lane *l, const struct perf_aux *aux,
                      size_t n, struct cuts *cuts)
{
	const uint64_t most = largest(aux, n);
	uint64_t repeated = 0;

	for (size_t i = 1; i < n; i++) {
		const struct perf_aux *a = &aux[i - 1], *b = &aux[i];
		const enum pair pair = judge(p, l, a, b, most);
		struct cut cut = { b->offset, a->size, NULL };

		if (pair == OTHER) {
			cuts->n = 0;
			return true;
		}
		if (pair != REPEATS && pair != WRAPPED)
			continue;
		if (pair == REPEATS)
			repeated += b->size > a->size ? a->size : 0;
		else
			cut = (struct cut){ b->offset, find_overlap(p, l, a, b),
				            "the memory of the sink wrapped" };
		if (!support_grow(&cuts->v, &cuts->room, cuts->n + 1, sizeof(*cuts->v)))
			return false;
		cuts->v[cuts->n++] = cut;
	}
	if (repeated < CERTAIN)
		cuts->n = 0;
	return true;
}

/* ---- without them -------------------------------------------------------------------------- */

/* An extent again, without what is cut. */
static bool put_extent(struct perf_lane *l, const struct perf_extent *of, const struct cuts *cuts)
{
	struct perf_extent e = *of;
	size_t i = base_count_leading(cuts->n, k, cuts->v[k].offset + cuts->v[k].size < e.offset);

	for (; i < cuts->n && e.size && cuts->v[i].offset < e.offset + e.size; i++) {
		const struct cut *c = &cuts->v[i];
		struct perf_extent head = e;
		const uint64_t end = c->offset + c->size;

		head.size = c->offset > e.offset ? c->offset - e.offset : 0;
		if (end < e.offset || (end == e.offset && c->size))
			continue;
		if (!perf_add_extent(l, &head))
			return false;
		const uint64_t gone = end - e.offset < e.size ? end - e.offset : e.size;

		l->info.repeated += gone - head.size;
		e.gap = c->why || head.size ? c->why : e.gap;
		e.inside = e.gap != NULL;
		e.at += gone;
		e.offset += gone;
		e.size -= gone;
	}
	return perf_add_extent(l, &e);
}

static bool leave_out(struct perf_lane *l, const struct cuts *cuts)
{
	struct perf_extent *old = l->extents;
	const size_t count = l->count;
	bool good = true;

	l->extents = NULL;
	l->count = l->room = 0;
	l->info.bytes = 0;
	for (size_t i = 0; good && i < count; i++)
		good = put_extent(l, &old[i], cuts);
	free(old);
	return good;
}

bool perf_drop_repeats(struct hs_perf *p, struct perf_lane *l, const struct perf_aux *aux, size_t n)
{
	struct cuts cuts = { .n = 0 };
	bool good = find_cuts(p, l, aux, n, &cuts);

	if (good && cuts.n)
		good = leave_out(l, &cuts);
	free(cuts.v);
	return good;
}
