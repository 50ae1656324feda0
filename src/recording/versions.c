/* Code that changes while it runs (versions.h). */
#include <stdlib.h>
#include <string.h>

#include "core/search.h"
#include "recording/private.h"
#include "recording/versions.h"
#include "support/grow.h"

/* Bytes at addresses [start, end) that differ between runs. */
struct range {
	uint64_t start, end;
};

struct ranges {
	struct range *items;
	size_t count, room;
};

static enum hs_status add_range(struct ranges *r, uint64_t start, uint64_t end)
{
	if (!support_grow(&r->items, &r->room, r->count + 1, sizeof(*r->items)))
		return HS_E_MEMORY;
	r->items[r->count++] = (struct range){ start, end };
	return HS_OK;
}

static int by_start(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

static void join_ranges(struct ranges *r)
{
	size_t n = 0;

	if (r->count != 0)
		qsort(r->items, r->count, sizeof(*r->items), by_start);
	for (size_t i = 0; i < r->count; i++) {
		const struct range *from = &r->items[i];

		if (n == 0 || from->start > r->items[n - 1].end)
			r->items[n++] = *from;
		else if (from->end > r->items[n - 1].end)
			r->items[n - 1].end = from->end;
	}
	r->count = n;
}

/* The snapshot's bytes of a run at @start, all of which it has. */
static const uint8_t *snapshot_of(const struct hs_rec *rec, uint64_t start)
{
	size_t n;

	return hs_img_bytes(&rec->image.image, start, &n);
}

/* Add the range in which a run at @start differs from the snapshot, if there is one. */
static enum hs_status compare_run(const struct hs_rec *rec, const struct hs_rec_log_run *run,
                                  uint64_t start, struct ranges *r)
{
	const uint8_t *a = (const uint8_t *)(run + 1), *b = snapshot_of(rec, start);
	uint32_t first = 0, end = run->bytes;

	while (first < end && a[first] == b[first])
		first++;
	while (end > first && a[end - 1] == b[end - 1])
		end--;
	return first < end ? add_range(r, start + first, start + end) : HS_OK;
}

/* The ranges in which runs differ from the snapshot. */
static enum hs_status find_ranges(const struct hs_rec *rec, struct ranges *r)
{
	enum hs_status status = HS_OK;

	for (uint32_t i = 0; i < rec->runs.count && status == HS_OK; i++) {
		const struct hs_rec_log_run *run = rec_log_run(&rec->log, i);

		status = compare_run(rec, run, run->start, r);
	}
	for (uint32_t i = 0; i < rec->moves.count; i++)
		for (uint32_t k = 0; k < rec->moves.items[i].runs && status == HS_OK; k++) {
			const struct hs_rec_log_run *run =
				rec_log_run(&rec->log, rec_moves_run(&rec->moves, i, k));

			status = compare_run(rec, run, run->start + rec->moves.items[i].by, r);
		}
	join_ranges(r);
	return status;
}

/* Does a run at @start have a byte in one of the ranges? */
static bool overlaps(const struct ranges *r, const struct hs_rec_log_run *run, uint64_t start)
{
	/* the first range that ends after the run's start */
	const size_t low = base_count_leading(r->count, i, r->items[i].end <= start);

	return low < r->count && r->items[low].start < start + run->bytes;
}

/* A run is contested if it is at one of its places. */
static void contest(struct rec_versions *v, const struct ranges *r, uint32_t number, uint64_t by)
{
	const struct hs_rec_log_run *run = rec_log_run(&v->rec->log, number);

	if (overlaps(r, run, run->start + by))
		v->contested[number / 64] |= UINT64_C(1) << number % 64;
}

static size_t bitmap_bytes(const struct hs_rec *rec)
{
	return (rec->runs.count / 64u + 1u) * sizeof(uint64_t);
}

static enum hs_status build(struct rec_versions *v, const struct ranges *r)
{
	const struct hs_rec *rec = v->rec;

	v->contested = calloc(1, bitmap_bytes(rec));
	v->pending = malloc(bitmap_bytes(rec));
	v->view = malloc(rec->image.size + 1);
	if (v->contested == NULL || v->pending == NULL || v->view == NULL)
		return HS_E_MEMORY;
	for (uint32_t i = 0; i < rec->runs.count; i++)
		contest(v, r, i, 0);
	for (uint32_t i = 0; i < rec->moves.count; i++)
		for (uint32_t k = 0; k < rec->moves.items[i].runs; k++)
			contest(v, r, rec_moves_run(&rec->moves, i, k), rec->moves.items[i].by);
	memcpy(v->pending, v->contested, bitmap_bytes(rec));
	memcpy(v->view, rec->image.bytes, rec->image.size);
	return HS_OK;
}

enum hs_status rec_versions_new(const struct hs_rec *rec, struct rec_versions **versions)
{
	struct ranges ranges = { 0 };
	enum hs_status status = HS_OK;

	*versions = NULL;
	if (!rec->is_flow)
		status = find_ranges(rec, &ranges);
	if (status == HS_OK && ranges.count != 0) {
		*versions = calloc(1, sizeof(**versions));
		status = HS_E_MEMORY;
	}
	if (*versions != NULL) {
		(*versions)->rec = rec;
		status = build(*versions, &ranges);
	}
	free(ranges.items);
	if (status == HS_OK)
		return status;
	rec_versions_free(*versions);
	*versions = NULL;
	return status;
}

enum hs_status rec_versions_renew(struct rec_versions **v, const struct hs_rec *rec,
                                  const struct rec_image *before)
{
	struct rec_versions *more = NULL, *old = *v;
	const enum hs_status status = rec_versions_new(rec, &more);

	if (status != HS_OK)
		return status;
	for (size_t i = 0; old != NULL && more != NULL && i < before->image.count; i++) {
		const struct hs_section *s = &before->sections[i];
		const size_t at = (size_t)(snapshot_of(rec, s->start) - rec->image.bytes);

		memcpy(more->view + at, old->view + (s->bytes - before->bytes), s->size);
	}
	rec_versions_free(old);
	*v = more;
	return HS_OK;
}

void rec_versions_free(struct rec_versions *v)
{
	if (v == NULL)
		return;
	free(v->contested);
	free(v->pending);
	free(v->view);
	free(v);
}

void rec_versions_again(struct rec_versions *v, uint32_t number)
{
	const uint64_t bit = UINT64_C(1) << number % 64;

	v->pending[number / 64] |= v->contested[number / 64] & bit;
}

bool rec_versions_enter(struct rec_versions *v, uint32_t number, uint64_t by)
{
	const struct hs_rec_log_run *run = rec_log_run(&v->rec->log, number);
	uint8_t *bytes = v->view + (snapshot_of(v->rec, run->start + by) - v->rec->image.bytes);
	const bool differs = memcmp(bytes, run + 1, run->bytes) != 0;

	if (differs) {
		memcpy(bytes, run + 1, run->bytes);
		memcpy(v->pending, v->contested, bitmap_bytes(v->rec));
	}
	v->pending[number / 64] &= ~(UINT64_C(1) << number % 64);
	return differs;
}

bool rec_versions_put(struct rec_versions *v, const struct hs_section *code)
{
	size_t n;
	const uint8_t *at = hs_img_bytes(&v->rec->image.image, code->start, &n);

	if (at == NULL || n < code->size)
		return false;
	memcpy(v->view + (at - v->rec->image.bytes), code->bytes, code->size);
	return true;
}
