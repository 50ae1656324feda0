/* Systems of several components, for tests: setting them up, and decoding what they hold. */
#ifndef TESTS_DEVICE_BOARD_H
#define TESTS_DEVICE_BOARD_H

#include <hartscope/control.h>
#include <hartscope/transport.h>

#include "unit/control_board.h"

enum { SINK = 1, PIB = HS_TC_PIB, ATB = HS_TC_ATB };

static struct hs_dev_encoder hart[3];
static struct hs_dev_node ram;
static struct hs_dev_node pins __attribute__((unused)), bridge __attribute__((unused));
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

/* All of @in by the decoder that is not NULL.  @return  Its errors. */
static unsigned decode_all(struct hs_span in, struct hs_nt_decoder *nt, struct hs_et_decoder *et)
{
	struct hs_block out[64];
	unsigned now = 0, errors = 0;
	enum hs_status s;
	size_t n;

	memset(&seen, 0, sizeof(seen));
	do {
		s = nt ? hs_nt_decoder_next(nt, &in, out, 64, &n)
		       : hs_et_decoder_next(et, &in, out, 64, &n);
		collect_harts(out, n, &now);
		errors += s != HS_OK && s != HS_MORE && s != HS_FULL;
		assert_true(nt || s == HS_OK || s == HS_MORE || s == HS_FULL || s == HS_E_LOST);
	} while (s != HS_MORE);
	do {
		s = nt ? hs_nt_decoder_end(nt, out, 64, &n) : hs_et_decoder_end(et, out, 64, &n);
		collect_harts(out, n, &now);
	} while (s == HS_FULL);
	return errors;
}

static unsigned decode_nt(struct hs_span in, unsigned src_bits)
{
	const struct hs_nt_config config = { .size = sizeof(config),
		                             .src_bits = (uint8_t)src_bits };
	static struct hs_nt_source sources[4];
	static struct hs_nt_decoder d;

	assert_int_equal(hs_nt_decoder_init(&d, &config, table_of(&image), sources, 4), HS_OK);
	return decode_all(in, &d, NULL);
}

static inline void decode_et(struct hs_span in, const struct hs_et_config *config)
{
	decode_all(in, NULL, et_decoder(config, &image));
}

static void same_flow(const struct flow *want, const struct flow *have)
{
	assert_int_equal(have->n, want->n);
	assert_blocks(want->at, have->at, want->n - 1);
}

#endif
