/* Recordings that are read while they are made (live.h): what their log has by now. */
#include "recording/live.h"

/* Streams have what depends on the number of runs, and on where the snapshot has them. */
static enum hs_status update_streams(struct hs_rec *rec, uint32_t runs,
                                     const struct rec_image *before)
{
	enum hs_status status = HS_OK;

	for (struct hs_rec_stream *s = rec->live->streams; s != NULL && status == HS_OK;
	     s = s->next) {
		status = rec_stream_moves_grow(s, runs);
		if (status == HS_OK && s->changes.wanted)
			status = rec_versions_renew(&s->changes.versions, rec, before);
		s->changes.looked = false;
	}
	return status;
}

/* Build what the log has now. */
static enum hs_status rebuild(struct hs_rec *rec)
{
	const uint32_t runs = rec->runs.count;
	const struct rec_image before = rec->image;
	enum hs_status status = rec->log.run_count > REC_LIVE_RUNS ? HS_E_SPACE : HS_OK;

	if (status == HS_OK)
		status = rec_runs_add(&rec->runs, &rec->log);
	rec_moves_free(&rec->moves);
	if (status == HS_OK)
		status = rec_moves_build(&rec->moves, &rec->log);
	rec->image = (struct rec_image){ 0 };
	if (status == HS_OK)
		status = rec_image_build(&rec->image, &rec->log, &rec->moves);
	if (status == HS_OK)
		status = update_streams(rec, runs, &before);
	rec_image_free(
		&(struct rec_image){ before.image, before.sections, before.bytes, before.size });
	return status;
}

enum hs_status rec_live_update(struct hs_rec *rec)
{
	const size_t size = rec->log.parsed;
	enum hs_status status;

	if (rec->live == NULL)
		return HS_E_ARG;
	status = rec->live->log(rec->live->of, &rec->log);
	if (status == HS_OK && !rec->log.started)
		status = HS_E_FORMAT;
	rec->info.xlen = (uint8_t)rec->log.start.xlen;
	return status == HS_OK && rec->log.parsed != size ? rebuild(rec) : status;
}
