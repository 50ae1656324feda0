/* Retired blocks to TACIT. */
#ifndef HS_TACIT_TACIT_ENCODER_H
#define HS_TACIT_TACIT_ENCODER_H

#include <hartscope/block.h>

#include "tacit/predictor.h"
#include "tacit/tacit_message.h"

/** Room that a block or event may need: three messages. */
#define TACIT_ENCODE_ROOM 128u

struct tacit_encoder {
	uint64_t messages[TACIT_CODES];
	/* Private: */
	struct tacit_config config;
	struct tacit_predictor predictor;
	struct tacit_msg waiting; /* for the address of the next block; code TACIT_CODES: none */
	uint64_t from;            /* of it: address of the jump, or where the trap struck */
	uint64_t time, sent, event_time; /* now; of the last message with one; of what waits */
	uint64_t last;                   /* the last instruction that retired */
	uint64_t said;                   /* that of the last message about one */
	uint64_t context;
	uint64_t hits;
	uint32_t since; /* messages since the last synchronisation */
	uint8_t priv;
	bool running;
	bool retired;  /* something, since the trace began */
	bool reported; /* a message was about the last instruction that retired */
	bool calls;    /* what waits is an ecall or ebreak */
};

/** @retval HS_OK
 * @retval HS_E_CONFIG  As tacit_config_check(). */
enum hs_status tacit_encoder_init(struct tacit_encoder *e, const struct tacit_config *config);

/** Encode blocks.  Events: HS_KIND_TIME, HS_KIND_CONTEXT; HS_KIND_STOP, HS_KIND_GAP and a note that
 * blocks were left out end the trace, and the next block starts it again.  Others are skipped.
 * Results are those of hs_encoder_put(); HS_E_BLOCK: also an address that address_bits cannot
 * say. */
enum hs_status tacit_encode(struct tacit_encoder *e, const struct hs_block *in, size_t n,
                            size_t *used, uint8_t *out, size_t cap, size_t *len);

/** The same of one block where @cap may be small.  HS_FULL: there may be no room; nothing was
 * taken. */
enum hs_status tacit_encode_port(struct tacit_encoder *e, const struct hs_block *b, uint8_t *out,
                                 size_t cap, size_t *len);

/** The last message. */
enum hs_status tacit_encode_end(struct tacit_encoder *e, uint8_t *out, size_t cap, size_t *len);

#endif
