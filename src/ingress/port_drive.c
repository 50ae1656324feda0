/* Retired blocks to cycles of the ingress port: stimuli for a test bench. */
#include "core/core.h"
#include "ingress/ingress.h"
#include "ingress/drive.h"

#include "core/mem.h"

enum hs_status hs_port_driver_init(struct hs_port_driver *d, const struct hs_port_config *config,
                                   const struct hs_image *image)
{
	struct hs_port_config c;

	if (hs_port_config_resolve(config, &c) != HS_OK || !image || image->count == 0)
		return HS_E_CONFIG;
	memset(d, 0, sizeof *d);
	d->config = c;
	d->image = image;
	return HS_OK;
}

/* priv of blocks to that of the port; machine mode where it is not known. */
static uint64_t port_priv(const struct hs_port_config *c, unsigned priv)
{
	static const uint8_t of[8] = { 0, 1, 3, 3, 5, 6, 3, 3 };
	const unsigned v = of[priv & 7u];

	return c->machine_is_7 && v == 3 ? 7 : v;
}

static uint64_t opcode_at(const struct making *m, uint64_t iaddr, unsigned hwords)
{
	const unsigned bus = m->d->config.insn_width < 64 ? m->d->config.insn_width / 8u : 8;
	const unsigned n = 2 * hwords < bus ? 2 * hwords : bus;
	uint64_t opcode = 0;

	for (unsigned i = 0; i < n; i++) {
		size_t left;
		const uint8_t *at = hs_img_bytes(m->d->image, iaddr + i, &left);

		opcode |= at ? (uint64_t)*at << 8 * i : 0;
	}
	return opcode;
}

static void next_entry(struct making *m)
{
	m->in++;
	m->d->done = 0;
}

/* Drive cause and value of the trap that ends the current block, and move past both.  Without a
 * HS_KIND_TRAP the cause is that of the instruction (design/blocks). */
static void put_trap(struct making *m, struct hs_port_slot *s)
{
	const bool known = m->in + 1 < m->end && m->in[1].kind == HS_KIND_TRAP;
	uint32_t cause = 0;

	if (!known)
		hs_block_exception_cause(m->d->image, m->in, &cause);
	s->cause = known ? m->in[1].arg : cause;
	s->tval = known ? m->in[1].value : 0;
	m->full = true;
	m->in += known;
	next_entry(m);
}

static void use_slot(struct making *m)
{
	m->slot++;
	m->used++;
}

/* ---- the instruction form -------------------------------------------------------------- */

static bool traps_itself(const struct making *m, const struct hs_insn *insn)
{
	return m->in->itype == HS_ITYPE_EXCEPTION && !m->d->config.ecall_traps &&
	       (insn->kind == HS_INSN_ECALL || insn->kind == HS_INSN_EBREAK);
}

static void put_exception(struct making *m, struct hs_port_slot *s)
{
	s->iexception = 1;
	s->interrupt = m->in->itype == HS_ITYPE_INTERRUPT;
	put_trap(m, s);
}

static enum hs_status put_insn(struct making *m)
{
	const struct hs_block *b = m->in;
	struct hs_port_slot *s = &m->cycle->slot[m->slot];
	struct hs_insn insn = { 0 };
	const enum hs_status known =
		hs_img_insn(m->d->image, b->iaddr + 2u * (uint64_t)m->d->done, &insn);
	const uint32_t left = b->iretire - m->d->done;

	if (left && (known != HS_OK || insn.hwords > left))
		return HS_E_NOCODE;
	s->iaddr = b->iaddr + 2u * (uint64_t)m->d->done;
	s->priv = port_priv(&m->d->config, b->priv);
	s->context = m->d->context;
	s->instr = known == HS_OK ? opcode_at(m, s->iaddr, insn.hwords) : 0;
	use_slot(m);
	if (left == 0 || (left == insn.hwords && traps_itself(m, &insn))) {
		put_exception(m, s);
		return HS_OK;
	}
	s->iretire = 1;
	s->fvalid = m->d->config.retract_width != 0;
	m->d->done += insn.hwords;
	if (left != insn.hwords)
		return HS_OK;
	if (!hs_itype_is_trap(b->itype))
		next_entry(m);
	else if (m->d->same_cycle && insn.kind == HS_INSN_LINEAR)
		put_exception(m, s);
	return HS_OK;
}

