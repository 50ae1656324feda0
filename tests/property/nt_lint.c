/* Lint finds nothing in what our own encoder writes: random programs, walks, filters and
 * configurations, each linted by the rules of the dialect that it was encoded for. */
#include "core/core.h"
#include "cases.h"

#include "ntrace/nt_lint.h"
#include "ntrace/nt_message.h"
#include "property/campaign.h"
#include "property/randfilter.h"

#define BLOCKS 1200
#define PIECES (BLOCKS * 40)
#define TRACE (BLOCKS * 256)
#define MODES (1u << HS_PRIV_U | 1u << HS_PRIV_S | 1u << HS_PRIV_M | 1u << HS_PRIV_VU | \
	1u << HS_PRIV_VS)

static struct {
	struct program program;
	struct hs_block blocks[BLOCKS], pieces[PIECES], kept[PIECES];
	struct hs_nt_config config;
	struct hs_nt_encoder encoder;
	uint32_t loss_one_in; /* 0: the queue has room for all */
	bool modeless;        /* nothing says which privilege the hart has */
	uint8_t trace[TRACE];
	size_t length;
	uint64_t *memory;
} *t;

static uint64_t messages, notes, losses, filtered;

/* A configuration that the specification allows. */
static void random_config(struct rng *r)
{
	struct hs_nt_config *c = &t->config;

	memset(c, 0, sizeof *c);
	c->size = sizeof *c;
	c->dialect = (uint8_t)rng_below(r, HS_NT_DIALECT_COUNT);
	c->inst_mode = rng_one_in(r, 2) ? HS_NT_BTM : HS_NT_HTM;
	c->src_bits = (uint8_t)rng_below(r, 13);
	c->src_id = (uint16_t)rng_below(r, 1u << c->src_bits);
	c->sync_mode = (uint8_t[]){ HS_NT_SYNC_OFF, HS_NT_SYNC_MESSAGES, HS_NT_SYNC_CYCLES,
	                            HS_NT_SYNC_HALFWORDS, HS_NT_SYNC_BYTES }[rng_below(r, 5)];
	c->sync_max = (uint8_t)rng_below(r, 6);
	c->icnt_bits = rng_one_in(r, 2) ? 0 : (uint8_t)(5 + rng_below(r, 18));
	c->hist_bits = rng_one_in(r, 2) ? 0 : (uint8_t)(1 + rng_below(r, 31));
	c->icnt_full = (uint8_t)rng_below(r, 2);
	c->btype_plain = (uint8_t)rng_one_in(r, 4);
	c->hist_always = (uint8_t)rng_below(r, 2);
	c->start_sync = (uint8_t[]){ 0, 1, 3, 5, 9 }[rng_below(r, 5)];
	c->stop_evcode = rng_one_in(r, 2) ? 0 : 4;
	c->sequential_jump = (uint8_t)rng_below(r, 2);
	c->implicit_return = (uint8_t[]){ 0, 2, 3 }[rng_below(r, 3)];
	c->call_stack = (uint8_t)rng_below(r, 33);
	c->reported_calls = (uint8_t)rng_below(r, 2);
	c->repeated_history = (uint8_t)rng_below(r, 2);
	c->hrepeat_bits = (uint8_t)rng_below(r, 19);
	c->repeat_branch = (uint8_t)rng_below(r, 2);
	c->all_jumps = (uint8_t)rng_below(r, 2);
	c->extend_addr = (uint8_t)rng_below(r, 2);
	c->context = (uint8_t)rng_below(r, 2);
	c->timestamps = (uint8_t)rng_below(r, 2);
	c->xlen = t->program.image.isa.xlen;
}

/* What the trace goes on with after it was off for a reason (NT Table 25). */
static unsigned restart_code(unsigned evcode)
{
	return evcode == 0 ? 3 : evcode == 1 ? 9 : 5;
}

static size_t put_block(size_t n, struct hs_block b)
{
	assert_true(n < PIECES);
	t->pieces[n] = b;
	return n + 1;
}

