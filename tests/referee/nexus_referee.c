/* The second decoder of N-Trace. */
#include "referee/nexus_referee.h"

#include <string.h>

/* SYNC (NT Table 25). */
enum {
	AFTER_RESET = 1, AFTER_DEBUG = 3, TRACE_ENABLED = 5, AFTER_OVERRUN = 7, POWER_ON = 9,
	SAMPLE = 15 /* SiFive encoders */
};
/* B-TYPE (NT 6.2): 0 for a jump, 1 to 3 for traps. */
enum { BRANCH_INTERRUPT = 3 };

/* How the instructions that a message counts end. */
enum ending { ANYWHERE, TAKEN /* with a branch that is taken */ };

void nexus_start(struct nexus_referee *r, const struct nexus_parameters *p)
{
	memset(r, 0, sizeof(*r));
	r->p = *p;
}

unsigned nexus_source_of(struct nexus_referee *r, const struct nexus_message *m)
{
	unsigned i = 0;

	while (i < r->sources && r->source[i].src != m->src)
		i++;
	if (i == r->sources && i < NEXUS_SOURCES)
		r->source[r->sources++].src = m->src;
	return i;
}

bool nexus_waits(const struct nexus_source *s)
{
	return s->count || s->used < s->outcomes;
}

static void report(struct nexus_referee *r, const struct nexus_source *s, enum nexus_item item,
                   uint64_t value, unsigned more)
{
	r->report(r->to, (unsigned)(s - r->source), item, value, more);
}

static bool refuse(struct nexus_referee *r, const char *why)
{
	r->error = why;
	return false;
}

static uint64_t in_xlen(const struct nexus_referee *r, uint64_t v)
{
	return r->p.xlen == 32 ? v & UINT32_MAX : v;
}

/* ---- addresses (NT 8.1, 8.2) -------------------------------------------------------------- */

/* An address without its bit 0.  Where the field has a width, its top bit goes on up to the top,
 * else the last bit of the last MDO of F-ADDR and U-ADDR. */
static uint64_t address_of(const struct nexus_referee *r, const struct nexus_message *m,
                           enum nexus_field f)
{
	const bool sent = r->p.extend && (f == NX_FADDR || f == NX_UADDR);
	const unsigned n = r->p.field ? r->p.field : sent ? m->width[f] : 0;
	uint64_t v = m->value[f];

	if (n > 0 && n <= 63 && v >> (n - 1) & 1)
		for (unsigned i = n; i < 64; i++)
			v |= (uint64_t)1 << i;
	return in_xlen(r, v << 1);
}

static void go_to(struct nexus_source *s, uint64_t pc)
{
	s->pc = pc;
	s->any = s->at_jump = false;
}

/* Messages of SiFive encoders that do not touch the flow. */
static bool is_more(const struct nexus_referee *r, const struct nexus_message *m)
{
	const bool sample = m->has[NX_SYNC] && m->value[NX_SYNC] == SAMPLE;

	return r->p.sifive && (sample || m->tcode == NX_ACQUISITION || m->tcode == NX_CIRCUIT ||
	                       m->tcode == NX_CIRCUIT_FULL);
}

/* ---- timestamps (NT 8.7) ------------------------------------------------------------------ */

static void take_time(struct nexus_referee *r, struct nexus_source *s,
                      const struct nexus_message *m)
{
	if (!m->has[NX_TSTAMP])
		return;
	if (m->has[NX_SYNC] || m->tcode == NX_CIRCUIT_FULL) {
		s->time = m->value[NX_TSTAMP];
		s->timed = true;
	} else if (r->p.sifive) {
		s->time ^= m->value[NX_TSTAMP];
	} else {
		s->time += m->value[NX_TSTAMP];
	}
	if (s->timed && (s->begun || is_more(r, m)))
		report(r, s, NEXUS_TIME, s->time, 0);
}

/* ---- following starts and ends ------------------------------------------------------------ */

static void forget(struct nexus_source *s)
{
	s->count = 0;
	s->outcomes = s->used = 0;
	s->depth = 0;
	s->has_previous = false;
}

