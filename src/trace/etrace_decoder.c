/* E-Trace's decoder, for its row in the table of protocols. */
#include <stdlib.h>
#include <string.h>

#include "trace/etrace.h"
#include "trace/memory.h"

/* ---- beginning and ending --------------------------------------------------------- */

/* A coder of data trace for each source. */
enum hs_status protocol_et_coders_new(struct hs_et_data_coder **out, const void *config,
                                      size_t sources)
{
	const struct hs_et_data_config *data = &((const struct etrace_config *)config)->data;
	struct hs_et_data_coder *c = calloc(sources, sizeof(*c));
	enum hs_status s = c ? HS_OK : HS_E_MEMORY;

	for (size_t i = 0; i < sources && s == HS_OK; i++)
		s = hs_et_data_init(&c[i], data);
	if (s == HS_OK)
		*out = c;
	else
		free(c);
	return s;
}

static void close_decoder(void *decoder)
{
	struct et_decoder *d = decoder;

	protocol_memory_free(&d->common.memory);
	free(d->tables);
	free(d->data);
	free(d);
}

/* enum hs_et_care of the parameters */
static unsigned care_of(const struct etrace_config *c)
{
	const unsigned care = c->leniency.after_damage == ETRACE_STRICT ? HS_ET_CARE_ALL
	                      : c->leniency.after_damage == ETRACE_SURE
	                              ? HS_ET_CARE_AGREE | HS_ET_CARE_TYPES
	                              : 0;

	return c->leniency.other_packets ? care & ~(unsigned)HS_ET_CARE_TYPES : care;
}

static bool counts_runs(const struct et_decoder *d)
{
	const struct hs_et_config *c = &d->config;

	return !c->src_bits && !c->counter_bits && !d->data && !d->common.memory.table_count &&
	       c->version != HS_ET_0_026 && c->version != HS_ET_FAST;
}

/* What a decoder has beyond that of a lint. */
static enum hs_status add_memo(struct et_decoder *d, const struct etrace_config *c, size_t sources,
                               struct hs_decoder_options *o)
{
	struct codec_memory *m = &d->common.memory;
	enum hs_status s = HS_OK;

	if (d->config.data_trace)
		s = protocol_et_coders_new(&d->data, c, sources);
	if (s == HS_OK)
		s = protocol_memo_new(m);
	o->data = d->data;
	o->data_count = sources;
	o->memo = &m->memo;
	o->care = care_of(c);
	o->message_blocks = c->leniency.message_blocks;
	if (s == HS_OK && counts_runs(d))
		d->common.counted = &m->memo;
	return s;
}

/* Bytes for the tables of a source.  Support packets of 2.1 may name any size: with many sources
 * not all of them have room for the largest counter. */
static size_t table_bytes(const struct hs_et_config *c, size_t sources)
{
	struct hs_et_config most = *c;
	const size_t given = hs_et_source_memory(c);

	if (c->version != HS_ET_2_1)
		return given;
	most.bpred_size = most.cache_size = 7;
	most.return_stack_size = 0;
	most.call_counter_size = sources <= 16 ? 15 : 10;
	const size_t any = hs_et_source_memory(&most);

	return any > given ? any : given;
}

static enum hs_status start(struct et_decoder *d, const void *config, const struct hs_image *image,
                            const struct hs_image_set *set, bool memo)
{
	const unsigned bits = d->config.src_bits;
	const size_t sources = (size_t)1 << (bits <= 12 ? bits : 12);
	struct hs_decoder_options o = { .size = sizeof(o) };
	const size_t each = table_bytes(&d->config, sources);
	struct codec_memory *m = &d->common.memory;
	enum hs_status s = protocol_memory_new(m, image, set, sources, sizeof(struct hs_et_source));

	if (s != HS_OK)
		return s;
	d->tables = each ? calloc(sources, each) : NULL;
	if (each && !d->tables)
		return HS_E_MEMORY;
	s = hs_et_decoder_init(&d->et, &d->config, &m->table, m->sources, sources, d->tables,
	                       sources * each);
	protocol_memory_programs(m, set, &o);
	if (s == HS_OK && memo)
		s = add_memo(d, config, sources, &o);
	if (s == HS_OK)
		s = hs_et_decoder_set(&d->et, &o);
	d->common.self = (struct codec_self){ .machine = &protocol_et_decoder };
	d->common.stream = &d->et.stream;
	d->common.offset = &d->et.reader.offset;
	d->common.care = &d->et.care;
	d->common.tally = (struct codec_tally){ .text = d->config.version,
		                                .messages = d->et.stats.packets,
		                                .bytes = d->et.stats.bytes,
		                                .data = &d->et.stats.data };
	return s;
}

