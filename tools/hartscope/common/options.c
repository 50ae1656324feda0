/* Parsing of options by their rows. */
#include <string.h>

#include <hartscope/status.h>

#include "common/complete.h"
#include "common/limits.h"
#include "common/overwrite.h"
#include "common/sandbox.h"

bool read_number(const char *name, const char *text, uint64_t max, uint64_t *out)
{
	const bool good = hs_text_number(text, 1000, out) == HS_OK;

	if (good && *out <= max)
		return true;
	if (good)
		complain("%s is at most %llu, not %s", name, (unsigned long long)max, text);
	else
		complain("%s needs a number, not '%s'", name, text);
	return false;
}

/* ---- rows ---------------------------------------------------------------------------- */

static bool parse_json(void *options, const struct option_row *r, char *value)
{
	struct options *o = options;

	(void)r;
	o->json = true;
	o->json_array = value && strcmp(value, "array") == 0;
	if (value && !o->json_array)
		complain("--json takes no value but array, not '%s'", value);
	return !value || o->json_array;
}

/* clang-format off */
const struct option_row options_output[] = {
	{ "--output", 'o', "PATH", "write to PATH ('-': standard output, for bytes)",
	  AS_TEXT(struct options, output), .reach = REACH_OUTPUT },
	{ .name = NULL }
};

const struct option_row options_json[] = {
	{ "--json", 0, "[=array]",
	  "print JSON: one object, or of many one a line; array: all of them as one array",
	  PARSED(parse_json), .words = "array" },
	{ .name = NULL }
};

const struct option_row options_force[] = {
	{ "--force", 0, NULL,
	  "replace what exists under the output's name, even if it was made from another input, "
	  "with other parameters or by another command", PARSED(overwrite_allow) },
	{ .name = NULL }
};

const struct option_row options_quiet[] = {
	{ "--quiet", 'q', NULL, "no progress, no summary", AS_FLAG(struct options, quiet) },
	{ .name = NULL }
};

#define LIMIT_ROWS \
	{ "--memory-limit", 0, "SIZE", \
	  "end with an error rather than need more memory, such as 2G", PARSED(limit_memory) }, \
	{ "--time-limit", 0, "SECONDS", "end, as by SIGTERM, when this time is over", \
	  PARSED(limit_time) }
#define HELP_ROW { "--help", 'h', NULL, "print this text", AS_FLAG(struct options, help) }

const struct option_row options_general[] = { LIMIT_ROWS, HELP_ROW, { .name = NULL } };

const struct option_row options_reading[] = {
	{ "--allow-paths", 0, NULL, "read all files that recordings and traces name",
	  AS_FLAG(struct options, allow_paths) },
	LIMIT_ROWS,
	{ "--no-sandbox", 0, NULL, "without limits on files and system calls",
	  AS_FLAG(struct options, no_sandbox) },
	HELP_ROW,
	{ .name = NULL }
};
/* clang-format on */

bool option_next(const struct usage *u, struct option_place *at)
{
	if (at->row)
		at->row++;
	else
		at->group = u->options;
	for (; at->group->rows; at->group++, at->row = NULL) {
		if (!at->row)
			at->row = at->group->rows;
		if (at->row->name &&
		    (!at->group->count || at->row < at->group->rows + at->group->count))
			return true;
	}
	return false;
}

bool option_has(const struct usage *u, const char *name)
{
	for (struct option_place at = { .row = NULL }; option_next(u, &at);)
		if (strcmp(at.row->name, name) == 0)
			return true;
	return false;
}

/* ---- values -------------------------------------------------------------------------- */

bool option_add(struct option_list *list, const struct option_row *r, const char *word)
{
	if (list->count == r->arg) {
		complain("%s may be given at most %d times", r->name, (int)r->arg);
		return false;
	}
	list->at[list->count++] = word;
	return true;
}

bool setting_cut(const char *option, char *text, struct hs_setting *setting)
{
	char *equals = strchr(text, '=');

	if (!equals || equals == text) {
		complain("%s needs NAME=VALUE, not '%s'", option, text);
		return false;
	}
	*equals = '\0';
	*setting = (struct hs_setting){ text, equals + 1 };
	return true;
}

