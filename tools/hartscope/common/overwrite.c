/* What an output replaces only with --force (design/whole-files). */
#define _GNU_SOURCE
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <hartscope/capture.h>
#include <hartscope/status.h>

#include "common/overwrite.h"
#include "common/tool.h"

static bool allowed;

bool overwrite_allow(void *options, const struct option_row *row, char *none)
{
	(void)options;
	(void)row;
	(void)none;
	allowed = true;
	return true;
}

bool overwrite_is_allowed(void)
{
	const char *force = getenv("HARTSCOPE_FORCE");

	return allowed || (force && *force);
}

static enum hs_status refuse_with(const char *path, const char *what, struct hs_error *e)
{
	char plain[2048];

	hs_text_escape(plain, sizeof(plain), what);
	return hs_error_set(e, HS_E_CONFIG, "%s exists: %s; --force replaces it", path, plain);
}

static bool refuse(const char *path, const char *what)
{
	struct hs_error e;

	refuse_with(path, what, &e);
	complain("%s", e.text);
	return false;
}

/* A file with something in it; devices and pipes are written as they are. */
static bool is_filled(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size != 0;
}

/* A member of PATH and @ending as JSON; NULL: there is none. */
static json_t *read_json(const char *path, const char *ending)
{
	char *name = with_ending(path, "", ending);
	json_t *root = name && is_filled(name) ? json_load_file(name, 0, NULL) : NULL;

	free(name);
	return root;
}

static const char *word(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

static bool same_value(const json_t *a, const json_t *b)
{
	return json_equal(a, b) || (!a && !b);
}

/* ---- traces -------------------------------------------------------------------------------- */

static bool append(void *text, const void *bytes, size_t n)
{
	return fwrite(bytes, 1, n, text) == n;
}

/* As TRACE.json would have them, without names of files.  NULL: no memory. */
static json_t *json_of(const struct hs_trace_params *params)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	bool good = f && hs_trace_params_write(params, append, f) == HS_OK;
	json_t *root;

	if (f)
		good = fclose(f) == 0 && good;
	root = good ? json_loadb(text, n, 0, NULL) : NULL;
	free(text);
	return root;
}

/* Harts decide these while they run. */
static bool is_of_harts(const char *name)
{
	return strcmp(name, "trTeSrcBits") == 0 || strcmp(name, "iaddress_width_p") == 0;
}

/* "NAME is VALUE there": a parameter of @old that @new has otherwise. */
static bool find_parameter(json_t *old, json_t *new, bool early, char *text, size_t size)
{
	const char *name;
	json_t *value;

	json_object_foreach(old, name, value)
	{
		if (same_value(value, json_object_get(new, name)) || (early && is_of_harts(name)))
			continue;
		char *v = json_dumps(value, JSON_ENCODE_ANY);

		snprintf(text, size, "a trace with other parameters (%s is %s there)", name,
		         v ? v : "another");
		free(v);
		return true;
	}
	json_object_foreach(new, name, value)
	{
		if (json_object_get(old, name))
			continue;
		snprintf(text, size, "a trace with other parameters (%s is the default there)",
		         name);
		return true;
	}
	return false;
}

/* A name in TRACE.json is relative to the folder of the trace. */
static bool is_file(const char *trace, const char *name, const char *file)
{
	const size_t n = *name == '/' ? 0 : (size_t)(path_base(trace) - trace);
	char path[PATH_MAX], a[PATH_MAX], b[PATH_MAX];

	if ((size_t)snprintf(path, sizeof(path), "%.*s%s", (int)n, trace, name) >= sizeof(path))
		return false;
	return realpath(path, a) && realpath(file, b) ? strcmp(a, b) == 0 : strcmp(path, file) == 0;
}

/* What the older trace is that the new one is not.  False: nothing. */
static bool find_other(const char *path, json_t *old, json_t *new, const char *transport,
                       const char *recording, char *text, size_t size)
{
	const char *carried = *word(old, "transport") ? word(old, "transport") : "raw";

	if (strcmp(word(old, "protocol"), word(new, "protocol")) != 0)
		snprintf(text, size, "a trace of %s", word(old, "protocol"));
	else if (strcmp(carried, transport ? transport : "raw") != 0)
		snprintf(text, size, "a trace with another transport (%s)", carried);
	else if (recording && !is_file(path, word(old, "recording"), recording))
		snprintf(text, size, "a trace of %s",
		         *word(old, "recording") ? word(old, "recording") : "another program");
	else
		return find_parameter(json_object_get(old, "set"), json_object_get(new, "set"),
		                      !recording, text, size);
	return true;
}

static bool is_params(const json_t *root)
{
	return *word(root, "protocol") && json_object_get(root, "set");
}

/* Does a file have @text among its first bytes? */
static bool begins_with(const char *path, const char *text)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char first[64];
	const ssize_t n = fd < 0 ? 0 : read(fd, first, sizeof(first));

	if (fd >= 0)
		close(fd);
	return n > 0 && memmem(first, (size_t)n, text, strlen(text)) != NULL;
}

