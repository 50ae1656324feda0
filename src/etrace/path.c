/* The walk to an address, over the table of basic blocks. */
#include "etrace/path.h"
#include "etrace/predictor.h"

#include "flow/returns.h"

#include "base/mem.h"

/* No code goes on for so many jumps and implicit returns without a branch. */
#define STILL_MAX (1u << 16)

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
		p->mark = 0;
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

void path_part(struct hs_walk *w, struct hs_bb_table *t)
{
	const struct hs_bb *b = &t->bbs[w->cur];

	if (w->cur < HS_BB_FIRST || w->off != b->hwords || !(b->flags & HS_BB_SIJUMP))
		return;
	const unsigned before = w->acc + b->hwords - b->ilast;

	path_land(w, t, b->start + 2u * (uint64_t)(b->hwords - b->ilast));
	w->acc = before;
}

bool path_at_branch(const struct hs_walk *w, const struct hs_bb_table *t)
{
	return flow_last_kind(w, t) == HS_INSN_BRANCH;
}

bool path_is_branch(struct hs_bb_table *t, uint64_t addr)
{
	const uint32_t i = hs_bb_at(t, addr);

	return i >= HS_BB_FIRST && t->bbs[i].kind == HS_INSN_BRANCH && t->bbs[i].hwords == t->bbs[i].ilast;
}

uint64_t path_branches(const struct hs_path *p)
{
	return p->bits + p->predicted + p->failed;
}

static uint32_t reverse(uint32_t v)
{
	v = (v >> 1 & 0x55555555u) | (v & 0x55555555u) << 1;
	v = (v >> 2 & 0x33333333u) | (v & 0x33333333u) << 2;
	v = (v >> 4 & 0x0f0f0f0fu) | (v & 0x0f0f0f0fu) << 4;
	v = (v >> 8 & 0x00ff00ffu) | (v & 0x00ff00ffu) << 8;
	return v >> 16 | v << 16;
}

void path_add(struct hs_path *p, uint32_t map, unsigned count)
{
	const uint64_t taken = (uint64_t)reverse(~map) << 32;
	const uint64_t kept = ~(uint64_t)0 << (64 - count);

	p->hist = (p->bits ? p->hist & ~(uint64_t)0 << (64 - p->bits) : 0) | (taken & kept) >> p->bits;
	p->bits = (uint8_t)(p->bits + count);
}

void path_reset(struct hs_walk *w, struct hs_path *p)
{
	p->bits = 0;
	p->predicted = 0;
	p->failed = 0;
	p->still = 0;
	p->report = 0;
	p->irets = 0;
	p->before = 0;
	if (p->states) /* ET Branch prediction mode */
		memset(p->states, 1, (size_t)p->mask + 1);
	flow_forget(w);
}

/* Where a branch is for the predictor. */
static uint64_t branch_unit(const struct hs_path *p, uint64_t pc)
{
	return p->coarse ? pc >> 2 : pc >> 1;
}

/* Which way the branch at @pc went. */
static bool use_branch(struct hs_path *p, uint64_t pc)
{
	const uint64_t at = branch_unit(p, pc);
	bool taken;

	if (p->bits) {
		taken = p->hist >> 63;
		p->hist <<= 1;
		p->bits--;
	} else if (p->predicted) {
		taken = et_predict(p->states, p->mask, at);
		p->predicted--;
	} else {
		taken = !et_predict(p->states, p->mask, at);
		p->failed = 0;
	}
	if (p->states)
		et_train(p->states, p->mask, at, taken);
	p->still = 0;
	p->irets = 0;
	return taken;
}

static void put(struct hs_walk *w, const struct hs_bb *b, bool taken, struct flow_out *out)
{
	const uint64_t iaddr = b->start - 2u * (uint64_t)w->acc;
	const uint64_t word = (b->word + HS_BB_RETIRE(w->acc)) ^ w->priv ^ (taken ? 0 : HS_BB_NOT_TAKEN);

	memcpy(out->p, &iaddr, sizeof iaddr);
	memcpy((uint8_t *)out->p + sizeof iaddr, &word, sizeof word);
	out->p++;
	w->acc = 0;
	w->off = 0;
	w->last = 0;
}