/* A trap that dialect reference cannot express, and its encoder cannot see: it is no ecall. */
static bool is_unknown_trap(const struct hs_block *b)
{
	struct hs_block dropped = *b;

	hs_block_drop_ecall(&t->program.image, &dropped);
	return hs_nt_dialect_get(t->config.dialect)->btype_zero && b->kind == HS_KIND_BLOCK &&
	       b->itype == HS_ITYPE_EXCEPTION && b->iretire && hs_block_equal(&dropped, b);
}

/* Blocks as a recorder gives them: a reason for each restart, and no more half-words than the I-CNT
 * counter holds. */
static size_t prepare(size_t n)
{
	const uint32_t limit = 1u << ((t->config.icnt_bits ? t->config.icnt_bits : 22) - 1);
	size_t at = 0;

	for (size_t i = 0; i < n; i++) {
		struct hs_block b = t->blocks[i];
		size_t pieces;

		if (t->modeless)
			b.priv = HS_PRIV_UNKNOWN;
		if (is_unknown_trap(&b))
			b = (struct hs_block){ .kind = HS_KIND_GAP, .arg = HS_E_BLOCK };
		if (hs_nt_dialect_get(t->config.dialect)->ecall_traps)
			hs_block_drop_ecall(&t->program.image, &b);
		if (b.kind == HS_KIND_BLOCK) {
			assert_int_equal(hs_block_split(&t->program.image, &b, limit,
			                                &t->pieces[at],
			                                PIECES - at, &pieces), HS_OK);
			at += pieces;
			continue;
		}
		if (b.kind == HS_KIND_CONTEXT && t->config.xlen == 32)
			b.value &= UINT32_MAX;
		at = put_block(at, b);
		if (b.kind == HS_KIND_STOP && (i + 1 == n || t->blocks[i + 1].kind != HS_KIND_SYNC))
			at = put_block(at, (struct hs_block){ .kind = HS_KIND_SYNC,
			                                .priv = HS_PRIV_UNKNOWN,
			                                .itype = (uint8_t)restart_code(b.itype) });
	}
	return at;
}

/* What random filters let through, or everything, as the encoder takes it.
 * @return how many blocks and events. */
static size_t filter(struct rng *r, size_t n)
{
	const struct filter_odds odds = { 8, t->program.at, (uint32_t)t->program.count };
	struct hs_qualifier_config c = { .size = sizeof c };

	if (rng_one_in(r, 3))
		filtered += filters_random(r, &odds, &c) != 0;
	if (hs_nt_dialect_get(t->config.dialect)->btype_zero)
		for (unsigned i = 0; i < HS_COMPARATORS; i++)
			c.comparators[i].p_notify = false; /* as triggers: see one_case() */
	return filters_apply(&c, &t->program.image, t->pieces, n, t->kept, PIECES);
}

/* Room in the queue for what a block makes: now and then too little, so that it is lost. */
static size_t room(struct rng *r)
{
	return t->loss_one_in && rng_one_in(r, t->loss_one_in) ? rng_below(r, 8)
	                                                      : HS_NT_ENCODE_ROOM;
}

/* As the tool does with what the dialect has no message for: the trace is off meanwhile. */
static void encode_refused(void)
{
	const struct hs_block gap = { .kind = HS_KIND_GAP, .arg = HS_E_BLOCK };
	size_t len;

	assert_true(hs_nt_dialect_get(t->config.dialect)->btype_zero);
	assert_int_equal(hs_nt_encode_port(&t->encoder, &gap, t->trace + t->length,
	                                   HS_NT_ENCODE_ROOM, &len), HS_OK);
	t->length += len;
}

static void encode(struct rng *r, size_t n)
{
	size_t len;

	t->length = 0;
	assert_int_equal(hs_nt_encoder_init(&t->encoder, &t->config), HS_OK);
	for (size_t i = 0; i < n; i++) {
		const enum hs_status s = hs_nt_encode_port(&t->encoder, &t->kept[i],
		                                           t->trace + t->length, room(r), &len);

		t->length += len;
		losses += s == HS_E_LOST;
		if (s == HS_E_BLOCK)
			encode_refused();
		else
			assert_true(s == HS_OK || s == HS_E_LOST);
		assert_true(t->length + 2 * HS_NT_ENCODE_ROOM < TRACE);
	}
	assert_int_equal(hs_nt_encode_end(&t->encoder, t->trace + t->length, TRACE - t->length,
	                                  &len), HS_OK);
	t->length += len;
}

