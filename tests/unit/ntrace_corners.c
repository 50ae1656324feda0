/* Corners of N-Trace that a mutated encoder or decoder got past the other tests: limits of fields,
 * intervals of synchronisation, what is counted, and what is reported while nothing is followed. */
#include "cases.h"

#include "ntrace/nt_message.h"
#include "ntrace/nt_reader.h"
#include "ntrace/ntrace.h"
#include "unit/ntrace_run.h"
#include "unit/decoders.h"

static const struct option_row corners[] = {
	/* trTeInstSyncMax: each 2^(n+4) units; "the internal counter should be reset" by others */
	{ "a synchronisation each 32 cycles", &calls, ENCODE,
	  { .sync_mode = HS_NT_SYNC_CYCLES, .sync_max = 1 },
	  { TIME(5), B(0x100, 2, 2, 9), TIME(36), B(0x200, 2, 2, 0), TIME(37), B(0x204, 2, 2, 0),
	    STOP(0) },
	  14, { SYNC_100, 0x74, 0x08, 0x11, 0x08, 0x11, 0x07, 0x84, 0x40, 0x09, 0x07 } },
	{ "a trigger starts the interval again", &calls, ENCODE,
	  { .sync_mode = HS_NT_SYNC_CYCLES, .inst_mode = HS_NT_BTM },
	  { TIME(5), B(0x100, 2, 2, 9), TIME(20), SYNC(6, 0), B(0x200, 2, 2, 0), TIME(35),
	    B(0x204, 2, 2, 0), STOP(0) },
	  11, { SYNC_100, 0x24, 0x99, 0x00, 0x13, 0x84, 0x00, 0x13 } },
	/* NT 9.3: HREPEAT of 2 bits counts to 3; a history that came once has RCODE 1 */
	{ "HREPEAT counts to its limit", &loop, BOTH,
	  { .repeated_history = 1, .hist_bits = 1, .hrepeat_bits = 2 },
	  { S100, B(0x100, 2, 2, 5), B(0x100, 2, 2, 5), B(0x100, 2, 2, 5), B(0x100, 2, 2, 5),
	    B(0x100, 2, 2, 5), STOP(0) },
	  13, { SYNC_100, 0x6c, 0xc9, 0x0f, 0x6c, 0xc7, 0x84, 0x40, 0x29, 0x0f } },
	/* Reserved: RCODE 5 with RDATA 1 */
	{ "an RCODE that is reserved says nothing", &loop, DECODE,
	  { .repeated_history = 1, .hist_bits = 1, .hrepeat_bits = 2 },
	  { S100, B(0x100, 2, 2, 5), B(0x100, 2, 2, 5), B(0x100, 2, 2, 5), B(0x100, 2, 2, 5),
	    B(0x100, 2, 2, 5), STOP(0) },
	  15, { SYNC_100, 0x6c, 0x57, 0x6c, 0xc9, 0x0f, 0x6c, 0xc7, 0x84, 0x40, 0x29, 0x0f } },
	/* NT 8.4.4: SYNC 4 in HTM only when HIST has something */
	{ "I-CNT full and HIST empty: ResourceFull", &ratified, ENCODE,
	  { .icnt_bits = 4, .icnt_full = HS_NT_ICNT_SYNC },
	  { SYNC(5, 0x106), B(0x106, 8, 2, 0), STOP(0) },
	  11, { 0x24, 0x15, 0x0c, 0x0b, 0x6c, 0x00, 0x0b, 0x84, 0x40, 0x01, 0x07 } },
	/* Table 4 */
	{ "itype 10", &calls, ENCODE, { 0 },
	  { S100, B(0x100, 2, 2, 10), B(0x200, 4, 2, 0), STOP(0) },
	  12, { SYNC_100, 0x10, 0x21, 0x00, 0x1b, 0x84, 0x40, 0x11, 0x07 } },
	/* NT 7.11: equal messages to other targets are not repeated */
	{ "equal U-ADDR, not 0: no RepeatBranch", &calls, ENCODE,
	  { .inst_mode = HS_NT_BTM, .repeat_branch = 1 },
	  { SYNC(5, 0x20c), B(0x20c, 2, 2, 13), B(0x210, 2, 2, 13), B(0x20c, 2, 2, 0), STOP(0) },
	  13, { 0x24, 0x15, 0x18, 0x13, 0x10, 0x21, 0x3b, 0x10, 0x21, 0x3b, 0x84, 0x00, 0x0b } },
	{ "another B-TYPE: no RepeatBranch", &loop, ENCODE,
	  { .inst_mode = HS_NT_BTM, .repeat_branch = 1 },
	  { S100, B(0x100, 2, 2, 14), B(0x100, 2, 2, 2), B(0x100, 2, 2, 0), STOP(0) },
	  13, { SYNC_100, 0x10, 0x21, 0x03, 0x10, 0x2d, 0x03, 0x84, 0x00, 0x0b } },
	/* trTeInhibitSrc */
	{ "SRC is inhibited", &calls, BOTH, { .src_bits = 3, .inhibit_src = 1 },
	  { S100, B(0x100, 2, 2, 9), STOP(0) }, 8, { SYNC_100, 0x84, 0x40, 0x09, 0x07 } },
	/* Table 25: SYNC of the first message only */
	{ "a restart does not have the first message's SYNC", &calls, ENCODE, { .start_sync = 3 },
	  { SYNC(3, 0x100), B(0x100, 2, 2, 9), STOP(4), B(0x200, 4, 2, 13), STOP(0) },
	  16, { 0x24, 0x0d, 0x00, 0x0b, 0x84, 0x50, 0x09, 0x07, 0x24, 0x15, 0x00, 0x13, 0x84, 0x40,
	        0x11, 0x07 } },
	{ "power-up while on", &calls, DECODE, { 0 },
	  { S100, B(0x100, 2, 2, 9), SYNC(9, 0x104), B(0x104, 2, 2, 0), STOP(0) },
	  12, { SYNC_100, 0x24, 0xa5, 0x08, 0x0b, 0x84, 0x40, 0x09, 0x07 } },
	{ "restart from an overrun, and no Error before it", &calls, DECODE, { 0 },
	  { S100, GAP(4, HS_E_LOST), SYNC(7, 0x104), B(0x104, 4, 2, 9), STOP(0) },
	  12, { SYNC_100, 0x24, 0x1d, 0x08, 0x0b, 0x84, 0x40, 0x11, 0x07 } },
	{ "Error while nothing is followed", &calls, DECODE, { 0 },
	  { S100, B(0x100, 2, 2, 9), STOP(0) },
	  11, { 0x20, 0x00, 0x07, SYNC_100, 0x84, 0x40, 0x09, 0x07 } },
	/* Ownership waits for a message that is due */
	{ "a context after a trigger goes with it", &calls, ENCODE,
	  { .context = 1, .inst_mode = HS_NT_BTM },
	  { S100, B(0x100, 2, 2, 9), SYNC(6, 0), CONTEXT(2, 2, HS_PRIV_UNKNOWN), TIME(9),
	    B(0x200, 4, 2, 13), STOP(0) },
	  16, { SYNC_100, 0x08, 0x0b, 0x24, 0x99, 0x00, 0x13, 0x08, 0x08, 0x07, 0x84, 0x00,
	        0x13 } },
	{ "a context after a trap, and a time", &calls, ENCODE, { .context = 1 },
	  { S100, B(0x100, 0, 0, 1), CONTEXT(2, 2, HS_PRIV_UNKNOWN), TIME(9), B(0x200, 4, 2, 13),
	    STOP(0) },
	  17, { SYNC_100, 0x08, 0x0b, 0x10, 0x09, 0x00, 0x1b, 0x08, 0x08, 0x07, 0x84, 0x40, 0x11,
	        0x07 } },
};

