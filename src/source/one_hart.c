/* Sources: one hart of several. */
#include <stdlib.h>

#include "source/private.h"

#define ITEMS 64

enum hs_status hs_source_get_harts(struct hs_source *s, const uint32_t **harts, uint32_t *count,
                                   struct hs_error *error)
{
	*harts = NULL;
	*count = 0;
	if (s->kind != SOURCE_RECORDING)
		return HS_OK;
	if (!s->one_hart)
		return source_all_harts(s, harts, count, error);
	*harts = &s->hart;
	*count = 1;
	return HS_OK;
}

/* Read all of the range once, for what each hart has of it. */
static enum hs_status measure(struct hs_source *s, struct hs_error *error)
{
	struct hs_block items[ITEMS];
	enum hs_status status = hs_source_rewind(s, error);
	size_t n;

	if (status != HS_OK)
		return status;
	while (status != HS_END && status != HS_E_NOTHING)
		status = hs_source_next(s, items, ITEMS, &n, error);
	source_range_measured(s, status == HS_END);
	return status == HS_END ? HS_OK : status;
}

enum hs_status hs_source_take_range(struct hs_source *s, struct hs_source *whole,
                                    struct hs_error *error)
{
	if (!whole->range || !s->one_hart)
		return hs_error_set(error, HS_E_ARG, "no range, or not a source of one hart");
	const enum hs_status status =
		source_range_is_measured(whole) ? HS_OK : measure(whole, error);

	return status == HS_OK ? source_take_range(s, whole, error) : status;
}

enum hs_status hs_source_open_hart(struct hs_source *source, uint32_t hart, struct hs_source **out,
                                   struct hs_error *error)
{
	const uint32_t *harts;
	uint32_t count;

	if (source->kind != SOURCE_RECORDING)
		return source_open_hart_again(source, hart, out, error);
	enum hs_status status = source_all_harts(source, &harts, &count, error);

	if (status != HS_OK)
		return status;
	struct hs_source *s = calloc(1, sizeof(*s));

	if (!s)
		return hs_error_set(error, HS_E_MEMORY, "out of memory");
	s->ops = source->ops;
	s->kind = source->kind;
	s->parent = source->parent ? source->parent : source;
	s->one_hart = true;
	s->hart = hart;
	s->recording.rec = source->recording.rec;
	s->recording.versions = source->recording.versions;
	s->recording.timed = source->recording.timed;
	s->recording.clock = source->recording.clock;
	status = source_choose_hart(s, hart, harts, count, error);
	if (status == HS_OK && source->selection &&
	    source_selection_copy(source->selection, &s->selection) != HS_OK)
		status = hs_error_set(error, HS_E_MEMORY, "out of memory");
	if (status == HS_OK && source->range)
		status = hs_source_take_range(s, source, error);
	if (status == HS_OK)
		*out = s;
	else
		hs_source_close(s);
	return status;
}
