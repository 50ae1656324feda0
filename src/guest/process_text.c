/* Process maps: JSON lines (docs/guests.md), or the text of perf script. */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "guest/private.h"

#define FORMAT "hartscope-processes"
#define VERSION 1

/* ---- JSON lines --------------------------------------------------------------------------- */

/* A number that JSON has as one, or as text in any base of C.  False: it is neither.  Where it is
 * not there *value stays, and *there, unless NULL, says so. */
static bool read_number(const json_t *object, const char *key, uint64_t *value, bool *there)
{
	const json_t *v = json_object_get(object, key);
	const char *text = json_string_value(v);
	char *end;

	if (there)
		*there = v != NULL;
	if (!v)
		return there != NULL;
	if (json_is_integer(v) && json_integer_value(v) >= 0) {
		*value = (uint64_t)json_integer_value(v);
		return true;
	}
	if (!text || *text < '0' || *text > '9')
		return false;
	errno = 0;
	*value = strtoull(text, &end, 0);
	return *end == '\0' && errno == 0;
}

static enum hs_status take_map(struct hs_guest *g, const json_t *m, uint32_t pid)
{
	struct hs_guest_record r = { .size = sizeof(r), .event = HS_GUEST_MAP, .pid = pid };
	bool there;

	r.file = json_string_value(json_object_get(m, "file"));
	if (!read_number(m, "address", &r.start, NULL) ||
	    !read_number(m, "size", &r.length, NULL) ||
	    !read_number(m, "offset", &r.offset, &there))
		return HS_E_FORMAT;
	const enum hs_status status = hs_guest_add_record(g, &r);

	return status == HS_E_ARG ? HS_E_FORMAT : status;
}

/* The event that a line says: a name alone changes no map. */
static enum hs_guest_event event_of(const json_t *object)
{
	if (json_is_true(json_object_get(object, "exit")))
		return HS_GUEST_EXIT;
	return json_object_get(object, "maps") || json_object_get(object, "context")
	               ? HS_GUEST_EXEC : HS_GUEST_NAME;
}

static enum hs_status take_process(struct hs_guest *g, const json_t *object)
{
	struct hs_guest_record r = { .size = sizeof(r), .event = event_of(object) };
	const json_t *maps = json_object_get(object, "maps");
	const json_t *name = json_object_get(object, "name");
	uint64_t pid = 0, tid = 0;
	bool has_pid, has_tid;

	if (!read_number(object, "pid", &pid, &has_pid) ||
	    !read_number(object, "tid", &tid, &has_tid) || pid > UINT32_MAX || tid > UINT32_MAX ||
	    !read_number(object, "context", &r.context, &r.has_context) ||
	    !read_number(object, "moment", &r.moment, &r.has_moment) ||
	    (!has_pid && !r.has_context) || (maps && !json_is_array(maps)) ||
	    (name && !json_is_string(name)))
		return HS_E_FORMAT;
	r.pid = (uint32_t)pid;
	r.name = json_string_value(name);
	enum hs_status status = hs_guest_add_record(g, &r);

	for (size_t i = 0; status == HS_OK && i < json_array_size(maps); i++)
		status = take_map(g, json_array_get(maps, i), r.pid);
	return status;
}

static enum hs_status take_head(const json_t *object)
{
	const char *format = json_string_value(json_object_get(object, "format"));
	uint64_t version;

	if (!format || strcmp(format, FORMAT) != 0 ||
	    !read_number(object, "version", &version, NULL))
		return HS_E_FORMAT;
	return version > VERSION ? HS_E_UNSUPPORTED : HS_OK;
}

static enum hs_status take_json_line(struct hs_guest *g, const char *line, bool first)
{
	json_t *object = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
	enum hs_status status = HS_E_FORMAT;

	if (json_is_object(object))
		status = first ? take_head(object) : take_process(g, object);
	json_decref(object);
	return status;
}

/* ---- both --------------------------------------------------------------------------------- */

static enum hs_status read_lines(struct hs_guest *g, char *text, const char *path,
                                 struct hs_error *error)
{
	const bool json = text[strspn(text, " \t\r\n")] == '{';
	enum hs_status status = HS_OK;
	size_t number = 0, records = 0;

	for (char *line; status == HS_OK && (line = guest_next_line(&text));) {
		number++;
		if (json)
			status = take_json_line(g, line, number == 1);
		else
			status = guest_take_perf_line(g, line);
		records += status == HS_OK;
		status = status == HS_END ? HS_OK : status;
	}
	if (status == HS_OK && records)
		return HS_OK;
	if (status == HS_OK)
		return hs_error_set(error, HS_E_FORMAT,
		                    "%s: no processes: neither JSON lines (docs/guests.md) nor the "
		                    "text of perf script --show-mmap-events --show-task-events",
		                    path);
	return hs_error_set(error, status, "%s:%zu: %s", path, number,
	                    status == HS_E_FORMAT ? "not a line of a process map"
	                                          : hs_status_text(status));
}

enum hs_status guest_add_processes(struct hs_guest *g, const struct hs_guest_file *file,
                                   struct hs_error *error)
{
	char *text;
	const enum hs_status status = guest_read_text(g, file, &text, error);

	return status == HS_OK ? read_lines(g, text, file->path, error) : status;
}
