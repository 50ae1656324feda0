/* manifest.json: what a recording says of itself. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recording/private.h"

#define NAME "manifest.json"
#define NEW_NAME "manifest.new"
#define MANIFEST_LIMIT (16u << 20)

static json_t *hex(uint64_t value)
{
	return json_sprintf("0x%" PRIx64, value);
}

/* A path need not be UTF-8; JSON has to be. */
static json_t *text(const char *s, size_t n)
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

json_t *rec_manifest_new(const char *kind, const char *program, unsigned xlen)
{
	json_t *m = json_object();

	json_object_set_new(m, "format", json_string(REC_FORMAT));
	json_object_set_new(m, "version", json_integer(REC_VERSION));
	json_object_set_new(m, "kind", json_string(kind));
	json_object_set_new(m, "program", text(program, strlen(program)));
	json_object_set_new(m, "xlen", json_integer(xlen));
	rec_manifest_end(m, false, "cut");
	json_object_set_new(m, "harts", json_array());
	return m;
}

void rec_manifest_end(json_t *m, bool complete, const char *end)
{
	json_object_set_new(m, "complete", json_boolean(complete));
	json_object_set_new(m, "end", text(end, strlen(end)));
}

/* One more hart, in the order of their numbers.  @instructions below 0: not counted. */
void rec_manifest_hart(json_t *m, uint32_t number, int64_t instructions, uint64_t bytes)
{
	json_t *harts = json_object_get(m, "harts"), *hart = json_object();
	size_t at = json_array_size(harts);

	while (at > 0 && json_integer_value(json_object_get(json_array_get(harts, at - 1),
	                                                    "number")) > number)
		at--;
	json_object_set_new(hart, "number", json_integer(number));
	json_object_set_new(hart, "file", json_sprintf("hart-%" PRIu32 ".zst", number));
	if (instructions >= 0)
		json_object_set_new(hart, "instructions", json_integer(instructions));
	json_object_set_new(hart, "bytes", json_integer((json_int_t)bytes));
	json_array_insert_new(harts, at, hart);
}

static void add_map(json_t *maps, const struct hs_rec_log_head *head)
{
	const struct hs_rec_log_map *map = (const void *)(head + 1);
	json_t *o = json_object();

	json_object_set_new(o, "start", hex(map->start));
	json_object_set_new(o, "size", json_integer((json_int_t)map->size));
	json_object_set_new(o, "offset", json_integer((json_int_t)map->offset));
	json_object_set_new(o, "path", text((const char *)(map + 1), head->size - sizeof(*map)));
	for (size_t i = 0; i < json_array_size(maps); i++)
		if (json_equal(json_array_get(maps, i), o)) {
			json_decref(o);
			return;
		}
	json_array_append_new(maps, o);
}

static void add_change(json_t *changes, const struct hs_rec_log_head *head)
{
	const uint64_t *p = (const void *)(head + 1);
	json_t *o = json_object();

	json_object_set_new(o, "address", hex(p[0]));
	json_object_set_new(o, "bytes", json_integer((json_int_t)p[1]));
	if (json_array_size(changes) < 1000) /* people read this; the streams have every one */
		json_array_append(changes, o);
	json_decref(o);
}

/* Copy what the log knows: maps, changed code, first address. */
void rec_manifest_from_log(json_t *m, const struct rec_log *log)
{
	json_t *maps = json_array(), *changes = json_array();
	const struct hs_rec_log_run *first = rec_log_run(log, 0);
	const struct hs_rec_log_head *head;

	for (size_t at = 0; (head = rec_log_next(log, &at)) != NULL;) {
		if (head->type == HS_REC_LOG_MAP)
			add_map(maps, head);
		else if (head->type == HS_REC_LOG_CHANGED)
			add_change(changes, head);
	}
	if (first != NULL)
		json_object_set_new(m, "entry", hex(first->start));
	json_object_set_new(m, "runs", json_integer(log->run_count));
	json_object_set_new(m, "maps", maps);
	json_object_set_new(m, "codeChanged", changes);
}

static bool flush_file(FILE *f, json_t *manifest)
{
	return json_dumpf(manifest, f, JSON_INDENT(2)) == 0 && fputc('\n', f) != EOF &&
	       fflush(f) == 0 && fsync(fileno(f)) == 0;
}

