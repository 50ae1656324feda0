/* Sources: the items of a trace with the message that they came from. */
#include "source/private.h"

bool hs_source_by_byte(struct hs_source *s, uint64_t from)
{
	struct source_trace *t = &s->trace;

	if (s->ops != &source_trace_ops || t->perf || t->parts || t->search || t->slice)
		return false;
	s->threads = t->threads = 1;
	t->by_byte = true;
	t->by_byte_from = from;
	return true;
}

bool hs_source_stands(const struct hs_source *s, uint32_t hart, struct hs_code_place *place)
{
	const struct source_trace *t = &s->trace;

	return s->ops == &source_trace_ops && !t->perf && !t->parts && t->decoder &&
	       t->protocol->decoder_place(t->decoder, hart, place);
}
