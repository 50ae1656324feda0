/* The walk through the table of basic blocks: the hot loop of every decoder.
 *
 * An entry of the table is a sequence of instructions up to the next jump or branch, with two edges
 * to other entries: not taken, taken.  Example: 5 half-words and one branch, taken (1), from
 * 0x1000:
 *
 *     entry 0x1000, 4 half-words, ends with beqz    uses the bit; block 0x1000, taken branch
 *     entry 0x1010, 1 half-word, ends with ret      the count is used up: FLOW_UNINFERABLE
 *
 * Invariants: the walk stands at half-word w->off of entry w->cur, which begins at w->pc; w->acc
 * half-words of entries before it belong to the block that is still open.  A block is written when
 * its last instruction is known to have retired, and never more of them than there is room for:
 * FLOW_FULL leaves everything such that the next call continues.  When the table starts afresh its
 * generation changes, and entries are looked up by address again.
 */
#include "flow/core.h"

#include "core/mem.h"

void flow_start(struct hs_walk *w, struct hs_bb_table *t, uint64_t addr)
{
	w->pc = addr;
	w->cur = hs_bb_at(t, addr);
	w->generation = t->generation;
	w->acc = 0;
	w->off = 0;
	w->last = 0;
}

void flow_set_priv(struct hs_walk *w, unsigned priv)
{
	const struct hs_block mask = { .priv = (HS_PRIV_UNKNOWN ^ priv) & 7u };

	w->priv = img_word(&mask);
}

uint64_t flow_pc(const struct hs_walk *w)
{
	return w->pc + 2u * (uint64_t)w->off;
}

bool flow_open(const struct hs_walk *w)
{
	return w->acc + w->off != 0;
}

void flow_refresh(struct hs_walk *w, struct hs_bb_table *t)
{
	if (w->generation == t->generation)
		return;
	w->cur = hs_bb_at(t, w->pc);
	w->generation = t->generation;
}

unsigned flow_last_kind(const struct hs_walk *w, const struct hs_bb_table *t)
{
	if (w->cur < HS_BB_FIRST || w->off != t->bbs[w->cur].hwords)
		return HS_INSN_LINEAR;
	return t->bbs[w->cur].kind;
}

void flow_close(struct hs_walk *w, const struct hs_bb_table *t, unsigned itype,
                struct flow_out *out)
{
	const struct hs_block b = {
		.iaddr = w->pc - 2u * (uint64_t)w->acc,
		.iretire = w->acc + w->off,
		.ilast = w->off   ? (uint8_t)hs_bb_size_before(t, w->cur, w->off)
		         : w->acc ? w->last
		                  : 0,
		.itype = (uint8_t)itype,
		.priv = HS_PRIV_UNKNOWN,
	};

	img_put_block(&out->p, b.iaddr, img_word(&b) ^ w->priv);
	w->pc += 2u * (uint64_t)w->off;
	w->acc = 0;
	w->off = 0;
	w->last = 0;
}

void flow_forget(struct hs_walk *w)
{
	if (w->rules & FLOW_RETURNS)
		returns_of(w)->count = 0;
}

void flow_switch(struct hs_walk *w, const struct hs_bb_table *from, struct hs_bb_table *to)
{
	if (w->off) {
		w->last = (uint8_t)hs_bb_size_before(from, w->cur, w->off);
		w->acc += w->off;
		w->pc += 2u * (uint64_t)w->off;
		w->off = 0;
	}
	w->cur = hs_bb_at(to, w->pc);
	w->generation = to->generation;
}

/* ---- jumps whose target the trace may leave out --------------------------------- */

static bool pops_return(const struct hs_bb *b)
{
	return b->kind == HS_INSN_RETURN || b->kind == HS_INSN_SWAP;
}

/* What a jump does to the stack.  A return pops its target. */
static void use_stack(struct hs_walk *w, const struct hs_bb *b, uint64_t *target)
{
	if (!(w->rules & FLOW_RETURNS))
		return;
	if (pops_return(b))
		returns_pop(returns_of(w), target);
	if (b->kind == HS_INSN_CALL_IND || b->kind == HS_INSN_SWAP)
		returns_push(returns_of(w), flow_after(b), HS_RETURNS);
}

