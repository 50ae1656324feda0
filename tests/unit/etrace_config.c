/* hs_et_config: ranges, sizes of older and newer callers, and what 0 means (et_config.h,
 * ADR-0027). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <hartscope/etrace.h>

#define C(...) { .size = sizeof(struct hs_et_config), __VA_ARGS__ }

/* Padding by the last bit received (ADR-0059). */
#define SIGNED { .given = 1u << HS_ET_LAYOUT_PADDING, .padding = HS_ET_PADDING_SIGN }

static const struct range {
	const char *name;
	struct hs_et_config c;
	enum hs_status want;
} ranges[] = {
	{ "zeroed", { .size = sizeof(struct hs_et_config) }, HS_OK },
	{ "version 4", C(.version = HS_ET_VERSIONS), HS_E_CONFIG },
	{ "dialect 6", C(.dialect = HS_ET_DIALECT_COUNT), HS_E_CONFIG },
	{ "addresses of 2 bits, no unit", C(.iaddress_width = 2, .iaddress_unit = 1), HS_OK },
	{ "addresses of 2 bits, half-words", C(.iaddress_width = 2), HS_E_CONFIG },
	{ "addresses of 3 bits, half-words", C(.iaddress_width = 3), HS_OK },
	{ "addresses of 3 bits, words", C(.iaddress_width = 3, .iaddress_unit = 4), HS_E_CONFIG },
	{ "addresses of 4 bits, words", C(.iaddress_width = 4, .iaddress_unit = 4), HS_OK },
	{ "addresses of 65 bits", C(.iaddress_width = 65), HS_E_CONFIG },
	{ "unit 3", C(.iaddress_unit = 3), HS_E_CONFIG },
	{ "unit 8", C(.iaddress_unit = 8), HS_E_CONFIG },
	{ "privilege of 5 bits", C(.privilege_width = 5), HS_E_CONFIG },
	{ "ecause of 65 bits", C(.ecause_width = 65), HS_E_CONFIG },
	{ "context 2", C(.context = 2), HS_E_CONFIG },
	{ "context of 65 bits", C(.context_width = 65), HS_E_CONFIG },
	{ "time 2", C(.time = 2), HS_E_CONFIG },
	{ "time of 65 bits", C(.time_width = 65), HS_E_CONFIG },
	{ "itype of 2 bits", C(.itype_width = 2), HS_E_CONFIG },
	{ "itype of 5 bits", C(.itype_width = 5), HS_E_CONFIG },
	{ "f0s of 3 bits", C(.f0s_width = 3), HS_E_CONFIG },
	{ "bpred_size 16", C(.bpred_size = HS_ET_BPRED_MAX + 1), HS_E_CONFIG },
	{ "cache_size 16", C(.cache_size = HS_ET_CACHE_MAX + 1), HS_E_CONFIG },
	{ "call counter of 16 bits", C(.call_counter_size = HS_ET_RETURN_MAX + 1), HS_E_CONFIG },
	{ "return stack of 16 bits", C(.return_stack_size = HS_ET_RETURN_MAX + 1), HS_E_CONFIG },
	/* ET Example ipxact description: fields of 4 bits */
	{ "bpred_size 15", C(.bpred_size = 15), HS_OK },
	{ "cache_size 15", C(.cache_size = 15), HS_OK },
	{ "call counter of 15 bits", C(.call_counter_size = 15), HS_OK },
	{ "return stack of 15 bits", C(.return_stack_size = 15), HS_OK },
	/* ET Format 2 irreport adds the sizes for irdepth */
	{ "call counter and return stack", C(.call_counter_size = 9, .return_stack_size = 7),
	  HS_OK },
	{ "arch 16", C(.arch = 16), HS_E_CONFIG },
	{ "sync_mode 4", C(.sync_mode = HS_ET_SYNC_HALFWORDS + 1), HS_E_CONFIG },
	{ "sync_max 21", C(.sync_max = 21), HS_E_CONFIG },
	{ "srcID of 16 bits", C(.src_bits = 16, .src_id = 0xffff), HS_OK },
	{ "srcID of 17 bits", C(.src_bits = 17), HS_E_CONFIG },
	{ "srcID fits", C(.src_bits = 3, .src_id = 7), HS_OK },
	{ "srcID too wide", C(.src_bits = 3, .src_id = 8), HS_E_CONFIG },
	{ "srcID with no place in the framing",
	  C(.dialect = HS_ET_DIALECT_REFERENCE, .src_bits = 3), HS_E_CONFIG },
	{ "timestamp of 9 bytes", C(.tstamp_bytes = 9), HS_E_CONFIG },
	{ "diff_on_tie 2", C(.diff_on_tie = 2), HS_E_CONFIG },
	{ "strict 2", C(.strict = 2), HS_E_CONFIG },
	{ "doptions without data trace", C(.doptions_width = 1), HS_E_CONFIG },
	{ "doptions of 17 bits", C(.data_trace = 1, .doptions_width = 17), HS_E_CONFIG },
	{ "a reserved byte", C(.reserved = { 0, 1 }), HS_E_CONFIG },
	/* options and their tables (ET Optional and run-time configurable modes) */
	{ "si-jump without sijump_p", C(.options = HS_ET_SIJUMP), HS_E_CONFIG },
	{ "si-jump", C(.options = HS_ET_SIJUMP, .sijump = 1), HS_OK },
	{ "implicit return without a table", C(.options = HS_ET_IMPLICIT_RETURN), HS_E_CONFIG },
	{ "implicit return", C(.options = HS_ET_IMPLICIT_RETURN, .call_counter_size = 1), HS_OK },
	{ "prediction without a table", C(.options = HS_ET_BRANCH_PREDICTION), HS_E_CONFIG },
	{ "cache without a table", C(.options = HS_ET_JUMP_TARGET_CACHE), HS_E_CONFIG },
	{ "prediction and cache without f0s",
	  C(.options = HS_ET_BRANCH_PREDICTION | HS_ET_JUMP_TARGET_CACHE, .bpred_size = 1,
	    .cache_size = 1),
	  HS_E_CONFIG },
	{ "prediction and cache",
	  C(.options = HS_ET_BRANCH_PREDICTION | HS_ET_JUMP_TARGET_CACHE, .bpred_size = 1,
	    .cache_size = 1, .f0s_width = 1),
	  HS_OK },
	{ "0.026 has full addresses only",
	  C(.version = HS_ET_0_026, .options = HS_ET_SIJUMP, .sijump = 1), HS_E_CONFIG },
	/* EE Header: 31 bytes are 248 bits; a trap is 7 + privilege 3 + ecause 32 + context 64 +
	 * address 63 + tval 64 = 233, + 2 of the type; in whole bytes 240 + 2 + padding fit (ET
	 * Packets) */
	{ "a packet of 248 bits",
	  C(.ecause_width = 32, .context = 1, .context_width = 64, .time = 1, .time_width = 13,
	    .layout = SIGNED),
	  HS_OK },
	{ "a packet of 249 bits",
	  C(.ecause_width = 32, .context = 1, .context_width = 64, .time = 1, .time_width = 14,
	    .layout = SIGNED),
	  HS_E_CONFIG },
	{ "a payload of 240 bits",
	  C(.ecause_width = 32, .context = 1, .context_width = 64, .time = 1, .time_width = 7),
	  HS_OK },
	{ "a payload of 241 bits",
	  C(.ecause_width = 32, .context = 1, .context_width = 64, .time = 1, .time_width = 8),
	  HS_E_CONFIG },
	{ "a packet of 249 bits, were time in it",
	  C(.ecause_width = 32, .context = 1, .context_width = 64, .time_width = 14), HS_OK },
};

