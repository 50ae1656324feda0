/* Where packets synchronise, as far as their frames and formats say. */
#include "etrace/et_reader.h"
#include "etrace/tables.h"

#include <hartscope/etrace.h>

/* What is looked for in packets without a time and with one. */
struct form {
	unsigned begin; /* bits before the payload */
	unsigned frame; /* bytes that the length does not count */
};

static struct form form_of(const struct hs_et_resolved *c, bool has_tstamp)
{
	const struct hs_et_layout_config *w = &c->wire;
	const unsigned source = et_names_source(w->frame) ? et_frame_bits(c, has_tstamp) : 0;

	if (w->frame == HS_ET_FRAME_JOINED)
		return (struct form){ w->length_bits + w->type_bits, 1 };
	return (struct form){ 8 + source + (et_encapsulated(w->frame) ? w->type_bits : 0u),
		              1 + source / 8 };
}

/* Format 3, subformat 0 (ET Format 3). */
static bool synchronises(const uint8_t *packet, size_t n, unsigned begin)
{
	const size_t at = begin / 8;

	if (at >= n)
		return false;
	const unsigned next = at + 1 < n ? packet[at + 1] : 0;

	return ((packet[at] | next << 8) >> begin % 8 & 15u) == 3u;
}

/* Where the whole packets of bytes end, and the last of them that synchronises begins. */
struct packets {
	size_t end, sync; /* sync: bytes->n, there is none */
};

/* False: the framing says no lengths, or not only by the first byte. */
static bool follow_lengths(const struct hs_et_config *config, const struct hs_span *bytes,
                           struct packets *found)
{
	struct hs_et_resolved c;
	size_t n;

	*found = (struct packets){ 0, bytes->n };
	if (et_config_take(&c, config) != HS_OK || c.wire.frame == HS_ET_FRAME_BARE ||
	    c.wire.frame == HS_ET_FRAME_INDEXED || et_is_slotted(c.wire.frame) || c.wire.arrivals)
		return false;
	const bool names = et_names_source(c.wire.frame);
	const unsigned mask = names ? 31u : (1u << c.wire.length_bits) - 1;
	const struct form forms[2] = { form_of(&c, false), form_of(&c, names) };

	for (; found->end < bytes->n; found->end += n) {
		const uint8_t *p = bytes->p + found->end;
		const struct form *f = &forms[*p >> 7];

		n = names && !(*p & mask) ? 1 : f->frame + (*p & mask);
		if (n > bytes->n - found->end)
			break;
		if (synchronises(p, n, f->begin))
			found->sync = found->end;
	}
	return true;
}

size_t hs_et_find_sync(const struct hs_et_config *config, const struct hs_span *bytes)
{
	struct packets found;

	follow_lengths(config, bytes, &found);
	return found.sync;
}

size_t hs_et_find_end(const struct hs_et_config *config, const struct hs_span *bytes)
{
	struct packets found;

	return follow_lengths(config, bytes, &found) ? found.end : SIZE_MAX;
}
