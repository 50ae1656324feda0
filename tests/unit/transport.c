/* Pins to messages and back, from NT 3.1 to 3.4 and the calibration patterns of TCI, by hand; each
 * row in both formats of samples, cut at every place.  And circular buffers. */
#include "cases.h"

#include <hartscope/transport.h>

#include "transport/pin_config.h"
#include "transport/transport.h"

/* DirectBranch I-CNT 3 is 0c 0f (NT 7.2).  On the wire, first sample first (NT 3.3): */
#define A1 "00110000 11110000 "
#define A2 "0300 3300 "
#define A4 "C0 F0 "
#define A8 "0C 0F "
#define A16 "0F0C "
#define A_BYTES "0c0f"

/* More than any run of 1 bits without idle: six of a byte, eight of the last one. */
#define ONES1 "11111111111111 "

enum { ALIGNED = HS_PIN_ALIGNED, LOST = HS_PIN_LOST, PATTERN = HS_PIN_CALIBRATION };

static const struct row {
	const char *name;
	uint8_t width;
	const char *samples; /* hexadecimal, as many digits a sample as its width needs */
	const char *bytes;   /* what comes out */
	enum hs_status end;
	struct { uint8_t kind; uint64_t sample, count; uint8_t offset, phase; } events[5];
	unsigned n;          /* of them */
	uint64_t idle_bits, skipped, calibration;
} rows[] = {
	/* The four sequences of NT 3.4, at each width: the idle is samples there. */
	{ "1 pin, no idle", 1, ONES1 A1 A1, A_BYTES A_BYTES, HS_END, { { ALIGNED, 14, 0, 0, 6 } },
	  1, 0, 14, 0 },
	{ "1 pin, 2 idle bits", 1, ONES1 A1 "11" A1, A_BYTES A_BYTES, HS_END,
	  { { ALIGNED, 14, 0, 0, 6 } }, 1, 2, 14, 0 },
	{ "1 pin, 3 idle bits", 1, ONES1 A1 "111" A1, A_BYTES A_BYTES, HS_END,
	  { { ALIGNED, 14, 0, 0, 6 } }, 1, 3, 14, 0 },
	{ "1 pin, 8 idle bits", 1, ONES1 A1 "11111111" A1, A_BYTES A_BYTES, HS_END,
	  { { ALIGNED, 14, 0, 0, 6 } }, 1, 8, 14, 0 },
	{ "2 pins, no idle", 2, "3333333" A2 A2, A_BYTES A_BYTES, HS_END,
	  { { ALIGNED, 7, 0, 0, 3 } }, 1, 0, 7, 0 },
	{ "2 pins, 2 idle samples", 2, "3333333" A2 "33" A2, A_BYTES A_BYTES, HS_END,
	  { { ALIGNED, 7, 0, 0, 3 } }, 1, 4, 7, 0 },
	{ "2 pins, 3 idle samples", 2, "3333333" A2 "333" A2, A_BYTES A_BYTES, HS_END,
	  { { ALIGNED, 7, 0, 0, 3 } }, 1, 6, 7, 0 },
	{ "2 pins, 8 idle samples", 2, "3333333" A2 "33333333" A2, A_BYTES A_BYTES, HS_END,
	  { { ALIGNED, 7, 0, 0, 3 } }, 1, 16, 7, 0 },
	{ "4 pins, no idle", 4, "FFF" A4 A4, A_BYTES A_BYTES, HS_END, { { ALIGNED, 3, 0, 0, 1 } },
	  1, 0, 3, 0 },
	{ "4 pins, 2 idle samples", 4, "FFF" A4 "FF" A4, A_BYTES A_BYTES, HS_END,
	  { { ALIGNED, 3, 0, 0, 1 } }, 1, 8, 3, 0 },
	{ "4 pins, 3 idle samples", 4, "FFF" A4 "FFF" A4, A_BYTES A_BYTES, HS_END,
	  { { ALIGNED, 3, 0, 0, 1 } }, 1, 12, 3, 0 },
	{ "4 pins, 8 idle samples", 4, "FFF" A4 "FFFFFFFF" A4, A_BYTES A_BYTES, HS_END,
	  { { ALIGNED, 3, 0, 0, 1 } }, 1, 32, 3, 0 },
	{ "8 pins, no idle", 8, "FF" A8 A8, A_BYTES A_BYTES, HS_END, { { ALIGNED, 1, 0, 0, 0 } }, 1,
	  0, 1, 0 },
	{ "8 pins, 2 idle samples", 8, "FF" A8 "FFFF" A8, A_BYTES A_BYTES, HS_END,
	  { { ALIGNED, 1, 0, 0, 0 } }, 1, 16, 1, 0 },
	{ "8 pins, 3 idle samples", 8, "FF" A8 "FFFFFF" A8, A_BYTES A_BYTES, HS_END,
	  { { ALIGNED, 1, 0, 0, 0 } }, 1, 24, 1, 0 },
	{ "16 pins, no idle", 16, "FFFF" A16 A16, A_BYTES A_BYTES, HS_END,
	  { { ALIGNED, 1, 0, 0, 0 } }, 1, 8, 0, 0 },
	{ "16 pins, 2 idle samples", 16, "FFFF" A16 "FFFFFFFF" A16, A_BYTES A_BYTES, HS_END,
	  { { ALIGNED, 1, 0, 0, 0 } }, 1, 40, 0, 0 },
	{ "16 pins, a message in the high byte", 16, "0CFF FF0F" A16, A_BYTES A_BYTES, HS_END,
	  { { ALIGNED, 0, 0, 8, 0 } }, 1, 8, 0, 0 },
	/* Table 6 between two idle bytes: its last byte is ff too. */
	{ "Table 6", 8, "FF 70 D0 1D 1D F8 FF FF", "70d01d1df8ff", HS_END,
	  { { ALIGNED, 1, 0, 0, 0 } }, 1, 8, 1, 0 },
	/* A capture that begins in a message: 70 d0 1d is lost, and its 14 1 bits need no idle. */
	{ "1 pin, 14 bits of 1 without idle", 1, "111111 11111111" A1, A_BYTES, HS_END,
	  { { ALIGNED, 14, 0, 0, 6 } }, 1, 0, 14, 0 },
	/* 13 of them may end inside the last byte, 111111 11 11111 0. */
	{ "1 pin, 13 bits of 1", 1, "1111111111111 0" A1, A_BYTES, HS_END,
	  { { ALIGNED, 14, 0, 0, 6 } }, 1, 0, 14, 0 },
	{ "8 pins, begins in a message", 8, "D0 1D 1D F8 FF" A8, A_BYTES, HS_END,
	  { { ALIGNED, 5, 0, 0, 0 } }, 1, 0, 5, 0 },
	{ "16 pins, begins in a message", 16, "D070 1D1D FFF8" A16, A_BYTES, HS_END,
	  { { ALIGNED, 3, 0, 0, 0 } }, 1, 0, 3, 0 },
	/* What no message can have: MSEO 01 after an end, 10 anywhere (NT 3.1). */
	{ "8 pins, MSEO 01 after the end", 8, "FF" A8 "05 FF" A8, A_BYTES "02ff" A_BYTES, HS_END,
	  { { ALIGNED, 1, 0, 0, 0 }, { LOST, 3, 2, 0, 0 }, { ALIGNED, 5, 0, 0, 0 } }, 3, 0, 3, 0 },
	{ "8 pins, MSEO 10", 8, "FF 0C 06 FF" A8, "0c" "02ff" A_BYTES, HS_END,
	  { { ALIGNED, 1, 0, 0, 0 }, { LOST, 2, 1, 0, 0 }, { ALIGNED, 4, 0, 0, 0 } }, 3, 0, 3, 0 },
	/* 3FF: either F3 and idle, or the end of a byte and FF; idle is certain after it. */
	{ "4 pins, MSEO 11 that is not idle", 4, "FFF" A4 "3F FFF" A4, A_BYTES "02ff" A_BYTES,
	  HS_END,
	  { { ALIGNED, 3, 0, 0, 1 }, { LOST, 7, 4, 0, 0 }, { ALIGNED, 12, 0, 0, 0 } }, 3, 8, 6, 0 },
	{ "2 pins, MSEO 10", 2, "3333333" "0300 2300" "3333333" A2, "0c" "02ff" A_BYTES, HS_END,
	  { { ALIGNED, 7, 0, 0, 3 }, { LOST, 11, 4, 0, 0 }, { ALIGNED, 22, 0, 0, 2 } }, 3, 0, 18,
	  0 },
	/* Ends. */
	{ "nothing", 1, "", "", HS_END, { { 0, 0, 0, 0, 0 } }, 0, 0, 0, 0 },
	{ "nothing but idle", 1, ONES1 "11", "", HS_END, { { 0, 0, 0, 0, 0 } }, 0, 2, 14, 0 },
	{ "nothing but zeros", 4, "0000000", "", HS_E_FRAMING, { { 0, 0, 0, 0, 0 } }, 0, 0, 7, 0 },
	{ "ends in a message", 8, "FF 0C", "0c", HS_E_TRUNCATED, { { ALIGNED, 1, 0, 0, 0 } }, 1, 0,
	  1, 0 },
	/* TCI, PIB Calibration Patterns, column Wire Sequence: begun anywhere, three periods. */
	{ "1 pin, calibration", 1,
	  "0101010110101010 00000000 11111111 0101010110101010 00000000 11111111"
	  "0101010110101010 00000000 11111111" ONES1 A1, A_BYTES, HS_END,
	  { { PATTERN, 96, 96, 0, 0 }, { ALIGNED, 110, 0, 0, 6 } }, 2, 0, 14, 96 },
	{ "2 pins, calibration", 2,
	  "1212121 0303 3030 21212121 0303 3030 21212121 0303 3030 2" "3333333" A2, A_BYTES, HS_END,
	  { { PATTERN, 48, 48, 0, 0 }, { ALIGNED, 55, 0, 0, 3 } }, 2, 0, 7, 48 },
	{ "4 pins, calibration", 4, "A5A50FF0 A5A50FF0 A5A50FF0" "FFF" A4, A_BYTES, HS_END,
	  { { PATTERN, 24, 24, 0, 0 }, { ALIGNED, 27, 0, 0, 1 } }, 2, 0, 3, 24 },
	/* The idle before it is a sample of the pattern too. */
	{ "8 pins, calibration after a message", 8, "FF" A8 "FF AA5500FF AA5500FF AA FF" A8,
	  A_BYTES "02ff" A_BYTES, HS_END,
	  { { ALIGNED, 1, 0, 0, 0 }, { PATTERN, 13, 10, 0, 0 }, { ALIGNED, 14, 0, 0, 0 } }, 3, 0, 2,
	  10 },
	{ "16 pins, calibration", 16, "AAAA 5555 0000 FFFF AAAA 5555 0000 FFFF" "FFFF" A16, A_BYTES,
	  HS_END,
	  { { PATTERN, 8, 8, 0, 0 }, { ALIGNED, 9, 0, 0, 0 } }, 2, 8, 0, 8 },
};

