/* A decoder's sources: which one the message at hand is of, gaps, and whose blocks follow.
 *
 * A decoder reads a message, finds its source, lets it work until the output is full or the message is done, and
 * writes a gap where one went wrong.  That is the same for every protocol; what messages say is not.
 */
#ifndef HS_FLOW_STREAM_H
#define HS_FLOW_STREAM_H

#include "flow/walk.h"

/* What a source knows of its place. */
enum track_state {
	TRACK_LOST,    /* waits for a synchronising message */
	TRACK_OFF,     /* trace was stopped; the next synchronising message starts it */
	TRACK_SYNCED,  /* the walk stands where the last message led */
	TRACK_TRAPPED, /* a trap was reported, its handler was not */
	TRACK_LOSING   /* lost just now; its gap is still to be written */
};

/* What went wrong with a message, for the diagnosis. */
struct flow_fault {
	enum hs_status status;
	const char *clause, *why;
};

/* Fill in what went wrong; @return status. */
static inline enum hs_status flow_blame(struct flow_fault *f, enum hs_status status, const char *clause, const char *why)
{
	*f = (struct flow_fault){ status, clause, why };
	return status;
}

/* What protocols do in their own way; @decoder is what stream_run() was given. */
struct stream_ops {
	unsigned room; /* entries that one step may write besides blocks of a walk */
	/* Read a message and stream_find() its source, or stream_blame().  HS_MORE: the input is used up. */
	enum hs_status (*next)(void *decoder, struct flow_out *out);
	/* Work on it.  HS_FULL: call again; else what went wrong is in *f. */
	enum hs_status (*run)(void *decoder, struct hs_track *t, struct flow_out *out, struct flow_fault *f);
	/* Keep a fault for the diagnosis, and stream_blame(). */
	void (*blame)(void *decoder, const struct flow_fault *f, uint64_t pc);
	/* Write the gap of a source, which has lost its place, and what else it forgets. */
	void (*gap)(void *decoder, struct hs_track *t, struct flow_out *out);
	/* The stream ends: what is open. */
	void (*close)(void *decoder, struct hs_track *t, struct flow_out *out);
};

/* @sources: @capacity of @size bytes; each begins with its struct hs_track.  @several: messages name their source. */
void stream_init(struct hs_stream *s, struct hs_bb_table *table, void *sources, size_t size, size_t capacity,
                 bool several);

/* The program of a context; NULL: it is not known. */
struct hs_bb_table *stream_program(const struct hs_stream *s, uint64_t context);

/* The source of the message at hand, made on first use: then it is all 0 but for its number and table, and *fresh.
 * NULL: there is no room for one more. */
struct hs_track *stream_find(struct hs_stream *s, unsigned src, bool *fresh);

/* Say whose items follow, when that changes. */
void stream_put_hart(struct hs_stream *s, const struct hs_track *t, struct flow_out *out);

/* What is open, the gap, and no place any more. */
void stream_put_gap(struct hs_stream *s, struct hs_track *t, struct flow_out *out);

/* A message of no one knows whom: every source loses its place.  @return  Where one of them was. */
uint64_t stream_lose(struct hs_stream *s);

/* Return @status once all gaps are written; @offset: of the message at fault. */
static inline void stream_blame(struct hs_stream *s, enum hs_status status, uint64_t offset)
{
	s->fault = status;
	s->offset = offset;
}

/* Write the gaps that are due; false when the output is full before that. */
bool stream_gaps(struct hs_stream *s, const struct stream_ops *ops, void *decoder, struct flow_out *out);

/* Close what is open; false when the output is full before that. */
bool stream_close(struct hs_stream *s, const struct stream_ops *ops, void *decoder, struct flow_out *out);

static inline struct hs_track *stream_track(const struct hs_stream *s, size_t i)
{
	return (struct hs_track *)((unsigned char *)s->sources + i * s->size);
}

/* No message is at hand. */
static inline void stream_done(struct hs_stream *s)
{
	s->current = s->count;
}

/* Is the message at hand of this source? */
static inline bool stream_at_hand(const struct hs_stream *s, const struct hs_track *t)
{
	return s->current < s->count && t == stream_track(s, s->current);
}

static inline enum hs_status stream_work(struct hs_stream *s, const struct stream_ops *ops, void *decoder,
                                         struct flow_out *out)
{
	struct hs_track *t = stream_track(s, s->current);
	struct flow_fault f = { HS_OK, "", "" };

	if (out->end - out->p < (int)ops->room)
		return HS_FULL;
	stream_put_hart(s, t, out);
	const enum hs_status status = ops->run(decoder, t, out, &f);

	if (status == HS_FULL)
		return status;
	if (status != HS_OK)
		ops->blame(decoder, &f, flow_pc(&t->walk));
	else
		stream_done(s);
	return HS_OK;
}

/* Decode until the input is used up, the output is full, or a fault is to be told.  In place, so that what
 * protocols do needs no calls. */
static inline __attribute__((always_inline)) enum hs_status stream_run(struct hs_stream *s, const struct stream_ops *ops,
                                                                       void *decoder, struct flow_out *out)
{
	enum hs_status status = HS_OK;

	while (status == HS_OK) {
		if (s->fault != HS_OK) {
			if (!stream_gaps(s, ops, decoder, out))
				return HS_FULL;
			status = s->fault;
			s->fault = HS_OK;
			stream_done(s);
		} else if (s->current < s->count) {
			status = stream_work(s, ops, decoder, out);
		} else {
			status = ops->next(decoder, out);
		}
	}
	return status;
}

#endif
