/* hs_nt_config: ranges, sizes of older and newer callers, and what 0 means (ntrace.h,
 * design/interface). */
#include "device/device.h"
#include "cases.h"

#include <hartscope/control.h>
#include <hartscope/ntrace.h>

#include "ntrace/nt_lint.h"
#include "ntrace/ntrace.h"

#define C(...) { .size = sizeof(struct hs_nt_config), __VA_ARGS__ }

static const struct range {
	const char *name;
	struct hs_nt_config c;
	enum hs_status want;
} ranges[] = {
	{ "zeroed", { .size = sizeof(struct hs_nt_config) }, HS_OK },
	{ "inst_mode 4", C(.inst_mode = 4), HS_E_CONFIG },
	{ "src_bits 12", C(.src_bits = 12), HS_OK },
	{ "src_bits 13", C(.src_bits = 13), HS_E_CONFIG },
	{ "src_id fits", C(.src_bits = 3, .src_id = 7), HS_OK },
	{ "src_id too wide", C(.src_bits = 3, .src_id = 8), HS_E_CONFIG },
	{ "src_id too wide, inhibited", C(.src_bits = 3, .src_id = 8, .inhibit_src = 1),
	  HS_E_CONFIG },
	{ "sync_mode 4", C(.sync_mode = 4), HS_E_CONFIG },
	{ "sync_mode cycles", C(.sync_mode = HS_NT_SYNC_CYCLES), HS_OK },
	{ "sync_mode bytes", C(.sync_mode = HS_NT_SYNC_BYTES), HS_OK },
	{ "sync_max 16", C(.sync_max = 16), HS_E_CONFIG },
	{ "a start that is a sample in SiFive's",
	  C(.start_sync = 15, .dialect = HS_NT_DIALECT_SIFIVE), HS_E_CONFIG },
	{ "the same in another dialect", C(.start_sync = 15), HS_OK },
	{ "icnt_bits 3", C(.icnt_bits = 3), HS_E_CONFIG },
	{ "icnt_bits 4", C(.icnt_bits = 4), HS_OK },
	{ "icnt_bits 22", C(.icnt_bits = 22), HS_OK },
	{ "icnt_bits 23", C(.icnt_bits = 23), HS_E_CONFIG },
	{ "icnt_full 2", C(.icnt_full = 2), HS_E_CONFIG },
	{ "hist_bits 31", C(.hist_bits = 31), HS_OK },
	{ "hist_bits 32", C(.hist_bits = 32), HS_E_CONFIG },
	{ "codes of 15", C(.start_sync = 15, .stop_evcode = 15, .sync_max = 15), HS_OK },
	{ "start_sync 16", C(.start_sync = 16), HS_E_CONFIG },
	{ "stop_evcode 16", C(.stop_evcode = 16), HS_E_CONFIG },
	{ "dialect 4", C(.dialect = HS_NT_DIALECT_COUNT), HS_E_CONFIG },
	{ "implicit_return 4", C(.implicit_return = 4), HS_E_CONFIG },
	{ "implicit_return, 3 bits of itype", C(.implicit_return = 1, .itype_bits = 3),
	  HS_E_CONFIG },
	{ "implicit_return, 4 bits of itype", C(.implicit_return = 3, .itype_bits = 4), HS_OK },
	{ "itype_bits 3", C(.itype_bits = 3), HS_OK },
	{ "itype_bits 2", C(.itype_bits = 2), HS_E_CONFIG },
	{ "call_stack 1", C(.call_stack = 1), HS_OK },
	{ "call_stack 32", C(.call_stack = 32), HS_OK },
	{ "call_stack 1024", C(.call_stack = 1024), HS_OK },
	{ "call_stack 1025", C(.call_stack = 1025), HS_E_CONFIG },
	{ "return_bits 1", C(.return_bits = 1), HS_E_CONFIG },
	{ "return_bits 2", C(.return_bits = 2), HS_OK },
	{ "return_bits 63", C(.return_bits = 63), HS_OK },
	{ "return_bits 64", C(.return_bits = 64), HS_E_CONFIG },
	{ "hrepeat_bits 1", C(.hrepeat_bits = 1), HS_OK },
	{ "hrepeat_bits 18", C(.hrepeat_bits = 18), HS_OK },
	{ "hrepeat_bits 19", C(.hrepeat_bits = 19), HS_E_CONFIG },
	{ "itype_bits 5", C(.itype_bits = 5), HS_E_CONFIG },
	{ "xlen 32", C(.xlen = 32), HS_OK },
	{ "xlen 64", C(.xlen = 64), HS_OK },
	{ "xlen 128", C(.xlen = 128), HS_E_CONFIG },
	{ "address_bits 1", C(.address_bits = 1), HS_E_CONFIG },
	{ "address_bits 2", C(.address_bits = 2), HS_OK },
	{ "address_bits 63", C(.address_bits = 63), HS_OK },
	{ "address_bits 64", C(.address_bits = 64), HS_E_CONFIG },
	{ "address_bits, extend_addr", C(.address_bits = 47, .extend_addr = 1), HS_OK },
};

/* Everything that takes a configuration says the same of it. */
TEST_ROWS(range, ranges, r)
{
	static struct hs_nt_lint_source lint_source;
	static struct hs_nt_lint lint;
	static struct hs_nt_encoder e;
	static struct hs_nt_decoder d;
	struct hs_bb_table table = { 0 };
	struct hs_nt_source source;

	assert_int_equal(hs_nt_config_check(&r->c), r->want);
	assert_int_equal(hs_nt_encoder_init(&e, &r->c), r->want);
	assert_int_equal(hs_nt_decoder_init(&d, &r->c, &table, &source, 1), r->want);
	assert_int_equal(hs_nt_lint_init(&lint, &r->c, &lint_source, 1), r->want);
}

