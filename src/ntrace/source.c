/* One source's messages to blocks (NT 11.1).
 *
 * Work on a message has three phases: begin (what does it say?), walk (follow the
 * program as far as it says), end (the block that it closes, the address that it gives).
 * The output may fill up in the middle; the phase is then taken up again.
 */
#include "ntrace/source.h"

#include "base/mem.h"

#define HAS(m, f) hs_nt_has(m, HS_NTF_##f)
#define GET(m, f) ((m)->field[HS_NTF_##f])

void nt_source_init(const struct hs_nt_decoder *d, struct hs_nt_source *s, uint16_t src)
{
	const struct hs_nt_config *c = &d->config;

	memset(s, 0, sizeof *s);
	s->src = src;
	s->table = d->table;
	s->walk.rules = (uint8_t)((c->sequential_jump ? FLOW_SEQUENTIAL : 0) |
	                          (c->implicit_return || d->dialect->implicit_any ? FLOW_RETURNS : 0) |
	                          (c->all_jumps ? FLOW_ALL_JUMPS : 0));
}

static enum hs_status blame(struct nt_fault *f, enum hs_status status, const char *clause,
                            const char *why)
{
	f->status = status;
	f->clause = clause;
	f->why = why;
	return status;
}

static void put_event(struct flow_out *out, unsigned kind, uint64_t value, unsigned itype)
{
	struct hs_block *b = out->p++;

	memset(b, 0, sizeof *b);
	b->value = value;
	b->itype = (uint8_t)itype;
	b->kind = (uint8_t)kind;
	b->priv = HS_PRIV_UNKNOWN;
}

static uint64_t in_xlen(const struct hs_nt_source *s, uint64_t addr)
{
	return s->table->image->isa.xlen == 32 ? addr & UINT32_MAX : addr;
}

/* F-ADDR or U-ADDR as address bits; the top bit sent stands for those above it (NT 8.2). */
static uint64_t address_bits(const struct hs_nt_decoder *d, const struct hs_nt_source *s,
                             enum hs_nt_field f)
{
	uint64_t v = d->msg.field[f];
	const unsigned n = d->msg.addr_bits;

	if (d->config.extend_addr && n && n < 63 && (v >> (n - 1) & 1))
		v |= ~(uint64_t)0 << n;
	return in_xlen(s, v << 1);
}

static uint64_t full_address(const struct hs_nt_decoder *d, const struct hs_nt_source *s)
{
	return address_bits(d, s, HS_NTF_FADDR);
}

/* SYNC 2 and 4 come again and again, and say nothing of the program (NT 8.5). */
static void put_sync(const struct hs_nt_decoder *d, uint64_t addr, struct flow_out *out)
{
	const unsigned sync = (unsigned)GET(&d->msg, SYNC);

	if ((sync != 2 && sync != 4) || d->config.periodic_events)
		put_event(out, HS_KIND_SYNC, addr, sync);
}

/* SYNC codes that say that the flow did not simply go on (NT Table 25). */
static bool is_restart(unsigned sync)
{
	return sync == 1 || sync == 3 || sync == 5 || sync == 7 || sync == 9;
}

bool nt_source_sync(struct hs_nt_decoder *d, struct hs_nt_source *s, struct flow_out *out)
{
	if (!HAS(&d->msg, FADDR))
		return false;
	s->ref = full_address(d, s);
	s->icnt_full = 0;
	s->icnt_used = 0;
	s->repeat = 0;
	s->last_tcode = 0;
	s->state = NT_SYNCED;
	flow_forget(&s->walk);
	flow_start(&s->walk, s->table, s->ref);
	put_sync(d, s->ref, out);
	return true;
}

/* ---- begin ------------------------------------------------------------------- */

static unsigned log2_of(uint64_t v)
{
	unsigned n = 0;

	for (unsigned step = 16; step; step >>= 1)
		if (v >> step >> n)
			n += step;
	return n;
}

/* The first branch is the bit below the stop bit, the last one is bit 0 (NT 8.3). */
static bool set_history(struct hs_evidence *e, uint64_t hist)
{
	if (hist == 0)
		return false;
	e->bits = (uint8_t)log2_of(hist);
	e->hist = e->bits ? hist << (64 - e->bits) : 0;
	return true;
}

