/* Random filters and comparators. */
#include "device/device.h"
#include "ingress/ingress.h"
#include "cases.h"

#include <hartscope/control.h>

#include "property/randfilter.h"

static uint64_t random_match(struct rng *r, const struct filter_odds *odds)
{
	static const unsigned bits[] = { 4, 12, 32, 64 };
	const uint64_t any = rng_next(r) & UINT64_MAX >> (64 - bits[rng_below(r, 4)]);

	return odds->match && !rng_one_in(r, 8) ? odds->match[rng_below(r, odds->match_count)]
	                                        : any;
}

static void random_comparator(struct rng *r, const struct filter_odds *odds,
                              struct hs_comparator *c)
{
	*c = (struct hs_comparator){
		.p_input = (uint8_t)rng_below(r, 3), .p_function = (uint8_t)rng_below(r, 6),
		.match_mode = (uint8_t)rng_below(r, 4), .p_match = random_match(r, odds),
		.s_match = random_match(r, odds),
	};
	c->p_notify = c->p_input == HS_COMP_IADDR && rng_one_in(r, 4);
	if (c->match_mode == HS_COMP_P)
		return;
	c->s_function = (uint8_t)rng_below(r, 8);
	c->s_input = c->s_function < 6 ? (uint8_t)rng_below(r, 3) : 0;
}

static void random_filter(struct rng *r, struct hs_filter *f)
{
	*f = (struct hs_filter){
		.enable = true, .match_privilege = rng_one_in(r, 2),
		.match_ecause = rng_one_in(r, 4), .match_user = rng_one_in(r, 4),
		.match_interrupt = rng_one_in(r, 4), .value_interrupt = rng_one_in(r, 2),
		.choice_privilege = (uint8_t)(rng_next(r) & 0x3f), .choice_ecause = rng_next(r),
		.value_user = (uint32_t)rng_next(r), .mask_user = (uint32_t)rng_next(r),
		.comps = (uint8_t)rng_below(r, 4),
	};
	for (unsigned i = 0; i < f->comps; i++)
		f->comp[i] = (uint8_t)rng_below(r, HS_COMPARATORS);
}

unsigned filters_random(struct rng *r, const struct filter_odds *odds,
                        struct hs_qualifier_config *c)
{
	bool used[HS_COMPARATORS] = { 0 };
	unsigned enabled = 0;

	*c = (struct hs_qualifier_config){ .size = sizeof(*c) };
	for (unsigned n = 0; n < HS_FILTERS; n++) {
		if (!rng_one_in(r, odds->one_in))
			continue;
		random_filter(r, &c->filters[n]);
		enabled++;
		for (unsigned i = 0; i < c->filters[n].comps; i++)
			used[c->filters[n].comp[i]] = true;
	}
	for (unsigned n = 0; n < HS_COMPARATORS; n++)
		if (used[n])
			random_comparator(r, odds, &c->comparators[n]);
	return enabled;
}

size_t filters_apply(const struct hs_qualifier_config *c, const struct hs_image *image,
                     const struct hs_block *in, size_t n, struct hs_block *out, size_t cap)
{
	struct hs_qualifier_config read = { .size = sizeof(read) };
	struct hs_tc_regs regs = { 0 };
	struct hs_qualifier q;
	size_t used, count;

	assert_int_equal(hs_tc_set_filters(&regs, c), HS_OK);
	assert_int_equal(hs_tc_filters(&regs, &read), HS_OK);
	assert_int_equal(hs_qualifier_init(&q, &read, image), HS_OK);
	assert_int_equal(hs_qualify(&q, in, n, &used, out, cap, &count), HS_OK);
	assert_int_equal(used, n);
	return count;
}
