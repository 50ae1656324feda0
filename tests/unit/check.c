/* Are two flows equal?  Rows by hand: what both have, and the first difference. */
#include "cases.h"

#include <hartscope/compare.h>
#include <hartscope/recording.h>

#include "unit/runs.h"

/* @n instructions of two bytes (c.nop) at @a; how the block ends. */
#define B(a, n, t) { .iaddr = (a), .iretire = (n), .ilast = 1, .itype = HS_ITYPE_##t }
/* c.nop and ecall, which is at 0x142 */
#define ECALL(a, t) { .iaddr = (a), .iretire = 3, .ilast = 2, .itype = HS_ITYPE_##t }
#define GAP { .kind = HS_KIND_GAP, .arg = HS_E_FIELD }
#define TRAP(c) { .kind = HS_KIND_TRAP, .arg = (c), .value = 0x100 }
#define TIME(v) { .value = (v), .kind = HS_KIND_TIME }
#define STOP { .kind = HS_KIND_STOP, .itype = 4 }
#define HART(n) { .kind = HS_KIND_HART, .arg = (n) }
#define MAX 8

static const struct row {
	const char *name;
	struct hs_block run[2][MAX];
	unsigned n[2];
	bool gaps;
	/* what is expected */
	uint64_t blocks, instructions, traps;
	bool differs;
	uint32_t hart; /* of the difference */
	uint64_t next[2]; /* its first addresses; 0: the run ends */
	bool missing;
	uint32_t missing_hart;
	unsigned missing_in;
	uint64_t passed, equal_hwords, hwords; /* gaps; with @gaps */
} rows[] = {
	{ "the same", .run = { { B(0x100, 3, TAKEN), B(0x110, 2, TAKEN) },
	                       { B(0x100, 3, TAKEN), B(0x110, 2, TAKEN) } },
	  .n = { 2, 2 }, .blocks = 2, .instructions = 5 },
	{ "the same but for events",
	  .run = { { TIME(5), B(0x100, 3, EXCEPTION), TRAP(2), B(0x110, 2, TAKEN) },
	           { B(0x100, 3, EXCEPTION), TIME(9), B(0x110, 2, TAKEN) } },
	  .n = { 4, 3 }, .blocks = 2, .instructions = 5, .traps = 1 },
	{ "another trap",
	  .run = { { B(0x100, 3, EXCEPTION), TRAP(2) }, { B(0x100, 3, EXCEPTION), TRAP(3) } },
	  .n = { 2, 2 }, .blocks = 1, .instructions = 3, .traps = 1, .differs = true,
	  .next = { 0x100, 0x100 } },
	{ "another address", .run = { { B(0x100, 3, TAKEN), B(0x110, 2, TAKEN) },
	                              { B(0x100, 3, TAKEN), B(0x112, 2, TAKEN) } },
	  .n = { 2, 2 }, .blocks = 1, .instructions = 3, .differs = true,
	  .next = { 0x110, 0x112 } },
	{ "the first one ends", .run = { { B(0x100, 3, TAKEN) },
	                                 { B(0x100, 3, TAKEN), B(0x110, 2, TAKEN) } },
	  .n = { 1, 2 }, .blocks = 1, .instructions = 3, .differs = true, .next = { 0, 0x110 } },
	{ "the second one ends", .run = { { B(0x100, 3, TAKEN), B(0x110, 2, TAKEN) },
	                                  { B(0x100, 3, TAKEN) } },
	  .n = { 2, 1 }, .blocks = 1, .instructions = 3, .differs = true, .next = { 0x110, 0 } },
	{ "a hart in one hart's place", .run = { { HART(0), B(0x100, 3, TAKEN) },
	                                         { HART(7), B(0x100, 3, TAKEN) } },
	  .n = { 2, 2 }, .blocks = 1, .instructions = 3 },
	{ "harts in another order",
	  .run = { { HART(0), B(0x100, 3, TAKEN), HART(1), B(0x110, 1, TAKEN) },
	           { HART(1), B(0x110, 1, TAKEN), HART(0), B(0x100, 3, TAKEN) } },
	  .n = { 4, 4 }, .blocks = 2, .instructions = 4 },
	{ "the second hart differs",
	  .run = { { HART(0), B(0x100, 3, TAKEN), HART(1), B(0x110, 1, TAKEN) },
	           { HART(0), B(0x100, 3, TAKEN), HART(1), B(0x112, 1, TAKEN) } },
	  .n = { 4, 4 }, .blocks = 1, .instructions = 3, .differs = true, .hart = 1,
	  .next = { 0x110, 0x112 } },
	{ "a hart is missing in the first",
	  .run = { { HART(0), B(0x100, 3, TAKEN) },
	           { HART(0), B(0x100, 3, TAKEN), HART(7), B(0x110, 1, TAKEN) } },
	  .n = { 2, 4 }, .missing = true, .missing_hart = 7, .missing_in = 0 },
	{ "a hart is missing in the second",
	  .run = { { HART(0), B(0x100, 3, TAKEN), HART(1), B(0x110, 1, TAKEN) },
	           { HART(0), B(0x100, 3, TAKEN) } },
	  .n = { 4, 2 }, .missing = true, .missing_hart = 1, .missing_in = 1 },
	{ "equal outside of a gap", .gaps = true,
	  .run = { { B(0x100, 3, TAKEN), B(0x110, 2, TAKEN), B(0x120, 1, TAKEN) },
	           { B(0x100, 3, TAKEN), GAP, B(0x120, 1, TAKEN) } },
	  .n = { 3, 3 }, .blocks = 2, .instructions = 0, .passed = 1, .equal_hwords = 4,
	  .hwords = 6 },
	{ "different after a gap", .gaps = true,
	  .run = { { B(0x100, 3, TAKEN), B(0x110, 2, TAKEN), B(0x120, 1, TAKEN) },
	           { B(0x100, 3, TAKEN), GAP, B(0x122, 1, TAKEN) } },
	  .n = { 3, 3 }, .blocks = 1, .instructions = 0, .differs = true, .next = { 0, 0x122 },
	  .passed = 1, .equal_hwords = 3, .hwords = 6 },
	{ "an ecall before a gap that hides its trap", .gaps = true,
	  .run = { { ECALL(0x140, EXCEPTION), B(0x150, 2, TAKEN), B(0x120, 1, TAKEN) },
	           { ECALL(0x140, NONE), GAP, B(0x120, 1, TAKEN) } },
	  .n = { 3, 3 }, .blocks = 2, .passed = 1, .equal_hwords = 2, .hwords = 4 },
	{ "the same after a gap", .gaps = true,
	  .run = { { B(0x100, 3, TAKEN), ECALL(0x140, EXCEPTION), B(0x150, 2, TAKEN) },
	           { GAP, ECALL(0x140, NONE), GAP, B(0x150, 2, TAKEN) } },
	  .n = { 3, 4 }, .blocks = 2, .passed = 2, .equal_hwords = 3, .hwords = 6 },
	{ "a filter that begins later, stops inside a block and goes on", .gaps = true,
	  .run = { { B(0x100, 3, TAKEN), B(0x110, 2, TAKEN), B(0x120, 4, TAKEN),
	             B(0x130, 1, TAKEN) },
	           { B(0x110, 2, TAKEN), { .iaddr = 0x120, .iretire = 2, .ilast = 1 }, STOP,
	             B(0x130, 1, TAKEN) } },
	  .n = { 4, 4 }, .blocks = 3, .equal_hwords = 5, .hwords = 10 },
	{ "another address after a stop", .gaps = true,
	  .run = { { B(0x100, 3, TAKEN), B(0x110, 2, TAKEN), B(0x120, 1, TAKEN) },
	           { B(0x100, 3, TAKEN), STOP, B(0x122, 1, TAKEN) } },
	  .n = { 3, 3 }, .blocks = 1, .differs = true, .next = { 0, 0x122 },
	  .equal_hwords = 3, .hwords = 6 },
};

