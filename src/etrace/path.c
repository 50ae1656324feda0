/* The path to an address, over the table of basic blocks.
 *
 * Example: the walk stands after the addi at 0x1000 of the entry 0x1000 to 0x1007, which ends with
 * a beqz; one branch is known (taken), and the goal is PATH_ADDRESS 0x1016:
 *
 *     entry 0x1000      0x1016 is not in it; its beqz uses the bit; block 0x1000, 4 half-words
 *     entry 0x1010      ends with ret, whose target nothing gives, with no branch left: the ret led
 *                       to the goal; block 0x1010, return; PATH_JUMPED
 *
 * Invariants: an address is met only when no branch is left but its own.  The instruction that the
 * walk stands after has retired, but what it does (its branch, its jump) is followed by the next
 * path.  hist holds the bits of known branches, oldest in bit 63, 1 for taken; predicted and
 * failed count those that only the predictor knows.
 */
#include "etrace/path.h"

#include "core/mem.h"
#include "etrace/memory.h"
#include "etrace/predictor.h"
#include "flow/core.h"

/* Half-words of the instruction of entry @i that begins at half-word @off. */
static unsigned size_at(const struct hs_bb_table *t, uint32_t i, unsigned off)
{
	unsigned n = 1;

	while (!hs_bb_boundary(t, i, off + n))
		n++;
	return n;
}

void path_refresh(struct hs_walk *w, struct hs_bb_table *t, struct hs_path *p)
{
	if (w->generation != t->generation)
		p->jumps.mark = 0;
	flow_refresh(w, t);
}

bool path_enter(struct hs_walk *w, const struct hs_bb_table *t)
{
	if (w->cur < HS_BB_FIRST)
		return false;
	w->off = (uint8_t)size_at(t, w->cur, 0);
	return true;
}

bool path_land(struct hs_walk *w, struct hs_bb_table *t, uint64_t addr)
{
	flow_start(w, t, addr);
	return path_enter(w, t);
}

bool path_at_branch(const struct hs_walk *w, const struct hs_bb_table *t)
{
	return flow_last_kind(w, t) == HS_INSN_BRANCH;
}

bool path_is_branch(struct hs_bb_table *t, uint64_t addr)
{
	const uint32_t i = hs_bb_at(t, addr);

	return i >= HS_BB_FIRST && t->bbs[i].kind == HS_INSN_BRANCH &&
	       t->bbs[i].hwords == t->bbs[i].ilast;
}

/* ---- branches ------------------------------------------------------------------- */

uint64_t path_branches(const struct hs_path *p)
{
	return p->bits + p->predicted + p->failed;
}

bool path_has_only(const struct hs_path *p, bool at_branch)
{
	return path_branches(p) == (at_branch ? 1u : 0u);
}

bool path_has_ahead(const struct hs_path *p, bool own)
{
	return p->bits == own || p->bits == own + 1u;
}

static uint32_t reverse_bits(uint32_t v)
{
	v = (v >> 1 & 0x55555555u) | (v & 0x55555555u) << 1;
	v = (v >> 2 & 0x33333333u) | (v & 0x33333333u) << 2;
	v = (v >> 4 & 0x0f0f0f0fu) | (v & 0x0f0f0f0fu) << 4;
	v = (v >> 8 & 0x00ff00ffu) | (v & 0x00ff00ffu) << 8;
	return v >> 16 | v << 16;
}

void path_add(struct hs_path *p, uint32_t map, unsigned count)
{
	const uint64_t taken = (uint64_t)reverse_bits(~map) << 32;
	const uint64_t kept = ~(uint64_t)0 << (64 - count);

	p->hist = (p->bits ? p->hist & ~(uint64_t)0 << (64 - p->bits) : 0) |
	          (taken & kept) >> p->bits;
	p->bits = (uint8_t)(p->bits + count);
}

void path_add_own(struct hs_path *p, struct hs_bb_table *t)
{
	const bool branch = path_is_branch(t, p->address);

	if (branch && p->own == PATH_OWN_OUTSIDE)
		path_add(p, p->own_bit, 1);
	if (!branch && p->own == PATH_OWN_ADDED && p->bits)
		p->bits--;
	p->own = branch ? PATH_OWN_ADDED : PATH_OWN_OUTSIDE;
}

