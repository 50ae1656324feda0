/* Where the source stands: addresses, contexts, times, and the way straight on. */
#include "core/image.h"
#include "core/mem.h"
#include "flow/core.h"
#include "tacit/source.h"

/* SYNC codes of events (NT Table 25): trace enabled, restart after a loss. */
#define SYNC_PERIODIC 2u
#define SYNC_ENABLED 5u
#define SYNC_OVERRUN 7u

#define JUMPS_UNMARKED 4u
#define JUMPS_MAX (1u << 20)

static void put_event(struct flow_out *out, unsigned kind, uint64_t value, unsigned itype)
{
	struct hs_block *b = stream_put_event(out, kind);

	b->value = value;
	b->itype = (uint8_t)itype;
	b->priv = HS_PRIV_UNKNOWN;
}

uint64_t tacit_address(const struct tacit_decoder *d, const struct tacit_source *s,
                       uint64_t address)
{
	const uint64_t a = tacit_extend(address, tacit_address_bits(&d->config));

	return s->track.table->image->isa.xlen == 32 ? a & UINT32_MAX : a;
}

void tacit_put_time(struct tacit_source *s, uint64_t time, struct flow_out *out)
{
	const bool same = s->track.timed && s->track.time == time;

	s->track.time = time;
	s->track.timed = true;
	if (!same)
		put_event(out, HS_KIND_TIME, time, 0);
}

void tacit_go(struct tacit_source *s, uint64_t address)
{
	flow_start(&s->track.walk, s->track.table, address);
}

void tacit_set_context(struct tacit_decoder *d, struct tacit_source *s, uint64_t context,
                       struct flow_out *out)
{
	struct hs_bb_table *program = stream_program(&d->stream, context);

	if (program)
		s->track.table = program;
	if (context == s->context)
		return;
	s->context = context;
	put_event(out, HS_KIND_CONTEXT, context, 0);
	out->p[-1].priv = tacit_prv_to(&d->msg) & 7u;
}

/* ---- synchronisation ------------------------------------------------------------ */

/* Has the predictor seen no branch yet?  It is as after a reset where a trace begins, and goes on
 * through synchronisations. */
static bool is_new_predictor(const struct tacit_decoder *d)
{
	return d->config.fresh || (d->msg.code == TACIT_START && d->msg.offset == 0);
}

enum hs_status tacit_take_mode(struct tacit_decoder *d, struct tacit_source *s)
{
	if (!TACIT_HAS(&d->msg, CONFIG))
		return HS_OK;
	const uint8_t config = (uint8_t)TACIT_GET(&d->msg, CONFIG);
	const unsigned mode = config & 3u, entries = tacit_config_entries(&d->config, config);

	s->predicts = mode == TACIT_MODE_PREDICT;
	if (mode == TACIT_MODE_TARGET)
		return HS_OK;
	if (mode != TACIT_MODE_PREDICT)
		return tacit_fault(d, s, HS_REASON_MODE);
	if (!entries)
		return tacit_fault(d, s, HS_REASON_TABLES);
	if (d->config.fresh || s->predictor.entries == 0) {
		tacit_predictor_init(&s->predictor, entries);
		s->learned = is_new_predictor(d);
	} else if (entries != s->predictor.entries) {
		s->learned = false;
	}
	return HS_OK;
}

static unsigned sync_of(unsigned code)
{
	return code == TACIT_PERIODIC ? SYNC_PERIODIC
	       : code == TACIT_RESUME ? SYNC_OVERRUN
	                              : SYNC_ENABLED;
}

enum hs_status tacit_sync(struct tacit_decoder *d, struct tacit_source *s, struct flow_out *out)
{
	const struct tacit_msg *m = &d->msg;
	const uint64_t address = tacit_address(d, s, TACIT_GET(m, ADDR) << 1);
	const enum hs_status status = tacit_take_mode(d, s);

	if (status != HS_OK)
		return status;
	s->track.state = TRACK_SYNCED;
	stream_synced(&s->track, m->offset);
	stream_anchor(&d->stream, &s->track);
	tacit_set_context(d, s, TACIT_GET(m, CTX), out);
	flow_set_priv(&s->track.walk, tacit_prv_to(m));
	tacit_go(s, address);
	s->last = address + 1; /* none */
	if (m->code != TACIT_PERIODIC || d->stream.all_syncs)
		put_event(out, HS_KIND_SYNC, address, sync_of(m->code));
	s->track.timed = false;
	tacit_put_time(s, TACIT_GET(m, TIME), out);
	return HS_OK;
}

/* ---- straight on ---------------------------------------------------------------- */

/* The walk stands before entry s->walk.cur from now on, which follows entry @from over an edge. */
static void enter(struct hs_walk *w, struct hs_bb_table *t, uint32_t from, unsigned edge)
{
	uint32_t mark;
	const uint32_t to = flow_edge(t, from, edge, &w->pc, &mark);

	w->cur = to;
	w->generation = t->generation;
	if (to >= HS_BB_FIRST)
		w->pc = t->bbs[to].start;
}

