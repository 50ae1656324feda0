/* hs_et_config: ranges, sizes of older and newer callers, and what 0 means (etrace.h,
 * design/interface). */
#include "etrace/etrace.h"
#include "cases.h"

#include <hartscope/etrace.h>

#include "etrace/et_config.h"
#include "etrace/et_discovery.h"
#include "etrace/et_encoder.h"
#include "etrace/et_packet.h"
#include "etrace/et_reader.h"

#define C(...) { .size = sizeof(struct hs_et_config), __VA_ARGS__ }

/* Padding by the last bit received (design/et-layouts). */
#define SIGNED { .given = 1u << HS_ET_LAYOUT_PADDING, .padding = HS_ET_PADDING_SIGN }

#define LENGTH(n) { .given = 1u << HS_ET_LAYOUT_LENGTH_BITS, .length_bits = (n) }
#define IOPTIONS(n, ...) \
	{ .given = 1u << HS_ET_LAYOUT_IOPTIONS, .ioptions_width = (n), .ioptions = { __VA_ARGS__ } }
#define DOPTIONS(...) { .given = 1u << HS_ET_LAYOUT_DOPTIONS, .doptions = { __VA_ARGS__ } }

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
	{ "anchors without indexes", C(.anchor_bytes = 14), HS_E_CONFIG },
	{ "anchors of indexed packets", C(.dialect = HS_ET_DIALECT_ESP32, .iaddress_width = 32,
	  .privilege_width = 1, .anchor_bytes = 14, .anchor_packets = 128), HS_OK },
	{ "indexed packets of 32 bytes", C(.dialect = HS_ET_DIALECT_ESP32, .context = 1,
	  .context_width = 64, .time = 1, .time_width = 64), HS_E_CONFIG },
	{ "anchors as long as a payload", C(.dialect = HS_ET_DIALECT_ESP32, .iaddress_width = 32,
	  .privilege_width = 1, .anchor_bytes = HS_ET_PAYLOAD_MAX), HS_OK },
	{ "anchors that are longer", C(.dialect = HS_ET_DIALECT_ESP32, .iaddress_width = 32,
	  .privilege_width = 1, .anchor_bytes = HS_ET_PAYLOAD_MAX + 1), HS_E_CONFIG },
	{ "flow of the encapsulation", C(.flow = 3), HS_OK },
	{ "flow of 3 bits", C(.flow = 4), HS_E_CONFIG },
	{ "flow with no place in the framing", C(.dialect = HS_ET_DIALECT_NONE, .flow = 1),
	  HS_E_CONFIG },
	{ "a message's index and time tag",
	  C(.dialect = HS_ET_DIALECT_SIEMENS, .src_bits = 12, .tstamp_bytes = 2), HS_OK },
	{ "a reserved byte at the end", C(.reserved = { 0, 1 }), HS_E_CONFIG },
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
	/* the same with an srcID of 8 bits, which length does not count (EE Packet Length) */
	{ "a payload of 240 bits, and srcID",
	  C(.ecause_width = 32, .context = 1, .context_width = 64, .time = 1, .time_width = 7,
	    .src_bits = 8),
	  HS_OK },
	/* the same with part of a byte of srcID, and a type of srcID 2 of 4 and 5 bits (EE type) */
	{ "a packet of 248 bits, with its type",
	  C(.ecause_width = 32, .context = 1, .context_width = 64, .time = 1, .time_width = 7,
	    .src_bits = 12, .type_widths = 0x500),
	  HS_OK },
	{ "a packet of 249 bits, with its type",
	  C(.ecause_width = 32, .context = 1, .context_width = 64, .time = 1, .time_width = 7,
	    .src_bits = 12, .type_widths = 0x600),
	  HS_E_CONFIG },
	{ "types by srcID without srcID", C(.type_widths = 0x300), HS_E_CONFIG },
	{ "a type that cannot say control, by srcID",
	  C(.version = HS_ET_0_026, .type_prefix = 1, .dialect = HS_ET_DIALECT_DRAFT, .src_bits = 4,
	    .layout = { .type_control = 63, .type_bits = 6,
	                .given = 1u << HS_ET_LAYOUT_TYPE_CONTROL | 1u << HS_ET_LAYOUT_TYPE_BITS },
	    .type_widths = 0x5),
	  HS_E_CONFIG },
	/* without tval: 7 + 3 + 64 + 64 + 63 */
	{ "a payload of 240 bits without tval",
	  C(.ecause_width = 64, .context = 1, .context_width = 64, .time = 1, .time_width = 39,
	    .notval = 1),
	  HS_OK },
	{ "a payload of 241 bits without tval",
	  C(.ecause_width = 64, .context = 1, .context_width = 64, .time = 1, .time_width = 40,
	    .notval = 1),
	  HS_E_CONFIG },
	/* 0.026, after a prefix of 2 bits: 9 + 3 + 6 + 63 + 64 + 64 */
	{ "a payload of 240 bits after a prefix",
	  C(.version = HS_ET_0_026, .type_prefix = 1, .context = 1, .context_width = 64, .time = 1,
	    .time_width = 31),
	  HS_OK },
	{ "a payload of 241 bits after a prefix",
	  C(.version = HS_ET_0_026, .type_prefix = 1, .context = 1, .context_width = 64, .time = 1,
	    .time_width = 32),
	  HS_E_CONFIG },
	/* 31 branches with an address: 2 + 5 + 31 + 63 + 3, and irdepth of 15 + 1, in 15 bytes (ET
	 * Format 1) */
	{ "branches of 120 bits", C(.dialect = HS_ET_DIALECT_REFERENCE, .layout = LENGTH(4),
	  .notval = 1, .return_stack_size = 15), HS_OK },
	{ "branches of 121 bits", C(.dialect = HS_ET_DIALECT_REFERENCE, .layout = LENGTH(4),
	  .notval = 1, .return_stack_size = 15, .call_counter_size = 1), HS_E_CONFIG },
	/* a fast profile (design/et-draft): 7 + source_size 3 + source 64 + 63 + privilege 3 +
	 * cycles 64, and 36 of context */
	{ "a fast profile of 240 bits",
	  C(.version = HS_ET_FAST, .fast = HS_ET_FAST_SOURCES, .cycles = HS_ET_CYCLES_PACKETS,
	    .context = 1, .context_width = 36),
	  HS_OK },
	{ "a fast profile of 241 bits",
	  C(.version = HS_ET_FAST, .fast = HS_ET_FAST_SOURCES, .cycles = HS_ET_CYCLES_PACKETS,
	    .context = 1, .context_width = 37),
	  HS_E_CONFIG },
	{ "a fast profile of 176 bits, without cycles",
	  C(.version = HS_ET_FAST, .fast = HS_ET_FAST_SOURCES, .context = 1, .context_width = 64),
	  HS_OK },
	{ "fast without a profile", C(.version = HS_ET_FAST), HS_E_CONFIG },
	{ "cycles of retirements only",
	  C(.version = HS_ET_FAST, .cycles = HS_ET_CYCLES_RETIREMENTS), HS_OK },
	{ "cycles of packets only", C(.version = HS_ET_FAST, .cycles = HS_ET_CYCLES_PACKETS),
	  HS_E_CONFIG },
	{ "cycles 3", C(.version = HS_ET_FAST, .fast = 1, .cycles = 3), HS_E_CONFIG },
	{ "fast 3", C(.version = HS_ET_FAST, .fast = 3), HS_E_CONFIG },
	{ "fast with an itype of 3 bits", C(.version = HS_ET_FAST, .fast = 1, .itype_width = 3),
	  HS_E_CONFIG },
	{ "fast with options",
	  C(.version = HS_ET_FAST, .fast = 1, .options = HS_ET_FULL_ADDRESS), HS_E_CONFIG },
	{ "a fast profile in 2.0", C(.fast = 1), HS_E_CONFIG },
	{ "cycles in 2.0", C(.cycles = 2), HS_E_CONFIG },
	/* layouts: bits of options, each once */
	{ "ioptions with a bit for nothing", C(.layout = IOPTIONS(2, 0, HS_ET_SIJUMP)), HS_OK },
	{ "ioptions: what comes after the last bit",
	  C(.layout = IOPTIONS(1, HS_ET_SIJUMP, 0xff)), HS_OK },
	{ "ioptions: the last bit is no option", C(.layout = IOPTIONS(2, HS_ET_SIJUMP, 0xff)),
	  HS_E_CONFIG },
	{ "ioptions: an option twice", C(.layout = IOPTIONS(2, HS_ET_SIJUMP, HS_ET_SIJUMP)),
	  HS_E_CONFIG },
	{ "ioptions: two options in a bit",
	  C(.layout = IOPTIONS(1, HS_ET_SIJUMP | HS_ET_FULL_ADDRESS, 0)), HS_E_CONFIG },
	{ "ioptions: an option that there is not",
	  C(.layout = IOPTIONS(1, 2 * HS_ET_FULL_ADDRESS, 0)), HS_E_CONFIG },
	{ "ioptions of 15 bits", C(.layout = IOPTIONS(15, HS_ET_SIJUMP, 0)), HS_OK },
	{ "ioptions of 16 bits", C(.layout = IOPTIONS(16, HS_ET_SIJUMP, 0)), HS_E_CONFIG },
	{ "doptions: an option twice", C(.layout = DOPTIONS(1, 1)), HS_E_CONFIG },
	{ "doptions: the largest option", C(.layout = DOPTIONS(HS_ET_DATA_FULL_ADDRESS, 1)),
	  HS_OK },
	{ "doptions: an option that there is not", C(.layout = DOPTIONS(8, 1)), HS_E_CONFIG },
	/* framings */
	{ "a length of no bits", C(.dialect = HS_ET_DIALECT_REFERENCE, .layout = LENGTH(0)),
	  HS_E_CONFIG },
	{ "a length of 6 bits and type", C(.dialect = HS_ET_DIALECT_REFERENCE, .layout = LENGTH(6)),
	  HS_OK },
	{ "a length of 7 bits and type", C(.dialect = HS_ET_DIALECT_REFERENCE, .layout = LENGTH(7)),
	  HS_E_CONFIG },
	{ "encapsulated with a length of 6 bits", C(.layout = LENGTH(6)), HS_E_CONFIG },
	{ "a type that does not fit",
	  C(.layout = { .given = 1u << HS_ET_LAYOUT_TYPE_INST, .type_inst = 4 }), HS_E_CONFIG },
	{ "a control type that does not fit",
	  C(.layout = { .given = 1u << HS_ET_LAYOUT_TYPE_CONTROL, .type_control = 4 }),
	  HS_E_CONFIG },
	{ "a type without framing",
	  C(.dialect = HS_ET_DIALECT_NONE,
	    .layout = { .given = 1u << HS_ET_LAYOUT_TYPE_BITS, .type_bits = 2 }),
	  HS_E_CONFIG },
	{ "a timestamp without framing", C(.dialect = HS_ET_DIALECT_NONE, .tstamp_bytes = 1),
	  HS_E_CONFIG },
	{ "async_freq without framing", C(.dialect = HS_ET_DIALECT_NONE, .async_freq = 1),
	  HS_E_CONFIG },
	{ "async_freq 7", C(.async_freq = 7), HS_OK },
	{ "async_freq 8", C(.async_freq = 8), HS_E_CONFIG },
	{ "stall", C(.stall = 1), HS_OK },
	{ "stall 2", C(.stall = 2), HS_E_CONFIG },
	{ "a member of the layout that there is not",
	  C(.layout = { .given = 1u << HS_ET_LAYOUT_COUNT }), HS_E_CONFIG },
	{ "ecause of 64 bits", C(.ecause_width = 64), HS_OK },
	{ "context of 64 bits", C(.context_width = 64), HS_OK },
	{ "privilege of 4 bits", C(.privilege_width = 4), HS_OK },
	{ "timestamp of 8 bytes", C(.tstamp_bytes = 8), HS_OK },
	{ "arch 15", C(.arch = 15), HS_OK },
	{ "sync_max 20", C(.sync_max = 20), HS_OK },
	{ "f0s of 2 bits", C(.f0s_width = 2), HS_OK },
	{ "doptions of 16 bits", C(.data_trace = 1, .doptions_width = 16), HS_OK },
	/* versions */
	{ "a prefix in 2.0", C(.type_prefix = 1), HS_E_CONFIG },
	{ "marks in 2.0", C(.context_mark = 1), HS_E_CONFIG },
	{ "data trace in 0.026", C(.version = HS_ET_0_026, .data_trace = 1), HS_E_CONFIG },
	{ "0.026 where nothing says what te_support is",
	  C(.version = HS_ET_0_026, .dialect = HS_ET_DIALECT_ATB), HS_E_CONFIG },
	{ "0.026 with a prefix", C(.version = HS_ET_0_026, .dialect = HS_ET_DIALECT_ATB,
	  .type_prefix = 1), HS_OK },
	{ "0.026 without te_support", C(.version = HS_ET_0_026, .dialect = HS_ET_DIALECT_ATB,
	  .layout = { .given = 1u << HS_ET_LAYOUT_SUPPORT }), HS_OK },
	{ "irets in 0.026", C(.version = HS_ET_0_026, .iret_ext = 1), HS_E_CONFIG },
	{ "a packet of 249 bits, were time in it",
	  C(.ecause_width = 32, .context = 1, .context_width = 64, .time_width = 14), HS_OK },
};

