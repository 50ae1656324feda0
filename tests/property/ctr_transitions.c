/* Every transition of CTR: all pairs of modes, all types, enables, the filter of the type, RASEMU,
 * ETEN and xTE bits, freeze bits and FROZEN, against a predicate written from the tables of the
 * text, for 0.1.4 (with each choice for what crosses V) and 1.0, RV64 and RV32. */
#include "cases.h"

#include <hartscope/ctr.h>

enum { NOTHING, FULL, NO_SOURCE, NO_TARGET, POP, REPLACE, FREEZE };

/* One case.  [0] is mctl, [1] vsctl. */
struct world {
	unsigned from, to, type, cause;
	bool ratified, v_rule, f_rule;
	bool en[8];           /* by mode */
	bool te_m, te_s, te_vs;
	bool eten[2], filter[2], ras[2], freeze[2], frozen;
};

static bool guest(unsigned mode)
{
	return mode == HS_PRIV_VS || mode == HS_PRIV_VU;
}

/* Table of 1.0 "External Traps"; sentence of 0.1.4. */
static bool handshake(const struct world *w, unsigned active)
{
	static const struct {
		uint8_t from, to, m, s, vs;
	} needs[] = {
		{ HS_PRIV_U, HS_PRIV_S, 0, 1, 0 }, { HS_PRIV_U, HS_PRIV_M, 1, 1, 0 },
			{ HS_PRIV_S, HS_PRIV_M, 1, 0, 0 },
		{ HS_PRIV_VU, HS_PRIV_VS, 0, 0, 1 }, { HS_PRIV_VU, HS_PRIV_S, 0, 1, 1 },
			{ HS_PRIV_VU, HS_PRIV_M, 1, 1, 1 },
		{ HS_PRIV_VS, HS_PRIV_S, 0, 1, 0 }, { HS_PRIV_VS, HS_PRIV_M, 1, 1, 0 },
	};

	if (!w->ratified)
		return w->eten[active] && (w->to == HS_PRIV_M ? w->te_m : w->to == HS_PRIV_S
		                           ? w->te_s : w->te_vs);
	for (unsigned i = 0; i < sizeof(needs) / sizeof(needs[0]); i++)
		if (needs[i].from == w->from && needs[i].to == w->to)
			return w->te_m >= needs[i].m && w->te_s >= needs[i].s &&
				w->te_vs >= needs[i].vs;
	fail_msg("no such trap");
	return false;
}

static int predict(const struct world *w)
{
	const bool trap = w->type <= 2, source = w->en[w->from], target = w->en[w->to];
	const unsigned active = w->ratified || w->v_rule ? guest(w->from) || guest(w->to)
		: guest(w->from);
	const unsigned freezer = w->ratified || w->f_rule ? guest(w->to) : guest(w->from);
	const bool stopped = w->type == 4 ? !w->filter[active] : w->filter[active];

	if (w->frozen)
		return NOTHING;
	if (trap && w->freeze[freezer] && w->cause == (w->type == 1 ? 3u : 13u))
		return FREEZE;
	if (w->ras[active]) {
		if (!source || trap || w->type < 8 || w->type == 10 || w->type == 11 ||
		    w->type > 13)
			return NOTHING;
		return w->type == 12 ? REPLACE : w->type == 13 ? POP : FULL;
	}
	if (trap && source && !target)
		return handshake(w, active) ? NO_TARGET : NOTHING;
	if (stopped)
		return NOTHING;
	if (trap)
		return !target ? NOTHING : source ? FULL : NO_SOURCE;
	if (w->type == 3)
		return !source ? NOTHING : target ? FULL : NO_TARGET;
	return source ? FULL : NOTHING;
}

static uint64_t control(const struct world *w, unsigned v)
{
	const bool m = w->en[HS_PRIV_M], s = w->en[v ? HS_PRIV_VS : HS_PRIV_S],
		u = w->en[v ? HS_PRIV_VU : HS_PRIV_U];
	const uint64_t te = v ? w->te_vs : w->te_s, mte = w->te_m && !v;
	uint64_t low = (uint64_t)s << 1 | (uint64_t)(w->freeze[v] ? 3
	                                             : 0) << 11 | (uint64_t)w->filter[v] << (32 +
	                                             w->type);

	if (w->ratified)
		return low | u | (m && !v ? 4u : 0) | (uint64_t)w->ras[v] << 7 | te << 8 | mte << 9;
	return low | (m && !v) | (uint64_t)u << 2 | mte << 8 | te << 9 |
	       (uint64_t)w->ras[v] << 10 | (uint64_t)w->eten[v] << 38;
}

/* The array before: entries 0 to 3 at physical 3 to 0. */
static void prepare(struct hs_ctr *c, const struct world *w)
{
	c->mctl = control(w, 0);
	c->vsctl = control(w, 1);
	c->frozen = w->frozen;
	c->wrap = false;
	c->wrptr = 4;
	hs_ctr_refresh(c);
	for (unsigned i = 0; i < 5; i++)
		c->entries[i] = (struct hs_ctr_entry){ (0x100 + 2 * i) | (i < 4), 0x200 + 2 * i,
		                                       11 };
}

static void compare(const struct hs_ctr *c, const struct world *w, int want)
{
	const bool made = want == FULL || want == NO_SOURCE || want == NO_TARGET;
	const struct hs_ctr_entry e = hs_ctr_get_entry(c, 0);

	assert_int_equal(c->frozen, w->frozen || want == FREEZE);
	assert_int_equal(c->wrptr, made ? 5 : want == POP ? 3 : 4);
	assert_int_equal(c->entries[3].source & 1, want == POP ? 0 : 1);
	assert_int_equal(c->entries[2].source, 0x105);
	if (made || want == REPLACE) {
		assert_int_equal(e.source, want == NO_SOURCE ? 1 : 0x1001);
		assert_int_equal(e.target, want == NO_TARGET ? 0 : 0x2000);
		assert_int_equal(e.data & 15, w->type);
	} else if (want != POP) {
		assert_int_equal(e.source, 0x107);
		assert_int_equal(e.target, 0x206);
		assert_int_equal(e.data, 11);
	}
}

