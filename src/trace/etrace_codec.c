/* E-Trace's encoder, decoder and reader of packets, for its row in the table of protocols. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/etrace.h"

/* ---- encoder ------------------------------------------------------------------ */

size_t protocol_et_encoder_size(const void *config)
{
	const struct hs_et_config c = protocol_et_plain(config);

	return sizeof(struct etrace_encoder) + hs_et_encoder_memory(&c);
}

enum hs_status protocol_et_encoder_init(void *encoder, const void *config)
{
	const struct hs_et_config c = protocol_et_plain(config);
	struct etrace_encoder *e = encoder;

	e->version = c.version;
	e->discovery_bytes = 0;
	enum hs_status s = hs_et_encoder_init(&e->et, &c, e->tables, hs_et_encoder_memory(&c));
	if (s == HS_OK && ((const struct etrace_config *)config)->describe)
		s = protocol_et_describe_encoder(e, config);
	if (s != HS_OK || !c.data_trace)
		return s;
	s = hs_et_data_init(&e->data, &((const struct etrace_config *)config)->data);
	return s == HS_OK ? hs_et_encoder_set_data(&e->et, &e->data) : s;
}

enum hs_status protocol_et_encode(void *encoder, const struct hs_block *in, size_t n, size_t *used,
                                  uint8_t *out, size_t cap, size_t *len)
{
	struct etrace_encoder *e = encoder;
	const size_t first = e->discovery_bytes;

	if (!first || cap < HS_ET_ENCODE_ROOM + first)
		return hs_et_encode(&e->et, in, n, used, out, cap, len);
	memcpy(out, e->discovery, first);
	e->discovery_bytes = 0;
	const enum hs_status s = hs_et_encode(&e->et, in, n, used, out + first, cap - first, len);

	*len += first;
	return s;
}

enum hs_status protocol_et_encode_end(void *encoder, uint8_t *out, size_t cap, size_t *len)
{
	return hs_et_encode_end(&((struct etrace_encoder *)encoder)->et, out, cap, len);
}

enum hs_status protocol_et_encode_port(void *encoder, const struct hs_block *b, uint8_t *out,
                                       size_t cap, size_t *len)
{
	struct etrace_encoder *e = encoder;
	const size_t first = e->discovery_bytes;

	if (!first || cap < first)
		return hs_et_encode_port(&e->et, b, out, cap, len);
	memcpy(out, e->discovery, first);
	e->discovery_bytes = 0;
	const enum hs_status s = hs_et_encode_port(&e->et, b, out + first, cap - first, len);

	*len += first;
	return s;
}

enum hs_status protocol_et_encoder_options(void *encoder, const void *config)
{
	return hs_et_encoder_set_options(&((struct etrace_encoder *)encoder)->et,
	                                 protocol_et_plain(config).options);
}

/* Add a row, unless nothing was counted. */
static void add_count(struct hs_message_count *out, unsigned cap, unsigned *n,
                      struct hs_message_count count)
{
	if (count.messages && *n < cap)
		out[(*n)++] = count;
}

#define TYPE_OTHER (HS_ET_FORMS + HS_ET_DATA_FORMS) /* the last types of packets */
#define TYPE_INCOMPLETE (TYPE_OTHER + 1)

static unsigned counts(unsigned version, const uint64_t *packets, const uint64_t *bytes,
                       const struct hs_et_data_counts *data, struct hs_message_count *out,
                       unsigned cap)
{
	uint64_t others = packets[HS_ET_FORM_OTHER], other_bytes = bytes[HS_ET_FORM_OTHER];
	unsigned n = 0;

	for (unsigned f = 0; f < HS_ET_FORMS; f++)
		if (f != HS_ET_FORM_OTHER)
			add_count(out, cap, &n,
			          (struct hs_message_count){ hs_et_form_name(version, f),
			                                     packets[f], bytes[f], f });
	for (unsigned f = 0; f < HS_ET_DATA_FORMS; f++) {
		add_count(out, cap, &n,
		          (struct hs_message_count){ hs_et_data_form_name(f), data->packets[f],
		                                     data->bytes[f], HS_ET_FORMS + f });
		others -= data->packets[f];
		other_bytes -= data->bytes[f];
	}
	add_count(out, cap, &n,
	          (struct hs_message_count){ hs_et_form_name(version, HS_ET_FORM_OTHER), others,
	                                     other_bytes, TYPE_OTHER });
	add_count(out, cap, &n,
	          (struct hs_message_count){ "(access that lacks what its packet carries)",
	                                     data->incomplete, 0, TYPE_INCOMPLETE });
	return n;
}

