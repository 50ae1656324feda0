/* Which code a decoder finds at which moment: a struct hs_code_guide over a list of changes. */
#ifndef HS_SOURCE_GUIDE_H
#define HS_SOURCE_GUIDE_H

#include <stdbool.h>

#include <hartscope/image.h>
#include <hartscope/source.h>

struct hs_code_changes;

struct source_guide;

/* @list and @base, the code before the first change, are kept.  @hart: whose changes they are,
 * whatever the number of the source; NULL: as the source says. */
enum hs_status source_guide_new(const struct hs_code_changes *list, const struct hs_image *base,
                                const uint32_t *hart, struct source_guide **guide);
/* Bytes of the trace that the decoder counts are to be turned into those of the list by @map.
 * @adrift: blocks cannot be counted from the start. */
void source_guide_set_map(struct source_guide *g, uint64_t (*map)(void *to, uint64_t offset),
                          void *to, bool adrift);
void source_guide_free(struct source_guide *g); /* NULL is allowed */
const struct hs_code_guide *source_guide_calls(const struct source_guide *g);

/* The changes of the list below this number have been made for @src, as far as they are its own. */
size_t source_guide_reached(const struct source_guide *g, uint32_t src);

#endif
