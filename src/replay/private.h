/* State of a replay, shared by the files of this room. */
#ifndef HS_REPLAY_PRIVATE_H
#define HS_REPLAY_PRIVATE_H

#include <hartscope/ctr_replay.h>

#include "program/select.h"

#define REPLAY_CACHE 16384u /* decoded blocks that are kept; a power of two */

/* What the code of a block contains. */
struct replay_code {
	uint64_t iaddr;
	uint64_t last, target;        /* of its last instruction; target 0: not in the code */
	const struct hs_program *program;
	uint32_t iretire;             /* 0: the slot is free */
	uint32_t instructions;        /* 0: the code is not known */
	uint32_t cleared;             /* instructions up to the last SCTRCLR; 0: there is none */
	uint8_t kind;                 /* enum hs_insn_kind of the last instruction */
	uint8_t type;                 /* its enum hs_ctr_type; a branch: that of a taken one */
};

/* A hart.  Its last block is pending until the next one shows where it led. */
struct replay_track {
	struct hs_ctr_replay_hart hart;
	struct hs_block block;
	struct replay_code code; /* of @block */
	uint64_t time;
	uint32_t cause;
	bool pending, have_cause, have_time;
	uint8_t mode;         /* of @block */
	uint8_t context_mode; /* by the last context event, for blocks without a mode */
	struct hs_ctr_predictor *predictor; /* of HS_CTR_MISP_BIMODAL and _GSHARE, else NULL */
};

struct hs_ctr_replay {
	struct hs_ctr_settings settings;
	struct hs_ctr start;
	struct program_select select;
	struct replay_track **harts; /* by select.index */
	size_t count;
	hs_ctr_missed_fn missed; /* of HS_CTR_MISP_CALLER; may be NULL */
	void *context;           /* of @missed */
	struct replay_code cache[REPLAY_CACHE];
};

/* code.c */
const struct replay_code *replay_code_of(struct hs_ctr_replay *r, const struct hs_program *program,
                                         const struct hs_block *b);

/* transfer.c */

/* Mode of a block that comes now: its own, that of the last context event, or the setting. */
uint8_t replay_mode(const struct hs_ctr_replay *r, const struct replay_track *t,
                    const struct hs_block *b);

/* Make the transfer at the end of @t->block; @next is NULL if the flow does not say what came. */
void replay_transfer(struct hs_ctr_replay *r, struct replay_track *t, const struct hs_block *next);

#endif
