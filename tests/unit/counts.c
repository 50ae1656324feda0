/* Counts of a run (counts.h): what is asked for is counted, and what the views say of the same
 * blocks agrees. */
#include "cases.h"

#include <hartscope/counts.h>

#include "small_loaded.h"

#define B(a, n, l, t) \
	{ .iaddr = (a), .iretire = (n), .ilast = (l), .itype = HS_ITYPE_##t, .priv = HS_PRIV_U }
#define E(k, v, a) { .value = (v), .arg = (a), .kind = HS_KIND_##k }
#define CALL B(0x10000, 5, 2, CALL_INF)
#define LEAF B(0x10010, 2, 1, RETURN)
#define LOOP B(0x1000a, 2, 2, TAKEN)
#define PAST B(0x1000a, 2, 2, NOT_TAKEN)

static struct hs_counts *count(struct hs_program *program, uint32_t what,
                               const struct hs_block *items, size_t n)
{
	const struct hs_counts_options o = { .size = sizeof(o), .what = what, .program = program };
	struct hs_counts *c;

	assert_int_equal(hs_counts_new(&o, &c), HS_OK);
	assert_int_equal(hs_counts_add(c, items, n), HS_OK);
	return c;
}

TEST(what_is_no_option_is_refused)
{
	struct hs_counts_options o = { .size = sizeof(o) };
	struct hs_program *program = small_program();
	struct hs_counts *c = NULL;

	assert_int_equal(hs_counts_new(&o, &c), HS_E_CONFIG); /* no program */
	o.program = program;
	o.by = HS_PROFILE_BY_THREAD + 1;
	assert_int_equal(hs_counts_new(&o, &c), HS_E_CONFIG);
	o.by = 0;
	o.what = 2 * HS_COUNTS_TREE;
	assert_int_equal(hs_counts_new(&o, &c), HS_E_CONFIG);
	assert_null(c);
	hs_counts_free(NULL);
	hs_program_free(program);
}

/* Only what was asked for has a view. */
TEST(only_what_was_asked_for_has_a_view)
{
	static const struct {
		uint32_t what;
		bool profile, calls, coverage, code, harts, traps, tree;
	} rows[] = {
		{ 0, .profile = true, .calls = true },
		{ HS_COUNTS_PROFILE, .profile = true, .calls = true },
		{ HS_COUNTS_CALLS, .calls = true },
		{ HS_COUNTS_COVERAGE, .coverage = true },
		{ HS_COUNTS_CODE, .profile = true, .code = true },
		{ HS_COUNTS_HARTS, .harts = true },
		{ HS_COUNTS_TRAPS, .traps = true },
		{ HS_COUNTS_TREE, .tree = true },
	};
	static const struct hs_block in[] = { CALL, LEAF, PAST };
	struct hs_program *program = small_program();

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct hs_counts *c = count(program, rows[i].what, in, 3);
		struct hs_profile_result profile, harts;
		struct hs_coverage_result coverage;
		struct hs_counts_functions functions;
		struct hs_call_tree_result tree;
		struct hs_traps_result traps;
		struct hs_calls_result calls;
		struct hs_counts_code code;

#define SEEN(view) \
	assert_int_equal(hs_counts_get_##view(c, &view), rows[i].view ? HS_OK : HS_E_ARG)
		SEEN(profile);
		SEEN(calls);
		SEEN(coverage);
		SEEN(harts);
		SEEN(traps);
		SEEN(tree);
		SEEN(code);
		assert_int_equal(hs_counts_get_functions(c, &functions), HS_E_ARG);
		hs_counts_free(c);
	}
	hs_program_free(program);
}

/* Of one run all views. */
TEST(views_of_a_run_agree)
{
	static const struct hs_block in[] = { CALL, LEAF, LOOP, CALL, LEAF, PAST };
	const uint32_t what = HS_COUNTS_PROFILE | HS_COUNTS_CALLS | HS_COUNTS_COVERAGE |
	                      HS_COUNTS_CODE | HS_COUNTS_HARTS | HS_COUNTS_TRAPS | HS_COUNTS_TREE;
	struct hs_program *program = small_program();
	struct hs_counts *c = count(program, what, in, 6);
	struct hs_coverage_result coverage;
	struct hs_counts_functions f;
	struct hs_profile_result harts;
	struct hs_calls_result calls;
	struct hs_traps_result traps;
	struct hs_counts_code code;
	uint64_t instructions = 0;

	assert_int_equal(hs_counts_get_functions(c, &f), HS_OK);
	assert_int_equal(f.profile.instructions, 12);
	assert_int_equal(f.tree.instructions, 12);
	assert_int_equal(f.function_count, 2);
	assert_string_equal(f.functions[0].name, "main");
	assert_int_equal(f.functions[0].self, 8);
	assert_string_equal(f.functions[1].name, "leaf");
	assert_int_equal(f.functions[1].calls, 2);
	assert_int_equal(hs_counts_get_harts(c, &harts), HS_OK);
	assert_int_equal(harts.group_count, 1);
	assert_int_equal(harts.groups[0].instructions, 12);
	assert_int_equal(hs_counts_get_calls(c, &calls), HS_OK);
	assert_int_equal(calls.calls, 2);
	assert_int_equal(calls.returns, 2);
	assert_int_equal(hs_counts_get_traps(c, &traps), HS_OK);
	assert_int_equal(traps.count, 0);
	assert_int_equal(hs_counts_get_coverage(c, &coverage), HS_OK);
	assert_int_equal(coverage.branch_count, 1);
	assert_int_equal(coverage.branches[0].taken, 1);
	assert_int_equal(coverage.branches[0].not_taken, 1);
	assert_int_equal(hs_counts_get_code(c, &code), HS_OK);
	assert_int_equal(code.insn_count, 6);
	for (size_t i = 0; i < code.insn_count; i++)
		instructions += code.insns[i].count;
	assert_int_equal(instructions, 12);
	assert_int_equal(code.insns[3].taken, 1);
	assert_int_equal(code.jump_count, 0);
	hs_counts_free(c);
	hs_program_free(program);
}

TEST(code_is_of_one_function)
{
	static const struct hs_block in[] = { CALL, LEAF, PAST };
	struct hs_counts_options o = { .size = sizeof(o), .what = HS_COUNTS_CODE,
		                       .program = small_program(), .function = "leaf" };
	struct hs_counts_code code;
	struct hs_counts *c;

	assert_int_equal(hs_counts_new(&o, &c), HS_OK);
	assert_int_equal(hs_counts_add(c, in, 3), HS_OK);
	assert_int_equal(hs_counts_get_code(c, &code), HS_OK);
	assert_int_equal(code.insn_count, 2);
	assert_int_equal(code.insns[0].addr, SMALL_LEAF);
	assert_string_equal(code.insns[0].label, "leaf");
	hs_counts_free(c);
	hs_program_free(o.program);
}

/* Jumps are those of each hart, whichever harts are in between. */
TEST(jumps_are_those_of_each_hart)
{
	static const struct row {
		struct hs_block in[8];
		size_t n;
		struct hs_counts_jump want[3];
		size_t count;
	} rows[] = {
		{ { B(0x10000, 1, 1, JUMP_UNINF), B(0x10010, 1, 1, NONE) }, 2,
		  { { 0x10000, 0x10010, 1 } }, 1 },
		{ { B(0x10000, 3, 1, TAIL_UNINF), B(0x10010, 1, 1, CALL_UNINF),
		    B(0x10000, 3, 1, UNINFERABLE), B(0x1000a, 2, 2, TAKEN) }, 4,
		  { { 0x10004, 0x1000a, 1 }, { 0x10004, 0x10010, 1 }, { 0x10010, 0x10000, 1 } },
		  3 },
		{ { CALL, LEAF, PAST }, 3, { { 0 } }, 0 },
		{ { B(0x10000, 1, 1, JUMP_UNINF), E(GAP, 0, 0), B(0x10010, 1, 1, NONE) }, 3,
		  { { 0 } }, 0 },
		{ { B(0x10000, 1, 1, JUMP_UNINF), E(HART, 0, 1), B(0x10002, 1, 1, NONE),
		    E(HART, 0, 0), B(0x10010, 1, 1, NONE) }, 5, { { 0x10000, 0x10010, 1 } }, 1 },
		{ { B(0x10000, 1, 1, JUMP_UNINF), B(0x10010, 1, 1, JUMP_UNINF),
		    B(0x10000, 1, 1, JUMP_UNINF), B(0x10010, 1, 1, NONE) }, 4,
		  { { 0x10000, 0x10010, 2 }, { 0x10010, 0x10000, 1 } }, 2 },
	};
	struct hs_program *program = small_program();

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct hs_counts *c = count(program, HS_COUNTS_CODE | HS_COUNTS_JUMPS, rows[i].in,
		                            rows[i].n);
		struct hs_counts_code code;

		assert_int_equal(hs_counts_get_code(c, &code), HS_OK);
		assert_int_equal(code.jump_count, rows[i].count);
		assert_memory_equal(code.jumps, rows[i].want,
		                    rows[i].count * sizeof(*code.jumps));
		hs_counts_free(c);
	}
	hs_program_free(program);
}

/* Harts are in the profile by hart, also where nothing ran on them, but for hart 0 where the flow
 * does not name it. */
TEST(harts_are_listed_that_the_flow_names)
{
	static const struct hs_block named[] = { E(HART, 0, 3), CALL, E(HART, 0, 5) };
	static const struct hs_block plain[] = { CALL };
	struct hs_program *program = small_program();
	struct hs_profile_result r;
	struct hs_counts *c;

	c = count(program, HS_COUNTS_HARTS, named, 3);
	assert_int_equal(hs_counts_get_harts(c, &r), HS_OK);
	assert_int_equal(r.group_count, 2);
	assert_int_equal(r.groups[0].hart, 3);
	assert_int_equal(r.groups[0].instructions, 3);
	assert_int_equal(r.groups[1].hart, 5);
	hs_counts_free(c);
	c = count(program, HS_COUNTS_HARTS, plain, 1);
	assert_int_equal(hs_counts_get_harts(c, &r), HS_OK);
	assert_int_equal(r.group_count, 1);
	assert_int_equal(r.groups[0].hart, 0);
	hs_counts_free(c);
	hs_program_free(program);
}
