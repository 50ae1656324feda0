/* Whatever is read and written, in any order, on any implementation: every field of every register
 * has a value that is legal, nothing is stored outside the trace buffer, and two models that were
 * in the same state and saw the same stay the same.  What is legal comes from tests/control_text.h,
 * an independent reading of the text, and from the rules below. */
#include "device/device.h"
#include "cases.h"

#include <hartscope/control.h>

#include "control_text.h"
#include "property/campaign.h"
#include "property/randprog.h"

#define GUARD 64
#define SRAM_MAX 256

static struct {
	struct hs_tc_profile profile;
	struct hs_tc_limit limits[HS_TCF_COUNT];
	struct hs_tc tc, twin;
	uint8_t sram[2][GUARD + SRAM_MAX + GUARD];
	uint64_t writes;
} t;

/* ---- what the text allows ------------------------------------------------------------ */

static struct field {
	unsigned reg, id, msb, lsb;
	bool action, warl, always; /* columns W1, WARL; RW or R: there on every implementation */
	uint32_t ones;
	bool set;             /* how a limit of it is written: a set of values, or bits */
	uint32_t legal, value; /* the same for what the text allows */
} fields[HS_TCF_COUNT];

static unsigned field_count;

/* Numbers of the API for a register and a field of the text. */
static void number_field(struct field *f, const char *reg, const char *name)
{
	for (f->id = 0; f->id < HS_TCF_COUNT; f->id++) {
		const struct hs_tc_field_row *row = hs_tc_field_at(f->id);

		f->reg = row->reg;
		f->set = row->rule == HS_TC_SET;
		if (strcmp(row->name, name) == 0 && strcmp(hs_tc_reg_at(row->reg)->name, reg) == 0)
			return;
	}
	fail_msg("%s of %s is not there", name, reg);
}

static void add_field(const struct text_register *r, const struct text_field *text)
{
	struct field f = {
		.msb = text_msb(text),
		.lsb = text_lsb(text),
		.ones = text_ones(text),
		.action = strcmp(text->access, "W1") == 0,
		.warl = strcmp(text->access, "WARL") == 0,
		.always = strcmp(text->access, "RW") == 0 || strcmp(text->access, "R or RW") == 0,
	};

	number_field(&f, r->name, text->name);
	f.value = (uint32_t)strtoul(text->reset, NULL, 0); /* 0 where it is no number */
	f.legal = f.set ? 0 : text_ones(text);
	for (unsigned v = 0; f.set && v < 32; v++)
		f.legal |= (uint32_t)text_allows(text, v) << v;
	fields[field_count++] = f;
}

static void read_text(void)
{
	for (size_t i = 0; i < TEXT_REGISTERS; i++)
		for (const struct text_field *f = text_registers[i].fields; f->name; f++)
			add_field(&text_registers[i], f);
	assert_int_equal(field_count, HS_TCF_COUNT);
}

static uint32_t reg_word(const struct hs_tc *tc, unsigned component, uint32_t offset)
{
	struct hs_tc_place p;

	assert_true(hs_tc_at(component, offset, &p));
	return tc->regs.word[p.word];
}

/* Only filters and comparators that are there can be chosen. */
static void choose_of_those(struct field *n)
{
	const char *name = hs_tc_field_at(n->id)->name;

	if (strcmp(name, "trTeInstFilters") == 0 || strcmp(name, "trTeDataFilters") == 0)
		n->legal &= t.profile.filters ? (1u << t.profile.filters) - 1 : 0xffff;
	if (strncmp(name, "trTeFilterComp", 14) == 0)
		n->legal &= t.profile.comparators ? (1u << t.profile.comparators) - 1 : 0xff;
}

/* What the implementation allows, whatever its state. */
static struct field narrowed(const struct field *f)
{
	struct field n = *f;
	bool found = false;

	for (uint32_t i = 0; i < t.profile.limit_count; i++)
		if (t.limits[i].field == f->id) {
			n.legal = t.limits[i].legal;
			n.value = t.limits[i].value;
			found = true;
		}
	if (t.profile.absent >> f->reg & 1) {
		n.value = 0;
		n.legal = f->set;
	} else if (!found && t.profile.tied && !f->always && f->id != HS_TCF_TE_EMPTY &&
	           f->id != HS_TCF_RAM_EMPTY) {
		n.legal = f->set ? 1u << f->value : 0;
	} else if (!found) {
		choose_of_those(&n);
	}
	return n;
}

