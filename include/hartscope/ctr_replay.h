/* From blocks to CTR: what the control transfer records of each hart hold after a flow.
 *
 * Blocks and events go in, in order; the model (ctr.h) makes records of them.  A transfer is made
 * when the block that it leads to arrives, so that after each block the records are those that the
 * hart has before that block's first instruction.
 *
 * SCTRCLR in the code takes effect where it retires.  So do writes of CTR's CSRs, in a flow with
 * data accesses (block.h): of a recording with data, of data trace, or of a stream that the caller
 * makes.  Without accesses, all writes are left out.  A fast profile (HS_KIND_TARGET with
 * HS_KIND_SOURCE) has calls, returns, swaps, trap returns, and the exceptions of ecall and ebreak
 * (ADR-0086).
 *
 * A user-mode recording has no supervisor.  A trap from U or VU that leads to U or VU again was
 * handled by a mode that is not in the flow, and that mode counts as not enabled (ADR-0021).
 *
 * Threads: calls for different replays may run at once if their programs differ too; a replay is
 * used by one thread at a time.
 */
#ifndef HARTSCOPE_CTR_REPLAY_H
#define HARTSCOPE_CTR_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/block.h>
#include <hartscope/ctr.h>
#include <hartscope/error.h>
#include <hartscope/program.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What counts as a cycle. */
enum hs_ctr_cycles {
	HS_CTR_CYCLES_OFF = 0,          /**< not known: CCV=0 */
	HS_CTR_CYCLES_INSTRUCTIONS = 1, /**< each instruction takes one */
	HS_CTR_CYCLES_TIME = 2,         /**< timestamps of the flow are cycles */
	HS_CTR_CYCLES_COUNTS = 3        /**< those that the flow counts (HS_KIND_CYCLES) */
};

/** Which transfers count as mispredicted (ctrtarget.MISP). */
enum hs_ctr_misp {
	HS_CTR_MISP_UNKNOWN = 0, /**< the harts have no MISP */
	HS_CTR_MISP_BIMODAL = 1, /**< by a predictor for each hart (ctr.h), with its
	                              default sizes */
	HS_CTR_MISP_GSHARE = 2,
	HS_CTR_MISP_CALLER = 3 /**< by hs_ctr_replay_set_predictor() */
};

/** What the supervisor does with the records when the context changes (HS_KIND_CONTEXT). */
enum hs_ctr_contexts {
	HS_CTR_CONTEXTS_KEEP = 0,  /**< nothing: they are those of the hart */
	HS_CTR_CONTEXTS_CLEAR = 1, /**< it clears them */
	HS_CTR_CONTEXTS_SWAP = 2   /**< it saves them, and restores those of the new context */
};

/** How software set CTR up before the first instruction.  Zero is the default of each member: 1.0
 * with 32 entries, every mode enabled, no filter, no cycles. */
struct hs_ctr_settings {
	uint32_t size;        /**< sizeof(struct hs_ctr_settings) */
	uint16_t version;     /**< enum hs_ctr_version */
	uint16_t depth;       /**< entries in use: 16, 32, 64, 128 or 256; 0: 32.  Harts have
	                           every depth */
	uint16_t options;     /**< enum hs_ctr_option */
	uint16_t disabled;    /**< modes that are not enabled; bit: enum hs_priv */
	uint16_t cc_bits;     /**< width of CC, 12..16; 0: 16 */
	uint8_t cycles;       /**< enum hs_ctr_cycles */
	uint8_t unknown_priv; /**< mode of blocks where neither they nor a context event say which:
	                           enum hs_priv; 0: U */
	uint64_t control;     /**< fields where mctrctl of 1.0 has them, without M, S and U; ETEN is
	                           bit 38 */
	uint64_t vs_control;  /**< the same of vsctrctl; STE is that of VS */
	uint8_t misp;         /**< enum hs_ctr_misp */
	uint8_t contexts;     /**< enum hs_ctr_contexts */
};

/**
 * Set one by name: version (0.1.4, 1.0), depth (16..256), mode (U, S, M), cycles (off,
 * instructions, time, counts), cce (exponent bits of CC, 0..4), predictor (off, bimodal, gshare),
 * contexts (keep, clear, swap); fields of the control register of either version, which are set in
 * both registers except for M, S, U, MTE and STE; VS, VU and VSTE; type6, v-as-1.0, freeze-as-1.0,
 * ras-no-cc (ADR-0016).  Fields and the last four take 0 or 1.
 * @retval HS_OK
 * @retval HS_E_CONFIG  No such name, or not a value of it: @error lists them.  Or @s->size.
 */
