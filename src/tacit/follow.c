/* A message to blocks: each kind has its function. */
#include <hartscope/memo.h>

#include "core/image.h"
#include "core/mem.h"
#include "flow/core.h"
#include "tacit/source.h"

#define EVCODE_DISABLED 4u /* NT Table 23 */

typedef enum hs_status follow_fn(struct tacit_decoder *d, struct tacit_source *s,
                                 struct flow_out *out);

static const struct hs_bb *entry_of(const struct tacit_source *s)
{
	return &s->track.table->bbs[s->track.walk.cur];
}

static void add_time(const struct tacit_decoder *d, struct tacit_source *s, struct flow_out *out)
{
	tacit_put_time(s, s->track.time + TACIT_GET(&d->msg, DELTA), out);
}

static void put_stop(struct flow_out *out)
{
	stream_put_event(out, HS_KIND_STOP)->itype = EVCODE_DISABLED;
	out->p[-1].priv = HS_PRIV_UNKNOWN;
}

/* ---- instructions that a message is about --------------------------------------- */

/* Up to the next one.  *status is set where that is not the end of it. */
static bool reach(struct tacit_decoder *d, struct tacit_source *s, struct flow_out *out,
                  enum hs_status *status)
{
	for (;;) {
		if (!tacit_run(s)) {
			*status = tacit_fault(d, s, HS_REASON_NO_CODE);
			return false;
		}
		if (!tacit_skips_jumps(d, s) || !flow_is_direct_jump(entry_of(s)->kind))
			return true;
		*status = tacit_pass_jump(d, s, out);
		if (*status == HS_E_FLOW)
			*status = tacit_fault(d, s, HS_REASON_JUMPS_LOOP);
		if (*status != HS_OK || s->track.state == TRACK_LOSING)
			return false;
	}
}

static enum hs_status follow_branch(struct tacit_decoder *d, struct tacit_source *s, bool taken,
                                    struct flow_out *out)
{
	if (!tacit_run(s))
		return tacit_fault(d, s, HS_REASON_NO_CODE);
	if (entry_of(s)->kind != HS_INSN_BRANCH)
		return tacit_fault(d, s, HS_REASON_WRONG_INSN);
	tacit_leave(d, s, taken, out);
	add_time(d, s, out);
	return HS_OK;
}

static enum hs_status follow_taken(struct tacit_decoder *d, struct tacit_source *s,
                                   struct flow_out *out)
{
	return follow_branch(d, s, true, out);
}

static enum hs_status follow_not_taken(struct tacit_decoder *d, struct tacit_source *s,
                                       struct flow_out *out)
{
	return follow_branch(d, s, false, out);
}

static enum hs_status follow_jump(struct tacit_decoder *d, struct tacit_source *s,
                                  struct flow_out *out)
{
	if (!tacit_run(s))
		return tacit_fault(d, s, HS_REASON_NO_CODE);
	if (!flow_is_direct_jump(entry_of(s)->kind))
		return tacit_fault(d, s, HS_REASON_WRONG_INSN);
	tacit_leave(d, s, true, out);
	add_time(d, s, out);
	return HS_OK;
}

static bool is_indirect(unsigned kind)
{
	return kind != HS_INSN_BRANCH && kind != HS_INSN_XRET && !flow_is_direct_jump(kind);
}

/* The end of the entry is left for where the message says. */
static void follow_target(struct tacit_decoder *d, struct tacit_source *s, struct flow_out *out)
{
	const struct hs_bb *b = entry_of(s);
	const uint64_t pc = flow_after(b) - 2u * (uint64_t)b->ilast;

	flow_end_block(&s->track.walk, b, false, out);
	s->last = pc;
	tacit_go(s, tacit_address(d, s, pc ^ TACIT_GET(&d->msg, TARGET) << 1));
	stream_count(&d->stream, &s->track);
	stream_synced(&s->track, d->msg.offset);
	stream_anchor(&d->stream, &s->track);
}

static enum hs_status follow_indirect(struct tacit_decoder *d, struct tacit_source *s,
                                      struct flow_out *out)
{
	enum hs_status status = HS_OK;

	if (!reach(d, s, out, &status))
		return status;
	if (!is_indirect(entry_of(s)->kind))
		return tacit_fault(d, s, HS_REASON_WRONG_INSN);
	follow_target(d, s, out);
	add_time(d, s, out);
	return HS_OK;
}

/* ---- predicted branches --------------------------------------------------------- */

/* The branch retired; which way it went only a predictor knows that learned from branches which are
 * not here. */
