/* The standard support packet of E-Trace 2.1 (ET Standard Support Packet format): what it may say,
 * and what a decoder makes of it. */
#include "cases.h"

#include <hartscope/etrace.h>

#include "etrace/et_config.h"
#include "etrace/et_decoder.h"
#include "etrace/etrace.h"
#include "unit/decoders.h"

/* Bits from sijump on, as the text's table has them. */
#define SIJUMP (1ull << 0)
#define IMPLICIT_RETURN (1ull << 1)
#define BRANCH_PREDICTOR (1ull << 2)
#define IMPLICIT_EXCEPT (1ull << 4)
#define FULL_IADDRESS (1ull << 5)
#define RESYNC_DISABLED (1ull << 6)
#define IRET_EXT (1ull << 7)
#define TIME(n) ((uint64_t)(n) << 8)
#define F0S(n) ((uint64_t)(n) << 11)
#define STACK(n) ((uint64_t)(n) << 13)
#define COUNTER(n) ((uint64_t)(n) << 16)
#define BPRED(n) ((uint64_t)(n) << 20)
#define CACHE(n) ((uint64_t)(n) << 23)

/* The reference flow's framing: length (5 bits) and type 2, then format 3, subformat 3, ienable 1,
 * encoder_mode (2 bits), qual_status (2 bits) and what comes after them. */
static size_t put_support(uint8_t *out, unsigned mode, unsigned qual, uint64_t said)
{
	const uint64_t v = 0xfu | 1u << 4 | (uint64_t)mode << 5 | (uint64_t)qual << 7 | said << 9;

	out[0] = 0x46;
	for (unsigned i = 0; i < 6; i++)
		out[1 + i] = (uint8_t)(v >> 8 * i);
	return 7;
}

/* Format 3, subformat 0, branch 1, privilege 3 (3 bits), address 0x800: bit 8 is its first. */
static const uint8_t start[] = { 0x43, 0x73, 0x00, 0x08 };

static size_t put_bytes(uint8_t *out, const uint8_t *bytes, size_t n)
{
	memcpy(out, bytes, n);
	return n;
}

#define C(...) \
	{ \
		.size = sizeof(struct hs_et_config), .version = HS_ET_2_1, __VA_ARGS__ \
	}

static struct hs_et_config plain(void)
{
	return (struct hs_et_config)C(.dialect = HS_ET_DIALECT_REFERENCE);
}

/* ---- parameters ----------------------------------------------------------------------- */

static const struct parameters {
	const char *name;
	struct hs_et_config c;
	enum hs_status want;
} parameters[] = {
	{ "nothing", C(0), HS_OK },
	{ "the largest sizes", C(.return_stack_size = 7, .bpred_size = 7, .cache_size = 7), HS_OK },
	{ "a stack of 256", C(.return_stack_size = 8), HS_E_CONFIG },
	{ "a predictor of 256", C(.bpred_size = 8), HS_E_CONFIG },
	{ "a cache of 256", C(.cache_size = 8), HS_E_CONFIG },
	{ "a counter of 2^15", C(.call_counter_size = 15), HS_OK },
	{ "time of 48 bits", C(.time = 1, .time_width = 48), HS_OK },
	{ "time of 40 bits", C(.time = 1, .time_width = 40), HS_E_CONFIG },
	{ "40 bits of no time", C(.time_width = 40), HS_OK },
	{ "64 other bits", C(.other_width = 64), HS_OK },
	{ "65 other bits", C(.other_width = 65), HS_E_CONFIG },
	{ "other bits of 2.0",
	  { .size = sizeof(struct hs_et_config), .other_width = 1 },
	  HS_E_CONFIG },
	{ "doptions", C(.data_trace = 1, .doptions_width = 1), HS_E_CONFIG },
	{ "ioptions of a layout", C(.layout = { .given = 1u << HS_ET_LAYOUT_IOPTIONS }),
	  HS_E_CONFIG },
	{ "encoder_mode of a layout",
	  C(.layout = { .given = 1u << HS_ET_LAYOUT_MODE_BITS, .mode_bits = 1 }), HS_E_CONFIG },
	{ "a synchronisation resets always", C(.sync_resets = 1), HS_OK },
	{ "of 2.0", { .size = sizeof(struct hs_et_config), .sync_resets = 1 }, HS_E_CONFIG },
	{ "the cache is kept", C(.cache_kept = 1, .cache_returns = 1), HS_OK },
	{ "irets, and returns in the cache", C(.cache_returns = 1, .iret_ext = 1), HS_OK },
	{ "of 0.026",
	  { .size = sizeof(struct hs_et_config), .version = HS_ET_0_026, .cache_kept = 1 },
	  HS_E_CONFIG },
	{ "a reading 2", C(.x0_inferable = 2), HS_E_CONFIG },
	{ "a byte after the last member", C(.reserved_end = { 0, 1 }), HS_E_CONFIG },
	/* 31 bytes, less a type of 2 bits: 38 + 63 + 3 + irdepth */
	{ "42 and 64 bits fit", C(.other_width = 64, .iaddress_width = 3), HS_OK },
	{ "prediction without a size", C(.options = HS_ET_BRANCH_PREDICTION), HS_E_CONFIG },
};

