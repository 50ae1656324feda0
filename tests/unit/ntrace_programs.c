/* Programs selected by Ownership (NT 7.1): the same addresses, other code.
 *
 * Bytes are worked out by hand: MDO in bits 7:2, MSEO in bits 1:0 (NT 3). */
#include "cases.h"

#include "ingress/ingress.h"
#include "unit/ntrace_rows.h"

static const uint8_t first_code[] = {
	0x73, 0x00, 0x00, 0x00, /* 100 ecall */
	0x01, 0x00,             /* 104 c.nop */
	0x67, 0x80, 0x00, 0x00, /* 106 ret */
};
static const uint8_t second_code[] = {
	0x01, 0x00, 0x01, 0x00, /* 100 c.nop, c.nop */
	0x63, 0x04, 0x00, 0x00, /* 104 beq x0, x0, 10c */
	0x13, 0x05, 0x05, 0x00, /* 108 addi */
	0x73, 0x00, 0x00, 0x00, /* 10c ecall */
};
static const struct hs_section first_sections[] = { { 0x100, sizeof first_code, first_code } };
static const struct hs_section second_sections[] = { { 0x100, sizeof second_code, second_code } };
static const struct hs_image images[] = {
	{ first_sections, 1, { .xlen = 64 }, 0 },
	{ second_sections, 1, { .xlen = 64 }, 0 },
};

/* Ownership: PROCESS is {CONTEXT, V, PRV, FORMAT} (NT Table 12). */
#define OWN_1    0x08, 0x8b       /* 0x22: scontext 1 */
#define OWN_2    0x08, 0x08, 0x07 /* 0x42: scontext 2 */
#define OWN_1D   0x08, 0xc8, 0x3b /* 0x3B2: scontext 0x1D, VU */
#define OWN_M    0x08, 0x33       /* 0xC: M-mode alone */
#define OWN_H2   0x08, 0x0c, 0x07 /* 0x43: hcontext 2 */
#define OWN_3    0x08, 0x88, 0x07 /* 0x62: scontext 3 */
#define AT_100   0x10, 0x29, 0x03 /* IndirectBranch B-TYPE=2 I-CNT=2, from 100 to 100 */
#define CALL_1   B(0x100, 2, 2, 1)
#define RUN_2    B(0x100, 4, 2, 5), B(0x10c, 2, 2, 1)
#define REST_1   B(0x104, 3, 2, 13), STOP(0)

/* scontext 1 is the first program, 2 and 0x1d are the second one. */
static const uint64_t contexts[] = { 1, 2, 0x1d };

enum { BOTH, DECODE, SIFIVE /* DECODE, in that dialect */ };

static const struct program_row {
	const char *name;
	uint8_t direction, mode;
	struct hs_block items[12];
	uint8_t n, bytes[40];
} table[] = {
	{ "there and back, HTM", BOTH, HS_NT_HTM,
	  { S100, CONTEXT(1, 2, 0), CALL_1, CONTEXT(2, 2, 0), RUN_2, CONTEXT(1, 2, 0), REST_1 },
	  22, { SYNC_100, OWN_1, AT_100, OWN_2, 0x70, 0x69, 0x09, 0x0f, OWN_1, 0x84, 0x40, 0x0d,
	        0x07 } },
	{ "there and back, BTM", BOTH, HS_NT_BTM,
	  { S100, CONTEXT(1, 2, 0), CALL_1, CONTEXT(2, 2, 0), RUN_2, CONTEXT(1, 2, 0), REST_1 },
	  22, { SYNC_100, OWN_1, AT_100, OWN_2, 0x0c, 0x13, 0x10, 0x29, 0x0b, OWN_1, 0x84, 0x00,
	        0x0f } },
	{ "PROCESS 0x3B2 selects 0x1D", BOTH, HS_NT_BTM,
	  { S100, CONTEXT(1, 2, 0), CALL_1, CONTEXT(0x1d, 2, 4), RUN_2, CONTEXT(1, 2, 0), REST_1 },
	  22, { SYNC_100, OWN_1, AT_100, OWN_1D, 0x0c, 0x13, 0x10, 0x29, 0x0b, OWN_1, 0x84, 0x00,
	        0x0f } },
	{ "PROCESS 0xC selects nothing", DECODE, HS_NT_BTM,
	  { S100, CONTEXT(2, 2, 0), CONTEXT(0, 0, 3), B(0x100, 4, 2, 5), STOP(0) },
	  14, { SYNC_100, OWN_2, OWN_M, 0x0c, 0x13, 0x84, 0x00, 0x03 } },
	{ "hcontext selects nothing", DECODE, HS_NT_BTM,
	  { S100, CONTEXT(2, 3, 0), CALL_1, B(0x104, 3, 2, 13), STOP(0) },
	  13, { SYNC_100, OWN_H2, 0x10, 0x29, 0x0b, 0x84, 0x00, 0x0f } },
	{ "in a context without a program nothing is known", DECODE, HS_NT_BTM,
	  { S100, CONTEXT(2, 2, 0), CONTEXT(3, 2, 0), GAP(10, HS_E_NOCODE), UNSEEN(0x100, 4),
	    STOP(0) },
	  15, { SYNC_100, OWN_2, OWN_3, 0x0c, 0x13, 0x84, 0x00, 0x03 } },
	/* ResourceFull RCODE=8 RDATA=2^31 */
	{ "2^31 branches in a context without a program take no time", SIFIVE, HS_NT_BTM,
	  { S100, CONTEXT(3, 2, 0), GAP(7, HS_E_NOCODE), CONTEXT(2, 2, 0), UNSEEN(0x100, 2),
	    B(0x100, 4, 2, 5), STOP(0) },
	  25, { SYNC_100, OWN_3, 0x6c, 0x20, 0, 0, 0, 0, 0x83, AT_100, OWN_2, 0x0c,
	        0x13, 0x84, 0x00, 0x03 } },
	{ "a context without a program, and back to one with", DECODE, HS_NT_BTM,
	  { S100, CONTEXT(3, 2, 0), GAP(7, HS_E_NOCODE), CONTEXT(2, 2, 0), UNSEEN(0x100, 2),
	    B(0x100, 4, 2, 5), STOP(0) },
	  18, { SYNC_100, OWN_3, AT_100, OWN_2, 0x0c, 0x13, 0x84, 0x00, 0x03 } },
	{ "before the first Ownership it is the first program", DECODE, HS_NT_BTM,
	  { S100, CALL_1, CONTEXT(2, 2, 0), RUN_2, CONTEXT(1, 2, 0), REST_1 },
	  20, { SYNC_100, AT_100, OWN_2, 0x0c, 0x13, 0x10, 0x29, 0x0b, OWN_1, 0x84, 0x00, 0x0f } },
};

