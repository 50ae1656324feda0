/* What an encoder and a decoder of E-Trace 2.1 remember of jumps and calls: the jump target cache,
 * the stack of returns; what synchronising packets keep of it, and what a loss does to it. */
#include "cases.h"

#include <hartscope/etrace.h>
#include <hartscope/memo.h>

#include "etrace/et_decoder.h"
#include "etrace/etrace.h"
#include "unit/decoders.h"

static struct hs_et_config plain(void)
{
	return (struct hs_et_config){ .size = sizeof(struct hs_et_config),
		                      .version = HS_ET_2_1,
		                      .dialect = HS_ET_DIALECT_REFERENCE };
}

#define FLOW(...) \
	(const struct hs_block[]){ __VA_ARGS__ }, \
		sizeof((struct hs_block[]){ __VA_ARGS__ }) / sizeof(struct hs_block)
#define AT(a, n, what) \
	{ \
		.iaddr = (a), .iretire = (n), .ilast = (n), .itype = (what), .priv = HS_PRIV_M \
	}
/* A call, its return to 0x1004, a branch, and a jump to where the return led. */
#define RETURNED \
	FLOW(AT(0x1000, 2, HS_ITYPE_CALL_INF), AT(0x2000, 1, HS_ITYPE_RETURN), \
	     AT(0x1004, 2, HS_ITYPE_NOT_TAKEN), AT(0x1008, 1, HS_ITYPE_JUMP_UNINF), \
	     AT(0x1004, 1, 0))
/* The same, but that the return led to an exception, and the jump to where that is handled. */
#define TRAPPED \
	FLOW(AT(0x1000, 2, HS_ITYPE_CALL_INF), AT(0x2000, 1, HS_ITYPE_RETURN), \
	     AT(0x1004, 0, HS_ITYPE_EXCEPTION), AT(0x3000, 1, HS_ITYPE_JUMP_UNINF), \
	     AT(0x3000, 1, 0))
/* Two jumps to 0x2004, which synchronises the first time. */
#define TRIGGERED \
	FLOW(AT(0x1000, 1, HS_ITYPE_JUMP_UNINF), { .kind = HS_KIND_SYNC }, \
	     AT(0x2004, 1, HS_ITYPE_JUMP_UNINF), AT(0x1000, 1, HS_ITYPE_JUMP_UNINF), \
	     AT(0x2004, 1, 0))

/* Targets that are in the cache when they are met again (ET-21, ET-22).  A decoder of irets would
 * look at an entry before the return that fills it (is_implicit_return). */
static const struct cached {
	const char *name;
	uint8_t returns, irets, kept;
	const struct hs_block *in;
	size_t n;
	unsigned indexes;
} caches[] = {
	{ "returns fill the cache", 1, 0, 0, RETURNED, 1 },
	{ "they do not", 0, 0, 0, RETURNED, 0 },
	{ "with irets", 1, 1, 0, RETURNED, 0 },
	{ "a return whose target traps", 1, 0, 1, TRAPPED, 0 },
	{ "a target that synchronises", 0, 0, 1, TRIGGERED, 1 },
	{ "the same, and nothing is kept", 0, 0, 0, TRIGGERED, 0 },
};

TEST_ROWS(targets_in_the_cache, caches, row)
{
	static struct hs_et_encoder e;
	static uint64_t tables[64];
	static uint8_t bytes[8 * HS_ET_ENCODE_ROOM];
	struct hs_et_config c = plain();
	size_t used, n;

	c.options = HS_ET_IMPLICIT_RETURN | HS_ET_JUMP_TARGET_CACHE | HS_ET_FULL_ADDRESS;
	c.return_stack_size = 2;
	c.cache_size = 4;
	c.f0s_width = 1;
	c.cache_returns = row->returns;
	c.cache_kept = row->kept;
	c.iret_ext = row->irets;
	assert_int_equal(hs_et_encoder_init(&e, &c, tables, sizeof tables), HS_OK);
	assert_int_equal(hs_et_encode(&e, row->in, row->n, &used, bytes, sizeof bytes, &n), HS_OK);
	assert_int_equal(hs_et_encode_end(&e, bytes, sizeof bytes, &n), HS_OK);
	assert_int_equal(hs_et_encoder_stats(&e)->packets[HS_ET_FORM_INDEX], row->indexes);
}

/* 1000 jal ra, 100c; 1004 jr a5; 1008 jr a5; 100c ret (ISA manual). */
static const uint8_t jumping[] = { 0xef, 0x00, 0xc0, 0x00, 0x67, 0x80, 0x07, 0x00,
	                           0x67, 0x80, 0x07, 0x00, 0x67, 0x80, 0x00, 0x00 };