/* The old manifest stays until the new one is whole. */
enum hs_status rec_manifest_write(int dir, json_t *manifest, struct hs_error *e)
{
	const int fd = openat(dir, NEW_NAME, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
	bool ok;

	if (f == NULL)
		return hs_error_set(e, HS_E_SYSTEM, "manifest.json: %s", strerror(errno));
	ok = flush_file(f, manifest);
	ok = fclose(f) == 0 && ok;
	if (ok && renameat(dir, NEW_NAME, dir, NAME) == 0)
		return HS_OK;
	hs_error_set(e, HS_E_SYSTEM, "manifest.json: %s", strerror(errno));
	unlinkat(dir, NEW_NAME, 0);
	return HS_E_SYSTEM;
}

static enum hs_status check(json_t *m, struct hs_error *e)
{
	const char *format = json_string_value(json_object_get(m, "format"));
	const json_t *version = json_object_get(m, "version");

	if (format == NULL || strcmp(format, REC_FORMAT) != 0 || !json_is_integer(version))
		return hs_error_set(e, HS_E_FORMAT, "manifest.json: not of a recording");
	if (json_integer_value(version) > REC_VERSION)
		return hs_error_set(e, HS_E_UNSUPPORTED,
		                    "recording format version %lld is newer than this program (%d)",
		                    (long long)json_integer_value(version), REC_VERSION);
	return HS_OK;
}

enum hs_status rec_manifest_read(int dir, json_t **manifest, struct hs_error *e)
{
	const int fd = openat(dir, NAME, O_RDONLY | O_CLOEXEC);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
	enum hs_status status;
	json_error_t error = { .line = 1 };
	struct stat st;

	*manifest = NULL;
	if (f == NULL)
		return hs_error_set(e, HS_E_SYSTEM, "manifest.json: %s", strerror(errno));
	if (fstat(fd, &st) == 0 && st.st_size <= (off_t)MANIFEST_LIMIT)
		*manifest = json_loadf(f, 0, &error);
	fclose(f);
	if (!json_is_object(*manifest))
		status = hs_error_set(e, HS_E_FORMAT, "manifest.json: not JSON, line %d", error.line);
	else
		status = check(*manifest, e);
	if (status != HS_OK) {
		json_decref(*manifest);
		*manifest = NULL;
	}
	return status;
}

static int by_number(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static bool hart_number(const char *name, uint32_t *number)
{
	int end = 0;

	return sscanf(name, "hart-%9" SCNu32 ".zst%n", number, &end) == 1 && end > 0 && name[end] == 0;
}

/* The harts whose streams are in a directory, sorted.  The caller frees *numbers. */
size_t rec_harts(int dir, uint32_t **numbers)
{
	DIR *d = fdopendir(openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	const struct dirent *entry;
	size_t n = 0;
	uint32_t number;

	*numbers = calloc(REC_HARTS_LIMIT, sizeof(**numbers));
	while (d != NULL && *numbers != NULL && n < REC_HARTS_LIMIT && (entry = readdir(d)) != NULL)
		if (hart_number(entry->d_name, &number))
			(*numbers)[n++] = number;
	if (d != NULL)
		closedir(d);
	if (*numbers != NULL)
		qsort(*numbers, n, sizeof(**numbers), by_number);
	return n;
}

/* Remove what an older recording left; files of other names are not touched. */
static void clean(int dir)
{
	uint32_t *numbers;
	const size_t n = rec_harts(dir, &numbers);
	char name[32];

	for (size_t i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "hart-%" PRIu32 ".zst", numbers[i]);
		unlinkat(dir, name, 0);
	}
	free(numbers);
	unlinkat(dir, "runs.zst", 0);
	unlinkat(dir, NAME, 0);
}

/* Make the directory of a recording, or take over the one of an older recording. */
enum hs_status rec_directory(const char *path, int *dir, struct hs_error *e)
{
	const bool made = mkdir(path, 0777) == 0;

	if (!made && errno != EEXIST)
		return hs_error_set(e, HS_E_SYSTEM, "%s: %s", path, strerror(errno));
	*dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (*dir < 0)
		return hs_error_set(e, HS_E_SYSTEM, "%s: %s", path, strerror(errno));
	if (made)
		return HS_OK;
	if (faccessat(*dir, NAME, F_OK, 0) != 0) {
		close(*dir);
		return hs_error_set(e, HS_E_SYSTEM, "%s: exists and is not a recording", path);
	}
	clean(*dir);
	return HS_OK;
}
