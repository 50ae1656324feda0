/* Cached paths of N-Trace (flow/memo.h, flow/recall.h; design/memo).
 *
 * A window is one message; in BTM also up to four short DirectBranch messages before it, and, where
 * paths are counted, all messages that end in 16 bytes.  What its bytes mean is not looked at when
 * a path is followed: the same bytes were interpreted when the path was added (add_path()), and are
 * the same messages now.
 *
 * A key is the bytes, the state (state_of(): entry of the table, mode, AT_REF) and what is counted
 * of I-CNT.  Left out of it, and done by replay(): TSTAMP, and I-CNT where returns are inferred.
 *
 * Invariant: a path is followed, and added, only from and to a state where key_decides().
 */
#include "ntrace/nt_reader.h"
#include "ntrace/recall.h"

#include "flow/memo_calls.h"

/* hs_memo_key.state: the entry of the table in 32 bits, the mode, AT_REF. */
#define MODE_SHIFT 32

/* ---- messages of paths that are counted --------------------------------------------- */

/* Messages of a path that is counted, by kind: they are found again in the bytes of its key. */
static void count_messages(struct hs_memo *m, const struct hs_memo_path *r, uint64_t times)
{
	unsigned start = 0, kind = 0;

	for (unsigned i = 0; i < flow_memo_bytes(r); i++) {
		const unsigned byte = (uint8_t)(r->key.bytes[i / 8] >> 8 * (i % 8));

		kind = i == start ? byte >> 2 : kind;
		if ((byte & 3) != 3 && i + 1 != flow_memo_bytes(r)) /* a time was cut off */
			continue;
		m->messages[kind] += times;
		m->bytes[kind] += (i + 1 - start) * times;
		start = i + 1;
	}
}

/* ---- sources of messages ------------------------------------------------------------ */

#define SRC_BITS 6u /* at most, so that it is in the second byte of a message */

/* Bits of SRC, which is the field after TCODE.  0: there is none. */
static unsigned src_bits(const struct hs_nt_decoder *d)
{
	return d->stream.several ? d->config.src_bits : 0;
}

static unsigned src_at(const uint8_t *message, unsigned bits)
{
	return message[1] >> 2 & ((1u << bits) - 1);
}

/* ---- what messages are looked up at once ------------------------------------------- */

/* Flags of look(): what the messages of the source are like. */
#define LOOK_LANES 1u     /* BTM: a group of DirectBranch messages may come first */
#define LOOK_ALL 2u       /* paths are counted: all messages that end in the window */
#define LOOK_TIMES 4u     /* messages have TSTAMP, */
#define LOOK_XOR 8u       /* as XOR with the one before: a dialect */
#define LOOK_RETURNS 16u  /* returns are inferred */
#define LOOK_SRC_SHIFT 5u /* from here on the bits of SRC */

/* Where returns are inferred I-CNT may be left out for long, and what is counted of it differs at
 * each message.  A ResourceFull with a history only adds to it, so its key has 0; the key of others
 * has what is left of it (used - full). */
static inline bool only_adds(uint64_t state, unsigned tcode)
{
	return tcode == HS_NT_RESOURCE_FULL && (uint8_t)(state >> MODE_SHIFT) == HS_NT_HTM;
}

static inline __attribute__((always_inline)) bool look(const struct hs_nt_source *s,
                                                       struct nt_recall *r, unsigned flags)
{
	const unsigned bits = flags >> LOOK_SRC_SHIFT;

	if (bits && src_at(r->p, bits) != s->track.src)
		return false;
	if ((flags & LOOK_TIMES) && unlikely(!nt_find_marks(&r->marks, r->p, r->end))) {
		r->window.bytes = 0;
		return false;
	}
	if (flags & LOOK_TIMES)
		r->stamp_bytes = nt_look_timed(&r->window, &r->marks, r->p, &r->stamp);
	else if ((flags & LOOK_ALL) && (r->window.key.state & AT_REF))
		nt_look_all(&r->window, r->p);
	else
		nt_look_first(&r->window, r->p, flags & LOOK_LANES);
	if (flags & LOOK_RETURNS)
		r->window.key.extra =
			only_adds(r->window.key.state, *r->p >> 2) ? 0 : r->used - r->full;
	return true;
}