void path_restart(struct hs_path *p)
{
	p->has_way = p->spare = false;
	p->passes = p->owed = 0;
	p->called = 0;
	p->bits = 0;
	p->predicted = 0;
	p->failed = 0;
	p->jumps.without_branch = 0;
	p->report = 0;
	p->irets = 0;
	p->waits = PATH_WAITS_NOT;
	p->own = PATH_OWN_ELSE;
	p->before = 0;
}

void path_reset(struct hs_path *p)
{
	path_restart(p);
	p->calls_unseen = 0;
	p->states_unseen = 0;
	if (p->states) /* ET Branch prediction mode */
		memset(p->states, 1, (size_t)p->mask + 1);
	p->tables->count = 0;
}

/* The branch that entry @b ends with, as the predictor counts addresses. */
static uint64_t branch_unit(const struct hs_path *p, const struct hs_bb *b)
{
	return ((b->start >> 1) + (unsigned)(b->hwords - b->ilast)) >> p->coarse;
}

static bool next_bit(struct hs_path *p)
{
	const bool taken = p->hist >> 63;

	p->hist <<= 1;
	p->bits--;
	return taken;
}

/* The same with a branch predictor, which learns from it. */
static bool next_predicted(struct hs_path *p, const struct hs_bb *b)
{
	const uint64_t unit = branch_unit(p, b);
	bool taken;

	if (p->bits) {
		taken = next_bit(p);
	} else if (p->predicted) {
		taken = et_predict(p->states, p->mask, unit);
		p->predicted--;
	} else {
		taken = !et_predict(p->states, p->mask, unit);
		p->failed = 0;
	}
	et_train(p->states, p->mask, unit, taken);
	return taken;
}

/* Which way the branch of entry @b went. */
static bool use_branch(struct hs_path *p, const struct hs_bb *b)
{
	p->jumps.without_branch = 0;
	p->irets = 0;
	return p->states ? next_predicted(p, b) : next_bit(p);
}

/* The branch that the path stands at stays known when other branches follow it: its bit goes into
 * hist. */
static void keep_own_branch(const struct hs_walk *w, const struct hs_bb_table *t, struct hs_path *p)
{
	if (p->bits || path_branches(p) != 1 || !path_at_branch(w, t))
		return;
	const bool predicted = et_predict(p->states, p->mask, branch_unit(p, &t->bbs[w->cur]));
	const bool taken = p->failed ? !predicted : predicted;

	p->predicted = 0;
	p->failed = 0;
	path_add(p, !taken, 1);
}

/* ---- jumps ---------------------------------------------------------------------- */

/* No code has so many jumps and implicit returns without a branch. */
#define JUMPS_MAX (1u << 16)

static bool circles(const struct hs_walk *w, struct hs_path *p)
{
	return flow_circles(&p->jumps, w->cur, p->depth, 1, JUMPS_MAX);
}

static bool is_call(const struct hs_bb *b)
{
	return b->flags & HS_BB_CALL || b->kind == HS_INSN_CALL_IND;
}

/* Few layouts keep where the last call returns to (block_end). */
static __attribute__((noinline)) void keep_jump(struct hs_path *p, const struct hs_bb *b)
{
	p->jump = b->kind;
	if (is_call(b))
		p->called = flow_after(b);
}

static inline __attribute__((always_inline)) void push_return(struct hs_path *p,
                                                              const struct hs_bb *b)
{
	if (!p->depth || !is_call(b))
		return;
	et_push_return(p->tables, flow_after(b));
	returns_mark_push(&p->marks, p->tables->top);
}

static inline __attribute__((always_inline)) void push_call(struct hs_path *p,
                                                            const struct hs_bb *b)
{
	if (p->block_end)
		keep_jump(p, b);
	push_return(p, b);
}

/* What a packet that reports this place would carry (ET Format 2 irdepth). */
static uint32_t depth_here(const struct hs_path *p)
{
	return p->counting ? p->irets : p->tables->count & p->depth_mask;
}

/* Is this the place by what the packet reports of returns?  irets may count the return that is
 * there itself, an instruction of @kind (ET Decoder, unprocessed_implicit_returns). */
static bool depth_fits(const struct hs_path *p, unsigned kind)
{
	if (!p->depth || !p->report)
		return true;
	if (!p->counting)
		return depth_here(p) == p->report_depth;
	return depth_here(p) + (kind == HS_INSN_RETURN) >= p->report_depth;
}

