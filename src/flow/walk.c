/* The walk through the table of basic blocks: the hot loop of every decoder. */
#include "flow/walk.h"

#include "flow/returns.h"

#include "base/mem.h"

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

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
	struct hs_block block = { .priv = (HS_PRIV_UNKNOWN ^ priv) & 7u };

	memcpy(&w->priv, (const uint8_t *)&block + sizeof w->priv, sizeof w->priv);
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

static inline void put(struct hs_block **p, uint64_t iaddr, uint64_t word)
{
	memcpy(*p, &iaddr, sizeof iaddr);
	memcpy((uint8_t *)*p + sizeof iaddr, &word, sizeof word);
	++*p;
}

void flow_close(struct hs_walk *w, const struct hs_bb_table *t, unsigned itype,
                struct flow_out *out)
{
	struct hs_block block = { .priv = HS_PRIV_UNKNOWN }, *b = &block;
	uint64_t word;

	b->iaddr = w->pc - 2u * (uint64_t)w->acc;
	b->iretire = w->acc + w->off;
	b->ilast = w->off ? (uint8_t)hs_bb_size_before(t, w->cur, w->off) : w->acc ? w->last : 0;
	b->itype = (uint8_t)itype;
	memcpy(&word, (const uint8_t *)b + sizeof word, sizeof word);
	put(&out->p, b->iaddr, word ^ w->priv);
	w->pc += 2u * (uint64_t)w->off;
	w->acc = 0;
	w->off = 0;
	w->last = 0;
}

