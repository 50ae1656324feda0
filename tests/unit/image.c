/* Address spaces, the table of basic blocks, and cutting blocks. */
#include "core/core.h"
#include "cases.h"

#include <hartscope/image.h>

#include "core/image.h"
#include "unit/ntrace_rows.h"

static const uint8_t bytes[16] = { 0, 1, 2, 3 };

TEST(check_rules)
{
	static const struct { struct hs_section s[2]; size_t n; uint8_t xlen; enum hs_status want;
	                      } list[] = {
		{ { { 0x100, 4, bytes }, { 0x104, 4, bytes } }, 2, 64, HS_OK }, /* touching */
		{ { { 0x100, 4, bytes }, { 0x102, 4, bytes } }, 2, 64, HS_E_CONFIG },
		{ { { 0x104, 4, bytes }, { 0x100, 4, bytes } }, 2, 64, HS_E_CONFIG },
		{ { { 0x100, 4, bytes }, { 0x100, 4, bytes } }, 2, 64, HS_E_CONFIG },
		{ { { 0x100, 0, bytes } }, 1, 64, HS_E_CONFIG },
		{ { { UINT64_MAX - 3, 4, bytes } }, 1, 64, HS_OK },
		{ { { UINT64_MAX - 3, 5, bytes } }, 1, 64, HS_E_CONFIG },
		{ { { 0x100, 4, bytes } }, 1, 0, HS_OK },
		{ { { 0x100, 4, bytes } }, 1, 48, HS_E_CONFIG },
		{ { { 0 } }, 0, 32, HS_OK },
	};

	for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
		const struct hs_image image = { list[i].s, list[i].n, { .xlen = list[i].xlen }, 0 };

		assert_int_equal(hs_img_check(&image), list[i].want);
	}
}

TEST(bytes_at)
{
	static const struct { uint64_t addr; size_t n; } list[] = {
		{ 0xff, 0 }, { 0x100, 22 }, { 0x115, 1 }, { 0x116, 0 }, { 0x200, 4 }, { 0x306, 0 },
			{ UINT64_MAX, 0 },
	};
	size_t n;

	for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
		const uint8_t *p = hs_img_bytes(&two_branches, list[i].addr, &n);

		assert_int_equal(n, list[i].n);
		assert_int_equal(p != NULL, list[i].n != 0);
	}
}

/* An instruction may lie in two sections that touch; not in one that ends before it does. */
TEST(across_sections)
{
	const struct hs_section s[] = { { 0x100, 2, counter_100 + 2 },
	                                { 0x102, 2, counter_100 + 4 } };
	const struct hs_image both = { s, 2, { .xlen = 64 }, 0 },
		half = { s, 1, { .xlen = 64 }, 0 };
	struct hs_insn insn;

	assert_int_equal(hs_img_insn(&both, 0x100, &insn), HS_OK);
	assert_int_equal(insn.kind, HS_INSN_BRANCH);
	assert_int_equal(insn.target, 0x1fe);
	assert_int_equal(hs_img_insn(&half, 0x100, &insn), HS_E_NOCODE);
	assert_int_equal(hs_img_insn(&half, 0x200, &insn), HS_E_NOCODE);
}

TEST(contexts_have_their_images)
{
	const struct hs_image images[] = { two_branches, counter };
	const uint64_t ids[] = { 7, 9 };
	const struct hs_image_set set = { images, ids, 2, false }, none = { NULL, NULL, 0, false };

	assert_ptr_equal(hs_img_select(&set, 7), &images[0]);
	assert_ptr_equal(hs_img_select(&set, 9), &images[1]);
	assert_ptr_equal(hs_img_select(&set, 8), &images[0]);
	assert_null(hs_img_select(&none, 7));
}

