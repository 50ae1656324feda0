/* Words of files, least significant byte first. */
#ifndef HS_SUPPORT_WORDS_H
#define HS_SUPPORT_WORDS_H

#include <stdint.h>

static inline void support_put64(uint8_t *to, uint64_t v)
{
	for (unsigned i = 0; i < 8; i++)
		to[i] = (uint8_t)(v >> 8 * i);
}

static inline uint64_t support_get64(const uint8_t *from)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < 8; i++)
		v |= (uint64_t)from[i] << 8 * i;
	return v;
}

static inline uint32_t support_get32(const uint8_t *from)
{
	return (uint32_t)from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 |
	       (uint32_t)from[3] << 24;
}

static inline uint16_t support_get16(const uint8_t *from)
{
	return (uint16_t)(from[0] | from[1] << 8);
}

#endif