/* Where the uninferable jump of entry @i leads, if the program says; the stack is used. */
static bool infer(struct hs_walk *w, struct hs_bb_table *t, uint32_t i, uint64_t *target)
{
	const struct hs_bb *b = &t->bbs[i];
	const bool pair = flow_infers_pair(w, b);

	if (!pair && !((w->rules & FLOW_RETURNS) && pops_return(b) && returns_of(w)->count))
		return false;
	use_stack(w, b, target);
	return !pair || hs_bb_target(t, i, target) == HS_OK;
}

void flow_close_jump(struct hs_walk *w, const struct hs_bb_table *t, struct flow_out *out)
{
	const struct hs_bb *b = &t->bbs[w->cur];
	uint64_t target;

	use_stack(w, b, &target);
	flow_end_block(w, b, false, out);
}

bool flow_infer(struct hs_walk *w, struct hs_bb_table *t, struct flow_out *out)
{
	uint64_t target;

	if (!infer(w, t, w->cur, &target))
		return false;
	flow_end_block(w, &t->bbs[w->cur], false, out);
	flow_start(w, t, target);
	return true;
}

/* ---- one walk ------------------------------------------------------------------- */

/* Where the walk stands, and the evidence that is left: a copy in registers, which leave() writes
 * back. */
struct step {
	uint64_t left, hist;
	uint32_t cur, acc;
	struct hs_jumps jumps;
	unsigned bits;
};

static enum flow_stop leave(struct hs_walk *w, struct hs_bb_table *t, struct hs_evidence *e,
                            const struct step *s, unsigned off, enum flow_stop why)
{
	if (s->cur >= HS_BB_FIRST)
		w->pc = t->bbs[s->cur].start;
	w->cur = s->cur;
	w->generation = t->generation;
	w->acc = s->acc;
	w->off = (uint8_t)off;
	e->left = s->left;
	e->hist = s->hist;
	e->bits = (uint8_t)s->bits;
	e->jumps = s->jumps;
	return why;
}

/* There is no code where the walk came to.  Where the room ends it may still change (stream.h). */
static enum flow_stop leave_code(struct hs_walk *w, struct hs_bb_table *t, struct hs_evidence *e,
                                 const struct step *s, const struct flow_out *out)
{
	return leave(w, t, e, s, 0, out->p == out->end ? FLOW_FULL : FLOW_NOCODE);
}

/* The count is used up at an instruction that is no branch: how does the walk end? */
static enum flow_stop end_of_count(const struct hs_evidence *e, const struct step *s)
{
	if (s->bits)
		return FLOW_SPARE_BITS;
	return e->mode == FLOW_TO_BRANCH ? FLOW_NOT_BRANCH : FLOW_DONE;
}

/* The count ends inside entry cur, or before it. */
static enum flow_stop end_inside(struct hs_walk *w, struct hs_bb_table *t, struct hs_evidence *e,
                                 struct step *s)
{
	const unsigned off = (unsigned)s->left,
		       before = s->left == e->left + w->off ? w->off : 0; /* this walk */

	s->left = 0;
	if (!hs_bb_boundary(t, s->cur, off))
		return leave(w, t, e, s, before, FLOW_SPLIT);
	return leave(w, t, e, s, off, end_of_count(e, s));
}

/* Jumps without a branch that the fast loop follows; it leaves circles to circles(). */
#define FAST_JUMPS 3u

/* More jumps in a row without a branch are a circle. */
#define JUMPS_MAX (1u << 20)

/* A direct jump uses no bit of the history. */
static bool circles(const struct hs_walk *w, struct step *s)
{
	return flow_circles(&s->jumps, s->cur, w->rules & FLOW_RETURNS, FAST_JUMPS + 1, JUMPS_MAX);
}

/* The common case, all in registers: branches and direct jumps whose edges are known, as long as
 * evidence and room last.  The rest, and the last block, is left to step().  A jump has its target
 * on both edges, so that the next entry never waits for the kind.  @btm: branches are not taken and
 * use no history.  @floor: stop when so many bits are left. */
