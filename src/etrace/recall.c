/* Cached paths of E-Trace (flow/memo.h, flow/recall.h; design/memo): packets of formats 0 to 2.
 *
 * A window is one packet, whose first byte says its length.  A key is its bytes, the state
 * (state_of()) and the reported address, as a difference to the start of the entry.  The branch
 * predictor, the jump target cache and the time of a frame are not in it (recall_tables.h).
 *
 * Example: the last packet reported 0x104, an instruction of 2 bytes in entry 12 of the table,
 * which begins at 0x100.  The key is the bytes of the next packet, entry 12 of which 3 half-words
 * retired, and 0x104 - 0x100.  The path that is found has the blocks up to the address which that
 * packet reports; after and extra say the same of that place.
 *
 * Invariant: a path is followed, and added, only from and to a state where key_decides(): nothing
 * but the key and these tables decides where the next packet leads.
 */
#include "etrace/careful.h"
#include "etrace/place.h"
#include "etrace/recall_tables.h"

#include "core/mem.h"
#include "core/base_word.h"
#include "etrace/et_reader.h"
#include "etrace/et_standard.h"
#include "flow/memo.h"
#include "flow/memo_calls.h"

/* hs_memo_key.state: the entry of the table in 32 bits, and these.  hs_memo_path.moved has the
 * state of the search for circles of jumps (struct hs_jumps). */
#define OFF_SHIFT 32
#define OPTIONS_SHIFT 40
#define LANDED_SHIFT 48
#define TAKEN ((uint64_t)1 << 57)         /* with ET_KEY_HAS_BIT: it was */
#define INFERRED ((uint64_t)1 << 58)      /* hs_et_source.inferred */
#define PREDICTS ((uint64_t)1 << 59)      /* there is a predictor, and */
#define STATES_UNSEEN ((uint64_t)1 << 60) /* it is not that of the encoder */

/* Room for a path, and for what a packet needs after it. */
#define ROOM ((ptrdiff_t)MEMO_ROOM + ET_STEP_ROOM + ET_AFTER_WALK)

/* Flags of look(): what the packets of the source are like. */
#define LOOK_LENGTH 0xffu    /* the bits of a first byte that say how many bytes follow */
#define LOOK_PREDICTS 0x100u /* there is a branch predictor */
#define LOOK_TARGETS 0x200u  /* there is a jump target cache */
#define LOOK_FRAME 0x400u    /* frames have a source or a time */

/* Bytes of input that a packet with such a frame is looked for in. */
#define FRAME_BYTES (MEMO_BYTES + 16u)

/* While paths are followed. */
struct et_recall {
	struct flow_window window; /* its key has the state */
	const uint8_t *p, *end;    /* input that is left */
	struct hs_memo_path *last; /* NULL: no path was followed */
	struct et_replay replay;   /* LOOK_TARGETS */
	uint8_t *states;           /* LOOK_PREDICTS: of the predictor */
	struct et_stamps *stamps;  /* LOOK_FRAME; else NULL */
};

/* Where a packet names an entry of the cache, put what is there into the second word of the key:
 * such packets are nearly always short enough.  False: this one is not. */
static inline bool look_target(struct et_recall *r, unsigned key_bytes)
{
	struct flow_window *w = &r->window;
	uint32_t index;

	if (!et_names_target(&r->replay.index, w->key.bytes[0], key_bytes, &index))
		return true;
	w->key.bytes[1] = r->replay.tables->cache[index];
	w->bytes = key_bytes <= 8 ? w->bytes : 0;
	return w->bytes;
}

/* The bits that a packet of @n bytes has of its first and its second word.  Shifts to the left
 * would be calls of libgcc where XLEN is 32. */
static inline uint64_t first_bits(unsigned n)
{
	return n < 8 ? UINT64_MAX >> (64 - 8 * n) : UINT64_MAX;
}

static inline uint64_t second_bits(unsigned n)
{
	return n > 8 ? UINT64_MAX >> (128 - 8 * n) % 64 : 0;
}

/* A packet of @n bytes without its time, which is cut out of the key.  False: it is of another
 * source, too long, or too near to the end of the input. */
static inline __attribute__((always_inline)) bool look_frame(const struct hs_et_source *s,
                                                             struct et_recall *r, unsigned n)
{
	struct et_stamps *t = r->stamps;
	struct hs_memo_key *key = &r->window.key;
	const uint8_t *p = r->p;

