/* E-Trace: frames and the place of addresses first, then what the program needs. */
#include <stdlib.h>
#include <string.h>

#include "etrace/etrace.h"
#include "identify/private.h"

#define FIRST_WORK \
	(UINT64_C(1) << 20) /* of one guess: trials up to the first that explains some, */
#define STRICT_WORK (UINT64_C(1) << 22) /* of one guess: trials up to a contradiction, */
#define GUESS_WORK (UINT64_C(1) << 21)  /* and trials that go on after them */
#define SIZE_BYTES ((size_t)3 << 10)
#define RETURN_SIZES 8
#define STEP_BYTES ((size_t)1 << 15)
#define CUT_BYTES ((size_t)1 << 16)
#define KEPT 6 /* guesses whose options are looked for */
#define LEAST_WIDTH 8
#define OPTION_SETS 6
#define SUPPORT 15                    /* format 3 subformat 3 */
#define START_BYTES ((size_t)4 << 10) /* in which a trace may say what it is */
#define LEAST_SHARE 3000              /* of 10,000 bytes: less will not get better */

/* What packets say of their encoder. */
struct said {
	unsigned options; /* enum hs_et_option */
	unsigned longest; /* bits of the longest packet of format 2 */
};

/* ---- what packets say ----------------------------------------------------------------- */

/* The options of a support packet: enum hs_et_option. */
static unsigned read_options(const struct identify_payload *p, const struct hs_et_layout_config *w)
{
	const unsigned at = 7 + w->mode_bits; /* format, subformat, ienable, qual_status */
	const uint64_t bits = identify_bits(p, at, w->ioptions_width);
	unsigned found = 0;

	for (unsigned k = 0; k < w->ioptions_width; k++)
		found |= bits >> k & 1 ? w->ioptions[k] : 0u;
	return found;
}

/* The options of the first support packets. */
unsigned identify_find_options(const struct identify_packets *p, unsigned dialect)
{
	struct hs_et_layout_config w;
	unsigned found = 0;

	if (hs_et_layout_of(dialect, HS_ET_2_0, &w) != HS_OK)
		return 0;
	for (size_t i = 0; i < p->count; i++)
		if (identify_bits(&p->payload[i], 0, 4) == SUPPORT)
			found |= read_options(&p->payload[i], &w);
	return found;
}

/* Sets of options, and how many support packets have each. */
struct options {
	unsigned set[OPTION_SETS], count[OPTION_SETS];
	size_t n;
};

static void add_options(struct options *o, unsigned set)
{
	size_t i = 0;

	while (i < o->n && o->set[i] != set)
		i++;
	if (i == OPTION_SETS)
		return;
	o->n += i == o->n;
	o->set[i] = set;
	o->count[i]++;
}

/* Of bytes that begin inside a trace: what support packets anywhere say, mostly the last one.  What
 * reads as one after a wrap point, and is none, says something else each time. */
static void find_options_anywhere(const struct identify_search *s, const struct identify_frame *f,
                                  struct identify_packets *scratch, struct options *o)
{
	struct identify_frame frame = *f;
	struct hs_et_layout_config w;
	struct hs_span in = s->all;

	*o = (struct options){ .n = 0 };
	if (hs_et_layout_of(f->dialect, HS_ET_2_0, &w) != HS_OK)
		return;
	identify_align(&in, &frame, scratch);
	for (size_t taken = 1; in.n && taken; frame.skip = 0) {
		identify_cut(&in, &frame, scratch);
		for (size_t i = 0; i < scratch->count; i++)
			if (identify_bits(&scratch->payload[i], 0, 4) == SUPPORT)
				add_options(o, read_options(&scratch->payload[i], &w));
		taken = scratch->bytes;
		in = (struct hs_span){ in.p + taken, in.n - taken };
	}
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
void identify_set_options(struct hs_et_config *c, unsigned options)
{
	c->sijump = (options & HS_ET_SIJUMP) != 0;
	c->return_stack_size = options & HS_ET_IMPLICIT_RETURN ? 4 : 0;
	c->bpred_size = options & HS_ET_BRANCH_PREDICTION ? 4 : 0;
	c->cache_size = options & HS_ET_JUMP_TARGET_CACHE ? 4 : 0;
	c->f0s_width = c->bpred_size && c->cache_size;
}

/* ---- sizes ---------------------------------------------------------------------------- */

static void find_tables(struct identify_search *s, struct identify_guess *g, unsigned options,
                        size_t most, const struct identify_fit *bar)
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
	identify_product(s, g, axes, n, most, bar);
}

