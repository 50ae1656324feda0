/* An N-Trace encoder with a queue: random programs, walks, parameters, queues from a byte to a few
 * hundred, with stall and without.  Blocks outside of gaps are those that ran, in their modes;
 * there is a gap for each loss in a flow, at its place, and none else. */
#include "cases.h"

#include <hartscope/ntrace.h>

#include "property/campaign.h"
#include "property/randprog.h"

#define BLOCKS 1200
#define TRACE (BLOCKS * 64)
#define ENTRIES 2048

static struct {
	struct program program;
	struct hs_block blocks[BLOCKS], want[2 * BLOCKS];
	size_t n, wants, seen;
	struct hs_nt_config config;
	struct hs_nt_encoder encoder;
	size_t queue, drain, queued;
	uint8_t trace[TRACE];
	size_t length;
	uint8_t priv;     /* as reported last */
	size_t lost_from; /* in want: where a loss begins that was not reported yet */
	bool on;          /* in the trace: a message synchronises, and no stop came since */
	bool running, cut;
	uint64_t *memory;
} *t;

static uint64_t blocks_seen, gaps_seen, stalls_seen;

static void random_config(struct rng *r)
{
	t->config = (struct hs_nt_config){
		.size = sizeof t->config,
		.inst_mode = rng_one_in(r, 2) ? HS_NT_BTM : HS_NT_HTM,
		.src_bits = (uint8_t)rng_below(r, 13),
		.sync_mode = rng_one_in(r, 2) ? HS_NT_SYNC_OFF : HS_NT_SYNC_MESSAGES,
		.sync_max = (uint8_t)rng_below(r, 6),
		.hist_bits = rng_one_in(r, 2) ? 0 : (uint8_t)(1 + rng_below(r, 31)),
		.sequential_jump = 1,
		.implicit_return = rng_one_in(r, 2) ? 3 : 0,
		.repeated_history = (uint8_t)rng_below(r, 2),
		.repeat_branch = (uint8_t)rng_below(r, 2),
		.all_jumps = (uint8_t)rng_below(r, 2),
		.context = (uint8_t)rng_below(r, 2),
		.timestamps = (uint8_t)rng_below(r, 2),
		.stall = rng_one_in(r, 3),
	};
	t->config.xlen = t->program.image.isa.xlen;
	t->queue = 1 + rng_below(r, 1u << (2 + rng_below(r, 8)));
	t->drain = rng_below(r, 1u << rng_below(r, 4));
	if (!t->config.stall)
		return;
	t->queue += 64; /* a message that is larger than the queue would never go */
	t->drain++;
}

/* ---- there -------------------------------------------------------------------------- */

static void put_want(const struct hs_block *b)
{
	t->want[t->wants++] = *b;
}

/* Messages were lost.  A decoder that no message has synchronised since the last gap or stop knows
 * of no flow that could have a gap: it shows nothing of what came since. */
static void put_gap(void)
{
	const struct hs_block gap = { .kind = HS_KIND_GAP, .arg = HS_E_LOST };

	if (t->on)
		put_want(&gap);
	else
		t->wants = t->lost_from;
	t->on = false;
}

/* An item through the queue: what is encoded while messages are lost is not in the trace, but for
 * the item that comes with Error. */
static void put_item(const struct hs_block *b)
{
	const bool lost = t->encoder.lost;
	enum hs_status s;
	size_t len;

	do {
		t->queued -= t->queued < t->drain ? t->queued : t->drain;
		s = hs_nt_encode_port(&t->encoder, b, t->trace + t->length, t->queue - t->queued,
		                      &len);
		t->length += len;
		t->queued += len;
		stalls_seen += s == HS_FULL;
	} while (s == HS_FULL);
	assert_true(s == HS_OK || (s == HS_E_LOST && !t->config.stall && len == 0));
	if (!lost && t->encoder.lost)
		t->lost_from = t->wants;
	if (lost && !t->encoder.lost)
		put_gap();
	put_want(b);
	if (s == HS_OK && !t->encoder.lost && (b->kind == HS_KIND_BLOCK || b->kind == HS_KIND_STOP))
		t->on = b->kind == HS_KIND_BLOCK;
}

static void encode(void)
{
	size_t len;

	t->length = t->wants = t->queued = 0;
	t->on = false;
	assert_int_equal(hs_nt_encoder_init(&t->encoder, &t->config), HS_OK);
	for (size_t i = 0; i < t->n; i++)
		put_item(&t->blocks[i]);
	if (t->encoder.lost)
		put_gap();
	assert_int_equal(hs_nt_encode_end(&t->encoder, t->trace + t->length, TRACE - t->length,
	                                  &len), HS_OK);
	t->length += len;
}

/* ---- and back ----------------------------------------------------------------------- */

static bool is_lost(const struct hs_block *b)
{
	return b->kind == HS_KIND_GAP;
}

/* The next item that the stream shows. */
static const struct hs_block *wanted(void)
{
	for (; t->seen < t->wants; t->seen++) {
		const struct hs_block *b = &t->want[t->seen];

		if (b->kind == HS_KIND_BLOCK || is_lost(b) ||
		    (b->kind == HS_KIND_STOP && t->running))
			return b;
	}
	return NULL;
}

