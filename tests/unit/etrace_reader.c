/* Bytes to packets: what no text has, what is not instruction trace, and streams that are cut
 * anywhere. */
#include "cases.h"

#include <hartscope/etrace.h>

#include "etrace/et_config.h"
#include "etrace/et_reader.h"
#include "etrace/etrace.h"
#include "etrace/etrace_data.h"
#include "unit/decoders.h"

/* 0x1000 c.nop, c.nop, c.jr a1 (ISA manual) */
static const uint8_t code[] = { 0x01, 0x00, 0x01, 0x00, 0x82, 0x85 };

/* Format 3 subformat 0, branch 1, privilege 3 of 3 bits, address 0x1000 >> 1: bits 11 00 1 110 0
 * then 0x800 (ET Format 3 subformat 0).  Without the bytes that repeat its sign; each framing has
 * its own. */
#define START_PAYLOAD 0x73, 0x00, 0x08
/* Header: 4 bytes are srcID (4 bits), type 2 (2 bits) and the payload (EE Packet Encapsulation):
 * the payload is 6 bits further.  srcID 5: 0101, then 01, then bits 110011 00|00000000|001000.. */
#define START_STANDARD 0x04, 0xe5, 0x1c, 0x00, 0x02
#define START_REFERENCE 0x43, START_PAYLOAD
/* 0.026 with the prefix 2: 01, then 11 00 110 0 and the address: format 3, subformat 0, privilege
 * 3, branch 0 (PT Table 6.3) */
#define START_DRAFT 0x03, 0xce, 0x00, 0x20

enum framing { STANDARD, REFERENCE, DRAFT };

static const struct {
	uint8_t n, bytes[8];
} starts[] = { { 5, { START_STANDARD } }, { 4, { START_REFERENCE } }, { 4, { START_DRAFT } } };

