/* Random filters and comparators (TCI 6.3), as registers can have them. */
#ifndef TESTS_RANDFILTER_H
#define TESTS_RANDFILTER_H

#include <hartscope/image.h>
#include <hartscope/ingress.h>

#include "property/randprog.h"

/* What is drawn. */
struct filter_odds {
	uint32_t one_in;          /* a filter is enabled */
	const uint64_t *match;    /* values of comparators; NULL: any bits */
	uint32_t match_count;
};

/* @return how many filters are enabled. */
unsigned filters_random(struct rng *r, const struct filter_odds *odds,
                        struct hs_qualifier_config *c);

/* Copy what the filters of @c let through, once they were in registers and read from there.
 * @return how many blocks and events. */
size_t filters_apply(const struct hs_qualifier_config *c, const struct hs_image *image,
                     const struct hs_block *in, size_t n, struct hs_block *out, size_t cap);

#endif
