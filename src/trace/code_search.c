/* Decoding with several versions of the code: the window moves on, and is given out. */
#include <stdlib.h>
#include <string.h>

#include "core/config.h"
#include "trace/search_private.h"
#include "flow/flow.h"
#include "trace/trace.h"

#define CHANGE_MAX (1u << 16) /* bytes of a change that is reported */

/* ---- start and end --------------------------------------------------------------- */

static enum hs_status start(struct hs_code_search *e, const struct hs_code_search_options *o)
{
	enum hs_status status = sites_init(&e->sites, o->images, o->count);

	if (status == HS_OK)
		status = hs_decoder_new(&e->decoder, o->protocol, o->config, &e->sites.images[0],
		                        NULL);
	if (status != HS_OK)
		return status;
	e->disputes = calloc(e->sites.count + 1, sizeof(*e->disputes));
	if (!e->disputes)
		return HS_E_MEMORY;
	views_init(e);
	e->report.sites = e->sites.count;
	for (size_t i = 0; i < e->sites.count; i++)
		e->report.plain += !e->sites.items[i].decides;
	return window_save_head(e) ? HS_OK : HS_E_MEMORY;
}

enum hs_status hs_code_search_new(const struct hs_code_search_options *options,
                                  struct hs_code_search **out)
{
	struct hs_code_search_options o;

	if (base_take_config(&o, sizeof(o), options) != HS_OK || o.count == 0 ||
	    o.count > IMAGES_MAX)
		return HS_E_CONFIG;
	struct hs_code_search *e = calloc(1, sizeof(*e));

	if (!e)
		return HS_E_MEMORY;
	e->code.versions = o.versions;
	e->out.hart = e->out.at_hart = UINT32_MAX;
	const enum hs_status status = start(e, &o);

	if (status == HS_OK)
		*out = e;
	else
		hs_code_search_free(e);
	return status;
}

static void free_items(struct items *items)
{
	free(items->v);
	free(items->flags);
}

void hs_code_search_free(struct hs_code_search *e)
{
	if (!e)
		return;
	hs_decoder_free(e->decoder);
	views_free(e);
	sites_free(&e->sites);
	for (size_t i = 0; i < e->window.piece_room; i++) {
		free(e->window.pieces[i].state);
		free(e->window.pieces[i].stands);
	}
	free(e->window.pieces);
	free_items(&e->items);
	free_items(&e->trial.trial_items);
	free_items(&e->out.ready);
	free(e->uses.v);
	free(e->trial.trial_uses.v);
	free(e->trial.candidates.v);
	free(e->trial.mine.v);
	free(e->trial.other.v);
	free(e->trace.bytes);
	free(e->out.faults);
	free(e->code.changes);
	free(e->disputes);
	free(e);
}

/* ---- running ahead --------------------------------------------------------------- */

static uint64_t bytes_left(const struct hs_code_search *e)
{
	return e->trace.byte_start + e->trace.byte_count - window_head(e)->in;
}

/* Items of a view whose flow is in dispute: no trial says how it went. */
static void mark_doubt(struct hs_code_search *e, const struct piece *p)
{
	struct view *at = p->view;

	for (struct view *v = e->views; v; v = v->next_view)
		if (v->doubt_until_sync && stand_of(p, v)->place.offset > v->doubt_from)
			v->doubt_until_sync = false;
	for (size_t i = p->item; i < e->items.n; i++) {
		if (e->items.v[i].kind == HS_KIND_HART || !at)
			at = view_find(e,
			               e->items.v[i].kind == HS_KIND_HART ? e->items.v[i].arg : 0);
		if (at && (at->doubt_until_sync || p->in < at->doubt))
			e->items.flags[i] |= ITEM_DISPUTED;
	}
}

static bool in_doubt(const struct hs_code_search *e, uint64_t in)
{
	for (const struct view *v = e->views; v; v = v->next_view)
		if (v->doubt_until_sync || in < v->doubt)
			return true;
	return false;
}

/* The head was decoded: it is a piece, and the next one begins. */
static bool end_piece(struct hs_code_search *e, struct piece *p, enum hs_status status)
{
	p->more = status == HS_FULL;
	if (status != HS_OK && status != HS_FULL) {
		p->status = status;
		hs_decoder_diag(e->decoder, status, &p->fault);
	}
	window_note_uses(e, &e->items, &e->uses, p->item, (uint32_t)e->window.piece_count);
	if (in_doubt(e, p->in))
		mark_doubt(e, p);
	e->window.piece_count++;
	return window_save_head(e);
}

