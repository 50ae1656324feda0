/* Packets that a decoder which has to be sure takes for damage (design/resync).
 *
 * E-Trace has no mark where a packet begins, so that after damage wrong bytes may read as packets.
 * A source in doubt follows its packets, but what it writes is taken back until the flow leads
 * from one synchronising packet to the address of the next one:
 *
 *     fault        ET_SURE -> ET_LOST        its gap is written
 *     start        ET_LOST -> ET_FOLLOWED    blocks from here on are withheld
 *     start        ET_FOLLOWED -> ET_SURE    if the flow led to it: written from this one on
 *     support      ET_SURE -> ET_CHANGED     with other options in mid-trace; a start settles it
 *
 * Invariants: trust.doubt changes in this file only.  rival holds the options before a change that
 * the flow has not agreed with yet; a contradiction swaps both.
 */
#include "etrace/careful.h"

#include "core/mem.h"
#include "etrace/et_reader.h"
#include "etrace/payload.h"
#include "etrace/place.h"
#include "etrace/et_standard.h"

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

	c->options = (uint8_t)before; /* of 2.1 the packet says all of them */
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
	const bool doubted = s && et_is_doubted(s), ends = s && s->trust.met && ends_trace(d);

	if (!(d->care & HS_ET_CARE_OPTIONS) && !doubted && !ends)
		return true;
	const unsigned before = s ? s->options : et_options_word(&d->config);
	const unsigned now = options_of(&d->reader.config, before, &d->packet);
	const bool confirmed =
		now == before || now + 1 == d->proposed || (doubted && now == s->trust.rival);

	d->proposed = confirmed ? 0 : now + 1;
	return confirmed;
}

/* Is the current packet one that may follow a change of options? */
static bool follows_change(const struct hs_et_decoder *d)
{
	return d->packet.form == HS_ET_FORM_START || d->packet.form == HS_ET_FORM_TRAP;
}

/* Options are no longer those @before.  Does the flow have to agree first? */
static bool try_options(struct hs_et_decoder *d, struct hs_et_source *s, unsigned before)
{
	const bool missing = d->given & ~s->options & ET_OPTIONS; /* what parameters name */
	const bool enabled = d->packet.field[HS_ETF_IENABLE];
	struct hs_et_trust *t = &s->trust;

	if (t->trial && s->options == t->rival) { /* back to those that were good */
		t->rival = ET_NO_RIVAL;
		t->trial = 0;
		t->doubt = t->doubt == ET_CHANGED ? ET_SURE : t->doubt;
		return false;
	}
	t->rival = t->trial ? t->rival : before;
	if (!t->met && !t->trial && !missing) /* at the start of the trace */
		return false;
	t->trial = ET_TRIAL;
	if (t->doubt == ET_SURE && (t->met ? enabled : t->agreed)) {
		t->doubt = ET_CHANGED;
		return false;
	}
	return !et_is_doubted(s);
}

bool et_read_options(struct hs_et_decoder *d, struct hs_et_source *s)
{
	const uint32_t before = s->options;

	/* those that the packet has no bit for stay */
	et_take_options_word(&d->reader.config, before);
	const unsigned reported = et_packet_options(&d->reader.config, &d->packet);

	hs_et_reader_follow(&d->reader, &d->packet);
	s->options = hs_et_reader_options(&d->reader);
	if (!s->trust.met && s->options != reported)
		d->refused = reported;
	s->trust.agreed |= s->options == d->given;
	s->changed = s->changed || s->options != before;
	et_change_sizes(d, s, before);
	et_apply_options(d, s);
	return !d->care || s->options == before || !try_options(d, s, before);
}

void et_swap_options(struct hs_et_decoder *d, struct hs_et_source *s)
{
	const uint32_t other = s->trust.rival, before = s->options;

	if (other == ET_NO_RIVAL)
		return;
	s->trust.rival = s->options;
	s->options = other;
	s->trust.trial = ET_TRIAL;
	et_take_options_word(&d->reader.config, other);
	et_layout_init(&d->reader.layout, &d->reader.config);
	et_change_sizes(d, s, before);
	et_apply_options(d, s);
}

/* A flow led from one synchronising packet to another one.  False: one more has to. */
static bool settle_options(struct hs_et_trust *t)
{
	if (t->trial && t->leapt)
		return false;
	if (t->trial > 1) {
		t->trial--;
		return false;
	}
	t->trial = 0;
	t->rival = ET_NO_RIVAL;
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
	return (d->care & HS_ET_CARE_CODE) || (d->care && s->trust.doubt != ET_SURE);
}

/* ---- transitions ------------------------------------------------------------------ */

void et_trust_begin(struct hs_et_source *s)
{
	s->trust.rival = ET_NO_RIVAL;
}

