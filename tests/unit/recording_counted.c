/* Blocks that hs_rec_stream_count() gives are together with those that are written those of a
 * stream that counts none: in each context, with calls of any size, with and without a thread. */
#include "cases.h"

#include <hartscope/recording.h>

#include "recording/recording.h"
#include "recording_files.h"

#define DATA HARTSCOPE_SOURCE "/tests/data/recording-1/"
#define MANY 2400000u /* more words than are read before there is a thread */
#define CONTEXTS 4
#define PLACES 256

static struct hs_block items[1 << 14];

/* How often blocks came, by context, place and end, and what else there was. */
struct sums {
	uint64_t blocks[CONTEXTS][PLACES][16], events, taken;
	uint64_t context, called; /* now, and when the call began */
};

static void add(struct sums *s, uint64_t context, const struct hs_block *b, uint64_t times)
{
	s->blocks[context % CONTEXTS][b->iaddr / 2 % PLACES][b->itype % 16] +=
		times * (b->iretire + 1000u * b->ilast);
}

static void take_block(void *to, const struct hs_path_count *run)
{
	struct sums *s = to;

	assert_int_equal(run->n, 1);
	assert_true(run->times);
	s->taken += run->times;
	add(s, s->called, run->blocks, run->times);
}

static void take_items(struct sums *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (items[i].kind == HS_KIND_BLOCK) {
			add(s, s->context, &items[i], 1);
			continue;
		}
		s->events++;
		if (items[i].kind == HS_KIND_CONTEXT)
			s->context = items[i].value;
	}
}

/* All of a stream; @threads 0: nothing is counted. */
static struct sums *read_all(const char *path, uint32_t threads, size_t cap)
{
	struct sums *sums = calloc(1, sizeof(*sums));
	struct hs_rec_stream *s;
	struct hs_rec *rec;
	enum hs_status status = HS_OK;
	size_t n;

	assert_non_null(sums);
	assert_int_equal(hs_rec_open(path, &rec, NULL), HS_OK);
	assert_int_equal(hs_rec_stream_open(rec, 0, &s, NULL), HS_OK);
	if (threads) {
		assert_int_equal(hs_rec_stream_count(s, threads, take_block, sums), HS_OK);
		assert_int_equal(hs_rec_stream_count(s, threads, take_block, sums),
		                 HS_E_UNSUPPORTED);
	}
	while (status == HS_OK) {
		sums->called = sums->context;
		status = hs_rec_stream_next(s, items, cap, &n, NULL);
		take_items(sums, n);
	}
	assert_int_equal(status, HS_END);
	hs_rec_stream_close(s);
	hs_rec_close(rec);
	return sums;
}

static void compare(const char *path, size_t cap, uint64_t least)
{
	struct sums *want = read_all(path, 0, cap);

	for (uint32_t threads = 1; threads <= 2; threads++) {
		struct sums *got = read_all(path, threads, cap);

		assert_memory_equal(got->blocks, want->blocks, sizeof(want->blocks));
		assert_int_equal(got->events, want->events);
		assert_true(got->taken >= least);
		free(got);
	}
	free(want);
}

TEST(counts_of_a_recording)
{
	for (size_t cap = 1; cap < 40; cap++) {
		compare(DATA "recording", cap, 1);
		compare(DATA "flow", cap, 1);
	}
}

static uint32_t next_random(uint32_t *x)
{
	*x = *x * 1664525u + 1013904223u;
	return *x >> 8;
}

/* A flow of any blocks, with contexts that last for @each of them on average. */
static void of_contexts(uint32_t each, uint32_t blocks, uint64_t least)
{
	struct hs_rec_writer *w;
	uint32_t x = each;
	char room[64];

	test_directory(room);
	test_manifest(room, "flow", 1);
	assert_int_equal(hs_rec_create(room, NULL, &w, NULL), HS_OK);
	for (uint32_t i = 0; i < blocks; i++) {
		const uint32_t r = next_random(&x);
		const struct hs_block context = { .value = r % CONTEXTS, .kind = HS_KIND_CONTEXT };
		const struct hs_block b = { .iaddr = 0x1000 + 8 * (r / 7 % 61),
			                    .iretire = 2 + r % 3,
			                    .ilast = 1 + r % 2,
			                    .itype = r & 64 ? HS_ITYPE_TAKEN : HS_ITYPE_NOT_TAKEN,
			                    .priv = HS_PRIV_UNKNOWN };

		assert_int_equal(hs_rec_write(w, r % each ? &b : &context, 1, NULL), HS_OK);
	}
	assert_int_equal(hs_rec_finish(w, true, "done", NULL), HS_OK);
	for (size_t cap = blocks > 10000 ? 5000 : 1; cap < sizeof(items) / sizeof(*items);
	     cap = 3 * cap + 1)
		compare(room, cap, least);
	test_directory_remove(room);
}

TEST(words_that_come_often)
{
	of_contexts(3, 5000, 0);
}

TEST(now_and_then)
{
	of_contexts(100, 10000, 100);
}

TEST(words_that_come_seldom)
{
	of_contexts(1u << 19, MANY, MANY / 2);
}
