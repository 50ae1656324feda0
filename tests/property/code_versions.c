/* Code that changes while it is traced, at moments that nobody knows: harts execute a program some
 * of whose instructions change, and a decoder has images of it, in the order of time.  What it
 * decodes outside of the gaps that it reports is what was executed. */
#include "cases.h"


#include "property/campaign.h"
#include "property/changing.h"
#include "trace/trace.h"

#define IMAGES 3
#define SITES 8
#define SPARSE 64 /* instructions for each site */
#define HARTS 3
#define TURNS 40 /* runs of a hart between which sites may change */
#define WALK 300
#define BLOCKS (TURNS * (WALK + 2))
#define TRACE (HARTS * BLOCKS * 64)

struct hart {
	struct hs_block items[BLOCKS];
	size_t n;
	struct hs_block out[2 * BLOCKS]; /* decoded: blocks and gaps */
	size_t out_n;
	unsigned version[SITES];
};

static struct {
	struct program images[IMAGES], now;
	size_t site[SITES]; /* numbers of instructions */
	unsigned site_count, image_count;
	struct hart harts[HARTS];
	unsigned count;
	uint8_t trace[TRACE];
	size_t length;
} *t;

static struct {
	uint64_t blocks, equal, gaps, changes, disputes, unsolved, tries;
} seen;

/* ---- versions --------------------------------------------------------------------- */

static void repoint(struct program *p)
{
	for (unsigned i = 0; i < 2; i++)
		p->sections[i].bytes = p->sections[i].start == p->base ? p->code : p->table;
	p->image.sections = p->sections;
	p->image.isa.custom = p->custom;
}

static void copy_program(struct program *to, const struct program *from)
{
	*to = *from;
	repoint(to);
}

/* Images in which more and more sites are other instructions. */
static void make_images(struct rng *r)
{
	do /* code of which a small part changes, as it is where code changes */
		program_make(&t->images[0], r);
	while (t->images[0].count < SPARSE);
	t->images[0].whole = true; /* design/code-versions */
	t->image_count = rng_one_in(r, 3) ? 3 : 2;
	t->site_count = 1 + rng_below(r, (uint32_t)(t->images[0].count / SPARSE));
	if (t->site_count > SITES)
		t->site_count = SITES;
	for (unsigned s = 0; s < t->site_count; s++)
		t->site[s] = rng_below(r, (uint32_t)t->images[0].count);
	for (unsigned i = 1; i < t->image_count; i++) {
		copy_program(&t->images[i], &t->images[i - 1]);
		for (unsigned s = 0; s < t->site_count; s++)
			if (t->image_count == 2 || rng_one_in(r, 2))
				program_patch(&t->images[i], r, t->site[s]);
	}
}

static size_t size_of(const struct program *p, size_t i)
{
	return (size_t)((i + 1 < p->count ? p->at[i + 1] : p->base + p->size) - p->at[i]);
}

/* The program as a hart finds it. */
static void compose(const struct hart *h)
{
	copy_program(&t->now, &t->images[0]);
	for (unsigned s = 0; s < t->site_count; s++) {
		const size_t i = t->site[s], at = (size_t)(t->now.at[i] - t->now.base);

		memcpy(t->now.code + at, t->images[h->version[s]].code + at, size_of(&t->now, i));
	}
}

/* ---- executions ------------------------------------------------------------------ */

/* Sites change for good; two that are the same instruction change together. */
static void change_sites(struct hart *h, struct rng *r)
{
	for (unsigned s = 0; s < t->site_count; s++)
		if (h->version[s] + 1 < t->image_count && rng_one_in(r, 12))
			h->version[s]++;
	for (unsigned s = 0; s < t->site_count; s++)
		for (unsigned o = 0; o < s; o++)
			if (t->site[o] == t->site[s])
				h->version[s] = h->version[o];
}

static void execute(struct hart *h, struct rng *r, const struct walk_odds *odds, unsigned turns)
{
	struct hs_block v[WALK + 8];

	h->n = h->out_n = 0;
	memset(h->version, 0, sizeof h->version);
	for (unsigned i = 0; i < turns; i++) {
		const bool last = i + 1 == turns;

		compose(h);
		size_t n = walk_random(&t->now, r, 1 + rng_below(r, 250), odds, v, WALK);

		while (last && n == 0) /* no trace reports a trap whose handler never runs */
			n = walk_random(&t->now, r, 100, odds, v, WALK);
		n = last ? n : changing_interrupt(v, n);
		memcpy(h->items + h->n, v, n * sizeof(*v));
		h->n += n;
		change_sites(h, r);
	}
}

/* ---- encoding -------------------------------------------------------------------- */

