/* Tallies: how often each block came after which, and each event.  What a profile and calls need of
 * a flow, as sums: those of the parts of a trace, added in their order, are that of the trace.
 *
 * Threads: a tally belongs to one thread at a time.
 */
#ifndef HARTSCOPE_TALLY_H
#define HARTSCOPE_TALLY_H

#include <stddef.h>
#include <stdint.h>

#include <hartscope/block.h>
#include <hartscope/counts.h>
#include <hartscope/status.h>

#ifdef __cplusplus
extern "C" {
#endif

struct hs_tally;

/** How far a hart's items go. */
struct hs_tally_hart {
	uint32_t number;
	uint64_t items; /**< blocks and gaps */
	uint64_t traps; /**< HS_KIND_TRAP after the last of them */
};

/**
 * Start a tally.
 * @param programs  The programs of contexts, or NULL; kept.
 * @retval HS_OK
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_tally_new(const struct hs_program_set *programs, struct hs_tally **tally);
HS_API void hs_tally_free(struct hs_tally *tally); /**< NULL is allowed */

/** What was before the first item, as hs_source_slice_lead() gives it; not counted.
 * Results as hs_tally_add(). */
HS_API enum hs_status hs_tally_lead(struct hs_tally *tally, const struct hs_block *items, size_t n);

/**
 * Count items.
 * @retval HS_OK
 * @retval HS_E_MEMORY       Only free it now.
 * @retval HS_E_UNSUPPORTED  Items of a fast profile, or a context that has no program where others
 *                           have: what they mean depends on more than what came before.
 */
HS_API enum hs_status hs_tally_add(struct hs_tally *tally, const struct hs_block *items, size_t n);

/** The harts, in the order in which they came; valid until the next call with @tally. */
HS_API const struct hs_tally_hart *hs_tally_harts(const struct hs_tally *tally, size_t *count);

/** A tally as bytes (docs/part-files.md): how many, and write them. */
HS_API size_t hs_tally_size(const struct hs_tally *tally);
HS_API void hs_tally_write(const struct hs_tally *tally, uint8_t *out);

/**
 * Add the tally of the next part.
 * @param bytes  As hs_tally_write() wrote them; from anywhere.
 * @retval HS_OK
 * @retval HS_E_FORMAT  They are not a tally; nothing was added.
 * @retval HS_E_MEMORY  Only free it now.
 */
HS_API enum hs_status hs_tally_merge(struct hs_tally *tally, const struct hs_span *bytes);

/**
 * Give all that was counted to new counts, which need no order.
 * @retval HS_OK
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_tally_apply(const struct hs_tally *tally, struct hs_counts *counts);

#ifdef __cplusplus
}
#endif
#endif
