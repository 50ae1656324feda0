/* The programs of contexts in manifest.json and TRACE.json. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "recording/processes.h"

#define PROCESSES_LIMIT 4096u

json_t *rec_processes_json(const struct hs_rec_process *p, size_t n)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++) {
		json_t *o = json_object();

		json_object_set_new(o, "context", json_sprintf("0x%" PRIx64, p[i].context));
		json_object_set_new(o, "path", json_string(p[i].path));
		if (p[i].bias)
			json_object_set_new(o, "bias", json_sprintf("0x%" PRIx64, p[i].bias));
		json_array_append_new(list, o);
	}
	return list;
}

/* A number, or one in a string such as "0x1d", because JSON's integers end at 2^63. */
static bool read_number(const json_t *v, uint64_t *out)
{
	const char *text = json_string_value(v);
	char *end;

	if (json_is_integer(v) && json_integer_value(v) >= 0) {
		*out = (uint64_t)json_integer_value(v);
		return true;
	}
	if (!text || *text < '0' || *text > '9')
		return false;
	errno = 0;
	*out = strtoull(text, &end, 0);
	return !errno && !*end;
}

static bool read_process(const json_t *o, struct hs_rec_process *p)
{
	const json_t *bias = json_object_get(o, "bias");

	p->path = json_string_value(json_object_get(o, "path"));
	return p->path && *p->path && read_number(json_object_get(o, "context"), &p->context) &&
	       (!bias || read_number(bias, &p->bias));
}

enum hs_status rec_processes_read(const json_t *list, struct hs_rec_process **out, size_t *count)
{
	const size_t n = json_array_size(list);

	*count = 0;
	*out = NULL;
	if ((list && !json_is_array(list)) || n > PROCESSES_LIMIT)
		return HS_E_FORMAT;
	*out = calloc(n + 1, sizeof(**out));
	if (!*out)
		return HS_E_MEMORY;
	for (size_t i = 0; i < n; i++)
		if (!read_process(json_array_get(list, i), &(*out)[i]))
			return HS_E_FORMAT;
	*count = n;
	return HS_OK;
}
