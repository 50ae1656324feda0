/* Opening a recording, from a directory or from memory. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recording/private.h"
#include "recording/processes.h"
#include "recording/recording.h"
#include "support/build_id.h"
#include "support/hash.h"
#include "support/trust.h"

enum hs_status rec_read_log(struct rec_log *log, struct rec_in *in)
{
	const size_t room_size = 1u << 16;
	uint8_t *room = malloc(room_size);
	enum hs_status status = room == NULL ? HS_E_MEMORY : HS_OK;
	size_t n;

	while (status == HS_OK) {
		status = rec_in_read(in, room, room_size, &n);
		if (n > 0) {
			const enum hs_status added = rec_log_append(log, room, n);

			status = added == HS_OK ? status : added;
		}
	}
	free(room);
	return status;
}

/* Read it, and compare it with what manifest.json says. */
static enum hs_status read_whole_log(struct hs_rec *rec, struct rec_in *in)
{
	const json_t *listed = json_object_get(rec->manifest, "log");
	struct support_digest digest;
	const bool good = support_digest_read(listed, &digest);
	enum hs_status status;

	rec_in_expect(in, &digest);
	status = rec_read_log(&rec->log, in);
	if (!good)
		rec_set_wrong(rec, ": manifest.json has no good checksum of runs.zst");
	if (!in->other)
		return status;
	rec_set_wrong(rec, ": runs.zst has another size or checksum than manifest.json says");
	return HS_END;
}

/* A recording that says that it is complete has to have a whole log. */
static enum hs_status read_log(struct hs_rec *rec, struct hs_error *e)
{
	struct rec_in in;
	enum hs_status status = rec_in_open(&in, &rec->folder, "runs.zst", e);

	if (status != HS_OK)
		return status;
	rec->log.from_file = true;
	rec->log.limit = rec_log_limit((uint64_t)rec_file_size(&rec->folder, "runs.zst"));
	status = read_whole_log(rec, &in);
	rec_in_close(&in);
	if (status == HS_E_MEMORY)
		return hs_error_set(e, status, "out of memory");
	if (status == HS_END && rec->log.parsed != rec->log.size)
		status = HS_E_CUT;
	if (status != HS_END && rec->info.complete)
		return hs_error_set(e, HS_E_FORMAT, "runs.zst is damaged (%s)",
		                    hs_status_text(status));
	if (!rec->log.started)
		return hs_error_set(e, HS_E_FORMAT, "runs.zst has no beginning");
	return HS_OK;
}

static const char *get_string(const json_t *m, const char *key, const char *other)
{
	const char *s = json_string_value(json_object_get(m, key));

	return s == NULL ? other : s;
}

/* The sum of a number that manifest.json has of each hart, @other where it has none; UINT64_MAX: of
 * one it is not known. */
static uint64_t sum_of_harts(const json_t *harts, const char *key, uint64_t other)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < json_array_size(harts); i++) {
		const json_t *n = json_object_get(json_array_get(harts, i), key);
		const uint64_t value = json_is_integer(n) && json_integer_value(n) >= 0
		                               ? (uint64_t)json_integer_value(n)
		                               : other;

		if (value == UINT64_MAX)
			return UINT64_MAX;
		sum += value;
	}
	return json_array_size(harts) ? sum : other;
}

static void read_info(struct hs_rec *rec)
{
	const json_t *m = rec->manifest;

	rec->info.kind = get_string(m, "kind", "recording");
	rec->info.program = get_string(m, "program", "");
	rec->info.complete = json_is_true(json_object_get(m, "complete"));
	rec->info.end = get_string(m, "end", "cut");
	rec->info.instructions =
		sum_of_harts(json_object_get(m, "harts"), "instructions", UINT64_MAX);
	rec->info.skipped = sum_of_harts(json_object_get(m, "harts"), "skipped", 0);
	rec->info.bytes = sum_of_harts(json_object_get(m, "harts"), "bytes", 0);
}

