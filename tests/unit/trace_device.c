/* Systems of several components: what harts executed comes back from memory, pins and ATB. */
#include <hartscope/trace_device.h>
#include <hartscope/transport.h>

#include "unit/control_board.h"

enum { SINK = 1, PIB = HS_TC_PIB, ATB = HS_TC_ATB };

static struct hs_dev_encoder hart[3];
static struct hs_dev_node funnel, top, ram, local, pins, bridge;
static struct hs_dev sys;
static uint8_t local_sram[4096];
static struct { uint32_t at[60000]; size_t n; } samples;
static struct { uint8_t at[4000]; size_t n; unsigned id; } atb;

static void sample(void *user, uint32_t data)
{
	(void)user;
	assert_true(samples.n < 60000);
	samples.at[samples.n++] = data;
}

static void to_atb(void *user, unsigned id, const uint8_t *bytes, size_t n)
{
	(void)user;
	assert_true(atb.n + n <= sizeof(atb.at));
	memcpy(atb.at + atb.n, bytes, n);
	atb.n += n;
	atb.id = id;
}

static const struct hs_dev_ops outside = { sample, to_atb };

static void node_up(struct hs_dev_node *n, enum hs_tc_component kind, uint8_t *memory)
{
	static const struct hs_tc_ops bus = { bus_store };
	const struct hs_tc_memory m = { memory, 4096, &bus, NULL };

	assert_int_equal(hs_dev_node_init(n, kind, NULL, memory ? &m : NULL, &outside, NULL),
	                 HS_OK);
	hs_dev_write(n, CONTROL, 0);
	(void)hs_dev_read(n, CONTROL); /* the profile shows a change at the second read */
	hs_dev_write(n, CONTROL, ACTIVE);
	for (unsigned i = 0; !(hs_dev_read(n, CONTROL) & ACTIVE); i++)
		assert_true(i < 4);
}

static void enable_node(struct hs_dev_node *n, uint32_t control)
{
	hs_dev_write(n, CONTROL, control | ACTIVE);
	hs_dev_write(n, CONTROL, control | ACTIVE | ENABLE);
	assert_int_equal(hs_dev_read(n, CONTROL) & ENABLE, ENABLE);
}

static void ram_up(struct hs_dev_node *n, uint8_t *memory)
{
	node_up(n, HS_TC_RAM, memory);
	hs_dev_write(n, LIMIT, 4092);
	hs_dev_write(n, WP, 0);
	enable_node(n, 0);
}

static void hart_wr(unsigned h, uint32_t offset, uint32_t value)
{
	hs_tc_device_write(&hart[h].device, TE, offset, value);
}

static uint32_t hart_rd(unsigned h, uint32_t offset)
{
	return hs_tc_device_read(&hart[h].device, TE, offset);
}

/* Hart @h with an N-Trace encoder, whose SRC is @h in @bits bits; or E-Trace with @et. */
static void hart_up(unsigned h, const struct hs_et_config *et)
{
	assert_int_equal(hs_dev_encoder_init(&hart[h], NULL, et, &image, false), HS_OK);
	hart_wr(h, CONTROL, 0);
	(void)hart_rd(h, CONTROL);
	hart_wr(h, CONTROL, ACTIVE);
	for (unsigned i = 0; !(hart_rd(h, CONTROL) & ACTIVE); i++)
		assert_true(i < 4);
	for (uint32_t at = 8; at <= 0x58; at += 4)
		hart_wr(h, at, 0);
	assert_int_equal(hs_dev_add(&sys, &hart[h]), HS_OK);
}

static void hart_traces(unsigned h, uint32_t control)
{
	hart_wr(h, CONTROL, control | ACTIVE);
	hart_wr(h, CONTROL, control | ACTIVE | ENABLE);
	hart_wr(h, CONTROL, control | ACTIVE | ENABLE | TRACING);
	assert_int_equal(hart_rd(h, CONTROL) & TRACING, TRACING);
}

static void hart_stops(unsigned h)
{
	hart_wr(h, CONTROL, hart_rd(h, CONTROL) & ~(uint32_t)ENABLE);
}

static void fresh(void)
{
	memset(&sys, 0, sizeof(sys));
	samples.n = atb.n = 0;
	memset(sram, 0x55, sizeof(sram));
	memset(local_sram, 0x55, sizeof(local_sram));
}

static void stop_node(struct hs_dev_node *n)
{
	hs_dev_write(n, CONTROL, hs_dev_read(n, CONTROL) & ~(uint32_t)ENABLE);
}