static void synchronise(struct nexus_referee *r, struct nexus_source *s,
                        const struct nexus_message *m)
{
	forget(s);
	s->followed = s->begun = true;
	s->reference = address_of(r, m, NX_FADDR);
	s->referred = true;
	go_to(s, s->reference);
	report(r, s, NEXUS_SYNC, s->reference, (unsigned)m->value[NX_SYNC]);
}

static void lose(struct nexus_referee *r, struct nexus_source *s)
{
	if (!s->followed)
		return;
	report(r, s, NEXUS_LOST, 0, 0);
	s->followed = s->begun = s->timed = s->referred = false;
	forget(s);
}

void nexus_lose_all(struct nexus_referee *r)
{
	for (unsigned i = 0; i < r->sources; i++)
		lose(r, &r->source[i]);
}

/* ---- jumps (NT 9.1, 9.2) ------------------------------------------------------------------ */

static void push(struct nexus_source *s, uint64_t after)
{
	if (s->depth == NEXUS_CALLS)
		memmove(s->calls, s->calls + 1, --s->depth * sizeof(*s->calls));
	s->calls[s->depth++] = after;
}

/* What a call or a return does to the return addresses. */
static void use_calls(struct nexus_source *s, const struct instr *i, uint64_t after)
{
	if ((instr_is_return(i) || instr_is_swap(i)) && s->depth)
		s->depth--;
	if (instr_is_call(i))
		push(s, after);
}

/* The last instruction is an indirect jump: where does it lead?  False: only the trace can say. */
static bool infer(struct nexus_referee *r, struct nexus_source *s)
{
	const struct instr *jump = &s->last, *before = &s->before;
	const uint64_t after = in_xlen(r, s->last_at + jump->size);
	uint64_t target;

	if (r->p.sequential && jump->opcode == JALR && s->paired && before->rd != 0 &&
	    before->rd == jump->rs1 && (before->opcode == LUI || before->opcode == AUIPC)) {
		target = (uint64_t)before->imm + (uint64_t)jump->imm;
		target += before->opcode == AUIPC ? s->before_at : 0;
		target = in_xlen(r, target) & ~(uint64_t)1;
	} else if (r->p.returns && (instr_is_return(jump) || instr_is_swap(jump)) && s->depth) {
		target = s->calls[s->depth - 1];
	} else {
		return false;
	}
	use_calls(s, jump, after);
	go_to(s, target);
	return true;
}

/* ---- the way (NT 11.1) -------------------------------------------------------------------- */

/* A branch, or a direct jump that is reported like one: is it taken? */
static bool take_outcome(struct nexus_referee *r, struct nexus_source *s, bool last, bool *taken)
{
	if (s->used < s->outcomes)
		*taken = s->history[s->used++];
	else if (s->mode == NEXUS_HTM)
		return refuse(r, "a branch without its bit of HIST");
	else
		*taken = last;
	return s->last.opcode == BRANCH || *taken || refuse(r, "a direct jump is not taken");
}

/* The next instruction becomes the last one. */
static bool retire(struct nexus_referee *r, struct nexus_source *s)
{
	const uint64_t at = s->pc;
	uint16_t half;

	s->paired = s->any && s->last_at + s->last.size == at;
	s->before = s->last;
	s->before_at = s->last_at;
	if (!instr_get(r->fetch, r->program, r->p.xlen, at, &s->last) ||
	    !r->fetch(r->program, at + s->last.size - 2, &half))
		return refuse(r, "no code");
	if (s->last.size / 2 > s->count)
		return refuse(r, "I-CNT ends inside an instruction");
	if (++r->steps > NEXUS_STEPS)
		r->unclear = "a long way";
	s->last_at = at;
	s->any = true;
	s->count -= s->last.size / 2;
	s->pc = in_xlen(r, at + s->last.size);
	report(r, s, NEXUS_PC, at, 0);
	return true;
}

static bool step(struct nexus_referee *r, struct nexus_source *s, enum ending ending)
{
	const uint64_t at = s->pc;
	bool taken = true;

	if (!retire(r, s))
		return false;
	switch (s->last.opcode) {
	case JAL:
		use_calls(s, &s->last, s->pc);
		/* fall through */
	case BRANCH:
		if ((s->last.opcode == BRANCH || r->p.all_jumps) &&
		    !take_outcome(r, s, ending == TAKEN && s->count == 0, &taken))
			return false;
		if (taken)
			s->pc = in_xlen(r, at + (uint64_t)s->last.imm);
		return true;
	case JALR:
	case XRET:
		s->at_jump = s->count == 0 && s->used == s->outcomes;
		return s->at_jump || infer(r, s) || refuse(r, "a jump inside a count");
	default:
		return true;
	}
}

