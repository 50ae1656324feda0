/* encode: a trace to another one, without a flow on disk (ADR-0179).
 *
 * Each hart is decoded on its own, from the start, as the harts of a recording are read. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands/encode_job.h"

bool encode_is_trace(const char *path)
{
	char *params = with_ending(path, "", ".json");
	const bool is = params && !is_recording(path) && access(path, R_OK) == 0 &&
	                access(params, R_OK) == 0;

	free(params);
	return is;
}

static struct hs_source_options options_of(const struct job *j, const struct options *o)
{
	struct hs_source_options so = recording_options(o, o->args[0]);

	so.code = o->source.code;
	so.code_count = o->source.code_count;
	so.xlen = o->source.xlen;
	so.threads = j->count > 1 ? 1 : so.threads;
	return so;
}

enum hs_status encode_open_trace(struct job *j, const struct encode_options *own)
{
	const struct options *o = &own->shared;
	const struct hs_source_options so = options_of(j, o);

	if (own->perf.given)
		return hs_error_set(
			&j->error, HS_E_CONFIG,
			"--perf-data needs a recording or flow: what ran is not in a trace");
	if (j->timed)
		return hs_error_set(
			&j->error, HS_E_CONFIG,
			"%s: timestamps need a recording or flow with a clock: decode it "
			"first",
			o->args[0]);
	const enum hs_status s = hs_source_open(&so, &j->source, &j->error);

	if (s == HS_OK)
		verify_source(o, j->source, so.path);
	return s == HS_OK ? range_set(o, so.path, j->source, &j->error) : s;
}

enum hs_status encode_open_trace_hart(struct job *j, const struct options *o, uint32_t hart,
                                      struct hs_source **source)
{
	struct hs_source_options so = options_of(j, o);

	so.one_hart = true;
	so.hart = hart;
	const enum hs_status s = hs_source_open(&so, source, &j->error);

	return s == HS_OK && o->range.given ? hs_source_take_range(*source, j->source, &j->error)
	                                    : s;
}

bool encode_fill(struct block_reader *r)
{
	r->n = 0;
	r->items = r->own;
	while (r->n < r->room && !r->ended) {
		struct hs_error e = { 0 };
		size_t n;
		const enum hs_status s =
			hs_source_next(r->source, r->own + r->n, r->room - r->n, &n, &e);

		r->n += n;
		r->ended = s == HS_END;
		if (s != HS_OK && s != HS_END)
			damage_add(r->damage, &e, hs_source_reason(r->source));
	}
	return r->n != 0;
}
