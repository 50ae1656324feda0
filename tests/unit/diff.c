/* Where two runs part, block by block, and counts that are joined; both by hand. */
#include "cases.h"

#include <hartscope/compare.h>
#include <hartscope/recording.h>

#include "counts/runs.h"
#include "unit/runs.h"

/* ---- where they part ------------------------------------------------------------ */

/* @n instructions of two bytes (c.nop) at @a; how the block ends. */
#define B(a, n, t) { .iaddr = (a), .iretire = (n), .ilast = 1, .itype = HS_ITYPE_##t }
#define GAP { .kind = HS_KIND_GAP, .arg = HS_E_FIELD }
#define TIME(v) { .value = (v), .kind = HS_KIND_TIME }
#define TAKEN HS_ITYPE_TAKEN
#define NOT HS_ITYPE_NOT_TAKEN
#define ENDS { true, 0, 0 }
#define NEXT(t, a) { false, t, a }
#define MAX 5

static const struct row {
	const char *name;
	struct hs_block run[2][MAX];
	unsigned n[2];
	bool parted, has_last;
	uint64_t blocks, instructions, last;
	struct end {
		bool ended;
		uint8_t itype;
		uint64_t next; /* 0: none */
	} end[2];
} rows[] = {
	{ "the same", { { B(0x100, 3, TAKEN), B(0x110, 2, TAKEN) },
	                { B(0x100, 3, TAKEN), B(0x110, 2, TAKEN) } }, { 2, 2 },
	  false, false, 0, 0, 0, { { false, 0, 0 } } },
	{ "the same but for events",
	  { { TIME(5), B(0x100, 3, TAKEN), B(0x110, 2, TAKEN) },
	    { B(0x100, 3, TAKEN), TIME(9), GAP, B(0x110, 2, TAKEN) } }, { 3, 4 },
	  false, false, 0, 0, 0, { { false, 0, 0 } } },
	{ "a branch goes the other way",
	  { { B(0x120, 2, TAKEN), B(0x100, 3, TAKEN), B(0x110, 2, TAKEN) },
	    { B(0x120, 2, TAKEN), B(0x100, 3, NOT_TAKEN), B(0x106, 2, TAKEN) } }, { 3, 3 },
	  true, true, 1, 2, 0x104, { NEXT(TAKEN, 0x110), NEXT(NOT, 0x106) } },
	{ "a jump leads elsewhere",
	  { { B(0x100, 3, JUMP_INF), B(0x110, 2, TAKEN) },
	    { B(0x100, 3, JUMP_INF), B(0x120, 2, TAKEN) } }, { 2, 2 },
	  true, true, 1, 3, 0x104,
	  { NEXT(HS_ITYPE_JUMP_INF, 0x110), NEXT(HS_ITYPE_JUMP_INF, 0x120) } },
	{ "a block is cut short",
	  { { B(0x100, 3, TAKEN), B(0x110, 2, TAKEN) },
	    { B(0x100, 2, EXCEPTION), B(0x140, 1, TAKEN) } }, { 2, 2 },
	  true, true, 0, 0, 0x102, { NEXT(TAKEN, 0x110), NEXT(HS_ITYPE_EXCEPTION, 0x140) } },
	{ "one ends", { { B(0x100, 3, TAKEN), B(0x110, 2, TAKEN) }, { B(0x100, 3, TAKEN) } },
	  { 2, 1 }, true, true, 1, 3, 0x104, { NEXT(TAKEN, 0x110), ENDS } },
	{ "they have nothing in common", { { B(0x100, 3, TAKEN) }, { B(0x110, 2, TAKEN) } },
	  { 1, 1 }, true, false, 0, 0, 0, { NEXT(0, 0x100), NEXT(0, 0x110) } },
	{ "only the second has the hart", { { GAP }, { B(0x110, 2, TAKEN) } }, { 0, 1 }, true,
	  false, 0, 0, 0, { ENDS, NEXT(0, 0x110) } },
};

