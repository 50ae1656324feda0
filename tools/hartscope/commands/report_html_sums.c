/* What ran when, in sums: of each hart, span of its instructions and node of the tree of calls
 * (report_html.h).
 *
 * Memory is bounded: with too many sums, or a longer run, two spans become one. */
#include <stdlib.h>

#include "commands/report_html.h"

#define SUMS_EACH ((size_t)26) /* of all harts, about, for each call that is kept */
#define FIRST_ROOM ((size_t)1024)

static struct sums *add_hart(struct timeline *t, uint32_t hart)
{
	struct sums *more = reallocarray(t->sums, t->sums_count + 1u, sizeof(*more));

	t->failed |= !more;
	if (!more)
		return NULL;
	t->sums = more;
	struct sums *s = &more[t->sums_count];

	*s = (struct sums){
		.hart = hart,
		.hidden_from = UINT64_MAX,
		.traps = calloc(SPANS, sizeof(*s->traps)),
		.gaps = calloc(SPANS, sizeof(*s->gaps)),
	};
	t->sums_last = t->sums_count++;
	t->failed |= !s->traps || !s->gaps;
	return t->failed ? NULL : s;
}

struct sums *sums_of(struct timeline *t, uint32_t hart)
{
	if (t->failed)
		return NULL;
	if (t->sums_count && t->sums[t->sums_last].hart == hart)
		return &t->sums[t->sums_last];
	for (uint32_t i = 0; i < t->sums_count; i++) {
		if (t->sums[i].hart == hart) {
			t->sums_last = i;
			return &t->sums[i];
		}
	}
	return add_hart(t, hart);
}

void sums_free(struct timeline *t)
{
	for (uint32_t i = 0; i < t->sums_count; i++) {
		free(t->sums[i].rows);
		free(t->sums[i].open);
		free(t->sums[i].traps);
		free(t->sums[i].gaps);
	}
	free(t->sums);
}

/* ---- the list --------------------------------------------------------------------------- */

static int by_span(const void *a, const void *b)
{
	const struct sum *x = a, *y = b;

	if (x->span != y->span)
		return x->span < y->span ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

static void merge(struct sums *s)
{
	size_t n = 0;

	if (s->count)
		qsort(s->rows, s->count, sizeof(*s->rows), by_span);
	for (size_t i = 0; i < s->count; i++) {
		struct sum *last = n ? &s->rows[n - 1] : NULL;

		if (last && by_span(last, &s->rows[i]) == 0) {
			last->inside += s->rows[i].inside;
			last->calls += s->rows[i].calls;
		} else {
			s->rows[n++] = s->rows[i];
		}
	}
	s->count = n;
}

/* A span becomes twice as long. */
static void widen(struct sums *s)
{
	s->shift++;
	for (size_t i = 0; i < s->count; i++)
		s->rows[i].span >>= 1;
	for (size_t i = 0; i < s->open_room; i++)
		s->open[i].span >>= 1;
	for (uint32_t i = 0; i < SPANS; i++) {
		const bool inside = i < SPANS / 2;

		s->traps[i] = inside ? s->traps[2 * i] + s->traps[2 * i + 1] : 0;
		s->gaps[i] = inside ? s->gaps[2 * i] + s->gaps[2 * i + 1] : 0;
	}
}

/* Place for a sum of each span of a call.  False: no memory. */
static bool have_room(struct timeline *t, struct sums *s, const struct hs_call *c)
{
	const size_t most = SUMS_EACH * t->most / t->sums_count + (size_t)2 * SPANS;
	const size_t spans = (size_t)((c->end - c->start) >> s->shift) + 3;

	if (s->count + spans < s->room)
		return true;
	if (s->room >= most)
		merge(s);
	while (s->room >= most && s->count > most / 2) {
		widen(s);
		merge(s);
	}
	if (s->count + spans < s->room)
		return true;
	const size_t room = 2 * (s->room + spans) + FIRST_ROOM;
	struct sum *more = reallocarray(s->rows, room, sizeof(*more));

	t->failed |= !more;
	if (!more)
		return false;
	s->rows = more;
	s->room = room;
	return true;
}

static void put_open(struct sums *s, uint32_t node)
{
	struct sum_open *o = &s->open[node];

	if (o->inside || o->calls)
		s->rows[s->count++] = (struct sum){ o->span, node, o->calls, o->inside };
	o->inside = o->calls = 0;
}

static bool have_node(struct timeline *t, struct sums *s, uint32_t node)
{
	if (node < s->open_room)
		return true;
	const size_t room = node + node / 2u + 1024u;
	struct sum_open *more = reallocarray(s->open, room, sizeof(*more));

	t->failed |= !more;
	if (!more)
		return false;
	s->open = more;
	while (s->open_room < room)
		s->open[s->open_room++] = (struct sum_open){ .inside = 0 };
	return true;
}

/* ---- calls ------------------------------------------------------------------------------ */

static void add(struct sums *s, uint32_t node, uint32_t span, uint64_t inside, uint32_t calls)
{
	struct sum_open *o = &s->open[node];

	if (o->span != span)
		put_open(s, node);
	o->span = span;
	o->inside += inside;
	o->calls += calls;
}

/* Spans so long that the instruction is in one of them. */
static void reach(struct sums *s, uint64_t at)
{
	while (at >> s->shift >= SPANS)
		widen(s);
	s->end = at > s->end ? at : s->end;
}

void sums_call(struct timeline *t, const struct hs_call *c)
{
	struct sums *s = sums_of(t, c->hart);

	if (!s || !have_node(t, s, c->node))
		return;
	reach(s, c->end);
	if (!have_room(t, s, c))
		return;
	const uint32_t last = (uint32_t)((c->end > c->start ? c->end - 1 : c->end) >> s->shift);
	uint64_t at = c->start;

	s->open[c->node].mode = c->mode;
	for (uint32_t span = (uint32_t)(at >> s->shift); span <= last; span++) {
		const uint64_t next = (span + (uint64_t)1) << s->shift;
		const uint64_t end = next < c->end ? next : c->end;

		add(s, c->node, span, end - at, at == c->start && !c->again);
		at = end;
	}
}

bool sums_finish(struct sums *s)
{
	size_t n = s->count;

	for (size_t i = 0; i < s->open_room; i++)
		n += s->open[i].inside || s->open[i].calls;
	struct sum *more = reallocarray(s->rows, n + 1, sizeof(*more));

	if (!more)
		return false;
	s->rows = more;
	for (uint32_t i = 0; i < s->open_room; i++)
		put_open(s, i);
	merge(s);
	return true;
}

void sums_widen(struct sums *s, unsigned shift)
{
	while (s->shift < shift)
		widen(s);
	merge(s);
}

/* ---- traps, gaps, calls that are not kept ------------------------------------------------- */

void sums_trap(struct timeline *t, uint32_t hart, uint64_t at)
{
	struct sums *s = sums_of(t, hart);

	if (!s)
		return;
	at -= at ? 1 : 0; /* it is of the instruction before it */
	reach(s, at);
	s->traps[at >> s->shift]++;
}

void sums_gap(struct timeline *t, uint32_t hart, uint64_t at)
{
	struct sums *s = sums_of(t, hart);

	if (!s)
		return;
	reach(s, at);
	s->gaps[at >> s->shift]++;
}

void sums_hide(struct timeline *t, const struct time_call *c)
{
	struct sums *s = sums_of(t, c->hart);

	if (!s)
		return;
	s->hidden_from = c->start < s->hidden_from ? c->start : s->hidden_from;
	s->hidden_to = c->start + c->length > s->hidden_to ? c->start + c->length : s->hidden_to;
}
