/* Cycles of the ingress port to retired blocks.
 *
 * Which instruction a trigger, a privilege or a precise context belongs to is known when it
 * retires, so notes wait for the next retirement, and the block that is open then ends there. */
#include "port/rules.h"

#include "base/mem.h"

/* Notes that wait: what, and for which word of the sideband. */
enum { OFF = 1, ON = 2, NOTIFY = 4, USER0 = 8 };

/* Actions of a trigger unit (PT Table 4.1). */
enum { ACTION_ON = 2, ACTION_OFF = 3, ACTION_SINGLE = 4 };

/* NT Tables 23 and 25. */
enum { STOP_DEBUG = 0, STOP_DISABLED = 4, SYNC_RESET = 1, SYNC_DEBUG = 3 };
enum { DOWN_HALTED = 1, DOWN_RESET = 2 };

enum hs_status hs_port_init(struct hs_port *p, const struct hs_port_config *config,
                            const struct hs_image *image)
{
	struct hs_port_config c;

	if (hs_port_config_resolve(config, &c) != HS_OK)
		return HS_E_CONFIG;
	memset(p, 0, sizeof *p);
	p->config = c;
	p->image = image && image->count ? image : NULL;
	hs_builder_init(&p->builder, c.isa.xlen);
	return HS_OK;
}

static void push(struct hs_blocks *out, unsigned kind, unsigned itype, uint64_t value, uint32_t arg)
{
	const struct hs_block b = { .value = value, .arg = arg, .itype = (uint8_t)itype,
		                    .priv = HS_PRIV_UNKNOWN, .kind = (uint8_t)kind };

	out->at[out->n++] = b;
}

static void push_gap(struct hs_port *p, enum hs_status why, struct hs_blocks *out)
{
	const struct hs_block gap = { .value = p->builder.offset, .arg = (uint32_t)why,
	                              .kind = HS_KIND_GAP };

	out->at[out->n++] = gap;
}

/* ---- before an instruction ---------------------------------------------------------- */

/* priv of the port (ET Privilege level encoding; PT leaves the values open) to that of blocks. */
static uint8_t privilege(const struct hs_port_config *c, uint64_t priv)
{
	static const uint8_t of[8] = { HS_PRIV_U, HS_PRIV_S, HS_PRIV_UNKNOWN, HS_PRIV_M, HS_PRIV_UNKNOWN,
		                       HS_PRIV_VU, HS_PRIV_VS, HS_PRIV_UNKNOWN };

	if (c->machine_is_7 && priv == 7)
		return HS_PRIV_M;
	return of[priv & 7u];
}

static void notes(struct hs_port *p, uint64_t iaddr, struct hs_blocks *out)
{
	if (!p->pending)
		return;
	hs_builder_cut(&p->builder, iaddr, out);
	for (unsigned i = 0; i < 4; i++)
		if (p->pending & USER0 << i)
			push(out, HS_KIND_NOTE, i, p->user[i], HS_NOTE_USER);
	if (p->pending & OFF)
		push(out, HS_KIND_NOTE, 0, ACTION_OFF, HS_NOTE_TRIGGER);
	if (p->pending & ON)
		push(out, HS_KIND_NOTE, 0, ACTION_ON, HS_NOTE_TRIGGER);
	if (p->pending & NOTIFY)
		push(out, HS_KIND_NOTE, 0, ACTION_SINGLE, HS_NOTE_TRIGGER);
	p->pending = 0;
}

/* ctype 2 and 3 ask for the address of the first instruction of the context, 1 and a port without
 * ctype for nothing but the value (ET Context type). */
static void tell_context(struct hs_port *p, uint64_t context, unsigned ctype, unsigned priv,
                         uint64_t iaddr, struct hs_blocks *out)
{
	const struct hs_block event = { .value = context, .arg = 2, /* scontext, NT Table 12 */
		                        .itype = ctype > 1 ? (uint8_t)ctype : 0, .priv = priv & 7u,
		                        .kind = HS_KIND_CONTEXT };

	if (ctype > 1)
		hs_builder_cut(&p->builder, iaddr, out);
	hs_builder_event(&p->builder, &event, out);
	p->context = context;
}