static bool in_rule(const struct field *f, uint32_t v)
{
	if (f->action)
		return v == 0;
	if (f->set)
		return v < 32 && (f->legal >> v & 1);
	for (unsigned i = 0; i < 32; i++)
		if (!(f->legal >> i & 1) && (v >> i & 1) != (f->value >> i & 1))
			return false;
	return true;
}

/* An address of the RAM sink: the SRAM's size counts, not the table alone. */
static bool legal_address(const struct hs_tc *tc, const struct field *f, uint32_t v)
{
	const bool smem = reg_word(tc, HS_TC_RAM, 0) >> 4 & 1;
	const bool start = f->id == HS_TCF_RAM_START_LOW_BITS;
	const bool rp = f->id == HS_TCF_RAM_RP_LOW_BITS || f->id == HS_TCF_RAM_RP_HIGH_BITS;

	if (t.profile.absent >> f->reg & 1 || (smem && rp))
		return v == 0;
	if (smem)
		return true;
	if (start || f->msb - f->lsb == 31) /* fixed at 0; upper halves are not there */
		return v == 0;
	return 4ull * v < t.profile.sram_bytes;
}

static bool is_address(const struct field *f)
{
	return f->reg >= HS_TCR_RAM_START_LOW && f->reg <= HS_TCR_RAM_RP_HIGH &&
	       f->id != HS_TCF_RAM_WRAP;
}

/* Rules of the text that join fields. */
static bool joined(const struct hs_tc *tc, unsigned component, const struct field *f, uint32_t v)
{
	switch (f->id) {
	case HS_TCF_TE_INST_TRACING: /* TCI 6: trTeEnable allows it */
	case HS_TCF_TE_DATA_TRACING:
		return !v || (reg_word(tc, HS_TC_ENCODER, 0) & 2);
	case HS_TCF_TE_ENABLE: /* TCI 11.2: a component in reset is disabled */
	case HS_TCF_RAM_ENABLE:
	case HS_TCF_FUNNEL_ENABLE:
	case HS_TCF_PIB_ENABLE:
	case HS_TCF_ATB_ENABLE:
		return !v || (reg_word(tc, component, 0) & 1);
	case HS_TCF_PIB_CLK_CENTER: /* TCI 9: parallel modes */
		return !v || (reg_word(tc, HS_TC_PIB, 0) >> 4 & 15) >= 8;
	case HS_TCF_TS_MODE: /* TCI 6.1: core clock in encoders only */
		return component != HS_TC_FUNNEL || v != 3;
	case HS_TCF_TS_ENABLE:
	case HS_TCF_TS_RUN_IN_DEBUG:
		return component != HS_TC_FUNNEL || !v;
	default:
		return true;
	}
}

/* A limit that has no value without the core clock gives the funnel none to choose. */
static bool funnel_has_no_mode(const struct field *f, unsigned component)
{
	return component == HS_TC_FUNNEL && f->id == HS_TCF_TS_MODE && (f->legal & ~8u) == 0;
}

static bool counts_by_itself(const struct field *f)
{
	return f->reg == HS_TCR_TS_COUNTER_LOW || f->reg == HS_TCR_TS_COUNTER_HIGH;
}

static void check_field(const struct hs_tc *tc, unsigned component, const struct field *f,
                        uint32_t v)
{
	const struct field n = narrowed(f);
	bool good;

	if (is_address(f))
		good = legal_address(tc, f, v);
	else if (counts_by_itself(f))
		good = true; /* check_time() */
	else if (component == HS_TC_FUNNEL &&
	         (f->id == HS_TCF_TS_ENABLE || f->id == HS_TCF_TS_RUN_IN_DEBUG))
		good = v == 0;
	else if (f->id == HS_TCF_TE_INST_TRACING || f->id == HS_TCF_TE_DATA_TRACING ||
	         f->id == HS_TCF_PIB_CLK_CENTER)
		good = v == 0 || in_rule(&n, v); /* 0 is what the joint rule leaves */
	else
		good = in_rule(&n, v) || funnel_has_no_mode(&n, component);
	if (!good || !joined(tc, component, f, v))
		fail_msg("%s of %s is %u", hs_tc_field_at(f->id)->name,
		         hs_tc_component_name(component), v);
}