/* NT 6.2, Table 10, and 8.7: a field of as many ones as it may have, and of one more. */
static const struct limit_row {
	const char *name;
	enum hs_nt_field field;
	unsigned bits;       /* the most */
	uint8_t n, before[4]; /* the message up to the field, which begins in a byte of its own */
	uint8_t after;       /* 1: another field follows, with the value 1 */
} limits[] = {
	{ "HIST", HS_NTF_HIST, 32, 4, { 0x70, 0x05, 0x01, 0x00 }, 0 },
	{ "F-ADDR", HS_NTF_FADDR, 63, 2, { 0x24, 0x15 }, 0 },
	{ "U-ADDR", HS_NTF_UADDR, 63, 2, { 0x10, 0x31 }, 0 },
	{ "TSTAMP", HS_NTF_TSTAMP, 64, 3, { 0x24, 0x15, 0x05 }, 0 },
	{ "HREPEAT", HS_NTF_HREPEAT, 18, 2, { 0x6c, 0xc9 }, 0 },
	{ "B-CNT", HS_NTF_BCNT, 18, 1, { 0x78 }, 0 },
	{ "PROCESS", HS_NTF_PROCESS, 64, 1, { 0x08 }, 0 },
};

static size_t put_ones(uint8_t *to, unsigned bits)
{
	size_t n = 0;

	for (; bits > 6; bits -= 6)
		to[n++] = 0xfc;
	to[n++] = (uint8_t)(((1u << bits) - 1) << 2 | 3);
	return n;
}

