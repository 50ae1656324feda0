/* Messages beyond N-Trace 1.0: those of vendors, whose fields nobody knows, and those of SiFive
 * encoders (ADR-0062).  Bytes by hand: MDO in bits 7:2, MSEO in bits 1:0 (NT 3). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <hartscope/ntrace.h>

#define SYNC_100 0x24, 0x15, 0x00, 0x0b /* ProgTraceSync SYNC=5 I-CNT=0 F-ADDR=0x80 */

/* ---- length ------------------------------------------------------------------------ */

static const struct length {
	const char *name;
	uint8_t tcode;
	size_t n;
	enum hs_status status;
} lengths[] = {
	{ "vendor, 39 bytes: more than NT 3 computes", 56, 39, HS_OK },
	{ "vendor, 72 bytes", 60, 72, HS_OK },
	{ "vendor, more than is kept", 62, 3000, HS_OK },
	{ "vendor, as long as it may be", 56, HS_NT_VENDOR_MAX, HS_OK },
	{ "vendor, one more", 56, HS_NT_VENDOR_MAX + 1, HS_E_LONG },
	{ "reserved, 64 bytes", 63, 64, HS_OK },
	{ "reserved, 65 bytes", 63, 65, HS_E_LONG },
	{ "not a vendor's, 65 bytes", 55, 65, HS_E_LONG },
};

/* The message, then a ProgTraceSync, given in pieces. */
static void read_pieces(const struct length *row, const uint8_t *bytes, size_t n, size_t piece)
{
	struct hs_nt_reader r;
	struct hs_nt_msg m;
	enum hs_status s[2] = { HS_MORE, HS_MORE };
	unsigned seen = 0;

	hs_nt_reader_init(&r, 0);
	for (size_t at = 0; at < n; at += piece) {
		struct hs_span in = { bytes + at, n - at < piece ? n - at : piece };

		for (;;) {
			const enum hs_status got = hs_nt_read(&r, &in, &m);

			if (got == HS_MORE)
				break;
			assert_true(seen < 2);
			if (seen == 0 && got == HS_OK) {
				assert_int_equal(m.length, row->n);
				assert_int_equal(m.tcode, row->tcode);
				assert_false(m.known);
			}
			s[seen++] = got;
		}
	}
	assert_int_equal(seen, 2);
	assert_int_equal(s[0], row->status);
	assert_int_equal(s[1], HS_OK);
	assert_int_equal(m.offset, row->n);
	assert_int_equal(m.field[HS_NTF_FADDR], 0x80);
	assert_int_equal(hs_nt_reader_end(&r), HS_OK);
}

static void length(void **state)
{
	static const uint8_t sync[] = { SYNC_100 };
	const struct length *row = *state;
	const size_t n = row->n + sizeof sync;
	uint8_t *bytes = malloc(n);

	assert_non_null(bytes);
	memset(bytes, 0x04, row->n);
	bytes[0] = (uint8_t)(row->tcode << 2);
	bytes[row->n - 1] = 0x07;
	memcpy(bytes + row->n, sync, sizeof sync);
	read_pieces(row, bytes, n, n);
	read_pieces(row, bytes, n, 1);
	read_pieces(row, bytes, n, 61);
	free(bytes);
}

/* ---- payload ----------------------------------------------------------------------- */

/* TCODE 56 after 3 bits of SRC 5; then 010101 in two MDO, a field of 6 bits and one of 12. */
static void payload(void **state)
{
	static const uint8_t bytes[] = { 0xe0, 0xad, 0xa8, 0x57 };
	struct hs_span in = { bytes, sizeof bytes };
	uint8_t out[HS_NT_PAYLOAD_MAX];
	struct hs_nt_reader r;
	struct hs_nt_msg m;

	(void)state;
	hs_nt_reader_init(&r, 3);
	assert_int_equal(hs_nt_read(&r, &in, &m), HS_OK);
	assert_int_equal(m.src, 3);
	/* MDO after SRC, from bit 3 of 0x2b on: 101; then 0x2a: 010101; then 0x15: 101010 */
	assert_int_equal(hs_nt_reader_payload(&r, out), 15);
	assert_int_equal(out[0], 0x55);
	assert_int_equal(out[1], 0x2b);
}

