/* RAM sink, funnel, timestamp units and triggers of the Trace Control Interface. */
#include "device/device.h"
#include "cases.h"

#include "unit/control_models.h"

/* ---- RAM sink ---------------------------------------------------------------------------- */

enum { CONTROL = 0, START = 0x10, LIMIT = 0x18, WP = 0x20, RP = 0x28, DATA = 0x40 };

static const uint8_t bytes[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19,
                                 20 };

/* How many of @n bytes are taken. */
static size_t put_bytes(struct hs_tc *tc, unsigned input, const uint8_t *p, size_t n)
{
	struct hs_span in = { p, n };
	const bool all = hs_tc_put(tc, input, &in);

	assert_true(in.p + in.n == p + n && all == (in.n == 0));
	return n - in.n;
}

/* A buffer of 16 bytes, enabled; the funnel open. */
static struct hs_tc small_buffer(uint32_t control)
{
	struct hs_tc tc = active("full");

	hs_tc_write(&tc, FU, CONTROL, 3);
	hs_tc_write(&tc, RAM, LIMIT, 0xc);
	hs_tc_write(&tc, RAM, WP, 0);
	hs_tc_write(&tc, RAM, CONTROL, control);
	assert_int_equal(hs_tc_read(&tc, RAM, CONTROL) & 2, 2);
	return tc;
}

TEST(write_pointer_and_wrap)
{
	static const struct { size_t n; uint32_t wp; bool empty; } row[] = {
		{ 0, 0, true }, { 3, 0, false }, { 4, 4, true }, { 7, 4, false }, { 12, 0xc, true },
		{ 15, 0xc, false }, { 16, 1, true }, { 20, 5, true },
	};

	for (size_t i = 0; i < COUNT_OF(row); i++) {
		struct hs_tc tc = small_buffer(3);

		assert_int_equal(put_bytes(&tc, 0, bytes, row[i].n), row[i].n);
		assert_int_equal(hs_tc_read(&tc, RAM, WP), row[i].wp);
		assert_int_equal(hs_tc_read(&tc, RAM, CONTROL), row[i].empty ? 0xb : 0x3);
	}
}

TEST(wrap_is_cleared_by_a_write_alone)
{
	struct hs_tc tc = small_buffer(3);

	put_bytes(&tc, 0, bytes, 20);
	hs_tc_write(&tc, RAM, WP, 0); /* at work: ignored (TCI 7.1) */
	assert_int_equal(hs_tc_read(&tc, RAM, WP), 5);
	hs_tc_write(&tc, RAM, CONTROL, 1);
	assert_int_equal(hs_tc_read(&tc, RAM, WP), 5);
	hs_tc_write(&tc, RAM, CONTROL, 3); /* enabling changes nothing */
	assert_int_equal(hs_tc_read(&tc, RAM, WP), 5);
	hs_tc_write(&tc, RAM, CONTROL, 1);
	hs_tc_write(&tc, RAM, WP, 0xb);
	assert_int_equal(hs_tc_read(&tc, RAM, WP), 8);
}

TEST(flush_fills_the_last_word)
{
	struct hs_tc tc = small_buffer(3);

	put_bytes(&tc, 0, bytes, 6);
	hs_tc_write(&tc, RAM, CONTROL, 1);
	assert_int_equal(hs_tc_read(&tc, RAM, CONTROL), 9);
	assert_int_equal(hs_tc_read(&tc, RAM, WP), 8);
	hs_tc_write(&tc, RAM, RP, 0);
	assert_int_equal(hs_tc_read(&tc, RAM, DATA), 0x04030201); /* LSB order (TCI 7) */
	assert_int_equal(hs_tc_read(&tc, RAM, DATA), 0xffff0605); /* idle bytes of N-Trace */
	assert_int_equal(put_bytes(&tc, 0, bytes, 4), 0);
}

TEST(stop_on_wrap)
{
	struct hs_tc tc = small_buffer(0x103);

	assert_int_equal(put_bytes(&tc, 0, bytes, 20), 16);
	assert_int_equal(hs_tc_read(&tc, RAM, CONTROL), 0x109); /* trRamEnable is 0 */
	assert_int_equal(hs_tc_read(&tc, RAM, WP), 1);
	assert_int_equal(put_bytes(&tc, 0, bytes, 4), 0);
	assert_memory_equal(sram, bytes, 16);
}

