/* Which instructions comparators and filters match (TCI, trTeFilter, trTeComp). */
#include "ingress/filter.h"

/* Does a unit compare only tval?  Then the trap's value decides for all of its handler. */
static bool is_of_tval(const struct hs_comparator *c)
{
	return c->match_mode != HS_COMP_LATCH && c->p_input == HS_COMP_TVAL &&
	       c->p_function != HS_COMP_TRUE &&
	       (!filter_compares_twice(c) || c->s_input == HS_COMP_TVAL);
}

bool filter_follows_traps(const struct hs_qualifier_config *config, const struct hs_filter *f)
{
	bool follows = f->match_ecause || f->single_ecause || f->match_interrupt;

	for (unsigned i = 0; i < f->comps; i++)
		follows |= is_of_tval(&config->comparators[f->comp[i]]);
	return follows;
}

/* ---- one instruction ----------------------------------------------------------- */

static uint64_t input_of(const struct hs_qualifier *q, unsigned which, uint64_t iaddr)
{
	switch (which) {
	case HS_COMP_IADDR:
		return iaddr & q->address_mask;
	case HS_COMP_CONTEXT:
		return q->context & q->context_mask;
	case HS_COMP_TVAL:
		return q->tval & q->address_mask;
	case HS_COMP_TIME:
		return q->time;
	case HS_COMP_DADDR:
		return q->daddr & q->address_mask;
	default:
		return q->hart;
	}
}

/* What is not known compares with nothing: the address of an access that has none, and that of an
 * instruction whose block is not known. */
static bool is_input_known(const struct hs_qualifier *q, unsigned which)
{
	return which == HS_COMP_DADDR ? q->has_daddr : which != HS_COMP_IADDR || !q->no_iaddr;
}

/* Bits of an input: those of a comparator's value above them are ignored (TCI 6.3). */
static uint64_t bits_of(const struct hs_qualifier *q, unsigned which)
{
	if (which == HS_COMP_CONTEXT)
		return q->context_mask;
	return which == HS_COMP_TIME || which == HS_COMP_HART ? UINT64_MAX : q->address_mask;
}

static bool compare(unsigned function, uint64_t v, uint64_t match)
{
	switch (function) {
	case HS_COMP_EQ:
		return v == match;
	case HS_COMP_NE:
		return v != match;
	case HS_COMP_LT:
		return v < match;
	case HS_COMP_LE:
		return v <= match;
	case HS_COMP_GT:
		return v > match;
	case HS_COMP_GE:
		return v >= match;
	default:
		return function == HS_COMP_TRUE;
	}
}

static bool evaluate(struct hs_qualifier *q, unsigned i, uint64_t iaddr)
{
	const struct hs_comparator *c = &q->config.comparators[i];
	const bool mused = c->s_function == HS_COMP_SPECIAL;
	const uint64_t mask = (mused ? c->s_match : UINT64_MAX) & bits_of(q, c->p_input);
	const bool p =
		(is_input_known(q, c->p_input) || c->p_function == HS_COMP_TRUE) &&
		compare(c->p_function, input_of(q, c->p_input, iaddr) & mask, c->p_match & mask);
	const bool s = mused || ((is_input_known(q, c->s_input) || c->s_function == HS_COMP_TRUE) &&
	                         compare(c->s_function, input_of(q, c->s_input, iaddr),
	                                 c->s_match & bits_of(q, c->s_input)));

	q->notify |= (p && c->p_notify && c->p_input == HS_COMP_IADDR) ||
	             (s && c->s_notify && c->s_input == HS_COMP_IADDR);
	switch (c->match_mode) {
	case HS_COMP_P:
		return p;
	case HS_COMP_BOTH:
		return p && s;
	case HS_COMP_NOT_BOTH:
		return !(p && s);
	default:
		break;
	}
	if (p)
		q->latches |= 1u << i;
	const bool set = q->latches >> i & 1u;
	if (set && s) /* until the instruction after the secondary match */
		q->unlatch |= 1u << i;
	return set;
}

/* A latch is cleared after the instruction, or the access. */
static void clear_latches(struct hs_qualifier *q)
{
	q->latches &= ~q->unlatch;
	q->unlatch = 0;
}

/* Evaluate comparators in use, each once for an instruction or an access, since latches have state.
 * Bit N: comparator N matches. */