#define MOST 256

static unsigned digit(char c)
{
	return (unsigned)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
}

/* The samples of a row as bytes; for 16 pins two of them, the low one first. */
static size_t samples_of(const struct row *r, uint8_t *out)
{
	const unsigned digits = r->width < 4 ? 1 : r->width / 4;
	size_t n = 0;

	for (const char *p = r->samples; *p;) {
		unsigned v = 0;

		for (unsigned i = 0; i < digits; p++)
			if (*p != ' ') {
				v = v << 4 | digit(*p);
				i++;
			}
		out[n++] = (uint8_t)v;
		if (r->width == 16)
			out[n++] = (uint8_t)(v >> 8);
		while (*p == ' ')
			p++;
	}
	return n;
}

/* Idle fills the last byte. */
static size_t pack(uint8_t *samples, size_t n, unsigned width)
{
	const unsigned per = width >= 8 ? 1 : 8 / width;
	size_t bytes = 0;

	for (size_t i = 0; i < n; bytes++) {
		unsigned v = 0;

		for (unsigned k = 0; k < per; k++, i++)
			v |= (i < n ? samples[i] : (1u << width) - 1) << k * (width & 7);
		samples[bytes] = (uint8_t)v;
	}
	return bytes;
}

static size_t bytes_of(const char *hex, uint8_t *out)
{
	size_t n = 0;

	for (; *hex; hex += 2)
		out[n++] = (uint8_t)(digit(hex[0]) << 4 | digit(hex[1]));
	return n;
}