/* How calls are counted: number @i of all ways. */
static void set_returns(struct hs_et_config *c, unsigned i)
{
	const uint8_t size = (uint8_t)(i % RETURN_SIZES + 1);

	c->return_stack_size = i / RETURN_SIZES != 1 ? size : 0;
	c->call_counter_size = i / RETURN_SIZES == 1 ? size : 0;
	c->iret_ext = i / RETURN_SIZES == 2;
}

/* Bits after an address of format 2: notify, updiscon, irreport, irdepth or irets. */
static unsigned bits_after(const struct hs_et_config *c)
{
	const unsigned stack = c->return_stack_size, counter = c->call_counter_size;

	return 3u + (c->iret_ext ? 8u : stack + (stack > 0) + counter);
}

/* All sizes of the tables with each width of an address that makes the longest packet as long as it
 * is. */
static void find_widths(struct identify_search *s, struct identify_guess *g,
                        const struct said *said, unsigned tables, size_t most)
{
	const struct identify_guess given = *g;
	const unsigned before = given.config.et.iaddress_unit == 4
	                                ? 0
	                                : 3 - given.config.et.iaddress_unit,
		       after = bits_after(&given.config.et), over = s->strict ? 0 : 7;

	for (unsigned width = 64; width >= LEAST_WIDTH && said->longest; width--) {
		const unsigned bits = before + width + after; /* the format, without lowest bits */
		struct identify_guess other = given;

		if (identify_is_whole(&g->fit))
			return;
		if (bits + 7 < said->longest || bits > said->longest + over)
			continue;
		other.config.et.iaddress_width = (uint8_t)width;
		find_tables(s, &other, tables, most, &g->fit);
		if (identify_better(&other.fit, &g->fit))
			*g = other;
	}
}

/* All ways of returns, each with all sizes of the tables of @options. */
static void find_returns(struct identify_search *s, struct identify_guess *g,
                         const struct said *said, unsigned tables, size_t most)
{
	const struct identify_guess given = *g;

	find_tables(s, g, tables, most, NULL);
	for (unsigned i = 0; said->options & HS_ET_IMPLICIT_RETURN && i < 3 * RETURN_SIZES &&
	                     !identify_is_whole(&g->fit);
	     i++) {
		struct identify_guess other = given;

		set_returns(&other.config.et, i);
		find_tables(s, &other, tables, most, &g->fit);
		if (identify_better(&other.fit, &g->fit))
			*g = other;
	}
}

/* A width that is wrong shows in long packets only: the sizes first, then widths, then both. */
static void find_together(struct identify_search *s, struct identify_guess *g,
                          const struct said *said, unsigned tables, size_t most)
{
	for (unsigned round = 0; round < 2; round++) {
		find_returns(s, g, said, tables, most);
		if (!identify_is_whole(&g->fit))
			find_widths(s, g, said, tables, most);
		if (identify_is_whole(&g->fit))
			return;
	}
}

/* Everything with each other: a trial that ends at its first contradiction is short. */
static void find_strictly(struct identify_search *s, struct identify_guess *g,
                          const struct said *said)
{
	const struct identify_guess given = *g;
	const unsigned ways = said->options & HS_ET_IMPLICIT_RETURN ? 3 * RETURN_SIZES : 1;
	const uint64_t first = s->code->work + FIRST_WORK;

	s->strict = true;
	g->fit = (struct identify_fit){ .bytes = 1 };
	for (unsigned i = 0; i < ways && !identify_is_whole(&g->fit); i++) {
		if (!g->fit.explained && s->code->work > first)
			break;
		struct identify_guess other = given;

		if (ways > 1)
			set_returns(&other.config.et, i);
		find_tables(s, &other, said->options, SIZE_BYTES, &g->fit);
		find_widths(s, &other, said, said->options, SIZE_BYTES);
		if (identify_better(&other.fit, &g->fit))
			*g = other;
	}
	s->strict = false;
}

/* Returns hide what tables have wrong, and tables what returns have: all of them together on few
 * bytes, and what those do not show on more. */
static void find_sizes(struct identify_search *s, struct identify_guess *g, const struct said *said)
{
	if (identify_share(&g->fit) < LEAST_SHARE)
		return;
	find_together(s, g, said, 0, STEP_BYTES);
	if (!identify_is_whole(&g->fit))
		find_together(s, g, said, said->options, STEP_BYTES);
}

void identify_find_sizes(struct identify_search *s, struct identify_guess *g, unsigned options)
{
	const struct said said = { options, 0 };

	find_together(s, g, &said, options, SIZE_BYTES);
	if (identify_share(&g->fit) > 9000)
		find_together(s, g, &said, options, STEP_BYTES);
}

/* ---- guesses --------------------------------------------------------------------------- */