static bool is_code(const char *path)
{
	return begins_with(path, "\"hartscope-code\"");
}

/* What a trace has next to it: is there nothing, or a file of that kind? */
static bool is_free(const char *path, const char *ending, bool (*is_own)(const char *file),
                    const char *what)
{
	char *name = with_ending(path, "", ending);
	const bool is = !name || !is_filled(name) || is_own(name);
	const bool good = is || refuse(name, what);

	free(name);
	return good;
}

static bool is_params_file(const char *path)
{
	json_t *root = read_json(path, "");
	const bool is = is_params(root);

	json_decref(root);
	return is;
}

bool overwrite_trace(const char *path, const struct hs_trace_params *params, const char *transport,
                     const char *recording)
{
	char text[1024] = "it has no TRACE.json, so encode did not write it";
	bool other = true;

	if (overwrite_is_allowed())
		return true;
	if (!is_free(path, ".json", is_params_file, "it is no TRACE.json, and one is written") ||
	    !is_free(path, ".code", is_code, "it is no TRACE.code, and one is written"))
		return false;
	if (!is_filled(path))
		return true;
	json_t *old = read_json(path, ".json"), *new = old ? json_of(params) : NULL;

	if (new)
		other = find_other(path, old, new, transport, recording, text, sizeof(text));
	json_decref(old);
	json_decref(new);
	return !other || refuse(path, text);
}

/* ---- recordings and flows ------------------------------------------------------------------- */

/* manifest.json of a recording; NULL: there is none that can be read, and who writes to the folder
 * says what else is there. */
static json_t *read_manifest(const char *path)
{
	return is_recording(path) ? read_json(path, "/manifest.json") : NULL;
}

/* What made it: the source of a flow, else the command line. */
static void describe(const json_t *manifest, char *text, size_t size)
{
	const json_t *argv = json_object_get(manifest, "argv");
	size_t n = 0;

	if (*word(manifest, "source")) {
		snprintf(text, size, "made by %s", word(manifest, "source"));
		return;
	}
	n += (size_t)snprintf(text, size, "a recording of");
	for (size_t i = 0; i < json_array_size(argv) && n < size; i++) {
		const char *argument = json_string_value(json_array_get(argv, i));

		n += (size_t)snprintf(text + n, size - n, " %s", argument ? argument : "?");
	}
	if (json_array_size(argv) == 0)
		snprintf(text, size, "a recording or flow of another command");
}

enum hs_status overwrite_flow(const char *path, const char *made_by, struct hs_error *e)
{
	json_t *old = overwrite_is_allowed() ? NULL : read_manifest(path);
	const bool same = !old || strcmp(word(old, "source"), made_by) == 0;
	char text[1024];

	if (!same)
		describe(old, text, sizeof(text));
	json_decref(old);
	return same ? HS_OK : refuse_with(path, text, e);
}

bool overwrite_copy(const char *path, const char *of)
{
	json_t *old = overwrite_is_allowed() ? NULL : read_manifest(path),
	       *copied = old ? read_manifest(of) : NULL;
	const bool same = !old || (same_value(json_object_get(old, "argv"),
	                                      json_object_get(copied, "argv")) &&
	                           strcmp(word(old, "source"), word(copied, "source")) == 0);
	char text[1024];

	if (!same)
		describe(old, text, sizeof(text));
	json_decref(old);
	json_decref(copied);
	return same || refuse(path, text);
}

bool overwrite_code(const char *path)
{
	json_t *old = overwrite_is_allowed() ? NULL : read_manifest(path);
	const bool other = old && strcmp(word(old, "kind"), "code") != 0;

	json_decref(old);
	return !other || refuse(path, "a recording, and the code of a trace is written there");
}

/* ---- other files ---------------------------------------------------------------------------- */

/* Is it one of the files of a recording? */
static bool is_of_recording(const char *path)
{
	const char *base = path_base(path);
	const size_t n = strlen(base);
	char folder[PATH_MAX];

	if (strcmp(base, "manifest.json") != 0 && (n < 4 || strcmp(base + n - 4, ".zst") != 0))
		return false;
	return (size_t)snprintf(folder, sizeof(folder), "%.*s.", (int)(base - path), path) <
	               sizeof(folder) &&
	       is_recording(folder);
}

bool overwrite_file(const char *path)
{
	if (overwrite_is_allowed() || !is_filled(path))
		return true;
	if (hs_file_what(path, NULL) == HS_FILE_ELF)
		return refuse(path, "an ELF file");
	if (is_of_recording(path))
		return refuse(path, "a file of a recording");
	if (is_params_file(path) || is_code(path))
		return refuse(path, "a file of a trace");
	json_t *params = read_json(path, ".json");
	const bool is_trace = is_params(params);

	json_decref(params);
	return !is_trace || refuse(path, "a trace with its parameters");
}
