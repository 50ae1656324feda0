/* The wrap point of a circular buffer: what looks like one on a walk around it. */
#include <hartscope/status.h>

#include "etrace/ring.h"

#include "core/mem.h"
#include "etrace/etrace.h"

#define NEAR 4u     /* longest packets between two things that are no packets, of one place */
#define MISSING 16u /* packets between two indexes, where the encoder lost some */

/* ---- places ---------------------------------------------------------------------------- */

static void drop_place(struct et_ring_walk *w, unsigned i)
{
	for (; i + 1 < w->count && i + 1 < ET_RING_PLACES; i++)
		w->places[i] = w->places[i + 1];
	w->count--;
}

bool et_ring_overlaps(const struct et_ring_place *p, uint64_t low, uint64_t high)
{
	const uint64_t from = p->bad_end ? p->bad : p->low, to = p->bad_end ? p->bad_end : p->high;

	return from <= high && low <= to;
}

/* The order of two packets puts the wrap point between them: it is in a place that is known, or in
 * a new one.  Where several are between them, these are one place. */
static void add_order(struct et_ring_walk *w, unsigned evidence, uint64_t low, uint64_t high)
{
	struct et_ring_place place = {
		.low = low, .high = high, .evidence = (uint8_t)evidence, .orders = 1
	};
	unsigned same = 0;

	for (unsigned i = 0; i < w->count && i < ET_RING_PLACES;) {
		const struct et_ring_place p = w->places[i];

		if (!et_ring_overlaps(&p, low, high)) {
			i++;
			continue;
		}
		drop_place(w, i);
		if (p.evidence & evidence)
			place.orders = (uint8_t)(p.orders + 1);
		else if (p.orders > place.orders)
			place.orders = p.orders;
		place.evidence |= p.evidence;
		place.bad = same ? 0 : p.bad;
		place.bad_end = same ? 0 : p.bad_end;
		place.low = p.low > place.low ? p.low : place.low;
		place.high = p.high < place.high ? p.high : place.high;
		place.joined |= same || p.joined;
		same++;
	}
	if (w->count < ET_RING_PLACES)
		w->places[w->count] = place;
	w->count++;
}

static void add_bad(struct et_ring_walk *w, uint64_t at, uint64_t end)
{
	struct et_ring_place *last =
		w->count && w->count <= ET_RING_PLACES ? &w->places[w->count - 1] : NULL;

	if (last && last->bad_end && at < last->bad_end + (uint64_t)NEAR * w->g->longest) {
		last->bad_end = end;
		return;
	}
	if (w->count < ET_RING_PLACES)
		w->places[w->count] = (struct et_ring_place){
			.high = ET_RING_NONE, .bad = at, .bad_end = end, .evidence = HS_RING_FRAMING
		};
	w->count++;
}

/* ---- the order of packets -------------------------------------------------------------- */

static struct et_ring_source *source_of(struct et_ring_walk *w, unsigned src)
{
	struct et_ring_source *s = &w->sources[src % ET_RING_SOURCES];

	if (!s->used || s->src != src) {
		memset(s, 0, sizeof *s);
		s->used = true;
		s->src = (uint16_t)src;
	}
	return s;
}

/* Is @to before @from, both of so many bits? */
static bool goes_back(uint64_t from, uint64_t to, unsigned bits)
{
	return ((to - from) & et_ones(bits)) >> (bits - 1);
}

/* So far forward that a few of these, none of which goes back, lead to any value. */
static bool leaps(uint64_t from, uint64_t to, unsigned bits)
{
	return bits < 8 ||
	       (!goes_back(from, to, bits) && ((to - from) & et_ones(bits)) >> (bits - 4));
}

static void add_leap(struct et_ring_walk *w, uint64_t low, uint64_t high)
{
	const struct et_ring_leap leap = { low, high };

	w->leaps[w->leaping] = leap;
	w->leaps[1] = leap;
	w->leaping = true;
}

static void take_time(struct et_ring_walk *w, struct et_ring_source *s, unsigned clock,
                      uint64_t time, unsigned bits, const struct hs_et_packet *p)
{
	if (!bits)
		return;
	if (s->timed[clock] && goes_back(s->time[clock], time, bits))
		add_order(w, HS_RING_TIME, s->timed_at[clock], p->offset + p->length);
	if (s->timed[clock] && leaps(s->time[clock], time, bits))
		add_leap(w, s->timed_at[clock], p->offset + p->length);
	s->timed[clock] = true;
	s->time[clock] = time;
	s->timed_at[clock] = p->offset;
}

static void take_stop(struct et_ring_walk *w, struct et_ring_source *s,
                      const struct hs_et_packet *p)
{
	const bool begins = p->form >= HS_ET_FORM_START && p->form <= HS_ET_FORM_SUPPORT;

	if (s->stopped && !begins)
		add_order(w, HS_RING_STOP, s->at, p->offset + p->length);
	if (p->form == HS_ET_FORM_SUPPORT)
		s->stopped = p->field[HS_ETF_QUAL_STATUS] == HS_ET_ENDED_REP ||
		             p->field[HS_ETF_QUAL_STATUS] == HS_ET_ENDED_NTR;
	else
		s->stopped = false;
	s->at = p->offset;
}

static void take_index(struct et_ring_walk *w, const struct hs_et_packet *p)
{
	if (w->known && goes_back((uint16_t)(w->index + 1), p->index, 16))
		add_order(w, HS_RING_INDEX, w->before, p->offset + p->length);
	else if (w->known && (uint16_t)(p->index - w->index) > MISSING)
		add_leap(w, w->before, p->offset + p->length);
	w->known = true;
	w->index = p->index;
}

static void take_order(struct et_ring_walk *w, const struct hs_et_packet *p)
{
	const struct hs_et_resolved *c = &w->g->reader.config;
	struct et_ring_source *s = source_of(w, p->src);

	if (p->has_tstamp)
		take_time(w, s, 0, p->tstamp, 8u * c->tstamp_bytes, p);
	if (hs_et_has(p, HS_ETF_TIME))
		take_time(w, s, 1, p->field[HS_ETF_TIME], c->time_width, p);
	if (c->version != HS_ET_0_026 && p->form != HS_ET_FORM_OTHER)
		take_stop(w, s, p);
	if (c->wire.frame == HS_ET_FRAME_INDEXED)
		take_index(w, p);
}

static void take_packet(struct et_ring_walk *w, const struct hs_et_packet *p)
{
	if (p->form == HS_ET_FORM_SUPPORT)
		w->votes[et_packet_options(&w->g->reader.config, p) % ET_RING_VOTES]++;
	et_ring_count(w->g, p);
	take_order(w, p);
	w->before = p->offset;
}

void et_ring_go_round(struct et_ring_walk *w, struct et_ring *g)
{
	struct hs_et_packet p;

	memset(w, 0, sizeof *w);
	w->g = g;
	memset(&g->count, 0, sizeof g->count);
	for (enum et_ring_step step = et_ring_next(w, &p); step != ET_RING_END;
	     step = et_ring_next(w, &p)) {
		if (step == ET_RING_PACKET)
			take_packet(w, &p);
		else if (step == ET_RING_BAD)
			add_bad(w, p.offset, et_ring_claim(g, p.offset));
	}
}
