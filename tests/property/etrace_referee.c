/* Our encoder and decoder against the ratified decoder: what the second decoder (tests/referee),
 * which is written from the pseudo-code alone, makes of random programs' streams is what they
 * executed, and what our decoder makes of them. */
#include "cases.h"

#include <hartscope/etrace.h>

#include "etrace/et_config.h"
#include "property/campaign.h"
#include "property/randprog.h"
#include "referee/etrace_parameters.h"
#include "referee/items.h"

#define BLOCKS 1600
#define TRACE (BLOCKS * 96)
#define ITEMS (BLOCKS * 400)
#define ENTRIES 2048
/* Words of the largest tables: return addresses, jump target cache, branch predictor. */
#define TABLES \
	(((size_t)1 << HS_ET_RETURN_MAX) + ((size_t)1 << HS_ET_CACHE_MAX) + \
	 ((size_t)1 << HS_ET_BPRED_MAX) / 8)

static struct {
	struct program program;
	struct hs_et_config config;
	struct hs_block blocks[BLOCKS];
	size_t n, cut; /* 2.1: another encoder has the blocks from cut on */
	bool waits;    /* 2.1: the hart waits now and then */
	struct hs_et_config first; /* before them */
	struct hs_et_encoder encoder;
	uint8_t trace[TRACE];
	size_t length;
	struct hs_block decoded[ITEMS];
	struct item room[3][ITEMS];
	struct items want, got, ours;
	uint64_t *memory;
	uint64_t *tables; /* of the encoder, then of the decoder */
	struct referee referee;
} * t;

static uint64_t items_seen, packets_seen, changes_seen, sizes_seen, waits_seen;

/* ---- what was executed --------------------------------------------------------------- */

/* What blocks and events say. */
static void take_items(struct items *to, unsigned room, const struct hs_block *blocks, size_t n)
{
	const struct items_code code = { program_fetch, &t->program, t->program.image.isa.xlen };

	*to = (struct items){ .item = t->room[room], .cap = ITEMS };
	assert_true(items_add_blocks(to, &code, blocks, n));
	items_end(to);
	assert_false(to->full);
}

/* The same of what was executed, which may be in two parts. */
static void take_parts(struct items *to)
{
	const struct items_code code = { program_fetch, &t->program, t->program.image.isa.xlen };

	take_items(to, 0, t->blocks, t->cut);
	assert_true(items_add_blocks(to, &code, t->blocks + t->cut, t->n - t->cut));
	items_end(to);
	assert_false(to->full);
}

/* ---- what was decoded ---------------------------------------------------------------- */

static void report_item(void *to, enum referee_item kind, uint64_t value, unsigned cause,
                        bool interrupt)
{
	items_add(to, kind, value, cause, interrupt);
}

static const char *item_name(unsigned kind)
{
	static const char *const names[] = { "pc", "trap", "end", "lost" };

	return names[kind];
}

/* @got by @decoder is what was executed. */
static void compare_items(const char *decoder, const struct items *got)
{
	const struct items *want = &t->want;
	static const struct item none;

	for (size_t i = 0; i < got->n || i < want->n; i++) {
		const struct item *w = i < want->n ? &want->item[i] : &none,
				  *g = i < got->n ? &got->item[i] : &none;

		if (i >= got->n || i >= want->n || !items_same(w, g))
			fail_msg(
				"%s: item %zu of %zu, got %zu: want %s %llx cause %u, "
				"got %s %llx cause %u",
				decoder, i, want->n, got->n, item_name(w->kind),
				(unsigned long long)w->value, w->cause, item_name(g->kind),
				(unsigned long long)g->value, g->cause);
	}
}

static void referee(void)
{
	const bool flow = t->config.dialect == HS_ET_DIALECT_REFERENCE;
	const struct referee_parameters p =
		referee_parameters_of(&t->first, t->program.image.isa.xlen);

	referee_start(&t->referee, &p);
	t->referee.fetch = program_fetch;
	t->referee.program = &t->program;
	t->referee.report = report_item;
	t->referee.to = &t->got;
	t->got = (struct items){ .item = t->room[1], .cap = ITEMS };
	for (size_t at = 0; at < t->length;) {
		const unsigned n = t->trace[at] & 31;

		assert_true(at + 1 + n <= t->length);
		if (!referee_packet(&t->referee, t->trace + at + 1, n, flow ? 0 : 2)) {
			const size_t i = t->got.n;
			const struct items *want = &t->want;

			fail_msg("byte %zu: %s, after %zu of %zu items; the next is %s %llx", at,
			         t->referee.error, i, want->n,
			         i < want->n ? item_name(want->item[i].kind) : "none",
			         (unsigned long long)(i < want->n ? want->item[i].value : 0));
		}
		at += 1 + n;
		packets_seen++;
	}
}

