/* Messages whose way is remembered (flow/memo.h; ADR-0147).
 *
 * A window is the messages that are looked up at once: up to four short DirectBranch messages, and
 * one message of any kind.  What is in a window is looked at only when its run is added; later the
 * same bytes are the same messages.
 */
#include "ntrace/reader.h"
#include "ntrace/source.h"

#include "base/mem.h"
#include "base/word.h"
#include "flow/memo.h"

/* The highest bit of each of four short DirectBranch messages. */
#define LANE_TOPS UINT64_C(0x8000800080008000)

/* Where a source stands: what is in hs_memo_key.state. */
#define AT_REF ((uint64_t)1 << 40) /* the walk stands at the reference address */
#define MODE_SHIFT 32

struct window {
	struct hs_memo_key key;
	unsigned bytes; /* 0: no message ends in it */
};

/* @lanes: a group of DirectBranch messages may come first.  Which they are the processor cannot
 * foresee, and there are no branches for that; how long the last one is repeats itself. */
static inline void look(struct window *w, const uint8_t *p, bool lanes)
{
	const uint64_t low = word_load(p), high = word_load(p + 8);
	const uint64_t differs = (low & NT_BRANCH_MASK) ^ NT_BRANCH_BITS;
	const uint64_t other = word_lowest((differs + ~LANE_TOPS) & LANE_TOPS);
	const uint64_t before =
		lanes ? (other >> 15) - 1 : 0; /* bits of the DirectBranch messages */
	const uint64_t ends = low & low >> 1 & WORD_EACH & ~before,
		       ends2 = high & high >> 1 & WORD_EACH;

	w->key.bytes[1] = 0;
	if (likely(ends)) {
		w->key.bytes[0] = low & ((word_lowest(ends) << 8) - 1);
		w->bytes = 1 + word_first(ends);
	} else if (likely(ends2)) {
		w->key.bytes[0] = low;
		w->key.bytes[1] = high & ((word_lowest(ends2) << 8) - 1);
		w->bytes = 9 + word_first(ends2);
	} else {
		w->key.bytes[0] = low & before;
		w->bytes = !lanes ? 0 : other ? word_first(other >> 15) : 8;
	}
}

/* ---- windows of runs that are counted ---------------------------------------------- */

/* Each byte up to the last that is marked. */
static inline uint64_t up_to_last(uint64_t each)
{
	each |= each >> 8;
	each |= each >> 16;
	return each | each >> 32;
}

/* As many messages as there are (ADR-0182). */
static inline void look_far(struct window *w, const uint8_t *p)
{
	const uint64_t low = word_load(p), high = word_load(p + 8);
	const uint64_t ends = low & low >> 1 & WORD_EACH, ends2 = high & high >> 1 & WORD_EACH;
	const uint64_t keep = ends2 ? WORD_EACH : up_to_last(ends), keep2 = up_to_last(ends2);

	w->key.bytes[0] = low & keep * 255;
	w->key.bytes[1] = high & keep2 * 255;
	w->bytes = (unsigned)((keep * WORD_EACH >> 56) + (keep2 * WORD_EACH >> 56));
}

