/* The second decoder of E-Trace.  Names are those of the pseudo-code (ET Decoder). */
#include "referee/etrace_referee.h"

#include <string.h>

#include "referee/instructions.h"

#define STEPS_MAX 4000000u

/* ---- the packet, field by field (ET Instruction Trace Encoder Output Packets) ------------- */

struct te_inst {
	const uint8_t *payload;
	size_t bits, at;
	unsigned format, subformat, branches, branch_fmt, index, privilege, ecause, irdepth;
	/* irdepth is irets where the parameters say so */
	uint64_t branch_map, branch_count, address, tval;
	unsigned time_width, f0s_width, return_stack_size, call_counter_size;
	unsigned bpred_size, cache_size;
	bool resync_disabled, iret_ext;
	unsigned branch, interrupt, thaddr, qual_status, ioptions, notify, updiscon, irreport;
	bool has_address, has_notify, has_updiscon, has_irreport;
	bool notified, disconned, ir_reported; /* the bit differs from the one before it */
};

/* The payload is extended by its last bit for ever (sign based compression). */
static unsigned bit(const struct te_inst *te, size_t i)
{
	if (i >= te->bits)
		i = te->bits - 1;
	return te->payload[i / 8] >> i % 8 & 1;
}

static uint64_t field(struct te_inst *te, unsigned width)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < width; i++)
		v |= (uint64_t)bit(te, te->at + i) << i;
	te->at += width;
	return v;
}

static unsigned flag_unlike_last(struct te_inst *te, bool *differs)
{
	const unsigned before = bit(te, te->at - 1), now = (unsigned)field(te, 1);

	*differs = now != before;
	return now;
}

static unsigned address_bits(const struct referee *r)
{
	return r->p.iaddress_width - r->p.iaddress_lsb;
}

static unsigned irdepth_bits(const struct referee *r)
{
	if (r->p.iret_ext)
		return 8;
	return r->p.return_stack_size + (r->p.return_stack_size > 0) + r->p.call_counter_size;
}

static void tail_fields(const struct referee *r, struct te_inst *te)
{
	flag_unlike_last(te, &te->ir_reported);
	te->irdepth = (unsigned)field(te, irdepth_bits(r));
}

static void address_fields(const struct referee *r, struct te_inst *te)
{
	te->has_address = true;
	te->address = field(te, address_bits(r));
	flag_unlike_last(te, &te->notified);
	flag_unlike_last(te, &te->disconned);
	tail_fields(r, te);
}

static unsigned map_bits(unsigned branches)
{
	unsigned n = 31;

	if (branches == 0)
		return 31;
	while (n / 2 >= branches)
		n /= 2;
	return n;
}

static void parse_format0(const struct referee *r, struct te_inst *te)
{
	if (r->p.f0s_width)
		te->subformat = (unsigned)field(te, r->p.f0s_width);
	else
		te->subformat = r->options & REFEREE_CACHE ? 1 : 0;
	if (te->subformat == 0) {
		te->branch_count = field(te, 32);
		te->branch_fmt = (unsigned)field(te, 2);
		if (te->branch_fmt >= 2)
			address_fields(r, te);
		return;
	}
	te->index = (unsigned)field(te, r->p.cache_size);
	te->branches = (unsigned)field(te, 5);
	if (te->branches)
		te->branch_map = field(te, map_bits(te->branches));
	te->has_address = true;
	tail_fields(r, te);
}

static void parse_place(const struct referee *r, struct te_inst *te)
{
	te->branch = te->subformat == 2 ? 0 : (unsigned)field(te, 1);
	te->privilege = (unsigned)field(te, r->p.privilege_width);
	if (!r->p.notime)
		field(te, r->p.time_width);
	if (!r->p.nocontext)
		field(te, r->p.context_width);
}

/* The support packet of 2.1, from sijump on: "Packet format 3, subformat 3 suitable for self-hosted
 * applications". */
