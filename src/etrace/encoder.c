/* Retired blocks to E-Trace packets (ET Algorithm, PT 5).
 *
 * The algorithm looks at an instruction with the ones before and after it.  Of a block the first and the last
 * instruction matter (ET Multiple retirement considerations): each becomes an item, a trap becomes one too, and
 * an item is decided when the next one is known.
 */
#include "etrace/emit.h"

#include "base/mem.h"
#include "flow/returns.h"

enum hs_status hs_et_encoder_init(struct hs_et_encoder *e, const struct hs_et_config *config)
{
	const enum hs_status s = hs_et_config_check(config);

	if (s != HS_OK)
		return s;
	memset(e, 0, sizeof *e);
	memcpy(&e->config, config, sizeof e->config);
	et_layout_init(&e->layout, config);
	e->interval = (uint64_t)1 << (config->sync_max + 4);
	e->priv = HS_PRIV_UNKNOWN;
	return HS_OK;
}

/* 0.026: more than the figure asks for, so that a stream has one meaning (ADR-0017). */
static bool marks(const struct hs_et_encoder *e)
{
	return e->config.context_mark;
}

static bool on(const struct hs_et_encoder *e, enum hs_et_option option)
{
	return e->config.options & option;
}

/* ---- one item ------------------------------------------------------------------- */

/* A synchronising packet is due at the next instruction (ET Resynchronisation). */
static bool due(const struct hs_et_encoder *e)
{
	return e->config.sync_mode == HS_ET_SYNC_PACKETS ? e->count > e->interval : e->armed;
}

/* It becomes due behind cur, when cur is reported. */
static bool due_next(const struct hs_et_encoder *e)
{
	if (e->config.sync_mode == HS_ET_SYNC_OFF)
		return false;
	return e->count >= e->interval;
}

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
	const struct et_report r = { .addr = e->loop, .notify = true, .depth_told = e->loop_told,
		                     .depth = e->loop_told ? e->loop_depth : 0 };

	et_emit_address(e, out, &r);
}

