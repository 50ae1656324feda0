/* Code that changes while it is traced: a hart executes one program after another in the same
 * place, by an interrupt or a jump between them, and a guide says when.  decode(encode(x)) = x, in
 * both protocols. */
#include "cases.h"

#include <hartscope/protocol.h>

#include "property/campaign.h"
#include "property/changing.h"
#include "trace/protocol.h"

#define PROGRAMS 4
#define HARTS 3
#define TURNS 12 /* programs that a hart executes, one after the other */
#define WALK 200
#define BLOCKS (TURNS * (WALK + 3))
#define TRACE (HARTS * BLOCKS * 64)
#define PASSED 40 /* more than the blocks of a packet */
#define ENTRIES 512u /* of a table of basic blocks */

/* What a hart finds from a block on. */
struct turn {
	uint64_t blocks;
	const struct program *program;
};

struct hart {
	struct hs_block items[BLOCKS];
	size_t n, seen;
	uint64_t blocks;
	struct turn turns[TURNS];
	unsigned turn_count, turn; /* turn: the current one of the decoder's */
	struct hs_image image;     /* changes */
	struct hs_bb_table table;
};

static struct {
	struct program programs[PROGRAMS];
	struct hart harts[HARTS];
	unsigned count;
	bool jumps; /* from one program to the next */
	bool switches; /* a context for each program */
	uint8_t trace[TRACE];
	size_t length;
	uint64_t *memory[HARTS];
} *t;

static uint64_t changes_seen, blocks_seen;

/* ---- programs in one place ------------------------------------------------------ */

static bool fits(const struct program *p)
{
	const struct program *first = &t->programs[0];

	return p->base == first->base && p->image.isa.xlen == first->image.isa.xlen &&
	       p->image.isa.zcmp_zcmt == first->image.isa.zcmp_zcmt;
}

static void make_programs(struct rng *r)
{
	program_make(&t->programs[0], r);
	for (unsigned i = 1; i < PROGRAMS; i++)
		do
			program_make(&t->programs[i], r);
		while (!fits(&t->programs[i]));
}

/* ---- executions ------------------------------------------------------------------ */

/* Cut a walk after a jump that may lead anywhere: also to the next program. */
static size_t jump_away(const struct hs_block *v, size_t n)
{
	while (n && !(v[n - 1].kind == HS_KIND_BLOCK && !v[n - 1].sijump && v[n - 1].iretire &&
	              (v[n - 1].itype == HS_ITYPE_JUMP_UNINF ||
	               v[n - 1].itype == HS_ITYPE_CALL_UNINF)))
		n--;
	return n;
}

static size_t leave(struct rng *r, struct hs_block *v, size_t n)
{
	const size_t cut = t->jumps && rng_one_in(r, 2) ? jump_away(v, n) : 0;

	return cut ? cut : changing_interrupt(v, n);
}

/* Does the jump at the end of @h's items lead to what the program before passed?  A packet of
 * E-Trace reports both with the same address; encoders do not know that the code changes
 * (design/code-changes). */
static bool is_ambiguous(const struct hart *h, uint64_t to)
{
	const size_t first = h->n > PASSED ? h->n - PASSED : 0;
	size_t i = h->n;

	if (!i || h->items[i - 1].kind != HS_KIND_BLOCK)
		return false;
	while (i > first && to - h->items[i - 1].iaddr >= 2u * (uint64_t)h->items[i - 1].iretire)
		i--;
	return i > first;
}

static void execute(struct hart *h, struct rng *r, const struct walk_odds *odds)
{
	struct hs_block v[WALK + 8];

	h->n = h->blocks = h->seen = h->turn_count = h->turn = 0;
	for (unsigned i = 0; i < TURNS; i++) {
		const struct program *p = &t->programs[rng_below(r, PROGRAMS)];
		const bool last = i + 1 == TURNS;
		size_t n = walk_random(p, r, 1 + rng_below(r, 150), odds, v, WALK);

		/* No trace reports a trap whose handler never runs. */
		while (last && n == 0)
			n = walk_random(p, r, 100, odds, v, WALK);
		n = last ? n : leave(r, v, n);
		if (n == 0 || is_ambiguous(h, v[0].iaddr))
			continue;
		if (t->switches && h->n) /* a synchronising packet names the first address */
			h->items[h->n++] = (struct hs_block){ .kind = HS_KIND_CONTEXT, .value = i,
				                              .priv = v[0].priv };
		h->turns[h->turn_count++] = (struct turn){ h->blocks, p };
		memcpy(h->items + h->n, v, n * sizeof(*v));
		h->n += n;
		for (size_t k = 0; k < n; k++)
			h->blocks += v[k].kind == HS_KIND_BLOCK;
	}
}

/* ---- encoding -------------------------------------------------------------------- */

