/* Blocks of which nothing is reported but branches and the targets of jumps.
 *
 * For these decide.c would always decide the same: et_nothing_pending() says that nothing from
 * before is pending, is_plain() that a block brings nothing new.  What is left is the branch or
 * jump at its end.
 */
#include "etrace/decide.h"

/* The figure may synchronise at the second instruction of a block. */
static bool counts_inside(const struct hs_et_encoder *e)
{
	return e->config.strict && e->config.sync_mode == HS_ET_SYNC_HALFWORDS;
}

bool et_nothing_pending(const struct hs_et_encoder *e)
{
	return e->cur.kind == ITEM_INSN && e->cur.flags == 0 && e->cur.priv == e->priv &&
	       et_context(e) == e->cur.context && e->before == BEFORE_PLAIN &&
	       e->config.version != HS_ET_0_026 && !et_interval_over(e) && e->branches < 31 &&
	       !e->failed && !e->deferred && !e->force && !e->notify && !e->report && !e->vector &&
	       !e->lost && e->support && !e->change && !counts_inside(e);
}

/* Bit N: a plain block may have itype N: it is not reserved and ends without a trap. */
#define PLAIN_ITYPES \
	(0xffffu & ~(1u << HS_ITYPE_EXCEPTION | 1u << HS_ITYPE_INTERRUPT | 1u << HS_ITYPE_RESERVED))

/* Is it a good block of the current mode that ends without a trap, and with no sequentially
 * inferable jump?  @wrong: bits that addresses do not have. */
static inline bool is_plain(const struct hs_et_encoder *e, const struct hs_block *b, uint64_t wrong)
{
	const uint64_t last = hs_block_end(b) - 2u * (uint64_t)b->ilast;

	return b->kind == HS_KIND_BLOCK && b->itype <= 15 && PLAIN_ITYPES >> b->itype & 1u &&
	       b->ilast &&
	       b->iretire >= b->ilast && !((b->iaddr | last) & wrong) &&
	       et_addresses_fit(&e->config, b->iaddr, last) &&
	       (b->priv == e->cur.priv || b->priv == HS_PRIV_UNKNOWN) &&
	       !(b->sijump && et_on(e, HS_ET_SIJUMP));
}

/* Add the branch cur, after which @b comes.  False: that needs et_advance(). */
static inline bool encode_branch(struct hs_et_encoder *e, struct et_output *out,
                                 const struct hs_block *b)
{
	const bool taken = e->cur.itype == HS_ITYPE_TAKEN;

	if ((!taken && b->iaddr != e->expect) || e->correct >= UINT32_MAX)
		return false;
	et_add_branch(e, taken);
	if (et_branches_due(e))
		et_emit_branches(e, out);
	return true;
}

/* Follow the jump cur to @b.  False: that needs et_advance(). */
static inline bool encode_jump(struct hs_et_encoder *e, struct et_output *out,
                               const struct hs_block *b)
{
	/* With one instruction in @b, what comes after it is not known yet. */
	if (e->cur.itype == HS_ITYPE_NONE || b->iretire == b->ilast ||
	    et_return_fails(e, true, b->iaddr))
		return false;
	e->emitted = false;
	if (et_finish_insn(e, out, true, b->iaddr) == BEFORE_PLAIN)
		return true;
	e->cur.addr = b->iaddr;
	et_report_target(e, out, false);
	return true;
}

/* Make the last instruction of @b the current item. */
static inline void set_cur(struct hs_et_encoder *e, const struct hs_block *b)
{
	e->expect = hs_block_end(b);
	e->cur.tval = e->expect;
	e->cur.addr = e->expect - 2u * (uint64_t)b->ilast;
	e->cur.itype = b->itype;
	if (e->config.sync_mode == HS_ET_SYNC_HALFWORDS)
		e->count += b->iretire;
}

size_t et_encode_plain(struct hs_et_encoder *e, struct et_output *out, const struct hs_block *b,
                       size_t n)
{
	const uint64_t wrong = 1 | (((uint64_t)1 << e->config.iaddress_lsb) - 1);
	size_t i = 0;

	for (; i < n && is_plain(e, &b[i], wrong); i++) {
		if (out->end - out->p < HS_ET_ENCODE_ROOM || e->count >= e->interval)
			break;
		const bool done = et_is_branch(&e->cur) ? encode_branch(e, out, &b[i])
		                                        : encode_jump(e, out, &b[i]);

		if (!done)
			break;
		set_cur(e, &b[i]);
	}
	if (i)
		e->follow = et_continues(e, e->cur.itype);
	return i;
}
