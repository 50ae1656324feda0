/* A chunk of a trace, decoded without what was before it (parallel.h). */
#include <stdlib.h>
#include <string.h>

#include "source/parallel.h"
#include "support/large.h"

#define ROOM ((size_t)1 << 14)
#define FIRST_ROOM (16 * ROOM) /* two large pages; it is seldom more where runs are counted */
#define ITEMS_MAX ((size_t)1 << 22)
#define STEP ((size_t)32) /* bytes between joins, at first */
#define EARLY_PART 128u   /* of a chunk, after which no join is, where that is to be so */
#define SOURCE_BITS 4u
#define SOURCES (1u << SOURCE_BITS)

void source_chunk_free_decoder(const struct source_trace *t, struct chunk_decoder *d)
{
	hs_decoder_free(d->decoder);
	if (d->worker)
		t->pool.work->end(d->worker);
	free(d->fresh);
	source_chunk_free_counter(d->counter);
	*d = (struct chunk_decoder){ .decoder = NULL };
}

bool source_chunk_keep_fresh(struct chunk_decoder *d)
{
	d->fresh = malloc(machine_size(d->decoder));
	if (d->fresh)
		machine_save(d->decoder, d->fresh);
	return d->fresh;
}

bool source_chunk_decoder(const struct hs_source *s, struct chunk_decoder *d)
{
	const struct hs_protocol *protocol = s->trace.protocol;
	const struct hs_image *image = hs_program_image(s->code.set.first);
	struct hs_image_set set;

	*d = (struct chunk_decoder){ .decoder = NULL };
	hs_source_get_images(s, &set);
	if (hs_decoder_new(&d->decoder, protocol, s->trace.config, image, &set) != HS_OK)
		d->decoder = NULL;
	if (d->decoder && s->trace.all_syncs)
		decoder_show_syncs(d->decoder);
	if (d->decoder && !source_chunk_keep_fresh(d))
		source_chunk_free_decoder(&s->trace, d);
	return d->decoder;
}

bool source_chunk_equip(const struct source_trace *t, struct chunk_decoder *d)
{
	if (d->decoder && t->pool.work)
		d->worker = t->pool.work->begin(t->pool.work->to);
	return !d->decoder || !t->counted.take || source_chunk_count(d, t->counted.passes_times);
}

void source_chunk_clear(const struct source_trace *t, struct chunk *c)
{
	for (unsigned i = 0; i < c->apart.share_count; i++)
		t->pool.work->clear(c->apart.shares[i].share);
	c->apart.share_count = 0;
	c->apart.shares_now = c->apart.shares_open = false;
	c->apart.shared = 0;
	for (unsigned i = 0; i < c->join_count; i++)
		free(c->joins[i].state);
	free(c->errors);
	free(c->after);
	c->errors = NULL;
	c->after = NULL;
	c->error_count = c->count = c->counted.path_count = 0;
	c->join_count = 0;
	c->failed = false;
}

void source_chunk_free(const struct source_trace *t, struct chunk *c)
{
	source_chunk_clear(t, c);
	for (unsigned i = 0; i <= CHUNK_ERRORS; i++)
		if (c->apart.shares[i].share)
			t->pool.work->free(c->apart.shares[i].share);
	free(c->bytes);
	free(c->items);
	free(c->counted.paths);
}

static bool make_room(struct chunk *c)
{
	const size_t cap = c->cap ? 2 * c->cap : FIRST_ROOM;

	if (c->cap - c->count >= ROOM)
		return true;
	struct hs_block *more = cap > ITEMS_MAX ? NULL
	                        : c->items      ? reallocarray(c->items, cap, sizeof(*more))
	                                        : support_large(cap * sizeof(*more));

	if (!more)
		return false;
	c->items = more;
	c->cap = cap;
	return true;
}

static bool add_error(struct chunk *c, enum hs_status status)
{
	struct chunk_error *more = reallocarray(c->errors, c->error_count + 1, sizeof(*more));

	if (!more)
		return false;
	c->errors = more;
	struct chunk_error *e = &more[c->error_count++];

	*e = (struct chunk_error){ .item = c->count,
		                   .share = c->apart.share_count,
		                   .status = status };
	c->apart.shares_open = false;
	hs_decoder_diag(c->by.decoder, status, &e->fault);
	return true;
}

/* Items that were written after c->count: to the share of the work that the worker does, if it
 * does one now. */
