/* Stretches that are remembered (design/packed): what a packed stream says is the same with and
 * without them. */
#include "cases.h"

#include "recording/recording.h"
#include "recording_packer.h"

#define PATTERNS 6u
#define PATTERN 40u
#define CONTEXTS 4u

static const uint32_t anew[] = { HS_REC_WORD(HS_REC_ESCAPE_ANEW, 0), 5, 0 };
static struct packer p;
static struct hs_block have[BLOCKS], want[BLOCKS];

/* ---- streams of loops ------------------------------------------------------------------------ */

static void put_words(const uint32_t *words, uint32_t n)
{
	pack_flush(&p);
	memcpy(p.words + p.n, words, 4 * (size_t)n);
	p.n += n;
}

static void put_context(uint32_t context)
{
	const uint32_t event[] = { EVENT(HS_KIND_CONTEXT, context, 0) };

	put_words(event, sizeof(event) / sizeof(*event));
}

/* Runs are forgotten: also by the packer. */
static void forget(void)
{
	pack_flush(&p);
	memset(p.successors, 0, sizeof(p.successors));
	p.last = UINT32_MAX;
	put_words(anew, sizeof(anew) / sizeof(*anew));
}

/* Nearly always one that may come after @last; RUNS: after any. */
static uint32_t any_run(uint64_t *x, uint32_t last, uint32_t most)
{
	const uint32_t run = next_random(x) % most;

	if (next_random(x) % 32 == 0)
		return run % FILLED;
	return last >= FILLED && last < RUNS && is_part(last) ? last + 1 : FILLED + run;
}

/* The last run is left in its middle, by a trap. */
static void put_trap(void)
{
	const uint32_t at = 0x3002 + 4 * p.last;
	const uint32_t trap[] = { TRAP(1, at, 7, 5, 1) };

	if (p.last >= FILLED && p.last < RUNS)
		put_words(trap, sizeof(trap) / sizeof(*trap));
}

static uint32_t patterns[PATTERNS * PATTERN];

static void new_patterns(uint64_t *x, uint32_t most)
{
	for (uint32_t i = 0; i < PATTERNS * PATTERN; i++)
		patterns[i] = any_run(x, i % PATTERN ? patterns[i - 1] : RUNS, most);
}

/* Patterns that come again and again, in any order; of a hundred runs @odd are others. */
static void pack_loops(uint64_t *x, uint32_t odd, uint32_t longest)
{
	const uint32_t count = 1 + next_random(x) % PATTERNS;
	const uint32_t most = 2 + next_random(x) % (next_random(x) % 2 ? 20 : 3);

	new_patterns(x, most);
	for (uint32_t n = 0; n < LONGEST - 2 * PATTERN;) {
		const uint32_t *pattern = patterns + PATTERN * (next_random(x) % count);
		const uint32_t length = 1 + next_random(x) % PATTERN, kind = next_random(x) % 64;

		for (uint32_t i = 0; i < length; i++, n++) {
			const bool is_odd = next_random(x) % 100 < odd;

			pack_word(&p, is_odd ? any_run(x, p.last, most) : pattern[i], longest);
		}
		if (kind == 0)
			put_context(next_random(x) % CONTEXTS);
		else if (kind == 1)
			forget();
		else if (kind == 2)
			put_trap();
		if (kind == 1)
			new_patterns(x, most);
	}
	pack_flush(&p);
}

/* Another word somewhere. */
static void damage(uint64_t *x)
{
	const uint32_t at = next_random(x) % p.n;

	switch (next_random(x) % 4) {
	case 0:
		p.words[at] ^= 1u << next_random(x) % 32;
		break;
	case 1:
		p.words[at] = OUT(next_random(x) & 0xfffffff & (0u - next_random(x) % 2));
		break;
	case 2:
		p.words[at] = next_random(x) % RUNS;
		break;
	default:
		p.n = at + 1;
	}
}

/* ---- reading --------------------------------------------------------------------------------- */

static struct reading any_reading(uint64_t *x)
{
	static const uint32_t rooms[] = { 16, 40, 300, 20000 };

	return (struct reading){ .cap = 1 + next_random(x) % (next_random(x) % 2 ? 97 : 900),
		                 .log = 1 + next_random(x) % 11,
		                 .room = rooms[next_random(x) % 4] };
}

static void check_stream(const char *dir, uint64_t *x)
{
	enum hs_status end, plain_end;
	const size_t m = read_blocks(dir, 64, want, &plain_end);

	for (unsigned i = 0; i < 4; i++) {
		const struct reading how = any_reading(x);

		compare("recalled", have, read_so(dir, &how, have, &end), want, m);
		assert_int_equal(end, plain_end);
	}
}

