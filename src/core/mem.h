/* The four functions that a freestanding room may call; the program that links it has them.
 * <string.h> would declare more than that, and does not exist everywhere. */
#ifndef HS_BASE_MEM_H
#define HS_BASE_MEM_H

#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t n);
void *memmove(void *to, const void *from, size_t n);
void *memset(void *to, int value, size_t n);
int memcmp(const void *a, const void *b, size_t n);

/* A freestanding compiler does not know these names; by its own names it expands small
 * copies in place, and calls the functions above for the others.  With a C library there are no
 * macros: a <string.h> that comes later, and defines these functions inline, would get them. */
#if !__STDC_HOSTED__
#define memcpy(to, from, n) __builtin_memcpy(to, from, n)
#define memmove(to, from, n) __builtin_memmove(to, from, n)
#define memset(to, value, n) __builtin_memset(to, value, n)
#define memcmp(a, b, n) __builtin_memcmp(a, b, n)
#endif

#endif