#define ROWS (sizeof table / sizeof *table)

static size_t count_items(const struct program_row *row)
{
	size_t n = 0;

	while (n < 12 && (row->items[n].value || row->items[n].arg || row->items[n].kind))
		n++;
	return n;
}

static void encodes(void **state)
{
	const struct program_row *row = *state;
	const struct hs_nt_config c = { .size = sizeof c, .inst_mode = row->mode, .context = 1 };
	uint8_t bytes[2048];
	struct hs_nt_encoder e;
	size_t used, len, end;

	/* The encoder makes the first synchronisation and the last stop itself. */
	assert_int_equal(hs_nt_encoder_init(&e, &c), HS_OK);
	assert_int_equal(hs_nt_encode(&e, row->items + 1, count_items(row) - 2, &used, bytes,
	                              sizeof bytes, &len), HS_OK);
	assert_int_equal(hs_nt_encode_end(&e, bytes + len, sizeof bytes - len, &end), HS_OK);
	for (size_t i = 0; i < len + end && i < row->n; i++)
		if (bytes[i] != row->bytes[i])
			fail_msg("byte %zu: %02x, not %02x", i, bytes[i], row->bytes[i]);
	assert_int_equal(len + end, row->n);
}

static bool same(const struct hs_block *a, const struct hs_block *b)
{
	return a->kind == b->kind && a->value == b->value && a->arg == b->arg &&
	       a->itype == b->itype && a->ilast == b->ilast &&
	       (a->kind != HS_KIND_CONTEXT || a->priv == b->priv);
}

/* Byte by byte: a message may be cut anywhere. */
static void decodes(void **state)
{
	const struct program_row *row = *state;
	const struct hs_nt_config c = { .size = sizeof c, .dialect = row->direction == SIFIVE
		                                                        ? HS_NT_DIALECT_SIFIVE
		                                                        : 0 };
	uint64_t memory[2][4096];
	struct hs_bb_table t[2];
	struct hs_bb_table *const programs[] = { &t[0], &t[1], &t[1] };
	struct hs_nt_source source;
	struct hs_nt_decoder d;
	struct hs_block out[64];
	size_t n = 0, more;

	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(hs_bb_init(&t[i], &images[i], memory[i], 64), HS_OK);
	assert_int_equal(hs_nt_decoder_init(&d, &c, &t[0], &source, 1), HS_OK);
	hs_nt_decoder_set(&d, &(struct hs_decoder_options){
		sizeof(struct hs_decoder_options), 3,
		.tables = programs, .contexts = contexts
	});
	for (size_t i = 0; i < row->n; i++) {
		struct hs_span in = { row->bytes + i, 1 };

		enum hs_status s;

		do {
			s = hs_nt_decoder_next(&d, &in, out + n, 64 - n, &more);
			if (s != HS_MORE && s != HS_E_NOCODE)
				fail_msg("byte %zu: %s", i, hs_status_name(s));
			n += more;
		} while (s != HS_MORE);
	}
	assert_int_equal(hs_nt_decoder_end(&d, out + n, 64 - n, &more), HS_OK);
	n += more;
	for (size_t i = 0; i < n && i < count_items(row); i++) {
		const struct hs_block *w = &row->items[i], *g = &out[i];

		if (!same(w, g))
			fail_msg("item %zu: %s %llx+%u itype %u, not %s %llx+%u itype %u", i,
			         hs_kind_name(g->kind), (unsigned long long)g->value, g->arg,
			         g->itype,
			         hs_kind_name(w->kind), (unsigned long long)w->value, w->arg,
			         w->itype);
	}
	assert_int_equal(n, count_items(row));
}

