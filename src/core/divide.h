/* Division of 64 bits, which RV32 has no instruction for: compilers call a library that free rooms
 * do not have. */
#ifndef HS_BASE_DIVIDE_H
#define HS_BASE_DIVIDE_H

#include <stdint.h>

/* @n / @d, rounded down; @d is not 0. */
static inline uint64_t base_divide(uint64_t n, uint64_t d)
{
#if UINTPTR_MAX > UINT32_MAX
	return n / d;
#else
	uint64_t quotient = 0, rest = 0;

	for (unsigned bit = 64; bit-- > 0;) {
		const unsigned carry = (unsigned)(rest >> 63);

		rest = rest << 1 | (n >> bit & 1u);
		if (carry || rest >= d) {
			rest -= d;
			quotient |= (uint64_t)1 << bit;
		}
	}
	return quotient;
#endif
}

#endif
