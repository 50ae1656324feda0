/* Formats 0, 1 and 2: packets that say how the flow continued (ET Decoder).
 *
 * Such a packet has branches, an address, or both; path.c finds the way.  Example: the source
 * stands after the instruction at 0x1000, and format 1 has branches=1, branch_map=0 (taken) and
 * address=0xb:
 *
 *     goal              PATH_ADDRESS, 0x1000 + 0xb * 2 = 0x1016
 *     path              branch at 0x1004 taken, ret at 0x1010: it can only lead to 0x1016
 *     result            PATH_JUMPED; the source stands after the instruction at 0x1016
 *
 * Invariants: an address that is met on the way, without branches left, may be met again in a
 * loop; only the next packet shows whether that one was meant (s->inferred, et_walk_again()).  The
 * phase of a source says how far the packet was followed when the output was full.
 */
#include "etrace/place.h"
#include "flow/core.h"

bool et_has_address(const struct hs_et_decoder *d)
{
	return hs_et_has(&d->packet, HS_ETF_ADDRESS) || d->packet.form == HS_ET_FORM_INDEX;
}

/* Is the address the difference to the last one (ET Full address mode)? */
static bool is_difference(const struct hs_et_decoder *d, const struct hs_et_source *s)
{
	if (d->config.version != HS_ET_0_026)
		return !(s->options & HS_ET_FULL_ADDRESS);
	return d->packet.form != HS_ET_FORM_FULL &&
	       !(d->packet.form == HS_ET_FORM_ADDRESS && s->options & HS_ET_FULL_ADDRESS);
}

bool et_reported_address(const struct hs_et_decoder *d, const struct hs_et_source *s,
                         uint64_t *addr)
{
	if (d->packet.form == HS_ET_FORM_INDEX) {
		const uint64_t index = et_field(d, HS_ETF_INDEX);

		*addr = 1; /* no instruction: an inferred return may still fill the entry */
		if (!s->tables.cached || !s->tables.cache[index])
			return s->path.fills;
		*addr = s->tables.cache[index] - 1;
		return true;
	}
	*addr = et_full_address(d, HS_ETF_ADDRESS);
	if (is_difference(d, s))
		*addr = et_extend(d, d->config.negated ? s->address - *addr : s->address + *addr);
	return true;
}

enum hs_status et_walk_again(struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out)
{
	enum path_stop why;

	s->path.goal = PATH_DISCON;
	s->path.address = s->address; /* path.report is still that of its packet */
	const enum hs_status status = et_walk(d, s, out, &why);
	if (status != HS_OK)
		return status;
	et_remember_target(d, s, s->address);
	s->inferred = false;
	s->landed = ET_LANDED_JUMP;
	return HS_OK;
}

/* Branches that the packet reports. */
static void add_branches(const struct hs_et_decoder *d, struct hs_et_source *s)
{
	const unsigned branches = (unsigned)et_field(d, HS_ETF_BRANCHES);
	const uint32_t map = (uint32_t)et_field(d, HS_ETF_BRANCH_MAP);

	if (d->packet.form == HS_ET_FORM_BRANCH_COUNT) {
		s->path.predicted = et_field(d, HS_ETF_BRANCH_COUNT) + 31;
		s->path.failed = et_field(d, HS_ETF_BRANCH_FMT) != 2;
	} else if (branches || hs_et_has(&d->packet, HS_ETF_BRANCH_MAP)) {
		path_add(&s->path, map, branches ? branches : 31);
	}
}

/* Does the packet depend on what branches or calls did in code that is not known? */
static bool needs_unseen(const struct hs_et_decoder *d, const struct hs_path *p)
{
	if (d->packet.form == HS_ET_FORM_BRANCH_COUNT && p->states_unseen)
		return true;
	return p->calls_unseen && p->depth && !d->config.iret_ext && et_field(d, HS_ETF_IRREPORT);
}

/* What few layouts and readings need of the packet. */
static __attribute__((noinline)) void set_unusual(const struct hs_et_decoder *d, struct hs_path *p)
{
	p->spare =
		p->block_end && et_field(d, HS_ETF_BRANCHES) == 31 && !et_field(d, HS_ETF_UPDISCON);
	p->indexed = d->packet.form == HS_ET_FORM_INDEX && p->fills;
	p->cache_index = (uint16_t)et_field(d, HS_ETF_INDEX);
}

/* Where the packet leads. */
static enum hs_status aim(struct hs_et_decoder *d, struct hs_et_source *s)
{
	struct hs_path *p = &s->path;

	p->goal = PATH_LAST_BRANCH;
	if (!et_has_address(d))
		return HS_OK;
	if (p->unusual)
		set_unusual(d, p);
	p->goal = et_field(d, HS_ETF_UPDISCON) || d->packet.form == HS_ET_FORM_INDEX ? PATH_DISCON
	                                                                             : PATH_ADDRESS;
	return et_reported_address(d, s, &p->address) ? HS_OK
	                                              : et_fail(d, s, HS_REASON_CACHE_EMPTY);
}

/* Where the packet leads, and how it may get there. */
static enum hs_status set_goal(struct hs_et_decoder *d, struct hs_et_source *s)
{
	struct hs_path *p = &s->path;

