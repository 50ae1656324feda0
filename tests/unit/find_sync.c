/* Where the last message begins that synchronises, by bytes made from the texts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <hartscope/etrace.h>
#include <hartscope/ntrace.h>

#define NONE SIZE_MAX /* none is seen */
#define NTRACE 0xff   /* in place of a dialect of E-Trace */

/* TCODE is in bits 7:2 of a first byte, MSEO in 1:0 (NT 3.1).  Of E-Trace's standard packets length
 * is in bits 4:0 of the header, then type 2, format and subformat (EE Header, ET Format 3). */
static const struct row {
	const char *name;
	uint8_t dialect, n, bytes[12];
	size_t found;
} rows[] = {
	{ "N-Trace: ProgTraceSync", NTRACE, 6, { 0x0c, 0x03, 0x24, 0x15, 0x00, 0x0b }, 2 },
	{ "N-Trace: the last of two", NTRACE, 8,
	  { 0x0c, 0x03, 0x24, 0x03, 0x74, 0x03, 0x0c, 0x03 }, 4 },
	{ "N-Trace: DirectBranchSync", NTRACE, 3, { 0x03, 0x2c, 0x03 }, 1 },
	{ "N-Trace: IndirectBranchSync", NTRACE, 3, { 0x03, 0x30, 0x03 }, 1 },
	{ "N-Trace: after idle bytes", NTRACE, 3, { 0xff, 0x24, 0x03 }, 1 },
	{ "N-Trace: inside a message", NTRACE, 5, { 0x10, 0x24, 0x24, 0x25, 0x03 }, NONE },
	{ "N-Trace: the first byte has none before it", NTRACE, 2, { 0x24, 0x03 }, NONE },
	{ "N-Trace: no bytes", NTRACE, 0, { 0 }, NONE },
	{ "standard: format 3, subformat 0", HS_ET_DIALECT_STANDARD, 7,
	  { 0x01, 0x06, 0x02, 0x0e, 0x00, 0x01, 0x06 }, 2 },
	{ "standard: subformat 1", HS_ET_DIALECT_STANDARD, 4, { 0x01, 0x06, 0x01, 0x1e }, NONE },
	{ "standard: after null packets", HS_ET_DIALECT_STANDARD, 6,
	  { 0x00, 0x80, 0x01, 0x06, 0x01, 0x0e }, 4 },
	{ "standard: not whole", HS_ET_DIALECT_STANDARD, 4, { 0x01, 0x06, 0x02, 0x0e }, NONE },
	{ "reference: one header byte", HS_ET_DIALECT_REFERENCE, 5,
	  { 0x41, 0x01, 0x42, 0x03, 0x00 }, 2 },
	{ "pulp: header and payload share a byte", HS_ET_DIALECT_PULP, 4,
	  { 0x61, 0x00, 0xe1, 0x00 }, 2 },
	{ "none: no lengths", HS_ET_DIALECT_NONE, 2, { 0x01, 0x03 }, NONE },
	{ "esp32: an index first", HS_ET_DIALECT_ESP32, 4, { 0x01, 0x0e, 0x02, 0x0e }, NONE },
};

static void found(void **state)
{
	const struct row *r = *state;
	const struct hs_span bytes = { r->bytes, r->n };
	const size_t want = r->found == NONE ? r->n : r->found;
	struct hs_et_config c = { .size = sizeof(c) };

	if (r->dialect == NTRACE) {
		assert_int_equal(hs_nt_find_sync(&bytes), want);
		return;
	}
	assert_int_equal(hs_et_config_dialect(&c, r->dialect), HS_OK);
	assert_int_equal(hs_et_find_sync(&c, &bytes), want);
	c.size = 0;
	assert_int_equal(hs_et_find_sync(&c, &bytes), r->n);
}

int main(void)
{
	struct CMUnitTest tests[sizeof(rows) / sizeof(*rows)] = { 0 };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		tests[i] = (struct CMUnitTest){ .name = rows[i].name, .test_func = found,
			                        .initial_state = (void *)(uintptr_t)&rows[i] };
	return cmocka_run_group_tests_name("find_sync", tests, NULL, NULL);
}
