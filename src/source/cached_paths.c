/* Traces: paths of the decoder's memo, for callers that count them or keep what they made of their
 * blocks. */
#include "flow/flow.h"
#include "source/private.h"
#include "source/source.h"

/* Is a trace decoded as it is? */
static bool is_plain(const struct hs_source *s)
{
	const struct source_trace *t = &s->trace;

	return s->kind == SOURCE_TRACE && !s->selection && !s->range && !s->one_hart &&
	       !t->in.perf && !t->parts && !t->slice && !t->code.changes && !s->code.later_count;
}

bool hs_source_refer_paths(struct hs_source *s)
{
	struct source_trace *t = &s->trace;

	if (!is_plain(s) || t->pool.parallel || t->counted.take || s->marks || s->code.guest)
		return false;
	if (!t->decoder && source_new_decoder(s, NULL) != HS_OK)
		return false;
	t->counted.refers = t->decoder->counted;
	source_ask_memo(t);
	return t->counted.refers;
}

void source_stop_paths(struct hs_source *s)
{
	if (s->kind == SOURCE_TRACE)
		s->trace.counted.refers = false;
}

bool source_show_syncs(struct hs_source *s)
{
	if (s->kind != SOURCE_TRACE || s->code.later_count)
		return false;
	s->trace.all_syncs = true;
	return true;
}

void source_pass_times(struct hs_source *s)
{
	if (s->kind == SOURCE_TRACE)
		s->trace.counted.passes_times = true;
}

bool source_count_paths(struct hs_source *s, hs_memo_count_fn *take, void *to)
{
	struct source_trace *t = &s->trace;

	if (!is_plain(s))
		return false;
	t->counted.take = take;
	t->counted.take_to = to;
	if (t->decoder)
		source_ask_memo(t);
	return true;
}

void source_end_count(struct hs_source *s)
{
	struct source_trace *t = &s->trace;

	if (s->kind == SOURCE_RECORDING) {
		source_stop_counting(s);
		return;
	}
	source_parallel_stop(t);
	if (t->counted.memo)
		hs_memo_count(t->counted.memo, NULL, NULL);
	t->counted.memo = NULL;
	t->counted.take = NULL;
	t->counted.passes_times = false;
	t->pool.work = NULL;
}