static void fail_item(const struct hs_block *want, const struct hs_block *got)
{
	const struct hs_block none = { .kind = HS_KIND_NOTE };

	want = want ? want : &none;
	fail_msg("item %zu of %zu: want %s %llx+%u itype %u priv %u, got %s %llx+%u itype %u, mode %u",
	         t->seen, t->wants, hs_kind_name(want->kind), (unsigned long long)want->iaddr,
	         want->iretire, want->itype, want->priv, hs_kind_name(got->kind),
	         (unsigned long long)got->iaddr, got->iretire, got->itype, t->priv);
}

static void take_block(const struct hs_block *got)
{
	const struct hs_block *w = wanted();

	if (t->cut || !w || w->kind != HS_KIND_BLOCK || (t->config.context && w->priv != t->priv))
		fail_item(w, got);
	struct hs_block want = *w;

	want.priv = got->priv; /* modes are in Ownership messages */
	t->cut = !hs_block_equal(&want, got);
	/* before a loss a part may have been reported */
	if (t->cut && (got->iaddr != w->iaddr || got->itype != HS_ITYPE_NONE ||
	               got->iretire > w->iretire))
		fail_item(w, got);
	t->running = true;
	t->seen += !t->cut;
	blocks_seen++;
}

static void take_gap(const struct hs_block *got)
{
	while (wanted() && !is_lost(wanted()))
		t->seen++;
	if (!wanted() || got->arg != HS_E_LOST)
		fail_item(wanted(), got);
	t->seen++;
	t->cut = false;
	t->running = false;
	gaps_seen++;
}

static void take_item(const struct hs_block *b)
{
	if (b->kind == HS_KIND_BLOCK) {
		take_block(b);
	} else if (is_lost(b)) {
		take_gap(b);
	} else if (b->kind == HS_KIND_STOP) {
		if (t->cut || (wanted() && t->running && wanted()->kind != HS_KIND_STOP))
			fail_item(wanted(), b);
		t->seen += t->running && wanted();
		t->running = false;
	} else if (b->kind == HS_KIND_CONTEXT) {
		t->priv = b->priv;
	}
}

static void decode(struct rng *r)
{
	struct hs_block out[64];
	struct hs_nt_source source;
	struct hs_nt_decoder d;
	struct hs_bb_table table;
	size_t at = 0, n;
	enum hs_status s;

	t->seen = 0;
	t->running = t->cut = false;
	t->priv = HS_PRIV_UNKNOWN;
	assert_int_equal(hs_bb_init(&table, &t->program.image, t->memory, ENTRIES), HS_OK);
	assert_int_equal(hs_nt_decoder_init(&d, &t->config, &table, &source, 1), HS_OK);
	while (at < t->length) {
		const size_t left = t->length - at, piece = 1 + rng_below(r, 2000);
		struct hs_span in = { t->trace + at, piece < left ? piece : left };

		at += in.n;
		do {
			s = hs_nt_decoder_next(&d, &in, out, 64, &n);
			for (size_t i = 0; i < n; i++)
				take_item(&out[i]);
			if (s != HS_FULL && s != HS_MORE && s != HS_E_LOST)
				fail_msg("%s at byte %llu: %s", hs_status_name(s),
				         (unsigned long long)d.diag.msg.offset, d.diag.text);
		} while (s != HS_MORE);
	}
	do {
		s = hs_nt_decoder_end(&d, out, 64, &n);
		for (size_t i = 0; i < n; i++)
			take_item(&out[i]);
	} while (s == HS_FULL);
	assert_int_equal(s, HS_OK);
	if (t->cut || wanted())
		fail_msg("the trace ends at %zu of %zu", t->seen, t->wants);
}

static void one_case(uint64_t seed)
{
	struct rng r = rng_start(seed);

	program_make(&t->program, &r);
	random_config(&r);
	const struct walk_odds odds = {
		.trap_one_in = rng_one_in(&r, 3) ? 0 : 1 + rng_below(&r, 60),
		.stop_one_in = rng_one_in(&r, 3) ? 1 + rng_below(&r, 200) : 0,
		.time_one_in = t->config.timestamps ? 1 + rng_below(&r, 10) : 0,
		.tidy_returns = rng_one_in(&r, 2),
		.modes = t->config.context ? 1u << HS_PRIV_U | 1u << HS_PRIV_S | 1u << HS_PRIV_M : 0,
	};

	t->n = walk_random(&t->program, &r, 1 + rng_below(&r, 1000), &odds, t->blocks, BLOCKS);
	encode();
	decode(&r);
}

CAMPAIGN(through_a_queue)
{
	uint64_t cases;

	t = calloc(1, sizeof *t);
	assert_non_null(t);
	t->memory = malloc(hs_bb_memory(ENTRIES));
	cases = campaign_run(20000, one_case);
	printf("# %llu blocks, %llu gaps, %llu stalls, all exact\n",
	       (unsigned long long)blocks_seen, (unsigned long long)gaps_seen,
	       (unsigned long long)stalls_seen);
	assert_true((gaps_seen > cases && stalls_seen > cases) || cases < 1000);
	free(t->memory);
	free(t);
	t = NULL;
}
