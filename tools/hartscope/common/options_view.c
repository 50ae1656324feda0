/* Options for whom a view is of (--process, --thread, --mode, --by), and a part of others. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/tool.h"

#define FILTER_FILE_MAX 65536
#define MODES 6u /* that have a name (enum hs_priv) */

bool option_only(struct options *o, const char *name, const char *who)
{
	const bool thread = strcmp(name, "--thread") == 0;
	size_t *count = thread ? &o->select.thread_count : &o->select.process_count;

	if (*count == SETTINGS_MAX) {
		complain("%s may be given at most %d times", name, SETTINGS_MAX);
		return false;
	}
	(thread ? o->only_threads : o->only)[(*count)++] = who;
	o->select.processes = o->only;
	o->select.threads = o->only_threads;
	o->source.select = &o->select;
	return true;
}

/* Modes with commas between them. */
bool option_modes(struct options *o, const char *text)
{
	uint8_t modes = 0;

	for (const char *at = text; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
		const size_t n = strcspn(at, ",");
		unsigned mode = 0;

		while (mode < MODES && (strlen(mode_name(mode)) != n ||
		                        strncmp(at, mode_name(mode), n) != 0))
			mode++;
		if (mode == MODES) {
			complain("--mode needs U, S, M, VU, VS with commas between them, not '%s'",
			         text);
			return false;
		}
		modes |= (uint8_t)(1u << mode);
	}
	o->select.modes = modes;
	o->source.select = &o->select;
	return true;
}

struct by_name {
	const char *name;
	uint8_t by;
};

/* False, after a complaint: none of @names is the wanted one; @list has them in words. */
static bool find_by(struct options *o, const char *wanted, const struct by_name *names, size_t n,
                    const char *list)
{
	struct guess guess = { .wanted = wanted };

	for (size_t i = 0; i < n; i++) {
		guess_try(&guess, names[i].name);
		if (strcmp(wanted, names[i].name) == 0) {
			o->by = names[i].by;
			return true;
		}
	}
	complain("--by needs %s, not '%s'%s", list, wanted, guess_text(&guess));
	return false;
}

static const struct by_name by_names[] = {
	{ "hart", HS_PROFILE_BY_HART },
	{ "mode", HS_PROFILE_BY_MODE },
	{ "process", HS_PROFILE_BY_PROCESS },
	{ "thread", HS_PROFILE_BY_THREAD },
	{ "function", 0 },
	{ "inline", BY_INLINE }, /* of report, from here on */
	{ "library", BY_LIBRARY },
	{ "line", BY_LINE },
};

bool option_by(struct options *o, const char *name)
{
	return find_by(o, name, by_names, 4, "hart, mode, process or thread");
}

bool option_report_by(struct options *o, const char *name)
{
	return find_by(o, name, by_names, sizeof(by_names) / sizeof(*by_names),
	               "function, line, inline, library, hart, mode, process or thread");
}

bool option_signal(struct options *o, const char *text)
{
	if (o->signal_count == SETTINGS_MAX) {
		complain("--signal may be given at most %d times", SETTINGS_MAX);
		return false;
	}
	o->signals[o->signal_count++] = text;
	return true;
}

/* A file with a filter. */
static bool read_filter(struct options *o, const char *path)
{
	static uint8_t text[FILTER_FILE_MAX];
	FILE *f = fopen(path, "re");
	const size_t n = f ? fread(text, 1, sizeof text, f) : 0;
	const bool good = f && !ferror(f) && n < sizeof text;
	unsigned line = 0;

	if (f)
		fclose(f);
	if (!good) {
		complain("%s: %s", path,
		         f && n == sizeof text ? "too long for filters" : strerror(errno));
		return false;
	}
	struct hs_span in = { text, n };
	const enum hs_status s = hs_qualifier_read(&o->filter, &in, &line);

	if (s != HS_OK)
		complain("%s: line %u: %s", path, line,
		         s == HS_E_ARG ? "no filter has this name"
		                       : "not NAME = VALUE of a filter");
	return s == HS_OK;
}

bool option_filter(struct options *o, const char *text)
{
	if (*text == '@')
		return read_filter(o, text + 1);
	const enum hs_status s = hs_qualifier_parse(&o->filter, text);

	if (s == HS_E_SPACE)
		complain("more filters or comparators than there are (%d, %d)", HS_FILTERS,
		         HS_COMPARATORS);
	else if (s != HS_OK)
		complain("--filter needs terms such as iaddr=0x100-0x1ff+priv=U, not '%s'", text);
	return s == HS_OK;
}

/* --debug-dir DIR, or without a value --no-demangle. */
bool option_names(struct options *o, const char *dir)
{
	if (dir && o->names.debug_dir_count == SETTINGS_MAX) {
		complain("--debug-dir may be given at most %d times", SETTINGS_MAX);
		return false;
	}
	if (dir)
		o->debug_dirs[o->names.debug_dir_count++] = dir;
	else
		o->names.mangled = true;
	o->names.size = sizeof(o->names);
	o->names.debug_dirs = o->debug_dirs;
	o->source.name_options = &o->names;
	return true;
}

