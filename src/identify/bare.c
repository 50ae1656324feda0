/* E-Trace without frames: payloads at their full length, one after the other.  Each width decides
 * where the next packet begins, so that a wrong one leads to bytes that are no packets: those of
 * which the most packets that synchronise have their address in code are tried with the program. */
#include <stdlib.h>

#include "etrace/etrace.h"
#include "identify/private.h"

#define FIRST 5 /* format, subformat, branch (ET Format 3 packets) */
#define LAST 137
#define READ_BYTES ((size_t)1 << 14)
#define TRIAL_BYTES ((size_t)1 << 11)
#define WIDTH_BYTES ((size_t)1 << 15)
#define SUPPORT 15 /* format 3 subformat 3 */
#define START 3    /* format 3 subformat 0 */
#define KEPT 256
#define RETURNS 25 /* none, a stack or a counter of 1 to 8, irets */
#define TABLE 4    /* size of a predictor, where packets do not depend on it */

/* Widths with which bytes were read. */
struct reading {
	struct hs_et_config config;
	uint64_t good;   /* the bytes up to the last packet whose address is in code */
	unsigned misses; /* addresses before it that are not */
	bool cause;      /* no other width of ecause reads as well */
};

struct bare {
	struct identify_search *search;
	struct identify_packets *packets; /* the first that synchronises */
	size_t start;                     /* its byte */
	unsigned options;
	struct reading kept[KEPT]; /* the best, all alike */
	size_t n;
};

static bool find_beginning(struct bare *b)
{
	const struct hs_span *bytes = &b->search->bytes;
	struct hs_et_layout_config w;
	struct identify_packets *p = b->packets;

	p->payload[0] = (struct identify_payload){ bytes->p, 0, 16 };
	p->count = 1;
	if (bytes->n > 64 && (bytes->p[0] & 15) == SUPPORT &&
	    hs_et_layout_of(HS_ET_DIALECT_NONE, HS_ET_2_0, &w) == HS_OK) {
		b->options = identify_find_options(p, HS_ET_DIALECT_NONE);
		b->start = (7u + w.mode_bits + w.ioptions_width + 7u) / 8;
	}
	if (bytes->n < b->start + 64 || (bytes->p[b->start] & 15) != START)
		return false;
	p->payload[0] = (struct identify_payload){ bytes->p + b->start, 0, 8 * 64 };
	return true;
}

/* The bits of an address of @width at @at: its lowest are not sent. */
static uint64_t address_at(const struct identify_payload *p, unsigned at, unsigned width,
                           unsigned unit)
{
	const unsigned bits = width - unit / 2;
	const uint64_t v = identify_bits(p, at, bits);
	const bool negative = bits < 64 && v >> (bits - 1) & 1;

	return (negative ? v | UINT64_MAX << bits : v) * unit;
}

/* The smallest width that holds all addresses of the program. */
static unsigned least_width(const struct identify_code *code, unsigned unit)
{
	unsigned bits = 1;

	while (bits < 64 && code->most / unit >> bits)
		bits++;
	return bits;
}

/* ---- without the program's flow -------------------------------------------------------- */

/* Bits before the address of a packet that synchronises. */
static unsigned bits_before(const struct hs_et_config *c)
{
	return FIRST + c->privilege_width + c->time_width + c->context_width;
}

/* Is the address at bit @at of the packet in code? */
static bool is_hit(const struct bare *b, const struct hs_et_config *c, uint64_t offset, unsigned at)
{
	const struct hs_span *all = &b->search->bytes;
	const size_t left = all->n - (size_t)offset;
	const struct identify_payload payload = { all->p + offset, 0,
		                                  (uint16_t)(left < 64 ? 8 * left : 512) };

	return at < payload.end &&
	       identify_is_code(b->search->code,
	                        address_at(&payload, at, c->iaddress_width, c->iaddress_unit));
}

static void read_packets(const struct bare *b, struct reading *reading);

/* Above 0: @a reads more than @b; 0: as well as it. */
static int compare(const struct reading *a, const struct reading *b)
{
	if (a->good != b->good)
		return a->good > b->good ? 1 : -1;
	return (a->misses < b->misses) - (a->misses > b->misses);
}

/* A trap at @offset, whose cause has any width: that with which most can be read. */
static void find_cause(const struct bare *b, struct reading *reading, uint64_t offset)
{
	struct reading other, best = *reading;

	for (unsigned width = 1; width <= 64; width++) {
		other = *reading;
		other.config.ecause_width = (uint8_t)width;
		if (!is_hit(b, &other.config, offset, bits_before(&other.config) + width + 2))
			continue;
		read_packets(b, &other);
		const int better = compare(&other, &best);

		other.cause = better > 0;
		best.cause &= better < 0;
		if (better > 0)
			best = other;
	}
	*reading = best;
}

/* Read up to a packet that cannot be.  Of a few addresses the code has data before them. */
static void read_packets(const struct bare *b, struct reading *reading)
{
	const struct hs_et_config *c = &reading->config;
	const struct hs_span *all = &b->search->bytes;
	struct hs_span in = { all->p, all->n < READ_BYTES ? all->n : READ_BYTES };
	struct hs_et_reader r;
	struct hs_et_packet p;
	unsigned hits = 0, misses = 0;

	reading->good = reading->misses = 0;
	if (hs_et_reader_init(&r, c) != HS_OK)
		return;
	while (misses * 4 <= hits + 3 && hs_et_read(&r, &in, &p) == HS_OK) {
		const bool trap = p.form == HS_ET_FORM_TRAP;

		if (p.form == HS_ET_FORM_SUPPORT)
			hs_et_reader_follow(&r, &p);
		if (!trap && p.form != HS_ET_FORM_START)
			continue;
		if (trap && !c->ecause_width) {
			find_cause(b, reading, p.offset);
			return;
		}
		const bool hit =
			is_hit(b, c, p.offset, bits_before(c) + (trap ? c->ecause_width + 2u : 0u));

		hits += hit;
		misses += !hit;
		reading->good = hit ? p.offset : reading->good;
		reading->misses = hit ? misses : reading->misses;
	}
}

