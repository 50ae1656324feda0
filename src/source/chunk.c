/* A chunk of a trace, decoded without what was before it (parallel.h). */
#include <stdlib.h>
#include <string.h>

#include "source/parallel.h"

#define ROOM ((size_t)1 << 12)
#define ITEMS_MAX ((size_t)1 << 22)
#define ERRORS_MAX 64u /* a chunk with more is left to the caller's thread */
#define STEP ((size_t)32) /* bytes between joins, at first */
#define SOURCE_BITS 4u
#define SOURCES (1u << SOURCE_BITS)

void source_chunk_free_decoder(const struct hs_protocol *protocol, struct chunk_decoder *d)
{
	if (d->decoder)
		protocol->decoder_free(d->decoder);
	free(d->fresh);
	source_chunk_free_counter(d->counter);
	*d = (struct chunk_decoder){ NULL };
}

bool source_chunk_keep_fresh(const struct hs_protocol *protocol, struct chunk_decoder *d)
{
	d->fresh = malloc(protocol->decoder_state(d->decoder));
	if (d->fresh)
		protocol->decoder_save(d->decoder, d->fresh);
	return d->fresh;
}

bool source_chunk_decoder(const struct hs_source *s, struct chunk_decoder *d)
{
	const struct hs_protocol *protocol = s->trace.protocol;
	const struct hs_image *image = hs_program_image(s->code.set.first);
	struct hs_image_set set;

	*d = (struct chunk_decoder){ NULL };
	hs_source_get_images(s, &set);
	if (protocol->decoder_new(&d->decoder, s->trace.config, image, &set) != HS_OK)
		d->decoder = NULL;
	if (d->decoder && (!source_chunk_keep_fresh(protocol, d) ||
	                   (s->trace.take && !source_chunk_count(protocol, d))))
		source_chunk_free_decoder(protocol, d);
	return d->decoder;
}

void source_chunk_clear(struct chunk *c)
{
	for (unsigned i = 0; i < c->join_count; i++)
		free(c->joins[i].state);
	free(c->errors);
	free(c->after);
	c->errors = NULL;
	c->after = NULL;
	c->error_count = c->count = c->run_count = 0;
	c->join_count = 0;
	c->failed = false;
}

void source_chunk_free(struct chunk *c)
{
	source_chunk_clear(c);
	free(c->bytes);
	free(c->items);
	free(c->runs);
}

static bool make_room(struct chunk *c)
{
	const size_t cap = c->cap ? 2 * c->cap : 4 * ROOM;

	if (c->cap - c->count >= ROOM)
		return true;
	struct hs_block *more =
		cap <= ITEMS_MAX ? reallocarray(c->items, cap, sizeof(*more)) : NULL;

	if (!more)
		return false;
	c->items = more;
	c->cap = cap;
	return true;
}

static bool add_error(const struct source_trace *t, struct chunk *c, enum hs_status status)
{
	struct chunk_error *more = reallocarray(c->errors, c->error_count + 1, sizeof(*more));

	if (!more)
		return false;
	c->errors = more;
	struct chunk_error *e = &more[c->error_count++];

	*e = (struct chunk_error){ .item = c->count, .status = status };
	e->reason = t->protocol->decoder_diag(c->by.decoder, status, &e->error);
	return true;
}

/* Decode @n bytes, all of them. */
static void feed(const struct source_trace *t, struct chunk *c, const uint8_t *bytes, size_t n)
{
	struct hs_span in = { bytes, n };
	enum hs_status s = HS_FULL;

	while (s != HS_MORE && !c->failed) {
		size_t got;

		c->failed = !make_room(c);
		if (c->failed)
			return;
		/* in a call no runs are counted after an item that divides them */
		const size_t room = c->by.counter ? ROOM : c->cap - c->count;

		s = t->protocol->decode(c->by.decoder, &in, c->items + c->count, room, &got);
		c->count += got;
		if (s != HS_OK && s != HS_MORE && s != HS_FULL)
			c->failed = c->error_count == ERRORS_MAX || !add_error(t, c, s);
	}
}

/* Where the decoder stands; NULL: no memory. */
static void *keep_state(const struct source_trace *t, struct chunk *c)
{
	void *state = malloc(t->protocol->decoder_state(c->by.decoder));

	c->failed |= !state;
	if (state)
		t->protocol->decoder_save(c->by.decoder, state);
	return state;
}

static void add_join(const struct source_trace *t, struct chunk *c, size_t in)
{
	struct chunk_join *j = &c->joins[c->join_count++];

	source_chunk_count_flush(t->protocol, &c->by);
	*j = (struct chunk_join){
		.in = in, .item = c->count, .error = c->error_count, .run = c->run_count
	};
	j->state = keep_state(t, c);
}

/* How often a message gave a full address cannot be asked; where the last one was can. */
static uint64_t sum_places(const struct source_trace *t, const struct chunk *c, uint32_t sources)
{
	uint64_t sum = 0;

	for (uint32_t src = 0; src < sources; src++) {
		struct hs_code_place at;

		if (t->protocol->decoder_place(c->by.decoder, src, &at))
			sum += at.offset;
	}
	return sum;
}

/* How many bytes to decode before the next look, @done of them after the last synchronisation, or
 * in vain: the more. */
static size_t step_of(size_t done, bool synchronised)
{
	return STEP + (synchronised ? 3 * done : done / 16);
}

/* Decode up to some synchronisations and some bytes on, and keep where it stands there.  Returns
 * how many bytes that took. */
static size_t find_joins(const struct source_trace *t, struct chunk *c)
{
	const uint32_t bits = source_bits(t), sources = bits < SOURCE_BITS ? 1u << bits : SOURCES;
	unsigned syncs = 0, wanted = 0;
	uint64_t places = 0;
	size_t at = 0, from = 0;

	while (at < c->n && !c->failed && (syncs < c->syncs || wanted)) {
		const size_t step = step_of(at - from, wanted != 0);
		const size_t n = step < c->n - at ? step : c->n - at;

		feed(t, c, c->bytes + at, n);
		at += n;
		const uint64_t now = sum_places(t, c, sources);

		if (now != places && !wanted) {
			syncs++;
			wanted = CHUNK_JOINS / c->syncs;
			from = at - n;
		}
		places = now;
		if (!wanted || c->failed)
			continue;
		add_join(t, c, at);
		from = --wanted ? from : at;
	}
	return at;
}

void source_chunk_run(const struct source_trace *t, struct chunk *c)
{
	source_chunk_count_for(t->protocol, &c->by, c);
	t->protocol->decoder_restore(c->by.decoder, c->by.fresh);
	t->protocol->decoder_begin(c->by.decoder, c->offset);
	const size_t at = find_joins(t, c);

	c->failed |= !c->join_count;
	feed(t, c, c->bytes + at, c->n - at);
	source_chunk_count_flush(t->protocol, &c->by);
	if (!c->failed)
		c->after = keep_state(t, c);
}
