/* Systems with encoders of E-Trace, and their sequences of synchronisation. */
#include "device/device.h"
#include "etrace/etrace.h"
#include "cases.h"

#include "etrace/et_config.h"
#include "ingress/ingress.h"
#include "transport/transport.h"
#include "unit/device_board.h"

/* trTeFormat 0: an E-Trace encoder with the same registers; with a filter in the second run. */
TEST(e_trace)
{
	const struct hs_et_config et = { .size = sizeof(et), .return_stack_size = 3 };
	static struct flow f;
	size_t used;

	f = rounds(0, 30);
	for (unsigned filtered = 0; filtered < 2; filtered++) {
		struct hs_et_config config = et;

		fresh();
		ram_up(&ram, sram);
		hart_up(0, &et);
		assert_int_equal(hart_rd(0, CONTROL) >> 4 & 7, 6); /* ET Control: hard coded */
		hart_wr(0, FEATURES, 0x9); /* full addresses, implicit return */
		hart_wr(0, 0x600, 0x50);   /* iaddr >= */
		hart_wr(0, 0x610, 0x1100);
		hart_wr(0, 0x400, 0x11);
		hart_wr(0, 0x00c, filtered);
		assert_int_equal(hs_dev_encoder_connect(&hart[0], &ram, 0), HS_OK);
		hart_traces(0, SYNC_MESSAGES);
		assert_int_equal(hs_dev_run(&sys, &hart[0], f.at, f.n, &used), HS_OK);
		hart_stops(0);
		assert_int_equal(hs_dev_et_config(&hart[0].device.tc.regs, &config), HS_OK);
		assert_int_equal(config.options, HS_ET_FULL_ADDRESS | HS_ET_IMPLICIT_RETURN);
		decode_et(stored(&ram, sram), &config);
		assert_true(filtered || seen.of[0].n == f.n);
		for (size_t i = 0; !filtered && i + 1 < f.n; i++) /* privilege is known now */
			assert_true(hs_block_same(&f.at[i], &seen.of[0].at[i]));
		for (size_t i = 0; filtered && i < seen.of[0].n; i++)
			assert_int_equal(seen.of[0].at[i].iaddr, 0x1100);
		assert_true(seen.of[0].n >= 30);
	}
}

/* A sink that gets packets; 31 null bytes in a row are in none. */
static void packets_up(struct hs_dev_node *n, enum hs_tc_component kind, unsigned freq)
{
	static const struct hs_tc_ops bus = { bus_store };
	const struct hs_tc_memory memory = { sram, 4096, &bus, NULL };

	fresh();
	assert_int_equal(hs_dev_node_init(n, kind, hs_tc_profile_find("etrace"), &memory, &outside,
	                                  NULL), HS_OK);
	hs_dev_node_set_nulls(n, 31);
	while (!(hs_dev_read(n, CONTROL) & ACTIVE))
		hs_dev_write(n, CONTROL, ACTIVE);
	hs_dev_write(n, LIMIT, 4092);
	hs_dev_write(n, WP, 0);
	if (kind == HS_TC_ATB)
		hs_dev_write(n, IMPL, freq << 12);
	enable_node(n, kind == HS_TC_ATB   ? 0x12 << 8
	               : kind == HS_TC_PIB ? 11u << 4 | freq << 12
	                                   : freq << 12);
}

static void put_bytes(struct hs_dev_node *n, size_t count)
{
	uint8_t ones[200];
	struct hs_span in = { ones, count };

	memset(ones, 1, sizeof(ones));
	assert_true(hs_dev_put(n, 0, &in));
}

/* @zeros times 0, then @last, at @at. */
static void assert_nulls(const uint8_t *at, unsigned zeros, uint8_t last)
{
	for (unsigned i = 0; i < zeros; i++)
		assert_int_equal(at[i], 0);
	assert_int_equal(at[zeros], last);
}

/* trRamAsyncFreq, trAtbBridgeAsyncFreq 1 and 2: each 128, 256 bytes (design/alignment), and never
 * with 0; the last word of a RAM sink is filled up with null.idle. */
