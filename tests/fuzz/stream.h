/* Importers and decoders, called the same way: bytes in pieces, then the end, to one outcome. */
#ifndef HS_TESTS_FUZZ_STREAM_H
#define HS_TESTS_FUZZ_STREAM_H

#include <string.h>

#include <hartscope/ingress.h>
#include <hartscope/status.h>

#include "outcome.h"

struct stream {
	void *self;
	enum hs_status (*feed)(void *self, struct hs_span *in, struct hs_blocks *out);
	enum hs_status (*end)(void *self, struct hs_blocks *out);
	struct hs_blocks out; /* memory of each call */
	uint64_t limit;       /* blocks after which it is left alone */
	bool decoder; /* resumes after errors at its end; need not keep the rules of importers */
};

static inline void stream_take(struct stream *s, struct outcome *o, enum hs_status status,
                               bool moved)
{
	fuzz_must(s->out.n <= s->out.cap);
	outcome_take(o, status, s->out.at, s->out.n, moved);
	if (!s->decoder)
		outcome_legal(o, s->out.at, s->out.n);
}

static inline void stream_clear(struct stream *s)
{
	memset(s->out.at, 0, s->out.cap * sizeof(*s->out.at));
	s->out.n = 0;
}

static inline void stream_feed(struct stream *s, struct outcome *o, const uint8_t *p, size_t n)
{
	struct hs_span in = { p, n };
	enum hs_status status;

	do {
		const size_t before = in.n;

		stream_clear(s);
		status = s->feed(s->self, &in, &s->out);
		fuzz_must(in.n <= before && in.p + in.n == p + n &&
		          (status != HS_MORE || in.n == 0));
		stream_take(s, o, status, in.n < before);
	} while (status != HS_MORE && o->blocks < s->limit);
}

static inline void stream_end(struct stream *s, struct outcome *o)
{
	enum hs_status status;

	do {
		stream_clear(s);
		status = s->end(s->self, &s->out);
		stream_take(s, o, status, false);
	} while ((status == HS_FULL || (s->decoder && status != HS_OK)) && o->blocks < s->limit);
}

/* All of it, @piece bytes at a time. */
static inline struct outcome stream_run(struct stream *s, const uint8_t *p, size_t n, size_t piece)
{
	struct outcome o = OUTCOME_START;

	for (size_t at = 0; at < n && o.blocks < s->limit; at += piece)
		stream_feed(s, &o, p + at, n - at < piece ? n - at : piece);
	stream_end(s, &o);
	return o;
}

#endif
