/* Trials: the same bytes of trace, decoded with other versions (search_private.h has the words).
 *
 * Example: block 950 used a site in version 0.  The trial for version 1 puts the decoder back to
 * the last piece that begins before block 949, plans the move there, and decodes until the trace
 * contradicts (REJECTED), until the decoder's state is the one that the window has at the start of
 * a later piece (MERGED), or up to the limit (OPEN).
 *
 * Invariant: between trial_begin() and trial_end() the window stays as it is, but for the flags of
 * its items; only decoder, views and e->trial change.
 */
#include <stdlib.h>
#include <string.h>

#include "trace/search_private.h"

/* Items after which a trial is no more followed: a message may stand for any number of branches. */
#define TRIAL_ITEMS ((size_t)1 << 20)

/* ---- the moves of a trial, and its items ----------------------------------------------- */

static uint64_t trace_end(const struct hs_code_search *e)
{
	return e->trace.byte_start + e->trace.byte_count;
}

uint64_t trial_limit(const struct hs_code_search *e, uint64_t in, uint64_t bytes)
{
	return trace_end(e) - in > bytes ? in + bytes : trace_end(e);
}

struct move trial_move(const struct hs_code_search *e, const struct use *u, unsigned to)
{
	struct move m = { .block = u->block, .site = u->site, .to = (uint8_t)to };

	for (size_t i = e->uses.n; i-- > 0 && e->uses.v[i].piece + 1u >= u->piece;)
		if (e->uses.v[i].view == u->view && e->uses.v[i].site == u->site &&
		    e->uses.v[i].block + 1 == u->block)
			return m;
	m.block -= m.block != 0;
	return m;
}

uint64_t trial_early_block(const struct hs_code_search *e, const struct view *v,
                           const struct move *m, size_t piece)
{
	const struct piece *p = &e->window.pieces[piece];
	uint64_t block = stand_of(p, v)->blocks;

	for (size_t i = p->use; i < e->uses.n; i++) {
		const struct use *o = &e->uses.v[i];

		if (o->view == v && o->site == m->site && o->block >= block && o->block < m->block)
			block = o->block + 1;
	}
	return block < m->block ? block : m->block;
}

