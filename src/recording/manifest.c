/* manifest.json: what a recording is and how it ended. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recording/manifest.h"
#include "support/build_id.h"
#include "support/file.h"
#include "support/trust.h"

#define FORMAT "hartscope-recording"
#define VERSION 1 /* no other one was released */
#define MANIFEST_LIMIT (16u << 20)

static json_t *json_hex(uint64_t value)
{
	return json_sprintf("0x%" PRIx64, value);
}

/* A path need not be UTF-8, but JSON has to be. */
static json_t *json_text(const char *s, size_t n)
{
	json_t *t = json_stringn(s, n);
	char *plain;

	if (t != NULL)
		return t;
	plain = strndup(s, n);
	if (plain == NULL)
		return NULL;
	for (char *p = plain; *p != 0; p++)
		if ((unsigned char)*p >= 0x80)
			*p = '?';
	t = json_string(plain);
	free(plain);
	return t;
}

/* One that is not whole loses its format, and is not written. */
static void spoil_unless(json_t *m, bool good)
{
	if (!good)
		json_object_del(m, "format");
}

void rec_manifest_put(json_t *m, json_t *object, const char *key, json_t *value)
{
	spoil_unless(m, json_object_set_new(object, key, value) == 0);
}

json_t *rec_manifest_new(const char *kind, const char *program, unsigned xlen)
{
	json_t *m = json_object();

	rec_manifest_put(m, m, "format", json_string(FORMAT));
	rec_manifest_put(m, m, "version", json_integer(VERSION));
	rec_manifest_put(m, m, "kind", json_string(kind));
	rec_manifest_put(m, m, "program", json_text(program, strlen(program)));
	rec_manifest_put(m, m, "xlen", json_integer(xlen));
	rec_manifest_set_end(m, false, "cut");
	rec_manifest_put(m, m, "harts", json_array());
	return m;
}

void rec_manifest_set_end(json_t *m, bool complete, const char *end)
{
	rec_manifest_put(m, m, "complete", json_boolean(complete));
	rec_manifest_put(m, m, "end", json_text(end, strlen(end)));
}

void rec_manifest_set_log(json_t *m, const struct support_digest *file)
{
	json_t *log = json_object();

	spoil_unless(m, support_digest_put(log, file));
	rec_manifest_put(m, m, "log", log);
}

void rec_manifest_add_hart(json_t *m, const struct rec_manifest_hart *h)
{
	json_t *harts = json_object_get(m, "harts"), *hart = json_object();
	size_t at = json_array_size(harts);

	while (at > 0 && json_integer_value(json_object_get(json_array_get(harts, at - 1),
	                                                    "number")) > h->number)
		at--;
	rec_manifest_put(m, hart, "number", json_integer(h->number));
	rec_manifest_put(m, hart, "file", json_sprintf("hart-%" PRIu32 ".zst", h->number));
	if (h->instructions >= 0)
		rec_manifest_put(m, hart, "instructions", json_integer(h->instructions));
	if (h->skipped != 0)
		rec_manifest_put(m, hart, "skipped", json_integer((json_int_t)h->skipped));
	rec_manifest_put(m, hart, "bytes", json_integer((json_int_t)h->file.bytes));
	spoil_unless(m, support_digest_put(hart, &h->file));
	spoil_unless(m, json_array_insert_new(harts, at, hart) == 0);
}

/* The build-id of the file that is mapped: it may be built again. */
static void add_build_id(json_t *m, json_t *map)
{
	const char *path = json_string_value(json_object_get(map, "path"));
	char text[2 * SUPPORT_ID_MAX + 1];
	uint8_t id[SUPPORT_ID_MAX];
	const size_t n = path != NULL && *path == '/' ? support_file_build_id(path, id) : 0;

	support_id_text(id, n, text);
	if (n != 0)
		rec_manifest_put(m, map, "buildId", json_string(text));
}