static void pass_entry(struct hs_walk *w, struct hs_bb_table *t)
{
	const struct hs_bb *b = &t->bbs[w->cur];

	w->acc += b->hwords;
	w->last = b->ilast;
	enter(w, t, w->cur, 0);
}

bool tacit_run(struct tacit_source *s)
{
	struct hs_walk *w = &s->track.walk;
	struct hs_bb_table *t = s->track.table;

	flow_refresh(w, t);
	while (w->cur >= HS_BB_FIRST && flow_runs_on(t->bbs[w->cur].kind))
		pass_entry(w, t);
	return w->cur >= HS_BB_FIRST;
}

void tacit_leave(struct tacit_decoder *d, struct tacit_source *s, bool taken, struct flow_out *out)
{
	struct hs_walk *w = &s->track.walk;
	struct hs_bb_table *t = s->track.table;
	const struct hs_bb *b = &t->bbs[w->cur];

	s->last = flow_after(b) - 2u * (uint64_t)b->ilast;
	flow_end_block(w, b, !taken, out);
	enter(w, t, w->cur, taken);
	stream_count(&d->stream, &s->track);
}

enum hs_status tacit_pass_jump(struct tacit_decoder *d, struct tacit_source *s,
                               struct flow_out *out)
{
	if (out->end - out->p < TACIT_STEP_ROOM)
		return HS_FULL;
	if (flow_circles(&s->jumps, s->track.walk.cur, false, JUMPS_UNMARKED, JUMPS_MAX))
		return HS_E_FLOW;
	const uint64_t last = s->last;

	tacit_leave(d, s, true, out);
	s->last = last; /* no message was about it */
	return HS_OK;
}

/* Is the address in the current entry, and does an instruction begin there? */
static bool stands_in(struct hs_walk *w, const struct hs_bb_table *t, uint64_t to)
{
	const struct hs_bb *b = &t->bbs[w->cur];
	const uint64_t off = (to - b->start) / 2;

	if (to < b->start || off >= b->hwords || !hs_bb_boundary(t, w->cur, (unsigned)off))
		return false;
	w->off = (uint8_t)off;
	return true;
}

/* To the entry that has the address, where it lies straight ahead. */
static enum tacit_walk run_to(struct tacit_source *s, uint64_t to)
{
	struct hs_walk *w = &s->track.walk;
	struct hs_bb_table *t = s->track.table;

	flow_refresh(w, t);
	for (;;) {
		if (w->cur < HS_BB_FIRST)
			return w->pc == to ? TACIT_THERE : TACIT_NOCODE;
		if (stands_in(w, t, to))
			return TACIT_THERE;
		if (!flow_runs_on(t->bbs[w->cur].kind))
			return TACIT_ELSEWHERE;
		pass_entry(w, t);
	}
}

/* Do direct jumps lead from where the walk stands to the address once more? */
static bool arrives_again(const struct tacit_source *s, uint64_t to)
{
	struct hs_jumps jumps = { 0 };
	struct hs_walk w = s->track.walk;
	struct hs_bb_table *t = s->track.table;

	w.off = 0;
	while (w.cur >= HS_BB_FIRST) {
		const unsigned kind = t->bbs[w.cur].kind;
		const bool jump = flow_is_direct_jump(kind);

		if ((!jump && !flow_runs_on(kind)) ||
		    (jump && flow_circles(&jumps, w.cur, false, JUMPS_UNMARKED, JUMPS_MAX)))
			return false;
		enter(&w, t, w.cur, jump);
		if (w.cur >= HS_BB_FIRST && stands_in(&w, t, to))
			return true;
	}
	return false;
}

static bool at_skipped_jump(const struct tacit_decoder *d, const struct tacit_source *s)
{
	return tacit_skips_jumps(d, s) &&
	       flow_is_direct_jump(s->track.table->bbs[s->track.walk.cur].kind);
}

static void put_ambiguous(struct flow_out *out, uint64_t to)
{
	put_event(out, HS_KIND_NOTE, to, 0);
	out->p[-1].arg = HS_NOTE_AMBIGUOUS;
}

enum tacit_walk tacit_walk_to(struct tacit_decoder *d, struct tacit_source *s, uint64_t to,
                              struct flow_out *out)
{
	struct hs_walk *w = &s->track.walk;
	struct hs_walk before = *w;
	enum tacit_walk how = run_to(s, to);

	for (; how == TACIT_ELSEWHERE && at_skipped_jump(d, s); how = run_to(s, to)) {
		const enum hs_status passed = tacit_pass_jump(d, s, out);

		if (passed != HS_OK)
			return passed == HS_FULL ? TACIT_WALK_FULL : TACIT_CIRCLES;
		before = *w;
	}
	if (how != TACIT_THERE)
		*w = before; /* what is ahead did not retire */
	else if (tacit_skips_jumps(d, s) && arrives_again(s, to))
		put_ambiguous(out, to);
	return how;
}
