/* What the files of this room share. */
#ifndef HS_FILTER_FILTER_H
#define HS_FILTER_FILTER_H

#include <hartscope/qualifier.h>

#include "base/text.h"

/* Does a comparator make its second comparison, too? */
static inline bool filter_compares_twice(const struct hs_comparator *c)
{
	return c->match_mode != HS_COMP_P && c->s_function < HS_COMP_SPECIAL;
}

/* ---- text.c ---- */

uint8_t filter_privileges(struct base_text *t); /* a list with commas; bit N: privilege N */
uint64_t filter_causes(struct base_text *t);    /* a list with commas; bit N: cause N */

/* ---- names.c ---- */

/* hs_qualifier_set() for a configuration that is the library's own. */
enum hs_status filter_set(struct hs_qualifier_config *c, struct base_text name,
                          struct base_text value);

#endif