TEST(edges_of_sections)
{
	static const struct {
		const struct hs_image *image;
		uint64_t at; uint8_t hwords, kind; uint64_t next, taken; /* 0: no code */
	} list[] = {
		{ &two_branches, 0x100, 3, HS_INSN_BRANCH, 0x106, 0x200 },
		{ &two_branches, 0x106, 4, HS_INSN_BRANCH, 0x10e, 0x300 },
		{ &two_branches, 0x10e, 4, HS_INSN_EBREAK, 0, 0 },
		{ &counter, 0x200, 3, HS_INSN_RETURN, 0, 0 },
		{ &counter, 0x206, 2, HS_INSN_ECALL, 0x20a, 0 },
		{ &counter, 0x20a, 4, HS_INSN_XRET, 0, 0 },
		{ &counter, 0x212, 2, HS_INSN_JUMP, 0, 0x200 },
	};
	uint64_t memory[4096];
	struct hs_bb_table t;

	for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
		assert_int_equal(hs_bb_init(&t, list[i].image, memory, 32), HS_OK);
		const uint32_t b = hs_bb_at(&t, list[i].at);
		assert_true(b >= HS_BB_FIRST);
		assert_int_equal(hs_bb_at(&t, list[i].at), b);
		assert_int_equal(t.bbs[b].hwords, list[i].hwords);
		assert_int_equal(t.bbs[b].kind, list[i].kind);
		for (unsigned which = 0; which < 2; which++) {
			const uint64_t want = which ? list[i].taken : list[i].next;
			const uint32_t to = hs_bb_edge(&t, b, which);

			assert_int_equal(to >= HS_BB_FIRST, want != 0);
			if (want)
				assert_int_equal(t.bbs[to].start, want);
			assert_int_equal(hs_bb_edge(&t, b, which), to);
		}
	}
	assert_int_equal(hs_bb_at(&t, 0x101), HS_BB_NOCODE);
	assert_int_equal(hs_bb_at(&t, 0x1000), HS_BB_NOCODE);
}

/* Linear code is cut into entries; a pair of NT 9.1 stays in one. */
TEST(long_runs)
{
	static uint8_t code[400];
	const struct hs_section s = { 0x1000, sizeof code, code };
	const struct hs_image image = { &s, 1, { .xlen = 64 }, 0 };
	/* auipc t0; jr 16(t0) */
	static const uint8_t pair[] = { 0x97, 0x02, 0, 0, 0x67, 0x80, 0x02, 0x01 };
	uint64_t memory[4096];
	struct hs_bb_table t;

	/* the pair at every place near the end of an entry */
	for (unsigned at = 100; at < 140; at += 2) {
		for (size_t i = 0; i < sizeof code; i += 2) {
			code[i] = 1;
			code[i + 1] = 0;
		}
		memcpy(code + at, pair, sizeof pair);
		assert_int_equal(hs_bb_init(&t, &image, memory, 32), HS_OK);
		uint32_t b = hs_bb_at(&t, 0x1000);
		unsigned hwords = t.bbs[b].hwords;
		while (t.bbs[b].kind == HS_INSN_LINEAR) {
			b = hs_bb_edge(&t, b, 0);
			hwords += t.bbs[b].hwords;
		}
		assert_int_equal(2 * hwords, at + sizeof pair);
		assert_int_equal(t.bbs[b].flags & HS_BB_SIJUMP, HS_BB_SIJUMP);
		assert_int_equal(t.bbs[hs_bb_edge(&t, b, 1)].start, 0x1000 + at + 16);
		assert_int_equal(hs_bb_size_before(&t, b, t.bbs[b].hwords), 2);
	}
}

