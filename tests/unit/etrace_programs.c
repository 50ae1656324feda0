/* Programs selected by context: the same addresses, other code (ET Format 3 packets).
 *
 * Bytes are worked out by hand, least significant bit first: bare payloads at their full length,
 * with 1 bit of privilege, 2 of context, 4 of ecause and addresses of 17 bits without the lowest
 * one. */
#include "cases.h"

#include <hartscope/etrace.h>

#include "etrace/et_config.h"

static const uint8_t first_code[] = {
	0x01, 0x00, 0x01, 0x00, /* 100 c.nop, c.nop */
	0x63, 0x04, 0x00, 0x00, /* 104 beq x0, x0, 10c */
	0x67, 0x80, 0x00, 0x00, /* 108 ret */
};
static const uint8_t second_code[] = {
	0x13, 0x05, 0x05, 0x00, /* 100 addi */
	0x67, 0x80, 0x00, 0x00, /* 104 ret */
	0x01, 0x00, 0x01, 0x00, /* 108 c.nop, c.nop */
	0x13, 0x05, 0x05, 0x00, /* 10c addi */
	0x67, 0x80, 0x00, 0x00, /* 110 ret */
};
/* 200 c.j 202, 202 c.j 204, ... */
static uint8_t jumps_code[2 * 64];
static const struct hs_section first_sections[] = { { 0x100, sizeof first_code, first_code } };
static const struct hs_section second_sections[] = { { 0x100, sizeof second_code, second_code } };
static const struct hs_section jumps_sections[] = { { 0x200, sizeof jumps_code, jumps_code } };
static const struct hs_image images[] = {
	{ first_sections, 1, { .xlen = 64 }, 0 },
	{ second_sections, 1, { .xlen = 64 }, 0 },
	{ jumps_sections, 1, { .xlen = 64 }, 0 },
};

/* Context 1 is the first program, 2 and 0 are the second one, 3 is none; before the first context,
 * the first. */
static const uint64_t contexts[] = { 1, 2, 0 };

/* format 3, subformat 0, branch, privilege 0, context, address / 2 */
#define START(context, branch, addr) 0x03 | (branch) << 4 | (context) << 6, (addr) / 2 & 0xff, \
	(addr) / 512
/* format 1, branches 1, branch_map, address + 4, notify, updiscon and irreport as the bit before */
#define BRANCH_104(not_taken) 0x05 | (not_taken) << 7, 0x02, 0x00, 0x00
/* format 2, address - 4, notify, updiscon and irreport as the bit before */
#define MINUS_4 0xfa, 0xff, 0xff
#define MINUS_10 0xe2, 0xff, 0xff
#define MINUS_6 0xf6, 0xff, 0xff
#define MINUS_A 0xee, 0xff, 0xff
/* format 3, subformat 2, privilege 0, context 2; the sign fills the byte */
#define CONTEXT_2 0xcb
/* format 3, subformat 1, branch 1, context 1, ecause 8, interrupt 0, thaddr 0, address 102, tval
 * 0 */
#define ECALL_102 0x57, 0x48, 0x20, 0x00, 0x00, 0x00

/* format 1, branches 0 (31), branch_map 0: all of them taken */
#define TAKEN_31 0x01, 0x00, 0x00, 0x00, 0x00
/* format 1, branches 1, branch_map, address + 0, then as BRANCH_104 */
#define BRANCH_HERE(not_taken) 0x05 | (not_taken) << 7, 0x00, 0x00, 0x00
/* format 2, address + N, notify, updiscon and irreport as the bit before */
#define PLUS(n) 0x02 | ((n) / 2 & 0x3f) << 2, (n) / 2 >> 6, 0x00
/* format 0, branch_count 0, which is 31 predicted branches, branch_fmt 0: and one that was not */
#define PREDICTED_31_1 0x00, 0x00, 0x00, 0x00, 0x00
/* the same with branch_fmt 2: none that was not; address + 0, and as before */
#define PREDICTED_31_HERE 0x00, 0x00, 0x00, 0x00, 0x08, 0x00, 0x00
/* format 0, index of 1 bit, branches 0, irreport as the bit before */
#define INDEX(n) 0x00 | (n) << 2, 0x00

