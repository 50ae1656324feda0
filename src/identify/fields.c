/* Where synchronising packets of E-Trace have their address: each place is looked at by itself,
 * and the program's code is where addresses lead. */
#include <stdlib.h>
#include <string.h>

#include "etrace/etrace.h"
#include "identify/private.h"

#define STARTS 48
#define FEW 4
#define FRAME_BYTES ((size_t)1 << 12)
#define PROCESS_PARTS 8 /* of addresses, of which one is of a process whose program was given */
#define LEAST_AGREEMENT 7500
#define OFFSET_STARTS 512
#define FIRST IDENTIFY_FIRST
#define LAST IDENTIFY_LAST

#define START 3 /* format 3 subformat 0 */
#define TRAP 7  /* format 3 subformat 1 */

/* Packets with this format and subformat. */
static size_t find_packets(const struct identify_packets *p, unsigned form,
                           const struct identify_payload **out, size_t room)
{
	size_t n = 0;

	for (size_t i = 0; i < p->count && n < room; i++)
		if (identify_bits(&p->payload[i], 0, 4) == form)
			out[n++] = &p->payload[i];
	return n;
}

/* How much better a place is: addresses that lead into code, the usual unit, a timestamp that looks
 * like one, flow 0, few sources. */
static int compare(const struct identify_place *a, const struct identify_place *b)
{
	static const uint8_t order[] = { [1] = 1, [2] = 0, [4] = 2 };
	const int hits = a->hits * 1000 / (a->starts + 1) - b->hits * 1000 / (b->starts + 1);

	if (hits)
		return hits;
	if (a->odd != b->odd)
		return b->odd - a->odd;
	if (a->sources != b->sources)
		return b->sources - a->sources;
	return order[b->unit] - order[a->unit];
}

/* Other names of the same bits: what is srcID, and what is timestamp or type.  Not with another
 * number of sources: which packets belong together decides the flow. */
static bool is_same(const struct identify_place *a, const struct identify_place *b)
{
	return a->payloads == b->payloads && a->addresses == b->addresses && a->unit == b->unit &&
	       a->frame.skip == b->frame.skip && a->sources == b->sources;
}

/* Keep a place among the best, in order; the first of equals stays in front. */
static void keep(struct identify_place out[IDENTIFY_PLACES], size_t *n,
                 const struct identify_place *p)
{
	size_t at = *n;

	for (size_t i = 0; i < *n; i++)
		if (is_same(&out[i], p) && compare(&out[i], p) >= 0)
			return;
	while (at && compare(p, &out[at - 1]) > 0)
		at--;
	if (at == IDENTIFY_PLACES)
		return;
	*n += *n < IDENTIFY_PLACES;
	memmove(&out[at + 1], &out[at], (*n - 1 - at) * sizeof(*out));
	out[at] = *p;
}

static unsigned count_hits(const struct identify_code *code, const struct identify_payload **start,
                           size_t n, unsigned at, unsigned unit, unsigned kind, uint64_t *addresses)
{
	const bool narrow = code->image->isa.xlen == 32 || kind == HS_ET_FRAME_INDEXED;
	const uint64_t mask = narrow ? UINT32_MAX : UINT64_MAX;
	const unsigned parts = code->set.count ? PROCESS_PARTS : 2;
	unsigned hits = 0;

	for (size_t i = 0; i < n; i++) {
		if (start[i]->at + at >= start[i]->end)
			continue;
		const uint64_t v = identify_bits(start[i], at, 64) * unit;

		hits += identify_is_code(code, v & mask);
		*addresses = (*addresses ^ (v & mask)) * UINT64_C(0x100000001b3);
		if (parts * (i + 1 - hits) > (parts - 1) * n) /* too few of them hit */
			return 0;
	}
	return hits;
}

/* Where the addresses of traps are. */
struct cause {
	unsigned width, hits;
	size_t traps;
	bool only; /* no other width has as many hits */
};

