/* Filters by name: the set-up commands of PT 4. */
#include "ingress/filter.h"
#include "ingress/ingress.h"

#include "core/config.h"

/* ---- values --------------------------------------------------------------------------- */

/* All of @t as a word of the list "eq=0 neq=1 ...", or as a number. */
static uint64_t read_word(struct base_text *t, const char *words)
{
	struct base_text list = base_text_of_string(words);

	while (list.p < list.end) {
		const char *word = list.p;

		base_text_skip_to(&list, '=');
		const size_t n = (size_t)(list.p - word);

		list.p++;
		const uint64_t number = base_text_number(&list, 10, NULL);

		if (n == (size_t)(t->end - t->p) && memcmp(t->p, word, n) == 0) {
			t->p = t->end;
			return number;
		}
		base_text_skip_blanks(&list);
	}
	return base_text_number_0x(t);
}

static uint64_t at_most(struct base_text *t, uint64_t max)
{
	const uint64_t v = base_text_number_0x(t);

	t->ok &= v <= max;
	return t->ok ? v : 0;
}

/* ---- filters -------------------------------------------------------------------------- */

static void set_enable(struct hs_filter *f, struct base_text *t)
{
	f->enable = at_most(t, 1) != 0;
}

static void set_comps(struct hs_filter *f, struct base_text *t)
{
	f->comps = 0;
	do {
		const uint64_t n = base_text_number_0x(t);

		t->ok &= n < HS_COMPARATORS && f->comps < 3;
		if (t->ok)
			f->comp[f->comps++] = (uint8_t)n;
	} while (t->ok && base_text_skip(t, ","));
}

static void set_privilege(struct hs_filter *f, struct base_text *t)
{
	f->match_privilege = true;
	f->choice_privilege = filter_privileges(t);
}

static void set_ecause(struct hs_filter *f, struct base_text *t)
{
	f->match_ecause = true;
	f->choice_ecause = filter_causes(t);
}

static void set_ecause_value(struct hs_filter *f, struct base_text *t)
{
	f->single_ecause = true;
	f->value_ecause = (uint32_t)at_most(t, UINT32_MAX);
}

static void set_interrupt(struct hs_filter *f, struct base_text *t)
{
	f->match_interrupt = true;
	f->value_interrupt = at_most(t, 1) != 0;
}

static void set_user(struct hs_filter *f, struct base_text *t)
{
	if (!f->match_user && f->mask_user == 0)
		f->mask_user = UINT64_MAX;
	f->match_user = true;
	f->value_user = base_text_number_0x(t);
}

static void set_user_mask(struct hs_filter *f, struct base_text *t)
{
	f->match_user = true;
	f->mask_user = base_text_number_0x(t);
}

static void set_user_word(struct hs_filter *f, struct base_text *t)
{
	f->user_word = (uint8_t)at_most(t, 3);
}

static void set_data(struct hs_filter *f, struct base_text *t)
{
	f->data = at_most(t, 1) != 0;
}

static void set_dtype(struct hs_filter *f, struct base_text *t)
{
	f->match_dtype = true;
	f->choice_dtype = filter_types(t);
}

static void set_dsize(struct hs_filter *f, struct base_text *t)
{
	f->match_dsize = true;
	f->choice_dsize = filter_sizes(t);
}

/* ---- all ------------------------------------------------------------------------------ */

static void set_trace(struct hs_qualifier_config *c, struct base_text *t)
{
	const bool off = base_text_skip(t, "off");

	t->ok &= off || base_text_skip(t, "on");
	c->off = off;
}

static void set_nesting(struct hs_qualifier_config *c, struct base_text *t)
{
	c->filter_ecause = (uint8_t)at_most(t, 15);
}

static void set_address_bits(struct hs_qualifier_config *c, struct base_text *t)
{
	c->address_bits = (uint8_t)at_most(t, 64);
}

static void set_context_bits(struct hs_qualifier_config *c, struct base_text *t)
{
	c->context_bits = (uint8_t)at_most(t, 64);
}

static void set_member(struct hs_comparator *c, struct base_text *t, size_t offset, size_t size,
                       const char *words)
{
	const uint64_t v = read_word(t, words);
	const unsigned most = size == sizeof(bool) && !*words ? 1 : 7;

	t->ok &= size == sizeof(uint64_t) || v <= most;
	if (size == sizeof(uint64_t))
		memcpy((char *)c + offset, &v, sizeof v);
	else
		*((uint8_t *)c + offset) = (uint8_t)v;
}

#define MEMBER_SIZE(member) sizeof(((struct hs_comparator *)0)->member)

