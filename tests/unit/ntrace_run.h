/* Rows of options and their run in both directions: what the encoder is given, the bytes, and what
 * the decoder makes of them.
 *
 * Bytes are worked out by hand: MDO in bits 7:2, MSEO in bits 1:0 (NT 3). */
#ifndef TESTS_NTRACE_RUN_H
#define TESTS_NTRACE_RUN_H

#include "ntrace/ntrace.h"
#include "unit/ntrace_rows.h"
#include "unit/decoders.h"

/* Calls, returns, a pair, a branch; as objdump shows it. */
static const uint8_t calls_100[] = {
	0xef, 0x00, 0x00, 0x10, /* 100 jal ra, 200 */
	0x13, 0x05, 0x05, 0x00, /* 104 addi */
	0xef, 0x00, 0x00, 0x10, /* 108 jal ra, 208 */
	0x13, 0x05, 0x05, 0x00, /* 10c addi */
	0x6f, 0x00, 0x00, 0x1f, /* 110 jal x0, 300 */
};
static const uint8_t calls_200[] = {
	0x13, 0x05, 0x05, 0x00, /* 200 addi */
	0x67, 0x80, 0x00, 0x00, /* 204 ret */
	0xef, 0x02, 0x80, 0x00, /* 208 jal t0, 210 */
	0x67, 0x80, 0x00, 0x00, /* 20c ret */
	0x67, 0x80, 0x02, 0x00, /* 210 jr t0 */
};
static const uint8_t calls_300[] = {
	0x17, 0x03, 0x00, 0x00, /* 300 auipc t1, 0 */
	0x67, 0x00, 0x03, 0x02, /* 304 jr 32(t1): to 320 */
};
static const uint8_t calls_320[] = {
	0x13, 0x05, 0x05, 0x00, /* 320 addi */
	0x63, 0x04, 0x00, 0x00, /* 324 beq x0, x0, 32c */
	0x13, 0x05, 0x05, 0x00, /* 328 addi */
	0x73, 0x00, 0x20, 0x30, /* 32c mret */
};
static const struct hs_section calls_sections[] = {
	{ 0x100, sizeof calls_100, calls_100 }, { 0x200, sizeof calls_200, calls_200 },
	{ 0x300, sizeof calls_300, calls_300 }, { 0x320, sizeof calls_320, calls_320 },
};
static const struct hs_image calls = { calls_sections, 4, { .xlen = 64 }, 0 };

/* NT 10.1: XYZ is custom-0. */
static const uint8_t xyz_100[] = {
	0x33, 0x05, 0xb5, 0x00, /* 100 add */
	0x0b, 0x00, 0x00, 0x00, /* 104 XYZ */
	0x2e, 0x95, 0x02, 0x90, /* 108 c.add, 10a c.ebreak */
};
static const uint8_t xyz_200[] = { 0x2e, 0x95, 0x02, 0x90 };
static const struct hs_section xyz_sections[] = {
	{ 0x100, sizeof xyz_100, xyz_100 }, { 0x200, sizeof xyz_200, xyz_200 },
};
static const struct hs_custom xyz_custom = { 0x7f, 0x0b };
static const struct hs_image xyz = { xyz_sections, 2,
                                     { .xlen = 64, .custom_count = 1, .custom = &xyz_custom }, 0 };

/* 8.4.4 of the ratified text. */
static const uint8_t ratified_100[] = {
	0x2e, 0x95, 0x63, 0x0f, 0xb5, 0x0e,             /* 100 c.add, 102 beq 200 */
	0x33, 0x05, 0xb5, 0x00, 0x33, 0x05, 0xb5, 0x00, /* 106 10a add */
	0x33, 0x05, 0xb5, 0x00, 0x33, 0x05, 0xb5, 0x00, /* 10e 112 */
	0x33, 0x05, 0xb5, 0x00, 0x2e, 0x95, 0x02, 0x90, /* 116, 11a c.add, 11c c.ebreak */
};
static const struct hs_section ratified_sections[] =
	{ { 0x100, sizeof ratified_100, ratified_100 } };
static const struct hs_image ratified = { ratified_sections, 1, { .xlen = 64 }, 0 };

/* Two branches: the first is not taken, the second leads back to it (NT 9.3). */
static const uint8_t pattern_100[] = { 0x63, 0x04, 0x00, 0x00, 0xe3, 0x0e, 0x00, 0xfe };
static const struct hs_section pattern_sections[] = { { 0x100, sizeof pattern_100, pattern_100 } };
static const struct hs_image pattern = { pattern_sections, 1, { .xlen = 64 }, 0 };

#define PAIR(a, n, last, type) { { (a) }, { (n) }, (last), (type), HS_PRIV_UNKNOWN, 1, \
	0, HS_KIND_BLOCK }
#define TIME(t) { { (t) }, { 0 }, 0, 0, HS_PRIV_UNKNOWN, 0, 0, HS_KIND_TIME }
#define AMBIGUOUS(a) { { (a) }, { HS_NOTE_AMBIGUOUS }, 0, 0, HS_PRIV_UNKNOWN, 0, 0, HS_KIND_NOTE }
#define LOST { { 0 }, { HS_E_LOST }, 0, 0, 0, 0, 0, HS_KIND_GAP }

/* The whole program, and what it comes to. */
#define TO_RETURN  B(0x100, 2, 2, 9), B(0x200, 4, 2, 13)
#define FROM_104   B(0x104, 4, 2, 9), B(0x208, 2, 2, 9), B(0x210, 2, 2, 13), B(0x20c, 2, 2, 13)
#define FROM_10C   B(0x10c, 4, 2, 15), PAIR(0x300, 4, 2, 14), B(0x320, 4, 2, 5), B(0x32c, 2, 2, 3)

