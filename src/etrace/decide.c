/* What is to be told of an instruction, or a trap (ET Algorithm, PT 5).
 *
 * The algorithm looks at an instruction with the ones before and after it: cur is decided when the next is known.
 */
#include "etrace/decide.h"

#include "flow/returns.h"

/* Must cur be reported so that a synchronising packet for @next is unambiguous? */
static bool unsure(const struct hs_et_encoder *e, const struct hs_et_item *next)
{
	if (e->branches || e->open_target || e->segment)
		return true;
	/* A jump backwards may lead to what was passed since the last packet. */
	if (!e->config.plain_loops && next && next->kind == ITEM_INSN && next->addr <= e->cur.addr)
		return true;
	return hs_itype_uninferable(e->cur.itype) && e->cur.kind == ITEM_INSN && next && next->priv == e->cur.priv;
}

/* What packets tell of calls and returns: the depth, or how many returns were inferred (ADR-0017). */
static uint8_t depth(const struct hs_et_encoder *e)
{
	return e->config.iret_ext ? e->irets : (uint8_t)e->returns.count;
}

/* A packet for the first jump backwards: so that what comes after it has one place (ADR-0017). */
static void report_loop(struct hs_et_encoder *e, struct et_sheet *out)
{
	const struct et_report r = { .addr = e->loop, .notify = true, .depth_told = e->loop_returned,
		                     .depth = e->loop_returned ? e->loop_depth : 0 };

	et_emit_address(e, out, &r);
}

/* Report cur, which does not follow an uninferable jump. */
static void report(struct hs_et_encoder *e, struct et_sheet *out, bool notify)
{
	struct et_report r = { .addr = e->cur.addr, .notify = notify };
	bool told = e->segment & SEGMENT_RETURN;
	uint8_t tell = depth(e);

	if (e->segment & SEGMENT_BACK && !et_is_branch(&e->cur) && e->config.version == HS_ET_0_026) {
		report_loop(e, out); /* nothing like notify: a synchronising packet tells where we are */
		et_emit_start(e, out);
		if (et_marks(e))
			et_emit_context(e, out);
		e->emitted = true;
		return;
	}
	/* Was cur passed before that jump?  A jump was not, since it leads back, nor a call without a call. */
	const bool passed = !notify || e->loop == e->cur.addr || (told && e->loop_called);
	if (e->segment & SEGMENT_BACK && !et_is_branch(&e->cur) && passed) {
		if (e->config.iret_ext) { /* counted from that packet on */
			tell = (uint8_t)(tell - e->loop_depth);
			told = tell;
		}
		report_loop(e, out);
	}
	r.depth_told = told;
	r.depth = told ? tell : 0;
	et_emit_address(e, out, &r);
	e->emitted = true;
}

void et_report_target(struct hs_et_encoder *e, struct et_sheet *out, bool sync_follows)
{
	const struct et_report r = { .addr = e->cur.addr, .target = true,
		                     .updiscon = sync_follows || et_due_next(e), .depth_told = e->return_reported,
		                     .depth = e->return_reported ? e->return_depth : 0 };

	e->armed = e->armed || (e->config.sync_mode != HS_ET_SYNC_PACKETS && et_due_next(e));
	et_emit_address(e, out, &r);
	if (et_marks(e) && r.updiscon)
		et_emit_context(e, out);
	e->emitted = true;
}

/* Does @next begin with a synchronising packet, for another reason than a trap? */
static bool syncs(const struct hs_et_encoder *e, const struct hs_et_item *next)
{
	return next && next->kind == ITEM_INSN && (e->deferred || next->priv != e->cur.priv || next->flags & ITEM_SYNC);
}

/* A call counter alone takes every return for a good one (ET Implicit return mode); ours knows better. */
static bool checks(const struct hs_et_encoder *e)
{
	return e->config.return_stack_size || !e->config.plain_loops;
}

/* Is cur a return that goes elsewhere than the stack says?  Then the packet for @next says it all. */
static bool fails(const struct hs_et_encoder *e, const struct hs_et_item *next)
{
	uint64_t predicted;

	return et_on(e, HS_ET_IMPLICIT_RETURN) && checks(e) && e->cur.itype == HS_ITYPE_RETURN &&
	       !(e->cur.flags & ITEM_INFERRED) && next && returns_peek(&e->returns, &predicted) && next->addr != predicted;
}