/* The messages of a run by their bytes. */
static void count_messages(struct hs_memo *m, const struct hs_memo_run *r, uint64_t times)
{
	unsigned start = 0, kind = 0;

	for (unsigned i = 0; i < r->bytes; i++) {
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

	return stream->count == 1 && !stream->several && !stream->guide && !stream->table_count &&
	       !stream_busy(stream) && s->track.state == TRACK_SYNCED && s->phase == NT_BEGIN &&
	       s->mode && !s->icnt_full && w->cur >= HS_BB_FIRST && w->acc == 0 && w->off == 0 &&
	       !w->parted && !(w->rules & FLOW_RETURNS) &&
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
	r.bytes = (uint8_t)pending->bytes;
	r.lead = (uint8_t)lead;
	r.kind = d->msg.tcode;
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

/* Where runs led so far. */
struct recall {
	struct window window; /* with the state in its key */
	uint64_t ref;
	const uint8_t *p, *end;
	const struct hs_memo_run *last; /* run, if there was any */
	const uint8_t *branch;          /* the last message that may be repeated; NULL: none */
	bool elsewhere;                 /* the last run led to ref, not to where it did before */
	bool far;                       /* windows are those of look_far() */
};

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
                   const struct recall *r)
{
	struct hs_walk *w = &s->track.walk;
	const size_t n = (size_t)(r->p - in->p);
	const unsigned tail = (unsigned)(r->last->bytes - r->last->lead);

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

/* Take one run. */
static inline void follow(struct recall *r, const struct hs_memo_run *run, const struct hs_bb *bbs)
{
	if (likely(run->kind != HS_NT_RESOURCE_FULL))
		r->branch = r->p + run->lead;
	else if (run->lead)
		r->branch = r->p + run->lead - NT_BRANCH_BYTES;
	r->p += r->window.bytes;
	r->ref ^= run->moved;
	r->elsewhere = (run->after & ~run->key.state & AT_REF) &&
	               bbs[(uint32_t)run->after].start != r->ref;
	r->window.key.state = run->after;
	r->window.key.extra = run->extra;
	r->last = run;
}

static bool has_room(const struct flow_out *out)
{
	return out->end - out->p >= (ptrdiff_t)MEMO_ROOM + NT_STEP_ROOM;
}

/* Follow runs as long as they are known.  @lanes: as look() has it; @counts: they are counted. */
static inline void follow_runs(struct hs_nt_decoder *d, struct recall *r, uint64_t priv,
                               struct flow_out *out, bool lanes, bool counts)
{
	const struct hs_bb *bbs = d->sources->track.table->bbs;
	struct hs_memo *m = d->memo;
	uint64_t hits = 0, latest = m->latest;

	while (r->end - r->p >= (ptrdiff_t)MEMO_BYTES && !r->elsewhere &&
	       (counts || has_room(out))) {
		if (counts && lanes && (r->window.key.state & AT_REF))
			look_far(&r->window, r->p);
		else
			look(&r->window, r->p, lanes);
		const struct hs_memo_run *run = flow_memo_find(m, &r->window.key, &latest);

		if (!run)
			break;
		if (counts) {
			flow_memo_count(m, run);
		} else {
			flow_memo_put(m, run, priv, out);
			flow_memo_count_messages(m, run, 1);
		}
		follow(r, run, bbs);
		hits++;
	}
	m->latest = latest;
	m->stats.hits += hits;
}

/* Count runs.  What a reader of the items needs to know is written. */
static void count_runs(struct hs_nt_decoder *d, struct recall *r, uint64_t priv,
                       struct flow_out *out, bool lanes)
{
	const uint64_t start = d->sources->track.walk.pc;

	if (!has_room(out))
		return;
	if (lanes)
		follow_runs(d, r, priv, out, true, true);
	else
		follow_runs(d, r, priv, out, false, true);
	if (r->last)
		flow_memo_put_last(d->memo, r->last, start, priv, out);
}

/* Decode the window without the memo; it is added then. */
static void begin_pending(struct hs_nt_decoder *d, struct hs_nt_source *s, const struct recall *r,
                          const struct flow_out *out)
{
	d->memo->stats.misses++;
	d->pending.key = r->window.key;
	d->pending.reference = s->ref;
	d->pending.start = s->track.walk.pc;
	d->pending.bytes = (uint8_t)r->window.bytes;
	d->pending.far = r->far;
	d->pending.end = d->reader.offset + r->window.bytes;
	d->pending.from = out->p;
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
	flow_memo_check(d->memo, s->track.table);
	struct recall r = { .ref = s->ref, .p = in->p, .end = in->p + in->n };

	r.window.key.state = state_of(s);
	r.window.key.extra = s->icnt_used;
	r.far = flow_memo_counts(d->memo, &d->pending, priv, out);
	if (r.far)
		count_runs(d, &r, priv, out, lanes);
	else if (lanes)
		follow_runs(d, &r, priv, out, true, false);
	else
		follow_runs(d, &r, priv, out, false, false);
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
