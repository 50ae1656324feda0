/* A copy of what can be read of a recording (recording.h). */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recording/check.h"
#include "recording/place.h"
#include "recording/private.h"
#include "support/file.h"
#include "support/trust.h"

#define DEPTH 64u /* of children of children */
#define ROOM ((size_t)1 << 18)
#define END "cut: salvaged"

/* Who is asked whether to go on. */
struct asked {
	bool (*stop)(void *context);
	void *context;
};

/* A directory that is copied. */
struct salvage {
	const struct asked *asked;
	struct rec_found from;
	const char *path; /* of @from */
	int to;
	unsigned depth;       /* of recordings inside */
	enum hs_status child; /* how the last one was copied */
	json_t *manifest;     /* what is written */
	bool damaged;
	struct hs_error *error;
};

static enum hs_status fail(struct salvage *s, const char *name)
{
	return hs_error_set(s->error, HS_E_SYSTEM, "%s: %s", name, strerror(errno));
}

static enum hs_status no_memory(struct salvage *s)
{
	return hs_error_set(s->error, HS_E_MEMORY, "out of memory");
}

static bool stops(const struct asked *asked)
{
	return asked->stop != NULL && asked->stop(asked->context);
}

/* ---- a file ------------------------------------------------------------------------- */

static enum hs_status copy_bytes(struct salvage *s, const char *name, int from, struct rec_out *to)
{
	uint8_t *room = malloc(ROOM);
	ssize_t n = room == NULL ? 0 : support_read(from, room, ROOM);

	while (n > 0 && !stops(s->asked) && rec_out_bytes(to, room, (size_t)n))
		n = support_read(from, room, ROOM);
	free(room);
	if (room == NULL)
		return no_memory(s);
	if (n > 0 && to->error == 0)
		return hs_error_set(s->error, HS_E_CUT, "%s: interrupted", name);
	return n < 0 ? fail(s, name) : HS_OK;
}

/* @digest: not known where there is no such file. */
static enum hs_status copy_file(struct salvage *s, const char *name, struct support_digest *digest)
{
	const int from = support_open_file(s->from.dir, name);
	struct rec_out to;
	enum hs_status status;

	*digest = (struct support_digest){ .known = false };
	if (from < 0)
		return rec_found_none(errno) ? HS_OK : fail(s, name);
	status = rec_out_open(&to, s->to, name, s->error);
	if (status == HS_OK)
		status = copy_bytes(s, name, from, &to);
	close(from);
	rec_out_close(&to);
	*digest = rec_out_digest(&to);
	errno = to.error;
	return status == HS_OK && to.error != 0 ? fail(s, name) : status;
}

/* ---- manifest.json ------------------------------------------------------------------ */

/* The log up to where it is cut or damaged.  Without a beginning nothing can be read. */
static enum hs_status read_log(struct salvage *s, struct rec_log *log)
{
	const struct rec_folder folder = { .dir = s->from.dir };
	struct rec_in in;
	enum hs_status status = rec_in_open(&in, &folder, REC_LOG, s->error);

	if (status != HS_OK)
		return status;
	log->from_file = true;
	log->limit = rec_log_limit((uint64_t)rec_file_size(&folder, REC_LOG));
	status = rec_read_log(log, &in);
	rec_in_close(&in);
	if (status == HS_E_MEMORY)
		return no_memory(s);
	return log->started ? HS_OK
	                    : hs_error_set(s->error, HS_E_FORMAT,
	                                   "%s: of runs.zst not even the beginning can be read",
	                                   s->path);
}

/* The old manifest.json; where there is none, what the log says. */
static enum hs_status take_manifest(struct salvage *s)
{
	struct rec_log log = { .limit = 0 };
	const enum hs_status status = read_log(s, &log);

	if (status == HS_OK && s->from.manifest != NULL) {
		s->manifest = json_deep_copy(s->from.manifest);
	} else if (status == HS_OK) {
		s->damaged = true;
		s->manifest =
			rec_manifest_new(log.blocks ? "flow" : "recording", "", log.start.xlen);
		rec_manifest_add_log(s->manifest, &log);
	}
	rec_log_free(&log);
	return status == HS_OK && s->manifest == NULL ? no_memory(s) : status;
}

/* What is of a hart: all of it where its file is whole, else its own size and checksum. */
static void put_hart(struct salvage *s, uint32_t number, bool good, const struct support_digest *d)
{
	const json_t *entry = rec_found_hart(&s->from, number);
	const json_t *count = json_object_get(entry, "instructions");
	const struct rec_manifest_hart hart = {
		.number = number,
		.file = *d,
		.instructions = good && json_is_integer(count) ? json_integer_value(count) : -1,
		.skipped = (uint64_t)json_integer_value(json_object_get(entry, "skipped")),
	};

	rec_manifest_add_hart(s->manifest, &hart);
}

/* ---- a directory --------------------------------------------------------------------- */

/* @good: it is what @entry says, which may be NULL. */
static enum hs_status copy_checked(struct salvage *s, const char *name, const json_t *entry,
                                   bool *good, struct support_digest *digest)
{
	struct hs_rec_file_check row = { .name = name };
	const enum hs_status status = copy_file(s, name, digest);

	rec_found_compare(entry, digest, &row);
	*good = rec_file_state_is_good(row.state);
	s->damaged |= !*good;
	return status;
}