	r->window.bytes = 0;
	if (unlikely(r->end - p < (ptrdiff_t)FRAME_BYTES || n > MEMO_BYTES || !t->room) ||
	    (t->source && (word_load(p) >> 8 & t->source) != s->track.src))
		return false;
	t->has = p[0] & 0x80 ? t->bytes : 0;
	t->low = et_stamp_at(t, p);
	key->bytes[0] = (word_load(p) & t->head) | (word_load(p + t->has) & ~t->head);
	key->bytes[0] &= first_bits(n);
	key->bytes[1] = word_load(p + t->has + 8) & second_bits(n);
	r->window.bytes = n + t->has;
	return true;
}

static inline __attribute__((always_inline)) bool look(const struct hs_et_source *s,
                                                       struct et_recall *r, unsigned flags)
{
	struct flow_window *w = &r->window;
	const uint8_t *p = r->p;

	const unsigned apart = flags & LOOK_FRAME ? r->stamps->apart : 0;
	const unsigned n = 1 + apart + (p[0] & flags & LOOK_LENGTH);

	if (flags & LOOK_FRAME) {
		if (!look_frame(s, r, n))
			return false;
	} else {
		w->bytes = n;
		w->key.bytes[0] = word_load(p) & first_bits(n);
		w->key.bytes[1] = word_load(p + 8) & second_bits(n);
	}
	return !(flags & LOOK_TARGETS) || look_target(r, n);
}

static inline bool may_follow(const struct et_recall *r)
{
	(void)r; /* the key says where */
	return true;
}

/* Only packets that count predicted branches depend on the predictor; others have a bit for each
 * branch. */
static inline bool holds(const struct hs_memo *m, const struct et_recall *r,
                         const struct hs_memo_path *path, unsigned flags)
{
	return !(flags & LOOK_PREDICTS) || likely(path->kind != HS_ET_FORM_BRANCH_COUNT) ||
	       et_states_fit(flow_memo_tail(m, path), r->states);
}

static inline __attribute__((always_inline)) void replay(struct hs_memo *m, struct et_recall *r,
                                                         const struct hs_memo_path *path,
                                                         unsigned flags, struct flow_out *out)
{
	if (flags & LOOK_FRAME)
		et_replay_stamp(r->stamps, &m->bytes[path->kind], out);
	if (flags & LOOK_PREDICTS)
		et_train_states(flow_memo_tail(m, path), r->states);
	if (flags & LOOK_TARGETS)
		et_fill_targets(flow_memo_tail(m, path), &r->replay);
}

static inline void follow_path(struct et_recall *r, struct hs_memo_path *path,
                               const struct hs_bb *bbs)
{
	(void)bbs;
	r->p += r->window.bytes;
	r->window.key.state = path->after;
	r->window.key.extra = path->extra;
	r->last = path;
}

static inline bool anchors(const struct hs_memo_path *path)
{
	return !path->unanchored;
}

static inline bool infers_returns(const struct hs_et_source *s)
{
	return s->path.depth;
}

static struct flow_call_stack stack_of(struct hs_et_source *s)
{
	return (struct flow_call_stack){ .at = s->tables.returns,
		                         .mask = s->tables.mask,
		                         .top = &s->tables.top,
		                         .count = &s->tables.count,
		                         .marks = &s->path.marks };
}

#define DECODER struct hs_et_decoder
#define SOURCE struct hs_et_source
#define RECALL struct et_recall
#include "flow/recall.h"

/* Where returns are inferred: are all calls known on which the next packet may depend, and is no
 * return of the packet before it open? */
static bool knows_calls(const struct hs_et_source *s)
{
	return !s->path.depth || (!s->path.calls_unseen && !s->inferred);
}

static bool is_between_packets(const struct hs_et_decoder *d, const struct hs_et_source *s)
{
	const struct hs_stream *stream = &d->stream;

	return stream->count && stream_counts_changes(stream, &s->track) && !stream_busy(stream) &&
	       s->track.state == TRACK_SYNCED && s->phase == ET_FRESH && !d->reader.held &&
	       !d->reader.hunting;
}

/* The source of the next packet; NULL: it is not known by now. */
static struct hs_et_source *next_source(const struct hs_et_decoder *d, const struct hs_span *in)
{
	if (!d->stream.several)
		return d->sources;
	if (in->n < MEMO_BYTES || d->stream.guide)
		return NULL;
	const uint64_t src = word_load(in->p) >> 8 & et_ones(d->config.src_bits);
	const size_t i = stream_find(&d->stream, (unsigned)src);

	return i < d->stream.count ? &d->sources[i] : NULL;
}