static void judge(const struct hs_nt_lint *l, const struct hs_finding *x)
{
	const struct hs_finding_kind *k = hs_nt_finding_get_kind(x->id);

	if (k->severity == HS_SEVERITY_NOTE) {
		notes++;
		return;
	}
	for (uint64_t at = x->offset > 12 ? x->offset - 12
	     : 0; at < t->length && at < x->offset + 12; at++)
		printf("%s%02x", at == x->offset ? " >" : " ", t->trace[at]);
	fail_msg("\n%s at %llu, %s: %s (%s, value %llu), dialect %s", k->name,
	         (unsigned long long)x->offset,
	         hs_nt_msg_name(l->msg.tcode), k->text, k->clause, (unsigned long long)x->value,
	         hs_nt_dialect_get(t->config.dialect)->name);
}

static void lint(struct rng *r)
{
	struct hs_nt_lint_source source;
	struct hs_nt_source walked;
	struct hs_bb_table table;
	struct hs_nt_decoder d;
	struct hs_finding x;
	struct hs_nt_lint l;
	size_t at = 0;

	assert_int_equal(hs_nt_lint_init(&l, &t->config, &source, 1), HS_OK);
	assert_int_equal(hs_bb_init(&table, &t->program.image, t->memory, 2048), HS_OK);
	assert_int_equal(hs_nt_decoder_init(&d, &t->config, &table, &walked, 1), HS_OK);
	hs_nt_lint_program(&l, &d);
	while (at < t->length) {
		const size_t left = t->length - at, want = 1 + rng_below(r, 3000);
		struct hs_span in = { t->trace + at, left < want ? left : want };

		at += in.n;
		while (hs_nt_lint_next(&l, &in, &x) == HS_OK)
			judge(&l, &x);
	}
	while (hs_nt_lint_end(&l, &x) == HS_OK)
		judge(&l, &x);
	messages += l.messages;
}

static void one_case(uint64_t seed)
{
	struct rng r = rng_start(seed);
	struct walk_odds odds = walk_odds_random(&r, 3);

	program_make(&t->program, &r);
	random_config(&r);
	odds.context_one_in = t->config.context ? 1 + rng_below(&r, 40) : 0;
	odds.modes = t->config.context ? MODES : 0;
	odds.time_one_in = t->config.timestamps ? 1 + rng_below(&r, 10) : 0;
	if (hs_nt_dialect_get(t->config.dialect)->btype_zero)
		odds.trigger_one_in = 0; /* it may fire where a trap was refused: off */
	t->modeless = rng_one_in(&r, 8);
	t->loss_one_in = rng_one_in(&r, 3) ? 1 + rng_below(&r, 100) : 0;
	odds.lost_one_in = rng_one_in(&r, 3) ? 1 + rng_below(&r, 200) : 0;
	const size_t steps = 1 + rng_below(&r, rng_one_in(&r, 8) ? 3000 : 200);
	const size_t n = walk_random(&t->program, &r, steps, &odds, t->blocks, BLOCKS);

	encode(&r, filter(&r, prepare(n)));
	lint(&r);
}

CAMPAIGN(our_encoder_is_clean)
{
	uint64_t cases;

	t = calloc(1, sizeof *t);
	t->memory = malloc(hs_bb_memory(2048));
	cases = campaign_run(10000, one_case);
	assert_true(messages > cases);
	assert_true(losses > 0 && filtered > 0);
	printf("# %llu messages, %llu losses, %llu filtered, %llu notes, no error and no warning\n",
	       (unsigned long long)messages, (unsigned long long)losses,
	       (unsigned long long)filtered, (unsigned long long)notes);
	free(t->memory);
	free(t);
}