static void tell_time(struct hs_port *p, uint64_t time, struct hs_blocks *out)
{
	const struct hs_block event = { .value = time, .priv = HS_PRIV_UNKNOWN, .kind = HS_KIND_TIME };

	hs_builder_event(&p->builder, &event, out);
	p->time = time;
}

/* All that @c says beside the instruction, or trap, at @iaddr. */
static void before(struct hs_port *p, const struct hs_port_cycle *c, const struct hs_port_slot *s,
                   uint64_t iaddr, struct hs_blocks *out)
{
	const struct hs_port_config *g = &p->config;
	const bool asks = g->form == HS_PORT_BLOCK && g->ctype_width;
	const bool tell = asks ? c->ctype != 0 : s->context != p->context;
	const unsigned priv = privilege(g, s->priv);

	notes(p, iaddr, out);
	if (s->iretire && p->builder.have && p->builder.open.priv != priv)
		hs_builder_cut(&p->builder, iaddr, out);
	if (g->context_width && (tell || p->retell))
		tell_context(p, s->context, (unsigned)c->ctype, priv, iaddr, out);
	if (g->form == HS_PORT_BLOCK && g->time_width && (asks ? c->ctype != 0 : c->time != p->time))
		tell_time(p, c->time, out);
	p->retell = false;
	p->running = true;
}

/* ---- the instruction form ----------------------------------------------------------- */

static void decode(const struct hs_port_config *c, uint64_t iaddr, uint64_t opcode, bool compressed,
                   struct hs_insn *insn)
{
	const size_t n = compressed ? 4 : c->insn_width / 8u;
	uint8_t bytes[8];

	for (unsigned i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(opcode >> 8 * i);
	memset(insn, 0, sizeof *insn);
	if (hs_isa_decode(&c->isa, iaddr, bytes, n, insn) != HS_OK) /* longer than the bus: linear */
		insn->hwords = (uint8_t)hs_isa_hwords((uint16_t)opcode);
	if (compressed)
		insn->hwords = 1;
}

static void retire(struct hs_port *p, const struct hs_port_slot *s, const struct hs_insn *insn,
                   struct hs_blocks *out)
{
	const struct hs_retired r = { .iaddr = s->iaddr, .insn = *insn, .known = true,
		                      .priv = privilege(&p->config, s->priv) };

	hs_builder_insn(&p->builder, &r, out);
}

/* Opcodes of the queue carry "compressed" in a bit of their own, above 32: PULP's bus has 32. */
#define QUEUED_COMPRESSED ((uint64_t)1 << 63)

static uint64_t opcode_of(struct hs_port *p, const struct hs_port_slot *s, bool *compressed)
{
	uint64_t opcode = s->instr;

	*compressed = s->compressed;
	if (!p->config.retract_width)
		return opcode;
	opcode = p->queue[p->head];
	p->head = (p->head + 1) % HS_PORT_QUEUE;
	p->queued--;
	*compressed = p->config.compressed && (opcode & QUEUED_COMPRESSED);
	return p->config.compressed ? opcode & ~QUEUED_COMPRESSED : opcode;
}

/* An ecall or ebreak that raises its exception counts as retired (ADR-0004).  With a fetch stage the
 * opcode is not at hand; then the cause tells an ecall. */
static void retire_ecall(struct hs_port *p, const struct hs_port_slot *s, struct hs_blocks *out)
{
	struct hs_insn insn = { .hwords = 2, .kind = HS_INSN_ECALL };
	const bool by_cause = s->cause >= 8 && s->cause <= 11;

	if (s->interrupt || p->config.ecall_traps)
		return;
	if (!p->config.retract_width)
		decode(&p->config, s->iaddr, s->instr, s->compressed, &insn);
	if ((insn.kind == HS_INSN_ECALL && by_cause) || (insn.kind == HS_INSN_EBREAK && s->cause == 3))
		retire(p, s, &insn, out);
}

/* Where the instruction led that retired with a trap: false when nothing tells (PT 3.1.1). */
static bool led_to(const struct hs_builder *b, struct hs_trap *t)
{
	const unsigned kind = b->last.insn.kind;

	t->no_epc = !b->ended || kind == HS_INSN_ECALL || kind == HS_INSN_EBREAK;
	t->epc = b->last.insn.target;
	return t->no_epc || kind == HS_INSN_JUMP || kind == HS_INSN_CALL;
}

static enum hs_status insn_slot(struct hs_port *p, const struct hs_port_cycle *c, unsigned i,
                                struct hs_blocks *out)
{
	const struct hs_port_slot *s = &c->slot[i];
	struct hs_trap t = { .epc = s->iaddr, .tval = s->tval, .cause = (uint32_t)s->cause,
	                     .interrupt = s->interrupt };

