/* Messages whose way is remembered (flow/memo.h; ADR-0147).
 *
 * A window is the messages that are looked up at once: up to four short DirectBranch messages, and
 * one message of any kind.  What is in a window is looked at only when its run is added; later the
 * same bytes are the same messages.
 */
#include "ntrace/recall.h"

/* Where a source stands: what is in hs_memo_key.state, with AT_REF. */
#define MODE_SHIFT 32

/* ---- messages of runs that are counted --------------------------------------------- */

/* The messages of a run by their bytes. */
static void count_messages(struct hs_memo *m, const struct hs_memo_run *r, uint64_t times)
{
	unsigned start = 0, kind = 0;

	for (unsigned i = 0; i < flow_memo_bytes(r); i++) {
		const unsigned byte = (uint8_t)(r->key.bytes[i / 8] >> 8 * (i % 8));

		kind = i == start ? byte >> 2 : kind;
		if ((byte & 3) != 3)
			continue;
		m->messages[kind] += times;
		m->bytes[kind] += (i + 1 - start) * times;
		start = i + 1;
	}
}

/* Does the run that was just added, or the next message, depend on anything but the key? */
static bool is_plain(const struct hs_nt_decoder *d)
{
	const struct hs_stream *stream = &d->stream;
	const struct hs_nt_source *s = d->sources;
	const struct hs_walk *w = &s->track.walk;

	return stream->count == 1 && !stream->several && !stream->table_count &&
	       stream_counts_changes(stream, &s->track) && !stream_busy(stream) &&
	       s->track.state == TRACK_SYNCED && s->phase == NT_BEGIN && s->mode && !s->icnt_full &&
	       w->cur >= HS_BB_FIRST && w->acc == 0 && w->off == 0 &&
	       !(nt_infers_returns(s) && s->calls_unseen) &&
	       w->generation == s->track.table->generation && !d->reader.held &&
	       !d->reader.skipping;
}

static uint64_t state_of(const struct hs_nt_source *s)
{
	return s->track.walk.cur | (uint64_t)s->mode << MODE_SHIFT |
	       (s->ref == s->track.walk.pc ? AT_REF : 0);
}

/* ---- adding a run ---------------------------------------------------------------- */

/* Messages that lead where the key says: those with a history, with a branch or with a jump, and
 * no counter or time that lasts. */
static bool may_remember(const struct hs_nt_decoder *d, unsigned tcode)
{
	return (tcode == HS_NT_DIRECT_BRANCH || tcode == HS_NT_INDIRECT_BRANCH ||
	        tcode == HS_NT_INDIRECT_BRANCH_HIST || tcode == HS_NT_RESOURCE_FULL) &&
	       d->msg.tcode == tcode && !HAS(&d->msg, TSTAMP);
}

/* May the current message stand before others of the pending window?  Addresses only where the key
 * has what they are differences to. */
static bool may_stand_inside(const struct hs_nt_decoder *d)
{
	if (d->reader.offset == d->pending.end - d->pending.bytes)
		return true; /* nothing was read */
	return may_remember(d, d->msg.tcode) &&
	       (d->msg.tcode == HS_NT_DIRECT_BRANCH || d->msg.tcode == HS_NT_RESOURCE_FULL ||
	        (d->pending.key.state & AT_REF));
}

/* With what it does to the stack of returns. */
static void add_with_calls(struct hs_nt_decoder *d, const struct hs_memo_run *r)
{
	const struct hs_walk *w = &d->sources->track.walk;
	const struct flow_call_stack stack = nt_stack(d->sources);
	struct flow_calls calls;

	if (flow_calls_end(&d->pending, &stack, false, &calls))
		flow_calls_add(d->memo, r, &d->pending, w->pc, w->priv, &calls);
}