static const struct row {
	const char *name;
	enum framing framing;
	uint8_t options, f0s;
	enum hs_status want; /* of the bytes, which stand between two START */
	unsigned bit;        /* of the payload, at fault */
	const char *clause;  /* of the fault */
	uint8_t others, nulls, n, bytes[20];
} rows[] = {
	/* format 0 (2 bits), a subformat of 2 bits: 2 and 3 are for extensions to come */
	{ "format 0 subformat 2", REFERENCE, HS_ET_BRANCH_PREDICTION, 2, HS_E_FIELD, 2,
	  "ET Packets", 0, 0, 2,
	  { 0x41, 0x08 } },
	{ "format 0 subformat 3", REFERENCE, HS_ET_JUMP_TARGET_CACHE, 2, HS_E_FIELD, 2,
	  "ET Packets", 0, 0, 2,
	  { 0x41, 0x0c } },
	{ "format 0 without an extension", REFERENCE, 0, 0, HS_E_FIELD, 2, "ET Packets", 0, 0, 2,
	  { 0x41, 0x00 } },
	/* format 0, 32 bits of branch_count, branch_fmt 1: bits 34 and 35 */
	{ "branch_fmt 1", REFERENCE, HS_ET_BRANCH_PREDICTION, 0, HS_E_FIELD, 34,
	  "ET Format 0 branch_fmt", 0, 0, 6,
	  { 0x45, 0x00, 0x00, 0x00, 0x00, 0x04 } },
	/* format 3, subformat 3, ienable 1, encoder_mode 1 (bit 5), the rest 0 */
	{ "encoder_mode 1", REFERENCE, 0, 0, HS_E_FIELD, 5, "ET Format 3 subformat 3", 0, 0, 2,
	  { 0x41, 0x3f } },
	/* support has 13 bits here; bit 16 is not the one before */
	{ "bits behind a support packet", REFERENCE, 0, 0, HS_E_FIELD, 13, "ET Packets", 0, 0, 4,
	  { 0x43, 0x0f, 0x00, 0x01 } },
	/* a header byte of length 0 has no payload */
	{ "no payload", REFERENCE, 0, 0, HS_E_FIELD, 0, "EE Header", 0, 0, 1, { 0x40 } },
	/* types 0, 1 and 3 with 1, 2 and 3 bytes */
	{ "types that are not instruction trace", REFERENCE, 0, 0, HS_MORE, 0, NULL, 3, 0, 9,
	  { 0x01, 0xff, 0x22, 0xff, 0xff, 0x63, 0xff, 0xff, 0xff } },
	/* srcID 5, type 3: data trace of the same source */
	{ "data trace in the encapsulation", STANDARD, 0, 0, HS_MORE, 0, NULL, 1, 0, 4,
	  { 0x03, 0x35, 0xff, 0x7f } },
	{ "the longest foreign packet", STANDARD, 0, 0, HS_MORE, 0, NULL, 2, 0, 9,
	  { 0x02, 0x05, 0x00, 0x05, 0x15, 0x00, 0x00, 0x00, 0x00 } },
	/* EE Null Encapsulation: length 0, any flow */
	{ "null packets", STANDARD, 0, 0, HS_MORE, 0, NULL, 0, 4, 4, { 0x00, 0x20, 0x40, 0x60 } },
	/* srcID 5, type 2: 01 0101; the 2 bits after them are no payload of whole bytes (ET
	 * Packets) */
	{ "a format 3 of 2 bits", STANDARD, 0, 0, HS_E_FIELD, 0, "EE Header", 0, 0, 2,
	  { 0x01, 0xe5 } },
	/* te_support: msg_type 0, control_code 0x34 (bits 2 to 7), support_type 2 (bit 9) */
	{ "0.026: support_type 2", DRAFT, 0, 0, HS_E_FIELD, 8, "PT 6, Table 6.4", 0, 0, 3,
	  { 0x02, 0xd0, 0x02 } },
	{ "0.026: control_code 0x35", DRAFT, 0, 0, HS_E_FIELD, 2, "PT 6, Table 6.4", 0, 0, 3,
	  { 0x02, 0xd4, 0x00 } },
	/* msg_type 1 and 3 are no te_inst and no te_support */
	{ "0.026: msg_type 1", DRAFT, 0, 0, HS_E_FIELD, 0, "PT 6, Table 6.4", 0, 0, 3,
	  { 0x02, 0xd1, 0x00 } },
	/* prefix 2 (2 bits), format 3, subformat 3: bit 4 after prefix and format */
	{ "0.026: format 3 subformat 3", DRAFT, 0, 0, HS_E_FIELD, 4, "PT 6", 0, 0, 2,
	  { 0x01, 0x3e } },
};

static void configure(struct hs_et_config *c, const struct row *r)
{
	static const uint8_t dialects[] = { HS_ET_DIALECT_STANDARD, HS_ET_DIALECT_REFERENCE,
	                                    HS_ET_DIALECT_DRAFT };

	*c = (struct hs_et_config){ .size = sizeof *c, .version = HS_ET_2_0 };
	hs_et_config_dialect(c, (enum hs_et_dialect_id)dialects[r->framing]);
	c->src_bits = r->framing == STANDARD ? 4 : 0;
	c->options = r->options;
	c->f0s_width = r->f0s;
	c->bpred_size = c->cache_size = 4;
	assert_int_equal(hs_et_config_check(c), HS_OK);
}

/* START, the row's bytes, START. */
static size_t stream(const struct row *r, uint8_t *out)
{
	const size_t start = starts[r->framing].n;

	memcpy(out, starts[r->framing].bytes, start);
	memcpy(out + start, r->bytes, r->n);
	memcpy(out + start + r->n, starts[r->framing].bytes, start);
	return 2 * start + r->n;
}

/* ---- the reader ---------------------------------------------------------------------- */

struct seen {
	unsigned starts, others, faults;
	struct hs_et_packet fault;
};

static void read_piece(struct hs_et_reader *reader, const uint8_t *bytes, size_t n,
                       struct seen *seen)
{
	/* of its exact size, so that a sanitizer sees reads past it */
	uint8_t *piece = malloc(n ? n : 1);
	struct hs_span in = { piece, n };
	struct hs_et_packet p;

