/* Deciding which versions ran (search_private.h has the words): fixing contradictions, and judging
 * uses.
 *
 * Fixing, decide_fix(): the trace contradicts the nop of a site some packets after it was patched.
 * The last uses of any site since the last full address are candidates, the nearest first.  Each is
 * tried with a later version; the first guess that fits for ENOUGH bytes is taken (fewer at the end
 * of the trace).
 *
 * Judging, decide_uses(): the site may have been patched earlier, where nop and jump lead to the
 * same packets.  So each use is tried with later versions.  If one of these guesses fits for AHEAD
 * bytes with other blocks, the blocks that differ are in dispute.  No trial is needed where a later
 * use that does not depend on this one shows that the site still had its version (is_proven()).
 *
 * Trials are limited by budgets.  What they do not reach is in dispute, too (give_up()).
 */
#include <stdlib.h>
#include <string.h>

#include "trace/search_private.h"

/* Most trials: */
#define TRIES_TO_FIX 1024u  /* for a contradiction */
#define TRIES_OF_USE 128u   /* of these for one candidate */
#define TRIES_TO_AVOID 12u  /* for an address without code: mostly the code is just missing */
#define TRIES_TO_JUDGE 256u /* for each later version of a use */
#define ENOUGH 48u          /* bytes of trace after a contradiction that must fit */
#define USES_TO_FIX 128u    /* candidates for a contradiction */
#define USES_TO_JUDGE 1024u /* of a piece: a message may stand for many */
#define LONGEST 64u         /* bytes that a message or packet has at most */

bool decide_contradicts(enum hs_reason reason)
{
	switch (reason) {
	case HS_REASON_NONE:
	case HS_REASON_FRAMING:
	case HS_REASON_LONG:
	case HS_REASON_FIELD:
	case HS_REASON_TRUNCATED:
	case HS_REASON_SOURCES:
	case HS_REASON_LOST:
	case HS_REASON_OVERRUN:
	case HS_REASON_INPUT_LOST:
	case HS_REASON_HIST_NO_STOP:
	case HS_REASON_NO_REPEAT:
	case HS_REASON_NO_HANDLER:
	case HS_REASON_WIDE_CAUSE:
	case HS_REASON_INTERNAL:
		return false;
	default:
		return true;
	}
}

/* The flow left for code that is in no image: mostly nothing is wrong. */
static bool leaves_code(enum hs_reason reason)
{
	return reason == HS_REASON_NO_CODE || reason == HS_REASON_RETURN_UNSEEN ||
	       reason == HS_REASON_STATE_UNSEEN || reason == HS_REASON_NO_CODE_AT_SYNC;
}

static uint64_t trace_end(const struct hs_code_search *e)
{
	return e->trace.byte_start + e->trace.byte_count;
}

static uint64_t limit_after(const struct hs_code_search *e, uint64_t in, uint64_t bytes)
{
	return trace_end(e) - in > bytes ? in + bytes : trace_end(e);
}

/* The move that makes a use have version @to.  It is made one block before the use, unless that
 * block used the site as well: decoders look at code ahead of the flow, such as whether a branch is
 * at the address that a packet names. */
static struct move move_for(const struct hs_code_search *e, const struct use *u, unsigned to)
{
	struct move m = { .block = u->block, .site = u->site, .to = (uint8_t)to };

	for (size_t i = e->uses.n; i-- > 0 && e->uses.v[i].piece + 1u >= u->piece;)
		if (e->uses.v[i].view == u->view && e->uses.v[i].site == u->site &&
		    e->uses.v[i].block + 1 == u->block)
			return m;
	m.block -= m.block != 0;
	return m;
}

/* The earliest block at which the move can be made: after the site's use before it, and not before
 * the piece.  That can lead elsewhere, because code at a packet's address decides whether a return
 * on the way failed (ET Format 2 irreport). */
