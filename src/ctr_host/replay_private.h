/* State of a replay, shared by the files of this room. */
#ifndef HS_REPLAY_PRIVATE_H
#define HS_REPLAY_PRIVATE_H

#include <hartscope/block.h>

#include "ctr_host/ctr_host.h"
#include "program/select.h"

#define REPLAY_CACHE 16384u /* decoded blocks that are kept; a power of two */
#define REPLAY_ACCESSES 32u
#define REPLAY_CAUSE_BREAKPOINT 3u

struct replay_context; /* contexts.c */

/* What the code of a block contains. */
struct replay_code {
	uint64_t iaddr;
	uint64_t last, target; /* of its last instruction; target 0: not in the code */
	const struct hs_program *program;
	uint64_t number;       /* of the code (code_view.h) */
	uint32_t iretire;      /* 0: the slot is free */
	uint32_t instructions; /* 0: the code is not known */
	uint8_t kind;          /* enum hs_insn_kind of the last instruction */
	uint8_t type;          /* its enum hs_ctr_type; a branch: that of a taken one */
	bool changes;          /* it has SCTRCLR, or instructions that access CTR's CSRs */
};

/* Accesses of CTR's CSRs whose instructions did not retire yet, the oldest first. */
struct replay_accesses {
	struct hs_access v[REPLAY_ACCESSES];
	unsigned n;
	struct hs_access_reader reader;
};

/* A hart.  Its last block is pending until the next one shows where it led. */
struct replay_track {
	struct hs_ctr_replay_hart hart;
	struct hs_block block;
	struct replay_code code; /* of @block */
	uint64_t time;           /* up to which cycles were counted */
	uint64_t next_time;      /* with @have_next: at the end of the next block */
	uint64_t source;         /* with @have_source: of the next target of a fast profile */
	uint32_t cause;
	bool pending, have_cause, have_time, have_next, have_source;
	bool has_accesses;    /* the flow has data accesses */
	uint8_t mode;         /* of @block */
	uint8_t context_mode; /* by the last context event, for blocks without a mode */
	struct hs_ctr_predictor *predictor; /* of HS_CTR_MISP_BIMODAL and _GSHARE, else NULL */
	struct hs_ctr_env env;              /* its selectors */
	struct replay_context **contexts;   /* of HS_CTR_CONTEXTS_SWAP */
	size_t context_count;
	uint64_t from_context;      /* with @switches and @had_context: of the pending block */
	bool had_context, switches; /* @switches: the next block has another context */
	struct replay_accesses accesses;
	struct {
		struct hs_block *changes; /* HS_KIND_VERSION of the next block */
		size_t change_count, change_room;
	} code_changes;
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
/* The code of a block that begins, whose code is in @t->hart.image and has @number. */
const struct replay_code *replay_code_of(struct hs_ctr_replay *r, const struct replay_track *t,
                                         const struct hs_block *b, uint64_t number);

/* The bits of an instruction of two half-words. */
uint32_t replay_bits(const struct hs_image *image, uint64_t at);

/* csr.c */

/* Is an instruction SCTRCLR, or does it access a CSR of CTR or a selector? */
bool replay_changes(enum hs_ctr_version version, uint32_t bits);

/* Keep an item of a data access until its instruction retires. */
void replay_access(const struct hs_ctr_replay *r, struct replay_track *t, const struct hs_block *b);

/* Run the first @n instructions of @t->block, which changes CTR; each takes @cycles. */
void replay_run(struct replay_track *t, uint64_t n, unsigned cycles);

/* contexts.c */

/* The next block begins, and may have another context. */
enum hs_status replay_switch(const struct hs_ctr_replay *r, struct replay_track *t);
void replay_free_contexts(struct replay_track *t);

/* targets.c */

/* HS_KIND_TARGET of a fast profile. */
void replay_target(struct hs_ctr_replay *r, struct replay_track *t, const struct hs_block *b);

/* transfer.c */

/* Was @made, a transfer within a mode, mispredicted? */
bool replay_missed(const struct hs_ctr_replay *r, const struct replay_track *t,
                   const struct hs_ctr_transfer *made);

/* Mode of a block that comes now: its own, that of the last context event, or the setting. */
uint8_t replay_mode(const struct hs_ctr_replay *r, const struct replay_track *t,
                    const struct hs_block *b);

/* Make the transfer at the end of @t->block; @next is NULL if the flow does not say what came. */
void replay_transfer(struct hs_ctr_replay *r, struct replay_track *t, const struct hs_block *next);

#endif