/* A piece ended with an error: is there a way round it?  It waits for the trace that follows. */
static void settle(struct hs_code_search *e)
{
	struct piece *p = window_head(e) - 1;

	e->waits = false;
	if (p->status == HS_OK)
		return;
	if (trial_contradicts(p->fault.reason) && !e->ending && bytes_left(e) < AHEAD) {
		e->waits = true;
		return;
	}
	if (!trial_contradicts(p->fault.reason) || !decide_fix(e))
		(window_head(e) - 1)->settled = true;
}

static bool may_decode(const struct hs_code_search *e)
{
	const struct piece *head = window_head(e);
	const uint64_t left = bytes_left(e);
	const bool more = e->window.piece_count && head[-1].more;

	if (more || left >= PIECE || (left && e->ending))
		return true;
	if (left && window_piece_size(e, head->in) < left)
		return true;
	return e->trace.loss_count && window_is_lost(e, head->in) &&
	       !(e->window.piece_count && head[-1].lost && head[-1].in == head->in);
}

static bool decode_end(struct hs_code_search *e)
{
	struct piece *p = window_head(e);
	struct hs_block some[256];
	enum hs_status status;
	size_t n;

	for (struct view *v = e->views; v; v = v->next_view)
		view_arm(e, v);
	do {
		status = hs_decode_end(e->decoder, some, 256, &n);
		for (size_t i = 0; i < n; i++)
			items_put(e, &e->items, &some[i], 0);
	} while (status == HS_FULL && n);
	e->ended = status == HS_OK;
	return end_piece(e, p, status);
}

/* Decode the next piece.  False: there is nothing to decode yet. */
static bool advance(struct hs_code_search *e)
{
	struct piece *p = window_head(e);

	if (e->waits) {
		settle(e);
		return !e->waits;
	}
	if (!may_decode(e)) {
		if (!e->ending || e->ended)
			return false;
		decode_end(e);
		(window_head(e) - 1)->settled = true;
		return true;
	}
	if (window_is_lost(e, p->in) &&
	    !(e->window.piece_count && p[-1].lost && p[-1].in == p->in)) {
		p->lost = true;
		decoder_lose(e->decoder);
	}
	for (struct view *v = e->views; v; v = v->next_view)
		view_arm(e, v);
	const enum hs_status status =
		window_feed(e, &e->items, p->in, window_piece_size(e, p->in), &p->bytes);

	if (end_piece(e, p, status))
		settle(e);
	return true;
}

/* ---- giving out ------------------------------------------------------------------ */

static void add_fault(struct hs_code_search *e, const struct hs_error *error, enum hs_reason reason)
{
	e->out.faults = search_grow(e, e->out.faults, &e->out.fault_room, e->out.fault_count + 1,
	                            sizeof(*e->out.faults));
	if (e->out.fault_count < e->out.fault_room)
		e->out.faults[e->out.fault_count++] = (struct fault){ *error, reason };
}

static void give(struct hs_code_search *e, const struct hs_block *b)
{
	const struct hs_block hart = { .kind = HS_KIND_HART, .arg = e->out.at_hart };

	if (e->out.hart != e->out.at_hart)
		items_put(e, &e->out.ready, &hart, 0);
	e->out.hart = e->out.at_hart;
	items_put(e, &e->out.ready, b, 0);
}

static void give_gap(struct hs_code_search *e, const struct piece *p, uint64_t pc)
{
	const enum hs_status status = hs_reason_status(HS_REASON_VERSIONS);
	const struct hs_block gap = { .kind = HS_KIND_GAP, .value = p->in, .arg = status };
	struct hs_error error;

	give(e, &gap);
	hs_error_set(&error, status, "offset 0x%llx: %s (design/code-versions), pc 0x%llx",
	             (unsigned long long)p->in, hs_reason_text(HS_REASON_VERSIONS),
	             (unsigned long long)pc);
	add_fault(e, &error, HS_REASON_VERSIONS);
}

/* Changes of the piece that are made before the next block of a view. */
static void give_changes(struct hs_code_search *e, const struct view *v)
{
	for (size_t i = e->code.change_given; i < e->code.change_count; i++) {
		const struct hs_code_search_change *c = &e->code.changes[i];
		const struct hs_block b = { .kind = HS_KIND_VERSION,
			                    .value = c->code.start,
			                    .arg = (uint32_t)i,
			                    .priv = HS_PRIV_UNKNOWN };

		if (c->source == v->src && c->blocks == v->given)
			give(e, &b);
	}
}

