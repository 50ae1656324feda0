/* Messages of SiFive encoders beyond N-Trace 1.0, to events (ADR-0062). */
#include "ntrace/source.h"

/* Values of CKSRC. */
enum { ICT_CONTROL = 0, ICT_CALL = 9 };

static void put_note(struct flow_out *out, enum hs_note note, unsigned itype, unsigned more,
                     uint64_t value)
{
	nt_put_event(out, HS_KIND_NOTE, value, itype);
	out->p[-1].arg = note;
	out->p[-1].ilast = (uint8_t)more;
}

/* IDTAG is the offset of the ITC's register that was written. */
static void put_acquisition(const struct hs_nt_msg *m, struct flow_out *out)
{
	const uint64_t tag = GET(m, IDTAG) < 0xffff ? GET(m, IDTAG) : 0xffff;

	put_note(out, HS_NOTE_ACQUISITION, (unsigned)tag & 0xff, (unsigned)(tag >> 8),
	         GET(m, DQDATA));
}

/* An address of the message: full, or against the last one. */
static uint64_t move_reference(struct hs_nt_source *s, uint64_t data, bool full)
{
	const uint64_t v = data << 1;

	s->ref = full ? v : s->ref ^ v;
	if (s->track.table->image->isa.xlen == 32)
		s->ref &= UINT32_MAX;
	return s->ref;
}

static void put_circuit(struct hs_nt_decoder *d, struct hs_nt_source *s, struct flow_out *out)
{
	const struct hs_nt_msg *m = &d->msg;
	const unsigned source = (unsigned)GET(m, CKSRC);
	const bool full = m->tcode == HS_NT_IN_CIRCUIT_TRACE_SYNC;
	uint64_t first = GET(m, CKDATA), second = GET(m, CKDATA1);

	if (source != ICT_CONTROL) {
		if (!full && !s->ref_known) {
			d->stats.skipped++; /* an address against none */
			return;
		}
		first = move_reference(s, first, full);
		s->ref_known = true;
	}
	if (source == ICT_CALL && HAS(m, CKDATA1))
		second = move_reference(s, second, false);
	put_note(out, HS_NOTE_CIRCUIT, source, HAS(m, CKDATA1), first);
	if (HAS(m, CKDATA1))
		put_note(out, HS_NOTE_CIRCUIT_DATA, source, 0, second);
}

/* A sample of the PC: where the hart was, without a way there. */
static void put_sample(const struct hs_nt_decoder *d, struct hs_nt_source *s, struct flow_out *out)
{
	s->ref = nt_full_address(d, s);
	s->ref_known = true;
	nt_put_event(out, HS_KIND_SYNC, s->ref, NT_SYNC_SAMPLE);
}

bool nt_begin_more(struct hs_nt_decoder *d, struct hs_nt_source *s, struct flow_out *out)
{
	const struct hs_nt_msg *m = &d->msg;

	if (!d->dialect->more)
		return false;
	if (m->tcode == HS_NT_DATA_ACQUISITION)
		put_acquisition(m, out);
	else if (m->tcode == HS_NT_IN_CIRCUIT_TRACE || m->tcode == HS_NT_IN_CIRCUIT_TRACE_SYNC)
		put_circuit(d, s, out);
	else if (HAS(m, SYNC) && GET(m, SYNC) == NT_SYNC_SAMPLE && HAS(m, FADDR))
		put_sample(d, s, out);
	else
		return false;
	return true;
}
