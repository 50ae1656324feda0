/* Profiles of the small program (tests/small_program.h): blocks in, counts by hand out. */
#include "cases.h"

#include "counts/counts.h"

#include "small_loaded.h"

#define U HS_PRIV_U
#define M HS_PRIV_M
#define BLOCK(a, n, t, p) { .iaddr = (a), .iretire = (n), .itype = HS_ITYPE_##t, .priv = (p) }
#define EVENT(k, v, a) { .value = (v), .arg = (a), .kind = HS_KIND_##k }
#define MAX 4

/* Entry, up to the call; the branch; the return of main; all of leaf. */
#define CALL BLOCK(0x10000, 5, CALL_INF, U)
#define BRANCH(t, p) BLOCK(0x1000a, 2, t, p)
#define LEAF BLOCK(0x10010, 2, RETURN, U)

struct function_row {
	const char *name; /* NULL and no ends: the list ends */
	uint64_t instructions, entries;
	uint8_t end; /* an itype */
	uint64_t ends;
};

static const struct row {
	const char *name;
	struct hs_block blocks[MAX];
	unsigned n;
	uint64_t instructions, halfwords, distinct, unmapped;
	uint64_t in_user, in_machine; /* instructions by mode */
	struct function_row functions[3];
} rows[] = {
	{ "nothing", { { .value = 0 } }, 0, 0, 0, 0, 0, 0, 0, { { 0 } } },
	{ "a call and its return", { CALL, LEAF }, 2, 5, 7, 2, 0, 5, 0,
	  { { "main", 3, 1, HS_ITYPE_CALL_INF, 1 }, { "leaf", 2, 1, HS_ITYPE_RETURN, 1 } } },
	{ "one block three times", { CALL, CALL, CALL }, 3, 9, 15, 1, 0, 9, 0,
	  { { "main", 9, 3, HS_ITYPE_CALL_INF, 3 } } },
	{ "the hottest first", { CALL, LEAF, LEAF }, 3, 7, 9, 2, 0, 7, 0,
	  { { "leaf", 4, 2, HS_ITYPE_RETURN, 2 }, { "main", 3, 1, HS_ITYPE_CALL_INF, 1 } } },
	{ "other ends and modes are the same block",
	  { BRANCH(TAKEN, U), BRANCH(NOT_TAKEN, U), BRANCH(NOT_TAKEN, M) }, 3, 3, 6, 1, 0, 2, 1,
	  { { "main", 3, 0, HS_ITYPE_NOT_TAKEN, 2 } } },
	{ "a shorter block is another one", { CALL, BLOCK(0x10000, 3, NONE, U) }, 2, 5, 8, 2, 0, 5,
	  0,
	  { { "main", 5, 2, HS_ITYPE_NONE, 1 } } },
	{ "into the next function", { BLOCK(0x1000e, 3, RETURN, U) }, 1, 3, 3, 1, 0, 3, 0,
	  { { "leaf", 2, 0, HS_ITYPE_RETURN, 1 }, { "main", 1, 0, HS_ITYPE_RETURN, 0 } } },
	{ "no code at its end", { BLOCK(0x10012, 2, NONE, U) }, 1, 1, 2, 1, 1, 1, 0,
	  { { "leaf", 1, 0, HS_ITYPE_NONE, 0 }, { NULL, 0, 0, HS_ITYPE_NONE, 1 } } },
	{ "no code, twice", { BLOCK(0x20000, 2, JUMP_INF, M), BLOCK(0x20000, 2, JUMP_INF, M) },
	  2, 0, 4, 1, 2, 0, 0, { { NULL, 0, 0, HS_ITYPE_JUMP_INF, 2 } } },
	{ "a block that ends inside an instruction", { BLOCK(0x10000, 2, NONE, U) },
	  1, 1, 2, 1, 1, 1, 0, { { "main", 1, 1, HS_ITYPE_NONE, 1 } } },
	{ "a trap before the first instruction", { BLOCK(0x10010, 0, EXCEPTION, U) },
	  1, 0, 0, 0, 0, 0, 0, { { "leaf", 0, 0, HS_ITYPE_EXCEPTION, 1 } } },
};

