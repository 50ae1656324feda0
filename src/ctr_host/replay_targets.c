/* Fast profiles: a HS_KIND_SOURCE and a HS_KIND_TARGET are one transfer (design/ctr). */
#include "ctr_host/replay_private.h"

static bool is_trap_instruction(const struct replay_track *t, uint64_t at)
{
	struct hs_insn insn;

	return hs_img_insn(hs_program_image(t->hart.program), at, &insn) == HS_OK &&
	       (insn.kind == HS_INSN_ECALL || insn.kind == HS_INSN_EBREAK);
}

/* The source of a trap is the last instruction that retired, which says where it struck only if the
 * instruction itself raises it. */
static bool lacks_source(const struct replay_track *t, const struct hs_ctr_transfer *made)
{
	return !t->have_source ||
	       (hs_itype_is_trap(made->type) &&
	        (made->type == HS_CTR_INTERRUPT || !is_trap_instruction(t, made->source)));
}

static uint64_t cause_at(const struct replay_track *t, uint64_t at)
{
	struct hs_insn insn;
	const bool known = hs_img_insn(hs_program_image(t->hart.program), at, &insn) == HS_OK;

	return known && insn.kind == HS_INSN_EBREAK ? REPLAY_CAUSE_BREAKPOINT : 0;
}

static void make_transfer(struct hs_ctr_replay *r, struct replay_track *t,
                          struct hs_ctr_transfer *made)
{
	t->hart.transfers++;
	if (made->type == HS_CTR_TRET) {
		hs_ctr_xret(&t->hart.ctr, made);
	} else if (hs_itype_is_trap(made->type)) {
		hs_ctr_trap(&t->hart.ctr, made, cause_at(t, made->source));
	} else {
		made->misp = replay_missed(r, t, made);
		hs_ctr_retire(&t->hart.ctr, made);
	}
}

void replay_target(struct hs_ctr_replay *r, struct replay_track *t, const struct hs_block *b)
{
	struct hs_ctr_transfer made = { .source = t->source,
		                        .target = b->value,
		                        .type = b->itype,
		                        .from = t->mode,
		                        .to = replay_mode(r, t, b) };

	if (b->itype != HS_ITYPE_NONE) {
		if (lacks_source(t, &made))
			t->hart.lost++;
		else
			make_transfer(r, t, &made);
	}
	t->have_source = false;
	t->mode = made.to;
	t->hart.block = (struct hs_block){ .iaddr = b->value, .priv = made.to & 7 };
}
