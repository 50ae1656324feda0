/* Code search: could the uses of a piece have been of other versions (search_private.h has the
 * words)?
 *
 * Example: block 900 went through the nop at 0x8020, and the trace fits.  If the site was a jump by
 * then, the same packets may fit, because nop and jump lead to the same branch.  So the use is
 * tried with version 1.  If that fits for AHEAD bytes with other blocks, both guesses are possible:
 * the blocks that differ are in dispute, and a gap stands for them.
 *
 * Most uses need no trial: a use of the site later on, after a full address, fits no version but
 * this one, and versions only increase (is_proven()).
 *
 * Trials are limited by budgets.  What they do not reach is in dispute, too (give_up()).
 */
#include <string.h>

#include "trace/search_private.h"

#define TRIES_TO_JUDGE 256u /* most trials for each later version of a use */
#define USES_TO_JUDGE 1024u /* of a piece: a message may stand for many */
#define LONGEST 64u         /* bytes that a message or packet has at most */

/* ---- disputes -------------------------------------------------------------------------- */

static bool same_item(const struct hs_code_search *e, size_t mine, size_t other)
{
	return memcmp(&e->items.v[mine], &e->trial.trial_items.v[other], sizeof(struct hs_block)) ==
	       0;
}

/* Compare the items of the window with those of the trial: all but the first differ_head and the
 * last differ_tail differ.  @open: the trial did not merge, so ends are not compared.  False: none
 * differ.
 */
static bool find_difference(struct hs_code_search *e, const struct trial *t, bool open)
{
	const struct piece *from = &e->window.pieces[t->from];
	struct view *v = t->guess.view;
	const size_t n = trial_pick(e, &e->items, from->item, e->window.pieces[t->to].item,
	                            from->view, v, &e->trial.mine);
	const size_t m = trial_pick(e, &e->trial.trial_items, 0, e->trial.trial_items.n, from->view,
	                            v, &e->trial.other);
	size_t head = 0, tail = 0;

	while (head < n && head < m && same_item(e, e->trial.mine.v[head], e->trial.other.v[head]))
		head++;
	while (!open && tail < n - head && tail < m - head &&
	       same_item(e, e->trial.mine.v[n - 1 - tail], e->trial.other.v[m - 1 - tail]))
		tail++;
	e->trial.differ_head = head;
	e->trial.differ_tail = tail;
	e->trial.differs = head != n || head != m;
	return e->trial.differs;
}

/* Both fit: the items that differ are in dispute. */
static void mark_dispute(struct hs_code_search *e, const struct trial *t, bool open)
{
	const size_t head = e->trial.differ_head, tail = e->trial.differ_tail;
	const size_t n = e->trial.mine.n, m = e->trial.other.n;
	struct view *v = t->guess.view;

	for (size_t i = head; i < n - tail; i++)
		if (n != m || open || !same_item(e, e->trial.mine.v[i], e->trial.other.v[i]))
			e->items.flags[e->trial.mine.v[i]] |= ITEM_DISPUTED;
	if (head == n - tail && tail) /* only the trial has items here */
		e->items.flags[e->trial.mine.v[head]] |= ITEM_GAP;
	if (v->doubt < e->window.pieces[t->to].in)
		v->doubt = e->window.pieces[t->to].in;
	if (open) {
		v->doubt_until_sync = true;
		v->doubt_from = e->window.pieces[t->to].in;
	}
	e->disputes[t->guess.moves[0].site]++;
	e->report.disputes++;
}

/* Too many trials: all from the use on is in dispute, up to the next full address. */
static void give_up(struct hs_code_search *e, const struct use *u)
{
	struct view *v = u->view, *at = e->window.pieces[u->piece].view;
	const uint64_t from = e->window.pieces[u->piece].in + e->window.pieces[u->piece].bytes;
	size_t p = u->piece;
	bool synced = false;

	v->left_out = u->block;
	for (size_t i = e->window.pieces[p].item; i < e->items.n && !synced; i++) {
		while (p < e->window.piece_count && e->window.pieces[p + 1].item <= i)
			p++;
		synced = stand_of(&e->window.pieces[p], v)->place.offset > from;
		if (e->items.v[i].kind == HS_KIND_HART)
			at = view_find(e, e->items.v[i].arg);
		if (synced || i < u->item || (at ? at : view_find(e, 0)) != v)
			continue;
		e->items.flags[i] |= ITEM_DISPUTED;
		v->left_out += e->items.v[i].kind == HS_KIND_BLOCK;
	}
	if (v->doubt < e->window.pieces[p].in)
		v->doubt = e->window.pieces[p].in;
	if (!synced) {
		v->doubt_until_sync = true;
		v->doubt_from = from;
	}
	e->disputes[u->site]++;
	e->report.disputes++;
}

/* ---- trials of a use ------------------------------------------------------------------- */

/* Did the view make moves at @block or later? */
static bool moves_later(const struct view *v, uint64_t block)
{
	return v->kept.n && v->kept.v[v->kept.n - 1].block >= block;
}

static bool stop_at_fit(struct hs_code_search *e, struct trial *t, enum outcome found)
{
	(void)t;
	(void)found;
	e->trial.rival = true;
	return true;
}

