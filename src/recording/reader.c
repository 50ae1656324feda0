/* Opening a recording. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recording/private.h"

/* The log, up to where it is cut or damaged.  A recording that says it is complete has to
 * have a whole log. */
static enum hs_status read_log(struct hs_rec *rec, struct hs_error *e)
{
	const size_t room_size = 1u << 16;
	uint8_t *room = malloc(room_size);
	struct rec_in in;
	enum hs_status status = HS_E_MEMORY;
	size_t n;

	if (room != NULL)
		status = rec_in_open(&in, rec->dir, "runs.zst", e);
	if (status != HS_OK) {
		free(room);
		return status;
	}
	do {
		status = rec_in_read(&in, room, room_size, &n);
		if (n > 0 && rec_log_feed(&rec->log, room, n) != HS_OK)
			status = HS_E_FORMAT;
	} while (status == HS_OK);
	rec_in_close(&in);
	free(room);
	if (status == HS_END && rec->log.parsed != rec->log.size)
		status = HS_E_CUT;
	if (status != HS_END && rec->info.complete)
		return hs_error_set(e, HS_E_FORMAT, "runs.zst is damaged (%s)", hs_status_text(status));
	if (!rec->log.started)
		return hs_error_set(e, HS_E_FORMAT, "runs.zst has no beginning");
	return HS_OK;
}

static const char *string_of(const json_t *m, const char *key, const char *other)
{
	const char *s = json_string_value(json_object_get(m, key));

	return s == NULL ? other : s;
}

static void read_info(struct hs_rec *rec)
{
	const json_t *m = rec->manifest;

	rec->info.kind = string_of(m, "kind", "recording");
	rec->info.program = string_of(m, "program", "");
	rec->info.complete = json_is_true(json_object_get(m, "complete"));
	rec->info.end = string_of(m, "end", "cut");
}

static bool map_known(const struct hs_rec *rec, const struct hs_rec_map *map)
{
	for (size_t i = 0; i < rec->info.map_count; i++) {
		const struct hs_rec_map *m = &rec->maps[i];

		if (m->start == map->start && m->size == map->size && m->offset == map->offset &&
		    strcmp(m->path, map->path) == 0)
			return true;
	}
	return false;
}

static enum hs_status read_maps(struct hs_rec *rec)
{
	const struct hs_rec_log_head *head;
	size_t n = 0;

	for (size_t at = 0; (head = rec_log_next(&rec->log, &at)) != NULL;) {
		n += head->type == HS_REC_LOG_MAP;
		rec->info.code_changed |= head->type == HS_REC_LOG_CHANGED;
	}
	rec->maps = calloc(n + 1, sizeof(*rec->maps));
	for (size_t at = 0; rec->maps != NULL && (head = rec_log_next(&rec->log, &at)) != NULL;) {
		const struct hs_rec_log_map *map = (const void *)(head + 1);
		struct hs_rec_map *to = &rec->maps[rec->info.map_count];

		if (head->type != HS_REC_LOG_MAP)
			continue;
		*to = (struct hs_rec_map){ map->start, map->size, map->offset,
		                           strndup((const char *)(map + 1), head->size - sizeof(*map)) };
		if (to->path == NULL)
			return HS_E_MEMORY;
		if (map_known(rec, to))
			free((char *)(uintptr_t)to->path);
		else
			rec->info.map_count++;
	}
	rec->info.maps = rec->maps;
	return rec->maps == NULL ? HS_E_MEMORY : HS_OK;
}

/* A child's directory is named by its parent: it must stay inside. */
static enum hs_status read_children(struct hs_rec *rec)
{
	const json_t *list = json_object_get(rec->manifest, "children");

	rec->children = calloc(json_array_size(list) + 1, sizeof(*rec->children));
	if (rec->children == NULL)
		return HS_E_MEMORY;
	for (size_t i = 0; i < json_array_size(list); i++) {
		const char *s = json_string_value(json_object_get(json_array_get(list, i), "directory"));

		if (s != NULL && strchr(s, '/') == NULL && s[0] != '.')
			rec->children[rec->info.child_count++] = s;
	}
	rec->info.children = rec->children;
	return HS_OK;
}

static enum hs_status read_processes(struct hs_rec *rec, struct hs_error *e)
{
	const enum hs_status status = rec_processes_read(json_object_get(rec->manifest, "processes"),
	                                                 &rec->processes, &rec->info.process_count);

	rec->info.processes = rec->processes;
	return status == HS_OK ? status : hs_error_set(e, status, "manifest.json: processes: %s",
	                                               hs_status_text(status));
}

static enum hs_status read_all(struct hs_rec *rec, struct hs_error *e)
{
	enum hs_status status = rec_manifest_read(rec->dir, &rec->manifest, e);
	const struct hs_rec_log_run *first;

	if (status != HS_OK)
		return status;
	read_info(rec);
	status = read_processes(rec, e);
	if (status == HS_OK)
		status = read_log(rec, e);
	if (status != HS_OK)
		return status;
	first = rec_log_run(&rec->log, 0);
	rec->info.xlen = (uint8_t)rec->log.start.xlen;
	rec->info.entry = first == NULL ? 0 : first->start;
	rec->info.harts = (uint32_t)rec_harts(rec->dir, &rec->harts);
	rec->closed = rec->log.blocks != 0 || strcmp(rec->info.kind, "flow") == 0;
	if (rec->closed && rec->log.blocks != rec->log.run_count)
		return hs_error_set(e, HS_E_FORMAT, "runs.zst mixes runs and blocks");
	status = rec_runs_build(&rec->runs, &rec->log);
	if (status == HS_OK)
		status = rec_image_build(&rec->image, &rec->log);
	if (status == HS_OK)
		status = read_maps(rec);
	if (status == HS_OK)
		status = read_children(rec);
	if (status != HS_OK || rec->harts == NULL)
		return hs_error_set(e, status == HS_OK ? HS_E_MEMORY : status, "runs.zst: %s",
		                    hs_status_text(status));
	return HS_OK;
}

enum hs_status hs_rec_open(const char *path, struct hs_rec **rec, struct hs_error *error)
{
	struct hs_rec *r = calloc(1, sizeof(*r));
	enum hs_status status;

	if (r == NULL)
		return hs_error_set(error, HS_E_MEMORY, "out of memory");
	r->dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (r->dir < 0)
		status = hs_error_set(error, HS_E_SYSTEM, "%s: %s", path, strerror(errno));
	else
		status = read_all(r, error);
	if (status != HS_OK) {
		hs_rec_close(r);
		return status;
	}
	*rec = r;
	return HS_OK;
}

void hs_rec_close(struct hs_rec *rec)
{
	if (rec == NULL)
		return;
	for (size_t i = 0; i < rec->info.map_count; i++)
		free((char *)(uintptr_t)rec->maps[i].path);
	free(rec->maps);
	free(rec->children);
	free(rec->processes);
	free(rec->harts);
	free(rec->runs.runs);
	rec_image_free(&rec->image);
	rec_log_free(&rec->log);
	json_decref(rec->manifest);
	if (rec->dir >= 0)
		close(rec->dir);
	free(rec);
}

const struct hs_rec_info *hs_rec_get_info(const struct hs_rec *rec)
{
	return &rec->info;
}

const struct hs_image *hs_rec_image(const struct hs_rec *rec)
{
	return &rec->image.image;
}
