/* One filter from text: terms joined by '+'. */
#include "ingress/filter.h"

#include "core/config.h"

/* A name, and the number of the bit that stands for it. */
struct name {
	const char *name;
	uint8_t bit;
};

/* Names joined by commas; where one begins with another, it stands before that one. */
static unsigned take_names(struct base_text *t, const struct name *names, unsigned count)
{
	unsigned choice = 0;

	do {
		unsigned i = 0;

		while (i < count && !base_text_skip(t, names[i].name))
			i++;
		t->ok &= i < count;
		if (i < count)
			choice |= 1u << names[i].bit;
	} while (t->ok && base_text_skip(t, ","));
	return choice;
}

uint8_t filter_privileges(struct base_text *t)
{
	static const struct name names[] = {
		{ "VU", HS_PRIV_VU }, { "VS", HS_PRIV_VS }, { "U", HS_PRIV_U },
		{ "S", HS_PRIV_S },   { "M", HS_PRIV_M },   { "D", HS_PRIV_D },
	};

	return (uint8_t)take_names(t, names, sizeof names / sizeof names[0]);
}

uint64_t filter_causes(struct base_text *t)
{
	uint64_t choice = 0;

	do {
		const uint64_t n = base_text_number_0x(t);

		t->ok &= n < 64;
		if (t->ok)
			choice |= (uint64_t)1 << n;
	} while (t->ok && base_text_skip(t, ","));
	return choice;
}

uint16_t filter_types(struct base_text *t)
{
	static const struct name names[] = {
		{ "load", HS_ACCESS_LOAD },
		{ "store", HS_ACCESS_STORE },
		{ "csrrw", HS_ACCESS_CSR_RW },
		{ "csrrs", HS_ACCESS_CSR_RS },
		{ "csrrc", HS_ACCESS_CSR_RC },
		{ "swap", HS_ACCESS_SWAP },
		{ "add", HS_ACCESS_ADD },
		{ "and", HS_ACCESS_AND },
		{ "or", HS_ACCESS_OR },
		{ "xor", HS_ACCESS_XOR },
		{ "max", HS_ACCESS_MAX },
		{ "min", HS_ACCESS_MIN },
		{ "sc", HS_ACCESS_SC_FAILED },
		{ "cas", HS_ACCESS_CAS_FAILED },
		{ "mload", HS_ACCESS_MULTI_LOAD },
		{ "mstore", HS_ACCESS_MULTI_STORE },
	};

	return (uint16_t)take_names(t, names, sizeof names / sizeof names[0]);
}

uint8_t filter_sizes(struct base_text *t)
{
	uint8_t choice = 0;

	do {
		const uint64_t n = base_text_number_0x(t);
		unsigned bits = 0;

		while (bits < 7 && (uint64_t)1 << bits != n)
			bits++;
		t->ok &= (uint64_t)1 << bits == n;
		if (t->ok)
			choice |= (uint8_t)(1u << bits);
	} while (t->ok && base_text_skip(t, ","));
	return choice;
}

/* A term of data accesses that needs no comparator. */
static bool take_data_term(struct base_text *t, struct hs_filter *f)
{
	if (base_text_skip(t, "dtype=")) {
		f->match_dtype = true;
		f->choice_dtype |= filter_types(t);
	} else if (base_text_skip(t, "dsize=")) {
		f->match_dsize = true;
		f->choice_dsize |= filter_sizes(t);
	} else if (!base_text_skip(t, "data")) {
		return false;
	}
	f->data = true;
	return true;
}

/* "user=VALUE", or with the bits that count: "user=VALUE/MASK". */
static void take_user(struct base_text *t, struct hs_filter *f)
{
	f->match_user = true;
	f->value_user = base_text_number_0x(t);
	f->mask_user = base_text_skip(t, "/") ? base_text_number_0x(t) : UINT64_MAX;
}

/* A term that needs no comparator. */
static bool take_plain_term(struct base_text *t, struct hs_filter *f)
{
	if (base_text_skip(t, "priv=")) {
		f->match_privilege = true;
		f->choice_privilege |= filter_privileges(t);
	} else if (base_text_skip(t, "ecause=")) {
		f->match_ecause = true;
		f->choice_ecause |= filter_causes(t);
	} else if (base_text_skip(t, "interrupt")) {
		f->match_interrupt = f->value_interrupt = true;
	} else if (base_text_skip(t, "exception")) {
		f->match_interrupt = true;
	} else if (base_text_skip(t, "user=")) {
		take_user(t, f);
	} else {
		return take_data_term(t, f);
	}
	return true;
}

