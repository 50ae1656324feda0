/* perf.data: buffers of CoreSight frames, in which several sources have their bytes
 * (design/perf-data).  A buffer is read once for each of them. */
#include <stdlib.h>
#include <string.h>

#include "core/search.h"
#include "inputs/perf_private.h"
#include "transport/transport.h"

#define FRAME 16u
#define PIECE 4096u
#define NONE 0xffu /* no source is named */

/* A place in a buffer of frames. */
struct walk {
	struct hs_frame_reader reader;
	size_t extent;
	uint64_t used; /* bytes of it that were read */
	bool gap_given;
	bool begun;    /* frames came since the last gap or barrier */
	unsigned skip; /* bytes up to the next frame */
	uint8_t frame[FRAME];
	unsigned held;
	uint64_t at; /* of the frame, in the buffer */
	uint8_t piece[PIECE];
	size_t next, n; /* bytes of the piece that were used, and all */
};

struct perf_frames {
	struct walk walk;
	struct hs_frame held; /* bytes that were not given yet */
	unsigned given;
	bool pending; /* the gap is next */
	struct hs_perf_gap gap;
	/* for offsets: a walk that was there, and the frame that it is after */
	bool placed;
	struct walk place;
	uint64_t before, count; /* bytes of the source before that frame, and in it */
};

enum step { STEP_FRAME, STEP_GAP, STEP_END, STEP_FAILED };

/* ---- frame by frame -------------------------------------------------------------------- */

static void begin(struct walk *w, uint64_t offset)
{
	hs_frame_reader_init(&w->reader, true);
	w->skip = (unsigned)(-offset % FRAME);
	w->held = 0;
	w->begun = false;
}

static void begin_at(struct walk *w, const struct perf_lane *l, size_t extent)
{
	memset(w, 0, sizeof(*w));
	w->extent = extent;
	begin(w, l->extents[extent].offset);
	w->reader.id = l->extents[extent].id;
}

/* Four full synchronisations, where the sink begins a block. */
static bool is_barrier(const uint8_t *frame)
{
	static const uint8_t word[4] = { 0xff, 0xff, 0xff, 0x7f };

	for (unsigned i = 0; i < FRAME; i += sizeof(word))
		if (memcmp(frame + i, word, sizeof(word)) != 0)
			return false;
	return true;
}

/* Have bytes in the piece. */
static enum step fill(struct hs_perf *p, const struct perf_lane *l, struct walk *w,
                      struct hs_perf_gap *gap)
{
	if (w->used == l->extents[w->extent].size) {
		w->extent++;
		w->used = 0;
		w->gap_given = false;
	}
	if (w->extent == l->count) {
		w->extent--; /* and again */
		w->used = l->extents[w->extent].size;
		return STEP_END;
	}
	const struct perf_extent *e = &l->extents[w->extent];
	const uint64_t left = e->size - w->used;

	if (!w->used && e->gap && !w->gap_given) {
		w->gap_given = true;
		begin(w, e->offset);
		*gap = (struct hs_perf_gap){ e->offset, e->gap, e->inside, w->extent == 0, false };
		return STEP_GAP;
	}
	w->next = 0;
	if (perf_read_at(p, e->at + w->used, w->piece, left < PIECE ? (size_t)left : PIECE, &w->n,
	                 NULL) != HS_OK ||
	    !w->n)
		return STEP_FAILED;
	w->used += w->n;
	return STEP_FRAME;
}

/* Take bytes of the piece.  False: the frame is not whole. */
static bool take_bytes(struct walk *w, uint64_t end)
{
	const size_t left = w->n - w->next;
	const size_t skip = w->skip < left ? w->skip : left;
	const size_t want = FRAME - w->held < left - skip ? FRAME - w->held : left - skip;

	w->skip -= (unsigned)skip;
	w->next += skip;
	memcpy(w->frame + w->held, w->piece + w->next, want);
	w->next += want;
	w->held += (unsigned)want;
	if (w->held < FRAME)
		return false;
	w->held = 0;
	w->at = end - (w->n - w->next) - FRAME;
	return true;
}