static bool is_call(const struct hs_et_item *i)
{
	return i->itype == HS_ITYPE_CALL_INF || i->itype == HS_ITYPE_CALL_UNINF;
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
		if (marks(e))
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

/* Report cur, the target of an uninferable jump. */
static void report_target(struct hs_et_encoder *e, struct et_sheet *out, bool sync_follows)
{
	const struct et_report r = { .addr = e->cur.addr, .target = true,
		                     .updiscon = sync_follows || due_next(e), .depth_told = e->return_told,
		                     .depth = e->return_told ? e->return_depth : 0 };

	e->armed = e->armed || (e->config.sync_mode != HS_ET_SYNC_PACKETS && due_next(e));
	et_emit_address(e, out, &r);
	if (marks(e) && r.updiscon)
		et_emit_context(e, out);
	e->emitted = true;
}

/* Does @next begin with a synchronising packet, for another reason than a trap? */
static bool syncs(const struct hs_et_encoder *e, const struct hs_et_item *next)
{
	return next && next->kind == ITEM_INSN && (e->deferred || next->priv != e->cur.priv || next->flags & ITEM_SYNC);
}

/* Branches are full, or one was not predicted (ET Algorithm, rpt_br). */
static bool report_branches(const struct hs_et_encoder *e)
{
	if (e->failed || e->correct == (uint64_t)UINT32_MAX + 31)
		return true;
	return e->branches == 31 && (e->wrong || e->correct < 31);
}

/* A call counter alone takes every return for a good one (ET Implicit return mode); ours knows better. */
static bool checks(const struct hs_et_encoder *e)
{
	return e->config.return_stack_size || !e->config.plain_loops;
}

/* Is cur a return that goes elsewhere than the stack says?  Then the packet for @next says it all. */
static bool fails(const struct hs_et_encoder *e, const struct hs_et_item *next)
{
	struct hs_returns r = e->returns;
	uint64_t predicted;

	return on(e, HS_ET_IMPLICIT_RETURN) && checks(e) && e->cur.itype == HS_ITYPE_RETURN &&
	       !(e->cur.flags & ITEM_INFERRED) && next && returns_pop(&r, &predicted) && next->addr != predicted;
}

/* What the figure asks of cur, below the synchronising packets. */
static void decide_flow(struct hs_et_encoder *e, struct et_sheet *out, const struct hs_et_item *next)
{
	/* Where only a jump's target follows, the packet for that says it all. */
	const bool passed = marks(e) && hs_itype_uninferable(e->cur.itype) && !(e->cur.flags & ITEM_INFERRED);
	const bool struck = next && next->kind == ITEM_TRAP, trap = struck && !passed;
	const bool reaches = e->config.sync_mode == HS_ET_SYNC_PACKETS ? e->count == e->interval && e->branches
	                                                               : due_next(e);

	if (e->before == BEFORE_DISCON || e->before == BEFORE_FAILED) {
		report_target(e, out, struck || e->deferred || syncs(e, next) || (marks(e) && !next));
		return;
	}
	if (e->config.sync_mode != HS_ET_SYNC_PACKETS && reaches)
		e->armed = true;
	if (!next || trap || ((reaches || syncs(e, next)) && !struck && !fails(e, next) && unsure(e, next)))
		report(e, out, false);
	else if (report_branches(e) && e->correct == (uint64_t)UINT32_MAX + 31)
		report(e, out, false);
	else if (report_branches(e))
		et_emit_branches(e, out);
}

/* A jump backwards that the decoder follows by itself: loops of such jumps need packets (ADR-0017). */
static void note_jump(struct hs_et_encoder *e, struct et_sheet *out, const struct hs_et_item *next)
{
	const unsigned t = e->cur.itype;
	const bool direct = t == HS_ITYPE_CALL_INF || t == HS_ITYPE_TAIL_INF || t == HS_ITYPE_JUMP_INF ||
	                    t == HS_ITYPE_NONE || e->cur.flags & ITEM_INFERRED;

	if (e->config.plain_loops || e->emitted || !direct || !next || next->addr > e->cur.addr)
		return;
	if (e->segment & SEGMENT_BACK) {
		report(e, out, true);
		return;
	}
	e->segment |= SEGMENT_BACK;
	e->loop = e->cur.addr;
	e->loop_told = e->segment & SEGMENT_RETURN;
	e->loop_called = e->segment & SEGMENT_CALL;
	e->loop_depth = depth(e);
}

/* Calls that are remembered. */
static unsigned most_calls(const struct hs_et_config *c)
{
	return 1u << (c->return_stack_size ? c->return_stack_size : c->call_counter_size);
}

/* Calls and returns (ET Implicit return mode): what comes before the next item. */
static enum et_before use_returns(struct hs_et_encoder *e, const struct hs_et_item *next)
{
	const unsigned t = e->cur.itype;
	const bool inferred = e->cur.flags & ITEM_INFERRED;

	if (is_call(&e->cur)) {
		returns_push(&e->returns, e->cur.tval, most_calls(&e->config));
		if (!e->emitted)
			e->segment |= SEGMENT_CALL;
		e->return_told = false;
		return t == HS_ITYPE_CALL_INF || inferred ? BEFORE_PLAIN : BEFORE_DISCON;
	}
	if (inferred)
		return BEFORE_PLAIN;
	e->return_depth = depth(e);
	e->return_told = t == HS_ITYPE_RETURN && e->config.iret_ext && e->irets;
	if (t != HS_ITYPE_RETURN || !returns_pop(&e->returns, &e->predicted))
		return BEFORE_DISCON;
	e->return_told = true;
	if (checks(e) && next && next->addr != e->predicted)
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
	return is_call(&e->cur) && e->segment & SEGMENT_RETURN;
}

static enum et_before after_insn(struct hs_et_encoder *e, struct et_sheet *out, const struct hs_et_item *next)
{
	const unsigned t = e->cur.itype;
	const bool returns = on(e, HS_ET_IMPLICIT_RETURN);

	if (returns && unclear_from_here(e))
		report(e, out, true);
	note_jump(e, out, next);
	if (returns && (is_call(&e->cur) || hs_itype_uninferable(t)))
		return use_returns(e, next);
	return hs_itype_uninferable(t) && !(e->cur.flags & ITEM_INFERRED) ? BEFORE_DISCON : BEFORE_PLAIN;
}

/* Does cur begin with a synchronising packet? */
static bool synchronises(const struct hs_et_encoder *e)
{
	const bool asked = e->cur.flags & ITEM_SYNC || due(e) || e->vector || e->deferred;

	return e->before == BEFORE_NOTHING || e->before == BEFORE_TOLD || e->cur.priv != e->priv ||
	       (asked && e->before != BEFORE_FAILED);
}

static enum et_before decide_insn(struct hs_et_encoder *e, struct et_sheet *out, const struct hs_et_item *next)
{
	const bool sync = synchronises(e);

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
		if (marks(e) && ends)
			et_emit_context(e, out);
	} else {
		e->emitted = false;
		decide_flow(e, out, next);
		if (e->cur.flags & ITEM_CONTEXT || e->cur.context != e->context_sent)
			et_emit_context(e, out);
	}
	return after_insn(e, out, next);
}

