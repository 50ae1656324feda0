/* Remembering stretches of a packed stream (recall.h). */
#include <stdlib.h>
#include <string.h>

#include "recording/recall_private.h"

#define STRETCHES_LOG 16u
#define BLOCKS (1u << 18)
#define COPIED 4u /* blocks at once, so that some are written which are not of the stretch */
#define WORTH_IT (UINT64_C(1) << 17) /* words after which a stream is long enough */

_Static_assert(OUTCOMES + COPIED <= REC_RECALL_ROOM, "a stretch finds room");

/* ---- memory --------------------------------------------------------------------------------- */

static bool allocate_counts(struct rec_recall *r)
{
	r->ids = malloc(r->room * sizeof(*r->ids));
	r->times = calloc(stretches_of(r), sizeof(*r->times));
	r->touched = malloc(stretches_of(r) * sizeof(*r->touched));
	return r->ids != NULL && r->times != NULL && r->touched != NULL;
}

void rec_recall_start(struct hs_rec_stream *s, uint32_t log, uint32_t room)
{
	struct rec_recall *r = !s->rec->is_flow ? calloc(1, sizeof(*r)) : NULL;

	s->recall = r;
	if (r == NULL)
		return;
	r->log = log;
	r->room = room;
	r->through = calloc(stretches_of(r), sizeof(*r->through));
	r->stretches = calloc(stretches_of(r), sizeof(*r->stretches));
	r->blocks = malloc((room + COPIED) * sizeof(*r->blocks));
	if (r->through == NULL || r->stretches == NULL || r->blocks == NULL ||
	    (s->counted != NULL && !allocate_counts(r)) || !rec_unpack_mark(&s->unpack))
		rec_recall_free(s);
}

/* Are stretches to be remembered, rather than words read ahead?  Where no run is wide, outcomes
 * often say too little for that to be faster than two threads are. */
static bool may_recall(const struct hs_rec_stream *s)
{
	return !s->ahead.allowed || rec_stream_is_wide(s);
}

void rec_recall_count(struct hs_rec_stream *s, size_t words)
{
	const uint64_t before = s->words_read;

	s->words_read += words;
	if (s->recall != NULL)
		s->recall->stuck = false;
	else if (before < WORTH_IT && s->words_read >= WORTH_IT && s->rec->live == NULL &&
	         may_recall(s))
		rec_recall_start(s, STRETCHES_LOG, BLOCKS);
}

void rec_recall_free(struct hs_rec_stream *s)
{
	if (s->recall == NULL)
		return;
	free(s->recall->through);
	free(s->recall->stretches);
	free(s->recall->blocks);
	free(s->recall->ids);
	free(s->recall->times);
	free(s->recall->touched);
	free(s->recall);
	s->recall = NULL;
}

/* ---- recalling ------------------------------------------------------------------------------ */

bool rec_recall_is_worth_it(const struct hs_rec_stream *s)
{
	return s->recall != NULL && s->moves == NULL;
}

bool rec_recall_can(const struct hs_rec_stream *s)
{
	const struct rec_recall *r = s->recall;
	const struct rec_unpack *u = &s->unpack;

	if (!rec_recall_is_worth_it(s) || r->stuck || s->at != s->count || s->queue.n != 0 ||
	    s->queue.event_count != 0 || s->end != HS_OK ||
	    (s->counted != NULL && !rec_counted_now(s)))
		return false;
	if (u->last >= u->limit || u->wrong)
		return false;
	return s->open.prev == &s->rec->runs.runs[u->last] && s->open.joined == 0 && !s->open.pair;
}

/* A block in one register, where the processor has such ones. */
typedef uint64_t words __attribute__((vector_size(16), aligned(8), may_alias));

_Static_assert(sizeof(words) == sizeof(struct hs_block), "both are two words");

