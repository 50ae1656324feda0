/* Random filter and comparator registers: the qualifier traces what a slow reading of TCI 6.3 says,
 * instruction by instruction and access by access.  The slow reading knows offsets and bits from
 * the text. */
#include "device/device.h"
#include "ingress/ingress.h"
#include "cases.h"

#include <hartscope/block.h>
#include <hartscope/control.h>
#include <hartscope/ingress.h>

#include "core/access.h"
#include "property/campaign.h"
#include "property/randprog.h"

#define STEPS 60

static struct {
	struct hs_tc_regs regs;
	/* what the slow reading keeps */
	unsigned priv; /* of the port */
	uint64_t context;
	uint32_t impdef;
	bool latch[8];
	unsigned depth[16];
	uint64_t daddr;
	uint64_t traced, steps, traced_data, accesses;
} t;

/* Accesses that came out. */
static struct {
	struct hs_access at[8];
	unsigned n;
	struct hs_access_reader reader;
} passed;

/* ---- registers by offset ---------------------------------------------------------------- */

static uint32_t reg(uint32_t offset)
{
	return t.regs.word[offset / 4]; /* the encoder's words are the first */
}

static void set_reg(uint32_t offset, uint32_t value)
{
	struct hs_tc_place p;

	assert_true(hs_tc_at(HS_TC_ENCODER, offset, &p));
	assert_int_equal(p.word, offset / 4);
	t.regs.word[p.word] = value;
	t.regs.known[p.word / 32] |= (uint32_t)1 << p.word % 32;
}

static uint32_t few_bits(struct rng *r)
{
	return (uint32_t)(rng_next(r) & rng_next(r));
}

/* Addresses are 0x1000 to 0x101e, contexts 0 to 3: values in and around them. */
static uint64_t random_match(struct rng *r)
{
	return rng_one_in(r, 2) ? 0x1000 + rng_below(r, 0x22) : rng_below(r, 5);
}

/* Every condition, some at a time; of instructions without dtype and dsize, and without the
 * comparators that look at daddr, 6 and 7. */
static uint32_t random_control(struct rng *r, bool of_insns)
{
	const uint32_t enable = !rng_one_in(r, 4);
	const uint32_t c = (few_bits(r) & 0x0301fffe) | enable;

	return of_insns ? c & ~0x03008880u : c;
}

static void random_registers(struct rng *r)
{
	memset(&t.regs, 0, sizeof(t.regs));
	set_reg(0x00c, rng_one_in(r, 8) ? 0 : 1u << rng_below(r, 16) | 1u << rng_below(r, 16));
	set_reg(0x01c, rng_one_in(r, 8) ? 0 : 1u << rng_below(r, 16) | 1u << rng_below(r, 16));
	for (unsigned i = 0; i < 16; i++) {
		set_reg(0x400 + 0x20 * i, random_control(r, reg(0x00c) >> i & 1));
		set_reg(0x404 + 0x20 * i, (uint32_t)rng_next(r) & 0x1ff);
		set_reg(0x408 + 0x20 * i, (uint32_t)rng_next(r));
		set_reg(0x40c + 0x20 * i, (uint32_t)rng_next(r));
		set_reg(0x410 + 0x20 * i, rng_below(r, 4));
		set_reg(0x414 + 0x20 * i, rng_below(r, 4));
		set_reg(0x418 + 0x20 * i, (uint32_t)rng_next(r) & 0xffffff);
	}
	for (unsigned j = 0; j < 8; j++) {
		const uint64_t p = random_match(r), s = rng_one_in(r, 3) ? 0x1e : random_match(r);

		/* inputs iaddr and context, of 6 and 7 daddr; every function and mode; no reserved
		 * bit */
		set_reg(0x600 + 0x20 * j, ((uint32_t)rng_next(r) & 0xf775) |
		                                  (j < 6 ? 0 : rng_one_in(r, 2) ? 3 : 12));
		set_reg(0x610 + 0x20 * j, (uint32_t)p);
		set_reg(0x614 + 0x20 * j, 0);
		set_reg(0x618 + 0x20 * j, (uint32_t)s);
		set_reg(0x61c + 0x20 * j, 0);
	}
}

/* ---- the slow reading -------------------------------------------------------------------- */

static uint64_t pair(uint32_t low)
{
	return reg(low) | (uint64_t)reg(low + 4) << 32;
}

static bool holds(unsigned function, uint64_t input, uint64_t match, bool six)
{
	const bool results[8] = { input == match, input != match, input < match, input <= match,
		                  input > match, input >= match, six, true };

	return results[function];
}

/* Input 0 iaddr, 1 context, 3 daddr. */
static uint64_t input(unsigned which, uint64_t iaddr)
{
	return which == 3 ? t.daddr : which ? t.context : iaddr;
}

/* Does the comparator's output depend on a data access?  Functions 6 and 7 of the primary, and 6
 * and 7 of the secondary, ignore their input; mode 0 ignores the secondary. */