HS_API enum hs_status hs_ctr_settings_set(struct hs_ctr_settings *s, const char *name,
                                          const char *value, struct hs_error *error);

/**
 * Make a hart's CTR as software left it.
 * @param xlen  32 or 64.
 * @retval HS_OK
 * @retval HS_E_CONFIG  The version has no such field or option, or RV32 no way to set it; a member
 *                      is out of its range; @s->size.
 */
HS_API enum hs_status hs_ctr_settings_make(const struct hs_ctr_settings *s, unsigned xlen,
                                           struct hs_ctr *ctr, struct hs_error *error);

struct hs_ctr_replay;

/** A hart after its last block arrived: what it is about to execute, and what it holds before. */
struct hs_ctr_replay_hart {
	uint32_t hart;              /**< as in HS_KIND_HART */
	struct hs_program *program; /**< of its context */
	const struct hs_image *image; /**< the code of @block */
	struct hs_block block;      /**< the last block, with the mode that it counts as; iretire 0
	                                 before the first */
	uint64_t retired;           /**< instructions before that block */
	uint64_t instructions;      /**< of that block */
	uint64_t transfers;         /**< given to the model, traps and returns included */
	uint64_t lost;              /**< not given to it: their target is not in the flow */
	/**< blocks whose code is not known: type by itype, not counted */
	uint64_t unmapped;
	uint64_t unknown_writes;    /**< of CTR's CSRs, left out: the flow lacks their values */
	uint64_t context;           /**< of the last HS_KIND_CONTEXT, if @has_context */
	bool has_context;
	struct hs_ctr ctr;
};

/**
 * @param s         Copied.
 * @param program   Code of the blocks; kept.
 * @param programs  The programs of contexts, or NULL; kept.
 * @retval HS_OK
 * @retval HS_E_CONFIG  As hs_ctr_settings_make().
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_ctr_replay_new(const struct hs_ctr_settings *s, struct hs_program *program,
                                        const struct hs_program_set *programs,
                                        struct hs_ctr_replay **replay, struct hs_error *error);
HS_API void hs_ctr_replay_free(struct hs_ctr_replay *r); /**< NULL is allowed */

/** Was @t, a transfer within a mode of hart @hart, mispredicted? */
typedef bool (*hs_ctr_missed_fn)(void *context, uint32_t hart, const struct hs_ctr_transfer *t);

/** Use a predictor of the caller, for settings with HS_CTR_MISP_CALLER.  It is asked once for each
 * transfer within a mode, in their order, recorded or not.  NULL: nothing is mispredicted. */
HS_API void hs_ctr_replay_set_predictor(struct hs_ctr_replay *r, hs_ctr_missed_fn missed,
                                        void *context);

/** Replay a block or event.
 * @retval HS_OK
 * @retval HS_E_MEMORY       Also: more than 65536 contexts of a hart whose records are swapped.
 * @retval HS_E_UNSUPPORTED  More than 4096 harts. */
HS_API enum hs_status hs_ctr_replay_add(struct hs_ctr_replay *r, const struct hs_block *b);

/** The flow ends: each hart's last transfer is made if its target is known. */
HS_API void hs_ctr_replay_end(struct hs_ctr_replay *r);

/** The hart of the last block or event; NULL before the first.  Valid until the next
 * hs_ctr_replay_add(). */
HS_API const struct hs_ctr_replay_hart *hs_ctr_replay_now(const struct hs_ctr_replay *r);

/** The harts in the order in which they appeared; NULL past the last. */
HS_API const struct hs_ctr_replay_hart *hs_ctr_replay_at(const struct hs_ctr_replay *r,
                                                         size_t index);

/**
 * A hart's CTR when @n instructions of its last block retired, if the block changes CTR before its
 * end (SCTRCLR, CSR writes).
 * @param h     As hs_ctr_replay_now() or hs_ctr_replay_at() gave it, not a copy.
 * @param room  Written only if it differs from h->ctr.
 * @return  &h->ctr or @room.
 */
HS_API const struct hs_ctr *hs_ctr_replay_within(const struct hs_ctr_replay_hart *h, uint64_t n,
                                                 struct hs_ctr *room);

/** Move @pc, the address of an instruction of a hart's last block, @n instructions forward.
 * @retval HS_OK
 * @retval HS_E_ARG     That is not in the block.
 * @retval HS_E_NOCODE  Its code is not known. */
HS_API enum hs_status hs_ctr_replay_step(const struct hs_ctr_replay_hart *h, uint64_t *pc,
                                         uint64_t n);

#ifdef __cplusplus
}
#endif
#endif
