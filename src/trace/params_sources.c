/* The parameters of a trace: its sources in TRACE.json, each with parameters of its own
 * (design/captures). */
#include <stdlib.h>

#include "support/process.h"
#include "trace/params_private.h"
#include "trace/trace.h"

/* An object of "sources": its ID or its path, its hart, and what TRACE.json has of protocols. */
static enum hs_status read_source(struct hs_trace_params *p, const char *file, const json_t *one,
                                  bool whole, struct hs_error *error)
{
	const json_int_t id = json_integer_value(json_object_get(one, "id")),
			 hart = json_integer_value(json_object_get(one, "hart"));
	const char *path = json_string_value(json_object_get(one, "path"));
	struct hs_trace_params *own = NULL;
	char *from = path ? params_path_from(file, path) : NULL;
	struct hs_source_part part = { .path = from };
	enum hs_status s = HS_OK;

	if (!json_is_object(one) || !(path ? id == 0 : id >= 1 && id <= 0xff) || hart < 0 ||
	    hart > UINT32_MAX)
		s = hs_error_set(error, HS_E_FORMAT,
		                 "%s: sources: each has an id from 1 to 255 or a path", file);
	else if (path && !from)
		s = hs_error_set(error, HS_E_MEMORY, "%s: out of memory", file);
	part.id = (uint8_t)id;
	part.hart = (uint32_t)hart;
	if (s == HS_OK && (json_object_get(one, "protocol") || json_object_get(one, "set"))) {
		s = hs_trace_params_new(NULL, &own, error);
		if (s == HS_OK)
			s = params_read_own(own, file, one, whole, error);
		part.params = own;
	}
	if (s == HS_OK && hs_trace_params_add_source(p, &part) != HS_OK)
		s = hs_error_set(error, HS_E_MEMORY, "%s: out of memory", file);
	hs_trace_params_free(own);
	free(from);
	return s;
}

enum hs_status params_read_sources(struct hs_trace_params *p, const char *file, const json_t *list,
                                   bool whole, struct hs_error *error)
{
	const size_t n = json_array_size(list);
	enum hs_status s = HS_OK;

	if (list && (!json_is_array(list) || n > SUPPORT_PROCESSES_LIMIT))
		return hs_error_set(error, HS_E_FORMAT, "%s: sources: not a list of them", file);
	if (list)
		params_free_sources(p);
	for (size_t i = 0; i < n && s == HS_OK; i++)
		s = read_source(p, file, json_array_get(list, i), whole, error);
	return s;
}

json_t *params_sources_json(const struct hs_trace_params *p, const char *trace)
{
	json_t *list = json_array();
	bool good = list != NULL;

	for (size_t i = 0; good && i < p->source_count; i++) {
		const struct hs_source_part *one = &p->sources[i];
		json_t *object = one->params ? params_own_json(one->params) : json_object();
		char *path = one->path && trace ? params_path_to(trace, one->path) : NULL;

		if (one->path)
			good = json_object_set_new(object, "path",
			                           json_string(path ? path : one->path)) == 0;
		else
			good = json_object_set_new(object, "id", json_integer(one->id)) == 0;
		good = json_object_set_new(object, "hart", json_integer(one->hart)) == 0 && good;
		good = json_array_append_new(list, object) == 0 && good;
		free(path);
	}
	return params_whole(list, good);
}
