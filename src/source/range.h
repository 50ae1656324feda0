/* A part of a run: which of its items belong to it. */
#ifndef HS_RANGE_RANGE_H
#define HS_RANGE_RANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/source.h>

/**
 * Start a range.
 * @retval HS_OK
 * @retval HS_E_CONFIG  No program; members that this library lacks.
 * @retval HS_E_MEMORY
 */
enum hs_status hs_range_new(const struct hs_range_options *options, struct hs_range **range);
void hs_range_free(struct hs_range *range); /**< NULL is allowed */

/** Start again, @before instructions after the start of the flow.  At a place after that start only
 * numbers, times and bytes are positions that will be found. */
void hs_range_restart(struct hs_range *range, uint64_t before);

/** The items that come next were decoded from bytes before this offset of a trace. */
void hs_range_set_byte(struct hs_range *range, uint64_t offset);

/**
 * Give out what belongs to the range.
 * @param in, n       Blocks and events, in order.
 * @param[out] used   Entries taken.
 * @param out, cap    Room for at least one entry.
 * @param[out] count  Entries written.
 * @retval HS_OK    All were taken.
 * @retval HS_FULL  Call again with in + *used and room.
 * @retval HS_END   The range has ended: nothing that may follow belongs to it.
 * @retval HS_E_MEMORY
 */
enum hs_status hs_range_take(struct hs_range *range, const struct hs_block *in, size_t n,
                             size_t *used, struct hs_block *out, size_t cap, size_t *count);

/** The flow has ended: call hs_range_take() without items until it does not return HS_FULL. */
void hs_range_end(struct hs_range *range);

/**
 * Was there what was asked for?  After the flow has ended.
 * @retval HS_OK
 * @retval HS_E_NOTHING  A position was not reached, or nothing ran of the function: @error says
 *                       which, and the names that are nearest to it.
 */
enum hs_status hs_range_check(const struct hs_range *range, struct hs_error *error);

/** What was found so far. */
void hs_range_get_found(const struct hs_range *range, struct hs_range_found *found);
/** The same of one hart, whose instructions are counted from 0.  False: it has none. */
bool hs_range_get_hart(const struct hs_range *range, uint32_t hart, struct hs_range_found *found);

#endif
