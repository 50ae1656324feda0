/* decode(encode(x)) = x, for random programs, walks, configurations and chunking. */
#include "core/core.h"
#include "cases.h"

#include <hartscope/ntrace.h>

#include "ingress/ingress.h"
#include "property/campaign.h"
#include "property/randprog.h"

#define HARTS 5
#define BLOCKS 1200
#define MODES (1u << HS_PRIV_U | 1u << HS_PRIV_S | 1u << HS_PRIV_M | 1u << HS_PRIV_VU | \
	1u << HS_PRIV_VS)
#define TRACE (HARTS * BLOCKS * 64)

/* What Ownership messages carry (NT Table 12). */
struct given {
	uint64_t context[2]; /* scontext, hcontext */
	uint8_t priv;
};

struct hart {
	struct hs_block blocks[BLOCKS], pieces[BLOCKS * 40];
	size_t n, pieces_n, seen;
	struct hs_nt_encoder encoder;
	size_t used;
	uint64_t time;
	bool ended;
	struct given said; /* the context that the decoder reported last */
	struct given at;   /* of the item before context_at, and */
	size_t context_at; /* items whose context was looked at */
	bool on;           /* the decoder follows the trace */
	bool lost;         /* and will not before it is synchronised: messages were lost */
	bool cut;          /* the last block came back in part: messages were lost */
	bool modes_only;   /* no contexts: the mode of each block is known */
};

static struct {
	struct program program;
	struct hart harts[HARTS];
	unsigned count;
	struct hs_nt_config config;
	bool lossy; /* messages are lost */
	uint8_t trace[TRACE];
	size_t length;
	uint64_t *memory;
	bool modes_exact; /* contexts change no mode: only traps and their returns do */
} *t;

static uint64_t gaps_seen;

/* Which of the eight options of Table 7 a case has. */
static enum { OPTIONS_NONE, OPTIONS_ONE, OPTIONS_ALL, OPTIONS_SOME } options;
static unsigned the_option;

static uint8_t chosen(struct rng *r, unsigned number)
{
	switch (options) {
	case OPTIONS_ONE:
		return the_option == number;
	case OPTIONS_ALL:
		return 1;
	default:
		return rng_one_in(r, 2);
	}
}

static void random_config(struct rng *r)
{
	struct hs_nt_config *c = &t->config;

	memset(c, 0, sizeof *c);
	c->size = sizeof *c;
	c->inst_mode = rng_one_in(r, 2) ? HS_NT_BTM : HS_NT_HTM;
	c->src_bits = t->count > 1 ? (uint8_t)(3 + rng_below(r, 10)) : (uint8_t)rng_below(r, 13);
	c->sync_mode = (uint8_t[]){ HS_NT_SYNC_OFF, HS_NT_SYNC_MESSAGES, HS_NT_SYNC_CYCLES,
	                            HS_NT_SYNC_HALFWORDS, HS_NT_SYNC_BYTES }[rng_below(r, 5)];
	c->sync_max = (uint8_t)rng_below(r, 6);
	c->icnt_bits = rng_one_in(r, 2) ? 0 : (uint8_t)(5 + rng_below(r, 18));
	c->hist_bits = rng_one_in(r, 2) ? 0 : (uint8_t)(1 + rng_below(r, 31));
	c->icnt_full = (uint8_t)rng_below(r, 2);
	c->btype_plain = (uint8_t)rng_one_in(r, 4);
	c->hist_always = (uint8_t)rng_below(r, 2);
	c->start_sync = (uint8_t)rng_below(r, 7);
	c->stop_evcode = rng_one_in(r, 2) ? 0 : 4;
	c->periodic_events = (uint8_t)rng_below(r, 2);
	if (options == OPTIONS_NONE)
		return;
	c->dialect = (uint8_t[]){ HS_NT_DIALECT_V1_0, HS_NT_DIALECT_RC7, HS_NT_DIALECT_RC7,
	                          HS_NT_DIALECT_SIFIVE }[rng_below(r, 4)];
	c->sequential_jump = chosen(r, 0);
	c->implicit_return = chosen(r, 1) ? (uint8_t)(1 + rng_below(r, 3)) : 0;
	c->call_stack = (uint8_t)rng_below(r, 33);
	c->reported_calls = c->implicit_return ? (uint8_t)rng_below(r, 2) : 0;
	c->return_bits = (uint8_t)(15 + rng_below(r, 30));
	c->repeated_history = chosen(r, 2);
	c->hrepeat_bits = (uint8_t)rng_below(r, 19);
	c->repeat_branch = chosen(r, 3);
	c->all_jumps = chosen(r, 4);
	c->extend_addr = chosen(r, 5);
	c->context = chosen(r, 6);
	c->timestamps = chosen(r, 7);
	c->xlen = t->program.image.isa.xlen;
	c->address_bits = (uint8_t[]){ 0, 0, 0, 38, 47, 48, 56, 31 }[rng_below(r, 8)];
	if (!program_fits(&t->program, c->address_bits))
		c->address_bits = 0;
}

