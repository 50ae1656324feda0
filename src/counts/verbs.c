/* Counting a source (counts.h): how its blocks are had with the least work.
 *
 * What needs no order takes the paths that a decoder finds in its memo, and how often.  What
 * follows traps or calls needs each block, but not all of its work has an order: threads that
 * decode scan their blocks (call_tree.h, design/scans), and what they count is added up. */
#include <stdlib.h>

#include <hartscope/views.h>

#include "counts/counts.h"
#include "counts/private.h"
#include "source/source.h"

#define THREADS_MAX 64u

/* A source that is counted. */
struct counting {
	struct hs_source *source;
	struct hs_counts *counts;
	const struct hs_taker *look; /* or NULL */
	enum hs_status status;
	/* scanners of threads that counted something which was not added up */
	struct hs_call_scanner *scanners[THREADS_MAX];
	unsigned scanner_count;
};

static void keep_status(struct counting *r, enum hs_status s)
{
	if (r->status == HS_OK)
		r->status = s;
}

/* ---- paths ------------------------------------------------------------------------- */

static void take_path(void *to, const struct hs_path_count *path)
{
	struct counting *r = to;

	keep_status(r, hs_counts_add_path(r->counts, path));
}

/* ---- scans of threads ------------------------------------------------------------- */

/* The worker of a thread. */
struct scan_worker {
	struct counting *r;
	struct hs_call_scanner *scanner;
};

static bool add_times(void *to, const struct hs_block *b, uint64_t times)
{
	struct counting *r = to;

	keep_status(r, counts_add_times(r->counts, b, times));
	return r->status == HS_OK;
}

/* What threads counted so far belongs to the hart, context and moment that end. */
static void give_counts(struct counting *r)
{
	for (unsigned i = 0; i < r->scanner_count; i++)
		if (!hs_call_scanner_flush(r->scanners[i], add_times, r))
			keep_status(r, HS_E_MEMORY);
}

/* The position of a scanner among those that counted; scanner_count: it did not yet. */
static unsigned place_of(const struct counting *r, const struct hs_call_scanner *scanner)
{
	unsigned i = 0;

	while (i < r->scanner_count && r->scanners[i] != scanner)
		i++;
	return i;
}

static void *begin_scans(void *to)
{
	struct counting *r = to;
	struct scan_worker *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->r = r;
	if (hs_call_scanner_new(r->counts->o.program, &w->scanner) == HS_OK)
		return w;
	free(w);
	return NULL;
}

static void end_scans(void *worker)
{
	struct scan_worker *w = worker;
	struct counting *r = w->r;
	const unsigned i = place_of(r, w->scanner);

	if (i < r->scanner_count) {
		r->scanners[i] = r->scanners[--r->scanner_count];
		if (!hs_call_scanner_flush(w->scanner, add_times, r))
			keep_status(r, HS_E_MEMORY);
	}
	hs_call_scanner_free(w->scanner);
	free(w);
}

static bool add_scan(void *worker, void **share, const struct hs_block *b, size_t n)
{
	const struct scan_worker *w = worker;
	struct hs_call_scan *scan = *share;
	const bool good = hs_call_scan_add(w->scanner, &scan, b, n) == HS_OK;

	*share = scan;
	return good;
}

/* What the blocks of a scan count without an order. */
static bool count_scan(struct counting *r, struct hs_call_scanner *scanner,
                       const struct hs_call_scan *scan)
{
	const unsigned i = place_of(r, scanner);

	if (i == r->scanner_count && i < THREADS_MAX)
		r->scanners[r->scanner_count++] = scanner;
	if (hs_call_scan_divides(scan))
		give_counts(r);
	return hs_call_scan_count(scanner, scan, add_times, r) &&
	       (i < THREADS_MAX || hs_call_scanner_flush(scanner, add_times, r));
}

static void take_scan(void *to, void *worker, const void *scan)
{
	const struct scan_worker *w = worker;
	struct counting *r = to;
	struct hs_counts *c = r->counts;

	if (r->status == HS_OK && c->has_blocks && !count_scan(r, w->scanner, scan))
		keep_status(r, HS_E_MEMORY);
	if (r->status == HS_OK && c->tree)
		r->status = hs_call_tree_add_scan(c->tree, w->scanner, scan);
	if (r->status == HS_OK && c->traps)
		r->status = hs_traps_add_scan(c->traps, w->scanner, scan);
	if (r->status == HS_OK && c->o.export_to)
		r->status = hs_export_add_scan(c->o.export_to, w->scanner, scan);
}

static void clear_scan(void *share)
{
	hs_call_scan_clear(share);
}

static void free_scan(void *share)
{
	hs_call_scan_free(share);
}

/* ---- items ------------------------------------------------------------------------ */

static bool divides(const struct hs_block *b, size_t n)
{
	bool divided = false;

	for (size_t i = 0; i < n && !divided; i++)
		divided = hs_event_divides(&b[i]);
	return divided;
}

static bool take_items(void *to, const struct hs_block *b, size_t n)
{
	struct counting *r = to;

	if (r->scanner_count && divides(b, n))
		give_counts(r);
	keep_status(r, hs_counts_add(r->counts, b, n));
	return r->status == HS_OK &&
	       (!r->look || !r->look->take || r->look->take(r->look->to, b, n));
}

static void take_error(void *to, const struct hs_error *error)
{
	const struct counting *r = to;

	if (r->look && r->look->error)
		r->look->error(r->look->to, error);
}

/* ---- the verb --------------------------------------------------------------------- */

enum hs_status hs_source_count(struct hs_source *source, struct hs_counts *c,
                               const struct hs_taker *look)
{
	struct counting r = { .source = source, .counts = c, .look = look };
	const struct hs_taker each = { &r, take_items, take_error };
	const struct hs_source_work work = { .to = &r,
		                             .begin = begin_scans,
		                             .end = end_scans,
		                             .add = add_scan,
		                             .take = take_scan,
		                             .clear = clear_scan,
		                             .free = free_scan };
	const bool ordered = counts_is_ordered(c), linked = counts_is_linked(c);

	if (c->o.by != HS_PROFILE_BY_THREAD && !c->o.guest)
		source_pass_times(source);
	if (ordered && !linked)
		source_share(source, &work);
	else if (!ordered && linked)
		source_count_paths(source, take_path, &r);
	else if (!ordered)
		source_count_blocks(source, take_path, &r);
	const enum hs_status s = hs_source_follow(source, &each);

	source_end_count(source);
	give_counts(&r);
	return r.status == HS_OK ? s : r.status;
}
