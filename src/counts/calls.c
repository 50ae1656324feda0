/* Counting calls: transfers by their two addresses, which are expanded to functions at the end. */
#include <stdlib.h>

#include "counts/calls_private.h"

/* Distinct transfers held at once; then they are expanded and dropped (as in profile.c). */
#define TRANSFERS_MAX ((uint32_t)1 << 20)

/* ---- transfers -------------------------------------------------------------------- */

static bool same_point(const struct calls_point *a, const struct calls_point *b)
{
	return a->file == b->file && a->addr == b->addr && a->of == b->of &&
	       a->context == b->context && a->has_context == b->has_context && a->priv == b->priv;
}

static bool same_transfer(const void *item, const void *key)
{
	const struct calls_transfer *a = item, *b = key;

	return a->kind == b->kind && same_point(&a->from, &b->from) && same_point(&a->to, &b->to);
}

enum hs_status profile_calls_add(struct support_hash *t, const struct calls_transfer *transfer)
{
	const uint32_t hash =
		support_hash_of(transfer->from.addr, transfer->to.addr ^ transfer->kind);
	struct calls_transfer *known = support_hash_find(t, hash, same_transfer, transfer);

	if (known) {
		known->count += transfer->count;
		known->inferred += transfer->inferred;
		return HS_OK;
	}
	known = support_hash_add(t, hash);
	if (!known)
		return HS_E_MEMORY;
	*known = *transfer;
	return HS_OK;
}

static const uint8_t call_kinds[16] = {
	[HS_ITYPE_EXCEPTION] = TRANSFER_TRAP, [HS_ITYPE_INTERRUPT] = TRANSFER_TRAP,
	[HS_ITYPE_XRET] = TRANSFER_RETURN,    [HS_ITYPE_CALL_UNINF] = TRANSFER_CALL,
	[HS_ITYPE_CALL_INF] = TRANSFER_CALL,  [HS_ITYPE_SWAP] = TRANSFER_CALL,
	[HS_ITYPE_RETURN] = TRANSFER_RETURN,
};

/* Ends whose target is not in the code: jumps and calls, without returns. */
static const uint8_t jump_kinds[16] = {
	[HS_ITYPE_UNINFERABLE] = TRANSFER_JUMP,
	[HS_ITYPE_CALL_UNINF] = TRANSFER_JUMP,
	[HS_ITYPE_TAIL_UNINF] = TRANSFER_JUMP,
	[HS_ITYPE_JUMP_UNINF] = TRANSFER_JUMP,
};

static enum transfer_kind kind_of(const struct hs_calls *c, unsigned itype)
{
	return (enum transfer_kind)c->kinds[itype & 15];
}

/* The flow went to @to, by a transfer of @itype. */
static enum hs_status count_transfer(struct hs_calls *c, unsigned itype,
                                     const struct calls_point *from, const struct calls_point *to,
                                     uint64_t times, bool inferred)
{
	struct calls_transfer t = { .to = *to, .count = times, .kind = (uint8_t)kind_of(c, itype) };

	if (t.kind == TRANSFER_OTHER)
		return HS_OK;
	if (t.kind == TRANSFER_CALL || t.kind == TRANSFER_JUMP) {
		t.from = *from;
		t.inferred = inferred;
	}
	if (t.kind != TRANSFER_JUMP && c->transfers.count >= TRANSFERS_MAX &&
	    profile_calls_link(c) != HS_OK)
		return HS_E_MEMORY;
	return profile_calls_add(&c->transfers, &t);
}

/* ---- blocks and events -------------------------------------------------------------- */

static struct calls_hart *current_hart(struct hs_calls *c)
{
	return &c->harts[c->select.index];
}

/* An address of the current hart.  A kernel's code is the same in all contexts. */
static struct calls_point point_at(const struct hs_calls *c, uint64_t addr, uint8_t priv)
{
	struct calls_point p = { .of = c->select.program, .addr = addr };

	if (!c->guest)
		return p;
	p.priv = priv;
	if (priv == HS_PRIV_U || priv == HS_PRIV_VU) {
		p.context = c->select.at.context;
		p.has_context = c->select.at.has_context;
	}
	return p;
}

enum hs_status hs_calls_add_times(struct hs_calls *c, const struct hs_block *b, uint64_t times)
{
	struct calls_hart *h = current_hart(c);
	const struct calls_point here = point_at(c, b->iaddr, b->priv);

