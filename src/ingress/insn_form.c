/* The instruction form of the port (PT 3.1): slots to retired instructions and traps. */
#include "ingress/port.h"

#include "core/mem.h"

/* Bytes of the bus; of 128 bits the low half (design/et-layouts). */
static size_t bus_bytes(const struct hs_port_config *c)
{
	return c->insn_width < 64 ? c->insn_width / 8u : 8;
}

static void decode_opcode(const struct hs_port_config *c, uint64_t iaddr, uint64_t opcode,
                          bool compressed, struct hs_insn *insn)
{
	uint8_t bytes[8];
	const size_t n = compressed ? 4 : bus_bytes(c);

	for (unsigned i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(opcode >> 8 * i);
	memset(insn, 0, sizeof *insn);
	if (hs_isa_decode(&c->isa, iaddr, bytes, n, insn) !=
	    HS_OK) /* longer than the bus: linear */
		insn->hwords = (uint8_t)hs_isa_hwords((uint16_t)opcode);
	if (compressed)
		insn->hwords = 1;
}

static void retire(struct hs_port *p, const struct hs_port_slot *s, const struct hs_insn *insn,
                   struct hs_blocks *out)
{
	const struct hs_retired r = {
		.iaddr = s->iaddr, .insn = *insn, .known = true, .priv = port_privilege(p, s->priv)
	};

	hs_builder_insn(&p->builder, &r, out);
}

/* Code is seen before its instruction is reported: the one before it ended with the old code. */
static void see_code(struct hs_port *p, uint64_t iaddr, uint64_t opcode, bool compressed,
                     const struct hs_insn *insn, struct hs_blocks *out)
{
	const struct hs_port_opcode code = { iaddr, opcode, insn->hwords, compressed };
	struct hs_block event = { .value = iaddr, .kind = HS_KIND_VERSION };

	if (!p->code || 2u * insn->hwords > bus_bytes(&p->config) ||
	    !p->code(p->code_of, &code, &event.arg))
		return;
	hs_builder_cut(&p->builder, iaddr, out);
	out->at[out->n++] = event;
}

/* Opcodes of the queue carry "compressed" in a bit of their own, above 32: PULP's bus has 32. */
#define QUEUED_COMPRESSED ((uint64_t)1 << 63)

static uint64_t take_opcode(struct hs_port *p, const struct hs_port_slot *s, bool *compressed,
                            bool *known)
{
	uint64_t opcode = s->instr;

	*compressed = s->compressed;
	*known = true;
	if (!p->config.retract_width)
		return opcode;
	opcode = p->queue[p->head];
	*known = !(p->queue_unknown >> p->head & 1u);
	p->head = (p->head + 1) % HS_PORT_QUEUE;
	p->queued--;
	*compressed = p->config.compressed && (opcode & QUEUED_COMPRESSED);
	return p->config.compressed ? opcode & ~QUEUED_COMPRESSED : opcode;
}

/* An ecall or ebreak that raises its exception counts as retired (design/blocks).  With a fetch
 * stage its opcode is not known; then the cause says that it was an ecall. */
static void retire_ecall(struct hs_port *p, const struct hs_port_slot *s, struct hs_blocks *out)
{
	struct hs_insn insn = { .hwords = 2, .kind = HS_INSN_ECALL };
	const bool by_cause = p->no_cause || (s->cause >= 8 && s->cause <= 11);

	if (s->interrupt || p->config.ecall_traps)
		return;
	if (!p->config.retract_width) {
		decode_opcode(&p->config, s->iaddr, s->instr, s->compressed, &insn);
		see_code(p, s->iaddr, s->instr, s->compressed, &insn, out);
	}
	if ((insn.kind == HS_INSN_ECALL && by_cause) ||
	    (insn.kind == HS_INSN_EBREAK && (p->no_cause || s->cause == 3)))
		retire(p, s, &insn, out);
}

/* Set the address of a trap that came with a retired instruction: the one it led to.  False when
 * nothing says where that is (PT 3.1.1). */
static bool find_epc(const struct hs_builder *b, struct hs_trap *t)
{
	const unsigned kind = b->last.insn.kind;

	t->no_epc = !b->ended || kind == HS_INSN_ECALL || kind == HS_INSN_EBREAK;
	t->epc = b->last.insn.target;
	return t->no_epc || kind == HS_INSN_JUMP || kind == HS_INSN_CALL;
}

enum hs_status port_insn_slot(struct hs_port *p, const struct hs_port_cycle *c, unsigned i,
                              struct hs_blocks *out)
{
	const struct hs_port_slot *s = &c->slot[i];
	struct hs_trap t = { .epc = s->iaddr,
		             .tval = s->tval,
		             .cause = (uint32_t)s->cause,
		             .interrupt = s->interrupt,
		             .no_cause = p->no_cause,
		             .priv = port_privilege(p, s->priv) };

	if (!s->iretire && !s->iexception)
		return HS_OK;
	port_begin(p, c, s, s->iaddr, out);
	if (s->iretire) {
		struct hs_insn insn;
		bool compressed, known;
		const uint64_t opcode = take_opcode(p, s, &compressed, &known);

		if (!known)
			return port_fault(p, HS_E_UNKNOWN, "PT Table 3.3",
			                  "it was x or z in a bit that says what ran when the "
			                  "instruction was fetched",
			                  HS_PORT_SIGNAL_instr, i);
		decode_opcode(&p->config, s->iaddr, opcode, compressed, &insn);
		see_code(p, s->iaddr, opcode, compressed, &insn, out);
		retire(p, s, &insn, out);
	}
	if (!s->iexception)
		return HS_OK;
	if (!s->iretire)
		retire_ecall(p, s, out);
	else if (!find_epc(&p->builder, &t))
		return port_fault(
			p, HS_E_BLOCK, "PT 3.1.1",
			"no signal says where the instruction led that retired with the trap",
			HS_PORT_SIGNAL_iexception, i);
	hs_builder_trap(&p->builder, &t, out);
	return HS_OK;
}

void port_fetch(struct hs_port *p, const struct hs_port_cycle *c)
{
	if (!p->config.retract_last)
		p->queued -= (uint32_t)c->retract;
	for (unsigned i = 0; i < p->config.slots; i++) {
		const unsigned at = (p->head + p->queued) % HS_PORT_QUEUE;
		const uint64_t unknown = p->fetch_unknown >> i & 1u;

		if (!c->slot[i].fvalid)
			continue;
		p->queued++;
		p->queue[at] = c->slot[i].instr | (c->slot[i].compressed ? QUEUED_COMPRESSED : 0);
		p->queue_unknown &= ~((uint64_t)1 << at);
		p->queue_unknown |= unknown << at;
	}
	if (p->config.retract_last)
		p->queued -= (uint32_t)c->retract;
}