static bool dispute_fit(struct hs_code_search *e, struct trial *t, enum outcome found)
{
	if (find_difference(e, t, found == OPEN))
		mark_dispute(e, t, found == OPEN);
	return found == OPEN;
}

/* Try a move: first with the later moves of the window, if there are any, then without.  True:
 * stopped. */
static bool compare_with(struct hs_code_search *e, const struct use *u, const struct move *m,
                         trial_leaf *leaf)
{
	struct trial t = { .guess = { .view = u->view, .count = 1 }, .merge_from = u->piece + 1u };

	t.guess.moves[0] = *m;
	t.from = trial_start(e, u->view, m->block, u->piece);
	t.limit = trial_limit(e, e->window.pieces[u->piece].in, AHEAD);
	t.keep = moves_later(u->view, u->block);
	if (trial_explore(e, &t, leaf))
		return true;
	if (!t.keep)
		return false;
	t.keep = false;
	return trial_explore(e, &t, leaf);
}

/* Could the use have had version @to?  @leaf gets the trials that fit. */
static void compare(struct hs_code_search *e, const struct use *u, unsigned to, trial_leaf *leaf)
{
	struct move m = trial_move(e, u, to);
	const uint64_t early = trial_early_block(e, u->view, &m, u->piece);

	e->trial.budget = TRIES_TO_JUDGE;
	e->trial.incomplete = false;
	if (compare_with(e, u, &m, leaf) || early == m.block)
		return;
	m.block = early;
	compare_with(e, u, &m, leaf);
}

/* ---- proofs ---------------------------------------------------------------------------- */

/* The last full address of a view before a piece, in bytes of trace; 0: none. */
static uint64_t synced_before(const struct hs_code_search *e, const struct view *v, size_t piece)
{
	return stand_of(&e->window.pieces[piece], v)->place.offset;
}

/* A use of the same site and version, later than the first full address after @u's piece: it does
 * not depend on @u.  The first such use, if enough trace follows to try it; NULL: there is none. */
static const struct use *use_after_sync(const struct hs_code_search *e, const struct use *u)
{
	const uint64_t end = e->window.pieces[u->piece].in + e->window.pieces[u->piece].bytes;
	const struct use *found = NULL;
	uint64_t synced = 0;

	for (size_t i = e->uses.n; i-- > 0 && e->uses.v[i].piece > u->piece;) {
		const struct use *o = &e->uses.v[i];

		if (o->view != u->view || o->site != u->site || o->version != u->version)
			continue;
		if (!e->ended && e->window.piece_count - o->piece <= AHEAD / PIECE / 2)
			continue;
		const uint64_t at = synced_before(e, o->view, o->piece);

		if (at <= end || (found && at < synced))
			break;
		if (e->window.pieces[o->piece].in <
		    at + LONGEST) /* perhaps on the way to that address */
			continue;
		synced = at;
		found = o;
	}
	return found;
}

/* Blocks that the view had retired before a byte of trace, at least. */
static uint64_t blocks_at(const struct hs_code_search *e, const struct view *v, uint64_t in)
{
	size_t p = e->window.piece_count;

	while (p > 0 && e->window.pieces[p].in > in)
		p--;
	return stand_of(&e->window.pieces[p], v)->blocks;
}

/* Does a later use prove that the site had not changed at @u?  Versions only increase: if none but
 * this version fits there, none but this fits here. */
static bool is_proven(struct hs_code_search *e, const struct use *u)
{
	uint64_t *proven = &u->view->proven[u->site];

	if (u->block < *proven)
		return true;
	const struct use *later = use_after_sync(e, u);

	if (!later || moves_later(u->view, u->block)) /* later uses may be wrong */
		return false;
	e->trial.rival = false;
	for (unsigned to = later->version + 1u; to < e->sites.items[later->site].count; to++)
		compare(e, later, to, stop_at_fit);
	if (e->trial.rival || e->trial.incomplete)
		return false;
	*proven = blocks_at(e, u->view, synced_before(e, u->view, later->piece));
	return u->block < *proven;
}

static void judge(struct hs_code_search *e, const struct use *u, unsigned *left)
{
	if (u->block < u->view->left_out && (e->items.flags[u->item] & ITEM_DISPUTED))
		return;
	if (is_proven(e, u))
		return;
	for (unsigned to = u->version + 1u; to < e->sites.items[u->site].count; to++) {
		e->trial.incomplete = *left == 0;
		*left -= *left != 0;
		if (!e->trial.incomplete)
			compare(e, u, to, dispute_fit);
		if (e->trial.incomplete)
			give_up(e, u);
	}
}

void decide_uses(struct hs_code_search *e, size_t piece)
{
	unsigned left = USES_TO_JUDGE;
	bool any = false;

	for (size_t i = e->window.pieces[piece].use; i < e->window.pieces[piece + 1].use; i++) {
		const struct use u = e->uses.v[i];

		if (u.view->doubt_until_sync)
			continue;
		if (!any)
			trial_begin(e);
		any = true;
		judge(e, &u, &left);
	}
	if (any)
		trial_end(e);
}
