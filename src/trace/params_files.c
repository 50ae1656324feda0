/* The files of a trace: TRACE itself, TRACE.json and TRACE.code (design/whole-files).
 *
 * TRACE.json has the size and checksum of the other two.  New ones are written as TRACE.new with
 * its own TRACE.new.json and TRACE.new.code, and get their names one after the other, TRACE first:
 * where that was interrupted, TRACE.new.json is the one that describes TRACE.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/params.h"
#include "trace/params_private.h"

/* ---- digests in JSON --------------------------------------------------------------------- */

/* Without the object nothing is known; one without a checksum is refused. */
static bool read_digest(const json_t *o, struct support_digest *d)
{
	*d = (struct support_digest){ .known = false };
	return !o || (support_digest_read(o, d) && d->known);
}

enum hs_status params_read_digests(struct hs_trace_params *p, const char *file, const json_t *root,
                                   struct hs_error *error)
{
	if (read_digest(json_object_get(root, "trace"), &p->trace) &&
	    read_digest(json_object_get(root, "code"), &p->code))
		return HS_OK;
	return hs_error_set(error, HS_E_FORMAT, "%s: trace and code need bytes and xxh64", file);
}

static bool add_digest(json_t *root, const char *key, const struct support_digest *d)
{
	json_t *o = json_object();

	if (d->known && support_digest_put(o, d))
		return json_object_set_new(root, key, o) == 0;
	json_decref(o);
	return !d->known;
}

enum hs_status params_add_digests(json_t *root, const char *trace, struct hs_error *error)
{
	char *changes = params_join(trace, ".code");
	struct support_digest of_trace, of_code;
	enum hs_status status =
		changes ? support_digest_file(trace, &of_trace, error) : HS_E_MEMORY;

	if (status == HS_OK)
		status = support_digest_file(changes, &of_code, error);
	if (status == HS_OK &&
	    (!add_digest(root, "trace", &of_trace) || !add_digest(root, "code", &of_code)))
		status = HS_E_MEMORY;
	free(changes);
	return status == HS_E_MEMORY ? hs_error_set(error, status, "out of memory") : status;
}

/* ---- names -------------------------------------------------------------------------------- */

/* Give a file its name; where there is none, remove what has the name.  0, or errno. */
static int move(const char *from, const char *to, bool must)
{
	if (rename(from, to) == 0)
		return 0;
	if (errno != ENOENT || must)
		return errno;
	return unlink(to) == 0 || errno == ENOENT ? 0 : errno;
}

static enum hs_status move_part(const char *from, const char *to, const char *ending,
                                struct hs_error *error)
{
	char *a = params_join(from, ending), *b = params_join(to, ending);
	const int why = a && b ? move(a, b, *ending == '\0') : ENOMEM;

	if (why != 0)
		hs_error_set(error, why == ENOMEM ? HS_E_MEMORY : HS_E_SYSTEM, "%s: %s", b ? b : to,
		             strerror(why));
	free(a);
	free(b);
	return why == 0 ? HS_OK : why == ENOMEM ? HS_E_MEMORY : HS_E_SYSTEM;
}

enum hs_status hs_trace_move(const char *from, const char *to, struct hs_error *error)
{
	static const char *const endings[] = { "", ".code", ".json" };
	enum hs_status status = HS_OK;

	for (size_t i = 0; i < 3 && status == HS_OK; i++)
		status = move_part(from, to, endings[i], error);
	return status;
}

/* ---- which files go together ------------------------------------------------------------- */

/* Does the JSON at @path say that it is of a file with this digest? */
static bool describes(const char *path, const struct support_digest *trace)
{
	struct support_digest said = { .known = false };
	json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, NULL);
	const bool good = root && read_digest(json_object_get(root, "trace"), &said);

	json_decref(root);
	return good && said.known && support_digest_same(&said, trace);
}

enum hs_status params_choose(const struct hs_trace_params *p, const char *trace, bool *next,
                             struct hs_error *error)
{
	char *path = params_join(trace, ".new.json");
	struct support_digest found;
	enum hs_status status = HS_OK;

	*next = false;
	if (!path)
		return hs_error_set(error, HS_E_MEMORY, "out of memory");
	if (access(path, F_OK) == 0) {
		status = support_digest_file(trace, &found, error);
		if (status == HS_OK && found.known &&
		    !(p->trace.known && support_digest_same(&p->trace, &found)))
			*next = describes(path, &found);
	}
	free(path);
	return status;
}

/* Is it the file of code?  HS_E_CUT: it is another one. */
static enum hs_status is_code(const struct hs_trace_params *p, const char *trace,
                              struct hs_error *error)
{
	char *path = params_join(trace, ".code");
	struct support_digest found;
	enum hs_status status = path ? support_digest_file(path, &found, error)
	                             : hs_error_set(error, HS_E_MEMORY, "out of memory");

	if (status == HS_OK && !(found.known && support_digest_same(&p->code, &found)))
		status = hs_error_set(error, HS_E_CUT,
		                      "%s is missing, or not the one that TRACE.json describes",
		                      path);
	free(path);
	return status;
}

enum hs_status hs_trace_params_find_code(const struct hs_trace_params *params, const char *trace,
                                         char **stem, struct hs_error *error)
{
	char *next = params_join(trace, ".new");
	enum hs_status status = next ? HS_OK : hs_error_set(error, HS_E_MEMORY, "out of memory");
	const char *found = params->moving ? NULL : trace;

	*stem = NULL;
	if (status == HS_OK && params->code.known) {
		found = trace;
		status = is_code(params, trace, error);
		if (status == HS_E_CUT && is_code(params, next, NULL) == HS_OK) {
			found = next;
			status = HS_OK;
		}
	}
	if (status == HS_OK && found) {
		*stem = strdup(found);
		status = *stem ? HS_OK : hs_error_set(error, HS_E_MEMORY, "out of memory");
	}
	free(next);
	return status;
}

/* ---- is it the trace that TRACE.json describes? ------------------------------------------ */

enum hs_status hs_trace_params_compare(const struct hs_trace_params *params, const char *trace,
                                       uint64_t bytes, const uint64_t *xxh64,
                                       struct hs_error *error)
{
	if (!params->trace.known)
		return HS_OK;
	if (bytes != params->trace.bytes)
		return hs_error_set(error, HS_E_CUT,
		                    "%s has %" PRIu64 " bytes, %s.json says %" PRIu64
		                    ": it is cut, or another trace",
		                    trace, bytes, trace, params->trace.bytes);
	if (!xxh64)
		return HS_MORE;
	if (*xxh64 == params->trace.sum)
		return HS_OK;
	return hs_error_set(error, HS_E_CUT,
	                    "%s has another checksum than %s.json says: it is damaged, or "
	                    "another trace",
	                    trace, trace);
}

enum hs_status hs_trace_params_verify(const struct hs_trace_params *params, const char *trace,
                                      struct hs_error *error)
{
	struct support_digest found;
	enum hs_status status;

	if (!params->trace.known)
		return HS_OK;
	status = support_digest_file(trace, &found, error);
	if (status != HS_OK || !found.known)
		return status;
	return hs_trace_params_compare(params, trace, found.bytes, &found.sum, error);
}
