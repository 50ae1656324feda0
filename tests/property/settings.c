/* Random sets of parameters of both protocols: what is refused is refused with names and values that
 * are legal. */
#include <hartscope/trace_params.h>

#include "property/campaign.h"
#include "property/randprog.h"
#include "trace/trace.h"

#define MOST 10u /* parameters of a set; others may be added to make it good */
#define ROOM 20u

/* The set that is asked for: names of parameters of a protocol, each once, with values as text. */
struct set {
	const struct hs_protocol *p;
	struct hs_setting settings[ROOM];
	char values[ROOM][200];
	unsigned count;
};

/* ---- random sets ---------------------------------------------------------------------- */

static unsigned count_words(const char *words)
{
	unsigned n = 0;

	for (; words && *words; words++)
		n += *words == '=';
	return n;
}

/* Append word @n of "btm=3 htm=6". */
static void add_word(char *text, const char *words, unsigned n)
{
	for (; n; n--)
		words = strchr(words, ' ') + 1;
	strncat(text, words, strcspn(words, "="));
}

static void random_list(struct rng *r, const struct hs_param *param, char *text)
{
	*text = '\0';
	for (unsigned n = 1 + rng_below(r, 6); n; n--) {
		add_word(text, param->words, rng_below(r, count_words(param->words)));
		if (n > 1)
			strcat(text, ",");
	}
}

static uint64_t random_number(struct rng *r, uint64_t max)
{
	const uint64_t v = rng_one_in(r, 3) ? rng_next(r) : rng_below(r, rng_one_in(r, 2) ? 2 : 17);

	return max == UINT64_MAX ? v : v % (max + 1);
}

static void random_value(struct rng *r, const struct hs_param *param, char text[200])
{
	const unsigned words = count_words(param->words);

	*text = '\0';
	if (param->list)
		random_list(r, param, text);
	else if (words && !rng_one_in(r, 4))
		add_word(text, param->words, rng_below(r, words));
	else
		sprintf(text, "%llu", (unsigned long long)random_number(r, param->max));
}

static bool has(const struct set *s, const char *name)
{
	for (unsigned i = 0; i < s->count; i++)
		if (strcmp(s->settings[i].name, name) == 0)
			return true;
	return false;
}

static void make_set(struct set *s, struct rng *r)
{
	s->p = hs_protocol_at(rng_one_in(r, 3) ? 0 : 1);
	s->count = 0;
	for (unsigned n = 1 + rng_below(r, MOST); n; n--) {
		const struct hs_param *param = &s->p->params[rng_below(r, s->p->param_count)];

		if (has(s, param->name))
			continue;
		random_value(r, param, s->values[s->count]);
		s->settings[s->count] = (struct hs_setting){ param->name, s->values[s->count] };
		s->count++;
	}
}

static enum hs_status open_set(const struct set *s, struct hs_trace_params **params,
                               struct hs_error *e)
{
	const struct hs_trace_params_options o = { .size = sizeof o,
		                                   .protocol = s->p->name,
		                                   .settings = s->settings,
		                                   .setting_count = s->count };

	return hs_trace_params_open(&o, params, e);
}

static void print_set(const struct set *s)
{
	print_message("--protocol %s", s->p->name);
	for (unsigned i = 0; i < s->count; i++)
		print_message(" --set %s=%s", s->settings[i].name, s->settings[i].value);
	print_message("\n");
}

/* ---- what is refused says what would be taken -------------------------------------------- */

/* Set @name in @s to the first value of @legal, "0, 4 to 22)". */
static void take_legal(struct set *s, const char *name, size_t length, const char *legal)
{
	const struct hs_param *param = s->p->params;
	unsigned i = 0;

	while (strlen(param->name) != length || memcmp(param->name, name, length) != 0)
		assert_ptr_not_equal(++param, s->p->params + s->p->param_count);
	while (i < s->count && strcmp(s->settings[i].name, param->name) != 0)
		i++;
	assert_true(i < ROOM);
	sprintf(s->values[i], "%.*s", (int)strcspn(legal, ", )"), legal);
	s->settings[i] = (struct hs_setting){ param->name, s->values[i] };
	s->count += i == s->count;
}

/* Change what the text says: the first of several that would do, or all that have to.
 * @return  How many. */
static unsigned follow(struct set *s, const char *text)
{
	unsigned n = 0;

	for (const char *legal = strstr(text, " (legal: "); legal;
	     legal = strstr(legal + 1, " (legal: ")) {
		const char *name = legal;

		while (name > text && name[-1] != ' ')
			name--;
		take_legal(s, name, strcspn(name, "="), legal + 9);
		n++;
		if (!strstr(text, ") and "))
			break;
	}
	return n;
}

static void refuse_one(uint64_t seed)
{
	struct rng r = rng_start(seed);
	struct hs_trace_params *p = NULL;
	struct hs_error e = { 0 };
	struct set s, before;

	make_set(&s, &r);
	if (open_set(&s, &p, &e) == HS_OK) {
		hs_trace_params_free(p);
		return;
	}
	before = s;
	for (unsigned i = 0; i < s.count; i++)
		before.settings[i].value = before.values[i];
	if (follow(&s, e.text) == 0 || open_set(&s, &p, NULL) != HS_OK) {
		print_set(&before);
		fail_msg("%s", e.text);
	}
	hs_trace_params_free(p);
}

CAMPAIGN(a_refusal_names_what_is_legal)
{
	campaign_run(3000, refuse_one);
}
