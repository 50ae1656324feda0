/* Systems of several components: what harts executed comes back from memory, pins and ATB. */
#include "device/device.h"
#include "cases.h"

#include "transport/transport.h"
#include "unit/device_board.h"

static struct hs_dev_node funnel, top, local;

/* ---- memory ---------------------------------------------------------------------------- */

/* Harts in turn, a block each. */
static void run_together(const struct flow *f, unsigned harts)
{
	size_t used, at = 0;
	bool more = true;

	for (; more; at++) {
		more = false;
		for (unsigned h = 0; h < harts; h++) {
			if (at >= f[h].n)
				continue;
			more = true;
			assert_int_equal(hs_dev_run(&sys, &hart[h], &f[h].at[at], 1, &used), HS_OK);
			assert_int_equal(used, 1);
		}
	}
}

/* Figure "Multi-hart trace": three encoders, a funnel, a RAM sink; input 1 is off in the second
 * run (TCI 8, trFunnelDisInput). */
TEST(three_harts_one_funnel)
{
	static struct flow f[3];

	for (unsigned off = 0; off < 2; off++) {
		fresh();
		ram_up(&ram, sram);
		node_up(&funnel, HS_TC_FUNNEL, NULL);
		assert_int_equal(hs_dev_node_connect(&funnel, &ram, 0), HS_OK);
		hs_dev_write(&funnel, 8, off << 1);
		enable_node(&funnel, 0);
		for (unsigned h = 0; h < 3; h++) {
			f[h] = rounds(h, 10 + 5 * h);
			hart_up(h, NULL);
			assert_int_equal(hs_dev_encoder_connect(&hart[h], &funnel, h), HS_OK);
			hart_wr(h, FEATURES, 2u << 28 | h << 16);
			hart_traces(h, (h == 1 ? BTM : HTM) | SYNC_MESSAGES);
		}
		run_together(f, 3);
		for (unsigned h = 0; h < 3; h++)
			hart_stops(h);
		stop_node(&funnel);
		assert_int_equal(decode_nt(stored(&ram, sram), 2), 0);
		same_flow(&f[0], &seen.of[0]);
		if (off)
			assert_int_equal(seen.of[1].n, 0);
		else
			same_flow(&f[1], &seen.of[1]);
		same_flow(&f[2], &seen.of[2]);
	}
}

/* Figures "Multi-cluster trace" and "Local RAM Sink": a funnel after a funnel; hart 1 also has a
 * RAM sink of its own. */
TEST(clusters_and_a_local_sink)
{
	static struct flow f[2];

	fresh();
	ram_up(&ram, sram);
	ram_up(&local, local_sram);
	node_up(&top, HS_TC_FUNNEL, NULL);
	node_up(&funnel, HS_TC_FUNNEL, NULL);
	assert_int_equal(hs_dev_node_connect(&top, &ram, 0), HS_OK);
	assert_int_equal(hs_dev_node_connect(&funnel, &top, 15), HS_OK);
	enable_node(&top, 0);
	enable_node(&funnel, 0);
	for (unsigned h = 0; h < 2; h++) {
		f[h] = rounds(h, 12);
		hart_up(h, NULL);
		hart_wr(h, FEATURES, 1u << 28 | h << 16);
	}
	assert_int_equal(hs_dev_encoder_connect(&hart[0], &funnel, 3), HS_OK);
	assert_int_equal(hs_dev_encoder_connect(&hart[1], &top, 0), HS_OK);
	assert_int_equal(hs_dev_encoder_connect(&hart[1], &local, 0), HS_OK);
	hart_traces(0, HTM | SYNC_MESSAGES);
	hart_traces(1, HTM | SYNC_MESSAGES);
	run_together(f, 2);
	hart_stops(0);
	hart_stops(1);
	assert_int_equal(decode_nt(stored(&ram, sram), 1), 0);
	same_flow(&f[0], &seen.of[0]);
	same_flow(&f[1], &seen.of[1]);
	assert_int_equal(decode_nt(stored(&local, local_sram), 1), 0);
	assert_int_equal(seen.of[0].n, 0);
	same_flow(&f[1], &seen.of[1]);
}

