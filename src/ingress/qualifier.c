/* Comparators and filters between the ingress port and an encoder (TCI, trTeFilter, trTeComp). */
#include "ingress/filter.h"
#include "ingress/ingress.h"

#include "core/config.h"

enum { NOTIFY_SYNC = 6, TRACE_DISABLED = 4 };

static bool is_comparator_good(const struct hs_comparator *c)
{
	return filter_has_input(c->p_input) && filter_has_input(c->s_input) &&
	       c->p_function <= HS_COMP_TRUE && c->s_function <= HS_COMP_TRUE &&
	       c->match_mode <= HS_COMP_LATCH;
}

static bool is_filter_good(const struct hs_filter *f)
{
	bool good = f->comps <= 3 && f->user_word < 4;

	for (unsigned i = 0; good && i < f->comps; i++)
		good = f->comp[i] < HS_COMPARATORS;
	return good;
}

/* An instruction has no address, type or size of data. */
static bool asks_for_data(const struct hs_qualifier_config *config, const struct hs_filter *f)
{
	bool asks = f->match_dtype || f->match_dsize;

	for (unsigned i = 0; i < f->comps; i++)
		asks |= filter_looks_at_data(&config->comparators[f->comp[i]]);
	return f->enable && asks;
}

static bool is_config_good(const struct hs_qualifier_config *config)
{
	bool good = config->filter_ecause <= 15 && config->address_bits <= 64 &&
	            config->context_bits <= 64;

	for (unsigned i = 0; i < HS_COMPARATORS && good; i++)
		good = is_comparator_good(&config->comparators[i]);
	for (unsigned i = 0; i < HS_FILTERS && good; i++)
		good = is_filter_good(&config->filters[i]) &&
		       !asks_for_data(config, &config->filters[i]);
	return good;
}

static uint64_t mask_of(unsigned bits)
{
	return bits ? UINT64_MAX >> (64 - bits) : UINT64_MAX;
}

enum hs_status hs_qualifier_init(struct hs_qualifier *q, const struct hs_qualifier_config *given,
                                 const struct hs_image *image)
{
	memset(q, 0, sizeof *q);
	if (base_take_config(&q->config, sizeof q->config, given) != HS_OK ||
	    !is_config_good(&q->config))
		return HS_E_CONFIG;
	const struct hs_qualifier_config *config = &q->config;

	q->image = image;
	q->on = !config->off;
	q->address_mask = mask_of(config->address_bits);
	q->context_mask = mask_of(config->context_bits);
	q->priv = HS_PRIV_UNKNOWN;
	for (unsigned i = 0; i < HS_FILTERS; i++) {
		q->filters |= config->filters[i].enable;
		q->data |= config->filters[i].data;
		q->follows |= (uint32_t)filter_follows_traps(config, &config->filters[i]) << i;
	}
	for (unsigned i = 0; i < HS_COMPARATORS; i++) {
		if (config->comparators[i].p_function == HS_COMP_SPECIAL)
			q->latches |= 1u << i; /* TCI: primes the latch of mode 3 */
		q->of_data |= (uint32_t)filter_looks_at_data(&config->comparators[i]) << i;
	}
	return HS_OK;
}

void hs_qualifier_set_hart(struct hs_qualifier *q, uint32_t hart)
{
	q->hart = hart;
}

void hs_qualifier_trigger(struct hs_qualifier *q, enum hs_trigger action)
{
	if (action == HS_TRIGGER_NOTIFY)
		q->notify = true;
	else
		q->on = action == HS_TRIGGER_ON;
}

/* ---- blocks -------------------------------------------------------------------- */

struct output {
	struct hs_block *p;
	size_t n, cap;
};

/* Entries that one instruction may need: a piece, a stop, a trap, a watchpoint; and the last
 * piece. */
#define STEP_ROOM 5

static void put_event(struct output *o, unsigned kind, unsigned itype, uint64_t value)
{
	struct hs_block *b = &o->p[o->n++];

	memset(b, 0, sizeof *b);
	b->kind = (uint8_t)kind;
	b->itype = (uint8_t)itype;
	b->value = value;
	b->priv = HS_PRIV_UNKNOWN;
}