/* The frame is whole.  STEP_END: it is nothing. */
static enum step use(struct walk *w, struct hs_frame *out, struct hs_perf_gap *gap)
{
	const bool barrier = is_barrier(w->frame), begun = w->begun;
	struct hs_span bytes = { w->frame, FRAME };

	if (!barrier && hs_frame_read(&w->reader, &bytes, out) == HS_OK) {
		w->begun = true;
		return STEP_FRAME;
	}
	w->reader.id = NONE;
	w->begun = false;
	*gap = (struct hs_perf_gap){ w->at,
		                     barrier ? "another block of the sink"
		                             : "no CoreSight frame can be here",
		                     !barrier, false, barrier };
	return barrier && !begun ? STEP_END : STEP_GAP;
}

static enum step step(struct hs_perf *p, const struct perf_lane *l, struct walk *w,
                      struct hs_frame *out, struct hs_perf_gap *gap)
{
	enum step s;

	for (;;) {
		if (w->next == w->n) {
			w->n = w->next = 0;
			s = fill(p, l, w, gap);
			if (s != STEP_FRAME)
				return s;
		}
		if (!take_bytes(w, l->extents[w->extent].offset + w->used))
			continue;
		s = use(w, out, gap);
		if (s != STEP_END)
			return s;
	}
}

/* ---- is it made of frames? ----------------------------------------------------------------- */

/* The first bytes of a buffer, from a frame's on. */
static size_t read_start(struct hs_perf *p, const struct perf_lane *l, uint8_t *out)
{
	const struct perf_extent *e = l->extents;
	const uint64_t skip = -e->offset % FRAME, left = e->size - skip;
	size_t n = 0;

	const size_t want = left < PIECE ? (size_t)left : PIECE;

	if (e->size <= skip || perf_read_at(p, e->at + skip, out, want, &n, NULL) != HS_OK)
		return 0;
	return n / FRAME * FRAME;
}

static bool begins_with_barrier(struct hs_perf *p, const struct perf_lane *l)
{
	uint8_t bytes[PIECE];
	const size_t n = l->count ? read_start(p, l, bytes) : 0;

	for (size_t i = 0; i < n; i += FRAME)
		if (is_barrier(bytes + i))
			return true;
	return false;
}

/* Without a barrier: the first byte names a source, as no message of N-Trace begins; there are as
 * many sources as CPUs at most, and each one's first byte begins a message. */
static bool begins_with_frames(struct hs_perf *p, const struct perf_lane *l)
{
	uint8_t bytes[PIECE];
	struct hs_span in = { bytes, l->count ? read_start(p, l, bytes) : 0 };
	struct hs_frame_reader r;
	struct hs_frame f;
	bool seen[HS_FRAME_IDS] = { false };
	size_t sources = 0;

	hs_frame_reader_init(&r, true);
	if (!in.n || !(bytes[0] & 1))
		return false;
	while (in.n) {
		if (hs_frame_read(&r, &in, &f) != HS_OK)
			return false;
		for (unsigned i = 0; i < f.n; i++) {
			const unsigned id = f.id[i];

			if (id > HS_FRAME_SOURCE_MAX || seen[id])
				continue;
			if ((f.byte[i] & 3u) != 0 || ++sources > p->info.cpu_count)
				return false;
			seen[id] = true;
		}
	}
	return sources != 0;
}

/* What the file says of itself is only a vendor's, whose encoders of N-Trace may be ahead of an
 * ATB. */
static bool is_framed(struct hs_perf *p)
{
	bool all = p->info.cpu_count && p->cpus[0].format == 1;

	for (size_t i = 0; i < p->lane_count; i++)
		if (begins_with_barrier(p, &p->lanes[i]))
			return true;
	for (size_t i = 0; all && i < p->lane_count; i++)
		all = begins_with_frames(p, &p->lanes[i]);
	return all;
}