static inline void put_time(struct flow_out *out, uint64_t time)
{
	const struct hs_block b = { .priv = HS_PRIV_UNKNOWN, .kind = HS_KIND_TIME };

	img_put_block(&out->p, time, img_word(&b));
}

/* Write the time of the window; LOOK_ALL: it is counted with its path. */
static inline __attribute__((always_inline)) void replay_time(struct hs_memo *m,
                                                              struct nt_recall *r,
                                                              const struct hs_memo_path *path,
                                                              unsigned flags, struct flow_out *out)
{
	struct flow_out with = *out;
	const uint64_t stamp = r->stamp_bytes ? r->stamp : 0;

	r->marks.ends &= r->marks.ends - 1;
	r->timed = r->p;
	r->time = flags & LOOK_XOR ? r->time ^ stamp : r->time + stamp;
	if (!(flags & LOOK_ALL)) {
		put_time(&with, r->time);
		out->p += r->stamp_bytes != 0;
	}
	m->bytes[path->kind] += r->stamp_bytes;
}

static inline bool holds(const struct hs_memo *m, const struct nt_recall *r,
                         const struct hs_memo_path *path, unsigned flags)
{
	(void)m, (void)r, (void)path,
		(void)flags; /* times and counts do not decide where it leads */
	return true;
}

/* Do what the key leaves out: times and I-CNT. */
static inline __attribute__((always_inline)) void replay(struct hs_memo *m, struct nt_recall *r,
                                                         const struct hs_memo_path *path,
                                                         unsigned flags, struct flow_out *out)
{
	const bool adds = only_adds(path->key.state, path->kind);

	if (flags & LOOK_TIMES)
		replay_time(m, r, path, flags, out);
	if (!(flags & LOOK_RETURNS))
		return;
	r->used = path->extra + (adds ? r->used : 0);
	r->full = adds ? r->full : 0;
}

static inline bool may_follow(const struct nt_recall *r)
{
	return !r->elsewhere;
}

static inline bool anchors(const struct hs_memo_path *r)
{
	return r->kind == HS_NT_INDIRECT_BRANCH || r->kind == HS_NT_INDIRECT_BRANCH_HIST;
}

/* Does the trace leave out where returns lead? */
static inline bool infers_returns(const struct hs_nt_source *s)
{
	return s->track.walk.rules & FLOW_RETURNS;
}

static inline struct flow_call_stack stack_of(struct hs_nt_source *s)
{
	struct hs_returns *r = &s->returns;

	return (struct flow_call_stack){ .at = r->at,
		                         .mask = HS_RETURNS - 1,
		                         .top = &r->top,
		                         .count = &r->count,
		                         .marks = &r->marks };
}

#define DECODER struct hs_nt_decoder
#define SOURCE struct hs_nt_source
#define RECALL struct nt_recall
#define ROOM (MEMO_ROOM + NT_STEP_ROOM)
#define follow_path nt_recall_follow
#include "flow/recall.h"

/* ---- sources of the next message, of the last -------------------------------------- */

/* The source of the next message; NULL: it is not known yet, or no path may be used: paths of
 * several sources are not counted, and each source may have changing code of its own. */
static struct hs_nt_source *next_source(const struct hs_nt_decoder *d, const struct hs_span *in)
{
	if (!d->stream.several)
		return d->sources;
	if (in->n < MEMO_BYTES || d->config.src_bits > SRC_BITS || d->stream.guide || d->memo->take)
		return NULL;
	const size_t i = stream_find(&d->stream, src_at(in->p, d->config.src_bits));

	return i < d->stream.count ? &d->sources[i] : NULL;
}

/* The source of the message that was read last; NULL: there was no room for it. */
static struct hs_nt_source *last_source(const struct hs_nt_decoder *d)
{
	const size_t i = d->stream.several ? stream_find(&d->stream, d->msg.src) : 0;

	return i < d->stream.count ? &d->sources[i] : NULL;
}