static void check_end(const struct hs_diff_end *got, const struct end *want, bool began)
{
	assert_int_equal(got->ended, want->ended);
	assert_int_equal(got->has_next, want->next != 0);
	assert_int_equal(got->next.addr, want->next);
	assert_true(want->ended || got->began == began);
	assert_int_equal(got->itype, want->itype);
}

TEST_ROWS(check_parting, rows, r)
{
	struct hs_source *source[2] = { NULL, NULL };
	struct hs_diff_parting got;
	struct diff_pair *d;
	char room[2][64];

	for (unsigned i = 0; i < 2; i++)
		if (r->n[i])
			source[i] = open_run(r->run[i], r->n[i], room[i]);
	assert_int_equal(diff_pair_new(source, &d), HS_OK);
	assert_int_equal(diff_find_parting(d, &got), r->parted ? HS_OK : HS_END);
	assert_int_equal(got.blocks, r->blocks);
	assert_int_equal(got.instructions, r->instructions);
	assert_int_equal(got.has_last, r->has_last);
	assert_int_equal(got.last.addr, r->last);
	for (unsigned i = 0; i < 2; i++)
		check_end(&got.end[i], &r->end[i], r->has_last);
	assert_int_equal(got.depth != 0, r->has_last);
	diff_pair_free(d);
	for (unsigned i = 0; i < 2; i++) {
		hs_source_close(source[i]);
		if (source[i])
			test_directory_remove(room[i]);
	}
}

/* ---- where they are together again ------------------------------------------------- */

#define J(a, n) B(a, n, TAKEN)
#define TAIL J(0x140, 1), J(0x144, 1), J(0x148, 1), J(0x14c, 1)
#define LONG 16

static const struct again {
	const char *name;
	struct hs_block run[2][LONG];
	unsigned n[2];
	unsigned places;
	struct {
		uint64_t own[2], at; /* at 0: they do not come together */
	} place[2];
} again[] = {
	{ "a loop has more rounds",
	  { { J(0x100, 2), J(0x110, 3), TAIL },
	    { J(0x100, 2), J(0x100, 2), J(0x100, 2), J(0x110, 3), TAIL } }, { 6, 8 },
	  1, { { { 0, 4 }, 0x110 } } },
	{ "two ways",
	  { { J(0x100, 2), J(0x110, 3), TAIL }, { J(0x100, 2), J(0x120, 1), J(0x130, 1), TAIL } },
	  { 6, 7 }, 1, { { { 3, 2 }, 0x140 } } },
	{ "two places",
	  { { J(0x100, 2), J(0x110, 3), TAIL, J(0x130, 2), TAIL },
	    { J(0x100, 2), TAIL, TAIL } }, { 11, 9 },
	  2, { { { 3, 0 }, 0x140 }, { { 2, 0 }, 0x140 } } },
	{ "a branch ends blocks that begin alike",
	  { { B(0x100, 3, NOT_TAKEN), J(0x106, 5), TAIL }, { J(0x100, 3), TAIL } }, { 6, 5 },
	  1, { { { 5, 0 }, 0x140 } } },
	{ "a block is longer than the other",
	  { { J(0x100, 3), TAIL }, { J(0x100, 7), TAIL } }, { 5, 5 }, 1, { { { 0, 4 }, 0x140 } } },
	{ "less than four blocks in a row",
	  { { J(0x100, 2), J(0x110, 1), J(0x112, 1), J(0x114, 1), J(0x116, 2), J(0x120, 1), TAIL },
	    { J(0x100, 2), J(0x130, 1), J(0x112, 1), J(0x114, 1), J(0x116, 2), TAIL } }, { 10, 9 },
	  1, { { { 6, 5 }, 0x140 } } },
	{ "the ends of both", { { J(0x100, 2), J(0x110, 3), J(0x140, 1) },
	                        { J(0x100, 2), J(0x120, 4), J(0x140, 1) } }, { 3, 3 },
	  1, { { { 3, 4 }, 0x140 } } },
	{ "one ends before", { { J(0x100, 2), J(0x110, 3) },
	                       { J(0x100, 2), J(0x110, 3), J(0x140, 1), J(0x144, 7) } }, { 2, 4 },
	  1, { { { 0, 8 }, 0 } } },
	{ "nothing later", { { J(0x100, 2), J(0x110, 3) }, { J(0x100, 2), J(0x120, 1) } },
	  { 2, 2 }, 1, { { { 3, 1 }, 0 } } },
	/* both call the same function, from other places: they part in a caller of it */
	{ "what is called on the way",
	  { { J(0x100, 2), B(0x110, 1, CALL_INF), TAIL, B(0x150, 1, RETURN), J(0x112, 1),
	      J(0x130, 2), J(0x134, 1), J(0x136, 1), J(0x138, 1) },
	    { J(0x100, 2), B(0x120, 3, CALL_INF), TAIL, B(0x150, 1, RETURN), J(0x126, 1),
	      J(0x130, 2), J(0x134, 1), J(0x136, 1), J(0x138, 1) } }, { 12, 12 },
	  1, { { { 7, 9 }, 0x130 } } },
	/* they part in a function; the first calls it again, which is not where they parted */
	{ "another call of the function",
	  { { B(0x100, 1, CALL_INF), J(0x110, 1), B(0x114, 1, RETURN), B(0x102, 1, CALL_INF), TAIL,
	      B(0x150, 1, RETURN), J(0x104, 2), J(0x130, 1), J(0x132, 1), J(0x134, 1) },
	    { B(0x100, 1, CALL_INF), J(0x120, 1), TAIL, B(0x150, 1, RETURN), J(0x104, 2),
	      J(0x130, 1), J(0x132, 1), J(0x134, 1) } }, { 13, 11 },
	  1, { { { 8, 6 }, 0x104 } } },
};

