/* Sources: the program behind the blocks. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "source/private.h"

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Where a recording mapped a file of this name; the first mapping is the one of its head. */
static const struct hs_rec_map *find_map(const struct hs_rec *rec, const char *path)
{
	const struct hs_rec_info *info = hs_rec_get_info(rec);

	for (size_t i = 0; i < info->map_count; i++)
		if (info->maps[i].path && strcmp(base_of(info->maps[i].path), base_of(path)) == 0)
			return &info->maps[i];
	return NULL;
}

/* The first one counts. */
static void note_path(struct hs_source *s, const char *path)
{
	if (!s->program_path && path && *path)
		s->program_path = realpath(path, NULL);
}

static enum hs_status add_elf(struct hs_source *s, const struct hs_code_file *f,
                              struct hs_error *error)
{
	note_path(s, f->path);
	const struct hs_rec_map *m =
		s->rec && !f->has_address ? find_map(s->rec, f->path) : NULL;

	if (m && hs_program_add_mapping(s->program, f->path, m->start, m->offset, error) == HS_OK)
		return HS_OK;
	return hs_program_add_elf(s->program, f->path, f->address, error);
}

static enum hs_status keep_image(struct hs_source *s, struct hs_rec *rec, struct hs_error *error)
{
	struct source_image *i = malloc(sizeof(*i));

	if (!i) {
		hs_rec_close(rec);
		return hs_error_set(error, HS_E_MEMORY, "out of memory");
	}
	*i = (struct source_image){ s->images, rec };
	s->images = i;
	return HS_OK;
}

/* Names are for people: a file that is gone costs names and nothing else. */
static void add_names(struct hs_program *p, struct hs_rec *rec)
{
	const struct hs_rec_info *info = hs_rec_get_info(rec);

	for (size_t i = 0; i < info->map_count; i++) {
		const struct hs_rec_map *m = &info->maps[i];

		if (m->path && m->path[0] == '/' && access(m->path, R_OK) == 0)
			(void)hs_program_add_mapping(p, m->path, m->start, m->offset, NULL);
	}
	if (!info->map_count && info->program && *info->program)
		(void)hs_program_add_symbols(p, info->program, 0, NULL);
}

enum hs_status source_add_image_to(struct hs_source *s, struct hs_program *p, const char *path,
                                   struct hs_error *error)
{
	struct hs_rec *rec = NULL;
	enum hs_status status = hs_rec_open(path, &rec, error);

	if (status == HS_OK)
		status = keep_image(s, rec, error);
	if (status != HS_OK)
		return status;
	if (hs_rec_image(rec)->count == 0)
		return hs_error_set(error, HS_E_FORMAT, "%s: holds no code; give the program with --elf",
		                    path);
	if (p == s->program)
		note_path(s, hs_rec_get_info(rec)->program);
	status = hs_program_add_image(p, hs_rec_image(rec), error);
	if (status == HS_OK)
		add_names(p, rec);
	return status;
}

enum hs_status source_add_image(struct hs_source *s, const char *path, struct hs_error *error)
{
	return source_add_image_to(s, s->program, path, error);
}

bool source_has_code(const struct hs_source_options *o)
{
	for (size_t i = 0; i < o->code_count; i++)
		if (!o->code[i].has_context)
			return true;
	return false;
}

enum hs_status source_add_code(struct hs_source *s, const struct hs_source_options *o,
                               struct hs_error *error)
{
	enum hs_status status = HS_OK;

	for (size_t i = 0; i < o->code_count && status == HS_OK; i++) {
		const struct hs_code_file *f = &o->code[i];

		if (f->has_context)
			continue;
		if (f->kind == HS_CODE_ELF)
			status = add_elf(s, f, error);
		else if (f->kind == HS_CODE_RAW)
			status = hs_program_add_raw(s->program, f->path, f->address, error);
		else
			status = source_add_image(s, f->path, error);
	}
	return status;
}

void source_add_names(struct hs_source *s, struct hs_rec *rec)
{
	note_path(s, hs_rec_get_info(rec)->program);
	add_names(s->program, rec);
}

struct hs_rec_map *hs_program_maps(const struct hs_program *program, size_t *count)
{
	struct hs_program_file f;
	struct hs_rec_map *maps;
	size_t n = 0;

	while (hs_program_get_file(program, n, &f))
		n++;
	*count = 0;
	maps = n ? calloc(n, sizeof(*maps)) : NULL;
	for (size_t i = 0; maps && hs_program_get_file(program, i, &f); i++) {
		char *path = realpath(f.path, NULL);

		if (path)
			maps[(*count)++] = (struct hs_rec_map){ f.start, f.size, f.offset, path };
	}
	return maps;
}

void hs_maps_free(struct hs_rec_map *maps, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free((void *)(uintptr_t)maps[i].path);
	free(maps);
}