/* @known has a key for each map. */
static void add_map(json_t *m, json_t *maps, json_t *known, const struct hs_rec_log_head *head)
{
	const struct hs_rec_log_map *map = (const void *)(head + 1);
	json_t *o = json_object();
	char *key = NULL;

	rec_manifest_put(m, o, "start", json_hex(map->start));
	rec_manifest_put(m, o, "size", json_integer((json_int_t)map->size));
	rec_manifest_put(m, o, "offset", json_integer((json_int_t)map->offset));
	rec_manifest_put(m, o, "path",
	                 json_text((const char *)(map + 1), head->size - sizeof(*map)));
	add_build_id(m, o);
	if (asprintf(&key, "%" PRIx64 " %" PRIx64 " %" PRIx64 " %s", map->start, map->size,
	             map->offset, json_string_value(json_object_get(o, "path"))) < 0)
		key = NULL;
	if (key == NULL || json_object_get(known, key) == NULL)
		spoil_unless(m, json_array_append(maps, o) == 0);
	if (key != NULL)
		json_object_set_new(known, key, json_true());
	free(key);
	json_decref(o);
}

static void add_change(json_t *m, json_t *changes, const struct hs_rec_log_head *head)
{
	const uint64_t *p = (const void *)(head + 1);
	json_t *o = json_object();

	rec_manifest_put(m, o, "address", json_hex(p[0]));
	rec_manifest_put(m, o, "bytes", json_integer((json_int_t)p[1]));
	if (json_array_size(changes) < 1000) /* for people; the streams have every one */
		spoil_unless(m, json_array_append(changes, o) == 0);
	json_decref(o);
}

void rec_manifest_begin_log(struct rec_manifest_log *l, json_t *m)
{
	*l = (struct rec_manifest_log){
		.manifest = m, .maps = json_array(), .known = json_object(), .changes = json_array()
	};
}

void rec_manifest_add_records(struct rec_manifest_log *l, const struct rec_log *log)
{
	json_t *m = l->manifest;
	const struct hs_rec_log_run *first = l->runs == 0 ? rec_log_run(log, 0) : NULL;
	const struct hs_rec_log_head *head;

	for (size_t at = 0; rec_log_next(log, &at, &head);) {
		if (head->type == HS_REC_LOG_MAP)
			add_map(m, l->maps, l->known, head);
		else if (head->type == HS_REC_LOG_CHANGED)
			add_change(m, l->changes, head);
	}
	if (first != NULL)
		rec_manifest_put(m, m, "entry", json_hex(first->start));
	l->runs += log->run_count;
}

void rec_manifest_end_log(struct rec_manifest_log *l)
{
	json_t *m = l->manifest;

	json_decref(l->known);
	rec_manifest_put(m, m, "runs", json_integer(l->runs));
	rec_manifest_put(m, m, "maps", l->maps);
	rec_manifest_put(m, m, "codeChanged", l->changes);
}

void rec_manifest_add_log(json_t *m, const struct rec_log *log)
{
	struct rec_manifest_log l;

	rec_manifest_begin_log(&l, m);
	rec_manifest_add_records(&l, log);
	rec_manifest_end_log(&l);
}

static bool write_json(FILE *f, json_t *manifest)
{
	errno = ENOMEM;
	return json_object_get(manifest, "format") != NULL &&
	       json_dumpf(manifest, f, JSON_INDENT(2)) == 0 && fputc('\n', f) != EOF &&
	       fflush(f) == 0 && fsync(fileno(f)) == 0;
}

/* The old manifest stays until the new one is whole. */
enum hs_status rec_manifest_write(int dir, json_t *manifest, bool own, struct hs_error *e)
{
	const int fd = rec_file_make(dir, REC_MANIFEST_NEW);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
	bool ok;

