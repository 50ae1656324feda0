/* Code that is missing costs what lies inside it and no more (ADR-0068).
 *
 * A random walk is encoded, and decoded twice: with the whole program, and with one that has random
 * holes.  Every block of the second decode is in the first one, at its place by the half-words that
 * the gaps count, and every block is there to which the trace reports the way again.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <hartscope/protocol.h>
#include <hartscope/ntrace.h>

#include "property/campaign.h"
#include "property/randprog.h"

#define BLOCKS 1200
#define PIECES 40
#define ITEMS (4 * BLOCKS)
#define HOLES 5
#define TRACE (BLOCKS * 128)

struct range {
	uint64_t start, end;
};

static struct {
	struct program program;
	struct hs_image image; /* of the program, less its holes */
	struct hs_section sections[2 + HOLES];
	struct range holes[HOLES];
	unsigned hole_count;

	const struct hs_protocol *protocol;
	union {
		struct hs_nt_config nt;
	} config;
	bool returns, pairs; /* the trace leaves out targets of returns, of sequential jumps */

	struct hs_block blocks[BLOCKS], pieces[BLOCKS * PIECES];
	size_t n, piece_count;
	uint8_t trace[TRACE];
	size_t length;

	struct hs_block whole[ITEMS], holed[ITEMS];
	size_t whole_n, holed_n;
	bool seen[ITEMS];
} *t;

static uint64_t blocks_seen, blocks_needed, gaps_seen;

/* ---- the case -------------------------------------------------------------------- */

static void random_nt(struct rng *r)
{
	struct hs_nt_config *c = &t->config.nt;
	const unsigned some = rng_below(r, 4); /* no option, any, all, any */

	t->protocol->config_init(c);
	c->inst_mode = rng_one_in(r, 2) ? HS_NT_BTM : HS_NT_HTM;
	c->sync_mode = rng_one_in(r, 2) ? HS_NT_SYNC_OFF : HS_NT_SYNC_MESSAGES;
	c->sync_max = (uint8_t)rng_below(r, 4);
	c->icnt_bits = rng_one_in(r, 2) ? 0 : (uint8_t)(5 + rng_below(r, 18));
	c->hist_bits = rng_one_in(r, 2) ? 0 : (uint8_t)(1 + rng_below(r, 31));
	c->icnt_full = (uint8_t)rng_below(r, 2);
	c->dialect = rng_one_in(r, 3) ? HS_NT_DIALECT_V1_0 : HS_NT_DIALECT_RC7;
	c->xlen = t->program.image.isa.xlen;
	if (some == 0)
		return;
	c->sequential_jump = some == 2 || rng_one_in(r, 2);
	c->implicit_return = some == 2 || rng_one_in(r, 2) ? (uint8_t)(1 + rng_below(r, 3)) : 0;
	c->call_stack = (uint8_t)rng_below(r, 33);
	c->return_bits = (uint8_t)(15 + rng_below(r, 30));
	c->repeated_history = some == 2 || rng_one_in(r, 2);
	c->repeat_branch = some == 2 || rng_one_in(r, 2);
	c->all_jumps = some == 2 || rng_one_in(r, 2);
	c->extend_addr = some == 2 || rng_one_in(r, 2);
	c->context = some == 2 || rng_one_in(r, 2);
	c->timestamps = some == 2 || rng_one_in(r, 2);
	if (c->implicit_return == 1)
		c->sequential_jump = 1;
	t->returns = c->implicit_return;
	t->pairs = c->sequential_jump;
}

static void walk(struct rng *r)
{
	struct walk_odds odds = walk_odds_random(r, 5);

	odds.tidy_returns = t->config.nt.implicit_return == 1;
	odds.context_one_in = t->config.nt.context ? 1 + rng_below(r, 40) : 0;
	odds.time_one_in = t->config.nt.timestamps ? 1 + rng_below(r, 10) : 0;
	t->n = walk_random(&t->program, r, 1 + rng_below(r, rng_one_in(r, 8) ? 3000 : 300), &odds,
	                   t->blocks, BLOCKS);
}

