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

#include <hartscope/etrace.h>
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

	bool etrace;
	struct {
		struct hs_nt_config nt;
		struct hs_et_config et;
	} config;
	struct {
		struct hs_nt_encoder nt;
		struct hs_et_encoder et;
	} encoder;
	struct {
		struct hs_nt_decoder nt;
		struct hs_et_decoder et;
		struct hs_nt_source nt_source;
		struct hs_et_source et_source;
	} decoder;
	struct hs_bb_table table;
	uint64_t *memory;             /* of the table */
	uint64_t encoder_tables[512]; /* E-Trace's */
	uint64_t decoder_tables[512];
	bool returns, pairs; /* the trace leaves out targets of returns, of sequential jumps */
	bool history;        /* it depends on branches or jumps of before in other ways */

	struct hs_block blocks[BLOCKS], pieces[BLOCKS * PIECES];
	size_t n, piece_count;
	uint8_t trace[TRACE];
	size_t length;

	struct hs_block whole[ITEMS], holed[ITEMS];
	size_t whole_at[ITEMS], holed_at[ITEMS]; /* bytes given when the item came */
	size_t whole_n, holed_n;
	bool seen[ITEMS];
} *t;

static uint64_t blocks_seen, blocks_needed, gaps_seen;

/* ---- the case -------------------------------------------------------------------- */