/* What the figure asks of cur, below the synchronising packets. */
static void decide_flow(struct hs_et_encoder *e, struct et_sheet *out, const struct hs_et_item *next)
{
	/* Where only a jump's target follows, the packet for that says it all. */
	const bool passed = et_marks(e) && hs_itype_uninferable(e->cur.itype) && !(e->cur.flags & ITEM_INFERRED);
	const bool struck = next && next->kind == ITEM_TRAP, trap = struck && !passed;
	const bool reaches = e->config.sync_mode == HS_ET_SYNC_PACKETS ? e->count == e->interval && e->branches
	                                                               : et_due_next(e);

	if (e->before == BEFORE_DISCON || e->before == BEFORE_FAILED) {
		et_report_target(e, out, struck || e->deferred || syncs(e, next) || (et_marks(e) && !next));
		return;
	}
	if (e->config.sync_mode != HS_ET_SYNC_PACKETS && reaches)
		e->armed = true;
	if (!next || trap || ((reaches || syncs(e, next)) && !struck && !fails(e, next) && unsure(e, next)))
		report(e, out, false);
	else if (et_branches_due(e) && e->correct == (uint64_t)UINT32_MAX + 31)
		report(e, out, false);
	else if (et_branches_due(e))
		et_emit_branches(e, out);
}

/* A jump backwards that the decoder follows by itself: loops of such jumps need packets (ADR-0017). */
static void note_jump(struct hs_et_encoder *e, struct et_sheet *out, bool more, uint64_t to)
{
	const unsigned t = e->cur.itype;
	const bool direct = t == HS_ITYPE_CALL_INF || t == HS_ITYPE_TAIL_INF || t == HS_ITYPE_JUMP_INF ||
	                    t == HS_ITYPE_NONE || e->cur.flags & ITEM_INFERRED;

	if (e->config.plain_loops || e->emitted || !direct || !more || to > e->cur.addr)
		return;
	if (e->segment & SEGMENT_BACK) {
		report(e, out, true);
		return;
	}
	e->segment |= SEGMENT_BACK;
	e->loop = e->cur.addr;
	e->loop_returned = e->segment & SEGMENT_RETURN;
	e->loop_called = e->segment & SEGMENT_CALL;
	e->loop_depth = depth(e);
}

/* Calls that are remembered. */
static unsigned most_calls(const struct hs_et_resolved *c)
{
	return 1u << (c->return_stack_size ? c->return_stack_size : c->call_counter_size);
}

/* Calls and returns (ET Implicit return mode): what comes before the next item. */
static enum et_before use_returns(struct hs_et_encoder *e, bool more, uint64_t to)
{
	const unsigned t = e->cur.itype;
	const bool inferred = e->cur.flags & ITEM_INFERRED;

	if (et_is_call(&e->cur)) {
		returns_push(&e->returns, e->cur.tval, most_calls(&e->config));
		if (!e->emitted)
			e->segment |= SEGMENT_CALL;
		e->return_reported = false;
		return t == HS_ITYPE_CALL_INF || inferred ? BEFORE_PLAIN : BEFORE_DISCON;
	}
	if (inferred)
		return BEFORE_PLAIN;
	e->return_depth = depth(e);
	e->return_reported = t == HS_ITYPE_RETURN && e->config.iret_ext && e->irets;
	if (t != HS_ITYPE_RETURN || !returns_pop(&e->returns, &e->predicted))
		return BEFORE_DISCON;
	e->return_reported = true;
	if (checks(e) && more && to != e->predicted)
		return BEFORE_FAILED;
	e->segment |= SEGMENT_RETURN;
	e->irets++;
	return BEFORE_PLAIN;
}

/* A depth that is told has one meaning: no call after a return in one segment (ADR-0017), and where 0 may also be
 * that of 2^n calls, not both of them.  irets has one anyway, as long as it has room. */
static bool unclear_from_here(const struct hs_et_encoder *e)
{
	const bool returns = e->cur.itype == HS_ITYPE_RETURN;

	if (e->emitted)
		return false;
	if (e->config.iret_ext)
		return returns && e->irets == UINT8_MAX;
	if (returns && e->config.call_counter_size && !e->config.plain_loops)
		return e->segment & SEGMENT_RETURN && e->returns.count + 1u == most_calls(&e->config);
	return et_is_call(&e->cur) && e->segment & SEGMENT_RETURN;
}

enum et_before et_after_insn(struct hs_et_encoder *e, struct et_sheet *out, bool more, uint64_t to)
{
	const unsigned t = e->cur.itype;
	const bool returns = et_on(e, HS_ET_IMPLICIT_RETURN);