/* Was the last message of the source followed to its end, and is the next one not begun? */
static bool is_between_messages(const struct hs_nt_decoder *d, const struct hs_nt_source *s)
{
	const struct hs_stream *stream = &d->stream;

	return stream->count && stream_counts_changes(stream, &s->track) && !stream_busy(stream) &&
	       s->track.state == TRACK_SYNCED && s->phase == NT_BEGIN && !d->reader.held &&
	       !d->reader.skipping;
}

/* Does the walk stand at the start of an entry of the table, whose block is not begun? */
static bool stands_at_entry(const struct hs_nt_source *s)
{
	const struct hs_walk *w = &s->track.walk;

	return w->cur >= HS_BB_FIRST && w->acc == 0 && w->off == 0 &&
	       w->generation == s->track.table->generation;
}

/* Are BTM or HTM, the half-words before the next message, and the calls before its returns
 * known? */
static bool knows_evidence(const struct hs_nt_source *s)
{
	return s->mode && (infers_returns(s) ? !s->calls_unseen : !s->icnt_full);
}

/* Is the key all that decides where the next message of the source leads?  Not where it is unknown
 * (@s is NULL), a message or a block is open, or what was before is not all known. */
static bool key_decides(const struct hs_nt_decoder *d, const struct hs_nt_source *s)
{
	return s && is_between_messages(d, s) && stands_at_entry(s) && knows_evidence(s);
}

static uint64_t state_of(const struct hs_nt_source *s)
{
	return s->track.walk.cur | (uint64_t)s->mode << MODE_SHIFT |
	       (s->ref == s->track.walk.pc ? AT_REF : 0);
}

/* ---- adding a path ---------------------------------------------------------------- */

/* Bytes of the pending window that its key leaves out: TSTAMP.  The last byte of a field has MSEO
 * 01 or 11 and so is not 0: the key ends with its last byte that is not 0. */
static unsigned bytes_apart(const struct hs_memo_pending *p)
{
	unsigned n = MEMO_BYTES;

	while (n && !(uint8_t)(p->key.bytes[(n - 1) / 8] >> 8 * ((n - 1) % 8)))
		n--;
	return p->bytes - n;
}

/* May a path end with the current message, of kind @tcode?  Those with a history, a branch or a
 * jump may; a counter that lasts beyond its message may not.  TSTAMP only where the key leaves it
 * out. */
static bool may_remember(const struct hs_nt_decoder *d, unsigned tcode)
{
	return (tcode == HS_NT_DIRECT_BRANCH || tcode == HS_NT_INDIRECT_BRANCH ||
	        tcode == HS_NT_INDIRECT_BRANCH_HIST || tcode == HS_NT_RESOURCE_FULL) &&
	       d->msg.tcode == tcode && HAS(&d->msg, TSTAMP) == (bytes_apart(&d->pending) != 0);
}

/* May the current message come before others of the pending window?  One with an address only where
 * the walk stood at the reference address. */
static bool may_stand_inside(const struct hs_nt_decoder *d)
{
	if (d->reader.offset == d->pending.end - d->pending.bytes)
		return true; /* nothing was read */
	return may_remember(d, d->msg.tcode) &&
	       (d->msg.tcode == HS_NT_DIRECT_BRANCH || d->msg.tcode == HS_NT_RESOURCE_FULL ||
	        (d->pending.key.state & AT_REF));
}