#define B(a, n, last, type) { { (a) }, { (n) }, (last), (type), 0, 0, 0, HS_KIND_BLOCK }
#define EVENT(kind, value, arg) { { (value) }, { (arg) }, 0, 0, 0, 0, 0, (kind) }
#define UNSEEN(at, n) { { (at) }, { (n) }, 0, HS_UNSEEN_BRANCHES, 0, 0, 0, HS_KIND_UNSEEN }
#define IN(context) EVENT(HS_KIND_CONTEXT, context, 2)
#define SYNC(addr) { { (addr) }, { 0 }, 0, 5, 0, 0, 0, HS_KIND_SYNC } /* SYNC 5: the trace starts */

/* The branch at 0x104 leads to 0x10c, where the first program has no code. */
#define LEFT_TAKEN B(0x104, 2, 2, 5), EVENT(HS_KIND_GAP, 3, HS_E_NOCODE)

static const struct row {
	const char *name;
	enum hs_status fault; /* HS_OK: none */
	struct hs_block items[12];
	uint8_t n, bytes[24];
} rows[] = {
	{ "a branch that is not taken leads into the other program", HS_OK,
	  { IN(1), SYNC(0x100), B(0x100, 4, 2, 4), IN(2), B(0x108, 1, 1, 0) },
	  10, { START(1, 1, 0x100), BRANCH_104(1), START(2, 1, 0x108) } },
	{ "a taken branch leads to where only the other program has code", HS_OK,
	  { IN(1), SYNC(0x100), B(0x100, 4, 2, 5), IN(2), B(0x10c, 2, 2, 0) },
	  10, { START(1, 1, 0x100), BRANCH_104(0), START(2, 1, 0x10c) } },
	{ "straight on, and the first instruction there is a branch", HS_OK,
	  { IN(2), SYNC(0x100), IN(1), B(0x100, 4, 2, 4) },
	  6, { START(2, 1, 0x100), START(1, 1, 0x104) } },
	{ "the same, where the other program has a branch and is not told of it", HS_OK,
	  { IN(1), SYNC(0x100), IN(2), B(0x100, 4, 2, 13) },
	  6, { START(1, 1, 0x100), START(2, 1, 0x104) } },
	{ "a return leads into the other program", HS_OK,
	  { IN(1), SYNC(0x108), B(0x108, 2, 2, 13), IN(2), B(0x110, 2, 2, 13) },
	  6, { START(1, 1, 0x108), START(2, 1, 0x110) } },
	{ "between a trap and where it leads", HS_OK,
	  { IN(1), SYNC(0x100), B(0x100, 1, 1, 1), EVENT(HS_KIND_TRAP, 0, 8), IN(2),
	    B(0x108, 1, 1, 0) },
	  12, { START(1, 1, 0x100), ECALL_102, START(2, 1, 0x108) } },
	{ "a context packet has no place", HS_OK,
	  { IN(1), SYNC(0x100), IN(2), B(0x100, 4, 2, 4), B(0x108, 1, 1, 0) },
	  11, { START(1, 1, 0x100), CONTEXT_2, BRANCH_104(1), START(2, 1, 0x108) } },
	{ "in a context without a program nothing is known", HS_E_NOCODE,
	  { IN(2), SYNC(0x100), IN(3), B(0x100, 2, 2, 0), EVENT(HS_KIND_GAP, 3, HS_E_NOCODE),
	    UNSEEN(0x104, 0) },
	  6, { START(2, 1, 0x100), START(3, 1, 0x104) } },
	{ "context 0 has a program", HS_OK,
	  { IN(0), SYNC(0x104), B(0x104, 2, 2, 13) },
	  3, { START(0, 1, 0x104) } },
	{ "there and back", HS_OK,
	  { IN(1), SYNC(0x100), IN(2), B(0x100, 4, 2, 13), IN(1), B(0x108, 2, 2, 13) },
	  9, { START(1, 1, 0x100), START(2, 1, 0x104), START(1, 1, 0x108) } },
	{ "the other program has no code there", HS_E_NOCODE,
	  { IN(2), SYNC(0x108), IN(1), B(0x108, 2, 1, 0), EVENT(HS_KIND_GAP, 3, HS_E_NOCODE),
	    UNSEEN(0x10c, 0) },
	  6, { START(2, 1, 0x108), START(1, 1, 0x10c) } },
	{ "this program does not come there", HS_E_NOCODE,
	  { IN(1), SYNC(0x104), B(0x104, 2, 2, 5), EVENT(HS_KIND_GAP, 3, HS_E_NOCODE),
	    UNSEEN(0x10c, 0), IN(2), B(0x108, 1, 1, 0) },
	  6, { START(1, 0, 0x104), START(2, 1, 0x108) } },
	{ "code that is not known, and back: 0x104 - 4", HS_E_NOCODE,
	  { IN(1), SYNC(0x104), B(0x104, 2, 2, 5), EVENT(HS_KIND_GAP, 3, HS_E_NOCODE),
	    UNSEEN(0x10c, 0), B(0x100, 1, 1, 0) },
	  6, { START(1, 0, 0x104), MINUS_4 } },
	/* what retired there: branches that packets report, and where they lead back */
	{ "31 branches, twice", HS_E_NOCODE,
	  { IN(1), SYNC(0x104), LEFT_TAKEN, UNSEEN(0x10c, 62), IN(2), B(0x108, 1, 1, 0) },
	  16, { START(1, 0, 0x104), TAKEN_31, TAKEN_31, START(2, 1, 0x108) } },
	{ "back at a branch, which is among the reported ones", HS_E_NOCODE,
	  { IN(1), SYNC(0x104), LEFT_TAKEN, UNSEEN(0x10c, 0), B(0x104, 2, 2, 4) },
	  7, { START(1, 0, 0x104), BRANCH_HERE(1) } },
	{ "back at a branch after 31", HS_E_NOCODE,
	  { IN(1), SYNC(0x104), LEFT_TAKEN, UNSEEN(0x10c, 31), B(0x104, 2, 2, 4) },
	  12, { START(1, 0, 0x104), TAKEN_31, BRANCH_HERE(1) } },
	{ "back at a branch that was taken", HS_E_NOCODE,
	  { IN(1), SYNC(0x104), LEFT_TAKEN, UNSEEN(0x10c, 31), B(0x104, 2, 2, 5) },
	  12, { START(1, 0, 0x104), TAKEN_31, BRANCH_HERE(0) } },
	{ "the last of 31 branches is the one that it is back at", HS_E_NOCODE,
	  { IN(1), SYNC(0x104), LEFT_TAKEN, UNSEEN(0x10c, 30), B(0x104, 2, 2, 5) },
	  11, { START(1, 0, 0x104), TAKEN_31, PLUS(0) } },
	{ "a branch of which nothing is known is not followed", HS_E_NOCODE,
	  { IN(1), SYNC(0x104), LEFT_TAKEN, UNSEEN(0x10c, 0) },
	  6, { START(1, 0, 0x104), PLUS(0) } },
	{ "what is known of a branch is forgotten when the flow leaves again", HS_E_NOCODE,
	  { IN(1), SYNC(0x104), LEFT_TAKEN, UNSEEN(0x10c, 0), B(0x104, 2, 2, 4),
	    B(0x108, 2, 2, 13), EVENT(HS_KIND_GAP, 7, HS_E_NOCODE), UNSEEN(0x114, 0) },
	  13, { START(1, 0, 0x104), BRANCH_HERE(1), PLUS(0x10), MINUS_10 } },
	{ "a synchronisation at a branch, which is followed yet", HS_E_NOCODE,
	  { IN(1), SYNC(0x104), LEFT_TAKEN, UNSEEN(0x10c, 0), B(0x104, 2, 2, 4) },
	  6, { START(1, 0, 0x104), START(1, 1, 0x104) } },
	{ "a synchronisation at a branch after 31", HS_E_NOCODE,
	  { IN(1), SYNC(0x104), LEFT_TAKEN, UNSEEN(0x10c, 31), B(0x104, 2, 2, 4) },
	  11, { START(1, 0, 0x104), TAKEN_31, START(1, 1, 0x104) } },
	{ "a synchronisation after 31 branches", HS_E_NOCODE,
	  { IN(1), SYNC(0x104), LEFT_TAKEN, UNSEEN(0x10c, 31), B(0x108, 2, 2, 13) },
	  11, { START(1, 0, 0x104), TAKEN_31, START(1, 1, 0x108) } },
	{ "one where no code is known, at a branch that was taken", HS_E_NOCODE,
	  { IN(1), SYNC(0x104), LEFT_TAKEN, UNSEEN(0x10c, 32), B(0x108, 2, 2, 13) },
	  14, { START(1, 0, 0x104), TAKEN_31, START(1, 0, 0x114), START(1, 1, 0x108) } },
	{ "one where no code is known, and maybe no branch", HS_E_NOCODE,
	  { IN(1), SYNC(0x104), LEFT_TAKEN, UNSEEN(0x10c, 31), B(0x108, 2, 2, 13) },
	  14, { START(1, 0, 0x104), TAKEN_31, START(1, 1, 0x114), START(1, 1, 0x108) } },
	{ "code that is not known, with a branch", HS_E_NOCODE,
	  { IN(1), SYNC(0x104), B(0x104, 2, 2, 5), EVENT(HS_KIND_GAP, 3, HS_E_NOCODE),
	    UNSEEN(0x10c, 1), B(0x108, 2, 2, 13) },
	  7, { START(1, 0, 0x104), BRANCH_104(0) } },
};

