/* Behavior: which transfers are recorded, and what a record does to the array. */
#include "ctr/private.h"

#define TYPES 0xff3eu /* codes that are types */
#define ANY_CALL (1u << HS_CTR_CALL | 1u << HS_CTR_CALL_IND)
#define TRAPS (1u << HS_CTR_EXCEPTION | 1u << HS_CTR_INTERRUPT | 1u << HS_CTR_TRET)

#define CAUSE_BREAKPOINT 3
#define CAUSE_LCOFI 13

static bool is_virtual(unsigned priv)
{
	return priv == HS_PRIV_VS || priv == HS_PRIV_VU;
}

/* Debug Mode and modes that do not exist are never enabled. */
static bool enabled(const struct hs_ctr *c, unsigned priv)
{
	const struct ctr_profile *p = ctr_profile(c);

	switch (priv) {
	case HS_PRIV_M: return c->mctl & p->m;
	case HS_PRIV_S: return c->mctl & CTR_S;
	case HS_PRIV_U: return c->mctl & p->u;
	case HS_PRIV_VS: return c->vsctl & CTR_S;
	case HS_PRIV_VU: return c->vsctl & p->u;
	default: return false;
	}
}

/* 1.0 "Virtualization Mode Transitions": vsctl when either side is virtual.  0.1.4: A2. */
static uint64_t control_of(const struct hs_ctr *c, unsigned from, unsigned to)
{
	const bool as_1_0 = c->config.version == HS_CTR_1_0 || (c->config.options & HS_CTR_V_AS_1_0);

	return is_virtual(from) || (as_1_0 && is_virtual(to)) ? c->vsctl : c->mctl;
}

static uint64_t freeze_bits(const struct hs_ctr *c, unsigned from, unsigned to)
{
	const bool as_1_0 = c->config.version == HS_CTR_1_0 || (c->config.options & HS_CTR_FREEZE_AS_1_0);

	return is_virtual(as_1_0 ? to : from) ? c->vsctl : c->mctl;
}

/* Transfer Type Filtering.  Not-taken branches opt in, the others opt out. */
static bool passes(uint64_t control, unsigned type)
{
	const bool bit = control >> (32 + type) & 1;

	return type == HS_CTR_NOT_TAKEN ? bit : !bit;
}

static void write_entry(struct hs_ctr *c, struct hs_ctr_entry *e, const struct hs_ctr_transfer *t,
                        bool rasemu)
{
	const bool trap = TRAPS >> t->type & 1;
	const uint64_t misp = t->misp && !trap;
	const unsigned to_xlen = trap ? t->to_xlen : t->xlen;

	e->source = ctr_address(c, t->source, t->xlen) | 1;
	e->target = (ctr_address(c, t->target, to_xlen) | misp) & ctr_target_mask(c);
	e->data = (t->type | ctr_take_cycles(c, rasemu)) & ctr_data_mask(c);
}

static void push(struct hs_ctr *c, const struct hs_ctr_transfer *t, bool rasemu)
{
	const unsigned last = ctr_depth(c) - 1, at = c->wrptr & last;

	write_entry(c, &c->entries[at], t, rasemu);
	if (at == last && ctr_profile(c)->wrap)
		c->wrap = true;
	c->wrptr = (uint8_t)((at + 1) & last);
}

static void pop(struct hs_ctr *c)
{
	const unsigned last = ctr_depth(c) - 1, at = (c->wrptr - 1u) & last;

	ctr_pop_cycles(c, &c->entries[at]);
	c->entries[at].source &= ~UINT64_C(1);
	if (c->wrptr == 0)
		c->wrap = false;
	c->wrptr = (uint8_t)at;
}

/* RAS Emulation Mode: calls, returns and both at once; filters have no say. */
static void emulate(struct hs_ctr *c, const struct hs_ctr_transfer *t)
{
	struct hs_ctr_entry *top = &c->entries[(c->wrptr - 1u) & (ctr_depth(c) - 1)];

	if (ANY_CALL >> t->type & 1) {
		push(c, t, true);
	} else if (t->type == HS_CTR_RETURN) {
		pop(c);
	} else if (t->type == HS_CTR_SWAP) {
		ctr_pop_cycles(c, top);
		write_entry(c, top, t, true);
	}
}

void hs_ctr_retire(struct hs_ctr *c, const struct hs_ctr_transfer *t)
{
	const uint64_t control = control_of(c, t->from, t->from);

	if (c->frozen || !enabled(c, t->from) || t->type > 15 || !((TYPES & ~TRAPS) >> t->type & 1))
		return;
	if (control & ctr_profile(c)->rasemu)
		emulate(c, t);
	else if (passes(control, t->type))
		push(c, t, false);
}

/* External Traps.  0.1.4: ETEN, and the target's bit.  1.0: the bits of the target and of every
 * mode between. */
static bool external(const struct hs_ctr *c, uint64_t control, const struct hs_ctr_transfer *t)
{
	const struct ctr_profile *p = ctr_profile(c);
	const bool alone = p->target_alone;
	const bool to_m = t->to == HS_PRIV_M, to_vs = t->to == HS_PRIV_VS;
	const bool below_s = t->from == HS_PRIV_U || is_virtual(t->from);

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

void hs_ctr_trap(struct hs_ctr *c, const struct hs_ctr_transfer *t, uint64_t cause)
{
	const uint64_t control = control_of(c, t->from, t->to);
	const bool on = enabled(c, t->from);
	struct hs_ctr_transfer seen = *t;

	if (t->from >= HS_CTR_DEBUG || t->to >= HS_CTR_DEBUG)
		return;
	if (t->type != HS_CTR_EXCEPTION && t->type != HS_CTR_INTERRUPT)
		return;
	if (freezes(c, t, cause))
		c->frozen = true;
	if (c->frozen || (control & ctr_profile(c)->rasemu))
		return;
	if (!on)
		seen.source = 0;
	if (enabled(c, t->to)) {
		if (passes(control, t->type))
			push(c, &seen, false);
		return;
	}
	seen.target = 0;
	if (c->config.options & HS_CTR_TYPE6)
		seen.type = 6;
	if (on && external(c, control, t))
		push(c, &seen, false);
}

/* A trap return is seen by whoever could be seen before it. */
void hs_ctr_xret(struct hs_ctr *c, const struct hs_ctr_transfer *t)
{
	const uint64_t control = control_of(c, t->from, t->to);
	struct hs_ctr_transfer seen = *t;

	if (c->frozen || t->to >= HS_CTR_DEBUG || !enabled(c, t->from))
		return;
	if ((control & ctr_profile(c)->rasemu) || !passes(control, HS_CTR_TRET))
		return;
	seen.type = HS_CTR_TRET;
	if (!enabled(c, t->to))
		seen.target = 0;
	push(c, &seen, false);
}

/* Cycle Counting: only while CTR is active. */
void hs_ctr_tick(struct hs_ctr *c, unsigned priv, uint64_t cycles)
{
	if (!c->frozen && enabled(c, priv))
		ctr_add_cycles(c, cycles);
}
