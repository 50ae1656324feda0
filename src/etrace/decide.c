/* What is to be reported of an instruction, or a trap (ET Algorithm, PT 5).
 *
 * The algorithm looks at three items, each an instruction or a trap: e->cur is decided when the
 * next one is known, and e->before says what the one before it was.  Example: a jr to 0x200, where
 * code without branches leads to an ecall that traps.  With cur at the jr nothing is sent.  With
 * cur at 0x200 (BEFORE_DISCON) et_report_target() sends that address.  With cur at the last
 * instruction before the trap report_cur() sends its address: so far the flow went.
 *
 * A segment is what came since the last packet or branch.  A decoder ends a packet's path where it
 * first meets the packet's address.  So that this is the right place, the encoder remembers of a
 * segment the first backward jump (e->loop), the first inferred return (e->first_return) and which
 * calls there were; where the flow may have passed cur before, it reports these first.
 *
 * For an instruction, decide_insn() takes these steps:
 *
 *   separate_target()    it is a jump's target: report what could be taken for it
 *   postponed()          a synchronising packet that cannot be here comes later
 *   begin_with_sync()    it has a packet of format 3: its trap's, or a synchronising one
 *   continue_flow()      it has none: decide_target() reports the target of a jump, and
 *                        decide_inferred() the place or the branches, where one of them is due
 *   et_finish_insn()     calls, returns and backward jumps are remembered
 *
 * Invariant: after each step a decoder of the text that has read the packets so far either stands
 * at cur, or goes to it without a choice (design/et-encoder).
 */
#include "etrace/decide.h"

#include "etrace/et_encoder.h"
#include "etrace/memory.h"

/* Could a synchronising packet for @next fit two places in the flow, unless cur is reported
 * first? */
static bool is_ambiguous(const struct hs_et_encoder *e, const struct hs_et_item *next)
{
	if (next && next->flags & ITEM_OPTIONS) /* new options have no part in the way to cur */
		return true;
	if (e->config.strict || e->config.plain_loops) /* ET Algorithm: resync2_br, ppccd_br */
		return e->branches;
	if (e->branches || e->open_target || e->segment)
		return true;
	/* A backward jump may lead to code that the flow passed since the last packet. */
	if (next && next->kind == ITEM_INSN && next->addr <= e->cur.addr)
		return true;
	return hs_itype_uninferable(e->cur.itype) && e->cur.kind == ITEM_INSN && next &&
	       next->priv == e->cur.priv;
}

/* What a packet says of returns: how deep the call stack is, or, with iret_ext, how many returns
 * were inferred (design/et-returns). */
static uint32_t current_depth(const struct hs_et_encoder *e)
{
	return e->config.iret_ext ? e->irets : e->tables.count;
}

/* A bit for the address of a call: no more than 64 are distinguished. */
static uint64_t call_mark(uint64_t addr)
{
	return (uint64_t)1 << ((addr >> 1) * UINT64_C(0x9e3779b97f4a7c15) >> 58);
}

/* Would a decoder take an earlier return for the one at @depth?  At the depth that a packet names
 * it infers no return, wherever on the packet's path that return is (ET Decoder,
 * is_implicit_return; design/et-returns). */
static bool depth_was_passed(const struct hs_et_encoder *e, unsigned depth)
{
	return !e->config.strict && !e->config.iret_ext && e->earlier.high &&
	       depth >= e->earlier.low && depth <= e->earlier.high;
}

/* May the flow have come to cur already, before the first return since the last branch?  A packet
 * with notify ends where its address is first met, whatever the depth is there. */
static bool may_have_passed(const struct hs_et_encoder *e)
{
	if (e->config.iret_ext)
		return false;
	return et_is_call(&e->cur) ? e->calls_seen & call_mark(e->cur.addr)
	                           : e->cur.addr == e->first_return;
}

/* Report the first return since the last branch: the flow comes there once, so that no depth is
 * needed, and a packet after it has none of the earlier returns on its path. */
