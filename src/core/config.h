/* The one rule for every configuration and options struct (docs/library.md, "Structs that grow").
 *
 * The first member is uint32_t size, which the caller sets to sizeof(struct).  A caller that was
 * built against an older library gives a smaller struct: what it lacks is zero, and zero is the
 * documented default of every member.  A newer caller gives a larger one: what this library does
 * not know must be zero.
 */
#ifndef HS_BASE_CONFIG_H
#define HS_BASE_CONFIG_H

#include <stdint.h>

#include <hartscope/status.h>

#include "core/mem.h"

/* Copy the caller's struct @given to @own, which has @size bytes.
 * HS_E_CONFIG: it is NULL, its size does not even hold the size, or it has non-zero bytes past
 * @size. */
static inline enum hs_status base_take_config(void *own, uint32_t size, const void *given)
{
	uint32_t n = 0;

	if (given)
		memcpy(&n, given, sizeof n);
	if (n < sizeof n)
		return HS_E_CONFIG;
	for (uint32_t i = size; i < n; i++)
		if (((const uint8_t *)given)[i])
			return HS_E_CONFIG;
	memset(own, 0, size);
	memcpy(own, given, n < size ? n : size);
	memcpy(own, &size, sizeof size);
	return HS_OK;
}

/* Copy @own, which base_take_config() filled from @given, back: as much of it as the caller has. */
static inline void base_give_config(void *given, const void *own)
{
	uint32_t n, known;

	memcpy(&n, given, sizeof n);
	memcpy(&known, own, sizeof known);
	memcpy((uint8_t *)given + sizeof n, (const uint8_t *)own + sizeof n,
	       (n < known ? n : known) - sizeof n);
}

/* The same, but HS_E_CONFIG, and nothing is written, when a member that the caller's struct does
 * not have is not zero. */
static inline enum hs_status base_give_whole_config(void *given, const void *own)
{
	uint32_t n, known;

	memcpy(&n, given, sizeof n);
	memcpy(&known, own, sizeof known);
	for (uint32_t i = n; i < known; i++)
		if (((const uint8_t *)own)[i])
			return HS_E_CONFIG;
	base_give_config(given, own);
	return HS_OK;
}

#endif
