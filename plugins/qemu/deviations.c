/* Two models: one follows the text, the other one QEMU 10.0.2 where it is known to differ. */
#include <string.h>

#include "lockstep.h"

/* Fields of the control registers (hartscope/ctr_fields.def). */
#define U_S UINT64_C(3)
#define STE UINT64_C(0x100)
#define MTE UINT64_C(0x200)
#define FREEZE UINT64_C(0x1800)
#define KEPT (U_S | STE | FREEZE) /* of vsctrctl: what is no filter */

#define STATEEN_CTR (UINT64_C(1) << 54)
#define STATEEN_CSRIND (UINT64_C(1) << 60)

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
	hs_ctr_invalidate_cc(&h->model[0]);
	hs_ctr_invalidate_cc(&h->model[1]);
}

/* Deviations that the models now differ by: none when they are equal again. */
uint32_t lockstep_same(struct lockstep_hart *h)
{
	if (memcmp(&h->model[0], &h->model[1], sizeof(h->model[0])) == 0)
		h->fired = 0;
	return h->fired;
}

void lockstep_retire(struct lockstep_hart *h, const struct hs_ctr_transfer *t)
{
	no_cycles(h);
	hs_ctr_retire(&h->model[0], t);
	hs_ctr_retire(&h->model[1], t);
}

void lockstep_xret(struct lockstep_hart *h, const struct hs_ctr_transfer *t)
{
	no_cycles(h);
	hs_ctr_xret(&h->model[0], t);
	hs_ctr_xret(&h->model[1], t);
}

/* The trap as the model takes it with the deviations of @bent. */
static struct hs_ctr take(const struct hs_ctr *c, const struct hs_ctr_transfer *t, uint64_t cause, uint32_t bent)
{
	struct hs_ctr after = *c;

	if (bent >> LOCKSTEP_V_EXIT & 1u)
		after.vsctl = (c->vsctl & KEPT) | (c->mctl & ~(KEPT | MTE));
	if (bent >> LOCKSTEP_GUEST_STE & 1u)
		after.mctl &= ~(STE | MTE);
	hs_ctr_trap(&after, t, cause);
	after.mctl = c->mctl;
	after.vsctl = c->vsctl;
	return after;
}

/* Deviations that concern this trap, each noted when it alone changes what the trap does. */
static void bent_trap(struct lockstep_hart *h, const struct hs_ctr_transfer *t, uint64_t cause)
{
	const struct hs_ctr before = h->model[1], straight = take(&before, t, cause, 0);
	uint32_t bent = 0;

	if (sys_virtual(t->from) && !sys_virtual(t->to))
		bent |= 1u << LOCKSTEP_V_EXIT;
	if (t->from == HS_PRIV_VS && !sys_virtual(t->to) && !(before.vsctl & STE))
		bent |= 1u << LOCKSTEP_GUEST_STE;
	h->model[1] = take(&before, t, cause, bent);
	for (unsigned i = 0; i < LOCKSTEP_DEVIATIONS; i++) {
		const struct hs_ctr alone = take(&before, t, cause, bent & 1u << i);

		if (memcmp(&alone, &straight, sizeof(alone)) != 0)
			h->fired |= 1u << i;
	}
}

void lockstep_trap(struct lockstep_hart *h, const struct hs_ctr_transfer *t, uint64_t cause)
{
	no_cycles(h);
	hs_ctr_trap(&h->model[0], t, cause);
	bent_trap(h, t, cause);
}

/* sireg to sireg6 and vsireg to vsireg6. */
bool lockstep_window(unsigned csr)
{
	const unsigned low = csr & 0xffu;

	return (csr >> 8 == 1 || csr >> 8 == 2) && low >= 0x51 && low <= 0x57 && low != 0x54;
}

/* What QEMU looks at before it lets an access pass. */
void lockstep_bend(const struct hs_ctr_env *env, unsigned csr, struct hs_ctr_env *bent)
{
	*bent = *env;
	if (!lockstep_window(csr))
		return;
	bent->mstateen0 |= STATEEN_CTR;
	bent->hstateen0 |= STATEEN_CTR;
}

/* siselect, sireg* and those of the guest. */
static bool indirect(unsigned csr, unsigned level)
{
	return csr >> 8 == level && ((csr & 0xffu) == 0x50 || lockstep_window(csr));
}

/* How QEMU answers where the text says @text and the bent state-enable bits @bent; the rule between. */
enum hs_ctr_answer lockstep_bent_answer(const struct hs_ctr_env *env, unsigned csr, enum hs_ctr_answer text,
                                        enum hs_ctr_answer bent, uint32_t *rule)
{
	if (sys_virtual(env->priv) && indirect(csr, 2) && text == HS_CTR_ILLEGAL) {
		*rule = 1u << (env->mstateen0 & STATEEN_CSRIND ? LOCKSTEP_WINDOW_M : LOCKSTEP_GUEST_WINDOW);
		return HS_CTR_VIRTUAL;
	}
	if (env->priv == HS_PRIV_VU && indirect(csr, 1)) {
		*rule = 1u << LOCKSTEP_USER_WINDOW;
		return HS_CTR_ILLEGAL;
	}
	*rule = 1u << (text == HS_CTR_ILLEGAL ? LOCKSTEP_WINDOW_M : LOCKSTEP_WINDOW_H);
	return bent;
}
