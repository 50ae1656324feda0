/* Blocks to bytes: the rows of ntrace_rows.h the other way round, and examples of the text. */
#include "core/core.h"
#include "cases.h"

#include "ntrace/nt_message.h"
#include "ntrace/nt_reader.h"
#include "ntrace/ntrace.h"
#include "unit/ntrace_rows.h"

static struct hs_nt_config config_of(const struct row *row)
{
	struct hs_nt_config c = { .size = sizeof c };

	c.inst_mode = row->flags & BTM ? HS_NT_BTM : HS_NT_HTM;
	c.btype_plain = (row->flags & PLAIN) != 0;
	if (row->flags & COUNTER4) {
		c.icnt_bits = 4;
		c.icnt_full = HS_NT_ICNT_SYNC;
		c.start_sync = 3;
	}
	return c;
}

/* Blocks of a row, cut to single instructions where the counter is small. */
static size_t blocks_of(const struct row *row, struct hs_block *out, size_t cap)
{
	const size_t items = row_items(row);
	size_t n = 0;

	for (size_t i = 0; i < items; i++) {
		size_t pieces = 1;

		if (row->items[i].kind == HS_KIND_BLOCK && (row->flags & COUNTER4))
			assert_int_equal(hs_block_split(row->program, &row->items[i], 2, out + n,
			                                cap - n, &pieces),
			                 HS_OK);
		else if (row->items[i].kind == HS_KIND_BLOCK ||
		         (row->items[i].kind == HS_KIND_STOP && i + 1 < items))
			out[n] = row->items[i];
		else
			pieces = 0;
		n += pieces;
	}
	return n;
}

/* The encoder counted what a reader finds in the row's bytes. */
static void check_stats(const struct hs_nt_encoder *e, const struct row *row)
{
	struct hs_span in = { row->bytes, row->n };
	struct hs_nt_counts want = { { 0 }, { 0 } };
	struct hs_nt_reader r;
	struct hs_nt_msg m;

	hs_nt_reader_init(&r, 0);
	while (hs_nt_read(&r, &in, &m) == HS_OK) {
		want.messages[m.tcode]++;
		want.bytes[m.tcode] += m.length;
	}
	assert_memory_equal(hs_nt_encoder_stats(e), &want, sizeof want);
}

static void encode(void **state)
{
	const struct row *row = *state;
	const struct hs_nt_config c = config_of(row);
	struct hs_block blocks[32];
	const size_t n = blocks_of(row, blocks, 32);
	uint8_t bytes[1024];
	struct hs_nt_encoder e;
	size_t used, len, end;

	assert_int_equal(hs_nt_encoder_init(&e, &c), HS_OK);
	assert_int_equal(hs_nt_encode(&e, blocks, n, &used, bytes, sizeof bytes, &len), HS_OK);
	assert_int_equal(used, n);
	assert_int_equal(hs_nt_encode_end(&e, bytes + len, sizeof bytes - len, &end), HS_OK);
	assert_int_equal(len + end, row->n);
	assert_memory_equal(bytes, row->bytes, row->n);
	check_stats(&e, row);
}

/* NT 3.5, Table 6. */
TEST(table_6)
{
	static const uint8_t bytes[] = { 0xff, 0x70, 0xd0, 0x1d, 0x1d, 0xf8, 0xff, 0xff };
	struct hs_span in = { bytes, sizeof bytes };
	struct hs_nt_reader r;
	struct hs_nt_msg m;
	uint8_t out[HS_NT_MSG_MAX];

	hs_nt_reader_init(&r, 0);
	assert_int_equal(hs_nt_read(&r, &in, &m), HS_OK);
	assert_int_equal(m.offset, 1);
	assert_int_equal(m.tcode, HS_NT_INDIRECT_BRANCH_HIST);
	assert_int_equal(m.field[HS_NTF_BTYPE], 0);
	assert_int_equal(m.field[HS_NTF_ICNT], 0x7d);
	assert_int_equal(m.field[HS_NTF_UADDR], 7);
	assert_int_equal(m.field[HS_NTF_HIST], 0xffe);
	assert_int_equal(hs_nt_write(&m, 0, out), 6);
	assert_memory_equal(out, bytes + 1, 6);
	assert_int_equal(hs_nt_read(&r, &in, &m), HS_MORE);
	assert_int_equal(r.idle, 2);
}

