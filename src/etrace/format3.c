/* Format 3: packets that say where a hart is (ET Decoder).
 *
 *     subformat 0  start: a full address.  Where the flow is known, it leads there (walk_to_sync())
 *     subformat 1  trap: epc or handler, cause; ends the flow before it
 *     subformat 2  context: privilege, context, time; no address
 *     subformat 3  support: options from here on, and whether tracing ended or packets were lost
 *
 * Invariant: the instruction at a reported address has retired, so that the source stands after it.
 * If it is a branch, the packet has its outcome, which is followed with the next packet.
 */
#include "etrace/careful.h"
#include "etrace/place.h"
#include "core/image.h"

bool et_start(struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out,
                        uint64_t addr)
{
	if (s->unfit)
		return false;
	et_apply_options(d, s);
	et_apply_context(d, s, out);
	et_put_event(s, out, HS_KIND_SYNC, 5, addr, 0);
	return et_try_sync(d, s, addr);
}

/* Resynchronisation: the flow continues to the address (ET Decoder, format 3 subformat 0). */
static enum hs_status walk_to_sync(struct hs_et_decoder *d, struct hs_et_source *s,
                                   struct flow_out *out)
{
	const uint64_t addr = et_full_address(d, HS_ETF_ADDRESS);
	const bool other_priv = et_field(d, HS_ETF_PRIVILEGE) != s->mode;
	enum path_stop why;

	if (s->phase == ET_FRESH && et_draft_vector(d, s, out))
		return et_sync_at(d, s, out, addr);
	if (s->phase == ET_FRESH) {
		et_draft_settle(d, s, out); /* the address that was met is the one that was meant */
		s->path.report = 0;
		s->path.counting = s->path.foretold = 0; /* the packet says nothing of returns */
		s->path.goal = other_priv ? PATH_DISCON : PATH_ADDRESS;
		s->path.address = addr;
		s->path.before = et_program_of(d, s) != s->track.table;
		s->path.own_bit = (uint8_t)et_field(d, HS_ETF_BRANCH);
		s->path.own = s->path.before ? PATH_OWN_ELSE : PATH_OWN_OUTSIDE;
		if (!s->path.before)
			path_add_own(&s->path, s->track.table);
		s->phase = ET_FOLLOW;
	}
	const enum hs_status status = et_walk(d, s, out, &why);
	if (status != HS_OK)
		return status;
	const bool before = s->path.before;

	if (why == PATH_JUMPED)
		et_remember_target(d, s, addr);
	s->path.before = 0;
	et_apply_context(d, s, out);
	if (before && !path_enter(&s->track.walk, s->track.table))
		return et_path_fail(d, s, PATH_NOCODE);
	et_sync_here(d, s, addr);
	et_put_synced(d, s, out, addr);
	et_trust_arrive(s, why == PATH_JUMPED);
	return HS_OK;
}

/* Where addresses are those of last instructions (layout.block_end) an encoder that synchronises
 * names one that the flow is already at, or was at some branches before; only if a jump comes next
 * does it lead there.  Branches of before may still be to be reported. */
static bool take_way(const struct hs_et_decoder *d, struct hs_et_source *s, uint64_t addr)
{
	if (!d->config.wire.block_end || s->track.state != TRACK_SYNCED ||
	    et_field(d, HS_ETF_PRIVILEGE) != s->mode)
		return false;
	s->address = addr;
	s->path.way = addr;
	s->path.has_way = true;
	s->inferred = false;
	return true;
}

/* map_ahead: the flow goes to the address, as far as branches of maps that came lead.  The others
 * are in the next map, and lead there first (et_follow_flow()). */
static enum hs_status walk_ahead(struct hs_et_decoder *d, struct hs_et_source *s,
                                 struct flow_out *out, uint64_t addr)
{
	enum path_stop why;

	if (s->phase == ET_FRESH) {
		s->path.report = 0;
		s->path.goal =
			et_field(d, HS_ETF_PRIVILEGE) != s->mode ? PATH_DISCON : PATH_ADDRESS;
		s->path.address = addr;
		s->path.passes = 1;
		s->phase = ET_FOLLOW;
	}
	const enum hs_status status = et_walk(d, s, out, &why);

	if (status != HS_OK)
		return status;
	et_apply_context(d, s, out);
	s->path.has_way = why == PATH_NO_BIT;
	s->path.way = addr;
	s->path.way_goal = s->path.goal;
	et_sync_on_way(d, s, addr);
	et_put_synced(d, s, out, addr);
	return HS_OK;
}