static void parse_standard(const struct referee *r, struct te_inst *te)
{
	static const unsigned flag[] = { REFEREE_SIJUMP, REFEREE_RETURN,    REFEREE_PREDICTION,
		                         REFEREE_CACHE,  REFEREE_EXCEPTION, REFEREE_FULL };

	for (unsigned i = 0; i < 6; i++)
		te->ioptions |= field(te, 1) ? flag[i] : 0;
	te->resync_disabled = field(te, 1);
	te->iret_ext = field(te, 1);
	te->time_width = 16 * (unsigned)field(te, 3);
	te->f0s_width = (unsigned)field(te, 2);
	te->return_stack_size = (unsigned)field(te, 3);
	te->call_counter_size = (unsigned)field(te, 4);
	te->bpred_size = (unsigned)field(te, 3);
	te->cache_size = (unsigned)field(te, 3);
	te->at += 7 + r->p.other_width; /* data trace, other */
}

static void parse_format3(const struct referee *r, struct te_inst *te)
{
	te->subformat = (unsigned)field(te, 2);
	if (te->subformat == 3) {
		field(te, 1 + r->p.mode_bits);
		te->qual_status = (unsigned)field(te, 2);
		if (r->p.standard) {
			parse_standard(r, te);
			return;
		}
		te->ioptions = (unsigned)field(te, r->p.option_count);
		return;
	}
	parse_place(r, te);
	if (te->subformat == 0)
		te->address = field(te, address_bits(r));
	if (te->subformat != 1)
		return;
	te->ecause = (unsigned)field(te, r->p.ecause_width);
	te->interrupt = (unsigned)field(te, 1);
	te->thaddr = (unsigned)field(te, 1);
	if (!(r->options & REFEREE_EXCEPTION && te->thaddr))
		te->address = field(te, address_bits(r));
	if (!te->interrupt)
		te->tval = field(te, r->p.iaddress_width);
}

static void parse(const struct referee *r, struct te_inst *te)
{
	te->format = (unsigned)field(te, 2);
	switch (te->format) {
	case 0:
		parse_format0(r, te);
		break;
	case 1:
		te->branches = (unsigned)field(te, 5);
		te->branch_map = field(te, map_bits(te->branches));
		if (te->branches)
			address_fields(r, te);
		break;
	case 2:
		address_fields(r, te);
		break;
	default:
		parse_format3(r, te);
	}
}

/* ---- instructions ------------------------------------------------------------------------ */

static bool get_instr(struct referee *r, uint64_t addr, struct instr *i)
{
	if (instr_get(r->fetch, r->program, r->p.xlen, addr, i))
		return true;
	r->error = "no code";
	return false;
}

static bool is_branch_at(struct referee *r, uint64_t addr)
{
	struct instr i;

	return get_instr(r, addr, &i) && i.opcode == BRANCH;
}

static bool is_uninferable_discon(const struct instr *i)
{
	return i->opcode == JALR || i->opcode == XRET;
}

/* ---- branches: a map, then predictions ----------------------------------------------------- */

enum { MAP, PREDICTED, FAILED };

static uint64_t branches(const struct referee *r)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < r->runs; i++)
		n += r->run[i].n;
	return n;
}

static void add_branches(struct referee *r, unsigned kind, uint64_t n, uint64_t bits)
{
	if (n == 0)
		return;
	if (r->runs == REFEREE_RUNS) {
		r->error = "more branches than are kept";
		return;
	}
	r->run[r->runs].kind = kind;
	r->run[r->runs].n = n;
	r->run[r->runs++].bits = bits;
}

static uint64_t table_index(const struct referee *r, uint64_t addr, unsigned bits)
{
	return addr >> (r->p.compressed ? 1 : 2) & (((uint64_t)1 << bits) - 1);
}

/* 00 and 01 predict not taken, 10 and 11 taken (ET Branch prediction mode). */
static uint8_t next_state(uint8_t state, bool taken)
{
	switch (state) {
	case 0:
		return taken ? 1 : 0;
	case 1:
		return taken ? 3 : 0;
	case 3:
		return taken ? 3 : 2;
	default:
		return taken ? 3 : 0;
	}
}

