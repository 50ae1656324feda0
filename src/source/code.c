/* Sources: the program of the blocks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/config.h"
#include "guest/guest.h"
#include "program/program.h"
#include "program/select.h"
#include "recording/recording.h"
#include "source/private.h"
#include "support/build_id.h"

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Has a file the build-id of what was mapped? */
static bool is_build(const struct hs_rec_map *m, const uint8_t *id, size_t size)
{
	return size && m->build_id.n == size && memcmp(m->build_id.p, id, size) == 0;
}

/* Where a recording mapped a file: one of its name, else one of its build.  The first mapping,
 * which is that of its head. */
static const struct hs_rec_map *find_map(const struct hs_rec *rec, const char *path)
{
	const struct hs_rec_info *info = hs_rec_get_info(rec);
	uint8_t id[SUPPORT_ID_MAX];

	for (size_t i = 0; i < info->map_count; i++)
		if (info->maps[i].path && strcmp(base_of(info->maps[i].path), base_of(path)) == 0)
			return &info->maps[i];
	const size_t size = support_file_build_id(path, id);

	for (size_t i = 0; i < info->map_count; i++)
		if (is_build(&info->maps[i], id, size))
			return &info->maps[i];
	return NULL;
}

/* Keep the first path that is given. */
static void note_path(struct source_code *c, const char *path)
{
	if (!c->program_path && path && *path)
		c->program_path = realpath(path, NULL);
}

/* Use the file at @path for a mapping's names. */
static enum hs_status add_mapped(struct hs_program *p, const struct hs_rec_map *m, const char *path,
                                 struct hs_error *error)
{
	const struct hs_program_mapping mapping = { .size = sizeof(mapping),
		                                    .path = path,
		                                    .start = m->start,
		                                    .offset = m->offset,
		                                    .build_id = m->build_id,
		                                    .length = m->size };

	return hs_program_add_mapped(p, &mapping, error);
}

static enum hs_status add_elf(struct source_code *c, struct hs_program *p,
                              const struct hs_code_file *f, const struct hs_rec *rec,
                              struct hs_error *error)
{
	if (f->bytes.p)
		return hs_program_add_elf_memory(p, &f->bytes,
		                                 f->path ? f->path : "memory", f->address, error);
	note_path(c, f->path);
	const struct hs_rec_map *m = rec && !f->has_address ? find_map(rec, f->path) : NULL;

	if (m && add_mapped(p, m, f->path, error) == HS_OK)
		return HS_OK;
	return hs_program_add_elf(p, f->path, f->address, error);
}

/* A recording that is open already: many contexts may name one. */
static struct hs_rec *find_image(const struct source_code *c, const char *path)
{
	for (const struct source_image *i = c->images; i; i = i->next)
		if (i->path && strcmp(i->path, path) == 0)
			return i->rec;
	return NULL;
}

static enum hs_status keep_image(struct source_code *c, struct hs_rec *rec, const char *path,
                                 struct hs_error *error)
{
	struct source_image *i = malloc(sizeof(*i));

	if (!i) {
		hs_rec_close(rec);
		return hs_error_set(error, HS_E_MEMORY, "out of memory");
	}
	*i = (struct source_image){ c->images, rec, path };
	c->images = i;
	return HS_OK;
}

/* Is a map of the program itself?  By name where its path is relative. */
static bool is_program(const struct hs_rec_info *info, const struct hs_rec_map *m)
{
	const char *program = info->program ? info->program : "";

	return m->path && strcmp(*program == '/' ? m->path : base_of(m->path),
	                         *program == '/' ? program : base_of(program)) == 0;
}

/* Of a recording that was made here the user chose the files. */
static bool may_read(struct hs_program *p, bool is_own, const char *path)
{
	return is_own || hs_program_allows(p, path);
}

/* Does a file of the program have code where one was mapped? */
static bool is_there(const struct hs_program *p, const struct hs_rec_map *m)
{
	struct hs_program_segment s;

	for (size_t i = 0; hs_program_get_segment(p, i, &s); i++)
		if (s.start - m->start < m->size || m->start - s.start < s.size)
			return true;
	return false;
}

/* Names are not essential: a file that no longer exists only costs its names, and is said. */
static void note_missing(struct hs_program *p, const char *path)
{
	(void)hs_program_add_note(
		p,
		"%s, named by the recording, is not there: its code has no names and lines "
		"(--elf FILE says where it is)",
		path);
}

