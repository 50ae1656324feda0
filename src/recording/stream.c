/* Reading a stream: words in pieces, and the conversion of the common case (stream.h). */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "recording/live.h"
#include "recording/recall.h"
#include "recording/recording.h"
#include "recording/stream.h"

static int by_signal(const void *a, const void *b)
{
	const struct hs_rec_log_resume *x = a, *y = b;

	return (x->signal > y->signal) - (x->signal < y->signal);
}

/* The resume records of this hart, copied to @to unless that is NULL; how many there are. */
static uint32_t copy_resumes(const struct hs_rec_stream *s, struct hs_rec_log_resume *to)
{
	const struct hs_rec_log_head *head;
	uint32_t n = 0;

	for (size_t at = 0; rec_log_next(&s->rec->log, &at, &head);) {
		const struct hs_rec_log_resume *r = (const void *)(head + 1);

		if (head->type != HS_REC_LOG_RESUME || r->hart != s->hart)
			continue;
		if (to != NULL)
			to[n] = *r;
		n++;
	}
	return n;
}

static enum hs_status read_resumes(struct hs_rec_stream *s)
{
	const uint32_t n = copy_resumes(s, NULL);

	s->signals.resume = calloc(n + 1u, sizeof(*s->signals.resume));
	if (s->signals.resume == NULL)
		return HS_E_MEMORY;
	s->signals.resumes = copy_resumes(s, s->signals.resume);
	qsort(s->signals.resume, s->signals.resumes, sizeof(*s->signals.resume), by_signal);
	return HS_OK;
}

/* The file's digest, if manifest.json has it, is compared when the stream ends. */
static enum hs_status open_file(struct hs_rec_stream *s, const char *name, struct hs_error *e)
{
	const enum hs_status status = rec_in_open(&s->in, &s->rec->folder, name, e);
	struct support_digest digest;

	if (status == HS_OK && s->whole && support_digest_read(s->rec->listed[s->index], &digest))
		rec_in_expect(&s->in, &digest);
	return status;
}

enum hs_status hs_rec_stream_open(struct hs_rec *rec, uint32_t index, struct hs_rec_stream **stream,
                                  struct hs_error *error)
{
	struct hs_rec_stream *s;
	enum hs_status status;
	char name[REC_NAME_SIZE], wrong[REC_WRONG_SIZE];
	bool unread = false;

	if (index >= rec->info.harts)
		return hs_error_set(error, HS_E_ARG, "the recording has %" PRIu32 " streams",
		                    rec->info.harts);
	s = calloc(1, sizeof(*s));
	if (s == NULL)
		return hs_error_set(error, HS_E_MEMORY, "out of memory");
	s->rec = rec;
	s->hart = rec->harts[index];
	s->index = index;
	s->words = malloc(4u * REC_STREAM_WORDS);
	rec_hart_name(name, s->hart);
	s->whole = rec->whole && !rec_stream_is_wrong(rec, index, wrong, &unread);
	if (unread) {
		status = hs_error_set(error, HS_E_SYSTEM, "%s: cannot be read", name);
	} else if (!rec->info.complete && rec_file_size(&rec->folder, name) < 0) {
		s->end = HS_E_CUT; /* the manifest lists it, but it is not there */
		status = HS_OK;
	} else {
		status = open_file(s, name, error);
	}
	if (status == HS_OK && (s->words == NULL || read_resumes(s) != HS_OK ||
	                        (!rec->is_flow && rec_unpack_open(&s->unpack, rec->runs.count,
	                                                          rec_stream_is_wide(s)) != HS_OK)))
		status = hs_error_set(error, HS_E_MEMORY, "out of memory");
	if (status != HS_OK) {
		rec_stream_close(s);
		return status;
	}
	*stream = s;
	return HS_OK;
}

void rec_stream_close(struct hs_rec_stream *s)
{
	if (s == NULL)
		return;
	rec_words_free(s); /* first of all: a thread may read */
	rec_counted_free(s);
	rec_recall_free(s);
	rec_in_close(&s->in);
	rec_unpack_close(&s->unpack);
	rec_versions_free(s->changes.versions);
	rec_stream_moves_free(s);
	free(s->signals.resume);
	free(s->feed.bytes);
	free(s);
}

enum hs_status hs_rec_stream_follow_versions(struct hs_rec_stream *s)
{
	s->changes.wanted = true;
	return s->changes.versions != NULL ? HS_OK : rec_versions_new(s->rec, &s->changes.versions);
}

uint64_t hs_rec_stream_bytes(const struct hs_rec_stream *stream)
{
	return stream->in.feed == NULL ? rec_in_offset(&stream->in) : 0;
}

uint32_t hs_rec_stream_hart(const struct hs_rec_stream *stream)
{
	return stream->hart;
}

/* Up to where the words are no runs that have to be compared.  It may be too early: a word of an
 * event can look like a run. */