static void encode(const struct hs_protocol *p, void *config, struct rng *r)
{
	struct changing_flow flows[HARTS] = { 0 };

	for (unsigned i = 0; i < t->count; i++)
		flows[i] = (struct changing_flow){ .items = t->harts[i].items, .n = t->harts[i].n };
	t->length = changing_encode(p, config, r, flows, t->count, t->trace, TRACE);
}

/* ---- decoding -------------------------------------------------------------------- */

static void take_items(const struct hs_block *v, size_t n, uint32_t *hart)
{
	for (size_t i = 0; i < n; i++) {
		struct hart *h = &t->harts[*hart];

		if (v[i].kind == HS_KIND_HART)
			*hart = v[i].arg;
		if (v[i].kind != HS_KIND_BLOCK && v[i].kind != HS_KIND_GAP)
			continue;
		assert_true(h->out_n < 2 * BLOCKS);
		h->out[h->out_n++] = v[i];
		seen.gaps += v[i].kind == HS_KIND_GAP;
	}
}

static bool goes_on(enum hs_status s)
{
	return s == HS_FULL || s == HS_MORE || hs_status_get_class(s) >= HS_CLASS_CALLER;
}

static void decode(const struct hs_protocol *p, const void *config, struct rng *r)
{
	struct hs_image images[IMAGES];
	struct hs_code_search_options o = { sizeof o, t->image_count, p, config, images, false };
	struct hs_span in = { t->trace, t->length };
	const size_t cap = 64 + rng_below(r, 200);
	struct hs_code_search_report report;
	struct hs_block out[264];
	struct hs_code_search *d;
	enum hs_status s = HS_FULL;
	uint32_t hart = 0;
	size_t n;

	for (unsigned i = 0; i < t->image_count; i++)
		images[i] = t->images[i].image;
	assert_int_equal(hs_code_search_new(&o, &d), HS_OK);
	while (s != HS_MORE && goes_on(s)) {
		s = hs_code_search_decode(d, &in, out, cap, &n);
		take_items(out, n, &hart);
	}
	for (s = HS_FULL; goes_on(s);) {
		s = hs_code_search_end(d, out, cap, &n);
		take_items(out, n, &hart);
	}
	hs_code_search_get_report(d, &report);
	seen.changes += report.changes;
	seen.disputes += report.disputes;
	seen.unsolved += report.unsolved;
	seen.tries += report.tries;
	hs_code_search_free(d);
}

/* ---- comparing ------------------------------------------------------------------- */

static bool same(const struct hs_block *a, const struct hs_block *b)
{
	struct hs_block x = *a;

	x.priv = b->priv;
	return hs_block_equal(&x, b);
}

/* A block that a gap begins in. */
static bool begins(const struct hs_block *part, const struct hs_block *whole)
{
	return part->iaddr == whole->iaddr && part->iretire <= whole->iretire;
}

/* A block that a gap ends in. */
static bool ends(const struct hs_block *part, const struct hs_block *whole)
{
	return part->iaddr >= whole->iaddr && hs_block_end(part) == hs_block_end(whole) &&
	       part->itype == whole->itype;
}

/* Do @n blocks stand at @at?  @after, @before: next to a gap. */
static bool stand_at(const struct hs_block *out, size_t n, const struct hs_block *at, bool after,
                     bool before)
{
	for (size_t i = 0; i < n; i++) {
		if (same(&out[i], &at[i]) || (after && i == 0 && ends(&out[i], &at[i])) ||
		    (before && i + 1 == n && begins(&out[i], &at[i])))
			continue;
		if (after && before && n == 1 && out->iaddr >= at->iaddr &&
		    hs_block_end(out) <= hs_block_end(at))
			continue;
		return false;
	}
	return true;
}

/* The blocks that were executed, without events. */
static size_t only_blocks(struct hart *h)
{
	size_t n = 0;

	for (size_t i = 0; i < h->n; i++)
		if (h->items[i].kind == HS_KIND_BLOCK)
			h->items[n++] = h->items[i];
	return n;
}

/* Say how far blocks that were decoded can be found. */
static void fail_at(const struct hart *h, unsigned number, size_t from, size_t n, size_t at,
                    size_t blocks)
{
	size_t best = 0, best_at = at;

	for (size_t a = at; a < blocks; a++) {
		size_t k = 0;

		while (k < n && a + k < blocks && stand_at(&h->out[from + k], 1, &h->items[a + k],
		                                           from && k == 0, false))
			k++;
		if (k > best) {
			best = k;
			best_at = a;
		}
	}
	const struct hs_block *o = &h->out[from + best], *w = &h->items[best_at + best];

	fail_msg("hart %u: blocks %zu to %zu of what was decoded stand at %zu up to %zu, then "
	         "%llx+%u itype %u in place of %llx+%u itype %u", number, from, from + n, best_at,
	         best, (unsigned long long)o->iaddr, o->iretire, o->itype,
	         (unsigned long long)w->iaddr, w->iretire, w->itype);
}

