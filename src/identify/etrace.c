/* E-Trace: frames and the place of addresses first, then what the program needs. */
#include <stdlib.h>
#include <string.h>

#include "identify/private.h"

#define PROBE_BYTES ((size_t)1 << 10)
#define SIZE_BYTES ((size_t)3 << 10)
#define RETURN_SIZES 8
#define STEP_BYTES ((size_t)1 << 15)
#define CUT_BYTES ((size_t)1 << 16)
#define KEPT 6 /* guesses whose options are looked for */

/* ---- what packets say ----------------------------------------------------------------- */

/* The options of the first support packets: enum hs_et_option. */
static unsigned find_options(const struct identify_packets *p, unsigned dialect)
{
	struct hs_et_layout_config w;
	unsigned found = 0;

	if (hs_et_layout_of(dialect, HS_ET_2_0, &w) != HS_OK)
		return 0;
	for (size_t i = 0; i < p->count; i++) {
		if (identify_bits(&p->payload[i], 0, 4) != 15)
			continue;
		const unsigned at = 7 + w.mode_bits; /* format, subformat, ienable, qual_status */
		const uint64_t bits = identify_bits(&p->payload[i], at, w.ioptions_width);

		for (unsigned k = 0; k < w.ioptions_width; k++)
			found |= bits >> k & 1 ? w.ioptions[k] : 0u;
	}
	return found;
}

static void set_frame(struct hs_et_config *c, const struct identify_place *p)
{
	*c = (struct hs_et_config){ .size = sizeof(*c) };
	hs_et_config_dialect(c, p->frame.dialect);
	c->src_bits = p->frame.src_bits;
	c->tstamp_bytes = p->frame.stamp;
	c->iaddress_unit = p->unit;
}

/* A table of each option: with size 0 the decoder would not take the option. */
static void set_options(struct hs_et_config *c, unsigned options)
{
	c->sijump = (options & HS_ET_SIJUMP) != 0;
	c->return_stack_size = options & HS_ET_IMPLICIT_RETURN ? 4 : 0;
	c->bpred_size = options & HS_ET_BRANCH_PREDICTION ? 4 : 0;
	c->cache_size = options & HS_ET_JUMP_TARGET_CACHE ? 4 : 0;
	c->f0s_width = c->bpred_size && c->cache_size;
}

/* ---- sizes ---------------------------------------------------------------------------- */

static void find_tables(struct identify_search *s, struct identify_guess *g, unsigned options,
                        size_t most)
{
	static const enum identify_axis all[] = { IDENTIFY_SUBFORMAT, IDENTIFY_PREDICTOR,
		                                  IDENTIFY_CACHE };
	const bool predictor = options & HS_ET_BRANCH_PREDICTION,
		   cache = options & HS_ET_JUMP_TARGET_CACHE;
	enum identify_axis axes[3] = { 0 };
	unsigned n = 0;

	if (predictor || cache)
		axes[n++] = all[0];
	if (predictor)
		axes[n++] = all[1];
	if (cache)
		axes[n++] = all[2];
	identify_product(s, g, axes, n, most);
}

/* How calls are counted: number @i of all ways. */
static void set_returns(struct hs_et_config *c, unsigned i)
{
	const uint8_t size = (uint8_t)(i % RETURN_SIZES + 1);

	c->return_stack_size = i / RETURN_SIZES != 1 ? size : 0;
	c->call_counter_size = i / RETURN_SIZES == 1 ? size : 0;
	c->iret_ext = i / RETURN_SIZES == 2;
}

/* All ways of returns, each with all sizes of the tables of @options. */
static void find_together(struct identify_search *s, struct identify_guess *g, unsigned options,
                          unsigned tables, size_t most)
{
	struct identify_guess given = *g;

	find_tables(s, g, tables, most);
	for (unsigned i = 0;
	     options & HS_ET_IMPLICIT_RETURN && i < 3 * RETURN_SIZES && !identify_is_whole(&g->fit);
	     i++) {
		struct identify_guess other = given;

		set_returns(&other.config.et, i);
		find_tables(s, &other, tables, most);
		if (identify_better(&other.fit, &g->fit))
			*g = other;
	}
}

/* Returns hide what tables have wrong, and tables what returns have: all of them together on few
 * bytes, and what those do not show on more, one after the other. */