/* ---- the block form -------------------------------------------------------------------- */

static bool has_size(const struct hs_port_config *c, unsigned hwords)
{
	if (c->ilastsize_width == 0)
		return hwords == 2;
	return hwords == 1 || hwords == 2 || (hwords == 4 && c->ilastsize_width == 2);
}

/* How many half-words go into one group; *last those of its last instruction.  0: none can. */
static uint32_t group_size(const struct making *m, uint32_t *last)
{
	const struct hs_port_config *c = &m->d->config;
	const uint32_t left = m->in->iretire - m->d->done;
	const uint32_t limit = c->retires == 1 ? HS_INSN_MAX : (1u << c->iretire_width) - 1;
	const unsigned most = c->retires == 1 ? 1 : m->d->most ? m->d->most : UINT32_MAX;
	uint32_t hwords = 0, good = 0;
	unsigned accesses = 0;
	struct hs_insn insn;

	for (unsigned n = 0; hwords < left && n < most; n++) {
		const uint64_t iaddr = m->in->iaddr + 2u * (uint64_t)(m->d->done + hwords);

		if (hs_img_insn(m->d->image, iaddr, &insn) != HS_OK ||
		    hwords + insn.hwords > left || hwords + insn.hwords > limit)
			break;
		accesses += port_count_accesses(m, iaddr, insn.hwords, accesses);
		if (m->accesses + accesses > c->accesses)
			break;
		hwords += insn.hwords;
		if (has_size(c, insn.hwords)) {
			good = hwords;
			*last = insn.hwords;
		}
	}
	return good;
}

/* itype of 3 bits: one code for jumps whose target is not in the program, none for direct ones. */
static uint64_t port_itype(const struct hs_port_config *c, unsigned itype)
{
	if (c->itype_width == 4 || itype < HS_ITYPE_UNINFERABLE)
		return itype;
	return hs_itype_uninferable(itype) ? HS_ITYPE_UNINFERABLE : HS_ITYPE_NONE;
}

static enum hs_status put_retired(struct making *m, struct hs_port_slot *s)
{
	const struct hs_port_config *c = &m->d->config;
	uint32_t last = 0;
	const uint32_t hwords = group_size(m, &last);

	if (hwords == 0)
		return HS_E_NOCODE;
	s->iretire = c->retires == 1 ? 1 : hwords;
	s->ilastsize = c->ilastsize_width == 0 || last == 1 ? 0 : last == 2 ? 1 : 2;
	port_drive_accesses(m, s->iaddr, s->iaddr + 2u * (uint64_t)hwords);
	m->d->done += hwords;
	return HS_OK;
}

/* Does the last instruction raise the exception itself, as an ecall that counts as retired does
 * (design/blocks)? */
static bool last_traps(const struct making *m)
{
	const struct hs_block *b = m->in;
	struct hs_insn insn;

	return hs_img_insn(m->d->image, hs_block_end(b) - 2u * b->ilast, &insn) == HS_OK &&
	       traps_itself(m, &insn);
}

static enum hs_status put_group(struct making *m)
{
	const struct hs_block *b = m->in;
	const struct hs_port_config *c = &m->d->config;
	struct hs_port_slot *s = &m->cycle->slot[m->slot];

	s->iaddr = b->iaddr + 2u * (uint64_t)m->d->done;
	m->cycle->slot[0].priv = port_priv(c, b->priv);
	m->cycle->slot[0].context = m->d->context;
	m->cycle->time = m->d->time;
	m->cycle->ctype = m->d->ctype;
	if (port_drive_early(m, s->iaddr, m->d->done == b->iretire))
		return HS_OK;
	if (m->d->done < b->iretire && put_retired(m, s) != HS_OK)
		return HS_E_NOCODE;
	use_slot(m);
	if (m->d->done < b->iretire)
		return HS_OK;
	if (!hs_itype_is_trap(b->itype)) {
		s->itype = port_itype(c, b->itype);
		s->sijump = c->sijump && b->sijump && s->itype != HS_ITYPE_RETURN;
		next_entry(m);
	} else if (s->iretire == 0 || last_traps(m) || (m->d->same_cycle && !m->d->waiting_n)) {
		s->itype = b->itype;
		put_trap(m, &m->cycle->slot[0]);
	}
	return HS_OK;
}

