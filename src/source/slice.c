/* A slice of a trace: the items of a range of its bytes (design/parts).
 *
 * A slice begins at a join (parallel.h) that is found from its first byte on, and ends at that of
 * the next slice, if its decoder stands there where the decoder of that slice begins; else it goes
 * on, to the slice after that.  Both decide it by themselves, from the same bytes. */
#include <stdlib.h>
#include <string.h>

#include "source/lead.h"
#include "source/parallel.h"

#define SYNCS 4u /* up to which a decoder that knew nothing has to stand where others do */

/* Where the items of a slice begin. */
struct slice_start {
	uint32_t number; /* of the slice; 0: none */
	struct chunk chunk;
	struct source_lead lead;
};

struct source_slice {
	struct hs_source *source;
	struct hs_source_slice known;
	struct slice_start next; /* where the items end, if they do before the trace ends */
	struct source_lead lead, first;
	struct hs_message_count counts[SOURCE_SLICE_TYPES]; /* before the first item */
	unsigned count_count;
	struct hs_block items[SOURCE_SPARE];
	bool drained, done;
};

static uint64_t slice_byte(uint64_t total, uint32_t number, uint32_t count)
{
	const uint64_t part = total / count, rest = total % count, before = number - 1;

	return part * before + (before < rest ? before : rest);
}

/* ---- where slices begin ----------------------------------------------------------- */

static void end_start(struct source_slice *s, struct slice_start *p)
{
	source_chunk_free_decoder(&s->source->trace, &p->chunk.by);
	source_chunk_free(&s->source->trace, &p->chunk);
	*p = (struct slice_start){ .number = 0 };
}

/* Its last join, which is as good as any before it. */
static const struct chunk_join *join_of(const struct slice_start *p)
{
	return &p->chunk.joins[p->chunk.join_count - 1];
}

/* Decode one chunk of a slice; @found: a decoder can begin in it. */
static enum hs_status try_chunk(struct source_slice *s, struct slice_start *p, uint64_t offset,
                                size_t n, bool *found, struct hs_error *error)
{
	struct source_trace *t = &s->source->trace;
	struct chunk *c = &p->chunk;
	enum hs_status status;

	if (!c->by.decoder && !source_chunk_decoder(s->source, &c->by))
		return hs_error_set(error, HS_E_MEMORY, "%s: out of memory", t->in.name);
	source_chunk_clear(t, c);
	c->bytes = c->bytes ? c->bytes : malloc(s->source->thread_bytes);
	if (!c->bytes)
		return hs_error_set(error, HS_E_MEMORY, "%s: out of memory", t->in.name);
	c->offset = offset;
	c->n = n;
	c->syncs = SYNCS;
	status = source_read_at(t, offset, c->bytes, n, error);
	if (status == HS_OK)
		source_chunk_run(t, c);
	*found = !c->failed;
	return status;
}

/* Where slice @number begins: in the first of its chunks in which a decoder can. */
static enum hs_status find_start(struct source_slice *s, uint32_t number, struct slice_start *p,
                                 struct hs_error *error)
{
	const uint64_t total = s->source->trace.in.total;
	const uint32_t count = s->known.count;
	const uint64_t end = slice_byte(total, number + 1, count);
	const size_t most = s->source->thread_bytes;
	uint64_t at = slice_byte(total, number, count);
	enum hs_status status = HS_OK;
	bool found = false;

	while (status == HS_OK && !found && at < end) {
		const size_t n = end - at < most ? (size_t)(end - at) : most;

		status = try_chunk(s, p, at, n, &found, error);
		at += n;
	}
	if (status != HS_OK || !found)
		return status;
	p->number = number;
	source_lead_start(&p->lead);
	source_lead_follow(&p->lead, p->chunk.items, join_of(p)->item);
	return HS_OK;
}

/* The next slice that begins anywhere; without one the trace's end is the limit. */
static enum hs_status find_next(struct source_slice *s, uint32_t after, struct hs_error *error)
{
	enum hs_status status = HS_OK;

	s->next.number = 0;
	for (uint32_t i = after + 1; i <= s->known.count && !s->next.number && status == HS_OK; i++)
		status = find_start(s, i, &s->next, error);
	s->source->trace.window.limit = s->next.number
	                                        ? s->next.chunk.offset + join_of(&s->next)->in
	                                        : s->source->trace.in.total;
	s->drained = false;
	return status;
}

/* ---- items ------------------------------------------------------------------------ */

/* All up to the limit is decoded: does the next slice continue it? */
static enum hs_status look_at_next(struct source_slice *s, struct hs_error *error)
{
	const struct source_trace *t = &s->source->trace;