enum hs_status protocol_et_decoder_new(struct hs_decoder **decoder, const void *config,
                                       const struct hs_image *image, const struct hs_image_set *set,
                                       bool memo)
{
	struct et_decoder *d = calloc(1, sizeof(*d));

	if (!d)
		return HS_E_MEMORY;
	d->config = protocol_et_plain(config);
	const enum hs_status s = start(d, config, image, set, memo);

	if (s == HS_OK)
		*decoder = &d->common;
	else
		close_decoder(d);
	return s;
}

static enum hs_status open_decoder(void **self, const struct hs_protocol *p, const void *config,
                                   const struct hs_image *image, const struct hs_image_set *set)
{
	struct hs_decoder *d;
	const enum hs_status s = protocol_et_decoder_new(&d, config, image, set, true);

	if (s != HS_OK)
		return s;
	d->self.protocol = p;
	*self = d;
	return s;
}

/* ---- states ------------------------------------------------------------------------ */

/* The parts of a saved state. */
struct parts {
	size_t sources, tables, data, end; /* where each begins */
	size_t each;                       /* bytes of a source's tables */
};

static struct parts parts_of(const struct et_decoder *d, size_t count)
{
	struct parts p = { .sources = sizeof(d->et), .each = d->et.memory ? d->et.stride : 0 };

	p.tables = p.sources + count * sizeof(struct hs_et_source);
	p.data = p.tables + count * p.each;
	p.end = p.data + (d->data ? count * sizeof(*d->data) : 0);
	return p;
}

static size_t size_of(const void *decoder)
{
	const struct et_decoder *d = decoder;

	return parts_of(d, d->et.stream.count).end;
}

static void save(const void *decoder, void *state)
{
	const struct et_decoder *d = decoder;
	const struct parts p = parts_of(d, d->et.stream.count);
	uint8_t *to = state;

	memcpy(to, &d->et, sizeof(d->et));
	memcpy(to + p.sources, d->et.sources, p.tables - p.sources);
	if (d->tables)
		memcpy(to + p.tables, d->tables, p.data - p.tables);
	if (d->data)
		memcpy(to + p.data, d->data, p.end - p.data);
}

static void restore(void *decoder, const void *state)
{
	struct et_decoder *d = decoder;
	const uint8_t *from = state;

	memcpy(&d->et, from, sizeof(d->et));
	const struct parts p = parts_of(d, d->et.stream.count);

	memcpy(d->et.sources, from + p.sources, p.tables - p.sources);
	if (d->tables)
		memcpy(d->tables, from + p.tables, p.data - p.tables);
	if (d->data)
		memcpy(d->data, from + p.data, p.end - p.data);
}

static void begin(void *decoder, const void *state, uint64_t offset)
{
	struct hs_et_decoder *d = &((struct et_decoder *)decoder)->et;

	(void)state;
	d->reader.offset = offset;
	hs_et_decoder_lose(d);
}

/* Does source @src stand where it stood? */
static bool same_source(const struct et_decoder *d, const void *state, uint64_t src)
{
	const struct hs_et_decoder *was = state;
	const struct parts p = parts_of(d, was->stream.count);
	const uint8_t *from = state;
	const struct hs_et_source *then = (const void *)(from + p.sources);
	size_t i = 0;

	while (i < was->stream.count && then[i].track.src != src)
		i++;
	return i < was->stream.count && hs_et_source_same(&d->et, &d->et.sources[i], &then[i]) &&
	       (!d->tables || memcmp((const uint8_t *)d->tables + i * p.each,
	                             from + p.tables + i * p.each, p.each) == 0);
}

/* Are the tables of a source, whose memory begins at @x and @y, the same?  What a stack of returns
 * has above its top is not looked at. */
static bool same_tables(const struct hs_et_tables *a, const uint8_t *x,
                        const struct hs_et_tables *b, const uint8_t *y, size_t size, size_t stack)
{
	const size_t bytes = a->returns ? ((size_t)a->mask + 1) * sizeof(uint64_t) : 0;
	const uint64_t *p = (const void *)(x + stack), *q = (const void *)(y + stack);

	if (a->count != b->count || memcmp(x, y, stack) != 0 ||
	    memcmp(x + stack + bytes, y + stack + bytes, size - stack - bytes) != 0)
		return false;
	for (uint32_t i = 1; i <= a->count; i++)
		if (p[(a->top - i) & a->mask] != q[(b->top - i) & b->mask])
			return false;
	return true;
}

static bool alike(const struct et_decoder *a, const struct hs_et_source *x,
                  const struct et_decoder *b, const struct hs_et_source *y)
{
	struct hs_et_source other = *y;

	other.track.table = x->track.table;
	other.tables.top = x->tables.top;
	return x->track.src == y->track.src && protocol_same_time(&x->track, &y->track) &&
	       protocol_memory_same(&a->common.memory, x->track.table, &b->common.memory,
	                            y->track.table) &&
	       !x->trust.doubt && !y->trust.doubt && x->disabled == y->disabled &&
	       x->trust.met == y->trust.met && x->trust.rival == y->trust.rival &&
	       x->trust.trial == y->trust.trial && hs_et_source_same(&a->et, x, &other);
}