/* What a decoder is given: of 2.1 nothing that support packets say. */
static struct hs_et_config decoder_config(void)
{
	struct hs_et_config c = t->first;

	if (c.version != HS_ET_2_1)
		return c;
	c.options = c.iret_ext = c.time = c.f0s_width = c.sijump = 0;
	c.bpred_size = c.cache_size = c.return_stack_size = c.call_counter_size = 0;
	c.sync_mode = HS_ET_SYNC_PACKETS;
	return c;
}

/* What our decoder makes of the stream. */
static void decode(void)
{
	const struct hs_et_config config = decoder_config();
	struct hs_span in = { t->trace, t->length };
	struct hs_et_source source;
	struct hs_et_decoder d;
	struct hs_bb_table table;
	size_t at = 0, n;
	enum hs_status s;

	assert_int_equal(hs_bb_init(&table, &t->program.image, t->memory, ENTRIES), HS_OK);
	assert_int_equal(hs_et_decoder_init(&d, &config, &table, &source, 1, t->tables,
	                                    8 * TABLES), HS_OK);
	do {
		s = hs_et_decoder_next(&d, &in, t->decoded + at, ITEMS - at, &n);
		at += n;
	} while (s == HS_FULL);
	if (s != HS_MORE)
		fail_msg("our decoder: %s", hs_et_decoder_diag(&d)->text);
	assert_int_equal(hs_et_decoder_end(&d, t->decoded + at, ITEMS - at, &n), HS_OK);
	take_items(&t->ours, 2, t->decoded, at + n);
}

/* ---- cases --------------------------------------------------------------------------- */

enum option {
	SIJUMP,
	RETURN_STACK,
	CALL_COUNTER,
	IRETS,
	EXCEPTION,
	PREDICTION,
	CACHE,
	FULL,
	CONTEXT,
	TIME,
	OPTIONS
};

static bool chosen(struct rng *r, uint64_t seed, enum option o)
{
	switch (seed % 4) {
	case 0:
		return false;
	case 1:
		return seed / 4 % OPTIONS == o;
	case 2:
		return o != RETURN_STACK || seed / 4 % 2;
	default:
		return rng_one_in(r, 2);
	}
}

static uint8_t between(struct rng *r, unsigned least, unsigned most)
{
	return (uint8_t)(least + rng_below(r, most - least + 1));
}

/* Mostly small: a large table is cleared with each synchronising packet. */
static uint8_t size_of(struct rng *r, unsigned usual, unsigned most)
{
	return between(r, 1, rng_one_in(r, 16) ? most : usual);
}

static uint8_t at_most(unsigned size, unsigned most)
{
	return (uint8_t)(size > most ? most : size);
}

/* What the fields of a support packet of 2.1 hold. */
static void fit_standard(struct hs_et_config *c)
{
	c->bpred_size = at_most(c->bpred_size, 7);
	c->cache_size = at_most(c->cache_size, 7);
	c->return_stack_size = at_most(c->return_stack_size, 7);
}

