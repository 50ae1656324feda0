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

static inline bool filter_has_input(unsigned input)
{
	return input <= HS_COMP_HART && input != HS_COMP_DADDR;
}

/* ---- match.c ---- */

/* Is a filter about traps, so that it holds from one to the return from it? */
bool filter_follows_traps(const struct hs_qualifier_config *config, const struct hs_filter *f);

/* Is the instruction at @iaddr traced?  Each instruction is asked for once, in order. */
bool filter_is_traced(struct hs_qualifier *q, uint64_t iaddr);

/* A trap: filters begin to follow it, or count it as one inside the trap that they follow (TCI:
 * nested traps). */
void filter_take_trap(struct hs_qualifier *q, const struct hs_block *e, bool interrupt);

/* ---- text.c ---- */

uint8_t filter_privileges(struct base_text *t); /* a list with commas; bit N: privilege N */
uint64_t filter_causes(struct base_text *t);    /* a list with commas; bit N: cause N */

/* ---- names.c ---- */

/* hs_qualifier_set() for a configuration that is the library's own. */
enum hs_status filter_set(struct hs_qualifier_config *c, struct base_text name,
                          struct base_text value);

#endif