static void report_first_return(struct hs_et_encoder *e, struct et_output *out)
{
	const struct et_report r = { .addr = e->first_return, .notify = true };
	const uint8_t segment = e->segment;

	if (!e->first_open)
		return;
	et_emit_address(e, out, &r);
	e->segment = segment;
}

/* Report the first backward jump, so that what comes after it fits one place
 * (design/et-returns). */
static void report_loop(struct hs_et_encoder *e, struct et_output *out)
{
	const struct et_report r = {
		.addr = e->loop,
		.notify = !e->loop_follows,
		.has_depth = e->loop_returned,
		.depth = e->loop_returned ? e->loop_depth - e->loop_follows : 0,
	};

	if (r.has_depth && depth_was_passed(e, r.depth))
		report_first_return(e, out);
	et_emit_address(e, out, &r);
}

/* 0.026 has nothing like notify: a synchronising packet says where the flow is. */
static void report_cur_draft(struct hs_et_encoder *e, struct et_output *out)
{
	report_loop(e, out);
	et_emit_start(e, out);
	if (et_context_marks(e))
		et_emit_context(e, out);
	e->emitted = true;
}

/* Did the flow pass cur already before the backward jump e->loop?  That jump itself was not
 * passed, because it leads back; nor was a call, where there was none. */
static bool passed_before_loop(const struct hs_et_encoder *e, bool notify)
{
	return !notify || e->loop == e->cur.addr || (e->segment & SEGMENT_RETURN && e->loop_called);
}

/* irets of a packet for cur.  They do not count the return whose target cur is: the packet reports
 * it, as one that fails.  They count the one that cur is: a decoder does so where it arrives (ET
 * Decoder, next_pc). */
static uint32_t irets_at_cur(const struct hs_et_encoder *e)
{
	const bool returns = e->cur.itype == HS_ITYPE_RETURN && e->irets < UINT8_MAX;

	return e->returned ? e->return_depth : e->irets + (uint32_t)returns;
}

/* Report cur, which does not follow an uninferable jump.  @synced: a packet of format 3 comes
 * next. */
static void report_cur(struct hs_et_encoder *e, struct et_output *out, bool notify, bool synced)
{
	const bool looped = e->segment & SEGMENT_BACK && !et_is_branch(&e->cur);
	struct et_report r = { .addr = e->cur.addr, .notify = notify && !e->returned };
	uint32_t depth = e->config.iret_ext ? irets_at_cur(e) : current_depth(e);

	r.has_depth = e->returned || e->segment & SEGMENT_RETURN;
	r.updiscon = e->returned && synced;
	if (looped && e->config.version == HS_ET_0_026) {
		report_cur_draft(e, out);
		return;
	}
	if (looped && passed_before_loop(e, r.notify)) {
		if (e->config.iret_ext) { /* irets count from the packet for the loop on */
			depth = (uint8_t)(depth - e->loop_depth);
			r.has_depth = e->returned || e->irets != (uint8_t)e->loop_depth;
		}
		report_loop(e, out);
	}
	r.depth = r.has_depth ? depth : 0;
	if (r.has_depth && (depth_was_passed(e, depth) || (notify && may_have_passed(e))))
		report_first_return(e, out);
	et_emit_address(e, out, &r);
	e->emitted = true;
}

/* May a decoder meet the target of the return that failed on the way there?  It would go on to that
 * return by the next packet, which says nothing of it, unless updiscon is set: so a synchronising
 * packet is to follow (ET Decoder, inferred_address; design/et-returns). */
static bool may_meet_target(const struct hs_et_encoder *e)
{
	return !e->config.plain_loops && !e->failed_reported &&
	       (e->segment & SEGMENT_BACK || e->cur.addr <= e->failed_at);
}

/* Before the target of a return that failed: separate it from earlier returns at its depth.  The
 * target may be a return that fails, too, so that no synchronising packet can follow; where it is
 * to have one, for a new context, the return is reported: then a decoder stands at the target when
 * the context packet comes. */
