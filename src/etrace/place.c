/* Where a source stands, and the events that it writes.
 *
 * A synchronising packet gives the address of an instruction that retired: the walk is put after it
 * (et_try_sync(), et_sync_here()), and what was remembered of the flow before is dropped as the
 * parameters say (et_forget(): predictor, calls, jump targets).  et_walk() follows the path that
 * formats 0 to 3 set up, and turns what stops it into a reason.
 *
 * Invariant: an event holds for the blocks after it.
 */
#include "etrace/careful.h"
#include "etrace/place.h"

#include "core/image.h"
#include "etrace/memory.h"
#include "flow/core.h"

uint8_t et_block_priv(const struct hs_et_resolved *c, uint64_t priv)
{
	static const uint8_t of[8] = {
		HS_PRIV_U,       HS_PRIV_S,  HS_PRIV_UNKNOWN, HS_PRIV_M,
		HS_PRIV_D,       HS_PRIV_VU, HS_PRIV_VS,      HS_PRIV_UNKNOWN
	};

	return priv == c->wire.machine ? HS_PRIV_M : of[priv & 7];
}

void et_put_event(const struct hs_et_source *s, struct flow_out *out, unsigned kind, unsigned itype,
                  uint64_t value, uint32_t arg)
{
	struct hs_block *b = stream_put_event(out, kind);

	b->itype = (uint8_t)itype;
	b->value = value;
	b->arg = arg;
	b->priv = s->priv & 7u;
}

void et_put_time(struct hs_et_source *s, struct flow_out *out, uint64_t time)
{
	s->track.time = time;
	s->track.timed = HS_TIMED;
	et_put_event(s, out, HS_KIND_TIME, 0, time, 0);
}

void et_follow_priv(const struct hs_et_decoder *d, struct hs_et_source *s)
{
	s->mode = (uint8_t)et_field(d, HS_ETF_PRIVILEGE);
	s->priv = et_block_priv(&d->config, s->mode);
	flow_set_priv(&s->track.walk, s->priv);
}

/* A context packet has no address (ET Table context-type): the next synchronising packet names the
 * program again. */
struct hs_bb_table *et_program_of(struct hs_et_decoder *d, const struct hs_et_source *s)
{
	struct hs_bb_table *named = NULL;

	if (d->config.context_width && d->packet.form != HS_ET_FORM_CONTEXT &&
	    hs_et_has(&d->packet, HS_ETF_CONTEXT))
		named = stream_program(&d->stream, et_field(d, HS_ETF_CONTEXT));
	return named ? named : s->track.table;
}

/* Continue in the program that the packet names; an open block stays open.  False: it is the same
 * one. */
static bool switch_program(struct hs_et_decoder *d, struct hs_et_source *s)
{
	struct hs_bb_table *to = et_program_of(d, s);

	if (to == s->track.table)
		return false;
	flow_switch(&s->track.walk, s->track.table, to);
	s->track.table = to;
	return true;
}

/* Does the packet say nothing new but the time, as one before a packet that has few bits of it? */
static bool is_time_only(const struct hs_et_decoder *d, const struct hs_et_source *s)
{
	return d->packet.form == HS_ET_FORM_CONTEXT && et_times_are_partial(&d->config) &&
	       s->track.timed && s->mode == et_field(d, HS_ETF_PRIVILEGE) &&
	       s->context == et_field(d, HS_ETF_CONTEXT);
}

static void apply_time(const struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out)
{
	const uint64_t time = et_field(d, HS_ETF_TIME);

	if (s->track.timed == HS_TIMED && s->track.time == time)
		return;
	if (is_time_only(d, s)) {
		s->track.time = time;
		s->track.timed = HS_TIMED_NEXT;
	} else {
		et_put_time(s, out, time);
	}
}

void et_apply_context(struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out)
{
	const struct hs_et_resolved *c = &d->config;

	if (c->time_width && hs_et_has(&d->packet, HS_ETF_TIME) && !et_frame_has_time(c))
		apply_time(d, s, out);
	et_follow_priv(d, s);
	const bool other = switch_program(d, s);

	if (c->context_width && hs_et_has(&d->packet, HS_ETF_CONTEXT) &&
	    (s->contexted ? s->context != et_field(d, HS_ETF_CONTEXT)
	                  : other || et_field(d, HS_ETF_CONTEXT) != 0)) {
		s->context = et_field(d, HS_ETF_CONTEXT);
		s->contexted = true;
		et_put_event(s, out, HS_KIND_CONTEXT, 0, s->context, 2);
	}
}