static bool set_count(struct hs_nt_source *s, uint64_t icnt)
{
	const uint64_t total = s->icnt_full + icnt;

	if (total < s->icnt_used)
		return false;
	s->evidence.left = total - s->icnt_used;
	s->icnt_full = 0;
	s->icnt_used = 0;
	return true;
}

static void learn_mode(struct hs_nt_source *s, const struct hs_nt_msg *m)
{
	if (HAS(m, HIST) || (m->tcode == HS_NT_RESOURCE_FULL && GET(m, RCODE) != 0))
		s->mode = HS_NT_HTM;
	else if (m->tcode == HS_NT_DIRECT_BRANCH || m->tcode == HS_NT_DIRECT_BRANCH_SYNC)
		s->mode = HS_NT_BTM;
}

static enum hs_status begin_count(struct hs_nt_source *s, const struct hs_nt_msg *m,
                                  struct nt_fault *fault)
{
	struct hs_evidence *e = &s->evidence;

	e->mode = s->mode == HS_NT_HTM ? FLOW_COUNT : FLOW_LINEAR;
	if (m->tcode == HS_NT_DIRECT_BRANCH || m->tcode == HS_NT_DIRECT_BRANCH_SYNC)
		e->mode = FLOW_TO_BRANCH;
	if (HAS(m, HIST)) {
		e->mode = FLOW_COUNT;
		if (!set_history(e, GET(m, HIST)))
			return blame(fault, HS_E_HIST, "NT 8.3", "HIST has no stop bit");
	}
	if (!set_count(s, GET(m, ICNT)))
		return blame(fault, HS_E_ICNT, "NT 8.4.2",
		             "I-CNT is less than HIST led through since the last I-CNT");
	return HS_OK;
}

/* ResourceFull (NT 7.8).  I-CNT waits for the branches that belong to it; in BTM there are
 * none, so that it can be checked at once. */
static enum hs_status begin_full(const struct hs_nt_decoder *d, struct hs_nt_source *s,
                                 struct nt_fault *fault)
{
	const struct hs_nt_msg *m = &d->msg;
	const uint64_t rcode = GET(m, RCODE);

	if (rcode == 0 && s->mode == HS_NT_BTM) {
		s->evidence.mode = FLOW_LINEAR;
		set_count(s, GET(m, RDATA));
	} else if (rcode == 0) {
		s->icnt_full += GET(m, RDATA);
	} else if (rcode <= 2) {
		s->evidence.mode = FLOW_HISTORY;
		s->evidence.left = FLOW_FAR;
		s->repeat = rcode == 2 && GET(m, HREPEAT) ? GET(m, HREPEAT) - 1 : 0;
		if (!set_history(&s->evidence, GET(m, RDATA)))
			return blame(fault, HS_E_HIST, "NT 8.3", "HIST has no stop bit");
	} else if (d->dialect->counts_8_9 && (rcode == 8 || rcode == 9) && GET(m, RDATA)) {
		s->evidence.mode = FLOW_HISTORY;
		s->evidence.left = FLOW_FAR;
		s->repeat = GET(m, RDATA) - 1;
		set_history(&s->evidence, rcode == 9 ? 3 : 2);
	}
	return HS_OK;
}

static const uint8_t repeated[4] = { HS_NTF_BTYPE, HS_NTF_ICNT, HS_NTF_UADDR, HS_NTF_HIST };

/* RepeatBranch (NT 7.11): put the last branch message in its place. */
static enum hs_status begin_repeat(struct hs_nt_decoder *d, struct hs_nt_source *s,
                                   struct nt_fault *fault)
{
	struct hs_nt_msg *m = &d->msg;
	const uint64_t times = GET(m, BCNT);

	if (s->last_tcode == 0)
		return blame(fault, HS_E_FLOW, "NT 7.11", "no branch message to repeat");
	if (times == 0)
		return HS_OK;
	m->tcode = s->last_tcode;
	m->present = s->last_present;
	for (unsigned i = 0; i < 4; i++)
		m->field[repeated[i]] = s->last[i];
	if (d->dialect->repeat_keeps)
		m->field[HS_NTF_UADDR] = 0;
	s->repeat = times - 1;
	return begin_count(s, m, fault);
}