static void encode(const struct hs_protocol *p, void *config, struct rng *r)
{
	struct changing_flow flows[HARTS] = { 0 };

	for (unsigned i = 0; i < t->count; i++)
		flows[i] = (struct changing_flow){ .items = t->harts[i].items, .n = t->harts[i].n };
	t->length = changing_encode(p, config, r, flows, t->count, t->trace, TRACE);
}

/* ---- the guide ------------------------------------------------------------------- */

static uint64_t next_change(const struct hart *h)
{
	return h->turn + 1 < h->turn_count ? h->turns[h->turn + 1].blocks - h->turns[h->turn].blocks
	                                   : HS_GUIDE_NEVER;
}

static uint64_t begin(void *to, uint32_t src, struct hs_bb_table **table)
{
	struct hart *h = &t->harts[src];

	assert_ptr_equal(to, t);
	assert_in_range(src, 0, t->count - 1);
	h->image = h->turns[0].program->image;
	assert_int_equal(hs_bb_init(&h->table, &h->image, t->memory[src], ENTRIES), HS_OK);
	*table = &h->table;
	return next_change(h);
}

static uint64_t reach(void *to, uint32_t src)
{
	struct hart *h = &t->harts[src];

	(void)to;
	h->image = h->turns[++h->turn].program->image;
	hs_bb_forget(&h->table);
	changes_seen++;
	return next_change(h);
}

static void place(void *to, uint32_t src, uint64_t offset)
{
	(void)to;
	fail_msg("source %u lost synchronisation before byte %llu", src,
	         (unsigned long long)offset);
}

/* ---- decoding -------------------------------------------------------------------- */

static void take_items(const struct hs_block *v, size_t n, uint32_t *hart)
{
	for (size_t i = 0; i < n; i++) {
		struct hart *h = &t->harts[*hart];

		if (v[i].kind == HS_KIND_HART)
			*hart = v[i].arg;
		if (v[i].kind != HS_KIND_BLOCK)
			continue;
		while (h->seen < h->n && h->items[h->seen].kind != HS_KIND_BLOCK)
			h->seen++;
		assert_true(h->seen < h->n);
		struct hs_block want = h->items[h->seen++];

		want.priv = v[i].priv;
		if (!hs_block_equal(&want, &v[i]))
			fail_msg("hart %u: %llx+%u itype %u, wanted %llx+%u itype %u", *hart,
			         (unsigned long long)v[i].iaddr, v[i].iretire, v[i].itype,
			         (unsigned long long)want.iaddr, want.iretire, want.itype);
		blocks_seen++;
	}
}

static void decode(const struct hs_protocol *p, const void *config, struct rng *r)
{
	const struct hs_code_guide guide = { t, begin, reach, place, false };
	struct hs_span in = { t->trace, t->length };
	const size_t cap = 32 + rng_below(r, 200);
	struct hs_block out[232];
	struct hs_fault e = { 0 };
	enum hs_status s;
	uint32_t hart = 0;
	struct hs_decoder *decoder;
	size_t n;

	assert_int_equal(hs_decoder_new(&decoder, p, config, &t->programs[0].image, NULL), HS_OK);
	decoder_guide(decoder, &guide);
	do {
		s = hs_decode(decoder, &in, out, cap, &n);
		take_items(out, n, &hart);
	} while (s == HS_FULL);
	while (s == HS_MORE || s == HS_FULL) {
		s = hs_decode_end(decoder, out, cap, &n);
		take_items(out, n, &hart);
	}
	if (s != HS_OK) {
		hs_decoder_diag(decoder, s, &e);
		fail_msg("%s", e.error.text);
	}
	hs_decoder_free(decoder);
	for (unsigned i = 0; i < t->count; i++) {
		struct hart *h = &t->harts[i];

		while (h->seen < h->n && h->items[h->seen].kind != HS_KIND_BLOCK)
			h->seen++;
		assert_int_equal(h->seen, h->n);
	}
}

/* ---- cases ----------------------------------------------------------------------- */

static const struct changing_settings settings[] = {
	{ "ntrace", { { "trTeInstMode", "htm" } } },
	{ "ntrace", { { "trTeInstMode", "btm" } } },
	{ "ntrace", { { "trTeInstSyncMode", "messages" }, { "trTeInstSyncMax", "2" } } },
	{ "ntrace", { { "trTeInstEnRepeatedHistory", "1" }, { "repeatBranch", "1" },
	              { "trTeInstEnSequentialJump", "1" },
	              { "trTeInstImplicitReturnMode", "full" } } },
	{ "ntrace", { { "trTeInstEnAllJumps", "1" }, { "dialect", "1.0" } } },
	{ "ntrace", { { "trTeInstSyncMode", "halfwords" }, { "trTeInstSyncMax", "0" },
	              { "trTeContext", "1" } } },
	{ "etrace", { { NULL } } },
	{ "etrace", { { "version", "1.1" }, { "trTeInstSyncMode", "packets" },
	              { "resync-max", "0" } } },
	{ "etrace", { { "full-address", "true" } } },
	{ "etrace", { { "nocontext_p", "0" }, { "context_width_p", "16" } } },
	{ "etrace", { { "implicit-return", "true" }, { "return_stack_size_p", "4" },
	              { "si-jump", "true" }, { "sijump_p", "1" } } },
	{ "etrace", { { "f0s_width_p", "1" }, { "branch-prediction", "true" },
	              { "bpred_size_p", "6" },
	              { "jump-target-cache", "true" }, { "cache_size_p", "5" } } },
};