TEST_ROWS(parameters_that_a_packet_can_say, parameters, row)
{
	assert_int_equal(hs_et_config_check(&row->c), row->want);
}

/* ---- values that mean nothing ---------------------------------------------------------- */

static const struct value {
	const char *name;
	uint64_t said;
	unsigned mode;
	enum hs_status want;
	unsigned bit; /* of the payload */
	const char *clause;
} values[] = {
	{ "time of 64 bits", TIME(4), 0, HS_OK, 0, NULL },
	{ "time of 80 bits", TIME(5), 0, HS_E_FIELD, 17, "ET Standard Support Packet format" },
	{ "a subformat of 2 bits", F0S(2), 0, HS_OK, 0, NULL },
	{ "a subformat of 3 bits", F0S(3), 0, HS_E_FIELD, 20, "ET Standard Support Packet format" },
	{ "encoder_mode 2", 0, 2, HS_E_FIELD, 5, "ET Format 3 subformat 3" },
	/* "Any other implementation specific information" */
	{ "bits after full_data", 1ull << 34, 0, HS_OK, 0, NULL },
};

TEST_ROWS(values_of_fields, values, row)
{
	static const uint8_t code[] = { 0x01, 0x00 };
	const struct hs_et_config c = plain();
	struct hs_et_decoder *d = et_decoder(&c, CODE_AT(0x1000, code));
	struct hs_block out[HS_ET_DECODE_ROOM];
	uint8_t bytes[16];
	struct hs_span in = { bytes, put_support(bytes, row->mode, 0, row->said) };
	size_t n;
	const enum hs_status s = hs_et_decoder_next(d, &in, out, HS_ET_DECODE_ROOM, &n);

	assert_int_equal(s, row->want == HS_OK ? HS_MORE : row->want);
	if (row->want == HS_OK)
		return;
	assert_int_equal(hs_et_decoder_diag(d)->packet.bits, row->bit);
	assert_string_equal(hs_et_decoder_diag(d)->clause, row->clause);
}

/* ---- tables ------------------------------------------------------------------------------ */

/* 0x1000 jal ra, 0x100a; 1004 c.nop; 1006 jal ra, 0x100a; 100a c.nop; 100c c.jr ra (ISA manual) */
static const uint8_t calls[] = { 0xef, 0x00, 0xa0, 0x00, 0x01, 0x00, 0xef,
	                         0x00, 0x40, 0x00, 0x01, 0x00, 0x82, 0x80 };

/* Decode all of it, with @bytes of memory.  @return  Half-words of the blocks. */
static unsigned decode(struct hs_et_decoder *d, const uint8_t *bytes, size_t length, size_t memory,
                       enum hs_reason *reason)
{
	static struct hs_et_source source;
	static uint64_t tables[64];
	const struct hs_et_config c = plain();
	struct hs_span in = { bytes, length };
	struct hs_block out[64];
	unsigned hwords = 0;
	enum hs_status s;
	size_t n;

	*reason = HS_REASON_NONE;
	assert_true(memory <= sizeof tables);
	assert_int_equal(hs_et_decoder_init(d, &c, table_of(CODE_AT(0x1000, calls)), &source, 1,
	                                    tables, memory),
	                 HS_OK);
	do {
		s = in.n ? hs_et_decoder_next(d, &in, out, 64, &n)
		         : hs_et_decoder_end(d, out, 64, &n);
		if (s != HS_OK && s != HS_MORE && *reason == HS_REASON_NONE)
			*reason = hs_et_decoder_diag(d)->reason;
		for (size_t i = 0; i < n; i++)
			hwords += out[i].kind == HS_KIND_BLOCK ? out[i].iretire : 0;
	} while (s != HS_OK);
	return hwords;
}

/* A stack of 16 addresses has 128 bytes. */
static const struct room {
	const char *name;
	size_t memory;
	enum hs_reason want;
	unsigned hwords;
} rooms[] = {
	{ "room for 16", 128, HS_REASON_NONE, 2 + 1 + 1 },
	{ "room for 15", 120, HS_REASON_TABLES, 0 },
	{ "no room", 0, HS_REASON_TABLES, 0 },
};

TEST_ROWS(tables_of_the_sizes_that_are_said, rooms, row)
{
	/* format 2, address +4 (1004), notify, updiscon 0, irreport 1, irdepth 1 (5 bits): the
	 * last instruction, after a return that went as predicted */
	static const uint8_t last[] = { 0x4a, 0x0a, 0, 0, 0, 0, 0, 0, 0, 0x18, 0x00 };
	struct hs_et_decoder d;
	enum hs_reason reason;
	uint8_t bytes[64];
	size_t n = put_support(bytes, 0, 0, IMPLICIT_RETURN | STACK(4));

	n += put_bytes(bytes + n, start, sizeof start);
	n += put_bytes(bytes + n, last, sizeof last);
	n += put_support(bytes + n, 0, 1, IMPLICIT_RETURN | STACK(4));
	const unsigned hwords = decode(&d, bytes, n, row->memory, &reason);

	assert_int_equal(reason, row->want);
	assert_int_equal(hwords, row->hwords + (row->hwords ? 1 : 0));
	if (reason == HS_REASON_NONE)
		return;
	struct hs_et_config c = plain();

	c.return_stack_size = 4;
	assert_int_equal(hs_et_source_memory(&c), 128);
}

