/* What the walk and the path of E-Trace do alike: write the block of an entry, follow an edge,
 * infer targets, detect circles of jumps.  In place: these are the hot loops of the decoders. */
#ifndef HS_FLOW_CORE_H
#define HS_FLOW_CORE_H

#include "flow/returns.h"
#include "flow/walk.h"
#include "core/image.h"
#include "core/image_word.h"

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* The address after an entry. */
static inline uint64_t flow_after(const struct hs_bb *b)
{
	return b->start + 2u * (uint64_t)b->hwords;
}

/* Write the block that ends with entry @b, @before half-words of which retired before the entry. */
static inline void flow_put_entry(struct hs_block **p, const struct hs_bb *b, uint32_t before,
                                  uint64_t priv, bool not_taken)
{
	img_put_block(p, b->start - 2u * (uint64_t)before,
	              img_block_word(b->word, before, priv, not_taken));
}

/* The same for the open block; there is none afterwards. */
static inline void flow_end_block(struct hs_walk *w, const struct hs_bb *b, bool not_taken,
                                  struct flow_out *out)
{
	flow_put_entry(&out->p, b, w->acc, w->priv, not_taken);
	w->acc = 0;
	w->off = 0;
	w->last = 0;
}

/* The entry over edge @which of entry @from.  HS_BB_NOCODE: there is no code, at *pc.
 * *mark is 0 afterwards when the table started afresh. */
static inline uint32_t flow_edge(struct hs_bb_table *t, uint32_t from, unsigned which, uint64_t *pc,
                                 uint32_t *mark)
{
	const uint32_t known = t->bbs[from].edge[which], generation = t->generation;

	if (likely(known >= HS_BB_FIRST))
		return known;
	const uint32_t to = hs_bb_edge(t, from, which);

	if (t->generation != generation)
		*mark = 0;
	if (to >= HS_BB_FIRST)
		return to;
	*pc = flow_after(&t->bbs[from]);
	if (which && hs_bb_target(t, from, pc) != HS_OK)
		*pc = 0;
	return to;
}

/* Does entry @b end with a sequentially inferable jump, and does the trace leave its target out? */
static inline bool flow_infers_pair(const struct hs_walk *w, const struct hs_bb *b)
{
	return (w->rules & FLOW_SEQUENTIAL) && (b->flags & HS_BB_SIJUMP) &&
	       !(b->kind == HS_INSN_RETURN && w->rules & FLOW_PAIRED_RETURNS);
}

/* Is the next address the one after the instruction, whatever the trace says?  ecall and custom
 * instructions too: where they do lead elsewhere the trace says so. */
static inline bool flow_runs_on(unsigned kind)
{
	return kind == HS_INSN_LINEAR || kind == HS_INSN_ECALL || kind == HS_INSN_EBREAK ||
	       kind == HS_INSN_CUSTOM;
}

/* Is the target of the jump in the code? */
static inline bool flow_is_direct_jump(unsigned kind)
{
	return kind == HS_INSN_JUMP || kind == HS_INSN_CALL || kind == HS_INSN_TABLE_JUMP ||
	       kind == HS_INSN_TABLE_CALL;
}

/* One more jump without a branch, from entry @cur: do they lead in a circle?  Such a circle never
 * uses up the evidence; Brent's algorithm finds it, by an entry that is met again.  The first
 * @unmarked jumps are not looked at.  More than @most are a circle anyhow: only that detects one
 * with returns (@returns), whose targets depend on more than the entry, and one that the table
 * cannot hold at once. */
static inline bool flow_circles(struct hs_jumps *j, uint32_t cur, bool returns, uint32_t unmarked,
                                uint32_t most)
{
	if (++j->without_branch > most)
		return true;
	if (returns)
		return false;
	if (j->without_branch <= unmarked)
		j->mark = 0;
	if (cur == j->mark)
		return true;
	if ((j->without_branch & (j->without_branch - 1)) == 0)
		j->mark = cur;
	return false;
}

#endif