/* Of the packet that was read last; NULL: there was no room for it. */
static struct hs_et_source *last_source(const struct hs_et_decoder *d)
{
	const size_t i = d->stream.several ? stream_find(&d->stream, d->packet.src) : 0;

	return i < d->stream.count ? &d->sources[i] : NULL;
}

/* Does the walk stand in an entry of the table, with no part of a block that is not written? */
static bool stands_in_entry(const struct hs_et_source *s)
{
	const struct hs_walk *w = &s->track.walk;

	return w->cur >= HS_BB_FIRST && w->acc == 0 && w->generation == s->track.table->generation;
}

/* Is nothing left of earlier packets but one branch at most, which the key has? */
static bool has_used_branches(const struct hs_path *p)
{
	return p->bits <= 1 && !p->predicted && !p->failed && !p->before;
}

/* Do only the key and the tables decide where the next packet of @s leads?  No, if that is NULL. */
static bool key_decides(const struct hs_et_decoder *d, const struct hs_et_source *s)
{
	return s && is_between_packets(d, s) && s->trust.doubt == ET_SURE && knows_calls(s) &&
	       s->track.timed != HS_TIMED_NEXT && stands_in_entry(s) && has_used_branches(&s->path);
}

static uint64_t state_of(const struct hs_et_source *s)
{
	const struct hs_walk *w = &s->track.walk;
	const struct hs_path *p = &s->path;
	const uint64_t opt = s->options & ET_OPTIONS; /* other options empty the memo */
	const uint64_t bit = p->bits ? ET_KEY_HAS_BIT | (p->hist >> 63 ? TAKEN : 0) : 0;

	return w->cur | (uint64_t)w->off << OFF_SHIFT | opt << OPTIONS_SHIFT |
	       (uint64_t)s->landed << LANDED_SHIFT | bit | (s->inferred ? INFERRED : 0) |
	       (p->states ? PREDICTS : 0) | (p->states_unseen ? STATES_UNSEEN : 0);
}

static uint64_t extra_of(const struct hs_et_source *s)
{
	return s->address - s->track.walk.pc;
}

/* ---- adding a path ---------------------------------------------------------------- */

/* A time of no bytes is none that is replayed. */
static bool may_remember(const struct hs_et_decoder *d)
{
	const struct hs_et_packet *p = &d->packet;

	return (p->form == HS_ET_FORM_BRANCH || p->form == HS_ET_FORM_ADDRESS ||
	        p->form == HS_ET_FORM_BRANCH_COUNT || p->form == HS_ET_FORM_INDEX) &&
	       (!p->has_tstamp || d->config.tstamp_bytes);
}

/* The pending packet was decoded: add its path. */
static void add_path(struct hs_et_decoder *d, struct hs_et_source *s, const struct flow_out *out)
{
	const struct hs_memo_pending *pending = &d->pending;
	const bool timed = out->p != pending->from && out->p[-1].kind == HS_KIND_TIME;
	const size_t blocks = (size_t)(out->p - pending->from) - timed;
	uint64_t words[ET_OWN_WORDS];
	struct flow_own own;
	struct hs_memo_path r;

	if (blocks > MEMO_BLOCKS || !may_remember(d) || !et_own_of(d, s, out, &own, words))
		return;
	memset(&r, 0, sizeof r);
	r.key = pending->key;
	r.after = state_of(s);
	r.extra = extra_of(s);
	r.moved = s->path.jumps.without_branch | (uint64_t)s->path.jumps.mark << 32;
	r.blocks = (uint8_t)blocks;
	r.more = (et_key_bytes(d, &pending->key) - 1u) & 15;
	r.kind = d->packet.form & 63;
	r.unanchored = !et_has_address(d);
	remember(d, s, &r, s->path.report && !s->path.counting, &own);
}

static void finish_pending(struct hs_et_decoder *d, const struct flow_out *out)
{
	struct hs_et_source *s = d->pending.from ? last_source(d) : NULL;

	if (s && d->stream.several && d->pending.from < out->p &&
	    d->pending.from->kind == HS_KIND_HART)
		d->pending.from++; /* whose blocks they are is written anew each time */
	if (s && d->reader.offset == d->pending.end && key_decides(d, s))
		add_path(d, s, out);
	d->pending.from = NULL;
}

/* ---- following paths -------------------------------------------------------------- */

