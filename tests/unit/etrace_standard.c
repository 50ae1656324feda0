/* The standard support packet of E-Trace 2.1 (ET Standard Support Packet format): what it may say,
 * and what a decoder makes of it. */
#include "cases.h"

#include <hartscope/etrace.h>

#include "etrace/et_config.h"
#include "etrace/et_decoder.h"
#include "etrace/etrace.h"
#include "unit/decoders.h"
#include "unit/et_support.h"

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

/* Options whose sizes the first support packet says (ET Standard Support Packet format). */
static const struct awaited {
	const char *name;
	struct hs_et_config c;
	unsigned want;
} awaited[] = {
	{ "returns", C(.options = HS_ET_IMPLICIT_RETURN | HS_ET_FULL_ADDRESS), HS_ET_FULL_ADDRESS },
	{ "returns with a stack", C(.options = HS_ET_IMPLICIT_RETURN, .return_stack_size = 1),
	  HS_ET_IMPLICIT_RETURN },
	{ "returns with a counter", C(.options = HS_ET_IMPLICIT_RETURN, .call_counter_size = 1),
	  HS_ET_IMPLICIT_RETURN },
	{ "a predictor", C(.options = HS_ET_BRANCH_PREDICTION), 0 },
	{ "a predictor of 2", C(.options = HS_ET_BRANCH_PREDICTION, .bpred_size = 1),
	  HS_ET_BRANCH_PREDICTION },
	{ "a cache", C(.options = HS_ET_JUMP_TARGET_CACHE), 0 },
	{ "a cache of 2", C(.options = HS_ET_JUMP_TARGET_CACHE, .cache_size = 1),
	  HS_ET_JUMP_TARGET_CACHE },
	{ "pairs", C(.options = HS_ET_SIJUMP), 0 },
	{ "pairs of an encoder that has them", C(.options = HS_ET_SIJUMP, .sijump = 1),
	  HS_ET_SIJUMP },
	{ "exceptions need no size", C(.options = HS_ET_IMPLICIT_EXCEPT), HS_ET_IMPLICIT_EXCEPT },
	{ "the subformat of format 0",
	  C(.options = HS_ET_BRANCH_PREDICTION | HS_ET_JUMP_TARGET_CACHE, .bpred_size = 1,
	    .cache_size = 1),
	  0 },
	{ "both, with the subformat",
	  C(.options = HS_ET_BRANCH_PREDICTION | HS_ET_JUMP_TARGET_CACHE, .bpred_size = 1,
	    .cache_size = 1, .f0s_width = 1),
	  HS_ET_BRANCH_PREDICTION | HS_ET_JUMP_TARGET_CACHE },
};

TEST_ROWS(options_that_wait_for_their_sizes, awaited, row)
{
	struct hs_et_config c = row->c;

	hs_et_config_await(&c);
	assert_int_equal(c.options, row->want);
	assert_int_equal(hs_et_config_check(&c), HS_OK);
}

/* Support packets of other versions say no sizes; what is refused otherwise stays so. */
TEST(options_that_wait_for_nothing)
{
	struct hs_et_config c = { .size = sizeof c, .options = HS_ET_IMPLICIT_RETURN };

	hs_et_config_await(&c);
	assert_int_equal(c.options, HS_ET_IMPLICIT_RETURN);
	c.version = HS_ET_2_1;
	c.itype_width = 5;
	hs_et_config_await(&c);
	assert_int_equal(c.options, HS_ET_IMPLICIT_RETURN);
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

/* Packets say an option, and no parameter has to name it. */
TEST(an_option_that_no_parameter_names)
{
	static const uint8_t code[] = { 0x01, 0x00 };
	const struct hs_et_config c = plain();
	struct hs_et_decoder *d = et_decoder(&c, CODE_AT(0x1000, code));
	struct hs_block out[HS_ET_DECODE_ROOM];
	uint8_t bytes[16];
	struct hs_span in = { bytes, put_support(bytes, 0, 0, SIJUMP) };
	size_t n;

	in.n += put_bytes(bytes + in.n, start, sizeof start);
	assert_int_equal(hs_et_decoder_next(d, &in, out, HS_ET_DECODE_ROOM, &n), HS_MORE);
	assert_int_equal(d->sources->options, HS_ET_SIJUMP);
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

/* ---- options that change ----------------------------------------------------------------- */

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