static void keep(struct bare *b, const struct reading *r)
{
	const int better = b->n ? compare(r, &b->kept[0]) : 1;

	if (better > 0)
		b->n = 0;
	if (better >= 0 && b->n < KEPT)
		b->kept[b->n++] = *r;
}

/* All widths of what is in packets with optional modes: number @i of the ways of returns. */
static void read_sizes(struct bare *b, const struct hs_et_config *given, unsigned i)
{
	struct hs_et_config c = *given;
	const bool cache = b->options & HS_ET_JUMP_TARGET_CACHE,
		   tables = cache || b->options & HS_ET_BRANCH_PREDICTION;

	c.return_stack_size = i && i <= 8 ? (uint8_t)i : i == RETURNS - 1 ? 8 : 0;
	c.call_counter_size = i > 8 && i <= 16 ? (uint8_t)(i - 8) : 0;
	c.iret_ext = i == RETURNS - 1;
	for (c.f0s_width = 0; c.f0s_width <= (tables ? 2 : 0); c.f0s_width++)
		for (c.cache_size = cache; c.cache_size <= (cache ? 12 : 0); c.cache_size++) {
			struct reading r = { .config = c };

			read_packets(b, &r);
			keep(b, &r);
		}
}

/* The first address is where an instruction begins: are the packets after it ones, too? */
static void read_with(struct bare *b, unsigned at, unsigned width, unsigned unit)
{
	const struct identify_place place = { .at = (uint8_t)at, .unit = (uint8_t)unit };
	const bool returns = b->options & HS_ET_IMPLICIT_RETURN;
	struct hs_et_config c = { .size = sizeof(c), .dialect = HS_ET_DIALECT_NONE };

	if (!identify_widths(&place, b->packets, &c))
		return;
	c.iaddress_unit = (uint8_t)unit;
	c.iaddress_width = (uint8_t)width;
	c.sijump = (b->options & HS_ET_SIJUMP) != 0;
	c.bpred_size = b->options & HS_ET_BRANCH_PREDICTION ? TABLE : 0;
	for (unsigned i = returns; i < (returns ? RETURNS : 1); i++)
		if (i <= 16 || i == RETURNS - 1)
			read_sizes(b, &c, i);
}

static void read_all(struct bare *b)
{
	const struct identify_code *code = b->search->code;
	const unsigned most = code->image->isa.xlen == 32 ? 32 : 64;

	for (unsigned at = FIRST; at <= LAST; at++)
		for (unsigned unit = 1; unit <= 4; unit *= 2)
			for (unsigned w = least_width(code, unit); w <= most; w++)
				if (identify_is_code(
					    code, address_at(&b->packets->payload[0], at, w, unit)))
					read_with(b, at, w, unit);
}

/* ---- with it ------------------------------------------------------------------------------ */

/* The widths of what is before addresses, by all packets that synchronise. */
static void weigh_widths(struct identify_search *s, struct identify_packets *packets,
                         struct identify_guess *g)
{
	struct hs_et_config *c = &g->config.et;
	const struct identify_place place = { .at = (uint8_t)bits_before(c) };
	struct hs_span in = { s->bytes.p, s->bytes.n < WIDTH_BYTES ? s->bytes.n : WIDTH_BYTES };
	struct hs_et_reader r;
	struct hs_et_packet p;

	if (hs_et_reader_init(&r, c) != HS_OK)
		return;
	packets->count = 0;
	while (packets->count < IDENTIFY_PACKETS && hs_et_read(&r, &in, &p) == HS_OK) {
		if (p.form == HS_ET_FORM_SUPPORT)
			hs_et_reader_follow(&r, &p);
		if (p.form == HS_ET_FORM_START)
			packets->payload[packets->count++] = (struct identify_payload){
				s->bytes.p + p.offset,
				0,
				(uint16_t)(8 * p.length),
			};
	}
	identify_widths(&place, packets, c);
}

/* What the readings leave open, on few bytes: the size of a predictor. */
static void follow_all(struct bare *b, struct identify_guess *best)
{
	static const enum identify_axis predictor = IDENTIFY_PREDICTOR;
	struct identify_search *s = b->search;
	const unsigned axes = b->options & HS_ET_BRANCH_PREDICTION ? 1 : 0;

	for (size_t i = 0; i < b->n && !identify_is_whole(&best->fit); i++) {
		struct identify_guess g = { .transport = s->way->transport,
			                    .config.is = IDENTIFY_ETRACE,
			                    .config.et = b->kept[i].config };

		g.cause = b->kept[i].cause ? g.config.et.ecause_width : 0;
		weigh_widths(s, b->packets, &g);
		identify_product(s, &g, &predictor, axes, TRIAL_BYTES, i ? &best->fit : NULL);
		if (!i || identify_better(&g.fit, &best->fit))
			*best = g;
	}
}

bool identify_bare(struct identify_search *s)
{
	struct bare *b = calloc(1, sizeof(*b));
	struct identify_guess best = { .fit = { .bytes = 1 } };

	if (b)
		*b = (struct bare){ .search = s, .packets = malloc(sizeof(*b->packets)) };
	if (b && b->packets && find_beginning(b)) {
		read_all(b);
		follow_all(b, &best);
		if (b->n)
			identify_find_sizes(s, &best, b->options);
	}
	if (b)
		free(b->packets);
	free(b);
	s->best = best;
	return best.fit.halfwords != 0;
}
