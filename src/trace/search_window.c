/* Code search: the window, pieces of trace that were decoded (search_private.h has the words).
 *
 *   pieces[0] ...            given out; at least KEPT of them stay, so that trials can begin there
 *   pieces[given] ...        decoded and not given out: later trace may still change their code
 *   pieces[piece_count]      the head, without bytes: where the decoder stands now
 *
 * Example: 300 bytes of trace without a loss are pieces of 128, 128 and 44 bytes at 0, 128 and 256,
 * and the head at 300.  window_cut(e, 1) makes the piece at 128 the head, and forgets the items and
 * uses of all after byte 128; window_trim() forgets what is before the first piece that is kept.
 *
 * Invariants: each piece begins where the one before it ends, in trace, items and uses, and its
 * state is that of the decoder before its first byte.
 */
#include <stdlib.h>
#include <string.h>

#include "trace/search_private.h"

#define ROOM ((size_t)4096) /* items that a call of the decoder may give */

void *search_grow(struct hs_code_search *e, void *array, size_t *room, size_t need, size_t item)
{
	size_t more = *room ? *room : 64;

	if (need <= *room)
		return array;
	while (more < need)
		more *= 2;
	void *bigger = reallocarray(array, more, item);

	if (!bigger) {
		e->no_memory = true;
		return array;
	}
	*room = more;
	return bigger;
}

static bool make_room(struct hs_code_search *e, struct items *items, size_t need)
{
	items->v = search_grow(e, items->v, &items->room, need, sizeof(*items->v));
	items->flags = search_grow(e, items->flags, &items->flag_room, need, 1);
	return need <= items->room && need <= items->flag_room;
}

bool items_put(struct hs_code_search *e, struct items *items, const struct hs_block *b,
               uint8_t flags)
{
	if (!make_room(e, items, items->n + 1))
		return false;
	items->v[items->n] = *b;
	items->flags[items->n++] = flags;
	return true;
}

/* ---- decoding -------------------------------------------------------------------- */

bool window_is_lost(const struct hs_code_search *e, uint64_t in)
{
	for (unsigned i = 0; i < e->trace.loss_count; i++)
		if (e->trace.losses[i] == in)
			return true;
	return false;
}

size_t window_piece_size(const struct hs_code_search *e, uint64_t in)
{
	const uint64_t left = e->trace.byte_start + e->trace.byte_count - in;
	size_t n = left < PIECE ? (size_t)left : PIECE;

	for (unsigned i = 0; i < e->trace.loss_count; i++)
		if (e->trace.losses[i] > in && e->trace.losses[i] - in < n)
			n = (size_t)(e->trace.losses[i] - in);
	return n;
}

enum hs_status window_feed(struct hs_code_search *e, struct items *items, uint64_t in, size_t n,
                           size_t *taken)
{
	struct hs_span span = { e->trace.bytes + (in - e->trace.byte_start), n };
	const size_t from = items->n;
	enum hs_status status = HS_FULL;

	while (status == HS_FULL && items->n - from < ITEMS_MAX) {
		size_t got = 0;

		if (!make_room(e, items, items->n + ROOM))
			return HS_E_MEMORY;
		status = hs_decode(e->decoder, &span, items->v + items->n, ROOM, &got);
		memset(items->flags + items->n, 0, got);
		items->n += got;
	}
	*taken = n - span.n;
	return status == HS_MORE ? HS_OK : status;
}

/* ---- which sites were executed --------------------------------------------------- */

static void add_use(struct hs_code_search *e, struct uses *uses, const struct use *u)
{
	uses->v = search_grow(e, uses->v, &uses->room, uses->n + 1, sizeof(*uses->v));
	if (uses->n < uses->room)
		uses->v[uses->n++] = *u;
}

static void note_block(struct hs_code_search *e, struct uses *uses, struct use *u,
                       const struct hs_block *b)
{
	const struct sites *s = &e->sites;
	const uint64_t end = hs_block_end(b);

	for (size_t i = sites_after(s, b->iaddr); i < s->count && s->items[i].start < end; i++) {
		u->site = (uint32_t)i;
		u->version = (uint8_t)view_version_at(u->view, u->site, u->block);
		if (s->items[i].decides && !s->items[i].area && u->version + 1 < s->items[i].count)
			add_use(e, uses, u);
	}
}

void window_note_uses(struct hs_code_search *e, struct items *items, struct uses *uses, size_t from,
                      uint32_t piece)
{
	for (size_t i = from; i < items->n; i++) {
		const struct hs_block *b = &items->v[i];

		if (b->kind == HS_KIND_HART)
			items->view = view_find(e, b->arg);
		else if (!items->view)
			items->view = view_find(e, 0);
		if (b->kind != HS_KIND_BLOCK || !items->view)
			continue;
		if (b->iretire && sites_may_touch(&e->sites, b->iaddr, hs_block_end(b)))
			note_block(e, uses,
			           &(struct use){ .view = items->view,
			                          .item = i,
			                          .block = items->view->blocks,
			                          .piece = piece },
			           b);
		items->view->blocks++;
	}
}

/* ---- pieces ---------------------------------------------------------------------- */

