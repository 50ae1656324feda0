/* Comparators and filters between the ingress port and an encoder (TCI, trTeFilter, trTeComp). */
#include "filter/filter.h"

#include <hartscope/port.h>

#include "base/config.h"

enum { NOTIFY_SYNC = 6, TRACE_DISABLED = 4 };

static bool comparator_good(const struct hs_comparator *c)
{
	return c->p_input <= HS_COMP_TVAL && c->s_input <= HS_COMP_TVAL &&
	       c->p_function <= HS_COMP_TRUE && c->s_function <= HS_COMP_TRUE &&
	       c->match_mode <= HS_COMP_LATCH;
}

static bool filter_good(const struct hs_filter *f)
{
	bool good = f->comps <= 3 && f->user_word < 4;

	for (unsigned i = 0; good && i < f->comps; i++)
		good = f->comp[i] < HS_COMPARATORS;
	return good;
}

/* Does a unit compare tval alone?  Then a trap answers for all of its handler. */
static bool of_tval(const struct hs_comparator *c)
{
	return c->match_mode != HS_COMP_LATCH && c->p_input == HS_COMP_TVAL &&
	       c->p_function != HS_COMP_TRUE &&
	       (!filter_compares_twice(c) || c->s_input == HS_COMP_TVAL);
}

/* Is a filter about traps, so that it holds from one to the return from it? */
static bool follows_traps(const struct hs_qualifier_config *config, const struct hs_filter *f)
{
	bool follows = f->match_ecause || f->single_ecause || f->match_interrupt;

	for (unsigned i = 0; i < f->comps; i++)
		follows |= of_tval(&config->comparators[f->comp[i]]);
	return follows;
}

static bool config_good(const struct hs_qualifier_config *config)
{
	bool good = config->filter_ecause <= 15;

	for (unsigned i = 0; i < HS_COMPARATORS && good; i++)
		good = comparator_good(&config->comparators[i]);
	for (unsigned i = 0; i < HS_FILTERS && good; i++)
		good = filter_good(&config->filters[i]);
	return good;
}

enum hs_status hs_qualifier_init(struct hs_qualifier *q, const struct hs_qualifier_config *given,
                                 const struct hs_image *image)
{
	memset(q, 0, sizeof *q);
	if (base_take_config(&q->config, sizeof q->config, given) != HS_OK || !config_good(&q->config))
		return HS_E_CONFIG;
	const struct hs_qualifier_config *config = &q->config;

	q->image = image;
	q->on = !config->off;
	q->priv = HS_PRIV_UNKNOWN;
	for (unsigned i = 0; i < HS_FILTERS; i++) {
		q->filters |= config->filters[i].enable;
		q->follows |= (uint32_t)follows_traps(config, &config->filters[i]) << i;
	}
	for (unsigned i = 0; i < HS_COMPARATORS; i++)
		if (config->comparators[i].p_function == HS_COMP_SPECIAL)
			q->latches |= 1u << i; /* TCI: primes the latch of mode 3 */
	return HS_OK;
}

void hs_qualifier_trigger(struct hs_qualifier *q, enum hs_trigger action)
{
	if (action == HS_TRIGGER_NOTIFY)
		q->notify = true;
	else
		q->on = action == HS_TRIGGER_ON;
}

/* ---- one instruction ----------------------------------------------------------- */

static uint64_t input(const struct hs_qualifier *q, unsigned which, uint64_t iaddr)
{
	return which == HS_COMP_IADDR ? iaddr : which == HS_COMP_CONTEXT ? q->context : q->tval;
}

static bool compare(unsigned function, uint64_t v, uint64_t match)
{
	switch (function) {
	case HS_COMP_EQ:
		return v == match;
	case HS_COMP_NE:
		return v != match;
	case HS_COMP_LT:
		return v < match;
	case HS_COMP_LE:
		return v <= match;
	case HS_COMP_GT:
		return v > match;
	case HS_COMP_GE:
		return v >= match;
	default:
		return function == HS_COMP_TRUE;
	}
}