/* Blocks cut to what the I-CNT counter holds. */
static void split(void)
{
	const unsigned bits = t->config.nt.icnt_bits ? t->config.nt.icnt_bits : 22;

	t->piece_count = 0;
	for (size_t i = 0; i < t->n; i++) {
		size_t n = 1;

		t->pieces[t->piece_count] = t->blocks[i];
		if (t->blocks[i].kind == HS_KIND_BLOCK)
			assert_int_equal(hs_block_split(&t->program.image, &t->blocks[i],
			                                1u << (bits - 1),
			                                &t->pieces[t->piece_count], PIECES, &n),
			                 HS_OK);
		t->piece_count += n;
	}
}

static void encode(void)
{
	void *encoder = malloc(t->protocol->encoder_size(&t->config));
	size_t used, len, end;

	assert_int_equal(t->protocol->encoder_init(encoder, &t->config), HS_OK);
	assert_int_equal(t->protocol->encode(encoder, t->pieces, t->piece_count, &used, t->trace,
	                                     TRACE, &len), HS_OK);
	assert_int_equal(used, t->piece_count);
	assert_int_equal(t->protocol->encode_end(encoder, t->trace + len, TRACE - len, &end),
	                 HS_OK);
	t->length = len + end;
	free(encoder);
}

/* Cut @hole out of the sections, of which there is room for one more. */
static void cut(const struct range *hole)
{
	struct hs_section *s = t->sections;
	size_t i = 0;

	while (i < t->image.count && s[i].start + s[i].size <= hole->start)
		i++;
	const struct hs_section old = s[i];
	const uint64_t end = old.start + old.size;

	memmove(s + i + 2, s + i + 1, (t->image.count - i - 1) * sizeof *s);
	s[i] = (struct hs_section){ old.start, hole->start - old.start, old.bytes };
	s[i + 1] = (struct hs_section){ hole->end, end - hole->end,
		                        old.bytes + (hole->end - old.start) };
	t->image.count++;
	for (size_t k = 0; k < t->image.count; k++) {
		if (s[k].size)
			continue;
		memmove(s + k, s + k + 1, (t->image.count - k - 1) * sizeof *s);
		t->image.count--;
		k--;
	}
}

static void make_holes(struct rng *r)
{
	const struct program *p = &t->program;
	uint64_t from = p->base;

	t->image = p->image;
	memcpy(t->sections, p->sections, sizeof p->sections);
	t->image.sections = t->sections;
	t->hole_count = 0;
	for (unsigned i = 1 + rng_below(r, HOLES); i && from < p->base + p->size; i--) {
		const uint64_t left = p->base + p->size - from;
		struct range *hole = &t->holes[t->hole_count++];

		hole->start = from + 2 * rng_below(r, (uint32_t)(left / 2));
		const uint64_t most = p->base + p->size - hole->start;
		const uint64_t size = 2 + 2 * rng_below(r, rng_one_in(r, 3) ? 40 : 8);

		hole->end = hole->start + (size < most ? size : most);
		cut(hole);
		from = hole->end + 2;
	}
	assert_int_equal(hs_img_check(&t->image), HS_OK);
}

/* ---- decoding ---------------------------------------------------------------------- */

static void keep(const struct hs_block *out, size_t n, struct hs_block *items, size_t *count)
{
	for (size_t i = 0; i < n; i++) {
		const unsigned kind = out[i].kind;

		if (kind == HS_KIND_CONTEXT || kind == HS_KIND_TIME || kind == HS_KIND_TRAP)
			continue;
		assert_true(*count < ITEMS);
		items[(*count)++] = out[i];
	}
}

