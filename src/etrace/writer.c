/* Packets to bytes (ET Packets; EE Packet Encapsulation). */
#include "etrace/bits.h"
#include "etrace/tables.h"

#include "base/mem.h"

static inline void put_field(const struct hs_et_packet *p, unsigned field, unsigned width, struct et_out *o)
{
	uint64_t v = p->field[field];

	switch (field) {
	case HS_ETF_NOTIFY:
	case HS_ETF_UPDISCON:
	case HS_ETF_IRREPORT:
		v ^= et_last(o);
		break;
	case HS_ETF_IRDEPTH: /* ET Format 2 irreport: repeats the bit when there is nothing to tell */
		if (!p->field[HS_ETF_IRREPORT])
			v = et_last(o) ? UINT64_MAX : 0;
		break;
	default:
		break;
	}
	et_put(o, v & et_ones(width), width);
}

/* notify, updiscon, irreport and irdepth end a packet; with nothing to tell they repeat the bit before. */
static bool put_nothing(const struct hs_et_layout *l, const struct hs_et_packet *p, struct et_out *o)
{
	const unsigned n = 3u + l->width[HS_ETF_IRDEPTH];

	if (p->field[HS_ETF_NOTIFY] || p->field[HS_ETF_UPDISCON] || p->field[HS_ETF_IRREPORT])
		return false;
	et_put(o, et_last(o) ? et_ones(n) : 0, n);
	return true;
}

static bool is_control(const struct hs_et_config *c, const struct hs_et_packet *p)
{
	return (p->form == HS_ET_SUPPORT || p->form == HS_ET_DISCOVERY) && c->version == HS_ET_0_026;
}

/* The payload at its full length, behind what is there. */
static void put_payload(const struct hs_et_layout *l, const struct hs_et_config *c,
                        const struct hs_et_packet *p, struct et_out *o)
{
	const struct et_form *form = et_row(c->version, p->form);

	if (c->type_prefix && !is_control(c, p))
		et_put(o, 2, 2);
	for (const struct et_slot *s = form->slot; s < form->slot + form->count; s++)
		if (et_stands(s, p)) {
			if (s->field == HS_ETF_NOTIFY && put_nothing(l, p, o))
				return;
			put_field(p, s->field, et_bits_of(l, c, p, s->field), o);
		}
}

/* The sign extended to a whole byte; then without the bytes that only repeat it. */
static unsigned compress(const struct hs_et_config *c, const struct hs_et_packet *p, uint8_t *bytes,
                         unsigned bits, unsigned shift)
{
	unsigned n = (bits + 7) / 8;

	if (n == 0 || !et_compressed(c, p))
		return n;
	const bool ones = bytes[(bits - 1) / 8] >> ((bits - 1) % 8) & 1u;
	const uint8_t sign = ones ? 0xff : 0;

	if (bits % 8 && ones)
		bytes[n - 1] |= (uint8_t)(0xffu << bits % 8);
	if (c->no_compress || et_dialects[c->dialect].framing == ET_BARE)
		return n;
	while (n > 1 && bytes[n - 1] == sign && (bytes[n - 2] & 0x80) == (sign & 0x80) && 8 * (n - 1) > shift)
		n--;
	return n;
}

/* srcID, timestamp and type stand right before the payload, bit by bit (EE Packet Length). */
static size_t write_encap(const struct hs_et_layout *l, const struct hs_et_config *c,
                          const struct hs_et_packet *p, uint8_t *out)
{
	const struct et_dialect *d = &et_dialects[c->dialect];
	const unsigned before = c->src_bits + (p->has_tstamp ? 8u * c->tstamp_bytes : 0);
	const unsigned odd = c->src_bits % 8;
	struct et_out o = { .at = 0 };

	et_put(&o, p->src & et_ones(c->src_bits), c->src_bits);
	if (p->has_tstamp)
		et_put(&o, p->tstamp & et_ones(8u * c->tstamp_bytes), 8u * c->tstamp_bytes);
	if (d->framing == ET_ENCAP)
		et_put(&o, is_control(c, p) ? d->type_control : d->type_inst, 2);
	put_payload(l, c, p, &o);
	et_store(&o, out + 1, HS_ET_PACKET_MAX - 1);
	/* Whole bytes of srcID and the timestamp are not counted in length. */
	const unsigned apart = (before - odd) / 8;
	const unsigned n = compress(c, p, out + 1 + apart, o.at - 8 * apart, odd + 2 + 1);
	out[0] = (uint8_t)(n | (p->has_tstamp ? 0x80 : 0));
	return 1 + apart + n;
}

static size_t write_header(const struct hs_et_layout *l, const struct hs_et_config *c,
                           const struct hs_et_packet *p, uint8_t *out)
{
	const struct et_dialect *d = &et_dialects[c->dialect];
	const unsigned type = is_control(c, p) ? d->type_control : d->type_inst;
	struct et_out o = { .at = d->framing == ET_JOINED ? d->length_bits + 2u : 8 };

	put_payload(l, c, p, &o);
	et_store(&o, out, HS_ET_PACKET_MAX);
	/* trdb cuts nothing but the address, of which a bit is left. */
	const unsigned kept = d->framing == ET_JOINED && c->version != HS_ET_FAST ? o.at - et_width(c, p, HS_ETF_ADDRESS) : 9;
	const unsigned n = compress(c, p, out, o.at, kept);

	out[0] |= (uint8_t)((n - 1) | type << d->length_bits);
	return n;
}

size_t et_write(const struct hs_et_layout *l, const struct hs_et_config *c, const struct hs_et_packet *p,
                uint8_t *out)
{
	struct et_out o = { .at = 0 };

	switch (et_dialects[c->dialect].framing) {
	case ET_ENCAP:
	case ET_PLAIN:
		return write_encap(l, c, p, out);
	case ET_HEADER:
	case ET_JOINED:
		return write_header(l, c, p, out);
	default:
		break;
	}
	put_payload(l, c, p, &o);
	et_store(&o, out, HS_ET_PACKET_MAX);
	return compress(c, p, out, o.at, 1);
}

size_t hs_et_write(const struct hs_et_config *c, const struct hs_et_packet *p, uint8_t *out)
{
	struct hs_et_layout layout;

	if (!et_form_of(c->version, p->form))
		return 0;
	et_layout_init(&layout, c);
	return et_write(&layout, c, p, out);
}
