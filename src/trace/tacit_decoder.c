/* TACIT's decoder, for its row in the table of protocols. */
#include <stdlib.h>
#include <string.h>

#include "flow/flow.h"
#include "trace/memory.h"
#include "trace/tacit.h"

/* ---- beginning and ending --------------------------------------------------------- */

static void close_decoder(void *decoder)
{
	struct hs_decoder *d = decoder;

	protocol_memory_free(&d->memory);
	free(d);
}

static enum hs_status start(struct tacit_row_decoder *d, const void *config,
                            const struct hs_image *image, const struct hs_image_set *set)
{
	struct hs_decoder_options o = { .size = sizeof(o) };
	struct codec_memory *m = &d->common.memory;
	enum hs_status s = protocol_memory_new(m, image, set, 1, sizeof(struct tacit_source));

	if (s == HS_OK)
		s = tacit_decoder_init(&d->tacit, config, &m->table, m->sources);
	if (s != HS_OK)
		return s;
	protocol_memory_programs(m, set, &o);
	tacit_decoder_set(&d->tacit, &o);
	d->common.self = (struct codec_self){ .machine = &protocol_tacit_decoder };
	d->common.stream = &d->tacit.stream;
	d->common.offset = &d->tacit.reader.offset;
	d->common.tally =
		(struct codec_tally){ .messages = d->tacit.messages, .bytes = d->tacit.bytes };
	return HS_OK;
}

enum hs_status protocol_tacit_decoder_new(struct hs_decoder **decoder, const void *config,
                                          const struct hs_image *image,
                                          const struct hs_image_set *set, bool memo)
{
	struct tacit_row_decoder *d = calloc(1, sizeof(*d));
	const enum hs_status s = d ? start(d, config, image, set) : HS_E_MEMORY;

	(void)memo;
	if (s == HS_OK)
		*decoder = &d->common;
	else if (d)
		close_decoder(d);
	return s;
}

static enum hs_status open_decoder(void **self, const struct hs_protocol *p, const void *config,
                                   const struct hs_image *image, const struct hs_image_set *set)
{
	struct hs_decoder *d;
	const enum hs_status s = protocol_tacit_decoder_new(&d, config, image, set, false);

	if (s != HS_OK)
		return s;
	d->self.protocol = p;
	*self = d;
	return s;
}

/* ---- states ------------------------------------------------------------------------ */

/* A decoder and its source, as they are kept. */
struct state {
	struct tacit_decoder decoder;
	struct tacit_source source;
};

static const struct tacit_decoder *own(const void *decoder)
{
	return &((const struct tacit_row_decoder *)decoder)->tacit;
}

static size_t size_of(const void *decoder)
{
	(void)decoder;
	return sizeof(struct state);
}

static void save(const void *decoder, void *state)
{
	struct state *to = state;

	to->decoder = *own(decoder);
	to->source = *own(decoder)->sources;
}

static void restore(void *decoder, const void *state)
{
	struct tacit_decoder *d = &((struct tacit_row_decoder *)decoder)->tacit;
	const struct state *from = state;

	*d = from->decoder;
	*d->sources = from->source;
}

static void begin(void *decoder, const void *state, uint64_t offset)
{
	struct tacit_decoder *d = &((struct tacit_row_decoder *)decoder)->tacit;

	(void)state;
	d->reader.offset = offset;
	tacit_decoder_lose(d);
}

static bool same_reader(const struct tacit_reader *a, const struct tacit_reader *b)
{
	return a->held == b->held && a->offset == b->offset && a->skipping == b->skipping &&
	       a->predicts == b->predicts && memcmp(a->buffer, b->buffer, a->held) == 0;
}

static bool is_alike(const void *decoder, const void *other, const void *state, uint64_t source)
{
	const struct tacit_row_decoder *d = decoder, *o = other;
	const struct tacit_source *x = d->tacit.sources;
	const struct state *was = state;
	struct tacit_source y = was->source;

	if (source != CODEC_ALL)
		return was->decoder.stream.count && tacit_source_same(x, &y);
	if (!protocol_same_stream(&d->tacit.stream, &was->decoder.stream) ||
	    !same_reader(&d->tacit.reader, &was->decoder.reader))
		return false;
	if (!d->tacit.stream.count)
		return true;
	y.track.table = x->track.table;
	return protocol_same_time(&x->track, &y.track) && tacit_source_same(x, &y) &&
	       protocol_memory_same(&d->common.memory, x->track.table, &o->common.memory,
	                            was->source.track.table);
}

static void add_counts(struct tacit_decoder *d, const struct tacit_decoder *from,
                       const struct tacit_decoder *to)
{
	protocol_follow_counts(d->messages, from->messages, to->messages, TACIT_CODES);
	protocol_follow_counts(d->bytes, from->bytes, to->bytes, TACIT_CODES);
	protocol_follow_counts(&d->skipped, &from->skipped, &to->skipped, 1);
	protocol_follow_counts(&d->errors, &from->errors, &to->errors, 1);
}

static void advance(void *decoder, const void *other, const void *join, const void *end)
{
	struct tacit_row_decoder *d = decoder;
	const struct state *from = join, *to = end;

	add_counts(&d->tacit, &from->decoder, &to->decoder);
	d->tacit.reader = to->decoder.reader;
	d->tacit.msg = to->decoder.msg;
	d->tacit.diag = to->decoder.diag;
	protocol_stream_take(&d->tacit.stream, &to->decoder.stream);
	if (!to->decoder.stream.count)
		return;
	*d->tacit.sources = to->source;
	protocol_memory_take(&d->common.memory, &d->tacit.stream,
	                     &((const struct hs_decoder *)other)->memory, &d->tacit.sources->track);
	d->tacit.sources->jumps.mark = 0; /* an entry of the other table */
}

/* ---- decoding ----------------------------------------------------------------------- */

static enum hs_status next(void *decoder, struct hs_span *in, struct codec_out *out)
{
	return tacit_decode(&((struct tacit_row_decoder *)decoder)->tacit, in, out->items, out->cap,
	                    &out->n);
}

static enum hs_status end(void *decoder, struct codec_out *out)
{
	return tacit_decode_end(&((struct tacit_row_decoder *)decoder)->tacit, out->items, out->cap,
	                        &out->n);
}

const struct codec_machine protocol_tacit_decoder = {
	.open = open_decoder,
	.close = close_decoder,
	.size = size_of,
	.save = save,
	.restore = restore,
	.begin = begin,
	.alike = is_alike,
	.advance = advance,
	.next = next,
	.end = end,
};

void protocol_tacit_diag(const struct hs_decoder *decoder, enum hs_status s, struct hs_fault *fault)
{
	const struct tacit_diag *g = &own(decoder)->diag;
	const char *clause = hs_reason_tacit_clause(g->reason);
	struct hs_message m;
	char fields[256];

	protocol_tacit_describe(&g->msg, &m);
	protocol_message_text(&m, fields, sizeof(fields));
	hs_error_set(&fault->error, s, "offset 0x%llx: %s (%s)%s%s%s, pc 0x%llx",
	             (unsigned long long)g->msg.offset, hs_reason_text(g->reason),
	             *clause ? clause : hs_status_name(s), g->msg.length ? ": " : "",
	             g->msg.length ? m.name : "", fields, (unsigned long long)g->pc);
	fault->reason = g->reason;
	fault->pc = g->pc;
}