static void random_options(struct rng *r, uint64_t seed, struct hs_et_config *c)
{
	const bool flow = c->dialect == HS_ET_DIALECT_REFERENCE && c->version != HS_ET_2_1;
	unsigned o = 0;

	o |= chosen(r, seed, SIJUMP) && !flow ? HS_ET_SIJUMP : 0;
	o |= chosen(r, seed, EXCEPTION) ? HS_ET_IMPLICIT_EXCEPT : 0;
	o |= chosen(r, seed, PREDICTION) ? HS_ET_BRANCH_PREDICTION : 0;
	o |= chosen(r, seed, CACHE) ? HS_ET_JUMP_TARGET_CACHE : 0;
	o |= chosen(r, seed, FULL) ? HS_ET_FULL_ADDRESS : 0;
	c->sijump = o & HS_ET_SIJUMP ? 1 : 0;
	c->bpred_size = o & HS_ET_BRANCH_PREDICTION ? size_of(r, 10, HS_ET_BPRED_MAX) : 0;
	c->cache_size = o & HS_ET_JUMP_TARGET_CACHE ? size_of(r, 8, HS_ET_CACHE_MAX) : 0;
	if (chosen(r, seed, RETURN_STACK))
		c->return_stack_size = size_of(r, 5, HS_ET_RETURN_MAX);
	else if (chosen(r, seed, CALL_COUNTER) || chosen(r, seed, IRETS))
		c->call_counter_size = size_of(r, 5, HS_ET_RETURN_MAX);
	c->iret_ext = chosen(r, seed, IRETS);
	o |= c->return_stack_size || c->call_counter_size ? HS_ET_IMPLICIT_RETURN : 0;
	c->context = chosen(r, seed, CONTEXT);
	c->time = chosen(r, seed, TIME);
	c->options = (uint8_t)o;
	if (rng_one_in(r, 3)) { /* readings of the pseudo-code (docs/errata.md) */
		c->cache_kept = rng_one_in(r, 2);
		c->cache_returns = rng_one_in(r, 2);
		c->sync_resets = c->version == HS_ET_2_1 && rng_one_in(r, 2);
	}
	if (c->version != HS_ET_2_1)
		return;
	fit_standard(c);
	c->time_width = (uint8_t)(16 * between(r, 1, 4));
	c->other_width = rng_one_in(r, 4) ? between(r, 1, 64) : 0;
}

static void random_config(struct rng *r, uint64_t seed)
{
	struct hs_et_config *c = &t->config;

	do {
		*c = (struct hs_et_config){ .size = sizeof *c };
		c->version = rng_one_in(r, 2)   ? HS_ET_2_1
		             : rng_one_in(r, 2) ? HS_ET_2_0
		                                : HS_ET_1_1;
		c->dialect = rng_one_in(r, 2) ? HS_ET_DIALECT_REFERENCE : HS_ET_DIALECT_STANDARD;
		c->iaddress_unit = t->program.wide ? 4 : 2;
		c->iaddress_width = 64;
		c->privilege_width = 3;
		c->context_width = between(r, 1, 64);
		c->time_width = between(r, 1, 64);
		c->f0s_width = between(r, 0, 2);
		c->no_compress = rng_one_in(r, 8);
		c->sync_mode = rng_one_in(r, 2) ? HS_ET_SYNC_PACKETS : HS_ET_SYNC_OFF;
		c->sync_max = between(r, 0, 5);
		c->ecause_width = between(r, 4, 8);
		random_options(r, seed, c);
	} while (hs_et_config_check(c) != HS_OK);
}

/* Tables for all options, so that each may be switched on. */
static void allow_changes(struct rng *r)
{
	struct hs_et_config *c = &t->config;

	c->sijump = c->dialect != HS_ET_DIALECT_REFERENCE || c->version == HS_ET_2_1;
	c->bpred_size = c->bpred_size ? c->bpred_size : size_of(r, 4, 10);
	c->cache_size = c->cache_size ? c->cache_size : size_of(r, 4, 8);
	if (!c->return_stack_size && !c->call_counter_size)
		c->return_stack_size = size_of(r, 5, 8);
	c->f0s_width = c->f0s_width ? c->f0s_width : between(r, 0, 2);
	if (c->version == HS_ET_2_1)
		fit_standard(c);
	assert_int_equal(hs_et_config_check(c), HS_OK);
}

static void one_walk(struct rng *r)
{
	const bool tidy = rng_one_in(r, 2);
	const struct walk_odds odds = {
		.trap_one_in = rng_one_in(r, 3) ? 0 : 1 + rng_below(r, 60),
		.stop_one_in = rng_one_in(r, 5) ? 1 + rng_below(r, 200) : 0,
		.context_one_in = t->config.context ? 1 + rng_below(r, 40) : 0,
		.time_one_in = t->config.time ? 1 + rng_below(r, 10) : 0,
		.tidy_returns = tidy || t->config.call_counter_size,
		.plain_stack = true,
		.no_custom = true,
		.modes = 1u << HS_PRIV_U | 1u << HS_PRIV_S | 1u << HS_PRIV_M,
	};

	t->n = walk_random(&t->program, r, 1 + rng_below(r, rng_one_in(r, 8) ? 3000 : 200), &odds,
	                   t->blocks, BLOCKS);
}

