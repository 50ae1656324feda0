/* TACIT to retired blocks. */
#ifndef HS_TACIT_TACIT_DECODER_H
#define HS_TACIT_TACIT_DECODER_H

#include <hartscope/block.h>
#include <hartscope/image.h>
#include <hartscope/memo.h>
#include <hartscope/status.h>

#include "tacit/predictor.h"
#include "tacit/tacit_reader.h"

/** Entries of output that one call of the decoder needs at least. */
#define TACIT_DECODE_ROOM 12u

/** The hart of a stream: a stream has one. */
struct tacit_source {
	struct hs_track track;
	struct hs_jumps jumps; /* of the current message */
	uint64_t context;
	uint64_t last; /* address of the instruction that the last message was about */
	uint64_t left; /* branches of the current message that are still to be followed */
	bool begun;    /* left counts */
	bool predicts;
	bool learned; /* what the predictor knows is what the encoder's does */
	struct tacit_predictor predictor;
};

/** What a decoder found wrong. */
struct tacit_diag {
	enum hs_reason reason;
	uint64_t pc; /* where the walk stood */
	struct tacit_msg msg;
};

struct tacit_decoder {
	uint64_t messages[TACIT_CODES], bytes[TACIT_CODES], skipped, errors;
	/* Private: */
	struct tacit_config config;
	struct tacit_reader reader;
	struct tacit_msg msg;
	struct tacit_diag diag;
	struct hs_stream stream;
	struct tacit_source *sources; /* one */
};

/** @param source  Memory of one; kept, as @table is.
 * @retval HS_OK
 * @retval HS_E_CONFIG  As tacit_config_check(). */
enum hs_status tacit_decoder_init(struct tacit_decoder *d, const struct tacit_config *config,
                                  struct hs_bb_table *table, struct tacit_source *source);

/** Programs of contexts, a limit, before the first bytes.  A memo is not used. */
void tacit_decoder_set(struct tacit_decoder *d, const struct hs_decoder_options *o);

/** Part of the stream is missing before the next byte. */
void tacit_decoder_lose(struct tacit_decoder *d);

/** Do two states of the source stand alike, but for their tables and times? */
bool tacit_source_same(const struct tacit_source *a, const struct tacit_source *b);

/** As hs_decode() and hs_decode_end(). */
enum hs_status tacit_decode(struct tacit_decoder *d, struct hs_span *in, struct hs_block *out,
                            size_t cap, size_t *n);
enum hs_status tacit_decode_end(struct tacit_decoder *d, struct hs_block *out, size_t cap,
                                size_t *n);

#endif