unsigned protocol_et_encoder_counts(const void *encoder, struct hs_message_count *out, unsigned cap)
{
	const struct etrace_encoder *e = encoder;
	const struct hs_et_counts *written = hs_et_encoder_stats(&e->et);

	return counts(e->version, written->packets, written->bytes, &written->data, out, cap);
}

/* ---- decoder ------------------------------------------------------------------ */

/* A coder of data trace for each source. */
static enum hs_status new_coders(struct hs_et_data_coder **out, const void *config, size_t sources)
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

void protocol_et_decoder_free(void *decoder)
{
	struct protocol_et_decoder *d = decoder;

	if (!d)
		return;
	protocol_memory_free(&d->memory);
	free(d->tables);
	free(d->data);
	free(d);
}

/* enum hs_et_care of the parameters */
static unsigned care_of(const struct etrace_config *c)
{
	const unsigned care = c->after_damage == ETRACE_STRICT ? HS_ET_CARE_ALL
	                      : c->after_damage == ETRACE_SURE ? HS_ET_CARE_AGREE | HS_ET_CARE_TYPES
	                                                       : 0;

	return c->other_packets ? care & ~(unsigned)HS_ET_CARE_TYPES : care;
}

enum hs_status protocol_et_start(struct protocol_et_decoder *d, size_t sources)
{
	const size_t each = hs_et_source_memory(&d->config);

	d->tables = each ? calloc(sources, each) : NULL;
	if (each && !d->tables)
		return HS_E_MEMORY;
	return hs_et_decoder_init(&d->et, &d->config, &d->memory.table, d->memory.sources, sources,
	                          d->tables, sources * each);
}

enum hs_status protocol_et_decoder_new(void **decoder, const void *config,
                                       const struct hs_image *image, const struct hs_image_set *set)
{
	const struct hs_et_config c = protocol_et_plain(config);
	const size_t sources = (size_t)1 << (c.src_bits <= 12 ? c.src_bits : 12);
	struct protocol_et_decoder *d = calloc(1, sizeof(*d));
	enum hs_status s = HS_E_MEMORY;

	if (!d)
		return s;
	d->config = c;
	s = protocol_memory_new(&d->memory, image, set, sources, sizeof(struct hs_et_source));
	if (s == HS_OK)
		s = protocol_et_start(d, sources);
	if (s == HS_OK && c.data_trace)
		s = new_coders(&d->data, config, sources);
	if (s == HS_OK && d->data)
		s = hs_et_decoder_set_data(&d->et, d->data, sources);
	if (s == HS_OK)
		s = protocol_memo_new(&d->memory);
	if (s == HS_OK)
		hs_et_decoder_set_memo(&d->et, &d->memory.memo);
	if (s == HS_OK)
		hs_et_decoder_set_careful(&d->et, care_of(config));
	if (s == HS_OK)
		hs_et_decoder_set_limit(&d->et,
		                        ((const struct etrace_config *)config)->message_blocks);
	if (s == HS_OK && d->memory.table_count)
		hs_et_decoder_programs(&d->et, d->memory.tables, set->contexts, set->count);
	if (s == HS_OK)
		*decoder = d;
	else
		protocol_et_decoder_free(d);
	return s;
}

struct hs_memo *protocol_et_decoder_memo(void *decoder)
{
	const unsigned tables = HS_ET_BRANCH_PREDICTION | HS_ET_JUMP_TARGET_CACHE;
	struct protocol_et_decoder *d = decoder;
	const struct hs_et_config *c = &d->config;

	return c->src_bits || c->options & tables || d->data || d->memory.table_count ||
	                       c->version == HS_ET_0_026 || c->version == HS_ET_FAST
	               ? NULL
	               : &d->memory.memo;
}

