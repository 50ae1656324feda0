/* Filter registers to what a qualifier lets through, and back (TCI 6.3). */
#include "device/control.h"
#include "device/device.h"

#include <hartscope/ingress.h>

#include "core/config.h"

/* ---- privileges: numbers of the ingress port (ET Privilege level encoding) and of blocks ---- */

static const uint8_t privileges[8] = { HS_PRIV_U, HS_PRIV_S,  HS_PRIV_UNKNOWN, HS_PRIV_M,
	                               HS_PRIV_D, HS_PRIV_VU, HS_PRIV_VS,      HS_PRIV_UNKNOWN };

/* Numbers 2 and 7 are reserved: no block has them. */
static uint8_t choice_of_port(uint32_t bits)
{
	uint8_t choice = 0;

	for (unsigned n = 0; n < 8; n++)
		if ((bits >> n & 1u) && privileges[n] != HS_PRIV_UNKNOWN)
			choice |= (uint8_t)(1u << privileges[n]);
	return choice;
}

static uint32_t choice_to_port(uint8_t choice)
{
	uint32_t bits = 0;

	for (unsigned n = 0; n < 8; n++)
		if (privileges[n] != HS_PRIV_UNKNOWN && (choice >> privileges[n] & 1u))
			bits |= (uint32_t)1 << n;
	return bits;
}

/* ---- fields of instance @n of a register ------------------------------------------------- */

static unsigned word_of(unsigned field, unsigned n)
{
	return tc_word(HS_TC_ENCODER, field) + 8u * n; /* 0x20 bytes apart */
}

static bool is_known(const struct hs_tc_regs *r, unsigned field, unsigned n)
{
	const unsigned word = word_of(field, n);

	return r->known[word / 32] >> word % 32 & 1u;
}

static uint32_t field_of(const struct hs_tc_regs *r, unsigned field, unsigned n)
{
	return tc_extract(hs_tc_field_at(field), r->word[word_of(field, n)]);
}

static void set_field(struct hs_tc_regs *r, unsigned field, unsigned n, uint32_t value)
{
	const unsigned word = word_of(field, n);

	r->word[word] = tc_insert(hs_tc_field_at(field), r->word[word], value);
	r->known[word / 32] |= (uint32_t)1 << word % 32;
}

static void set_pair(struct hs_tc_regs *r, unsigned low, unsigned high, unsigned n, uint64_t value)
{
	set_field(r, low, n, (uint32_t)value);
	set_field(r, high, n, (uint32_t)(value >> 32));
}

static uint64_t pair_of(const struct hs_tc_regs *r, unsigned low, unsigned n)
{
	const unsigned word = word_of(low, n);

	return (uint64_t)r->word[word + 1] << 32 | r->word[word];
}

/* ---- registers to filters ------------------------------------------------------------------ */

/* trTeFilterMatchCompN, trTeFilterCompN */
static const struct {
	uint16_t match, number;
} comps[3] = {
	{ HS_TCF_TE_FILTER_MATCH_COMP1, HS_TCF_TE_FILTER_COMP1 },
	{ HS_TCF_TE_FILTER_MATCH_COMP2, HS_TCF_TE_FILTER_COMP2 },
	{ HS_TCF_TE_FILTER_MATCH_COMP3, HS_TCF_TE_FILTER_COMP3 },
};

/* A comparison that ignores its input may have any: the table's 0 in place of it. */
static uint8_t input_of(uint32_t input, uint32_t function, bool is_made)
{
	return is_made && function != HS_COMP_SPECIAL && function != HS_COMP_TRUE ? (uint8_t)input
	                                                                          : 0;
}