static void decode(struct rng *r, const struct hs_image *image, struct hs_block *items,
                   size_t *count)
{
	const bool good = image == &t->program.image;
	const size_t cap = 16 + rng_below(r, 100);
	struct hs_block out[128];
	enum hs_status s;
	void *decoder;
	size_t at = 0, n;

	*count = 0;
	assert_int_equal(t->protocol->decoder_new(&decoder, &t->config, image, NULL), HS_OK);
	while (at < t->length) {
		size_t chunk = 1 + rng_below(r, 400);

		if (chunk > t->length - at)
			chunk = t->length - at;
		struct hs_span in = { t->trace + at, chunk };
		do {
			s = t->protocol->decode(decoder, &in, out, cap, &n);
			keep(out, n, items, count);
			assert_true(s == HS_FULL || s == HS_MORE || (s == HS_E_NOCODE && !good));
		} while (s != HS_MORE);
		at += chunk;
	}
	do {
		s = t->protocol->decode_end(decoder, out, cap, &n);
		keep(out, n, items, count);
	} while (s == HS_FULL || (s == HS_E_NOCODE && !good));
	assert_int_equal(s, HS_OK);
	t->protocol->decoder_free(decoder);
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

/* A place in the whole decode: half-words of an item. */
struct place {
	size_t i;
	uint32_t off;
};

static void pass_halfwords(struct place *at, uint64_t count)
{
	while (count) {
		const struct hs_block *b = &t->whole[at->i];

		assert_true(at->i < t->whole_n);
		const uint32_t left = b->kind == HS_KIND_BLOCK ? b->iretire - at->off : 0;

		if (left > count) {
			at->off += (uint32_t)count;
			return;
		}
		count -= left;
		at->i++;
		at->off = 0;
	}
}

/* Is @b item i of the whole decode, its head before a gap, or its tail after one? */
static bool fits(const struct hs_block *b, struct place *at, bool cut_short)
{
	const struct hs_block *w = &t->whole[at->i];

	if (hs_block_equal(b, w) && at->off == 0) {
		t->seen[at->i] = true;
		at->i++;
		return true;
	}
	if (b->kind != HS_KIND_BLOCK || w->kind != HS_KIND_BLOCK ||
	    b->iaddr != w->iaddr + 2 * (uint64_t)at->off || b->iretire > w->iretire - at->off)
		return false;
	if (at->off && b->itype == w->itype && b->iretire == w->iretire - at->off)
		cut_short = true; /* synchronisation inside the block ended the gap */
	else if (b->itype != HS_ITYPE_NONE)
		return false;
	if (!cut_short)
		return false;
	at->off += b->iretire;
	if (at->off == w->iretire) {
		at->i++;
		at->off = 0;
	}
	return true;
}

static void fail_at(size_t h, const struct place *at)
{
	for (size_t i = h > 6 ? h - 6 : 0; i < h + 3 && i < t->holed_n; i++)
		fprintf(stderr, "%s %s %llx+%u itype %u\n", i == h ? ">" : " ",
		        hs_kind_name(t->holed[i].kind), (unsigned long long)t->holed[i].value,
		        t->holed[i].arg, t->holed[i].itype);
	for (size_t i = at->i > 4 ? at->i - 4 : 0; i < at->i + 6 && i < t->whole_n; i++)
		fprintf(stderr, "%s whole: %s %llx+%u itype %u\n", i == at->i ? ">" : " ",
		        hs_kind_name(t->whole[i].kind), (unsigned long long)t->whole[i].value,
		        t->whole[i].arg, t->whole[i].itype);
	fail_msg("item %zu is not item %zu + %u half-words of the whole decode", h, at->i,
	         at->off);
}

/* Items from @b on, before @end, that retire nothing. */
static size_t count_empty(const struct hs_block *b, const struct hs_block *end)
{
	size_t n = 0;

	while (b + n < end && b[n].kind != HS_KIND_GAP && b[n].kind != HS_KIND_UNSEEN &&
	       (b[n].kind != HS_KIND_BLOCK || b[n].iretire == 0))
		n++;
	return n;
}

/* After a gap: what is not seen but retires nothing may stand between.  Go to where the next items
 * of this kind are. */
static void skip_empty(const struct hs_block *b, struct place *at)
{
	const size_t there = count_empty(&t->whole[at->i], t->whole + t->whole_n);
	const size_t here = count_empty(b, t->holed + t->holed_n);
	const bool last = b + here < t->holed + t->holed_n && b[here].kind == HS_KIND_BLOCK;

	if (at->off || here > there)
		return;
	for (size_t i = last ? there - here : 0; i <= there - here; i++) {
		size_t same = 0;

		while (same < here && hs_block_equal(&b[same], &t->whole[at->i + i + same]))
			same++;
		if (same < here)
			continue;
		at->i += i;
		return;
	}
}

static void compare(void)
{
	struct place at = { 0, 0 };
	bool unseen = false;

	memset(t->seen, 0, sizeof t->seen);
	for (size_t h = 0; h < t->holed_n; h++) {
		const struct hs_block *b = &t->holed[h];
		const bool gap = h + 1 < t->holed_n && b[1].kind == HS_KIND_GAP;

		if (b->kind == HS_KIND_GAP) {
			gaps_seen++;
			continue;
		}
		if (b->kind == HS_KIND_UNSEEN) {
			assert_int_equal(b->itype, HS_UNSEEN_HALFWORDS);
			assert_int_equal(b[-1].kind, HS_KIND_GAP);
			pass_halfwords(&at, b->arg);
			unseen = true;
			continue;
		}
		if (unseen)
			skip_empty(b, &at);
		unseen = false;
		if (at.i >= t->whole_n || !fits(b, &at, gap))
			fail_at(h, &at);
	}
	if (!unseen && at.i != t->whole_n)
		fail_at(t->holed_n, &at);
}

static bool is_return(const struct hs_block *b)
{
	return b->itype == HS_ITYPE_RETURN || b->itype == HS_ITYPE_SWAP;
}

/* Does the trace surely report where @b led? */
static bool leads_to_address(const struct hs_block *b)
{
	if (is_return(b) && t->returns)
		return false;
	return hs_itype_uninferable(b->itype) && !(b->sijump && t->pairs);
}

/* The least that must be seen: blocks outside holes, from an address that is reported on.  A return
 * after a hole may be to a call in it. */
static void check_seen(void)
{
	bool known = true, reported = true, calls_unseen = false;

	for (size_t i = 0; i < t->whole_n; i++) {
		const struct hs_block *b = &t->whole[i];

		if (b->kind == HS_KIND_STOP)
			reported = true;
		if (b->kind != HS_KIND_BLOCK)
			continue;
		if (reported)
			known = is_known(b->iaddr);
		const bool clean = known && !touches_hole(b);

		if (clean && !t->seen[i] && b->iretire) /* else its place is not sure */
			fail_msg("block %zu at %llx is known and not decoded", i,
			         (unsigned long long)b->iaddr);
		blocks_needed += clean;
		blocks_seen += t->seen[i];
		calls_unseen = calls_unseen || !clean;
		known = clean && !(calls_unseen && t->returns && is_return(b));
		reported = leads_to_address(b);
	}
}

static void one_case(uint64_t seed)
{
	struct rng r = rng_start(seed);

	t->protocol = hs_protocol_find("ntrace");
	t->returns = t->pairs = false;
	program_make(&t->program, &r);
	random_nt(&r);
	walk(&r);
	split();
	encode();
	make_holes(&r);
	decode(&r, &t->program.image, t->whole, &t->whole_n);
	decode(&r, &t->image, t->holed, &t->holed_n);
	compare();
	check_seen();
}

static void holes(void **state)
{
	(void)state;
	t = calloc(1, sizeof *t);
	campaign_run(1000, one_case);
	printf("# %llu blocks seen, %llu of them needed, %llu gaps\n",
	       (unsigned long long)blocks_seen, (unsigned long long)blocks_needed,
	       (unsigned long long)gaps_seen);
	free(t);
	t = NULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test_teardown(holes, campaign_report) };

	return cmocka_run_group_tests_name("holes", tests, NULL, NULL);
}