/* 0.026: a jump led to where an exception struck. */
static void report_struck(struct hs_et_encoder *e, struct et_sheet *out)
{
	const struct et_report r = { .addr = e->cur.addr, .target = true };

	et_emit_address(e, out, &r);
	for (unsigned i = 0; i < 2 && marks(e); i++)
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
	if (marks(e)) /* else the figure says nothing of a trap without a handler */
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

/* Is there nothing that makes decide_insn() send a packet, but what cur itself does?  It came after one that does
 * not jump, in the same mode and context, and no packet is due. */
static bool quiet(const struct hs_et_encoder *e)
{
	return e->before == BEFORE_PLAIN && e->config.version != HS_ET_0_026 && e->cur.priv == e->priv &&
	       e->cur.flags == 0 && e->cur.context == e->context_sent && !due(e) && !due_next(e) &&
	       e->branches < 31 && !e->failed && !e->deferred;
}

/* A branch among others: decide_insn() in short. */
static bool pass_branch(struct hs_et_encoder *e, struct et_sheet *out, const struct hs_et_item *next)
{
	if (!et_is_branch(&e->cur) || !quiet(e) || e->correct >= UINT32_MAX || next->kind != ITEM_INSN || next->priv != e->priv ||
	    next->flags & ITEM_SYNC)
		return false;
	et_take_branch(e, e->cur.itype == HS_ITYPE_TAKEN);
	e->emitted = false;
	if (report_branches(e))
		et_emit_branches(e, out);
	return true;
}

/* Decide cur, and make @next the current item; NULL: the trace stops behind cur. */
static void advance(struct hs_et_encoder *e, struct et_sheet *out, const struct hs_et_item *next)
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

/* ---- start and stop --------------------------------------------------------------- */

static void enable(struct hs_et_encoder *e, struct et_sheet *out)
{
	if (!e->support || e->lost)
		et_emit_support(e, out, 1, e->lost ? HS_ET_TRACE_LOST : HS_ET_NO_CHANGE);
	e->support = true;
	e->lost = false;
}

static void stop(struct hs_et_encoder *e, struct et_sheet *out, bool enabled)
{
	const bool running = e->cur.kind != ITEM_NONE;
	const bool target = e->before == BEFORE_DISCON || e->before == BEFORE_FAILED;
	const bool ntr = e->cur.kind == ITEM_INSN && target && !synchronises(e);

	advance(e, out, NULL);
	if (e->lost && e->support) { /* nothing that would say so came behind the loss */
		et_emit_support(e, out, enabled, HS_ET_TRACE_LOST);
		e->lost = false;
	} else if (running || (!enabled && e->support))
		et_emit_support(e, out, enabled, !running ? HS_ET_NO_CHANGE : ntr ? HS_ET_ENDED_NTR : HS_ET_ENDED_REP);
	e->before = BEFORE_NOTHING;
	e->follow = false;
	e->force = false;
	e->branches = 0;
	e->map = 0;
	if (!enabled)
		e->support = false;
}

void hs_et_encoder_lost(struct hs_et_encoder *e)
{
	e->lost = true;
	e->cur.kind = ITEM_NONE;
	e->before = BEFORE_NOTHING;
	e->follow = false;
	e->branches = 0;
	e->map = 0;
}

/* ---- blocks and events ------------------------------------------------------------ */

static enum hs_status check(const struct hs_et_encoder *e, const struct hs_block *b)
{
	const bool trap = b->itype == HS_ITYPE_EXCEPTION || b->itype == HS_ITYPE_INTERRUPT;
	const uint64_t low = ((uint64_t)1 << e->config.iaddress_lsb) - 1;
	const uint64_t last = hs_block_end(b) - 2u * (uint64_t)b->ilast;

	if ((b->iaddr & 1) || ((b->iaddr | last) & low) || b->itype > 15 || b->itype == HS_ITYPE_RESERVED ||
	    (b->iretire == 0 && !trap) || b->ilast > b->iretire || (b->iretire && !b->ilast) ||
	    (b->iaddr | last) & ~et_ones(e->config.iaddress_width))
		return HS_E_BLOCK;
	return HS_OK;
}

/* A new context: precise, or told by a context packet (ET Table context-type). */
static void set_context(struct hs_et_encoder *e, struct hs_et_item *i)
{
	const uint64_t context = e->context & et_ones(e->config.context_width);

	i->context = e->config.nocontext ? 0 : context;
	if (i->context == e->cur.context || e->cur.kind == ITEM_NONE)
		return;
	i->flags |= e->config.context_precise || marks(e) || i->kind == ITEM_TRAP ? ITEM_SYNC : ITEM_CONTEXT;
}

static void feed(struct hs_et_encoder *e, struct et_sheet *out, struct hs_et_item *i)
{
	set_context(e, i);
	if (e->force)
		i->flags |= ITEM_SYNC;
	e->force = false;
	if (pass_branch(e, out, i))
		e->cur = *i;
	else
		advance(e, out, i);
}

/* Is something missing between the last block and this one? */
static bool broken(const struct hs_et_encoder *e, const struct hs_block *b, unsigned priv)
{
	const unsigned t = e->cur.itype;

	if (e->cur.kind == ITEM_NONE)
		return false;
	if (e->follow && e->expect != b->iaddr)
		return true;
	/* Only traps and their returns change the privilege: else the decoder could not tell where. */
	return e->cur.kind == ITEM_INSN && priv != e->cur.priv && t != HS_ITYPE_XRET;
}

static unsigned priv_of(const struct hs_et_encoder *e, const struct hs_block *b)
{
	if (b->priv != HS_PRIV_UNKNOWN)
		return b->priv;
	return e->cur.kind != ITEM_NONE ? e->cur.priv : e->priv;
}

/* The pair lies in the block, or in the one before, cut between the two (ET sijump). */
static uint8_t inferred(const struct hs_et_encoder *e, const struct hs_block *b)
{
	const bool cut = e->cur.kind == ITEM_INSN && e->cur.itype == HS_ITYPE_NONE && e->expect == b->iaddr;
	const bool pair = b->sijump && (b->iretire > b->ilast || cut);

	return on(e, HS_ET_SIJUMP) && pair ? ITEM_INFERRED : 0;
}

/* Make the item of a block's first instruction that of its last one. */
static void set_last(struct hs_et_item *i, const struct hs_block *b, uint8_t flags)
{
	const bool trap = b->itype == HS_ITYPE_EXCEPTION || b->itype == HS_ITYPE_INTERRUPT;

	i->tval = hs_block_end(b); /* where a call returns to */
	i->addr = i->tval - 2u * (uint64_t)b->ilast;
	i->flags = flags;
	i->itype = trap ? HS_ITYPE_NONE : b->itype;
}

static void encode_block(struct hs_et_encoder *e, struct et_sheet *out, const struct hs_block *b)
{
	const uint64_t end = hs_block_end(b);
	const bool trap = b->itype == HS_ITYPE_EXCEPTION || b->itype == HS_ITYPE_INTERRUPT;
	const unsigned priv = priv_of(e, b);
	struct hs_et_item i = { .addr = b->iaddr, .kind = ITEM_INSN, .priv = (uint8_t)priv };

	const uint8_t flags = inferred(e, b);

	if (broken(e, b, priv))
		stop(e, out, true);
	enable(e, out);
	if (b->iretire > b->ilast)
		feed(e, out, &i);
	if (b->iretire > b->ilast && quiet(e)) {
		set_last(&e->cur, b, flags);
		e->emitted = false;
	} else if (b->iretire) {
		set_last(&i, b, flags);
		feed(e, out, &i);
	}
	if (e->config.sync_mode == HS_ET_SYNC_HALFWORDS)
		e->count += b->iretire;
	if (trap) {
		i = (struct hs_et_item){ .addr = end, .kind = ITEM_TRAP, .itype = b->itype, .priv = (uint8_t)priv };
		feed(e, out, &i);
	}
	e->follow = (b->itype == HS_ITYPE_NONE && e->config.itype_width > 3) || b->itype == HS_ITYPE_NOT_TAKEN;
	e->expect = end;
}

static void encode_event(struct hs_et_encoder *e, struct et_sheet *out, const struct hs_block *b)
{
	switch (b->kind) {
	case HS_KIND_TRAP:
		if (e->cur.kind == ITEM_TRAP) {
			e->cur.ecause = b->arg;
			e->cur.tval = b->value;
		}
		break;
	case HS_KIND_STOP:
		stop(e, out, true);
		break;
	case HS_KIND_GAP:
		if (b->arg == HS_E_LOST)
			hs_et_encoder_lost(e);
		else
			stop(e, out, true);
		break;
	case HS_KIND_SYNC:
		if (b->itype == 1) /* reset: the flow goes on elsewhere */
			stop(e, out, true);
		else
			e->force = true;
		break;
	case HS_KIND_CONTEXT:
		e->context = b->value;
		break;
	case HS_KIND_TIME:
		et_set_time(e, b->value);
		break;
	default:
		break;
	}
}

enum hs_status hs_et_encode(struct hs_et_encoder *e, const struct hs_block *in, size_t n, size_t *used,
                            uint8_t *out, size_t cap, size_t *len)
{
	const bool fast = e->config.version == HS_ET_FAST;
	struct et_sheet sheet = { out, out + cap };
	enum hs_status s = HS_OK;

	*used = 0;
	*len = 0;
	if (cap < HS_ET_ENCODE_ROOM)
		return HS_E_SPACE;
	for (; *used < n; ++*used) {
		const struct hs_block *b = &in[*used];

		if (sheet.end - sheet.p < HS_ET_ENCODE_ROOM)
			s = HS_FULL;
		else if (b->kind != HS_KIND_BLOCK)
			fast ? et_fast_event(e, &sheet, b) : encode_event(e, &sheet, b);
		else if ((s = check(e, b)) == HS_OK)
			fast ? et_fast_block(e, &sheet, b) : encode_block(e, &sheet, b);
		if (s != HS_OK)
			break;
	}
	*len = (size_t)(sheet.p - out);
	return s;
}

enum hs_status hs_et_encode_end(struct hs_et_encoder *e, uint8_t *out, size_t cap, size_t *len)
{
	struct et_sheet sheet = { out, out + cap };

	*len = 0;
	if (cap < HS_ET_ENCODE_ROOM)
		return HS_E_SPACE;
	if (e->config.version == HS_ET_FAST)
		et_fast_stop(e, &sheet, false);
	else
		stop(e, &sheet, false);
	*len = (size_t)(sheet.p - out);
	return HS_OK;
}
