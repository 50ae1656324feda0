/* Growing arrays (grow.h). */
#define _DEFAULT_SOURCE /* reallocarray() */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "support/grow.h"

#define ROOM_FIRST 16u

bool support_grow_now(void *array, size_t *room, size_t need, size_t size)
{
	const size_t twice = *room <= SIZE_MAX / 2 ? 2 * *room : need;
	const size_t least = twice > ROOM_FIRST ? twice : ROOM_FIRST;
	const size_t more = need > least ? need : least;
	void *items;

	memcpy(&items, array, sizeof(items)); /* a pointer of whatever type */
	items = reallocarray(items, more, size);
	if (!items)
		return false;
	memcpy(array, &items, sizeof(items));
	*room = more;
	return true;
}
