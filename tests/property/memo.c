/* A decoder with a memo does what one without does: the same items up to the same results, the same
 * diagnostics and counters, for random programs, parameters, sizes and damage.
 *
 * Each trace is given several times, whole or damaged, so that runs are found; the memo has from 16
 * runs, which are soon full, to more than there are.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <hartscope/ntrace.h>

#include "property/campaign.h"
#include "property/randprog.h"

#define BLOCKS 1200
#define TRACE (BLOCKS * 64)
#define OUT 320
#define ENOUGH 50000 /* items: damage may repeat a message many times */
#define ROOM_MIN HS_NT_DECODE_ROOM
#define RUNS_MAX 1024u
#define TABLE_MAX 2048u

/* One of the two decoders, and what it wrote so far. */
struct side {
	struct hs_bb_table table;
	uint64_t *blocks;
	struct hs_nt_decoder nt;
	struct hs_nt_source nt_source;
	struct hs_span in;
	struct hs_block out[OUT];
	uint64_t items, sum; /* of them, a hash */
	enum hs_status status;
};

static struct {
	struct program program;
	struct hs_block blocks[BLOCKS], pieces[BLOCKS * 40];
	size_t count;
	struct hs_nt_config nt;
	uint8_t whole[TRACE], given[2 * TRACE];
	size_t length, given_length;
	struct side without, with;
	struct hs_memo memo;
	uint64_t *runs;
} *t;

static uint64_t hits, misses, emptied, errors;

/* ---- a trace ------------------------------------------------------------------------ */

static void random_nt_config(struct rng *r)
{
	struct hs_nt_config *c = &t->nt;

	memset(c, 0, sizeof *c);
	c->size = sizeof *c;
	c->inst_mode = rng_one_in(r, 2) ? HS_NT_BTM : HS_NT_HTM;
	c->sync_mode = rng_one_in(r, 2) ? HS_NT_SYNC_OFF : HS_NT_SYNC_MESSAGES;
	c->sync_max = (uint8_t)rng_below(r, 6);
	c->icnt_bits = rng_one_in(r, 2) ? 0 : (uint8_t)(5 + rng_below(r, 18));
	c->hist_bits = rng_one_in(r, 2) ? 0 : (uint8_t)(1 + rng_below(r, 31));
	c->dialect = rng_one_in(r, 2) ? HS_NT_DIALECT_V1_0 : HS_NT_DIALECT_RC7;
	c->sequential_jump = (uint8_t)rng_one_in(r, 3);
	c->implicit_return = rng_one_in(r, 6) ? 3 : 0;
	c->repeated_history = (uint8_t)rng_one_in(r, 3);
	c->repeat_branch = (uint8_t)rng_one_in(r, 3);
	c->all_jumps = (uint8_t)rng_one_in(r, 4);
	c->extend_addr = (uint8_t)rng_one_in(r, 3);
	c->context = (uint8_t)rng_one_in(r, 4);
	c->timestamps = (uint8_t)rng_one_in(r, 8);
	c->src_bits = rng_one_in(r, 8) ? 3 : 0;
	c->hist_always = (uint8_t)rng_below(r, 2);
	c->xlen = t->program.image.isa.xlen;
}

/* Blocks cut to what the I-CNT counter holds. @return pieces. */
static size_t split(void)
{
	const uint32_t limit = 1u << ((t->nt.icnt_bits ? t->nt.icnt_bits : 22) - 1);
	size_t count = 0;

	for (size_t i = 0; i < t->count; i++) {
		size_t n = 1;

		if (t->blocks[i].kind == HS_KIND_BLOCK)
			assert_int_equal(hs_block_split(&t->program.image, &t->blocks[i], limit,
			                                &t->pieces[count], 40, &n), HS_OK);
		else
			t->pieces[count] = t->blocks[i];
		count += n;
	}
	return count;
}