static bool is_of_access(unsigned j)
{
	const uint32_t c = reg(0x600 + 0x20 * j);

	return ((c & 3) == 3 && (c >> 4 & 7) < 6) ||
	       ((c >> 2 & 3) == 3 && (c >> 8 & 7) < 6 && (c >> 12 & 3) != 0);
}

/* trTeCompControl: the comparator's output for an instruction or access. */
static bool comparator_output(unsigned j, uint64_t iaddr)
{
	const uint32_t c = reg(0x600 + 0x20 * j);
	const unsigned pf = c >> 4 & 7, sf = c >> 8 & 7, mode = c >> 12 & 3;
	const uint64_t p_in = input(c & 3, iaddr), s_in = input(c >> 2 & 3, iaddr);
	const uint64_t mask = sf == 6 ? pair(0x618 + 0x20 * j) : UINT64_MAX;
	const bool p = holds(pf, p_in & mask, pair(0x610 + 0x20 * j) & mask, false);
	const bool s = holds(sf, s_in, pair(0x618 + 0x20 * j), true);

	if (mode == 0)
		return p;
	if (mode == 1)
		return p && s;
	if (mode == 2)
		return !(p && s);
	t.latch[j] |= p;
	const bool out = t.latch[j];

	if (s) /* "until instruction after secondary result is true" */
		t.latch[j] = false;
	return out;
}

static bool filter_matches(unsigned i, const bool *comp)
{
	const uint32_t c = reg(0x400 + 0x20 * i), inst = reg(0x404 + 0x20 * i);

	if (!(c & 1) || ((c & 2) && !(inst >> t.priv & 1)))
		return false;
	if ((c & 0xc) && t.depth[i] == 0)
		return false;
	if ((c & 0x10) && !comp[c >> 5 & 7])
		return false;
	if ((c & 0x100) && !comp[c >> 9 & 7])
		return false;
	if ((c & 0x1000) && !comp[c >> 13 & 7])
		return false;
	return !(c & 0x10000) ||
	       ((t.impdef ^ reg(0x410 + 0x20 * i)) & reg(0x414 + 0x20 * i)) == 0;
}

/* Outputs of the comparators of instructions, once for each of them; of the others for each
 * access. */
static bool comp[8];

static bool is_traced(void)
{
	const uint32_t mask = reg(0x00c);
	bool any = mask == 0;

	for (unsigned i = 0; i < 16; i++)
		any |= (mask >> i & 1) && filter_matches(i, comp);
	return any;
}

static bool is_access_traced(const struct hs_access *a, uint64_t iaddr)
{
	const uint32_t mask = reg(0x01c);
	bool any = mask == 0;

	t.daddr = a->address;
	for (unsigned j = 0; j < 8; j++)
		if (is_of_access(j))
			comp[j] = comparator_output(j, iaddr);
	for (unsigned i = 0; i < 16; i++) {
		const uint32_t c = reg(0x400 + 0x20 * i), choice = reg(0x418 + 0x20 * i);

		any |= (mask >> i & 1) && (!(c >> 24 & 1) || (choice >> a->type & 1)) &&
		       (!(c >> 25 & 1) || (choice >> (16 + a->size) & 1)) &&
		       filter_matches(i, comp);
	}
	return any;
}

/* A trap begins a match, or is nested in one. */
static void slow_trap(unsigned cause, bool interrupt)
{
	for (unsigned i = 0; i < 16; i++) {
		const uint32_t c = reg(0x400 + 0x20 * i);
		const bool wants = (c & 8) && (reg(0x404 + 0x20 * i) >> 8 & 1);
		const bool kind = !(c & 8) || interrupt == wants;
		const bool of_cause = !(c & 4) || (interrupt == wants &&
		                                   (pair(0x408 + 0x20 * i) >> cause & 1));

		if (t.depth[i] || ((c & 0xc) && kind && of_cause))
			t.depth[i]++;
	}
}

static void slow_return(void)
{
	for (unsigned i = 0; i < 16; i++)
		t.depth[i] -= t.depth[i] != 0;
}

static void slow_start(void)
{
	t.priv = 3;
	t.context = 0;
	t.impdef = 0;
	memset(t.depth, 0, sizeof(t.depth));
	memset(&passed, 0, sizeof(passed));
	for (unsigned j = 0; j < 8; j++) /* "Prime latch to 1 if trTeCompMatchMode is 3" */
		t.latch[j] = (reg(0x600 + 0x20 * j) >> 4 & 7) == 6;
}

/* ---- both, side by side --------------------------------------------------------------------- */

/* @return  Is a block among what came out? */
static bool qualify(struct hs_qualifier *q, const struct hs_block *b)
{
	struct hs_block room[HS_QUALIFIER_ROOM];
	enum hs_status s = HS_FULL;
	bool traced = false;

	while (s == HS_FULL) {
		size_t used, n;

		s = hs_qualify(q, b, 1, &used, room, HS_QUALIFIER_ROOM, &n);
		for (size_t i = 0; i < n; i++) {
			if (room[i].kind == HS_KIND_BLOCK) {
				assert_true(hs_block_equal(&room[i], b));
				traced = true;
			} else if (hs_access_take(&passed.reader, &room[i])) {
				assert_false(traced); /* accesses come first */
				passed.at[passed.n++] = passed.reader.access;
			}
		}
	}
	assert_int_equal(s, HS_OK);
	return traced;
}

