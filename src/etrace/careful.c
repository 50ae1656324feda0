/* Packets that a decoder which has to be sure takes for damage (ADR-0234). */
#include "etrace/et_reader.h"
#include "etrace/payload.h"
#include "etrace/place.h"

/* So many synchronising packets have to agree under options that may be damage: sequential jumps
 * and implicit returns leave most flows as they are. */
#define ET_TRIAL 4

/* ---- types ---------------------------------------------------------------------- */

/* Do the parameters say that there are packets of this type (EE type)? */
static bool has_known_type(const struct hs_et_decoder *d)
{
	return d->packet.form != HS_ET_FORM_OTHER ||
	       (d->data && d->packet.type == d->config.wire.type_data);
}

/* "Must be 0 if timestamp width is 0" (EE Header). */
static bool has_possible_time(const struct hs_et_decoder *d)
{
	return !d->packet.has_tstamp || d->config.tstamp_bytes;
}

/* ---- options -------------------------------------------------------------------- */

/* Does the current packet end the trace? */
static bool ends_trace(const struct hs_et_decoder *d)
{
	const uint64_t qual = d->packet.field[HS_ETF_QUAL_STATUS];

	return qual == HS_ET_ENDED_REP || qual == HS_ET_ENDED_NTR;
}

/* The options of a support packet; those that it has no bit for are as before. */
static unsigned options_of(struct hs_et_resolved *c, unsigned before, const struct hs_et_packet *p)
{
	const uint8_t kept = c->options;

	c->options = (uint8_t)before;
	const unsigned options = et_packet_options(c, p);

	c->options = kept;
	return options;
}

/* Of a support packet: its options are those before, at first of the parameters.  Where it is to be
 * sure, and where the trace ends, which is no place to change them, others are reported twice. */
static bool confirms_options(struct hs_et_decoder *d)
{
	const size_t i = stream_find(&d->stream, d->packet.src);
	const struct hs_et_source *s = i < d->stream.count ? &d->sources[i] : NULL;
	const bool doubted = s && et_is_doubted(s), ends = s && s->met && ends_trace(d);

	if (!(d->care & HS_ET_CARE_OPTIONS) && !doubted && !ends)
		return true;
	const unsigned before = s ? s->options : d->config.options;
	const unsigned now = options_of(&d->reader.config, before, &d->packet);
	const bool confirmed =
		now == before || now + 1 == d->proposed || (doubted && now == s->rival);

	d->proposed = confirmed ? 0 : (uint16_t)(now + 1);
	return confirmed;
}

bool et_follows_change(const struct hs_et_decoder *d)
{
	return d->packet.form == HS_ET_FORM_START || d->packet.form == HS_ET_FORM_TRAP;
}

/* Options are no longer those @before.  Does the flow have to agree first? */
static bool try_options(struct hs_et_decoder *d, struct hs_et_source *s, unsigned before)
{
	const bool missing = d->config.options & ~(unsigned)s->options; /* what parameters name */
	const bool enabled = d->packet.field[HS_ETF_IENABLE];

	if (s->trial && s->options == s->rival) { /* back to those that were good */
		s->rival = ET_NO_RIVAL;
		s->trial = 0;
		s->doubt = s->doubt == ET_CHANGED ? ET_SURE : s->doubt;
		return false;
	}
	s->rival = s->trial ? s->rival : (uint8_t)before;
	if (!s->met && !s->trial && !missing) /* at the start of the trace */
		return false;
	s->trial = ET_TRIAL;
	if (s->doubt == ET_SURE && (s->met ? enabled : s->agreed)) {
		s->doubt = ET_CHANGED;
		return false;
	}
	return !et_is_doubted(s);
}

bool et_read_options(struct hs_et_decoder *d, struct hs_et_source *s)
{
	const uint8_t before = s->options;

	d->reader.config.options = before; /* those that the packet has no bit for stay */
	const unsigned reported = et_packet_options(&d->reader.config, &d->packet);

	hs_et_reader_follow(&d->reader, &d->packet);
	s->options = d->reader.config.options;
	if (!s->met && s->options != reported)
		d->refused = (uint8_t)reported;
	s->agreed |= s->options == d->config.options;
	et_apply_options(d, s);
	return !d->care || s->options == before || !try_options(d, s, before);
}

void et_swap_options(struct hs_et_decoder *d, struct hs_et_source *s)
{
	const uint8_t other = s->rival;

	if (other == ET_NO_RIVAL)
		return;
	s->rival = s->options;
	s->options = other;
	s->trial = ET_TRIAL;
	d->reader.config.options = other;
	et_layout_init(&d->reader.layout, &d->reader.config);
	et_apply_options(d, s);
}

bool et_settle_options(struct hs_et_source *s)
{
	if (s->trial && s->leapt)
		return false;
	if (s->trial > 1) {
		s->trial--;
		return false;
	}
	s->trial = 0;
	s->rival = ET_NO_RIVAL;
	return true;
}

/* ---- any packet ----------------------------------------------------------------- */

enum hs_reason et_find_damage(struct hs_et_decoder *d)
{
	if ((d->care & HS_ET_CARE_TYPES) && (!has_known_type(d) || !has_possible_time(d)))
		return HS_REASON_NOT_ANNOUNCED;
	if (d->care && d->packet.form == HS_ET_FORM_SUPPORT && !confirms_options(d))
		return HS_REASON_OTHER_OPTIONS;
	return HS_REASON_NONE;
}

bool et_doubts_unknown(const struct hs_et_decoder *d, const struct hs_et_source *s)
{
	return (d->care & HS_ET_CARE_CODE) || (d->care && s->doubt != ET_SURE);
}