bool setting_keep(struct option_settings *s, const char *option, const char *name,
                  const char *value)
{
	if (s->count == SETTINGS_MAX) {
		complain("%s may be given at most %d times", option, SETTINGS_MAX);
		return false;
	}
	s->at[s->count++] = (struct hs_setting){ name, value };
	return true;
}

static bool add_setting(struct option_settings *s, const struct option_row *r, char *text)
{
	struct hs_setting cut;

	return setting_cut(r->name, text, &cut) && setting_keep(s, r->name, cut.name, cut.value);
}

bool option_limit(void *to, const struct option_row *r, char *value)
{
	uint64_t *limit = to;

	if (!read_number(r->name, value, UINT64_MAX, limit))
		return false;
	if (!*limit)
		complain("%s needs a number from 1 on: without it there is no limit", r->name);
	return *limit != 0;
}

static bool set_option(const struct option_place *at, struct options *o, char *value)
{
	const struct option_row *r = at->row;
	void *to = (char *)o + at->group->base + r->offset;

	switch (r->type) {
	case OPTION_FLAG:
		*(bool *)to = true;
		return true;
	case OPTION_TEXT:
		*(const char **)to = value;
		return true;
	case OPTION_NUMBER:
		return read_number(r->name, value, r->arg ? r->arg : UINT64_MAX, to);
	case OPTION_LIST:
		return option_add(to, r, value);
	case OPTION_SETTING:
		return add_setting(to, r, value);
	case OPTION_PARSED:
		break;
	}
	return r->parse(to, r, value);
}

/* ---- words --------------------------------------------------------------------------- */

/* The row of an option.  *length: where its value begins if it is in the same word. */
static bool find_option(const struct usage *u, const char *word, struct option_place *at,
                        size_t *length)
{
	for (*at = (struct option_place){ .row = NULL }; option_next(u, at);) {
		const struct option_row *r = at->row;
		const size_t n = strlen(r->name);

		*length = n;
		if (strncmp(word, r->name, n) == 0 && (!word[n] || (word[n] == '=' && r->value)))
			return true;
		*length = 2;
		if (r->letter && word[0] == '-' && word[1] == r->letter && (!word[2] || r->value))
			return true;
	}
	return false;
}

/* There is no such option: which one may be meant. */
static void complain_option(const struct usage *u, const char *word)
{
	char name[64];
	struct guess guess = { .wanted = name };

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word, "="), word);
	for (struct option_place at = { .row = NULL }; option_next(u, &at);)
		guess_try(&guess, at.row->name);
	complain("%s has no option '%s'%s; 'hartscope %s --help --all' lists them", u->name, name,
	         guess_text(&guess), u->name);
}

static bool parse_option(const struct usage *u, int argc, char **argv, int *i, struct options *o)
{
	char *word = argv[*i];
	struct option_place at;
	size_t n = 0;

	if (!find_option(u, word, &at, &n)) {
		complain_option(u, word);
		return false;
	}
	if (!at.row->value || *at.row->value == '[')
		return set_option(&at, o, word[n] == '=' ? word + n + 1 : NULL);
	if (word[n])
		return set_option(&at, o, word + n + (word[n] == '='));
	if (*i + 1 >= argc) {
		complain("%s needs %s; see 'hartscope %s --help'", at.row->name, at.row->value,
		         u->name);
		return false;
	}
	return set_option(&at, o, argv[++*i]);
}

