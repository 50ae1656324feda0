/* N-Trace's reader of messages, for its row in the table of protocols. */
#include <stdlib.h>
#include <string.h>

#include "core/config.h"
#include "ntrace/ntrace.h"
#include "trace/memory.h"
#include "trace/ntrace.h"

struct nt_reader {
	struct hs_reader common;
	struct hs_nt_reader nt;
	unsigned dialect;
	struct hs_nt_msg last;
	uint8_t payload[HS_NT_PAYLOAD_MAX]; /* of the last message, if its fields are not known */
};

static enum hs_status open_reader(void **self, const struct hs_protocol *p, const void *config,
                                  const struct hs_image *image, const struct hs_image_set *set)
{
	struct hs_nt_config c;
	struct nt_reader *r;

	(void)image;
	(void)set;
	if (base_take_config(&c, sizeof(c), config) != HS_OK)
		return HS_E_CONFIG;
	r = calloc(1, sizeof(*r));
	if (!r)
		return HS_E_MEMORY;
	r->common.self = (struct codec_self){ &protocol_nt_reader, p };
	r->dialect = c.dialect;
	hs_nt_reader_init(&r->nt, c.inhibit_src ? 0 : c.src_bits);
	hs_nt_reader_set_dialect(&r->nt, c.dialect);
	*self = r;
	return HS_OK;
}

static size_t size_of(const void *reader)
{
	(void)reader;
	return sizeof(struct hs_nt_reader);
}

static void save(const void *reader, void *state)
{
	*(struct hs_nt_reader *)state = ((const struct nt_reader *)reader)->nt;
}

static void restore(void *reader, const void *state)
{
	((struct nt_reader *)reader)->nt = *(const struct hs_nt_reader *)state;
}

/* A reader needs nothing from earlier messages: @state is not used. */
static void begin(void *reader, const void *state, uint64_t offset)
{
	struct hs_nt_reader *r = &((struct nt_reader *)reader)->nt;

	(void)state;
	r->offset = r->start = offset;
	r->idle = 0;
	r->held = r->kept = 0;
	r->skipping = 0;
}

/* Readers that both stand between two messages are alike. */
static bool is_alike(const void *reader, const void *other, const void *state, uint64_t source)
{
	(void)other;
	(void)source;
	return hs_nt_reader_end(&((const struct nt_reader *)reader)->nt) == HS_OK &&
	       hs_nt_reader_end(state) == HS_OK;
}

static void advance(void *reader, const void *other, const void *join, const void *end)
{
	(void)other;
	(void)join;
	restore(reader, end);
}

/* ---- messages ------------------------------------------------------------------------ */

static bool is_hexadecimal(enum hs_nt_field f)
{
	return f == HS_NTF_FADDR || f == HS_NTF_UADDR || f == HS_NTF_HIST || f == HS_NTF_DQDATA ||
	       f == HS_NTF_CKDATA || f == HS_NTF_CKDATA1;
}

void protocol_nt_describe(const struct hs_nt_msg *nt, unsigned dialect, struct hs_message *m,
                          bool with_source)
{
	enum hs_nt_field fields[HS_NTF_COUNT];
	const unsigned n = hs_nt_dialect_msg_fields(dialect, nt->tcode, fields);

	*m = (struct hs_message){ .offset = nt->offset,
		                  .length = nt->length,
		                  .code = nt->tcode,
		                  .source = nt->src,
		                  .has_source = with_source,
		                  .name = hs_nt_dialect_msg_name(dialect, nt->tcode),
		                  .clause = hs_nt_dialect_msg_clause(dialect, nt->tcode) };
	for (unsigned i = 0; i < n; i++) {
		const enum hs_nt_field f = fields[i];

		if (hs_nt_has(nt, f))
			protocol_add_field(m, hs_nt_field_name(f), hs_nt_field_clause(f),
			                   nt->field[f], is_hexadecimal(f));
	}
}

static enum hs_status next(void *reader, struct hs_span *in, struct codec_out *out)
{
	struct nt_reader *r = reader;
	struct hs_message *m = out->message;

	r->last = (struct hs_nt_msg){ 0 };
	const enum hs_status s = hs_nt_read(&r->nt, in, &r->last);

	if (s == HS_MORE)
		return s;
	protocol_nt_describe(&r->last, r->dialect, m, r->nt.src_bits != 0);
	if (s == HS_OK && !r->last.known) {
		m->payload_bits = hs_nt_reader_payload(&r->nt, r->payload);
		m->payload = r->payload;
	}
	return s;
}

static enum hs_status end(void *reader, struct codec_out *out)
{
	const struct hs_nt_reader *r = &((const struct nt_reader *)reader)->nt;

	out->message->offset = r->start;
	return hs_nt_reader_end(r);
}

/* Where each field is, in the order in which protocol_nt_describe() lists them. */
void protocol_nt_where(const struct hs_reader *reader, struct hs_message *m)
{
	const struct nt_reader *r = (const void *)reader;
	enum hs_nt_field fields[HS_NTF_COUNT];
	const unsigned n = hs_nt_dialect_msg_fields(r->dialect, r->last.tcode, fields);
	struct hs_bits v[HS_NTF_COUNT];
	unsigned k = 0;

	hs_nt_reader_where(&r->nt, &r->last, m->bytes, v);
	for (unsigned i = 0; i < n && k < m->count; i++)
		if (hs_nt_has(&r->last, fields[i]))
			m->field[k++].bits = v[fields[i]];
}

const struct codec_machine protocol_nt_reader = {
	.open = open_reader,
	.close = free,
	.size = size_of,
	.save = save,
	.restore = restore,
	.begin = begin,
	.alike = is_alike,
	.advance = advance,
	.next = next,
	.end = end,
};