enum hs_status et_follow_start(struct hs_et_decoder *d, struct hs_et_source *s,
                               struct flow_out *out)
{
	const uint64_t addr = et_full_address(d, HS_ETF_ADDRESS);

	if (take_way(d, s, addr))
		return HS_OK;
	if (s->path.ahead && s->track.state == TRACK_SYNCED)
		return walk_ahead(d, s, out, addr);

	switch (s->track.state) {
	case TRACK_SYNCED:
		return walk_to_sync(d, s, out);
	case TRACK_TRAPPED:
		et_apply_context(d, s, out);
		return et_sync_at(d, s, out, addr);
	default:
		return et_start(d, s, out, addr) ? HS_OK : et_fail(d, s, HS_REASON_NO_CODE_AT_SYNC);
	}
}

bool et_gives_trap_only(const struct hs_et_decoder *d)
{
	return d->config.wire.arrivals ||
	       (!et_field(d, HS_ETF_THADDR) && d->config.version != HS_ET_0_026);
}

static unsigned trap_itype(const struct hs_et_decoder *d)
{
	return et_field(d, HS_ETF_INTERRUPT) ? HS_ITYPE_INTERRUPT : HS_ITYPE_EXCEPTION;
}

/* The block that a trap ends, or an empty one at the instruction that did not retire. */
static void put_trap(struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out,
                     bool known)
{
	if (et_gives_trap_only(d)) /* the mode in which the trap struck */
		et_follow_priv(d, s);
	if (!known) {
		s->track.walk.pc = et_full_address(d, HS_ETF_TRAP_ADDRESS);
		s->track.walk.cur = HS_BB_NOCODE;
		s->track.walk.acc = 0;
		s->track.walk.off = 0;
	}
	flow_close(&s->track.walk, s->track.table, trap_itype(d), out);
}

/* Causes of ecall and ebreak, which retire (design/blocks). */
static bool is_call_cause(const struct hs_et_decoder *d)
{
	const uint64_t cause = et_field(d, HS_ETF_ECAUSE);

	return !et_field(d, HS_ETF_INTERRUPT) && (cause == 3 || (cause >= 8 && cause <= 11));
}

/* map_ahead: the packet before named the instruction where the trap struck.  Of the branches that
 * are left the first of the handler may be one. */
static enum hs_status end_ahead(struct hs_et_decoder *d, struct hs_et_source *s,
                                struct flow_out *out)
{
	struct hs_walk *w = &s->track.walk;

	if (s->path.bits > 1 || s->path.has_way)
		return et_path_fail(d, s, PATH_SPARE_BITS);
	if (!is_call_cause(d) && w->off)
		w->off = (uint8_t)(w->off - hs_bb_size_before(s->track.table, w->cur, w->off));
	put_trap(d, s, out, true);
	return HS_OK;
}

/* The trap struck after the last instruction, or where the packet says (ET Format 3 thaddr).
 * @placed: its block was written. */
static enum hs_status end_by_trap(struct hs_et_decoder *d, struct hs_et_source *s,
                                  struct flow_out *out, bool *placed)
{
	bool known = false;

	if (d->config.wire.arrivals && s->track.state == TRACK_SYNCED) {
		const enum hs_status status = et_arrive_trap(d, s, out);

		if (status == HS_OK)
			put_trap(d, s, out, true);
		*placed = true;
		return status;
	}
	if (s->path.ahead && s->track.state == TRACK_SYNCED) {
		*placed = true;
		return end_ahead(d, s, out);
	}
	et_draft_settle(d, s, out);
	if (et_draft_unretired(d, s, out)) {
		known = true;
	} else if (s->track.state == TRACK_SYNCED) {
		const bool branch = path_at_branch(&s->track.walk, s->track.table);

		if (!path_has_only(&s->path, branch))
			return et_path_fail(d, s, branch ? PATH_NO_BIT : PATH_SPARE_BITS);
		const uint64_t epc = et_full_address(d, HS_ETF_TRAP_ADDRESS);
		s->path.counting = d->config.iret_ext;
		known = path_follow(&s->track.walk, s->track.table, &s->path,
		                    et_gives_trap_only(d) ? &epc : NULL, out);
	}
	*placed = known || et_gives_trap_only(d);
	if (*placed)
		put_trap(d, s, out, known);
	return HS_OK;
}

bool et_handler_of(const struct hs_et_decoder *d, uint64_t *addr)
{
	const enum hs_et_field which = et_is_draft(d) ? HS_ETF_ADDRESS : HS_ETF_TRAP_ADDRESS;

	*addr = et_full_address(d, which);
	if (hs_et_has(&d->packet, which) && !(d->config.wire.address_last && *addr == 0))
		return true;
	const bool known = et_handler(&d->config, &d->packet, addr);

	*addr = et_extend(d, *addr);
	return known;
}

