/* The seam of a circular buffer where only the program shows it (ADR-0156): messages are followed once
 * around, and where they contradict the program the oldest ones began before. */
#include <stdlib.h>
#include <string.h>

#include <hartscope/etrace.h>

#include "protocol/private.h"

#define STARTS 4u    /* places from which the buffer is walked around */
#define STEP 32u     /* bytes back, to where messages are certain to be those that were written */
#define BACK 4096u   /* at most */
#define ROOM 4096u   /* blocks of a message, and of what it ends */

/* A message of the walk, by its place in the buffer that is there twice. */
struct stop {
	size_t at, length;
	bool syncs, contradicts;
};

struct walk {
	const struct hs_protocol *protocol;
	const void *config;
	struct hs_span buffer; /* as it was given */
	uint8_t *twice;
	void *decoder, *reader;
	void *fresh; /* the state of the decoder before the first byte */
	struct hs_block *out;
	struct stop *stops;
	size_t count, room, first; /* first: where the walk begins */
	uint32_t source;
	bool several; /* sources: a contradiction of one says nothing of the others */
};

/* ---- where messages begin ------------------------------------------------------------ */

/* A place at or after @at where a message begins, whatever was before @at; false: none is near. */
static bool align(const struct walk *w, size_t at, size_t *begin)
{
	const size_t n = w->buffer.n;
	struct hs_ring ring;

	if (w->protocol->find_ring) {
		if (w->protocol->find_ring(w->config, &w->buffer, at % n, &ring) != HS_OK ||
		    !ring.found)
			return false;
		*begin = at + (ring.begin + n - at % n) % n;
		return true;
	}
	while (at < 2 * n && (w->twice[at] & 3) != 3) /* MSEO (NT 3.1) */
		at++;
	*begin = at + 1;
	return at < 2 * n;
}

/* ---- the walk -------------------------------------------------------------------------- */

/* Does it have a full address?  Where messages end by MSEO, the byte before says that one begins. */
static bool synchronises(const struct walk *w, size_t at, const struct hs_message *m)
{
	if (w->protocol->find_ring)
		return m->length && m->code == HS_ET_FORM_START;
	const struct hs_span bytes = { w->twice + at - 1, m->length + 1 };

	return m->length && w->protocol->find_sync(w->config, &bytes) == 1;
}

static bool add_stop(struct walk *w, const struct hs_message *m)
{
	if (w->count == w->room) {
		const size_t room = w->room ? 2 * w->room : 1024;
		struct stop *more = realloc(w->stops, room * sizeof(*more));

		if (!more)
			return false;
		w->stops = more;
		w->room = room;
	}
	const size_t at = w->first + (size_t)m->offset;

	w->stops[w->count++] =
		(struct stop){ .at = at, .length = m->length, .syncs = synchronises(w, at, m) };
	w->several |= w->count > 1 && m->has_source && m->source != w->source;
	w->source = m->source;
	return true;
}

/* Does the decoder accept it, and what it ends? */
static bool decodes(struct walk *w, const uint8_t *p, size_t n)
{
	struct hs_span in = { p, n };
	enum hs_status s;
	bool good = true;
	size_t count;

	do {
		s = w->protocol->decode(w->decoder, &in, w->out, ROOM, &count);
		good &= s == HS_OK || s == HS_MORE || s == HS_FULL;
	} while (s != HS_MORE);
	return good;
}

/* Read and decode messages from w->first on, once around. */
static enum hs_status go_round(struct walk *w)
{
	struct hs_span in = { w->twice + w->first, w->buffer.n };
	size_t done = w->first;
	struct hs_message m;

	for (;;) {
		const enum hs_status s = w->protocol->read(w->reader, &in, &m);

		if (s == HS_MORE)
			return HS_OK;
		if (s != HS_OK) /* its bytes are decoded with the next one */
			m.length = 0;
		if (!add_stop(w, &m))
			return HS_E_MEMORY;
		struct stop *stop = &w->stops[w->count - 1];
		const size_t end = stop->at + stop->length;

		stop->contradicts = s != HS_OK || !decodes(w, w->twice + done, end - done);
		done = stop->contradicts && !stop->length ? done : end;
	}
}

static enum hs_status walk_from(struct walk *w, size_t at)
{
	enum hs_status s;