TEST(links_are_checked)
{
	fresh();
	ram_up(&ram, sram);
	node_up(&funnel, HS_TC_FUNNEL, NULL);
	/* sinks have no output */
	assert_int_equal(hs_dev_node_connect(&ram, &funnel, 0), HS_E_ARG);
	assert_int_equal(hs_dev_node_connect(&funnel, &ram, 1), HS_E_ARG);
	assert_int_equal(hs_dev_node_connect(&funnel, &funnel, 16), HS_E_ARG);
	assert_int_equal(hs_dev_node_connect(&funnel, &ram, 0), HS_OK);
	assert_int_equal(hs_dev_node_connect(&funnel, &ram, 0), HS_OK);
	assert_int_equal(hs_dev_node_connect(&funnel, &ram, 0), HS_E_ARG);
	assert_int_equal(hs_dev_node_init(&pins, HS_TC_PIB, NULL, NULL, NULL, NULL), HS_E_ARG);
	assert_int_equal(hs_dev_node_init(&pins, HS_TC_ENCODER, NULL, NULL, &outside, NULL),
	                 HS_E_ARG);
}

/* ---- pins (TCI 9) ------------------------------------------------------------------------- */

static void pins_up(unsigned mode, uint32_t more)
{
	node_up(&pins, HS_TC_PIB, NULL);
	enable_node(&pins, mode << 4 | more);
}

/* The bytes that a probe reads from the samples. */
static size_t receive(unsigned width, uint8_t *out, size_t cap)
{
	const struct hs_pin_config config = { .size = sizeof(config), .width = (uint8_t)width,
		                              .starts_idle = true };
	struct hs_pin_receiver r;
	struct hs_pin_event event;
	static uint8_t raw[120000];
	size_t n = 0, len;

	for (size_t i = 0; i < samples.n; i++) {
		raw[n++] = (uint8_t)samples.at[i];
		if (width == 16)
			raw[n++] = (uint8_t)(samples.at[i] >> 8);
	}
	struct hs_span in = { raw, n };

	assert_int_equal(hs_pin_receiver_init(&r, &config), HS_OK);
	n = 0;
	while (hs_pin_receive(&r, &in, out + n, cap - n, &len, &event) == HS_OK)
		n += len;
	return n + len;
}

TEST(every_width)
{
	static const unsigned width[] = { 1, 2, 4, 8, 16 };
	static uint8_t bytes[8000];
	const struct flow f = rounds(0, 30);

	for (unsigned i = 0; i < 5; i++) {
		size_t used;

		fresh();
		pins_up(8 + i, 0);
		hart_up(0, NULL);
		assert_int_equal(hs_dev_encoder_connect(&hart[0], &pins, 0), HS_OK);
		hart_traces(0, BTM | SYNC_MESSAGES);
		hs_dev_clock(&sys, &pins, 40); /* idle comes first */
		for (size_t at = 0; at < f.n; at++) {
			assert_int_equal(hs_dev_run(&sys, &hart[0], &f.at[at], 1, &used), HS_OK);
			hs_dev_clock(&sys, &pins, 40);
		}
		hart_stops(0);
		assert_int_equal(hs_dev_read(&pins, CONTROL) & EMPTY, 0);
		hs_dev_write(&pins, CONTROL, (8 + i) << 4 | ACTIVE); /* flushes */
		hs_dev_clock(&sys, &pins, 400);
		assert_int_equal(hs_dev_read(&pins, CONTROL) & EMPTY, EMPTY);
		assert_int_equal(decode_nt((struct hs_span){ bytes, receive(width[i], bytes,
		                                                           sizeof(bytes)) }, 0), 0);
		same_flow(&f, &seen.of[0]);
	}
}

/* Table "PIB Calibration Patterns", column "Wire Sequence". */
TEST(calibration_patterns)
{
	static const struct { unsigned mode, n; uint32_t want[32]; } row[] = {
		{ 5, 32, { 0, 1, 0, 1, 0, 1, 0, 1, 1, 0, 1, 0, 1, 0, 1, 0,
		           0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1 } },
		{ 4, 32, { 0, 1, 0, 1, 0, 1, 0, 1, 1, 0, 1, 0, 1, 0, 1, 0,
		           0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1 } },
		{ 8, 32, { 0, 1, 0, 1, 0, 1, 0, 1, 1, 0, 1, 0, 1, 0, 1, 0,
		           0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1 } },
		{ 9, 16, { 2, 1, 2, 1, 2, 1, 2, 1, 0, 3, 0, 3, 3, 0, 3, 0 } },
		{ 10, 8, { 0xa, 5, 0xa, 5, 0, 0xf, 0xf, 0 } },
		{ 11, 4, { 0xaa, 0x55, 0, 0xff } },
		{ 12, 4, { 0xaaaa, 0x5555, 0, 0xffff } },
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		static const uint8_t message[] = { 0x24, 0x15, 0x00, 0x0b };
		struct hs_span in = { message, sizeof(message) };

		fresh();
		pins_up(row[i].mode, 0x200);
		assert_false(hs_dev_put(&pins, 0, &in)); /* "input to the sink is not consumed" */
		hs_dev_clock(NULL, &pins, 2 * row[i].n);
		assert_int_equal(samples.n, 2 * row[i].n);
		for (unsigned n = 0; n < samples.n; n++)
			if (samples.at[n] != row[i].want[n % row[i].n])
				fail_msg("mode %u, sample %u", row[i].mode, n);
	}
}

