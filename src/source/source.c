/* Sources: one iterator of blocks over recordings, flows and traces. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/config.h"
#include "guest/guest.h"
#include "source/private.h"
#include "source/source.h"

/* ---- opening ------------------------------------------------------------------ */

static bool is_directory(const char *path)
{
	struct stat st;

	return strcmp(path, "-") != 0 && stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static enum hs_status open_kind(struct hs_source *s, const struct hs_source_options *o,
                                struct hs_error *error)
{
	if (o->files || (!o->trace.p && is_directory(o->path)))
		return source_open_recording(s, o, error);
	const enum hs_status status = source_open_trace(s, o, error);

	if (status == HS_OK && source_again_new(o, &s->again) != HS_OK)
		return hs_error_set(error, HS_E_MEMORY, "%s: out of memory", o->path);
	return status;
}

enum hs_status hs_source_open(const struct hs_source_options *options, struct hs_source **source,
                              struct hs_error *error)
{
	struct hs_source_options o;
	enum hs_status status = base_take_config(&o, sizeof(o), options);

	if (status != HS_OK)
		return hs_error_set(error, status, "hs_source_options: unknown members are set");
	if (!o.path && !o.trace.p && !o.files)
		return hs_error_set(error, HS_E_ARG, "hs_source_options: neither a path nor bytes");
	if (!o.path)
		o.path = "memory";
	struct hs_source *s = calloc(1, sizeof(*s));

	if (s && o.name_options)
		status = base_take_config(&s->code.names, sizeof(s->code.names), o.name_options);
	if (s) {
		s->code.has_guest = o.guest_count != 0;
		s->code.sysroot = o.sysroot;
	}
	if (s && status != HS_OK) {
		free(s);
		return hs_error_set(error, status, "hs_name_options: unknown members are set");
	}
	if (!s || source_new_program(&s->code, &s->code.program) != HS_OK) {
		free(s);
		return hs_error_set(error, HS_E_MEMORY, "%s: out of memory", o.path);
	}
	s->code.set.first = s->code.program;
	s->threads = o.threads;
	s->one_hart = o.one_hart;
	s->hart = o.hart;
	status = o.places ? source_marks_new(&s->marks) : HS_OK;
	if (status == HS_OK)
		status = open_kind(s, &o, error);
	else
		hs_error_set(error, status, "%s: out of memory", o.path);
	source_reset_hart(s);
	if (status == HS_OK)
		status = source_add_guest(s, &o, error);
	if (status == HS_OK && o.select && source_selection_new(o.select, &s->selection) != HS_OK)
		status = hs_error_set(error, HS_E_MEMORY, "%s: out of memory", o.path);
	if (status == HS_OK)
		*source = s;
	else
		hs_source_close(s);
	return status;
}

static void free_code(struct source_code *c)
{
	hs_guest_free(c->guest);
	source_free_moments(c);
	hs_program_free(c->program);
	source_free_processes(c);
	while (c->images) {
		struct source_image *i = c->images;

		c->images = i->next;
		hs_rec_close(i->rec);
		free(i);
	}
	free(c->program_path);
}

void hs_source_close(struct hs_source *s)
{
	if (!s)
		return;
	if (s->ops)
		s->ops->close(s);
	source_selection_free(s->selection);
	source_range_free(s->range);
	source_again_free(s->again);
	free_code(&s->code);
	free(s->view);
	free(s->first);
	source_marks_free(s->marks);
	free(s);
}