static const struct optional {
	struct row row;
	uint8_t options;
} optional[] = {
	{ { "predicted branches", HS_E_NOCODE,
	  { IN(1), SYNC(0x104), LEFT_TAKEN, UNSEEN(0x10c, 64), IN(2), B(0x108, 1, 1, 0) },
	  16, { START(1, 0, 0x104), PREDICTED_31_1, PREDICTED_31_1, START(2, 1, 0x108) } },
	  HS_ET_BRANCH_PREDICTION },
	{ { "predicted branches and an address: which way the last one went is not known", HS_E_NOCODE,
	  { IN(1), SYNC(0x104), LEFT_TAKEN, UNSEEN(0x10c, 63), IN(2), B(0x108, 1, 1, 0) },
	  18, { START(1, 0, 0x104), PREDICTED_31_1, PREDICTED_31_HERE, START(2, 1, 0x108) } },
	  HS_ET_BRANCH_PREDICTION },
	{ { "the same, at once", HS_E_NOCODE,
	  { IN(1), SYNC(0x104), LEFT_TAKEN, UNSEEN(0x10c, 31), IN(2), B(0x108, 1, 1, 0) },
	  13, { START(1, 0, 0x104), PREDICTED_31_HERE, START(2, 1, 0x108) } },
	  HS_ET_BRANCH_PREDICTION },
	/* the jump target cache has two places, one for addresses that 4 divides */
	{ { "a target of before is in the cache", HS_E_NOCODE,
	    { IN(2), SYNC(0x104), B(0x104, 2, 2, 13), B(0x110, 2, 2, 13),
	      EVENT(HS_KIND_GAP, 6, HS_E_NOCODE), UNSEEN(0x11a, 0), B(0x110, 2, 2, 13),
	      B(0x110, 2, 2, 13) },
	    14, { START(2, 1, 0x104), PLUS(0xc), PLUS(0xa), MINUS_A, INDEX(0) } },
	  HS_ET_JUMP_TARGET_CACHE },
	{ { "another address took its place, to which a jump may have led", HS_E_NOCODE,
	    { IN(2), SYNC(0x104), B(0x104, 2, 2, 13), B(0x110, 2, 2, 13),
	      EVENT(HS_KIND_GAP, 6, HS_E_NOCODE), UNSEEN(0x11a, 0), B(0x10a, 1, 1, 0),
	      EVENT(HS_KIND_GAP, 15, HS_E_FLOW) },
	    17, { START(2, 1, 0x104), PLUS(0xc), PLUS(0xa), MINUS_6, MINUS_A, INDEX(0) } },
	  HS_ET_JUMP_TARGET_CACHE },
};

