/* Blocks of which nothing is told but branches and the targets of jumps.
 *
 * What decide.c would find in a row of them is always the same, so it is not asked: et_smooth() says that nothing
 * is pending, simple() that a block brings nothing new, and what is left is what its jump does.
 */
#include "etrace/decide.h"

bool et_smooth(const struct hs_et_encoder *e)
{
	return e->cur.kind == ITEM_INSN && e->cur.flags == 0 && e->cur.priv == e->priv &&
	       e->cur.context == e->context_sent && et_context(e) == e->cur.context && e->before == BEFORE_PLAIN &&
	       e->config.version != HS_ET_0_026 && !et_due(e) && !et_due_next(e) && e->branches < 31 && !e->failed &&
	       !e->deferred && !e->force && !e->vector && !e->lost && e->support;
}

/* Is it a good block of the mode at hand that ends without a trap, whose jump, if any, has its target from itself? */
static inline bool simple(const struct hs_et_encoder *e, const struct hs_block *b)
{
	const uint64_t last = hs_block_end(b) - 2u * (uint64_t)b->ilast;
	const uint64_t wrong = ((uint64_t)1 << e->config.iaddress_lsb) - 1;

	return b->kind == HS_KIND_BLOCK && b->itype <= 15 && b->itype != HS_ITYPE_EXCEPTION &&
	       b->itype != HS_ITYPE_INTERRUPT && b->itype != HS_ITYPE_RESERVED && b->ilast && b->iretire >= b->ilast &&
	       !((b->iaddr | last) & (wrong | 1 | ~et_ones(e->config.iaddress_width))) &&
	       (b->priv == e->cur.priv || b->priv == HS_PRIV_UNKNOWN) && !(b->sijump && et_on(e, HS_ET_SIJUMP));
}

/* Add the branch cur, which @b follows.  False: that needs a closer look. */
static inline bool pass_branch(struct hs_et_encoder *e, struct et_sheet *out, const struct hs_block *b)
{
	const bool taken = e->cur.itype == HS_ITYPE_TAKEN;

	if ((!taken && b->iaddr != e->expect) || e->correct >= UINT32_MAX)
		return false;
	et_take_branch(e, taken);
	if (et_branches_due(e))
		et_emit_branches(e, out);
	return true;
}

/* Follow the jump cur to @b.  False: that needs a closer look. */
static inline bool pass_jump(struct hs_et_encoder *e, struct et_sheet *out, const struct hs_block *b)
{
	if (e->cur.itype == HS_ITYPE_NONE || b->iretire == b->ilast) /* whether more comes is not known yet */
		return false;
	e->emitted = false;
	if (et_after_insn(e, out, true, b->iaddr) == BEFORE_PLAIN)
		return true;
	e->cur.addr = b->iaddr;
	et_report_target(e, out, false);
	return true;
}

/* The last instruction of @b is the one to decide next. */
static inline void stand_at(struct hs_et_encoder *e, const struct hs_block *b)
{
	e->expect = hs_block_end(b);
	e->cur.tval = e->expect;
	e->cur.addr = e->expect - 2u * (uint64_t)b->ilast;
	e->cur.itype = b->itype;
	if (e->config.sync_mode == HS_ET_SYNC_HALFWORDS)
		e->count += b->iretire;
}

size_t et_pass(struct hs_et_encoder *e, struct et_sheet *out, const struct hs_block *b, size_t n)
{
	size_t i = 0;

	for (; i < n && simple(e, &b[i]); i++) {
		if (out->end - out->p < HS_ET_ENCODE_ROOM || e->count >= e->interval)
			break;
		if (!(et_is_branch(&e->cur) ? pass_branch(e, out, &b[i]) : pass_jump(e, out, &b[i])))
			break;
		stand_at(e, &b[i]);
	}
	if (i)
		e->follow = e->cur.itype == HS_ITYPE_NOT_TAKEN || (e->cur.itype == HS_ITYPE_NONE && e->config.itype_width > 3);
	return i;
}
