/* Which cycles of the ingress port are legal.  "PT" and "ET" as in hartscope/port.h. */
#include "ingress/ingress.h"
#include "ingress/port.h"

#include "core/mem.h"

enum hs_status port_fault(struct hs_port *p, enum hs_status status, const char *clause,
                          const char *why, int signal, unsigned slot)
{
	const char *name = signal < 0 ? NULL : hs_port_get_signal((unsigned)signal)->name;

	if (!p->fault.why)
		p->fault = (struct hs_port_fault){ clause, why, name, (uint8_t)slot };
	return status;
}

/* ---- what a cycle says ------------------------------------------------------------- */

/* PT 3.1: the rest of a word means something when an instruction retired or a trap was raised, and
 * cause, tval and interrupt when a trap was. */
static void define_insn_slot(const struct hs_port_config *c, const struct hs_port_slot *in,
                             struct hs_port_slot *out)
{
	const bool fetch = c->retract_width != 0;

	out->iretire = in->iretire;
	out->iexception = in->iexception;
	out->fvalid = in->fvalid;
	if (fetch ? in->fvalid : in->iretire | in->iexception) {
		out->instr = in->instr;
		out->compressed = in->compressed;
	}
	if (in->iretire | in->iexception) {
		out->priv = in->priv;
		out->context = c->context_width ? in->context : 0;
		out->iaddr = in->iaddr;
	}
	if (in->iexception) {
		out->interrupt = in->interrupt;
		out->cause = in->cause;
		out->tval = in->tval;
	}
}

/* ET Instruction Trace Interface: sijump only for the itypes of uninferable jumps; iaddr needs a
 * retirement or itype 1. */
static void define_block_slot(const struct hs_port_config *c, const struct hs_port_slot *in,
                              bool has_access, struct hs_port_slot *out)
{
	const unsigned jumps = 1u << HS_ITYPE_UNINFERABLE | 1u << HS_ITYPE_CALL_UNINF |
	                       1u << HS_ITYPE_TAIL_UNINF | 1u << HS_ITYPE_SWAP |
	                       1u << HS_ITYPE_JUMP_UNINF;

	out->iretire = in->iretire;
	out->itype = in->itype;
	if (in->iretire || in->itype == HS_ITYPE_EXCEPTION || c->interrupt_iaddr)
		out->iaddr = in->iretire || in->itype ? in->iaddr : 0;
	if (has_access) /* RHTI Multi-memory-access Instructions */
		out->iaddr = in->iaddr;
	if (in->iretire)
		out->ilastsize = in->ilastsize;
	if (in->iretire && in->itype < 32 && (jumps >> in->itype & 1u))
		out->sijump = in->sijump;
}

static bool is_empty(const struct hs_port_slot *s)
{
	uint64_t any = 0;

#define HS_PORT_SLOT(name, ...) any |= s->name;
#define HS_PORT_SHARED(name, ...) any |= s->name;
#define HS_PORT_CYCLE(name, ...)
#define HS_PORT_DATA(name, ...)
#include <hartscope/tables/ingress.def>
#undef HS_PORT_SLOT
#undef HS_PORT_SHARED
#undef HS_PORT_CYCLE
#undef HS_PORT_DATA
	return !any;
}

/* Slots up to the last one that has a value; slot 0 always counts. */
static unsigned count_slots(const struct hs_port_cycle *c)
{
	unsigned n = HS_PORT_SLOTS;

	while (n > 1 && is_empty(&c->slot[n - 1]))
		n--;
	return n;
}

static void define_groups(const struct hs_port_config *c, const struct hs_port_cycle *in,
                          unsigned slots, struct hs_port_cycle *out)
{
	bool valid = false;

	if (in->trcstate == TRCSTATE_DEBUG || in->trcstate == TRCSTATE_SECURITY)
		return; /* trace is inhibited */
	if (c->accesses)
		valid = port_define_data(c, in, out);
	for (unsigned i = 0; i < slots; i++) {
		define_block_slot(c, &in->slot[i], valid && port_has_access(c, in, i),
		                  &out->slot[i]);
		valid |= in->slot[i].iretire || in->slot[i].itype;
		if (hs_itype_is_trap((unsigned)in->slot[i].itype))
			out->slot[0].cause = in->slot[0].cause;
		if (in->slot[i].itype == HS_ITYPE_EXCEPTION)
			out->slot[0].tval = in->slot[0].tval;
	}
	if (!valid)
		return;
	out->slot[0].priv = in->slot[0].priv;
	out->slot[0].context = c->context_width ? in->slot[0].context : 0;
	out->time = in->time;
	out->ctype = in->ctype;
}

