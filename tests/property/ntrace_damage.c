/* Damage to bytes of N-Trace: what comes before it is as without it, each error has its offset and
 * clause, and from the next synchronising message on that is whole, after a whole one, the flow is
 * as without it again.
 *
 * The framing (MSEO, NT 3.1) shows where messages end after any damage: a message costs at most the
 * one after it.  Whether a trace is BTM or HTM is what its messages say: one that is damaged may
 * say the other, until a message of the right mode comes.
 */
#include "cases.h"

#include <hartscope/ntrace.h>

#include "ingress/ingress.h"
#include "property/campaign.h"
#include "property/damage.h"
#include "property/randprog.h"

#define BLOCKS 1200
#define TRACE (BLOCKS * 64)
#define ITEMS (16 * BLOCKS)
#define CAPACITY 1024

struct items {
	struct hs_block at[ITEMS];
	size_t n;
	bool full; /* a damaged count may stand for any number of blocks */
};

static struct {
	struct program program;
	struct hs_nt_config config;
	struct hs_block blocks[BLOCKS];
	struct hs_nt_encoder encoder;
	uint8_t good[TRACE], bad[TRACE + DAMAGE_MAX];
	size_t length, bad_length;
	size_t start[TRACE + 1], mark[TRACE]; /* of messages; items after each */
	size_t count;
	struct items want, got;
	struct hs_nt_source source;
	struct hs_bb_table table;
	struct hs_nt_decoder decoder;
	uint64_t *memory, given, fault_at;
} *t;

static uint64_t damages[DAMAGES], resumed[DAMAGES], faults;
static uint64_t second; /* damages after which there are two synchronising messages */

/* ---- a trace --------------------------------------------------------------------- */

static void random_config(struct rng *r)
{
	t->config = (struct hs_nt_config){
		.size = sizeof t->config, .sync_mode = HS_NT_SYNC_MESSAGES,
		.inst_mode = rng_one_in(r, 2) ? HS_NT_BTM : HS_NT_HTM,
		.sync_max = (uint8_t)rng_below(r, 2),
		.icnt_full = (uint8_t)rng_below(r, 2),
		.hist_always = (uint8_t)rng_below(r, 2),
		.repeat_branch = (uint8_t)rng_below(r, 2),
		.repeated_history = (uint8_t)rng_below(r, 2),
		.implicit_return = (uint8_t)rng_below(r, 4),
		.call_stack = (uint8_t)rng_below(r, 33),
		.all_jumps = (uint8_t)rng_below(r, 2),
		.extend_addr = (uint8_t)rng_below(r, 2),
		.timestamps = (uint8_t)rng_below(r, 2),
		.xlen = t->program.image.isa.xlen,
	};
}

/* Messages end by a byte with MSEO 3. */
static void find_messages(void)
{
	t->count = 0;
	for (size_t i = 0, begin = 0; i < t->length; i++)
		if ((t->good[i] & 3) == 3) {
			t->start[t->count++] = begin;
			begin = i + 1;
		}
	t->start[t->count] = t->length;
}

/* False: the parameters do not go together. */
static bool encode(struct rng *r)
{
	const struct walk_odds odds = { .trap_one_in = rng_one_in(r, 2) ? 30 : 0,
		                        .stop_one_in = rng_one_in(r, 4) ? 100 : 0,
		                        .time_one_in = t->config.timestamps ? 5 : 0,
		                        .no_custom = true };
	const size_t n = walk_random(&t->program, r, 1000, &odds, t->blocks, BLOCKS);
	size_t used, len;

	if (hs_nt_encoder_init(&t->encoder, &t->config) != HS_OK)
		return false;
	assert_int_equal(hs_nt_encode(&t->encoder, t->blocks, n, &used, t->good, TRACE - 512,
	                              &t->length), HS_OK);
	assert_int_equal(used, n);
	assert_int_equal(hs_nt_encode_end(&t->encoder, t->good + t->length, 512, &len), HS_OK);
	t->length += len;
	find_messages();
	return t->count != 0;
}

/* ---- decoding -------------------------------------------------------------------- */

static void start_decoder(struct items *to)
{
	assert_int_equal(hs_bb_init(&t->table, &t->program.image, t->memory, CAPACITY), HS_OK);
	assert_int_equal(hs_nt_decoder_init(&t->decoder, &t->config, &t->table, &t->source, 1),
	                 HS_OK);
	to->n = t->given = t->fault_at = 0;
	to->full = false;
}

static void check_fault(enum hs_status s)
{
	const struct hs_nt_diag *g = hs_nt_decoder_diag(&t->decoder);

	assert_int_equal(g->status, s);
	assert_true(g->clause && *g->clause && g->text && *g->text);
	assert_true(g->msg.offset >= t->fault_at && g->msg.offset < t->given);
	t->fault_at = g->msg.offset;
	faults++;
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
	struct hs_block out[HS_NT_DECODE_ROOM];
	struct hs_span in = { p, n };
	enum hs_status s;
	size_t count;

	t->given += n;
	do {
		s = hs_nt_decoder_next(&t->decoder, &in, out, HS_NT_DECODE_ROOM, &count);
		if (s != HS_MORE && s != HS_FULL)
			check_fault(s);
		keep(to, out, count);
	} while (s != HS_MORE && !to->full);
}

static void finish(struct items *to)
{
	struct hs_block out[HS_NT_DECODE_ROOM];
	enum hs_status s;
	size_t count;

	do {
		s = hs_nt_decoder_end(&t->decoder, out, HS_NT_DECODE_ROOM, &count);
		if (s != HS_OK && s != HS_FULL)
			check_fault(s);
		keep(to, out, count);
	} while (s != HS_OK && !to->full);
}

