/* perf.data: AUXTRACE records as buffers, each in the order of time (design/perf-data). */
#include <stdlib.h>
#include <string.h>

#include "core/search.h"
#include "inputs/perf_private.h"

#define ALIGNMENT 8u /* perf pads the bytes of AUXTRACE with null bytes to it */

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int by_lane(const void *a, const void *b)
{
	const struct perf_piece *x = a, *y = b;

	if (x->cpu != y->cpu)
		return compare(x->cpu, y->cpu);
	if (x->cpu == HS_PERF_NONE && x->tid != y->tid)
		return compare(x->tid, y->tid);
	return compare(x->at, y->at);
}

static bool same_lane(const struct perf_piece *a, const struct perf_piece *b)
{
	return a->cpu == b->cpu && (a->cpu != HS_PERF_NONE || a->tid == b->tid);
}

/* ---- the kernel's words about a lane ------------------------------------------------- */

static int by_cpu(const void *a, const void *b)
{
	const struct perf_aux *x = a, *y = b;

	return x->cpu != y->cpu ? compare(x->cpu, y->cpu) : compare(x->at, y->at);
}

static int by_tid(const void *a, const void *b)
{
	const struct perf_aux *x = a, *y = b;

	return x->tid != y->tid ? compare(x->tid, y->tid) : compare(x->at, y->at);
}

/* The AUX records of a lane, of an array in the order of their CPUs, or of their threads. */
struct words {
	const struct perf_aux *p;
	size_t n;
};

static struct words words_of(const struct hs_perf *p, const struct hs_perf_lane *l)
{
	const bool cpu = l->cpu != HS_PERF_NONE;
	const uint32_t want = cpu ? l->cpu : l->tid;
	size_t end;
	const size_t low =
		base_count_leading(p->aux_count, i, (cpu ? p->aux[i].cpu : p->aux[i].tid) < want);

	for (end = low; end < p->aux_count; end++)
		if ((cpu ? p->aux[end].cpu : p->aux[end].tid) != want)
			break;
	return (struct words){ p->aux + low, end - low };
}

/* ---- extents ------------------------------------------------------------------------- */

bool perf_add_extent(struct perf_lane *l, const struct perf_extent *e)
{
	if (!e->size)
		return true;
	if (!support_grow(&l->extents, &l->room, l->count + 1, sizeof(*l->extents)))
		return false;
	l->extents[l->count] = *e;
	l->extents[l->count++].before = l->info.bytes;
	l->info.bytes += e->size;
	return true;
}

/* Are @n bytes of the file null? */
static bool are_null(struct hs_perf *p, uint64_t at, size_t n)
{
	const uint8_t *b = perf_bytes(p, at, n);

	for (size_t i = 0; b && i < n; i++)
		if (b[i])
			return false;
	return b != NULL;
}

/* The bytes of a piece that are trace: without padding, when @end is where the next ones begin. */
static void drop_padding(struct hs_perf *p, struct perf_piece *piece, uint64_t end)
{
	const uint64_t excess = piece->offset + piece->size - end;

	if (end > piece->offset && end < piece->offset + piece->size && excess < ALIGNMENT &&
	    are_null(p, piece->at + piece->size - excess, (size_t)excess))
		piece->size -= excess;
}

static int by_number(const void *a, const void *b)
{
	return compare(*(const uint64_t *)a, *(const uint64_t *)b);
}

/* Where the kernel says that bytes end, in order. */
static uint64_t *find_ends(const struct words *w)
{
	uint64_t *ends = calloc(w->n + 1, sizeof(*ends));

	for (size_t i = 0; ends && i < w->n; i++)
		ends[i] = w->p[i].offset + w->p[i].size;
	if (ends)
		qsort(ends, w->n, sizeof(*ends), by_number);
	return ends;
}

/* The last of them that is not after the piece; 0: there is none. */
static uint64_t last_end(const uint64_t *ends, size_t n, const struct perf_piece *piece)
{
	const size_t low = base_count_leading(n, i, ends[i] <= piece->offset + piece->size);

	return low ? ends[low - 1] : 0;
}

static bool equal_bytes(struct hs_perf *p, uint64_t a, uint64_t b, uint64_t n)
{
	uint8_t x[4096], y[4096];
	size_t got, other;

	for (uint64_t i = 0; i < n; i += got) {
		const size_t want = n - i < sizeof(x) ? (size_t)(n - i) : sizeof(x);

		if (perf_read_at(p, a + i, x, want, &got, NULL) != HS_OK ||
		    perf_read_at(p, b + i, y, want, &other, NULL) != HS_OK || !got ||
		    got != other || memcmp(x, y, got) != 0)
			return false;
	}
	return true;
}