static bool take_branch(struct referee *r, uint64_t addr)
{
	uint8_t *state = &r->predictor[table_index(r, addr, r->p.bpred_size)];
	bool taken = *state >> 1;

	if (branches(r) == 0) {
		r->error = "cannot resolve branch";
		return false;
	}
	if (r->run[0].kind == MAP) {
		taken = !(r->run[0].bits & 1);
		r->run[0].bits >>= 1;
	} else if (r->run[0].kind == FAILED) {
		taken = !taken;
	}
	if (--r->run[0].n == 0) {
		r->runs--;
		memmove(&r->run[0], &r->run[1], r->runs * sizeof(r->run[0]));
	}
	if (r->options & REFEREE_PREDICTION)
		*state = next_state(*state, taken);
	return taken;
}

static bool unprocessed_branches(struct referee *r, uint64_t addr)
{
	return branches(r) != (is_branch_at(r, addr) ? 1u : 0u);
}

static void clear_tables(struct referee *r)
{
	memset(r->predictor, 1, (size_t)1 << r->p.bpred_size);
	memset(r->cached, 0, (size_t)1 << r->p.cache_size);
}

/* ---- return stack -------------------------------------------------------------------------- */

static void push_return_stack(struct referee *r, uint64_t link)
{
	const unsigned bits =
		r->p.return_stack_size ? r->p.return_stack_size : r->p.call_counter_size;
	const unsigned max = 1u << bits;

	if (!(r->options & REFEREE_RETURN))
		return;
	if (r->irstack_depth == max) {
		r->irstack_depth--;
		memmove(r->stack, r->stack + 1, r->irstack_depth * sizeof(*r->stack));
	}
	r->stack[r->irstack_depth++] = link;
}

static bool is_return_at(const struct referee *r, uint64_t addr)
{
	struct instr i;

	return instr_get(r->fetch, r->program, r->p.xlen, addr, &i) && instr_is_return(&i);
}

/* 2.1: a return is popped, and counted, where the path arrives at it.  Departs: it is counted, and
 * counts are compared, with an empty stack, too: 2.1 stops at the return that empties the stack,
 * where the packet is of the next time that it comes there. */
static void arrive(struct referee *r)
{
	r->prt_valid = false;
	if (!r->p.iret_ext || !(r->options & REFEREE_RETURN) || !is_return_at(r, r->pc))
		return;
	r->irets++;
	if (r->irstack_depth == 0)
		return;
	r->popped_return_target = r->stack[--r->irstack_depth];
	r->prt_valid = true;
}

static bool unprocessed_implicit_returns(const struct referee *r, const struct te_inst *te)
{
	return r->p.iret_ext && te->ir_reported && te->irdepth > r->irets;
}

static bool is_implicit_return_by_count(struct referee *r, const struct te_inst *te,
                                        uint64_t address)
{
	if (te->ir_reported && !unprocessed_branches(r, address) && te->irdepth == r->irets - 1)
		return false;
	return r->prt_valid;
}

static bool is_implicit_return(struct referee *r, const struct te_inst *te, const struct instr *i,
                               uint64_t address)
{
	if (!(r->options & REFEREE_RETURN) || !instr_is_return(i))
		return false;
	if (r->p.iret_ext)
		return is_implicit_return_by_count(r, te, address);
	if (te->ir_reported && te->irdepth == r->irstack_depth)
		return false;
	return r->irstack_depth > 0;
}

/* ---- the program counter ------------------------------------------------------------------- */

static uint64_t in_xlen(const struct referee *r, uint64_t addr)
{
	return r->p.xlen == 32 ? addr & UINT32_MAX : addr;
}