static void take_comparator(const struct hs_tc_regs *r, unsigned n, struct hs_comparator *c)
{
	const uint32_t p = field_of(r, HS_TCF_TE_COMP_P_INPUT, n);
	const uint32_t s = field_of(r, HS_TCF_TE_COMP_S_INPUT, n);

	*c = (struct hs_comparator){
		.p_function = (uint8_t)field_of(r, HS_TCF_TE_COMP_P_FUNCTION, n),
		.s_function = (uint8_t)field_of(r, HS_TCF_TE_COMP_S_FUNCTION, n),
		.match_mode = (uint8_t)field_of(r, HS_TCF_TE_COMP_MATCH_MODE, n),
		.p_notify = field_of(r, HS_TCF_TE_COMP_P_NOTIFY, n) && p == HS_COMP_IADDR,
		.s_notify = field_of(r, HS_TCF_TE_COMP_S_NOTIFY, n) && s == HS_COMP_IADDR,
		.p_match = pair_of(r, HS_TCF_TE_COMP_P_MATCH_LOW, n),
		.s_match = pair_of(r, HS_TCF_TE_COMP_S_MATCH_LOW, n),
	};
	c->p_input = input_of(p, c->p_function, true);
	c->s_input = input_of(s, c->s_function, c->match_mode != HS_COMP_P);
}

static void take_filter(const struct hs_tc_regs *r, unsigned n, struct hs_filter *f)
{
	*f = (struct hs_filter){
		.enable = true,
		.match_privilege = field_of(r, HS_TCF_TE_FILTER_MATCH_PRIVILEGE, n) != 0,
		.choice_privilege =
			choice_of_port(field_of(r, HS_TCF_TE_FILTER_CHOICE_PRIVILEGE, n)),
		.match_ecause = field_of(r, HS_TCF_TE_FILTER_MATCH_ECAUSE, n) != 0,
		.choice_ecause = pair_of(r, HS_TCF_TE_FILTER_CHOICE_ECAUSE_LOW, n),
		.match_interrupt = field_of(r, HS_TCF_TE_FILTER_MATCH_INTERRUPT, n) != 0,
		.value_interrupt = field_of(r, HS_TCF_TE_FILTER_VALUE_INTERRUPT, n) != 0,
		.match_user = field_of(r, HS_TCF_TE_FILTER_MATCH_IMPDEF, n) != 0,
		.value_user = field_of(r, HS_TCF_TE_FILTER_VALUE_IMPDEF, n),
		.mask_user = field_of(r, HS_TCF_TE_FILTER_MASK_IMPDEF, n),
		.match_dtype = field_of(r, HS_TCF_TE_FILTER_MATCH_DTYPE, n) != 0,
		.choice_dtype = (uint16_t)field_of(r, HS_TCF_TE_FILTER_CHOICE_DTYPE, n),
		.match_dsize = field_of(r, HS_TCF_TE_FILTER_MATCH_DSIZE, n) != 0,
		.choice_dsize = (uint8_t)field_of(r, HS_TCF_TE_FILTER_CHOICE_DSIZE, n),
	};
	for (unsigned i = 0; i < 3; i++)
		if (field_of(r, comps[i].match, n))
			f->comp[f->comps++] = (uint8_t)field_of(r, comps[i].number, n);
}

/* A filter that is not enabled matches nothing: when all that are chosen are like that, nothing is
 * traced.  One of them says so. */
static struct hs_filter *match_nothing(struct hs_qualifier_config *c, uint32_t mask)
{
	unsigned n = 0;

	while (!(mask >> n & 1u))
		n++;
	c->filters[n].match_privilege = true;
	c->filters[n].choice_privilege = 0;
	return &c->filters[n];
}

/* The filters of trTeInstFilters and trTeDataFilters that are enabled; bit N of the result:
 * comparator N is used. */
static uint32_t take_filters(const struct hs_tc_regs *r, uint32_t mask, uint32_t data,
                             struct hs_qualifier_config *c)
{
	uint32_t used = 0, enabled = 0;

	for (unsigned n = 0; n < HS_FILTERS; n++) {
		struct hs_filter *f = &c->filters[n];

		if (!((mask | data) >> n & 1u) || !field_of(r, HS_TCF_TE_FILTER_ENABLE, n))
			continue;
		take_filter(r, n, f);
		f->enable = mask >> n & 1u;
		f->data = data >> n & 1u;
		enabled |= (uint32_t)1 << n;
		for (unsigned i = 0; i < f->comps; i++)
			used |= (uint32_t)1 << f->comp[i];
	}
	if (mask && !(mask & enabled))
		match_nothing(c, mask)->enable = true;
	if (data && !(data & enabled))
		match_nothing(c, data)->data = true;
	return used;
}

