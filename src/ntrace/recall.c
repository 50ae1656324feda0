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

/* ---- sources of messages ------------------------------------------------------------ */

#define SRC_BITS 6u /* at most, so that it is in the second byte of a message */

/* Of how many bits is SRC, after the MSEO and MDO bits of TCODE?  0: there is none. */
static unsigned src_bits(const struct hs_nt_decoder *d)
{
	return d->stream.several ? d->config.src_bits : 0;
}

static unsigned src_at(const uint8_t *message, unsigned bits)
{
	return message[1] >> 2 & ((1u << bits) - 1);
}

/* Of the next message; NULL: it is not known by now, or runs of several sources are not used: they
 * are not counted, and each source may have code of its own that changes. */
static struct hs_nt_source *next_source(const struct hs_nt_decoder *d, const struct hs_span *in)
{
	if (!d->stream.several)
		return d->sources;
	if (in->n < MEMO_BYTES || d->config.src_bits > SRC_BITS || d->stream.guide || d->memo->take)
		return NULL;
	const size_t i = stream_find(&d->stream, src_at(in->p, d->config.src_bits));

	return i < d->stream.count ? &d->sources[i] : NULL;
}

/* Of the message that was read last; NULL: there was no room for it. */
static struct hs_nt_source *last_source(const struct hs_nt_decoder *d)
{
	const size_t i = d->stream.several ? stream_find(&d->stream, d->msg.src) : 0;

	return i < d->stream.count ? &d->sources[i] : NULL;
}

/* Is the key all that the run which was just added, or the next message, depends on?  No, where its
 * source is NULL. */