static uint64_t early_block(const struct hs_code_search *e, const struct view *v,
                            const struct move *m, size_t piece)
{
	const struct piece *p = &e->window.pieces[piece];
	uint64_t block = v->index < p->stand_room ? p->stands[v->index].blocks : 0;

	for (size_t i = p->use; i < e->uses.n; i++) {
		const struct use *o = &e->uses.v[i];

		if (o->view == v && o->site == m->site && o->block >= block && o->block < m->block)
			block = o->block + 1;
	}
	return block < m->block ? block : m->block;
}

/* ---- fixing ---------------------------------------------------------------------- */

/* The view that the last gap of the last piece belongs to; NULL: there is none. */
static struct view *view_at_fault(const struct hs_code_search *e)
{
	const struct piece *p = window_head(e) - 1;
	struct view *v = p->view, *found = NULL;

	for (size_t i = p->item; i < e->items.n; i++) {
		if (e->items.v[i].kind == HS_KIND_HART)
			v = view_find(e, e->items.v[i].arg);
		if (e->items.v[i].kind == HS_KIND_GAP)
			found = v ? v : view_find(e, 0);
	}
	return found;
}

static bool has_use(const struct uses *list, const struct use *u)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->v[i].site == u->site && list->v[i].block == u->block)
			return true;
	return false;
}

static bool has_site(const struct uses *list, uint32_t site)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->v[i].site == site)
			return true;
	return false;
}

static void add_candidate(struct hs_code_search *e, struct uses *list, const struct use *u)
{
	if (has_use(list, u))
		return;
	list->v = search_grow(e, list->v, &list->room, list->n + 1, sizeof(*list->v));
	if (list->n < list->room)
		list->v[list->n++] = *u;
}

/* Sites in what the walk was about to retire: the contradiction may be inside it. */
static void add_next_sites(struct hs_code_search *e, struct view *v, struct uses *list)
{
	const struct piece *p = window_head(e) - 1;
	const struct sites *s = &e->sites;
	const uint64_t end = p->fault.pc + 2u * HS_BB_HWORDS;
	struct use u = { .view = v,
		         .block = v->blocks,
		         .item = e->items.n,
		         .piece = (uint32_t)(e->window.piece_count - 1) };

	for (size_t i = e->items.n; i-- > p->item;)
		if (e->items.v[i].kind == HS_KIND_BLOCK) {
			/* the last block was cut at the fault: the walk was still in it */
			u.block -= e->items.v[i].itype == HS_ITYPE_NONE &&
			           hs_block_end(&e->items.v[i]) == p->fault.pc;
			break;
		}
	for (size_t i = sites_after(s, p->fault.pc); i < s->count && s->items[i].start < end; i++) {
		u.site = (uint32_t)i;
		u.version = (uint8_t)view_version_at(v, u.site, u.block);
		if (u.version + 1 < s->items[i].count) /* also where only lengths differ */
			add_candidate(e, list, &u);
	}
}

/* The nearest use of each area (search_sites.h).  An area that changed contradicts the trace at
 * once, so that window_note_uses() leaves areas out. */
static void add_areas(struct hs_code_search *e, struct view *v, size_t first, struct uses *list)
{
	const struct sites *s = &e->sites;
	const struct piece *p = window_head(e) - 1;
	struct use u = { .view = v,
		         .block = v->blocks,
		         .piece = (uint32_t)(e->window.piece_count - 1) };

	if (e->view_count > 1) /* whose blocks these are is not looked for */
		return;
	for (size_t i = e->items.n; i-- > first;) {
		const struct hs_block *b = &e->items.v[i];

		while (p > e->window.pieces && p->item > i) {
			p--;
			u.piece--;
		}
		if (b->kind != HS_KIND_BLOCK)
			continue;
		u.block--;
		u.item = i;
		const size_t k = sites_after(s, b->iaddr);

		if (k == s->count || s->items[k].start >= hs_block_end(b) || !s->items[k].area)
			continue;
		u.site = (uint32_t)k;
		u.version = (uint8_t)view_version_at(v, u.site, u.block);
		if (u.version + 1 < s->items[k].count && !has_site(list, u.site))
			add_candidate(e, list, &u);
	}
}

