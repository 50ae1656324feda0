/* What the tests of transport over pins share: what was sent, the wire of it bit by bit, samples,
 * a receiver that gets them in pieces, and damage.  A protocol writes its wire itself. */
#ifndef TESTS_PINS_H
#define TESTS_PINS_H

#include <hartscope/transport.h>

#include "property/campaign.h"
#include "property/randprog.h"
#include "transport/transport.h"

#define PINS_MESSAGES 60
#define PINS_BYTES    64   /* of a message or packet, at most */
#define PINS_IDLE     1000 /* bits before it, at most */
#define PINS_WIRE     (PINS_MESSAGES * (8 * PINS_BYTES + PINS_IDLE))
#define PINS_NONE     SIZE_MAX

/* A message or packet as it was sent: where it begins among bytes and bits, and the first bit of
 * what aligns a receiver right before it; PINS_NONE: nothing that is certain to. */
struct sent {
	size_t byte, bit, aligns;
};

static struct pins {
	struct hs_pin_config config;
	uint8_t bytes[PINS_MESSAGES * PINS_BYTES];
	size_t length, count;
	struct sent sent[PINS_MESSAGES + 1]; /* the last one: where they end */
	uint8_t bits[PINS_WIRE];             /* the wire, a bit a byte */
	size_t bit_count;
	uint8_t samples[PINS_WIRE];
	size_t sample_bytes;
	uint8_t got[2 * PINS_MESSAGES * PINS_BYTES];
	size_t got_length;
	struct hs_pin_event first;
	uint64_t events, losses, marks; /* marks: bytes that end in 10 */
	struct hs_pin_stats stats;
	enum hs_status end;
} *t;

static uint64_t pins_exact, pins_total, pins_kept, pins_harmed;

/* Samples from bit @from on; the last one is filled with @idle. */
static void pins_sample(size_t from, unsigned idle)
{
	const unsigned width = t->config.width;
	const unsigned step = t->config.format == HS_PIN_PACKED || width > 8 ? 8 : width;

	t->sample_bytes = 0;
	for (size_t i = from; i < t->bit_count || (i * (width > 8) / 8) % 2; i += step) {
		unsigned v = 0;

		for (unsigned k = 0; k < step; k++)
			v |= (i + k < t->bit_count ? (unsigned)t->bits[i + k] : idle) << k;
		t->samples[t->sample_bytes++] = (uint8_t)v;
	}
}

/* A place where a capture may begin. */
static size_t pins_place(struct rng *r)
{
	return rng_below(r, (uint32_t)t->bit_count) / t->config.width * t->config.width;
}

/* ---- receiving ---------------------------------------------------------------------- */

static void pins_take(enum hs_status s, const uint8_t *out, size_t len,
                      const struct hs_pin_event *e)
{
	assert_true(t->got_length + len <= sizeof(t->got));
	memcpy(t->got + t->got_length, out, len);
	t->got_length += len;
	for (size_t i = 0; i < len; i++)
		t->marks += (out[i] & 3) == 2;
	if (s != HS_OK)
		return;
	if (t->events++ == 0)
		t->first = *e;
	t->losses += e->kind == HS_PIN_LOST;
}

/* The samples in pieces of at most @most bytes.  Whatever they are, the receiver ends, and reports
 * each loss. */
static void pins_receive(struct rng *r, size_t most)
{
	const size_t cap = 1 + rng_below(r, 40);
	const unsigned width = t->config.width;
	const unsigned per = t->config.format == HS_PIN_PACKED && width < 8 ? 8 / width : 1;
	struct hs_pin_receiver rx;
	struct hs_pin_event e;
	uint8_t out[40];
	size_t len;
	enum hs_status s;

	t->got_length = t->events = t->losses = t->marks = 0;
	assert_int_equal(hs_pin_receiver_init(&rx, &t->config), HS_OK);
	for (size_t at = 0; at < t->sample_bytes;) {
		size_t n = 1 + rng_below(r, (uint32_t)most);

		n = n > t->sample_bytes - at ? t->sample_bytes - at : n;
		struct hs_span in = { t->samples + at, n };

		s = hs_pin_receive(&rx, &in, out, cap, &len, &e);
		pins_take(s, out, len, &e);
		at += n - in.n;
	}
	do {
		s = hs_pin_receive_end(&rx, out, cap, &len, &e);
		pins_take(s, out, len, &e);
	} while (s == HS_OK || s == HS_FULL);
	t->end = s;
	hs_pin_receiver_get_stats(&rx, &t->stats);
	assert_int_equal(t->stats.losses, t->losses);
	assert_int_equal(t->stats.samples,
	                 width == 16 ? t->sample_bytes / 2 : t->sample_bytes * per);
}

/* What came are the last messages of those sent.  @return the first of them. */
static size_t pins_check_tail(void)
{
	size_t i = 0;

	assert_true(t->got_length <= t->length);
	while (t->sent[i].byte < t->length - t->got_length)
		i++;
	assert_int_equal(t->sent[i].byte, t->length - t->got_length);
	assert_memory_equal(t->got, t->bytes + t->sent[i].byte, t->got_length);
	pins_exact += t->count - i;
	return i;
}

/* ---- damage ------------------------------------------------------------------------- */

/* Bits turned, samples are missing, or there are some more.  @return where the wire is good again,
 * in bits as they were sent; *begin: where it stops to be. */
static size_t pins_damage(struct rng *r, size_t *begin)
{
	const unsigned width = t->config.width;
	const size_t at = pins_place(r), n = (1 + rng_below(r, 4)) * width;
	const size_t end = at + n < t->bit_count ? at + n : t->bit_count;

	*begin = at;
	switch (rng_below(r, 3)) {
	case 0:
		for (unsigned k = 1 + rng_below(r, 4); k; k--)
			t->bits[at + rng_below(r, (uint32_t)(end - at))] ^= 1;
		return end;
	case 1:
		memmove(t->bits + at, t->bits + end, t->bit_count - end);
		t->bit_count -= end - at;
		return end;
	default:
		memmove(t->bits + at + width, t->bits + at, t->bit_count - at);
		for (unsigned k = 0; k < width; k++)
			t->bits[at + k] = (uint8_t)rng_below(r, 2);
		t->bit_count += width;
		return at;
	}
}

/* Everything before the message that is damaged came, and everything after what aligns next. */
static void pins_check_cost(size_t begin, size_t end)
{
	size_t before = 0, after = 0;

	while (before < t->count && t->sent[before].bit + 8 * (t->sent[before + 1].byte -
	                                                       t->sent[before].byte) <= begin)
		before++;
	while (after < t->count &&
	       (t->sent[after].aligns == PINS_NONE || t->sent[after].aligns < end))
		after++;
	const size_t tail = t->length - t->sent[after].byte;

	assert_true(t->got_length >= t->sent[before].byte && t->got_length >= tail);
	assert_memory_equal(t->got, t->bytes, t->sent[before].byte);
	assert_memory_equal(t->got + t->got_length - tail, t->bytes + t->length - tail, tail);
	pins_kept += before + t->count - after;
	pins_harmed += t->count;
}

static void pins_report(const char *what)
{
	if (pins_total)
		printf("# %llu of %llu %s received\n", (unsigned long long)pins_exact,
		       (unsigned long long)pins_total, what);
	if (pins_harmed)
		printf("# %llu of %llu %s are certain of damaged wires\n",
		       (unsigned long long)pins_kept, (unsigned long long)pins_harmed, what);
}

#endif
