/* Damage to E-Trace bytes: what comes before it is as without it, and from the next synchronising
 * packet on the flow is as without it again.
 *
 * Bits within payloads are flipped, so that the framing still separates packets; bytes are also
 * lost, added and cut off, where only what comes before is certain.
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

#include "property/campaign.h"
#include "property/randprog.h"

#define BLOCKS 1200
#define TRACE (BLOCKS * 64)
#define PACKETS TRACE
#define ITEMS (16 * BLOCKS)
#define CAPACITY 1024

enum damage { FLIP, LOSE, ADD, CUT, DAMAGES };

struct items {
	struct hs_block at[ITEMS];
	size_t n;
	bool full;
};

static struct {
	struct program program;
	struct hs_et_config config;
	struct hs_block blocks[BLOCKS];
	uint8_t good[TRACE], bad[TRACE + 1];
	size_t length, bad_length;
	struct hs_et_packet packets[PACKETS];
	size_t count;
	size_t mark[PACKETS]; /* items after each packet */
	struct items want, got;
	struct hs_et_source source;
	uint64_t tables[2][256];
	struct hs_bb_table table;
	struct hs_et_decoder decoder;
	struct hs_et_encoder encoder;
	uint64_t *memory;
} *t;

static uint64_t flips, resumed;

/* ---- a trace ---------------------------------------------------------------------- */

static void random_config(struct rng *r)
{
	struct hs_et_config *c = &t->config;

	do {
		*c = (struct hs_et_config){ .size = sizeof *c,
		                            .version = (uint8_t)rng_below(r, HS_ET_VERSIONS) };
		c->dialect = rng_one_in(r, 2) ? HS_ET_DIALECT_STANDARD : HS_ET_DIALECT_REFERENCE;
		c->sync_mode = HS_ET_SYNC_PACKETS;
		c->sync_max = (uint8_t)rng_below(r, 3);
		c->notval = 1;
		c->context = (uint8_t)rng_below(r, 2);
		c->time = (uint8_t)rng_below(r, 2);
		c->no_compress = rng_one_in(r, 4);
		if (c->version == HS_ET_0_026)
			c->context_mark = 1; /* without it flows are ambiguous (ADR-0017) */
		if (c->version == HS_ET_FAST) {
			c->fast = (uint8_t)rng_below(r, 3);
			c->cycles = (uint8_t)rng_below(r, 3);
		}
		if (c->version == HS_ET_0_026 || c->version == HS_ET_FAST)
			continue;
		/* handlers are not known here */
		c->options = (uint8_t)(rng_next(r) & 63 & ~HS_ET_IMPLICIT_EXCEPT);
		c->sijump = 1;
		c->f0s_width = 1;
		c->bpred_size = (uint8_t)rng_below(r, 6);
		c->cache_size = (uint8_t)rng_below(r, 5);
		c->return_stack_size = (uint8_t)rng_below(r, 5);
	} while (hs_et_config_resolve(c) != HS_OK);
}

static void encode(struct rng *r)
{
	const struct walk_odds odds = { .trap_one_in = rng_one_in(r, 2) ? 30 : 0,
		                        .stop_one_in = rng_one_in(r, 4) ? 100
		                        : 0, .no_custom = true };
	size_t used, len;
	const size_t n = walk_random(&t->program, r, 1000, &odds, t->blocks, BLOCKS);

	assert_int_equal(hs_et_encoder_init(&t->encoder, &t->config, t->tables[0],
	                                    sizeof t->tables[0]), HS_OK);
	assert_int_equal(hs_et_encode(&t->encoder, t->blocks, n, &used, t->good, TRACE - 512,
	                              &t->length), HS_OK);
	assert_int_equal(hs_et_encode_end(&t->encoder, t->good + t->length, 512, &len), HS_OK);
	t->length += len;
}

static void find_packets(void)
{
	struct hs_span in = { t->good, t->length };
	struct hs_et_reader r;

	hs_et_reader_init(&r, &t->config);
	for (t->count = 0; hs_et_read(&r, &in, &t->packets[t->count]) != HS_MORE; t->count++)
		if (t->packets[t->count].form == HS_ET_FORM_SUPPORT)
			hs_et_reader_follow(&r, &t->packets[t->count]);
}

/* ---- decoding --------------------------------------------------------------------- */

static void start_decoder(void)
{
	assert_int_equal(hs_bb_init(&t->table, &t->program.image, t->memory, CAPACITY), HS_OK);
	assert_int_equal(hs_et_decoder_init(&t->decoder, &t->config, &t->table, &t->source, 1,
	                                    t->tables[1], sizeof t->tables[1]), HS_OK);
}

static void keep(struct items *to, const struct hs_block *b, size_t n)
{
	to->full |= to->n + n > ITEMS;
	if (to->full)
		return;
	memcpy(to->at + to->n, b, n * sizeof *b);
	to->n += n;
}

static void feed(const uint8_t *p, size_t n, struct items *to)
{
	struct hs_block out[HS_ET_DECODE_ROOM];
	struct hs_span in = { p, n };
	enum hs_status s;
	size_t count;

	do {
		s = hs_et_decoder_next(&t->decoder, &in, out, HS_ET_DECODE_ROOM, &count);
		keep(to, out, count);
	} while (s != HS_MORE && !to->full);
}