/* 24 15 00 0b and 0c 0f are two N-Trace messages. */
TEST(serial_protocols)
{
	static const uint8_t two[] = { 0x24, 0x0b, 0x0f };
	static const uint8_t uart[] = { 0, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 1, 1, 0, 1, 0, 0, 0, 0, 1,
	                                0, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1 };
	/* start; 24 and 0b, bits as phases; stop; start; 0f; stop; idle */
	static const char manchester[] = "10" "0101100101100101" "1010011001010101" "00"
		"10" "1010101001010101" "00" "00";
	struct hs_span in = { two, sizeof(two) };

	fresh();
	pins_up(5, 0);
	assert_true(hs_dev_put(&pins, 0, &in));
	hs_dev_clock(NULL, &pins, sizeof(uart));
	for (unsigned i = 0; i < sizeof(uart); i++)
		assert_int_equal(samples.at[i], uart[i]);
	fresh();
	pins_up(4, 0);
	in = (struct hs_span){ two, sizeof(two) };
	assert_true(hs_dev_put(&pins, 0, &in));
	hs_dev_clock(NULL, &pins, sizeof(manchester) - 1);
	for (unsigned i = 0; i < sizeof(manchester) - 1; i++)
		if (samples.at[i] != (uint32_t)(manchester[i] - '0'))
			fail_msg("phase %u", i);
}

/* trPibDivider, trPibClkCenter: "Bit rate" 1 and 1/2. */
TEST(bit_rates_of_pins)
{
	static const struct { uint32_t control; uint64_t clocks, want; } row[] = {
		{ 10u << 4, 100, 100 }, { 10u << 4 | 4u << 16, 100, 20 },
		{ 10u << 4 | 0x100, 100, 50 }, { 10u << 4 | 0x100 | 4u << 16, 109, 10 },
		{ 0, 100, 0 },
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		fresh();
		node_up(&pins, HS_TC_PIB, NULL);
		enable_node(&pins, row[i].control);
		hs_dev_clock(NULL, &pins, row[i].clocks);
		assert_int_equal(samples.n, row[i].want);
	}
}

/* Idle that is half sent is no trace: trPibEmpty is 1 at every clock but those of the message. */
TEST(empty_pins)
{
	static const uint8_t message[] = { 0x24, 0x0b };
	struct hs_span in = { message, sizeof(message) };

	fresh();
	pins_up(8, 0);
	for (unsigned i = 0; i < 19; i++) {
		assert_int_equal(hs_dev_read(&pins, CONTROL) & EMPTY, EMPTY);
		hs_dev_clock(NULL, &pins, 1);
	}
	assert_true(hs_dev_put(&pins, 0, &in));
	for (unsigned i = 19; i < 24 + 16; i++) {
		assert_int_equal(hs_dev_read(&pins, CONTROL) & EMPTY, 0);
		hs_dev_clock(NULL, &pins, 1);
	}
	assert_int_equal(hs_dev_read(&pins, CONTROL) & EMPTY, EMPTY);
}

/* Trace is disabled while messages are lost, and enabled again: N-Trace begins with Error; the last
 * support packet of E-Trace, which waits for room, has trace_lost. */