static bool is_sequential_jump(struct referee *r, const struct instr *i, uint64_t *target)
{
	struct instr prev;

	if (!(r->options & REFEREE_SIJUMP) || i->opcode != JALR || r->last_pc == r->pc)
		return false;
	/* Departs: sijump is ignored at a return (ET Table common-ingress), so its target is
	 * reported. */
	if (instr_is_return(i))
		return false;
	if (!get_instr(r, r->last_pc, &prev) || r->last_pc + prev.size != r->pc)
		return false;
	if ((prev.opcode != LUI && prev.opcode != AUIPC) || prev.rd != i->rs1 || prev.rd == 0)
		return false;
	*target = in_xlen(r, (prev.opcode == AUIPC ? r->last_pc : 0) + (uint64_t)prev.imm +
	                             (uint64_t)i->imm) &
	          ~1ull;
	return true;
}

/* The target of an uninferable jump enters the cache (ET Jump target cache mode). */
static void remember_target(struct referee *r, uint64_t target)
{
	const uint64_t at = table_index(r, target, r->p.cache_size);

	if (!(r->options & REFEREE_CACHE))
		return;
	r->cache[at] = target;
	r->cached[at] = true;
}

/* next_pc() of 2.1: the entry that the packet names may be filled on its path. */
static void fill_by_return(struct referee *r, const struct te_inst *te)
{
	const bool indexed = te->format == 0 && te->subformat == 1;

	remember_target(r, r->pc);
	if (indexed && r->follows && r->options & REFEREE_CACHE &&
	    te->index == table_index(r, r->pc, r->p.cache_size))
		r->address = r->pc;
}

/* True: pc is the reported address, after an uninferable discontinuity. */
static bool next_pc(struct referee *r, const struct te_inst *te, uint64_t address)
{
	const uint64_t this_pc = r->pc;
	bool stop_here = false;
	uint64_t target;
	struct instr i;

	r->paired = false;
	if (!get_instr(r, r->pc, &i))
		return true;
	if (++r->steps > (r->p.steps ? r->p.steps : STEPS_MAX)) {
		r->error = "the path does not end";
		return true;
	}
	if (i.opcode == JAL) {
		r->pc = in_xlen(r, (i.opcode == JAL ? r->pc : 0) + (uint64_t)i.imm);
	} else if (r->p.x0_inferable && i.opcode == JALR && i.rs1 == 0 && i.imm) {
		r->pc = in_xlen(r, (uint64_t)i.imm) & ~1ull;
	} else if (is_sequential_jump(r, &i, &target)) {
		r->pc = target;
		r->paired = true;
	} else if (is_implicit_return(r, te, &i, address)) {
		r->pc = r->p.iret_ext ? r->popped_return_target : r->stack[--r->irstack_depth];
		if (r->p.cache_returns)
			fill_by_return(r, te);
	} else if (is_uninferable_discon(&i)) {
		if (r->stop_at_last_branch) {
			r->error = "unexpected uninferable discontinuity";
			return true;
		}
		r->pc = r->p.cache_returns && r->follows ? r->address : address;
		stop_here = true;
		if (r->p.cache_returns ||
		    !(te->ir_reported && r->prt_valid && address == r->popped_return_target))
			remember_target(r, address);
	} else if (i.opcode == BRANCH && take_branch(r, r->pc)) {
		r->pc = in_xlen(r, r->pc + (uint64_t)i.imm);
	} else {
		r->pc = in_xlen(r, r->pc + i.size);
	}
	if (i.opcode == BRANCH)
		r->irets = 0;
	if (instr_is_call(&i) && !instr_is_swap(&i))
		push_return_stack(r, in_xlen(r, this_pc + i.size));
	arrive(r);
	r->last_pc = this_pc;
	return stop_here || r->error;
}

static void report_pc(struct referee *r)
{
	if (!r->error)
		r->report(r->to, REFEREE_PC, r->pc, 0, false);
}

/* The walk meets the reported address, and the text has more than one reading.  No encoder has a
 * reason to send such a packet. */
static void note_readings(struct referee *r, const struct te_inst *te)
{
	const bool depth = !r->p.iret_ext && te->ir_reported && te->irdepth != r->irstack_depth;

	if (te->notified && (te->disconned || depth))
		r->unclear = "notify, and another reason why the address is reported";
	if (depth && !(r->options & REFEREE_RETURN))
		r->unclear = "irreport without implicit returns";
	if (!te->notified && !te->disconned && branches(r))
		r->unclear = "an address to be met again, and the outcome of one branch only";
}

