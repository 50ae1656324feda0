/* Our encoder and decoder of TACIT against the second decoder (tests/referee), which is written
 * from docs/tacit.md alone: what it makes of random programs' streams is what they executed, and
 * when, and what our decoder makes of them. */
#include "cases.h"

#include "core/core.h"
#include "property/campaign.h"
#include "property/randprog.h"
#include "referee/tacit_referee.h"
#include "tacit/tacit.h"

#define BLOCKS 1600
#define TRACE (BLOCKS * 64)
#define ITEMS (BLOCKS * 100)
#define ENTRIES 2048

struct item {
	uint64_t value;
	unsigned kind;
};

struct items {
	struct item item[ITEMS];
	size_t n;
};

static struct {
	struct program program;
	struct tacit_config config;
	struct hs_block blocks[BLOCKS];
	size_t n;
	struct tacit_encoder encoder;
	uint8_t trace[TRACE];
	size_t length;
	struct tacit_decoder decoder;
	struct tacit_source source;
	struct hs_block decoded[ITEMS];
	size_t decoded_n;
	struct items want, got;
	uint64_t *memory;
	struct tacit_referee referee;
} * t;

static uint64_t blocks_seen, bytes_seen, ambiguous_seen;

static void add(struct items *to, unsigned kind, uint64_t value)
{
	assert_true(to->n < ITEMS);
	to->item[to->n++] = (struct item){ value, kind };
}

static void report(void *to, enum tacit_item item, uint64_t value)
{
	if (item != TACIT_ITEM_CTX)
		add(to, item, value);
}

/* ---- what was executed --------------------------------------------------------------- */

static void add_block(struct items *to, const struct hs_block *b)
{
	uint64_t pc = b->iaddr;

	for (uint32_t left = b->iretire; left;) {
		struct instr i;

		assert_true(instr_get(program_fetch, &t->program, t->program.image.isa.xlen, pc,
		                      &i));
		assert_true(i.size / 2 <= left);
		add(to, TACIT_ITEM_PC, pc);
		left -= i.size / 2;
		pc += i.size;
	}
	blocks_seen++;
}

static bool is_trap(const struct hs_block *b)
{
	return hs_itype_is_trap(b->itype) || b->itype == HS_ITYPE_XRET;
}

/* Does the time of its message reach the trace?  Of predicted branches that depends on the
 * predictor. */
static bool is_timed(const struct hs_block *b)
{
	return t->config.mode == TACIT_MODE_TARGET ? b->itype != HS_ITYPE_NONE
	                                           : hs_itype_uninferable(b->itype);
}

static bool ends(const struct hs_block *b)
{
	return b->kind == HS_KIND_STOP || b->kind == HS_KIND_GAP;
}

/* The next block, before which the trace does not end. */
static const struct hs_block *next_of(size_t i)
{
	while (++i < t->n && !ends(&t->blocks[i]))
		if (t->blocks[i].kind == HS_KIND_BLOCK)
			return &t->blocks[i];
	return NULL;
}

/* The items that a decoder with the whole trace would have: each instruction, each trap with where
 * it led, times. */
static void take_executed(struct items *to, const struct hs_block *blocks, size_t n)
{
	uint64_t time = 0;
	bool on = false;

	to->n = 0;
	for (size_t i = 0; i < n; i++) {
		const struct hs_block *b = &blocks[i], *next = next_of(i);

		if (b->kind == HS_KIND_TIME && b->value > time)
			time = b->value;
		if (ends(b) && on) {
			add(to, TACIT_ITEM_STOP, 0);
			on = false;
		}
		if (b->kind != HS_KIND_BLOCK)
			continue;
		if (!on)
			add(to, TACIT_ITEM_PRIV, b->priv);
		on = true;
		add_block(to, b);
		if (is_trap(b) && next)
			add(to, TACIT_ITEM_TRAP, b->itype == HS_ITYPE_XRET ? 4 : b->itype);
		if (is_timed(b) && (next || !hs_itype_uninferable(b->itype)))
			add(to, TACIT_ITEM_TIME, time);
		if (is_trap(b) && next)
			add(to, TACIT_ITEM_PRIV, next->priv);
	}
	if (on)
		add(to, TACIT_ITEM_STOP, 0);
}

/* Times of predicted branches are left out. */
static bool is_left_out(const struct items *in, size_t i)
{
	return in->item[i].kind == TACIT_ITEM_TIME && t->config.mode == TACIT_MODE_PREDICT &&
	       !(i && in->item[i - 1].kind == TACIT_ITEM_TRAP);
}