/* Blocks cut to what the I-CNT counter holds. */
static void split(struct hart *h)
{
	const uint32_t limit = 1u << ((t->config.icnt_bits ? t->config.icnt_bits : 22) - 1);

	h->pieces_n = walk_split(&t->program, h->blocks, h->n, limit, h->pieces,
	                         COUNT_OF(h->pieces), NULL);
}

static void encode_some(struct hart *h, size_t most)
{
	const size_t left = h->pieces_n - h->used, n = left < most ? left : most;
	size_t used, len;

	assert_int_equal(hs_nt_encode(&h->encoder, h->pieces + h->used, n, &used,
	                              t->trace + t->length,
	                              TRACE - t->length, &len), HS_OK);
	h->used += used;
	t->length += len;
	if (h->used < h->pieces_n)
		return;
	assert_int_equal(hs_nt_encode_end(&h->encoder, t->trace + t->length, TRACE - t->length,
	                                  &len),
	                 HS_OK);
	t->length += len;
	h->ended = true;
}

static void encode(struct rng *r)
{
	unsigned open = t->count;

	t->length = 0;
	for (unsigned i = 0; i < t->count; i++) {
		struct hs_nt_config c = t->config;

		c.src_id = c.src_bits ? (uint16_t)(i + 1) & ((1u << c.src_bits) - 1) : 0;
		assert_int_equal(hs_nt_encoder_init(&t->harts[i].encoder, &c), HS_OK);
		split(&t->harts[i]);
		t->harts[i].used = 0;
		t->harts[i].ended = false;
	}
	while (open) {
		struct hart *h = &t->harts[rng_below(r, t->count)];

		if (h->ended)
			continue;
		encode_some(h, 1 + rng_below(r, 30));
		open -= h->ended;
		while (rng_one_in(r, 4))
			t->trace[t->length++] = 0xff; /* idle */
	}
}

static struct hart *hart_of(uint32_t src)
{
	const uint32_t mask = (1u << t->config.src_bits) - 1;

	for (unsigned i = 0; i < t->count; i++)
		if (t->config.src_bits == 0 || ((i + 1) & mask) == src)
			return &t->harts[i];
	fail_msg("block of unknown source %u", src);
	return NULL;
}

/* Messages were lost: what the block that was open did until then. */
static bool is_part(const struct hs_block *want, const struct hs_block *b)
{
	return b->kind == HS_KIND_BLOCK && b->itype == HS_ITYPE_NONE &&
	       b->iaddr == want->iaddr && b->iretire <= want->iretire;
}

static void expect(struct hart *h, struct hs_block b)
{
	assert_true(h->seen < h->n && !h->cut);
	h->on = b.kind != HS_KIND_STOP;
	struct hs_block want = h->blocks[h->seen++];

	if (t->config.btype_plain && want.kind == HS_KIND_BLOCK && want.itype == HS_ITYPE_INTERRUPT)
		want.itype = HS_ITYPE_EXCEPTION; /* B-TYPE 1 does not distinguish them */
	if (want.kind != HS_KIND_BLOCK) {
		assert_int_equal(b.kind, want.kind);
		assert_int_equal(b.itype, want.itype);
		return;
	}
	if (h->modes_only && h->said.priv != want.priv)
		fail_msg("block %zu is in mode %u, and %u was reported", h->seen - 1, want.priv,
		         h->said.priv);
	if (t->lossy && !hs_block_same(&want, &b) && is_part(&want, &b)) {
		h->cut = true; /* a gap comes next, or the end of the test */
		return;
	}
	if (!t->config.context)
		want.priv = HS_PRIV_UNKNOWN; /* modes are in Ownership messages */
	else if (!t->modes_exact)
		want.priv = b.priv;
	if (!hs_block_equal(&want, &b))
		fail_msg("block %zu: want %llx+%u last %u itype %u sijump %u, got %llx+%u last %u itype %u "
		         "sijump %u kind %u priv %u", h->seen - 1, (unsigned long long)want.iaddr,
		         want.iretire,
		         want.ilast, want.itype, want.sijump, (unsigned long long)b.iaddr,
		         b.iretire, b.ilast,
		         b.itype, b.sijump, b.kind, b.priv);
}