/* The candidates: uses since the last full address, the nearest first. */
static void find_candidates(struct hs_code_search *e, struct view *v, struct uses *list)
{
	const struct piece *p = window_head(e) - 1;
	const uint64_t synced = v->index < p->stand_room ? p->stands[v->index].place.offset : 0;

	list->n = 0;
	add_next_sites(e, v, list);
	for (size_t i = e->uses.n; i-- > 0 && list->n < USES_TO_FIX;) {
		const struct use *u = &e->uses.v[i];
		const struct piece *of = &e->window.pieces[u->piece];

		if (of->in + of->bytes < synced)
			break;
		if (u->view == v && u->piece >= e->window.given)
			add_candidate(e, list, u);
	}
	size_t first = e->window.given;

	while (e->window.pieces + first < p &&
	       e->window.pieces[first].in + e->window.pieces[first].bytes < synced)
		first++;
	add_areas(e, v, e->window.pieces[first].item, list);
}

static bool take_fit(struct hs_code_search *e, struct trial *t, enum outcome found)
{
	if (found != OPEN)
		return false;
	*e->trial.fit = *t;
	return true;
}

/* Does the trace fit if the site changed here?  *fit: the trial, with at least one move. */
static bool try_use(struct hs_code_search *e, const struct use *u, struct trial *fit)
{
	fit->guess.count = 0;
	e->trial.fit = fit;
	for (unsigned to = u->version + 1u;
	     to < e->sites.items[u->site].count && fit->guess.count == 0; to++) {
		struct trial t = { .guess = { .view = u->view, .count = 1 },
			           .merge_from = SIZE_MAX };

		t.guess.moves[0] = move_for(e, u, to);
		t.from = trial_start(e, u->view, t.guess.moves[0].block, u->piece);
		t.limit = limit_after(e, window_head(e)->in, ENOUGH);
		e->trial.budget = e->trial.budget < TRIES_OF_USE ? e->trial.budget : TRIES_OF_USE;
		trial_explore(e, &t, take_fit);
	}
	return fit->guess.count != 0;
}

/* Drop moves without which the trace fits as well: decide_uses() compares them later. */
static void reduce(struct hs_code_search *e, struct trial *fit)
{
	for (unsigned i = fit->guess.count; i-- > 0 && fit->guess.count > 1;) {
		struct trial t = *fit;
		struct guess *g = &t.guess;

		memmove(&g->moves[i], &g->moves[i + 1], (--g->count - i) * sizeof(*g->moves));
		if (trial_run(e, &t) == OPEN)
			*fit = t;
	}
}

/* Does a trial fit with other items than those of the last one? */
static bool fits_otherwise(struct hs_code_search *e, struct trial *t)
{
	const size_t n = e->trial.trial_items.n, size = n * sizeof(struct hs_block);
	struct hs_block *before = malloc(size + 1);

	e->no_memory |= !before;
	if (!before)
		return false;
	memcpy(before, e->trial.trial_items.v, size);
	const bool other =
		trial_run(e, t) != REJECTED &&
		(e->trial.trial_items.n != n || memcmp(before, e->trial.trial_items.v, size) != 0);

	free(before);
	return other;
}

/* Does the trace also fit, with other items, if the site changes earlier than in @fit? */
static bool fits_earlier(struct hs_code_search *e, const struct use *u, const struct trial *fit)
{
	struct trial t = *fit;
	struct move *first = &t.guess.moves[0];
	const uint64_t early = early_block(e, u->view, first, u->piece);

	if (early == first->block)
		return false;
	t.from = trial_start(e, u->view, early, u->piece);
	trial_run(e, &t);
	first->block = early;
	return fits_otherwise(e, &t);
}

/* Try the candidates.  The nearest one that fits is taken; decide_uses() compares the others. */
static bool try_all(struct hs_code_search *e, const struct uses *list, unsigned tries,
                    struct trial *fit)
{
	e->trial.incomplete = false;
	for (size_t i = 0; i < list->n && tries; i++) {
		e->trial.budget = tries;
		if (try_use(e, &list->v[i], fit)) {
			reduce(e, fit);
			e->trial.rival = fits_earlier(e, &list->v[i], fit);
			return true;
		}
		tries -= TRIES_OF_USE < tries ? TRIES_OF_USE - e->trial.budget
		                              : tries - e->trial.budget;
	}
	return false;
}

