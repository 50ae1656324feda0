/* Packets to bytes (ET Packets; EE Packet Encapsulation). */
#include "core/bits.h"
#include "etrace/frame.h"

#include "core/mem.h"
#include "etrace/et_reader.h"

static bool is_control(const struct hs_et_resolved *c, const struct hs_et_packet *p)
{
	return c->version == HS_ET_0_026 &&
	       (p->form == HS_ET_FORM_SUPPORT || p->form == HS_ET_FORM_DISCOVERY);
}

/* notify, updiscon, irreport and irdepth (or irets) end a packet.  Where none of them is set,
 * write them all at once: each repeats the bit before it. */
static inline bool put_repeated_bits(const struct hs_et_layout *l, const struct hs_et_packet *p,
                                     struct et_out *o)
{
	const unsigned n = 3u + l->width[HS_ETF_IRDEPTH] + l->width[HS_ETF_IRETS];

	if (p->field[HS_ETF_NOTIFY] || p->field[HS_ETF_UPDISCON] || p->field[HS_ETF_IRREPORT])
		return false;
	et_put(o, o->last ? UINT64_MAX : 0, n);
	return true;
}

/* What layout.raw_forms has in place of a field's value. */
static __attribute__((noinline)) uint64_t raw_value(const struct hs_et_packet *p,
                                                    enum hs_et_field field)
{
	const uint64_t v = p->field[field];

	if (field == HS_ETF_FORMAT)
		return p->form == HS_ET_FORM_ADDRESS ? 3 : v;
	if (field == HS_ETF_BRANCHES)
		return v ? v : 31;
	return field == HS_ETF_NOTIFY ? v ^ (p->field[HS_ETF_ADDRESS] >> 31 & 1) : v;
}

/* Write the next field.  @return  Was it the last one? */
static inline bool put_field(const struct hs_et_layout *l, const struct hs_et_resolved *c,
                             const struct hs_et_packet *p, enum hs_et_field field, struct et_out *o)
{
	const unsigned width = et_bits_of(l, c, p, field);
	const bool raw = c->wire.raw_forms;
	uint64_t v = raw ? raw_value(p, field) : p->field[field];

	if (field == HS_ETF_NOTIFY && !raw && put_repeated_bits(l, p, o))
		return true;
	if ((field == HS_ETF_NOTIFY && !raw) || field == HS_ETF_UPDISCON ||
	    field == HS_ETF_IRREPORT)
		v ^= o->last;
	/* Without irreport it repeats the bit before it (ET Format 2 irreport). */
	if ((field == HS_ETF_IRDEPTH || field == HS_ETF_IRETS) && !p->field[HS_ETF_IRREPORT])
		v = o->last ? UINT64_MAX : 0;
	et_put(o, v, width);
	return false;
}

/* The rows of the tables as statements, as in payload.c. */
#define F(f) if (put_field(l, c, p, HS_ETF_##f, o)) break;
#define FROM(f, g, n) if (p->field[HS_ETF_##g] >= (n)) F(f)
#define NOT(f, g) if (!p->field[HS_ETF_##g]) F(f)
#define HS_ET_PACKET(id, name, format, subformat, slots, clause) case HS_ET_FORM_##id: slots break;

static inline void put_ratified(const struct hs_et_layout *l, const struct hs_et_resolved *c,
                                const struct hs_et_packet *p, struct et_out *o)
{
	switch (p->form) {
#include "etrace/et_packets.def"
	default: break;
	}
}

static inline void put_draft(const struct hs_et_layout *l, const struct hs_et_resolved *c,
                             const struct hs_et_packet *p, struct et_out *o)
{
	switch (p->form) {
#include "etrace/et_packets_0_026.def"
	default: break;
	}
}

static inline void put_fast(const struct hs_et_layout *l, const struct hs_et_resolved *c,
                            const struct hs_et_packet *p, struct et_out *o)
{
	switch (p->form) {
#include "etrace/et_packets_fast.def"
	default: break;
	}
}

#undef HS_ET_PACKET
#undef F
#undef FROM
#undef NOT

