/* Sources: only a range of the items (range.h). */
#include <stdlib.h>
#include <string.h>

#include "source/range.h"
#include "source/private.h"
#include "source/source.h"

#define ITEMS 4096
#define ITEMS_BY_BYTE 64 /* of one message, or of some on one side of a stop */

struct source_range {
	struct hs_range *range;
	struct hs_range_options options; /* as hs_range_new() takes them */
	char *function;
	struct hs_block items[ITEMS];
	size_t at, n, cap;
	uint64_t before;      /* instructions before the place at which it began */
	enum hs_status status; /* after the items */
	struct hs_error error;
	bool part;     /* of a hart: what is not there is said of the whole */
	bool measured; /* range knows what each hart has of it */
	bool checked;  /* what was not there was said */
	bool ran_out;  /* the items ended before the range did */
};

void source_range_free(struct source_range *r)
{
	if (!r)
		return;
	hs_range_free(r->range);
	free(r->function);
	free(r);
}

static void restart(struct source_range *r, uint64_t before)
{
	hs_range_restart(r->range, before);
	r->at = r->n = 0;
	r->status = HS_OK;
	r->checked = r->measured = r->ran_out = false;
}

void source_range_rewind(struct source_range *r)
{
	restart(r, 0);
}

static bool by_byte(const struct hs_range_options *o)
{
	return o->from.kind == HS_POSITION_BYTE || o->to.kind == HS_POSITION_BYTE;
}

static enum hs_status fill_in(struct hs_source *s, struct source_range *r,
                              const struct hs_range_options *range)
{
	struct hs_range_options *o = &r->options;

	o->size = sizeof(*o);
	o->from = range->from;
	o->to = range->to;
	o->function = range->function;
	if (range->function) {
		r->function = strdup(range->function);
		if (!r->function)
			return HS_E_MEMORY;
		o->function = r->function;
	}
	o->program = hs_source_program(s);
	o->programs = hs_source_programs(s);
	o->guest = hs_source_guest(s);
	r->cap = by_byte(o) ? ITEMS_BY_BYTE : ITEMS;
	return hs_range_new(o, &r->range);
}

/* A trace is decoded up to a position by bytes, and then on. */
static void stop_at(struct hs_source *s, const struct hs_range_options *o)
{
	if (s->kind != SOURCE_TRACE)
		return;
	s->trace.cut.stops[0] = o->from.kind == HS_POSITION_BYTE ? o->from.value : 0;
	s->trace.cut.stops[1] = o->to.kind == HS_POSITION_BYTE ? o->to.value : 0;
}

enum hs_status source_set_range(struct hs_source *s, const struct hs_range_options *range,
                                uint64_t before, struct hs_error *error)
{
	struct source_range *r = calloc(1, sizeof(*r));
	const enum hs_status status = r ? fill_in(s, r, range) : HS_E_MEMORY;

	if (status != HS_OK) {
		source_range_free(r);
		return hs_error_set(error, status, "the range: %s", hs_status_text(status));
	}
	hs_range_restart(r->range, before);
	source_range_free(s->range);
	s->range = r;
	stop_at(s, &r->options);
	return HS_OK;
}

bool hs_source_get_range(const struct hs_source *s, struct hs_range_found *found)
{
	if (s->range)
		hs_range_get_found(s->range->range, found);
	return s->range != NULL;
}

bool source_wants_all(const struct hs_source *s)
{
	return !s->range || s->range->ran_out;
}

/* ---- reading --------------------------------------------------------------------- */

static void refill(struct hs_source *s)
{
	struct source_range *r = s->range;

	r->at = 0;
	r->status = source_next_items(s, r->items, r->cap, &r->n, &r->error);
	if (by_byte(&r->options))
		hs_range_set_byte(r->range, hs_source_decoded(s));
}

/* There are no more items: what was asked for and is not there is an error, once. */
static enum hs_status end(struct source_range *r, struct hs_error *error)
{
	const bool first = !r->checked;

	r->checked = true;
	r->status = HS_END;
	return first && !r->part && hs_range_check(r->range, error) != HS_OK ? HS_E_NOTHING
	                                                                     : HS_END;
}

/* What came after the items. */
static enum hs_status after(struct source_range *r, struct hs_error *error)
{
	const enum hs_status status = r->status;

	if (status == HS_OK || status == HS_END)
		return HS_OK;
	r->status = HS_OK;
	if (error)
		*error = r->error;
	return status;
}

enum hs_status source_next_ranged(struct hs_source *s, struct hs_block *out, size_t cap, size_t *n,
                                  struct hs_error *error)
{
	struct source_range *r = s->range;
	enum hs_status status;
	size_t used;

	for (;;) {
		status = hs_range_take(r->range, r->items + r->at, r->n - r->at, &used, out, cap,
		                       n);
		r->at += used;
		if (status == HS_FULL || (*n && (status == HS_OK || status == HS_END)))
			return HS_OK;
		if (status == HS_END)
			return end(r, error);
		if (status != HS_OK)
			return hs_error_set(error, status, "out of memory");
		if (r->status == HS_END) {
			r->ran_out = true;
			hs_range_end(r->range);
			continue;
		}
		status = after(r, error);
		if (status != HS_OK)
			return status;
		refill(s);
	}
}

/* ---- one hart ---------------------------------------------------------------------- */

bool source_range_is_measured(const struct hs_source *s)
{
	return s->range->measured;
}

void source_range_measured(struct hs_source *s, bool all)
{
	s->range->measured = all;
}

enum hs_status source_take_range(struct hs_source *s, const struct hs_source *whole,
                                 struct hs_error *error)
{
	struct hs_range_found found = { .begin = UINT64_MAX, .end = UINT64_MAX };

	struct hs_range_options o = whole->range->options;
	/* a whole of one hart may not name it */
	if (!hs_range_get_hart(whole->range->range, s->hart, &found) && whole->one_hart)
		hs_range_get_found(whole->range->range, &found);
	o.from = (struct hs_position){ .kind = HS_POSITION_INSTRUCTION, .value = found.begin };
	o.to = (struct hs_position){ .kind = HS_POSITION_INSTRUCTION, .value = found.end };
	const enum hs_status status = source_set_range(s, &o, 0, error);

	if (status == HS_OK)
		s->range->part = true;
	return status;
}