/* Words of the largest tables of an encoder: 2^15 addresses or targets. */
#define TABLES (1u << 15)

/* Everything that takes a configuration says the same of it. */
static void range(void **state)
{
	const struct range *r = *state;
	const struct hs_et_packet p = { .form = HS_ET_FORM_CONTEXT };
	static struct hs_et_encoder e;
	static struct hs_et_decoder d;
	struct hs_et_reader reader;
	struct hs_et_config c = r->c;
	struct hs_bb_table table = { 0 };
	static struct hs_et_source source;
	static uint64_t tables[TABLES];
	uint8_t out[HS_ET_PACKET_MAX];

	assert_int_equal(hs_et_config_check(&c), r->want);
	assert_int_equal(hs_et_encoder_init(&e, &c, tables, sizeof tables), r->want);
	assert_int_equal(hs_et_reader_init(&reader, &c), r->want);
	assert_int_equal(hs_et_decoder_init(&d, &c, &table, &source, 1, tables, sizeof tables),
	                 r->want);
	assert_int_equal(hs_et_write(&c, &p, out) != 0, r->want == HS_OK);
	assert_memory_equal(&c, &r->c, sizeof c);
	assert_int_equal(hs_et_config_resolve(&c), r->want);
	if (r->want != HS_OK)
		assert_memory_equal(&c, &r->c, sizeof c);
}