/* A piece whose first bytes are the last ones of @last again, as a second snapshot has them:
 * leave these out.  False: it is another one. */
static bool drop_overlap(struct hs_perf *p, const struct perf_piece *last, struct perf_piece *piece)
{
	const uint64_t end = last->offset + last->size;
	const uint64_t over = end - piece->offset;
	const uint64_t n = over < piece->size ? over : piece->size;

	if (piece->offset < last->offset || piece->offset >= end || piece->index != last->index ||
	    !equal_bytes(p, last->at + (piece->offset - last->offset), piece->at, n))
		return false;
	piece->offset += n;
	piece->at += n;
	piece->size -= n;
	return true;
}

/* Why bytes before @piece are missing; NULL: none are. */
static const char *find_gap(const struct perf_piece *last, const struct perf_piece *piece)
{
	if (!last)
		return piece->offset ? "the buffer begins later" : NULL;
	if (piece->index != last->index)
		return "another buffer";
	if (piece->offset > last->offset + last->size)
		return "bytes of the buffer were not stored";
	return piece->offset < last->offset + last->size ? "the buffer begins again" : NULL;
}

/* ---- gaps that the kernel reports ------------------------------------------------------ */

/* Bytes of the buffer at which some are missing. */
struct mark {
	uint64_t offset;
	const char *why;
	bool inside;
};

static const char *why_of(uint64_t flags)
{
	return flags & HS_PERF_AUX_TRUNCATED   ? "AUX: truncated"
	       : flags & HS_PERF_AUX_PARTIAL   ? "AUX: partial"
	       : flags & HS_PERF_AUX_COLLISION ? "AUX: collision"
	                                       : NULL;
}

static int by_offset(const void *a, const void *b)
{
	const struct mark *x = a, *y = b;

	return x->offset != y->offset ? compare(x->offset, y->offset)
	                              : compare(x->inside, y->inside);
}

/* Both ends of each record with a loss: a circular sink lost what came before, a full one what
 * came after. */
static struct mark *find_marks(const struct words *w, size_t *count)
{
	struct mark *marks = calloc(2 * w->n + 1, sizeof(*marks));

	*count = 0;
	for (size_t i = 0; marks && i < w->n; i++) {
		const struct perf_aux *a = &w->p[i];
		const char *why = why_of(a->flags);

		if (!why)
			continue;
		marks[(*count)++] = (struct mark){ a->offset, why, true };
		marks[(*count)++] = (struct mark){ a->offset + a->size, why, false };
	}
	if (marks)
		qsort(marks, *count, sizeof(*marks), by_offset);
	return marks;
}

/* The first mark at or after @offset. */
static size_t find_mark(const struct mark *marks, size_t count, uint64_t offset)
{
	return base_count_leading(count, i, marks[i].offset < offset);
}

/* Add a piece, cut where marks are. */
static bool add_piece(struct perf_lane *l, const struct perf_piece *piece, const char *gap,
                      const struct mark *marks, size_t count)
{
	struct perf_extent e = { piece->at, piece->size, piece->offset, .gap = gap,
		                 .inside = gap != NULL };
	size_t i = find_mark(marks, count, e.offset);

	for (; i < count && marks[i].offset - e.offset < e.size; i++) {
		const struct mark *m = &marks[i];
		const uint64_t before = m->offset - e.offset;
		struct perf_extent head = e;

		if (before == 0 && (l->count == 0 && m->offset == 0))
			continue; /* nothing is before the first byte */
		head.size = before;
		if (!perf_add_extent(l, &head))
			return false;
		e.at += before;
		e.offset += before;
		e.size -= before;
		e.gap = m->why;
		e.inside = m->inside || (before == 0 && head.inside);
	}
	return perf_add_extent(l, &e);
}

/* ---- lanes ---------------------------------------------------------------------------- */

/* Why bytes after the last one are missing. */
static const char *find_end_gap(const struct perf_lane *l, const struct mark *marks, size_t count)
{
	const struct perf_extent *e = l->count ? &l->extents[l->count - 1] : NULL;
	const size_t i = e ? find_mark(marks, count, e->offset + e->size) : count;

	return i < count && marks[i].offset == e->offset + e->size && !marks[i].inside
	               ? marks[i].why
	               : NULL;
}

