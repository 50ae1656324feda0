/* Recordings that are read while they are made (live.h). */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>

#include "recording/live.h"
#include "recording/recording.h"

enum hs_status rec_live_open(rec_live_fn log, void *of, struct hs_rec **rec)
{
	struct hs_rec *r = calloc(1, sizeof(*r));
	void *runs =
		mmap(NULL, (size_t)REC_LIVE_RUNS * sizeof(struct rec_run), PROT_READ | PROT_WRITE,
	             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (r != NULL)
		r->live = calloc(1, sizeof(*r->live));
	if (r == NULL || r->live == NULL || runs == MAP_FAILED) {
		if (runs != MAP_FAILED)
			munmap(runs, (size_t)REC_LIVE_RUNS * sizeof(struct rec_run));
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

/* Give the stream what only one that is fed has. */
static enum hs_status start_stream(struct hs_rec_stream *s)
{
	s->words = malloc(4u * REC_STREAM_WORDS);
	s->signals.resume = NULL;
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
	rec_stream_close(s);
}

/* With its streams, where it is not whole. */
void hs_rec_close(struct hs_rec *rec)
{
	if (rec != NULL && rec->live != NULL) {
		while (rec->live->streams != NULL)
			rec_live_close_stream(rec->live->streams);
		munmap(rec->runs.runs, (size_t)REC_LIVE_RUNS * sizeof(struct rec_run));
		rec->runs.runs = NULL;
		free(rec->live);
	}
	rec_close(rec);
}

enum hs_status rec_live_feed(struct hs_rec_stream *s, const uint32_t *words, size_t n)
{
	return rec_feed_add(&s->feed, words, 4 * n);
}

/* Handlers in handlers return first: the list stays sorted by signal. */
enum hs_status rec_live_resume(struct hs_rec_stream *s, const struct hs_rec_log_resume *r)
{
	const uint32_t left = s->signals.resumes - s->signals.at;
	struct hs_rec_log_resume *list = calloc(left + 1u, sizeof(*list));
	uint32_t at = 0;

	if (list == NULL)
		return HS_E_MEMORY;
	for (; at < left && s->signals.resume[s->signals.at + at].signal < r->signal; at++)
		list[at] = s->signals.resume[s->signals.at + at];
	list[at] = *r;
	for (; at < left; at++)
		list[at + 1] = s->signals.resume[s->signals.at + at];
	free(s->signals.resume);
	s->signals.resume = list;
	s->signals.resumes = left + 1;
	s->signals.at = 0;
	return HS_OK;
}

void rec_live_end(struct hs_rec_stream *s)
{
	s->feed.ended = true;
}