static void check_functions(const struct row *r, const struct hs_profile_result *got)
{
	size_t n = 0;

	for (; n < 3 && (r->functions[n].name || r->functions[n].ends); n++) {
		const struct function_row *want = &r->functions[n];
		const struct hs_profile_function *f = &got->functions[n];

		assert_true(n < got->function_count);
		if (want->name)
			assert_string_equal(f->name, want->name);
		else
			assert_null(f->name);
		assert_int_equal(f->start, !want->name ? 0
		                           : *want->name == 'm' ? SMALL_MAIN : SMALL_LEAF);
		assert_int_equal(f->instructions, want->instructions);
		assert_int_equal(f->entries, want->entries);
		assert_int_equal(f->ends[want->end], want->ends);
	}
	assert_int_equal(got->function_count, n);
}

TEST_ROWS(counted, rows, r)
{
	struct hs_program *program = small_program();
	struct hs_profile_result got;
	struct hs_profile *p;
	uint64_t ends = 0;

	assert_int_equal(hs_profile_new(program, NULL, &p), HS_OK);
	for (unsigned i = 0; i < r->n; i++)
		assert_int_equal(hs_profile_add(p, &r->blocks[i], 1), HS_OK);
	for (unsigned again = 0; again < 2; again++) { /* a result changes nothing */
		assert_int_equal(hs_profile_get_result(p, &got), HS_OK);
		assert_int_equal(got.blocks, r->n);
		assert_int_equal(got.instructions, r->instructions);
		assert_int_equal(got.halfwords, r->halfwords);
		assert_int_equal(got.distinct, r->distinct);
		assert_int_equal(got.unmapped, r->unmapped);
		assert_int_equal(got.modes[U].instructions, r->in_user);
		assert_int_equal(got.modes[M].instructions, r->in_machine);
		check_functions(r, &got);
	}
	for (unsigned i = 0; i < 16; i++) {
		ends += got.ends[i];
		assert_int_equal(got.modes[U].ends[i] + got.modes[M].ends[i], got.ends[i]);
	}
	assert_int_equal(ends, r->n);
	hs_profile_free(p);
	hs_program_free(program);
}

TEST(events_are_counted)
{
	static const struct hs_block in[] = {
		EVENT(HART, 0, 1), EVENT(GAP, 5, HS_E_FIELD), EVENT(HART, 0, 0),
			EVENT(CODE, 0x10000, 4),
	};
	struct hs_program *program = small_program();
	struct hs_profile_result got;
	struct hs_profile *p;

	assert_int_equal(hs_profile_new(program, NULL, &p), HS_OK);
	assert_int_equal(hs_profile_add(p, in, sizeof(in) / sizeof(*in)), HS_OK);
	assert_int_equal(hs_profile_get_result(p, &got), HS_OK);
	assert_int_equal(got.events[HS_KIND_HART], 2);
	assert_int_equal(got.events[HS_KIND_GAP], 1);
	assert_int_equal(got.events[HS_KIND_CODE], 1);
	assert_int_equal(got.blocks, 0);
	assert_int_equal(got.function_count, 0);
	hs_profile_free(p);
	hs_program_free(program);
}

/* Context 7 is a program of which nothing is known, 8 is the small one; each hart has its own, and
 * a context that is not in the list changes nothing. */
TEST(contexts_have_their_programs)
{
	static const struct hs_block in[] = {
		LEAF, EVENT(CONTEXT, 7, 2), LEAF, EVENT(HART, 0, 1), LEAF, EVENT(HART, 0, 0), LEAF,
		EVENT(CONTEXT, 9, 2), LEAF, EVENT(CONTEXT, 8, 1), LEAF, EVENT(CONTEXT, 8, 2), LEAF,
	};
	static const uint64_t numbers[] = { 7, 8 };
	struct hs_program *small = small_program(), *empty;
	struct hs_profile_result got;
	struct hs_profile *p;

	assert_int_equal(hs_program_new(&empty), HS_OK);
	struct hs_program *const programs[] = { empty, small };
	const struct hs_program_set set = { small, programs, numbers, 2, false };

	assert_int_equal(hs_profile_new(empty, &set, &p), HS_OK);
	assert_int_equal(hs_profile_add(p, in, sizeof(in) / sizeof(*in)), HS_OK);
	assert_int_equal(hs_profile_get_result(p, &got), HS_OK);
	assert_int_equal(got.blocks, 7);
	assert_int_equal(got.unmapped, 4);
	assert_int_equal(got.distinct, 2);
	assert_int_equal(got.instructions, 3 * 2);
	hs_profile_free(p);
	hs_program_free(empty);
	hs_program_free(small);
}

