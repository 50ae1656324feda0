/* Code and what it does, for the other rooms: each file of this one includes what it needs. */
#ifndef HS_CORE_CORE_H
#define HS_CORE_CORE_H

#include <hartscope/image.h>

#include "core/image.h"

/* ---- image.h ---- */

/**
 * The same, one piece at a time: the first piece of a block.
 *
 * @param[in,out] rest  What is left of the block; there is more while rest->iretire is not 0.
 * @retval HS_OK
 * @retval HS_E_NOCODE, HS_E_BLOCK  As for hs_block_split(); *rest is as before.
 */
enum hs_status hs_block_cut(const struct hs_image *image, struct hs_block *rest, uint32_t limit,
                            struct hs_block *piece);

/**
 * Cut a block into pieces of at most @limit half-words, at instruction boundaries, for an
 * encoder whose I-CNT counter is small.  The pieces before the last have itype 0.
 *
 * @param limit   A longer instruction is a piece of its own.
 * @param[out] n  Pieces written.
 * @retval HS_OK
 * @retval HS_E_SPACE   More than @cap pieces.
 * @retval HS_E_NOCODE  The block's code is not in the image.
 * @retval HS_E_BLOCK   The block ends inside an instruction.
 */
enum hs_status hs_block_split(const struct hs_image *image, const struct hs_block *block,
                              uint32_t limit, struct hs_block *out, size_t cap, size_t *n);

/** The cause of the exception that ends a block, where the instruction alone says it: that of an
 * ecall from the block's mode (U-mode where that is not known), 3 for an ebreak (mcause in the
 * privileged architecture).  False: it is neither, or the code is not in the image.
 * @param[out] cause  Written if true. */
bool hs_block_exception_cause(const struct hs_image *image, const struct hs_block *block,
                              uint32_t *cause);

/**
 * Take back an ecall or ebreak that a block counts as its last retired instruction although it
 * trapped: recordings of programs have them so (design/blocks), streams of the ratified N-Trace do
 * not (design/nt-dialects).  Other blocks stay as they are, and so does one whose code is not in
 * the image.
 */
void hs_block_drop_ecall(const struct hs_image *image, struct hs_block *block);

#endif
