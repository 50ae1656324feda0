/* Sources: recordings and flows, one hart after the other. */
#include <stdlib.h>
#include <string.h>

#include "core/config.h"
#include "recording/recording.h"
#include "source/private.h"
#include "source/source.h"

/* ---- reading ------------------------------------------------------------------ */

static void count_bytes(struct source_recording *r)
{
	r->bytes = r->bytes_before + (r->stream ? hs_rec_stream_bytes(r->stream) : 0);
}

static void close_stream(struct source_recording *r)
{
	count_bytes(r);
	r->bytes_before = r->bytes;
	hs_rec_stream_close(r->stream);
	r->stream = NULL;
}

enum hs_status source_open_stream(const struct source_recording *r, uint32_t index,
                                  struct hs_rec_stream **stream, struct hs_error *error)
{
	const enum hs_status status = hs_rec_stream_open(r->rec, index, stream, error);

	if (status != HS_OK || !r->versions || hs_rec_stream_follow_versions(*stream) == HS_OK)
		return status;
	hs_rec_stream_close(*stream);
	*stream = NULL;
	return hs_error_set(error, HS_E_MEMORY, "out of memory");
}

static enum hs_status open_stream(struct hs_source *s, struct hs_block *out, size_t *n,
                                  struct hs_error *error)
{
	struct source_recording *r = &s->recording;

	if (r->next_stream >= r->end_stream)
		return HS_END;
	const enum hs_status status =
		source_open_stream(r, r->next_stream++, &r->stream, error);

	if (status == HS_OK)
		source_find_places(s, r->stream);
	if (status == HS_OK && r->take)
		(void)hs_rec_stream_count(r->stream, s->threads, r->take, r->take_to);
	if (status == HS_OK && !s->one_hart && hs_rec_get_info(r->rec)->harts > 1)
		out[(*n)++] = (struct hs_block){ .kind = HS_KIND_HART,
			                         .arg = hs_rec_stream_hart(r->stream) };
	return status;
}

/* Streams are opened when they are needed: a source may be opened only for its harts. */
static enum hs_status next_timed(struct hs_source *s, struct hs_block *out, size_t cap, size_t *n,
                                 struct hs_error *error)
{
	enum hs_status status = HS_OK;

	if (!s->recording.lanes)
		status = source_open_lanes(&s->recording, error);
	return status == HS_OK ? source_next_timed(s, out, cap, n, error) : status;
}

enum hs_status source_recording_read(struct hs_source *s, struct hs_block *out, size_t cap,
                                     size_t *n, struct hs_error *error)
{
	if (s->recording.timed)
		return next_timed(s, out, cap, n, error);
	if (!s->recording.stream)
		return open_stream(s, out, n, error);
	const enum hs_status status = hs_rec_stream_next(s->recording.stream, out, cap, n, error);

	count_bytes(&s->recording);
	if (status == HS_OK)
		return HS_OK;
	close_stream(&s->recording);
	return status == HS_END ? HS_OK : status;
}

bool source_count_blocks(struct hs_source *s, hs_memo_count_fn *take, void *to)
{
	if (s->ops != &source_recording_ops)
		return source_count_runs(s, take, to);
	if (s->selection || s->range || s->one_hart || s->marks || s->recording.timed)
		return false;
	s->recording.take = take;
	s->recording.take_to = to;
	return true;
}

void source_stop_counting(struct hs_source *s)
{
	if (s->recording.take && s->recording.stream)
		close_stream(&s->recording);
	s->recording.take = NULL;
}

static enum hs_status next_blocks(struct hs_source *s, struct hs_block *out, size_t cap, size_t *n,
                                  struct hs_error *error)
{
	if (source_ahead_start(s, 0))
		return source_ahead_next(s, out, cap, n, error);
	const enum hs_status status = source_recording_read(s, out, cap, n, error);

	source_ahead_start(s, *n);
	return status;
}

/* ---- harts -------------------------------------------------------------------- */

static enum hs_status read_harts(struct source_recording *r, struct hs_error *error)
{
	const uint32_t count = hs_rec_get_info(r->rec)->harts;
	uint32_t *harts = calloc((size_t)count + 1, sizeof(*harts));

	if (!harts)
		return hs_error_set(error, HS_E_MEMORY, "out of memory");
	for (uint32_t i = 0; i < count; i++) {
		struct hs_rec_stream *stream;
		const enum hs_status status = hs_rec_stream_open(r->rec, i, &stream, error);

		if (status != HS_OK) {
			free(harts);
			return status;
		}
		harts[i] = hs_rec_stream_hart(stream);
		hs_rec_stream_close(stream);
	}
	r->harts = harts;
	return HS_OK;
}

/* All of a recording. */
static enum hs_status all_harts(struct hs_source *s, const uint32_t **harts, uint32_t *count,
                                struct hs_error *error)
{
	struct source_recording *r = &s->recording;
	const enum hs_status status = r->harts ? HS_OK : read_harts(r, error);

	if (status != HS_OK)
		return status;
	*harts = r->harts;
	*count = hs_rec_get_info(r->rec)->harts;
	return HS_OK;
}

