/* Sources: the programs of contexts (Ownership, NT 7.1). */
#include <stdlib.h>
#include <string.h>

#include "program/program.h"
#include "recording/recording.h"
#include "source/private.h"

static enum hs_status name_file(struct source_code *c, const struct hs_rec_process *file)
{
	struct hs_rec_process *more =
		realloc(c->files, (c->file_count + 1) * sizeof(*c->files));
	char *path = realpath(file->path, NULL);

	if (more)
		c->files = more;
	if (!path) /* opening it says later what is wrong */
		path = strdup(file->path);
	if (!more || !path) {
		free(path);
		return HS_E_MEMORY;
	}
	c->files[c->file_count++] = (struct hs_rec_process){ file->context, file->bias, path };
	return HS_OK;
}

/* Files that a recording or trace names. */
static enum hs_status name_files(struct source_code *c, const struct hs_rec_process *list, size_t n,
                                 bool is_own)
{
	enum hs_status status = HS_OK;

	c->own_files = is_own;
	for (size_t i = 0; i < n && status == HS_OK; i++)
		if (is_own || hs_program_allows(c->program, list[i].path))
			status = name_file(c, &list[i]);
	return status;
}

static enum hs_status name_files_of_options(struct source_code *c,
                                            const struct hs_source_options *o)
{
	enum hs_status status = HS_OK;

	for (size_t i = 0; i < o->code_count && status == HS_OK; i++) {
		const struct hs_code_file *f = &o->code[i];

		if (f->has_context)
			status = name_file(
				c, &(struct hs_rec_process){ f->context, f->address, f->path });
	}
	return status;
}

/* The program of a context, a new one if there is none. */
static struct hs_program *program_of(struct source_code *c, uint64_t context)
{
	for (size_t i = 0; i < c->set.count; i++)
		if (c->contexts[i] == context)
			return c->processes[i];
	if (source_new_program(c, &c->processes[c->set.count]) != HS_OK)
		return NULL;
	if (c->own_files)
		hs_program_trust_sources(c->processes[c->set.count]);
	c->contexts[c->set.count] = context;
	return c->processes[c->set.count++];
}

static enum hs_status add_file(struct source_code *c, const struct hs_rec_process *f,
                               struct hs_error *error)
{
	struct hs_program *p = program_of(c, f->context);

	if (!p)
		return hs_error_set(error, HS_E_MEMORY, "out of memory");
	if (hs_file_what(f->path, NULL) == HS_FILE_RECORDING)
		return source_add_image(c, p, f->path, error);
	if (source_is_maps_text(f->path))
		return source_add_maps_text(c, p, f->path, error);
	return hs_program_add_elf(p, f->path, f->bias, error);
}

/* The first of options, list and recording that has any; list and recording may be NULL. */
static enum hs_status choose_files(struct source_code *c, const struct hs_source_options *o,
                                   const struct source_files *list, const struct hs_rec *rec)
{
	const enum hs_status status = name_files_of_options(c, o);

	if (status != HS_OK || c->file_count)
		return status;
	if (list && list->count)
		return name_files(c, list->files, list->count, list->is_own);
	if (!rec)
		return HS_OK;
	return name_files(c, hs_rec_get_info(rec)->processes, hs_rec_get_info(rec)->process_count,
	                  hs_rec_is_own(rec));
}

static enum hs_status make_room(struct source_code *c, size_t threads)
{
	const size_t n = c->file_count + threads + 1;

	c->processes = calloc(n, sizeof(*c->processes));
	c->contexts = calloc(n, sizeof(*c->contexts));
	c->process_images = calloc(n, sizeof(*c->process_images));
	c->set.programs = c->processes;
	c->set.contexts = c->contexts;
	return c->processes && c->contexts && c->process_images ? HS_OK : HS_E_MEMORY;
}

static bool has_context(const struct source_code *c, uint64_t context, size_t *at)
{
	for (*at = 0; *at < c->set.count; ++*at)
		if (c->contexts[*at] == context)
			return true;
	return false;
}

/* A thread runs the program of its process. */
static void add_threads(struct source_code *c, const struct source_files *list)
{
	size_t at;

	for (size_t i = 0; i < list->thread_count; i++) {
		const struct source_thread *t = &list->threads[i];

		if (has_context(c, t->tid, &at) || !has_context(c, t->pid, &at))
			continue;
		c->processes[c->set.count] = c->processes[at];
		c->contexts[c->set.count++] = t->tid;
	}
}

/* The code without a context, in each program too that has nothing there.  Where a file overlaps a
 * program it is that of the first context, and no other one runs it. */
static enum hs_status add_common_file(struct source_code *c, const struct hs_code_file *f,
                                      struct hs_error *error)
{
	enum hs_status status = HS_OK;

	for (size_t i = 0; i < c->set.count && status == HS_OK; i++) {
		struct hs_error e = { 0 };

		status = source_add_file(c, c->processes[i], f, &e);
		if (status == HS_E_CONFIG) {
			c->set.others_run_first = false;
			status = HS_OK;
		} else if (status != HS_OK && error) {
			*error = e;
		}
	}
	return status;
}

static enum hs_status add_common(struct source_code *c, const struct hs_source_options *o,
                                 struct hs_error *error)
{
	enum hs_status status = HS_OK;

	c->set.others_run_first = source_has_code(o) && c->set.count && !source_has_maps_text(o);
	for (size_t i = 0; i < o->code_count && status == HS_OK; i++)
		if (!o->code[i].has_context && !o->code[i].moment)
			status = add_common_file(c, &o->code[i], error);
	return status;
}

enum hs_status source_add_processes(struct source_code *c, const struct hs_source_options *o,
                                    const struct source_files *list, const struct hs_rec *rec,
                                    struct hs_error *error)
{
	enum hs_status status = choose_files(c, o, list, rec);

	if (status == HS_OK)
		status = make_room(c, list ? list->thread_count : 0);
	if (status != HS_OK)
		return hs_error_set(error, status, "out of memory");
	for (size_t i = 0; i < c->file_count && status == HS_OK; i++)
		status = add_file(c, &c->files[i], error);
	if (status == HS_OK && !rec)
		status = add_common(c, o, error);
	c->own_count = c->set.count;
	if (status == HS_OK && list)
		add_threads(c, list);
	for (size_t i = 0; i < c->set.count; i++)
		c->process_images[i] = *hs_program_image(c->processes[i]);
	return status;
}

void source_set_versions(struct source_code *c, hs_version_fn code, void *of)
{
	hs_program_set_versions(c->set.first, code, of);
	for (size_t i = 0; i < c->set.count; i++)
		hs_program_set_versions(c->processes[i], code, of);
}

void source_free_processes(struct source_code *c)
{
	for (size_t i = 0; i < c->own_count; i++)
		hs_program_free(c->processes[i]);
	for (size_t i = 0; i < c->file_count; i++)
		free((void *)(uintptr_t)c->files[i].path);
	free(c->files);
	free(c->processes);
	free(c->contexts);
	free(c->process_images);
}

struct hs_protocol_traits source_traits(const struct source_trace *t)
{
	struct hs_protocol_traits traits;

	hs_protocol_check(t->protocol, t->config, &traits);
	return traits;
}