	w->count = 0;
	w->several = false;
	if (!align(w, at, &w->first) || w->first > w->buffer.n) /* it is there twice only */
		return HS_OK;
	w->protocol->decoder_restore(w->decoder, w->fresh);
	s = w->protocol->reader_new(&w->reader, w->config);
	if (s != HS_OK)
		return s;
	s = go_round(w);
	w->protocol->reader_free(w->reader);
	return s;
}

/* ---- the seam -------------------------------------------------------------------------- */

/* The messages between which the seam is: the last one that synchronises before the contradiction,
 * and the next one after it.  False: there is no contradiction, or another one far from it. */
static bool find_bounds(const struct walk *w, size_t *before, size_t *after)
{
	size_t sync = SIZE_MAX, bad = SIZE_MAX, i = 0;

	for (; i < w->count && bad == SIZE_MAX; i++) {
		if (w->stops[i].contradicts && sync != SIZE_MAX)
			bad = i;
		else if (w->stops[i].syncs)
			sync = i;
	}
	if (bad == SIZE_MAX || w->several)
		return false;
	*before = sync;
	while (i < w->count && !w->stops[i].syncs)
		i++;
	*after = i;
	for (; i < w->count; i++)
		if (w->stops[i].contradicts)
			return false;
	return true;
}

/* Where the newest message ends, at least: messages are read as they were written from where all
 * ways of reading agree, and had the seam been before that, nothing would contradict. */
static bool find_end(const struct walk *w, size_t before, size_t *end)
{
	const size_t sync = w->stops[before].at;
	size_t begin;

	for (size_t back = STEP; back < BACK && back < sync - w->first; back += STEP) {
		if (!align(w, sync - back, &begin) || begin > sync)
			continue;
		while (before && w->stops[before].at > sync - back)
			before--;
		*end = w->stops[before].at;
		return w->stops[before].at <= sync - back;
	}
	return false;
}

static bool take_seam(const struct walk *w, struct hs_ring *ring)
{
	const size_t n = w->buffer.n;
	size_t before, after, end;

	if (!find_bounds(w, &before, &after) || !find_end(w, before, &end))
		return false;
	if (after == w->count) { /* it is before the place where the walk began */
		for (after = 0; !w->stops[after].syncs; after++)
			;
		if (w->stops[after].at >= end)
			return false;
	}
	*ring = (struct hs_ring){
		.begin = w->stops[after].at % n, .end = end % n, .found = true,
		.evidence = HS_RING_PROGRAM, .places = 1
	};
	if (ring->begin == 0 && ring->end == 0)
		ring->end = n;
	return true;
}

static enum hs_status find_contradiction(struct walk *w, struct hs_ring *ring)
{
	const size_t n = w->buffer.n;
	enum hs_status s = HS_OK;

	memcpy(w->twice, w->buffer.p, n);
	memcpy(w->twice + n, w->buffer.p, n);
	for (unsigned i = 0; i < STARTS && s == HS_OK && !ring->found; i++) {
		s = walk_from(w, n / STARTS * i);
		if (s == HS_OK)
			take_seam(w, ring);
	}
	return s;
}

static enum hs_status open_walk(struct walk *w, const struct hs_image *image,
                                const struct hs_image_set *set)
{
	const enum hs_status s = w->protocol->decoder_new(&w->decoder, w->config, image, set);

	if (s != HS_OK)
		return s;
	w->twice = malloc(2 * w->buffer.n);
	w->out = malloc(ROOM * sizeof(*w->out));
	w->fresh = malloc(w->protocol->decoder_state(w->decoder));
	if (!w->twice || !w->out || !w->fresh)
		return HS_E_MEMORY;
	w->protocol->decoder_save(w->decoder, w->fresh);
	return HS_OK;
}

static void close_walk(struct walk *w)
{
	if (w->decoder)
		w->protocol->decoder_free(w->decoder);
	free(w->twice);
	free(w->out);
	free(w->fresh);
	free(w->stops);
}

enum hs_status hs_protocol_find_seam(const struct hs_protocol *p, const void *config,
                                     const struct hs_image *image, const struct hs_image_set *set,
                                     const struct hs_span *buffer, struct hs_ring *ring)
{
	struct walk w = { .protocol = p, .config = config, .buffer = *buffer };
	enum hs_status s;

	if (ring->found || ring->places || buffer->n < 64) /* what is damaged contradicts, too */
		return HS_OK;
	s = open_walk(&w, image, set);
	if (s == HS_OK)
		s = find_contradiction(&w, ring);
	close_walk(&w);
	return s;
}