/* Words of the largest tables of an encoder: 2^15 addresses or targets. */
#define TABLES (1u << 15)

/* Everything that takes a configuration says the same of it. */
TEST_ROWS(range, ranges, r)
{
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
TEST(older_callers_have_smaller_structs)
{
	const uint32_t sizes[] = { offsetof(struct hs_et_config, version),
		                   offsetof(struct hs_et_config, context),
		                   offsetof(struct hs_et_config, sync_max),
		                   offsetof(struct hs_et_config, iret_ext) };

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

TEST(newer_callers_have_larger_structs)
{
	struct { struct hs_et_config c; uint8_t more[8]; } n = { { .size = sizeof n }, { 0 } };

	assert_int_equal(hs_et_config_check(&n.c), HS_OK);
	n.more[7] = 1;
	assert_int_equal(hs_et_config_check(&n.c), HS_E_CONFIG);
	n.c.size--;
	assert_int_equal(hs_et_config_check(&n.c), HS_OK);
}

/* What et_config.h says that 0 is, and for all other members 0 itself. */
TEST(zero_is_the_default)
{
	const struct hs_et_config want =
		C(.iaddress_width = 64, .iaddress_unit = 2, .privilege_width = 3, .ecause_width = 6,
	          .context_width = 32, .time_width = 32, .itype_width = 4);
	struct hs_et_config c = C();
	struct hs_et_reader zeroed, explicit;

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
TEST(zeroed_on_the_wire)
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

	assert_int_equal(hs_et_write(&c, &p, out), sizeof want);
	assert_memory_equal(out, want, sizeof want);
}

/* srcID of 5 bits, then a payload of format 2 (01) and zeros, which its sign restores: a whole byte
 * of it is left (ET Packets), and 3 bits of padding (EE Packet Length). */
TEST(shortest_on_the_wire)
{
	const struct hs_et_config c = C(.dialect = HS_ET_DIALECT_ATB, .src_bits = 5);
	const struct hs_et_packet p = { .form = HS_ET_FORM_ADDRESS,
		                        .src = 5,
		                        .field = { [HS_ETF_FORMAT] = 2 } };
	static const uint8_t want[] = { 0x02, 0x45, 0x00 };
	uint8_t out[HS_ET_PACKET_MAX];

	assert_int_equal(hs_et_write(&c, &p, out), sizeof want);
	assert_memory_equal(out, want, sizeof want);
}

/* irdepth has return_stack_size_p + (return_stack_size_p > 0 ? 1 : 0) + call_counter_size_p bits
 * (ET Format 2 packets), after 2 of format, 63 of address, notify, updiscon and irreport. */
TEST(bits_of_depth)
{
	static const struct {
		uint8_t stack, counter, bits;
	} rows[] = { { 0, 0, 68 }, { 5, 0, 74 }, { 15, 0, 84 }, { 0, 9, 77 }, { 7, 9, 85 } };
	/* Two bytes follow; type 2, format 2, and zeros (EE Header, Packet Length) */
	static const uint8_t bytes[] = { 0x02, 0x0a, 0x00 };

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

/* Fields that there are not, and a dialect's layout (EE Header; the reference flow's header). */
TEST(names_and_layouts)
{
	struct hs_et_layout_config layout;

	assert_string_equal(hs_et_field_name(HS_ETF_COUNT), "?");
	assert_string_equal(hs_et_field_clause(HS_ETF_COUNT), "?");
	assert_false(hs_et_field_hex(HS_ETF_COUNT));
	assert_true(hs_et_field_hex(HS_ETF_ADDRESS));
	assert_int_equal(hs_et_layout_of(HS_ET_DIALECT_REFERENCE, HS_ET_2_0, &layout), HS_OK);
	assert_int_equal(layout.frame, HS_ET_FRAME_HEADER);
	assert_int_equal(layout.length_bits, 5);
	assert_int_equal(layout.mode_bits, 1);
	assert_int_equal(hs_et_layout_of(HS_ET_DIALECT_COUNT, HS_ET_2_0, &layout), HS_E_CONFIG);
	assert_int_equal(hs_et_layout_of(0, HS_ET_VERSIONS, &layout), HS_E_CONFIG);
}

/* Without the field, the subformat of format 0 is that of the option in use (ET Format 0
 * subformat). */
TEST(implied_subformat)
{
	static const struct { uint8_t option, form, subformat; } list[] = {
		{ HS_ET_BRANCH_PREDICTION, HS_ET_FORM_BRANCH_COUNT, 0 },
		{ HS_ET_JUMP_TARGET_CACHE, HS_ET_FORM_INDEX, 1 },
	};
	static const uint8_t zeros[8];

	for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
		const struct hs_et_config c = C(.dialect = HS_ET_DIALECT_NONE, .bpred_size = 1,
		                                .cache_size = 1, .options = list[i].option);
		struct hs_span in = { zeros, sizeof zeros };
		struct hs_et_reader r;
		struct hs_et_packet p;

		assert_int_equal(hs_et_reader_init(&r, &c), HS_OK);
		assert_int_equal(hs_et_read(&r, &in, &p), HS_OK);
		assert_int_equal(p.form, list[i].form);
		assert_int_equal(p.field[HS_ETF_F0S], list[i].subformat);
	}
}

/* Privileges are U 0, S 1, D 4, M 3 or the layout's, VU 5, VS 6 (ET Table priv): which of them fit,
 * and are not M's. */
static const struct values {
	const char *name;
	struct hs_et_config c;
	struct hs_et_fields want;
} values[] = {
	{ "as it is without parameters", C(), { 6, 64, 0, 0xff } },
	{ "privileges of 2 bits",
	  C(.privilege_width = 2, .ecause_width = 4, .notval = 1, .context = 1,
	    .context_width = 16),
	  { 4, 0, 16, 0x8b } },
	{ "M is 1, of 1 bit",
	  C(.privilege_width = 1, .iaddress_width = 32,
	    .layout = { .given = 1u << HS_ET_LAYOUT_MACHINE, .machine = 1 }),
	  { 6, 32, 0, 0x89 } },
	{ "a bad configuration", C(.version = HS_ET_VERSIONS), { 0, 0, 0, 0xff } },
};

TEST_ROWS(values_that_packets_can_say, values, row)
{
	struct hs_et_fields f;

	hs_et_get_fields(&row->c, &f);
	assert_int_equal(f.cause, row->want.cause);
	assert_int_equal(f.value, row->want.value);
	assert_int_equal(f.context, row->want.context);
	assert_int_equal(f.modes, row->want.modes);
}

/* 8 bytes for each return address and each target, 1 for each branch (design/et-layouts); those of
 * a source are a multiple of 8. */
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
TEST_ROWS(memory_needed, memories, m)
{
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
TEST(into_a_smaller_struct)
{
	const uint32_t size = offsetof(struct hs_et_config, context);
	struct hs_et_config c;
	struct hs_et_attributes a;

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

/* Null bytes until a packet surely begins: the 31 bytes that a header may count, and those that it
 * does not (EE Header, Packet Length). */
TEST(null_runs)
{
	static const struct { struct hs_et_config c; uint32_t want; } list[] = {
		{ C(), 31 },
		{ C(.src_bits = 7), 31 },
		{ C(.src_bits = 12, .tstamp_bytes = 4), 36 },
		{ C(.dialect = HS_ET_DIALECT_REFERENCE), 0 },
		{ C(.dialect = HS_ET_DIALECT_COUNT), 0 },
	};

	for (size_t i = 0; i < sizeof list / sizeof *list; i++)
		assert_int_equal(hs_et_null_run(&list[i].c), list[i].want);
}