/* What a RAM sink stored; it did not wrap. */
static struct hs_span stored(struct hs_dev_node *n, const uint8_t *memory)
{
	stop_node(n);
	assert_int_equal(hs_dev_read(n, WP) & 1, 0);
	return (struct hs_span){ memory, hs_dev_read(n, WP) };
}

/* ---- decoding ------------------------------------------------------------------------ */

struct harts {
	struct flow of[4];
	struct hs_block events[200];
	size_t event_n;
};

static struct harts seen;

static void collect_harts(const struct hs_block *b, size_t n, unsigned *now)
{
	for (size_t i = 0; i < n; i++) {
		if (b[i].kind == HS_KIND_HART)
			*now = b[i].arg & 3;
		else if (b[i].kind == HS_KIND_BLOCK)
			seen.of[*now].at[seen.of[*now].n++] = b[i];
		else if (seen.event_n < 200)
			seen.events[seen.event_n++] = b[i];
	}
}

/* @return  Errors of the decoder. */
static unsigned decode_nt(struct hs_span in, unsigned src_bits)
{
	const struct hs_nt_config config = { .size = sizeof(config),
		                             .src_bits = (uint8_t)src_bits };
	static struct hs_nt_source sources[4];
	struct hs_nt_decoder decoder;
	struct hs_bb_table table;
	struct hs_block out[64];
	uint64_t *memory = malloc(hs_bb_memory(64));
	unsigned now = 0, errors = 0;
	enum hs_status s;
	size_t n;

	memset(&seen, 0, sizeof(seen));
	assert_int_equal(hs_bb_init(&table, &image, memory, 64), HS_OK);
	assert_int_equal(hs_nt_decoder_init(&decoder, &config, &table, sources, 4), HS_OK);
	do {
		s = hs_nt_decoder_next(&decoder, &in, out, 64, &n);
		collect_harts(out, n, &now);
		errors += s != HS_OK && s != HS_MORE && s != HS_FULL;
	} while (s != HS_MORE);
	do {
		s = hs_nt_decoder_end(&decoder, out, 64, &n);
		collect_harts(out, n, &now);
	} while (s == HS_FULL);
	free(memory);
	return errors;
}

