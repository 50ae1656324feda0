/* Behavior: which transfers are recorded, and how a record changes the array. */
#include "ctr/private.h"

#define ANY_CALL (1u << HS_CTR_CALL | 1u << HS_CTR_CALL_IND)

#define CAUSE_BREAKPOINT 3
#define CAUSE_LCOFI 13

/* @option: the one with which 0.1.4 does as 1.0 */
static bool is_as_1_0(const struct hs_ctr *c, enum hs_ctr_option option)
{
	return c->config.version == HS_CTR_1_0 || (c->config.options & option);
}

/* 1.0 "Virtualization Mode Transitions": vsctl when either side is virtual.  0.1.4: A2. */
static uint64_t control_of(const struct hs_ctr *c, unsigned from, unsigned to)
{
	const bool as_1_0 = is_as_1_0(c, HS_CTR_V_AS_1_0);

	return ctr_control(c, ctr_is_virtual(from) || (as_1_0 && ctr_is_virtual(to)));
}

/* The control register with the freeze bits: 1.0, of the target's V; 0.1.4: A3. */
static uint64_t freeze_control(const struct hs_ctr *c, unsigned from, unsigned to)
{
	const bool as_1_0 = is_as_1_0(c, HS_CTR_FREEZE_AS_1_0);

	return ctr_control(c, ctr_is_virtual(as_1_0 ? to : from));
}

static bool passes_filter(uint64_t control, unsigned type)
{
	return !(ctr_stopped(control) >> type & 1);
}

/* Overwrite all of @e by the fields that the hart has.  @made: addresses and type. */
static inline void write_entry(struct hs_ctr *c, struct hs_ctr_entry *e, struct hs_ctr_entry made,
                               bool rasemu)
{
	const uint64_t cycles = ctr_restart_cycles(c, rasemu);

	e->source = made.source | HS_CTR_BITS(ANY, SOURCE, V);
	e->target = made.target;
	e->data = (made.data | cycles) & c->decisions.data;
}

static inline void push_entry(struct hs_ctr *c, struct hs_ctr_entry made, bool rasemu)
{
	const unsigned last = c->decisions.last, at = c->wrptr & last;

	write_entry(c, &c->entries[at], made, rasemu);
	if (at == last && ctr_profile(c)->wrap)
		c->wrap = true;
	c->wrptr = (uint8_t)((at + 1) & last);
}

static void pop_entry(struct hs_ctr *c)
{
	const unsigned last = c->decisions.last, at = (c->wrptr - 1u) & last;

	ctr_pop_cycles(c, &c->entries[at]);
	c->entries[at].source &= ~HS_CTR_BITS(ANY, SOURCE, V);
	if (c->wrptr == 0)
		c->wrap = false;
	c->wrptr = (uint8_t)at;
}

/* ctrtarget.MISP is of instructions, trap returns among them; a trap is not predicted. */
static inline uint64_t misp_of(const struct hs_ctr *c, const struct hs_ctr_transfer *t)
{
	return t->misp && !ctr_lacks(c, HS_CTR_NO_MISP) ? HS_CTR_BITS(ANY, TARGET, MISP) : 0;
}

/* Of a transfer within a mode. */
static inline struct hs_ctr_entry entry_of(const struct hs_ctr *c, const struct hs_ctr_transfer *t)
{
	return (struct hs_ctr_entry){
		.source = ctr_recorded(c, t->source, t->xlen),
		.target = ctr_recorded(c, t->target, t->xlen) | misp_of(c, t),
		.data = t->type,
	};
}

/* RAS Emulation Mode: calls, returns and both at once; filters have no effect.  Not inline: it
 * would need registers that hs_ctr_retire() uses. */
static __attribute__((noinline)) void emulate_ras(struct hs_ctr *c, const struct hs_ctr_transfer *t)
{
	struct hs_ctr_entry *top = &c->entries[(c->wrptr - 1u) & c->decisions.last];

	if (ANY_CALL >> t->type & 1) {
		push_entry(c, entry_of(c, t), true);
	} else if (t->type == HS_CTR_RETURN) {
		pop_entry(c);
	} else if (t->type == HS_CTR_SWAP) {
		ctr_pop_cycles(c, top);
		write_entry(c, top, entry_of(c, t), true);
	}
}

