/* One filter from text: terms joined by '+'. */
#include <hartscope/qualifier.h>

#include "base/mem.h"

struct text {
	const char *p;
	bool ok;
};

static bool take(struct text *t, const char *word)
{
	size_t n = 0;

	while (word[n] && t->p[n] == word[n])
		n++;
	if (word[n])
		return false;
	t->p += n;
	return true;
}

static unsigned digit(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	if (c >= 'a' && c <= 'f')
		return (unsigned)(c - 'a') + 10;
	return c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10 : 16;
}

static uint64_t number(struct text *t)
{
	const unsigned base = take(t, "0x") ? 16 : 10;
	const char *start = t->p;
	uint64_t v = 0;

	for (; digit(*t->p) < base; t->p++) {
		if (v > (base == 16 ? UINT64_MAX / 16 : UINT64_MAX / 10 - 1))
			t->ok = false;
		v = v * base + digit(*t->p);
	}
	t->ok &= t->p != start;
	return v;
}

static void range(struct text *t, struct hs_comparator *c)
{
	c->p_match = number(t);
	t->ok &= take(t, "-");
	c->s_match = number(t);
}

static void privileges(struct text *t, struct hs_filter *f)
{
	static const struct { const char *name; uint8_t priv; } names[] = {
		{ "VU", HS_PRIV_VU }, { "VS", HS_PRIV_VS }, { "U", HS_PRIV_U }, { "S", HS_PRIV_S }, { "M", HS_PRIV_M },
	};

	f->match_privilege = true;
	do {
		unsigned i = 0;

		while (i < 5 && !take(t, names[i].name))
			i++;
		t->ok &= i < 5;
		if (i < 5)
			f->choice_privilege |= (uint8_t)(1u << names[i].priv);
	} while (t->ok && take(t, ","));
}

static void causes(struct text *t, struct hs_filter *f)
{
	f->match_ecause = true;
	do {
		const uint64_t n = number(t);

		t->ok &= n < 64;
		if (t->ok)
			f->choice_ecause |= (uint64_t)1 << n;
	} while (t->ok && take(t, ","));
}

/* A term that needs no comparator. */
static bool plain_term(struct text *t, struct hs_filter *f)
{
	if (take(t, "priv="))
		privileges(t, f);
	else if (take(t, "ecause="))
		causes(t, f);
	else if (take(t, "interrupt"))
		f->match_interrupt = f->value_interrupt = true;
	else
		return false;
	return true;
}

static void comparator_term(struct text *t, struct hs_comparator *c)
{
	if (take(t, "iaddr=")) {
		*c = (struct hs_comparator){ .p_function = HS_COMP_GE, .s_function = HS_COMP_LE,
			                     .match_mode = HS_COMP_BOTH };
		range(t, c);
	} else if (take(t, "latch=")) {
		*c = (struct hs_comparator){ .match_mode = HS_COMP_LATCH };
		range(t, c);
	} else if (take(t, "context=")) {
		*c = (struct hs_comparator){ .p_input = HS_COMP_CONTEXT };
		c->p_match = number(t);
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
	struct text t = { text, true };
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
	} while (t.ok && take(&t, "+"));
	if (!t.ok || *t.p)
		return HS_E_FORMAT;
	if (free_filter == HS_FILTERS)
		return HS_E_SPACE;
	memcpy(config->comparators, comparators, sizeof comparators);
	config->filters[free_filter] = f;
	return HS_OK;
}