/* ---- SiFive ------------------------------------------------------------------------ */

static const uint8_t code[] = { 0x01, 0x00, 0x01, 0x00, 0x01, 0x00, 0x01, 0x00 }; /* c.nop */
static const struct hs_section section = { 0x100, sizeof code, code };
static const struct hs_image image = { .sections = &section, .count = 1 };

#define NOTE(note, type, more, v) \
	{ .value = (v), .arg = HS_NOTE_##note, .ilast = (more), .itype = (type), \
	  .priv = HS_PRIV_UNKNOWN, .kind = HS_KIND_NOTE }
#define EVENT(k, type, v) \
	{ .value = (v), .itype = (type), .priv = HS_PRIV_UNKNOWN, .kind = HS_KIND_##k }

static const struct more {
	const char *name;
	unsigned n;
	uint8_t bytes[24];
	struct hs_block want[5];
	uint64_t skipped;
} mores[] = {
	/* 7; IDTAG 3: 0x0d; DQDATA 0x6f: 101111, 1 */
	{ "data acquisition", 8, { SYNC_100, 0x1c, 0x0d, 0xbc, 0x07 },
	  { EVENT(SYNC, 5, 0x100), NOTE(ACQUISITION, 3, 0, 0x6f) }, 0 },
	/* IDTAG 0x1234: 110100, 001000, 1 */
	{ "a tag of 13 bits", 9, { SYNC_100, 0x1c, 0xd0, 0x20, 0x05, 0x07 },
	  { EVENT(SYNC, 5, 0x100), NOTE(ACQUISITION, 0x34, 0x12, 1) }, 0 },
	/* 34; CKSRC 14, CKDF 0: 001110; CKDATA 3: the address 0x100 ^ 6 */
	{ "a watchpoint", 7, { SYNC_100, 0x88, 0x38, 0x0f },
	  { EVENT(SYNC, 5, 0x100), NOTE(CIRCUIT, 14, 0, 0x106) }, 0 },
	{ "two watchpoints, each against the one before", 10,
	  { SYNC_100, 0x88, 0x38, 0x0f, 0x88, 0x38, 0x07 },
	  { EVENT(SYNC, 5, 0x100), NOTE(CIRCUIT, 14, 0, 0x106), NOTE(CIRCUIT, 14, 0, 0x104) },
	  0 },
	{ "control has no address", 3, { 0x88, 0x00, 0x0f }, { NOTE(CIRCUIT, 0, 0, 3) }, 0 },
	{ "an address against none", 3, { 0x88, 0x38, 0x0f }, { { { 0 }, { 0 }, 0, 0, 0, 0, 0, 0 } },
	  1 },
	/* 35; CKSRC 10, CKDF 1: 011010; CKDATA 0x81: 000001, 10; CKDATA1 2; TSTAMP 77 */
	{ "an exception, with its time", 7, { 0x8c, 0x68, 0x04, 0x09, 0x09, 0x34, 0x07 },
	  { NOTE(CIRCUIT, 10, 1, 0x102), NOTE(CIRCUIT_DATA, 10, 0, 2) }, 0 },
	/* CKSRC 9, CKDF 1: 011001: a call at 0x100 of 0x104 */
	{ "a call and where it leads", 6, { 0x8c, 0x64, 0x00, 0x09, 0x0b },
	  { NOTE(CIRCUIT, 9, 1, 0x100), NOTE(CIRCUIT_DATA, 9, 0, 0x104) }, 0 },
	/* SYNC 15: 1111 and I-CNT 0: 0x3d; twice: no way leads from one to the other */
	{ "samples of the PC", 8, { 0x24, 0x3d, 0x00, 0x0b, 0x24, 0x3d, 0x0c, 0x0b },
	  { EVENT(SYNC, 15, 0x100), EVENT(SYNC, 15, 0x106) }, 0 },
	/* 0x106 ^ 6 */
	{ "an address against a sample's", 7, { 0x24, 0x3d, 0x0c, 0x0b, 0x88, 0x38, 0x0f },
	  { EVENT(SYNC, 15, 0x106), NOTE(CIRCUIT, 14, 0, 0x100) }, 0 },
	{ "a sample inside a flow", 12, { SYNC_100, 0x24, 0x3d, 0x0c, 0x0b, 0x84, 0x00, 0x0b },
	  { EVENT(SYNC, 5, 0x100), EVENT(SYNC, 15, 0x106),
	    { .iaddr = 0x100, .iretire = 2, .ilast = 1, .priv = HS_PRIV_UNKNOWN },
	    EVENT(STOP, 0, 0) }, 0 },
};

static unsigned count(const struct hs_block *b, unsigned most)
{
	static const struct hs_block none;
	unsigned n = 0;

	while (n < most && memcmp(&b[n], &none, sizeof none) != 0)
		n++;
	return n;
}

static void decode(const struct more *row, unsigned dialect, size_t piece)
{
	const struct hs_nt_config config = { .size = sizeof config, .dialect = (uint8_t)dialect };
	const unsigned want = count(row->want, 5);
	uint64_t memory[4096];
	struct hs_bb_table table;
	struct hs_nt_source source;
	struct hs_nt_decoder d;
	struct hs_block out[64];
	size_t n, seen = 0;

	assert_int_equal(hs_bb_init(&table, &image, memory, 64), HS_OK);
	assert_int_equal(hs_nt_decoder_init(&d, &config, &table, &source, 1), HS_OK);
	for (size_t at = 0; at < row->n; at += piece) {
		struct hs_span in = { row->bytes + at, row->n - at < piece ? row->n - at : piece };

		assert_int_equal(hs_nt_decoder_next(&d, &in, out, 64, &n), HS_MORE);
		for (size_t i = 0; i < n; i++) {
			if (out[i].kind == HS_KIND_TIME)
				continue;
			if (dialect != HS_NT_DIALECT_SIFIVE) {
				assert_true(out[i].kind != HS_KIND_NOTE);
				continue;
			}
			assert_true(seen < want);
			assert_true(hs_block_equal(&out[i], &row->want[seen++]));
		}
	}
	if (dialect == HS_NT_DIALECT_SIFIVE) {
		assert_int_equal(seen, want);
		assert_int_equal(hs_nt_decoder_stats(&d)->skipped, row->skipped);
	}
}

static void more(void **state)
{
	const struct more *row = *state;

	decode(row, HS_NT_DIALECT_SIFIVE, row->n);
	decode(row, HS_NT_DIALECT_SIFIVE, 1);
}

/* Elsewhere the same TCODE is reserved. */
static void names(void **state)
{
	enum hs_nt_field fields[HS_NTF_COUNT];

	(void)state;
	assert_string_equal(hs_nt_msg_name(7), "Reserved");
	assert_string_equal(hs_nt_dialect_msg_name(HS_NT_DIALECT_V1_0, 34), "Reserved");
	assert_string_equal(hs_nt_dialect_msg_name(HS_NT_DIALECT_SIFIVE, 34), "InCircuitTrace");
	assert_string_equal(hs_nt_dialect_msg_name(HS_NT_DIALECT_SIFIVE, 9), "ProgTraceSync");
	assert_int_equal(hs_nt_dialect_msg_fields(HS_NT_DIALECT_SIFIVE, 7, fields), 3);
	assert_int_equal(hs_nt_msg_fields(7, fields), 0);
	decode(&mores[0], HS_NT_DIALECT_RC7, mores[0].n);
}

#define LENGTHS (sizeof lengths / sizeof *lengths)
#define MORES (sizeof mores / sizeof *mores)

int main(void)
{
	struct CMUnitTest tests[LENGTHS + MORES + 2] = { cmocka_unit_test(payload),
		                                         cmocka_unit_test(names) };

	for (size_t i = 0; i < LENGTHS; i++)
		tests[2 + i] = (struct CMUnitTest){ lengths[i].name, length, NULL, NULL,
			                            (void *)(uintptr_t)&lengths[i] };
	for (size_t i = 0; i < MORES; i++)
		tests[2 + LENGTHS + i] = (struct CMUnitTest){ mores[i].name, more, NULL, NULL,
			                                      (void *)(uintptr_t)&mores[i] };
	return cmocka_run_group_tests_name("ntrace_more", tests, NULL, NULL);
}