void protocol_et_decoder_guide(void *decoder, const struct hs_code_guide *guide)
{
	hs_et_decoder_set_guide(&((struct protocol_et_decoder *)decoder)->et, guide);
}

/* The parts of a saved state. */
struct parts {
	size_t sources, tables, data, end; /* where each begins */
	size_t each;                       /* bytes of a source's tables */
};

static struct parts parts_of(const struct protocol_et_decoder *d, size_t count)
{
	struct parts p = { .sources = sizeof(d->et), .each = hs_et_source_memory(&d->config) };

	p.tables = p.sources + count * sizeof(struct hs_et_source);
	p.data = p.tables + count * p.each;
	p.end = p.data + (d->data ? count * sizeof(*d->data) : 0);
	return p;
}

size_t protocol_et_decoder_state(const void *decoder)
{
	const struct protocol_et_decoder *d = decoder;

	return parts_of(d, d->et.stream.count).end;
}

void protocol_et_decoder_save(const void *decoder, void *state)
{
	const struct protocol_et_decoder *d = decoder;
	const struct parts p = parts_of(d, d->et.stream.count);
	uint8_t *to = state;

	memcpy(to, &d->et, sizeof(d->et));
	memcpy(to + p.sources, d->et.sources, p.tables - p.sources);
	if (d->tables)
		memcpy(to + p.tables, d->tables, p.data - p.tables);
	if (d->data)
		memcpy(to + p.data, d->data, p.end - p.data);
}

void protocol_et_decoder_restore(void *decoder, const void *state)
{
	struct protocol_et_decoder *d = decoder;
	const uint8_t *from = state;

	memcpy(&d->et, from, sizeof(d->et));
	const struct parts p = parts_of(d, d->et.stream.count);

	memcpy(d->et.sources, from + p.sources, p.tables - p.sources);
	if (d->tables)
		memcpy(d->tables, from + p.tables, p.data - p.tables);
	if (d->data)
		memcpy(d->data, from + p.data, p.end - p.data);
}

void protocol_et_decoder_expect(void *decoder, uint32_t src, uint64_t blocks)
{
	hs_et_decoder_expect(&((struct protocol_et_decoder *)decoder)->et, src, blocks);
}

bool protocol_et_decoder_place(const void *decoder, uint32_t src, struct hs_code_place *place)
{
	return hs_et_decoder_place(&((const struct protocol_et_decoder *)decoder)->et, src, place);
}

