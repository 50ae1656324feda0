/* Blocks of a stream that are counted in place of being written (ADR-0273): one number for each run
 * and for each way in which it may end.  Words may be read ahead by a thread of their own. */
#include <stdlib.h>
#include <string.h>

#include "recording/live.h"
#include "recording/recall.h"
#include "recording/recording.h"
#include "recording/stream.h"
#include "support/crew.h"

#define ROOMS 4u
#define ROOM_WORDS ((size_t)1 << 16) /* longer than any escape */
#define ALONE 128u /* pieces of words that are read before a thread is worth it */

/* ---- counting ------------------------------------------------------------------------------- */

struct rec_counted {
	void (*take)(void *to, const struct hs_run_count *run);
	void *to;
	uint64_t *times;  /* of each run, where it does not fall through and where it does */
	uint32_t *listed; /* indices of those that are not 0 */
	size_t listed_count;
	bool held; /* no more are counted in this call: they may belong to another context */
	bool threads;
	uint32_t read;             /* pieces of words so far */
	struct words_ahead *ahead; /* NULL: the caller's thread reads words */
	uint32_t *own;             /* the stream's words, while it uses those of @ahead */
};

enum hs_status hs_rec_stream_count(struct hs_rec_stream *s, uint32_t threads,
                                   void (*take)(void *to, const struct hs_run_count *run), void *to)
{
	const size_t n = 2 * ((size_t)s->rec->runs.count + 1);

	if (s->rec->live != NULL || s->place_every != 0 || s->counted != NULL)
		return HS_E_UNSUPPORTED;
	struct rec_counted *k = calloc(1, sizeof(*k));

	s->counted = k;
	if (k == NULL)
		return HS_E_MEMORY;
	k->times = calloc(n, sizeof(*k->times));
	k->listed = calloc(n, sizeof(*k->listed));
	k->take = take;
	k->to = to;
	k->threads = threads > 1;
	if (k->times != NULL && k->listed != NULL)
		return HS_OK;
	rec_counted_free(s);
	return HS_E_MEMORY;
}

bool rec_counted_now(const struct hs_rec_stream *s)
{
	return s->counted != NULL && !s->counted->held;
}

void rec_counted_begin_call(struct hs_rec_stream *s)
{
	if (s->counted != NULL)
		s->counted->held = false;
}

static inline void count(struct rec_counted *k, uint32_t i)
{
	if (__builtin_expect(k->times[i]++ == 0, 0))
		k->listed[k->listed_count++] = i;
}

static void give(const struct hs_rec_stream *s, uint32_t i, uint64_t times)
{
	const struct rec_run *const r = &s->rec->runs.runs[i / 2];
	struct hs_block block = r->block;

	if (i % 2 == 0 && !s->rec->is_flow)
		block.itype += (uint8_t)rec_run_is_branch(r);
	s->counted->take(
		s->counted->to,
		&(struct hs_run_count){ .blocks = &block, .n = 1, .times = times, .id = i });
}

void rec_counted_add(struct hs_rec_stream *s, uint32_t id, uint64_t times)
{
	struct rec_counted *k = s->counted;

	if (k->times[id] == 0)
		k->listed[k->listed_count++] = id;
	k->times[id] += times;
}

void rec_counted_flush(struct hs_rec_stream *s)
{
	struct rec_counted *k = s->counted;

	if (k != NULL)
		rec_recall_give(s);
	for (size_t i = 0; k != NULL && i < k->listed_count; i++) {
		give(s, k->listed[i], k->times[k->listed[i]]);
		k->times[k->listed[i]] = 0;
	}
	if (k != NULL)
		k->listed_count = 0;
}

void rec_counted_before(struct hs_rec_stream *s, const struct hs_block *items, size_t n)
{
	bool divides = false;

	for (size_t i = 0; s->counted != NULL && i < n && !divides; i++)
		divides = hs_event_divides(&items[i]);
	if (!divides)
		return;
	rec_counted_flush(s);
	s->counted->held = true;
}

/* As convert() in stream.c; what is part of a longer block is written.  Not inlined, so that it has
 * all registers. */
__attribute__((noinline)) size_t rec_count_runs(struct hs_rec_stream *s, size_t stop,
                                                struct hs_block *out, size_t cap)
{
	const struct rec_run *const runs = s->rec->runs.runs, *p = s->prev;
	const uint32_t run_count = s->rec->runs.count;
	const uint32_t *w = s->words + s->at, *const end = s->words + stop;
	struct rec_counted *const k = s->counted;
	struct hs_block *o = out, *const o_end = out + cap;
	uint64_t joined = s->joined;