static bool same_map(const void *item, const void *key)
{
	const struct hs_rec_map *a = key;
	const struct hs_rec_map *b = *(const struct hs_rec_map *const *)item;

	return a->start == b->start && a->size == b->size && a->offset == b->offset &&
	       strcmp(a->path, b->path) == 0;
}

/* ---- build-ids of mapped files ------------------------------------------------------- */

static int digit_of(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Digits as bytes at @to; how many there are, 0 where they are none. */
static size_t read_digits(const char *text, uint8_t *to)
{
	const size_t n = strlen(text);

	for (size_t i = 0; i < n; i += 2)
		if (n > 2 * SUPPORT_ID_MAX || digit_of(text[i]) < 0 || digit_of(text[i + 1]) < 0)
			return 0;
	for (size_t i = 0; i < n; i += 2)
		to[i / 2] = (uint8_t)(digit_of(text[i]) << 4 | digit_of(text[i + 1]));
	return n / 2;
}

/* What manifest.json says of the maps that the log has. */
static enum hs_status read_build_ids(struct hs_rec *rec)
{
	const json_t *list = json_object_get(rec->manifest, "maps");
	json_t *known = json_object();
	size_t at = 0;

	rec->id_bytes = calloc(rec->info.map_count + 1, SUPPORT_ID_MAX);
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *map = json_array_get(list, i);
		const char *path = get_string(map, "path", NULL);
		json_t *id = json_object_get(map, "buildId");

		if (path != NULL && json_is_string(id))
			json_object_set(known, path, id);
	}
	for (size_t i = 0; rec->id_bytes != NULL && i < rec->info.map_count; i++) {
		const json_t *id = json_object_get(known, rec->maps[i].path);
		uint8_t *to = rec->id_bytes + at;
		const size_t n = id != NULL ? read_digits(json_string_value(id), to) : 0;

		rec->maps[i].build_id = (struct hs_span){ n != 0 ? to : NULL, n };
		at += n;
	}
	json_decref(known);
	return rec->id_bytes != NULL ? HS_OK : HS_E_MEMORY;
}

/* Add the map of a record, unless it is there already.  @known: of pointers to rec->maps. */
static enum hs_status add_map(struct hs_rec *rec, const struct hs_rec_log_head *head,
                              struct support_hash *known)
{
	const struct hs_rec_log_map *map = (const void *)(head + 1);
	const uint32_t hash = support_hash_of(map->start, map->size ^ map->offset << 13);
	struct hs_rec_map *to = &rec->maps[rec->info.map_count];
	char *path = strndup((const char *)(map + 1), head->size - sizeof(*map));
	const struct hs_rec_map **slot;

	if (path == NULL)
		return HS_E_MEMORY;
	*to = (struct hs_rec_map){
		.start = map->start, .size = map->size, .offset = map->offset, .path = path
	};
	if (support_hash_find(known, hash, same_map, to) != NULL) {
		free(path);
		return HS_OK;
	}
	rec->info.map_count++;
	slot = support_hash_add(known, hash);
	if (slot == NULL)
		return HS_E_MEMORY;
	*slot = to;
	return HS_OK;
}

static enum hs_status read_maps(struct hs_rec *rec)
{
	struct support_hash known = { .item_size = 8 };
	const struct hs_rec_log_head *head;
	enum hs_status status = HS_OK;
	size_t n = 0;

	_Static_assert(sizeof(struct hs_rec_map *) <= 8, "a pointer is an item");
	for (size_t at = 0; rec_log_next(&rec->log, &at, &head);) {
		n += head->type == HS_REC_LOG_MAP;
		rec->info.code_changed |= head->type == HS_REC_LOG_CHANGED;
	}
	rec->info.maps = rec->maps = calloc(n + 1, sizeof(*rec->maps));
	if (rec->maps == NULL)
		return HS_E_MEMORY;
	for (size_t at = 0; status == HS_OK && rec_log_next(&rec->log, &at, &head);)
		if (head->type == HS_REC_LOG_MAP)
			status = add_map(rec, head, &known);
	support_hash_free(&known);
	return status == HS_OK ? read_build_ids(rec) : status;
}

