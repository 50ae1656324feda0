/* Classic branch predictors: which transfers a hart would have mispredicted (ctrtarget.MISP).
 *
 * A flow says where the hart went, not what it expected.  A predictor that sees every transfer of a
 * hart in order says of each whether it would have been mispredicted (ADR-0085):
 *
 *   branch              two-bit counters, by address (bimodal), or by address and the directions
 *                       of the branches before (gshare)
 *   indirect jump, call the target that this instruction had last
 *   return              a stack of calls; a co-routine swap pops, then pushes
 *   direct jump, call   never mispredicted: the target is in the code
 *   trap, trap return   not predicted: the text's MISP is of predictions
 *
 * Nothing here allocates: struct hs_ctr_predictor is plain data.
 *
 * Threads: a predictor belongs to one thread at a time.  Two share nothing.
 */
#ifndef HARTSCOPE_CTR_PREDICTOR_H
#define HARTSCOPE_CTR_PREDICTOR_H

#include <stdbool.h>
#include <stdint.h>

#include <hartscope/ctr.h>
#include <hartscope/status.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HS_CTR_COUNTER_BITS 14u /**< most bits of an index of counters */
#define HS_CTR_TARGET_BITS 10u  /**< most bits of an index of targets */
#define HS_CTR_CALLS 64u        /**< most calls on the stack */

/** How the direction of a branch is predicted. */
enum hs_ctr_direction {
	HS_CTR_BIMODAL = 0, /**< counter: address */
	HS_CTR_GSHARE = 1   /**< counter: address exclusive or the last directions, 1: taken */
};

/** Sizes.  Zero is the default of each member. */
struct hs_ctr_predictor_config {
	uint32_t size;        /**< sizeof(struct hs_ctr_predictor_config) */
	uint8_t direction;    /**< enum hs_ctr_direction */
	uint8_t counter_bits; /**< 2^n counters, 1..14; 0: 12 */
	uint8_t history_bits; /**< gshare: branches remembered, 1..counter_bits; 0: as many */
	uint8_t target_bits;  /**< 2^n targets of indirect jumps, 1..10; 0: 9 */
	uint8_t calls;        /**< on the stack, 1..64; 0: 16 */
};

/** The target that an instruction had last. */
struct hs_ctr_last_target {
	uint64_t source, target;
	bool known;
};

/** A predictor.  Its members are private, and here because the caller owns the memory. */
struct hs_ctr_predictor {
	/* Private: */
	struct hs_ctr_predictor_config config;
	uint32_t history; /* the last branch in bit 0 */
	uint8_t top, used; /* of the stack: where the next call goes, how many there are */
	uint8_t counters[1u << (HS_CTR_COUNTER_BITS - 2)]; /* four in a byte */
	uint64_t calls[HS_CTR_CALLS];                      /* their addresses */
	struct hs_ctr_last_target targets[1u << HS_CTR_TARGET_BITS];
};

/**
 * Start a predictor that has seen nothing: every counter is weakly not taken.
 * @retval HS_OK
 * @retval HS_E_CONFIG  No such direction, a size above its limit, more history than counters have
 *                      bits; @config->size.  @p is as it was.
 */
HS_API enum hs_status hs_ctr_predictor_init(struct hs_ctr_predictor *p,
                                            const struct hs_ctr_predictor_config *config);

/**
 * Was a transfer mispredicted?  Learns from it.
 * @param t  The next transfer of the hart, recorded or not.  A return counts as predicted if it
 *           leads to 2 or 4 bytes after the call, as a transfer does not say how long it was.
 */
HS_API bool hs_ctr_predictor_missed(struct hs_ctr_predictor *p, const struct hs_ctr_transfer *t);

#ifdef __cplusplus
}
#endif
#endif