static void write_loops(const char *dir, uint64_t *x, unsigned round)
{
	static const uint32_t odd[] = { 0, 1, 3, 10, 40 };

	p = (struct packer){ .last = UINT32_MAX, .outcomes = 1, .wide = round % 2 };
	pack_loops(x, odd[round % 5], 1 + next_random(x) % 27);
	if (round % 8 == 7)
		damage(x);
	write_streams(dir, p.wide ? WIDELY : NARROW, true, p.words, p.n);
}

TEST(blocks_are_the_same)
{
	char room[64];
	const char *dir = test_directory(room);
	uint64_t x = 7;

	for (unsigned round = 0; round < 400; round++) {
		write_loops(dir, &x, round);
		check_stream(dir, &x);
	}
	test_directory_remove(dir);
}

/* Three runs again and again, @n in all; after an event now and then stretches begin elsewhere. */
static void pack_three(uint64_t *x, uint32_t other, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		if (next_random(x) % 40 == 0)
			put_context(1);
		pack_word(&p, FILLED + (i % 3 == 2 ? other : 1 + i % 3), 27);
	}
}

/* The same outcomes that lead elsewhere: since a successor was replaced, so often that it is loose;
 * since runs were forgotten. */
TEST(outcomes_mean_something_else)
{
	char room[64];
	const char *dir = test_directory(room);
	uint64_t x = 3;

	for (unsigned round = 0; round < 20; round++) {
		p = (struct packer){ .last = UINT32_MAX, .outcomes = 1 };
		for (uint32_t i = 0; i < 28; i++)
			pack_three(&x, 6 + i % 3, 100);
		pack_flush(&p);
		write_streams(dir, NARROW, true, p.words, p.n);
		check_stream(dir, &x);
		p = (struct packer){ .last = UINT32_MAX, .outcomes = 1 };
		pack_three(&x, 6, 800);
		forget();
		pack_three(&x, 7, 800);
		pack_flush(&p);
		write_streams(dir, NARROW, true, p.words, p.n);
		check_stream(dir, &x);
	}
	test_directory_remove(dir);
}

/* ---- counting -------------------------------------------------------------------------------- */

/* How often each run came in each context, as a block of its own or in a longer one. */
struct counts {
	uint64_t blocks[CONTEXTS][0x3000], taken;
	uint64_t context, called; /* by now; when the call of the reader began */
};

static void count_block(struct counts *c, uint64_t context, const struct hs_block *b,
                        uint64_t times)
{
	const uint64_t which = b->iaddr / 2 + 0x800 * (uint64_t)b->itype + 0x100 * b->iretire;

	c->blocks[context % CONTEXTS][which % 0x3000] += times;
}

static void take_run(void *to, const struct hs_path_count *run)
{
	struct counts *c = to;

	assert_int_equal(run->n, 1);
	count_block(c, c->called, run->blocks, run->times);
	c->taken += run->times;
}

static void take_items(struct counts *c, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (have[i].kind == HS_KIND_BLOCK)
			count_block(c, c->context, &have[i], 1);
		else if (have[i].kind == HS_KIND_CONTEXT)
			c->context = have[i].value;
}

/* Returns how many blocks were taken. */
static uint64_t count_stream(const char *dir, const struct reading *how, bool counted,
                             struct counts *c)
{
	enum hs_status status = HS_OK;
	struct hs_rec_stream *s;
	struct hs_rec *rec;
	size_t n;

	memset(c, 0, sizeof(*c));
	assert_int_equal(hs_rec_open(dir, &rec, NULL), HS_OK);
	assert_int_equal(hs_rec_stream_open(rec, 0, &s, NULL), HS_OK);
	if (counted)
		assert_int_equal(hs_rec_stream_count(s, 1, take_run, c), HS_OK);
	if (how->log != 0)
		rec_recall_start(s, how->log, how->room);
	while (status == HS_OK) {
		c->called = c->context;
		status = hs_rec_stream_next(s, have, how->cap, &n, NULL);
		take_items(c, n);
	}
	hs_rec_stream_close(s);
	hs_rec_close(rec);
	return c->taken;
}

TEST(counts_are_the_same)
{
	static struct counts got, expected;
	char room[64];
	const char *dir = test_directory(room);
	uint64_t x = 11, taken = 0;

	for (unsigned round = 0; round < 200; round++) {
		write_loops(dir, &x, round);
		count_stream(dir, &(struct reading){ .cap = 64 }, false, &expected);
		for (unsigned i = 0; i < 4; i++) {
			const struct reading how = any_reading(&x);

			taken += count_stream(dir, &how, true, &got);
			assert_memory_equal(got.blocks, expected.blocks, sizeof(got.blocks));
		}
	}
	assert_true(taken > 300000);
	test_directory_remove(dir);
}