/* Comparators that a filter uses, and those that report where they match. */
static void take_comparators(const struct hs_tc_regs *r, uint32_t used,
                             struct hs_qualifier_config *config)
{
	for (unsigned n = 0; n < HS_COMPARATORS; n++) {
		struct hs_comparator c;

		if (!is_known(r, HS_TCF_TE_COMP_P_INPUT, n))
			continue;
		take_comparator(r, n, &c);
		if ((used >> n & 1u) || c.p_notify || c.s_notify)
			config->comparators[n] = c;
	}
}

/* Does a filter of instructions ask for a data access? */
static bool asks_for_data(const struct hs_qualifier_config *c)
{
	bool asks = false;

	for (unsigned n = 0; n < HS_FILTERS; n++) {
		const struct hs_filter *f = &c->filters[n];

		asks |= f->enable && (f->match_dtype || f->match_dsize);
		for (unsigned i = 0; f->enable && i < f->comps; i++)
			asks |= c->comparators[f->comp[i]].p_input == HS_COMP_DADDR ||
			        c->comparators[f->comp[i]].s_input == HS_COMP_DADDR;
	}
	return asks;
}

enum hs_status hs_tc_filters(const struct hs_tc_regs *r, struct hs_qualifier_config *config)
{
	const uint32_t mask = hs_tc_get(r, HS_TC_ENCODER, HS_TCF_TE_INST_FILTERS_MASK);
	const uint32_t data = hs_tc_get(r, HS_TC_ENCODER, HS_TCF_TE_DATA_FILTERS_MASK);
	struct hs_qualifier_config own;

	if (base_take_config(&own, sizeof own, config) != HS_OK)
		return HS_E_CONFIG;
	take_comparators(r, take_filters(r, mask, data, &own), &own);
	if (asks_for_data(&own))
		return HS_E_UNSUPPORTED;
	return base_give_whole_config(config, &own);
}

/* ---- filters to registers ------------------------------------------------------------------ */

static bool comparator_fits(const struct hs_comparator *c)
{
	return c->p_input <= HS_COMP_DADDR && c->s_input <= HS_COMP_DADDR;
}

/* impdef of the registers has 32 bits, and causes are chosen, not compared. */
static bool filter_fits(const struct hs_filter *f)
{
	return !f->single_ecause && f->comps <= 3 &&
	       (!f->match_user || (f->user_word == 0 && f->mask_user >> 32 == 0));
}

static void put_comparator(struct hs_tc_regs *r, unsigned n, const struct hs_comparator *c)
{
	set_field(r, HS_TCF_TE_COMP_P_INPUT, n, c->p_input);
	set_field(r, HS_TCF_TE_COMP_S_INPUT, n, c->s_input);
	set_field(r, HS_TCF_TE_COMP_P_FUNCTION, n, c->p_function);
	set_field(r, HS_TCF_TE_COMP_S_FUNCTION, n, c->s_function);
	set_field(r, HS_TCF_TE_COMP_MATCH_MODE, n, c->match_mode);
	set_field(r, HS_TCF_TE_COMP_P_NOTIFY, n, c->p_notify);
	set_field(r, HS_TCF_TE_COMP_S_NOTIFY, n, c->s_notify);
	set_pair(r, HS_TCF_TE_COMP_P_MATCH_LOW, HS_TCF_TE_COMP_P_MATCH_HIGH, n, c->p_match);
	set_pair(r, HS_TCF_TE_COMP_S_MATCH_LOW, HS_TCF_TE_COMP_S_MATCH_HIGH, n, c->s_match);
}

