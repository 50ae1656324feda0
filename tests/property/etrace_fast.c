/* Fast profiles and cycle counts of random walks (design/et-draft): what is decoded is what the
 * blocks say, and the calls counted of both are the same. */
#include "cases.h"

#include "counts/calls_private.h"
#include <hartscope/etrace.h>

#include "etrace/et_config.h"
#include "property/campaign.h"
#include "property/randprog.h"

#define BLOCKS 1200
#define TRACE (BLOCKS * 64)
#define EVENTS (BLOCKS * 8)

struct events {
	struct hs_block at[EVENTS];
	size_t n;
};

static struct {
	struct program program;
	struct hs_block blocks[BLOCKS];
	size_t n;
	struct hs_et_config config;
	struct hs_et_encoder encoder;
	uint8_t trace[TRACE + HS_ET_ENCODE_ROOM];
	size_t length;
	struct events want, got;
	struct hs_et_source source;
	uint64_t memory[4096];
} *t;

static uint64_t targets, cycles_seen;

/* ---- what the blocks say ------------------------------------------------------------- */

static void put_event(struct events *to, unsigned kind, unsigned itype, uint64_t value,
                      uint32_t arg)
{
	assert_true(to->n < EVENTS);
	to->at[to->n++] = (struct hs_block){ .value = value, .arg = arg, .itype = (uint8_t)itype,
	                                     .kind = (uint8_t)kind };
}

/* A hart, block by block. */
struct model {
	bool open, forced, timed; /* timed: a time came since the last block */
	struct hs_block last;
	uint64_t time, told, context, context_told;
	uint64_t contexts[2]; /* scontext, hcontext */
	bool time_known;
};

static bool is_told(unsigned itype)
{
	return itype == 1 || itype == 2 || itype == 3 || itype == 8 || itype == 9 || itype == 12 ||
		itype == 13;
}

/* @return cycles since what was reported before, where they are counted. */
static uint64_t model_time(struct model *m)
{
	/* time wraps; what is half of its range further is back */
	const uint64_t cycles = m->time - m->told;
	const bool counted = m->open && t->config.cycles == HS_ET_CYCLES_RETIREMENTS &&
		cycles <= INT64_MAX;

	if (!m->time_known || cycles)
		put_event(&t->want, HS_KIND_TIME, 0, m->time, 0);
	m->time_known = true;
	m->told = m->time;
	return counted ? cycles : 0;
}

static void model_block(struct model *m, const struct hs_block *b)
{
	const unsigned itype = m->open && t->config.fast && is_told(m->last.itype) ? m->last.itype
		: 0;
	const bool retirement = t->config.cycles == HS_ET_CYCLES_RETIREMENTS && m->timed;
	uint64_t cycles = 0;

	if (itype && t->config.fast == HS_ET_FAST_SOURCES)
		put_event(&t->want, HS_KIND_SOURCE, 0,
		    hs_block_end(&m->last) - 2u * (uint64_t)m->last.ilast, 0);
	if (t->config.context && m->context != m->context_told)
		put_event(&t->want, HS_KIND_CONTEXT, 0, m->context_told = m->context, 2);
	if (t->config.cycles && (itype || retirement || !m->open || m->forced))
		cycles = model_time(m);
	if (itype)
		put_event(&t->want, HS_KIND_TARGET, itype, b->iaddr, 0);
	if (cycles)
		put_event(&t->want, HS_KIND_CYCLES, 0, b->iaddr, cycles < UINT32_MAX
		          ? (uint32_t)cycles
		    : UINT32_MAX);
	m->last = *b;
	m->open = true;
	m->forced = m->timed = false;
}

/* In a field of at least 16 + 14 bits hcontext (FORMAT 3) is above scontext
 * (design/rec-machines). */
static void model_context(struct model *m, const struct hs_block *b)
{
	const unsigned width = t->config.context_width;
	const uint64_t all = ((uint64_t)1 << width) - 1;

	m->contexts[b->arg == 3] = b->value;
	m->context = m->contexts[0] & all;
	if (width >= 30 && m->contexts[1])
		m->context = (m->contexts[0] & all >> 14) |
		             (m->contexts[1] & 0x3fff) << (width - 14);
}