static void check(struct hs_ctr *c, const struct world *w)
{
	const struct hs_ctr_transfer t = { .source = 0x1000, .target = 0x2000,
	                                   .type = (uint8_t)w->type,
	                                   .from = (uint8_t)w->from, .to = (uint8_t)w->to };

	prepare(c, w);
	if (w->type <= 2)
		hs_ctr_trap(c, &t, w->cause);
	else if (w->type == 3)
		hs_ctr_xret(c, &t);
	else
		hs_ctr_retire(c, &t);
	compare(c, w, predict(w));
}

/* The bits that this transition may look at, all combinations; @bits is one of 2^17. */
static void spread(struct world *w, unsigned bits)
{
	bool *const all[] = { &w->en[HS_PRIV_M], &w->en[HS_PRIV_S], &w->en[HS_PRIV_U],
	                      &w->en[HS_PRIV_VS], &w->en[HS_PRIV_VU],
		&w->te_m, &w->te_s, &w->te_vs, &w->eten[0], &w->eten[1], &w->filter[0],
			&w->filter[1], &w->ras[0], &w->ras[1],
		&w->freeze[0], &w->freeze[1], &w->frozen };

	for (unsigned i = 0; i < 17; i++)
		*all[i] = bits >> i & 1;
}

/* Traps go up or stay, returns go down or stay (privileged architecture). */
static bool possible(unsigned from, unsigned to, unsigned type)
{
	static const uint8_t rank[] = { [HS_PRIV_U] = 0, [HS_PRIV_S] = 3, [HS_PRIV_M] = 4,
	                                [HS_PRIV_VU] = 1, [HS_PRIV_VS] = 2 };

	if (type > 3)
		return from == to;
	if (type == 3) {
		const unsigned swap = from;

		from = to;
		to = swap;
	}
	if (to == HS_PRIV_U || to == HS_PRIV_VU || (from == HS_PRIV_U && to == HS_PRIV_VS))
		return false;
	return rank[from] <= rank[to];
}

static unsigned long run_pair(struct hs_ctr *c, struct world *w)
{
	unsigned long n = 0;

	for (unsigned bits = 0; bits < 1u << 17; bits++) {
		if (w->ratified && (bits & 0x300)) /* no ETEN */
			continue;
		/* neither TE nor freeze bits matter: unit rows */
		if (w->type > 3 && (bits & 0xc3e0))
			continue;
		spread(w, bits);
		check(c, w);
		n++;
	}
	return n;
}

static unsigned long run_type(struct hs_ctr *c, struct world *w)
{
	static const unsigned modes[] = { HS_PRIV_M, HS_PRIV_S, HS_PRIV_U, HS_PRIV_VS, HS_PRIV_VU };
	unsigned long n = 0;

	for (unsigned pair = 0; pair < 25; pair++) {
		w->from = modes[pair / 5];
		w->to = modes[pair % 5];
		if (!possible(w->from, w->to, w->type))
			continue;
		w->cause = w->type == 1 ? 3 : 13;
		n += run_pair(c, w);
		w->cause = 8;
		if (w->type <= 2)
			n += run_pair(c, w);
	}
	return n;
}

/* @hart: bit 0 RV32, bits 2:1 what crosses V in 0.1.4; 8 and 9 are 1.0. */
static void transitions(void **state)
{
	static const uint8_t types[] = { 1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15 };
	const unsigned hart = *(const unsigned *)*state;
	struct world w = { .ratified = hart >= 8, .v_rule = hart < 8 &&
	                   (hart & 2), .f_rule = hart < 8 && (hart & 4) };
	const struct hs_ctr_config k = {
		.size = sizeof(k), .version = w.ratified ? HS_CTR_1_0 : HS_CTR_0_1_4,
		.xlen = hart & 1 ? 32 : 64, .depths = 1,
		.without = HS_CTR_NO_SMSTATEEN | HS_CTR_NO_SSCOFPMF | HS_CTR_NO_MISP | HS_CTR_NO_CC,
		.options = (uint16_t)((w.v_rule ? HS_CTR_V_AS_1_0 : 0) |
		                      (w.f_rule ? HS_CTR_FREEZE_AS_1_0 : 0)),
	};
	unsigned long n = 0;
	struct hs_ctr c;

	assert_int_equal(hs_ctr_init(&c, &k), HS_OK);
	for (unsigned i = 0; i < sizeof(types); i++) {
		w.type = types[i];
		n += run_type(&c, &w);
	}
	print_message("# %lu transitions\n", n);
	assert_true(n > 1000000);
}

TESTS
{
	static const unsigned harts[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 };
	static const char *const names[] = {
		"QUA-01 0.1.4 RV64", "QUA-01 0.1.4 RV32", "QUA-01 A2 RV64",    "QUA-01 A2 RV32",
		"QUA-01 A3 RV64",    "QUA-01 A3 RV32",    "QUA-01 A2 A3 RV64", "QUA-01 A2 A3 RV32",
		"QUA-01 1.0 RV64",   "QUA-01 1.0 RV32",
	};

	for (size_t i = 0; i < COUNT_OF(harts); i++)
		test_add(names[i], transitions, &harts[i]);
}