TEST(sequences_in_memory_and_on_atb)
{
	for (unsigned freq = 0; freq < 3; freq++) {
		packets_up(&ram, HS_TC_RAM, freq);
		packets_up(&bridge, HS_TC_ATB, freq);
		for (unsigned i = 0; i < 2; i++) {
			put_bytes(i ? &bridge : &ram, 127);
			put_bytes(i ? &bridge : &ram, 1);
			put_bytes(i ? &bridge : &ram, 130);
		}
		stop_node(&ram);
		const unsigned nulls = freq == 0 ? 0 : freq == 1 ? 64 : 32;

		assert_int_equal(hs_dev_read(&ram, WP), 260 + nulls);
		assert_int_equal(atb.n, 258 + nulls);
		assert_memory_equal(atb.at, sram, atb.n);
		if (freq == 1)
			assert_nulls(sram + 128, 31, 0x80);
		if (freq)
			assert_nulls(sram + 258 + (freq == 1 ? 32 : 0), 31, 0x80);
		assert_nulls(sram + atb.n, 1, 0);
	}
}

/* trPibMode 11, a byte a sample: a sequence first; a null.alignment ends idle; trPibAsyncFreq 1. */
TEST(sequences_on_pins)
{
	uint8_t bytes[400];

	packets_up(&pins, HS_TC_PIB, 1);
	put_bytes(&pins, 2);
	hs_dev_clock(NULL, &pins, 31 + 1 + 2 + 3);
	put_bytes(&pins, 126);
	hs_dev_clock(NULL, &pins, 1 + 126 + 32 + 1);
	assert_int_equal(samples.n, 197);
	for (size_t i = 0; i < samples.n; i++)
		bytes[i] = (uint8_t)samples.at[i];
	assert_nulls(bytes, 31, 0x80);
	assert_int_equal(bytes[33], 1);
	assert_nulls(bytes + 34, 3, 0x80);
	assert_int_equal(bytes[38], 1);
	assert_nulls(bytes + 38 + 126, 31, 0x80);
	assert_int_equal(bytes[38 + 126 + 32], 0);
}

/* What an encoder sends over pins comes back from any sample on, at the next sequence. */
TEST(packets_over_pins)
{
	const struct hs_et_config et = { .size = sizeof(et), .return_stack_size = 3 };
	const struct hs_pin_config probe = { .size = sizeof(probe), .width = 1, .headers = 1 };
	static uint8_t raw[60000], bytes[8000];
	struct hs_pin_event event;
	struct hs_pin_receiver r;
	static struct flow f;
	size_t used, len, n = 0;

	f = rounds(0, 300);
	packets_up(&pins, HS_TC_PIB, 1);
	hs_dev_write(&pins, CONTROL, ACTIVE);
	enable_node(&pins, 8u << 4 | 1u << 12);
	assert_int_equal(hs_et_null_run(&et), 31);
	hart_up(0, &et);
	assert_int_equal(hs_dev_encoder_connect(&hart[0], &pins, 0), HS_OK);
	hart_traces(0, SYNC_MESSAGES | STALL);
	for (size_t at = 0; at < f.n; at += used) {
		hs_dev_run(&sys, &hart[0], &f.at[at], 1, &used);
		hs_dev_clock(&sys, &pins, 13);
	}
	hart_stops(0);
	hs_dev_clock(&sys, &pins, 9000);
	for (size_t i = 0; i < samples.n; i++)
		raw[i] = (uint8_t)samples.at[i];
	for (unsigned from = 0; from < 2; from++) {
		struct hs_span in = { raw + 3001 * from, samples.n - 3001 * from };

		assert_int_equal(hs_pin_receiver_init(&r, &probe), HS_OK);
		for (n = 0; hs_pin_receive(&r, &in, bytes + n, sizeof(bytes) - n, &len, &event) ==
		            HS_OK;)
			n += len;
		decode_et((struct hs_span){ bytes, n + len }, &et);
		assert_true(from ? seen.of[0].n > 100 && seen.of[0].n < f.n : seen.of[0].n == f.n);
		for (size_t i = 1; i + 1 < seen.of[0].n; i++)
			assert_true(hs_block_same(&f.at[f.n - 1 - i],
			                          &seen.of[0].at[seen.of[0].n - 1 - i]));
	}
}

TEST(registers_of_another_protocol)
{
	struct hs_et_config c = { .size = sizeof(c) };
	struct hs_tc_dump d = { 0 };
	struct hs_span in = { (const uint8_t *)"trTeFormat = 1", 14 };

	assert_int_equal(hs_tc_dump_line(&d, &in), HS_OK);
	assert_int_equal(hs_dev_et_config(&d.regs, &c), HS_E_UNSUPPORTED);
	in = (struct hs_span){ (const uint8_t *)"trTeControl = 0x70\ntrTeSrcBits = 13", 35 };
	assert_int_equal(hs_tc_dump_line(&d, &in), HS_OK);
	assert_int_equal(hs_tc_dump_line(&d, &in), HS_OK);
	assert_int_equal(hs_dev_et_config(&d.regs, &c), HS_E_CONFIG);
}