static void one_case(uint64_t seed)
{
	const struct changing_settings *s = &settings[seed % (sizeof settings / sizeof *settings)];
	const struct hs_protocol *p = hs_protocol_find(s->protocol);
	struct rng r = rng_start(seed);
	struct walk_odds odds = walk_odds_random(&r, 0);

	t->count = rng_one_in(&r, 3) ? 1 + rng_below(&r, HARTS) : 1;
	odds.stop_one_in = odds.reset_one_in = odds.trigger_one_in = 0;
	odds.no_custom = true;
	odds.context_one_in = rng_one_in(&r, 2) ? 1 + rng_below(&r, 20) : 0;
	make_programs(&r);
	/* Which return a packet means depends on the code at its address (design/code-changes). */
	t->jumps = strcmp(s->set[0][0] ? s->set[0][0] : "", "implicit-return") != 0;
	t->switches = rng_one_in(&r, 2);
	for (unsigned i = 0; i < t->count; i++)
		execute(&t->harts[i], &r, &odds);
	void *config = changing_config(p, s, t->count, &t->programs[0].image.isa);

	encode(p, config, &r);
	decode(p, config, &r);
	free(config);
}

static int set_up(void **state)
{
	(void)state;
	t = calloc(1, sizeof *t);
	for (unsigned i = 0; i < HARTS; i++)
		t->memory[i] = calloc(1, hs_bb_memory(ENTRIES));
	return t ? 0 : 1;
}

static int tear_down(void **state)
{
	for (unsigned i = 0; i < HARTS; i++)
		free(t->memory[i]);
	free(t);
	return campaign_report(state);
}

TEST_WITH(code_changes, set_up, tear_down)
{
	const uint64_t cases = campaign_run(1500, one_case);

	printf("# %llu blocks, %llu changes\n", (unsigned long long)blocks_seen,
	       (unsigned long long)changes_seen);
	assert_true(cases < 100 || changes_seen > cases);
}

/* @before rounds of a loop, and then a branch to where the code has changed.  Packets that
 * synchronise come every few instructions, for some of the numbers there.  They report a branch,
 * which is none in the old code. */
static void change_in_loop(const struct hs_protocol *p, unsigned before)
{
	/* 1002 c.nop, 1004 c.beqz a0, 1010, 1006 c.j 1004, 1010 c.nop; then c.beqz a0, 1004 */
	static const uint8_t code[2][16] = {
		{ 0x01, 0x00, 0x11, 0xc5, 0xfd, 0xbf, [14] = 0x01, 0x00 },
		{ 0x01, 0x00, 0x11, 0xc5, 0xfd, 0xbf, [14] = 0x75, 0xd9 } };
	static const struct hs_section sections[2] = { { 0x1002, 16, code[0] },
		                                       { 0x1002, 16, code[1] } };
	static const struct changing_settings often = {
		"etrace", { { "trTeInstSyncMode", "halfwords" }, { "resync-max", "0" } }
	};
	struct hart *h = &t->harts[0];
	struct rng r = rng_start(1);

	memset(h, 0, sizeof(*h));
	t->count = 1;
	for (unsigned i = 0; i < 2; i++) {
		memset(&t->programs[i], 0, sizeof(t->programs[i]));
		t->programs[i].image.isa.xlen = 64;
		t->programs[i].image.sections = &sections[i];
		t->programs[i].image.count = 1;
		h->turns[i] = (struct turn){ i * (2 * before + 1), &t->programs[i] };
	}
	h->turn_count = 2;
	for (unsigned i = 0; i < before + 8; i++) {
		const bool leaves = i == before;

		h->items[h->n++] = (struct hs_block){
			.iaddr = 0x1004, .iretire = 1, .ilast = 1,
			.itype = leaves ? HS_ITYPE_TAKEN : HS_ITYPE_NOT_TAKEN };
		h->items[h->n++] = (struct hs_block){
			.iaddr = leaves ? 0x1010 : 0x1006, .iretire = 1, .ilast = 1,
			.itype = leaves ? HS_ITYPE_TAKEN : HS_ITYPE_JUMP_INF };
	}
	h->items[0].iaddr = 0x1002; /* an odd half-word: a round has two, as the interval */
	h->items[0].iretire = 2;
	void *config = changing_config(p, &often, t->count, &t->programs[0].image.isa);

	encode(p, config, &r);
	decode(p, config, &r);
	free(config);
}

TEST_WITH(branch_at_a_change, set_up, tear_down)
{
	for (unsigned before = 1; before < 40; before++)
		change_in_loop(hs_protocol_find("etrace"), before);
}