TEST(loss_before_the_end)
{
	const struct hs_et_config et = { .size = sizeof(et) };
	static uint8_t bytes[8000];
	static struct flow f;

	f = rounds(0, 300);
	for (unsigned etrace = 0; etrace < 2; etrace++) {
		const uint32_t control = (etrace ? 0 : BTM) | SYNC_MESSAGES;
		unsigned gaps = 0;
		size_t used, n;

		fresh();
		pins_up(11, 0);
		hs_dev_node_set_packets(&pins, etrace);
		hart_up(0, etrace ? &et : NULL);
		if (etrace)
			hart_wr(0, FEATURES, 1); /* full addresses, so that packets are long */
		assert_int_equal(hs_dev_encoder_connect(&hart[0], &pins, 0), HS_OK);
		hart_traces(0, control);
		assert_int_equal(hs_dev_run(&sys, &hart[0], f.at, f.n, &used), HS_OK);
		assert_int_equal(hart_rd(0, CONTROL) & OVERFLOW, OVERFLOW);
		hart_stops(0);
		hs_dev_clock(&sys, &pins, 2000);
		assert_int_equal(hart_rd(0, CONTROL) & EMPTY, EMPTY);
		hart_traces(0, control);
		assert_int_equal(hs_dev_run(&sys, &hart[0], f.at, 40, &used), HS_OK);
		hart_stops(0);
		hs_dev_clock(&sys, &pins, 2000);
		for (n = 0; n < samples.n; n++)
			bytes[n] = (uint8_t)samples.at[n];
		if (etrace) {
			struct hs_et_config config = et;

			assert_int_equal(hs_dev_et_config(&hart[0].device.tc.regs, &config), HS_OK);
			decode_et((struct hs_span){ bytes, n }, &config);
		} else {
			decode_nt((struct hs_span){ bytes, n }, 0);
		}
		for (size_t i = 0; i < seen.event_n; i++)
			gaps += seen.events[i].kind == HS_KIND_GAP &&
			        seen.events[i].arg == HS_E_LOST;
		assert_int_equal(gaps, 1);
		assert_true(seen.of[0].n > 40 && seen.of[0].n < f.n);
	}
}

/* One pin, a clock for each block: messages are lost, and trace begins again with an Error; or the
 * hart stalls and nothing is lost (TCI 4.1). */
TEST(slow_pins)
{
	static uint8_t bytes[8000];
	static struct flow f;

	f = rounds(0, 400);
	for (unsigned stalls = 0; stalls < 2; stalls++) {
		unsigned waits = 0;

		fresh();
		pins_up(8, 0);
		hart_up(0, NULL);
		assert_int_equal(hs_dev_encoder_connect(&hart[0], &pins, 0), HS_OK);
		hart_traces(0, BTM | SYNC_MESSAGES | (stalls ? STALL : 0));
		hs_dev_clock(&sys, &pins, 40);
		for (size_t at = 0, used; at < f.n; at += used) {
			waits += hs_dev_run(&sys, &hart[0], &f.at[at], 1, &used) == HS_FULL;
			hs_dev_clock(&sys, &pins, 4);
		}
		assert_int_equal(hart_rd(0, CONTROL) & OVERFLOW, OVERFLOW);
		while (!(hart_rd(0, CONTROL) & EMPTY))
			hs_dev_clock(&sys, &pins, 8);
		hart_stops(0);
		hs_dev_clock(&sys, &pins, 20000);
		const size_t n = receive(1, bytes, sizeof(bytes));

		assert_int_equal(decode_nt((struct hs_span){ bytes, n }, 0) != 0, !stalls);
		if (stalls) {
			same_flow(&f, &seen.of[0]);
			assert_true(waits > 0);
		} else {
			assert_true(seen.of[0].n > 100 && seen.of[0].n < f.n);
		}
	}
}

/* ---- ATB (TCI 10) -------------------------------------------------------------------------- */

TEST(a_bridge)
{
	static const unsigned reserved[] = { 0, 0x70, 0x7f };
	const struct flow f = rounds(0, 20);
	size_t used;

	fresh();
	node_up(&bridge, HS_TC_ATB, NULL);
	enable_node(&bridge, 0x12 << 8);
	hart_up(0, NULL);
	assert_int_equal(hs_dev_encoder_connect(&hart[0], &bridge, 0), HS_OK);
	hart_traces(0, HTM | SYNC_MESSAGES);
	assert_int_equal(hs_dev_run(&sys, &hart[0], f.at, f.n, &used), HS_OK);
	hart_stops(0);
	assert_int_equal(atb.id, 0x12);
	assert_int_equal(decode_nt((struct hs_span){ atb.at, atb.n }, 0), 0);
	same_flow(&f, &seen.of[0]);
	for (unsigned i = 0; i < 3; i++) {
		struct hs_span in = { sram, 4 };

		enable_node(&bridge, reserved[i] << 8);
		assert_false(hs_dev_put(&bridge, 0, &in));
	}
}
