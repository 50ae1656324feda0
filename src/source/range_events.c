/* Ranges: events.  Those before a block are decided with it, as it may be the one at which the
 * range begins or ends. */
#include "guest/guest.h"
#include "source/range_private.h"

#define PENDING_MAX 65536u

/* Does an event belong to the block before it? */
static bool follows_block(const struct hs_block *b)
{
	return (b->kind == HS_KIND_TRAP && b->itype == HS_ITYPE_NONE) || b->kind == HS_KIND_STOP ||
	       b->kind == HS_KIND_UNSEEN || (b->kind == HS_KIND_NOTE && b->arg == HS_NOTE_PARTIAL);
}

/* An event that is left out: what it changes is kept. */
static enum hs_status leave_out(struct hs_range *r, const struct hs_block *b)
{
	struct range_lane *l = &r->lanes[r->now];
	struct hs_block silent = *b;

	if (b->kind == HS_KIND_CONTEXT) {
		l->contexts[b->arg % FORMATS] = *b;
		l->owed |= (uint8_t)(1u << b->arg % FORMATS);
	}
	if (b->kind == HS_KIND_GAP && r->keeps_gaps)
		return range_give(r, b);
	if (b->kind != HS_KIND_VERSION)
		return HS_OK;
	silent.itype = 1;
	return range_give(r, &silent);
}

enum hs_status range_settle(struct hs_range *r, bool give)
{
	enum hs_status s = HS_OK;

	for (size_t i = 0; i < r->queue.pending.n && s == HS_OK; i++)
		s = give ? range_give(r, &r->queue.pending.at[i])
		         : leave_out(r, &r->queue.pending.at[i]);
	r->queue.pending.n = 0;
	return s;
}

enum hs_status range_give_owed(struct hs_range *r)
{
	struct range_lane *l = &r->lanes[r->now];
	const struct hs_block note = { .value = l->left_out,
		                       .arg = HS_NOTE_LEFT_OUT,
		                       .kind = HS_KIND_NOTE,
		                       .priv = HS_PRIV_UNKNOWN };
	enum hs_status s = l->left_out ? range_give(r, &note) : HS_OK;

	for (unsigned i = 0; i < FORMATS && s == HS_OK; i++)
		if (l->owed >> i & 1u)
			s = range_give(r, &l->contexts[i]);
	l->left_out = 0;
	l->owed = 0;
	return s;
}

static void follow_time(struct hs_range *r, uint64_t now)
{
	struct range_lane *l = &r->lanes[r->now];

	if (r->from.at.kind == HS_POSITION_TIME && now >= r->from.at.value)
		l->began = r->from.reached = true;
	if (r->to.at.kind == HS_POSITION_TIME && now >= r->to.at.value)
		l->ended = r->to.reached = true;
	if (range_is_over(r))
		r->ended = true;
}

/* Who runs, for names. */
static void follow_task(struct hs_range *r)
{
	const struct program_at *at = &r->select.at;
	const struct hs_guest_at where = { .context = at->context,
		                           .has_context = at->has_context,
		                           .moment = at->moment,
		                           .has_moment = at->has_moment,
		                           .priv = HS_PRIV_U };

	if (r->guest && range_looks(r))
		r->task = hs_guest_find_task(r->guest, &where);
}

enum hs_status range_take_event(struct hs_range *r, const struct hs_block *b)
{
	struct range_lane *l = &r->lanes[r->now];
	enum hs_status s = program_select_event(&r->select, b);

	if (s != HS_OK)
		return s;
	if (b->kind == HS_KIND_CONTEXT)
		follow_task(r);
	if (b->kind == HS_KIND_TIME)
		follow_time(r, b->value);
	if (b->kind == HS_KIND_TRAP)
		range_take_trap(r, b);
	if (hs_event_breaks(b) || b->kind == HS_KIND_UNSEEN)
		l->a7.is = PROGRAM_A7_UNKNOWN;
	if (follows_block(b)) {
		const bool given = l->given;

		s = range_settle(r, given && range_is_inside(r));
		return s == HS_OK && given ? range_give(r, b) : s;
	}
	if (r->queue.pending.n == PENDING_MAX)
		s = range_settle(r, range_is_inside(r));
	return s == HS_OK ? range_put(&r->queue.pending, b) : s;
}
