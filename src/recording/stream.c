/* From the words of a recording to canonical blocks.
 *
 * A run's outcome (taken or not, interrupted or not) shows in the address of the run
 * that follows, so that the stream is always one run behind: @prev has been read and
 * not yet been written.  Runs that QEMU split without a reason of the program (at the
 * end of a page, at its own limits) are joined: @joined half-words before @prev belong
 * to its block.  Events wait in @events until the block before them is complete.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <hartscope/isa.h>

#include "recording/private.h"

#define WORDS (REC_FRAME_BYTES / 4)
#define QUEUE 8u         /* blocks that one word can make, events aside */
#define EVENTS_LIMIT 4096u

struct hs_rec_stream {
	struct hs_rec *rec;
	struct rec_in in;
	uint32_t hart;
	uint32_t *words;
	size_t count, at; /* words read, words used */
	const struct rec_run *prev;
	uint32_t joined;      /* half-words of the block before @prev */
	uint8_t joined_ilast; /* of the last of them, when there are any */
	bool signal;          /* a signal handler starts with the next run */
	uint32_t signals;     /* signal handlers started so far */
	uint32_t resume_at, resumes;
	struct hs_rec_log_resume *resume; /* of this hart, by signal */
	struct hs_block queue[EVENTS_LIMIT + QUEUE];
	uint32_t queued, sent;
	struct hs_block events[EVENTS_LIMIT];
	uint32_t event_count;
	enum hs_status end; /* HS_OK until the words end */
};

static int by_signal(const void *a, const void *b)
{
	const struct hs_rec_log_resume *x = a, *y = b;

	return (x->signal > y->signal) - (x->signal < y->signal);
}

static enum hs_status read_resumes(struct hs_rec_stream *s)
{
	const struct hs_rec_log_head *head;
	size_t n = 0;

	for (unsigned pass = 0; pass < 2; pass++) {
		for (size_t at = 0; (head = rec_log_next(&s->rec->log, &at)) != NULL;) {
			const struct hs_rec_log_resume *r = (const void *)(head + 1);

			if (head->type != HS_REC_LOG_RESUME || r->hart != s->hart)
				continue;
			if (pass == 0)
				n++;
			else
				s->resume[s->resumes++] = *r;
		}
		if (pass == 0)
			s->resume = calloc(n + 1, sizeof(*s->resume));
		if (s->resume == NULL)
			return HS_E_MEMORY;
	}
	qsort(s->resume, s->resumes, sizeof(*s->resume), by_signal);
	return HS_OK;
}

enum hs_status hs_rec_stream_open(struct hs_rec *rec, uint32_t index, struct hs_rec_stream **stream,
                                  struct hs_error *error)
{
	struct hs_rec_stream *s;
	enum hs_status status;
	char name[32];

	if (index >= rec->info.harts)
		return hs_error_set(error, HS_E_ARG, "the recording has %" PRIu32 " streams",
		                    rec->info.harts);
	s = calloc(1, sizeof(*s));
	if (s == NULL)
		return hs_error_set(error, HS_E_MEMORY, "out of memory");
	s->rec = rec;
	s->hart = rec->harts[index];
	s->words = malloc(4u * WORDS);
	snprintf(name, sizeof(name), "hart-%" PRIu32 ".zst", s->hart);
	status = rec_in_open(&s->in, rec->dir, name, error);
	if (status == HS_OK && (s->words == NULL || read_resumes(s) != HS_OK))
		status = hs_error_set(error, HS_E_MEMORY, "out of memory");
	if (status != HS_OK) {
		hs_rec_stream_close(s);
		return status;
	}
	*stream = s;
	return HS_OK;
}

void hs_rec_stream_close(struct hs_rec_stream *s)
{
	if (s == NULL)
		return;
	rec_in_close(&s->in);
	free(s->words);
	free(s->resume);
	free(s);
}

uint32_t hs_rec_stream_hart(const struct hs_rec_stream *stream)
{
	return stream->hart;
}

/* The block of @p with what was joined to it. */
static inline struct hs_block block_of(const struct hs_rec_stream *s, const struct rec_run *p)
{
	struct hs_block b = p->block;

	b.iaddr -= 2u * (uint64_t)s->joined;
	b.iretire += s->joined;
	if (b.ilast == 0 && s->joined > 0)
		b.ilast = s->joined_ilast;
	return b;
}

static void put(struct hs_rec_stream *s, const struct hs_block *b)
{
	s->queue[s->queued++] = *b;
}