/* Jumps to 1008, the second time by the cache; a call and its return.  Each synchronises once. */
#define AGAIN \
	FLOW(AT(0x1004, 2, HS_ITYPE_JUMP_UNINF), AT(0x1008, 2, HS_ITYPE_JUMP_UNINF), \
	     { .kind = HS_KIND_SYNC }, AT(0x1004, 2, HS_ITYPE_JUMP_UNINF), \
	     AT(0x1008, 2, HS_ITYPE_JUMP_UNINF), AT(0x1004, 2, 0))
/* The trace stops between them. */
#define STOPPED \
	FLOW(AT(0x1004, 2, HS_ITYPE_JUMP_UNINF), AT(0x1008, 2, HS_ITYPE_JUMP_UNINF), \
	     { .kind = HS_KIND_STOP }, AT(0x1004, 2, HS_ITYPE_JUMP_UNINF), \
	     AT(0x1008, 2, HS_ITYPE_JUMP_UNINF), AT(0x1004, 2, 0))
#define CALLED \
	FLOW(AT(0x1000, 2, HS_ITYPE_CALL_INF), { .kind = HS_KIND_SYNC }, \
	     AT(0x100c, 2, HS_ITYPE_RETURN), AT(0x1004, 2, HS_ITYPE_JUMP_UNINF), AT(0x1008, 2, 0))

/* What is kept across a synchronising packet is not known where packets before it were lost. */
static const struct kept {
	const char *name;
	uint8_t options;
	const struct hs_block *in;
	size_t n;
	bool lost;
	enum hs_reason want;
} keeps[] = {
	{ "an entry of the cache", HS_ET_JUMP_TARGET_CACHE, AGAIN, false, HS_REASON_NONE },
	{ "an entry that was lost", HS_ET_JUMP_TARGET_CACHE, AGAIN, true, HS_REASON_CACHE_EMPTY },
	{ "an entry of before a stop", HS_ET_JUMP_TARGET_CACHE, STOPPED, false, HS_REASON_NONE },
	/* no gap: nothing was followed */
	{ "one that was lost in it", HS_ET_JUMP_TARGET_CACHE, STOPPED, true, HS_REASON_CACHE_EMPTY },
	{ "a call", HS_ET_IMPLICIT_RETURN, CALLED, false, HS_REASON_NONE },
	{ "a call that was lost", HS_ET_IMPLICIT_RETURN, CALLED, true, HS_REASON_RETURN_UNSEEN },
};

TEST_ROWS(what_a_loss_makes_unknown, keeps, row)
{
	static struct hs_et_encoder e;
	static struct hs_et_decoder d;
	static struct hs_et_source source;
	static uint64_t tables[2][64];
	static uint8_t bytes[16 * HS_ET_ENCODE_ROOM];
	enum hs_reason reason = HS_REASON_NONE;
	struct hs_et_config c = plain();
	struct hs_block out[64];
	unsigned starts = 0;
	size_t used, n, more;

	c.options = row->options | HS_ET_FULL_ADDRESS;
	c.return_stack_size = 2;
	c.cache_size = 4;
	c.f0s_width = c.cache_kept = 1;
	assert_int_equal(hs_et_encoder_init(&e, &c, tables[0], sizeof *tables), HS_OK);
	assert_int_equal(hs_et_encode(&e, row->in, row->n, &used, bytes, sizeof bytes, &n), HS_OK);
	assert_int_equal(hs_et_encode_end(&e, bytes + n, sizeof bytes - n, &more), HS_OK);
	assert_int_equal(hs_et_decoder_init(&d, &c, table_of(CODE_AT(0x1000, jumping)), &source, 1,
	                                    tables[1], sizeof *tables),
	                 HS_OK);
	for (size_t at = 0; at < n + more;) {
		struct hs_span in = { bytes + at, 1u + (bytes[at] & 31) };

		at += in.n;
		if ((in.p[1] & 15) == 3 && starts++ && row->lost)
			hs_et_decoder_lose(&d);
		while (in.n || reason == HS_REASON_NONE) {
			const enum hs_status s = hs_et_decoder_next(&d, &in, out, 64, &used);

			if (s == HS_MORE)
				break;
			reason = hs_et_decoder_diag(&d)->reason == HS_REASON_INPUT_LOST
			                 ? reason
			                 : hs_et_decoder_diag(&d)->reason;
		}
	}
	assert_int_equal(starts, 2);
	assert_int_equal(reason, row->want);
	if (reason == HS_REASON_RETURN_UNSEEN) /* after the return */
		assert_int_equal(hs_et_decoder_diag(&d)->pc, 0x1010);
}