/* Put the source, the input and the reader where the paths led; the last packet is read again. */
static void settle(struct hs_et_decoder *d, struct hs_et_source *s, struct hs_span *in,
                   const struct et_recall *r)
{
	struct hs_walk *w = &s->track.walk;
	const uint64_t state = r->last->after;
	const unsigned stamp = r->stamps && r->last->key.bytes[0] & 0x80 ? r->stamps->bytes : 0;
	const size_t n = (size_t)(r->p - in->p) - flow_memo_bytes(r->last) - stamp;
	const uint8_t *from = in->p + n;

	in->p += n;
	in->n -= n;
	d->reader.offset += n;
	const enum hs_status status = hs_et_read(&d->reader, in, &d->packet);

	if (d->stream.several)
		hs_et_read_again(&d->reader, status, s->options, from, in, &d->packet);
	if (r->stamps) {
		s->track.time = r->stamps->time;
		s->track.timed = r->stamps->timed ? HS_TIMED : HS_TIMED_NOT;
	}
	w->cur = (uint32_t)state;
	w->off = (uint8_t)(state >> OFF_SHIFT);
	w->pc = s->track.table->bbs[w->cur].start;
	s->landed = (uint8_t)(state >> LANDED_SHIFT);
	s->inferred = state & INFERRED;
	s->address = w->pc + r->last->extra;
	s->path.bits = state & ET_KEY_HAS_BIT ? 1 : 0;
	s->path.hist = state & TAKEN ? (uint64_t)1 << 63 : 0;
	s->path.jumps.without_branch = (uint32_t)r->last->moved;
	s->path.jumps.mark = (uint32_t)(r->last->moved >> 32);
}

/* Out of line, so that the common case keeps its registers. */
static __attribute__((noinline)) void follow_tables(struct hs_et_decoder *d, struct hs_et_source *s,
                                                    struct et_recall *r, struct flow_out *out,
                                                    struct manner manner)
{
	const unsigned length = manner.look & LOOK_LENGTH, tables = manner.look & ~LOOK_LENGTH;

	if (manner.counts && (tables & LOOK_FRAME))
		follow_as(d, s, r, out, (struct manner){ .look = manner.look, .counts = true });
	else if (manner.counts)
		follow_as(d, s, r, out,
		          (struct manner){ .look = manner.look & ~LOOK_FRAME, .counts = true });
	else if (tables == LOOK_PREDICTS)
		follow_as(d, s, r, out, (struct manner){ .look = length | LOOK_PREDICTS });
	else if (tables == LOOK_TARGETS)
		follow_as(d, s, r, out, (struct manner){ .look = length | LOOK_TARGETS });
	else if (tables == LOOK_FRAME)
		follow_as(d, s, r, out, (struct manner){ .look = length | LOOK_FRAME });
	else if (tables & LOOK_FRAME)
		follow_as(d, s, r, out, (struct manner){ .look = manner.look });
	else
		follow_as(d, s, r, out,
		          (struct manner){ .look = length | LOOK_PREDICTS | LOOK_TARGETS });
}

/* With a copy of the loop for sources without tables. */
static __attribute__((noinline)) void follow_uncommon(struct hs_et_decoder *d,
                                                      struct hs_et_source *s, struct et_recall *r,
                                                      struct flow_out *out, struct manner manner)
{
	const unsigned length = manner.look & LOOK_LENGTH;

	if (manner.look == length)
		follow_with(d, s, r, out,
		            (struct manner){ .look = length, .counts = manner.counts });
	else if (manner.look == (length | LOOK_FRAME))
		follow_with(
			d, s, r, out,
			(struct manner){ .look = length | LOOK_FRAME, .counts = manner.counts });
	else
		follow_with(d, s, r, out, manner);
}

/* Each common case has its own copy of the loop, with constant flags. */
static void follow_paths(struct hs_et_decoder *d, struct hs_et_source *s, struct et_recall *r,
                         unsigned flags, struct flow_out *out, bool counts)
{
	const unsigned length = flags & LOOK_LENGTH;

	if (is_uncommon(d, s))
		follow_uncommon(d, s, r, out, (struct manner){ .look = flags, .counts = counts });
	else if (flags != length)
		follow_tables(d, s, r, out, (struct manner){ .look = flags, .counts = counts });
	else if (counts)
		follow_as(d, s, r, out, (struct manner){ .look = length, .counts = true });
	else
		follow_as(d, s, r, out, (struct manner){ .look = length, .counts = false });
}

/* Count paths, and write the last one (flow_memo_put_last()). */
static void count_paths(struct hs_et_decoder *d, struct et_recall *r, unsigned flags, uint64_t priv,
                        struct flow_out *out)
{
	const uint64_t start = d->sources->track.walk.pc;

	if (!has_room(out))
		return;
	if (r->stamps)
		r->stamps->room = (size_t)(out->end - out->p) - ROOM; /* times are written */
	follow_paths(d, d->sources, r, flags, out, true);
	if (r->last)
		flow_memo_put_last(d->memo, r->last, start, priv, out);
}