static void separate_failed(struct hs_et_encoder *e, struct et_output *out)
{
	/* irets start afresh with each packet: those before it cannot be reported again. */
	const bool counted = e->config.iret_ext && e->segment & SEGMENT_RETURN;
	const bool marked = e->cur.flags & ITEM_SYNC && may_meet_target(e) && !counted;
	const bool passed = depth_was_passed(e, e->return_depth);
	struct et_report r = { .addr = e->failed_at, .notify = true };

	if (e->failed_reported || !(marked || passed))
		return;
	if (e->segment & SEGMENT_RETURN) {
		if (passed || e->failed_at == e->first_return)
			report_first_return(e, out);
		if (!marked)
			return;
		r.has_depth = true;
		r.depth = e->return_depth;
	}
	et_emit_address(e, out, &r);
	e->failed_reported = marked;
}

void et_report_target(struct hs_et_encoder *e, struct et_output *out, bool updiscon)
{
	const struct et_report r = {
		.addr = e->cur.addr,
		.target = true,
		.updiscon = updiscon,
		.has_depth = e->return_reported,
		.depth = e->return_reported ? e->return_depth : 0,
		.predicted = e->irets_full,
	};

	et_emit_address(e, out, &r);
	if (et_context_marks(e) && r.updiscon)
		et_emit_context(e, out);
	e->emitted = true;
}

/* Does cur, before @next, end a run of instructions at consecutive addresses?  Only there may a
 * packet come that depends on where instructions begin: inside a block nothing says so. */
static bool flow_turns(const struct hs_et_encoder *e, const struct hs_et_item *next)
{
	return e->cur.itype != HS_ITYPE_NONE || !next || next->kind != ITEM_INSN ||
	       next->addr != e->cur.tval;
}

/* Does @next begin with a synchronising packet, and not because of a trap? */
static bool next_synchronises(const struct hs_et_encoder *e, const struct hs_et_item *next)
{
	return next && next->kind == ITEM_INSN &&
	       (et_pends(e, ET_PENDING_DEFERRED) || next->priv != e->cur.priv ||
	        next->flags & ITEM_SYNC);
}

/* Does the encoder compare returns with the stack?  With only a call counter the specification
 * does not (ET Implicit return mode); we do, unless plain_loops asks for the specification's
 * way. */
static bool checks_returns(const struct hs_et_encoder *e)
{
	return e->config.return_stack_size || !e->config.plain_loops;
}

bool et_return_fails(const struct hs_et_encoder *e, bool more, uint64_t to)
{
	uint64_t predicted;

	return et_on(e, HS_ET_IMPLICIT_RETURN) && checks_returns(e) && more &&
	       e->cur.itype == HS_ITYPE_RETURN && !(e->cur.flags & ITEM_INFERRED) &&
	       et_peek_return(&e->tables, &predicted) && to != predicted;
}

/* Is a synchronising packet due after cur, if cur is reported?  Packets and half-words are counted
 * while a block goes by: without strict, which follows the figure from instruction to instruction,
 * it is due where the flow turns (design/et-encoder). */
static bool is_due(const struct hs_et_encoder *e, const struct hs_et_item *next)
{
	return et_interval_over(e) && (e->config.strict || flow_turns(e, next) ||
	                               e->config.sync_mode == HS_ET_SYNC_CYCLES);
}

/* Is cur a return that fails?  It is reported, by its target, before anything synchronises. */
static bool fails_to(const struct hs_et_encoder *e, const struct hs_et_item *next)
{
	return et_return_fails(e, next, next ? next->addr : 0);
}

static bool traps_at(const struct hs_et_item *next)
{
	return next && next->kind == ITEM_TRAP;
}

/* cur is the target of a jump that is reported: updiscon says that format 3 comes next. */
static void decide_target(struct hs_et_encoder *e, struct et_output *out,
                          const struct hs_et_item *next)
{
	const bool due = is_due(e, next);
	const bool late = et_pends(e, ET_PENDING_DEFERRED | ET_PENDING_TURN);
	const bool sync_next = !fails_to(e, next) && (late || due || next_synchronises(e, next));

	e->armed = e->armed || due;
	et_report_target(e, out,
	                 traps_at(next) || sync_next || e->waits || (et_context_marks(e) && !next));
}