static void same_flow(const struct flow *want, const struct flow *have)
{
	assert_int_equal(have->n, want->n);
	assert_blocks(want->at, have->at, want->n - 1);
}

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
static void three_harts_one_funnel(void **state)
{
	static struct flow f[3];

	(void)state;
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
static void clusters_and_a_local_sink(void **state)
{
	static struct flow f[2];

	(void)state;
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

static void links_are_checked(void **state)
{
	(void)state;
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

static void every_width(void **state)
{
	static const unsigned width[] = { 1, 2, 4, 8, 16 };
	static uint8_t bytes[8000];
	const struct flow f = rounds(0, 30);

	(void)state;
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
static void calibration(void **state)
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

	(void)state;
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
static void serial_protocols(void **state)
{
	static const uint8_t two[] = { 0x24, 0x0b, 0x0f };
	static const uint8_t uart[] = { 0, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 1, 1, 0, 1, 0, 0, 0, 0, 1,
	                                0, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1 };
	/* start; 24 and 0b, bits as phases; stop; start; 0f; stop; idle */
	static const char manchester[] = "10" "0101100101100101" "1010011001010101" "00"
		"10" "1010101001010101" "00" "00";
	struct hs_span in = { two, sizeof(two) };

	(void)state;
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
static void rates(void **state)
{
	static const struct { uint32_t control; uint64_t clocks, want; } row[] = {
		{ 10u << 4, 100, 100 }, { 10u << 4 | 4u << 16, 100, 20 },
		{ 10u << 4 | 0x100, 100, 50 }, { 10u << 4 | 0x100 | 4u << 16, 109, 10 },
		{ 0, 100, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		fresh();
		node_up(&pins, HS_TC_PIB, NULL);
		enable_node(&pins, row[i].control);
		hs_dev_clock(NULL, &pins, row[i].clocks);
		assert_int_equal(samples.n, row[i].want);
	}
}

/* One pin, a clock for each block: messages are lost, and trace begins again with an Error; or the
 * hart stalls and nothing is lost (TCI 4.1). */
static void slow_pins(void **state)
{
	static uint8_t bytes[8000];
	static struct flow f;

	(void)state;
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

static void a_bridge(void **state)
{
	static const unsigned reserved[] = { 0, 0x70, 0x7f };
	const struct flow f = rounds(0, 20);
	size_t used;

	(void)state;
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

/* ---- E-Trace --------------------------------------------------------------------------------- */

static void decode_et(struct hs_span in, const struct hs_et_config *config)
{
	const size_t bytes = hs_et_source_memory(config);
	uint64_t *memory = malloc(hs_bb_memory(64)), *tables = malloc(bytes ? bytes : 1);
	struct hs_et_decoder decoder;
	struct hs_et_source source;
	struct hs_bb_table table;
	struct hs_block out[64];
	unsigned now = 0;
	enum hs_status s;
	size_t n;

	memset(&seen, 0, sizeof(seen));
	assert_int_equal(hs_bb_init(&table, &image, memory, 64), HS_OK);
	assert_int_equal(hs_et_decoder_init(&decoder, config, &table, &source, 1, tables, bytes),
	                 HS_OK);
	do {
		s = hs_et_decoder_next(&decoder, &in, out, 64, &n);
		collect_harts(out, n, &now);
		assert_true(s == HS_OK || s == HS_MORE || s == HS_FULL);
	} while (s != HS_MORE);
	do {
		s = hs_et_decoder_end(&decoder, out, 64, &n);
		collect_harts(out, n, &now);
	} while (s == HS_FULL);
	free(memory);
	free(tables);
}

/* trTeFormat 0: an E-Trace encoder with the same registers; with a filter in the second run. */
static void e_trace(void **state)
{
	const struct hs_et_config et = { .size = sizeof(et), .return_stack_size = 3 };
	static struct flow f;
	size_t used;

	(void)state;
	f = rounds(0, 30);
	for (unsigned filtered = 0; filtered < 2; filtered++) {
		struct hs_et_config config = et;

		fresh();
		ram_up(&ram, sram);
		hart_up(0, &et);
		assert_int_equal(hart_rd(0, CONTROL) >> 4 & 7, 7); /* ET Control: hard coded */
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

/* trRamAsyncFreq, trAtbBridgeAsyncFreq 1 and 2: each 128, 256 bytes (ADR-0049), and never with 0;
 * the last word of a RAM sink is filled up with null.idle. */
static void sequences_in_memory_and_on_atb(void **state)
{
	(void)state;
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
static void sequences_on_pins(void **state)
{
	uint8_t bytes[400];

	(void)state;
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
static void packets_over_pins(void **state)
{
	const struct hs_et_config et = { .size = sizeof(et), .return_stack_size = 3 };
	const struct hs_pin_config probe = { .size = sizeof(probe), .width = 1, .headers = 1 };
	static uint8_t raw[60000], bytes[8000];
	struct hs_pin_event event;
	struct hs_pin_receiver r;
	static struct flow f;
	size_t used, len, n = 0;

	(void)state;
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

static void registers_of_another_protocol(void **state)
{
	struct hs_et_config c = { .size = sizeof(c) };
	struct hs_tc_dump d = { 0 };
	struct hs_span in = { (const uint8_t *)"trTeFormat = 1", 14 };

	(void)state;
	assert_int_equal(hs_tc_dump_line(&d, &in), HS_OK);
	assert_int_equal(hs_dev_et_config(&d.regs, &c), HS_E_UNSUPPORTED);
	in = (struct hs_span){ (const uint8_t *)"trTeControl = 0x70\ntrTeSrcBits = 13", 35 };
	assert_int_equal(hs_tc_dump_line(&d, &in), HS_OK);
	assert_int_equal(hs_tc_dump_line(&d, &in), HS_OK);
	assert_int_equal(hs_dev_et_config(&d.regs, &c), HS_E_CONFIG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(three_harts_one_funnel),
		cmocka_unit_test(clusters_and_a_local_sink),
		cmocka_unit_test(links_are_checked),
		cmocka_unit_test(every_width),
		cmocka_unit_test(calibration),
		cmocka_unit_test(serial_protocols),
		cmocka_unit_test(rates),
		cmocka_unit_test(slow_pins),
		cmocka_unit_test(a_bridge),
		cmocka_unit_test(e_trace),
		cmocka_unit_test(sequences_in_memory_and_on_atb),
		cmocka_unit_test(sequences_on_pins),
		cmocka_unit_test(packets_over_pins),
		cmocka_unit_test(registers_of_another_protocol),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