/* Is this the return that the packet reports as failed, since it did not go where the stack says
 * (ET Format 2 irreport)?  It is at the depth that the packet names, and no branch is left but
 * one at the packet's address. */
static bool return_failed(struct hs_bb_table *t, const struct hs_path *p)
{
	return p->report && p->goal != PATH_LAST_BRANCH && depth_here(p) == p->report_depth &&
	       path_has_only(p, path_is_branch(t, p->address));
}

/* Does entry cur end with a return whose target the stack may name? */
static inline bool may_infer_return(const struct hs_bb *b, const struct hs_path *p)
{
	return p->depth && b->kind == HS_INSN_RETURN;
}

/* What only irets need of a return that is inferred. */
static void count_return(struct hs_path *p, bool foretold)
{
	p->foretold = foretold;
	p->irets += p->irets < UINT16_MAX;
}

static bool infer_return(struct hs_walk *w, struct hs_bb_table *t, struct hs_path *p,
                         uint64_t *target)
{
	const uint64_t pc = w->pc;

	p->marks.dry |= p->tables->count == 0;
	if (p->tables->count == 0)
		return false;
	const bool failed = return_failed(t, p);

	if (w->generation != t->generation) /* return_failed() may start the table afresh */
		w->cur = hs_bb_at(t, pc);
	if (failed && !p->counting) /* its call stays on the stack (design/et-returns) */
		return false;
	et_pop_return(p->tables, target);
	returns_mark_pop(&p->marks, p->tables->top);
	if (p->counting)
		count_return(p, failed && *target == p->address);
	return !failed;
}

/* jalr with rs1 = x0: "a constant embedded within the jump opcode" (ET Jump classification,
 * ET-24). */
static __attribute__((noinline)) bool infer_absolute(const struct hs_walk *w,
                                                     const struct hs_bb_table *t, uint64_t *target)
{
	const struct hs_bb *b = &t->bbs[w->cur];
	struct hs_insn i;

	if (b->kind != HS_INSN_JUMP_IND && b->kind != HS_INSN_CALL_IND)
		return false;
	if (hs_img_insn(t->image, flow_after(b) - 2u * (uint64_t)b->ilast, &i) != HS_OK || i.rs1)
		return false;
	*target = (uint64_t)(int64_t)i.offset & ~(uint64_t)1;
	if (t->image->isa.xlen == 32)
		*target &= UINT32_MAX;
	return true;
}

/* Where the uninferable jump of entry cur leads, if the program says (ET Decoder, next_pc). */
static inline bool infer(struct hs_walk *w, struct hs_bb_table *t, struct hs_path *p,
                         uint64_t *target)
{
	const struct hs_bb *b = &t->bbs[w->cur];

	if (flow_infers_pair(w, b))
		return hs_bb_target(t, w->cur, target) == HS_OK;
	if (may_infer_return(b, p))
		return infer_return(w, t, p, target);
	return p->absolute && infer_absolute(w, t, target);
}

/* The block that ends with the uninferable jump of entry cur. */
static void end_jump(struct hs_walk *w, const struct hs_bb_table *t, struct flow_out *out)
{
	flow_end_block(w, &t->bbs[w->cur], false, out);
}

/* Is there code where the walk came to?  Without room for output that is decided later, as the code
 * may change until then (stream.h). */
static enum path_stop at_entry(const struct hs_walk *w, const struct flow_out *out)
{
	return w->cur >= HS_BB_FIRST || out->p == out->end ? PATH_ON : PATH_NOCODE;
}

/* Did the jump lead first to the block that ends at p->way?  Yes, if more is to come before the
 * packet's address; else only if it returned from the last call, to another block than the
 * address's. */
static bool leads_by_way(const struct hs_path *p, uint64_t way, bool way_known, uint64_t begin)
{
	if (!p->has_way || p->goal == PATH_LAST_BRANCH || path_branches(p) > 1)
		return p->has_way;
	return way_known && p->jump == HS_INSN_RETURN && way == p->called && begin != way;
}

/* The jump led to the block that ends at the path's address, or at p->way. */
static __attribute__((noinline)) enum path_stop land_in_block(struct hs_walk *w,
                                                              struct hs_bb_table *t,
                                                              struct hs_path *p)
{
	uint64_t begin, way = 0;
	bool known = path_block_begin(t->image, p->jump, p->address, &begin);
	const bool way_known = p->has_way && path_block_begin(t->image, p->jump, p->way, &way);