/* What the functions of the caller were called with. */
struct seen {
	uint64_t blocks, steps, items;
	unsigned harts;
	bool stops;
};

static void count_hart(void *to, const struct hs_check_hart *h)
{
	struct seen *seen = to;

	seen->blocks += h->blocks;
	seen->harts++;
}

static bool count_step(void *to, const struct hs_source *source, uint64_t items)
{
	struct seen *seen = to;

	assert_non_null(source);
	seen->steps++;
	seen->items = items;
	return !seen->stops;
}

static void check_difference(const struct row *r, const struct hs_check_hart *h)
{
	assert_int_equal(h->number, r->hart);
	assert_true(h->differs);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(h->ended[i], r->next[i] == 0);
		if (r->next[i])
			assert_int_equal(h->next[i].kind == HS_KIND_BLOCK ? h->next[i].iaddr
			                                                  : h->next[i].value,
			                 r->next[i]);
	}
	if (r->blocks && h->items)
		assert_int_equal(h->before[HS_CHECK_BEFORE - 1].iaddr, r->run[0][0].iaddr);
}

static void check_result(const struct row *r, const struct hs_check_result *got)
{
	assert_int_equal(got->blocks, r->blocks);
	assert_int_equal(got->instructions, r->instructions);
	assert_int_equal(got->traps, r->traps);
	assert_int_equal(got->differs, r->differs);
	assert_int_equal(got->equal, !r->differs && !r->missing);
	assert_int_equal(got->missing, r->missing);
	assert_int_equal(got->compared, !r->missing);
	assert_int_equal(got->gaps, r->passed);
	assert_int_equal(got->equal_hwords, r->equal_hwords);
	assert_int_equal(got->hwords, r->hwords);
	assert_int_equal(got->reference, 0);
	if (r->missing) {
		assert_int_equal(got->missing_hart, r->missing_hart);
		assert_int_equal(got->missing_in, r->missing_in);
	}
	if (r->differs)
		check_difference(r, &got->difference);
}

