/* Recordings with time: each hart has a clock, and harts are merged by it. */
#include <stdlib.h>
#include <string.h>

#include "ingress/ingress.h"
#include "recording/recording.h"
#include "source/private.h"

#define LANE_IN 256u
#define LANE_OUT (2 * LANE_IN)

/* A hart of the recording. */
struct source_lane {
	struct hs_rec_stream *stream; /* NULL: it has ended */
	struct hs_clock clock;
	struct hs_block in[LANE_IN], out[LANE_OUT];
	size_t at, n; /* of out */
	uint64_t time; /* of the last item that was given */
};

/* When the next item of a lane is. */
static uint64_t time_of(const struct source_lane *l)
{
	return l->out[l->at].kind == HS_KIND_TIME ? l->out[l->at].value : l->time;
}

static bool has_items(const struct source_lane *l)
{
	return l->at < l->n;
}

static enum hs_status fill(struct source_lane *l, struct hs_error *error)
{
	size_t n, used;
	enum hs_status s;

	if (has_items(l) || !l->stream)
		return HS_OK;
	s = hs_rec_stream_next(l->stream, l->in, LANE_IN, &n, error);
	l->at = 0;
	hs_clock_run(&l->clock, l->in, n, &used, l->out, LANE_OUT, &l->n);
	if (s == HS_OK)
		return s;
	hs_rec_stream_close(l->stream);
	l->stream = NULL;
	return s == HS_END ? HS_OK : s;
}

static enum hs_status fill_all(struct source_recording *r, struct hs_error *error)
{
	for (uint32_t i = 0; i < r->lane_count; i++) {
		struct source_lane *l = &r->lanes[i];

		while (!has_items(l) && l->stream) {
			const enum hs_status s = fill(l, error);

			if (s != HS_OK)
				return s;
		}
	}
	return HS_OK;
}

/* The lane whose next item is first; NULL: there are none.  @until: when the next lane's is. */
static struct source_lane *choose(const struct source_recording *r, uint64_t *until)
{
	struct source_lane *first = NULL;

	*until = UINT64_MAX;
	for (uint32_t i = 0; i < r->lane_count; i++) {
		struct source_lane *l = &r->lanes[i];

		if (!has_items(l))
			continue;
		if (!first || time_of(l) < time_of(first)) {
			*until = first ? time_of(first) : UINT64_MAX;
			first = l;
		} else if (time_of(l) < *until) {
			*until = time_of(l);
		}
	}
	return first;
}

static size_t give(struct source_lane *l, uint64_t until, struct hs_block *out, size_t cap)
{
	size_t n = 0;

	if (until == UINT64_MAX) { /* the only one */
		n = l->n - l->at < cap ? l->n - l->at : cap;
		memcpy(out, l->out + l->at, n * sizeof(*out));
		l->at += n;
		l->time = l->clock.time;
		return n;
	}
	for (; n < cap && has_items(l) && time_of(l) <= until; n++) {
		l->time = time_of(l);
		out[n] = l->out[l->at++];
	}
	return n;
}

enum hs_status source_next_timed(struct hs_source *s, struct hs_block *out, size_t cap, size_t *n,
                                 struct hs_error *error)
{
	struct source_recording *r = &s->recording;

	while (*n < cap) {
		const enum hs_status status = fill_all(r, error);
		uint64_t until;

		if (status != HS_OK)
			return status;
		struct source_lane *l = choose(r, &until);

		if (!l)
			return *n ? HS_OK : HS_END;
		if (l != r->current && !s->one_hart && r->lane_count > 1) {
			r->current = l;
			out[(*n)++] = (struct hs_block){ .kind = HS_KIND_HART,
				                         .arg = r->lane_harts[l - r->lanes] };
		}
		*n += give(l, until, out + *n, cap - *n);
	}
	return HS_OK;
}

static enum hs_status open_lane(struct source_recording *r, uint32_t i, struct hs_error *error)
{
	struct source_lane *l = &r->lanes[i];
	const enum hs_status s =
		source_open_stream(r, r->next_stream + i, &l->stream, error);

	if (s != HS_OK)
		return s;
	r->lane_harts[i] = hs_rec_stream_hart(l->stream);
	if (hs_clock_init(&l->clock, &r->clock, hs_rec_image(r->rec)) != HS_OK)
		return hs_error_set(error, HS_E_CONFIG, "hs_clock_config: unknown members are set");
	return HS_OK;
}

/* Open the streams that are still to be read. */
enum hs_status source_open_lanes(struct source_recording *r, struct hs_error *error)
{
	const uint32_t count = r->end_stream - r->next_stream;
	enum hs_status s = HS_OK;

	r->lanes = calloc(count ? count : 1, sizeof(*r->lanes));
	r->lane_harts = calloc(count ? count : 1, sizeof(*r->lane_harts));
	r->lane_count = 0;
	if (!r->lanes || !r->lane_harts) {
		source_close_lanes(r); /* the caller may try again */
		return hs_error_set(error, HS_E_MEMORY, "out of memory");
	}
	r->current = NULL;
	for (; r->lane_count < count && s == HS_OK; r->lane_count++)
		s = open_lane(r, r->lane_count, error);
	return s;
}

void source_close_lanes(struct source_recording *r)
{
	for (uint32_t i = 0; i < r->lane_count; i++)
		hs_rec_stream_close(r->lanes[i].stream);
	free(r->lanes);
	free(r->lane_harts);
	r->lanes = NULL;
	r->lane_harts = NULL;
	r->lane_count = 0;
}
