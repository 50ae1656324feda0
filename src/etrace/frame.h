/* What is before a payload, for packets of instruction and data trace. */
#ifndef HS_ETRACE_FRAME_H
#define HS_ETRACE_FRAME_H

#include "core/bits.h"
#include "etrace/tables.h"

struct et_frame {
	uint64_t tstamp;
	uint16_t src;
	uint8_t type;
	bool has_tstamp;
};

/* Write srcID and timestamp, and the type where it is not in the first byte, bit by bit (EE Packet
 * Length).
 * @return  Bytes of the first one and those of srcID and timestamp: length does not count them. */
static inline unsigned et_put_source(const struct hs_et_resolved *c, const struct et_frame *f,
                                     struct et_out *o)
{
	const unsigned stamp = f->has_tstamp ? 8u * c->tstamp_bytes : 0;
	const unsigned bits = et_frame_bits(c, f->has_tstamp), index = bits - stamp;

	if (c->wire.frame == HS_ET_FRAME_MESSAGE) {
		if (c->wire.stamp_first)
			et_put(o, f->tstamp, stamp);
		et_put(o, f->src, index);
		if (!c->wire.stamp_first)
			et_put(o, f->tstamp, stamp);
		return 1 + bits / 8;
	}
	et_put(o, f->src, c->src_bits);
	et_put(o, f->tstamp, stamp);
	et_put(o, f->type, c->wire.type_bits);
	return 1 + bits / 8;
}

/* @n: bytes of the packet; @apart: those that length does not count. */
static inline uint8_t et_first_byte(const struct hs_et_resolved *c, const struct et_frame *f,
                                    unsigned n, unsigned apart)
{
	const struct hs_et_layout_config *w = &c->wire;
	const unsigned stamp = f->has_tstamp ? 0x80 : 0, type = w->type_bits ? f->type : 0u;

	switch (w->frame) {
	case HS_ET_FRAME_ENCAP: return (uint8_t)((n - apart) | (unsigned)c->flow << 5 | stamp);
	case HS_ET_FRAME_MESSAGE: return (uint8_t)((n - apart) | type << 5 | stamp);
	case HS_ET_FRAME_INDEXED: return (uint8_t)n;
	default: return (uint8_t)((n - 1) | type << w->length_bits);
	}
}

#endif
