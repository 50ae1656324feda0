/* Sources: reading. */
#include <stdlib.h>
#include <string.h>

#include "source/private.h"

static enum hs_status next_items(struct hs_source *s, struct hs_block *out, size_t cap, size_t *n,
                                 struct hs_error *error)
{
	return s->range ? source_next_ranged(s, out, cap, n, error)
	                : source_next_items(s, out, cap, n, error);
}

/* Give items out of the spare array; the result of reading them follows the last one. */
static enum hs_status read_spare(struct hs_source *s, struct hs_block *out, size_t cap, size_t *n,
                                 struct hs_error *error)
{
	struct source_spare *spare = &s->spare;

	if (spare->at == spare->n) {
		spare->at = 0;
		spare->status = next_items(s, spare->items, SOURCE_SPARE, &spare->n, &spare->error);
	}
	*n = cap < spare->n - spare->at ? cap : spare->n - spare->at;
	memcpy(out, spare->items + spare->at, *n * sizeof(*out));
	spare->at += *n;
	if (spare->at < spare->n)
		return HS_OK;
	if (error && spare->status != HS_OK)
		*error = spare->error;
	return spare->status;
}

enum hs_status hs_source_next(struct hs_source *s, struct hs_block *out, size_t cap, size_t *n,
                              struct hs_error *error)
{
	return cap < SOURCE_SPARE || s->spare.at < s->spare.n ? read_spare(s, out, cap, n, error)
	                                                      : next_items(s, out, cap, n, error);
}

/* The next items of a recording, where a thread wrote them. */
static enum hs_status view_ahead(struct hs_source *s, struct source_room *v, size_t *n,
                                 struct hs_error *error)
{
	struct hs_block *items;
	const enum hs_status status = source_ahead_view(s, &items, n, error);

	v->items = items;
	return status;
}

enum hs_status hs_source_view(struct hs_source *s, const struct hs_block **items, size_t *n,
                              struct hs_error *error)
{
	struct source_room v = { .cap = SOURCE_VIEW };
	enum hs_status status;

	*n = 0;
	if (!s->view)
		s->view = malloc(SOURCE_VIEW * sizeof(*s->view));
	if (!s->view)
		return source_no_memory(s, error);
	v.room = s->view;
	v.items = s->view;
	const bool plain = !s->selection && !s->range && !s->marks && s->first_at == s->first_n &&
	                   s->spare.at == s->spare.n;

	if (s->kind == SOURCE_TRACE && plain && !s->one_hart)
		status = source_view_trace(s, &v, n, error);
	else if (s->kind == SOURCE_RECORDING && plain && source_ahead_start(s, 0))
		status = view_ahead(s, &v, n, error);
	else
		status = hs_source_next(s, s->view, SOURCE_VIEW, n, error);
	*items = v.items;
	return status;
}

enum hs_status hs_source_rewind(struct hs_source *s, struct hs_error *error)
{
	source_reset_hart(s);
	s->spare.at = s->spare.n = 0;
	s->first_at = s->first_n = 0;
	if (s->marks)
		source_marks_rewind(s->marks);
	if (s->selection)
		source_selection_rewind(s->selection);
	if (s->range)
		source_range_rewind(s->range);
	return s->ops->rewind(s, error);
}
