/* The numbers of records and words in the other byte order (docs/recording-format.md), byte by
 * byte; code and paths stay as they are. */
#include "cases.h"

#include "recording/order.h"

#define HEAD(type, size) (type), 0, 0, 0, (size), 0, 0, 0
#define OTHER(type, size) 0, 0, 0, (type), 0, 0, 0, (size)

/* As a little-endian file has them, and as the memory of a big-endian host. */
static const struct row {
	const char *name;
	size_t n;
	uint8_t little[48], big[48];
} rows[] = {
	{ "start", 32,
	  { HEAD(1, 24), 'H', 'A', 'R', 'T', 'L', 'O', 'G', '1', 64, 0, 0, 0, 4, 0, 0, 0, 1, 2, 3, 4,
	    5, 6, 7, 8 },
	  { OTHER(1, 24), '1', 'G', 'O', 'L', 'T', 'R', 'A', 'H', 0, 0, 0, 64, 0, 0, 0, 4, 8, 7, 6,
	    5, 4, 3, 2, 1 } },
	{ "run", 32,
	  { HEAD(2, 18), 0, 0x10, 0, 0, 0, 0, 0, 0, 1, 0, 0, 3, 2, 0, 0, 0, 0x82, 0x80 },
	  { OTHER(2, 18), 0, 0, 0, 0, 0, 0, 0x10, 0, 3, 0, 0, 1, 0, 0, 0, 2, 0x82, 0x80 } },
	{ "block", 24,
	  { HEAD(3, 16), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 },
	  { OTHER(3, 16), 4, 3, 2, 1, 8, 7, 6, 5, 12, 11, 10, 9, 16, 15, 14, 13 } },
	{ "map", 40,
	  { HEAD(4, 27), 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0,
	    'a', '/', 'b' },
	  { OTHER(4, 27), 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 3,
	    'a', '/', 'b' } },
	{ "code", 24,
	  { HEAD(5, 10), 1, 2, 3, 4, 5, 6, 7, 8, 0x01, 0x45 },
	  { OTHER(5, 10), 8, 7, 6, 5, 4, 3, 2, 1, 0x01, 0x45 } },
	{ "changed", 24,
	  { HEAD(6, 16), 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0, 0, 0, 0, 0 },
	  { OTHER(6, 16), 8, 7, 6, 5, 4, 3, 2, 1, 0, 0, 0, 0, 0, 0, 0, 9 } },
	{ "resume", 24,
	  { HEAD(7, 16), 1, 0, 0, 0, 2, 0, 0, 0, 3, 4, 5, 6, 7, 8, 9, 10 },
	  { OTHER(7, 16), 0, 0, 0, 1, 0, 0, 0, 2, 10, 9, 8, 7, 6, 5, 4, 3 } },
	{ "version", 24,
	  { HEAD(8, 12), 1, 2, 3, 4, 5, 6, 7, 8, 0x13, 0, 0, 0 },
	  { OTHER(8, 12), 8, 7, 6, 5, 4, 3, 2, 1, 0x13, 0, 0, 0 } },
	{ "moved", 24,
	  { HEAD(9, 16), 0, 0x10, 0, 0, 0, 0, 0, 0, 0, 0x20, 0, 0, 0, 0, 0, 0 },
	  { OTHER(9, 16), 0, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0, 0, 0x20, 0 } },
	{ "a type that is not known, then a block that is cut", 28,
	  { HEAD(77, 3), 1, 2, 3, 0, 0, 0, 0, 0, HEAD(3, 16), 1, 2, 3, 4 },
	  { OTHER(77, 3), 1, 2, 3, 0, 0, 0, 0, 0, HEAD(3, 16), 1, 2, 3, 4 } },
	{ "a run of no code, too short", 16,
	  { HEAD(2, 8), 1, 2, 3, 4, 5, 6, 7, 8 }, { OTHER(2, 8), 8, 7, 6, 5, 4, 3, 2, 1 } },
};

/* Records as this host has them get the other order. */
TEST_ROWS(records, rows, r)
{
	_Alignas(8) uint8_t bytes[48];

	memcpy(bytes, REC_SWAPS ? r->big : r->little, r->n);
	rec_swap_records(bytes, r->n);
	assert_memory_equal(bytes, REC_SWAPS ? r->little : r->big, r->n);
}

TEST(words_keep_their_order)
{
	uint32_t w[] = { 0x01020304, 0xf0000001 };

	rec_swap_words(w, 2);
	assert_int_equal(w[0], 0x04030201);
	assert_int_equal(w[1], 0x010000f0);
	rec_order_words(w, 2);
	assert_memory_equal(w, ((const uint8_t[]){ 1, 2, 3, 4, 0xf0, 0, 0, 1 }), 8);
}
