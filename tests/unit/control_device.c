/* A driver on the model: discovery, reset, enabling, disabling and reading as TCI 11.2 and 11.3
 * say it, only through registers; then the trace is decoded with what the registers say. */
#include "device/device.h"
#include "cases.h"

#include "ntrace/ntrace.h"
#include "unit/control_board.h"

/* ---- scenarios
 * --------------------------------------------------------------------------------- */

TEST(whole_session)
{
	static const struct {
		const char *profile;
		bool smem;
		uint32_t start, limit, te, features;
	} row[] = {
		{ "full", false, 0, 0xffc, HTM, 0 },
		{ "full", false, 0, 0xffc, BTM, 0 },
		{ "full", false, 0, 0xffc, HTM, 0x40050000 },       /* SRC 5 in 4 bits */
		{ "full", false, 0, 0xffc, HTM | 0x8000, 0x40050000 }, /* trTeInhibitSrc */
		/* implicit return 3, history, ... */
		{ "full", false, 0, 0xffc, HTM, 0x1cc },
		/* all jumps, address extension */
		{ "full", false, 0, 0xffc, HTM, 0x600 },
		/* synchronise each 16 half-words */
		{ "full", false, 0, 0xffc, BTM | 0x00030000, 0 },
		{ "full", true, 0x80000100, 0x80007ffc, HTM | SYNC_MESSAGES, 0 },
		{ "minimal", false, 0, 0xffc, HTM, 0 },
		{ "minimal-smem", true, 0x80000000, 0x8000fffc, HTM, 0 },
	};
	const struct flow f = rounds(0, 60);

	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		power_up(row[i].profile, false);
		discover();
		wr(TE, FEATURES, row[i].features);
		enable_ram(row[i].smem, row[i].start, row[i].limit, 0);
		enable(row[i].te, true);
		assert_int_equal(rd(TE, CONTROL) & TRACING, TRACING);
		run(&f);
		drain();
		assert_flow(&f);
		assert_int_equal(event(HS_KIND_SYNC, 0)->itype, 5);
		assert_int_equal(event(HS_KIND_STOP, 0)->itype, 4);
		assert_int_equal(rd(TE, CONTROL) & (TRACING | ENABLE), 0);
	}
}

/* NT Table 25: SYNC 3 after debug mode; NT 7.12: EVCODE 0 into it. */
TEST(from_debug_mode_to_debug_mode)
{
	const struct flow f = rounds(0, 10);
	size_t used;

	power_up("full", true);
	discover();
	enable_ram(false, 0, 0xffc, 0);
	enable(HTM, true);
	assert_int_equal(hs_tc_device_run(&dev, f.at, f.n, &used), HS_E_ARG);
	hs_tc_device_resume(&dev);
	run(&f);
	hs_tc_device_halt(&dev);
	drain();
	assert_flow(&f);
	assert_int_equal(event(HS_KIND_SYNC, 0)->itype, 3);
	assert_int_equal(event(HS_KIND_STOP, 0)->itype, 0);
	assert_int_equal(got.events.n, 2);
}

/* Messages of a capture, as TCODE, SYNC or EVCODE, I-CNT. */
static unsigned messages(struct hs_nt_msg *out, unsigned cap)
{
	struct hs_span in = { capture.bytes, capture.n };
	struct hs_nt_reader r;
	unsigned n = 0;

	hs_nt_reader_init(&r, 0);
	while (n < cap && hs_nt_read(&r, &in, &out[n]) == HS_OK)
		n++;
	return n;
}

/* NT Table 26: "trace starts disabled", "hart stops with trace disabled". */
TEST(debug_mode_with_trace_off)
{
	static const unsigned want[] = { 4, 0 };
	struct hs_nt_msg m[4];

	power_up("full", true);
	discover();
	enable_ram(false, 0, 0xffc, 0);
	enable(HTM, false);
	hs_tc_device_resume(&dev);
	hs_tc_device_halt(&dev);
	drain();
	assert_int_equal(messages(m, 4), 2);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(m[i].tcode, HS_NT_PROG_TRACE_CORRELATION);
		assert_int_equal(m[i].field[HS_NTF_EVCODE], want[i]);
		assert_int_equal(m[i].field[HS_NTF_ICNT], 0);
	}
}