static void encode_nt(void)
{
	struct hs_nt_encoder e;
	size_t used, n;

	assert_int_equal(hs_nt_encoder_init(&e, &t->nt), HS_OK);
	assert_int_equal(hs_nt_encode(&e, t->pieces, split(), &used, t->whole, TRACE, &n), HS_OK);
	t->length = n;
	assert_int_equal(hs_nt_encode_end(&e, t->whole + n, TRACE - n, &n), HS_OK);
	t->length += n;
}

/* The trace as it is given: whole; or with bytes that changed, are missing or are doubled. */
static void damage(struct rng *r)
{
	const bool whole = rng_one_in(r, 2);
	const uint32_t one_in = 20 + rng_below(r, 2000);

	t->given_length = 0;
	for (size_t i = 0; i < t->length; i++) {
		const unsigned what = whole || !rng_one_in(r, one_in) ? 0 : 1 + rng_below(r, 3);

		if (what == 1)
			continue;
		t->given[t->given_length++] =
			(uint8_t)(t->whole[i] ^ (what == 2 ? 1u << rng_below(r, 8) : 0));
		if (what == 3)
			t->given[t->given_length++] = t->whole[i];
	}
}

/* ---- both decoders ------------------------------------------------------------------ */

static void start(struct side *s, uint32_t capacity)
{
	assert_int_equal(hs_bb_init(&s->table, &t->program.image, s->blocks, capacity), HS_OK);
	s->items = s->sum = 0;
	assert_int_equal(hs_nt_decoder_init(&s->nt, &t->nt, &s->table, &s->nt_source, 1), HS_OK);
}

static void compare_stats(void)
{
	assert_memory_equal(hs_nt_decoder_stats(&t->without.nt), hs_nt_decoder_stats(&t->with.nt),
	                    sizeof(struct hs_nt_stats));
}

/* The message at fault, its fields that are there. */
static void compare_nt_diag(void)
{
	const struct hs_nt_diag *a = &t->without.nt.diag, *b = &t->with.nt.diag;

	assert_int_equal(a->reason, b->reason);
	assert_int_equal(a->pc, b->pc);
	assert_int_equal(a->msg.offset, b->msg.offset);
	assert_int_equal(a->msg.tcode, b->msg.tcode);
	assert_int_equal(a->msg.length, b->msg.length);
	assert_int_equal(a->msg.present, b->msg.present);
	for (unsigned f = 0; f < HS_NTF_COUNT; f++)
		if (hs_nt_has(&a->msg, f))
			assert_int_equal(a->msg.field[f], b->msg.field[f]);
}

static void add_items(struct side *s, size_t n)
{
	uint64_t words[2 * OUT];

	memcpy(words, s->out, n * sizeof *s->out);
	for (size_t i = 0; i < 2 * n; i++)
		s->sum = (s->sum ^ words[i]) * UINT64_C(0x100000001b3) + (s->sum >> 47);
	s->items += n;
}

static void compare(void)
{
	const struct side *a = &t->without, *b = &t->with;

	assert_int_equal(a->status, b->status);
	assert_int_equal(a->items, b->items);
	assert_int_equal(a->sum, b->sum);
	assert_int_equal(a->in.n, b->in.n);
	if (a->status == HS_OK || a->status == HS_MORE)
		return;
	errors++;
	compare_nt_diag();
}

static void next(struct side *s, size_t room)
{
	size_t n;

	do {
		s->status = hs_nt_decoder_next(&s->nt, &s->in, s->out, room, &n);
		add_items(s, n);
	} while (s->status == HS_FULL);
}

static void end(struct side *s, size_t room)
{
	size_t n;

	do {
		s->status = hs_nt_decoder_end(&s->nt, s->out, room, &n);
		add_items(s, n);
	} while (s->status == HS_FULL);
}

/* Both go on to the same place. */
static enum hs_status go_on(void (*step)(struct side *s, size_t room), size_t room)
{
	step(&t->without, room);
	step(&t->with, room);
	compare();
	return t->with.status;
}

static void lose(struct side *s)
{
	hs_nt_decoder_lose(&s->nt);
}

