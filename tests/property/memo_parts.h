/* Parts of memo.c that know nothing of a case. */
#ifndef TESTS_PROPERTY_MEMO_PARTS_H
#define TESTS_PROPERTY_MEMO_PARTS_H

#include "etrace/etrace.h"
#include "property/mix.h"
#include "property/randprog.h"

/* Bytes of the packet at @p (EE Packet Length). */
static size_t packet_bytes(const struct hs_et_config *c, const uint8_t *p)
{
	const unsigned stamp = *p & 0x80 ? 8u * c->tstamp_bytes : 0;

	return *p & 31 ? 1 + (c->src_bits + stamp) / 8 + (*p & 31) : 1;
}

/* The packets of each source in their order, some of them together, so that all are in @to: of the
 * standard encapsulation. */
static size_t mix_packets(struct rng *r, const struct hs_et_config *c, struct mix_source *of,
                          uint32_t sources, uint8_t *to)
{
	size_t all = 0, length = 0;

	for (uint32_t i = 0; i < sources; i++)
		all += of[i].left;
	while (length < all) {
		struct mix_source *next = &of[rng_below(r, sources)];

		for (uint32_t n = 1 + rng_below(r, 5); n && next->left; n--) {
			const size_t bytes = packet_bytes(c, next->messages);

			memcpy(to + length, next->messages, bytes);
			length += bytes;
			next->messages += bytes;
			next->left -= bytes;
		}
	}
	return length;
}

static uint64_t hash(uint64_t sum, const struct hs_block *b)
{
	uint64_t words[2];

	memcpy(words, b, sizeof words);
	for (unsigned i = 0; i < 2; i++) {
		sum = (sum ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15);
		sum ^= sum >> 29;
	}
	return sum;
}

static void copy_program(struct program *to, const struct program *from)
{
	*to = *from;
	for (unsigned i = 0; i < 2; i++)
		to->sections[i].bytes = from->sections[i].bytes == from->code ? to->code
		                                                              : to->table;
	to->image.sections = to->sections;
	to->image.isa.custom = to->custom;
}

static void compare_tables_of(const struct hs_et_source *a, const struct hs_et_source *b)
{
	const struct hs_et_tables *x = &a->tables, *y = &b->tables;

	if (b->unfit)
		return;
	assert_int_equal(x->cached, y->cached);
	if (x->cache)
		assert_memory_equal(x->cache, y->cache, x->targets * sizeof *x->cache);
	if (a->path.states)
		assert_memory_equal(x->states, y->states, (size_t)a->path.mask + 1);
}

#endif
