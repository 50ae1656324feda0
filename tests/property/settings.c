/* Random sets of parameters of both protocols: they mean the same wherever they come from, and what
 * is refused is refused with names and values that are legal. */
#include <unistd.h>

#include <hartscope/trace_params.h>

#include "property/campaign.h"
#include "etrace/et_config.h"
#include "property/randset.h"
#include "trace/trace.h"

/* ---- what is refused says what would be taken -------------------------------------------- */

/* Set @name in @s to the first value of @legal, "0, 4 to 22)". */
static void take_legal(struct randset *s, const char *name, size_t length, const char *legal)
{
	const struct hs_param *param = s->p->params;
	unsigned i = 0;

	while (strlen(param->name) != length || memcmp(param->name, name, length) != 0)
		assert_ptr_not_equal(++param, s->p->params + s->p->param_count);
	while (i < s->count && strcmp(s->settings[i].name, param->name) != 0)
		i++;
	assert_true(i < RANDSET_ROOM);
	sprintf(s->values[i], "%.*s", (int)strcspn(legal, ", )"), legal);
	s->settings[i] = (struct hs_setting){ param->name, s->values[i] };
	s->count += i == s->count;
}

/* Change what the text says: the first of several that would do, or all that have to.
 * @return  How many. */
static unsigned follow(struct randset *s, const char *text)
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
	struct randset s, before;

	randset_make(&s, &r);
	if (randset_open(&s, &p, &e) == HS_OK) {
		hs_trace_params_free(p);
		return;
	}
	before = s;
	for (unsigned i = 0; i < s.count; i++)
		before.settings[i].value = before.values[i];
	if (follow(&s, e.text) == 0 || randset_open(&s, &p, NULL) != HS_OK) {
		randset_print(&before);
		fail_msg("%s", e.text);
	}
	hs_trace_params_free(p);
}

CAMPAIGN(a_refusal_names_what_is_legal)
{
	campaign_run(3000, refuse_one);
}

/* ---- one meaning ---------------------------------------------------------------------- */

#define TEXT 4096u

static void lines_text(const struct randset *s, unsigned from, unsigned to, char text[TEXT])
{
	size_t n = (size_t)snprintf(text, TEXT, "; settings\n");

	for (unsigned i = from; i < to; i++)
		n += (size_t)snprintf(text + n, TEXT - n, "%s = %s # random\n", s->settings[i].name,
		                      s->settings[i].value);
}

static void json_text(const struct randset *s, char text[TEXT])
{
	size_t n = (size_t)snprintf(text, TEXT, "{\"protocol\": \"%s\", \"set\": {", s->p->name);

	for (unsigned i = 0; i < s->count; i++)
		n += (size_t)snprintf(text + n, TEXT - n, "%s\"%s\": \"%s\"", i ? ", " : "",
		                      s->settings[i].name, s->settings[i].value);
	snprintf(text + n, TEXT - n, "}}");
}

/* Rows as QEMU's model of an encoder writes them.  False: it has no rows for such values. */
static bool rows_text(const struct randset *s, char text[TEXT])
{
	size_t n = 0;

	text[0] = '\0';
	for (unsigned i = 0; i < s->count; i++) {
		const char *v = s->settings[i].value;

		if (v[strspn(v, "0123456789")] || *v == '0' || strlen(v) > 19)
			return false;
		n += (size_t)snprintf(text + n, TEXT - n, ".itrace.%s,%s\n", s->settings[i].name,
		                      v);
	}
	return true;
}

static const char *const file_name = "settings-of-a-property-test";