/* A forked child of which nothing is there. */
static void note_missing_children(struct hs_rec *rec)
{
	const json_t *missing = json_object_get(rec->manifest, "childrenNotRecorded");
	const json_int_t n = json_integer_value(missing);
	char text[REC_WRONG_SIZE];

	if (n <= 0)
		return;
	snprintf(text, sizeof(text), ": %" JSON_INTEGER_FORMAT " forked %s recorded", n,
	         n == 1 ? "child was not" : "children were not");
	rec_set_wrong(rec, text);
}

/* The manifest names the children's directories: these must be inside the recording. */
static enum hs_status read_children(struct hs_rec *rec)
{
	const json_t *list = json_object_get(rec->manifest, "children");

	rec->children = calloc(json_array_size(list) + 1, sizeof(*rec->children));
	if (rec->children == NULL)
		return HS_E_MEMORY;
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *child = json_array_get(list, i);
		const char *s = get_string(child, "directory", NULL);

		if (s != NULL && strchr(s, '/') == NULL && s[0] != '.')
			rec->children[rec->info.child_count++] = s;
	}
	rec->info.children = rec->children;
	note_missing_children(rec);
	return HS_OK;
}

static enum hs_status read_processes(struct hs_rec *rec, struct hs_error *e)
{
	const json_t *list = json_object_get(rec->manifest, "processes");
	const enum hs_status status =
		rec_processes_read(list, &rec->processes, &rec->info.process_count);

	rec->info.processes = rec->processes;
	return status == HS_OK ? status : hs_error_set(e, status, "manifest.json: processes: %s",
	                                               hs_status_text(status));
}

/* What the log has: runs, code, maps. */
static enum hs_status build_from_log(struct hs_rec *rec)
{
	const struct hs_rec_log_run *first = rec_log_run(&rec->log, 0);
	enum hs_status status;

	rec->info.xlen = (uint8_t)rec->log.start.xlen;
	rec->info.entry = first == NULL ? 0 : first->start;
	status = rec_runs_build(&rec->runs, &rec->log);
	if (status == HS_OK)
		status = rec_moves_build(&rec->moves, &rec->log);
	if (status == HS_OK)
		status = rec_image_build(&rec->image, &rec->log, &rec->moves);
	if (status == HS_OK)
		status = read_maps(rec);
	return status;
}

static enum hs_status read_harts(struct hs_rec *rec, struct hs_error *e)
{
	size_t count = 0;
	const enum hs_status status = rec_folder_harts(&rec->folder, &rec->harts, &count);

	rec->info.harts = (uint32_t)count;
	if (status != HS_OK)
		return hs_error_set(e, status, "the recording cannot be listed");
	switch (rec_verify(rec)) {
	case HS_OK:
		return HS_OK;
	case HS_E_SYSTEM:
		return hs_error_set(e, HS_E_SYSTEM, "a stream of the recording cannot be read");
	default:
		return hs_error_set(e, HS_E_MEMORY, "out of memory");
	}
}

static enum hs_status read_all(struct hs_rec *rec, struct hs_error *e)
{
	enum hs_status status = rec_manifest_read(&rec->folder, &rec->manifest, e);

	if (status != HS_OK)
		return status;
	read_info(rec);
	status = read_processes(rec, e);
	if (status == HS_OK)
		status = read_log(rec, e);
	if (status == HS_OK)
		status = read_harts(rec, e);
	if (status != HS_OK)
		return status;
	rec->is_flow = rec->log.blocks != 0 || strcmp(rec->info.kind, "flow") == 0;
	if (rec->is_flow && rec->log.blocks != rec->log.run_count)
		return hs_error_set(e, HS_E_FORMAT, "runs.zst mixes runs and blocks");
	status = build_from_log(rec);
	if (status == HS_OK)
		status = read_children(rec);
	rec_parts_read(rec);
	if (status == HS_OK)
		return status;
	return hs_error_set(e, status, "runs.zst: %s", hs_status_text(status));
}

