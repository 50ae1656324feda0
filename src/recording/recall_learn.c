/* Stretches that are walked for the first time, and forgotten (recall.h). */
#include <string.h>

#include "recording/recall_private.h"

/* ---- forgetting ----------------------------------------------------------------------------- */

/* Give what a stretch was counted. */
static void give_times(struct hs_rec_stream *s, size_t place)
{
	struct rec_recall *r = s->recall;
	const struct stretch *f = &r->stretches[place];

	for (uint32_t i = 0; r->times[place] != 0 && i < f->blocks; i++)
		rec_counted_add(s, r->ids[f->first + i], r->times[place]);
	r->times[place] = 0;
}

void rec_recall_give(struct hs_rec_stream *s)
{
	struct rec_recall *r = s->recall;

	if (r == NULL)
		return;
	for (size_t i = 0; i < r->touched_count; i++)
		give_times(s, r->touched[i]);
	r->touched_count = 0;
}

static void forget_all(struct hs_rec_stream *s)
{
	struct rec_recall *r = s->recall;

	rec_recall_give(s);
	memset(r->through, 0, stretches_of(r) * sizeof(*r->through));
	memset(r->stretches, 0, stretches_of(r) * sizeof(*r->stretches));
	r->used = 0;
}

void recall_forget(struct hs_rec_stream *s, uint64_t changed)
{
	struct rec_recall *r = s->recall;

	if (changed == UINT64_MAX) {
		forget_all(s);
		return;
	}
	for (size_t i = 0; i < stretches_of(r); i++)
		if (__builtin_expect((r->through[i] & changed) != 0, 0)) {
			r->through[i] = 0;
			r->stretches[i].taken = 0;
		}
}

/* ---- learning ------------------------------------------------------------------------------- */

/* A stretch that is walked for the first time. */
struct walk {
	const struct rec_run *runs, *at;
	uint64_t bits, through;
	uint32_t left, joined, n; /* @n: of @out */
	struct hs_block *out;
	uint32_t *ids; /* of them; NULL: nobody wants these */
};

/* The block of the run that is left for @next, unless it is part of a longer one; as convert() in
 * stream.c.  False: @next cannot be read so. */
static bool leave_run(struct walk *w, const struct rec_run *next)
{
	const bool falls = rec_run_falls_to(w->at, next->block.iaddr);

	if (rec_run_stops(w->at, next, falls))
		return false;
	if (w->at->block.itype == HS_ITYPE_NONE) {
		w->joined += w->at->block.iretire;
		return w->ids == NULL; /* it is not counted as one run */
	}
	if (w->ids != NULL)
		w->ids[w->n] = 2 * (uint32_t)(w->at - w->runs) + falls;
	struct hs_block *o = &w->out[w->n++];

	*o = w->at->block;
	o->iaddr -= 2 * (uint64_t)w->joined;
	o->iretire += w->joined;
	o->itype += (uint8_t)(falls ? 0u : rec_run_is_branch(w->at));
	w->joined = 0;
	return true;
}

/* To the next run.  False: the outcomes do not reach it, or it cannot be read so. */
static bool take_step(const struct hs_rec_stream *s, struct walk *w)
{
	const uint32_t run = (uint32_t)(w->at - w->runs);
	uint32_t next, n = rec_unpack_peek(&s->unpack, run, w->bits, w->left, &next);

	if (n == 0 ||
	    (s->changes.versions != NULL && rec_versions_contests(s->changes.versions, next)))
		return false;
	if (!leave_run(w, &w->runs[next]))
		return false;
	s->unpack.marks[run] |= REC_UNPACK_USED;
	w->through |= rec_unpack_bit(run);
	w->at = &w->runs[next];
	w->bits <<= n;
	w->left -= n;
	return true;
}

/* Where the outcomes of @key lead, up to a run whose successors change all the time.  False:
 * nowhere. */
static bool walk_stretch(const struct hs_rec_stream *s, uint32_t key, struct stretch *to,
                         uint64_t *through)
{
	struct walk w = { .runs = s->rec->runs.runs,
		          .at = s->rec->runs.runs + (key >> OUTCOMES),
		          .bits = (uint64_t)key << (64 - OUTCOMES),
		          .left = OUTCOMES,
		          .out = s->recall->blocks + s->recall->used };

	if (s->recall->ids != NULL)
		w.ids = s->recall->ids + s->recall->used;
	*to = (struct stretch){ .key = key, .first = s->recall->used };
	while (w.left > 0 && take_step(s, &w)) {
		const uint32_t run = (uint32_t)(w.at - w.runs);

		if (w.joined == 0) {
			to->last = run;
			to->taken = (uint8_t)(OUTCOMES - w.left);
			to->blocks = (uint8_t)w.n;
			*through = w.through;
		}
		if (rec_unpack_is_loose(&s->unpack, run))
			break;
	}
	return to->taken != 0;
}

const struct stretch *recall_learn(struct hs_rec_stream *s, uint32_t key)
{
	struct rec_recall *r = s->recall;
	struct stretch new;
	uint64_t through = 0;

	if (r->used + OUTCOMES > r->room)
		forget_all(s);
	if (!walk_stretch(s, key, &new, &through))
		return NULL;
	const size_t place = place_of(r, key);

	if (r->times != NULL)
		give_times(s, place);
	r->used += new.blocks;
	r->through[place] = through;
	r->stretches[place] = new;
	return &r->stretches[place];
}

uint32_t recall_step(const struct hs_rec_stream *s, uint32_t run, struct rec_outcomes *outcomes,
                     struct hs_block *out, uint32_t *id)
{
	struct walk w = { .runs = s->rec->runs.runs,
		          .at = s->rec->runs.runs + run,
		          .bits = outcomes->bits,
		          .left = outcomes->left,
		          .out = out,
		          .ids = id };

	if (!rec_unpack_is_loose(&s->unpack, run) || !take_step(s, &w) || w.joined != 0)
		return NONE;
	*outcomes = (struct rec_outcomes){ w.bits, w.left };
	return (uint32_t)(w.at - w.runs);
}
