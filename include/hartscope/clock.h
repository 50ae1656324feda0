/* A clock for flows that have no time: cycles by a simple model (ADR-0064).
 *
 * Recorders of emulators know the order of instructions, not when they retired.  The clock counts
 * each instruction with as many cycles as its kind takes, by default one, and puts the cycle in
 * which the last instruction of a block retires before the block, as HS_KIND_TIME.  A flow that
 * has times of its own keeps them.
 *
 * Threads: a clock belongs to one thread at a time.  Two clocks share nothing but the image.
 */
#ifndef HARTSCOPE_CLOCK_H
#define HARTSCOPE_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/block.h>
#include <hartscope/image.h>
#include <hartscope/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What an instruction is to the clock: rows of clock_kinds.def. */
enum hs_clock_kind {
#define HS_CLOCK_KIND(id, name, what) HS_CLOCK_##id,
#include <hartscope/tables/clock_kinds.def>
#undef HS_CLOCK_KIND
	HS_CLOCK_KINDS
};

/** Cycles by kind.  0 is what HS_CLOCK_INSTRUCTION takes, for that one 1, for HS_CLOCK_TRAP 0. */
struct hs_clock_config {
	uint32_t size;                   /**< sizeof(struct hs_clock_config) */
	uint16_t cycles[HS_CLOCK_KINDS]; /**< by enum hs_clock_kind */
};

/** Name of a kind, such as "load", and what it is; "?" if there is none. */
HS_API const char *hs_clock_kind_name(unsigned kind);
HS_API const char *hs_clock_kind_text(unsigned kind);

/** Cycles of a block that ran before.  Private. */
struct hs_clock_entry {
	uint64_t iaddr;
	uint32_t key, cycles;
};

#define HS_CLOCK_CACHE 8192 /**< a power of two */

/** The clock of one hart. */
struct hs_clock {
	uint64_t time; /**< the last time that came out */
	/* Private: */
	const struct hs_image *image;
	uint16_t cycles[HS_CLOCK_KINDS];
	bool has_time; /* the flow has times of its own */
	struct hs_clock_entry cache[HS_CLOCK_CACHE];
};

/**
 * Start at time 0.
 * @param config  NULL: each instruction takes a cycle.
 * @param image   The code; kept.  Where it has none, two half-words count as an instruction.
 * @retval HS_OK
 * @retval HS_E_CONFIG  config->size is not right, or unknown members are not zero.
 */
HS_API enum hs_status hs_clock_init(struct hs_clock *c, const struct hs_clock_config *config,
                                    const struct hs_image *image);

/**
 * Copy blocks and events of one hart, with a HS_KIND_TIME (itype HS_CLOCK_TIME) before each block:
 * the cycle in which its last instruction retires.  After a HS_KIND_TIME in @in there are no others
 * than those of @in.
 * @param[out] used   Items taken.
 * @param cap         At least 2.
 * @param[out] count  Items written.
 * @retval HS_OK    All were taken.
 * @retval HS_FULL  Call again with in + used and more room.
 */
HS_API enum hs_status hs_clock_run(struct hs_clock *c, const struct hs_block *in, size_t n,
                                   size_t *used, struct hs_block *out, size_t cap, size_t *count);

#ifdef __cplusplus
}
#endif
#endif