size_t trial_pick(struct hs_code_search *e, struct items *items, size_t from, size_t to,
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

/* ---- going back ------------------------------------------------------------------ */

static bool is_closed(const struct piece *p, const struct stand *s)
{
	return p->fresh || !s->known || s->place.open == s->place.pc;
}

size_t trial_start(const struct hs_code_search *e, const struct view *v, uint64_t block,
                   size_t piece)
{
	for (size_t i = piece; i > 0; i--) {
		const struct piece *p = &e->window.pieces[i];
		const struct stand *s = &p->stands[v->index];

		if (v->index >= p->stand_room)
			continue;
		if (s->blocks < block || (s->blocks == block && is_closed(p, s)))
			return i;
	}
	return 0;
}

void trial_begin(struct hs_code_search *e)
{
	for (struct view *v = e->views; v; v = v->next_view) {
		e->no_memory |= !moves_copy(&v->kept, &v->done);
		for (size_t i = v->planned; i < v->plan.n; i++)
			e->no_memory |= !moves_add(&v->kept, &v->plan.v[i]);
	}
}

/* What happened after the piece happens again; for the view of the guess, after its first move,
 * only if @keep. */
static void plan_view(struct hs_code_search *e, struct view *v, const struct piece *p,
                      const struct guess *g, bool keep)
{
	const uint64_t from = stand_of(p, v)->blocks;
	const uint64_t to = v == g->view && !keep ? g->moves[0].block : UINT64_MAX - 1;

	view_go_back(e, v, from);
	for (size_t i = v->done.n; i < v->kept.n; i++)
		if (v->kept.v[i].block <= to)
			e->no_memory |= !view_plan(v, &v->kept.v[i]);
	for (unsigned i = 0; v == g->view && i < g->count; i++)
		e->no_memory |= !view_plan(v, &g->moves[i]);
}

static void go_back(struct hs_code_search *e, size_t piece, const struct guess *g, bool keep)
{
	const struct piece *p = &e->window.pieces[piece];

	machine_restore(e->decoder, p->state);
	for (struct view *v = e->views; v; v = v->next_view)
		plan_view(e, v, p, g, keep);
}

static void arm_all(struct hs_code_search *e)
{
	for (struct view *v = e->views; v; v = v->next_view)
		view_arm(e, v);
}

void trial_end(struct hs_code_search *e)
{
	const struct piece *head = window_head(e);

	for (struct view *v = e->views; v; v = v->next_view) {
		view_go_back(e, v, UINT64_MAX);
		for (size_t i = v->done.n; i < v->kept.n; i++)
			e->no_memory |= !view_plan(v, &v->kept.v[i]);
		v->blocks = stand_of(head, v)->blocks;
	}
	machine_restore(e->decoder, head->state);
	arm_all(e);
}

void trial_adopt(struct hs_code_search *e, const struct trial *t)
{
	window_cut(e, t->from);
	go_back(e, t->from, &t->guess, false);
}

/* ---- one run --------------------------------------------------------------------- */

bool trial_contradicts(enum hs_reason reason)
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

/* Do the moves concern what retired and is in no block yet? */
static bool is_open_at(const struct hs_code_search *e, const struct guess *g)
{
	struct hs_code_place at;

	if (!decoder_place(e->decoder, g->view->src, &at))
		return false;
	for (unsigned i = 0; i < g->count; i++) {
		const struct site *s = &e->sites.items[g->moves[i].site];

		if (s->start < at.pc && at.open < s->start + s->size)
			return true;
	}
	return false;
}

static bool has_merged(const struct hs_code_search *e, const struct trial *t, size_t piece)
{
	const struct guess *g = &t->guess;

	return piece >= t->merge_from && piece <= e->window.piece_count &&
	       g->view->blocks > g->moves[g->count - 1].block &&
	       decoder_stands(e->decoder, e->window.pieces[piece].state, g->view->src) &&
	       !is_open_at(e, g);
}

/* The error that the window has there, too: a loss, or code that no version has. */
static bool is_common(const struct hs_code_search *e, size_t piece, uint64_t end,
                      enum hs_reason reason)
{
	const struct piece *p = &e->window.pieces[piece];

	return piece < e->window.piece_count && p->settled && p->fault.reason == reason &&
	       p->in + p->bytes == end;
}

/* Where a run is. */
struct position {
	size_t piece; /* of the window, or its head */
	uint64_t in, lost_at;
};

/* Bytes up to the next start of a piece. */
static size_t next_bytes(const struct hs_code_search *e, const struct trial *t,
                         const struct position *at)
{
	const struct piece *p = &e->window.pieces[at->piece];
	size_t n = window_piece_size(e, at->in);

	if (at->piece < e->window.piece_count && p->in == at->in)
		return p->bytes;
	if (p->in > at->in && n > p->in - at->in)
		n = (size_t)(p->in - at->in);
	return n > t->limit - at->in ? (size_t)(t->limit - at->in) : n;
}

/* Skip pieces that were decoded, those of an error without bytes too. */
static void skip_pieces(const struct hs_code_search *e, struct position *at)
{
	while (at->piece < e->window.piece_count && (e->window.pieces[at->piece].in < at->in ||
	                                             (e->window.pieces[at->piece].in == at->in &&
	                                              e->window.pieces[at->piece].bytes == 0)))
		at->piece++;
}

/* Decode some bytes.  REJECTED: the trace contradicts.  OPEN: so far it does not. */
static enum outcome step(struct hs_code_search *e, struct trial *t, struct position *at)
{
	struct items *items = &e->trial.trial_items;
	const size_t from = items->n;
	struct hs_fault fault;
	size_t taken;

	if (window_is_lost(e, at->in) && at->lost_at != at->in)
		decoder_lose(e->decoder);
	if (window_is_lost(e, at->in))
		at->lost_at = at->in;
	arm_all(e);
	const enum hs_status status = window_feed(e, items, at->in, next_bytes(e, t, at), &taken);

	e->report.tries++;
	window_note_uses(e, items, &e->trial.trial_uses, from, (uint32_t)at->piece);
	at->in += taken;
	if (status != HS_OK && status != HS_FULL) {
		hs_decoder_diag(e->decoder, status, &fault);
		if (trial_contradicts(fault.reason) &&
		    !is_common(e, at->piece, at->in, fault.reason))
			return REJECTED;
	}
	skip_pieces(e, at);
	return status == HS_OK && e->window.pieces[at->piece].in == at->in &&
	                       has_merged(e, t, at->piece)
	               ? MERGED
	               : OPEN;
}

/* Decode from piece t->from on. */
enum outcome trial_run(struct hs_code_search *e, struct trial *t)
{
	const struct piece *p = &e->window.pieces[t->from];
	struct position at = { t->from, p->in,
		               t->from && p[-1].lost && p[-1].in == p->in ? p->in : UINT64_MAX };
	enum outcome found = OPEN;

	go_back(e, t->from, &t->guess, t->keep);
	e->trial.trial_items.n = e->trial.trial_uses.n = 0;
	e->trial.trial_items.view = p->view;
	while (found == OPEN && at.in < t->limit && e->trial.trial_items.n < TRIAL_ITEMS)
		found = step(e, t, &at);
	t->to = found == MERGED ? at.piece : e->window.piece_count;
	return found;
}

/* ---- all ways -------------------------------------------------------------------- */

static bool explore_from(struct hs_code_search *e, const struct trial *t, const struct use *u,
                         trial_leaf *leaf)
{
	bool done = false;

	for (unsigned to = u->version + 1u; to < e->sites.items[u->site].count && !done; to++) {
		struct trial more = *t;

		more.guess.moves[more.guess.count++] =
			(struct move){ .block = u->block, .site = u->site, .to = (uint8_t)to };
		done = trial_explore(e, &more, leaf);
	}
	return done;
}

/* Uses of the trial after its last move. */
static size_t copy_uses(struct hs_code_search *e, const struct guess *g, struct use **out)
{
	const struct move *last = &g->moves[g->count - 1];
	size_t n = 0;

	*out = malloc((e->trial.trial_uses.n + 1) * sizeof(**out));
	e->no_memory |= !*out;
	for (size_t i = 0; *out && i < e->trial.trial_uses.n; i++) {
		const struct use *u = &e->trial.trial_uses.v[i];

		if (u->view == g->view &&
		    (u->block > last->block || (u->block == last->block && u->site != last->site)))
			(*out)[n++] = *u;
	}
	return n;
}

bool trial_explore(struct hs_code_search *e, struct trial *t, trial_leaf *leaf)
{
	struct use *uses;

	if (e->trial.budget == 0 || e->no_memory) {
		e->trial.incomplete = true;
		return true;
	}
	e->trial.budget--;
	const enum outcome found = trial_run(e, t);
	size_t n = copy_uses(e, &t->guess, &uses);
	bool done = found != REJECTED && leaf(e, t, found);

	if (found == MERGED && !e->trial.differs) /* its other uses are compared by themselves */
		n = 0;
	if (n && t->guess.count == MOVES)
		e->trial.incomplete = done = true;
	for (size_t i = n; i-- > 0 && !done;)
		done = explore_from(e, t, &uses[i], leaf);
	free(uses);
	return done;
}