/* Inside a packet both hold the same bytes of it: those before the current one. */
static bool same_reader(const struct hs_et_reader *a, const struct hs_et_reader *b)
{
	return a->held == b->held && a->offset == b->offset && !a->hunting && !b->hunting &&
	       a->known == b->known && (!a->known || a->next == b->next) &&
	       hs_et_reader_options(a) == hs_et_reader_options(b);
}

static bool is_alike(const void *decoder, const void *other, const void *state, uint64_t source)
{
	const struct et_decoder *d = decoder;
	const struct hs_et_decoder *a = &d->et, *b = state;
	const struct parts p = parts_of(d, b->stream.count);
	const uint8_t *from = state, *own = d->tables;
	const struct hs_et_source *then = (const void *)(from + p.sources);
	bool same = !d->data && d->config.version != HS_ET_FAST &&
	            protocol_same_stream(&a->stream, &b->stream) &&
	            same_reader(&a->reader, &b->reader);

	if (source != CODEC_ALL)
		return same_source(d, state, source);
	for (size_t i = 0; i < a->stream.count && same; i++) {
		const struct hs_et_tables *t = &a->sources[i].tables;
		const uint8_t *x = own ? own + i * p.each : NULL, *y = from + p.tables + i * p.each;
		const size_t stack = t->returns ? (size_t)((const uint8_t *)t->returns - x) : 0;

		same = alike(d, &a->sources[i], other, &then[i]) &&
		       (!own || same_tables(t, x, &then[i].tables, y, p.each, stack));
	}
	return same;
}

static void add_counts(struct hs_et_stats *to, const struct hs_et_stats *from,
                       const struct hs_et_stats *end)
{
	protocol_follow_counts(to->packets, from->packets, end->packets, HS_ET_FORMS);
	protocol_follow_counts(to->bytes, from->bytes, end->bytes, HS_ET_FORMS);
	protocol_follow_counts(&to->errors, &from->errors, &end->errors, 1);
	protocol_follow_counts(&to->skipped, &from->skipped, &end->skipped, 1);
	protocol_follow_counts(&to->ambiguous, &from->ambiguous, &end->ambiguous, 1);
}

/* Where @p of a source whose tables begin at @from is in tables that begin at @to. */
static void *moved(const void *p, const uint8_t *from, uint8_t *to)
{
	return p ? to + ((const uint8_t *)p - from) : NULL;
}

/* Make a copy of source @i of another decoder, with its tables, one of this decoder. */
static void take_source(struct et_decoder *d, const struct et_decoder *other, size_t i, size_t each)
{
	struct hs_et_source *s = &d->et.sources[i];
	const uint8_t *from = other->tables;
	uint8_t *to = d->tables;

	protocol_memory_take(&d->common.memory, &d->et.stream, &other->common.memory, &s->track);
	s->path.jumps.mark = 0; /* an entry of the other table */
	s->path.tables = &s->tables;
	if (!to)
		return;
	from += i * each;
	to += i * each;
	s->path.states = moved(s->path.states, from, to);
	s->tables.cache = moved(s->tables.cache, from, to);
	s->tables.returns = moved(s->tables.returns, from, to);
	s->tables.states = moved(s->tables.states, from, to);
}

static void advance(void *decoder, const void *other, const void *join, const void *end)
{
	struct et_decoder *d = decoder;
	const struct hs_et_decoder *then = join, *to = end;
	const struct parts p = parts_of(d, to->stream.count);
	const uint8_t *from = end;

	add_counts(&d->et.stats, &then->stats, &to->stats);
	d->et.config = to->config;
	d->et.reader = to->reader;
	d->et.packet = to->packet;
	d->et.access = to->access;
	d->et.has_access = to->has_access;
	d->et.care = to->care;
	d->et.proposed = to->proposed;
	d->et.diag = to->diag;
	protocol_stream_take(&d->et.stream, &to->stream);
	memcpy(d->et.sources, from + p.sources, p.tables - p.sources);
	if (d->tables)
		memcpy(d->tables, from + p.tables, p.data - p.tables);
	for (size_t i = 0; i < to->stream.count; i++)
		take_source(d, other, i, p.each);
}

/* ---- decoding ----------------------------------------------------------------------- */

static enum hs_status next(void *decoder, struct hs_span *in, struct codec_out *out)
{
	return hs_et_decoder_next(&((struct et_decoder *)decoder)->et, in, out->items, out->cap,
	                          &out->n);
}

static enum hs_status end(void *decoder, struct codec_out *out)
{
	return hs_et_decoder_end(&((struct et_decoder *)decoder)->et, out->items, out->cap,
	                         &out->n);
}

const struct codec_machine protocol_et_decoder = {
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
