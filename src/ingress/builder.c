/* From retired instructions to canonical blocks.
 *
 * Where an instruction led to is known when the next one arrives, so a block stays open
 * until then: @ended says that its last instruction can change the PC. */
#include <hartscope/ingress.h>

#include "core/mem.h"

void hs_builder_init(struct hs_builder *b, unsigned xlen)
{
	memset(b, 0, sizeof *b);
	b->xlen = xlen == 32 ? 32 : 64;
	b->priv = HS_PRIV_UNKNOWN;
}

static bool has_room(const struct hs_blocks *out)
{
	return out->n <= out->cap && out->cap - out->n >= HS_BUILDER_ROOM;
}

static void push(struct hs_blocks *out, const struct hs_block *b)
{
	out->at[out->n++] = *b;
}

static uint64_t end_of(const struct hs_builder *b)
{
	const uint64_t end = hs_block_end(&b->open);

	return b->xlen == 32 ? end & UINT32_MAX : end;
}

static void push_gap(const struct hs_builder *b, struct hs_blocks *out)
{
	const struct hs_block gap = { .value = b->offset, .arg = HS_E_BLOCK, .kind = HS_KIND_GAP };

	push(out, &gap);
}

/* itype of a known last instruction; *explained is false when it cannot lead to *next. */
static uint8_t resolve_known(const struct hs_builder *b, const uint64_t *next, bool *explained)
{
	const struct hs_insn *insn = &b->last.insn;

	switch (insn->kind) {
	case HS_INSN_LINEAR:
		*explained = !next || *next == end_of(b);
		return HS_ITYPE_NONE;
	case HS_INSN_BRANCH:
		if (!next)
			return b->last.itype;
		if (*next == end_of(b))
			return HS_ITYPE_NOT_TAKEN;
		*explained = *next == insn->target;
		return *explained ? HS_ITYPE_TAKEN : HS_ITYPE_NONE;
	case HS_INSN_JUMP:
	case HS_INSN_CALL:
		*explained = !next || *next == insn->target;
		return hs_isa_itype4(insn->kind, false);
	default:
		return hs_isa_itype4(insn->kind, false);
	}
}

static uint8_t resolve_given(const struct hs_builder *b, const uint64_t *next, bool *explained)
{
	const bool follows = !next || *next == end_of(b);

	if (b->last.itype == HS_ITYPE_NONE && !follows)
		return HS_ITYPE_JUMP_INF;
	*explained = b->last.itype != HS_ITYPE_NOT_TAKEN || follows;
	return b->last.itype;
}

static void push_held(struct hs_builder *b, struct hs_blocks *out)
{
	for (unsigned i = 0; i < b->held_n; i++)
		push(out, &b->held[i]);
	b->held_n = 0;
}

/* End the open block.  @next is NULL when it is not known what came after it. */
static void close_block(struct hs_builder *b, const uint64_t *next, struct hs_blocks *out)
{
	bool explained = true;

	if (b->have) {
		b->open.itype = b->last.known ? resolve_known(b, next, &explained)
		                              : resolve_given(b, next, &explained);
		push(out, &b->open);
		if (!explained)
			push_gap(b, out);
		b->priv = b->open.itype == HS_ITYPE_XRET ? HS_PRIV_UNKNOWN : b->open.priv;
		b->have = false;
	}
	push_held(b, out);
}

static void append_insn(struct hs_builder *b, const struct hs_retired *r)
{
	uint64_t target;

	if (!b->have) {
		b->open = (struct hs_block){ .iaddr = r->iaddr, .priv = r->priv & 7u };
		b->have = true;
	} else if (r->known && b->last.known &&
	           hs_isa_sequential(&b->last.insn, &r->insn, b->xlen, &target)) {
		b->open.sijump = 1;
	}
	if (r->sijump)
		b->open.sijump = 1;
	b->open.iretire += r->insn.hwords;
	b->open.ilast = r->insn.hwords;
	b->last = *r;
	b->ended = r->known ? r->insn.kind != HS_INSN_LINEAR : r->itype != HS_ITYPE_NONE;
}

