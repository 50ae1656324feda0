/* Fields of E-Trace packets in a run of bits, least significant bit first (ET Packets).  Bits are
 * kept in words of 64: a field lies in one or two of them. */
#ifndef HS_BASE_BITS_H
#define HS_BASE_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/mem.h"
#include "core/base_word.h"

#define ET_WORDS 7 /* the last one is never written to: shifts may look at it */
#define ET_BITS_MAX (64u * (ET_WORDS - 1))
#define ET_BYTES_MAX (8u * (ET_WORDS - 1))

/* Shifts of 64 bits are a few instructions on RV32, many times in each packet's code; where the
 * compiler saves room for what is rare, as GCC 14 does in et_put(), it calls a library for them. */
#if UINTPTR_MAX > UINT32_MAX
#define ET_INLINE static inline
#else
#define ET_INLINE __attribute__((noinline, hot, unused)) static
#endif

/* Bits up to the highest one that is set; @v is not 0.  Not every hart counts them by an
 * instruction. */
static inline unsigned et_length(uint64_t v)
{
#if defined(__riscv) && !defined(__riscv_zbb)
	unsigned n = 1;

	for (unsigned half = 32; half; half /= 2)
		if (v >> half) {
			v >>= half;
			n += half;
		}
	return n;
#else
	return 64 - (unsigned)__builtin_clzll(v);
#endif
}

/* Words in memory are little-endian. */
static inline uint64_t et_little(uint64_t v)
{
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? __builtin_bswap64(v) : v;
}

static inline uint32_t et_little32(uint32_t v)
{
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? __builtin_bswap32(v) : v;
}

/* Bits to read.  Past the end the last one repeats: sign-based compression (ET Packets); or they
 * are 0. */
struct et_bits {
	uint64_t w[ET_WORDS];
	unsigned end; /* bits given */
	unsigned at;
};

/* Load 1 to 7 bytes, and read none after them. */
static inline uint64_t et_load_few(const uint8_t *p, unsigned n)
{
	uint32_t low, high;

	if (n < 4)
		return p[0] | (uint64_t)p[n / 2] << 8 * (n / 2) | (uint64_t)p[n - 1] << 8 * (n - 1);
	memcpy(&low, p, sizeof low);
	memcpy(&high, p + n - 4, sizeof high);
	return et_little32(low) | (uint64_t)et_little32(high) << 8 * (n - 4);
}

/* What is past the end; @spare bits of the last byte, 0 to 7, are too.  @extend: all ones when the
 * last bit repeats there, else 0. */
static inline uint64_t et_past(const uint8_t *bytes, unsigned n, unsigned spare, uint64_t extend)
{
	return n && (bytes[n - 1] & 0x80u >> spare) ? extend : 0;
}

/* Load up to 16 bytes where 16 can be read: without branches on how many. */
static inline void et_load_short(struct et_bits *b, const uint8_t *bytes, unsigned n,
                                 unsigned spare, uint64_t extend)
{
	const uint64_t low = word_load(bytes), high = word_load(bytes + 8);
	const uint64_t sign = et_past(bytes, n, spare, extend);
	const unsigned end = n ? 8 * n - spare : 0;
	const uint64_t drop = UINT64_MAX << end % 64;

	b->w[0] = end < 64 ? (low & ~drop) | (sign & drop) : low;
	b->w[1] = end < 64 ? sign : end < 128 ? (high & ~drop) | (sign & drop) : high;
	for (unsigned i = 2; i < ET_WORDS; i++)
		b->w[i] = sign;
	b->end = end;
	b->at = 0;
}

/* The same for @n bytes, 0 to ET_BYTES_MAX.  Words are made in registers: bytes just stored load
 * slowly as words. */
static inline void et_load(struct et_bits *b, const uint8_t *bytes, unsigned n, unsigned spare,
                           uint64_t extend)
{
	const uint64_t sign = et_past(bytes, n, spare, extend);
	const unsigned end = n ? 8 * n - spare : 0, rest = n % 8;
	unsigned i = 0;

	for (; i < n / 8; i++)
		b->w[i] = word_load(bytes + 8 * i);
	if (rest)
		b->w[i++] = (n > 8 ? word_load(bytes + n - 8) >> (64 - 8 * rest)
		                   : et_load_few(bytes, n)) |
		            sign << 8 * rest;
	for (; i < ET_WORDS; i++)
		b->w[i] = sign;
	if (spare && n) {
		const uint64_t drop = UINT64_MAX << end % 64;

		b->w[end / 64] = (b->w[end / 64] & ~drop) | (sign & drop);
	}
	b->end = end;
	b->at = 0;
}

/* @bits: 0..64.  Not past ET_BITS_MAX. */
ET_INLINE uint64_t et_peek(const struct et_bits *b, unsigned at, unsigned bits)
{
	const unsigned i = at < ET_BITS_MAX ? at / 64 : ET_WORDS - 2, in = at % 64;
	const uint64_t v = b->w[i] >> in | (b->w[i + 1] << 1) << (63 - in);

	return bits >= 64 ? v : v & (((uint64_t)1 << bits) - 1);
}

static inline uint64_t et_take(struct et_bits *b, unsigned bits)
{
	const uint64_t v = et_peek(b, b->at, bits);

	b->at += bits;
	return v;
}

/* The bit before the next one. */
static inline unsigned et_before(const struct et_bits *b)
{
	return b->at ? (unsigned)et_peek(b, b->at - 1, 1) : 0;
}

/* Bits being written.  Those of the current word are in acc, so that a field does not wait for the
 * one before it to come back from memory. */
struct et_out {
	uint64_t w[ET_WORDS];
	uint64_t acc;
	unsigned at;
	unsigned last; /* the bit written last */
};

/* Start after @at bits of 0, fewer than 64. */
static inline void et_out_init(struct et_out *o, unsigned at)
{
	o->acc = 0;
	o->at = at;
	o->last = 0;
}

/* The low @bits of @v: 0..64.  Not past ET_BITS_MAX. */
ET_INLINE void et_put(struct et_out *o, uint64_t v, unsigned bits)
{
	const unsigned in = o->at % 64;
	const uint64_t only = bits < 64 ? v & (((uint64_t)1 << bits) - 1) : v;
	const uint64_t low = o->acc | only << in, high = (only >> 1) >> (63 - in);

	o->w[o->at / 64] = low;
	o->acc = in + bits >= 64 ? high : low;
	o->last = bits ? only >> (bits - 1) & 1u : o->last;
	o->at += bits;
}

/* Fill the last word with the bit written last, if @sign, else with 0.
 * @return  How many bits there are up to the last one that differs from the filling. */
static inline unsigned et_finish(struct et_out *o, bool sign)
{
	const uint64_t fill = sign && o->last ? UINT64_MAX : 0;
	unsigned i = o->at / 64;

	o->w[i] = o->acc | fill << o->at % 64;
	o->w[i + 1 < ET_WORDS ? i + 1 : i] =
		fill; /* a byte may come after that of the last field */
	for (;; i--) {
		const uint64_t differs = o->w[i] ^ fill;

		if (differs)
			return 64 * i + et_length(differs);
		if (i == 0)
			return 0;
	}
}

/* The first @n bytes, up to ET_BYTES_MAX; whole words are written. */
static inline void et_store(const struct et_out *o, uint8_t *bytes, unsigned n)
{
	for (unsigned i = 0; 8 * i < n; i++) {
		const uint64_t v = et_little(o->w[i]);

		memcpy(bytes + 8 * i, &v, sizeof v);
	}
}

#endif
