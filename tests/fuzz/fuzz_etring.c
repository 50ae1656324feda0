/* Any bytes are a circular buffer of E-Trace, in every framing: the search for its seam ends, with
 * places that are in the buffer, and finds the same again.  Input: flags, two bytes of parameters,
 * a write pointer, the buffer. */
#include "etrace/etrace_ring.h"
#include "fuzz.h"

#define HEAD 4u

static void check(const struct hs_ring *ring, size_t n)
{
	fuzz_must(ring->begin <= n && ring->end <= n);
	fuzz_must(ring->found || (ring->begin == 0 && ring->end == n && !ring->certain));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hs_et_config c = { .size = sizeof c };
	struct hs_ring ring, again;

	if (size < HEAD || hs_et_config_dialect(&c, data[0] % HS_ET_DIALECT_COUNT) != HS_OK)
		return 0;
	c.options = data[1] & 63;
	c.src_bits = data[2] % 17;
	c.tstamp_bytes = data[2] >> 5;
	c.time = data[1] >> 7;
	if (hs_et_config_check(&c) != HS_OK)
		c.options = c.src_bits = c.tstamp_bytes = c.time = 0;
	const struct hs_span all = { data + HEAD, size - HEAD };
	const enum hs_status s = hs_et_ring_find(&all, &c, &ring);

	fuzz_must(s == HS_OK || s == HS_E_CONFIG);
	if (s != HS_OK)
		return 0;
	check(&ring, all.n);
	fuzz_must(hs_et_ring_find(&all, &c, &again) == HS_OK);
	fuzz_must(again.begin == ring.begin && again.end == ring.end &&
	          again.evidence == ring.evidence && again.places == ring.places);
	if (hs_et_ring_begin(&all, &c, data[3], &ring) == HS_OK)
		check(&ring, all.n);
	return 0;
}

/* Packets of the standard encapsulation and with indexes, around an end. */
size_t fuzz_seed(unsigned i, uint8_t *out, size_t cap)
{
	static const uint8_t plain[] = { 0x42, 0x2e, 0x05, 0x43, 0x77, 0x20, 0x08, 0x00, 0x41,
		                         0x1f };
	size_t n = HEAD;

	if (i > 1 || cap < 1200)
		return 0;
	for (unsigned k = 0; k < HEAD; k++)
		out[k] = 0;
	out[0] = i ? HS_ET_DIALECT_ESP32 : 0;
	out[3] = 77;
	for (unsigned k = 0; n < 1100; k++) {
		const unsigned index = (k + 60) % 100;

		if (i) {
			out[n++] = 4;
			out[n++] = (uint8_t)index;
			out[n++] = 0;
			out[n++] = 0x1f;
			continue;
		}
		for (unsigned b = 0; b < sizeof plain; b++)
			out[n++] = plain[b];
	}
	return n;
}