static bool comparator(struct hs_qualifier *q, unsigned i, uint64_t iaddr)
{
	const struct hs_comparator *c = &q->config.comparators[i];
	const bool masked = c->s_function == HS_COMP_SPECIAL;
	const uint64_t mask = masked ? c->s_match : UINT64_MAX;
	const bool p = compare(c->p_function, input(q, c->p_input, iaddr) & mask, c->p_match & mask);
	const bool s = masked || compare(c->s_function, input(q, c->s_input, iaddr), c->s_match);

	q->notify |= (p && c->p_notify && c->p_input == HS_COMP_IADDR) ||
	             (s && c->s_notify && c->s_input == HS_COMP_IADDR);
	switch (c->match_mode) {
	case HS_COMP_P:
		return p;
	case HS_COMP_BOTH:
		return p && s;
	case HS_COMP_NOT_BOTH:
		return !(p && s);
	default:
		break;
	}
	if (p)
		q->latches |= 1u << i;
	const bool set = q->latches >> i & 1u;
	if (set && s) /* until the instruction after the secondary match */
		q->unlatch |= 1u << i;
	return set;
}

/* Comparators that are in use are asked once for each instruction: latches have state. */
static uint32_t comparators(struct hs_qualifier *q, uint64_t iaddr)
{
	uint32_t asked = 0, result = 0;

	for (unsigned f = 0; f < HS_FILTERS; f++)
		for (unsigned i = 0; q->config.filters[f].enable && i < q->config.filters[f].comps; i++)
			asked |= 1u << q->config.filters[f].comp[i];
	for (unsigned i = 0; i < HS_COMPARATORS; i++) {
		const struct hs_comparator *c = &q->config.comparators[i];

		if ((asked >> i & 1u) || c->p_notify || c->s_notify)
			result |= (uint32_t)comparator(q, i, iaddr) << i;
	}
	return result;
}

static bool filter(const struct hs_qualifier *q, unsigned i, uint32_t matched)
{
	const struct hs_filter *f = &q->config.filters[i];

	if (!f->enable)
		return false;
	if (f->match_privilege && (q->priv > 7 || !(f->choice_privilege >> q->priv & 1u)))
		return false;
	if ((q->follows >> i & 1u) && q->depth[i] == 0)
		return false;
	if (f->match_user && ((q->user[f->user_word] ^ f->value_user) & f->mask_user))
		return false;
	for (unsigned c = 0; c < f->comps; c++)
		if (!(matched >> f->comp[c] & 1u) && !of_tval(&q->config.comparators[f->comp[c]]))
			return false;
	return true;
}

static bool qualified(struct hs_qualifier *q, uint64_t iaddr)
{
	const uint32_t matched = comparators(q, iaddr);
	bool any = !q->filters;

	for (unsigned i = 0; i < HS_FILTERS && !any; i++)
		any = filter(q, i, matched);
	q->latches &= ~q->unlatch;
	q->unlatch = 0;
	return any && q->on;
}

/* ---- blocks -------------------------------------------------------------------- */

struct output {
	struct hs_block *p;
	size_t n, cap;
};

/* Entries that one instruction may need: a piece, a stop, a watchpoint; and the last piece. */
#define STEP_ROOM 4

static void put_event(struct output *o, unsigned kind, unsigned itype, uint64_t value)
{
	struct hs_block *b = &o->p[o->n++];

	memset(b, 0, sizeof *b);
	b->kind = (uint8_t)kind;
	b->itype = (uint8_t)itype;
	b->value = value;
	b->priv = HS_PRIV_UNKNOWN;
}

/* Trace goes on or off before an instruction. */
static void turn(struct hs_qualifier *q, bool on, struct output *o)
{
	if (q->tracing && !on)
		put_event(o, HS_KIND_STOP, TRACE_DISABLED, 0);
	q->tracing = on;
}

static void watchpoint(struct hs_qualifier *q, uint64_t iaddr, struct output *o)
{
	if (q->notify && q->tracing)
		put_event(o, HS_KIND_SYNC, NOTIFY_SYNC, iaddr);
	q->notify = false;
}

/* Could the answer change inside the block? */
static bool uniform(const struct hs_qualifier *q, const struct hs_block *b)
{
	const uint64_t last = hs_block_end(b) - 1;

	if (!q->image || b->iretire == b->ilast)
		return true;
	for (unsigned i = 0; i < HS_COMPARATORS; i++) {
		const struct hs_comparator *c = &q->config.comparators[i];

		if (c->s_function == HS_COMP_SPECIAL && c->p_input == HS_COMP_IADDR)
			return false; /* a mask may match anywhere */
		if (c->match_mode == HS_COMP_LATCH &&
		    (c->p_input || c->s_input || c->p_function || c->s_function))
			return false; /* it may open, or close, behind the first instruction */
		if ((c->p_match >= b->iaddr && c->p_match <= last) ||
		    (c->s_match >= b->iaddr && c->s_match <= last))
			return false;
	}
	return true;
}

