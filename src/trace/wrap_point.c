/* The wrap point of a circular buffer where only the program shows it (design/captures): messages
 * are followed once around, and where they contradict the program the oldest ones began before.
 *
 * Example: a buffer of 4,096 bytes that wrapped at byte 1,000: bytes 1,000 to 4,095 and then 0 to
 * 999 are in order.  Two copies in a row are walked from a place where a message begins.  The flow
 * contradicts the program soon after byte 1,000; the trace begins at the next synchronisation
 * after that, and ends with the last message before it that is certain.
 *
 * Invariants: what is between both is not decoded.  With several sources there is no wrap point to
 * find: a contradiction of one says nothing of the others.
 */
#include <stdlib.h>
#include <string.h>

#include <hartscope/etrace.h>
#include <hartscope/ntrace.h>

#include "trace/protocol.h"

#define STARTS 4u  /* places from which the buffer is walked around */
#define STEP 32u   /* bytes back, to where messages are certain to be those that were written */
#define BACK 4096u /* at most */
#define ROOM 4096u /* blocks of a message, and of what it ends */

/* A message of the walk, by its place in the buffer that is there twice. */
struct stop {
	size_t at, length;
	bool syncs, contradicts;
	bool lasts; /* it says what no synchronisation resets */
};

struct walk {
	const struct hs_protocol *protocol;
	const void *config;
	struct hs_span buffer; /* as it was given */
	uint8_t *twice;
	struct hs_decoder *decoder;
	struct hs_reader *reader;
	void *known; /* the state of a reader with the options that the last support packet left */
	void *fresh; /* the state of the decoder before the first byte */
	struct hs_block *out;
	struct stop *stops;
	size_t count, room, first; /* first: where the walk begins */
	uint32_t source;
	bool programs;    /* contexts have some */
	uint64_t process; /* of the last Ownership message that names one; 0: none yet */
	bool changes;     /* messages of the walk disagree on what lasts */
	bool several;     /* sources: a contradiction of one says nothing of the others */
};

/* ---- where messages begin ------------------------------------------------------------ */

static bool ends_by_mseo(const struct walk *w)
{
	return w->protocol->codec->end == CODEC_END_MSEO;
}