static void remember(struct hs_nt_source *s, const struct hs_nt_msg *m)
{
	s->last_tcode = m->tcode;
	s->last_present = m->present;
	for (unsigned i = 0; i < 4; i++)
		s->last[i] = m->field[repeated[i]];
}

/* A context of FORMAT 2 names the program (NT Table 12). */
static void select_program(const struct hs_nt_decoder *d, struct hs_nt_source *s, uint64_t process)
{
	for (size_t i = 0; i < d->table_count && (process & 3) == 2; i++) {
		if (d->contexts[i] != process >> 5 || d->tables[i] == s->table)
			continue;
		if (s->state == NT_SYNCED) {
			flow_refresh(&s->walk, s->table);
			flow_switch(&s->walk, s->table, d->tables[i]);
		}
		s->table = d->tables[i];
		break;
	}
}

static void put_context(struct flow_out *out, uint64_t process)
{
	put_event(out, HS_KIND_CONTEXT, process >> 5, 0);
	out->p[-1].arg = process & 3;
	out->p[-1].priv = (process >> 2) & 7;
}

/* What the message at hand says.  *walk: there is something to follow. */
static enum hs_status begin(struct hs_nt_decoder *d, struct hs_nt_source *s, struct flow_out *out,
                            bool *walk, struct nt_fault *fault)
{
	const struct hs_nt_msg *m = &d->msg;

	*walk = false;
	memset(&s->evidence, 0, sizeof s->evidence);
	if (m->tcode == HS_NT_OWNERSHIP) {
		put_context(out, GET(m, PROCESS));
		select_program(d, s, GET(m, PROCESS));
		return HS_OK;
	}
	if (!m->known)
		return HS_OK;
	if (m->tcode == HS_NT_ERROR)
		return s->state == NT_SYNCED ? blame(fault, HS_E_LOST, "NT 7.4",
		                                     "the encoder lost messages") : HS_OK;
	learn_mode(s, m);
	if (s->state != NT_SYNCED) {
		if (m->tcode == HS_NT_PROG_TRACE_CORRELATION) { /* NT 8.6: trace is off, and stays so */
			put_event(out, HS_KIND_STOP, 0, (unsigned)GET(m, EVCODE));
			s->state = NT_OFF;
		} else if (!nt_source_sync(d, s, out)) {
			d->stats.skipped++;
		}
		return HS_OK;
	}
	*walk = true;
	switch (m->tcode) {
	case HS_NT_RESOURCE_FULL:
		return begin_full(d, s, fault);
	case HS_NT_REPEAT_BRANCH:
		return begin_repeat(d, s, fault);
	case HS_NT_DIRECT_BRANCH:
	case HS_NT_INDIRECT_BRANCH:
	case HS_NT_INDIRECT_BRANCH_HIST:
		remember(s, m);
		return begin_count(s, m, fault);
	default:
		return begin_count(s, m, fault);
	}
}

/* ---- end --------------------------------------------------------------------- */

/* Why a walk could not use up its evidence. */
static enum hs_status walk_fault(const struct hs_nt_source *s, struct nt_fault *f)
{
	switch ((enum flow_stop)s->stop) {
	case FLOW_NOCODE:
		return blame(f, HS_E_NOCODE, "NT 11", "no code is known at the address reached");
	case FLOW_SPLIT:
		return blame(f, HS_E_ICNT, "NT 8.4.1", "I-CNT ends inside an instruction");
	case FLOW_NOT_BRANCH:
		return blame(f, HS_E_ICNT, "NT 8.4.1", "I-CNT does not end at a conditional branch");
	case FLOW_NO_BIT:
		return blame(f, HS_E_HIST, "NT 8.4.2", "I-CNT passes a branch that HIST does not have");
	case FLOW_SPARE_BITS:
		return blame(f, HS_E_HIST, "NT 8.4.2", "I-CNT ends before the branches of HIST");
	case FLOW_BAD_BIT:
		return blame(f, HS_E_HIST, "trTeInstEnAllJumps", "HIST has a direct jump as not taken");
	case FLOW_LOOP:
		return blame(f, HS_E_HIST, "NT 8.3", "HIST has a branch where the program loops without one");
	case FLOW_UNINFERABLE:
		if (s->evidence.bits)
			return blame(f, HS_E_HIST, "NT 8.3", "HIST goes on past an indirect jump");
		if (s->evidence.left)
			return blame(f, HS_E_ICNT, "NT 8.4.1", "I-CNT goes on past an indirect jump");
		return blame(f, HS_E_FLOW, "NT 10", "an indirect jump retired and its target is not given");
	default:
		return blame(f, HS_E_INTERNAL, "NT 11.1", "walk ended for no reason");
	}
}

