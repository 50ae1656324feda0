/* The device tree's format, for the files that read and change it. */
#ifndef FDT_H
#define FDT_H

#include "fw.h"

#define BEGIN_NODE 1u
#define END_NODE 2u
#define PROPERTY 3u
#define NOP 4u

/* Offsets in the header. */
enum { TOTAL_SIZE = 4, STRUCT_AT = 8, STRINGS_AT = 12, RESERVE_MAP_AT = 16, STRINGS_SIZE = 32,
       STRUCT_SIZE = 36 };

static inline uint32_t big_endian(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static inline void put_big_endian(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)(v >> 24);
	p[1] = (uint8_t)(v >> 16);
	p[2] = (uint8_t)(v >> 8);
	p[3] = (uint8_t)v;
}

#endif