TEST_ROWS(check_row, rows, r)
{
	struct seen seen = { .stops = false };
	const struct hs_check_options o = { .size = sizeof(o), .gaps = r->gaps, .to = &seen,
		                            .hart = count_hart, .step = count_step };
	struct hs_source *source[2];
	struct hs_check_result got;
	char room[2][64];

	for (unsigned i = 0; i < 2; i++)
		source[i] = open_run(r->run[i], r->n[i], room[i]);
	assert_int_equal(hs_check(source[0], source[1], &o, &got, NULL), HS_OK);
	check_result(r, &got);
	assert_int_equal(seen.blocks, r->blocks);
	assert_int_equal(seen.harts != 0 && seen.steps != 0, !r->missing);
	for (unsigned i = 0; i < 2; i++) {
		hs_source_close(source[i]);
		test_directory_remove(room[i]);
	}
}

/* The caller stops it before the end is known. */
TEST(stopped_by_the_caller)
{
	static const struct hs_block one[] = { B(0x100, 3, TAKEN), B(0x110, 2, TAKEN) };
	struct seen seen = { .stops = true };
	struct hs_check_options o = { .size = sizeof(o), .to = &seen, .step = count_step };
	struct hs_source *a, *b;
	struct hs_check_result got;
	struct hs_error e;
	char room[2][64];

	a = open_run(one, 2, room[0]);
	b = open_run(one, 1, room[1]);
	assert_int_equal(hs_check(a, b, &o, &got, &e), HS_OK);
	assert_false(got.whole);
	assert_true(got.equal);
	o.size = 2;
	assert_int_equal(hs_check(a, b, &o, &got, &e), HS_E_CONFIG);
	assert_int_equal(hs_check_messages(a, b, NULL, NULL, &(struct hs_messages_result){ 0 }, &e),
	                 HS_E_CONFIG);
	hs_source_close(a);
	hs_source_close(b);
	for (unsigned i = 0; i < 2; i++)
		test_directory_remove(room[i]);
}

TESTS
{
	for (size_t i = 0; i < sizeof(code); i += 2)
		code[i] = 0x01;
	memcpy(code + 0x42, (const uint8_t[]){ 0x73, 0, 0, 0 }, 4); /* ecall */
}
