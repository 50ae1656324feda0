/* The wrap point of a circular buffer (TCI, trRamWrap): between which packets it is.
 *
 * A buffer that has wrapped begins in the middle of a packet, at a byte that nothing names. Packets
 * are followed once around, from a place at which all ways of reading agree; the wrap point shows
 * by a packet that cannot follow the one before it (ring_evidence.c): a time that goes back, a
 * start after a start.  Example: with the newest packet cut at byte 1,000, bytes that read as
 * packets but are none follow it; the wrap point is between the last packet before them and the
 * first place after them where all ways of reading agree again.
 *
 * Invariants: places are distances from an origin that is far from the wrap point.  If more than
 * one place looks like the wrap point and no order of packets says which, there is no answer.
 */
#include "etrace/ring.h"

#include "core/mem.h"
#include "etrace/etrace.h"
#include "etrace/etrace_ring.h"

#define BACK 1024u /* bytes before what is no packet in which all ways of reading may agree */
#define STARTS \
	4u /* places from which the buffer is walked around, until one is far from the wrap point */

#define ORDER (HS_RING_STOP | HS_RING_TIME | HS_RING_INDEX)

static unsigned longest_packet(const struct hs_et_resolved *c)
{
	const unsigned type = c->type_widths ? 8 : c->wire.type_bits;
	const unsigned frame = 1 + (et_frame_bits(c, true) + type + 7) / 8;
	const unsigned bits = et_longest_bits(c);

	if (c->wire.frame == HS_ET_FRAME_INDEXED)
		return HS_ET_PAYLOAD_MAX;
	return frame +
	       (c->data_trace && et_has_data_type(c) ? HS_ET_PAYLOAD_MAX : (bits + 7) / 8 + 1);
}

/* ---- the end of the newest -------------------------------------------------------------- */

/* The first place from which packets, none of which is on the walk, lead to @begin: the oldest
 * packet is there, or later.  Before so many places that lead nowhere as a packet is long none
 * does. */
static uint64_t first_other(struct et_ring *g, uint64_t begin)
{
	bool leads[ET_RING_WINDOW] = { false };
	struct hs_et_packet p;
	uint64_t first = begin;

	leads[begin % ET_RING_WINDOW] = true;
	for (uint64_t d = begin; d-- > 0 && first - d <= HS_ET_PACKET_MAX;) {
		const uint64_t n = et_ring_packet(g, d, &p);

		leads[d % ET_RING_WINDOW] = n && d + n <= begin && leads[(d + n) % ET_RING_WINDOW];
		if (leads[d % ET_RING_WINDOW])
			first = d;
	}
	return first;
}

/* The last place of the walk, at or before @d, where a packet ends. */
static uint64_t last_before(struct et_ring *g, uint64_t d)
{
	struct et_ring_walk w;
	struct hs_et_packet p;
	uint64_t last = 0;

	memset(&w, 0, sizeof w);
	w.g = g;
	while (w.at <= d) {
		last = w.at;
		if (et_ring_next(&w, &p) == ET_RING_END)
			break;
	}
	return last;
}

/* Packets do not continue: the oldest one begins at or before *high, and the newest one ends at or
 * after *low. */
static bool between_packets(struct et_ring *g, const struct et_ring_place *p, uint64_t *low,
                            uint64_t *high)
{
	const uint64_t begin = et_ring_agree(g, p->bad_end);

	if (begin == ET_RING_NONE)
		return false;
	const uint64_t other = first_other(g, begin);
	const uint64_t longest = g->longest, end = other > longest ? other - longest : 0;

	*low = last_before(g, end < p->bad ? end : p->bad);
	*high = begin;
	return true;
}

/* ---- the choice ------------------------------------------------------------------------ */

/* The place, where there is one: the only one, or the only one that the order of packets shows. */
static const struct et_ring_place *choose(const struct et_ring_walk *w)
{
	const struct et_ring_place *ordered = NULL;
	unsigned n = 0;

	if (w->count > ET_RING_PLACES)
		return NULL;
	for (unsigned i = 0; i < w->count; i++) {
		if (w->count > 1 && !(w->places[i].evidence & ORDER))
			continue;
		ordered = &w->places[i];
		n++;
	}
	return n == 1 ? ordered : NULL;
}

