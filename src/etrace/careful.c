/* Packets that a decoder which has to be sure takes for damage (ADR-0234). */
#include "etrace/payload.h"
#include "etrace/source.h"

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

/* Of a support packet: its options are those before, at first of the parameters; others are to be
 * reported twice. */
static bool confirms_options(struct hs_et_decoder *d)
{
	const size_t i = stream_find(&d->stream, d->packet.src);
	const struct hs_et_source *s = i < d->stream.count ? &d->sources[i] : NULL;
	struct hs_et_resolved *c = &d->reader.config;
	const uint8_t kept = c->options;

	if (!(d->care & HS_ET_CARE_OPTIONS) && !(s && s->doubt))
		return true;
	/* those that the packet has no bit for stay */
	c->options = s ? s->options : d->config.options;
	const unsigned before = c->options, now = et_packet_options(c, &d->packet);

	c->options = kept;
	const bool confirmed = now == before || now + 1 == d->proposed;

	d->proposed = confirmed ? 0 : (uint16_t)(now + 1);
	return confirmed;
}

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
	return (d->care & HS_ET_CARE_CODE) || (d->care && s->doubt);
}