enum { BOTH, ENCODE, DECODE };

struct option_row {
	const char *name;
	const struct hs_image *program;
	uint8_t direction;
	struct hs_nt_config c;
	struct hs_block items[16];
	uint8_t n, bytes[48];
};

static inline struct hs_nt_config config_of(const struct option_row *row)
{
	struct hs_nt_config c = row->c;

	c.size = sizeof c;
	return c;
}

static inline size_t count_items(const struct option_row *row)
{
	size_t n = 0;

	while (n < 16 && (row->items[n].value || row->items[n].arg || row->items[n].kind))
		n++;
	return n;
}

/* What the encoder is given: all but the synchronisation and the stop that it makes itself. */
static inline size_t input_of(const struct option_row *row, struct hs_block *out)
{
	const size_t items = count_items(row);
	const unsigned first = row->c.start_sync ? row->c.start_sync : 5;
	size_t last = items, n = 0;

	while (last && row->items[last - 1].kind != HS_KIND_STOP)
		last--;
	for (size_t i = 0; i < items; i++) {
		const struct hs_block *b = &row->items[i];

		if (i + 1 == last && b->kind == HS_KIND_STOP && n &&
		    out[n - 1].kind != HS_KIND_STOP)
			continue;
		if (b->kind != HS_KIND_SYNC || b->itype != first)
			out[n++] = *b;
	}
	return n;
}

static inline void encodes(void **state)
{
	const struct option_row *row = *state;
	const struct hs_nt_config c = config_of(row);
	struct hs_block in[16];
	const size_t n = input_of(row, in);
	uint8_t bytes[2048];
	struct hs_nt_encoder e;
	size_t used, len, end;

	assert_int_equal(hs_nt_encoder_init(&e, &c), HS_OK);
	assert_int_equal(hs_nt_encode(&e, in, n, &used, bytes, sizeof bytes, &len), HS_OK);
	assert_int_equal(used, n);
	assert_int_equal(hs_nt_encode_end(&e, bytes + len, sizeof bytes - len, &end), HS_OK);
	for (size_t i = 0; i < len + end && i < row->n; i++)
		if (bytes[i] != row->bytes[i])
			fail_msg("byte %zu: %02x, not %02x", i, bytes[i], row->bytes[i]);
	assert_int_equal(len + end, row->n);
}

static inline void decodes(void **state)
{
	const struct option_row *row = *state;
	const struct hs_nt_config c = config_of(row);
	struct hs_span in = { row->bytes, row->n };
	struct hs_block out[64];
	size_t n, more;
	struct hs_nt_decoder *d = nt_decoder(&c, row->program);
	enum hs_status s = hs_nt_decoder_next(d, &in, out, 64, &n);
	while (s != HS_MORE) {
		assert_int_equal(s, HS_E_LOST);
		s = hs_nt_decoder_next(d, &in, out + n, 64 - n, &more);
		n += more;
	}
	assert_int_equal(hs_nt_decoder_end(d, out + n, 64 - n, &more), HS_OK);
	n += more;
	for (size_t i = 0; i < n && i < count_items(row); i++) {
		const struct hs_block *w = &row->items[i], *g = &out[i];

		if (w->kind != g->kind || w->value != g->value || w->arg != g->arg ||
		    w->itype != g->itype ||
		    w->ilast != g->ilast || w->sijump != g->sijump ||
		    ((w->kind == HS_KIND_CONTEXT || w->kind == HS_KIND_BLOCK) &&
		     w->priv != g->priv))
			fail_msg("item %zu: %s %llx+%u itype %u, not %s %llx+%u itype %u", i,
			         hs_kind_name(g->kind), (unsigned long long)g->value, g->arg,
			         g->itype,
			         hs_kind_name(w->kind), (unsigned long long)w->value, w->arg,
			         w->itype);
	}
	assert_int_equal(n, count_items(row));
}

/* Cases for each row: a direction each. */
#define OPTION_ROWS(rows) \
	TESTS \
	{ \
		for (const struct option_row *row = rows; row < rows + COUNT_OF(rows); row++) { \
			if (row->direction != DECODE) \
				test_add(row->name, encodes, row); \
			if (row->direction != ENCODE) \
				test_add(row->name, decodes, row); \
		} \
	}

#define PATTERN_BLOCKS 1001

/* So many blocks of the loop of two branches, there and back.  @return bytes of the trace. */
static inline size_t run_pattern(const struct hs_nt_config *c, size_t blocks, uint8_t *bytes,
                                 size_t cap, struct hs_nt_counts *counts)
{
	static const struct hs_block pair[] = { B(0x100, 2, 2, 4), B(0x104, 2, 2, 5) };
	static struct hs_block in[PATTERN_BLOCKS], out[PATTERN_BLOCKS + 100];
	struct hs_nt_encoder e;
	size_t used, len, end, n;

	for (size_t i = 0; i < blocks; i++)
		in[i] = pair[i % 2];
	assert_int_equal(hs_nt_encoder_init(&e, c), HS_OK);
	assert_int_equal(hs_nt_encode(&e, in, blocks, &used, bytes, cap, &len), HS_OK);
	assert_int_equal(hs_nt_encode_end(&e, bytes + len, cap - len, &end), HS_OK);
	*counts = *hs_nt_encoder_stats(&e);
	struct hs_span trace = { bytes, len + end };
	struct hs_nt_decoder *d = nt_decoder(c, &pattern);

	assert_int_equal(hs_nt_decoder_next(d, &trace, out, blocks + 100, &n), HS_MORE);
	assert_int_equal(n, blocks + 2); /* SYNC and STOP */
	for (size_t i = 0; i < blocks; i++)
		assert_true(hs_block_equal(&in[i], &out[i + 1]));
	return len + end;
}

#endif