bool option_source_path(struct options *o, const char *dir)
{
	if (o->names.source_dir_count == SETTINGS_MAX) {
		complain("--source-path may be given at most %d times", SETTINGS_MAX);
		return false;
	}
	o->source_dirs[o->names.source_dir_count++] = dir;
	o->names.source_dirs = o->source_dirs;
	return true;
}

bool option_ignore(struct options *o, const char *kind)
{
	if (o->ignore_count == SETTINGS_MAX) {
		complain("--ignore may be given at most %d times", SETTINGS_MAX);
		return false;
	}
	o->ignore[o->ignore_count++] = kind;
	return true;
}

bool option_severity(struct options *o, const char *name)
{
	o->severity = hs_severity_find(name);
	if (o->severity < 0)
		complain("--severity needs note, warning or error, not '%s'", name);
	return o->severity >= 0;
}

char *option_number_sign(enum hs_code_kind kind, char *text)
{
	char *at = kind == HS_CODE_IMAGE || kind == HS_CODE_CORE ? NULL : strrchr(text, '@');

	if (kind == HS_CODE_ELF && !at && access(text, F_OK) != 0)
		at = strrchr(text, '+');
	return at;
}

bool option_custom(struct options *o, const char *text)
{
	struct hs_custom *c = &o->custom[o->source.custom_count];
	unsigned long mask, match;
	char *end;

	if (o->source.custom_count == CUSTOM_MAX) {
		complain("--custom may be given at most %d times", CUSTOM_MAX);
		return false;
	}
	errno = 0;
	mask = strtoul(text, &end, 0);
	match = end != text && *end == '/' ? strtoul(end + 1, &end, 0) : 0;
	if (*end || end == text || errno || mask > UINT32_MAX || match > UINT32_MAX || !mask) {
		complain("--custom needs MASK/MATCH, such as 0x7f/0x0b, not '%s'", text);
		return false;
	}
	*c = (struct hs_custom){ (uint32_t)mask, (uint32_t)match };
	o->source.custom_count++;
	return true;
}

/* Samples a bit of a serial pin, such as 8 or 8.68: in 1/256. */
bool option_bit(struct options *o, char *text)
{
	char *end;
	const double samples = strtod(text, &end);

	if (*text < '0' || *text > '9' || *end || !(samples >= 2 && samples <= 64)) {
		complain("--bit needs 2 to 64 samples, not '%s'", text);
		return false;
	}
	o->capture.period = (uint32_t)(samples * 256 + 0.5);
	return true;
}

bool option_time_conv(struct options *o, const char *name, const char *value)
{
	char *end;

	o->guest_clock.zero = strtoull(value, &end, 0);
	if (*end == ',')
		o->guest_clock.multiplier = (uint32_t)strtoul(end + 1, &end, 0);
	if (*end == ',')
		o->guest_clock.shift = (uint32_t)strtoul(end + 1, &end, 0);
	o->source.guest_clock = &o->guest_clock;
	if (*end == '\0' && *value >= '0' && *value <= '9' && o->guest_clock.multiplier)
		return true;
	complain("%s needs ZERO,MULT,SHIFT, not '%s'", name, value);
	return false;
}

bool option_drain(struct queue_options *q, const char *text)
{
	uint32_t bits = 0, scale = 0;
	const char *at = text;

	for (; *at && bits <= UINT32_MAX / 10 - 1 && scale < 10000; at++) {
		if (*at == '.' && !scale)
			scale = 1;
		else if (*at >= '0' && *at <= '9')
			bits = 10 * bits + (uint32_t)(*at - '0');
		else
			break;
		scale *= *at == '.' ? 1 : 10;
	}
	if (*at || !bits || *text == '.' || scale > 1000) {
		complain("--drain needs bits in a cycle, such as 4 or 0.5, not '%s'", text);
		return false;
	}
	q->drain_given = true;
	q->drain_bits = bits;
	q->drain_cycles = scale ? scale : 1;
	return true;
}

bool read_limit(const char *name, const char *value, uint64_t *limit)
{
	if (!read_number(name, value, UINT64_MAX, limit))
		return false;
	if (!*limit)
		complain("%s needs a number from 1 on: without it there is no limit", name);
	return *limit != 0;
}

bool option_messages(struct message_options *m, const char *name, const char *value)
{
	if (strcmp(name, "--limit") == 0)
		return read_limit(name, value, &m->limit);
	if (m->place != MESSAGES_ALL) {
		complain("of --at, --from and --around one may be given");
		return false;
	}
	m->place = strcmp(name, "--at") == 0     ? MESSAGES_AT
	           : strcmp(name, "--from") == 0 ? MESSAGES_FROM
	                                         : MESSAGES_AROUND;
	return read_number(name, value, UINT64_MAX, &m->offset);
}

bool option_json(struct options *o, const char *form)
{
	o->json_array = strcmp(form, "array") == 0;
	if (!o->json_array)
		complain("--json takes no value but array, not '%s'", form);
	return o->json_array;
}
