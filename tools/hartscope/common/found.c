/* What identify found: as a command, and as parameters where nothing says what a
 * trace is. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hartscope/capture.h>

#include "common/found.h"

/* ---- as text ------------------------------------------------------------------ */

/* The options before a file of each kind of code. */
static const char *const kinds[] = {
	[HS_CODE_ELF] = " --elf %s",
	[HS_CODE_RAW] = " --bin %s",
	[HS_CODE_IMAGE] = " --image %s",
	[HS_CODE_CORE] = " --kcore %s",
};

static size_t write_file(char *to, size_t size, const struct hs_code_file *c, uint64_t address)
{
	const bool moves = c->kind == HS_CODE_ELF && address;
	size_t at = 0;

	if (c->has_context)
		at += (size_t)snprintf(to, size, " --process 0x%llx:%s",
		                       (unsigned long long)c->context, c->path);
	else
		at += (size_t)snprintf(to, size, kinds[c->kind], c->path);
	if ((moves || c->kind == HS_CODE_RAW) && at < size)
		at += (size_t)snprintf(to + at, size - at, "%c0x%llx", moves ? '+' : '@',
		                       (unsigned long long)address);
	return at;
}

/* The program as it was given. */
static void write_code(char *to, size_t size, const struct options *o,
                       const struct hs_identified *f)
{
	const struct hs_source_options *s = &o->source;
	size_t at = 0;

	for (size_t i = 0; i < s->code_count && at < size; i++)
		at += write_file(to + at, size - at, &s->code[i],
		                 s->code[i].address + (uint64_t)f->offset);
	for (size_t i = 0; i < s->guest_count && at < size; i++)
		if (s->guest[i].kind == HS_GUEST_PROCESSES)
			at += (size_t)snprintf(to + at, size - at, " --process-map %s",
			                       s->guest[i].path);
	if (s->sysroot && at < size)
		at += (size_t)snprintf(to + at, size - at, " --sysroot %s", s->sysroot);
	for (size_t i = 0; i < s->custom_count && at < size; i++)
		at += (size_t)snprintf(to + at, size - at, " --custom 0x%x/0x%x", s->custom[i].mask,
		                       s->custom[i].match);
}

/* Each word of the settings, with something before each. */
static size_t write_settings(char *to, size_t size, size_t at, const struct hs_identified *f,
                             const char *before)
{
	for (const char *word = f->settings; *word && at < size;) {
		const size_t n = strcspn(word, " ");

		at += (size_t)snprintf(to + at, size - at, "%s%.*s", before, (int)n, word);
		word += n + (word[n] == ' ');
	}
	return at;
}

/* The trace number @i of frames.  NULL: there is none, nor any after it. */
static const struct hs_identified *get_part(const struct hs_identity *id, size_t i)
{
	const struct hs_identified *f = hs_identity_get(id, i);

	return f && f->source_id && strcmp(f->protocol, HS_IDENTIFY_UNKNOWN) != 0 ? f : NULL;
}

void found_part(char *to, size_t size, const struct hs_identified *f, unsigned hart)
{
	const size_t at =
		(size_t)snprintf(to, size, "0x%x=%s,hart=%u", f->source_id, f->protocol, hart);

	write_settings(to, size, at, f, ",");
}

void found_text(char *to, size_t size, const struct options *o, const struct hs_identity *id)
{
	const struct hs_identified *f = hs_identity_get(id, 0);
	char part[FOUND_PART];
	size_t at = 0;

	*to = '\0';
	if (!f->source_id) {
		at = (size_t)snprintf(to, size, " --protocol %s", f->protocol);
		at = write_settings(to, size, at, f, " --set ");
	}
	if (strcmp(f->transport, "raw") != 0 && at < size)
		at += (size_t)snprintf(to + at, size - at, " --transport %s", f->transport);
	if (o->capture.vcd_clock && at < size)
		at += (size_t)snprintf(to + at, size - at, " --vcd-clock %s", o->capture.vcd_clock);
	if (o->capture.vcd_data && at < size)
		at += (size_t)snprintf(to + at, size - at, " --vcd-data %s", o->capture.vcd_data);
	for (unsigned i = 0; get_part(id, i) && at < size; i++) {
		found_part(part, sizeof(part), get_part(id, i), i);
		at += (size_t)snprintf(to + at, size - at, " --source %s", part);
	}
	if (f->ring && at < size)
		at += (size_t)snprintf(to + at, size - at, " --wrap find");
	if (at < size)
		write_code(to + at, size - at, o, f);
}

/* ---- --auto -------------------------------------------------------------------- */

static enum hs_status set_all(struct hs_trace_params *params, const struct hs_identified *f,
                              struct hs_error *e)
{
	char words[HS_IDENTIFY_TEXT], *next = words;
	enum hs_status s = HS_OK;

	memcpy(words, f->settings, sizeof(words));
	while (s == HS_OK && *next) {
		char *name = next, *value = strchr(name, '=');

		next += strcspn(next, " ");
		if (*next)
			*next++ = '\0';
		if (!value)
			continue;
		*value = '\0';
		s = hs_trace_params_set(params, name, value + 1, e);
	}
	return s == HS_OK ? hs_trace_params_set_transport(params, f->transport) : s;
}