/* Follow @count half-words and those that wait. */
static bool walk(struct nexus_referee *r, struct nexus_source *s, uint64_t count,
                 enum ending ending)
{
	s->count += count;
	if (s->count && s->at_jump && !infer(r, s))
		return refuse(r, "a jump before a count");
	while (s->count && !r->unclear)
		if (!step(r, s, ending))
			return false;
	if (!r->unclear && s->used < s->outcomes)
		return refuse(r, "HIST has more branches than there were");
	s->outcomes = s->used = 0;
	return true;
}

/* The bit below the stop bit is the first branch (NT 8.3). */
static bool add_history(struct nexus_referee *r, struct nexus_source *s, uint64_t hist,
                        uint64_t times)
{
	unsigned stop = 63;

	if (hist == 0)
		return refuse(r, "HIST without its stop bit");
	while (!(hist >> stop & 1))
		stop--;
	if (s->outcomes + stop * times > NEXUS_HISTORY) {
		r->unclear = "more branches than are kept";
		return true;
	}
	while (times-- > 0)
		for (unsigned i = stop; i > 0; i--)
			s->history[s->outcomes++] = hist >> (i - 1) & 1;
	return true;
}

/* ---- what a message ends with ------------------------------------------------------------- */

static bool is_restart(const struct nexus_message *m)
{
	const uint64_t sync = m->value[NX_SYNC];

	return sync == AFTER_RESET || sync == AFTER_DEBUG || sync == TRACE_ENABLED ||
	       sync == AFTER_OVERRUN || sync == POWER_ON;
}

static bool at_environment(const struct nexus_source *s)
{
	return s->any && (s->last.opcode == ECALL || s->last.opcode == EBREAK);
}

/* The flow stops here.  rc7, Table 2: ecall is reported after retirement. */
static void end_flow(struct nexus_referee *r, struct nexus_source *s)
{
	if (at_environment(s))
		report(r, s, NEXUS_TRAP, 0, 0);
}

/* No jump asked for the message: the flow goes on. */
static bool leave_jump(struct nexus_referee *r, struct nexus_source *s)
{
	return !s->at_jump || infer(r, s) || refuse(r, "where the jump leads is not said");
}

/* F-ADDR of a message that the flow did not ask for, so that it has to be where the flow is, unless
 * the trace starts again (NT 8.5). */
static bool mark(struct nexus_referee *r, struct nexus_source *s, const struct nexus_message *m)
{
	const uint64_t pc = s->pc, address = address_of(r, m, NX_FADDR);

	if (!is_restart(m) && pc != address)
		return refuse(r, "F-ADDR is not where the flow leads");
	if (is_restart(m)) {
		end_flow(r, s);
		synchronise(r, s, m);
		return true;
	}
	forget(s);
	s->reference = address;
	report(r, s, NEXUS_SYNC, address, (unsigned)m->value[NX_SYNC]);
	return true;
}

static bool end_indirect(struct nexus_referee *r, struct nexus_source *s,
                         const struct nexus_message *m)
{
	const uint64_t type = m->value[NX_BTYPE];

	if (type == 0 && s->at_jump) {
		use_calls(s, &s->last, in_xlen(r, s->last_at + s->last.size));
	} else if (!leave_jump(r, s)) {
		return false;
	} else if (type || at_environment(s)) {
		report(r, s, NEXUS_TRAP, type == BRANCH_INTERRUPT, 0);
	} else if (m->has[NX_SYNC]) {
		return mark(r, s, m);
	} else {
		return refuse(r, "the last instruction is no indirect jump");
	}
	if (m->has[NX_SYNC]) {
		synchronise(r, s, m);
		return true;
	}
	s->reference ^= address_of(r, m, NX_UADDR);
	go_to(s, s->reference);
	return true;
}

