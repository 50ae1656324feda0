/* The discovery record: each parameter at its place, sets that cannot be, and back again (PT 3.1.5, Table 3.6). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <hartscope/etrace.h>

/* The smallest values; the record of these is all zeros but iaddress_width_p 2, which is 1 there. */
static struct hs_et_discovery smallest(void)
{
	struct hs_et_discovery d = { { 0 } };

	d.value[HS_ETD_COMPARATORS] = d.value[HS_ETD_FILTERS] = d.value[HS_ETD_CONTEXT_WIDTH] = 1;
	d.value[HS_ETD_ECAUSE_WIDTH] = d.value[HS_ETD_PRIVILEGE_WIDTH] = 1;
	d.value[HS_ETD_IADDRESS_WIDTH] = 2;
	d.value[HS_ETD_INSN_WIDTH] = 32;
	return d;
}

/* One value changed from the smallest.  bits: of the record, besides bit 47 of iaddress_width 2, counted by hand. */
static const struct row {
	const char *name;
	unsigned param;
	uint32_t value;
	uint64_t bits; /* 0: HS_E_CONFIG */
} rows[] = {
	{ "minor_revision", HS_ETD_MINOR_REVISION, 0xa5, 0xa5 },
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

static void record(void **state)
{
	const struct row *row = *state;
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

static void sets(void **state)
{
	struct hs_et_discovery d = smallest();
	struct hs_et_config c;
	const uint32_t spare[] = { 0, 1u << 14 | 1u << 28 }, insn[] = { 0, 1u << 14 | 3u << 26 };

	(void)state;
	assert_int_equal(hs_et_discovery_get(&d, spare), HS_E_FIELD); /* a bit behind the record */
	assert_int_equal(hs_et_discovery_get(&d, insn), HS_E_FIELD);  /* insn_width 3 is 256 bits */
	hs_et_config_init(&c, HS_ET_0_026);
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
}

#define ROWS (sizeof rows / sizeof *rows)

int main(void)
{
	struct CMUnitTest tests[ROWS + 1] = { cmocka_unit_test(sets) };

	for (size_t i = 0; i < ROWS; i++)
		tests[i + 1] = (struct CMUnitTest){ rows[i].name, record, NULL, NULL, (void *)(uintptr_t)&rows[i] };
	return cmocka_run_group_tests_name("etrace_discovery", tests, NULL, NULL);
}
