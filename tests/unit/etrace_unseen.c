/* What the E-Trace decoder cannot know: code that is missing (design/unmapped), addresses of 0.026
 * that may have been met twice (design/et-encoder). */
#include "cases.h"

#include "etrace/et_config.h"
#include "etrace/etrace.h"
#include "unit/etrace_paths.h"

/* Items as text: S a start, a block's address + half-words and its itype, G a gap, X one in which
 * addresses are lost, too, U unseen branches
 * and where they began, C a context, T a trap, E a stop, M an
 * address that may have been met once more. */
static void print_item(const struct hs_block *b, char *to)
{
	const unsigned at = (unsigned)b->value & 0xfff;

	switch (b->kind) {
	case HS_KIND_BLOCK:
		sprintf(to, "%x+%u:%u ", at, b->iretire, b->itype);
		break;
	case HS_KIND_SYNC: sprintf(to, "S%x ", at); break;
	case HS_KIND_GAP: sprintf(to, "%s ", b->arg == HS_E_NOCODE ? "G" : "X"); break;
	case HS_KIND_UNSEEN:
		assert_int_equal(b->itype, HS_UNSEEN_BRANCHES);
		sprintf(to, "U%u@%x ", b->arg, at);
		break;
	case HS_KIND_CONTEXT: sprintf(to, "C%u ", at); break;
	case HS_KIND_TRAP: sprintf(to, "T "); break;
	case HS_KIND_STOP: sprintf(to, "E "); break;
	case HS_KIND_NOTE:
		assert_int_equal(b->arg, HS_NOTE_AMBIGUOUS);
		sprintf(to, "M%x ", at);
		break;
	default: sprintf(to, "? "); break;
	}
}

#define C(...) { .size = sizeof(struct hs_et_config), .iaddress_width = 32, __VA_ARGS__ }
#define DRAFT C(.version = HS_ET_0_026, .context_mark = 0)
#define STACK C(.return_stack_size = 3, .options = HS_ET_IMPLICIT_RETURN)
#define PREDICTS C(.bpred_size = 4, .options = HS_ET_BRANCH_PREDICTION)
#define CACHES C(.cache_size = 3, .options = HS_ET_JUMP_TARGET_CACHE | HS_ET_FULL_ADDRESS)
#define CONTEXTS C(.context = 1, .context_width = 4, .context_precise = 1)

/* A loop that a branch closes, four times. */
#define LOOPS 0x10, 0x00, 0x10, 0x00, 0x10, 0x00, 0x10, 0x00
#define LOOPS_16 LOOPS, LOOPS, LOOPS, LOOPS