/* Sizes that do not fit, and after them others that do. */
TEST(a_later_packet_fits)
{
	struct hs_et_decoder d;
	enum hs_reason reason;
	uint8_t bytes[64];
	size_t n = put_support(bytes, 0, 0, IMPLICIT_RETURN | STACK(4));

	n += put_bytes(bytes + n, start, sizeof start);
	n += put_support(bytes + n, 0, 0, 0);
	n += put_bytes(bytes + n, start, sizeof start);
	n += put_support(bytes + n, 0, 1, 0);
	assert_int_equal(decode(&d, bytes, n, 64, &reason), 2);
	assert_int_equal(reason, HS_REASON_TABLES);
	assert_int_equal(hs_et_decoder_stats(&d)->skipped, 1);
}

/* ---- what begins a trace ------------------------------------------------------------------ */

/* The encapsulation: length, type 2 of 2 bits; support; synchronisation at 0x1000. */
static size_t put_encap(uint8_t *out, unsigned qual, uint64_t said)
{
	uint64_t v = 2u | 0xfu << 2 | 1u << 6 | (uint64_t)qual << 9 | said << 11;
	/* 2, format 3, subformat 0, branch 1, privilege 3 (3 bits), address from bit 10 */
	static const uint8_t sync[] = { 0x04, 0xce, 0x01, 0x20, 0x00 };

	out[0] = 6;
	for (unsigned i = 0; i < 6; i++, v >>= 8)
		out[1 + i] = (uint8_t)v;
	memcpy(out + 7, sync, sizeof sync);
	return 7 + sizeof sync;
}

static const struct beginning {
	const char *name;
	uint64_t said;
	unsigned qual;
	bool want, may_be;
} beginnings[] = {
	{ "nothing is on, as 2.0 says it", 0, 0, false, false },
	{ "a predictor of 16", BRANCH_PREDICTOR | BPRED(4), 0, true, true },
	{ "resync_disabled", RESYNC_DISABLED, 0, true, true },
	{ "time of 16 bits", TIME(1), 0, true, true },
	{ "time of 64 bits", TIME(4), 0, true, true },
	{ "a subformat of 2 bits", F0S(2), 0, true, true },
	{ "a subformat of 1 bit", F0S(1), 0, true, true },
	{ "full addresses", FULL_IADDRESS, 0, true, true },
	{ "irets", IRET_EXT, 0, true, true },
	/* 2.0 says implicit-return, or full-address, with the same bytes */
	{ "sijump, and nothing that 2.0 cannot say", SIJUMP, 0, false, true },
	{ "implicit exceptions", IMPLICIT_EXCEPT, 0, false, true },
	{ "a predictor without a size", BRANCH_PREDICTOR | CACHE(1), 0, false, false },
	{ "packets were lost", BPRED(4), 2, false, false },
};

TEST_ROWS(a_trace_that_says_what_it_is, beginnings, row)
{
	uint8_t bytes[32];
	const struct hs_span in = { bytes, put_encap(bytes, row->qual, row->said) };
	struct hs_et_config c;
	uint32_t word;

	assert_int_equal(hs_et_recognise(&in, true, &c, &word), row->may_be);
	assert_int_equal(hs_et_recognise(&in, false, &c, &word), row->want);
	if (!row->want)
		return;
	assert_int_equal(c.version, HS_ET_2_1);
	hs_et_standard_config(&c, word);
	assert_int_equal(c.bpred_size, row->said >> 20 & 7);
	assert_int_equal(c.sync_mode == HS_ET_SYNC_OFF, row->said == RESYNC_DISABLED);
}

/* 2.0 has denable and doptions where 2.1 has full_iaddress and iret_ext. */
TEST(options_that_may_be_of_data_trace)
{
	/* type 3, and a synchronising packet after it */
	static const uint8_t data[] = { 0x01, 0x03, 0x04, 0xce, 0x01, 0x20, 0x00 };
	const uint64_t said[] = { FULL_IADDRESS, IRET_EXT, RESYNC_DISABLED };
	struct hs_et_config c;
	uint32_t word;

	for (unsigned i = 0; i < 3; i++) {
		uint8_t bytes[32];
		struct hs_span in = { bytes, put_encap(bytes, 0, said[i]) };

		assert_true(hs_et_recognise(&in, false, &c, &word));
		in.n += put_bytes(bytes + in.n, data, sizeof data);
		assert_int_equal(hs_et_recognise(&in, false, &c, &word), i == 2);
	}
	uint8_t bytes[32];
	struct hs_span in = { bytes, put_encap(bytes, 0, SIJUMP) };

	in.n += put_bytes(bytes + in.n, data, sizeof data);
	assert_false(hs_et_recognise(&in, false, &c, &word));
}