/* A struct of an older caller ends where one of these members begins.  The bytes after it are not
 * looked at: each of these members would refuse 0xff. */
TEST(older_callers_have_smaller_structs)
{
	const uint32_t sizes[] = { offsetof(struct hs_nt_config, inst_mode),
		                   offsetof(struct hs_nt_config, dialect),
		                   offsetof(struct hs_nt_config, xlen) };
	struct hs_nt_encoder e;

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		struct hs_nt_config c;

		memset(&c, 0, sizeof c);
		memset((char *)&c + sizes[i], 0xff, sizeof c - sizes[i]);
		c.size = sizes[i];
		assert_int_equal(hs_nt_config_check(&c), HS_OK);
		assert_int_equal(hs_nt_encoder_init(&e, &c), HS_OK);
		c.size = sizes[i] + 1;
		assert_int_equal(hs_nt_config_check(&c), HS_E_CONFIG);
		c.size = 3; /* not even the size itself */
		assert_int_equal(hs_nt_config_check(&c), HS_E_CONFIG);
	}
}

TEST(newer_callers_have_larger_structs)
{
	struct { struct hs_nt_config c; uint8_t more[8]; } n = { { .size = sizeof n }, { 0 } };

	assert_int_equal(hs_nt_config_check(&n.c), HS_OK);
	n.more[7] = 1;
	assert_int_equal(hs_nt_config_check(&n.c), HS_E_CONFIG);
	n.c.size--;
	assert_int_equal(hs_nt_config_check(&n.c), HS_OK);
}

/* What nt_config.h says that 0 is, and for all other members 0 itself. */
TEST(zero_is_the_default)
{
	static const struct { uint8_t at, value;
	} members[] = {
#define M(member, value) { offsetof(struct hs_nt_config, member), value }
		M(inst_mode, HS_NT_HTM), M(icnt_bits, 22),  M(hist_bits, 31),
		M(start_sync, 5),        M(call_stack, 32), M(return_bits, 16),
		M(hrepeat_bits, 18),     M(itype_bits, 4),  M(xlen, 64),
		M(tstamp_bits, 64),
#undef M
	};
	const struct hs_nt_config zeroed = C();
	struct hs_nt_config want = C();
	struct hs_nt_encoder e;

	for (size_t i = 0; i < sizeof members / sizeof *members; i++)
		((uint8_t *)&want)[members[i].at] = members[i].value;
	assert_int_equal(hs_nt_encoder_init(&e, &zeroed), HS_OK);
	assert_memory_equal(&e.config, &want, sizeof want);
}

/* NT dialects: the reference encoder begins with SYNC 1. */
TEST(start_sync_is_the_dialects)
{
	const struct hs_nt_config c = C(.dialect = HS_NT_DIALECT_REFERENCE);
	const struct hs_block b = {
		.iaddr = 0x100, .iretire = 2, .ilast = 2, .kind = HS_KIND_BLOCK
	};
	static const uint8_t want[] = { 0x24, 0x05, 0x00,
		                        0x0b }; /* ProgTraceSync SYNC=1 I-CNT=0 F-ADDR=0x80 */
	uint8_t bytes[HS_NT_ENCODE_ROOM];
	struct hs_nt_encoder e;
	size_t used, len;

	assert_int_equal(hs_nt_encoder_init(&e, &c), HS_OK);
	assert_int_equal(hs_nt_encode(&e, &b, 1, &used, bytes, sizeof bytes, &len), HS_OK);
	assert_int_equal(len, sizeof want);
	assert_memory_equal(bytes, want, sizeof want);
}

/* Functions that write into a caller's struct write no more than the caller has. */
TEST(registers_into_a_smaller_struct)
{
	static struct hs_tc_regs r;
	struct hs_tc_place p;
	struct hs_nt_config c;

	for (unsigned w = 0; hs_tc_next(w, &p); w = p.word + 1u)
		if (p.reg == HS_TCR_TE_CONTROL && p.component == HS_TC_ENCODER)
			break;
	r.known[p.word / 32] |= 1u << p.word % 32;
	r.word[p.word] = 1u << hs_tc_field_at(HS_TCF_TE_FORMAT)->lsb |
	                 6u << hs_tc_field_at(HS_TCF_TE_INST_MODE)->lsb |
	                 3u << hs_tc_field_at(HS_TCF_TE_INST_SYNC_MODE)->lsb;
	memset(&c, 0x5a, sizeof c);
	memset(&c, 0, offsetof(struct hs_nt_config, sync_mode));
	c.size = offsetof(struct hs_nt_config, sync_mode);
	assert_int_equal(hs_tc_nt_config(&r, &c), HS_OK);
	assert_int_equal(c.inst_mode, HS_NT_HTM);
	assert_int_equal(c.size, offsetof(struct hs_nt_config, sync_mode));
	for (size_t i = c.size; i < sizeof c; i++)
		assert_int_equal(((uint8_t *)&c)[i], 0x5a);
	c.size = 2;
	assert_int_equal(hs_tc_nt_config(&r, &c), HS_E_CONFIG);
}

TEST(dialects_end)
{
	assert_non_null(hs_nt_dialect_get(HS_NT_DIALECT_COUNT - 1));
	assert_null(hs_nt_dialect_get(HS_NT_DIALECT_COUNT));
}