static void random_nt(struct rng *r)
{
	struct hs_nt_config *c = &t->config.nt;
	const unsigned some = rng_below(r, 4); /* no option, any, all, any */

	*c = (struct hs_nt_config){ .size = sizeof *c };
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

static void try_random_et(struct rng *r)
{
	struct hs_et_config *c = &t->config.et;
	const unsigned some = rng_below(r, 3); /* no option, any, any */
	unsigned o = 0;

	*c = (struct hs_et_config){ .size = sizeof *c };
	c->version = (uint8_t)(rng_one_in(r, 4) ? HS_ET_1_1 : HS_ET_2_0);
	c->sync_mode = rng_one_in(r, 2) ? HS_ET_SYNC_OFF : HS_ET_SYNC_PACKETS;
	c->sync_max = (uint8_t)rng_below(r, 5);
	c->context = some && rng_one_in(r, 2);
	c->context_precise = c->context;
	if (!some)
		return;
	o |= rng_one_in(r, 2) ? HS_ET_SIJUMP : 0;
	o |= rng_one_in(r, 3) ? HS_ET_BRANCH_PREDICTION : 0;
	o |= rng_one_in(r, 3) ? HS_ET_JUMP_TARGET_CACHE : 0;
	o |= rng_one_in(r, 2) ? HS_ET_FULL_ADDRESS : 0;
	c->sijump = o & HS_ET_SIJUMP;
	c->bpred_size = o & HS_ET_BRANCH_PREDICTION ? (uint8_t)(1 + rng_below(r, 6)) : 0;
	c->cache_size = o & HS_ET_JUMP_TARGET_CACHE ? (uint8_t)(1 + rng_below(r, 6)) : 0;
	if (rng_one_in(r, 2)) {
		o |= HS_ET_IMPLICIT_RETURN;
		*(rng_one_in(r, 2) ? &c->return_stack_size : &c->call_counter_size) =
			(uint8_t)(1 + rng_below(r, 5));
		c->iret_ext = rng_one_in(r, 2);
	}
	c->options = (uint8_t)o;
	t->pairs = o & HS_ET_SIJUMP;
	t->returns = o & HS_ET_IMPLICIT_RETURN;
	t->history = o & (HS_ET_BRANCH_PREDICTION | HS_ET_JUMP_TARGET_CACHE |
	                  HS_ET_IMPLICIT_RETURN);
}

static void random_et(struct rng *r)
{
	do {
		t->returns = t->pairs = t->history = false;
		try_random_et(r);
	} while (hs_et_config_resolve(&t->config.et) != HS_OK);
}

static void walk(struct rng *r)
{
	struct walk_odds odds = walk_odds_random(r, 5);

	if (t->etrace) {
		odds.reset_one_in = odds.trigger_one_in = 0;
		odds.plain_stack = odds.no_custom = true;
		odds.context_one_in = t->config.et.context ? 1 + rng_below(r, 40) : 0;
	} else {
		odds.tidy_returns = t->config.nt.implicit_return == 1;
		odds.context_one_in = t->config.nt.context ? 1 + rng_below(r, 40) : 0;
		odds.time_one_in = t->config.nt.timestamps ? 1 + rng_below(r, 10) : 0;
	}
	t->n = walk_random(&t->program, r, 1 + rng_below(r, rng_one_in(r, 8) ? 3000 : 300), &odds,
	                   t->blocks, BLOCKS);
}

/* Blocks cut to what the I-CNT counter holds. */
static void split(void)
{
	const unsigned bits = !t->etrace && t->config.nt.icnt_bits ? t->config.nt.icnt_bits : 22;

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

static enum hs_status encode_part(size_t at, size_t *used, size_t room, size_t *len)
{
	uint8_t *to = t->trace + t->length;

	if (t->etrace)
		return hs_et_encode(&t->encoder.et, t->pieces + at, t->piece_count - at, used, to,
		                    room, len);
	return hs_nt_encode(&t->encoder.nt, t->pieces + at, t->piece_count - at, used, to, room,
	                    len);
}

static void encode(void)
{
	size_t used, len;

	if (t->etrace)
		assert_int_equal(hs_et_encoder_init(&t->encoder.et, &t->config.et,
		                                    t->encoder_tables, sizeof t->encoder_tables),
		                 HS_OK);
	else
		assert_int_equal(hs_nt_encoder_init(&t->encoder.nt, &t->config.nt), HS_OK);
	t->length = 0;
	for (size_t at = 0; at < t->piece_count; at += used) {
		const enum hs_status s = encode_part(at, &used, TRACE - t->length, &len);

		assert_true(s == HS_OK || (s == HS_FULL && used));
		t->length += len;
	}
	if (t->etrace)
		assert_int_equal(hs_et_encode_end(&t->encoder.et, t->trace + t->length,
		                                  TRACE - t->length, &len), HS_OK);
	else
		assert_int_equal(hs_nt_encode_end(&t->encoder.nt, t->trace + t->length,
		                                  TRACE - t->length, &len), HS_OK);
	t->length += len;
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

/* A place in the whole decode: half-words of an item. */
struct place {
	size_t i;
	uint32_t off;
};

/* What item i of the whole decode counts in a gap. */
static uint32_t weight(size_t i)
{
	const struct hs_block *b = &t->whole[i];

	if (b->kind != HS_KIND_BLOCK)
		return 0;
	return !t->etrace ? b->iretire
	                  : b->itype == HS_ITYPE_TAKEN || b->itype == HS_ITYPE_NOT_TAKEN;
}

/* Is item @h item @at of the whole decode, its head before a gap, or its tail after one?  A packet
 * of E-Trace gives the same items in both. */
static bool fits(size_t h, struct place *at, bool cut_short, bool *all)
{
	const struct hs_block *b = &t->holed[h], *w = &t->whole[at->i];

	*all = false;
	if (at->i >= t->whole_n)
		return false;
	const bool same_time = !t->etrace || t->whole_at[at->i] == t->holed_at[h];

	if (at->off == 0 && hs_block_equal(b, w) && same_time) {
		*all = true;
		at->i++;
		return true;
	}
	if (b->kind != HS_KIND_BLOCK || w->kind != HS_KIND_BLOCK ||
	    b->iaddr != w->iaddr + 2 * (uint64_t)at->off || b->iretire > w->iretire - at->off)
		return false;
	const bool tail = same_time && at->off && b->itype == w->itype &&
	                  b->iretire == w->iretire - at->off;

	if (!tail && !(cut_short && b->itype == HS_ITYPE_NONE))
		return false;
	at->off += b->iretire;
	if (at->off == w->iretire) {
		at->i++;
		at->off = 0;
	}
	return true;
}

/* The items from @h to the next gap, or the end: do they fit from @at on? */
static bool segment_fits(size_t h, size_t end, struct place *at, bool mark)
{
	struct place to = *at;
	bool all;

	for (; h < end; h++) {
		/* where a trap struck before anything retired may not be known (block.h) */
		if (t->etrace && to.i < t->whole_n && t->whole[to.i].iretire == 0 &&
		    hs_itype_is_trap(t->whole[to.i].itype) &&
		    !hs_block_equal(&t->holed[h], &t->whole[to.i]))
			to.i++;
		const size_t i = to.i;

		if (!fits(h, &to, h + 1 == end && end < t->holed_n, &all))
			return false;
		if (mark && all)
			t->seen[i] = true;
	}
	if (end == t->holed_n && to.i != t->whole_n)
		return false;
	*at = to;
	return true;
}

/* Where in item @at the block @b may begin: at its start, or, by E-Trace's packets and by
 * synchronisation, inside it. */
static bool enter(const struct hs_block *b, struct place *at, uint64_t left)
{
	const struct hs_block *w = &t->whole[at->i];

	if (b->kind != HS_KIND_BLOCK || w->kind != HS_KIND_BLOCK || b->iaddr < w->iaddr ||
	    b->iaddr > hs_block_end(w))
		return left == 0 && at->off == 0;
	const uint64_t off = (b->iaddr - w->iaddr) / 2;

	if (off < at->off || (!t->etrace && off - at->off != left))
		return false;
	at->off = (uint32_t)off;
	return true;
}

/* Does the trace report an address where item @i begins? */
static bool is_address(size_t i)
{
	return i == 0 || t->whole[i - 1].kind != HS_KIND_BLOCK ||
	       leads_to_address(&t->whole[i - 1]);
}

static bool is_gap(const struct hs_block *b)
{
	return b->kind == HS_KIND_GAP || b->kind == HS_KIND_UNSEEN;
}

/* The items between two gaps: from @h to @end, @unseen further on than those before. */
struct segment {
	size_t h, end;
	uint64_t unseen;
	struct place start;
	uint64_t left; /* of unseen, in the item where it starts */
};

static struct segment segments[ITEMS];
static size_t segment_count;
static uint8_t failed[ITEMS][ITEMS]; /* segment, item, bit: offset; it has no place from there on */
static uint64_t steps;
static struct {
	size_t segment;
	struct place at;
} deepest; /* for messages */

static void find_segments(void)
{
	uint64_t unseen = 0;
	size_t end;

	segment_count = 0;
	for (size_t h = 0; h < t->holed_n; h = end) {
		const struct hs_block *b = &t->holed[h];

		for (end = h + 1; !is_gap(b) && end < t->holed_n && !is_gap(&t->holed[end]);)
			end++;
		gaps_seen += b->kind == HS_KIND_GAP;
		if (b->kind == HS_KIND_UNSEEN) {
			assert_int_equal(b->itype, t->etrace ? HS_UNSEEN_BRANCHES
			                                     : HS_UNSEEN_HALFWORDS);
			assert_true(h && b[-1].kind == HS_KIND_GAP);
			unseen += b->arg;
		}
		/* addresses were lost, too: it starts again */
		if (b->kind == HS_KIND_SYNC && h && b[-1].kind == HS_KIND_GAP)
			h++;
		if (is_gap(b) || h == end)
			continue;
		segments[segment_count++] = (struct segment){ .h = h, .end = end,
			                                      .unseen = unseen };
		unseen = 0;
	}
}

static bool place_segments(size_t k, struct place at);

/* Does segment @k begin in item @try->i, and do those after it fit, too? */
static bool try_segment(size_t k, const struct place *try, uint64_t left)
{
	struct segment *s = &segments[k];
	struct place from = *try;

	steps++;
	if (s->h && !enter(&t->holed[s->h], &from, left))
		return false;
	if (!segment_fits(s->h, s->end, &from, false))
		return false;
	s->start = *try;
	s->left = left;
	return place_segments(k + 1, from);
}

static bool search_place(size_t k, struct place at);

static bool place_segments(size_t k, struct place at)
{
	if (k == segment_count)
		return true;
	if (k > deepest.segment) {
		deepest.segment = k;
		deepest.at = at;
	}
	if (at.off < 8 && failed[k][at.i] >> at.off & 1)
		return false;
	const bool placed = search_place(k, at);

	if (!placed && at.off < 8)
		failed[k][at.i] |= (uint8_t)(1u << at.off);
	return placed;
}

/* 0: an address is reported where item @i begins, and segment @k begins with it; 1: it is, and it
 * does not; 2: it is not. */
static unsigned likelihood(size_t k, size_t i)
{
	if (!is_address(i))
		return 2;
	return t->holed[segments[k].h].value != t->whole[i].value;
}

/* The places of segment @k and those after it.  Of several that are as far, the likeliest. */
static bool search_place(size_t k, struct place at)
{
	uint64_t left = segments[k].unseen;
	struct place group = at;
	uint64_t group_left = left;

	if (segments[k].h == 0) /* nothing before it */
		return try_segment(k, &at, 0);
	for (bool past = false; at.i < t->whole_n && !past;) {
		/* items after which something is counted end a group */
		for (unsigned pass = 0; pass < 3; pass++) {
			at = group;
			left = group_left;
			for (bool last = false; at.i < t->whole_n && !last; at.i++, at.off = 0) {
				const uint32_t more = t->etrace ? weight(at.i)
				                                : weight(at.i) - at.off;

				if ((t->etrace ? left == 0 : left <= more) &&
				    likelihood(k, at.i) == pass && try_segment(k, &at, left))
					return true;
				last = more != 0;
				past = left < more && !t->etrace;
				/* E-Trace counts branches that it is sure of */
				left -= left < more ? left : more;
			}
		}
		group = at;
		group_left = left;
	}
	return false;
}

/* For messages: what is around item @i of the whole decode, and item @h of the other. */
static void show(size_t i, size_t h)
{
	for (size_t k = h > 20 ? h - 20 : 0; k < h + 20 && k < t->holed_n; k++)
		fprintf(stderr, "%s %zx: %s %llx+%u itype %u\n", k == h ? ">" : " ", t->holed_at[k],
		        hs_kind_name(t->holed[k].kind), (unsigned long long)t->holed[k].value,
		        t->holed[k].arg, t->holed[k].itype);
	for (size_t k = i > 20 ? i - 20 : 0; k < i + 300 && k < t->whole_n; k++)
		fprintf(stderr, "%s%s %zx: whole: %s %llx+%u itype %u\n", k == i ? ">" : " ",
		        t->seen[k] ? "+" : " ", t->whole_at[k], hs_kind_name(t->whole[k].kind),
		        (unsigned long long)t->whole[k].value, t->whole[k].arg,
		        t->whole[k].itype);
}

/* Each run of items between two gaps is in the whole decode, where the gaps say. */
static void compare(void)
{
	memset(t->seen, 0, sizeof t->seen);
	find_segments();
	steps = 0;
	deepest.segment = 0;
	memset(failed, 0, segment_count * sizeof *failed);
	if (!place_segments(0, (struct place){ 0, 0 })) {
		fprintf(stderr, "%llu steps, deepest segment from %zu on, after item %zu + %u\n",
		        (unsigned long long)steps, segments[deepest.segment].h, deepest.at.i,
		        deepest.at.off);
		show(deepest.at.i, segments[deepest.segment].h);
		fail_msg("no place for what was decoded");
	}
	for (size_t k = 0; k < segment_count; k++) {
		const struct segment *s = &segments[k];
		struct place from = s->start;

		if (s->h)
			enter(&t->holed[s->h], &from, s->left);
		segment_fits(s->h, s->end, &from, true);
	}
}

/* E-Trace: a jump by itself, to which the flow may have come in order, so that the instruction
 * before it gives its target. */
static bool may_end_pair(const struct hs_block *b)
{
	return t->etrace && t->pairs && b->iretire == b->ilast && hs_itype_uninferable(b->itype);
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
			known = is_known(b->iaddr) && !may_end_pair(b) &&
				!(calls_unseen && t->history);
		const bool clean = known && !touches_hole(b);

		if (clean && !t->seen[i] && b->iretire) { /* else its place is not sure */
			show(i, 0);
			fail_msg("block %zu at %llx is known and not decoded", i,
			         (unsigned long long)b->iaddr);
		}
		blocks_needed += clean;
		blocks_seen += t->seen[i];
		calls_unseen = calls_unseen || !clean;
		known = clean && !(calls_unseen && (t->history || (t->returns && is_return(b))));
		reported = leads_to_address(b);
	}
}

static void one_case(uint64_t seed)
{
	struct rng r = rng_start(seed);

	t->etrace = seed % 2;
	t->returns = t->pairs = t->history = false;
	program_make(&t->program, &r);
	if (t->etrace)
		random_et(&r);
	else
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
	t->memory = malloc(hs_bb_memory(2048));
	campaign_run(1000, one_case);
	printf("# %llu blocks seen, %llu of them needed, %llu gaps\n",
	       (unsigned long long)blocks_seen, (unsigned long long)blocks_needed,
	       (unsigned long long)gaps_seen);
	free(t->memory);
	free(t);
	t = NULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test_teardown(holes, campaign_report) };

	return cmocka_run_group_tests_name("holes", tests, NULL, NULL);
}