static bool is_after_return(struct referee *r)
{
	struct instr last;

	return get_instr(r, r->last_pc, &last) && last.opcode == XRET;
}

/* 2.1: not right after a discontinuity, be it a return that was inferred.  Departs: after a pair
 * that was inferred it may be. */
static bool follows_discontinuity(struct referee *r)
{
	struct instr last;

	return r->p.iret_ext && !r->paired && get_instr(r, r->last_pc, &last) &&
	       is_uninferable_discon(&last);
}

static bool reached(struct referee *r, const struct te_inst *te, uint64_t address, bool unproc_ir)
{
	if (r->pc != address || r->stop_at_last_branch || unprocessed_branches(r, r->pc))
		return false;
	if (te->format == 3) {
		if (te->privilege == r->privilege || is_after_return(r))
			return true;
		r->passed = true;
		return false;
	}
	if (unproc_ir)
		return false;
	note_readings(r, te);
	if (te->notified)
		return true;
	if (r->p.iret_ext && (te->disconned || follows_discontinuity(r)))
		return false;
	/* Departs: the instruction at last_pc may be a jump that was inferred, which is no reason
	 * to go on. */
	if (te->disconned ||
	    (!r->p.iret_ext && te->ir_reported && te->irdepth != r->irstack_depth))
		return false;
	r->inferred_address = true;
	return true;
}

/* Once more to the address that was reported before. */
static void repeat_path(struct referee *r, const struct te_inst *te)
{
	const uint64_t previous_address = r->pc;

	r->follows = false;
	if (r->inferred_address && te->ir_reported && !r->p.iret_ext) /* docs/errata.md, ET-1 */
		r->unclear = "a depth, and an address to be met again";
	/* 2.1 names the packet before; without iret_ext that packet's depth is not looked at. */
	struct te_inst previous = *te;

	previous.ir_reported = r->p.iret_ext ? r->previous_reported : te->ir_reported;
	previous.irdepth = r->p.iret_ext ? r->previous_irets : te->irdepth;
	while (r->inferred_address && !r->error) {
		if (next_pc(r, &previous, previous_address))
			r->inferred_address = false;
		report_pc(r);
	}
}

static void follow_execution_path(struct referee *r, const struct te_inst *te, uint64_t address)
{
	bool unproc_ir;

	r->follows = true;
	while (!r->error) {
		unproc_ir = unprocessed_implicit_returns(r, te);
		const bool stop_here = next_pc(r, te, address);
		struct instr at;

		/* Departs: next_pc() assigns to its parameter, which changes nothing. */
		address = r->p.cache_returns && te->format == 0 ? r->address : address;
		if (!instr_get(r->fetch, r->program, r->p.xlen, address, &at) ||
		    !instr_is_call(&at))
			unproc_ir = unprocessed_implicit_returns(r, te);
		report_pc(r);
		if (r->error)
			return;
		if (r->stop_at_last_branch && branches(r) == 1 && is_branch_at(r, r->pc)) {
			r->stop_at_last_branch = false;
			return;
		}
		if (stop_here) {
			if (unprocessed_branches(r, r->pc))
				r->error = "unprocessed branches";
			return;
		}
		if (reached(r, te, address, unproc_ir)) {
			r->previous_reported = te->ir_reported;
			r->previous_irets = te->irdepth;
			return;
		}
	}
}

/* ---- packets ------------------------------------------------------------------------------- */

/* Sizes that the packet says.  The text has no encoder whose sizes change; where they do, nothing
 * of the tables before can be meant. */
static void take_sizes(struct referee *r, const struct te_inst *te)
{
	struct referee_parameters *p = &r->p;
	const bool same = p->return_stack_size == te->return_stack_size &&
	                  p->call_counter_size == te->call_counter_size &&
	                  p->bpred_size == te->bpred_size && p->cache_size == te->cache_size;

	p->iret_ext = te->iret_ext;
	p->notime = te->time_width == 0;
	p->time_width = te->time_width;
	p->f0s_width = te->f0s_width;
	p->return_stack_size = te->return_stack_size;
	p->call_counter_size = te->call_counter_size;
	p->bpred_size = te->bpred_size;
	p->cache_size = te->cache_size;
	r->changed |= r->resync_disabled != te->resync_disabled || !same;
	r->resync_disabled = te->resync_disabled;
	if (same)
		return;
	r->irstack_depth = 0;
	clear_tables(r);
}

