/* Parsing of options, by the rows of option_table.c. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <hartscope/text.h>

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

static bool keep_setting(struct options *o, const char *name, const char *value)
{
	if (o->params.setting_count == SETTINGS_MAX) {
		complain("--set may be given at most %d times", SETTINGS_MAX);
		return false;
	}
	o->settings[o->params.setting_count++] = (struct hs_setting){ name, value };
	return true;
}

static bool keep_limit(struct options *o, const struct option_row *r, const char *value)
{
	uint64_t *to = r->id == ID_CLOCK ? &o->clock_hz : r->id == ID_LAST ? &o->last : &o->limit;

	return r->id == ID_LIMIT ? read_limit(r->name, value, to)
	                         : read_number(r->name, value, UINT64_MAX, to);
}

static bool set_xlen(struct options *o, const char *name, const char *value)
{
	if (!read_number(name, value, 64, &o->xlen))
		return false;
	if (o->xlen != 32 && o->xlen != 64) {
		complain("--xlen is 32 or 64");
		return false;
	}
	o->source.xlen = (uint8_t)o->xlen;
	return true;
}

static bool add_event(struct options *o, const char *name)
{
	if (o->event_count == EVENTS_MAX) {
		complain("--event may be given at most %d times", EVENTS_MAX);
		return false;
	}
	o->events[o->event_count++] = name;
	return true;
}

static bool set_sample(struct options *o, const char *text)
{
	if (!read_number("--sample", text, INT64_MAX, &o->sample))
		return false;
	if (!o->sample)
		complain("--sample is at least 1");
	return o->sample > 0;
}

static bool add_config(struct options *o, const char *path)
{
	if (o->params.config_count == SETTINGS_MAX) {
		complain("--config may be given at most %d times", SETTINGS_MAX);
		return false;
	}
	o->configs[o->params.config_count++] = path;
	return true;
}

static int by_time(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

/* Cut NAME=VALUE in two; false after a complaint. */
static bool cut_setting(const char *option, char *text, struct hs_setting *setting)
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

/* CYCLE:NAME=VALUE */
static bool add_change(struct options *o, char *text)
{
	struct change *c = &o->changes[o->change_count];
	char *end = text;

	if (o->change_count == SETTINGS_MAX) {
		complain("--options-at may be given at most %d times", SETTINGS_MAX);
		return false;
	}
	errno = 0;
	c->at = strtoull(text, &end, 0);
	if (*text < '0' || *text > '9' || *end != ':' || errno) {
		complain("--options-at needs CYCLE:NAME=VALUE, not '%s'", text);
		return false;
	}
	if (!cut_setting("--options-at", end + 1, &c->setting))
		return false;
	qsort(o->changes, ++o->change_count, sizeof(*o->changes), by_time);
	return true;
}

static bool add_setting(struct options *o, char *text)
{
	struct hs_setting s;

	return cut_setting("--set", text, &s) && keep_setting(o, s.name, s.value);
}

static bool keep_ctr(struct options *o, const char *name, const char *value)
{
	if (o->ctr_count == SETTINGS_MAX) {
		complain("--ctr may be given at most %d times", SETTINGS_MAX);
		return false;
	}
	o->ctr[o->ctr_count++] = (struct hs_setting){ .name = name, .value = value };
	return true;
}

static bool add_ctr(struct options *o, char *text)
{
	struct hs_setting s;

	return cut_setting("--ctr", text, &s) && keep_ctr(o, s.name, s.value);
}

static bool set_queue(struct options *o, const char *value)
{
	o->queue.given = true;
	if (hs_text_number(value, 1024, &o->queue.bytes) == HS_OK && o->queue.bytes &&
	    o->queue.bytes <= UINT32_MAX)
		return true;
	complain("--queue needs 1 to %u bytes, such as 64 or 4k, not '%s'", UINT32_MAX, value);
	return false;
}