static const struct row {
	const char *name;
	struct hs_et_config c;
	uint16_t from, to; /* where no code is known */
	uint16_t path[PATH], end;
	const char *items;
} rows[] = {
	{ "a function", C(0), 0x108, 0x10a,
	  P(0x2c, 0x108, 0x30, 0x108, 0x34, 0x108, 0x38), 0x3a,
	  "S2c 2c+2:9 G U0@108 30+2:9 G U0@108 34+2:9 G U0@108 38+1:0 E" },
	{ "a function with branches", C(0), 0x100, 0x108,
	  P(0x22, 0x100, 0x106, 0x26, 0x120), 0x124,
	  "S22 22+2:9 G U1@100 26+2:9 120+2:9 E" },
	{ "a taken branch into it", C(0), 0x108, 0x10a,
	  P(0x22, 0x100, 0x108, 0x26, 0x120), 0x124,
	  "S22 22+2:9 100+3:5 G U0@108 26+2:9 120+2:9 E" },
	{ "the branch that an address names", C(0), 0x10, 0x16,
	  P(0x0e, 0x10, 0x00, 0x10, 0x00, 0x06), 0x0c,
	  "Se e+1:14 G U2@10 8+2:9 E" },
	{ "a loop in it", C(0), 0x00, 0x06,
	  P(0x10, 0x00, 0x10, 0x00, 0x10, 0x00, 0x06, 0x100, 0x108, 0x0c), 0x0e,
	  "S10 10+3:15 G U4@0 c+1:0 E" },
	{ "it begins there", C(0), 0x20, 0x22,
	  P(0x20, 0x100, 0x106, 0x26), 0x2a,
	  "S20 G U1@20 26+2:9 E" },
	{ "it ends there", C(0), 0x100, 0x10a,
	  P(0x20, 0x100, 0x106), 0x108,
	  "S20 20+3:9 G U1@100 E" },
	{ "a stop there", C(0), 0x100, 0x10a,
	  P(0x20, 0x100, STOP, 0x20), 0x22,
	  "S20 20+3:9 G U1@100 E S20 20+1:0 E" },
	{ "a synchronisation there", C(0), 0x100, 0x108,
	  P(0x22, 0x100, REQUEST, 0x106, 0x26), 0x2a,
	  "S22 22+2:9 G U1@100 26+2:9 E" },
	{ "a synchronisation at a branch there", C(0), 0x00, 0x06,
	  P(0x10, REQUEST, 0x00, 0x10), 0x12,
	  "S10 10+3:15 G U1@0 10+1:0 E" },
	{ "a synchronisation after it", C(0), 0x100, 0x108,
	  P(0x22, 0x100, 0x106, REQUEST, 0x26), 0x2a,
	  "S22 22+2:9 G U1@100 108+1:13 26+2:9 E" },
	{ "a context there", CONTEXTS, 0x100, 0x108,
	  P(0x22, 0x100, CONTEXT + 3, 0x106, 0x26), 0x2a,
	  "S22 22+2:9 G C3 U1@100 26+2:9 E" },
	{ "a context packet there", C(.context = 1, .context_width = 4), 0x3e, 0x42,
	  P(0x0e, CONTEXT + 3, 0x3e, 0x20), 0x22, "Se e+1:14 G C3 U0@3e 20+1:0 E" },
	{ "a trap there", C(0), 0x100, 0x108,
	  P(0x22, 0x100, TRAP, 0x130), 0x132,
	  "S22 22+2:9 G U0@100 T 130+1:0 E" },
	{ "a handler", C(0), 0x100, 0x108,
	  P(0x10, TRAP, 0x100, 0x108, 0x20), 0x22,
	  "S10 10+1:2 T G U1@100 20+1:0 E" },
	{ "a jump in it", C(0), 0x0c, 0x10,
	  P(0x0c, 0x0c, 0x20), 0x22,
	  "Sc G U0@c 20+1:0 E" },
	{ "a return after it", STACK, 0x108, 0x10a,
	  P(0x2c, 0x108, 0x30, 0x108, 0x34, 0x108, 0x38), 0x3a,
	  "S2c 2c+2:9 G U0@108 30+2:9 G U0@108 34+2:9 G U0@108 38+1:0 E" },
	{ "calls in it", STACK, 0x2c, 0x38,
	  P(0x2a, 0x108, 0x30, 0x108, 0x34, 0x108, 0x38), 0x3a,
	  "S2a 2a+1:0 G U0@2c 38+1:0 E" },
	{ "a call in it, and the return outside", STACK, 0x26, 0x2a,
	  P(0x26, 0x120, 0x108, 0x124, 0x2a), 0x2c,
	  "S26 G U0@26 120+2:9 G U0@108 2a+1:0 E" },
	{ "nested", STACK, 0x120, 0x124,
	  P(0x26, 0x120, 0x108, 0x124, 0x2a), 0x2c,
	  "S26 26+2:9 G U0@120 2a+1:0 E" },
	{ "cached targets after it", CACHES, 0x100, 0x10a,
	  P(0x0c, 0x3e, 0x0c, 0x20, 0x100, 0x108, 0x26, 0x120, 0x108, 0x124, 0x3e, 0x0c,
	    0x3e), 0x42,
	  "Sc c+2:14 3e+2:14 c+2:14 20+3:9 G U1@100 26+2:9 120+2:9 G U0@108 124+2:13 "
	  "3e+2:14 c+2:14 3e+2:14 E" },
	{ "predicted branches after it", PREDICTS, 0x100, 0x108,
	  P(0x22, 0x100, 0x106, LOOPS_16, LOOPS_16, LOOPS_16, LOOPS_16, LOOPS_16, 0x10, 0x00,
	    0x06), 0x0c,
	  "S22 22+2:9 G U1@100 L31 G U50@10 8+2:9 E" },
	{ "predicted branches in it", PREDICTS, 0x00, 0x06,
	  P(LOOPS_16, LOOPS_16, LOOPS_16, LOOPS_16, LOOPS_16, 0x10, 0x00, 0x06), 0x0c,
	  "S10 10+3:15 G U81@0 8+2:9 E" },
	{ "few predicted branches after it", PREDICTS, 0x100, 0x108,
	  P(0x22, 0x100, 0x106, LOOPS, 0x06), 0x0c,
	  "S22 22+2:9 G U1@100 L3 10+3:15 0+3:4 6+3:9 E" },
	{ "predicted branches after a synchronisation", PREDICTS, 0x100, 0x108,
	  P(0x22, 0x100, 0x106, LOOPS, REQUEST, LOOPS_16, LOOPS_16, LOOPS_16, LOOPS_16,
	    LOOPS_16, 0x10, 0x00, 0x06), 0x0c,
	  "S22 22+2:9 G U1@100 L84 10+3:15 0+3:4 6+3:9 E" },
	{ "a pair after it", C(.sijump = 1, .options = HS_ET_SIJUMP), 0x10, 0x12,
	  P(0x0e, 0x10, 0x00, 0x06, 0x100, 0x108, 0x160, 0x170), 0x172,
	  "Se e+1:14 G U2@10 160+5:14 170+1:0 E" },
	{ "cached targets in it", CACHES, 0x3e, 0x42,
	  P(0x0c, 0x3e, 0x0c, 0x3e, 0x0c, 0x3e, 0x0c, 0x20), 0x22,
	  "Sc c+2:14 G U0@3e c+1:0 X" },
	/* whether the flow may come there again without a branch */
	{ "0.026: an address in a loop", DRAFT, 0x200, 0x200,
	  P(0x180, 0x190, TRAP, 0x130), 0x132, "S180 180+3:15 M190 190+1:2 T 130+1:0 E" },
	{ "0.026: a synchronisation before a trap", DRAFT, 0x200, 0x200,
	  P(0x10, 0x00, TRAP, 0x130), 0x132, "S10 10+3:15 M0 0+1:2 T 130+1:0 E" },
	{ "0.026: an address before a jump that needs one", DRAFT, 0x200, 0x200,
	  P(0x3a, 0x3e, TRAP, 0x130), 0x132, "S3a 3a+2:4 M3e 3e+1:2 T 130+1:0 E" },
	{ "0.026: an address before a return", DRAFT, 0x200, 0x200,
	  P(0x102, 0x106, TRAP, 0x130), 0x132, "S102 102+2:4 M106 106+1:2 T 130+1:0 E" },
	{ "0.026: an address before a return from a trap", DRAFT, 0x200, 0x200,
	  P(0x148, 0x150, TRAP, 0x130), 0x132, "S148 148+2:15 M150 150+1:2 T 130+1:0 E" },
	{ "0.026: an address before code that is not known", DRAFT, 0x200, 0x200,
	  P(0x1c0, 0x16, TRAP, 0x130), 0x132, "S1c0 1c0+2:15 16+1:2 T 130+1:0 E" },
	{ "0.026: an address after which jumps lead to a branch", DRAFT, 0x200, 0x200,
	  P(0x1c4, 0x10, TRAP, 0x130), 0x132, "S1c4 1c4+2:15 10+1:2 T 130+1:0 E" },
};