/* Without a packet that synchronises, or with one that is none, nothing is known. */
TEST(a_support_packet_is_not_enough)
{
	uint8_t bytes[32];
	struct hs_span in = { bytes, put_encap(bytes, 0, BPRED(4)) };
	struct hs_et_config c;
	uint32_t word;

	in.n = 7;
	assert_false(hs_et_recognise(&in, false, &c, &word));
	in.n = 12;
	bytes[8] = 0xc6; /* format 1 in place of 3 */
	assert_false(hs_et_recognise(&in, false, &c, &word));
	in.n = 0;
	assert_false(hs_et_recognise(&in, false, &c, &word));
	in.n = 14; /* two support packets */
	put_encap(bytes, 0, BPRED(4));
	memcpy(bytes + 7, bytes, 7);
	assert_false(hs_et_recognise(&in, false, &c, &word));
}

/* A trace may begin with the first instruction of a handler: type 2, format 3, subformat 1, branch
 * 1, privilege 3, ecause 2 (6 bits), interrupt 0, thaddr 1, address 0x800 from bit 18, tval 0. */
TEST(a_trace_that_begins_with_a_trap)
{
	static const uint8_t trap[] = { 0x04, 0xde, 0x09, 0x02, 0x20 };
	uint8_t bytes[32];
	struct hs_span in = { bytes, put_encap(bytes, 0, BPRED(4)) };
	struct hs_et_config c;
	uint32_t word;

	in.n = 7 + put_bytes(bytes + 7, trap, sizeof trap);
	assert_true(hs_et_recognise(&in, false, &c, &word));
}

/* Timestamps that the first packet does not have are not looked for. */
TEST(a_timestamp_that_comes_later)
{
	static const uint8_t timed[] = { 0x84, 0x05, 0xce, 0x01, 0x20, 0x00 };
	uint8_t bytes[32];
	struct hs_span in = { bytes, put_encap(bytes, 0, BPRED(4)) };
	struct hs_et_config c;
	uint32_t word;

	assert_true(hs_et_recognise(&in, false, &c, &word));
	in.n += put_bytes(bytes + in.n, timed, sizeof timed);
	assert_false(hs_et_recognise(&in, false, &c, &word));
}

/* Framings of the encapsulation with a predictor of 16: what our encoder writes is recognised. */
static const struct framing {
	const char *name;
	struct hs_et_config c;
	unsigned blocks; /* jumps, of which each is a packet */
	bool want;
} framings[] = {
	{ "standard, 1 jump", C(.bpred_size = 4), 1, true },
	{ "a timestamp of 3 bytes", C(.bpred_size = 4, .tstamp_bytes = 3), 20, true },
	{ "srcID of 4 bits", C(.bpred_size = 4, .src_bits = 4, .src_id = 5), 20, true },
	{ "srcID of 12 bits", C(.bpred_size = 4, .src_bits = 12, .src_id = 5), 20, true },
	{ "srcID, 1 jump: too little", C(.bpred_size = 4, .src_bits = 4, .src_id = 5), 1, false },
	{ "atb", C(.bpred_size = 4, .dialect = HS_ET_DIALECT_ATB), 20, true },
	{ "atb, 1 jump: too little", C(.bpred_size = 4, .dialect = HS_ET_DIALECT_ATB), 1, false },
	{ "encap1", C(.bpred_size = 4, .dialect = HS_ET_DIALECT_ENCAP1), 20, true },
	/* the same bytes as atb with a flow of 2 */
	{ "the reference flow", C(.bpred_size = 4, .dialect = HS_ET_DIALECT_REFERENCE), 20, true },
	/* 16 packets: what the support packet says is of all that come after it */
	{ "times, and three synchronisations",
	  C(.bpred_size = 4, .time = 1, .time_width = 48, .sync_mode = HS_ET_SYNC_PACKETS), 40,
	  true },
	{ "not of the encapsulation", C(.bpred_size = 4, .dialect = HS_ET_DIALECT_NONE), 20,
	  false },
};

TEST_ROWS(framings_that_are_recognised, framings, row)
{
	static struct hs_et_encoder e;
	static uint64_t tables[64];
	static uint8_t bytes[4096];
	struct hs_block jump = { .iretire = 1, .ilast = 1, .itype = HS_ITYPE_JUMP_UNINF };
	struct hs_et_config c;
	struct hs_span in = { bytes, 0 };
	size_t used, n;
	uint32_t word;

	assert_int_equal(hs_et_encoder_init(&e, &row->c, tables, sizeof tables), HS_OK);
	for (unsigned i = 0; i <= row->blocks; i++, in.n += n) {
		jump.iaddr = 0x1000 + 0x1230 * (uint64_t)i;
		assert_int_equal(
			hs_et_encode(&e, &jump, 1, &used, bytes + in.n, sizeof bytes - in.n, &n),
			HS_OK);
	}
	assert_int_equal(hs_et_encode_end(&e, bytes + in.n, sizeof bytes - in.n, &n), HS_OK);
	in.n += n;
	assert_int_equal(hs_et_recognise(&in, false, &c, &word), row->want);
	if (!row->want)
		return;
	assert_int_equal(c.dialect, row->c.dialect == HS_ET_DIALECT_REFERENCE ? HS_ET_DIALECT_ATB
	                                                                      : row->c.dialect);
	assert_int_equal(c.tstamp_bytes, row->c.tstamp_bytes);
	assert_int_equal(c.src_bits, row->c.src_bits);
}

