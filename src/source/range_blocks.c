/* Ranges: blocks, which are cut where the range begins and ends, and where another function
 * begins. */
#include <stdlib.h>

#include <hartscope/block.h>

#include "core/access.h"
#include "source/range_private.h"

/* ---- where the range begins and ends ---------------------------------------------- */

/* The position is passed, or it is before the next instruction.  @began: is the range inside, for
 * an end without a number? */
static void pass(struct range_mark *m, bool began)
{
	m->times++;
	if (m->at.count ? m->times == m->at.count : began)
		m->reached = true;
}

/* Positions that are before the next instruction whatever it is. */
static void reach(const struct hs_range *r, struct range_mark *m)
{
	if ((m->at.kind == HS_POSITION_INSTRUCTION && r->found.seen >= m->at.value) ||
	    (m->at.kind == HS_POSITION_BYTE && r->byte > m->at.value))
		m->reached = true;
}

/* Is the number of an instruction after the first one of a block with @n? */
static bool is_within(const struct hs_range *r, const struct range_mark *m, uint32_t n)
{
	return m->at.kind == HS_POSITION_INSTRUCTION && r->found.seen < m->at.value &&
	       m->at.value - r->found.seen < n;
}

/* ---- counts ----------------------------------------------------------------------- */

static void count_in(struct hs_range_found *f, uint64_t n, bool inside, bool wanted)
{
	if (inside && n && !f->end)
		f->begin = f->seen;
	f->seen += n;
	if (inside && n)
		f->end = f->seen;
	f->wanted += wanted ? n : 0;
}

static void count(struct hs_range *r, uint64_t n, bool inside, bool wanted)
{
	count_in(&r->found, n, inside, wanted);
	count_in(&r->lanes[r->now].found, n, inside, wanted);
}

/* ---- a block as it is ------------------------------------------------------------- */

static enum hs_status take_whole(struct hs_range *r, const struct hs_block *b, uint64_t n,
                                 bool wanted)
{
	struct range_lane *l = &r->lanes[r->now];
	const bool inside = range_is_inside(r);
	enum hs_status s;

	l->given = inside && wanted;
	count(r, n, inside, l->given);
	if (!l->given) {
		l->left_out += inside;
		return range_settle(r, false);
	}
	s = l->owed || l->left_out ? range_give_owed(r) : HS_OK;
	if (s == HS_OK && r->queue.pending.n)
		s = range_settle(r, true);
	return s == HS_OK ? range_give(r, b) : s;
}

/* ---- a block in pieces ------------------------------------------------------------ */

static enum hs_status add_piece(struct hs_range *r, uint32_t start, uint32_t end, uint8_t ilast)
{
	struct range_piece *last = r->piece_count ? &r->pieces[r->piece_count - 1] : NULL;

	if (last && last->end == start) {
		last->end = end;
		last->ilast = ilast;
		return HS_OK;
	}
	if (r->piece_count == r->piece_cap) {
		const size_t cap = r->piece_cap ? 2 * r->piece_cap : 8;
		struct range_piece *more = realloc(r->pieces, cap * sizeof(*more));

		if (!more)
			return HS_E_MEMORY;
		r->pieces = more;
		r->piece_cap = cap;
	}
	r->pieces[r->piece_count++] = (struct range_piece){ start, end, ilast };
	return HS_OK;
}

/* The next access that waits, from item *at on; *at is then after it.  *first: where it begins. */
static bool next_access(const struct hs_range *r, size_t *at, size_t *first,
                        struct hs_access_reader *reader)
{
	for (bool whole = false; *at < r->queue.pending.n; (*at)++) {
		const struct hs_block *b = &r->queue.pending.at[*at];

		if (b->kind == HS_KIND_DATA)
			*first = *at;
		if (b->kind == HS_KIND_DATA || b->kind == HS_KIND_VALUE)
			whole = hs_access_take(reader, b);
		if (whole) {
			(*at)++;
			return true;
		}
	}
	return false;
}

/* The next access is the instruction's: leave it out with it.  @several: one came before it.
 * @return  May there be another one? */
