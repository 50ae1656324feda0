/* The discovery record: each parameter at its place, sets that cannot be, and back again (PT 3.1.5,
 * Table 3.6). */
#include "cases.h"

#include <hartscope/etrace.h>

#include "etrace/et_discovery.h"
#include "etrace/et_packet.h"
#include "etrace/et_reader.h"
#include "etrace/etrace_data.h"

/* The smallest values; the record of these is all zeros but iaddress_width_p 2, which is 1
 * there. */
static struct hs_et_discovery smallest(void)
{
	struct hs_et_discovery d = { { 0 } };

	d.value[HS_ETD_COMPARATORS] = d.value[HS_ETD_FILTERS] = d.value[HS_ETD_CONTEXT_WIDTH] = 1;
	d.value[HS_ETD_ECAUSE_WIDTH] = d.value[HS_ETD_PRIVILEGE_WIDTH] = 1;
	d.value[HS_ETD_IADDRESS_WIDTH] = 2;
	d.value[HS_ETD_INSN_WIDTH] = 32;
	return d;
}

/* One value changed from the smallest.  bits: of the record, apart from bit 47 of iaddress_width 2,
 * counted by hand. */
static const struct row {
	const char *name;
	unsigned param;
	uint32_t value;
	uint64_t bits; /* 0: HS_E_CONFIG */
} rows[] = {
	{ "minor_revision", HS_ETD_MINOR_REVISION, 0xa5, 0xa5 },
	{ "minor_revision of 9 bits", HS_ETD_MINOR_REVISION, 0x100, 0 },
	{ "version", HS_ETD_VERSION, 3, 0x300 },
	{ "comparators: 5", HS_ETD_COMPARATORS, 5, 4ull << 16 },
	{ "comparators: none", HS_ETD_COMPARATORS, 0, 0 },
	{ "filters: 16", HS_ETD_FILTERS, 16, 15ull << 20 },
	{ "filters: 17", HS_ETD_FILTERS, 17, 0 },
	{ "context_width_p 32", HS_ETD_CONTEXT_WIDTH, 32, 31ull << 24 },
	{ "context_width_p 33", HS_ETD_CONTEXT_WIDTH, 33, 0 },
	{ "ecause_choice_p 1", HS_ETD_ECAUSE_CHOICE, 1, 1ull << 29 },
	{ "ecause_choice_p above ecause_width_p", HS_ETD_ECAUSE_CHOICE, 2, 0 },
	{ "ecause_choice_p 7", HS_ETD_ECAUSE_CHOICE, 7, 0 },
	{ "ecause_width_p 16", HS_ETD_ECAUSE_WIDTH, 16, 15ull << 32 },
	{ "filter_context_p", HS_ETD_FILTER_CONTEXT, 1, 1ull << 36 },
	{ "filter_ecause_p 9", HS_ETD_FILTER_ECAUSE, 9, 9ull << 37 },
	{ "filter_interrupt_p", HS_ETD_FILTER_INTERRUPT, 1, 1ull << 41 },
	{ "filter_privilege_p", HS_ETD_FILTER_PRIVILEGE, 1, 1ull << 42 },
	{ "filter_tval_p", HS_ETD_FILTER_TVAL, 1, 1ull << 43 },
	{ "iaddress_lsb_p 1", HS_ETD_IADDRESS_LSB, 1, 1ull << 44 },
	{ "iaddress_lsb_p as wide as the address", HS_ETD_IADDRESS_LSB, 2, 0 },
	{ "iaddress_width_p 128", HS_ETD_IADDRESS_WIDTH, 128, 127ull << 46 },
	{ "iaddress_width_p 1", HS_ETD_IADDRESS_WIDTH, 1, 0 },
	{ "nocontext_p", HS_ETD_NOCONTEXT, 1, 1ull << 53 },
	{ "notval_p", HS_ETD_NOTVAL, 1, 1ull << 54 },
	{ "privilege_width_p 4", HS_ETD_PRIVILEGE_WIDTH, 4, 3ull << 55 },
	{ "privilege_width_p 5", HS_ETD_PRIVILEGE_WIDTH, 5, 0 },
	{ "rv32", HS_ETD_RV32, 1, 1ull << 57 },
	{ "insn_width_p 64", HS_ETD_INSN_WIDTH, 64, 1ull << 58 },
	{ "insn_width_p 128", HS_ETD_INSN_WIDTH, 128, 2ull << 58 },
	{ "insn_width_p 96", HS_ETD_INSN_WIDTH, 96, 0 },
};