	memcpy(piece, bytes, n);
	for (;;) {
		const enum hs_status s = hs_et_read(reader, &in, &p);

		if (s == HS_MORE)
			break;
		if (s == HS_OK && p.form == HS_ET_FORM_START) {
			assert_int_equal(p.field[HS_ETF_ADDRESS], 0x800);
			assert_int_equal(p.field[HS_ETF_PRIVILEGE], 3);
			seen->starts++;
		} else if (s == HS_OK) {
			assert_int_equal(p.form, HS_ET_FORM_OTHER);
			seen->others++;
		} else {
			assert_int_equal(s, HS_E_FIELD);
			seen->faults++;
			seen->fault = p;
		}
	}
	assert_int_equal(in.n, 0);
	free(piece);
}

/* The stream up to @n, in three pieces. */
static void read_cut(const struct row *r, const uint8_t *bytes, size_t i, size_t j, size_t n,
                     bool whole)
{
	struct hs_et_reader reader;
	struct hs_et_config c;
	struct seen seen = { 0 };

	configure(&c, r);
	hs_et_reader_init(&reader, &c);
	read_piece(&reader, bytes, i, &seen);
	read_piece(&reader, bytes + i, j - i, &seen);
	read_piece(&reader, bytes + j, n - j, &seen);
	if (!whole) {
		assert_true(seen.starts <= 1 && seen.faults <= 1);
		return;
	}
	assert_int_equal(hs_et_reader_end(&reader), HS_OK);
	assert_int_equal(seen.starts, 2);
	assert_int_equal(seen.others, r->others);
	assert_int_equal(reader.nulls, r->nulls);
	assert_int_equal(seen.faults, r->want != HS_MORE);
	if (seen.faults) {
		assert_int_equal(seen.fault.offset, starts[r->framing].n);
		assert_int_equal(seen.fault.length, r->n);
		assert_int_equal(seen.fault.bits, r->bit);
	}
}

TEST_ROWS(every_cut_and_split, rows, r)
{
	uint8_t bytes[40];
	const size_t n = stream(r, bytes);

	for (size_t end = 0; end <= n; end++)
		for (size_t j = 0; j <= end; j++)
			for (size_t i = 0; i <= j; i++)
				read_cut(r, bytes, i, j, end, end == n);
}

/* ---- padding ------------------------------------------------------------------------- */

/* EE Packet Length: padding is "don't care".  ET Packets: the payload is sign-extended to whole
 * bytes.  srcID 5 (4 bits), type 2 (2 bits), format 2 (01), then the address of 31 or 14 bits and
 * notify, updiscon, irreport, which do not differ from the bit before them. */
static const struct padded {
	const char *name;
	uint8_t padding, width, n, bytes[8];
	enum hs_status want;
	uint64_t address;
} padded[] = {
	/* whole bytes: 01 and 6 bits, 100100 */
	{ "padding 0", HS_ET_PADDING_BYTES, 32, 3, { 0x02, 0xa5, 0x24 }, HS_OK, 0x7fffffe4 },
	{ "padding 3", HS_ET_PADDING_BYTES, 32, 3, { 0x02, 0xa5, 0xe4 }, HS_OK, 0x7fffffe4 },
	{ "padding 1", HS_ET_PADDING_BYTES, 32, 3, { 0x02, 0xa5, 0x64 }, HS_OK, 0x7fffffe4 },
	{ "2 bytes, padding 0", HS_ET_PADDING_BYTES, 32, 4, { 0x03, 0xa5, 0x24, 0x00 }, HS_OK,
	  0x24 },
	{ "2 bytes, padding 3", HS_ET_PADDING_BYTES, 32, 4, { 0x03, 0xa5, 0x24, 0xc0 }, HS_OK,
	  0x24 },
	/* 19 bits, and 5 of the last byte: by ET 1, as what is before them; EE does not care */
	{ "full length, zeros", HS_ET_PADDING_BYTES, 15, 5, { 0x04, 0xa5, 0xff, 0xff, 0x01 },
	  HS_OK, 0x3fff },
	{ "full length, ones", HS_ET_PADDING_BYTES, 15, 5, { 0x04, 0xa5, 0xff, 0xff, 0xff },
	  HS_OK, 0x3fff },
	{ "a byte too many, no sign", HS_ET_PADDING_BYTES, 15, 6,
	  { 0x05, 0xa5, 0xff, 0xff, 0x01, 0x00 }, HS_E_FIELD, 0x3fff },
	/* to the last bit received: 01 and 8 bits, 00100100 or 11100100 */
	{ "by the last bit, 0", HS_ET_PADDING_SIGN, 32, 3, { 0x02, 0xa5, 0x24 }, HS_OK, 0x24 },
	{ "by the last bit, 1", HS_ET_PADDING_SIGN, 32, 3, { 0x02, 0xa5, 0xe4 }, HS_OK,
	  0x7fffffe4 },
	{ "by the last bit, zeros", HS_ET_PADDING_SIGN, 15, 5, { 0x04, 0xa5, 0xff, 0xff, 0x01 },
	  HS_E_FIELD, 0x3fff },
};