	if (leads_by_way(p, way, way_known, begin)) {
		p->has_way = false;
		known = way_known;
		begin = way;
	} else {
		p->goal = PATH_ADDRESS;
	}
	if (p->jump == HS_INSN_RETURN)
		p->called = 0;
	if (!known)
		return PATH_ARRIVAL;
	flow_start(w, t, begin);
	return w->cur >= HS_BB_FIRST ? PATH_ON : PATH_NOCODE;
}

/* ahead: the jump led to the path's address.  A branch that was known before it is there, or else
 * that of another jump is not reported. */
static __attribute__((noinline)) enum path_stop land_ahead(struct hs_walk *w, struct hs_bb_table *t,
                                                           struct hs_path *p)
{
	const bool owed = p->owed;

	p->owed = 0;
	if (!path_land(w, t, p->address))
		return PATH_NOCODE;
	const bool own = path_at_branch(w, t);

	if (owed && !own)
		return PATH_ARRIVAL;
	return p->passes || path_has_ahead(p, own) ? PATH_JUMPED : PATH_SPARE_BITS;
}

/* The jump led to the path's address.  If that is in another program (p->before), the walk stops
 * before its instruction. */
static enum path_stop land_at_address(struct hs_walk *w, struct hs_bb_table *t, struct hs_path *p)
{
	if (p->block_end)
		return land_in_block(w, t, p);
	if (p->ahead)
		return land_ahead(w, t, p);
	if (p->before) {
		w->pc = p->address;
		w->cur = HS_BB_NOCODE;
		return path_branches(p) == 0 ? PATH_JUMPED : PATH_SPARE_BITS;
	}
	if (!path_land(w, t, p->address))
		return p->lenient ? PATH_JUMPED : PATH_NOCODE;
	if (p->lenient && path_branches(p) == 0)
		return PATH_JUMPED;
	return path_has_only(p, path_at_branch(w, t)) ? PATH_JUMPED : PATH_SPARE_BITS;
}

/* The code at the packet's address is not known, and one branch is left.  May that branch be at the
 * address, so that this return, at the reported depth, is the one that failed? */
static bool may_have_failed(struct hs_walk *w, struct hs_bb_table *t, const struct hs_path *p)
{
	if (!p->report || p->goal == PATH_LAST_BRANCH || depth_here(p) != p->report_depth ||
	    path_branches(p) != 1)
		return false;
	const bool unknown = hs_bb_at(t, p->address) < HS_BB_FIRST;

	flow_refresh(w, t);
	return unknown;
}

/* Is the target of this return unknown, because its call, or the code at the packet's address,
 * is? */
static bool is_target_unseen(struct hs_walk *w, struct hs_bb_table *t, const struct hs_path *p)
{
	if (flow_infers_pair(w, &t->bbs[w->cur]))
		return false;
	if (p->tables->count == 0)
		return p->calls_unseen;
	return may_have_failed(w, t, p);
}

/* Its block is complete; where it led is not known. */
static enum path_stop leave_by_return(struct hs_walk *w, const struct hs_bb_table *t,
                                      struct flow_out *out)
{
	const uint64_t after = flow_after(&t->bbs[w->cur]);

	end_jump(w, t, out);
	w->pc = after;
	return PATH_RETURN;
}

/* A jump was inferred.  If it is a return, its target goes into the jump target cache, perhaps over
 * the entry that the packet names (ET Decoder next_pc). */
static void fill_cache(const struct hs_walk *w, const struct hs_bb_table *t, struct hs_path *p,
                       uint64_t target)
{
	const unsigned index = (unsigned)(target >> 1 >> p->coarse) & p->cache_mask;

	if (flow_infers_pair(w, &t->bbs[w->cur]) || !may_infer_return(&t->bbs[w->cur], p))
		return;
	et_fill(p->tables, index, target);
	if (p->indexed && index == p->cache_index)
		p->address = target;
}

/* What few layouts and readings do at an uninferable jump.  @target: where it leads, if that was
 * inferred. */
