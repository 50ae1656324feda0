/* Pieces of TACIT's row in the table of protocols. */
#ifndef HS_TRACE_TACIT_H
#define HS_TRACE_TACIT_H

#include "tacit/tacit.h"
#include "trace/codec.h"
#include "trace/lint.h"

struct tacit_row_decoder {
	struct hs_decoder common;
	struct tacit_decoder tacit;
};

/* tacit_encoder.c, tacit_decoder.c, tacit_reader.c, tacit_lint.c: as struct codec has them. */
enum hs_status protocol_tacit_encoder_new(struct hs_encoder **encoder, const void *config);
enum hs_status protocol_tacit_encode(struct hs_encoder *encoder, const struct hs_block *in,
                                     size_t n, size_t *used, uint8_t *out, size_t cap, size_t *len);
enum hs_status protocol_tacit_encode_port(struct hs_encoder *encoder, const struct hs_block *b,
                                          uint8_t *out, size_t cap, size_t *len);
enum hs_status protocol_tacit_encode_end(struct hs_encoder *encoder, uint8_t *out, size_t cap,
                                         size_t *len);
unsigned protocol_tacit_counts(const struct codec_tally *t, struct hs_message_count *out,
                               unsigned cap);
void protocol_tacit_diag(const struct hs_decoder *decoder, enum hs_status s,
                         struct hs_fault *fault);
void protocol_tacit_where(const struct hs_reader *reader, struct hs_message *m);
void protocol_tacit_describe(const struct tacit_msg *msg, struct hs_message *m);
extern const struct codec_machine protocol_tacit_decoder, protocol_tacit_reader;
extern const struct codec_lint_kind protocol_tacit_lint;

enum hs_status protocol_tacit_decoder_new(struct hs_decoder **decoder, const void *config,
                                          const struct hs_image *image,
                                          const struct hs_image_set *set, bool memo);

#endif
