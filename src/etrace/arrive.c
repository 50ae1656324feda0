/* Packets that say where jumps arrived (layout.arrivals, design/et-layouts).
 *
 * The walk stands before the instruction that a packet names, since the branch that may be there is
 * in the map of a later packet.  Example: from 0x1000 on, a packet with the map of one branch and
 * the address 0x2000, then a synchronising packet with 0x2000:
 *
 *     path         the branch at 0x1004, ret at 0x1010: block by block; PATH_JUMPED
 *     walk         before 0x2000, no block open; the second packet only says the mode
 *
 * Invariants: s->late says that the next map also has branches from before the place where the walk
 * stands, so that it cannot be used.  An address makes an end of that: all branches before it are
 * in its map, or in those before.
 */
#include "etrace/careful.h"
#include "etrace/place.h"

#include "core/image.h"

/* Ways of one packet that are tried: more are an answer, too. */
#define WAYS_MAX 4096u

/* Blocks of a way that is tried, at a time. */
#define WAY_BLOCKS 8

/* Does the walk stand before @addr, with nothing left to follow? */
static bool stands_at(const struct hs_et_source *s, uint64_t addr)
{
	return path_branches(&s->path) == 0 && flow_pc(&s->track.walk) == addr;
}

static unsigned kind_at(struct hs_bb_table *t, uint64_t addr)
{
	const uint32_t i = hs_bb_at(t, addr);

	return i >= HS_BB_FIRST && t->bbs[i].hwords == t->bbs[i].ilast ? t->bbs[i].kind
	                                                               : HS_INSN_LINEAR;
}

/* Is it an instruction that the flow does not pass?  QEMU reports where it is, and then where it
 * led. */
static bool ends_flow(struct hs_bb_table *t, uint64_t addr)
{
	const unsigned kind = kind_at(t, addr);

	return kind == HS_INSN_ECALL || kind == HS_INSN_EBREAK || kind == HS_INSN_XRET;
}

/* ---- maps whose bits stay -------------------------------------------------------- */

/* What a map says of those after it.  @return  Bits that may be set from before. */
static uint32_t note_map(const struct hs_et_decoder *d, struct hs_et_source *s)
{
	const uint32_t map = (uint32_t)et_field(d, HS_ETF_BRANCH_MAP);
	const unsigned bits =
		et_bits_of(&d->reader.layout, &d->config, &d->packet, HS_ETF_BRANCH_MAP);
	const uint32_t shown = (uint32_t)et_ones(bits), before = s->kept | ~s->seen;

	if (!d->config.wire.kept_map || !hs_et_has(&d->packet, HS_ETF_BRANCH_MAP))
		return 0;
	s->clears |= (s->kept & s->seen & shown & ~map) != 0;
	s->kept = (s->kept & ~shown) | (map & shown);
	s->seen |= shown;
	return s->clears ? 0 : map & before;
}

/* Follow the path with the branches of @map, writing nothing.  @left: branches that it did not come
 * to. */
static enum path_stop try_way(const struct hs_et_source *s, uint32_t map, unsigned count,
                              uint64_t *left)
{
	struct hs_block room[WAY_BLOCKS];
	struct hs_walk w = s->track.walk;
	struct hs_path p = s->path;
	enum path_stop why;

	path_add(&p, map, count);
	do {
		struct flow_out out = { room, room + WAY_BLOCKS };

		why = path_walk(&w, s->track.table, &p, &out);
	} while (why == PATH_FULL);
	*left = path_branches(&p);
	return why;
}

/* The next way, after @map led as far as the first @used branches: of those the last that may be
 * otherwise is.  0: there is none. */
static uint32_t next_way(uint32_t *map, uint32_t unsure, unsigned used)
{
	const uint32_t flips = *map & unsure & (uint32_t)et_ones(used);
	uint32_t last = flips;

	while (last & (last - 1))
		last &= last - 1;
	if (last)
		*map = (*map | (unsure & ~(2 * last - 1))) & ~last;
	return last;
}

/* Bits of @unsure may be 0.  True: one way only leads to where the packet says, *map. */
static bool find_way(const struct hs_et_source *s, uint32_t *map, unsigned count, uint32_t unsure)
{
	uint32_t way = *map;
	unsigned found = 0, used = 0;
	uint64_t left;

	for (unsigned n = 0; n == 0 || next_way(&way, unsure, used); n++) {
		const enum path_stop why = try_way(s, way, count, &left);

		if (n == WAYS_MAX || why == PATH_NOCODE)
			return false;
		used = left < count ? count - (unsigned)left : 0;
		if (why != PATH_JUMPED && why != PATH_REACHED && why != PATH_AT_BRANCH)
			continue;
		if (found++)
			return false;
		*map = way;
		used = count;
	}
	return found == 1;
}

/* ---- packets --------------------------------------------------------------------- */

static void lead_to(struct hs_et_source *s, enum path_goal goal, uint64_t addr)
{
	path_begin(&s->path);
	s->path.goal = goal;
	s->path.address = addr;
	s->path.before = 1;
	s->path.report = 0;
	s->phase = ET_FOLLOW;
}

/* The path arrived: by a jump, or the address was met. */
static void stand_before(struct hs_et_source *s, enum path_stop why)
{
	if (why == PATH_JUMPED && s->path.before)
		flow_start(&s->track.walk, s->track.table, s->path.address);
	s->path.before = 0;
}

