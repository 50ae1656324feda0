/* What identify looks at: packets in their frames, bits of payloads, and the words of a result. */
#include "cases.h"

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

TEST(bits_of_payloads)
{
	static struct identify_packets p;
	const struct hs_span in = { standard, sizeof(standard) };
	struct identify_frame f;

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

TEST(a_packet_that_is_cut_is_left_out)
{
	static struct identify_packets p;
	struct identify_frame f;

	identify_frame_of(&f, HS_ET_DIALECT_STANDARD, 0, 0);
	for (size_t n = 0; n <= 4; n++) {
		const struct hs_span in = { standard, n };

		identify_cut(&in, &f, &p);
		assert_int_equal(p.count, n == 4);
	}
}

TEST(settings_that_are_found)
{
	struct identify_config nt = { .nt = { .size = sizeof(nt.nt), .dialect = HS_NT_DIALECT_V1_0,
		                              .src_bits = 4, .implicit_return = 3 } };
	struct identify_config et = {
		.is = IDENTIFY_ETRACE,
		.et = { .size = sizeof(et.et), .privilege_width = 2, .time = 1, .time_width = 40 }
	};
	char text[HS_IDENTIFY_TEXT];

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
TEST(a_count_explains_less_than_a_capture)
{
	const struct identify_fit count = { .any = true, .flooded = true, .bytes = 16,
		                            .explained = 16 };
	const struct identify_fit read = { .any = true, .bytes = 5705, .explained = 5689 };

	assert_false(identify_is_whole(&count));
	assert_true(identify_is_whole(&read));
	assert_true(identify_better(&read, &count));
	assert_false(identify_better(&count, &read));
}

/* Four functions of one instruction, and calls of each: 0x100 + 8 i is c.jr ra; from 0x200 on jal
 * ra to each, four bytes apart (jal x1 with an offset of -0x100 + 4 i). */
static void make_calls(uint8_t bytes[0x110])
{
	memset(bytes, 0, 0x110);
	for (unsigned i = 0; i < 4; i++) {
		const uint32_t offset = (uint32_t)(-0x100 + 4 * (int)i);
		const uint32_t jal = 0xef | (offset & 0xff000) | (offset >> 11 & 1) << 20 |
		                     (offset >> 1 & 0x3ff) << 21 | (offset >> 20 & 1) << 31;

		bytes[8 * i] = 0x82;
		bytes[8 * i + 1] = 0x80;
		for (unsigned k = 0; k < 4; k++)
			bytes[0x100 + 4 * i + k] = (uint8_t)(jal >> 8 * k);
	}
}

/* What the trace of a program says that was loaded @by bytes higher: returns and functions. */
TEST(a_program_that_was_moved)
{
	static uint8_t bytes[0x110];
	const struct hs_section section = { 0x100, sizeof(bytes), bytes };
	const struct hs_image image = { .sections = &section, .count = 1 };
	uint8_t starts[sizeof(bytes) / 16 + 1];
	size_t first = 0, n = 0;
	const struct identify_code code = { .image = &image,
		                            .starts = starts,
		                            .bytes = sizeof(starts),
		                            .first = &first, .least = 0x100, .most = 0x20f };
	const uint64_t by = 0x5550002;
	uint64_t address[6];
	struct identify_move move[IDENTIFY_MOVES];
	struct identify_targets t;

	make_calls(bytes);
	memset(starts, 0xff, sizeof(starts));
	assert_true(identify_find_targets(&code, &t));
	assert_int_equal(t.count, 11); /* what is after the last call is not in it */
	assert_true(identify_is_target(&t, 0x10a)); /* after a return */
	assert_true(identify_is_target(&t, 0x108));
	assert_true(identify_is_target(&t, 0x204));
	assert_false(identify_is_target(&t, 0x200));
	for (unsigned i = 0; i < 3; i++) {
		identify_add_address(address, &n, 6, by + 0x204 + 4 * i);
		identify_add_address(address, &n, 6, by + 0x100 + 8 * i);
		identify_add_address(address, &n, 6, by + 0x204); /* is there already */
	}
	assert_int_equal(n, 6);
	assert_true(identify_find_moves(&t, address, n, move) >= 1);
	assert_int_equal(move[0].by, by);
	assert_int_equal(move[0].hits, 1000);
	assert_int_equal(identify_find_moves(&t, address, 3, move), 0); /* too few decide nothing */
	identify_drop_targets(&t);
}
