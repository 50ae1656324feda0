/* TACIT's encoder, for its row in the table of protocols. */
#include <stdlib.h>

#include "trace/tacit.h"

struct encoder {
	struct hs_encoder common;
	struct tacit_encoder tacit;
};

static struct tacit_encoder *own(struct hs_encoder *encoder)
{
	return &((struct encoder *)encoder)->tacit;
}

enum hs_status protocol_tacit_encoder_new(struct hs_encoder **encoder, const void *config)
{
	struct encoder *e = calloc(1, sizeof(*e));

	if (!e)
		return HS_E_MEMORY;
	const enum hs_status s = tacit_encoder_init(&e->tacit, config);

	if (s != HS_OK) {
		free(e);
		return s;
	}
	e->common.tally = (struct codec_tally){ .messages = e->tacit.messages };
	*encoder = &e->common;
	return HS_OK;
}

enum hs_status protocol_tacit_encode(struct hs_encoder *encoder, const struct hs_block *in,
                                     size_t n, size_t *used, uint8_t *out, size_t cap, size_t *len)
{
	return tacit_encode(own(encoder), in, n, used, out, cap, len);
}

enum hs_status protocol_tacit_encode_port(struct hs_encoder *encoder, const struct hs_block *b,
                                          uint8_t *out, size_t cap, size_t *len)
{
	return tacit_encode_port(own(encoder), b, out, cap, len);
}

enum hs_status protocol_tacit_encode_end(struct hs_encoder *encoder, uint8_t *out, size_t cap,
                                         size_t *len)
{
	return tacit_encode_end(own(encoder), out, cap, len);
}

unsigned protocol_tacit_counts(const struct codec_tally *t, struct hs_message_count *out,
                               unsigned cap)
{
	unsigned n = 0;

	for (unsigned i = 0; i < TACIT_CODES && n < cap; i++)
		if (t->messages[i])
			out[n++] = (struct hs_message_count){ tacit_msg_name(i), t->messages[i],
				                              t->bytes ? t->bytes[i] : 0, i };
	return n;
}
