/* TACIT by hand: bytes to blocks and back, each row also in pieces; what a damaged trace, one of
 * code that is not known, and one with losses give; what lint finds. */
#include "cases.h"

#include "tacit/tacit.h"

#define BASE 0x1000u
#define ITEMS 64

/* 0x1000 nop; 0x1002 beq a0, a1, +8; 0x1006 nop; 0x1008 j 0x1006; 0x100a nop; 0x100c jr ra;
 * 0x100e ecall; 0x1012 mret (ISA manual). */
static const uint8_t code[] = { 0x01, 0x00, 0x63, 0x04, 0xb5, 0x00, 0x01, 0x00, 0xfd, 0xbf, 0x01,
	                        0x00, 0x82, 0x80, 0x73, 0x00, 0x00, 0x00, 0x73, 0x00, 0x20, 0x30 };
static const struct hs_section section = { BASE, sizeof code, code };
static const struct hs_image image = { .sections = &section, .count = 1, .isa = { .xlen = 64 } };

#define START 0x36, 0x80, 0x80, 0x40, 0x00, 0x90, 0x81 /* U, at 0x1000, time 1 */
#define PREDICTED 0x36, 0x80, 0x80, 0x42, 0x00, 0x90, 0x81 /* branches are */
#define PERIODIC 0x56, 0x80, 0x80, 0x40, 0x00, 0x90, 0x85 /* the same, time 5 */

#define B(iaddr_, n, last, itype_) \
	{ .iaddr = (iaddr_), .iretire = (n), .ilast = (last), .itype = (itype_) }

static const struct row {
	const char *name;
	enum hs_status status; /* the first error, HS_OK: none */
	struct hs_block blocks[5]; /* ended by an address of 0 */
	uint64_t time;         /* that was reported last */
	uint8_t n, bytes[40];
} rows[] = {
	{ "branches and jumps", HS_OK,
	  { B(0x1000, 3, 2, 4), B(0x1006, 2, 1, 15), B(0x1006, 2, 1, 15) },
	  6, 10, { START, 0x05, 0x0b, 0x0b } },
	{ "the long form", HS_OK,
	  { B(0x1000, 3, 2, 4) }, 65, 9, { START, 0x06, 0xc0 } },
	{ "taken, a return by register", HS_OK,
	  { B(0x1000, 3, 2, 5), B(0x100a, 2, 1, 13) }, 3, 11,
	  { START, 0x04, 0x0a, 0x86, 0x81 } },
	{ "an exception at an ecall, and a return", HS_OK,
	  { B(0x1000, 3, 2, 5), B(0x100a, 2, 1, 13), B(0x100e, 2, 2, 1), B(0x1012, 2, 2, 3) },
	  3, 24,
	  { START,
	    0x00, 0x0a, 0x81, 0x80, 0x32, 0x98, 0x07, 0x90, 0x8e, 0x81, 0x92, 0x83, 0x85, 0x09,
	    0x90, 0x89, 0x81 } },
	{ "a jump where the program has a branch", HS_E_FLOW,
	  { { .iaddr = 0 } }, 1, 8, { START, 0x0b } },
	{ "damage, and the next mark", HS_E_FIELD,
	  { B(0x1000, 3, 2, 4), B(0x1000, 3, 2, 4) }, 6, 17,
	  { START, 0x01, 0x1e, PERIODIC, 0x05 } },
	{ "a pause: the branch is lost that it names", HS_E_LOST,
	  { B(0x1000, 3, 2, 0), B(0x1000, 3, 2, 4) },
	  10, 22,
	  { START, 0x96, 0x80, 0x80, 0x80, 0x01, 0x90, 0x82, 0xb6, 0x80, 0x80, 0x83, 0x00, 0x90,
	            0x89, 0x05 } },
	{ "an end after an instruction more", HS_OK,
	  { B(0x1000, 3, 2, 4), B(0x1006, 1, 1, 0) }, 9, 15,
	  { START, 0x05, 0x76, 0x80, 0x80, 0x40, 0x03, 0x90, 0x89 } },
	{ "an end with the last message", HS_OK,
	  { B(0x1000, 3, 2, 4) }, 2, 15,
	  { START, 0x05, 0x76, 0x80, 0x80, 0x40, 0x01, 0x90, 0x82 } },
	{ "two branches as predicted, and one not", HS_OK,
	  { B(0x1000, 3, 2, 4) }, 1, 8,
	  { 0x36, 0x80, 0x80, 0x42, 0x00, 0x90, 0x81, 0x04 } },
	{ "a branch not as predicted", HS_OK,
	  { B(0x1000, 3, 2, 5) }, 3, 8,
	  { 0x36, 0x80, 0x80, 0x42, 0x00, 0x90, 0x81, 0x09 } },
	{ "predicted: after damage, up to each branch, and from each trap on", HS_E_FIELD,
	  { B(0x1000, 3, 2, 5), B(0x1000, 3, 2, 0), B(0x1012, 2, 2, 3), B(0x1000, 3, 2, 0) },
	  7, 31,
	  { PREDICTED, 0x09, 0x1e, 0x56, 0x80, 0x80, 0x42, 0x00, 0x90, 0x85, 0x04, 0x32, 0x98,
	    0x07, 0x90, 0x8e, 0x81, 0x92, 0x83, 0x85, 0x09, 0x90, 0x89, 0x81, 0x04 } },
	{ "predicted: a trace that begins with a mark", HS_E_NOCODE,
	  { B(0x1000, 3, 2, 0) }, 5, 8, { 0x56, 0x80, 0x80, 0x42, 0x00, 0x90, 0x85, 0x09 } },
	{ "predicted: something before the start", HS_E_NOCODE,
	  { B(0x1000, 3, 2, 0) }, 1, 9, { 0x0b, PREDICTED, 0x09 } },
	{ "a mode that is none", HS_E_UNSUPPORTED,
	  { { .iaddr = 0 } }, 0, 8,
	  { 0x36, 0x80, 0x80, 0x41, 0x00, 0x90, 0x81, 0x09 } },
	{ "a predictor without counters", HS_E_UNSUPPORTED,
	  { { .iaddr = 0 } }, 0, 8,
	  { 0x36, 0x80, 0x80, 0x02, 0x00, 0x90, 0x81, 0x09 } },
	{ "cut inside a message", HS_E_TRUNCATED,
	  { { .iaddr = 0 } }, 1, 8, { START, 0x02 } },
};

