/* Harts of a comparison (compare.h) as words. */
#include <string.h>

#include <hartscope/compare.h>

#include "support/words.h"

#define BEFORE 4u
#define WORDS 7u /* before the blocks */

_Static_assert(8 * WORDS + 16 * (BEFORE + 2) == HS_PART_HART, "the size of a hart");

static void put_block(const struct hs_block *b, uint8_t *to)
{
	uint64_t words[2];

	memcpy(words, b, sizeof(words));
	support_put64(to, words[0]);
	support_put64(to + 8, words[1]);
}

static struct hs_block get_block(const uint8_t *from)
{
	const uint64_t words[2] = { support_get64(from), support_get64(from + 8) };
	struct hs_block b;

	memcpy(&b, words, sizeof(b));
	return b;
}

void hs_part_put_hart(const struct hs_part_hart *h, uint8_t *out)
{
	const uint64_t words[WORDS] = { h->number | (uint64_t)h->differs << 32 |
		                                (uint64_t)h->ended[0] << 33 |
		                                (uint64_t)h->ended[1] << 34,
		                        h->blocks,
		                        h->traps,
		                        h->ecalls,
		                        h->instructions,
		                        h->unmapped,
		                        h->before_count };

	for (unsigned i = 0; i < WORDS; i++)
		support_put64(out + 8 * i, words[i]);
	out += 8 * WORDS;
	for (unsigned i = 0; i < BEFORE; i++)
		put_block(&h->before[i], out + 16 * i);
	for (unsigned i = 0; i < 2; i++)
		put_block(&h->items[i], out + 16 * (BEFORE + i));
}

enum hs_status hs_part_get_hart(const struct hs_span *payload, size_t index, struct hs_part_hart *h)
{
	const size_t count = payload->n / HS_PART_HART;

	if (payload->n % HS_PART_HART)
		return HS_E_FORMAT;
	if (index >= count)
		return HS_END;
	const uint8_t *at = payload->p + index * HS_PART_HART;
	const uint64_t first = support_get64(at);

	if (first >> 35)
		return HS_E_FORMAT;
	*h = (struct hs_part_hart){ .number = (uint32_t)first,
		                    .differs = first >> 32 & 1,
		                    .ended = { first >> 33 & 1, first >> 34 & 1 },
		                    .blocks = support_get64(at + 8),
		                    .traps = support_get64(at + 16),
		                    .ecalls = support_get64(at + 24),
		                    .instructions = support_get64(at + 32),
		                    .unmapped = support_get64(at + 40),
		                    .before_count = support_get64(at + 48) };
	at += 8 * WORDS;
	for (unsigned i = 0; i < BEFORE; i++)
		h->before[i] = get_block(at + 16 * i);
	for (unsigned i = 0; i < 2; i++)
		h->items[i] = get_block(at + 16 * (BEFORE + i));
	return HS_OK;
}