static void find_sizes(struct identify_search *s, struct identify_guess *g, unsigned options)
{
	find_together(s, g, options, options, SIZE_BYTES);
	find_together(s, g, options, 0, STEP_BYTES);
	find_tables(s, g, options, STEP_BYTES);
	if (!identify_is_whole(&g->fit))
		find_together(s, g, options, 0, STEP_BYTES);
}

/* ---- guesses --------------------------------------------------------------------------- */

/* The best guesses, in order. */
struct best {
	struct identify_guess guess[KEPT];
	struct said {
		unsigned options; /* enum hs_et_option */
		unsigned longest; /* bits of the longest packet of format 2 */
	} said[KEPT];
	size_t n;
};

static void keep(struct best *b, const struct identify_guess *g, const struct said *said)
{
	size_t at = b->n;

	while (at && identify_better(&g->fit, &b->guess[at - 1].fit))
		at--;
	if (at == KEPT)
		return;
	b->n += b->n < KEPT;
	memmove(&b->guess[at + 1], &b->guess[at], (b->n - 1 - at) * sizeof(*g));
	memmove(&b->said[at + 1], &b->said[at], (b->n - 1 - at) * sizeof(*said));
	b->guess[at] = *g;
	b->said[at] = *said;
}

/* A packet of format 2 at its full length has all bits of an address. */
static unsigned find_longest(const struct identify_packets *p)
{
	unsigned longest = 0;

	for (size_t i = 0; i < p->count; i++) {
		const unsigned bits = (unsigned)p->payload[i].end - p->payload[i].at;

		if (identify_bits(&p->payload[i], 0, 2) == 2 && bits > longest)
			longest = bits;
	}
	return longest;
}

/* The versions that a place may be of, with the likeliest widths. */
static void try_place(struct identify_search *s, const struct identify_place *place,
                      struct identify_packets *packets, struct best *best)
{
	const struct hs_span part = { s->bytes.p,
		                      s->bytes.n < PROBE_BYTES ? s->bytes.n : PROBE_BYTES };
	struct identify_guess g = { .transport = s->transport };
	struct hs_et_config *c = &g.config.et;

	identify_cut(&s->bytes, &place->frame, packets);
	const struct said said = { find_options(packets, place->frame.dialect),
		                   find_longest(packets) };

	set_frame(c, place);
	set_options(c, said.options);
	if (s->code->image->isa.xlen == 32)
		c->iaddress_width = 32;
	for (unsigned i = 0; i < 3 && identify_widths(place, packets, i, c); i++) {
		identify_follow(s->code, &part, &g);
		keep(best, &g, &said);
	}
	/* the draft's packets synchronise alike; its own dialects imply it */
	set_options(c, 0);
	c->version = HS_ET_0_026;
	c->context_mark = 1;
	identify_widths(place, packets, 0, c);
	identify_follow(s->code, &part, &g);
	keep(best, &g, &(struct said){ 0, 0 });
}

/* Without frames only the first byte can begin a packet: one that synchronises or says what the
 * encoder does. */
static bool may_be_bare(const struct identify_search *s)
{
	return strcmp(s->transport, "raw") == 0 && s->bytes.n > 2 &&
	       ((s->bytes.p[0] & 15) == 3 || (s->bytes.p[0] & 15) == 15);
}

/* Payloads without a frame have all of their fields at their full width: all at once. */
static void try_bare(struct identify_search *s, struct best *best)
{
	static const uint8_t widths[] = { 0, 8, 16, 32, 40, 48, 64 };
	const struct hs_span part = { s->bytes.p, s->bytes.n < 512 ? s->bytes.n : 512 };
	struct identify_packets *packets = malloc(sizeof(*packets));
	struct identify_guess g = { .transport = s->transport };
	struct hs_et_config *c = &g.config.et;
	unsigned options = 0;

	if (packets && s->bytes.n > 2) { /* a support packet may come first: 2 bytes */
		packets->payload[0] = (struct identify_payload){ s->bytes.p, 0, 16 };
		packets->count = 1;
		options = find_options(packets, HS_ET_DIALECT_NONE);
	}
	free(packets);
	for (unsigned i = 0; i < 4 * 7 * 7 * 14; i++) {
		const unsigned depth = i / 196;

		if (s->code->work > s->end)
			return;
		*c = (struct hs_et_config){ .size = sizeof(*c),
			                    .dialect = HS_ET_DIALECT_NONE,
			                    .privilege_width = (uint8_t)((i % 4 + 2) % 4 + 1) };
		set_options(c, options);
		c->iaddress_width = s->code->image->isa.xlen == 32 ? 32 : 64;
		c->time_width = widths[i / 4 % 7];
		c->context_width = widths[i / 28 % 7];
		c->time = c->time_width != 0;
		c->context = c->context_width != 0;
		c->return_stack_size = depth < 7 ? (uint8_t)depth : 0;
		c->call_counter_size = depth < 7 ? 0 : (uint8_t)(depth - 6);
		identify_follow(s->code, &part, &g);
		keep(best, &g, &(struct said){ options, 0 });
	}
}

