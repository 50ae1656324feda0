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

/* A walk through the buffer as it lies. */
struct walk {
	struct hs_nt_reader reader;
	struct hs_span in;
	bool stopped; /* a ProgTraceCorrelation was the last message of the only source */
};

/* After a ProgTraceCorrelation trace starts again with a ProgTraceSync (NT 7.5, 7.12): it was the
 * newest message, and what goes on is old. */
static bool goes_on(struct walk *w, const struct hs_nt_msg *m)
{
	const bool stopped = w->stopped;

	w->stopped = m->tcode == HS_NT_PROG_TRACE_CORRELATION && w->reader.src_bits == 0;
	switch (m->tcode) {
	case HS_NT_DIRECT_BRANCH: case HS_NT_INDIRECT_BRANCH: case HS_NT_RESOURCE_FULL:
	case HS_NT_INDIRECT_BRANCH_HIST: case HS_NT_REPEAT_BRANCH: case HS_NT_PROG_TRACE_CORRELATION:
		return stopped;
	default:
		return false;
	}
}

/* The next place where the buffer cannot go on: where what comes before ends, and where what comes
 * after begins. */
static bool next_fault(struct walk *w, uint64_t *from, uint64_t *to)
{
	struct hs_nt_reader *r = &w->reader;
	struct hs_nt_msg m;
	enum hs_status s;
	bool whole;

	do {
		s = hs_nt_read(r, &w->in, &m);
		if (s == HS_OK && goes_on(w, &m)) {
			*from = *to = m.offset;
			return true;
		}
	} while (possible(s, &m));
	*from = m.offset;
	*to = r->offset + (r->skipping ? hs_ring_partial(w->in.p, w->in.n, &whole) : 0);
	w->stopped = false;
	return s != HS_MORE;
}

void hs_ring_find(const uint8_t *buffer, size_t n, unsigned src_bits, struct hs_ring *ring)
{
	struct walk w = { .stopped = false };
	struct hs_nt_msg m;
	uint64_t from, to, ignored;
	bool whole;

	*ring = (struct hs_ring){ .end = n };
	const size_t skip = hs_ring_partial(buffer, n, &whole);

	/* The first message may be the rest of one: only if it is one, it says something. */
	hs_nt_reader_init(&w.reader, src_bits);
	w.in = (struct hs_span){ buffer, skip };
	if (hs_nt_read(&w.reader, &w.in, &m) == HS_OK)
		goes_on(&w, &m);
	hs_nt_reader_init(&w.reader, src_bits);
	w.in = (struct hs_span){ buffer + skip, n - skip };
	if (!next_fault(&w, &from, &to) || next_fault(&w, &ignored, &ignored))
		return;
	*ring = (struct hs_ring){ .begin = skip + to, .end = skip + from, .found = true };
}
