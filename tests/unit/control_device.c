/* A driver on the model: discovery, reset, enabling, disabling and reading as TCI 11.2 and 11.3
 * say it, only through registers; then the trace is decoded with what the registers say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <hartscope/control.h>

enum { TE = HS_TC_ENCODER, FU = HS_TC_FUNNEL, RAM = HS_TC_RAM };
enum { CONTROL = 0, IMPL = 4, FEATURES = 8, TS = 0x40, EXT_IN = 0x54, START = 0x10, LIMIT = 0x18,
       WP = 0x20, RP = 0x28, DATA = 0x40 };
/* Bits of trTeControl */
enum { ACTIVE = 1, ENABLE = 2, TRACING = 4, EMPTY = 8, HTM = 0x60, BTM = 0x30, CONTEXT = 0x200,
       TRIG = 0x800, OVERFLOW = 0x1000, STALL = 0x2000, SYNC_MESSAGES = 0x10000 };

/* ---- the board ------------------------------------------------------------------------ */

#define SYSTEM_BASE 0x80000000u

static struct hs_tc_device dev;
static uint8_t sram[4096], system_memory[0x10000];

static bool bus_store(void *user, uint64_t address, uint32_t word)
{
	(void)user;
	if (address < SYSTEM_BASE || address > SYSTEM_BASE + sizeof(system_memory) - 4)
		return false;
	for (unsigned i = 0; i < 4; i++)
		system_memory[address - SYSTEM_BASE + i] = (uint8_t)(word >> 8 * i);
	return true;
}

static void power_up(const char *profile, bool halted)
{
	static const struct hs_tc_ops ops = { bus_store };
	const struct hs_tc_memory memory = { sram, sizeof(sram), &ops, NULL };

	memset(sram, 0x55, sizeof(sram));
	memset(system_memory, 0x55, sizeof(system_memory));
	assert_int_equal(hs_tc_device_init(&dev, hs_tc_profile_find(profile), &memory, halted),
	                 HS_OK);
}

static uint32_t rd(unsigned component, uint32_t offset)
{
	return hs_tc_device_read(&dev, component, offset);
}

static void wr(unsigned component, uint32_t offset, uint32_t value)
{
	hs_tc_device_write(&dev, component, offset, value);
}

/* ---- the program ------------------------------------------------------------------------ */

static const uint8_t main_code[] = {
	0x05, 0x05,             /* 1000 c.addi a0, 1 */
	0xe3, 0x1f, 0xb5, 0xfe, /* 1002 bne a0, a1, 1000 */
	0xef, 0x00, 0xa0, 0x0f, /* 1006 jal 1100 */
	0xdd, 0xbf,             /* 100a c.j 1000 */
};
static const uint8_t f_code[] = { 0x85, 0x05 /* 1100 c.addi a1, 1 */, 0x82, 0x80 /* 1102 ret */ };
static const struct hs_section sections[] = {
	{ 0x1000, sizeof(main_code), main_code }, { 0x1100, sizeof(f_code), f_code },
};
static const struct hs_image image = { .sections = sections, .count = 2, .isa = { .xlen = 64 } };

#define BLOCK(at, n, last, type) \
	{ .iaddr = (at), .iretire = (n), .ilast = (last), .itype = (type), .priv = HS_PRIV_UNKNOWN }
#define MAX 4000

struct flow {
	struct hs_block at[MAX];
	size_t n;
};

/* Round @k of the program's outer loop. */
static void append_round(struct flow *f, unsigned k)
{
	static const struct hs_block taken = BLOCK(0x1000, 3, 2, HS_ITYPE_TAKEN);
	static const struct hs_block rest[] = {
		BLOCK(0x1000, 3, 2, HS_ITYPE_NOT_TAKEN), BLOCK(0x1006, 2, 2, HS_ITYPE_CALL_INF),
		BLOCK(0x1100, 2, 1, HS_ITYPE_RETURN), BLOCK(0x100a, 1, 1, HS_ITYPE_JUMP_INF),
	};

	for (unsigned i = 0; i < k * 7 % 5; i++)
		f->at[f->n++] = taken;
	memcpy(f->at + f->n, rest, sizeof(rest));
	f->n += 4;
	assert_true(f->n + 16 < MAX);
}

