/* decode(encode(x)) = x for E-Trace, for random programs, walks, versions, parameters and chunking. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <hartscope/etrace.h>

#include "property/randprog.h"

#define HARTS 4
#define BLOCKS 1200
#define TRACE (HARTS * BLOCKS * 200)

struct hart {
	struct hs_block blocks[BLOCKS];
	size_t n, seen, used;
	struct hs_et_encoder encoder;
	uint64_t time;
	bool ended;
};

static struct {
	struct program program;
	struct hart harts[HARTS];
	unsigned count;
	struct hs_et_config config;
	uint8_t trace[TRACE];
	size_t length;
	uint64_t *memory;
} *t;

/* ---- configurations --------------------------------------------------------------- */

#define OPTIONS 7 /* the last: return counter instead of stack */

/* No option, each alone, all together, and any set of them, in turn. */
static bool chosen(struct rng *r, uint64_t seed, unsigned number)
{
	switch (seed % 4) {
	case 0: return false;
	case 1: return seed / 4 % OPTIONS == number;
	case 2: return number != 6 || seed & 4;
	default: return rng_one_in(r, 2);
	}
}

static void random_options(struct rng *r, uint64_t seed)
{
	struct hs_et_config *c = &t->config;
	const bool counter = chosen(r, seed, 6), stack = chosen(r, seed, 1) && !counter;

	c->sijump = chosen(r, seed, 0) || counter; /* a pair may return elsewhere than a count can tell */
	c->return_stack_size = stack ? (uint8_t)(1 + rng_below(r, HS_ET_RETURN_MAX)) : 0;
	c->call_counter_size = counter ? (uint8_t)(1 + rng_below(r, HS_ET_RETURN_MAX)) : 0;
	c->bpred_size = chosen(r, seed, 2) ? (uint8_t)(1 + rng_below(r, HS_ET_BPRED_MAX)) : 0;
	c->cache_size = chosen(r, seed, 3) ? (uint8_t)(1 + rng_below(r, HS_ET_CACHE_MAX)) : 0;
	c->f0s_width = c->bpred_size && c->cache_size ? (uint8_t)(1 + rng_below(r, 2)) : (uint8_t)rng_below(r, 3);
	c->options = (uint8_t)((c->sijump ? HS_ET_SIJUMP : 0) | (stack || counter ? HS_ET_IMPLICIT_RETURN : 0) |
	                       (c->bpred_size ? HS_ET_BRANCH_PREDICTION : 0) |
	                       (c->cache_size ? HS_ET_JUMP_TARGET_CACHE : 0) |
	                       (chosen(r, seed, 4) ? HS_ET_FULL_ADDRESS : 0));
	c->context_precise = chosen(r, seed, 5);
}

static void random_draft(struct rng *r, uint64_t seed)
{
	struct hs_et_config *c = &t->config;

	c->options = chosen(r, seed, 4) ? HS_ET_FULL_ADDRESS : 0;
	c->negated = (uint8_t)rng_below(r, 2);
	c->full_on_tie = (uint8_t)rng_below(r, 2);
	c->notval = (uint8_t)rng_below(r, 2);
	c->context_mark = 1;
	c->type_prefix = c->dialect == HS_ET_DIALECT_DRAFT || c->dialect == HS_ET_DIALECT_NONE || rng_one_in(r, 3);
}