	if (!s->iretire && !s->iexception)
		return HS_OK;
	before(p, c, s, s->iaddr, out);
	if (s->iretire) {
		struct hs_insn insn;
		bool compressed;
		const uint64_t opcode = opcode_of(p, s, &compressed);

		decode(&p->config, s->iaddr, opcode, compressed, &insn);
		retire(p, s, &insn, out);
	}
	if (!s->iexception)
		return HS_OK;
	if (!s->iretire)
		retire_ecall(p, s, out);
	else if (!led_to(&p->builder, &t))
		return port_fault(p, HS_E_BLOCK, "PT 3.1.1",
		                      "nothing tells where the instruction led that retired with the trap",
		                      HS_PORT_SIGNAL_iexception, i);
	hs_builder_trap(&p->builder, &t, out);
	return HS_OK;
}

static void fetch(struct hs_port *p, const struct hs_port_cycle *c)
{
	if (!p->config.retract_last)
		p->queued -= (uint32_t)c->retract;
	for (unsigned i = 0; i < p->config.slots; i++)
		if (c->slot[i].fvalid)
			p->queue[(p->head + p->queued++) % HS_PORT_QUEUE] = c->slot[i].instr |
				(c->slot[i].compressed ? QUEUED_COMPRESSED : 0);
	if (p->config.retract_last)
		p->queued -= (uint32_t)c->retract;
}

/* ---- the block form ------------------------------------------------------------------ */

/* Half-words that follow on, without the last instruction. */
static void run(struct hs_port *p, struct hs_retired r, uint32_t hwords, struct hs_blocks *out)
{
	while (hwords) {
		const uint32_t n = hwords < HS_INSN_MAX / 2 ? hwords : HS_INSN_MAX / 2;

		r.insn.hwords = (uint8_t)n;
		hs_builder_insn(&p->builder, &r, out);
		r.iaddr += 2u * n;
		hwords -= n;
	}
}

/* A 3-bit itype says less of jumps than blocks do: the program knows. */
static void ask_program(const struct hs_port *p, struct hs_retired *r)
{
	struct hs_insn insn;

	if (p->config.itype_width != 3 || !p->image || hs_img_insn(p->image, r->iaddr, &insn) != HS_OK ||
	    insn.hwords != r->insn.hwords)
		return;
	r->insn = insn;
	r->known = true;
	if (r->itype != HS_ITYPE_TAKEN && r->itype != HS_ITYPE_NOT_TAKEN)
		r->itype = HS_ITYPE_NONE;
}

/* Size of the instruction that ends @hwords half-words from @iaddr on; 0 when the program is not known. */
static uint8_t size_before(const struct hs_port *p, uint64_t iaddr, uint32_t hwords)
{
	struct hs_insn insn = { .hwords = 0 };

	for (uint32_t n = 0; n < hwords; n += insn.hwords)
		if (!p->image || hs_img_insn(p->image, iaddr + 2u * (uint64_t)n, &insn) != HS_OK ||
		    insn.hwords > hwords - n)
			return 0;
	return insn.hwords;
}

/* The last instruction of a block is to be reported, so the piece before it ends there.  The port says
 * nothing of that piece's last instruction: without the program the block's first one is reported. */
static void report_next(struct hs_port *p, uint64_t iaddr, struct hs_blocks *out)
{
	p->pending |= NOTIFY;
	notes(p, iaddr, out);
}

static void retire_block(struct hs_port *p, const struct hs_port_cycle *c, unsigned i,
                         struct hs_blocks *out)
{
	const struct hs_port_slot *s = &c->slot[i];
	const uint32_t hwords = port_hwords(&p->config, s), last = port_last(&p->config, s);
	const bool trap = s->itype == HS_ITYPE_EXCEPTION || s->itype == HS_ITYPE_INTERRUPT;
	const bool notify = c->trigger >> (2 + i) & 1u;
	const bool exact = size_before(p, s->iaddr, hwords - last) != 0;
	struct hs_retired r = { .iaddr = s->iaddr, .priv = privilege(&p->config, c->slot[0].priv) };