static void change_inputs(struct rng *r, struct hs_qualifier *q)
{
	struct hs_block e = { .priv = HS_PRIV_UNKNOWN };

	if (rng_one_in(r, 4)) {
		e.kind = HS_KIND_CONTEXT;
		e.value = t.context = rng_below(r, 4);
		qualify(q, &e);
	}
	if (rng_one_in(r, 4)) {
		e.kind = HS_KIND_NOTE;
		e.arg = HS_NOTE_USER;
		e.value = t.impdef = rng_below(r, 4);
		qualify(q, &e);
	}
}

/* Up to five accesses, so that they do not fit into one call; those that are to come out. */
static unsigned make_accesses(struct rng *r, struct hs_qualifier *q, uint64_t iaddr,
                              struct hs_access *want)
{
	static const uint8_t types[] = { 0, 0, 1, 1, 4, 8, 15 };
	unsigned n = 0;

	passed.n = 0;
	for (unsigned i = rng_one_in(r, 2) ? 0 : rng_below(r, 6); i; i--) {
		const struct hs_access a = {
			.address = random_match(r), .type = types[rng_below(r, 7)],
			.size = (uint8_t)rng_below(r, 4), .data = rng_below(r, 9), .operand = i,
			.known = HS_ACCESS_HAS_ADDRESS | HS_ACCESS_HAS_DATA | HS_ACCESS_HAS_OPERAND,
		};
		struct hs_block items[HS_ACCESS_ITEMS];
		const unsigned count = hs_access_put(&a, items);

		for (unsigned k = 0; k < count; k++)
			qualify(q, &items[k]);
		t.accesses++;
		if (is_access_traced(&a, iaddr))
			want[n++] = a;
	}
	t.traced_data += n;
	return n;
}

static void step(struct rng *r, struct hs_qualifier *q)
{
	static const uint8_t privs[][2] = {
		{ 0, HS_PRIV_U }, { 1, HS_PRIV_S }, { 3, HS_PRIV_M },
		{ 4, HS_PRIV_D }, { 5, HS_PRIV_VU }, { 6, HS_PRIV_VS },
	};
	static const uint8_t types[] = {
		HS_ITYPE_JUMP_UNINF, HS_ITYPE_EXCEPTION, HS_ITYPE_INTERRUPT, HS_ITYPE_XRET,
	};
	const uint8_t *priv = privs[rng_below(r, 6)];
	const struct hs_block b = {
		.iaddr = 0x1000 + 2 * rng_below(r, 16), .iretire = 1, .ilast = 1,
		.itype = types[rng_below(r, 4)], .priv = priv[1] & 7u,
	};

	change_inputs(r, q);
	t.priv = priv[0];
	for (unsigned j = 0; j < 8; j++)
		if (!is_of_access(j))
			comp[j] = comparator_output(j, b.iaddr);
	const bool want = is_traced();
	struct hs_access accesses[8];
	const unsigned n = make_accesses(r, q, b.iaddr, accesses);

	if (qualify(q, &b) != want)
		fail_msg("0x%llx is %straced", (unsigned long long)b.iaddr, want ? "not " : "");
	assert_int_equal(passed.n, n);
	for (unsigned i = 0; i < n; i++)
		assert_memory_equal(&passed.at[i], &accesses[i], sizeof(accesses[i]));
	t.steps++;
	t.traced += want;
	if (b.itype == HS_ITYPE_XRET)
		slow_return();
	if (b.itype == HS_ITYPE_EXCEPTION || b.itype == HS_ITYPE_INTERRUPT) {
		const struct hs_block trap = { .arg = rng_below(r, 64), .kind = HS_KIND_TRAP };

		slow_trap(trap.arg, b.itype == HS_ITYPE_INTERRUPT);
		qualify(q, &trap);
	}
}

static void one_case(uint64_t seed)
{
	struct hs_qualifier_config c = { .size = sizeof(c) };
	struct rng r = rng_start(seed);
	struct hs_qualifier q;

	random_registers(&r);
	slow_start();
	assert_int_equal(hs_tc_filters(&t.regs, &c), HS_OK);
	assert_int_equal(hs_qualifier_init(&q, &c, NULL), HS_OK);
	for (unsigned i = 0; i < STEPS; i++)
		step(&r, &q);
}

CAMPAIGN(filters)
{
	campaign_run(4000, one_case);
	/* neither everything nor nothing */
	assert_in_range(t.traced, t.steps / 20, t.steps - t.steps / 20);
	assert_in_range(t.traced_data, t.accesses / 20, t.accesses - t.accesses / 20);
}