/* ---- a buffer for each source ---------------------------------------------------------------- */

static bool copy_lane(struct perf_lane *to, const struct perf_lane *of, uint8_t id)
{
	*to = *of;
	to->info.source = id;
	to->info.bytes = 0;
	to->frames = calloc(1, sizeof(*to->frames));
	to->extents = calloc(of->count, sizeof(*to->extents));
	to->moments = calloc(of->moment_count + 1, sizeof(*to->moments));
	if (!to->frames || !to->extents || !to->moments)
		return false;
	memcpy(to->extents, of->extents, of->count * sizeof(*to->extents));
	if (of->moment_count)
		memcpy(to->moments, of->moments, of->moment_count * sizeof(*to->moments));
	for (size_t i = 0; i < of->count; i++)
		to->extents[i].before = 0;
	return true;
}

/* The lanes that one of frames becomes. */
struct sources {
	struct perf_lane *of[HS_FRAME_IDS];
	bool failed;
};

static void count_frame(struct sources *s, const struct perf_lane *l, const struct hs_frame *f)
{
	for (unsigned i = 0; i < f->n && !s->failed; i++) {
		const uint8_t id = f->id[i];

		if (id == HS_FRAME_NULL || id > HS_FRAME_SOURCE_MAX)
			continue;
		if (!s->of[id]) {
			s->of[id] = calloc(1, sizeof(**s->of));
			s->failed = !s->of[id] || !copy_lane(s->of[id], l, id);
		}
		if (!s->failed)
			s->of[id]->info.bytes++;
	}
}

/* An extent begins: where each source is, and which one is named. */
static void note_extent(struct sources *s, struct perf_lane *l, size_t extent, uint8_t named)
{
	l->extents[extent].id = named;
	for (size_t i = 0; i < HS_FRAME_IDS; i++)
		if (s->of[i]) {
			s->of[i]->extents[extent].before = s->of[i]->info.bytes;
			s->of[i]->extents[extent].id = named;
		}
}

static enum hs_status count_sources(struct hs_perf *p, struct perf_lane *l, struct sources *s)
{
	struct walk *w = malloc(sizeof(*w));
	uint64_t gaps = l->end_gap != NULL;
	enum step now = STEP_FRAME;
	struct hs_perf_gap gap;
	struct hs_frame f;

	if (!w)
		return HS_E_MEMORY;
	for (size_t i = 0; i < l->count; i++)
		l->extents[i].id = NONE;
	if (!l->extents->gap && l->torn) { /* a trace buffer loses what came first */
		l->extents->gap = l->torn;
		l->extents->inside = true;
	}
	begin_at(w, l, 0);
	while (now != STEP_END && now != STEP_FAILED && !s->failed) {
		const uint8_t named = w->reader.id;
		const size_t extent = w->extent;

		now = step(p, l, w, &f, &gap);
		for (size_t i = extent + 1; i <= w->extent; i++)
			note_extent(s, l, i, named);
		gaps += now == STEP_GAP;
		if (now == STEP_FRAME)
			count_frame(s, l, &f);
	}
	free(w);
	for (size_t i = 0; i < HS_FRAME_IDS; i++)
		if (s->of[i])
			s->of[i]->info.gaps = gaps;
	if (s->failed)
		return HS_E_MEMORY;
	return now == STEP_END ? HS_OK : HS_E_SYSTEM;
}

static void free_lane(struct perf_lane *l)
{
	free(l->frames);
	free(l->extents);
	free(l->moments);
}

static enum hs_status keep_sources(struct hs_perf *p, struct sources *s, size_t *room)
{
	enum hs_status status = HS_OK;

	for (size_t i = 0; i < HS_FRAME_IDS; i++) {
		if (!s->of[i])
			continue;
		if (support_grow(&p->lanes, room, p->lane_count + 1, sizeof(*p->lanes))) {
			p->lanes[p->lane_count] = *s->of[i];
			begin_at(&s->of[i]->frames->walk, s->of[i], 0);
			p->lane_count++;
		} else {
			free_lane(s->of[i]);
			status = HS_E_MEMORY;
		}
		free(s->of[i]);
	}
	return status;
}

