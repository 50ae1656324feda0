/* What is sent over pins is received: random messages, idle, widths, places to begin a capture, and
 * pieces.  From its alignment on a receiver gives exactly the messages that were sent, and it is
 * aligned no later than at the first message after 14 bits of 1.  Damage costs what is between the
 * message that it is in and the first one after 14 bits of 1. */
#include "cases.h"

#include <hartscope/ntrace.h>
#include <hartscope/transport.h>

#include "ntrace/nt_message.h"
#include "ntrace/nt_reader.h"
#include "property/campaign.h"
#include "property/randprog.h"
#include "transport/transport.h"

#define MESSAGES 60
#define IDLE_MOST 70
#define CERTAIN 14

/* A message as it was sent: where it begins among bytes and bits, and the 1 bits right before
 * it. */
struct sent {
	size_t byte, bit;
	unsigned ones;
};

static struct {
	uint8_t bytes[MESSAGES * HS_NT_MSG_MAX];
	size_t length;
	struct sent sent[MESSAGES + 1];
	size_t count;
	uint8_t bits[MESSAGES * (8 * HS_NT_MSG_MAX + 8 * IDLE_MOST)]; /* the wire, a bit a byte */
	size_t bit_count;
	uint8_t samples[MESSAGES * (8 * HS_NT_MSG_MAX + 8 * IDLE_MOST)];
	size_t sample_bytes;
	uint8_t got[2 * MESSAGES * HS_NT_MSG_MAX];
	size_t got_length;
	struct hs_pin_event first;
	unsigned events;
} *t;

static uint64_t exact, total, at_once, kept, harmed;

/* ---- messages ------------------------------------------------------------------- */

static size_t random_message(struct rng *r, unsigned src_bits, uint8_t *out)
{
	static const uint8_t codes[] = {
#define HS_NT_MSG(id, name, tcode, fields, clause) (tcode),
#include <hartscope/tables/nt_messages.def>
#undef HS_NT_MSG
	};
	enum hs_nt_field fields[HS_NTF_COUNT];
	struct hs_nt_msg m = { .tcode = codes[rng_below(r, sizeof(codes))] };
	const unsigned n = hs_nt_msg_fields(m.tcode, fields);

	m.src = (uint16_t)rng_below(r, 1u << src_bits);
	for (unsigned i = 0; i < n; i++) {
		const uint64_t v = rng_one_in(r, 4) ? UINT64_MAX : rng_next(r) >> rng_below(r, 64);

		m.field[fields[i]] = v >> rng_below(r, 60);
		m.present |= (uint32_t)(fields[i] != HS_NTF_TSTAMP ||
		                        rng_one_in(r, 2)) << fields[i];
	}
	return hs_nt_write(&m, src_bits, out);
}

static void random_messages(struct rng *r)
{
	const unsigned src_bits = rng_below(r, 13);
	const size_t n = 1 + rng_below(r, MESSAGES);

	t->length = 0;
	for (t->count = 0; t->count < n; t->count++) {
		t->sent[t->count].byte = t->length;
		t->length += random_message(r, src_bits, t->bytes + t->length);
	}
	t->sent[n].byte = t->length;
}

/* ---- the wire, written here a second time, bit by bit (NT 3.3, 3.4) ----------------- */

static void wire(struct rng *r, unsigned width)
{
	const unsigned beat = width > 8 ? 8 : width, habit = rng_below(r, 4);
	unsigned ones = 0;

	t->bit_count = 0;
	for (size_t i = 0; i < t->count; i++) {
		const unsigned beats = habit == 0 ? 0 : habit == 1 ? 8 / beat
			: rng_below(r, IDLE_MOST / beat);

		for (unsigned k = 0; k < beats * beat; k++, ones++)
			t->bits[t->bit_count++] = 1;
		t->sent[i].bit = t->bit_count;
		t->sent[i].ones = ones;
		for (size_t b = t->sent[i].byte; b < t->sent[i + 1].byte; b++) {
			for (unsigned k = 0; k < 8; k++) {
				t->bits[t->bit_count] = t->bytes[b] >> k & 1;
				ones = t->bits[t->bit_count++] ? ones + 1 : 0;
			}
		}
	}
}

/* Samples from bit @from on. */
static void sample(unsigned width, unsigned format, size_t from)
{
	const unsigned step = format == HS_PIN_PACKED || width > 8 ? 8 : width;

	t->sample_bytes = 0;
	for (size_t i = from; i < t->bit_count || (i * (width > 8) / 8) % 2; i += step) {
		unsigned v = 0;

		for (unsigned k = 0; k < step; k++)
			v |= (unsigned)(i + k >= t->bit_count || t->bits[i + k]) << k;
		t->samples[t->sample_bytes++] = (uint8_t)v;
	}
}

