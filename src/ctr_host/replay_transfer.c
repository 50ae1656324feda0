/* The transfer at the end of a block: its instruction gives the type, the next block the target. */
#include "ctr_host/replay_private.h"

static bool is_mode(unsigned priv)
{
	return priv != 2 && priv <= HS_PRIV_VS;
}

static bool is_user(unsigned priv)
{
	return priv == HS_PRIV_U || priv == HS_PRIV_VU;
}

uint8_t replay_mode(const struct hs_ctr_replay *r, const struct replay_track *t,
                    const struct hs_block *b)
{
	if (is_mode(b->priv))
		return b->priv;
	return is_mode(t->context_mode) ? t->context_mode : r->settings.unknown_priv;
}

/* ---- traps --------------------------------------------------------------------------- */

/* The handler is not in the flow: the supervisor counts as not enabled. */
static void make_unseen_trap(struct hs_ctr *c, struct hs_ctr_transfer *t, uint64_t cause)
{
	const bool guest = t->from == HS_PRIV_VU;
	const bool draft = c->config.version == HS_CTR_0_1_4;
	uint64_t *control = guest ? &c->vsctl : &c->mctl;
	const uint64_t before = *control;

	t->to = guest ? HS_PRIV_VS : HS_PRIV_S;
	t->target = 0;
	*control &= ~(draft ? HS_CTR_BITS(0_1_4, CONTROL, S) : HS_CTR_BITS(1_0, CONTROL, S));
	hs_ctr_refresh(c);
	hs_ctr_trap(c, t, cause);
	*control = before;
	hs_ctr_refresh(c);
}

/* epc: of an ecall or ebreak its own address, whether or not the block counts it as retired. */
static uint64_t epc_of(const struct replay_track *t)
{
	const bool own = t->block.itype == HS_ITYPE_EXCEPTION && t->block.iretire &&
	                 (t->code.kind == HS_INSN_ECALL || t->code.kind == HS_INSN_EBREAK);

	return own ? t->code.last : hs_block_end(&t->block);
}

/* The cause that a trap event gave; without one, only a breakpoint is recognised, by its code. */
static uint64_t cause_of(const struct replay_track *t, uint64_t epc)
{
	struct hs_insn insn;

	if (t->have_cause || t->block.itype != HS_ITYPE_EXCEPTION ||
	    hs_img_insn(t->hart.image, epc, &insn) != HS_OK)
		return t->cause;
	return insn.kind == HS_INSN_EBREAK ? REPLAY_CAUSE_BREAKPOINT : 0;
}

static void make_trap(struct hs_ctr_replay *r, struct replay_track *t, const struct hs_block *next)
{
	struct hs_ctr_transfer made = { .source = epc_of(t),
		                        .type = t->block.itype,
		                        .from = t->mode };
	const uint64_t cause = cause_of(t, made.source);

	if (is_user(made.from) && (!next || is_user(replay_mode(r, t, next)))) {
		make_unseen_trap(&t->hart.ctr, &made, cause);
	} else if (next) {
		made.to = replay_mode(r, t, next);
		made.target = next->iaddr;
		hs_ctr_trap(&t->hart.ctr, &made, cause);
	} else {
		t->hart.lost++;
		return;
	}
	t->hart.transfers++;
}

/* ---- instructions ---------------------------------------------------------------------- */

/* Type of a branch, and its target if @next is NULL and the target is known without it. */
static unsigned branch_type(const struct replay_track *t, const struct hs_block *next,
                            uint64_t *target)
{
	const uint64_t end = hs_block_end(&t->block);
	bool taken = t->block.itype == HS_ITYPE_TAKEN;

	if (t->block.itype == HS_ITYPE_NONE) { /* the block does not say: the next address does */
		if (!next)
			return HS_CTR_NO_TRANSFER;
		taken = next->iaddr != end;
	}
	if (!taken)
		*target = end;
	return taken ? HS_CTR_TAKEN : HS_CTR_NOT_TAKEN;
}

static void make_return(struct hs_ctr_replay *r, struct replay_track *t,
                        const struct hs_block *next)
{
	if (!next) {
		t->hart.lost++;
		return;
	}
	const struct hs_ctr_transfer made = {
		.source = t->code.last,
		.target = next->iaddr,
		.type = HS_CTR_TRET,
		.from = t->mode,
		.to = replay_mode(r, t, next),
	};

	hs_ctr_xret(&t->hart.ctr, &made);
	t->hart.transfers++;
}

bool replay_missed(const struct hs_ctr_replay *r, const struct replay_track *t,
                   const struct hs_ctr_transfer *made)
{
	if (t->predictor)
		return hs_ctr_predictor_missed(t->predictor, made);
	return r->missed && r->missed(r->context, t->hart.hart, made);
}

static void make_jump(const struct hs_ctr_replay *r, struct replay_track *t,
                      const struct hs_block *next)
{
	struct hs_ctr_transfer made = {
		.source = t->code.last,
		.target = next ? next->iaddr : t->code.target,
		.type = t->code.type,
		.from = t->mode,
	};

	if (t->code.kind == HS_INSN_BRANCH)
		made.type = (uint8_t)branch_type(t, next, &made.target);
	if (made.type == HS_CTR_NO_TRANSFER)
		return;
	if (!next && !made.target) {
		t->hart.lost++;
		return;
	}
	made.misp = replay_missed(r, t, &made);
	hs_ctr_retire(&t->hart.ctr, &made);
	t->hart.transfers++;
}

void replay_transfer(struct hs_ctr_replay *r, struct replay_track *t, const struct hs_block *next)
{
	if (t->block.itype == HS_ITYPE_EXCEPTION || t->block.itype == HS_ITYPE_INTERRUPT)
		make_trap(r, t, next);
	else if (t->block.iretire && t->code.kind == HS_INSN_XRET)
		make_return(r, t, next);
	else if (t->block.iretire)
		make_jump(r, t, next);
}