/* The messages of the pending window were decoded, and the decoder stands after them. */
static void add_run(struct hs_nt_decoder *d, const struct flow_out *out)
{
	const struct hs_memo_pending *pending = &d->pending;
	const struct hs_nt_source *s = d->sources;
	const size_t blocks = (size_t)(out->p - pending->from);
	const unsigned lead = (unsigned)(d->reader.start - (pending->end - pending->bytes));
	const uint64_t word = pending->key.bytes[lead / 8] >> 8 * (lead % 8);
	struct hs_memo_run r;

	if (blocks > MEMO_BLOCKS || lead >= MEMO_BYTES || !may_remember(d, word >> 2 & 63) ||
	    (lead && d->msg.tcode == HS_NT_RESOURCE_FULL && pending->far))
		return;
	memset(&r, 0, sizeof r);
	r.key = pending->key;
	r.after = state_of(s);
	if (d->msg.tcode == HS_NT_DIRECT_BRANCH || d->msg.tcode == HS_NT_RESOURCE_FULL)
		r.after &=
			~AT_REF | (pending->key.state & AT_REF); /* by chance, of that reference */
	r.extra = s->icnt_used;
	r.moved = s->ref ^ pending->reference;
	r.blocks = (uint8_t)blocks;
	r.more = (pending->bytes - 1u) & 15;
	r.lead = lead & 15;
	r.kind = d->msg.tcode & 63;
	r.odd = d->msg.tcode == HS_NT_RESOURCE_FULL || !(r.key.state & r.after & AT_REF);
	if (nt_infers_returns(s))
		add_with_calls(d, &r);
	else
		flow_memo_add(d->memo, &r, pending, s->track.walk.pc, s->track.walk.priv);
}

/* Is the window still being decoded? */
static bool finish_pending(struct hs_nt_decoder *d, const struct flow_out *out)
{
	if (!d->pending.from)
		return false;
	if (d->reader.offset < d->pending.end && is_plain(d) && may_stand_inside(d))
		return true;
	if (d->reader.offset == d->pending.end && is_plain(d))
		add_run(d, out);
	d->pending.from = NULL;
	return false;
}

/* ---- following runs -------------------------------------------------------------- */

/* Read the message at @p again, as if it had just been decoded.  @after: bytes from it to those
 * that the reader comes to next. */
static void read_again(struct hs_nt_decoder *d, const uint8_t *p, size_t after)
{
	struct hs_span in = { p, after };

	d->reader.offset -= after;
	hs_nt_read(&d->reader, &in, &d->msg);
	d->reader.offset += in.n;
}

/* Put the source where the runs led. */
static void settle(struct hs_nt_decoder *d, struct hs_nt_source *s, struct hs_span *in,
                   const struct nt_recall *r)
{
	struct hs_walk *w = &s->track.walk;
	const size_t n = (size_t)(r->p - in->p);
	const unsigned tail = (unsigned)(flow_memo_bytes(r->last) - r->last->lead);

	in->p += n;
	in->n -= n;
	d->reader.offset += n;
	if (r->branch) {
		read_again(d, r->branch, (size_t)(r->p - r->branch));
		nt_remember(s, &d->msg);
	}
	if (r->branch != r->p - tail)
		read_again(d, r->p - tail, tail);
	s->ref = r->ref;
	s->icnt_used = r->window.key.extra;
	s->mode = (uint8_t)(r->window.key.state >> MODE_SHIFT);
	if (r->elsewhere) {
		flow_start(w, s->track.table, s->ref);
	} else {
		w->cur = (uint32_t)r->window.key.state;
		w->pc = s->track.table->bbs[w->cur].start;
	}
}

static bool has_room(const struct flow_out *out)
{
	return out->end - out->p >= (ptrdiff_t)MEMO_ROOM + NT_STEP_ROOM;
}

/* Does the last message of a run give an address? */
static bool anchors(const struct hs_memo_run *r)
{
	return r->kind == HS_NT_INDIRECT_BRANCH || r->kind == HS_NT_INDIRECT_BRANCH_HIST;
}

/* Follow runs as long as they are known.  @lanes: as nt_look() has it.  @stack: of returns, or
 * NULL.  @guide: where the code changes, or NULL.  A copy for what is common, all in registers. */
static inline __attribute__((always_inline)) void follow_as(struct hs_nt_decoder *d,
                                                            struct nt_recall *at, uint64_t priv,
                                                            struct flow_out *out, bool lanes,
                                                            const struct flow_call_stack *stack,
                                                            struct flow_memo_guide *guide)
{
	struct nt_recall r = *at;
	const struct hs_bb *bbs = d->sources->track.table->bbs;
	struct hs_memo *m = d->memo;
	uint64_t hits = 0, latest = m->latest;

	while (r.end - r.p >= (ptrdiff_t)MEMO_BYTES && !r.elsewhere && has_room(out)) {
		nt_look(&r.window, r.p, lanes);
		struct hs_memo_run *run = stack ? flow_calls_find(m, &r.window.key, stack, &latest)
		                                : flow_memo_find(m, &r.window.key, &latest);

		if (!run || (guide && !flow_memo_guide(guide, run, anchors(run))))
			break;
		if (stack)
			flow_calls_follow(m, run, stack);
		flow_memo_put(m, run, priv, out);
		flow_memo_count_messages(m, run, 1);
		nt_recall_follow(&r, run, bbs);
		hits++;
	}
	*at = r;
	m->latest = latest;
	m->stats.hits += hits;
}