static enum hs_status stop_at_branch(struct tacit_decoder *d, struct tacit_source *s)
{
	s->track.walk.off = entry_of(s)->hwords;
	return tacit_fault(d, s, HS_REASON_STATE_UNSEEN);
}

/* The next branch goes as the predictor says, or not. */
static bool follow_predicted(struct tacit_decoder *d, struct tacit_source *s, bool hit,
                             struct flow_out *out, enum hs_status *status)
{
	if (!reach(d, s, out, status))
		return false;
	const struct hs_bb *b = entry_of(s);
	const uint64_t pc = flow_after(b) - 2u * (uint64_t)b->ilast;

	if (b->kind != HS_INSN_BRANCH) {
		*status = tacit_fault(d, s, HS_REASON_WRONG_INSN);
		return false;
	}
	if (!s->learned) {
		*status = stop_at_branch(d, s);
		return false;
	}
	const bool taken = tacit_predict(&s->predictor, pc) == hit;

	tacit_learn(&s->predictor, pc, taken);
	tacit_leave(d, s, taken, out);
	s->jumps = (struct hs_jumps){ 0 };
	return true;
}

static enum hs_status follow_hits(struct tacit_decoder *d, struct tacit_source *s,
                                  struct flow_out *out)
{
	enum hs_status status = HS_OK;

	if (!s->begun)
		s->left = TACIT_GET(&d->msg, COUNT);
	s->begun = true;
	if (!stream_may_lead(&d->stream, &s->track, s->left))
		return tacit_fault(d, s, HS_REASON_BLOCKS_LIMIT);
	for (; s->left; s->left--) {
		if (out->end - out->p < TACIT_STEP_ROOM)
			return HS_FULL;
		if (!follow_predicted(d, s, true, out, &status))
			return status;
	}
	return HS_OK;
}

static enum hs_status follow_miss(struct tacit_decoder *d, struct tacit_source *s,
                                  struct flow_out *out)
{
	enum hs_status status = HS_OK;

	if (follow_predicted(d, s, false, out, &status))
		add_time(d, s, out);
	return status;
}

/* ---- traps ---------------------------------------------------------------------- */

static enum hs_reason reason_of(enum tacit_walk how)
{
	static const uint8_t reasons[] = { [TACIT_ELSEWHERE] = HS_REASON_ADDRESS_ELSEWHERE,
		                           [TACIT_NOCODE] = HS_REASON_NO_CODE,
		                           [TACIT_CIRCLES] = HS_REASON_JUMPS_LOOP };

	return (enum hs_reason)reasons[how];
}

/* Where the message says that the trap led. */
static void enter_trap(struct tacit_decoder *d, struct tacit_source *s, uint64_t from,
                       struct flow_out *out)
{
	const struct tacit_msg *m = &d->msg;

	add_time(d, s, out);
	if (TACIT_HAS(m, CTX))
		tacit_set_context(d, s, TACIT_GET(m, CTX), out);
	flow_set_priv(&s->track.walk, tacit_prv_to(m));
	tacit_go(s, tacit_address(d, s, from ^ TACIT_GET(m, TARGET) << 1));
	stream_synced(&s->track, m->offset);
	stream_anchor(&d->stream, &s->track);
}

/* Does the walk stand before an ecall or ebreak?  Those retire (design/blocks). */
static bool at_call(const struct tacit_source *s)
{
	const struct hs_walk *w = &s->track.walk;

	if (w->cur < HS_BB_FIRST)
		return false;
	const struct hs_bb *b = entry_of(s);

	return (b->kind == HS_INSN_ECALL || b->kind == HS_INSN_EBREAK) &&
	       w->off + b->ilast == b->hwords;
}

static enum hs_status follow_trap(struct tacit_decoder *d, struct tacit_source *s,
                                  struct flow_out *out)
{
	const uint64_t from = tacit_address(d, s, TACIT_GET(&d->msg, FROM) << 1);
	const enum tacit_walk how = tacit_walk_to(d, s, from, out);
	const bool exception = d->msg.code == TACIT_EXCEPTION;
	struct hs_walk *w = &s->track.walk;

	if (how == TACIT_WALK_FULL)
		return HS_FULL;
	if (how != TACIT_THERE)
		return tacit_fault(d, s, reason_of(how));
	if (exception && at_call(s))
		w->off = entry_of(s)->hwords;
	flow_close(w, s->track.table, exception ? HS_ITYPE_EXCEPTION : HS_ITYPE_INTERRUPT, out);
	stream_count(&d->stream, &s->track);
	s->last = from + 1;
	enter_trap(d, s, from, out);
	return HS_OK;
}