/* The last place of the walk that is before the wrap point, where the packet at @d is before it, or
 * was read after it in the wrong place.  From where all ways of reading agree at or before @d,
 * packets are as they were written; had the wrap point been before them, @d would be one of the
 * oldest. */
static uint64_t last_newest(struct et_ring *g, uint64_t d)
{
	for (uint64_t back = g->longest; back < d && back < BACK; back += g->longest / 2)
		if (et_ring_agree(g, d - back) <= d)
			return last_before(g, d - back);
	return 0;
}

static bool resolve(struct et_ring *g, const struct et_ring_place *p, uint64_t *low, uint64_t *high)
{
	uint64_t first;

	if (p->bad_end && !between_packets(g, p, low, high))
		return false;
	if (p->bad_end && (!(p->evidence & ORDER) || p->low > p->high))
		return true;
	if (p->low > p->high)
		return false;
	first = last_newest(g, p->low);
	if (!p->bad_end)
		*high = et_ring_agree(g, p->high);
	if (!p->bad_end || first < *low)
		*low = first;
	return *high != ET_RING_NONE;
}

/* Make a place after @from the origin; @window: bytes up to it, among which the wrap point may not
 * be. */
static bool begin_at(struct et_ring *g, uint64_t from, uint64_t *window)
{
	g->origin = 0;
	const uint64_t d = et_ring_agree(g, from);

	g->origin = d == ET_RING_NONE ? 0 : et_ring_wrap(d, g->buffer.n);
	*window = d - from;
	return d != ET_RING_NONE;
}

static void set_options(struct et_ring *g, unsigned options)
{
	g->reader.config.options = (uint8_t)options;
	et_layout_init(&g->reader.layout, &g->reader.config);
}

/* Support packets say how others are laid out: most of them, as some of them may be none.  False:
 * as the parameters do. */
static bool take_options(struct et_ring *g, const struct et_ring_walk *w)
{
	unsigned most = 0;

	for (unsigned i = 1; i < ET_RING_VOTES; i++)
		most = w->votes[i] > w->votes[most] ? i : most;
	if (!w->votes[most] || most == g->options)
		return false;
	set_options(g, most);
	if (et_options_good(&g->reader.config))
		return true;
	set_options(g, g->options);
	return false;
}

static bool go_round_from(struct et_ring_walk *w, struct et_ring *g, uint64_t from,
                          uint64_t *window)
{
	if (!begin_at(g, from, window))
		return false;
	et_ring_go_round(w, g);
	return true;
}

/* Walk around the buffer until it is known what its packets have in common.  A packet that the wrap
 * point cut may be the only one that looks like a support packet: with its options less are
 * packets. */
static bool walk_from(struct et_ring_walk *w, struct et_ring *g, uint64_t from, uint64_t *window)
{
	memset(&g->common, 0, sizeof g->common);
	set_options(g, g->options);
	if (!go_round_from(w, g, from, window))
		return false;
	const unsigned places = w->count;

	if (take_options(g, w) && (!go_round_from(w, g, from, window) || w->count > places)) {
		set_options(g, g->options);
		if (!go_round_from(w, g, from, window))
			return false;
	}
	g->common = g->count;
	return go_round_from(w, g, from, window);
}

/* Do times or indexes go far forward elsewhere?  A few packets that were read at the wrap point can
 * lead from the newest to the oldest so. */
static bool leaps_elsewhere(const struct et_ring_walk *w, const struct et_ring_place *p)
{
	for (unsigned i = 0; i < 2 && w->leaping; i++)
		if (!et_ring_overlaps(p, w->leaps[i].low, w->leaps[i].high))
			return true;
	return false;
}

/* Does only the wrap point look so?  A damaged time or index goes back, too, but then the wrap
 * point is a second place, or a second pair, or leaps forward.  Where packets do not continue there
 * may be damage between two times. */