/* Jumps without a branch never use up a bit: Brent's algorithm finds a circle.  The limit alone finds one with
 * returns, whose targets depend on more than the entry, and one that the table cannot hold at once. */
static bool circles(const struct hs_walk *w, struct hs_path *p)
{
	if (++p->still > STILL_MAX)
		return true;
	if (p->depth)
		return false;
	if (p->still == 1)
		p->mark = 0;
	if (w->cur == p->mark)
		return true;
	if ((p->still & (p->still - 1)) == 0)
		p->mark = w->cur;
	return false;
}

/* Go over edge @which of entry cur; the block is written already, or goes on. */
static enum path_stop follow(struct hs_walk *w, struct hs_bb_table *t, struct hs_path *p, unsigned which)
{
	const uint32_t from = w->cur, generation = t->generation;
	const uint32_t known = t->bbs[from].edge[which];
	uint64_t addr = t->bbs[from].start + 2u * (uint64_t)t->bbs[from].hwords;

	w->off = 0;
	if (known >= HS_BB_FIRST) {
		w->cur = known;
		w->pc = t->bbs[known].start;
		return PATH_REACHED;
	}
	if (which && hs_bb_target(t, from, &addr) != HS_OK)
		addr = 0;
	w->cur = hs_bb_edge(t, from, which);
	w->pc = addr;
	w->generation = t->generation;
	if (t->generation != generation)
		p->mark = 0;
	return w->cur >= HS_BB_FIRST ? PATH_REACHED : PATH_NOCODE;
}

static void remember_call(struct hs_walk *w, const struct hs_path *p, const struct hs_bb *b)
{
	if (p->depth && ((b->flags & HS_BB_CALL) || b->kind == HS_INSN_CALL_IND))
		returns_push(&w->returns, b->start + 2u * (uint64_t)b->hwords, p->depth);
}

/* What a packet that reports the place would tell (ET Format 2 irdepth). */
static unsigned told_here(const struct hs_walk *w, const struct hs_path *p)
{
	return p->counting ? p->irets : w->returns.count & p->depth_mask;
}

/* Is this the place by what the packet tells of returns?  A branch needs no such help. */
static bool depth_fits(const struct hs_walk *w, const struct hs_path *p, bool branch)
{
	if (!p->depth || !(p->report || (p->counting && !branch)))
		return true;
	return told_here(w, p) == (p->report ? p->report_depth : 0);
}

/* A return at the depth that the packet names did not go where the stack says: no branch may come after it
 * but the one that the address is (ET Format 2 irreport). */
static bool return_failed(const struct hs_walk *w, struct hs_bb_table *t, const struct hs_path *p)
{
	return p->report && p->goal != PATH_LAST_BRANCH && told_here(w, p) == p->report_depth &&
	       path_branches(p) == path_is_branch(t, p->address);
}

/* Where the uninferable jump of entry cur leads, if the program says (ET Decoder, next_pc). */
static bool infer(struct hs_walk *w, struct hs_bb_table *t, struct hs_path *p, uint64_t *target)
{
	const uint64_t pc = w->pc;

	if ((w->rules & FLOW_SEQUENTIAL) && (t->bbs[w->cur].flags & HS_BB_SIJUMP))
		return hs_bb_target(t, w->cur, target) == HS_OK;
	if (!p->depth || t->bbs[w->cur].kind != HS_INSN_RETURN || w->returns.count == 0)
		return false;
	const bool failed = return_failed(w, t, p);
	if (w->generation != t->generation) { /* the table started afresh */
		w->cur = hs_bb_at(t, pc);
		w->generation = t->generation;
	}
	returns_pop(&w->returns, target);
	p->irets = (uint8_t)(p->irets + !failed);
	return !failed;
}

/* The walk stands behind an uninferable jump, all of whose entry retired. */
static enum path_stop pass_jump(struct hs_walk *w, struct hs_bb_table *t, struct hs_path *p,
                                struct flow_out *out)
{
	uint64_t target;