TEST(trace_starts_disabled_then_enabled)
{
	const struct flow before = rounds(0, 3), f = rounds(3, 4);

	power_up("full", true);
	discover();
	enable_ram(false, 0, 0xffc, 0);
	enable(HTM, false);
	hs_tc_device_resume(&dev);
	run(&before);
	wr(TE, CONTROL, HTM | ACTIVE | ENABLE | TRACING);
	run(&f);
	drain();
	assert_int_equal(got.errors, 0);
	assert_flow(&f);
	assert_int_equal(event(HS_KIND_SYNC, 0)->itype, 5); /* not 3: NT Table 26 */
}

TEST(off_and_on_within_a_session)
{
	const struct flow a = rounds(0, 5), skipped = rounds(5, 3), b = rounds(8, 5);

	power_up("full", false);
	discover();
	enable_ram(false, 0, 0xffc, 0);
	enable(HTM, true);
	run(&a);
	wr(TE, CONTROL, HTM | ACTIVE | ENABLE);
	run(&skipped);
	wr(TE, CONTROL, HTM | ACTIVE | ENABLE | TRACING);
	run(&b);
	drain();
	assert_int_equal(got.errors, 0);
	assert_int_equal(got.blocks.n, a.n + b.n);
	assert_blocks(a.at, got.blocks.at, a.n - 1);
	assert_blocks(b.at, got.blocks.at + a.n, b.n - 1);
	assert_int_equal(event(HS_KIND_SYNC, 1)->itype, 5);
	assert_int_equal(event(HS_KIND_STOP, 0)->itype, 4);
	assert_int_equal(event(HS_KIND_STOP, 1)->itype, 4);
}

/* The oldest trace is overwritten; decoding starts at the first synchronisation (NT Table 25). */
TEST(wrapped_buffer)
{
	const struct flow f = rounds(0, 500);

	power_up("full", false);
	discover();
	enable_ram(false, 0, 0x3fc, 0);
	enable(HTM | SYNC_MESSAGES, true);
	run(&f);
	disable();
	assert_int_equal(rd(RAM, WP) & 1, 1);
	read_trace(&capture);
	assert_int_equal(capture.n, 0x400);
	decode(&capture, &got);
	assert_true(got.blocks.n > 200 && got.blocks.n < f.n);
	/* The first block may begin inside one. */
	assert_blocks(f.at + f.n - got.blocks.n + 1, got.blocks.at + 1, got.blocks.n - 2);
}

TEST(stop_on_wrap)
{
	const struct flow f = rounds(0, 300);

	power_up("full", false);
	discover();
	enable_ram(false, 0, 0xfc, 0x100);
	enable(HTM, true);
	run(&f);
	assert_int_equal(rd(RAM, CONTROL) & ENABLE, 0); /* "to see if RAM capture was stopped" */
	assert_int_equal(rd(TE, CONTROL) & OVERFLOW, OVERFLOW);
	drain();
	assert_int_equal(rd(RAM, WP), 1);
	wr(RAM, RP, 0);
	capture.n = 0;
	read_sram(&capture, 0, 0x100);
	decode(&capture, &got);
	assert_true(got.blocks.n > 100);
	assert_blocks(f.at, got.blocks.at, got.blocks.n - 1);
}

/* NT 7.4, Table 25: trace was lost and goes on with Error and SYNC 7. */
TEST(lost_trace)
{
	const struct flow a = rounds(0, 20), lost = rounds(20, 20), b = rounds(40, 20);

	power_up("full", false);
	discover();
	enable_ram(false, 0, 0xffc, 0);
	enable(HTM, true);
	run(&a);
	wr(FU, CONTROL, ACTIVE);
	run(&lost);
	assert_int_equal(rd(TE, CONTROL) & OVERFLOW, OVERFLOW);
	wr(FU, CONTROL, ACTIVE | ENABLE);
	run(&b);
	wr(TE, CONTROL, HTM | ACTIVE | ENABLE | TRACING | OVERFLOW); /* write 1 to clear */
	assert_int_equal(rd(TE, CONTROL) & OVERFLOW, 0);
	drain();
	assert_int_equal(got.errors, 1);
	assert_int_equal(event(HS_KIND_GAP, 0)->arg, HS_E_LOST);
	assert_int_equal(event(HS_KIND_SYNC, 1)->itype, 7);
	assert_true(got.blocks.n > b.n);
	assert_blocks(a.at, got.blocks.at, got.blocks.n - b.n - 1);
	assert_blocks(b.at, got.blocks.at + got.blocks.n - b.n, b.n - 1);
}

/* NT 7.4: a loss that no message reported before trTeEnable went to 0 is reported when the trace
 * begins again, and a reset forgets it. */
