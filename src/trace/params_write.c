/* The parameters of a trace: writing TRACE.json. */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/file.h"
#include "support/process.h"
#include "trace/params_private.h"
#include "trace/trace.h"

/* A path as it is written: relative to the folder of the trace, or as it is. */
static char *path_for(const char *trace, const char *path)
{
	return trace ? params_path_to(trace, path) : strdup(path);
}

static json_t *value_json(const struct hs_param *param, uint64_t value)
{
	char text[320];

	hs_protocol_value_text(param, value, text, sizeof(text));
	if (param->list || strspn(text, "0123456789") != strlen(text)) /* a list's words: digits */
		return json_string(text);
	return json_integer((json_int_t)value);
}

json_t *params_whole(json_t *json, bool good)
{
	if (good)
		return json;
	json_decref(json);
	return NULL;
}

/* What differs from the defaults. */
static json_t *settings_json(const struct hs_trace_params *p)
{
	const struct hs_protocol *protocol = p->protocol;
	json_t *set = json_object();
	void *standard = calloc(1, protocol->config_size);
	bool good = set && standard;

	if (standard)
		hs_protocol_defaults(protocol, standard);
	for (unsigned i = 0; good && i < protocol->param_count; i++) {
		const uint64_t v = hs_protocol_get(protocol, p->config, i);

		if (v != hs_protocol_get(protocol, standard, i))
			good = json_object_set_new(set, protocol->params[i].name,
			                           value_json(&protocol->params[i], v)) == 0;
	}
	free(standard);
	return params_whole(set, good);
}

static json_t *processes_json(const struct hs_trace_params *p, const char *trace)
{
	json_t *list = json_array();
	bool good = list != NULL;

	for (size_t i = 0; good && i < p->process_count; i++) {
		const struct hs_rec_process *one = &p->processes[i];
		char *path = path_for(trace, one->path);

		good = json_array_append_new(list, support_process_json(one->context, one->bias,
		                                                        path ? path : one->path)) ==
		       0;
		free(path);
	}
	return params_whole(list, good);
}

static bool add_word(json_t *root, const char *key, const char *text)
{
	return !text || json_object_set_new(root, key, json_string(text)) == 0;
}

json_t *params_own_json(const struct hs_trace_params *p)
{
	return json_pack("{s:s, s:o}", "protocol", p->protocol->name, "set", settings_json(p));
}

/* NULL, and errno: no memory, or the way to a file cannot be found. */
static json_t *params_json(const struct hs_trace_params *p, const char *trace)
{
	char *recording = p->recording ? path_for(trace, p->recording) : NULL;

	if (p->recording && !recording && params_path_exists(p->recording))
		return NULL;
	json_t *root = params_own_json(p);
	const bool good =
		root && add_word(root, "recording", recording) &&
		add_word(root, "transport", p->transport) &&
		add_word(root, "vcd_clock", p->vcd_clock) &&
		add_word(root, "vcd_data", p->vcd_data) &&
		(!p->process_count ||
	         json_object_set_new(root, "processes", processes_json(p, trace)) == 0) &&
		(!p->source_count ||
	         json_object_set_new(root, "sources", params_sources_json(p, trace)) == 0);

	free(recording);
	if (!good)
		errno = ENOMEM;
	return params_whole(root, good);
}

struct sink {
	hs_write_fn write;
	void *context;
};

static int write_some(const char *text, size_t n, void *sink)
{
	const struct sink *s = sink;

	return s->write(s->context, text, n) ? 0 : -1;
}

static enum hs_status write_json(const json_t *root, hs_write_fn write, void *context)
{
	struct sink sink = { write, context };

	if (!root)
		return HS_E_MEMORY;
	return json_dump_callback(root, write_some, &sink, JSON_INDENT(2)) == 0 &&
	                       write(context, "\n", 1)
	               ? HS_OK
	               : HS_E_SYSTEM;
}

enum hs_status hs_trace_params_write(const struct hs_trace_params *p, hs_write_fn write,
                                     void *context)
{
	json_t *root = params_json(p, NULL);
	const enum hs_status status = write_json(root, write, context);

	json_decref(root);
	return status;
}

/* Not json_dumps(): where it cannot grow its text, a key is missing, and it reports no error. */
static enum hs_status write_file(const json_t *root, const char *path)
{
	const size_t n = json_dumpb(root, NULL, 0, JSON_INDENT(2));
	char *text = n ? malloc(n + 1) : NULL;

	if (!text || json_dumpb(root, text, n, JSON_INDENT(2)) != n) {
		free(text);
		return HS_E_MEMORY;
	}
	text[n] = '\n';
	const int written = support_replace_file(path, text, n + 1);

	free(text);
	return written == 0 ? HS_OK : HS_E_SYSTEM;
}

enum hs_status hs_trace_params_write_beside(const struct hs_trace_params *p, const char *trace,
                                            struct hs_error *error)
{
	char *file = params_join(trace, ".json");
	json_t *root = file ? params_json(p, trace) : NULL;
	enum hs_status status =
		root ? params_add_digests(root, trace, error)
		     : hs_error_set(error, HS_E_SYSTEM, "%s.json: %s", trace, strerror(errno));

	if (status == HS_OK) {
		status = write_file(root, file);
		if (status != HS_OK)
			hs_error_set(error, status, "%s: %s", file,
			             status == HS_E_SYSTEM ? strerror(errno) : "out of memory");
	}
	json_decref(root);
	free(file);
	return status;
}
