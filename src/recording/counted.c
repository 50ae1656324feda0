/* Blocks of a stream that are counted instead of being written (design/counting): one number for
 * each run and for each way in which it may end. */
#include <stdlib.h>

#include "recording/recording.h"
#include "recording/stream.h"

struct rec_counted {
	void (*take)(void *to, const struct hs_path_count *run);
	void *to;
	uint64_t *times;  /* of each run, where it does not fall through and where it does */
	uint32_t *listed; /* indices of those that are not 0 */
	size_t listed_count;
	bool held; /* no more are counted in this call: they may belong to another context */
};

enum hs_status hs_rec_stream_count(struct hs_rec_stream *s, uint32_t threads,
                                   void (*take)(void *to, const struct hs_path_count *run),
                                   void *to)
{
	const size_t n = 2 * ((size_t)s->rec->runs.count + 1);

	if (s->rec->live != NULL || s->places.every != 0 || s->counted != NULL)
		return HS_E_UNSUPPORTED;
	struct rec_counted *k = calloc(1, sizeof(*k));

	s->counted = k;
	if (k == NULL)
		return HS_E_MEMORY;
	k->times = calloc(n, sizeof(*k->times));
	k->listed = calloc(n, sizeof(*k->listed));
	k->take = take;
	k->to = to;
	if (k->times == NULL || k->listed == NULL) {
		rec_counted_free(s);
		return HS_E_MEMORY;
	}
	s->ahead.allowed = threads > 1;
	return HS_OK;
}

bool rec_counted_now(const struct hs_rec_stream *s)
{
	return s->counted != NULL && !s->counted->held;
}

void rec_counted_begin_call(struct hs_rec_stream *s)
{
	if (s->counted != NULL)
		s->counted->held = false;
}

static inline void count(struct rec_counted *k, uint32_t i)
{
	if (__builtin_expect(k->times[i]++ == 0, 0))
		k->listed[k->listed_count++] = i;
}

static void give(const struct hs_rec_stream *s, uint32_t i, uint64_t times)
{
	const struct rec_run *const r = &s->rec->runs.runs[i / 2];
	struct hs_block block = r->block;

	if (i % 2 == 0 && !s->rec->is_flow)
		block.itype += (uint8_t)rec_run_is_branch(r);
	s->counted->take(
		s->counted->to,
		&(struct hs_path_count){ .blocks = &block, .n = 1, .times = times, .id = i });
}

void rec_counted_add(struct hs_rec_stream *s, uint32_t id, uint64_t times)
{
	struct rec_counted *k = s->counted;

	if (k->times[id] == 0)
		k->listed[k->listed_count++] = id;
	k->times[id] += times;
}

void rec_counted_flush(struct hs_rec_stream *s)
{
	struct rec_counted *k = s->counted;

	for (size_t i = 0; i < k->listed_count; i++) {
		give(s, k->listed[i], k->times[k->listed[i]]);
		k->times[k->listed[i]] = 0;
	}
	k->listed_count = 0;
}

void rec_counted_hold(struct hs_rec_stream *s)
{
	s->counted->held = true;
}

/* As convert() in stream.c; what is part of a longer block is written.  Not inlined, so that it has
 * all registers. */
__attribute__((noinline)) size_t rec_count_runs(struct hs_rec_stream *s, size_t stop,
                                                struct hs_block *out, size_t cap)
{
	const struct rec_run *const runs = s->rec->runs.runs, *p = s->open.prev;
	const uint32_t run_count = s->rec->runs.count;
	const uint32_t *w = s->words + s->at, *const end = s->words + stop;
	struct rec_counted *const k = s->counted;
	struct hs_block *o = out, *const o_end = out + cap;
	uint64_t joined = s->open.joined;

	for (; w < end && o < o_end && *w < run_count; w++) {
		const struct rec_run *const c = &runs[*w];
		const bool falls = rec_run_falls_to(p, c->block.iaddr);

		if (__builtin_expect(rec_run_stops(p, c, falls), 0))
			break;
		if (__builtin_expect(p->block.itype == HS_ITYPE_NONE, 0)) {
			joined += p->block.iretire;
			s->open.joined_ilast = p->block.ilast;
		} else if (__builtin_expect(joined != 0, 0)) {
			*o = p->block;
			o->iaddr -= 2 * joined;
			o->iretire += (uint32_t)joined;
			o->itype += (uint8_t)(falls ? 0u : rec_run_is_branch(p));
			o++;
			joined = 0;
		} else {
			count(k, 2 * (uint32_t)(p - runs) + falls);
		}
		p = c;
	}
	s->open.prev = p;
	s->open.joined = (uint32_t)joined;
	s->at = (size_t)(w - s->words);
	return (size_t)(o - out);
}

void rec_count_blocks(struct hs_rec_stream *s)
{
	const uint32_t run_count = s->rec->runs.count;

	for (; s->at < s->count && s->words[s->at] < run_count; s->at++)
		count(s->counted, 2 * s->words[s->at]);
}

void rec_counted_free(struct hs_rec_stream *s)
{
	struct rec_counted *k = s->counted;

	if (k == NULL)
		return;
	free(k->times);
	free(k->listed);
	free(k);
	s->counted = NULL;
}