static bool is_taken(const struct nexus_referee *r, const struct nexus_source *s)
{
	return s->any && (s->last.opcode == BRANCH || (r->p.all_jumps && s->last.opcode == JAL));
}

/* ---- messages ----------------------------------------------------------------------------- */

/* A message with I-CNT. */
static bool take_count(struct nexus_referee *r, struct nexus_source *s,
                       const struct nexus_message *m)
{
	const bool direct = m->tcode == NX_DIRECT || m->tcode == NX_DIRECT_SYNC;
	const bool some = s->count + m->value[NX_ICNT] > 0;

	if (m->has[NX_HIST] && !add_history(r, s, m->value[NX_HIST], 1))
		return false;
	if (!walk(r, s, m->value[NX_ICNT], direct ? TAKEN : ANYWHERE))
		return false;
	switch (m->tcode) {
	case NX_DIRECT:
		return (some && is_taken(r, s)) || refuse(r, "the last instruction is no branch");
	case NX_CORRELATION:
		end_flow(r, s);
		report(r, s, NEXUS_STOP, m->value[NX_EVCODE], 0);
		s->followed = false;
		return true;
	case NX_PROG_SYNC:
		s->at_jump &= !is_restart(m);
		return leave_jump(r, s) && mark(r, s, m);
	case NX_DIRECT_SYNC:
		return leave_jump(r, s) && mark(r, s, m);
	default:
		return end_indirect(r, s, m);
	}
}

static bool take_full(struct nexus_referee *r, struct nexus_source *s,
                      const struct nexus_message *m)
{
	const uint64_t data = m->value[NX_RDATA];

	if (m->value[NX_RCODE] == 8 || m->value[NX_RCODE] == 9)
		return data == 0 || add_history(r, s, m->value[NX_RCODE] == 9 ? 3 : 2, data);
	if (m->value[NX_RCODE] > 0)
		return add_history(r, s, data, m->has[NX_HREPEAT] ? m->value[NX_HREPEAT] : 1);
	if (s->mode == NEXUS_BTM) /* no branch is taken: it needs no HIST */
		return walk(r, s, data, ANYWHERE);
	s->count += data;
	return true;
}

static bool take_repeat(struct nexus_referee *r, struct nexus_source *s,
                        const struct nexus_message *m)
{
	if (!s->has_previous)
		return refuse(r, "there is no branch message to repeat");
	if (r->p.sifive) /* the same target again */
		s->previous.value[NX_UADDR] = 0;
	for (uint64_t i = 0; i < m->value[NX_BCNT] && !r->unclear; i++)
		if (!take_count(r, s, &s->previous))
			return false;
	return true;
}

static bool take_flow(struct nexus_referee *r, struct nexus_source *s,
                      const struct nexus_message *m)
{
	/* What was lost is not said by the message that starts again (NT Table 25). */
	if (m->has[NX_SYNC] && m->value[NX_SYNC] == AFTER_OVERRUN)
		return refuse(r, "messages were lost");
	switch (m->tcode) {
	case NX_ERROR:
		return refuse(r, "messages were lost");
	case NX_RESOURCE_FULL:
		return take_full(r, s, m);
	case NX_REPEAT:
		return take_repeat(r, s, m);
	case NX_DIRECT:
	case NX_INDIRECT:
	case NX_INDIRECT_HIST:
		s->previous = *m;
		s->has_previous = true;
		return take_count(r, s, m);
	default:
		return take_count(r, s, m);
	}
}

/* A stream is BTM or HTM; only the one has HIST, and only the other DirectBranch (NT 5, 7). */
static void learn_mode(struct nexus_referee *r, struct nexus_source *s,
                       const struct nexus_message *m)
{
	const bool direct = m->tcode == NX_DIRECT || m->tcode == NX_DIRECT_SYNC;
	const bool history = m->has[NX_HIST] || (m->has[NX_RCODE] && m->value[NX_RCODE]);
	const unsigned mode = history ? NEXUS_HTM : direct ? NEXUS_BTM : s->mode;

	if (s->mode != mode && s->mode != NEXUS_UNKNOWN && nexus_waits(s))
		r->unclear = "BTM becomes HTM while something waits";
	s->mode = mode;
}