TEST(read_pointer)
{
	struct hs_tc tc = small_buffer(3);

	put_bytes(&tc, 0, bytes, 16);
	hs_tc_write(&tc, RAM, RP, 0xb); /* bits 1:0 are always 0 */
	assert_int_equal(hs_tc_read(&tc, RAM, RP), 8);
	assert_int_equal(hs_tc_read(&tc, RAM, DATA), 0x0c0b0a09);
	assert_int_equal(hs_tc_read(&tc, RAM, DATA), 0x100f0e0d);
	assert_int_equal(hs_tc_read(&tc, RAM, RP), 0); /* after trRamLimit comes trRamStart */
	hs_tc_write(&tc, RAM, RP, UINT32_MAX);
	assert_int_equal(hs_tc_read(&tc, RAM, RP), 0xffc); /* all of the SRAM */
	hs_tc_read(&tc, RAM, DATA);
	assert_int_equal(hs_tc_read(&tc, RAM, RP), 0);
}

TEST(minimal_sink_cannot_be_read_at_work)
{
	struct hs_tc tc = active("minimal");

	hs_tc_write(&tc, RAM, CONTROL, 3);
	put_bytes(&tc, 0, bytes, 8);
	hs_tc_write(&tc, RAM, RP, 4); /* TCI 7.1: ignored, and does not advance */
	assert_int_equal(hs_tc_read(&tc, RAM, DATA), 0);
	assert_int_equal(hs_tc_read(&tc, RAM, RP), 0);
	hs_tc_write(&tc, RAM, CONTROL, 1);
	hs_tc_write(&tc, RAM, RP, 4);
	assert_int_equal(hs_tc_read(&tc, RAM, DATA), 0x08070605);
	hs_tc_write(&tc, RAM, RP, 0);
	hs_tc_write(&tc, RAM, DATA, 0x12345678); /* for reading only (TCI 11.1) */
	hs_tc_write(&tc, RAM, RP, 0);
	assert_int_equal(hs_tc_read(&tc, RAM, DATA), 0x04030201);
}

TEST(trace_data_can_be_written)
{
	struct hs_tc tc = active("full");

	hs_tc_write(&tc, RAM, LIMIT, 0xc);
	hs_tc_write(&tc, RAM, RP, 0xc);
	hs_tc_write(&tc, RAM, DATA, 0x12345678);
	assert_int_equal(hs_tc_read(&tc, RAM, RP), 0);
	assert_int_equal(sram[0xc], 0x78);
	assert_int_equal(sram[0xf], 0x12);
}

TEST(a_bad_range_does_not_start)
{
	struct hs_tc tc = active("full");

	hs_tc_write(&tc, RAM, LIMIT, 0xc);
	hs_tc_write(&tc, RAM, WP, 0x10);
	hs_tc_write(&tc, RAM, CONTROL, 3);
	assert_int_equal(hs_tc_read(&tc, RAM, CONTROL), 9);
	hs_tc_write(&tc, RAM, WP, 0xc);
	hs_tc_write(&tc, RAM, CONTROL, 3);
	assert_int_equal(hs_tc_read(&tc, RAM, CONTROL), 0xb);
}

TEST(ranges_are_found_by_writing)
{
	struct hs_tc tc = active("full");
	uint64_t v;

	hs_tc_write(&tc, RAM, START, UINT32_MAX); /* SRAM: fixed at 0 (TCI 7.1) */
	assert_int_equal(hs_tc_read(&tc, RAM, START), 0);
	hs_tc_write(&tc, RAM, LIMIT, UINT32_MAX);
	assert_int_equal(hs_tc_read(&tc, RAM, LIMIT), 0xffc);
	hs_tc_write(&tc, RAM, LIMIT + 4, UINT32_MAX);
	assert_int_equal(hs_tc_read(&tc, RAM, LIMIT + 4), 0);
	hs_tc_write(&tc, RAM, CONTROL, 0x11); /* SMEM */
	assert_int_equal(hs_tc_write64(&tc, RAM, START, UINT64_MAX), HS_OK);
	assert_int_equal(hs_tc_read64(&tc, RAM, START, &v), HS_OK);
	assert_true(v == 0xfffffffffffffffc);
	hs_tc_write(&tc, RAM, RP, 0xfc); /* not there in SMEM mode */
	assert_int_equal(hs_tc_read(&tc, RAM, RP), 0);
	hs_tc_write(&tc, RAM, CONTROL, 1); /* back to SRAM: everything fits again */
	assert_int_equal(hs_tc_read(&tc, RAM, START), 0);
	assert_int_equal(hs_tc_read64(&tc, RAM, 0x14, &v), HS_E_ARG);
	assert_int_equal(hs_tc_read64(&tc, RAM, 0, &v), HS_E_ARG);
	assert_int_equal(hs_tc_write64(&tc, RAM, DATA, 0), HS_E_ARG);
}

