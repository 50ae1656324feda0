/* Recordings that are read while they are made (live.h). */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "recording/live.h"
#include "recording/recording.h"

#define RUNS (UINT32_C(1) << 26) /* a mapping that never moves: streams point to runs */
#define WORDS (REC_FRAME_BYTES / 4)

struct rec_live {
	rec_live_fn log;
	void *of;
	struct hs_rec_stream *streams;
};

enum hs_status rec_live_open(rec_live_fn log, void *of, struct hs_rec **rec)
{
	struct hs_rec *r = calloc(1, sizeof(*r));
	void *runs = mmap(NULL, (size_t)RUNS * sizeof(struct rec_run), PROT_READ | PROT_WRITE,
	                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (r != NULL)
		r->live = calloc(1, sizeof(*r->live));
	if (r == NULL || r->live == NULL || runs == MAP_FAILED) {
		if (runs != MAP_FAILED)
			munmap(runs, (size_t)RUNS * sizeof(struct rec_run));
		if (r != NULL)
			free(r->live);
		free(r);
		return HS_E_MEMORY;
	}
	*r->live = (struct rec_live){ .log = log, .of = of };
	r->runs.runs = runs;
	r->folder.dir = -1;
	r->whole = true;
	r->info = (struct hs_rec_info){
		.kind = "recording", .program = "", .end = "", .instructions = UINT64_MAX
	};
	*rec = r;
	return rec_live_update(r);
}

void rec_live_free(struct hs_rec *rec)
{
	if (rec->live == NULL)
		return;
	while (rec->live->streams != NULL)
		rec_live_close_stream(rec->live->streams);
	munmap(rec->runs.runs, (size_t)RUNS * sizeof(struct rec_run));
	rec->runs.runs = NULL;
	free(rec->live);
	rec->live = NULL;
}

/* Streams have what depends on the number of runs, and on where the snapshot has them. */
static enum hs_status update_streams(struct hs_rec *rec, uint32_t runs,
                                     const struct rec_image *before)
{
	enum hs_status status = HS_OK;

	for (struct hs_rec_stream *s = rec->live->streams; s != NULL && status == HS_OK;
	     s = s->next) {
		status = rec_stream_moves_grow(s, runs);
		if (status == HS_OK && s->follows)
			status = rec_versions_renew(&s->versions, rec, before);
		s->looked = false;
	}
	return status;
}

/* Build what the log has now. */
static enum hs_status rebuild(struct hs_rec *rec)
{
	const uint32_t runs = rec->runs.count;
	const struct rec_image before = rec->image;
	enum hs_status status = rec->log.run_count > RUNS ? HS_E_SPACE : HS_OK;

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

/* Give the stream what only one that is fed has. */
static enum hs_status start_stream(struct hs_rec_stream *s)
{
	s->words = malloc(4u * WORDS);
	s->resume = NULL;
	s->in.feed = &s->feed;
	s->whole = true;
	if (s->words == NULL ||
	    rec_unpack_open(&s->unpack, HS_REC_PACKED_RUNS, rec_stream_is_wide(s)) != HS_OK)
		return HS_E_MEMORY;
	return hs_rec_stream_follow_versions(s);
}

enum hs_status rec_live_stream(struct hs_rec *rec, uint32_t hart, struct hs_rec_stream **stream)
{
	struct hs_rec_stream *s = calloc(1, sizeof(*s));
	enum hs_status status;

	if (s == NULL)
		return HS_E_MEMORY;
	s->rec = rec;
	s->hart = hart;
	s->next = rec->live->streams;
	rec->live->streams = s;
	status = start_stream(s);
	if (status == HS_OK)
		*stream = s;
	else
		rec_live_close_stream(s);
	return status;
}

void rec_live_close_stream(struct hs_rec_stream *s)
{
	struct hs_rec_stream **at = &s->rec->live->streams;

	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
	hs_rec_stream_close(s);
}

enum hs_status rec_live_feed(struct hs_rec_stream *s, const uint32_t *words, size_t n)
{
	return rec_feed_add(&s->feed, words, 4 * n);
}

/* Handlers in handlers return first: the list stays sorted by signal. */
enum hs_status rec_live_resume(struct hs_rec_stream *s, const struct hs_rec_log_resume *r)
{
	const uint32_t left = s->resumes - s->resume_at;
	struct hs_rec_log_resume *list = calloc(left + 1u, sizeof(*list));
	uint32_t at = 0;

	if (list == NULL)
		return HS_E_MEMORY;
	for (; at < left && s->resume[s->resume_at + at].signal < r->signal; at++)
		list[at] = s->resume[s->resume_at + at];
	list[at] = *r;
	for (; at < left; at++)
		list[at + 1] = s->resume[s->resume_at + at];
	free(s->resume);
	s->resume = list;
	s->resumes = left + 1;
	s->resume_at = 0;
	return HS_OK;
}

void rec_live_end(struct hs_rec_stream *s)
{
	s->feed.ended = true;
}