/* Filter i, comparator j: are there as many? */
static bool exists(const struct hs_tc_place *p)
{
	const unsigned filters = t.profile.filters ? t.profile.filters : 16;
	const unsigned comparators = t.profile.comparators ? t.profile.comparators : 8;

	if (p->component != HS_TC_ENCODER || p->offset < 0x400)
		return true;
	return p->offset < 0x600 ? p->offset < 0x400 + 0x20 * filters
	                         : p->offset < 0x600 + 0x20 * comparators;
}

/* Reserved bits and registers read 0. */
static void check_word(const struct hs_tc *tc, const struct hs_tc_place *p)
{
	uint32_t rest = tc->regs.word[p->word];

	if (!(t.profile.components >> p->component & 1) || !exists(p)) {
		assert_int_equal(rest, 0);
		return;
	}
	for (size_t i = 0; i < field_count; i++)
		if (fields[i].reg == p->reg) {
			const uint32_t v = tc->regs.word[p->word] >> fields[i].lsb & fields[i].ones;

			check_field(tc, p->component, &fields[i], v);
			rest &= ~(fields[i].ones << fields[i].lsb);
		}
	assert_int_equal(rest, 0);
}

static uint64_t pair(const struct hs_tc *tc, unsigned component, uint32_t offset)
{
	return reg_word(tc, component, offset) | (uint64_t)reg_word(tc, component, offset + 4)
	                                                 << 32;
}

/* While it stores, the write pointer is in the buffer (TCI 7). */
static void check_ram(const struct hs_tc *tc)
{
	const uint64_t wp = pair(tc, HS_TC_RAM, 0x20) & ~3ull;

	if (reg_word(tc, HS_TC_RAM, 0) & 2)
		assert_true(pair(tc, HS_TC_RAM, 0x10) <= wp && wp <= pair(tc, HS_TC_RAM, 0x18));
	for (unsigned k = 0; k < 2; k++)
		for (unsigned i = 0; i < GUARD; i++)
			assert_true(t.sram[k][i] == 0xee &&
			            t.sram[k][GUARD + t.profile.sram_bytes + i] == 0xee);
}

static void check_time(const struct hs_tc *tc, unsigned component)
{
	const uint32_t width = reg_word(tc, component, 0x40) >> 24 & 63;

	if (t.profile.components >> component & 1)
		assert_true(pair(tc, component, 0x48) >> width == 0);
}

static void check_all(const struct hs_tc *tc)
{
	struct hs_tc_place p;

	for (unsigned w = 0; hs_tc_next(w, &p); w = p.word + 1u)
		check_word(tc, &p);
	check_ram(tc);
	check_time(tc, HS_TC_ENCODER);
	check_time(tc, HS_TC_FUNNEL);
}

/* ---- any implementation --------------------------------------------------------------------- */

static bool bus_store(void *user, uint64_t address, uint32_t word)
{
	const struct hs_tc *tc = user;

	(void)word;
	assert_true(address >= (pair(tc, HS_TC_RAM, 0x10)) && address <= pair(tc, HS_TC_RAM, 0x18));
	return address % 1024 != 0;
}

static void limit(unsigned field, uint32_t legal, uint32_t value)
{
	t.limits[t.profile.limit_count++] = (struct hs_tc_limit){ (uint16_t)field, legal, value };
}

static void random_limit(struct rng *r, const struct field *f)
{
	uint32_t legal = (uint32_t)rng_next(r) & f->legal;

	if (!f->set) {
		limit(f->id, legal, (uint32_t)rng_next(r) & f->ones);
		return;
	}
	if (!legal)
		legal = f->legal;
	uint32_t v = rng_below(r, 32);

	while (!(legal >> v % 32 & 1))
		v++;
	limit(f->id, legal, v % 32);
}