/* With SRC of 2 bits: ProgTraceSync SYNC 5 at 100; Ownership, scontext c; DirectBranch, 4
 * half-words; IndirectBranch B-TYPE 2, 2 half-words, to 100. */
#define SYNC_OF(s)     0x24, ((s) | 5 << 2) << 2, 0x01, 0x00, 0x0b
#define OWN_OF(s, c)   0x08, ((s) | 2 << 2) << 2, (c) << 3 | 3
#define BRANCH_OF(s)   0x0c, ((s) | 4 << 2) << 2 | 3
#define TRAP_OF(s)     0x10, ((s) | 2 << 2 | 2 << 4) << 2 | 1, 0x03

/* An Ownership message is of the hart that sent it (NT 11.3): source 1 is in the first program,
 * whose two half-words are an ecall, 2 in the second, where a branch ends after four. */
TEST(of_its_hart)
{
	static const uint8_t streams[2][21] = {
		{ SYNC_OF(1), SYNC_OF(2), OWN_OF(1, 1), OWN_OF(2, 2), BRANCH_OF(2), TRAP_OF(1) },
		{ SYNC_OF(1), SYNC_OF(2), OWN_OF(2, 2), OWN_OF(1, 1), BRANCH_OF(2), TRAP_OF(1) },
	};
	const struct hs_nt_config c = { .size = sizeof c, .src_bits = 2, .inst_mode = HS_NT_BTM };
	uint64_t memory[2][4096];
	struct hs_bb_table t[2];
	struct hs_bb_table *const programs[] = { &t[0], &t[1], &t[1] };

	for (size_t i = 0; i < 2; i++) {
		struct hs_span in = { streams[i], sizeof streams[i] };
		struct hs_block out[64], blocks[2];
		struct hs_nt_source sources[2];
		struct hs_nt_decoder d;
		size_t n, count = 0;

		for (unsigned k = 0; k < 2; k++)
			assert_int_equal(hs_bb_init(&t[k], &images[k], memory[k], 64), HS_OK);
		assert_int_equal(hs_nt_decoder_init(&d, &c, &t[0], sources, 2), HS_OK);
		hs_nt_decoder_set(&d, &(struct hs_decoder_options){
			sizeof(struct hs_decoder_options), 3,
			.tables = programs, .contexts = contexts
		});
		assert_int_equal(hs_nt_decoder_next(&d, &in, out, 64, &n), HS_MORE);
		for (size_t k = 0; k < n; k++) {
			if (out[k].kind != HS_KIND_BLOCK)
				continue;
			assert_true(count < 2);
			blocks[count++] = out[k];
		}
		assert_int_equal(count, 2);
		assert_true(hs_block_same(&blocks[0], &(struct hs_block)B(0x100, 4, 2, 5)));
		assert_true(hs_block_same(&blocks[1], &(struct hs_block)CALL_1));
	}
}

/* Code that changed in place: one image contradicts the second part of the trace, and a decoder for
 * each part does not (NT 11.4, design/code-changes). */
TEST(parts_in_time)
{
	static const uint8_t parts[2][7] = { { SYNC_100, AT_100 }, { SYNC_100, 0x0c, 0x13 } };
	static const struct hs_block want[] = { CALL_1, B(0x100, 4, 2, 5) };
	const struct hs_nt_config c = { .size = sizeof c, .inst_mode = HS_NT_BTM };
	uint64_t memory[2][4096];
	struct hs_bb_table t[2];

	for (unsigned image = 0; image < 2; image++) {
		for (unsigned part = 0; part < 2; part++) {
			struct hs_span in = { parts[part], part ? 6 : 7 };
			struct hs_nt_source source;
			struct hs_nt_decoder d;
			struct hs_block out[64];
			bool right = false;
			size_t n;

			assert_int_equal(hs_bb_init(&t[image], &images[image], memory[image], 64),
			                 HS_OK);
			assert_int_equal(hs_nt_decoder_init(&d, &c, &t[image], &source, 1), HS_OK);
			const enum hs_status s = hs_nt_decoder_next(&d, &in, out, 64, &n);

			for (size_t i = 0; i < n; i++)
				right |= hs_block_same(&out[i], &want[part]);
			assert_int_equal(right, part == image);
			if (part == image || part == 0) /* the trap fits both, and ends elsewhere */
				assert_int_equal(s, HS_MORE);
			else
				assert_int_equal(s, HS_E_ICNT);
		}
	}
}

TESTS
{
	for (size_t i = 0; i < ROWS; i++) {
		if (table[i].direction == BOTH)
			test_add(table[i].name, encodes, &table[i]);
		test_add(table[i].name, decodes, &table[i]);
	}
}
