/* E-Trace without frames: payloads at their full length, one after the other.  Each width decides
 * where the next packet begins, so that a wrong one contradicts soon. */
#include <stdlib.h>

#include "identify/private.h"

#define FIRST 5 /* format, subformat, branch (ET Format 3 packets) */
#define LAST 137
#define TRIAL_BYTES ((size_t)1 << 9)
#define WIDTH_BYTES ((size_t)1 << 15)
#define SUPPORT 15 /* format 3 subformat 3 */
#define START 3    /* format 3 subformat 0 */

/* The first packets: perhaps a support packet, then one that synchronises. */
struct beginning {
	struct identify_packets *packets; /* the one that synchronises */
	unsigned options;
};

static bool find_beginning(const struct hs_span *bytes, struct beginning *b)
{
	struct hs_et_layout_config w;
	struct identify_packets *p = b->packets;
	size_t at = 0;

	b->options = 0;
	p->payload[0] = (struct identify_payload){ bytes->p, 0, 16 };
	p->count = 1;
	if (bytes->n > 64 && (bytes->p[0] & 15) == SUPPORT &&
	    hs_et_layout_of(HS_ET_DIALECT_NONE, HS_ET_2_0, &w) == HS_OK) {
		b->options = identify_find_options(p, HS_ET_DIALECT_NONE);
		at = (7u + w.mode_bits + w.ioptions_width + 7u) / 8;
	}
	if (bytes->n < at + 64 || (bytes->p[at] & 15) != START)
		return false;
	p->payload[0] = (struct identify_payload){ bytes->p + at, 0, 8 * 64 };
	return true;
}

/* @width bits at @at, as an address. */
static uint64_t address_at(const struct beginning *b, unsigned at, unsigned width, unsigned unit)
{
	const uint64_t v = identify_bits(&b->packets->payload[0], at, width);
	const bool negative = width < 64 && v >> (width - 1) & 1;

	return (negative ? v | UINT64_MAX << width : v) * unit;
}

/* The smallest width that holds all addresses of the program. */
static unsigned least_width(const struct identify_code *code, unsigned unit)
{
	unsigned bits = 1;

	while (bits < 64 && code->most / unit >> bits)
		bits++;
	return bits;
}

/* The first address is where an instruction begins: are the packets after it ones, too? */
static void try_address(struct identify_search *s, const struct beginning *b, unsigned at,
                        unsigned width, unsigned unit, struct identify_guess *best)
{
	const struct identify_place place = { .at = (uint8_t)at, .unit = (uint8_t)unit };
	const struct hs_span part = { s->bytes.p,
		                      s->bytes.n < TRIAL_BYTES ? s->bytes.n : TRIAL_BYTES };
	struct identify_guess g = { .transport = s->way->transport };
	struct hs_et_config *c = &g.config.et;

	*c = (struct hs_et_config){ .size = sizeof(*c), .dialect = HS_ET_DIALECT_NONE };
	if (!identify_widths(&place, b->packets, 0, c))
		return;
	c->iaddress_unit = (uint8_t)unit;
	c->iaddress_width = (uint8_t)width;
	identify_set_options(c, b->options);
	identify_follow(s->code, &part, &g, NULL);
	if (!b->options && !identify_better(&g.fit, &best->fit))
		return;
	identify_find_sizes(s, &g, b->options);
	if (identify_better(&g.fit, &best->fit))
		*best = g;
}

/* The widths of what is before addresses, by all packets that synchronise. */
static void weigh_widths(struct identify_search *s, struct identify_packets *packets,
                         struct identify_guess *g)
{
	struct hs_et_config *c = &g->config.et;
	const struct identify_place place = {
		.at = (uint8_t)(FIRST + c->privilege_width + c->time_width + c->context_width),
	};
	struct hs_span in = { s->bytes.p, s->bytes.n < WIDTH_BYTES ? s->bytes.n : WIDTH_BYTES };
	struct hs_et_reader r;
	struct hs_et_packet p;

	if (hs_et_reader_init(&r, c) != HS_OK)
		return;
	packets->count = 0;
	while (packets->count < IDENTIFY_PACKETS && hs_et_read(&r, &in, &p) == HS_OK) {
		hs_et_reader_follow(&r, &p);
		if (p.form == HS_ET_FORM_START)
			packets->payload[packets->count++] = (struct identify_payload){
				s->bytes.p + p.offset,
				0,
				(uint16_t)(8 * p.length),
			};
	}
	identify_widths(&place, packets, 0, c);
}

bool identify_bare(struct identify_search *s)
{
	struct beginning b = { .packets = malloc(sizeof(*b.packets)) };
	const unsigned most = s->code->image->isa.xlen == 32 ? 32 : 64;
	struct identify_guess best = { .fit = { .bytes = 1 } };

	if (b.packets && find_beginning(&s->bytes, &b))
		for (unsigned at = FIRST; at <= LAST; at++)
			for (unsigned unit = 1; unit <= 4; unit *= 2)
				for (unsigned w = least_width(s->code, unit); w <= most; w++)
					if (!identify_is_whole(&best.fit) &&
					    s->code->work < s->end &&
					    identify_is_code(s->code, address_at(&b, at, w, unit)))
						try_address(s, &b, at, w, unit, &best);
	if (b.packets && best.fit.halfwords)
		weigh_widths(s, b.packets, &best);
	free(b.packets);
	s->best = best;
	return best.fit.halfwords != 0;
}