TEST_ROWS(record, rows, row)
{
	struct hs_et_discovery d = smallest(), back = { { 0 } };
	uint32_t image[HS_ET_DISCOVERY_WORDS] = { 7, 7 };
	const uint64_t width = row->param == HS_ETD_IADDRESS_WIDTH ? 0 : 1ull << 46;

	d.value[row->param] = row->value;
	if (!row->bits) {
		assert_int_equal(hs_et_discovery_put(&d, image), HS_E_CONFIG);
		assert_int_equal(image[0], 7);
		return;
	}
	assert_int_equal(hs_et_discovery_put(&d, image), HS_OK);
	assert_int_equal(image[0] | (uint64_t)image[1] << 32, row->bits | width);
	assert_int_equal(hs_et_discovery_get(&back, image), HS_OK);
	assert_memory_equal(&back, &d, sizeof d);
}

/* What a record says of a configuration: the member, and its value by PT 3.1.5. */
TEST(taken_from_record)
{
	static const struct {
		unsigned param;
		uint32_t value;
		size_t member;
		uint8_t want;
	} list[] = {
#define ROW(id, value, member, want) \
	{ HS_ETD_##id, value, offsetof(struct hs_et_config, member), want }
		ROW(NOCONTEXT, 0, context, 1),
		ROW(NOCONTEXT, 1, context, 0),
		ROW(CONTEXT_WIDTH, 17, context_width, 17),
		ROW(ECAUSE_WIDTH, 9, ecause_width, 9),
		ROW(IADDRESS_LSB, 0, iaddress_unit, 1),
		ROW(IADDRESS_LSB, 1, iaddress_unit, 2),
		ROW(IADDRESS_WIDTH, 64, iaddress_width, 64),
		ROW(NOTVAL, 1, notval, 1),
		ROW(PRIVILEGE_WIDTH, 4, privilege_width, 4),
#undef ROW
	};

	for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
		struct hs_et_discovery d = smallest();
		struct hs_et_config c;

		memset(&c, 0x55, sizeof c);
		c.size = sizeof c;
		d.value[list[i].param] = list[i].value;
		assert_int_equal(hs_et_discovery_config(&d, &c), HS_OK);
		assert_int_equal(((uint8_t *)&c)[list[i].member], list[i].want);
	}
	assert_string_equal(hs_et_param_name(HS_ETD_COUNT), "?");
}

TEST(sets_of_attributes)
{
	struct hs_et_discovery d = smallest();
	struct hs_et_config c;
	/* the words after the record are none of its business */
	const uint32_t longer[] = { 0, 1u << 14, UINT32_MAX };
	const uint32_t spare[] = { 0, 1u << 14 | 1u << 28 }, insn[] = { 0, 1u << 14 | 3u << 26 };

	assert_int_equal(hs_et_discovery_get(&d, spare), HS_E_FIELD); /* a bit after the record */
	assert_int_equal(hs_et_discovery_get(&d, insn), HS_E_FIELD);  /* insn_width 3 is 256 bits */
	assert_int_equal(hs_et_discovery_get(&d, longer), HS_OK);
	c = (struct hs_et_config){ .size = sizeof c, .version = HS_ET_0_026 };
	d.value[HS_ETD_RV32] = 1;
	d.value[HS_ETD_IADDRESS_WIDTH] = 33;
	assert_int_equal(hs_et_discovery_config(&d, &c), HS_E_CONFIG);
	d.value[HS_ETD_IADDRESS_WIDTH] = 32;
	d.value[HS_ETD_ECAUSE_WIDTH] = 5;
	d.value[HS_ETD_NOTVAL] = 1;
	assert_int_equal(hs_et_discovery_config(&d, &c), HS_OK);
	assert_int_equal(c.iaddress_width, 32);
	assert_int_equal(c.ecause_width, 5);
	assert_int_equal(c.notval, 1);
	assert_int_equal(hs_et_config_check(&c), HS_OK);
	d.value[HS_ETD_RV32] = 0;
	d.value[HS_ETD_IADDRESS_WIDTH] = 65;
	assert_int_equal(hs_et_discovery_config(&d, &c), HS_E_UNSUPPORTED);
	d.value[HS_ETD_IADDRESS_WIDTH] = 64;
	d.value[HS_ETD_IADDRESS_LSB] = 2;
	assert_int_equal(hs_et_discovery_config(&d, &c), HS_OK);
	d.value[HS_ETD_IADDRESS_LSB] = 3;
	assert_int_equal(hs_et_discovery_config(&d, &c), HS_E_UNSUPPORTED);
}