/* What a receiver said so far. */
struct seen {
	uint8_t bytes[MOST];
	size_t n;
	unsigned events;
};

static void note(struct seen *seen, const struct row *r, enum hs_status s,
                 const struct hs_pin_event *e)
{
	if (s != HS_OK)
		return;
	assert_true(seen->events < r->n);
	assert_int_equal(e->kind, r->events[seen->events].kind);
	assert_int_equal(e->sample, r->events[seen->events].sample);
	assert_int_equal(e->count, r->events[seen->events].count);
	assert_int_equal(e->offset, r->events[seen->events].offset);
	assert_int_equal(e->phase, r->events[seen->events].phase);
	seen->events++;
}

/* @p in an allocation of its own, so that a sanitizer sees over-reads. */
static void feed(struct hs_pin_receiver *rx, struct seen *seen, const struct row *r,
                 const uint8_t *p,
                 size_t n, size_t cap)
{
	uint8_t *copy = malloc(n + 1);
	struct hs_span in = { copy, n };
	struct hs_pin_event e;
	enum hs_status s;
	size_t len;

	memcpy(copy, p, n);
	do {
		s = hs_pin_receive(rx, &in, seen->bytes + seen->n, cap, &len, &e);
		note(seen, r, s, &e);
		seen->n += len;
	} while (s != HS_MORE);
	assert_int_equal(in.n, 0);
	free(copy);
}