/* NT 8.1, Table 24: addresses and what is sent for them. */
TEST(table_24)
{
	static const struct hs_block blocks[] = { B(0x3fc04, 2, 2, 14), B(0x3f368, 2, 2, 14),
	                                          B(0x3e100, 2, 2, 0) };
	static const struct { uint8_t tcode, field; uint64_t value; } want[] = {
		{ HS_NT_PROG_TRACE_SYNC, HS_NTF_FADDR, 0x1fe02 },
		{ HS_NT_INDIRECT_BRANCH, HS_NTF_UADDR, 0x7b6 },
		{ HS_NT_INDIRECT_BRANCH, HS_NTF_UADDR, 0x934 },
	};
	const struct hs_nt_config c = { .size = sizeof c };
	struct hs_nt_encoder e;
	struct hs_nt_reader r;
	struct hs_nt_msg m;
	uint8_t bytes[1024];
	size_t used, len;

	assert_int_equal(hs_nt_encoder_init(&e, &c), HS_OK);
	assert_int_equal(hs_nt_encode(&e, blocks, 3, &used, bytes, sizeof bytes, &len), HS_OK);
	struct hs_span in = { bytes, len };
	hs_nt_reader_init(&r, 0);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(hs_nt_read(&r, &in, &m), HS_OK);
		assert_int_equal(m.tcode, want[i].tcode);
		assert_int_equal(m.field[want[i].field], want[i].value);
	}
}

/* NT 8.2.1: the field as it is on the wire (extension is a matter of the address). */
TEST(address_fields)
{
	static const struct { uint8_t n, bytes[12]; uint64_t value; uint8_t bits; } fields[] = {
		{ 6, { 0xfc, 0xfc, 0xfc, 0xfc, 0x7c, 0xf3 }, 0xf1fffffff, 36 },
		{ 11, { 0xfc, 0xfc, 0xfc, 0xfc, 0xfc, 0xfc, 0xfc, 0xfc, 0xfc, 0xfc, 0x17 },
		  0x5fffffffffffffff, 66 },
	};

	for (size_t i = 0; i < 2; i++) {
		uint8_t bytes[16] = { 0x24, 0x15 };
		const size_t n = fields[i].n;
		struct hs_span in = { bytes, n + 2 };
		struct hs_nt_reader r;
		struct hs_nt_msg m;

		memcpy(bytes + 2, fields[i].bytes, n);
		hs_nt_reader_init(&r, 0);
		assert_int_equal(hs_nt_read(&r, &in, &m), HS_OK);
		assert_true(m.field[HS_NTF_FADDR] == fields[i].value);
		assert_int_equal(m.addr_bits, fields[i].bits);
	}
}

/* The block before a bad one is encoded: ProgTraceSync SYNC=5 I-CNT=0 F-ADDR=0x80. */
TEST(blocks_before_a_bad_one_are_encoded)
{
	static const struct { const char *name; struct hs_block bad; } list[] = {
		{ "odd address", B(0x103, 1, 1, 0) },
		{ "more half-words than the counter holds", B(0x102, 16, 1, 0) },
		{ "itype 7", B(0x102, 1, 1, 7) },
		{ "itype 16", B(0x102, 1, 1, 16) },
	};
	static const uint8_t want[] = { 0x24, 0x15, 0x00, 0x0b };
	const struct hs_nt_config small = { .size = sizeof small, .icnt_bits = 4 };

	for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
		const struct hs_block in[] = { B(0x100, 1, 1, 0), list[i].bad };
		struct hs_nt_encoder e;
		uint8_t bytes[1024];
		size_t used, len;

		assert_int_equal(hs_nt_encoder_init(&e, &small), HS_OK);
		if (hs_nt_encode(&e, in, 2, &used, bytes, sizeof bytes, &len) != HS_E_BLOCK)
			fail_msg("%s was taken", list[i].name);
		assert_int_equal(used, 1);
		assert_int_equal(len, sizeof want);
		assert_memory_equal(bytes, want, sizeof want);
	}
}

/* What only some configurations have: itype 7 with all jumps by rc7; traps, but for an ecall, where
 * B-TYPE is always 0. */
