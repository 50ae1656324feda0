/* Lint finds nothing in what our own encoder writes: random programs, walks, filters, options,
 * dialects and versions, each linted by the rules of the version that it was encoded for, with its
 * program. */
#include "core/core.h"
#include "cases.h"

#include <hartscope/etrace.h>

#include "etrace/et_config.h"
#include "etrace/et_packet.h"
#include "etrace/etrace_lint.h"
#include "property/campaign.h"
#include "property/randfilter.h"

#define BLOCKS 1600
#define PIECES (BLOCKS * 40)
#define TRACE (BLOCKS * 128)
#define ENTRIES 2048

static struct {
	struct program program;
	struct hs_block blocks[BLOCKS], pieces[PIECES], kept[PIECES];
	struct hs_et_config config;
	struct hs_et_encoder encoder;
	struct hs_et_lint lint;
	struct hs_et_decoder decoder;
	struct hs_et_source walked;
	uint8_t trace[TRACE];
	size_t length;
	uint64_t *memory;
	uint64_t tables[2][80000]; /* of the encoder, of the decoder */
} * t;

static uint64_t packets, notes, losses, filtered;

/* ---- configurations ---------------------------------------------------------------- */

static uint8_t between(struct rng *r, unsigned least, unsigned most)
{
	return (uint8_t)(least + rng_below(r, most - least + 1));
}

/* Times are wide enough never to wrap: of a counter that did, lint cannot say which way it went. */
static void random_widths(struct rng *r, struct hs_et_config *c)
{
	c->iaddress_width = rng_one_in(r, 2) ? 64 : between(r, 32, 64);
	c->iaddress_unit = (uint8_t)(1u << (t->program.wide ? 2 : rng_below(r, 2)));
	c->privilege_width = between(r, 3, 4);
	c->ecause_width = between(r, 4, 16);
	c->context_width = between(r, 1, 64);
	c->time_width = 64;
	c->f0s_width = between(r, 0, 2);
	c->context = rng_one_in(r, 2);
	c->no_compress = rng_one_in(r, 8);
	c->context_precise = (uint8_t)rng_below(r, 2);
	c->plain_loops = rng_one_in(r, 4);
	c->sync_mode = (uint8_t[]){ HS_ET_SYNC_OFF, HS_ET_SYNC_PACKETS, HS_ET_SYNC_HALFWORDS,
		                    HS_ET_SYNC_CYCLES }[rng_below(r, 4)];
	c->sync_max = between(r, 0, 5);
}

/* A handler in the program, or none that is known. */
static uint64_t random_vector(struct rng *r)
{
	const struct program *p = &t->program;

	return rng_one_in(r, 4)
	               ? 0
	               : (p->at[rng_below(r, (uint32_t)p->count)] & ~(uint64_t)3) | rng_below(r, 2);
}

/* What a standard support packet can say. */
static void fit_standard(struct rng *r, struct hs_et_config *c)
{
	c->bpred_size = c->bpred_size > 7 ? 7 : c->bpred_size;
	c->cache_size = c->cache_size > 7 ? 7 : c->cache_size;
	c->return_stack_size = c->return_stack_size > 7 ? 7 : c->return_stack_size;
	c->time_width = 64;
	c->other_width = rng_one_in(r, 4) ? between(r, 1, 64) : 0;
	c->doptions_width = 0;
}

static void random_ratified(struct rng *r, struct hs_et_config *c)
{
	const unsigned o = rng_one_in(r, 3) ? 0 : rng_below(r, 64);

	c->options = (uint8_t)(o & ~(unsigned)HS_ET_IMPLICIT_RETURN);
	c->time = rng_one_in(r, 2);
	c->data_trace = rng_one_in(r, 4);
	c->doptions_width = c->data_trace ? between(r, 0, 16) : 0;
	c->sijump = o & HS_ET_SIJUMP || rng_one_in(r, 2);
	c->bpred_size = o & HS_ET_BRANCH_PREDICTION || rng_one_in(r, 4) ? between(r, 1, 10) : 0;
	c->cache_size = o & HS_ET_JUMP_TARGET_CACHE || rng_one_in(r, 4) ? between(r, 1, 10) : 0;
	if (o & HS_ET_IMPLICIT_RETURN) {
		c->options |= HS_ET_IMPLICIT_RETURN;
		*(rng_one_in(r, 2) ? &c->return_stack_size : &c->call_counter_size) =
			between(r, 1, 9);
		c->iret_ext = rng_one_in(r, 4);
	}
	if (c->version == HS_ET_2_1)
		fit_standard(r, c);
	if (!(o & HS_ET_IMPLICIT_EXCEPT))
		return;
	c->mtvec = random_vector(r);
	c->stvec = random_vector(r);
	c->vstvec = random_vector(r);
}

