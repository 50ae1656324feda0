/* Lints that read parts of a stream find what one finds (design/pool): random executions of one to
 * three harts, encoded, damaged, and cut anywhere.  A part is read without what was before it;
 * where a lint that read all before it stands as that one did, it takes what was found after. */
#include "cases.h"

#include "property/campaign.h"
#include "property/changing.h"
#include "trace/protocol.h"

#define HARTS 3
#define BLOCKS 3000
#define TRACE (HARTS * BLOCKS * 64 + 64)
#define FOUND (1 << 16)
#define JOINS 8

static const struct changing_settings settings[] = {
	{ "ntrace", { { "trTeInstSyncMode", "messages" }, { "trTeInstSyncMax", "0" } } },
	{ "ntrace", { { "trTeInstMode", "btm" }, { "trTeInstSyncMode", "messages" } } },
	{ "ntrace", { { "trTsEnable", "1" }, { "trTeContext", "1" },
	              { "trTeInstSyncMode", "messages" } } },
	{ "ntrace", { { "dialect", "1.0" }, { "trTeContext", "1" } } },
	{ "etrace", { { "trTeInstSyncMode", "packets" }, { "resync-max", "1" } } },
	{ "etrace", { { "implicit-return", "1" }, { "return_stack_size_p", "3" },
	              { "trTeInstSyncMode", "packets" }, { "resync-max", "2" } } },
	{ "etrace", { { "version", "0.026" }, { "trTeInstSyncMode", "packets" },
	              { "resync-max", "1" } } },
	{ "etrace", { { "context_width_p", "8" }, { "resync-max", "0" } } },
};

/* Findings, each as a number. */
struct found {
	uint64_t v[FOUND];
	size_t n;
};

static struct {
	struct program program;
	struct hs_block blocks[HARTS][BLOCKS];
	uint8_t trace[TRACE];
	size_t length;
	const struct hs_protocol *p;
	void *config;
	struct found one, parts, part;
} *t;

static struct {
	uint64_t findings, parts, joined, damaged;
} seen;

/* ---- lints ---------------------------------------------------------------------------- */

static struct hs_lint *new_lint(void)
{
	static const struct hs_image_set none;
	struct hs_lint *lint;

	assert_int_equal(hs_lint_new(&lint, t->p, t->config, &t->program.image, &none), HS_OK);
	return lint;
}

static void add(struct found *f, const struct hs_lint_finding *x)
{
	const uint64_t words[] = { x->kind, x->offset, x->pc, x->bit, (uintptr_t)x->field,
		                   x->has_message, (uintptr_t)x->message.name, x->message.count,
		                   x->message.source };
	uint64_t hash = 0;

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		hash = (hash ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15) >> 1;
	for (unsigned i = 0; x->has_message && i < x->message.count; i++)
		hash = (hash ^ x->message.field[i].value) * UINT64_C(0x9e3779b97f4a7c15) >> 1;
	assert_true(f->n < FOUND);
	f->v[f->n++] = hash;
}

static void read_bytes(struct hs_lint *lint, size_t from, size_t to, struct found *f)
{
	struct hs_span in = { t->trace + from, to - from };
	struct hs_lint_finding x;

	while (hs_lint_next(lint, &in, &x) == HS_OK)
		add(f, &x);
}

static void end(struct hs_lint *lint, struct found *f)
{
	struct hs_lint_finding x;

	while (hs_lint_end(lint, &x) == HS_OK)
		add(f, &x);
}

static void *stand(const struct hs_lint *lint)
{
	void *state = malloc(machine_size(lint));

	machine_save(lint, state);
	return state;
}

/* ---- parts ---------------------------------------------------------------------------- */

struct join {
	size_t in, found;
	void *state;
};

/* Read a part with @lint, which knows what another one knew in @began.  Returns joins. */
static unsigned read_part(struct rng *r, struct hs_lint *lint, const void *began, size_t from,
                          size_t to, struct join *joins)
{
	size_t done = from;
	unsigned n = 0;

	machine_begin(lint, began, from);
	t->part.n = 0;
	for (size_t in = from + 1 + rng_below(r, 64); n < JOINS && in < to; n++) {
		read_bytes(lint, done, in, &t->part);
		joins[n] = (struct join){ in, t->part.n, stand(lint) };
		done = in;
		in += 1 + rng_below(r, (uint32_t)(2 * (in - from)));
	}
	read_bytes(lint, done, to, &t->part);
	return n;
}

/* The next part, with @truth; what a lint that did not read what was before found where that is the
 * same. */