static bool may_be_limited(const struct field *f)
{
	return f->warl && f->reg != HS_TCR_RAM_WP_LOW && !is_address(f) &&
	       f->id != HS_TCF_RAM_MODE && f->id != HS_TCF_TS_ACTIVE;
}

static void random_profile(struct rng *r)
{
	const unsigned modes = 1 + rng_below(r, 3); /* 1: SRAM, 2: SMEM, 3: both */

	t.profile = (struct hs_tc_profile){
		.size = sizeof(t.profile), .name = "random", .limits = t.limits,
		.components = (uint32_t)rng_next(r) & 0x1f, .settle = (uint8_t)rng_below(r, 3),
		.sram_bytes = modes & 1 ? 8u << rng_below(r, 6) : 0, .tied = rng_one_in(r, 4),
		.read_active = rng_one_in(r, 2), .data_write = rng_one_in(r, 2),
		.filters = (uint8_t)rng_below(r, 17), .comparators = (uint8_t)rng_below(r, 9),
	};
	t.profile.components |= 1u << HS_TC_ENCODER | 1u << HS_TC_RAM;
	for (unsigned i = 0; i < HS_TCR_COUNT; i++)
		if (rng_one_in(r, 8) && i != HS_TCR_TE_CONTROL && i != HS_TCR_RAM_CONTROL &&
		    i != HS_TCR_RAM_IMPL && i != HS_TCR_FUNNEL_CONTROL && i != HS_TCR_PIB_CONTROL &&
		    i != HS_TCR_ATB_CONTROL && i != HS_TCR_RAM_WP_LOW && i != HS_TCR_RAM_WP_HIGH &&
		    i != HS_TCR_RAM_RP_LOW)
			t.profile.absent |= (uint64_t)1 << i;
	limit(HS_TCF_RAM_HAS_SRAM, modes & 1 ? 2 : 1, modes & 1);
	limit(HS_TCF_RAM_HAS_SMEM, modes & 2 ? 2 : 1, modes >> 1);
	limit(HS_TCF_RAM_MODE, modes, modes == 2);
	limit(HS_TCF_TS_WIDTH, 0, rng_below(r, 64));
	for (size_t i = 0; i < field_count; i++)
		if (may_be_limited(&fields[i]) && rng_one_in(r, 3))
			random_limit(r, &fields[i]);
	if (t.profile.tied) { /* addresses need a place to be */
		limit(HS_TCF_RAM_WP_LOW_BITS, 0x3fffffff, 0);
		limit(HS_TCF_RAM_RP_LOW_BITS, 0x3fffffff, 0);
		limit(HS_TCF_RAM_LIMIT_LOW_BITS, 0x3fffffff, 0x10);
		limit(HS_TCF_RAM_WRAP, 3, 0);
	}
}

static void start(struct rng *r)
{
	static const struct hs_tc_ops ops = { bus_store };
	struct hs_tc_memory memory = { t.sram[0] + GUARD, t.profile.sram_bytes, &ops, &t.tc };
	const uint32_t undef = (uint32_t)rng_next(r);

	memset(t.sram, 0xee, sizeof(t.sram));
	assert_int_equal(hs_tc_init(&t.tc, &t.profile, &memory, undef), HS_OK);
	memory.sram = t.sram[1] + GUARD;
	memory.user = &t.twin;
	assert_int_equal(hs_tc_init(&t.twin, &t.profile, &memory, undef), HS_OK);
}

/* ---- anything done to it ------------------------------------------------------------------------
 */

static uint32_t random_value(struct rng *r, uint32_t old)
{
	switch (rng_below(r, 6)) {
	case 0:  return (uint32_t)rng_next(r);
	case 1:  return old ^ 1u << rng_below(r, 32);
	case 2:  return old | 3; /* Active, Enable */
	case 3:  return rng_below(r, 2) ? 0 : UINT32_MAX;
	case 4:  return old | 7;
	default: return rng_below(r, SRAM_MAX);
	}
}