static bool add_cycles(struct options *o, char *text)
{
	struct hs_setting s;
	uint64_t n;

	if (!cut_setting("--cycles-per", text, &s) ||
	    !read_number("--cycles-per", s.value, UINT16_MAX, &n))
		return false;
	for (unsigned k = 0; k < HS_CLOCK_KINDS; k++) {
		if (strcmp(hs_clock_kind_name(k), s.name) != 0)
			continue;
		if (!n && k != HS_CLOCK_TRAP)
			break;
		o->clock.cycles[k] = (uint16_t)n;
		o->source.clock = &o->clock;
		return true;
	}
	if (!n)
		complain("--cycles-per: each instruction takes a cycle at least");
	else
		complain("--cycles-per has no kind '%s'; the help lists them", s.name);
	return false;
}

static bool want_time(struct options *o)
{
	o->time = true;
	o->source.clock = &o->clock;
	return true;
}

static bool choose_hart(struct options *o, const char *value)
{
	uint64_t n;

	if (!read_number("--hart", value, UINT32_MAX, &n))
		return false;
	o->source.hart = (uint32_t)n;
	o->source.one_hart = true;
	return true;
}

static bool set_context(struct options *o, const char *value)
{
	o->one_context = true;
	return read_number("--context", value, UINT64_MAX, &o->context);
}

/* The member of an option without a value that only sets it; NULL: it is another one. */
static bool *find_flag(struct options *o, enum option_id id)
{
	switch (id) {
	case ID_JSON: return &o->json;
	case ID_KINDS: return &o->kinds;
	case ID_TRAPS: return &o->traps;
	case ID_COMPARE: return &o->compare;
	case ID_CALLS: return &o->calls;
	case ID_GAPS: return &o->gaps;
	case ID_PACKETS:
		return &o->packets;
	case ID_STALL: return &o->queue.stall;
	case ID_RATE: return &o->rate;
	case ID_POINTS:
		return &o->points;
	case ID_HTML: return &o->html;
	case ID_FLAT: return &o->flat;
	case ID_SKIP_UNKNOWN:
		return &o->skip_unknown;
	case ID_SALVAGE:
		return &o->salvage;
	case ID_WIRE:
		return &o->messages.wire;
	case ID_RESOLVE:
		return &o->messages.resolve;
	case ID_BY_HART: return &o->by_hart;
	case ID_AUTO: return &o->automatic;
	case ID_QUIET: return &o->quiet;
	case ID_NO_PAGER:
		return &o->no_pager;
	case ID_ALLOW_PATHS:
		return &o->allow_paths;
	case ID_NO_SANDBOX:
		return &o->no_sandbox;
	case ID_HELP: return &o->help;
	default: return NULL;
	}
}

/* clang-format off */
/* The member of an option that only keeps its text; NULL: it is another one. */
static const char **find_text(struct options *o, enum option_id id)
{
	switch (id) {
	case ID_OUTPUT: return &o->output;
	case ID_PROTOCOL: return &o->params.protocol;
	case ID_REGISTERS: return &o->params.registers;
	case ID_TRANSPORT: return &o->capture.transport;
	case ID_VCD_CLOCK: return &o->capture.vcd_clock;
	case ID_VCD_DATA: return &o->capture.vcd_data;
	case ID_WRAP: return &o->capture.wrap;
	case ID_FORMAT: return &o->format;
	case ID_LISTEN: return &o->listen;
	case ID_ROWS: return &o->rows;
	case ID_CALLERS: return &o->callers;
	case ID_CALLEES: return &o->callees;
	case ID_SHOW: return &o->show;
	case ID_IMPORT: return &o->from_format;
	case ID_AT: return &o->at;
	case ID_EXPORT: return &o->export;
	case ID_EXPLAIN: return &o->explain;
	case ID_SINK: return &o->sink;
	case ID_SYSROOT: return &o->source.sysroot;
	case ID_SYSTEM: return &o->system;
	case ID_ITC: return &o->itc;
	default: return NULL;
	}
}

static bool keep_own(struct options *o, const char *name, const char *value)
{
	if (o->own_count == SETTINGS_MAX) {
		complain("there may be at most %d options", SETTINGS_MAX);
		return false;
	}
	o->own[o->own_count++] = (struct hs_setting){ name, value };
	return true;
}