/* Each member of the parameters that a packet says. */
TEST(parameters_of_a_packet)
{
	struct hs_et_config c = C(.time_width = 7);

	/* bits of the word are those of the packet but for the options' (et_support.def) */
	hs_et_standard_config(&c, 0x3fu | 1u << 7 | 3u << 8 | 2u << 11 | 5u << 13 | 10u << 16 |
	                                  6u << 20 | 3u << 23);
	assert_int_equal(c.options, 0x3f);
	assert_int_equal(c.sijump, 1);
	assert_int_equal(c.iret_ext, 1);
	assert_int_equal(c.time, 1);
	assert_int_equal(c.time_width, 48);
	assert_int_equal(c.f0s_width, 2);
	assert_int_equal(c.return_stack_size, 5);
	assert_int_equal(c.call_counter_size, 10);
	assert_int_equal(c.bpred_size, 6);
	assert_int_equal(c.cache_size, 3);
	assert_int_equal(c.sync_mode, HS_ET_SYNC_PACKETS);
	c.sync_mode = HS_ET_SYNC_CYCLES;
	hs_et_standard_config(&c, 0);
	assert_int_equal(c.options | c.iret_ext | c.time | c.f0s_width | c.bpred_size, 0);
	assert_int_equal(c.sijump, 0);
	assert_int_equal(c.time_width, 48); /* there is none: it stays */
	assert_int_equal(c.sync_mode, HS_ET_SYNC_CYCLES);
	hs_et_standard_config(&c, 1u << 6);
	assert_int_equal(c.sync_mode, HS_ET_SYNC_OFF);
}

/* ---- readings (docs/errata.md) ----------------------------------------------------------- */

/* 0x100 jalr ra, 0x140(x0); 0x140 c.nop, c.nop (ISA manual): a packet of format 2 after the start,
 * and where it leads (ET-24).  The half-words are those of jalr, and of c.nop. */
static const struct jump {
	const char *name;
	uint8_t x0_inferable, n, bytes[4];
	enum hs_status want;
	unsigned hwords;
} jumps[] = {
	/* +0x40 and +0x42 in half-words, from bit 2 on */
	{ "reported", 0, 3, { 0x42, 0x82, 0x00 }, HS_OK, 2 + 1 },
	{ "inferred", 1, 3, { 0x42, 0x82, 0x00 }, HS_OK, 2 + 1 },
	{ "inferred, and one more", 1, 3, { 0x42, 0x86, 0x00 }, HS_OK, 2 + 2 },
	{ "reported, as if it led to the second", 0, 3, { 0x42, 0x86, 0x00 }, HS_OK, 2 + 1 },
	/* 0x144 and on is no code */
	{ "inferred, and elsewhere", 1, 3, { 0x42, 0x96, 0x00 }, HS_E_NOCODE, 2 + 2 },
};

/* jalr ra, 0x140(x0), and without the link, which is no call. */
static const uint8_t by_x0[][4] = { { 0xe7, 0x00, 0x00, 0x14 }, { 0x67, 0x00, 0x00, 0x14 } };

static void jump_by_x0(const struct jump *row, const uint8_t *insn)
{
	static uint8_t code[0x44];
	struct hs_et_config c = plain();
	struct hs_block out[2 * HS_ET_DECODE_ROOM];
	uint8_t bytes[8];
	struct hs_span in = { bytes, 0 };
	enum hs_status s;
	size_t n, more;
	unsigned hwords = 0;

	/* the start at 0x100: address 0x80 from bit 8 on */
	in.n = put_bytes(bytes, (const uint8_t[]){ 0x43, 0x73, 0x80, 0x00 }, 4);
	in.n += put_bytes(bytes + in.n, row->bytes, row->n);
	c.x0_inferable = row->x0_inferable;
	for (unsigned i = 0; i < sizeof code; i += 2)
		code[i] = 0x01; /* c.nop */
	memcpy(code, insn, 4);
	struct hs_et_decoder *d = et_decoder(&c, CODE_AT(0x100, code));

	s = hs_et_decoder_next(d, &in, out, HS_ET_DECODE_ROOM, &n);
	assert_int_equal(s, row->want == HS_OK ? HS_MORE : row->want);
	if (s == HS_MORE)
		assert_int_equal(hs_et_decoder_end(d, out + n, HS_ET_DECODE_ROOM, &more), HS_OK);
	for (size_t i = 0; i < n + (s == HS_MORE ? more : 0); i++)
		hwords += out[i].kind == HS_KIND_BLOCK ? out[i].iretire : 0;
	assert_int_equal(hwords, row->hwords);
}