static void random_config(struct rng *r, uint64_t seed)
{
	static const uint8_t dialects[] = { HS_ET_DIALECT_STANDARD, HS_ET_DIALECT_REFERENCE, HS_ET_DIALECT_NONE,
		                            HS_ET_DIALECT_DRAFT };
	struct hs_et_config *c = &t->config;
	const bool several = t->count > 1;
	const uint8_t version = (uint8_t)rng_below(r, HS_ET_FAST);

	hs_et_config_init(c, version);
	c->dialect = several ? HS_ET_DIALECT_STANDARD : dialects[rng_below(r, version == HS_ET_0_026 ? 4 : 3)];
	c->iaddress_lsb = (uint8_t)rng_below(r, 2);
	if (t->program.image.isa.xlen == 32)
		c->iaddress_width = (uint8_t)(32 + rng_below(r, 33));
	c->privilege_width = (uint8_t)(2 + rng_below(r, 3));
	c->ecause_width = (uint8_t)(4 + rng_below(r, 6));
	c->nocontext = (uint8_t)rng_below(r, 2);
	c->context_width = (uint8_t)(1 + rng_below(r, 32));
	c->notime = (uint8_t)rng_below(r, 2);
	c->time_width = (uint8_t)(1 + rng_below(r, 32));
	c->sync_mode = (uint8_t[]){ HS_ET_SYNC_OFF, HS_ET_SYNC_PACKETS, HS_ET_SYNC_HALFWORDS }[rng_below(r, 3)];
	c->sync_max = (uint8_t)rng_below(r, 6);
	c->no_compress = rng_one_in(r, 4);
	if (c->dialect == HS_ET_DIALECT_STANDARD) {
		c->src_bits = several ? (uint8_t)(2 + rng_below(r, 11)) : (uint8_t)rng_below(r, 13);
		c->tstamp_bytes = (uint8_t)rng_below(r, 9);
	}
	if (version == HS_ET_0_026)
		random_draft(r, seed);
	else
		random_options(r, seed);
	if (hs_et_config_check(c) != HS_OK) { /* a packet longer than the framing holds */
		c->nocontext = c->notime = 1;
		c->notval = c->version == HS_ET_0_026;
	}
	assert_int_equal(hs_et_config_check(c), HS_OK);
}

/* ---- there ------------------------------------------------------------------------- */

static void encode_some(struct hart *h, size_t most)
{
	const size_t left = h->n - h->used, n = left < most ? left : most;
	size_t used, len;

	assert_int_equal(hs_et_encode(&h->encoder, h->blocks + h->used, n, &used, t->trace + t->length,
	                              TRACE - t->length, &len), HS_OK);
	h->used += used;
	t->length += len;
	if (h->used < h->n)
		return;
	assert_int_equal(hs_et_encode_end(&h->encoder, t->trace + t->length, TRACE - t->length, &len), HS_OK);
	t->length += len;
	h->ended = true;
}

static uint16_t src_of(unsigned hart)
{
	return (uint16_t)(t->count > 1 ? hart : 0);
}

static void encode(struct rng *r)
{
	unsigned open = t->count;

	t->length = 0;
	for (unsigned i = 0; i < t->count; i++) {
		struct hs_et_config c = t->config;

		c.src_id = src_of(i);
		assert_int_equal(hs_et_encoder_init(&t->harts[i].encoder, &c), HS_OK);
	}
	while (open) {
		struct hart *h = &t->harts[rng_below(r, t->count)];

		if (h->ended)
			continue;
		encode_some(h, 1 + rng_below(r, 30));
		open -= h->ended;
		while (t->config.dialect == HS_ET_DIALECT_STANDARD && rng_one_in(r, 8))
			t->trace[t->length++] = 0; /* null packet */
	}
}

/* ---- and back ---------------------------------------------------------------------- */

static uint64_t ones(unsigned bits)
{
	return bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
}

/* What the packet of a trap can say of it. */
static void cut_trap(struct hs_block *trap, const struct hs_block *block)
{
	const struct hs_et_config *c = &t->config;
	const bool told = c->version == HS_ET_0_026 ? !c->notval : block->itype == HS_ITYPE_EXCEPTION;

	trap->arg &= (uint32_t)ones(c->ecause_width);
	trap->value &= told ? ones(c->iaddress_width) : 0;
}