static void put_events(struct hs_rec_stream *s)
{
	memcpy(s->queue + s->queued, s->events, s->event_count * sizeof(*s->events));
	s->queued += s->event_count;
	s->event_count = 0;
}

/* Forget the block that is open. */
static void closed(struct hs_rec_stream *s)
{
	s->prev = NULL;
	s->joined = 0;
}

static uint32_t number_of(const struct hs_rec_stream *s, const struct rec_run *r)
{
	return (uint32_t)(r - s->rec->runs.runs);
}

/* End the open block after the first @hwords half-words of @prev. */
static void put_prefix(struct hs_rec_stream *s, uint32_t hwords, enum hs_itype itype)
{
	struct hs_block b = block_of(s, s->prev);
	uint8_t ilast;

	rec_log_prefix(&s->rec->log, number_of(s, s->prev), hwords, &ilast);
	b.iretire = s->joined + hwords;
	b.ilast = hwords > 0 ? ilast : s->joined > 0 ? s->joined_ilast : 0;
	b.itype = (uint8_t)itype;
	b.sijump = 0;
	if (b.iretire > 0 || itype != HS_ITYPE_NONE)
		put(s, &b);
	closed(s);
}

/* Where the signal that starts now came; false when its handler never returned. */
static bool interrupted_at(struct hs_rec_stream *s, uint64_t *to)
{
	while (s->resume_at < s->resumes && s->resume[s->resume_at].signal + 1u < s->signals)
		s->resume_at++;
	if (s->resume_at == s->resumes || s->resume[s->resume_at].signal + 1u != s->signals)
		return false;
	*to = s->resume[s->resume_at].to;
	return true;
}

/* @prev retired to its end and led to @to, where @trap came. */
static void put_then(struct hs_rec_stream *s, uint64_t to, const struct hs_block *trap)
{
	const struct rec_run *p = s->prev;
	struct hs_block b = block_of(s, p);

	if (to != p->fall)
		b.itype += p->target & 1u;
	put(s, &b);
	put(s, trap);
	closed(s);
}

static void put_interrupted(struct hs_rec_stream *s, uint64_t to)
{
	const struct hs_block trap = { .iaddr = to, .itype = HS_ITYPE_INTERRUPT,
	                               .priv = s->prev->block.priv };

	put_then(s, to, &trap);
}

/* An address follows @prev to which @prev cannot go: an interrupt came in between.  A branch
 * whose outcome nobody saw counts as not retired. */
static void put_impossible(struct hs_rec_stream *s)
{
	const struct rec_run *p = s->prev;
	const uint64_t target = p->target & ~1ull;
	uint64_t to = p->fall;

	if (p->block.itype == HS_ITYPE_NONE) {
		put_prefix(s, p->block.iretire, HS_ITYPE_INTERRUPT);
	} else if ((p->target & 1u) == 0 || target == p->fall ||
	           (interrupted_at(s, &to) && (to == p->fall || to == target))) {
		put_interrupted(s, to);
	} else {
		put_prefix(s, p->block.iretire - p->block.ilast, HS_ITYPE_INTERRUPT);
	}
}

/* The run @next follows with everything that is not the common case. */
static void follow(struct hs_rec_stream *s, const struct rec_run *next)
{
	const struct rec_run *p = s->prev;
	const uint64_t addr = next->block.iaddr;
	uint64_t to;

	if (p != NULL && addr != p->fall && addr != (p->target & ~1ull) && (p->fall & 1u) == 0) {
		put_impossible(s);
	} else if (p != NULL && p->block.itype == HS_ITYPE_NONE) {
		s->joined += p->block.iretire;
		s->joined_ilast = p->block.ilast;
	} else if (p != NULL && s->signal && hs_itype_uninferable(p->block.itype) &&
	           p->block.itype > HS_ITYPE_XRET && interrupted_at(s, &to)) {
		put_interrupted(s, to);
	} else if (p != NULL) {
		struct hs_block b = block_of(s, p);

		if (addr != p->fall)
			b.itype += p->target & 1u;
		put(s, &b);
		closed(s);
	}
	s->signal = false;
	put_events(s);
	s->prev = next;
}

/* The words end here: write what is certain of the open block. */
static void finish(struct hs_rec_stream *s)
{
	const struct rec_run *p = s->prev;

	if (p == NULL) {
		put_events(s);
		return;
	}
	if (p->block.itype == HS_ITYPE_NONE || (p->block.itype == HS_ITYPE_EXCEPTION) ||
	    ((p->fall & 1u) == 0 && (p->target & 1u) == 0)) {
		struct hs_block b = block_of(s, p);

		put(s, &b);
		closed(s);
	} else {
		put_prefix(s, p->block.iretire - p->block.ilast, HS_ITYPE_NONE);
	}
	put_events(s);
}