static bool join_pieces(struct hs_perf *p, struct perf_lane *l, struct perf_piece *pieces, size_t n,
                        const struct words *w)
{
	const struct perf_piece *last = NULL;
	size_t count;
	struct mark *marks = find_marks(w, &count);
	uint64_t *ends = find_ends(w);
	bool good = marks && ends;

	for (size_t i = 0; good && i < n; i++) {
		struct perf_piece own = pieces[i];

		if (i + 1 < n)
			drop_padding(p, &own, pieces[i + 1].offset);
		drop_padding(p, &own, last_end(ends, w->n, &own));
		pieces[i].size = own.size;
		if (last)
			drop_overlap(p, last, &own);
		if (own.size) {
			good = add_piece(l, &own, find_gap(last, &own), marks, count);
			last = &pieces[i];
		}
	}
	if (good)
		l->end_gap = find_end_gap(l, marks, count);
	if (good && l->count && count && marks->offset == l->extents->offset)
		l->torn = marks->why;
	free(marks);
	free(ends);
	return good;
}

static int by_time(const void *a, const void *b)
{
	const struct perf_moment *x = a, *y = b;

	return compare(x->time, y->time);
}

static bool find_moments(struct perf_lane *l, const struct words *w)
{
	l->moments = calloc(w->n + 1, sizeof(*l->moments));
	if (!l->moments)
		return false;
	for (size_t i = 0; i < w->n; i++)
		l->moments[l->moment_count++] =
			(struct perf_moment){ w->p[i].time, w->p[i].offset + w->p[i].size };
	qsort(l->moments, l->moment_count, sizeof(*l->moments), by_time);
	for (size_t i = 1; i < l->moment_count; i++)
		if (l->moments[i].offset < l->moments[i - 1].offset)
			l->moments[i].offset = l->moments[i - 1].offset;
	return true;
}

static bool make_lane(struct hs_perf *p, struct perf_piece *pieces, size_t n)
{
	struct perf_lane *l = &p->lanes[p->lane_count++];

	l->info = (struct hs_perf_lane){ .cpu = pieces->cpu,
		                         .tid = pieces->tid,
		                         .index = pieces->index };
	const struct words w = words_of(p, &l->info);

	if (!join_pieces(p, l, pieces, n, &w) || !find_moments(l, &w) ||
	    (!p->info.cpu_count && !perf_drop_repeats(p, l, w.p, w.n)))
		return false;
	l->info.begin = l->count ? l->extents->offset : 0;
	for (size_t i = 0; i < w.n; i++)
		l->info.snapshot |= (w.p[i].flags & HS_PERF_AUX_OVERWRITE) != 0;
	for (size_t i = 0; i < l->count; i++)
		l->info.gaps += l->extents[i].gap != NULL;
	l->info.gaps += l->end_gap != NULL;
	return true;
}

static size_t count_lanes(const struct hs_perf *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->piece_count; i++)
		n += i == 0 || !same_lane(&p->pieces[i - 1], &p->pieces[i]);
	return n;
}

enum hs_status perf_make_lanes(struct hs_perf *p, struct hs_error *error)
{
	if (!p->piece_count)
		return HS_OK;
	qsort(p->pieces, p->piece_count, sizeof(*p->pieces), by_lane);
	const bool threads = p->pieces[0].cpu == HS_PERF_NONE;
	bool good = true;

	if (p->aux_count)
		qsort(p->aux, p->aux_count, sizeof(*p->aux), threads ? by_tid : by_cpu);
	p->lanes = calloc(count_lanes(p), sizeof(*p->lanes));
	for (size_t i = 0, n; good && p->lanes && i < p->piece_count; i += n) {
		for (n = 1; i + n < p->piece_count; n++)
			if (!same_lane(&p->pieces[i], &p->pieces[i + n]))
				break;
		good = make_lane(p, p->pieces + i, n);
	}
	const enum hs_status status = good && p->lanes ? perf_split_frames(p) : HS_E_MEMORY;

	return status == HS_OK
	               ? status
	               : hs_error_set(error, status, "%s: %s", p->name, hs_status_text(status));
}

void perf_free_lanes(struct hs_perf *p)
{
	for (size_t i = 0; i < p->lane_count; i++) {
		free(p->lanes[i].frames);
		free(p->lanes[i].extents);
		free(p->lanes[i].moments);
	}
	free(p->lanes);
}

/* ---- reading ---------------------------------------------------------------------------- */

