/* A board and its driver, for tests of the device model: discovery, reset, enabling, disabling and
 * reading as TCI 11.2 and 11.3 say it, only through registers; then the trace is decoded with what
 * the registers say. */
#ifndef TESTS_CONTROL_BOARD_H
#define TESTS_CONTROL_BOARD_H

#include "device/device.h"
#include "unit/decoders.h"
#include "cases.h"

#include <hartscope/control.h>

/* A test uses a part of this. */
#pragma GCC diagnostic ignored "-Wunused-function"

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
	struct hs_block out[64];
	enum hs_status s;
	size_t n;

	memset(d, 0, sizeof(*d));
	assert_int_equal(hs_tc_nt_config(&dev.tc.regs, &config), HS_OK);
	struct hs_nt_decoder *decoder = nt_decoder(&config, &image);

	do {
		s = hs_nt_decoder_next(decoder, &in, out, 64, &n);
		collect(d, out, n);
		d->errors += s != HS_OK && s != HS_MORE && s != HS_FULL;
	} while (s != HS_MORE);
	do {
		s = hs_nt_decoder_end(decoder, out, 64, &n);
		collect(d, out, n);
	} while (s == HS_FULL);
}

static struct capture capture;
static struct decoded got;

static inline void drain(void)
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

#endif
