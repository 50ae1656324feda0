/* What the files of this room share. */
#ifndef HS_FILTER_FILTER_H
#define HS_FILTER_FILTER_H

#include <hartscope/block.h>
#include <hartscope/ingress.h>

#include "core/text.h"

/* Does a comparator make its second comparison, too? */
static inline bool filter_compares_twice(const struct hs_comparator *c)
{
	return c->match_mode != HS_COMP_P && c->s_function < HS_COMP_SPECIAL;
}

static inline bool filter_has_input(unsigned input)
{
	return input <= HS_COMP_HART;
}

static inline bool filter_is_used(const struct hs_filter *f)
{
	return f->enable || f->data;
}

/* Does a comparator look at the address of a data access? */
static inline bool filter_looks_at_data(const struct hs_comparator *c)
{
	return (c->p_input == HS_COMP_DADDR && c->p_function < HS_COMP_SPECIAL) ||
	       (filter_compares_twice(c) && c->s_input == HS_COMP_DADDR);
}

/* ---- match.c ---- */

/* Is a filter about traps, so that it holds from one to the return from it? */
bool filter_follows_traps(const struct hs_qualifier_config *config, const struct hs_filter *f);

/* Is the instruction at @iaddr traced?  Each instruction is asked for once, in order. */
bool filter_is_traced(struct hs_qualifier *q, uint64_t iaddr);

/* The comparators that match an instruction, bit N for number N; as filter_is_traced(). */
uint32_t filter_match_insn(struct hs_qualifier *q, uint64_t iaddr);

/* Is an access traced, where @matched is what comparators say of its instruction? */
bool filter_is_access_traced(struct hs_qualifier *q, const struct hs_access *a, uint32_t matched);

/* A trap: filters begin to follow it, or count it as one inside the trap that they follow (TCI:
 * nested traps). */
void filter_take_trap(struct hs_qualifier *q, const struct hs_block *e, bool interrupt);

/* ---- data.c ---- */

/* Keep an item of an access.  False: there is no room, and those that wait are to be decided. */
bool filter_keep_access(struct hs_qualifier *q, const struct hs_block *item);

/* Decide which of the accesses that wait are let through; @b: the block of their instructions,
 * NULL: it is not known. */
void filter_decide_accesses(struct hs_qualifier *q, const struct hs_block *b);

/* ---- text.c ---- */

uint8_t filter_privileges(struct base_text *t); /* a list with commas; bit N: privilege N */
uint64_t filter_causes(struct base_text *t);    /* a list with commas; bit N: cause N */
uint16_t filter_types(struct base_text *t);     /* a list with commas; bit N: type N */
uint8_t filter_sizes(struct base_text *t);      /* a list with commas; bit N: 2^N bytes */

/* ---- names.c ---- */

/* hs_qualifier_set() for a configuration that is the library's own. */
enum hs_status filter_set(struct hs_qualifier_config *c, struct base_text name,
                          struct base_text value);

#endif