/* One privilege, context and time a cycle: others wait for the next. */
static bool must_wait(const struct making *m)
{
	return m->d->config.form == HS_PORT_BLOCK && m->used &&
	       ((m->in->kind != HS_KIND_BLOCK && m->in->kind != HS_KIND_DATA &&
	         m->in->kind != HS_KIND_VALUE) ||
	        port_priv(&m->d->config, m->in->priv) != m->cycle->slot[0].priv);
}

/* ---- cycles ---------------------------------------------------------------------------- */

/* How a new context is reported: as its event says, else imprecisely. */
static void use_ctype(struct hs_port_driver *d, unsigned ctype)
{
	if (ctype == 2 || ctype == 3)
		d->ctype = d->config.ctype_width == 2 ? (uint8_t)ctype : 1;
	else if (d->config.ctype_width && d->ctype == 0)
		d->ctype = 1;
}

/* Trace that stops while the hart runs is inhibited, unless a reset is what comes next. */
static void put_state(struct making *m)
{
	static const uint8_t of[16] = { TRCSTATE_DEBUG, TRCSTATE_WAIT };
	const struct hs_block *e = m->in;
	const bool known = m->in + 1 < m->end;
	const bool reset = known && m->in[1].kind == HS_KIND_SYNC && m->in[1].itype == 1;

	if (e->kind == HS_KIND_SYNC || (e->itype == 4 && reset))
		m->cycle->reset = 1;
	else
		m->cycle->trcstate = of[e->itype & 15u] ? of[e->itype & 15u] : TRCSTATE_SECURITY;
}

static void put_event(struct making *m)
{
	const struct hs_block *e = m->in;

	if ((e->kind == HS_KIND_DATA || e->kind == HS_KIND_VALUE) && m->d->config.accesses &&
	    !port_keep_access(m)) {
		m->full = true;
		return;
	}
	if (hs_event_breaks(e)) /* whose instructions do not come */
		m->d->waiting_n = 0;
	if (e->kind == HS_KIND_CONTEXT)
		m->d->context = e->value;
	if (e->kind == HS_KIND_TIME)
		m->d->time = e->value;
	if (e->kind == HS_KIND_CONTEXT || e->kind == HS_KIND_TIME)
		use_ctype(m->d, e->kind == HS_KIND_CONTEXT ? e->itype : 0);
	if (e->kind == HS_KIND_STOP || (e->kind == HS_KIND_SYNC && e->itype == 1)) {
		m->full = true;
		if (m->used) /* in a cycle of its own */
			return;
		if (m->d->config.trcstate)
			put_state(m);
		else if (e->kind == HS_KIND_STOP && e->itype != 4)
			m->cycle->halted = 1;
		else
			m->cycle->reset = 1;
	}
	next_entry(m);
}

static bool is_lane_free(const struct making *m)
{
	const struct hs_port_driver *d = m->d;
	const unsigned lanes = d->lanes & ((1u << d->config.slots) - 1);

	return d->config.form == HS_PORT_BLOCK || lanes == 0 || (lanes >> m->slot & 1u);
}

static enum hs_status put_entry(struct making *m)
{
	enum hs_status s = HS_OK;

	if (m->in->kind != HS_KIND_BLOCK)
		put_event(m);
	else if (!is_lane_free(m))
		m->slot++;
	else
		s = m->d->config.form == HS_PORT_INSN ? put_insn(m) : put_group(m);
	return s;
}

enum hs_status hs_port_drive(struct hs_port_driver *d, const struct hs_block *in, size_t n,
                             size_t *used, struct hs_port_cycle *cycle)
{
	struct making m = { .d = d, .cycle = cycle, .in = in, .end = in + n };
	enum hs_status s = HS_OK;

	memset(cycle, 0, sizeof *cycle);
	*used = 0;
	if (n == 0)
		return HS_END;
	while (s == HS_OK && !m.full && m.in < m.end && m.slot < d->config.slots && !must_wait(&m))
		s = put_entry(&m);
	if (m.used)
		d->ctype = 0;
	*used = (size_t)(m.in - in);
	if (s != HS_OK &&
	    (m.used || m.in != in)) /* reported by the next call, when it is first in its cycle */
		s = HS_OK;
	else if (s != HS_OK)
		d->done = 0;
	return s;
}