/* The pending window was decoded, and the decoder stands after it: add its path. */
static void add_path(struct hs_nt_decoder *d, struct hs_nt_source *s, const struct flow_out *out)
{
	const struct hs_memo_pending *pending = &d->pending;
	const unsigned apart = bytes_apart(pending);
	const size_t blocks = (size_t)(out->p - pending->from) - (apart != 0);
	const unsigned lead = (unsigned)(d->reader.start - (pending->end - pending->bytes));
	const uint64_t word = pending->key.bytes[lead / 8] >> 8 * (lead % 8);
	struct hs_memo_path r;

	if (apart && out->p[-1].kind != HS_KIND_TIME)
		return;
	if (blocks > MEMO_BLOCKS || lead >= MEMO_BYTES || !may_remember(d, word >> 2 & 63) ||
	    (lead && d->msg.tcode == HS_NT_RESOURCE_FULL && pending->counts))
		return;
	memset(&r, 0, sizeof r);
	r.key = pending->key;
	r.after = state_of(s);
	if (d->msg.tcode == HS_NT_DIRECT_BRANCH || d->msg.tcode == HS_NT_RESOURCE_FULL)
		r.after &= ~AT_REF |
		           (pending->key.state & AT_REF); /* by chance, with this reference */
	r.extra = s->icnt_used;
	if (infers_returns(s) && only_adds(r.key.state, d->msg.tcode)) {
		if (s->evidence.mode != FLOW_HISTORY)
			return;
		r.extra -= r.key.extra;
		r.key.extra = 0;
	}
	r.moved = s->ref ^ pending->reference;
	r.blocks = (uint8_t)blocks;
	r.more = (pending->bytes - apart - 1u) & 15;
	r.lead = lead & 15;
	r.kind = d->msg.tcode & 63;
	r.timed = apart != 0;
	r.unanchored = d->msg.tcode == HS_NT_RESOURCE_FULL || !(r.key.state & r.after & AT_REF);
	remember(d, s, &r, false, NULL);
}

/* Add the path of the pending window if it is decoded.  True: it is still being decoded. */
static bool finish_pending(struct hs_nt_decoder *d, const struct flow_out *out)
{
	if (!d->pending.from)
		return false;
	struct hs_nt_source *s = last_source(d);

	if (d->reader.offset < d->pending.end && key_decides(d, s) && may_stand_inside(d))
		return true;
	if (d->stream.several && d->pending.from < out->p && d->pending.from->kind == HS_KIND_HART)
		d->pending.from++; /* HS_KIND_HART is not part of the path */
	if (d->reader.offset == d->pending.end && key_decides(d, s))
		add_path(d, s, out);
	d->pending.from = NULL;
	return false;
}

/* ---- following paths -------------------------------------------------------------- */

/* Read the message at @p again, so that d->msg is what it would be without a memo.  @after: bytes
 * from @p to the reader's position. */
static void read_again(struct hs_nt_decoder *d, const uint8_t *p, size_t after)
{
	struct hs_span in = { p, after };

	d->reader.offset -= after;
	hs_nt_read(&d->reader, &in, &d->msg);
	d->reader.offset += in.n;
}

/* Put the source, the input and the reader where the paths led. */
static void settle(struct hs_nt_decoder *d, struct hs_nt_source *s, struct hs_span *in,
                   const struct nt_recall *r)
{
	struct hs_walk *w = &s->track.walk;
	const size_t n = (size_t)(r->p - in->p);
	const size_t tail =
		r->timed ? (size_t)(r->p - r->timed) : flow_memo_bytes(r->last) - r->last->lead;

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
	s->track.time = r->time;
	s->icnt_used = r->look & LOOK_RETURNS ? r->used : r->window.key.extra;
	s->icnt_full = r->full;
	s->mode = (uint8_t)(r->window.key.state >> MODE_SHIFT);
	if (r->elsewhere) {
		flow_start(w, s->track.table, s->ref);
	} else {
		w->cur = (uint32_t)r->window.key.state;
		w->pc = s->track.table->bbs[w->cur].start;
	}
}

/* Does the source have times, as its last message did? */
static bool has_times(const struct hs_nt_source *s)
{
	return s->track.timed && s->last_present >> HS_NTF_TSTAMP & 1;
}

/* The flags of look() for a source. */
static unsigned look_of(const struct hs_nt_decoder *d, const struct hs_nt_source *s, bool counts)
{
	const bool lanes = s->mode == HS_NT_BTM && !d->stream.several;
	const unsigned returns = infers_returns(s) ? LOOK_RETURNS : 0;
	const unsigned always = src_bits(d) << LOOK_SRC_SHIFT | returns;

	if (has_times(s))
		return always | LOOK_TIMES | (d->dialect->tstamp_xor ? LOOK_XOR : 0) |
		       (counts ? LOOK_ALL : 0);
	return always | (lanes ? LOOK_LANES : 0) | (lanes && counts ? LOOK_ALL : 0);
}