void flow_forget(struct hs_walk *w)
{
	w->returns.count = 0;
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

/* What a jump does to the stack.  False: it is no return, or there was no call. */
static bool use_stack(struct hs_walk *w, const struct hs_bb *b, uint64_t *target)
{
	const bool pops = b->kind == HS_INSN_RETURN || b->kind == HS_INSN_SWAP;
	const bool popped = pops && returns_pop(&w->returns, target);

	if (b->kind == HS_INSN_CALL_IND || b->kind == HS_INSN_SWAP)
		returns_push(&w->returns, b->start + 2u * (uint64_t)b->hwords, HS_RETURNS);
	return popped;
}

/* Where the uninferable jump of entry @i leads, if the program says; the stack is used. */
static bool infer(struct hs_walk *w, struct hs_bb_table *t, uint32_t i, uint64_t *target)
{
	const struct hs_bb *b = &t->bbs[i];
	const bool pair = (w->rules & FLOW_SEQUENTIAL) && (b->flags & HS_BB_SIJUMP);
	const bool pops = b->kind == HS_INSN_RETURN || b->kind == HS_INSN_SWAP;

	if (!pair && !((w->rules & FLOW_RETURNS) && pops && w->returns.count))
		return false;
	use_stack(w, b, target);
	return !pair || hs_bb_target(t, i, target) == HS_OK;
}

void flow_close_jump(struct hs_walk *w, const struct hs_bb_table *t, struct flow_out *out)
{
	const struct hs_bb *b = &t->bbs[w->cur];
	uint64_t target;

	use_stack(w, b, &target);
	put(&out->p, b->start - 2u * (uint64_t)w->acc, (b->word + HS_BB_RETIRE(w->acc)) ^ w->priv);
	w->acc = 0;
	w->off = 0;
	w->last = 0;
}

/* Evidence of one call, and where the walk stands. */
struct step {
	uint64_t left, hist;
	uint32_t cur, acc;
	uint32_t still;
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
	e->still = s->still;
	return why;
}

/* Follow an edge; false when it leads to where there is no code, and w->pc is that place. */
static bool follow(struct hs_walk *w, struct hs_bb_table *t, struct hs_evidence *e, struct step *s,
                   unsigned which)
{
	const uint32_t from = s->cur, generation = t->generation;
	uint64_t addr = t->bbs[from].start + 2u * (uint64_t)t->bbs[from].hwords;

	s->cur = hs_bb_edge(t, from, which);
	if (t->generation != generation)
		e->mark = 0;
	if (likely(s->cur >= HS_BB_FIRST))
		return true;
	if (which && hs_bb_target(t, from, &addr) != HS_OK)
		addr = 0;
	w->pc = addr;
	return false;
}

/* The count ends inside entry cur, or before it. */
static enum flow_stop end_inside(struct hs_walk *w, struct hs_bb_table *t, struct hs_evidence *e,
                                 struct step *s)
{
	const unsigned off = (unsigned)s->left;

	s->left = 0;
	if (!hs_bb_boundary(t, s->cur, off))
		return leave(w, t, e, s, 0, FLOW_SPLIT);
	if (s->bits)
		return leave(w, t, e, s, off, FLOW_SPARE_BITS);
	return leave(w, t, e, s, off, e->mode == FLOW_TO_BRANCH ? FLOW_NOT_BRANCH : FLOW_DONE);
}

/* So many direct jumps without a branch are looked at: do they lead in a circle? */
#define STILL 3u

/* No code goes on for so many jumps without a branch.  Alone, this tells a circle with returns, whose targets
 * depend on more than the entry, and one that the table cannot hold at once. */
#define STILL_MAX (1u << 20)

/* Direct jumps in a circle never use up a history bit: Brent's algorithm finds the circle.
 * The mark is the entry at a power of two of jumps; 0 once a branch was met. */
static bool circles(const struct hs_walk *w, struct hs_evidence *e, struct step *s)
{
	if (++s->still > STILL_MAX)
		return true;
	if (w->rules & FLOW_RETURNS)
		return false;
	if (s->still <= STILL + 1)
		e->mark = 0;
	if (s->cur == e->mark)
		return true;
	if ((s->still & (s->still - 1)) == 0)
		e->mark = s->cur;
	return false;
}

/* A branch retired and there is no history: which way did it go?  -1: not known. */
static int branch_without_bit(const struct hs_evidence *e, uint64_t left)
{
	if (e->mode == FLOW_LINEAR)
		return 0;
	if (e->mode == FLOW_TO_BRANCH)
		return left == 0;
	return -1;
}

/* Is the evidence used up, so that a next address without code does no harm? */
static bool at_end(const struct step *s, const struct hs_evidence *e)
{
	return s->left == 0 && s->bits == 0 && e->mode != FLOW_TO_BRANCH;
}

/* The common case, all in registers: branches and direct jumps whose edges are known, as long
 * as evidence and room last.  What is uncommon, and the last block, is left to the caller.
 * A jump has its target on both edges, so that the next entry never waits for the kind.
 * BTM: branches are not taken and use no history.  @floor: stop when so many bits are left. */
static inline __attribute__((always_inline)) void run_as(const struct hs_bb *bbs, struct step *s,
	struct flow_out *out, bool btm, int floor, uint64_t priv, struct hs_returns *returns)
{
	uint64_t left = s->left, hist = btm ? 0 : s->hist;
	uint32_t cur = s->cur, acc = s->acc, still = s->still;
	int bits = btm ? 1 : (int)s->bits;
	const unsigned use = btm ? 0 : HS_BB_BRANCH;
	struct hs_block *p = out->p;

	while (bits > floor && p != out->end) {
		const struct hs_bb *b = &bbs[cur];
		const unsigned edge = (unsigned)(hist >> 63), branch = b->flags & HS_BB_BRANCH;
		const uint32_t next = b->edge[edge];

		if (next < HS_BB_FIRST || left <= b->hwords || still >= STILL || (int)branch > bits)
			break;
		put(&p, b->start - 2u * (uint64_t)acc,
		    (b->word + HS_BB_RETIRE(acc)) ^ priv ^ (branch & ~edge ? HS_BB_NOT_TAKEN : 0));
		if (returns && (b->flags & HS_BB_CALL))
			returns_push(returns, b->start + 2u * (uint64_t)b->hwords, HS_RETURNS);
		left -= b->hwords;
		hist <<= branch;
		bits -= (int)(branch & use);
		still = branch || bits == 0 || btm ? 0 : still + 1;
		cur = next;
		acc = 0;
	}
	out->p = p;
	s->left = left;
	s->cur = cur;
	s->acc = acc;
	s->still = still;
	if (!btm) {
		s->hist = hist;
		s->bits = (unsigned)bits;
	}
}

static void run(const struct hs_bb *bbs, struct step *s, struct flow_out *out, bool btm, int floor,
                struct hs_walk *w)
{
	if (w->rules & FLOW_ALL_JUMPS)
		return;
	if (w->rules & FLOW_RETURNS)
		run_as(bbs, s, out, btm, floor, w->priv, &w->returns);
	else
		run_as(bbs, s, out, btm, floor, w->priv, NULL);
}

/* The block that ends with entry @b is complete. */
static void put_entry(const struct hs_walk *w, struct step *s, const struct hs_bb *b, bool taken, struct flow_out *out)
{
	put(&out->p, b->start - 2u * (uint64_t)s->acc,
	    (b->word + HS_BB_RETIRE(s->acc)) ^ w->priv ^ (taken ? 0 : HS_BB_NOT_TAKEN));
	s->acc = 0;
}

/* A branch, or what is reported like one: which way?  -1: *why it cannot be told. */
static int direction(const struct hs_evidence *e, struct step *s, bool jump, enum flow_stop *why)
{
	int taken = branch_without_bit(e, s->left);

	*why = FLOW_NO_BIT;
	if (s->bits) {
		taken = (int)(s->hist >> 63);
		s->hist <<= 1;
		s->bits--;
		s->still = 0;
		*why = FLOW_BAD_BIT;
	}
	return jump && taken == 0 ? -1 : taken;
}

/* An uninferable jump with evidence beyond it: the program must say where it leads. */
static int pass_jump(struct hs_walk *w, struct hs_bb_table *t, struct hs_evidence *e,
                     struct step *s, struct flow_out *out)
{
	const struct hs_bb *b = &t->bbs[s->cur];
	const uint32_t generation = t->generation;
	uint64_t target;

	if ((s->left == 0 && s->bits == 0) || !infer(w, t, s->cur, &target))
		return (int)leave(w, t, e, s, b->hwords, FLOW_UNINFERABLE);
	if (s->bits && circles(w, e, s))
		return (int)leave(w, t, e, s, b->hwords, FLOW_LOOP);
	put_entry(w, s, b, true, out);
	w->pc = target;
	s->cur = hs_bb_at(t, target);
	if (t->generation != generation)
		e->mark = 0;
	return s->cur == HS_BB_NOCODE ? (int)leave(w, t, e, s, 0, FLOW_NOCODE) : -1;
}

/* One entry, any kind; -1: go on. */
static int step(struct hs_walk *w, struct hs_bb_table *t, struct hs_evidence *e, struct step *s,
                struct flow_out *out)
{
	const struct hs_bb *b = &t->bbs[s->cur];
	const bool branch = b->kind == HS_INSN_BRANCH, all_jumps = w->rules & FLOW_ALL_JUMPS;
	enum flow_stop why;
	bool reported = false;
	int edge = 1;

	if (s->left < b->hwords)
		return (int)end_inside(w, t, e, s);
	if (out->p == out->end)
		return (int)leave(w, t, e, s, 0, FLOW_FULL);
	s->left -= b->hwords;
	switch (b->kind) {
	case HS_INSN_JUMP:
	case HS_INSN_CALL:
	case HS_INSN_TABLE_JUMP:
	case HS_INSN_TABLE_CALL:
		if (!all_jumps && s->bits && circles(w, e, s))
			return (int)leave(w, t, e, s, b->hwords, FLOW_LOOP);
		if ((w->rules & FLOW_RETURNS) && (b->flags & HS_BB_CALL))
			returns_push(&w->returns, b->start + 2u * (uint64_t)b->hwords, HS_RETURNS);
		if (!all_jumps)
			break;
		/* fall through */
	case HS_INSN_BRANCH:
		edge = direction(e, s, !branch, &why);
		if (edge < 0)
			return (int)leave(w, t, e, s, b->hwords, why);
		reported = true;
		break;
	case HS_INSN_ECALL:
	case HS_INSN_EBREAK:
	case HS_INSN_CUSTOM:
		if (s->left == 0)
			return (int)leave(w, t, e, s, b->hwords, s->bits ? FLOW_SPARE_BITS : FLOW_DONE);
		edge = 0;
		break;
	case HS_INSN_LINEAR:
		edge = 0;
		break;
	default:
		return pass_jump(w, t, e, s, out);
	}
	if (edge || branch) {
		put_entry(w, s, b, edge, out);
	} else {
		s->acc += b->hwords;
		w->last = b->ilast;
	}
	const bool ends = reported && s->bits == 0 &&
	                  (e->mode == FLOW_HISTORY || (e->mode == FLOW_TO_BRANCH && s->left == 0));
	if (!follow(w, t, e, s, (unsigned)edge) || ends)
		return (int)leave(w, t, e, s, 0, ends || at_end(s, e) ? FLOW_DONE : FLOW_NOCODE);
	return -1;
}

enum flow_stop flow_walk(struct hs_walk *w, struct hs_bb_table *t, struct hs_evidence *e,
                         struct flow_out *out)
{
	const bool btm = e->mode == FLOW_LINEAR || e->mode == FLOW_TO_BRANCH;
	const bool history = e->mode == FLOW_HISTORY;
	struct step s = { e->left, e->hist, 0, w->acc, e->still, e->bits };
	int why = -1;

	if (w->generation != t->generation)
		e->mark = 0;
	flow_refresh(w, t);
	s.cur = w->cur;
	s.left += w->off;
	if (s.cur < HS_BB_FIRST) /* nothing may retire where there is no code */
		return leave(w, t, e, &s, 0, s.left || s.bits ? FLOW_NOCODE : FLOW_DONE);
	if (history && s.bits == 0)
		return FLOW_DONE;
	while (why < 0) {
		run(t->bbs, &s, out, btm, history ? 0 : -1, w);
		if (history && s.bits == 0)
			return leave(w, t, e, &s, 0, FLOW_DONE);
		why = step(w, t, e, &s, out);
	}
	return (enum flow_stop)why;
}

bool flow_infer(struct hs_walk *w, struct hs_bb_table *t, struct flow_out *out)
{
	struct step s = { .cur = w->cur, .acc = w->acc };
	uint64_t target;

	if (!infer(w, t, w->cur, &target))
		return false;
	put_entry(w, &s, &t->bbs[w->cur], true, out);
	flow_start(w, t, target);
	return true;
}