/* Blocks of a stretch, and up to COPIED - 1 more. */
static inline void copy(struct hs_block *out, const struct hs_block *blocks, uint32_t n)
{
	words *o = (words *)out;
	const words *b = (const words *)blocks;

	for (uint32_t i = 0; i < n; i += COPIED)
		for (uint32_t k = 0; k < COPIED; k++)
			o[i + k] = b[i + k];
}

/* Count a stretch. */
static inline void count(struct hs_rec_stream *s, size_t place)
{
	struct rec_recall *r = s->recall;

	if (__builtin_expect(r->times[place]++ != 0, 1))
		return;
	if (r->touched_count == stretches_of(r)) /* some are there twice: they were replaced */
		rec_recall_give(s);
	r->touched[r->touched_count++] = (uint32_t)place;
}

static inline uint32_t key_of(uint32_t run, const struct rec_outcomes *o)
{
	return run << OUTCOMES | (uint32_t)(o->bits >> (64 - OUTCOMES));
}

/* The stretch of the next outcomes; NULL: there is none by now, but maybe a single step. */
static inline const struct stretch *find_stretch(struct hs_rec_stream *s, uint32_t key)
{
	const struct rec_recall *r = s->recall;
	const struct stretch *f = &r->stretches[place_of(r, key)];

	if (__builtin_expect(f->key == key && f->taken != 0, 1))
		return f;
	return rec_unpack_is_loose(&s->unpack, key >> OUTCOMES) ? NULL : recall_learn(s, key);
}

/* Where the next outcomes lead, as long as there are enough and there is room for blocks, or, with
 * @counts, without any.  Returns the last run. */
static inline uint32_t follow(struct hs_rec_stream *s, struct rec_outcomes *outcomes,
                              struct hs_block **out, const struct hs_block *end, bool counts)
{
	struct rec_recall *const r = s->recall;
	struct rec_outcomes now = *outcomes;
	struct hs_block *o = *out;
	uint32_t last = s->unpack.last, id;

	while (counts || o <= end) {
		rec_unpack_fill(&s->unpack, &now);
		r->stuck = now.left < OUTCOMES;
		if (r->stuck)
			break;
		const struct stretch *f = find_stretch(s, key_of(last, &now));

		if (__builtin_expect(f == NULL, 0)) {
			const uint32_t next =
				recall_step(s, last, &now, o, counts ? &id : NULL);

			r->stuck = next == NONE;
			if (r->stuck)
				break;
			if (counts)
				rec_counted_add(s, id, 1);
			o += !counts;
			last = next;
			continue;
		}
		if (counts) {
			count(s, (size_t)(f - r->stretches));
		} else {
			copy(o, r->blocks + f->first, f->blocks);
			o += f->blocks;
		}
		last = f->last;
		now.bits <<= f->taken;
		now.left -= f->taken;
	}
	*outcomes = now;
	*out = o;
	return last;
}

/* Not inlined, so that each has all registers. */
__attribute__((noinline))
static uint32_t copy_stretches(struct hs_rec_stream *s, struct rec_outcomes *outcomes,
                               struct hs_block **out, const struct hs_block *end)
{
	return follow(s, outcomes, out, end, false);
}

__attribute__((noinline))
static uint32_t count_stretches(struct hs_rec_stream *s, struct rec_outcomes *outcomes)
{
	struct hs_block block, *out = &block; /* of a single step */

	return follow(s, outcomes, &out, NULL, true);
}

size_t rec_recall_blocks(struct hs_rec_stream *s, struct hs_block *out, size_t cap)
{
	struct rec_unpack *const u = &s->unpack;
	struct rec_outcomes outcomes = { u->bits, u->left };
	struct hs_block *o = out;

	if (u->changed != 0)
		recall_forget(s, u->changed);
	u->changed = 0;
	u->last = s->counted != NULL
	                  ? count_stretches(s, &outcomes)
	                  : copy_stretches(s, &outcomes, &o, out + cap - REC_RECALL_ROOM);
	u->bits = outcomes.bits;
	u->left = outcomes.left;
	u->need = 1;
	s->open.prev = &s->rec->runs.runs[u->last];
	return (size_t)(o - out);
}
