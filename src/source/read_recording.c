/* Sources: the items of a recording, one hart after the other, or by time. */
#include "recording/recording.h"
#include "source/private.h"

static void count_bytes(struct source_recording *r)
{
	r->bytes = r->bytes_before + (r->stream ? hs_rec_stream_bytes(r->stream) : 0);
}

void source_close_stream(struct source_recording *r)
{
	count_bytes(r);
	r->bytes_before = r->bytes;
	hs_rec_stream_close(r->stream);
	r->stream = NULL;
}

static enum hs_status open_stream(struct hs_source *s, struct hs_block *out, size_t *n,
                                  struct hs_error *error)
{
	struct source_recording *r = &s->recording;

	if (r->next_stream >= r->end_stream)
		return HS_END;
	const enum hs_status status = source_open_stream(r, r->next_stream++, &r->stream, error);

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
	source_close_stream(&s->recording);
	return status == HS_END ? HS_OK : status;
}