static __attribute__((noinline)) void pass_unusual(const struct hs_walk *w,
                                                   const struct hs_bb_table *t, struct hs_path *p,
                                                   bool inferred, uint64_t target)
{
	if (inferred && p->fills)
		fill_cache(w, t, p, target);
	if (p->block_end)
		keep_jump(p, &t->bbs[w->cur]);
}

/* ahead: stop before the jump that ends entry cur, of whose target nothing is reported yet: where
 * the last branch is, or of an xRET, which is reported only with a change of mode. */
static __attribute__((noinline)) enum path_stop stop_ahead(const struct hs_walk *w,
                                                           const struct hs_bb_table *t,
                                                           struct hs_path *p)
{
	if (t->bbs[w->cur].kind == HS_INSN_XRET && !(p->passes && p->goal == PATH_DISCON))
		return PATH_ARRIVAL;
	if (p->goal != PATH_LAST_BRANCH)
		return PATH_ON;
	p->owed = 1;
	return path_branches(p) == 1 ? PATH_AT_BRANCH : PATH_UNINFERABLE;
}

/* Pass the uninferable jump that ends entry cur: go to its target, or to the packet's address. */
static enum path_stop pass_jump(struct hs_walk *w, struct hs_bb_table *t, struct hs_path *p,
                                struct flow_out *out)
{
	uint64_t target = 0;

	if (p->ahead) {
		const enum path_stop why = stop_ahead(w, t, p);

		if (why != PATH_ON)
			return why;
	}
	if (may_infer_return(&t->bbs[w->cur], p) && is_target_unseen(w, t, p))
		return leave_by_return(w, t, out);
	const bool inferred = infer(w, t, p, &target);

	if (inferred && circles(w, p))
		return PATH_LOOP;
	if (p->unusual)
		pass_unusual(w, t, p, inferred, target);
	if (!inferred && p->goal == PATH_LAST_BRANCH && !p->has_way)
		return PATH_UNINFERABLE;
	push_return(p, &t->bbs[w->cur]);
	end_jump(w, t, out);
	if (inferred) {
		flow_start(w, t, target);
		return at_entry(w, out);
	}
	p->jumps.without_branch = 0;
	if (out->p != out->end)
		return land_at_address(w, t, p);
	p->waits = PATH_WAITS_TO_LAND;
	return PATH_FULL;
}

/* ---- the path ------------------------------------------------------------------- */

/* Follow edge @which of entry cur; the block is written already, or continues. */
static enum path_stop follow_edge(struct hs_walk *w, struct hs_bb_table *t, struct hs_path *p,
                                  unsigned which, const struct flow_out *out)
{
	w->off = 0;
	w->cur = flow_edge(t, w->cur, which, &w->pc, &p->jumps.mark);
	w->generation = t->generation;
	if (w->cur >= HS_BB_FIRST)
		w->pc = t->bbs[w->cur].start;
	return at_entry(w, out);
}

/* Leave entry cur, which retired whole. */
static inline enum path_stop leave_entry(struct hs_walk *w, struct hs_bb_table *t,
                                         struct hs_path *p, struct flow_out *out)
{
	const struct hs_bb *b = &t->bbs[w->cur];
	bool taken = true;

	w->pc = b->start;
	switch (b->kind) {
	case HS_INSN_BRANCH:
		if (path_branches(p) == 0)
			return PATH_NO_BIT;
		taken = use_branch(p, b);
		flow_end_block(w, b, !taken, out);
		break;
	case HS_INSN_JUMP:
	case HS_INSN_CALL:
	case HS_INSN_TABLE_JUMP:
	case HS_INSN_TABLE_CALL:
		if (circles(w, p))
			return PATH_LOOP;
		push_call(p, b);
		flow_end_block(w, b, false, out);
		break;
	case HS_INSN_LINEAR:
	case HS_INSN_ECALL:
	case HS_INSN_EBREAK:
	case HS_INSN_CUSTOM:
		w->acc += b->hwords;
		w->last = b->ilast;
		taken = false;
		break;
	default:
		return pass_jump(w, t, p, out);
	}
	return follow_edge(w, t, p, taken, out);
}

/* Are the bits that are left, but for the branch at the address, all padding, which reads as taken?
 * Few layouts pad. */
static __attribute__((noinline)) bool is_rest_padding(const struct hs_path *p, bool own)
{
	const unsigned left = p->bits - (unsigned)own;
	const uint64_t none = left < 64 ? ~(UINT64_MAX >> left) : UINT64_MAX;

	return p->bits >= own && (p->hist << own & none) == none;
}

