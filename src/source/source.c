/* Sources: one iterator of blocks over recordings, flows and traces. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/config.h"
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

/* What a trace says before its first HS_KIND_HART is of hart 0. */
static void reset_hart(struct hs_source *s)
{
	s->other_hart = s->one_hart && s->hart != 0;
	s->hart_seen = false;
	s->last_hart = 0;
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
	if (s)
		s->code.has_guest = o.guest_count != 0;
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
	reset_hart(s);
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

void hs_source_close(struct hs_source *s)
{
	if (!s)
		return;
	if (s->ops)
		s->ops->close(s);
	source_selection_free(s->selection);
	source_range_free(s->range);
	source_again_free(s->again);
	source_free_code(&s->code);
	free(s->view);
	free(s->first);
	source_marks_free(s->marks);
	free(s);
}

/* ---- reading ------------------------------------------------------------------ */

/* Do the items have to be looked at for those of one hart?  In streams of recordings they are. */
static bool mixes_harts(const struct hs_source *s)
{
	return s->one_hart && s->ops != &source_recording_ops;
}

/* Keep the items of one hart, and no HS_KIND_HART. */
static size_t keep_hart(struct hs_source *s, struct hs_block *v, size_t n)
{
	size_t kept = 0;

	while (kept < n && !s->other_hart && v[kept].kind != HS_KIND_HART)
		kept++;
	for (size_t i = kept; i < n; i++) {
		if (v[i].kind == HS_KIND_HART) {
			s->other_hart = v[i].arg != s->hart;
			s->last_hart = v[i].arg > s->last_hart ? v[i].arg : s->last_hart;
		} else if (!s->other_hart) {
			v[kept++] = v[i];
		}
	}
	s->hart_seen |= kept != 0;
	return kept;
}

/* A trace shows at its end only that it has no such hart. */
static enum hs_status end_of_hart(struct hs_source *s, enum hs_status status,
                                  struct hs_error *error)
{
	if (status != HS_END || s->hart_seen)
		return status;
	s->hart_seen = true;
	return hs_error_set(error, HS_E_FORMAT, "no hart %u: the highest in the trace is %u",
	                    s->hart, s->last_hart);
}

enum hs_status source_read_items(struct hs_source *s, struct hs_block *out, size_t cap, size_t *n,
                                 struct hs_error *error)
{
	*n = 0;
	if (s->first_at < s->first_n) {
		const size_t left = s->first_n - s->first_at;

		*n = left < cap ? left : cap;
		memcpy(out, s->first + s->first_at, *n * sizeof(*out));
		s->first_at += *n;
		return HS_OK;
	}
	const enum hs_status status = s->ops->next(s, out, cap, n, error);

	if (s->marks)
		source_marks_follow(s->marks, s, out, *n);
	if (!mixes_harts(s))
		return status;
	*n = keep_hart(s, out, *n);
	return end_of_hart(s, status, error);
}

enum hs_status source_next_items(struct hs_source *s, struct hs_block *out, size_t cap, size_t *n,
                                 struct hs_error *error)
{
	return s->selection ? source_next_selected(s, out, cap, n, error)
	                    : source_read_items(s, out, cap, n, error);
}

static enum hs_status next_items(struct hs_source *s, struct hs_block *out, size_t cap, size_t *n,
                                 struct hs_error *error)
{
	return s->range ? source_next_ranged(s, out, cap, n, error)
	                : source_next_items(s, out, cap, n, error);
}

/* Give items out of the spare array; the result of reading them follows the last one. */
static enum hs_status read_spare(struct hs_source *s, struct hs_block *out, size_t cap, size_t *n,
                                 struct hs_error *error)
{
	struct source_spare *spare = &s->spare;

	if (spare->at == spare->n) {
		spare->at = 0;
		spare->status = next_items(s, spare->items, SOURCE_SPARE, &spare->n, &spare->error);
	}
	*n = cap < spare->n - spare->at ? cap : spare->n - spare->at;
	memcpy(out, spare->items + spare->at, *n * sizeof(*out));
	spare->at += *n;
	if (spare->at < spare->n)
		return HS_OK;
	if (error && spare->status != HS_OK)
		*error = spare->error;
	return spare->status;
}

enum hs_status hs_source_next(struct hs_source *s, struct hs_block *out, size_t cap, size_t *n,
                              struct hs_error *error)
{
	return cap < SOURCE_SPARE || s->spare.at < s->spare.n ? read_spare(s, out, cap, n, error)
	                                                      : next_items(s, out, cap, n, error);
}

/* The next items of a recording, where a thread wrote them. */
static enum hs_status view_ahead(struct hs_source *s, struct source_room *v, size_t *n,
                                 struct hs_error *error)
{
	struct hs_block *items;
	const enum hs_status status = source_ahead_view(s, &items, n, error);

	v->items = items;
	return status;
}

enum hs_status source_no_memory(struct hs_source *s, struct hs_error *error)
{
	const enum hs_status status = s->no_memory ? HS_END : HS_E_MEMORY;

	s->no_memory = true;
	return hs_error_set(error, status, "out of memory");
}

enum hs_status hs_source_view(struct hs_source *s, const struct hs_block **items, size_t *n,
                              struct hs_error *error)
{
	struct source_room v = { .cap = SOURCE_VIEW };
	enum hs_status status;

	*n = 0;
	if (!s->view)
		s->view = malloc(SOURCE_VIEW * sizeof(*s->view));
	if (!s->view)
		return source_no_memory(s, error);
	v.room = s->view;
	v.items = s->view;
	const bool plain = !s->selection && !s->range && !s->marks && s->first_at == s->first_n &&
	                   s->spare.at == s->spare.n;

	if (s->ops == &source_trace_ops && plain && !s->one_hart)
		status = source_view_trace(s, &v, n, error);
	else if (s->ops == &source_recording_ops && plain && source_ahead_start(s, 0))
		status = view_ahead(s, &v, n, error);
	else
		status = hs_source_next(s, s->view, SOURCE_VIEW, n, error);
	*items = v.items;
	return status;
}

enum hs_status hs_source_rewind(struct hs_source *s, struct hs_error *error)
{
	reset_hart(s);
	s->spare.at = s->spare.n = 0;
	s->first_at = s->first_n = 0;
	if (s->marks)
		source_marks_rewind(s->marks);
	if (s->selection)
		source_selection_rewind(s->selection);
	if (s->range)
		source_range_rewind(s->range);
	return s->ops->rewind(s, error);
}

/* ---- what is known ------------------------------------------------------------ */

static const struct source_code *code_of(const struct hs_source *s)
{
	return s->parent ? &s->parent->code : &s->code;
}

static const struct source_trace *trace_of(const struct hs_source *s)
{
	return s->ops == &source_trace_ops ? &s->trace : NULL;
}

struct hs_program *hs_source_program(struct hs_source *s)
{
	return code_of(s)->set.first;
}

const struct hs_rec_process *hs_source_processes(const struct hs_source *s, size_t *count)
{
	*count = code_of(s)->file_count;
	return code_of(s)->files;
}

const struct hs_program_set *hs_source_programs(const struct hs_source *s)
{
	return &code_of(s)->set;
}

void hs_source_get_images(const struct hs_source *s, struct hs_image_set *out)
{
	const struct source_code *c = code_of(s);

	*out = (struct hs_image_set){ c->process_images, c->set.contexts, c->set.count };
}

struct hs_guest *hs_source_guest(struct hs_source *s)
{
	return code_of(s)->guest;
}

const char *hs_source_program_path(const struct hs_source *s)
{
	return code_of(s)->program_path;
}

const struct hs_rec_info *hs_source_info(const struct hs_source *s)
{
	return trace_of(s) ? NULL : hs_rec_get_info(s->recording.rec);
}

const struct hs_image *hs_source_image(const struct hs_source *s)
{
	return trace_of(s) ? NULL : hs_rec_image(s->recording.rec);
}

enum hs_status hs_source_code(const struct hs_source *s, uint32_t number, struct hs_section *code)
{
	const struct source_trace *t = trace_of(s);

	return t ? source_changed_code((void *)(uintptr_t)t, number, code)
	         : hs_rec_code(s->recording.rec, number, code);
}

const struct hs_protocol *hs_source_protocol(const struct hs_source *s)
{
	const struct source_trace *t = trace_of(s);

	return t ? t->protocol : NULL;
}

const struct hs_trace_params *hs_source_params(const struct hs_source *s)
{
	const struct source_trace *t = trace_of(s);

	return t ? t->params : NULL;
}

const char *hs_source_note(const struct hs_source *s)
{
	const struct source_trace *t = trace_of(s);

	return t && t->note.status != HS_OK ? t->note.text : NULL;
}

uint64_t hs_source_fault_address(const struct hs_source *s)
{
	const struct source_trace *t = trace_of(s);

	return t && t->reason != HS_REASON_NONE ? t->fault : 0;
}

enum hs_reason hs_source_reason(const struct hs_source *s)
{
	const struct source_trace *t = trace_of(s);

	return t ? t->reason : HS_REASON_NONE;
}

unsigned hs_source_counts(const struct hs_source *s, struct hs_message_count *out, unsigned cap)
{
	const struct source_trace *t = trace_of(s);

	if (!t || !source_decodes(t))
		return 0;
	unsigned n = source_decode_counts(t, out, cap);

	if (t->slice)
		n = source_slice_counts(t->slice, out, n);
	return source_add_counts(t, out, n, cap);
}

bool hs_source_capture(const struct hs_source *s, struct hs_capture_report *out)
{
	const struct source_trace *t = trace_of(s);

	if (t && t->capture)
		hs_capture_get_report(t->capture, out);
	return t && t->capture;
}

bool hs_source_buffer(const struct hs_source *s, struct hs_perf_lane *lane)
{
	const struct source_trace *t = trace_of(s);

	return t && t->perf && hs_perf_get_lane(t->perf->file, t->perf->lane, lane);
}

bool hs_source_get_part(const struct hs_source *s, struct hs_source_part *part)
{
	const struct source_trace *t = trace_of(s);

	if (!t || !t->parts)
		return false;
	const struct source_part *p = &t->parts->at[t->parts->now];

	*part = (struct hs_source_part){ .id = p->id, .path = p->path, .hart = p->hart };
	return true;
}

uint64_t hs_source_decoded(const struct hs_source *s)
{
	const struct source_trace *t = trace_of(s);

	return t ? t->bytes - t->left.n : 0;
}

uint64_t hs_source_bytes(const struct hs_source *s, uint64_t *total)
{
	const struct source_trace *t = trace_of(s);
	const bool counted = s->ops == &source_recording_ops && !s->recording.timed;
	const bool all = counted && !s->one_hart;

	if (total)
		*total = t ? t->total : all ? hs_rec_get_info(s->recording.rec)->bytes : 0;
	return t ? t->bytes : counted ? s->recording.bytes : 0;
}