static bool is_certain(const struct et_ring_walk *w, const struct et_ring_place *p)
{
	if (w->count != 1 || p->joined || leaps_elsewhere(w, p) || p->orders != 1 ||
	    !(p->evidence & (HS_RING_TIME | HS_RING_INDEX)))
		return false;
	return !p->bad_end || (p->evidence & HS_RING_INDEX && p->bad_end - p->bad <= w->g->longest);
}

static void keep(const struct et_ring_walk *w, struct hs_ring *ring, const struct et_ring_place *p,
                 uint64_t low, uint64_t high)
{
	const struct et_ring *g = w->g;
	const uint64_t n = g->buffer.n;

	ring->found = true;
	ring->begin = et_ring_wrap(g->origin + high, n);
	ring->end = et_ring_wrap(g->origin + low, n);
	if (ring->begin == 0 && ring->end == 0)
		ring->end = n;
	ring->evidence = p->evidence;
	ring->certain = is_certain(w, p);
}

/* The wrap point as a walk from this place shows it.  False: the walk may have begun at the wrap
 * point. */
static bool find_from(struct et_ring *g, uint64_t from, struct hs_ring *ring)
{
	struct et_ring_walk w;
	uint64_t low = 0, high = 0, window;

	if (!walk_from(&w, g, from, &window))
		return false;
	const struct et_ring_place *p = choose(&w);

	*ring = (struct hs_ring){ .end = g->buffer.n, .places = w.count };
	if (!p)
		return true;
	if (!resolve(g, p, &low, &high) || low == 0 || high + window > g->buffer.n)
		return false;
	keep(&w, ring, p, low, high);
	return true;
}

/* Do two walks show the same wrap point, or none? */
static bool is_same(const struct hs_ring *a, const struct hs_ring *b, uint64_t n)
{
	const uint64_t gap = et_ring_wrap(a->begin + n - b->end, n);
	const uint64_t other = et_ring_wrap(b->begin + n - a->end, n);

	return a->found == b->found && (!a->found || (gap < n / 2 && other < n / 2));
}

static enum hs_status begin(struct et_ring *g, const struct hs_span *buffer,
                            const struct hs_et_config *config, struct hs_ring *ring)
{
	const enum hs_status s = hs_et_reader_init(&g->reader, config);

	if (s != HS_OK)
		return s;
	memset(&g->common, 0, sizeof g->common);
	g->options = g->reader.config.options;
	g->buffer = *buffer;
	g->origin = 0;
	g->longest = longest_packet(&g->reader.config);
	*ring = (struct hs_ring){ .end = buffer->n };
	return HS_OK;
}

static bool is_large_enough(const struct et_ring *g)
{
	return g->longest <= HS_ET_PACKET_MAX && g->buffer.n >= 8u * g->longest;
}

enum hs_status hs_et_ring_begin(const struct hs_span *buffer, const struct hs_et_config *config,
                                uint64_t wp, struct hs_ring *ring)
{
	struct et_ring g;
	const enum hs_status s = begin(&g, buffer, config, ring);
	uint64_t window;

	if (s != HS_OK)
		return s;
	if (wp >= buffer->n)
		return HS_E_ARG;
	if (!is_large_enough(&g) || !begin_at(&g, wp, &window) || window >= buffer->n)
		return HS_OK;
	*ring = (struct hs_ring){
		.begin = g.origin, .end = wp ? wp : buffer->n, .found = true, .certain = true
	};
	return HS_OK;
}

enum hs_status hs_et_ring_find(const struct hs_span *buffer, const struct hs_et_config *config,
                               struct hs_ring *ring)
{
	struct et_ring g;
	unsigned agreed = 0;
	const enum hs_status s = begin(&g, buffer, config, ring);

	if (s != HS_OK || !is_large_enough(&g))
		return s;
	for (unsigned i = 0; i < STARTS && agreed < 2; i++) {
		struct hs_ring one;

		if (!find_from(&g, buffer->n / STARTS * i, &one))
			continue;
		if (agreed && !is_same(&one, ring, buffer->n)) {
			*ring = (struct hs_ring){ .end = buffer->n, .places = 2 };
			return HS_OK;
		}
		one.certain = one.certain && (!agreed || ring->certain);
		*ring = one;
		agreed += one.found;
	}
	ring->certain = ring->certain && agreed == 2;
	return HS_OK;
}