	if (infer(w, t, p, &target)) {
		if (circles(w, p))
			return PATH_LOOP;
		remember_call(w, p, &t->bbs[w->cur]);
		put(w, &t->bbs[w->cur], true, out);
		flow_start(w, t, target);
		return w->cur >= HS_BB_FIRST ? PATH_FULL : PATH_NOCODE;
	}
	if (p->goal == PATH_LAST_BRANCH)
		return PATH_UNINFERABLE;
	remember_call(w, p, &t->bbs[w->cur]);
	put(w, &t->bbs[w->cur], true, out);
	p->still = 0;
	if (p->before) {
		w->pc = p->address;
		w->cur = HS_BB_NOCODE;
		return path_branches(p) == 0 ? PATH_JUMPED : PATH_SPARE_BITS;
	}
	if (!path_land(w, t, p->address))
		return p->lenient ? PATH_JUMPED : PATH_NOCODE;
	if (p->lenient && path_branches(p) == 0)
		return PATH_JUMPED;
	return path_branches(p) == path_at_branch(w, t) ? PATH_JUMPED : PATH_SPARE_BITS;
}

/* Leave entry cur, which retired whole.  PATH_FULL: go on. */
static inline enum path_stop leave(struct hs_walk *w, struct hs_bb_table *t, struct hs_path *p,
                            struct flow_out *out)
{
	const struct hs_bb *b = &t->bbs[w->cur];
	bool taken = true;

	w->pc = b->start;
	switch (b->kind) {
	case HS_INSN_BRANCH:
		if (path_branches(p) == 0)
			return PATH_NO_BIT;
		taken = use_branch(p, b->start + 2u * (uint64_t)(b->hwords - b->ilast));
		put(w, b, taken, out);
		break;
	case HS_INSN_JUMP:
	case HS_INSN_CALL:
	case HS_INSN_TABLE_JUMP:
	case HS_INSN_TABLE_CALL:
		if (circles(w, p))
			return PATH_LOOP;
		remember_call(w, p, b);
		put(w, b, true, out);
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
	return follow(w, t, p, taken) == PATH_REACHED ? PATH_FULL : PATH_NOCODE;
}

/* The branch that the path stands at stays known when other branches follow it: its bit goes into hist. */
static enum path_stop settle(const struct hs_walk *w, const struct hs_bb_table *t, struct hs_path *p,
                             enum path_stop why)
{
	if (p->bits == 0 && path_branches(p) == 1 && path_at_branch(w, t)) {
		const struct hs_bb *b = &t->bbs[w->cur];
		const uint64_t pc = b->start + 2u * (uint64_t)(b->hwords - b->ilast);
		const bool taken = et_predict(p->states, p->mask, branch_unit(p, pc)) ^ p->failed;

		p->predicted = 0;
		p->failed = 0;
		path_add(p, !taken, 1);
	}
	return why;
}

/* Does the address lie in what is left of entry cur, with no branches left but its own? */
static bool meets(struct hs_walk *w, const struct hs_bb_table *t, const struct hs_path *p)
{
	const struct hs_bb *b = &t->bbs[w->cur];
	const uint64_t distance = p->address - b->start;

	if (distance >= 2u * (uint64_t)b->hwords || distance & 1)
		return false;
	const unsigned off = (unsigned)distance / 2;
	if (off < w->off || !hs_bb_boundary(t, w->cur, off))
		return false;
	const unsigned end = p->before ? off : off + size_at(t, w->cur, off);
	const bool own = end == b->hwords && b->kind == HS_INSN_BRANCH;
	if (path_branches(p) != own || !depth_fits(w, p, own))
		return false;
	w->off = (uint8_t)end;
	return true;
}

/* The address is where the code of this program ends, and another one goes on. */
static bool leaves_program(const struct hs_walk *w, const struct hs_path *p)
{
	return p->before && p->goal == PATH_ADDRESS && w->pc == p->address && path_branches(p) == 0;
}

/* Branches after which the path surely goes on: the fast walk takes them. */
static enum path_stop run(struct hs_walk *w, struct hs_bb_table *t, struct hs_path *p, struct flow_out *out)
{
	struct hs_evidence e = { .left = FLOW_FAR, .hist = p->hist, .bits = (uint8_t)(p->bits - 1),
		                 .mode = FLOW_HISTORY, .still = p->still, .mark = p->mark };
	const enum flow_stop why = flow_walk(w, t, &e, out);

