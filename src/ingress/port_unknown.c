/* Bits of a cycle that are x or z: those that say what ran make it a fault (design/port). */
#include "ingress/port.h"

#include "core/mem.h"

#define WHETHER "x or z: whether something retired is not known"
#define WHAT "x or z in a bit that says what ran"

static enum hs_status refuse(struct hs_port *p, const char *why, unsigned signal, unsigned slot)
{
	return port_fault(p, HS_E_UNKNOWN, hs_port_get_signal(signal)->clause, why, (int)signal,
	                  slot);
}

/* Is the slot used at all?  What was not driven yet retires nothing; after that nobody knows. */
static enum hs_status check_valid(struct hs_port *p, struct hs_port_slot *s, uint64_t unknown,
                                  unsigned signal, unsigned slot)
{
	const uint8_t bit = (uint8_t)(1u << slot);

	if (!unknown) {
		p->driven |= bit;
		return HS_OK;
	}
	if (p->driven & bit) {
		p->adrift = true;
		return refuse(p, WHETHER, signal, slot);
	}
	s->iretire = s->iexception = s->itype = s->fvalid = 0;
	return HS_OK;
}

/* Bits of an opcode that its instruction has. */
static uint64_t opcode_bits(const struct hs_port_config *c, const struct hs_port_slot *s)
{
	const unsigned bits = s->compressed ? 32 : 16 * hs_isa_hwords((uint16_t)s->instr);
	const unsigned width = c->insn_width < 64 ? c->insn_width : 64;
	const unsigned n = bits < width ? bits : width;

	return n < 64 ? ~(UINT64_MAX << n) : UINT64_MAX;
}

static bool is_opcode_known(const struct hs_port_config *c, const struct hs_port_slot *s,
                            const struct hs_port_slot *u)
{
	return !(c->compressed && u->compressed) && !(u->instr & opcode_bits(c, s));
}

/* An exception is an ecall's or ebreak's by its opcode and one of these causes. */
static bool may_be_ecall(const struct hs_port_slot *s, const struct hs_port_slot *u)
{
	return !s->interrupt && (u->cause || s->cause == 3 || (s->cause >= 8 && s->cause <= 11));
}

static enum hs_status check_insn(struct hs_port *p, struct hs_port_slot *s,
                                 const struct hs_port_slot *u, unsigned i)
{
	const struct hs_port_config *g = &p->config;
	const bool fetch = g->retract_width != 0;

	if (fetch && s->fvalid && !is_opcode_known(g, s, u))
		p->fetch_unknown |= (uint8_t)(1u << i);
	if (!s->iretire && !s->iexception)
		return HS_OK;
	if (u->iaddr)
		return refuse(p, WHAT, HS_PORT_SIGNAL_iaddr, i);
	if (s->iexception && u->interrupt)
		return refuse(p, WHAT, HS_PORT_SIGNAL_interrupt, i);
	p->no_cause |= s->iexception && u->cause;
	if (!fetch && (s->iretire || may_be_ecall(s, u)) && !is_opcode_known(g, s, u))
		return refuse(p, WHAT, HS_PORT_SIGNAL_instr, i);
	if (g->context_width && u->context)
		return refuse(p, WHAT, HS_PORT_SIGNAL_context, i);
	if (u->priv)
		s->priv = 2; /* reserved: the mode is not known */
	return HS_OK;
}

static enum hs_status check_group(struct hs_port *p, const struct hs_port_slot *s,
                                  const struct hs_port_slot *u, unsigned i)
{
	const struct hs_port_config *g = &p->config;

	if (!s->iretire && !s->itype)
		return HS_OK;
	if (u->iaddr && (s->iretire || s->itype == HS_ITYPE_EXCEPTION || g->interrupt_iaddr))
		return refuse(p, WHAT, HS_PORT_SIGNAL_iaddr, i);
	if (u->ilastsize && s->iretire && g->ilastsize_width)
		return refuse(p, WHAT, HS_PORT_SIGNAL_ilastsize, i);
	return HS_OK;
}

