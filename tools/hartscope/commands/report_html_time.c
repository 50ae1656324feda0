/* The timeline of a page: calls as they end, and the levels of detail that are written
 * (report_html.h). */
#include <stdlib.h>
#include <string.h>

#include "commands/report_html.h"

#define FIRST_SHIFT 9u /* a level has the calls that are at least 2^-9 of all, */
#define UNCOUNTED 8u   /* after the mode of a call: it is not one that began */
#define NEXT_SHIFT 4u  /* and each next one those of a sixteenth of that */

bool timeline_open(struct timeline *t, uint32_t most, uint32_t window)
{
	*t = (struct timeline){ .kept = malloc(2 * most * sizeof(*t->kept)),
		                .first = malloc(window * sizeof(*t->first)),
		                .last = malloc(window * sizeof(*t->last)),
		                .most = most,
		                .window = window };
	return t->kept && t->first && t->last;
}

void timeline_close(struct timeline *t)
{
	free(t->kept);
	free(t->first);
	free(t->last);
	timeline_free_times(t);
	sums_free(t);
}

/* Too many are kept: only those that took longer are, from here on. */
static void raise_least(struct timeline *t)
{
	while (t->kept_count > t->most) {
		uint32_t n = 0;

		t->least = t->least ? 2 * t->least : 2;
		for (uint32_t i = 0; i < t->kept_count; i++) {
			if (t->kept[i].length >= t->least)
				t->kept[n++] = t->kept[i];
			else if (!t->kept[i].first)
				sums_hide(t, &t->kept[i]);
		}
		t->kept_count = n;
	}
}

void timeline_take(void *timeline, const struct hs_call *call)
{
	struct timeline *t = timeline;
	const struct time_call c = { .start = call->start,
		                     .length = call->end - call->start,
		                     .node = call->node,
		                     .depth = call->depth,
		                     .hart = call->hart,
		                     .mode = call->mode,
		                     .again = call->again,
		                     .first = t->seen < t->window };
	struct time_call *last = &t->last[t->seen % t->window];

	sums_call(t, call);
	if (c.first) {
		t->first[t->seen] = c;
	} else {
		if (t->seen >= 2 * t->window && last->length < t->least)
			sums_hide(t, last);
		*last = c;
	}
	t->seen++;
	if (c.length < t->least)
		return;
	t->kept[t->kept_count++] = c;
	if (t->kept_count == 2 * t->most)
		raise_least(t);
}

/* ---- writing ---------------------------------------------------------------------------- */

static int by_place(const void *a, const void *b)
{
	const struct shown *x = a, *y = b;

	if (x->call->hart != y->call->hart)
		return x->call->hart < y->call->hart ? -1 : 1;
	if (x->level != y->level)
		return x->level < y->level ? -1 : 1;
	if (x->call->start != y->call->start)
		return x->call->start < y->call->start ? -1 : 1;
	return (x->call->depth > y->call->depth) - (x->call->depth < y->call->depth);
}

/* The level of a call of @length where all is @all. */
static uint32_t level_of(uint64_t length, uint64_t all)
{
	uint32_t level = 0;

	for (unsigned shift = FIRST_SHIFT; shift < 64 && length < all >> shift; shift += NEXT_SHIFT)
		level++;
	return level;
}

static size_t choose(const struct timeline *t, struct shown *v, uint64_t all)
{
	const size_t first = t->seen < t->window ? t->seen : t->window;
	const size_t last = t->seen < 2 * t->window ? t->seen - first : t->window;
	size_t n = 0;

	for (uint32_t i = 0; i < t->kept_count; i++)
		v[n++].call = &t->kept[i];
	for (size_t i = 0; i < first; i++)
		if (t->first[i].length < t->least)
			v[n++].call = &t->first[i];
	for (size_t i = 0; i < last; i++) {
		const struct time_call *c = &t->last[(t->seen - last + i) % t->window];

		if (c->length < t->least)
			v[n++].call = c;
	}
	for (size_t i = 0; i < n; i++)
		v[i].level = level_of(v[i].call->length, all);
	qsort(v, n, sizeof(*v), by_place);
	return n;
}

struct shown *timeline_show(struct timeline *t, size_t *n)
{
	raise_least(t);
	struct shown *v = calloc((size_t)t->kept_count + 2 * t->window + 1, sizeof(*v));
	uint64_t all = 0;

	for (uint32_t i = 0; i < t->kept_count; i++)
		if (t->kept[i].start + t->kept[i].length > all)
			all = t->kept[i].start + t->kept[i].length;
	*n = v ? choose(t, v, all) : 0;
	return v;
}