static void compare(const char *what)
{
	size_t k = 0;

	for (size_t i = 0; i < t->want.n; i++) {
		if (is_left_out(&t->want, i))
			continue;
		while (k < t->got.n && is_left_out(&t->got, k))
			k++;
		const struct item *w = &t->want.item[i], *g = &t->got.item[k];

		if (k == t->got.n || w->kind != g->kind || w->value != g->value)
			fail_msg("%s: item %zu of %zu: want %u %llx, got %u %llx", what, i,
			         t->want.n, w->kind, (unsigned long long)w->value,
			         k < t->got.n ? g->kind : 99,
			         (unsigned long long)g->value);
		k++;
	}
	while (k < t->got.n && is_left_out(&t->got, k))
		k++;
	assert_int_equal(k, t->got.n);
}

/* ---- the two decoders ---------------------------------------------------------------- */

static void referee(void)
{
	struct tacit_referee *r = &t->referee;

	memset(r, 0, sizeof *r);
	r->fetch = program_fetch;
	r->program = &t->program;
	r->xlen = t->program.image.isa.xlen;
	r->address_bits = t->config.address_bits ? t->config.address_bits : 64;
	r->fresh = t->config.fresh;
	r->skips = t->config.skip_jumps;
	r->report = report;
	r->to = &t->got;
	t->got.n = 0;
	if (!tacit_referee_run(r, t->trace, t->length))
		fail_msg("byte %zu: %s, pc %llx, after %zu items", (size_t)(r->p - t->trace),
		         r->error, (unsigned long long)r->pc, t->got.n);
	compare("the second decoder");
}

/* Our decoder, with bytes in pieces and little room. */
static void decode(struct rng *r)
{
	struct hs_bb_table table;
	size_t n;

	assert_int_equal(hs_bb_init(&table, &t->program.image, t->memory, ENTRIES), HS_OK);
	assert_int_equal(tacit_decoder_init(&t->decoder, &t->config, &table, &t->source), HS_OK);
	t->decoded_n = 0;
	for (size_t at = 0, some; at < t->length; at += some) {
		enum hs_status s;

		some = 1 + rng_below(r, 40);
		if (some > t->length - at)
			some = t->length - at;
		struct hs_span in = { t->trace + at, some };

		do {
			assert_true(t->decoded_n + 64 < ITEMS);
			s = tacit_decode(&t->decoder, &in, t->decoded + t->decoded_n,
			                 TACIT_DECODE_ROOM + rng_below(r, 20), &n);
			t->decoded_n += n;
		} while (s == HS_FULL);
		if (s != HS_MORE)
			fail_msg("our decoder: %s at 0x%llx",
			         hs_reason_text(t->decoder.diag.reason),
			         (unsigned long long)t->decoder.diag.msg.offset);
	}
	assert_int_equal(tacit_decode_end(&t->decoder, t->decoded + t->decoded_n, 64, &n), HS_OK);
	t->decoded_n += n;
}

/* Blocks as they were, but for a mode that was not known. */
static bool same_block(const struct hs_block *a, const struct hs_block *b)
{
	struct hs_block own = *a;

	if (own.priv == HS_PRIV_UNKNOWN)
		own.priv = HS_PRIV_U;
	return hs_block_equal(&own, b);
}

static void compare_blocks(void)
{
	size_t k = 0;

	for (size_t i = 0; i < t->n; i++) {
		if (t->blocks[i].kind != HS_KIND_BLOCK)
			continue;
		while (k < t->decoded_n && t->decoded[k].kind != HS_KIND_BLOCK)
			k++;
		if (k == t->decoded_n || !same_block(&t->blocks[i], &t->decoded[k]))
			fail_msg("block %zu at %llx (itype %u, %u half-words): %llx (%u, %u)",
			         i, (unsigned long long)t->blocks[i].iaddr, t->blocks[i].itype,
			         t->blocks[i].iretire, (unsigned long long)t->decoded[k].iaddr,
			         t->decoded[k].itype, t->decoded[k].iretire);
		k++;
	}
	while (k < t->decoded_n && t->decoded[k].kind != HS_KIND_BLOCK)
		k++;
	assert_int_equal(k, t->decoded_n);
}

/* ---- cases --------------------------------------------------------------------------- */