static void find_cause(const struct identify_code *code, const struct identify_place *place,
                       const struct identify_packets *packets, struct cause *c)
{
	const struct identify_payload *trap[STARTS];

	*c = (struct cause){ .traps = find_packets(packets, TRAP, trap, STARTS) };
	/* the cause, interrupt, thaddr, the address (ET Format 3 subformat 1) */
	for (unsigned width = 1; c->traps && width <= 64; width++) {
		uint64_t addresses = 0;
		const unsigned hits = count_hits(code, trap, c->traps, place->at + width + 2,
		                                 place->unit, place->frame.kind, &addresses);

		c->only = hits > c->hits || (c->only && hits < c->hits);
		if (hits > c->hits) {
			c->hits = hits;
			c->width = width;
		}
	}
}

unsigned identify_cause(const struct identify_code *code, const struct identify_place *place,
                        const struct identify_packets *packets, bool *only)
{
	struct cause c;

	find_cause(code, place, packets, &c);
	*only = c.only;
	return c.width;
}

/* Where few packets synchronise, traps count, too. */
static void count_traps(const struct identify_code *code, struct identify_place *p,
                        const struct identify_packets *packets)
{
	struct cause c;

	if (p->starts >= FEW)
		return;
	find_cause(code, p, packets, &c);
	p->hits += (uint16_t)c.hits;
	p->starts += (uint16_t)c.traps;
}

bool identify_is_plausible(const struct hs_span *bytes, const struct identify_frame *f,
                           struct identify_packets *packets)
{
	const struct hs_span part = { bytes->p, bytes->n < FRAME_BYTES ? bytes->n : FRAME_BYTES };

	identify_cut_agreeing(&part, f, packets);
	return identify_agreement(packets, f, part.n) >= LEAST_AGREEMENT;
}

static void look(struct identify_search *s, const struct identify_frame *f,
                 struct identify_packets *packets, struct identify_place out[IDENTIFY_PLACES],
                 size_t *n)
{
	const struct identify_payload *start[STARTS];

	identify_cut(&s->bytes, f, packets);
	const size_t starts = find_packets(packets, START, start, STARTS);

	struct identify_place p = { .frame = *f,
		                    .payloads = packets->key,
		                    .sources = (uint16_t)packets->sources,
		                    .odd = (f->stamp && !packets->low) ||
		                           (f->kind == HS_ET_FRAME_ENCAP && packets->flows != 1) };

	for (p.at = FIRST; starts && p.at <= LAST; p.at++)
		for (p.unit = 1; p.unit <= 4; p.unit *= 2) {
			p.addresses = 0;
			p.starts = (uint16_t)starts;
			p.hits = (uint16_t)count_hits(s->code, start, starts, p.at, p.unit, f->kind,
			                              &p.addresses);
			if (!p.hits)
				continue;
			count_traps(s->code, &p, packets);
			keep(out, n, &p);
		}
}

size_t identify_places(struct identify_search *s, struct identify_place out[IDENTIFY_PLACES])
{
	struct identify_packets *packets = malloc(sizeof(*packets));
	struct identify_frame f;
	unsigned state = 0;
	size_t n = 0;

	while (packets && identify_next_frame(&f, &state, s->way)) {
		if (s->way->inside)
			identify_align(&s->bytes, &f, packets);
		if (!identify_is_plausible(&s->bytes, &f, packets))
			continue;
		if (s->way->inside)
			identify_seek(&s->bytes, &f, packets);
		look(s, &f, packets, out, &n);
	}
	free(packets);
	return n;
}

/* ---- what is before an address ----------------------------------------------------------- */

/* Bits for time and context together: how likely an encoder has so many. */
static unsigned unlikely(unsigned time, unsigned context)
{
	static const uint8_t cost[8] = { 0, 4, 3, 4, 2, 4, 3, 4 }; /* of widths modulo 8 */

	return (time ? 2 + cost[time % 8] + (time % 16 != 0) : 0) +
	       (context ? 2 + cost[context % 8] + (context % 16 != 0) : 0);
}

/* The packets that synchronise. */
struct starts {
	const struct identify_payload *start[IDENTIFY_PACKETS];
	size_t n;
};

