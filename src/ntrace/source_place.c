/* Where one source stands: addresses of its messages, and synchronisation by one. */
#include "ntrace/source.h"

#include "ntrace/tables.h"

static uint64_t in_xlen(const struct hs_nt_source *s, uint64_t addr)
{
	return s->track.table->image->isa.xlen == 32 ? addr & UINT32_MAX : addr;
}

uint64_t nt_address_bits(const struct hs_nt_decoder *d, const struct hs_nt_source *s,
                         enum hs_nt_field f)
{
	const uint64_t top = d->top_is_sent ? nt_top_sent(&d->msg) : d->top;

	return in_xlen(s, nt_extended(d->msg.field[f], top) << 1);
}

/* NT 8.2 is about F-ADDR and U-ADDR: the width of CKDATA on the wire says nothing. */
uint64_t nt_circuit_bits(const struct hs_nt_decoder *d, const struct hs_nt_source *s,
                         enum hs_nt_field f)
{
	return in_xlen(s, nt_extended(d->msg.field[f], d->top) << 1);
}

uint64_t nt_full_address(const struct hs_nt_decoder *d, const struct hs_nt_source *s)
{
	return nt_address_bits(d, s, HS_NTF_FADDR);
}

/* SYNC 2 and 4 come again and again, and say nothing of the program (NT 8.5). */
void nt_put_sync(const struct hs_nt_decoder *d, uint64_t addr, struct flow_out *out)
{
	const unsigned sync = (unsigned)GET(&d->msg, SYNC);

	if ((sync != 2 && sync != 4) || d->config.periodic_events || d->stream.all_syncs)
		nt_put_event(out, HS_KIND_SYNC, addr, sync);
}

/* SYNC codes after which the flow may continue elsewhere (NT Table 25). */
bool nt_is_restart(unsigned sync)
{
	return sync == 1 || sync == 3 || sync == 5 || sync == 7 || sync == 9;
}

bool nt_source_sync(struct hs_nt_decoder *d, struct hs_nt_source *s, struct flow_out *out)
{
	if (!HAS(&d->msg, FADDR))
		return false;
	s->ref = nt_full_address(d, s);
	s->ref_known = true;
	s->icnt_full = 0;
	s->icnt_used = 0;
	s->last_tcode = 0;
	s->track.state = TRACK_SYNCED;
	flow_forget(&s->track.walk);
	s->calls_unseen = false;
	stream_synced(&s->track, d->msg.offset);
	stream_anchor(&d->stream, &s->track);
	flow_start(&s->track.walk, s->track.table, s->ref);
	nt_put_sync(d, s->ref, out);
	return true;
}