static void take_unfollowed(struct nexus_referee *r, struct nexus_source *s,
                            const struct nexus_message *m)
{
	s->begun |= m->tcode == NX_CORRELATION;
	if (m->tcode == NX_CORRELATION) /* trace starts disabled (NT 8.6) */
		report(r, s, NEXUS_STOP, m->value[NX_EVCODE], 0);
	else if (m->has[NX_SYNC])
		synchronise(r, s, m);
	else if (m->has[NX_UADDR])
		s->reference ^= address_of(r, m, NX_UADDR);
	else if (m->tcode == NX_REPEAT)
		s->referred = false;
}

/* ---- messages of SiFive encoders (design/nt-vendor)
 * ------------------------------------------------ */

static uint64_t take_reference(struct nexus_referee *r, struct nexus_source *s,
                               const struct nexus_message *m, enum nexus_field f, bool full)
{
	s->reference = address_of(r, m, f) ^ (full ? 0 : s->reference);
	s->referred = true;
	return s->reference;
}

/* False: nothing is said of it. */
static bool take_circuit(struct nexus_referee *r, struct nexus_source *s,
                         const struct nexus_message *m)
{
	const unsigned cksrc = (unsigned)m->value[NX_CKSRC];
	const bool pair = m->value[NX_CKDF] == 1, full = m->tcode == NX_CIRCUIT_FULL;
	const bool address = !(cksrc == 12 || (cksrc == 0 && !pair));
	uint64_t first = m->value[NX_CKDATA0], second = m->value[NX_CKDATA1];

	if (cksrc > 0 && cksrc < 8)
		return refuse(r, "CKSRC is reserved");
	if (address && !full && !s->referred)
		return true;
	if (address)
		first = take_reference(r, s, m, NX_CKDATA0, full);
	if (cksrc == 9 && pair)
		second = take_reference(r, s, m, NX_CKDATA1, false);
	report(r, s, NEXUS_CIRCUIT, first, cksrc);
	if (pair)
		report(r, s, NEXUS_SECOND, second, cksrc);
	return true;
}

/* What does not touch the flow. */
static bool take_more(struct nexus_referee *r, struct nexus_source *s,
                      const struct nexus_message *m)
{
	if (m->tcode == NX_ACQUISITION)
		report(r, s, NEXUS_DATUM, m->value[NX_DQDATA],
		       (unsigned)(m->value[NX_IDTAG] < 0xffff ? m->value[NX_IDTAG] : 0xffff));
	else if (m->has[NX_SYNC])
		report(r, s, NEXUS_SYNC, take_reference(r, s, m, NX_FADDR, true), SAMPLE);
	else
		return take_circuit(r, s, m);
	return true;
}

static void put_context(struct nexus_referee *r, struct nexus_source *s,
                        const struct nexus_message *m)
{
	const uint64_t process = m->value[NX_PROCESS];

	report(r, s, NEXUS_CONTEXT, process >> 5, (unsigned)(process & 31));
}

void nexus_take(struct nexus_referee *r, const struct nexus_message *m)
{
	const unsigned i = nexus_source_of(r, m);
	struct nexus_source *s = &r->source[i];

	r->error = NULL;
	r->unclear = m->unclear;
	r->steps = 0;
	if (i == NEXUS_SOURCES || !m->known)
		return;
	if (m->tcode != NX_OWNERSHIP && m->tcode != NX_ERROR && !is_more(r, m))
		learn_mode(r, s, m);
	if (m->tcode == NX_OWNERSHIP)
		put_context(r, s, m);
	else if (is_more(r, m)) {
		if (!take_more(r, s, m)) {
			const bool followed = s->followed;

			s->referred = false;
			lose(r, s);
			if (followed)
				return;
		}
	} else if (!s->followed)
		take_unfollowed(r, s, m);
	else if (!take_flow(r, s, m)) {
		const bool timed = s->timed;

		lose(r, s);
		if (m->tcode == NX_ERROR && timed && m->has[NX_TSTAMP])
			report(r, s, NEXUS_TIME,
			       r->p.sifive ? s->time ^ m->value[NX_TSTAMP]
			                   : s->time + m->value[NX_TSTAMP],
			       0);
		if (!m->has[NX_SYNC])
			return;
		synchronise(r, s, m);
	}
	take_time(r, s, m);
}