/* What the source may say of an instruction's end; traps come by hs_builder_trap(). */
static bool itype_allowed(const struct hs_retired *r)
{
	const unsigned not_here = 1u << HS_ITYPE_EXCEPTION | 1u << HS_ITYPE_INTERRUPT |
	                          1u << HS_ITYPE_RESERVED;

	if (r->known)
		return r->itype == HS_ITYPE_NONE || r->itype == HS_ITYPE_TAKEN ||
		       r->itype == HS_ITYPE_NOT_TAKEN;
	return r->itype <= HS_ITYPE_JUMP_INF && !(not_here >> r->itype & 1u);
}

enum hs_status hs_builder_insn(struct hs_builder *b, const struct hs_retired *r,
                               struct hs_blocks *out)
{
	if (!has_room(out))
		return HS_FULL;
	if ((r->iaddr & 1) != 0 || r->insn.hwords == 0 || r->insn.hwords > HS_INSN_MAX / 2 ||
	    !itype_allowed(r) || (r->known && r->insn.kind > HS_INSN_EBREAK))
		return HS_E_ARG;
	const bool full = b->have && b->open.iretire > UINT32_MAX - HS_INSN_MAX;
	if (!b->have || b->ended || full || r->iaddr != end_of(b))
		close_block(b, &r->iaddr, out);
	append_insn(b, r);
	return HS_OK;
}

/* Does the trap come right after the open block, so that it is the block's end? */
static bool ends_here(const struct hs_builder *b, const struct hs_trap *t)
{
	const unsigned kind = b->last.insn.kind;

	if (!b->have || t->no_epc)
		return b->have;
	if (!b->ended)
		return t->epc == end_of(b);
	return b->last.known && (kind == HS_INSN_ECALL || kind == HS_INSN_EBREAK) &&
	       t->epc == b->last.iaddr && !t->interrupt;
}

enum hs_status hs_builder_trap(struct hs_builder *b, const struct hs_trap *t, struct hs_blocks *out)
{
	struct hs_block event = { .value = t->tval, .arg = t->cause, .kind = HS_KIND_TRAP };

	if (!has_room(out))
		return HS_FULL;
	if (t->no_epc ? !b->have : (t->epc & 1) != 0)
		return HS_E_ARG;
	if (!ends_here(b, t)) {
		close_block(b, &t->epc, out);
		b->open = (struct hs_block){ .iaddr = t->epc, .priv = b->priv & 7u };
		if (t->priv != HS_PRIV_UNKNOWN)
			b->open.priv = t->priv & 7u;
	}
	b->open.itype = t->interrupt ? HS_ITYPE_INTERRUPT : HS_ITYPE_EXCEPTION;
	push(out, &b->open);
	event.priv = b->open.priv;
	if (!t->no_cause)
		push(out, &event);
	b->have = false;
	b->priv = HS_PRIV_UNKNOWN;
	push_held(b, out);
	return HS_OK;
}

static struct hs_block *find_held(struct hs_builder *b, unsigned kind)
{
	for (unsigned i = 0; i < b->held_n; i++)
		if (b->held[i].kind == kind)
			return &b->held[i];
	return NULL;
}

enum hs_status hs_builder_event(struct hs_builder *b, const struct hs_block *event,
                                struct hs_blocks *out)
{
	struct hs_block *same = NULL;

	if (!has_room(out))
		return HS_FULL;
	if (!b->have) {
		push(out, event);
		return HS_OK;
	}
	if (event->kind == HS_KIND_CONTEXT || event->kind == HS_KIND_TIME)
		same = find_held(b, event->kind);
	if (!same && b->held_n == HS_BUILDER_HELD)
		return HS_E_SPACE;
	*(same ? same : &b->held[b->held_n++]) = *event;
	return HS_OK;
}

enum hs_status hs_builder_cut(struct hs_builder *b, uint64_t next, struct hs_blocks *out)
{
	if (!has_room(out))
		return HS_FULL;
	close_block(b, &next, out);
	return HS_OK;
}

enum hs_status hs_builder_flush(struct hs_builder *b, struct hs_blocks *out)
{
	if (!has_room(out))
		return HS_FULL;
	close_block(b, NULL, out);
	return HS_OK;
}