/* A full table starts afresh and goes on giving right answers. */
TEST(small_table)
{
	uint64_t memory[4096];
	struct hs_bb_table t;
	uint32_t generation;

	assert_int_equal(hs_bb_init(&t, &counter, memory, 15), HS_E_ARG);
	assert_int_equal(hs_bb_init(&t, &counter, (uint8_t *)memory + 2, 16), HS_E_ARG);
	assert_int_equal(hs_bb_init(&t, &counter, NULL, 16), HS_E_ARG);
	assert_int_equal(hs_bb_init(&t, &counter, memory, 16), HS_OK);
	generation = t.generation;
	for (unsigned i = 0; i < 200; i++) {
		const uint64_t addr = 0x100 + 2 * (i % 14);
		const uint32_t b = hs_bb_at(&t, addr);

		assert_int_equal(t.bbs[b].start, addr);
		assert_true(hs_bb_edge(&t, b, 0) != HS_BB_UNKNOWN);
	}
	for (unsigned i = 0; i < 14; i++)
		assert_true(hs_bb_at(&t, 0x200 + 2 * (i % 13)) != HS_BB_UNKNOWN);
	assert_true(t.generation != generation);
	assert_true(t.count <= 16);
}

#define MANY 12000u

/* Slots become more with the entries, at least twice as many, and each entry is found again; in no
 * more memory than was asked for. */
TEST(many_entries)
{
	static uint8_t code[2 * (MANY + HS_BB_HWORDS)]; /* an entry at each half-word */
	const struct hs_section s = { 0x1000, sizeof code, code };
	const struct hs_image image = { &s, 1, { .xlen = 64 }, 0 };
	uint64_t *memory = malloc(hs_bb_memory(MANY));
	struct hs_bb_table t;

	for (size_t i = 0; i < sizeof code; i += 2)
		code[i] = 1;
	assert_int_equal(hs_bb_init(&t, &image, memory, MANY), HS_OK);
	assert_true(t.hash_size < MANY);
	const uint32_t generation = t.generation;
	for (unsigned again = 0; again < 2; again++)
		for (uint32_t i = 0; i < MANY - HS_BB_FIRST; i++) {
			assert_int_equal(hs_bb_at(&t, 0x1000 + 2 * i), HS_BB_FIRST + i);
			assert_true(t.hash_size >= 2 * t.count);
		}
	assert_int_equal(t.generation, generation);
	assert_int_equal(hs_bb_at(&t, 0x1000 + 2 * MANY), HS_BB_FIRST); /* it was full */
	assert_int_equal(hs_bb_at(&t, 0x1000), HS_BB_FIRST + 1);
	assert_int_equal(t.generation, generation + 1);
	free(memory);
}

/* Zcmt: entry n of the table at jvt, XLEN bits each. */
TEST(table_jump)
{
	static const uint8_t code[] = { 0x06, 0xa0 }; /* cm.jt 1 */
	static const uint8_t jvt32[] = { 0, 0, 0, 0, 0x00, 0x01, 0, 0 };
	const struct hs_section s[] = { { 0x100, 2, code }, { 0x400, 8, jvt32 } };
	struct hs_image image = { s, 2, { .xlen = 32, .zcmp_zcmt = true }, 0x400 };
	uint64_t memory[4096], target;
	struct hs_bb_table t;

	assert_int_equal(hs_bb_init(&t, &image, memory, 32), HS_OK);
	const uint32_t b = hs_bb_at(&t, 0x100);
	assert_int_equal(t.bbs[b].kind, HS_INSN_TABLE_JUMP);
	assert_int_equal(hs_bb_edge(&t, b, 1), b);
	assert_int_equal(hs_img_table_target(&image, 2, &target), HS_E_NOCODE);
	image.jvt = 0;
	assert_int_equal(hs_img_table_target(&image, 1, &target), HS_E_NOCODE);
}

