/* A random set of parameters of a protocol; see randset.h. */
#include "property/randset.h"

#include <stdio.h>
#include <string.h>

#include "cases.h"

#define MOST 10u /* parameters of a set; others may be added to make it good */

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

const char *randset_value(const struct randset *s, const char *name)
{
	for (unsigned i = 0; i < s->count; i++)
		if (strcmp(s->settings[i].name, name) == 0)
			return s->settings[i].value;
	return NULL;
}

void randset_add(struct randset *s, const char *name, const char *value)
{
	if (randset_value(s, name) || s->count == RANDSET_ROOM)
		return;
	snprintf(s->values[s->count], sizeof(s->values[0]), "%s", value);
	s->settings[s->count] = (struct hs_setting){ name, s->values[s->count] };
	s->count++;
}

void randset_more(struct randset *s, struct rng *r, unsigned n)
{
	char text[200];

	for (; n; n--) {
		const struct hs_param *param = &s->p->params[rng_below(r, s->p->param_count)];

		if (randset_value(s, param->name))
			continue;
		random_value(r, param, text);
		randset_add(s, param->name, text);
	}
}

void randset_make(struct randset *s, struct rng *r)
{
	s->p = hs_protocol_at(rng_one_in(r, 3) ? 0 : 1);
	s->count = 0;
	randset_more(s, r, 1 + rng_below(r, MOST));
}

enum hs_status randset_open(const struct randset *s, struct hs_trace_params **params,
                            struct hs_error *e)
{
	const struct hs_trace_params_options o = { .size = sizeof o,
		                                   .protocol = s->p->name,
		                                   .settings = s->settings,
		                                   .setting_count = s->count };

	return hs_trace_params_open(&o, params, e);
}

void randset_print(const struct randset *s)
{
	print_message("--protocol %s", s->p->name);
	for (unsigned i = 0; i < s->count; i++)
		print_message(" --set %s=%s", s->settings[i].name, s->settings[i].value);
	print_message("\n");
}
