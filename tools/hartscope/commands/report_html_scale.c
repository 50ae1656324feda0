/* When harts had retired how many instructions: what the page needs for an axis of time
 * (report_html.h).
 *
 * A scale has few points: where time passes evenly between two of them, those in between are left
 * out. */
#include <stdlib.h>

#include "commands/report_html.h"

/* The scale of a hart; NULL: no memory. */
static struct time_scale *scale_of(struct timeline *t, uint32_t hart)
{
	for (uint32_t i = t->scale_count; i-- > 0;)
		if (t->scales[i].hart == hart)
			return &t->scales[i];
	struct time_scale *more = reallocarray(t->scales, t->scale_count + 1u, sizeof(*t->scales));

	t->failed |= !more;
	if (!more)
		return NULL;
	t->scales = more;
	more[t->scale_count] =
		(struct time_scale){ .hart = hart,
		                     .points = malloc(TIME_POINTS * sizeof(*more->points)) };
	t->failed |= !more[t->scale_count].points;
	return more[t->scale_count].points ? &more[t->scale_count++] : NULL;
}

/* How far is a point from the straight line between those around it, in ticks? */
static double away(const struct time_point *p)
{
	const double at = (double)(p[1].at - p[-1].at), part = (double)(p->at - p[-1].at);
	const double time = (double)(p[1].time - p[-1].time);
	const double even = at > 0 ? time * part / at : 0;
	const double own = (double)(p->time - p[-1].time);

	return own > even ? own - even : even - own;
}

/* Leave points out until there is room for as many. */
static void thin(struct time_scale *s)
{
	const uint64_t all = s->points[s->count - 1].time - s->points[0].time;
	double most = (double)all / TIME_POINTS;

	while (s->count > TIME_POINTS / 2) {
		uint32_t n = 1;

		for (uint32_t i = 1; i < s->count; i++) {
			const bool last = i + 1 == s->count;

			if (last || i % 2 == 0 || away(&s->points[i]) > most)
				s->points[n++] = s->points[i];
		}
		s->count = n;
		most = most > 0 ? 2 * most : 1;
	}
	s->apart = (s->points[s->count - 1].at - s->points[0].at) / TIME_POINTS;
	s->apart_time = all / TIME_POINTS;
}

static void keep(struct time_scale *s, struct time_point p)
{
	s->points[s->count++] = p;
	s->has_last = false;
	if (s->count == TIME_POINTS)
		thin(s);
}

static void add_point(struct time_scale *s, struct time_point p)
{
	const struct time_point *kept = s->count ? &s->points[s->count - 1] : NULL;
	const struct time_point *before = s->has_last ? &s->last : kept;

	if (before && p.time < before->time) /* a clock that was set back */
		return;
	if (kept && s->has_last && p.time - s->last.time > s->apart_time) {
		keep(s, s->last); /* time passed after it */
		kept = &s->points[s->count - 1];
	}
	if (!kept || s->after_gap || p.at - kept->at >= s->apart ||
	    p.time - kept->time > s->apart_time) {
		keep(s, p);
	} else {
		s->last = p;
		s->has_last = true;
	}
	s->after_gap = false;
}

void timeline_time(struct timeline *t, const struct hs_block *item, uint32_t hart, uint64_t retired)
{
	struct time_scale *s = scale_of(t, hart);

	if (!s)
		return;
	if (item->itype == HS_CLOCK_TIME) /* that of the next block's end */
		add_point(s, (struct time_point){ retired, s->clock });
	else
		add_point(s, (struct time_point){ retired, item->value });
	s->clock = item->itype == HS_CLOCK_TIME ? item->value : 0;
}

void timeline_gap(struct timeline *t, uint32_t hart)
{
	for (uint32_t i = 0; i < t->scale_count; i++) {
		struct time_scale *s = &t->scales[i];

		if (s->hart != hart || !s->count)
			continue;
		if (s->has_last)
			keep(s, s->last);
		s->after_gap = true;
	}
}

void timeline_write_times(struct html_out *o, struct timeline *t, uint32_t hart, uint64_t end)
{
	struct time_point before = { 0, 0 };
	struct time_scale *s = NULL;

	for (uint32_t i = 0; i < t->scale_count; i++)
		if (t->scales[i].hart == hart)
			s = &t->scales[i];
	html_pack(o);
	if (s && s->clock)
		add_point(s, (struct time_point){ end, s->clock });
	if (s && s->has_last)
		keep(s, s->last);
	for (uint32_t i = 0; s && i < s->count; i++) {
		html_put(o, s->points[i].at - before.at);
		html_put(o, s->points[i].time - before.time);
		before = s->points[i];
	}
	html_pack_end(o);
}

void timeline_order(struct timeline *t)
{
	struct thread_order *o = &t->order;

	if (t->scale_count || !thread_order_solve(o)) {
		o->hart_count = 0;
		return;
	}
	for (size_t i = 0; i < o->place_count; i++) {
		const struct hs_export_place *p = &o->places[i];
		struct time_scale *s = scale_of(t, p->hart);
		const struct hs_export_place *next =
			i + 1 < o->place_count && p[1].hart == p->hart ? p + 1 : NULL;
		const struct sums *sums = sums_of(t, p->hart);

		if (!s || !sums)
			return;
		const uint64_t end = next ? next->retired : sums->end;

		add_point(s, (struct time_point){ p->retired, p->at });
		add_point(s, (struct time_point){ end, p->at + (end - p->retired) });
	}
}

void timeline_free_times(struct timeline *t)
{
	for (uint32_t i = 0; i < t->scale_count; i++)
		free(t->scales[i].points);
	free(t->scales);
	thread_order_free(&t->order);
}
