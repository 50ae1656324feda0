/* N-Trace's decoder, for its row in the table of protocols. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ntrace/ntrace.h"
#include "trace/memory.h"
#include "trace/ntrace.h"

/* ---- beginning and ending --------------------------------------------------------- */

static void close_decoder(void *decoder)
{
	struct hs_decoder *d = decoder;

	protocol_memory_free(&d->memory);
	free(d);
}

/* What a decoder has beyond that of a lint. */
static enum hs_status add_memo(struct nt_decoder *d, const struct ntrace_config *c,
                               struct hs_decoder_options *o)
{
	struct codec_memory *m = &d->common.memory;
	const enum hs_status s = protocol_memo_new(m);

	o->memo = &m->memo;
	o->message_blocks = c->message_blocks;
	if (s == HS_OK && !c->nt.src_bits && !m->table_count)
		d->common.counted = &m->memo;
	return s;
}

static enum hs_status start(struct nt_decoder *d, const void *config, const struct hs_image *image,
                            const struct hs_image_set *set, bool memo)
{
	struct hs_decoder_options o = { .size = sizeof(o) };
	const struct hs_nt_config *c = config;
	const size_t sources = (size_t)1 << (c->src_bits <= 12 ? c->src_bits : 12);
	struct codec_memory *m = &d->common.memory;
	enum hs_status s = protocol_memory_new(m, image, set, sources, sizeof(struct hs_nt_source));

	if (s == HS_OK)
		s = hs_nt_decoder_init(&d->nt, c, &m->table, m->sources, sources);
	protocol_memory_programs(m, set, &o);
	if (s == HS_OK && memo)
		s = add_memo(d, config, &o);
	if (s == HS_OK)
		s = hs_nt_decoder_set(&d->nt, &o);
	d->common.self = (struct codec_self){ .machine = &protocol_nt_decoder };
	d->common.stream = &d->nt.stream;
	d->common.offset = &d->nt.reader.offset;
	d->common.tally = (struct codec_tally){ .text = c->dialect,
		                                .messages = d->nt.stats.messages,
		                                .bytes = d->nt.stats.bytes };
	return s;
}

enum hs_status protocol_nt_decoder_new(struct hs_decoder **decoder, const void *config,
                                       const struct hs_image *image, const struct hs_image_set *set,
                                       bool memo)
{
	struct nt_decoder *d = calloc(1, sizeof(*d));
	const enum hs_status s = d ? start(d, config, image, set, memo) : HS_E_MEMORY;

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
	const enum hs_status s = protocol_nt_decoder_new(&d, config, image, set, true);

	if (s != HS_OK)
		return s;
	d->self.protocol = p;
	*self = d;
	return s;
}

/* ---- states ------------------------------------------------------------------------ */

static const struct hs_nt_decoder *own(const void *decoder)
{
	return &((const struct nt_decoder *)decoder)->nt;
}

static size_t size_of(const void *decoder)
{
	return sizeof(struct hs_nt_decoder) +
	       own(decoder)->stream.count * sizeof(struct hs_nt_source);
}

static void save(const void *decoder, void *state)
{
	const struct hs_nt_decoder *d = own(decoder);

	memcpy(state, d, sizeof(*d));
	memcpy((uint8_t *)state + sizeof(*d), d->sources,
	       d->stream.count * sizeof(struct hs_nt_source));
}

static void restore(void *decoder, const void *state)
{
	struct hs_nt_decoder *d = &((struct nt_decoder *)decoder)->nt;

	memcpy(d, state, sizeof(*d));
	memcpy(d->sources, (const uint8_t *)state + sizeof(*d),
	       d->stream.count * sizeof(struct hs_nt_source));
}

static void begin(void *decoder, const void *state, uint64_t offset)
{
	struct hs_nt_decoder *d = &((struct nt_decoder *)decoder)->nt;

	(void)state;
	d->reader.offset = offset;
	hs_nt_decoder_lose(d);
}

/* A source without what a message of before has in fields that it does not have. */
static struct hs_nt_source without_absent(const struct hs_nt_source *s)
{
	static const uint8_t fields[] = { HS_NTF_BTYPE, HS_NTF_ICNT, HS_NTF_UADDR, HS_NTF_HIST };
	struct hs_nt_source out = *s;

	out.last_present = s->last_tcode ? s->last_present : 0;
	for (unsigned i = 0; i < sizeof(fields); i++)
		if (!(out.last_present >> fields[i] & 1u))
			out.last[i] = 0;
	return out;
}