/* Events that the stream does not carry at their place, or not at all: a loss while nothing is
 * followed makes no gap, and after one a stop has no message (NT 7.4). */
static bool is_silent(struct hart *h, unsigned kind)
{
	const bool loss = kind == HS_KIND_GAP && !h->on;

	h->lost |= loss;
	return loss || kind == HS_KIND_CONTEXT || kind == HS_KIND_TIME || kind == HS_KIND_TRAP ||
		(kind == HS_KIND_STOP && h->lost);
}

static void pass_events(struct hart *h)
{
	while (h->seen < h->n && is_silent(h, h->blocks[h->seen].kind))
		h->seen++;
}

/* Blocks up to the loss may be missing, and no others. */
static void expect_gap(struct hart *h, const struct hs_block *b)
{
	assert_true(t->lossy);
	assert_int_equal(b->arg, HS_E_LOST);
	while (h->seen < h->n && h->blocks[h->seen].kind != HS_KIND_GAP)
		h->seen++;
	assert_true(h->seen < h->n);
	h->seen++;
	h->on = h->cut = false;
	h->lost = true;
	gaps_seen++;
}

/* What an item given to the encoder changes. */
static void give(struct given *g, const struct hs_block *b)
{
	if (b->kind == HS_KIND_CONTEXT && b->arg >= 2)
		g->context[b->arg - 2] = b->value;
	if ((b->kind == HS_KIND_CONTEXT || b->kind == HS_KIND_BLOCK) && b->priv != HS_PRIV_UNKNOWN)
		g->priv = b->priv;
}

static bool carries(const struct given *g, const struct hs_block *b)
{
	return b->priv == g->priv && b->value == (b->arg >= 2 ? g->context[b->arg - 2] : 0);
}

/* A context that is reported was given, in order. */
static void check_context(struct hart *h, const struct hs_block *b)
{
	while (!carries(&h->at, b)) {
		if (h->context_at == h->n)
			fail_msg("context %llx format %u priv %u was not given",
			         (unsigned long long)b->value,
			         b->arg, b->priv);
		give(&h->at, &h->blocks[h->context_at++]);
	}
	if (b->arg >= 2)
		h->said.context[b->arg - 2] = b->value;
	h->said.priv = b->priv;
}

static bool same_context(const struct given *a, const struct given *b)
{
	return a->priv == b->priv && a->context[0] == b->context[0] &&
		a->context[1] == b->context[1];
}

/* The context of the last block was reported, or one that was given after it. */
static void check_last_context(const struct hart *h)
{
	struct given now = { .priv = HS_PRIV_UNKNOWN };
	bool reported = true;

	for (size_t i = 0; i < h->n; i++) {
		give(&now, &h->blocks[i]);
		reported = (reported && h->blocks[i].kind != HS_KIND_BLOCK) ||
			same_context(&h->said, &now);
	}
	assert_true(reported);
}

/* A time that is reported was given, and times never go back. */
static void check_time(struct hart *h, uint64_t time)
{
	assert_true(time >= h->time);
	for (size_t i = 0; i < h->n && time != h->time; i++)
		if (h->blocks[i].kind == HS_KIND_TIME && h->blocks[i].value == time)
			h->time = time;
	assert_true(time == h->time);
}

static void take_items(const struct hs_block *out, size_t n, uint32_t *src)
{
	for (size_t i = 0; i < n; i++) {
		struct hart *h = out[i].kind == HS_KIND_HART ? NULL : hart_of(*src);

		if (!h) {
			*src = out[i].arg;
			continue;
		}
		pass_events(h);
		h->on |= out[i].kind == HS_KIND_SYNC;
		h->lost &= out[i].kind != HS_KIND_SYNC;
		if (out[i].kind == HS_KIND_BLOCK)
			expect(h, out[i]);
		else if (out[i].kind == HS_KIND_GAP)
			expect_gap(h, &out[i]);
		else if (out[i].kind == HS_KIND_STOP && h->seen < h->n) /* not the one at the end */
			expect(h, out[i]);
		else if (out[i].kind == HS_KIND_SYNC && h->seen < h->n &&
		         h->blocks[h->seen].kind == HS_KIND_SYNC)
			expect(h, out[i]);
		else if (out[i].kind == HS_KIND_TIME)
			check_time(h, out[i].value);
		else if (out[i].kind == HS_KIND_CONTEXT)
			check_context(h, &out[i]);
		pass_events(h);
	}
}