/* LOOK_LENGTH of a framing; 0: the first byte does not say the length. */
static unsigned length_mask(const struct hs_et_resolved *c)
{
	const unsigned frame = c->wire.frame;

	if (c->wire.arrivals) /* what is remembered is of the text's addresses */
		return 0;
	if (et_names_source(frame))
		return 31;
	if (frame == HS_ET_FRAME_BARE || frame == HS_ET_FRAME_INDEXED || et_is_slotted(frame))
		return 0;
	return (1u << c->wire.length_bits) - 1;
}

/* The flags of look() for the source. */
static unsigned look_of(const struct hs_et_decoder *d, const struct hs_et_source *s)
{
	const bool frame = et_names_source(d->config.wire.frame) &&
	                   (d->config.src_bits || d->config.tstamp_bytes);

	return d->length_mask | (s->path.states ? LOOK_PREDICTS : 0) |
	       (s->tables.cache ? LOOK_TARGETS : 0) | (frame ? LOOK_FRAME : 0);
}

/* May paths be counted? */
static bool may_count(const struct hs_et_decoder *d, const struct et_recall *r)
{
	return !d->stream.guide && !d->stream.several &&
	       (!r->stamps || d->memo->passes_times || r->stamps->silent);
}

/* Follow the paths of one source.  Does the next packet, of another one, come after them? */
static bool recall_source(struct hs_et_decoder *d, struct hs_et_source *s, struct hs_span *in,
                          struct flow_out *out)
{
	const uint64_t priv = s->track.walk.priv;
	const unsigned flags = look_of(d, s);
	struct et_recall r = { .p = in->p, .end = in->p + in->n, .states = s->path.states };
	struct et_stamps stamps;

	if (flags & LOOK_FRAME) {
		stamps = et_stamps_begin(d, s);
		r.stamps = &stamps;
	}
	if (flags & LOOK_TARGETS) {
		if (d->stream.several && et_options_word(&d->reader.config) != s->options)
			return false; /* the reader's layout is that of another source */
		r.replay = et_replay_begin(d, s);
	}
	r.window.key.state = state_of(s);
	r.window.key.extra = extra_of(s);
	if (flow_memo_counts(d->memo, &d->pending, priv, out) && may_count(d, &r))
		count_paths(d, &r, flags, priv, out);
	else
		follow_paths(d, s, &r, flags, out, false);
	if (r.last)
		settle(d, s, in, &r);
	s->tables.fills = 0;
	if (d->stream.several && r.last && next_source(d, in) != s)
		return true;
	if (in->n >= MEMO_BYTES && r.window.bytes && has_room(out) &&
	    et_key_bytes(d, &r.window.key) <= MEMO_BYTES)
		begin_pending(d, s, &r, out);
	return false;
}

static void recall(struct hs_et_decoder *d, struct hs_span *in, struct flow_out *out)
{
	if (!in) {
		flow_memo_end_call(d->memo, &d->pending, out);
		return;
	}
	finish_pending(d, out);
	struct hs_et_source *s = next_source(d, in);

	if (!key_decides(d, s) || !flow_memo_check(d->memo, s->track.table, out))
		return;
	while (key_decides(d, s) && recall_source(d, s, in, out))
		s = next_source(d, in);
}

/* Are the packets of all sources alike, with the source in their second byte? */
static bool sources_are_alike(const struct hs_et_resolved *c)
{
	return !et_is_standard(c) && !c->type_widths &&
	       !(c->wire.frame == HS_ET_FRAME_MESSAGE && c->wire.stamp_first);
}

/* Do packets say their length, and is everything else that they depend on in the key? */
static bool may_recall(const struct hs_et_decoder *d)
{
	return d->config.version != HS_ET_0_026 && d->config.version != HS_ET_FAST && !d->data &&
	       (!d->stream.several || sources_are_alike(&d->config)) && !d->stream.table_count &&
	       d->length_mask && !d->config.counter_bits;
}

void et_recall_begin(struct hs_et_decoder *d, struct hs_memo *memo)
{
	d->memo = memo;
	d->length_mask = (uint8_t)length_mask(&d->config);
	d->recall = memo && may_recall(d) ? recall : NULL;
	if (!memo)
		return;
	memo->table = NULL;
	memo->count_messages = NULL;
	memo->lead_kind = 0; /* there are none */
	memo->messages = d->stats.packets;
	memo->bytes = d->stats.bytes;
}
