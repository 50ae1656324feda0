/* Sources: recordings and flows, one hart after the other. */
#include <string.h>

#include "source/private.h"

static enum hs_status open_stream(struct hs_source *s, struct hs_block *out, size_t *n,
                                  struct hs_error *error)
{
	const uint32_t harts = hs_rec_get_info(s->rec)->harts;

	if (s->next_stream >= harts)
		return HS_END;
	const enum hs_status status = hs_rec_stream_open(s->rec, s->next_stream++, &s->stream, error);

	if (status != HS_OK)
		return status;
	const uint32_t hart = hs_rec_stream_hart(s->stream);

	if (s->hart != HS_ALL_HARTS && s->hart != hart) {
		hs_rec_stream_close(s->stream);
		s->stream = NULL;
		return HS_OK;
	}
	if (harts > 1)
		out[(*n)++] = (struct hs_block){ .kind = HS_KIND_HART, .arg = hart };
	s->other_hart = false;
	return HS_OK;
}

static enum hs_status next(struct hs_source *s, struct hs_block *out, size_t cap, size_t *n,
                           struct hs_error *error)
{
	if (!s->stream)
		return open_stream(s, out, n, error);
	const enum hs_status status = hs_rec_stream_next(s->stream, out, cap, n, error);

	if (status == HS_OK)
		return HS_OK;
	hs_rec_stream_close(s->stream);
	s->stream = NULL;
	return status == HS_END ? HS_OK : status;
}

static enum hs_status start_again(struct hs_source *s, struct hs_error *error)
{
	(void)error;
	hs_rec_stream_close(s->stream);
	s->stream = NULL;
	s->next_stream = 0;
	return HS_OK;
}

static void close_recording(struct hs_source *s)
{
	hs_rec_stream_close(s->stream);
}

static const struct source_ops ops = { next, start_again, close_recording };

/* Streams are numbered without holes; harts are as the recorder numbered them. */
static enum hs_status check_hart(struct hs_source *s, struct hs_error *error)
{
	const uint32_t harts = hs_rec_get_info(s->rec)->harts;
	bool found = s->hart == HS_ALL_HARTS;

	for (uint32_t i = 0; i < harts && !found; i++) {
		struct hs_rec_stream *stream;

		if (hs_rec_stream_open(s->rec, i, &stream, NULL) != HS_OK)
			continue;
		found = s->hart == hs_rec_stream_hart(stream);
		hs_rec_stream_close(stream);
	}
	return found ? HS_OK
	             : hs_error_set(error, HS_E_ARG, "no hart %lld: the recording has %u",
	                            (long long)s->hart, harts);
}

enum hs_status source_open_recording(struct hs_source *s, const struct hs_source_options *o,
                                     struct hs_error *error)
{
	enum hs_status status = hs_rec_open(o->path, &s->rec, error);

	if (status != HS_OK)
		return status;
	s->ops = &ops;
	status = check_hart(s, error);
	if (status == HS_OK)
		status = source_add_code(s, o, error);
	if (status == HS_OK && hs_rec_image(s->rec)->count)
		status = hs_program_add_image(s->program, hs_rec_image(s->rec), error);
	if (status == HS_OK && o->names)
		source_add_names(s, s->rec);
	return status == HS_OK ? source_add_processes(s, o, error) : status;
}