#define OPTIONAL (sizeof optional / sizeof *optional)
#define CAPACITY 128

struct bench {
	uint64_t memory[3][8192];
	struct hs_bb_table table[3];
	struct hs_bb_table *programs[3];
	struct hs_et_source source;
	struct hs_et_decoder d;
	uint64_t tables[2];
};

static void set_up(struct bench *b, unsigned options)
{
	struct hs_et_config c = { .size = sizeof c, .version = HS_ET_2_0 };

	c.dialect = HS_ET_DIALECT_NONE;
	c.iaddress_width = 17;
	c.privilege_width = 1;
	c.ecause_width = 4;
	c.context = 1;
	c.context_width = 2;
	c.options = (uint8_t)options;
	c.bpred_size = options & HS_ET_BRANCH_PREDICTION ? 1 : 0;
	c.cache_size = options & HS_ET_JUMP_TARGET_CACHE ? 1 : 0;
	assert_true(hs_bb_memory(CAPACITY) <= sizeof b->memory[0]);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(hs_bb_init(&b->table[i], &images[i], b->memory[i], CAPACITY),
		                 HS_OK);
	b->programs[0] = &b->table[0];
	b->programs[1] = b->programs[2] = &b->table[1];
	assert_int_equal(hs_et_decoder_init(&b->d, &c, &b->table[0], &b->source, 1, b->tables,
	                                    sizeof b->tables), HS_OK);
	hs_et_decoder_set(&b->d, &(struct hs_decoder_options){
		sizeof(struct hs_decoder_options), 3,
		.tables = b->programs, .contexts = contexts
	});
}