static bool is_flow(const struct hs_block *b)
{
	return b->kind == HS_KIND_BLOCK || b->kind == HS_KIND_TRAP;
}

/* A block that is left out retired unseen, too. */
static void count_suspect(struct view *v, const struct hs_block *b)
{
	v->suspect[HS_UNSEEN_HALFWORDS] += b->iretire;
	v->suspect[HS_UNSEEN_BRANCHES] +=
		b->itype == HS_ITYPE_TAKEN || b->itype == HS_ITYPE_NOT_TAKEN;
}

static void give_unseen(struct hs_code_search *e, struct view *v, const struct hs_block *b)
{
	struct hs_block unseen = *b;
	const uint64_t n = b->arg + (b->itype < 2 ? v->suspect[b->itype] : 0);

	unseen.arg = n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
	give(e, &unseen);
	memset(v->suspect, 0, sizeof(v->suspect));
}

static void give_item(struct hs_code_search *e, const struct piece *p, struct view *v, size_t i)
{
	const struct hs_block *b = &e->items.v[i];
	const uint8_t flags = e->items.flags[i];

	if (b->kind == HS_KIND_BLOCK) {
		if (e->code.versions && e->code.change_given < e->code.change_count)
			give_changes(e, v);
		v->given++;
	}
	if (is_flow(b) && flags & ITEM_SUSPECT) {
		count_suspect(v, b);
		return;
	}
	if (is_flow(b) && flags & ITEM_DISPUTED) {
		if (!v->in_gap)
			give_gap(e, p, b->value);
		v->in_gap = true;
		return;
	}
	if (flags & ITEM_GAP && !v->in_gap)
		give_gap(e, p, b->value);
	if (is_flow(b))
		v->in_gap = false;
	if (b->kind == HS_KIND_UNSEEN)
		give_unseen(e, v, b);
	else
		give(e, b);
}

/* Note a change, in parts that a recording's log has room for. */
static void report_change(struct hs_code_search *e, const struct view *v, const struct move *m,
                          uint64_t offset)
{
	const struct site *s = &e->sites.items[m->site];
	const struct version *version = site_version(&e->sites, s, m->to);

	e->report.changes++;
	for (uint32_t at = 0, n; at < s->size; at += n) {
		n = s->size - at < CHANGE_MAX ? s->size - at : CHANGE_MAX;
		e->code.changes = search_grow(e, e->code.changes, &e->code.change_room,
		                              e->code.change_count + 1, sizeof(*e->code.changes));
		if (e->code.change_count == e->code.change_room)
			return;
		e->code.changes[e->code.change_count++] =
			(struct hs_code_search_change){ .source = v->src,
			                                .version = version->image,
			                                .code = { s->start + at, n,
			                                          version->bytes + at },
			                                .offset = offset,
			                                .blocks = m->block };
	}
}

/* Sites that changed in a piece. */
static void report_changes(struct hs_code_search *e, const struct piece *p)
{
	for (struct view *v = e->views; v; v = v->next_view)
		for (size_t i = 0; i < v->done.n; i++) {
			const struct move *m = &v->done.v[i];

			if (m->block >= stand_of(p, v)->blocks &&
			    m->block < stand_of(p + 1, v)->blocks)
				report_change(e, v, m, p->in);
		}
}

/* Give out the next piece.  False: too little is decoded after it. */
static bool give_piece(struct hs_code_search *e)
{
	const size_t j = e->window.given;
	struct view *v = NULL;

	if (j >= e->window.piece_count || e->waits ||
	    (!e->ended && e->window.piece_count - j <= AHEAD / PIECE))
		return false;
	decide_uses(e, j);
	const struct piece *p = &e->window.pieces[j];

	report_changes(e, p);
	const size_t from = p->item > e->window.given_items ? p->item : e->window.given_items;

	for (size_t i = from; i < p[1].item; i++) {
		if (e->items.v[i].kind == HS_KIND_HART) {
			e->out.at_hart = e->items.v[i].arg;
			v = NULL;
			continue;
		}
		if (!v)
			v = view_find(e, e->out.at_hart == UINT32_MAX ? 0 : e->out.at_hart);
		if (v)
			give_item(e, p, v, i);
		else
			give(e, &e->items.v[i]);
	}
	if (p[1].item > e->window.given_items)
		e->window.given_items = p[1].item;
	if (p->status != HS_OK)
		add_fault(e, &p->fault.error, p->fault.reason);
	e->code.change_given = e->code.change_count;
	e->window.given++;
	window_trim(e);
	return true;
}