static struct flow rounds(unsigned first, unsigned n)
{
	struct flow f = { .n = 0 };

	for (unsigned k = first; k < first + n; k++)
		append_round(&f, k);
	return f;
}

static void run(const struct flow *f)
{
	size_t used;

	assert_int_equal(hs_tc_device_run(&dev, f->at, f->n, &used), HS_OK);
	assert_int_equal(used, f->n);
}

/* ---- the driver ---------------------------------------------------------------------------- */

static void wait_for(unsigned component, uint32_t mask, uint32_t value)
{
	for (unsigned reads = 0; (rd(component, CONTROL) & mask) != value; reads++)
		assert_true(reads < 100);
}

/* TCI 11.2, Reset and Discovery. */
static void reset_and_discover(unsigned component, unsigned type)
{
	wr(component, CONTROL, 0);
	wait_for(component, ACTIVE, 0);
	wr(component, CONTROL, ACTIVE);
	wait_for(component, ACTIVE, ACTIVE);
	assert_int_equal(rd(component, CONTROL) & (ENABLE | EMPTY), EMPTY);
	assert_int_equal(rd(component, IMPL) & 0xf, 1);       /* version 1 */
	assert_int_equal(rd(component, IMPL) >> 8 & 0xf, type);
}

static bool has_funnel(void)
{
	return dev.tc.profile.components >> FU & 1;
}

/* TCI 11.2, table "Trace Components Reset". */
static void predictable_state(void)
{
	static const uint32_t zero[] = { 0x8, 0xc, 0x10, 0x1c, 0x50, 0x54, 0x58, 0x40 };

	for (size_t i = 0; i < sizeof(zero) / sizeof(*zero); i++)
		wr(TE, zero[i], 0);
	if (has_funnel()) {
		wr(FU, 0x8, 0);
		wr(FU, TS, 0);
	}
}

static void discover(void)
{
	reset_and_discover(RAM, 9);
	if (has_funnel())
		reset_and_discover(FU, 8);
	reset_and_discover(TE, 1);
	assert_int_equal(rd(TE, IMPL) >> 16 & 0xf, 1); /* N-Trace 1 */
	predictable_state();
}

/* TCI 7.1: the mode first, then the range, then the write pointer; then trRamEnable. */
static void enable_ram(bool smem, uint32_t start, uint32_t limit, uint32_t more)
{
	const uint32_t mode = ACTIVE | (uint32_t)smem << 4 | more;

	wr(RAM, CONTROL, mode);
	assert_int_equal(rd(RAM, CONTROL) & 0x10, mode & 0x10);
	wr(RAM, START, start);
	assert_int_equal(rd(RAM, START), start);
	wr(RAM, LIMIT, limit);
	assert_int_equal(rd(RAM, LIMIT), limit);
	wr(RAM, WP, rd(RAM, START));
	wr(RAM, CONTROL, mode | ENABLE);
	wait_for(RAM, ENABLE, ENABLE);
}

/* TCI 11.3: sinks, funnels, encoders last; trTeEnable, then trTeInstTracing. */
static void enable(uint32_t te, bool tracing)
{
	if (has_funnel()) {
		wr(FU, CONTROL, ACTIVE | ENABLE);
		wait_for(FU, ENABLE, ENABLE);
	}
	wr(TE, CONTROL, te | ACTIVE);
	wr(TE, CONTROL, te | ACTIVE | ENABLE);
	wait_for(TE, ENABLE, ENABLE);
	if (tracing)
		wr(TE, CONTROL, te | ACTIVE | ENABLE | TRACING);
}