/* "any program that modifies return addresses cannot be traced using this mode" (ET Implicit return
 * mode), as a pair of lui and a return does. */
static bool modifies_returns(void)
{
	if (!t->config.call_counter_size)
		return false;
	for (size_t i = 0; i < t->n; i++)
		if (t->blocks[i].itype == HS_ITYPE_RETURN && t->blocks[i].sijump)
			return true;
	return false;
}

/* Half-words before an instruction of a block, where it is cut; 0: nowhere. */
static uint32_t find_place(struct rng *r, const struct hs_block *b, uint8_t *last)
{
	const uint32_t stop = rng_below(r, b->iretire + 1);
	struct hs_insn insn;

	for (uint32_t n = 0; n < b->iretire; n += insn.hwords) {
		if (n && n >= stop)
			return n;
		if (hs_img_insn(&t->program.image, b->iaddr + 2u * (uint64_t)n, &insn) != HS_OK)
			break;
		*last = insn.hwords;
	}
	return 0;
}

/* The hart waits before some instructions, which may cut their blocks (RHTI Unbounded Wait). */
static void add_waits(struct rng *r, uint32_t one_in)
{
	static const struct hs_block wait = { .itype = 1, .arg = HS_STOP_WAIT,
		                              .kind = HS_KIND_STOP },
		sync = { .itype = 9, .kind = HS_KIND_SYNC };
	static struct hs_block out[BLOCKS];
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++) {
		struct hs_block b = t->blocks[i];
		const bool waits = b.kind == HS_KIND_BLOCK && n && rng_one_in(r, one_in) &&
		                   n + t->n - i + 3 < BLOCKS;
		uint8_t last = 0;
		const uint32_t first = waits && b.iretire ? find_place(r, &b, &last) : 0;

		if (first) {
			out[n] = b;
			out[n].iretire = first;
			out[n].ilast = last;
			out[n].itype = HS_ITYPE_NONE;
			out[n++].sijump = 0;
			b.iaddr += 2u * (uint64_t)first;
			b.iretire -= first;
		}
		if (first || (waits && out[n - 1].kind == HS_KIND_BLOCK)) {
			out[n++] = wait;
			out[n++] = sync;
			waits_seen++;
		}
		out[n++] = b;
	}
	memcpy(t->blocks, out, n * sizeof *out);
	t->n = n;
}

static void random_walk(struct rng *r)
{
	bool good = false;

	for (unsigned i = 0; i < 20 && !good; i++) {
		one_walk(r);
		good = !modifies_returns();
	}
	if (!good) {
		t->config.call_counter_size = 0;
		t->config.options &= (uint8_t)~HS_ET_IMPLICIT_RETURN;
	}
}

/* Other options, when the parameters allow them. */
static void change_options(struct rng *r)
{
	const enum hs_status s =
		hs_et_encoder_set_options(&t->encoder, rng_below(r, 2u * HS_ET_FULL_ADDRESS));

	assert_true(s == HS_OK || s == HS_E_CONFIG || s == HS_E_UNSUPPORTED);
	changes_seen += s == HS_OK;
}

/* The blocks up to @end.  @changes: options change so often, in pieces; 0: never. */
static void encode_part(struct rng *r, unsigned changes, size_t from, size_t end)
{
	size_t used, len;

	assert_int_equal(hs_et_encoder_init(&t->encoder, &t->config, t->tables, 8 * TABLES), HS_OK);
	for (size_t at = from; at < end; at += used) {
		const size_t left = end - at;
		const size_t some = changes ? 1 + rng_below(r, 200 / changes) : left;

		assert_int_equal(hs_et_encode(&t->encoder, t->blocks + at,
		                              some < left ? some : left, &used,
		                              t->trace + t->length, TRACE - t->length, &len),
		                 HS_OK);
		t->length += len;
		if (changes)
			change_options(r);
	}
	assert_int_equal(hs_et_encode_end(&t->encoder, t->trace + t->length, TRACE - t->length,
	                                  &len), HS_OK);
	t->length += len;
}

