/* Basic blocks of an image, for what walks through them. */
#ifndef HS_IMAGE_IMAGE_H
#define HS_IMAGE_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include <hartscope/image.h>

/** Target of a table jump (Zcmt): reads entry @index at jvt.
 * @retval HS_OK
 * @retval HS_E_NOCODE  No table is known, or the entry is not mapped. */
enum hs_status hs_img_table_target(const struct hs_image *image, unsigned index, uint64_t *target);

/** Index of a table entry.  The first values are not entries. */
enum { HS_BB_UNKNOWN = 0, HS_BB_NOCODE = 1, HS_BB_FIRST = 2 };

/**
 * Entry that follows entry @i in memory (@which 0: BRANCH, and kinds that do not jump), or
 * at its direct target (@which 1: BRANCH, JUMP, CALL, TABLE_*, SIJUMP).  HS_BB_NOCODE when
 * nothing is mapped there, or there is no such edge.
 * The call may empty a full table: then only its result is a valid index.
 */
uint32_t hs_bb_edge(struct hs_bb_table *t, uint32_t i, unsigned which);

/** Does an instruction of entry @i begin at half-word @off, or does the entry end there? */
bool hs_bb_boundary(const struct hs_bb_table *t, uint32_t i, unsigned off);

/** Half-words of the instruction of entry @i that ends at half-word @off; 0 for off 0.
 * @off is a boundary. */
unsigned hs_bb_size_before(const struct hs_bb_table *t, uint32_t i, unsigned off);

/** The direct target's address of entry @i, also when nothing is mapped there.
 * @retval HS_OK
 * @retval HS_E_NOCODE  A table jump whose table is not known, or @i is no direct jump. */
enum hs_status hs_bb_target(const struct hs_bb_table *t, uint32_t i, uint64_t *target);

#endif
