/* Any samples are a pin capture: the receiver ends, says the same however they are cut, and loses
 * none of them in its counters.  Any bytes are a circular buffer.  Input: width, format and
 * framing, piece size and bytes of a header, samples. */
#include <hartscope/transport.h>

#include "fuzz.h"
#include "outcome.h"
#include "transport/transport.h"

#define ROOM 7

static void note(struct outcome *o, enum hs_status s, const uint8_t *out, size_t len,
                 const struct hs_pin_event *e)
{
	fuzz_must(len <= ROOM);
	outcome_note(o, out, len);
	if (s == HS_OK)
		outcome_note(o, e, sizeof(*e));
}

static struct outcome receive(const struct hs_pin_config *c, const uint8_t *p, size_t n,
                              size_t piece)
{
	struct outcome o = OUTCOME_START;
	struct hs_pin_receiver rx;
	struct hs_pin_stats st;
	struct hs_pin_event e;
	uint8_t out[ROOM];
	size_t len;
	enum hs_status s;

	fuzz_must(hs_pin_receiver_init(&rx, c) == HS_OK);
	for (size_t at = 0; at < n;) {
		const size_t left = n - at < piece ? n - at : piece;
		struct hs_span in = { p + at, left };

		s = hs_pin_receive(&rx, &in, out, ROOM, &len, &e);
		fuzz_must(s <= HS_FULL && in.n <= left && in.p + in.n == p + at + left);
		fuzz_must((s != HS_MORE || in.n == 0) && (in.n < left || len || s == HS_OK));
		note(&o, s, out, len, &e);
		at += left - in.n;
	}
	do {
		s = hs_pin_receive_end(&rx, out, ROOM, &len, &e);
		note(&o, s, out, len, &e);
	} while (s == HS_OK || s == HS_FULL);
	fuzz_must(s == HS_END || s == HS_E_TRUNCATED || s == HS_E_FRAMING);
	hs_pin_receiver_get_stats(&rx, &st);
	const uint64_t per = c->format == HS_PIN_PACKED && c->width < 8 ? 8 / c->width : 1;

	fuzz_must(st.samples == (c->width == 16 ? n / 2 : n * per));
	fuzz_must(st.skipped + st.calibration <= st.samples);
	fuzz_must(st.losses <= st.alignments && st.alignments <= st.losses + st.calibration + 1);
	outcome_note(&o, &st, sizeof(st));
	outcome_note(&o, &s, sizeof(s));
	return o;
}

static void ring(const uint8_t *p, size_t n)
{
	struct hs_span rest = { p, n };
	struct hs_ring found;

	hs_ring_find(&rest, 0, &found);
	fuzz_must(found.begin <= n && found.end <= n && (found.found || found.begin == 0));
	fuzz_must(!found.found || found.end <= found.begin);
	fuzz_must((hs_ring_skip_partial(&rest) || rest.n == 0) && rest.p + rest.n == p + n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 2)
		return 0;
	const uint8_t headers = data[0] >> 5 & 1;
	const struct hs_pin_config c = {
		.size = sizeof(c),
		.width = (uint8_t)(1u << (data[0] & 31) % 5),
		.format = data[0] >> 6 & 1,
		.starts_idle = data[0] >> 7,
		.headers = headers,
		.src_bytes = headers ? data[1] >> 5 & 1 : 0,
		.tstamp_bytes = headers ? data[1] >> 6 : 0,
	};
	const struct outcome whole = receive(&c, data + 2, size - 2, size);
	const struct outcome pieces = receive(&c, data + 2, size - 2, 1 + data[1] % 31);

	fuzz_must(whole.hash == pieces.hash);
	ring(data + 2, size - 2);
	return 0;
}

size_t fuzz_seed(unsigned i, uint8_t *data, size_t size)
{
	/* ProgTraceSync, DirectBranch, ProgTraceCorrelation (NT 7). */
	static const uint8_t stream[] = { 0x24, 0x15, 0x00, 0x0b, 0x0c, 0x0f, 0x84, 0x00, 0x07 };
	/* A packet of the encapsulation, after its synchronisation sequence. */
	static const uint8_t packets[] = { 0x02, 0x7e, 0x81, 0x01, 0x12 };
	const bool headers = i >= 10;
	const struct hs_pin_config c = { .size = sizeof(c),
		                         .width = (uint8_t)(1u << i % 5),
		                         .format = i & 1,
		                         .headers = headers };
	struct hs_pin_sender s;
	struct hs_span in = headers ? (struct hs_span){ packets, sizeof(packets) }
				    : (struct hs_span){ stream, sizeof(stream) };
	uint64_t idle = headers ? 8 * 32 / (c.width > 8 ? 8 : c.width) : 16;
	size_t n = 2, len;

	if (i >= 20 || size < 512)
		return 0;
	data[0] = (uint8_t)(i % 5 | headers << 5 | (i & 1) << 6);
	data[1] = (uint8_t)i;
	fuzz_must(hs_pin_sender_init(&s, &c) == HS_OK);
	while (in.n) {
		fuzz_must(hs_pin_idle(&s, &idle, data + n, size - n, &len) == HS_OK);
		n += len;
		fuzz_must(hs_pin_send(&s, &in, data + n, size - n, &len) == HS_OK);
		n += len;
		idle = 3 * i;
	}
	fuzz_must(hs_pin_sender_end(&s, data + n, size - n, &len) == HS_OK);
	return n + len;
}