static void note_unusable(struct hs_program *p, const struct hs_error *e)
{
	(void)hs_program_add_note(p, "%s: it names nothing", e->text);
}

static void note_gone(struct hs_program *p, const char *recording)
{
	(void)hs_program_add_note(
		p,
		"%s, the recording of this trace, is not there: only the files that were given "
		"are known, not what else was mapped",
		recording);
}

static void note_unread(struct hs_program *p, const char *recording, const struct hs_error *e)
{
	(void)hs_program_add_note(
		p,
		"%s, which has the code that ran, cannot be read (%s): only the files that were given "
		"are known",
		recording, e->text);
}

/* A file that the recording names: a mapping's, or with @m NULL the program's. */
static void add_named(const struct source_code *c, struct hs_program *p, const struct hs_rec_map *m,
                      const char *path, bool is_own)
{
	struct hs_error e = { 0 };

	if (m ? is_there(p, m) : hs_program_own_file(p) != NULL)
		return; /* the user gave it */
	if (access(path, R_OK) != 0) {
		if (!c->has_guest)
			note_missing(p, path);
		return;
	}
	if (may_read(p, is_own, path) &&
	    (m ? add_mapped(p, m, path, &e) : hs_program_add_symbols(p, path, 0, &e)) != HS_OK &&
	    (m || !c->has_guest)) /* a kernel's raw image, which the guest's symbols name */
		note_unusable(p, &e);
}

static void add_names(const struct source_code *c, struct hs_program *p, const struct hs_rec *rec)
{
	const struct hs_rec_info *info = hs_rec_get_info(rec);
	const bool is_own = hs_rec_is_own(rec);

	if (is_own)
		hs_program_trust_sources(p);
	for (size_t i = 0; i < 2 * info->map_count; i++) { /* the program before its libraries */
		const struct hs_rec_map *m = &info->maps[i % info->map_count];

		if (m->path && m->path[0] == '/' && is_program(info, m) == (i < info->map_count))
			add_named(c, p, m, m->path, is_own);
	}
	if (!info->map_count && info->program && *info->program)
		add_named(c, p, NULL, info->program, is_own);
}

static enum hs_status open_image(struct source_code *c, const char *path, struct hs_rec **rec,
                                 struct hs_error *error)
{
	*rec = find_image(c, path);
	if (*rec)
		return HS_OK;
	const enum hs_status status = hs_rec_open(path, rec, error);

	return status == HS_OK ? keep_image(c, *rec, path, error) : status;
}

enum hs_status source_add_image(struct source_code *c, struct hs_program *p, const char *path,
                                struct hs_error *error)
{
	struct hs_rec *rec;
	enum hs_status status = open_image(c, path, &rec, error);

	if (status != HS_OK)
		return status;
	if (hs_rec_image(rec)->count == 0)
		return hs_error_set(error, HS_E_FORMAT,
		                    "%s: holds no code; give the program with --elf", path);
	if (p == c->program)
		note_path(c, hs_rec_get_info(rec)->program);
	status = hs_program_add_image(p, hs_rec_image(rec), error);
	if (status == HS_OK)
		add_names(c, p, rec);
	return status;
}

bool source_has_code(const struct hs_source_options *o)
{
	for (size_t i = 0; i < o->code_count; i++)
		if (!o->code[i].has_context && !o->code[i].moment)
			return true;
	return source_has_maps_text(o);
}

bool hs_source_names_code(const struct hs_source_options *options)
{
	struct hs_source_options o;

	return base_take_config(&o, sizeof(o), options) == HS_OK &&
	       (o.code_count || source_has_maps_text(&o));
}

bool source_has_maps_text(const struct hs_source_options *o)
{
	for (size_t i = 0; i < o->guest_count; i++)
		if (source_is_maps_of(&o->guest[i]))
			return true;
	return false;
}

bool source_is_maps_of(const struct hs_guest_file *f)
{
	return f->kind == HS_GUEST_PROCESSES && source_is_maps_text(f->path);
}

static enum hs_status add_file(struct source_code *c, struct hs_program *p,
                               const struct hs_code_file *f, const struct hs_rec *rec,
                               struct hs_error *error)
{
	switch (f->kind) {
	case HS_CODE_ELF:
		return !f->bytes.p && source_is_maps_text(f->path)
		               ? source_add_maps_text(c, p, f->path, error)
		               : add_elf(c, p, f, rec, error);
	case HS_CODE_RAW: return hs_program_add_raw(p, f->path, f->address, error);
	case HS_CODE_IMAGE: return source_add_image(c, p, f->path, error);
	case HS_CODE_CORE:
		return hs_program_add_core(p, f->path, hs_program_image(c->program), error);
	}
	return hs_error_set(error, HS_E_ARG, "%s: no kind of code has the number %d", f->path,
	                    (int)f->kind);
}