static bool alike(const struct nt_decoder *a, const struct hs_nt_source *x,
                  const struct nt_decoder *b, const struct hs_nt_source *y)
{
	const struct hs_nt_source one = without_absent(x);
	struct hs_nt_source other = without_absent(y);

	other.track.table = x->track.table;
	return x->track.src == y->track.src && protocol_same_time(&x->track, &y->track) &&
	       protocol_memory_same(&a->common.memory, x->track.table, &b->common.memory,
	                            y->track.table) &&
	       hs_nt_source_same(&a->nt, &one, &other);
}

/* Inside a message both hold the same bytes of it: those before the current one. */
static bool same_reader(const struct hs_nt_reader *a, const struct hs_nt_reader *b)
{
	return a->held == b->held && a->offset == b->offset && !a->skipping && !b->skipping;
}

/* Does source @src stand where it stood? */
static bool same_source(const struct hs_nt_decoder *d, const void *state, uint64_t src)
{
	const struct hs_nt_decoder *was = state;
	const struct hs_nt_source *then = (const void *)((const uint8_t *)state + sizeof(*d));

	for (size_t i = 0; i < was->stream.count; i++)
		if (then[i].track.src == src)
			return hs_nt_source_same(d, &d->sources[i], &then[i]);
	return false;
}

static bool is_alike(const void *decoder, const void *other, const void *state, uint64_t source)
{
	const struct nt_decoder *d = decoder;
	const struct hs_nt_decoder *a = &d->nt, *b = state;
	const struct hs_nt_source *then = (const void *)((const uint8_t *)state + sizeof(*b));
	bool same =
		protocol_same_stream(&a->stream, &b->stream) && same_reader(&a->reader, &b->reader);

	if (source != CODEC_ALL)
		return same_source(a, state, source);
	for (size_t i = 0; i < a->stream.count && same; i++)
		same = alike(d, &a->sources[i], other, &then[i]);
	return same;
}

static void add_counts(struct hs_nt_stats *to, const struct hs_nt_stats *from,
                       const struct hs_nt_stats *end)
{
	protocol_follow_counts(to->messages, from->messages, end->messages,
	                       sizeof(to->messages) / sizeof(*to->messages));
	protocol_follow_counts(to->bytes, from->bytes, end->bytes,
	                       sizeof(to->bytes) / sizeof(*to->bytes));
	protocol_follow_counts(&to->errors, &from->errors, &end->errors, 1);
	protocol_follow_counts(&to->skipped, &from->skipped, &end->skipped, 1);
}

static void advance(void *decoder, const void *other, const void *join, const void *end)
{
	struct nt_decoder *d = decoder;
	const struct hs_nt_decoder *from = join, *to = end;
	const struct hs_nt_source *sources = (const void *)((const uint8_t *)end + sizeof(*to));

	add_counts(&d->nt.stats, &from->stats, &to->stats);
	d->nt.reader = to->reader;
	d->nt.msg = to->msg;
	d->nt.diag = to->diag;
	protocol_stream_take(&d->nt.stream, &to->stream);
	for (size_t i = 0; i < to->stream.count; i++) {
		struct hs_nt_source *s = &d->nt.sources[i];

		*s = sources[i];
		protocol_memory_take(&d->common.memory, &d->nt.stream,
		                     &((const struct hs_decoder *)other)->memory, &s->track);
		s->evidence.jumps.mark = 0; /* an entry of the other table */
	}
}

/* ---- decoding ----------------------------------------------------------------------- */

static enum hs_status next(void *decoder, struct hs_span *in, struct codec_out *out)
{
	return hs_nt_decoder_next(&((struct nt_decoder *)decoder)->nt, in, out->items, out->cap,
	                          &out->n);
}

static enum hs_status end(void *decoder, struct codec_out *out)
{
	return hs_nt_decoder_end(&((struct nt_decoder *)decoder)->nt, out->items, out->cap,
	                         &out->n);
}

const struct codec_machine protocol_nt_decoder = {
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

void protocol_nt_diag(const struct hs_decoder *decoder, enum hs_status s, struct hs_fault *fault)
{
	const struct hs_nt_diag *g = hs_nt_decoder_diag(own(decoder));
	struct hs_message m;
	char fields[256];

	protocol_nt_describe(&g->msg, decoder->tally.text, &m, false);
	protocol_message_text(&m, fields, sizeof(fields));
	hs_error_set(&fault->error, s, "offset 0x%llx: %s (%s)%s%s%s, pc 0x%llx",
	             (unsigned long long)g->msg.offset, g->text ? g->text : hs_status_text(s),
	             g->clause ? g->clause : hs_status_name(s), g->msg.known ? ": " : "",
	             g->msg.known ? m.name : "", fields, (unsigned long long)g->pc);
	fault->reason = g->reason;
	fault->pc = g->pc;
}
