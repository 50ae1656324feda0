/* Where synchronising packets of E-Trace have their address: each place is looked at by itself,
 * and the program's code is where addresses lead. */
#include <stdlib.h>
#include <string.h>

#include "identify/private.h"

#define STARTS 48
#define OFFSET_STARTS 512
#define FIRST 5  /* format, subformat, branch (ET Format 3 packets) */
#define LAST 140 /* and privilege, time and context of 64 bits each */

/* Do the packets look like some that were cut well? */
static bool is_plausible(const struct identify_packets *p, const struct identify_frame *f)
{
	const bool encap =
		f->dialect != HS_ET_DIALECT_REFERENCE && f->dialect != HS_ET_DIALECT_PULP;

	if (p->count < 2 || p->count * 4 < p->packets)
		return false;
	if (!encap)
		return true;
	if (f->stamp && !p->stamped)
		return false;
	return p->sources <= 16 && p->sources * 4 <= p->packets + 3 &&
	       (p->flows & (p->flows - 1)) == 0;
}

/* Packets with format 3 subformat 0. */
static size_t find_starts(const struct identify_packets *p, const struct identify_payload **out,
                          size_t room)
{
	size_t n = 0;

	for (size_t i = 0; i < p->count && n < room; i++)
		if (identify_bits(&p->payload[i], 0, 4) == 3)
			out[n++] = &p->payload[i];
	return n;
}

/* Keep a place among the best, in order; the first of equals stays in front. */
static void keep(struct identify_place out[IDENTIFY_PLACES], size_t *n,
                 const struct identify_place *p)
{
	size_t at = *n;

	while (at && 2 * p->hits - p->starts > 2 * out[at - 1].hits - out[at - 1].starts)
		at--;
	if (at == IDENTIFY_PLACES)
		return;
	*n += *n < IDENTIFY_PLACES;
	memmove(&out[at + 1], &out[at], (*n - 1 - at) * sizeof(*out));
	out[at] = *p;
}

static unsigned count_hits(const struct identify_code *code, const struct identify_payload **start,
                           size_t n, unsigned at, unsigned unit)
{
	const uint64_t mask = code->image->isa.xlen == 32 ? UINT32_MAX : UINT64_MAX;
	unsigned hits = 0;

	for (size_t i = 0; i < n; i++) {
		if (start[i]->at + at >= start[i]->end)
			continue;
		const uint64_t v = identify_bits(start[i], at, 64) * unit;

		hits += identify_is_code(code, v & mask);
		if (2 * (i + 1 - hits) > n) /* more than half of them miss */
			return 0;
	}
	return hits;
}

static void look(struct identify_search *s, const struct identify_frame *f,
                 struct identify_packets *packets, struct identify_place out[IDENTIFY_PLACES],
                 size_t *n)
{
	const struct identify_payload *start[STARTS];

	identify_cut(&s->bytes, f, packets);
	if (!is_plausible(packets, f))
		return;
	const size_t starts = find_starts(packets, start, STARTS);

	for (unsigned at = FIRST; starts && at <= LAST; at++)
		for (unsigned unit = 1; unit <= 4; unit *= 2) {
			const unsigned hits = count_hits(s->code, start, starts, at, unit);
			const struct identify_place p = { *f, (uint8_t)at, (uint8_t)unit,
				                          (uint16_t)hits, (uint16_t)starts };

			if (hits)
				keep(out, n, &p);
		}
}

