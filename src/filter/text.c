/* One filter from text: terms joined by '+'. */
#include "filter/text.h"

#include "base/digit.h"
#include "base/mem.h"

bool filter_take(struct filter_text *t, const char *word)
{
	size_t n = 0;

	while (word[n] && t->p[n] == word[n])
		n++;
	if (word[n])
		return false;
	t->p += n;
	return true;
}

uint64_t filter_number(struct filter_text *t)
{
	const unsigned base = filter_take(t, "0x") ? 16 : 10;
	const char *start = t->p;
	uint64_t v = 0;

	for (; hs_digit(*t->p) < base; t->p++) {
		if (v > (base == 16 ? UINT64_MAX / 16 : UINT64_MAX / 10 - 1))
			t->ok = false;
		v = v * base + hs_digit(*t->p);
	}
	t->ok &= t->p != start;
	return v;
}

uint8_t filter_privileges(struct filter_text *t)
{
	static const struct { const char *name; uint8_t priv; } names[] = {
		{ "VU", HS_PRIV_VU }, { "VS", HS_PRIV_VS }, { "U", HS_PRIV_U }, { "S", HS_PRIV_S },
		{ "M", HS_PRIV_M },
	};
	uint8_t choice = 0;

	do {
		unsigned i = 0;

		while (i < 5 && !filter_take(t, names[i].name))
			i++;
		t->ok &= i < 5;
		if (i < 5)
			choice |= (uint8_t)(1u << names[i].priv);
	} while (t->ok && filter_take(t, ","));
	return choice;
}

uint64_t filter_causes(struct filter_text *t)
{
	uint64_t choice = 0;

	do {
		const uint64_t n = filter_number(t);

		t->ok &= n < 64;
		if (t->ok)
			choice |= (uint64_t)1 << n;
	} while (t->ok && filter_take(t, ","));
	return choice;
}

/* "user=VALUE", or with the bits that count: "user=VALUE/MASK". */
static void user(struct filter_text *t, struct hs_filter *f)
{
	f->match_user = true;
	f->value_user = filter_number(t);
	f->mask_user = filter_take(t, "/") ? filter_number(t) : UINT64_MAX;
}

/* A term that needs no comparator. */
static bool plain_term(struct filter_text *t, struct hs_filter *f)
{
	if (filter_take(t, "priv=")) {
		f->match_privilege = true;
		f->choice_privilege |= filter_privileges(t);
	} else if (filter_take(t, "ecause=")) {
		f->match_ecause = true;
		f->choice_ecause |= filter_causes(t);
	} else if (filter_take(t, "interrupt")) {
		f->match_interrupt = f->value_interrupt = true;
	} else if (filter_take(t, "exception")) {
		f->match_interrupt = true;
	} else if (filter_take(t, "user=")) {
		user(t, f);
	} else {
		return false;
	}
	return true;
}

/* The operations of PT 4; longer names come first. */
static uint8_t function(struct filter_text *t)
{
	static const struct { const char *sign; uint8_t function; } signs[] = {
		{ "!=", HS_COMP_NE }, { "<=", HS_COMP_LE }, { ">=", HS_COMP_GE }, { "=", HS_COMP_EQ },
		{ "<", HS_COMP_LT }, { ">", HS_COMP_GT },
	};

	for (unsigned i = 0; i < sizeof signs / sizeof *signs; i++)
		if (filter_take(t, signs[i].sign))
			return signs[i].function;
	t->ok = false;
	return 0;
}

/* "INPUT OP N" without blanks, or "INPUT=FIRST-LAST", which addresses must have. */
static void comparison(struct filter_text *t, struct hs_comparator *c, uint8_t input)
{
	*c = (struct hs_comparator){ .p_input = input, .s_input = input };
	c->p_function = function(t);
	c->p_match = filter_number(t);
	if (c->p_function != HS_COMP_EQ)
		return;
	if (filter_take(t, "-")) {
		c->p_function = HS_COMP_GE;
		c->s_function = HS_COMP_LE;
		c->match_mode = HS_COMP_BOTH;
		c->s_match = filter_number(t);
	} else if (input == HS_COMP_IADDR) {
		t->ok = false; /* a forgotten end; one address is "iaddr=N-N" */
	}
}

static void comparator_term(struct filter_text *t, struct hs_comparator *c)
{
	if (filter_take(t, "iaddr")) {
		comparison(t, c, HS_COMP_IADDR);
	} else if (filter_take(t, "context")) {
		comparison(t, c, HS_COMP_CONTEXT);
	} else if (filter_take(t, "tval")) {
		comparison(t, c, HS_COMP_TVAL);
	} else if (filter_take(t, "latch=")) {
		*c = (struct hs_comparator){ .match_mode = HS_COMP_LATCH };
		c->p_match = filter_number(t);
		t->ok &= filter_take(t, "-");
		c->s_match = filter_number(t);
	} else {
		t->ok = false;
	}
}

/* Comparators that filters of @config use already. */
static unsigned comparators_used(const struct hs_qualifier_config *config)
{
	unsigned used = 0;

	for (unsigned f = 0; f < HS_FILTERS; f++)
		for (unsigned i = 0; config->filters[f].enable && i < config->filters[f].comps; i++)
			if (config->filters[f].comp[i] >= used)
				used = config->filters[f].comp[i] + 1u;
	return used;
}

enum hs_status hs_qualifier_parse(struct hs_qualifier_config *config, const char *text)
{
	struct hs_comparator comparators[HS_COMPARATORS];
	struct hs_filter f = { .enable = true };
	struct filter_text t = { text, true };
	unsigned free_filter = 0, used = comparators_used(config);

	while (free_filter < HS_FILTERS && config->filters[free_filter].enable)
		free_filter++;
	memcpy(comparators, config->comparators, sizeof comparators);
	do {
		if (plain_term(&t, &f))
			continue;
		if (used == HS_COMPARATORS || f.comps == 3)
			return HS_E_SPACE;
		comparator_term(&t, &comparators[used]);
		f.comp[f.comps++] = (uint8_t)used++;
	} while (t.ok && filter_take(&t, "+"));
	if (!t.ok || *t.p)
		return HS_E_FORMAT;
	if (free_filter == HS_FILTERS)
		return HS_E_SPACE;
	memcpy(config->comparators, comparators, sizeof comparators);
	config->filters[free_filter] = f;
	return HS_OK;
}
