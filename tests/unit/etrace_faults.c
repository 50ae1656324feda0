/* Packets that do not fit the configuration or the program: the first fault that a decoder reports. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <hartscope/etrace.h>

/* 0x1000 c.nop, beq a0,a1,+4, c.nop, c.jr ra (ISA manual) */
static const uint8_t code[] = { 0x01, 0x00, 0x63, 0x02, 0xb5, 0x00, 0x01, 0x00, 0x82, 0x80 };

/* Payloads one after the other, of a 64-bit hart without time and context, with an f0s of one bit.  START: format 3,
 * subformat 0, branch 1, privilege 0, address 0x1000 (ET Format 3 subformat 0). */
#define START 0x13, 0x00, 0x08, 0, 0, 0, 0, 0, 0

static const struct row {
	const char *name;
	uint8_t options;
	enum hs_status want;
	uint8_t n, bytes[24];
} rows[] = {
	{ "a start alone", 0, HS_MORE, 9, { START } },
	/* format 0, f0s 0, branch_count 0 (31 branches), branch_fmt 0 (ET Format 0 packets) */
	{ "a count without branch prediction", HS_ET_JUMP_TARGET_CACHE, HS_E_FLOW, 14, { START, 0, 0, 0, 0, 0 } },
	/* the program returns before the second branch */
	{ "a count of branches that are not there", HS_ET_BRANCH_PREDICTION, HS_E_FLOW, 14, { START, 0, 0, 0, 0, 0 } },
	/* branch_fmt 1 is reserved */
	{ "a reserved branch_fmt", HS_ET_BRANCH_PREDICTION, HS_E_FIELD, 14, { START, 0, 0, 0, 0, 0x08 } },
	/* format 0, f0s 1, index 0 of 4 bits, branches 0, irreport and irdepth as the bit before */
	{ "an index of nothing", HS_ET_JUMP_TARGET_CACHE, HS_E_FLOW, 11, { START, 0x04, 0x00 } },
};

static void first_fault(void **state)
{
	const struct row *row = *state;
	const struct hs_section section = { 0x1000, sizeof code, code };
	const struct hs_image image = { .sections = &section, .count = 1, .isa = { .xlen = 64 } };
	uint64_t memory[4096];
	struct hs_block out[HS_ET_DECODE_ROOM];
	struct hs_et_config c;
	static struct hs_et_source source;
	struct hs_bb_table table;
	struct hs_et_decoder d;
	const uint8_t *in = row->bytes;
	size_t left = row->n, n;

	hs_et_config_init(&c, HS_ET_2_0);
	c.dialect = HS_ET_DIALECT_NONE;
	c.f0s_width = 1;
	c.bpred_size = 4;
	c.cache_size = 4;
	c.options = row->options;
	assert_true(hs_bb_memory(64) <= sizeof memory);
	assert_int_equal(hs_bb_init(&table, &image, memory, 64), HS_OK);
	assert_int_equal(hs_et_decoder_init(&d, &c, &table, &source, 1), HS_OK);
	const enum hs_status s = hs_et_decoder_next(&d, &in, &left, out, HS_ET_DECODE_ROOM, &n);

	assert_string_equal(hs_status_name(s), hs_status_name(row->want));
	if (s == HS_MORE)
		return;
	assert_int_equal(hs_et_decoder_diag(&d)->packet.offset, 9);
	assert_int_equal(out[n - 1].kind, HS_KIND_GAP);
}

int main(void)
{
	struct CMUnitTest tests[sizeof rows / sizeof *rows];

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		tests[i] = (struct CMUnitTest){ rows[i].name, first_fault, NULL, NULL, (void *)(uintptr_t)&rows[i] };
	return cmocka_run_group_tests_name("etrace_faults", tests, NULL, NULL);
}
