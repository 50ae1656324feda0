/* Behavior: which transfers are recorded, and what a record does to the array. */
#include "ctr/private.h"

#define ANY_CALL (1u << HS_CTR_CALL | 1u << HS_CTR_CALL_IND)

#define CAUSE_BREAKPOINT 3
#define CAUSE_LCOFI 13

/* 1.0 "Virtualization Mode Transitions": vsctl when either side is virtual.  0.1.4: A2. */
static uint64_t control_of(const struct hs_ctr *c, unsigned from, unsigned to)
{
	const bool as_1_0 = c->config.version == HS_CTR_1_0 || (c->config.options & HS_CTR_V_AS_1_0);

	return ctr_is_virtual(from) || (as_1_0 && ctr_is_virtual(to)) ? c->vsctl : c->mctl;
}

static uint64_t freeze_bits(const struct hs_ctr *c, unsigned from, unsigned to)
{
	const bool as_1_0 = c->config.version == HS_CTR_1_0 || (c->config.options & HS_CTR_FREEZE_AS_1_0);

	return ctr_is_virtual(as_1_0 ? to : from) ? c->vsctl : c->mctl;
}

static bool passes(uint64_t control, unsigned type)
{
	return !(ctr_stopped(control) >> type & 1);
}

/* @made: addresses and type.  Overwrites all of @e, with the fields that the hart has. */
static inline void write_entry(struct hs_ctr *c, struct hs_ctr_entry *e, struct hs_ctr_entry made,
                               bool rasemu)
{
	const uint64_t cycles = ctr_take_cycles(c, rasemu);

	e->source = made.source | 1;
	e->target = made.target;
	e->data = (made.data | cycles) & c->decisions.data;
}

static inline void push(struct hs_ctr *c, struct hs_ctr_entry made, bool rasemu)
{
	const unsigned last = c->decisions.last, at = c->wrptr & last;

	write_entry(c, &c->entries[at], made, rasemu);
	if (at == last && ctr_profile(c)->wrap)
		c->wrap = true;
	c->wrptr = (uint8_t)((at + 1) & last);
}

static void pop(struct hs_ctr *c)
{
	const unsigned last = c->decisions.last, at = (c->wrptr - 1u) & last;

	ctr_pop_cycles(c, &c->entries[at]);
	c->entries[at].source &= ~UINT64_C(1);
	if (c->wrptr == 0)
		c->wrap = false;
	c->wrptr = (uint8_t)at;
}

/* Transfers within a mode; those that cross modes have no MISP. */
static inline struct hs_ctr_entry made_of(const struct hs_ctr *c, const struct hs_ctr_transfer *t)
{
	return (struct hs_ctr_entry){
		.source = ctr_recorded(c, t->source, t->xlen),
		.target = ctr_recorded(c, t->target, t->xlen) | (t->misp & c->config.misp),
		.data = t->type,
	};
}

/* RAS Emulation Mode: calls, returns and both at once; filters have no say.  Not in line: it would take
 * registers from hs_ctr_retire(). */
static __attribute__((noinline)) void emulate(struct hs_ctr *c, const struct hs_ctr_transfer *t)
{
	struct hs_ctr_entry *top = &c->entries[(c->wrptr - 1u) & c->decisions.last];

	if (ANY_CALL >> t->type & 1) {
		push(c, made_of(c, t), true);
	} else if (t->type == HS_CTR_RETURN) {
		pop(c);
	} else if (t->type == HS_CTR_SWAP) {
		ctr_pop_cycles(c, top);
		write_entry(c, top, made_of(c, t), true);
	}
}

void hs_ctr_retire(struct hs_ctr *c, const struct hs_ctr_transfer *t)
{
	if (t->from > 7 || t->type > 15)
		return;
	if (c->decisions.records[t->from] >> t->type & 1)
		push(c, made_of(c, t), false);
	else if (c->decisions.ras >> t->from & 1)
		emulate(c, t);
}

/* External Traps.  0.1.4: ETEN, and the target's bit.  1.0: the bits of the target and of every
 * mode between. */
static bool external(const struct hs_ctr *c, uint64_t control, const struct hs_ctr_transfer *t)
{
	const struct ctr_profile *p = ctr_profile(c);
	const bool alone = p->target_alone;
	const bool to_m = t->to == HS_PRIV_M, to_vs = t->to == HS_PRIV_VS;
	const bool below_s = t->from == HS_PRIV_U || ctr_is_virtual(t->from);

	if (alone && !(control & CTR_ETEN))
		return false;
	if (to_m && !(c->mctl & p->mte))
		return false;
	if ((alone ? t->to == HS_PRIV_S : below_s && !to_vs) && !(c->mctl & p->ste))
		return false;
	return !(alone ? to_vs : t->from == HS_PRIV_VU) || (c->vsctl & p->ste);
}

static bool freezes(const struct hs_ctr *c, const struct hs_ctr_transfer *t, uint64_t cause)
{
	const uint64_t bits = freeze_bits(c, t->from, t->to);

	if (t->type == HS_CTR_INTERRUPT)
		return cause == CAUSE_LCOFI && (bits & CTR_LCOFIFRZ);
	return cause == CAUSE_BREAKPOINT && (bits & CTR_BPFRZ);
}

/* A record of a change of mode; a mode that is not enabled shows no address. */
static void cross(struct hs_ctr *c, const struct hs_ctr_transfer *t, unsigned type, bool on, bool to_on)
{
	const struct hs_ctr_entry made = {
		.source = on ? ctr_address(c, t->source, t->xlen) : 0,
		.target = to_on ? ctr_address(c, t->target, t->to_xlen) : 0,
		.data = type,
	};

	push(c, made, false);
}

static void freeze(struct hs_ctr *c)
{
	c->frozen = true;
	hs_ctr_refresh(c);
}

void hs_ctr_trap(struct hs_ctr *c, const struct hs_ctr_transfer *t, uint64_t cause)
{
	const uint64_t control = control_of(c, t->from, t->to);
	const bool on = ctr_enabled(c, t->from), to_on = ctr_enabled(c, t->to);

	if (t->from >= HS_CTR_DEBUG || t->to >= HS_CTR_DEBUG)
		return;
	if (t->type != HS_CTR_EXCEPTION && t->type != HS_CTR_INTERRUPT)
		return;
	if (freezes(c, t, cause))
		freeze(c);
	if (c->frozen || (control & ctr_profile(c)->rasemu))
		return;
	if (to_on && passes(control, t->type))
		cross(c, t, t->type, on, true);
	else if (!to_on && on && external(c, control, t))
		cross(c, t, c->config.options & HS_CTR_TYPE6 ? 6 : t->type, true, false);
}

/* A trap return is seen by whoever could be seen before it. */
void hs_ctr_xret(struct hs_ctr *c, const struct hs_ctr_transfer *t)
{
	const uint64_t control = control_of(c, t->from, t->to);

	if (c->frozen || t->to >= HS_CTR_DEBUG || !ctr_enabled(c, t->from))
		return;
	if (!(control & ctr_profile(c)->rasemu) && passes(control, HS_CTR_TRET))
		cross(c, t, HS_CTR_TRET, true, ctr_enabled(c, t->to));
}

/* Cycle Counting: only while CTR is active. */
void hs_ctr_tick(struct hs_ctr *c, unsigned priv, uint64_t cycles)
{
	if (priv < 8 && (c->decisions.counts >> priv & 1))
		ctr_add_cycles(c, cycles);
}
