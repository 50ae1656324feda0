/* Sources: what continuing at a place needs next to the place (design/ranges).
 *
 * Words: the stream of a recording, how many items follow, four words for each, and what the
 * stream needs.  The items are what those before the place mean to those after it: they name the
 * hart, its contexts and the code that has changed. */
#include <stdlib.h>
#include <string.h>

#include "recording/recording.h"
#include "source/lead.h"
#include "source/private.h"

#define HEAD 2u
#define ITEM 4u

struct source_marks {
	struct source_lead lead;
	struct hs_block *versions; /* in their order */
	size_t count, cap, kept;   /* kept: after the last time that older ones were dropped */
	bool failed;
};

enum hs_status source_marks_new(struct source_marks **out)
{
	*out = calloc(1, sizeof(**out));
	if (*out)
		source_lead_start(&(*out)->lead);
	return *out ? HS_OK : HS_E_MEMORY;
}

void source_marks_free(struct source_marks *m)
{
	if (m)
		free(m->versions);
	free(m);
}

void source_marks_rewind(struct source_marks *m)
{
	source_lead_start(&m->lead);
	m->count = m->kept = 0;
}

/* ---- following items -------------------------------------------------------------- */

struct ordered {
	struct hs_block event;
	size_t order;
};

static int by_number(const void *a, const void *b)
{
	const struct ordered *x = a, *y = b;

	if (x->event.arg != y->event.arg)
		return x->event.arg < y->event.arg ? -1 : 1;
	return (x->order < y->order) - (x->order > y->order);
}

static int by_order(const void *a, const void *b)
{
	const struct ordered *x = a, *y = b;

	return (x->order > y->order) - (x->order < y->order);
}

/* Of each code only the last event is of use: what it has changed, later ones may have changed
 * again, but not earlier ones. */
static void drop_older(struct source_marks *m)
{
	struct ordered *v = calloc(m->count + 1, sizeof(*v));
	size_t n = 0;

	m->failed |= !v;
	if (!v)
		return;
	for (size_t i = 0; i < m->count; i++)
		v[i] = (struct ordered){ m->versions[i], i };
	qsort(v, m->count, sizeof(*v), by_number);
	for (size_t i = 0; i < m->count; i++)
		if (!n || v[n - 1].event.arg != v[i].event.arg)
			v[n++] = v[i];
	qsort(v, n, sizeof(*v), by_order);
	for (size_t i = 0; i < n; i++)
		m->versions[i] = v[i].event;
	m->count = m->kept = n;
	free(v);
}

static void add_version(struct source_marks *m, const struct hs_block *b)
{
	if (m->count == m->cap && m->count > 2 * m->kept)
		drop_older(m);
	if (m->count == m->cap) {
		const size_t cap = m->cap ? 2 * m->cap : 256;
		struct hs_block *more = reallocarray(m->versions, cap, sizeof(*more));

		m->failed |= !more;
		if (!more)
			return;
		m->versions = more;
		m->cap = cap;
	}
	m->versions[m->count++] = *b;
}

void source_marks_follow(struct source_marks *m, const struct hs_source *s,
                         const struct hs_block *items, size_t n)
{
	size_t from = 0;

	for (size_t i = 0; i < n; i++) {
		if (items[i].kind == HS_KIND_VERSION)
			add_version(m, &items[i]);
		if (items[i].kind != HS_KIND_HART || s->kind != SOURCE_RECORDING)
			continue;
		source_marks_rewind(m); /* another stream: nothing of the one before is of use */
		from = i;
	}
	source_lead_follow(&m->lead, items + from, n - from);
}

/* ---- to words ------------------------------------------------------------------- */

/* The items, without blocks. */
static size_t marked_items(struct source_marks *m, struct hs_block *out)
{
	struct hs_block lead[HS_SOURCE_LEAD];
	const size_t count = source_lead_items(&m->lead, lead);
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		if (lead[i].kind != HS_KIND_BLOCK)
			out[n++] = lead[i];
	return n;
}

/* Only events: they have no address and length. */
static uint32_t *put_items(uint32_t *to, const struct hs_block *items, size_t n)
{
	for (size_t i = 0; i < n; i++, to += ITEM) {
		const struct hs_block *b = &items[i];

		to[0] = (uint32_t)b->value;
		to[1] = (uint32_t)(b->value >> 32);
		to[2] = b->arg;
		to[3] = b->kind | (uint32_t)b->itype << 8 | (uint32_t)b->priv << 16;
	}
	return to;
}

