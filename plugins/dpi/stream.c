/* Bytes of a trace in their order, and where the messages of a row begin. */
#include <stdlib.h>
#include <string.h>

#include "private.h"

bool bytes_put(struct bytes *b, const uint8_t *from, size_t n)
{
	if (b->n + n > b->cap) {
		const size_t cap = 2 * (b->n + n) + 4096;
		uint8_t *at = realloc(b->at, cap);

		if (!at)
			return false;
		b->at = at;
		b->cap = cap;
	}
	if (n)
		memcpy(b->at + b->n, from, n);
	b->n += n;
	return true;
}

bool bytes_put_bits(struct bytes *b, const uint32_t *bits, int n)
{
	uint8_t own[BITS_BYTES];
	size_t i = 0;

	for (; n > 0 && i < (size_t)n && i < BITS_BYTES; i++)
		own[i] = (uint8_t)(bits[i / 4] >> 8 * (i % 4));
	return bytes_put(b, own, i);
}

struct hs_span bytes_from(const struct bytes *b, uint64_t offset)
{
	const size_t skip = (size_t)(offset - b->base);

	return (struct hs_span){ b->at + skip, b->n - skip };
}

void bytes_drop(struct bytes *b, uint64_t offset)
{
	const struct hs_span rest = bytes_from(b, offset);

	if (rest.n)
		memmove(b->at, rest.p, rest.n);
	b->n = rest.n;
	b->base = offset;
}

bool marks_put(struct marks *m, uint64_t offset, const struct row *row)
{
	if (m->n == m->cap) {
		const size_t cap = 2 * m->cap + 64;
		struct mark *at = realloc(m->at, cap * sizeof(*at));

		if (!at)
			return false;
		m->at = at;
		m->cap = cap;
	}
	m->at[m->n++] = (struct mark){ offset, *row };
	return true;
}

const struct mark *marks_find(const struct marks *m, uint64_t offset)
{
	size_t low = 0, high = m->n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (m->at[middle].offset <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &m->at[low - 1] : NULL;
}

void marks_drop(struct marks *m, uint64_t offset)
{
	const struct mark *found = marks_find(m, offset);
	const size_t n = found ? (size_t)(found - m->at) : 0;

	if (n)
		memmove(m->at, m->at + n, (m->n - n) * sizeof(*m->at));
	m->n -= n;
}
