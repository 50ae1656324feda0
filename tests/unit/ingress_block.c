/* The rules of the retired block (NT 2; block.h): by row, and for random damage. */
#include "cases.h"

#include <hartscope/block.h>

#include "ingress/ingress.h"

#define BLOCK(a, hw, last, type) \
	{ .iaddr = (a), .iretire = (hw), .ilast = (last), .itype = (type), .kind = HS_KIND_BLOCK }
#define EVENT(k, a) { .arg = (a), .kind = (k) }

static const struct row {
	const char *name;
	struct hs_block first, second; /* first is fine; second is judged after it */
	enum hs_status want;
} rows[] = {
	{ "after a taken branch, anywhere", BLOCK(0x100, 4, 2, 5), BLOCK(0x200, 1, 1, 0), HS_OK },
	{ "after a return, anywhere", BLOCK(0x100, 4, 2, 13), BLOCK(0x200, 1, 1, 15), HS_OK },
	{ "after not taken, next", BLOCK(0x100, 4, 2, 4), BLOCK(0x108, 1, 1, 0), HS_OK },
	{ "after not taken, elsewhere", BLOCK(0x100, 4, 2, 4), BLOCK(0x10a, 1, 1, 0), HS_E_BLOCK },
	{ "after none, next", BLOCK(0x100, 4, 2, 0), BLOCK(0x108, 1, 1, 0), HS_OK },
	{ "after none, elsewhere", BLOCK(0x100, 4, 2, 0), BLOCK(0x100, 1, 1, 0), HS_E_BLOCK },
	{ "after none, from 2^32 to 0", BLOCK(0xfffffff8, 4, 2, 0), BLOCK(0, 1, 1, 0), HS_OK },
	{ "after none, from 2^64 to 0", BLOCK(UINT64_MAX - 7, 4, 2, 0), BLOCK(0, 1, 1, 0), HS_OK },
	{ "nothing retired, exception", BLOCK(0x100, 1, 1, 5), BLOCK(0x200, 0, 0, 1), HS_OK },
	{ "nothing retired, interrupt", BLOCK(0x100, 1, 1, 5), BLOCK(0x200, 0, 0, 2), HS_OK },
	{ "nothing retired, no trap", BLOCK(0x100, 1, 1, 5), BLOCK(0x200, 0, 0, 0), HS_E_BLOCK },
	{ "nothing retired, trap return", BLOCK(0x100, 1, 1, 5), BLOCK(0x200, 0, 0, 3),
	  HS_E_BLOCK },
	{ "odd address", BLOCK(0x100, 1, 1, 5), BLOCK(0x201, 1, 1, 0), HS_E_BLOCK },
	{ "no last instruction", BLOCK(0x100, 1, 1, 5), BLOCK(0x200, 2, 0, 0), HS_E_BLOCK },
	{ "last above the whole", BLOCK(0x100, 1, 1, 5), BLOCK(0x200, 2, 3, 0), HS_E_BLOCK },
	{ "last of nothing", BLOCK(0x100, 1, 1, 5), BLOCK(0x200, 0, 1, 1), HS_E_BLOCK },
	{ "last is the whole", BLOCK(0x100, 1, 1, 5), BLOCK(0x200, 12, 12, 0), HS_OK },
	{ "itype 6", BLOCK(0x100, 1, 1, 6), BLOCK(0x200, 1, 1, 6), HS_OK },
	{ "itype 7", BLOCK(0x100, 1, 1, 5), BLOCK(0x200, 1, 1, 7), HS_E_BLOCK },
	{ "itype 16", BLOCK(0x100, 1, 1, 5), BLOCK(0x200, 1, 1, 16), HS_E_BLOCK },
	{ "kind 18", BLOCK(0x100, 1, 1, 5), EVENT(18, 0), HS_E_BLOCK },
	{ "a run, which has an address of memory", BLOCK(0x100, 1, 1, 5), EVENT(HS_KIND_PATH, 0),
	  HS_E_BLOCK },
	{ "an odd value in an event", BLOCK(0x100, 1, 1, 5),
	  { .value = 0x201, .kind = HS_KIND_TRAP }, HS_OK },
};

TEST_ROWS(checked, rows, r)
{
	struct hs_block_checker c = { 0 };

	assert_int_equal(hs_block_check(&c, &r->first), HS_OK);
	const struct hs_block_checker before = c;
	assert_int_equal(hs_block_check(&c, &r->second), r->want);
	if (r->want != HS_OK)
		assert_memory_equal(&c, &before, sizeof c);
}

/* Which events let the next block start anywhere. */
TEST(events_that_let_a_block_start_anywhere)
{
	static const struct {
		struct hs_block event;
		bool breaks;
	} row[] = {
		{ EVENT(HS_KIND_GAP, 0), true }, { EVENT(HS_KIND_STOP, 0), true },
		{ EVENT(HS_KIND_HART, 0), true }, { EVENT(HS_KIND_NOTE, HS_NOTE_EXEC), true },
		{ EVENT(HS_KIND_NOTE, HS_NOTE_PARTIAL), true },
		{ EVENT(HS_KIND_NOTE, HS_NOTE_FORK), false },
		{ EVENT(HS_KIND_NOTE, HS_NOTE_AMBIGUOUS), false },
		{ EVENT(HS_KIND_NOTE, HS_NOTE_SIGNAL), false },
		{ EVENT(HS_KIND_TRAP, 0), false }, { EVENT(HS_KIND_SYNC, 0), false },
		{ EVENT(HS_KIND_CONTEXT, 0), false }, { EVENT(HS_KIND_TIME, 0), false },
		{ EVENT(HS_KIND_CODE, 0), false },
	};
	static const struct hs_block first = BLOCK(0x100, 4, 2, 0), far = BLOCK(0x800, 1, 1, 0);

	for (size_t i = 0; i < COUNT_OF(row); i++) {
		struct hs_block_checker c = { 0 };

		assert_int_equal(hs_block_check(&c, &first), HS_OK);
		assert_int_equal(hs_block_check(&c, &row[i].event), HS_OK);
		assert_int_equal(hs_block_check(&c, &far), row[i].breaks ? HS_OK : HS_E_BLOCK);
	}
}