/* Read everything but the streams; @r is closed on failure. */
static enum hs_status open_folder(struct hs_rec *r, struct hs_rec **rec, struct hs_error *error)
{
	const enum hs_status status = read_all(r, error);

	if (status == HS_OK)
		*rec = r;
	else
		rec_close(r);
	return status;
}

enum hs_status hs_rec_open(const char *path, struct hs_rec **rec, struct hs_error *error)
{
	return rec_open_at(AT_FDCWD, path, rec, error);
}

bool hs_rec_is_own(const struct hs_rec *rec)
{
	return rec->folder.dir >= 0 && support_is_own(rec->folder.dir, REC_MANIFEST);
}

bool hs_is_own(const char *path)
{
	const int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const bool own = support_is_own(dir < 0 ? AT_FDCWD : dir, dir < 0 ? path : REC_MANIFEST);

	if (dir >= 0)
		close(dir);
	return own;
}

enum hs_status rec_open_at(int dir, const char *path, struct hs_rec **rec, struct hs_error *error)
{
	struct hs_rec *r = calloc(1, sizeof(*r));
	enum hs_status status;

	if (r == NULL)
		return hs_error_set(error, HS_E_MEMORY, "out of memory");
	r->folder.dir = openat(
		dir, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | (dir == AT_FDCWD ? 0 : O_NOFOLLOW));
	if (r->folder.dir >= 0)
		return open_folder(r, rec, error);
	if (errno == ENOTDIR)
		status = hs_error_set(error, HS_E_FORMAT,
		                      "%s is a file, not a recording: 'hartscope record' and "
		                      "'import' make one, 'decode' makes a flow of a trace",
		                      path);
	else
		status = hs_error_set(error, HS_E_SYSTEM, "%s: %s", path, strerror(errno));
	rec_close(r);
	return status;
}

enum hs_status hs_rec_open_memory(const struct hs_rec_file *files, size_t count,
                                  struct hs_rec **rec, struct hs_error *error)
{
	struct hs_rec *r = calloc(1, sizeof(*r));
	struct hs_rec_file *copy = calloc(count + 1, sizeof(*copy));

	if (r == NULL || copy == NULL) {
		free(r);
		free(copy);
		return hs_error_set(error, HS_E_MEMORY, "out of memory");
	}
	for (size_t i = 0; i < count; i++)
		copy[i] = files[i];
	r->folder = (struct rec_folder){ .dir = -1, .files = copy, .count = count };
	return open_folder(r, rec, error);
}

void rec_close(struct hs_rec *rec)
{
	if (rec == NULL)
		return;
	for (size_t i = 0; i < rec->info.map_count; i++)
		free((char *)(uintptr_t)rec->maps[i].path);
	free(rec->maps);
	free(rec->id_bytes);
	free(rec->children);
	free(rec->processes);
	free(rec->harts);
	free(rec->listed);
	free(rec->runs.runs);
	rec_moves_free(&rec->moves);
	rec_image_free(&rec->image);
	rec_log_free(&rec->log);
	json_decref(rec->manifest);
	if (rec->folder.dir >= 0)
		close(rec->folder.dir);
	free(rec->folder.files);
	free(rec);
}

const struct hs_rec_info *hs_rec_get_info(const struct hs_rec *rec)
{
	return &rec->info;
}

enum hs_status hs_rec_code(const struct hs_rec *rec, uint32_t number, struct hs_section *code)
{
	const struct hs_rec_log_run *run;
	uint64_t by = 0;

	if (rec->is_flow)
		return rec_log_code(&rec->log, number, code) ? HS_OK : HS_E_ARG;
	run = rec_log_run(&rec->log, rec_moves_of(&rec->moves, number, &by));
	if (run == NULL)
		return HS_E_ARG;
	*code = (struct hs_section){ run->start + by, run->bytes, (const uint8_t *)(run + 1) };
	return HS_OK;
}

const struct hs_image *hs_rec_image(const struct hs_rec *rec)
{
	return &rec->image.image;
}
