/* Follow cached paths, in the decoder of any protocol (memo.h; design/memo).
 *
 * The loop is follow_as(): look() makes a window of the next messages, whose key is looked up in
 * the memo; the path that is found is written or counted, and gives the state for the next window.
 * It ends where no path is found: begin_pending() notes the window, the decoder decodes it in its
 * usual way, and remember() adds it.
 *
 * A protocol's recall.c defines its types DECODER, SOURCE and RECALL, and ROOM, the free entries of
 * output that are needed before a path is followed; then these functions, all inline; then it
 * includes this file:
 *
 *   look(s, r, flags)         make the window; false: the message is of another source
 *   may_follow(r)             did the last path lead where it did when it was added?
 *   holds(m, r, path, flags)  does what the key leaves out allow the path?
 *   replay(m, r, path, flags, out)  do, and write, what the key leaves out
 *   follow_path(r, path, bbs) move to where the path led
 *   anchors(path)             does its last message give an address?
 *   infers_returns(s)         does the trace leave out where returns lead?
 *   stack_of(s)               where it does: the stack of return addresses
 */
#ifndef HS_FLOW_RECALL_H
#define HS_FLOW_RECALL_H

#include "flow/memo.h"
#include "flow/memo_calls.h"

/* How paths are followed.  Members are 0 or NULL in the common case. */
struct manner {
	unsigned look;                       /* flags for look(), holds() and replay() */
	bool counts;                         /* paths are counted, their blocks are not written */
	bool several;                        /* messages name their source */
	const struct flow_call_stack *stack; /* of returns; NULL: the trace has their targets */
	struct flow_memo_guide *guide;       /* NULL: the code does not change */
};

static inline bool has_room(const struct flow_out *out)
{
	return out->end - out->p >= (ptrdiff_t)ROOM;
}

/* Follow paths of @s as long as they are found.  Inlined for each use with constants in @manner, so
 * that the common case keeps its state in registers and does not ask. */
static inline __attribute__((always_inline)) void follow_as(DECODER *d, const SOURCE *s, RECALL *at,
                                                            struct flow_out *out,
                                                            const struct manner manner)
{
	const uint64_t priv = s->track.walk.priv;
	const struct hs_bb *bbs = s->track.table->bbs;
	RECALL r = *at;
	struct hs_memo *m = d->memo;
	uint64_t hits = 0, latest = m->latest;

	while (r.end - r.p >= (ptrdiff_t)MEMO_BYTES && may_follow(&r) &&
	       (manner.counts || has_room(out)) && look(s, &r, manner.look)) {
		struct hs_memo_path *path =
			manner.stack ? flow_calls_find(m, &r.window.key, manner.stack, &latest)
				     : flow_memo_find(m, &r.window.key, &latest);

		if (!path || !holds(m, &r, path, manner.look) ||
		    (manner.guide && !flow_memo_guide(manner.guide, path, anchors(path))))
			break;
		if (manner.stack)
			flow_calls_follow(m, path, manner.stack);
		if (manner.several)
			stream_put_hart(&d->stream, &s->track, out);
		if (manner.counts) {
			flow_memo_count(m, path);
		} else {
			flow_memo_put(m, path, priv, out);
			flow_memo_count_messages(m, path, 1);
		}
		replay(m, &r, path, manner.look, out);
		follow_path(&r, path, bbs);
		hits++;
	}
	*at = r;
	m->latest = latest;
	m->stats.hits += hits;
}

/* The same for the less common: returns are inferred, the code changes, or messages name their
 * source. */
static inline __attribute__((always_inline)) void follow_with(DECODER *d, SOURCE *s, RECALL *r,
                                                              struct flow_out *out,
                                                              struct manner manner)
{
	const struct flow_call_stack stack = stack_of(s);
	struct flow_memo_guide guide = flow_memo_begin_guide(&s->track);

	manner.several = d->stream.several;
	manner.stack = infers_returns(s) ? &stack : NULL;
	manner.guide = d->stream.guide ? &guide : NULL;
	follow_as(d, s, r, out, manner);
	if (d->stream.guide)
		flow_memo_end_guide(&guide, &d->stream, &s->track, out);
}

/* Does the source need follow_with()? */
static inline bool is_uncommon(const DECODER *d, const SOURCE *s)
{
	return infers_returns(s) || d->stream.guide || d->stream.several;
}

/* No path was found: note what is needed to add one once the window was decoded in the usual
 * way. */
static void begin_pending(DECODER *d, SOURCE *s, const RECALL *r, const struct flow_out *out)
{
	d->memo->stats.misses++;
	d->pending.key = r->window.key;
	d->pending.start = s->track.walk.pc;
	d->pending.bytes = (uint8_t)r->window.bytes;
	d->pending.end = d->reader.offset + r->window.bytes;
	d->pending.from = out->p;
	if (infers_returns(s)) {
		const struct flow_call_stack stack = stack_of(s);

		flow_calls_begin(&d->pending, &stack);
	}
}

/* Add a path, and what it does to the stack of returns.  @exact: as flow_calls_end() has it.  @own:
 * as flow_memo_add() has it. */
static void remember(DECODER *d, SOURCE *s, const struct hs_memo_path *r, bool exact,
                     const struct flow_own *own)
{
	const struct hs_walk *w = &s->track.walk;
	struct flow_calls calls;

	if (!infers_returns(s)) {
		flow_memo_add(d->memo, r, &d->pending, w->pc, w->priv, own);
		return;
	}
	const struct flow_call_stack stack = stack_of(s);

	if (flow_calls_end(&d->pending, &stack, exact, &calls))
		flow_calls_add(d->memo, r, &d->pending, w->pc, w->priv, &calls, own);
}

#endif