static struct hs_et_config padded_config(const struct padded *r)
{
	struct hs_et_config c = { .size = sizeof c, .src_bits = 4, .iaddress_width = r->width };

	if (r->padding != HS_ET_PADDING_BYTES) { /* the default of the encapsulation */
		c.layout.given = 1u << HS_ET_LAYOUT_PADDING;
		c.layout.padding = r->padding;
	}
	return c;
}

TEST_ROWS(padding, padded, r)
{
	const struct hs_et_config c = padded_config(r);
	struct hs_span in = { r->bytes, r->n };
	struct hs_et_reader reader;
	struct hs_et_packet p;

	assert_int_equal(hs_et_reader_init(&reader, &c), HS_OK);
	assert_int_equal(hs_et_read(&reader, &in, &p), r->want);
	assert_int_equal(p.form, HS_ET_FORM_ADDRESS);
	assert_int_equal(p.field[HS_ETF_ADDRESS], r->address);
	assert_int_equal(p.src, 5);
	assert_false(p.field[HS_ETF_NOTIFY] || p.field[HS_ETF_UPDISCON]);
	assert_int_equal(in.n, 0);
}

/* What is written can be read with the padding's bits inverted (EE Packet Length). */
TEST(padding_is_written)
{
	const struct hs_et_config c = { .size = sizeof c, .src_bits = 4, .iaddress_width = 32 };
	const uint8_t spare = 0xc0; /* 4 + 2 bits, and whole bytes */

	for (unsigned bit = 0; bit < 2 * 31; bit++) {
		const uint64_t address = (bit & 1 ? 0x7fffffff : 0) ^ (uint64_t)1 << bit / 2;
		struct hs_et_packet p = { .form = HS_ET_FORM_ADDRESS, .src = 5,
			                  .field = { [HS_ETF_FORMAT] = 2,
			                             [HS_ETF_ADDRESS] = address } };
		uint8_t bytes[HS_ET_PACKET_MAX];
		struct hs_span in = { bytes, hs_et_write(&c, &p, bytes) };
		struct hs_et_reader reader;

		assert_true(in.n > 2);
		bytes[in.n - 1] ^= spare;
		hs_et_reader_init(&reader, &c);
		assert_int_equal(hs_et_read(&reader, &in, &p), HS_OK);
		assert_int_equal(p.field[HS_ETF_ADDRESS], address);
	}
}

/* ---- the decoder --------------------------------------------------------------------- */

/* A fault is reported by offset, bit and clause; a gap is where it was; the next START begins
 * anew. */
