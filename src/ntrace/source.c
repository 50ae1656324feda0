/* One source's messages to blocks (NT 11.1).
 *
 * Work on a message has three phases: begin (what does it say?), walk (follow the
 * program as far as it says), end (the block that it closes, the address that it gives).
 * The output may fill up in the middle; the phase is then resumed.
 */
#include "ntrace/source.h"

#include "core/mem.h"
#include "flow/times.h"
#include "ntrace/nt_decoder.h"
#include "ntrace/reader.h"
#include "ntrace/tables.h"

void nt_source_init(const struct hs_nt_decoder *d, struct hs_nt_source *s)
{
	const struct hs_nt_config *c = &d->config;

	s->track.walk.returns =
		(uint32_t)((unsigned char *)&s->returns - (unsigned char *)&s->track.walk);
	s->track.walk.rules =
		(uint8_t)((c->sequential_jump ? FLOW_SEQUENTIAL : 0) |
	                  (c->implicit_return || d->dialect->implicit_any ? FLOW_RETURNS : 0) |
	                  (c->all_jumps ? FLOW_ALL_JUMPS : 0));
}

/* The same evidence once more: HREPEAT of ResourceFull, B-CNT of RepeatBranch. */
static enum hs_status begin_again(struct hs_nt_decoder *d, struct hs_nt_source *s)
{
	const uint64_t repeat = s->repeat - 1;
	enum hs_status status;

	memset(&s->evidence, 0, sizeof s->evidence);
	if (d->msg.tcode == HS_NT_RESOURCE_FULL)
		status = nt_begin_full(d, s);
	else
		status = nt_begin_count(d, s);
	s->repeat = repeat;
	return status;
}

/* Is it known where the source is, or that its trace is off? */
static bool has_place(const struct hs_nt_source *s)
{
	return s->track.state != TRACK_LOST && s->track.state != TRACK_UNSEEN;
}

/* Messages that are events, whatever the flow is.  Out of line: others do not pay for it. */
static __attribute__((noinline)) bool is_event(const struct hs_nt_decoder *d)
{
	const struct hs_nt_msg *m = &d->msg;

	return d->dialect->more &&
	       (m->tcode == HS_NT_DATA_ACQUISITION || m->tcode == HS_NT_IN_CIRCUIT_TRACE ||
	        m->tcode == HS_NT_IN_CIRCUIT_TRACE_SYNC ||
	        (HAS(m, SYNC) && GET(m, SYNC) == NT_SYNC_SAMPLE));
}

/* An absolute time: of a counter with fewer bits the next that fits (NT 8.7, design/times). */
static void set_time(const struct hs_nt_decoder *d, struct hs_nt_source *s, uint64_t stamp)
{
	const unsigned bits = d->config.tstamp_bits ? d->config.tstamp_bits : 64;

	s->track.time = flow_widen_time(s->track.time, stamp, bits);
	s->track.timed = true;
}

/* TSTAMP: absolute in synchronising messages, else since the last one (NT 8.7). */
void nt_add_time(const struct hs_nt_decoder *d, struct hs_nt_source *s, struct flow_out *out)
{
	const struct hs_nt_msg *m = &d->msg;

	if (!HAS(m, TSTAMP))
		return;
	if (HAS(m, SYNC) || m->tcode == HS_NT_IN_CIRCUIT_TRACE_SYNC)
		set_time(d, s, GET(m, TSTAMP));
	else if (!s->track.timed)
		return;
	else if (d->dialect->tstamp_xor)
		s->track.time ^= GET(m, TSTAMP);
	else
		s->track.time += GET(m, TSTAMP);
	if (has_place(s) || is_event(d))
		nt_put_event(out, HS_KIND_TIME, s->track.time, 0);
}

/* Walk up to each change of the code. */
static enum flow_stop walk_guided(struct hs_nt_decoder *d, struct hs_nt_source *s,
                                  struct flow_out *out)
{
	enum flow_stop stop;

	do {
		stream_count(&d->stream, &s->track);
		struct flow_out room = stream_room(&s->track, out->p, out->end);

		stop = flow_walk(&s->track.walk, s->track.table, &s->evidence, &room);
		out->p = room.p;
	} while (stop == FLOW_FULL && out->p != out->end);
	stream_count(&d->stream, &s->track);
	return stop;
}

static inline enum flow_stop walk(struct hs_nt_decoder *d, struct hs_nt_source *s,
                                  struct flow_out *out)
{
	return d->stream.guide ? walk_guided(d, s, out)
	                       : flow_walk(&s->track.walk, s->track.table, &s->evidence, out);
}