unsigned port_defined(const struct hs_port_config *c, const struct hs_port_cycle *in,
                      struct hs_port_cycle *out)
{
	const unsigned slots = count_slots(in);

	memcpy(out, in, offsetof(struct hs_port_cycle, data));
	memset(out->slot, 0, sizeof out->slot);
	if (c->accesses)
		memset(out->data, 0, sizeof out->data);
	if (c->accesses < HS_PORT_SLOTS) /* which the port does not have */
		out->data[c->accesses].dretire = in->data[c->accesses].dretire;
	out->time = out->ctype = 0; /* of a block only */
	if (c->form == HS_PORT_BLOCK)
		define_groups(c, in, slots, out);
	else
		for (unsigned i = 0; i < slots; i++)
			define_insn_slot(c, &in->slot[i], &out->slot[i]);
	return slots;
}

/* ---- what it may say --------------------------------------------------------------- */

static bool is_valid(const struct hs_port_slot *s)
{
	return s->iretire || s->iexception || s->itype || s->fvalid;
}

/* The bits that a signal of so many does not have. */
static uint64_t bits_above(unsigned bits)
{
	return bits < 64 ? UINT64_MAX << bits : 0;
}

/* Bits that signals of a cycle do not have: 0 mostly, which no loop over signals needs to find. */
static uint64_t find_wide_bits(const struct hs_port_config *c, const struct hs_port_cycle *cycle,
                               unsigned slots)
{
	const bool insn_form = c->form == HS_PORT_INSN;
	uint64_t wide = 0;

#define HS_PORT_SLOT(name, insn, block, ...) \
	for (unsigned i = 0; i < slots; i++) \
		wide |= cycle->slot[i].name & bits_above(insn_form ? (insn) : (block));
#define HS_PORT_SHARED HS_PORT_SLOT
#define HS_PORT_CYCLE(name, insn, block, ...) \
	wide |= cycle->name & bits_above(insn_form ? (insn) : (block));
#define HS_PORT_DATA(name, insn, block, ...) \
	for (unsigned i = 0; i < c->accesses; i++) \
		wide |= cycle->data[i].name & bits_above(insn_form ? (insn) : (block));
#include <hartscope/tables/ingress.def>
#undef HS_PORT_SLOT
#undef HS_PORT_SHARED
#undef HS_PORT_CYCLE
#undef HS_PORT_DATA
	return wide;
}

static enum hs_status check_widths(struct hs_port *p, const struct hs_port_cycle *c, unsigned slots)
{
	if (!find_wide_bits(&p->config, c, slots))
		return HS_OK;
	for (unsigned i = 0; i < HS_PORT_SIGNALS; i++) {
		const struct hs_port_signal *signal = hs_port_get_signal(i);
		const unsigned bits = port_signal_width(&p->config, i);
		const unsigned n = signal->in_data ? p->config.accesses : slots;

		for (unsigned slot = 0; slot < n && bits < 64; slot++)
			if (hs_port_get(c, i, slot) >> bits)
				return port_fault(p, HS_E_FIELD, signal->clause,
				                  "the value is wider than the signal", (int)i,
				                  slot);
	}
	return HS_OK;
}

#define BAD(clause, why, signal, slot) port_fault(p, HS_E_BLOCK, clause, why, signal, slot)

/* The rules of both forms. */
static enum hs_status check_shared(struct hs_port *p, const struct hs_port_cycle *c, unsigned slots)
{
	for (unsigned i = 0; i < slots; i++) {
		const struct hs_port_slot *s = &c->slot[i];

		if (is_valid(s) && i >= p->config.slots)
			return BAD("PT Table 3.6", "more slots than retires_p or blocks_p", -1, i);
		if ((s->iretire || s->iexception || s->itype) && (c->halted || c->reset))
			return BAD("PT Table 3.4", "retires while it is halted or in reset",
			           HS_PORT_SIGNAL_halted, i);
		if ((s->iretire || s->itype) && c->trcstate)
			return BAD("RHTI Unbounded Wait", "retires while it waits",
			           HS_PORT_SIGNAL_trcstate, i);
		if (s->iaddr & 1)
			return BAD("PT Table 3.1", "an odd address", HS_PORT_SIGNAL_iaddr, i);
	}
	return HS_OK;
}

/* PT 3.1: bits above a short instruction are 0. */
static bool is_zero_filled(const struct hs_port_config *c, const struct hs_port_slot *s)
{
	const unsigned bits = 16 * hs_isa_hwords((uint16_t)s->instr);

	return s->compressed || bits >= 64 || bits >= c->insn_width || s->instr >> bits == 0;
}

static enum hs_status check_fetch(struct hs_port *p, const struct hs_port_cycle *c)
{
	const struct hs_port_config *g = &p->config;
	unsigned fetched = 0, retired = 0;