TEST_ROWS(limit, limits, row)
{
	const unsigned least = row->field == HS_NTF_TSTAMP ? 49 : row->bits - 1;

	for (unsigned bits = least; bits <= row->bits + 1; bits++) {
		uint8_t bytes[24];
		struct hs_nt_reader r;
		struct hs_nt_msg m;
		size_t n = row->n;

		memcpy(bytes, row->before, n);
		if (row->field == HS_NTF_HIST)
			n = 3; /* B-TYPE and I-CNT, U-ADDR 0 */
		n += put_ones(bytes + n, bits);
		struct hs_span in = { bytes, n };

		hs_nt_reader_init(&r, 0);
		const enum hs_status s = hs_nt_read(&r, &in, &m);

		assert_int_equal(s, bits > row->bits ? HS_E_FIELD : HS_OK);
		if (s == HS_OK)
			assert_true(m.field[row->field] == UINT64_MAX >> (64 - bits));
	}
}

/* ECODE begins in the byte of ETYPE: 2 bits there, 6 in the next, and no more (NT 7.4). */
TEST(ecode_has_8_bits)
{
	static const struct { uint8_t n, bytes[4]; enum hs_status want; } list[] = {
		{ 3, { 0x20, 0xc0, 0xff }, HS_OK },
		{ 4, { 0x20, 0xc0, 0xfc, 0x07 }, HS_E_FIELD },
	};

	for (size_t i = 0; i < 2; i++) {
		struct hs_span in = { list[i].bytes, list[i].n };
		struct hs_nt_reader r;
		struct hs_nt_msg m;

		hs_nt_reader_init(&r, 0);
		assert_int_equal(hs_nt_read(&r, &in, &m), list[i].want);
		if (i == 0)
			assert_int_equal(m.field[HS_NTF_ECODE], 0xff);
	}
}

/* NT Table 8, and the fields of a message in order. */
TEST(names_and_fields)
{
	enum hs_nt_field f[HS_NTF_COUNT];

	assert_string_equal(hs_nt_msg_name(55), "Reserved");
	assert_string_equal(hs_nt_msg_name(56), "Vendor Defined");
	assert_string_equal(hs_nt_msg_name(62), "Vendor Defined");
	assert_string_equal(hs_nt_msg_name(63), "Reserved");
	assert_int_equal(hs_nt_msg_fields(HS_NT_ERROR, f), 3);
	assert_int_equal(f[0], HS_NTF_ETYPE);
	assert_int_equal(f[1], HS_NTF_ECODE);
	assert_int_equal(f[2], HS_NTF_TSTAMP);
	assert_int_equal(hs_nt_msg_fields(55, f), 0);
	assert_int_equal(hs_nt_msg_fields(64, f), 0);
	assert_string_equal(hs_nt_field_name(HS_NTF_COUNT), "?");
	assert_string_equal(hs_nt_field_clause(HS_NTF_COUNT), "?");
}

/* SRC has as many bits as configured, whatever the message says (NT 6.2). */
TEST(src_is_cut)
{
	/* DirectBranch: TCODE 3, SRC 7 in 3 bits, I-CNT 1 */
	static const uint8_t want[] = { 0x0c, 0x3f };
	struct hs_nt_msg m = { .tcode = HS_NT_DIRECT_BRANCH, .src = 0xff };
	uint8_t out[HS_NT_MSG_MAX];

	m.present = (uint32_t)1 << HS_NTF_ICNT;
	m.field[HS_NTF_ICNT] = 1;
	assert_int_equal(hs_nt_write(&m, 3, out), sizeof want);
	assert_memory_equal(out, want, sizeof want);
}

/* TCODE has 6 bits, and 5 has no row (NT Table 8). */
TEST(what_cannot_be_written)
{
	static const uint8_t tcodes[] = { 5, 63, 64, 64 + HS_NT_DIRECT_BRANCH, 255 };
	uint8_t out[HS_NT_MSG_MAX];

	for (size_t i = 0; i < sizeof tcodes; i++) {
		const struct hs_nt_msg m = { .tcode = tcodes[i] };

		assert_int_equal(hs_nt_write(&m, 0, out), 0);
	}
}

