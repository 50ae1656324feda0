/* The parameters of a trace: JSON, as TRACE.json has it, and files of either kind. */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/file.h"
#include "support/process.h"
#include "trace/params_private.h"
#include "trace/trace.h"

#define FILE_LIMIT ((size_t)1 << 24)

static enum hs_status no_memory(const char *file, struct hs_error *error)
{
	return hs_error_set(error, HS_E_MEMORY, "%s: out of memory", file);
}

/* ---- members of the JSON object ----------------------------------------------- */

static enum hs_status set_json(struct hs_trace_params *p, const char *file, const char *name,
                               const json_t *value, struct hs_error *error)
{
	char text[32];
	struct hs_error why = { 0 };
	const char *v = json_string_value(value);

	if (json_is_integer(value)) {
		snprintf(text, sizeof(text), "%lld", (long long)json_integer_value(value));
		v = text;
	}
	if (!v)
		return hs_error_set(error, HS_E_FORMAT, "%s: %s is neither a number nor a string",
		                    file, name);
	const enum hs_status status = hs_trace_params_set(p, name, v, &why);

	return status == HS_OK ? status : hs_error_set(error, status, "%s: %.400s", file, why.text);
}

/* A setting that the protocol does not have: the caller may have named another one. */
static enum hs_status other_protocol(const struct hs_trace_params *p, const char *file,
                                     const char *protocol, struct hs_error *error)
{
	if (!p->protocol_given || !protocol || strcmp(protocol, p->protocol->name) == 0)
		return HS_E_CONFIG;
	return hs_error_set(error, HS_E_CONFIG,
	                    "%s is of a trace of %.20s, not of %s: leave --protocol out, or give "
	                    "parameters of %s with --config",
	                    file, protocol, p->protocol->name, p->protocol->name);
}

/* @leading: only parameters that decide the defaults of others. */
static enum hs_status read_settings(struct hs_trace_params *p, const char *file, json_t *set,
                                    bool leading, struct hs_error *error)
{
	const char *name;
	json_t *value;

	json_object_foreach(set, name, value)
	{
		if (leading && !params_listed(p->protocol->leading, name))
			continue;
		const enum hs_status status = set_json(p, file, name, value, error);

		if (status != HS_OK)
			return status;
	}
	return HS_OK;
}

static enum hs_status read_words(struct hs_trace_params *p, const char *file, const json_t *root,
                                 struct hs_error *error)
{
	const struct {
		const char *key;
		char **to;
		bool path; /* relative to the folder of the file */
	} words[] = {
		{ "transport", &p->transport, false },
		{ "vcd_clock", &p->vcd_clock, false },
		{ "vcd_data", &p->vcd_data, false },
		{ "recording", &p->recording, true },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		const char *text = json_string_value(json_object_get(root, words[i].key));

		if (!text)
			continue;
		free(*words[i].to);
		*words[i].to = words[i].path ? params_path_from(file, text) : strdup(text);
		if (!*words[i].to)
			return no_memory(file, error);
	}
	return HS_OK;
}

/* The programs of contexts; their paths are relative to the file's folder. */
static enum hs_status read_processes(struct hs_trace_params *p, const char *file,
                                     const json_t *list, struct hs_error *error)
{
	const size_t n = json_array_size(list);
	enum hs_status status = HS_OK;

	if (list && (!json_is_array(list) || n > SUPPORT_PROCESSES_LIMIT))
		status = HS_E_FORMAT;
	for (size_t i = 0; i < n && status == HS_OK; i++) {
		struct hs_rec_process one = { 0 };

		if (!support_read_process(json_array_get(list, i), &one.context, &one.bias,
		                          &one.path)) {
			status = HS_E_FORMAT;
			break;
		}
		char *path = params_path_from(file, one.path);

		one.path = path;
		status = path ? params_add_process(p, &one) : HS_E_MEMORY;
		free(path);
	}
	return status == HS_OK ? status
	                       : hs_error_set(error, status, "%s: processes: %s", file,
	                                      hs_status_text(status));
}

enum hs_status params_read_own(struct hs_trace_params *p, const char *file, const json_t *root,
                               bool whole, struct hs_error *error)
{
	const char *const says = json_string_value(json_object_get(root, "protocol"));
	const char *protocol = says;
	json_t *set = json_object_get(root, "set");

	if (!json_is_object(root) || (set && !json_is_object(set)))
		return hs_error_set(error, HS_E_FORMAT, "%s: not the parameters of a trace", file);
	if (p->protocol_given)
		protocol = p->protocol->name;
	else if (!protocol)
		protocol = "ntrace";
	enum hs_status status = params_start(p, protocol, error);

	p->sync_decided = p->width_decided = p->described = whole;
	if (status == HS_OK && !whole)
		status = read_settings(p, file, set, true, error);
	p->plain = false;
	if (status == HS_OK)
		status = read_settings(p, file, set, false, error);
	return status == HS_E_CONFIG ? other_protocol(p, file, says, error) : status;
}

