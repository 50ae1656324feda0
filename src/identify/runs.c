/* Addresses of E-Trace that follow each other by their differences.  A synchronising packet, or
 * that of a trap, has its address at a bit that is not known without the program; those after it
 * say how far each is from the one before.  So many addresses are known but for one number. */
#include <stdlib.h>
#include <string.h>

#include "etrace/etrace.h"
#include "identify/private.h"

#define RUNS 48
#define FEW_RUNS 8
#define SOURCES 32
#define READ_BYTES ((size_t)1 << 20)
#define LEAST_VOTES 500 /* of 1,000 */
#define VOTERS 8        /* addresses of a run that are looked at */
#define CAUSE 66        /* most bits before the address of a trap: cause, interrupt, thaddr */
#define CANDIDATES 24
#define SEEN 64

/* Addresses from a packet that synchronises to the next. */
struct run {
	struct identify_payload start;
	uint8_t form; /* of the packet it begins with: HS_ET_FORM_START or HS_ET_FORM_TRAP */
	uint64_t address[IDENTIFY_ADDRESSES]; /* different ones, as units from the start */
	size_t n;
	uint64_t last;
};

/* How addresses after the first are meant (enum hs_et_option, negated). */
static const struct reading {
	uint8_t version;
	bool full, negated;
} readings[] = {
	{ HS_ET_2_0, false, false },
	{ HS_ET_2_0, true, false },
	{ HS_ET_0_026, false, false },
	{ HS_ET_0_026, false, true },
};

struct candidate {
	int64_t offset;
	unsigned hits, votes, cost;
};

struct runs {
	const struct identify_search *search;
	struct identify_targets targets;
	struct identify_packets packets;
	struct identify_frame frame;
	const struct reading *reading;
	struct run run[RUNS];
	size_t n;
	struct run *open[SOURCES]; /* of each source; NULL: its address is not known */
	uint64_t seen[SEEN];       /* payloads of frames that were looked at */
	size_t seen_n;
	struct candidate best[CANDIDATES];
	size_t found;
};

/* ---- runs --------------------------------------------------------------------------------- */

static struct run *begin_run(struct runs *r, const uint8_t *bytes, const struct hs_et_packet *p)
{
	if (r->n == RUNS)
		return NULL;
	struct run *run = &r->run[r->n++];

	run->start = identify_payload_of(&r->frame, bytes + p->offset, p->length);
	run->form = p->form;
	run->n = 0;
	run->last = 0;
	return run;
}

static void take_address(const struct runs *r, struct run *run, const struct hs_et_packet *p)
{
	const uint64_t a = p->field[HS_ETF_ADDRESS];

	if (r->reading->full || p->form == HS_ET_FORM_FULL)
		run->last = a;
	else
		run->last = r->reading->negated ? run->last - a : run->last + a;
	identify_add_address(run->address, &run->n, IDENTIFY_ADDRESSES, run->last);
}

static void take_packet(struct runs *r, const uint8_t *bytes, const struct hs_et_packet *p)
{
	struct run **open = &r->open[p->src % SOURCES];

	switch (p->form) {
	case HS_ET_FORM_START:
	case HS_ET_FORM_TRAP:
		*open = begin_run(r, bytes, p);
		break;
	case HS_ET_FORM_INDEX: /* its address is in a table */
		*open = NULL;
		break;
	default:
		if (*open && hs_et_has(p, HS_ETF_ADDRESS))
			take_address(r, *open, p);
	}
}

static const struct run *longest_run(const struct runs *r)
{
	const struct run *longest = NULL;

	for (size_t i = 0; i < r->n; i++)
		if (!longest || r->run[i].n > longest->n)
			longest = &r->run[i];
	return longest;
}

static bool suffices(const struct runs *r)
{
	return r->n == RUNS || (r->n >= FEW_RUNS && longest_run(r)->n == IDENTIFY_ADDRESSES);
}

static bool start_reader(const struct runs *r, struct hs_et_reader *reader)
{
	struct hs_et_config c = { .size = sizeof(c) };

	hs_et_config_dialect(&c, r->frame.dialect);
	c.src_bits = r->frame.src_bits;
	c.tstamp_bytes = r->frame.stamp;
	if (r->reading->version == HS_ET_0_026)
		c.version = HS_ET_0_026;
	else if (c.version == HS_ET_0_026)
		return false;
	if (r->search->code->image->isa.xlen == 32)
		c.iaddress_width = 32;
	identify_set_options(&c, identify_find_options(&r->packets, r->frame.dialect));
	return hs_et_reader_init(reader, &c) == HS_OK;
}

/* A packet that synchronises need not read well: its widths are not known. */
static void collect(struct runs *r)
{
	struct hs_span in = r->search->bytes;
	const size_t skip = r->frame.skip < in.n ? r->frame.skip : in.n;
	const uint8_t *bytes = in.p + skip;
	struct hs_et_reader reader;
	struct hs_et_packet p;

	r->n = 0;
	memset(r->open, 0, sizeof(r->open));
	in = (struct hs_span){ bytes, in.n - skip < READ_BYTES ? in.n - skip : READ_BYTES };
	if (!start_reader(r, &reader))
		return;
	while (!suffices(r)) {
		const enum hs_status s = hs_et_read(&reader, &in, &p);

		if (s == HS_MORE)
			return;
		if (s == HS_OK && p.form == HS_ET_FORM_SUPPORT)
			hs_et_reader_follow(&reader, &p);
		if (s == HS_OK || p.form == HS_ET_FORM_START || p.form == HS_ET_FORM_TRAP)
			take_packet(r, bytes, &p);
	}
}