/* What is written fits in HS_NT_MSG_MAX bytes, whatever the caller asks for. */
TEST(widths_that_cannot_be_written)
{
	for (unsigned bits = 0; bits < 256; bits++) {
		struct hs_nt_msg m = { .tcode = HS_NT_INDIRECT_BRANCH_HIST_SYNC,
			               .src = UINT16_MAX, .addr_bits = (uint8_t)bits,
			               .present = UINT32_MAX };
		uint8_t room[HS_NT_MSG_MAX + 64];

		memset(m.field, 0xff, sizeof(m.field));
		memset(room, 0x5a, sizeof(room));
		const size_t n = hs_nt_write(&m, bits % 40, room);

		assert_int_equal(n == 0, bits > 66 || bits % 40 > 16);
		assert_true(n <= HS_NT_MSG_MAX);
		for (size_t i = HS_NT_MSG_MAX; i < sizeof(room); i++)
			assert_int_equal(room[i], 0x5a);
	}
}

/* Number of the first message with SYNC after the one at the start; 0: there is none. */
static unsigned first_sync(const struct hs_nt_config *c, unsigned blocks)
{
	static uint8_t bytes[4096];
	const struct hs_block b = B(0x100, 2, 2, 5);
	struct hs_nt_encoder e;
	struct hs_nt_reader r;
	struct hs_nt_msg m;
	size_t used, len, n = 0;
	unsigned at = 0;

	assert_int_equal(hs_nt_encoder_init(&e, c), HS_OK);
	for (unsigned i = 0; i < blocks; i++, n += len)
		assert_int_equal(hs_nt_encode(&e, &b, 1, &used, bytes + n, sizeof bytes - n, &len),
		                 HS_OK);
	struct hs_span in = { bytes, n };

	hs_nt_reader_init(&r, 0);
	for (unsigned i = 0; hs_nt_read(&r, &in, &m) == HS_OK; i++)
		if (i && !at && hs_nt_has(&m, HS_NTF_SYNC))
			at = i;
	return at;
}

/* trTeInstSyncMode 1 and bytes: after 16 messages of 2 bytes each, or after 8 of them. */
TEST(synchronisation_after_messages_or_bytes)
{
	const struct hs_nt_config messages = { .size = sizeof messages, .inst_mode = HS_NT_BTM,
		                               .sync_mode = HS_NT_SYNC_MESSAGES };
	const struct hs_nt_config bytes = { .size = sizeof bytes, .inst_mode = HS_NT_BTM,
		                            .sync_mode = HS_NT_SYNC_BYTES };

	assert_int_equal(first_sync(&messages, 40), 17);
	assert_int_equal(first_sync(&bytes, 40), 9);
}

/* Histories of 31 branches of a loop of two differ; those of 28 are the same (NT 9.3). */
TEST(shorter_history)
{
	const struct hs_nt_config c = { .size = sizeof c, .repeated_history = 1 };
	struct hs_nt_counts counts;
	uint8_t bytes[2048];

	run_pattern(&c, PATTERN_BLOCKS, bytes, sizeof bytes, &counts);
	assert_int_equal(counts.messages[HS_NT_RESOURCE_FULL], 1);
}

/* What a decoder counts: a run of short DirectBranch messages, then one at fault. */
TEST(what_a_decoder_counts)
{
	static const uint8_t bytes[] = { SYNC_100, 0x0c, 0x0b, 0x0c, 0x0b, 0x0c, 0x0b, 0x0c, 0x0b,
		                         0x0c, 0x0b, 0x0c, 0x07, 0x0c, 0x0b };
	const struct hs_nt_config c = { .size = sizeof c, .inst_mode = HS_NT_BTM };
	struct hs_span in = { bytes, sizeof bytes };
	struct hs_block out[64];
	size_t n;
	struct hs_nt_decoder *d = nt_decoder(&c, &loop);

	assert_int_equal(hs_nt_decoder_next(d, &in, out, 64, &n), HS_E_ICNT);
	assert_int_equal(hs_nt_decoder_diag(d)->msg.offset, 14);
	assert_int_equal(hs_nt_decoder_diag(d)->msg.tcode, HS_NT_DIRECT_BRANCH);
	assert_int_equal(hs_nt_decoder_diag(d)->msg.field[HS_NTF_ICNT], 1);
	assert_int_equal(hs_nt_decoder_next(d, &in, out, 64, &n), HS_MORE);
	assert_int_equal(hs_nt_decoder_stats(d)->messages[HS_NT_DIRECT_BRANCH], 7);
	assert_int_equal(hs_nt_decoder_stats(d)->bytes[HS_NT_DIRECT_BRANCH], 14);
	assert_int_equal(hs_nt_decoder_stats(d)->bytes[HS_NT_PROG_TRACE_SYNC], 4);
	assert_int_equal(hs_nt_decoder_stats(d)->errors, 1);
	assert_int_equal(hs_nt_decoder_stats(d)->skipped, 1);
}