static uint64_t next_random(uint64_t *seed)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *seed >> 20;
}

/* The rules of block.h once more, as one sentence each. */
static bool allowed(const struct hs_block *b)
{
	if (b->kind > 16)
		return false;
	if (b->kind != 0)
		return true;
	if (b->iaddr % 2 == 1 || b->itype == 7 || b->itype > 15)
		return false;
	if (b->iretire == 0)
		return b->ilast == 0 && (b->itype == 1 || b->itype == 2);
	return b->ilast >= 1 && b->ilast <= b->iretire;
}

/* Flip one or two bits anywhere in a good block: it is refused exactly when a rule says so. */
TEST(a_flipped_bit_is_seen_by_a_rule)
{
	uint64_t seed = 20240601;

	printf("# seed %llu\n", (unsigned long long)seed);
	for (unsigned i = 0; i < 200000; i++) {
		struct hs_block b = BLOCK(next_random(&seed) * 2, 1 + next_random(&seed) % 40, 1,
			                  8 + next_random(&seed) % 8);
		uint8_t bytes[sizeof b];
		struct hs_block_checker c = { 0 };

		memcpy(bytes, &b, sizeof b);
		for (unsigned k = 0; k <= i % 2; k++) {
			const uint64_t bit = next_random(&seed) % (8 * sizeof b);

			bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
		}
		memcpy(&b, bytes, sizeof b);
		assert_int_equal(hs_block_check(&c, &b), allowed(&b) ? HS_OK : HS_E_BLOCK);
	}
}

/* Every single difference is seen, but for sijump and an unknown privilege. */
TEST(every_difference_is_seen)
{
	const struct hs_block a = { .iaddr = 0x100, .iretire = 4, .ilast = 2, .itype = 5,
	                            .priv = 3 };
	struct hs_block b = a;

	assert_true(hs_block_same(&a, &b));
	b = a; b.iaddr ^= 2; assert_false(hs_block_same(&a, &b));
	b = a; b.iretire++; assert_false(hs_block_same(&a, &b));
	b = a; b.ilast = 1; assert_false(hs_block_same(&a, &b));
	b = a; b.itype = 4; assert_false(hs_block_same(&a, &b));
	b = a; b.priv = 1; assert_false(hs_block_same(&a, &b));
	b = a; b.kind = HS_KIND_GAP; assert_false(hs_block_same(&a, &b));
	b = a; b.sijump = 1; assert_true(hs_block_same(&a, &b));
	assert_false(hs_block_equal(&a, &b));
	b = a; b.priv = HS_PRIV_UNKNOWN;
	assert_true(hs_block_same(&a, &b));
	assert_true(hs_block_same(&b, &a));
	assert_false(hs_block_equal(&a, &b)); /* one of them does not know its privilege */
	b = a;
	assert_true(hs_block_equal(&a, &b));
}

TEST(same_events)
{
	const struct hs_block a = { .value = 5, .arg = 7, .kind = HS_KIND_TRAP };
	struct hs_block b = a;

	assert_true(hs_block_same(&a, &b));
	b = a; b.value++; assert_false(hs_block_same(&a, &b));
	b = a; b.arg++; assert_false(hs_block_same(&a, &b));
	b = a; b.itype++; assert_false(hs_block_same(&a, &b));
	b = a; b.priv = HS_PRIV_UNKNOWN; assert_true(hs_block_same(&a, &b));
	assert_true(hs_block_same(&b, &a));
	b.value++; assert_false(hs_block_same(&a, &b));
	b = a; b.priv = HS_PRIV_M; assert_false(hs_block_same(&a, &b));
	b = a; b.kind = HS_KIND_HART; assert_false(hs_block_same(&a, &b));
}

TEST(names_of_kinds_and_itypes)
{
	assert_string_equal(hs_itype_name(HS_ITYPE_TAKEN), "taken branch");
	assert_string_equal(hs_kind_name(HS_KIND_GAP), "gap");
	for (unsigned i = 0; i <= HS_ITYPE_JUMP_INF; i++)
		for (unsigned k = 0; k < i; k++)
			assert_string_not_equal(hs_itype_name(i), hs_itype_name(k));
	for (unsigned i = 0; i <= HS_KIND_PATH; i++)
		for (unsigned k = 0; k < i; k++)
			assert_string_not_equal(hs_kind_name(i), hs_kind_name(k));
	assert_string_equal(hs_itype_name(16), "?");
	assert_string_equal(hs_kind_name(18), "?");
}

/* A bit without a name is not set where a block is: clang leaves in it what was there. */
TEST(every_bit_has_a_name)
{
	struct hs_block b = { .value = UINT64_MAX, .arg = UINT32_MAX, .ilast = 0xff, .itype = 0xff,
		              .priv = 7, .sijump = 1, .reserved = 15, .kind = 0xff };
	uint8_t ones[sizeof b];

	memset(ones, 0xff, sizeof ones);
	assert_memory_equal(&b, ones, sizeof b);
}