static bool parse_all(const struct usage *u, int argc, char **argv, struct options *o)
{
	bool only_args = false;

	for (int i = 1; i < argc; i++) {
		if (o->help) {
			o->help_all |= strcmp(argv[i], "--all") == 0;
			continue;
		}
		if (!only_args && strcmp(argv[i], "--") == 0) {
			only_args = true;
		} else if (!only_args && argv[i][0] == '-' && argv[i][1]) {
			if (!parse_option(u, argc, argv, &i, o))
				return false;
		} else if (u->rest) {
			o->rest = argv + i;
			o->arg_count = (unsigned)(argc - i);
			break;
		} else if (o->arg_count == u->max_args) {
			complain("%s does not know what to do with '%s'; see 'hartscope %s --help'",
			         u->name, argv[i], u->name);
			return false;
		} else {
			o->args[o->arg_count++] = argv[i];
		}
	}
	if (o->help || o->arg_count >= u->min_args)
		return true;
	complain("%s needs more arguments: hartscope %s %s", u->name, u->name, u->form);
	return false;
}

/* Standard output by all of its names is "-", which is no folder. */
static bool take_output(const struct usage *u, struct options *o)
{
	static const char *const names[] = { "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1" };

	for (size_t i = 0; o->output && i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(o->output, names[i]) == 0)
			o->output = "-";
	if (!u->folder || !o->output || strcmp(o->output, "-") != 0)
		return true;
	complain("%s writes a directory: name it with -o", u->name);
	return false;
}

/* ---- all of them ----------------------------------------------------------------------- */

static void begin_options(const struct usage *u, struct options *o)
{
	struct option_store *s = &o->store;

	o->usage = u;
	o->jobs = jobs_default();
	o->range.of.size = sizeof(o->range.of);
	o->capture.size = sizeof(o->capture);
	s->clock.size = sizeof(s->clock);
	s->names.size = sizeof(s->names);
	s->names.debug_dirs = s->debug_dirs.at;
	s->names.source_dirs = s->source_dirs.at;
	s->select.processes = s->only.at;
	s->select.threads = s->only_threads.at;
	o->params.size = sizeof(o->params);
	o->params.settings = s->settings.at;
	o->params.configs = s->configs.at;
	o->source.size = sizeof(o->source);
	o->source.capture = &o->capture;
	o->source.custom = s->custom;
	o->source.code = s->code;
	o->source.guest = s->guest;
}

/* What the library gets of lists. */
static void end_options(struct options *o)
{
	struct option_store *s = &o->store;

	o->params.setting_count = s->settings.count;
	o->params.config_count = s->configs.count;
	o->source.threads = (uint32_t)o->jobs;
	s->names.debug_dir_count = s->debug_dirs.count;
	s->names.source_dir_count = s->source_dirs.count;
	s->select.process_count = s->only.count;
	s->select.thread_count = s->only_threads.count;
	if (s->only.count || s->only_threads.count || s->select.modes)
		o->source.select = &s->select;
}

/* Operands that are pipes. */
static int open_inputs(const struct usage *u, struct options *o)
{
	int status = EXIT_GOOD;

	for (unsigned i = 0; !u->rest && i < o->arg_count && status == EXIT_GOOD; i++)
		status = input_open(&o->args[i]);
	return status;
}

bool options_parse(const struct usage *u, int argc, char **argv, struct options *o, int *status)
{
	*status = EXIT_GOOD;
	if (argc > 1 && strcmp(argv[1], "--complete") == 0) {
		complete_options(u, argc - 2, argv + 2);
		return false;
	}
	begin_options(u, o);
	*status = EXIT_USAGE;
	sandbox_note(argc, argv); /* options cut their words */
	if (!parse_all(u, argc, argv, o) || !take_output(u, o))
		return false;
	end_options(o);
	if (!o->help && !option_ranges_fit(o))
		return false;
	if ((option_has(u, "--no-pager") && !o->help && !o->output && !o->no_pager) || o->help_all)
		pager_start();
	if (o->help) {
		usage_print(u, o->help_all, stdout);
		*status = EXIT_GOOD;
		return false;
	}
	*status = open_inputs(u, o);
	if (*status != EXIT_GOOD)
		return false;
	sandbox_enter(o);
	sandbox_confine_names(o);
	if (o->params.registers && option_has(u, "--dialect") && !o->quiet)
		registers_note(o->params.registers);
	*status = EXIT_USAGE;
	return true;
}
