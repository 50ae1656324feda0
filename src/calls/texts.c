/* The text of events, made on several threads (design/scans).
 *
 * Which calls begin and end depends on all blocks before; the text of an event on the event only.
 * The caller's thread fills batches of events, threads make their text, and the caller's thread
 * writes texts in order.  With one thread there is one batch. */
#include "calls/texts.h"
#include "support/grow.h"
#include "support/pool.h"

#include <stdlib.h>

#define EVENTS 1024u
#define BATCHES_EACH 4u /* for each thread */
#define WORTH 16u       /* batches after which it is worth threads */
#define THREADS_MAX 64u

/* Text of one lane. */
struct texts_part {
	uint32_t lane;
	size_t n;
};

struct texts_batch {
	struct exports_event events[EVENTS];
	uint32_t n;
	struct exports_text text;
	struct texts_part *parts;
	size_t part_count, part_room;
};

struct exports_texts {
	const struct exports_format *format;
	struct hs_pool *pool;
	uint64_t filled, taken;       /* batches before them */
	uint64_t seen;                /* batches before the threads began */
	struct texts_batch **batches; /* a ring: each is a strand */
	uint32_t count, most;
};

/* ---- making a text ---------------------------------------------------------------- */

static bool have_room(struct exports_text *t, size_t n)
{
	return support_grow(&t->bytes, &t->room, t->n + n, 1);
}

/* The part to which the text of a lane is appended.  NULL: no memory. */
static struct texts_part *part_of(struct texts_batch *b, uint32_t lane)
{
	if (b->part_count && b->parts[b->part_count - 1].lane == lane)
		return &b->parts[b->part_count - 1];
	if (!support_grow(&b->parts, &b->part_room, b->part_count + (size_t)1, sizeof(*b->parts)))
		return NULL;
	b->parts[b->part_count] = (struct texts_part){ lane, 0 };
	return &b->parts[b->part_count++];
}

static void make_text(void *texts, uint32_t batch, uint32_t thread)
{
	const struct exports_texts *t = texts;
	struct texts_batch *b = t->batches[batch];

	(void)thread;
	b->text.n = 0;
	b->part_count = 0;
	for (uint32_t i = 0; i < b->n && !b->text.failed; i++) {
		const struct exports_event *e = &b->events[i];
		struct texts_part *part = part_of(b, e->lane);
		const size_t before = b->text.n;

		b->text.failed =
			!part ||
			!have_room(&b->text, EXPORTS_EVENT_ROOM + (e->label ? e->label->n : 0));
		if (b->text.failed)
			continue;
		t->format->text(&b->text, e);
		part->n += b->text.n - before;
	}
}

/* ---- in order --------------------------------------------------------------------- */

static enum hs_status write_text(struct hs_export *x, const struct texts_batch *b)
{
	const char *at = b->text.bytes;
	enum hs_status s = b->text.failed ? HS_E_MEMORY : HS_OK;

	for (size_t i = 0; i < b->part_count && s == HS_OK; i++) {
		const struct texts_part *part = &b->parts[i];

		s = x->format->take ? x->format->take(x, part->lane, at, part->n)
		                    : support_out_put(&x->out, at, part->n);
		at += part->n;
	}
	return s;
}

/* Write the text that is next, once it is made. */
static enum hs_status take_one(struct hs_export *x)
{
	struct exports_texts *t = x->texts;
	const uint32_t number = (uint32_t)(t->taken++ % t->count);
	struct texts_batch *b = t->batches[number];

	hs_pool_take(t->pool, number);
	const enum hs_status s = write_text(x, b);

	b->n = 0;
	return s;
}

static bool add_batch(struct exports_texts *t)
{
	struct texts_batch *b = calloc(1, sizeof(*b));

	if (b)
		t->batches[t->count++] = b;
	return b != NULL;
}

/* All batches are free: from now on so many threads make texts, as far as there is memory. */
static void start_threads(struct exports_texts *t, uint32_t threads)
{
	struct hs_pool *pool;

	while (t->count < t->most && add_batch(t))
		;
	if (hs_pool_new(&pool, threads, t->count, make_text, t) != HS_OK) {
		while (t->count > 1)
			free(t->batches[--t->count]);
		return;
	}
	hs_pool_free(t->pool);
	t->pool = pool;
	t->filled = t->taken = 0;
}

/* The batch is full. */
static enum hs_status give_batch(struct hs_export *x)
{
	struct exports_texts *t = x->texts;
	enum hs_status s = HS_OK;

	hs_pool_give(t->pool, (uint32_t)(t->filled++ % t->count));
	if (t->filled - t->taken == t->count)
		s = take_one(x);
	if (t->count == 1 && t->most > 1 && ++t->seen == WORTH)
		start_threads(t, x->o.threads);
	return s;
}

struct exports_event *exports_next_event(struct hs_export *x, const struct exports_track *track,
                                         enum hs_status *s)
{
	struct exports_texts *t = x->texts;

	*s = HS_OK;
	if (t->batches[t->filled % t->count]->n == EVENTS)
		*s = give_batch(x);
	if (*s != HS_OK)
		return NULL;
	struct texts_batch *b = t->batches[t->filled % t->count];
	struct exports_event *e = &b->events[b->n++];