static void model_event(struct model *m, const struct hs_block *b)
{
	if (b->kind == HS_KIND_STOP || (b->kind == HS_KIND_SYNC && b->itype == 1)) {
		if (m->open)
			put_event(&t->want, HS_KIND_STOP, 4, 0, 0);
		m->open = m->forced = false;
	} else if (b->kind == HS_KIND_SYNC) {
		m->forced = true;
	} else if (b->kind == HS_KIND_TIME) {
		m->time = b->value;
		m->timed = true;
	} else if (b->kind == HS_KIND_CONTEXT) {
		model_context(m, b);
	}
}

static void model(void)
{
	struct model m = { 0 };

	t->want.n = 0;
	for (size_t i = 0; i < t->n; i++) {
		if (t->blocks[i].kind == HS_KIND_BLOCK)
			model_block(&m, &t->blocks[i]);
		else
			model_event(&m, &t->blocks[i]);
	}
	if (m.open)
		put_event(&t->want, HS_KIND_STOP, 4, 0, 0);
}

/* ---- there and back ------------------------------------------------------------------ */

static void random_config(struct rng *r)
{
	static const uint8_t modes[] = { HS_ET_SYNC_OFF, HS_ET_SYNC_PACKETS, HS_ET_SYNC_HALFWORDS };
	struct hs_et_config *c = &t->config;

	do {
		*c = (struct hs_et_config){ .size = sizeof *c, .version = HS_ET_FAST };
		hs_et_config_dialect(
			c, (enum hs_et_dialect_id)rng_below(r, HS_ET_DIALECT_RV_TRACER));
		c->version = HS_ET_FAST;
		c->iaddress_width = t->program.image.isa.xlen == 32 ? 32 : 64;
		c->iaddress_unit = (uint8_t)(1u << rng_below(r, 2));
		c->fast = (uint8_t)rng_below(r, 3);
		c->cycles = (uint8_t)rng_below(r, 3);
		c->context = (uint8_t)rng_below(r, 2);
		c->context_width = (uint8_t)(1 + rng_below(r, 32));
		c->no_compress = rng_one_in(r, 4);
		c->sync_mode = modes[rng_below(r, 3)];
		c->sync_max = (uint8_t)rng_below(r, 3);
	} while (hs_et_config_resolve(c) != HS_OK);
}

/* Times that stand still, go back, or make a jump. */
static void bend_time(struct rng *r)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->blocks[i].kind == HS_KIND_TIME && rng_one_in(r, 8))
			t->blocks[i].value = rng_one_in(r, 2) ? rng_next(r) : rng_below(r, 100);
}

static void encode(struct rng *r)
{
	size_t used, len;

	t->length = 0;
	assert_int_equal(hs_et_encoder_init(&t->encoder, &t->config, NULL, 0), HS_OK);
	for (size_t at = 0; at < t->n; at += used, t->length += len) {
		const size_t n = 1 + rng_below(r, 30);

		assert_int_equal(hs_et_encode(&t->encoder, t->blocks + at, n < t->n - at ? n
		                              : t->n - at, &used,
		                              t->trace + t->length, TRACE - t->length, &len),
		                              HS_OK);
	}
	assert_int_equal(hs_et_encode_end(&t->encoder, t->trace + t->length, HS_ET_ENCODE_ROOM,
	                                  &len), HS_OK);
	t->length += len;
}

/* Packets that synchronise are the encoder's choice; a count of 0 has no event of its own in each
 * of them. */
static void keep(const struct hs_block *out, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const bool chosen = out[i].kind == HS_KIND_SYNC ||
			(out[i].kind == HS_KIND_TARGET && !out[i].itype) ||
		                    (out[i].kind == HS_KIND_CYCLES && !out[i].arg);

		if (!chosen)
			put_event(&t->got, out[i].kind, out[i].itype, out[i].value, out[i].arg);
		targets += out[i].kind == HS_KIND_TARGET;
		cycles_seen += out[i].kind == HS_KIND_CYCLES;
	}
}

static void decode(struct rng *r, struct hs_calls *calls)
{
	struct hs_block out[HS_ET_DECODE_ROOM + 40];
	struct hs_bb_table table;
	struct hs_et_decoder d;
	enum hs_status s;
	size_t count;

	t->got.n = 0;
	assert_int_equal(hs_bb_init(&table, &t->program.image, t->memory, 16), HS_OK);
	assert_int_equal(hs_et_decoder_init(&d, &t->config, &table, &t->source, 1, NULL, 0), HS_OK);
	for (size_t at = 0, left; at < t->length; at += left) {
		left = 1 + rng_below(r, 50);
		left = left < t->length - at ? left : t->length - at;

		struct hs_span in = { t->trace + at, left };
		do {
			s = hs_et_decoder_next(&d, &in, out, HS_ET_DECODE_ROOM + rng_below(r, 40),
			                       &count);
			assert_true(s == HS_MORE || s == HS_FULL);
			assert_int_equal(hs_calls_add(calls, out, count), HS_OK);
			keep(out, count);
		} while (s == HS_FULL);
	}
	assert_int_equal(hs_et_decoder_end(&d, out, HS_ET_DECODE_ROOM, &count), HS_OK);
	assert_int_equal(count, 0);
}