/* Standing at an uninferable jump with all evidence used? */
static bool at_jump(const struct hs_nt_source *s)
{
	return s->stop == FLOW_UNINFERABLE && s->evidence.left == 0 && s->evidence.bits == 0;
}

static bool is_environment(unsigned kind)
{
	return kind == HS_INSN_ECALL || kind == HS_INSN_EBREAK;
}

/* A custom instruction, and a message: a jump, unless the message has its own reason and the
 * address that follows (NT 10.1). */
static bool changed_pc(const struct hs_nt_decoder *d, const struct hs_nt_source *s)
{
	if (!HAS(&d->msg, SYNC))
		return true;
	return !is_restart((unsigned)GET(&d->msg, SYNC)) && full_address(d, s) != flow_pc(&s->walk);
}

/* The message comes after a jump whose target the program tells: go there. */
static void pass_inferable(struct hs_nt_source *s, struct flow_out *out)
{
	if (at_jump(s) && flow_infer(&s->walk, s->table, out))
		s->stop = FLOW_DONE;
}

/* The block that an IndirectBranch of any form ends (NT 7.3, B-TYPE in NT 6.2). */
static enum hs_status close_indirect(struct hs_nt_decoder *d, struct hs_nt_source *s,
                                     struct flow_out *out, bool *linear, struct nt_fault *fault)
{
	const unsigned btype = (unsigned)GET(&d->msg, BTYPE);
	const unsigned kind = flow_last_kind(&s->walk, s->table);

	*linear = false;
	if (btype == 0 && at_jump(s)) {
		flow_close_jump(&s->walk, s->table, out);
		return HS_OK;
	}
	pass_inferable(s, out);
	if (s->stop != FLOW_DONE)
		return walk_fault(s, fault);
	if (btype) {
		flow_close(&s->walk, s->table, btype == 3 ? HS_ITYPE_INTERRUPT : HS_ITYPE_EXCEPTION, out);
		return HS_OK;
	}
	if (is_environment(kind)) {
		flow_close(&s->walk, s->table, HS_ITYPE_EXCEPTION, out);
		return HS_OK;
	}
	if (kind == HS_INSN_CUSTOM && changed_pc(d, s)) {
		flow_close(&s->walk, s->table, HS_ITYPE_JUMP_UNINF, out);
		return HS_OK;
	}
	*linear = HAS(&d->msg, SYNC); /* a synchronisation that no jump asked for */
	return *linear ? HS_OK : blame(fault, HS_E_ICNT, "NT 8.4.1",
	                               "I-CNT does not end at an indirect jump, and B-TYPE is 0");
}

static void close_open(struct hs_nt_source *s, struct flow_out *out)
{
	const bool ecall = is_environment(flow_last_kind(&s->walk, s->table));

	if (flow_open(&s->walk))
		flow_close(&s->walk, s->table, ecall ? HS_ITYPE_EXCEPTION : HS_ITYPE_NONE, out);
}

/* The address of a message that ends with one. */
static enum hs_status take_address(struct hs_nt_decoder *d, struct hs_nt_source *s, bool linear,
                                   struct flow_out *out, struct nt_fault *fault)
{
	const struct hs_nt_msg *m = &d->msg;

	if (HAS(m, UADDR)) {
		s->ref ^= address_bits(d, s, HS_NTF_UADDR);
		flow_start(&s->walk, s->table, s->ref);
		return HS_OK;
	}
	const bool restart = is_restart((unsigned)GET(m, SYNC));

	s->ref = full_address(d, s);
	s->last_tcode = 0;
	flow_forget(&s->walk);
	if (linear && restart) /* such as a reset: the flow ends, and begins elsewhere */
		close_open(s, out);
	else if (linear && flow_pc(&s->walk) != s->ref)
		return blame(fault, HS_E_FLOW, "NT 8.5", "F-ADDR is not where the flow leads");
	put_sync(d, s->ref, out);
	if (!linear || restart)
		flow_start(&s->walk, s->table, s->ref);
	return HS_OK;
}