/* What the groups of a cycle have in common. */
static enum hs_status check_shared(struct hs_port *p, struct hs_port_cycle *c,
                                   const struct hs_port_cycle *u)
{
	const struct hs_port_config *g = &p->config;
	const struct hs_port_slot *shared = &u->slot[0];
	const bool asks = g->ctype_width && c->ctype;
	bool used = false, trap = false;

	for (unsigned i = 0; i < g->slots; i++) {
		used |= c->slot[i].iretire || c->slot[i].itype;
		trap |= hs_itype_is_trap((unsigned)c->slot[i].itype);
	}
	p->no_cause = trap && shared->cause;
	p->no_priv = used && shared->priv;
	if (p->no_priv)
		c->slot[0].priv = 0; /* whatever is legal */
	if (used && g->ctype_width && u->ctype)
		return refuse(p, WHAT, HS_PORT_SIGNAL_ctype, 0);
	if (used && g->context_width && shared->context && (asks || !g->ctype_width))
		return refuse(p, WHAT, HS_PORT_SIGNAL_context, 0);
	if (used && asks && g->time_width && u->time)
		return refuse(p, WHAT, HS_PORT_SIGNAL_time, 0);
	return HS_OK;
}

/* Signals of the cycle: what says nothing of instructions stays as it was. */
static enum hs_status check_cycle(struct hs_port *p, struct hs_port_cycle *c,
                                  const struct hs_port_cycle *u)
{
	uint64_t *const words[4] = { &c->user, &c->user_1, &c->user_2, &c->user_3 };
	const uint64_t unknown[4] = { u->user | u->impdef, u->user_1, u->user_2, u->user_3 };

	if (p->driven && p->config.retract_width && u->retract)
		return refuse(p, WHAT, HS_PORT_SIGNAL_retract, 0);
	if (p->driven && p->config.triggers && (u->action || u->trigger))
		return refuse(p, "x or z: whether trace is on is not known",
		              u->action ? HS_PORT_SIGNAL_action : HS_PORT_SIGNAL_trigger, 0);
	if (u->retract)
		c->retract = 0;
	if (u->action || u->trigger)
		c->action = c->trigger = 0;
	if (u->halted)
		c->halted = p->down == PORT_HALTED;
	if (u->trcstate)
		c->trcstate = port_trcstate(p);
	if (u->reset)
		c->reset = p->down == PORT_RESET;
	if (u->time)
		c->time = p->time;
	for (unsigned i = 0; i < 4; i++)
		if (unknown[i])
			*words[i] = p->user[i];
	if (unknown[0])
		c->impdef = 0; /* it is in user */
	return HS_OK;
}

enum hs_status port_settle(struct hs_port *p, struct hs_port_cycle *c,
                           const struct hs_port_cycle *u)
{
	const bool insn = p->config.form == HS_PORT_INSN;
	enum hs_status s = HS_OK;

	p->adrift = p->no_cause = p->no_priv = false;
	p->fetch_unknown = p->no_data = 0;
	for (unsigned i = 0; i < p->config.slots && s == HS_OK; i++) {
		const struct hs_port_slot *from = &u->slot[i];
		const unsigned signal = from->iretire      ? HS_PORT_SIGNAL_iretire
		                        : from->iexception ? HS_PORT_SIGNAL_iexception
		                        : from->itype      ? HS_PORT_SIGNAL_itype
		                                           : HS_PORT_SIGNAL_fvalid;
		const uint64_t form = insn ? from->iexception : from->itype;
		const uint64_t fetch = p->config.retract_width ? from->fvalid : 0;

		s = check_valid(p, &c->slot[i], from->iretire | form | fetch, signal, i);
		if (s == HS_OK)
			s = insn ? check_insn(p, &c->slot[i], from, i)
			         : check_group(p, &c->slot[i], from, i);
	}
	if (s == HS_OK && !insn)
		s = check_shared(p, c, u);
	port_settle_data(p, c, u);
	return s == HS_OK ? check_cycle(p, c, u) : s;
}