/* False: it does not decode in order without damage. */
static bool decode_good(void)
{
	start_decoder(&t->want);
	for (size_t i = 0; i < t->count; i++) {
		feed(t->good + t->start[i], t->start[i + 1] - t->start[i], &t->want);
		t->mark[i] = t->want.n;
	}
	finish(&t->want);
	return t->decoder.stats.errors == 0 && !t->want.full;
}

/* ---- damage ---------------------------------------------------------------------- */

/* Damage in message @k, or from there on.  @return where what is not damaged begins in good. */
static size_t damage(struct rng *r, enum damage how, size_t k)
{
	struct damaged d = { .good = t->good, .length = t->length, .bad = t->bad };
	const size_t start = t->start[k];
	const size_t intact = damage_unit(&d, r, how, start, t->start[k + 1] - start, 0);

	t->bad_length = d.bad_length;
	return intact;
}

/* NT 7.5, 7.6, 7.7, 7.10. */
static bool synchronises(const uint8_t *message)
{
	const unsigned tcode = *message >> 2;

	return tcode == 9 || tcode == 11 || tcode == 12 || tcode == 29;
}

/* Damaged bytes may be an Ownership message: its mode holds until the next one. */
static bool same(const struct hs_block *a, const struct hs_block *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!hs_block_same(&a[i], &b[i]))
			return false;
	return true;
}

/* Only one mode has it: DirectBranch, with or without Sync, or HIST. */
static bool shows_mode(const uint8_t *message)
{
	const unsigned tcode = *message >> 2;

	return t->config.inst_mode == HS_NT_BTM ? tcode == 3 || tcode == 11
	                                        : tcode == 28 || tcode == 29;
}

/* From the second block after the next synchronising message on: the first one may have begun
 * before it. */
static void check_rest(enum damage how, size_t k, size_t intact)
{
	bool mode = false;
	size_t next = k + 1, from;

	for (; next < t->count; next++) {
		const uint8_t *message = t->good + t->start[next];
		const bool whole = t->start[next] > intact;

		mode |= whole && shows_mode(message);
		if (whole && mode && synchronises(message))
			break;
	}
	if (next == t->count)
		return;
	for (from = t->mark[next]; from < t->want.n && t->want.at[from].kind != HS_KIND_BLOCK;)
		from++;
	if (from >= t->want.n)
		return;
	const size_t left = t->want.n - from - 1;

	assert_true(t->got.n >= left);
	assert_true(same(t->want.at + from + 1, t->got.at + t->got.n - left, left));
	resumed[how]++;
}

/* Messages before the last @n synchronising ones; all: there are fewer. */
static size_t count_before_syncs(unsigned n)
{
	size_t k = t->count;

	while (n && k)
		n -= synchronises(t->good + t->start[--k]);
	return k ? k : t->count;
}

/* A message; 19 times of 20 one after which the flow is synchronised twice. */
static size_t pick_message(struct rng *r)
{
	const size_t k = rng_below(r, (uint32_t)t->count);

	return k % 20 ? k % count_before_syncs(3) : k;
}

static bool has_two_syncs(size_t k, size_t intact)
{
	unsigned n = 0;

	for (size_t i = k + 1; i < t->count; i++)
		n += t->start[i] >= intact && synchronises(t->good + t->start[i]);
	return n > 1;
}

static void one_damage(struct rng *r, enum damage how)
{
	const size_t k = pick_message(r), before = k ? t->mark[k - 1] : 0;
	const size_t intact = damage(r, how, k);

	second += how == CUT || has_two_syncs(k, intact);
	start_decoder(&t->got);
	for (size_t at = 0, n; at < t->bad_length && !t->got.full; at += n) {
		n = 1 + rng_below(r, 300);
		n = n < t->bad_length - at ? n : t->bad_length - at;
		feed(t->bad + at, n, &t->got);
	}
	damages[how]++;
	assert_true(t->got.n >= before);
	assert_true(same(t->want.at, t->got.at, before));
	if (t->got.full)
		return;
	finish(&t->got);
	if (!t->got.full)
		check_rest(how, k, intact);
}

static void one_case(uint64_t seed)
{
	struct rng r = rng_start(seed);

	program_make(&t->program, &r);
	random_config(&r);
	if (!encode(&r) || !decode_good())
		return;
	for (unsigned how = 0; how < DAMAGES; how++)
		one_damage(&r, (enum damage)how);
}

CAMPAIGN(damage_is_bounded)
{
	uint64_t all = 0;

	t = calloc(1, sizeof *t);
	assert_non_null(t);
	t->memory = malloc(hs_bb_memory(CAPACITY));
	assert_non_null(t->memory);
	campaign_run(400, one_case);
	for (unsigned i = 0; i < DAMAGES; i++) {
		printf("# %llu %s, %llu resumed\n", (unsigned long long)damages[i], damage_names[i],
		       (unsigned long long)resumed[i]);
		if (damages[i] > 100 && i != CUT)
			assert_true(resumed[i] > damages[i] / 2);
	}
	for (unsigned i = 0; i < DAMAGES; i++)
		all += damages[i];
	printf("# %llu of %llu cut, or with two synchronising messages after them\n",
	       (unsigned long long)second, (unsigned long long)all);
	assert_true(second >= all - all / 10);
	printf("# %llu errors, each with offset and clause\n", (unsigned long long)faults);
	free(t->memory);
	free(t);
	t = NULL;
}