bool hs_perf_get_lane(const struct hs_perf *p, size_t index, struct hs_perf_lane *lane)
{
	if (index >= p->lane_count)
		return false;
	*lane = p->lanes[index].info;
	return true;
}

static enum hs_status report_gap(const struct hs_perf *p, const struct perf_lane *l,
                                 const struct hs_perf_gap *gap, struct hs_perf_gap *out,
                                 struct hs_error *error)
{
	const bool cpu = l->info.cpu != HS_PERF_NONE;

	if (out)
		*out = *gap;
	return hs_error_set(error, HS_E_LOST, "%s: %s %u: offset 0x%llx of the buffer: %s", p->name,
	                    cpu ? "CPU" : "thread", cpu ? l->info.cpu : l->info.tid,
	                    (ull)gap->offset, gap->why);
}

static enum hs_status end_lane(const struct hs_perf *p, struct perf_lane *l,
                               struct hs_perf_gap *out, struct hs_error *error)
{
	const struct perf_extent *e = &l->extents[l->count - 1];

	if (!l->end_gap || l->reported)
		return HS_END;
	l->reported = true;
	const struct hs_perf_gap gap = { .offset = e->offset + e->size, .why = l->end_gap };

	return report_gap(p, l, &gap, out, error);
}

static enum hs_status read_frames(struct hs_perf *p, struct perf_lane *l, const struct hs_span *to,
                                  size_t *n, struct hs_perf_gap *gap, struct hs_error *error)
{
	struct hs_perf_gap own;
	const enum hs_status status =
		perf_read_frames(p, l, (uint8_t *)(uintptr_t)to->p, to->n, n, &own);

	if (status == HS_E_LOST)
		return report_gap(p, l, &own, gap, error);
	if (status == HS_E_SYSTEM)
		return hs_error_set(error, HS_E_SYSTEM, "%s: it cannot be read", p->name);
	return status == HS_END ? end_lane(p, l, gap, error) : status;
}

enum hs_status hs_perf_read(struct hs_perf *p, size_t lane, uint8_t *out, size_t cap, size_t *n,
                            struct hs_perf_gap *gap, struct hs_error *error)
{
	*n = 0;
	if (lane >= p->lane_count)
		return hs_error_set(error, HS_E_ARG, "there is no buffer %zu", lane);
	struct perf_lane *l = &p->lanes[lane];

	if (l->frames)
		return read_frames(p, l, &(struct hs_span){ out, cap }, n, gap, error);
	if (l->next == l->count)
		return end_lane(p, l, gap, error);
	const struct perf_extent *e = &l->extents[l->next];

	if (e->gap && !l->reported) {
		l->reported = true;
		return report_gap(
			p, l,
			&(struct hs_perf_gap){ e->offset, e->gap, e->inside, l->next == 0, false },
			gap, error);
	}
	const uint64_t left = e->size - l->used;
	const enum hs_status status =
		perf_read_at(p, e->at + l->used, out, left < cap ? (size_t)left : cap, n, error);

	if (status != HS_OK)
		return status;
	if (!*n)
		return hs_error_set(error, HS_E_SYSTEM, "%s: it became shorter", p->name);
	l->used += *n;
	if (l->used == e->size) {
		l->next++;
		l->used = 0;
		l->reported = false;
	}
	return HS_OK;
}

void hs_perf_rewind_lane(struct hs_perf *p, size_t lane)
{
	p->lanes[lane].next = 0;
	p->lanes[lane].used = 0;
	p->lanes[lane].reported = false;
	if (p->lanes[lane].frames)
		perf_rewind_frames(&p->lanes[lane]);
}

uint64_t hs_perf_offset_of(struct hs_perf *p, size_t lane, uint64_t bytes)
{
	const struct perf_lane *l = &p->lanes[lane];

	if (l->frames)
		return perf_frames_offset(p, l, bytes);
	const size_t up = base_count_leading(l->count, i, l->extents[i].before <= bytes);
	const size_t low = up ? up - 1 : 0;

	return l->extents[low].offset + (bytes - l->extents[low].before);
}

uint64_t hs_perf_time_of(struct hs_perf *p, size_t lane, uint64_t bytes)
{
	const struct perf_lane *l = &p->lanes[lane];
	const uint64_t offset = hs_perf_offset_of(p, lane, bytes);
	const size_t low = base_count_leading(l->moment_count, i, l->moments[i].offset <= offset);

	return low < l->moment_count ? l->moments[low].time : UINT64_MAX;
}