static enum hs_status follow_return(struct tacit_decoder *d, struct tacit_source *s,
                                    struct flow_out *out)
{
	const uint64_t from = tacit_address(d, s, TACIT_GET(&d->msg, FROM) << 1);
	const enum tacit_walk how = tacit_walk_to(d, s, from, out);
	struct hs_walk *w = &s->track.walk;

	if (how == TACIT_WALK_FULL)
		return HS_FULL;
	if (how != TACIT_THERE || w->cur < HS_BB_FIRST)
		return tacit_fault(d, s, how == TACIT_THERE ? HS_REASON_NO_CODE : reason_of(how));
	const struct hs_bb *b = entry_of(s);

	if (b->kind != HS_INSN_XRET || w->off + b->ilast != b->hwords)
		return tacit_fault(d, s, HS_REASON_WRONG_INSN);
	w->off = 0;
	flow_end_block(w, b, false, out);
	stream_count(&d->stream, &s->track);
	s->last = from;
	enter_trap(d, s, from, out);
	return HS_OK;
}

/* ---- synchronisation ------------------------------------------------------------ */

static void close_open(struct tacit_source *s, struct flow_out *out)
{
	if (flow_open(&s->track.walk))
		flow_close(&s->track.walk, s->track.table, HS_ITYPE_NONE, out);
}

static enum hs_status follow_start(struct tacit_decoder *d, struct tacit_source *s,
                                   struct flow_out *out)
{
	if (stream_is_followed(&s->track)) { /* its end is not known */
		stream_put_unseen(&d->stream, &s->track, HS_UNSEEN_BRANCHES, out);
		close_open(s, out);
		put_stop(out);
		s->learned = false;
	}
	return tacit_sync(d, s, out);
}

/* Messages were lost; where they began to be, if a pause did not say it, is not known. */
static enum hs_status follow_resume(struct tacit_decoder *d, struct tacit_source *s,
                                    struct flow_out *out)
{
	return stream_is_followed(&s->track) ? tacit_fault(d, s, HS_REASON_LOST)
	                                     : tacit_sync(d, s, out);
}

/* A mark on the way. */
static enum hs_status follow_periodic(struct tacit_decoder *d, struct tacit_source *s,
                                      struct flow_out *out)
{
	const uint64_t to = tacit_address(d, s, TACIT_GET(&d->msg, ADDR) << 1);

	if (s->track.state == TRACK_UNSEEN)
		stream_put_unseen(&d->stream, &s->track, HS_UNSEEN_BRANCHES, out);
	if (s->track.state != TRACK_SYNCED)
		return tacit_sync(d, s, out);
	const enum tacit_walk how = tacit_walk_to(d, s, to, out);

	if (how == TACIT_WALK_FULL)
		return HS_FULL;
	if (how != TACIT_THERE)
		return tacit_fault(d, s, reason_of(how));
	const enum hs_status status = tacit_take_mode(d, s);

	if (status != HS_OK)
		return status;
	flow_switch(&s->track.walk, s->track.table, s->track.table);
	tacit_set_context(d, s, TACIT_GET(&d->msg, CTX), out);
	tacit_put_time(s, TACIT_GET(&d->msg, TIME), out);
	return HS_OK;
}

/* The instruction that the walk stands before retired.  Of a branch it is not known which way. */
static void pass_last(struct tacit_decoder *d, struct tacit_source *s, struct flow_out *out)
{
	struct hs_walk *w = &s->track.walk;
	struct hs_insn insn;

	if (w->cur < HS_BB_FIRST || hs_img_insn(s->track.table->image, flow_pc(w), &insn) != HS_OK)
		return;
	const struct hs_bb *b = entry_of(s);
	const bool ends = w->off + b->ilast == b->hwords;

	w->off = (uint8_t)(w->off + insn.hwords);
	if (ends && (b->kind == HS_INSN_ECALL || b->kind == HS_INSN_EBREAK)) {
		flow_close(w, s->track.table, HS_ITYPE_EXCEPTION, out);
	} else if (ends && !flow_runs_on(b->kind) && b->kind != HS_INSN_BRANCH) {
		w->off = 0;
		flow_end_block(w, b, false, out);
	}
	stream_count(&d->stream, &s->track);
}

/* At the time of the last message the trace ends with what that was about. */
static bool ends_with_last(const struct tacit_decoder *d, const struct tacit_source *s, uint64_t at)
{
	return s->last == at && s->track.time == TACIT_GET(&d->msg, TIME);
}