/* Bits after an address of format 2: notify, updiscon, irreport, irdepth or irets. */
static unsigned bits_after(const struct hs_et_config *c)
{
	const unsigned stack = c->return_stack_size, counter = c->call_counter_size;

	return 3u + (c->iret_ext ? 8u : stack + (stack > 0) + counter);
}

/* An address of another width than that of the program's harts: each that makes the longest packet
 * as long as it is. */
static void find_width(struct identify_search *s, struct identify_guess *g, const struct said *said)
{
	const struct identify_guess given = *g;

	find_sizes(s, g, said->options);
	for (uint8_t width = 63; width >= 32 && said->longest > 32; width--) {
		struct identify_guess other = given;

		if (identify_is_whole(&g->fit) || identify_share(&g->fit) > 9500)
			return;
		if (2u + width + bits_after(&given.config.et) + 16 < said->longest ||
		    2u + width > said->longest)
			continue;
		other.config.et.iaddress_width = width;
		find_sizes(s, &other, said->options);
		if (identify_better(&other.fit, &g->fit))
			*g = other;
	}
}

/* In the draft a cause comes after an address: one width hides the other. */
static void find_cause(struct identify_search *s, struct identify_guess *g)
{
	static const enum identify_axis axes[] = { IDENTIFY_ADDRESS_WIDTH, IDENTIFY_CAUSE };

	if (g->config.et.version == HS_ET_0_026 && !identify_is_whole(&g->fit) &&
	    identify_share(&g->fit) > 9000)
		identify_product(s, g, axes, 2, s->bytes.n);
}

static bool search_options(struct identify_search *s, struct best *best)
{
	bool found = false;

	for (size_t i = 0; i < best->n; i++) {
		struct identify_guess g = best->guess[i];

		if (!g.fit.halfwords || g.fit.messages < 4)
			continue;
		find_width(s, &g, &best->said[i]);
		identify_descend(s, &g, STEP_BYTES);
		find_cause(s, &g);
		if (!found || identify_better(&g.fit, &s->best.fit))
			s->best = g;
		found = true;
		if (identify_is_whole(&s->best.fit))
			break;
	}
	return found;
}

bool identify_etrace(struct identify_search *s)
{
	struct identify_packets *packets = malloc(sizeof(*packets));
	struct identify_place place[IDENTIFY_PLACES];
	struct best best = { .n = 0 };
	const struct hs_span all = s->bytes;

	if (!packets || !s->code) {
		free(packets);
		return false;
	}
	s->bytes.n = all.n < CUT_BYTES ? all.n : CUT_BYTES;
	const size_t n = identify_places(s, place);

	for (size_t i = 0; i < n; i++)
		try_place(s, &place[i], packets, &best);
	if (may_be_bare(s) && (!n || identify_share(&best.guess[0].fit) < 3000))
		try_bare(s, &best);
	s->bytes = all;
	free(packets);
	return search_options(s, &best);
}

void identify_et_refine(struct identify_search *s, struct identify_guess *g)
{
	const struct hs_et_config *c = &g->config.et;
	const unsigned returns = c->return_stack_size || c->call_counter_size || c->iret_ext
	                                 ? HS_ET_IMPLICIT_RETURN
	                                 : 0;

	find_together(s, g, returns, 0, s->bytes.n);
	if (!identify_is_whole(&g->fit))
		identify_descend(s, g, s->bytes.n);
	find_cause(s, g);
}
