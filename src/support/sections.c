/* Sections of code, joined. */
#include <stdlib.h>
#include <string.h>

#include "core/search.h"
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

/* Put the bytes of a section where the copy has its addresses. */
static void put_code(const struct support_code *to, const struct hs_section *code)
{
	const size_t up = base_count_leading(to->count, i, to->sections[i].start <= code->start);
	const size_t low = up ? up - 1 : 0;

	const struct hs_section *s = &to->sections[low];

	memcpy((uint8_t *)(uintptr_t)s->bytes + (code->start - s->start), code->bytes, code->size);
}

bool support_copy_code(const struct hs_image *from, const struct hs_section *extra, size_t more,
                       struct support_code *to)
{
	struct hs_section *s = calloc(from->count + more + 1, sizeof(*s));

	if (!s)
		return false;
	*to = (struct support_code){ s, from->count + more, NULL };
	if (from->count)
		memcpy(s, from->sections, from->count * sizeof(*s));
	if (more)
		memcpy(s + from->count, extra, more * sizeof(*s));
	to->bytes = calloc(1, support_join_sections(s, &to->count) + 1);
	if (!to->bytes) {
		free(s);
		return false;
	}
	for (size_t i = 0, at = 0; i < to->count; at += s[i++].size)
		s[i].bytes = to->bytes + at;
	for (size_t i = 0; i < from->count; i++)
		if (from->sections[i].size)
			put_code(to, &from->sections[i]);
	return true;
}