/* Walk as far as the evidence reaches, then end the message. */
static enum hs_status follow(struct hs_nt_decoder *d, struct hs_nt_source *s, struct flow_out *out)
{
	if (s->phase != NT_END) {
		s->phase = NT_WALK;
		s->stop = (uint8_t)walk(d, s, out);
		if (s->stop == FLOW_FULL)
			return HS_FULL;
		s->phase = NT_END;
	}
	if (out->end - out->p < NT_STEP_ROOM)
		return HS_FULL;
	const enum hs_status status = nt_end(d, s, out);

	s->phase = NT_WALK;
	return status;
}

/* In code that is not known equal messages differ only in where they lead, and U-ADDR leads there
 * and back: pass an even number of them at once, however many a damaged count claims. */
static void skip_repeats(struct hs_nt_source *s)
{
	const uint64_t pairs = s->repeat / 2;

	if (s->evidence.mode != FLOW_HISTORY)
		s->track.unseen += 2 * pairs * s->evidence.left;
	s->repeat -= 2 * pairs;
}

enum hs_status nt_source_run(struct hs_nt_decoder *d, struct hs_nt_source *s, struct flow_out *out)
{
	enum hs_status status = HS_OK;
	bool walk = true;

	if (s->phase == NT_BEGIN) {
		if (out->end - out->p < NT_STEP_ROOM)
			return HS_FULL;
		s->repeat = 0;
		status = nt_begin(d, s, out, &walk);
	}
	while (status == HS_OK && walk) {
		if (s->track.state == TRACK_UNSEEN)
			status = nt_pass_unseen(d, s, out);
		else
			status = follow(d, s, out);
		if (status == HS_FULL)
			return HS_FULL;
		walk = s->repeat != 0 && status == HS_OK;
		if (walk)
			status = begin_again(d, s);
		if (walk && s->track.state == TRACK_UNSEEN)
			skip_repeats(s);
	}
	s->phase = NT_BEGIN;
	if (status != HS_OK)
		s->track.state = TRACK_LOSING;
	else
		nt_add_time(d, s, out);
	return status;
}

bool nt_source_branches(struct hs_nt_decoder *d, struct hs_nt_source *s, struct hs_span *in,
                        struct flow_out *out)
{
	struct hs_span part = *in; /* to the end of a window that is to be remembered */

	if (d->pending.from && d->pending.end - d->reader.offset < part.n)
		part.n = (size_t)(d->pending.end - d->reader.offset);
	const struct nt_branches run = nt_find_branches(&d->reader, &part);
	struct hs_evidence *e = &s->evidence;
	size_t n = 0;

	if (run.count == 0)
		return false;
	memset(e, 0, sizeof *e);
	e->mode = FLOW_TO_BRANCH;
	s->stop = FLOW_DONE;
	while (n < run.count && s->stop == FLOW_DONE && out->end - out->p >= NT_STEP_ROOM) {
		e->left = nt_branch_icnt(&run, n++);
		s->stop = (uint8_t)flow_walk(&s->track.walk, s->track.table, e, out);
	}
	if (n == 0)
		return false;
	d->stats.messages[HS_NT_DIRECT_BRANCH] += n;
	d->stats.bytes[HS_NT_DIRECT_BRANCH] += NT_BRANCH_BYTES * n;
	s->last_tcode = HS_NT_DIRECT_BRANCH;
	s->last_present = (uint32_t)1 << HS_NTF_ICNT;
	s->last[1] = nt_branch_icnt(&run, n - 1);
	nt_take_branches(&d->reader, in, n, &d->msg);
	if (s->stop == FLOW_DONE)
		return false;
	s->phase = s->stop == FLOW_FULL ? NT_WALK : NT_END;
	return true;
}

bool hs_nt_source_same(const struct hs_nt_decoder *d, const struct hs_nt_source *a,
                       const struct hs_nt_source *b)
{
	(void)d;
	return stream_same_track(&a->track, &b->track) && a->phase == NT_BEGIN &&
	       b->phase == NT_BEGIN && a->ref == b->ref && a->ref_known == b->ref_known &&
	       a->icnt_full == b->icnt_full && a->icnt_used == b->icnt_used && a->mode == b->mode &&
	       a->at_ref == b->at_ref && a->calls_unseen == b->calls_unseen &&
	       a->last_tcode == b->last_tcode && a->last_present == b->last_present &&
	       memcmp(a->last, b->last, sizeof a->last) == 0;
}
