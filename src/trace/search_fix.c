/* Code search: the trace contradicts the code, so some site had changed before
 * (search_private.h has the words).
 *
 * Example: the nop at 0x8020 was patched to a jump before block 950, and blocks 950 to 953 were
 * decoded through the nop.  The packet after block 953 reports an address that this way does not
 * reach: a contradiction.  Candidates are the uses of any site since the last full address, the
 * nearest first: blocks 953, 951, 950.  Each is tried with a later version; the first that fits
 * ENOUGH more bytes of trace (fewer at its end) is taken, here the move at block 950.
 *
 * The nearest guess that fits need not be the only one.  decide_uses() (search_judge.c) looks for
 * others before anything is given out.
 */
#include <stdlib.h>
#include <string.h>

#include "trace/search_private.h"

/* Most trials: */
#define TRIES_TO_FIX 1024u /* for a contradiction */
#define TRIES_OF_USE 128u  /* of these for one candidate */
#define TRIES_TO_AVOID 12u /* for an address without code: mostly the code is just missing */
#define ENOUGH 48u         /* bytes of trace after a contradiction that must fit */
#define USES_TO_FIX 128u   /* candidates for a contradiction */

/* The flow left for code that is in no image: mostly nothing is wrong. */
static bool leaves_code(enum hs_reason reason)
{
	return reason == HS_REASON_NO_CODE || reason == HS_REASON_RETURN_UNSEEN ||
	       reason == HS_REASON_STATE_UNSEEN || reason == HS_REASON_NO_CODE_AT_SYNC;
}

/* ---- candidates ------------------------------------------------------------------------ */

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
	const uint64_t synced = stand_of(p, v)->place.offset;

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

/* ---- trying them ----------------------------------------------------------------------- */

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

		t.guess.moves[0] = trial_move(e, u, to);
		t.from = trial_start(e, u->view, t.guess.moves[0].block, u->piece);
		t.limit = trial_limit(e, window_head(e)->in, ENOUGH);
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
	const uint64_t early = trial_early_block(e, u->view, first, u->piece);

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

/* ---- the result ------------------------------------------------------------------------ */

/* No guess fits: what was decoded since the last address is left out. */
static void suspect(struct hs_code_search *e, const struct view *v)
{
	uint64_t left = stand_of(window_head(e), v)->place.since;
	bool gap = false;

	trial_pick(e, &e->items, 0, e->items.n, e->window.pieces[0].view, v, &e->trial.mine);
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
