/* Sources: the checksum of a trace, taken while it is read (ADR-0252). */
#include <stdlib.h>

#include <xxhash.h>

#include <hartscope/trace_params.h>

#include "trace/trace.h"
#include "source/private.h"

/* Are the bytes that are read those of the file, one after the other from its first to its last? */
static bool may_sum(const struct source_trace *t)
{
	struct hs_capture_report report;

	if (t->perf || t->parts || t->slice || !t->total)
		return false;
	hs_capture_get_report(t->capture, &report);
	return !report.wrapped;
}

/* Its first bytes may have been looked at. */
static void start_sum(struct source_trace *t)
{
	if (t->bytes != t->left.n)
		return;
	t->sum = XXH64_createState();
	if (t->sum && XXH64_reset(t->sum, 0) == XXH_OK)
		source_sum_add(t, t->left.p, t->left.n, t->eof);
}

void source_sum_add(struct source_trace *t, const uint8_t *bytes, size_t n, bool ended)
{
	if (!t->sum)
		return;
	if (n)
		XXH64_update(t->sum, bytes, n);
	t->summed += n;
	t->sum_ended = ended;
}

void source_sum_restart(struct source_trace *t)
{
	t->summed = 0;
	t->sum_ended = false;
	if (t->sum)
		XXH64_reset(t->sum, 0);
}

void source_sum_stop(struct source_trace *t)
{
	XXH64_freeState(t->sum);
	t->sum = NULL;
	t->sum_ended = false;
}

/* What is known by now.  Of a range that ended before the trace, how much was read ahead depends on
 * threads: nothing is said of it. */
static enum hs_status compare(const struct hs_source *s, struct hs_error *error)
{
	const struct source_trace *t = &s->trace;
	const bool all = t->sum_ended && source_wants_all(s);
	const uint64_t sum = all ? XXH64_digest(t->sum) : 0;

	return hs_trace_params_compare(t->params, t->name, all ? t->summed : t->total,
	                               all ? &sum : NULL, error);
}

enum hs_status hs_source_verify(struct hs_source *s, struct hs_error *error)
{
	struct source_trace *t = &s->trace;

	if (s->ops != &source_trace_ops || t->memory.p || t->sum_differs)
		return HS_OK;
	if (s->one_hart || !may_sum(t))
		return HS_E_UNSUPPORTED;
	const enum hs_status status = compare(s, error);

	if (status == HS_MORE && !t->sum)
		start_sum(t);
	t->sum_differs = status == HS_E_CUT;
	return status;
}