static void follow_groups(struct hs_nt_decoder *d, struct nt_recall *r, uint64_t priv,
                          struct flow_out *out)
{
	follow_as(d, r, priv, out, true, NULL, NULL);
}

static void follow_single(struct hs_nt_decoder *d, struct nt_recall *r, uint64_t priv,
                          struct flow_out *out)
{
	follow_as(d, r, priv, out, false, NULL, NULL);
}

/* Where returns are inferred, or the code changes. */
static void follow_with(struct hs_nt_decoder *d, struct nt_recall *r, uint64_t priv,
                        struct flow_out *out, bool lanes)
{
	struct hs_nt_source *s = d->sources;
	const struct flow_call_stack stack = nt_stack(s);
	struct flow_memo_guide guide = flow_memo_begin_guide(&s->track);

	follow_as(d, r, priv, out, lanes, nt_infers_returns(s) ? &stack : NULL,
	          d->stream.guide ? &guide : NULL);
	if (d->stream.guide)
		flow_memo_end_guide(&guide, &d->stream, &s->track, out);
}

static void follow_runs(struct hs_nt_decoder *d, struct nt_recall *r, uint64_t priv,
                        struct flow_out *out, bool lanes)
{
	if (nt_infers_returns(d->sources) || d->stream.guide)
		follow_with(d, r, priv, out, lanes);
	else if (lanes)
		follow_groups(d, r, priv, out);
	else
		follow_single(d, r, priv, out);
}

/* Count runs.  What a reader of the items needs to know is written. */
static void count_runs(struct hs_nt_decoder *d, struct nt_recall *r, uint64_t priv,
                       struct flow_out *out, bool lanes)
{
	const uint64_t start = d->sources->track.walk.pc;

	if (!has_room(out))
		return;
	if (nt_infers_returns(d->sources))
		nt_count_calls(d, r, lanes);
	else if (lanes)
		nt_count_groups(d, r);
	else
		nt_count_single(d, r);
	if (r->last)
		flow_memo_put_last(d->memo, r->last, start, priv, out);
}

/* Decode the window without the memo; it is added then. */
static void begin_pending(struct hs_nt_decoder *d, struct hs_nt_source *s,
                          const struct nt_recall *r, const struct flow_out *out)
{
	d->memo->stats.misses++;
	d->pending.key = r->window.key;
	d->pending.reference = s->ref;
	d->pending.start = s->track.walk.pc;
	d->pending.bytes = (uint8_t)r->window.bytes;
	d->pending.far = r->far;
	d->pending.end = d->reader.offset + r->window.bytes;
	d->pending.from = out->p;
	if (nt_infers_returns(s)) {
		const struct flow_call_stack stack = nt_stack(s);

		flow_calls_begin(&d->pending, &stack);
	}
}

static void recall(struct hs_nt_decoder *d, struct hs_span *in, struct flow_out *out)
{
	struct hs_nt_source *s = d->sources;
	const uint64_t priv = s->track.walk.priv;
	const bool lanes = s->mode == HS_NT_BTM;

	if (!in) {
		flow_memo_end_call(d->memo, &d->pending, out);
		return;
	}
	if (finish_pending(d, out) || !is_plain(d))
		return;
	if (!flow_memo_check(d->memo, s->track.table, out))
		return;
	struct nt_recall r = { .ref = s->ref, .p = in->p, .end = in->p + in->n };

	r.window.key.state = state_of(s);
	r.window.key.extra = s->icnt_used;
	r.far = flow_memo_counts(d->memo, &d->pending, priv, out) && !d->stream.guide;
	if (r.far)
		count_runs(d, &r, priv, out, lanes);
	else
		follow_runs(d, &r, priv, out, lanes);
	if (r.last)
		settle(d, s, in, &r);
	if (in->n >= MEMO_BYTES && !r.elsewhere && r.window.bytes && has_room(out))
		begin_pending(d, s, &r, out);
}

void hs_nt_decoder_set_memo(struct hs_nt_decoder *d, struct hs_memo *memo)
{
	d->memo = memo;
	d->recall = memo ? recall : NULL;
	if (!memo)
		return;
	memo->table = NULL;
	memo->lead_kind = HS_NT_DIRECT_BRANCH;
	memo->messages = d->stats.messages;
	memo->bytes = d->stats.bytes;
	memo->count_messages = count_messages;
}