enum hs_status et_fail(struct hs_et_decoder *d, struct hs_et_source *s, enum hs_reason reason)
{
	s->track.state = TRACK_LOSING;
	return et_fault(d, reason, flow_pc(&s->track.walk));
}

static enum hs_reason path_reason(enum path_stop why)
{
	switch (why) {
	case PATH_NOCODE:
		return HS_REASON_NO_CODE;
	case PATH_RETURN:
		return HS_REASON_RETURN_UNSEEN;
	case PATH_NO_BIT:
		return HS_REASON_BRANCH_UNREPORTED;
	case PATH_SPARE_BITS:
		return HS_REASON_BRANCHES_LEFT;
	case PATH_UNINFERABLE:
		return HS_REASON_JUMP_BEFORE_BRANCH;
	case PATH_ARRIVAL:
		return HS_REASON_ARRIVAL_UNKNOWN;
	case PATH_LOOP:
		return HS_REASON_JUMPS_LOOP;
	default:
		return HS_REASON_INTERNAL;
	}
}

enum hs_status et_path_fail(struct hs_et_decoder *d, struct hs_et_source *s, enum path_stop why)
{
	const bool late =
		d->config.wire.arrivals && d->packet.form == HS_ET_FORM_TRAP && why == PATH_NO_BIT;

	return et_fail(d, s, late ? HS_REASON_WAY_UNKNOWN : path_reason(why));
}

void et_apply_options(const struct hs_et_decoder *d, struct hs_et_source *s)
{
	const struct hs_et_resolved *c = &d->config;

	/* An itype of 3 bits has no returns (ET Table itype). */
	const unsigned pairs = FLOW_SEQUENTIAL | (c->itype_width > 3 ? FLOW_PAIRED_RETURNS : 0u);

	s->track.walk.rules = (uint8_t)(s->options & HS_ET_SIJUMP ? pairs : 0);
	s->path.depth = s->options & HS_ET_IMPLICIT_RETURN ? et_calls(c) : 0;
	s->path.depth_mask = (uint32_t)et_ones(et_depth_bits(c));
	s->path.states = s->options & HS_ET_BRANCH_PREDICTION ? s->tables.states : NULL;
	s->path.mask = ((uint32_t)1 << c->bpred_size) - 1;
	s->path.coarse = c->iaddress_lsb > 1;
	if (!s->path.states) { /* predictions of before mean nothing any more */
		s->path.predicted = 0;
		s->path.failed = 0;
	}
	s->path.absolute = c->x0_inferable;
	s->path.fills = c->cache_returns && s->options & HS_ET_JUMP_TARGET_CACHE;
	s->path.cache_mask = (uint16_t)((1u << c->cache_size) - 1);
	s->path.lenient = c->context_mark;
	s->path.block_end = c->wire.block_end;
	s->path.unusual = s->path.fills | s->path.block_end;
	s->path.ahead = c->wire.map_ahead;
}

void et_forget(const struct hs_et_decoder *d, struct hs_et_source *s)
{
	const struct hs_et_resolved *c = &d->config;
	const bool keeps = c->resync_disabled && !c->sync_resets && !s->restarts && !s->changed;

	if (keeps && et_is_followed(s)) {
		path_restart(&s->path);
	} else {
		path_reset(&s->path);
		s->path.calls_unseen = s->path.states_unseen = keeps;
	}
	if (!c->cache_kept || s->changed)
		et_cache_clear(&s->tables);
	s->inferred = false;
}

void et_remember_target(const struct hs_et_decoder *d, struct hs_et_source *s, uint64_t addr)
{
	if (!(s->options & HS_ET_JUMP_TARGET_CACHE) || (s->path.foretold && !s->path.fills))
		return;
	et_fill(&s->tables, et_cache_index(&d->config, addr), addr);
}

/* Does an instruction of this kind at @at lead to @addr, or where the program does not say? */
static bool may_lead_to(const struct hs_bb_table *t, uint64_t at, uint64_t addr)
{
	struct hs_insn i;

	if (hs_img_insn(t->image, at, &i) != HS_OK)
		return true;
	if (i.kind == HS_INSN_BRANCH || flow_is_direct_jump(i.kind))
		return i.target == addr || (i.kind == HS_INSN_BRANCH && at + 2u * i.hwords == addr);
	return i.kind != HS_INSN_LINEAR || at + 2u * (uint64_t)i.hwords == addr;
}

/* map_ahead: after a loss: was the branch at @addr in the map of the packet before, which named the
 * instruction before it?  Else it is in the next one. */