/* ---- where they fit ------------------------------------------------------------------------- */

/* Bits that are needed to say a number: loaders prefer round ones. */
static unsigned bits_of(int64_t offset)
{
	uint64_t v = offset < 0 ? 0 - (uint64_t)offset : (uint64_t)offset;
	unsigned bits = 0;

	while (v && !(v & 1))
		v >>= 1;
	for (; v; v >>= 1)
		bits++;
	return bits;
}

static int compare(const struct candidate *a, const struct candidate *b)
{
	if (a->hits / 100 != b->hits / 100)
		return a->hits > b->hits ? 1 : -1;
	if (a->votes / 100 != b->votes / 100)
		return a->votes > b->votes ? 1 : -1;
	return (a->cost < b->cost) - (a->cost > b->cost);
}

static void keep(struct runs *r, const struct candidate *c)
{
	size_t at = r->found;

	for (size_t i = 0; i < r->found; i++)
		if (r->best[i].offset == c->offset)
			return;
	for (; at && compare(c, &r->best[at - 1]) > 0; at--)
		if (at < CANDIDATES)
			r->best[at] = r->best[at - 1];
	if (at == CANDIDATES)
		return;
	r->found += r->found < CANDIDATES;
	r->best[at] = *c;
}

/* The address at bit @at of the packet that begins a run. */
static uint64_t start_at(const struct runs *r, const struct run *run, unsigned at, unsigned unit)
{
	return identify_bits(&run->start, at, 64) * unit & r->targets.mask;
}

/* Of 1,000 addresses of all runs of the form those in code, if the program is moved so. */
static unsigned count_votes(const struct runs *r, unsigned form, unsigned at, unsigned unit,
                            uint64_t offset)
{
	unsigned good = 0, all = 0;

	for (size_t i = 0; i < r->n; i++) {
		const struct run *run = &r->run[i];
		const uint64_t start = start_at(r, run, at, unit);
		const uint64_t base = r->reading->full ? 0 : start;

		if (run->form != form)
			continue;
		good += identify_is_code(r->search->code, (start - offset) & r->targets.mask);
		all++;
		for (size_t k = 0; k < run->n && k < VOTERS; k++, all++)
			good += identify_is_target(&r->targets,
			                           base + run->address[k] * unit - offset);
	}
	return all ? good * 1000 / all : 0;
}

/* @by is what takes the run to the program, at each place that the start's address may have. */
static void try_places(struct runs *r, const struct run *run, unsigned unit,
                       const struct identify_move *move)
{
	const unsigned last = IDENTIFY_LAST + (run->form == HS_ET_FORM_TRAP ? CAUSE : 0);

	for (unsigned at = IDENTIFY_FIRST; at <= last; at++) {
		if (run->start.at + at >= run->start.end)
			break;
		const uint64_t first = r->reading->full ? 0 : start_at(r, run, at, unit);
		struct candidate c = {
			.offset = identify_offset_of(&r->targets, first + move->by),
			.hits = move->hits,
		};

		c.votes = count_votes(r, run->form, at, unit, (uint64_t)c.offset);
		c.cost = bits_of(c.offset);
		if (c.offset && !(c.offset & 1) && c.votes >= LEAST_VOTES)
			keep(r, &c);
	}
}

static void correlate(struct runs *r)
{
	const struct run *run = longest_run(r);
	uint64_t address[IDENTIFY_ADDRESSES];

	for (unsigned unit = 1; run && unit <= 4; unit *= 2) {
		struct identify_move move[IDENTIFY_MOVES];

		for (size_t i = 0; i < run->n; i++)
			address[i] = run->address[i] * unit;
		const size_t n = identify_find_moves(&r->targets, address, run->n, move);

		for (size_t i = 0; i < n; i++)
			try_places(r, run, unit, &move[i]);
	}
}

static void look(struct runs *r)
{
	for (size_t i = 0; i < r->seen_n; i++)
		if (r->seen[i] == r->packets.key)
			return;
	if (r->seen_n < SEEN)
		r->seen[r->seen_n++] = r->packets.key;
	for (size_t i = 0; i < sizeof(readings) / sizeof(*readings); i++) {
		r->reading = &readings[i];
		collect(r);
		correlate(r);
	}
}

static void look_at_frames(struct runs *r)
{
	const struct identify_search *s = r->search;
	unsigned state = 0;

	while (identify_next_frame(&r->frame, &state, s->way)) {
		if (s->way->inside)
			identify_align(&s->bytes, &r->frame, &r->packets);
		if (identify_is_plausible(&s->bytes, &r->frame, &r->packets))
			look(r);
	}
}

size_t identify_et_offsets(const struct identify_search *s, int64_t out[IDENTIFY_OFFSETS])
{
	struct runs *r = calloc(1, sizeof(*r));
	struct identify_frame f;
	struct identify_fit fit;
	size_t n = 0;

	if (r)
		r->search = s;
	if (r && identify_find_targets(s->code, &r->targets))
		look_at_frames(r);
	for (size_t i = 0; r && i < r->found; i++)
		identify_add_offset(out, &n, r->best[i].offset);
	if (r)
		identify_drop_targets(&r->targets);
	free(r);
	if (identify_form(&s->bytes, s->way, &f, &fit))
		n = identify_et_pages(s, &f, out, n);
	return n;
}