/* 256 calls of 1408 from 1004 on, each of which returns, between two jumps to 1004.  "There have
 * been 255 unreported returns": the last one is reported, and foretold, so that its target replaces
 * no entry of the cache, where 1004 is. */
TEST(a_foretold_return_fills_nothing)
{
	static const uint8_t jump[] = { 0x67, 0x80, 0x07, 0x00 },
			     ret[] = { 0x67, 0x80, 0x00, 0x00 };
	static uint8_t code[0x40c], bytes[16 * HS_ET_ENCODE_ROOM];
	static struct hs_block in[2 * 256 + 3], out[1024];
	static struct hs_et_encoder e;
	static uint64_t tables[64];
	struct hs_et_config c = plain();
	unsigned blocks = 0, hwords = 0;
	size_t used, n, more;

	memcpy(code, jump, 4);
	memcpy(code + 0x404, jump, 4);
	memcpy(code + 0x408, ret, 4);
	in[blocks++] = (struct hs_block)AT(0x1000, 2, HS_ITYPE_JUMP_UNINF);
	for (uint32_t at = 4; at < 0x404; at += 4) {
		const uint32_t to = 0x408 - at; /* imm[20|10:1|11|19:12] of a jal */
		const uint32_t jal = (to & 0x7feu) << 20 | (to >> 11 & 1u) << 20 | 0xef;

		for (unsigned i = 0; i < 4; i++)
			code[at + i] = (uint8_t)(jal >> 8 * i);
		in[blocks++] = (struct hs_block)AT(0x1000 + at, 2, HS_ITYPE_CALL_INF);
		in[blocks++] = (struct hs_block)AT(0x1408, 2, HS_ITYPE_RETURN);
	}
	in[blocks++] = (struct hs_block)AT(0x1404, 2, HS_ITYPE_JUMP_UNINF);
	in[blocks++] = (struct hs_block)AT(0x1004, 2, HS_ITYPE_CALL_INF);
	c.options = HS_ET_JUMP_TARGET_CACHE | HS_ET_IMPLICIT_RETURN | HS_ET_FULL_ADDRESS;
	c.cache_size = c.f0s_width = c.iret_ext = 1;
	c.return_stack_size = 2;
	assert_int_equal(hs_et_encoder_init(&e, &c, tables, sizeof tables), HS_OK);
	assert_int_equal(hs_et_encode(&e, in, blocks, &used, bytes, sizeof bytes, &n), HS_OK);
	assert_int_equal(hs_et_encode_end(&e, bytes + n, sizeof bytes - n, &more), HS_OK);
	struct hs_et_decoder *d = et_decoder(&c, CODE_AT(0x1000, code));
	struct hs_span trace = { bytes, n + more };

	assert_int_equal(hs_et_decoder_next(d, &trace, out, 1024, &used), HS_MORE);
	for (size_t i = 0; i < used; i++)
		hwords += out[i].kind == HS_KIND_BLOCK ? out[i].iretire : 0;
	assert_int_equal(hwords, 2 * blocks);
}

/* Two sources jump to 1000, which enters the cache of each; then bytes are lost: no entry is known.
 * Packets by hand (EE Header): srcID of 4 bits, type 2 (2 bits), and the payload from bit 6 on:
 * format 3, subformat 0, branch 1, privilege 3 (3 bits), address 0x800; format 2, address +0. */
TEST(a_loss_empties_each_cache)
{
	static const uint8_t bytes[] = { 0x04, 0xe4, 0x1c, 0x00, 0x02, 0x04, 0xe5, 0x1c, 0x00, 0x02,
		                         0x02, 0xa4, 0x00, 0x02, 0xa5, 0x00 };
	static const uint8_t code[] = { 0x82, 0x80 }; /* c.jr ra */
	const struct hs_et_config c = { .size = sizeof c,
		                        .src_bits = 4,
		                        .cache_size = 1,
		                        .options = HS_ET_JUMP_TARGET_CACHE };
	struct hs_et_source *sources = calloc(2, sizeof *sources); /* no more than there are */
	struct hs_span in = { bytes, sizeof bytes };
	static struct hs_et_decoder d;
	static uint64_t tables[4];
	struct hs_block out[64];
	size_t n;

	assert_non_null(sources);
	assert_int_equal(hs_et_decoder_init(&d, &c, table_of(CODE_AT(0x1000, code)), sources, 2,
	                                    tables, sizeof tables),
	                 HS_OK);
	assert_int_equal(hs_et_decoder_next(&d, &in, out, 64, &n), HS_MORE);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(sources[i].tables.cache[0], 0x1000 + 1);
	hs_et_decoder_lose(&d);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(sources[i].tables.cache[0], 0);
	free(sources);
}

