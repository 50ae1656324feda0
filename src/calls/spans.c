/* Calls as spans: each stack has a copy of its frames, and a frame's tag is 1 + the number of its
 * track. */
#include <stdlib.h>

#include "calls/exports_private.h"
#include "calls/stacks.h"
#include "support/grow.h"

/* ---- tracks --------------------------------------------------------------------------- */

static struct exports_hart *hart_of(const struct hs_export *x)
{
	return &x->harts[x->select.index];
}

/* A new hart begins at its first place. */
static void find_place(const struct hs_export *x, struct exports_hart *h, uint32_t hart)
{
	while (h->place < x->o.place_count && x->o.places[h->place].hart != hart)
		h->place++;
	if (h->place < x->o.place_count)
		h->late = x->o.places[h->place++].at;
}

/* What begins after a place is there.  What ends with its instruction came before. */
static void pass_places(const struct hs_export *x, struct exports_hart *h)
{
	const struct hs_export_place *p = x->o.places;

	for (; h->place < x->o.place_count && p[h->place].hart == x->select.hart &&
	       p[h->place].retired < h->instructions;
	     h->place++)
		h->late = p[h->place].at - p[h->place].retired;
}

static enum hs_status have_hart(struct hs_export *x)
{
	const size_t count = x->select.harts.count;
	struct exports_hart *more = x->harts;

	if (count == x->hart_count)
		return HS_OK;
	more = realloc(more, count * sizeof(*more));
	if (!more)
		return HS_E_MEMORY;
	x->harts = more;
	for (; x->hart_count < count; x->hart_count++) {
		more[x->hart_count] = (struct exports_hart){ .track = NULL };
		find_place(x, &more[x->hart_count], x->hart_count ? x->select.hart : 0);
	}
	return HS_OK;
}

static struct exports_track *new_track(struct hs_export *x)
{
	struct exports_track *t = calloc(1, sizeof(*t));
	struct exports_track **more = x->tracks;

	if (!(x->track_count & (x->track_count - 1))) /* full at each power of two */
		more = realloc(more, (x->track_count ? 2 * (size_t)x->track_count : 1) *
		                             sizeof(struct exports_track *));
	if (!t || !more) {
		x->tracks = more ? more : x->tracks;
		free(t);
		return NULL;
	}
	x->tracks = more;
	t->number = x->track_count;
	t->hart = x->select.hart;
	t->index = x->select.index;
	more[x->track_count++] = t;
	return t;
}

void exports_free_tracks(struct hs_export *x)
{
	for (uint32_t i = 0; i < x->track_count; i++) {
		free(x->tracks[i]->spans);
		free(x->tracks[i]->open);
		free(x->tracks[i]);
	}
	free(x->tracks);
	free(x->harts);
}

uint64_t exports_time(const struct hs_export *x, uint64_t ticks)
{
	const uint64_t hz = x->o.clock_hz;

	if (!hz)
		return ticks;
	return ticks / hz * 1000000000u + (uint64_t)((double)(ticks % hz) * 1e9 / (double)hz);
}

uint64_t exports_now(const struct hs_export *x, const struct exports_track *t)
{
	const struct exports_hart *h = &x->harts[t->index];

	return x->o.clock_hz ? exports_time(x, h->time) : h->instructions + h->late;
}

/* ---- spans ------------------------------------------------------------------------------ */

static bool is_shown(const struct hs_export *x, uint32_t depth)
{
	return !x->o.depth || depth < x->o.depth;
}

static enum hs_status open_span(struct hs_export *x, struct exports_track *t,
                                const struct hs_stack_frame *f)
{
	if (!support_grow(&t->spans, &t->room, t->depth + 1, sizeof(*t->spans)))
		return HS_E_MEMORY;
	struct exports_span *s = &t->spans[t->depth++];

	*s = (struct exports_span){ .name = f->name,
		                    .start = f->start,
		                    .how = f->how,
		                    .site = f->has_resume && f->how == HS_FRAME_CALL ? f->resume - 2
		                                                                     : 0,
		                    .again = f->tag != 0,
		                    .begun = exports_now(x, t),
		                    .first = x->harts[t->index].instructions };
	x->report.calls += !s->again;
	return x->format->open && is_shown(x, t->depth - 1) ? x->format->open(x, t, s) : HS_OK;
}

static enum hs_status close_span(struct hs_export *x, struct exports_track *t)
{
	struct exports_span *s = &t->spans[t->depth - 1];
	enum hs_status status = HS_OK;

	if (x->format->close && is_shown(x, t->depth - 1))
		status = x->format->close(x, t, s);
	if (t->depth > 1)
		s[-1].called += s->self + s->called;
	t->depth--;
	return status;
}

static enum hs_status close_spans(struct hs_export *x, struct exports_track *t, uint32_t left)
{
	enum hs_status s = HS_OK;

	while (t->depth > left && s == HS_OK)
		s = close_span(x, t);
	return s;
}

enum hs_status exports_close_all(struct hs_export *x)
{
	enum hs_status s = HS_OK;

	for (uint32_t i = 0; i < x->track_count && s == HS_OK; i++)
		s = close_spans(x, x->tracks[i], 0);
	return s;
}

