/* Messages of SiFive encoders beyond N-Trace 1.0, to events (design/nt-vendor). */
#include "ntrace/source.h"
#include "ntrace/tables.h"

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

/* The address of a field becomes the reference: full, or against the last one. */
static uint64_t move_reference(const struct hs_nt_decoder *d, struct hs_nt_source *s,
                               enum hs_nt_field f, bool full)
{
	const uint64_t v = nt_circuit_bits(d, s, f);

	s->ref = full ? v : s->ref ^ v;
	s->ref_known = true;
	return s->ref;
}

/* An address against none, or it is not known whether the reference moved. */
static enum hs_status skip_circuit(struct hs_nt_decoder *d, struct hs_nt_source *s)
{
	d->stats.skipped++;
	s->ref_known = false;
	return HS_OK;
}

static enum hs_status put_circuit(struct hs_nt_decoder *d, struct hs_nt_source *s,
                                  struct flow_out *out)
{
	const struct hs_nt_msg *m = &d->msg;
	const unsigned source = (unsigned)GET(m, CKSRC);
	const bool full = m->tcode == HS_NT_IN_CIRCUIT_TRACE_SYNC, more = HAS(m, CKDATA1);
	const enum nt_circuit what = nt_circuit_of(source, more);
	uint64_t first = GET(m, CKDATA), second = GET(m, CKDATA1);

	if (what == NT_CIRCUIT_RESERVED && stream_is_followed(&s->track))
		return nt_source_fault(d, s, HS_REASON_CIRCUIT_SOURCE);
	if (what == NT_CIRCUIT_RESERVED || (what != NT_CIRCUIT_DATA && !full && !s->ref_known))
		return skip_circuit(d, s);
	if (what != NT_CIRCUIT_DATA)
		first = move_reference(d, s, HS_NTF_CKDATA, full);
	if (what == NT_CIRCUIT_BOTH)
		second = move_reference(d, s, HS_NTF_CKDATA1, false);
	put_note(out, HS_NOTE_CIRCUIT, source, more, first);
	if (more)
		put_note(out, HS_NOTE_CIRCUIT_DATA, source, 0, second);
	return HS_OK;
}

/* A sample of the PC: where the hart was, without a way there. */
static void put_sample(const struct hs_nt_decoder *d, struct hs_nt_source *s, struct flow_out *out)
{
	s->ref = nt_full_address(d, s);
	s->ref_known = true;
	nt_put_event(out, HS_KIND_SYNC, s->ref, NT_SYNC_SAMPLE);
}

bool nt_begin_more(struct hs_nt_decoder *d, struct hs_nt_source *s, struct flow_out *out,
                   enum hs_status *status)
{
	const struct hs_nt_msg *m = &d->msg;

	*status = HS_OK;
	if (!d->dialect->more)
		return false;
	if (m->tcode == HS_NT_DATA_ACQUISITION)
		put_acquisition(m, out);
	else if (m->tcode == HS_NT_IN_CIRCUIT_TRACE || m->tcode == HS_NT_IN_CIRCUIT_TRACE_SYNC)
		*status = put_circuit(d, s, out);
	else if (HAS(m, SYNC) && GET(m, SYNC) == NT_SYNC_SAMPLE && HAS(m, FADDR))
		put_sample(d, s, out);
	else
		return false;
	return true;
}