/* Close the piece that is open: instructions of @b from piece->iaddr on. */
static void put_piece(struct hs_block *piece, const struct hs_block *b, struct output *o)
{
	if (piece->iretire == 0)
		return;
	if (hs_block_end(piece) != hs_block_end(b))
		piece->itype = HS_ITYPE_NONE;
	o->p[o->n++] = *piece;
	piece->iretire = 0;
}

/* Instruction by instruction.  When the code is not there, the rest follows its first address.
 * False: no room for all of it; q->done half-words are done. */
static bool split(struct hs_qualifier *q, const struct hs_block *b, struct output *o)
{
	struct hs_block piece = *b;

	piece.iretire = 0;
	while (q->done < b->iretire && o->n + STEP_ROOM <= o->cap) {
		const uint64_t iaddr = b->iaddr + 2u * (uint64_t)q->done;
		uint32_t size = b->iretire - q->done;
		struct hs_insn insn;

		if (hs_img_insn(q->image, iaddr, &insn) == HS_OK && insn.hwords < size)
			size = insn.hwords;
		const bool on = qualified(q, iaddr);
		if (on != q->tracing) {
			put_piece(&piece, b, o);
			turn(q, on, o);
		}
		watchpoint(q, iaddr, o);
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

static bool block(struct hs_qualifier *q, const struct hs_block *b, struct output *o)
{
	if (b->priv != HS_PRIV_UNKNOWN)
		q->priv = b->priv;
	if (!uniform(q, b)) {
		if (!split(q, b, o))
			return false;
	} else {
		turn(q, qualified(q, b->iaddr), o);
		watchpoint(q, b->iaddr, o);
		if (q->tracing)
			o->p[o->n++] = *b;
	}
	q->done = 0;
	for (unsigned i = 0; i < HS_FILTERS && b->itype == HS_ITYPE_XRET; i++)
		q->depth[i] -= q->depth[i] != 0;
	return true;
}

static bool cause_fits(const struct hs_filter *f, uint32_t cause, bool interrupt)
{
	const bool wants_interrupt = f->match_interrupt && f->value_interrupt;

	if (f->match_interrupt && f->value_interrupt != interrupt)
		return false;
	if (!f->match_ecause && !f->single_ecause)
		return true;
	return interrupt == wants_interrupt &&
	       (!f->match_ecause || (cause < 64 && (f->choice_ecause >> cause & 1u))) &&
	       (!f->single_ecause || cause == f->value_ecause);
}

static bool tval_fits(struct hs_qualifier *q, const struct hs_filter *f)
{
	for (unsigned i = 0; i < f->comps; i++)
		if (of_tval(&q->config.comparators[f->comp[i]]) && !comparator(q, f->comp[i], 0))
			return false;
	return true;
}

/* A trap starts what a filter follows, or is one more inside it (TCI: nested traps). */
static void trap(struct hs_qualifier *q, const struct hs_block *e, bool interrupt)
{
	const uint32_t most = q->config.filter_ecause ? UINT32_C(1) << q->config.filter_ecause : UINT32_MAX;

	q->tval = e->value;
	for (unsigned i = 0; i < HS_FILTERS; i++) {
		const struct hs_filter *f = &q->config.filters[i];

		if (q->depth[i] || ((q->follows >> i & 1u) && cause_fits(f, e->arg, interrupt) && tval_fits(q, f)))
			q->depth[i] += q->depth[i] < most;
	}
}

/* What a port tells beside retirements.  True: @e is such a note. */
static bool note(struct hs_qualifier *q, const struct hs_block *e)
{
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
			room = block(q, b, &o);
			q->trap = b->itype == HS_ITYPE_INTERRUPT;
		} else if (room) {
			if (b->kind == HS_KIND_TRAP)
				trap(q, b, q->trap);
			else if (b->kind == HS_KIND_CONTEXT)
				q->context = b->value;
			if (!note(q, b))
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