/* Out of line, so that the common case keeps its registers. */
static __attribute__((noinline)) void follow_times(struct hs_nt_decoder *d, struct hs_nt_source *s,
                                                   struct nt_recall *r, struct flow_out *out,
                                                   unsigned flags)
{
	const unsigned as = LOOK_TIMES | (flags & LOOK_XOR);

	if (r->counts)
		follow_as(d, s, r, out, (struct manner){ .look = as | LOOK_ALL, .counts = true });
	else
		follow_as(d, s, r, out, (struct manner){ .look = as });
}

/* Each common case has its own copy of the loop, with constant flags. */
static void follow_paths(struct hs_nt_decoder *d, struct hs_nt_source *s, struct nt_recall *r,
                         struct flow_out *out)
{
	const unsigned flags = r->look;

	if (is_uncommon(d, s)) {
		follow_with(d, s, r, out, (struct manner){ .look = flags, .counts = r->counts });
	} else if (flags & LOOK_TIMES) {
		follow_times(d, s, r, out, flags);
	} else if (flags & LOOK_ALL) {
		follow_as(d, s, r, out,
		          (struct manner){ .look = LOOK_LANES | LOOK_ALL, .counts = true });
	} else if (r->counts) {
		nt_count_marked(d, r);
		follow_as(d, s, r, out, (struct manner){ .counts = true });
	} else if (flags & LOOK_LANES) {
		follow_as(d, s, r, out, (struct manner){ .look = LOOK_LANES });
	} else {
		follow_as(d, s, r, out, (struct manner){ .look = 0 });
	}
}

/* Count paths, and write the last one (flow_memo_put_last()). */
static void count_paths(struct hs_nt_decoder *d, struct nt_recall *r, uint64_t priv,
                        struct flow_out *out)
{
	const uint64_t start = d->sources->track.walk.pc;

	if (!has_room(out))
		return;
	follow_paths(d, d->sources, r, out);
	if (r->last)
		flow_memo_put_last(d->memo, r->last, start, priv, out);
	if (r->last && r->last->timed)
		put_time(out, r->time);
}

/* Follow the paths of one source.  True: call again, for the next message, of another source. */
static bool recall_source(struct hs_nt_decoder *d, struct hs_nt_source *s, struct hs_span *in,
                          struct flow_out *out)
{
	const uint64_t priv = s->track.walk.priv;
	struct nt_recall r = { .ref = s->ref,
		               .p = in->p,
		               .end = in->p + in->n,
		               .time = s->track.time,
		               .used = s->icnt_used,
		               .full = s->icnt_full };

	r.window.key.state = state_of(s);
	r.window.key.extra = s->icnt_used;
	r.counts = flow_memo_counts(d->memo, &d->pending, priv, out) && !d->stream.guide &&
	           (d->memo->passes_times || !has_times(s));
	r.look = look_of(d, s, r.counts);
	if (r.counts)
		count_paths(d, &r, priv, out);
	else
		follow_paths(d, s, &r, out);
	if (r.last)
		settle(d, s, in, &r);
	if (d->stream.several && r.last && next_source(d, in) != s)
		return true;
	if (in->n >= MEMO_BYTES && !r.elsewhere && r.window.bytes && has_room(out)) {
		begin_pending(d, s, &r, out);
		d->pending.reference = s->ref;
		d->pending.counts = r.counts;
		if (infers_returns(s) && only_adds(r.window.key.state, *in->p >> 2))
			d->pending.key.extra = s->icnt_used; /* add_path() takes the difference */
	}
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

	if (!key_decides(d, s) || !flow_memo_check(d->memo, s->track.table, out))
		return;
	while (key_decides(d, s) && recall_source(d, s, in, out))
		s = next_source(d, in);
}

void nt_recall_begin(struct hs_nt_decoder *d, struct hs_memo *memo)
{
	d->memo = memo;
	d->recall = memo && !d->stream.table_count ? recall : NULL;
	if (!memo)
		return;
	memo->table = NULL;
	memo->lead_kind = HS_NT_DIRECT_BRANCH;
	memo->messages = d->stats.messages;
	memo->bytes = d->stats.bytes;
	memo->count_messages = count_messages;
}