static void finish(struct items *to)
{
	struct hs_block out[HS_ET_DECODE_ROOM];
	enum hs_status s;
	size_t count;

	do {
		s = hs_et_decoder_end(&t->decoder, out, HS_ET_DECODE_ROOM, &count);
		keep(to, out, count);
	} while (s != HS_OK && !to->full);
}

/* False: it does not decode in order without damage. */
static bool decode_good(void)
{
	t->want.n = 0;
	t->want.full = false;
	start_decoder();
	for (size_t i = 0; i < t->count; i++) {
		feed(t->good + t->packets[i].offset, t->packets[i].length, &t->want);
		t->mark[i] = t->want.n;
	}
	finish(&t->want);
	return !t->want.full && t->decoder.stats.errors == 0;
}

/* ---- damage ----------------------------------------------------------------------- */

/* Damage to packet @k, or from there on. */
static void damage(struct rng *r, enum damage how, size_t k)
{
	const struct hs_et_packet *p = &t->packets[k];
	const size_t at = (size_t)p->offset + rng_below(r, p->length), rest = t->length - at;

	memcpy(t->bad, t->good, t->length);
	t->bad_length = t->length;
	switch (how) {
	case FLIP: /* of a payload: the byte before it is the framing's */
		t->bad[p->offset + 1 + rng_below(r, p->length - 1u)] ^= (uint8_t)(1u << rng_below(r,
				8));
		break;
	case LOSE:
		memmove(t->bad + at, t->bad + at + 1, rest - 1);
		t->bad_length--;
		break;
	case ADD:
		memmove(t->bad + at + 1, t->bad + at, rest);
		t->bad[at] = (uint8_t)rng_next(r);
		t->bad_length++;
		break;
	default:
		t->bad_length = at;
		break;
	}
}

static bool same(const struct hs_block *a, const struct hs_block *b, size_t n)
{
	return memcmp(a, b, n * sizeof *a) == 0;
}

/* The packet at fault is no te_support: what that says of options holds for all that follows. */
static bool may_resume(size_t k)
{
	struct hs_span in = { t->bad + t->packets[k].offset, t->packets[k].length };
	struct hs_et_packet p;
	struct hs_et_reader r;

	hs_et_reader_init(&r, &t->config);
	return t->packets[k].form != HS_ET_FORM_SUPPORT &&
	       (hs_et_read(&r, &in, &p) != HS_OK || p.form != HS_ET_FORM_SUPPORT);
}

/* From the second block after the next synchronising packet on; the first one may have begun
 * before it. */
static void check_rest(size_t k)
{
	size_t next = k + 1, from, left;

	while (next < t->count && t->packets[next].form != HS_ET_FORM_START)
		next++;
	if (next == t->count || !may_resume(k))
		return;
	for (from = t->mark[next]; from < t->want.n && t->want.at[from].kind != HS_KIND_BLOCK;)
		if (t->config.version == HS_ET_FAST) /* no blocks: all that comes after it */
			break;
		else
			from++;
	if (from >= t->want.n)
		return;
	left = t->want.n - from - 1;
	assert_true(t->got.n >= left);
	assert_true(same(t->want.at + from + 1, t->got.at + t->got.n - left, left));
	resumed++;
}

static void one_damage(struct rng *r)
{
	const size_t k = rng_below(r, (uint32_t)t->count), offset = (size_t)t->packets[k].offset;
	const enum damage how = t->packets[k].length > 1 ? (enum damage)rng_below(r, DAMAGES) : CUT;
	const size_t before = k ? t->mark[k - 1] : 0;

	damage(r, how, k);
	t->got.n = 0;
	t->got.full = false;
	start_decoder();
	feed(t->bad, offset, &t->got);
	assert_int_equal(t->got.n, before);
	assert_true(same(t->want.at, t->got.at, before));
	feed(t->bad + offset, t->bad_length - offset, &t->got);
	finish(&t->got);
	assert_true(same(t->want.at, t->got.at, before));
	flips += how == FLIP;
	if (how == FLIP && !t->got.full)
		check_rest(k);
}

static void one_case(uint64_t seed)
{
	struct rng r = rng_start(seed);

	program_make(&t->program, &r);
	random_config(&r);
	encode(&r);
	find_packets();
	assert_true(decode_good());
	for (unsigned i = 0; i < 16 && t->count; i++)
		one_damage(&r);
}

static void damage_is_bounded(void **state)
{
	(void)state;
	t = calloc(1, sizeof *t);
	assert_non_null(t);
	t->memory = malloc(hs_bb_memory(CAPACITY));
	campaign_run(3000, one_case);
	printf("# %llu bits flipped, %llu flows equal from the next synchronising packet on\n",
	       (unsigned long long)flips, (unsigned long long)resumed);
	assert_true(resumed > flips / 2);
	free(t->memory);
	free(t);
	t = NULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test_teardown(damage_is_bounded,
			campaign_report) };

	return cmocka_run_group_tests_name("etrace_damage", tests, NULL, NULL);
}
