/* CRC-32 of IEEE 802.3, as snapshots of CTR and .gnu_debuglink have it. */
#ifndef HS_BASE_CRC32_H
#define HS_BASE_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* That of all bytes, where @crc is that of those before; 0 before the first. */
static inline uint32_t base_crc32_more(uint32_t crc, const uint8_t *bytes, size_t n)
{
	crc = ~crc;
	for (size_t i = 0; i < n; i++) {
		crc ^= bytes[i];
		for (unsigned bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
	}
	return ~crc;
}

static inline uint32_t base_crc32(const uint8_t *bytes, size_t n)
{
	return base_crc32_more(0, bytes, n);
}

#endif