	if (d->packet.form == HS_ET_FORM_BRANCH_COUNT && !p->states)
		return et_fail(d, s, HS_REASON_NOT_PREDICTED);
	if (d->packet.form == HS_ET_FORM_BRANCH_COUNT &&
	    !stream_may_lead(&d->stream, &s->track, et_field(d, HS_ETF_BRANCH_COUNT) + 31))
		return et_fail(d, s, HS_REASON_BLOCKS_LIMIT);
	if (needs_unseen(d, p))
		return et_fail(d, s, HS_REASON_STATE_UNSEEN);
	add_branches(d, s);
	path_begin(p);
	p->counting = d->config.iret_ext;
	p->report = (uint8_t)et_field(d, HS_ETF_IRREPORT);
	p->report_depth = (uint32_t)(et_field(d, HS_ETF_IRDEPTH) | et_field(d, HS_ETF_IRETS));
	return aim(d, s);
}

/* map_ahead: first to the address of the synchronising packet before, if branches of this map lead
 * there. */
static enum hs_status pass_way(struct hs_et_decoder *d, struct hs_et_source *s,
                               struct flow_out *out)
{
	enum path_stop why;

	if (s->phase == ET_FINISHED) {
		s->path.goal = s->path.way_goal;
		s->path.address = s->path.way;
		s->path.passes = 1;
		s->phase = ET_WAY;
	}
	const enum hs_status status = et_walk(d, s, out, &why);

	if (status != HS_OK)
		return status;
	s->path.has_way = false;
	s->path.passes = 0;
	return aim(d, s);
}

/* Was the address met on the way, so that only the next packet shows whether it was meant? */
static bool may_be_met_again(const struct hs_et_decoder *d, const struct hs_et_source *s)
{
	if (et_field(d, HS_ETF_NOTIFY))
		return false;
	return s->path.ahead ? !path_at_branch(&s->track.walk, s->track.table)
	                     : path_branches(&s->path) == 0;
}

/* Does our encoder also set notify at the instruction where the walk stands, to say how often a
 * loop ran or which of several returns is meant?  There nothing distinguishes a request
 * (design/et-encoder). */
static bool notify_may_place(const struct hs_et_decoder *d, const struct hs_et_source *s)
{
	const struct hs_walk *w = &s->track.walk;
	const unsigned kind = flow_last_kind(w, s->track.table);
	const struct hs_bb *b = &s->track.table->bbs[w->cur];
	uint64_t target;

	if (d->config.strict || flow_runs_on(kind) || kind == HS_INSN_BRANCH)
		return false;
	if (s->options & HS_ET_IMPLICIT_RETURN &&
	    (kind == HS_INSN_RETURN || kind == HS_INSN_CALL_IND || b->flags & HS_BB_CALL))
		return true;
	if (d->config.plain_loops || !(flow_is_direct_jump(kind) || flow_infers_pair(w, b)))
		return false;
	return hs_bb_target(s->track.table, w->cur, &target) == HS_OK && target <= s->address;
}

/* "A notification was requested via trigger[2]" (ET Format 2 notify). */
static void put_notification(const struct hs_et_decoder *d, const struct hs_et_source *s,
                             struct flow_out *out)
{
	if (et_field(d, HS_ETF_NOTIFY) && !notify_may_place(d, s))
		et_put_event(s, out, HS_KIND_SYNC, 6, s->address, 0);
}

enum hs_status et_follow_flow(struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out)
{
	enum path_stop why;
	enum hs_status status;

	if (s->track.state == TRACK_TRAPPED) /* in 0.026 because the handler is not known */
		return et_fail(d, s, et_is_draft(d) ? HS_REASON_NO_CODE
		                                    : HS_REASON_NO_SYNC_AFTER_TRAP);
	if (s->phase == ET_FRESH)
		s->phase = s->inferred ? ET_AGAIN : ET_FINISH;
	if (s->phase == ET_AGAIN) {
		status = et_walk_again(d, s, out);
		if (status != HS_OK)
			return status;
		s->phase = ET_FINISH;
	}
	if (s->phase == ET_FINISH) {
		status = set_goal(d, s);
		if (status != HS_OK)
			return status;
		s->phase = s->path.ahead && s->path.has_way ? ET_FINISHED : ET_FOLLOW;
	}
	if (s->phase == ET_FINISHED || s->phase == ET_WAY) {
		status = pass_way(d, s, out);
		if (status != HS_OK)
			return status;
		s->phase = ET_FOLLOW;
	}
	status = et_walk(d, s, out, &why);
	if (status != HS_OK || !et_has_address(d))
		return status;
	const bool jumped =
		why == PATH_JUMPED || (s->path.block_end && et_field(d, HS_ETF_UPDISCON));

	s->path.has_way = false;
	s->address = s->path.address;
	stream_anchor(&d->stream, &s->track);
	s->landed = jumped                    ? ET_LANDED_JUMP
	            : path_branches(&s->path) ? ET_LANDED_BRANCH
	                                      : ET_LANDED_NOT;
	if (jumped)
		et_remember_target(d, s, s->address);
	else if (may_be_met_again(d, s))
		s->inferred = true;
	put_notification(d, s, out);
	return HS_OK;
}
