/* The checksum of saved harts with CTR, for tests that make them. */
#ifndef TESTS_CTR_SAVED_H
#define TESTS_CTR_SAVED_H

#include <stddef.h>
#include <stdint.h>

/* CRC-32, IEEE 802.3: of "123456789" it is 0xcbf43926. */
static inline uint32_t ctr_saved_crc(const uint8_t *bytes, size_t n)
{
	uint32_t crc = 0;

	for (size_t bit = 0; bit < 8 * n; bit++) {
		const unsigned in = bytes[bit / 8] >> bit % 8 & 1, first = bit < 32;

		crc = (crc ^ in ^ first) & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
	}
	return ~crc;
}

/* Put the right checksum after @n bytes. */
static inline void ctr_saved_seal(uint8_t *bytes, size_t n)
{
	const uint32_t crc = ctr_saved_crc(bytes, n);

	for (unsigned i = 0; i < 4; i++)
		bytes[n + i] = (uint8_t)(crc >> 8 * i);
}

#endif