TEST(system_memory)
{
	struct hs_tc tc = active("full");
	uint64_t v;

	hs_tc_write(&tc, FU, CONTROL, 3);
	hs_tc_write(&tc, RAM, CONTROL, 0x11);
	hs_tc_write64(&tc, RAM, START, 0x1fffffff8);
	hs_tc_write64(&tc, RAM, LIMIT, 0x200000000);
	hs_tc_write64(&tc, RAM, WP, 0x1fffffffc);
	hs_tc_write(&tc, RAM, CONTROL, 0x13);
	assert_int_equal(put_bytes(&tc, 0, bytes, 12), 12);
	assert_int_equal(bus.n, 3);
	assert_true(bus.at[0] == 0x1fffffffc && bus.at[1] == 0x200000000 &&
	            bus.at[2] == 0x1fffffff8);
	assert_int_equal(bus.word[1], 0x08070605);
	assert_int_equal(hs_tc_read64(&tc, RAM, WP, &v), HS_OK);
	assert_true(v == 0x1fffffffd); /* wrapped */
	bus.refuse_after = bus.n;
	assert_int_equal(put_bytes(&tc, 0, bytes, 12), 4); /* the bus refuses: the sink stops */
	assert_int_equal(hs_tc_read(&tc, RAM, CONTROL), 0x19);
}

TEST(funnel_inputs)
{
	struct hs_tc tc = small_buffer(3);

	hs_tc_write(&tc, FU, 8, 0x2);
	assert_int_equal(put_bytes(&tc, 1, bytes, 4), 4); /* read, but discarded (TCI 8) */
	assert_int_equal(hs_tc_read(&tc, RAM, WP), 0);
	assert_int_equal(put_bytes(&tc, 2, bytes, 4), 4);
	assert_int_equal(hs_tc_read(&tc, RAM, WP), 4);
	hs_tc_write(&tc, FU, CONTROL, 1);
	assert_false(hs_tc_accepts(&tc, 1));
	assert_int_equal(put_bytes(&tc, 2, bytes, 4), 0);
}

TEST(a_copy_is_a_saved_state)
{
	struct hs_tc tc = small_buffer(3);

	put_bytes(&tc, 0, bytes, 6);
	const struct hs_tc saved = tc;

	put_bytes(&tc, 0, bytes, 14);
	hs_tc_write(&tc, RAM, CONTROL, 0);
	tc = saved;
	put_bytes(&tc, 0, bytes + 6, 2);
	assert_int_equal(hs_tc_read(&tc, RAM, WP), 8);
	assert_int_equal(sram[7], 8);
}

/* ---- timestamps and triggers --------------------------------------------------------------- */

static uint64_t counter(struct hs_tc *tc, unsigned component)
{
	uint64_t v;

	assert_int_equal(hs_tc_read64(tc, component, 0x48, &v), HS_OK);
	return v;
}

TEST(timestamp_modes)
{
	/* Active 1, Count 2, RunInDebug 8, Mode 6:4, Prescale 9:8; clocks three times. */
	static const struct { uint32_t control; enum hs_tc_clock clock; uint64_t clocks;
	                      bool halted; uint64_t want; } row[] = {
		{ 0x23, HS_TC_SYSTEM, 10, false, 30 }, { 0x21, HS_TC_SYSTEM, 10, false, 0 },
		{ 0x22, HS_TC_SYSTEM, 10, false, 0 }, { 0x23, HS_TC_CORE, 10, false, 0 },
		{ 0x33, HS_TC_CORE, 10, false, 30 }, { 0x33, HS_TC_CORE, 10, true, 0 },
		{ 0x3b, HS_TC_CORE, 10, true, 30 }, { 0x23, HS_TC_SYSTEM, 10, true, 30 },
		{ 0x123, HS_TC_SYSTEM, 10, false, 7 }, { 0x223, HS_TC_SYSTEM, 33, false, 6 },
		{ 0x323, HS_TC_SYSTEM, 64, false, 3 }, { 0x11, HS_TC_EXTERNAL, 77, false, 77 },
		{ 0x03, HS_TC_SYSTEM, 10, false, 0 },
		{ 0x23, HS_TC_SYSTEM, 0x800000000001, false, 0x800000000003 }, /* 48 bits */
	};

	for (size_t i = 0; i < COUNT_OF(row); i++) {
		struct hs_tc tc = active("full");

		hs_tc_write(&tc, TE, 0x40, row[i].control);
		for (unsigned n = 0; n < 3; n++)
			hs_tc_tick(&tc, row[i].clock, row[i].clocks, row[i].halted);
		if (counter(&tc, TE) != row[i].want)
			fail_msg("row %zu: %llu", i, (unsigned long long)counter(&tc, TE));
		assert_true(hs_tc_time(&tc) == row[i].want);
	}
}