struct result {
	struct hs_block blocks[ITEMS];
	size_t n;
	uint64_t time;
	enum hs_status status;
};

static void take_items(struct result *r, enum hs_status s, const struct hs_block *items, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (items[i].kind == HS_KIND_BLOCK)
			r->blocks[r->n++] = items[i];
		if (items[i].kind == HS_KIND_TIME)
			r->time = items[i].value;
	}
	if (s != HS_OK && s != HS_MORE && s != HS_FULL && r->status == HS_OK)
		r->status = s;
}

static void decode(const struct row *row, size_t piece, struct result *r)
{
	static uint64_t memory[4096];
	const struct tacit_config config = { 0 };
	struct tacit_source source;
	struct tacit_decoder d;
	struct hs_bb_table table;
	struct hs_block items[TACIT_DECODE_ROOM];
	enum hs_status s;
	size_t n;

	memset(r, 0, sizeof *r);
	assert_true(hs_bb_memory(64) <= sizeof memory);
	assert_int_equal(hs_bb_init(&table, &image, memory, 64), HS_OK);
	assert_int_equal(tacit_decoder_init(&d, &config, &table, &source), HS_OK);
	for (size_t at = 0; at < row->n; at += piece) {
		struct hs_span in = { row->bytes + at, row->n - at < piece ? row->n - at : piece };

		do {
			s = tacit_decode(&d, &in, items, TACIT_DECODE_ROOM, &n);
			take_items(r, s, items, n);
		} while (s != HS_MORE);
	}
	do {
		s = tacit_decode_end(&d, items, TACIT_DECODE_ROOM, &n);
		take_items(r, s, items, n);
	} while (s != HS_OK);
}

TEST_ROWS(decodes, rows, row)
{
	struct result whole, pieces;
	size_t want = 0;

	decode(row, row->n, &whole);
	while (want < 5 && row->blocks[want].iaddr)
		want++;
	assert_int_equal(whole.status, row->status);
	assert_int_equal(whole.n, want);
	for (size_t i = 0; i < want; i++) {
		struct hs_block b = row->blocks[i];

		b.priv = whole.blocks[i].priv;
		assert_true(hs_block_equal(&b, &whole.blocks[i]));
	}
	assert_int_equal(whole.time, row->time);
	for (size_t piece = 1; piece < row->n; piece++) {
		decode(row, piece, &pieces);
		assert_memory_equal(&whole, &pieces, sizeof whole);
	}
}

