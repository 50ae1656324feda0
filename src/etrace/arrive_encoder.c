/* Blocks to packets that say where jumps arrived (layout.arrivals, design/et-layouts).
 *
 * cur is the last instruction that retired, or a trap.  What comes next is reported where the
 * program does not say it: format 1 or 2 with the branches so far, then a synchronising packet.
 * Before a trap, and where the trace ends, an address without updiscon is that of the last
 * instruction, as the text has it: so the branches before it are known in time.
 */
#include "etrace/decide.h"

#include "etrace/et_encoder.h"

/* Bits of maps stay set (layout.kept_map). */
static void keep_bits(struct hs_et_encoder *e)
{
	if (!e->config.wire.kept_map)
		return;
	e->map |= e->kept;
	e->kept = e->map;
}

/* irreport distinguishes a packet with an address only from a synchronising one (payload.c). */
static void report(struct hs_et_encoder *e, struct et_output *out, uint64_t addr, bool arrives)
{
	const struct et_report r = { .addr = addr, .updiscon = arrives, .has_depth = !arrives };

	keep_bits(e);
	et_emit_address(e, out, &r);
}

void et_arrive_stop(struct hs_et_encoder *e, struct et_output *out, bool enabled)
{
	const bool running = e->cur.kind != ITEM_NONE;

	if (et_pends(e, ET_PENDING_LOSS)) {
		et_emit_loss(e, out, enabled);
	} else if (e->cur.kind == ITEM_TRAP) {
		et_emit_trap(e, out, &e->cur, false);
	} else if (running) {
		report(e, out, e->cur.addr, false);
	}
	if (running)
		et_emit_support(e, out, enabled, HS_ET_ENDED_REP);
	et_clear(e, ET_PENDING_LOSS);
	e->cur.kind = ITEM_NONE;
}

/* The flow comes to @first. */
static void arrive(struct hs_et_encoder *e, struct et_output *out, const struct hs_et_item *first)
{
	const bool trap = e->cur.kind == ITEM_TRAP;

	if (e->cur.kind == ITEM_INSN && !hs_itype_uninferable(e->cur.itype))
		return;
	if (trap)
		et_emit_trap(e, out, &e->cur, false);
	else if (e->cur.kind == ITEM_INSN)
		report(e, out, first->addr, true);
	e->cur = *first;
	et_emit_start(e, out);
}

static void retire(struct hs_et_encoder *e, struct et_output *out, const struct hs_block *b,
                   bool trap)
{
	e->cur.kind = ITEM_INSN;
	e->cur.addr = hs_block_end(b) - 2u * (uint64_t)b->ilast;
	e->cur.itype = trap ? HS_ITYPE_NONE : b->itype;
	if (!et_is_branch(&e->cur))
		return;
	et_add_branch(e, e->cur.itype == HS_ITYPE_TAKEN);
	if (e->branches == 31) {
		keep_bits(e);
		et_emit_branches(e, out);
	}
}

static void encode_block(struct hs_et_encoder *e, struct et_output *out, const struct hs_block *b)
{
	const bool trap = b->itype == HS_ITYPE_EXCEPTION || b->itype == HS_ITYPE_INTERRUPT;
	const uint8_t priv = b->priv == HS_PRIV_UNKNOWN ? e->priv : b->priv;
	const struct hs_et_item first = { .addr = b->iaddr, .kind = ITEM_INSN, .priv = priv };

	if (et_breaks_flow(e, b->iaddr) ||
	    (e->cur.kind == ITEM_INSN && priv != e->cur.priv && e->cur.itype != HS_ITYPE_XRET))
		et_arrive_stop(e, out, true);
	arrive(e, out, &first);
	if (b->iretire)
		retire(e, out, b, trap);
	if (trap && e->branches)
		report(e, out, e->cur.addr, false);
	if (trap)
		e->cur = (struct hs_et_item){
			.addr = hs_block_end(b), .kind = ITEM_TRAP, .itype = b->itype, .priv = priv
		};
	e->priv = priv;
	e->follow = et_continues(e, b->itype);
	e->expect = hs_block_end(b);
}

static void set_cause(struct hs_et_encoder *e, const struct hs_block *trap)
{
	e->cur.ecause = trap->arg;
	e->cur.tval = trap->value;
}

void et_arrive_encode(struct hs_et_encoder *e, struct et_output *out, const struct hs_block *b)
{
	if (b->kind == HS_KIND_BLOCK)
		encode_block(e, out, b);
	else if (b->kind == HS_KIND_TRAP && e->cur.kind == ITEM_TRAP)
		set_cause(e, b);
	else if (b->kind == HS_KIND_TRAP && b->itype) /* no packet has a trap without its place */
		hs_et_encoder_lost(e);
	else if (b->kind != HS_KIND_TRAP && et_apply_event(e, b))
		et_arrive_stop(e, out, true);
}
