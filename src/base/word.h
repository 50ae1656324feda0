/* Eight bytes at once, as a word whose lowest byte is the first one. */
#ifndef HS_BASE_WORD_H
#define HS_BASE_WORD_H

#include <stdint.h>

#include "base/mem.h"

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

#endif
