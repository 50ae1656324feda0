/* The wrap point of a circular buffer: packets at any place of it. */
#include "etrace/ring.h"

#include "core/mem.h"
#include "etrace/etrace.h"

#define ROUNDS 64u

const uint8_t *et_ring_bytes(struct et_ring *g, uint64_t d)
{
	const uint64_t at = et_ring_wrap(g->origin + d, g->buffer.n);
	size_t n = 0;

	if (g->buffer.n - at >= HS_ET_PACKET_MAX)
		return g->buffer.p + at;
	for (uint64_t from = at; n < HS_ET_PACKET_MAX; from = 0) {
		const uint64_t left = g->buffer.n - from, room = sizeof g->joined - n;
		const size_t piece = (size_t)(left < room ? left : room);

		memcpy(g->joined + n, g->buffer.p + from, piece);
		n += piece;
	}
	return g->joined;
}

/* May this byte be a null packet (EE Null Encapsulation)? */
static bool is_null(const struct hs_et_resolved *c, unsigned byte)
{
	if (et_encapsulated(c->wire.frame))
		return (byte & 0x7f) == 0;
	return byte == 0 &&
	       (c->wire.frame == HS_ET_FRAME_MESSAGE || c->wire.frame == HS_ET_FRAME_INDEXED);
}

/* The bytes of a packet, as its frame says; 0: no frame begins so. */
static unsigned frame_at(const struct et_ring *g, const uint8_t *p)
{
	const struct hs_et_resolved *c = &g->reader.config;

	if (c->wire.frame == HS_ET_FRAME_INDEXED)
		return et_indexed_begins(p[0]) ? p[0] : 0;
	if (et_names_source(c->wire.frame) &&
	    ((p[0] & 31) == 0 || ((p[0] & 0x80) && !c->tstamp_bytes)))
		return 0;
	return et_framed_bytes(c, p[0]);
}

/* Values that the texts do not have (ET Table priv), and types that this trace does not have: any
 * bytes could be their payload. */
static bool is_possible(const struct hs_et_resolved *c, const struct hs_et_packet *p)
{
	const uint64_t priv = p->field[HS_ETF_PRIVILEGE];

	if (p->form == HS_ET_FORM_OTHER)
		return c->data_trace && et_has_data_type(c) && p->type == c->wire.type_data;
	if (c->version == HS_ET_0_026 || c->wire.machine != 3 || !hs_et_has(p, HS_ETF_PRIVILEGE))
		return true;
	return priv != 2 && priv != 7;
}

/* ---- what packets have in common ------------------------------------------------------- */

#define RARE 64u /* one packet of so many */

/* Its last byte only repeats the bit before, and no source or type makes it necessary. */
static bool is_longer(const struct et_ring *g, const uint8_t *bytes, unsigned n)
{
	const struct hs_et_resolved *c = &g->reader.config;
	const unsigned padding = c->wire.padding;
	const bool stamp = et_names_source(c->wire.frame) && bytes[0] & 0x80;

	if (c->wire.frame == HS_ET_FRAME_BARE || n < 3 + et_frame_bits(c, stamp) / 8 ||
	    (c->src_bits + c->wire.type_bits) % 8 ||
	    (padding != HS_ET_PADDING_SIGN && padding != HS_ET_PADDING_BYTES))
		return false;
	return bytes[n - 1] == (bytes[n - 2] & 0x80 ? 0xff : 0);
}

static unsigned flow_of(const struct et_ring *g, const uint8_t *bytes)
{
	return et_encapsulated(g->reader.config.wire.frame) ? bytes[0] >> 5 & 3 : 0;
}

static bool is_rare(uint64_t n, uint64_t packets)
{
	return n * RARE < packets;
}

void et_ring_count(struct et_ring *g, const struct hs_et_packet *p)
{
	const uint8_t *bytes = et_ring_bytes(g, p->offset);

	g->count.packets++;
	g->count.flows[flow_of(g, bytes)]++;
	g->count.longer += is_longer(g, bytes, p->length);
	g->count.foreign += p->form == HS_ET_FORM_OTHER;
}

/* Is it unlike all others?  Before they are counted, none is. */
static bool is_odd(const struct et_ring *g, const uint8_t *bytes, unsigned n,
                   const struct hs_et_packet *p)
{
	const struct et_ring_count *c = &g->common;

	return is_rare(c->flows[flow_of(g, bytes)], c->packets) ||
	       (p->form == HS_ET_FORM_OTHER && is_rare(c->foreign, c->packets)) ||
	       (is_longer(g, bytes, n) && is_rare(c->longer, c->packets));
}

/* ---- packets at any place -------------------------------------------------------------- */

unsigned et_ring_packet(struct et_ring *g, uint64_t d, struct hs_et_packet *p)
{
	const struct hs_et_resolved *c = &g->reader.config;
	const uint8_t *bytes = et_ring_bytes(g, d);
	struct hs_span in = { bytes, HS_ET_PACKET_MAX };
	unsigned n;

	if (is_null(c, bytes[0])) {
		p->form = HS_ET_FORMS;
		return 1;
	}
	if (c->wire.frame == HS_ET_FRAME_BARE) {
		g->reader.held = 0;
		if (hs_et_read(&g->reader, &in, p) != HS_OK)
			return 0;
		return (unsigned)(HS_ET_PACKET_MAX - in.n);
	}
	n = frame_at(g, bytes);
	if (!n || n > g->longest)
		return 0;
	const enum hs_status s = et_read_whole(&g->reader, bytes, n, HS_ET_PACKET_MAX, p);

	if (s != HS_OK || !is_possible(c, p) || is_odd(g, bytes, n, p))
		return 0;
	if (c->wire.frame == HS_ET_FRAME_INDEXED)
		p->index = (uint16_t)(bytes[1] | bytes[2] << 8);
	return n;
}

uint64_t et_ring_claim(struct et_ring *g, uint64_t d)
{
	const bool bare = g->reader.config.wire.frame == HS_ET_FRAME_BARE;
	const unsigned n = bare ? 0 : frame_at(g, et_ring_bytes(g, d));

	return d + (n && n <= g->longest ? n : g->longest);
}

uint64_t et_ring_agree(struct et_ring *g, uint64_t from)
{
	struct hs_et_packet p;
	bool open[ET_RING_WINDOW];
	unsigned left = 0;
	uint64_t at = from;

	for (const uint64_t end = from + (uint64_t)ROUNDS * g->longest; at < end; at++) {
		if (left == 0) {
			memset(open, 0, sizeof open);
			for (; left < g->longest; left++)
				open[(at + left) % ET_RING_WINDOW] = true;
		}
		if (!open[at % ET_RING_WINDOW])
			continue;
		if (left == 1)
			return at;
		const uint64_t next = at + et_ring_packet(g, at, &p);

		open[at % ET_RING_WINDOW] = false;
		left--;
		if (next != at && !open[next % ET_RING_WINDOW]) {
			open[next % ET_RING_WINDOW] = true;
			left++;
		}
	}
	return ET_RING_NONE;
}

enum et_ring_step et_ring_next(struct et_ring_walk *w, struct hs_et_packet *p)
{
	if (w->at >= w->g->buffer.n)
		return ET_RING_END;
	const unsigned n = et_ring_packet(w->g, w->at, p);

	if (n) {
		p->offset = w->at;
		w->at += n;
		return p->form == HS_ET_FORMS ? ET_RING_NULL : ET_RING_PACKET;
	}
	p->offset = w->at;
	w->at = et_ring_agree(w->g, et_ring_claim(w->g, w->at));
	return ET_RING_BAD;
}