struct hs_identify_options found_ask(const struct options *o, const char *path)
{
	return (struct hs_identify_options){
		.size = sizeof(struct hs_identify_options),
		.path = path,
		.code = o->source.code,
		.code_count = o->source.code_count,
		.xlen = o->source.xlen,
		.guest = o->source.guest,
		.guest_count = o->source.guest_count,
		.sysroot = o->source.sysroot,
		.custom = o->source.custom,
		.custom_count = o->source.custom_count,
		.vcd_clock = o->capture.vcd_clock,
		.vcd_data = o->capture.vcd_data,
	};
}

static enum hs_status identify(const struct options *o, const char *path, struct hs_identity **id,
                               struct hs_error *e)
{
	const struct hs_identify_options io = found_ask(o, path);

	*id = NULL;
	const enum hs_status s = hs_identify(&io, id, e);

	if (s != HS_OK || hs_identity_verdict(*id, NULL) >= HS_IDENTIFY_LIKELY)
		return s;
	hs_identity_free(*id);
	*id = NULL;
	return HS_OK;
}

enum hs_status found_take(const struct hs_identity *id, struct found *found, struct hs_error *e)
{
	const struct hs_identified *f = hs_identity_get(id, 0);
	enum hs_status s;

	found->wraps = f->ring;
	found->transport = f->transport;
	found->offset = (uint64_t)f->offset;
	for (unsigned i = 0; get_part(id, i) && i < FOUND_PARTS; i++) {
		found_part(found->part[i], sizeof(found->part[i]), get_part(id, i), i);
		found->part_count++;
	}
	s = hs_trace_params_new(f->protocol, &found->params, e);
	if (s == HS_OK && f->source_id)
		return hs_trace_params_set_transport(found->params, f->transport);
	return s == HS_OK ? set_all(found->params, f, e) : s;
}

/* It is tried: what does not fit is seen as errors. */
static void warn_likely(const char *path, const struct hs_identity *id)
{
	const struct hs_identified *f = hs_identity_get(id, 0);

	if (hs_identity_verdict(id, NULL) == HS_IDENTIFY_CLEAR)
		return;
	complain("%s: this is likely, not clear: of %llu segments %llu contradict the program%s%s",
	         path, (unsigned long long)f->segments, (unsigned long long)f->contradicted,
	         *f->unsure ? "; not decided: " : "", f->unsure);
}

/* Find the parameters of a trace, and print them on stderr.  found->params stays NULL where nothing
 * is likely. */
static enum hs_status found_params(const struct options *o, const char *path, struct found *found,
                                   struct hs_error *e)
{
	struct hs_identity *id;
	enum hs_status s = identify(o, path, &id, e);
	char text[FOUND_TEXT];

	if (s != HS_OK || !id)
		return s;
	found_text(text, sizeof(text), o, id);
	complain("%s: read as%s", path, text);
	warn_likely(path, id);
	s = found_take(id, found, e);
	hs_identity_free(id);
	return s;
}

/* --auto: it has to be found, and nothing else says what it is. */
static enum hs_status must_find(const struct options *o, const char *path, struct found *found,
                                struct hs_error *e)
{
	if (strcmp(path, "-") == 0)
		return hs_error_set(e, HS_E_CONFIG, "--auto needs a file");
	if (o->params.setting_count || o->params.protocol || o->params.registers)
		return hs_error_set(e, HS_E_CONFIG, "--auto finds the parameters: give none");
	const enum hs_status s = found_params(o, path, found, e);

	if (s != HS_OK || found->params)
		return s;
	hint_of_kind(path);
	return hs_error_set(e, HS_E_FORMAT,
	                    "%s: --auto finds nothing that is clear: 'hartscope identify' with the "
	                    "same program says what fits in part",
	                    path);
}

/* Does nothing say what a trace is: neither an option, nor TRACE.json, nor its own form? */
static bool is_unsaid(const struct options *o, const char *path)
{
	const struct hs_trace_params_options *p = &o->params;
	const enum hs_file_type type = hs_file_what(path, NULL);
	char *json = NULL;

	if (strcmp(path, "-") == 0 || p->protocol || p->setting_count || p->config_count ||
	    p->registers || o->capture.transport || o->capture.wrap || o->parts.count)
		return false;
	if (type != HS_FILE_UNKNOWN && type != HS_FILE_DUMP && type != HS_FILE_FST &&
	    type != HS_FILE_OTHER)
		return false;
	if (!hs_source_names_code(&o->source) && !o->source.no_code)
		return false; /* that is an error, and no other */
	const bool said = asprintf(&json, "%s.json", path) < 0 || access(json, F_OK) == 0;

	free(json);
	return !said;
}

enum hs_status open_params(const struct options *o, const char *path, struct found *found,
                           struct hs_error *e)
{
	enum hs_status s = HS_OK;

	if (o->automatic)
		return must_find(o, path, found, e);
	if (is_unsaid(o, path)) {
		s = found_params(o, path, found, e);
		s = s == HS_E_FORMAT ? HS_OK : s; /* of a kind that is no trace */
		if (s == HS_OK && !found->params)
			complain("%s: not clear what it is: read as --protocol ntrace, or as its "
			         "first bytes say ('hartscope identify' says what fits in part)",
			         path);
	}
	return s == HS_OK && !found->params ? read_params(o, path, &found->params, e) : s;
}

void found_move(const struct found *found, struct hs_capture_options *capture,
                struct hs_code_file *code, size_t count)
{
	if (found->wraps)
		capture->wrap = "find";
	for (size_t i = 0; i < count; i++)
		code[i].address += found->offset;
}