static size_t find_stop(struct hs_rec_stream *s)
{
	const uint32_t count = s->rec->runs.count;

	if (s->changes.versions == NULL)
		return s->count;
	if (s->changes.looked && s->changes.stop >= s->at)
		return s->changes.stop;
	s->changes.stop = s->at;
	while (s->changes.stop < s->count &&
	       !(s->words[s->changes.stop] < count &&
	         rec_versions_pending(s->changes.versions, s->words[s->changes.stop])))
		s->changes.stop++;
	s->changes.looked = true;
	return s->changes.stop;
}

/* The hot loop: runs that follow each other as their last instructions say.  @now: where they are,
 * if they move. */
static inline size_t convert(struct hs_rec_stream *s, const struct rec_run *const *now, size_t stop,
                             struct hs_block *out, size_t cap)
{
	const struct rec_run *const runs = s->rec->runs.runs;
	const uint32_t count = s->rec->runs.count;
	const uint32_t *w = s->words + s->at, *const end = s->words + stop;
	const struct rec_run *p = s->open.prev;
	uint64_t joined = s->open.joined;
	struct hs_block *o = out, *const o_end = out + cap;

	for (; w < end && o < o_end && *w < count; w++) {
		const struct rec_run *const c = now == NULL ? &runs[*w] : now[*w];

		if (now != NULL && c == NULL)
			break;
		const bool falls = rec_run_falls_to(p, c->block.iaddr);

		if (__builtin_expect(rec_run_stops(p, c, falls), 0))
			break;
		if (__builtin_expect(p->block.itype == HS_ITYPE_NONE, 0)) {
			joined += p->block.iretire;
			s->open.joined_ilast = p->block.ilast;
		} else {
			*o = p->block;
			o->iaddr -= 2 * joined;
			o->iretire += (uint32_t)joined;
			o->itype += (uint8_t)(falls ? 0u : rec_run_is_branch(p));
			o++;
			joined = 0;
		}
		p = c;
	}
	s->open.prev = p;
	s->open.joined = (uint32_t)joined;
	s->at = (size_t)(w - s->words);
	return (size_t)(o - out);
}

/* Not inlined, so that it has all registers. */
__attribute__((noinline))
static size_t convert_runs(struct hs_rec_stream *s, size_t stop, struct hs_block *out, size_t cap)
{
	return convert(s, NULL, stop, out, cap);
}

__attribute__((noinline))
static size_t convert_moved(struct hs_rec_stream *s, size_t stop, struct hs_block *out, size_t cap)
{
	return convert(s, s->moves->now, stop, out, cap);
}

/* The same for flows: a word is a block. */
static size_t copy_blocks(struct hs_rec_stream *s, struct hs_block *out, size_t cap)
{
	const struct rec_run *const runs = s->rec->runs.runs;
	const uint32_t count = s->rec->runs.count;
	const uint32_t *w = s->words + s->at, *const end = s->words + s->count;
	struct hs_block *o = out, *const o_end = out + cap;

	for (; w < end && o < o_end && *w < count; w++)
		*o++ = runs[*w].block;
	s->at = (size_t)(w - s->words);
	return (size_t)(o - out);
}

/* Code that is not what was there last: an event before the run's block. */
static enum hs_status compare_run(struct hs_rec_stream *s, uint32_t number)
{
	uint64_t by;
	const uint32_t place = rec_stream_place(s, number, &by);
	const struct hs_block event = { .value = s->rec->runs.runs[number].block.iaddr + by,
	                                .arg = place, .kind = HS_KIND_VERSION,
	                                .priv = HS_PRIV_UNKNOWN };

	s->changes.looked = false;
	if (!rec_versions_enter(s->changes.versions, number, by))
		return HS_OK;
	if (s->queue.event_count == STREAM_EVENTS)
		return HS_E_FORMAT;
	s->queue.events[s->queue.event_count++] = event;
	return HS_OK;
}

/* Read one word at which the hot loop stopped. */
static enum hs_status read_word(struct hs_rec_stream *s)
{
	const uint32_t word = s->words[s->at];

	if (word >= HS_REC_WORD_ESCAPE)
		return rec_stream_escape(s);
	if (word >= s->rec->runs.count &&
	    (rec_live_update(s->rec) != HS_OK || word >= s->rec->runs.count))
		return s->whole ? HS_E_FORMAT : HS_E_CUT;
	if (!s->rec->is_flow) {
		if (s->changes.versions != NULL &&
		    rec_versions_pending(s->changes.versions, word) &&
		    compare_run(s, word) != HS_OK)
			return HS_E_FORMAT;
		const struct rec_run *run = rec_stream_run(s, word);

		if (run == NULL)
			return HS_E_MEMORY;
		s->starved = rec_stream_waits(s, run);
		if (s->starved)
			return HS_OK;
		rec_stream_follow(s, run);
		s->anew.begun = true;
		s->at++;
	}
	return HS_OK;
}

static void end_stream(struct hs_rec_stream *s, enum hs_status why)
{
	if (why == HS_END && (s->count != s->at || !s->whole))
		why = HS_E_CUT;
	s->at = s->count;
	s->end = why;
	rec_stream_finish(s);
}