enum hs_status source_add_file(struct source_code *c, struct hs_program *p,
                               const struct hs_code_file *f, struct hs_error *error)
{
	return add_file(c, p, f, NULL, error);
}

enum hs_status source_add_code_to(struct source_code *c, struct hs_program *p,
                                  const struct hs_source_options *o, const struct hs_rec *rec,
                                  struct hs_error *error)
{
	enum hs_status status = HS_OK;

	for (size_t i = 0; i < o->code_count && status == HS_OK; i++)
		if (!o->code[i].has_context && !o->code[i].moment)
			status = add_file(c, p, &o->code[i], rec, error);
	for (size_t i = 0; i < o->guest_count && status == HS_OK; i++)
		if (source_is_maps_of(&o->guest[i]))
			status = source_add_maps_text(c, p, o->guest[i].path, error);
	return status;
}

enum hs_status source_add_code(struct source_code *c, const struct hs_source_options *o,
                               const struct hs_rec *rec, struct hs_error *error)
{
	struct hs_image *image = hs_program_image(c->program);
	enum hs_status status = HS_OK;

	if (o->xlen && o->xlen != 32 && o->xlen != 64)
		return hs_error_set(error, HS_E_CONFIG, "XLEN is 32 or 64");
	if (o->xlen)
		image->isa.xlen = o->xlen;
	status = source_add_code_to(c, c->program, o, rec, error);
	if (status == HS_OK && o->xlen && image->isa.xlen != o->xlen)
		return hs_error_set(error, HS_E_CONFIG, "XLEN is %u, but the program is RV%u",
		                    (unsigned)o->xlen, (unsigned)image->isa.xlen);
	return status;
}

/* Bytes that were given for addresses (not a file of the program) take the place of what ran. */
static bool has_bytes(const struct hs_source_options *o)
{
	for (size_t i = 0; i < o->code_count; i++)
		if (o->code[i].kind != HS_CODE_ELF)
			return true;
	return false;
}

enum hs_status source_add_recorded(struct source_code *c, const struct hs_source_options *o,
                                   const char *recording, struct hs_error *error)
{
	struct hs_rec *rec = NULL;
	struct hs_error e = { 0 };

	/* where it cannot be read, what was given may be enough */
	if (!has_bytes(o) && hs_file_what(recording, NULL) != HS_FILE_RECORDING)
		note_gone(c->program, recording);
	else if (!has_bytes(o) && open_image(c, recording, &rec, &e) != HS_OK) {
		rec = NULL;
		note_unread(c->program, recording, &e);
	}
	enum hs_status status = source_add_code(c, o, rec, error);

	if (status == HS_OK && rec && hs_rec_image(rec)->count) {
		status = hs_program_add_image(c->program, hs_rec_image(rec), error);
		add_names(c, c->program, rec);
	}
	return status;
}

void source_add_names(struct source_code *c, struct hs_rec *rec)
{
	note_path(c, hs_rec_get_info(rec)->program);
	add_names(c, c->program, rec);
}

enum hs_status source_new_program(const struct source_code *c, struct hs_program **p)
{
	enum hs_status s = hs_program_new(p);

	if (s != HS_OK || !c->names.size)
		return s;
	s = hs_program_set_names(*p, &c->names);
	if (s != HS_OK)
		hs_program_free(*p);
	return s;
}

void hs_source_get_images(const struct hs_source *s, struct hs_image_set *out)
{
	const struct source_code *c = source_code_of(s);

	*out = (struct hs_image_set){ c->process_images, c->set.contexts, c->set.count,
		                      c->set.others_run_first };
}

bool source_is_process(const struct hs_block *item)
{
	return item->kind == HS_KIND_CONTEXT && item->arg == PROGRAM_SCONTEXT;
}

const struct hs_image *source_image_of(const struct hs_source *s, uint64_t context)
{
	const struct source_code *c = source_code_of(s);

	for (size_t i = 0; i < c->set.count; i++)
		if (c->set.contexts[i] == context)
			return &c->process_images[i];
	return NULL;
}