/* A struct of an older caller ends where one of these members begins.  The bytes after it are not
 * looked at: each of these members would refuse 0xff. */
static void smaller(void **state)
{
	const uint32_t sizes[] = { offsetof(struct hs_et_config, version),
		                   offsetof(struct hs_et_config, context),
		                   offsetof(struct hs_et_config, sync_max),
		                   offsetof(struct hs_et_config, iret_ext) };

	(void)state;
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		struct hs_et_config c;

		memset(&c, 0, sizeof c);
		memset((char *)&c + sizes[i], 0xff, sizeof c - sizes[i]);
		c.size = sizes[i];
		assert_int_equal(hs_et_config_check(&c), HS_OK);
		c.size = sizes[i] + 1;
		assert_int_equal(hs_et_config_check(&c), HS_E_CONFIG);
		c.size = 3; /* not even the size itself */
		assert_int_equal(hs_et_config_check(&c), HS_E_CONFIG);
	}
}

static void newer(void **state)
{
	struct { struct hs_et_config c; uint8_t more[8]; } n = { { .size = sizeof n }, { 0 } };

	(void)state;
	assert_int_equal(hs_et_config_check(&n.c), HS_OK);
	n.more[7] = 1;
	assert_int_equal(hs_et_config_check(&n.c), HS_E_CONFIG);
	n.c.size--;
	assert_int_equal(hs_et_config_check(&n.c), HS_OK);
}

/* What et_config.h says that 0 is, and for all other members 0 itself. */
static void zero_is_the_default(void **state)
{
	const struct hs_et_config want =
		C(.iaddress_width = 64, .iaddress_unit = 2, .privilege_width = 3, .ecause_width = 6,
	          .context_width = 32, .time_width = 32, .itype_width = 4);
	struct hs_et_config c = C();
	struct hs_et_reader zeroed, explicit;

	(void)state;
	assert_int_equal(hs_et_reader_init(&zeroed, &c), HS_OK);
	assert_int_equal(hs_et_config_resolve(&c), HS_OK);
	assert_memory_equal(&c, &want, sizeof c);
	assert_int_equal(hs_et_reader_init(&explicit, &want), HS_OK);
	assert_memory_equal(&zeroed, &explicit, sizeof zeroed);
}

/* The defaults on the wire: a synchronising packet of E-Trace 2.0 (ET Format 3 subformat 0).
 * Header: 6 bytes follow (EE Header).  Then, from bit 0 on: type 2 in bits 1:0, format 3 in 3:2,
 * subformat 0, branch 1 in bit 6, privilege 3 in 9:7, neither time nor context, 63 bits of
 * 0x80000000 / 2, whose bit 30 is bit 40; 7 bits of sign are left. */