static void decode(struct rng *r)
{
	const uint32_t capacity = rng_one_in(r, 3) ? 16 + rng_below(r, 30) : 2048;
	const size_t cap = 8 + rng_below(r, 200);
	struct hs_block out[208];
	struct hs_nt_source sources[HARTS];
	struct hs_nt_decoder d;
	struct hs_bb_table table;
	uint32_t src = 0;
	size_t at = 0, n;
	enum hs_status s;

	assert_true(hs_bb_memory(capacity) <= hs_bb_memory(2048));
	assert_int_equal(hs_bb_init(&table, &t->program.image, t->memory, capacity), HS_OK);
	assert_int_equal(hs_nt_decoder_init(&d, &t->config, &table, sources, HARTS), HS_OK);
	while (at < t->length) {
		size_t chunk = 1 + rng_below(r, rng_one_in(r, 2) ? 4 : 5000);

		if (chunk > t->length - at)
			chunk = t->length - at;
		struct hs_span in = { t->trace + at, chunk };
		do {
			s = hs_nt_decoder_next(&d, &in, out, cap, &n);
			take_items(out, n, &src);
		} while (s == HS_FULL || s == HS_E_LOST);
		if (s != HS_MORE)
			fail_msg("%s at byte %llu, pc %llx: %s", hs_status_name(s),
			         (unsigned long long)d.diag.msg.offset,
			         (unsigned long long)d.diag.pc, d.diag.text);
		at += chunk;
	}
	do {
		s = hs_nt_decoder_end(&d, out, cap, &n);
		take_items(out, n, &src);
	} while (s == HS_FULL);
	assert_int_equal(s, HS_OK);
	for (unsigned i = 0; i < t->count; i++) {
		assert_false(t->harts[i].cut);
		assert_int_equal(t->harts[i].seen, t->harts[i].n);
		if (t->config.context)
			check_last_context(&t->harts[i]);
	}
}

/* Contexts name the mode of the next block. */
static void keep_modes(struct hart *h)
{
	uint8_t priv = HS_PRIV_UNKNOWN;

	for (size_t i = h->n; i-- > 0;) {
		if (h->blocks[i].kind == HS_KIND_BLOCK)
			priv = h->blocks[i].priv;
		if (h->blocks[i].kind == HS_KIND_CONTEXT)
			h->blocks[i].priv = priv & 7u;
	}
}

static uint64_t blocks_seen;

static void one_case(uint64_t seed)
{
	struct rng r = rng_start(seed);
	struct walk_odds odds = walk_odds_random(&r, 5);

	/* No option, each alone, all together, and any set of them, in turn. */
	options = (unsigned)(seed % 4);
	the_option = (unsigned)(seed / 4 % 8);
	program_make(&t->program, &r);
	t->count = rng_one_in(&r, 8) ? 1 + rng_below(&r, HARTS) : 1;
	random_config(&r);
	odds.context_one_in = t->config.context && rng_one_in(&r, 2) ? 1 + rng_below(&r, 40) : 0;
	odds.modes = t->config.context ? MODES : 0;
	t->modes_exact = rng_one_in(&r, 2);
	t->lossy = seed / 4 % 3 == 0;
	odds.lost_one_in = t->lossy ? 1 + rng_below(&r, 200) : 0;
	odds.time_one_in = t->config.timestamps ? 1 + rng_below(&r, 10) : 0;
	for (unsigned i = 0; i < t->count; i++) {
		t->harts[i].n = walk_random(&t->program, &r,
		                            1 + rng_below(&r, rng_one_in(&r, 8) ? 3000 : 200),
		                            &odds, t->harts[i].blocks, BLOCKS);
		if (t->modes_exact)
			keep_modes(&t->harts[i]);
		t->harts[i].seen = 0;
		t->harts[i].time = 0;
		t->harts[i].said = t->harts[i].at = (struct given){ .priv = HS_PRIV_UNKNOWN };
		t->harts[i].context_at = 0;
		t->harts[i].on = t->harts[i].lost = t->harts[i].cut = false;
		t->harts[i].modes_only = odds.modes && !odds.context_one_in;
		blocks_seen += t->harts[i].n;
	}
	encode(&r);
	decode(&r);
}

CAMPAIGN(roundtrip)
{
	t = calloc(1, sizeof *t);
	t->memory = malloc(hs_bb_memory(2048));
	campaign_run(100000, one_case);
	printf("# %llu blocks, all exact but for %llu losses\n", (unsigned long long)blocks_seen,
	       (unsigned long long)gaps_seen);
	assert_true(gaps_seen > 0);
	free(t->memory);
	free(t);
	t = NULL;
}