TEST_ROWS(decodes_on, rows, r)
{
	uint8_t bytes[40];
	struct hs_block out[HS_ET_DECODE_ROOM];
	struct hs_et_config c;
	struct hs_span in = { bytes, stream(r, bytes) };
	size_t n;

	configure(&c, r);
	struct hs_et_decoder *d = et_decoder(&c, CODE_AT(0x1000, code));
	enum hs_status s = hs_et_decoder_next(d, &in, out, HS_ET_DECODE_ROOM, &n);

	if (r->want != HS_MORE) {
		const struct hs_et_diag *diag = hs_et_decoder_diag(d);

		assert_string_equal(hs_status_name(s), hs_status_name(r->want));
		assert_int_equal(diag->packet.offset, starts[r->framing].n);
		assert_int_equal(diag->packet.bits, r->bit);
		assert_string_equal(diag->clause, r->clause);
		assert_true(strlen(diag->text) > 0 && diag->pc >= 0x1000);
		assert_int_equal(out[n - 1].kind, HS_KIND_GAP);
		assert_int_equal(out[n - 1].value, starts[r->framing].n);
		s = hs_et_decoder_next(d, &in, out, HS_ET_DECODE_ROOM, &n);
	}
	assert_int_equal(s, HS_MORE);
	assert_int_equal(in.n, 0);
	assert_int_equal(hs_et_decoder_stats(d)->packets[HS_ET_FORM_OTHER], r->others);
	assert_int_equal(hs_et_decoder_stats(d)->errors, r->want != HS_MORE);
}

/* Format 2, address 2 >> 1: 10, then 1; support with qual_status 2 (bits 6 and 7), trace_lost. */
#define ADDRESS_REFERENCE 0x41, 0x06
#define LOST_REFERENCE 0x42, 0x9f, 0x00

/* What a decoder makes of a stream, call by call. */
static const struct story {
	const char *name;
	enum framing framing;
	enum hs_status want[4]; /* of each call; then of hs_et_decoder_end() */
	unsigned skipped, starts, gaps;
	uint8_t n, bytes[24];
} stories[] = {
	{ "packets before the first synchronisation", REFERENCE, { HS_MORE, HS_OK }, 2, 1, 0, 8,
	  { ADDRESS_REFERENCE, ADDRESS_REFERENCE, START_REFERENCE } },
	{ "packets behind a loss", REFERENCE, { HS_E_LOST, HS_MORE, HS_OK }, 1, 2, 1, 13,
	  { START_REFERENCE, LOST_REFERENCE, ADDRESS_REFERENCE, START_REFERENCE } },
	/* format 1, branches 2, map 0: there is no branch on the way; then as above */
	{ "packets behind a fault", REFERENCE, { HS_E_HIST, HS_MORE, HS_OK }, 2, 2, 1, 15,
	  { START_REFERENCE, 0x42, 0x09, 0x02, ADDRESS_REFERENCE, ADDRESS_REFERENCE,
	    START_REFERENCE } },
	{ "cut inside a packet", REFERENCE, { HS_MORE, HS_E_TRUNCATED, HS_OK }, 0, 1, 0, 6,
	  { START_REFERENCE, 0x43, 0x73 } },
	{ "cut behind a header", STANDARD, { HS_MORE, HS_E_TRUNCATED, HS_OK }, 0, 1, 0, 6,
	  { START_STANDARD, 0x04 } },
	/* srcID 6 is another source, of which there is no room to know; 5 goes on: format 2,
	 * address 1 */
	{ "a source too many", STANDARD, { HS_E_SOURCES, HS_MORE, HS_OK }, 0, 1, 0, 13,
	  { START_STANDARD, 0x04, 0xe6, 0x1c, 0x00, 0x02, 0x02, 0xa5, 0x01 } },
};

static unsigned count_kind(const struct hs_block *b, size_t n, unsigned kind)
{
	unsigned found = 0;

	for (size_t i = 0; i < n; i++)
		found += b[i].kind == kind;
	return found;
}