TEST_ROWS(jumps_by_x0, jumps, row)
{
	jump_by_x0(row, by_x0[0]);
	jump_by_x0(row, by_x0[1]);
}

/* Of jumps only jalr has its target in the opcode: where mret leads is reported (ISA manual). */
TEST(a_trap_return_is_no_jump_by_x0)
{
	static const uint8_t mret[] = { 0x73, 0x00, 0x20, 0x30 };
	static const struct jump row = { "", 1, 3, { 0x42, 0x86, 0x00 }, HS_OK, 2 + 1 };

	jump_by_x0(&row, mret);
}

/* jalr ra, -64(x0) at -128: the end of the address space (ISA manual). */
static const struct top {
	const char *name;
	uint8_t xlen;
	uint64_t base;
} tops[] = {
	{ "of 32 bits", 32, 0xffffff80 },
	{ "of 64 bits", 64, 0xffffffffffffff80 },
};

TEST_ROWS(jumps_by_x0_at_the_top, tops, row)
{
	static uint8_t code[0x44] = { 0xe7, 0x00, 0x00, 0xfc };
	/* the start: -0x40 half-words from bit 8 on; then +0x42 of them, and two c.nop */
	static const uint8_t bytes[] = { 0x43, 0x73, 0xc0, 0xff, 0x42, 0x86, 0x00 };
	const struct hs_section section = { row->base, sizeof code, code };
	const struct hs_image image = { &section, 1, { .xlen = row->xlen }, 0 };
	struct hs_span in = { bytes, sizeof bytes };
	struct hs_et_config c = plain();
	struct hs_block out[2 * HS_ET_DECODE_ROOM];
	unsigned hwords = 0;
	size_t n, more;

	code[0x40] = code[0x42] = 0x01; /* c.nop */
	c.x0_inferable = 1;
	c.iaddress_width = row->xlen;
	struct hs_et_decoder *d = et_decoder(&c, &image);

	assert_int_equal(hs_et_decoder_next(d, &in, out, HS_ET_DECODE_ROOM, &n), HS_MORE);
	assert_int_equal(hs_et_decoder_end(d, out + n, HS_ET_DECODE_ROOM, &more), HS_OK);
	for (size_t i = 0; i < n + more; i++)
		hwords += out[i].kind == HS_KIND_BLOCK ? out[i].iretire : 0;
	assert_int_equal(hwords, 2 + 2);
}

/* Two changes of options at the second half of a pair (ET sijump): the last one counts.  Of a pair
 * that the change parts, the target synchronises, too. */
static const struct pair {
	const char *name;
	unsigned before, options[2], starts;
} pairs[] = {
	{ "on", 0, { HS_ET_SIJUMP, HS_ET_SIJUMP }, 3 },
	{ "on, and off", 0, { HS_ET_SIJUMP, 0 }, 2 },
	{ "off, and on", HS_ET_SIJUMP, { 0, HS_ET_SIJUMP }, 3 },
	{ "off", HS_ET_SIJUMP, { 0, 0 }, 2 },
};

#define INSNS(a, n) \
	{ \
		.iaddr = (a), .iretire = (n), .ilast = 2, .priv = HS_PRIV_M \
	}

TEST_ROWS(options_at_a_pair, pairs, row)
{
	static const struct hs_block in[] = { INSNS(0x100, 4),
		                              { .iaddr = 0x108,
		                                .iretire = 2,
		                                .ilast = 2,
		                                .itype = HS_ITYPE_JUMP_UNINF,
		                                .priv = HS_PRIV_M,
		                                .sijump = 1 },
		                              INSNS(0x300, 4),
		                              INSNS(0x308, 4) };
	struct hs_et_config c = plain();
	static struct hs_et_encoder e;
	uint8_t bytes[4 * HS_ET_ENCODE_ROOM];
	const struct hs_et_counts *stats;
	size_t used, n;

	c.options = (uint8_t)row->before;
	c.sijump = 1;
	assert_int_equal(hs_et_encoder_init(&e, &c, NULL, 0), HS_OK);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(hs_et_encode(&e, &in[i], 1, &used, bytes, sizeof bytes, &n),
		                 HS_OK);
		if (i < 2)
			assert_int_equal(hs_et_encoder_set_options(&e, row->options[i]), HS_OK);
	}
	stats = hs_et_encoder_stats(&e);
	assert_int_equal(stats->packets[HS_ET_FORM_START], row->starts);
	assert_int_equal(stats->packets[HS_ET_FORM_START] + stats->packets[HS_ET_FORM_ADDRESS], 4);
}

/* Calls one in another, and the returns from them: how many a counter infers (ET-25). */
static const struct depth {
	const char *name;
	uint8_t size, bits;
	unsigned calls, reported;
} depths[] = {
	{ "2 calls", 1, 0, 2, 0 }, { "2 calls, and 1", 1, 0, 3, 1 },
	{ "2 bits", 1, 1, 3, 0 },  { "2 bits, and 1 call", 1, 1, 4, 1 },
	{ "4 bits", 2, 1, 15, 0 }, { "4 bits, and 1 call", 2, 1, 16, 1 },
};

