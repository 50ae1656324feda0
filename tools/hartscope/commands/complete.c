/* hartscope complete: what a shell offers at the cursor.  The rows of the options answer, so that
 * nothing is written down twice.  Words of the command line come in, candidates go out, a line
 * each: the word, a tab, and what it means; ":files" where a path belongs. */
#include <string.h>

#include "common/complete.h"

void complete_offer(const char *typed, const char *word, const char *help)
{
	if (strncmp(typed, word, strlen(typed)) == 0)
		printf("%s\t%.60s\n", word, help ? help : "");
}

/* @first, @sign and @word of @n bytes as one candidate. */
static void offer(const struct completion *c, const char *first, const char *sign, const char *word,
                  size_t n, const char *help)
{
	char text[256];

	snprintf(text, sizeof(text), "%s%s%.*s", first, sign, (int)n, word);
	if (strncmp(c->word, text, strlen(c->word)) == 0)
		printf("%.*s%s\t%.60s\n", (int)c->before_n, c->before, text, help ? help : "");
}

void complete_name(const struct completion *c, const char *name, const char *help)
{
	offer(c, "", "", name, strlen(name), help);
}

void complete_start(const struct completion *c, const char *name, const char *help)
{
	offer(c, name, "=", "", 0, help);
}

/* The words of a list; of "name=3" the name.  @sign: between them and @first. */
static void offer_words(const struct completion *c, const char *first, const char *sign,
                        const char *words)
{
	for (const char *at = words; at && *at; at += strcspn(at, " ")) {
		at += strspn(at, " ");
		const size_t n = strcspn(at, " =");
		const bool open = at[n] == '=' && (at[n + 1] == ' ' || !at[n + 1]);

		offer(c, first, sign, at, n + open, NULL);
	}
}

/* Parameters as NAME=, and after that their words. */
static void offer_params(const struct completion *c, const struct hs_protocol *p)
{
	const size_t name = strcspn(c->word, "=");

	for (unsigned i = 0; i < p->param_count; i++) {
		const struct hs_param *param = &p->params[i];

		if (!c->word[name])
			complete_start(c, param->name, param->help);
		else if (strlen(param->name) == name && !strncmp(c->word, param->name, name))
			offer_words(c, param->name, "=", param->words);
	}
}

static void offer_dialects(const struct completion *c, const struct hs_protocol *p)
{
	for (unsigned i = 0; i < p->param_count; i++)
		if (strcmp(p->params[i].name, "dialect") == 0)
			offer_words(c, "", "", p->params[i].words);
}

static void offer_kinds(const struct completion *c, const struct hs_protocol *p)
{
	struct hs_lint_kind kind;

	for (unsigned i = 0; hs_lint_get_kind(p, i, &kind); i++)
		complete_name(c, kind.name, kind.text);
}

static void each_protocol(const struct completion *c,
                          void (*put)(const struct completion *c, const struct hs_protocol *p))
{
	for (unsigned i = 0; hs_protocol_at(i); i++)
		if (!c->protocol || strcmp(c->protocol, hs_protocol_at(i)->name) == 0)
			put(c, hs_protocol_at(i));
}

void complete_params(const struct completion *c)
{
	each_protocol(c, offer_params);
}

void complete_dialects(const struct completion *c)
{
	each_protocol(c, offer_dialects);
}

void complete_kinds(const struct completion *c)
{
	each_protocol(c, offer_kinds);
}

static void offer_value(const struct option_row *r, const struct completion *c)
{
	static const char *const paths[] = { "FILE", "PATH", "DIR", "REC", "DUMP" };

	offer_words(c, "", "", r->words);
	if (r->offer)
		r->offer(c);
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++)
		if (strncmp(r->value, paths[i], strlen(paths[i])) == 0)
			puts(":files");
}

static void offer_options(const struct usage *u, const char *typed)
{
	for (struct option_place at = { .row = NULL }; option_next(u, &at);)
		complete_offer(typed, at.row->name, at.row->help);
	if (strcmp(typed, "--help") != 0)
		complete_offer(typed, "--all", "of --help: every option");
}

/* Does the word name the option, and keep its value out of itself? */
static bool wants_value(const struct option_row *r, const char *word)
{
	return r->value && *r->value != '[' &&
	       (strcmp(word, r->name) == 0 ||
	        (r->letter && word[0] == '-' && word[1] == r->letter && !word[2]));
}

static const struct option_row *find_waiting(const struct usage *u, const char *word)
{
	for (struct option_place at = { .row = NULL }; option_next(u, &at);)
		if (wants_value(at.row, word))
			return at.row;
	return NULL;
}

/* "--name=VALUE" */
static const struct option_row *find_joined(const struct usage *u, const char *word)
{
	const size_t n = strcspn(word, "=");

	for (struct option_place at = { .row = NULL }; word[n] && option_next(u, &at);)
		if (at.row->value && strlen(at.row->name) == n &&
		    strncmp(word, at.row->name, n) == 0)
			return at.row;
	return NULL;
}

void complete_options(const struct usage *u, int argc, char **argv)
{
	struct completion c = { .before = "", .word = argc ? argv[argc - 1] : "" };
	const struct option_row *waiting = NULL, *joined = find_joined(u, c.word);

	for (int i = 0; i + 1 < argc; i++) {
		waiting = waiting ? NULL : find_waiting(u, argv[i]);
		if (!waiting && u->rest && (argv[i][0] != '-' || strcmp(argv[i], "--") == 0) &&
		    (i == 0 || !find_waiting(u, argv[i - 1]))) {
			puts(":files");
			return;
		}
		if (waiting &&
		    (!strcmp(waiting->name, "--protocol") || !strcmp(waiting->name, "--encode")))
			c.protocol = argv[i + 1];
	}
	if (joined && !waiting) {
		c.before = c.word;
		c.before_n = (unsigned)strcspn(c.word, "=") + 1;
		c.word += c.before_n;
		waiting = joined;
	}
	if (waiting)
		offer_value(waiting, &c);
	else if (*c.word == '-')
		offer_options(u, c.word);
	else
		puts(":files");
}
