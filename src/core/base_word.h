/* Eight bytes at once, as a word whose lowest byte is the first one. */
#ifndef HS_BASE_WORD_H
#define HS_BASE_WORD_H

#include <stdint.h>

#include "core/mem.h"

/* Bit 0 of each byte. */
#define WORD_EACH UINT64_C(0x0101010101010101)

static inline uint64_t word_load(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof v);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v = __builtin_bswap64(v);
#endif
	return v;
}

/* The lowest bit that is set. */
static inline uint64_t word_lowest(uint64_t v)
{
	return v & -v;
}

/* Number of the byte whose bit 0 is @one, the only bit set: a multiplication moves that byte of the
 * constant to the top. */
static inline unsigned word_byte(uint64_t one)
{
	return (unsigned)(one * UINT64_C(0x0001020304050607) >> 56);
}

/* Number of the first byte whose bit 0 is set in @each, which is not 0.  Not every hart counts
 * bits by an instruction. */
static inline unsigned word_first(uint64_t each)
{
#if defined(__riscv) && !defined(__riscv_zbb)
	return word_byte(word_lowest(each));
#else
	return (unsigned)__builtin_ctzll(each) / 8;
#endif
}

/* Bits that are set. */
static inline unsigned word_count(uint64_t v)
{
	v -= v >> 1 & UINT64_C(0x5555555555555555);
	v = (v & UINT64_C(0x3333333333333333)) + (v >> 2 & UINT64_C(0x3333333333333333));
	v = (v + (v >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	return (unsigned)(v * WORD_EACH >> 56);
}

/* Number of the lowest bit that is set in @v, which is not 0. */
static inline unsigned word_first_bit(uint64_t v)
{
#if defined(__riscv) && !defined(__riscv_zbb)
	return word_count(word_lowest(v) - 1);
#else
	return (unsigned)__builtin_ctzll(v);
#endif
}

/* Bytes after the last one whose bit 0 is set in @each, which is not 0. */
static inline unsigned word_after(uint64_t each)
{
#if defined(__riscv) && !defined(__riscv_zbb)
	each |= each >> 8;
	each |= each >> 16;
	each |= each >> 32;
	return 8 - (unsigned)(each * WORD_EACH >> 56);
#else
	return (unsigned)__builtin_clzll(each) / 8;
#endif
}

#if defined(__SSE2__)
typedef char word_chars __attribute__((vector_size(16)));
typedef unsigned short word_shorts __attribute__((vector_size(16)));

/* Bit i: the lowest bit of byte i is set. */
static inline uint64_t word_lows16(const uint8_t *p)
{
	word_chars v;

	memcpy(&v, p, sizeof v);
	return (unsigned)__builtin_ia32_pmovmskb128((word_chars)((word_shorts)v << 7));
}

/* Bit i: both low bits of byte i are set. */
static inline uint64_t word_ends16(const uint8_t *p)
{
	const word_chars three = { 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3 };
	word_chars v;

	memcpy(&v, p, sizeof v);
	return (unsigned)__builtin_ia32_pmovmskb128((word_chars)((v & three) == three));
}
#else
static inline uint64_t word_bits8(uint64_t each)
{
	return (each & WORD_EACH) * UINT64_C(0x0102040810204080) >> 56;
}

/* Bit i: the lowest bit of byte i is set. */
static inline uint64_t word_lows16(const uint8_t *p)
{
	return word_bits8(word_load(p)) | word_bits8(word_load(p + 8)) << 8;
}

/* Bit i: both low bits of byte i are set. */
static inline uint64_t word_ends16(const uint8_t *p)
{
	const uint64_t low = word_load(p), high = word_load(p + 8);

	return word_bits8(low & low >> 1) | word_bits8(high & high >> 1) << 8;
}
#endif

/* Bit i: the lowest bit of byte i of 64 is set. */
static inline uint64_t word_lows64(const uint8_t *p)
{
	return word_lows16(p) | word_lows16(p + 16) << 16 | word_lows16(p + 32) << 32 |
	       word_lows16(p + 48) << 48;
}

/* Bit i: both low bits of byte i of 64 are set. */
static inline uint64_t word_ends64(const uint8_t *p)
{
	return word_ends16(p) | word_ends16(p + 16) << 16 | word_ends16(p + 32) << 32 |
	       word_ends16(p + 48) << 48;
}

#endif
