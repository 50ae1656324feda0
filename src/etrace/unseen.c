/* Unmapped code (design/unmapped; "unseen" in names): packets are read on, and the next address at
 * which code is known places the walk again.
 *
 * Example: a call into a ROM of which there is no file.  The walk stops at its first address (a gap
 * with the reason no-code), branches of the next packets are counted, and the packet that reports
 * the address after the call places the source there.
 *
 * Invariants: calls, predictor and jump targets may have changed meanwhile, so what depends on them
 * is refused until they are known again.  The source is placed only where the packet says for sure
 * what retires next (may_stand()).
 */
#include "etrace/place.h"

#include "etrace/memory.h"

/* hs_et_source.own: which way the last reported branch went. */
enum own { OWN_UNKNOWN, OWN_TAKEN, OWN_NOT_TAKEN };

static bool leaves_code(enum hs_reason reason)
{
	return reason == HS_REASON_NO_CODE || reason == HS_REASON_NO_CODE_AT_SYNC ||
	       reason == HS_REASON_RETURN_UNSEEN || reason == HS_REASON_STATE_UNSEEN;
}

/* Does the packet contradict the code that it was followed through? */
static bool contradicts(enum hs_reason reason)
{
	return reason == HS_REASON_BRANCH_UNREPORTED || reason == HS_REASON_BRANCHES_LEFT ||
	       reason == HS_REASON_JUMP_BEFORE_BRANCH || reason == HS_REASON_JUMPS_LOOP;
}

bool et_enters_unknown(const struct hs_et_decoder *d)
{
	return leaves_code(d->diag.reason) ||
	       (stream_doubts_code(&d->stream) && !et_is_draft(d) && contradicts(d->diag.reason));
}

/* Calls and branches in unmapped code change the encoder's tables. */
static void doubt_tables(struct hs_et_source *s)
{
	s->tables.count = 0;
	s->path.calls_unseen = 1;
	s->path.states_unseen = 1;
}

void et_source_hide(struct hs_et_source *s, uint64_t at)
{
	struct hs_path *p = &s->path;
	const bool counted = s->phase == ET_FOLLOW && !p->before;

	stream_hide(&s->track, at);
	s->track.unseen = path_branches(p);
	s->own = OWN_UNKNOWN;
	if (p->bits && p->predicted + p->failed == 0)
		s->own = p->hist >> (64 - p->bits) & 1 ? OWN_TAKEN : OWN_NOT_TAKEN;
	p->bits = 0;
	p->predicted = 0;
	p->failed = 0;
	p->before = 0;
	doubt_tables(s);
	s->inferred = false;
	s->landed = ET_LANDED_NOT;
	if (s->phase != ET_AGAIN)
		s->phase = counted ? ET_COUNTED : ET_FRESH;
	s->track.state = TRACK_UNSEEN;
}

static void put_unseen(struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out)
{
	stream_put_unseen(&d->stream, &s->track, HS_UNSEEN_BRANCHES, out);
}

/* Count the branches that the packet reports. */
static void count_branches(const struct hs_et_decoder *d, struct hs_et_source *s)
{
	const unsigned branches = (unsigned)et_field(d, HS_ETF_BRANCHES);
	const unsigned count = branches ? branches : 31;

	if (d->packet.form == HS_ET_FORM_BRANCH_COUNT) {
		s->track.unseen += et_field(d, HS_ETF_BRANCH_COUNT) + 31 +
		                   (et_field(d, HS_ETF_BRANCH_FMT) != 2);
		s->own = OWN_UNKNOWN;
	} else if (branches || hs_et_has(&d->packet, HS_ETF_BRANCH_MAP)) {
		s->track.unseen += count;
		s->own = et_field(d, HS_ETF_BRANCH_MAP) >> (count - 1) & 1 ? OWN_NOT_TAKEN
		                                                           : OWN_TAKEN;
	}
}

/* The address may be a jump target, which the encoder put into its cache: the entry is known only
 * if it is this address already. */
static void doubt_cache(const struct hs_et_decoder *d, struct hs_et_source *s, uint64_t addr)
{
	if (!(s->options & HS_ET_JUMP_TARGET_CACHE))
		return;
	uint64_t *entry = &s->tables.cache[et_cache_index(&d->config, addr)];

	if (*entry != addr + 1)
		*entry = 0;
}

/* May the source be placed after the instruction where path_land() put the walk?  Not after a jump
 * whose target the instruction before it may give, nor after a branch that may have gone either way
 * or, in 0.026, may not have retired. */