/* A trap before which nothing was traced belongs to its handler, if that is traced (ET Format 3
 * subformat 0: the first traced instruction may be the first of a handler). */
static void put_held(struct hs_qualifier *q, bool on, struct output *o)
{
	if (q->holding && on)
		q->held.itype = q->trap ? HS_ITYPE_INTERRUPT : HS_ITYPE_EXCEPTION;
	if (q->holding)
		o->p[o->n++] = q->held;
	q->holding = false;
}

/* Trace goes on or off before an instruction.  A synchronisation that is not for a traced
 * instruction is taken back. */
static void switch_trace(struct hs_qualifier *q, bool on, struct output *o)
{
	if ((q->tracing || q->synced) && !on)
		put_event(o, HS_KIND_STOP, TRACE_DISABLED, 0);
	put_held(q, on, o);
	q->tracing = on;
	q->synced = false;
}

static void put_watchpoint(struct hs_qualifier *q, uint64_t iaddr, struct output *o)
{
	if (q->notify && q->tracing)
		put_event(o, HS_KIND_SYNC, NOTIFY_SYNC, iaddr);
	q->notify = false;
}

static bool is_between(uint64_t v, uint64_t first, uint64_t last)
{
	return v >= first && v <= last;
}

/* Do all instructions of the block get the same result? */
static bool is_uniform(const struct hs_qualifier *q, const struct hs_block *b)
{
	const uint64_t first = b->iaddr & q->address_mask;
	const uint64_t last = first + (hs_block_end(b) - b->iaddr) - 1;

	if (!q->image || b->iretire == b->ilast)
		return true;
	for (unsigned i = 0; i < HS_COMPARATORS; i++) {
		const struct hs_comparator *c = &q->config.comparators[i];

		if (c->s_function == HS_COMP_SPECIAL && c->p_input == HS_COMP_IADDR)
			return false; /* a mask may match anywhere */
		if (c->match_mode == HS_COMP_LATCH &&
		    (c->p_input || c->s_input || c->p_function || c->s_function))
			return false; /* it may be set, or cleared, after the first instruction */
		if (is_between(c->p_match & q->address_mask, first, last) ||
		    is_between(c->s_match & q->address_mask, first, last))
			return false;
	}
	return true;
}

/* Put the piece that is open: instructions of @b from piece->iaddr on. */
static void put_piece(struct hs_block *piece, const struct hs_block *b, struct output *o)
{
	if (piece->iretire == 0)
		return;
	o->p[o->n] = *piece;
	if (hs_block_end(piece) != hs_block_end(b))
		o->p[o->n].itype = HS_ITYPE_NONE;
	o->n++;
	piece->iretire = 0;
}

/* Decide for each instruction of a block.  Where the image has no code, the next address decides
 * for the rest.  False: no room for all of it; q->done half-words are done. */
static bool put_pieces(struct hs_qualifier *q, const struct hs_block *b, struct output *o)
{
	struct hs_block piece = *b;

	piece.iretire = 0;
	while (q->done < b->iretire && o->n + STEP_ROOM <= o->cap) {
		const uint64_t iaddr = b->iaddr + 2u * (uint64_t)q->done;
		uint32_t size = b->iretire - q->done;
		struct hs_insn insn;

		if (hs_img_insn(q->image, iaddr, &insn) == HS_OK && insn.hwords < size)
			size = insn.hwords;
		const bool on = filter_is_traced(q, iaddr);
		if (on != q->tracing || q->synced || q->notify) {
			put_piece(&piece, b, o);
			switch_trace(q, on, o);
		}
		put_watchpoint(q, iaddr, o);
		if (on) {
			if (piece.iretire == 0)
				piece.iaddr = iaddr;
			piece.iretire += size;
			piece.ilast = size < b->iretire - q->done ? (uint8_t)size : b->ilast;
		}
		q->done += size;
	}
	put_piece(&piece, b, o);
	return q->done == b->iretire;
}