/* Does a call count as one?  Not the rest of one, nor where control was only found. */
static bool is_counted(const struct time_tree *t, const struct time_call *c)
{
	return !c->again && t->tree->nodes[t->tree->place[c->node]].how != HS_FRAME_FOUND;
}

/* Those of a hart and level, of which @v is the first.  How many they are. */
static size_t write_level(struct html_out *o, const struct shown *v, size_t n,
                          const struct time_tree *t)
{
	uint64_t at = 0, longest = 0;
	size_t i = 0;

	for (; i < n && v[i].call->hart == v->call->hart && v[i].level == v->level; i++)
		longest = v[i].call->length > longest ? v[i].call->length : longest;
	fprintf(o->f, "{\"longest\":%llu,\"count\":%zu,\"calls\":", (unsigned long long)longest, i);
	html_pack(o);
	for (size_t k = 0; k < i; k++) {
		const struct time_call *c = v[k].call;

		html_put(o, c->start - at);
		html_put(o, c->length);
		html_put(o, c->depth);
		html_put(o, (uint64_t)t->function_of[c->node] << 4 |
		                    (is_counted(t, c) ? 0u : UNCOUNTED) | c->mode);
		at = c->start;
	}
	html_pack_end(o);
	fputc('}', o->f);
	return i;
}

void timeline_write_levels(struct html_out *o, const struct shown *v, size_t n, uint32_t hart,
                           const struct time_tree *tree)
{
	fputs("\"levels\":[", o->f);
	for (size_t i = 0; i < n && v[i].call->hart == hart;) {
		if (i)
			fputs(",\n", o->f);
		i += write_level(o, v + i, n - i, tree);
	}
	fputc(']', o->f);
}

/* The hart of @s, whose calls are the first of @v.  False: no memory. */
static bool write_hart(struct html_out *o, struct timeline *t, struct sums *s,
                       const struct shown *v, size_t n, const struct time_tree *tree)
{
	fprintf(o->f, "{\"hart\":%u,\"end\":%llu,\"times\":", s->hart, (unsigned long long)s->end);
	timeline_write_times(o, t, s->hart, s->end);
	if (s->hidden_from < s->hidden_to)
		fprintf(o->f, ",\"hidden\":[%llu,%llu]", (unsigned long long)s->hidden_from,
		        (unsigned long long)s->hidden_to);
	fputc(',', o->f);
	timeline_write_levels(o, v, n, s->hart, tree);
	return sums_finish(s) && sums_write(o, t, s, tree);
}

static int by_hart(const void *a, const void *b)
{
	const struct sums *x = a, *y = b;

	return (x->hart > y->hart) - (x->hart < y->hart);
}

static bool write_harts(struct html_out *o, struct timeline *t, struct inlined_runs *inlined,
                        const struct shown *v, size_t n, const struct time_tree *tree)
{
	bool good = true;
	size_t at = 0;

	if (t->sums_count) /* of nothing there are no sums to sort */
		qsort(t->sums, t->sums_count, sizeof(*t->sums), by_hart);
	t->sums_last = 0;
	for (uint32_t i = 0; i < t->sums_count && good; i++) {
		while (at < n && v[at].call->hart < t->sums[i].hart)
			at++;
		fputs(i ? ",\n" : "", o->f);
		good = write_hart(o, t, &t->sums[i], v + at, n - at, tree) &&
		       inlined_write(o, inlined, &t->sums[i], tree);
		fputc('}', o->f);
	}
	return good;
}

bool timeline_write(struct html_out *o, struct timeline *t, struct inlined_runs *inlined,
                    const struct time_tree *tree)
{
	size_t n;
	struct shown *v = timeline_show(t, &n);

	if (!v || !inlined_finish(inlined)) {
		free(v);
		return false;
	}
	timeline_order(t);
	html_key(o, "timeline");
	fprintf(o->f, "{\"calls\":%llu,\"shown\":%zu,\"least\":%llu,\"window\":%u",
	        (unsigned long long)t->seen, n, (unsigned long long)t->least, TIME_WINDOW);
	if (t->order.hart_count)
		fprintf(o->f, ",\"order\":[%llu,%llu]", (unsigned long long)t->order.waits,
		        (unsigned long long)t->order.unsure);
	inlined_write_names(o, inlined);
	fputs(",\"harts\":[", o->f);
	const bool good = write_harts(o, t, inlined, v, n, tree);

	fputs("]}", o->f);
	free(v);
	return good && !t->failed;
}