bool path_may_branch_next(const struct hs_walk *w, const struct hs_bb_table *t, unsigned end,
                          bool taken)
{
	const struct hs_bb *b = &t->bbs[w->cur];
	uint64_t next = b->start + 2u * (uint64_t)end;
	struct hs_insn i;

	if (end == b->hwords && !flow_runs_on(b->kind)) {
		const bool branch = b->kind == HS_INSN_BRANCH;

		if (hs_img_insn(t->image, next - 2u * (uint64_t)b->ilast, &i) != HS_OK ||
		    !(branch || flow_is_direct_jump(b->kind)))
			return true;
		next = branch && !taken ? next : i.target;
	}
	return hs_img_insn(t->image, next, &i) == HS_OK && i.kind == HS_INSN_BRANCH;
}

/* ahead: are the branches that are left those of the address and of the instruction after it? */
static __attribute__((noinline)) bool meets_ahead(const struct hs_walk *w,
                                                  const struct hs_bb_table *t,
                                                  const struct hs_path *p, unsigned end, bool own)
{
	return p->passes || p->bits == own ||
	       (p->bits == own + 1u && path_may_branch_next(w, t, end, p->hist >> 63));
}

/* The address is in entry cur: is it in what is left of it, with no branches left but its own? */
static bool meets(struct hs_walk *w, const struct hs_bb_table *t, struct hs_path *p, unsigned off)
{
	const struct hs_bb *b = &t->bbs[w->cur];

	if (off < w->off || !hs_bb_boundary(t, w->cur, off))
		return false;
	const unsigned end = p->before ? off : off + size_at(t, w->cur, off);
	const unsigned kind = end == b->hwords ? b->kind : HS_INSN_LINEAR;
	const bool own = kind == HS_INSN_BRANCH, spare = p->spare && is_rest_padding(p, own);
	const bool there =
		p->ahead ? meets_ahead(w, t, p, end, own) : spare || path_has_only(p, own);

	if (!there || !depth_fits(p, kind))
		return false;
	if (spare)
		p->bits = own;
	w->off = (uint8_t)end;
	return true;
}

/* Is the path's address an instruction's of entry cur, by its place? */
static inline bool has_address(const struct hs_walk *w, const struct hs_bb_table *t,
                               const struct hs_path *p, unsigned *off)
{
	const struct hs_bb *b = &t->bbs[w->cur];
	const uint64_t distance = p->address - b->start;

	*off = (unsigned)distance / 2;
	return distance < 2u * (uint64_t)b->hwords && !(distance & 1);
}

/* Is the address where the code of this program ends, and another one continues? */
static bool leaves_program(const struct hs_walk *w, const struct hs_path *p)
{
	return p->before && p->goal == PATH_ADDRESS && w->pc == p->address && path_branches(p) == 0;
}

/* All known branches but the last: the path goes on after each, so that the fast walk can follow
 * them. */
static enum path_stop run_history(struct hs_walk *w, struct hs_bb_table *t, struct hs_path *p,
                                  struct flow_out *out)
{
	struct hs_evidence e = { .left = FLOW_FAR, .hist = p->hist, .bits = (uint8_t)(p->bits - 1),
		                 .mode = FLOW_HISTORY, .jumps = p->jumps };
	const enum flow_stop why = flow_walk(w, t, &e, out);

	p->hist = e.hist;
	p->bits = (uint8_t)(e.bits + 1);
	p->jumps = e.jumps; /* the output may be full in the middle of a circle */
	switch (why) {
	case FLOW_DONE: return at_entry(w, out);
	case FLOW_FULL: return PATH_FULL;
	case FLOW_NOCODE: return PATH_NOCODE;
	case FLOW_LOOP: return PATH_LOOP;
	default: return PATH_SPARE_BITS;
	}
}

/* Follow the rest of entry cur, to the place if it is there. */
static inline enum path_stop follow_entry(struct hs_walk *w, struct hs_bb_table *t,
                                          struct hs_path *p, struct flow_out *out)
{
	if (out->p == out->end) { /* the code may change here (stream.h) */
		p->waits = w->cur < HS_BB_FIRST ? PATH_WAITS_FOR_CODE : PATH_WAITS_NOT;
		return PATH_FULL;
	}
	unsigned off;

