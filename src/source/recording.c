/* Sources: recordings and flows, one hart after the other. */
#include <stdlib.h>
#include <string.h>

#include "core/config.h"
#include "recording/recording.h"
#include "source/private.h"
#include "source/source.h"

/* ---- reading ------------------------------------------------------------------ */

bool source_count_blocks(struct hs_source *s, hs_memo_count_fn *take, void *to)
{
	if (s->kind != SOURCE_RECORDING)
		return source_count_paths(s, take, to);
	if (s->selection || s->range || s->one_hart || s->marks || s->recording.timed)
		return false;
	s->recording.take = take;
	s->recording.take_to = to;
	return true;
}

void source_stop_counting(struct hs_source *s)
{
	if (s->recording.take && s->recording.stream)
		source_close_stream(&s->recording);
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
	source_close_stream(r);
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
	const enum hs_status status = source_all_harts(s, &harts, &count, error);

	return status == HS_OK ? source_choose_hart(s, s->hart, harts, count, error) : status;
}

/* The programs of its contexts.  Where no code is looked for they count as the recording's own, as
 * far as their files are there. */
static enum hs_status add_processes(struct hs_source *s, const struct hs_source_options *o,
                                    const struct hs_rec *rec, struct hs_error *error)
{
	if (!o->no_code)
		return source_add_processes(&s->code, o, NULL, rec, error);
	if (hs_rec_get_info(rec)->process_count)
		(void)source_add_processes(&s->code, o, NULL, rec, NULL);
	return HS_OK;
}

enum hs_status source_open_recording(struct hs_source *s, const struct hs_source_options *o,
                                     struct hs_error *error)
{
	s->ops = &source_recording_ops;
	s->kind = SOURCE_RECORDING;
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
	if (status == HS_OK)
		status = add_processes(s, o, rec, error);
	if (o->versions)
		source_set_versions(&s->code, code_of, rec);
	return status;
}