static size_t count_items(const struct row *row)
{
	size_t n = 0;

	while (n < 12 && (row->items[n].value || row->items[n].arg || row->items[n].kind))
		n++;
	return n;
}

/* In pieces of @step bytes; *fault is the first one. */
static size_t decode(struct bench *b, const uint8_t *bytes, size_t len, size_t step,
                     struct hs_block out[64],
                     enum hs_status *fault)
{
	size_t n = 0, more;
	enum hs_status s;

	*fault = HS_OK;
	for (size_t at = 0; at < len; at += step) {
		struct hs_span in = { bytes + at, len - at < step ? len - at : step };

		do {
			s = hs_et_decoder_next(&b->d, &in, out + n, 64 - n, &more);
			n += more;
			if (s != HS_MORE && *fault == HS_OK)
				*fault = s;
		} while (s != HS_MORE);
	}
	assert_int_equal(hs_et_decoder_end(&b->d, out + n, 64 - n, &more), HS_OK);
	return n + more;
}

static void run(const struct row *row, unsigned options)
{
	static struct bench b;
	struct hs_block out[64];
	enum hs_status fault;

	for (size_t step = 1; step <= row->n; step++) {
		set_up(&b, options);
		const size_t n = decode(&b, row->bytes, row->n, step, out, &fault);

		for (size_t i = 0; i < n && i < count_items(row); i++) {
			const struct hs_block *w = &row->items[i], *g = &out[i];

			if (!hs_block_equal(w, g))
				fail_msg("item %zu: %s %llx+%u itype %u, not %s %llx+%u itype %u",
				         i,
				         hs_kind_name(g->kind), (unsigned long long)g->value,
				         g->arg, g->itype,
				         hs_kind_name(w->kind), (unsigned long long)w->value,
				         w->arg, w->itype);
		}
		assert_int_equal(n, count_items(row));
		assert_string_equal(hs_status_name(fault), hs_status_name(row->fault));
	}
}

static void selects(void **state)
{
	run(*state, 0);
}

static void with_options(void **state)
{
	const struct optional *o = *state;

	run(&o->row, o->options);
}

/* A walk of each length before a packet that says more than its blocks: nothing is written beyond
 * the room. */
TEST_NAMED(keeps_to_its_room, "keeps to its room")
{
	static struct bench b;

	for (unsigned i = 0; i < sizeof jumps_code; i += 2) {
		jumps_code[i] = 0x09; /* c.j with imm[1] (ISA manual) */
		jumps_code[i + 1] = 0xa0;
	}
	for (unsigned jumps = 1; jumps < 60; jumps++) {
		const uint8_t bytes[] = { START(3, 1, 0x200), START(0, 1, 0x200 + 2 * jumps) };
		struct hs_block out[HS_ET_DECODE_ROOM + 8];
		struct hs_span in = { bytes, sizeof bytes };
		const struct hs_decoder_options none = { .size = sizeof none };
		size_t n, blocks = 0, events = 0;
		enum hs_status s;

		set_up(&b, 0);
		b.d.stream.table = &b.table[2];
		hs_et_decoder_set(&b.d, &none);
		do {
			memset(out, 0xa5, sizeof out);
			s = hs_et_decoder_next(&b.d, &in, out, HS_ET_DECODE_ROOM, &n);
			assert_in_range(n, 0, HS_ET_DECODE_ROOM);
			for (size_t i = 0; i < n; i++) {
				blocks += out[i].kind == HS_KIND_BLOCK;
				events += out[i].kind == HS_KIND_CONTEXT;
			}
			for (size_t i = HS_ET_DECODE_ROOM * sizeof *out; i < sizeof out; i++)
				assert_int_equal(((const uint8_t *)out)[i], 0xa5);
		} while (s == HS_FULL);
		assert_int_equal(s, HS_MORE);
		assert_int_equal(blocks, jumps);
		assert_int_equal(events, 2);
	}
}

TESTS
{
	for (size_t i = 0; i < OPTIONAL; i++)
		test_add(optional[i].row.name, with_options, &optional[i]);
}
TEST_TABLE(selects, rows)
