/* Which part of an execution is traced: comparators and filters between the ingress port and
 * an encoder, of any protocol.  qualifier_config.h has the comparators and filters.
 *
 * Nothing here allocates.  One qualifier belongs to one hart and to one thread at a time; different
 * ones may be used on different threads at once.
 */
#ifndef HARTSCOPE_QUALIFIER_H
#define HARTSCOPE_QUALIFIER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/block.h>
#include <hartscope/image.h>
#include <hartscope/private/qualifier.h>
#include <hartscope/qualifier_config.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Entries of output that a call needs at least.  Where there are filters of data, accesses wait in
 * the qualifier for the block of their instruction. */
#define HS_QUALIFIER_ROOM 16

/**
 * Start a qualifier.
 *
 * @param config  What is traced; copied.
 * @param image   The code, to find the instructions of a block where a comparator's result changes
 *                inside it; kept.  NULL: the first address of a block decides for all of it.
 * @retval HS_OK
 * @retval HS_E_CONFIG  A number is out of its range; the size is wrong, or bytes past the struct
 *                      are not zero.
 */
HS_API enum hs_status hs_qualifier_init(struct hs_qualifier *q,
                                        const struct hs_qualifier_config *config,
                                        const struct hs_image *image);

/** Say which hart the blocks are of, for filters by hart; events (HS_KIND_HART) do the same. */
HS_API void hs_qualifier_set_hart(struct hs_qualifier *q, uint32_t hart);

/** Actions of the debug module's triggers (mcontrol action; E-Trace 4.1). */
enum hs_trigger { HS_TRIGGER_ON = 2, HS_TRIGGER_OFF = 3, HS_TRIGGER_NOTIFY = 4 };

/** A trigger fired: from the next block on trace is on, or off, or a watchpoint is reported.  The
 * notes of a port (HS_NOTE_TRIGGER, HS_NOTE_USER in block.h) do the same at their place, and are
 * not passed on. */
HS_API void hs_qualifier_trigger(struct hs_qualifier *q, enum hs_trigger action);

/**
 * Let through what is traced.  Where trace goes off, HS_KIND_STOP follows with EVCODE 4
 * (NT Table 23); where it goes on again, the next block follows without an event.
 *
 * @param in, n       Blocks and events of one hart, in order; HS_KIND_TRAP has the causes.
 * @param[out] used   Entries taken.
 * @param out, cap    Room for at least HS_QUALIFIER_ROOM entries.
 * @param[out] count  Entries written.
 * @retval HS_OK      All were taken.
 * @retval HS_FULL    Call again with in + *used and more room; part of a block may be done.
 * @retval HS_E_SPACE cap is below HS_QUALIFIER_ROOM.
 */
HS_API enum hs_status hs_qualify(struct hs_qualifier *q, const struct hs_block *in, size_t n,
                                 size_t *used, struct hs_block *out, size_t cap, size_t *count);

#ifdef __cplusplus
}
#endif
#endif
