/* Follow runs of the memo, in the decoder of any protocol (memo.h; design/memo).
 *
 * A protocol's recall.c includes it after it has defined its types DECODER, SOURCE and RECALL;
 * ROOM, the free entries of output that are needed before a run is followed; and these
 * functions, all of them inline:
 *
 *   look(s, r, how)          make the window of the next messages; false: of another source
 *   may_follow(r)            did the run just followed lead where it did when it was added?
 *   holds(m, r, run, how)    does the run lead there by what the key leaves out?
 *   replay(m, r, run, how, out)  write what the key of the window leaves out
 *   follow_run(r, run, bbs)  go where a run leads
 *   anchors(run)             does its last message give an address?
 *   infers_returns(s)        does the trace leave out where returns lead?
 *   stack_of(s)              where it does: the stack of return addresses
 */
#ifndef HS_FLOW_RECALL_H
#define HS_FLOW_RECALL_H

#include "flow/memo.h"
#include "flow/memo_calls.h"

/* How runs are followed.  Members are 0 or NULL in the common case. */
struct manner {
	unsigned how;                        /* for look() */
	bool counts;                         /* runs are counted, their blocks are not written */
	bool several;                        /* messages name their source */
	const struct flow_call_stack *stack; /* of returns; NULL: they are in the trace */
	struct flow_memo_guide *guide;       /* where the code changes; NULL: nowhere */
};

static inline bool has_room(const struct flow_out *out)
{
	return out->end - out->p >= (ptrdiff_t)ROOM;
}

/* Follow runs of @s as long as they are known.  Inlined for each use, so that the common case keeps
 * everything in registers. */
static inline __attribute__((always_inline)) void follow_as(DECODER *d, const SOURCE *s, RECALL *at,
                                                            struct flow_out *out,
                                                            const struct manner how)
{
	const uint64_t priv = s->track.walk.priv;
	const struct hs_bb *bbs = s->track.table->bbs;
	RECALL r = *at;
	struct hs_memo *m = d->memo;
	uint64_t hits = 0, latest = m->latest;

	while (r.end - r.p >= (ptrdiff_t)MEMO_BYTES && may_follow(&r) &&
	       (how.counts || has_room(out)) && look(s, &r, how.how)) {
		struct hs_memo_run *run =
			how.stack ? flow_calls_find(m, &r.window.key, how.stack, &latest)
				  : flow_memo_find(m, &r.window.key, &latest);

		if (!run || !holds(m, &r, run, how.how) ||
		    (how.guide && !flow_memo_guide(how.guide, run, anchors(run))))
			break;
		if (how.stack)
			flow_calls_follow(m, run, how.stack);
		if (how.several)
			stream_put_hart(&d->stream, &s->track, out);
		if (how.counts) {
			flow_memo_count(m, run);
		} else {
			flow_memo_put(m, run, priv, out);
			flow_memo_count_messages(m, run, 1);
		}
		replay(m, &r, run, how.how, out);
		follow_run(&r, run, bbs);
		hits++;
	}
	*at = r;
	m->latest = latest;
	m->stats.hits += hits;
}

/* The same where returns are inferred, the code changes, or messages name their source. */
static inline __attribute__((always_inline)) void follow_with(DECODER *d, SOURCE *s, RECALL *r,
                                                              struct flow_out *out,
                                                              struct manner how)
{
	const struct flow_call_stack stack = stack_of(s);
	struct flow_memo_guide guide = flow_memo_begin_guide(&s->track);

	how.several = d->stream.several;
	how.stack = infers_returns(s) ? &stack : NULL;
	how.guide = d->stream.guide ? &guide : NULL;
	follow_as(d, s, r, out, how);
	if (d->stream.guide)
		flow_memo_end_guide(&guide, &d->stream, &s->track, out);
}

/* Does the source need follow_with()? */
static inline bool is_uncommon(const DECODER *d, const SOURCE *s)
{
	return infers_returns(s) || d->stream.guide || d->stream.several;
}

/* The window is not in the memo: note what is needed to add it once it was decoded in the usual
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

/* Add a run, with what it does to the stack of returns.  @exact: as flow_calls_end() has it.  @own:
 * as in flow_memo_add(). */
static void remember(DECODER *d, SOURCE *s, const struct hs_memo_run *r, bool exact,
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