TEST(blocks_are_split)
{
	const struct hs_block whole = B(0x106, 11, 2, 5), missing = B(0x1000, 30, 2, 5),
		inside = B(0x106, 12, 1, 0);
	struct hs_block out[16];
	size_t n;

	assert_int_equal(hs_block_split(&counter, &whole, 11, out, 16, &n), HS_OK);
	assert_int_equal(n, 1);
	assert_true(hs_block_equal(&out[0], &whole));
	assert_int_equal(hs_block_split(&counter, &whole, 4, out, 16, &n), HS_OK);
	assert_int_equal(n, 3); /* 1+2, 2+2, 2+2 half-words */
	assert_int_equal(out[0].iretire, 3);
	assert_int_equal(out[0].itype, HS_ITYPE_NONE);
	assert_int_equal(out[2].iaddr, 0x114);
	assert_int_equal(out[2].iretire, 4);
	assert_int_equal(out[2].itype, 5);
	assert_int_equal(hs_block_split(&counter, &whole, 4, out, 2, &n), HS_E_SPACE);
	/* an instruction that is longer than the limit is a piece */
	assert_int_equal(hs_block_split(&counter, &whole, 1, out, 16, &n), HS_OK);
	assert_int_equal(n, 6);
	assert_int_equal(out[1].iretire, 2);
	assert_int_equal(hs_block_split(&counter, &missing, 12, out, 16, &n), HS_E_NOCODE);
	assert_int_equal(hs_block_split(&two_branches, &inside, 11, out, 16, &n), HS_E_NOCODE);
}

/* NT 8.4 of the ratified text: "instructions that either raise exceptions or are interrupted prior
 * to retirement do not increment" I-CNT. */
TEST(ecall_is_taken_back)
{
	/* cause: mcause of the privileged architecture, in M-mode; 0: not of the instruction */
	static const struct {
		const char *name;
		struct hs_block in, out;
		bool at;
		uint32_t cause;
	} list[] = {
		/* counter: 200 c.add, 202 ret, 206 ecall, 20a add; 11c c.ebreak */
		{ "after another instruction", B(0x200, 5, 2, 1), B(0x200, 3, 2, 1), true, 11 },
		{ "by itself", B(0x206, 2, 2, 1), B(0x206, 0, 0, 1), true, 11 },
		{ "c.ebreak", B(0x118, 3, 1, 1), B(0x118, 2, 2, 1), true, 3 },
		{ "another exception", B(0x20a, 2, 2, 1), B(0x20a, 2, 2, 1), false, 0 },
		{ "before it", B(0x200, 3, 2, 1), B(0x200, 3, 2, 1), true, 11 },
		{ "the trace stops after it", B(0x206, 2, 2, 0), B(0x206, 2, 2, 0), true, 0 },
		{ "a fault before it", B(0x206, 0, 0, 1), B(0x206, 0, 0, 1), true, 11 },
		{ "code that is not known", B(0x1000, 2, 2, 1), B(0x1000, 2, 2, 1), false, 0 },
	};

	for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
		struct hs_block b = list[i].in;

		if (hs_block_at_ecall(&counter, &b) != list[i].at)
			fail_msg("%s: at an ecall or not", list[i].name);
		uint32_t cause = 0;

		b.priv = HS_PRIV_M;
		if (hs_block_exception_cause(&counter, &b, &cause) != (list[i].cause != 0) ||
		    cause != list[i].cause)
			fail_msg("%s: cause %u", list[i].name, cause);
		b.priv = list[i].in.priv;
		hs_block_drop_ecall(&counter, &b);
		if (!hs_block_equal(&b, &list[i].out))
			fail_msg("%s: %u half-words, the last %u", list[i].name, b.iretire,
			         b.ilast);
	}
}

TEST(cause_is_of_the_mode)
{
	static const uint32_t of[8] = { [HS_PRIV_U] = 8, [HS_PRIV_S] = 9, [HS_PRIV_M] = 11,
		                        [HS_PRIV_VU] = 8, [HS_PRIV_VS] = 10,
		                        [HS_PRIV_UNKNOWN] = 8 };

	for (unsigned priv = 0; priv < 8; priv++) {
		struct hs_block b = B(0x206, 2, 2, 1); /* ecall */
		uint32_t cause = 0;

		b.priv = priv & 7;
		assert_true(hs_block_exception_cause(&counter, &b, &cause) == (of[priv] != 0));
		assert_int_equal(cause, of[priv]);
	}
}