	for (unsigned i = 0; i < g->slots; i++) {
		fetched += c->slot[i].fvalid != 0;
		retired += c->slot[i].iretire != 0;
	}
	if (c->retract > p->queued + (g->retract_last ? fetched : 0))
		return BAD("PT 3.1.2", "more instructions are discarded than were fetched",
		           HS_PORT_SIGNAL_retract, 0);
	if (retired > p->queued + fetched - (uint32_t)c->retract)
		return BAD("PT 3.1.2", "an instruction retires that was not fetched",
		           HS_PORT_SIGNAL_iretire, 0);
	if (p->queued + fetched - (g->retract_last ? 0 : (uint32_t)c->retract) > HS_PORT_QUEUE)
		return HS_FULL;
	return HS_OK;
}

static enum hs_status check_insn_form(struct hs_port *p, const struct hs_port_cycle *c,
                                      unsigned slots)
{
	bool over = false;

	for (unsigned i = 0; i < slots; i++) {
		const struct hs_port_slot *s = &c->slot[i];

		if (over && (s->iretire || s->iexception))
			return BAD("PT 3.1", "an instruction younger than an exception",
			           HS_PORT_SIGNAL_iretire, i);
		over |= s->iexception != 0;
		if (!is_zero_filled(&p->config, s))
			return port_fault(p, HS_E_FIELD, "PT 3.1",
			                  "bits above a short instruction are not 0",
			                  HS_PORT_SIGNAL_instr, i);
	}
	if (c->action > 4)
		return BAD("PT Table 4.1", "an action that is none", HS_PORT_SIGNAL_action, 0);
	return p->config.retract_width ? check_fetch(p, c) : HS_OK;
}

uint32_t port_last(const struct hs_port_config *c, const struct hs_port_slot *s)
{
	return c->ilastsize_width ? 1u << (s->ilastsize & 3u) : 2;
}

uint32_t port_hwords(const struct hs_port_config *c, const struct hs_port_slot *s)
{
	if (s->iretire && c->retires == 1)
		return port_last(c, s);
	return (uint32_t)s->iretire;
}

/* ET Instruction type (itype) encoding, with the width that it has here. */
static bool is_itype_good(const struct hs_port_config *c, uint64_t itype)
{
	return itype != HS_ITYPE_RESERVED && (itype != HS_ITYPE_UNINFERABLE || c->itype_width == 3);
}

static enum hs_status check_block_form(struct hs_port *p, const struct hs_port_cycle *c)
{
	const struct hs_port_config *g = &p->config;
	bool over = false, hole = false;

	for (unsigned i = 0; i < g->slots; i++) {
		const struct hs_port_slot *s = &c->slot[i];
		const bool used = s->iretire || s->itype;

		if (used && over)
			return BAD("ET Instruction Trace Interface", "a block younger than a trap",
			           HS_PORT_SIGNAL_itype, i);
		if (used && hole)
			return BAD("ET Instruction Trace Interface",
			           "a lower numbered group is free", HS_PORT_SIGNAL_itype, i);
		hole |= !used;
		over |= hs_itype_is_trap((unsigned)s->itype);
		if (!is_itype_good(g, s->itype))
			return BAD("ET Instruction type (itype) encoding", "a reserved itype",
			           HS_PORT_SIGNAL_itype, i);
		if (s->itype && !s->iretire && !hs_itype_is_trap((unsigned)s->itype))
			return BAD("ET Instruction Trace Interface",
			           "nothing retires with an itype that needs it",
			           HS_PORT_SIGNAL_itype, i);
		if (g->retires == 1 && s->iretire > 1)
			return BAD("ET single retirement per block", "iretire is 0 or 1",
			           HS_PORT_SIGNAL_iretire, i);
		if (s->iretire && port_last(g, s) > port_hwords(g, s))
			return BAD("ET multiple retirement per block",
			           "the last instruction is longer than the block",
			           HS_PORT_SIGNAL_ilastsize, i);
	}
	if (c->slot[0].priv == 2 || c->slot[0].priv >= 7)
		return BAD("ET Privilege level (priv) encoding", "a reserved privilege",
		           HS_PORT_SIGNAL_priv, 0);
	return HS_OK;
}

enum hs_status port_check(struct hs_port *p, const struct hs_port_cycle *c, unsigned slots)
{
	enum hs_status s = check_widths(p, c, slots);

	if (s == HS_OK)
		s = check_shared(p, c, slots);
	if (s == HS_OK)
		s = p->config.form == HS_PORT_INSN ? check_insn_form(p, c, slots)
		                                   : check_block_form(p, c);
	return s == HS_OK ? port_check_data(p, c) : s;
}