static void expect(struct hart *h, const struct hs_block *b)
{
	assert_true(h->seen < h->n);
	struct hs_block want = h->blocks[h->seen++];

	if (b->kind == HS_KIND_TRAP && want.kind == HS_KIND_TRAP) {
		cut_trap(&want, &h->blocks[h->seen - 2]);
		assert_int_equal(b->arg, want.arg);
		assert_true(b->value == want.value);
	} else if (!(b->kind == HS_KIND_STOP && want.kind == HS_KIND_SYNC) &&
	           (b->kind != want.kind || (b->kind == HS_KIND_BLOCK && !hs_block_same(&want, b)))) {
		fail_msg("item %zu: want %llx+%u last %u itype %u priv %u kind %u, got %llx+%u last %u itype %u priv %u kind %u",
		         h->seen - 1, (unsigned long long)want.iaddr, want.iretire, want.ilast, want.itype, want.priv,
		         want.kind, (unsigned long long)b->iaddr, b->iretire, b->ilast, b->itype, b->priv, b->kind);
	}
}

/* Events that the stream does not carry at their place are passed over. */
static void pass_events(struct hart *h)
{
	for (; h->seen < h->n; h->seen++) {
		const struct hs_block *b = &h->blocks[h->seen];

		if (b->kind != HS_KIND_CONTEXT && b->kind != HS_KIND_TIME && !(b->kind == HS_KIND_SYNC && b->itype != 1))
			return;
	}
}

/* A context or time that is reported was given. */
static void was_given(const struct hart *h, const struct hs_block *b, unsigned width)
{
	bool given = b->value == 0;

	for (size_t i = 0; i < h->n && !given; i++)
		given = h->blocks[i].kind == b->kind && (h->blocks[i].value & ones(width)) == b->value;
	assert_true(given);
}

static void take_item(struct hart *h, const struct hs_block *b)
{
	switch (b->kind) {
	case HS_KIND_CONTEXT:
		was_given(h, b, t->config.context_width);
		break;
	case HS_KIND_TIME:
		was_given(h, b, t->config.time_width);
		break;
	case HS_KIND_SYNC:
		break;
	case HS_KIND_STOP:
	case HS_KIND_TRAP:
	case HS_KIND_BLOCK:
		pass_events(h);
		if (b->kind != HS_KIND_STOP || h->seen < h->n) /* not the one at the end */
			expect(h, b);
		break;
	default:
		fail_msg("kind %u", b->kind);
	}
}

static void take(const struct hs_block *out, size_t n, uint32_t *src)
{
	for (size_t i = 0; i < n; i++) {
		if (out[i].kind == HS_KIND_HART) {
			*src = out[i].arg;
			assert_true(*src < t->count);
		} else {
			take_item(&t->harts[*src], &out[i]);
		}
	}
}

static void decode_chunk(struct rng *r, struct hs_et_decoder *d, const uint8_t *in, size_t n, uint32_t *src)
{
	struct hs_block out[220];
	const size_t cap = HS_ET_DECODE_ROOM + rng_below(r, 200);
	enum hs_status s;
	size_t count;

	do {
		s = hs_et_decoder_next(d, &in, &n, out, cap, &count);
		if (s != HS_MORE && s != HS_FULL)
			fail_msg("%s at byte %llu, pc %llx: %s", hs_status_name(s),
			         (unsigned long long)d->diag.packet.offset, (unsigned long long)d->diag.pc, d->diag.why);
		take(out, count, src);
	} while (s == HS_FULL);
}

static void decode(struct rng *r)
{
	const uint32_t capacity = rng_one_in(r, 3) ? 16 + rng_below(r, 30) : 2048;
	static struct hs_et_source sources[HARTS];
	struct hs_block out[HS_ET_DECODE_ROOM];
	struct hs_et_decoder d;
	struct hs_bb_table table;
	uint32_t src = 0;
	enum hs_status s;
	size_t n;

	assert_int_equal(hs_bb_init(&table, &t->program.image, t->memory, capacity), HS_OK);
	assert_int_equal(hs_et_decoder_init(&d, &t->config, &table, sources, HARTS), HS_OK);
	for (size_t at = 0, chunk; at < t->length; at += chunk) {
		chunk = 1 + rng_below(r, rng_one_in(r, 2) ? 4 : 5000);
		if (chunk > t->length - at)
			chunk = t->length - at;
		decode_chunk(r, &d, t->trace + at, chunk, &src);
	}
	do {
		s = hs_et_decoder_end(&d, out, HS_ET_DECODE_ROOM, &n);
		take(out, n, &src);
	} while (s == HS_FULL);
	assert_int_equal(s, HS_OK);
	for (unsigned i = 0; i < t->count; i++) {
		pass_events(&t->harts[i]);
		assert_int_equal(t->harts[i].seen, t->harts[i].n);
	}
}

