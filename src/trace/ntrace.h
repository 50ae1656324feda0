/* Pieces of N-Trace's row in the table of protocols. */
#ifndef HS_TRACE_NTRACE_H
#define HS_TRACE_NTRACE_H

#include <hartscope/ntrace.h>

#include "trace/codec.h"
#include "trace/lint.h"

/* The library's configuration, and what a decoder is given on top. */
struct ntrace_config {
	struct hs_nt_config nt;
	uint64_t message_blocks; /* 0: HS_MESSAGE_BLOCKS */
};

struct nt_decoder {
	struct hs_decoder common;
	struct hs_nt_decoder nt;
};

/* A message, ready to be shown. */
void protocol_nt_describe(const struct hs_nt_msg *nt, unsigned dialect, struct hs_message *m,
                          bool with_source);

/* ntrace_encoder.c, ntrace_decoder.c, ntrace_reader.c, ntrace_lint.c: as struct codec has them. */
enum hs_status protocol_nt_encoder_new(struct hs_encoder **encoder, const void *config);
enum hs_status protocol_nt_encode(struct hs_encoder *encoder, const struct hs_block *in, size_t n,
                                  size_t *used, uint8_t *out, size_t cap, size_t *len);
enum hs_status protocol_nt_encode_port(struct hs_encoder *encoder, const struct hs_block *b,
                                       uint8_t *out, size_t cap, size_t *len);
enum hs_status protocol_nt_encode_end(struct hs_encoder *encoder, uint8_t *out, size_t cap,
                                      size_t *len);
unsigned protocol_nt_counts(const struct codec_tally *t, struct hs_message_count *out,
                            unsigned cap);
void protocol_nt_diag(const struct hs_decoder *decoder, enum hs_status s, struct hs_fault *fault);
void protocol_nt_where(const struct hs_reader *reader, struct hs_message *m);
extern const struct codec_machine protocol_nt_decoder, protocol_nt_reader;
extern const struct codec_lint_kind protocol_nt_lint;

/* A decoder; @memo: it remembers messages, and takes what the parameters say to it. */
enum hs_status protocol_nt_decoder_new(struct hs_decoder **decoder, const void *config,
                                       const struct hs_image *image, const struct hs_image_set *set,
                                       bool memo);

#endif