/* cur follows the instruction before it in a way that the decoder infers: is it to be reported, or
 * the branches up to it? */
static void decide_inferred(struct hs_et_encoder *e, struct et_output *out,
                            const struct hs_et_item *next)
{
	/* With context marks, the packet for a jump's target is enough where a trap follows the
	 * jump. */
	const bool target_follows = et_context_marks(e) && hs_itype_uninferable(e->cur.itype) &&
	                            !(e->cur.flags & ITEM_INFERRED);
	const bool trapped = traps_at(next);
	const bool by_packets = e->config.sync_mode == HS_ET_SYNC_PACKETS;
	/* Packets: until one more packet was sent, only branches make it due. */
	const bool due = is_due(e, next) && (!by_packets || e->count > e->interval || e->branches);
	const bool sync_next =
		(due || next_synchronises(e, next)) && !trapped && !fails_to(e, next);

	e->armed = e->armed || due;
	if (e->cur.flags & ITEM_NOTIFY)
		report_cur(e, out, true, trapped || sync_next);
	else if (!next || (trapped && !target_follows) || (sync_next && is_ambiguous(e, next)))
		report_cur(e, out, false, true);
	else if (et_branches_due(e) && e->correct == (uint64_t)UINT32_MAX + 31)
		report_cur(e, out, false, sync_next);
	else if (et_branches_due(e))
		et_emit_branches(e, out);
}

/* A backward jump that the decoder follows by itself: loops of such jumps need packets
 * (design/et-returns). */
static void note_backward_jump(struct hs_et_encoder *e, struct et_output *out, bool more,
                               uint64_t to)
{
	const unsigned t = e->cur.itype;
	const bool direct = t == HS_ITYPE_CALL_INF || t == HS_ITYPE_TAIL_INF ||
	                    t == HS_ITYPE_JUMP_INF || t == HS_ITYPE_NONE ||
	                    e->cur.flags & ITEM_INFERRED;

	if (e->config.plain_loops || e->emitted || !direct || !more || to > e->cur.addr)
		return;
	if (e->segment & SEGMENT_BACK) {
		report_cur(e, out, true, false);
		return;
	}
	e->segment |= SEGMENT_BACK;
	e->loop = e->cur.addr;
	e->loop_returned = e->segment & SEGMENT_RETURN;
	e->loop_called = e->segment & SEGMENT_CALL;
	e->loop_depth = current_depth(e);
	e->loop_follows = e->returned;
}

/* Push calls and pop returns (ET Implicit return mode).  @return  What cur is to the next item. */
static enum et_before use_returns(struct hs_et_encoder *e, bool more, uint64_t to)
{
	const unsigned t = e->cur.itype;
	const bool inferred = e->cur.flags & ITEM_INFERRED;
	uint64_t predicted;

	if (et_is_call(&e->cur)) {
		et_push_return(&e->tables, e->cur.tval);
		if (!e->emitted) {
			e->segment |= SEGMENT_CALL;
			e->calls_seen |= call_mark(e->cur.addr);
		}
		e->return_reported = false;
		return t == HS_ITYPE_CALL_INF || inferred ? BEFORE_PLAIN : BEFORE_DISCON;
	}
	if (inferred)
		return BEFORE_PLAIN;
	e->return_depth = current_depth(e);
	e->return_reported = t == HS_ITYPE_RETURN && e->config.iret_ext && e->irets;
	if (t != HS_ITYPE_RETURN || !e->tables.count)
		return BEFORE_DISCON;
	e->return_reported = true;
	const bool failed = et_return_fails(e, more, to);