static void random_config(struct rng *r)
{
	struct tacit_config *c = &t->config;

	memset(c, 0, sizeof *c);
	c->mode = rng_one_in(r, 2) ? TACIT_MODE_PREDICT : TACIT_MODE_TARGET;
	c->config_form = (uint8_t)rng_below(r, 3);
	c->entries = (uint16_t)(64u << rng_below(r, c->config_form == TACIT_CONFIG_LOG ? 7 : 5));
	c->fresh = rng_one_in(r, 3);
	c->skip_jumps = rng_one_in(r, 2);
	c->sync_max = rng_one_in(r, 2) ? 1 + rng_below(r, 40) : 0;
	c->address_bits = (uint8_t[]){ 0, 64, 40, 48, 57 }[rng_below(r, 5)];
	if (!program_fits(&t->program, c->address_bits ? c->address_bits - 1 : 0))
		c->address_bits = 0;
}

/* ecall and ebreak are taken back, as an encoder is given them; they retire again in a decoder. */
static void encode(void)
{
	static struct hs_block own[BLOCKS];
	size_t used;

	memcpy(own, t->blocks, t->n * sizeof *own);
	for (size_t i = 0; i < t->n; i++)
		hs_block_drop_ecall(&t->program.image, &own[i]);
	assert_int_equal(tacit_encoder_init(&t->encoder, &t->config), HS_OK);
	assert_int_equal(tacit_encode(&t->encoder, own, t->n, &used, t->trace, TRACE, &t->length),
	                 HS_OK);
	size_t len;

	assert_int_equal(tacit_encode_end(&t->encoder, t->trace + t->length, TRACE - t->length,
	                                  &len), HS_OK);
	t->length += len;
	bytes_seen += t->length;
}

static bool is_call(uint64_t at, unsigned *hwords)
{
	struct hs_insn insn;

	if (hs_img_insn(&t->program.image, at, &insn) != HS_OK)
		return false;
	*hwords = insn.hwords;
	return insn.kind == HS_INSN_ECALL || insn.kind == HS_INSN_EBREAK;
}

/* An exception before an ecall or ebreak is that call: the trace has no causes. */
static void take_calls(struct hs_block *b)
{
	unsigned hwords;

	if (b->kind != HS_KIND_BLOCK || b->itype != HS_ITYPE_EXCEPTION)
		return;
	if (!b->iretire || !is_call(hs_block_end(b) - 2u * (uint64_t)b->ilast, &hwords)) {
		if (!is_call(hs_block_end(b), &hwords))
			return;
		b->iretire += hwords;
		b->ilast = (uint8_t)hwords;
	}
	if (b[1].kind == HS_KIND_TRAP)
		b[1].arg = 8;
}

/* Where the trace leaves direct jumps out, and they lead to an address more than once, it does not
 * say how often; our decoder says that. */
static bool is_ambiguous(void)
{
	for (size_t i = 0; i < t->decoded_n; i++)
		if (t->decoded[i].kind == HS_KIND_NOTE && t->decoded[i].arg == HS_NOTE_AMBIGUOUS)
			return true;
	return false;
}

static void one_case(uint64_t seed)
{
	struct rng r = rng_start(seed);
	const struct walk_odds odds = {
		.trap_one_in = rng_one_in(&r, 3) ? 0 : 1 + rng_below(&r, 60),
		.stop_one_in = rng_one_in(&r, 4) ? 1 + rng_below(&r, 200) : 0,
		.time_one_in = 1 + rng_below(&r, 10),
		.no_custom = true,
		.modes = 1u << HS_PRIV_U | 1u << HS_PRIV_S | 1u << HS_PRIV_M,
	};

	do
		program_make(&t->program, &r);
	while (t->program.image.isa.zcmp_zcmt);
	random_config(&r);
	t->n = walk_random(&t->program, &r, 1 + rng_below(&r, rng_one_in(&r, 8) ? 3000 : 200),
	                   &odds, t->blocks, BLOCKS);
	for (size_t i = 0; i < t->n; i++)
		take_calls(&t->blocks[i]);
	encode();
	decode(&r);
	if (is_ambiguous()) {
		assert_true(t->config.skip_jumps);
		ambiguous_seen++;
		return;
	}
	take_executed(&t->want, t->blocks, t->n);
	referee();
	compare_blocks();
}

CAMPAIGN_WITH(second_decoder, t)
{
	t->memory = malloc(hs_bb_memory(ENTRIES));
	assert_non_null(t->memory);
	campaign_run(1500, one_case);
	free(t->memory);
	printf("# %llu blocks, %llu bytes, %llu cases are ambiguous\n",
	       (unsigned long long)blocks_seen, (unsigned long long)bytes_seen,
	       (unsigned long long)ambiguous_seen);
}