/* Put L and how often in the place of loops. */
static void fold_loops(char *text)
{
	static const char loop[] = "10+3:15 0+3:5 ";
	const size_t n = sizeof loop - 1;

	for (char *at = text; (at = strstr(at, loop)) != NULL;) {
		unsigned times = 0;
		char count[16];

		while (strncmp(at + times * n, loop, n) == 0)
			times++;
		const int used = sprintf(count, "L%u ", times);

		memmove(at + used, at + times * n, strlen(at + times * n) + 1);
		memcpy(at, count, (size_t)used);
	}
}

/* Decode @bytes by @image.  What comes out, as text. */
static void decode_text(const struct hs_et_config *c, const struct hs_image *by,
                        struct hs_span bytes, char *text)
{
	static uint64_t tables[64], memory[8192];
	static struct hs_et_source source;
	struct hs_block out[PATH + HS_ET_DECODE_ROOM];
	struct hs_bb_table table;
	struct hs_et_decoder d;
	unsigned marks = 0;
	enum hs_status s;
	size_t got;

	*text = 0;
	assert_true(hs_bb_memory(256) <= sizeof memory);
	assert_int_equal(hs_bb_init(&table, by, memory, 256), HS_OK);
	assert_int_equal(hs_et_decoder_init(&d, c, &table, &source, 1, tables, sizeof tables),
	                 HS_OK);
	do {
		s = hs_et_decoder_next(&d, &bytes, out, sizeof out / sizeof *out, &got);
		for (size_t i = 0; i < got; i++)
			print_item(&out[i], text + strlen(text));
	} while (s == HS_E_NOCODE || s == HS_E_FLOW);
	assert_int_equal(s, HS_MORE);
	assert_int_equal(hs_et_decoder_end(&d, out, sizeof out / sizeof *out, &got), HS_OK);
	for (size_t i = 0; i < got; i++)
		print_item(&out[i], text + strlen(text));
	for (const char *at = text; (at = strchr(at, 'M')) != NULL; at++)
		marks++;
	assert_int_equal(hs_et_decoder_stats(&d)->ambiguous, marks);
	text[strlen(text) - 1] = 0;
}