static void write_text(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

/* The parameters of a file with @text, and after it the settings of @s from number @from on. */
static enum hs_status open_file(const struct randset *s, const char *text, unsigned from,
                                struct hs_trace_params **params)
{
	const struct hs_trace_params_options o = { .size = sizeof o,
		                                   .protocol = s->p->name,
		                                   .configs = &file_name,
		                                   .config_count = 1,
		                                   .settings = s->settings + from,
		                                   .setting_count = s->count - from };

	write_text(file_name, text);
	return hs_trace_params_open(&o, params, NULL);
}

static enum hs_status open_json(const char *text, struct hs_trace_params **params)
{
	const struct hs_trace_params_options o = {
		.size = sizeof o, .configs = &file_name, .config_count = 1
	};

	write_text(file_name, text);
	return hs_trace_params_open(&o, params, NULL);
}

static const struct hs_isa rv32 = { .xlen = 32 };

/* What follows where nothing decided it: periodic synchronisation, the width of addresses. */
static void complete(struct hs_trace_params *p)
{
	hs_trace_params_set_default_sync(p);
	hs_trace_params_set_default_width(p, &rv32);
}

/* All parameters, and the configuration that they make. */
static bool are_same(const struct randset *s, const struct hs_trace_params *a,
                     const struct hs_trace_params *b)
{
	struct hs_et_config x, y;

	for (unsigned i = 0; i < s->p->param_count; i++)
		if (hs_trace_params_number(a, s->p->params[i].name) !=
		    hs_trace_params_number(b, s->p->params[i].name))
			return false;
	if (hs_protocol_get_etrace(s->p, hs_trace_params_config(a), &x) != HS_OK)
		return memcmp(hs_trace_params_config(a), hs_trace_params_config(b),
		              s->p->config_size) == 0;
	return hs_protocol_get_etrace(s->p, hs_trace_params_config(b), &y) == HS_OK &&
	       memcmp(&x, &y, sizeof x) == 0;
}

static void print_difference(const struct randset *s, const struct hs_trace_params *a,
                             const struct hs_trace_params *b)
{
	randset_print(s);
	for (unsigned i = 0; i < s->p->param_count; i++) {
		const char *name = s->p->params[i].name;

		if (hs_trace_params_number(a, name) != hs_trace_params_number(b, name))
			print_message("%s: %llu, %llu\n", name,
			              (unsigned long long)hs_trace_params_number(a, name),
			              (unsigned long long)hs_trace_params_number(b, name));
	}
}

/* @p, opened with @got in another way, is as @want, of a set that is taken or refused. */
static void expect_same(const struct randset *s, const char *way, enum hs_status status,
                        const struct hs_trace_params *want, enum hs_status got,
                        struct hs_trace_params **params)
{
	struct hs_trace_params *p = *params;

	if (status == got && status == HS_OK)
		complete(p);
	if (status == got && (status != HS_OK || are_same(s, want, p))) {
		for (unsigned i = 0; i < s->p->param_count && status == HS_OK; i++)
			assert_int_equal(hs_trace_params_chose(want, s->p->params[i].name),
			                 hs_trace_params_chose(p, s->p->params[i].name));
		if (status == HS_OK)
			hs_trace_params_free(p);
		return;
	}
	if (status == got)
		print_difference(s, want, p);
	fail_msg("%s: %s, not %s", way, hs_status_name(got), hs_status_name(status));
}

/* TRACE.json has all of it. */
static void expect_written(const struct randset *s, struct hs_trace_params *want)
{
	const struct hs_trace_params_options o = { .size = sizeof o, .trace = file_name };
	struct hs_trace_params *p = NULL;

	write_text(file_name, "no trace");
	assert_int_equal(hs_trace_params_write_beside(want, file_name, NULL), HS_OK);
	const enum hs_status got = hs_trace_params_open(&o, &p, NULL);

	assert_int_equal(got, HS_OK);
	if (!are_same(s, want, p)) {
		print_difference(s, want, p);
		fail_msg("TRACE.json");
	}
	hs_trace_params_free(p);
	unlink("settings-of-a-property-test.json");
}

static void compare_one(uint64_t seed)
{
	struct rng r = rng_start(seed);
	struct hs_trace_params *want = NULL, *p = NULL;
	struct randset s;
	char text[TEXT];

	randset_make(&s, &r);
	const enum hs_status status = randset_open(&s, &want, NULL);
	const unsigned half = rng_below(&r, s.count + 1);

	if (status == HS_OK)
		complete(want);
	lines_text(&s, 0, s.count, text);
	expect_same(&s, "lines", status, want, open_file(&s, text, s.count, &p), &p);
	lines_text(&s, 0, half, text);
	expect_same(&s, "lines, then settings", status, want, open_file(&s, text, half, &p), &p);
	json_text(&s, text);
	expect_same(&s, "JSON", status, want, open_json(text, &p), &p);
	if (rows_text(&s, text))
		expect_same(&s, "rows", status, want, open_file(&s, text, s.count, &p), &p);
	if (status == HS_OK)
		expect_written(&s, want);
	hs_trace_params_free(want);
}

CAMPAIGN(a_setting_means_the_same_wherever_it_comes_from)
{
	campaign_run(10000, compare_one);
	unlink(file_name);
}