/* The same by the sender: only for captures that begin at the start. */
static void check_sender(const struct hs_pin_config *c)
{
	const unsigned beat = c->width > 8 ? 8 : c->width;
	struct hs_pin_sender s;
	struct hs_span in = { t->bytes, 0 };
	size_t sample_at = 0, len, wire_at = 0;
	uint8_t piece[3];
	enum hs_status status = HS_OK;

	assert_int_equal(hs_pin_sender_init(&s, c), HS_OK);
	for (size_t i = 0; i < t->count; i++) {
		uint64_t idle = (t->sent[i].bit - wire_at) / beat;

		while (idle) {
			hs_pin_idle(&s, &idle, piece, sizeof(piece), &len);
			assert_memory_equal(piece, t->samples + sample_at, len);
			sample_at += len;
		}
		in.n = (size_t)(t->bytes + t->sent[i + 1].byte - in.p);
		do {
			status = hs_pin_send(&s, &in, piece, sizeof(piece), &len);
			assert_memory_equal(piece, t->samples + sample_at, len);
			sample_at += len;
		} while (status == HS_FULL);
		assert_int_equal(status, HS_OK);
		wire_at = t->sent[i].bit + 8 * (t->sent[i + 1].byte - t->sent[i].byte);
	}
	assert_int_equal(hs_pin_sender_end(&s, piece, sizeof(piece), &len), HS_OK);
	assert_memory_equal(piece, t->samples + sample_at, len);
	assert_int_equal(sample_at + len, t->sample_bytes);
}

/* ---- receiving ------------------------------------------------------------------ */

static void take_bytes(enum hs_status s, const uint8_t *out, size_t len,
                       const struct hs_pin_event *e)
{
	assert_true(t->got_length + len <= t->length);
	memcpy(t->got + t->got_length, out, len);
	t->got_length += len;
	if (s == HS_OK && t->events++ == 0)
		t->first = *e;
}

static void receive(struct rng *r, const struct hs_pin_config *c)
{
	const size_t cap = 1 + rng_below(r, 40),
		most = 1 + rng_below(r, rng_one_in(r, 2) ? 4 : 400);
	struct hs_pin_receiver rx;
	struct hs_pin_event e;
	uint8_t out[40];
	size_t len;
	enum hs_status s;

	t->got_length = t->events = 0;
	assert_int_equal(hs_pin_receiver_init(&rx, c), HS_OK);
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
	assert_int_equal(s, t->events ? HS_END : s);
}

/* The messages that came are the last ones of those sent. */
static void check(const struct hs_pin_config *c, size_t from)
{
	size_t i = 0, latest = 0, earliest = 0;

	while (t->sent[i].byte < t->length - t->got_length)
		i++;
	assert_int_equal(t->sent[i].byte, t->length - t->got_length);
	assert_memory_equal(t->got, t->bytes + t->sent[i].byte, t->got_length);
	while (earliest < t->count && t->sent[earliest].bit < from)
		earliest++;
	while (latest < t->count &&
	       (t->sent[latest].bit < from + CERTAIN || t->sent[latest].ones < CERTAIN))
		latest++;
	assert_true(i <= latest && i >= earliest);
	total += t->count - earliest;
	exact += t->count - i;
	at_once += i == earliest;
	if (i == t->count)
		return;
	assert_int_equal(t->events, 1);
	assert_int_equal(t->first.kind, HS_PIN_ALIGNED);
	assert_int_equal(t->first.sample * c->width + t->first.offset, t->sent[i].bit - from);
	assert_int_equal(t->first.phase, c->width >= 8 ? 0 : t->first.sample % (8 / c->width));
}

static void one_case(uint64_t seed)
{
	struct rng r = rng_start(seed);
	struct hs_pin_config c = { .size = sizeof(c) };

	c.width = (uint8_t)(1u << rng_below(&r, 5));
	c.format = (uint8_t)rng_below(&r, 2);
	random_messages(&r);
	wire(&r, c.width);
	sample(c.width, c.format, 0);
	check_sender(&c);
	const size_t from = rng_below(&r, (uint32_t)t->bit_count) / c.width * c.width;

	sample(c.width, c.format, from);
	receive(&r, &c);
	check(&c, from);
}