/* ---- cases ------------------------------------------------------------------------- */

static uint64_t from_environment(const char *name, uint64_t standard)
{
	const char *v = getenv(name);

	return v ? strtoull(v, NULL, 0) : standard;
}

static uint64_t blocks_seen, current_seed;

/* After a failure: the seed to run again with HARTSCOPE_SEED. */
static int report(void **state)
{
	(void)state;
	if (t)
		printf("# last seed %llu: version %u dialect %u options %x stack %u counter %u sync %u %u\n",
		       (unsigned long long)current_seed, t->config.version, t->config.dialect, t->config.options,
		       t->config.return_stack_size, t->config.call_counter_size, t->config.sync_mode,
		       t->config.sync_max);
	return 0;
}

static void one_case(uint64_t seed)
{
	struct rng r = { seed * 2 + 1 };

	for (int i = 0; i < 4; i++)
		rng_next(&r);
	program_make(&t->program, &r);
	t->count = rng_one_in(&r, 8) ? 1 + rng_below(&r, HARTS) : 1;
	random_config(&r, seed);
	const struct walk_odds odds = {
		.trap_one_in = rng_one_in(&r, 3) ? 0 : 1 + rng_below(&r, 60),
		.stop_one_in = rng_one_in(&r, 5) ? 1 + rng_below(&r, 200) : 0,
		.reset_one_in = rng_one_in(&r, 6) ? 1 + rng_below(&r, 200) : 0,
		.trigger_one_in = rng_one_in(&r, 6) ? 1 + rng_below(&r, 100) : 0,
		.context_one_in = t->config.nocontext ? 0 : 1 + rng_below(&r, 40),
		.time_one_in = t->config.notime && !t->config.tstamp_bytes ? 0 : 1 + rng_below(&r, 10),
		.tidy_returns = t->config.call_counter_size != 0,
		.plain_stack = t->config.call_counter_size != 0,
		.no_custom = true,
		.modes = t->config.privilege_width > 2 ? 0x3b : 0x0b,
	};

	for (unsigned i = 0; i < t->count; i++) {
		struct hart *h = &t->harts[i];

		h->n = walk_random(&t->program, &r, 1 + rng_below(&r, rng_one_in(&r, 8) ? 3000 : 200), &odds,
		                   h->blocks, BLOCKS);
		h->seen = h->used = 0;
		h->ended = false;
		blocks_seen += h->n;
	}
	encode(&r);
	decode(&r);
}

static void roundtrip(void **state)
{
	const uint64_t seed = from_environment("HARTSCOPE_SEED", 1);
	const uint64_t cases = from_environment("HARTSCOPE_CASES", 100000);

	(void)state;
	t = calloc(1, sizeof *t);
	t->memory = malloc(hs_bb_memory(2048));
	for (uint64_t i = 0; i < cases; i++) {
		if (i % 10000 == 0)
			printf("# seeds %llu..\n", (unsigned long long)(seed + i));
		current_seed = seed + i;
		one_case(current_seed);
	}
	printf("# %llu cases, %llu items, all exact\n", (unsigned long long)cases, (unsigned long long)blocks_seen);
	free(t->memory);
	free(t);
	t = NULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test_teardown(roundtrip, report) };

	return cmocka_run_group_tests_name("etrace_roundtrip", tests, NULL, NULL);
}