static const struct {
	const char *name;
	size_t offset, size;
	const char *words;
} comparator_names[] = {
#define HS_QUALIFIER_COMPARATOR(name, member, words, text) \
	{ name, offsetof(struct hs_comparator, member), MEMBER_SIZE(member), words },
#define HS_QUALIFIER_FILTER(...)
#define HS_QUALIFIER_ALL(...)
#include "ingress/qualifier_names.def"
#undef HS_QUALIFIER_COMPARATOR
#undef HS_QUALIFIER_FILTER
#undef HS_QUALIFIER_ALL
};

static const struct {
	const char *name;
	void (*set)(struct hs_filter *f, struct base_text *t);
} filter_names[] = {
#define HS_QUALIFIER_COMPARATOR(...)
#define HS_QUALIFIER_FILTER(name, reader, text) { name, reader },
#define HS_QUALIFIER_ALL(...)
#include "ingress/qualifier_names.def"
#undef HS_QUALIFIER_COMPARATOR
#undef HS_QUALIFIER_FILTER
#undef HS_QUALIFIER_ALL
};

static const struct {
	const char *name;
	void (*set)(struct hs_qualifier_config *c, struct base_text *t);
} all_names[] = {
#define HS_QUALIFIER_COMPARATOR(...)
#define HS_QUALIFIER_FILTER(...)
#define HS_QUALIFIER_ALL(name, reader, text) { name, reader },
#include "ingress/qualifier_names.def"
#undef HS_QUALIFIER_COMPARATOR
#undef HS_QUALIFIER_FILTER
#undef HS_QUALIFIER_ALL
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Is all that is left of a name this? */
static bool is_named(const struct base_text *name, const char *other)
{
	struct base_text t = *name;

	return base_text_skip(&t, other) && base_text_at_end(&t);
}

/* "N." of "comparator.N.": below @limit. */
static bool take_index(struct base_text *t, uint64_t limit, unsigned *index)
{
	const uint64_t v = base_text_number_0x(t);

	*index = (unsigned)(v < limit ? v : 0);
	return t->ok && v < limit && base_text_skip(t, ".");
}

static enum hs_status set_comparator(struct hs_comparator *c, const struct base_text *name,
                                     struct base_text *value)
{
	struct hs_comparator copy = *c;

	for (unsigned i = 0; i < COUNT(comparator_names); i++) {
		if (!is_named(name, comparator_names[i].name))
			continue;
		set_member(&copy, value, comparator_names[i].offset, comparator_names[i].size,
		           comparator_names[i].words);
		if (!base_text_at_end(value) || !filter_has_input(copy.p_input) ||
		    !filter_has_input(copy.s_input) || copy.match_mode > HS_COMP_LATCH)
			return HS_E_FORMAT;
		*c = copy;
		return HS_OK;
	}
	return HS_E_ARG;
}

static enum hs_status set_filter(struct hs_filter *f, const struct base_text *name,
                                 struct base_text *value)
{
	struct hs_filter copy = *f;

	for (unsigned i = 0; i < COUNT(filter_names); i++) {
		if (!is_named(name, filter_names[i].name))
			continue;
		filter_names[i].set(&copy, value);
		if (!base_text_at_end(value))
			return HS_E_FORMAT;
		*f = copy;
		return HS_OK;
	}
	return HS_E_ARG;
}

static enum hs_status set_all(struct hs_qualifier_config *c, const struct base_text *name,
                              struct base_text *value)
{
	struct hs_qualifier_config copy = *c;

	for (unsigned i = 0; i < COUNT(all_names); i++) {
		if (!is_named(name, all_names[i].name))
			continue;
		all_names[i].set(&copy, value);
		if (!base_text_at_end(value))
			return HS_E_FORMAT;
		*c = copy;
		return HS_OK;
	}
	return HS_E_ARG;
}

enum hs_status filter_set(struct hs_qualifier_config *c, struct base_text name,
                          struct base_text value)
{
	unsigned index;

	if (base_text_skip(&name, "comparator.")) {
		const bool good = take_index(&name, HS_COMPARATORS, &index);

		return good ? set_comparator(&c->comparators[index], &name, &value) : HS_E_ARG;
	}
	if (base_text_skip(&name, "filter.")) {
		const bool good = take_index(&name, HS_FILTERS, &index);

		return good ? set_filter(&c->filters[index], &name, &value) : HS_E_ARG;
	}
	return set_all(c, &name, &value);
}

enum hs_status hs_qualifier_set(struct hs_qualifier_config *config, const char *name,
                                const char *value)
{
	struct hs_qualifier_config own;

	if (base_take_config(&own, sizeof own, config) != HS_OK)
		return HS_E_CONFIG;
	const enum hs_status s =
		filter_set(&own, base_text_of_string(name), base_text_of_string(value));

	return s == HS_OK ? base_give_whole_config(config, &own) : s;
}