static void give_counted(struct hs_rec_stream *s)
{
	if (s->counted == NULL)
		return;
	rec_recall_give(s);
	rec_counted_flush(s);
}

/* These items are to be written: what belongs to before is given. */
static void count_before(struct hs_rec_stream *s, const struct hs_block *items, size_t n)
{
	bool divides = false;

	for (size_t i = 0; s->counted != NULL && i < n && !divides; i++)
		divides = hs_event_divides(&items[i]);
	if (!divides)
		return;
	give_counted(s);
	rec_counted_hold(s);
}

static size_t send_queue(struct hs_rec_stream *s, struct hs_block *out, size_t cap)
{
	const size_t left = s->queue.n - s->queue.sent, n = left < cap ? left : cap;

	count_before(s, s->queue.items + s->queue.sent, n);
	memcpy(out, s->queue.items + s->queue.sent, n * sizeof(*out));
	s->queue.sent += (uint32_t)n;
	if (s->queue.sent == s->queue.n)
		s->queue.sent = s->queue.n = 0;
	return n;
}

static void read_next(struct hs_rec_stream *s)
{
	enum hs_status status = HS_MORE;

	if (s->at < s->count)
		status = read_word(s);
	if (status == HS_MORE)
		status = rec_words_refill(s);
	if (status == HS_MORE)
		s->starved = true;
	else if (status != HS_OK)
		end_stream(s, status);
}

static void say_end(const struct hs_rec_stream *s, struct hs_error *error)
{
	char wrong[REC_WRONG_SIZE] = "";
	bool unread;

	if (s->in.other)
		snprintf(wrong, sizeof(wrong),
		         ": hart-%" PRIu32 ".zst has another checksum than manifest.json says",
		         s->hart);
	else if (s->rec->live == NULL)
		rec_stream_is_wrong(s->rec, s->index, wrong, &unread);
	if (*wrong == 0 && s->rec->info.end == s->rec->wrong) /* "cut: ..." */
		snprintf(wrong, sizeof(wrong), "%s", s->rec->wrong + 3);
	hs_error_set(error, s->end, "hart %" PRIu32 ": %s%s", s->hart, hs_status_text(s->end),
	             wrong);
}

/* Stop at a place, once, after @got items of this call. */
static bool stops(struct hs_rec_stream *s, size_t got)
{
	const bool was = s->places.stopped;

	s->places.given += got;
	s->places.stopped = !was && s->at == s->count && rec_stream_is_at_place(s);
	s->places.given -= got;
	if (s->places.stopped)
		s->places.last = s->places.given + got;
	return s->places.stopped;
}

static size_t copy_words(struct hs_rec_stream *s, struct hs_block *out, size_t cap)
{
	if (!rec_counted_now(s))
		return copy_blocks(s, out, cap);
	rec_count_blocks(s);
	return 0;
}

static size_t convert_words(struct hs_rec_stream *s, struct hs_block *out, size_t cap)
{
	const size_t stop = find_stop(s);

	if (s->moves != NULL)
		return convert_moved(s, stop, out, cap);
	return rec_counted_now(s) ? rec_count_runs(s, stop, out, cap)
	                          : convert_runs(s, stop, out, cap);
}

/* Were all words counted that were read?  Then the call ends, once it has read some. */
static bool is_counted(const struct hs_rec_stream *s, unsigned *refills)
{
	return rec_counted_now(s) && s->at == s->count && ++*refills > 1;
}

enum hs_status rec_stream_next(struct hs_rec_stream *s, struct hs_block *out, size_t cap, size_t *n,
                               struct hs_error *error)
{
	unsigned words = 0;
	size_t got = 0;

	s->starved = false;
	rec_counted_begin_call(s);
	while (got < cap && !s->starved) {
		if (s->queue.n > 0)
			got += send_queue(s, out + got, cap - got);
		else if (s->end != HS_OK)
			break;
		else if (s->rec->is_flow && s->at < s->count &&
		         s->words[s->at] < s->rec->runs.count)
			got += copy_words(s, out + got, cap - got);
		else if (s->open.prev != NULL && !s->open.pair && s->queue.event_count == 0 &&
		         s->at < s->count)
			got += convert_words(s, out + got, cap - got);
		if (rec_recall_can(s)) {
			if (cap - got >= REC_RECALL_ROOM)
				got += rec_recall_blocks(s, out + got, cap - got);
			if (got > 0 && rec_recall_can(s)) /* with more room they can be recalled */
				break;
		}
		if (got < cap && s->queue.n == 0 && s->end == HS_OK &&
		    (stops(s, got) || is_counted(s, &words)))
			break;
		if (got < cap && s->queue.n == 0 && s->end == HS_OK)
			read_next(s);
	}
	if (s->end != HS_OK && s->queue.n == 0)
		give_counted(s);
	*n = got;
	s->places.given += got;
	if (got == 0 && s->starved)
		return HS_MORE;
	if (s->end == HS_OK || (s->end == HS_END && got > 0) || s->queue.n > 0)
		return HS_OK;
	if (s->end != HS_END)
		say_end(s, error);
	return s->end;
}
