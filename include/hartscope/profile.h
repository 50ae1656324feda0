/* Counting: how much ran, and in which functions.
 *
 * Cost is per block: distinct blocks are counted in a table, and only the table is
 * expanded to instructions and functions.
 */
#ifndef HARTSCOPE_PROFILE_H
#define HARTSCOPE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/block.h>
#include <hartscope/error.h>
#include <hartscope/program.h>

#ifdef __cplusplus
extern "C" {
#endif

struct hs_profile;

/** Totals of a flow. */
struct hs_profile_totals {
	uint64_t instructions; /**< retired */
	uint64_t halfwords;    /**< retired */
	uint64_t blocks;
	uint64_t itypes[16];   /**< blocks by itype; 1 and 2 are the traps */
	uint64_t events[16];   /**< events by enum hs_kind */
	uint64_t unmapped;     /**< blocks whose code is not known: their instructions are missing */
	uint64_t distinct;     /**< different blocks seen */
};

/** A function and what ran in it. */
struct hs_profile_function {
	const char *name; /**< NULL: no symbol covers these instructions */
	uint64_t start;
	uint64_t instructions;
	uint64_t entries; /**< blocks that begin with its first instruction */
};

/**
 * @param program   Code and names; kept.
 * @param programs  The programs of contexts, or NULL; kept.
 * @retval HS_OK
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_profile_new(struct hs_program *program,
                                     const struct hs_program_set *programs,
                                     struct hs_profile **profile);
HS_API void hs_profile_free(struct hs_profile *profile); /**< NULL is allowed */

/** Count blocks and events. @retval HS_OK @retval HS_E_MEMORY */
HS_API enum hs_status hs_profile_add(struct hs_profile *profile, const struct hs_block *blocks,
                                     size_t n);

/**
 * Totals and functions so far, the hottest first.
 * @param[out] functions  Valid until the next call with @profile.
 * @retval HS_OK @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_profile_result(struct hs_profile *profile,
                                        struct hs_profile_totals *totals,
                                        const struct hs_profile_function **functions,
                                        size_t *count);

#ifdef __cplusplus
}
#endif
#endif