TEST(a_loss_is_reported_later)
{
	const struct flow f = rounds(0, 20);

	for (unsigned reset = 0; reset < 2; reset++) {
		power_up("full", false);
		discover();
		enable_ram(false, 0, 0xffc, 0);
		enable(HTM, true);
		run(&f);
		wr(FU, CONTROL, ACTIVE);
		run(&f);
		disable_one(TE);
		if (reset) {
			wr(TE, CONTROL, 0);
			wait_for(TE, ACTIVE, 0);
			wr(TE, CONTROL, ACTIVE);
			wait_for(TE, ACTIVE, ACTIVE);
		}
		wr(FU, CONTROL, ACTIVE | ENABLE);
		enable(HTM, true);
		run(&f);
		drain();
		assert_int_equal(got.errors, !reset);
		assert_int_equal(event(HS_KIND_SYNC, 1)->itype, reset ? 5 : 7);
		assert_blocks(f.at, got.blocks.at + got.blocks.n - f.n, f.n - 1);
	}
}

/* trTeInstStallEna: the hart waits and nothing is lost. */
TEST(stalled_hart)
{
	const struct flow f = rounds(0, 40);
	size_t used, more;

	power_up("full", false);
	discover();
	enable_ram(false, 0, 0xffc, 0);
	enable(HTM | STALL, true);
	wr(FU, CONTROL, ACTIVE);
	assert_int_equal(hs_tc_device_run(&dev, f.at, f.n, &used), HS_FULL);
	assert_true(used < f.n);
	assert_int_equal(rd(TE, CONTROL) & (OVERFLOW | EMPTY), OVERFLOW);
	assert_int_equal(hs_tc_device_run(&dev, f.at + used, f.n - used, &more), HS_FULL);
	assert_int_equal(more, 0);
	wr(FU, CONTROL, ACTIVE | ENABLE);
	assert_int_equal(hs_tc_device_run(&dev, f.at + used, f.n - used, &more), HS_OK);
	drain();
	assert_flow(&f);
}

TEST(triggers_switch_and_mark)
{
	const struct flow before = rounds(0, 2), a = rounds(2, 3), b = rounds(5, 3),
		c = rounds(8, 3);

	power_up("full", false);
	discover();
	wr(TE, EXT_IN, 0x42); /* input 0: trace on; input 1: notify */
	enable_ram(false, 0, 0xffc, 0);
	enable(HTM | TRIG, false);
	run(&before);
	hs_tc_device_trigger_in(&dev, 0);
	run(&a);
	hs_tc_device_trigger_in(&dev, 1);
	run(&b);
	hs_tc_device_trigger(&dev, HS_TC_TRACE_NOTIFY);
	run(&c);
	hs_tc_device_trigger(&dev, HS_TC_TRACE_OFF);
	run(&before);
	drain();
	assert_int_equal(got.errors, 0);
	assert_int_equal(got.blocks.n, a.n + b.n + c.n);
	assert_blocks(a.at, got.blocks.at, a.n);
	assert_blocks(b.at, got.blocks.at + a.n, b.n);
	assert_int_equal(event(HS_KIND_SYNC, 0)->itype, 5);
	assert_int_equal(event(HS_KIND_SYNC, 1)->itype, 0);
	assert_int_equal(event(HS_KIND_SYNC, 2)->itype, 6);
	assert_int_equal(event(HS_KIND_STOP, 0)->itype, 4);
}

TEST(timestamps_come_from_the_counter)
{
	const struct flow f = rounds(0, 20);
	uint64_t last = 0;
	unsigned n = 0;
	size_t used;

	power_up("full", false);
	discover();
	wr(TE, TS, 0x8000 | 0x23); /* trTsEnable, system clock, runs */
	enable_ram(false, 0, 0xffc, 0);
	enable(HTM, true);
	for (size_t i = 0; i < f.n; i++) {
		hs_tc_tick(&dev.tc, HS_TC_SYSTEM, 100, false);
		assert_int_equal(hs_tc_device_run(&dev, f.at + i, 1, &used), HS_OK);
	}
	drain();
	assert_flow(&f);
	for (size_t i = 0; i < got.events.n; i++)
		if (got.events.at[i].kind == HS_KIND_TIME) {
			assert_true(got.events.at[i].value % 100 == 0 &&
			            got.events.at[i].value >= last);
			last = got.events.at[i].value;
			n++;
		}
	assert_true(n > 2 && last <= 100 * f.n && last > 50 * f.n);
}