static void check_place(struct diff_pair *d, const struct again *r, unsigned i)
{
	struct hs_diff_parting parting;
	struct hs_diff_together got;

	assert_int_equal(diff_find_parting(d, &parting), i < r->places ? HS_OK : HS_END);
	if (i == r->places)
		return;
	assert_int_equal(diff_find_together(d, &got), HS_OK);
	assert_int_equal(got.own[0], r->place[i].own[0]);
	assert_int_equal(got.own[1], r->place[i].own[1]);
	assert_int_equal(got.place.addr, r->place[i].at);
	assert_int_equal(got.found, r->place[i].at != 0);
}

TEST_ROWS(check_again, again, r)
{
	struct hs_source *source[2];
	char room[2][64];
	struct diff_pair *d;

	for (unsigned i = 0; i < 2; i++)
		source[i] = open_run(r->run[i], r->n[i], room[i]);
	assert_int_equal(diff_pair_new(source, &d), HS_OK);
	for (unsigned i = 0; i <= r->places; i++)
		check_place(d, r, i);
	diff_pair_free(d);
	for (unsigned i = 0; i < 2; i++) {
		hs_source_close(source[i]);
		test_directory_remove(room[i]);
	}
}

/* ---- all harts ---------------------------------------------------------------------- */

#define HART(n) { .kind = HS_KIND_HART, .arg = (n) }

