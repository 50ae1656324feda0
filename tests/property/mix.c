/* N-Trace messages of several sources, in one stream (mix.h). */
#include "property/mix.h"

#include <string.h>

/* The length of some messages, from one to as many as a queue sends at once. */
static size_t some_messages(struct rng *r, const struct mix_source *of)
{
	size_t end = 0;

	for (uint32_t n = 1 + rng_below(r, rng_one_in(r, 2) ? 3 : 60); n && end < of->left; end++)
		n -= (of->messages[end] & 3) == 3;
	return end;
}

size_t mix_messages(struct rng *r, struct mix_source *of, uint32_t sources, uint8_t *to)
{
	size_t all = 0, length = 0;

	for (uint32_t i = 0; i < sources; i++)
		all += of[i].left;
	while (length < all) {
		struct mix_source *next = &of[rng_below(r, sources)];
		const size_t n = some_messages(r, next);

		memcpy(to + length, next->messages, n);
		next->messages += n;
		next->left -= n;
		length += n;
	}
	return length;
}
