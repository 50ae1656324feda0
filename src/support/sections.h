/* Sections of code that come in any order and may overlap, as one list. */
#ifndef HS_SUPPORT_SECTIONS_H
#define HS_SUPPORT_SECTIONS_H

#include <stddef.h>
#include <stdint.h>

#include <hartscope/image.h>

/* Sort by address, and join what touches or overlaps.  *count becomes how many there are then; the
 * bytes of a section that grew are still those of its first part.  Returns the sum of sizes. */
uint64_t support_join_sections(struct hs_section *s, size_t *count);

#endif