static void random_draft(struct rng *r, struct hs_et_config *c)
{
	c->options = rng_one_in(r, 3) ? HS_ET_FULL_ADDRESS : 0;
	c->negated = (uint8_t)rng_below(r, 2);
	c->diff_on_tie = (uint8_t)rng_below(r, 2);
	c->notval = (uint8_t)rng_below(r, 2);
	c->context_mark = 1; /* without marks the draft has two meanings (design/et-encoder) */
	c->plain_loops = 0;
	c->type_prefix = c->dialect == HS_ET_DIALECT_DRAFT || c->dialect == HS_ET_DIALECT_NONE ||
	                 rng_one_in(r, 3);
}

static bool encapsulated(const struct hs_et_config *c)
{
	return c->dialect == HS_ET_DIALECT_STANDARD || c->dialect == HS_ET_DIALECT_ATB ||
	       c->dialect == HS_ET_DIALECT_DRAFT;
}

static void random_config(struct rng *r)
{
	static const uint8_t dialects[] = { HS_ET_DIALECT_STANDARD, HS_ET_DIALECT_ATB,
		                            HS_ET_DIALECT_DRAFT,    HS_ET_DIALECT_REFERENCE,
		                            HS_ET_DIALECT_PULP,     HS_ET_DIALECT_NONE };
	static const uint8_t versions[] = { HS_ET_2_0, HS_ET_1_1, HS_ET_0_026, HS_ET_2_1 };
	struct hs_et_config *c = &t->config;

	do {
		*c = (struct hs_et_config){ .size = sizeof *c,
			                    .version = versions[rng_below(r, 4)] };
		c->dialect = dialects[rng_below(r, 6)];
		random_widths(r, c);
		if (c->version == HS_ET_0_026)
			random_draft(r, c);
		else
			random_ratified(r, c);
		if (encapsulated(c)) {
			c->src_bits = between(r, 0, 12);
			c->src_id = (uint16_t)rng_below(r, 1u << c->src_bits);
			c->tstamp_bytes = rng_one_in(r, 2) ? 0 : 8;
			if (c->tstamp_bytes && c->time && c->time_width == 64)
				c->tstamp_bytes = between(r, 1, 8);
		}
	} while (hs_et_config_resolve(c) != HS_OK);
}

/* ---- blocks ------------------------------------------------------------------------ */

/* The cause that an ecall in a mode has. */
static uint32_t ecall_cause(unsigned priv)
{
	switch (priv) {
	case HS_PRIV_S:
		return 9;
	case HS_PRIV_VS:
		return 10;
	case HS_PRIV_M:
		return 11;
	default:
		return 8;
	}
}

/* Walks give traps any cause: that of an ecall needs one. */
static void make_cause_true(struct hs_block *trap, const struct hs_block *before)
{
	const uint64_t end = hs_block_end(before);
	struct hs_insn insn = { 0 };
	bool ecall;

	if (before->itype != HS_ITYPE_EXCEPTION || trap->arg < 8 || trap->arg > 11)
		return;
	ecall = before->iretire &&
	        hs_img_insn(&t->program.image, end - 2 * (uint64_t)before->ilast, &insn) == HS_OK &&
	        insn.kind == HS_INSN_ECALL;
	trap->arg = ecall && before->priv != HS_PRIV_UNKNOWN ? ecall_cause(before->priv) : 2;
}

