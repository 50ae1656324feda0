/* Growing arrays. */
#ifndef HS_SUPPORT_GROW_H
#define HS_SUPPORT_GROW_H

#include <stdbool.h>
#include <stddef.h>

/* As support_grow(), where there is no room yet. */
bool support_grow_now(void *array, size_t *room, size_t need, size_t size);

/* Have room for @need items of @size bytes in an array, *@array being its first one or NULL, that
 * has room for *@room.  False, and all as it was: there is no memory. */
static inline bool support_grow(void *array, size_t *room, size_t need, size_t size)
{
	return need <= *room || support_grow_now(array, room, need, size);
}

#endif
