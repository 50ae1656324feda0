/* Code that is missing costs what lies inside it and no more (design/unmapped).
 *
 * A random walk is encoded, and decoded twice: with the whole program, and with one that has random
 * holes.  Every block of the second decode is in the first one, at its place by the half-words that
 * the gaps count, and every block is there to which the trace reports the way again.
 */
#include "cases.h"

#include "etrace/et_reader.h"
#include "property/campaign.h"
#include "property/holes.h"

static uint64_t blocks_seen, blocks_needed, gaps_seen;

/* ---- decoding ---------------------------------------------------------------------- */

static void keep(const struct hs_block *out, size_t n, size_t given, struct hs_block *items,
                 size_t *count)
{
	size_t *at = items == t->whole ? t->whole_at : t->holed_at;

	for (size_t i = 0; i < n; i++) {
		const unsigned kind = out[i].kind;

		if (kind == HS_KIND_CONTEXT || kind == HS_KIND_TIME || kind == HS_KIND_TRAP)
			continue;
		assert_true(*count < ITEMS);
		at[*count] = given;
		items[(*count)++] = out[i];
	}
}

static void start_decoder(struct rng *r, const struct hs_image *image)
{
	const uint32_t capacity = rng_one_in(r, 3) ? 16 + rng_below(r, 30) : 2048;

	assert_int_equal(hs_bb_init(&t->table, image, t->memory, capacity), HS_OK);
	if (t->etrace)
		assert_int_equal(hs_et_decoder_init(&t->decoder.et, &t->config.et, &t->table,
		                                    &t->decoder.et_source, 1, t->decoder_tables,
		                                    sizeof t->decoder_tables), HS_OK);
	else
		assert_int_equal(hs_nt_decoder_init(&t->decoder.nt, &t->config.nt, &t->table,
		                                    &t->decoder.nt_source, 1), HS_OK);
}

/* NULL: the end. */
static enum hs_status decode_part(struct hs_span *in, struct hs_block *out, size_t cap, size_t *n)
{
	if (t->etrace)
		return in ? hs_et_decoder_next(&t->decoder.et, in, out, cap, n)
		          : hs_et_decoder_end(&t->decoder.et, out, cap, n);
	return in ? hs_nt_decoder_next(&t->decoder.nt, in, out, cap, n)
	          : hs_nt_decoder_end(&t->decoder.nt, out, cap, n);
}

static uint64_t lost_seen;

/* May a decode of the holed program say so?  A jump target cache that is not known may end what is
 * known of addresses. */
static bool may_happen(enum hs_status s, bool good)
{
	const bool lost = s == HS_E_FLOW && t->etrace &&
	                  t->decoder.et.diag.reason == HS_REASON_CACHE_EMPTY;

	lost_seen += lost;
	return s == HS_FULL || s == HS_MORE || (!good && (s == HS_E_NOCODE || lost));
}

static void decode(struct rng *r, const struct hs_image *image, struct hs_block *items,
                   size_t *count)
{
	const bool good = image == &t->program.image;
	const size_t cap = 16 + rng_below(r, 100);
	struct hs_block out[128];
	enum hs_status s;
	size_t at = 0, n;

	*count = 0;
	start_decoder(r, image);
	while (at < t->length) {
		size_t chunk = t->etrace ? 1 : 1 + rng_below(r, 400);

		if (chunk > t->length - at)
			chunk = t->length - at;
		struct hs_span in = { t->trace + at, chunk };
		do {
			s = decode_part(&in, out, cap, &n);
			keep(out, n, at, items, count);
			if (!may_happen(s, good))
				fail_msg("%s: %s", good ? "whole" : "holed",
				         t->etrace ? t->decoder.et.diag.text
				                   : t->decoder.nt.diag.text);
		} while (s != HS_MORE);
		at += chunk;
	}
	do {
		s = decode_part(NULL, out, cap, &n);
		keep(out, n, at, items, count);
	} while (s == HS_FULL || (s == HS_E_NOCODE && !good));
	assert_int_equal(s, HS_OK);
}

/* ---- what must come of it ------------------------------------------------------------ */

static bool in_hole(uint64_t addr)
{
	for (unsigned i = 0; i < t->hole_count; i++)
		if (addr >= t->holes[i].start && addr < t->holes[i].end)
			return true;
	return false;
}