/* The best guesses, in order. */
struct best {
	struct identify_guess guess[KEPT];
	struct said said[KEPT];
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

static bool is_solved(const struct best *b)
{
	return b->n && identify_is_whole(&b->guess[0].fit);
}

/* No more than a share of the work. */
static void limit(struct identify_search *s, uint64_t end, uint64_t work)
{
	const uint64_t most = s->code->work + work;

	s->end = most < end ? most : end;
}

/* Sizes on few bytes; a guess that is wrong takes no more than its share of the work. */
static void try_sizes(struct identify_search *s, const struct identify_guess *guess,
                      const struct said *said, struct best *best)
{
	const uint64_t end = s->end;
	struct identify_guess g = *guess;

	limit(s, end, STRICT_WORK);
	find_strictly(s, &g, said);
	limit(s, end, GUESS_WORK);
	if (!identify_is_whole(&g.fit) && said->options & HS_ET_IMPLICIT_RETURN)
		find_together(s, &g, said, said->options, SIZE_BYTES / 4);
	find_together(s, &g, said, said->options, SIZE_BYTES);
	s->end = end;
	if (g.fit.halfwords && g.fit.messages >= 4)
		keep(best, &g, said);
}

/* Options of which support packets of this dialect do not say whether they are on. */
static unsigned silent_options(unsigned dialect)
{
	unsigned silent = HS_ET_SIJUMP | HS_ET_FULL_ADDRESS;
	struct hs_et_layout_config w;

	if (hs_et_layout_of(dialect, HS_ET_2_0, &w) != HS_OK)
		return 0;
	for (unsigned i = 0; i < w.ioptions_width; i++)
		silent &= ~(unsigned)w.ioptions[i];
	return silent;
}

static void try_silent(struct identify_search *s, const struct identify_guess *guess,
                       const struct said *said, struct best *best)
{
	static const uint8_t options[] = { HS_ET_FULL_ADDRESS, HS_ET_SIJUMP,
		                           HS_ET_FULL_ADDRESS | HS_ET_SIJUMP };
	const unsigned silent = silent_options(guess->config.et.dialect);

	for (size_t i = 0; i < sizeof(options) && !is_solved(best); i++) {
		struct identify_guess g = *guess;

		if ((options[i] & silent) != options[i])
			continue;
		g.config.et.sijump = (options[i] & HS_ET_SIJUMP) != 0;
		g.config.et.options |= options[i];
		try_sizes(s, &g, said, best);
	}
}

/* Packets of 2.0 and 1.1 with these options.  Of bytes that begin inside a trace no packet before
 * them said which are on. */
static void try_options(struct identify_search *s, const struct identify_guess *guess,
                        const struct said *said, struct best *best)
{
	struct identify_guess g = *guess;

	identify_set_options(&g.config.et, said->options);
	if (s->way->inside)
		g.config.et.options = (uint8_t)said->options;
	try_sizes(s, &g, said, best);
	if (!is_solved(best))
		try_silent(s, &g, said, best);
}

/* The draft's packets synchronise alike; its own dialects imply it. */
static void try_draft(struct identify_search *s, const struct identify_guess *guess,
                      unsigned longest, struct best *best)
{
	struct identify_guess g = *guess;
	struct hs_et_config *c = &g.config.et;

	c->ecause_width = g.cause = 0;
	identify_set_options(c, 0);
	c->version = HS_ET_0_026;
	c->context_mark = 1;
	c->data_trace = 0;
	for (unsigned i = 0; i < 3 && !is_solved(best); i++) {
		c->options = i == 2 ? HS_ET_FULL_ADDRESS : 0;
		c->negated = i == 1;
		try_sizes(s, &g, &(struct said){ 0, longest }, best);
	}
}

/* The versions that a place may be of, with the likeliest widths. */
static void try_place(struct identify_search *s, const struct identify_place *place,
                      struct identify_packets *packets, struct best *best)
{
	struct identify_guess g = { .transport = s->way->transport,
		                    .skip = place->frame.skip,
		                    .config.is = IDENTIFY_ETRACE };
	struct hs_et_config *c = &g.config.et;
	struct options options = { .n = 0 };
	bool only;

	if (s->way->inside)
		find_options_anywhere(s, &place->frame, packets, &options);
	identify_cut(&s->bytes, &place->frame, packets);
	struct said said = { identify_find_options(packets, place->frame.dialect),
		             find_longest(packets) };