	if (f == NULL)
		hs_error_set(e, HS_E_SYSTEM, "manifest.json: %s", strerror(errno));
	if (f == NULL && fd >= 0)
		close(fd);
	if (f != NULL && own)
		support_mark_own(fd);
	ok = f != NULL && write_json(f, manifest);
	if (f != NULL && !ok)
		hs_error_set(e, HS_E_SYSTEM, "manifest.json: %s", strerror(errno));
	if (f != NULL && fclose(f) != 0 && ok) {
		hs_error_set(e, HS_E_SYSTEM, "manifest.json: %s", strerror(errno));
		ok = false;
	}
	if (ok && renameat(dir, REC_MANIFEST_NEW, dir, REC_MANIFEST) == 0)
		return HS_OK;
	if (ok)
		hs_error_set(e, HS_E_SYSTEM, "manifest.json: %s", strerror(errno));
	unlinkat(dir, REC_MANIFEST_NEW, 0);
	return HS_E_SYSTEM;
}

static enum hs_status check_version(const json_t *m, struct hs_error *e)
{
	const char *format = json_string_value(json_object_get(m, "format"));
	const json_t *version = json_object_get(m, "version");

	if (format == NULL || strcmp(format, FORMAT) != 0 || !json_is_integer(version))
		return hs_error_set(e, HS_E_FORMAT, "manifest.json: not of a recording");
	if (json_integer_value(version) != VERSION)
		return hs_error_set(e, HS_E_UNSUPPORTED,
		                    "recording format version %lld, and only version %d can be "
		                    "read: record again, or use the release that wrote it",
		                    (long long)json_integer_value(version), VERSION);
	return HS_OK;
}

static enum hs_status load_from_file(int fd, size_t size, json_t **manifest, json_error_t *error,
                                     struct hs_error *e)
{
	char *text = malloc(size + 1);
	const ssize_t n = text == NULL ? 0 : support_read(fd, text, size);
	enum hs_status status = HS_OK;

	if (text == NULL)
		status = hs_error_set(e, HS_E_MEMORY, "out of memory");
	else if (n < 0)
		status = hs_error_set(e, HS_E_SYSTEM, "manifest.json: %s", strerror(errno));
	else
		*manifest = json_loadb(text, (size_t)n, 0, error);
	free(text);
	return status;
}

static enum hs_status load_from_directory(int dir, json_t **manifest, json_error_t *error,
                                          struct hs_error *e)
{
	const int fd = support_open_beneath(dir, REC_MANIFEST);
	enum hs_status status = HS_OK;
	struct stat st;

	if (fd < 0 && errno == ENOENT)
		return hs_error_set(e, HS_E_FORMAT,
		                    "manifest.json: missing: the folder is no recording or flow");
	if (fd < 0)
		return hs_error_set(e, HS_E_SYSTEM, "manifest.json: %s",
		                    support_open_failure(errno));
	if (fstat(fd, &st) == 0 && st.st_size <= (off_t)MANIFEST_LIMIT)
		status = load_from_file(fd, (size_t)st.st_size, manifest, error, e);
	close(fd);
	return status;
}

static enum hs_status load_from_memory(const struct rec_folder *folder, json_t **manifest,
                                       json_error_t *error, struct hs_error *e)
{
	const struct hs_rec_file *file = rec_folder_find(folder, REC_MANIFEST);

	if (file == NULL)
		return hs_error_set(e, HS_E_SYSTEM, "manifest.json: not among the files");
	if (file->bytes.n <= MANIFEST_LIMIT)
		*manifest = json_loadb((const char *)file->bytes.p, file->bytes.n, 0, error);
	return HS_OK;
}

enum hs_status rec_manifest_read(const struct rec_folder *folder, json_t **manifest,
                                 struct hs_error *e)
{
	json_error_t error = { .line = 1 };
	enum hs_status status;

	*manifest = NULL;
	status = folder->dir >= 0 ? load_from_directory(folder->dir, manifest, &error, e) :
	         load_from_memory(folder, manifest, &error, e);
	if (status == HS_OK && !json_is_object(*manifest))
		status = hs_error_set(e, HS_E_FORMAT, "manifest.json: not JSON, line %d",
		                      error.line);
	else if (status == HS_OK)
		status = check_version(*manifest, e);
	if (status != HS_OK) {
		json_decref(*manifest);
		*manifest = NULL;
	}
	return status;
}