/* What happens between two pieces of a trace. */
static void happen(struct rng *r)
{
	if (rng_one_in(r, 40)) {
		lose(&t->without);
		lose(&t->with);
	}
	if (rng_one_in(r, 60)) {
		const size_t i = rng_below(r, (uint32_t)t->program.count);

		program_patch(&t->program, r, i);
		hs_bb_change(&t->without.table, t->program.at[i], 4);
		hs_bb_change(&t->with.table, t->program.at[i], 4);
	}
	if (rng_one_in(r, 100)) {
		hs_bb_forget(&t->without.table);
		hs_bb_forget(&t->with.table);
	}
}

static void decode_given(struct rng *r, size_t room)
{
	const uint32_t most = rng_one_in(r, 3) ? 40 : 4000;

	for (size_t at = 0, n; at < t->given_length && t->with.items < ENOUGH; at += n) {
		n = 1 + rng_below(r, most);
		n = n < t->given_length - at ? n : t->given_length - at;
		t->without.in = t->with.in = (struct hs_span){ t->given + at, n };
		while (go_on(next, room) != HS_MORE)
			;
		happen(r);
	}
}

static void decode(struct rng *r)
{
	const uint32_t capacity = rng_one_in(r, 4) ? 16 + rng_below(r, 60) : TABLE_MAX;
	const size_t room = rng_one_in(r, 4) ? ROOM_MIN + rng_below(r, OUT - ROOM_MIN) : OUT;
	const uint32_t runs = HS_MEMO_RUNS_MIN << rng_below(r, 7);
	const unsigned passes = 1 + rng_below(r, 4);

	start(&t->without, capacity);
	start(&t->with, capacity);
	assert_int_equal(hs_memo_init(&t->memo, t->runs, runs), HS_OK);
	hs_nt_decoder_set_memo(&t->with.nt, &t->memo);
	for (unsigned i = 0; i < passes; i++) {
		damage(r);
		decode_given(r, room);
	}
	while (go_on(end, room) != HS_OK)
		;
	compare_stats();
	hits += hs_memo_get_stats(&t->memo)->hits;
	misses += hs_memo_get_stats(&t->memo)->misses;
	emptied += hs_memo_get_stats(&t->memo)->emptied;
}

static void one_case(uint64_t seed)
{
	struct rng r = rng_start(seed);
	struct walk_odds odds = walk_odds_random(&r, 5);

	program_make(&t->program, &r);
	random_nt_config(&r);
	odds.context_one_in = t->nt.context ? 1 + rng_below(&r, 400) : 0;
	odds.time_one_in = t->nt.timestamps ? 1 + rng_below(&r, 40) : 0;
	if (rng_one_in(&r, 2))
		odds.trap_one_in = odds.stop_one_in = odds.reset_one_in = odds.trigger_one_in = 0;
	t->count = walk_random(&t->program, &r, 1 + rng_below(&r, rng_one_in(&r, 4) ? 3000 : 600),
	                       &odds, t->blocks, BLOCKS);
	encode_nt();
	decode(&r);
}

static void memo(void **state)
{
	(void)state;
	t = calloc(1, sizeof *t);
	t->without.blocks = malloc(hs_bb_memory(TABLE_MAX));
	t->with.blocks = malloc(hs_bb_memory(TABLE_MAX));
	t->runs = malloc(hs_memo_memory(RUNS_MAX));
	campaign_run(1500, one_case);
	printf("# %llu runs found, %llu not; %llu full; %llu errors\n", (unsigned long long)hits,
	       (unsigned long long)misses, (unsigned long long)emptied,
	       (unsigned long long)errors);
	assert_true(hits > 0 && misses > 0 && emptied > 0 && errors > 0);
	free(t->without.blocks);
	free(t->with.blocks);
	free(t->runs);
	free(t);
	t = NULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test_teardown(memo, campaign_report) };

	return cmocka_run_group_tests_name("memo", tests, NULL, NULL);
}