static void compare_events(void)
{
	for (size_t i = 0; i < t->want.n && i < t->got.n; i++) {
		const struct hs_block *a = &t->want.at[i], *b = &t->got.at[i];

		if (a->kind != b->kind || a->itype != b->itype || a->value != b->value ||
		    a->arg != b->arg)
			fail_msg("event %zu: want kind %u itype %u value %llx arg %u, got kind %u itype %u value %llx arg %u", i,
			         a->kind, a->itype, (unsigned long long)a->value, a->arg, b->kind,
			         b->itype,
			         (unsigned long long)b->value, b->arg);
	}
	assert_int_equal(t->want.n, t->got.n);
}

/* What was executed.  Packets do not say that a hart only waited: what comes after a stop did not
 * follow. */
static void add_executed(struct hs_calls *calls)
{
	for (size_t i = 0; i < t->n; i++) {
		struct hs_block b = t->blocks[i];

		if (b.kind == HS_KIND_STOP)
			b.itype = 4;
		assert_int_equal(hs_calls_add(calls, &b, 1), HS_OK);
	}
}

/* Without symbols all functions are one. */
static void compare_calls(struct hs_calls *fast, struct hs_calls *full)
{
	struct hs_calls_result a, b;

	assert_int_equal(hs_calls_get_result(fast, &a), HS_OK);
	assert_int_equal(hs_calls_get_result(full, &b), HS_OK);
	assert_int_equal(a.calls, b.calls);
	assert_int_equal(a.returns, b.returns);
	assert_int_equal(a.traps, b.traps);
	assert_int_equal(a.edge_count, b.edge_count);
	for (size_t i = 0; i < a.edge_count; i++)
		assert_int_equal(a.edges[i].inferred, t->config.fast == HS_ET_FAST_SOURCES ? 0
		                 : a.calls);
}

static void one_case(uint64_t seed)
{
	struct rng r = rng_start(seed);
	struct hs_calls *fast, *full;
	struct hs_program *program;

	const struct walk_odds odds = { .trap_one_in = rng_one_in(&r, 2) ? 30
	                                : 0, .stop_one_in = rng_one_in(&r, 3) ? 100 : 0,
		                        .reset_one_in = rng_one_in(&r, 3) ? 100 : 0,
		                        .trigger_one_in = rng_one_in(&r, 3) ? 60
		                        : 0, .context_one_in = 40,
		                        .time_one_in = 1 + rng_below(&r, 20),
		                        .tidy_returns = seed % 2 };
	program_make(&t->program, &r);
	random_config(&r);
	t->n = walk_random(&t->program, &r, 1000, &odds, t->blocks, BLOCKS);
	bend_time(&r);
	assert_int_equal(hs_program_new(&program), HS_OK);
	assert_int_equal(hs_calls_new(program, NULL, &fast), HS_OK);
	assert_int_equal(hs_calls_new(program, NULL, &full), HS_OK);
	add_executed(full);
	model();
	encode(&r);
	decode(&r, fast);
	compare_events();
	if (t->config.fast)
		compare_calls(fast, full);
	hs_calls_free(fast);
	hs_calls_free(full);
	hs_program_free(program);
}

static int report(void **state)
{
	if (t)
		printf("# its config: dialect %u fast %u cycles %u context %u sync %u %u\n",
		       t->config.dialect, t->config.fast, t->config.cycles, t->config.context,
		       t->config.sync_mode, t->config.sync_max);
	return campaign_report(state);
}

TEST_WITH(same_transfers, NULL, report)
{
	uint64_t cases;

	t = calloc(1, sizeof *t);
	assert_non_null(t);
	cases = campaign_run(20000, one_case);
	printf("# %llu targets, %llu cycle counts\n", (unsigned long long)targets,
	       (unsigned long long)cycles_seen);
	assert_true(targets > 10 * cases && cycles_seen > cases);
	free(t);
	t = NULL;
}