/* Copy what is ready.  True: return *status now. */
static bool deliver(struct hs_code_search *e, struct hs_block *out, size_t cap, size_t *count,
                    enum hs_status *status)
{
	const size_t left = e->out.ready.n - e->out.ready_at, room = cap - *count;
	const size_t n = left < room ? left : room;

	if (n)
		memcpy(out + *count, e->out.ready.v + e->out.ready_at, n * sizeof(*out));
	*count += n;
	e->out.ready_at += n;
	*status = HS_FULL;
	if (e->out.ready_at < e->out.ready.n)
		return true;
	e->out.ready.n = e->out.ready_at = 0;
	if (e->out.fault_at == e->out.fault_count) {
		e->out.fault_at = e->out.fault_count = 0;
		return *count == cap;
	}
	e->out.last = e->out.faults[e->out.fault_at++];
	*status = e->out.last.error.status;
	return true;
}

static enum hs_status decode(struct hs_code_search *e, struct hs_block *out, size_t cap,
                             size_t *count)
{
	enum hs_status status;

	*count = 0;
	while (!deliver(e, out, cap, count, &status)) {
		if (e->no_memory) {
			hs_error_set(&e->out.last.error, HS_E_MEMORY, "out of memory");
			e->out.last.reason = HS_REASON_NONE;
			return HS_E_MEMORY;
		}
		if (!give_piece(e) && !advance(e))
			return HS_MORE;
	}
	return status;
}

enum hs_status hs_code_search_decode(struct hs_code_search *e, struct hs_span *in,
                                     struct hs_block *out, size_t cap, size_t *count)
{
	*count = 0;
	if (cap < 64)
		return HS_E_SPACE;
	e->trace.bytes =
		search_grow(e, e->trace.bytes, &e->trace.byte_room, e->trace.byte_count + in->n, 1);
	if (e->trace.byte_room >= e->trace.byte_count + in->n && in->n) {
		memcpy(e->trace.bytes + e->trace.byte_count, in->p, in->n);
		e->trace.byte_count += in->n;
	}
	in->p += in->n;
	in->n = 0;
	return decode(e, out, cap, count);
}

enum hs_status hs_code_search_end(struct hs_code_search *e, struct hs_block *out, size_t cap,
                                  size_t *count)
{
	*count = 0;
	if (cap < 64)
		return HS_E_SPACE;
	e->ending = true;
	const enum hs_status status = decode(e, out, cap, count);

	return status == HS_MORE ? HS_OK : status;
}

void hs_code_search_lose(struct hs_code_search *e)
{
	const uint64_t in = e->trace.byte_start + e->trace.byte_count;

	if (!window_is_lost(e, in) &&
	    e->trace.loss_count < sizeof(e->trace.losses) / sizeof(*e->trace.losses))
		e->trace.losses[e->trace.loss_count++] = in;
}

enum hs_reason hs_code_search_diag(const struct hs_code_search *e, struct hs_error *error)
{
	*error = e->out.last.error;
	return e->out.last.reason;
}

unsigned hs_code_search_counts(const struct hs_code_search *e, struct hs_message_count *out,
                               unsigned cap)
{
	return decoder_counts(e->decoder, out, cap);
}

void hs_code_search_get_report(const struct hs_code_search *e, struct hs_code_search_report *out)
{
	*out = e->report;
}

bool hs_code_search_get_change(const struct hs_code_search *e, uint64_t i,
                               struct hs_code_search_change *out)
{
	if (i >= e->code.change_count)
		return false;
	*out = e->code.changes[i];
	return true;
}

bool hs_code_search_get_doubt(const struct hs_code_search *e, uint64_t i,
                              struct hs_code_search_doubt *out)
{
	for (size_t k = 0; k < e->sites.count; k++) {
		const struct site *site = &e->sites.items[k];

		if (!e->disputes[k] || i--)
			continue;
		*out = (struct hs_code_search_doubt){
			.code = { site->start, site->size,
			          site_version(&e->sites, site, 0)->bytes },
			.disputes = e->disputes[k]
		};
		return true;
	}
	return false;
}