/* What ran where, by what it is counted: groups, the hottest first, and the functions of each. */
static const struct group_row {
	const char *name;
	uint8_t by;
	unsigned groups, functions;
	struct {
		uint64_t instructions, switches, context;
		uint32_t hart;
		bool has_context;
		uint8_t priv;
	} want[3];
} group_rows[] = {
	{ "by nothing", HS_PROFILE_BY_NOTHING, 0, 1, { { 0 } } },
	{ "by process", HS_PROFILE_BY_PROCESS, 3, 3,
	  { { 8, 2, 7, 0, true, 0 }, { 4, 2, 8, 0, true, 0 }, { 2, 0, 0, 0, false, 0 } } },
	{ "by hart", HS_PROFILE_BY_HART, 2, 2,
	  { { 10, 0, 0, 0, false, 0 }, { 4, 0, 0, 1, false, 0 } } },
	{ "by mode", HS_PROFILE_BY_MODE, 2, 1,
	  { { 10, 0, 0, 0, false, U }, { 4, 0, 0, 0, false, M } } },
};

TEST_ROWS(grouped, group_rows, r)
{
	static const struct hs_block in[] = {
		LEAF, EVENT(CONTEXT, 7, 2), LEAF, LEAF, EVENT(HART, 0, 1), EVENT(CONTEXT, 8, 2),
		BLOCK(0x10010, 2, RETURN, M), LEAF, EVENT(HART, 0, 0), LEAF, EVENT(CONTEXT, 8, 2),
		EVENT(CONTEXT, 7, 2), EVENT(CONTEXT, 0, 0), EVENT(CONTEXT, 7, 2), /* once */
		BLOCK(0x10010, 2, RETURN, M),
	};
	struct hs_program *program = small_program();
	const struct hs_profile_options o = { .size = sizeof(o), .by = r->by, .program = program };
	struct hs_profile_result got;
	struct hs_profile *p;

	assert_int_equal(hs_profile_open(&o, &p), HS_OK);
	assert_int_equal(hs_profile_add(p, in, sizeof(in) / sizeof(*in)), HS_OK);
	assert_int_equal(hs_profile_get_result(p, &got), HS_OK);
	assert_int_equal(got.instructions, 14);
	assert_int_equal(got.group_count, r->groups);
	assert_int_equal(got.function_count, r->functions);
	for (unsigned i = 0; i < r->groups; i++) {
		const struct hs_profile_group *g = &got.groups[i];
		uint64_t of_functions = 0;

		assert_int_equal(g->instructions, r->want[i].instructions);
		assert_int_equal(g->blocks, r->want[i].instructions / 2);
		assert_int_equal(g->switches, r->want[i].switches);
		assert_int_equal(g->has_context, r->want[i].has_context);
		assert_int_equal(g->context, r->want[i].context);
		assert_int_equal(g->hart, r->want[i].hart);
		assert_int_equal(g->priv, r->want[i].priv);
		for (size_t k = 0; k < got.function_count; k++)
			if (got.functions[k].group == g->number)
				of_functions += got.functions[k].instructions;
		if (r->by != HS_PROFILE_BY_MODE)
			assert_int_equal(of_functions, g->instructions);
	}
	hs_profile_free(p);
	hs_program_free(program);
}

TEST(wrong_options_are_refused)
{
	struct hs_program *program = small_program();
	struct hs_profile_options o = { .size = sizeof(o), .program = program, .by = 5 };
	struct hs_profile *p;

	assert_int_equal(hs_profile_open(&o, &p), HS_E_CONFIG);
	o = (struct hs_profile_options){ .size = sizeof(o) };
	assert_int_equal(hs_profile_open(&o, &p), HS_E_CONFIG);
	hs_program_free(program);
}

/* More different blocks than the table keeps: the oldest are expanded, none is lost. */
TEST(many_blocks)
{
	enum { BLOCKS = (1 << 20) + 1000 };
	struct hs_block *in = calloc(BLOCKS, sizeof(*in));
	struct hs_program *program;
	struct hs_profile_result got;
	struct hs_profile *p;

	for (uint32_t i = 0; i < BLOCKS; i++)
		in[i] = (struct hs_block){ .iaddr = 0x40000000 + 4ull * i, .iretire = 1 + i % 3 };
	assert_int_equal(hs_program_new(&program), HS_OK);
	assert_int_equal(hs_profile_new(program, NULL, &p), HS_OK);
	assert_int_equal(hs_profile_add(p, in, BLOCKS), HS_OK);
	assert_int_equal(hs_profile_get_result(p, &got), HS_OK);
	assert_int_equal(got.blocks, BLOCKS);
	assert_int_equal(got.distinct, BLOCKS);
	assert_int_equal(got.unmapped, BLOCKS);
	hs_profile_free(p);
	hs_program_free(program);
	free(in);
}