static void join_part(struct rng *r, struct hs_lint *truth, struct hs_lint *lint, const void *began,
                      size_t from, size_t to)
{
	struct join joins[JOINS];
	const unsigned n = read_part(r, lint, began, from, to, joins);
	void *after = stand(lint);
	bool joined = false;
	size_t done = from;

	if (rng_one_in(r, 2)) /* it reads something else meanwhile */
		machine_begin(lint, began, 0);
	for (unsigned i = 0; i < n && !joined; i++) {
		read_bytes(truth, done, joins[i].in, &t->parts);
		done = joins[i].in;
		joined = machine_alike(truth, lint, joins[i].state);
		if (!joined)
			continue;
		machine_advance(truth, lint, joins[i].state, after);
		for (size_t k = joins[i].found; k < t->part.n; k++)
			t->parts.v[t->parts.n++] = t->part.v[k];
	}
	if (!joined)
		read_bytes(truth, done, to, &t->parts);
	seen.parts++;
	seen.joined += joined;
	for (unsigned i = 0; i < n; i++)
		free(joins[i].state);
	free(after);
}

/* Where the next part ends: anywhere, or where a message synchronises. */
static size_t part_end(struct rng *r, size_t from)
{
	const size_t left = t->length - from;
	const size_t n = 1 + rng_below(r, (uint32_t)(left < 3000 ? left : 3000));
	const struct hs_span all = { t->trace + from, n };
	const size_t sync = t->p->codec->find_cut(t->config, &all, true);

	return from + (rng_one_in(r, 4) || !sync ? n : sync);
}

static void compare_parts(struct rng *r)
{
	struct hs_lint *one = new_lint(), *truth = new_lint();
	struct hs_lint *lints[] = { new_lint(), new_lint() };
	void *began = stand(truth);
	uint64_t bytes[2], messages[2];

	t->one.n = t->parts.n = 0;
	read_bytes(one, 0, t->length, &t->one);
	end(one, &t->one);
	for (size_t from = 0, to; from < t->length; from = to) {
		to = part_end(r, from);
		join_part(r, truth, lints[rng_below(r, 2)], began, from, to);
		if (rng_one_in(r, 3)) /* parts are cut before those before them are joined */
			continue;
		free(began);
		began = stand(truth);
	}
	end(truth, &t->parts);
	hs_lint_counts(one, &bytes[0], &messages[0]);
	hs_lint_counts(truth, &bytes[1], &messages[1]);
	assert_int_equal(bytes[0], bytes[1]);
	assert_int_equal(messages[0], messages[1]);
	assert_int_equal(t->one.n, t->parts.n);
	assert_memory_equal(t->one.v, t->parts.v, t->one.n * sizeof *t->one.v);
	seen.findings += t->one.n;
	free(began);
	hs_lint_free(one);
	hs_lint_free(truth);
	hs_lint_free(lints[0]);
	hs_lint_free(lints[1]);
}

/* ---- cases ---------------------------------------------------------------------------- */

static void damage(struct rng *r)
{
	const unsigned n = rng_one_in(r, 3) ? 0 : 1 + rng_below(r, 6);

	for (unsigned i = 0; i < n && t->length > 8; i++) {
		const size_t at = rng_below(r, (uint32_t)t->length - 4);

		if (rng_one_in(r, 3)) { /* bytes are missing */
			t->length -= 3;
			memmove(t->trace + at, t->trace + at + 3, t->length - at);
		} else {
			t->trace[at] ^= (uint8_t)(1u << rng_below(r, 8));
		}
	}
	seen.damaged += n != 0;
}

static void one_case(uint64_t seed)
{
	struct rng r = rng_start(seed);
	const struct changing_settings *s =
		&settings[rng_below(&r, sizeof settings / sizeof *settings)];
	const unsigned harts = rng_one_in(&r, 2) ? 1 : 1 + rng_below(&r, HARTS);
	struct changing_flow flows[HARTS] = { { NULL } };
	struct walk_odds odds = walk_odds_random(&r, 3);

	odds.time_one_in = odds.lost_one_in = 0;
	odds.trigger_one_in = 0;
	program_make(&t->program, &r);
	for (unsigned i = 0; i < harts; i++) {
		flows[i].items = t->blocks[i];
		flows[i].n = walk_random(&t->program, &r, 1 + rng_below(&r, 9000), &odds,
		                         t->blocks[i], BLOCKS);
	}
	t->p = hs_protocol_find(s->protocol);
	t->config = changing_config(t->p, s, harts, &t->program.image.isa);
	t->length = changing_encode(t->p, t->config, &r, flows, harts, t->trace, TRACE);
	free(t->config); /* it is that of the last hart */
	t->config = changing_config(t->p, s, harts, &t->program.image.isa);
	damage(&r);
	compare_parts(&r);
	free(t->config);
}

CAMPAIGN_WITH(parts_find_what_one_finds, t)
{
	campaign_run(600, one_case);
	printf("# %llu findings, %llu damaged, %llu parts, of which %llu were joined\n",
	       (unsigned long long)seen.findings, (unsigned long long)seen.damaged,
	       (unsigned long long)seen.parts, (unsigned long long)seen.joined);
	assert_true(seen.damaged && seen.findings > seen.damaged && seen.joined * 6 > seen.parts);
}