/* Write the payload at its full length, after what is there. */
static inline void put_payload(const struct hs_et_layout *l, const struct hs_et_resolved *c,
                               const struct hs_et_packet *p, struct et_out *o)
{
	if (c->type_prefix && !is_control(c, p))
		et_put(o, 2, 2);
	if (c->version == HS_ET_0_026)
		put_draft(l, c, p, o);
	else if (c->version == HS_ET_FAST)
		put_fast(l, c, p, o);
	else
		put_ratified(l, c, p, o);
}

/* Fill the last byte with the sign, and drop the bytes that only repeat it, but none of the
 * first @least.  @apart: bytes before the payload.  @spare: bits of the last byte that are not the
 * payload's.
 * @return  Bytes of all that was written. */
static inline unsigned compress(const struct hs_et_resolved *c, const struct hs_et_packet *p,
                         struct et_out *o, unsigned least, unsigned apart, unsigned spare)
{
	const bool sign = et_sign_extends(c, p), zeros = c->wire.padding == HS_ET_PADDING_ZERO;
	const unsigned whole = (o->at + spare + 7) / 8;
	const unsigned bits = et_finish(o, sign) + spare + (zeros ? 7 : 8);
	unsigned n = bits / 8;

	if ((!sign && !zeros) || c->no_compress || c->wire.raw_forms ||
	    c->wire.frame == HS_ET_FRAME_BARE)
		return whole;
	if (n < least)
		n = least;
	if (c->wire.chunk_bytes > 1) /* the bytes before it do not count */
		n += (c->wire.chunk_bytes - (n - apart) % c->wire.chunk_bytes) %
		     c->wire.chunk_bytes;
	return n < whole ? n : whole;
}

/* Bytes that are never dropped.  @apart: those that length does not count. */
static inline unsigned least_bytes(const struct hs_et_layout *l, const struct hs_et_resolved *c,
                                   const struct hs_et_packet *p, const struct et_out *o,
                                   unsigned apart)
{
	unsigned least = 0;

	if (et_names_source(c->wire.frame) || c->wire.frame == HS_ET_FRAME_INDEXED)
		return apart + l->least;
	/* trdb shortens only the address, and keeps a bit of it. */
	if (c->wire.padding == HS_ET_PADDING_ADDRESS && c->version == HS_ET_0_026)
		least = (o->at - et_width(c, p, HS_ETF_ADDRESS)) / 8 + 1;
	return least > 2 ? least : 2; /* a header without a byte after it is no packet */
}

size_t et_write(const struct hs_et_layout *l, const struct hs_et_resolved *c,
                const struct hs_et_packet *p, uint8_t *out)
{
	const struct hs_et_layout_config *w = &c->wire;
	const struct et_frame f = {
		p->tstamp, p->src, (uint8_t)(is_control(c, p) ? w->type_control : w->type_inst),
		p->has_tstamp
	};
	struct et_out o;
	unsigned apart = w->frame == HS_ET_FRAME_INDEXED ? ET_INDEXED_BYTES : 1;

	et_out_init(&o, l->begin);
	if (et_names_source(w->frame))
		apart = et_put_source(c, &f, &o);
	put_payload(l, c, p, &o);
	if (w->trap_tval)
		et_put(&o, 0, et_bits_after(l, c, p));
	const unsigned n = compress(c, p, &o, least_bytes(l, c, p, &o, apart), apart, l->spare);

	et_store(&o, out, n);
	if (w->frame == HS_ET_FRAME_INDEXED) {
		out[1] = (uint8_t)p->index;
		out[2] = (uint8_t)(p->index >> 8);
	}
	if (w->frame != HS_ET_FRAME_BARE)
		out[0] |= et_first_byte(c, &f, n, apart);
	return n;
}

size_t hs_et_write(const struct hs_et_config *c, const struct hs_et_packet *p, uint8_t *out)
{
	struct hs_et_resolved own;
	struct hs_et_layout layout;

	if (et_config_take(&own, c) != HS_OK || !et_form_of(own.version, p->form) ||
	    et_is_read_only(&own.wire))
		return 0;
	et_layout_init(&layout, &own);
	et_select_source(&own, &layout, p->src);
	return et_write(&layout, &own, p, out);
}