static size_t prepare(struct rng *r, size_t n)
{
	const uint32_t limit = rng_one_in(r, 2) ? 0 : HS_INSN_MAX / 2 + rng_below(r, 20);

	for (size_t i = 1; i < n; i++)
		if (t->blocks[i].kind == HS_KIND_TRAP)
			make_cause_true(&t->blocks[i], &t->blocks[i - 1]);
	return walk_split(&t->program, t->blocks, n, limit, t->pieces, PIECES, NULL);
}

/* What random filters let through, or everything, as the encoder takes it; trdb's framing has no
 * end of a trace.  @return how many blocks and events. */
static size_t filter(struct rng *r, size_t n)
{
	const struct filter_odds odds = { 8, t->program.at, (uint32_t)t->program.count };
	struct hs_qualifier_config c = { .size = sizeof c };

	if (t->config.dialect != HS_ET_DIALECT_PULP && rng_one_in(r, 3))
		filtered += filters_random(r, &odds, &c) != 0;
	return filters_apply(&c, &t->program.image, t->pieces, n, t->kept, PIECES);
}

/* Through a queue of @queue bytes, which loses what has no room and sends @drain of them an item;
 * options change before one item in @changes; 0: never. */
static void encode_port(struct rng *r, size_t n, size_t queue, size_t drain, unsigned changes)
{
	size_t queued = 0, len;

	for (size_t i = 0; i < n; i++) {
		if (changes && rng_one_in(r, changes))
			hs_et_encoder_set_options(&t->encoder,
			                          rng_below(r, 2u * HS_ET_FULL_ADDRESS));
		queued -= queued < drain ? queued : drain;
		const enum hs_status s = hs_et_encode_port(&t->encoder, &t->kept[i],
		                                           t->trace + t->length, queue - queued,
		                                           &len);

		assert_true(s == HS_OK || s == HS_E_LOST);
		losses += s == HS_E_LOST;
		queued += len;
		t->length += len;
	}
}

static void encode(struct rng *r, size_t n)
{
	/* trdb's framing has no packet that reports a loss */
	const bool full = t->config.dialect != HS_ET_DIALECT_PULP && rng_one_in(r, 4);
	const size_t queue = full ? 8 + rng_below(r, 200) : TRACE;
	const size_t drain = full ? rng_below(r, 4) : TRACE;
	size_t len;

	t->length = 0;
	assert_int_equal(
		hs_et_encoder_init(&t->encoder, &t->config, t->tables[0], sizeof t->tables[0]),
		HS_OK);
	encode_port(r, n, queue, drain, rng_one_in(r, 4) ? 1 + rng_below(r, 60) : 0);
	len = t->length;
	assert_int_equal(hs_et_encode_end(&t->encoder, t->trace + len, TRACE - len, &len), HS_OK);
	t->length += len;
}

/* ---- findings ---------------------------------------------------------------------- */

static void judge(const struct hs_finding *x)
{
	const struct hs_finding_kind *k = hs_et_finding_get_kind(x->id);
	const struct hs_et_config *c = &t->config;

	if (k->severity == HS_SEVERITY_NOTE) {
		notes++;
		return;
	}
	for (uint64_t at = x->offset > 16 ? x->offset - 16 : 0;
	     at < t->length && at < x->offset + 16; at++)
		printf("%s%02x", at == x->offset ? " >" : " ", t->trace[at]);
	fail_msg(
		"\n%s at %llu bit %u, %s: %s (%s, value %llx, pc %llx); "
		"version %u dialect %u options %x, "
		"sync %u:%u, stack %u counter %u, precise %u plain %u mark %u",
		k->name, (unsigned long long)x->offset, x->bit,
		hs_et_form_name(c->version, t->lint.packet.form), k->text, k->clause,
		(unsigned long long)x->value, (unsigned long long)x->pc, c->version, c->dialect,
		c->options, c->sync_mode, c->sync_max, c->return_stack_size, c->call_counter_size,
		c->context_precise, c->plain_loops, c->context_mark);
}