static void receive(const struct row *r, unsigned format, const uint8_t *p, size_t n, size_t cut,
                    size_t cap)
{
	const struct hs_pin_config c = { .size = sizeof(c), .width = r->width,
	                                 .format = (uint8_t)format };
	struct seen seen = { .n = 0 };
	struct hs_pin_receiver rx;
	struct hs_pin_stats st;
	struct hs_pin_event e;
	uint8_t want[MOST];
	enum hs_status s;
	size_t len;

	assert_int_equal(hs_pin_receiver_init(&rx, &c), HS_OK);
	feed(&rx, &seen, r, p, cut, cap);
	feed(&rx, &seen, r, p + cut, n - cut, cap);
	do {
		s = hs_pin_receive_end(&rx, seen.bytes + seen.n, cap, &len, &e);
		note(&seen, r, s, &e);
		seen.n += len;
	} while (s == HS_OK || s == HS_FULL);
	assert_int_equal(s, r->end);
	assert_int_equal(seen.events, r->n);
	assert_int_equal(seen.n, bytes_of(r->bytes, want));
	assert_memory_equal(seen.bytes, want, seen.n);
	if (format == HS_PIN_PACKED && r->width < 8)
		return; /* the filled byte has more idle */
	hs_pin_receiver_get_stats(&rx, &st);
	assert_int_equal(st.idle_bits, r->idle_bits);
	assert_int_equal(st.skipped, r->skipped);
	assert_int_equal(st.calibration, r->calibration);
	assert_int_equal(st.samples, r->width == 16 ? n / 2 : n);
}

TEST_ROWS(every_cut, rows, r)
{
	uint8_t samples[MOST] = { 0 };
	size_t n = samples_of(r, samples);

	for (size_t cut = 0; cut <= n; cut++)
		receive(r, HS_PIN_BYTES, samples, n, cut, cut % 3 + 1);
	n = pack(samples, n, r->width);
	if (r->end != HS_END)
		return; /* the filled byte would change the end */
	for (size_t cut = 0; cut <= n; cut++)
		receive(r, HS_PIN_PACKED, samples, n, cut, cut % 3 + 1);
}

/* ---- sender --------------------------------------------------------------------- */

