/* E-Trace's encoder, for its row in the table of protocols. */
#include <stdlib.h>
#include <string.h>

#include "etrace/etrace.h"
#include "trace/etrace.h"

static struct etrace_encoder *own(struct hs_encoder *encoder)
{
	return (struct etrace_encoder *)encoder;
}

static enum hs_status start(struct etrace_encoder *e, const void *config,
                            const struct hs_et_config *c)
{
	const struct etrace_config *given = config;
	enum hs_status s = hs_et_encoder_init(&e->et, c, e->tables, hs_et_encoder_memory(c));

	if (s == HS_OK && given->describe)
		s = protocol_et_describe_encoder(e, config);
	if (s != HS_OK || !c->data_trace)
		return s;
	s = hs_et_data_init(&e->data, &given->data);
	return s == HS_OK ? hs_et_encoder_set_data(&e->et, &e->data) : s;
}

enum hs_status protocol_et_encoder_new(struct hs_encoder **encoder, const void *config)
{
	const struct hs_et_config c = protocol_et_plain(config);
	struct etrace_encoder *e = calloc(1, sizeof(*e) + hs_et_encoder_memory(&c));

	if (!e)
		return HS_E_MEMORY;
	const enum hs_status s = start(e, config, &c);

	if (s != HS_OK) {
		free(e);
		return s;
	}
	const struct hs_et_counts *written = hs_et_encoder_stats(&e->et);

	e->common.tally = (struct codec_tally){ .text = c.version,
		                                .messages = written->packets,
		                                .bytes = written->bytes,
		                                .data = &written->data };
	*encoder = &e->common;
	return HS_OK;
}

/* Put the packet before all others, if there is one and it has room; bytes of it. */
static size_t put_discovery(struct etrace_encoder *e, uint8_t *out, size_t cap)
{
	const size_t n = e->discovery_bytes;

	if (!n || cap < n)
		return 0;
	memcpy(out, e->discovery, n);
	e->discovery_bytes = 0;
	return n;
}

enum hs_status protocol_et_encode(struct hs_encoder *encoder, const struct hs_block *in, size_t n,
                                  size_t *used, uint8_t *out, size_t cap, size_t *len)
{
	struct etrace_encoder *e = own(encoder);
	const size_t own_room = cap < HS_ET_ENCODE_ROOM ? 0 : cap - HS_ET_ENCODE_ROOM;
	const size_t first = put_discovery(e, out, own_room);
	const enum hs_status s = hs_et_encode(&e->et, in, n, used, out + first, cap - first, len);

	*len += first;
	return s;
}

enum hs_status protocol_et_encode_port(struct hs_encoder *encoder, const struct hs_block *b,
                                       uint8_t *out, size_t cap, size_t *len)
{
	struct etrace_encoder *e = own(encoder);
	const size_t first = put_discovery(e, out, cap);
	const enum hs_status s = hs_et_encode_port(&e->et, b, out + first, cap - first, len);

	*len += first;
	return s;
}

enum hs_status protocol_et_encode_end(struct hs_encoder *encoder, uint8_t *out, size_t cap,
                                      size_t *len)
{
	return hs_et_encode_end(&own(encoder)->et, out, cap, len);
}

enum hs_status protocol_et_set_options(struct hs_encoder *encoder, const void *config)
{
	return hs_et_encoder_set_options(&own(encoder)->et, protocol_et_plain(config).options);
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

unsigned protocol_et_counts(const struct codec_tally *t, struct hs_message_count *out, unsigned cap)
{
	const uint64_t *packets = t->messages, *bytes = t->bytes;
	const struct hs_et_data_counts *data = t->data;
	uint64_t others = packets[HS_ET_FORM_OTHER], other_bytes = bytes[HS_ET_FORM_OTHER];
	unsigned n = 0;

	for (unsigned f = 0; f < HS_ET_FORMS; f++)
		if (f != HS_ET_FORM_OTHER)
			add_count(out, cap, &n,
			          (struct hs_message_count){ hs_et_form_name(t->text, f),
			                                     packets[f], bytes[f], f });
	for (unsigned f = 0; f < HS_ET_DATA_FORMS; f++) {
		add_count(out, cap, &n,
		          (struct hs_message_count){ hs_et_data_form_name(f), data->packets[f],
		                                     data->bytes[f], HS_ET_FORMS + f });
		others -= data->packets[f];
		other_bytes -= data->bytes[f];
	}
	add_count(out, cap, &n,
	          (struct hs_message_count){ hs_et_form_name(t->text, HS_ET_FORM_OTHER), others,
	                                     other_bytes, TYPE_OTHER });
	add_count(out, cap, &n,
	          (struct hs_message_count){ "(access that lacks what its packet carries)",
	                                     data->incomplete, 0, TYPE_INCOMPLETE });
	return n;
}