/* A place at or after @at where a message begins, whatever was before @at; false: none is near. */
static bool align(const struct walk *w, size_t at, size_t *begin)
{
	const size_t n = w->buffer.n;
	struct hs_ring ring;

	if (!ends_by_mseo(w)) {
		if (w->protocol->codec->find_ring(w->config, &w->buffer, at % n, &ring) != HS_OK ||
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

/* Does it have a full address?  Where messages end by MSEO, the byte before says that one
 * begins. */
static bool synchronises(const struct walk *w, size_t at, const struct hs_message *m)
{
	if (!ends_by_mseo(w))
		return m->length && m->code == HS_ET_FORM_START;
	const struct hs_span bytes = { w->twice + at - 1, m->length + 1 };

	return m->length && w->protocol->codec->find_cut(w->config, &bytes, true) == 1;
}

static bool has_data_options(const struct hs_message *m)
{
	for (unsigned i = 0; i < m->count; i++)
		if (strcmp(m->field[i].name, "doptions") == 0)
			return true;
	return false;
}

/* A support packet: how the packets after it are laid out (ET Format 3 subformat 3).  Readers do
 * not keep options of data trace: they may change with each. */
static bool sets_options(struct walk *w, const struct hs_message *m)
{
	if (ends_by_mseo(w) || m->code != HS_ET_FORM_SUPPORT)
		return false;
	w->changes |= !machine_alike(w->reader, NULL, w->known) || has_data_options(m);
	machine_save(w->reader, w->known);
	return true;
}

/* FORMAT 2 of an Ownership message: the context names the program (NT Table 12). */
static bool sets_program(struct walk *w, const struct hs_message *m)
{
	if (!ends_by_mseo(w) || !w->programs || m->code != HS_NT_OWNERSHIP || !m->count)
		return false;
	const uint64_t process = m->field[0].value & ~(uint64_t)0x1c; /* without V and PRV */

	if ((process & 3) != 2)
		return false;
	w->changes |= process != w->process;
	w->process = process;
	return true;
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
		(struct stop){ .at = at,
		               .length = m->length,
		               .syncs = synchronises(w, at, m),
		               .lasts = m->length && (sets_options(w, m) || sets_program(w, m)) };
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
		s = hs_decode(w->decoder, &in, w->out, ROOM, &count);
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
		const enum hs_status s = hs_reader_next(w->reader, &in, &m);

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
	w->count = 0;
	w->process = 0;
	w->changes = w->several = false;
	if (!align(w, at, &w->first) || w->first > w->buffer.n) /* it is there twice only */
		return HS_OK;
	machine_restore(w->decoder, w->fresh);
	machine_begin(w->reader, NULL, 0);
	machine_save(w->reader, w->known);
	return go_round(w);
}

/* ---- the wrap point -------------------------------------------------------------------------- */

/* The first contradiction, and the last message before it that synchronises.  None may come
 * earlier: the wrap point would be before it, and that message would have ended what the wrap point
 * did. */
static bool find_bad(const struct walk *w, size_t *sync, size_t *bad)
{
	*sync = SIZE_MAX;
	for (size_t i = 0; i < w->count; i++) {
		if (w->stops[i].contradicts) {
			*bad = i;
			return *sync != SIZE_MAX;
		}
		if (w->stops[i].syncs)
			*sync = i;
	}
	return false;
}

/* Messages disagree on what no synchronisation resets, and a message cut at the wrap point may be
 * one of them: the last of these before the contradiction must come first, too. */
static bool find_lasting(const struct walk *w, size_t bad, size_t *before)
{
	size_t last = bad;

	while (last && !w->stops[last - 1].lasts)
		last--;
	if (last && last - 1 < *before)
		*before = last - 1;
	return last;
}

/* The messages between which the wrap point is: the last one that synchronises before the
 * contradiction, and the next one after it from where all ways of reading agree: before that some
 * may begin inside of old ones.  False: there is no contradiction, or another one far from it. */
static bool find_bounds(const struct walk *w, size_t *before, size_t *after)
{
	size_t bad, i, agreed = 0;

	if (w->several || !find_bad(w, before, &bad) ||
	    (w->changes && !find_lasting(w, bad, before)))
		return false;
	i = bad + 1;
	if (i < w->count && !align(w, w->stops[i].at, &agreed))
		return false;
	while (i < w->count && (!w->stops[i].syncs || w->stops[i].at < agreed))
		i++;
	*after = i;
	for (; i < w->count; i++)
		if (w->stops[i].contradicts)
			return false;
	return true;
}

/* Where the newest message ends, at least: messages are read as they were written from where all
 * ways of reading agree, and had the wrap point been before that, nothing would contradict. */
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

static bool take_wrap(const struct walk *w, struct hs_ring *ring)
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
	*ring = (struct hs_ring){ .begin = w->stops[after].at % n,
		                  .end = end % n,
		                  .found = true,
		                  .evidence = HS_RING_PROGRAM,
		                  .places = 1 };
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
			take_wrap(w, ring);
	}
	return s;
}

static enum hs_status open_walk(struct walk *w, const struct hs_image *image,
                                const struct hs_image_set *set)
{
	const enum hs_status s = hs_decoder_new(&w->decoder, w->protocol, w->config, image, set);

	if (s != HS_OK)
		return s;
	if (hs_reader_new(&w->reader, w->protocol, w->config) != HS_OK)
		return HS_E_MEMORY;
	w->twice = malloc(2 * w->buffer.n);
	w->out = malloc(ROOM * sizeof(*w->out));
	w->fresh = malloc(machine_size(w->decoder));
	w->known = malloc(machine_size(w->reader));
	if (!w->twice || !w->out || !w->fresh || !w->known)
		return HS_E_MEMORY;
	machine_save(w->decoder, w->fresh);
	return HS_OK;
}

static void close_walk(struct walk *w)
{
	hs_decoder_free(w->decoder);
	hs_reader_free(w->reader);
	free(w->known);
	free(w->twice);
	free(w->out);
	free(w->fresh);
	free(w->stops);
}

enum hs_status hs_protocol_find_wrap(const struct hs_protocol *p, const void *config,
                                     const struct hs_image *image, const struct hs_image_set *set,
                                     const struct hs_span *buffer, struct hs_ring *ring)
{
	struct walk w = {
		.protocol = p, .config = config, .buffer = *buffer, .programs = set && set->count
	};
	enum hs_status s;

	if (ring->found || ring->places || buffer->n < 64) /* what is damaged contradicts, too */
		return HS_OK;
	s = open_walk(&w, image, set);
	if (s == HS_OK)
		s = find_contradiction(&w, ring);
	close_walk(&w);
	return s;
}