enum hs_status hs_source_get_harts(struct hs_source *s, const uint32_t **harts, uint32_t *count,
                                   struct hs_error *error)
{
	*harts = NULL;
	*count = 0;
	if (s->ops != &source_recording_ops)
		return HS_OK;
	if (!s->one_hart)
		return all_harts(s, harts, count, error);
	*harts = &s->hart;
	*count = 1;
	return HS_OK;
}

/* Limit a source to one hart.  Streams have no gaps in their numbers; harts have the recorder's. */
static enum hs_status choose_hart(struct hs_source *s, uint32_t hart, const uint32_t *harts,
                                  uint32_t count, struct hs_error *error)
{
	for (uint32_t i = 0; i < count; i++) {
		if (harts[i] != hart)
			continue;
		s->recording.next_stream = i;
		s->recording.end_stream = i + 1;
		return HS_OK;
	}
	return hs_error_set(error, HS_E_ARG, "no hart %u: the recording has %u", hart, count);
}

enum hs_status hs_source_open_hart(struct hs_source *source, uint32_t hart, struct hs_source **out,
                                   struct hs_error *error)
{
	const uint32_t *harts;
	uint32_t count;

	if (source->ops != &source_recording_ops)
		return source_open_hart_again(source, hart, out, error);
	enum hs_status status = all_harts(source, &harts, &count, error);

	if (status != HS_OK)
		return status;
	struct hs_source *s = calloc(1, sizeof(*s));

	if (!s)
		return hs_error_set(error, HS_E_MEMORY, "out of memory");
	s->ops = source->ops;
	s->parent = source->parent ? source->parent : source;
	s->one_hart = true;
	s->hart = hart;
	s->recording.rec = source->recording.rec;
	s->recording.versions = source->recording.versions;
	s->recording.timed = source->recording.timed;
	s->recording.clock = source->recording.clock;
	status = choose_hart(s, hart, harts, count, error);
	if (status == HS_OK && source->selection &&
	    source_selection_copy(source->selection, &s->selection) != HS_OK)
		status = hs_error_set(error, HS_E_MEMORY, "out of memory");
	if (status == HS_OK && source->range)
		status = hs_source_take_range(s, source, error);
	if (status == HS_OK)
		*out = s;
	else
		hs_source_close(s);
	return status;
}

static enum hs_status code_of(void *rec, uint32_t number, struct hs_section *code)
{
	return hs_rec_code(rec, number, code);
}

/* ---- opening ------------------------------------------------------------------ */

static enum hs_status rewind_recording(struct hs_source *s, struct hs_error *error)
{
	struct source_recording *r = &s->recording;

	(void)error;
	source_ahead_stop(s);
	close_stream(r);
	source_close_lanes(r);
	r->bytes = r->bytes_before = 0;
	r->next_stream = s->one_hart ? r->end_stream - 1 : 0;
	return HS_OK;
}

static void close_recording(struct hs_source *s)
{
	source_ahead_stop(s);
	hs_rec_stream_close(s->recording.stream);
	source_close_lanes(&s->recording);
	free(s->recording.harts);
	if (!s->parent)
		hs_rec_close(s->recording.rec);
}

const struct source_ops source_recording_ops = { next_blocks, rewind_recording, close_recording };

static enum hs_status set_harts(struct hs_source *s, struct hs_error *error)
{
	const uint32_t *harts;
	uint32_t count;

	s->recording.end_stream = hs_rec_get_info(s->recording.rec)->harts;
	if (!s->one_hart)
		return HS_OK;
	const enum hs_status status = all_harts(s, &harts, &count, error);

	return status == HS_OK ? choose_hart(s, s->hart, harts, count, error) : status;
}

enum hs_status source_open_recording(struct hs_source *s, const struct hs_source_options *o,
                                     struct hs_error *error)
{
	s->ops = &source_recording_ops;
	s->recording.versions = o->versions;
	s->recording.timed = o->clock != NULL;
	if (o->clock && base_take_config(&s->recording.clock, sizeof(s->recording.clock),
	                                 o->clock) != HS_OK)
		return hs_error_set(error, HS_E_CONFIG, "hs_clock_config: unknown members are set");
	struct hs_rec **r = &s->recording.rec;
	enum hs_status status = o->files ? hs_rec_open_memory(o->files, o->file_count, r, error)
	                                 : hs_rec_open(o->path, r, error);

	if (status != HS_OK)
		return status;
	struct hs_rec *rec = s->recording.rec;

	if (strcmp(hs_rec_get_info(rec)->kind, "code") == 0)
		return hs_error_set(
			error, HS_E_FORMAT,
			"%s: has the code of a trace, and no run: read the trace (its name without "
			".code.rec)",
			o->path);
	if (hs_rec_is_own(rec))
		hs_program_trust_sources(s->code.program);
	status = set_harts(s, error);
	if (status == HS_OK && !o->no_code)
		status = source_add_code(&s->code, o, rec, error);
	if (status == HS_OK && hs_rec_image(rec)->count)
		status = hs_program_add_image(s->code.program, hs_rec_image(rec), error);
	if (status == HS_OK && o->names)
		source_add_names(&s->code, rec);
	if (status == HS_OK && !o->no_code)
		status = source_add_processes(&s->code, o, NULL, rec, error);
	if (o->versions)
		source_set_versions(&s->code, code_of, rec);
	return status;
}
