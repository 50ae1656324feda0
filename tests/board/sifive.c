/* The components of sifive.h: offsets and bits by the vendor's manual, written here once more, so
 * that a wrong row of the table is seen. */
#include "board/sifive.h"

#include <stdlib.h>
#include <string.h>

#include <hartscope/ntrace.h>

enum { CONTROL, IMPL, BASE = 4, HIGH, LIMIT, WP, TS = 16, WORDS = 32 };
enum { ACTIVE = 1, ENABLE = 2, TRACING = 4, EMPTY = 8 };

static struct encoder {
	uint32_t reg[WORDS];
	struct hs_nt_encoder nt;
	bool on;
} encoders[SIFIVE_HARTS];

static struct {
	uint32_t reg[WORDS];
	uint8_t part[8];
	unsigned n;
} funnel;
static unsigned count;
static uint64_t now;
static bool (*bus)(void *user, uint64_t address, uint32_t word);

static void reset_encoder(unsigned n)
{
	memset(encoders[n].reg, 0, sizeof(encoders[n].reg));
	/* 6 and 2 bits, I-CNT 10, BTM 3, one sink: the funnel; SRC of 2 bits. */
	encoders[n].reg[CONTROL] = 0x81a30008;
	encoders[n].reg[IMPL] = (uint32_t)n << 28 | 2u << 24 | (uint32_t)n << 20 | 0x100;
	encoders[n].reg[TS] = 40u << 24 | 4 << 4;
	encoders[n].on = false;
}

static void reset_funnel(void)
{
	memset(&funnel, 0, sizeof(funnel));
	funnel.reg[CONTROL] = 0x70000008;
	funnel.reg[IMPL] = 1 << 16 | 0x80;
	funnel.reg[TS] = 40u << 24 | 2 << 4;
}

void sifive_open(unsigned harts, bool (*store)(void *user, uint64_t address, uint32_t word))
{
	count = harts < SIFIVE_HARTS ? harts : SIFIVE_HARTS;
	bus = store;
	for (unsigned n = 0; n < SIFIVE_HARTS; n++)
		reset_encoder(n);
	reset_funnel();
}

/* ---- the sink ------------------------------------------------------------------------- */

static void store_word(void)
{
	const uint64_t high = (uint64_t)funnel.reg[HIGH] << 32;
	const uint32_t at = funnel.reg[WP] & ~UINT32_C(7);

	for (unsigned i = 0; i < 8; i += 4)
		if (!bus(NULL, high | (at + i),
		         funnel.part[i] | (uint32_t)funnel.part[i + 1] << 8 |
		                 (uint32_t)funnel.part[i + 2] << 16 |
		                 (uint32_t)funnel.part[i + 3] << 24))
			funnel.reg[CONTROL] |= 1u << 27;
	funnel.n = 0;
	if (at != (funnel.reg[LIMIT] & ~UINT32_C(7))) {
		funnel.reg[WP] += 8;
		return;
	}
	funnel.reg[WP] = funnel.reg[BASE] | 1;
	if (funnel.reg[CONTROL] >> 14 & 1)
		funnel.reg[CONTROL] &= ~(uint32_t)ENABLE;
}

static void send_bytes(const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n && funnel.reg[CONTROL] & ENABLE; i++) {
		funnel.part[funnel.n++] = p[i];
		if (funnel.n == 8)
			store_word();
	}
}

/* tfEnable went to 0: a partial word is filled with idle bytes. */
static void flush(void)
{
	if (!funnel.n)
		return;
	while (funnel.n < 8)
		funnel.part[funnel.n++] = 0xff;
	store_word();
}

/* ---- encoders ------------------------------------------------------------------------- */

static void start(struct encoder *e)
{
	const uint32_t control = e->reg[CONTROL], impl = e->reg[IMPL], mode = control >> 4 & 7;
	const uint32_t max = control >> 16 & 15;
	const struct hs_nt_config c = {
		.size = sizeof(c),
		.dialect = HS_NT_DIALECT_SIFIVE,
		.src_bits = impl >> 24 & 7,
		.src_id = impl >> 20 & 15,
		.inhibit_src = control >> 15 & 1,
		.sync_mode = max == 15 ? HS_NT_SYNC_OFF : HS_NT_SYNC_MESSAGES,
		.sync_max = max == 15 ? 0 : (uint8_t)(max + 1),
		.implicit_return = mode == 7,
		.repeated_history = mode == 7,
		.timestamps = e->reg[TS] >> 15 & 1,
		.tstamp_bits = e->reg[TS] >> 24 & 63,
		.address_bits = 47,
	};

	e->on = mode >= 6 && hs_nt_encoder_init(&e->nt, &c) == HS_OK;
}

