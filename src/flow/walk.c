/* The walk through the table of basic blocks: the hot loop of every decoder. */
#include "flow/walk.h"

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

static void put(struct flow_out *out, uint64_t iaddr, uint64_t word)
{
	memcpy(out->p, &iaddr, sizeof iaddr);
	memcpy((uint8_t *)out->p + sizeof iaddr, &word, sizeof word);
	out->p++;
}

void flow_close(struct hs_walk *w, const struct hs_bb_table *t, unsigned itype,
                struct flow_out *out)
{
	struct hs_block *b = out->p++;

	memset(b, 0, sizeof *b);
	b->iaddr = w->pc - 2u * (uint64_t)w->acc;
	b->iretire = w->acc + w->off;
	b->ilast = w->off ? (uint8_t)hs_bb_size_before(t, w->cur, w->off) : w->last;
	b->itype = (uint8_t)itype;
	b->priv = HS_PRIV_UNKNOWN;
	w->pc += 2u * (uint64_t)w->off;
	w->acc = 0;
	w->off = 0;
	w->last = 0;
}

void flow_close_jump(struct hs_walk *w, const struct hs_bb_table *t, struct flow_out *out)
{
	const struct hs_bb *b = &t->bbs[w->cur];

	put(out, b->start - 2u * (uint64_t)w->acc, b->word + HS_BB_RETIRE(w->acc));
	w->acc = 0;
	w->off = 0;
	w->last = 0;
}

/* State of one call, in registers as far as the compiler can. */
struct step {
	uint64_t left, hist;
	uint32_t cur, acc;
	unsigned bits;
	/* circle of direct jumps: where we were, at a power of two of jumps */
	uint32_t mark, jumps;
	unsigned mark_bits;
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
	return why;
}

/* Follow an edge; false when it leads to where there is no code, and w->pc is that place. */
static bool follow(struct hs_walk *w, struct hs_bb_table *t, struct step *s, unsigned which)
{
	const uint32_t from = s->cur;
	uint64_t addr = t->bbs[from].start + 2u * (uint64_t)t->bbs[from].hwords;

	s->cur = t->bbs[from].edge[which];
	if (likely(s->cur >= HS_BB_FIRST))
		return true;
	if (which && hs_bb_target(t, from, &addr) != HS_OK)
		addr = 0;
	w->pc = addr;
	s->cur = hs_bb_edge(t, from, which);
	return s->cur != HS_BB_NOCODE;
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

/* Direct jumps in a circle never use up a history bit: Brent's algorithm finds the circle. */
static bool circles(struct step *s)
{
	if (s->cur == s->mark && s->bits == s->mark_bits)
		return true;
	s->jumps++;
	if ((s->jumps & (s->jumps - 1)) == 0) {
		s->mark = s->cur;
		s->mark_bits = s->bits;
	}
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

enum flow_stop flow_walk(struct hs_walk *w, struct hs_bb_table *t, struct hs_evidence *e,
                         struct flow_out *out)
{
	struct step s = { .left = e->left, .hist = e->hist, .bits = e->bits, .acc = w->acc };
	const bool history = e->mode == FLOW_HISTORY, to_branch = e->mode == FLOW_TO_BRANCH;

	flow_refresh(w, t);
	s.cur = w->cur;
	s.left += w->off;
	if (s.cur < HS_BB_FIRST) /* nothing may retire where there is no code */
		return leave(w, t, e, &s, 0, s.left || s.bits ? FLOW_NOCODE : FLOW_DONE);
	if (history && s.bits == 0)
		return FLOW_DONE;
	for (;;) {
		const struct hs_bb *b = &t->bbs[s.cur];

		if (unlikely(s.left < b->hwords))
			return end_inside(w, t, e, &s);
		if (unlikely(out->p == out->end))
			return leave(w, t, e, &s, 0, FLOW_FULL);
		const uint64_t start = b->start - 2u * (uint64_t)s.acc;
		const uint64_t word = b->word + HS_BB_RETIRE(s.acc);
		unsigned edge = 1;

		s.left -= b->hwords;
		switch (b->kind) {
		case HS_INSN_BRANCH:
			if (likely(s.bits)) {
				edge = s.hist >> 63;
				s.hist <<= 1;
				s.bits--;
			} else {
				const int taken = branch_without_bit(e, s.left);

				if (taken < 0)
					return leave(w, t, e, &s, b->hwords, FLOW_NO_BIT);
				edge = (unsigned)taken;
			}
			put(out, start, edge ? word : word ^ HS_BB_NOT_TAKEN);
			break;
		case HS_INSN_JUMP:
		case HS_INSN_CALL:
		case HS_INSN_TABLE_JUMP:
		case HS_INSN_TABLE_CALL:
			if (s.bits && circles(&s))
				return leave(w, t, e, &s, b->hwords, FLOW_LOOP);
			put(out, start, word);
			break;
		case HS_INSN_LINEAR:
			edge = 0;
			break;
		case HS_INSN_ECALL:
		case HS_INSN_EBREAK:
			if (s.left == 0)
				return leave(w, t, e, &s, b->hwords,
				             s.bits ? FLOW_SPARE_BITS : FLOW_DONE);
			edge = 0;
			break;
		default:
			return leave(w, t, e, &s, b->hwords, FLOW_UNINFERABLE);
		}
		if (edge == 0 && b->kind != HS_INSN_BRANCH) {
			s.acc += b->hwords;
			w->last = b->ilast;
		} else {
			s.acc = 0;
		}
		const bool ends = b->kind == HS_INSN_BRANCH && s.bits == 0 &&
		                  (history || (to_branch && s.left == 0));
		if (unlikely(!follow(w, t, &s, edge)) || ends)
			return leave(w, t, e, &s, 0, ends || at_end(&s, e) ? FLOW_DONE : FLOW_NOCODE);
	}
}
