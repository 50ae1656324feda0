/* Sources: items as the recording or trace gives them, of the hart that is wanted. */
#include <string.h>

#include "source/private.h"

/* What a trace says before its first HS_KIND_HART is of hart 0. */
void source_reset_hart(struct hs_source *s)
{
	s->other_hart = s->one_hart && s->hart != 0;
	s->hart_seen = false;
	s->last_hart = 0;
}

/* Do the items have to be looked at for those of one hart?  In streams of recordings they are. */
static bool mixes_harts(const struct hs_source *s)
{
	return s->one_hart && s->kind != SOURCE_RECORDING;
}

/* Keep the items of one hart, and no HS_KIND_HART. */
static size_t keep_hart(struct hs_source *s, struct hs_block *v, size_t n)
{
	size_t kept = 0;

	while (kept < n && !s->other_hart && v[kept].kind != HS_KIND_HART)
		kept++;
	for (size_t i = kept; i < n; i++) {
		if (v[i].kind == HS_KIND_HART) {
			s->other_hart = v[i].arg != s->hart;
			s->last_hart = v[i].arg > s->last_hart ? v[i].arg : s->last_hart;
		} else if (!s->other_hart) {
			v[kept++] = v[i];
		}
	}
	s->hart_seen |= kept != 0;
	return kept;
}

/* A trace shows at its end only that it has no such hart. */
static enum hs_status end_of_hart(struct hs_source *s, enum hs_status status,
                                  struct hs_error *error)
{
	if (status != HS_END || s->hart_seen)
		return status;
	s->hart_seen = true;
	return hs_error_set(error, HS_E_FORMAT, "no hart %u: the highest in the trace is %u",
	                    s->hart, s->last_hart);
}

enum hs_status source_read_items(struct hs_source *s, struct hs_block *out, size_t cap, size_t *n,
                                 struct hs_error *error)
{
	*n = 0;
	if (s->first_at < s->first_n) {
		const size_t left = s->first_n - s->first_at;

		*n = left < cap ? left : cap;
		memcpy(out, s->first + s->first_at, *n * sizeof(*out));
		s->first_at += *n;
		return HS_OK;
	}
	const enum hs_status status = s->ops->next(s, out, cap, n, error);

	if (s->marks)
		source_marks_follow(s->marks, s, out, *n);
	if (!mixes_harts(s))
		return status;
	*n = keep_hart(s, out, *n);
	return end_of_hart(s, status, error);
}

enum hs_status source_no_memory(struct hs_source *s, struct hs_error *error)
{
	const enum hs_status status = s->no_memory ? HS_END : HS_E_MEMORY;

	s->no_memory = true;
	return hs_error_set(error, status, "out of memory");
}
