/* The block builder's own contract: what it refuses, and what waits for what. */
#include "cases.h"

#include <hartscope/ingress.h>

#define INSN(a, hw, k) \
	{ .iaddr = (a), .insn = { .hwords = (hw), .kind = (k) }, .known = true, .priv = 3 }
#define TOLD(a, hw, type) { .iaddr = (a), .insn = { .hwords = (hw) }, .itype = (type), .priv = 3 }

static struct hs_block at[64];

TEST(wrong_instructions_are_refused)
{
	static const struct {
		struct hs_retired insn;
		enum hs_status want;
	} row[] = {
		{ INSN(0x100, 1, HS_INSN_LINEAR), HS_OK },
		{ INSN(0x101, 1, HS_INSN_LINEAR), HS_E_ARG },
		{ INSN(0x100, 0, HS_INSN_LINEAR), HS_E_ARG },
		{ INSN(0x100, 12, HS_INSN_LINEAR), HS_OK },
		{ INSN(0x100, 13, HS_INSN_LINEAR), HS_E_ARG },
		{ INSN(0x100, 1, HS_INSN_EBREAK + 1), HS_E_ARG },
		{ TOLD(0x100, 1, 0), HS_OK }, { TOLD(0x100, 1, 1), HS_E_ARG },
		{ TOLD(0x100, 1, 2), HS_E_ARG }, { TOLD(0x100, 1, 3), HS_OK },
		{ TOLD(0x100, 1, 7), HS_E_ARG }, { TOLD(0x100, 1, 15), HS_OK },
		{ TOLD(0x100, 1, 16), HS_E_ARG }, { TOLD(0x100, 1, 255), HS_E_ARG },
	};

	for (size_t i = 0; i < COUNT_OF(row); i++) {
		struct hs_blocks out = { at, COUNT_OF(at), 0 };
		struct hs_builder b;

		hs_builder_init(&b, 64);
		assert_int_equal(hs_builder_insn(&b, &row[i].insn, &out), row[i].want);
		assert_int_equal(hs_builder_flush(&b, &out), HS_OK);
		assert_int_equal(out.n, row[i].want == HS_OK);
	}
}

TEST(refused_traps)
{
	const struct hs_trap odd = { .epc = 0x101 }, nowhere = { .no_epc = true };
	struct hs_blocks out = { at, COUNT_OF(at), 0 };
	struct hs_builder b;

	hs_builder_init(&b, 64);
	assert_int_equal(hs_builder_trap(&b, &odd, &out), HS_E_ARG);
	assert_int_equal(hs_builder_trap(&b, &nowhere, &out), HS_E_ARG);
	assert_int_equal(out.n, 0);
}

/* With too little room nothing is taken, so the same call can be made again. */
TEST(with_too_little_room_nothing_is_taken)
{
	static const struct hs_retired first = INSN(0x100, 1, HS_INSN_RETURN);
	static const struct hs_retired second = INSN(0x200, 1, HS_INSN_RETURN);
	const struct hs_trap trap = { .epc = 0x300, .cause = 5 };
	const struct hs_block event = { .kind = HS_KIND_TIME };
	struct hs_blocks out = { at, HS_BUILDER_ROOM, 0 };
	struct hs_builder b;

	hs_builder_init(&b, 64);
	assert_int_equal(hs_builder_insn(&b, &first, &out), HS_OK);
	out.n = 1;
	assert_int_equal(hs_builder_insn(&b, &second, &out), HS_FULL);
	assert_int_equal(hs_builder_trap(&b, &trap, &out), HS_FULL);
	assert_int_equal(hs_builder_event(&b, &event, &out), HS_FULL);
	assert_int_equal(hs_builder_flush(&b, &out), HS_FULL);
	assert_int_equal(hs_builder_cut(&b, 0, &out), HS_FULL);
	out.n = 0;
	assert_int_equal(hs_builder_insn(&b, &second, &out), HS_OK);
	assert_int_equal(out.n, 1);
	out.n = 0;
	assert_int_equal(hs_builder_trap(&b, &trap, &out), HS_OK);
	assert_int_equal(out.n, 3); /* the return, an empty block at 0x300, the trap */
	assert_int_equal(at[1].iaddr, 0x300);
	assert_int_equal(at[1].iretire, 0);
}