	p->hist = e.hist;
	p->bits = (uint8_t)(e.bits + 1);
	p->still = e.still; /* the output may be full in the middle of a circle */
	p->mark = e.mark;
	switch (why) {
	case FLOW_DONE: return PATH_REACHED;
	case FLOW_FULL: return PATH_FULL;
	case FLOW_NOCODE: return PATH_NOCODE;
	case FLOW_LOOP: return PATH_LOOP;
	default: return PATH_SPARE_BITS;
	}
}

enum path_stop path_walk(struct hs_walk *w, struct hs_bb_table *t, struct hs_path *p,
                         struct flow_out *out)
{
	enum path_stop why = PATH_FULL;

	path_refresh(w, t, p);
	if (w->cur < HS_BB_FIRST)
		return PATH_NOCODE;
	while (why == PATH_FULL) {
		if (p->bits > 1 && !p->depth && !p->states) {
			why = run(w, t, p, out);
			if (why != PATH_REACHED)
				return why;
			why = PATH_FULL;
			if (w->cur < HS_BB_FIRST)
				return PATH_NOCODE;
		}
		if (p->goal == PATH_ADDRESS && path_branches(p) <= 1 && meets(w, t, p))
			return settle(w, t, p, PATH_REACHED);
		w->off = t->bbs[w->cur].hwords;
		if (p->goal == PATH_LAST_BRANCH && path_branches(p) == 1 && path_at_branch(w, t))
			return settle(w, t, p, PATH_AT_BRANCH);
		if (out->p == out->end)
			return PATH_FULL;
		why = leave(w, t, p, out);
	}
	if (why == PATH_NOCODE && leaves_program(w, p))
		return PATH_REACHED;
	return why == PATH_JUMPED ? settle(w, t, p, why) : why;
}

bool path_follow(struct hs_walk *w, struct hs_bb_table *t, struct hs_path *p, const uint64_t *told,
                 struct flow_out *out)
{
	const unsigned kind = flow_last_kind(w, t);
	uint64_t target;

	flow_refresh(w, t);
	switch (kind) {
	case HS_INSN_LINEAR:
	case HS_INSN_ECALL:
	case HS_INSN_EBREAK:
	case HS_INSN_CUSTOM:
		return true;
	case HS_INSN_BRANCH:
	case HS_INSN_JUMP:
	case HS_INSN_CALL:
	case HS_INSN_TABLE_JUMP:
	case HS_INSN_TABLE_CALL:
		leave(w, t, p, out);
		return true;
	default:
		break;
	}
	p->report = 0;
	w->pc = t->bbs[w->cur].start;
	if (infer(w, t, p, &target) && (!told || *told == target)) {
		put(w, &t->bbs[w->cur], true, out);
		flow_start(w, t, target);
		return true;
	}
	put(w, &t->bbs[w->cur], true, out);
	return false;
}

void path_close(struct hs_walk *w, struct hs_bb_table *t, struct hs_path *p, struct flow_out *out)
{
	const unsigned kind = flow_last_kind(w, t);
	const bool ends = kind != HS_INSN_LINEAR && kind != HS_INSN_ECALL && kind != HS_INSN_EBREAK &&
	                  kind != HS_INSN_CUSTOM;

	if (!flow_open(w))
		return;
	if (ends && (kind != HS_INSN_BRANCH || path_branches(p)))
		path_follow(w, t, p, NULL, out);
	else
		flow_close(w, t, HS_ITYPE_NONE, out);
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
		if (b->kind == HS_INSN_XRET || (b->kind >= HS_INSN_JUMP_IND && b->kind <= HS_INSN_RETURN))
			return true;
		at = hs_bb_edge(t, at, b->kind >= HS_INSN_JUMP && b->kind <= HS_INSN_TABLE_CALL);
		if (t->generation != generation)
			return true;
	}
	return true;
}