/* Another encoder of the same stream: what support packets do not say is the same. */
static void change_encoder(struct rng *r, uint64_t seed)
{
	struct hs_et_config *c = &t->config;

	do {
		*c = t->first;
		c->bpred_size = c->cache_size = c->return_stack_size = c->call_counter_size = 0;
		c->f0s_width = between(r, 0, 2);
		c->sync_mode = rng_one_in(r, 2) ? HS_ET_SYNC_PACKETS : HS_ET_SYNC_OFF;
		random_options(r, seed / 4 * 4 + 3, c);
		c->context = t->first.context;
		c->cache_kept = t->first.cache_kept;
		c->cache_returns = t->first.cache_returns;
		c->sync_resets = t->first.sync_resets;
		c->other_width = t->first.other_width;
	} while (hs_et_config_check(c) != HS_OK);
	if (!t->first.call_counter_size || modifies_returns()) { /* the walk is for a stack */
		c->call_counter_size = 0;
		c->options &= (uint8_t)~(c->return_stack_size ? 0 : HS_ET_IMPLICIT_RETURN);
	}
	sizes_seen++;
}

/* Where a part may end: right before a block, and not after a trap, whose handler follows. */
static size_t find_cut(struct rng *r)
{
	for (size_t at = rng_below(r, (uint32_t)t->n); at + 1 < t->n; at++)
		if (at && t->blocks[at].kind == HS_KIND_BLOCK &&
		    t->blocks[at - 1].kind == HS_KIND_BLOCK &&
		    t->blocks[at - 1].itype != HS_ITYPE_EXCEPTION &&
		    t->blocks[at - 1].itype != HS_ITYPE_INTERRUPT)
			return at;
	return t->n;
}

static void encode(struct rng *r, uint64_t seed, unsigned changes)
{
	t->first = t->config;
	t->cut = t->config.version == HS_ET_2_1 && rng_one_in(r, 3) ? find_cut(r) : t->n;
	t->length = 0;
	encode_part(r, changes, 0, t->cut);
	if (t->cut == t->n)
		return;
	change_encoder(r, seed);
	encode_part(r, 0, t->cut, t->n);
}

/* At a wait after a return that fails the trace ends; nothing else is compared of ends then. */
static void drop_ends(struct items *of)
{
	size_t n = 0;

	for (size_t i = 0; i < of->n; i++)
		if (!t->waits || of->item[i].kind != REFEREE_END)
			of->item[n++] = of->item[i];
	of->n = n;
}

static void one_case(uint64_t seed)
{
	struct rng r = rng_start(seed), w = rng_start(~seed);

	do
		(rng_one_in(&r, 4) ? program_make_wide : program_make)(&t->program, &r);
	while (t->program.image.isa.zcmp_zcmt);
	random_config(&r, seed);
	const unsigned changes = rng_one_in(&r, 4) ? 1 + rng_below(&r, 20) : 0;

	if (changes)
		allow_changes(&r);
	random_walk(&r);
	t->waits = t->config.version == HS_ET_2_1 && rng_one_in(&w, 2);
	if (t->waits)
		add_waits(&w, 1 + rng_below(&w, 40));
	encode(&r, seed, changes);
	take_parts(&t->want);
	items_seen += t->want.n;
	drop_ends(&t->want);
	referee();
	drop_ends(&t->got);
	compare_items("the referee", &t->got);
	decode();
	drop_ends(&t->ours);
	compare_items("our decoder", &t->ours);
}

static int report(void **state)
{
	const struct hs_et_config *c = t ? &t->config : NULL;

	if (c)
		printf("# its config: version %u dialect %u options %x sync %u:%u stack %u "
		       "counter %u iret_ext %u bpred %u cache %u, resets %u kept %u returns %u\n",
		       c->version, c->dialect, c->options, c->sync_mode, c->sync_max,
		       c->return_stack_size, c->call_counter_size, c->iret_ext, c->bpred_size,
		       c->cache_size, c->sync_resets, c->cache_kept, c->cache_returns);
	return campaign_report(state);
}

TEST_WITH(ratified_decoder_follows, NULL, report)
{
	t = calloc(1, sizeof *t);
	assert_non_null(t);
	t->memory = malloc(hs_bb_memory(ENTRIES));
	t->tables = malloc(8 * TABLES);
	assert_non_null(t->memory);
	assert_non_null(t->tables);
	campaign_run(20000, one_case);
	printf("# %llu items in %llu packets, %llu changes of options, %llu of sizes, %llu waits, "
	       "all exact\n",
	       (unsigned long long)items_seen, (unsigned long long)packets_seen,
	       (unsigned long long)changes_seen, (unsigned long long)sizes_seen,
	       (unsigned long long)waits_seen);
	free(t->tables);
	free(t->memory);
	free(t);
	t = NULL;
}