/* The items of a view, by their place in @items. */
static size_t pick(struct hs_code_search *e, struct items *items, size_t from, size_t to,
                   struct view *at, const struct view *v, struct picks *out)
{
	out->n = 0;
	for (size_t i = from; i < to; i++) {
		if (items->v[i].kind == HS_KIND_HART)
			at = view_find(e, items->v[i].arg);
		if (items->v[i].kind == HS_KIND_HART || (at ? at : view_find(e, 0)) != v)
			continue;
		out->v = search_grow(e, out->v, &out->room, out->n + 1, sizeof(*out->v));
		if (out->n < out->room)
			out->v[out->n++] = i;
	}
	return out->n;
}

/* No guess fits: what was decoded since the last address is left out. */
static void suspect(struct hs_code_search *e, const struct view *v)
{
	const struct piece *head = window_head(e);
	uint64_t left = v->index < head->stand_room ? head->stands[v->index].place.since : 0;
	bool gap = false;

	pick(e, &e->items, 0, e->items.n, e->window.pieces[0].view, v, &e->trial.mine);
	for (size_t k = e->trial.mine.n; k-- > 0 && (left || !gap);) {
		const struct hs_block *b = &e->items.v[e->trial.mine.v[k]];

		if (!gap) {
			gap = b->kind == HS_KIND_GAP;
			continue;
		}
		e->items.flags[e->trial.mine.v[k]] |= ITEM_SUSPECT;
		left -= b->kind == HS_KIND_BLOCK;
	}
}

/* Two guesses fit the contradiction: which one is not known, up to the next full address after
 * it. */
static void doubt_flow(struct hs_code_search *e, struct view *v, const struct trial *t)
{
	v->doubt_until_sync = true;
	v->doubt_from = t->limit;
	e->disputes[t->guess.moves[0].site]++;
	e->report.disputes++;
}

bool decide_fix(struct hs_code_search *e)
{
	const struct piece *p = window_head(e) - 1;
	struct view *v = view_at_fault(e);
	const bool leaves = leaves_code(p->fault.reason);
	struct trial t;

	if (!v)
		return false;
	find_candidates(e, v, &e->trial.candidates);
	trial_begin(e);
	if (try_all(e, &e->trial.candidates, leaves ? TRIES_TO_AVOID : TRIES_TO_FIX, &t)) {
		trial_adopt(e, &t);
		if (e->trial.rival)
			doubt_flow(e, v, &t);
		return true;
	}
	trial_end(e);
	if (leaves)
		return false;
	e->report.unsolved++;
	suspect(e, v);
	return false;
}

/* ---- judging --------------------------------------------------------------------- */

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
	const size_t n = pick(e, &e->items, from->item, e->window.pieces[t->to].item, from->view, v,
	                      &e->trial.mine);
	const size_t m = pick(e, &e->trial.trial_items, 0, e->trial.trial_items.n, from->view, v,
	                      &e->trial.other);
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
		synced = v->index < e->window.pieces[p].stand_room &&
		         e->window.pieces[p].stands[v->index].place.offset > from;
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
	t.limit = limit_after(e, e->window.pieces[u->piece].in, AHEAD);
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
	struct move m = move_for(e, u, to);
	const uint64_t early = early_block(e, u->view, &m, u->piece);

	e->trial.budget = TRIES_TO_JUDGE;
	e->trial.incomplete = false;
	if (compare_with(e, u, &m, leaf) || early == m.block)
		return;
	m.block = early;
	compare_with(e, u, &m, leaf);
}

/* The last full address of a view before a piece, in bytes of trace; 0: none. */
static uint64_t synced_before(const struct hs_code_search *e, const struct view *v, size_t piece)
{
	const struct piece *p = &e->window.pieces[piece];

	return v->index < p->stand_room ? p->stands[v->index].place.offset : 0;
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
	return v->index < e->window.pieces[p].stand_room
	               ? e->window.pieces[p].stands[v->index].blocks
	               : 0;
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
