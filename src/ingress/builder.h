/* What the port needs of the builder besides hartscope/ingress.h. */
#ifndef HS_INGRESS_BUILDER_H
#define HS_INGRESS_BUILDER_H

#include <hartscope/ingress.h>

/* End the open block although nothing in the program ends it; the next instruction is at *next, or
 * nobody knows where (NULL).  Needs HS_BUILDER_ROOM. */
void ing_builder_cut(struct hs_builder *b, const uint64_t *next, struct hs_blocks *out);

#endif
