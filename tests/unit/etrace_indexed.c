/* Packets with an index (design/captures), by hand from the fields of the ESP32-C6's manual.
 *
 * A support packet: format 11, subformat 11, enable, qual_status 00 are 7 bits, 1f or 0f.  A
 * synchronisation at 0x1000: 11 00, branch 1, privilege 1, address 0x800 from bit 6: 0x20033.  One
 * at 0x1002: 0x20073.
 */
#include "cases.h"

#include <hartscope/etrace.h>

#include "etrace/et_reader.h"
#include "etrace/et_standard.h"

#define START(i) "\x08" i "\0\x33\0\x02\0\0"
#define NEXT(i) "\x08" i "\0\x73\0\x02\0\0"
#define ON(i) "\x04" i "\0\x1f"
#define ZEROS14 "\0\0\0\0\0\0\0\0\0\0\0\0\0\0"

/* Packets as the reader must return them: i index, ! after a gap, E an error. */
static const struct row {
	const char *name, *in;
	size_t n;
	const char *want;
} rows[] = {
#define ROW(name, in, want) { name, in, sizeof(in) - 1, want }
	ROW("packets in order", ON("\0") START("\1") NEXT("\2"), "012"),
	ROW("a capture that begins later", START("\5") NEXT("\6"), "56"),
	ROW("bytes of 0 between packets", START("\0") "\0\0" NEXT("\1"), "01"),
	ROW("an anchor", START("\0") ZEROS14 NEXT("\1"), "01"),
	ROW("an index is missing", START("\0") NEXT("\2") ON("\3"), "0!23"),
	ROW("an index that comes twice", START("\3") NEXT("\3") ON("\4"), "3!34"),
	ROW("an index far away, and the next one", START("\0") "\x08\0\x10\x73\0\x02\0\0"
	    "\x04\1\x10\x1f", "0!01"),
	/* 07 takes the packet's last byte for the next header, which is 0: no packet. */
	ROW("a length that is too small", START("\0") "\x07\1\0\x73\0\x02\0\0" ON("\2"), "012"),
	/* 09 takes 04; 02 is no header, nor is 1f, 31 bytes on.  Then two indexes follow. */
	ROW("a length that is too large", START("\0") "\x09\1\0\x73\0\x02\0\0" ON("\2")
	    ON("\3") NEXT("\4") NEXT("\5") NEXT("\6") NEXT("\7") NEXT("\x8"), "01E!345678"),
	ROW("no header", START("\0") "\xff" NEXT("\1") ON("\2"), "0E!12"),
	ROW("3 bits that are not 0", START("\0") "\x28\1\0\x73\0\x02\0\0" ON("\2") ON("\3"),
	    "0E!23"),
	/* It takes the next one. */
	ROW("a packet is cut", START("\0") "\x08\1\0\x73" ON("\2") ON("\3") ON("\4"), "01!34"),
	ROW("no packets, with indexes that are 63 apart", START("\0") "\xff\x04\0\x50\0"
	    "\x04\x3f\x50\0" NEXT("\1") ON("\2"), "0E!12"),
	ROW("only noise", "\xff\xfe\xfd\xfc\xfb", "E"),
#undef ROW
};

static struct hs_et_config config(void)
{
	struct hs_et_config c = { .size = sizeof c };

	hs_et_config_dialect(&c, HS_ET_DIALECT_ESP32);
	return c;
}

static void read_pieces(const struct row *row, size_t piece)
{
	const struct hs_et_config c = config();
	struct hs_et_reader r;
	struct hs_et_packet p;
	char got[64] = "";
	size_t n = 0;

	assert_int_equal(hs_et_reader_init(&r, &c), HS_OK);
	for (size_t at = 0; at < row->n; at += piece) {
		const size_t left = row->n - at;
		const size_t given = left < piece ? left : piece;
		struct hs_span in = { (const uint8_t *)row->in + at, given };
		enum hs_status s = hs_et_read(&r, &in, &p);

		for (; s != HS_MORE && n < 60; s = hs_et_read(&r, &in, &p)) {
			assert_true(s == HS_E_FIELD || p.has_index);
			assert_true(s == HS_OK || p.length == 1);
			if (p.gap)
				got[n++] = '!';
			got[n++] = s == HS_E_FIELD ? 'E' : (char)('0' + p.index % 16 % 10);
		}
	}
	assert_string_equal(got, row->want);
}