void et_trust_skip(struct hs_et_source *s, uint64_t offset)
{
	s->trust.unmet = s->trust.met ? 0 : offset + 1;
}

void et_trust_meet(struct hs_et_source *s)
{
	s->trust.met = true;
	s->trust.unmet = 0;
}

void et_trust_arrive(struct hs_et_source *s, bool leapt)
{
	s->trust.leapt = leapt;
	if (s->trust.doubt == ET_SURE)
		settle_options(&s->trust);
}

void et_trust_damage(struct hs_et_decoder *d)
{
	for (size_t i = 0; i < d->stream.count; i++)
		if (d->sources[i].trust.doubt == ET_CHANGED) /* it may be of another source, too */
			d->sources[i].trust.doubt = ET_LOST;
}

/* The packet led from the synchronising packet before it to its own address: what it wrote begins
 * with its event. */
static void believe(struct hs_et_source *s, struct hs_block *from, struct flow_out *out)
{
	struct hs_block *at = out->p;

	s->trust.doubt = ET_SURE;
	s->trust.withheld = 0;
	while (at > from && (at[-1].kind != HS_KIND_SYNC || at[-1].itype == ET_SYNC_AGAIN))
		at--;
	at -= at > from;
	memmove(from, at, (size_t)(out->p - at) * sizeof(*at));
	out->p = from + (out->p - at);
}

/* Options changed: the next packet that follows the flow synchronises, and is sure, or the change
 * is not. */
static void follow_change(struct hs_et_decoder *d, struct hs_et_source *s, enum hs_status status,
                          struct hs_block *from, struct flow_out *out)
{
	if (follows_change(d)) {
		s->trust.doubt = status == HS_OK ? ET_SURE : s->trust.doubt;
		return;
	}
	if (d->packet.form == HS_ET_FORM_SUPPORT || d->packet.form == HS_ET_FORM_CONTEXT)
		return;
	out->p = from;
	if (status == HS_OK || status == HS_FULL)
		et_fail(d, s, HS_REASON_OTHER_OPTIONS);
}

void et_trust_packet(struct hs_et_decoder *d, struct hs_et_source *s, bool followed,
                     enum hs_status status, struct hs_block *from, struct flow_out *out)
{
	const bool synced = status == HS_OK && s->track.state == TRACK_SYNCED;
	struct hs_et_trust *t = &s->trust;

	if (t->doubt == ET_CHANGED) {
		follow_change(d, s, status, from, out);
		return;
	}
	if (synced && d->packet.form == HS_ET_FORM_START) {
		if (followed && t->doubt == ET_FOLLOWED && settle_options(t)) {
			believe(s, from, out);
			return;
		}
		t->doubt = ET_FOLLOWED;
	} else if (status == HS_OK && !synced) {
		t->doubt = ET_LOST;
	}
	if (out->p > from && !t->withheld)
		t->withheld = d->packet.offset + 1;
	out->p = from;
}

/* May packets begin elsewhere, now that there is this fault?  A loss says nothing of that. */
static bool shakes_framing(enum hs_reason reason)
{
	return reason != HS_REASON_INPUT_LOST && reason != HS_REASON_LOST &&
	       reason != HS_REASON_OVERRUN && reason != HS_REASON_WAY_UNKNOWN;
}

bool et_trust_fault(const struct hs_et_decoder *d, struct hs_et_source *s, bool current)
{
	const struct hs_et_trust *t = &s->trust;
	const bool contradicted =
		shakes_framing(d->diag.reason) &&
		(t->doubt == ET_FOLLOWED ||
	         (t->trial && t->doubt == ET_SURE && d->diag.reason != HS_REASON_OTHER_OPTIONS));

	if (t->doubt == ET_CHANGED && current && follows_change(d))
		s->trust.doubt = ET_SURE;
	return contradicted;
}

void et_trust_lose(const struct hs_et_decoder *d, struct hs_et_source *s)
{
	s->trust.withheld = 0;
	if (d->care)
		s->trust.doubt = shakes_framing(d->diag.reason) ? ET_LOST : ET_SURE;
}

bool et_trust_resume(struct hs_et_source *s)
{
	if (s->trust.doubt == ET_SURE)
		return true;
	s->trust.doubt = s->track.state == TRACK_SYNCED ? ET_FOLLOWED : ET_LOST;
	return false;
}

enum hs_reason et_trust_end(const struct hs_et_decoder *d, struct hs_et_source *s, uint64_t *offset)
{
	struct hs_et_trust *t = &s->trust;

	if (t->withheld) {
		*offset = t->withheld - 1;
		t->withheld = 0;
		return HS_REASON_UNCONFIRMED;
	}
	if (!t->unmet || !d->care || !d->stream.several)
		return HS_REASON_NONE;
	*offset = t->unmet - 1;
	t->unmet = 0;
	return HS_REASON_NEVER_SYNCHRONISED;
}
