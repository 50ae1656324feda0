/* The standard support packet of E-Trace 2.1 (ET Standard Support Packet format): what it may say,
 * and what a decoder makes of it. */
#include "cases.h"

#include <hartscope/etrace.h>

#include "etrace/et_config.h"
#include "etrace/etrace.h"
#include "unit/decoders.h"

/* Bits from sijump on, as the text's table has them. */
#define IMPLICIT_RETURN (1ull << 1)
#define BRANCH_PREDICTOR (1ull << 2)
#define RESYNC_DISABLED (1ull << 6)
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

#define C(...) { .size = sizeof(struct hs_et_config), .version = HS_ET_2_1, __VA_ARGS__ }

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
	{ "other bits of 2.0", { .size = sizeof(struct hs_et_config), .other_width = 1 },
	  HS_E_CONFIG },
	{ "doptions", C(.data_trace = 1, .doptions_width = 1), HS_E_CONFIG },
	{ "ioptions of a layout", C(.layout = { .given = 1u << HS_ET_LAYOUT_IOPTIONS }),
	  HS_E_CONFIG },
	{ "encoder_mode of a layout",
	  C(.layout = { .given = 1u << HS_ET_LAYOUT_MODE_BITS, .mode_bits = 1 }), HS_E_CONFIG },
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
	                                    tables, memory), HS_OK);
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
	bool want;
} beginnings[] = {
	{ "nothing is on, as 2.0 says it", 0, 0, false },
	{ "a predictor of 16", BRANCH_PREDICTOR | BPRED(4), 0, true },
	{ "resync_disabled", RESYNC_DISABLED, 0, true },
	/* 2.0 says implicit-return with the same bytes */
	{ "sijump, and nothing that 2.0 cannot say", 1, 0, false },
	{ "a predictor without a size", BRANCH_PREDICTOR | CACHE(1), 0, false },
	{ "packets were lost", BPRED(4), 2, false },
};

TEST_ROWS(a_trace_that_says_what_it_is, beginnings, row)
{
	uint8_t bytes[32];
	const struct hs_span in = { bytes, put_encap(bytes, row->qual, row->said) };
	struct hs_et_config c;
	uint32_t word;

	assert_int_equal(hs_et_recognise(&in, &c, &word), row->want);
	if (!row->want)
		return;
	assert_int_equal(c.version, HS_ET_2_1);
	hs_et_standard_config(&c, word);
	assert_int_equal(c.bpred_size, row->said >> 20 & 7);
	assert_int_equal(c.sync_mode == HS_ET_SYNC_OFF, row->said == RESYNC_DISABLED);
}

/* Without a packet that synchronises, or with one that is none, nothing is known. */
TEST(a_support_packet_is_not_enough)
{
	uint8_t bytes[32];
	struct hs_span in = { bytes, put_encap(bytes, 0, BPRED(4)) };
	struct hs_et_config c;
	uint32_t word;

	in.n = 7;
	assert_false(hs_et_recognise(&in, &c, &word));
	in.n = 12;
	bytes[8] = 0xc6; /* format 1 in place of 3 */
	assert_false(hs_et_recognise(&in, &c, &word));
	in.n = 0;
	assert_false(hs_et_recognise(&in, &c, &word));
}