TEST_ROWS(reads, rows, row)
{
	for (size_t piece = 1; piece <= row->n; piece++)
		read_pieces(row, piece);
}

/* After the last packet nothing says that an index far away is one; where it ends does. */
TEST(last_packet)
{
	static const struct {
		const char *in;
		size_t n;
		enum hs_status want;
	} ends[] = {
		{ "\x04\1\x10\x1f", 4, HS_OK },
		{ "\x04\1\x10\x1f\0\0", 6, HS_OK },
		{ "\x05\1\x10\x1f", 4, HS_MORE },
	};
	const struct hs_et_config c = config();

	for (size_t i = 0; i < 3; i++) {
		struct hs_span in = { (const uint8_t *)START("\0"), sizeof START("\0") - 1 };
		struct hs_et_reader r;
		struct hs_et_packet p;

		assert_int_equal(hs_et_reader_init(&r, &c), HS_OK);
		assert_int_equal(hs_et_read(&r, &in, &p), HS_OK);
		in = (struct hs_span){ (const uint8_t *)ends[i].in, ends[i].n };
		assert_int_equal(hs_et_read(&r, &in, &p), HS_MORE);
		r.ending = true;
		assert_int_equal(hs_et_read(&r, &in, &p), ends[i].want);
		assert_true(ends[i].want != HS_OK || p.gap);
	}
}

/* What our writer makes of the fields is what is above. */
TEST(our_writer_agrees)
{
	const struct hs_et_config c = config();
	struct hs_et_packet p = { .form = HS_ET_FORM_START, .index = 0x0102 };
	uint8_t out[HS_ET_PACKET_MAX];

	p.field[HS_ETF_FORMAT] = 3;
	p.field[HS_ETF_BRANCH] = p.field[HS_ETF_PRIVILEGE] = 1;
	p.field[HS_ETF_ADDRESS] = 0x800;
	assert_int_equal(hs_et_write(&c, &p, out), 8);
	assert_memory_equal(out, "\x08\x02\x01\x33\x00\x02\x00\x00", 8);
	/* 11 01 1 1, ecause 3, interrupt, address 0x800 from bit 12, tval: 75 bits in 10 bytes */
	p.form = HS_ET_FORM_TRAP;
	p.field[HS_ETF_SUBFORMAT] = p.field[HS_ETF_INTERRUPT] = 1;
	p.field[HS_ETF_ECAUSE] = 3;
	p.field[HS_ETF_TRAP_ADDRESS] = 0x800;
	assert_int_equal(hs_et_write(&c, &p, out), 13);
	assert_memory_equal(out, "\x0d\x02\x01\xf7\x08\x80\x00\x00\x00\x00\x00\x00\x00", 13);
}

/* A message of Siemens: 5 bytes of payload, type 2, a time tag 0x1234, index 7 of 12 bits. */
TEST(a_message_with_a_time_tag)
{
	static const struct {
		uint8_t first;
		const char *bytes;
	} orders[] = {
		{ 1, "\xc5\x34\x12\x07\x00\x32\x04\x00\x00\x02" },
		{ 0, "\xc5\x07\x00\x34\x12\x32\x04\x00\x00\x02" },
	};

	for (unsigned i = 0; i < 2; i++) {
		struct hs_et_config c = { .size = sizeof c, .dialect = HS_ET_DIALECT_SIEMENS,
			                  .src_bits = 12, .tstamp_bytes = 2, .iaddress_width = 32 };
		struct hs_span in = { (const uint8_t *)orders[i].bytes, 10 };
		uint8_t out[HS_ET_PACKET_MAX];
		struct hs_et_reader r;
		struct hs_et_packet p;

		c.layout.given = 1u << HS_ET_LAYOUT_STAMP_FIRST;
		c.layout.stamp_first = orders[i].first;
		assert_int_equal(hs_et_reader_init(&r, &c), HS_OK);
		assert_int_equal(hs_et_read(&r, &in, &p), HS_OK);
		assert_int_equal(p.form, HS_ET_FORM_ADDRESS);
		assert_int_equal(p.src, 7);
		assert_int_equal(p.tstamp, 0x1234);
		assert_int_equal(p.type, 2);
		assert_int_equal(p.length, 10);
		assert_int_equal(hs_et_write(&c, &p, out), 10);
		assert_memory_equal(out, orders[i].bytes, 10);
	}
}