/* Hart 0 parts twice, hart 1 not at all, hart 7 is in the second run only. */
TEST(check_harts)
{
	static const struct hs_block one[] = { HART(0), J(0x100, 2), J(0x110, 3), TAIL,
		                               J(0x130, 2), TAIL, HART(1), J(0x100, 2) };
	static const struct hs_block two[] = { HART(7), J(0x110, 2), HART(1), J(0x100, 2),
		                               HART(0), J(0x100, 2), TAIL, TAIL };
	static const struct {
		uint32_t hart;
		uint64_t place, own[2];
	} want[] = { { 0, 0, { 3, 0 } }, { 0, 1, { 2, 0 } }, { 7, 0, { 0, 2 } } };
	struct hs_source *source[2];
	struct hs_diff_found got;
	struct hs_diff *d;
	char room[2][64];

	source[0] = open_run(one, COUNT_OF(one), room[0]);
	source[1] = open_run(two, COUNT_OF(two), room[1]);
	assert_int_equal(hs_diff_new(source[0], source[1], &d, NULL), HS_OK);
	for (size_t i = 0; i < COUNT_OF(want); i++) {
		assert_int_equal(hs_diff_next(d, &got, NULL), HS_OK);
		assert_int_equal(got.hart, want[i].hart);
		assert_int_equal(got.place, want[i].place);
		assert_memory_equal(got.together.own, want[i].own, sizeof(want[i].own));
	}
	assert_int_equal(hs_diff_next(d, &got, NULL), HS_END);
	hs_diff_free(d);
	hs_diff_free(NULL);
	for (unsigned i = 0; i < 2; i++) {
		hs_source_close(source[i]);
		test_directory_remove(room[i]);
	}
}

/* ---- counts ---------------------------------------------------------------------- */

static const char here[] = "a", there[] = "b"; /* of a caller */

#define A(l, f, o, x, y) { .label = (l), .file = (f), .offset = (o), .of = { here, NULL }, \
		           .count = { { x, y } } }
#define Z(l, f, o, x, y) { .label = (l), .file = (f), .offset = (o), .of = { NULL, there }, \
		           .count = { { 0 }, { x, y } } }

TEST(check_join)
{
	struct hs_diff_row v[] = {
		A("f", NULL, 0, 10, 1),        A("g", NULL, 0, 5, 5),
		A("g", "/x/libc.so", 0, 7, 0), A("same", NULL, 4, 3, 3),
		A("gone", NULL, 0, 2, 0),      A(NULL, NULL, 0x100, 1, 1),
		Z("same", NULL, 4, 3, 3),      Z("g", "/other/libc.so", 0, 6, 0),
		Z("new", NULL, 0, 0, 9),       Z("f", NULL, 0, 4, 3),
		Z("g", NULL, 0, 5, 4),         Z(NULL, NULL, 0x102, 1, 1),
		A("twice", NULL, 0, 1, 0),     A("twice", NULL, 0, 1, 0),
	};
	static const struct want {
		const char *label;
		uint64_t count[2][2], difference;
		bool both;
	} want[] = {
		{ "new", { { 0, 0 }, { 0, 9 } }, 9, false },
		{ "f", { { 10, 1 }, { 4, 3 } }, 8, true },
		{ NULL, { { 1, 1 }, { 0, 0 } }, 2, false },
		{ NULL, { { 0, 0 }, { 1, 1 } }, 2, false },
		{ "gone", { { 2, 0 }, { 0, 0 } }, 2, false },
		{ "g", { { 5, 5 }, { 5, 4 } }, 1, true },
		{ "g", { { 7, 0 }, { 6, 0 } }, 1, true },
		{ "twice", { { 1, 0 }, { 0, 0 } }, 1, false },
		{ "twice", { { 1, 0 }, { 0, 0 } }, 1, false },
	};
	const size_t n = sizeof(want) / sizeof(*want);

	assert_int_equal(hs_diff_join(v, sizeof(v) / sizeof(*v)), n);
	for (size_t i = 0; i < n; i++) {
		if (want[i].label)
			assert_string_equal(v[i].label, want[i].label);
		else
			assert_null(v[i].label);
		assert_memory_equal(v[i].count, want[i].count, sizeof(v[i].count));
		assert_int_equal(v[i].difference, want[i].difference);
		assert_int_equal(v[i].of[0] && v[i].of[1], want[i].both);
	}
	assert_int_equal(hs_diff_join(v, 0), 0);
}

TESTS
{
	for (size_t i = 0; i < sizeof(code); i += 2)
		code[i] = 0x01;
}