	if (returns && unclear_from_here(e))
		report(e, out, true);
	note_jump(e, out, more, to);
	if (returns && (et_is_call(&e->cur) || hs_itype_uninferable(t)))
		return use_returns(e, more, to);
	return hs_itype_uninferable(t) && !(e->cur.flags & ITEM_INFERRED) ? BEFORE_DISCON : BEFORE_PLAIN;
}

bool et_synchronises(const struct hs_et_encoder *e)
{
	const bool asked = e->cur.flags & ITEM_SYNC || et_due(e) || e->vector || e->deferred;

	return e->before == BEFORE_NOTHING || e->before == BEFORE_TOLD || e->cur.priv != e->priv ||
	       (asked && e->before != BEFORE_FAILED);
}

static enum et_before decide_insn(struct hs_et_encoder *e, struct et_sheet *out, const struct hs_et_item *next)
{
	const bool sync = et_synchronises(e);

	const bool ends = next ? next->kind == ITEM_TRAP : e->before == BEFORE_TRAP;

	if (et_is_branch(&e->cur))
		et_take_branch(e, e->cur.itype == HS_ITYPE_TAKEN);
	/* A synchronising packet cannot say that a return failed; the next instruction has it. */
	e->deferred = e->before == BEFORE_FAILED && e->cur.flags & ITEM_SYNC;
	e->emitted = true;
	e->vector = e->before == BEFORE_TRAP && e->config.vector_sync && e->cur.itype == HS_ITYPE_JUMP_INF;
	if (e->before == BEFORE_TRAP)
		et_emit_trap(e, out, &e->trap, true);
	else if (sync)
		et_emit_start(e, out);
	if (e->before == BEFORE_TRAP || sync) {
		e->cur.flags &= (uint8_t)~ITEM_INFERRED; /* where decoding may start, no pair is known */
		if (et_marks(e) && ends)
			et_emit_context(e, out);
	} else {
		e->emitted = false;
		decide_flow(e, out, next);
		if (e->cur.flags & ITEM_CONTEXT || e->cur.context != e->context_sent)
			et_emit_context(e, out);
	}
	return et_after_insn(e, out, next, next ? next->addr : 0);
}

/* 0.026: a jump led to where an exception struck. */
static void report_struck(struct hs_et_encoder *e, struct et_sheet *out)
{
	const struct et_report r = { .addr = e->cur.addr, .target = true };

	et_emit_address(e, out, &r);
	for (unsigned i = 0; i < 2 && et_marks(e); i++)
		et_emit_context(e, out);
}

/* 0.026 has no packet for a trap alone: the address where it struck goes out as an instruction that retired
 * would (PT 5, figure 5.1), where the decoder does not know it. */
static enum et_before decide_draft_trap(struct hs_et_encoder *e, struct et_sheet *out,
                                        const struct hs_et_item *next)
{
	if (e->before == BEFORE_TRAP)
		et_emit_trap(e, out, &e->trap, true);
	else if (e->before == BEFORE_DISCON)
		report_struck(e, out);
	else if (e->before == BEFORE_NOTHING)
		et_emit_start(e, out);
	e->trap = e->cur;
	if (next)
		return BEFORE_TRAP;
	if (et_marks(e)) /* else the figure says nothing of a trap without a handler */
		et_emit_trap(e, out, &e->trap, false);
	return BEFORE_NOTHING;
}

/* A trap that the handler's first instruction cannot tell, is told at once (ET Format 3 thaddr). */
static enum et_before decide_trap(struct hs_et_encoder *e, struct et_sheet *out, const struct hs_et_item *next)
{
	if (e->config.version == HS_ET_0_026)
		return decide_draft_trap(e, out, next);
	if (e->before == BEFORE_PLAIN && next && next->kind == ITEM_INSN && et_handler_known(e, &e->cur, next)) {
		e->trap = e->cur;
		return BEFORE_TRAP;
	}
	et_emit_trap(e, out, &e->cur, false);
	return BEFORE_TOLD;
}

void et_advance(struct hs_et_encoder *e, struct et_sheet *out, const struct hs_et_item *next)
{
	enum et_before before = BEFORE_NOTHING;

	if (e->cur.kind == ITEM_INSN)
		before = decide_insn(e, out, next);
	else if (e->cur.kind == ITEM_TRAP)
		before = decide_trap(e, out, next);
	if (e->cur.kind != ITEM_NONE)
		e->priv = e->cur.priv;
	e->before = (uint8_t)before;
	if (next)
		e->cur = *next;
	else
		e->cur.kind = ITEM_NONE;
}