static enum hs_status take_event(struct hs_rec_stream *s, const uint32_t *words)
{
	struct hs_block_checker check = { 0 };
	struct hs_block e;

	hs_rec_block_unpack(words, &e);
	if (hs_block_check(&check, &e) != HS_OK)
		return HS_E_FORMAT;
	if (s->rec->closed) {
		put(s, &e);
		return HS_OK;
	}
	if (s->event_count == EVENTS_LIMIT || e.kind == HS_KIND_BLOCK)
		return HS_E_FORMAT;
	s->events[s->event_count++] = e;
	if (e.kind == HS_KIND_NOTE && e.arg == HS_NOTE_SIGNAL) {
		s->signal = true;
		s->signals++;
	}
	return HS_OK;
}

static enum hs_status take_partial(struct hs_rec_stream *s, uint32_t hwords)
{
	uint8_t ilast;

	if (s->prev == NULL || s->rec->closed ||
	    rec_log_prefix(&s->rec->log, number_of(s, s->prev), hwords, &ilast) == UINT32_MAX)
		return HS_E_FORMAT;
	put_prefix(s, hwords, HS_ITYPE_EXCEPTION);
	return HS_OK;
}

/* A trap of a whole system: a block of its own where nothing was open, or where the run before led
 * to it with a transfer; else the end of that run's block. */
static enum hs_status take_trap(struct hs_rec_stream *s, unsigned arg, const uint32_t *w)
{
	const struct hs_block trap = { .iaddr = w[0] | (uint64_t)w[1] << 32, .itype = arg & 15u,
	                               .priv = arg >> 4 & 7u };
	const struct hs_block event = { .value = w[2] | (uint64_t)w[3] << 32, .arg = w[4],
	                                .kind = HS_KIND_TRAP, .priv = trap.priv };
	const struct rec_run *p = s->prev;
	uint8_t ilast;

	if (s->rec->closed || (trap.iaddr & 1u) ||
	    (trap.itype != HS_ITYPE_EXCEPTION && trap.itype != HS_ITYPE_INTERRUPT))
		return HS_E_FORMAT;
	if (p == NULL && s->joined > 0)
		return HS_E_FORMAT;
	if (p == NULL)
		put(s, &trap);
	else if (w[5] == HS_REC_TRAP_ALL && p->block.itype != HS_ITYPE_NONE)
		put_then(s, trap.iaddr, &trap);
	else if (w[5] == HS_REC_TRAP_ALL)
		put_prefix(s, p->block.iretire, trap.itype);
	else if (rec_log_prefix(&s->rec->log, number_of(s, p), w[5], &ilast) != UINT32_MAX)
		put_prefix(s, w[5], trap.itype);
	else
		return HS_E_FORMAT;
	put(s, &event);
	put_events(s);
	return HS_OK;
}

/* The emulator left a run in its middle, and went on there with another one. */
static enum hs_status take_cut(struct hs_rec_stream *s, uint32_t hwords)
{
	uint8_t ilast;

	if (s->prev == NULL || s->rec->closed || hwords == 0 ||
	    rec_log_prefix(&s->rec->log, number_of(s, s->prev), hwords, &ilast) == UINT32_MAX)
		return HS_E_FORMAT;
	s->joined += hwords;
	s->joined_ilast = ilast;
	s->prev = NULL;
	return HS_OK;
}

/* An escape at words[at].  HS_MORE: its words are not all there. */
static enum hs_status take_escape(struct hs_rec_stream *s)
{
	const uint32_t word = s->words[s->at];
	enum hs_status status = HS_OK;

	switch ((word & ~HS_REC_WORD_ESCAPE) >> 16) {
	case HS_REC_ESCAPE_EVENT:
		if (s->count - s->at < 5)
			return HS_MORE;
		status = take_event(s, s->words + s->at + 1);
		s->at += 4;
		break;
	case HS_REC_ESCAPE_PARTIAL:
		status = take_partial(s, word & 0xffffu);
		break;
	case HS_REC_ESCAPE_RESUME:
		break;
	case HS_REC_ESCAPE_CUT:
		status = take_cut(s, word & 0xffffu);
		break;
	case HS_REC_ESCAPE_TRAP:
		if (s->count - s->at < 1 + HS_REC_TRAP_WORDS)
			return HS_MORE;
		status = take_trap(s, word & 0xffffu, s->words + s->at + 1);
		s->at += HS_REC_TRAP_WORDS;
		break;
	default:
		return HS_E_FORMAT;
	}
	s->at++;
	return status;
}

