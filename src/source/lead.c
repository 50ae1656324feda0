/* What items mean to those after them (lead.h). */
#include <string.h>

#include "source/lead.h"

void source_lead_start(struct source_lead *l)
{
	memset(l, 0, sizeof(*l));
	l->count = 1;
}

static void select_hart(struct source_lead *l, uint32_t number)
{
	uint32_t i = 0;

	l->named = true;
	while (i < l->count && l->harts[i].number != number)
		i++;
	if (i == LEAD_HARTS) {
		l->over = true;
		return;
	}
	if (i == l->count)
		l->harts[l->count++] = (struct lead_hart){ .number = number };
	l->now = i;
}

void source_lead_follow(struct source_lead *l, const struct hs_block *items, size_t n)
{
	struct lead_hart *h = &l->harts[l->now];

	for (size_t i = 0; i < n; i++) {
		const struct hs_block *b = &items[i];

		if (b->kind == HS_KIND_BLOCK) {
			h->last = *b;
			h->has_last = true;
		} else if (b->kind == HS_KIND_HART) {
			select_hart(l, b->arg);
			h = &l->harts[l->now];
		} else if (b->kind == HS_KIND_CONTEXT) {
			h->contexts[b->arg % LEAD_FORMATS] = *b;
		} else if (hs_event_breaks(b)) {
			h->has_last = false;
		}
	}
}

static bool same_hart(const struct lead_hart *a, const struct lead_hart *b)
{
	return a->number == b->number && a->has_last == b->has_last &&
	       (!a->has_last || memcmp(&a->last, &b->last, sizeof(a->last)) == 0) &&
	       memcmp(a->contexts, b->contexts, sizeof(a->contexts)) == 0;
}

static const struct lead_hart *find_hart(const struct source_lead *l, uint32_t number)
{
	for (uint32_t i = 0; i < l->count; i++)
		if (l->harts[i].number == number)
			return &l->harts[i];
	return NULL;
}

/* A hart of which nothing is known, such as hart 0 before the first one was named. */
static bool is_blank(const struct lead_hart *h)
{
	const struct lead_hart blank = { .number = h->number };

	return same_hart(h, &blank);
}

static bool all_in(const struct source_lead *a, const struct source_lead *b)
{
	for (uint32_t i = 0; i < a->count; i++) {
		const struct lead_hart *other = find_hart(b, a->harts[i].number);

		if (other ? !same_hart(&a->harts[i], other) : !is_blank(&a->harts[i]))
			return false;
	}
	return true;
}

bool source_lead_same(const struct source_lead *a, const struct source_lead *b)
{
	return !a->over && !b->over && a->named == b->named &&
	       a->harts[a->now].number == b->harts[b->now].number && all_in(a, b) && all_in(b, a);
}

static size_t put_hart(const struct lead_hart *h, bool named, struct hs_block *out)
{
	size_t n = 0;

	if (named)
		out[n++] = (struct hs_block){ .kind = HS_KIND_HART, .arg = h->number };
	for (unsigned i = 0; i < LEAD_FORMATS; i++)
		if (h->contexts[i].kind == HS_KIND_CONTEXT)
			out[n++] = h->contexts[i];
	if (h->has_last)
		out[n++] = h->last;
	return n;
}

size_t source_lead_items(const struct source_lead *l, struct hs_block *out)
{
	size_t n = 0;

	for (uint32_t i = 0; i < l->count; i++)
		if (!l->named || !is_blank(&l->harts[i]))
			n += put_hart(&l->harts[i], l->named, out + n);
	if (l->named)
		out[n++] =
			(struct hs_block){ .kind = HS_KIND_HART, .arg = l->harts[l->now].number };
	return n;
}