	if (kind_of(c, h->itype) != TRANSFER_OTHER &&
	    count_transfer(c, h->itype, &h->source, &here, times, false) != HS_OK)
		return HS_E_MEMORY;
	h->itype = b->itype;
	h->source = here;
	h->source.addr = hs_block_end(b) - 2u * (uint64_t)b->ilast;
	return HS_OK;
}

static enum hs_status add_target(struct hs_calls *c, const struct hs_block *b)
{
	struct calls_hart *h = current_hart(c);
	const struct calls_point here = point_at(c, b->value, b->priv);
	const struct calls_point from = h->has_source ? h->source : h->target;
	const bool inferred = !h->has_source;

	h->target = here;
	h->has_source = false;
	return count_transfer(c, b->itype, &from, &here, 1, inferred);
}

static enum hs_status select_hart(struct hs_calls *c, uint32_t hart)
{
	const enum hs_status s = program_select_hart(&c->select, hart);
	const size_t count = c->select.harts.count;

	if (s != HS_OK || count == c->hart_count)
		return s;
	struct calls_hart *more = realloc(c->harts, count * sizeof(*more));

	if (!more)
		return HS_E_MEMORY;
	c->harts = more;
	while (c->hart_count < count)
		c->harts[c->hart_count++] = (struct calls_hart){ .itype = HS_ITYPE_NONE };
	return HS_OK;
}

/* The next block or target does not follow the last one. */
static void break_flow(struct calls_hart *h)
{
	h->itype = HS_ITYPE_NONE;
	h->has_source = false;
	h->target = (struct calls_point){ .of = NULL };
}

/* The last block led to the first one of those that are counted. */
static enum hs_status add_first(struct hs_calls *c, const struct hs_block *note)
{
	const struct hs_block first = { .iaddr = note->value, .priv = note->priv };

	return hs_calls_add_times(c, &first, 1);
}

static enum hs_status add_event(struct hs_calls *c, const struct hs_block *b)
{
	struct calls_hart *h = current_hart(c);

	switch (b->kind) {
	case HS_KIND_HART:
		return select_hart(c, b->arg);
	case HS_KIND_SOURCE:
		h->source = point_at(c, b->value, b->priv);
		h->has_source = true;
		break;
	case HS_KIND_TARGET:
		return c->kinds == jump_kinds ? HS_OK : add_target(c, b);
	default:
		if (hs_event_counts(b) && add_first(c, b) != HS_OK)
			return HS_E_MEMORY;
		if (hs_event_breaks(b))
			break_flow(h);
		break;
	}
	return program_select_event(&c->select, b);
}

enum hs_status hs_calls_add(struct hs_calls *c, const struct hs_block *blocks, size_t n)
{
	enum hs_status s = HS_OK;

	for (size_t i = 0; i < n && s == HS_OK; i++)
		s = blocks[i].kind == HS_KIND_BLOCK ? hs_calls_add_times(c, &blocks[i], 1)
		                                    : add_event(c, &blocks[i]);
	return s;
}

enum hs_status hs_calls_add_path(struct hs_calls *c, const struct hs_path_count *path)
{
	struct calls_hart *h = current_hart(c);
	const struct calls_hart before = *h;
	const struct hs_block next = { .iaddr = path->next,
		                       .priv = path->blocks[path->n - 1].priv };
	enum hs_status s = HS_OK;

	h->itype = HS_ITYPE_NONE;
	for (size_t i = 0; i < path->n && s == HS_OK; i++)
		s = hs_calls_add_times(c, &path->blocks[i], path->times);
	if (s == HS_OK)
		s = hs_calls_add_times(c, &next, path->times);
	*h = before;
	return s;
}

enum hs_status hs_calls_new(struct hs_program *program, const struct hs_program_set *programs,
                            struct hs_calls **calls)
{
	struct hs_calls *c = calloc(1, sizeof(*c));

	if (!c)
		return HS_E_MEMORY;
	c->kinds = call_kinds;
	c->transfers.item_size = c->links.item_size = sizeof(struct calls_transfer);
	program_select_start(&c->select, program, programs);
	if (select_hart(c, 0) != HS_OK) {
		hs_calls_free(c);
		return HS_E_MEMORY;
	}
	*calls = c;
	return HS_OK;
}

void profile_calls_set_jumps(struct hs_calls *c)
{
	c->kinds = jump_kinds;
}

void hs_calls_set_guest(struct hs_calls *c, struct hs_guest *guest)
{
	c->guest = guest;
}

void hs_calls_free(struct hs_calls *c)
{
	if (!c)
		return;
	program_select_end(&c->select);
	free(c->harts);
	support_hash_free(&c->transfers);
	support_hash_free(&c->links);
	free(c->functions);
	free(c->edges);
	free(c);
}