/* ---- frames to spans -------------------------------------------------------------------- */

static bool same(const struct exports_span *s, const struct hs_stack_frame *f)
{
	return s->name == f->name && (s->name || s->start == f->start) && s->how == f->how;
}

/* Make the spans of the hart's track what the frames are, keeping the outer ones that are. */
static enum hs_status copy_frames(struct hs_export *x, struct exports_track *t,
                                  struct hs_stack_frame *f, size_t n)
{
	uint32_t equal = 0;

	while (equal < n && equal < t->depth && same(&t->spans[equal], &f[equal]))
		equal++;
	enum hs_status s = close_spans(x, t, equal);

	for (size_t i = 0; i < n && s == HS_OK; i++) {
		if (i >= equal)
			s = open_span(x, t, &f[i]);
		f[i].tag = t->number + 1u;
	}
	return s;
}

/* Another stack is the hart's: its track, or a new one. */
static enum hs_status change_track(struct hs_export *x, struct hs_stack_frame *f, size_t n)
{
	struct exports_hart *h = hart_of(x);
	struct exports_track *t = f[0].tag ? x->tracks[f[0].tag - 1] : NULL;
	enum hs_status s = HS_OK;

	if (h->track && h->track != t && h->lost)
		s = close_spans(x, h->track, 0);
	if (s == HS_OK && t && t->index != x->select.index) { /* a track has one hart's time */
		s = close_spans(x, t, 0);
		t = NULL;
	}
	if (s != HS_OK)
		return s;
	struct exports_track *from = h->track;

	t = t ? t : new_track(x);
	if (!t)
		return HS_E_MEMORY;
	h->track = t;
	if (t != from && x->format->change)
		s = x->format->change(x, from, t);
	return s == HS_OK ? copy_frames(x, t, f, n) : s;
}

static enum hs_status change_frames(struct hs_export *x, const struct hs_stack_step *step,
                                    struct hs_stack_frame *f, size_t n)
{
	struct exports_track *t = hart_of(x)->track;
	const uint32_t ended = step->closed + (step->move == HS_STACK_TAIL);
	enum hs_status s = close_spans(x, t, ended < t->depth ? t->depth - ended : 0);
	size_t i = n;

	if (step->move == HS_STACK_TAIL)
		f[n - 1].tag = 0;
	while (i > 0 && !f[i - 1].tag)
		i--;
	for (; i < n && s == HS_OK; i++) {
		s = open_span(x, t, &f[i]);
		f[i].tag = t->number + 1u;
	}
	return s == HS_OK && t->depth != n ? copy_frames(x, t, f, n) : s;
}

static enum hs_status change_spans(struct hs_export *x, const struct hs_stack_step *step)
{
	size_t n;
	struct hs_stack_frame *f = hs_stacks_frames(x->stacks, &n);

	if (step->move == HS_STACK_SAME)
		return HS_OK;
	hart_of(x)->lost |= step->move == HS_STACK_START && !step->sure;
	if (step->move == HS_STACK_SWITCH || step->move == HS_STACK_START || !hart_of(x)->track)
		return change_track(x, f, n);
	return change_frames(x, step, f, n);
}

struct exports_span *exports_span_now(const struct hs_export *x)
{
	const struct exports_track *t = hart_of(x)->track;
	const uint32_t depth = is_shown(x, t->depth - 1) ? t->depth : x->o.depth;

	return &t->spans[depth - 1];
}

void exports_retire(struct hs_export *x, struct exports_span *s, uint64_t count)
{
	s->self += count;
	hart_of(x)->instructions += count;
	pass_places(x, hart_of(x));
	x->report.instructions += count;
	if (!hs_stacks_are_sure(x->stacks))
		x->report.unsure += count;
}

static enum hs_status add_block(struct hs_export *x, const struct hs_block *b,
                                const struct hs_stack_step *step)
{
	uint32_t count = 0;
	enum hs_status s = change_spans(x, step);

	hart_of(x)->lost = false;
	if (s == HS_OK)
		s = program_count_block(&x->counts, &x->select, b, &count);
	if (s != HS_OK)
		return s;
	struct exports_span *top = exports_span_now(x);

	exports_retire(x, top, count);
	if (x->format->number)
		s = exports_count(x, top, b, count);
	return s == HS_OK && x->format->block ? x->format->block(x, top, b, count) : s;
}

static enum hs_status follow_event(struct hs_export *x, const struct hs_block *b)
{
	const enum hs_status s = program_select_event(&x->select, b);

	if (s != HS_OK || have_hart(x) != HS_OK)
		return HS_E_MEMORY;
	if (b->kind == HS_KIND_TIME)
		hart_of(x)->time = b->value;
	hart_of(x)->lost |= hs_event_breaks(b);
	return x->format->event ? x->format->event(x, b) : HS_OK;
}

enum hs_status exports_follow(struct hs_export *x, const struct hs_block *b)
{
	const bool event = b->kind != HS_KIND_BLOCK;
	struct hs_stack_step step;
	enum hs_status s = event ? follow_event(x, b) : have_hart(x);

	if (s == HS_OK)
		s = hs_stacks_follow(x->stacks, b, &step);
	return s == HS_OK && !event ? add_block(x, b, &step) : s;
}