/* Events in the middle of a block come out after it, in order. */
TEST(events_inside_a_block_come_after_it)
{
	static const struct hs_retired insn = INSN(0x100, 1, HS_INSN_LINEAR);
	struct hs_block event = { .value = 1, .kind = HS_KIND_TIME };
	struct hs_blocks out = { at, COUNT_OF(at), 0 };
	struct hs_builder b;

	hs_builder_init(&b, 64);
	assert_int_equal(hs_builder_event(&b, &event, &out), HS_OK);
	assert_int_equal(out.n, 1); /* nothing is open */
	assert_int_equal(hs_builder_insn(&b, &insn, &out), HS_OK);
	for (unsigned i = 2; i < 5; i++) { /* a later time replaces an earlier one */
		event.value = i;
		assert_int_equal(hs_builder_event(&b, &event, &out), HS_OK);
	}
	event.kind = HS_KIND_CODE;
	for (unsigned i = 1; i < HS_BUILDER_HELD; i++)
		assert_int_equal(hs_builder_event(&b, &event, &out), HS_OK);
	assert_int_equal(hs_builder_event(&b, &event, &out), HS_E_SPACE);
	assert_int_equal(hs_builder_flush(&b, &out), HS_OK);
	assert_int_equal(out.n, 2 + HS_BUILDER_HELD);
	assert_int_equal(at[1].kind, HS_KIND_BLOCK);
	assert_int_equal(at[2].kind, HS_KIND_TIME);
	assert_int_equal(at[2].value, 4);
	assert_int_equal(at[3].kind, HS_KIND_CODE);
}

/* RV32: the address after the last one is 0, in linear code as well. */
TEST(after_the_last_address_comes_0)
{
	static const struct hs_retired last = INSN(0xfffffffe, 1, HS_INSN_LINEAR);
	static const struct hs_retired first = INSN(0, 1, HS_INSN_RETURN);

	for (unsigned xlen = 32; xlen <= 64; xlen += 32) {
		struct hs_blocks out = { at, COUNT_OF(at), 0 };
		struct hs_builder b;

		hs_builder_init(&b, xlen);
		assert_int_equal(hs_builder_insn(&b, &last, &out), HS_OK);
		assert_int_equal(hs_builder_insn(&b, &first, &out), HS_OK);
		assert_int_equal(hs_builder_flush(&b, &out), HS_OK);
		assert_int_equal(out.n, xlen == 32 ? 1 : 3); /* RV64: a block, a gap, a block */
		assert_int_equal(at[0].iretire, xlen == 32 ? 2 : 1);
	}
}

/* cm.jt may go anywhere that its table says. */
TEST(table_jump)
{
	static const struct hs_retired jump = INSN(0x100, 1, HS_INSN_TABLE_JUMP);
	static const struct hs_retired next = INSN(0x8000, 1, HS_INSN_LINEAR);
	struct hs_blocks out = { at, COUNT_OF(at), 0 };
	struct hs_builder b;

	hs_builder_init(&b, 32);
	assert_int_equal(hs_builder_insn(&b, &jump, &out), HS_OK);
	assert_int_equal(hs_builder_insn(&b, &next, &out), HS_OK);
	assert_int_equal(out.n, 1);
	assert_int_equal(at[0].itype, HS_ITYPE_TAIL_INF);
}

/* A cut block ends as it would have, had it ended by itself. */
TEST(a_cut_block_ends_as_by_itself)
{
	static const struct hs_retired linear = INSN(0x100, 1, HS_INSN_LINEAR);
	static const struct hs_retired branch = {
		.iaddr = 0x102, .known = true, .priv = HS_PRIV_UNKNOWN,
		.insn = { .hwords = 2, .kind = HS_INSN_BRANCH, .target = 0x200 } };
	struct hs_blocks out = { at, COUNT_OF(at), 0 };
	struct hs_builder b;

	hs_builder_init(&b, 64);
	assert_int_equal(hs_builder_cut(&b, 0x100, &out), HS_OK);
	assert_int_equal(out.n, 0); /* no block is open */
	assert_int_equal(hs_builder_insn(&b, &linear, &out), HS_OK);
	assert_int_equal(hs_builder_cut(&b, 0x102, &out), HS_OK);
	assert_int_equal(hs_builder_insn(&b, &branch, &out), HS_OK);
	assert_int_equal(hs_builder_cut(&b, 0x200, &out), HS_OK);
	assert_int_equal(out.n, 2);
	assert_int_equal(at[0].iaddr, 0x100);
	assert_int_equal(at[0].itype, HS_ITYPE_NONE);
	assert_int_equal(at[1].iaddr, 0x102);
	assert_int_equal(at[1].itype, HS_ITYPE_TAKEN);
}