	if (!failed || e->config.iret_ext) /* with irdepth its call stays on the stack */
		et_pop_return(&e->tables, &predicted);
	if (failed) {
		e->failed_at = e->cur.addr;
		e->failed_reported = e->emitted;
		return BEFORE_FAILED;
	}
	e->irets_full = e->config.iret_ext && e->irets == UINT8_MAX;
	if (e->irets_full) /* "there have been 255 unreported returns" */
		return BEFORE_DISCON;
	e->returned = e->config.iret_ext;
	e->fills = e->config.cache_returns;
	if (!(e->segment & SEGMENT_RETURN)) {
		e->first_return = e->cur.addr;
		e->first_open = !e->emitted;
	}
	e->segment |= SEGMENT_RETURN;
	e->recent.low = e->return_depth; /* calls after a return are reported */
	if (e->recent.high == 0)
		e->recent.high = e->return_depth;
	e->irets++;
	return BEFORE_PLAIN;
}

/* Must cur be reported now, because a depth reported later would have two meanings?  So has one
 * after a call that follows a return in the same segment; and with a call counter of n bits a
 * depth of 0, which also stands for 2^n (design/et-returns).  irets never has. */
static bool depth_gets_ambiguous(const struct hs_et_encoder *e)
{
	const bool returns = e->cur.itype == HS_ITYPE_RETURN;

	if (e->emitted || e->config.strict || e->config.iret_ext)
		return false;
	if (returns && !e->config.return_stack_size && !e->config.plain_loops)
		return e->segment & SEGMENT_RETURN &&
		       e->tables.count + 1 == et_calls(&e->config);
	return et_is_call(&e->cur) && e->segment & SEGMENT_RETURN;
}

enum et_before et_finish_insn(struct hs_et_encoder *e, struct et_output *out, bool more,
                              uint64_t to)
{
	const unsigned t = e->cur.itype;
	const bool returns = et_on(e, HS_ET_IMPLICIT_RETURN);

	if (returns && depth_gets_ambiguous(e))
		report_cur(e, out, true, false);
	note_backward_jump(e, out, more, to);
	e->returned = e->irets_full = false;
	if (returns && (et_is_call(&e->cur) || hs_itype_uninferable(t)))
		return use_returns(e, more, to);
	return hs_itype_uninferable(t) && !(e->cur.flags & ITEM_INFERRED) ? BEFORE_DISCON
	                                                                  : BEFORE_PLAIN;
}

bool et_synchronises(const struct hs_et_encoder *e, const struct hs_et_item *next)
{
	const bool due = et_pends(e, ET_PENDING_TURN)
	                         ? flow_turns(e, next)
	                         : et_pends(e, ET_PENDING_DEFERRED) || e->armed;
	const bool requested = e->cur.flags & ITEM_SYNC || et_pends(e, ET_PENDING_VECTOR) || due;

	return e->before == BEFORE_NOTHING || e->before == BEFORE_REPORTED_TRAP ||
	       e->cur.priv != e->priv ||
	       (requested && (e->before != BEFORE_FAILED || e->config.strict));
}

/* The synchronising packet that cur should have had comes later; 0: there is none. */
static void defer(struct hs_et_encoder *e, unsigned when)
{
	et_clear(e, ET_PENDING_DEFERRED | ET_PENDING_TURN);
	et_pend(e, when);
}

/* A synchronising packet at the second instruction of a pair parts it: a decoder that starts there
 * cannot infer the jump, one that was following infers it (ET sijump).  A synchronising packet at
 * the jump's target suits both. */
static void part_pair(struct hs_et_encoder *e)
{
	if (e->config.strict)
		return;
	if (e->cur.flags & ITEM_INFERRED)
		defer(e, ET_PENDING_DEFERRED);
	e->parted = e->cur.flags & ITEM_INFERRED;
	e->cur.flags &= (uint16_t)~ITEM_INFERRED;
}

/* Is cur, the target of a jump, a return that is inferred, after others that were?  No packet
 * between them could separate their depths. */
static bool returns_at_target(const struct hs_et_encoder *e, const struct hs_et_item *next)
{
	return e->before == BEFORE_DISCON && e->recent.high && !e->config.iret_ext &&
	       e->cur.itype == HS_ITYPE_RETURN && e->tables.count && !fails_to(e, next);
}