TEST(timestamp_reset_and_sharing)
{
	struct hs_tc tc = active("full");

	hs_tc_write(&tc, FU, 0x40, 0x23);
	hs_tc_write(&tc, TE, 0x40, 0x41); /* Shared */
	hs_tc_tick(&tc, HS_TC_SYSTEM, 5, false);
	assert_int_equal(counter(&tc, TE), 5);
	assert_int_equal(counter(&tc, FU), 5);
	hs_tc_write(&tc, FU, 0x40, 0x27); /* trTsReset */
	assert_int_equal(counter(&tc, FU), 0);
	assert_int_equal(hs_tc_read(&tc, FU, 0x40), 0x30000023); /* W1 reads 0 */
	hs_tc_tick(&tc, HS_TC_SYSTEM, 3, false);
	hs_tc_write(&tc, FU, 0x40, 0x22); /* trTsActive 0 */
	assert_int_equal(counter(&tc, FU), 0);
	hs_tc_write(&tc, FU, 0x48, 99); /* RO */
	assert_int_equal(counter(&tc, FU), 0);
	/* trTsPrescale 4: three clocks before the reset are no part of a count after it */
	tc = active("full");
	hs_tc_write(&tc, TE, 0x40, 0x123);
	hs_tc_tick(&tc, HS_TC_SYSTEM, 7, false);
	assert_int_equal(counter(&tc, TE), 1);
	hs_tc_write(&tc, TE, 0x40, 0x127);
	hs_tc_tick(&tc, HS_TC_SYSTEM, 1, false);
	assert_int_equal(counter(&tc, TE), 0);
	hs_tc_tick(&tc, HS_TC_SYSTEM, 3, false);
	assert_int_equal(counter(&tc, TE), 1);
}

/* trTeInstSyncMode 2 counts the clocks of the core, and no others. */
TEST(cycles_of_the_core)
{
	struct hs_tc tc = active("full");

	hs_tc_tick(&tc, HS_TC_SYSTEM, 5, false);
	hs_tc_tick(&tc, HS_TC_CORE, 7, false);
	hs_tc_tick(&tc, HS_TC_EXTERNAL, 9, false);
	assert_int_equal(tc.cycles, 7);
}

TEST(trigger_inputs_act)
{
	struct hs_tc tc = active("full");

	hs_tc_write(&tc, TE, 0x54, 0x32); /* input 0: on, input 1: off */
	hs_tc_write(&tc, TE, 0x58, 0x21); /* output 0: start, output 1: stop */
	hs_tc_write(&tc, TE, 0, 0x63);
	assert_false(hs_tc_trigger(&tc, HS_TC_TRACE_ON));
	assert_false(hs_tc_tracing(&tc)); /* trTeInstTrigEnable is 0 */
	hs_tc_write(&tc, TE, 0, 0x863);
	hs_tc_trigger_in(&tc, 0);
	assert_true(hs_tc_tracing(&tc));
	assert_int_equal(hs_tc_triggers_out(&tc), 1);
	hs_tc_trigger_in(&tc, 0);
	assert_int_equal(hs_tc_triggers_out(&tc), 0); /* it was on */
	assert_true(hs_tc_trigger(&tc, HS_TC_TRACE_NOTIFY));
	hs_tc_trigger_in(&tc, 1);
	assert_false(hs_tc_tracing(&tc));
	assert_int_equal(hs_tc_triggers_out(&tc), 2);
	assert_false(hs_tc_trigger(&tc, HS_TC_TRACE_NOTIFY));
	hs_tc_write(&tc, TE, 0, 0x867);
	assert_int_equal(hs_tc_triggers_out(&tc), 1);
	hs_tc_write(&tc, TE, 0, 0);
	assert_int_equal(hs_tc_triggers_out(&tc), 2);
	assert_false(hs_tc_trigger_in(&tc, 9));
}

/* Eight inputs: 7 is the last.  Actions 0 and 1 do nothing, 4 asks whether trace is on
 * (TCI 6.2). */
TEST(eight_trigger_inputs)
{
	struct hs_tc tc = started("full");
	const struct hs_tc_memory memory = tc.memory;
	struct hs_tc_profile all = *hs_tc_profile_find("full");

	all.limit_count = 0; /* "full" has two of them */
	assert_int_equal(hs_tc_init(&tc, &all, &memory, 0), HS_OK);
	activate(&tc, TE);
	hs_tc_write(&tc, TE, 0x54, 0x20000104); /* input 7: on, 2: 1, 1: 0, 0: notify */
	hs_tc_write(&tc, TE, 0x58, 0x2);        /* output 0, next to input 7 */
	hs_tc_write(&tc, TE, 0, 0x863);
	assert_false(hs_tc_trigger_in(&tc, 8));
	assert_false(hs_tc_tracing(&tc));
	assert_false(hs_tc_trigger_in(&tc, 7));
	assert_true(hs_tc_tracing(&tc));
	assert_false(hs_tc_trigger_in(&tc, 2));
	assert_false(hs_tc_trigger_in(&tc, 1));
	assert_true(hs_tc_trigger_in(&tc, 0));
	assert_true(hs_tc_tracing(&tc));
}
