/* Sources: the decoder of a trace, or the search that stands for it where code has several
 * moments. */
#include <stdlib.h>
#include <string.h>

#include "source/private.h"
#include "trace/trace.h"

bool source_decodes(const struct source_trace *t)
{
	return t->decoder || t->code.search;
}

enum hs_status source_decode_bytes(struct source_trace *t, struct hs_span *in, struct hs_block *out,
                                   size_t cap, size_t *n)
{
	return t->code.search ? hs_code_search_decode(t->code.search, in, out, cap, n)
	                      : hs_decode(t->decoder, in, out, cap, n);
}

enum hs_status source_decode_end(struct source_trace *t, struct hs_block *out, size_t cap,
                                 size_t *n)
{
	return t->code.search ? hs_code_search_end(t->code.search, out, cap, n)
	                      : hs_decode_end(t->decoder, out, cap, n);
}

void source_decode_lose(struct source_trace *t)
{
	if (t->code.search)
		hs_code_search_lose(t->code.search);
	else
		decoder_lose(t->decoder);
}

void source_set_fault(struct source_trace *t, enum hs_status status, struct hs_error *error)
{
	struct hs_fault f = { .pc = 0 };

	if (t->code.search)
		f.reason = hs_code_search_diag(t->code.search, &f.error);
	else
		hs_decoder_diag(t->decoder, status, &f);
	source_take_fault(t, &f, error);
}

unsigned source_decode_counts(const struct source_trace *t, struct hs_message_count *out,
                              unsigned cap)
{
	return t->code.search ? hs_code_search_counts(t->code.search, out, cap)
	                      : decoder_counts(t->decoder, out, cap);
}

void source_free_decoder(struct source_trace *t)
{
	hs_decoder_free(t->decoder);
	hs_code_search_free(t->code.search);
	t->decoder = NULL;
	t->code.search = NULL;
}

/* ---- counts --------------------------------------------------------------------- */

#define TYPES 128 /* of messages */

unsigned source_add_counts(const struct source_trace *t, struct hs_message_count *out, unsigned n,
                           unsigned cap)
{
	for (unsigned i = 0; i < t->counted.count_count; i++) {
		const struct hs_message_count *c = &t->counted.counts[i];
		unsigned at = 0;

		while (at < n && strcmp(out[at].name, c->name) != 0)
			at++;
		if (at == cap)
			continue;
		if (at == n)
			out[n++] =
				(struct hs_message_count){ .name = c->name, .number = c->number };
		out[at].messages += c->messages;
		out[at].bytes += c->bytes;
	}
	return n;
}

void source_keep_counts(struct source_trace *t)
{
	struct hs_message_count *sum = source_decodes(t) ? calloc(TYPES, sizeof(*sum)) : NULL;

	if (!sum) /* they are only for show */
		return;
	const unsigned n = source_decode_counts(t, sum, TYPES);

	t->counted.count_count = source_add_counts(t, sum, n, TYPES);
	free(t->counted.counts);
	t->counted.counts = sum;
}