/* Slots of rv_tracer (design/captures): 40 bytes, the last one first: header, with a time of 8
 * bytes where bit 7 is 1, then so many bytes of payload; all before them is 0. */
static const struct slots {
	const char *name;
	uint8_t header, payload, at; /* the first byte of the payload, and where */
	uint8_t other;               /* a byte that is not 0; 39: none */
	unsigned count;
	bool want;
} slots[] = {
	{ "synchronising packets", 3, 0x73, 38, 39, 4, true },
	{ "with a time", 0x83, 0x73, 30, 39, 4, true },
	{ "too few", 3, 0x73, 38, 39, 3, false },
	{ "the longest payload", 31, 0x73, 38, 39, 4, true },
	{ "a time and the longest payload: all of it", 0x80 | 31, 0x73, 30, 39, 4, true },
	{ "format 1", 3, 0x71, 38, 39, 4, false },
	{ "format 2 after a time", 0x83, 0x72, 30, 39, 4, false },
	{ "a byte that should be 0", 3, 0x73, 38, 0, 4, false },
	{ "no payload", 0, 0x73, 38, 39, 4, false },
	{ "a flow", 0x23, 0x73, 38, 39, 4, false },
};

TEST_ROWS(slots_that_are_recognised, slots, row)
{
	uint8_t bytes[4 * 40] = { 0 };
	const struct hs_span in = { bytes, row->count * 40 };
	struct hs_et_config c;

	for (unsigned i = 0; i < 4; i++) {
		bytes[40 * i + row->other] = 1;
		bytes[40 * i + row->at] = row->payload;
		bytes[40 * i + 39] = row->header;
	}
	assert_int_equal(hs_et_recognise_dialect(&in, &c), row->want);
	if (row->want)
		assert_int_equal(c.dialect, HS_ET_DIALECT_RV_TRACER);
}

/* Slots of CVA6's own rv_tracer: header, with bit 7; a time of 8 bytes, the highest first; at the
 * end the payload, its first byte last; 0 between them. */
static const struct slot_heads {
	const char *name;
	uint8_t header, payload; /* the first byte of the payload */
	uint8_t other;           /* a byte that is not 0; 39: none */
	uint8_t times[4];        /* the lowest bytes */
	unsigned count;
	bool want;
} slot_heads[] = {
	{ "synchronising packets", 0x83, 0x73, 39, { 1, 2, 3, 4 }, 4, true },
	{ "equal times", 0x83, 0x73, 39, { 1, 1, 1, 1 }, 4, true },
	{ "times that run back", 0x83, 0x73, 39, { 1, 3, 2, 4 }, 4, false },
	{ "too few", 0x83, 0x73, 39, { 1, 2, 3, 4 }, 3, false },
	{ "the longest payload", 0x9f, 0x73, 39, { 1, 2, 3, 4 }, 4, true },
	{ "format 1", 0x83, 0x71, 39, { 1, 2, 3, 4 }, 4, false },
	{ "a byte that should be 0", 0x83, 0x73, 36, { 1, 2, 3, 4 }, 4, false },
	{ "a byte of the payload", 0x83, 0x73, 37, { 1, 2, 3, 4 }, 4, true },
	{ "no payload", 0x80, 0x73, 39, { 1, 2, 3, 4 }, 4, false },
	{ "a flow", 0xa3, 0x73, 39, { 1, 2, 3, 4 }, 4, false },
	{ "no time", 0x03, 0x73, 39, { 1, 2, 3, 4 }, 4, false },
};

