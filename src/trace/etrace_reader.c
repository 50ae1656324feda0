/* E-Trace's reader of packets, for its row in the table of protocols. */
#include <stdlib.h>
#include <string.h>

#include "trace/etrace.h"
#include "trace/memory.h"

struct et_reader {
	struct hs_reader common;
	struct hs_et_reader et;
	struct hs_et_config config;
	struct hs_et_data_config data_config;
	struct hs_et_data_coder *data; /* of each srcID, with data_trace */
	uint32_t *options;             /* of each srcID, with those of data trace */
	struct hs_et_packet last;
};

/* ---- beginning and ending --------------------------------------------------------- */

static void close_reader(void *reader)
{
	struct et_reader *r = reader;

	free(r->data);
	free(r->options);
	free(r);
}

static size_t sources_of(const struct et_reader *r)
{
	return (size_t)1 << r->config.src_bits;
}

/* What lasts of the packets' layout. */
static uint32_t word_of(const struct et_reader *r, const struct hs_et_data_config *data)
{
	return hs_et_reader_options(&r->et) | (uint32_t)data->mmacas_ext << ET_AT_MMACAS_EXT |
	       (uint32_t)data->no_address << ET_AT_NOADDR | (uint32_t)data->no_data << ET_AT_NODATA;
}

/* Of @sources srcIDs: as the parameters say. */
static void reset_options(struct et_reader *r, size_t sources)
{
	for (size_t i = 0; i < sources; i++)
		r->options[i] = word_of(r, &r->data_config);
}

/* The coders begin with what lasts; 2.1 says which packets there are, too. */
static void start_coders(struct et_reader *r)
{
	for (size_t i = 0; r->data && i < sources_of(r); i++) {
		struct hs_et_data_config c = r->data_config;

		c.no_address = r->options[i] >> ET_AT_NOADDR & 1;
		c.no_data = r->options[i] >> ET_AT_NODATA & 1;
		if (r->config.version == HS_ET_2_1) {
			c.mmacas_ext = r->options[i] >> ET_AT_MMACAS_EXT & 1;
			c.load_store = c.load_store && !c.mmacas_ext;
		}
		(void)hs_et_data_init(&r->data[i],
		                      &c); /* the same as before, or said by a packet */
	}
}

static size_t options_size(const struct et_reader *r)
{
	return sources_of(r) * sizeof(*r->options);
}

static enum hs_status start(struct et_reader *r, const void *config)
{
	r->config = protocol_et_plain(config);
	r->data_config = ((const struct etrace_config *)config)->data;
	enum hs_status s = hs_et_reader_init(&r->et, &r->config);
	const size_t sources = s == HS_OK ? sources_of(r) : 1;

	r->options = malloc(sources * sizeof(*r->options));
	if (!r->options)
		return HS_E_MEMORY;
	reset_options(r, sources);
	if (s == HS_OK && r->config.data_trace)
		s = protocol_et_coders_new(&r->data, config, sources);
	return s;
}

static enum hs_status open_reader(void **self, const struct hs_protocol *p, const void *config,
                                  const struct hs_image *image, const struct hs_image_set *set)
{
	struct et_reader *r = calloc(1, sizeof(*r));
	const enum hs_status s = r ? start(r, config) : HS_E_MEMORY;

	(void)image;
	(void)set;
	if (s == HS_OK) {
		r->common.self = (struct codec_self){ &protocol_et_reader, p };
		*self = r;
	} else if (r) {
		close_reader(r);
	}
	return s;
}

/* ---- states: the reader, and the options of each srcID ------------------------------- */

static size_t size_of(const void *reader)
{
	return sizeof(struct hs_et_reader) + options_size(reader);
}

static const void *options_of(const void *state)
{
	return (const uint8_t *)state + sizeof(struct hs_et_reader);
}

