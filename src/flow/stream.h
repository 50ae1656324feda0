/* The sources of a decoder: which one the current message belongs to, programs, gaps.
 *
 * Helpers of the loop (loop.h) and of the protocols' decoders.  A decoder keeps an array of its
 * sources, each with a struct hs_track; sources are known here by their place in it.
 */
#ifndef HS_FLOW_STREAM_H
#define HS_FLOW_STREAM_H

#include <hartscope/memo.h>

#include "flow/walk.h"

/* What a source knows of where it stands. */
enum track_state {
	TRACK_LOST,    /* waits for a synchronising message */
	TRACK_OFF,     /* trace was stopped; the next synchronising message starts it */
	TRACK_SYNCED,  /* the walk stands where the last message led */
	TRACK_TRAPPED, /* a trap was reported, its handler was not */
	TRACK_UNSEEN,  /* in code that is not known; addresses of messages are still good */
	TRACK_LOSING   /* synchronisation is lost; its gap is still to be written */
};

/* Start without sources.  @tracks: of the first of @capacity sources, each @size bytes after the
 * one before.  @several: messages name their source.  HS_E_ARG: no room for a source. */
enum hs_status stream_init(struct hs_stream *s, struct hs_bb_table *table, struct hs_track *tracks,
                           size_t size, size_t capacity, bool several);

/* Programs of contexts, the limit of messages, and a guide. */
void stream_set_options(struct hs_stream *s, const struct hs_decoder_options *o);

/* The program of a context: one without code if it has none (design/contexts); NULL: contexts have
 * no programs. */
struct hs_bb_table *stream_program(struct hs_stream *s, uint64_t context);

/* Is the code of the context that the source runs in known? */
static inline bool stream_has_program(const struct hs_stream *s, const struct hs_track *t)
{
	return t->table != &s->nothing.table;
}

/* A call of the decoder begins, which writes to @out. */
static inline void stream_begin_call(struct hs_stream *s, const struct flow_out *out)
{
	s->end = &out->p;
	s->counted = out->p;
}

/* Count what was written of the current source: where its code changes now, it does. */
void stream_count_blocks(struct hs_stream *s, struct hs_track *t);

/* With a guide: where blocks cannot be counted, the code is that of a message at @offset. */
void stream_place(struct hs_stream *s, struct hs_track *t, uint64_t offset);

/* Let the guide know when source @src has retired @blocks more, whatever was lost before. */
void stream_expect(struct hs_stream *s, unsigned src, uint64_t blocks);

/* Do two states of a source stand in the same place, so that the same messages lead both of them
 * the same way? */
bool stream_same_track(const struct hs_track *a, const struct hs_track *b);

/* Where source @src stands; false: there is none yet. */
bool stream_get_place(const struct hs_stream *s, unsigned src, struct hs_code_place *place);

/* Make source @src the current one, adding it on first use: then it is all 0 but for its number and
 * table, and *fresh is true.  False: there is no room for one more. */
bool stream_select(struct hs_stream *s, unsigned src, bool *fresh);

/* Write whose items come next, when that changes. */
void stream_put_hart(struct hs_stream *s, const struct hs_track *t, struct flow_out *out);

/* Write what is open and the gap of a source, which waits for synchronisation from now on.
 * @unit: of what retired unseen before it. */
void stream_put_gap(struct hs_stream *s, struct hs_track *t, unsigned unit, struct flow_out *out);

/* The walk leaves the code that is known, after stream_put_gap(): what retires is counted. */
void stream_hide(struct hs_track *t, uint64_t at);

/* Write how much retired unseen, if that is still to be written.  @unit: enum hs_unseen. */
void stream_put_unseen(struct hs_stream *s, struct hs_track *t, unsigned unit,
                       struct flow_out *out);

/* The message's source is not known: every source that is synchronised loses it.
 * Returns how many did, and in *pc where the last of them stood. */
size_t stream_lose(struct hs_stream *s, uint64_t *pc);

/* The place of the source with number @src; s->count: there is none yet. */
size_t stream_find(const struct hs_stream *s, unsigned src);

/* The place of a source whose gap is still to be written; s->count: there is none. */
size_t stream_find_losing(const struct hs_stream *s);

/* Write an event: all 0 but for its kind. */
struct hs_block *stream_put_event(struct flow_out *out, unsigned kind);

static inline struct hs_track *stream_track(const struct hs_stream *s, size_t i)
{
	return (struct hs_track *)(void *)((unsigned char *)s->tracks + i * s->size);
}

/* The same where there is a guide. */
static inline void stream_count(struct hs_stream *s, struct hs_track *t)
{
	if (s->guide)
		stream_count_blocks(s, t);
}

/* The message at @offset is of this source. */
static inline void stream_begin_message(struct hs_stream *s, struct hs_track *t, uint64_t offset)
{
	if (s->guide)
		stream_place(s, t, offset);
}

/* The message at @offset gave the source's full address. */
static inline void stream_synced(struct hs_track *t, uint64_t offset)
{
	t->placed = offset;
}

/* The walk stands where a message says. */
static inline void stream_anchor(struct hs_stream *s, struct hs_track *t)
{
	stream_count(s, t);
	t->since = 0;
}

/* If the code of the source changes: does it by the number of blocks? */
static inline bool stream_counts_changes(const struct hs_stream *s, const struct hs_track *t)
{
	return !s->guide || !t->adrift;
}

/* Is a contradiction to be taken as code that is not known? */
static inline bool stream_doubts_code(const struct hs_stream *s)
{
	return s->guide && s->guide->doubts_code;
}

/* With a guide: room from @p to @end, for blocks up to the next change of the source's code. */
static inline struct flow_out stream_room(const struct hs_track *t, struct hs_block *p,
                                          struct hs_block *end)
{
	return (struct flow_out){ p, t->until < (uint64_t)(end - p) ? p + t->until : end };
}

/* Is the flow of the source known, or counted where its code is not? */
static inline bool stream_is_followed(const struct hs_track *t)
{
	return t->state == TRACK_SYNCED || t->state == TRACK_UNSEEN;
}

/* Is a message being worked on? */
static inline bool stream_busy(const struct hs_stream *s)
{
	return s->current < s->count;
}

/* The current message is done with. */
static inline void stream_done(struct hs_stream *s)
{
	s->current = s->count;
	s->written = 0;
}

/* The current message wrote @n blocks and has more.  False: that is more than it may have. */
static inline bool stream_may_go_on(struct hs_stream *s, size_t n)
{
	s->written += n;
	return s->written < s->limit;
}

/* Is no code known where the source stands? */
bool stream_has_no_code(const struct hs_track *t);

/* May a message say that so many branches of a source ran?  Each ends a block, where code is known:
 * what leads further than the limit is refused before its first block. */
static inline bool stream_may_lead(const struct hs_stream *s, const struct hs_track *t,
                                   uint64_t branches)
{
	return branches <= s->limit || stream_has_no_code(t);
}

/* @status is to be returned once all gaps are written.  @offset: of the message at fault. */
static inline void stream_fail(struct hs_stream *s, enum hs_status status, uint64_t offset)
{
	s->fault = status;
	s->offset = offset;
}

/* All gaps are written: the status to return now. */
static inline enum hs_status stream_end_fault(struct hs_stream *s)
{
	const enum hs_status status = s->fault;

	s->fault = HS_OK;
	stream_done(s);
	return status;
}

#endif