bool protocol_et_decoder_same(const void *decoder, const void *state, uint32_t src)
{
	const struct protocol_et_decoder *d = decoder;
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

void protocol_et_decoder_begin(void *decoder, uint64_t offset)
{
	((struct protocol_et_decoder *)decoder)->et.reader.offset = offset;
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

static bool alike(const struct protocol_et_decoder *a, const struct hs_et_source *x,
                  const struct protocol_et_decoder *b, const struct hs_et_source *y)
{
	struct hs_et_source other = *y;

	other.track.table = x->track.table;
	other.tables.top = x->tables.top;
	return x->track.src == y->track.src && protocol_same_time(&x->track, &y->track) &&
	       protocol_memory_same(&a->memory, x->track.table, &b->memory, y->track.table) &&
	       !x->doubt && !y->doubt && x->disabled == y->disabled && x->met == y->met &&
	       x->rival == y->rival && x->trial == y->trial && hs_et_source_same(&a->et, x, &other);
}

/* Inside a packet both hold the same bytes of it: those before the current one. */
static bool same_reader(const struct hs_et_reader *a, const struct hs_et_reader *b)
{
	return a->held == b->held && a->offset == b->offset && !a->hunting && !b->hunting &&
	       a->known == b->known && (!a->known || a->next == b->next) &&
	       hs_et_reader_options(a) == hs_et_reader_options(b);
}

bool protocol_et_decoder_alike(const void *decoder, const void *other, const void *state)
{
	const struct protocol_et_decoder *d = decoder;
	const struct hs_et_decoder *a = &d->et, *b = state;
	const struct parts p = parts_of(d, b->stream.count);
	const uint8_t *from = state, *own = d->tables;
	const struct hs_et_source *then = (const void *)(from + p.sources);
	bool same = !d->data && d->config.version != HS_ET_FAST &&
	            protocol_same_stream(&a->stream, &b->stream) &&
	            same_reader(&a->reader, &b->reader);

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
static void take_source(struct protocol_et_decoder *d, const struct protocol_et_decoder *other,
                        size_t i, size_t each)
{
	struct hs_et_source *s = &d->et.sources[i];
	const uint8_t *from = other->tables;
	uint8_t *to = d->tables;

	protocol_memory_take(&d->memory, &d->et.stream, &other->memory, &s->track);
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

void protocol_et_decoder_continue(void *decoder, const void *other, const void *join,
                                  const void *end)
{
	struct protocol_et_decoder *d = decoder;
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

enum hs_status protocol_et_decode(void *decoder, struct hs_span *in, struct hs_block *out,
                                  size_t cap, size_t *count)
{
	return hs_et_decoder_next(&((struct protocol_et_decoder *)decoder)->et, in, out, cap,
	                          count);
}

void protocol_et_decoder_lose(void *decoder)
{
	hs_et_decoder_lose(&((struct protocol_et_decoder *)decoder)->et);
}

enum hs_status protocol_et_decode_end(void *decoder, struct hs_block *out, size_t cap,
                                      size_t *count)
{
	return hs_et_decoder_end(&((struct protocol_et_decoder *)decoder)->et, out, cap, count);
}

void protocol_et_describe(const struct hs_et_config *c, const struct hs_et_packet *p,
                          struct hs_message *m)
{
	uint8_t fields[HS_ETF_COUNT];
	const unsigned n = hs_et_form_fields(c->version, p->form, fields);

	*m = (struct hs_message){ .offset = p->offset,
		                  .length = p->length,
		                  .code = p->form,
		                  .source = p->src,
		                  .has_source = c->src_bits != 0,
		                  .name = hs_et_form_name(c->version, p->form),
		                  .clause = hs_et_form_clause(c->version, p->form) };
	if (p->has_tstamp && c->tstamp_bytes)
		protocol_add_field(m, "timestamp", "EE Timestamp", p->tstamp, false);
	if (p->has_index)
		protocol_add_field(m, "packet_index", "ADR-0123", p->index, false);
	for (unsigned i = 0; i < n; i++) {
		const uint8_t f = fields[i];

		if (hs_et_has(p, f))
			protocol_add_field(m, hs_et_field_name(f), hs_et_field_clause(f),
			                   p->field[f], hs_et_field_hex(f));
	}
}

/* Options that the parameters name and that a support packet lacks, while no packet synchronised
 * yet: enum hs_et_option. */
static unsigned options_missing(const struct protocol_et_decoder *d, const struct hs_et_diag *g)
{
	struct hs_et_reader r;

	if (g->reason != HS_REASON_OTHER_OPTIONS || g->packet.form != HS_ET_FORM_SUPPORT ||
	    hs_et_decoder_stats(&d->et)->packets[HS_ET_FORM_START] ||
	    hs_et_reader_init(&r, &d->config) != HS_OK)
		return 0;
	const unsigned named = hs_et_reader_options(&r);

	hs_et_reader_follow(&r, &g->packet);
	return named & ~hs_et_reader_options(&r);
}

/* Run-time options, and the parameters without which there are none.  enum hs_et_option is in this
 * order. */
static const struct {
	const char *name, *needs;
} run_time_options[] = {
	{ "si-jump", "sijump_p" },
	{ "implicit-return", "return_stack_size_p or call_counter_size_p" },
	{ "implicit-except", NULL },
	{ "branch-prediction", "bpred_size_p" },
	{ "jump-target-cache", "cache_size_p" },
	{ "full-address", NULL },
};

#define OPTIONS (sizeof(run_time_options) / sizeof(*run_time_options))

/* What to do where the parameters name options that the trace starts without. */
static void write_missing(unsigned options, char *text, size_t size)
{
	size_t n;

	text[0] = 0;
	if (!options)
		return;
	n = (size_t)snprintf(text, size,
	                     "; the trace starts without options that the parameters name:");
	for (size_t i = 0; i < OPTIONS && n < size; i++)
		if (options >> i & 1)
			n += (size_t)snprintf(text + n, size - n, " --set %s=false",
			                      run_time_options[i].name);
	if (n < size)
		snprintf(text + n, size - n, ", or --set after-damage=soon");
}

/* The first error is about the options that the trace starts with, if it is in its first bytes.
 * (Further on it may be of another decoder, which has a part of the trace only.) */
#define OPTIONS_NEAR 4096u

/* What the options need that the trace starts with, where the parameters cannot have them. */
static void write_refused(const struct hs_et_config *given, unsigned options, char *text,
                          size_t size)
{
	struct hs_et_config c = *given;
	size_t n = 0;

	text[0] = 0;
	for (size_t i = 0; i < OPTIONS && n < size; i++) {
		c.options = (uint8_t)(options & 1u << i);
		if (c.options && hs_et_config_check(&c) != HS_OK)
			n += (size_t)snprintf(text + n, size - n,
			                      "; the trace has %s, which needs %s",
			                      run_time_options[i].name, run_time_options[i].needs);
	}
	if (options && n == 0) /* each by itself is good (ET Format 0 subformat) */
		snprintf(text, size,
		         "; the trace has branch-prediction and jump-target-cache, "
		         "which need f0s_width_p");
}

enum hs_reason protocol_et_decoder_diag(const void *decoder, enum hs_status s,
                                        struct hs_error *error)
{
	const struct protocol_et_decoder *d = decoder;
	const struct hs_et_diag *g = hs_et_decoder_diag(&d->et);
	struct hs_message m;
	char fields[256], options[256];

	protocol_et_describe(&d->config, &g->packet, &m);
	protocol_message_text(&m, fields, sizeof(fields));
	if (d->et.refused && g->packet.offset < OPTIONS_NEAR &&
	    hs_et_decoder_stats(&d->et)->errors == 1)
		write_refused(&d->config, d->et.refused, options, sizeof(options));
	else
		write_missing(options_missing(d, g), options, sizeof(options));
	hs_error_set(error, s, "offset 0x%llx bit %u: %s (%s): %s%s, pc 0x%llx%s",
	             (unsigned long long)g->packet.offset, g->packet.bits,
	             g->text ? g->text : hs_status_text(s),
	             g->clause ? g->clause : hs_status_name(s), m.name, fields,
	             (unsigned long long)g->pc, options);
	return g->reason;
}

uint64_t protocol_et_decoder_pc(const void *decoder)
{
	return hs_et_decoder_diag(&((const struct protocol_et_decoder *)decoder)->et)->pc;
}

unsigned protocol_et_decoder_counts(const void *decoder, struct hs_message_count *out, unsigned cap)
{
	const struct protocol_et_decoder *d = decoder;
	const struct hs_et_stats *t = hs_et_decoder_stats(&d->et);

	return counts(d->config.version, t->packets, t->bytes, &t->data, out, cap);
}

/* ---- reader ------------------------------------------------------------------- */

struct reader {
	struct hs_et_reader et;
	struct hs_et_config config;
	struct hs_et_data_coder *data; /* of each srcID, with data_trace */
	uint8_t *options;              /* of each srcID: enum hs_et_option */
	struct hs_et_packet last;
};

void protocol_et_reader_free(void *reader)
{
	struct reader *r = reader;

	if (r) {
		free(r->data);
		free(r->options);
	}
	free(r);
}

/* Describe a packet of data trace.  The coder follows it: a response needs its request. */
static enum hs_status describe_data(struct reader *r, const struct hs_et_packet *p,
                                    struct hs_message *m)
{
	struct hs_et_data_coder *c = &r->data[p->src];
	uint8_t fields[HS_ETDF_COUNT];
	struct hs_et_data_packet data;
	struct hs_access a;
	const enum hs_status s = hs_et_read_data(&r->et, p, c, &data);

	if (s == HS_E_UNSUPPORTED)
		return HS_OK;
	const unsigned n = hs_et_data_form_fields(data.form, fields);

	m->name = hs_et_data_form_name(data.form);
	m->clause = hs_et_data_form_clause(data.form);
	for (unsigned i = 0; i < n; i++) {
		const uint8_t f = fields[i];

		if (data.present >> f & 1)
			protocol_add_field(m, hs_et_data_field_name(f), hs_et_data_field_clause(f),
			                   data.field[f], hs_et_data_field_hex(f));
	}
	if (s == HS_OK)
		hs_et_data_decode(c, &data, &a);
	return s;
}

enum hs_status protocol_et_reader_new(void **reader, const void *config)
{
	struct reader *r = calloc(1, sizeof(*r));

	if (!r)
		return HS_E_MEMORY;
	r->config = protocol_et_plain(config);
	enum hs_status s = hs_et_reader_init(&r->et, &r->config);
	const size_t sources = s == HS_OK ? (size_t)1 << r->config.src_bits : 1;

	r->options = malloc(sources);
	if (r->options)
		memset(r->options, r->config.options, sources);
	else
		s = HS_E_MEMORY;
	if (s == HS_OK && r->config.data_trace)
		s = new_coders(&r->data, config, sources);
	if (s == HS_OK)
		*reader = r;
	else
		protocol_et_reader_free(r);
	return s;
}

enum hs_status protocol_et_read_packet(void *reader, struct hs_span *in, struct hs_message *m)
{
	struct reader *r = reader;
	struct hs_et_packet *p = &r->last;
	const uint8_t *from = in->p;

	*p = (struct hs_et_packet){ 0 };
	enum hs_status s = hs_et_read(&r->et, in, p);

	if (s != HS_MORE)
		s = hs_et_read_again(&r->et, s, r->options[p->src], from, in, p);
	if (s == HS_OK && p->form == HS_ET_FORM_SUPPORT) {
		hs_et_reader_follow(&r->et, p);
		r->options[p->src] = (uint8_t)hs_et_reader_options(&r->et);
	}
	if (s != HS_MORE)
		protocol_et_describe(&r->config, p, m);
	if (s == HS_OK && p->form == HS_ET_FORM_OTHER && r->data)
		return describe_data(r, p, m);
	return s;
}

/* As protocol_et_describe() lists them, after what the framing has. */
void protocol_et_find_fields(const void *reader, struct hs_message *m)
{
	const struct reader *r = reader;
	const struct hs_et_packet *p = &r->last;
	uint8_t fields[HS_ETF_COUNT];
	const unsigned n = hs_et_form_fields(r->config.version, p->form, fields);
	struct hs_bits v[HS_ETF_COUNT];
	unsigned k = (p->has_tstamp && r->config.tstamp_bytes) + p->has_index;

	hs_et_reader_where(&r->et, p, v);
	for (unsigned i = 0; i < n && k < m->count; i++)
		if (hs_et_has(p, fields[i]))
			m->field[k++].bits = v[fields[i]];
}

size_t protocol_et_find_sync(const void *config, const struct hs_span *bytes)
{
	const struct hs_et_config c = protocol_et_plain(config);

	return hs_et_find_sync(&c, bytes);
}

enum hs_status protocol_et_read_end(const void *reader, uint64_t *offset)
{
	const struct hs_et_reader *r = &((const struct reader *)reader)->et;

	*offset = r->start;
	return hs_et_reader_end(r);
}

/* Data packets depend on those before them. */
size_t protocol_et_find_end(const void *config, const struct hs_span *bytes)
{
	const struct hs_et_config c = protocol_et_plain(config);

	return c.data_trace ? SIZE_MAX : hs_et_find_end(&c, bytes);
}

static size_t sources_of(const struct reader *r)
{
	return (size_t)1 << r->config.src_bits;
}

void protocol_et_reader_begin(void *reader, const void *other)
{
	struct reader *r = reader;
	const struct reader *from = other;

	(void)hs_et_reader_init(&r->et, &r->config); /* which reader_new took */
	if (from)
		memcpy(r->options, from->options, sources_of(r));
	else
		memset(r->options, r->config.options, sources_of(r));
}

bool protocol_et_reader_same(const void *reader, const void *other)
{
	const struct reader *a = reader, *b = other;

	return hs_et_reader_end(&a->et) == HS_OK && hs_et_reader_end(&b->et) == HS_OK &&
	       memcmp(a->options, b->options, sources_of(a)) == 0;
}