/* More words behind those not used yet. */
static enum hs_status refill(struct hs_rec_stream *s)
{
	const size_t left = s->count - s->at;
	enum hs_status status;
	size_t n;

	memmove(s->words, s->words + s->at, 4 * left);
	status = rec_in_read(&s->in, s->words + left, 4 * (WORDS - left), &n);
	s->at = 0;
	s->count = left + n / 4;
	if (status == HS_OK && n % 4 != 0) /* frames hold whole words: cut inside one */
		return HS_E_CUT;
	return status;
}

/* The hot loop: runs that follow each other as their last instructions say. */
static size_t convert(struct hs_rec_stream *s, struct hs_block *out, size_t cap)
{
	const struct rec_run *const runs = s->rec->runs.runs;
	const uint32_t count = s->rec->runs.count;
	const uint32_t *w = s->words + s->at, *const end = s->words + s->count;
	const struct rec_run *p = s->prev;
	uint64_t joined = s->joined;
	struct hs_block *o = out, *const o_end = out + cap;

	for (; w < end && o < o_end && *w < count; w++) {
		const struct rec_run *const c = &runs[*w];
		const uint64_t addr = c->block.iaddr;
		const bool falls = addr == p->fall;

		if (__builtin_expect(!(falls | (addr == (p->target & ~1ull)) | (p->fall & 1u)) ||
		                     p->block.iretire == 0, 0))
			break;
		if (__builtin_expect(p->block.itype == HS_ITYPE_NONE, 0)) {
			joined += p->block.iretire;
			s->joined_ilast = p->block.ilast;
		} else {
			*o = p->block;
			o->iaddr -= 2 * joined;
			o->iretire += (uint32_t)joined;
			o->itype += (uint8_t)(falls ? 0u : p->target & 1u);
			o++;
			joined = 0;
		}
		p = c;
	}
	s->prev = p;
	s->joined = (uint32_t)joined;
	s->at = (size_t)(w - s->words);
	return (size_t)(o - out);
}

/* The same for flows: a word is a block. */
static size_t copy(struct hs_rec_stream *s, struct hs_block *out, size_t cap)
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

/* One word that the hot loop left. */
static enum hs_status take_word(struct hs_rec_stream *s)
{
	const uint32_t word = s->words[s->at];

	if (word >= HS_REC_WORD_ESCAPE)
		return take_escape(s);
	if (word >= s->rec->runs.count)
		return s->rec->info.complete ? HS_E_FORMAT : HS_E_CUT;
	if (!s->rec->closed) {
		follow(s, &s->rec->runs.runs[word]);
		s->at++;
	}
	return HS_OK;
}

static void stop(struct hs_rec_stream *s, enum hs_status why)
{
	if (why == HS_END && (s->count != s->at || !s->rec->info.complete))
		why = HS_E_CUT;
	s->at = s->count;
	s->end = why;
	finish(s);
}

static size_t send_queue(struct hs_rec_stream *s, struct hs_block *out, size_t cap)
{
	const size_t left = s->queued - s->sent, n = left < cap ? left : cap;

	memcpy(out, s->queue + s->sent, n * sizeof(*out));
	s->sent += (uint32_t)n;
	if (s->sent == s->queued)
		s->sent = s->queued = 0;
	return n;
}

static void step(struct hs_rec_stream *s)
{
	enum hs_status status = HS_MORE;

	if (s->at < s->count)
		status = take_word(s);
	if (status == HS_MORE)
		status = refill(s);
	if (status != HS_OK)
		stop(s, status);
}

enum hs_status hs_rec_stream_next(struct hs_rec_stream *s, struct hs_block *out, size_t cap,
                                  size_t *n, struct hs_error *error)
{
	size_t got = 0;

	while (got < cap) {
		if (s->queued > 0)
			got += send_queue(s, out + got, cap - got);
		else if (s->end != HS_OK)
			break;
		else if (s->rec->closed && s->at < s->count && s->words[s->at] < s->rec->runs.count)
			got += copy(s, out + got, cap - got);
		else if (s->prev != NULL && s->event_count == 0 && s->at < s->count)
			got += convert(s, out + got, cap - got);
		if (got < cap && s->queued == 0 && s->end == HS_OK)
			step(s);
	}
	*n = got;
	if (s->end == HS_OK || (s->end == HS_END && got > 0) || s->queued > 0)
		return HS_OK;
	if (s->end != HS_END)
		hs_error_set(error, s->end, "hart %" PRIu32 ": %s", s->hart, hs_status_text(s->end));
	return s->end;
}