static void save(const void *reader, void *state)
{
	const struct et_reader *r = reader;

	memcpy(state, &r->et, sizeof(r->et));
	memcpy((uint8_t *)state + sizeof(r->et), r->options, options_size(r));
}

static void restore(void *reader, const void *state)
{
	struct et_reader *r = reader;

	memcpy(&r->et, state, sizeof(r->et));
	memcpy(r->options, options_of(state), options_size(r));
}

static void begin(void *reader, const void *state, uint64_t offset)
{
	struct et_reader *r = reader;

	(void)hs_et_reader_init(&r->et, &r->config); /* which it took before */
	r->et.offset = r->et.start = offset;
	if (state)
		memcpy(r->options, options_of(state), options_size(r));
	else
		reset_options(r, sources_of(r));
	start_coders(r);
}

static bool is_alike(const void *reader, const void *other, const void *state, uint64_t source)
{
	const struct et_reader *r = reader;

	(void)other;
	(void)source;
	return hs_et_reader_end(&r->et) == HS_OK && hs_et_reader_end(state) == HS_OK &&
	       memcmp(r->options, options_of(state), options_size(r)) == 0;
}

static void advance(void *reader, const void *other, const void *join, const void *end)
{
	(void)other;
	(void)join;
	restore(reader, end);
}

/* ---- packets ------------------------------------------------------------------------- */

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
		protocol_add_field(m, "packet_index", "design/captures", p->index, false);
	for (unsigned i = 0; i < n; i++) {
		const uint8_t f = fields[i];

		if (hs_et_has(p, f))
			protocol_add_field(m, hs_et_field_name(f), hs_et_field_clause(f),
			                   p->field[f], hs_et_field_hex(f));
	}
}

/* Describe a packet of data trace.  The coder follows it: a response needs its request. */
static enum hs_status describe_data(struct et_reader *r, const struct hs_et_packet *p,
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

/* A support packet says what packets of data trace have. */
static void follow_data(struct et_reader *r, const struct hs_et_packet *p)
{
	struct hs_et_data_coder *c = &r->data[p->src];

	hs_et_follow_data(&r->et, p, c);
	r->options[p->src] |= (uint32_t)c->no_address << ET_AT_NOADDR | (uint32_t)c->no_data
	                                                                        << ET_AT_NODATA;
}

static enum hs_status next(void *reader, struct hs_span *in, struct codec_out *out)
{
	struct et_reader *r = reader;
	struct hs_et_packet *p = &r->last;
	const uint8_t *from = in->p;

	*p = (struct hs_et_packet){ 0 };
	enum hs_status s = hs_et_read(&r->et, in, p);

	if (s != HS_MORE)
		s = hs_et_read_again(&r->et, s, r->options[p->src], from, in, p);
	if (s == HS_OK && p->form == HS_ET_FORM_SUPPORT) {
		hs_et_reader_follow(&r->et, p);
		r->options[p->src] = hs_et_reader_options(&r->et);
		if (r->data)
			follow_data(r, p);
	}
	if (s != HS_MORE)
		protocol_et_describe(&r->config, p, out->message);
	if (s == HS_OK && p->form == HS_ET_FORM_OTHER && r->data)
		return describe_data(r, p, out->message);
	return s;
}

static enum hs_status end(void *reader, struct codec_out *out)
{
	const struct hs_et_reader *r = &((const struct et_reader *)reader)->et;

	out->message->offset = r->start;
	return hs_et_reader_end(r);
}

/* As protocol_et_describe() lists them, after what the framing has. */
void protocol_et_where(const struct hs_reader *reader, struct hs_message *m)
{
	const struct et_reader *r = (const void *)reader;
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

const struct codec_machine protocol_et_reader = {
	.open = open_reader,
	.close = close_reader,
	.size = size_of,
	.save = save,
	.restore = restore,
	.begin = begin,
	.alike = is_alike,
	.advance = advance,
	.next = next,
	.end = end,
};