static bool set_option(struct options *o, const struct option_row *r, char *value)
{
	bool *flag = find_flag(o, r->id);

	if (flag) {
		*flag = true;
		return !value || option_json(o, value);
	}
	const char **text = find_text(o, r->id);

	if (text) {
		*text = value;
		return true;
	}
	switch (r->id) {
	case ID_CUSTOM:   return option_custom(o, value);
	case ID_FILTER:   return option_filter(o, value);
	case ID_DIALECT:  return keep_setting(o, "dialect", value);
	case ID_SET:      return add_setting(o, value);
	case ID_CONFIG:   return add_config(o, value);
	case ID_BIT: case ID_SOURCE: return (r->id == ID_BIT ? option_bit : option_part)(o, value);
	case ID_IDLE:     return read_number(r->name, value, UINT32_MAX, &o->idle);
	case ID_ELF:      return option_code(o, HS_CODE_ELF, value);
	case ID_BIN:      return option_code(o, HS_CODE_RAW, value);
	case ID_IMAGE:    return option_code(o, HS_CODE_IMAGE, value);
	case ID_KCORE:    return option_code(o, HS_CODE_CORE, value);
	case ID_THEN:     return ++o->moment;
	case ID_PROCESS:  return option_process(o, value);
	case ID_SYMBOLS:  return option_guest(o, HS_GUEST_SYMBOLS, value);
	case ID_FILES:    return option_guest(o, HS_GUEST_CODE, value);
	case ID_PROCESSES: return option_guest(o, HS_GUEST_PROCESSES, value);
	case ID_TIME_CONV: return option_time_conv(o, r->name, value);
	case ID_MODULES:  return option_guest(o, HS_GUEST_MODULES, value);
	case ID_FROM: case ID_TO: case ID_AROUND: return option_position(o, r->name, value);
	case ID_LIMIT: case ID_LAST: return keep_limit(o, r, value);
	case ID_MESSAGES: return option_messages(&o->messages, r->name, value);
	case ID_FUNCTION: return option_function(o, value);
	case ID_TOP:      return read_number(r->name, value, UINT32_MAX, &o->top);
	case ID_REPORT_BY: return option_report_by(o, value);
	case ID_DEPTH:    return read_number(r->name, value, UINT32_MAX, &o->depth);
	case ID_XLEN:     return set_xlen(o, r->name, value);
	case ID_SIGNAL:   return option_signal(o, value);
	case ID_MAX:      return read_number(r->name, value, UINT64_MAX, &o->max);
	case ID_BY:       return option_by(o, value);
	case ID_ONLY: case ID_THREAD: return option_only(o, r->name, value);
	case ID_MODE:     return option_modes(o, value);
	case ID_SEVERITY: return option_severity(o, value);
	case ID_IGNORE:   return option_ignore(o, value);
	case ID_QUEUE:    return set_queue(o, value);
	case ID_DRAIN:    return option_drain(&o->queue, value);
	case ID_OPTIONS_AT: return add_change(o, value);
	case ID_CTR:      return add_ctr(o, value);
	case ID_PREDICTOR: return keep_ctr(o, "predictor", value);
	case ID_EVENT:    return add_event(o, value);
	case ID_SAMPLE:   return set_sample(o, value);
	case ID_PERIOD:   return read_number(r->name, value, UINT64_MAX, &o->period);
	case ID_CONTEXT:  return set_context(o, value);
	case ID_PERF:     return perf_options_parse(&o->perf, value);
	case ID_NO_DEMANGLE: case ID_DEBUG_DIR: return option_names(o, value);
	case ID_SOURCE_PATH: return option_source_path(o, value);
	case ID_JOBS:     return option_jobs(o, r->name, value);
	case ID_PART: case ID_PARTS: case ID_WORK: return option_job_part(o, r->name, value);
	case ID_CYCLES:   return add_cycles(o, value);
	case ID_TIME:     return want_time(o);
	case ID_CLOCK:    return want_time(o) && keep_limit(o, r, value);
	case ID_HART:     return choose_hart(o, value);
	case ID_MEMORY_LIMIT: return limit_memory(value);
	case ID_TIME_LIMIT: return limit_time(value);
	case ID_COLOUR:   return option_colour(value);
	case ID_FORCE:    overwrite_allow(); return true;
	case ID_OWN:      return keep_own(o, r->name, value);
	default:          return false;
	}
}
/* clang-format on */