/* Nothing is written, and nothing is said to be, where there is no room. */
TEST(no_room)
{
	const struct hs_block b = B(0x100, 2, 2, 9);
	const struct hs_nt_config c = { .size = sizeof c };
	const struct hs_nt_config stall = { .size = sizeof stall, .stall = 1 };
	uint8_t bytes[HS_NT_ENCODE_ROOM];
	struct hs_nt_encoder e;
	size_t used = 9, len = 9;

	assert_int_equal(hs_nt_encoder_init(&e, &c), HS_OK);
	assert_int_equal(hs_nt_encode(&e, &b, 1, &used, bytes, HS_NT_ENCODE_ROOM - 1, &len),
	                 HS_E_SPACE);
	assert_int_equal(used + len, 0);
	assert_int_equal(hs_nt_encode(&e, &b, 1, &used, bytes, HS_NT_ENCODE_ROOM, &len), HS_OK);
	assert_int_equal(len, 4);
	len = 9;
	assert_int_equal(hs_nt_encode_end(&e, bytes, HS_NT_ENCODE_ROOM - 1, &len), HS_E_SPACE);
	assert_int_equal(len, 0);
	assert_int_equal(hs_nt_encode_end(&e, bytes, HS_NT_ENCODE_ROOM, &len), HS_OK);
	assert_int_equal(len, 4);
	assert_int_equal(hs_nt_encoder_init(&e, &stall), HS_OK);
	len = 9;
	assert_int_equal(hs_nt_encode_port(&e, &b, bytes, 3, &len), HS_FULL);
	assert_int_equal(len, 0);
	assert_int_equal(hs_nt_encode_port(&e, &b, bytes, 4, &len), HS_OK);
	assert_int_equal(len, 4);
}

/* NT 7.4: an Error that may be among what was lost is sent again. */
TEST(error_may_be_lost_too)
{
	static const struct hs_block items[] = { B(0x100, 2, 2, 9), STOP(4), B(0x104, 2, 2, 9) };
	static const uint8_t want[] = { SYNC_100, 0x20, 0x00, 0x07, 0x20, 0x00, 0x07,
		                        0x24, 0x1d, 0x08, 0x0b };
	const struct hs_nt_config c = { .size = sizeof c };
	uint8_t bytes[4 * HS_NT_ENCODE_ROOM];
	struct hs_nt_encoder e;
	size_t used, len, n = 0;

	assert_int_equal(hs_nt_encoder_init(&e, &c), HS_OK);
	for (size_t i = 0; i < 3; i++, n += len) {
		if (i)
			hs_nt_encoder_lost(&e);
		assert_int_equal(hs_nt_encode(&e, &items[i], 1, &used, bytes + n, sizeof bytes - n,
		                              &len), HS_OK);
	}
	assert_int_equal(n, sizeof want);
	assert_memory_equal(bytes, want, sizeof want);
}

/* A stream that ends inside a message: where that message began. */
TEST(where_a_cut_message_began)
{
	static const uint8_t bytes[] = { SYNC_100, 0x84, 0x00 };
	const struct hs_nt_config c = { .size = sizeof c };
	struct hs_span in = { bytes, sizeof bytes };
	struct hs_block out[16];
	size_t n;
	struct hs_nt_decoder *d = nt_decoder(&c, &loop);

	assert_int_equal(hs_nt_decoder_next(d, &in, out, 16, &n), HS_MORE);
	assert_int_equal(hs_nt_decoder_end(d, out, 16, &n), HS_E_TRUNCATED);
	assert_int_equal(hs_nt_decoder_diag(d)->msg.offset, 4);
	assert_int_equal(hs_nt_decoder_diag(d)->reason, HS_REASON_TRUNCATED);
}

OPTION_ROWS(corners)