/* msg_type 0, control_code 0x34, support_type 1: d0 01 in the low 12 bits, then the record from bit
 * 12 on; after the framing's byte.  The record of the smallest values is bit 46, which is bit 58
 * of the payload. */
TEST(a_record_in_a_packet)
{
	static const uint8_t want[] = { 0x08, 0xd0, 0x01, 0, 0, 0, 0, 0, 0x04 };
	struct hs_et_discovery d = smallest(), back = { { 0 } };
	struct hs_et_reader r;
	struct hs_et_config c;
	struct hs_et_packet p, got;
	uint8_t bytes[HS_ET_PACKET_MAX];
	struct hs_span in = { want, sizeof want };

	c = (struct hs_et_config){ .size = sizeof c, .version = HS_ET_0_026 };
	c.dialect = HS_ET_DIALECT_REFERENCE;
	c.notval = 1;
	memset(&p, 0xff, sizeof p);
	assert_int_equal(hs_et_discovery_packet(&d, &p), HS_OK);
	assert_int_equal(p.src + p.has_tstamp, 0);
	assert_int_equal(hs_et_write(&c, &p, bytes), sizeof want);
	assert_memory_equal(bytes, want, sizeof want);
	hs_et_reader_init(&r, &c);
	assert_int_equal(hs_et_read(&r, &in, &got), HS_OK);
	assert_string_equal(hs_et_form_name(HS_ET_0_026, got.form), "Discovery");
	assert_int_equal(hs_et_discovery_read(&got, &back), HS_OK);
	assert_memory_equal(&back, &d, sizeof d);
	got.form = HS_ET_FORM_SUPPORT;
	assert_int_equal(hs_et_discovery_read(&got, &back), HS_E_ARG);
	d.value[HS_ETD_FILTERS] = 0;
	assert_int_equal(hs_et_discovery_packet(&d, &p), HS_E_CONFIG);
}

/* ---- attributes of a ratified encoder ---------------------------------------------- */

/* One value changed from the defaults: the register, its bits that change, counted by hand from the
 * example. */