static void put_filter(struct hs_tc_regs *r, unsigned n, const struct hs_filter *f)
{
	set_field(r, HS_TCF_TE_FILTER_ENABLE, n, 1);
	set_field(r, HS_TCF_TE_FILTER_MATCH_PRIVILEGE, n, f->match_privilege);
	set_field(r, HS_TCF_TE_FILTER_MATCH_ECAUSE, n, f->match_ecause);
	set_field(r, HS_TCF_TE_FILTER_MATCH_INTERRUPT, n, f->match_interrupt);
	set_field(r, HS_TCF_TE_FILTER_MATCH_IMPDEF, n, f->match_user);
	for (unsigned i = 0; i < f->comps; i++) {
		set_field(r, comps[i].match, n, 1);
		set_field(r, comps[i].number, n, f->comp[i]);
	}
	set_field(r, HS_TCF_TE_FILTER_CHOICE_PRIVILEGE, n, choice_to_port(f->choice_privilege));
	set_field(r, HS_TCF_TE_FILTER_VALUE_INTERRUPT, n, f->value_interrupt);
	set_pair(r, HS_TCF_TE_FILTER_CHOICE_ECAUSE_LOW, HS_TCF_TE_FILTER_CHOICE_ECAUSE_HIGH, n,
	         f->choice_ecause);
	set_field(r, HS_TCF_TE_FILTER_VALUE_IMPDEF, n, (uint32_t)f->value_user);
	set_field(r, HS_TCF_TE_FILTER_MASK_IMPDEF, n, (uint32_t)f->mask_user);
	if (!f->data)
		return;
	set_field(r, HS_TCF_TE_FILTER_MATCH_DTYPE, n, f->match_dtype);
	set_field(r, HS_TCF_TE_FILTER_MATCH_DSIZE, n, f->match_dsize);
	set_field(r, HS_TCF_TE_FILTER_CHOICE_DTYPE, n, f->choice_dtype);
	set_field(r, HS_TCF_TE_FILTER_CHOICE_DSIZE, n, f->choice_dsize);
}

static bool is_used(const struct hs_filter *f)
{
	return f->enable || f->data;
}

static bool config_fits(const struct hs_qualifier_config *c)
{
	bool fits = !c->off;

	for (unsigned n = 0; n < HS_COMPARATORS; n++)
		fits &= comparator_fits(&c->comparators[n]);
	for (unsigned n = 0; n < HS_FILTERS; n++)
		fits &= !is_used(&c->filters[n]) || filter_fits(&c->filters[n]);
	return fits;
}

/* Which comparators do enabled filters, or reports of a match, need? */
static uint32_t comparators_used(const struct hs_qualifier_config *c)
{
	uint32_t used = 0;

	for (unsigned n = 0; n < HS_FILTERS; n++)
		for (unsigned i = 0; is_used(&c->filters[n]) && i < c->filters[n].comps; i++)
			used |= (uint32_t)1 << c->filters[n].comp[i] % HS_COMPARATORS;
	for (unsigned n = 0; n < HS_COMPARATORS; n++)
		if (c->comparators[n].p_notify || c->comparators[n].s_notify)
			used |= (uint32_t)1 << n;
	return used;
}

enum hs_status hs_tc_set_filters(struct hs_tc_regs *r, const struct hs_qualifier_config *config)
{
	struct hs_qualifier_config c;
	uint32_t mask = 0, data = 0;

	if (base_take_config(&c, sizeof c, config) != HS_OK)
		return HS_E_CONFIG;
	if (!config_fits(&c))
		return HS_E_UNSUPPORTED;
	const uint32_t used = comparators_used(&c);

	for (unsigned n = 0; n < HS_COMPARATORS; n++)
		if (used >> n & 1u)
			put_comparator(r, n, &c.comparators[n]);
	for (unsigned n = 0; n < HS_FILTERS; n++) {
		if (!is_used(&c.filters[n]))
			continue;
		put_filter(r, n, &c.filters[n]);
		mask |= (uint32_t)c.filters[n].enable << n;
		data |= (uint32_t)c.filters[n].data << n;
	}
	set_field(r, HS_TCF_TE_INST_FILTERS_MASK, 0, mask);
	if (data)
		set_field(r, HS_TCF_TE_DATA_FILTERS_MASK, 0, data);
	return HS_OK;
}