TEST(idle_inside_a_message)
{
	const struct hs_pin_config c = { .size = sizeof(c), .width = 4 };
	const uint8_t message[] = { 0x0c, 0x0f };
	struct hs_span in = { message, 1 };
	uint8_t out[8];
	struct hs_pin_sender s;
	uint64_t idle = 3;
	size_t len;

	assert_int_equal(hs_pin_sender_init(&s, &c), HS_OK);
	assert_int_equal(hs_pin_send(&s, &in, out, sizeof(out), &len), HS_MORE);
	assert_int_equal(hs_pin_idle(&s, &idle, out + len, sizeof(out) - len, &len), HS_E_ARG);
	assert_int_equal(idle, 3);
	in.n = 1;
	assert_int_equal(hs_pin_send(&s, &in, out, 1, &len), HS_FULL);
	assert_int_equal(out[0], 0xf);
	assert_int_equal(hs_pin_send(&s, &in, out, 1, &len), HS_OK);
	assert_int_equal(out[0], 0);
	assert_int_equal(hs_pin_idle(&s, &idle, out, 2, &len), HS_FULL);
	assert_int_equal(idle, 1);
	assert_int_equal(hs_pin_idle(&s, &idle, out + 2, 2, &len), HS_OK);
	assert_memory_equal(out, "\x0f\x0f\x0f", 3);
}

TEST(configurations_are_checked)
{
	static const struct { struct hs_pin_config c; enum hs_status want; } configs[] = {
		{ { .size = sizeof(struct hs_pin_config), .width = 1 }, HS_OK },
		{ { .size = sizeof(struct hs_pin_config), .width = 16, .format = HS_PIN_PACKED },
		  HS_OK },
		{ { .size = sizeof(struct hs_pin_config), .width = 3 }, HS_E_CONFIG },
		{ { .size = sizeof(struct hs_pin_config), .width = 0 }, HS_OK },
		{ { .size = sizeof(struct hs_pin_config), .width = 32 }, HS_E_CONFIG },
		{ { .size = sizeof(struct hs_pin_config), .width = 8, .format = 2 }, HS_E_CONFIG },
		{ { .size = sizeof(struct hs_pin_config), .width = 12 }, HS_E_CONFIG },
		{ { .size = 3, .width = 8 }, HS_E_CONFIG },
	};
	struct hs_pin_receiver rx;
	struct hs_pin_sender tx;

	for (size_t i = 0; i < sizeof(configs) / sizeof(*configs); i++) {
		assert_int_equal(hs_pin_receiver_init(&rx, &configs[i].c), configs[i].want);
		assert_int_equal(hs_pin_sender_init(&tx, &configs[i].c), configs[i].want);
	}
}

/* docs/library.md, "Structs that grow". */
TEST(configurations_grow)
{
	static const struct { uint32_t size; uint8_t width, tail; enum hs_status want; uint8_t pins;
	                      } sizes[] = {
		{ sizeof(struct hs_pin_config), 0, 0, HS_OK, 4 }, /* zeroed */
		{ 4, 8, 0, HS_OK, 4 },                             /* older: it has no width */
		{ 5, 8, 0, HS_OK, 8 },
		{ sizeof(struct hs_pin_config) + 4, 2, 0, HS_OK, 2 }, /* newer */
		{ sizeof(struct hs_pin_config) + 4, 2, 1, HS_E_CONFIG, 0 },
	};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct { struct hs_pin_config c; uint8_t more[4]; } given = {
			{ .size = sizes[i].size, .width = sizes[i].width }, { sizes[i].tail } };
		struct hs_pin_config c = { .width = 0 };
		struct hs_pin_receiver rx;

		assert_int_equal(hs_pin_config_resolve(&given.c, &c), sizes[i].want);
		assert_int_equal(hs_pin_receiver_init(&rx, &given.c), sizes[i].want);
		assert_int_equal(c.width, sizes[i].pins);
	}
}

/* The first sample is known to be idle or to begin a message. */
TEST(starts_idle)
{
	const struct hs_pin_config c = { .size = sizeof(c), .width = 4, .starts_idle = 1 };
	const uint8_t samples[] = { 0xc, 0, 0xf, 0 };
	struct hs_span in = { samples, 4 };
	struct hs_pin_receiver rx;
	struct hs_pin_event e;
	uint8_t out[8];
	size_t len;

	assert_int_equal(hs_pin_receiver_init(&rx, &c), HS_OK);
	assert_int_equal(hs_pin_receive(&rx, &in, out, 8, &len, &e), HS_MORE);
	assert_int_equal(hs_pin_receive_end(&rx, out, 8, &len, &e), HS_OK);
	assert_int_equal(e.kind, HS_PIN_ALIGNED);
	assert_int_equal(e.sample, 0);
	assert_int_equal(hs_pin_receive_end(&rx, out, 8, &len, &e), HS_END);
	assert_int_equal(len, 2);
	assert_memory_equal(out, "\x0c\x0f", 2);
	in = (struct hs_span){ samples, 4 };
	assert_int_equal(hs_pin_receive(&rx, &in, out, 0, &len, &e), HS_E_SPACE);
	assert_int_equal(in.n, 4);
}