static void zeroed_on_the_wire(void **state)
{
	const struct hs_et_config c = C();
	const struct hs_et_packet p = {
		.form = HS_ET_FORM_START,
		.field = { [HS_ETF_FORMAT] = 3,
		           [HS_ETF_BRANCH] = 1,
		           [HS_ETF_PRIVILEGE] = 3,
		           [HS_ETF_ADDRESS] = 0x40000000 },
	};
	static const uint8_t want[] = { 0x06, 0xce, 0x01, 0x00, 0x00, 0x00, 0x01 };
	uint8_t out[HS_ET_PACKET_MAX];

	(void)state;
	assert_int_equal(hs_et_write(&c, &p, out), sizeof want);
	assert_memory_equal(out, want, sizeof want);
}

/* srcID of 5 bits, then a payload of format 2 (01) and zeros, which its sign restores: a whole byte
 * of it is left (ET Packets), and 3 bits of padding (EE Packet Length). */
static void shortest_on_the_wire(void **state)
{
	const struct hs_et_config c = C(.dialect = HS_ET_DIALECT_ATB, .src_bits = 5);
	const struct hs_et_packet p = { .form = HS_ET_FORM_ADDRESS,
		                        .src = 5,
		                        .field = { [HS_ETF_FORMAT] = 2 } };
	static const uint8_t want[] = { 0x02, 0x45, 0x00 };
	uint8_t out[HS_ET_PACKET_MAX];

	(void)state;
	assert_int_equal(hs_et_write(&c, &p, out), sizeof want);
	assert_memory_equal(out, want, sizeof want);
}

/* irdepth has return_stack_size_p + (return_stack_size_p > 0 ? 1 : 0) + call_counter_size_p bits
 * (ET Format 2 packets), after 2 of format, 63 of address, notify, updiscon and irreport. */
static void bits_of_depth(void **state)
{
	static const struct {
		uint8_t stack, counter, bits;
	} rows[] = { { 0, 0, 68 }, { 5, 0, 74 }, { 15, 0, 84 }, { 0, 9, 77 }, { 7, 9, 85 } };
	/* One byte follows; type 2, format 2, and zeros (EE Header) */
	static const uint8_t bytes[] = { 0x01, 0x0a };

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct hs_et_config c = C(.return_stack_size = rows[i].stack,
		                                .call_counter_size = rows[i].counter);
		struct hs_span in = { bytes, sizeof bytes };
		struct hs_et_reader r;
		struct hs_et_packet p;

		assert_int_equal(hs_et_reader_init(&r, &c), HS_OK);
		assert_int_equal(hs_et_read(&r, &in, &p), HS_OK);
		assert_int_equal(p.bits, rows[i].bits);
	}
}

/* 8 bytes for each return address and each target, 1 for each branch (ADR-0047); those of a source
 * are a multiple of 8. */
static const struct memory {
	const char *name;
	struct hs_et_config c;
	size_t encoder, source;
} memories[] = {
	{ "no tables", C(), 0, 0 },
	{ "a bad configuration", C(.version = HS_ET_VERSIONS, .cache_size = 3), 0, 0 },
	{ "2 targets", C(.cache_size = 1), 16, 16 },
	{ "2^15 targets", C(.cache_size = 15), 262144, 262144 },
	{ "8 return addresses", C(.return_stack_size = 3), 64, 64 },
	{ "2^9 calls counted", C(.call_counter_size = 9), 4096, 4096 },
	/* ET Decoder, push_return_stack: the stack decides */
	{ "2^7 return addresses, 2^9 calls counted",
	  C(.return_stack_size = 7, .call_counter_size = 9), 1024, 1024 },
	{ "2 branches", C(.bpred_size = 1), 2, 8 },
	{ "2^15 branches", C(.bpred_size = 15), 32768, 32768 },
	{ "all", C(.cache_size = 3, .return_stack_size = 2, .bpred_size = 1), 98, 104 },
};