/* ---- lint ---------------------------------------------------------------------------- */

static const struct lint_row {
	const char *name;
	unsigned found[3]; /* kinds in their order, TACIT_FIND_COUNT after them */
	uint8_t n, bytes[32];
} lint_rows[] = {
	{ "nothing",
	  { TACIT_FIND_COUNT }, 15,
	  { START, 0x05, 0x76, 0x80, 0x80, 0x40, 0x01, 0x90, 0x82 } },
	{ "no end",
	  { TACIT_FIND_NO_END, TACIT_FIND_COUNT }, 8, { START, 0x05 } },
	{ "no start",
	  { TACIT_FIND_NOT_STARTED, TACIT_FIND_COUNT }, 1, { 0x05 } },
	{ "a reserved header",
	  { TACIT_FIND_HEADER, TACIT_FIND_COUNT }, 8, { START, 0x1a } },
	{ "an older start",
	  { TACIT_FIND_OLD_SYNC, TACIT_FIND_COUNT }, 5,
	  { 0x16, 0x00, 0x90, 0x81, 0x05 } },
	{ "PRV without its mark",
	  { TACIT_FIND_FIELD, TACIT_FIND_COUNT }, 2, { 0x36, 0x00 } },
	{ "a padded number, and a long form",
	  { TACIT_FIND_PADDED, TACIT_FIND_LONG_FORM,
	                                        TACIT_FIND_NO_END },
	  10, { START, 0x06, 0x05, 0x80 } },
	{ "a resume without a pause",
	  { TACIT_FIND_NOT_PAUSED, TACIT_FIND_NO_END, TACIT_FIND_COUNT },
	  14, { START, 0xb6, 0x80, 0x80, 0x80, 0x00, 0x90, 0x89 } },
	{ "a mode that is none",
	  { TACIT_FIND_MODE, TACIT_FIND_NO_END, TACIT_FIND_COUNT }, 7,
	  { 0x36, 0x80, 0x80, 0x41, 0x00, 0x90, 0x81 } },
	{ "a time that runs back",
	  { TACIT_FIND_TIME_BACK, TACIT_FIND_NO_END, TACIT_FIND_COUNT }, 15,
	  { START, 0x7d, 0x56, 0x80, 0x80, 0x40, 0x03, 0x90, 0x82 } },
};

TEST_ROWS(lint, lint_rows, row)
{
	const struct tacit_config config = { 0 };
	struct hs_span in = { row->bytes, row->n };
	struct tacit_lint_source source;
	struct hs_finding f;
	struct tacit_lint l;
	unsigned n = 0;

	assert_int_equal(tacit_lint_init(&l, &config, &source), HS_OK);
	while (tacit_lint_next(&l, &in, &f) == HS_OK || tacit_lint_end(&l, &f) == HS_OK) {
		assert_true(n < 3);
		assert_int_equal(f.id, row->found[n]);
		n++;
	}
	assert_true(n == 3 || row->found[n] == TACIT_FIND_COUNT);
}

/* ---- messages ------------------------------------------------------------------------ */

/* What is written is read, whatever its numbers, and not before its last byte. */
TEST(each_message_comes_back)
{
	static const uint64_t numbers[] = { 0, 63, 64, 127, 128, 0x123456789abc, UINT64_MAX };

	for (unsigned code_ = 0; code_ < TACIT_HITS; code_++)
		for (unsigned k = 0; k < sizeof numbers / sizeof *numbers; k++) {
			struct tacit_msg m = { .code = (uint8_t)code_ }, got;
			uint8_t bytes[TACIT_MSG_MAX];

			for (unsigned f = 0; f < TACIT_FIELDS; f++)
				m.field[f] = numbers[k];
			TACIT_GET(&m, PRV) = 0x80 | 1 << 3 | (k & 1 ? 3 : 0);
			TACIT_GET(&m, CONFIG) = 0x42;
			const size_t n = tacit_write(&m, bytes);

			for (size_t cut = 1; cut < n; cut++)
				assert_int_equal(tacit_parse(bytes, cut, &got), HS_MORE);
			assert_int_equal(tacit_parse(bytes, n, &got), HS_OK);
			assert_int_equal(got.length, n);
			assert_int_equal(got.code, code_);
			for (unsigned f = 0; f < TACIT_FIELDS; f++)
				assert_true(!(got.present >> f & 1) || got.field[f] == m.field[f]);
		}
}