static const struct attribute {
	const char *name;
	unsigned attribute;
	uint32_t value;
	unsigned reg;
	uint64_t bits; /* 0: HS_E_CONFIG */
} attributes[] = {
	{ "version 2", HS_ETA_VERSION, 2, 0, 2 },
	{ "arch_p 1", HS_ETA_ARCH, 1, 0, 1ull << 8 },
	{ "bpred_size_p 8", HS_ETA_BPRED_SIZE, 8, 0, 8ull << 12 },
	{ "bpred_size_p 16", HS_ETA_BPRED_SIZE, 16, 0, 0 },
	{ "cache_size_p 3", HS_ETA_CACHE_SIZE, 3, 0, 3ull << 16 },
	{ "call_counter_size_p 8", HS_ETA_CALL_COUNTER_SIZE, 8, 0, 0 },
	{ "call_counter_size_p 7", HS_ETA_CALL_COUNTER_SIZE, 7, 0, 7ull << 20 },
	{ "comparators_p 2", HS_ETA_COMPARATORS, 2, 0, 1ull << 23 },
	{ "comparators_p 0", HS_ETA_COMPARATORS, 0, 0, 0 },
	{ "ctype_width_p 2", HS_ETA_CTYPE_WIDTH, 2, 0, 1ull << 26 },
	{ "context_width_p 32", HS_ETA_CONTEXT_WIDTH, 32, 0, 31ull << 31 },
	{ "ecause_choice_p 4 for 5", HS_ETA_ECAUSE_CHOICE, 4, 0, 1ull << 36 },
	{ "ecause_choice_p 6", HS_ETA_ECAUSE_CHOICE, 6, 0, 0 },
	{ "ecause_width_p 6 for 4", HS_ETA_ECAUSE_WIDTH, 6, 0, 6ull << 39 },
	{ "filters_p 16", HS_ETA_FILTERS, 16, 0, 15ull << 43 },
	{ "filter_excint_p 5", HS_ETA_FILTER_EXCINT, 5, 0, 4ull << 48 },
	{ "filter_impdef_p 1", HS_ETA_FILTER_IMPDEF, 1, 0, 1ull << 54 },
	{ "f0s_width_p 2", HS_ETA_F0S_WIDTH, 2, 0, 2ull << 55 },
	{ "iaddress_lsb_p 2 for 1", HS_ETA_IADDRESS_LSB, 2, 0, 1ull << 57 },
	{ "iaddress_width_p 64 for 32", HS_ETA_IADDRESS_WIDTH, 64, 1, 32 },
	{ "itype_width_p 3 for 4", HS_ETA_ITYPE_WIDTH, 3, 1, 1ull << 14 },
	{ "itype_width_p 5", HS_ETA_ITYPE_WIDTH, 5, 1, 0 },
	{ "nocontext_p 0 for 1", HS_ETA_NOCONTEXT, 0, 1, 1ull << 28 },
	{ "privilege_width_p 3 for 2", HS_ETA_PRIVILEGE_WIDTH, 3, 1, 3ull << 29 },
	{ "retires_p 4", HS_ETA_RETIRES, 4, 1, 3ull << 31 },
	{ "return_stack_size_p 5", HS_ETA_RETURN_STACK_SIZE, 5, 1, 5ull << 34 },
	{ "return_stack_size_p 15", HS_ETA_RETURN_STACK_SIZE, 15, 1, 15ull << 34 },
	{ "sijump_p 1", HS_ETA_SIJUMP, 1, 1, 1ull << 38 },
	{ "impdef_width_p 32", HS_ETA_IMPDEF_WIDTH, 32, 1, 31ull << 43 },
};

TEST_ROWS(one_attribute, attributes, row)
{
	struct hs_et_attributes a, back;
	uint32_t plain[HS_ET_ATTRIBUTE_WORDS], image[HS_ET_ATTRIBUTE_WORDS] = { 7 };
	struct hs_et_config c;

	hs_et_attributes_init(&a);
	hs_et_attributes_init(&back);
	assert_int_equal(hs_et_attributes_put(&a, plain), HS_OK);
	a.value[row->attribute] = row->value;
	if (!row->bits) {
		assert_int_equal(hs_et_attributes_put(&a, image), HS_E_CONFIG);
		assert_int_equal(image[0], 7);
		return;
	}
	assert_int_equal(hs_et_attributes_put(&a, image), HS_OK);
	for (unsigned w = 0; w < HS_ET_ATTRIBUTE_WORDS; w++) {
		const uint32_t bits = w / 2 == row->reg ? (uint32_t)(row->bits >> 32 * (w % 2)) : 0;

		assert_int_equal(image[w] ^ plain[w], bits);
	}
	assert_int_equal(hs_et_attributes_get(&back, image), HS_OK);
	assert_memory_equal(&back, &a, sizeof a);
	c = (struct hs_et_config){ .size = sizeof c, .version = HS_ET_2_0 };
	const enum hs_status s = hs_et_attributes_config(&back, &c);

	assert_int_equal(s, HS_OK);
	assert_int_equal(hs_et_config_check(&c), HS_OK);
}

/* The defaults of the text: 31 for iaddress_width, 3 for ecause_width and itype_width, 5 for
 * ecause_choice, 1 for nocontext, privilege_width, iretire_width and four filters. */