static void access_one(struct rng *r)
{
	struct hs_tc_place p;
	unsigned component = rng_below(r, HS_TC_COMPONENTS + 1);
	uint32_t offset = rng_below(r, 0x1000);

	if (!rng_one_in(r, 10)) {
		while (!hs_tc_next(rng_below(r, rng_one_in(r, 2) ? HS_TC_WORDS : 8), &p))
			continue;
		if (rng_one_in(r, 2)) /* RAM and what comes after it */
			assert_true(hs_tc_next(448 + rng_below(r, HS_TC_WORDS - 448), &p));
		component = p.component;
		offset = rng_one_in(r, 3) ? 0 : p.offset;
	}
	const uint32_t v = hs_tc_read(&t.tc, component, offset);

	assert_int_equal(hs_tc_read(&t.twin, component, offset), v);
	if (rng_one_in(r, 3))
		return;
	const uint32_t w = random_value(r, v);

	hs_tc_write(&t.tc, component, offset, w);
	hs_tc_write(&t.twin, component, offset, w);
	t.writes++;
}

static void put_bytes(struct rng *r)
{
	uint8_t bytes[SRAM_MAX];
	const size_t n = rng_below(r, sizeof(bytes));
	const unsigned input = rng_below(r, 20);

	for (size_t i = 0; i < n; i++)
		bytes[i] = (uint8_t)rng_next(r);
	struct hs_span in = { bytes, n }, twin = in;
	const bool all = hs_tc_put(&t.tc, input, &in);

	assert_true(in.n <= n && in.p + in.n == bytes + n && all == (in.n == 0));
	assert_true(in.n == n || hs_tc_accepts(&t.twin, input));
	assert_int_equal(hs_tc_put(&t.twin, input, &twin), all);
	assert_int_equal(twin.n, in.n);
}

static void step(struct rng *r)
{
	const uint64_t clocks = rng_next(r) >> rng_below(r, 64);
	const unsigned clock = 1 + rng_below(r, 3), which = rng_below(r, 16);

	if (which == 0) {
		put_bytes(r);
	} else if (which == 1) {
		hs_tc_tick(&t.tc, (enum hs_tc_clock)clock, clocks, clocks & 1);
		hs_tc_tick(&t.twin, (enum hs_tc_clock)clock, clocks, clocks & 1);
	} else if (which == 2) {
		assert_int_equal(hs_tc_trigger(&t.tc, (enum hs_tc_action)(clocks % 8)),
		                 hs_tc_trigger(&t.twin, (enum hs_tc_action)(clocks % 8)));
		assert_int_equal(hs_tc_trigger_in(&t.tc, clocks % 9),
		                 hs_tc_trigger_in(&t.twin, clocks % 9));
		assert_int_equal(hs_tc_triggers_out(&t.tc), hs_tc_triggers_out(&t.twin));
	} else {
		access_one(r);
	}
}

/* A value that was read can be written back without a change: it is legal (TCI 1.1, WARL). */
static void write_back(void)
{
	struct hs_tc_place p;

	for (unsigned w = 0; hs_tc_next(w, &p); w = p.word + 1u) {
		const bool acts = p.offset == 0 || p.reg == HS_TCR_RAM_DATA ||
		                  p.reg == HS_TCR_RAM_WP_LOW || p.reg == HS_TCR_TE_DATA_CONTROL ||
		                  p.reg == HS_TCR_TS_CONTROL;

		if (acts)
			continue;
		const uint32_t v = hs_tc_read(&t.tc, p.component, p.offset);

		hs_tc_write(&t.tc, p.component, p.offset, v);
		assert_int_equal(hs_tc_read(&t.tc, p.component, p.offset), v);
	}
}

static void one_case(uint64_t seed)
{
	struct rng r = rng_start(seed);

	random_profile(&r);
	start(&r);
	check_all(&t.tc);
	for (unsigned i = 0; i < 300; i++) {
		step(&r);
		if (i % 8 == 0)
			check_all(&t.tc);
	}
	check_all(&t.tc);
	assert_memory_equal(&t.tc.regs, &t.twin.regs, sizeof(t.tc.regs));
	assert_memory_equal(t.sram[0], t.sram[1], sizeof(t.sram[0]));
	write_back();
	check_all(&t.tc);
}

CAMPAIGN(registers)
{
	read_text();
	const uint64_t cases = campaign_run(1000, one_case);

	assert_true(t.writes > 50 * cases);
	printf("# %llu writes\n", (unsigned long long)t.writes);
}
