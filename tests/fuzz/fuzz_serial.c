/* Any samples are those of one pin: the receiver ends, says the same however they are cut, and
 * counts them.  Input: mode and packing, period, piece size, samples. */
#include <hartscope/transport.h>

#include "transport/serial.h"
#include "transport/transport.h"
#include "fuzz.h"
#include "outcome.h"

#define ROOM 5

static struct outcome receive(const struct hs_serial_config *c, const uint8_t *p, size_t n,
                              size_t piece)
{
	struct outcome o = OUTCOME_START;
	struct hs_serial_receiver r;
	enum hs_status s = HS_OK;
	uint8_t out[ROOM];
	size_t at = 0, len;

	fuzz_must(hs_serial_receiver_init(&r, c) == HS_OK);
	while (s != HS_END) {
		struct hs_span in = { p + at, n - at < piece ? n - at : piece };
		const size_t before = in.n;

		s = in.n ? hs_serial_receive(&r, &in, out, ROOM, &len)
		         : hs_serial_receive_end(&r, out, ROOM, &len);
		fuzz_must(s == HS_MORE || s == HS_FULL || s == HS_E_FRAMING || s == HS_END);
		fuzz_must(s != HS_MORE || in.n == 0);
		fuzz_must(len <= ROOM);
		outcome_note(&o, out, len);
		if (s == HS_E_FRAMING)
			outcome_note(&o, &s, sizeof s);
		at += before - in.n;
	}
	fuzz_must(r.samples == (c->packed ? 8 * n : n) && r.bytes <= r.samples);
	return o;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 4)
		return 0;
	struct hs_serial_config c = { .size = sizeof c, .mode = data[0] & 1,
		                      .packed = data[0] >> 1 & 1 };

	c.period = data[1] ? HS_SERIAL_PERIOD_MIN + 62u * data[1] : 0;
	const struct outcome whole = receive(&c, data + 3, size - 3, size);
	const struct outcome cut = receive(&c, data + 3, size - 3, 1u + data[2]);

	fuzz_must(whole.hash == cut.hash);
	return 0;
}

size_t fuzz_seed(unsigned i, uint8_t *data, size_t size)
{
	const struct hs_serial_config c = { .size = sizeof c, .mode = i & 1, .packed = i >> 1 & 1,
		                            .period = HS_SERIAL_PERIOD_MIN + 62 * 20 };
	struct hs_serial_sender s;
	size_t n = 3;

	if (i > 7 || size < 8 * HS_SERIAL_ROOM)
		return 0;
	data[0] = (uint8_t)(i & 3);
	data[1] = i & 4 ? 0 : 20;
	data[2] = 9;
	fuzz_must(hs_serial_sender_init(&s, &c) == HS_OK);
	n += hs_serial_idle(&s, 16, data + n);
	for (unsigned k = 0; k < 4; k++)
		n += hs_serial_send(&s, (uint8_t)(0x0c + k), k == 0, k == 3, data + n);
	return n + hs_serial_idle(&s, 16, data + n);
}