static enum hs_status follow_end(struct tacit_decoder *d, struct tacit_source *s,
                                 struct flow_out *out)
{
	const uint64_t at = tacit_address(d, s, TACIT_GET(&d->msg, ADDR) << 1);
	enum tacit_walk how = TACIT_THERE;

	if (s->track.state == TRACK_SYNCED && !ends_with_last(d, s, at)) {
		how = tacit_walk_to(d, s, at, out);
		if (how == TACIT_WALK_FULL)
			return HS_FULL;
		if (how != TACIT_THERE)
			return tacit_fault(d, s, reason_of(how));
		pass_last(d, s, out);
	}
	stream_put_unseen(&d->stream, &s->track, HS_UNSEEN_BRANCHES, out);
	close_open(s, out);
	tacit_put_time(s, TACIT_GET(&d->msg, TIME), out);
	put_stop(out);
	s->track.state = TRACK_OFF;
	return HS_OK;
}

/* Messages from this instruction on are lost. */
static enum hs_status follow_pause(struct tacit_decoder *d, struct tacit_source *s,
                                   struct flow_out *out)
{
	const uint64_t at = tacit_address(d, s, TACIT_GET(&d->msg, ADDR) << 1);

	if (s->track.state == TRACK_SYNCED) {
		const enum tacit_walk how = tacit_walk_to(d, s, at, out);

		if (how == TACIT_WALK_FULL)
			return HS_FULL;
		if (how == TACIT_THERE)
			pass_last(d, s, out);
	}
	s->learned = false;
	return tacit_fault(d, s, HS_REASON_LOST);
}

/* ---- code, or ways of branches, that are not known ------------------------------- */

static uint64_t branches_of(const struct tacit_msg *m)
{
	const unsigned code = m->code;

	if (code == TACIT_HITS)
		return TACIT_GET(m, COUNT);
	return code == TACIT_TAKEN || code == TACIT_NOT_TAKEN || code == TACIT_MISS;
}

/* A trap says where it struck: what it leads to may be known again. */
static enum hs_status pass_unseen(struct tacit_decoder *d, struct tacit_source *s,
                                  struct flow_out *out)
{
	const struct tacit_msg *m = &d->msg;
	const uint64_t from = tacit_address(d, s, TACIT_GET(m, FROM) << 1);

	s->track.unseen += branches_of(m);
	if (TACIT_HAS(m, DELTA))
		s->track.time += TACIT_GET(m, DELTA);
	if (!TACIT_HAS(m, FROM))
		return HS_OK;
	const uint64_t to = tacit_address(d, s, from ^ TACIT_GET(m, TARGET) << 1);
	struct hs_insn insn;

	if (TACIT_HAS(m, CTX))
		tacit_set_context(d, s, TACIT_GET(m, CTX), out);
	if (hs_img_insn(s->track.table->image, to, &insn) != HS_OK)
		return HS_OK;
	stream_put_unseen(&d->stream, &s->track, HS_UNSEEN_BRANCHES, out);
	s->track.state = TRACK_SYNCED;
	s->track.timed = false;
	tacit_put_time(s, s->track.time, out);
	flow_set_priv(&s->track.walk, tacit_prv_to(m));
	tacit_go(s, to);
	s->last = to + 1;
	stream_synced(&s->track, m->offset);
	stream_anchor(&d->stream, &s->track);
	return HS_OK;
}

enum hs_status tacit_follow(struct tacit_decoder *d, struct tacit_source *s, struct flow_out *out)
{
	static follow_fn *const follow[TACIT_CODES] = {
		[TACIT_TAKEN] = follow_taken,       [TACIT_NOT_TAKEN] = follow_not_taken,
		[TACIT_INDIRECT] = follow_indirect, [TACIT_JUMP] = follow_jump,
		[TACIT_EXCEPTION] = follow_trap,    [TACIT_INTERRUPT] = follow_trap,
		[TACIT_RETURN] = follow_return,     [TACIT_START] = follow_start,
		[TACIT_PERIODIC] = follow_periodic, [TACIT_END] = follow_end,
		[TACIT_PAUSE] = follow_pause,       [TACIT_RESUME] = follow_resume,
		[TACIT_HITS] = follow_hits,         [TACIT_MISS] = follow_miss,
	};
	const unsigned code = d->msg.code;

	if (!stream_is_followed(&s->track) && !tacit_synchronises(code)) {
		d->skipped++;
		return HS_OK;
	}
	if (s->track.state == TRACK_UNSEEN && (code <= TACIT_RETURN || code >= TACIT_HITS))
		return pass_unseen(d, s, out);
	return follow[code](d, s, out);
}