/* The operations of PT 4; longer names come first. */
static uint8_t take_function(struct base_text *t)
{
	static const struct {
		const char *sign;
		uint8_t function;
	} signs[] = {
		{ "!=", HS_COMP_NE }, { "<=", HS_COMP_LE }, { ">=", HS_COMP_GE },
		{ "=", HS_COMP_EQ },  { "<", HS_COMP_LT },  { ">", HS_COMP_GT },
	};

	for (unsigned i = 0; i < sizeof signs / sizeof *signs; i++)
		if (base_text_skip(t, signs[i].sign))
			return signs[i].function;
	t->ok = false;
	return 0;
}

/* "INPUT OP N" without blanks, or "INPUT=FIRST-LAST", which addresses must have. */
static void take_comparison(struct base_text *t, struct hs_comparator *c, uint8_t input)
{
	*c = (struct hs_comparator){ .p_input = input, .s_input = input };
	c->p_function = take_function(t);
	c->p_match = base_text_number_0x(t);
	if (c->p_function != HS_COMP_EQ)
		return;
	if (base_text_skip(t, "-")) {
		c->p_function = HS_COMP_GE;
		c->s_function = HS_COMP_LE;
		c->match_mode = HS_COMP_BOTH;
		c->s_match = base_text_number_0x(t);
	} else if (input == HS_COMP_IADDR || input == HS_COMP_DADDR) {
		t->ok = false; /* a forgotten end; one address is "iaddr=N-N" */
	}
}

static void take_comparator_term(struct base_text *t, struct hs_comparator *c)
{
	if (base_text_skip(t, "iaddr")) {
		take_comparison(t, c, HS_COMP_IADDR);
	} else if (base_text_skip(t, "context")) {
		take_comparison(t, c, HS_COMP_CONTEXT);
	} else if (base_text_skip(t, "tval")) {
		take_comparison(t, c, HS_COMP_TVAL);
	} else if (base_text_skip(t, "time")) {
		take_comparison(t, c, HS_COMP_TIME);
	} else if (base_text_skip(t, "hart")) {
		take_comparison(t, c, HS_COMP_HART);
	} else if (base_text_skip(t, "daddr")) {
		take_comparison(t, c, HS_COMP_DADDR);
	} else if (base_text_skip(t, "latch=")) {
		*c = (struct hs_comparator){ .match_mode = HS_COMP_LATCH };
		c->p_match = base_text_number_0x(t);
		t->ok &= base_text_skip(t, "-");
		c->s_match = base_text_number_0x(t);
	} else {
		t->ok = false;
	}
}

/* Comparators that filters of @config use already. */
static unsigned comparators_used(const struct hs_qualifier_config *config)
{
	unsigned used = 0;

	for (unsigned f = 0; f < HS_FILTERS; f++)
		for (unsigned i = 0;
		     filter_is_used(&config->filters[f]) && i < config->filters[f].comps; i++)
			if (config->filters[f].comp[i] >= used)
				used = config->filters[f].comp[i] + 1u;
	return used;
}

enum hs_status hs_qualifier_parse(struct hs_qualifier_config *given, const char *text)
{
	struct hs_qualifier_config config;
	struct hs_filter f = { .enable = false };
	struct base_text t = base_text_of_string(text);
	unsigned free_filter = 0;

	if (base_take_config(&config, sizeof config, given) != HS_OK)
		return HS_E_CONFIG;
	unsigned used = comparators_used(&config);

	while (free_filter < HS_FILTERS && filter_is_used(&config.filters[free_filter]))
		free_filter++;
	do {
		if (take_plain_term(&t, &f))
			continue;
		if (used == HS_COMPARATORS || f.comps == 3)
			return HS_E_SPACE;
		take_comparator_term(&t, &config.comparators[used]);
		f.data |= config.comparators[used].p_input == HS_COMP_DADDR;
		f.comp[f.comps++] = (uint8_t)used++;
	} while (t.ok && base_text_skip(&t, "+"));
	if (!base_text_at_end(&t))
		return HS_E_FORMAT;
	if (free_filter == HS_FILTERS)
		return HS_E_SPACE;
	f.enable = !f.data;
	config.filters[free_filter] = f;
	return base_give_whole_config(given, &config);
}