static void compare(struct hart *h, unsigned number)
{
	const size_t blocks = only_blocks(h);
	size_t at = 0, i = 0;

	seen.blocks += blocks;
	while (i < h->out_n) {
		size_t n = 0;

		while (i + n < h->out_n && h->out[i + n].kind == HS_KIND_BLOCK)
			n++;
		const bool after = i != 0, before = i + n < h->out_n;
		const size_t from = at;

		while (at + n <= blocks && n &&
		       (after || at == 0) &&
		       !((before || at + n == blocks) &&
		         stand_at(&h->out[i], n, &h->items[at], after, before)))
			at++;
		if (n && (at + n > blocks || (!after && at != 0)))
			fail_at(h, number, i, n, after ? from : 0, blocks);
		at += n;
		seen.equal += n;
		i += n + before;
	}
}

/* ---- cases ----------------------------------------------------------------------- */

static const struct changing_settings settings[] = {
	{ "ntrace", { { "trTeInstMode", "htm" } } },
	{ "ntrace", { { "trTeInstMode", "btm" } } },
	{ "ntrace", { { "trTeInstSyncMode", "messages" }, { "trTeInstSyncMax", "2" } } },
	{ "ntrace", { { "trTeInstEnRepeatedHistory", "1" }, { "repeatBranch", "1" },
	              { "trTeInstEnSequentialJump", "1" },
	              { "trTeInstImplicitReturnMode", "full" } } },
	{ "ntrace", { { "trTeInstEnAllJumps", "1" }, { "dialect", "1.0" },
	              { "trTeInstSyncMode", "messages" }, { "trTeInstSyncMax", "1" } } },
	{ "etrace", { { NULL } } },
	{ "etrace", { { "version", "1.1" }, { "trTeInstSyncMode", "packets" },
	              { "resync-max", "0" } } },
	{ "etrace", { { "full-address", "true" } } },
	{ "etrace", { { "implicit-return", "true" }, { "return_stack_size_p", "4" },
	              { "si-jump", "true" }, { "sijump_p", "1" } } },
	{ "etrace", { { "f0s_width_p", "1" }, { "branch-prediction", "true" },
	              { "bpred_size_p", "6" },
	              { "jump-target-cache", "true" }, { "cache_size_p", "5" } } },
};

static void one_case(uint64_t seed)
{
	const struct changing_settings *s = &settings[seed % (sizeof settings / sizeof *settings)];
	const struct hs_protocol *p = hs_protocol_find(s->protocol);
	struct rng r = rng_start(seed);
	struct walk_odds odds = walk_odds_random(&r, 0);
	const unsigned turns = 2 + rng_below(&r, rng_one_in(&r, 8) ? TURNS - 2 : 12);

	t->count = rng_one_in(&r, 4) ? 1 + rng_below(&r, HARTS) : 1;
	odds.stop_one_in = odds.reset_one_in = odds.trigger_one_in = 0;
	odds.lost_one_in = strcmp(s->protocol, "ntrace") == 0 && rng_one_in(&r, 4) ? 200 : 0;
	odds.no_custom = true;
	make_images(&r);
	for (unsigned i = 0; i < t->count; i++)
		execute(&t->harts[i], &r, &odds, turns);
	void *config = changing_config(p, s, t->count, &t->images[0].image.isa);

	encode(p, config, &r);
	decode(p, config, &r);
	free(config);
	for (unsigned i = 0; i < t->count; i++)
		compare(&t->harts[i], i);
}

/* Cases that were wrong once, and one that took minutes (design/code-versions). */
CAMPAIGN_WITH(found, t)
{
	static const uint64_t seeds[] = { 5005388, 5007529, 5008868, 5007918 };

	for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++)
		one_case(seeds[i]);
}

CAMPAIGN_WITH(code_versions, t)
{
	const uint64_t cases = campaign_run(600, one_case);

	printf("# %llu of %llu blocks, %llu gaps, %llu changes, %llu disputes, %llu unsolved, "
	       "%llu pieces tried\n", (unsigned long long)seen.equal,
	       (unsigned long long)seen.blocks, (unsigned long long)seen.gaps,
	       (unsigned long long)seen.changes, (unsigned long long)seen.disputes,
	       (unsigned long long)seen.unsolved, (unsigned long long)seen.tries);
	assert_true(cases < 100 || seen.equal > seen.blocks / 100 * 75);
}