static bool may_stand(const struct hs_et_decoder *d, const struct hs_et_source *s)
{
	const struct hs_walk *w = &s->track.walk;
	const struct hs_bb *b = &s->track.table->bbs[w->cur];
	const bool single = b->hwords == b->ilast; /* the entry is one instruction */

	if (s->path.ahead) /* bits of branches here, or next, may be among those counted */
		return !path_at_branch(w, s->track.table) &&
		       !path_may_branch_next(w, s->track.table, w->off, false);
	if (single && b->kind == HS_INSN_BRANCH)
		return s->own != OWN_UNKNOWN && !et_is_draft(d);
	return !(single && (w->rules & FLOW_SEQUENTIAL) && b->kind >= HS_INSN_JUMP_IND &&
	         b->kind <= HS_INSN_RETURN);
}

/* Continue after the instruction at @addr, if it is known. */
static void resume(struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out,
                   uint64_t addr)
{
	struct hs_walk *w = &s->track.walk;

	if (!path_land(w, s->track.table, addr))
		return;
	if (!may_stand(d, s)) {
		w->off = 0; /* no block is open */
		return;
	}
	if (path_at_branch(w, s->track.table)) {
		path_add(&s->path, s->own == OWN_NOT_TAKEN, 1);
		s->track.unseen -= s->track.unseen != 0;
	}
	put_unseen(d, s, out);
	stream_anchor(&d->stream, &s->track);
	s->path.jumps.without_branch = 0;
	s->landed = et_is_draft(d) ? ET_LANDED_JUMP : ET_LANDED_NOT;
	s->track.state = TRACK_SYNCED;
}

static enum hs_status pass_flow(struct hs_et_decoder *d, struct hs_et_source *s,
                                struct flow_out *out)
{
	uint64_t addr;

	if (s->phase != ET_COUNTED)
		count_branches(d, s);
	if (d->config.wire.arrivals) { /* a synchronising packet follows */
		et_arrive_pass(d, s);
		return HS_OK;
	}
	if (!et_has_address(d))
		return HS_OK;
	if (!et_reported_address(d, s, &addr))
		return et_fail(d, s, HS_REASON_CACHE_EMPTY);
	s->address = addr;
	if (d->packet.form != HS_ET_FORM_INDEX)
		doubt_cache(d, s, addr);
	resume(d, s, out, addr);
	return HS_OK;
}

/* A synchronising packet leads to @addr.  True: code is known there.  False: nothing from before
 * holds any more. */
static bool enter_known(struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out,
                        uint64_t addr)
{
	if (path_land(&s->track.walk, et_program_of(d, s), addr)) {
		s->track.walk.off = 0;
		put_unseen(d, s, out);
		return true;
	}
	et_apply_context(d, s, out);
	et_forget(d, s);
	doubt_tables(s);
	s->track.unseen += !et_field(d, HS_ETF_BRANCH) &&
	                   !d->config.wire.arrivals; /* 1: not taken, or no branch */
	s->own = OWN_UNKNOWN;
	s->address = addr;
	return false;
}

static enum hs_status pass_start(struct hs_et_decoder *d, struct hs_et_source *s,
                                 struct flow_out *out)
{
	const uint64_t addr = et_full_address(d, HS_ETF_ADDRESS);

	if (d->config.wire.arrivals)
		et_arrive_pass(d, s);
	else if (s->phase == ET_COUNTED && path_is_branch(s->track.table, addr))
		s->track.unseen -= s->track.unseen != 0; /* that branch is followed later */
	if (!enter_known(d, s, out, addr))
		return HS_OK;
	et_apply_context(d, s, out);
	return et_sync_at(d, s, out, addr);
}

static enum hs_status pass_trap(struct hs_et_decoder *d, struct hs_et_source *s,
                                struct flow_out *out)
{
	uint64_t addr;

	if (et_gives_trap_only(d))
		put_unseen(d, s, out);
	else if (et_handler_of(d, &addr) && !enter_known(d, s, out, addr))
		return HS_OK;
	return et_follow_trap(d, s, out);
}

bool et_resume_again(struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out)
{
	if (s->phase != ET_AGAIN)
		return false;
	et_remember_target(d, s, s->address);
	resume(d, s, out, s->address);
	s->phase = s->track.state == TRACK_SYNCED ? ET_FINISH : ET_FRESH;
	return s->phase == ET_FINISH;
}

enum hs_status et_pass_unseen(struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out)
{
	switch (d->packet.form) {
	case HS_ET_FORM_START:
		return pass_start(d, s, out);
	case HS_ET_FORM_TRAP:
		return pass_trap(d, s, out);
	case HS_ET_FORM_SUPPORT:
		return et_follow_support(d, s, out);
	case HS_ET_FORM_DISCOVERY:
		return HS_OK;
	case HS_ET_FORM_CONTEXT:
		et_apply_context(d, s, out);
		return HS_OK;
	default:
		return pass_flow(d, s, out);
	}
}
