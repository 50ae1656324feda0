/* Circular buffers (TCI, trRamWrap): where they begin. */
#include <hartscope/ntrace.h>

#include "core/mem.h"
#include "ntrace/ntrace.h"
#include "transport/pins.h"
#include "transport/transport.h"

#define SOURCES 4096u /* SRC has 12 bits at most (NT 6.2) */

bool hs_ring_skip_partial(struct hs_span *in)
{
	bool ended = false;

	for (; in->n && !ended; in->p++, in->n--)
		ended = PIN_MSEO(*in->p) == PIN_MSEO_END;
	return ended;
}

/* Could an encoder have sent this message?  Vendors have TCODE 56 to 62 (NT 6.1). */
static bool is_possible(enum hs_status s, const struct hs_nt_msg *m)
{
	return s == HS_OK && (m->known || (m->tcode >= 56 && m->tcode <= 62));
}

/* A walk through the buffer in the order of its addresses. */
struct walk {
	struct hs_nt_reader reader;
	struct hs_span in;
	uint8_t stopped[SOURCES / 8]; /* a ProgTraceCorrelation was the source's last message */
	uint64_t newest;              /* the end of the last one */
};

/* Note whether its source stopped with it.  @return  Had it stopped before? */
static bool note_stop(struct walk *w, const struct hs_nt_msg *m)
{
	uint8_t *byte = &w->stopped[m->src % SOURCES / 8];
	const uint8_t bit = (uint8_t)(1u << m->src % 8);
	const bool stopped = *byte & bit;

	*byte &= (uint8_t)~bit;
	if (m->tcode == HS_NT_PROG_TRACE_CORRELATION) {
		*byte |= bit;
		w->newest = m->offset + m->length;
	}
	return stopped;
}

/* After a ProgTraceCorrelation trace starts again with a ProgTraceSync (NT 7.5, 7.12).  A message
 * that cannot follow one is older: the last ProgTraceCorrelation is one of the newest messages. */
static bool cannot_follow(struct walk *w, const struct hs_nt_msg *m)
{
	const uint64_t newest = w->newest;
	const bool stopped = note_stop(w, m);

	if (stopped)
		w->newest = newest;
	switch (m->tcode) {
	case HS_NT_DIRECT_BRANCH: case HS_NT_INDIRECT_BRANCH: case HS_NT_RESOURCE_FULL:
	case HS_NT_INDIRECT_BRANCH_HIST:
	case HS_NT_REPEAT_BRANCH:
	case HS_NT_PROG_TRACE_CORRELATION:
		return stopped;
	default:
		return false;
	}
}

/* A place where a message cannot follow the one before it. */
struct wrap {
	uint64_t end;   /* of the message before it */
	uint64_t begin; /* of the first whole message after it */
	uint8_t evidence;
};

/* Find the next wrap point; false: there is none. */
static bool find_wrap(struct walk *w, struct wrap *wrap)
{
	struct hs_nt_reader *r = &w->reader;
	struct hs_nt_msg m;
	enum hs_status s;

	do {
		s = hs_nt_read(r, &w->in, &m);
		if (s == HS_OK && cannot_follow(w, &m)) {
			*wrap = (struct wrap){ w->newest, m.offset, HS_RING_STOP };
			memset(w->stopped, 0, sizeof(w->stopped)); /* they are older, too */
			return true;
		}
	} while (is_possible(s, &m));
	struct hs_span rest = w->in;

	if (r->skipping)
		hs_ring_skip_partial(&rest);
	*wrap = (struct wrap){ m.offset, r->offset + (w->in.n - rest.n), HS_RING_FRAMING };
	memset(w->stopped, 0, sizeof(w->stopped));
	return s != HS_MORE;
}

void hs_ring_find(const struct hs_span *buffer, unsigned src_bits, struct hs_ring *ring)
{
	struct walk w = { .in = *buffer };
	struct hs_span whole = *buffer;
	struct wrap first, second;
	struct hs_nt_msg m;

	*ring = (struct hs_ring){ .end = buffer->n };
	hs_ring_skip_partial(&whole);
	const size_t skipped = buffer->n - whole.n;

	/* The first message may be the rest of one: it counts only when it is a whole one itself.
	 */
	w.in.n = skipped;
	hs_nt_reader_init(&w.reader, src_bits);
	if (hs_nt_read(&w.reader, &w.in, &m) == HS_OK)
		cannot_follow(&w, &m);
	w.newest = 0; /* counted from there on */
	w.in = whole;
	hs_nt_reader_init(&w.reader, src_bits);
	if (!find_wrap(&w, &first))
		return;
	for (ring->places = 1; find_wrap(&w, &second);)
		ring->places++;
	if (ring->places > 1)
		return;
	ring->begin = skipped + first.begin;
	ring->end = skipped + first.end;
	ring->found = true;
	ring->evidence = first.evidence;
}
