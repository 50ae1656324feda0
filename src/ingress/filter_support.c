/* Could a device do what a configuration asks for?  (PT Table 3.6, PT 3.1.5) */
#include "ingress/filter.h"
#include "ingress/ingress.h"

#include "core/config.h"

/* The hart is no input of the texts: where an encoder has it, it is in the context (ET
 * Ingress port, context). */
static bool input_supported(unsigned input, const struct hs_filter_support *s)
{
	switch (input) {
	case HS_COMP_CONTEXT:
	case HS_COMP_HART:
		return s->filter_context;
	case HS_COMP_TVAL:
		return s->filter_tval;
	case HS_COMP_TIME:
		return s->filter_time;
	default:
		return true;
	}
}

static bool comparator_supported(const struct hs_comparator *c, const struct hs_filter_support *s)
{
	return input_supported(c->p_input, s) &&
	       (!filter_compares_twice(c) || input_supported(c->s_input, s));
}

static bool choice_supported(uint64_t choice, unsigned bits)
{
	return bits >= 6 || choice >> (1u << bits) == 0;
}

static bool user_supported(const struct hs_filter *f, unsigned width)
{
	const unsigned from = 64u * f->user_word, bits = width > from ? width - from : 0;

	return !f->match_user || (bits && (bits >= 64 || f->mask_user >> bits == 0));
}

static bool filter_supported(const struct hs_qualifier_config *config, const struct hs_filter *f,
                             const struct hs_filter_support *s)
{
	bool good = (!f->match_privilege || s->filter_privilege) &&
	            (!f->match_interrupt || s->filter_interrupt) &&
	            (!(f->match_ecause || f->single_ecause) || s->filter_ecause) &&
	            (!f->match_ecause ||
	             (s->ecause_choice && choice_supported(f->choice_ecause, s->ecause_choice))) &&
	            user_supported(f, s->user_width);

	for (unsigned i = 0; i < f->comps && good; i++)
		good = f->comp[i] < s->comparators &&
		       comparator_supported(&config->comparators[f->comp[i]], s);
	return good;
}

enum hs_status hs_qualifier_supported(const struct hs_qualifier_config *config,
                                      const struct hs_filter_support *support)
{
	struct hs_qualifier_config c;
	struct hs_filter_support s;

	if (base_take_config(&c, sizeof c, config) != HS_OK ||
	    base_take_config(&s, sizeof s, support) != HS_OK)
		return HS_E_CONFIG;
	for (unsigned i = 0; i < HS_FILTERS; i++) {
		const struct hs_filter *f = &c.filters[i];

		if (filter_is_used(f) &&
		    (i >= s.filters || f->comps > 3 || !filter_supported(&c, f, &s)))
			return HS_E_UNSUPPORTED;
	}
	return HS_OK;
}
