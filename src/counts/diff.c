/* hs_diff: the harts of two runs in pairs, and the places where each of them parts. */
#include <stdlib.h>

#include "counts/runs.h"
#include "source/source.h"

struct hs_diff {
	struct hs_source *run[2]; /* all of it */
	struct source_harts harts[2];
	uint32_t begun;           /* pairs */
	struct diff_pair *pair;   /* that is compared; NULL: none is */
	struct hs_source *own[2]; /* its sources that are to be closed */
	uint32_t hart;
	uint64_t place;
	bool apart; /* they are not together again in it */
};

static void end_pair(struct hs_diff *d)
{
	diff_pair_free(d->pair);
	d->pair = NULL;
	for (unsigned i = 0; i < 2; i++) {
		hs_source_close(d->own[i]);
		d->own[i] = NULL;
	}
}

void hs_diff_free(struct hs_diff *d)
{
	if (!d)
		return;
	end_pair(d);
	for (unsigned i = 0; i < 2; i++)
		free(d->harts[i].numbers);
	free(d);
}

enum hs_status hs_diff_new(struct hs_source *a, struct hs_source *b, struct hs_diff **diff,
                           struct hs_error *error)
{
	struct hs_diff *d = calloc(1, sizeof(*d));
	enum hs_status s = HS_OK;

	if (!d)
		return hs_error_set(error, HS_E_MEMORY, "out of memory");
	d->run[0] = a;
	d->run[1] = b;
	for (unsigned i = 0; i < 2 && s == HS_OK; i++) {
		s = hs_source_rewind(d->run[i], error);
		if (s == HS_OK)
			s = source_read_harts(d->run[i], &d->harts[i], error);
	}
	if (s == HS_OK)
		*diff = d;
	else
		hs_diff_free(d);
	return s;
}

static bool has_hart(const struct source_harts *h, uint32_t number)
{
	for (uint32_t i = 0; i < h->count; i++)
		if (h->numbers[i] == number)
			return true;
	return false;
}

/* One hart in each: its number means nothing. */
static enum hs_status begin_only(struct hs_diff *d, struct hs_error *error)
{
	enum hs_status s = hs_source_rewind(d->run[0], error);

	if (s == HS_OK)
		s = hs_source_rewind(d->run[1], error);
	return s == HS_OK ? diff_pair_new(d->run, &d->pair) : s;
}

/* The hart of this number of those that have it. */
static enum hs_status begin_hart(struct hs_diff *d, struct hs_error *error)
{
	enum hs_status s = HS_OK;

	for (unsigned i = 0; i < 2 && s == HS_OK; i++)
		if (has_hart(&d->harts[i], d->hart))
			s = hs_source_open_hart(d->run[i], d->hart, &d->own[i], error);
	return s == HS_OK ? diff_pair_new(d->own, &d->pair) : s;
}

/* Begin the next pair.  HS_END: there are no more. */
static enum hs_status begin_pair(struct hs_diff *d, struct hs_error *error)
{
	const struct source_harts *a = &d->harts[0], *b = &d->harts[1];
	uint32_t i = d->begun++;

	d->place = 0;
	d->apart = false;
	if (a->count == 1 && b->count == 1) {
		d->hart = a->numbers[0];
		return i ? HS_END : begin_only(d, error);
	}
	if (i < a->count) {
		d->hart = a->numbers[i];
		return begin_hart(d, error);
	}
	for (i -= a->count; i < b->count && has_hart(a, b->numbers[i]); i++)
		d->begun++;
	if (i >= b->count)
		return HS_END;
	d->hart = b->numbers[i];
	return begin_hart(d, error);
}

/* HS_END: the pair has no more places. */
static enum hs_status find_place(struct hs_diff *d, struct hs_diff_found *found)
{
	enum hs_status s = d->apart ? HS_END : diff_find_parting(d->pair, &found->parting);

	if (s == HS_OK)
		s = diff_find_together(d->pair, &found->together);
	if (s != HS_OK)
		return s;
	d->apart = !found->together.found;
	found->hart = d->hart;
	found->place = d->place++;
	return HS_OK;
}

enum hs_status hs_diff_next(struct hs_diff *d, struct hs_diff_found *found, struct hs_error *error)
{
	struct hs_error e = { .status = HS_OK };
	enum hs_status s = HS_OK;

	while (s == HS_OK) {
		if (!d->pair)
			s = begin_pair(d, &e);
		if (s != HS_OK)
			break;
		s = find_place(d, found);
		if (s != HS_END)
			break;
		end_pair(d);
		s = HS_OK;
	}
	if (s != HS_OK && s != HS_END && e.status == HS_OK)
		hs_error_set(&e, s, "%s",
		             s == HS_E_MEMORY ? "out of memory" : "a run cannot be read");
	if (error && s != HS_OK)
		*error = e;
	return s;
}
