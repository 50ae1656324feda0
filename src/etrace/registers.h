/* Fields of the registers by which an encoder describes itself, bit 0 of image[0] first. */
#ifndef HS_ETRACE_REGISTERS_H
#define HS_ETRACE_REGISTERS_H

#include <stdint.h>

/* @width: 1 to 32. */
static inline uint32_t et_get_field(const uint32_t *image, unsigned at, unsigned width)
{
	const unsigned low = at % 32;
	uint32_t v = image[at / 32] >> low;

	if (low + width > 32)
		v |= image[at / 32 + 1] << (32 - low);
	return v & UINT32_MAX >> (32 - width);
}

/* The field is 0 so far. */
static inline void et_set_field(uint32_t *image, unsigned at, unsigned width, uint32_t v)
{
	const unsigned low = at % 32;

	v &= UINT32_MAX >> (32 - width);
	image[at / 32] |= v << low;
	if (low + width > 32)
		image[at / 32 + 1] |= v >> (32 - low);
}

#endif
