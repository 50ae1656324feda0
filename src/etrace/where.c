/* Where the fields of a packet are (EE Packet Encapsulation, ET Packets). */
#include "etrace/tables.h"

#include "core/mem.h"
#include "etrace/et_reader.h"

/* Bits before the payload. */
static unsigned framing_bits(const struct hs_et_resolved *c, const struct hs_et_packet *p)
{
	const struct hs_et_layout_config *w = &c->wire;

	switch (w->frame) {
	case HS_ET_FRAME_BARE:
		return 0;
	case HS_ET_FRAME_INDEXED:
		return 8 * ET_INDEXED_BYTES;
	case HS_ET_FRAME_JOINED:
		return w->length_bits + w->type_bits;
	case HS_ET_FRAME_ENCAP:
		return 8 + et_frame_bits(c, p->has_tstamp) + w->type_bits;
	case HS_ET_FRAME_MESSAGE:
		return 8 + et_frame_bits(c, p->has_tstamp);
	default:
		return 8;
	}
}

void hs_et_reader_where(const struct hs_et_reader *r, const struct hs_et_packet *p,
                        struct hs_bits v[HS_ETF_COUNT])
{
	const struct hs_et_resolved *c = &r->config;
	const unsigned end = 8u * p->length;
	unsigned at = framing_bits(c, p);

	memset(v, 0, HS_ETF_COUNT * sizeof(*v));
	if (p->form >= HS_ET_FORM_OTHER)
		return;
	if (c->type_prefix && (p->form != HS_ET_FORM_SUPPORT && p->form != HS_ET_FORM_DISCOVERY))
		at += 2;
	const struct et_form *row = et_row(c->version, p->form);

	for (unsigned i = 0; i < row->count; i++) {
		const struct et_slot *s = &row->slot[i];

		if (!et_stands(s, p))
			continue;
		const unsigned n = et_bits_of(&r->layout, c, p, s->field),
			       there = at < end ? end - at : 0;

		v[s->field] = (struct hs_bits){ (uint16_t)at, (uint16_t)(n < there ? n : there) };
		at += n;
	}
}
