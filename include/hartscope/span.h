/* Bytes in, bytes out: the one way that every part of the library takes input, and the one shape of
 * a function that takes output. */
#ifndef HARTSCOPE_SPAN_H
#define HARTSCOPE_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Input bytes, or text.  The caller keeps the memory; a function that takes some of them moves
 * @p forward and lowers @n by as much. */
struct hs_span {
	const uint8_t *p;
	size_t n; /**< bytes at @p */
};

/** Where a field is in the bytes of a message or packet. */
struct hs_bits {
	uint16_t at;    /**< its first bit; the lowest one of the first byte is 0 */
	uint16_t count; /**< how many bits of it are there; 0: none */
};

/** Takes all of @n bytes.  False ends the work of the caller, which then returns HS_E_SYSTEM
 * (a closed pipe, a full disk). */
typedef bool (*hs_write_fn)(void *context, const void *bytes, size_t n);

#endif
