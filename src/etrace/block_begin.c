/* Where a block begins of which only the last instruction is known (layout.block_end).
 *
 * Instructions before the last one are those from which code without jumps or branches leads to it.
 * A return leads after a call, which is none of them: the block begins there.  A call through a
 * register leads to a function, which code before it does not run into.  Of other jumps nothing is
 * known, unless there is only one place.  Looked for backwards, half-words may be taken for
 * instructions that are none; then two places may be found, and it is not known which one holds. */
#include "etrace/path.h"

#include "core/mem.h"

#define BACK 1024u /* half-words that are looked at */

enum before { BEFORE_LINEAR, BEFORE_CALL, BEFORE_END, BEFORE_OTHER };

/* What an instruction means for the block after it. */
static enum before meaning_of(unsigned kind)
{
	switch (kind) {
	case HS_INSN_LINEAR:
		return BEFORE_LINEAR;
	case HS_INSN_CALL:
	case HS_INSN_CALL_IND:
	case HS_INSN_TABLE_CALL:
		return BEFORE_CALL;
	case HS_INSN_JUMP:
	case HS_INSN_JUMP_IND:
	case HS_INSN_TABLE_JUMP:
	case HS_INSN_RETURN:
	case HS_INSN_XRET:
		return BEFORE_END;
	default:
		return BEFORE_OTHER;
	}
}

/* A walk back from the last instruction. */
struct walk_back {
	bool leads[BACK +
	           HS_INSN_MAX / 2];  /* does code from so many half-words before lead there? */
	unsigned count;               /* such places */
	unsigned found[BEFORE_OTHER]; /* places after an instruction of that meaning; */
	uint64_t place[BEFORE_OTHER]; /* the last one */
};

/* The instruction that begins @back half-words before @last. */
static void look_at(struct walk_back *w, const struct hs_image *image, uint64_t last, unsigned back)
{
	struct hs_insn i;

	if (hs_img_insn(image, last - 2u * (uint64_t)back, &i) != HS_OK || i.hwords > back ||
	    !w->leads[back - i.hwords])
		return;
	const enum before before = meaning_of(i.kind);

	if (before == BEFORE_OTHER)
		return;
	if (before == BEFORE_LINEAR) {
		w->leads[back] = true;
		w->count++;
	}
	w->found[before]++;
	w->place[before] = last - 2u * (uint64_t)(back - i.hwords);
}

bool path_block_begin(const struct hs_image *image, unsigned jump, uint64_t last, uint64_t *begin)
{
	struct walk_back w = { .leads = { true } };
	unsigned gap = 0;

	for (unsigned back = 1; back <= BACK && gap <= HS_INSN_MAX / 2; back++) {
		look_at(&w, image, last, back);
		gap = w.leads[back] ? 0 : gap + 1;
	}
	const enum before want = jump == HS_INSN_RETURN ? BEFORE_CALL : BEFORE_END;

	*begin = last;
	if (w.count == 0)
		return true;
	if (jump != HS_INSN_RETURN && jump != HS_INSN_CALL_IND)
		return false;
	*begin = w.place[want];
	return w.found[want] == 1;
}
