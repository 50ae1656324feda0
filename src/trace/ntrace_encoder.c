/* N-Trace's encoder, for its row in the table of protocols. */
#include <stdlib.h>

#include "ntrace/ntrace.h"
#include "trace/ntrace.h"

struct nt_encoder {
	struct hs_encoder common;
	struct hs_nt_encoder nt;
};

static struct hs_nt_encoder *own(struct hs_encoder *encoder)
{
	return &((struct nt_encoder *)encoder)->nt;
}

enum hs_status protocol_nt_encoder_new(struct hs_encoder **encoder, const void *config)
{
	struct nt_encoder *e = calloc(1, sizeof(*e));

	if (!e)
		return HS_E_MEMORY;
	const enum hs_status s = hs_nt_encoder_init(&e->nt, config);

	if (s != HS_OK) {
		free(e);
		return s;
	}
	hs_nt_encoder_use_runs(&e->nt);
	e->common.tally = (struct codec_tally){ .text = HS_NT_DIALECT_V1_0,
		                                .messages = hs_nt_encoder_stats(&e->nt)->messages };
	*encoder = &e->common;
	return HS_OK;
}

enum hs_status protocol_nt_encode(struct hs_encoder *encoder, const struct hs_block *in, size_t n,
                                  size_t *used, uint8_t *out, size_t cap, size_t *len)
{
	return hs_nt_encode(own(encoder), in, n, used, out, cap, len);
}

enum hs_status protocol_nt_encode_port(struct hs_encoder *encoder, const struct hs_block *b,
                                       uint8_t *out, size_t cap, size_t *len)
{
	return hs_nt_encode_port(own(encoder), b, out, cap, len);
}

enum hs_status protocol_nt_encode_end(struct hs_encoder *encoder, uint8_t *out, size_t cap,
                                      size_t *len)
{
	return hs_nt_encode_end(own(encoder), out, cap, len);
}

unsigned protocol_nt_counts(const struct codec_tally *t, struct hs_message_count *out, unsigned cap)
{
	unsigned n = 0;

	for (unsigned i = 0; i < 64 && n < cap; i++)
		if (t->messages[i])
			out[n++] = (struct hs_message_count){ hs_nt_dialect_msg_name(t->text, i),
				                              t->messages[i],
				                              t->bytes ? t->bytes[i] : 0, i };
	return n;
}
