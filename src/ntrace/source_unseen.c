/* Code that is not known (design/unmapped): messages are counted until one of them has an
 * address. */
#include "ntrace/source.h"

#include "core/mem.h"
#include "core/image.h"

static bool leaves_code(enum hs_reason reason)
{
	return reason == HS_REASON_NO_CODE || reason == HS_REASON_RETURN_UNSEEN;
}

/* Do the message and the code of its flow contradict each other? */
static bool contradicts(enum hs_reason reason)
{
	switch (reason) {
	case HS_REASON_ICNT_IN_INSN:
	case HS_REASON_ICNT_NOT_BRANCH:
	case HS_REASON_ICNT_AT_JUMP:
	case HS_REASON_ICNT_NOT_JUMP:
	case HS_REASON_ICNT_PAST_JUMP:
	case HS_REASON_ICNT_BELOW_HIST:
	case HS_REASON_HIST_TOO_SHORT:
	case HS_REASON_HIST_TOO_LONG:
	case HS_REASON_HIST_JUMP:
	case HS_REASON_HIST_LOOP:
	case HS_REASON_HIST_PAST_JUMP:
	case HS_REASON_NO_TARGET:
	case HS_REASON_FADDR_ELSEWHERE:
		return true;
	default:
		return false;
	}
}

bool nt_enters_unknown(const struct hs_nt_decoder *d)
{
	return leaves_code(d->diag.reason) ||
	       (stream_doubts_code(&d->stream) && contradicts(d->diag.reason));
}

void nt_source_hide(struct hs_nt_source *s)
{
	s->track.state = TRACK_UNSEEN;
	s->calls_unseen = true;
	s->at_ref = false;
	s->phase = NT_REST;
}

static void put_unseen(struct hs_nt_decoder *d, struct hs_nt_source *s, struct flow_out *out)
{
	stream_put_unseen(&d->stream, &s->track, HS_UNSEEN_HALFWORDS, out);
}

void nt_source_resume(struct hs_nt_decoder *d, struct hs_nt_source *s, struct flow_out *out)
{
	struct hs_walk *w = &s->track.walk;

	if (s->track.state != TRACK_UNSEEN || !s->at_ref)
		return;
	flow_start(w, s->track.table, s->ref);
	if (w->cur < HS_BB_FIRST)
		return;
	put_unseen(d, s, out);
	stream_anchor(&d->stream, &s->track);
	s->track.state = TRACK_SYNCED;
}

static enum hs_status end_correlation(struct hs_nt_decoder *d, struct hs_nt_source *s,
                                      struct flow_out *out)
{
	put_unseen(d, s, out);
	nt_put_event(out, HS_KIND_STOP, 0, (unsigned)GET(&d->msg, EVCODE));
	s->track.state = TRACK_OFF;
	return HS_OK;
}

enum hs_status nt_pass_unseen(struct hs_nt_decoder *d, struct hs_nt_source *s, struct flow_out *out)
{
	const struct hs_nt_msg *m = &d->msg;

	if (s->evidence.mode != FLOW_HISTORY)
		s->track.unseen += s->evidence.left;
	if (HAS(m, FADDR)) {
		put_unseen(d, s, out);
		nt_source_sync(d, s, out);
		return HS_OK;
	}
	if (m->tcode == HS_NT_PROG_TRACE_CORRELATION)
		return end_correlation(d, s, out);
	s->at_ref = HAS(m, UADDR) ||
	            (s->at_ref && s->evidence.mode != FLOW_HISTORY && s->evidence.left == 0);
	if (HAS(m, UADDR))
		s->ref ^= nt_address_bits(d, s, HS_NTF_UADDR);
	nt_source_resume(d, s, out);
	return HS_OK;
}

/* I-CNT that waits for the branches that belong to it, which never came (design/unmapped): what it
 * proves to have retired is walked, up to the first branch; the rest has retired unseen. */
static enum flow_stop walk_rest(struct hs_nt_source *s, struct flow_out *out)
{
	struct hs_track *t = &s->track;
	struct hs_evidence *e = &s->evidence;

	if (s->phase == NT_BEGIN && s->icnt_full > s->icnt_used) {
		memset(e, 0, sizeof *e);
		e->mode = FLOW_COUNT;
		e->left = s->icnt_full - s->icnt_used;
		s->phase = NT_WALK;
	}
	if (s->phase != NT_WALK)
		return FLOW_DONE;
	const enum flow_stop stop = flow_walk(&t->walk, t->table, e, out);

	if (stop == FLOW_FULL)
		return stop;
	s->phase = NT_BEGIN;
	if (e->left == 0)
		return stop;
	stream_hide(t, flow_pc(&t->walk));
	t->unseen = e->left;
	return stop;
}

/* Write the open block, after which the walk stopped. */
static void close_open(struct hs_nt_source *s, enum flow_stop stop, struct flow_out *out)
{
	struct hs_track *t = &s->track;

	flow_refresh(&t->walk, t->table);
	if (stop == FLOW_UNINFERABLE)
		flow_close_jump(&t->walk, t->table, out);
	else if (flow_open(&t->walk))
		flow_close(&t->walk, t->table, HS_ITYPE_NONE, out);
}

/* What comes after that walk: the open block, half-words unseen. */
#define CLOSE_ROOM 2

bool nt_source_close(struct hs_nt_decoder *d, struct hs_nt_source *s, struct flow_out *out)
{
	struct hs_track *t = &s->track;

	if (out->end - out->p < NT_STEP_ROOM)
		return false;
	if (t->state == TRACK_SYNCED) {
		if (flow_open(&t->walk) || s->icnt_full || s->phase == NT_WALK)
			stream_put_hart(&d->stream, t, out);
		struct flow_out part = { out->p, out->end - CLOSE_ROOM };
		const enum flow_stop stop = walk_rest(s, &part);

		out->p = part.p;
		if (stop == FLOW_FULL)
			return false;
		close_open(s, stop, out);
	}
	put_unseen(d, s, out);
	t->state = TRACK_OFF;
	return true;
}
