/* The two models: one follows the specification, the other one QEMU 10.0 where that is known
 * to differ. */
#include <string.h>

#include "lockstep.h"

#define CONTROL(name) HS_CTR_BITS(1_0, CONTROL, name)
#define STE CONTROL(STE)
#define MTE CONTROL(MTE)

/* Fields of vsctrctl that are no filters. */
#define NO_FILTER (CONTROL(U) | CONTROL(S) | STE | CONTROL(BPFRZ) | CONTROL(LCOFIFRZ))

#define STATEEN_CSRIND HS_CTR_BITS(ANY, STATEEN, CSRIND)

static const char *const rules[] = {
#define HS_DEVIATION(id, rule, what) rule,
#include "deviations.def"
#undef HS_DEVIATION
};

const char *lockstep_rule(unsigned deviation)
{
	return rules[deviation];
}

/* QEMU counts no cycles, which is allowed (CYC-06): no record of the models has CCV. */
static void no_cycles(struct lockstep_hart *h)
{
	hs_ctr_invalidate_cc(&h->model[LOCKSTEP_TEXT]);
	hs_ctr_invalidate_cc(&h->model[LOCKSTEP_QEMU]);
}

uint32_t lockstep_differences(struct lockstep_hart *h)
{
	if (memcmp(&h->model[LOCKSTEP_TEXT], &h->model[LOCKSTEP_QEMU], sizeof(h->model[0])) == 0)
		h->fired = 0;
	return h->fired;
}

/* QEMU's model would be @text without @deviation. */
static void note_deviation(struct lockstep_hart *h, const struct hs_ctr *text,
                           enum lockstep_deviation deviation)
{
	if (memcmp(text, &h->model[LOCKSTEP_QEMU], sizeof(*text)) != 0)
		h->fired |= 1u << deviation;
}

/* An address of a mode with this XLEN, as QEMU records it. */
static uint64_t extend(uint64_t address, unsigned xlen)
{
	return xlen == 32 ? (uint64_t)(int64_t)(int32_t)address : address;
}

/* The transfer with addresses as QEMU records them. */
static struct hs_ctr_transfer with_sign(const struct hs_ctr_transfer *t)
{
	struct hs_ctr_transfer wide = *t;

	wide.source = extend(t->source, t->xlen);
	wide.target = extend(t->target, t->xlen);
	wide.xlen = wide.to_xlen = 0;
	return wide;
}

void lockstep_retire(struct lockstep_hart *h, const struct hs_ctr_transfer *t)
{
	const struct hs_ctr_transfer wide = with_sign(t);
	struct hs_ctr text;

	no_cycles(h);
	if (t->xlen == 32)
		text = h->model[LOCKSTEP_QEMU];
	hs_ctr_retire(&h->model[LOCKSTEP_TEXT], t);
	hs_ctr_retire(&h->model[LOCKSTEP_QEMU], &wide);
	if (t->xlen == 32) {
		hs_ctr_retire(&text, t);
		note_deviation(h, &text, LOCKSTEP_NARROW_PC);
	}
}

/* The target of a trap return is recorded as xepc has it. */
void lockstep_xret(struct lockstep_hart *h, const struct hs_ctr_transfer *t, bool mnret)
{
	struct hs_ctr_transfer wide = *t;
	struct hs_ctr text;

	no_cycles(h);
	hs_ctr_xret(&h->model[LOCKSTEP_TEXT], t);
	wide.target = h->epc;
	wide.to_xlen = 0;
	text = h->model[LOCKSTEP_QEMU];
	if (!mnret)
		hs_ctr_xret(&h->model[LOCKSTEP_QEMU], &wide);
	hs_ctr_xret(&text, t);
	note_deviation(h, &text, mnret ? LOCKSTEP_NMI : LOCKSTEP_NARROW_PC);
}

/* The model after a trap, with the deviations of @deviations. */
static struct hs_ctr after_trap(const struct hs_ctr *c, const struct hs_ctr_transfer *t,
                                uint64_t cause, uint32_t deviations)
{
	struct hs_ctr after = *c;

	if (deviations >> LOCKSTEP_V_EXIT & 1u)
		after.vsctl = (c->vsctl & NO_FILTER) | (c->mctl & ~(NO_FILTER | MTE));
	if (deviations >> LOCKSTEP_GUEST_STE & 1u)
		after.mctl &= ~(STE | MTE);
	hs_ctr_trap(&after, t, cause);
	after.mctl = c->mctl;
	after.vsctl = c->vsctl;
	return after;
}

/* A trap in the model that has QEMU's deviations.  Those that change by themselves what the trap
 * does are added to h->fired. */