static void stop(struct encoder *e)
{
	uint8_t out[HS_NT_ENCODE_ROOM];
	size_t n = 0;

	if (e->on && hs_nt_encode_end(&e->nt, out, sizeof(out), &n) == HS_OK)
		send_bytes(out, n);
	e->on = false;
}

static void run(struct encoder *e, const struct hs_block *b)
{
	uint8_t out[HS_NT_ENCODE_ROOM];
	size_t used = 0, n = 0;

	do {
		if (hs_nt_encode(&e->nt, b, 1, &used, out, sizeof(out), &n) < HS_OK)
			abort();
		send_bytes(out, n);
	} while (!used);
}

void sifive_run(unsigned hart, const struct hs_block *b)
{
	const struct hs_block time = { .kind = HS_KIND_TIME, .value = now };
	struct encoder *e = &encoders[hart];

	if (hart >= count || !e->on)
		return;
	now += funnel.reg[TS] & 2 ? 7 : 0;
	run(e, &time);
	run(e, b);
}

/* ---- registers ------------------------------------------------------------------------ */

static struct encoder *encoder_at(uint64_t address)
{
	const uint64_t n = (address - SIFIVE_ENCODER_BASE) / 0x1000;

	return address >= SIFIVE_ENCODER_BASE && n < count ? &encoders[n] : NULL;
}

bool sifive_has(uint64_t address)
{
	return encoder_at(address) || address - SIFIVE_FUNNEL_BASE < 0x1000;
}

uint32_t sifive_read(uint64_t address)
{
	const struct encoder *e = encoder_at(address);
	const uint32_t *reg = e ? e->reg : funnel.reg, at = (address & 0xfff) / 4;

	return at >= WORDS || (at && !(reg[CONTROL] & ACTIVE)) ? 0 : reg[at];
}

/* Bits that are written: the others are read-only. */
static uint32_t merged(uint32_t old, uint32_t value, uint32_t writable)
{
	return (old & ~writable) | (value & writable);
}

/* The error of a sink is cleared by a 1. */
static uint32_t cleared(uint32_t old, uint32_t value)
{
	return old & ~(value & 1u << 27);
}

static void control_encoder(struct encoder *e, uint32_t value)
{
	const uint32_t mode = value >> 4 & 7, max = value >> 20 & 15;
	uint32_t writable = 0x000fb187;

	if (!(value & ACTIVE)) {
		reset_encoder((unsigned)(e - encoders));
		return;
	}
	if (mode == 0 || mode == 1 || mode >= 6)
		writable |= 0x70;
	if (max <= 5 || max == 10 || max == 15)
		writable |= 0xf00000;
	e->reg[CONTROL] = merged(cleared(e->reg[CONTROL], value), value, writable);
	if ((value & (ENABLE | TRACING)) == (ENABLE | TRACING) && !e->on)
		start(e);
	else if (!(value & ENABLE))
		stop(e);
}

static void control_funnel(uint32_t value)
{
	if (!(value & ACTIVE)) {
		reset_funnel();
		return;
	}
	if (!(value & ENABLE) && funnel.reg[CONTROL] & ENABLE)
		flush();
	funnel.reg[CONTROL] = merged(cleared(funnel.reg[CONTROL], value), value, 0x4003);
}

void sifive_write(uint64_t address, uint32_t value)
{
	static const uint32_t writable[WORDS] = { [BASE] = ~7u, [HIGH] = 0xff, [LIMIT] = ~7u,
		                                  [WP] = ~6u,   [TS] = 0x303 };
	struct encoder *e = encoder_at(address);
	const uint32_t at = (address & 0xfff) / 4;

	if (at == CONTROL && e)
		control_encoder(e, value);
	else if (at == CONTROL)
		control_funnel(value);
	else if (e && e->reg[CONTROL] & ACTIVE && at == TS)
		e->reg[TS] = merged(e->reg[TS], value, 0xf8001);
	else if (!e && at < WORDS && funnel.reg[CONTROL] & ACTIVE)
		funnel.reg[at] = merged(funnel.reg[at], value, writable[at]);
}