static bool was_ahead(const struct hs_et_source *s, uint64_t addr)
{
	return s->path.called && may_lead_to(s->track.table, s->path.called - 1, addr);
}

/* The walk stands after the instruction at @addr, which a synchronising packet names. */
static void set_synced(struct hs_et_decoder *d, struct hs_et_source *s, uint64_t addr)
{
	s->address = addr;
	s->track.state = TRACK_SYNCED;
	if (d->config.wire.arrivals || (s->path.ahead && !was_ahead(s, addr)))
		return;
	if (path_at_branch(&s->track.walk, s->track.table))
		path_add(&s->path, (uint32_t)et_field(d, HS_ETF_BRANCH), 1);
}

static void forget_before_sync(struct hs_et_decoder *d, struct hs_et_source *s)
{
	stream_anchor(&d->stream, &s->track);
	stream_synced(&s->track, d->packet.offset);
	et_trust_meet(s);
	et_forget(d, s);
	s->restarts = s->changed = false;
	s->landed = d->packet.form == HS_ET_FORM_TRAP ? ET_LANDED_TRAP : ET_LANDED_START;
}

bool et_try_sync(struct hs_et_decoder *d, struct hs_et_source *s, uint64_t addr)
{
	const uint64_t reported = s->path.ahead ? s->path.called : 0;

	forget_before_sync(d, s);
	s->path.called = reported;
	s->address = addr;
	if (d->config.wire.arrivals) {
		flow_start(&s->track.walk, s->track.table, addr);
		set_synced(d, s, addr);
		return s->track.walk.cur >= HS_BB_FIRST;
	}
	if (path_land(&s->track.walk, s->track.table, addr)) {
		set_synced(d, s, addr);
		return true;
	}
	if (!d->config.context_mark)
		return false;
	s->track.state = TRACK_TRAPPED; /* it did not retire (design/et-draft) */
	return true;
}

void et_put_synced(const struct hs_et_decoder *d, const struct hs_et_source *s,
                   struct flow_out *out, uint64_t addr)
{
	if (d->stream.all_syncs)
		et_put_event(s, out, HS_KIND_SYNC, ET_SYNC_AGAIN, addr, 0);
}

enum hs_status et_sync_at(struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out,
                          uint64_t addr)
{
	if (!et_try_sync(d, s, addr))
		return et_fail(d, s, HS_REASON_NO_CODE_AT_SYNC);
	et_put_synced(d, s, out, addr);
	return HS_OK;
}

void et_sync_here(struct hs_et_decoder *d, struct hs_et_source *s, uint64_t addr)
{
	forget_before_sync(d, s);
	set_synced(d, s, addr);
}

void et_sync_on_way(struct hs_et_decoder *d, struct hs_et_source *s, uint64_t addr)
{
	stream_anchor(&d->stream, &s->track);
	stream_synced(&s->track, d->packet.offset);
	et_trust_meet(s);
	s->path.passes = 0;
	s->address = addr;
	s->inferred = false;
	s->landed = ET_LANDED_START;
}

/* Walk up to each change of the code. */
static enum path_stop walk_guided(struct hs_et_decoder *d, struct hs_et_source *s,
                                  struct flow_out *out, struct hs_block *end)
{
	enum path_stop why;

	do {
		stream_count(&d->stream, &s->track);
		if (s->path.own != PATH_OWN_ELSE)
			path_add_own(&s->path, s->track.table);
		struct flow_out room = stream_room(&s->track, out->p, end);

		why = path_walk(&s->track.walk, s->track.table, &s->path, &room);
		out->p = room.p;
	} while (why == PATH_FULL && out->p != end);
	stream_count(&d->stream, &s->track);
	return why;
}

enum hs_status et_walk(struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out,
                       enum path_stop *why)
{
	struct flow_out part = { out->p, out->end - ET_AFTER_WALK };

	if (d->stream.guide) {
		*why = walk_guided(d, s, out, part.end);
	} else {
		*why = path_walk(&s->track.walk, s->track.table, &s->path, &part);
		out->p = part.p;
	}
	switch (*why) {
	case PATH_REACHED:
	case PATH_JUMPED:
	case PATH_AT_BRANCH:
		return HS_OK;
	case PATH_FULL:
		return HS_FULL;
	case PATH_NO_BIT: /* of a synchronisation: its branches are in the next map */
		if (s->path.passes && d->packet.form == HS_ET_FORM_START)
			return HS_OK;
		/* fall through */
	default:
		return et_path_fail(d, s, *why);
	}
}
