/* Sections of code, joined. */
#include <stdlib.h>

#include "support/sections.h"

static int by_start(const void *a, const void *b)
{
	const struct hs_section *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

uint64_t support_join_sections(struct hs_section *s, size_t *count)
{
	uint64_t total = 0;
	size_t n = 0;

	qsort(s, *count, sizeof(*s), by_start);
	for (size_t i = 0; i < *count; i++) {
		struct hs_section *last = n ? &s[n - 1] : NULL;

		if (!last || s[i].start - last->start > last->size)
			s[n++] = s[i];
		else if (s[i].start - last->start + s[i].size > last->size)
			last->size = s[i].start - last->start + s[i].size;
	}
	for (size_t i = 0; i < n; i++)
		total += s[i].size;
	*count = n;
	return total;
}
