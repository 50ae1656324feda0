/* Packets for fast profiles and cycle counts to events (PT 7.2, 7.3; design/et-draft).
 *
 * Between two targets the flow is not known: HS_KIND_TARGET, with HS_KIND_SOURCE before it, are
 * written in place of blocks, and no code is looked at.
 */
#include "etrace/place.h"

static unsigned itype_of(uint64_t reason)
{
	static const uint8_t of[8] = {
		HS_ITYPE_NONE,     HS_ITYPE_EXCEPTION,  HS_ITYPE_INTERRUPT, HS_ITYPE_XRET,
		HS_ITYPE_CALL_INF, HS_ITYPE_CALL_UNINF, HS_ITYPE_RETURN,    HS_ITYPE_SWAP,
	};

	return of[reason & 7];
}

/* @base and a difference of the packet, which has @bits. */
static uint64_t moved(const struct hs_et_decoder *d, uint64_t base, uint64_t v, unsigned bits)
{
	const uint64_t sign = (uint64_t)1 << (bits - 1);

	return et_extend(d, base + et_times_lsb(&d->config, (v ^ sign) - sign));
}

static uint64_t source_address(const struct hs_et_decoder *d, uint64_t base)
{
	return moved(d, base, et_field(d, HS_ETF_SOURCE),
	             et_width(&d->config, &d->packet, HS_ETF_SOURCE));
}

static uint64_t target_address(const struct hs_et_decoder *d, uint64_t base)
{
	return moved(d, base, et_field(d, HS_ETF_ADDRESS),
	             et_width(&d->config, &d->packet, HS_ETF_ADDRESS));
}

/* ---- fields of several packets ----------------------------------------------------- */

static void put_cycles(struct hs_et_source *s, struct flow_out *out, uint64_t cycles)
{
	et_put_event(s, out, HS_KIND_CYCLES, 0, s->address,
	             cycles < UINT32_MAX ? (uint32_t)cycles : UINT32_MAX);
}

static void add_cycles(struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out)
{
	if (!et_field(d, HS_ETF_CYCLES))
		return;
	s->track.time += et_field(d, HS_ETF_CYCLES);
	et_put_event(s, out, HS_KIND_TIME, 0, s->track.time, 0);
}

static void change_context(struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out)
{
	const bool same = s->contexted ? s->context == et_field(d, HS_ETF_CONTEXT)
	                               : et_field(d, HS_ETF_CONTEXT) == 0;

	s->priv = et_block_priv(&d->config, et_field(d, HS_ETF_PRIVILEGE));
	if (!hs_et_has(&d->packet, HS_ETF_CONTEXT) || same)
		return;
	s->context = et_field(d, HS_ETF_CONTEXT);
	s->contexted = true;
	et_put_event(s, out, HS_KIND_CONTEXT, 0, s->context, 2);
}

/* ---- packets ---------------------------------------------------------------------- */

/* The time as a whole.  @return cycles since the packet before, 0 where that is not known. */
static uint64_t set_time(struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out)
{
	const uint64_t time = et_field(d, HS_ETF_TIME),
		       moved_by = time - s->track.time; /* it wraps */
	const uint64_t cycles = s->track.timed && moved_by <= INT64_MAX ? moved_by : 0;

	if (!hs_et_has(&d->packet, HS_ETF_TIME) || (s->track.timed && time == s->track.time))
		return 0;
	et_put_time(s, out, time);
	return cycles;
}

static void follow_start(struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out)
{
	const bool running = s->track.state == TRACK_SYNCED;

	s->address = target_address(d, 0);
	s->track.state = TRACK_SYNCED;
	et_put_event(s, out, HS_KIND_SYNC, running ? 2 : 5, s->address, 0);
	if (hs_et_has(&d->packet, HS_ETF_SOURCE))
		et_put_event(s, out, HS_KIND_SOURCE, 0, source_address(d, s->address), 0);
	change_context(d, s, out);
	const uint64_t cycles = set_time(d, s, out);

	if (d->config.fast)
		et_put_event(s, out, HS_KIND_TARGET, itype_of(et_field(d, HS_ETF_REASON)),
		             s->address, 0);
	if (running && cycles && d->config.cycles == HS_ET_CYCLES_RETIREMENTS)
		put_cycles(s, out, cycles);
}

static void follow_target(struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out)
{
	if (d->config.fast == HS_ET_FAST_SOURCES) {
		s->address = source_address(d, s->address);
		et_put_event(s, out, HS_KIND_SOURCE, 0, s->address, 0);
	}
	s->address = target_address(d, s->address);
	add_cycles(d, s, out);
	et_put_event(s, out, HS_KIND_TARGET, itype_of(et_field(d, HS_ETF_REASON)), s->address, 0);
	if (et_field(d, HS_ETF_CYCLES) && d->config.cycles == HS_ET_CYCLES_RETIREMENTS)
		put_cycles(s, out, et_field(d, HS_ETF_CYCLES));
}

static enum hs_status follow_support(struct hs_et_decoder *d, struct hs_et_source *s,
                                     struct flow_out *out)
{
	switch (et_field(d, HS_ETF_QUAL_STATUS)) {
	case HS_ET_NO_CHANGE:
		return HS_OK;
	case HS_ET_TRACE_LOST:
		return et_fail(d, s, HS_REASON_LOST);
	default:
		break;
	}
	if (s->track.state == TRACK_SYNCED)
		et_put_event(s, out, HS_KIND_STOP, 4, 0, 0);
	s->track.state = TRACK_OFF;
	return HS_OK;
}

enum hs_status et_fast_run(struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out)
{
	if (d->packet.form == HS_ET_FORM_SUPPORT)
		return follow_support(d, s, out);
	if (s->track.state != TRACK_SYNCED && d->packet.form != HS_ET_FORM_START) {
		d->stats.skipped++;
		return HS_OK;
	}
	switch (d->packet.form) {
	case HS_ET_FORM_START:
		follow_start(d, s, out);
		break;
	case HS_ET_FORM_TARGET:
		follow_target(d, s, out);
		break;
	case HS_ET_FORM_CYCLES:
		s->address = target_address(d, s->address);
		add_cycles(d, s, out);
		put_cycles(s, out, et_field(d, HS_ETF_CYCLES));
		break;
	default:
		change_context(d, s, out);
	}
	return HS_OK;
}
