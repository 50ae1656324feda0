/* Rows of tables by their names. */
#ifndef HS_BASE_NAME_H
#define HS_BASE_NAME_H

#include <stdbool.h>
#include <stddef.h>

static inline bool base_same_name(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

/* The index of the row called @name; -1: there is none.
 * @rows: @count structs of @size bytes, which begin with a const char *name. */
static inline int base_find_name(const void *rows, int count, size_t size, const char *name)
{
	for (int i = 0; i < count; i++)
		if (base_same_name(*(const char *const *)((const char *)rows + (size_t)i * size),
		                   name))
			return i;
	return -1;
}

#endif
