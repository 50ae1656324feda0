/* The block form of the port (ET Instruction Trace Interface): groups to retired instructions and
 * traps. */
#include "ingress/port.h"

#include "core/mem.h"

/* Add half-words at consecutive addresses: all of a group but its last instruction. */
static void retire_run(struct hs_port *p, struct hs_retired r, uint32_t hwords,
                       struct hs_blocks *out)
{
	while (hwords) {
		const uint32_t n = hwords < HS_INSN_MAX / 2 ? hwords : HS_INSN_MAX / 2;

		r.insn.hwords = (uint8_t)n;
		hs_builder_insn(&p->builder, &r, out);
		r.iaddr += 2u * n;
		hwords -= n;
	}
}

/* A 3-bit itype says less of jumps than blocks do: look at the program. */
static void ask_program(const struct hs_port *p, struct hs_retired *r)
{
	struct hs_insn insn;

	if (p->config.itype_width != 3 || !p->image ||
	    hs_img_insn(p->image, r->iaddr, &insn) != HS_OK || insn.hwords != r->insn.hwords)
		return;
	r->insn = insn;
	r->known = true;
	if (r->itype != HS_ITYPE_TAKEN && r->itype != HS_ITYPE_NOT_TAKEN)
		r->itype = HS_ITYPE_NONE;
}

/* Half-words of the instruction that ends @hwords half-words after @iaddr; 0 when the program is
 * not known. */
static uint8_t size_before(const struct hs_port *p, uint64_t iaddr, uint32_t hwords)
{
	struct hs_insn insn = { .hwords = 0 };

	for (uint32_t n = 0; n < hwords; n += insn.hwords)
		if (!p->image || hs_img_insn(p->image, iaddr + 2u * (uint64_t)n, &insn) != HS_OK ||
		    insn.hwords > hwords - n)
			return 0;
	return insn.hwords;
}

/* Ask for a report of the instruction at @iaddr: the open block ends before it. */
static void report_next(struct hs_port *p, uint64_t iaddr, struct hs_blocks *out)
{
	p->pending |= PORT_NOTIFY;
	port_note(p, iaddr, out);
}

static void retire_block(struct hs_port *p, const struct hs_port_cycle *c, unsigned i,
                         struct hs_blocks *out)
{
	const struct hs_port_slot *s = &c->slot[i];
	const uint32_t hwords = port_hwords(&p->config, s), last = port_last(&p->config, s);
	const bool trap = hs_itype_is_trap((unsigned)s->itype);
	const bool notify = c->trigger >> (2 + i) & 1u;
	/* The port does not say where the instruction before the last one begins.  Without the
	 * program the first instruction of the group is reported in place of its last. */
	const bool exact = size_before(p, s->iaddr, hwords - last) != 0;
	struct hs_retired r = { .iaddr = s->iaddr, .priv = port_privilege(p, c->slot[0].priv) };

	if (notify && !exact)
		report_next(p, r.iaddr, out);
	retire_run(p, r, hwords - last, out);
	r.iaddr += 2u * (uint64_t)(hwords - last);
	if (notify && exact) {
		p->builder.open.ilast = size_before(p, s->iaddr, hwords - last);
		report_next(p, r.iaddr, out);
	}
	r.insn.hwords = (uint8_t)last;
	r.itype = trap ? HS_ITYPE_NONE : (uint8_t)s->itype;
	r.sijump = s->sijump;
	ask_program(p, &r);
	hs_builder_insn(&p->builder, &r, out);
}

/* Set the address of an interrupt with which nothing retired: its iaddr is not valid (ET
 * Instruction interface signals).  False when nothing says where it came. */
static bool find_interrupted(const struct hs_port *p, struct hs_trap *t)
{
	const struct hs_builder *b = &p->builder;
	struct hs_insn insn;

	if (p->config.interrupt_iaddr)
		return true;
	if (p->is_early) { /* at the instruction whose accesses came */
		t->epc = p->early;
		return true;
	}
	t->no_epc = b->have && !b->ended;
	if (t->no_epc || !b->have)
		return b->have;
	t->epc = hs_block_end(&b->open);
	if (b->last.itype == HS_ITYPE_NOT_TAKEN)
		return true;
	if (!p->image || hs_img_insn(p->image, b->last.iaddr, &insn) != HS_OK)
		return false;
	t->epc = insn.target;
	return insn.kind == HS_INSN_JUMP || insn.kind == HS_INSN_CALL ||
	       (insn.kind == HS_INSN_BRANCH && b->last.itype == HS_ITYPE_TAKEN);
}

/* A push or pop is reported once for each of its accesses, with itype 0 before the last one (ET
 * Data Trace Interface).  With itype 0 no other instruction leads to itself; with 3 bits `j .`
 * does. */
static bool is_again(const struct hs_port *p, uint64_t iaddr)
{
	const struct hs_builder *b = &p->builder;

	return b->have && p->config.itype_width > 3 && b->last.itype == HS_ITYPE_NONE &&
	       iaddr == b->last.iaddr &&
	       iaddr == hs_block_end(&b->open) - 2u * (uint64_t)b->open.ilast;
}

/* Take back the report of an instruction that comes again, or that trapped before its end.  Without
 * the program nothing says what was before it, which only a trap needs. */
static void retract_last(struct hs_port *p, bool trap)
{
	struct hs_builder *b = &p->builder;
	const uint32_t left = b->open.iretire - b->open.ilast;
	const uint8_t last = left == 1 ? 1 : size_before(p, b->open.iaddr, left);

	if (trap && left && !last)
		return;
	b->open.iretire = left;
	b->open.ilast = last;
	b->have = left != 0;
}

enum hs_status port_block_slot(struct hs_port *p, const struct hs_port_cycle *c, unsigned i,
                               struct hs_blocks *out)
{
	const struct hs_port_slot *s = &c->slot[i], *shared = &c->slot[0];
	struct hs_trap t = { .epc = s->iaddr,
		             .tval = shared->tval,
		             .cause = (uint32_t)shared->cause,
		             .interrupt = s->itype == HS_ITYPE_INTERRUPT,
		             .no_epc = s->iretire != 0,
		             .no_cause = p->no_cause,
		             .priv = port_privilege(p, shared->priv) };

	if (!s->iretire && port_has_access(&p->config, c, i))
		port_put_early(p, c, i, out);
	if (!s->iretire && !s->itype)
		return HS_OK;
	if (is_again(p, s->iaddr) && (s->iretire || !t.interrupt))
		retract_last(p, !s->iretire);
	if (!s->iretire && t.interrupt && !find_interrupted(p, &t))
		return port_fault(p, HS_E_BLOCK, "ET Instruction interface signals",
		                  "no signal says where the interrupt came", HS_PORT_SIGNAL_iaddr,
		                  i);
	const uint64_t trapped = t.no_epc ? hs_block_end(&p->builder.open) : t.epc;
	const uint64_t at = s->iretire ? s->iaddr : trapped;

	if (i == 0)
		port_begin(p, c, shared, at, out);
	if (!p->builder.have && !s->iretire)
		t.no_epc = false, t.epc = at;
	if (s->iretire) {
		retire_block(p, c, i, out);
		port_put_accesses(p, c, i, out);
	}
	if (hs_itype_is_trap((unsigned)s->itype))
		hs_builder_trap(&p->builder, &t, out);
	p->is_early = false;
	return HS_OK;
}