void hs_ctr_retire(struct hs_ctr *c, const struct hs_ctr_transfer *t)
{
	if (t->from > 7 || t->type > 15)
		return;
	if (c->decisions.records[t->from] >> t->type & 1)
		push_entry(c, entry_of(c, t), false);
	else if (c->decisions.ras >> t->from & 1)
		emulate_ras(c, t);
}

/* External Traps: is one from an enabled mode into one that is not recorded?  0.1.4: ETEN, and the
 * target's bit.  1.0: the bits of the target and of every mode between. */
static bool records_external(const struct hs_ctr *c, uint64_t control,
                             const struct hs_ctr_transfer *t)
{
	const struct ctr_profile *p = ctr_profile(c);
	const bool to_m = t->to == HS_PRIV_M, to_vs = t->to == HS_PRIV_VS;
	const bool below_s = t->from == HS_PRIV_U || ctr_is_virtual(t->from);

	if (p->target_only && !(control & p->eten))
		return false;
	if (to_m && !(c->mctl & p->mte))
		return false;
	if ((p->target_only ? t->to == HS_PRIV_S : below_s && !to_vs) && !(c->mctl & p->ste))
		return false;
	return !(p->target_only ? to_vs : t->from == HS_PRIV_VU) || (c->vsctl & p->ste);
}

static unsigned external_type(const struct hs_ctr *c, const struct hs_ctr_transfer *t)
{
	return c->config.options & HS_CTR_TYPE6 ? CTR_TYPE_EXTERNAL_0_1 : t->type;
}

static bool is_freeze(const struct hs_ctr *c, const struct hs_ctr_transfer *t, uint64_t cause)
{
	const uint64_t control = freeze_control(c, t->from, t->to);

	if (t->type == HS_CTR_INTERRUPT)
		return cause == CAUSE_LCOFI && (control & ctr_profile(c)->lcofifrz);
	return cause == CAUSE_BREAKPOINT && (control & ctr_profile(c)->bpfrz);
}

/* Record a change of mode, without the address in a mode that is not enabled. */
static void record_mode_change(struct hs_ctr *c, const struct hs_ctr_transfer *t, unsigned type,
                               bool on, bool to_on)
{
	const struct hs_ctr_entry made = {
		.source = on ? ctr_address(c, t->source, t->xlen) : 0,
		.target = (to_on ? ctr_address(c, t->target, t->to_xlen) : 0) |
		          (type == HS_CTR_TRET ? misp_of(c, t) : 0),
		.data = type,
	};

	push_entry(c, made, false);
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
	if (is_freeze(c, t, cause))
		freeze(c);
	if (c->frozen || (control & ctr_profile(c)->rasemu))
		return;
	if (to_on && passes_filter(control, t->type))
		record_mode_change(c, t, t->type, on, true);
	else if (!to_on && on && records_external(c, control, t))
		record_mode_change(c, t, external_type(c, t), true, false);
}

/* A trap return is recorded if the mode before it is enabled. */
void hs_ctr_xret(struct hs_ctr *c, const struct hs_ctr_transfer *t)
{
	const uint64_t control = control_of(c, t->from, t->to);

	if (c->frozen || t->to >= HS_CTR_DEBUG || !ctr_enabled(c, t->from))
		return;
	if (!(control & ctr_profile(c)->rasemu) && passes_filter(control, HS_CTR_TRET))
		record_mode_change(c, t, HS_CTR_TRET, true, ctr_enabled(c, t->to));
}

/* Cycle Counting: only while CTR is active. */
void hs_ctr_tick(struct hs_ctr *c, unsigned priv, uint64_t cycles)
{
	if (priv < 8 && (c->decisions.counts >> priv & 1))
		ctr_add_cycles(c, cycles);
}