TEST_ROWS(slot_heads_that_are_recognised, slot_heads, row)
{
	uint8_t bytes[4 * 40] = { 0 };
	const struct hs_span in = { bytes, row->count * 40 };
	struct hs_et_config c;

	for (unsigned i = 0; i < 4; i++) {
		bytes[40 * i] = row->header;
		bytes[40 * i + 8] = row->times[i];
		bytes[40 * i + row->other] = 1;
		bytes[40 * i + 39] = row->payload;
	}
	assert_int_equal(hs_et_recognise_dialect(&in, &c), row->want);
	if (row->want)
		assert_int_equal(c.dialect, HS_ET_DIALECT_CVA6);
}

/* Payloads as the fields of te_packet_emitter are put together, the lowest bit first:
 *   format 2, notify 1, updiscon 1, irreport 1, address 80000e6e: 2 | 7 << 2 | a << 5
 *   format 2, updiscon 0 (differs), irreport 0: address 62, one byte
 *   format 1, 2 branches, map 001, three flags of 1, address f0: -16, one byte
 *   trap: branch 1, privilege 3, time 5, cause 2, no interrupt, thaddr 1, tval 7, address 100 */
static const struct last {
	const char *name;
	uint8_t n, bytes[31]; /* of the payload */
	unsigned form;
	uint64_t address, notify, updiscon, irreport, tval;
} lasts[] = {
	{ "an address that fills 32 bits", 5, { 0xde, 0xcd, 0x01, 0x00, 0x10 }, HS_ET_FORM_ADDRESS,
	  0x80000e6e, 0, 0, 0, 0 },
	{ "a positive one of 8 bits", 2, { 0x42, 0x0c }, HS_ET_FORM_ADDRESS, 0x62, 0, 0, 0, 0 },
	{ "updiscon", 2, { 0x5a, 0x0c }, HS_ET_FORM_ADDRESS, 0x62, 0, 1, 0, 0 },
	{ "a negative one, after a map", 3, { 0x89, 0x1c, 0x1e }, HS_ET_FORM_BRANCH, 0xfffffff0, 0,
	  0, 0, 0 },
	{ "a trap", 20,
	  { 0xf7, 0x02, 0, 0, 0, 0, 0, 0, 0, 0x01, 0, 0, 0, 0x0f, 0, 0, 0, 0, 0x02, 0 },
	  HS_ET_FORM_TRAP, 0x100, 0, 0, 0, 7 },
};

TEST_ROWS(addresses_come_last, lasts, row)
{
	struct hs_et_config c = { .size = sizeof c };
	struct hs_et_reader r;
	struct hs_et_packet p;
	uint8_t slot[40] = { 0 };
	struct hs_span in = { slot, sizeof slot };

	slot[0] = 0x80 | row->n;
	slot[7] = 1;
	slot[8] = 2;
	for (unsigned i = 0; i < row->n; i++)
		slot[39 - i] = row->bytes[i];
	assert_int_equal(hs_et_config_dialect(&c, HS_ET_DIALECT_CVA6), HS_OK);
	assert_int_equal(hs_et_reader_init(&r, &c), HS_OK);
	assert_int_equal(hs_et_read(&r, &in, &p), HS_OK);
	assert_int_equal(p.form, row->form);
	assert_int_equal(p.tstamp, 0x102);
	const unsigned at =
		row->form == HS_ET_FORM_TRAP ? HS_ETF_TRAP_ADDRESS : HS_ETF_ADDRESS;

	assert_int_equal(p.field[at], row->address);
	assert_int_equal(p.field[HS_ETF_NOTIFY], row->notify);
	assert_int_equal(p.field[HS_ETF_UPDISCON], row->updiscon);
	assert_int_equal(p.field[HS_ETF_IRREPORT], row->irreport);
	assert_int_equal(p.field[HS_ETF_TVAL], row->tval);
}
