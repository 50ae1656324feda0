/* Programs of contexts as JSON objects. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "support/process.h"

json_t *support_process_json(uint64_t context, uint64_t bias, const char *path)
{
	json_t *o = json_object();

	if (json_object_set_new(o, "context", json_sprintf("0x%" PRIx64, context)) == 0 &&
	    json_object_set_new(o, "path", json_string(path)) == 0 &&
	    (!bias || json_object_set_new(o, "bias", json_sprintf("0x%" PRIx64, bias)) == 0))
		return o;
	json_decref(o);
	return NULL;
}

/* A number, or one in a string such as "0x1d": JSON's own numbers end at 2^63. */
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

bool support_read_process(const json_t *object, uint64_t *context, uint64_t *bias,
                          const char **path)
{
	const json_t *b = json_object_get(object, "bias");

	*bias = 0;
	*path = json_string_value(json_object_get(object, "path"));
	return *path && **path && read_number(json_object_get(object, "context"), context) &&
	       (!b || read_number(b, bias));
}