/* The row of an option.  *length: where its value begins if it is in the same word. */
static const struct option_row *find_option(const struct usage *u, const char *word, size_t *length)
{
	for (const struct option_row *r = NULL; (r = option_next(u, r));) {
		const size_t n = strlen(r->name);

		*length = n;
		if (strncmp(word, r->name, n) == 0 && (!word[n] || (word[n] == '=' && r->value)))
			return r;
		*length = 2;
		if (r->letter && word[0] == '-' && word[1] == r->letter && (!word[2] || r->value))
			return r;
	}
	return NULL;
}

/* There is no such option: which one may be meant. */
static void complain_option(const struct usage *u, const char *word)
{
	char name[64];
	struct guess guess = { .wanted = name };

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word, "="), word);
	for (const struct option_row *r = NULL; (r = option_next(u, r));)
		guess_try(&guess, r->name);
	complain("%s has no option '%s'%s; 'hartscope %s --help --all' lists them", u->name, name,
	         guess_text(&guess), u->name);
}

static bool parse_option(const struct usage *u, int argc, char **argv, int *i, struct options *o)
{
	char *word = argv[*i];
	size_t n = 0;
	const struct option_row *r = find_option(u, word, &n);

	if (!r) {
		complain_option(u, word);
		return false;
	}
	if (!r->value || *r->value == '[')
		return set_option(o, r, word[n] == '=' ? word + n + 1 : NULL);
	if (word[n])
		return set_option(o, r, word + n + (word[n] == '='));
	if (*i + 1 >= argc) {
		complain("%s needs %s; see 'hartscope %s --help'", r->name, r->value, u->name);
		return false;
	}
	return set_option(o, r, argv[++*i]);
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

bool setting_given(const struct options *o, const char *name)
{
	for (size_t i = 0; i < o->params.setting_count; i++)
		if (strcmp(o->settings[i].name, name) == 0)
			return true;
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

bool options_parse(const struct usage *u, int argc, char **argv, struct options *o, int *status)
{
	*status = EXIT_GOOD;
	if (argc > 1 && strcmp(argv[1], "--complete") == 0) {
		complete_options(u, argc - 2, argv + 2);
		return false;
	}
	memset(o, 0, sizeof(*o));
	o->set = u->set;
	o->filter.size = sizeof(o->filter);
	o->top = u->top ? u->top : 10;
	o->idle = UINT64_MAX;
	o->max = 20;
	o->period = 10007;
	o->xlen = 64;
	o->params.size = sizeof(o->params);
	o->params.settings = o->settings;
	o->params.configs = o->configs;
	o->source.size = sizeof(o->source);
	o->clock.size = sizeof(o->clock);
	o->source.capture = &o->capture;
	o->capture.size = sizeof(o->capture);
	o->source.custom = o->custom;
	o->source.code = o->code;
	o->source.guest = o->guest;
	o->jobs = jobs_default();
	*status = EXIT_USAGE;
	sandbox_note(argc, argv); /* options cut their words */
	if (!parse_all(u, argc, argv, o) || !take_output(u, o))
		return false;
	o->source.threads = (uint32_t)o->jobs;
	if (!o->help && !option_ranges_fit(o))
		return false;
	if ((u->set & OPT_TERMINAL && !o->help && !o->output && !o->no_pager) || o->help_all)
		pager_start();
	if (o->help) {
		usage_print(u, o->help_all, stdout);
		*status = EXIT_GOOD;
		return false;
	}
	for (unsigned i = 0; !u->rest && i < o->arg_count; i++) {
		const int opened = input_open(&o->args[i]);

		if (opened != EXIT_GOOD) {
			*status = opened;
			return false;
		}
	}
	sandbox_enter(u, o);
	sandbox_confine_names(o);
	if (o->params.registers && (u->set & OPT_PROTOCOL) && !o->quiet)
		registers_note(o->params.registers);
	return true;
}
