/* The names that are nearest to a word, for messages. */
#ifndef HS_SUPPORT_NEAREST_H
#define HS_SUPPORT_NEAREST_H

#include <stddef.h>

#define NEAREST 3u

/* Zero is the start. */
struct support_nearest {
	const char *names[NEAREST]; /* the nearest first; NULL: there are no more */
	unsigned far[NEAREST];
};

/* Compare a name; it is kept, and must stay.  The same text twice is one name. */
void support_nearest_add(struct support_nearest *n, const char *wanted, const char *name);

/* "; the nearest names are a, b, c" after @text, or nothing where no name was added. */
void support_nearest_text(const struct support_nearest *n, char *text, size_t size);

#endif