static uint32_t evaluate_all(struct hs_qualifier *q, uint64_t iaddr, uint32_t which)
{
	uint32_t used = 0, result = 0;

	for (unsigned i = 0; i < HS_FILTERS; i++) {
		const struct hs_filter *f = &q->config.filters[i];

		for (unsigned n = 0; filter_is_used(f) && n < f->comps; n++)
			used |= 1u << f->comp[n];
	}
	for (unsigned i = 0; i < HS_COMPARATORS; i++) {
		const struct hs_comparator *c = &q->config.comparators[i];

		if (which >> i & 1u && ((used >> i & 1u) || c->p_notify || c->s_notify))
			result |= (uint32_t)evaluate(q, i, iaddr) << i;
	}
	clear_latches(q);
	return result;
}

static bool do_conditions_hold(const struct hs_qualifier *q, unsigned i, uint32_t matched)
{
	const struct hs_filter *f = &q->config.filters[i];

	if (f->match_privilege && (q->priv > 7 || !(f->choice_privilege >> q->priv & 1u)))
		return false;
	if ((q->follows >> i & 1u) && q->depth[i] == 0)
		return false;
	if (f->match_user && ((q->user[f->user_word] ^ f->value_user) & f->mask_user))
		return false;
	for (unsigned c = 0; c < f->comps; c++)
		if (!(matched >> f->comp[c] & 1u) &&
		    !is_of_tval(&q->config.comparators[f->comp[c]]))
			return false;
	return true;
}

uint32_t filter_match_insn(struct hs_qualifier *q, uint64_t iaddr)
{
	return evaluate_all(q, iaddr, ~q->of_data);
}

bool filter_is_traced(struct hs_qualifier *q, uint64_t iaddr)
{
	const uint32_t matched = filter_match_insn(q, iaddr);
	bool any = !q->filters;

	for (unsigned i = 0; i < HS_FILTERS && !any; i++)
		any = q->config.filters[i].enable && do_conditions_hold(q, i, matched);
	return any && q->on;
}

static bool is_chosen(unsigned choice, unsigned n)
{
	return n < 16 && (choice >> n & 1u);
}

bool filter_is_access_traced(struct hs_qualifier *q, const struct hs_access *a, uint32_t matched)
{
	bool any = false;

	q->daddr = a->address;
	q->has_daddr = a->known & HS_ACCESS_HAS_ADDRESS;
	matched |= evaluate_all(q, q->iaddr, q->of_data);
	for (unsigned i = 0; i < HS_FILTERS && !any; i++) {
		const struct hs_filter *f = &q->config.filters[i];

		any = f->data && (!f->match_dtype || is_chosen(f->choice_dtype, a->type)) &&
		      (!f->match_dsize || is_chosen(f->choice_dsize, a->size)) &&
		      do_conditions_hold(q, i, matched);
	}
	return any;
}

/* ---- traps --------------------------------------------------------------------- */

static bool matches_cause(const struct hs_filter *f, uint32_t cause, bool interrupt)
{
	const bool wants_interrupt = f->match_interrupt && f->value_interrupt;

	if (f->match_interrupt && f->value_interrupt != interrupt)
		return false;
	if (!f->match_ecause && !f->single_ecause)
		return true;
	return interrupt == wants_interrupt &&
	       (!f->match_ecause || (cause < 64 && (f->choice_ecause >> cause & 1u))) &&
	       (!f->single_ecause || cause == f->value_ecause);
}

static bool matches_tval(struct hs_qualifier *q, const struct hs_filter *f)
{
	for (unsigned i = 0; i < f->comps; i++)
		if (is_of_tval(&q->config.comparators[f->comp[i]]) && !evaluate(q, f->comp[i], 0))
			return false;
	return true;
}

void filter_take_trap(struct hs_qualifier *q, const struct hs_block *e, bool interrupt)
{
	const uint32_t most =
		q->config.filter_ecause ? UINT32_C(1) << q->config.filter_ecause : UINT32_MAX;

	q->tval = e->value;
	for (unsigned i = 0; i < HS_FILTERS; i++) {
		const struct hs_filter *f = &q->config.filters[i];

		if (q->depth[i] || ((q->follows >> i & 1u) && matches_cause(f, e->arg, interrupt) &&
		                    matches_tval(q, f)))
			q->depth[i] += q->depth[i] < most;
	}
}