/* Report what separates the target cur from earlier places that look like it.  @return  Is that not
 * enough, so that a synchronising packet is to follow? */
static bool separate_target(struct hs_et_encoder *e, struct et_output *out,
                            const struct hs_et_item *next)
{
	if (e->before != BEFORE_FAILED)
		return returns_at_target(e, next);
	if (!e->config.strict)
		separate_failed(e, out);
	return may_meet_target(e) && !e->config.iret_ext;
}

/* When the synchronising packet comes that cur should have had and cannot have: after a return that
 * failed, which it could not say, where the decoder may take cur for another place (@unclear), or
 * inside a block.  0: there is none.  @sync: cur has one. */
static unsigned postponed(const struct hs_et_encoder *e, const struct hs_et_item *next,
                          bool unclear, bool sync)
{
	const bool asked =
		e->armed || e->cur.flags & ITEM_SYNC || et_pends(e, ET_PENDING_CHANGE_DUE);
	const bool refused = (e->before == BEFORE_FAILED && asked) || unclear;
	const bool waits = et_pends(e, ET_PENDING_TURN) && !sync;

	if (!waits && (!refused || e->config.strict))
		return 0;
	return flow_turns(e, next) ? ET_PENDING_DEFERRED : ET_PENDING_TURN;
}

/* cur has a packet of format 3: that of the trap whose handler begins with it (@handler), else a
 * synchronising one. */
static void begin_with_sync(struct hs_et_encoder *e, struct et_output *out,
                            const struct hs_et_item *next, bool handler)
{
	const bool ends = next ? next->kind == ITEM_TRAP : handler;

	if (et_pends(e, ET_PENDING_CHANGE_DUE))
		et_change_options(e, out);
	if (handler)
		et_emit_trap(e, out, &e->trap, true);
	else
		et_emit_start(e, out);
	part_pair(e);
	if (et_context_marks(e) && ends)
		et_emit_context(e, out);
}

/* cur has no packet of format 3 (ET Algorithm, figure). */
static void continue_flow(struct hs_et_encoder *e, struct et_output *out,
                          const struct hs_et_item *next)
{
	e->emitted = false;
	if (e->before == BEFORE_DISCON || e->before == BEFORE_FAILED)
		decide_target(e, out, next);
	else
		decide_inferred(e, out, next);
	if (e->cur.flags & ITEM_CONTEXT || e->cur.context != e->context_sent)
		et_emit_context(e, out);
}

static enum et_before decide_insn(struct hs_et_encoder *e, struct et_output *out,
                                  const struct hs_et_item *next)
{
	const bool handler = e->before == BEFORE_TRAP, sync = et_synchronises(e, next);

	if (e->fills)
		et_fill_cache(e);
	const bool unclear = separate_target(e, out, next);

	if (et_is_branch(&e->cur))
		et_add_branch(e, e->cur.itype == HS_ITYPE_TAKEN);
	defer(e, postponed(e, next, unclear, sync));
	e->emitted = true;
	et_clear(e, ET_PENDING_VECTOR);
	if (handler && e->config.vector_sync && e->cur.itype == HS_ITYPE_JUMP_INF)
		et_pend(e, ET_PENDING_VECTOR);
	if (handler || sync)
		begin_with_sync(e, out, next, handler);
	else
		continue_flow(e, out, next);
	return et_finish_insn(e, out, next, next ? next->addr : 0);
}

/* 0.026: report the instruction at which a trap occurred right after an uninferable jump. */
static void report_trap_address(struct hs_et_encoder *e, struct et_output *out)
{
	const struct et_report r = { .addr = e->cur.addr, .target = true };

	et_emit_address(e, out, &r);
	for (unsigned i = 0; i < 2 && et_context_marks(e); i++)
		et_emit_context(e, out);
}

/* 0.026 has no packet for a trap without its handler: where the decoder does not know the
 * address of the trap, it is sent as that of an instruction that retired (PT 5, figure 5.1). */