TEST(the_defaults_of_the_text)
{
	struct hs_et_attributes a;
	uint32_t image[HS_ET_ATTRIBUTE_WORDS];

	hs_et_attributes_init(&a);
	assert_int_equal(hs_et_attributes_put(&a, image), HS_OK);
	assert_true((image[0] | (uint64_t)image[1] << 32) ==
	            (5ull << 36 | 3ull << 39 | 1ull << 47 | 1ull << 48 | 1ull << 52 | 1ull << 53));
	assert_true((image[2] | (uint64_t)image[3] << 32) == (31ull | 3ull << 14 | 1ull << 21 |
	                                                      1ull << 28 | 1ull << 29));
}

/* Attributes of the text's tables that its example has no place for (design/et-layouts): defaults 0
 * for time_width, 1 for notime and filter_time, 31 for widths of data and addresses, 2 for
 * dsize. */
TEST(without_place)
{
	struct hs_et_config c = { .size = sizeof c };
	struct hs_et_data_config data = { .size = sizeof data };
	struct hs_et_attributes a;
	uint32_t plain[HS_ET_ATTRIBUTE_WORDS], image[HS_ET_ATTRIBUTE_WORDS];

	hs_et_attributes_init(&a);
	assert_int_equal(hs_et_attributes_put(&a, plain), HS_OK);
	assert_int_equal(a.value[HS_ETA_TIME_WIDTH], 1);
	assert_int_equal(a.value[HS_ETA_FILTER_TIME], 1);
	assert_int_equal(a.value[HS_ETA_DSIZE_WIDTH], 3);
	assert_int_equal(hs_et_attributes_config(&a, &c), HS_OK);
	assert_int_equal(c.time, 0);
	assert_int_equal(hs_et_attributes_data_config(&a, &data), HS_OK);
	assert_int_equal(data.data_width, 32);
	assert_int_equal(data.daddress_width, 32);
	assert_int_equal(data.lrid_width, 0);

	a.value[HS_ETA_NOTIME] = 0;
	a.value[HS_ETA_TIME_WIDTH] = 64;
	a.value[HS_ETA_DATA_WIDTH] = 64;
	a.value[HS_ETA_LRID_WIDTH] = 5;
	assert_int_equal(hs_et_attributes_put(&a, image), HS_OK);
	assert_memory_equal(image, plain, sizeof image);
	assert_int_equal(hs_et_attributes_get(&a, image), HS_OK);
	assert_int_equal(hs_et_attributes_config(&a, &c), HS_OK);
	assert_int_equal(c.time, 1);
	assert_int_equal(c.time_width, 64);
	data.split = 1;
	assert_int_equal(hs_et_attributes_data_config(&a, &data), HS_OK);
	assert_int_equal(data.data_width, 64);
	assert_int_equal(data.lrid_width, 5);
	a.value[HS_ETA_DATA_WIDTH] = 512;
	assert_int_equal(hs_et_attributes_data_config(&a, &data), HS_E_UNSUPPORTED);
	a.value[HS_ETA_DATA_WIDTH] = 513;
	assert_int_equal(hs_et_attributes_data_config(&a, &data), HS_E_CONFIG);
}