/* Time of the Error message, counted as NT 8.7 says; 0: there is none. */
static uint64_t time_of_error(void)
{
	struct hs_span in = { capture.bytes, capture.n };
	struct hs_nt_reader r;
	struct hs_nt_msg m;
	uint64_t time = 0;

	hs_nt_reader_init(&r, 0);
	while (hs_nt_read(&r, &in, &m) == HS_OK) {
		time = m.field[HS_NTF_TSTAMP] + (hs_nt_has(&m, HS_NTF_SYNC) ? 0 : time);
		if (m.tcode == HS_NT_ERROR)
			return time;
	}
	return 0;
}

/* NT 7.4: Error has the time at which the first message was dropped.  It counts from a message that
 * is in the trace, not from the dropped one. */
TEST(error_has_the_time_of_the_loss)
{
	const struct flow f = rounds(0, 60);
	uint64_t lost = 0;
	size_t used;

	power_up("full", false);
	discover();
	wr(TE, TS, 0x8000 | 0x23);
	enable_ram(false, 0, 0xffc, 0);
	enable(HTM, true);
	for (size_t i = 0; i < f.n; i++) {
		if (i == f.n / 3 || i == 2 * f.n / 3)
			wr(FU, CONTROL, i == f.n / 3 ? ACTIVE : ACTIVE | ENABLE);
		hs_tc_tick(&dev.tc, HS_TC_SYSTEM, 100, false);
		assert_int_equal(hs_tc_device_run(&dev, f.at + i, 1, &used), HS_OK);
		if (!lost && (rd(TE, CONTROL) & OVERFLOW))
			lost = hs_tc_time(&dev.tc);
	}
	drain();
	assert_int_not_equal(lost, 0);
	assert_int_equal(time_of_error(), lost);
}

TEST(contexts_are_reported)
{
	const struct hs_block context = { .value = 0x77, .arg = 2, .priv = 1,
	                                  .kind = HS_KIND_CONTEXT };
	const struct flow f = rounds(0, 3);
	size_t used;

	power_up("full", false);
	discover();
	enable_ram(false, 0, 0xffc, 0);
	enable(HTM | CONTEXT, true);
	run(&f);
	assert_int_equal(hs_tc_device_run(&dev, &context, 1, &used), HS_OK);
	run(&f);
	drain();
	assert_int_equal(got.errors, 0);
	assert_true(event(HS_KIND_CONTEXT, 0)->value == 0); /* none was known at the start */
	assert_true(event(HS_KIND_CONTEXT, 1)->value == 0x77);
}

TEST(a_reset_flushes_nothing)
{
	const struct flow f = rounds(0, 3);

	power_up("full", false);
	discover();
	enable_ram(false, 0, 0xffc, 0);
	enable(HTM, true);
	run(&f);
	wr(TE, CONTROL, 0);
	wait_for(TE, ACTIVE, 0);
	run(&f); /* nobody looks */
	disable_one(RAM);
	read_trace(&capture);
	decode(&capture, &got);
	for (size_t i = 0; i < got.events.n; i++)
		assert_int_not_equal(got.events.at[i].kind, HS_KIND_STOP);
}

TEST(a_disabled_input_is_not_recorded)
{
	const struct flow f = rounds(0, 3);

	power_up("full", false);
	discover();
	wr(FU, 0x8, 1);
	enable_ram(false, 0, 0xffc, 0);
	enable(HTM, true);
	run(&f);
	disable();
	assert_int_equal(rd(RAM, WP), 0);
	assert_int_equal(rd(TE, CONTROL) & OVERFLOW, 0);
}

/* trTeInstSyncMode 2: a synchronising message each 2^(0 + 4) clock cycles of the hart. */
TEST(cycles_are_counted)
{
	static struct capture c;
	const struct flow f = rounds(0, 32);
	struct hs_nt_reader reader;
	struct hs_nt_msg m;
	unsigned periodic = 0;
	size_t used;

	power_up("full", false);
	discover();
	enable_ram(false, 0, 4092, 0);
	enable(BTM | 2u << 16, true);
	for (size_t i = 0; i < f.n; i++) {
		hs_tc_tick(&dev.tc, HS_TC_CORE, 1, false);
		assert_int_equal(hs_tc_device_run(&dev, &f.at[i], 1, &used), HS_OK);
	}
	drain();
	assert_flow(&f);
	read_trace(&c);
	struct hs_span in = { c.bytes, c.n };

	hs_nt_reader_init(&reader, 0);
	while (hs_nt_read(&reader, &in, &m) == HS_OK)
		periodic += hs_nt_has(&m, HS_NTF_SYNC) && m.field[HS_NTF_SYNC] == 2;
	assert_in_range(periodic, f.n / 16 - 2, f.n / 16);
}