static void disable_one(unsigned component)
{
	wr(component, CONTROL, rd(component, CONTROL) & ~(uint32_t)ENABLE);
	wait_for(component, ENABLE | EMPTY, EMPTY);
}

/* TCI 11.3: encoders, funnels, sinks. */
static void disable(void)
{
	disable_one(TE);
	if (has_funnel())
		disable_one(FU);
	disable_one(RAM);
}

struct capture {
	uint8_t bytes[0x10000];
	size_t n;
};

static void read_sram(struct capture *c, uint32_t from, uint32_t to)
{
	wr(RAM, RP, from);
	for (uint32_t at = from; at < to; at += 4) {
		const uint32_t word = rd(RAM, DATA);

		for (unsigned i = 0; i < 4; i++)
			c->bytes[c->n++] = (uint8_t)(word >> 8 * i);
	}
}

static void read_system(struct capture *c, uint32_t from, uint32_t to)
{
	memcpy(c->bytes + c->n, system_memory + (from - SYSTEM_BASE), to - from);
	c->n += to - from;
}

/* TCI 11.3, "Read the trace": one range, or two when trRamWrap is 1. */
static void read_trace(struct capture *c)
{
	void (*read_range)(struct capture *, uint32_t, uint32_t) =
		rd(RAM, CONTROL) & 0x10 ? read_system : read_sram;
	const uint32_t wp = rd(RAM, WP);

	c->n = 0;
	if (wp & 1)
		read_range(c, wp & ~3u, rd(RAM, LIMIT) + 4);
	read_range(c, rd(RAM, START), wp & ~3u);
}

/* ---- decoding -------------------------------------------------------------------------------- */

struct decoded {
	struct flow blocks, events;
	unsigned errors;
};

static void collect(struct decoded *d, const struct hs_block *at, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct flow *f = at[i].kind == HS_KIND_BLOCK ? &d->blocks : &d->events;

		assert_true(f->n < MAX);
		f->at[f->n++] = at[i];
	}
}

static void decode(const struct capture *c, struct decoded *d)
{
	struct hs_nt_config config = { .size = sizeof(config) };
	struct hs_span in = { c->bytes, c->n };
	struct hs_nt_decoder decoder;
	struct hs_nt_source source;
	struct hs_bb_table table;
	struct hs_block out[64];
	uint64_t *memory = malloc(hs_bb_memory(64));
	enum hs_status s;
	size_t n;

	memset(d, 0, sizeof(*d));
	assert_non_null(memory);
	assert_int_equal(hs_tc_nt_config(&dev.tc.regs, &config), HS_OK);
	assert_int_equal(hs_bb_init(&table, &image, memory, 64), HS_OK);
	assert_int_equal(hs_nt_decoder_init(&decoder, &config, &table, &source, 1), HS_OK);
	do {
		s = hs_nt_decoder_next(&decoder, &in, out, 64, &n);
		collect(d, out, n);
		d->errors += s != HS_OK && s != HS_MORE && s != HS_FULL;
	} while (s != HS_MORE);
	do {
		s = hs_nt_decoder_end(&decoder, out, 64, &n);
		collect(d, out, n);
	} while (s == HS_FULL);
	free(memory);
}

static struct capture capture;
static struct decoded got;

static void drain(void)
{
	disable();
	read_trace(&capture);
	decode(&capture, &got);
}

static void assert_blocks(const struct hs_block *want, const struct hs_block *have, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!hs_block_equal(&want[i], &have[i]))
			fail_msg("block %zu of %zu: want %llx+%u itype %u, got %llx+%u itype %u", i,
			         n,
			         (unsigned long long)want[i].iaddr, want[i].iretire, want[i].itype,
			         (unsigned long long)have[i].iaddr, have[i].iretire, have[i].itype);
}