static bool save_stands(struct hs_code_search *e, struct piece *p)
{
	p->stands = search_grow(e, p->stands, &p->stand_room, e->view_count, sizeof(*p->stands));
	if (p->stand_room < e->view_count)
		return false;
	if (p->stand_room)
		memset(p->stands, 0, p->stand_room * sizeof(*p->stands));
	for (const struct view *v = e->views; v; v = v->next_view) {
		struct stand *s = &p->stands[v->index];

		s->known = decoder_place(e->decoder, v->src, &s->place);
		s->blocks = v->blocks;
	}
	return true;
}

/* Make room for the head. */
static bool grow_pieces(struct hs_code_search *e)
{
	const size_t had = e->window.piece_room;

	e->window.pieces = search_grow(e, e->window.pieces, &e->window.piece_room,
	                               e->window.piece_count + 1, sizeof(*e->window.pieces));
	if (e->window.piece_room <= e->window.piece_count)
		return false;
	memset(e->window.pieces + had, 0, (e->window.piece_room - had) * sizeof(*e->window.pieces));
	return true;
}

bool window_save_head(struct hs_code_search *e)
{
	const size_t need = machine_size(e->decoder);

	if (!grow_pieces(e))
		return false;
	struct piece *p = window_head(e), *before = e->window.piece_count ? p - 1 : NULL;

	p->state = search_grow(e, p->state, &p->state_room, need, 1);
	if (p->state_room < need || !save_stands(e, p))
		return false;
	machine_save(e->decoder, p->state);
	p->in = before ? before->in + before->bytes : e->trace.byte_start;
	p->bytes = 0;
	p->item = e->items.n;
	p->use = e->uses.n;
	p->view = e->items.view;
	p->fresh = !before || before->status != HS_OK;
	p->lost = p->settled = p->more = false;
	p->status = HS_OK;
	return true;
}

void window_cut(struct hs_code_search *e, size_t piece)
{
	struct piece *head = &e->window.pieces[piece];

	e->window.piece_count = piece;
	e->items.n = head->item;
	e->uses.n = head->use;
	e->items.view = head->view;
	head->bytes = 0;
	head->status = HS_OK;
	head->settled = false;
}

/* ---- forgetting ------------------------------------------------------------------ */

/* The room of the first @n pieces goes to the end. */
static void rotate(struct hs_code_search *e, size_t n)
{
	struct piece *first = malloc(n * sizeof(*first));

	if (!first) {
		e->no_memory = true;
		return;
	}
	memcpy(first, e->window.pieces, n * sizeof(*first));
	memmove(e->window.pieces, e->window.pieces + n,
	        (e->window.piece_room - n) * sizeof(*first));
	memcpy(e->window.pieces + e->window.piece_room - n, first, n * sizeof(*first));
	free(first);
}

static void drop_losses(struct hs_code_search *e)
{
	unsigned n = 0;

	for (unsigned i = 0; i < e->trace.loss_count; i++)
		if (e->trace.losses[i] >= e->trace.byte_start)
			e->trace.losses[n++] = e->trace.losses[i];
	e->trace.loss_count = n;
}

/* Moves that no trial can unmake any more are not remembered. */
static void drop_moves(struct hs_code_search *e)
{
	for (struct view *v = e->views; v; v = v->next_view) {
		const uint64_t block = stand_of(&e->window.pieces[0], v)->blocks;
		size_t n = 0;

		while (n < v->done.n && v->done.v[n].block < block)
			n++;
		memmove(v->done.v, v->done.v + n, (v->done.n - n) * sizeof(*v->done.v));
		v->done.n -= n;
	}
}

static void drop_before(struct hs_code_search *e, size_t n)
{
	const struct piece *first = &e->window.pieces[n];
	const size_t items = first->item, uses = first->use;
	const size_t bytes = (size_t)(first->in - e->trace.byte_start);

	memmove(e->items.v, e->items.v + items, (e->items.n - items) * sizeof(*e->items.v));
	memmove(e->items.flags, e->items.flags + items, e->items.n - items);
	if (uses) /* else there may be none, and no room for one */
		memmove(e->uses.v, e->uses.v + uses, (e->uses.n - uses) * sizeof(*e->uses.v));
	memmove(e->trace.bytes, e->trace.bytes + bytes, e->trace.byte_count - bytes);
	e->items.n -= items;
	e->uses.n -= uses;
	e->trace.byte_count -= bytes;
	e->trace.byte_start += bytes;
	rotate(e, n);
	e->window.piece_count -= n;
	e->window.given -= n;
	e->window.given_items -= items;
	for (size_t i = 0; i <= e->window.piece_count; i++) {
		e->window.pieces[i].item -= items;
		e->window.pieces[i].use -= uses;
	}
	for (size_t i = 0; i < e->uses.n; i++) {
		e->uses.v[i].item -= items;
		e->uses.v[i].piece -= (uint32_t)n;
	}
}

void window_trim(struct hs_code_search *e)
{
	const size_t many = 256;

	if (e->window.given < many || e->no_memory)
		return;
	drop_before(e, e->window.given - KEPT);
	drop_losses(e);
	drop_moves(e);
}