static enum hs_status end_indirect(struct hs_nt_decoder *d, struct hs_nt_source *s,
                                   struct flow_out *out, struct nt_fault *fault)
{
	bool linear;
	const enum hs_status status = close_indirect(d, s, out, &linear, fault);

	return status == HS_OK ? take_address(d, s, linear, out, fault) : status;
}

static enum hs_status end_correlation(struct hs_nt_decoder *d, struct hs_nt_source *s,
                                      struct flow_out *out, struct nt_fault *fault)
{
	if (at_jump(s))
		flow_close_jump(&s->walk, s->table, out);
	else if (s->stop != FLOW_DONE)
		return walk_fault(s, fault);
	close_open(s, out);
	put_event(out, HS_KIND_STOP, 0, (unsigned)GET(&d->msg, EVCODE));
	s->state = NT_OFF;
	return HS_OK;
}

/* ProgTraceSync while synchronised: trace restarts (NT 7.5), or a mark on the way. */
static enum hs_status end_sync(struct hs_nt_decoder *d, struct hs_nt_source *s,
                               struct flow_out *out, struct nt_fault *fault)
{
	const unsigned sync = (unsigned)GET(&d->msg, SYNC);

	if (sync == 7)
		return blame(fault, HS_E_LOST, "NT 8.5", "restart from FIFO overrun");
	if (!is_restart(sync)) {
		pass_inferable(s, out);
		if (s->stop != FLOW_DONE)
			return walk_fault(s, fault);
		return take_address(d, s, true, out, fault);
	}
	if (at_jump(s))
		flow_close_jump(&s->walk, s->table, out);
	else if (s->stop != FLOW_DONE)
		return walk_fault(s, fault);
	close_open(s, out);
	nt_source_sync(d, s, out);
	return HS_OK;
}

static enum hs_status end_direct_sync(struct hs_nt_decoder *d, struct hs_nt_source *s,
                                      struct flow_out *out, struct nt_fault *fault)
{
	pass_inferable(s, out);
	if (s->stop != FLOW_DONE && s->stop != FLOW_NOT_BRANCH)
		return walk_fault(s, fault);
	return take_address(d, s, true, out, fault);
}

/* I-CNT of ResourceFull may end at a jump: what follows says whether its target is reported. */
static enum hs_status end_plain(const struct hs_nt_decoder *d, struct hs_nt_source *s,
                                struct nt_fault *fault)
{
	if (s->evidence.mode == FLOW_HISTORY)
		s->icnt_used += FLOW_FAR - s->evidence.left;
	if (d->msg.tcode == HS_NT_RESOURCE_FULL && at_jump(s))
		return HS_OK;
	return s->stop == FLOW_DONE ? HS_OK : walk_fault(s, fault);
}

static enum hs_status end(struct hs_nt_decoder *d, struct hs_nt_source *s, struct flow_out *out,
                          struct nt_fault *fault)
{
	switch (d->msg.tcode) {
	case HS_NT_INDIRECT_BRANCH:
	case HS_NT_INDIRECT_BRANCH_SYNC:
	case HS_NT_INDIRECT_BRANCH_HIST:
	case HS_NT_INDIRECT_BRANCH_HIST_SYNC:
		return end_indirect(d, s, out, fault);
	case HS_NT_PROG_TRACE_CORRELATION:
		return end_correlation(d, s, out, fault);
	case HS_NT_PROG_TRACE_SYNC:
		return end_sync(d, s, out, fault);
	case HS_NT_DIRECT_BRANCH_SYNC:
		return end_direct_sync(d, s, out, fault);
	default:
		return end_plain(d, s, fault);
	}
}

/* The same evidence once more: HREPEAT of ResourceFull, B-CNT of RepeatBranch. */
static enum hs_status again(struct hs_nt_decoder *d, struct hs_nt_source *s, struct nt_fault *fault)
{
	const uint64_t repeat = s->repeat - 1;
	enum hs_status status;

	memset(&s->evidence, 0, sizeof s->evidence);
	if (d->msg.tcode == HS_NT_RESOURCE_FULL)
		status = begin_full(d, s, fault);
	else
		status = begin_count(s, &d->msg, fault);
	s->repeat = repeat;
	return status;
}

