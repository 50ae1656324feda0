/* Scans of the threads that decode (scans.h). */
#include "common/scans.h"

#include <stdlib.h>

/* The worker of a thread. */
struct scans_worker {
	struct scans *scans;
	struct hs_call_scanner *scanner;
};

static void *begin_scans(void *to)
{
	struct scans *s = to;
	struct scans_worker *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->scans = s;
	if (hs_call_scanner_new(s->program, &w->scanner) == HS_OK)
		return w;
	free(w);
	return NULL;
}

static void end_scans(void *worker)
{
	struct scans_worker *w = worker;
	struct scans *s = w->scans;

	s->failed |= s->end && !s->end(s->to, w->scanner);
	hs_call_scanner_free(w->scanner);
	free(w);
}

static bool add_scan(void *worker, void **share, const struct hs_block *b, size_t n)
{
	const struct scans_worker *w = worker;
	struct hs_call_scan *scan = *share;
	const bool good = hs_call_scan_add(w->scanner, &scan, b, n) == HS_OK;

	*share = scan;
	return good;
}

static void take_scan(void *to, void *worker, const void *share)
{
	const struct scans_worker *w = worker;
	struct scans *s = to;

	s->failed = s->failed || !s->take(s->to, w->scanner, share);
}

static void clear_scan(void *share)
{
	hs_call_scan_clear(share);
}

static void free_scan(void *share)
{
	hs_call_scan_free(share);
}

void scans_start(struct scans *s)
{
	s->failed = false;
	s->work = (struct hs_source_work){ .to = s,
		                           .begin = begin_scans,
		                           .end = end_scans,
		                           .add = add_scan,
		                           .take = take_scan,
		                           .clear = clear_scan,
		                           .free = free_scan };
}