	for (; w < end && o < o_end && *w < run_count; w++) {
		const struct rec_run *const c = &runs[*w];
		const bool falls = rec_run_falls_to(p, c->block.iaddr);

		if (__builtin_expect(rec_run_stops(p, c, falls), 0))
			break;
		if (__builtin_expect(p->block.itype == HS_ITYPE_NONE, 0)) {
			joined += p->block.iretire;
			s->joined_ilast = p->block.ilast;
		} else if (__builtin_expect(joined != 0, 0)) {
			*o = p->block;
			o->iaddr -= 2 * joined;
			o->iretire += (uint32_t)joined;
			o->itype += (uint8_t)(falls ? 0u : rec_run_is_branch(p));
			o++;
			joined = 0;
		} else {
			count(k, 2 * (uint32_t)(p - runs) + falls);
		}
		p = c;
	}
	s->prev = p;
	s->joined = (uint32_t)joined;
	s->at = (size_t)(w - s->words);
	return (size_t)(o - out);
}

void rec_count_blocks(struct hs_rec_stream *s)
{
	const uint32_t run_count = s->rec->runs.count;

	for (; s->at < s->count && s->words[s->at] < run_count; s->at++)
		count(s->counted, 2 * s->words[s->at]);
}

/* ---- words that are read ahead -------------------------------------------------------------- */

struct words_room {
	uint32_t words[2 * ROOM_WORDS]; /* before the second half: what was left of the last */
	size_t n;
	enum hs_status status;
};

struct words_ahead {
	struct hs_rec_stream *stream;
	struct support_crew crew; /* its lock is of what follows */
	uint64_t filled, taken;
	bool shown; /* the first one that is not taken is in use */
	struct words_room rooms[ROOMS];
};

static void *read_ahead(void *ahead)
{
	struct words_ahead *a = ahead;
	enum hs_status status = HS_OK;

	support_crew_lock(&a->crew);
	while (status == HS_OK && !a->crew.stop) {
		struct words_room *r = &a->rooms[a->filled % ROOMS];

		if (a->filled - a->taken == ROOMS) {
			support_crew_wait(&a->crew);
			continue;
		}
		support_crew_unlock(&a->crew);
		status = r->status = rec_stream_read_words(a->stream, r->words + ROOM_WORDS,
		                                           ROOM_WORDS, &r->n);
		support_crew_lock(&a->crew);
		a->filled++;
		support_crew_wake(&a->crew);
	}
	support_crew_unlock(&a->crew);
	return NULL;
}

static struct words_ahead *start_ahead(struct hs_rec_stream *s)
{
	struct words_ahead *a = malloc(sizeof(*a));

	if (a == NULL)
		return NULL;
	a->stream = s;
	a->filled = a->taken = 0;
	a->shown = false;
	if (support_crew_start(&a->crew, read_ahead, a))
		return a;
	free(a);
	return NULL;
}

bool rec_counted_may_recall(const struct hs_rec_stream *s)
{
	return s->counted == NULL || !s->counted->threads || rec_stream_is_wide(s);
}

bool rec_counted_is_ahead(struct hs_rec_stream *s)
{
	struct rec_counted *k = s->counted;

	if (k != NULL && k->threads && !rec_recall_is_worth_it(s) && ++k->read == ALONE)
		k->ahead = start_ahead(s);
	return k != NULL && k->ahead != NULL;
}

enum hs_status rec_counted_refill(struct hs_rec_stream *s)
{
	struct rec_counted *k = s->counted;
	struct words_ahead *a = k->ahead;
	const size_t left = s->count - s->at;

	support_crew_lock(&a->crew);
	while (a->filled == a->taken + a->shown)
		support_crew_wait(&a->crew);
	struct words_room *r = &a->rooms[(a->taken + a->shown) % ROOMS];

	support_crew_unlock(&a->crew);
	if (left > ROOM_WORDS)
		return HS_E_CUT;
	uint32_t *const words = r->words + ROOM_WORDS - left;

	memcpy(words, s->words + s->at, 4 * left);
	if (k->own == NULL)
		k->own = s->words;
	s->words = words;
	s->at = 0;
	s->count = left + r->n;
	support_crew_lock(&a->crew);
	a->taken += a->shown;
	a->shown = true;
	support_crew_wake(&a->crew);
	support_crew_unlock(&a->crew);
	return r->status;
}

void rec_counted_free(struct hs_rec_stream *s)
{
	struct rec_counted *k = s->counted;

	if (k == NULL)
		return;
	if (k->ahead != NULL)
		support_crew_end(&k->ahead->crew);
	if (k->own != NULL) {
		s->words = k->own;
		s->at = s->count = 0;
	}
	free(k->ahead);
	free(k->times);
	free(k->listed);
	free(k);
	s->counted = NULL;
}