static void process_support(struct referee *r, const struct te_inst *te)
{
	unsigned options = r->p.standard ? te->ioptions : 0;

	for (unsigned i = 0; i < r->p.option_count && !r->p.standard; i++)
		options |= te->ioptions >> i & 1 ? r->p.option[i] : 0;
	if (te->qual_status == 3 && !r->start_of_trace)
		repeat_path(r, te);
	/* Departs: the text does not say what is kept where options change while tracing. */
	r->changed |= r->options != options;
	r->options = options;
	if (r->p.standard)
		take_sizes(r, te);
	if (te->qual_status == 0)
		return;
	if (te->qual_status == 2)
		r->report(r->to, REFEREE_LOST, 0, 0, false);
	else if (!r->start_of_trace)
		r->report(r->to, REFEREE_END, 0, 0, false);
	r->start_of_trace = true;
	r->inferred_address = false;
}

/* Where a trap of this cause is handled (ET Implicit exception mode). */
static uint64_t handler(const struct referee *r, const struct te_inst *te)
{
	/* ET Table priv: 0 U, 1 S, 3 M, 5 VU, 6 VS; the handler runs in the mode reported */
	const uint64_t vec = te->privilege == 3   ? r->p.mtvec
	                     : te->privilege == 1 ? r->p.stvec
	                                          : r->p.vstvec;
	const uint64_t base = vec & ~(uint64_t)3;

	return vec & 1 && te->interrupt ? base + 4 * (uint64_t)te->ecause : base;
}

static void synchronise(struct referee *r, const struct te_inst *te)
{
	const bool resets = r->start_of_trace || r->changed || !r->resync_disabled ||
	                    r->p.sync_resets;
	const bool afresh = te->subformat == 1 || r->start_of_trace || r->handler_follows;

	r->inferred_address = false;
	r->stop_at_last_branch = false;
	r->address = te->address << r->p.iaddress_lsb;
	if (te->subformat == 1 && r->options & REFEREE_EXCEPTION)
		r->address = handler(r, te);
	if (afresh)
		r->runs = 0;
	if (is_branch_at(r, r->address))
		add_branches(r, MAP, 1, te->branch);
	r->passed = false;
	if (!afresh)
		follow_execution_path(r, te, r->address);
	if (r->passed && (r->error || !is_after_return(r)))
		r->unclear = "another privilege, and no return before the address";
	if (afresh) {
		r->pc = r->address;
		report_pc(r);
		r->last_pc = r->pc;
	}
	r->privilege = te->privilege;
	r->start_of_trace = false;
	/* Departs: the handler of a trap that was reported with thaddr 0 comes in a packet of
	 * subformat 0, to which no path leads. */
	r->handler_follows = false;
	const bool changed = r->changed;

	r->changed = false;
	if (resets) {
		r->irstack_depth = 0;
		r->prt_valid = false; /* departs: 2.1 would infer a return there */
		memset(r->predictor, 1, (size_t)1 << r->p.bpred_size);
	} else if (afresh) {
		arrive(r); /* departs: 2.1 does not look at what is there */
	}
	/* the chapter on the mode; the pseudo-code of 2.1 does not */
	if (!r->p.cache_kept || changed)
		memset(r->cached, 0, (size_t)1 << r->p.cache_size);
}

/* With resync_disabled calls are remembered across a trap: what the last instruction did to them
 * before it.  The draft does so when it comes to an instruction, the ratified next_pc() when it
 * leaves it.  A return that did not go where the stack says is not popped, as there. */
