/* Circular buffers (TCI, trRamWrap): where they begin. */
#include <hartscope/ntrace.h>

#include "transport/pins.h"

size_t hs_ring_partial(const uint8_t *p, size_t n, bool *whole)
{
	for (size_t i = 0; i < n; i++) {
		if (PIN_MSEO(p[i]) == PIN_MSEO_END) {
			*whole = true;
			return i + 1;
		}
	}
	*whole = false;
	return n;
}

/* Could an encoder have sent it?  Vendors have TCODE 56 to 62 (NT 6.1). */
static bool possible(enum hs_status s, const struct hs_nt_msg *m)
{
	return s == HS_OK && (m->known || (m->tcode >= 56 && m->tcode <= 62));
}

/* The next place that is no message: its first byte and the one after it. */
static bool next_fault(struct hs_nt_reader *r, struct hs_span *in, uint64_t *from, uint64_t *to)
{
	struct hs_nt_msg m;
	enum hs_status s;
	bool whole;

	do
		s = hs_nt_read(r, in, &m);
	while (possible(s, &m));
	*from = m.offset;
	*to = r->offset + (r->skipping ? hs_ring_partial(in->p, in->n, &whole) : 0);
	return s != HS_MORE;
}

void hs_ring_find(const uint8_t *buffer, size_t n, unsigned src_bits, struct hs_ring *ring)
{
	struct hs_nt_reader r;
	struct hs_span in;
	uint64_t from, to, ignored;
	bool whole;

	*ring = (struct hs_ring){ .end = n };
	const size_t skip = hs_ring_partial(buffer, n, &whole);

	hs_nt_reader_init(&r, src_bits);
	in = (struct hs_span){ buffer + skip, n - skip };
	if (!next_fault(&r, &in, &from, &to) || next_fault(&r, &in, &ignored, &ignored))
		return;
	*ring = (struct hs_ring){ .begin = skip + to, .end = skip + from, .found = true };
}