/* ---- damage ---------------------------------------------------------------------- */

/* What is done to the wire as it was sent: bits from @begin up to @end. */
struct harm {
	size_t begin, end;
};

/* Bits that turned, samples that are missing, or some more of them. */
static struct harm damage(struct rng *r, unsigned width)
{
	const size_t samples = t->bit_count / width;
	const size_t at = rng_below(r, (uint32_t)samples) * width;
	const size_t n = (1 + rng_below(r, 4)) * width;
	struct harm h = { at, at + n < t->bit_count ? at + n : t->bit_count };

	switch (rng_below(r, 3)) {
	case 0:
		for (unsigned k = 1 + rng_below(r, 4); k; k--)
			t->bits[h.begin + rng_below(r, (uint32_t)(h.end - h.begin))] ^= 1;
		break;
	case 1:
		memmove(t->bits + h.begin, t->bits + h.end, t->bit_count - h.end);
		t->bit_count -= h.end - h.begin;
		break;
	default:
		memmove(t->bits + h.begin + width, t->bits + h.begin, t->bit_count - h.begin);
		for (unsigned k = 0; k < width; k++)
			t->bits[h.begin + k] = (uint8_t)rng_below(r, 2);
		h.end = h.begin;
		t->bit_count += width;
	}
	return h;
}

/* Everything before the message that is damaged came, and everything after the next idle. */
static void check_cost(const struct harm *h)
{
	size_t before = 0, after = 0;

	while (before < t->count &&
	       t->sent[before].bit + 8 * (t->sent[before + 1].byte - t->sent[before].byte) <=
	               h->begin)
		before++;
	while (after < t->count && (t->sent[after].ones < CERTAIN ||
	                            t->sent[after].bit < h->end + t->sent[after].ones))
		after++;
	const size_t tail = t->length - t->sent[after].byte;

	assert_true(t->got_length >= t->sent[before].byte && t->got_length >= tail);
	assert_memory_equal(t->got, t->bytes, t->sent[before].byte);
	assert_memory_equal(t->got + t->got_length - tail, t->bytes + t->length - tail, tail);
	kept += before + t->count - after;
	harmed += t->count;
}

/* Whatever happens to the samples, the receiver ends, and reports each loss. */
static void damaged_case(uint64_t seed)
{
	struct rng r = rng_start(seed);
	struct hs_pin_config c = { .size = sizeof(c), .starts_idle = 1,
		                   .width = (uint8_t)(1u << rng_below(&r, 5)) };
	struct hs_pin_receiver rx;
	struct hs_pin_stats st;
	struct hs_pin_event e;
	uint8_t out[64];
	size_t len, marks = 0, losses = 0;
	enum hs_status s = HS_MORE;

	random_messages(&r);
	wire(&r, c.width);
	const struct harm h = damage(&r, c.width);

	sample(c.width, c.format, 0);
	t->got_length = 0;
	assert_int_equal(hs_pin_receiver_init(&rx, &c), HS_OK);
	struct hs_span in = { t->samples, t->sample_bytes };

	while (hs_status_get_class(s) <= HS_CLASS_MORE && s != HS_END) {
		if (in.n)
			s = hs_pin_receive(&rx, &in, out, sizeof(out), &len, &e);
		else
			s = hs_pin_receive_end(&rx, out, sizeof(out), &len, &e);
		losses += s == HS_OK && e.kind == HS_PIN_LOST;
		for (size_t i = 0; i < len; i++)
			marks += (out[i] & 3) == 2;
		assert_true(t->got_length + len <= sizeof(t->got));
		memcpy(t->got + t->got_length, out, len);
		t->got_length += len;
	}
	hs_pin_receiver_get_stats(&rx, &st);
	assert_int_equal(st.losses, losses);
	assert_true(marks <= losses);
	assert_true(st.alignments >= st.losses && st.alignments <= st.losses + 1);
	assert_int_equal(st.samples, t->sample_bytes / (c.width == 16 ? 2 : 1));
	check_cost(&h);
}

CAMPAIGN_WITH(received_as_sent, t)
{
	campaign_run(20000, one_case);
	printf("# %llu of %llu whole messages received; %llu captures aligned at the first one\n",
	       (unsigned long long)exact, (unsigned long long)total, (unsigned long long)at_once);
}

CAMPAIGN_WITH(damage_is_bounded, t)
{
	campaign_run(10000, damaged_case);
	printf("# %llu of %llu messages are certain of damaged wires\n", (unsigned long long)kept,
	       (unsigned long long)harmed);
}