static enum hs_status copy_streams(struct salvage *s)
{
	struct support_digest digest;
	enum hs_status status = HS_OK;
	char name[REC_NAME_SIZE];
	bool good;

	rec_manifest_put(s->manifest, s->manifest, "harts", json_array());
	for (size_t i = 0; status == HS_OK && i < s->from.count; i++) {
		const uint32_t number = s->from.harts[i];
		const json_t *entry = rec_found_hart(&s->from, number);

		if (entry == NULL && rec_found_complete(&s->from)) { /* of another recording */
			s->damaged = true;
			continue;
		}
		rec_hart_name(name, number);
		status = copy_checked(s, name, entry, &good, &digest);
		if (status == HS_OK && digest.known)
			put_hart(s, number, good, &digest);
	}
	return status;
}

/* Log and streams, and what manifest.json will say of them. */
static enum hs_status copy_own(struct salvage *s)
{
	struct support_digest digest;
	enum hs_status status = take_manifest(s);
	bool good;

	if (status == HS_OK)
		status = copy_checked(s, REC_LOG, rec_found_log(&s->from), &good, &digest);
	if (status == HS_OK && !good)
		rec_manifest_set_log(s->manifest, &digest);
	if (status == HS_OK)
		status = copy_streams(s);
	if (status == HS_OK && s->damaged)
		rec_manifest_set_end(s->manifest, false, END);
	return status;
}

static enum hs_status salvage_into(const char *path, int to, unsigned depth,
                                   const struct asked *asked, struct hs_error *e);

/* The child or part @name, which may be no recording at all: then it is left out. */
static enum hs_status copy_inner(const struct salvage *s, const char *name)
{
	char *from = NULL;
	enum hs_status status = HS_E_MEMORY;
	int child;

	if (asprintf(&from, "%s/%s", s->path, name) < 0)
		return hs_error_set(s->error, status, "out of memory");
	child = mkdirat(s->to, name, 0777) == 0
	                ? openat(s->to, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
	                : -1;
	status = child < 0 ? hs_error_set(s->error, HS_E_SYSTEM, "%s: %s", name, strerror(errno))
	                   : salvage_into(from, child, s->depth - 1, s->asked, s->error);
	if (child >= 0)
		close(child);
	free(from);
	if (status != HS_E_FORMAT)
		return status;
	unlinkat(s->to, name, AT_REMOVEDIR);
	return HS_OK;
}

static enum hs_status copy_child(void *of, const char *name)
{
	struct salvage *s = of;

	if (rec_is_inner(name) && s->depth > 0)
		s->child = copy_inner(s, name);
	return s->child;
}

static enum hs_status copy_children(struct salvage *s)
{
	const enum hs_status status = rec_each_name(s->from.dir, copy_child, s);

	return status == HS_OK || s->child != HS_OK
	               ? status
	               : hs_error_set(s->error, status, "%s: %s", s->path, strerror(errno));
}

static enum hs_status salvage_into(const char *path, int to, unsigned depth,
                                   const struct asked *asked, struct hs_error *e)
{
	struct salvage s = { .asked = asked, .path = path, .to = to, .depth = depth, .error = e };
	enum hs_status status = rec_found_open(&s.from, path, e);

	if (status != HS_OK)
		return status;
	const bool own = s.from.manifest != NULL && support_is_own(s.from.dir, REC_MANIFEST);

	status = copy_own(&s);
	if (status == HS_OK)
		status = copy_children(&s);
	if (status == HS_OK)
		status = rec_manifest_write(to, s.manifest, own, e);
	json_decref(s.manifest);
	rec_found_close(&s.from);
	return status;
}

static bool is_same(const char *path, const char *other)
{
	struct stat a, b;

	return stat(path, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
}

/* Where @path is, or will be: NULL, where its folder is not there. */
static char *place_of(const char *path)
{
	char *real = realpath(path, NULL), *copy = real ? NULL : strdup(path);

	if (copy)
		real = realpath(dirname(copy), NULL);
	free(copy);
	return real;
}

/* Is @path the directory @folder, or below it? */
static bool is_inside(const char *path, const char *folder)
{
	char *real = place_of(path);
	bool inside = real && is_same(real, folder);

	for (char *slash; !inside && real && (slash = strrchr(real, '/')) && slash != real;) {
		*slash = 0;
		inside = is_same(real, folder);
	}
	free(real);
	return inside;
}

enum hs_status hs_rec_salvage(const char *path, const char *to, bool (*stop)(void *context),
                              void *context, struct hs_error *error)
{
	const struct asked asked = { stop, context };
	struct rec_place place;
	struct rec_found from;
	enum hs_status status = rec_found_open(&from, path, error);

	if (status != HS_OK)
		return status;
	rec_found_close(&from);
	if (is_inside(to, path) || is_inside(path, to))
		return hs_error_set(error, HS_E_ARG,
		                    "%s: the copy needs another name: neither is in the other one",
		                    to);
	status = rec_place_open(&place, to, error);
	if (status != HS_OK)
		return status;
	status = salvage_into(path, place.dir, DEPTH, &asked, error);
	if (status == HS_OK)
		return rec_place_commit(&place, error);
	rec_place_discard(&place);
	return status;
}
