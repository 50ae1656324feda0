/* Code that is not known (ADR-0068): messages are counted until one of them has an address. */
#include "ntrace/source.h"

bool nt_leaves_code(enum hs_reason reason)
{
	return reason == HS_REASON_NO_CODE || reason == HS_REASON_RETURN_UNSEEN;
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
	s->phase = NT_WALK;
	if (HAS(m, FADDR)) {
		if (HAS(m, SYNC) && GET(m, SYNC) == 7)
			return nt_source_fault(d, s, HS_REASON_OVERRUN);
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

bool nt_source_close(struct hs_nt_decoder *d, struct hs_nt_source *s, struct flow_out *out)
{
	struct hs_track *t = &s->track;

	if (out->end - out->p < NT_STEP_ROOM)
		return false;
	if (t->state == TRACK_UNSEEN) {
		put_unseen(d, s, out);
	} else if (flow_open(&t->walk)) {
		stream_put_hart(&d->stream, t, out);
		flow_refresh(&t->walk, t->table);
		flow_close(&t->walk, t->table, HS_ITYPE_NONE, out);
	}
	t->state = TRACK_OFF;
	return true;
}