/* Where the packet leads.  False: by which branches is not known. */
static bool set_goal(struct hs_et_decoder *d, struct hs_et_source *s, uint32_t unsure)
{
	const unsigned branches = (unsigned)et_field(d, HS_ETF_BRANCHES);
	const unsigned count = branches ? branches : 31;
	uint32_t map = (uint32_t)et_field(d, HS_ETF_BRANCH_MAP);
	uint64_t addr = 0;
	enum path_goal goal = PATH_LAST_BRANCH;

	if (et_has_address(d)) {
		et_reported_address(d, s, &addr);
		goal = et_field(d, HS_ETF_UPDISCON) && !ends_flow(s->track.table, addr)
		               ? PATH_DISCON
		               : PATH_ADDRESS;
	}
	path_refresh(&s->track.walk, s->track.table, &s->path);
	lead_to(s, goal, addr);
	/* only ours: the last instruction of the trace */
	s->path.before = et_has_address(d) && et_field(d, HS_ETF_UPDISCON);
	if (!hs_et_has(&d->packet, HS_ETF_BRANCH_MAP))
		return true;
	unsure &= (uint32_t)et_ones(count);
	if (unsure && !find_way(s, &map, count, unsure))
		return false;
	path_refresh(&s->track.walk, s->track.table, &s->path);
	path_add(&s->path, map, count);
	return true;
}

/* What retired until here is known. */
static enum hs_status lose_way(struct hs_et_decoder *d, struct hs_et_source *s,
                               struct flow_out *out)
{
	if (s->track.state == TRACK_SYNCED)
		path_close(&s->track.walk, s->track.table, &s->path, out);
	return et_fail(d, s, HS_REASON_WAY_UNKNOWN);
}

static enum hs_status follow_map(struct hs_et_decoder *d, struct hs_et_source *s,
                                 struct flow_out *out, uint32_t unsure)
{
	enum path_stop why;

	if (s->phase == ET_FRESH &&
	    (s->late || s->track.state != TRACK_SYNCED || !set_goal(d, s, unsure)))
		return lose_way(d, s, out);
	const enum hs_status status = et_walk(d, s, out, &why);

	if (status != HS_OK || !et_has_address(d))
		return status;
	stand_before(s, why);
	stream_anchor(&d->stream, &s->track);
	return HS_OK;
}

static void note_address(struct hs_et_decoder *d, struct hs_et_source *s)
{
	s->late = false;
	et_reported_address(d, s, &s->address);
}

enum hs_status et_arrive_flow(struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out)
{
	const uint32_t unsure = s->phase == ET_FRESH ? note_map(d, s) : 0;
	enum hs_status status = HS_OK;

	if (s->track.state == TRACK_SYNCED || s->track.state == TRACK_TRAPPED)
		status = follow_map(d, s, out, unsure);
	else
		d->stats.skipped++;
	if (status == HS_FULL)
		return status;
	if (et_has_address(d))
		note_address(d, s);
	else
		s->late |= status != HS_OK;
	return status;
}

void et_arrive_pass(struct hs_et_decoder *d, struct hs_et_source *s)
{
	if (d->packet.form == HS_ET_FORM_START) {
		s->late |= s->trust.met && et_full_address(d, HS_ETF_ADDRESS) != s->address;
		return;
	}
	note_map(d, s);
	if (et_has_address(d))
		note_address(d, s);
}

/* The flow goes on elsewhere than packets say: the trace was off, or a trap came that no packet
 * reports. */
static bool is_elsewhere(struct hs_et_source *s, uint64_t addr)
{
	if (s->phase == ET_FOLLOW || stands_at(s, addr))
		return false;
	return path_branches(&s->path) ||
	       kind_at(s->track.table, flow_pc(&s->track.walk)) != HS_INSN_XRET;
}

/* QEMU sends the mode from before the trap, since another one comes, with branch 0, which ours does
 * not. */
static enum hs_status start_handler(struct hs_et_decoder *d, struct hs_et_source *s,
                                    struct flow_out *out)
{
	const bool before = !et_field(d, HS_ETF_BRANCH) && et_field(d, HS_ETF_PRIVILEGE) == s->mode;
	const enum hs_status status = et_follow_start(d, s, out);

	if (before) {
		s->priv = HS_PRIV_UNKNOWN;
		flow_set_priv(&s->track.walk, s->priv);
	}
	return status;
}

enum hs_status et_arrive_start(struct hs_et_decoder *d, struct hs_et_source *s,
                               struct flow_out *out)
{
	const uint64_t addr = et_full_address(d, HS_ETF_ADDRESS);
	enum path_stop why;

	if (s->track.state == TRACK_TRAPPED)
		return start_handler(d, s, out);
	if (s->track.state != TRACK_SYNCED) {
		et_arrive_pass(d, s);
		return et_follow_start(d, s, out);
	}
	if (is_elsewhere(s, addr)) {
		s->late = true;
		return lose_way(d, s, out);
	}
	if (s->phase == ET_FOLLOW || !stands_at(s, addr)) {
		if (s->phase == ET_FRESH)
			lead_to(s, PATH_DISCON, addr);
		const enum hs_status status = et_walk(d, s, out, &why);

		if (status != HS_OK)
			return status;
		stand_before(s, why);
	}
	et_apply_context(d, s, out);
	et_sync_here(d, s, addr);
	et_put_synced(d, s, out, addr);
	et_trust_arrive(s, false);
	return HS_OK;
}

enum hs_status et_arrive_trap(struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out)
{
	const uint64_t epc = et_full_address(d, HS_ETF_TRAP_ADDRESS);
	enum path_stop why;

	if (s->phase == ET_FRESH && stands_at(s, epc))
		return HS_OK;
	if (s->phase == ET_FRESH)
		lead_to(s, PATH_ADDRESS, epc);
	const enum hs_status status = et_walk(d, s, out, &why);

	if (status == HS_OK)
		stand_before(s, why);
	else if (status != HS_FULL)
		s->late = true;
	return status;
}