static struct hs_block item_of(const uint32_t *from)
{
	return (struct hs_block){ .value = from[0] | (uint64_t)from[1] << 32,
		                  .arg = from[2],
		                  .kind = (uint8_t)from[3],
		                  .itype = (uint8_t)(from[3] >> 8),
		                  .priv = from[3] >> 16 & 7u };
}

static uint32_t number_of_stream(const struct hs_source *s)
{
	return s->kind == SOURCE_RECORDING ? s->recording.next_stream - 1 : 0;
}

enum hs_status hs_source_get_state(struct hs_source *s, uint32_t **state, size_t *count)
{
	struct source_marks *m = s->marks;
	struct hs_block lead[HS_SOURCE_LEAD];
	uint32_t *stream = NULL;
	size_t n = 0;

	if (!m)
		return HS_E_ARG;
	drop_older(m);
	const size_t items = marked_items(m, lead);
	enum hs_status status = m->failed || m->lead.over ? HS_E_MEMORY : HS_OK;

	if (status == HS_OK && s->kind == SOURCE_RECORDING)
		status = hs_rec_stream_get_state(s->recording.stream, &stream, &n);
	*count = HEAD + ITEM * (items + m->count) + n;
	*state = status == HS_OK ? malloc(*count * sizeof(**state)) : NULL;
	if (*state) {
		(*state)[0] = number_of_stream(s);
		(*state)[1] = (uint32_t)(items + m->count);
		uint32_t *to = put_items(*state + HEAD, lead, items);

		to = put_items(to, m->versions, m->count);
		if (n)
			memcpy(to, stream, n * sizeof(*to));
	}
	free(stream);
	return status != HS_OK || *state ? status : HS_E_MEMORY;
}

/* ---- from words ----------------------------------------------------------------- */

static bool is_mark(const struct hs_block *b)
{
	struct hs_block_checker check = { 0 };

	return (b->kind == HS_KIND_HART || b->kind == HS_KIND_CONTEXT ||
	        b->kind == HS_KIND_VERSION) &&
	       hs_block_check(&check, b) == HS_OK;
}

/* The items, to be given out first. */
static enum hs_status take_items(struct hs_source *s, const uint32_t *state, size_t n)
{
	struct hs_block *items = calloc(n + 1, sizeof(*items));

	if (!items)
		return HS_E_MEMORY;
	free(s->first);
	s->first = items;
	s->first_at = s->first_n = 0;
	for (size_t i = 0; i < n; i++) {
		items[i] = item_of(state + HEAD + ITEM * i);
		if (!is_mark(&items[i]))
			return HS_E_FORMAT;
	}
	s->first_n = n;
	return HS_OK;
}

static enum hs_status resume_recording(struct hs_source *s, uint32_t index, const uint32_t *state,
                                       size_t count, struct hs_error *error)
{
	struct source_recording *r = &s->recording;
	const struct hs_block *versions = s->first;
	size_t n = s->first_n;

	if (r->timed || index >= r->end_stream)
		return HS_E_FORMAT;
	while (n && versions->kind != HS_KIND_VERSION) {
		versions++;
		n--;
	}
	r->next_stream = index + 1;
	const enum hs_status status = source_open_stream(r, index, &r->stream, error);

	return status == HS_OK ? hs_rec_stream_set_state(r->stream, state, count, versions, n)
	                       : status;
}

enum hs_status source_resume(struct hs_source *s, const uint32_t *state, size_t count,
                             struct hs_error *error)
{
	const size_t items = count >= HEAD ? state[1] : 0;
	enum hs_status status = HS_E_FORMAT;

	if (count >= HEAD && items <= (count - HEAD) / ITEM)
		status = take_items(s, state, items);
	if (status == HS_OK && s->kind == SOURCE_RECORDING)
		status = resume_recording(s, state[0], state + HEAD + ITEM * items,
		                          count - HEAD - ITEM * items, error);
	if (status == HS_OK)
		return HS_OK;
	s->first_n = 0;
	return hs_error_set(error, status, "no state of this place");
}