TEST_ROWS(calls_a_counter_counts, depths, row)
{
	struct hs_block b = { .iretire = 2, .ilast = 2, .priv = HS_PRIV_M };
	static struct hs_et_encoder e;
	static uint64_t tables[64];
	static uint8_t bytes[64 * HS_ET_ENCODE_ROOM];
	struct hs_et_config c = plain();
	size_t used, n;

	c.options = HS_ET_IMPLICIT_RETURN;
	c.call_counter_size = row->size;
	c.counter_bits = row->bits;
	c.iret_ext = 1;
	assert_int_equal(hs_et_encoder_init(&e, &c, tables, sizeof tables), HS_OK);
	for (unsigned i = 0; i < 2 * row->calls; i++) {
		const unsigned depth = i < row->calls ? i : 2 * row->calls - i;

		b.itype = i < row->calls ? HS_ITYPE_CALL_INF : HS_ITYPE_RETURN;
		b.iaddr = 0x1000 + 0x100 * (uint64_t)depth + 4 * (i >= row->calls);
		assert_int_equal(hs_et_encode(&e, &b, 1, &used, bytes, sizeof bytes, &n), HS_OK);
	}
	b.itype = HS_ITYPE_NONE;
	b.iaddr = 0x1004;
	assert_int_equal(hs_et_encode(&e, &b, 1, &used, bytes, sizeof bytes, &n), HS_OK);
	b.iaddr = 0x1008;
	assert_int_equal(hs_et_encode(&e, &b, 1, &used, bytes, sizeof bytes, &n), HS_OK);
	assert_int_equal(hs_et_encoder_stats(&e)->packets[HS_ET_FORM_ADDRESS], row->reported);
}

/* A counter of n bits of size, or of n calls (ET-25): what it has memory for. */
static const struct counter {
	const char *name;
	struct hs_et_config c;
	size_t want;
} counters[] = {
	{ "2^3 calls", C(.call_counter_size = 3), 8 * 8 },
	{ "2^3 bits", C(.call_counter_size = 3, .counter_bits = 1, .iret_ext = 1), 8 * 256 },
	{ "2^15 bits, as many as are needed",
	  C(.call_counter_size = 15, .counter_bits = 1, .iret_ext = 1), 8 * 65536 },
	{ "a stack next to it",
	  C(.return_stack_size = 2, .call_counter_size = 3, .counter_bits = 1), 8 * 4 },
	{ "irdepth has no room for it",
	  C(.call_counter_size = 3, .counter_bits = 1, .options = HS_ET_IMPLICIT_RETURN), 0 },
};

TEST_ROWS(memory_of_a_counter, counters, row)
{
	assert_int_equal(hs_et_source_memory(&row->c), row->want);
	assert_int_equal(hs_et_encoder_memory(&row->c), row->want);
}

/* ---- sources ----------------------------------------------------------------------------- */

/* The program of `calls`, once through. */
static const struct hs_block through[] = {
	{ .iaddr = 0x1000, .iretire = 2, .ilast = 2, .itype = HS_ITYPE_CALL_INF, .priv = 3 },
	{ .iaddr = 0x100a, .iretire = 2, .ilast = 1, .itype = HS_ITYPE_RETURN, .priv = 3 },
	{ .iaddr = 0x1004, .iretire = 3, .ilast = 2, .itype = HS_ITYPE_CALL_INF, .priv = 3 },
	{ .iaddr = 0x100a, .iretire = 2, .ilast = 1, .itype = HS_ITYPE_RETURN, .priv = 3 },
	{ .iaddr = 0x100a, .iretire = 2, .ilast = 1, .itype = HS_ITYPE_RETURN, .priv = 3 },
	{ .iaddr = 0x100a, .iretire = 1, .ilast = 1, .priv = 3 },
};

#define SOURCE(id, ...) C(.src_bits = 4, .src_id = (id), __VA_ARGS__)

/* Two sources by turns, of which each says its own sizes. */
TEST(sources_have_their_own_sizes)
{
	static const struct hs_et_config c[] = {
		SOURCE(1, .time = 1, .time_width = 48, .return_stack_size = 3,
		       .options = HS_ET_IMPLICIT_RETURN),
		SOURCE(2, .f0s_width = 2, .cache_size = 4, .options = HS_ET_JUMP_TARGET_CACHE)
	};
	static const struct hs_et_config decoded = C(.src_bits = 4);
	static struct hs_et_encoder e[2];
	static struct hs_et_decoder d;
	static struct hs_et_source sources[2];
	static uint64_t tables[2][64], room[64];
	static uint8_t bytes[64 * HS_ET_ENCODE_ROOM];
	struct hs_block out[64];
	struct hs_span in = { bytes, 0 };
	const size_t blocks = sizeof through / sizeof *through;
	unsigned hwords = 0;
	enum hs_status s;
	size_t used, n;

	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(hs_et_encoder_init(&e[i], &c[i], tables[i], sizeof *tables),
		                 HS_OK);
	for (size_t i = 0; i < 2 * blocks; i++, in.n += n)
		assert_int_equal(hs_et_encode(&e[i % 2], &through[i / 2], 1, &used, bytes + in.n,
		                              sizeof bytes - in.n, &n),
		                 HS_OK);
	for (unsigned i = 0; i < 2; i++, in.n += n)
		assert_int_equal(hs_et_encode_end(&e[i], bytes + in.n, sizeof bytes - in.n, &n),
		                 HS_OK);
	assert_int_equal(hs_et_decoder_init(&d, &decoded, table_of(CODE_AT(0x1000, calls)), sources,
	                                    2, room, sizeof room),
	                 HS_OK);
	do {
		s = in.n ? hs_et_decoder_next(&d, &in, out, 64, &n)
		         : hs_et_decoder_end(&d, out, 64, &n);
		assert_true(s == HS_OK || s == HS_MORE);
		for (size_t i = 0; i < n; i++)
			hwords += out[i].kind == HS_KIND_BLOCK ? out[i].iretire : 0;
	} while (s != HS_OK);
	assert_int_equal(hwords, 2 * (2 + 2 + 3 + 2 + 2 + 1));
}