	if (machine_alike(t->decoder, s->next.chunk.by.decoder, join_of(&s->next)->state) &&
	    source_lead_same(&s->lead, &s->next.lead)) {
		s->known.next = s->next.number;
		s->known.end = s->source->trace.window.limit;
		s->done = true;
		return HS_OK;
	}
	return find_next(s, s->next.number, error);
}

/* What the decoder gives without more bytes. */
static enum hs_status drain(struct source_slice *s, struct hs_block *out, size_t cap, size_t *n,
                            struct hs_error *error)
{
	struct source_trace *t = &s->source->trace;
	struct hs_span none = { t->in.buffer, 0 };
	const enum hs_status status = hs_decode(t->decoder, &none, out, cap, n);

	t->diag.reason = HS_REASON_NONE;
	s->drained = status == HS_MORE;
	if (status == HS_OK || status == HS_MORE || status == HS_FULL)
		return HS_OK;
	source_set_fault(t, status, error);
	return status;
}

enum hs_status source_slice_next(struct source_trace *t, struct hs_block *out, size_t cap,
                                 size_t *n, struct hs_error *error)
{
	struct source_slice *s = t->slice;
	enum hs_status status;

	*n = 0;
	if (s->done)
		return HS_END;
	if (!t->in.left.n && !t->full && s->next.number &&
	    s->source->trace.window.at == s->source->trace.window.limit && s->drained)
		return look_at_next(s, error);
	if (!t->in.left.n && !t->full && s->next.number &&
	    s->source->trace.window.at == s->source->trace.window.limit)
		status = drain(s, out, cap, n, error);
	else
		status = source_decode(t, out, cap, n, error);
	source_lead_follow(&s->lead, out, *n);
	s->done = status == HS_END;
	return status;
}

/* Decode the bytes before a slice's first item. */
static void lead_in(struct source_slice *s)
{
	struct source_trace *t = &s->source->trace;
	const struct chunk *c = &s->next.chunk;
	struct hs_span in = { c->bytes, join_of(&s->next)->in };
	enum hs_status status = HS_OK;

	machine_begin(t->decoder, NULL, c->offset);
	while (status != HS_MORE) {
		size_t n;

		status = hs_decode(t->decoder, &in, s->items, SOURCE_SPARE, &n);
		source_lead_follow(&s->lead, s->items, n);
	}
	s->first = s->lead;
	s->count_count = decoder_counts(t->decoder, s->counts, SOURCE_SLICE_TYPES);
	s->known.begin = s->source->trace.window.at = c->offset + join_of(&s->next)->in;
	t->items = 1;
}

void source_slice_free(struct source_trace *t)
{
	if (t->slice)
		end_start(t->slice, &t->slice->next);
	free(t->slice);
	t->slice = NULL;
}

unsigned source_slice_counts(const struct source_slice *s, struct hs_message_count *out, unsigned n)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < n; i++) {
		struct hs_message_count c = out[i];

		for (unsigned k = 0; k < s->count_count; k++)
			if (c.number == s->counts[k].number) {
				c.messages -= s->counts[k].messages;
				c.bytes -= s->counts[k].bytes;
			}
		if (c.messages)
			out[kept++] = c;
	}
	return kept;
}

/* ---- the calls -------------------------------------------------------------------- */

static enum hs_status begin(struct source_slice *s, struct hs_error *error)
{
	const uint32_t number = s->known.number;
	enum hs_status status = HS_OK;

	source_lead_start(&s->lead);
	source_lead_start(&s->first);
	if (number > 1)
		status = find_start(s, number, &s->next, error);
	if (status != HS_OK)
		return status;
	s->known.empty = s->done = number > 1 && !s->next.number;
	if (s->done)
		return HS_OK;
	if (number > 1)
		lead_in(s);
	s->known.end = s->source->trace.in.total;
	return find_next(s, number, error);
}

enum hs_status source_slice_begin(struct hs_source *source, uint32_t number, uint32_t count,
                                  struct hs_error *error)
{
	struct source_trace *t = &source->trace;

	t->slice = calloc(1, sizeof(*t->slice));
	if (!t->slice)
		return hs_error_set(error, HS_E_MEMORY, "%s: out of memory", t->in.name);
	t->pool.threads = 0;
	t->slice->source = source;
	t->slice->known = (struct hs_source_slice){ .number = number, .count = count };
	return begin(t->slice, error);
}

bool hs_source_get_slice(const struct hs_source *source, struct hs_source_slice *out)
{
	const struct source_slice *s = source->kind == SOURCE_TRACE ? source->trace.slice : NULL;

	if (!s)
		return false;
	*out = s->known;
	return true;
}

size_t hs_source_slice_lead(const struct hs_source *source, struct hs_block *out)
{
	return source->trace.slice ? source_lead_items(&source->trace.slice->first, out) : 0;
}