size_t identify_places(struct identify_search *s, struct identify_place out[IDENTIFY_PLACES])
{
	struct identify_packets *packets = malloc(sizeof(*packets));
	struct identify_frame f;
	unsigned state = 0;
	size_t n = 0;

	while (packets && identify_next_frame(&f, &state))
		look(s, &f, packets, out, &n);
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

/* Is the field the same in all packets?  Does it only grow? */
static void watch(const struct identify_packets *packets, unsigned at, unsigned width, bool *same,
                  bool *grows)
{
	uint64_t before = 0;
	bool any = false;

	*same = *grows = true;
	for (size_t i = 0; i < packets->count; i++) {
		if (identify_bits(&packets->payload[i], 0, 4) != 3)
			continue;
		const uint64_t v = identify_bits(&packets->payload[i], at, width);

		*same &= !any || v == before;
		*grows &= !any || v >= before;
		before = v;
		any = true;
	}
}

struct widths {
	unsigned privilege, time, context, cost;
};

static void weigh(const struct identify_packets *packets, struct widths *w)
{
	const unsigned at = FIRST + w->privilege;
	bool same, grows;

	w->cost = unlikely(w->time, w->context) + (w->privilege != 3) + (w->privilege == 1) +
	          2 * (w->privilege == 4);
	if (w->time) {
		watch(packets, at, w->time, &same, &grows);
		w->cost += same ? 2 : grows ? 0 : 20;
	}
	if (w->context) {
		watch(packets, at + w->time, w->context, &same, &grows);
		w->cost += same ? 0 : grows ? 8 : 1;
	}
}

#define WIDTHS 600

static size_t all_widths(const struct identify_place *place, const struct identify_packets *packets,
                         struct widths out[WIDTHS])
{
	size_t n = 0;

	for (unsigned p = 1; p <= 4; p++) {
		const unsigned rest = place->at - FIRST - p;

		if (place->at < FIRST + p)
			continue;
		for (unsigned t = 0; t <= rest && t <= 64 && n < WIDTHS; t++) {
			if (rest - t > 64 || (t && t != rest && unlikely(t, rest - t) > 6))
				continue;
			out[n] = (struct widths){ p, t, rest - t, 0 };
			weigh(packets, &out[n++]);
		}
	}
	return n;
}

static int by_cost(const void *a, const void *b)
{
	const struct widths *x = a, *y = b;

	return x->cost != y->cost ? (x->cost > y->cost) - (x->cost < y->cost)
	                          : (x->privilege < y->privilege) - (x->privilege > y->privilege);
}

bool identify_widths(const struct identify_place *place, const struct identify_packets *packets,
                     unsigned index, struct hs_et_config *c)
{
	struct widths w[WIDTHS];
	const size_t n = all_widths(place, packets, w);

	qsort(w, n, sizeof(*w), by_cost);
	if (index >= n)
		return false;
	c->privilege_width = (uint8_t)w[index].privilege;
	c->time = w[index].time != 0;
	c->time_width = (uint8_t)w[index].time;
	c->context = w[index].context != 0;
	c->context_width = (uint8_t)w[index].context;
	return true;
}

/* ---- a program that is elsewhere ------------------------------------------------------------ */

static void add_offset(int64_t out[IDENTIFY_OFFSETS], size_t *n, int64_t offset)
{
	for (size_t i = 0; i < *n; i++)
		if (out[i] == offset)
			return;
	if (*n < IDENTIFY_OFFSETS)
		out[(*n)++] = offset;
}

size_t identify_et_offsets(struct identify_search *s, const struct identify_frame *f,
                           int64_t out[IDENTIFY_OFFSETS])
{
	struct identify_packets *packets = malloc(sizeof(*packets));
	const struct identify_payload *start[OFFSET_STARTS];
	size_t found = 0;
	int64_t offset;

	if (!packets)
		return 0;
	identify_cut(&s->bytes, f, packets);
	const size_t n = find_starts(packets, start, OFFSET_STARTS);

	for (unsigned at = FIRST; at <= LAST; at++)
		for (unsigned unit = 1; unit <= 4; unit *= 2) {
			uint64_t address[OFFSET_STARTS];

			for (size_t i = 0; i < n; i++)
				address[i] = identify_bits(start[i], at, 64) * unit;
			if (identify_find_offset(s->code, address, n, &offset))
				add_offset(out, &found, offset);
		}
	free(packets);
	return found;
}
