/* The words of a stream that is read: in pieces, by a thread of their own if that is worth it. */
#include <stdlib.h>
#include <string.h>

#include "recording/recall.h"
#include "recording/stream.h"
#include "support/crew.h"

#define ROOMS 4u
#define ROOM_WORDS ((size_t)1 << 16) /* longer than any escape */
#define ALONE 128u                   /* pieces of words that are read before a thread is worth it */
/* Words that are read at a time: they stay in the cache until they are used, and what waits for
 * their blocks on another core does not wait for a whole frame (design/packed). */
#define PIECE ((size_t)1 << 14)
#define FEW ((size_t)32) /* words, where those after them may be recalled */

/* As rec_in_read(), in words. */
static enum hs_status read_words(struct hs_rec_stream *s, uint32_t *words, size_t cap, size_t *n)
{
	if (s->rec->is_flow)
		return rec_in_read_words(&s->in, words, cap, n);
	const enum hs_status status = rec_unpack_read(&s->unpack, &s->in, words, cap, n);

	return status == HS_E_FORMAT && !s->whole ? HS_E_CUT : status;
}

/* ---- ahead ---------------------------------------------------------------------------------- */

struct words_room {
	uint32_t words[2 * ROOM_WORDS]; /* before the second half: what was left of the last */
	size_t n;
	enum hs_status status;
};

struct words_ahead {
	struct hs_rec_stream *stream;
	struct support_crew crew; /* its lock is of what follows */
	uint64_t filled, taken;
	bool shown;    /* the first one that is not taken is in use */
	uint32_t *own; /* the stream's words, while it uses those of a room */
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
		status = r->status =
			read_words(a->stream, r->words + ROOM_WORDS, ROOM_WORDS, &r->n);
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
	a->own = NULL;
	if (support_crew_start(&a->crew, read_ahead, a))
		return a;
	free(a);
	return NULL;
}

static enum hs_status refill_ahead(struct hs_rec_stream *s)
{
	struct words_ahead *a = s->ahead.thread;
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
	if (a->own == NULL)
		a->own = s->words;
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

/* Are words read by another thread?  From the next refill on. */
static bool is_ahead(struct hs_rec_stream *s)
{
	if (s->ahead.allowed && !rec_recall_is_worth_it(s) && ++s->ahead.pieces == ALONE)
		s->ahead.thread = start_ahead(s);
	return s->ahead.thread != NULL;
}

/* ---- all ------------------------------------------------------------------------------------ */

enum hs_status rec_words_refill(struct hs_rec_stream *s)
{
	const size_t left = s->count - s->at;
	enum hs_status status;
	size_t n;

	s->changes.looked = false;
	if (is_ahead(s))
		return refill_ahead(s);
	memmove(s->words, s->words + s->at, 4 * left);
	const size_t room = REC_STREAM_WORDS - left,
		     piece = rec_recall_is_worth_it(s) ? FEW : PIECE;

	status = read_words(s, s->words + left, room < piece ? room : piece, &n);
	rec_recall_count(s, n);
	s->at = 0;
	s->count = left + n;
	return status;
}

void rec_words_free(struct hs_rec_stream *s)
{
	struct words_ahead *a = s->ahead.thread;

	if (a != NULL) {
		support_crew_end(&a->crew);
		s->words = a->own != NULL ? a->own : s->words;
	}
	free(a);
	free(s->words);
}