static bool touches_hole(const struct hs_block *b)
{
	for (uint64_t at = b->iaddr; at != hs_block_end(b); at += 2)
		if (in_hole(at))
			return true;
	return false;
}

static bool is_known(uint64_t addr)
{
	struct hs_insn insn;

	return hs_img_insn(&t->image, addr, &insn) == HS_OK;
}

/* E-Trace: a jump by itself, to which the flow may have come in order, so that the instruction
 * before it gives its target. */
static bool may_end_pair(const struct hs_block *b)
{
	return t->etrace && t->pairs && b->iretire == b->ilast && hs_itype_uninferable(b->itype);
}

/* What a packet means depends on branches, calls or jumps of before, so that after a hole it is not
 * known (design/unmapped, 8). */
enum doubt {
	SURE,
	STATE,     /* how many branches were predicted, which of several returns it is */
	NO_ADDRESS /* an entry of the jump target cache: the next difference says nothing, too */
};
static uint8_t doubts[TRACE + 1]; /* of the packet that a byte is in; of whole_at */

static enum doubt doubt_of(const struct hs_et_packet *p)
{
	if (p->form == HS_ET_FORM_INDEX)
		return NO_ADDRESS;
	const bool which = hs_et_has(p, HS_ETF_IRREPORT) && p->field[HS_ETF_IRREPORT] &&
	                   !t->config.et.iret_ext;

	return p->form == HS_ET_FORM_BRANCH_COUNT || which ? STATE : SURE;
}

static void find_doubts(void)
{
	struct hs_span in = { t->trace, t->length };
	struct hs_et_reader reader;
	struct hs_et_packet p;

	memset(doubts, SURE, sizeof doubts);
	if (!t->etrace)
		return;
	assert_int_equal(hs_et_reader_init(&reader, &t->config.et), HS_OK);
	while (hs_et_read(&reader, &in, &p) == HS_OK)
		memset(doubts + p.offset, doubt_of(&p), p.length);
}

/* Does the trace start afresh: do both sides forget calls, jumps and predictions there?  Periodic
 * synchronisation does so, too, but is no item. */
static bool resets(const struct hs_block *b)
{
	return b->kind == HS_KIND_STOP || (b->kind == HS_KIND_SYNC && b->itype % 2);
}

/* The least that must be seen: blocks outside holes, from an address that is reported on.  A return
 * after a hole may be to a call in it. */
static void check_seen(void)
{
	bool known = true, reported = true, calls_unseen = false, lost = false;

	for (size_t i = 0; i < t->whole_n; i++) {
		const struct hs_block *b = &t->whole[i];

		if (resets(b)) {
			reported = true;
			calls_unseen = lost = false;
		}
		if (b->kind != HS_KIND_BLOCK)
			continue;
		if (reported)
			known = is_known(b->iaddr) && !may_end_pair(b) && !lost;
		const bool outside = known && !touches_hole(b);
		const enum doubt doubt = calls_unseen || !outside ? doubts[t->whole_at[i]] : SURE;
		const bool clean = outside && doubt == SURE;

		if (clean && !t->seen[i] && b->iretire) { /* else its place is not sure */
			holes_show(i, 0);
			fail_msg("block %zu at %llx is known and not decoded", i,
			         (unsigned long long)b->iaddr);
		}
		blocks_needed += clean;
		blocks_seen += t->seen[i];
		calls_unseen = calls_unseen || !clean;
		lost = lost || doubt == NO_ADDRESS;
		known = clean && !(calls_unseen && t->returns && holes_is_return(b));
		reported = holes_leads_to_address(b) && doubt == SURE;
	}
}

static void one_case(uint64_t seed)
{
	struct rng r = rng_start(seed);

	t->etrace = seed % 2;
	holes_make(&r);
	decode(&r, &t->program.image, t->whole, &t->whole_n);
	decode(&r, &t->image, t->holed, &t->holed_n);
	holes_compare(&gaps_seen);
	find_doubts();
	check_seen();
}

CAMPAIGN(holes)
{
	t = calloc(1, sizeof *t);
	t->memory = malloc(hs_bb_memory(2048));
	campaign_run(1000, one_case);
	printf("# %llu blocks seen, %llu of them needed, %llu gaps\n",
	       (unsigned long long)blocks_seen, (unsigned long long)blocks_needed,
	       (unsigned long long)gaps_seen);
	free(t->memory);
	free(t);
	t = NULL;
}