/* QEMU repeats the address in place of tval, with branch 0, which ours does not. */
static bool has_value(const struct hs_et_decoder *d)
{
	return !d->config.wire.arrivals || et_field(d, HS_ETF_BRANCH);
}

enum hs_status et_follow_trap(struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out)
{
	const bool handler = !et_gives_trap_only(d);
	bool placed = !handler;
	enum hs_status status = HS_OK;
	uint64_t addr;

	if (et_field(d, HS_ETF_ECAUSE) > UINT32_MAX) /* design/et-layouts */
		return et_fail(d, s, HS_REASON_WIDE_CAUSE);
	const bool led = et_handler_of(d, &addr) || !handler;

	if (!led && !(s->path.ahead && s->track.state == TRACK_SYNCED))
		return et_fail(d, s, HS_REASON_NO_HANDLER);
	if (s->track.state == TRACK_SYNCED || s->track.state == TRACK_TRAPPED) {
		status = end_by_trap(d, s, out, &placed);
		if (status != HS_OK)
			return status;
	} else {
		if (s->track.state != TRACK_UNSEEN) {
			et_apply_options(d, s);
			et_put_event(s, out, HS_KIND_SYNC, 5, addr, 0);
		}
		if (!handler)
			put_trap(d, s, out, false);
	}
	et_put_event(s, out, HS_KIND_TRAP, placed ? HS_ITYPE_NONE : trap_itype(d),
	             has_value(d) ? et_extend(d, et_field(d, HS_ETF_TVAL)) : 0,
	             (uint32_t)et_field(d, HS_ETF_ECAUSE));
	et_apply_context(d, s, out);
	if (!led)
		return et_fail(d, s, HS_REASON_NO_HANDLER);
	if (handler)
		return et_sync_at(d, s, out, addr);
	et_forget(d, s);
	s->track.state = TRACK_TRAPPED;
	return HS_OK;
}

void et_source_close(struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out)
{
	if (d->config.version == HS_ET_FAST) {
		s->track.state = TRACK_OFF;
		return;
	}
	flow_refresh(&s->track.walk, s->track.table);
	et_draft_close(d, s, out);
	if (s->track.state == TRACK_SYNCED)
		path_close(&s->track.walk, s->track.table, &s->path, out);
	stream_put_unseen(&d->stream, &s->track, HS_UNSEEN_BRANCHES, out);
	s->track.state = TRACK_OFF;
	s->inferred = false;
}

/* 0.026: one more packet says that the encoder is disabled, and nothing of why
 * (design/et-draft). */
static bool disabled_again(struct hs_et_decoder *d, struct hs_et_source *s)
{
	const bool disabled = et_is_draft(d) && !et_field(d, HS_ETF_IENABLE) &&
	                      et_field(d, HS_ETF_QUAL_STATUS) == HS_ET_NO_CHANGE;
	const bool again = disabled && s->disabled;

	s->disabled = disabled && !again;
	return again;
}

enum hs_status et_follow_support(struct hs_et_decoder *d, struct hs_et_source *s,
                                 struct flow_out *out)
{
	const uint64_t qual = et_field(d, HS_ETF_QUAL_STATUS);
	enum hs_status status;

	if (qual == HS_ET_ENDED_NTR && s->inferred && s->track.state == TRACK_SYNCED &&
	    et_draft_may_go_on(d, s)) {
		s->phase = ET_AGAIN;
		status = et_walk_again(d, s, out);
		if (status != HS_OK)
			return status;
	}
	s->late = false;
	if (qual != HS_ET_NO_CHANGE || !s->trust.met)
		s->restarts = true;
	const bool believed = et_read_options(d, s);

	if (s->unfit)
		return et_fail(d, s, HS_REASON_TABLES);
	if (!believed)
		return et_fail(d, s, HS_REASON_OTHER_OPTIONS);
	if (qual == HS_ET_TRACE_LOST || disabled_again(d, s))
		return et_fail(d, s, HS_REASON_LOST);
	if (qual == HS_ET_NO_CHANGE)
		return HS_OK;
	s->inferred = false;
	if (s->landed == ET_LANDED_JUMP)
		s->landed = ET_LANDED_NOT;
	if (et_is_followed(s)) {
		et_source_close(d, s, out);
		et_put_event(s, out, HS_KIND_STOP, 4, 0, 0);
	}
	return HS_OK;
}