	if (p->goal == PATH_ADDRESS && has_address(w, t, p, &off) && meets(w, t, p, off))
		return PATH_REACHED;
	w->off = t->bbs[w->cur].hwords;
	if (p->goal == PATH_LAST_BRANCH && path_branches(p) == 1 && path_at_branch(w, t))
		return PATH_AT_BRANCH;
	const enum path_stop why = leave_entry(w, t, p, out);

	return why == PATH_NOCODE && leaves_program(w, p) ? PATH_REACHED : why;
}

/* There is room again. */
static enum path_stop resume(struct hs_walk *w, struct hs_bb_table *t, struct hs_path *p)
{
	const enum path_wait waits = p->waits;

	p->waits = PATH_WAITS_NOT;
	if (waits == PATH_WAITS_TO_LAND)
		return land_at_address(w, t, p);
	if (w->cur >= HS_BB_FIRST)
		return PATH_ON;
	return waits == PATH_WAITS_FOR_CODE && leaves_program(w, p) ? PATH_REACHED : PATH_NOCODE;
}

enum path_stop path_walk(struct hs_walk *w, struct hs_bb_table *t, struct hs_path *p,
                         struct flow_out *out)
{
	path_refresh(w, t, p);
	enum path_stop why = resume(w, t, p);

	while (why == PATH_ON) {
		if (p->bits > 1 && !p->depth && !p->states && !p->block_end && !p->ahead) {
			why = run_history(w, t, p, out);
			if (why != PATH_ON)
				return why;
		}
		why = follow_entry(w, t, p, out);
	}
	if (why == PATH_REACHED || why == PATH_JUMPED || why == PATH_AT_BRANCH)
		keep_own_branch(w, t, p);
	return why;
}

bool path_follow(struct hs_walk *w, struct hs_bb_table *t, struct hs_path *p,
                 const uint64_t *target, struct flow_out *out)
{
	const unsigned kind = flow_last_kind(w, t);
	uint64_t inferred;

	flow_refresh(w, t);
	if (flow_runs_on(kind))
		return true;
	if (kind == HS_INSN_BRANCH || flow_is_direct_jump(kind)) {
		p->jumps.without_branch = 0; /* it retired: one jump more is no circle */
		leave_entry(w, t, p, out);
		return true;
	}
	p->report = 0;
	w->pc = t->bbs[w->cur].start;
	const bool stacked =
		kind == HS_INSN_RETURN && p->depth && !flow_infers_pair(w, &t->bbs[w->cur]);
	const bool is_inferred = infer(w, t, p, &inferred);
	const bool known = is_inferred && (!target || *target == inferred);

	if (is_inferred && !known && stacked && !p->counting)
		et_push_return(p->tables, inferred); /* its call stays on the stack */
	push_call(p, &t->bbs[w->cur]);
	end_jump(w, t, out);
	if (known)
		flow_start(w, t, inferred);
	return known;
}

void path_close(struct hs_walk *w, struct hs_bb_table *t, struct hs_path *p, struct flow_out *out)
{
	const unsigned kind = flow_last_kind(w, t);

	if (!flow_open(w))
		return;
	if (flow_runs_on(kind) || (kind == HS_INSN_BRANCH && path_branches(p) == 0))
		flow_close(w, t, HS_ITYPE_NONE, out);
	else
		path_follow(w, t, p, NULL, out);
}

/* Entries that path_meets_again() looks at; beyond them it says yes. */
#define AHEAD_MAX 64

bool path_meets_again(const struct hs_walk *w, struct hs_bb_table *t, uint64_t addr)
{
	uint32_t at = w->cur, generation = t->generation;

	for (unsigned n = 0; n < AHEAD_MAX; n++) {
		const struct hs_bb *b = &t->bbs[at];
		const uint64_t distance = addr - b->start;

		if (at < HS_BB_FIRST || b->kind == HS_INSN_BRANCH)
			return false;
		if (n && distance < 2u * (uint64_t)b->hwords)
			return true;
		if (b->kind == HS_INSN_XRET ||
		    (b->kind >= HS_INSN_JUMP_IND && b->kind <= HS_INSN_RETURN))
			return true;
		at = hs_bb_edge(t, at, flow_is_direct_jump(b->kind));
		if (t->generation != generation)
			return true;
	}
	return true;
}