TEST_ROWS(tells, stories, y)
{
	const struct row r = { .framing = y->framing };
	struct hs_et_source *source = malloc(sizeof *source); /* ASan sees what is after it */
	struct hs_block out[HS_ET_DECODE_ROOM];
	struct hs_et_config c;
	struct hs_span in = { y->bytes, y->n };
	size_t n;
	unsigned call = 0, begun = 0, gaps = 0;
	enum hs_status s;

	configure(&c, &r);
	struct hs_et_decoder *d = et_decoder(&c, CODE_AT(0x1000, code));

	do {
		s = hs_et_decoder_next(d, &in, out, HS_ET_DECODE_ROOM, &n);
		assert_string_equal(hs_status_name(s), hs_status_name(y->want[call++]));
		if (s == HS_E_SOURCES)
			assert_int_equal(hs_et_decoder_diag(d)->pc, 0);
		begun += count_kind(out, n, HS_KIND_SYNC);
		gaps += count_kind(out, n, HS_KIND_GAP);
	} while (s != HS_MORE);
	do {
		s = hs_et_decoder_end(d, out, HS_ET_DECODE_ROOM, &n);
		assert_string_equal(hs_status_name(s), hs_status_name(y->want[call++]));
	} while (s != HS_OK);
	assert_int_equal(hs_et_decoder_stats(d)->skipped, y->skipped);
	assert_int_equal(begun, y->starts);
	assert_int_equal(gaps, y->gaps);
	free(source);
}

/* A synchronising packet that contradicts the flow before it still says when it was (EE Timestamp).
 * 1000 c.j 1000, 1002 c.nop: nothing leads from 1000 to 1002.  Header with extend, time 5 or 9,
 * type 2, then 73 00 08 or 73 01 08 (format 3 subformat 0, 1000 or 1002), 6 bits of padding. */
TEST(time_of_a_fault)
{
	static const uint8_t loop[] = { 0x01, 0xa0, 0x01, 0x00 };
	static const uint8_t bytes[] = { 0x84, 0x05, 0xce, 0x01, 0x20, 0x00,
		                         0x84, 0x09, 0xce, 0x05, 0x20, 0x00 };
	const struct hs_et_config c = { .size = sizeof c, .tstamp_bytes = 1 };
	uint64_t times = 0;
	struct hs_block out[HS_ET_DECODE_ROOM];
	struct hs_span in = { bytes, sizeof bytes };
	enum hs_status s;
	size_t n;
	struct hs_et_decoder *d = et_decoder(&c, CODE_AT(0x1000, loop));

	do {
		s = hs_et_decoder_next(d, &in, out, HS_ET_DECODE_ROOM, &n);
		for (size_t i = 0; i < n; i++)
			if (out[i].kind == HS_KIND_TIME)
				times = times * 16 + out[i].value;
	} while (s != HS_MORE);
	assert_int_equal(hs_et_decoder_stats(d)->errors, 1);
	assert_int_equal(times, 0x59);
}

/* A packet of another type may be as long as the framing allows, no access is: a header byte of 7
 * bits of length, 127, and 1 of type, where 1 is data trace. */
TEST(long_access)
{
	struct hs_et_config c = { .size = sizeof c, .dialect = HS_ET_DIALECT_REFERENCE };
	const struct hs_et_data_config data = { .size = sizeof data };
	uint8_t bytes[128] = { 0x80 | 127 };
	struct hs_span in = { bytes, sizeof bytes };
	struct hs_et_data_packet access;
	struct hs_et_data_coder coder;
	struct hs_et_reader reader;
	struct hs_et_packet p;

	c.layout.given = 1u << HS_ET_LAYOUT_LENGTH_BITS | 1u << HS_ET_LAYOUT_TYPE_BITS |
	                 1u << HS_ET_LAYOUT_TYPE_INST | 1u << HS_ET_LAYOUT_TYPE_DATA;
	c.layout.length_bits = 7;
	c.layout.type_bits = c.layout.type_data = 1;
	memset(bytes + 1, 0xa5, sizeof bytes - 1);
	assert_int_equal(hs_et_data_init(&coder, &data), HS_OK);
	assert_int_equal(hs_et_reader_init(&reader, &c), HS_OK);
	assert_int_equal(hs_et_read(&reader, &in, &p), HS_OK);
	assert_int_equal(p.length, sizeof bytes);
	assert_int_equal(hs_et_read_data(&reader, &p, &coder, &access), HS_E_FIELD);
}