static enum hs_status read_object(struct hs_trace_params *p, const char *file, const json_t *root,
                                  bool whole, struct hs_error *error)
{
	enum hs_status status = params_read_own(p, file, root, whole, error);

	if (status == HS_OK)
		status = params_read_sources(p, file, json_object_get(root, "sources"), whole,
		                             error);
	if (status == HS_OK)
		status = read_words(p, file, root, error);
	if (status == HS_OK)
		status = params_read_digests(p, file, root, error);
	if (status == HS_OK)
		status = read_processes(p, file, json_object_get(root, "processes"), error);
	return status;
}

/* A member that nobody reads, of a file that the caller wrote: a setting outside of "set", say. */
static enum hs_status check_members(const char *file, const json_t *root, struct hs_error *error)
{
	static const char *const names[] = { "protocol", "set",       "transport", "vcd_clock",
		                             "vcd_data", "recording", "processes", "sources",
		                             "trace",    "code",      NULL };
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)(uintptr_t)root, name, value)
	{
		if (!params_listed(names, name))
			return hs_error_set(
				error, HS_E_CONFIG,
				"%s: no member '%.60s'; parameters are members of \"set\", "
				"others are protocol, transport, vcd_clock, vcd_data, "
				"recording, processes and sources",
				file, name);
	}
	return HS_OK;
}

/* @found: as read_file(); a later version may write more.  What is found, or has the checksum of
 * its trace, was written with a trace: it has all that differs from the defaults. */
static enum hs_status read_json(struct hs_trace_params *p, const char *text, size_t n, bool found,
                                const char *file, struct hs_error *error)
{
	json_error_t why;
	json_t *root = json_loadb(text, n, JSON_REJECT_DUPLICATES, &why);

	if (!root)
		return hs_error_set(error, HS_E_FORMAT, "%s:%d: %s", file, why.line, why.text);
	enum hs_status status = found ? HS_OK : check_members(file, root, error);

	if (status == HS_OK)
		status = read_object(p, file, root, found || json_object_get(root, "trace"), error);
	json_decref(root);
	return status;
}

/* ---- text of either kind ------------------------------------------------------ */

/* TRACE.json and its like begin with '{'; other text is lines of NAME = VALUE. */
static bool is_json(const char *text, size_t n)
{
	while (n && (*text == ' ' || *text == '\t' || *text == '\r' || *text == '\n')) {
		text++;
		n--;
	}
	return !n || *text == '{';
}

enum hs_status params_read(struct hs_trace_params *p, const char *text, size_t n, const char *name,
                           bool json, struct hs_error *error)
{
	if (!json && !is_json(text, n))
		return params_read_lines(p, text, n, name, error);
	return read_json(p, text, n, json, name, error);
}

enum hs_status hs_trace_params_read(struct hs_trace_params *p, struct hs_span *text,
                                    const char *name, struct hs_error *error)
{
	const char *from = (const char *)text->p;
	const size_t n = text->n;

	if (n) /* NULL is allowed for no text */
		text->p += n;
	text->n = 0;
	return params_read(p, from, n, name, false, error);
}

/* ---- files -------------------------------------------------------------------- */

static enum hs_status load(FILE *f, const char *path, char **text, size_t *n,
                           struct hs_error *error)
{
	size_t room = 0;

	*text = NULL;
	*n = 0;
	do {
		room = room ? 2 * room : 4096;
		char *more = realloc(*text, room);

		if (!more)
			return no_memory(path, error);
		*text = more;
		*n += fread(*text + *n, 1, room - *n, f);
	} while (*n == room && room < FILE_LIMIT);
	if (ferror(f))
		return hs_error_set(error, HS_E_SYSTEM, "%s: %s", path, strerror(errno));
	if (*n == room)
		return hs_error_set(error, HS_E_FORMAT, "%s: too long for parameters of a trace",
		                    path);
	return HS_OK;
}

/* @found: next to a trace, where it is no choice of the caller's, and need not exist. */
static enum hs_status read_file(struct hs_trace_params *p, const char *path, bool found,
                                struct hs_error *error)
{
	FILE *f = found ? support_stream(support_open_file(AT_FDCWD, path)) : fopen(path, "re");
	char *text;
	size_t n;

	if (!f && found && (errno == ENOENT || errno == ENOTDIR))
		return HS_OK;
	if (!f)
		return hs_error_set(error, HS_E_SYSTEM, "%s: %s", path,
		                    support_open_failure(errno));
	enum hs_status status = load(f, path, &text, &n, error);

	fclose(f);
	if (status == HS_OK)
		status = params_read(p, text, n, path, found, error);
	free(text);
	return status;
}

enum hs_status hs_trace_params_read_file(struct hs_trace_params *p, const char *path,
                                         struct hs_error *error)
{
	return read_file(p, path, false, error);
}

enum hs_status hs_trace_params_read_beside(struct hs_trace_params *p, const char *trace,
                                           struct hs_error *error)
{
	char *file = params_join(trace, ".json"), *next = params_join(trace, ".new.json");
	enum hs_status status =
		file && next ? read_file(p, file, true, error) : no_memory(trace, error);
	bool moving = false;

	if (status == HS_OK)
		status = params_choose(p, trace, &moving, error);
	if (status == HS_OK && moving)
		status = read_file(p, next, true, error);
	p->moving = moving;
	free(next);
	free(file);
	return status;
}