TEST(refused_by_configuration)
{
	static const struct {
		struct hs_nt_config c;
		struct hs_block b;
		enum hs_status want;
	} list[] = {
		{ { .all_jumps = 1 }, B(0x100, 1, 1, 7), HS_OK },
		{ { .all_jumps = 0 }, B(0x100, 1, 1, 7), HS_E_BLOCK },
		{ { .all_jumps = 1, .dialect = HS_NT_DIALECT_V1_0 }, B(0x100, 1, 1, 7),
		  HS_E_BLOCK },
		{ { .dialect = HS_NT_DIALECT_REFERENCE }, B(0x100, 1, 1, 2), HS_E_BLOCK },
		{ { .dialect = HS_NT_DIALECT_REFERENCE }, B(0x100, 0, 0, 1), HS_E_BLOCK },
		{ { .dialect = HS_NT_DIALECT_REFERENCE }, B(0x100, 2, 2, 1), HS_OK },
		{ { .dialect = HS_NT_DIALECT_SIFIVE }, B(0x100, 1, 1, 2), HS_OK },
	};

	for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
		struct hs_nt_config c = list[i].c;
		struct hs_nt_encoder e;
		uint8_t bytes[1024];
		size_t used, len;

		c.size = sizeof c;
		assert_int_equal(hs_nt_encoder_init(&e, &c), HS_OK);
		if (hs_nt_encode(&e, &list[i].b, 1, &used, bytes, sizeof bytes, &len) !=
		    list[i].want)
			fail_msg("row %zu", i);
	}
}

/* The reference encoder's B-TYPE is 0: a trap that is no ecall or ebreak, by its cause after the
 * block, would be read as a jump.  What retired before is reported, by EVCODE 4 and I-CNT 1, and
 * the handler at 0x200 by SYNC 5 (NT 7.12, 7.5). */
TEST(refused_by_cause)
{
	static const uint8_t want[] = { 0x24, 0x05, 0x00, 0x0b, 0x84, 0x10, 0x07, 0x24, 0x15, 0x00,
		                        0x13 };

	for (uint32_t cause = 0; cause < 20; cause++) {
		const struct hs_block in[] = { B(0x100, 1, 1, 1),
			                       { .arg = cause, .kind = HS_KIND_TRAP },
			                       B(0x200, 1, 1, 0) };
		const bool environment = cause == 3 || (cause >= 8 && cause <= 11);

		for (uint8_t dialect = 0; dialect < HS_NT_DIALECT_COUNT; dialect++) {
			const struct hs_nt_config c = { .size = sizeof c, .dialect = dialect };
			const bool refused = dialect == HS_NT_DIALECT_REFERENCE && !environment;
			uint8_t bytes[1024];
			struct hs_nt_encoder e;
			size_t used, n, more;

			assert_int_equal(hs_nt_encoder_init(&e, &c), HS_OK);
			assert_int_equal(hs_nt_encode(&e, in, 2, &used, bytes, sizeof bytes, &n),
			                 refused ? HS_E_BLOCK : HS_OK);
			assert_int_equal(used, refused ? 1 : 2);
			if (!refused)
				continue;
			assert_int_equal(hs_nt_encode(&e, in + 2, 1, &used, bytes + n,
			                              sizeof bytes - n, &more), HS_OK);
			assert_int_equal(n + more, sizeof want);
			assert_memory_equal(bytes, want, sizeof want);
		}
	}
}

/* Without room nothing is done; with room for one message the encoder continues where it
 * stopped. */
TEST(little_room)
{
	static const struct hs_block blocks[] =
		{ B(0x3fc04, 2, 2, 14), B(0x3f368, 2, 2, 14), B(0x3e100, 2, 2, 0) };
	const struct hs_nt_config c = { .size = sizeof c };
	struct hs_nt_encoder e, whole;
	uint8_t bytes[HS_NT_ENCODE_ROOM], all[2048], pieces[2048];
	size_t used, len, n, done = 0, got = 0;
	enum hs_status s;

	assert_int_equal(hs_nt_encoder_init(&whole, &c), HS_OK);
	assert_int_equal(hs_nt_encode(&whole, blocks, 3, &used, all, sizeof all, &n), HS_OK);
	assert_int_equal(hs_nt_encoder_init(&e, &c), HS_OK);
	assert_int_equal(hs_nt_encode(&e, blocks, 3, &used, bytes, HS_NT_ENCODE_ROOM - 1, &len),
	                 HS_E_SPACE);
	assert_int_equal(used + len, 0);
	do {
		s = hs_nt_encode(&e, blocks + done, 3 - done, &used, bytes, sizeof bytes, &len);
		assert_true(s == HS_OK || (s == HS_FULL && used > 0));
		memcpy(pieces + got, bytes, len);
		done += used;
		got += len;
	} while (s == HS_FULL);
	assert_int_equal(done, 3);
	assert_int_equal(got, n);
	assert_memory_equal(pieces, all, n);
}

TESTS
{
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		if (!(rows[i].flags & ONE_WAY))
			test_add(rows[i].name, encode, &rows[i]);
}
