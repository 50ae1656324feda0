/* Sources: the streams of a recording. */
#include <stdlib.h>

#include "recording/recording.h"
#include "source/private.h"

#define PLACE_BLOCKS (UINT64_C(1) << 22) /* of a recording, between two places */

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

bool source_recording_has_place(const struct hs_source *s)
{
	return s->recording.stream && hs_rec_stream_has_place(s->recording.stream);
}

void source_find_places(const struct hs_source *s, struct hs_rec_stream *stream)
{
	if (s->marks && !s->recording.timed)
		hs_rec_stream_find_places(stream, PLACE_BLOCKS);
}

/* ---- harts ---------------------------------------------------------------------- */

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
enum hs_status source_all_harts(struct hs_source *s, const uint32_t **harts, uint32_t *count,
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

/* Limit a source to one hart.  Streams have no gaps in their numbers; harts have the recorder's. */
enum hs_status source_choose_hart(struct hs_source *s, uint32_t hart, const uint32_t *harts,
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