static bool is_plain(const struct hs_nt_decoder *d, const struct hs_nt_source *s)
{
	const struct hs_stream *stream = &d->stream;

	if (!s)
		return false;
	const struct hs_walk *w = &s->track.walk;

	return (stream->count == 1 || stream->several) && !stream->table_count &&
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
static void add_with_calls(struct hs_nt_decoder *d, struct hs_nt_source *s,
                           const struct hs_memo_run *r)
{
	const struct hs_walk *w = &s->track.walk;
	const struct flow_call_stack stack = nt_stack(s);
	struct flow_calls calls;

	if (flow_calls_end(&d->pending, &stack, false, &calls))
		flow_calls_add(d->memo, r, &d->pending, w->pc, w->priv, &calls);
}

/* The messages of the pending window were decoded, and the decoder stands after them. */
static void add_run(struct hs_nt_decoder *d, struct hs_nt_source *s, const struct flow_out *out)
{
	const struct hs_memo_pending *pending = &d->pending;
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
		add_with_calls(d, s, &r);
	else
		flow_memo_add(d->memo, &r, pending, s->track.walk.pc, s->track.walk.priv);
}

/* Is the window still being decoded? */
static bool finish_pending(struct hs_nt_decoder *d, const struct flow_out *out)
{
	if (!d->pending.from)
		return false;
	struct hs_nt_source *s = last_source(d);

	if (d->reader.offset < d->pending.end && is_plain(d, s) && may_stand_inside(d))
		return true;
	if (d->stream.several && d->pending.from < out->p && d->pending.from->kind == HS_KIND_HART)
		d->pending.from++; /* whose blocks they are is written anew each time */
	if (d->reader.offset == d->pending.end && is_plain(d, s))
		add_run(d, s, out);
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

/* How runs are followed: what is not common. */
struct manner {
	bool lanes;                          /* as nt_look() has it */
	unsigned src_bits;                   /* 0: all messages are of one source */
	const struct flow_call_stack *stack; /* of returns; NULL: they are in the trace */
	struct flow_memo_guide *guide;       /* where the code changes; NULL: nowhere */
};

/* Follow runs of @s as long as they are known.  A copy for what is common, all in registers. */
static inline __attribute__((always_inline)) void follow_as(struct hs_nt_decoder *d,
                                                            const struct hs_nt_source *s,
                                                            struct nt_recall *at,
                                                            struct flow_out *out,
                                                            const struct manner how)
{
	const uint64_t priv = s->track.walk.priv;
	const struct hs_bb *bbs = s->track.table->bbs;
	struct nt_recall r = *at;
	struct hs_memo *m = d->memo;
	uint64_t hits = 0, latest = m->latest;

	while (r.end - r.p >= (ptrdiff_t)MEMO_BYTES && !r.elsewhere && has_room(out)) {
		if (how.src_bits && src_at(r.p, how.src_bits) != s->track.src)
			break;
		nt_look(&r.window, r.p, how.lanes);
		struct hs_memo_run *run =
			how.stack ? flow_calls_find(m, &r.window.key, how.stack, &latest)
				  : flow_memo_find(m, &r.window.key, &latest);

		if (!run || (how.guide && !flow_memo_guide(how.guide, run, anchors(run))))
			break;
		if (how.stack)
			flow_calls_follow(m, run, how.stack);
		if (how.src_bits)
			stream_put_hart(&d->stream, &s->track, out);
		flow_memo_put(m, run, priv, out);
		flow_memo_count_messages(m, run, 1);
		nt_recall_follow(&r, run, bbs);
		hits++;
	}
	*at = r;
	m->latest = latest;
	m->stats.hits += hits;
}

static void follow_groups(struct hs_nt_decoder *d, struct hs_nt_source *s, struct nt_recall *r,
                          struct flow_out *out)
{
	follow_as(d, s, r, out, (struct manner){ .lanes = true });
}

static void follow_single(struct hs_nt_decoder *d, struct hs_nt_source *s, struct nt_recall *r,
                          struct flow_out *out)
{
	follow_as(d, s, r, out, (struct manner){ .lanes = false });
}

/* Where returns are inferred, the code changes, or messages name their source. */
static void follow_with(struct hs_nt_decoder *d, struct hs_nt_source *s, struct nt_recall *r,
                        struct flow_out *out, bool lanes)
{
	const struct flow_call_stack stack = nt_stack(s);
	struct flow_memo_guide guide = flow_memo_begin_guide(&s->track);
	const struct manner how = { .lanes = lanes,
		                    .src_bits = src_bits(d),
		                    .stack = nt_infers_returns(s) ? &stack : NULL,
		                    .guide = d->stream.guide ? &guide : NULL };

	follow_as(d, s, r, out, how);
	if (d->stream.guide)
		flow_memo_end_guide(&guide, &d->stream, &s->track, out);
}

static void follow_runs(struct hs_nt_decoder *d, struct hs_nt_source *s, struct nt_recall *r,
                        struct flow_out *out, bool lanes)
{
	if (nt_infers_returns(s) || d->stream.guide || d->stream.several)
		follow_with(d, s, r, out, lanes);
	else if (lanes)
		follow_groups(d, s, r, out);
	else
		follow_single(d, s, r, out);
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

/* Follow the runs of one source.  Does the next message, of another one, come after them? */
static bool recall_source(struct hs_nt_decoder *d, struct hs_nt_source *s, struct hs_span *in,
                          struct flow_out *out)
{
	const uint64_t priv = s->track.walk.priv;
	const bool lanes = s->mode == HS_NT_BTM && !d->stream.several;
	struct nt_recall r = { .ref = s->ref, .p = in->p, .end = in->p + in->n };

	r.window.key.state = state_of(s);
	r.window.key.extra = s->icnt_used;
	r.far = flow_memo_counts(d->memo, &d->pending, priv, out) && !d->stream.guide;
	if (r.far)
		count_runs(d, &r, priv, out, lanes);
	else
		follow_runs(d, s, &r, out, lanes);
	if (r.last)
		settle(d, s, in, &r);
	if (d->stream.several && r.last && next_source(d, in) != s)
		return true;
	if (in->n >= MEMO_BYTES && !r.elsewhere && r.window.bytes && has_room(out))
		begin_pending(d, s, &r, out);
	return false;
}

static void recall(struct hs_nt_decoder *d, struct hs_span *in, struct flow_out *out)
{
	if (!in) {
		flow_memo_end_call(d->memo, &d->pending, out);
		return;
	}
	if (finish_pending(d, out))
		return;
	struct hs_nt_source *s = next_source(d, in);

	if (!is_plain(d, s) || !flow_memo_check(d->memo, s->track.table, out))
		return;
	while (is_plain(d, s) && recall_source(d, s, in, out))
		s = next_source(d, in);
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
