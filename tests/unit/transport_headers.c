/* Packets of the encapsulation over pins (EE Synchronization): samples by hand, a bit each. */
#include "cases.h"

#include <hartscope/transport.h>

#include "transport/transport.h"

#define BITS 2000

static struct {
	uint8_t bits[BITS];
	size_t n;
	uint8_t out[200];
	size_t length;
	unsigned aligned, lost;
	uint64_t first; /* sample of the first alignment */
} t;

static void put_zeros(unsigned n)
{
	memset(t.bits + t.n, 0, n);
	t.n += n;
}

static void put_byte(unsigned byte)
{
	for (unsigned i = 0; i < 8; i++)
		t.bits[t.n++] = byte >> i & 1;
}

/* N null.idle and a null.alignment: N is 31 and what srcID and timestamp have. */
static void put_sequence(unsigned n)
{
	put_zeros(8 * n);
	put_byte(0x80);
}

static void put_packet(void) /* length 2 */
{
	put_byte(0x02);
	put_byte(0x7e);
	put_byte(0x81);
}

static enum hs_status receive(const struct hs_pin_config *config, size_t piece)
{
	struct hs_pin_receiver r;
	struct hs_pin_event e;
	enum hs_status s;
	size_t len;

	t.length = t.aligned = t.lost = 0;
	assert_int_equal(hs_pin_receiver_init(&r, config), HS_OK);
	for (size_t at = 0; at < t.n; at += piece) {
		struct hs_span in = { t.bits + at, t.n - at < piece ? t.n - at : piece };

		do {
			s = hs_pin_receive(&r, &in, t.out + t.length, sizeof t.out - t.length,
			                   &len, &e);
			t.length += len;
			if (s == HS_OK && e.kind == HS_PIN_ALIGNED && !t.aligned++)
				t.first = e.sample;
			t.lost += s == HS_OK && e.kind == HS_PIN_LOST;
		} while (s == HS_OK);
	}
	do {
		s = hs_pin_receive_end(&r, t.out + t.length, sizeof t.out - t.length, &len, &e);
		t.length += len;
		if (s == HS_OK && e.kind == HS_PIN_ALIGNED && !t.aligned++)
			t.first = e.sample;
		t.lost += s == HS_OK && e.kind == HS_PIN_LOST;
	} while (s == HS_OK);
	return s;
}

static const struct hs_pin_config plain = { .size = sizeof plain, .width = 1, .headers = 1 };

static const uint8_t one[] = { 0x02, 0x7e, 0x81 }, two[] = { 0x02, 0x7e, 0x81, 0x02, 0x7e, 0x81 };

#define START() (memset(&t, 0, sizeof t))

static void expect(enum hs_status s, const uint8_t *bytes, size_t n, unsigned aligned,
                   unsigned lost)
{
	static const size_t pieces[] = { BITS, 1, 7 };

	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(receive(&plain, pieces[i]), s);
		assert_int_equal(t.length, n);
		assert_memory_equal(t.out, bytes, n);
		assert_int_equal(t.aligned, aligned);
		assert_int_equal(t.lost, lost);
	}
}

/* 13 samples of something, then the sequence: alignment is at any bit. */
TEST(at_any_bit)
{
	START();
	put_byte(0x5b);
	put_byte(0x1f);
	t.n -= 3;
	put_sequence(31);
	put_packet();
	expect(HS_END, one, sizeof one, 1, 0);
	assert_int_equal(t.first, 13 + 8 * 32);
}

/* A byte less than N is no sequence. */
TEST(too_short)
{
	START();
	put_byte(0xff);
	put_sequence(30);
	put_packet();
	expect(HS_E_FRAMING, one, 0, 0, 0);
}

/* Idle may have any number of samples: its 1 is the last bit of a null.alignment. */
TEST(idle_of_any_length)
{
	for (unsigned samples = 8; samples < 40; samples++) {
		START();
		put_sequence(31);
		put_packet();
		put_zeros(samples);
		t.bits[t.n++] = 1;
		put_packet();
		expect(HS_END, two, sizeof two, 1, 0);
	}
	START(); /* no idle at all; a null.alignment alone */
	put_sequence(31);
	put_packet();
	put_byte(0x80);
	put_packet();
	expect(HS_END, two, sizeof two, 1, 0);
}

/* The end of a packet is missing, and some bits of a byte: the zeros of the sequence take its
 * place, as "the first N 'null' bytes may actually be part of a packet".  The next one is good. */
TEST(sequence_inside_a_packet)
{
	START();
	put_sequence(31);
	put_byte(0x03);
	put_byte(0xff);
	put_zeros(3);
	put_sequence(31);
	put_packet();
	static const uint8_t filled[] = { 0x03, 0xff, 0, 0, 0x02, 0x7e, 0x81 };
	expect(HS_END, filled, sizeof filled, 1, 0);
}

/* Headers that cannot be: what is read is not aligned. */
TEST(impossible_headers)
{
	START(); /* flow of a null is 0 in a stream of bits */
	put_sequence(31);
	put_byte(0x20);
	put_sequence(31);
	put_packet();
	expect(HS_END, one, sizeof one, 1, 0);
	START(); /* a timestamp where there is none */
	put_sequence(31);
	put_packet();
	put_byte(0x82);
	put_sequence(31);
	put_packet();
	expect(HS_END, two, sizeof two, 2, 1);
}

TEST(a_cut_capture)
{
	START();
	put_sequence(31);
	put_packet();
	put_packet();
	t.n -= 4;
	expect(HS_E_TRUNCATED, one, sizeof one, 1, 0);
}

/* srcID of 2 whole bytes, 1 byte of time: N is 34, the packet has 1 + 2 + 1 + 1 bytes. */
TEST(longer_packets)
{
	static const uint8_t bytes[] = { 0x81, 1, 2, 3, 4 };
	const struct hs_pin_config config = { .size = sizeof config, .width = 1, .headers = 1,
		                              .src_bytes = 2, .tstamp_bytes = 1 };

	START();
	put_byte(1);
	put_sequence(33);
	put_packet();
	put_sequence(34);
	for (unsigned i = 0; i < sizeof bytes; i++)
		put_byte(bytes[i]);
	assert_int_equal(receive(&config, BITS), HS_END);
	assert_int_equal(t.length, sizeof bytes);
	assert_memory_equal(t.out, bytes, sizeof bytes);
}

TEST(configurations_are_checked)
{
	static const struct {
		uint8_t headers, src, tstamp, pad;
		enum hs_status status;
	} rows[] = { { 1, 2, 8, 0, HS_OK },         { 2, 0, 0, 0, HS_E_CONFIG },
		     { 1, 3, 0, 0, HS_E_CONFIG },   { 1, 0, 9, 0, HS_E_CONFIG },
		     { 0, 1, 0, 0, HS_E_CONFIG },   { 0, 0, 1, 0, HS_E_CONFIG },
		     { 1, 0, 0, 1, HS_E_CONFIG } };

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct hs_pin_config c = { .size = sizeof c, .headers = rows[i].headers,
			                         .src_bytes = rows[i].src,
			                         .tstamp_bytes = rows[i].tstamp,
			                         .pad = { rows[i].pad } };
		struct hs_pin_receiver r;

		assert_int_equal(hs_pin_receiver_init(&r, &c), rows[i].status);
	}
}