/* Is the field the same in all packets?  Does it only grow?  @return  In how many it is another one
 * than in the packet before. */
static size_t watch(const struct starts *s, unsigned at, unsigned width, bool *same, bool *grows)
{
	uint64_t before = 0;
	size_t changes = 0;

	*same = *grows = true;
	for (size_t i = 0; i < s->n; i++) {
		const uint64_t v = identify_bits(s->start[i], at, width);

		*same &= !i || v == before;
		*grows &= !i || v >= before;
		changes += i && v != before;
		before = v;
	}
	return changes;
}

struct widths {
	unsigned privilege, time, context, cost;
};

static void weigh(const struct starts *starts, struct widths *w)
{
	const unsigned at = FIRST + w->privilege;
	bool same, grows;

	w->cost = unlikely(w->time, w->context) + (w->privilege != 3) + (w->privilege == 1) +
	          2 * (w->privilege == 4);
	watch(starts, FIRST, w->privilege, &same, &grows);
	w->cost += same ? 0 : 12; /* it changes now and then, the lowest bits of a time often */
	if (w->time) {
		const size_t changes = watch(starts, at, w->time, &same, &grows);
		/* what has few values is a context that was seen to become greater */
		w->cost += same ? 2 : grows && changes * 2 >= starts->n ? 0 : 20;
	}
	if (w->context) {
		watch(starts, at + w->time, w->context, &same, &grows);
		w->cost += same ? 0 : grows ? 8 : 1;
	}
}

#define WIDTHS 600

static size_t all_widths(const struct identify_place *place, const struct starts *starts,
                         struct widths out[WIDTHS])
{
	size_t n = 0;

	for (unsigned p = 1; p <= 4; p++) {
		const unsigned rest = place->at - FIRST - p;

		if (place->at < FIRST + p)
			continue;
		for (unsigned t = 0; t <= rest && t <= 64 && n < WIDTHS; t++) {
			if (rest - t > 64)
				continue;
			out[n] = (struct widths){ p, t, rest - t, 0 };
			weigh(starts, &out[n++]);
		}
	}
	return n;
}

static bool is_cheaper(const struct widths *a, const struct widths *b)
{
	return a->cost != b->cost ? a->cost < b->cost : a->privilege > b->privilege;
}

bool identify_widths(const struct identify_place *place, const struct identify_packets *packets,
                     struct hs_et_config *c)
{
	struct starts starts;
	struct widths w[WIDTHS], *best = w;

	starts.n = find_packets(packets, START, starts.start, IDENTIFY_PACKETS);
	const size_t n = all_widths(place, &starts, w);

	for (size_t i = 1; i < n; i++)
		if (is_cheaper(&w[i], best))
			best = &w[i];
	if (!n)
		return false;
	c->privilege_width = (uint8_t)best->privilege;
	c->time = best->time != 0;
	c->time_width = (uint8_t)best->time;
	c->context = best->context != 0;
	c->context_width = (uint8_t)best->context;
	return true;
}

/* ---- a program that is elsewhere ------------------------------------------------------------ */

size_t identify_et_pages(const struct identify_search *s, const struct identify_frame *f,
                         int64_t out[IDENTIFY_OFFSETS], size_t found)
{
	struct identify_packets *packets = malloc(sizeof(*packets));
	const struct identify_payload *start[OFFSET_STARTS];
	int64_t offset;

	if (!packets)
		return found;
	identify_cut(&s->bytes, f, packets);
	const size_t n = find_packets(packets, START, start, OFFSET_STARTS);

	for (unsigned at = FIRST; at <= LAST; at++)
		for (unsigned unit = 1; unit <= 4; unit *= 2) {
			uint64_t address[OFFSET_STARTS];

			for (size_t i = 0; i < n; i++)
				address[i] = identify_bits(start[i], at, 64) * unit;
			if (identify_find_offset(s->code, address, n, &offset))
				identify_add_offset(out, &found, offset);
		}
	free(packets);
	return found;
}