/* Support packets say a cache of two entries and then one of four: it is empty, so that no packet
 * can name an entry.  By hand, a length and type 2 (bits 5 and 6) before each packet: format 3,
 * subformat 3, ienable 1, jump_target_cache 1, cache_size 1 or 2; the synchronisation at 1000;
 * format 2, address +0, which enters the cache; format 0, index 0, branches 0. */
#define SAYS_CACHE(size) 0x46, 0x1f, 0x10, 0x00, 0x00, (size), 0x00
#define START_AT_1000 0x43, 0x73, 0x00, 0x08
#define TO_1000 0x41, 0x02
#define INDEX_0 0x41, 0x00

TEST(a_cache_of_another_size_is_empty)
{
	static const uint8_t bytes[] = { SAYS_CACHE(1), START_AT_1000, TO_1000,
		                         SAYS_CACHE(2), START_AT_1000, INDEX_0 };
	static const uint8_t code[] = { 0x82, 0x80 }; /* c.jr ra */
	const struct hs_et_config c = plain();
	struct hs_span in = { bytes, sizeof bytes - 2 };
	static struct hs_et_source source;
	static struct hs_et_decoder d;
	static uint64_t tables[4];
	struct hs_block out[64];
	size_t n;

	assert_int_equal(hs_et_decoder_init(&d, &c, table_of(CODE_AT(0x1000, code)), &source, 1,
	                                    tables, sizeof tables),
	                 HS_OK);
	assert_int_equal(hs_et_decoder_next(&d, &in, out, 64, &n), HS_MORE);
	assert_int_equal(source.tables.targets, 4);
	in.n = 2;
	hs_et_decoder_next(&d, &in, out, 64, &n);
	assert_int_equal(hs_et_decoder_diag(&d)->reason, HS_REASON_CACHE_EMPTY);
}

/* 1000 c.beqz a0, 1008; 1002 c.jr a5; 1008 c.jr a5 (ISA manual). */
static const uint8_t branching[] = { 0x01, 0xc5, 0x82, 0x87, 0, 0, 0, 0, 0x82, 0x87 };
#define TURNS 200
#define PATHS (64 * HS_MEMO_PATHS_MIN) /* so many that few have one place */

/* A branch that is taken but each @period-th time, and a jump back: packets repeat, and a memo has
 * their paths after a few turns, whatever the predictor's states are. */
static const struct turn {
	const char *name;
	uint8_t options, period;
} turns[] = {
	{ "maps of branches", 0, 3 },
	{ "the same with a predictor", HS_ET_BRANCH_PREDICTION, 3 },
	{ "the same with a cache", HS_ET_JUMP_TARGET_CACHE, 3 },
	{ "both", HS_ET_BRANCH_PREDICTION | HS_ET_JUMP_TARGET_CACHE, 4 },
};

/* @return  Bytes of the trace. */
static size_t encode_all(const struct hs_et_config *c, const struct hs_block *in, size_t count,
                         uint8_t *bytes, size_t room)
{
	static struct hs_et_encoder e;
	static uint64_t tables[64];
	size_t used, n, more;

	assert_int_equal(hs_et_encoder_init(&e, c, tables, sizeof tables), HS_OK);
	assert_int_equal(hs_et_encode(&e, in, count, &used, bytes, room, &n), HS_OK);
	assert_int_equal(used, count);
	assert_int_equal(hs_et_encode_end(&e, bytes + n, room - n, &more), HS_OK);
	return n + more;
}

static struct hs_block out[4096]; /* of count_hits() */

/* Packets whose paths the memo had, when all were decoded. */
static unsigned count_hits(const struct hs_et_config *c, const struct hs_image *code,
                           struct hs_span in)
{
	static uint64_t room[1 << 16];
	static struct hs_memo memo;
	struct hs_et_decoder *d = et_decoder(c, code);
	const struct hs_decoder_options o = { sizeof o, .memo = &memo };
	enum hs_status s;
	size_t n;

	assert_true(hs_memo_memory(PATHS) <= sizeof room);
	assert_int_equal(hs_memo_init(&memo, room, PATHS), HS_OK);
	assert_int_equal(hs_et_decoder_set(d, &o), HS_OK);
	do
		s = hs_et_decoder_next(d, &in, out, COUNT_OF(out), &n);
	while (s == HS_OK || s == HS_FULL);
	assert_int_equal(s, HS_MORE);
	return (unsigned)memo.stats.hits;
}

