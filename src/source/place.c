/* Sources: places of a trace at which reading can begin (design/ranges). */
#include <string.h>

#include <hartscope/status.h>

#include "recording/recording.h"
#include "source/private.h"
#include "support/sum.h"

#define ITEMS 1024

bool hs_source_get_place(const struct hs_source *s, struct hs_source_place *place)
{
	*place = (struct hs_source_place){ 0 };
	if (s->selection || s->range || s->one_hart || s->spare.at < s->spare.n)
		return false;
	return s->kind == SOURCE_TRACE ? source_parallel_place(&s->trace, place)
	                               : s->marks && source_recording_has_place(s);
}

bool source_may_seek(const struct hs_source *s)
{
	const struct source_trace *t = &s->trace;
	struct hs_capture_report report;

	if (s->kind != SOURCE_TRACE || s->selection || s->one_hart || !t->in.capture || t->parts ||
	    t->code.search || t->code.changes || !t->in.total)
		return false;
	hs_capture_get_report(t->in.capture, &report);
	return strcmp(report.transport, "raw") == 0 && !report.wrapped;
}

/* Decode the bytes of a place; what they give is not of the trace. */
static enum hs_status decode_place(struct source_trace *t, const struct hs_source_place *place,
                                   struct hs_error *error)
{
	uint64_t left = place->bytes, sum = SUPPORT_SUM_START;
	struct hs_block items[ITEMS];

	while (left) {
		const enum hs_status status = t->in.left.n ? HS_OK : source_refill(t, error);

		if (status != HS_OK)
			return status;
		struct hs_span in = { t->in.left.p,
			              t->in.left.n < left ? t->in.left.n : (size_t)left };
		enum hs_status s = HS_OK;
		size_t n = in.n;

		if (!n)
			return hs_error_set(error, HS_E_FORMAT, "%s: a place after its end",
			                    t->in.name);
		sum = support_sum(sum, in.p, n);
		left -= n;
		t->in.left.p += n;
		t->in.left.n -= n;
		while (s != HS_MORE)
			s = hs_decode(t->decoder, &in, items, ITEMS, &n);
	}
	return sum == place->check ? HS_OK
	                           : hs_error_set(error, HS_E_FORMAT, "%s has changed", t->in.name);
}

/* One thread continues at a place of a trace. */
static enum hs_status seek_trace(struct hs_source *s, const struct hs_source_place *place,
                                 struct hs_error *error)
{
	struct source_trace *t = &s->trace;
	const enum hs_status status = hs_capture_seek(t->in.capture, place->offset, error);

	if (status != HS_OK)
		return status;
	source_sum_stop(t);
	t->pool.threads = 0;
	t->in.bytes = place->offset;
	t->items = 1;
	machine_begin(t->decoder, NULL, place->offset);
	return decode_place(t, place, error);
}

static bool may_resume(const struct hs_source *s)
{
	return s->kind == SOURCE_TRACE ? source_may_seek(s)
	                               : !s->selection && !s->one_hart && !s->recording.timed;
}

enum hs_status hs_source_seek(struct hs_source *s, const struct hs_source_place *place,
                              const uint32_t *state, size_t count, struct hs_error *error)
{
	if (!may_resume(s))
		return hs_error_set(error, HS_E_UNSUPPORTED, "this source has no places");
	enum hs_status status = hs_source_rewind(s, error);

	if (status == HS_OK && s->kind == SOURCE_TRACE)
		status = seek_trace(s, place, error);
	return status == HS_OK ? source_resume(s, state, count, error) : status;
}

/* ---- which trace it is ---------------------------------------------------------- */

static uint64_t sum_image(uint64_t sum, const struct hs_image *image)
{
	for (size_t i = 0; i < image->count; i++) {
		sum = support_sum_number(sum, image->sections[i].start);
		sum = support_sum_samples(sum, image->sections[i].bytes, -1,
		                          image->sections[i].size);
	}
	return support_sum_number(sum, image->jvt);
}

static uint64_t sum_trace(const struct hs_source *s, uint64_t sum)
{
	const struct source_trace *t = &s->trace;

	sum = support_sum(sum, t->protocol->name, strlen(t->protocol->name));
	for (unsigned i = 0; i < t->protocol->param_count; i++)
		sum = support_sum_number(sum, hs_protocol_get(t->protocol, t->config, i));
	return support_sum_samples(sum, t->in.memory.p, t->in.fd, t->in.total);
}

static uint64_t sum_recording(const struct hs_source *s, uint64_t sum)
{
	const uint64_t own = hs_rec_fingerprint(s->recording.rec);

	return own == 0 ? 0 : support_sum_number(sum, own);
}

uint64_t hs_source_fingerprint(struct hs_source *s)
{
	const char *version = hs_version_string();
	uint64_t sum = support_sum(SUPPORT_SUM_START, version, strlen(version));

	if (!may_resume(s))
		return 0;
	sum = s->kind == SOURCE_TRACE ? sum_trace(s, sum) : sum_recording(s, sum);
	if (sum == 0)
		return 0;
	if (s->kind == SOURCE_RECORDING)
		sum = support_sum_number(sum, s->recording.versions);
	sum = sum_image(sum, hs_program_image(s->code.set.first));
	for (size_t i = 0; i < s->code.set.count; i++)
		sum = sum_image(support_sum_number(sum, s->code.set.contexts[i]),
		                hs_program_image(s->code.set.programs[i]));
	return sum ? sum : 1;
}

enum hs_status hs_source_begin_slice(struct hs_source *source, uint32_t number, uint32_t count,
                                     struct hs_error *error)
{
	struct source_trace *t = &source->trace;

	if (!number || number > count)
		return hs_error_set(error, HS_E_ARG, "slice %u of %u", number, count);
	if (!source_may_seek(source))
		return hs_error_set(error, HS_E_UNSUPPORTED,
		                    "only a trace in a file that is not empty, without a transport "
		                    "and without code that changes, is decoded in parts");
	t->counted.take = NULL; /* a slice begins and ends at items */
	enum hs_status status = hs_source_rewind(source, error);

	return status == HS_OK ? source_slice_begin(source, number, count, error) : status;
}
