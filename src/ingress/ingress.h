/* The ingress port and its filters, for the other rooms: each file of this one includes what it needs. */
#ifndef HS_INGRESS_INGRESS_H
#define HS_INGRESS_INGRESS_H

#include <hartscope/block.h>

#include "ingress/filter.h"
#include "ingress/port.h"

/**
 * Are two blocks the same instructions with the same end?
 *
 * Compares iaddr, iretire, ilast and itype, and priv where both know it.  Events are
 * the same when every field is; of traps, too, priv counts only where both know it.
 */
bool hs_block_same(const struct hs_block *a, const struct hs_block *b);

#endif