TEST_ROWS(paths_that_repeat, turns, row)
{
	static struct hs_block in[2 * TURNS];
	static uint8_t bytes[4096];
	struct hs_et_config c = { .size = sizeof c, .options = row->options };

	c.bpred_size = c.cache_size = 2;
	c.f0s_width = 1;
	for (unsigned i = 0; i < TURNS; i++) {
		const bool taken = i % row->period != 0;

		in[2 * i] = (struct hs_block)AT(0x1000, 1,
		                                taken ? HS_ITYPE_TAKEN : HS_ITYPE_NOT_TAKEN);
		in[2 * i + 1] = (struct hs_block)AT(taken ? 0x1008 : 0x1002, 1,
		                                    HS_ITYPE_JUMP_UNINF);
	}
	const struct hs_span trace = {
		bytes, encode_all(&c, in, COUNT_OF(in), bytes, sizeof bytes)
	};

	assert_true(count_hits(&c, CODE_AT(0x1000, branching), trace) > TURNS - 20);
}

/* 1000 c.beqz a0, 1000; 1002 c.jr a5 (ISA manual): the branch is taken 36 times and then not, as
 * packets count it, and a jump leads back. */
TEST(counts_that_repeat)
{
	static const uint8_t code[] = { 0x01, 0xc1, 0x82, 0x87 };
	static struct hs_block in[38 * 40];
	static uint8_t bytes[4096];
	struct hs_et_config c = { .size = sizeof c, .options = HS_ET_BRANCH_PREDICTION };

	c.bpred_size = 2;
	for (unsigned i = 0; i < COUNT_OF(in); i++)
		in[i] = (struct hs_block)AT(i % 38 == 37 ? 0x1002 : 0x1000, 1,
		                            i % 38 == 37   ? HS_ITYPE_JUMP_UNINF
		                            : i % 38 == 36 ? HS_ITYPE_NOT_TAKEN
		                                           : HS_ITYPE_TAKEN);
	const struct hs_span trace = {
		bytes, encode_all(&c, in, COUNT_OF(in), bytes, sizeof bytes)
	};

	const unsigned hits = count_hits(&c, CODE_AT(0x1000, code), trace);

	assert_true(hits > 2 * 40 - 12);
}

/* 1000 c.nop; from 1002 on forty c.beqz a0, +2; 1052 c.jr a5 (ISA manual).  Four turns all branches
 * are taken, four turns none is: the packets of the last ones are the same bytes, and the predictor
 * says what they mean. */
#define BRANCHES 40
#define LAST (0x1002 + 2 * BRANCHES)

static size_t turn_of(bool taken, struct hs_block *to)
{
	for (unsigned i = 0; i < BRANCHES; i++)
		to[i] = (struct hs_block)AT(0x1002 + 2 * (uint64_t)i, 1,
		                            taken ? HS_ITYPE_TAKEN : HS_ITYPE_NOT_TAKEN);
	to[0].iaddr = 0x1000;
	to[0].iretire = 2;
	to[BRANCHES] = (struct hs_block)AT(LAST, 1, HS_ITYPE_JUMP_UNINF);
	return BRANCHES + 1;
}

TEST(counts_mean_what_the_predictor_says)
{
	static const uint8_t nop[] = { 0x01, 0x00 }, branch[] = { 0x09, 0xc1 },
			     jump[] = { 0x82, 0x87 };
	static uint8_t code[LAST + 2 - 0x1000], bytes[4096];
	static struct hs_block in[16 * (BRANCHES + 1)];
	struct hs_et_config c = { .size = sizeof c, .options = HS_ET_BRANCH_PREDICTION };
	size_t n = 0, k = 0;

	memcpy(code, nop, sizeof nop);
	for (unsigned i = 0; i < BRANCHES; i++)
		memcpy(code + 2 + 2 * (size_t)i, branch, sizeof branch);
	memcpy(code + LAST - 0x1000, jump, sizeof jump);
	for (unsigned i = 0; i < 16; i++)
		n += turn_of(i / 4 % 2 == 0, in + n);
	c.bpred_size = 1;
	const struct hs_span trace = { bytes, encode_all(&c, in, n, bytes, sizeof bytes) };

	assert_true(count_hits(&c, CODE_AT(0x1000, code), trace) > 4);
	for (size_t i = 0; k < n; i++)
		if (out[i].kind == HS_KIND_BLOCK)
			assert_true(hs_block_equal(&out[i], &in[k++]));
}