	*e = (struct exports_event){ .hart = track->hart, .track = track->number };
	return e;
}

struct exports_event *exports_next_call(struct hs_export *x, const struct exports_track *track,
                                        struct exports_span *span, uint8_t type, enum hs_status *s)
{
	const uint32_t function = exports_function_of(x, span);
	struct exports_event *e = NULL;

	*s = HS_E_MEMORY;
	if (function != UINT32_MAX && exports_have_label(x, function))
		e = exports_next_event(x, track, s);
	if (!e)
		return NULL;
	struct exports_function *f = exports_function_at(x, function);

	e->type = type;
	e->how = span->how;
	e->now = exports_now(x, track);
	e->self = span->self;
	e->total = span->self + span->called;
	e->label = f->label;
	e->function = function;
	e->first = type == EXPORTS_OPEN && !f->written;
	f->written |= e->first;
	return e;
}

/* ---- events of tracks ------------------------------------------------------------- */

static enum hs_status introduce(struct hs_export *x, struct exports_track *t)
{
	bool hart_known = false;
	enum hs_status s;

	for (uint32_t i = 0; i < x->track_count; i++)
		hart_known |= x->tracks[i]->known && x->tracks[i]->hart == t->hart;
	t->known = true;
	struct exports_event *e = exports_next_event(x, t, &s);

	if (!e)
		return s;
	e->type = EXPORTS_TRACK;
	e->first = !hart_known;
	e->task = x->format->moment ? exports_task(x) : NULL;
	return HS_OK;
}

static enum hs_status put_count(struct hs_export *x, const struct exports_moment *m,
                                enum exports_counter which, uint64_t count)
{
	enum hs_status s;
	struct exports_event *e = exports_next_event(x, x->harts[m->index].track, &s);

	if (!e)
		return s;
	e->type = EXPORTS_COUNT;
	e->now = m->now;
	e->self = count;
	e->total = which;
	return HS_OK;
}

enum hs_status exports_put_moment(struct hs_export *x, const struct exports_moment *m)
{
	enum hs_status s;
	struct exports_event *e = exports_next_event(x, x->harts[m->index].track, &s);

	if (!e)
		return s;
	e->type = EXPORTS_MOMENT;
	e->now = m->now;
	e->self = m->address;
	e->total = m->is_signal ? m->signal : m->has_number ? m->number : m->cause;
	e->how = (m->interrupt ? EXPORTS_INTERRUPT : 0) | (m->has_cause ? EXPORTS_CAUSE : 0) |
	         (m->is_signal ? EXPORTS_SIGNAL : 0) | (m->has_number ? EXPORTS_CALL : 0);
	s = put_count(x, m, EXPORTS_COUNT_TRAPS, m->traps);
	return s == HS_OK && x->o.clock_hz ? put_count(x, m, EXPORTS_COUNT_INSTRUCTIONS, m->retired)
	                                   : s;
}

static enum hs_status put_call(struct hs_export *x, struct exports_track *t, struct exports_span *s,
                               uint8_t type)
{
	enum hs_status status = t->known ? HS_OK : introduce(x, t);

	if (status == HS_OK)
		exports_next_call(x, t, s, type, &status);
	return status;
}

enum hs_status exports_put_open(struct hs_export *x, struct exports_track *t,
                                struct exports_span *s)
{
	return put_call(x, t, s, EXPORTS_OPEN);
}

enum hs_status exports_put_close(struct hs_export *x, struct exports_track *t,
                                 struct exports_span *s)
{
	return put_call(x, t, s, EXPORTS_CLOSE);
}

enum hs_status exports_texts_drain(struct hs_export *x)
{
	struct exports_texts *t = x->texts;
	enum hs_status s = HS_OK;

	if (!t)
		return HS_OK;
	if (t->batches[t->filled % t->count]->n)
		s = give_batch(x);
	while (t->taken < t->filled && s == HS_OK)
		s = take_one(x);
	return s;
}

/* ---- beginning and ending --------------------------------------------------------- */

enum hs_status exports_texts_start(struct hs_export *x)
{
	const uint32_t threads = x->o.threads < THREADS_MAX ? x->o.threads : THREADS_MAX;
	struct exports_texts *t = calloc(1, sizeof(*t));

	if (!t)
		return HS_E_MEMORY;
	x->texts = t;
	t->format = x->format;
	t->most = threads > 1 ? BATCHES_EACH * threads : 1;
	t->batches = calloc(t->most, sizeof(struct texts_batch *));
	return t->batches && add_batch(t) ? hs_pool_new(&t->pool, 1, 1, make_text, t) : HS_E_MEMORY;
}

void exports_texts_free(struct hs_export *x)
{
	struct exports_texts *t = x->texts;

	if (!t)
		return;
	hs_pool_free(t->pool);
	while (t->count) {
		struct texts_batch *b = t->batches[--t->count];

		free(b->text.bytes);
		free(b->parts);
		free(b);
	}
	free(t->batches);
	free(t);
	x->texts = NULL;
}