/* Less than what is needed is refused, by encoder and decoder. */
static void memory_needed(void **state)
{
	const struct memory *m = *state;
	const bool good = hs_et_config_check(&m->c) == HS_OK;
	static uint64_t tables[2 * TABLES];
	static struct hs_et_encoder e;
	static struct hs_et_decoder d;
	static struct hs_et_source sources[2];
	struct hs_bb_table table = { 0 };

	assert_int_equal(hs_et_encoder_memory(&m->c), m->encoder);
	assert_int_equal(hs_et_source_memory(&m->c), m->source);
	if (!good)
		return;
	assert_int_equal(hs_et_encoder_init(&e, &m->c, tables, m->encoder), HS_OK);
	assert_int_equal(hs_et_decoder_init(&d, &m->c, &table, sources, 2, tables, 2 * m->source),
	                 HS_OK);
	if (m->encoder == 0)
		return;
	assert_int_equal(hs_et_encoder_init(&e, &m->c, tables, m->encoder - 1), HS_E_SPACE);
	assert_int_equal(hs_et_encoder_init(&e, &m->c, NULL, m->encoder), HS_E_SPACE);
	assert_int_equal(hs_et_decoder_init(&d, &m->c, &table, sources, 2, tables,
	                                    2 * m->source - 1), HS_E_SPACE);
	assert_int_equal(hs_et_decoder_init(&d, &m->c, &table, sources, 2, NULL, 2 * m->source),
	                 HS_E_SPACE);
}

/* Functions that write into a caller's struct write no more than the caller has. */
static void into_a_smaller_struct(void **state)
{
	const uint32_t size = offsetof(struct hs_et_config, context);
	struct hs_et_config c;
	struct hs_et_attributes a;

	(void)state;
	hs_et_attributes_init(&a);
	a.value[HS_ETA_ITYPE_WIDTH] = 3;
	memset(&c, 0x5a, sizeof c);
	memset(&c, 0, size);
	c.size = size;
	assert_int_equal(hs_et_config_dialect(&c, HS_ET_DIALECT_PULP), HS_OK);
	assert_int_equal(c.iaddress_unit, 1);
	assert_int_equal(c.version, HS_ET_0_026);
	c.dialect = HS_ET_DIALECT_STANDARD;
	c.version = HS_ET_2_0;
	assert_int_equal(hs_et_attributes_config(&a, &c), HS_OK);
	assert_int_equal(c.iaddress_width, 32);
	assert_int_equal(c.iaddress_unit, 2);
	assert_int_equal(hs_et_config_resolve(&c), HS_OK);
	assert_int_equal(c.size, size);
	for (size_t i = size; i < sizeof c; i++)
		assert_int_equal(((uint8_t *)&c)[i], 0x5a);
	c.size = 2;
	assert_int_equal(hs_et_config_dialect(&c, HS_ET_DIALECT_PULP), HS_E_CONFIG);
	assert_int_equal(hs_et_attributes_config(&a, &c), HS_E_CONFIG);
}

int main(void)
{
	enum { ROWS = sizeof ranges / sizeof *ranges,
	       MEMORIES = sizeof memories / sizeof *memories };
	struct CMUnitTest tests[ROWS + MEMORIES + 6] = {
		cmocka_unit_test(smaller),
		cmocka_unit_test(newer),
		cmocka_unit_test(zero_is_the_default),
		cmocka_unit_test(zeroed_on_the_wire),
		cmocka_unit_test(shortest_on_the_wire),
		cmocka_unit_test(into_a_smaller_struct),
		cmocka_unit_test(bits_of_depth),
	};

	for (size_t i = 0; i < ROWS; i++)
		tests[6 + i] = (struct CMUnitTest){ ranges[i].name, range, NULL, NULL,
			                            (void *)(uintptr_t)&ranges[i] };
	for (size_t i = 0; i < MEMORIES; i++)
		tests[6 + ROWS + i] = (struct CMUnitTest){ memories[i].name, memory_needed, NULL,
			                                   NULL,
			                                   (void *)(uintptr_t)&memories[i] };
	return _cmocka_run_group_tests("etrace_config", tests, ROWS + MEMORIES + 6, NULL, NULL);
}
