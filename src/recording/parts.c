/* Streams of flows that may have parts (part_files.c): a stream continues in each of them. */
#include "recording/recording.h"
#include "recording/stream.h"

/* Open the stream of this hart in a part, if it has one. */
static enum hs_status open_part(struct hs_rec_stream *s, uint32_t number, struct hs_error *e)
{
	char name[REC_PART_NAME];
	enum hs_status status;

	rec_part_name(name, number);
	status = rec_open_at(s->rec->folder.dir, name, &s->part.rec, e);
	if (status == HS_OK && (s->part.rec->part_count != 0 || !s->part.rec->is_flow))
		return hs_error_set(e, HS_E_FORMAT, "%s: not the part of a flow", name);
	for (uint32_t i = 0; status == HS_OK && i < s->part.rec->info.harts; i++)
		if (s->part.rec->harts[i] == s->hart)
			return hs_rec_stream_open(s->part.rec, i, &s->part.stream, e);
	return status;
}

static void close_part(struct hs_rec_stream *s)
{
	rec_stream_close(s->part.stream);
	rec_close(s->part.rec);
	s->part.stream = NULL;
	s->part.rec = NULL;
}

/* What comes after the stream's own words. */
static enum hs_status next_of_parts(struct hs_rec_stream *s, struct hs_block *out, size_t cap,
                                    size_t *n, struct hs_error *e)
{
	enum hs_status status = HS_END;

	*n = 0;
	for (;;) {
		if (s->part.stream != NULL)
			status = rec_stream_next(s->part.stream, out, cap, n, e);
		if (status != HS_END || s->part.begun == s->rec->part_count)
			return status;
		close_part(s);
		status = open_part(s, ++s->part.begun, e);
		if (status != HS_OK) {
			s->part.begun = s->rec->part_count;
			return status;
		}
		status = HS_END;
	}
}

enum hs_status hs_rec_stream_next(struct hs_rec_stream *s, struct hs_block *out, size_t cap,
                                  size_t *n, struct hs_error *error)
{
	const enum hs_status status = rec_stream_next(s, out, cap, n, error);

	return status == HS_END && s->rec->part_count != 0 ? next_of_parts(s, out, cap, n, error)
	                                                   : status;
}

void hs_rec_stream_close(struct hs_rec_stream *s)
{
	if (s == NULL)
		return;
	close_part(s);
	rec_stream_close(s);
}