	if (notify && !exact)
		report_next(p, r.iaddr, out);
	run(p, r, hwords - last, out);
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

/* Where an interrupt came that retires nothing: its iaddr is invalid (ET Instruction interface signals). */
static bool interrupted(const struct hs_port *p, struct hs_trap *t)
{
	const struct hs_builder *b = &p->builder;
	struct hs_insn insn;

	if (p->config.interrupt_iaddr)
		return true;
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

static enum hs_status block_slot(struct hs_port *p, const struct hs_port_cycle *c, unsigned i,
                                 struct hs_blocks *out)
{
	const struct hs_port_slot *s = &c->slot[i], *shared = &c->slot[0];
	struct hs_trap t = { .epc = s->iaddr, .tval = shared->tval, .cause = (uint32_t)shared->cause,
		             .interrupt = s->itype == HS_ITYPE_INTERRUPT, .no_epc = s->iretire != 0 };

	if (!s->iretire && !s->itype)
		return HS_OK;
	if (!s->iretire && t.interrupt && !interrupted(p, &t))
		return port_fault(p, HS_E_BLOCK, "ET Instruction interface signals",
		                      "nothing tells where the interrupt came", HS_PORT_SIGNAL_iaddr, i);
	const uint64_t trapped = t.no_epc ? hs_block_end(&p->builder.open) : t.epc;
	const uint64_t at = s->iretire ? s->iaddr : trapped;

	if (i == 0)
		before(p, c, shared, at, out);
	if (!p->builder.have && !s->iretire)
		t.no_epc = false, t.epc = at;
	if (s->iretire)
		retire_block(p, c, i, out);
	if (s->itype == HS_ITYPE_EXCEPTION || s->itype == HS_ITYPE_INTERRUPT)
		hs_builder_trap(&p->builder, &t, out);
	return HS_OK;
}

/* ---- cycles --------------------------------------------------------------------------- */

/* halted and reset: the trace ends, and begins with a synchronisation (ET Optional sideband signals). */
static void edges(struct hs_port *p, const struct hs_port_cycle *c, struct hs_blocks *out)
{
	const unsigned down = c->reset ? DOWN_RESET : c->halted ? DOWN_HALTED : 0;

	if (down && !p->down && p->running) {
		hs_builder_flush(&p->builder, out);
		push(out, HS_KIND_STOP, down == DOWN_RESET ? STOP_DISABLED : STOP_DEBUG, 0, 0);
		p->running = false;
	}
	if (!down && p->down)
		push(out, HS_KIND_SYNC, p->down == DOWN_RESET ? SYNC_RESET : SYNC_DEBUG, 0, 0);
	p->down = down == 0 ? 0 : down > p->down ? (uint8_t)down : p->down;
}

static void sideband(struct hs_port *p, const struct hs_port_cycle *c)
{
	const uint64_t words[4] = { c->user | c->impdef, c->user_1, c->user_2, c->user_3 };

	for (unsigned i = 0; i < 4 && p->config.sideband; i++) {
		if (words[i] != p->user[i] || p->retell)
			p->pending |= (uint8_t)(USER0 << i);
		p->user[i] = words[i];
	}
	if (c->action == ACTION_ON || (c->trigger & 1u))
		p->pending |= ON;
	if (c->action == ACTION_SINGLE)
		p->pending |= NOTIFY;
}

/* Trace goes off behind the newest instruction of the cycle (ET Using trigger outputs).  When nothing
 * retired since it was to go on, it does not. */
static void sideband_after(struct hs_port *p, const struct hs_port_cycle *c)
{
	if (c->action != ACTION_OFF && !(c->trigger & 2u))
		return;
	p->pending = (uint8_t)((p->pending & ~ON) | OFF);
}

static enum hs_status take(struct hs_port *p, const struct hs_port_cycle *c, struct hs_blocks *out)
{
	enum hs_status s = HS_OK;

	edges(p, c, out);
	if (p->config.retract_width)
		fetch(p, c);
	sideband(p, c);
	for (unsigned i = 0; i < p->config.slots && s == HS_OK; i++)
		s = p->config.form == HS_PORT_INSN ? insn_slot(p, c, i, out) : block_slot(p, c, i, out);
	sideband_after(p, c);
	return s;
}

static bool has_room(const struct hs_blocks *out)
{
	return out->n <= out->cap && out->cap - out->n >= HS_PORT_ROOM;
}

static enum hs_status clock(struct hs_port *p, const struct hs_port_cycle *cycle,
                            struct hs_blocks *out)
{
	struct hs_port_cycle c;
	enum hs_status s;

	port_defined(&p->config, cycle, &c);
	s = port_check(p, &c);
	if (s == HS_FULL)
		return s;
	p->builder.offset = p->cycles++;
	if (s == HS_OK)
		s = take(p, &c, out);
	if (s != HS_OK) {
		hs_builder_flush(&p->builder, out);
		push_gap(p, s, out);
	}
	return s;
}

/* A core that cannot wait: what comes of the cycle is lost. */
static enum hs_status clock_lost(struct hs_port *p, const struct hs_port_cycle *cycle)
{
	struct hs_block at[HS_PORT_ROOM];
	struct hs_blocks nowhere = { at, HS_PORT_ROOM, 0 };
	const enum hs_status s = clock(p, cycle, &nowhere);

	p->lost |= nowhere.n != 0;
	return s != HS_OK ? s : nowhere.n ? HS_E_LOST : HS_OK;
}

enum hs_status hs_port_clock(struct hs_port *p, const struct hs_port_cycle *cycle,
                             struct hs_blocks *out)
{
	enum hs_status s;

	memset(&p->fault, 0, sizeof p->fault);
	p->stall = false;
	if (!has_room(out)) {
		p->stall = !p->config.no_stall;
		return p->stall ? HS_FULL : clock_lost(p, cycle);
	}
	if (p->lost) {
		push_gap(p, HS_E_LOST, out);
		p->lost = false;
		p->retell = true;
	}
	s = clock(p, cycle, out);
	p->stall = s == HS_FULL || (!p->config.no_stall && !has_room(out));
	return s;
}

enum hs_status hs_port_flush(struct hs_port *p, struct hs_blocks *out)
{
	if (!has_room(out))
		return HS_FULL;
	if (p->lost)
		push_gap(p, HS_E_LOST, out);
	p->lost = false;
	return hs_builder_flush(&p->builder, out);
}
