/* Packets of the encapsulation over pins (EE Synchronization): random packets, idle of any number
 * of samples, synchronisation sequences, widths, places to begin a capture, and pieces.  From its
 * alignment on a receiver gives exactly the packets that were sent, and it is aligned no later than
 * after the first whole sequence.  Damage costs what is between the packet that it is in and the
 * first whole sequence after it. */
#include "cases.h"

#include <hartscope/transport.h>

#include "property/campaign.h"
#include "property/randprog.h"
#include "transport/transport.h"

#define PACKETS     60
#define PACKET_MOST (1 + 31 + 2 + 8)
#define IDLE_MOST   (8 * (PACKET_MOST + 8))
#define WIRE_MOST   (PACKETS * (8 * PACKET_MOST + IDLE_MOST + 16))

/* A packet as it was sent: where it begins among bytes and bits, and the first bit of the sequence
 * right before it, or its own. */
struct sent {
	size_t byte, bit, sequence;
};

static struct {
	struct hs_pin_config config;
	uint8_t bytes[PACKETS * PACKET_MOST];
	size_t length, count;
	struct sent sent[PACKETS + 1];
	uint8_t bits[WIRE_MOST]; /* the wire, a bit a byte */
	size_t bit_count;
	uint8_t samples[WIRE_MOST];
	size_t sample_bytes;
	uint8_t got[2 * PACKETS * PACKET_MOST];
	size_t got_length;
	uint64_t losses;
} *t;

static uint64_t exact, total, kept, harmed;

/* ---- the wire, written by the text, bit by bit -------------------------------------- */

static void put_byte(unsigned byte)
{
	for (unsigned i = 0; i < 8; i++)
		t->bits[t->bit_count++] = byte >> i & 1;
}

/* So many bits of 0 and a 1, in whole samples: null.idle, at last null.alignment. */
static void put_idle(unsigned zeros)
{
	const unsigned beat = t->config.width > 8 ? 8 : t->config.width;

	while ((zeros + 1) % beat)
		zeros++;
	memset(t->bits + t->bit_count, 0, zeros);
	t->bit_count += zeros;
	t->bits[t->bit_count++] = 1;
}

/* N null.idle and a null.alignment: N is 31 and what srcID and timestamp have. */
static unsigned sequence_zeros(void)
{
	return 8 * (31u + t->config.src_bytes + t->config.tstamp_bytes) + 7;
}

static void put_packet(struct rng *r)
{
	const unsigned length = 1 + rng_below(r, 31);
	const bool extended = t->config.tstamp_bytes && rng_one_in(r, 2);
	const unsigned n = length + t->config.src_bytes + (extended ? t->config.tstamp_bytes : 0);
	const unsigned header = length | rng_below(r, 4) << 5 | (unsigned)extended << 7;

	put_byte(header);
	t->bytes[t->length++] = (uint8_t)header;
	for (unsigned i = 0; i < n; i++) {
		const uint8_t byte = rng_one_in(r, 3) ? 0 : (uint8_t)rng_below(r, 256);

		put_byte(byte);
		t->bytes[t->length++] = byte;
	}
}

static void wire(struct rng *r)
{
	const size_t n = 1 + rng_below(r, PACKETS);

	t->bit_count = t->length = 0;
	for (t->count = 0; t->count < n; t->count++) {
		struct sent *s = &t->sent[t->count];

		s->sequence = t->bit_count;
		if (t->count == 0 || rng_one_in(r, 6))
			put_idle(sequence_zeros() + rng_below(r, 64));
		else if (rng_one_in(r, 3))
			put_idle(7 + rng_below(r, 100));
		if (t->bit_count - s->sequence <= sequence_zeros())
			s->sequence = t->bit_count;
		s->bit = t->bit_count;
		s->byte = t->length;
		put_packet(r);
	}
	t->sent[n] = (struct sent){ t->length, t->bit_count, t->bit_count };
}

static bool has_sequence(size_t i)
{
	return t->sent[i].sequence < t->sent[i].bit;
}

/* Samples from bit @from on; the last one is filled with idle. */
static void sample(size_t from)
{
	const unsigned width = t->config.width;
	const unsigned step = t->config.format == HS_PIN_PACKED || width > 8 ? 8 : width;

	t->sample_bytes = 0;
	for (size_t i = from; i < t->bit_count || (i * (width > 8) / 8) % 2; i += step) {
		unsigned v = 0;

		for (unsigned k = 0; k < step && i + k < t->bit_count; k++)
			v |= (unsigned)t->bits[i + k] << k;
		t->samples[t->sample_bytes++] = (uint8_t)v;
	}
}

/* ---- receiving ---------------------------------------------------------------------- */