static inline __attribute__((always_inline)) void walk_fast_as(const struct hs_bb *bbs,
                                                               struct step *s, struct flow_out *out,
                                                               bool btm, int floor, uint64_t priv,
                                                               struct hs_returns *returns)
{
	uint64_t left = s->left, hist = btm ? 0 : s->hist;
	uint32_t cur = s->cur, acc = s->acc, jumps = s->jumps.without_branch;
	int bits = btm ? 1 : (int)s->bits;
	const unsigned use = btm ? 0 : HS_BB_BRANCH;
	struct hs_block *p = out->p;

	while (bits > floor && p != out->end) {
		const struct hs_bb *b = &bbs[cur];
		const unsigned edge = (unsigned)(hist >> 63), branch = b->flags & HS_BB_BRANCH;
		const uint32_t next = b->edge[edge];

		if (next < HS_BB_FIRST || left <= b->hwords || jumps >= FAST_JUMPS ||
		    (int)branch > bits)
			break;
		flow_put_entry(&p, b, acc, priv, branch & ~edge);
		if (returns && (b->flags & HS_BB_CALL))
			returns_push(returns, flow_after(b), HS_RETURNS);
		left -= b->hwords;
		hist <<= branch;
		bits -= (int)(branch & use);
		jumps = branch || bits == 0 || btm ? 0 : jumps + 1;
		cur = next;
		acc = 0;
	}
	out->p = p;
	s->left = left;
	s->cur = cur;
	s->acc = acc;
	s->jumps.without_branch = jumps;
	if (!btm) {
		s->hist = hist;
		s->bits = (unsigned)bits;
	}
}

static void walk_fast(const struct hs_bb *bbs, struct step *s, struct flow_out *out, bool btm,
                      int floor, struct hs_walk *w)
{
	if (w->rules & FLOW_ALL_JUMPS)
		return;
	if (w->rules & FLOW_RETURNS)
		walk_fast_as(bbs, s, out, btm, floor, w->priv, returns_of(w));
	else
		walk_fast_as(bbs, s, out, btm, floor, w->priv, NULL);
}

/* The block that ends with entry @b is complete. */
static void end_block(const struct hs_walk *w, struct step *s, const struct hs_bb *b,
                      bool not_taken, struct flow_out *out)
{
	flow_put_entry(&out->p, b, s->acc, w->priv, not_taken);
	s->acc = 0;
}

/* Which way a branch went. */
enum way { NOT_TAKEN, TAKEN, UNKNOWN };

/* A branch retired and there is no history. */
static enum way way_without_bit(const struct hs_evidence *e, uint64_t left)
{
	if (e->mode == FLOW_LINEAR)
		return NOT_TAKEN;
	if (e->mode == FLOW_TO_BRANCH)
		return left == 0 ? TAKEN : NOT_TAKEN;
	return UNKNOWN;
}

/* A branch, or a direct jump that is reported like one: which way?  UNKNOWN: *why the evidence is
 * wrong. */
static enum way take_way(const struct hs_evidence *e, struct step *s, bool jump,
                         enum flow_stop *why)
{
	enum way way = way_without_bit(e, s->left);

	*why = FLOW_NO_BIT;
	if (s->bits) {
		way = s->hist >> 63 ? TAKEN : NOT_TAKEN;
		s->hist <<= 1;
		s->bits--;
		s->jumps.without_branch = 0;
		*why = FLOW_BAD_BIT;
	}
	return jump && way == NOT_TAKEN ? UNKNOWN : way;
}

/* An uninferable jump with evidence beyond it: the program must say where it leads. */
static enum flow_stop pass_jump(struct hs_walk *w, struct hs_bb_table *t, struct hs_evidence *e,
                                struct step *s, struct flow_out *out)
{
	const struct hs_bb *b = &t->bbs[s->cur];
	const uint32_t generation = t->generation;
	uint64_t target;

	if ((s->left == 0 && s->bits == 0) || !infer(w, t, s->cur, &target))
		return leave(w, t, e, s, b->hwords, FLOW_UNINFERABLE);
	if (s->bits && circles(w, s))
		return leave(w, t, e, s, b->hwords, FLOW_LOOP);
	end_block(w, s, b, false, out);
	w->pc = target;
	s->cur = hs_bb_at(t, target);
	if (t->generation != generation)
		s->jumps.mark = 0;
	return s->cur == HS_BB_NOCODE ? leave_code(w, t, e, s, out) : FLOW_ON;
}

/* Is the evidence used up with the branch that retired, so that missing code after it does no harm?
 * @reported: it used a bit, or ended a count. */
