/* Fields in a run of bytes, least significant bit first (ET Packets). */
#ifndef HS_ETRACE_BITS_H
#define HS_ETRACE_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bits to read.  Behind the end they repeat the last one: sign-based compression (ET Packets). */
struct et_bits {
	const uint8_t *p;
	unsigned end; /* bits given */
	unsigned at;
};

static inline unsigned et_bit(const struct et_bits *b, unsigned at)
{
	if (at >= b->end)
		at = b->end - 1;
	return b->end ? b->p[at / 8] >> (at % 8) & 1u : 0;
}

/* @bits: 0..64 */
static inline uint64_t et_take(struct et_bits *b, unsigned bits)
{
	uint64_t v = 0;
	unsigned n = 0;

	while (n < bits && b->at + n < b->end) {
		const unsigned at = b->at + n, in = at % 8;

		v |= (uint64_t)(b->p[at / 8] >> in) << n;
		n += 8 - in;
	}
	const unsigned there = b->end > b->at ? b->end - b->at : 0;
	b->at += bits;
	if (there < bits)
		v = (there ? v & (((uint64_t)1 << there) - 1) : 0) |
		    (et_bit(b, b->end) ? UINT64_MAX << there : 0);
	return bits >= 64 ? v : v & (((uint64_t)1 << bits) - 1);
}

/* Bits being written; the bytes were zero before. */
struct et_out {
	uint8_t *p;
	unsigned at;
};

static inline void et_put(struct et_out *o, uint64_t v, unsigned bits)
{
	while (bits) {
		const unsigned in = o->at % 8, n = bits < 8 - in ? bits : 8 - in;

		o->p[o->at / 8] |= (uint8_t)((v & ((1u << n) - 1)) << in);
		v = n < 64 ? v >> n : 0;
		o->at += n;
		bits -= n;
	}
}

/* The bit written last. */
static inline unsigned et_last(const struct et_out *o)
{
	return o->at ? o->p[(o->at - 1) / 8] >> ((o->at - 1) % 8) & 1u : 0;
}

#endif