static void take_bytes(enum hs_status s, const uint8_t *out, size_t len,
                       const struct hs_pin_event *e)
{
	assert_true(t->got_length + len <= sizeof(t->got));
	memcpy(t->got + t->got_length, out, len);
	t->got_length += len;
	t->losses += s == HS_OK && e->kind == HS_PIN_LOST;
}

static void receive(struct rng *r)
{
	const size_t cap = 1 + rng_below(r, 40), most = 1 + rng_below(r, 400);
	struct hs_pin_receiver rx;
	struct hs_pin_stats st;
	struct hs_pin_event e;
	uint8_t out[40];
	size_t len;
	enum hs_status s;

	t->got_length = t->losses = 0;
	assert_int_equal(hs_pin_receiver_init(&rx, &t->config), HS_OK);
	for (size_t at = 0; at < t->sample_bytes;) {
		size_t n = 1 + rng_below(r, (uint32_t)most);

		n = n > t->sample_bytes - at ? t->sample_bytes - at : n;
		struct hs_span in = { t->samples + at, n };

		s = hs_pin_receive(&rx, &in, out, cap, &len, &e);
		take_bytes(s, out, len, &e);
		at += n - in.n;
	}
	do {
		s = hs_pin_receive_end(&rx, out, cap, &len, &e);
		take_bytes(s, out, len, &e);
	} while (s == HS_OK || s == HS_FULL);
	hs_pin_receiver_get_stats(&rx, &st);
	assert_int_equal(st.losses, t->losses);
}

static void random_case(struct rng *r)
{
	t->config = (struct hs_pin_config){
		.size = sizeof(t->config),
		.width = (uint8_t)(1u << rng_below(r, 5)),
		.format = (uint8_t)rng_below(r, 2),
		.headers = 1,
		.src_bytes = (uint8_t)rng_below(r, 3),
		.tstamp_bytes = (uint8_t)rng_below(r, 9),
	};
	wire(r);
}

/* What came are the last packets of those sent, all after the first whole sequence. */
static void one_case(uint64_t seed)
{
	struct rng r = rng_start(seed);
	size_t i = 0, latest = 0;

	random_case(&r);
	const size_t from = rng_one_in(&r, 3) ? 0
		: rng_below(&r, (uint32_t)t->bit_count) / t->config.width * t->config.width;

	sample(from);
	receive(&r);
	assert_true(t->got_length <= t->length);
	while (t->sent[i].byte < t->length - t->got_length)
		i++;
	assert_int_equal(t->sent[i].byte, t->length - t->got_length);
	assert_memory_equal(t->got, t->bytes + t->sent[i].byte, t->got_length);
	while (latest < t->count && (!has_sequence(latest) || t->sent[latest].sequence < from))
		latest++;
	assert_true(i <= latest && (i == t->count || t->sent[i].bit >= from));
	assert_int_equal(t->losses, 0);
	exact += t->count - i;
	total += t->count;
}

/* Bits turned, samples are missing, or there are some more.  @return where the wire is good again,
 * in bits as they were sent; *begin: where it stops to be. */
static size_t damage(struct rng *r, size_t *begin)
{
	const unsigned width = t->config.width;
	const size_t at = rng_below(r, (uint32_t)(t->bit_count / width)) * width;
	const size_t n = (1 + rng_below(r, 4)) * width;
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

static void damaged_case(uint64_t seed)
{
	struct rng r = rng_start(seed);
	size_t begin, before = 0, after = 0;

	random_case(&r);
	const size_t end = damage(&r, &begin);

	sample(0);
	receive(&r);
	while (before < t->count && t->sent[before].bit + 8 * (t->sent[before + 1].byte -
	                                                       t->sent[before].byte) <= begin)
		before++;
	while (after < t->count && (!has_sequence(after) || t->sent[after].sequence < end))
		after++;
	const size_t tail = t->length - t->sent[after].byte;

	assert_true(t->got_length >= t->sent[before].byte && t->got_length >= tail);
	assert_memory_equal(t->got, t->bytes, t->sent[before].byte);
	assert_memory_equal(t->got + t->got_length - tail, t->bytes + t->length - tail, tail);
	kept += before + t->count - after;
	harmed += t->count;
}

CAMPAIGN_WITH(received_as_sent, t)
{
	campaign_run(10000, one_case);
	printf("# %llu of %llu packets received\n", (unsigned long long)exact,
	       (unsigned long long)total);
}

CAMPAIGN_WITH(damage_is_bounded, t)
{
	campaign_run(10000, damaged_case);
	printf("# %llu of %llu packets are certain of damaged wires\n", (unsigned long long)kept,
	       (unsigned long long)harmed);
}