static void leave_by_trap(struct referee *r, const struct te_inst *te)
{
	const uint64_t at = te->address << r->p.iaddress_lsb;
	uint64_t target;
	struct instr i;

	if (!r->resync_disabled || r->start_of_trace || r->handler_follows ||
	    !get_instr(r, r->pc, &i))
		return;
	/* Departs: process_te_inst() drops the branch before an interrupt, and what the predictor
	 * learns of it. */
	if (i.opcode == BRANCH && branches(r) == 1)
		take_branch(r, r->pc);
	if (!r->p.iret_ext && instr_is_return(&i) && r->options & REFEREE_RETURN &&
	    r->irstack_depth &&
	    !is_sequential_jump(r, &i, &target) &&
	    (te->thaddr || r->stack[r->irstack_depth - 1] == at))
		r->irstack_depth--;
	if (instr_is_call(&i) && !instr_is_swap(&i))
		push_return_stack(r, in_xlen(r, r->pc + i.size));
}

static void process_format3(struct referee *r, const struct te_inst *te)
{
	if (te->subformat == 3) {
		process_support(r, te);
		return;
	}
	if (te->subformat == 2) {
		if (te->privilege != r->privilege)
			r->unclear = "another privilege in a packet of no address";
		return;
	}
	if (te->subformat == 1) {
		r->report(r->to, REFEREE_TRAP, te->tval, te->ecause, te->interrupt);
		r->inferred_address = false;
		leave_by_trap(r, te);
		if (!te->thaddr) {
			r->handler_follows = true;
			return;
		}
	}
	synchronise(r, te);
}

static bool take_address(struct referee *r, const struct te_inst *te)
{
	const uint64_t mask =
		r->p.iaddress_width >= 64 ? UINT64_MAX : ((uint64_t)1 << r->p.iaddress_width) - 1;

	if (te->format == 0 && te->subformat == 1) {
		if (!r->cached[te->index] && !r->p.cache_returns)
			r->error = "an empty entry of the cache";
		r->address = r->cache[te->index];
	} else if (r->options & REFEREE_FULL) {
		r->address = te->address << r->p.iaddress_lsb;
	} else {
		r->address = (r->address + (te->address << r->p.iaddress_lsb)) & mask;
	}
	return !r->error;
}

static void process_other(struct referee *r, const struct te_inst *te)
{
	if (r->start_of_trace) {
		r->error = "the trace does not start with format 3";
		return;
	}
	/* Departs: the branches of this packet are not on the path that is to be repeated, where a
	 * return would otherwise be inferred (is_implicit_return). */
	if (r->p.iret_ext)
		repeat_path(r, te);
	r->stop_at_last_branch = !te->has_address;
	if (te->format == 0 && te->subformat == 0) {
		add_branches(r, PREDICTED, te->branch_count + 31, 0);
		add_branches(r, FAILED, te->branch_fmt == 0 || te->branch_fmt == 3, 0);
	} else if (te->format != 2) {
		add_branches(r, MAP, te->format == 1 && te->branches == 0 ? 31 : te->branches,
		             te->branch_map);
	}
	/* Departs: the entry of the cache that a packet names may be filled on the path that is to
	 * be repeated, so that path comes first. */
	repeat_path(r, te);
	/* Departs: 2.1 has 0, and before the path is repeated; the return it stands at counts. */
	r->irets = r->p.iret_ext && is_return_at(r, r->pc);
	if (r->error || (te->has_address && !take_address(r, te)))
		return;
	follow_execution_path(r, te, r->address);
}

void referee_start(struct referee *r, const struct referee_parameters *p)
{
	memset(r, 0, offsetof(struct referee, stack));
	r->p = *p;
	r->start_of_trace = true;
	clear_tables(r);
}

bool referee_packet(struct referee *r, const uint8_t *payload, size_t n, unsigned skip)
{
	struct te_inst te = { .payload = payload, .bits = 8 * n, .at = skip };

	r->error = r->unclear = NULL;
	r->steps = 0;
	parse(r, &te);
	if (te.format == 3)
		process_format3(r, &te);
	else
		process_other(r, &te);
	return !r->error;
}