static enum et_before decide_draft_trap(struct hs_et_encoder *e, struct et_output *out,
                                        const struct hs_et_item *next)
{
	if (e->before == BEFORE_TRAP)
		et_emit_trap(e, out, &e->trap, true);
	else if (e->before == BEFORE_DISCON)
		report_trap_address(e, out);
	else if (e->before == BEFORE_NOTHING && !(e->cur.flags & ITEM_PLACELESS))
		et_emit_start(e, out);
	e->trap = e->cur;
	if (next)
		return BEFORE_TRAP;
	/* the figure has no trap without a handler */
	if (et_context_marks(e) && !(e->trap.flags & ITEM_PLACELESS))
		et_emit_trap(e, out, &e->trap, false);
	return BEFORE_NOTHING;
}

/* Does the decoder know where the trap cur struck without a packet?  It does not after a jump that
 * it cannot follow, nor at the first traced instruction (ET Format 3 thaddr).  Nor does it where
 * nothing of the handler before retired: the figure has no packet for that address, so only strict
 * leaves it out (design/et-encoder); or where options change, as what is inferred may be
 * different. */
static bool trap_place_known(const struct hs_et_encoder *e, bool options_change)
{
	return (e->before == BEFORE_PLAIN && !options_change) || e->cur.flags & ITEM_PLACELESS ||
	       (e->before == BEFORE_REPORTED_TRAP && e->config.strict);
}

/* Without the field thaddr each packet of a trap has its handler: a trap that has none is missing,
 * and said to be (design/et-layouts). */
static enum et_before decide_trap_by_handler(struct hs_et_encoder *e, const struct hs_et_item *next)
{
	if (next && next->kind == ITEM_INSN && et_handler_known(e, &e->cur, next)) {
		e->trap = e->cur;
		return BEFORE_TRAP;
	}
	hs_et_encoder_lost(e);
	return BEFORE_NOTHING;
}

/* Report a trap with the handler's first instruction, or at once where that is not possible (ET
 * Format 3 thaddr). */
static enum et_before decide_trap(struct hs_et_encoder *e, struct et_output *out,
                                  const struct hs_et_item *next)
{
	if (e->config.version == HS_ET_0_026)
		return decide_draft_trap(e, out, next);
	/* New options say what is inferred on the way to the trap, and which trap packets have an
	 * address. */
	const bool changes =
		et_pends(e, ET_PENDING_CHANGE_DUE) || (next && next->flags & ITEM_OPTIONS);

	if (changes)
		et_change_options(e, out);
	if (!e->config.wire.thaddr)
		return decide_trap_by_handler(e, next);
	if (trap_place_known(e, changes) && next && next->kind == ITEM_INSN &&
	    et_handler_known(e, &e->cur, next)) {
		e->trap = e->cur;
		return BEFORE_TRAP;
	}
	if (!next &&
	    e->cur.flags & ITEM_BLOCK_LOST) /* nothing of it is known, and a loss was said */
		return BEFORE_NOTHING;
	et_emit_trap(e, out, &e->cur, false);
	return BEFORE_REPORTED_TRAP;
}

void et_advance(struct hs_et_encoder *e, struct et_output *out, const struct hs_et_item *next)
{
	enum et_before before = BEFORE_NOTHING;

	if (e->cur.kind == ITEM_INSN)
		before = decide_insn(e, out, next);
	else if (e->cur.kind == ITEM_TRAP)
		before = decide_trap(e, out, next);
	e->fills = e->fills && next && next->kind == ITEM_INSN;
	if (e->cur.kind != ITEM_NONE)
		e->priv = e->cur.priv;
	e->before = (uint8_t)before;
	if (next)
		e->cur = *next;
	else
		e->cur.kind = ITEM_NONE;
	if (et_pends(e, ET_PENDING_CHANGE_COMING) && e->cur.flags & ITEM_OPTIONS)
		et_set_change(e, ET_PENDING_CHANGE_DUE);
}