static void trap_as_qemu(struct lockstep_hart *h, const struct hs_ctr_transfer *t, uint64_t cause)
{
	const struct hs_ctr before = h->model[LOCKSTEP_QEMU];
	const struct hs_ctr text = after_trap(&before, t, cause, 0);
	uint32_t deviations = 0;

	if (sys_virtual(t->from) && !sys_virtual(t->to))
		deviations |= 1u << LOCKSTEP_V_EXIT;
	if (t->from == HS_PRIV_VS && !sys_virtual(t->to) && !(before.vsctl & STE))
		deviations |= 1u << LOCKSTEP_GUEST_STE;
	h->model[LOCKSTEP_QEMU] = after_trap(&before, t, cause, deviations);
	for (unsigned i = 0; i < LOCKSTEP_DEVIATIONS; i++) {
		const struct hs_ctr one = after_trap(&before, t, cause, deviations & 1u << i);

		if (memcmp(&one, &text, sizeof(one)) != 0)
			h->fired |= 1u << i;
	}
}

/* The same, from a mode with XLEN 32. */
static void narrow_trap_as_qemu(struct lockstep_hart *h, const struct hs_ctr_transfer *t,
                                uint64_t cause)
{
	const struct hs_ctr before = h->model[LOCKSTEP_QEMU];
	struct hs_ctr_transfer wide = *t;
	struct hs_ctr text;

	wide.source = extend(t->source, t->xlen);
	wide.xlen = 0;
	trap_as_qemu(h, t, cause);
	text = h->model[LOCKSTEP_QEMU];
	h->model[LOCKSTEP_QEMU] = before;
	trap_as_qemu(h, &wide, cause);
	note_deviation(h, &text, LOCKSTEP_NARROW_PC);
}

/* The model that has QEMU's deviations does nothing at an RNMI. */
static void skip_nmi(struct lockstep_hart *h, const struct hs_ctr_transfer *t, uint64_t cause)
{
	struct hs_ctr text = h->model[LOCKSTEP_QEMU];

	hs_ctr_trap(&text, t, cause);
	note_deviation(h, &text, LOCKSTEP_NMI);
}

void lockstep_trap(struct lockstep_hart *h, const struct hs_ctr_transfer *t,
                   const struct sys_trap *trap)
{
	no_cycles(h);
	hs_ctr_trap(&h->model[LOCKSTEP_TEXT], t, trap->cause);
	if (trap->nmi)
		skip_nmi(h, t, trap->cause);
	else if (t->xlen == 32)
		narrow_trap_as_qemu(h, t, trap->cause);
	else
		trap_as_qemu(h, t, trap->cause);
}

/* sireg to sireg6 and vsireg to vsireg6. */
bool lockstep_window(unsigned csr)
{
	const unsigned low = csr & 0xffu;

	return (csr >> 8 == 1 || csr >> 8 == 2) && low >= 0x51 && low <= 0x57 && low != 0x54;
}

struct hs_ctr_env lockstep_qemu_env(const struct hs_ctr_env *env, unsigned csr)
{
	struct hs_ctr_env qemu = *env;

	if (!lockstep_window(csr))
		return qemu;
	qemu.mstateen0 |= STATEEN_CTR;
	qemu.hstateen0 |= STATEEN_CTR;
	return qemu;
}

/* siselect and sireg* (@level 1), vsiselect and vsireg* (@level 2). */
static bool is_indirect(unsigned csr, unsigned level)
{
	return csr >> 8 == level && ((csr & 0xffu) == 0x50 || lockstep_window(csr));
}

enum hs_ctr_answer lockstep_qemu_answer(const struct hs_ctr_env *env, unsigned csr,
                                        enum hs_ctr_answer text, enum hs_ctr_answer qemu,
                                        uint32_t *rule)
{
	const bool csrind = env->mstateen0 & STATEEN_CSRIND;

	if (sys_virtual(env->priv) && is_indirect(csr, 2) && text == HS_CTR_ILLEGAL) {
		*rule = 1u << (csrind ? LOCKSTEP_WINDOW_M : LOCKSTEP_GUEST_WINDOW);
		return HS_CTR_VIRTUAL;
	}
	if (env->priv == HS_PRIV_VU && is_indirect(csr, 1)) { /* either, whatever mstateen0 has */
		const bool illegal = text == HS_CTR_ILLEGAL;

		*rule = 1u << (illegal ? LOCKSTEP_GUEST_WINDOW : LOCKSTEP_USER_WINDOW);
		return illegal ? HS_CTR_VIRTUAL : HS_CTR_ILLEGAL;
	}
	*rule = 1u << (text == HS_CTR_ILLEGAL ? LOCKSTEP_WINDOW_M : LOCKSTEP_WINDOW_H);
	return qemu;
}