/* Put accesses that wait, once those are left that are let through.  False: no room for all. */
static bool put_accesses(struct hs_qualifier *q, const struct hs_block *b, struct output *o)
{
	if (!q->waiting_n)
		return true;
	if (!q->decided)
		filter_decide_accesses(q, b);
	for (; q->waiting_at < q->waiting_n; q->waiting_at++) {
		if (o->n + STEP_ROOM > o->cap)
			return false;
		o->p[o->n++] = q->waiting[q->waiting_at];
	}
	q->waiting_n = q->waiting_at = 0;
	q->decided = false;
	return true;
}

/* False: no room for all of it. */
static bool take_block(struct hs_qualifier *q, const struct hs_block *b, struct output *o)
{
	if (b->priv != HS_PRIV_UNKNOWN)
		q->priv = b->priv;
	if (!put_accesses(q, b, o))
		return false;
	if (!is_uniform(q, b)) {
		if (!put_pieces(q, b, o))
			return false;
	} else {
		switch_trace(q, filter_is_traced(q, b->iaddr), o);
		put_watchpoint(q, b->iaddr, o);
		if (q->tracing)
			o->p[o->n++] = *b;
	}
	q->done = 0;
	for (unsigned i = 0; i < HS_FILTERS && b->itype == HS_ITYPE_XRET; i++)
		q->depth[i] -= q->depth[i] != 0;
	return true;
}

/* What comparators look at. */
static void take_input(struct hs_qualifier *q, const struct hs_block *e)
{
	if (e->kind == HS_KIND_CONTEXT)
		q->context = e->value;
	else if (e->kind == HS_KIND_TIME)
		q->time = e->value;
	else if (e->kind == HS_KIND_HART)
		q->hart = e->arg;
}

/* An item of a data access.  False: there is no room for those that wait too long. */
static bool take_access(struct hs_qualifier *q, const struct hs_block *e, struct output *o)
{
	if (!q->data)
		o->p[o->n++] = *e;
	else if (q->decided || !filter_keep_access(q, e))
		return put_accesses(q, NULL, o) && filter_keep_access(q, e);
	return true;
}

static bool is_data(const struct hs_block *e)
{
	return e->kind == HS_KIND_DATA || e->kind == HS_KIND_VALUE;
}

/* True: @e is a note of a port, which does not come out; or it comes out with the next block. */
static bool take_event(struct hs_qualifier *q, const struct hs_block *e)
{
	if (e->kind == HS_KIND_TRAP && !q->tracing && !q->holding && e->itype == 0) {
		q->held = *e;
		q->holding = true;
		return true;
	}
	q->synced |= e->kind == HS_KIND_SYNC;
	if (e->kind != HS_KIND_NOTE || (e->arg != HS_NOTE_TRIGGER && e->arg != HS_NOTE_USER))
		return false;
	if (e->arg == HS_NOTE_USER)
		q->user[e->itype & 3u] = e->value;
	else if (e->value >= HS_TRIGGER_ON && e->value <= HS_TRIGGER_NOTIFY)
		hs_qualifier_trigger(q, (enum hs_trigger)e->value);
	return true;
}

enum hs_status hs_qualify(struct hs_qualifier *q, const struct hs_block *in, size_t n, size_t *used,
                          struct hs_block *out, size_t cap, size_t *count)
{
	size_t total = 0;

	*used = *count = 0;
	if (cap < HS_QUALIFIER_ROOM)
		return HS_E_SPACE;
	for (bool room = true; *used < n; ++*used) {
		const struct hs_block *b = &in[*used];
		struct output o = { out + total, 0, cap - total };

		room = o.cap >= STEP_ROOM;
		if (room && b->kind == HS_KIND_BLOCK) {
			room = take_block(q, b, &o);
			q->trap = b->itype == HS_ITYPE_INTERRUPT;
		} else if (room && is_data(b)) {
			room = take_access(q, b, &o);
		} else if (room) {
			if (b->kind == HS_KIND_TRAP)
				filter_take_trap(q, b, q->trap);
			else
				take_input(q, b);
			if (!take_event(q, b))
				o.p[o.n++] = *b;
		}
		total += o.n;
		if (!room) {
			*count = total;
			return HS_FULL;
		}
	}
	*count = total;
	return HS_OK;
}
