/* The queue between an encoder and its sink, by numbers. */
#include "cases.h"

#include <hartscope/transport.h>

/* What happens: bytes come, time passes, or a wait for so many bytes is asked for. */
enum act { END, PUT, PASS, WAIT };

static const struct row {
	const char *name;
	uint32_t bytes, bits, cycles;
	struct {
		enum act act;
		uint64_t n, want; /* want: the room after it; of WAIT the cycles */
	} step[6];
	uint64_t peak;
} rows[] = {
	{ "bytes in, a byte a cycle out", 10, 8, 1,
	  { { PUT, 4, 6 }, { PASS, 1, 7 }, { PASS, 2, 9 }, { PASS, 9, 10 } }, 4 },
	{ "3 bits a cycle", 10, 3, 1,
	  { { PUT, 2, 8 }, { PASS, 2, 8 }, { PASS, 1, 9 }, { PASS, 3, 10 } }, 2 },
	{ "half a bit a cycle", 4, 1, 2,
	  { { PUT, 1, 3 }, { PASS, 15, 3 }, { PASS, 1, 4 } }, 1 },
	{ "a part of a byte counts as one", 10, 1, 1,
	  { { PUT, 2, 8 }, { PASS, 1, 8 }, { PUT, 1, 7 } }, 3 },
	{ "waiting", 10, 4, 1,
	  { { PUT, 9, 1 }, { WAIT, 1, 0 }, { WAIT, 2, 2 }, { WAIT, 10, 18 }, { WAIT, 11, 18 } },
	  9 },
	{ "more than there is room for", 4, 8, 1,
	  { { PUT, 6, 0 }, { WAIT, 0, 2 }, { PASS, 2, 0 }, { PASS, 1, 1 } }, 6 },
	{ "without an end", 0, 8, 1, { { PUT, 1000, SIZE_MAX }, { WAIT, 5, 0 } }, 1000 },
	{ "nothing leaves", 4, 0, 0,
	  { { PUT, 4, 0 }, { PASS, 1000000, 0 }, { WAIT, 1, UINT64_MAX } }, 4 },
};

TEST_ROWS(steps, rows, row)
{
	const struct hs_queue_config c = { sizeof c, row->bytes, row->bits, row->cycles };
	struct hs_queue q;

	assert_int_equal(hs_queue_init(&q, &c), HS_OK);
	for (unsigned i = 0; i < 6 && row->step[i].act != END; i++) {
		const uint64_t n = row->step[i].n, want = row->step[i].want;

		if (row->step[i].act == WAIT) {
			assert_int_equal(hs_queue_wait(&q, (size_t)n), want);
			continue;
		}
		if (row->step[i].act == PUT)
			hs_queue_put(&q, (size_t)n);
		else
			hs_queue_advance(&q, n);
		if (row->bytes)
			assert_int_equal(hs_queue_room(&q), want);
		else
			assert_true(hs_queue_room(&q) >= UINT32_MAX);
	}
	assert_int_equal(q.peak, row->peak);
}

TEST_NAMED(sizes, "sizes")
{
	struct hs_queue_config c = { .size = 3 };
	struct hs_queue q;

	assert_int_equal(hs_queue_init(&q, &c), HS_E_CONFIG);
	c.size = 4; /* all the rest has its default */
	assert_int_equal(hs_queue_init(&q, &c), HS_OK);
	assert_int_equal(hs_queue_wait(&q, 100), 0);
}