	set_frame(c, place);
	if (!identify_widths(place, packets, c))
		return;
	c->data_trace = packets->data != 0;
	if (s->code->image->isa.xlen == 32)
		c->iaddress_width = 32;
	c->ecause_width = (uint8_t)identify_cause(s->code, place, packets, &only);
	g.cause = only ? c->ecause_width : 0;
	try_options(s, &g, &said, best);
	for (size_t i = 0; i < options.n && !is_solved(best); i++) {
		if (options.set[i] == said.options)
			continue;
		try_options(s, &g, &(struct said){ options.set[i], said.longest }, best);
	}
	try_draft(s, &g, said.longest, best);
}

/* In the draft a cause comes after an address: one width hides the other. */
static void find_cause(struct identify_search *s, struct identify_guess *g)
{
	static const enum identify_axis axes[] = { IDENTIFY_ADDRESS_WIDTH, IDENTIFY_CAUSE };

	if (g->config.et.version == HS_ET_0_026 && !identify_is_whole(&g->fit) &&
	    identify_share(&g->fit) > 9000)
		identify_product(s, g, axes, 2, s->bytes.n, NULL);
}

static bool search_options(struct identify_search *s, struct best *best)
{
	bool found = false;

	for (size_t i = 0; i < best->n; i++) {
		struct identify_guess g = best->guess[i];

		find_sizes(s, &g, &best->said[i]);
		if (identify_share(&g.fit) >= LEAST_SHARE)
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

/* The form says the dialect. */
static bool take_dialect(struct identify_search *s, struct identify_guess *g)
{
	const uint64_t slots = s->bytes.n / HS_ET_SLOT_BYTES;

	g->config.is = IDENTIFY_ETRACE;
	g->fixed = true;
	if (s->code)
		identify_follow(s->code, &s->bytes, g, NULL);
	if (!s->code || identify_share(&g->fit) < LEAST_SHARE) /* of another program, say */
		g->fit = (struct identify_fit){ .bytes = s->bytes.n,
			                        .explained = s->bytes.n,
			                        .messages = slots };
	return true;
}

static struct hs_span start_of(const struct identify_search *s)
{
	return (struct hs_span){ s->bytes.p, s->bytes.n < START_BYTES ? s->bytes.n : START_BYTES };
}

/* With the program: widths that no packet says are looked for where the defaults do not fit. */
static void take_word(struct identify_search *s, struct identify_guess *g, uint32_t word)
{
	struct hs_et_config *c = &g->config.et;

	g->config.is = IDENTIFY_ETRACE;
	hs_et_standard_config(c, word);
	g->described = true;
	if (!s->code)
		return;
	if (s->code->image->isa.xlen == 32)
		c->iaddress_width = 32;
	identify_follow(s->code, &s->bytes, g, NULL);
	if (!identify_is_whole(&g->fit))
		identify_descend(s, g, s->bytes.n);
}

bool identify_described(struct identify_search *s, struct identify_guess *g)
{
	const struct hs_span start = start_of(s);
	struct identify_frame f;
	uint32_t word;

	if (s->way->inside)
		return false;
	if (hs_et_recognise_dialect(&start, &g->config.et))
		return take_dialect(s, g);
	if (!hs_et_recognise(&start, false, &g->config.et, &word))
		return false;
	take_word(s, g, word);
	if (!s->code)
		(void)identify_form(&s->bytes, s->way, &f, &g->fit);
	return true;
}

bool identify_may_be_described(struct identify_search *s, const struct identify_guess *found)
{
	const struct hs_span start = start_of(s);
	struct identify_guess g = { .transport = s->way->transport };
	uint32_t word;

	if (s->way->inside || !s->code || (found && identify_is_whole(&found->fit)) ||
	    hs_et_recognise_dialect(&start, &g.config.et) ||
	    !hs_et_recognise(&start, true, &g.config.et, &word))
		return false;
	take_word(s, &g, word);
	s->best = g;
	return true;
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
	if (!s->way->inside) /* else the first packet that synchronises may be anywhere */
		s->bytes.n = all.n < CUT_BYTES ? all.n : CUT_BYTES;
	const size_t n = identify_places(s, place);

	for (size_t i = 0; i < n && !is_solved(&best); i++)
		try_place(s, &place[i], packets, &best);
	s->bytes = all;
	free(packets);
	return search_options(s, &best);
}

void identify_et_refine(struct identify_search *s, struct identify_guess *g)
{
	const struct hs_et_config *c = &g->config.et;
	const struct said said = {
		(c->return_stack_size || c->call_counter_size || c->iret_ext ? HS_ET_IMPLICIT_RETURN
		                                                             : 0u) |
			(c->bpred_size ? HS_ET_BRANCH_PREDICTION : 0u) |
			(c->cache_size ? HS_ET_JUMP_TARGET_CACHE : 0u),
		0,
	};

	find_together(s, g, &said, 0, s->bytes.n);
	if (!identify_is_whole(&g->fit))
		find_together(s, g, &said, said.options, s->bytes.n);
	if (!identify_is_whole(&g->fit))
		identify_descend(s, g, s->bytes.n);
	find_cause(s, g);
}