static void lint(struct rng *r)
{
	struct hs_et_lint_source source;
	struct hs_bb_table table;
	struct hs_finding x;
	size_t at = 0;

	assert_int_equal(hs_et_lint_init(&t->lint, &t->config, &source, 1), HS_OK);
	/* Without notify for loops a stream may have two meanings (design/et-encoder). */
	if (!t->config.plain_loops)
		hs_et_lint_program(&t->lint, &t->decoder);
	assert_int_equal(hs_bb_init(&table, &t->program.image, t->memory, ENTRIES), HS_OK);
	assert_int_equal(hs_et_decoder_init(&t->decoder, &t->config, &table, &t->walked, 1,
	                                    t->tables[1], sizeof t->tables[1]),
	                 HS_OK);
	while (at < t->length) {
		const size_t left = t->length - at, want = 1 + rng_below(r, 3000);
		struct hs_span in = { t->trace + at, left < want ? left : want };

		at += in.n;
		while (hs_et_lint_next(&t->lint, &in, &x) == HS_OK)
			judge(&x);
	}
	while (hs_et_lint_end(&t->lint, &x) == HS_OK)
		judge(&x);
	packets += t->lint.packets;
}

/* Do the addresses have the bits of the configuration? */
static bool addresses_fit(size_t n)
{
	const unsigned width = t->config.iaddress_width;

	for (size_t i = 0; i < n && width < 64; i++)
		if (t->blocks[i].kind == HS_KIND_BLOCK && hs_block_end(&t->blocks[i]) >> width)
			return false;
	return true;
}

/* trdb's framing has no packet that reports a loss, nor one for the end of a trace. */
static size_t random_blocks(struct rng *r)
{
	const bool tidy = rng_one_in(r, 2), stops = t->config.dialect != HS_ET_DIALECT_PULP;
	const struct walk_odds odds = {
		.trap_one_in = rng_one_in(r, 3) ? 0 : 1 + rng_below(r, 60),
		.stop_one_in = stops && rng_one_in(r, 5) ? 1 + rng_below(r, 200) : 0,
		.reset_one_in = stops && rng_one_in(r, 6) ? 1 + rng_below(r, 200) : 0,
		.trigger_one_in = rng_one_in(r, 6) ? 1 + rng_below(r, 100) : 0,
		.lost_one_in = stops && rng_one_in(r, 8) ? 1 + rng_below(r, 200) : 0,
		.context_one_in = t->config.context ? 1 + rng_below(r, 40) : 0,
		.time_one_in = t->config.time || t->config.tstamp_bytes ? 1 + rng_below(r, 10) : 0,
		.tidy_returns = tidy,
		.plain_stack = tidy,
		.no_custom = true,
		.modes = 1u << HS_PRIV_U | 1u << HS_PRIV_S | 1u << HS_PRIV_M | 1u << HS_PRIV_VU |
		         1u << HS_PRIV_VS,
		.loose_ends = true,
	};

	return walk_random(&t->program, r, 1 + rng_below(r, rng_one_in(r, 8) ? 3000 : 200), &odds,
	                   t->blocks, BLOCKS);
}

static void one_case(uint64_t seed)
{
	struct rng r = rng_start(seed);
	size_t n;

	(rng_one_in(&r, 4) ? program_make_wide : program_make)(&t->program, &r);
	do {
		random_config(&r);
		n = random_blocks(&r);
	} while (!addresses_fit(n));
	encode(&r, filter(&r, prepare(&r, n)));
	lint(&r);
}

CAMPAIGN(our_encoder_is_clean)
{
	uint64_t cases;

	t = calloc(1, sizeof *t);
	assert_non_null(t);
	t->memory = malloc(hs_bb_memory(ENTRIES));
	cases = campaign_run(20000, one_case);
	assert_true(packets > cases);
	assert_true(filtered > 0);
	printf("# %llu packets, %llu notes, %llu items lost, %llu filtered, "
	       "no error and no warning\n",
	       (unsigned long long)packets, (unsigned long long)notes, (unsigned long long)losses,
	       (unsigned long long)filtered);
	free(t->memory);
	free(t);
}