/* A flow came back; where the trace stops, the reason why a block ended is not known. */
static void assert_flow(const struct flow *want)
{
	assert_int_equal(got.errors, 0);
	assert_int_equal(got.blocks.n, want->n);
	assert_blocks(want->at, got.blocks.at, want->n - 1);
	assert_true(got.blocks.at[want->n - 1].iaddr == want->at[want->n - 1].iaddr);
	assert_int_equal(got.blocks.at[want->n - 1].iretire, want->at[want->n - 1].iretire);
}

static const struct hs_block *event(enum hs_kind kind, unsigned index)
{
	for (size_t i = 0; i < got.events.n; i++)
		if (got.events.at[i].kind == kind && index-- == 0)
			return &got.events.at[i];
	fail_msg("there is no %s", hs_kind_name(kind));
	return NULL;
}

/* ---- scenarios
 * --------------------------------------------------------------------------------- */

static void whole_session(void **state)
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

	(void)state;
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
static void from_debug_mode_to_debug_mode(void **state)
{
	const struct flow f = rounds(0, 10);
	size_t used;

	(void)state;
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
static void debug_mode_with_trace_off(void **state)
{
	static const unsigned want[] = { 4, 0 };
	struct hs_nt_msg m[4];

	(void)state;
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

static void trace_starts_disabled_then_enabled(void **state)
{
	const struct flow before = rounds(0, 3), f = rounds(3, 4);

	(void)state;
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

static void off_and_on_within_a_session(void **state)
{
	const struct flow a = rounds(0, 5), skipped = rounds(5, 3), b = rounds(8, 5);

	(void)state;
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
static void wrapped_buffer(void **state)
{
	const struct flow f = rounds(0, 500);

	(void)state;
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

static void stop_on_wrap(void **state)
{
	const struct flow f = rounds(0, 300);

	(void)state;
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
static void lost_trace(void **state)
{
	const struct flow a = rounds(0, 20), lost = rounds(20, 20), b = rounds(40, 20);

	(void)state;
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

/* trTeInstStallEna: the hart waits and nothing is lost. */
static void stalled_hart(void **state)
{
	const struct flow f = rounds(0, 40);
	size_t used, more;

	(void)state;
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

static void triggers_switch_and_mark(void **state)
{
	const struct flow before = rounds(0, 2), a = rounds(2, 3), b = rounds(5, 3),
		c = rounds(8, 3);

	(void)state;
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

static void timestamps_come_from_the_counter(void **state)
{
	const struct flow f = rounds(0, 20);
	uint64_t last = 0;
	unsigned n = 0;
	size_t used;

	(void)state;
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
static void error_has_the_time_of_the_loss(void **state)
{
	const struct flow f = rounds(0, 60);
	uint64_t lost = 0;
	size_t used;

	(void)state;
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

static void contexts_are_reported(void **state)
{
	const struct hs_block context = { .value = 0x77, .arg = 2, .priv = 1,
	                                  .kind = HS_KIND_CONTEXT };
	const struct flow f = rounds(0, 3);
	size_t used;

	(void)state;
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

static void a_reset_flushes_nothing(void **state)
{
	const struct flow f = rounds(0, 3);

	(void)state;
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

static void a_disabled_input_is_not_recorded(void **state)
{
	const struct flow f = rounds(0, 3);

	(void)state;
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

/* ---- filters (TCI 6.3) ------------------------------------------------------------- */

/* iaddr >= 0x1100 in comparator 0, chosen by filter 3. */
static void filter_f(void)
{
	wr(TE, 0x600, 0x50); /* trTeComp0Control: trTeCompPFunction 5, >= */
	wr(TE, 0x610, 0x1100);
	wr(TE, 0x614, 0);
	wr(TE, 0x400 + 3 * 0x20, 0x11); /* trTeFilterEnable, trTeFilterMatchComp1: comparator 0 */
	wr(TE, 0x00c, 1u << 3);
}

/* Only f, which is called once a round: no other block, and EVCODE 4 after each. */
static void a_filter_decides(void **state)
{
	const struct flow f = rounds(0, 20);

	(void)state;
	power_up("full", false);
	discover();
	filter_f();
	enable_ram(false, 0, 4092, 0);
	enable(HTM | SYNC_MESSAGES, true);
	run(&f);
	drain();
	assert_int_equal(got.errors, 0);
	assert_int_equal(got.blocks.n, 20);
	for (size_t i = 0; i < 20; i++) {
		assert_int_equal(got.blocks.at[i].iaddr, 0x1100);
		assert_int_equal(got.blocks.at[i].iretire, 2);
	}
	assert_int_equal(event(HS_KIND_STOP, 18)->itype, 4);
}

/* trTeInstFilters may be written at any time. */
static void filters_change_while_enabled(void **state)
{
	const struct flow f = rounds(0, 3);

	(void)state;
	power_up("full", false);
	discover();
	filter_f();
	wr(TE, 0x00c, 0);
	enable_ram(false, 0, 4092, 0);
	enable(HTM | SYNC_MESSAGES, true);
	run(&f);
	wr(TE, 0x00c, 1u << 3);
	run(&f);
	wr(TE, 0x00c, 0);
	run(&f);
	drain();
	assert_int_equal(got.errors, 0);
	assert_int_equal(got.blocks.n, 2 * f.n + 3);
}

/* With the hart's code a filter begins and ends inside a block. */
static void a_filter_inside_a_block(void **state)
{
	const struct flow f = rounds(0, 1);

	(void)state;
	power_up("full", false);
	dev.image = &image;
	discover();
	filter_f();
	wr(TE, 0x600, 0); /* == */
	wr(TE, 0x610, 0x1102);
	enable_ram(false, 0, 4092, 0);
	enable(HTM | SYNC_MESSAGES, true);
	run(&f);
	drain();
	assert_int_equal(got.errors, 0);
	assert_int_equal(got.blocks.n, 1);
	assert_int_equal(got.blocks.at[0].iaddr, 0x1102);
	assert_int_equal(got.blocks.at[0].iretire, 1);
}

/* trTeCompPNotify without a filter: everything is traced, and a match is reported (SYNC 6). */
static void a_comparator_reports(void **state)
{
	const struct flow f = rounds(0, 2);

	(void)state;
	power_up("full", false);
	discover();
	wr(TE, 0x600, 0x4000); /* trTeCompPNotify, == */
	wr(TE, 0x610, 0x1100);
	wr(TE, 0x614, 0);
	enable_ram(false, 0, 4092, 0);
	enable(HTM | SYNC_MESSAGES, true);
	run(&f);
	drain();
	assert_flow(&f);
	assert_int_equal(event(HS_KIND_SYNC, 1)->itype, 6);
	assert_int_equal(event(HS_KIND_SYNC, 1)->value, 0x1100);
	assert_int_equal(event(HS_KIND_SYNC, 2)->itype, 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_session),
		cmocka_unit_test(from_debug_mode_to_debug_mode),
		cmocka_unit_test(debug_mode_with_trace_off),
		cmocka_unit_test(trace_starts_disabled_then_enabled),
		cmocka_unit_test(off_and_on_within_a_session),
		cmocka_unit_test(wrapped_buffer),
		cmocka_unit_test(stop_on_wrap),
		cmocka_unit_test(lost_trace),
		cmocka_unit_test(stalled_hart),
		cmocka_unit_test(triggers_switch_and_mark),
		cmocka_unit_test(timestamps_come_from_the_counter),
		cmocka_unit_test(error_has_the_time_of_the_loss),
		cmocka_unit_test(contexts_are_reported),
		cmocka_unit_test(a_reset_flushes_nothing),
		cmocka_unit_test(a_disabled_input_is_not_recorded),
		cmocka_unit_test(a_filter_decides),
		cmocka_unit_test(filters_change_while_enabled),
		cmocka_unit_test(a_filter_inside_a_block),
		cmocka_unit_test(a_comparator_reports),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
