/* Sections of code that come in any order and may overlap, as one list. */
#ifndef HS_SUPPORT_SECTIONS_H
#define HS_SUPPORT_SECTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/image.h>

/* Sort by address, and join what touches or overlaps.  *count becomes how many there are then; the
 * bytes of a section that grew are still those of its first part.  Returns the sum of sizes. */
uint64_t support_join_sections(struct hs_section *s, size_t *count);

/* A copy of code that can be changed. */
struct support_code {
	struct hs_section *sections; /* in the order of addresses, joined */
	size_t count;
	uint8_t *bytes; /* of all sections; both are freed by the owner */
};

/* Copy @from, with room for @more sections @extra, whose bytes are 0 where @from has none.  False:
 * no memory. */
bool support_copy_code(const struct hs_image *from, const struct hs_section *extra, size_t more,
                       struct support_code *to);

#endif