static bool ends_here(const struct step *s, const struct hs_evidence *e, bool reported)
{
	return reported && s->bits == 0 &&
	       (e->mode == FLOW_HISTORY || (e->mode == FLOW_TO_BRANCH && s->left == 0));
}

/* Is the evidence used up with an instruction that is no branch? */
static bool used_up(const struct step *s, const struct hs_evidence *e)
{
	return s->left == 0 && s->bits == 0 && e->mode != FLOW_TO_BRANCH;
}

/* One entry, of any kind. */
static enum flow_stop step(struct hs_walk *w, struct hs_bb_table *t, struct hs_evidence *e,
                           struct step *s, struct flow_out *out)
{
	const struct hs_bb *b = &t->bbs[s->cur];
	const bool branch = b->kind == HS_INSN_BRANCH, all_jumps = w->rules & FLOW_ALL_JUMPS;
	enum flow_stop why;
	bool reported = false;
	enum way way = TAKEN;

	if (out->p == out->end) /* before any of the entry: its code may change here (stream.h) */
		return leave(w, t, e, s, 0, FLOW_FULL);
	if (s->left < b->hwords)
		return end_inside(w, t, e, s);
	s->left -= b->hwords;
	switch (b->kind) {
	case HS_INSN_JUMP:
	case HS_INSN_CALL:
	case HS_INSN_TABLE_JUMP:
	case HS_INSN_TABLE_CALL:
		if (!all_jumps && s->bits && circles(w, s))
			return leave(w, t, e, s, b->hwords, FLOW_LOOP);
		if ((w->rules & FLOW_RETURNS) && (b->flags & HS_BB_CALL))
			returns_push(returns_of(w), flow_after(b), HS_RETURNS);
		if (!all_jumps)
			break;
		/* fall through */
	case HS_INSN_BRANCH:
		way = take_way(e, s, !branch, &why);
		if (way == UNKNOWN)
			return leave(w, t, e, s, b->hwords, why);
		reported = true;
		break;
	case HS_INSN_ECALL:
	case HS_INSN_EBREAK:
	case HS_INSN_CUSTOM:
		if (s->left == 0)
			return leave(w, t, e, s, b->hwords, end_of_count(e, s));
		way = NOT_TAKEN;
		break;
	case HS_INSN_LINEAR:
		way = NOT_TAKEN;
		break;
	default:
		return pass_jump(w, t, e, s, out);
	}
	if (way == TAKEN || branch) {
		end_block(w, s, b, way == NOT_TAKEN, out);
	} else {
		s->acc += b->hwords;
		w->last = b->ilast;
	}
	s->cur = flow_edge(t, s->cur, way == TAKEN, &w->pc, &s->jumps.mark);
	if (ends_here(s, e, reported))
		return leave(w, t, e, s, 0, FLOW_DONE);
	if (s->cur < HS_BB_FIRST)
		return used_up(s, e) ? leave(w, t, e, s, 0, FLOW_DONE)
		                     : leave_code(w, t, e, s, out);
	return FLOW_ON;
}

enum flow_stop flow_walk(struct hs_walk *w, struct hs_bb_table *t, struct hs_evidence *e,
                         struct flow_out *out)
{
	const bool btm = e->mode == FLOW_LINEAR || e->mode == FLOW_TO_BRANCH;
	const bool history = e->mode == FLOW_HISTORY;
	enum flow_stop why = FLOW_ON;

	if (w->generation != t->generation)
		e->jumps.mark = 0;
	flow_refresh(w, t);
	struct step s = { e->left + w->off, e->hist, w->cur, w->acc, e->jumps, e->bits };

	if (s.cur < HS_BB_FIRST) /* nothing may retire where there is no code */
		return s.left || s.bits ? leave_code(w, t, e, &s, out)
		                        : leave(w, t, e, &s, 0, end_of_count(e, &s));
	if (history && s.bits == 0)
		return FLOW_DONE;
	while (why == FLOW_ON) {
		walk_fast(t->bbs, &s, out, btm, history ? 0 : -1, w);
		if (history && s.bits == 0)
			return leave(w, t, e, &s, 0, FLOW_DONE);
		why = step(w, t, e, &s, out);
	}
	return why;
}