static enum hs_status split_lanes(struct hs_perf *p)
{
	struct perf_lane *old = p->lanes;
	const size_t count = p->lane_count;
	enum hs_status status = HS_OK;
	size_t room = 0;

	p->lanes = NULL;
	p->lane_count = 0;
	for (size_t i = 0; i < count; i++) {
		struct sources s = { .failed = false };

		if (status == HS_OK && old[i].count)
			status = count_sources(p, &old[i], &s);
		const enum hs_status kept = keep_sources(p, &s, &room);

		status = status == HS_OK ? kept : status;
		free_lane(&old[i]);
	}
	free(old);
	return status;
}

enum hs_status perf_split_frames(struct hs_perf *p)
{
	p->info.framed =
		p->form == PERF_FORM_FRAMES || (p->form == PERF_FORM_FOUND && is_framed(p));
	return p->info.framed ? split_lanes(p) : HS_OK;
}

/* ---- reading ----------------------------------------------------------------------------- */

static void give(const struct perf_lane *l, uint8_t *out, size_t cap, size_t *n)
{
	struct perf_frames *f = l->frames;

	for (; f->given < f->held.n && *n < cap; f->given++)
		if (f->held.id[f->given] == l->info.source)
			out[(*n)++] = f->held.byte[f->given];
}

enum hs_status perf_read_frames(struct hs_perf *p, struct perf_lane *l, uint8_t *out, size_t cap,
                                size_t *n, struct hs_perf_gap *gap)
{
	struct perf_frames *f = l->frames;
	enum step now = STEP_FRAME;

	give(l, out, cap, n);
	while (*n < cap && now == STEP_FRAME && !f->pending) {
		now = step(p, l, &f->walk, &f->held, &f->gap);
		f->pending = now == STEP_GAP;
		f->given = now == STEP_FRAME ? 0 : f->held.n;
		give(l, out, cap, n);
	}
	if (*n)
		return HS_OK;
	if (now == STEP_FAILED)
		return HS_E_SYSTEM;
	if (!f->pending)
		return HS_END;
	f->pending = false;
	*gap = f->gap;
	return HS_E_LOST;
}

void perf_rewind_frames(struct perf_lane *l)
{
	begin_at(&l->frames->walk, l, 0);
	l->frames->given = l->frames->held.n = 0;
	l->frames->pending = false;
}

/* ---- offsets ----------------------------------------------------------------------------- */

/* Begin in the extent with a byte, or before it, where a frame begins in no other one. */
static void place_at(const struct perf_lane *l, uint64_t bytes)
{
	struct perf_frames *f = l->frames;
	size_t i = base_count_leading(l->count, k, l->extents[k].before <= bytes);

	i -= i != 0;
	while (i && l->extents[i].offset % FRAME && !l->extents[i].gap)
		i--;
	begin_at(&f->place, l, i);
	f->before = l->extents[i].before;
	f->count = 0;
	f->placed = true;
}

uint64_t perf_frames_offset(struct hs_perf *p, const struct perf_lane *l, uint64_t bytes)
{
	struct perf_frames *f = l->frames;
	struct hs_perf_gap gap;
	struct hs_frame frame;

	if (!f->placed || bytes < f->before)
		place_at(l, bytes);
	while (bytes >= f->before + f->count) {
		const enum step now = step(p, l, &f->place, &frame, &gap);

		if (now == STEP_END || now == STEP_FAILED)
			return l->extents[l->count - 1].offset + l->extents[l->count - 1].size;
		f->before += f->count;
		f->count = 0;
		for (unsigned i = 0; now == STEP_FRAME && i < frame.n; i++)
			f->count += frame.id[i] == l->info.source;
	}
	return f->place.at;
}