/* What attributes say of configurations: the member, and its value by the text's table. */
TEST(taken_from_attributes)
{
	static const struct {
		unsigned attribute;
		uint32_t value;
		size_t member;
		uint8_t want;
	} list[] = {
#define ROW(id, value, member, want) \
	{ HS_ETA_##id, value, offsetof(struct hs_et_config, member), want }
		ROW(ARCH, 9, arch, 9),
		ROW(BPRED_SIZE, 8, bpred_size, 8),
		ROW(CACHE_SIZE, 3, cache_size, 3),
		ROW(CALL_COUNTER_SIZE, 7, call_counter_size, 7),
		ROW(RETURN_STACK_SIZE, 5, return_stack_size, 5),
		ROW(NOCONTEXT, 0, context, 1),
		ROW(NOCONTEXT, 1, context, 0),
		ROW(CONTEXT_WIDTH, 17, context_width, 17),
		ROW(ECAUSE_WIDTH, 9, ecause_width, 9),
		ROW(F0S_WIDTH, 2, f0s_width, 2),
		ROW(IADDRESS_LSB, 2, iaddress_unit, 4),
		ROW(IADDRESS_WIDTH, 64, iaddress_width, 64),
		ROW(ITYPE_WIDTH, 4, itype_width, 4),
		ROW(PRIVILEGE_WIDTH, 3, privilege_width, 3),
		ROW(SIJUMP, 1, sijump, 1),
		ROW(NOTIME, 0, time, 1),
		ROW(NOTIME, 1, time, 0),
		ROW(TIME_WIDTH, 40, time_width, 40),
#undef ROW
	};

	for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
		struct hs_et_attributes a;
		struct hs_et_config c;

		hs_et_attributes_init(&a);
		memset(&c, 0x55, sizeof c);
		c.size = sizeof c;
		a.value[list[i].attribute] = list[i].value;
		assert_int_equal(hs_et_attributes_config(&a, &c), HS_OK);
		assert_int_equal(((uint8_t *)&c)[list[i].member], list[i].want);
	}
	assert_string_equal(hs_et_attribute_name(HS_ETA_COUNT), "?");
}

/* One value changed from the defaults: what there is a trace for. */
TEST(what_there_is_a_trace_for)
{
	static const struct {
		unsigned attribute;
		uint32_t value;
		bool split;
		enum hs_status want, data;
	} list[] = {
		{ HS_ETA_IADDRESS_WIDTH, 64, false, HS_OK, HS_OK },
		{ HS_ETA_IADDRESS_WIDTH, 65, false, HS_E_UNSUPPORTED, HS_OK },
		{ HS_ETA_IADDRESS_LSB, 2, false, HS_OK, HS_OK },
		{ HS_ETA_IADDRESS_LSB, 3, false, HS_E_UNSUPPORTED, HS_OK },
		{ HS_ETA_F0S_WIDTH, 2, false, HS_OK, HS_OK },
		{ HS_ETA_F0S_WIDTH, 3, false, HS_E_UNSUPPORTED, HS_OK },
		{ HS_ETA_DATA_WIDTH, 8, false, HS_OK, HS_OK },
		{ HS_ETA_DATA_WIDTH, 16, false, HS_OK, HS_OK },
		{ HS_ETA_DATA_WIDTH, 64, false, HS_OK, HS_OK },
		{ HS_ETA_DATA_WIDTH, 9, false, HS_OK, HS_E_UNSUPPORTED },
		{ HS_ETA_DATA_WIDTH, 17, false, HS_OK, HS_E_UNSUPPORTED },
		{ HS_ETA_DATA_WIDTH, 33, false, HS_OK, HS_E_UNSUPPORTED },
		{ HS_ETA_DATA_WIDTH, 65, false, HS_OK, HS_E_UNSUPPORTED },
		{ HS_ETA_DADDRESS_WIDTH, 3, false, HS_OK, HS_E_UNSUPPORTED },
		{ HS_ETA_DADDRESS_WIDTH, 4, false, HS_OK, HS_OK },
		{ HS_ETA_DADDRESS_WIDTH, 64, false, HS_OK, HS_OK },
		{ HS_ETA_DADDRESS_WIDTH, 65, false, HS_OK, HS_E_UNSUPPORTED },
		{ HS_ETA_LRID_WIDTH, HS_ET_LRID_MAX, true, HS_OK, HS_OK },
		{ HS_ETA_LRID_WIDTH, HS_ET_LRID_MAX + 1, true, HS_OK, HS_E_UNSUPPORTED },
		{ HS_ETA_LRID_WIDTH, HS_ET_LRID_MAX + 1, false, HS_OK, HS_OK },
	};

	for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
		struct hs_et_config c = { .size = sizeof c };
		struct hs_et_data_config data = { .size = sizeof data, .split = list[i].split };
		struct hs_et_attributes a;

		hs_et_attributes_init(&a);
		a.value[list[i].attribute] = list[i].value;
		if (hs_et_attributes_config(&a, &c) != list[i].want ||
		    hs_et_attributes_data_config(&a, &data) != list[i].data)
			fail_msg("%s %u", hs_et_attribute_name(list[i].attribute), list[i].value);
	}
}