/* ---- circular buffers ------------------------------------------------------------ */

/* ProgTraceSync 24 15 00 0b, DirectBranch 0c 0f, ProgTraceCorrelation 84 00 07. */
static const struct ring_row {
	const char *name, *buffer;
	bool found;
	uint64_t begin, end;
	size_t partial;
	unsigned src_bits;
} rings[] = {
	/* The stream 2415000b 0c0f 2415000b 0c0f 840007 in 12 bytes: its first 3 are gone, the
	 * write pointer is 3, and 0b is what is left of the first message. */
	{ "wrapped, the oldest message is cut", "840007" "0b" "0c0f" "2415000b" "0c0f", true, 4, 3,
	  3, 0 },
	/* The same, padded with idle to whole words. */
	{ "wrapped, padded", "840007ff" "000b" "0c0f" "2415000b" "0c0fffff", true, 6, 4, 3, 0 },
	/* The newest message is cut too, after 0c; 0d 0d 0b are three fields of an old one, and
	 * DirectBranch has two at most. */
	{ "wrapped in a message", "0f2415000b" "0c" "0d0d0b" "0c0f" "0c", true, 9, 5, 1, 0 },
	/* The write pointer, 3, is between two messages, but trace cannot go on with 0c 0f. */
	{ "wrapped between messages", "840007" "0c0f" "2415000b" "0c0f", true, 3, 3, 3, 0 },
	{ "wrapped between messages, after the first", "0c0f840007" "0c0f" "2415000b", true, 5, 5,
	  2, 0 },
	{ "trace stopped and started again", "0c0f840007" "2415000b" "0c0f", false, 0, 11, 2, 0 },
	{ "not wrapped", "2415000b" "0c0f" "840007", false, 0, 9, 4, 0 },
	/* A reserved TCODE, 40: nobody sends it. */
	{ "wrapped, the rest looks like a message", "2415000b0c0f" "a003" "2415000b" "0c0f", true,
	  8, 6, 4, 0 },
	{ "vendor's messages are no seam", "2415000b" "e003" "0c0f", false, 0, 8, 4, 0 },
	{ "damaged at two places", "840007" "0b" "0c0f" "0b" "0c0f", false, 0, 9, 3, 0 },
	{ "zeros", "00000000", false, 0, 4, 4, 0 },
	{ "nothing", "", false, 0, 0, 0, 0 },
	/* SRC of 6 bits after TCODE: 04 is source 1, 08 source 2. */
	{ "wrapped between messages of one source", "84040007" "0c040f" "240415000b" "0c040f", true,
	  4, 4, 4, 6 },
	{ "two sources stopped", "84040007" "84080007" "0c080f" "0c040f" "240415000b", true, 8, 8,
	  4, 6 },
	/* What is between may be of the newest or of the oldest messages. */
	{ "one source stopped, another says nothing", "84040007" "0c080f" "0c040f" "240415000b",
	  true, 7, 4, 4, 6 },
	{ "one source stopped, another goes on", "240415000b" "84040007" "0c080f", false, 0, 12, 5,
	  6 },
};

TEST_ROWS(find_seam, rings, r)
{
	uint8_t buffer[MOST] = { 0 };
	const size_t n = bytes_of(r->buffer, buffer);
	struct hs_span rest = { buffer, n };
	struct hs_ring ring;

	hs_ring_find(&rest, r->src_bits, &ring);
	assert_int_equal(ring.found, r->found);
	assert_int_equal(ring.begin, r->begin);
	assert_int_equal(ring.end, r->end);
	assert_int_equal(hs_ring_skip_partial(&rest), n > 0 && (buffer[r->partial - 1] & 3) == 3);
	assert_ptr_equal(rest.p, buffer + r->partial);
}