static void keep_items(const struct source_trace *t, struct chunk *c, size_t n)
{
	const struct hs_block *items = c->items + c->count;
	struct chunk_share *s = &c->apart.shares[c->apart.share_count - c->apart.shares_open];

	if (!c->apart.shares_now || !n) {
		c->count += n;
		return;
	}
	if (!c->apart.shares_open) {
		s->items = 0;
		s->begun = false;
	}
	c->failed |= !t->pool.work->add(c->by.worker, &s->share, items, n);
	if (!c->apart.shares_open && s->share)
		c->apart.share_count++;
	c->apart.shares_open = s->share;
	s->items += n;
	c->apart.shared += n;
	c->failed |=
		c->apart.shared > ITEMS_MAX; /* a few bytes may say that a loop ran very often */
	for (size_t i = 0; i < n && !s->begun; i++)
		s->begun = source_begins(&items[i]);
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
		/* in a call no runs are counted after an item that divides them, and what is shared
		 * is to stay in the cache */
		const size_t room = c->by.counter || c->apart.shares_now ? ROOM : c->cap - c->count;

		s = hs_decode(c->by.decoder, &in, c->items + c->count, room, &got);
		keep_items(t, c, got);
		if (s != HS_OK && s != HS_MORE && s != HS_FULL)
			c->failed = c->error_count == CHUNK_ERRORS || !add_error(c, s);
	}
}

/* Where the decoder stands; NULL: no memory. */
static void *keep_state(struct chunk *c)
{
	void *state = malloc(machine_size(c->by.decoder));

	c->failed |= !state;
	if (state)
		machine_save(c->by.decoder, state);
	return state;
}

static void add_join(struct chunk *c, size_t in)
{
	struct chunk_join *j = &c->joins[c->join_count++];

	source_chunk_count_flush(&c->by);
	*j = (struct chunk_join){
		.in = in, .item = c->count, .error = c->error_count, .path = c->counted.path_count
	};
	j->state = keep_state(c);
}

/* How often a message gave a full address cannot be asked; where the last one was can. */
static uint64_t sum_places(const struct chunk *c, uint32_t sources)
{
	uint64_t sum = 0;

	for (uint32_t src = 0; src < sources; src++) {
		struct hs_code_place at;

		if (decoder_place(c->by.decoder, src, &at))
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

/* Are the joins so far those that are wanted?  Each more is a share or a count less. */
static bool is_enough(const struct chunk *c, size_t at)
{
	return c->early && c->join_count && at >= c->n / EARLY_PART;
}

/* Decode up to some synchronisations and some bytes on, and keep where it stands there.  Returns
 * how many bytes that took. */
static size_t find_joins(const struct source_trace *t, struct chunk *c)
{
	const uint32_t bits = source_bits(t), sources = bits < SOURCE_BITS ? 1u << bits : SOURCES;
	unsigned syncs = 0, wanted = 0;
	uint64_t places = 0;
	size_t at = 0, from = 0;

	while (at < c->n && !c->failed && (syncs < c->syncs || wanted) && !is_enough(c, at)) {
		const size_t step = step_of(at - from, wanted != 0);
		const size_t n = step < c->n - at ? step : c->n - at;

		feed(t, c, c->bytes + at, n);
		at += n;
		const uint64_t now = sum_places(c, sources);

		if (now != places && !wanted) {
			syncs++;
			wanted = CHUNK_JOINS / c->syncs;
			from = at - n;
		}
		places = now;
		if (!wanted || c->failed)
			continue;
		add_join(c, at);
		from = --wanted ? from : at;
	}
	return at;
}

void source_chunk_run(const struct source_trace *t, struct chunk *c)
{
	source_chunk_count_for(&c->by, c);
	machine_restore(c->by.decoder, c->by.fresh);
	machine_begin(c->by.decoder, NULL, c->offset);
	const size_t at = find_joins(t, c);

	c->failed |= !c->join_count;
	c->apart.shares_now = c->by.worker;
	feed(t, c, c->bytes + at, c->n - at);
	source_chunk_count_flush(&c->by);
	if (!c->failed)
		c->after = keep_state(c);
}

/* ---- shares of the work ------------------------------------------------------------- */

bool source_share(struct hs_source *s, const struct hs_source_work *work)
{
	struct source_trace *t = &s->trace;

	if (s->kind != SOURCE_TRACE || s->selection || s->range || s->one_hart || s->marks ||
	    t->slice || t->pool.parallel)
		return false;
	t->pool.shared = work ? *work : (struct hs_source_work){ NULL };
	t->pool.work = work ? &t->pool.shared : NULL;
	return true;
}