/* A source that is new has the options of the parameters until it says its own: its first packet
 * has a time of 48 bits. */
TEST(a_source_that_says_nothing)
{
	static const struct hs_et_config c[] = { SOURCE(1, .return_stack_size = 3,
		                                        .options = HS_ET_IMPLICIT_RETURN),
		                                 SOURCE(2, .time = 1, .time_width = 48) };
	static const struct hs_et_config decoded = C(.src_bits = 4, .time = 1, .time_width = 48);
	static struct hs_et_encoder e;
	static struct hs_et_decoder d;
	static struct hs_et_source sources[2];
	static uint64_t tables[64], room[64];
	static uint8_t bytes[2][16 * HS_ET_ENCODE_ROOM];
	struct hs_block out[64];
	unsigned hwords = 0;
	enum hs_status s;
	size_t used, n, more;

	assert_int_equal(hs_et_decoder_init(&d, &decoded, table_of(CODE_AT(0x1000, calls)), sources,
	                                    2, room, sizeof room),
	                 HS_OK);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(hs_et_encoder_init(&e, &c[i], tables, sizeof tables), HS_OK);
		assert_int_equal(hs_et_encode(&e, through, 3, &used, bytes[i], sizeof *bytes, &n),
		                 HS_OK);
		assert_int_equal(hs_et_encode_end(&e, bytes[i] + n, sizeof *bytes - n, &more),
		                 HS_OK);
		/* without its support packet: length in bits 4:0 (EE Header) */
		const size_t skip = i == 0 ? 0 : 1 + (bytes[i][0] & 31);
		struct hs_span in = { bytes[i] + skip, n + more - skip };

		do {
			s = hs_et_decoder_next(&d, &in, out, 64, &n);
			assert_true(s == HS_OK || s == HS_MORE);
			for (size_t k = 0; k < n; k++)
				hwords += out[k].kind == HS_KIND_BLOCK ? out[k].iretire : 0;
		} while (s != HS_MORE);
	}
	assert_int_equal(hwords, 2 * (2 + 2 + 3));
}

static bool has_field(unsigned version, enum hs_et_field field)
{
	uint8_t list[HS_ETF_COUNT];
	const unsigned n = hs_et_form_fields(version, HS_ET_FORM_SUPPORT, list);

	for (unsigned i = 0; i < n; i++)
		if (list[i] == field)
			return true;
	return false;
}

TEST(fields_of_a_support_packet)
{
	for (unsigned field = HS_ETF_SIJUMP; field < HS_ETF_COUNT; field++) {
		assert_true(has_field(HS_ET_2_1, field));
		assert_false(has_field(HS_ET_2_0, field));
	}
	assert_true(has_field(HS_ET_2_0, HS_ETF_IOPTIONS));
	assert_true(has_field(HS_ET_2_0, HS_ETF_DOPTIONS));
	assert_false(has_field(HS_ET_2_1, HS_ETF_IOPTIONS));
	assert_false(has_field(HS_ET_2_1, HS_ETF_DOPTIONS));
	assert_true(has_field(HS_ET_2_0, HS_ETF_DENABLE) && has_field(HS_ET_2_1, HS_ETF_DENABLE));
}

/* Chunks meet where the sources are the same (src/trace): each of these has to be. */
TEST(sources_that_differ)
{
	static struct hs_et_source a;

	assert_true(hs_et_source_same(NULL, &a, &a));
#define DIFFERS(member) \
	do { \
		static struct hs_et_source b; \
		b.member = 1; \
		assert_false(hs_et_source_same(NULL, &a, &b)); \
		assert_false(hs_et_source_same(NULL, &b, &a)); \
	} while (0)
	DIFFERS(options);
	DIFFERS(unfit);
	DIFFERS(restarts);
	DIFFERS(changed);
	DIFFERS(inferred);
	DIFFERS(contexted);
	DIFFERS(landed);
	DIFFERS(own);
	DIFFERS(phase);
	DIFFERS(path.calls_unseen);
	DIFFERS(path.states_unseen);
#undef DIFFERS
}
