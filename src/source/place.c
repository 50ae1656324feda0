/* Sources: places of a trace at which reading can begin (ADR-0152). */
#include <string.h>
#include <unistd.h>

#include <hartscope/version.h>

#include "source/private.h"

#define SAMPLES 64u
#define SAMPLE_BYTES ((size_t)4096)
#define ITEMS 1024

/* FNV-1a. */
uint64_t source_sum(uint64_t sum, const void *bytes, size_t n)
{
	const uint8_t *p = bytes;

	for (size_t i = 0; i < n; i++)
		sum = (sum ^ p[i]) * UINT64_C(0x100000001b3);
	return sum;
}

bool hs_source_get_place(const struct hs_source *s, struct hs_source_place *place)
{
	return s->ops == &source_trace_ops && !s->selection && !s->one_hart &&
	       source_parallel_place(&s->trace, place);
}

bool source_may_seek(const struct hs_source *s)
{
	const struct source_trace *t = &s->trace;
	struct hs_capture_report report;

	if (s->ops != &source_trace_ops || s->selection || s->one_hart || !t->capture || t->parts ||
	    t->search || t->changes || !t->total)
		return false;
	hs_capture_get_report(t->capture, &report);
	return strcmp(report.transport, "raw") == 0 && !report.wrapped;
}

/* Decode the bytes of a place; what they give is not of the trace. */
static enum hs_status decode_place(struct source_trace *t, const struct hs_source_place *place,
                                   struct hs_error *error)
{
	uint64_t left = place->bytes, sum = SOURCE_SUM_START;
	struct hs_block items[ITEMS];

	while (left) {
		const enum hs_status status = t->left.n ? HS_OK : source_refill(t, error);

		if (status != HS_OK)
			return status;
		struct hs_span in = { t->left.p, t->left.n < left ? t->left.n : (size_t)left };
		enum hs_status s = HS_OK;
		size_t n = in.n;

		if (!n)
			return hs_error_set(error, HS_E_FORMAT, "%s: a place after its end",
			                    t->name);
		sum = source_sum(sum, in.p, n);
		left -= n;
		t->left.p += n;
		t->left.n -= n;
		while (s != HS_MORE)
			s = t->protocol->decode(t->decoder, &in, items, ITEMS, &n);
	}
	return sum == place->check ? HS_OK
	                           : hs_error_set(error, HS_E_FORMAT, "%s has changed", t->name);
}

enum hs_status hs_source_seek(struct hs_source *s, const struct hs_source_place *place,
                              struct hs_error *error)
{
	struct source_trace *t = &s->trace;

	if (!source_may_seek(s))
		return hs_error_set(error, HS_E_UNSUPPORTED, "this source has no places");
	enum hs_status status = hs_source_rewind(s, error);

	if (status == HS_OK)
		status = hs_capture_seek(t->capture, place->offset, error);
	if (status != HS_OK)
		return status;
	t->threads = 0;
	t->bytes = place->offset;
	t->items = 1;
	t->protocol->decoder_begin(t->decoder, place->offset);
	return decode_place(t, place, error);
}

/* ---- which trace it is ---------------------------------------------------------- */

static uint64_t sum_number(uint64_t sum, uint64_t v)
{
	return source_sum(sum, &v, sizeof(v));
}

/* Samples of @n bytes at @p; NULL: of the file. */
static uint64_t sum_samples(uint64_t sum, const uint8_t *p, int fd, uint64_t n)
{
	uint8_t sample[SAMPLE_BYTES];
	const uint64_t rest = n > SAMPLE_BYTES ? n - SAMPLE_BYTES : 0;

	sum = sum_number(sum, n);
	for (unsigned i = 0; i < SAMPLES; i++) {
		const uint64_t at = rest / (SAMPLES - 1) * i;
		const size_t size = n - at < SAMPLE_BYTES ? (size_t)(n - at) : SAMPLE_BYTES;
		const ssize_t got = p ? 0 : pread(fd, sample, size, (off_t)at);

		sum = source_sum(sum, p ? p + at : sample, p ? size : got > 0 ? (size_t)got : 0);
		if (!rest)
			break;
	}
	return sum;
}

static uint64_t sum_image(uint64_t sum, const struct hs_image *image)
{
	for (size_t i = 0; i < image->count; i++) {
		sum = sum_number(sum, image->sections[i].start);
		sum = sum_samples(sum, image->sections[i].bytes, -1, image->sections[i].size);
	}
	return sum_number(sum, image->jvt);
}

uint64_t hs_source_fingerprint(struct hs_source *s)
{
	const struct source_trace *t = &s->trace;
	const char *version = hs_version_string();
	uint64_t sum = source_sum(SOURCE_SUM_START, version, strlen(version));

	if (!source_may_seek(s))
		return 0;
	sum = source_sum(sum, t->protocol->name, strlen(t->protocol->name));
	for (unsigned i = 0; i < t->protocol->param_count; i++)
		sum = sum_number(sum, hs_protocol_get(t->protocol, t->config, i));
	sum = sum_samples(sum, t->memory.p, t->fd, t->total);
	sum = sum_image(sum, hs_program_image(s->code.set.first));
	for (size_t i = 0; i < s->code.set.count; i++)
		sum = sum_image(sum_number(sum, s->code.set.contexts[i]),
		                hs_program_image(s->code.set.programs[i]));
	return sum ? sum : 1;
}
