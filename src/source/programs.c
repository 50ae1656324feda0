/* Sources: the programs of contexts (Ownership, NT 7.1). */
#include <stdlib.h>
#include <string.h>

#include "source/private.h"

enum hs_status source_name_process(struct hs_source *s, const struct hs_rec_process *file)
{
	struct hs_rec_process *more =
		realloc(s->files, (s->file_count + 1) * sizeof(*s->files));
	char *path = realpath(file->path, NULL);

	if (more)
		s->files = more;
	if (!path) /* it is opened later, and then the reason is told */
		path = strdup(file->path);
	if (!more || !path) {
		free(path);
		return HS_E_MEMORY;
	}
	s->files[s->file_count++] = (struct hs_rec_process){ file->context, file->bias, path };
	return HS_OK;
}

static void forget_names(struct hs_source *s)
{
	for (size_t i = 0; i < s->file_count; i++)
		free((void *)(uintptr_t)s->files[i].path);
	s->file_count = 0;
}

/* What the person says replaces what a file said. */
static enum hs_status take_options(struct hs_source *s, const struct hs_source_options *o)
{
	enum hs_status status = HS_OK;
	bool replaced = false;

	for (size_t i = 0; i < o->code_count && status == HS_OK; i++) {
		const struct hs_code_file *f = &o->code[i];

		if (!f->has_context)
			continue;
		if (!replaced)
			forget_names(s);
		replaced = true;
		status = source_name_process(s, &(struct hs_rec_process){ f->context, f->address,
		                                                          f->path });
	}
	return status;
}

/* The program of a context, a new one if there is none. */
static struct hs_program *program_of(struct hs_source *s, uint64_t context)
{
	for (size_t i = 0; i < s->set.count; i++)
		if (s->contexts[i] == context)
			return s->processes[i];
	if (hs_program_new(&s->processes[s->set.count]) != HS_OK)
		return NULL;
	s->contexts[s->set.count] = context;
	return s->processes[s->set.count++];
}

static enum hs_status add_file(struct hs_source *s, const struct hs_rec_process *f,
                               struct hs_error *error)
{
	struct hs_program *p = program_of(s, f->context);

	if (!p)
		return hs_error_set(error, HS_E_MEMORY, "out of memory");
	if (hs_is_recording(f->path))
		return source_add_image_to(s, p, f->path, error);
	return hs_program_add_elf(p, f->path, f->bias, error);
}

/* What a recording or flow says of its programs. */
static enum hs_status take_recording(struct hs_source *s, struct hs_error *error)
{
	struct hs_rec *rec = s->rec;
	enum hs_status status = HS_OK;

	if (!rec && (!s->recording || !hs_is_recording(s->recording) ||
	             hs_rec_open(s->recording, &rec, error) != HS_OK))
		return HS_OK; /* who needs the recording says what is wrong with it */
	const struct hs_rec_info *info = hs_rec_get_info(rec);

	for (size_t i = 0; i < info->process_count && status == HS_OK; i++)
		status = source_name_process(s, &info->processes[i]);
	if (rec != s->rec)
		hs_rec_close(rec);
	return status;
}

enum hs_status source_add_processes(struct hs_source *s, const struct hs_source_options *o,
                                    struct hs_error *error)
{
	enum hs_status status = s->file_count ? HS_OK : take_recording(s, error);

	if (status == HS_OK)
		status = take_options(s, o);
	const size_t n = s->file_count + 1;

	s->processes = calloc(n, sizeof(*s->processes));
	s->contexts = calloc(n, sizeof(*s->contexts));
	s->process_images = calloc(n, sizeof(*s->process_images));
	if (status != HS_OK || !s->processes || !s->contexts || !s->process_images)
		return hs_error_set(error, HS_E_MEMORY, "out of memory");
	s->set.programs = s->processes;
	s->set.contexts = s->contexts;
	for (size_t i = 0; i < s->file_count && status == HS_OK; i++)
		status = add_file(s, &s->files[i], error);
	for (size_t i = 0; i < s->set.count; i++)
		s->process_images[i] = *hs_program_image(s->processes[i]);
	return status;
}

void source_free_processes(struct hs_source *s)
{
	for (size_t i = 0; i < s->set.count; i++)
		hs_program_free(s->processes[i]);
	forget_names(s);
	free(s->files);
	free(s->processes);
	free(s->contexts);
	free(s->process_images);
}
