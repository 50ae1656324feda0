/* What identify looks at: packets in their frames, bits of payloads, and the words of a result. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "identify/private.h"

/* Two packets (EE Packet Encapsulation): header (3 bytes, no timestamp), type 2, a payload; then
 * a null byte. */
static const uint8_t standard[] = { 0x03, 0x0e, 0x81, 0xff, 0x03, 0x06, 0x02, 0x00, 0x00 };

static const struct {
	const char *name;
	unsigned at, width;
	uint64_t value; /* of the first payload, which begins at bit 10 and ends at bit 26 */
} bits[] = {
	{ "format", 0, 2, 3 },
	{ "format and subformat", 0, 4, 3 },
	{ "bits of two bytes", 4, 4, 4 },
	{ "the last bits", 12, 4, 8 | 4 | 2 },
	{ "the last bit repeats past the end", 12, 8, 0xfe },
};

static void bits_of_payloads(void **state)
{
	static struct identify_packets p;
	const struct hs_span in = { standard, sizeof(standard) };
	struct identify_frame f;

	(void)state;
	identify_frame_of(&f, HS_ET_DIALECT_STANDARD, 0, 0);
	identify_cut(&in, &f, &p);
	assert_int_equal(p.count, 2);
	assert_int_equal(p.packets, 2);
	assert_int_equal(p.bytes, sizeof(standard));
	assert_int_equal(p.payload[0].end, 26);
	for (size_t i = 0; i < sizeof(bits) / sizeof(*bits); i++)
		if (identify_bits(&p.payload[0], bits[i].at, bits[i].width) != bits[i].value)
			fail_msg("%s", bits[i].name);
}

static void a_packet_that_is_cut_is_left_out(void **state)
{
	static struct identify_packets p;
	struct identify_frame f;

	(void)state;
	identify_frame_of(&f, HS_ET_DIALECT_STANDARD, 0, 0);
	for (size_t n = 0; n <= 4; n++) {
		const struct hs_span in = { standard, n };

		identify_cut(&in, &f, &p);
		assert_int_equal(p.count, n == 4);
	}
}

static void settings(void **state)
{
	struct identify_config nt = { .nt = { .size = sizeof(nt.nt), .dialect = HS_NT_DIALECT_V1_0,
		                              .src_bits = 4, .implicit_return = 3 } };
	struct identify_config et = { .et = { .size = sizeof(et.et), .privilege_width = 2,
		                              .time = 1, .time_width = 40 } };
	char text[HS_IDENTIFY_TEXT];

	(void)state;
	identify_write_settings(&nt, 64, text);
	assert_string_equal(text, "dialect=1.0 trTeSrcBits=4 trTeInstImplicitReturnMode=full");
	identify_write_settings(&et, 64, text);
	assert_string_equal(text, "privilege_width_p=2 notime_p=0 time_width_p=40");
	et.et.iaddress_width = 32;
	identify_write_settings(&et, 32, text); /* a program of RV32 says so */
	assert_string_equal(text, "privilege_width_p=2 notime_p=0 time_width_p=40");
	hs_et_config_dialect(&et.et, HS_ET_DIALECT_PULP);
	et.et.time = 0;
	et.et.context_mark = 1; /* what encode does in 0.026 */
	identify_write_settings(&et, 32, text);
	assert_string_equal(text, "dialect=pulp");
	et.et.context_mark = 0;
	identify_write_settings(&et, 32, text);
	assert_string_equal(text, "dialect=pulp context-mark=0");
}

/* A count of 2^18 blocks in the first message explains all that was read, which is not much. */
static void a_count_explains_less_than_a_capture(void **state)
{
	const struct identify_fit count = { .any = true, .flooded = true, .bytes = 16,
		                            .explained = 16 };
	const struct identify_fit read = { .any = true, .bytes = 5705, .explained = 5689 };

	(void)state;
	assert_false(identify_is_whole(&count));
	assert_true(identify_is_whole(&read));
	assert_true(identify_better(&read, &count));
	assert_false(identify_better(&count, &read));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bits_of_payloads),
		cmocka_unit_test(a_packet_that_is_cut_is_left_out),
		cmocka_unit_test(settings),
		cmocka_unit_test(a_count_explains_less_than_a_capture),
	};

	return cmocka_run_group_tests_name("identify", tests, NULL, NULL);
}
