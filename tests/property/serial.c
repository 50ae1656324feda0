/* One pin: random messages come out as they went in, at random bit rates, given or found, however
 * the samples are cut.  Damage: all bytes before it, and those of messages after the next idle, are
 * as without it. */
#include "transport/transport.h"
#include "cases.h"

#include <hartscope/transport.h>

#include "property/campaign.h"
#include "property/randprog.h"
#include "transport/serial.h"

#define BYTES 1200
#define SAMPLES ((size_t)1 << 21)
#define GAP 24 /* bits of idle that any reader knows as such */

static struct {
	struct hs_serial_config config;
	uint8_t bytes[BYTES];
	size_t n, length;
	uint8_t wire[SAMPLES], bad[SAMPLES];
	size_t at[BYTES + 1];    /* samples before each byte's message */
	bool after_gap[BYTES + 1];
	uint8_t got[4 * BYTES + 64];
	size_t got_n, errors;
} *t;

static uint64_t total, resumed, faults;

static void idle(struct hs_serial_sender *s, unsigned bits)
{
	for (; bits; bits -= bits < 16 ? bits : 16)
		t->length += hs_serial_idle(s, bits < 16 ? bits : 16, t->wire + t->length);
}

static void random_wire(struct rng *r)
{
	const unsigned mode = rng_below(r, 2), messages = 2 + rng_below(r, 30);
	struct hs_serial_sender s;
	unsigned gap = GAP;

	t->config = (struct hs_serial_config){ .size = sizeof t->config, .mode = (uint8_t)mode };
	/* 2.5 samples a bit or a phase, at least */
	t->config.period = (mode ? 5u << 8 : 5u << 7) + rng_below(r, 4000);
	assert_int_equal(hs_serial_sender_init(&s, &t->config), HS_OK);
	t->n = t->length = 0;
	for (unsigned m = 0; m < messages; m++) {
		const unsigned bytes = 1 + rng_below(r, 30);

		idle(&s, gap);
		for (unsigned i = 0; i < bytes; i++, t->n++) {
			t->at[t->n] = t->length;
			t->after_gap[t->n] = i == 0 && gap >= GAP;
			t->bytes[t->n] = (uint8_t)(rng_one_in(r, 4) ? 0xff : rng_next(r));
			t->length += hs_serial_send(&s, t->bytes[t->n], i == 0, i + 1 == bytes,
			                            t->wire + t->length);
		}
		gap = rng_one_in(r, 3) ? 0 : rng_one_in(r, 2) ? GAP : rng_below(r, 20);
	}
	idle(&s, GAP);
	t->at[t->n] = t->length;
}

static void receive(struct rng *r, const uint8_t *wire, uint32_t period)
{
	struct hs_serial_config c = t->config;
	struct hs_serial_receiver rx;
	size_t at = 0, len;
	enum hs_status s = HS_OK;

	c.period = period;
	assert_int_equal(hs_serial_receiver_init(&rx, &c), HS_OK);
	t->got_n = t->errors = 0;
	while (s != HS_END) {
		const size_t left = t->length - at, most = 1 + rng_below(r, 3000);
		struct hs_span in = { wire + at, most < left ? most : left };
		const size_t before = in.n, cap = 1 + rng_below(r, 40);

		s = in.n ? hs_serial_receive(&rx, &in, t->got + t->got_n, cap, &len)
		         : hs_serial_receive_end(&rx, t->got + t->got_n, cap, &len);
		at += before - in.n;
		t->got_n += len;
		t->errors += s == HS_E_FRAMING;
		assert_true(t->got_n <= 4 * BYTES);
	}
}

static void exact(struct rng *r, uint32_t period)
{
	receive(r, t->wire, period);
	assert_int_equal(t->errors, 0);
	assert_int_equal(t->got_n, t->n);
	assert_memory_equal(t->got, t->bytes, t->n);
	total += t->n;
}

static void damage(struct rng *r)
{
	const size_t at = rng_below(r, (uint32_t)t->length), n = 1 + rng_below(r, 400);
	const size_t end = at + n < t->length ? at + n : t->length;
	size_t before = 0, next = 0;

	memcpy(t->bad, t->wire, t->length);
	for (size_t i = at; i < end; i++)
		t->bad[i] = (uint8_t)rng_below(r, 2);
	while (before < t->n && t->at[before + 1] <= at)
		before++;
	/* the idle before it is whole */
	while (next < t->n && !(next && t->after_gap[next] && t->at[next - 1] >= end))
		next++;
	receive(r, t->bad, t->config.period);
	faults += t->errors;
	before -= before > 0; /* the last one's stop bit */
	assert_true(t->got_n >= before);
	assert_memory_equal(t->got, t->bytes, before);
	assert_true(t->got_n >= t->n - next);
	assert_memory_equal(t->got + t->got_n - (t->n - next), t->bytes + next, t->n - next);
	resumed += t->n - next;
}

static void one_case(uint64_t seed)
{
	struct rng r = rng_start(seed);

	random_wire(&r);
	exact(&r, t->config.period);
	if (t->n > 40)
		exact(&r, 0);
	for (unsigned i = 0; i < 4; i++)
		damage(&r);
}

CAMPAIGN(serial)
{
	t = calloc(1, sizeof *t);
	assert_non_null(t);
	campaign_run(300, one_case);
	printf("# %llu bytes exact; %llu equal after damage, with %llu errors\n",
	       (unsigned long long)total, (unsigned long long)resumed, (unsigned long long)faults);
	free(t);
	t = NULL;
}