static bool pass_one(struct hs_range *r, const struct range_insn *insn, bool several, bool kept)
{
	struct hs_access_reader reader = { 0 };
	size_t at = r->queue.access_at, first = 0;

	if (at >= r->queue.pending.n || !next_access(r, &at, &first, &reader) ||
	    !hs_access_insn_makes(insn->bytes, insn->hwords, &reader.access))
		return false;
	const bool one_of_several = reader.access.type == HS_ACCESS_MULTI_LOAD ||
	                            reader.access.type == HS_ACCESS_MULTI_STORE;

	if (several && !one_of_several)
		return false;
	r->queue.access_at = at;
	for (size_t i = first; i < at && !kept; i++)
		r->queue.pending.at[i] = (struct hs_block){ .kind = HS_KIND_NOTE };
	return one_of_several;
}

/* What an instruction accessed is left out with it. */
static void pass_access(struct hs_range *r, const struct range_insn *insn, bool kept)
{
	const unsigned n = hs_access_insn_count(insn->bytes, insn->hwords);

	if (!hs_access_insn_makes_any(insn->bytes, insn->hwords))
		return;
	for (unsigned i = 1; pass_one(r, insn, i > 1, kept) && i != n;)
		i++;
}

/* Look at each instruction. */
static enum hs_status cut(struct hs_range *r, const struct hs_block *b)
{
	const unsigned xlen = program_select_image(&r->select)->isa.xlen;
	struct range_lane *l = &r->lanes[r->now];
	struct range_insn insn = { .addr = b->iaddr };
	const uint64_t end = hs_block_end(b);
	enum hs_status s = HS_OK;

	r->piece_count = r->queue.access_at = 0;
	while (insn.addr < end && s == HS_OK) {
		const bool known = range_describe(r, b->priv, &insn), began = range_is_inside(r);
		const uint32_t start = (uint32_t)(insn.addr - b->iaddr) / 2;

		if (!known || insn.hwords > (end - insn.addr) / 2) { /* up to the end */
			insn.hwords = b->ilast;
			insn.from = insn.to = false;
			insn.wanted = !r->function;
		}
		const uint32_t stop = known ? start + insn.hwords : b->iretire;

		reach(r, &r->from);
		if (insn.from && range_has_number(&r->from, l))
			pass(&r->from, true);
		if (r->from.reached)
			reach(r, &r->to);
		if (insn.to && range_has_number(&r->to, l))
			pass(&r->to, began);
		if (known)
			range_follow_a7(&l->a7, &insn, xlen);
		else
			l->a7.is = PROGRAM_A7_UNKNOWN;
		const bool inside = range_is_inside(r), kept = inside && insn.wanted;

		if (kept)
			s = add_piece(r, start, stop, insn.hwords);
		if (known)
			pass_access(r, &insn, kept);
		count(r, known, inside, kept);
		insn.addr = b->iaddr + 2u * (uint64_t)stop;
	}
	return s;
}

/* Of the events before a block those that a part of it keeps. */
static enum hs_status keep_events(struct hs_range *r, const struct hs_block *b)
{
	const bool begins = r->piece_count && r->pieces[0].start == 0;
	const bool ends = r->piece_count && r->pieces[r->piece_count - 1].end == b->iretire;
	struct range_items all = r->queue.pending;
	enum hs_status s = HS_OK;
	size_t kept = 0;

	if (!r->piece_count)
		return range_settle(r, false);
	for (size_t i = 0; i < all.n && s == HS_OK; i++) {
		const struct hs_block e = all.at[i];
		const bool clock = e.kind == HS_KIND_TIME && e.itype == HS_CLOCK_TIME;
		const bool data = e.kind == HS_KIND_DATA || e.kind == HS_KIND_VALUE;

		if (e.kind == HS_KIND_NOTE && !e.arg)
			continue;
		if (clock ? ends : begins || data) {
			all.at[kept++] = e;
			continue;
		}
		r->queue.pending = (struct range_items){ &all.at[i], 1, 1 };
		s = range_settle(r, false);
	}
	r->queue.pending = all;
	r->queue.pending.n = kept;
	return s;
}

