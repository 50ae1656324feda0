/* Sources: one iterator of blocks over recordings, flows and traces. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "source/private.h"

bool hs_is_recording(const char *path)
{
	const size_t n = strlen(path) + sizeof("/manifest.json");
	char *manifest = malloc(n);
	struct stat st;

	if (!manifest)
		return false;
	snprintf(manifest, n, "%s/manifest.json", path);
	const bool is = stat(manifest, &st) == 0 && S_ISREG(st.st_mode);

	free(manifest);
	return is;
}

static enum hs_status open_kind(struct hs_source *s, const struct hs_source_options *o,
                                struct hs_error *error)
{
	struct stat st;

	if (strcmp(o->path, "-") == 0)
		return source_open_trace(s, o, error);
	if (stat(o->path, &st) == 0 && S_ISDIR(st.st_mode))
		return source_open_recording(s, o, error);
	return source_open_trace(s, o, error);
}

enum hs_status hs_source_open(const struct hs_source_options *o, struct hs_source **source,
                              struct hs_error *error)
{
	struct hs_source *s = calloc(1, sizeof(*s));

	if (!s || hs_program_new(&s->program) != HS_OK) {
		free(s);
		return hs_error_set(error, HS_E_MEMORY, "%s: out of memory", o->path);
	}
	s->fd = -1;
	s->set.first = s->program;
	s->hart = o->hart;
	s->other_hart = o->hart > 0;
	const enum hs_status status = open_kind(s, o, error);

	if (status == HS_OK)
		*source = s;
	else
		hs_source_close(s);
	return status;
}

void hs_source_close(struct hs_source *s)
{
	if (!s)
		return;
	if (s->ops)
		s->ops->close(s);
	hs_program_free(s->program);
	source_free_processes(s);
	while (s->images) {
		struct source_image *i = s->images;

		s->images = i->next;
		hs_rec_close(i->rec);
		free(i);
	}
	hs_rec_close(s->rec);
	free(s->path);
	free(s->program_path);
	free(s->recording);
	free(s->transport);
	free(s->vcd_clock);
	free(s->vcd_data);
	free(s->config);
	free(s);
}

/* Keep the items of one hart, and no HS_KIND_HART. */
static size_t only_hart(struct hs_source *s, struct hs_block *v, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		if (v[i].kind == HS_KIND_HART)
			s->other_hart = v[i].arg != s->hart;
		else if (!s->other_hart)
			v[kept++] = v[i];
	}
	return kept;
}

enum hs_status hs_source_next(struct hs_source *s, struct hs_block *out, size_t cap, size_t *n,
                              struct hs_error *error)
{
	*n = 0;
	const enum hs_status status = s->ops->next(s, out, cap, n, error);

	if (s->hart != HS_ALL_HARTS)
		*n = only_hart(s, out, *n);
	return status;
}

enum hs_status hs_source_rewind(struct hs_source *s, struct hs_error *error)
{
	s->other_hart = s->hart > 0;
	return s->ops->rewind(s, error);
}

struct hs_program *hs_source_program(struct hs_source *s)
{
	return s->set.first;
}

const struct hs_rec_process *hs_source_processes(const struct hs_source *s, size_t *count)
{
	*count = s->file_count;
	return s->files;
}

const struct hs_program_set *hs_source_programs(const struct hs_source *s)
{
	return &s->set;
}

const char *hs_source_program_path(const struct hs_source *s)
{
	return s->program_path;
}

const struct hs_rec_info *hs_source_info(const struct hs_source *s)
{
	return s->rec ? hs_rec_get_info(s->rec) : NULL;
}

struct hs_rec *hs_source_recording(struct hs_source *s)
{
	return s->rec;
}

const struct hs_protocol *hs_source_protocol(const struct hs_source *s)
{
	return s->protocol;
}

unsigned hs_source_counts(const struct hs_source *s, struct hs_message_count *out, unsigned cap)
{
	return s->decoder ? s->protocol->decoder_counts(s->decoder, out, cap) : 0;
}

bool hs_source_capture(const struct hs_source *s, struct hs_capture_report *out)
{
	if (s->capture)
		hs_capture_report(s->capture, out);
	return s->capture != NULL;
}

uint64_t hs_source_bytes(const struct hs_source *s, uint64_t *total)
{
	if (total)
		*total = s->total;
	return s->bytes;
}
