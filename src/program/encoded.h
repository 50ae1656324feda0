/* Values in unwind information: encoded pointers (LSB 5.0, DWARF Exception Header Encoding). */
#ifndef HS_PROGRAM_ENCODED_H
#define HS_PROGRAM_ENCODED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The values of an encoding, and what they are relative to. */
enum {
	PE_ABSPTR,
	PE_ULEB128,
	PE_UDATA2,
	PE_UDATA4,
	PE_UDATA8,
	PE_SDATA2 = 10,
	PE_SDATA4,
	PE_SDATA8,
	PE_OMIT = 0xff
};
#define PE_SIGNED 8u
#define PE_VALUE 0x0fu
#define PE_PCREL 0x10u
#define PE_BASE 0xf0u /* indirect, and what an address is relative to */

/* Bytes that are read, and the size of an address. */
struct encoded {
	const uint8_t *at, *end;
	unsigned address; /* 4 or 8 */
};

/* Read a value and move past it; false: it goes past the end, or has no such encoding. */
bool program_take_encoded(struct encoded *e, unsigned encoding, uint64_t *value);

#endif