static enum hs_status take_pieces(struct hs_range *r, const struct hs_block *b)
{
	struct range_lane *l = &r->lanes[r->now];
	enum hs_status s = cut(r, b);

	if (s == HS_OK)
		s = keep_events(r, b);
	l->given = r->piece_count && r->pieces[r->piece_count - 1].end == b->iretire;
	if (!r->piece_count)
		l->left_out += range_is_inside(r);
	for (size_t i = 0; i < r->piece_count && s == HS_OK; i++) {
		const struct range_piece *p = &r->pieces[i];
		struct hs_block part = *b;

		part.iaddr += 2u * (uint64_t)p->start;
		part.iretire = p->end - p->start;
		if (p->end != b->iretire) {
			part.ilast = p->ilast;
			part.itype = HS_ITYPE_NONE;
			part.sijump = 0;
		}
		l->left_out += i != 0;
		s = range_give_owed(r);
		if (s == HS_OK)
			s = range_settle(r, true);
		if (s == HS_OK)
			s = range_give(r, &part);
	}
	if (!l->given && r->piece_count && r->function && range_is_inside(r))
		l->left_out++;
	return s;
}

/* ---- blocks ----------------------------------------------------------------------- */

/* A target of a fast profile has no instructions of its own. */
static enum hs_status take_target(struct hs_range *r, const struct hs_block *b)
{
	reach(r, &r->from);
	reach(r, &r->to);
	return take_whole(r, b, 0, true);
}

static bool ends_at_ecall(struct hs_range *r, const struct hs_block *b)
{
	struct range_insn last = { .addr = hs_block_end(b) - 4 };

	return range_wants_ecalls(r) && b->ilast == 2 && range_describe(r, b->priv, &last) &&
	       range_is_ecall(&last);
}

#define CAUSE_ECALL_U 8u
#define CAUSE_ECALL_M 11u

void range_take_trap(struct hs_range *r, const struct hs_block *b)
{
	struct range_lane *l = &r->lanes[r->now];
	const bool began = range_is_inside(r);

	if (b->itype == HS_ITYPE_INTERRUPT || b->arg < CAUSE_ECALL_U || b->arg > CAUSE_ECALL_M ||
	    l->at_ecall)
		return;
	if (r->from.at.kind == HS_POSITION_ECALL && range_has_number(&r->from, l))
		pass(&r->from, true);
	if (r->to.at.kind == HS_POSITION_ECALL && range_has_number(&r->to, l))
		pass(&r->to, began);
}

enum hs_status range_take_block(struct hs_range *r, const struct hs_block *b)
{
	const struct range_code *code = NULL;
	uint32_t n = 0;
	enum hs_status s = HS_OK;

	if (b->kind == HS_KIND_TARGET)
		return take_target(r, b);
	const bool inside = range_is_inside(r);

	reach(r, &r->from);
	if (r->from.reached)
		reach(r, &r->to);
	r->keeps_gaps = inside && range_is_inside(r);
	if (b->iretire && program_count_block(&r->counts, &r->select, b, &n) != HS_OK)
		return HS_E_MEMORY;
	if (b->iretire && range_looks(r)) {
		code = range_code_of(r, b);
		if (!code)
			return HS_E_MEMORY;
	}
	const bool cuts =
		(b->iretire && !n) || is_within(r, &r->from, n) || is_within(r, &r->to, n) ||
		(code &&
	         (code->has_from || code->has_to || (code->has_wanted && code->has_unwanted)));

	if (cuts)
		s = take_pieces(r, b);
	else
		s = take_whole(r, b, n, !code || !code->has_unwanted);
	if (code && !cuts && code->a7.is != PROGRAM_A7_KEPT)
		r->lanes[r->now].a7 = code->a7;
	r->lanes[r->now].at_ecall = code && ends_at_ecall(r, b);
	r->keeps_gaps = false;
	if (range_is_over(r))
		r->ended = true;
	return s;
}