/* TSTAMP: absolute in synchronising messages, else since the last one (NT 8.7). */
static void take_time(const struct hs_nt_decoder *d, struct hs_nt_source *s, struct flow_out *out)
{
	const struct hs_nt_msg *m = &d->msg;

	if (!HAS(m, TSTAMP))
		return;
	if (HAS(m, SYNC)) {
		s->time = GET(m, TSTAMP);
		s->timed = true;
	} else if (d->dialect->tstamp_xor) {
		s->time ^= GET(m, TSTAMP);
	} else {
		s->time += GET(m, TSTAMP);
	}
	if (s->timed && s->state != NT_LOST)
		put_event(out, HS_KIND_TIME, s->time, 0);
}

enum hs_status nt_source_run(struct hs_nt_decoder *d, struct hs_nt_source *s, struct flow_out *out,
                             struct nt_fault *fault)
{
	enum hs_status status = HS_OK;
	bool walk = true;

	if (s->phase == NT_BEGIN) {
		if (out->end - out->p < NT_STEP_ROOM)
			return HS_FULL;
		s->repeat = 0;
		status = begin(d, s, out, &walk, fault);
	}
	while (status == HS_OK && walk) {
		if (s->phase != NT_END) {
			s->phase = NT_WALK;
			s->stop = (uint8_t)flow_walk(&s->walk, s->table, &s->evidence, out);
			if (s->stop == FLOW_FULL)
				return HS_FULL;
			s->phase = NT_END;
		}
		if (out->end - out->p < NT_STEP_ROOM)
			return HS_FULL;
		status = end(d, s, out, fault);
		s->phase = NT_WALK;
		walk = s->repeat != 0 && status == HS_OK;
		if (walk)
			status = again(d, s, fault);
	}
	s->phase = NT_BEGIN;
	if (status != HS_OK)
		s->state = NT_LOSING;
	else
		take_time(d, s, out);
	return status;
}

/* The message of two bytes that nt_source_direct() could not finish. */
static void hand_over(struct hs_nt_decoder *d, struct hs_nt_source *s, uint64_t icnt)
{
	struct hs_nt_msg *m = &d->msg;

	m->offset = d->reader.offset;
	m->length = 2;
	m->tcode = HS_NT_DIRECT_BRANCH;
	m->known = true;
	m->src = s->src;
	m->addr_bits = 0;
	m->present = (uint32_t)1 << HS_NTF_ICNT;
	m->field[HS_NTF_ICNT] = icnt;
	s->repeat = 0;
	s->phase = s->stop == FLOW_FULL ? NT_WALK : NT_END;
}

bool nt_source_direct(struct hs_nt_decoder *d, struct hs_nt_source *s, struct hs_span *in,
                      struct flow_out *out)
{
	struct hs_evidence *e = &s->evidence;
	const uint8_t *p = in->p;
	uint64_t icnt = 0;

	memset(e, 0, sizeof *e);
	e->mode = FLOW_TO_BRANCH;
	s->stop = FLOW_DONE;
	while (in->n - (size_t)(p - in->p) >= 2 && p[0] == HS_NT_DIRECT_BRANCH << 2 &&
	       (p[1] & 3) == 3 && out->end - out->p >= NT_STEP_ROOM && s->stop == FLOW_DONE) {
		icnt = p[1] >> 2;
		e->left = icnt;
		s->stop = (uint8_t)flow_walk(&s->walk, s->table, e, out);
		p += 2;
	}
	const size_t n = (size_t)(p - in->p);
	if (n == 0)
		return false;
	d->stats.messages[HS_NT_DIRECT_BRANCH] += n / 2;
	d->stats.bytes[HS_NT_DIRECT_BRANCH] += n;
	s->last_tcode = HS_NT_DIRECT_BRANCH;
	s->last_present = (uint32_t)1 << HS_NTF_ICNT;
	s->last[1] = icnt;
	d->reader.offset += n - 2;
	if (s->stop != FLOW_DONE)
		hand_over(d, s, icnt);
	d->reader.offset += 2;
	in->p += n;
	in->n -= n;
	return s->stop != FLOW_DONE;
}
