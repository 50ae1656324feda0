/* Messages beyond N-Trace 1.0: those of vendors, whose fields nobody knows, and those of SiFive
 * encoders (design/nt-vendor).  Bytes by hand: MDO in bits 7:2, MSEO in bits 1:0 (NT 3). */
#include "cases.h"

#include <hartscope/ntrace.h>

#include "ntrace/nt_message.h"
#include "ntrace/nt_reader.h"
#include "ntrace/ntrace.h"
#include "unit/decoders.h"

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

TEST_ROWS(length, lengths, row)
{
	static const uint8_t sync[] = { SYNC_100 };
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
TEST(payload_of_a_vendor_message)
{
	static const uint8_t bytes[] = { 0xe0, 0xad, 0xa8, 0x57 };
	struct hs_span in = { bytes, sizeof bytes };
	uint8_t out[HS_NT_PAYLOAD_MAX];
	struct hs_nt_reader r;
	struct hs_nt_msg m;

	hs_nt_reader_init(&r, 3);
	assert_int_equal(hs_nt_read(&r, &in, &m), HS_OK);
	assert_int_equal(m.src, 3);
	/* MDO after SRC, from bit 3 of 0x2b on: 101; then 0x2a: 010101; then 0x15: 101010 */
	assert_int_equal(hs_nt_reader_payload(&r, out), 15);
	assert_int_equal(out[0], 0x55);
	assert_int_equal(out[1], 0x2b);
}

/* ---- SiFive ------------------------------------------------------------------------ */

/* c.nop four times, c.jr a0 */
static const uint8_t code[] = { 0x01, 0x00, 0x01, 0x00, 0x01, 0x00, 0x01, 0x00, 0x02, 0x85 };
static const struct hs_section section = { 0x100, sizeof code, code };
static const struct hs_image image = { .sections = &section, .count = 1 };

#define NOTE(note, type, more, v) \
	{ .value = (v), .arg = HS_NOTE_##note, .ilast = (more), .itype = (type), \
	  .priv = HS_PRIV_UNKNOWN, .kind = HS_KIND_NOTE }
#define EVENT(k, type, v) \
	{ .value = (v), .itype = (type), .priv = HS_PRIV_UNKNOWN, .kind = HS_KIND_##k }

static const struct more {
	const char *name;
	unsigned skipped, field /* addressBits */, n;
	uint8_t bytes[40];
	struct hs_block want[8];
} mores[] = {
	/* 7; IDTAG 3: 0x0d; DQDATA 0x6f: 101111, 1 */
	{ "data acquisition", 0, 0, 8, { SYNC_100, 0x1c, 0x0d, 0xbc, 0x07 },
	  { EVENT(SYNC, 5, 0x100), NOTE(ACQUISITION, 3, 0, 0x6f) } },
	/* IDTAG 0x1234: 110100, 001000, 1 */
	{ "a tag of 13 bits", 0, 0, 9, { SYNC_100, 0x1c, 0xd0, 0x20, 0x05, 0x07 },
	  { EVENT(SYNC, 5, 0x100), NOTE(ACQUISITION, 0x34, 0x12, 1) } },
	/* 34; CKSRC 14, CKDF 0: 001110; CKDATA 3: the address 0x100 ^ 6 */
	{ "a watchpoint", 0, 0, 7, { SYNC_100, 0x88, 0x38, 0x0f },
	  { EVENT(SYNC, 5, 0x100), NOTE(CIRCUIT, 14, 0, 0x106) } },
	{ "two watchpoints, each against the one before", 0, 0, 10,
	  { SYNC_100, 0x88, 0x38, 0x0f, 0x88, 0x38, 0x07 },
	  { EVENT(SYNC, 5, 0x100), NOTE(CIRCUIT, 14, 0, 0x106), NOTE(CIRCUIT, 14, 0, 0x104) } },
	{ "control with CKDF 0 has no address", 0, 0, 3, { 0x88, 0x00, 0x0f },
	  { NOTE(CIRCUIT, 0, 0, 3) } },
	{ "an address against none", 1, 0, 3, { 0x88, 0x38, 0x0f },
	  { { { 0 }, { 0 }, 0, 0, 0, 0, 0, 0 } } },
	/* CKSRC 0, CKDF 1: 000010; CKDATA 0x80; CKDATA1 2.  Then against it: 3, code 3 */
	{ "control with CKDF 1 has one, full and against the last one", 0, 0, 9,
	  { 0x8c, 0x40, 0x00, 0x09, 0x0b, 0x88, 0x40, 0x0d, 0x0f },
	  { NOTE(CIRCUIT, 0, 1, 0x100), NOTE(CIRCUIT_DATA, 0, 0, 2), NOTE(CIRCUIT, 0, 1, 0x106),
	    NOTE(CIRCUIT_DATA, 0, 0, 3) } },
	{ "control with an address against none", 1, 0, 4, { 0x88, 0x40, 0x0d, 0x0f },
	  { { { 0 }, { 0 }, 0, 0, 0, 0, 0, 0 } } },
	/* IndirectBranch B-TYPE 0 I-CNT 5 U-ADDR 3; EVCODE 0 CDF 0 I-CNT 2 */
	{ "a U-ADDR against control's address", 0, 0, 14,
	  { SYNC_100, 0x88, 0x40, 0x0d, 0x17, 0x10, 0x51, 0x0f, 0x84, 0x00, 0x0b },
	  { EVENT(SYNC, 5, 0x100), NOTE(CIRCUIT, 0, 1, 0x106), NOTE(CIRCUIT_DATA, 0, 0, 5),
	    { .iaddr = 0x100, .iretire = 5, .ilast = 1, .itype = 14, .priv = HS_PRIV_UNKNOWN },
	    { .iaddr = 0x100, .iretire = 2, .ilast = 1, .priv = HS_PRIV_UNKNOWN },
	    EVENT(STOP, 0, 0) } },
	{ "a U-ADDR after control without one", 0, 0, 13,
	  { SYNC_100, 0x88, 0x00, 0x17, 0x10, 0x51, 0x0f, 0x84, 0x00, 0x07 },
	  { EVENT(SYNC, 5, 0x100), NOTE(CIRCUIT, 0, 0, 5),
	    { .iaddr = 0x100, .iretire = 5, .ilast = 1, .itype = 14, .priv = HS_PRIV_UNKNOWN },
	    { .iaddr = 0x106, .iretire = 1, .ilast = 1, .priv = HS_PRIV_UNKNOWN },
	    EVENT(STOP, 0, 0) } },
	/* CKSRC 12, CKDF 1: 001110; four counts of 16 bits in each, 1, 2, 3, 4 and 5, 6, 7, 0xffff:
	   the watchpoint after them is against 0x100 still */
	{ "performance counters have no address", 0, 0, 29,
	  { SYNC_100, 0x88, 0x70, 0x04, 0x00, 0x80, 0x00, 0x00, 0x30, 0x00, 0x00, 0x11, 0x14, 0x00,
	    0x80, 0x04, 0x00, 0x70, 0x00, 0x00, 0xfc, 0xfc, 0x3f, 0x88, 0x38, 0x0f },
	  { EVENT(SYNC, 5, 0x100), NOTE(CIRCUIT, 12, 1, 0x0004000300020001),
	    NOTE(CIRCUIT_DATA, 12, 0, 0xffff000700060005), NOTE(CIRCUIT, 14, 0, 0x106) } },
	{ "performance counters need none", 0, 0, 4, { 0x88, 0x70, 0x05, 0x0b },
	  { NOTE(CIRCUIT, 12, 1, 1), NOTE(CIRCUIT_DATA, 12, 0, 2) } },
	/* 35: CKSRC 14 at 0x100; IndirectBranch U-ADDR 3, of a flow that did not begin; 34 */
	{ "a U-ADDR that is not followed moves the reference", 1, 0, 10,
	  { 0x8c, 0x38, 0x00, 0x0b, 0x10, 0x51, 0x0f, 0x88, 0x38, 0x0f },
	  { NOTE(CIRCUIT, 14, 0, 0x100), NOTE(CIRCUIT, 14, 0, 0x100) } },
	/* RepeatBranch of what is not known */
	{ "after a repeat that is not followed there is none", 2, 0, 10,
	  { 0x8c, 0x38, 0x00, 0x0b, 0x78, 0x0b, 0xff, 0x88, 0x38, 0x0f },
	  { NOTE(CIRCUIT, 14, 0, 0x100) } },
	{ "a reserved CKSRC may have moved it", 2, 0, 10,
	  { 0x8c, 0x38, 0x00, 0x0b, 0x88, 0x04, 0x0f, 0x88, 0x38, 0x0f },
	  { NOTE(CIRCUIT, 14, 0, 0x100) } },
	/* a field of 38 bits: 0x3fc0000080, twice 0x7fffffffc0000080 */
	{ "addressBits: a full address", 0, 38, 9,
	  { 0x8c, 0x38, 0x00, 0x08, 0x00, 0x00, 0x00, 0xfc, 0x0f },
	  { NOTE(CIRCUIT, 14, 0, 0xffffffff80000100) } },
	/* CKDATA 1; CKDATA1 0x3fc0000881: 0xffffffff80000102 against 0x1000 */
	{ "addressBits: a call from one half to the other", 0, 38, 19,
	  { 0x8c, 0x38, 0x00, 0x08, 0x00, 0x00, 0x00, 0xfc, 0x0f, 0x88, 0x64, 0x05, 0x04, 0x88,
	    0x00, 0x00, 0x00, 0xfc, 0x0f },
	  { NOTE(CIRCUIT, 14, 0, 0xffffffff80000100), NOTE(CIRCUIT, 9, 1, 0xffffffff80000102),
	    NOTE(CIRCUIT_DATA, 9, 0, 0x1000) } },
	/* the top bit of no address is extended */
	{ "addressBits: data stay as they are", 0, 38, 9,
	  { 0x88, 0x30, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x0b },
	  { NOTE(CIRCUIT, 12, 0, 2ull << 36) } },
	/* 35; CKSRC 10, CKDF 1: 011010; CKDATA 0x81: 000001, 10; CKDATA1 2; TSTAMP 77 */
	{ "an exception, with its time", 0, 0, 7, { 0x8c, 0x68, 0x04, 0x09, 0x09, 0x34, 0x07 },
	  { NOTE(CIRCUIT, 10, 1, 0x102), NOTE(CIRCUIT_DATA, 10, 0, 2) } },
	/* CKSRC 9, CKDF 1: 011001: a call at 0x100 of 0x104 */
	{ "a call and where it leads", 0, 0, 5, { 0x8c, 0x64, 0x00, 0x09, 0x0b },
	  { NOTE(CIRCUIT, 9, 1, 0x100), NOTE(CIRCUIT_DATA, 9, 0, 0x104) } },
	/* SYNC 15: 1111 and I-CNT 0: 0x3d; twice: no way leads from one to the other */
	{ "samples of the PC", 0, 0, 8, { 0x24, 0x3d, 0x00, 0x0b, 0x24, 0x3d, 0x0c, 0x0b },
	  { EVENT(SYNC, 15, 0x100), EVENT(SYNC, 15, 0x106) } },
	/* 0x106 ^ 6 */
	{ "an address against a sample's", 0, 0, 7, { 0x24, 0x3d, 0x0c, 0x0b, 0x88, 0x38, 0x0f },
	  { EVENT(SYNC, 15, 0x106), NOTE(CIRCUIT, 14, 0, 0x100) } },
	{ "a sample inside a flow", 0, 0, 12,
	  { SYNC_100, 0x24, 0x3d, 0x0c, 0x0b, 0x84, 0x00, 0x0b },
	  { EVENT(SYNC, 5, 0x100), EVENT(SYNC, 15, 0x106),
	    { .iaddr = 0x100, .iretire = 2, .ilast = 1, .priv = HS_PRIV_UNKNOWN },
	    EVENT(STOP, 0, 0) } },
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
	const struct hs_nt_config config = { .size = sizeof config, .dialect = (uint8_t)dialect,
		                             .address_bits = row->field };
	const unsigned want = count(row->want, 8);
	struct hs_block out[64];
	size_t n, seen = 0;
	struct hs_nt_decoder *d = nt_decoder(&config, &image);

	for (size_t at = 0; at < row->n; at += piece) {
		struct hs_span in = { row->bytes + at, row->n - at < piece ? row->n - at : piece };

		assert_int_equal(hs_nt_decoder_next(d, &in, out, 64, &n), HS_MORE);
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
		assert_int_equal(hs_nt_decoder_stats(d)->skipped, row->skipped);
	}
}

TEST_ROWS(more, mores, row)
{
	decode(row, HS_NT_DIALECT_SIFIVE, row->n);
	decode(row, HS_NT_DIALECT_SIFIVE, 1);
}

/* What an encoder sends of events alone: the rows that begin with a full address, or have none. */
TEST_ROWS(encode, mores, row)
{
	const struct hs_nt_config config = { .size = sizeof config, .dialect = HS_NT_DIALECT_SIFIVE,
		                             .address_bits = row->field };
	const unsigned n = count(row->want, 8);
	struct hs_nt_encoder e;
	uint8_t out[1024];
	size_t used, len;

	if (row->skipped || row->want[0].kind != HS_KIND_NOTE || strstr(row->name, "time"))
		return; /* what an encoder does not send, or not without a block */
	assert_int_equal(hs_nt_encoder_init(&e, &config), HS_OK);
	assert_int_equal(hs_nt_encode(&e, row->want, n, &used, out, sizeof out, &len), HS_OK);
	assert_int_equal(used, n);
	assert_int_equal(len, row->n);
	assert_memory_equal(out, row->bytes, len);
}

/* Elsewhere the same TCODE is reserved. */
TEST(names_of_messages_elsewhere)
{
	enum hs_nt_field fields[HS_NTF_COUNT];

	assert_string_equal(hs_nt_msg_name(7), "Reserved");
	assert_string_equal(hs_nt_dialect_msg_name(HS_NT_DIALECT_V1_0, 34), "Reserved");
	assert_string_equal(hs_nt_dialect_msg_name(HS_NT_DIALECT_SIFIVE, 34), "InCircuitTrace");
	assert_string_equal(hs_nt_dialect_msg_name(HS_NT_DIALECT_SIFIVE, 9), "ProgTraceSync");
	assert_int_equal(hs_nt_dialect_msg_fields(HS_NT_DIALECT_SIFIVE, 7, fields), 3);
	assert_int_equal(hs_nt_msg_fields(7, fields), 0);
	decode(&mores[0], HS_NT_DIALECT_RC7, mores[0].n);
}