TEST_ROWS(follow, rows, row)
{
	struct hs_block in[PATH];
	const size_t n = blocks_of(row->path, row->end, in);
	uint8_t bytes[PATH_BYTES];
	const size_t length = encode_path(&row->c, in, n, bytes, sizeof bytes);
	const struct hs_section parts[] = { { 0x1000, row->from, code },
		                            { 0x1000 + row->to, sizeof code - row->to,
		                              code + row->to } };
	const struct hs_image holed = { .sections = parts, .count = 2, .isa = { .xlen = 32 } };
	char text[4096];

	decode_text(&row->c, &holed, (struct hs_span){ bytes, length }, text);
	fold_loops(text);
	assert_string_equal(text, row->items);
}

/* 0.026: a program fills its table of handlers when it starts: the image has another jump at 182,
 * or a call (trdb; design/et-encoder, vector-sync). */
TEST(other_vector)
{
	static const struct hs_et_config c = C(.version = HS_ET_0_026, .vector_sync = 1);
	static const uint16_t path[] = P(0x10, TRAP, 0x182, 0x190);
	static uint8_t other[sizeof code];
	const struct hs_section there = { 0x1000, sizeof other, other };
	const struct hs_image filled = { .sections = &there, .count = 1, .isa = { .xlen = 32 } };
	struct hs_block in[PATH];
	uint8_t bytes[PATH_BYTES];
	const size_t n = blocks_of(path, 0x192, in);
	const struct hs_span span = { bytes, encode_path(&c, in, n, bytes, sizeof bytes) };
	char text[256];

	decode_text(&c, &image, span, text);
	assert_string_equal(text, "S10 M10 10+1:2 T 182+2:15 190+1:0 E");
	for (unsigned rd = 0; rd < 2; rd++) {
		const uint32_t jump = jal(0x130 - 0x182, rd);

		memcpy(other, code, sizeof other);
		for (unsigned i = 0; i < 4; i++)
			other[0x182 + i] = (uint8_t)(jump >> 8 * i);
		decode_text(&c, &filled, span, text);
		assert_string_equal(text, "S10 M10 10+1:2 T 182+2:14 190+1:0 E");
	}
}

/* 0.026: whether an address may be met again is looked for in 64 basic blocks; beyond them it may.
 * 2000 c.nop, c.nop, then jumps to the next instruction, each a block, and a branch. */
TEST(looks_ahead)
{
	static const struct hs_et_config c = DRAFT;
	static const struct hs_block in[] = {
		{ .iaddr = 0x2000, .iretire = 2, .ilast = 1, .itype = HS_ITYPE_INTERRUPT },
		{ .kind = HS_KIND_TRAP, .arg = 7 },
		{ .iaddr = 0x2000, .iretire = 1, .ilast = 1 },
	};
	uint8_t bytes[PATH_BYTES], chain[2 * 80] = { 0x01, 0x00, 0x01, 0x00 };
	const struct hs_section there = { 0x2000, sizeof chain, chain };
	const struct hs_image jumps = { .sections = &there, .count = 1, .isa = { .xlen = 32 } };
	const struct hs_span span = { bytes, encode_path(&c, in, 3, bytes, sizeof bytes) };
	char text[256];

	for (unsigned n = 62; n < 66; n++) {
		for (unsigned i = 4; i < sizeof chain; i += 2) {
			chain[i] = i < 4 + 2 * n ? 0x09 : 0x01; /* c.j +2 */
			chain[i + 1] = i < 4 + 2 * n ? 0xa0 : 0x00;
		}
		memcpy(chain + 4 + 2 * n, (const uint8_t[]){ 0x63, 0x02, 0xb5, 0x00 }, 4);
		decode_text(&c, &jumps, span, text);
		assert_string_equal(text, n < 64 ? "S0 0+2:2 T 0+1:0 E" : "S0 M2 0+2:2 T 0+1:0 E");
	}
}

TESTS
{
	assemble();
}
