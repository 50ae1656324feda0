/* Sources: is a trace what its parameters were written for, by its checksum
 * (design/whole-files)? */
#include <xxhash.h>

#include <hartscope/trace_params.h>

#include "source/private.h"
#include "trace/trace.h"

/* Are the bytes that are read those of the file, one after the other from its first to its last? */
static bool may_sum(const struct source_trace *t)
{
	struct hs_capture_report report;

	if (t->in.perf || t->parts || t->slice || !t->in.total)
		return false;
	hs_capture_get_report(t->in.capture, &report);
	return !report.wrapped;
}

/* Its first bytes may have been looked at. */
static void start_sum(struct source_trace *t)
{
	if (t->in.bytes != t->in.left.n)
		return;
	t->hash.sum = XXH64_createState();
	if (t->hash.sum && XXH64_reset(t->hash.sum, 0) == XXH_OK)
		source_sum_add(t, t->in.left.p, t->in.left.n, t->in.eof);
}

/* What is known by now.  Of a range that ended before the trace, how much was read ahead depends on
 * threads: nothing is said of it. */
static enum hs_status compare(const struct hs_source *s, struct hs_error *error)
{
	const struct source_trace *t = &s->trace;
	const bool all = t->hash.sum_ended && source_wants_all(s);
	const uint64_t sum = all ? XXH64_digest(t->hash.sum) : 0;

	return hs_trace_params_compare(t->params, t->in.name, all ? t->hash.summed : t->in.total,
	                               all ? &sum : NULL, error);
}

enum hs_status hs_source_verify(struct hs_source *s, struct hs_error *error)
{
	struct source_trace *t = &s->trace;

	if (s->kind != SOURCE_TRACE || t->in.memory.p || t->hash.sum_differs)
		return HS_OK;
	if (s->one_hart || !may_sum(t))
		return HS_E_UNSUPPORTED;
	const enum hs_status status = compare(s, error);

	if (status == HS_MORE && !t->hash.sum)
		start_sum(t);
	t->hash.sum_differs = status == HS_E_CUT;
	return status;
}
